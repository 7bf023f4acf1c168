//! Why a language server told nothing, and what to do instead.

use tenon_lsp::{Report, RequestError, Unavailable};

/// Why nothing is known. Never the same as that there is nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// In a sentence.
    pub reason: String,
    /// The command that would help.
    pub install: Option<String>,
}

impl Shortfall {
    pub(crate) fn of(reason: &Unavailable) -> Self {
        let mut install = None;
        let reason = match reason {
            Unavailable::NoLanguage { file } => {
                format!("No language server is known for files such as `{file}`.")
            }
            Unavailable::Missing {
                language,
                server,
                install: command,
            } => {
                install.clone_from(command);
                format!("The language server for {language}, {server}, is not installed.")
            }
            Unavailable::Unsupported { server, feature } => {
                format!("{server} does not support this: {}.", feature.words())
            }
            Unavailable::NotStarted {
                server,
                error,
                complaint,
            } => {
                format!(
                    "{server} could not be started: {error}.{}",
                    said(complaint.as_deref())
                )
            }
            Unavailable::NoAnswer {
                server,
                error,
                complaint,
                ..
            } => match error {
                RequestError::Refused { error, .. } => {
                    format!("{server} refused: {}", error.message)
                }
                error => format!(
                    "{server} gave no answer: {error}.{}",
                    said(complaint.as_deref())
                ),
            },
            Unavailable::Cancelled => "The call was aborted.".to_owned(),
        };
        Self { reason, install }
    }

    /// Why an empty report says nothing.
    pub(crate) fn of_report(report: &Report) -> Option<Self> {
        let server = report.servers.join(", ");
        match report.blind {
            Some(canary) => Some(Self {
                reason: format!(
                    "{server} finds nothing in any file without {}, which it lacks.",
                    canary.needs
                ),
                install: Some(canary.install.to_owned()),
            }),
            None if !report.is_answered && report.findings.is_empty() => Some(Self {
                reason: format!(
                    "{server} has not reported on this text yet; that is not to say that it is free of errors."
                ),
                install: None,
            }),
            None => None,
        }
    }
}

fn said(complaint: Option<&str>) -> String {
    complaint
        .map(|complaint| format!(" It said: {complaint}"))
        .unwrap_or_default()
}
