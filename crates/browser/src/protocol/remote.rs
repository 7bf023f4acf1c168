//! A browser that somebody else has started: its messages come one text each, over whatever they have.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use crate::BrowserError;

/// Something of a remote browser that takes its time.
pub type RemoteFuture<T> = Pin<Box<dyn Future<Output = Result<T, BrowserError>> + Send>>;

/// How a remote browser is spoken with: texts of the Chrome DevTools Protocol, for the whole browser.
pub trait Remote: Send + Sync + 'static {
    /// Sends messages, in order.
    fn send(&self, messages: Vec<String>) -> RemoteFuture<()>;
    /// The next messages, as soon as there are some.
    fn receive(&self) -> RemoteFuture<Vec<String>>;
    /// Ends the conversation. The browser stays.
    fn close(&self) -> RemoteFuture<()>;
    /// Whether it is on this machine, and so reaches our proxy and our files.
    fn is_local(&self) -> bool;
}

/// Finds a remote browser.
pub trait Connector: Send + Sync + 'static {
    /// Connects to it.
    fn connect(&self) -> RemoteFuture<Arc<dyn Remote>>;
}

/// Bytes that are on their way.
const BUFFER: usize = 256 * 1024;

/// The streams of a conversation as a pipe has them, each message ended by NUL.
pub(crate) fn piped(
    remote: &Arc<dyn Remote>,
    over: &CancellationToken,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(carry_in(Arc::clone(remote), writer, over.clone()));
    tokio::spawn(carry_out(Arc::clone(remote), reader, over.clone()));
    tokio::io::split(ours)
}

async fn carry_in(
    remote: Arc<dyn Remote>,
    mut writer: WriteHalf<DuplexStream>,
    over: CancellationToken,
) {
    loop {
        let received = tokio::select! {
            biased;
            () = over.cancelled() => break,
            received = remote.receive() => received,
        };
        let Ok(messages) = received else { break };
        for message in messages {
            let mut bytes = message.into_bytes();
            bytes.push(0);
            if writer.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }
    // The reader sees the end.
    let _ = writer.shutdown().await;
}

async fn carry_out(
    remote: Arc<dyn Remote>,
    reader: ReadHalf<DuplexStream>,
    over: CancellationToken,
) {
    let mut reader = BufReader::new(reader);
    let mut message = Vec::new();
    loop {
        message.clear();
        let read = tokio::select! {
            biased;
            () = over.cancelled() => return,
            read = reader.read_until(0, &mut message) => read,
        };
        if !matches!(read, Ok(1..)) {
            return;
        }
        message.pop();
        let text = String::from_utf8_lossy(&message).into_owned();
        if remote.send(vec![text]).await.is_err() {
            over.cancel();
            return;
        }
    }
}
