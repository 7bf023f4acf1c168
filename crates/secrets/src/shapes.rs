//! Secrets that have no beginning of their own: each is looked for at a text that always stands in or before it.

use std::ops::Range;

use crate::borders::{JOINTS, is_behind, is_inside_word};
use crate::find::Secret;
use crate::letters::{
    ALNUM, BASE64, BASE64WORD, DIGITS, DOTTED, LetterCount, Letters, URLSAFE, WORD,
};

/// Reads the secret at or around the place at which its anchor stands.
type Shape = fn(&str, usize) -> Option<Secret>;

/// What always stands in a secret, and what reads the secret around the place of it.
pub(crate) const SHAPES: &[(&str, Shape)] = &[
    ("-----BEGIN ", private_key),
    ("-----END ", end_of_private_key),
    ("Private-Lines: ", putty_key),
    ("eyJ", signed_token),
    ("://", password_of_address),
    ("Bearer ", bearer),
    ("bearer ", bearer),
    ("Basic ", basic),
    (":AA", telegram),
    ("Q~", azure),
    ("00D", salesforce),
    ("AAAAAAAAAAAAAAAAAAAAA", twitter),
    ("MD", discord),
    ("MT", discord),
    ("Mj", discord),
    ("Mz", discord),
    ("ND", discord),
    ("NT", discord),
    ("Nj", discord),
    ("Nz", discord),
    ("OD", discord),
    ("OT", discord),
];

fn secret(kind: &'static str, start: usize, end: usize) -> Secret {
    Secret {
        range: start..end,
        kind,
    }
}

/// The longest private key, and the longest of other secrets whose form says nothing of their length.
const KEY_MAX_BYTES: usize = 16 * 1024;
const TOKEN_MAX_BYTES: usize = 16 * 1024;
/// The longest text before a line of a key: the numbers of a listing.
const PREFIX_MAX_BYTES: usize = 16;
/// The longest token behind a name.
const JOINED_MAX_BYTES: usize = 2 * 1024;
/// The longest line with which a private key begins or ends.
const LABEL_MAX_BYTES: usize = 40;

/// The length of what stands right before a place in these letters, counted up to `most`.
fn run_before(text: &str, at: usize, letters: Letters, most: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let before = before.iter().rev().take(most);
    before.take_while(|&&byte| letters.has(byte)).count()
}

/// The length of what stands at a place in these letters, counted up to `most`.
fn run_at(text: &str, at: usize, letters: Letters, most: usize) -> usize {
    letters.run(text.as_bytes().get(at..).unwrap_or_default(), most)
}

/// As much of the text behind a place.
fn behind(text: &str, at: usize, most: usize) -> Option<&str> {
    text.get(at..text.floor_char_boundary(at.saturating_add(most)))
}

/// What stands between `-----BEGIN ` or `-----END ` and the next dashes, if that is a private key.
fn label(text: &str, at: usize) -> Option<&str> {
    let label = behind(text, at, LABEL_MAX_BYTES + 5)?
        .split_once("-----")?
        .0;
    (label.contains("PRIVATE KEY") && !label.contains('\n')).then_some(label)
}

/// RFC 7468, and the headers of OpenSSH and PGP. One that is cut off counts up to the last line of its text.
fn private_key(text: &str, start: usize) -> Option<Secret> {
    let label = label(text, start + "-----BEGIN ".len())?;
    let head = "-----BEGIN -----".len() + label.len();
    let rest = behind(text, start, KEY_MAX_BYTES)?;
    // Another one that begins is not a part of it.
    let next = rest.get(head..)?.find("-----BEGIN ");
    let rest = rest.get(..next.map_or(rest.len(), |next| head + next))?;
    let footer = format!("-----END {label}-----");
    let end = rest.find(&footer).map(|at| at + footer.len()).or_else(|| {
        let body: usize = rest
            .get(head..)?
            .split_inclusive('\n')
            .take_while(|line| is_body(line))
            .map(str::len)
            .sum();
        // In a string of a program or of JSON, line ends are written out.
        let written = run_at(rest, head, BASE64WORD.union_of(b"\\"), KEY_MAX_BYTES);
        let body = body.max(written);
        (body > 40).then_some(head + body)
    })?;
    // A text about keys has none between the two lines.
    let longest = rest
        .get(head..end)?
        .split(|letter: char| !BASE64WORD.has_char(letter))
        .map(str::len)
        .max()?;
    (longest >= 32).then(|| secret("private key", start, start + end))
}

/// A line without what stands around it where each line is a string of its own: `"MIIE…\n" +`.
pub(crate) fn unquoted(line: &str) -> Range<usize> {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let body = line.trim_end();
    let start = body.len()
        - body
            .trim_start_matches(|letter: char| letter.is_whitespace() || QUOTES.contains(&letter))
            .len();
    let mut body = body.get(start..).unwrap_or_default();
    // Behind the quote that ends it stands what joins it with the next line.
    if let Some((text, joint)) = body.rsplit_once(QUOTES)
        && !joint.contains(|letter: char| letter != '+' && BASE64WORD.has_char(letter))
    {
        body = text;
    }
    while let Some(text) = ["\\n", "\\r", "\\"]
        .iter()
        .find_map(|end| body.strip_suffix(end))
    {
        body = text;
    }
    start..start + body.len()
}

/// Whether a line has nothing but letters of Base64 within its quotes.
fn is_body(line: &str) -> bool {
    let body = line.get(unquoted(line)).unwrap_or_default();
    body.bytes().all(|byte| BASE64WORD.has(byte))
}

/// How many letters of Base64 stand at the end of a text.
pub(crate) fn run_at_end(text: &str) -> usize {
    let letters = text.bytes().rev();
    letters.take_while(|&byte| BASE64.has(byte)).count()
}

/// RFC 7519: three parts, of which the first two are JSON objects.
fn signed_token(text: &str, start: usize) -> Option<Secret> {
    // Behind a name or a number, two objects say enough; a word of them without end is not read from each of its places.
    let is_alone = !is_behind(text, start, DOTTED);
    let most = match start.checked_sub(1).and_then(|at| text.as_bytes().get(at)) {
        _ if is_alone => TOKEN_MAX_BYTES,
        Some(&joint) if JOINTS.has(joint) => JOINED_MAX_BYTES,
        _ => return None,
    };
    let run = run_at(text, start, DOTTED, most);
    let mut parts = text.get(start..start + run)?.split('.');
    let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let has_claims = claims.starts_with("eyJ") || claims.is_empty() && is_alone;
    let fits = header.len() >= 12 && has_claims && signature.len() >= 16;
    let length = header.len() + claims.len() + signature.len() + 2;
    fits.then(|| secret("signed token", start, start + length))
}

/// RFC 3986, 3.2.1: `scheme://user:password@host`. References to variables and placeholders are none.
fn password_of_address(text: &str, at: usize) -> Option<Secret> {
    run_before(text, at, ALNUM.union_of(b"+-."), 1).checked_sub(1)?;
    let start = at + 3;
    let rest = behind(text, start, 256)?;
    let end = rest
        .find(|letter: char| {
            letter.is_whitespace()
                || matches!(
                    letter,
                    '/' | '"' | '\'' | '`' | '<' | '>' | '\\' | '|' | ')' | ']' | ','
                )
        })
        .unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let (userinfo, host) = authority.rsplit_once('@')?;
    let (user, password) = userinfo.split_once(':')?;
    let is_reference = password.contains(['$', '{', '*', '%']) && !password.contains("%2")
        || password.starts_with('<');
    // `localhost:3000@…` is a host with its port, whatever follows.
    let is_port = (user == "localhost" || user.contains('.'))
        && password.len() <= 5
        && password.bytes().all(|byte| byte.is_ascii_digit());
    let is_named = [
        "password",
        "pass",
        "passwd",
        "pw",
        "pwd",
        "secret",
        "token",
        "xxx",
        "xxxx",
        "your_password",
    ]
    .iter()
    .any(|name| password.eq_ignore_ascii_case(name));
    if password.len() < 4
        || host.is_empty()
        || is_reference
        || is_named
        || is_port
        || password == user
    {
        return None;
    }
    let from = start + user.len() + 1;
    Some(secret(
        "password in an address",
        from,
        from + password.len(),
    ))
}

/// RFC 6750.
fn bearer(text: &str, at: usize) -> Option<Secret> {
    credential(text, at + "bearer ".len(), "bearer token", 20)
}

/// RFC 7617.
fn basic(text: &str, at: usize) -> Option<Secret> {
    credential(text, at + "basic ".len(), "basic credentials", 16)
}

fn credential(text: &str, start: usize, kind: &'static str, least: usize) -> Option<Secret> {
    let run = run_at(text, start, DOTTED.union_of(b"+/=~"), TOKEN_MAX_BYTES);
    let value = text.as_bytes().get(start..start + run)?;
    let look = LetterCount::of(value);
    let lower = value.to_ascii_lowercase();
    let is_placeholder = ["your_", "your-", "xxxx", "placeholder", "changeme"]
        .iter()
        .any(|part| {
            lower
                .windows(part.len())
                .any(|there| there == part.as_bytes())
        });
    (!is_placeholder
        && run >= least
        && look.is_random()
        && look.digits > 0
        && look.changes * 5 >= run.min(40))
    .then(|| secret(kind, start, start + run))
}

/// `<bot id>:<35 letters>`; the second part begins with `AA`.
fn telegram(text: &str, at: usize) -> Option<Secret> {
    let digits = run_before(text, at, DIGITS, 11);
    let run = run_at(text, at + 1, URLSAFE, 36);
    let fits = (8..=10).contains(&digits) && !is_inside_word(text, at - digits) && run == 35;
    fits.then(|| secret("Telegram bot token", at - digits, at + 1 + run))
}

/// Secrets of applications of Microsoft Entra: three letters, a digit, `Q~`, 31 letters and more.
fn azure(text: &str, at: usize) -> Option<Secret> {
    let letters = URLSAFE.union_of(b".~");
    let before = run_before(text, at, letters, 4);
    let behind = run_at(text, at + 2, letters, 35);
    let is_digit = text
        .as_bytes()
        .get(at.checked_sub(1)?)
        .is_some_and(u8::is_ascii_digit);
    let is_alone = before == 4 && !is_behind(text, at - 4, letters);
    (is_digit && is_alone && (31..=34).contains(&behind))
        .then(|| secret("Microsoft Entra secret", at - 4, at + 2 + behind))
}

/// An organization, `!`, and the rest.
fn salesforce(text: &str, at: usize) -> Option<Secret> {
    if is_inside_word(text, at) {
        return None;
    }
    let name = run_at(text, at, ALNUM, 19);
    let rest = run_at(text, at + name + 1, WORD.union_of(b"."), 201);
    let fits = (15..=18).contains(&name)
        && text.as_bytes().get(at + name) == Some(&b'!')
        && (80..=200).contains(&rest);
    fits.then(|| secret("Salesforce token", at, at + name + 1 + rest))
}

/// Many `A`, then letters of which some are escaped as in an address.
fn twitter(text: &str, at: usize) -> Option<Secret> {
    if is_inside_word(text, at) {
        return None;
    }
    let run = run_at(text, at, ALNUM.union_of(b"%"), 181);
    let token = text.get(at..at + run)?;
    let fits = (80..=180).contains(&run) && (token.contains("%2") || token.contains("%3"));
    fits.then(|| secret("Twitter token", at, at + run))
}

/// The digits of an id as Base64, six letters of a time, a signature; points between.
fn discord(text: &str, at: usize) -> Option<Secret> {
    if is_inside_word(text, at) {
        return None;
    }
    let id = run_at(text, at, ALNUM, 29);
    let time = run_at(text, at + id + 1, URLSAFE, 7);
    let signature = run_at(text, at + id + time + 2, URLSAFE, 39);
    let has_point = |place: usize| text.as_bytes().get(place) == Some(&b'.');
    let fits = (23..=28).contains(&id)
        && time == 6
        && (27..=38).contains(&signature)
        && has_point(at + id)
        && has_point(at + id + 1 + time);
    fits.then(|| secret("Discord token", at, at + id + time + signature + 2))
}

/// What a page, a search or the end of a file shows of a private key whose first line it does not show.
fn end_of_private_key(text: &str, at: usize) -> Option<Secret> {
    label(text, at + "-----END ".len())?;
    let before = before(text, at)?;
    let mut start = at;
    let mut is_last = true;
    for line in before.split_inclusive('\n').rev() {
        let body = line.get(unquoted(line)).unwrap_or_default();
        let run = run_at_end(body);
        // What only stands before the line in which the key ends: the quote of a string, the number of a listing, the sign of a diff.
        if run < 24 && body.len() <= PREFIX_MAX_BYTES && !line.ends_with('\n') {
            start -= line.len();
            continue;
        }
        // A listing has something in front of each line, and nothing behind it.
        if run < 24 && !is_last || run < 2 || body.contains("-----") {
            break;
        }
        start -= line.len();
        is_last = false;
    }
    let start = start.min(written_start(text, at)?);
    (at - start > 40).then(|| secret("private key", start, at))
}

/// As much before a place as a private key may be long.
fn before(text: &str, at: usize) -> Option<&str> {
    text.get(text.ceil_char_boundary(at.saturating_sub(KEY_MAX_BYTES))..at)
}

/// Where the lines begin that are written as one, with `\n` between them, as strings of programs and of JSON have them.
fn written_start(text: &str, at: usize) -> Option<usize> {
    let before = before(text, at)?;
    let run = before
        .bytes()
        .rev()
        .take_while(|&byte| BASE64.has(byte) || byte == b'\\')
        .count();
    let lines = before.get(before.len() - run..)?;
    let longest = lines.split("\\n").map(str::len).max()?;
    Some(if lines.ends_with("\\n") && longest >= 32 {
        at - run
    } else {
        at
    })
}

/// The lines of a key of PuTTY, as many as it says.
fn putty_key(text: &str, at: usize) -> Option<Secret> {
    let count = at + "Private-Lines: ".len();
    let digits = run_at(text, count, DIGITS, 6);
    let lines: usize = text.get(count..count + digits)?.parse().ok()?;
    let rest = behind(text, count + digits, LABEL_MAX_BYTES)?;
    let start = count + digits + rest.find('\n')? + 1;
    let key = behind(text, start, KEY_MAX_BYTES)?
        .split_inclusive('\n')
        .take(lines.min(200));
    let length: usize = key.map(str::len).sum();
    (length > 40).then(|| secret("private key", start, start + length))
}
