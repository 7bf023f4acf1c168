//! Writes to the standard input of a command.

use std::io::{self, PipeWriter};
use std::sync::Arc;
#[cfg(unix)]
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// End of the input, as a terminal in its usual state understands it (`VEOF`, Ctrl-D).
const TERMINAL_END: &[u8] = &[4];
/// The same behind a line without its end, which the first one only hands over.
const TERMINAL_END_IN_LINE: &[u8] = &[4, 4];

/// The writing end of a command's standard input. Cheap to clone; clones write to the same input.
#[derive(Debug, Clone)]
pub struct CommandWriter(Arc<Input>);

#[derive(Debug)]
struct Input {
    /// Nothing once it was closed.
    writer: Mutex<Option<ChildStdin>>,
    is_terminal: bool,
    /// Whether what was written last is the end of a line.
    ends_line: AtomicBool,
    /// The same again, for answers of the terminal that nobody waits for.
    #[cfg(unix)]
    direct: std::sync::Mutex<Option<std::os::fd::OwnedFd>>,
}

/// How a write went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// Everything was taken.
    All,
    /// The command takes no more: its input is full and it does not read.
    Part {
        /// Bytes that were taken.
        bytes: usize,
    },
}

impl CommandWriter {
    /// Needs a running tokio runtime.
    pub(crate) fn new(pipe: PipeWriter, is_terminal: bool) -> io::Result<Self> {
        #[cfg(unix)]
        let (direct, owned) = {
            let owned = std::os::fd::OwnedFd::from(pipe);
            let direct = is_terminal.then(|| owned.try_clone()).transpose()?;
            (direct, owned)
        };
        #[cfg(windows)]
        let owned = { std::os::windows::io::OwnedHandle::from(pipe) };
        let writer = ChildStdin::from_std(std::process::ChildStdin::from(owned))?;
        Ok(Self(Arc::new(Input {
            writer: Mutex::new(Some(writer)),
            is_terminal,
            ends_line: AtomicBool::new(true),
            #[cfg(unix)]
            direct: direct.into(),
        })))
    }

    /// Writes all of `bytes`, or as much as the command takes within `patience`. Concurrent writes
    /// do not mix.
    ///
    /// # Errors
    /// `BrokenPipe` when the input was closed, by the command or by [`close`](Self::close).
    pub async fn write(&self, bytes: &[u8], patience: Duration) -> io::Result<WriteOutcome> {
        let mut taken = 0;
        let writing = async {
            let mut writer = self.0.writer.lock().await;
            let writer = writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
                match writer.write(rest).await? {
                    0 => return Err(io::ErrorKind::BrokenPipe.into()),
                    more => taken += more,
                }
            }
            writer.flush().await
        };
        let outcome = timeout(patience, writing).await;
        if let Some(last) = taken.checked_sub(1).and_then(|last| bytes.get(last)) {
            let ends_line = matches!(last, b'\n' | b'\r' | 4);
            self.0.ends_line.store(ends_line, Ordering::Relaxed);
        }
        match outcome {
            Ok(written) => written.map(|()| WriteOutcome::All),
            Err(_) => Ok(WriteOutcome::Part { bytes: taken }),
        }
    }

    /// Ends the input: the command reads the end of the file after what was written before. In a
    /// terminal that is Ctrl-D, which a program may take for something else.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn close(&self, patience: Duration) -> io::Result<WriteOutcome> {
        if self.is_terminal() {
            let end = match self.0.ends_line.load(Ordering::Relaxed) {
                true => TERMINAL_END,
                false => TERMINAL_END_IN_LINE,
            };
            return self.write(end, patience).await;
        }
        match timeout(patience, self.0.writer.lock()).await {
            Ok(mut writer) => {
                *writer = None;
                Ok(WriteOutcome::All)
            }
            Err(_) => Ok(WriteOutcome::Part { bytes: 0 }),
        }
    }

    /// Whether it is a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.0.is_terminal
    }

    /// Gives the input back to the system, once the command is over: what is known of the command may be kept for long.
    pub(crate) async fn release(&self) {
        *self.0.writer.lock().await = None;
        #[cfg(unix)]
        drop(self.direct().take());
    }

    #[cfg(unix)]
    fn direct(&self) -> std::sync::MutexGuard<'_, Option<std::os::fd::OwnedFd>> {
        self.0.direct.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what a terminal answers, if there is room. Never waits: a program that does not read
    /// could otherwise stop the reading of its own output.
    pub(crate) fn answer(&self, bytes: &[u8]) {
        #[cfg(unix)]
        if let (Some(direct), false) = (&*self.direct(), bytes.is_empty()) {
            // A program that asks and does not read the answers gets none.
            let _ = rustix::io::write(direct, bytes);
        }
        #[cfg(windows)]
        let _ = bytes;
    }
}
