#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tempfile::TempDir;
use tenon_workspace::{Journal, JournalOptions, Workspace};

use super::*;
use crate::session::{EditRules, Strictness};

const CART: &str = "import os\n\n\nclass Cart:\n    \"\"\"Holds items.\"\"\"\n\n    def __init__(self):\n        self.items = []\n\n    # Sums up.\n    def total(self):\n        return sum(self.items)\n\n\ndef total(cart):\n    return cart.total()\n";

struct Bench {
    directory: TempDir,
    session: FileSession,
}

fn bench(name: &str, text: &str) -> Bench {
    bench_with(EditRules::default(), name, text)
}

fn bench_with(rules: EditRules, name: &str, text: &str) -> Bench {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), text).unwrap();
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    let journal = Journal::new(JournalOptions::default());
    let session = FileSession::new(workspace, journal, rules);
    Bench { directory, session }
}

impl Bench {
    fn params(operation: LspOperation, name: &str, symbol: &str, content: &str) -> LspParams {
        let json = serde_json::json!({ "operation": operation, "path": name, "symbol": symbol, "content": content });
        serde_json::from_value(json).unwrap()
    }

    /// The file after a change of a symbol.
    fn after(&self, name: &str, operation: LspOperation, symbol: &str, content: &str) -> String {
        let place = self.session.workspace.locate(name).unwrap();
        let params = Self::params(operation, name, symbol, content);
        let (_, steps) = changed(&place, &params, &self.session).unwrap();
        let draft = steps.draft(&self.session).unwrap();
        self.session
            .journal
            .commit(draft.changes, &|| false)
            .unwrap();
        std::fs::read_to_string(self.directory.path().join(name)).unwrap()
    }

    fn refusal(&self, name: &str, symbol: &str) -> ToolError {
        let place = self.session.workspace.locate(name).unwrap();
        let params = Self::params(LspOperation::ReadSymbol, name, symbol, "");
        read(&place, &params).unwrap_err()
    }
}

#[test]
fn an_outline_lists_symbols_with_their_places() {
    let bench = bench("cart.py", CART);
    let place = bench.session.workspace.locate("cart.py").unwrap();
    let listed = Outline::of(&place).unwrap().unwrap().listed();
    let reported: Vec<String> = listed
        .items
        .iter()
        .map(|symbol| {
            let place = &symbol.place;
            format!(
                "{}{} {} {}:{}-{}",
                "  ".repeat(symbol.depth),
                symbol.kind,
                symbol.name,
                place.line,
                place.character,
                symbol.last_line
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            "class Cart 4:7-12",
            "  constructor __init__ 7:9-8",
            "  method total 11:9-12",
            "function total 15:5-16",
        ]
    );
}

#[test]
fn a_symbol_is_read_by_a_path_of_names() {
    let bench = bench("cart.py", CART);
    let place = bench.session.workspace.locate("cart.py").unwrap();
    for path in ["Cart/total", "/Cart/total", "Cart.total", "Cart::total()"] {
        let params = Bench::params(LspOperation::ReadSymbol, "cart.py", path, "");
        let output = read(&place, &params).unwrap();
        let Ok(LspFound::Source { text, .. }) = output.found else {
            panic!("{path}")
        };
        assert_eq!(
            text, "    def total(self):\n        return sum(self.items)\n",
            "{path}"
        );
    }
    let error = bench.refusal("cart.py", "total");
    assert_eq!(error.code, ErrorCode::NotUnique);
    assert_eq!(error.details["lines"], serde_json::json!([11, 15]));
    let error = bench.refusal("cart.py", "Cart/sum");
    assert_eq!(error.code, ErrorCode::NoMatch);
    assert!(error.message.contains("`Cart/total`"), "{}", error.message);
}

#[test]
fn a_symbol_is_replaced_at_its_depth() {
    let bench = bench("cart.py", CART);
    let after = bench.after(
        "cart.py",
        LspOperation::ReplaceSymbolBody,
        "Cart/total",
        "def total(self):\n    return 0\n",
    );
    let expected = CART.replace("return sum(self.items)", "return 0");
    assert_eq!(after, expected);
}

#[test]
fn text_is_put_before_the_comments_of_a_symbol_and_behind_its_end() {
    let bench = bench("cart.py", CART);
    let method = "def clear(self):\n    self.items = []\n";
    let after = bench.after(
        "cart.py",
        LspOperation::InsertBeforeSymbol,
        "Cart/total",
        method,
    );
    let expected = CART.replace(
        "    # Sums up.",
        "    def clear(self):\n        self.items = []\n\n    # Sums up.",
    );
    assert_eq!(after, expected);
    let function = "def last():\n    pass\n";
    let after = bench.after(
        "cart.py",
        LspOperation::InsertAfterSymbol,
        "/total",
        function,
    );
    assert_eq!(after, format!("{expected}\n\ndef last():\n    pass\n"));
}

#[test]
fn line_ends_and_a_missing_last_one_are_kept() {
    let bench = bench("a.ts", "export function one() {\r\n  return 1\r\n}");
    let after = bench.after(
        "a.ts",
        LspOperation::InsertAfterSymbol,
        "one",
        "export const two = 2\n",
    );
    assert_eq!(
        after,
        "export function one() {\r\n  return 1\r\n}\r\n\r\nexport const two = 2"
    );
}

#[test]
fn a_new_text_of_a_symbol_is_reviewed_as_every_change_of_a_text() {
    let text = "function one() {\n  const n = 1\n  return n\n}\n";
    let draft = |rules, operation, content: &str| {
        let bench = bench_with(rules, "a.ts", text);
        let place = bench.session.workspace.locate("a.ts").unwrap();
        let params = Bench::params(operation, "a.ts", "one", content);
        let (_, steps) = changed(&place, &params, &bench.session).unwrap();
        steps
            .draft(&bench.session)
            .map(|draft| draft.reported.warnings)
    };
    let strict = EditRules {
        syntax: Strictness::Refuse,
        placeholders: Strictness::Refuse,
        ..EditRules::default()
    };
    let syntax =
        "`a.ts` has a new syntax error: line 2, `(` is not closed before the `}` of line 3.";
    let placeholder = "Line 2 of `a.ts`, `// ... existing code ...`, is a placeholder, but placeholders are not \
                       expanded: 2 lines were lost. Write the full text, or edit only the part that changes.";
    for (content, warning, code) in [
        (
            "function one() {\n  return (\n}",
            syntax,
            ErrorCode::BrokenSyntax,
        ),
        (
            "function one() {\n  // ... existing code ...\n}",
            placeholder,
            ErrorCode::Placeholder,
        ),
    ] {
        let replace = LspOperation::ReplaceSymbolBody;
        assert_eq!(
            draft(EditRules::default(), replace, content).unwrap(),
            [warning]
        );
        assert_eq!(draft(strict, replace, content).unwrap_err().code, code);
    }
    for operation in [
        LspOperation::InsertBeforeSymbol,
        LspOperation::InsertAfterSymbol,
    ] {
        let error = draft(strict, operation, "function two( {}").unwrap_err();
        assert_eq!(error.code, ErrorCode::BrokenSyntax);
    }
}
