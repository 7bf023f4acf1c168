//! Files of variables: `.env` and its like, whose values are not shown.

use std::ops::Range;

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Whether a file is one of variables, by its name: `.env`, `.env.local`, `prod.env`, `.envrc`. Examples of one are not.
#[must_use]
pub fn is_variable_file(path: &str) -> bool {
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_ascii_lowercase();
    let is_named =
        name == ".env" || name == ".envrc" || name.starts_with(".env.") || name.ends_with(".env");
    let is_example = [
        "example", "sample", "template", "dist", "schema", "defaults",
    ]
    .iter()
    .any(|word| name.contains(word));
    is_named && !is_example
}

/// What a value is not shown of, whatever it is.
const NAMES: &[&str] = &[
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "credential",
    "auth",
    "private",
    "salt",
    "cookie",
    "pin",
];

static SECRET_NAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(NAMES)
        .ok()
});

/// Where values stand in a text of lines `NAME=value`, with or without something before the name, as listings have it.
/// Switches and short numbers say nothing of a secret and are left, unless their name announces one.
#[must_use]
pub fn values(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        found.extend(value_of(line).map(|range| range.start + at..range.end + at));
        at += line.len();
    }
    found
}

fn value_of(line: &str) -> Option<Range<usize>> {
    let body = line.trim_end();
    let (before, value) = body.split_once('=')?;
    let name = before
        .trim_end()
        .rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .next()?;
    if name.is_empty()
        || name.starts_with(|first: char| first.is_ascii_digit())
        || is_comment(before)
    {
        return None;
    }
    let trimmed = value.trim();
    let quote = trimmed
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\'' | '`'));
    let inner = match quote {
        Some(quote) => trimmed
            .strip_prefix(quote)?
            .strip_suffix(quote)
            .unwrap_or(trimmed),
        None => trimmed,
    };
    let is_secret = SECRET_NAMES
        .as_ref()
        .is_some_and(|names| names.is_match(name));
    if inner.is_empty() || inner.starts_with("[redacted: ") || !is_secret && is_plain(inner) {
        return None;
    }
    let start = before.len() + 1 + value.find(inner)?;
    Some(start..start + inner.len())
}

/// `# A=b` says how it is written; nobody reads it.
fn is_comment(before: &str) -> bool {
    before.trim_start().starts_with('#')
}

fn is_plain(value: &str) -> bool {
    let is_switch = ["true", "false", "yes", "no", "on", "off", "null", "none"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word));
    is_switch
        || value.len() <= 6
            && value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_variables_are_known_by_name() {
        for name in [
            ".env",
            "a/.env.local",
            "deploy/prod.env",
            ".envrc",
            "C:\\a\\.ENV",
        ] {
            assert!(is_variable_file(name), "{name}");
        }
        for name in [
            ".env.example",
            "env.ts",
            "environment",
            ".env.sample",
            "src/env",
        ] {
            assert!(!is_variable_file(name), "{name}");
        }
    }

    #[test]
    fn values_are_found_and_switches_and_ports_are_left() {
        let text = "# A=b\nDB_PASSWORD=hunter2\nexport HOST=\"db.internal\"\nPORT=8080\nDEBUG=true\nPIN=1234\nEMPTY=\n     7→URL=https://a.b/c\n.env:3: X='y z'\n";
        let found: Vec<_> = values(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            ["hunter2", "db.internal", "1234", "https://a.b/c", "y z"]
        );
    }
}
