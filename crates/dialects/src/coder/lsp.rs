//! The three questions to language servers of the `coder` dialect. Places are counted from 0 here.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, Operation};
use tenon_tools::{LspFound, LspOutput, LspParams, PlaceFact};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{fallback, lsp_text, lsp_total};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::spellings::FILE;
use crate::words::Words;
use crate::{Convert, Field, Renderer};

const PATH: Field = Field::same("path").aliases(FILE);
const LINE: Field = Field::same("line")
    .required()
    .convert(Convert::ZeroBased)
    .describe("Line of the name, 0-based.");
const CHARACTER: Field = Field::same("character")
    .required()
    .aliases(&["column"])
    .convert(Convert::ZeroBased)
    .describe("Character of the name on its line, 0-based.");

/// The row of `lsp_diagnostics`.
pub(super) const LSP_DIAGNOSTICS: ToolBinding = ToolBinding {
    operation: Operation::Lsp,
    name: "lsp_diagnostics",
    label: "LSP diagnostics",
    description: include_str!("descriptions/lsp_diagnostics.md"),
    category: Category::Diagnostics,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::fixed("operation", || Value::from("diagnostics")),
        PATH,
    ]),
    operation_params: SchemaSource::params::<LspParams>(),
    renderer: Renderer::of::<CoderLspDiagnosticsDetails>(),
};

/// The row of `lsp_definition`.
pub(super) const LSP_DEFINITION: ToolBinding = ToolBinding {
    operation: Operation::Lsp,
    name: "lsp_definition",
    label: "LSP definition",
    description: include_str!("descriptions/lsp_definition.md"),
    category: Category::CodeAnalysis,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::fixed("operation", || Value::from("goToDefinition")),
        PATH,
        LINE,
        CHARACTER,
    ]),
    operation_params: SchemaSource::params::<LspParams>(),
    renderer: Renderer::of::<CoderLspDefinitionDetails>(),
};

/// The row of `lsp_hover`.
pub(super) const LSP_HOVER: ToolBinding = ToolBinding {
    operation: Operation::Lsp,
    name: "lsp_hover",
    label: "LSP hover",
    description: include_str!("descriptions/lsp_hover.md"),
    category: Category::CodeAnalysis,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::fixed("operation", || Value::from("hover")),
        PATH,
        LINE,
        CHARACTER,
    ]),
    operation_params: SchemaSource::params::<LspParams>(),
    renderer: Renderer::of::<CoderLspHoverDetails>(),
};

/// Why nothing is known, and what to do.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct CoderLspShortfall {
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

impl CoderLspShortfall {
    fn of(output: &LspOutput, words: &Words<'_>) -> Self {
        match &output.found {
            Ok(_) => Self::default(),
            Err(shortfall) => Self {
                error: Some(shortfall.reason.clone()),
                install: shortfall.install.clone(),
                fallback: fallback(output.operation, words),
            },
        }
    }
}

/// A place of the protocol: both from 0, characters in UTF-16.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderPosition {
    line: u64,
    character: u64,
}

/// From a place to one behind the end.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderRange {
    start: CoderPosition,
    end: CoderPosition,
}

impl CoderRange {
    fn new(start: (u64, u64), end: (u64, u64)) -> Self {
        let place = |(line, character): (u64, u64)| CoderPosition {
            line: line.saturating_sub(1),
            character: character.saturating_sub(1),
        };
        Self {
            start: place(start),
            end: place(end),
        }
    }

    fn of(place: &PlaceFact) -> Self {
        Self::new(
            (place.line, place.character),
            (place.end_line, place.end_character),
        )
    }
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderLocation {
    /// The file as a `file:` URI.
    uri: String,
    range: CoderRange,
}

/// A finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderDiagnostic {
    range: CoderRange,
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

/// Details of `lsp_diagnostics`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderLspDiagnosticsDetails {
    /// Whether a language server answered; when not, an empty list means nothing.
    ok: bool,
    /// What is wrong with the file.
    diagnostics: Vec<CoderDiagnostic>,
    /// How many there are.
    count: usize,
    /// `missing`, `starting`, `indexing`, `ready`, `failed` or `unsupported`.
    server_status: String,
    #[serde(flatten)]
    shortfall: CoderLspShortfall,
}

/// Details of `lsp_definition`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderLspDefinitionDetails {
    /// Whether a language server answered.
    ok: bool,
    /// Where the name is declared; null when nowhere that the server knows.
    location: Option<CoderLocation>,
    /// `missing`, `starting`, `indexing`, `ready`, `failed` or `unsupported`.
    server_status: String,
    #[serde(flatten)]
    shortfall: CoderLspShortfall,
}

/// Details of `lsp_hover`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderLspHoverDetails {
    /// Whether a language server answered.
    ok: bool,
    /// Markdown; empty when the server has nothing to say.
    contents: String,
    /// `missing`, `starting`, `indexing`, `ready`, `failed` or `unsupported`.
    server_status: String,
    #[serde(flatten)]
    shortfall: CoderLspShortfall,
}

impl ResultView for CoderLspDiagnosticsDetails {
    type Output = LspOutput;

    fn render(output: LspOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = lsp_text(&output, words);
        let (count, _) = lsp_total(&output);
        let shortfall = CoderLspShortfall::of(&output, words);
        let diagnostics = match &output.found {
            Ok(LspFound::Diagnostics(listed)) => listed
                .items
                .iter()
                .map(|finding| CoderDiagnostic {
                    range: CoderRange::new(
                        (finding.line, finding.character),
                        (finding.end_line, finding.end_character),
                    ),
                    severity: finding.severity.as_str().to_owned(),
                    message: finding.message.clone(),
                    source: finding.source.clone(),
                    code: finding.code.clone(),
                })
                .collect(),
            _ => Vec::new(),
        };
        let details = Self {
            ok: output.found.is_ok(),
            diagnostics,
            count,
            server_status: output.status.as_str().to_owned(),
            shortfall,
        };
        (vec![Content::Text(text)], details)
    }
}

impl ResultView for CoderLspDefinitionDetails {
    type Output = LspOutput;

    fn render(output: LspOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = lsp_text(&output, words);
        let first = match &output.found {
            Ok(LspFound::Locations(listed)) => listed.items.first(),
            _ => None,
        };
        let details = Self {
            ok: output.found.is_ok(),
            location: first.map(|place| CoderLocation {
                uri: place.uri.clone(),
                range: CoderRange::of(place),
            }),
            server_status: output.status.as_str().to_owned(),
            shortfall: CoderLspShortfall::of(&output, words),
        };
        (vec![Content::Text(text)], details)
    }
}

impl ResultView for CoderLspHoverDetails {
    type Output = LspOutput;

    fn render(output: LspOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = lsp_text(&output, words);
        let contents = match &output.found {
            Ok(LspFound::Contents(contents)) => contents.clone(),
            _ => String::new(),
        };
        let details = Self {
            ok: output.found.is_ok(),
            contents,
            server_status: output.status.as_str().to_owned(),
            shortfall: CoderLspShortfall::of(&output, words),
        };
        (vec![Content::Text(text)], details)
    }
}
