//! Files of variables: `.env` and its like, whose values are not shown.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use tenon_contract::strip_escapes;

use crate::assignments::{QUOTED_MIN_BYTES, looks_secret};
use crate::find::{SHORTEST_BYTES, find};

/// Files of variables: of dotenv and direnv, of Flask and of Cloudflare's wrangler.
const NAMED: &[&str] = &[".env", ".envrc", ".flaskenv", ".dev.vars"];
/// Those that have one for each environment, such as `.env.local`.
const WITH_ENVIRONMENT: &[&str] = &[".env.", ".dev.vars."];

/// Whether a file is one of variables, by its name: `.env`, `.env.local`, `prod.env`, `.envrc`, `.dev.vars`, or an editor's copy of
/// one (`.env~`). Examples of one are not.
#[must_use]
pub fn is_variable_file(path: &str) -> bool {
    if !may_name_variable_file(path) {
        return false;
    }
    let name = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .to_ascii_lowercase();
    let name = name.trim_end_matches('~');
    let is_named = NAMED.contains(&name)
        || WITH_ENVIRONMENT.iter().any(|start| name.starts_with(start))
        || name.ends_with(".env");
    let is_example = [
        "example", "sample", "template", "dist", "schema", "defaults",
    ]
    .iter()
    .any(|word| name.contains(word));
    is_named && !is_example
}

/// Whether a text may have the name of a file of variables in it. Where it has none, no line of it is such a file's.
#[must_use]
pub fn may_name_variable_file(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize, name: &str| {
        let there = bytes.get(at..at + name.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes()))
    };
    let mut starts = memchr::memchr_iter(b'.', bytes);
    starts.any(|at| NAMED.iter().any(|name| begins(at, name)))
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

/// The most lines of a value between quotes.
const LINES_MAX: usize = 100;

/// Where values stand in a text of lines `NAME=value`, with or without something before the name, as listings have it. A value that
/// goes on in further lines stands in each of them.
/// Switches and short numbers say nothing of a secret and are left, unless their name announces one.
#[must_use]
pub fn values(text: &str) -> Vec<Range<usize>> {
    let found = each_value(text).into_iter();
    found.map(|value| value.range).collect()
}

/// A value in a text of lines `NAME=value`.
pub(crate) struct FoundValue {
    pub(crate) range: Range<usize>,
    /// Whether its name announces a secret.
    pub(crate) is_secret: bool,
}

/// The values of [`values`], and whether their names announce a secret.
pub(crate) fn each_value(text: &str) -> Vec<FoundValue> {
    let mut at = 0;
    let mut found = Vec::new();
    while let Some(line) = text
        .get(at..)
        .and_then(|rest| rest.split_inclusive('\n').next())
    {
        let value = value_of(line).map(|value| FoundValue {
            range: value.range.start + at..value.range.end + at,
            ..value
        });
        at += line.len();
        let is_secret = value.as_ref().is_some_and(|value| value.is_secret);
        let open = value
            .as_ref()
            .and_then(|value| open_quote(text, &value.range));
        found.extend(value);
        if let Some(quote) = open {
            let lines = lines_to(text.get(at..).unwrap_or_default(), quote);
            let places = lines.iter().filter(|line| !line.is_empty());
            found.extend(places.map(|line| FoundValue {
                range: line.start + at..line.end + at,
                is_secret,
            }));
            at += lines.last().map_or(0, |line| line.end);
        }
    }
    found
}

/// The quote with which this value begins, if it does not end with it.
fn open_quote(text: &str, value: &Range<usize>) -> Option<char> {
    let value = text.get(value.clone())?;
    let quote = value.chars().next()?;
    let rest = value.get(1..)?;
    (matches!(quote, '"' | '\'' | '`') && !rest.contains(quote)).then_some(quote)
}

/// The lines up to the one with this quote, without what a listing has before them; none where it does not come soon.
fn lines_to(text: &str, quote: char) -> Vec<Range<usize>> {
    let mut at = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n').take(LINES_MAX) {
        let start = at + listed(line);
        if let Some(end) = line.find(quote) {
            lines.push(start.min(at + end)..at + end);
            return lines;
        }
        lines.push(start.min(at + line.trim_end().len())..at + line.trim_end().len());
        at += line.len();
    }
    Vec::new()
}

/// The bytes of the number that a listing has before a line: `     7→`, `7:`.
fn listed(line: &str) -> usize {
    let blank = line.len() - line.trim_start_matches(' ').len();
    let rest = line.get(blank..).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest.get(digits..).unwrap_or_default();
    let sign = behind
        .chars()
        .next()
        .filter(|sign| matches!(sign, '→' | '\t' | ':'));
    match sign {
        Some(sign) if digits > 0 => blank + digits + sign.len_utf8(),
        _ => 0,
    }
}

/// The parts of a text that are diffs of files of variables, from the line that names the file to the next file, commit or
/// the end: unified diffs as `diff -u`, `git diff`, `git show` and `git log -p` print them, with or without colors.
#[must_use]
pub fn variable_file_diffs(text: &str) -> Vec<Range<usize>> {
    if !text.contains("+++ ") && !text.contains("--- ") && !text.contains("diff --") {
        return Vec::new();
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut at = 0;
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut is_inside = false;
    let mut is_git = false;
    for (index, line) in lines.iter().enumerate() {
        let next = at + line.len();
        let plain = strip_escapes(line);
        let below = lines.get(index + 1).map(|below| strip_escapes(below));
        let begins = match DiffHeader::of(plain.trim_end()) {
            Some(DiffHeader::Git(begins)) => {
                is_git = true;
                Some(begins)
            }
            Some(DiffHeader::Commit) => {
                is_git = false;
                Some(false)
            }
            // In a diff of git these lines name the file once more, or are removed lines that look like them.
            Some(DiffHeader::Names(name)) if !is_git => {
                let below = below.as_deref().and_then(|line| line.strip_prefix("+++ "));
                below.map(|other| is_named(name) || is_named(other.trim_end()))
            }
            _ => None,
        };
        match (begins, found.last_mut()) {
            (Some(true), _) => found.push(at..next),
            (None, Some(last)) if is_inside => last.end = next,
            _ => {}
        }
        is_inside = begins.unwrap_or(is_inside);
        at = next;
    }
    found
}

/// A line with which the diff of one file begins, or a commit.
enum DiffHeader<'l> {
    /// `diff --git a/x b/x`, and whether a name is one of a file of variables.
    Git(bool),
    /// `--- a/x`, with the name.
    Names(&'l str),
    /// `commit 1a2b3c4`.
    Commit,
}

impl<'l> DiffHeader<'l> {
    fn of(line: &'l str) -> Option<Self> {
        let starts = ["diff --git ", "diff --cc ", "diff --combined "];
        if let Some(names) = starts.iter().find_map(|start| line.strip_prefix(start)) {
            return Some(Self::Git(names.split(' ').any(is_named)));
        }
        if let Some(name) = line.strip_prefix("--- ") {
            return Some(Self::Names(name));
        }
        let hash = line.strip_prefix("commit ")?.as_bytes().get(..7)?;
        hash.iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(Self::Commit)
    }
}

/// Whether a name in a header is one of a file of variables; `diff -u` puts a time behind it, after a tab.
fn is_named(name: &str) -> bool {
    let name = name.split('\t').next().unwrap_or(name);
    is_variable_file(name.trim().trim_matches('"'))
}

fn value_of(line: &str) -> Option<FoundValue> {
    let body = line.trim_end();
    // `NAME: value` is read as well, but not every line with a colon is one.
    let (before, value, is_colon) = match body.split_once('=') {
        Some((before, value)) => (before, value, false),
        None => body
            .split_once(": ")
            .map(|(before, value)| (before, value, true))?,
    };
    // Colors stand around the name, and where a part of it was searched for in it.
    let written = strip_escapes(before);
    let name = last_word(written.trim_end());
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let is_secret = announces_secret(name);
    // An old value that was commented out is one still, where its name says so; other comments say how it is written.
    if (is_colon || is_comment(&written)) && !is_secret {
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
    if inner.is_empty() || inner.starts_with("[redacted: ") || !is_secret && is_plain(inner) {
        return None;
    }
    let start = before.len() + 1 + usize::from(is_colon) + value.find(inner)?;
    Some(FoundValue {
        range: start..start + inner.len(),
        is_secret,
    })
}

/// The shortest value of a name that announces a secret that is looked for in other texts.
const NAMED_MIN_BYTES: usize = 8;

/// What a value of a file of variables looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Like a secret in any text, by itself or with its name: no word, no path, no address without a password.
    Secret,
    /// Like anything, but its name announces a secret.
    Named,
    /// Like anything.
    Plain,
}

/// What a value looks like with the name that stands before it.
pub(crate) fn looks(text: &str, place: &Range<usize>) -> Looks {
    let value = text.get(place.clone()).unwrap_or_default();
    let before = text.get(..place.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.get(line.ceil_char_boundary(line.len().saturating_sub(NAME_MAX_BYTES))..);
    let is_secret = line.is_some_and(|line| {
        let name = line.trim_end_matches(['=', ':', ' ', '"', '\'', '`']);
        name.len() < line.len() && announces_secret(last_word(name))
    });
    match (looks_like_secret(value, is_secret), is_secret) {
        (true, _) => Looks::Secret,
        (false, true) => Looks::Named,
        (false, false) => Looks::Plain,
    }
}

/// The longest name that is looked at.
const NAME_MAX_BYTES: usize = 256;

/// Whether a value looks like a secret, with a name that announces one or without.
pub(crate) fn looks_like_secret(value: &str, is_secret: bool) -> bool {
    let is_random = value.len() >= QUOTED_MIN_BYTES && looks_secret(value.as_bytes());
    let has = |kind: fn(&u8) -> bool| value.bytes().any(|byte| kind(&byte));
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let is_place = value.contains(['/', '\\']) || value.contains(char::is_whitespace);
    is_random
        || is_secret && value.len() >= NAMED_MIN_BYTES && is_mixed && !is_place
        || value.len() >= SHORTEST_BYTES && !find(value).is_empty()
}

/// Whether a name announces a secret.
fn announces_secret(name: &str) -> bool {
    let names = SECRET_NAMES.as_ref();
    names.is_some_and(|names| names.is_match(name))
}

/// The word of letters, digits and `_` that a text ends with.
fn last_word(text: &str) -> &str {
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    text.rsplit(is_end).next().unwrap_or_default()
}

/// `# A=b`.
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
        assert!(!may_name_variable_file(
            "src/environment.rs:3: env.x en.v .en"
        ));
        for name in [
            ".env",
            "a/.env.local",
            "deploy/prod.env",
            ".envrc",
            "C:\\a\\.ENV",
            ".env~",
            ".flaskenv",
            "worker/.dev.vars",
            ".dev.vars.staging",
        ] {
            assert!(is_variable_file(name), "{name}");
            let line = format!("src/a.rs:1: x\n{name}:1: KEY=x");
            assert!(may_name_variable_file(&line), "{name}");
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

    #[test]
    fn values_of_several_lines_old_ones_and_those_behind_a_colon_are_found() {
        let inside = |text: &str| -> Vec<String> {
            let places = values(text).into_iter();
            places.map(|place| text[place].to_owned()).collect()
        };
        let text = "A=secret1\n# DB_PASSWORD=secret2\n# MODE=strict\nC=\"x\nsecret3\n\nsecret4\"\nTOKEN: secret5\nNote: this is text\nD='it is\nE=f\n";
        assert_eq!(
            inside(text),
            [
                "secret1", "secret2", "\"x", "secret3", "secret4", "secret5", "'it is", "f"
            ]
        );
        let listed = "     1→C='x\n     2→  y z\n     3→w'\n     4→D=e f\n";
        assert_eq!(inside(listed), ["'x", "  y z", "w", "e f"]);
        let open = format!("A=\"x\n{}", "line\n".repeat(2 * LINES_MAX));
        assert_eq!(inside(&open), ["\"x"]);
    }

    #[test]
    fn diffs_of_files_of_variables_are_found_in_every_form() {
        let inside = |text: &str| -> Vec<String> {
            let diffs = variable_file_diffs(text);
            let mut places = values(text);
            places.retain(|place| diffs.iter().any(|diff| diff.contains(&place.start)));
            places
                .into_iter()
                .map(|place| text[place].to_owned())
                .collect()
        };
        let git = "commit 1a2b3c4d5e\n\n    Set MODE=strict\n\ndiff --git a/.env b/.env\nindex 1..2 100644\n--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n-TOKEN=old one\n+TOKEN=new\n--- a\n SALT=s\ndiff --git a/a.sh b/a.sh\n+++ b/a.sh\n+LEVEL=debug-all\n";
        assert_eq!(inside(git), ["old one", "new", "s"]);
        let made = "diff --git a/prod.env b/prod.env\nnew file mode 100644\n--- /dev/null\n+++ b/prod.env\n@@ -0,0 +1 @@\n+KEY=abc\ncommit 1a2b3c4\n+NAME=of-a-commit\n";
        assert_eq!(inside(made), ["abc"]);
        let plain = "--- .env\t2026-01-01 00:00:00\n+++ .env.local\t2026-01-01 00:00:00\n@@ -1 +1 @@\n-PASS=a\n+PASS=b\n--- a.sh\n+++ b.sh\n+LEVEL=debug-all\n";
        assert_eq!(inside(plain), ["a", "b"]);
        let colored =
            "\x1b[1mdiff --git a/.env b/.env\x1b[m\n\x1b[32m+\x1b[m\x1b[32mPASS=hunter2\x1b[m\n";
        assert_eq!(inside(colored), ["hunter2\x1b[m"]);
        assert_eq!(inside("PASS=x\n--- a\nPASS=y\n"), Vec::<String>::new());
        let searched = "API_\x1b[01;31m\x1b[KTOKEN\x1b[m\x1b[K=true\n";
        assert_eq!(values(searched).first(), Some(&(27..31)));
    }
}
