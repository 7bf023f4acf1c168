//! The sandbox of a command: what it may write and whom it may reach.

mod confine;
mod plan;
mod report;
mod seatbelt;

use std::fmt::Debug;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

pub(crate) use confine::{Confined, SandboxWatch, confine};
#[cfg(target_os = "linux")]
pub(crate) use report::failure;
pub use report::{SandboxFailure, SandboxLevel, SandboxReport};
pub use seatbelt::{SeatbeltProfile, seatbelt_profile};

/// Where programs in a sandbox find the proxy that decides whom they reach.
pub const PROXY_PORT: u16 = 3128;

/// What a command may do to the system. It can read everything that its user can, `/run` excepted.
#[derive(Debug, Clone)]
pub struct Sandbox {
    /// Directories that it works in, by their real paths.
    pub roots: Vec<PathBuf>,
    /// Whether it may write in them. A private directory for temporary files may always be written; it
    /// is seen as `/tmp` too where that is possible.
    pub writable: bool,
    /// Whom it reaches.
    pub network: SandboxNetwork,
    /// Whether nothing is started where the full level is not reached.
    pub required: bool,
    /// Names that cannot be written in those directories all the same.
    pub protected: ProtectedNames,
}

/// Whom a command in a sandbox reaches. Services on this machine that listen on sockets by path or by
/// abstract name are reached in no case.
#[derive(Debug, Clone)]
pub enum SandboxNetwork {
    /// Nobody. It has a loopback interface of its own.
    None,
    /// Whom this proxy lets through. Direct connections lead nowhere.
    Proxy(Arc<dyn ProxyPort>),
    /// Whom the host reaches.
    Host,
}

/// A socket in a sandbox on which its proxy listens. It does not block.
pub type ProxyListener = TcpListener;

/// What serves the programs in a sandbox as their proxy.
pub trait ProxyPort: Debug + Send + Sync {
    /// Serves those who connect, until `over`. Returns at once. The listener does not block.
    fn serve(&self, listener: ProxyListener, over: CancellationToken);
}

/// Names that cannot be written in the directories of a sandbox: at their top, where they exist or not;
/// below, where they exist. Of `.git` that are the parts that choose code: `hooks`, `config`, `info`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProtectedNames {
    /// Directories with everything in them.
    pub directories: &'static [&'static str],
    /// Files.
    pub files: &'static [&'static str],
    /// Files and directories in a directory of this name.
    pub in_directory: &'static [(&'static str, &'static str)],
}

impl SandboxNetwork {
    /// As the helper program names it.
    const fn option(&self) -> &'static str {
        match self {
            Self::None => "network=none",
            Self::Proxy(_) => "network=proxy",
            Self::Host => "network=host",
        }
    }
}
