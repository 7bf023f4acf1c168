//! Collects what a compiler and a linter find wrong with a file.

mod eslint;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError};
use tenon_lsp::{AskError, LanguageServers, Severity, Unavailable};
use tenon_process::Processes;
use tenon_workspace::Located;

use crate::lsp::{FindingFact, Listed, Shortfall, findings, readable};
use eslint::Eslint;

/// The name of the linter, in parameters, findings and reasons.
const ESLINT: &str = "eslint";
/// The name of the compiler, and of the language in the table of servers.
const TYPESCRIPT: &str = "typescript";

/// What to check.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiagnosticsParams {
    /// File path, absolute or relative to the workspace.
    pub path: String,
    /// Which checkers to use.
    pub kind: Option<DiagnosticsKind>,
}

/// Whose findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiagnosticsKind {
    /// The TypeScript compiler.
    Typescript,
    /// The ESLint of the workspace.
    Eslint,
    /// The language server of the file, and ESLint.
    All,
}

/// What is wrong with a file.
#[derive(Debug)]
pub struct DiagnosticsOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Errors and warnings by place; what is less is left out.
    pub findings: Listed<FindingFact>,
    /// Errors, those that are not listed included.
    pub errors: usize,
    /// Warnings, those that are not listed included.
    pub warnings: usize,
    /// Whether anybody checked the file at all.
    pub is_checked: bool,
    /// Who was to check it and did not, and why.
    pub unavailable: Vec<(String, Shortfall)>,
}

impl Output for DiagnosticsOutput {}

/// The operation.
#[derive(Debug)]
pub struct Diagnostics {
    servers: LanguageServers,
    processes: Processes,
}

impl Diagnostics {
    /// Asks these servers, and runs ESLint as one of these processes.
    #[must_use]
    pub const fn new(servers: LanguageServers, processes: Processes) -> Self {
        Self { servers, processes }
    }
}

/// A located file and who is to check it.
#[derive(Debug)]
pub struct DiagnosticsPlan {
    file: Located,
    kind: DiagnosticsKind,
}

impl Tool for Diagnostics {
    const OPERATION: Operation = Operation::Diagnostics;
    type Params = DiagnosticsParams;
    type Plan = DiagnosticsPlan;
    type Output = DiagnosticsOutput;

    fn plan(&self, params: DiagnosticsParams) -> Result<(Access, DiagnosticsPlan), ToolError> {
        let file = self.servers.workspace().locate_existing(&params.path)?;
        let access = Access::reading(file.claim().clone());
        let kind = params.kind.unwrap_or(DiagnosticsKind::All);
        Ok((access, DiagnosticsPlan { file, kind }))
    }

    async fn run(
        &self,
        plan: DiagnosticsPlan,
        context: ToolContext,
    ) -> Result<DiagnosticsOutput, ToolError> {
        let DiagnosticsPlan { file, kind } = plan;
        readable(&file, &context).await?;
        let mut collected = Collected::default();
        if kind != DiagnosticsKind::Eslint {
            self.ask_server(&file, kind, &mut collected, &context)
                .await?;
        }
        if kind != DiagnosticsKind::Typescript {
            let eslint = Eslint {
                servers: &self.servers,
                processes: &self.processes,
                file: &file,
            };
            match eslint.check(&context).await? {
                Some(Ok(found)) => collected.take(found),
                Some(Err(shortfall)) => collected.miss(ESLINT, shortfall),
                None if kind == DiagnosticsKind::Eslint => {
                    collected.miss(ESLINT, eslint.nothing_here());
                }
                None => {}
            }
        }
        Ok(collected.reported(file.name()))
    }
}

impl Diagnostics {
    async fn ask_server(
        &self,
        file: &Located,
        kind: DiagnosticsKind,
        collected: &mut Collected,
        context: &ToolContext,
    ) -> Result<(), ToolError> {
        let name = file.target().file_name().unwrap_or_default();
        let servers = self.servers.servers_for(&name.to_string_lossy());
        let language = servers.first().map(|spec| spec.language.clone());
        if kind == DiagnosticsKind::Typescript && language.as_deref() != Some(TYPESCRIPT) {
            let reason = format!(
                "`{}` is not a TypeScript or JavaScript file, so it was not checked.",
                file.name()
            );
            collected.miss(
                TYPESCRIPT,
                Shortfall {
                    reason,
                    install: None,
                },
            );
            return Ok(());
        }
        let who = language.unwrap_or_else(|| "language server".to_owned());
        match self.servers.diagnostics(file, context.cancellation()).await {
            Ok(report) => match Shortfall::of_report(&report) {
                Some(shortfall) => collected.miss(&who, shortfall),
                None => {
                    let all = findings(&report).into_iter();
                    // A linter that the host configured as a server is asked along with the compiler.
                    let of_kind = |finding: &FindingFact| {
                        kind == DiagnosticsKind::All || finding.source.as_deref() != Some(ESLINT)
                    };
                    collected.take(all.filter(of_kind).collect());
                }
            },
            Err(AskError::File(error)) => return Err(error.into()),
            Err(AskError::Address(fault)) => return Err(ToolError::internal(fault)),
            Err(AskError::Unavailable(reason)) => match *reason {
                Unavailable::Cancelled => return Err(ToolError::cancelled()),
                reason => collected.miss(&who, Shortfall::of(&reason)),
            },
        }
        Ok(())
    }
}

/// The findings of everybody who was asked.
#[derive(Default)]
struct Collected {
    findings: Vec<FindingFact>,
    is_checked: bool,
    unavailable: Vec<(String, Shortfall)>,
}

impl Collected {
    fn take(&mut self, found: Vec<FindingFact>) {
        self.is_checked = true;
        for finding in found {
            let place = |finding: &FindingFact| (finding.line, finding.character);
            let is_known = self
                .findings
                .iter()
                .any(|known| place(known) == place(&finding) && known.message == finding.message);
            let counts = matches!(finding.severity, Severity::Error | Severity::Warning);
            if counts && !is_known {
                self.findings.push(finding);
            }
        }
    }

    fn miss(&mut self, who: &str, shortfall: Shortfall) {
        self.unavailable.push((who.to_owned(), shortfall));
    }

    fn reported(mut self, path: &str) -> DiagnosticsOutput {
        self.findings
            .sort_by_key(|finding| (finding.line, finding.character, finding.severity));
        let count = |severity| {
            let of = self.findings.iter();
            of.filter(|finding| finding.severity == severity).count()
        };
        DiagnosticsOutput {
            path: path.to_owned(),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            findings: Listed::new(self.findings),
            is_checked: self.is_checked,
            unavailable: self.unavailable,
        }
    }
}
