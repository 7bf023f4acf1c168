//! Signs that come in pairs, by the tokens of a tree: those in strings and comments are none.

use tree_sitter::Node;

use crate::fault::go_on;
use crate::language::Language;
use crate::parse::Syntax;

/// Signs that open something, each with what closes it.
const BRACKETS: &[(&str, &str)] = &[("{", "}"), ("(", ")"), ("[", "]"), ("${", "}"), ("#{", "}")];
/// In scripts a `)` also ends the pattern of a case, so round ones say nothing.
const OF_SCRIPTS: &[(&str, &str)] = &[
    ("if", "fi"),
    ("case", "esac"),
    ("do", "done"),
    ("{", "}"),
    ("${", "}"),
];

/// Why the pairs of a text do not add up: the line to look at, and what is wrong, as a sentence part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Imbalance {
    pub(crate) line: usize,
    pub(crate) what: String,
}

#[derive(Debug, Clone, Copy)]
struct Sign<'t> {
    text: &'t str,
    line: usize,
    /// Of its line, in bytes.
    indentation: usize,
    /// Whether nothing stands before it in its line.
    is_first: bool,
}

/// The first thing that is wrong with the pairs of a text, if anything is.
pub(crate) fn imbalance(syntax: &Syntax<'_>) -> Option<Imbalance> {
    let pairs = match syntax.language {
        Language::Html => return None,
        Language::Bash => OF_SCRIPTS,
        _ => BRACKETS,
    };
    Pairing {
        pairs,
        open: Vec::new(),
        short: None,
        long: None,
    }
    .run(syntax)
}

struct Pairing<'t> {
    pairs: &'static [(&'static str, &'static str)],
    open: Vec<Sign<'t>>,
    /// The first pair whose end is indented less than its beginning: its own end may be missing.
    short: Option<(Sign<'t>, Sign<'t>)>,
    /// The first pair whose end is indented more than its beginning: this end may be one too many.
    long: Option<Sign<'t>>,
}

impl<'t> Pairing<'t> {
    fn run(mut self, syntax: &Syntax<'t>) -> Option<Imbalance> {
        let root = syntax.tree.root_node();
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            if cursor.goto_first_child() {
                continue;
            }
            if let Some(sign) = self.sign(node, syntax.text)
                && let Some(wrong) = self.take(sign)
            {
                return Some(wrong);
            }
            if !go_on(&mut cursor) {
                return self.end();
            }
        }
    }

    fn sign(&self, node: Node<'_>, text: &'t str) -> Option<Sign<'t>> {
        if node.is_named() || node.is_missing() {
            return None;
        }
        let kind = node.kind();
        let (text_of, _) = self
            .pairs
            .iter()
            .flat_map(|(open, close)| [(*open, ()), (*close, ())])
            .find(|(sign, ())| *sign == kind)?;
        let place = node.start_position();
        let line_start = node.start_byte().saturating_sub(place.column);
        let before = text.get(line_start..node.start_byte())?;
        let indentation = before.len() - before.trim_start().len();
        Some(Sign {
            text: text_of,
            line: place.row + 1,
            indentation,
            is_first: indentation == before.len(),
        })
    }

    /// Takes the next sign; answers what cannot be made good any more.
    fn take(&mut self, sign: Sign<'t>) -> Option<Imbalance> {
        if self.pairs.iter().any(|(open, _)| *open == sign.text) {
            self.open.push(sign);
            return None;
        }
        let closes = |open: &Sign<'_>| self.pairs.contains(&(open.text, sign.text));
        match self.open.last().copied() {
            Some(open) if closes(&open) => {
                self.open.pop();
                if sign.is_first && sign.line != open.line {
                    if sign.indentation < open.indentation {
                        self.short.get_or_insert((open, sign));
                    } else if sign.indentation > open.indentation {
                        self.long.get_or_insert(sign);
                    }
                }
                None
            }
            // What was opened last is left open where something around it is closed.
            Some(open) if self.open.iter().any(closes) => Some(self.left_open(open, Some(sign))),
            _ => {
                let extra = self
                    .long
                    .filter(|extra| extra.text == sign.text)
                    .unwrap_or(sign);
                Some(Imbalance {
                    line: extra.line,
                    what: format!("`{}` is one too many", extra.text),
                })
            }
        }
    }

    fn end(self) -> Option<Imbalance> {
        let open = self.open.last().copied()?;
        Some(self.left_open(open, None))
    }

    fn left_open(&self, open: Sign<'_>, end: Option<Sign<'_>>) -> Imbalance {
        let (open, end) = match self.short {
            Some((short, end)) if short.text == open.text && short.line >= open.line => {
                (short, Some(end))
            }
            _ => (open, end),
        };
        let before = end.map_or_else(String::new, |end| {
            format!(" before the `{}` of line {}", end.text, end.line)
        });
        Imbalance {
            line: open.line,
            what: format!("`{}` is not closed{before}", open.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, parse};

    fn reported(text: &str, language: Language) -> Option<(usize, String)> {
        let syntax = parse(text, language, Budget::default()).unwrap();
        imbalance(&syntax).map(|wrong| (wrong.line, wrong.what))
    }

    fn at(line: usize, what: &str) -> Option<(usize, String)> {
        Some((line, what.to_owned()))
    }

    #[test]
    fn signs_in_strings_and_comments_do_not_count() {
        let text = "const a = `${{ b: ')' }}` // (\nconst c = /[(]/ /* { */\n";
        assert_eq!(reported(text, Language::JavaScript), None);
        assert_eq!(reported("a = f'{b[\"}\"]}' # (\n", Language::Python), None);
        assert_eq!(
            reported("case $a in\n  b) echo \"${c}\" ;;\nesac\n", Language::Bash),
            None
        );
    }

    #[test]
    fn the_indentation_reports_which_block_is_not_closed() {
        let text = "function a() {\n  if (b) {\n    c()\n}\n\nfunction d() {\n}\n";
        let expected = at(2, "`{` is not closed before the `}` of line 4");
        assert_eq!(reported(text, Language::JavaScript), expected);
    }

    #[test]
    fn the_indentation_reports_which_end_is_too_much() {
        let text = "function a() {\n  if (b) {\n    c()\n  }\n  }\n}\n";
        assert_eq!(
            reported(text, Language::JavaScript),
            at(5, "`}` is one too many")
        );
    }

    #[test]
    fn without_indentation_the_sign_is_named_where_it_shows() {
        assert_eq!(
            reported("a(b[1);\n", Language::JavaScript),
            at(1, "`[` is not closed before the `)` of line 1")
        );
        assert_eq!(
            reported("a(b));\n", Language::JavaScript),
            at(1, "`)` is one too many")
        );
        assert_eq!(
            reported("int a(void) {\n", Language::C),
            at(1, "`{` is not closed")
        );
        assert_eq!(
            reported("if a; then\n  b\n", Language::Bash),
            at(1, "`if` is not closed")
        );
    }
}
