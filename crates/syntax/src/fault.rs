//! Places that do not parse.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use crate::lines::LineRange;
use crate::parse::Syntax;

/// Most faults of one text that are reported.
const MAX_FAULTS: usize = 100;
/// Nodes that stand for a fault although no error is marked in them.
const WRONG_KINDS: &[&str] = &["erroneous_end_tag"];

/// A place where a text does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong there.
    pub kind: FaultKind,
    /// Its lines.
    pub lines: LineRange,
    /// Its bytes; empty for what is missing.
    pub bytes: Range<usize>,
}

/// What is wrong at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// The text there fits no rule of the language.
    Unexpected,
    /// Something should be there: a sign such as `}`, or the name of a rule such as `identifier`.
    Missing(String),
}

pub(crate) fn faults(syntax: &Syntax<'_>) -> Vec<Fault> {
    let mut found = Vec::new();
    let everywhere = marks_wrong_kinds(syntax);
    let root = syntax.tree.root_node();
    if !everywhere && !root.has_error() {
        return found;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        found.extend(fault(node));
        if found.len() == MAX_FAULTS {
            return found;
        }
        let is_worth_a_look = node.has_error() || everywhere;
        if is_worth_a_look && cursor.goto_first_child() {
            continue;
        }
        if !go_on(&mut cursor) {
            return found;
        }
    }
}

fn marks_wrong_kinds(syntax: &Syntax<'_>) -> bool {
    syntax.language == crate::Language::Html
}

/// The next node that is not below this one.
pub(crate) fn go_on(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

fn fault(node: Node<'_>) -> Option<Fault> {
    let kind = if node.is_missing() {
        FaultKind::Missing(node.kind().to_owned())
    } else if node.is_error() || WRONG_KINDS.contains(&node.kind()) {
        FaultKind::Unexpected
    } else {
        return None;
    };
    Some(Fault {
        kind,
        lines: LineRange::of(node),
        bytes: node.byte_range(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Language, parse};

    fn reported(text: &str, language: Language) -> Vec<(usize, FaultKind, &str)> {
        let syntax = parse(text, language, Budget::default()).unwrap();
        let faults = syntax.faults();
        faults
            .into_iter()
            .map(|fault| (fault.lines.first, fault.kind, &text[fault.bytes]))
            .collect()
    }

    #[test]
    fn good_text_of_every_language_has_none() {
        for (language, text) in [
            (
                Language::Bash,
                "if [ -f a ]; then\n  cat <<X | sort\n$b\nX\nfi\n",
            ),
            (
                Language::C,
                "#include <a.h>\nint main(void) { return a ? 0 : 1; }\n",
            ),
            (
                Language::Cpp,
                "template <typename T> class A : B { public: auto f() -> int; };\n",
            ),
            (
                Language::Css,
                "@media (min-width: 1px) { a:hover > b { color: #fff } }\n",
            ),
            (
                Language::Go,
                "package a\n\nfunc (s *S[T]) A() (int, error) { return 1, nil }\n",
            ),
            (
                Language::Html,
                "<!doctype html><p>one<p>two<br><script>if (a < b) {}</script>\n",
            ),
            (Language::Java, "record A(int b) { A { assert b > 0; } }\n"),
            (
                Language::JavaScript,
                "export default async ({ a, ...b }) => <a>{b?.c ?? `${a}`}</a>\n",
            ),
            (Language::Json, "{\"a\": [1, null, \"\\u00e9\"]}\n"),
            (
                Language::Python,
                "match a:\n    case {\"b\": [c, *_]} if c:\n        print(f\"{c!r:>{b}}\")\n",
            ),
            (
                Language::Rust,
                "impl<T: A> B for C<'_, T> where T: D { const E: u8 = b'a'; }\n",
            ),
            (
                Language::Tsx,
                "const a = <T,>(b: T) => <A<T> b={b as unknown} />\n",
            ),
            (
                Language::TypeScript,
                "abstract class A<const T> { a = <T>b satisfies C }\n",
            ),
        ] {
            assert_eq!(reported(text, language), [], "{language}");
        }
    }

    #[test]
    fn what_is_missing_is_named_and_what_is_too_much_is_shown() {
        let missing = |what: &str| FaultKind::Missing(what.to_owned());
        assert_eq!(reported("int a\n", Language::C), [(1, missing(";"), "")]);
        assert_eq!(
            reported("{\"a\": 1,, \"b\": 2}\n", Language::Json),
            [(1, FaultKind::Unexpected, ",")]
        );
        assert_eq!(
            reported("<ul>\n  <li>a</b>\n</ul>\n", Language::Html),
            [(2, FaultKind::Unexpected, "</b>")]
        );
    }

    #[test]
    fn no_more_than_a_hundred_are_reported() {
        let text = "a = ];\n".repeat(1_000);
        assert_eq!(reported(&text, Language::JavaScript).len(), MAX_FAULTS);
    }
}
