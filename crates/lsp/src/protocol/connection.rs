//! One conversation with a server: requests and answers matched, nothing ever waited for without end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_contract::limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::error::{CloseReason, RequestError};
use crate::protocol::framing::{FrameDecoder, frame};
use crate::protocol::message::{self, Id, Incoming, ResponseError};

/// Hears what a server says by itself. Called in the order of the messages, by the task that reads them, which waits:
/// implementations answer at once.
pub(crate) trait Listener: Send + Sync + 'static {
    /// A notification.
    fn notified(&self, method: &str, params: Option<&RawValue>);
    /// A request. It is answered with what this returns.
    fn asked(&self, method: &str, params: Option<&RawValue>) -> Result<Value, ResponseError>;
}

/// A conversation. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Inner>);

struct Inner {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes that the server has not read yet.
    queued: AtomicUsize,
    /// Messages of the server.
    received: AtomicU64,
    pending: Mutex<Pending>,
    closed: CancellationToken,
}

type PendingAnswer = Result<Option<Box<RawValue>>, ResponseError>;

#[derive(Default)]
struct Pending {
    last_id: i64,
    waiting: HashMap<i64, oneshot::Sender<PendingAnswer>>,
    closed: Option<CloseReason>,
}

impl Connection {
    /// Speaks over these streams until either ends. Needs a running tokio runtime; the tasks end with the streams, or
    /// when the last clone is gone and everything was written.
    pub(crate) fn new(
        output: impl AsyncRead + Unpin + Send + 'static,
        input: impl AsyncWrite + Unpin + Send + 'static,
        listener: impl Listener,
    ) -> Self {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let inner = Arc::new(Inner {
            outgoing,
            queued: AtomicUsize::new(0),
            received: AtomicU64::new(0),
            pending: Mutex::default(),
            closed: CancellationToken::new(),
        });
        tokio::spawn(write_all(
            Arc::downgrade(&inner),
            input,
            queue,
            inner.closed.clone(),
        ));
        tokio::spawn(read_all(
            Arc::downgrade(&inner),
            output,
            listener,
            inner.closed.clone(),
        ));
        Self(inner)
    }

    /// Asks and waits for the answer: for `limit` at most, and no longer than until `cancellation`. Whatever ends the
    /// waiting, the server is informed with `$/cancelRequest`.
    pub(crate) async fn request<P: Serialize + Sync, R: DeserializeOwned>(
        &self,
        method: &str,
        params: Option<&P>,
        limit: Duration,
        cancellation: &CancellationToken,
    ) -> Result<R, RequestError> {
        let (id, answer) = self.0.expect_answer()?;
        let waiting = Waiting { inner: &self.0, id };
        let message = message::write_call(Some(id), method, params)
            .map_err(|error| malformed(method, &error))?;
        self.0.send(&message)?;
        let answer = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(RequestError::Cancelled),
            answer = answer => answer,
            () = tokio::time::sleep(limit) => {
                return Err(RequestError::TimedOut { method: method.to_owned(), seconds: limit.as_secs() });
            }
        };
        waiting.done();
        match answer {
            Ok(Ok(result)) => {
                let text = result.as_ref().map_or("null", |result| result.get());
                serde_json::from_str(text).map_err(|error| malformed(method, &error))
            }
            Ok(Err(error)) => Err(RequestError::Refused {
                method: method.to_owned(),
                error,
            }),
            Err(_) => Err(RequestError::Closed(self.0.reason())),
        }
    }

    /// Notifies, and waits for nothing. A server that is gone is no failure: the next request finds out.
    pub(crate) fn notify<P: Serialize>(&self, method: &str, params: Option<&P>) {
        if let Ok(message) = message::write_call(None, method, params) {
            let _ = self.0.send(&message);
        }
    }

    /// Ends the conversation: everything that waits fails with this reason, unless there was one before.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.0.close(reason);
    }

    /// Resolves when the conversation has ended.
    pub(crate) async fn closed(&self) -> CloseReason {
        self.0.closed.cancelled().await;
        self.0.reason()
    }

    /// How many messages the server has sent.
    pub(crate) fn received(&self) -> u64 {
        self.0.received.load(Ordering::Relaxed)
    }

    /// Why it ended, if it did.
    pub(crate) fn close_reason(&self) -> Option<CloseReason> {
        self.0.lock().closed.clone()
    }
}

fn malformed(method: &str, fault: &serde_json::Error) -> RequestError {
    RequestError::Malformed {
        method: method.to_owned(),
        fault: fault.to_string(),
    }
}

impl Inner {
    fn expect_answer(&self) -> Result<(i64, oneshot::Receiver<PendingAnswer>), RequestError> {
        let (sender, answer) = oneshot::channel();
        let mut pending = self.lock();
        if let Some(reason) = &pending.closed {
            return Err(RequestError::Closed(reason.clone()));
        }
        pending.last_id += 1;
        let id = pending.last_id;
        pending.waiting.insert(id, sender);
        Ok((id, answer))
    }

    /// Puts a message in the queue. A server that reads nothing is given up before the queue grows without bound.
    fn send(&self, message: &[u8]) -> Result<(), RequestError> {
        let framed = frame(message);
        let queued = self.queued.fetch_add(framed.len(), Ordering::Relaxed) + framed.len();
        if queued > limits::LSP_QUEUE_MAX_BYTES.max(framed.len()) {
            self.close(CloseReason::Stuck);
        }
        match self.outgoing.send(framed) {
            Ok(()) if !self.closed.is_cancelled() => Ok(()),
            _ => Err(RequestError::Closed(self.reason())),
        }
    }

    fn close(&self, reason: CloseReason) {
        let mut pending = self.lock();
        pending.closed.get_or_insert(reason);
        // The receivers see that their senders are gone.
        pending.waiting.clear();
        drop(pending);
        self.closed.cancel();
    }

    fn reason(&self) -> CloseReason {
        self.lock()
            .closed
            .clone()
            .unwrap_or(CloseReason::EndOfOutput)
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, message: Incoming, listener: &dyn Listener) {
        self.received.fetch_add(1, Ordering::Relaxed);
        match message {
            Incoming::Request { id, method, params } => {
                let answer = listener.asked(&method, params.as_deref());
                let written = message::write_response(&id, &answer).or_else(|_| {
                    let fault = ResponseError::new(
                        ResponseError::REQUEST_FAILED,
                        "The answer has no JSON form.",
                    );
                    message::write_response(&id, &Err(fault))
                });
                if let Ok(written) = written {
                    // Nobody is left to answer when this fails.
                    let _ = self.send(&written);
                }
            }
            Incoming::Notification { method, params } => {
                listener.notified(&method, params.as_deref())
            }
            Incoming::Response {
                id: Id::Number(id),
                result,
            } => {
                if let Some(waiting) = self.lock().waiting.remove(&id) {
                    // Anyone who asked may have gone in this moment.
                    let _ = waiting.send(result);
                }
            }
            // Answers to nothing that was asked.
            Incoming::Response {
                id: Id::Text(_), ..
            }
            | Incoming::Other => {}
        }
    }
}

/// A request that waits. Dropped before it is over, it is withdrawn.
struct Waiting<'a> {
    inner: &'a Inner,
    id: i64,
}

impl Waiting<'_> {
    fn done(self) {
        std::mem::forget(self);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.inner.lock().waiting.remove(&self.id);
        let params = serde_json::json!({ "id": self.id });
        if let Ok(message) = message::write_call(None, "$/cancelRequest", Some(&params)) {
            // A server that is gone works on nothing any more.
            let _ = self.inner.send(&message);
        }
    }
}

async fn write_all(
    inner: std::sync::Weak<Inner>,
    mut input: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    closed: CancellationToken,
) {
    while let Some(message) = queue.recv().await {
        let written = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            written = input.write_all(&message) => written,
        };
        let written = match written {
            Ok(()) if queue.is_empty() => input.flush().await,
            written => written,
        };
        let Some(inner) = inner.upgrade() else {
            continue;
        };
        inner.queued.fetch_sub(message.len(), Ordering::Relaxed);
        if let Err(error) = written {
            inner.close(CloseReason::Io(error.to_string()));
            return;
        }
    }
}

async fn read_all(
    inner: std::sync::Weak<Inner>,
    mut output: impl AsyncRead + Unpin,
    listener: impl Listener,
    closed: CancellationToken,
) {
    let mut decoder = FrameDecoder::new(limits::LSP_MESSAGE_MAX_BYTES);
    let mut buffer = vec![0; 64 * 1024];
    let reason = loop {
        let read = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            read = output.read(&mut buffer) => read,
        };
        let chunk = match read {
            Ok(0) => break CloseReason::EndOfOutput,
            Ok(read) => buffer.get(..read).unwrap_or_default(),
            Err(error) => break CloseReason::Io(error.to_string()),
        };
        decoder.push(chunk);
        let Some(inner) = inner.upgrade() else { return };
        if let Err(reason) = take_all(&mut decoder, &inner, &listener) {
            break reason;
        }
    };
    if let Some(inner) = inner.upgrade() {
        inner.close(reason);
    }
}

fn take_all(
    decoder: &mut FrameDecoder,
    inner: &Inner,
    listener: &dyn Listener,
) -> Result<(), CloseReason> {
    while let Some(body) = decoder.next()? {
        let message = message::read(&body).map_err(|error| CloseReason::Json(error.to_string()))?;
        inner.take(message, listener);
    }
    Ok(())
}
