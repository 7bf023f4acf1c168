//! The symbols of a text, as a tree.

mod c;
mod data;
mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod script;
mod symbol;

use symbol::{FoundSymbol, Name, NodeContext};
pub use symbol::{Symbol, SymbolKind};
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

/// The symbols of the text, in its order, each with those in it. Up to 20,000; the names that functions
/// have for themselves are left out, functions in functions are not. HTML has none.
#[must_use]
pub fn outline(syntax: &Syntax<'_>) -> Vec<Symbol> {
    let Some(find) = finder(syntax.language) else {
        return Vec::new();
    };
    let mut walk = OutlineWalk {
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

type Find = for<'a, 't> fn(Node<'t>, &NodeContext<'a, 't>) -> Vec<FoundSymbol<'t>>;

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

struct OutlineWalk<'t> {
    text: &'t str,
    ancestors: Vec<Node<'t>>,
    /// Symbols that are not closed yet, each with its depth in the tree.
    open: Vec<(usize, Symbol)>,
    done: Vec<Symbol>,
    count: usize,
}

impl<'t> OutlineWalk<'t> {
    fn enter(&mut self, node: Node<'t>, find: Find) {
        self.close_down_to(self.ancestors.len());
        if !node.is_named() || node.is_error() || node.is_missing() {
            return;
        }
        let around = NodeContext {
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

    fn symbol(&self, found: FoundSymbol<'t>) -> Symbol {
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
        // Grammars count the line end behind a macro of C as a part of it, and CR as one of a comment of Python.
        let range = found.whole.byte_range();
        let text = self.text.get(range.clone()).unwrap_or_default();
        let whole = text.trim_end();
        let end = range.start + whole.len();
        let blank = text.get(whole.len()..).unwrap_or_default();
        let lines = LineRange::without_end(found.whole, blank);
        Symbol {
            name: one_line(&name),
            kind: found.kind,
            owner: found.owner.as_deref().map(one_line),
            range: range.start..end,
            lines,
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

#[cfg(test)]
mod tests;
