//! LSP: the nine operations of the vocabulary.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Content, Operation};
use tenon_tools::{LspFound, LspOperation, LspOutput, LspParams, PlaceFact, SymbolFact};

use crate::binding::{Category, ParamsCodec, ToolBinding, WireParams};
use crate::render::{fallback, lsp_text, lsp_total, lsp_truncated};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Issue, IssueCode, Renderer};

/// The row of `LSP`.
pub(super) const LSP: ToolBinding = ToolBinding {
    operation: Operation::Lsp,
    name: "LSP",
    label: "LSP",
    description: include_str!("descriptions/LSP.md"),
    category: Category::CodeAnalysis,
    level: 2,
    params: ParamsCodec::typed::<CanonicalLspParams>(),
    operation_params: SchemaSource::params::<LspParams>(),
    renderer: Renderer::of::<CanonicalLspDetails>(),
};

/// Parameters of `LSP`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CanonicalLspParams {
    /// What to do.
    operation: CanonicalLspOperation,
    /// Absolute file path.
    file_path: String,
    /// Line of the name, 1-based.
    #[schemars(range(min = 1))]
    line: Option<u64>,
    /// Character of the name on its line, 1-based.
    #[schemars(range(min = 1))]
    character: Option<u64>,
    /// The name, instead of `character`.
    symbol: Option<String>,
    /// For `workspaceSymbol`: the name to search for. Default: the name at the position.
    query: Option<String>,
}

/// The nine operations.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum CanonicalLspOperation {
    GoToDefinition,
    FindReferences,
    Hover,
    DocumentSymbol,
    WorkspaceSymbol,
    GoToImplementation,
    PrepareCallHierarchy,
    IncomingCalls,
    OutgoingCalls,
}

impl WireParams for CanonicalLspParams {
    type Params = LspParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "filePath"),
        ("file", "filePath"),
        ("filename", "filePath"),
        ("col", "character"),
        ("column", "character"),
    ];

    fn into_operation(self) -> Result<LspParams, Vec<Issue>> {
        use CanonicalLspOperation as Wire;
        let operation = match self.operation {
            Wire::GoToDefinition => LspOperation::GoToDefinition,
            Wire::FindReferences => LspOperation::FindReferences,
            Wire::Hover => LspOperation::Hover,
            Wire::DocumentSymbol => LspOperation::DocumentSymbol,
            Wire::WorkspaceSymbol => LspOperation::WorkspaceSymbol,
            Wire::GoToImplementation => LspOperation::GoToImplementation,
            Wire::PrepareCallHierarchy => LspOperation::PrepareCallHierarchy,
            Wire::IncomingCalls => LspOperation::IncomingCalls,
            Wire::OutgoingCalls => LspOperation::OutgoingCalls,
        };
        let needs_place = match operation {
            LspOperation::DocumentSymbol => false,
            LspOperation::WorkspaceSymbol => self.query.as_deref().is_none_or(str::is_empty),
            _ => true,
        };
        let mut issues = Vec::new();
        if needs_place && self.line.is_none() && self.symbol.is_none() {
            issues.push(Issue::new(
                "line",
                IssueCode::MissingRequired,
                "`line` is required (1-based), or pass `symbol`.".to_owned(),
            ));
        }
        if needs_place && self.character.is_none() && self.symbol.is_none() {
            issues.push(Issue::new(
                "character",
                IssueCode::MissingRequired,
                "`character` is required (1-based), or pass `symbol`.".to_owned(),
            ));
        }
        if !issues.is_empty() {
            return Err(issues);
        }
        Ok(LspParams {
            operation,
            path: self.file_path,
            line: self.line,
            character: self.character,
            symbol: self.symbol,
            query: self.query,
            new_name: None,
            content: None,
            title: None,
            dry_run: None,
        })
    }
}

/// Details of `LSP`: `LSPResult`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalLspDetails {
    /// Whether a language server answered. When not, nothing is known; `error` says why.
    ok: bool,
    /// What was asked for.
    operation: String,
    /// Who was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// `missing`, `starting`, `indexing`, `ready`, `failed` or `unsupported`.
    server_status: String,
    /// How many were found.
    total: usize,
    /// Whether there are, or may be, more than are listed.
    truncated: bool,
    /// For definitions, references and implementations.
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<Vec<CanonicalLspPlace>>,
    /// For documentSymbol and workspaceSymbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<Vec<CanonicalLspSymbol>>,
    /// For prepareCallHierarchy.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<CanonicalLspSymbol>>,
    /// For incomingCalls and outgoingCalls.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<CanonicalLspCall>>,
    /// For hover: Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<String>,
    /// What was understood otherwise than it was said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The command that installs what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
    /// What to try instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
}

/// A place, counted from 1 and in UTF-16.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalLspPlace {
    /// The file, relative to the workspace; absolute outside.
    file: String,
    line: u64,
    character: u64,
    end_line: u64,
    end_character: u64,
    /// The line of source; empty outside of the workspace.
    text: String,
    /// The whole declaration, where the server reports its extent.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<String>,
}

/// A symbol.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalLspSymbol {
    name: String,
    /// Such as `function`.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// How deep it lies in the symbols before it.
    depth: usize,
    #[serde(flatten)]
    place: CanonicalLspPlace,
}

/// A caller, or what is called.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalLspCall {
    #[serde(flatten)]
    symbol: CanonicalLspSymbol,
    /// Where the calls are.
    ranges: Vec<CanonicalLspPlace>,
}

impl From<PlaceFact> for CanonicalLspPlace {
    fn from(fact: PlaceFact) -> Self {
        Self {
            file: fact.file,
            line: fact.line,
            character: fact.character,
            end_line: fact.end_line,
            end_character: fact.end_character,
            text: fact.text,
            excerpt: fact.excerpt,
        }
    }
}

impl From<SymbolFact> for CanonicalLspSymbol {
    fn from(fact: SymbolFact) -> Self {
        Self {
            name: fact.name,
            kind: fact.kind.to_owned(),
            detail: fact.detail,
            container: fact.container,
            depth: fact.depth,
            place: fact.place.into(),
        }
    }
}

impl ResultView for CanonicalLspDetails {
    type Output = LspOutput;

    fn render(output: LspOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = lsp_text(&output, words);
        let (total, _) = lsp_total(&output);
        let truncated = lsp_truncated(&output);
        let mut details = Self {
            ok: output.found.is_ok(),
            operation: output.operation.as_str().to_owned(),
            server: output.server,
            server_status: output.status.as_str().to_owned(),
            total,
            truncated,
            locations: None,
            symbols: None,
            items: None,
            calls: None,
            contents: None,
            notes: output.notes,
            error: None,
            install: None,
            fallback: None,
        };
        match output.found {
            Ok(LspFound::Locations(listed)) => {
                details.locations = Some(listed.items.into_iter().map(Into::into).collect())
            }
            Ok(LspFound::Symbols(listed)) => {
                details.symbols = Some(listed.items.into_iter().map(Into::into).collect())
            }
            Ok(LspFound::Items(listed)) => {
                details.items = Some(listed.items.into_iter().map(Into::into).collect())
            }
            Ok(LspFound::Calls(listed)) => {
                let calls = listed.items.into_iter().map(|call| CanonicalLspCall {
                    symbol: call.symbol.into(),
                    ranges: call.places.into_iter().map(Into::into).collect(),
                });
                details.calls = Some(calls.collect());
            }
            Ok(LspFound::Contents(contents)) => details.contents = Some(contents),
            // Not of the nine.
            Ok(
                LspFound::Diagnostics(_)
                | LspFound::Actions(_)
                | LspFound::Changes(_)
                | LspFound::Source { .. },
            ) => {}
            Err(shortfall) => {
                details.error = Some(shortfall.reason);
                details.install = shortfall.install;
                details.fallback = fallback(output.operation, words);
            }
        }
        (vec![Content::Text(text)], details)
    }
}
