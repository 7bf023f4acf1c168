//! What is wrong with a file, one finding a line.

use tenon_contract::with_parameters;
use tenon_tools::{DiagnosticsOutput, LspOperation, Shortfall};

use super::{fallback, with_notices};
use crate::words::Words;

/// The findings, and who did not look.
pub(crate) fn diagnostics_text(output: &DiagnosticsOutput, words: &Words<'_>) -> String {
    let findings: Vec<String> = output
        .findings
        .items
        .iter()
        .map(|finding| {
            let code = finding
                .code
                .as_ref()
                .map(|code| format!(" {code}"))
                .unwrap_or_default();
            format!(
                "{}:{} {}: {} [{}{code}]",
                finding.line,
                finding.character,
                finding.severity.as_str(),
                finding.message,
                finding.source.as_deref().unwrap_or("server"),
            )
        })
        .collect();
    let unavailable: Vec<String> = output
        .unavailable
        .iter()
        .map(|(_, shortfall)| with_parameters(&reason(shortfall), words))
        .collect();
    if !output.is_checked {
        let steps = fallback(LspOperation::Diagnostics, words);
        let lines: Vec<String> = unavailable.into_iter().chain(steps).collect();
        return lines.join("\n");
    }
    let text = if findings.is_empty() {
        "No errors or warnings.".to_owned()
    } else {
        findings.join("\n")
    };
    let mut notices: Vec<String> = unavailable
        .iter()
        .map(|reason| reason.trim_end_matches('.').to_owned())
        .collect();
    if output.findings.truncated() {
        let (shown, total) = (output.findings.items.len(), output.findings.total);
        notices.push(format!("First {shown} of {total} shown"));
    }
    with_notices(text, &notices)
}

/// Why somebody did not check the file, and what would help.
fn reason(shortfall: &Shortfall) -> String {
    match &shortfall.install {
        Some(command) => format!("{} To install it: `{command}`.", shortfall.reason),
        None => shortfall.reason.clone(),
    }
}
