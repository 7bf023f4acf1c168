//! Why a language server gave no answer.

use std::sync::Arc;

use tenon_process::ProcessError;

use crate::framing::FrameFault;
use crate::message::ResponseError;

/// A request that was not answered.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RequestError {
    /// The caller aborted.
    #[error("the call was aborted")]
    Cancelled,
    /// No answer within the time.
    #[error("it did not answer `{method}` within {seconds} s")]
    TimedOut {
        /// What was asked.
        method: String,
        /// How long was waited.
        seconds: u64,
    },
    /// The server answered that it cannot or will not.
    #[error("it refused `{method}`: {} ({})", error.message, error.code)]
    Refused {
        /// What was asked.
        method: String,
        /// What it said.
        error: ResponseError,
    },
    /// The server is gone.
    #[error("{0}")]
    Closed(CloseReason),
    /// An answer that is not what the protocol says.
    #[error("its answer to `{method}` cannot be read: {fault}")]
    Malformed {
        /// What was asked.
        method: String,
        /// What is wrong with it.
        fault: String,
    },
}

/// Why a connection ended.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CloseReason {
    /// It was told to end.
    #[error("it was shut down")]
    ShutDown,
    /// The process ended by itself.
    #[error("it ended by itself{}", told_end(*exit_code, signal.as_deref()))]
    Exited {
        /// What it answered.
        exit_code: Option<i32>,
        /// The signal that ended it.
        signal: Option<String>,
    },
    /// It closed its output.
    #[error("it closed its output")]
    EndOfOutput,
    /// What it writes cannot be read.
    #[error("{0}")]
    Frame(#[from] FrameFault),
    /// It writes what is no JSON.
    #[error("it wrote a message that is no JSON: {0}")]
    Json(String),
    /// It reads nothing of what it is sent.
    #[error("it did not read what it was sent")]
    Stuck,
    /// The pipes failed.
    #[error("the pipe to it failed: {0}")]
    Io(String),
}

fn told_end(exit_code: Option<i32>, signal: Option<&str>) -> String {
    match (exit_code, signal) {
        (_, Some(signal)) => format!(" by {signal}"),
        (Some(code), None) => format!(" with exit code {code}"),
        (None, None) => String::new(),
    }
}

/// A server that could not be brought up.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    /// The process could not be started.
    #[error("{0}")]
    Process(Arc<ProcessError>),
    /// It was started and did not answer `initialize`.
    #[error("it could not be initialised: {0}")]
    Initialize(RequestError),
    /// A file that it loads does not lie beside it, and that of the workspace is not trusted.
    #[error(
        "`{program}` has no `{file}` beside itself, and that of the workspace is code that the host does not trust; run: {install}"
    )]
    Companion {
        /// The server.
        program: String,
        /// What it loads.
        file: String,
        /// How to install it.
        install: &'static str,
    },
    /// It ended too often in a row.
    #[error("it was started {starts} times within {minutes} minutes and ended each time")]
    TooOften {
        /// How often.
        starts: usize,
        /// Within which time.
        minutes: u64,
    },
    /// The toolkit was closed.
    #[error("the toolkit was closed")]
    Closed,
}
