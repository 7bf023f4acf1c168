//! What ends the program from outside.

use std::io::{self, Write};
use std::os::unix::net::UnixStream as Pipe;

use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

const TERMINATING: [i32; 3] = [1, 2, 15];

/// Resolves when the program is asked to end: SIGHUP, SIGINT or SIGTERM.
pub(crate) struct Termination(UnixStream);

impl Termination {
    /// From now on these signals end the program in order.
    pub(crate) fn new() -> io::Result<Self> {
        let (receiver, sender) = Pipe::pair()?;
        sender.set_nonblocking(true)?;
        for signal in TERMINATING {
            let sender = sender.try_clone()?;
            let handler = move || {
                // When it is full, enough was said.
                let _ = (&sender).write(&[0]);
            };
            #[expect(unsafe_code, reason = "a handler runs between any two instructions")]
            // SAFETY: `send` is safe in handlers of signals, and nothing is allocated or locked.
            let _ = unsafe { signal_hook_registry::register(signal, handler) }?;
        }
        receiver.set_nonblocking(true)?;
        Ok(Self(UnixStream::from_std(receiver)?))
    }

    pub(crate) async fn came(&mut self) {
        let mut byte = [0; 1];
        let _ = self.0.read(&mut byte).await;
    }
}
