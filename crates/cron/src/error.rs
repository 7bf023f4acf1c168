//! What can be wrong with a job.

use tenon_store::StoreError;

/// Why a request about jobs was refused. Each is a sentence with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CronError {
    /// A parameter is wrong: its name, and the sentence.
    #[error("{message}")]
    Invalid {
        /// The parameter.
        parameter: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// There is no such job.
    #[error("{0}")]
    NotFound(String),
    /// It cannot be done as things are.
    #[error("{0}")]
    Refused(String),
    /// The store failed.
    #[error("The jobs could not be read or written: {0}")]
    Store(#[from] StoreError),
}

impl CronError {
    pub(crate) fn invalid(parameter: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid {
            parameter,
            message: message.into(),
        }
    }

    /// None of the agents that there are has this name.
    #[must_use]
    pub fn unknown_agent(agent: &str, known: &[String]) -> Self {
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let known = known.join(", ");
        Self::invalid(
            "agent",
            format!("There is no agent `{agent}`. Name one of these as `agent`: {known}."),
        )
    }
}

/// A text of a caller, short enough for a message.
pub(crate) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("`{}`", short.escape_debug())
}
