//! Bringing a server up: process, pipes, `initialize`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_contract::limits;
use tenon_process::{Processes, ServiceEnd, ServiceProcess, ServiceSpec, file_beside};
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{CloseReason, RequestError, StartError};
use crate::freshness::disk::Disk;
use crate::freshness::refresh::Synchronised;
use crate::protocol::connection::Connection;
use crate::protocol::uri::file_uri;
use crate::server::capabilities::client_capabilities;
use crate::server::server_state::{ServerState, directory};
use crate::server::session::ServerSession;
use crate::server::stderr::StandardError;
use crate::servers::{Readiness, ServerSpec};

/// Time between the polite and the final signal.
const GRACE: Duration = Duration::from_millis(500);

/// What it takes to start a server.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) spec: Arc<ServerSpec>,
    /// The program, found.
    pub(crate) program: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) processes: Processes,
    pub(crate) disk: Arc<Disk>,
    /// Where its last words are kept, also for those who wait for the start.
    pub(crate) stderr: StandardError,
    /// Ends the start.
    pub(crate) closed: CancellationToken,
}

#[derive(Deserialize)]
struct Initialized {
    #[serde(default)]
    capabilities: Value,
}

impl Launch {
    /// Starts the server and waits until it can be asked. A failure leaves no process behind.
    pub(crate) async fn start(self) -> Result<ServerSession, (StartError, Option<String>)> {
        let options = self
            .initialization_options()
            .map_err(|error| (error, None))?;
        // What changes while the server starts is announced to it afterwards: better twice than never.
        let mut names = self.spec.names();
        names.sort();
        names.dedup();
        let reported = self.disk.look(names.clone()).await;
        let session = self
            .spawn(Synchronised::new(reported, names))
            .map_err(|error| (error, None))?;
        let initialized = tokio::select! {
            biased;
            () = self.closed.cancelled() => Err(RequestError::Closed(CloseReason::ShutDown)),
            initialized = self.initialize(&session, options) => initialized,
        };
        match initialized {
            Ok(()) => Ok(session),
            Err(error) => {
                let error = session.reported_by_end(error).await;
                session.end.cancel();
                session.wait_ended().await;
                session.stderr.drained().await;
                Err((StartError::Initialize(error), session.complaint()))
            }
        }
    }

    fn spawn(&self, synchronised: Synchronised) -> Result<ServerSession, StartError> {
        let spec = &self.spec;
        let environment = spec
            .environment
            .iter()
            .map(|(name, value)| (name.clone(), OsString::from(value)));
        let service = self
            .processes
            .start_service(&ServiceSpec {
                program: self.program.clone(),
                arguments: spec.arguments.iter().map(OsString::from).collect(),
                directory: self.root.clone(),
                environment: environment.collect(),
                grace: GRACE,
            })
            .map_err(|error| StartError::Process(Arc::new(error)))?;
        let ready_text = match spec.quirks.readiness {
            Readiness::Log(text) => Some(text),
            _ => None,
        };
        let server_state = ServerState::new(self.root.clone(), spec.settings.clone(), ready_text);
        let stderr = self.stderr.clone();
        tokio::spawn(stderr.clone().read(service.stderr));
        let connection = Connection::new(service.stdout, service.stdin, server_state.clone());
        let (sender, ended) = watch::channel(None);
        let end = CancellationToken::new();
        tokio::spawn(watch_over(
            service.process,
            connection.clone(),
            end.clone(),
            sender,
        ));
        Ok(ServerSession {
            spec: Arc::clone(spec),
            root: self.root.clone(),
            connection,
            server_state,
            encoding: std::sync::OnceLock::new(),
            disk: Arc::clone(&self.disk),
            synchronised: Mutex::new(synchronised),
            reload: std::sync::atomic::AtomicBool::new(false),
            generation: AtomicU64::new(0),
            settled: AtomicU64::new(0),
            diagnosing: Mutex::new(()),
            checks: tokio::sync::OnceCell::new(),
            stderr,
            started: Instant::now(),
            unanswered: std::sync::Mutex::default(),
            silent: std::sync::Mutex::default(),
            uses: AtomicUsize::new(0),
            used: std::sync::Mutex::new(Instant::now()),
            ended,
            _end_with_me: end.clone().drop_guard(),
            end,
        })
    }

    async fn initialize(
        &self,
        session: &ServerSession,
        options: Value,
    ) -> Result<(), RequestError> {
        let params = json!({
            "processId": self.processes.host_process_id(),
            "clientInfo": { "name": "tenon", "version": env!("CARGO_PKG_VERSION") },
            "rootPath": self.root,
            "rootUri": file_uri(&self.root),
            "workspaceFolders": [directory(&self.root)],
            "capabilities": client_capabilities(),
            "initializationOptions": options,
            "trace": "off",
        });
        let never = CancellationToken::new();
        let connection = &session.connection;
        let limit = limits::LSP_START_TIMEOUT;
        let answer: Initialized = connection
            .request("initialize", Some(&params), limit, &never)
            .await?;
        session.server_state.initialized(answer.capabilities);
        let stated = session
            .server_state
            .features(|features| features.encoding());
        // Set once, here.
        let _ = session
            .encoding
            .set(self.spec.quirks.encoding.unwrap_or(stated));
        connection.notify("initialized", Some(&json!({})));
        let settings = match &self.spec.settings {
            Value::Null => json!({}),
            settings => settings.clone(),
        };
        connection.notify(
            "workspace/didChangeConfiguration",
            Some(&json!({ "settings": settings })),
        );
        Ok(())
    }

    fn initialization_options(&self) -> Result<Value, StartError> {
        let mut options = self.spec.initialization_options.clone();
        let Some(companion) = self.spec.companion else {
            return Ok(options);
        };
        let (parent, member) = companion
            .option
            .rsplit_once('/')
            .unwrap_or(("", companion.option));
        let Some(parent) = options.pointer_mut(parent).and_then(Value::as_object_mut) else {
            // The host wrote options of its own.
            return Ok(options);
        };
        if !parent.contains_key(member) {
            let found = file_beside(&self.program, companion.file);
            let found = found.ok_or_else(|| StartError::Companion {
                program: self.program.display().to_string(),
                file: Path::new(companion.file)
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
                    .unwrap_or_default(),
                install: companion.install,
            })?;
            parent.insert(member.to_owned(), found.to_string_lossy().into());
        }
        Ok(options)
    }
}

/// Holds the process: ends it when it is asked to, when nobody holds the session any more, or when it cannot be spoken
/// with, and reports that it ended.
async fn watch_over(
    mut process: ServiceProcess,
    connection: Connection,
    end: CancellationToken,
    ended: watch::Sender<Option<ServiceEnd>>,
) {
    // A server that cannot be spoken with any more is of no use; most are about to end by themselves then.
    let unanswered = async {
        connection.closed().await;
        tokio::time::sleep(GRACE).await;
    };
    let by_itself = tokio::select! {
        biased;
        ended = process.ended() => Some(ended),
        () = end.cancelled() => None,
        () = unanswered => None,
    };
    let (how, reason) = match by_itself {
        Some(how) => {
            let reason = CloseReason::Exited {
                exit_code: how.exit_code,
                signal: how.signal.clone(),
            };
            (how, reason)
        }
        None => {
            process.end();
            (process.ended().await, CloseReason::ShutDown)
        }
    };
    connection.close(reason);
    ended.send_replace(Some(how));
}
