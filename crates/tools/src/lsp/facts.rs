//! What language servers find, in the form of answers: lines and characters from 1, characters in UTF-16.

use tenon_contract::{ChangeKind, limits};
use tenon_lsp::{Action, Report, Severity};

/// The first of many, and how many there are.
#[derive(Debug)]
pub struct Listed<T> {
    /// All that were found.
    pub total: usize,
    /// Those that are shown.
    pub items: Vec<T>,
    /// Whether the server stopped at its own limit: then there may be more than `total`.
    pub is_capped: bool,
}

impl<T> Listed<T> {
    /// At most [`LSP_RESULTS_MAX`](limits::LSP_RESULTS_MAX) of them.
    pub(crate) fn new(mut items: Vec<T>) -> Self {
        let total = items.len();
        items.truncate(limits::LSP_RESULTS_MAX);
        Self {
            total,
            items,
            is_capped: false,
        }
    }

    /// Whether there are, or may be, more than are shown.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.is_capped || self.total > self.items.len()
    }
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceFact {
    /// The file, relative to the workspace; absolute outside.
    pub file: String,
    /// Its address (RFC 8089).
    pub uri: String,
    /// From 1.
    pub line: u64,
    /// From 1, in UTF-16.
    pub character: u64,
    /// The line on which it ends.
    pub end_line: u64,
    /// Behind its last character.
    pub end_character: u64,
    /// The line as it stands in the file; empty outside of the workspace, where nothing is read.
    pub text: String,
    /// The whole declaration, for definitions whose server reports its extent.
    pub excerpt: Option<String>,
}

/// A symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolFact {
    /// What it is called.
    pub name: String,
    /// What it is, such as `function`.
    pub kind: &'static str,
    /// More, such as its signature.
    pub detail: Option<String>,
    /// What it belongs to.
    pub container: Option<String>,
    /// How deep it lies in others; 0 for those of the file itself.
    pub depth: usize,
    /// Its name.
    pub place: PlaceFact,
    /// The last line of all of it.
    pub last_line: u64,
}

/// A caller, or a function that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFact {
    /// Who.
    pub symbol: SymbolFact,
    /// Where the calls are, in the file of the caller.
    pub places: Vec<PlaceFact>,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindingFact {
    /// From 1.
    pub line: u64,
    /// From 1, in UTF-16.
    pub character: u64,
    /// The line on which it ends.
    pub end_line: u64,
    /// Behind its last character.
    pub end_character: u64,
    /// How bad.
    pub severity: Severity,
    /// What.
    pub message: String,
    /// Who found it.
    pub source: Option<String>,
    /// The name or number of the rule.
    pub code: Option<String>,
}

/// The findings of a report.
pub(crate) fn findings(report: &Report) -> Vec<FindingFact> {
    let findings = report.findings.iter().map(|finding| FindingFact {
        line: u64::from(finding.span.start.line) + 1,
        character: u64::from(finding.span.start.character) + 1,
        end_line: u64::from(finding.span.end.line) + 1,
        end_character: u64::from(finding.span.end.character) + 1,
        severity: finding.severity,
        message: finding.message.clone(),
        source: finding.source.clone(),
        code: finding.code.clone(),
    });
    findings.collect()
}

/// A repair or refactoring that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionFact {
    /// What it is called; it is chosen by that.
    pub title: String,
    /// Such as `quickfix` or `refactor.extract`.
    pub kind: Option<String>,
    /// Whether the server thinks that it is the right one.
    pub is_preferred: bool,
    /// Why it cannot be used now.
    pub disabled: Option<String>,
}

impl From<Action> for ActionFact {
    fn from(action: Action) -> Self {
        Self {
            title: action.title,
            kind: action.kind,
            is_preferred: action.is_preferred,
            disabled: action.disabled,
        }
    }
}

/// Changes of files, made or only shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangesFact {
    /// Whether they were made; false for a dry run.
    pub applied: bool,
    /// What the server calls them, for a code action.
    pub title: Option<String>,
    /// Every file, in the order of the proposal.
    pub files: Vec<ChangedFileFact>,
    /// All of them as one unified diff.
    pub diff: String,
    /// What may be wrong with them, in sentences.
    pub warnings: Vec<String>,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFileFact {
    /// The file afterwards (before, for a deletion), relative to the workspace.
    pub path: String,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Where it was before, for a move.
    pub from: Option<String>,
    /// Lines that are new.
    pub additions: usize,
    /// Lines that are gone.
    pub deletions: usize,
}
