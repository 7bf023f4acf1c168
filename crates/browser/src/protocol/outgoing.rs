//! Messages on their way to a browser. The sender writes as much as the pipe takes at once, so that no other thread has to
//! wake up for it; a task writes the rest.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;
use tokio::sync::Notify;

type Input = Box<dyn AsyncWrite + Unpin + Send>;

/// The end of the pipe that is written to.
pub(super) struct Outgoing {
    state: Mutex<State>,
    /// Something was left to the task.
    more: Notify,
}

struct State {
    /// Nothing once the conversation is over.
    input: Option<Input>,
    /// What the pipe has not taken yet.
    left: VecDeque<u8>,
}

/// Why a message cannot be sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The pipe is closed.
    Closed,
    /// The browser does not read: too much is left.
    Full,
}

impl Outgoing {
    pub(super) fn new(input: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        Self {
            state: Mutex::new(State {
                input: Some(Box::new(input)),
                left: VecDeque::new(),
            }),
            more: Notify::new(),
        }
    }

    /// Sends a message behind those before it. At most `most` bytes wait, or this message alone.
    pub(super) fn send(&self, message: &[u8], most: usize) -> Result<(), Failure> {
        let mut state = self.lock();
        let mut written = 0;
        if state.left.is_empty() {
            let input = state.input.as_mut().ok_or(Failure::Closed)?;
            // Nobody waits for room here: what does not fit now wakes the task.
            let mut context = Context::from_waker(Waker::noop());
            while let Some(rest) = message.get(written..).filter(|rest| !rest.is_empty()) {
                match write(input, &mut context, rest) {
                    Poll::Ready(Ok(count)) => written += count,
                    Poll::Ready(Err(_)) => return Err(Failure::Closed),
                    Poll::Pending => break,
                }
            }
        }
        let rest = message.get(written..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(());
        }
        if state.left.len() + rest.len() > most.max(message.len()) {
            return Err(Failure::Full);
        }
        state.left.extend(rest);
        drop(state);
        self.more.notify_one();
        Ok(())
    }

    /// Writes what senders leave, until the pipe is closed.
    pub(super) async fn write_left(&self) -> io::Result<()> {
        loop {
            self.more.notified().await;
            poll_fn(|context| self.poll_left(context)).await?;
        }
    }

    fn poll_left(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.lock();
        let State { input, left } = &mut *state;
        let Some(input) = input else {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        };
        while !left.is_empty() {
            let count = ready!(write(input, context, left.as_slices().0))?;
            left.drain(..count);
        }
        // One large message must not hold its room for ever.
        left.shrink_to(64 * 1024);
        Poll::Ready(Ok(()))
    }

    /// Closes the pipe.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.input = None;
        state.left = VecDeque::new();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes some of it; a pipe that takes nothing is closed.
fn write(input: &mut Input, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
    match ready!(Pin::new(input).poll_write(context, bytes))? {
        0 => Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
        count => Poll::Ready(Ok(count)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test]
    async fn messages_arrive_in_order_however_little_the_pipe_takes() {
        let (input, mut theirs) = tokio::io::duplex(7);
        let outgoing = Arc::new(Outgoing::new(input));
        let writer = Arc::clone(&outgoing);
        let writing = tokio::spawn(async move { writer.write_left().await });
        let mut sent = Vec::new();
        for number in 0..200 {
            let message = format!("message {number};");
            outgoing.send(message.as_bytes(), 1 << 20).unwrap();
            sent.extend_from_slice(message.as_bytes());
            if number % 50 == 0 {
                tokio::task::yield_now().await;
            }
        }
        let mut read = vec![0; sent.len()];
        theirs.read_exact(&mut read).await.unwrap();
        assert_eq!(read, sent);
        outgoing.close();
        assert_eq!(outgoing.send(b"late", 1 << 20), Err(Failure::Closed));
        assert_eq!(theirs.read(&mut read).await.unwrap(), 0);
        writing.abort();
    }

    #[tokio::test]
    async fn a_browser_that_does_not_read_is_noticed_and_a_pipe_that_is_closed() {
        let (input, theirs) = tokio::io::duplex(4);
        let outgoing = Outgoing::new(input);
        outgoing.send(b"as long as it wants", 10).unwrap();
        assert_eq!(outgoing.send(b"another", 10), Err(Failure::Full));
        drop(theirs);
        let failed = outgoing.write_left().await;
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
