//! Messages on their way to a browser. The sender writes as much as the pipe takes at once, so that no other thread has to
//! wake up for it; a task writes the rest.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;
use tokio::runtime::Handle;
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
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut written = 0;
        let input = state.input.as_mut().ok_or(Failure::Closed)?;
        // Where no runtime is, as in a destructor on a thread of the host, some pipes cannot be written to.
        if state.left.is_empty() && Handle::try_current().is_ok() {
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
        drop(guard);
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn messages_of_many_senders_are_never_mixed() {
        let (input, mut theirs) = tokio::io::duplex(100);
        let outgoing = Arc::new(Outgoing::new(input));
        let writer = Arc::clone(&outgoing);
        let writing = tokio::spawn(async move { writer.write_left().await });
        let senders = (0..8).map(|sender| {
            let outgoing = Arc::clone(&outgoing);
            tokio::spawn(async move {
                for number in 0..100 {
                    let message = format!("{sender}:{number}:{};", "x".repeat(number * 7 % 300));
                    outgoing.send(message.as_bytes(), 1 << 20).unwrap();
                    tokio::task::yield_now().await;
                }
            })
        });
        let senders = futures_util::future::join_all(senders);
        let reading = async {
            let mut read = Vec::new();
            while read.iter().filter(|byte| **byte == b';').count() < 800 {
                theirs.read_buf(&mut read).await.unwrap();
            }
            String::from_utf8(read).unwrap()
        };
        let limit = std::time::Duration::from_secs(20);
        let (_, read) = tokio::time::timeout(limit, async { tokio::join!(senders, reading) })
            .await
            .unwrap();
        let mut next = [0; 8];
        for message in read.trim_end_matches(';').split(';') {
            let parts: Vec<&str> = message.split(':').collect();
            let sender: usize = parts[0].parse().unwrap();
            let number: usize = parts[1].parse().unwrap();
            assert_eq!(
                (number, parts[2].len()),
                (next[sender], number * 7 % 300),
                "{message}"
            );
            next[sender] += 1;
        }
        assert_eq!(next, [100; 8]);
        writing.abort();
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_full_pipe_of_the_system_blocks_no_sender_and_is_written_on_when_it_is_read() {
        let (input, mut theirs) = tokio::net::unix::pipe::pipe().unwrap();
        let outgoing = Arc::new(Outgoing::new(input));
        let writer = Arc::clone(&outgoing);
        let writing = tokio::spawn(async move { writer.write_left().await });
        let message = vec![b'x'; 300_000];
        let began = std::time::Instant::now();
        for _ in 0..10 {
            outgoing.send(&message, 4 << 20).unwrap();
        }
        // Nobody has read yet.
        assert!(began.elapsed() < std::time::Duration::from_secs(5));
        tokio::task::yield_now().await;
        assert!(outgoing.lock().left.len() > 2_000_000);
        let mut read = vec![0; 3_000_000];
        let limit = std::time::Duration::from_secs(20);
        let reading = tokio::time::timeout(limit, theirs.read_exact(&mut read));
        assert_eq!(reading.await.unwrap().unwrap(), 3_000_000);
        // It takes messages at once again.
        outgoing.send(b"last", 4).unwrap();
        assert!(outgoing.lock().left.is_empty());
        theirs.read_exact(&mut read[..4]).await.unwrap();
        assert_eq!(&read[..4], b"last");
        writing.abort();
    }

    #[test]
    fn what_is_sent_outside_of_a_runtime_is_written_by_the_task() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let (input, mut theirs) = tokio::io::duplex(64);
        let outgoing = Arc::new(Outgoing::new(input));
        let writer = Arc::clone(&outgoing);
        let writing = runtime.spawn(async move { writer.write_left().await });
        outgoing.send(b"goodbye", 64).unwrap();
        let mut read = [0; 7];
        runtime.block_on(theirs.read_exact(&mut read)).unwrap();
        assert_eq!(&read, b"goodbye");
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
