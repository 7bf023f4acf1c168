//! What is wrong with a file, one finding a line.

use tenon_tools::DiagnosticsOutput;

use super::{FALLBACK, with_notices};

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
    let text = match (findings.is_empty(), output.is_checked) {
        (false, _) => findings.join("\n"),
        (true, true) => "No errors and no warnings.".to_owned(),
        (true, false) => "Nobody checked the file.".to_owned(),
    };
    let mut notices: Vec<String> = output
        .unavailable
        .iter()
        .map(|(_, shortfall)| {
            let install = shortfall
                .install
                .as_ref()
                .map(|command| format!(" To install it, run: {command}"))
                .unwrap_or_default();
            format!("{}{install}", shortfall.reason)
        })
        .collect();
    if output.findings.truncated() {
        let (shown, total) = (output.findings.items.len(), output.findings.total);
        notices.push(format!("The first {shown} of {total} are shown"));
    }
    if !output.is_checked {
        notices.push(FALLBACK.to_owned());
    }
    with_notices(text, &notices)
}
