//! What comes of a question to a language server.

use tenon_contract::{FileChange, Output};
use tenon_lsp::ServerStatus;

use super::facts::{ActionFact, CallFact, ChangesFact, FindingFact, Listed, PlaceFact, SymbolFact};
use super::params::LspOperation;
use super::shortfall::Shortfall;

/// What came of a question.
#[derive(Debug)]
pub struct LspOutput {
    /// What was asked for.
    pub operation: LspOperation,
    /// The file, as answers name it.
    pub path: String,
    /// Who was asked; nothing when there is none for such files.
    pub server: Option<String>,
    /// How it stands.
    pub status: ServerStatus,
    /// The name that was asked about.
    pub name: Option<String>,
    /// What was understood otherwise than it was said.
    pub notes: Vec<String>,
    /// What was found, or why nothing is known.
    pub found: Result<LspFound, Shortfall>,
}

impl LspOutput {
    /// Nothing is found yet.
    pub(super) fn new(operation: LspOperation, path: &str) -> Self {
        Self {
            operation,
            path: path.to_owned(),
            server: None,
            status: ServerStatus::Ready,
            name: None,
            notes: Vec::new(),
            found: Ok(LspFound::Contents(String::new())),
        }
    }
}

impl Output for LspOutput {
    fn changes(&self) -> Vec<FileChange> {
        match &self.found {
            Ok(LspFound::Changes(changes)) if changes.applied => changes
                .files
                .iter()
                .map(|file| FileChange {
                    path: file.path.clone(),
                    kind: file.kind,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// What a server found.
#[derive(Debug)]
pub enum LspFound {
    /// Places.
    Locations(Listed<PlaceFact>),
    /// Symbols of the file or the workspace.
    Symbols(Listed<SymbolFact>),
    /// The members that a hierarchy begins with, or its types.
    Items(Listed<SymbolFact>),
    /// Callers or called ones.
    Calls(Listed<CallFact>),
    /// Markdown; empty when the server has nothing to say.
    Contents(String),
    /// A symbol and its text.
    Source {
        /// The symbol.
        symbol: SymbolFact,
        /// Its lines, whole; without what else is on them, where that belongs to others.
        text: String,
    },
    /// What is wrong with the file.
    Diagnostics(Listed<FindingFact>),
    /// What could be done.
    Actions(Listed<ActionFact>),
    /// What was changed, or would be.
    Changes(ChangesFact),
}
