//! What is kept of a session, in which order, and what its next run is given.

use std::collections::HashMap;
use std::time::Duration;

use tenon_contract::limits;
use tenon_sessions::{Member, SendMode, SessionRow};

use crate::support::{PATIENCE, Setup, eventually, labelled, spawn};

/// A session that has done this, and then a further thing.
async fn done(member: &Member, objective: &str) -> SessionRow {
    let started = member.spawn(labelled("w", objective)).await.unwrap();
    let ended = member.wait_for(&started.run, Some(PATIENCE)).await;
    ended.unwrap().unwrap();
    started.session
}

async fn further(member: &Member, to: SessionRow, objective: &str) {
    let mode = SendMode::FollowUp;
    let sent = member.send(to, objective, mode, PATIENCE, (None, 0)).await;
    assert!(sent.unwrap().finished.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_an_agent_says_is_kept_in_its_order_and_before_its_result() {
    let member = Setup::new().member();
    let session = done(&member, "talk 500").await;
    let said = member.history(&session.id, 1000, None, None).await.unwrap();
    let texts: Vec<String> = { said.messages.into_iter() }
        .map(|(_, message)| message.text)
        .collect();
    let mut expected = vec!["talk 500".to_owned()];
    expected.extend((0..500).map(|number| format!("m{number}")));
    expected.push("talked".to_owned());
    assert_eq!(texts, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_further_run_knows_all_rounds_however_much_was_said_between_them() {
    let setup = Setup::new();
    let member = setup.member();
    let session = done(&member, "talk 2500").await;
    further(&member, session, "say x").await;
    let asked = setup.host.asked.lock().unwrap();
    let history = asked[1]["history"].as_array().unwrap();
    let texts: Vec<&str> = { history.iter() }
        .map(|round| round["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["talk 2500", "talked"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_finds_what_was_said_long_ago() {
    let member = Setup::new().member();
    let session = done(&member, "talk 2500").await;
    let found = member.history(&session.id, 20, None, Some("2500")).await;
    let texts: Vec<String> = { found.unwrap().messages.into_iter() }
        .map(|(_, message)| message.text)
        .collect();
    assert_eq!(texts, ["talk 2500"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_that_is_too_large_takes_the_earlier_one_away() {
    let setup = Setup::new();
    let member = setup.member();
    let session = done(&member, "state 10").await;
    let too_large = format!("state {}", limits::AGENT_STATE_MAX_BYTES);
    further(&member, session.clone(), &too_large).await;
    further(&member, session, "say x").await;
    let asked = setup.host.asked.lock().unwrap();
    let states: Vec<Option<usize>> = { asked.iter() }
        .map(|request| Some(request.get("state")?.as_str()?.len()))
        .collect();
    assert_eq!(states, [None, Some(10), None]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_state_of_a_late_answer_does_not_replace_that_of_a_later_run() {
    let setup = Setup::new();
    let member = setup.member();
    let mut first = labelled("w", "late-state 10");
    first.timeout = Some(Duration::from_millis(20));
    let started = member.spawn(first).await.unwrap();
    let wait = async || member.wait_for(&started.run, Some(PATIENCE)).await;
    wait().await.unwrap().unwrap();
    let session = started.session.clone();
    further(&member, session.clone(), "state 20").await;
    setup.host.release(1);
    while !wait().await.unwrap().unwrap().run.late {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    further(&member, session, "say x").await;
    let asked = setup.host.asked.lock().unwrap();
    assert_eq!(asked[2]["state"].as_str().unwrap().len(), 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_of_a_run_come_in_the_order_in_which_they_happened() {
    let setup = Setup::new();
    let member = setup.member();
    let mut runs = Vec::new();
    for _ in 0..60 {
        runs.push(member.spawn(spawn("say x")).await.unwrap().run);
    }
    for run in &runs {
        member.wait_for(run, Some(PATIENCE)).await.unwrap().unwrap();
    }
    let ended = || {
        let events = setup.events.lock().unwrap();
        events.iter().filter(|event| event.kind == "ended").count()
    };
    eventually(|| ended() == runs.len()).await;
    let mut kinds: HashMap<String, Vec<&str>> = HashMap::new();
    for event in setup.events.lock().unwrap().iter() {
        let of_run = kinds.entry(event.run_id.clone()).or_default();
        of_run.push(event.kind);
    }
    for run in &runs {
        let of_run = kinds[run].as_slice();
        assert!(
            matches!(
                of_run,
                ["started", "ended"] | ["queued", "started", "ended"]
            ),
            "{of_run:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_that_never_comes_back_has_its_message_and_holds_nobody() {
    let setup = Setup::new();
    let member = setup.member();
    let started = member.spawn(labelled("w", "hold")).await.unwrap();
    let is_here = || {
        setup
            .host
            .controls
            .lock()
            .unwrap()
            .contains_key(&started.run)
    };
    eventually(is_here).await;
    let sent = member
        .send(started.session, "hang", SendMode::Auto, PATIENCE, (None, 0))
        .await
        .unwrap();
    assert_eq!(sent.disposition, "steered");
}
