//! The shell's own process (Unix): reported when it ends, reaped when its number is needed no more.
//!
//! Until it is reaped, its number, which is that of its group, belongs to no other process. So it
//! stays a zombie until the whole group is ended, and no signal can reach a stranger.

use std::io;
use std::process::Child;

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open};
#[cfg(target_os = "linux")]
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

use crate::ending::signal;

/// How the shell ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Exit {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<String>,
}

/// A started shell that was not reaped yet.
#[derive(Debug)]
pub(crate) struct ShellProcess {
    child: Child,
    pid: Pid,
    notice: Notice,
    reaped: bool,
}

#[derive(Debug)]
enum Notice {
    #[cfg(target_os = "linux")]
    Handle(AsyncFd<OwnedFd>),
    /// Without process handles (before Linux 5.3, other systems) a thread waits.
    Thread(JoinHandle<io::Result<()>>),
    Ended,
}

impl ShellProcess {
    /// Needs a running tokio runtime.
    pub(crate) fn new(child: Child) -> io::Result<Self> {
        let pid = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the process has no number"))?;
        let mut leader = Self {
            child,
            pid,
            notice: Notice::Ended,
            reaped: false,
        };
        // On failure `leader` is dropped, and reaped by that.
        leader.notice = notice(pid)?;
        Ok(leader)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Resolves when the shell has ended, without reaping it. May be dropped and called again.
    pub(crate) async fn ended(&mut self) -> io::Result<()> {
        match &mut self.notice {
            #[cfg(target_os = "linux")]
            Notice::Handle(handle) => {
                handle.readable().await?.retain_ready();
            }
            Notice::Thread(task) => task.await.map_err(io::Error::other)??,
            Notice::Ended => {}
        }
        self.notice = Notice::Ended;
        Ok(())
    }

    /// Whether [`ended`](Self::ended) has resolved.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.notice, Notice::Ended)
    }

    /// How it ended; nothing is known as long as it lives.
    pub(crate) fn exit(&mut self) -> io::Result<Exit> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = waitid(WaitId::Pid(self.pid), options)?;
        Ok(status.map_or_else(Exit::default, |status| Exit {
            code: status.exit_status(),
            signal: status.terminating_signal().map(signal::name),
        }))
    }

    /// Gives the number back, if the shell has ended; else when it does.
    pub(crate) fn reap(&mut self) -> io::Result<()> {
        if self.has_ended() {
            self.reaped = true;
            self.child.wait()?;
        }
        Ok(())
    }
}

fn notice(pid: Pid) -> io::Result<Notice> {
    #[cfg(target_os = "linux")]
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) => {
            #[expect(
                deprecated,
                reason = "its successor is unsafe; an `OwnedFd` always answers with its own descriptor, which is all that it needs"
            )]
            let handle = AsyncFd::with_interest(handle, tokio::io::Interest::READABLE)?;
            return Ok(Notice::Handle(handle));
        }
        // Older than Linux 5.3 or hidden by a filter: the thread below can do it too.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Notice::Thread(tokio::task::spawn_blocking(move || {
        waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        )?;
        Ok(())
    })))
}

impl Drop for ShellProcess {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        // Killed while the runtime went away, never watched, or not even to be killed: a thread waits.
        // Should there be none to have, it stays a zombie until the host ends.
        let pid = self.pid;
        let _ = std::thread::Builder::new()
            .name("tenon-reaper".into())
            .spawn(move || {
                let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
            });
    }
}
