//! Why a language server gave no answer.

use std::sync::Arc;

use tenon_process::ProcessError;

use crate::protocol::framing::FrameFault;
use crate::protocol::message::ResponseError;

/// A request that got no response.
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
    #[error("its response to `{method}` is not valid: {fault}")]
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
    /// It was asked to end.
    #[error("it was shut down")]
    ShutDown,
    /// The process ended by itself.
    #[error("{}", end_of(*exit_code, signal.as_deref()))]
    Exited {
        /// What it answered.
        exit_code: Option<i32>,
        /// The signal that ended it.
        signal: Option<String>,
    },
    /// It closed its output.
    #[error("it closed its output")]
    EndOfOutput,
    /// What it writes is no message.
    #[error("{0}")]
    Frame(#[from] FrameFault),
    /// It writes what is no JSON.
    #[error("it sent a message that is not JSON: {0}")]
    Json(String),
    /// It left several requests without a response.
    #[error("it stopped responding")]
    Unresponsive,
    /// It reads nothing of what it is sent.
    #[error("it stopped reading its input")]
    Stuck,
    /// The pipes failed.
    #[error("the pipe to it failed: {0}")]
    Io(String),
}

fn end_of(exit_code: Option<i32>, signal: Option<&str>) -> String {
    match (exit_code, signal) {
        (_, Some(signal)) => format!("it was killed by {signal}"),
        (Some(code), None) => format!("it exited with code {code}"),
        (None, None) => "it exited".to_owned(),
    }
}

/// A server that could not be brought up.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StartError {
    /// The process could not be started.
    #[error("{0}")]
    Process(Arc<ProcessError>),
    /// It was started and failed to answer `initialize`.
    #[error("{0}")]
    Initialize(RequestError),
    /// It has not answered `initialize` for as long as a call waits; it goes on starting.
    #[error("it has not finished starting after {seconds} s")]
    Slow {
        /// How long the call waited.
        seconds: u64,
    },
    /// A file that it loads does not lie beside it, and that of the workspace is not trusted.
    #[error(
        "it needs `{file}` next to `{program}`, and the copy in the workspace is not trusted; install it with `{install}`"
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
    #[error("it crashed {starts} times within {minutes} minutes and is not started again for now")]
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
