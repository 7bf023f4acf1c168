//! Commands that run on in the background, by name.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regex::Regex;
use tenon_contract::{CommandClaim, PathClaim};
use tenon_process::{
    CommandInput, CommandSession, CommandSessions, CommandSpec, EndedBy, Keep, Leftovers,
    LogRequest, Readiness, SessionStatus, TerminalSize, Waited,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON};

fn claim(text: &str) -> CommandClaim {
    CommandClaim {
        text: text.into(),
        directory: PathClaim {
            name: ".".into(),
            target: "/".into(),
        },
        environment: Vec::new(),
    }
}

fn keep(place: &Place, sessions: &CommandSessions, spec: CommandSpec) -> Arc<CommandSession> {
    let text = spec.script.clone();
    let command = place
        .processes
        .start(spec, &CancellationToken::new())
        .unwrap();
    sessions.keep(command, claim(&text), None)
}

fn bash(place: &Place, sessions: &CommandSessions, script: &str) -> Arc<CommandSession> {
    keep(place, sessions, place.spec(script))
}

fn read(session: &CommandSession) -> String {
    let unread = session.read();
    unread.merged.unwrap().text("[…]").into_owned()
}

async fn over(session: &CommandSession) {
    tokio::time::timeout(SOON, session.over()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_look_shows_only_what_is_new() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let mut spec = place.spec("echo one; read x; echo two; read x; echo drei é");
    spec.input = CommandInput::Pipe;
    let session = keep(&place, &sessions, spec);
    let writer = session.writer().unwrap();
    session.news_or_end(SOON).await;
    assert_eq!(
        (read(&session), read(&session)),
        ("one\n".into(), String::new())
    );
    writer.write(b"\n", SOON).await.unwrap();
    session.news_or_end(SOON).await;
    assert_eq!(session.unread().merged.unwrap().head, "two\n");
    assert_eq!(read(&session), "two\n");
    assert_eq!(session.state().status, SessionStatus::Running);
    writer.write(b"\n", SOON).await.unwrap();
    over(&session).await;
    assert_eq!(
        (read(&session), read(&session)),
        ("drei é\n".into(), String::new())
    );
    let state = session.state();
    assert_eq!(
        (state.status, state.exit_code, state.ended_by),
        (SessionStatus::Completed, Some(0), Some(EndedBy::Exit))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_is_reported_truthfully() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let reported = |session: &CommandSession| {
        let state = session.state();
        (state.status, state.exit_code, state.signal, state.ended_by)
    };
    let failed = bash(&place, &sessions, "exit 3");
    let signalled = bash(&place, &sessions, "kill -SEGV $$; sleep 5");
    let killed = bash(&place, &sessions, "SLEEPER 60; :");
    let polite = bash(
        &place,
        &sessions,
        "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done",
    );
    let mut spec = place.spec("SLEEPER 60; :");
    spec.timeout = Some(Duration::from_millis(100));
    let late = keep(&place, &sessions, spec);
    polite.news_or_end(SOON).await;
    killed.end();
    polite.end();
    for session in sessions.list() {
        over(&session).await;
    }
    assert_eq!(
        reported(&failed),
        (SessionStatus::Failed, Some(3), None, Some(EndedBy::Exit))
    );
    assert_eq!(
        reported(&signalled),
        (
            SessionStatus::Killed,
            None,
            Some("SIGSEGV".into()),
            Some(EndedBy::Signal)
        )
    );
    assert_eq!(
        reported(&killed),
        (
            SessionStatus::Killed,
            None,
            Some("SIGTERM".into()),
            Some(EndedBy::Kill)
        )
    );
    assert_eq!(
        reported(&polite),
        (SessionStatus::Killed, Some(0), None, Some(EndedBy::Kill))
    );
    assert_eq!(
        reported(&late),
        (
            SessionStatus::TimedOut,
            None,
            Some("SIGTERM".into()),
            Some(EndedBy::TimeLimit)
        )
    );
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_table_ends_every_session_and_says_so() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let running = bash(
        &place,
        &sessions,
        "SLEEPER 60 & setsid SLEEPER 61 & SLEEPER 62",
    );
    place.until_alive(4).await;
    place.processes.close().await.unwrap();
    over(&running).await;
    assert_eq!(running.state().ended_by, Some(EndedBy::Close));
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_table_of_processes_leaves_nothing_behind() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    bash(
        &place,
        &sessions,
        "trap '' TERM; SLEEPER 60 & SLEEPER 61; :",
    );
    place.until_alive(3).await;
    let directory = place.without_processes();
    let start = Instant::now();
    let mark = directory.path().display().to_string();
    loop {
        let alive = std::fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .filter(|entry| {
                let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&line).contains(&mark)
            });
        if alive.count() == 0 {
            break;
        }
        assert!(start.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_left_running_becomes_a_session_that_can_be_read_and_ended() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let mut spec =
        place.spec("(for i in 1 2 3; do sleep 0.3; echo late $i; done; SLEEPER 60) & echo early");
    spec.leftovers = Leftovers::Adopt;
    let mut command = place
        .processes
        .start(spec, &CancellationToken::new())
        .unwrap();
    let result = command.finished().await.unwrap();
    assert_eq!(result.output.merged.as_ref().unwrap().head, "early\n");
    assert!(result.adopted > 0);
    let session = sessions.keep(command, claim("x"), Some(result));
    let readiness = Readiness {
        output: Some(Regex::new("late 3").unwrap()),
        ..Readiness::default()
    };
    assert_eq!(
        session.ready(&readiness, SOON).await,
        Waited::Output("late 3".into())
    );
    assert_eq!(read(&session), "late 1\nlate 2\nlate 3\n");
    let state = session.state();
    assert_eq!(
        (state.status, state.exit_code),
        (SessionStatus::Running, Some(0))
    );
    assert!(state.left_running > 0);
    session.end();
    over(&session).await;
    assert_eq!(session.state().status, SessionStatus::Killed);
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_that_end_by_themselves_end_the_session_with_the_code_of_the_shell() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let mut spec = place.spec("(sleep 0.4; echo last) & exit 4");
    spec.leftovers = Leftovers::Adopt;
    let session = keep(&place, &sessions, spec);
    over(&session).await;
    let state = session.state();
    assert_eq!(
        (state.status, state.exit_code, state.left_running),
        (SessionStatus::Failed, Some(4), 0)
    );
    assert_eq!(read(&session), "last\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_memory_keeps_is_skipped_in_the_news_and_whole_in_the_log() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let mut spec = place.spec("seq 1 100000");
    spec.keep = Keep::ends(2000);
    let session = keep(&place, &sessions, spec);
    over(&session).await;
    let unread = session.read().merged.unwrap();
    assert_eq!((unread.head.len(), unread.tail.len()), (1000, 1000));
    assert!(unread.tail.ends_with("\n100000\n"));
    assert_eq!(unread.omitted, Some(1000..587_895));
    let page = |offset, limit| {
        let session = Arc::clone(&session);
        async move { session.log(LogRequest { offset, limit }).await.unwrap() }
    };
    let middle = page(Some(50_000), Some(3)).await;
    assert_eq!(middle.text, "50001\n50002\n50003");
    assert_eq!(
        (
            middle.first,
            middle.lines,
            middle.total_lines,
            middle.total_bytes
        ),
        (50_000, 3, 100_000, 588_895)
    );
    let last = page(None, Some(2)).await;
    assert_eq!((last.text.as_str(), last.first), ("99999\n100000", 99_998));
    assert_eq!(page(Some(0), Some(1)).await.text, "1");
    assert_eq!(page(Some(99_999), None).await.text, "100000");
    assert_eq!(page(Some(100_000), None).await.text, "");
    let much = page(Some(10), None).await;
    assert!(much.cut && much.lines == 2000 && much.text.starts_with("11\n12\n"));
    assert!(much.file.is_some_and(|file| file.exists()));
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_is_a_line_a_port_a_condition_or_silence() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let session = bash(
        &place,
        &sessions,
        "echo starting; sleep 0.2; printf '\\033[32mlistening\\033[0m on http://localhost:80/\\r\\n'; touch ready; SLEEPER 60",
    );
    let output = Readiness {
        output: Some(Regex::new(r"listening on \S+").unwrap()),
        ..Readiness::default()
    };
    assert_eq!(
        session.ready(&output, SOON).await,
        Waited::Output("listening on http://localhost:80/".into())
    );
    let file = place.path().join("ready");
    let condition = Readiness {
        condition: Some(Box::new(move || file.exists())),
        ..Readiness::default()
    };
    assert_eq!(session.ready(&condition, SOON).await, Waited::Condition);
    let idle = Readiness {
        idle: Some(Duration::from_millis(200)),
        ..Readiness::default()
    };
    assert_eq!(session.ready(&idle, SOON).await, Waited::Idle);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let at_port = Readiness {
        port: Some(port),
        ..Readiness::default()
    };
    assert_eq!(session.ready(&at_port, SOON).await, Waited::Port(port));
    drop(listener);
    let begun = Instant::now();
    assert_eq!(
        session.ready(&at_port, Duration::from_millis(200)).await,
        Waited::TimeUp
    );
    assert!(begun.elapsed() >= Duration::from_millis(200));
    session.end();
    over(&session).await;
    assert_eq!(session.ready(&at_port, SOON).await, Waited::Over);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_for_output_ends_with_the_session() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let session = bash(&place, &sessions, "echo failed to bind; exit 1");
    let output = Readiness {
        output: Some(Regex::new("listening").unwrap()),
        ..Readiness::default()
    };
    assert_eq!(session.ready(&output, SOON).await, Waited::Over);
    assert_eq!(session.state().exit_code, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_taken_for_a_wish_for_input() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    let mut spec = place.spec("read -p 'Continue? ' x; echo got $x");
    spec.input = CommandInput::Terminal(TerminalSize::default());
    let session = keep(&place, &sessions, spec);
    let silent = bash(&place, &sessions, "printf 'Continue? '; SLEEPER 60");
    let start = Instant::now();
    while !session.seems_to_wait_for_input() {
        assert!(start.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // This one could not read anything.
    assert!(!silent.seems_to_wait_for_input());
    session
        .writer()
        .unwrap()
        .write(b"yes\r", SOON)
        .await
        .unwrap();
    over(&session).await;
    assert!(read(&session).ends_with("got yes\r\n"));
    assert!(!session.seems_to_wait_for_input());
}

#[tokio::test(flavor = "multi_thread")]
async fn finished_sessions_are_remembered_in_bounded_number() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    for _ in 0..60 {
        let session = bash(&place, &sessions, "true");
        over(&session).await;
    }
    let still = bash(&place, &sessions, "SLEEPER 60");
    assert_eq!(sessions.list().len(), 51);
    assert!(sessions.find(still.id()).is_some());
    let first = sessions.list().first().unwrap().id().to_owned();
    sessions.forget(&first);
    assert!(sessions.find(&first).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_than_a_bounded_number_runs() {
    let place = Place::new();
    let sessions = CommandSessions::default();
    for _ in 0..63 {
        drop(sessions.room().unwrap());
        bash(&place, &sessions, "SLEEPER 60");
    }
    let last = sessions.room().unwrap();
    assert!(
        sessions.room().is_err(),
        "two that are started at once are given one room"
    );
    bash(&place, &sessions, "SLEEPER 60");
    drop(last);
    assert_eq!(
        sessions.room().unwrap_err().to_string(),
        "The command was not started: 64 commands are already running in the background. Kill one first, or run it in the foreground."
    );
    place.processes.close().await.unwrap();
    for session in sessions.list() {
        over(&session).await;
    }
    drop(sessions.room().unwrap());
    assert_eq!(place.survivors(), Vec::<String>::new());
}
