//! Takes secrets out of what is stored.

use serde_json::Value;
use tenon_secrets::{Secret, find};

/// What stands in the place of a secret.
const HIDDEN: &str = "[redacted]";
/// A member whose name contains one of these holds a secret.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "authorization",
    "cookie",
    "credential",
    "private_key",
];
/// The same value without secrets: members whose names announce one, words of a known form, what follows `Bearer`,
/// `--password` and the like, assignments to such names, and passwords in addresses.
#[must_use]
pub fn redacted(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redacted_text(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(redacted).collect()),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, member)| {
                let member = match member {
                    Value::String(text) if announces(&name) && !text.is_empty() => HIDDEN.into(),
                    member => redacted(member),
                };
                (name, member)
            });
            Value::Object(members.collect())
        }
        value => value,
    }
}

/// The answers to a form without the values of fields whose names announce a secret, whatever they are.
#[must_use]
pub fn redacted_form(content: &Value) -> Value {
    let Value::Object(fields) = content else {
        return redacted(content.clone());
    };
    let shown = fields.iter().map(|(name, value)| {
        let value = if announces(name) && !value.is_null() {
            HIDDEN.into()
        } else {
            redacted(value.clone())
        };
        (name.clone(), value)
    });
    Value::Object(shown.collect())
}

fn announces(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|known| name.contains(known))
}

/// The same text without secrets.
#[must_use]
pub fn redacted_text(text: &str) -> String {
    without_announced(&without_known(text))
}

/// The same text without keys of known formats and values that look random.
fn without_known(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for Secret { range, .. } in find(text) {
        out.push_str(text.get(end..range.start).unwrap_or_default());
        out.push_str(HIDDEN);
        end = range.end;
    }
    out.push_str(text.get(end..).unwrap_or_default());
    out
}

/// The same text without what follows a word that announces a secret, and without passwords in addresses.
fn without_announced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_next = false;
    for piece in text.split_inclusive(is_border) {
        let word = piece.trim_end_matches(is_border);
        let border = piece.get(word.len()..).unwrap_or_default();
        let is_option = word.starts_with('-');
        let is_secret = is_next && !word.is_empty() && !is_option;
        match word.split_once(['=', ':']) {
            _ if is_secret => out.push_str(HIDDEN),
            Some((name, value)) if announces(name) && !value.is_empty() => {
                out.push_str(name);
                out.push_str(word.get(name.len()..=name.len()).unwrap_or("="));
                out.push_str(HIDDEN);
            }
            _ => out.push_str(&without_password(word)),
        }
        out.push_str(border);
        if !word.is_empty() {
            let is_header = word.ends_with(':') && announces(word);
            let scheme = ["bearer", "basic"]
                .iter()
                .any(|scheme| word.eq_ignore_ascii_case(scheme));
            // `Authorization: Bearer x`: the word behind the scheme.
            is_next = scheme || is_header || is_option && announces(word) && !word.contains('=');
        }
    }
    out
}

fn is_border(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(
            letter,
            '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '{' | '}' | '&' | '?'
        )
}

/// An address without the password in it.
fn without_password(word: &str) -> String {
    let parted = word.split_once("://").and_then(|(scheme, rest)| {
        let (user, host) = rest.split_once('@')?;
        let (name, password) = user.split_once(':')?;
        (!user.contains('/') && !password.is_empty())
            .then(|| format!("{scheme}://{name}:{HIDDEN}@{host}"))
    });
    parted.unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_taken_out_wherever_they_stand() {
        let long = "abcdefghijklmnop";
        for (text, expected) in [
            (
                format!("curl -H 'Authorization: Bearer {long}' x"),
                "curl -H 'Authorization: [redacted] [redacted]' x".into(),
            ),
            (
                format!("export API_KEY={long} && run"),
                "export API_KEY=[redacted] && run".to_owned(),
            ),
            (
                format!("login --password {long} --user me"),
                "login --password [redacted] --user me".into(),
            ),
            (
                format!("echo ghp_{}", "a1B2c3D4e".repeat(4)),
                "echo [redacted]".into(),
            ),
            (
                "psql postgres://me:pw@host/db".into(),
                "psql postgres://me:[redacted]@host/db".into(),
            ),
            (
                "git commit -m 'token counts: fix'".into(),
                "git commit -m 'token counts: fix'".into(),
            ),
            (
                "https://a.com/?access_token=x&b=1".into(),
                "https://a.com/?access_token=[redacted]&b=1".into(),
            ),
            (
                "ls -la src/secrets.ts".into(),
                "ls -la src/secrets.ts".into(),
            ),
            ("a\tb\n  c".into(), "a\tb\n  c".into()),
        ] {
            assert_eq!(redacted_text(&text), expected);
        }
    }

    #[test]
    fn members_that_announce_a_secret_are_hidden_and_the_rest_stays() {
        let value = json!({"env": {"GITHUB_TOKEN": "x", "PATH": "/bin"}, "limit": 5, "password": "", "tokens": 7});
        let expected = json!({"env": {"GITHUB_TOKEN": HIDDEN, "PATH": "/bin"}, "limit": 5, "password": "", "tokens": 7});
        assert_eq!(redacted(value), expected);
    }

    proptest! {
        #[test]
        fn a_text_without_secrets_stays_as_it_is(text in "[a-z0-9 /.\n\"']{0,80}") {
            prop_assert_eq!(redacted_text(&text), text);
        }
    }
}
