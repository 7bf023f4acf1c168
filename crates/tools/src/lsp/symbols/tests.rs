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
fn every_symbol_of_an_outline_can_be_named_as_it_is_listed() {
    let operator = "struct P {\n  bool operator()(int a) const {\n    return a;\n  }\n};\n";
    let java = "class A {\n  int x;\n  A(int x) {\n    this.x = x;\n  }\n}\n";
    let json = "{\n  \"src/a.ts\": { \"b.c\": 1 }\n}\n";
    for (name, text, symbol, line, found) in [
        ("a.hpp", operator, "P/operator()", None, "2 operator()"),
        ("a.hpp", operator, "operator()", None, "2 operator()"),
        ("a.hpp", operator, "P::operator()", None, "2 operator()"),
        ("a.java", java, "A", Some(3), "3 A"),
        ("a.java", java, "A", Some(1), "1 A"),
        ("a.java", java, "A/A()", None, "3 A"),
        ("a.json", json, "src/a.ts", None, "2 src/a.ts"),
        ("a.json", json, "/src/a.ts/b.c", None, "2 b.c"),
        ("a.json", json, "b.c", None, "2 b.c"),
    ] {
        let bench = bench(name, text);
        let place = bench.session.workspace.locate(name).unwrap();
        let outline = Outline::of(&place).unwrap().unwrap();
        let symbol = outline.find(symbol, line).unwrap().symbol;
        assert_eq!(format!("{} {}", symbol.lines.first, symbol.name), found);
    }
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

/// The file after each replacement, and what is expected: the symbol, its new text, the line that it is on then.
#[test]
fn what_follows_a_symbol_on_its_line_counts_once() {
    let rust = "enum E {\n    A,\n    B(u8), // two\n    C // last\n}\n";
    let script =
        "class A {\n  x = 1;\n  y = () => 1; // y\n}\nconst o = {\n  z() { return 1 },\n}\n";
    let c = "struct S {\n  int a; /* x */\n};\nenum { P = 1, /* p */ Q };\n";
    let line = "const o = { p: 1, deny: () => 'never', q: 2 }\n";
    for (name, text, symbol, content, expected) in [
        ("a.rs", rust, "E/A", "    A,", None),
        (
            "a.rs",
            rust,
            "E/A",
            "A(u8),",
            Some(("    A,", "    A(u8),")),
        ),
        ("a.rs", rust, "E/A", "A(u8)", Some(("    A,", "    A(u8),"))),
        (
            "a.rs",
            rust,
            "E/A",
            "A, // one",
            Some(("    A,", "    A, // one")),
        ),
        (
            "a.rs",
            rust,
            "E/A",
            "A // one",
            Some(("    A,", "    A, // one")),
        ),
        (
            "a.rs",
            rust,
            "E/A",
            "A,\nA2,",
            Some(("    A,", "    A,\n    A2,")),
        ),
        (
            "a.rs",
            rust,
            "E/B",
            "B(u16), // two",
            Some(("B(u8),", "B(u16),")),
        ),
        ("a.rs", rust, "E/B", "B(u16)", Some(("B(u8),", "B(u16),"))),
        (
            "a.rs",
            rust,
            "E/B",
            "B(u8), // three",
            Some(("// two", "// three")),
        ),
        (
            "a.rs",
            rust,
            "E/C",
            "C, // last",
            Some(("C // last", "C, // last")),
        ),
        ("a.ts", script, "A/x", "x = 3;", Some(("x = 1;", "x = 3;"))),
        (
            "a.ts",
            script,
            "A/x",
            "x = ';';",
            Some(("x = 1;", "x = ';';")),
        ),
        (
            "a.ts",
            script,
            "A/y",
            "y = () => 2; // y",
            Some(("=> 1;", "=> 2;")),
        ),
        (
            "a.ts",
            script,
            "o/z",
            "  z() { return 3 },",
            Some(("{ return 1 },", "{ return 3 },")),
        ),
        (
            "a.js",
            line,
            "o/deny",
            "deny: () => 'x',",
            Some(("'never'", "'x'")),
        ),
        (
            "a.json",
            "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
            "a",
            "\"a\": 2,",
            Some(("1,", "2,")),
        ),
        (
            "a.py",
            "class A:\n    x = 1  # c\n",
            "A/x",
            "x = 2  # c",
            Some(("1", "2")),
        ),
        (
            "a.py",
            "class A:\n    x = 1  # c\n",
            "A/x",
            "x = 1  # d",
            Some(("# c", "# d")),
        ),
        ("a.c", c, "S/a", "  long a; /* x */", Some(("int", "long"))),
        (
            "a.c",
            c,
            "S",
            "struct S {\n  int b;\n};",
            Some(("int a; /* x */", "int b;")),
        ),
        (
            "a.c",
            "#define A 1\n#define B 2\n",
            "A",
            "#define A 5\n",
            Some(("A 1", "A 5")),
        ),
    ] {
        let bench = bench(name, text);
        let place = bench.session.workspace.locate(name).unwrap();
        let replace = LspOperation::ReplaceSymbolBody;
        let params = Bench::params(replace, name, symbol, content);
        let after = changed(&place, &params, &bench.session)
            .map(|_| bench.after(name, replace, symbol, content))
            .map_err(|error| error.code);
        let expected = expected.map_or(Err(ErrorCode::NoChange), |(old, new)| {
            Ok(text.replacen(old, new, 1))
        });
        assert_eq!(after, expected, "{symbol} {content}");
    }
}

#[test]
fn text_beside_a_symbol_that_shares_its_line_goes_on_that_line() {
    let script = "const o = { p: 1, deny: () => 'never', q: 2 }\n";
    let functions = "function a() {} function b() {}\n";
    let rust = "enum E { A, B }\n";
    let (before, behind) = (
        LspOperation::InsertBeforeSymbol,
        LspOperation::InsertAfterSymbol,
    );
    for (name, text, operation, symbol, content, expected) in [
        (
            "a.js",
            script,
            behind,
            "o/deny",
            "r: 3,",
            "const o = { p: 1, deny: () => 'never', r: 3, q: 2 }\n",
        ),
        (
            "a.js",
            script,
            before,
            "o/deny",
            "r() {}",
            "const o = { p: 1, r() {}, deny: () => 'never', q: 2 }\n",
        ),
        (
            "a.js",
            functions,
            behind,
            "a",
            "function c() {}",
            "function a() {} function c() {} function b() {}\n",
        ),
        (
            "a.js",
            functions,
            before,
            "b",
            "function c() {}",
            "function a() {} function c() {} function b() {}\n",
        ),
        (
            "a.js",
            functions,
            behind,
            "b",
            "function c() {}",
            "function a() {} function b() {}\nfunction c() {}\n",
        ),
        ("a.rs", rust, behind, "E/A", "C,", "enum E { A, C, B }\n"),
        ("a.rs", rust, behind, "E/B", "C,", "enum E { A, B, C }\n"),
        ("a.rs", rust, before, "E/A", "C", "enum E { C, A, B }\n"),
        (
            "a.py",
            "x = 1; y = 2\n",
            behind,
            "x",
            "z = 3",
            "x = 1; z = 3; y = 2\n",
        ),
        (
            "a.ts",
            "class A { x = 1; y = 2 }\n",
            behind,
            "A/y",
            "z = 3;",
            "class A { x = 1; y = 2; z = 3 }\n",
        ),
        (
            "a.rs",
            rust,
            behind,
            "E",
            "struct S;",
            "enum E { A, B }\nstruct S;\n",
        ),
        (
            "a.rs",
            "fn f() {} fn g() {}\n",
            behind,
            "f",
            "fn h() {\n}",
            "fn f() {} fn g() {}\n\nfn h() {\n}\n",
        ),
    ] {
        let bench = bench(name, text);
        let after = bench.after(name, operation, symbol, content);
        assert_eq!(after, expected, "{symbol} {content}");
    }
}

#[test]
fn a_symbol_that_shares_its_line_is_shown_alone() {
    let text = "const o = { p: 1, deny: () => 'never', q: 2 }\nlet a; /* b */ let c;\n";
    let bench = bench("a.js", text);
    let place = bench.session.workspace.locate("a.js").unwrap();
    let note = |name: &str| {
        format!("`{name}` shares its lines with other text. Only the text of the symbol is shown.")
    };
    for (symbol, shown, notes) in [
        ("o/deny", "deny: () => 'never'\n", vec![note("deny")]),
        ("a", "let a;\n", vec![note("a")]),
        (
            "o",
            "const o = { p: 1, deny: () => 'never', q: 2 }\n",
            vec![],
        ),
    ] {
        let params = Bench::params(LspOperation::ReadSymbol, "a.js", symbol, "");
        let output = read(&place, &params).unwrap();
        let Ok(LspFound::Source { text, .. }) = output.found else {
            panic!("{symbol}")
        };
        assert_eq!((text.as_str(), output.notes), (shown, notes));
    }
}

/// Texts of every language: those of the repository, and what it has none of.
fn sources() -> Vec<(String, String)> {
    let samples = [
        (
            "a.c",
            "#define ONE 1\n#define F(x) \\\n  ((x) + 1)\nstruct S { int a; }; // s\nstruct T {\n  int a, b; /* ab */\n};\nint f(void)\n{\n  return 1;\n} /* f */\nenum { A, B = 2, };\nenum X {\n  C, // c\n  D\n};\ntypedef struct { int x; } P; // p\n",
        ),
        (
            "a.cpp",
            "namespace n {\n  template <class T>\n  class C : B {\n    int x{1}; // x\n    void f() const; int g;\n  };\n}\nvoid n::C::f() const { } // f\n",
        ),
        (
            "a.go",
            "package a\n\nconst (\n\tA = 1 // a\n\tB = 2\n)\n\ntype S struct {\n\tX, Y int `json:\"x\"` // xy\n}\n\nfunc (s *S) F() { return } // f\n\nvar v = 1; var w = 2\n",
        ),
        (
            "a.java",
            "class A {\n  int a = 1, b; // ab\n  enum E { X, Y; }\n  enum F {\n    P, // p\n    Q;\n  }\n  void f() { } // f\n}\n",
        ),
        (
            "a.py",
            "class A:  # a\n    x = 1  # c\n    y = 2; z = 3\n\n    @property\n    def f(self):\n        text = \"\"\"\n  \n  deep\n\"\"\"\n        return text  # t\n\nif A: B = 1\ndef g(): return 1 # g\n",
        ),
        ("a.sh", "one() {\n  echo 1\n} # one\nA=1 # a\nB=2; C=3\n"),
        (
            "a.css",
            "a { color: red } /* a */\nb, c { d: e; }\n@media print {\n  f { g: h }\n}\n",
        ),
        (
            "a.json",
            "{\n  \"a\": 1, // a\n  \"b\": { \"c\": [1], \"d\": 2 },\n  \"e\": 3 /* e */\n}\n",
        ),
        (
            "a.ts",
            "export class A {\n  #p = 1; q = 2\n  static r = `\n\n    \n  x`; // r\n  m() { return 1 };\n}\nconst f = () => {}, g = 1; // fg\nexport enum E { X = 'x', Y }\ninterface I {\n  a: string; // a\n  b(): void, c: 1\n}\nregister('x', function named() {\n    return 1\n  });\n",
        ),
    ];
    let mut all: Vec<(String, String)> = samples
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for directory in ["crates/tools/src", "js", "bin", "fixtures/vscode-extension"] {
        let mut files: Vec<_> = std::fs::read_dir(root.join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for file in files.iter().take(FILES_OF_A_DIRECTORY) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let is_known = Language::of(&name).is_some() && file.is_file();
            if let Some(text) = is_known.then(|| std::fs::read_to_string(file).unwrap()) {
                all.push((name, text));
            }
        }
    }
    let crlf: Vec<_> = all
        .iter()
        .map(|(name, text)| (name.clone(), text.replace('\n', "\r\n")))
        .collect();
    all.extend(crlf);
    all
}

const FILES_OF_A_DIRECTORY: usize = 25;

#[test]
fn what_is_read_and_written_back_changes_nothing_but_what_was_changed_in_it() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let bench = bench(&name, &text);
        let place = bench.session.workspace.locate(&name).unwrap();
        let outline = Outline::of(&place).unwrap().unwrap();
        for (_, found) in outline.all() {
            let symbol = found.symbol;
            let replaced = |content: &str| {
                let plan = outline.change(LspOperation::ReplaceSymbolBody, symbol, content);
                plan.apply(&text)
            };
            let shown = outline.shown(symbol).0;
            let same = text[shown.clone()].replace("\r\n", "\n");
            let renamed_at = text[symbol.name_range.clone()]
                .find(char::is_alphabetic)
                .map(|at| symbol.name_range.start + at)
                .filter(|at| shown.contains(at));
            let renamed = renamed_at.map(|at| {
                let (before, behind) = (&text[shown.start..at], &text[at..shown.end]);
                let content = format!("{before}q{behind}").replace("\r\n", "\n");
                let expected = format!("{}q{}", &text[..at], &text[at..]);
                (content, expected)
            });
            for (content, expected) in [Some((same, text.clone())), renamed].into_iter().flatten() {
                count += 1;
                if replaced(&content) != expected {
                    wrong.push(format!("{name} {}: {content:?}", symbol.name));
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_name_without_a_line_is_where_it_is_declared_else_where_code_first_has_it() {
    let text = "// Total, cart and 'Size'\nimport { Size } from './size'\nconst label = 'Cart'\n\
                class Cart {\n  size: Size\n  total() {}\n}\nclass Bag {\n  total() {}\n}\nenum Kind { Cart }\n";
    let bench = bench("cart.ts", text);
    let file = bench.session.workspace.locate("cart.ts").unwrap();
    let line_of = |symbol: &str| {
        let address = Address {
            symbol: Some(symbol.to_owned()),
            ..Address::default()
        };
        let at = place_of(&address, &file)?;
        Some(text[..at].matches('\n').count() + 1)
    };
    let lines = ["Cart", "Bag.total", "Bag/total()", "total", "Size", "cart"].map(line_of);
    assert_eq!(lines, [Some(4), Some(9), Some(9), Some(6), Some(2), None]);
}
