//! What can be asked of a language server, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError};
use tenon_lsp::{Address, Query};

/// What to ask.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LspParams {
    /// What to do.
    pub operation: LspOperation,
    /// File path, absolute or relative to the workspace.
    pub path: String,
    /// Line of the name, 1-based.
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// Character of the name on its line, 1-based.
    #[schemars(range(min = 1))]
    pub character: Option<u64>,
    /// The name, instead of `character`; for symbol operations its path.
    pub symbol: Option<String>,
    /// For workspace symbols: the name to search for. Default: the name at the position.
    pub query: Option<String>,
    /// For a rename: the new name.
    #[schemars(length(min = 1))]
    pub new_name: Option<String>,
    /// For replacing or inserting: the full text with its signature. Indentation is adjusted.
    pub content: Option<String>,
    /// For a code action: its title, or a unique part of it.
    #[schemars(length(min = 1))]
    pub title: Option<String>,
    /// Return the diff without changing files. Default: false.
    pub dry_run: Option<bool>,
}

impl LspParams {
    /// The name that is asked about.
    pub(super) fn address(&self) -> Address {
        let number =
            |value: Option<u64>| value.map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        Address {
            line: number(self.line),
            character: number(self.character),
            symbol: self.symbol.clone(),
            place: None,
        }
    }

    /// Refuses what names too little, before any server is started for it.
    pub(super) fn check(&self) -> Result<(), ToolError> {
        let operation = self.operation.as_str();
        let missing =
            |value: &Option<String>| value.as_ref().is_none_or(|value| value.trim().is_empty());
        let has_control = |value: &Option<String>| {
            let name = value.as_deref().unwrap_or_default();
            name.contains(char::is_control)
        };
        let has_name = !missing(&self.symbol) || (self.line.is_some() && self.character.is_some());
        let wanted = match self.operation {
            LspOperation::DocumentSymbol | LspOperation::Diagnostics | LspOperation::Outline => {
                None
            }
            operation if operation.is_by_syntax() => {
                let wanted = "`symbol`, such as `Class/method`";
                Some(wanted).filter(|_| missing(&self.symbol))
            }
            LspOperation::WorkspaceSymbol if !missing(&self.query) => None,
            LspOperation::CodeActions | LspOperation::ApplyCodeAction if self.line.is_some() => {
                None
            }
            _ if has_name => None,
            LspOperation::WorkspaceSymbol => {
                Some("`query`, or a name in the file: `line` and `character`, or `symbol`")
            }
            LspOperation::CodeActions | LspOperation::ApplyCodeAction => {
                Some("`line`, or a name: `line` and `character`, or `symbol`")
            }
            _ => Some("a name: `line` and `character`, or `symbol`"),
        };
        let wanted = wanted.or(match self.operation {
            LspOperation::Rename if missing(&self.new_name) => Some("the new name"),
            LspOperation::Rename if has_control(&self.new_name) => {
                Some("a new name without line ends")
            }
            operation if operation.changes_symbol() && missing(&self.content) => {
                Some("the new text in `content`")
            }
            LspOperation::ApplyCodeAction if missing(&self.title) => {
                Some("the title of the action")
            }
            _ => None,
        });
        wanted.map_or(Ok(()), |wanted| {
            let message = format!("`{operation}` needs {wanted}.");
            Err(ToolError::new(ErrorCode::InvalidParams, message))
        })
    }

    /// Whether nothing is to be changed, whatever is asked for.
    pub(super) fn is_dry(&self) -> bool {
        self.dry_run.unwrap_or(false)
    }
}

/// What to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LspOperation {
    /// Where the name is declared.
    GoToDefinition,
    /// Where it is used.
    FindReferences,
    /// Its type and documentation.
    Hover,
    /// The symbols of the file.
    DocumentSymbol,
    /// Workspace symbols by name.
    WorkspaceSymbol,
    /// Where an interface or abstract member is implemented.
    GoToImplementation,
    /// The function at the position.
    PrepareCallHierarchy,
    /// Functions that call it.
    IncomingCalls,
    /// Functions that it calls.
    OutgoingCalls,
    /// Where its type is declared.
    GoToTypeDefinition,
    /// The type at the position.
    PrepareTypeHierarchy,
    /// What it is derived from.
    Supertypes,
    /// What is derived from it.
    Subtypes,
    /// Errors and warnings of the file.
    Diagnostics,
    /// Rename the symbol everywhere.
    Rename,
    /// Fixes and refactorings for a position.
    CodeActions,
    /// Apply one of them.
    ApplyCodeAction,
    /// The symbols of the file, by syntax alone.
    Outline,
    /// The text of a symbol.
    ReadSymbol,
    /// Replace a symbol's full text.
    ReplaceSymbolBody,
    /// Insert text before a symbol.
    InsertBeforeSymbol,
    /// Insert text after a symbol.
    InsertAfterSymbol,
}

impl LspOperation {
    /// As it stands in details.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoToDefinition => "goToDefinition",
            Self::FindReferences => "findReferences",
            Self::Hover => "hover",
            Self::DocumentSymbol => "documentSymbol",
            Self::WorkspaceSymbol => "workspaceSymbol",
            Self::GoToImplementation => "goToImplementation",
            Self::PrepareCallHierarchy => "prepareCallHierarchy",
            Self::IncomingCalls => "incomingCalls",
            Self::OutgoingCalls => "outgoingCalls",
            Self::GoToTypeDefinition => "goToTypeDefinition",
            Self::PrepareTypeHierarchy => "prepareTypeHierarchy",
            Self::Supertypes => "supertypes",
            Self::Subtypes => "subtypes",
            Self::Diagnostics => "diagnostics",
            Self::Rename => "rename",
            Self::CodeActions => "codeActions",
            Self::ApplyCodeAction => "applyCodeAction",
            Self::Outline => "outline",
            Self::ReadSymbol => "readSymbol",
            Self::ReplaceSymbolBody => "replaceSymbolBody",
            Self::InsertBeforeSymbol => "insertBeforeSymbol",
            Self::InsertAfterSymbol => "insertAfterSymbol",
        }
    }

    /// Whether a server has to be asked for what it would change.
    pub(super) const fn is_proposal(self) -> bool {
        matches!(self, Self::Rename | Self::ApplyCodeAction)
    }

    /// Whether the symbols of the text are worked with, and no server.
    pub(super) const fn is_by_syntax(self) -> bool {
        matches!(self, Self::Outline | Self::ReadSymbol) || self.changes_symbol()
    }

    /// Whether it changes a symbol by the syntax of the text.
    pub(super) const fn changes_symbol(self) -> bool {
        matches!(
            self,
            Self::ReplaceSymbolBody | Self::InsertBeforeSymbol | Self::InsertAfterSymbol
        )
    }

    /// The question, for those that are asked about a name or a file; `None` for the others.
    pub(super) fn query(self, name: Option<String>) -> Option<Query> {
        Some(match self {
            Self::GoToDefinition => Query::Definition,
            Self::FindReferences => Query::References,
            Self::Hover => Query::Hover,
            Self::DocumentSymbol => Query::DocumentSymbols,
            Self::WorkspaceSymbol => Query::WorkspaceSymbols(name),
            Self::GoToImplementation => Query::Implementation,
            Self::PrepareCallHierarchy => Query::PrepareCalls,
            Self::IncomingCalls => Query::IncomingCalls,
            Self::OutgoingCalls => Query::OutgoingCalls,
            Self::GoToTypeDefinition => Query::TypeDefinition,
            Self::PrepareTypeHierarchy => Query::PrepareTypes,
            Self::Supertypes => Query::Supertypes,
            Self::Subtypes => Query::Subtypes,
            _ => return None,
        })
    }
}
