//! lsp: everything that language servers answer, and the changes that they propose.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, Content, Operation};
use tenon_tools::{
    ActionFact, CallFact, ChangesFact, FindingFact, LspFound, LspOutput, LspParams, PlaceFact,
    SymbolFact,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{fallback, lsp_text, lsp_total, lsp_truncated};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::spellings::FILE;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `lsp`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Lsp,
    name: "lsp",
    label: "LSP",
    description: include_str!("descriptions/lsp.md"),
    category: Category::Refactoring,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("operation")
            .aliases(&["action", "method"])
            .describe("`hover` returns type and documentation."),
        Field::renamed("filePath", "path").aliases(FILE),
        Field::same("line").aliases(&["lineNumber"]),
        Field::same("character").aliases(&["column", "col"]),
        Field::same("symbol").aliases(&["name", "symbolName"]),
        Field::same("query").describe(
            "For `workspaceSymbol`: the name to search for. Default: the name at the position.",
        ),
        Field::renamed("newName", "new_name").describe("For `rename`."),
        Field::same("content")
            .aliases(&["body", "text", "code"])
            .describe(
                "To replace or insert: the full text with its signature. Indentation is adjusted.",
            ),
        Field::same("title")
            .aliases(&["actionTitle"])
            .describe("For `applyCodeAction`: the title, or a unique part of it."),
        Field::renamed("dryRun", "dry_run").aliases(&["preview"]),
    ]),
    operation_params: SchemaSource::params::<LspParams>(),
    renderer: Renderer::of::<AgentLspDetails>(),
};

/// Details of `lsp`. Of the lists there is the one that the operation answers with.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspDetails {
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
    #[serde(flatten)]
    found: AgentLspFound,
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

/// What was found, by what was asked for.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspFound {
    /// For definitions, type definitions, references and implementations.
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<Vec<AgentLspPlace>>,
    /// For documentSymbol, outline, workspaceSymbol and readSymbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols: Option<Vec<AgentLspSymbol>>,
    /// For prepareCallHierarchy, prepareTypeHierarchy, supertypes and subtypes.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<AgentLspSymbol>>,
    /// For incomingCalls and outgoingCalls.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<AgentLspCall>>,
    /// For hover: Markdown. For readSymbol: its lines; where it shares them with other code, its text alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<String>,
    /// For diagnostics.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Vec<AgentLspDiagnostic>>,
    /// For codeActions.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<Vec<AgentLspAction>>,
    /// For operations that change files: whether they were changed; false for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<bool>,
    /// What the server calls the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Every file that changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<AgentLspChangedFile>>,
    /// All changes as one unified diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// What may be wrong with the changes, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// A place, counted from 1 and in UTF-16.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspPlace {
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
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspSymbol {
    name: String,
    /// Such as `function`.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// How deep it lies in the symbols before it.
    depth: usize,
    /// The last line of all of it.
    last_line: u64,
    #[serde(flatten)]
    place: AgentLspPlace,
}

/// A caller, or what is called.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspCall {
    #[serde(flatten)]
    symbol: AgentLspSymbol,
    /// Where the calls are.
    ranges: Vec<AgentLspPlace>,
}

/// A finding, counted from 1 and in UTF-16.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspDiagnostic {
    line: u64,
    character: u64,
    end_line: u64,
    end_character: u64,
    /// `error`, `warning`, `information` or `hint`.
    severity: String,
    message: String,
    /// Who found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// The rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

/// A repair or refactoring that is offered; applyCodeAction takes its title.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspAction {
    title: String,
    /// Such as `quickfix` or `refactor.extract`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Whether the server thinks that it is the right one.
    is_preferred: bool,
    /// Why it cannot be used now.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
}

/// One changed file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLspChangedFile {
    /// The file afterwards (before, for a deletion), relative to the workspace.
    path: String,
    /// What happens to it.
    operation: ChangeKind,
    /// Where it was before, for a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Lines that are new.
    additions: usize,
    /// Lines that are gone.
    deletions: usize,
}

impl From<PlaceFact> for AgentLspPlace {
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

impl From<SymbolFact> for AgentLspSymbol {
    fn from(fact: SymbolFact) -> Self {
        Self {
            name: fact.name,
            kind: fact.kind.to_owned(),
            detail: fact.detail,
            container: fact.container,
            depth: fact.depth,
            last_line: fact.last_line,
            place: fact.place.into(),
        }
    }
}

impl From<CallFact> for AgentLspCall {
    fn from(fact: CallFact) -> Self {
        Self {
            symbol: fact.symbol.into(),
            ranges: all(fact.places),
        }
    }
}

impl From<FindingFact> for AgentLspDiagnostic {
    fn from(fact: FindingFact) -> Self {
        Self {
            line: fact.line,
            character: fact.character,
            end_line: fact.end_line,
            end_character: fact.end_character,
            severity: fact.severity.as_str().to_owned(),
            message: fact.message,
            source: fact.source,
            code: fact.code,
        }
    }
}

impl From<ActionFact> for AgentLspAction {
    fn from(fact: ActionFact) -> Self {
        Self {
            title: fact.title,
            kind: fact.kind,
            is_preferred: fact.is_preferred,
            disabled: fact.disabled,
        }
    }
}

impl From<ChangesFact> for AgentLspFound {
    fn from(fact: ChangesFact) -> Self {
        let results = fact.files.into_iter().map(|file| AgentLspChangedFile {
            path: file.path,
            operation: file.kind,
            from: file.from,
            additions: file.additions,
            deletions: file.deletions,
        });
        Self {
            applied: Some(fact.applied),
            title: fact.title,
            results: Some(results.collect()),
            diff: Some(fact.diff),
            warnings: fact.warnings,
            ..Self::default()
        }
    }
}

impl From<LspFound> for AgentLspFound {
    fn from(found: LspFound) -> Self {
        let mut reported = Self::default();
        match found {
            LspFound::Locations(listed) => reported.locations = Some(all(listed.items)),
            LspFound::Symbols(listed) => reported.symbols = Some(all(listed.items)),
            LspFound::Items(listed) => reported.items = Some(all(listed.items)),
            LspFound::Calls(listed) => reported.calls = Some(all(listed.items)),
            LspFound::Contents(contents) => reported.contents = Some(contents),
            LspFound::Source { symbol, text } => {
                reported.symbols = Some(vec![symbol.into()]);
                reported.contents = Some(text);
            }
            LspFound::Diagnostics(listed) => reported.diagnostics = Some(all(listed.items)),
            LspFound::Actions(listed) => reported.actions = Some(all(listed.items)),
            LspFound::Changes(changes) => reported = changes.into(),
        }
        reported
    }
}

fn all<F, T: From<F>>(facts: Vec<F>) -> Vec<T> {
    facts.into_iter().map(T::from).collect()
}

impl ResultView for AgentLspDetails {
    type Output = LspOutput;

    fn render(output: LspOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = lsp_text(&output, words);
        let (total, _) = lsp_total(&output);
        let truncated = lsp_truncated(&output);
        let ok = output.found.is_ok();
        let (found, shortfall) = match output.found {
            Ok(found) => (found.into(), None),
            Err(shortfall) => (AgentLspFound::default(), Some(shortfall)),
        };
        let details = Self {
            ok,
            operation: output.operation.as_str().to_owned(),
            server: output.server,
            server_status: output.status.as_str().to_owned(),
            total,
            truncated,
            found,
            notes: output.notes,
            fallback: shortfall
                .as_ref()
                .and_then(|_| fallback(output.operation, words)),
            install: shortfall
                .as_ref()
                .and_then(|shortfall| shortfall.install.clone()),
            error: shortfall.map(|shortfall| shortfall.reason),
        };
        (vec![Content::Text(text)], details)
    }
}
