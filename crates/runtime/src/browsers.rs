//! The browser of a toolkit: from the options, over the guard and the rules of the web tools.

use std::sync::Arc;
use std::time::Duration;

use tenon_browser::{Browsers, BrowsersOptions, Connector, Profile};
use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::Engine;
use tenon_process::Processes;
use tenon_tools::{HostCallback, PageWrites, Seat, SeatOptions};
use tenon_web::{AllowedHosts, Guard, HostProxy, ReachableHosts};
use tenon_workspace::{Workspace, state_directory};

use crate::host_browser::HostBrowser;
use crate::options::Within;
use crate::options::{BrowserOptions, BrowserWrites, Options};
use crate::web::Web;

/// Where named profiles are, below the state directory.
const PROFILES: &str = "browser";

impl Web {
    /// Makes the browser that a toolkit may start, and the place of its agent in it. Starts nothing.
    ///
    /// # Errors
    /// Options that cannot be used.
    pub(crate) fn with_browser(
        &mut self,
        options: &Options,
        engine: &Engine,
        processes: &Processes,
        workspace: &Workspace,
        host: Option<Arc<dyn HostCallback>>,
    ) -> Result<Browsers, ToolError> {
        let own = options.browser.as_ref().and_then(|own| own.settings());
        let settings = own.clone().unwrap_or_default();
        if host.is_some() && settings.profile.is_some() {
            let message = "`browser.profile` and `host.browser` exclude each other: the browser of the host has its own profile.";
            let error = ToolError::new(ErrorCode::InvalidParams, message);
            return Err(error.with("option", "options.browser.profile"));
        }
        let of_web = options.web.fetch.allow_private.iter().map(String::as_str);
        let of_browser = settings.allow_private.iter().map(String::as_str);
        let of_browser = AllowedHosts::of_option("browser.allowPrivate", of_browser)?;
        let guard = Guard::new(AllowedHosts::new(of_web)?.and(&of_browser));
        let denied = ReachableHosts::new(&engine.denied_hosts()).map_err(|name| {
            ToolError::internal(format_args!("a rule on the host `{name}` names none"))
        })?;
        let proxy = HostProxy::to_all_but(denied, self.reach.transport_behind(guard.clone()));
        let browsers = Browsers::new(BrowsersOptions {
            executable: settings.executable.clone(),
            sandbox: settings.sandbox.unwrap_or(true),
            profile: profile(&settings, workspace)?,
            window: settings.window.map_or((1280, 800), |window| window.size()),
            idle: settings.idle_ms.map(Within::get).map_or(
                tenon_contract::limits::BROWSER_IDLE_TIMEOUT,
                Duration::from_millis,
            ),
            connector: host.map(|host| Arc::new(HostBrowser(host)) as Arc<dyn Connector>),
            ..BrowsersOptions::new(proxy, processes.clone())
        });
        self.browser = own.map(|own| {
            let options = SeatOptions {
                evaluate: own.evaluate,
                keeps_state: own.profile.is_some(),
                writes: match own.writes {
                    None => PageWrites::Ask,
                    Some(BrowserWrites::Ask) => PageWrites::AskAlways,
                    Some(BrowserWrites::Allow) => PageWrites::Allow,
                    Some(BrowserWrites::Deny) => PageWrites::Deny,
                },
                guard,
            };
            Seat::new(browsers.clone(), options)
        });
        Ok(browsers)
    }
}

fn profile(settings: &BrowserOptions, workspace: &Workspace) -> Result<Profile, ToolError> {
    let Some(name) = &settings.profile else {
        return Ok(Profile::Private { parent: None });
    };
    let wrong = |message: String| {
        ToolError::new(ErrorCode::InvalidParams, message).with("option", "options.browser.profile")
    };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(wrong(format!(
            "`browser.profile` is `{}`; a name has letters, digits, `-`, `_` and `.`, and does not begin with `.`.",
            name.chars().take(80).collect::<String>()
        )));
    }
    let parent = state_directory(None, workspace.roots()).map_err(wrong)?;
    Ok(Profile::Named {
        parent: parent.join(PROFILES),
        name: name.clone(),
    })
}
