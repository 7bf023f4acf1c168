//! Puts a command into its sandbox, by what this system has for that.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::{PROXY_PORT, ProxyPort, SandboxNetwork, SandboxReport};
use crate::output::private_directory::PrivateDirectory;
use crate::starting::isolation::Isolation;
use crate::{ProcessError, Sandbox};

/// Variables that name the directory for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// Variables that name the proxy; programs differ in the case that they read.
const PROXIES: [&str; 6] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];
const NO_PROXY: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// How a command is started in its sandbox.
#[derive(Debug, Default)]
pub(crate) struct Confined {
    /// For the helper program.
    pub(crate) options: Vec<OsString>,
    /// A program that starts it instead, with its arguments (macOS).
    pub(crate) wrapper: Option<(&'static Path, Vec<OsString>)>,
    /// What becomes known of it.
    pub(crate) watch: SandboxWatch,
}

/// What becomes known of the sandbox of a command, and who serves it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SandboxWatch {
    /// Which one it is, once that is known. Never, if it has none.
    pub(crate) report: Arc<OnceLock<SandboxReport>>,
    /// Whether to use one.
    pub(crate) is_wanted: bool,
    pub(crate) proxy: Option<Arc<dyn ProxyPort>>,
    /// Ends the proxy.
    pub(crate) over: CancellationToken,
}

impl SandboxWatch {
    pub(crate) fn reported(&self, report: SandboxReport) {
        // It is reported once.
        let _ = self.report.set(report);
    }

    /// The socket in the sandbox on which its proxy is to listen.
    #[cfg(target_os = "linux")]
    pub(crate) fn listening(&self, listener: std::os::fd::OwnedFd) {
        let listener = std::net::TcpListener::from(listener);
        if let Some(proxy) = &self.proxy
            && listener.set_nonblocking(true).is_ok()
        {
            proxy.serve(listener, self.over.clone());
        }
    }
}

/// Prepares this sandbox, if there should be one, for what starts in `working`.
pub(crate) fn confine(
    sandbox: Option<&Sandbox>,
    working: &Path,
    isolation: &Isolation,
    directory: &PrivateDirectory,
    environment: &mut BTreeMap<OsString, OsString>,
) -> Result<Confined, ProcessError> {
    let Some(sandbox) = sandbox else {
        return Ok(Confined::default());
    };
    let mut confined = Confined::default();
    confined.watch.is_wanted = true;
    let making = || ProcessError::io("Creating a private directory for temporary files");
    let temporary = directory.temporary().map_err(making())?;
    let private = directory.path().unwrap_or_else(|| temporary.clone());
    if isolation.has_helper() {
        confined.options = sandbox.options(working, &private, &temporary);
    } else if cfg!(target_os = "macos") {
        let profile = super::seatbelt_profile(sandbox, &temporary);
        let program = Path::new("/usr/bin/sandbox-exec");
        confined.wrapper = Some((program, profile.arguments()));
        confined.watch.reported(SandboxReport {
            level: super::SandboxLevel::Full,
            failure: None,
            landlock: 0,
        });
        if matches!(sandbox.network, SandboxNetwork::Proxy(_)) {
            return Err(ProcessError::Sandbox {
                what: "a proxy for a list of domains is only made on Linux".to_owned(),
            });
        }
    } else if sandbox.required {
        return Err(ProcessError::Sandbox {
            what: NO_SANDBOX.to_owned(),
        });
    } else {
        confined.watch.reported(SandboxReport::none(NO_SANDBOX));
    }
    if confined.options.is_empty() && confined.wrapper.is_none() {
        return Ok(confined);
    }
    for name in TEMPORARY {
        environment.insert(name.into(), temporary.clone().into());
    }
    if let SandboxNetwork::Proxy(proxy) = &sandbox.network {
        confined.watch.proxy = Some(Arc::clone(proxy));
        for name in PROXIES {
            let address = format!("http://127.0.0.1:{PROXY_PORT}");
            environment.insert(name.into(), address.into());
        }
        for name in NO_PROXY {
            environment.insert(name.into(), "localhost,127.0.0.1,::1".into());
        }
    }
    Ok(confined)
}

const NO_SANDBOX: &str = if cfg!(target_os = "linux") {
    "the helper program that makes it is missing or does not run here"
} else {
    "this system has no sandbox"
};
