//! A host with scripted agents, and stores that fail on purpose.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenon_contract::ToolError;
use tenon_sessions::{
    AgentLimits, Control, Engine, EngineOptions, Event, Lease, Member, OnUpdate, Owner, RunFuture,
    Runner, Spawn, Started, Visibility,
};
use tenon_store::{
    Commit, Key, MemoryStore, Millis, Operation, Page, Query, Row, Store, StoreError, StoreFuture,
};
use tokio::sync::{Notify, Semaphore};

/// How long a test waits for what has to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What an agent does with an objective: the first word is a verb.
///
/// `say X` answers X; `fail X` throws; `hold` waits for [`Host::release`]; `never` never settles; `late X` answers X after
/// it was asked to end and released; `words X` answers X as soon as it is asked to end; `json X` answers the value X; `talk N` says
/// N messages; `state N` answers a state of N letters, and `late-state N` does so after it was asked to end and released.
pub(crate) struct Host {
    pub(crate) asked: Mutex<Vec<Value>>,
    pub(crate) running: AtomicUsize,
    pub(crate) most: AtomicUsize,
    pub(crate) gate: Semaphore,
    pub(crate) controls: Mutex<HashMap<String, Arc<Control>>>,
    pub(crate) steered: Mutex<Vec<String>>,
    pub(crate) started: Notify,
}

impl Host {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            asked: Mutex::default(),
            running: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            gate: Semaphore::new(0),
            controls: Mutex::default(),
            steered: Mutex::default(),
            started: Notify::new(),
        })
    }

    pub(crate) fn release(&self, count: usize) {
        self.gate.add_permits(count);
    }

    pub(crate) fn objectives(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|request| request["objective"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn state_of(letters: &str) -> String {
    "x".repeat(letters.parse().unwrap())
}

pub(crate) struct Agents(pub(crate) Arc<Host>);

impl Runner for Agents {
    fn run(&self, request: Value, control: Arc<Control>, on_update: OnUpdate) -> RunFuture {
        let host = self.0.clone();
        Box::pin(async move {
            let objective = request["objective"].as_str().unwrap().to_owned();
            host.asked.lock().unwrap().push(request);
            host.controls
                .lock()
                .unwrap()
                .insert(control.run.clone(), control.clone());
            let now = host.running.fetch_add(1, Ordering::SeqCst) + 1;
            host.most.fetch_max(now, Ordering::SeqCst);
            host.started.notify_waiters();
            let (verb, rest) = objective.split_once(' ').unwrap_or((&objective, ""));
            let answer = match verb {
                "say" => Ok(json!({ "summary": rest, "usage": { "tokens": 2 } })),
                "fail" => Err(ToolError::new(
                    tenon_contract::ErrorCode::HandlerFailed,
                    rest,
                )),
                "json" => Ok(
                    json!({ "summary": rest, "output": serde_json::from_str::<Value>(rest).unwrap() }),
                ),
                "spend" => {
                    on_update(
                        &json!({ "usage": { "tokens": 10 }, "message": { "role": "assistant", "text": rest } }),
                    );
                    control.abort().cancelled().await;
                    Ok(json!("spent"))
                }
                "talk" => {
                    let said = (0..rest.parse().unwrap()).map(|number: usize| format!("m{number}"));
                    said.for_each(|text| on_update(&json!({ "message": { "text": text } })));
                    Ok(json!("talked"))
                }
                "state" => Ok(json!({ "summary": "", "state": state_of(rest) })),
                "late-state" => {
                    control.abort().cancelled().await;
                    host.gate.acquire().await.unwrap().forget();
                    Ok(json!({ "summary": "late", "state": state_of(rest) }))
                }
                "hold" => {
                    host.gate.acquire().await.unwrap().forget();
                    Ok(json!("held"))
                }
                "words" => {
                    control.abort().cancelled().await;
                    Ok(json!(rest))
                }
                "late" => {
                    control.abort().cancelled().await;
                    host.gate.acquire().await.unwrap().forget();
                    Ok(json!(rest))
                }
                "never" => std::future::pending().await,
                _ => Ok(json!(format!("done: {objective}"))),
            };
            host.running.fetch_sub(1, Ordering::SeqCst);
            answer
        })
    }

    fn steer(&self, run: &str, _: &str, text: &str) -> Pin<Box<dyn Future<Output = bool> + Send>> {
        let listens =
            self.0.controls.lock().unwrap().contains_key(run) && !text.starts_with("deaf");
        if listens {
            self.0.steered.lock().unwrap().push(text.to_owned());
        }
        if text.starts_with("hang") {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(listens))
    }
}

/// An engine that can be made several times over one store, as by several processes.
pub(crate) type Listener = Box<dyn Fn(&Event) + Send + Sync>;

pub(crate) struct Setup {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) host: Arc<Host>,
    pub(crate) limits: AgentLimits,
    pub(crate) lease: Lease,
    pub(crate) events: Arc<Mutex<Vec<Event>>>,
    /// Called with each event, on the way.
    pub(crate) listener: Arc<OnceLock<Listener>>,
    pub(crate) acknowledges: bool,
    pub(crate) visibility: Visibility,
    pub(crate) is_gone: bool,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self::over(Arc::new(MemoryStore::default()))
    }

    pub(crate) fn over(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            host: Host::new(),
            limits: AgentLimits::default(),
            lease: Lease {
                grace: Duration::from_millis(50),
                poll: Duration::from_millis(50),
                mail: Duration::from_millis(50),
                ..Lease::default()
            },
            events: Arc::default(),
            listener: Arc::default(),
            acknowledges: false,
            visibility: Visibility::Tree,
            is_gone: false,
        }
    }

    pub(crate) fn member(&self) -> Member {
        self.member_of("main", self.host.clone())
    }

    pub(crate) fn member_of(&self, root: &str, host: Arc<Host>) -> Member {
        let (events, acknowledges, is_gone) =
            (self.events.clone(), self.acknowledges, self.is_gone);
        let listener = self.listener.clone();
        Member::root(Engine::new(EngineOptions {
            store: self.store.clone(),
            workspace: "/w".to_owned(),
            root: root.to_owned(),
            is_kept: true,
            limits: self.limits,
            visibility: self.visibility,
            runner: Some(Arc::new(Agents(host))),
            owner: Owner {
                machine: "m".to_owned(),
                pid: 1,
                started: 1,
                engine: String::new(),
            },
            is_gone: Arc::new(move |_| is_gone),
            check: Arc::new(|schema, value| {
                let wanted = schema["type"].as_str().unwrap_or("object");
                let fits = match wanted {
                    "number" => value.is_number(),
                    _ => value.is_object(),
                };
                (!fits).then(|| format!("`output` must be of type {wanted}."))
            }),
            check_schema: Arc::new(|schema| {
                let known = ["number", "object"].map(|kind| serde_json::json!(kind));
                let is_known = schema.get("type").is_none_or(|kind| known.contains(kind));
                (!is_known).then(|| "Its type is not known.".to_owned())
            }),
            events: Some(Arc::new(move |event| {
                if let Some(listener) = listener.get() {
                    listener(&event);
                }
                let events = events.clone();
                // As a host that hears of it when it is asked.
                Box::pin(async move {
                    events.lock().unwrap().push(event);
                    acknowledges
                })
            })),
            lease: self.lease,
        }))
    }
}

pub(crate) fn spawn(objective: &str) -> Spawn {
    Spawn {
        agent: "a".to_owned(),
        objective: objective.to_owned(),
        ..Spawn::default()
    }
}

pub(crate) fn labelled(label: &str, objective: &str) -> Spawn {
    Spawn {
        label: Some(label.to_owned()),
        ..spawn(objective)
    }
}

/// The toolkit of a run that has started.
pub(crate) async fn inside(member: &Member, started: &Started) -> Member {
    eventually(|| member.child(&started.run).is_ok()).await;
    member.child(&started.run).unwrap()
}

/// Looks until it is so.
pub(crate) async fn eventually(is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "it has not come to that");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What a store does that stops at a commit: before it, or after it was written.
pub(crate) type AtCommit = Arc<dyn Fn(u64, bool) -> bool + Send + Sync>;

/// A store that can end its process at any commit, and whose clock can be put forward.
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<dyn Store>,
    pub(crate) commits: AtomicU64,
    pub(crate) ahead: Arc<AtomicI64>,
    /// With the number of a commit and whether it was written: whether the store is dead from now on.
    pub(crate) at: AtCommit,
    pub(crate) is_dead: std::sync::atomic::AtomicBool,
}

impl FaultyStore {
    pub(crate) fn new(inner: Arc<dyn Store>, at: AtCommit) -> Self {
        Self {
            inner,
            commits: AtomicU64::new(0),
            ahead: Arc::default(),
            at,
            is_dead: std::sync::atomic::AtomicBool::new(false),
        }
    }

    /// A dead process neither writes nor learns anything.
    async fn alive(&self) -> Result<(), StoreError> {
        if self.is_dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn point(&self, number: u64, written: bool) {
        if (self.at)(number, written) {
            self.is_dead.store(true, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
    }
}

impl Store for FaultyStore {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        Box::pin(async move {
            self.alive().await?;
            let number = self.commits.fetch_add(1, Ordering::SeqCst);
            self.point(number, false).await;
            let commit = self.inner.commit(operations).await?;
            self.point(number, true).await;
            Ok(commit)
        })
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        Box::pin(async move {
            self.alive().await?;
            self.inner.get(keys).await
        })
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            self.alive().await?;
            self.inner.scan(query).await
        })
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        Box::pin(async move {
            self.alive().await?;
            Ok(self.inner.now().await? + self.ahead.load(Ordering::SeqCst))
        })
    }
}

/// A store whose looks at mailboxes return late, while they are to: what they have read may have changed by then.
pub(crate) struct LateMail {
    pub(crate) inner: Arc<dyn Store>,
    pub(crate) is_late: std::sync::atomic::AtomicBool,
    pub(crate) read: Semaphore,
    pub(crate) returns: Semaphore,
}

impl LateMail {
    pub(crate) fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            is_late: std::sync::atomic::AtomicBool::new(false),
            read: Semaphore::new(0),
            returns: Semaphore::new(0),
        }
    }
}

impl Store for LateMail {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        self.inner.commit(operations)
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        self.inner.get(keys)
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            let is_mail =
                matches!(&query, Query::Space { space, .. } if space.as_str() == "agent_mail");
            let page = self.inner.scan(query).await;
            if is_mail && self.is_late.swap(false, Ordering::SeqCst) {
                self.read.add_permits(1);
                self.returns.acquire().await.unwrap().forget();
            }
            page
        })
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.inner.now()
    }
}
