//! All sessions of a program, and how a connection comes to one.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_border::failure;
use tenon_contract::ToolError;
use tenon_contract::limits::{REMOTE_LINGER, REMOTE_SESSIONS_MAX};
use tokio::sync::watch;

use crate::session::{Session, strings};

/// The version of the protocol, and the oldest that is understood.
pub const PROTOCOL: (u64, u64) = (1, 1);
/// The characters that the id and the secret of a session must have at least: both are random.
const RANDOM_MIN: usize = 16;
const RANDOM_MAX: usize = 128;

/// JSON-RPC errors of a connection.
pub(crate) mod codes {
    /// The error of a tool, in `data`.
    pub(crate) const TOOL: i32 = -32000;
    /// There is no version of the protocol that both sides speak.
    pub(crate) const PROTOCOL: i32 = -32001;
    /// The token is wrong or missing.
    pub(crate) const TOKEN: i32 = -32002;
    /// There is no such session.
    pub(crate) const SESSION: i32 = -32003;
    /// The session is that of another host.
    pub(crate) const SECRET: i32 = -32004;
    /// There are too many sessions.
    pub(crate) const FULL: i32 = -32005;
    /// The message makes no sense here.
    pub(crate) const INVALID: i32 = -32600;
}

/// Why a connection is refused.
pub(crate) struct Refusal {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl Refusal {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Value::Null,
        }
    }
}

/// How an engine works.
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// How long a session outlives its connection.
    pub linger: Duration,
    /// The helper program (Linux), under which commands run.
    pub helper: Option<PathBuf>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            linger: REMOTE_LINGER,
            helper: None,
        }
    }
}

/// What a connection must show.
#[derive(Clone, Default)]
pub struct Admission {
    /// The hash of the token; nothing where the way in is guarded otherwise, by the rights of a socket.
    token: Option<blake3::Hash>,
}

impl Admission {
    /// Everybody who comes this far.
    #[must_use]
    pub fn open() -> Self {
        Self::default()
    }

    /// Every client that has this token.
    #[must_use]
    pub fn token(token: &str) -> Self {
        Self {
            token: Some(blake3::hash(token.as_bytes())),
        }
    }

    fn admits(&self, shown: Option<&str>) -> bool {
        self.token.is_none_or(|token| {
            // Takes the same time whatever is shown.
            shown.is_some_and(|shown| token == blake3::hash(shown.as_bytes()))
        })
    }
}

/// All sessions of a program.
pub struct Engine {
    options: EngineOptions,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    count: watch::Sender<usize>,
}

impl Engine {
    /// An engine without sessions.
    #[must_use]
    pub fn new(options: EngineOptions) -> Arc<Self> {
        Arc::new(Self {
            options,
            sessions: Mutex::default(),
            count: watch::Sender::new(0),
        })
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers `hello`.
    pub(crate) fn greet(params: &Value, admission: &Admission) -> Result<Value, Refusal> {
        let version = env!("CARGO_PKG_VERSION");
        let bound = |name: &str| {
            params
                .pointer("/protocol")
                .and_then(|range| range.get(name)?.as_u64())
        };
        let (min, max) = (bound("min").unwrap_or(0), bound("max").unwrap_or(0));
        let (own_min, own_max) = PROTOCOL;
        if min > own_max || max < own_min {
            let host = params.pointer("/client/version").and_then(Value::as_str);
            let host = host.unwrap_or("unknown");
            let mut refusal = Refusal::new(
                codes::PROTOCOL,
                format!(
                    "The engine (tenon {version}) speaks protocol {own_min} to {own_max}, the host (tenon {host}) {min} to {max}. Use versions that have one in common."
                ),
            );
            refusal.data = json!({ "min": own_min, "max": own_max, "version": version });
            return Err(refusal);
        }
        if !admission.admits(params.get("token").and_then(Value::as_str)) {
            return Err(Refusal::new(
                codes::TOKEN,
                "The token is missing or wrong. Use the one that the engine was started with.",
            ));
        }
        Ok(json!({
            "protocol": own_max.min(max),
            "engine": { "name": "tenon", "version": version, "os": std::env::consts::OS, "arch": std::env::consts::ARCH },
            "capabilities": ["calls", "callbacks", "transfers", "history"],
        }))
    }

    /// Answers `attach`: the session, the number of the connection, and the answer to the host.
    pub(crate) fn attach(&self, params: &Value) -> Result<(Arc<Session>, u64, Value), Refusal> {
        let text = |name: &str| {
            let text = params.get(name).and_then(Value::as_str).unwrap_or_default();
            if (RANDOM_MIN..=RANDOM_MAX).contains(&text.len()) {
                return Ok(text);
            }
            let message = format!("`{name}` must have {RANDOM_MIN} to {RANDOM_MAX} characters.");
            Err(Refusal::new(codes::INVALID, message))
        };
        let (id, secret) = (text("session")?, text("secret")?);
        let last_seen = params.get("lastSeen").and_then(Value::as_u64).unwrap_or(0);
        // A host that knows the session has its catalog, which is all but a few bytes of the answer.
        let open = params.get("open").filter(|open| !open.is_null());
        let mut sessions = self.sessions();
        let known = sessions.get(id).cloned();
        let is_resumed = known.is_some();
        let session = match known {
            Some(session) if session.is_of(secret) => session,
            Some(_) => {
                let message = "The session is that of another host.";
                return Err(Refusal::new(codes::SECRET, message));
            }
            None => {
                let session = self.opened(open, secret, sessions.len())?;
                sessions.insert(id.to_owned(), Arc::clone(&session));
                self.count.send_replace(sessions.len());
                session
            }
        };
        drop(sessions);
        let number = session.take_over(last_seen);
        let number = number.map_err(|fault| Refusal::new(codes::INVALID, fault.0))?;
        let answer = json!({
            "resumed": is_resumed,
            "lastSeen": session.link().seen(),
            "lingerMs": u64::try_from(self.options.linger.as_millis()).unwrap_or(u64::MAX),
            "facts": open.map(|_| session.facts()),
        });
        Ok((session, number, answer))
    }

    fn opened(
        &self,
        open: Option<&Value>,
        secret: &str,
        others: usize,
    ) -> Result<Arc<Session>, Refusal> {
        let Some(open) = open else {
            return Err(Refusal::new(
                codes::SESSION,
                "The engine does not know the session: it has ended, or the engine was started again.",
            ));
        };
        if others >= REMOTE_SESSIONS_MAX {
            let message = format!(
                "The engine has {others} sessions, the maximum. Close one, or start another engine."
            );
            return Err(Refusal::new(codes::FULL, message));
        }
        let session = Session::new(blake3::hash(secret.as_bytes()), self.options.helper.clone());
        let options = open
            .get("options")
            .map(Value::to_string)
            .unwrap_or_default();
        let parts = strings(open.get("parts"));
        let mirrors = open.get("mirrors").and_then(Value::as_bool);
        let opened = session.open(&options, &parts, mirrors.unwrap_or(false));
        opened.map_err(|error| refused(&error))?;
        Ok(session)
    }

    /// A connection has ended: without another one the session ends, after a while.
    pub(crate) async fn detached(self: &Arc<Self>, id: String, session: Arc<Session>, number: u64) {
        if session.is_over() {
            return self.end(&id, &session).await;
        }
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(engine.options.linger).await;
            if session.connection() == number {
                engine.end(&id, &session).await;
            }
        });
    }

    async fn end(&self, id: &str, session: &Arc<Session>) {
        session.close().await;
        let mut sessions = self.sessions();
        if sessions
            .get(id)
            .is_some_and(|known| Arc::ptr_eq(known, session))
        {
            sessions.remove(id);
        }
        self.count.send_replace(sessions.len());
    }

    /// Ends all sessions, and waits until they have ended.
    pub async fn close(&self) {
        let all: Vec<_> = self.sessions().drain().collect();
        for (_, session) in &all {
            session.close().await;
        }
        self.count.send_replace(0);
    }

    /// Ends all sessions at once, without waiting.
    pub fn end_now(&self) {
        for session in self.sessions().values() {
            session.end_now();
        }
    }

    /// How many sessions there are.
    #[must_use]
    pub fn session_count(&self) -> usize {
        *self.count.borrow()
    }

    /// Returns when there was no session for this long.
    pub async fn idle(&self, patience: Duration) {
        let mut count = self.count.subscribe();
        loop {
            if count.wait_for(|count| *count == 0).await.is_err() {
                return;
            }
            let busy = count.wait_for(|count| *count > 0);
            if tokio::time::timeout(patience, busy).await.is_err() {
                return;
            }
        }
    }
}

fn refused(error: &ToolError) -> Refusal {
    Refusal {
        code: codes::TOOL,
        message: error.message.clone(),
        data: failure("toolkit", error),
    }
}
