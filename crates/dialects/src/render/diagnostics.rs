//! What is wrong with a file, one finding a line.

use tenon_tools::{DiagnosticsOutput, Shortfall};

use super::with_notices;

/// The findings, and who did not look.
pub(crate) fn diagnostics_text(output: &DiagnosticsOutput) -> String {
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
        .map(|(_, shortfall)| reason(shortfall))
        .collect();
    if !output.is_checked {
        return unavailable.join("\n");
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
