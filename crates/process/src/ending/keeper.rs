//! Who keeps the processes of a command together: the helper program, or else the host itself.

use std::io;
use std::sync::Arc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::ending::helper_keeper::HelperKeeper;
use crate::ending::host_keeper::HostKeeper;
use crate::ending::root::Root;
use crate::ending::shell_process::Exit;
use crate::registry::Registry;
use crate::sandbox::SandboxWatch;
use crate::starting::spawn::Started;
use crate::{CommandLimit, EndedProcesses, ProcessError};

/// The keeper of one command.
#[derive(Debug)]
pub(crate) enum Keeper {
    /// The host, as well as a host can.
    Host(HostKeeper),
    /// The helper, which nothing escapes.
    #[cfg(target_os = "linux")]
    Helper(HelperKeeper),
}

impl Keeper {
    /// Takes charge of what was just started. On failure it is killed.
    pub(crate) fn new(
        started: Started,
        mark: &str,
        registry: &Arc<Registry>,
        #[cfg_attr(
            not(target_os = "linux"),
            expect(unused_variables, reason = "nothing is reported")
        )]
        watch: SandboxWatch,
    ) -> io::Result<Self> {
        let registry = Arc::clone(registry);
        match started {
            Started::Itself(child) => HostKeeper::new(child, mark, registry).map(Self::Host),
            #[cfg(target_os = "linux")]
            Started::Helper(helper) => {
                HelperKeeper::new(helper, mark, registry, watch).map(Self::Helper)
            }
        }
    }

    /// The process from which all of the command descend.
    pub(crate) fn root(&self) -> Root {
        match self {
            Self::Host(keeper) => keeper.root(),
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.root(),
        }
    }

    /// Resolves when the shell has ended. May be dropped and called again.
    ///
    /// # Errors
    /// When there never was a shell, or it cannot be waited for.
    pub(crate) async fn shell_ended(&mut self) -> Result<(), ProcessError> {
        match self {
            Self::Host(keeper) => keeper.shell_ended().await,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.shell_ended().await,
        }
    }

    /// Whether it has to look who is below the shell now and then, as long as the shell lives.
    pub(crate) const fn looks(&self) -> bool {
        match self {
            Self::Host(_) => true,
            // It need not remember anybody, and is not woken for nothing.
            #[cfg(target_os = "linux")]
            Self::Helper(_) => false,
        }
    }

    /// Remembers who is below the shell now.
    pub(crate) fn record(&mut self) {
        match self {
            Self::Host(keeper) => keeper.record(),
            #[cfg(target_os = "linux")]
            Self::Helper(_) => {}
        }
    }

    /// How many processes live.
    pub(crate) async fn living(&mut self) -> usize {
        match self {
            Self::Host(keeper) => keeper.living_count().await,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.living_count().await,
        }
    }

    /// Resolves when none lives any more, after the shell has ended. May be dropped and called again.
    pub(crate) async fn emptied(&mut self) {
        match self {
            Self::Host(keeper) => keeper.emptied().await,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.emptied().await,
        }
    }

    /// Ends all: TERM, `grace`, KILL until none is left.
    ///
    /// # Errors
    /// When the shell cannot be waited for.
    pub(crate) async fn end(&mut self, grace: Duration) -> Result<EndedProcesses, ProcessError> {
        match self {
            Self::Host(keeper) => keeper.end(grace).await,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.end(grace).await,
        }
    }

    /// Whether the one who keeps the processes was killed. Then they are to be ended at once: nobody would notice
    /// when they end, and fewer of them are found the later they are looked for.
    pub(crate) const fn is_lost(&self) -> bool {
        match self {
            Self::Host(_) => false,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.is_lost(),
        }
    }

    /// The limit that the processes exceeded, if they were killed for that.
    pub(crate) const fn limit(&self) -> Option<CommandLimit> {
        match self {
            // It keeps none, and is asked to keep none.
            Self::Host(_) => None,
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.limit(),
        }
    }

    /// How the shell ended; nothing is known as long as it lives.
    ///
    /// # Errors
    /// When the system does not say.
    pub(crate) fn exit(&mut self) -> Result<Exit, ProcessError> {
        match self {
            Self::Host(keeper) => keeper.exit(),
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => Ok(keeper.exit()),
        }
    }

    /// Kills all, now and without waiting.
    pub(crate) fn kill_now(&self) {
        match self {
            Self::Host(keeper) => keeper.kill_now(),
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.kill_now(),
        }
    }

    /// Gives the number of the shell back, when all is over.
    pub(crate) fn reap(&mut self) {
        match self {
            Self::Host(keeper) => keeper.reap(),
            // It has reaped the shell.
            #[cfg(target_os = "linux")]
            Self::Helper(_) => {}
        }
    }

    /// Sees the helper off, when all is over.
    pub(crate) async fn leave(&mut self) {
        match self {
            Self::Host(_) => {}
            #[cfg(target_os = "linux")]
            Self::Helper(keeper) => keeper.leave().await,
        }
    }
}
