//! The symbols of a text, as a tree.

mod c;
mod data;
mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod script;

use std::ops::Range;

use tree_sitter::Node;

use crate::language::Language;
use crate::lines::LineRange;
use crate::parse::Syntax;

/// Most symbols of one text.
const MAX_SYMBOLS: usize = 20_000;
/// How deep symbols are nested; deeper ones are children of the last level.
const MAX_DEPTH: usize = 32;
/// Longest name, in characters.
const NAME_MAX_CHARACTERS: usize = 200;

/// Something with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Its name, on one line.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The type or namespace that it belongs to, where that is not the symbol around it: the receiver
    /// of a method in Go, the scope of a definition in C++.
    pub owner: Option<String>,
    /// Its bytes, with `export`, decorators and template parameters, without the comments above.
    pub range: Range<usize>,
    /// Its lines.
    pub lines: LineRange,
    /// The bytes of its name.
    pub name_range: Range<usize>,
    /// The bytes of its body, with its brackets where it has some; `None` for what has none.
    pub body: Option<Range<usize>>,
    /// The symbols in it, in the order of the text.
    pub children: Vec<Symbol>,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A class.
    Class,
    /// A name for a value that does not change.
    Constant,
    /// What makes an instance of a class.
    Constructor,
    /// An enumeration.
    Enum,
    /// One of its members.
    EnumMember,
    /// A member that holds a value.
    Field,
    /// A function that belongs to no type.
    Function,
    /// What a type implements (Rust's `impl`).
    Implementation,
    /// An interface, trait or concept.
    Interface,
    /// A macro.
    Macro,
    /// A function of a type.
    Method,
    /// A module or namespace.
    Module,
    /// A member of a JSON object.
    Property,
    /// A rule of a style sheet.
    Rule,
    /// A structure, union or record.
    Struct,
    /// Another name for a type.
    Type,
    /// A variable.
    Variable,
}

impl SymbolKind {
    /// Its name, in lower case: `enum member`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Constant => "constant",
            Self::Constructor => "constructor",
            Self::Enum => "enum",
            Self::EnumMember => "enum member",
            Self::Field => "field",
            Self::Function => "function",
            Self::Implementation => "implementation",
            Self::Interface => "interface",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Property => "property",
            Self::Rule => "rule",
            Self::Struct => "struct",
            Self::Type => "type",
            Self::Variable => "variable",
        }
    }

    /// Whether its body is run, so that the names in it are nobody else's business.
    const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }

    /// Whether functions in it are its methods.
    const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Struct | Self::Enum | Self::Implementation
        )
    }
}

/// The symbols of the text, in its order, each with those in it. Up to 20,000; the names that functions
/// have for themselves are left out, functions in functions are not. HTML has none.
#[must_use]
pub fn outline(syntax: &Syntax<'_>) -> Vec<Symbol> {
    let Some(find) = finder(syntax.language) else {
        return Vec::new();
    };
    let mut walk = Walk {
        text: syntax.text,
        ancestors: Vec::new(),
        open: Vec::new(),
        done: Vec::new(),
        count: 0,
    };
    let mut cursor = syntax.tree.walk();
    loop {
        let node = cursor.node();
        if walk.count < MAX_SYMBOLS {
            walk.enter(node, find);
        }
        if walk.count < MAX_SYMBOLS && cursor.goto_first_child() {
            walk.ancestors.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if walk.count >= MAX_SYMBOLS || !cursor.goto_parent() {
                walk.close_down_to(0);
                return walk.done;
            }
            walk.ancestors.pop();
        }
    }
}

/// The symbols around a place, from the outermost to the innermost. `offset` is in bytes.
#[must_use]
pub fn enclosing(symbols: &[Symbol], offset: usize) -> Vec<&Symbol> {
    let mut around = Vec::new();
    let mut level = symbols;
    while let Some(symbol) = level.iter().find(|symbol| symbol.range.contains(&offset)) {
        around.push(symbol);
        level = &symbol.children;
    }
    around
}

type Find = for<'a, 't> fn(Node<'t>, &Around<'a, 't>) -> Vec<Found<'t>>;

fn finder(language: Language) -> Option<Find> {
    Some(match language {
        Language::Bash => script::find,
        Language::C | Language::Cpp => c::find,
        Language::Css | Language::Json => data::find,
        Language::Go => go::find,
        Language::Html => return None,
        Language::Java => java::find,
        Language::JavaScript | Language::Tsx | Language::TypeScript => javascript::find,
        Language::Python => python::find,
        Language::Rust => rust::find,
    })
}

/// Where a node stands.
struct Around<'a, 't> {
    text: &'t str,
    /// From the root to its parent.
    ancestors: &'a [Node<'t>],
    /// The kind of the symbol around it.
    inside: Option<SymbolKind>,
    /// Symbols around it and beside it that are done, for names that are only told once.
    beside: &'a [Symbol],
}

impl<'t> Around<'_, 't> {
    fn parent(&self) -> Option<Node<'t>> {
        self.ancestors.last().copied()
    }

    fn parent_kind(&self) -> &'t str {
        self.parent().map_or("", |parent| parent.kind())
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn is_in_callable(&self) -> bool {
        self.inside.is_some_and(SymbolKind::is_callable)
    }

    /// A method in a type, a function elsewhere.
    fn function_kind(&self) -> SymbolKind {
        if self.inside.is_some_and(SymbolKind::is_type) {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        }
    }

    fn is_told_already(&self, name: &str) -> bool {
        self.beside.iter().any(|symbol| symbol.name == name)
    }

    /// The outermost node that is nothing but a wrapping of this one: `export`, decorators, a
    /// declaration of this name only.
    fn whole(&self, node: Node<'t>, wraps: fn(Node<'_>) -> bool) -> Node<'t> {
        let wrappers = self
            .ancestors
            .iter()
            .rev()
            .take_while(|ancestor| wraps(**ancestor));
        wrappers.last().copied().unwrap_or(node)
    }
}

/// A symbol as a language finds it.
struct Found<'t> {
    kind: SymbolKind,
    name: Name<'t>,
    owner: Option<String>,
    whole: Node<'t>,
    body: Option<Node<'t>>,
}

enum Name<'t> {
    /// The text of the node.
    Of(Node<'t>),
    /// Another one, and the node that stands for it.
    Said(String, Node<'t>),
}

impl<'t> Found<'t> {
    fn new(kind: SymbolKind, name: Node<'t>, whole: Node<'t>) -> Self {
        Self {
            kind,
            name: Name::Of(name),
            owner: None,
            whole,
            body: None,
        }
    }

    /// One whose name and body are fields of its node.
    fn by_fields(kind: SymbolKind, node: Node<'t>, whole: Node<'t>) -> Option<Self> {
        let name = node.child_by_field_name("name")?;
        Some(Self::new(kind, name, whole).with_body(node.child_by_field_name("body")))
    }

    fn with_body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    fn with_owner(mut self, owner: Option<String>) -> Self {
        self.owner = owner;
        self
    }

    fn named(mut self, name: String) -> Self {
        let (Name::Of(node) | Name::Said(_, node)) = self.name;
        self.name = Name::Said(name, node);
        self
    }
}

struct Walk<'t> {
    text: &'t str,
    ancestors: Vec<Node<'t>>,
    /// Symbols that are not closed yet, each with its depth in the tree.
    open: Vec<(usize, Symbol)>,
    done: Vec<Symbol>,
    count: usize,
}

impl<'t> Walk<'t> {
    fn enter(&mut self, node: Node<'t>, find: Find) {
        self.close_down_to(self.ancestors.len());
        if !node.is_named() || node.is_error() || node.is_missing() {
            return;
        }
        let around = Around {
            text: self.text,
            ancestors: &self.ancestors,
            inside: self.open.last().map(|(_, symbol)| symbol.kind),
            beside: self
                .open
                .last()
                .map_or(&self.done, |(_, symbol)| &symbol.children),
        };
        let found = find(node, &around);
        let depth = self.ancestors.len();
        for found in found {
            // Several names of one declaration stand beside each other; only the last one can have children.
            self.close_down_to(depth);
            let symbol = self.symbol(found);
            self.count += 1;
            if self.open.len() < MAX_DEPTH {
                self.open.push((depth, symbol));
            } else {
                self.add(symbol);
            }
        }
    }

    fn symbol(&self, found: Found<'t>) -> Symbol {
        let (name, node) = match found.name {
            Name::Of(node) => (
                self.text
                    .get(node.byte_range())
                    .unwrap_or_default()
                    .to_owned(),
                node,
            ),
            Name::Said(name, node) => (name, node),
        };
        Symbol {
            name: one_line(&name),
            kind: found.kind,
            owner: found.owner.as_deref().map(one_line),
            range: found.whole.byte_range(),
            lines: LineRange::of(found.whole),
            name_range: node.byte_range(),
            body: found.body.map(|body| body.byte_range()),
            children: Vec::new(),
        }
    }

    /// Closes the symbols at this depth of the tree and below.
    fn close_down_to(&mut self, depth: usize) {
        while let Some((_, symbol)) = self.open.pop_if(|(at, _)| *at >= depth) {
            self.add(symbol);
        }
    }

    fn add(&mut self, symbol: Symbol) {
        let siblings = self
            .open
            .last_mut()
            .map_or(&mut self.done, |(_, parent)| &mut parent.children);
        siblings.push(symbol);
    }
}

fn one_line(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").chars().take(NAME_MAX_CHARACTERS).collect()
}

/// The children of a node that are no comments.
fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect();
    children.into_iter()
}

/// The children of a node in this field.
fn in_field<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

#[cfg(test)]
mod tests;
