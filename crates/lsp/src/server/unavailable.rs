//! Why there is no server that could answer.

use crate::error::{RequestError, StartError};
use crate::server::capabilities::Feature;
use crate::server::session::ServerSession;
use crate::servers::ServerSpec;

/// How a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerStatus {
    /// It is not installed.
    Missing,
    /// It is being started.
    Starting,
    /// It does not know the whole project yet: what it answered may not be all.
    Indexing,
    /// It knows what it needs.
    Ready,
    /// It could not be started, ended, or did not answer.
    Failed,
    /// There is none for such files, or it cannot do what was asked.
    Unsupported,
}

impl ServerStatus {
    /// As it stands in details.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Starting => "starting",
            Self::Indexing => "indexing",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Unsupported => "unsupported",
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone)]
pub enum Unavailable {
    /// No server is known for such files.
    NoLanguage {
        /// The name of the file.
        file: String,
    },
    /// None of those that could is installed.
    Missing {
        /// The language, as options name it.
        language: String,
        /// The first of them.
        server: String,
        /// What installs it.
        install: Option<String>,
    },
    /// It runs and cannot do that.
    Unsupported {
        /// What it is called.
        server: String,
        /// What was asked for.
        feature: Feature,
    },
    /// It could not be started.
    NotStarted {
        /// What it is called.
        server: String,
        /// Why.
        error: StartError,
        /// The last of what it wrote on its standard error or reported as an error.
        complaint: Option<String>,
    },
    /// It was asked and did not answer.
    NoAnswer {
        /// What it is called.
        server: String,
        /// Why.
        error: RequestError,
        /// The last of what it wrote on its standard error or reported as an error.
        complaint: Option<String>,
        /// How it stands.
        status: ServerStatus,
    },
    /// The caller aborted.
    Cancelled,
}

impl Unavailable {
    pub(crate) fn no_language(file: &str) -> Self {
        Self::NoLanguage {
            file: file.to_owned(),
        }
    }

    pub(crate) fn missing(spec: &ServerSpec) -> Self {
        Self::Missing {
            language: spec.language.clone(),
            server: spec.name.clone(),
            install: spec.install.clone(),
        }
    }

    pub(crate) fn unsupported(session: &ServerSession, feature: Option<Feature>) -> Self {
        Self::Unsupported {
            server: session.name().to_owned(),
            feature: feature.unwrap_or(Feature::PullDiagnostics),
        }
    }

    pub(crate) fn failed(spec: &ServerSpec, error: StartError, complaint: Option<String>) -> Self {
        let is_absent = |said: &String| {
            let mut marks = spec.quirks.absent_marks.iter();
            marks.any(|mark| said.contains(mark))
        };
        if complaint.as_ref().is_some_and(is_absent) {
            return Self::missing(spec);
        }
        Self::NotStarted {
            server: spec.name.clone(),
            error,
            complaint,
        }
    }

    /// The more informative of two reasons: what failed before what cannot, and that before what is missing; else the first.
    pub(crate) fn or(self, other: Self) -> Self {
        if other.weight() > self.weight() {
            other
        } else {
            self
        }
    }

    const fn weight(&self) -> u8 {
        match self {
            Self::NoLanguage { .. } => 0,
            Self::Missing { .. } => 1,
            Self::Unsupported { .. } => 2,
            Self::NotStarted { .. } | Self::NoAnswer { .. } => 3,
            Self::Cancelled => 4,
        }
    }

    /// The server that it is about.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        match self {
            Self::NoLanguage { .. } | Self::Cancelled => None,
            Self::Missing { server, .. }
            | Self::Unsupported { server, .. }
            | Self::NotStarted { server, .. }
            | Self::NoAnswer { server, .. } => Some(server),
        }
    }

    /// How that server stands.
    #[must_use]
    pub const fn status(&self) -> ServerStatus {
        match self {
            Self::NoLanguage { .. } | Self::Unsupported { .. } => ServerStatus::Unsupported,
            Self::Missing { .. } => ServerStatus::Missing,
            Self::NotStarted {
                error: StartError::Slow { .. },
                ..
            } => ServerStatus::Starting,
            Self::NoAnswer { status, .. } => *status,
            Self::NotStarted { .. } | Self::Cancelled => ServerStatus::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rustup_says_of_a_component_that_is_not_there_is_a_server_that_is_not_installed() {
        let specs = crate::servers::presets(/*trusted*/ false);
        let rust = specs
            .iter()
            .find(|spec| spec.name == "rust-analyzer")
            .unwrap();
        let status = |said: &str| {
            let error = StartError::Slow { seconds: 1 };
            Unavailable::failed(rust, error, Some(said.to_owned())).status()
        };
        assert_eq!(
            [
                status("error: Unknown binary 'rust-analyzer' in official toolchain 'stable'."),
                status("error: 'rust-analyzer' is not installed for the toolchain 'stable'."),
                status("error: no such project"),
            ],
            [
                ServerStatus::Missing,
                ServerStatus::Missing,
                ServerStatus::Starting
            ]
        );
    }
}
