//! The conversation with a browser over its pipe: JSON, each message ended by NUL (Chrome DevTools Protocol).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_contract::limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::message::parse;
use super::outgoing::{Failure, Outgoing};
use crate::BrowserError;

/// Receives the events of a browser, in order. Called by the task that reads, which waits: it returns at once.
pub(crate) trait Listener: Send + Sync + 'static {
    /// An event, of a target or of the browser itself.
    fn event(&self, session: Option<&str>, method: &str, params: &RawValue);
}

/// A conversation. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Inner>);

struct Inner {
    outgoing: Arc<Outgoing>,
    pending: Mutex<Pending>,
    closed: CancellationToken,
}

#[derive(Default)]
struct Pending {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    closed: Option<BrowserError>,
    /// Whether its end is wanted, and so no crash.
    is_ending: bool,
}

type Answer = Result<Box<RawValue>, String>;

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Fault>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<std::borrow::Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    message: String,
    #[serde(default)]
    data: Option<String>,
}

impl Connection {
    /// Speaks over these streams until either ends. Needs a running tokio runtime.
    pub(crate) fn new(
        output: impl AsyncRead + Unpin + Send + 'static,
        input: impl AsyncWrite + Unpin + Send + 'static,
        listener: Arc<dyn Listener>,
    ) -> Self {
        let outgoing = Arc::new(Outgoing::new(input));
        let inner = Arc::new(Inner {
            outgoing: Arc::clone(&outgoing),
            pending: Mutex::default(),
            closed: CancellationToken::new(),
        });
        let closed = inner.closed.clone();
        tokio::spawn(write_all(Arc::downgrade(&inner), outgoing, closed));
        let closed = inner.closed.clone();
        tokio::spawn(read_all(Arc::downgrade(&inner), output, listener, closed));
        Self(inner)
    }

    /// Gives a command and waits for its answer, at most so long. Dropping the future gives the waiting up.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<R, BrowserError> {
        let (id, answer) = self.0.expect_answer()?;
        let _waiting = Waiting { inner: &self.0, id };
        self.0.send(id, session, method, params)?;
        let answer = tokio::time::timeout(limit, answer).await;
        let answer = answer.map_err(|_| BrowserError::Timeout {
            what: format!("`{method}` of the browser"),
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            detail: String::new(),
        })?;
        let refused = |fault: String| BrowserError::Protocol {
            method: method.to_owned(),
            fault,
        };
        match answer {
            Ok(Ok(result)) => parse(result.get()).map_err(|fault| refused(fault.to_string())),
            Ok(Err(fault)) => Err(refused(fault)),
            Err(_) => Err(self.0.reason()),
        }
    }

    /// Gives a command whose answer nobody waits for.
    pub(crate) fn send(&self, session: Option<&str>, method: &str, params: Value) {
        let id = {
            let mut pending = self.0.lock();
            pending.last_id += 1;
            pending.last_id
        };
        // A browser that is gone is no failure here: the next call finds out.
        let _ = self.0.send(id, session, method, params);
    }

    /// Ends the conversation: everything that waits fails with this reason, unless there was one before.
    pub(crate) fn close(&self, reason: BrowserError) {
        self.0.close(reason);
    }

    /// Says that its end, when it comes, is wanted.
    pub(crate) fn ending(&self) {
        self.0.lock().is_ending = true;
    }

    /// Resolves when the conversation has ended.
    pub(crate) async fn closed(&self) {
        self.0.closed.cancelled().await;
    }

    /// Why it ended, if it did.
    pub(crate) fn close_reason(&self) -> Option<BrowserError> {
        self.0.lock().closed.clone()
    }
}

impl Inner {
    fn expect_answer(&self) -> Result<(u64, oneshot::Receiver<Answer>), BrowserError> {
        let (sender, answer) = oneshot::channel();
        let mut pending = self.lock();
        if let Some(reason) = &pending.closed {
            return Err(reason.clone());
        }
        pending.last_id += 1;
        let id = pending.last_id;
        pending.waiting.insert(id, sender);
        Ok((id, answer))
    }

    fn send(
        &self,
        id: u64,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<(), BrowserError> {
        let mut message = serde_json::json!({ "id": id, "method": method, "params": params });
        if let (Some(session), Some(message)) = (session, message.as_object_mut()) {
            message.insert("sessionId".to_owned(), session.into());
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let most = limits::BROWSER_MESSAGE_MAX_BYTES;
        match self.outgoing.send(&bytes, most) {
            Ok(()) if !self.closed.is_cancelled() => return Ok(()),
            Ok(()) => {}
            Err(Failure::Closed) => self.close(crashed("its pipe is closed")),
            Err(Failure::Full) => self.close(crashed("it does not read what it is sent")),
        }
        Err(self.reason())
    }

    fn close(&self, reason: BrowserError) {
        let mut pending = self.lock();
        let reason = match pending.is_ending {
            true => BrowserError::Closed,
            false => reason,
        };
        pending.closed.get_or_insert(reason);
        // The receivers see that their senders are gone.
        pending.waiting.clear();
        drop(pending);
        self.closed.cancel();
    }

    fn reason(&self) -> BrowserError {
        self.lock().closed.clone().unwrap_or(BrowserError::Closed)
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, bytes: &[u8], listener: &dyn Listener) {
        // What cannot be read is an answer to nobody; the call that waits for one has its time limit.
        let Ok(message) = serde_json::from_slice::<Message<'_>>(bytes) else {
            return;
        };
        match message {
            Message {
                id: Some(id),
                result,
                error,
                ..
            } => {
                let Some(waiting) = self.lock().waiting.remove(&id) else {
                    return;
                };
                let answer = match error {
                    Some(fault) => Err(fault.text()),
                    None => {
                        Ok(result.map_or_else(|| RawValue::NULL.to_owned(), RawValue::to_owned))
                    }
                };
                // The caller may just have given up.
                let _ = waiting.send(answer);
            }
            Message {
                method: Some(method),
                params,
                session,
                ..
            } => {
                let params = params.unwrap_or(RawValue::NULL);
                listener.event(session.as_deref(), &method, params);
            }
            _ => {}
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Nobody speaks any more: the pipe closes.
        self.closed.cancel();
    }
}

impl Fault {
    fn text(self) -> String {
        let message = self.message.trim_end_matches('.').to_owned();
        match self.data {
            Some(data) => format!("{message} ({})", data.trim_end_matches('.')),
            None => message,
        }
    }
}

fn crashed(cause: &str) -> BrowserError {
    BrowserError::Crashed {
        what: "The browser".to_owned(),
        cause: format!(": {cause}"),
    }
}

/// A call that waits. Dropped, it is forgotten.
struct Waiting<'a> {
    inner: &'a Inner,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.inner.lock().waiting.remove(&self.id);
    }
}

/// Writes what senders leave, and closes the pipe at the end.
async fn write_all(inner: Weak<Inner>, outgoing: Arc<Outgoing>, closed: CancellationToken) {
    tokio::select! {
        biased;
        () = closed.cancelled() => {}
        _ = outgoing.write_left() => {
            if let Some(inner) = inner.upgrade() {
                inner.close(crashed("its pipe is closed"));
            }
        }
    }
    outgoing.close();
}

async fn read_all(
    inner: Weak<Inner>,
    mut output: impl AsyncRead + Unpin,
    listener: Arc<dyn Listener>,
    closed: CancellationToken,
) {
    let mut messages = Messages::new(limits::BROWSER_MESSAGE_MAX_BYTES);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = tokio::select! {
            biased;
            () = closed.cancelled() => return,
            read = output.read(&mut buffer) => read,
        };
        let Some(inner) = inner.upgrade() else { return };
        match read {
            Ok(read @ 1..) => {
                let chunk = buffer.get(..read).unwrap_or_default();
                messages.push(chunk, |message| inner.take(message, &*listener));
            }
            Ok(0) | Err(_) => {
                inner.close(crashed("its pipe is closed"));
                return;
            }
        }
    }
}

/// Takes bytes apart into messages. One that is too long is skipped, and so costs nobody else anything.
struct Messages {
    kept: Vec<u8>,
    is_skipping: bool,
    most: usize,
}

impl Messages {
    const fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            is_skipping: false,
            most,
        }
    }

    fn push(&mut self, mut chunk: &[u8], mut take: impl FnMut(&[u8])) {
        while let Some(end) = chunk.iter().position(|byte| *byte == 0) {
            let (message, rest) = chunk.split_at(end);
            self.keep(message);
            if !self.is_skipping && !self.kept.is_empty() {
                take(&self.kept);
            }
            self.kept.clear();
            // One large message must not hold its room for ever.
            self.kept.shrink_to(1024 * 1024);
            self.is_skipping = false;
            chunk = rest.get(1..).unwrap_or_default();
        }
        self.keep(chunk);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.is_skipping || self.kept.len() + bytes.len() > self.most {
            self.is_skipping = true;
            self.kept.clear();
        } else {
            self.kept.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Instant;
    use tokio::io::AsyncWriteExt;

    #[derive(Default)]
    struct Received(Mutex<Vec<String>>);

    impl Listener for Received {
        fn event(&self, session: Option<&str>, method: &str, params: &RawValue) {
            let event = format!("{session:?} {method} {params}");
            self.0.lock().unwrap().push(event);
        }
    }

    #[test]
    fn messages_of_any_cut_are_whole_and_one_that_is_too_long_is_skipped() {
        let stream = b"one\0two\0\0far too long to be kept\0three\0fo";
        for size in 1..stream.len() {
            let mut messages = Messages::new(5);
            let mut seen = Vec::new();
            for chunk in stream.chunks(size) {
                messages.push(chunk, |message| {
                    seen.push(String::from_utf8(message.to_vec()).unwrap());
                });
            }
            assert_eq!(seen, ["one", "two", "three"], "{size}");
        }
    }

    fn pair() -> (Connection, tokio::io::DuplexStream, Arc<Received>) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (output, input) = tokio::io::split(ours);
        let received = Arc::new(Received::default());
        (
            Connection::new(output, input, received.clone()),
            theirs,
            received,
        )
    }

    const LONG: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn answers_find_who_asked_and_events_arrive_in_order() {
        let (connection, mut theirs, received) = pair();
        let one = connection.call::<Value>(None, "A.one", json!({ "x": 1 }), LONG);
        let two = connection.call::<Value>(Some("s"), "A.two", json!({}), LONG);
        let browser = async {
            let mut sent = Vec::new();
            while sent.iter().filter(|byte| **byte == 0).count() < 2 {
                theirs.read_buf(&mut sent).await.unwrap();
            }
            let text = String::from_utf8(sent).unwrap();
            assert_eq!(
                text,
                "{\"id\":1,\"method\":\"A.one\",\"params\":{\"x\":1}}\0{\"id\":2,\"method\":\"A.two\",\"params\":{},\"sessionId\":\"s\"}\0"
            );
            let answers = b"{\"method\":\"E.first\",\"params\":{\"a\":1}}\0nonsense\0{\"id\":2,\"error\":{\"message\":\"no such thing.\"}}\0{\"id\":77,\"result\":{}}\0{\"id\":1,\"result\":{\"y\":2}}\0";
            theirs.write_all(answers).await.unwrap();
        };
        let (one, two, ()) = tokio::join!(one, two, browser);
        assert_eq!(one, Ok(json!({ "y": 2 })));
        assert_eq!(
            two.unwrap_err().to_string(),
            "The browser refused `A.two`: no such thing."
        );
        assert_eq!(*received.0.lock().unwrap(), ["None E.first {\"a\":1}"]);
    }

    #[tokio::test]
    async fn a_waiting_call_fails_at_once_when_the_pipe_closes() {
        let (connection, theirs, _) = pair();
        let waiting = connection.call::<Value>(None, "A.one", json!({}), LONG);
        let closing = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            drop(theirs);
        };
        let started = Instant::now();
        let (answer, ()) = tokio::join!(waiting, closing);
        assert_eq!(answer.unwrap_err().kind(), "crashed");
        assert!(started.elapsed() < Duration::from_secs(2));
        let later = connection
            .call::<Value>(None, "A.two", json!({}), LONG)
            .await;
        assert_eq!(later.unwrap_err().kind(), "crashed");
    }

    #[tokio::test]
    async fn a_command_that_is_not_answered_has_its_time_and_is_forgotten() {
        let (connection, _theirs, _) = pair();
        let limit = Duration::from_millis(30);
        let answer = connection
            .call::<Value>(None, "A.one", json!({}), limit)
            .await;
        assert_eq!(answer.unwrap_err().kind(), "timeout");
        assert_eq!(connection.0.lock().waiting.len(), 0);
    }
}
