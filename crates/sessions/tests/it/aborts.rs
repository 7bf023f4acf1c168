//! The caller goes away at any moment, and stores report what is not so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tenon_sessions::{Spawn, Status, WaitReason};
use tenon_store::{
    Changed, Commit, Key, MemoryStore, Millis, Operation, Page, Query, Row, Store, StoreError,
    StoreFuture, Watch,
};
use tokio::sync::Semaphore;

use crate::support::{PATIENCE, Setup, eventually, inside, labelled, spawn};

/// A store that holds commits back at a gate once they are written, or reports them as failed.
struct Liar {
    inner: MemoryStore,
    commits: AtomicU64,
    /// The number of the commit that is written and reported as failed.
    fails_at: AtomicU64,
    /// Whether commits wait at the gate.
    is_held: AtomicBool,
    waiting: AtomicU64,
    gate: Semaphore,
}

impl Liar {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryStore::default(),
            commits: AtomicU64::new(0),
            fails_at: AtomicU64::new(u64::MAX),
            is_held: AtomicBool::new(false),
            waiting: AtomicU64::new(0),
            gate: Semaphore::new(0),
        })
    }

    fn hold(&self) {
        self.is_held.store(true, Ordering::SeqCst);
    }

    fn let_go(&self) {
        self.is_held.store(false, Ordering::SeqCst);
        self.gate.add_permits(1_000);
    }
}

impl Store for Liar {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        Box::pin(async move {
            let number = self.commits.fetch_add(1, Ordering::SeqCst);
            let commit = self.inner.commit(operations).await?;
            if self.is_held.load(Ordering::SeqCst) {
                self.waiting.fetch_add(1, Ordering::SeqCst);
                self.gate.acquire().await.unwrap().forget();
            }
            if number == self.fails_at.load(Ordering::SeqCst) {
                return Err(StoreError::Failed("The answer was lost".to_owned()));
            }
            Ok(commit)
        })
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        self.inner.get(keys)
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        self.inner.scan(query)
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.inner.now()
    }

    fn watch(&self, names: Vec<String>, changed: Changed) -> Option<Watch> {
        self.inner.watch(names, changed)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_reported_as_failed_and_was_written_neither_loses_nor_doubles() {
    // The start is the first write; the end of the run the second.
    for number in 0..6 {
        let store = Liar::new();
        store.fails_at.store(number, Ordering::SeqCst);
        let mut setup = Setup::over(store.clone());
        setup.limits.max_concurrent = 1;
        let member = setup.member();
        let Ok(started) = member.spawn(spawn("say it")).await else {
            assert_eq!(number, 0, "only the start may fail");
            let next = member.spawn(spawn("say next")).await.unwrap();
            let ended = member.wait_for(&next.run, Some(PATIENCE)).await.unwrap();
            assert_eq!(ended.unwrap().summary, "next", "its place is free");
            continue;
        };
        let waited = member
            .wait(None, true, PATIENCE)
            .await
            .expect("waiting reads");
        assert_eq!(waited.reason, WaitReason::Completed);
        let [only] = waited.results.as_slice() else {
            panic!("{number}: {:?}", waited.results)
        };
        assert_eq!((&*only.summary, only.run.late), ("it", false), "{number}");
        member.acknowledge(member.shown_keys()).await;
        // What is tried again after that shows nothing a second time.
        tokio::time::sleep(Duration::from_millis(300)).await;
        let again = member.wait(None, true, Duration::ZERO).await.unwrap();
        assert_eq!(again.reason, WaitReason::Nothing, "{number}");
        eventually(|| {
            let ended = |event: &tenon_sessions::Event| {
                event.kind == "ended" && event.run_id == started.run
            };
            setup
                .events
                .lock()
                .unwrap()
                .iter()
                .filter(|event| ended(event))
                .count()
                == 1
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_while_a_run_starts_leaves_no_run_and_no_place() {
    let store = Liar::new();
    let mut setup = Setup::over(store.clone());
    setup.limits.max_concurrent = 1;
    let member = setup.member();
    store.hold();
    let (starter, asked) = (member.clone(), Arc::new(AtomicBool::new(false)));
    let seen = asked.clone();
    let starting = tokio::spawn(async move {
        seen.store(true, Ordering::SeqCst);
        starter.spawn(spawn("never")).await
    });
    eventually(|| asked.load(Ordering::SeqCst) && store.waiting.load(Ordering::SeqCst) == 1).await;
    starting.abort();
    assert!(starting.await.unwrap_err().is_cancelled());
    store.let_go();
    let next = member.spawn(labelled("next", "say next")).await.unwrap();
    let ended = member.wait_for(&next.run, Some(PATIENCE)).await.unwrap();
    assert_eq!(ended.unwrap().summary, "next");
    let rows = member.list().await.unwrap();
    let mut states: Vec<Status> = rows.iter().map(|row| row.session.status).collect();
    states.sort_by_key(|status| status.as_str());
    // The session at the root has no run.
    assert_eq!(states, [Status::Cancelled, Status::Completed, Status::Idle]);
    assert!(setup.host.controls.lock().unwrap().len() <= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_while_a_further_run_starts_stops_only_that_run() {
    let store = Liar::new();
    let setup = Setup::over(store.clone());
    let member = setup.member();
    let first = member.spawn(spawn("hold")).await.unwrap();
    eventually(|| setup.host.running.load(Ordering::SeqCst) == 1).await;
    store.hold();
    let (sender, to) = (member.clone(), first.session.clone());
    let sending = tokio::spawn(async move {
        let mode = tenon_sessions::SendMode::FollowUp;
        sender.send(to, "say more", mode, PATIENCE, (None, 0)).await
    });
    eventually(|| store.waiting.load(Ordering::SeqCst) >= 1).await;
    sending.abort();
    let _ = sending.await;
    store.let_go();
    eventually(|| {
        let events = setup.events.lock().unwrap();
        events.iter().any(|event| event.status == Status::Cancelled)
    })
    .await;
    setup.host.release(1);
    let ended = member.wait_for(&first.run, Some(PATIENCE)).await.unwrap();
    assert_eq!(ended.unwrap().run.status, Status::Completed);
    assert_eq!(setup.host.objectives(), ["hold"]);
    let rows = member.list().await.unwrap();
    assert_eq!(rows[0].session.status, Status::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_that_are_dropped_at_any_moment_give_their_places_back() {
    let mut setup = Setup::new();
    setup.limits.max_concurrent = 2;
    let member = setup.member();
    let parent = member.spawn(labelled("parent", "never")).await.unwrap();
    let inner = inside(&member, &parent).await;
    let child = inner.spawn(labelled("child", "never")).await.unwrap();
    for micros in 0..200 {
        let waiting = inner.wait_for(&child.run, None);
        let _ = tokio::time::timeout(Duration::from_micros(micros * 7), waiting).await;
    }
    // Two run, so a third has to wait: nobody is taken for waiting who is not.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let third = member.spawn(labelled("third", "never")).await.unwrap();
    assert_eq!(third.status, Status::Queued);
    member.engine().close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_by_another_process_wakes_who_waits_where_the_store_reports_changes() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut first = Setup::over(store.clone());
    first.lease.poll = Duration::from_secs(3_600);
    let mut second = Setup::over(store);
    second.lease.poll = Duration::from_secs(3_600);
    let (member, other) = (first.member(), second.member());
    let started = member.spawn(spawn("hold")).await.unwrap();
    eventually(|| first.host.running.load(Ordering::SeqCst) == 1).await;
    let run = started.run.clone();
    let waiting = tokio::spawn(async move { other.wait_for(&run, Some(PATIENCE)).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    first.host.release(1);
    let ended = tokio::time::timeout(PATIENCE / 2, waiting).await.unwrap();
    assert_eq!(ended.unwrap().unwrap().unwrap().summary, "held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_that_checks_nothing_is_refused_before_anything_runs() {
    let setup = Setup::new();
    let member = setup.member();
    let refused = member.spawn(Spawn {
        output_schema: Some(json!({ "type": "nonsense" })),
        ..spawn("say x")
    });
    let refused = refused.await.unwrap_err();
    assert_eq!(
        (refused.code.as_str(), refused.message.as_str()),
        (
            "invalid_params",
            "`outputSchema` is not a JSON Schema that a result can be checked with. Its type is not known. Correct it, and start the agent again."
        )
    );
    assert_eq!(setup.host.objectives(), Vec::<String>::new());
    assert_eq!(member.list().await.unwrap().len(), 1);
}
