//! get_diagnostics: what the compiler and the linter of the workspace find.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tenon_contract::{Content, Operation};
use tenon_lsp::Severity;
use tenon_tools::{DiagnosticsOutput, DiagnosticsParams, FindingFact, LspOperation};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{diagnostics_text, fallback};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::spellings::FILE;
use crate::words::Words;
use crate::{Convert, Field, Renderer};

/// The row of `get_diagnostics`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Diagnostics,
    name: "get_diagnostics",
    label: "Get diagnostics",
    description: include_str!("descriptions/get_diagnostics.md"),
    category: Category::Diagnostics,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::renamed("file", "path").aliases(FILE),
        Field::renamed("type", "kind")
            .aliases(&["source", "tool"])
            .convert(Convert::Default(|| json!("all")))
            .describe("`typescript` for the TypeScript compiler, `eslint` for the ESLint of the workspace, `all` for both; of other languages `all` uses their language server."),
    ]),
    operation_params: SchemaSource::params::<DiagnosticsParams>(),
    renderer: Renderer::of::<ManagerDiagnosticsDetails>(),
};

/// Details of `get_diagnostics`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManagerDiagnosticsDetails {
    /// The file, relative to the workspace.
    file: String,
    /// Errors and warnings by place.
    diagnostics: Vec<ManagerDiagnostic>,
    /// All errors, those that are not listed included.
    error_count: usize,
    /// All warnings, those that are not listed included.
    warning_count: usize,
    /// False when nobody checked the file: then nothing is known about it. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    /// Who was to check the file and did not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<ManagerUnavailable>,
    /// What to try when nobody checked the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
}

/// One finding.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerDiagnostic {
    /// 0 for an error, 1 for a warning.
    severity: u8,
    message: String,
    /// From 0, as in the ranges of an editor.
    line: u64,
    /// From 0, in UTF-16.
    column: u64,
    /// Who found it, such as `typescript` or `eslint`.
    source: String,
}

/// Somebody who did not check the file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerUnavailable {
    /// Who, such as `typescript` or `eslint`.
    source: String,
    /// Why.
    error: String,
    /// The command that installs what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
}

impl From<FindingFact> for ManagerDiagnostic {
    fn from(fact: FindingFact) -> Self {
        Self {
            severity: u8::from(fact.severity != Severity::Error),
            message: fact.message,
            line: fact.line.saturating_sub(1),
            column: fact.character.saturating_sub(1),
            source: fact.source.unwrap_or_else(|| "server".to_owned()),
        }
    }
}

impl ResultView for ManagerDiagnosticsDetails {
    type Output = DiagnosticsOutput;

    fn render(output: DiagnosticsOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = diagnostics_text(&output, words);
        let unavailable = output.unavailable.into_iter();
        let details = Self {
            file: output.path,
            diagnostics: output.findings.items.into_iter().map(Into::into).collect(),
            error_count: output.errors,
            warning_count: output.warnings,
            ok: (!output.is_checked).then_some(false),
            unavailable: unavailable
                .map(|(source, shortfall)| ManagerUnavailable {
                    source,
                    error: shortfall.reason,
                    install: shortfall.install,
                })
                .collect(),
            fallback: (!output.is_checked)
                .then(|| fallback(LspOperation::Diagnostics, words))
                .flatten(),
        };
        (vec![Content::Text(text)], details)
    }
}
