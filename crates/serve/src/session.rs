//! The toolkits of one host, which outlive its connections.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::Value;
use tenon_border::{
    Acknowledged, Bound, Call, Host, Input, Kind, Listener, Message, Wire, failure,
};
use tenon_contract::limits::{REMOTE_ANSWERS_KNOWN, REMOTE_KEPT_MAX_BYTES};
use tenon_contract::{ErrorCode, ToolError};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::asked;
use crate::link::{Link, LinkFault};
use crate::words;

/// The number of the toolkit of a session. Ids begin with it, so that there may be more of them.
const ROOT: u32 = 0;

/// The toolkits of one host.
pub(crate) struct Session {
    secret: blake3::Hash,
    link: Mutex<Link>,
    /// Something may have to be sent, or the connection was replaced.
    pub(crate) wake: Notify,
    toolkits: Mutex<HashMap<u32, Arc<Bound>>>,
    /// The number of the connection that it is spoken with on; another one replaces it.
    connection: AtomicU64,
    calls: Mutex<Calls>,
    /// How much of its history the host has a copy of; nothing where it keeps none.
    mirrored: Mutex<Option<u64>>,
    /// The host has said that it needs it no more.
    is_over: AtomicBool,
    helper: Option<PathBuf>,
    executor: Handle,
}

/// The calls that were made: a call that is sent again is not run again.
#[derive(Default)]
struct Calls {
    known: HashMap<String, Progress>,
    order: VecDeque<String>,
}

enum Progress {
    Running,
    /// How it ended, until the host has acknowledged it.
    Ended(Arc<str>),
    Acknowledged,
}

impl Calls {
    /// Whether a call is new.
    fn begin(&mut self, id: &str) -> bool {
        if self.known.contains_key(id) {
            return false;
        }
        self.known.insert(id.to_owned(), Progress::Running);
        self.order.push_back(id.to_owned());
        if self.order.len() > REMOTE_ANSWERS_KNOWN {
            // One that still runs is younger than ten thousand others; if not, it stays known.
            let oldest = self.order.pop_front();
            let ended = |id: &String| !matches!(self.known.get(id), Some(Progress::Running));
            match oldest {
                Some(oldest) if ended(&oldest) => _ = self.known.remove(&oldest),
                Some(oldest) => self.order.push_back(oldest),
                None => {}
            }
        }
        true
    }
}

/// The way to the host of one toolkit.
struct SessionWire {
    session: Weak<Session>,
    toolkit: u32,
}

impl Wire for SessionWire {
    fn send(&self, message: Message) -> bool {
        let session = self.session.upgrade();
        session.is_some_and(|session| session.send(self.toolkit, message, None))
    }

    fn send_acknowledged(&self, message: Message, acknowledged: Acknowledged) -> bool {
        let session = self.session.upgrade();
        session.is_some_and(|session| session.send(self.toolkit, message, Some(acknowledged)))
    }
}

impl Session {
    pub(crate) fn new(secret: blake3::Hash, helper: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Self {
            secret,
            link: Mutex::default(),
            wake: Notify::new(),
            toolkits: Mutex::default(),
            connection: AtomicU64::new(0),
            calls: Mutex::default(),
            mirrored: Mutex::default(),
            is_over: AtomicBool::new(false),
            helper,
            executor: Handle::current(),
        })
    }

    /// Whether the host shows that the session is its own. Takes the same time whatever it shows.
    pub(crate) fn is_of(&self, secret: &str) -> bool {
        self.secret == blake3::hash(secret.as_bytes())
    }

    pub(crate) fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn toolkits(&self) -> MutexGuard<'_, HashMap<u32, Arc<Bound>>> {
        self.toolkits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mirrored(&self) -> MutexGuard<'_, Option<u64>> {
        self.mirrored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the host what is new in the history, so that it has it before the end of the call.
    fn mirror(&self) {
        let mut mirrored = self.mirrored();
        let Some(seen) = *mirrored else { return };
        let Some(root) = self.toolkit(ROOT) else {
            return;
        };
        let (entries, count) = root.toolkit.history_after(seen);
        *mirrored = Some(count);
        if let Some(json) = tenon_border::to_json(&entries)
            .ok()
            .filter(|_| !entries.is_empty())
        {
            self.link().send(0, words::history(ROOT, &json), None);
        }
    }

    /// What the host knows of its first toolkit without asking.
    pub(crate) fn facts(&self) -> Value {
        let root = self.toolkits().get(&ROOT).cloned();
        root.map(|root| asked::facts(&root)).unwrap_or_default()
    }

    /// Opens the toolkit: with these options, in JSON, for a host that supplies these parts, and keeps a copy of the history or not.
    pub(crate) fn open(
        self: &Arc<Self>,
        options: &str,
        parts: &[String],
        mirrors: bool,
    ) -> Result<(), ToolError> {
        *self.mirrored() = mirrors.then_some(0);
        let host = Host {
            wire: Arc::new(SessionWire {
                session: Arc::downgrade(self),
                toolkit: ROOT,
            }),
            parts,
            helper: self.helper.clone(),
        };
        let bound = Arc::new(Bound::open(options, host)?);
        self.toolkits().insert(ROOT, bound);
        Ok(())
    }

    /// A connection takes over; the number by which it knows whether it still has it.
    pub(crate) fn take_over(&self, seen: u64) -> Result<u64, LinkFault> {
        let acknowledged = {
            let mut link = self.link();
            let acknowledged = link.begin(seen)?;
            self.connection.fetch_add(1, Ordering::SeqCst);
            acknowledged
        };
        run_all(acknowledged);
        // The connection before it, if it still waits, notices that it was replaced.
        self.wake.notify_waiters();
        self.wake.notify_one();
        Ok(self.connection())
    }

    /// The number of the connection that has the session now.
    pub(crate) fn connection(&self) -> u64 {
        self.connection.load(Ordering::SeqCst)
    }

    /// Whether nobody needs it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }

    /// Queues a message of a toolkit. What nobody waits for is dropped while the host takes nothing.
    fn send(&self, toolkit: u32, message: Message, acknowledged: Option<Acknowledged>) -> bool {
        let (kind, key) = (message.kind, message.key);
        let is_aside = matches!(kind, Kind::Telemetry | Kind::Event | Kind::Warning);
        let is_of_call = kind.is_last() || kind == Kind::Update;
        let lane = u64::from(toolkit) << 32 | if is_of_call { u64::from(key) } else { 0 };
        let body = words::body(toolkit, &message);
        {
            let mut link = self.link();
            if is_aside && link.kept() > REMOTE_KEPT_MAX_BYTES {
                return false;
            }
            link.send(lane, body, acknowledged);
        }
        self.wake.notify_one();
        true
    }

    /// Takes a message of the host in.
    pub(crate) fn take(self: &Arc<Self>, message: Value) {
        let id = message
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let params = message.get("params").cloned().unwrap_or_default();
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            return self.take_reply(id, message.get("result").cloned());
        };
        match method {
            "call" => self.call(id, params),
            "end" => self.is_over.store(true, Ordering::SeqCst),
            "cancel" => {
                let named = params.get("id").and_then(Value::as_str).unwrap_or_default();
                if let Some((toolkit, key)) = words::numbers(named)
                    && let Some(bound) = self.toolkit(toolkit)
                {
                    let _ = bound.calls.cancel(key);
                }
            }
            "progress" => {
                let named = params.get("id").and_then(Value::as_str).unwrap_or_default();
                if let Some((bound, request)) = self.requested(named) {
                    bound.progress(request, words::reply(params.get("reply").cloned()));
                }
            }
            _ => self.asked(id, method, params),
        }
    }

    fn toolkit(&self, number: u32) -> Option<Arc<Bound>> {
        self.toolkits().get(&number).cloned()
    }

    fn requested(&self, id: &str) -> Option<(Arc<Bound>, u32)> {
        let (toolkit, request) = words::numbers(id.strip_prefix('r')?)?;
        Some((self.toolkit(toolkit)?, request))
    }

    fn take_reply(&self, id: &str, result: Option<Value>) {
        if let Some((bound, request)) = self.requested(id) {
            bound.answer(request, words::reply(result));
        }
    }

    /// Runs a call, once.
    fn call(self: &Arc<Self>, id: &str, mut params: Value) {
        let numbers = words::numbers(id);
        let found = numbers.and_then(|(toolkit, key)| Some((self.toolkit(toolkit)?, key)));
        let (Some((bound, key)), Some((toolkit, _))) = (found, numbers) else {
            return self.fail(id, "call", &unknown_toolkit());
        };
        if !self.calls().begin(id) {
            return self.answered_before(id);
        }
        let mut taken = |name: &str| params.get_mut(name).map(Value::take).unwrap_or_default();
        let sent = Input::Read {
            value: taken("params"),
            faults: taken("faults"),
        };
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| params.get(name).and_then(Value::as_bool).unwrap_or(false);
        let number = |name: &str| {
            let given = params.get(name).and_then(Value::as_u64);
            given.map(|most| u32::try_from(most).unwrap_or(u32::MAX))
        };
        let listener = flag("listens")
            .then(|| Listener::new(key, Arc::clone(&bound.wire), self.executor.clone()));
        let call = Call {
            key,
            tool: text("tool").unwrap_or_default(),
            id: text("toolCallId").unwrap_or_default(),
            automatic: flag("automatic"),
            approved: text("approved"),
            max_tokens: number("maxTokens"),
            lineage: text("lineage"),
            listener,
            params: sent,
            bound: Arc::clone(&bound),
        };
        let cancellation = bound.calls.start(key);
        let session = Arc::clone(self);
        self.executor.spawn(async move {
            let end = call.run(cancellation).await;
            session.end(toolkit, end.into());
        });
    }

    /// Sends the end of a call, and keeps it for the case that it is sent again.
    fn end(self: &Arc<Self>, toolkit: u32, message: Message) {
        let id = format!("{toolkit}.{}", message.key);
        let mut body = words::body(toolkit, &message);
        let kept = self.link().kept();
        self.mirror();
        // One alone is kept however large it is.
        if kept > 0 && kept + body.len() > REMOTE_KEPT_MAX_BYTES {
            body = words::failed(&id, &not_kept(body.len()));
        }
        let recorded: Arc<str> = body.as_str().into();
        if let Some(progress) = self.calls().known.get_mut(&id) {
            *progress = Progress::Ended(recorded);
        }
        let session = Arc::downgrade(self);
        let named = id.clone();
        let acknowledged = Box::new(move || {
            if let Some(session) = session.upgrade()
                && let Some(progress) = session.calls().known.get_mut(&named)
            {
                *progress = Progress::Acknowledged;
            }
        });
        let lane = u64::from(toolkit) << 32 | u64::from(message.key);
        self.link().send(lane, body, Some(acknowledged));
        self.wake.notify_one();
    }

    /// A call that is sent again gets its recorded end; while it runs, that end will come.
    fn answered_before(&self, id: &str) {
        let body = match self.calls().known.get(id) {
            Some(Progress::Ended(body)) => Some(body.to_string()),
            Some(Progress::Acknowledged) => {
                let message = format!(
                    "The call `{id}` has ended, and the host has acknowledged its result; it is not kept any more. Use a new id for a new call."
                );
                let error = ToolError::new(ErrorCode::InvalidParams, message);
                Some(words::failed(id, &failure("call", &error).to_string()))
            }
            Some(Progress::Running) | None => None,
        };
        if let Some(body) = body {
            self.link().send(0, body, None);
            self.wake.notify_one();
        }
    }

    /// Answers a question of the host.
    fn asked(self: &Arc<Self>, id: &str, method: &str, params: Value) {
        let Some((toolkit, key)) = words::numbers(id) else {
            return;
        };
        let Some(bound) = self.toolkit(toolkit) else {
            return self.fail(id, method, &unknown_toolkit());
        };
        let _entered = self.executor.enter();
        if let Some(answer) = asked::answer(&bound, method, &params) {
            return self.send_answer(id, method, answer);
        }
        let session = Arc::clone(self);
        let (id, method) = (id.to_owned(), method.to_owned());
        self.executor.spawn(async move {
            if method == "close" {
                bound.close(key).await;
                return;
            }
            let answer = asked::answer_later(&bound, key, &method, &params).await;
            session.send_answer(&id, &method, answer);
        });
    }

    fn send_answer(&self, id: &str, method: &str, answer: Result<String, ToolError>) {
        match answer {
            Ok(json) => {
                self.link().send(0, words::answered(id, &json), None);
                self.wake.notify_one();
            }
            Err(error) => self.fail(id, method, &error),
        }
    }

    fn fail(&self, id: &str, method: &str, error: &ToolError) {
        let body = words::failed(id, &failure(method, error).to_string());
        self.link().send(0, body, None);
        self.wake.notify_one();
    }

    /// Ends everything.
    pub(crate) async fn close(&self) {
        let toolkits: Vec<Arc<Bound>> = self.toolkits().drain().map(|(_, bound)| bound).collect();
        for bound in toolkits {
            bound.close(0).await;
        }
        self.is_over.store(true, Ordering::SeqCst);
        self.wake.notify_waiters();
        self.wake.notify_one();
    }

    /// Ends everything at once, without waiting.
    pub(crate) fn end_now(&self) {
        for (_, bound) in self.toolkits().drain() {
            bound.end_now();
        }
    }
}

/// Runs what waited for acknowledgements; not while the link is locked, to which it may send.
pub(crate) fn run_all(acknowledged: Vec<Acknowledged>) {
    for acknowledged in acknowledged {
        acknowledged();
    }
}

pub(crate) fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    let texts = list.filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn unknown_toolkit() -> ToolError {
    ToolError::new(ErrorCode::InvalidParams, "The engine has no such toolkit.")
}

/// In place of an answer that a host does not take.
fn not_kept(bytes: usize) -> String {
    let message = format!(
        "The call finished, but its result of {bytes} bytes could not be kept: the host has not taken earlier results of {REMOTE_KEPT_MAX_BYTES} bytes. Check what it did."
    );
    failure("call", &ToolError::new(ErrorCode::TooLarge, message)).to_string()
}
