//! Who runs, who waits, who is refused.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use tenon_sessions::{Spawn, Status};

use crate::support::{PATIENCE, Setup, eventually, inside, labelled, spawn};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_children_at_once_run_four_at_a_time_and_all_of_them_end() {
    let setup = Setup::new();
    let member = setup.member();
    let spawning = (0..100).map(|number| {
        let member = member.clone();
        tokio::spawn(async move {
            member
                .spawn(labelled(&format!("c{number}"), "hold"))
                .await
                .unwrap()
        })
    });
    let mut started = Vec::new();
    for spawned in spawning.collect::<Vec<_>>() {
        started.push(spawned.await.unwrap());
    }
    let refused = member.spawn(spawn("say no")).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "agent_limit");
    assert_eq!(refused.details["limit"], "maxTotal");
    assert_eq!(refused.details["running"].as_array().unwrap().len(), 100);
    setup.host.release(100);
    let mut seen = HashSet::new();
    while seen.len() < 100 {
        let waited = member.wait(None, false, PATIENCE).await.unwrap();
        assert!(
            !waited.results.is_empty(),
            "{:?} after {}",
            waited.reason,
            seen.len()
        );
        for result in waited.results {
            assert!(seen.insert(result.run.id), "a result twice");
        }
    }
    assert_eq!(setup.host.most.load(Ordering::SeqCst), 4);
    assert_eq!(
        seen,
        started.into_iter().map(|started| started.run).collect()
    );
    // Ended ones hold no place.
    assert_eq!(
        member.spawn(spawn("say yes")).await.unwrap().status,
        Status::Running
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_depth_starts_nothing() {
    let setup = Setup::new();
    let member = setup.member();
    let first = inside(&member, &member.spawn(spawn("never")).await.unwrap()).await;
    let second = inside(&member, &first.spawn(spawn("never")).await.unwrap()).await;
    assert_eq!((first.is_deepest(), second.is_deepest()), (false, true));
    let refused = second.spawn(spawn("never")).await.unwrap_err();
    assert_eq!(
        (refused.code.as_str(), &refused.details["limit"]),
        ("agent_limit", &"maxDepth".into())
    );
    member.engine().close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_wait_for_their_own_need_no_place() {
    let mut setup = Setup::new();
    setup.limits.max_concurrent = 2;
    let member = setup.member();
    let mut waiting = Vec::new();
    let mut parents = Vec::new();
    for _ in 0..2 {
        let parent = member.spawn(spawn("hold")).await.unwrap();
        let child = inside(&member, &parent).await;
        waiting.push(tokio::spawn(async move {
            let below = child.spawn(spawn("say below")).await.unwrap();
            child
                .wait_for(&below.run, Some(PATIENCE))
                .await
                .unwrap()
                .unwrap()
                .summary
        }));
        parents.push(parent);
    }
    for waited in waiting {
        assert_eq!(waited.await.unwrap(), "below");
    }
    setup.host.release(2);
    for parent in parents {
        let ended = member
            .wait_for(&parent.run, Some(PATIENCE))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(ended.run.status, Status::Completed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_parent_cannot_starve_another() {
    let mut setup = Setup::new();
    setup.limits.max_concurrent = 3;
    let member = setup.member();
    let greedy = inside(
        &member,
        &member.spawn(labelled("greedy", "never")).await.unwrap(),
    )
    .await;
    let modest = inside(
        &member,
        &member.spawn(labelled("modest", "never")).await.unwrap(),
    )
    .await;
    for number in 0..10 {
        greedy
            .spawn(labelled(&format!("g{number}"), "hold"))
            .await
            .unwrap();
    }
    let only = modest.spawn(labelled("m", "hold")).await.unwrap();
    assert_eq!(only.status, Status::Queued);
    eventually(|| setup.host.running.load(Ordering::SeqCst) == 3).await;
    setup.host.release(1);
    // The next place is that of the parent that has none.
    eventually(|| setup.host.asked.lock().unwrap().len() == 4).await;
    let last = setup.host.asked.lock().unwrap()[3]["label"].clone();
    assert_eq!(last, "m");
    member.engine().close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_works_on_one_run_at_a_time_with_its_earlier_rounds() {
    let setup = Setup::new();
    let member = setup.member();
    let first = member
        .spawn(Spawn {
            name: Some("worker".to_owned()),
            ..spawn("say one")
        })
        .await
        .unwrap();
    member
        .wait_for(&first.run, Some(PATIENCE))
        .await
        .unwrap()
        .unwrap();
    let to = member.resolve("worker").await.unwrap();
    let sent = member
        .send(
            to,
            "say two",
            tenon_sessions::SendMode::Auto,
            PATIENCE,
            (None, 0),
        )
        .await
        .unwrap();
    assert_eq!(
        (sent.disposition, sent.finished.unwrap().summary.as_str()),
        ("started", "two")
    );
    let asked = setup.host.asked.lock().unwrap()[1].clone();
    assert_eq!(asked["sessionId"], first.session.id);
    assert_eq!(
        asked["history"],
        serde_json::json!([{ "role": "user", "text": "say one" }, { "role": "assistant", "text": "one" }])
    );
    let taken = member
        .spawn(Spawn {
            name: Some("worker".to_owned()),
            ..spawn("say x")
        })
        .await
        .unwrap_err();
    assert!(
        taken.message.contains("is the name of another session"),
        "{}",
        taken.message
    );
}
