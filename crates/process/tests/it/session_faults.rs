//! What goes wrong with commands in the background: floods, garbage, storms of calls, refusals to
//! die. Each scenario ends with nobody left.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regex::Regex;
use tenon_contract::{CommandClaim, PathClaim};
use tenon_process::{
    CommandInput, CommandSession, CommandSessions, CommandSpec, EndedBy, Keep, Leftovers,
    LogRequest, Readiness, SessionStatus, TerminalSize, Waited, WriteOutcome,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON};

struct Bench {
    place: Place,
    sessions: CommandSessions,
}

impl Bench {
    fn new() -> Self {
        Self::over(Place::new())
    }

    fn over(place: Place) -> Self {
        Self {
            place,
            sessions: CommandSessions::default(),
        }
    }

    fn keep(&self, spec: CommandSpec) -> Arc<CommandSession> {
        let claim = CommandClaim {
            text: spec.script.clone(),
            directory: PathClaim {
                name: ".".into(),
                target: "/".into(),
            },
            environment: Vec::new(),
        };
        let command = self
            .place
            .processes
            .start(spec, &CancellationToken::new())
            .unwrap();
        self.sessions.keep(command, claim, None)
    }

    fn bash(&self, script: &str) -> Arc<CommandSession> {
        self.keep(self.place.spec(script))
    }

    fn terminal(&self, script: &str) -> Arc<CommandSession> {
        let mut spec = self.place.spec(script);
        spec.input = CommandInput::Terminal(TerminalSize::default());
        self.keep(spec)
    }

    fn with_input(&self, script: &str) -> Arc<CommandSession> {
        let mut spec = self.place.spec(script);
        spec.input = CommandInput::Pipe;
        self.keep(spec)
    }

    /// Ends it and checks that its end is reported and that nobody is left.
    async fn ends(&self, session: &CommandSession) {
        session.end();
        over(session).await;
        let state = session.state();
        assert_eq!(
            (state.status, state.ended_by, state.survivors.len()),
            (SessionStatus::Killed, Some(EndedBy::Kill), 0)
        );
        assert_eq!(self.place.survivors(), Vec::<String>::new());
    }
}

async fn over(session: &CommandSession) {
    tokio::time::timeout(2 * SOON, session.over())
        .await
        .unwrap();
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < SOON, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn resident_kilobytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_read_in_bounded_memory_and_ended() {
    let bench = Bench::new();
    let mut spec = bench.place.spec("yes; :");
    spec.spill = false;
    let session = bench.keep(spec);
    until("some megabytes", || {
        session.read().merged.unwrap().total_bytes > 50_000_000
    })
    .await;
    let before = resident_kilobytes();
    let start = session.read().merged.unwrap().total_bytes;
    until("more of them", || {
        session.read().merged.unwrap().total_bytes > start + 100_000_000
    })
    .await;
    // Other tests run in this process; a hundred megabytes would show all the same.
    assert!(resident_kilobytes() < before + 60_000);
    bench.ends(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_into_a_terminal_is_read_and_ended() {
    let bench = Bench::new();
    let session = bench.terminal("yes");
    until("a full screen", || {
        session
            .screen()
            .is_some_and(|screen| screen.text.lines().count() == 30)
    })
    .await;
    bench.ends(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drawing_that_is_asked_for_without_measure_does_not_stop_the_ending() {
    let bench = Bench::new();
    // Each of these repeats a character 65535 times.
    let session =
        bench.terminal("for i in $(seq 1 20000); do printf 'x\\033[65535b'; done; SLEEPER 60");
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    bench.ends(&session).await;
    assert!(begun.elapsed() < 2 * SOON);
}

#[tokio::test(flavor = "multi_thread")]
async fn sequences_without_end_and_titles_without_measure_are_borne() {
    let bench = Bench::new();
    let session = bench.terminal(
        "printf '\\033]2;'; head -c 300000 /dev/zero | tr '\\0' t; printf '\\007'; printf '\\033P'; head -c 100000 /dev/urandom; printf '\\033\\\\\\033c'; echo fin",
    );
    over(&session).await;
    let screen = session.screen().unwrap();
    assert!(screen.text.contains("fin"), "{}", screen.text);
    assert!(
        screen
            .title
            .is_none_or(|title| title.chars().count() <= 200)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_text_with_marks_and_every_byte_is_counted() {
    let bench = Bench::new();
    let session = bench.bash("head -c 500000 /dev/urandom");
    let mut total = 0;
    let begun = Instant::now();
    while !session.state().is_over() {
        total = session.read().merged.unwrap().total_bytes;
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    total = total.max(session.read().merged.unwrap().total_bytes);
    assert_eq!(total, 500_000);
    assert!(session.last(2000).len() <= 3 * 2000);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_readers_of_one_session_get_each_line_once() {
    let bench = Bench::new();
    let session = bench.bash("for i in $(seq 1 2000); do echo line $i; done");
    let readers: Vec<_> = (0..20)
        .map(|_| {
            let session = Arc::clone(&session);
            tokio::spawn(async move {
                let mut read = String::new();
                loop {
                    let is_over = session.state().is_over();
                    let capture = session.read().merged.unwrap();
                    assert_eq!(capture.omitted, None);
                    read.push_str(&capture.head);
                    if is_over {
                        return read.len();
                    }
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    let mut bytes = 0;
    for reader in readers {
        bytes += reader.await.unwrap();
    }
    let whole: usize = (1..=2000).map(|line| format!("line {line}\n").len()).sum();
    assert_eq!(bytes, whole);
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_at_the_same_time_do_not_mix_their_lines() {
    let bench = Bench::new();
    let session = bench.with_input("cat");
    let line = |writer: usize| {
        format!(
            "{}\n",
            char::from(b'a' + writer as u8).to_string().repeat(9_999)
        )
    };
    let writers: Vec<_> = (0..20)
        .map(|number| {
            let writer = session.writer().unwrap().clone();
            let line = line(number);
            tokio::spawn(async move { writer.write(line.as_bytes(), SOON).await.unwrap() })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.await.unwrap(), WriteOutcome::All);
    }
    session.writer().unwrap().close(SOON).await.unwrap();
    over(&session).await;
    let page = session
        .log(LogRequest {
            offset: Some(0),
            limit: Some(2),
        })
        .await
        .unwrap();
    assert_eq!(page.total_lines, 20);
    for line in page.text.lines() {
        let letters: BTreeSet<char> = line.chars().collect();
        assert_eq!((letters.len(), line.len()), (1, 9_999));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ending_reaches_those_who_wait_and_those_who_write() {
    let bench = Bench::new();
    let session = bench.with_input("SLEEPER 60; :");
    let waiting = {
        let session = Arc::clone(&session);
        tokio::spawn(async move {
            let readiness = Readiness {
                output: Some(Regex::new("never").unwrap()),
                ..Readiness::default()
            };
            session.ready(&readiness, 2 * SOON).await
        })
    };
    let polling = {
        let session = Arc::clone(&session);
        tokio::spawn(async move { session.news_or_end(2 * SOON).await })
    };
    let writing = {
        let writer = session.writer().unwrap().clone();
        tokio::spawn(async move { writer.write(&vec![b'x'; 1 << 20], 2 * SOON).await })
    };
    tokio::time::sleep(Duration::from_millis(200)).await;
    let begun = Instant::now();
    bench.ends(&session).await;
    assert_eq!(waiting.await.unwrap(), Waited::Over);
    polling.await.unwrap();
    assert!(writing.await.unwrap().is_err());
    assert!(begun.elapsed() < SOON);
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_ignores_every_polite_signal_is_ended() {
    let bench = Bench::new();
    let script = "trap '' TERM INT HUP QUIT; SLEEPER 60 & SLEEPER 61; :";
    for start in [Bench::bash, Bench::terminal] {
        let session = start(&bench, script);
        bench.place.until_alive(3).await;
        bench.ends(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_left_the_session_or_the_terminal_is_ended() {
    let bench = Bench::new();
    let script = "setsid SLEEPER 60 & nohup SLEEPER 61 >/dev/null & sleep 0.3; SLEEPER 62; :";
    for start in [Bench::bash, Bench::terminal] {
        let session = start(&bench, script);
        bench.place.until_alive(4).await;
        bench.ends(&session).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_session_is_ended() {
    let bench = Bench::new();
    let session = bench.bash("SLEEPER 60 & kill -STOP $! $$; SLEEPER 61");
    bench.place.until_alive(2).await;
    bench.ends(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ending_twice_and_by_many_at_once_is_one_ending() {
    let bench = Bench::new();
    let session = bench.bash("SLEEPER 60; :");
    let enders: Vec<_> = (0..50)
        .map(|_| {
            let session = Arc::clone(&session);
            tokio::spawn(async move {
                session.end();
                session.over().await;
            })
        })
        .collect();
    for ender in enders {
        ender.await.unwrap();
    }
    bench.ends(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_by_itself_is_not_taken_for_a_kill_that_came_too_late() {
    let bench = Bench::new();
    let session = bench.bash("exit 5");
    over(&session).await;
    session.end();
    let state = session.state();
    assert_eq!(
        (state.status, state.exit_code, state.ended_by),
        (SessionStatus::Failed, Some(5), Some(EndedBy::Exit))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_every_program_has_closed_is_no_failure() {
    let bench = Bench::new();
    let session =
        bench.terminal("echo last words; exec </dev/null >/dev/null 2>&1; sleep 0.5; exit 6");
    over(&session).await;
    let state = session.state();
    assert_eq!((state.exit_code, state.failure), (Some(6), None));
    assert!(session.last(100).contains("last words"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_of_the_disk_is_reported_in_the_log() {
    let bench = Bench::over(Place::with(|options| options.spill.file_bytes = 10_000));
    let mut spec = bench.place.spec("seq 1 100000");
    spec.keep = Keep::ends(1000);
    let session = bench.keep(spec);
    over(&session).await;
    let page = |offset| {
        let request = LogRequest {
            offset: Some(offset),
            limit: Some(1),
        };
        let session = Arc::clone(&session);
        async move { session.log(request).await.unwrap() }
    };
    assert_eq!(page(100).await.text, "101");
    let gone = page(50_000).await;
    assert_eq!(
        (gone.text.as_str(), gone.missing.as_deref()),
        ("", Some("The quota for output on disk is used up."))
    );
    // The end is in memory.
    assert_eq!(page(99_999).await.text, "100000");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expression_that_would_stop_others_for_ever_is_linear() {
    let bench = Bench::new();
    let session = bench.bash("head -c 20000 /dev/zero | tr '\\0' a; echo '!'; SLEEPER 60");
    session.news_or_end(SOON).await;
    let readiness = Readiness {
        output: Some(Regex::new("^(a+)+$").unwrap()),
        ..Readiness::default()
    };
    let begun = Instant::now();
    assert_eq!(
        session.ready(&readiness, Duration::from_millis(300)).await,
        Waited::TimeUp
    );
    assert!(begun.elapsed() < SOON);
    bench.ends(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_sessions_is_started_and_ended_without_a_trace() {
    let bench = Bench::new();
    let sessions: Vec<_> = (0..60)
        .map(|_| bench.bash("SLEEPER 60 & SLEEPER 61; :"))
        .collect();
    for session in &sessions {
        session.end();
    }
    for session in &sessions {
        over(session).await;
        assert_eq!(session.state().status, SessionStatus::Killed);
    }
    assert_eq!(bench.place.survivors(), Vec::<String>::new());
    assert_eq!(bench.place.processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_in_the_middle_of_everything_leaves_nobody_and_wakes_everybody() {
    let bench = Bench::new();
    let mut spec = bench.place.spec("SLEEPER 60 & exit 0");
    spec.leftovers = Leftovers::Adopt;
    let sessions = [
        bench.bash("yes"),
        bench.terminal("SLEEPER 60; :"),
        bench.with_input("cat"),
        bench.keep(spec),
    ];
    let waiting: Vec<_> = sessions
        .iter()
        .map(|session| {
            let session = Arc::clone(session);
            tokio::spawn(async move { session.over().await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    bench.place.processes.close().await.unwrap();
    for waiting in waiting {
        tokio::time::timeout(SOON, waiting).await.unwrap().unwrap();
    }
    assert_eq!(bench.place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_session_gets_holds_no_secret_of_the_host() {
    let bench = Bench::over(Place::with(|options| {
        options
            .environment
            .add
            .insert("ALLOWED".into(), "yes".into());
    }));
    let session = bench.terminal("env | sort");
    over(&session).await;
    let page = session.log(LogRequest::default()).await.unwrap();
    let names: BTreeSet<&str> = page
        .text
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .collect();
    assert!(names.contains("ALLOWED") && names.contains("TERM"));
    for name in &names {
        let upper = name.to_uppercase();
        assert!(
            !["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"]
                .iter()
                .any(|word| upper.contains(word)),
            "{name}"
        );
    }
    let mut spec = bench.place.spec("true");
    spec.input = CommandInput::Terminal(TerminalSize::default());
    spec.environment = [("LD_PRELOAD".to_owned(), "/tmp/x.so".to_owned())].into();
    assert!(
        bench
            .place
            .processes
            .start(spec, &CancellationToken::new())
            .is_err()
    );
}
