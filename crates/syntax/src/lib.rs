//! Syntax trees of source text, by tree-sitter: what does not parse, and which symbols it holds.
//! Pure: no file is read here.
//!
//! - [`Language::of`] knows a language by the name of a file.
//! - [`parse()`] reads a text within a [`Budget`]; [`Syntax::faults`] shows where it does not parse.
//! - [`breakage`] compares a text before and after a change.
//! - [`first_misnamed`] compares the places of a name before and after a rename.
//! - [`first_in_code`] finds a name outside of comments and texts.
//! - [`outline()`] lists the symbols of a text as a tree, [`enclosing`] those around a place.
//!
//! ```
//! use tenon_syntax::{Budget, Language, enclosing, outline, parse};
//!
//! let text = "class Cart:\n    def total(self):\n        return 0\n";
//! let language = Language::of("shop/cart.py").unwrap();
//! let syntax = parse(text, language, Budget::default()).unwrap();
//! assert!(syntax.faults().is_empty());
//!
//! let symbols = outline(&syntax);
//! let names: Vec<&str> = enclosing(&symbols, 40).iter().map(|symbol| symbol.name.as_str()).collect();
//! assert_eq!(names, ["Cart", "total"]);
//! ```

mod brackets;
mod compare;
mod fault;
mod language;
mod lines;
mod names;
mod outline;
mod parse;

pub use compare::{Breakage, BrokenPlace, breakage};
pub use fault::{Fault, FaultKind};
pub use language::Language;
pub use lines::LineRange;
pub use names::{first_in_code, first_misnamed};
pub use outline::{Symbol, SymbolKind, enclosing, outline};
pub use parse::{Budget, Syntax, parse};
