//! The classes of fnmatch(3) in lines of ignore files, such as `[[:upper:]]`: git knows them, the `ignore` crate does not.

use std::borrow::Cow;

/// What is special among the characters between brackets, for the `ignore` crate: those come where they mean themselves.
const SPECIAL: [char; 4] = ['!', '^', ']', '-'];

/// A line with each class written out. Nothing for one that git takes for no pattern, because it names a class that there
/// is not.
pub(crate) fn written_out(line: &str) -> Option<Cow<'_, str>> {
    if !line.contains("[:") {
        return Some(Cow::Borrowed(line));
    }
    let mut written = String::with_capacity(line.len() * 2);
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let behind = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '\\' => {
                let escaped = behind.chars().next().map_or(0, char::len_utf8);
                let (pair, after) = rest.split_at_checked(1 + escaped)?;
                written.push_str(pair);
                rest = after;
            }
            '[' => {
                let (set, after) = Set::read(behind)?;
                set.write(&mut written);
                rest = after;
            }
            other => {
                written.push(other);
                rest = behind;
            }
        }
    }
    Some(Cow::Owned(written))
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
            set.ranges.push((from, to));
        }
    }

    /// In the form of the `ignore` crate, which knows no escapes here. A separator is matched by no set of git's.
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
    fn classes_are_written_out_and_nothing_else_is_changed() {
        for (line, expected) in [
            ("*.log", Some("*.log")),
            ("[[:upper:]]*", Some("[A-Z]*")),
            ("![^[:digit:]x]/", Some("![!0-9x]/")),
            ("a[]-a[:blank:]!]", Some("a[]\t _-a!^]")),
            ("[[:punct:]]", Some("[]\"-,.:-@[-\\_-`{-~!^-]")),
            ("[[:alpha:]é-ü]", Some("[A-Za-zé-ü]")),
            ("\\[[:alpha:]", Some("\\[[:ahlp]")),
            ("[[:alpha]", Some("[:[ahlp]")),
            ("[[:nothing:]]", None),
            ("[[:alpha:]", None),
        ] {
            assert_eq!(written_out(line).as_deref(), expected, "{line}");
        }
    }
}
