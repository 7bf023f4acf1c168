//! The shell's own process (Windows): a thread waits for it.

use std::io;
use std::process::{Child, ExitStatus};

use tokio::task::JoinHandle;

/// How the shell ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<String>,
}

/// A started shell.
#[derive(Debug)]
pub(crate) struct ShellProcess {
    id: u32,
    waiting: JoinHandle<io::Result<ExitStatus>>,
    status: Option<ExitStatus>,
}

impl ShellProcess {
    /// Needs a running tokio runtime.
    pub(crate) fn new(mut child: Child) -> io::Result<Self> {
        Ok(Self {
            id: child.id(),
            waiting: tokio::task::spawn_blocking(move || child.wait()),
            status: None,
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Resolves when the shell has ended. May be dropped and called again.
    pub(crate) async fn ended(&mut self) -> io::Result<()> {
        if self.status.is_none() {
            self.status = Some((&mut self.waiting).await.map_err(io::Error::other)??);
        }
        Ok(())
    }

    /// Whether [`ended`](Self::ended) has resolved.
    pub(crate) fn has_ended(&self) -> bool {
        self.status.is_some()
    }

    /// How it ended; nothing is known as long as it lives.
    pub(crate) fn exit(&mut self) -> io::Result<Exit> {
        Ok(Exit {
            code: self.status.and_then(|status| status.code()),
            signal: None,
        })
    }

    /// There is nothing to give back: the handle pins the number.
    pub(crate) fn reap(&mut self) -> io::Result<()> {
        Ok(())
    }
}
