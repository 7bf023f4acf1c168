//! Secrets that have no beginning of their own: each is looked for at a text that always stands in or before it.

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

/// The length of what stands right before a place in these letters.
fn run_before(text: &str, at: usize, letters: Letters) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before
        .iter()
        .rev()
        .take_while(|&&byte| letters.has(byte))
        .count()
}

fn run_at(text: &str, at: usize, letters: Letters) -> usize {
    letters.run(text.as_bytes().get(at..).unwrap_or_default())
}

/// RFC 7468, and the headers of OpenSSH and PGP. One that is cut off counts up to the last line of its text.
fn private_key(text: &str, start: usize) -> Option<Secret> {
    let rest = text.get(start..)?;
    let label = rest.get("-----BEGIN ".len()..)?.split_once("-----")?.0;
    if label.len() > 40 || !label.contains("PRIVATE KEY") || label.contains('\n') {
        return None;
    }
    let footer = format!("-----END {label}-----");
    let head = "-----BEGIN -----".len() + label.len();
    let end = rest.find(&footer).map(|at| at + footer.len()).or_else(|| {
        let body: usize = rest
            .get(head..)?
            .split_inclusive('\n')
            .take_while(|line| line.trim().bytes().all(|byte| BASE64WORD.has(byte)))
            .map(str::len)
            .sum();
        // In a string of a program or of JSON, line ends are written out.
        let written = run_at(rest, head, BASE64WORD.union_of(b"\\"));
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

/// RFC 7519: three parts, of which the first two are JSON objects.
fn signed_token(text: &str, start: usize) -> Option<Secret> {
    if start > 0
        && text
            .as_bytes()
            .get(start - 1)
            .is_some_and(|&before| DOTTED.has(before))
    {
        return None;
    }
    let run = run_at(text, start, DOTTED);
    let mut parts = text.get(start..start + run)?.split('.');
    let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let fits = header.len() >= 12
        && (claims.starts_with("eyJ") || claims.is_empty())
        && signature.len() >= 16;
    let length = header.len() + claims.len() + signature.len() + 2;
    fits.then(|| secret("signed token", start, start + length))
}

/// RFC 3986, 3.2.1: `scheme://user:password@host`. References to variables and placeholders are none.
fn password_of_address(text: &str, at: usize) -> Option<Secret> {
    run_before(text, at, ALNUM.union_of(b"+-.")).checked_sub(1)?;
    let start = at + 3;
    let rest = text.get(start..)?;
    let end = rest
        .find(|letter: char| {
            letter.is_whitespace()
                || matches!(
                    letter,
                    '/' | '"' | '\'' | '`' | '<' | '>' | '\\' | '|' | ')' | ']' | ','
                )
        })
        .unwrap_or(rest.len())
        .min(256);
    let authority = rest.get(..rest.floor_char_boundary(end))?;
    let (userinfo, host) = authority.rsplit_once('@')?;
    let (user, password) = userinfo.split_once(':')?;
    let is_reference = password.contains(['$', '{', '*', '%']) && !password.contains("%2")
        || password.starts_with('<');
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
    if password.len() < 4 || host.is_empty() || is_reference || is_named || password == user {
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
    let run = run_at(text, start, DOTTED.union_of(b"+/=~"));
    let value = text.as_bytes().get(start..start + run)?;
    let look = LetterCount::of(value);
    (run >= least && look.is_random() && look.digits > 0 && look.changes * 5 >= run.min(40))
        .then(|| secret(kind, start, start + run))
}

/// `<bot id>:<35 letters>`; the second part begins with `AA`.
fn telegram(text: &str, at: usize) -> Option<Secret> {
    let digits = run_before(text, at, DIGITS);
    let run = run_at(text, at + 1, URLSAFE);
    let before = run_before(text, at, WORD);
    let fits = (8..=10).contains(&digits) && before == digits && run == 35;
    fits.then(|| secret("Telegram bot token", at - digits, at + 1 + run))
}

/// Secrets of applications of Microsoft Entra: three letters, a digit, `Q~`, 31 letters and more.
fn azure(text: &str, at: usize) -> Option<Secret> {
    let letters = URLSAFE.union_of(b".~");
    let (before, behind) = (run_before(text, at, letters), run_at(text, at + 2, letters));
    let is_digit = text
        .as_bytes()
        .get(at.checked_sub(1)?)
        .is_some_and(u8::is_ascii_digit);
    (is_digit && before == 4 && (31..=34).contains(&behind))
        .then(|| secret("Microsoft Entra secret", at - 4, at + 2 + behind))
}

/// An organization, `!`, and the rest.
fn salesforce(text: &str, at: usize) -> Option<Secret> {
    let name = run_at(text, at, ALNUM);
    let rest = run_at(text, at + name + 1, WORD.union_of(b"."));
    let fits = is_at_border(text, at)
        && (15..=18).contains(&name)
        && text.as_bytes().get(at + name) == Some(&b'!')
        && (80..=200).contains(&rest);
    fits.then(|| secret("Salesforce token", at, at + name + 1 + rest))
}

/// Many `A`, then letters of which some are escaped as in an address.
fn twitter(text: &str, at: usize) -> Option<Secret> {
    let run = run_at(text, at, ALNUM.union_of(b"%"));
    let token = text.get(at..at + run)?;
    let fits = is_at_border(text, at)
        && (80..=180).contains(&run)
        && (token.contains("%2") || token.contains("%3"));
    fits.then(|| secret("Twitter token", at, at + run))
}

/// The digits of an id as Base64, six letters of a time, a signature; points between.
fn discord(text: &str, at: usize) -> Option<Secret> {
    if !is_at_border(text, at) {
        return None;
    }
    let id = run_at(text, at, ALNUM);
    let time = run_at(text, at + id + 1, URLSAFE);
    let signature = run_at(text, at + id + time + 2, URLSAFE);
    let has_point = |place: usize| text.as_bytes().get(place) == Some(&b'.');
    let fits = (23..=28).contains(&id)
        && time == 6
        && (27..=38).contains(&signature)
        && has_point(at + id)
        && has_point(at + id + 1 + time);
    fits.then(|| secret("Discord token", at, at + id + time + signature + 2))
}

fn is_at_border(text: &str, at: usize) -> bool {
    let before = at
        .checked_sub(1)
        .and_then(|before| text.as_bytes().get(before));
    before.is_none_or(|&byte| !WORD.has(byte))
}

/// What a page, a search or the end of a file shows of a private key whose first line it does not show.
fn end_of_private_key(text: &str, at: usize) -> Option<Secret> {
    let label = text.get(at + "-----END ".len()..)?.split_once("-----")?.0;
    if label.len() > 40 || !label.contains("PRIVATE KEY") || label.contains('\n') {
        return None;
    }
    let mut start = at;
    for line in text.get(..at)?.split_inclusive('\n').rev() {
        let body = line.trim_end();
        let run = body
            .bytes()
            .rev()
            .take_while(|&byte| BASE64.has(byte))
            .count();
        // A listing has something in front of each line, and nothing behind it.
        if run < 24 && start < at || run < 2 || body.contains("-----") {
            break;
        }
        start -= line.len();
    }
    let start = start.min(written_start(text, at)?);
    (at - start > 40).then(|| secret("private key", start, at))
}

/// Where the lines begin that are written as one, with `\n` between them, as strings of programs and of JSON have them.
fn written_start(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    let run = before
        .bytes()
        .rev()
        .take_while(|&byte| BASE64.has(byte) || byte == b'\\')
        .count();
    let lines = before.get(at - run..)?;
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
    let digits = run_at(text, count, DIGITS);
    let lines: usize = text.get(count..count + digits)?.parse().ok()?;
    let rest = text.get(count + digits..)?;
    let start = count + digits + rest.find('\n')? + 1;
    let key = text
        .get(start..)?
        .split_inclusive('\n')
        .take(lines.min(200));
    let length: usize = key.map(str::len).sum();
    (length > 40).then(|| secret("private key", start, start + length))
}
