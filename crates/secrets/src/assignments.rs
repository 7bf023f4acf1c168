//! Values of names that announce a secret.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::find::Secret;
use crate::letters::{BASE64WORD, DOTTED, LetterCount, Letters, WORD};

/// What a name contains that announces a secret, without case.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "signingkey",
    "signing_key",
    "encryptionkey",
    "encryption_key",
    "masterkey",
    "master_key",
    "accountkey",
    "account_key",
    "credential",
    "authkey",
    "auth_key",
    "_auth",
    "webhook_url",
];
const KIND: &str = "value of a secret name";
/// The longest rest of a name, and of what stands between it and its value.
const NAME_MAX_BYTES: usize = 40;
/// The shortest value, between quotes and without.
const QUOTED_MIN_BYTES: usize = 16;
const BARE_MIN_BYTES: usize = 20;

static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(NAMES)
        .ok()
});

pub(crate) fn find(text: &str) -> Vec<Secret> {
    let Some(search) = SEARCH.as_ref() else {
        return Vec::new();
    };
    search
        .find_iter(text)
        .filter_map(|hit| value_behind(text, hit.end()))
        .collect()
}

/// The value that is assigned to the name in which this place is.
fn value_behind(text: &str, place: usize) -> Option<Secret> {
    let letters = WORD.union_of(b"-.");
    let bytes = text.as_bytes();
    let mut at = place + letters.run(bytes.get(place..)?);
    if at - place > NAME_MAX_BYTES {
        return None;
    }
    // The quote of the name, the bracket of an index, spaces, the separator, spaces.
    at += Letters::QUOTES.run(bytes.get(at..)?);
    let before = at;
    at += Letters::SPACES.run(bytes.get(at..)?);
    let separator = Letters::SEPARATORS.run(bytes.get(at..)?);
    if !(1..=3).contains(&separator) || bytes.get(at) == Some(&b'>') {
        return None;
    }
    at += separator;
    let spaces = Letters::SPACES.run(bytes.get(at..)?);
    let is_tight = at + spaces - before == separator;
    let is_colon = bytes.get(at - 1) == Some(&b':');
    at += spaces;
    match bytes.get(at)? {
        quote @ (b'"' | b'\'' | b'`') => quoted(text, at + 1, *quote),
        // Without quotes only where no code can stand: in `NAME=value`, and up to the end of a line.
        _ => bare(text, at, is_tight && !is_colon),
    }
}

fn quoted(text: &str, start: usize, quote: u8) -> Option<Secret> {
    let rest = text.as_bytes().get(start..)?;
    let length = rest
        .iter()
        .take(4096)
        .position(|&byte| byte == quote || byte == b'\n')?;
    let value = rest.get(..length)?;
    let fits =
        rest.get(length) == Some(&quote) && length >= QUOTED_MIN_BYTES && looks_secret(value);
    fits.then(|| Secret {
        range: start..start + length,
        kind: KIND,
    })
}

fn bare(text: &str, start: usize, is_tight: bool) -> Option<Secret> {
    let rest = text.as_bytes().get(start..)?;
    let length = BASE64WORD.union(DOTTED).union_of(b"~!@#%^*").run(rest);
    let value = rest.get(..length)?;
    let ends_line = rest
        .get(length)
        .is_none_or(|&byte| matches!(byte, b'\n' | b'\r'));
    let ends_word = rest.get(length).is_none_or(|&byte| {
        matches!(
            byte,
            b' ' | b'\t' | b'\n' | b'\r' | b'&' | b';' | b'"' | b'\''
        )
    });
    // A constant of code is no value.
    let is_name = value.contains(&b'_') && !value.iter().any(u8::is_ascii_lowercase);
    let is_ended = ends_line || is_tight && ends_word;
    let fits = length >= BARE_MIN_BYTES && is_ended && !is_name && looks_secret(value);
    fits.then(|| Secret {
        range: start..start + length,
        kind: KIND,
    })
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
