//! Reading a text, within bounds.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::fault::{self, Fault};
use crate::language::Language;

/// What reading a text may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Longest text that is read, in bytes. Default: 2 MiB.
    pub max_bytes: usize,
    /// Longest time that it may take. Default: 500 ms.
    pub max_time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            max_bytes: 2 * 1024 * 1024,
            max_time: Duration::from_millis(500),
        }
    }
}

/// A text and its tree.
#[derive(Debug)]
pub struct Syntax<'t> {
    pub(crate) language: Language,
    pub(crate) text: &'t str,
    pub(crate) tree: Tree,
}

/// Reads a text as one of this language; `None` when that would cost more than the budget.
///
/// A text that does not parse gives a tree too, with [faults](Syntax::faults).
#[must_use]
pub fn parse(text: &str, language: Language, budget: Budget) -> Option<Syntax<'_>> {
    if text.len() > budget.max_bytes {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let began = Instant::now();
    let mut in_time = |_: &ParseState| {
        if began.elapsed() > budget.max_time {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = readable(text, language);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut in_time);
    let tree = parser.parse_with_options(&mut read, None, Some(options))?;
    Some(Syntax {
        language,
        text,
        tree,
    })
}

/// The text as its grammar may read it: of as many bytes, so that places in the tree are places in the text.
///
/// The scanner of bash (tree-sitter-bash 0.25.1) asks `isdigit` of C about each character behind a `{`. That is defined for bytes only:
/// glibc looks in a table of 384 entries, and may end the process where a character lies behind it. To bash, what is not ASCII is
/// part of a word, as letters are.
fn readable(text: &str, language: Language) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if language != Language::Bash || bytes.is_ascii() {
        return bytes.into();
    }
    let letter = |byte: &u8| if byte.is_ascii() { *byte } else { b'x' };
    bytes.iter().map(letter).collect()
}

impl<'t> Syntax<'t> {
    /// The language that the text was read as.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// The text.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// Where the text does not parse, from its start to its end; the first 100.
    ///
    /// A fault says where the parser got stuck. Its cause may be above: for brackets that are not
    /// closed the end of the file is the first place that cannot be right.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        fault::faults(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scanner_of_bash_is_given_no_character_that_c_has_no_table_for() {
        let text = "a={\u{e01bd}1..3} ü=1\n";
        assert_eq!(
            readable(text, Language::Bash),
            b"a={xxxx1..3} xx=1\n".as_slice()
        );
        assert_eq!(readable(text, Language::Python), text.as_bytes());
        for behind in ('\u{100}'..=char::MAX).step_by(997) {
            let text = format!("echo {{{behind}1..3}}\n");
            let syntax = parse(&text, Language::Bash, Budget::default());
            assert!(syntax.is_some(), "{text:?}");
        }
    }

    #[test]
    fn a_text_over_the_size_or_the_time_is_not_read() {
        let text = "let a = [1, 2, 3]\n".repeat(20_000);
        let small = Budget {
            max_bytes: text.len() - 1,
            ..Budget::default()
        };
        assert!(parse(&text, Language::JavaScript, small).is_none());
        let hasty = Budget {
            max_time: Duration::ZERO,
            ..Budget::default()
        };
        assert!(parse(&text, Language::JavaScript, hasty).is_none());
        let enough = Budget {
            max_time: Duration::from_secs(60),
            ..Budget::default()
        };
        assert!(parse(&text, Language::JavaScript, enough).is_some());
    }
}
