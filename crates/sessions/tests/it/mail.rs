//! What is unread, and who hears of it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenon_sessions::{SendMode, Spawn, Status, Visibility, WaitReason};
use tenon_store::MemoryStore;

use crate::support::{LateMail, PATIENCE, Setup, eventually, inside, labelled, spawn};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_named_once_and_unread_until_it_was_shown() {
    let setup = Setup::new();
    let member = setup.member();
    assert_eq!(member.notice().await, None);
    let started = member.spawn(labelled("tests", "say ok")).await.unwrap();
    eventually(|| {
        setup
            .events
            .lock()
            .unwrap()
            .iter()
            .any(|event| event.kind == "ended")
    })
    .await;
    let line = format!(
        "[1 sub-agent has ended: \"tests\" ({}). `subagents` with `wait` shows it.]",
        started.session.id
    );
    assert_eq!(member.notice().await, Some(vec![line]));
    assert_eq!(member.notice().await, None);
    assert_eq!(
        member
            .list()
            .await
            .unwrap()
            .iter()
            .map(|row| row.unread)
            .sum::<usize>(),
        1
    );
    let waited = member.wait(None, false, Duration::ZERO).await.unwrap();
    assert_eq!(
        (waited.reason, waited.results.len()),
        (WaitReason::Completed, 1)
    );
    // A process that dies now has not lost it: it is taken out with the next call only.
    let other = setup.member();
    assert_eq!(
        other
            .wait(None, false, Duration::ZERO)
            .await
            .unwrap()
            .results
            .len(),
        1
    );
    member.acknowledge(member.shown_keys()).await;
    let third = setup.member();
    let nothing = third.wait(None, false, Duration::ZERO).await.unwrap();
    assert_eq!(
        (nothing.reason, nothing.results.len()),
        (WaitReason::Nothing, 0)
    );
    // It can be read again by its session.
    let again = third
        .wait(Some(&[started.session]), false, Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(again.results[0].summary, "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_that_is_taken_out_while_the_mailbox_is_read_is_not_shown_again() {
    let store = Arc::new(LateMail::new(Arc::new(MemoryStore::default())));
    let setup = Setup::over(store.clone());
    let member = setup.member();
    let started = member.spawn(spawn("say ok")).await.unwrap();
    let ended = member.wait_for(&started.run, Some(PATIENCE)).await.unwrap();
    assert_eq!(ended.unwrap().summary, "ok");
    // As the next call does: what was shown is taken out beside the work, which is to wait for more.
    store.is_late.store(true, Ordering::SeqCst);
    let waiting = tokio::spawn({
        let member = member.clone();
        async move { member.wait(None, false, Duration::ZERO).await.unwrap() }
    });
    store.read.acquire().await.unwrap().forget();
    member.acknowledge(member.shown_keys()).await;
    store.returns.add_permits(1);
    let nothing = waiting.await.unwrap();
    assert_eq!(
        (nothing.reason, nothing.results.len()),
        (WaitReason::Nothing, 0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_host_has_shown_is_read() {
    let mut setup = Setup::new();
    setup.acknowledges = true;
    let member = setup.member();
    member.spawn(spawn("say ok")).await.unwrap();
    eventually(|| {
        setup
            .events
            .lock()
            .unwrap()
            .iter()
            .any(|event| event.kind == "ended")
    })
    .await;
    let since = std::time::Instant::now();
    while !member
        .wait(None, false, Duration::ZERO)
        .await
        .unwrap()
        .results
        .is_empty()
    {
        assert!(since.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let kinds: Vec<_> = setup
        .events
        .lock()
        .unwrap()
        .iter()
        .map(|event| (event.kind, event.status))
        .collect();
    assert_eq!(
        kinds,
        [("started", Status::Running), ("ended", Status::Completed)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_see_one_session() {
    let setup = Setup::new();
    let (one, two) = (setup.member(), setup.member());
    let started = one.spawn(labelled("shared", "hold")).await.unwrap();
    let waiting = tokio::spawn(async move {
        let row = two.resolve("shared").await.unwrap();
        (two.wait(Some(&[row]), true, PATIENCE).await.unwrap(), two)
    });
    setup.host.release(1);
    let (waited, two) = waiting.await.unwrap();
    assert_eq!(
        (
            waited.results[0].run.id.as_str(),
            waited.results[0].summary.as_str()
        ),
        (started.run.as_str(), "held")
    );
    // Stopping from the other process ends the run in the first one.
    let long = one.spawn(labelled("long", "never")).await.unwrap();
    let row = two.resolve("long").await.unwrap();
    assert_eq!(two.stop(&[row.id]).await.unwrap().stopped.len(), 1);
    eventually(|| long.control.abort().is_cancelled()).await;
}

/// The event came just before the result could be seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_that_hears_of_an_end_finds_its_result_unread() {
    let mut setup = Setup::new();
    // Without looking again after a time.
    setup.lease.mail = Duration::from_secs(3600);
    let member = setup.member();
    assert_eq!(member.notice().await, None);
    let (reader, seen) = (member.clone(), Arc::new(Mutex::new(Vec::new())));
    let noted = seen.clone();
    let listener = Box::new(move |event: &tenon_sessions::Event| {
        if event.kind == "ended" {
            noted.lock().unwrap().push(reader.may_have_mail());
        }
    });
    let started = member.spawn(spawn("hold")).await.unwrap();
    eventually(|| setup.host.objectives().len() == 1).await;
    // What its start changed was looked at.
    while member.may_have_mail() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(setup.listener.set(listener).is_ok());
    setup.host.gate.add_permits(1);
    member.wait_for(&started.run, Some(PATIENCE)).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_ends_in_another_process_is_named_here_as_well() {
    let setup = Setup::new();
    let (one, two) = (setup.member(), setup.member());
    assert_eq!(two.notice().await, None);
    let started = one.spawn(labelled("tests", "say ok")).await.unwrap();
    let ended = one.wait_for(&started.run, Some(PATIENCE)).await.unwrap();
    assert_eq!(ended.unwrap().summary, "ok");
    let line = format!(
        "[1 sub-agent has ended: \"tests\" ({}). `subagents` with `wait` shows it.]",
        started.session.id
    );
    let since = std::time::Instant::now();
    let lines = loop {
        match two.notice().await {
            Some(lines) => break lines,
            None => assert!(since.elapsed() < PATIENCE),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    assert_eq!(lines, [line]);
    tokio::time::sleep(setup.lease.mail * 2).await;
    assert_eq!(two.notice().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_steer_wait_or_are_stored() {
    let setup = Setup::new();
    let member = setup.member();
    let started = member.spawn(labelled("w", "hold")).await.unwrap();
    let child = inside(&member, &started).await;
    eventually(|| {
        setup
            .host
            .controls
            .lock()
            .unwrap()
            .contains_key(&started.run)
    })
    .await;
    let to = || started.session.clone();
    let zero = Duration::ZERO;
    let steered = member
        .send(to(), "faster", SendMode::Auto, zero, (None, 0))
        .await
        .unwrap();
    assert_eq!(
        (
            steered.disposition,
            setup.host.steered.lock().unwrap().as_slice()
        ),
        ("steered", &["faster".to_owned()][..])
    );
    let queued = member
        .send(to(), "deaf", SendMode::Auto, zero, (None, 0))
        .await
        .unwrap();
    assert_eq!(queued.disposition, "queued");
    let parent = child.resolve("parent").await.unwrap();
    assert_eq!(parent.id, "main");
    let stored = child
        .send(parent, "half done", SendMode::Auto, PATIENCE, (None, 0))
        .await
        .unwrap();
    assert_eq!(stored.disposition, "stored");
    let lines = member.notice().await.unwrap();
    let line = format!(
        "[Message from session \"w\" ({}), not from the user: half done]",
        started.session.id
    );
    assert_eq!(lines, [line]);
    setup.host.release(1);
    let ended = member
        .wait_for(&queued.run.unwrap(), Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(ended.summary, "done: deaf");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_label_that_two_have_names_neither_and_other_trees_are_not_seen() {
    let mut setup = Setup::new();
    let member = setup.member();
    let mut ids = Vec::new();
    for _ in 0..2 {
        ids.push(
            member
                .spawn(labelled("twin", "say x"))
                .await
                .unwrap()
                .session
                .id,
        );
    }
    let message = member.resolve("twin").await.unwrap_err().message;
    assert!(
        ids.iter().all(|id| message.contains(id.as_str())),
        "{message}"
    );
    assert!(
        member
            .resolve("twi")
            .await
            .unwrap_err()
            .message
            .contains("\"twin\"")
    );
    assert_eq!(member.resolve(&ids[0]).await.unwrap().id, ids[0]);

    let stranger = setup.member_of("other", setup.host.clone());
    assert_eq!(
        stranger.resolve(&ids[0]).await.unwrap_err().code.as_str(),
        "not_found"
    );
    assert_eq!(stranger.list().await.unwrap().len(), 1);
    setup.visibility = Visibility::Workspace;
    let neighbour = setup.member_of("third", setup.host.clone());
    assert_eq!(neighbour.resolve(&ids[0]).await.unwrap().id, ids[0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_since_a_version_are_all_that_happened() {
    let setup = Setup::new();
    let member = setup.member();
    let before = member.overview(None, None).await.unwrap();
    let started = member.spawn(spawn("say x")).await.unwrap();
    member
        .wait_for(&started.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    let after = member.overview(None, Some(before.version)).await.unwrap();
    let states: Vec<_> = after
        .changes
        .unwrap()
        .iter()
        .map(|change| change["status"].clone())
        .collect();
    assert_eq!(
        (states, after.gap),
        (vec!["running".into(), "completed".into()], false)
    );
    let none = member.overview(None, Some(after.version)).await.unwrap();
    assert_eq!(none.changes, Some(vec![]));
    assert!(
        member
            .overview(None, Some(after.version + 1_000_000))
            .await
            .unwrap()
            .gap
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_is_given_what_was_sent_to_its_parent() {
    let setup = Setup::new();
    let member = setup.member();
    let parent = inside(&member, &member.spawn(spawn("never mind")).await.unwrap()).await;
    let below = parent
        .spawn(Spawn {
            fork: true,
            ..spawn("say x")
        })
        .await
        .unwrap();
    parent
        .wait_for(&below.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    let asked = setup.host.asked.lock().unwrap().clone();
    let asked = asked.iter().find(|asked| asked["objective"] == "say x");
    assert_eq!(
        asked.unwrap()["parentHistory"],
        serde_json::json!([{ "role": "user", "text": "never mind" }])
    );
    member.engine().close().await;
}
