//! One browser: started, watched, ended.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::limits;
use tenon_process::{Processes, ServiceProcess};
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::events::parting;
use crate::events::router::Router;
use crate::events::shared::Shared;
use crate::events::target::FILTER;
use crate::guard::Guard;
use crate::program::discover::discover;
use crate::program::launch::{Complaint, Launched, launch, not_started};
use crate::program::profile::Directory;
use crate::protocol::connection::Connection;
use crate::protocol::message::text;
use crate::protocol::remote::{self, Remote};
use crate::session::Session;
use crate::{BrowserError, LaunchOptions, Profile, ProxyAddress, SessionOptions};

/// A browser that runs. When it is dropped, its processes end and its private files are removed.
pub struct Browser {
    connection: Connection,
    router: Arc<Router>,
    directory: Arc<Directory>,
    proxy: ProxyAddress,
    executable: PathBuf,
    version: String,
    process_id: Option<u32>,
    /// Whether its connections go through our proxy.
    is_proxied: bool,
    /// Whether what pages send is held by the whole browser.
    holds: OnceCell<()>,
    end: CancellationToken,
    ended: watch::Receiver<bool>,
    _end_with_me: DropGuard,
}

impl Browser {
    /// Starts the browser that is found. Needs a running tokio runtime.
    ///
    /// # Errors
    /// When there is none, it cannot make its sandbox, its profile is in use, or the call is aborted.
    pub async fn launch(
        options: &LaunchOptions,
        processes: &Processes,
        abort: &CancellationToken,
    ) -> Result<Self, BrowserError> {
        let executable = discover(options.executable.as_deref(), processes)?;
        let Launched { service, directory } = launch(options, &executable, processes)?;
        let complaint = Complaint::default();
        tokio::spawn(complaint.clone().read(service.stderr));
        let router = Router::new(false);
        let connection = Connection::new(service.stdout, service.stdin, router.clone());
        router.speak_over(connection.clone());
        let end = CancellationToken::new();
        let (sender, ended) = watch::channel(false);
        let directory = Arc::new(directory);
        let process_id = service.process.id();
        tokio::spawn(watch_over(
            service.process,
            connection.clone(),
            Arc::clone(&directory),
            end.clone(),
            sender,
        ));
        let mut browser = Self {
            connection,
            router,
            directory,
            proxy: options.proxy.clone(),
            executable,
            version: String::new(),
            process_id,
            is_proxied: true,
            holds: OnceCell::new(),
            _end_with_me: end.clone().drop_guard(),
            end,
            ended,
        };
        let greeted = tokio::select! {
            biased;
            () = abort.cancelled() => return Err(BrowserError::Cancelled),
            greeted = browser.greet() => greeted,
        };
        match greeted {
            Ok(version) => {
                browser.version = version;
                Ok(browser)
            }
            Err(_) => {
                // What it says last comes a little later than the end of its pipe.
                tokio::time::sleep(Duration::from_millis(100)).await;
                let error = not_started(&browser.executable, &complaint.tail());
                browser.close().await;
                Err(error)
            }
        }
    }

    /// Speaks with a browser that somebody else has started. Its sessions have contexts of their own; what else is open
    /// in it is left alone, and it stays when this ends.
    ///
    /// # Errors
    /// When it does not answer, or the call is aborted.
    pub async fn attach(
        remote: Arc<dyn Remote>,
        proxy: ProxyAddress,
        abort: &CancellationToken,
    ) -> Result<Self, BrowserError> {
        let directory = Directory::prepare(&Profile::Private { parent: None }, None)?;
        let router = Router::new(true);
        let end = CancellationToken::new();
        let over = CancellationToken::new();
        let (output, input) = remote::piped(&remote, &over);
        let connection = Connection::new(output, input, router.clone());
        router.speak_over(connection.clone());
        let (sender, ended) = watch::channel(false);
        let directory = Arc::new(directory);
        let is_proxied = remote.is_local();
        let leaving = Leaving {
            remote,
            connection: connection.clone(),
            over,
            directory: Arc::clone(&directory),
            ended: sender,
        };
        tokio::spawn(leaving.wait(end.clone()));
        let mut browser = Self {
            connection,
            router,
            directory,
            proxy,
            executable: PathBuf::from("the browser of the host"),
            version: String::new(),
            process_id: None,
            is_proxied,
            // Its other pages are those of its user.
            holds: OnceCell::new_with(Some(())),
            _end_with_me: end.clone().drop_guard(),
            end,
            ended,
        };
        let greeted = tokio::select! {
            biased;
            () = abort.cancelled() => return Err(BrowserError::Cancelled),
            greeted = browser.greet() => greeted,
        };
        let version = greeted.map_err(|error| {
            BrowserError::Unavailable(format!(
                "The browser of `host.browser.connect` does not answer as the Chrome DevTools Protocol has it for a whole browser: {error}"
            ))
        })?;
        browser.version = version;
        Ok(browser)
    }

    async fn greet(&self) -> Result<String, BrowserError> {
        let limit = limits::BROWSER_START_TIMEOUT;
        let call = |method: &'static str, params: Value| {
            self.connection.call::<Value>(None, method, params, limit)
        };
        let version = call("Browser.getVersion", json!({})).await?;
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": FILTER.clone() });
        call("Target.setAutoAttach", attach).await?;
        let discover = json!({ "discover": true, "filter": FILTER.clone() });
        call("Target.setDiscoverTargets", discover).await?;
        Ok(text(&version, "/product").to_owned())
    }

    /// Name and version, such as `HeadlessChrome/156.0.8078.79`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The program that was started.
    #[must_use]
    pub fn executable(&self) -> &std::path::Path {
        &self.executable
    }

    /// The number of its first process.
    #[must_use]
    pub const fn process_id(&self) -> Option<u32> {
        self.process_id
    }

    /// Whether it can be spoken with.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.connection.close_reason().is_none()
    }

    /// Begins a session. `guard` decides about every document of it.
    ///
    /// # Errors
    /// When the browser is gone, or the call is aborted.
    pub async fn session(
        &self,
        options: SessionOptions,
        guard: Arc<dyn Guard>,
        abort: &CancellationToken,
    ) -> Result<Session, BrowserError> {
        tokio::select! {
            biased;
            () = abort.cancelled() => Err(BrowserError::Cancelled),
            made = self.make_session(options, guard) => made,
        }
    }

    /// Whether its connections go through our proxy. Those of a remote browser do not.
    #[must_use]
    pub const fn is_proxied(&self) -> bool {
        self.is_proxied
    }

    async fn make_session(
        &self,
        options: SessionOptions,
        guard: Arc<dyn Guard>,
    ) -> Result<Session, BrowserError> {
        let limit = limits::BROWSER_COMMAND_TIMEOUT;
        let call = |method: &'static str, params: Value| {
            self.connection.call::<Value>(None, method, params, limit)
        };
        let proxy = options.proxy.clone().unwrap_or_else(|| self.proxy.clone());
        let context = if options.keeps_state {
            if options.proxy.is_some() {
                return Err(BrowserError::Invalid(
                    "A session with the state of the profile has the proxy of the browser. Leave out one of the two.".to_owned(),
                ));
            }
            None
        } else {
            let wanted = match self.is_proxied {
                true => json!({
                    "disposeOnDetach": true,
                    "proxyServer": format!("http://{}", proxy.address),
                    "proxyBypassList": "<-loopback>",
                }),
                false => json!({ "disposeOnDetach": true }),
            };
            let made = call("Target.createBrowserContext", wanted).await?;
            Some(text(&made, "/browserContextId").to_owned())
        };
        let connection = self.connection.clone();
        let shared = Shared::new(connection, context.clone(), guard, options, proxy);
        let shared = shared.behind_proxy(self.is_proxied);
        let shared = Arc::new(shared);
        self.router.add_session(context.as_deref(), &shared);
        let (router, directory) = (Arc::clone(&self.router), Arc::clone(&self.directory));
        let session = Session::new(shared, router, directory);
        session.shared.deny_downloads().await?;
        if session.shared.options.judges_writes {
            let hold = async || {
                let held = call("Fetch.enable", parting::held_requests()).await;
                held.map(drop)
            };
            self.holds.get_or_try_init(hold).await?;
        }
        let mut nothing = json!({ "permissions": [] });
        if let (Some(context), Some(nothing)) = (context, nothing.as_object_mut()) {
            nothing.insert("browserContextId".to_owned(), context.into());
        }
        // What is not granted is denied.
        call("Browser.grantPermissions", nothing).await?;
        Ok(session)
    }

    /// Ends it and waits until none of its processes lives and its private files are gone.
    pub async fn close(mut self) {
        self.end.cancel();
        // If the sender is gone, the browser has ended as well.
        let _ = self.ended.wait_for(|ended| *ended).await;
    }
}

/// What ends with a conversation with a browser of somebody else.
struct Leaving {
    remote: Arc<dyn Remote>,
    connection: Connection,
    over: CancellationToken,
    directory: Arc<Directory>,
    ended: watch::Sender<bool>,
}

impl Leaving {
    async fn wait(self, end: CancellationToken) {
        tokio::select! {
            biased;
            () = end.cancelled() => {
                self.connection.ending();
                // The contexts of the sessions go with the conversation.
                self.connection.close(BrowserError::Closed);
            }
            () = self.connection.closed() => {}
        }
        self.over.cancel();
        let limit = limits::BROWSER_CLOSE_TIMEOUT;
        // One that does not end is nothing that anybody waits for.
        let _ = tokio::time::timeout(limit, self.remote.close()).await;
        self.directory.release();
        self.ended.send_replace(true);
    }
}

/// Holds the process: ends it on request, or when its connection breaks, with everything it leaves.
async fn watch_over(
    mut process: ServiceProcess,
    connection: Connection,
    directory: Arc<Directory>,
    end: CancellationToken,
    ended: watch::Sender<bool>,
) {
    tokio::select! {
        biased;
        () = end.cancelled() => {
            connection.ending();
            let limit = limits::BROWSER_CLOSE_TIMEOUT;
            let asked = connection.call::<Value>(None, "Browser.close", json!({}), limit);
            // One that does not go by itself is killed below.
            if asked.await.is_ok() {
                let _ = tokio::time::timeout(limit, process.ended()).await;
            }
            connection.close(BrowserError::Closed);
        }
        how = process.ended() => {
            let cause = match (how.signal, how.exit_code) {
                (Some(signal), _) => format!(": it ended by {signal}"),
                (None, Some(code)) => format!(": it ended with exit code {code}"),
                (None, None) => String::new(),
            };
            connection.close(BrowserError::Crashed { what: "The browser".to_owned(), cause });
        }
        // The connection knows why.
        () = connection.closed() => {}
    }
    process.end();
    process.ended().await;
    // The sessions that still hold it cannot use it any more.
    directory.release();
    ended.send_replace(true);
}
