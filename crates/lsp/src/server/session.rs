//! One running server: initialised, spoken with, informed of every change, and ended.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tenon_contract::limits;
use tenon_process::ServiceEnd;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::error::{CloseReason, RequestError};
use crate::freshness::disk::Disk;
use crate::freshness::refresh::Synchronised;
use crate::protocol::connection::Connection;
use crate::protocol::position::Encoding;
use crate::server::capabilities::Feature;
use crate::server::server_state::ServerState;
use crate::server::stderr::StandardError;
use crate::servers::ServerSpec;

/// First pause before a request is repeated that failed only for the moment.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// How long the end of a process is awaited that has closed its output.
const END_WAIT: Duration = Duration::from_millis(1_000);

/// How long a question may take, all its requests together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    pub(crate) limit: Duration,
    pub(crate) until: Instant,
}

impl Patience {
    /// From now on.
    pub(crate) fn of(limit: Duration) -> Self {
        Self {
            limit,
            until: Instant::now() + limit,
        }
    }

    pub(crate) fn rest(self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// One running server.
pub struct ServerSession {
    pub(crate) spec: Arc<ServerSpec>,
    pub(crate) root: PathBuf,
    pub(crate) connection: Connection,
    pub(crate) server_state: ServerState,
    /// Known once it is initialised.
    pub(crate) encoding: OnceLock<Encoding>,
    pub(crate) disk: Arc<Disk>,
    pub(crate) synchronised: Mutex<Synchronised>,
    /// Whether files changed that it has to be made to read again.
    pub(crate) reload: std::sync::atomic::AtomicBool,
    /// Counts what the server was informed of changes.
    pub(crate) generation: AtomicU64,
    /// The generation, plus one, for which its answers about the whole project were found complete; 0 for none.
    pub(crate) settled: AtomicU64,
    /// Held while diagnostics are awaited from a server that checks one file at a time.
    pub(crate) diagnosing: Mutex<()>,
    /// Whether it finds anything at all, once that was tried.
    pub(crate) checks: tokio::sync::OnceCell<bool>,
    pub(crate) stderr: StandardError,
    pub(crate) started: Instant,
    /// Since when it has not answered in time, and how many messages it had sent by then.
    pub(crate) unanswered: std::sync::Mutex<Option<(Instant, u64)>>,
    /// Open files that it never reports on; nobody waits for that again.
    pub(crate) silent: std::sync::Mutex<HashSet<PathBuf>>,
    pub(crate) uses: AtomicUsize,
    pub(crate) used: std::sync::Mutex<Instant>,
    /// How the process ended, once it is gone with everything it started.
    pub(crate) ended: watch::Receiver<Option<ServiceEnd>>,
    /// Cancelled, it ends the process.
    pub(crate) end: CancellationToken,
    pub(crate) _end_with_me: DropGuard,
}

impl ServerSession {
    /// What the server is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The directory that it was started for.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// In which units it counts characters.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding.get().copied().unwrap_or_default()
    }

    /// Whether it can be asked for this.
    #[must_use]
    pub fn has(&self, feature: Feature) -> bool {
        self.server_state.features(|features| features.has(feature))
    }

    /// Asks, and asks again while the server says that it cannot answer just now.
    pub(crate) async fn ask<P: Serialize + Sync, R: DeserializeOwned>(
        &self,
        method: &str,
        params: &P,
        patience: Patience,
        cancellation: &CancellationToken,
    ) -> Result<R, RequestError> {
        let mut pause = RETRY_PAUSE;
        loop {
            let rest = patience.rest();
            let answer = self
                .connection
                .request(method, Some(params), rest, cancellation)
                .await;
            match answer {
                Err(RequestError::Refused { error, .. }) if error.is_passing() && pause < rest => {
                    tokio::select! {
                        () = cancellation.cancelled() => return Err(RequestError::Cancelled),
                        () = tokio::time::sleep(pause) => {}
                    }
                    pause *= 2;
                }
                Err(RequestError::TimedOut { method, .. }) => {
                    return Err(RequestError::TimedOut {
                        method,
                        seconds: patience.limit.as_secs(),
                    });
                }
                answer => return answer,
            }
        }
    }

    /// As [`ask`](Self::ask), the answer as it came, for as long as any request may take.
    pub(crate) async fn ask_value(
        &self,
        method: &str,
        params: &Value,
        cancellation: &CancellationToken,
    ) -> Result<Value, RequestError> {
        let patience = Patience::of(limits::LSP_REQUEST_TIMEOUT);
        self.ask(method, params, patience, cancellation).await
    }

    /// Notes that a request was not answered in time. A server that says nothing at all from one such request to the
    /// end of another one is ended, so that the next question starts it again; one that says that it is at work is not.
    pub(crate) fn note_unanswered(&self) {
        if self.server_state.progress().is_busy() {
            return;
        }
        let said = self.connection.received();
        let now = Instant::now();
        let mut unanswered = self
            .unanswered
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match *unanswered {
            Some((since, then)) if then == said => {
                // Requests that were sent together end together.
                if now.duration_since(since) >= limits::LSP_ANSWER_TIMEOUT / 2 {
                    self.connection.close(CloseReason::Unresponsive);
                    self.end.cancel();
                }
            }
            _ => *unanswered = Some((now, said)),
        }
    }

    /// Whether it still can be spoken with.
    pub(crate) fn is_alive(&self) -> bool {
        self.connection.close_reason().is_none() && self.ended.borrow().is_none()
    }

    /// Why it ended, with the last of what it complained about.
    #[must_use]
    pub fn complaint(&self) -> Option<String> {
        self.stderr.last_words_with(&self.server_state.said())
    }

    /// Ends it orderly: `shutdown`, `exit`, then signals; at most two seconds, and the grace of the signals.
    pub(crate) async fn shut_down(&self) {
        let limit = limits::LSP_SHUTDOWN_TIMEOUT;
        let never = CancellationToken::new();
        let orderly = async {
            let answer = self
                .connection
                .request::<(), Value>("shutdown", None, limit, &never)
                .await;
            if answer.is_ok() {
                self.connection.notify::<()>("exit", None);
                self.wait_ended().await;
            }
        };
        // A server that does not end by then is ended.
        let _ = tokio::time::timeout(limit, orderly).await;
        self.end.cancel();
        self.wait_ended().await;
        self.connection.close(CloseReason::ShutDown);
    }

    /// Waits until the process is gone.
    pub(crate) async fn wait_ended(&self) {
        let mut ended = self.ended.clone();
        // Fails when the watching task is gone, and then so is the process.
        let _ = ended.wait_for(Option::is_some).await;
    }

    /// The failure as it is to be reported: a server that closed its output is about to end, and how it ended says more.
    pub(crate) async fn reported_by_end(&self, error: RequestError) -> RequestError {
        let RequestError::Closed(CloseReason::EndOfOutput | CloseReason::Io(_)) = &error else {
            return error;
        };
        let _ = tokio::time::timeout(END_WAIT, self.wait_ended()).await;
        match self.ended.borrow().clone() {
            Some(ServiceEnd { exit_code, signal }) => {
                RequestError::Closed(CloseReason::Exited { exit_code, signal })
            }
            None => error,
        }
    }

    /// Notes that somebody works with it; it is not ended for idleness until that is over.
    pub(crate) fn in_use(self: &Arc<Self>) -> ServerUse {
        self.uses.fetch_add(1, Ordering::AcqRel);
        ServerUse(Arc::clone(self))
    }

    /// How long nobody has worked with it.
    pub(crate) fn idle_for(&self) -> Duration {
        if self.uses.load(Ordering::Acquire) > 0 {
            return Duration::ZERO;
        }
        self.used
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .elapsed()
    }
}

impl Drop for ServerSession {
    fn drop(&mut self) {
        self.connection.close(CloseReason::ShutDown);
    }
}

impl std::fmt::Debug for ServerSession {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Session")
            .field("name", &self.spec.name)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// Somebody works with a server.
#[derive(Debug)]
pub(crate) struct ServerUse(Arc<ServerSession>);

impl Drop for ServerUse {
    fn drop(&mut self) {
        *self
            .0
            .used
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Instant::now();
        self.0.uses.fetch_sub(1, Ordering::AcqRel);
    }
}
