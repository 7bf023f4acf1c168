use proptest::prelude::*;

use std::ops::Range;

use super::*;
use crate::{Budget, parse};

fn symbols(text: &str, language: Language) -> Vec<Symbol> {
    let patient = Budget {
        max_time: std::time::Duration::from_secs(60),
        ..Budget::default()
    };
    outline(&parse(text, language, patient).unwrap())
}

/// The outline as indented lines: kind, owner and name, lines.
fn reported(text: &str, language: Language) -> Vec<String> {
    fn report(symbols: &[Symbol], depth: usize, lines: &mut Vec<String>) {
        for symbol in symbols {
            let owner = symbol
                .owner
                .as_ref()
                .map_or_else(String::new, |owner| format!("({owner}) "));
            let indentation = "  ".repeat(depth);
            let LineRange { first, last } = symbol.lines;
            lines.push(format!(
                "{indentation}{} {owner}{} {first}-{last}",
                symbol.kind.name(),
                symbol.name
            ));
            report(&symbol.children, depth + 1, lines);
        }
    }
    let mut lines = Vec::new();
    report(&symbols(text, language), 0, &mut lines);
    lines
}

#[test]
fn javascript() {
    let text = "\
const LIMIT = 10, more = () => LIMIT
let state
export default class Cart extends Base {
  #items = []
  static of = async (x) => new Cart(x)
  constructor() { super(); const local = 1; function inner() {} }
  get total() { return 0 }
}
export const load = async function () {
  for (const a of b) { const c = 1 }
}
module.exports.run = function* () {}
const table = {
  open() {},
  close: () => {},
  'a key': function () {},
}
if (state) { let hidden = 1 }
";
    assert_eq!(
        reported(text, Language::JavaScript),
        [
            "constant LIMIT 1-1",
            "function more 1-1",
            "variable state 2-2",
            "class Cart 3-8",
            "  field #items 4-4",
            "  method of 5-5",
            "  constructor constructor 6-6",
            "    function inner 6-6",
            "  method total 7-7",
            "function load 9-11",
            "function (module.exports) run 12-12",
            "constant table 13-17",
            "  method open 14-14",
            "  method close 15-15",
            "  method a key 16-16",
        ]
    );
}

#[test]
fn typescript() {
    let text = "\
export interface Options<T> {
  path: string
  read(limit?: number): T
}
export type Name = string | number
declare function run(): void
export enum Kind { One, Two = 2 }
namespace Inner {
  export const depth = 1
  export abstract class Shape {
    private size: number = 1
    abstract area(): number
    @log() draw(): void {}
  }
}
function over(a: string): void
function over(a: unknown) {}
";
    assert_eq!(
        reported(text, Language::TypeScript),
        [
            "interface Options 1-4",
            "  field path 2-2",
            "  method read 3-3",
            "type Name 5-5",
            "function run 6-6",
            "enum Kind 7-7",
            "  enum member One 7-7",
            "  enum member Two 7-7",
            "module Inner 8-15",
            "  constant depth 9-9",
            "  class Shape 10-14",
            "    field size 11-11",
            "    method area 12-12",
            "    method draw 13-13",
            "function over 16-16",
            "function over 17-17",
        ]
    );
    assert_eq!(
        reported("export const App = () => <a>{b}</a>\n", Language::Tsx),
        ["function App 1-1"]
    );
}

#[test]
fn python() {
    let text = "\
LIMIT = 10
names: list[str] = []
names = sorted(names)

@decorated
@twice(1)
class Cart(Base):
    size = 1

    def __init__(self):
        self.items = []
        local = 1

    @property
    async def total(self):
        def inner():
            pass
        return inner

if LIMIT:
    def late(): ...
";
    assert_eq!(
        reported(text, Language::Python),
        [
            "constant LIMIT 1-1",
            "variable names 2-2",
            "class Cart 5-18",
            "  field size 8-8",
            "  constructor __init__ 10-12",
            "  method total 14-18",
            "    function inner 16-17",
            "function late 21-21",
        ]
    );
}

#[test]
fn rust() {
    let text = "\
const LIMIT: usize = 1;
static NAME: &str = \"\";
pub struct Point<T> { x: T, pub y: T }
enum Kind { One, Two { a: u8 } }
trait Draw { type Out; fn draw(&self); }
impl<T: Draw> fmt::Display for Point<T> {
    fn fmt(&self) { const INNER: u8 = 1; fn helper() {} }
}
impl Point<u8> { pub async fn new() {} }
mod inner { pub(crate) fn run() {} }
macro_rules! say { () => {} }
type Name = String;
";
    assert_eq!(
        reported(text, Language::Rust),
        [
            "constant LIMIT 1-1",
            "variable NAME 2-2",
            "struct Point 3-3",
            "  field x 3-3",
            "  field y 3-3",
            "enum Kind 4-4",
            "  enum member One 4-4",
            "  enum member Two 4-4",
            "    field a 4-4",
            "interface Draw 5-5",
            "  type Out 5-5",
            "  method draw 5-5",
            "implementation fmt::Display for Point<T> 6-8",
            "  method fmt 7-7",
            "    function helper 7-7",
            "implementation Point<u8> 9-9",
            "  method new 9-9",
            "module inner 10-10",
            "  function run 10-10",
            "macro say 11-11",
            "type Name 12-12",
        ]
    );
}

#[test]
fn go() {
    let text = "\
package cart

const limit, _ = 1, 2

var (
\tname string
)

type Cart[T any] struct {
\tItems, Names []T
\tsize int
}

type (
\tReader interface {
\t\tRead(p []byte) (int, error)
\t}
\tName = string
)

func (c *Cart[T]) Total() int {
\tvar local int
\treturn local
}

func run() {}
";
    assert_eq!(
        reported(text, Language::Go),
        [
            "constant limit 3-3",
            "variable name 6-6",
            "struct Cart 9-12",
            "  field Items 10-10",
            "  field Names 10-10",
            "  field size 11-11",
            "interface Reader 15-17",
            "  method Read 16-16",
            "type Name 18-18",
            "method (Cart) Total 21-24",
            "function run 26-26",
        ]
    );
}

#[test]
fn c_and_its_successor() {
    let text = "\
#ifndef A_H
#define A_H
#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef struct point { int x, *y; } Point, *PointAt;
typedef int Number;
enum kind { ONE, TWO = 2 };
static int count = 0, (*callback)(int);
int *find(const char *name);
int main(void) { int local = 1; return local; }
#endif
";
    let names = [
        "macro LIMIT 3-3",
        "macro MAX 4-4",
        "struct Point 5-5",
        "struct PointAt 5-5",
        "  field x 5-5",
        "  field y 5-5",
        "type Number 6-6",
        "enum kind 7-7",
        "  enum member ONE 7-7",
        "  enum member TWO 7-7",
        "variable count 8-8",
        "variable callback 8-8",
        "function find 9-9",
        "function main 10-10",
    ];
    assert_eq!(reported(text, Language::C), names);
    assert_eq!(reported(text, Language::Cpp), names);
    let text = "\
namespace shop {
template <typename T>
class Cart : public Base {
 public:
  Cart();
  ~Cart();
  virtual int total() const { return size_; }
  bool operator==(const Cart& other) const;
 private:
  int size_ = 0;
};
using Name = std::string;
}
template <typename T>
shop::Cart<T>::Cart() {}
int shop::Cart<int>::total() const { auto f = [] { return 1; }; return f(); }
std::string& name();
";
    assert_eq!(
        reported(text, Language::Cpp),
        [
            "module shop 1-13",
            "  class Cart 2-11",
            "    constructor Cart 5-5",
            "    method ~Cart 6-6",
            "    method total 7-7",
            "    method operator== 8-8",
            "    field size_ 10-10",
            "  type Name 12-12",
            "constructor (shop::Cart<T>) Cart 14-15",
            "method (shop::Cart<int>) total 16-16",
            "function name 17-17",
        ]
    );
}

#[test]
fn java() {
    let text = "\
package shop;
@Entity
public class Cart<T> extends Base {
  private static final int LIMIT = 1;
  int a, b = 2;
  public Cart() {}
  @Override public int total() { int local = 1; Runnable r = new Runnable() { public void run() {} }; return local; }
  enum Kind { ONE, TWO { void a() {} } }
  interface Reader { int SIZE = 1; int read(); }
}
record Point(int x) { Point { } }
";
    assert_eq!(
        reported(text, Language::Java),
        [
            "class Cart 2-10",
            "  constant LIMIT 4-4",
            "  field a 5-5",
            "  field b 5-5",
            "  constructor Cart 6-6",
            "  method total 7-7",
            "    method run 7-7",
            "  enum Kind 8-8",
            "    enum member ONE 8-8",
            "    enum member TWO 8-8",
            "      method a 8-8",
            "  interface Reader 9-9",
            "    constant SIZE 9-9",
            "    method read 9-9",
            "struct Point 11-11",
            "  constructor Point 11-11",
        ]
    );
}

#[test]
fn scripts_and_data() {
    let bash =
        "NAME=a\nexport PATH=b\nrun() {\n  local x=1\n  y=2\n}\nfunction other { :; }\nNAME=c\n";
    assert_eq!(
        reported(bash, Language::Bash),
        [
            "variable NAME 1-1",
            "variable PATH 2-2",
            "function run 3-6",
            "function other 7-7"
        ]
    );
    let json = "{\"a\": {\"b\": 1, \"c\": [{\"d\": 2}]}, \"e\": null}\n";
    assert_eq!(
        reported(json, Language::Json),
        [
            "property a 1-1",
            "  property b 1-1",
            "  property c 1-1",
            "property e 1-1"
        ]
    );
    let css = "a:hover,\nb { color: red }\n@media (min-width: 1px) { c { d: e } }\n@keyframes spin { from { a: b } }\n";
    assert_eq!(
        reported(css, Language::Css),
        [
            "rule a:hover, b 1-2",
            "rule @media (min-width: 1px) 3-3",
            "  rule c 3-3",
            "rule @keyframes spin 4-4"
        ]
    );
    assert_eq!(reported("<h1>a</h1>", Language::Html), Vec::<String>::new());
}

#[test]
fn ranges_take_in_what_belongs_to_a_symbol_and_bodies_their_brackets() {
    let text = "// About.\nexport class A {\n  b() { return 1 }\n}\n";
    let found = symbols(text, Language::JavaScript);
    let ranges: Vec<(&str, &str, Option<&str>)> = found
        .iter()
        .chain(found.iter().flat_map(|symbol| &symbol.children))
        .map(|symbol| {
            let body = symbol.body.clone().map(|body| &text[body]);
            (
                &text[symbol.range.clone()],
                &text[symbol.name_range.clone()],
                body,
            )
        })
        .collect();
    assert_eq!(
        ranges,
        [
            (
                "export class A {\n  b() { return 1 }\n}",
                "A",
                Some("{\n  b() { return 1 }\n}")
            ),
            ("b() { return 1 }", "b", Some("{ return 1 }")),
        ]
    );
    let names = |at: &str| -> Vec<String> {
        let around = enclosing(&found, text.find(at).unwrap());
        around
            .into_iter()
            .map(|symbol| symbol.name.clone())
            .collect()
    };
    assert_eq!(names("return"), ["A", "b"]);
    assert_eq!(names("{\n"), ["A"]);
    assert_eq!(names("// About"), Vec::<String>::new());
}

#[test]
fn a_symbol_ends_before_the_line_end_that_its_grammar_counts_in() {
    let ends = |text: &'static str, language| {
        let found = symbols(text, language);
        let ends = found
            .iter()
            .map(|symbol| (&text[symbol.range.clone()], symbol.lines.to_string()));
        ends.collect::<Vec<_>>()
    };
    let macros = "#define A 1\r\n#define B(x) \\\n  ((x) + 1)\n\n#define C 2";
    let line = |text, lines: &str| (text, lines.to_owned());
    assert_eq!(
        ends(macros, Language::C),
        [
            line("#define A 1", "line 1"),
            line("#define B(x) \\\n  ((x) + 1)", "lines 2-3"),
            line("#define C 2", "line 5"),
        ]
    );
    assert_eq!(
        ends("def f():\r\n    return 1  # c\r\n\r\n", Language::Python),
        [line("def f():\r\n    return 1  # c", "lines 1-2")]
    );
}

#[test]
fn a_text_that_does_not_parse_keeps_the_symbols_around_the_fault() {
    let text = "function a() {}\nlet b = 1 +* 2;\nclass D { e() {} }\n";
    assert_eq!(
        reported(text, Language::JavaScript),
        [
            "function a 1-1",
            "variable b 2-2",
            "class D 3-3",
            "  method e 3-3"
        ]
    );
}

#[test]
fn deep_and_long_texts_are_bounded() {
    let deep = "function a() {".repeat(2_000);
    let found = symbols(&deep, Language::JavaScript);
    let mut depth = 0;
    let mut level = &found;
    while let Some(symbol) = level.first() {
        depth += 1;
        level = &symbol.children;
    }
    assert!(depth <= MAX_DEPTH, "{depth}");
    let long = "def f(): pass\n".repeat(MAX_SYMBOLS + 10);
    assert_eq!(symbols(&long, Language::Python).len(), MAX_SYMBOLS);
}

fn lies_within(symbols: &[Symbol], around: Range<usize>) -> bool {
    symbols.iter().all(|symbol| {
        around.start <= symbol.range.start
            && symbol.range.end <= around.end
            && symbol
                .body
                .as_ref()
                .is_none_or(|body| body.end <= around.end)
            && lies_within(&symbol.children, 0..around.end)
    })
}

proptest! {
    /// Pieces of source in any order are read without a fault of ours, in every language.
    #[test]
    fn any_text_can_be_read(pieces in prop::collection::vec(
        prop_oneof![
            "\\PC{0,12}",
            prop::sample::select(vec![
                "{", "}", "(", ")", "[", "]", ";", ",", ":", "=", "=>", "\n", "  ", "\t", "\"", "'", "`", "${",
                "class A ", "def f", "fn g", "func (a *B) ", "function ", "impl ", "struct ", "enum E ", "if ",
                "<a b=\"c\">", "</a>", "<!--", "-->", "/*", "*/", "//", "#", "#if 1\n", "#endif\n", "<<X\n", "X\n",
                "typedef ", "template <", "> ", "export ", "const a", "namespace ", "@media ", "r#\"", "\"#", "\0",
            ]).prop_map(str::to_owned),
        ],
        0..60,
    )) {
        let text = pieces.concat();
        for language in Language::ALL {
            let Some(syntax) = parse(&text, language, Budget::default()) else { continue };
            for fault in syntax.faults() {
                prop_assert!(text.get(fault.bytes).is_some());
            }
            prop_assert!(lies_within(&outline(&syntax), 0..text.len()));
        }
    }
}
