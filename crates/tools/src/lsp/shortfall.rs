//! Why a language server returned nothing.

use tenon_lsp::{Report, RequestError, ServerStatus, StartError, Unavailable, language_title};

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
                format!("No language server is configured for files such as `{file}`.")
            }
            Unavailable::Missing {
                language,
                server,
                install: command,
            } => {
                install.clone_from(command);
                format!("{server} ({}) is not installed.", language_title(language))
            }
            Unavailable::Unsupported { server, feature } => {
                format!("{server} does not support {}.", feature.words())
            }
            Unavailable::NotStarted {
                server,
                error: StartError::Slow { seconds },
                complaint,
            } => format!(
                "{server} is still starting after {seconds} s. Call again in a moment.{}",
                said(complaint.as_deref())
            ),
            Unavailable::NotStarted {
                server,
                error,
                complaint,
            } => format!(
                "{server} could not be started: {error}.{}",
                said(complaint.as_deref())
            ),
            Unavailable::NoAnswer {
                server,
                error,
                complaint,
                status,
            } => no_answer(server, error, *status, complaint.as_deref()),
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
                    "Not checked: {server} needs {}, which is not installed.",
                    canary.needs
                ),
                install: Some(canary.install.to_owned()),
            }),
            None if !report.is_answered && report.findings.is_empty() => Some(Self {
                reason: format!(
                    "Not checked: {server} has not reported on this file yet. Call again in a moment."
                ),
                install: None,
            }),
            None => None,
        }
    }
}

fn no_answer(
    server: &str,
    error: &RequestError,
    status: ServerStatus,
    complaint: Option<&str>,
) -> String {
    match error {
        RequestError::Refused { error, .. } => {
            let message = error.message.trim_end_matches('.');
            format!("{server} refused the request: {message}.")
        }
        RequestError::TimedOut { seconds, .. } if status == ServerStatus::Indexing => format!(
            "{server} is still loading the project and did not answer within {seconds} s. Call again in a moment."
        ),
        RequestError::TimedOut { method, seconds } => format!(
            "{server} did not answer `{method}` within {seconds} s. Call again once; it is restarted if it hangs."
        ),
        error => format!("{server} failed: {error}.{}", said(complaint)),
    }
}

fn said(complaint: Option<&str>) -> String {
    complaint
        .map(|complaint| format!(" Its last output:\n{complaint}"))
        .unwrap_or_default()
}
