//! The process from which all processes of a command descend.

use std::sync::{Arc, OnceLock};

#[cfg(target_os = "linux")]
use crate::ending::helper_link::HelperLink;

/// The number of a shell's process, unknown as long as it has not been started.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShellNumber(Arc<OnceLock<u32>>);

impl ShellNumber {
    fn known(pid: u32) -> Self {
        let number = Self::default();
        number.set(pid);
        number
    }

    pub(crate) fn set(&self, pid: u32) {
        // It is reported once.
        let _ = self.0.set(pid);
    }

    pub(crate) fn get(&self) -> Option<u32> {
        self.0.get().copied()
    }

    /// The number of the shell, or as long as that has not been started 0, which no process has.
    pub(crate) fn get_or_none(&self) -> u32 {
        self.get().unwrap_or(0)
    }
}

/// A child of the host.
#[derive(Debug, Clone)]
pub(crate) enum Root {
    /// The shell or service itself, by its number.
    Itself(u32),
    /// The helper, which starts it.
    #[cfg(target_os = "linux")]
    Helper(Arc<HelperLink>),
}

impl Root {
    /// The number of the child of the host.
    pub(crate) fn first(&self) -> u32 {
        match self {
            Self::Itself(pid) => *pid,
            #[cfg(target_os = "linux")]
            Self::Helper(link) => link.process_id(),
        }
    }

    /// The number of the shell.
    pub(crate) fn shell(&self) -> ShellNumber {
        match self {
            Self::Itself(pid) => ShellNumber::known(*pid),
            #[cfg(target_os = "linux")]
            Self::Helper(link) => link.shell().clone(),
        }
    }

    /// Whether there is a helper, which itself is none of the command's processes.
    pub(crate) const fn has_helper(&self) -> bool {
        !matches!(self, Self::Itself(_))
    }

    /// Asks a helper to kill everything, without waiting for it.
    pub(crate) fn order_kill(&self) {
        match self {
            Self::Itself(_) => {}
            #[cfg(target_os = "linux")]
            Self::Helper(link) => link.order(tenon_helper::Order::End { grace_ms: 0 }),
        }
    }
}
