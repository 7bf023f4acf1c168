//! Commands with a terminal, and commands with an input, driven as a user would.

use std::time::{Duration, Instant};

use tenon_process::{
    CommandInput, CommandResult, CommandSpec, RunningCommand, TerminalSize, WriteOutcome,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON};

fn with_terminal(place: &Place, script: &str) -> CommandSpec {
    let mut spec = place.spec(script);
    spec.input = CommandInput::Terminal(TerminalSize::default());
    spec
}

async fn terminal(place: &Place, script: &str) -> CommandResult {
    place.run(with_terminal(place, script)).await
}

fn start(place: &Place, spec: CommandSpec) -> RunningCommand {
    place
        .processes
        .start(spec, &CancellationToken::new())
        .unwrap()
}

fn merged(result: &CommandResult) -> &str {
    &result.output.merged.as_ref().unwrap().head
}

async fn write(command: &RunningCommand, text: &str) {
    let writer = command.writer().unwrap();
    assert_eq!(
        writer.write(text.as_bytes(), SOON).await.unwrap(),
        WriteOutcome::All
    );
}

/// Waits until the screen is as it should be, and answers its text.
async fn until(command: &RunningCommand, fits: impl Fn(&str) -> bool) -> String {
    let start = Instant::now();
    let mut changes = command.changes();
    loop {
        let text = command.output().screen().unwrap().text;
        if fits(&text) {
            return text;
        }
        assert!(start.elapsed() < SOON, "the screen stays:\n{text}");
        let _ = tokio::time::timeout(Duration::from_millis(100), changes.next()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_is_the_controlling_one_of_a_session_of_its_own() {
    let place = Place::new();
    let result = terminal(
        &place,
        "set -- $(cat /proc/$$/stat); echo $(($5 - $1)) $(($6 - $1)); [ $7 != 0 ] && echo controlled; : < /dev/tty && echo opened; tty | grep -c /dev/pts/; stty size; echo $TERM",
    )
    .await;
    assert_eq!(result.exit_code, Some(0));
    assert_eq!(
        merged(&result).replace('\r', ""),
        "0 0\ncontrolled\nopened\n1\n30 120\nxterm-256color\n"
    );
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn all_three_descriptors_are_the_terminal_and_nothing_else_reaches_the_command() {
    let place = Place::new();
    let result = terminal(
        &place,
        "test -t 0 && test -t 1 && test -t 2 && echo all; ls /proc/self/fd | tr '\\n' ' '",
    )
    .await;
    // 3 is the directory that `ls` reads.
    assert_eq!(merged(&result), "all\r\n0 1 2 3 ");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_size_asked_for_is_the_size_of_the_screen() {
    let place = Place::new();
    let mut spec = place.spec("stty size; tput cols");
    spec.input = CommandInput::Terminal(TerminalSize::clamped(11, 33));
    let result = place.run(spec).await;
    assert_eq!(merged(&result), "11 33\r\n33\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes_signals_and_time_outs_are_reported_as_without_a_terminal() {
    let place = Place::new();
    assert_eq!(terminal(&place, "exit 7").await.exit_code, Some(7));
    let killed = terminal(&place, "kill -9 $$; sleep 5").await;
    assert_eq!(
        (killed.exit_code, killed.signal.as_deref()),
        (None, Some("SIGKILL"))
    );
    let mut spec = with_terminal(&place, "trap '' TERM HUP; SLEEPER 60 & SLEEPER 61; :");
    spec.timeout = Some(Duration::from_millis(300));
    spec.grace = Duration::from_millis(100);
    let late = place.run(spec).await;
    assert!(late.timed_out);
    assert_eq!(late.ended.survivors, Vec::<u32>::new());
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_process_that_keeps_the_terminal_does_not_delay_the_end() {
    let place = Place::new();
    let start = Instant::now();
    let result = terminal(&place, "trap '' HUP; SLEEPER 60 & echo started").await;
    assert!(start.elapsed() < SOON);
    assert_eq!(merged(&result), "started\r\n");
    assert!(result.ended.found >= 1);
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_python_prompt_is_answered_line_by_line() {
    let place = Place::new();
    // The plain prompt, as every version has it.
    let script = "PYTHON_BASIC_REPL=1 exec python3 -q";
    let mut command = start(&place, with_terminal(&place, script));
    until(&command, |text| text.ends_with(">>>")).await;
    write(&command, "6 * 7\r").await;
    until(&command, |text| {
        text.contains("\n42\n") && text.ends_with(">>>")
    })
    .await;
    write(&command, "print('é' * 3)\r").await;
    until(&command, |text| text.contains("\nééé\n")).await;
    write(&command, "exit(5)\r").await;
    assert_eq!(command.finished().await.unwrap().exit_code, Some(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pager_shows_a_page_and_takes_keys() {
    let place = Place::new();
    std::fs::write(
        place.path().join("long"),
        (1..=500)
            .map(|line| format!("line {line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let mut command = start(&place, with_terminal(&place, "less long"));
    let first = until(&command, |text| text.contains("line 29")).await;
    assert!(first.starts_with("line 1\n"), "{first}");
    assert!(command.output().screen().unwrap().full_screen);
    write(&command, "G").await;
    until(&command, |text| text.contains("line 500")).await;
    write(&command, "g/line 77\r").await;
    until(&command, |text| text.starts_with("line 77\n")).await;
    write(&command, "q").await;
    let result = command.finished().await.unwrap();
    assert_eq!(result.exit_code, Some(0));
    assert!(!command.output().screen().unwrap().full_screen);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_edits() {
    if !std::path::Path::new("/usr/bin/vim").exists() {
        return;
    }
    let place = Place::new();
    let file = place.path().join("note");
    std::fs::write(&file, "old\n").unwrap();
    let mut command = start(
        &place,
        with_terminal(&place, "vim -u NONE -i NONE -n -N note"),
    );
    until(&command, |text| {
        text.starts_with("old\n~") && text.contains("\"note\"")
    })
    .await;
    write(&command, "cwnew\u{1B}").await;
    until(&command, |text| text.starts_with("new\n~")).await;
    write(&command, ":wq\r").await;
    assert_eq!(command.finished().await.unwrap().exit_code, Some(0));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_prompt_is_answered_and_shows_nothing() {
    let place = Place::new();
    let mut command = start(
        &place,
        with_terminal(
            &place,
            "read -s -p 'Password: ' word; echo; echo ${#word} letters",
        ),
    );
    until(&command, |text| text == "Password:").await;
    write(&command, "geheim\r").await;
    let result = command.finished().await.unwrap();
    assert_eq!(merged(&result), "Password: \r\n6 letters\r\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_that_wants_an_editor_fails_at_once_and_changes_nothing() {
    let place = Place::new();
    let prepare = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two && git rev-parse HEAD";
    let before = place.bash(prepare).await;
    assert_eq!(before.exit_code, Some(0), "{}", merged(&before));
    let begun = Instant::now();
    let rebase = "git -c user.name=a -c user.email=a@b rebase -i --root; code=$?; git rev-parse HEAD; exit $code";
    for spec in [place.spec(rebase), with_terminal(&place, rebase)] {
        let result = place.run(spec).await;
        assert_ne!(result.exit_code, Some(0));
        assert!(
            merged(&result).trim_end().ends_with(merged(&before).trim()),
            "{}",
            merged(&result)
        );
    }
    assert!(begun.elapsed() < SOON);
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupts_typed_into_the_terminal_reach_the_foreground_program() {
    let place = Place::new();
    let mut command = start(
        &place,
        with_terminal(
            &place,
            "trap 'echo interrupted; exit 3' INT; echo ready; SLEEPER 60",
        ),
    );
    until(&command, |text| text == "ready").await;
    write(&command, "\u{3}").await;
    let result = command.finished().await.unwrap();
    assert_eq!(result.exit_code, Some(3));
    assert!(merged(&result).contains("interrupted"));
    assert_eq!(place.survivors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_asks_its_terminal_is_answered() {
    let place = Place::new();
    let script = "stty -echo -icanon; printf 'ab\\033[6n'; IFS= read -r -d R -t 10 answer; printf '%q' \"$answer\"";
    let result = terminal(&place, script).await;
    assert!(
        merged(&result).ends_with("$'\\E[1;3'"),
        "{:?}",
        merged(&result)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_asks_without_end_and_never_reads_is_read_all_the_same() {
    let place = Place::new();
    let script = "stty -echo raw; for i in $(seq 1 20000); do printf '\\033[6n'; done; echo done";
    let result = terminal(&place, script).await;
    assert_eq!(result.exit_code, Some(0));
    assert!(result.output.merged.unwrap().total_bytes > 80_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_carries_what_is_written_until_it_is_closed() {
    let place = Place::new();
    let mut spec = place.spec("cat; echo end");
    spec.input = CommandInput::Pipe;
    let mut command = start(&place, spec);
    write(&command, "one\n").await;
    write(&command, "zwei é\n").await;
    let writer = command.writer().unwrap().clone();
    assert_eq!(writer.close(SOON).await.unwrap(), WriteOutcome::All);
    assert!(writer.write(b"late", SOON).await.is_err());
    let result = command.finished().await.unwrap();
    assert_eq!(merged(&result), "one\nzwei é\nend\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_input_that_nobody_reads_is_filled_and_no_further() {
    let place = Place::new();
    let mut spec = place.spec("SLEEPER 60; :");
    spec.input = CommandInput::Pipe;
    let command = start(&place, spec);
    let much = vec![b'x'; 1024 * 1024];
    let written = command
        .writer()
        .unwrap()
        .write(&much, Duration::from_millis(300))
        .await
        .unwrap();
    assert!(
        matches!(written, WriteOutcome::Part { bytes } if bytes > 0 && bytes < much.len()),
        "{written:?}"
    );
    drop(command);
    place.until_alive(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_to_a_command_that_has_ended_fails_and_harms_nobody() {
    let place = Place::new();
    let mut spec = place.spec("true");
    spec.input = CommandInput::Pipe;
    let mut command = start(&place, spec);
    let writer = command.writer().unwrap().clone();
    command.finished().await.unwrap();
    let error = writer
        .write(&vec![b'x'; 1024 * 1024], SOON)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_input_ends_it_behind_a_line_without_its_end() {
    let place = Place::new();
    let mut command = start(
        &place,
        with_terminal(&place, "stty -echo; echo ready; wc -c"),
    );
    until(&command, |screen| screen.contains("ready")).await;
    write(&command, "abc").await;
    let writer = command.writer().unwrap().clone();
    assert_eq!(writer.close(SOON).await.unwrap(), WriteOutcome::All);
    let result = command.finished().await.unwrap();
    assert!(merged(&result).contains("\n3"), "{}", merged(&result));
}
