//! Values of names that announce a secret.

use std::ops::Range;

use crate::anchors::Hit;
use crate::find::{Secret, is_cut};
use crate::letters::{ALNUM, BASE64WORD, DOTTED, LetterCount, Letters, WORD};

/// How a name announces a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// By a word in it, whatever follows in the name: `client_secret_2`.
    Within,
    /// By its last word: `SPEECH_KEY`, not `sort_key_of`.
    AtItsEnd,
    /// It is the header that carries credentials, with the name of a scheme before them: `Authorization: token …`.
    Header,
}

/// What a name contains that announces a secret, without case.
const NAMES: &[(&str, Says)] = &[
    ("password", Says::Within),
    ("passwd", Says::Within),
    ("passphrase", Says::Within),
    ("secret", Says::Within),
    ("token", Says::Within),
    ("apikey", Says::Within),
    ("api_key", Says::Within),
    ("api-key", Says::Within),
    ("accesskey", Says::Within),
    ("access_key", Says::Within),
    ("access-key", Says::Within),
    ("privatekey", Says::Within),
    ("private_key", Says::Within),
    ("private-key", Says::Within),
    ("signingkey", Says::Within),
    ("signing_key", Says::Within),
    ("encryptionkey", Says::Within),
    ("encryption_key", Says::Within),
    ("masterkey", Says::Within),
    ("master_key", Says::Within),
    ("accountkey", Says::Within),
    ("account_key", Says::Within),
    ("credential", Says::Within),
    ("authkey", Says::Within),
    ("auth_key", Says::Within),
    ("_auth", Says::Within),
    ("\"auth", Says::AtItsEnd),
    ("webhook_url", Says::Within),
    ("x-amz-signature", Says::AtItsEnd),
    ("x-goog-signature", Says::AtItsEnd),
    ("&sig", Says::AtItsEnd),
    ("contribsys__com", Says::AtItsEnd),
    ("_key", Says::AtItsEnd),
    ("-key", Says::AtItsEnd),
    ("authorization", Says::Header),
];
/// Keys that are no secrets, by the word before.
const OTHER_KEYS: &[&str] = &[
    "public",
    "pub",
    "cache",
    "sort",
    "primary",
    "foreign",
    "partition",
    "idempotency",
    "routing_hash",
    "host",
    "site",
    "ssh",
    "gpg",
    "pgp",
    "minisign",
    "dedupe",
    "range",
    "hash",
    "object",
    "storage_path",
];
/// What a value is called.
pub(crate) const KIND: &str = "value of a secret name";
/// The longest rest of a name, and of what stands between it and its value.
const NAME_MAX_BYTES: usize = 40;
/// The shortest value: between quotes or right behind `=`, and anywhere else.
const QUOTED_MIN_BYTES: usize = 16;
const BARE_MIN_BYTES: usize = 20;
/// How much of a value is looked at, and how many values that end at one place.
const VALUE_MAX_BYTES: usize = 4096;
const LOOKS_MAX: usize = 8;

/// A value, and whether it looks like a secret.
type Value = (Range<usize>, bool);

/// The names, each with its number.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, usize)> {
    NAMES
        .iter()
        .enumerate()
        .map(|(number, (name, _))| (*name, number))
}

/// The values of the names of a text, from front to back.
#[derive(Default)]
pub(crate) struct Values {
    /// Where the last value ends that was looked at, and how many have been that end there.
    end: usize,
    looks: usize,
}

impl Values {
    /// The value of the name of this number that stands here. A name within a value has a value that ends with it
    /// (`token=token=token=…`): after a few of them nothing new is found.
    pub(crate) fn of_name(&mut self, text: &str, number: usize, hit: Hit) -> Option<Secret> {
        let says = NAMES.get(number)?.1;
        if says == Says::Header {
            return header(text, hit.end);
        }
        if hit.end < self.end && self.looks >= LOOKS_MAX {
            return None;
        }
        let (range, is_secret) = value_behind(text, hit.start, hit.end, says)?;
        self.looks = if range.end == self.end {
            self.looks + 1
        } else {
            1
        };
        self.end = range.end;
        is_secret.then_some(Secret { range, kind: KIND })
    }
}

/// The value that is assigned to the name in which this place is.
fn value_behind(text: &str, start: usize, place: usize, says: Says) -> Option<Value> {
    let letters = WORD.union_of(b"-.");
    let bytes = text.as_bytes();
    let rest = letters.run(bytes.get(place..)?, NAME_MAX_BYTES + 1);
    if rest > NAME_MAX_BYTES || says == Says::AtItsEnd && rest > 0 {
        return None;
    }
    let end = place + rest;
    let name = name_around(text, start, end);
    if says == Says::AtItsEnd && is_other_key(name) {
        return None;
    }
    let next = *bytes.get(end)?;
    // `--token value`, and `password value` in a file of logins.
    if next == b' ' && (name.starts_with("--") || is_of_login(text, start, name)) {
        return bare(text, end + 1, true);
    }
    // The quote of the name, the bracket of an index, spaces, the separator, spaces.
    let quotes = Letters::QUOTES.run(bytes.get(end..)?, NAME_MAX_BYTES);
    let before = end + quotes;
    let mut at = before + Letters::SPACES.run(bytes.get(before..)?, NAME_MAX_BYTES);
    if quotes > 0 && bytes.get(at..)?.starts_with(b"value=") {
        at += b"value".len();
    }
    let separator = Letters::SEPARATORS.run(bytes.get(at..)?, NAME_MAX_BYTES);
    let is_list = separator == 0 && quotes > 0 && bytes.get(at) == Some(&b',');
    if !is_list
        && (!(1..=3).contains(&separator) || bytes.get(at) == Some(&b'>') && !is_element(text, end))
    {
        return None;
    }
    at += separator.max(1);
    let spaces = Letters::SPACES.run(bytes.get(at..)?, NAME_MAX_BYTES);
    let is_tight = at + spaces - before == separator;
    let is_colon = bytes.get(at - 1) == Some(&b':');
    at += spaces;
    match bytes.get(at)? {
        quote @ (b'"' | b'\'' | b'`') => quoted(text, at + 1, *quote),
        _ if is_list => None,
        // Without quotes only where no code can stand: in `NAME=value`, and up to the end of a line.
        _ => bare(text, at, is_tight && !is_colon),
    }
}

/// The whole name of which a part is known.
fn name_around(text: &str, start: usize, end: usize) -> &str {
    let bytes = text.as_bytes().get(..start).unwrap_or_default();
    let letters = WORD.union_of(b"-");
    let before = bytes.iter().rev().take(NAME_MAX_BYTES);
    let from = start - before.take_while(|&&byte| letters.has(byte)).count();
    text.get(from..end).unwrap_or_default()
}

/// `sort_key`, `public-key`: the word before says that it is no secret.
fn is_other_key(name: &str) -> bool {
    let ends = |word: &&str| {
        let before = name
            .get(..name.len().saturating_sub("_key".len()))
            .unwrap_or_default();
        let tail = before.get(before.len().saturating_sub(word.len())..);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    };
    OTHER_KEYS.iter().any(ends)
}

/// `machine … login … password …`, as in a `.netrc`.
fn is_of_login(text: &str, start: usize, name: &str) -> bool {
    let line = || tail(text, start, VALUE_MAX_BYTES).rsplit('\n').next();
    name == "password" && line().is_some_and(|line| line.contains("login "))
}

/// As much of the text before a place.
fn tail(text: &str, end: usize, most: usize) -> &str {
    let start = text.ceil_char_boundary(end.saturating_sub(most));
    text.get(start..end).unwrap_or_default()
}

/// `<password>…`: the name of an element ends here.
fn is_element(text: &str, end: usize) -> bool {
    let before = tail(text, end, 4 * NAME_MAX_BYTES);
    let name = before.rsplit_once('<').map(|(_, name)| name);
    name.is_some_and(|name| {
        name.bytes()
            .all(|byte| WORD.has(byte) || byte == b'-' || byte == b'.')
    })
}

/// `Authorization: token …`: credentials behind the name of a scheme. Those of `Bearer` and `Basic` are found by these words.
fn header(text: &str, place: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let run = |at: usize, letters: Letters| {
        letters.run(bytes.get(at..).unwrap_or_default(), VALUE_MAX_BYTES)
    };
    let mut at = place + run(place, Letters::QUOTES);
    at += run(at, Letters::SPACES);
    let separator = run(at, Letters::SEPARATORS);
    if separator != 1 {
        return None;
    }
    at += 1;
    at += run(at, Letters::SPACES);
    at += run(at, Letters::QUOTES);
    let scheme = run(at, ALNUM);
    if !(2..=20).contains(&scheme) || bytes.get(at + scheme) != Some(&b' ') {
        return None;
    }
    let start = at + scheme + 1;
    let length = run(start, DOTTED.union_of(b"+/=~:"));
    let value = bytes.get(start..start + length)?;
    (length >= BARE_MIN_BYTES && looks_secret(value)).then(|| Secret {
        range: start..start + length,
        kind: KIND,
    })
}

fn quoted(text: &str, start: usize, quote: u8) -> Option<Value> {
    let rest = text.as_bytes().get(start..)?;
    let length = rest
        .iter()
        .take(VALUE_MAX_BYTES)
        .position(|&byte| byte == quote || byte == b'\n')?;
    let value = rest.get(..length)?;
    let fits =
        rest.get(length) == Some(&quote) && length >= QUOTED_MIN_BYTES && looks_secret(value);
    Some((start..start + length, fits))
}

fn bare(text: &str, start: usize, is_tight: bool) -> Option<Value> {
    let rest = text.as_bytes().get(start..)?;
    let letters = BASE64WORD.union(DOTTED).union_of(b"~!@#%^*");
    let letters = if is_tight {
        letters.union_of(b":")
    } else {
        letters
    };
    let length = letters.run(rest, usize::MAX);
    let value = rest.get(..length.min(VALUE_MAX_BYTES))?;
    let next = rest.get(length);
    let is_cut = is_cut(text, start + length);
    let ends_line = is_cut || next.is_none_or(|&byte| matches!(byte, b'\n' | b'\r'));
    let ends_word = next.is_none_or(|&byte| {
        matches!(
            byte,
            b' ' | b'\t' | b'\n' | b'\r' | b'&' | b';' | b'"' | b'\'' | b'<'
        )
    });
    // A constant of code is no value.
    let is_name = value.contains(&b'_') && !value.iter().any(u8::is_ascii_lowercase);
    let is_ended = ends_line || is_tight && ends_word;
    let least = if is_tight {
        QUOTED_MIN_BYTES
    } else {
        BARE_MIN_BYTES
    };
    let fits = length >= least && is_ended && !is_name && looks_secret(value);
    Some((start..start + length, fits))
}

/// Random letters: no words, no path, no address, no reference, no placeholder, no hash with its name.
fn looks_secret(value: &[u8]) -> bool {
    let look = LetterCount::of(value);
    let has = |part: &[u8]| {
        value
            .windows(part.len())
            .any(|window| window.eq_ignore_ascii_case(part))
    };
    let is_open = value.iter().all(|byte| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'<' | b'>' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b'$' | b'`' | b'\\' | b','
            )
    });
    let is_path =
        value.iter().filter(|&&byte| byte == b'/').count() > 2 && look.digits < 6 || has(b"://");
    let is_placeholder = [
        "xxxx",
        "****",
        "your",
        "placeholder",
        "changeme",
        "sha256-",
        "sha384-",
        "sha512-",
        "123456789",
        "abcdef",
    ]
    .iter()
    .any(|part| has(part.as_bytes()));
    is_open && !is_path && !is_placeholder && look.is_very_random(value.len().min(48))
}
