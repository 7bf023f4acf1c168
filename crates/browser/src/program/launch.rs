//! Starting a browser: as whom, with which switches, and speaking over a pipe that no other process can reach.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_contract::limits;
use tenon_process::{Processes, Service, ServiceSpec, strip_escapes};
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::program::profile::{Directory, NOBODY};
use crate::{BrowserError, LaunchOptions};

/// Time between the polite and the final signal.
const GRACE: Duration = Duration::from_millis(300);
/// A browser reads its commands from descriptor 3 and writes to 4. What is started has three pipes, so a shell puts
/// them in their places and becomes the browser.
const PLUMBING: &str = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2";

/// Switches that hold always.
const SWITCHES: &[&str] = &[
    "--remote-debugging-pipe",
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    // Nothing is asked for that no page has asked for.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-sync",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--no-crash-upload",
    "--no-pings",
    "--metrics-recording-only",
    // Every connection goes through the proxy, those to this machine too.
    "--proxy-bypass-list=<-loopback>",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    // A tab that is not in front works as well as one that is.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--deny-permission-prompts",
    "--disable-notifications",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    // Pages that have it answer no file chooser that can be worked: without it they use a field for files, and offer downloads.
    "--disable-blink-features=FileSystemAccessLocal",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,Reporting,NetworkErrorLogging,BackForwardCache,Prerender2,HttpsUpgrades,AcceptCHFrame,GlobalMediaControls,InterestFeedContentSuggestions,LensOverlay",
];

/// A browser that was started.
pub(crate) struct Launched {
    pub(crate) service: Service,
    pub(crate) directory: Directory,
}

/// The user that the browser is to run as, where that is not ours.
fn other_user() -> Option<u32> {
    #[cfg(target_os = "linux")]
    return rustix::process::geteuid().is_root().then_some(NOBODY);
    #[cfg(not(target_os = "linux"))]
    None
}

/// Starts the program. It has not said anything yet.
pub(crate) fn launch(
    options: &LaunchOptions,
    executable: &Path,
    processes: &Processes,
) -> Result<Launched, BrowserError> {
    if cfg!(windows) {
        return Err(BrowserError::Unavailable(
            "The browser is not available on Windows yet.".to_owned(),
        ));
    }
    let user = other_user();
    let directory = Directory::prepare(&options.profile, user)?;
    let mut arguments: Vec<OsString> = ["-c", PLUMBING, "sh"].map(OsString::from).to_vec();
    arguments.push(executable.into());
    arguments.extend(switches(options, &directory));
    let at = |name: &str| directory.inner(name).into_os_string();
    let environment: BTreeMap<String, OsString> = [
        ("HOME", at("home")),
        ("XDG_CONFIG_HOME", at("home")),
        ("XDG_CACHE_HOME", at("home")),
        ("XDG_DATA_HOME", at("home")),
        ("XDG_RUNTIME_DIR", at("tmp")),
        ("TMPDIR", at("tmp")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    let spec = ServiceSpec {
        program: "/bin/sh".into(),
        arguments,
        directory: "/".into(),
        environment,
        grace: GRACE,
    };
    let service = processes
        .start_service_as(&spec, user)
        .map_err(|error| BrowserError::Unavailable(error.to_string()))?;
    Ok(Launched { service, directory })
}

fn switches(options: &LaunchOptions, directory: &Directory) -> Vec<OsString> {
    let mut switches: Vec<OsString> = SWITCHES.iter().map(OsString::from).collect();
    let mut data = OsString::from("--user-data-dir=");
    data.push(directory.inner("data"));
    switches.push(data);
    let proxy = options.proxy.address;
    switches.push(format!("--proxy-server=http://{proxy}").into());
    // Whatever finds a way past the proxy finds no address.
    let host = proxy.ip();
    switches.push(format!("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE {host}").into());
    let (width, height) = options.window;
    switches.push(format!("--window-size={width},{height}").into());
    if !options.sandbox {
        switches.push("--no-sandbox".into());
    }
    if cfg!(target_os = "linux") {
        // In containers it is often too small.
        switches.push("--disable-dev-shm-usage".into());
    }
    switches
}

/// Why a browser ended before it said anything.
pub(crate) fn not_started(executable: &Path, complaint: &str) -> BrowserError {
    let program = executable.display();
    let is_sandbox = [
        "No usable sandbox",
        "without --no-sandbox",
        "setuid sandbox",
        "namespace sandbox",
    ]
    .iter()
    .any(|text| complaint.contains(text));
    if is_sandbox {
        return BrowserError::Unavailable(format!(
            "The browser `{program}` cannot make its sandbox here, because this system gives it no user namespaces. Allow them (`sysctl user.max_user_namespaces`, `kernel.apparmor_restrict_unprivileged_userns`), or accept pages without a sandbox by `browser.sandbox: false`."
        ));
    }
    let last: Vec<&str> = complaint.lines().rev().take(3).collect();
    let said = match last.into_iter().rev().collect::<Vec<_>>().join(" / ") {
        said if said.is_empty() => String::new(),
        said => format!(" It said: {said}"),
    };
    BrowserError::Unavailable(format!(
        "The browser `{program}` ended or did not answer when it was started. Start it by hand to see why, or name another one in `browser.executable`.{said}"
    ))
}

/// The end of what a browser writes on its standard error. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complaint(Arc<Mutex<VecDeque<u8>>>);

impl Complaint {
    /// Reads until the end of the stream; without it a full pipe would stop the browser.
    pub(crate) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        // An error is an end, too.
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(buffer.get(..read).unwrap_or_default());
            let surplus = kept.len().saturating_sub(limits::BROWSER_STDERR_MAX_BYTES);
            kept.drain(..surplus);
        }
    }

    /// What is kept, as text without escape sequences.
    pub(crate) fn tail(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        strip_escapes(&String::from_utf8_lossy(&bytes))
            .trim()
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_without_user_namespaces_is_explained() {
        let error = not_started(
            Path::new("/usr/bin/chromium"),
            "[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you are running on Ubuntu",
        );
        assert_eq!(
            error.to_string(),
            "The browser `/usr/bin/chromium` cannot make its sandbox here, because this system gives it no user namespaces. Allow them (`sysctl user.max_user_namespaces`, `kernel.apparmor_restrict_unprivileged_userns`), or accept pages without a sandbox by `browser.sandbox: false`."
        );
    }

    #[test]
    fn what_a_browser_said_last_is_repeated() {
        let error = not_started(Path::new("/b"), "one\ntwo\nthree\nfour").to_string();
        assert!(error.ends_with("It said: two / three / four"), "{error}");
    }
}
