//! Whether a text is a name, by what the grammar makes of it at its place and by the words that a language keeps.

use std::ops::Range;
use std::time::Instant;

use tree_sitter::{Node, Tree};

use crate::language::Language;
use crate::parse::{Budget, Syntax, parse};

/// The words that are no names. Grammars read many of them as names where no other word fits.
const RESERVED: &[(&[Language], &str)] = &[
    (
        &[Language::JavaScript, Language::Tsx, Language::TypeScript],
        "break case catch class const continue debugger default delete do else enum export extends false finally for \
         function if import in instanceof new null return super switch this throw true try typeof var void while with",
    ),
    (
        &[Language::Python],
        "False None True and as assert async await break class continue def del elif else except finally for from \
         global if import in is lambda nonlocal not or pass raise return try while with yield",
    ),
    (
        &[Language::Rust],
        "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod \
         move mut pub ref return static struct super trait true type unsafe use where while",
    ),
    (
        &[Language::Go],
        "break case chan const continue default defer else fallthrough for func go goto if import interface map \
         package range return select struct switch type var",
    ),
    (
        &[Language::Java],
        "abstract assert boolean break byte case catch char class const continue default do double else enum extends \
         false final finally float for goto if implements import instanceof int interface long native new null \
         package private protected public return short static super switch synchronized this throw throws transient \
         true try void volatile while",
    ),
    (
        &[Language::C, Language::Cpp],
        "auto break case char const continue default do double else enum extern float for goto if inline int long \
         register return short signed sizeof static struct switch typedef union unsigned void volatile while",
    ),
];

/// The first of these places whose text in `before` is a name, and in `after`, where it was put, is not one. `None`
/// when all are names, and when nothing is known: of another language, or over the budget.
///
/// What is a name depends on its place: `class` is one behind a dot in JavaScript, and `a-b` is one of a command in Bash.
#[must_use]
pub fn first_misnamed(
    path: &str,
    (before, after): (&str, &str),
    places: &[(Range<usize>, Range<usize>)],
    budget: Budget,
) -> Option<usize> {
    let language = Language::of(path)?;
    let began = Instant::now();
    let old = parse(before, language, budget)?;
    let left = Budget {
        max_time: budget.max_time.saturating_sub(began.elapsed()),
        ..budget
    };
    let new = parse(after, language, left)?;
    places.iter().position(|(was, is)| {
        let Some(name) = leaf(&old.tree, was).filter(|leaf| leaf.is_named()) else {
            return false;
        };
        let text = after.get(is.clone()).unwrap_or_default();
        let is_kept = leaf(&new.tree, is).is_some_and(|leaf| is_like(leaf, name, text));
        !is_kept || (!is_member(name) && is_reserved(language, text))
    })
}

/// Where a name first is in code: not in a comment, and not in a text of the program.
#[must_use]
pub fn first_in_code(syntax: &Syntax<'_>, name: &str) -> Option<usize> {
    let is_code = |node: Node<'_>| {
        let kind = node.kind();
        let is_text = ["comment", "string", "heredoc"]
            .iter()
            .any(|part| kind.contains(part));
        node.is_named() && !is_text && !matches!(kind, "text" | "jsx_text")
    };
    let mut places = syntax.text.match_indices(name).map(|(at, _)| at);
    places.find(|at| leaf(&syntax.tree, &(*at..at + name.len())).is_some_and(is_code))
}

/// The node that is exactly at a place and has no parts.
fn leaf<'t>(tree: &'t Tree, place: &Range<usize>) -> Option<Node<'t>> {
    let mut node = tree
        .root_node()
        .descendant_for_byte_range(place.start, place.end)?;
    // Of several nodes at one place this is the innermost.
    while node.child_count() == 1 {
        node = node.child(0)?;
    }
    let is_leaf = node.child_count() == 0 && node.byte_range() == *place;
    is_leaf.then_some(node)
}

fn is_like(new: Node<'_>, old: Node<'_>, text: &str) -> bool {
    let is_identifier = |node: Node<'_>| node.kind().ends_with("identifier");
    // A parameter of Rust can become `self`, and one that is not used `_`.
    let is_special = matches!(text, "self" | "_") && is_identifier(old);
    let is_named = new.is_named() && !new.is_error() && !new.is_missing();
    is_special || is_named && (new.kind() == old.kind() || is_identifier(new) && is_identifier(old))
}

/// Whether every word is a name there.
fn is_member(name: Node<'_>) -> bool {
    !name.kind().ends_with("identifier")
        || matches!(
            name.kind(),
            "property_identifier" | "private_property_identifier"
        )
}

fn is_reserved(language: Language, text: &str) -> bool {
    RESERVED
        .iter()
        .filter(|(languages, _)| languages.contains(&language))
        .any(|(_, words)| words.split_ascii_whitespace().any(|word| word == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each `old` in the text can be called `new`.
    fn can_be(path: &str, text: &str, old: &str, new: &str) -> bool {
        let places: Vec<_> = text
            .match_indices(old)
            .enumerate()
            .map(|(before, (at, _))| {
                let start = at + before * new.len() - before * old.len();
                (at..at + old.len(), start..start + new.len())
            })
            .collect();
        let patient = Budget {
            max_time: std::time::Duration::from_secs(60),
            ..Budget::default()
        };
        let after = text.replace(old, new);
        first_misnamed(path, (text, &after), &places, patient).is_none()
    }
    #[test]
    fn a_name_in_a_comment_or_a_text_is_not_in_code() {
        for (path, text) in [
            (
                "a.ts",
                "// total\nlet a = 'total' + `total`; /* total */ total()\n",
            ),
            ("a.tsx", "const a = <p>total</p>\nconst b = total\n"),
            ("a.py", "# total\na = 'total'\nsubtotal = 1\nb = total\n"),
            ("a.rs", "// total\nfn f() { g(\"total\"); h!(total) }\n"),
            ("a.go", "package a\n// total\nvar b = \"total\" + total\n"),
            ("a.c", "/* total */\nchar *a = \"total\";\nint b = total;\n"),
            (
                "a.java",
                "class A { String a = \"total\"; /* total */ int b = total; }\n",
            ),
            ("a.sh", "# total\ncat <<E\ntotal\nE\necho 'total'; total\n"),
        ] {
            let syntax = parse(text, Language::of(path).unwrap(), Budget::default()).unwrap();
            assert_eq!(
                first_in_code(&syntax, "total"),
                text.rfind("total"),
                "{path}"
            );
        }
        let only = parse("// total\n", Language::TypeScript, Budget::default()).unwrap();
        assert_eq!(first_in_code(&only, "total"), None);
    }

    #[test]
    fn what_a_grammar_reads_as_something_else_is_no_name() {
        let typescript = "export function total(a: number) { return a }\ntotal(1)\n";
        let python = "def total(a):\n    return a\n\ntotal(1)\n";
        for new in [
            "not valid!",
            "1abc",
            "a.b",
            "foo-bar",
            "a\nb",
            "",
            " a",
            "class",
            "a()",
            "'a'",
            "1",
        ] {
            assert!(!can_be("a.ts", typescript, "total", new), "{new:?}");
            assert!(!can_be("a.py", python, "total", new), "{new:?}");
        }
        for new in ["sum", "größe", "of", "type", "_"] {
            assert!(can_be("a.ts", typescript, "total", new), "{new:?}");
            assert!(can_be("a.py", python, "total", new), "{new:?}");
        }
    }

    #[test]
    fn words_that_a_language_keeps_are_no_names() {
        for (path, text, word) in [
            ("a.js", "let total = 1\n", "default"),
            ("a.py", "total = 1\n", "in"),
            ("a.rs", "fn total() {}\n", "match"),
            ("a.go", "package a\n\nfunc total() {}\n", "type"),
            ("a.java", "class A { void total() {} }\n", "static"),
            ("a.c", "int total(void) { return 1; }\n", "return"),
            ("a.cpp", "int total() { return 1; }\n", "int"),
        ] {
            assert!(!can_be(path, text, "total", word), "{path} {word}");
            assert!(can_be(path, text, "total", "sum"), "{path}");
        }
    }

    #[test]
    fn what_is_a_name_depends_on_its_place() {
        let member = "const a = { total() {} }\na.total()\n";
        assert!(can_be("a.js", member, "total", "delete"));
        assert!(!can_be("a.js", member, "total", "a-b"));
        assert!(can_be("a.js", "const a = { 'a key': 1 }\n", "a key", "a-b"));
        assert!(can_be("a.sh", "total() { :; }\ntotal\n", "total", "a-b"));
        assert!(!can_be("a.sh", "total=1\necho $total\n", "total", "a-b"));
        assert!(can_be("a.css", ".total { color: red }\n", "total", "a-b"));
        assert!(can_be(
            "a.rs",
            "fn f(total: u8) -> u8 { total }\n",
            "total",
            "r#type"
        ));
        assert!(can_be(
            "a.rs",
            "impl A { fn f(&self, b: A) { b } }\n",
            "b",
            "self"
        ));
    }

    #[test]
    fn what_is_not_understood_is_not_judged() {
        assert!(can_be("a.zig", "total\n", "total", "a b"));
        assert!(
            can_be("a.ts", "// total\n", "total", "a b"),
            "within a comment"
        );
        let small = Budget {
            max_bytes: 3,
            ..Budget::default()
        };
        assert_eq!(
            first_misnamed("a.js", ("a = 1", "class = 1"), &[(0..1, 0..5)], small),
            None
        );
    }
}
