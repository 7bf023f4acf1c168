//! What language servers find, in the form of answers: lines and characters from 1, characters in UTF-16.

use tenon_contract::limits;
use tenon_lsp::{Report, Severity};

/// The first of many, and how many there are.
#[derive(Debug)]
pub struct Listed<T> {
    /// All that were found.
    pub total: usize,
    /// Those that are shown.
    pub items: Vec<T>,
}

impl<T> Listed<T> {
    /// At most [`LSP_RESULTS_MAX`](limits::LSP_RESULTS_MAX) of them.
    pub(crate) fn new(mut items: Vec<T>) -> Self {
        let total = items.len();
        items.truncate(limits::LSP_RESULTS_MAX);
        Self { total, items }
    }

    /// Whether there are more than are shown.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.total > self.items.len()
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
    /// The whole declaration, for definitions whose server tells its extent.
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
pub(crate) fn findings(report: &Report) -> Listed<FindingFact> {
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
    Listed::new(findings.collect())
}
