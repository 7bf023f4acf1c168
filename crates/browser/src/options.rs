//! What a browser is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

/// How a browser is started.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// The program, by absolute path. Default: `TENON_BROWSER`, then the first that is found.
    pub executable: Option<PathBuf>,
    /// Through which every connection of the browser goes, those to this machine included.
    pub proxy: ProxyAddress,
    /// Chromium's own sandbox. Without it a page that breaks the renderer has the rights of this user. Default: `true`.
    pub sandbox: bool,
    /// Where its files are. Default: a private directory that is removed with it.
    pub profile: Profile,
    /// Width and height of a page, in pixels. Default: 1280 by 800.
    pub window: (u32, u32),
}

impl LaunchOptions {
    /// The usual options, with this proxy.
    #[must_use]
    pub const fn new(proxy: ProxyAddress) -> Self {
        Self {
            executable: None,
            proxy,
            sandbox: true,
            profile: Profile::Private { parent: None },
            window: (1280, 800),
        }
    }
}

/// A proxy for HTTP on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyAddress {
    /// Where it listens.
    pub address: SocketAddr,
    /// User and password, if it wants some. The browser is asked for them over its pipe; they stand in no argument.
    pub credentials: Option<(String, String)>,
}

impl ProxyAddress {
    /// One that asks for nothing.
    #[must_use]
    pub const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            credentials: None,
        }
    }
}

/// Where the files of a browser are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Profile {
    /// A new directory that nobody else can look into, removed with the browser.
    Private {
        /// Where it is made. Default: the directory for temporary files.
        parent: Option<PathBuf>,
    },
    /// One that is kept, for one browser at a time.
    Named {
        /// Where such profiles are.
        parent: PathBuf,
        /// Its name: letters, digits, `-`, `_` and `.`.
        name: String,
    },
}

/// What a session of a browser is started with.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// Another proxy than that of the browser.
    pub proxy: Option<ProxyAddress>,
    /// Whether cookies and storage are those of the profile. Default: they are new, and forgotten with the session.
    pub keeps_state: bool,
    /// Whether expressions may be evaluated in pages. Default: `false`.
    pub evaluate: bool,
    /// Whether the guard decides about requests of scripts that send something, too. Default: `false`.
    pub judges_writes: bool,
    /// Width and height of the view in its tabs, in pixels. Default: those of the browser.
    pub view: Option<(u32, u32)>,
}
