//! At most one browser for all who share a [`Browsers`]: started when it is first needed, with a proxy that only it can
//! use, and ended when nobody has used it for a while.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_contract::limits;
use tenon_process::Processes;
use tenon_web::{HostProxy, ProxyCredentials};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    Browser, BrowserError, Connector, Guard, LaunchOptions, Profile, ProxyAddress, Session,
    SessionOptions,
};

/// What a browser is started with, and when it is ended.
#[derive(Clone)]
pub struct BrowsersOptions {
    /// The program, by absolute path. Default: the first that is found.
    pub executable: Option<std::path::PathBuf>,
    /// Chromium's own sandbox.
    pub sandbox: bool,
    /// Where its files are.
    pub profile: Profile,
    /// Width and height of a page, in pixels.
    pub window: (u32, u32),
    /// How long nobody uses it before it is ended. Default: 5 minutes.
    pub idle: Duration,
    /// What every connection of it goes through. The credentials are made here.
    pub proxy: HostProxy,
    /// Among which processes it is started.
    pub processes: Processes,
    /// Who has one that runs already. Default: nobody.
    pub connector: Option<Arc<dyn Connector>>,
}

impl BrowsersOptions {
    /// The usual ones.
    #[must_use]
    pub const fn new(proxy: HostProxy, processes: Processes) -> Self {
        Self {
            executable: None,
            sandbox: true,
            profile: Profile::Private { parent: None },
            window: (1280, 800),
            idle: limits::BROWSER_IDLE_TIMEOUT,
            proxy,
            processes,
            connector: None,
        }
    }
}

/// The browser of those who share this. Clones are the same.
#[derive(Clone)]
pub struct Browsers(Arc<Inner>);

struct Inner {
    options: BrowsersOptions,
    running: tokio::sync::Mutex<Option<Running>>,
    uses: Mutex<Uses>,
}

/// A browser, and the proxy that ends with it.
struct Running {
    browser: Arc<Browser>,
    proxy: Serving,
}

/// A proxy that is served until this is dropped.
pub(crate) struct Serving {
    over: DropGuard,
    task: JoinHandle<()>,
}

impl Serving {
    /// Ends the proxy and waits until its port is closed: a drop only asks for it.
    async fn close(self) {
        drop(self.over);
        // A panic of the proxy has closed its port as well.
        let _ = self.task.await;
    }
}

#[derive(Default)]
struct Uses {
    count: usize,
    /// Ends the browser when nobody uses it.
    clock: Option<tokio::task::AbortHandle>,
    is_closed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A use: while it lives, the browser is not ended for want of use.
pub struct Use(Browsers);

impl Drop for Use {
    fn drop(&mut self) {
        let mut uses = lock(&self.0.0.uses);
        uses.count = uses.count.saturating_sub(1);
        // Without a runtime everything is over anyway.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if uses.count > 0 || uses.is_closed {
            return;
        }
        let inner = Arc::downgrade(&self.0.0);
        let idle = self.0.0.options.idle;
        let clock = runtime.spawn(async move {
            tokio::time::sleep(idle).await;
            let Some(inner) = inner.upgrade() else { return };
            let running = {
                let mut running = inner.running.lock().await;
                let is_used = lock(&inner.uses).count > 0;
                if is_used { None } else { running.take() }
            };
            end(running).await;
        });
        uses.clock = Some(clock.abort_handle());
    }
}

async fn end(running: Option<Running>) {
    if let Some(running) = running {
        // Nobody else holds it: sessions have only the connection.
        if let Some(browser) = Arc::into_inner(running.browser) {
            browser.close().await;
        }
        running.proxy.close().await;
    }
}

impl Browsers {
    /// Starts nothing yet.
    #[must_use]
    pub fn new(options: BrowsersOptions) -> Self {
        Self(Arc::new(Inner {
            options,
            running: tokio::sync::Mutex::default(),
            uses: Mutex::default(),
        }))
    }

    /// Says that the browser is used from now on.
    #[must_use]
    pub fn using(&self) -> Use {
        let mut uses = lock(&self.0.uses);
        uses.count += 1;
        if let Some(clock) = uses.clock.take() {
            clock.abort();
        }
        drop(uses);
        Use(self.clone())
    }

    /// A new session, in the browser that runs or in a new one.
    ///
    /// # Errors
    /// When there is no browser, it cannot be started, or the call is aborted.
    pub async fn session(
        &self,
        options: SessionOptions,
        guard: Arc<dyn Guard>,
        abort: &CancellationToken,
    ) -> Result<Session, BrowserError> {
        let browser = tokio::select! {
            biased;
            () = abort.cancelled() => return Err(BrowserError::Cancelled),
            browser = self.browser(abort) => browser?,
        };
        browser.session(options, guard, abort).await
    }

    async fn browser(&self, abort: &CancellationToken) -> Result<Arc<Browser>, BrowserError> {
        let mut running = self.0.running.lock().await;
        if lock(&self.0.uses).is_closed {
            return Err(BrowserError::Closed);
        }
        if let Some(known) = running.as_ref().filter(|it| it.browser.is_running()) {
            return Ok(Arc::clone(&known.browser));
        }
        // The profile of one that has crashed is free when it is over.
        end(running.take()).await;
        let options = &self.0.options;
        let (proxy, serving) = serve(options.proxy.clone()).await?;
        let launch = LaunchOptions {
            executable: options.executable.clone(),
            proxy,
            sandbox: options.sandbox,
            profile: options.profile.clone(),
            window: options.window,
        };
        let browser = match &options.connector {
            Some(connector) => {
                let remote = connector.connect().await?;
                Browser::attach(remote, launch.proxy, abort).await?
            }
            None => Browser::launch(&launch, &options.processes, abort).await?,
        };
        let browser = Arc::new(browser);
        *running = Some(Running {
            browser: Arc::clone(&browser),
            proxy: serving,
        });
        Ok(browser)
    }

    /// Whether a browser runs.
    pub async fn is_running(&self) -> bool {
        let running = self.0.running.lock().await;
        running.as_ref().is_some_and(|it| it.browser.is_running())
    }

    /// Ends the browser and waits until none of its processes lives. No other one is started.
    pub async fn close(&self) {
        {
            let mut uses = lock(&self.0.uses);
            uses.is_closed = true;
            if let Some(clock) = uses.clock.take() {
                clock.abort();
            }
        }
        let running = self.0.running.lock().await.take();
        end(running).await;
    }
}

/// Serves a proxy on this machine for those who have credentials that nobody else can know.
pub(crate) async fn serve(proxy: HostProxy) -> Result<(ProxyAddress, Serving), BrowserError> {
    let failed = |fault: String| {
        BrowserError::Unavailable(format!(
            "The proxy of the browser could not be started: {fault}."
        ))
    };
    let mut secret = [0_u8; 24];
    getrandom::fill(&mut secret).map_err(|fault| failed(fault.to_string()))?;
    let password: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let user = "tenon";
    let credentials = ProxyCredentials::new(user, &password)
        .ok_or_else(|| failed("its credentials cannot be sent".to_owned()))?;
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.map_err(|fault| failed(fault.to_string()))?;
    let address = listener.local_addr();
    let address = address.map_err(|fault| failed(fault.to_string()))?;
    let over = CancellationToken::new();
    let proxy = proxy.for_holders_of(credentials);
    let task = tokio::spawn(proxy.serve(listener, over.clone()));
    let address = ProxyAddress {
        address,
        credentials: Some((user.to_owned(), password)),
    };
    let over = over.drop_guard();
    Ok((address, Serving { over, task }))
}
