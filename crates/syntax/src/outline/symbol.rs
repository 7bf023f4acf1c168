//! Symbols, and how a language reports those that it finds in its tree.

use std::ops::Range;

use tree_sitter::Node;

use crate::lines::LineRange;

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
    pub(super) const fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Constructor)
    }

    /// Whether functions in it are its methods.
    pub(super) const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Interface | Self::Struct | Self::Enum | Self::Implementation
        )
    }
}

/// Where a node stands.
pub(super) struct NodeContext<'a, 't> {
    pub(super) text: &'t str,
    /// From the root to its parent.
    pub(super) ancestors: &'a [Node<'t>],
    /// The kind of the symbol around it.
    pub(super) inside: Option<SymbolKind>,
    /// Symbols around it and beside it that are done, for names that are only reported once.
    pub(super) beside: &'a [Symbol],
}

impl<'t> NodeContext<'_, 't> {
    pub(super) fn parent(&self) -> Option<Node<'t>> {
        self.ancestors.last().copied()
    }

    pub(super) fn parent_kind(&self) -> &'t str {
        self.parent().map_or("", |parent| parent.kind())
    }

    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn is_in_callable(&self) -> bool {
        self.inside.is_some_and(SymbolKind::is_callable)
    }

    /// A method in a type, a function elsewhere.
    pub(super) fn function_kind(&self) -> SymbolKind {
        if self.inside.is_some_and(SymbolKind::is_type) {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        }
    }

    pub(super) fn is_reported_already(&self, name: &str) -> bool {
        self.beside.iter().any(|symbol| symbol.name == name)
    }

    /// The outermost node that is nothing but a wrapping of this one: `export`, decorators, a
    /// declaration of this name only.
    pub(super) fn whole(&self, node: Node<'t>, wraps: fn(Node<'_>) -> bool) -> Node<'t> {
        let wrappers = self
            .ancestors
            .iter()
            .rev()
            .take_while(|ancestor| wraps(**ancestor));
        wrappers.last().copied().unwrap_or(node)
    }
}

/// A symbol as a language finds it.
pub(super) struct FoundSymbol<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: Name<'t>,
    pub(super) owner: Option<String>,
    pub(super) whole: Node<'t>,
    pub(super) body: Option<Node<'t>>,
}

pub(super) enum Name<'t> {
    /// The text of the node.
    Of(Node<'t>),
    /// Another one, and the node that stands for it.
    Said(String, Node<'t>),
}

impl<'t> FoundSymbol<'t> {
    pub(super) fn new(kind: SymbolKind, name: Node<'t>, whole: Node<'t>) -> Self {
        Self {
            kind,
            name: Name::Of(name),
            owner: None,
            whole,
            body: None,
        }
    }

    /// One whose name and body are fields of its node.
    pub(super) fn by_fields(kind: SymbolKind, node: Node<'t>, whole: Node<'t>) -> Option<Self> {
        let name = node.child_by_field_name("name")?;
        Some(Self::new(kind, name, whole).with_body(node.child_by_field_name("body")))
    }

    pub(super) fn with_body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    pub(super) fn with_owner(mut self, owner: Option<String>) -> Self {
        self.owner = owner;
        self
    }

    pub(super) fn named(mut self, name: String) -> Self {
        let (Name::Of(node) | Name::Said(_, node)) = self.name;
        self.name = Name::Said(name, node);
        self
    }
}

/// The children of a node that are no comments.
pub(super) fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node
        .named_children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect();
    children.into_iter()
}

/// The children of a node in this field.
pub(super) fn in_field<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

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
