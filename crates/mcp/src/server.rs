//! One server: started when it is needed, watched, restarted and ended.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ServerNotification, ServerPeerInfo, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, RunningService, ServiceError, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::auth::AuthClient;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use rmcp::{Peer, RoleClient};
use serde_json::{Value, json};
use tenon_contract::{ErrorCode, ToolError};
use tokio::sync::{Mutex, Notify};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::call::ToolCall;
use crate::era;
use crate::error::{failed, is_cut_off, of_service, of_start, words};
use crate::handler::Handler;
use crate::host::{McpHost, ServerContext};
use crate::http::{Guarded, address, config};
use crate::oauth::Authorization;
use crate::progress::{Reporting, Tokens};
use crate::skills::SkillFiles;
use crate::spec::{Protocol, ServerSpec, Way};
use crate::stdio::{Life, Program};

/// A server that ran for so long was healthy: what failed before does not count any more.
const HEALTHY: Duration = Duration::from_secs(60);
/// Longest wait before a start.
const BACK_OFF_MAX: Duration = Duration::from_secs(30);

/// One server of a toolkit.
pub(crate) struct Server {
    pub(crate) spec: Arc<ServerSpec>,
    pub(crate) context: ServerContext,
    pub(crate) host: Arc<dyn McpHost>,
    pub(crate) authorization: Authorization,
    pub(crate) skills: SkillFiles,
    slot: Mutex<Slot>,
    status: Lock<ServerStatus>,
    closed: CancellationToken,
}

/// The connection, if there is one, and what came of those before.
#[derive(Default)]
struct Slot {
    live: Option<Arc<Live>>,
    began: Option<Instant>,
    starts: u32,
    failures: u32,
    failed_at: Option<Instant>,
}

/// What is known of a server.
#[derive(Debug, Default, Clone)]
struct ServerStatus {
    state: &'static str,
    protocol: Option<String>,
    era: Option<Protocol>,
    server: Value,
    capabilities: Value,
    instructions: Option<String>,
    starts: u32,
    error: Option<String>,
    last_words: Option<String>,
}

/// A connection to a server. Dropping it ends the server.
pub(crate) struct Live {
    pub(crate) service: RunningService<RoleClient, Handler>,
    life: Option<Life>,
    connection: CancellationToken,
    listening: Option<AbortHandle>,
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        self.connection.cancel();
    }
}

impl Live {
    fn is_alive(&self) -> bool {
        !self.service.peer().is_transport_closed()
            && !self.connection.is_cancelled()
            && !self.life.as_ref().is_some_and(Life::has_ended)
    }

    async fn finish(&self) {
        self.connection.cancel();
        if let Some(life) = &self.life {
            life.finish().await;
        }
    }

    pub(crate) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }
}

/// Speaks over a transport until the connection is cancelled.
async fn serve<T: Transport<RoleClient> + 'static>(
    handler: Handler,
    transport: T,
    protocol: Protocol,
    connection: &CancellationToken,
) -> Result<RunningService<RoleClient, Handler>, ClientInitializeError> {
    let mode = era::mode(protocol);
    let transport = Reporting {
        inner: transport,
        server: handler.spec.id.clone(),
        host: Arc::clone(&handler.host),
        tokens: handler.tokens.clone(),
        alive: Arc::clone(&handler.alive),
    };
    serve_client_with_lifecycle_and_ct(handler, transport, mode, connection.clone()).await
}

/// A start that failed.
enum Failure {
    Start(Box<ClientInitializeError>, Option<Life>),
    Other(ToolError),
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, context: ServerContext, host: Arc<dyn McpHost>) -> Self {
        let spec = Arc::new(spec);
        Self {
            authorization: Authorization::new(&spec, &host),
            skills: SkillFiles::default(),
            spec,
            context,
            host,
            slot: Mutex::default(),
            status: Lock::new(ServerStatus {
                state: "configured",
                ..ServerStatus::default()
            }),
            closed: CancellationToken::new(),
        }
    }

    fn lock_status(&self) -> MutexGuard<'_, ServerStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn id(&self) -> &str {
        &self.spec.id
    }

    /// What is known of it.
    pub(crate) fn status(&self) -> Value {
        let status = self.lock_status().clone();
        json!({
            "id": self.id(),
            "state": status.state,
            "era": match status.era {
                Some(Protocol::Legacy) => Some("legacy"),
                Some(Protocol::Modern) => Some("modern"),
                _ => None,
            },
            "protocolVersion": status.protocol,
            "server": status.server,
            "capabilities": status.capabilities,
            "instructions": status.instructions,
            "restarts": status.starts.saturating_sub(1),
            "error": status.error,
            "stderrTail": status.last_words,
        })
    }

    /// The connection; the server is started where there is none. A start is finished even if nobody waits for it any
    /// more.
    pub(crate) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, ToolError> {
        if let Ok(slot) = self.slot.try_lock()
            && let Some(live) = slot.live.as_ref().filter(|live| live.is_alive())
        {
            return Ok(Arc::clone(live));
        }
        let server = Arc::clone(self);
        let starting = tokio::spawn(async move { server.ensure().await });
        starting.await.map_err(ToolError::internal)?
    }

    async fn ensure(self: Arc<Self>) -> Result<Arc<Live>, ToolError> {
        let mut slot = self.slot.lock().await;
        if let Some(live) = slot.live.as_ref().filter(|live| live.is_alive()) {
            return Ok(Arc::clone(live));
        }
        if let Some(dead) = slot.live.take() {
            self.buried(&mut slot, &dead).await;
        }
        let wait = slot.wait();
        if !wait.is_zero() {
            self.lock_status().state = "starting";
        }
        tokio::select! {
            biased;
            () = self.closed.cancelled() => return Err(self.is_closed()),
            () = sleep(wait) => {}
        }
        slot.starts += 1;
        {
            let mut status = self.lock_status();
            (status.state, status.starts) = ("starting", slot.starts);
        }
        let started = tokio::select! {
            biased;
            () = self.closed.cancelled() => return Err(self.is_closed()),
            started = timeout(self.spec.start_limit(), self.start()) => started,
        };
        let started = started.unwrap_or_else(|_| Err(self.too_slow()));
        match started {
            Ok(live) => {
                let live = Arc::new(live);
                slot.live = Some(Arc::clone(&live));
                slot.began = Some(Instant::now());
                Ok(live)
            }
            Err(error) => {
                slot.failures += 1;
                slot.failed_at = Some(Instant::now());
                let needs_auth = error.details.get("needsAuth").is_some();
                let mut status = self.lock_status();
                status.state = if needs_auth { "needs-auth" } else { "failed" };
                status.error = Some(error.message.clone());
                Err(error)
            }
        }
    }

    fn is_closed(&self) -> ToolError {
        let message = format!(
            "The MCP server `{}` was closed with its toolkit.",
            self.id()
        );
        failed(self.id(), ErrorCode::Cancelled, message)
    }

    fn too_slow(&self) -> ToolError {
        let message = format!(
            "The MCP server `{}` was not ready within {} s. Raise `mcpServers.{}.startMs` if it needs longer.",
            self.id(),
            self.spec.start_limit().as_secs_f32(),
            self.id()
        );
        failed(self.id(), ErrorCode::Timeout, message)
    }

    /// Notes how a connection ended that is of no use any more.
    async fn buried(&self, slot: &mut Slot, dead: &Live) {
        dead.finish().await;
        let was_healthy = slot.began.is_some_and(|began| began.elapsed() >= HEALTHY);
        slot.failures = if was_healthy { 1 } else { slot.failures + 1 };
        slot.failed_at = Some(Instant::now());
        let mut status = self.lock_status();
        status.last_words = dead.life.as_ref().map(Life::last_words);
    }

    async fn start(&self) -> Result<Live, ToolError> {
        let begin = era::first(&self.spec);
        let mut outcome = self.connect(begin).await;
        if let Err(Failure::Start(error, life)) = &outcome
            && !error.is_authorization_required()
            && self.spec.protocol == Protocol::Auto
        {
            let died = match life {
                Some(life) if is_cut_off(error) => life.how().await.is_some(),
                _ => false,
            };
            era::forget(&self.spec);
            if begin == Protocol::Auto && died {
                // It did not survive the question which era it speaks.
                outcome = self.connect(Protocol::Legacy).await;
            } else if begin != Protocol::Auto {
                outcome = self.connect(Protocol::Auto).await;
            }
        }
        if let Err(Failure::Start(error, _)) = &outcome
            && let Some(challenge) = error.auth_challenge()
        {
            self.authorization.challenged(challenge);
            return Err(crate::error::unauthorized(self.id()));
        }
        match outcome {
            Ok(live) => Ok(self.noted(live)),
            Err(Failure::Other(error)) => Err(error),
            Err(Failure::Start(error, life)) => Err(self.start_error(&error, life.as_ref()).await),
        }
    }

    /// A failed start with the last words of the program.
    async fn start_error(&self, error: &ClientInitializeError, life: Option<&Life>) -> ToolError {
        let failure = of_start(self.id(), error);
        let Some(life) = life else { return failure };
        // One that has answered ends because its input is closed: that is not why the start failed.
        let how = match is_cut_off(error) {
            true => life.how().await,
            false => None,
        };
        self.lock_status().last_words = Some(life.last_words());
        match how {
            Some(how) => self.ended_early(&how, life, "could not be started: it"),
            None => failure,
        }
    }

    fn ended_early(&self, how: &tenon_process::ServiceEnd, life: &Life, begin: &str) -> ToolError {
        let end = match (&how.exit_code, &how.signal) {
            (Some(code), _) => format!("exited with code {code}"),
            (None, Some(signal)) => format!("was killed by {signal}"),
            (None, None) => "ended".to_owned(),
        };
        let last = life.last_words();
        let last = match last.is_empty() {
            true => String::new(),
            false => format!(" Its last output: {}", words(&last)),
        };
        let message = format!("The MCP server `{}` {begin} {end}.{last}", self.id());
        failed(self.id(), ErrorCode::ProcessFailed, message)
            .with("exitCode", how.exit_code)
            .with("signal", how.signal.clone())
            .with("stderr", life.last_words())
    }

    async fn connect(&self, protocol: Protocol) -> Result<Live, Failure> {
        let connection = CancellationToken::new();
        let handler = Handler {
            spec: Arc::clone(&self.spec),
            host: Arc::clone(&self.host),
            tokens: Tokens::default(),
            asking: Arc::new(AtomicUsize::new(0)),
            alive: Arc::new(Notify::new()),
        };
        let (served, life) = match &self.spec.way {
            Way::Program {
                command,
                args,
                env,
                cwd,
                sandbox,
            } => {
                let program = Program {
                    server: self.id(),
                    command,
                    args,
                    env,
                    cwd,
                    sandbox: sandbox.as_ref(),
                };
                let started = program.start(&self.context, &connection);
                let started = started.map_err(Failure::Other)?;
                let transport = AsyncRwTransport::new_client(started.stdout, started.stdin);
                let served = serve(handler, transport, protocol, &connection).await;
                (served, Some(started.life))
            }
            Way::Address { url, headers, .. } => {
                let transport = self.transport(url, headers).await.map_err(Failure::Other)?;
                (serve(handler, transport, protocol, &connection).await, None)
            }
        };
        match served {
            Ok(service) => Ok(Live {
                service,
                life,
                connection,
                listening: None,
            }),
            Err(error) => Err(Failure::Start(Box::new(error), life)),
        }
    }

    /// The way to a server at an address.
    async fn transport(
        &self,
        url: &str,
        headers: &BTreeMap<String, String>,
    ) -> Result<StreamableHttpClientTransport<AuthClient<Guarded>>, ToolError> {
        let to = address(self.id(), url)?;
        let config = config(self.id(), url, headers)?;
        let client = self.authorization.client(&self.context, &to).await?;
        Ok(StreamableHttpClientTransport::with_client(client, config))
    }

    /// Notes what the server says about itself, and subscribes to what changes.
    fn noted(&self, mut live: Live) -> Live {
        let info = live.service.peer().peer_info();
        if let Some(info) = &info {
            era::learn(&self.spec, &info.protocol_version);
            let json = |value: Result<Value, _>| value.unwrap_or_default();
            let mut status = self.lock_status();
            status.state = "ready";
            status.error = None;
            status.protocol = Some(info.protocol_version.to_string());
            status.era = Some(era::of(&info.protocol_version));
            status.server = json(serde_json::to_value(&info.server_info));
            status.capabilities = json(serde_json::to_value(&info.capabilities));
            status.instructions.clone_from(&info.instructions);
        }
        if let Some(info) = info
            && era::of(&info.protocol_version) == Protocol::Modern
            && let Some(filter) = wanted(&info)
        {
            let (peer, handler) = (live.peer().clone(), live.service.service().clone());
            let listening = tokio::spawn(listen(peer, handler, filter));
            live.listening = Some(listening.abort_handle());
        }
        live
    }

    /// Sends one request over the connection. What fails because the server died says so. `again` is whether it may be
    /// sent a second time.
    pub(crate) async fn request<T, F>(
        self: &Arc<Self>,
        again: bool,
        send: impl Fn(Arc<Live>) -> F,
    ) -> Result<T, ToolError>
    where
        F: Future<Output = Result<T, ServiceError>>,
    {
        let live = self.live().await?;
        let error = match send(Arc::clone(&live)).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        if matches!(error, ServiceError::TransportClosed) && again && !self.closed.is_cancelled() {
            drop(live);
            let live = self.live().await?;
            return match send(Arc::clone(&live)).await {
                Ok(answer) => Ok(answer),
                Err(error) => Err(self.lost(&live, &error).await),
            };
        }
        Err(self.lost(&live, &error).await)
    }

    /// Why a request failed.
    async fn lost(&self, live: &Live, error: &ServiceError) -> ToolError {
        if let Some(challenge) = error.auth_challenge() {
            self.authorization.challenged(challenge);
            let mut status = self.lock_status();
            status.state = "needs-auth";
            return crate::error::unauthorized(self.id());
        }
        if self.closed.is_cancelled() {
            return self.is_closed();
        }
        let is_gone = matches!(
            error,
            ServiceError::TransportClosed | ServiceError::TransportSend(_)
        );
        if let Some(life) = live.life.as_ref().filter(|_| is_gone) {
            let how = life.how().await.unwrap_or_default();
            let failure = self.ended_early(&how, life, "ended while the call ran: it");
            let mut status = self.lock_status();
            status.state = "failed";
            status.error = Some(failure.message.clone());
            status.last_words = Some(life.last_words());
            return failure;
        }
        of_service(self.id(), error)
    }

    /// Calls a tool.
    pub(crate) async fn call(
        self: &Arc<Self>,
        call: ToolCall,
        again: bool,
    ) -> Result<Value, ToolError> {
        self.request(again, move |live| {
            let call = call.clone();
            async move { call.on(live.peer(), live.service.service()).await }
        })
        .await
    }

    /// Ends the connection; the next request begins another one, at once.
    pub(crate) async fn restart(&self) {
        let mut slot = self.slot.lock().await;
        if let Some(live) = slot.live.take() {
            live.finish().await;
        }
        slot.failures = 0;
        self.lock_status().state = "configured";
    }

    /// Ends the server for good.
    pub(crate) async fn close(&self) {
        self.closed.cancel();
        let mut slot = self.slot.lock().await;
        if let Some(live) = slot.live.take() {
            live.finish().await;
        }
        self.lock_status().state = "disabled";
    }
}

impl Slot {
    /// How long the next start has to wait.
    fn wait(&self) -> Duration {
        let Some(failed_at) = self.failed_at.filter(|_| self.failures > 1) else {
            return Duration::ZERO;
        };
        let doublings = (self.failures - 2).min(5);
        let wait = Duration::from_secs(1 << doublings).min(BACK_OFF_MAX);
        wait.saturating_sub(failed_at.elapsed())
    }
}

/// What is worth a subscription.
fn wanted(info: &ServerPeerInfo) -> Option<SubscriptionFilter> {
    let capabilities = &info.capabilities;
    let tools = capabilities.tools.as_ref()?.list_changed == Some(true);
    tools.then(|| SubscriptionFilter::builder().tools_list_changed().build())
}

/// Passes on what a server reports on a subscription, and subscribes again when that ends.
async fn listen(peer: Peer<RoleClient>, handler: Handler, filter: SubscriptionFilter) {
    let mut wait = Duration::from_secs(1);
    while !peer.is_transport_closed() {
        if let Ok(mut subscription) = peer.listen(filter.clone()).await {
            wait = Duration::from_secs(1);
            while let Ok(Some(notification)) = subscription.next().await {
                if matches!(
                    notification,
                    ServerNotification::ToolListChangedNotification(_)
                ) {
                    handler.changed("tools");
                }
            }
        }
        sleep(wait).await;
        wait = (wait * 2).min(BACK_OFF_MAX);
        // Something may have changed in between.
        handler.changed("tools");
    }
}
