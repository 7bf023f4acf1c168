//! Values of names that announce a secret.

use std::ops::Range;

use crate::anchors::Hit;
use crate::find::{Secret, is_cut};
use crate::letters::{ALNUM, BASE64WORD, DOTTED, LetterCount, Letters, NAME, TYPE, URLSAFE, WORD};

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
pub(crate) const QUOTED_MIN_BYTES: usize = 16;
const BARE_MIN_BYTES: usize = 20;
/// The longest credentials of a header without the name of a scheme.
const BARE_MAX_BYTES: usize = 256;
/// How much of a value is looked at, and how many values that end at one place.
const VALUE_MAX_BYTES: usize = 4096;
const LOOKS_MAX: usize = 8;

/// What stands before a value without quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// `NAME=`, with nothing between.
    Equals,
    /// `Name:`, with nothing between, as Go prints structures; and what ends the value.
    Colon(&'static [u8]),
    /// `"X-Name: `, within this quote.
    HeaderIn(u8),
    /// A separator and spaces.
    Spaces,
}

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
        let is_secret = is_secret && !is_of_another_thing(text, hit);
        is_secret.then_some(Secret { range, kind: KIND })
    }
}

/// The value that is assigned to the name in which this place is.
fn value_behind(text: &str, start: usize, place: usize, says: Says) -> Option<Value> {
    let bytes = text.as_bytes();
    let rest = NAME.run(bytes.get(place..)?, NAME_MAX_BYTES + 1);
    if rest > NAME_MAX_BYTES || says == Says::AtItsEnd && rest > 0 {
        return None;
    }
    let end = place + rest;
    let name = name_around(text, start, end);
    if says == Says::AtItsEnd && is_other_key(name) {
        return None;
    }
    let name = end - name.len()..end;
    value_of_word(text, &name, start)
        .or_else(|| value_of_pair(text, end))
        .or_else(|| assigned(text, &name))
}

/// `--token value`, `set API_KEY value`, and `password value` in a file of logins.
fn value_of_word(text: &str, name: &Range<usize>, start: usize) -> Option<Value> {
    if text.as_bytes().get(name.end) != Some(&b' ') {
        return None;
    }
    let word = text.get(name.clone())?;
    let is_word =
        word.starts_with("--") || is_set(text, name.start) || is_of_login(text, start, word);
    let value = Some(name.end + 1).filter(|_| is_word);
    value
        .and_then(|at| bare(text, at, Before::Equals))
        .filter(|(_, is_secret)| *is_secret)
}

/// The value behind a separator.
fn assigned(text: &str, name: &Range<usize>) -> Option<Value> {
    let bytes = text.as_bytes();
    let end = name.end;
    // The quote of the name, the bracket of an index, spaces, the separator, spaces. Within a string, quotes have a backslash.
    let quotes = Letters::WRITTEN_QUOTES.run(bytes.get(end..)?, NAME_MAX_BYTES);
    let before = end + quotes;
    let mut at = before + Letters::SPACES.run(bytes.get(before..)?, NAME_MAX_BYTES);
    if quotes > 0 && bytes.get(at..)?.starts_with(b"value=") {
        at += b"value".len();
    }
    let separator = Letters::SEPARATORS.run(bytes.get(at..)?, NAME_MAX_BYTES);
    let is_list = separator == 0 && quotes > 0 && bytes.get(at) == Some(&b',');
    if separator == 0 && quotes == 0 && at > before {
        // The type of Go stands there without a sign, and is one word.
        let word = URLSAFE.run(bytes.get(at..)?, NAME_MAX_BYTES);
        let is_typed = bytes.get(at + word..)?.starts_with(b" = ");
        return Some(at)
            .filter(|_| is_typed)
            .and_then(|at| behind_type(text, at));
    }
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
    let value = in_quotes(text, at);
    if value.is_some() || is_list {
        return value;
    }
    let typed = Some(at).filter(|_| is_colon);
    if let Some(value) = typed.and_then(|at| behind_type(text, at)) {
        return Some(value);
    }
    let opened = name.start.checked_sub(1).and_then(|at| bytes.get(at));
    // Without quotes only where no code can stand: in `NAME=value`, and up to the end of a line.
    let before = match (is_tight, is_colon, opened) {
        (true, false, _) => Before::Equals,
        (_, true, Some(quote @ (b'"' | b'\'' | b'`'))) if quotes == 0 => Before::HeaderIn(*quote),
        (true, true, Some(b'{')) => Before::Colon(b" "),
        (true, true, Some(b' ')) => Before::Colon(b" }"),
        _ => Before::Spaces,
    };
    bare(text, at, before)
}

/// A value between quotes that begins here, with backslashes before them within a string of another text.
fn in_quotes(text: &str, at: usize) -> Option<Value> {
    let bytes = text.as_bytes().get(at..)?;
    let escapes = bytes
        .iter()
        .take(QUOTED_MIN_BYTES)
        .take_while(|&&byte| byte == b'\\');
    let escapes = escapes.count();
    let quote = *bytes.get(escapes)?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let end = if escapes > 0 { b'\\' } else { quote };
    quoted(text, at + escapes + 1, end)
}

/// `"name": "API_KEY", "value": "…"`, on one line or two, as lists of variables have it: the value beside a name that ends here.
fn value_of_pair(text: &str, at: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let skip = |at: usize, letters: Letters| {
        at + letters.run(bytes.get(at..).unwrap_or_default(), 2 * NAME_MAX_BYTES)
    };
    let at = skip(at, Letters::WRITTEN_QUOTES);
    let at = skip(at, Letters::LINES_AND_COMMA);
    let at = skip(at, Letters::WRITTEN_QUOTES);
    let word = bytes.get(at..at + "value".len())?;
    if !word.eq_ignore_ascii_case(b"value") {
        return None;
    }
    let at = skip(at + word.len(), Letters::WRITTEN_QUOTES);
    let at = skip(at, Letters::SPACES);
    if !matches!(bytes.get(at)?, b':' | b'=') {
        return None;
    }
    let at = skip(at + 1, Letters::SPACES);
    in_quotes(text, at).or_else(|| bare(text, at, Before::Spaces))
}

/// `apiKey: string = "…"`, `API_KEY: &'static str = "…"`, `apiKey string = "…"`: a value behind the type of its name.
fn behind_type(text: &str, at: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let at = at + TYPE.run(bytes.get(at..)?, NAME_MAX_BYTES);
    if bytes.get(at) != Some(&b'=') {
        return None;
    }
    let spaces = Letters::SPACES.run(bytes.get(at + 1..)?, NAME_MAX_BYTES);
    in_quotes(text, at + 1 + spaces)
}

/// `set API_KEY …`, `set -gx API_KEY …`, `ENV API_KEY …`: the word before the name that begins here says that a value follows.
fn is_set(text: &str, start: usize) -> bool {
    let line = tail(text, start, 2 * NAME_MAX_BYTES).rsplit('\n').next();
    let mut words = line.unwrap_or_default().split_whitespace().rev();
    let word = words.find(|word| !word.starts_with('-') && !word.contains(':'));
    word.is_some_and(|word| ["set", "setx", "setenv", "ENV"].contains(&word))
}

/// `nextPageToken`, `secretName`, `tokenAddress`: what is called so is no secret. A token of a page is handed back with the next call.
fn is_of_another_thing(text: &str, hit: Hit) -> bool {
    let bytes = text.as_bytes().get(hit.end..).unwrap_or_default();
    let end = hit.end + NAME.run(bytes, NAME_MAX_BYTES);
    let name: String = name_around(text, hit.start, end)
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let pages = ["pagetoken", "nexttoken", "continuationtoken"];
    let others = ["name", "address", "arn", "path", "file", "type"];
    pages.iter().any(|page| name.ends_with(page))
        || others.iter().any(|other| name.ends_with(other))
}

/// The whole name of which a part is known.
fn name_around(text: &str, start: usize, end: usize) -> &str {
    let bytes = text.as_bytes().get(..start).unwrap_or_default();
    let letters = URLSAFE;
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
    if name != "password" {
        return false;
    }
    let before = tail(text, start, VALUE_MAX_BYTES);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let entry = tail(text, start, 4 * NAME_MAX_BYTES);
    line.contains("login ")
        || line.trim().is_empty() && entry.contains("machine ") && entry.contains("login ")
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
    let has_scheme = (2..=20).contains(&scheme) && bytes.get(at + scheme) == Some(&b' ');
    let (start, most) = if has_scheme {
        (at + scheme + 1, VALUE_MAX_BYTES)
    } else {
        (at, BARE_MAX_BYTES)
    };
    let length = run(start, DOTTED.union_of(b"+/=~:"));
    let value = bytes.get(start..start + length)?;
    ((BARE_MIN_BYTES..=most).contains(&length) && looks_secret(value)).then(|| Secret {
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

fn bare(text: &str, start: usize, before: Before) -> Option<Value> {
    let is_tight = before == Before::Equals;
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
    let ends_word = match before {
        Before::Equals => next.is_none_or(|byte| b" \t\n\r&;\"'<,)}]|\\".contains(byte)),
        Before::Colon(ends) => next.is_some_and(|byte| ends.contains(byte)),
        Before::HeaderIn(quote) => next == Some(&quote),
        Before::Spaces => false,
    };
    let ends_line = ends_line || is_comment(text, start + length);
    // A constant of code is no value.
    let is_name = value.contains(&b'_') && !value.iter().any(u8::is_ascii_lowercase);
    let is_ended = ends_line || ends_word;
    let least = if is_tight {
        QUOTED_MIN_BYTES
    } else {
        BARE_MIN_BYTES
    };
    let fits = length >= least && is_ended && !is_name && looks_secret(value);
    Some((start..start + length, fits))
}

/// Whether only a comment follows in the line: `key: value # why`.
fn is_comment(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    let comment = rest.trim_start_matches([' ', '\t']);
    comment.len() < rest.len() && (comment.starts_with("# ") || comment.starts_with("// "))
}

/// Random letters: no words, no path, no address, no reference, no placeholder, no hash with its name.
pub(crate) fn looks_secret(value: &[u8]) -> bool {
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
    // An address of Ethereum, which is public; its private keys are longer.
    let is_account = value
        .strip_prefix(b"0x")
        .is_some_and(|digits| digits.len() == 40 && digits.iter().all(u8::is_ascii_hexdigit));
    is_open
        && !is_path
        && !is_placeholder
        && !is_account
        && look.is_very_random(value.len().min(48))
}
