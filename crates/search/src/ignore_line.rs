//! Lines of ignore files as git reads them, in the form in which the `ignore` crate means the same by them: classes such as
//! `[[:upper:]]`, escapes between brackets, braces (which stand for themselves) and blanks at the end.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// What is special among the characters between brackets, for the `ignore` crate: those come where they mean themselves.
const SPECIAL: [char; 4] = ['!', '^', ']', '-'];

/// Whether braces in this file are alternatives, as in ripgrep's own files. To git they stand for themselves.
pub(crate) fn has_alternatives(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str);
    matches!(name, Some(".ignore" | ".rgignore"))
}

/// A line as the `ignore` crate has to get it. Nothing for one that git takes for no pattern, such as one with a bracket that is
/// not closed or with a class that there is not.
pub(crate) fn written_out(line: &str, has_alternatives: bool) -> Option<Cow<'_, str>> {
    let line = without_end(line);
    if line.starts_with('#') {
        return Some(Cow::Borrowed(line));
    }
    let body = line.strip_prefix('!').unwrap_or(line);
    if body.trim_matches('/').is_empty() && body.len() < 2 {
        return None;
    }
    let is_special = |character| match character {
        '[' => true,
        '{' | '}' => !has_alternatives,
        _ => false,
    };
    if !line.contains(is_special) && !line.ends_with(char::is_whitespace) {
        return Some(Cow::Borrowed(line));
    }
    let mut written = String::with_capacity(line.len() * 2);
    if body.len() < line.len() {
        written.push('!');
    }
    // A set that is written out may get a separator, which would hold the pattern to the directory of its file.
    if !body.trim_end_matches('/').contains('/') {
        written.push_str("**/");
    }
    write_body(body, has_alternatives, &mut written)?;
    Some(Cow::Owned(written))
}

/// A line without its line end and the spaces before it that are not escaped: git keeps tabs.
fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let short = line.trim_end_matches(' ');
    let escapes = short.len() - short.trim_end_matches('\\').len();
    match line.len() > short.len() && escapes % 2 == 1 {
        true => line.get(..=short.len()).unwrap_or(line),
        false => short,
    }
}

fn write_body(body: &str, has_alternatives: bool, written: &mut String) -> Option<()> {
    let mut rest = body;
    while let Some(character) = rest.chars().next() {
        let behind = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '\\' => {
                let escaped = behind.chars().next().map_or(0, char::len_utf8);
                let (pair, after) = rest.split_at_checked(1 + escaped)?;
                written.push_str(pair);
                rest = after;
                continue;
            }
            '[' => {
                let (set, after) = Set::read(behind)?;
                set.write(written);
                rest = after;
                continue;
            }
            '{' | '}' if !has_alternatives => written.extend(['\\', character]),
            // The `ignore` crate takes whitespace off the end.
            other if behind.is_empty() && other.is_whitespace() => {
                written.extend(['[', other, ']']);
            }
            other => written.push(other),
        }
        rest = behind;
    }
    Some(())
}

/// What stands between brackets, as git's `wildmatch` reads it.
#[derive(Default)]
struct Set {
    is_negated: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    /// Reads behind the bracket that opens; what follows the one that closes is returned as well.
    fn read(text: &str) -> Option<(Self, &str)> {
        let mut set = Self::default();
        let mut rest = text;
        if let Some(behind) = rest.strip_prefix(['!', '^']) {
            set.is_negated = true;
            rest = behind;
        }
        let mut is_first = true;
        loop {
            if let Some(behind) = rest.strip_prefix(']').filter(|_| !is_first) {
                return Some((set, behind));
            }
            is_first = false;
            if let Some((name, behind)) = class_at(rest) {
                set.ranges.extend(class(name)?);
                rest = behind;
                continue;
            }
            let (from, behind) = one(rest)?;
            rest = behind;
            let to = match rest.strip_prefix('-') {
                Some(behind) if !behind.starts_with(']') && !behind.is_empty() => {
                    let (to, behind) = one(behind)?;
                    rest = behind;
                    to
                }
                _ => from,
            };
            // To git the first character of a range is in the set even where the range is none.
            set.ranges.push((from, to.max(from)));
        }
    }

    /// In the form of the `ignore` crate, which knows no escapes here. A separator is matched by no set of git's, negated or not.
    fn write(&self, written: &mut String) {
        let has = |character| {
            let mut ranges = self.ranges.iter();
            ranges.any(|(from, to)| (*from..=*to).contains(&character))
        };
        written.push('[');
        if self.is_negated {
            written.push('!');
        }
        if has(']') {
            written.push(']');
        }
        if self.is_negated {
            written.push('/');
        }
        for (from, to) in
            runs(|character| has(character) && !SPECIAL.contains(&character) && character != '/')
        {
            written.push(from);
            if from != to {
                written.extend(['-', to]);
            }
        }
        for (from, to) in self.ranges.iter().filter(|(_, to)| !to.is_ascii()) {
            written.extend([(*from).max('\u{80}'), '-', *to]);
        }
        if written.ends_with('[') {
            // No name has this character. Without it `!` or `^` would negate the set, or there would be none.
            written.push('\0');
        }
        written.extend(['!', '^', '-'].into_iter().filter(|special| has(*special)));
        written.push(']');
    }
}

/// The ranges of ASCII characters that are in a set.
fn runs(has: impl Fn(char) -> bool) -> Vec<(char, char)> {
    let mut runs: Vec<(char, char)> = Vec::new();
    for character in ('\0'..='\u{7f}').filter(|character| has(*character)) {
        match runs.last_mut() {
            Some((_, to)) if u32::from(*to) + 1 == u32::from(character) => *to = character,
            _ => runs.push((character, character)),
        }
    }
    runs
}

/// One character, which may be escaped.
fn one(text: &str) -> Option<(char, &str)> {
    let text = text.strip_prefix('\\').unwrap_or(text);
    let character = text.chars().next()?;
    Some((character, text.get(character.len_utf8()..)?))
}

/// The name of a class that begins here, and what follows it.
fn class_at(text: &str) -> Option<(&str, &str)> {
    let (name, behind) = text.strip_prefix("[:")?.split_once(']')?;
    Some((name.strip_suffix(':')?, behind))
}

/// The characters of a class.
fn class(name: &str) -> Option<Vec<(char, char)>> {
    let is_in: fn(&char) -> bool = match name {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "blank" => |character| matches!(character, ' ' | '\t'),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |character| matches!(character, ' '..='~'),
        "punct" => char::is_ascii_punctuation,
        "space" => |character| matches!(character, ' ' | '\t'..='\r'),
        "upper" => char::is_ascii_uppercase,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    };
    Some(runs(|character| is_in(&character)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_out_as_git_reads_them() {
        for (line, expected) in [
            ("*.log", Some("*.log")),
            ("# [ and {", Some("# [ and {")),
            ("[[:upper:]]*", Some("**/[A-Z]*")),
            ("/[[:upper:]]*", Some("/[A-Z]*")),
            ("![^[:digit:]x]/", Some("!**/[!/0-9x]/")),
            ("a[]-a[:blank:]!]", Some("**/a[]\t _-a!^]")),
            ("[[:punct:]]", Some("**/[]\"-,.:-@[-\\_-`{-~!^-]")),
            ("[[:alpha:]é-ü]", Some("**/[A-Za-zé-ü]")),
            ("\\[[:alpha:]", Some("**/\\[[:ahlp]")),
            ("[[:alpha]", Some("**/[:[ahlp]")),
            ("[\\-_]", Some("**/[_-]")),
            ("[\\^]x", Some("**/[\0^]x")),
            ("a[/]b", Some("a[\0]b")),
            ("[z-a]", Some("**/[z]")),
            ("*.{a,b}", Some("**/*.\\{a,b\\}")),
            ("a b  ", Some("a b")),
            ("a\\  \r", Some("**/a\\ ")),
            ("a\\\\ ", Some("a\\\\")),
            ("a\t", Some("**/a[\t]")),
            ("!", None),
            ("[a", None),
            ("[[:nothing:]]", None),
            ("[[:alpha:]", None),
        ] {
            assert_eq!(written_out(line, false).as_deref(), expected, "{line}");
        }
        assert_eq!(written_out("*.{a,b}", true).as_deref(), Some("*.{a,b}"));
    }
}
