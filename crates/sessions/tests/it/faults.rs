//! Processes that are killed at every write of a run, and those that stop renewing their leases.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenon_sessions::{Finished, Member, Spawn, Status};
use tenon_store::{MemoryStore, SqliteOptions, SqliteStore, Store};

use crate::support::{FaultyStore, PATIENCE, Setup, eventually, labelled, spawn};

/// Which write of the child process is its last act, and whether that is written.
const FAULT: &str = "TENON_SESSIONS_FAULT";
const FILE: &str = "TENON_SESSIONS_FILE";

fn sqlite(file: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::new(SqliteOptions::new(file)))
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// The body of the process that is killed: a tree of three runs, each waited for and shown.
#[test]
fn the_process_that_is_killed() {
    let (Ok(fault), Ok(file)) = (std::env::var(FAULT), std::env::var(FILE)) else {
        return;
    };
    let (number, written) = fault.split_once(' ').unwrap();
    let (number, written): (u64, bool) = (number.parse().unwrap(), written.parse().unwrap());
    let at = Arc::new(move |now: u64, is_written: bool| {
        if now == number && is_written == written {
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
        }
        false
    });
    runtime().block_on(async {
        let store = Arc::new(FaultyStore::new(sqlite(Path::new(&file)), at));
        let member = Setup::over(store.clone()).member();
        for label in ["one", "two", "three"] {
            let started = member
                .spawn(labelled(label, &format!("say {label}")))
                .await
                .unwrap();
            member
                .wait_for(&started.run, Some(PATIENCE))
                .await
                .unwrap()
                .unwrap();
            member.acknowledge(member.shown_keys()).await;
        }
        store.close().await.unwrap();
    });
    // It has come to its end without the write.
    std::process::exit(7);
}

/// All results that a process that comes later can see, by label; and those of them that are unread.
async fn seen(member: &Member) -> (HashMap<String, Vec<Finished>>, usize) {
    // Asking sweeps up what the dead process has left.
    let listed = member.list().await.unwrap();
    let unread = member.wait(None, true, Duration::ZERO).await.unwrap();
    assert!(
        unread.pending.is_empty(),
        "a dead process has no running agents"
    );
    let mut all: HashMap<String, Vec<Finished>> = HashMap::new();
    for row in listed
        .into_iter()
        .filter(|row| row.session.parent.is_some())
    {
        let rows = [row.session.clone()];
        let ended = member
            .wait(Some(&rows), true, Duration::ZERO)
            .await
            .unwrap();
        all.entry(row.session.label)
            .or_default()
            .extend(ended.results);
    }
    (all, unread.results.len())
}

#[test]
fn kill_at_every_write_of_a_run_loses_no_result_and_doubles_none() {
    let program = std::env::current_exe().unwrap();
    let mut was_whole = false;
    for number in 0..60 {
        for written in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("state.db");
            let ended = Command::new(&program)
                .args([
                    "--exact",
                    "faults::the_process_that_is_killed",
                    "--test-threads=1",
                ])
                .env(FAULT, format!("{number} {written}"))
                .env(FILE, &file)
                .output()
                .unwrap();
            was_whole = ended.status.code() == Some(7);
            assert!(was_whole || ended.status.code().is_none(), "{ended:?}");
            runtime().block_on(after_the_kill(&file, number, written));
        }
        if was_whole {
            break;
        }
    }
    assert!(was_whole, "the runs have more writes than were tried");
}

async fn after_the_kill(file: &Path, number: u64, written: bool) {
    let place = format!("write {number}, written: {written}");
    let mut setup = Setup::over(sqlite(file));
    setup.is_gone = true;
    let member = setup.member();
    let (all, unread) = seen(&member).await;
    assert!(
        unread <= 1,
        "{place}: shown ones are read, but for the last"
    );
    let labels = ["one", "two", "three"];
    let there = labels
        .iter()
        .take_while(|label| all.contains_key(**label))
        .count();
    assert_eq!(all.len(), there, "{place}: started in their order");
    for (index, label) in labels.iter().take(there).enumerate() {
        let [result] = all[*label].as_slice() else {
            panic!("{place}: {label} {} times", all[*label].len())
        };
        let is_last = index + 1 == there;
        match result.run.status {
            Status::Completed => assert_eq!(result.summary, **label, "{place}"),
            Status::Lost if is_last => assert_eq!(unread, 1, "{place}: what is lost is reported"),
            other => panic!("{place}: {label} is {other:?}"),
        }
    }
    // The place is free, and the session works on.
    let next = member.spawn(spawn("say next")).await.unwrap();
    assert_eq!(next.status, Status::Running, "{place}");
    let ended = member
        .wait_for(&next.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(ended.summary, "next", "{place}");
    setup.store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_lease_ends_is_lost_and_what_it_says_later_is_kept() {
    let shared: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let frozen = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut setup = Setup::over(shared.clone());
    setup.lease.renewal = Duration::from_secs(3600);
    setup.limits.max_concurrent = 1;
    let member = setup.member();
    let started = member.spawn(labelled("asleep", "hold")).await.unwrap();
    eventually(|| setup.host.running.load(Ordering::SeqCst) == 1).await;
    frozen.store(true, Ordering::SeqCst);

    let later = Arc::new(FaultyStore::new(shared, Arc::new(|_, _| false)));
    later.ahead.store(31_000, Ordering::SeqCst);
    let other = Setup {
        host: setup.host.clone(),
        ..Setup::over(later)
    };
    let observer = other.member();
    observer.list().await.unwrap();
    let ended = observer
        .wait_for(&started.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(ended.run.status, Status::Lost);

    setup.host.release(1);
    let since = Instant::now();
    let late = loop {
        let ended = observer
            .wait_for(&started.run, Some(PATIENCE))
            .await
            .unwrap()
            .unwrap();
        if ended.run.late || since.elapsed() > PATIENCE {
            break ended;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(
        (late.run.status, late.run.late, late.summary.as_str()),
        (Status::Lost, true, "held")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_are_renewed_while_a_run_lasts_and_by_nobody_afterwards() {
    let store = Arc::new(FaultyStore::new(
        Arc::new(MemoryStore::default()),
        Arc::new(|_, _| false),
    ));
    let mut setup = Setup::over(store.clone());
    setup.lease.renewal = Duration::from_millis(20);
    setup.lease.time = Duration::from_millis(400);
    let member = setup.member();
    let started = member.spawn(spawn("hold")).await.unwrap();
    let observer = setup.member();
    let since = Instant::now();
    // Much longer than a lease: who does not renew is lost.
    while since.elapsed() < Duration::from_millis(1_500) {
        observer.list().await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    setup.host.release(1);
    let ended = member
        .wait_for(&started.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(ended.run.status, Status::Completed);
    let quiet = || async {
        let before = store.commits.load(Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(200)).await;
        store.commits.load(Ordering::SeqCst) == before
    };
    let since = Instant::now();
    while !quiet().await {
        assert!(since.elapsed() < PATIENCE, "somebody still writes");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_dies_at_any_write_never_leaves_a_run_without_an_end() {
    for number in 0..8 {
        let shared: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let dying = Arc::new(FaultyStore::new(
            shared.clone(),
            Arc::new(move |now, written| now == number && written),
        ));
        let first = Setup::over(dying);
        let member = first.member();
        let spawning = member.spawn(Spawn {
            name: Some("n".to_owned()),
            ..spawn("say x")
        });
        let _ = tokio::time::timeout(Duration::from_millis(300), spawning).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let mut second = Setup::over(shared);
        second.is_gone = true;
        let (all, _) = seen(&second.member()).await;
        let ends: Vec<Status> = all
            .into_values()
            .flatten()
            .map(|ended| ended.run.status)
            .collect();
        assert!(
            matches!(ends.as_slice(), [Status::Completed | Status::Lost]),
            "{number}: {ends:?}"
        );
    }
}
