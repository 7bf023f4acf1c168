//! Reads one pipe to its end, or until nobody waits for more.

use std::io::{self, PipeReader};
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio_util::sync::CancellationToken;

use crate::CommandWriter;
use crate::output::live::{Channel, Live, Quiet};

const FIRST_BUFFER_BYTES: usize = 16 * 1024;
const LARGEST_BUFFER_BYTES: usize = 256 * 1024;
/// A stream that has brought this much gets a larger pipe, so that the writer is woken less often.
/// Not earlier: large pipes count against a quota of the user.
const LARGE_PIPE_AFTER_BYTES: u64 = 256 * 1024;
#[cfg(target_os = "linux")]
const LARGE_PIPE_BYTES: usize = 1024 * 1024;
/// Most that is taken from a pipe after the end was called. More than a pipe holds.
#[cfg(unix)]
const LAST_BYTES: usize = 4 * 1024 * 1024;

/// How much is drawn on a terminal at once.
const DRAWN_BYTES: usize = 1024;

/// Which captures a pipe feeds.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    Merged,
    Stdout,
    Stderr,
    /// The host's side of a terminal, with the way back for its answers.
    Terminal(CommandWriter),
}

/// The reader of one pipe.
pub(crate) struct Pump {
    pipe: ChildStdout,
    source: Source,
    live: Arc<Live>,
    quiet: Arc<Quiet>,
}

impl Pump {
    /// Needs a running tokio runtime.
    pub(crate) fn new(pipe: PipeReader, source: Source, live: &Arc<Live>) -> io::Result<Self> {
        #[cfg(unix)]
        let owned = std::os::fd::OwnedFd::from(pipe);
        #[cfg(windows)]
        let owned = std::os::windows::io::OwnedHandle::from(pipe);
        Ok(Self {
            pipe: ChildStdout::from_std(std::process::ChildStdout::from(owned))?,
            source,
            live: Arc::clone(live),
            quiet: Arc::new(Quiet::new()),
        })
    }

    /// Counts how long nothing has come.
    pub(crate) fn quiet(&self) -> Arc<Quiet> {
        Arc::clone(&self.quiet)
    }

    /// Reads until the end of the pipe, or, once `stop` is cancelled, until it is empty.
    pub(crate) async fn run(mut self, stop: CancellationToken) -> io::Result<()> {
        let mut buffer = vec![0; FIRST_BUFFER_BYTES];
        let mut total = 0;
        loop {
            self.quiet.waiting();
            let read = tokio::select! {
                biased;
                () = stop.cancelled() => return self.empty(&mut buffer).await,
                read = self.pipe.read(&mut buffer) => self.or_hung_up(read)?,
            };
            self.quiet.busy();
            let Some(chunk) = buffer.get(..read).filter(|chunk| !chunk.is_empty()) else {
                return Ok(());
            };
            self.take(chunk).await;
            let before = total;
            total += read as u64;
            if before < LARGE_PIPE_AFTER_BYTES && total >= LARGE_PIPE_AFTER_BYTES {
                self.enlarge();
            }
            if read == buffer.len() && read < LARGEST_BUFFER_BYTES {
                buffer.resize(read * 4, 0);
            }
        }
    }

    async fn take(&self, chunk: &[u8]) {
        let apart = match &self.source {
            Source::Merged => None,
            Source::Terminal(writer) => {
                for piece in chunk.chunks(DRAWN_BYTES) {
                    writer.answer(&self.live.draw(piece));
                    // A few bytes can ask for a great deal of drawing; others have their turn.
                    tokio::task::yield_now().await;
                }
                None
            }
            Source::Stdout => self.live.stdout.as_ref(),
            Source::Stderr => self.live.stderr.as_ref(),
        };
        for channel in [apart, self.live.merged.as_ref()].into_iter().flatten() {
            Channel::take(channel, chunk).await;
        }
        self.live.report();
    }

    /// Linux reports the end of a terminal, when nobody has its other side any more, as an error.
    fn or_hung_up(&self, read: io::Result<usize>) -> io::Result<usize> {
        match read {
            #[cfg(unix)]
            Err(error)
                if matches!(self.source, Source::Terminal(_))
                    && error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) =>
            {
                Ok(0)
            }
            other => other,
        }
    }

    /// A larger pipe, if the system grants one; it works as well without.
    fn enlarge(&self) {
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&self.pipe, LARGE_PIPE_BYTES);
    }

    /// Takes what lies in the pipe without waiting. Asks the system itself: the runtime may not
    /// have been notified yet that there is something.
    #[cfg(unix)]
    async fn empty(self, buffer: &mut [u8]) -> io::Result<()> {
        let mut taken = 0;
        while taken < LAST_BYTES {
            let read = match rustix::io::read(&self.pipe, &mut *buffer) {
                Ok(read) => read,
                Err(rustix::io::Errno::INTR) => continue,
                Err(rustix::io::Errno::AGAIN) => break,
                Err(error) => self.or_hung_up(Err(error.into()))?,
            };
            let Some(chunk) = buffer.get(..read).filter(|chunk| !chunk.is_empty()) else {
                break;
            };
            self.take(chunk).await;
            taken += read;
        }
        Ok(())
    }

    #[cfg(windows)]
    async fn empty(self, _buffer: &mut [u8]) -> io::Result<()> {
        Ok(())
    }
}
