//! One Rust file, as the rules look at it.

use super::mask::{Literal, Masked, mask};

/// One Rust file with its comments and literals masked and its test code taken out.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Relative to the root of the project, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Of the length of `text`: comments, literals and test items are blank.
    pub(crate) code: String,
    /// The string literals outside of tests.
    pub(crate) literals: Vec<Literal>,
}

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Where its `fn` stands, counted from 1.
    pub(crate) line: usize,
    /// Lines from its `fn` to its closing brace.
    pub(crate) lines: usize,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let Masked { code, literals } = mask(text);
        let code = without_test_items(&code);
        let is_kept = |literal: &Literal| {
            let quote = literal
                .start
                .checked_sub(1)
                .and_then(|at| code.as_bytes().get(at));
            quote.is_some_and(|byte| *byte != b' ')
        };
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            literals: literals.into_iter().filter(is_kept).collect(),
            code,
        }
    }

    /// The line of a place, counted from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        line_of(&self.text, at)
    }

    /// Places where a whole name or path such as `std::fs` stands in the code.
    pub(crate) fn places_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        self.code
            .match_indices(name)
            .map(|(at, _)| at)
            .filter(move |at| {
                let before = self
                    .code
                    .get(..*at)
                    .and_then(|text| text.chars().next_back());
                let after = self
                    .code
                    .get(at + name.len()..)
                    .and_then(|text| text.chars().next());
                !before.is_some_and(is_name) && !after.is_some_and(is_name)
            })
    }

    /// The functions outside of tests, the inner ones too.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let found = self.places_of("fn").filter_map(|at| {
            let rest = self.code.get(at + 2..)?;
            let end = rest.find(['(', '<', '{', ';'])?;
            // A type such as `fn(u8) -> u8` has no name.
            let name = rest
                .get(..end)
                .map(str::trim)
                .filter(|name| !name.is_empty())?;
            let body = body_start(rest)?;
            let end = body + closing(rest.get(body..)?)?;
            let lines = rest.get(..end)?.matches('\n').count() + 1;
            Some(Function {
                name: name.to_owned(),
                line: self.line(at),
                lines,
            })
        });
        found.collect()
    }

    /// Lines up to the tests at the end of the file.
    pub(crate) fn lines_without_tests(&self) -> usize {
        let lines: Vec<&str> = self.text.lines().collect();
        let tests = lines.windows(2).position(|pair| match pair {
            [attribute, item] => *attribute == "#[cfg(test)]" && item.starts_with("mod "),
            _ => false,
        });
        tests.unwrap_or(lines.len())
    }
}

pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

/// Where the body of an item begins; nothing when it has none.
fn body_start(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The place behind the brace or bracket that closes the first one.
pub(crate) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The code with every item that exists only in tests turned to spaces.
fn without_test_items(code: &str) -> String {
    let mut kept = code.to_owned();
    for (start, attribute) in code.match_indices("#[cfg(test)]") {
        let rest = code.get(start + attribute.len()..).unwrap_or_default();
        let end = start + attribute.len() + item_end(rest);
        let item = code.get(start..end).unwrap_or_default();
        let blank: String = item
            .chars()
            .map(|letter| if letter == '\n' { '\n' } else { ' ' })
            .collect();
        // Masked code holds names beyond ASCII at most; an item with one is left as it is.
        if blank.len() == item.len() {
            kept.replace_range(start..end, &blank);
        }
    }
    kept
}

/// Where the item that begins here ends, its further attributes included.
fn item_end(rest: &str) -> usize {
    let mut at = 0;
    loop {
        let Some(tail) = rest.get(at..) else {
            return rest.len();
        };
        let skipped = tail.len() - tail.trim_start().len();
        let Some(tail) = tail.get(skipped..) else {
            return rest.len();
        };
        if !tail.starts_with("#[") {
            let end = match body_start(tail) {
                Some(body) => tail
                    .get(body..)
                    .and_then(closing)
                    .map(|length| body + length),
                None => tail.find(';').map(|end| end + 1),
            };
            return end.map_or(rest.len(), |end| at + skipped + end);
        }
        match closing(tail) {
            Some(length) => at += skipped + length,
            None => return rest.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_measured_from_their_name_to_their_closing_brace() {
        let text = "\
fn one() {}
trait A {
    fn no_body(&self, f: fn(u8) -> u8);
    fn with(&self) -> [u8; 2]
    where
        Self: Sized,
    {
        let text = \"}\";
        fn inner() { }
        [0; 2]
    }
}
#[cfg(test)]
mod tests {
    fn test() {}
}
";
        let function = |name: &str, line: usize, lines: usize| Function {
            name: name.into(),
            line,
            lines,
        };
        assert_eq!(
            Source::new("a.rs", text).functions(),
            [
                function("one", 1, 1),
                function("with", 4, 8),
                function("inner", 9, 1)
            ]
        );
    }

    #[test]
    fn test_items_are_no_code_wherever_they_stand() {
        let text = "a();\n#[cfg(test)]\n#[allow(x)]\npub(crate) fn t(&self) -> u8 { \"lit\"; 5 }\nb(\"kept\");\n#[cfg(test)]\nmod tests;\nc();\n";
        let source = Source::new("a.rs", text);
        let code: Vec<&str> = source
            .code
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        assert_eq!(code, ["a();", "b(\"    \");", "c();"]);
        let literals: Vec<&str> = source
            .literals
            .iter()
            .map(|literal| literal.content.as_str())
            .collect();
        assert_eq!(literals, ["kept"]);
    }

    #[test]
    fn lines_count_up_to_the_tests() {
        let source = Source::new("a.rs", "a\nb\n\n#[cfg(test)]\nmod tests {\n}\n");
        assert_eq!(source.lines_without_tests(), 3);
        assert_eq!(
            Source::new("a.rs", "a\n#[cfg(test)]\nfn b() {}\nc\n").lines_without_tests(),
            4
        );
    }

    #[test]
    fn names_are_found_whole() {
        let source = Source::new(
            "a.rs",
            "std::fs; std::fs_x; mystd::fs; \"std::fs\"; std::fs::read",
        );
        assert_eq!(source.places_of("std::fs").collect::<Vec<_>>(), [0, 42]);
    }
}
