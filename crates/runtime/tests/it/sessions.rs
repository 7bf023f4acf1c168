//! Commands in the background: exec, process, Bash, BashOutput, KillBash.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenon_contract::CancellationToken;
use tenon_runtime::CallRequest;

use crate::support::Bench;

/// Sooner than any sleeper wakes, and later than a busy machine takes.
const SOON: u64 = 20_000;

/// Processes with this text in their command line.
fn alive(mark: &str) -> usize {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy() != own)
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(mark)
        })
        .count()
}

async fn until_gone(mark: &str) {
    let begun = Instant::now();
    while alive(mark) > 0 {
        assert!(
            begun.elapsed() < Duration::from_millis(SOON),
            "{mark} lives"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A name for processes that nobody else has.
fn mark(bench: &Bench) -> String {
    let mark = bench.path("sleeper");
    std::fs::copy("/bin/sleep", &mark).unwrap();
    mark.display().to_string()
}

impl Bench {
    async fn started(&self, params: Value) -> String {
        let (_, details) = self.ok("exec", params).await;
        assert_eq!(details["status"], "running");
        details["sessionId"].as_str().unwrap().to_owned()
    }

    async fn process(&self, action: &str, id: &str) -> (String, Value) {
        self.ok("process", json!({ "action": action, "sessionId": id }))
            .await
    }

    /// Polls until the command is over, and answers all that was polled.
    async fn polled_to_the_end(&self, id: &str) -> (String, Value) {
        let begun = Instant::now();
        let mut output = String::new();
        loop {
            let params = json!({ "action": "poll", "sessionId": id, "timeout": 2000 });
            let (_, details) = self.ok("process", params).await;
            output.push_str(details["output"].as_str().unwrap());
            output.push('\n');
            if details["status"] != "running" {
                return (output, details);
            }
            assert!(begun.elapsed() < Duration::from_millis(SOON));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_in_the_background_answers_at_once_and_is_polled() {
    let bench = Bench::agent();
    let (text, details) = bench
        .ok(
            "exec",
            json!({ "command": "echo one; sleep 0.3; echo two", "background": true }),
        )
        .await;
    let id = details["sessionId"].as_str().unwrap();
    let pid = &details["pid"];
    assert_eq!(
        text,
        format!(
            "Command still running (session {id}, pid {pid}). Use process with action poll, log or kill."
        )
    );
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("running"), &json!(null))
    );
    let (output, details) = bench.polled_to_the_end(id).await;
    assert_eq!(
        output.split_whitespace().collect::<Vec<_>>(),
        ["one", "two"]
    );
    assert_eq!(
        (
            &details["status"],
            &details["exitCode"],
            &details["endedBy"]
        ),
        (&json!("completed"), &json!(0), &json!("exit"))
    );
    assert_eq!(details["aggregated"], "one\ntwo\n");
    let (text, details) = bench.process("poll", id).await;
    assert_eq!(text, "(no new output)\n\nProcess exited with code 0.");
    assert_eq!(details["output"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_takes_longer_than_it_is_waited_for_goes_on_in_the_background() {
    let bench = Bench::agent();
    let (text, details) = bench
        .ok(
            "exec",
            json!({ "command": "echo early; sleep 1.5; echo late; exit 4", "yieldMs": 700 }),
        )
        .await;
    assert!(
        text.starts_with("early\n\nCommand still running (session "),
        "{text}"
    );
    assert_eq!(
        (&details["status"], &details["output"]),
        (&json!("running"), &json!("early\n"))
    );
    let (output, details) = bench
        .polled_to_the_end(details["sessionId"].as_str().unwrap())
        .await;
    // What was answered before is not new.
    assert_eq!(output.trim(), "late");
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("failed"), &json!(4))
    );
    assert_eq!(details["aggregated"], "early\nlate\n");
    let (text, details) = bench
        .ok(
            "exec",
            json!({ "command": "echo quick", "yieldMs": 15_000 }),
        )
        .await;
    assert_eq!(
        (text.as_str(), &details["status"]),
        ("quick\n", &json!("completed"))
    );
    assert_eq!(details.get("sessionId"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_in_the_order_of_their_start() {
    let bench = Bench::agent();
    assert_eq!(
        bench.ok("process", json!({ "action": "list" })).await,
        (
            "No running or recent sessions.".to_owned(),
            json!({ "status": "completed", "sessions": [] })
        )
    );
    let first = bench
        .started(json!({ "command": "echo hello there", "background": true }))
        .await;
    bench.polled_to_the_end(&first).await;
    let second = bench
        .started(json!({ "command": "sleep 30", "background": true }))
        .await;
    let (text, details) = bench.ok("process", json!({ "action": "list" })).await;
    let sessions = details["sessions"].as_array().unwrap();
    let reported: Vec<_> = sessions
        .iter()
        .map(|session| {
            (
                &session["sessionId"],
                &session["status"],
                &session["name"],
                &session["cwd"],
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            (
                &json!(first),
                &json!("completed"),
                &json!("echo hello"),
                &json!(".")
            ),
            (
                &json!(second),
                &json!("running"),
                &json!("sleep 30"),
                &json!(".")
            )
        ]
    );
    assert_eq!(sessions[0]["tail"], "hello there\n");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with(&format!("{first} completed "))
            && lines[0].ends_with(" :: echo hello"),
        "{text}"
    );
    assert!(
        lines[1].starts_with(&format!("{second} running ")),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_is_paged_by_lines_from_zero_and_shows_the_last_by_default() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "command": "seq 1 300", "background": true }))
        .await;
    bench.polled_to_the_end(&id).await;
    let log = async |mut params: Value| {
        params["action"] = json!("log");
        params["sessionId"] = json!(id);
        bench.ok("process", params).await
    };
    let (text, details) = log(json!({ "limit": 2 })).await;
    assert_eq!(
        (text.as_str(), &details["totalLines"], &details["offset"]),
        ("299\n300", &json!(300), &json!(298))
    );
    assert_eq!(log(json!({ "offset": 1, "limit": 1 })).await.0, "2");
    let (text, details) = log(json!({})).await;
    assert!(text.starts_with("101\n102\n"), "{text}");
    assert!(
        text.ends_with("300\n\n[showing last 200 of 300 lines; pass offset/limit to page]"),
        "{text}"
    );
    assert_eq!(
        (&details["lines"], &details["status"]),
        (&json!(200), &json!("completed"))
    );
    assert_eq!(
        log(json!({ "offset": 300 })).await.0,
        "(no lines there: the output has 300 lines)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_says_why_the_only_word_of_an_output_is_not_shown() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "command": "printf half-a-word-of-many-letters; exec sleep 60", "waitFor": { "output": "letters" } }))
        .await;
    let log = async |offset: Option<u64>| {
        let params = json!({ "action": "log", "sessionId": id, "offset": offset });
        bench.ok("process", params).await.0
    };
    assert_eq!(
        (log(None).await, log(Some(1)).await),
        (
            "(the line that was begun is shown as soon as its last word is complete)".to_owned(),
            "(no lines there: the output has 1 line)".to_owned()
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_is_read_by_the_command() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "command": "while read line; do echo got: $line; done; echo end", "background": true }))
        .await;
    let send = async |mut params: Value| {
        params["sessionId"] = json!(id);
        bench.ok("process", params).await
    };
    let (text, details) =
        send(json!({ "action": "write", "data": "one\n", "timeout": 10_000 })).await;
    assert_eq!(
        text,
        format!("Wrote 4 bytes to session {id}.\n\ngot: one\n\nProcess still running.")
    );
    assert_eq!(
        (&details["output"], &details["bytes"]),
        (&json!("got: one\n"), &json!(4))
    );
    let (text, details) = send(json!({ "action": "submit", "data": "zwei é" })).await;
    assert_eq!(text, format!("Submitted session {id} (sent Enter)."));
    assert_eq!(
        (&details["status"], &details["bytes"]),
        (&json!("running"), &json!(8))
    );
    // OpenClaw's spelling of the action.
    let (_, details) = send(json!({ "action": "send_keys", "keys": ["drei", "Enter"] })).await;
    assert_eq!(details["status"], "running");
    let (text, _) = send(json!({ "action": "write", "eof": true })).await;
    assert_eq!(
        text,
        format!("Wrote 0 bytes to session {id} (stdin closed).")
    );
    let (output, _) = bench.polled_to_the_end(&id).await;
    assert_eq!(
        output
            .trim()
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>(),
        ["got: zwei é", "got: drei", "end"]
    );
    let (code, message) = bench
        .refusal(
            "process",
            json!({ "action": "write", "sessionId": id, "data": "x" }),
        )
        .await;
    assert_eq!(
        (code, message),
        (
            "unavailable",
            format!(
                "Cannot write to `{id}`: it is over. Commands accept input when they are started in the background or with a terminal."
            )
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_interrupts_needs_a_terminal() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "command": "cat", "background": true }))
        .await;
    let keys = json!({ "action": "send_keys", "sessionId": id, "keys": ["C-c"] });
    let (code, message) = bench.refusal("process", keys).await;
    assert_eq!(code, "invalid_params");
    assert!(
        message.contains("has no terminal") && message.contains("Kill the command"),
        "{message}"
    );
    let keys = json!({ "action": "send_keys", "sessionId": id, "keys": ["C-wrong"] });
    assert!(
        bench
            .refusal("process", keys)
            .await
            .1
            .starts_with("`C-wrong` is not a key.")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_is_driven_by_keys_and_shown_as_its_screen() {
    let bench = Bench::agent();
    bench.write(
        "menu.txt",
        (1..=100)
            .map(|line| format!("entry {line}\n"))
            .collect::<String>(),
    );
    let id = bench
        .started(json!({ "command": "less menu.txt", "background": true, "pty": true, "rows": 10, "columns": 40 }))
        .await;
    let wait = json!({ "action": "poll", "sessionId": id, "waitFor": { "output": "entry 9" } });
    let (text, details) = bench.ok("process", wait).await;
    assert_eq!(
        (
            &details["ready"],
            &details["screen"]["rows"],
            &details["screen"]["fullScreen"]
        ),
        (&json!(true), &json!(10), &json!(true))
    );
    assert!(text.starts_with("entry 1\nentry 2\n"), "{text}");
    let keys = json!({ "action": "send_keys", "sessionId": id, "keys": ["G"], "timeout": 10_000 });
    let (text, _) = bench.ok("process", keys).await;
    assert!(text.contains("entry 100"), "{text}");
    let keys = json!({ "action": "send_keys", "sessionId": id, "keys": ["q"] });
    bench.ok("process", keys).await;
    let (_, details) = bench.polled_to_the_end(&id).await;
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("completed"), &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_with_a_terminal_in_the_foreground_is_reported_in_plain_lines() {
    let bench = Bench::agent();
    let command =
        "printf '\\033[32mgreen\\033[0m\\n10%%\\r50%%\\r100%%\\n'; tty >/dev/null && echo terminal";
    let (text, details) = bench
        .ok("exec", json!({ "command": command, "pty": true }))
        .await;
    assert_eq!(text, "green\n100%\nterminal\n");
    assert_eq!(details["output"], "green\n100%\nterminal\n");
    assert_eq!(details["screen"]["text"], "green\n100%\nterminal");
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_ends_everything_and_clear_and_remove_forget() {
    let bench = Bench::agent();
    let mark = mark(&bench);
    let command = format!("setsid {mark} 60 & {mark} 61 & (({mark} 62 &) &); {mark} 63; :");
    let id = bench
        .started(json!({ "command": command, "background": true }))
        .await;
    let (code, message) = bench
        .refusal("process", json!({ "action": "clear", "sessionId": id }))
        .await;
    assert_eq!(code, "invalid_params");
    assert!(message.contains("is still running"), "{message}");
    let (text, details) = bench.process("kill", &id).await;
    assert_eq!(text, format!("Killed {id} (SIGTERM)."));
    assert_eq!(
        (&details["status"], &details["signal"], &details["endedBy"]),
        (&json!("killed"), &json!("SIGTERM"), &json!("kill"))
    );
    assert_eq!(alive(&mark), 0);
    let (text, details) = bench.process("kill", &id).await;
    assert_eq!(
        text,
        format!("{id} had ended before. Process was killed (signal SIGTERM).")
    );
    assert_eq!(details["status"], "killed");
    assert_eq!(
        bench.process("clear", &id).await.0,
        format!("Cleared session {id}.")
    );
    let (code, message) = bench
        .refusal("process", json!({ "action": "poll", "sessionId": id }))
        .await;
    assert_eq!(
        (code, message),
        (
            "not_found",
            format!(
                "No background command with id `{id}`. None is running; finished ones are kept for 30 minutes."
            )
        )
    );
    let id = bench
        .started(json!({ "command": format!("{mark} 64; :"), "background": true }))
        .await;
    assert_eq!(
        bench.process("remove", &id).await.0,
        format!("Removed session {id}.")
    );
    assert_eq!(alive(&mark), 0);
    assert_eq!(
        bench.ok("process", json!({ "action": "list" })).await.1["sessions"],
        json!([])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_limit_given_by_the_call_holds_in_the_background_and_is_reported() {
    let bench = Bench::agent();
    let mark = mark(&bench);
    let id = bench
        .started(json!({ "command": format!("echo before; {mark} 60; :"), "background": true, "timeout": 0.4 }))
        .await;
    let (output, details) = bench.polled_to_the_end(&id).await;
    assert_eq!(output.trim(), "before");
    assert_eq!(
        (&details["status"], &details["endedBy"]),
        (&json!("timeout"), &json!("timeout"))
    );
    let (text, _) = bench.process("poll", &id).await;
    assert_eq!(text, "(no new output)\n\nProcess timed out and was killed.");
    assert_eq!(alive(&mark), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_in_the_foreground_is_an_error_with_the_output_unless_the_host_wants_it_kept() {
    let bench = Bench::agent();
    let command = json!({ "command": "echo before; sleep 30", "timeout": 0.5 });
    let error = bench.call("exec", command.clone()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "timeout");
    assert_eq!(error.details["output"], "before\n");
    let bench = Bench::new(json!({ "onTimeout": "background" }));
    let (text, details) = bench.ok("exec", command).await;
    assert!(text.starts_with("before\n\nCommand did not finish within 0.5 s and was moved to the background. Command still running (session "), "{text}");
    let (_, details) = bench
        .process("kill", details["sessionId"].as_str().unwrap())
        .await;
    assert_eq!(details["status"], "killed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_leaves_running_is_handed_over_ended_and_reported() {
    let command = |mark: &str| json!({ "command": format!("{mark} 60 & echo started") });
    let bench = Bench::agent();
    let mark = mark(&bench);
    let (text, details) = bench.ok("exec", command(&mark)).await;
    let id = details["sessionId"].as_str().unwrap();
    assert_eq!(
        text,
        format!(
            "started\n\n[1 process is still running in the background as `{id}`. Use process with action poll, log or kill.]"
        )
    );
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("completed"), &json!(0))
    );
    let (text, details) = bench.process("poll", id).await;
    assert_eq!(
        text,
        "(no new output)\n\nProcess exited with code 0. 1 of its child processes is still running in the background."
    );
    assert_eq!(details["status"], "running");
    let (_, details) = bench.process("kill", id).await;
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("killed"), &json!(0))
    );
    until_gone(&mark).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_are_ended_where_nobody_could_look_after_them_or_the_host_says_so() {
    for options in [
        json!({ "leftovers": "end" }),
        json!({ "tools": { "deny": ["process"] } }),
        json!({ "dialect": "coder" }),
        json!({ "dialect": "canonical", "level": 1, "tools": { "deny": ["BashOutput"] } }),
    ] {
        let bench = Bench::new(options.clone());
        let mark = mark(&bench);
        let tool = match options["dialect"].as_str() {
            Some("coder") => "bash",
            Some("canonical") => "Bash",
            _ => "exec",
        };
        let (text, details) = bench
            .ok(
                tool,
                json!({ "command": format!("{mark} 60 & echo started") }),
            )
            .await;
        assert_eq!(
            text, "started\n\n[1 process that it left running was killed]",
            "{options}"
        );
        assert_eq!(
            details.get("sessionId").or(details.get("background_id")),
            None
        );
        assert_eq!(alive(&mark), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_ends_when_the_toolkit_closes_or_is_dropped() {
    for close in [true, false] {
        let bench = Bench::agent();
        let mark = mark(&bench);
        for params in [
            json!({ "command": format!("trap '' TERM; {mark} 60; :"), "background": true }),
            json!({ "command": format!("{mark} 61 & :") }),
            json!({ "command": format!("{mark} 62; :"), "background": true, "pty": true }),
            json!({ "command": format!("{mark} 63; :"), "yieldMs": 1 }),
        ] {
            bench.ok("exec", params).await;
        }
        let directory = bench.directory;
        if close {
            bench.toolkit.close().await.unwrap();
            assert_eq!(alive(&mark), 0);
        }
        drop(bench.toolkit);
        until_gone(&mark).await;
        drop(directory);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_ends_what_is_waited_for_and_nothing_that_runs_on() {
    let bench = Bench::agent();
    let mark = mark(&bench);
    let kept = bench
        .started(json!({ "command": format!("{mark} 60; :"), "background": true }))
        .await;
    for params in [
        json!({ "command": format!("{mark} 71; :"), "yieldMs": 60_000 }),
        json!({ "command": format!("{mark} 72; :"), "waitFor": { "output": "never" } }),
    ] {
        let token = CancellationToken::new();
        let mut request = CallRequest::new("exec", params);
        request.cancellation = token.clone();
        let call = bench.toolkit.call(request);
        tokio::pin!(call);
        let early = tokio::time::timeout(Duration::from_millis(300), &mut call).await;
        assert!(early.is_err());
        token.cancel();
        assert_eq!(call.await.unwrap_err().code.as_str(), "cancelled");
    }
    until_gone(&format!("{mark} 71")).await;
    until_gone(&format!("{mark} 72")).await;
    let token = CancellationToken::new();
    let mut request = CallRequest::new(
        "process",
        json!({ "action": "poll", "sessionId": kept, "timeout": 60_000 }),
    );
    request.cancellation = token.clone();
    let call = bench.toolkit.call(request);
    tokio::pin!(call);
    assert!(
        tokio::time::timeout(Duration::from_millis(100), &mut call)
            .await
            .is_err()
    );
    token.cancel();
    assert_eq!(call.await.unwrap_err().code.as_str(), "cancelled");
    assert_eq!(bench.process("poll", &kept).await.1["status"], "running");
    bench.process("kill", &kept).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_waits_until_the_command_is_ready_or_says_that_it_is_not() {
    let bench = Bench::agent();
    let start = async |command: &str, wait: Value, patience: u64| {
        bench
            .ok(
                "exec",
                json!({ "command": command, "waitFor": wait, "yieldMs": patience }),
            )
            .await
    };
    let (text, details) = start(
        "echo booting; sleep 0.2; echo Server ready at http://localhost:3000; sleep 30",
        json!({ "output": "ready at" }),
        SOON,
    )
    .await;
    assert!(
        text.contains(
            "Ready: `Server ready at http://localhost:3000`. Command still running (session "
        ),
        "{text}"
    );
    assert_eq!(
        (&details["ready"], &details["match"]),
        (
            &json!(true),
            &json!("Server ready at http://localhost:3000")
        )
    );
    let (text, details) = start(
        "sleep 0.2; touch flag; sleep 30",
        json!({ "file": "flag" }),
        SOON,
    )
    .await;
    assert!(text.starts_with("Ready: the file exists."), "{text}");
    assert_eq!(details["ready"], true);
    let (text, details) = start(
        "echo cannot bind; exit 1",
        json!({ "output": "ready" }),
        SOON,
    )
    .await;
    assert_eq!(
        text,
        "cannot bind\n\nCommand exited with code 1\n\nCommand ended before it was ready."
    );
    assert_eq!(
        (&details["ready"], &details["status"]),
        (&json!(false), &json!("failed"))
    );
    let (text, details) = start(
        "printf 'Listening on :3000'; sleep 30",
        json!({ "output": ":3000" }),
        SOON,
    )
    .await;
    assert!(text.contains("Ready: `Listening on :3000`."), "{text}");
    assert_eq!(details["ready"], true);
    // It may still be seen running.
    let (text, details) = start("echo all ready", json!({ "output": "ready" }), SOON).await;
    assert!(text.contains("Ready: `all ready`."), "{text}");
    assert_eq!(details["ready"], true);
    let (text, details) = start("sleep 30", json!({ "port": 1 }), 200).await;
    assert!(
        text.starts_with("Not ready yet. Command still running"),
        "{text}"
    );
    assert_eq!(details["ready"], false);
    let outside = json!({ "command": "true", "waitFor": { "file": "/etc/passwd" } });
    assert_eq!(bench.refusal("exec", outside).await.0, "outside_workspace");
    let wrong = json!({ "command": "true", "waitFor": { "output": "(" } });
    assert_eq!(bench.refusal("exec", wrong).await.0, "syntax_error");
    let nothing = json!({ "command": "true", "waitFor": {} });
    assert_eq!(bench.refusal("exec", nothing).await.0, "invalid_params");
}

#[tokio::test(flavor = "multi_thread")]
async fn bash_output_and_kill_bash_work_as_their_users_know_them() {
    let bench = Bench::canonical();
    let (text, details) = bench
        .ok(
            "Bash",
            json!({ "command": "echo out; echo err >&2; echo match this; sleep 30", "run_in_background": true }),
        )
        .await;
    let id = details["background_id"].as_str().unwrap();
    assert_eq!(
        text,
        format!(
            "Command running in background with ID: {id}\nUse BashOutput to read its output and KillBash to kill it."
        )
    );
    assert_eq!(
        details,
        json!({ "stdout": "", "stderr": "", "exit_code": null, "background_id": id })
    );
    let begun = Instant::now();
    let (text, details) = loop {
        let (text, details) = bench.ok("BashOutput", json!({ "bash_id": id })).await;
        if details["stdout"].as_str().unwrap().contains("match") {
            break (text, details);
        }
        assert_eq!(details["output"], "");
        assert!(begun.elapsed() < Duration::from_millis(SOON));
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    assert_eq!(
        details,
        json!({ "bash_id": id, "status": "running", "output": "out\nmatch this\nerr\n", "stdout": "out\nmatch this\n", "stderr": "err\n", "exit_code": null })
    );
    assert_eq!(
        text,
        "<status>running</status>\n\n<stdout>\nout\nmatch this\n</stdout>\n\n<stderr>\nerr\n</stderr>"
    );
    let (text, _) = bench.ok("BashOutput", json!({ "bash_id": id })).await;
    assert_eq!(text, "<status>running</status>\n\n(no new output)");
    let (text, details) = bench.ok("KillBash", json!({ "shell_id": id })).await;
    assert!(
        text.starts_with(&format!("Successfully killed shell: {id} (echo out")),
        "{text}"
    );
    let (again, _) = bench.ok("KillBash", json!({ "shell_id": id })).await;
    assert_eq!(
        again,
        format!(
            "Shell {id} had ended before, so it was not killed. Process was killed (signal SIGTERM)."
        )
    );
    let (code, message) = bench
        .refusal("BashOutput", json!({ "bash_id": id, "filter": "(" }))
        .await;
    assert_eq!(code, "syntax_error");
    assert_eq!(
        message,
        r"`(` is not a valid regular expression: unclosed group (at character 1). To search for this text literally, write `\(`."
    );
    assert_eq!(
        (&details["shell_id"], &details["status"]),
        (&json!(id), &json!("killed"))
    );
    let (text, details) = bench.ok("BashOutput", json!({ "bash_id": id })).await;
    assert!(
        text.starts_with("<status>killed</status>\n\n<signal>SIGTERM</signal>"),
        "{text}"
    );
    assert_eq!(details["signal"], "SIGTERM");
    let (code, message) = bench
        .refusal("KillBash", json!({ "shell_id": "bash_9" }))
        .await;
    assert_eq!(code, "not_found");
    assert!(message.contains(id), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_shows_matching_lines_and_the_others_count_as_read() {
    let bench = Bench::canonical();
    let (_, details) = bench
        .ok(
            "Bash",
            json!({ "command": "printf 'INFO a\\nERROR b\\nINFO c\\nERROR d\\n'; touch done; sleep 30", "run_in_background": true }),
        )
        .await;
    let id = details["background_id"].as_str().unwrap().to_owned();
    let begun = Instant::now();
    while !bench.path("done").exists() {
        assert!(begun.elapsed() < Duration::from_millis(SOON));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Written before the file was made, but perhaps not read yet.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (_, details) = bench
        .ok("BashOutput", json!({ "bash_id": id, "filter": "^ERROR" }))
        .await;
    assert_eq!(details["stdout"], "ERROR b\nERROR d\n");
    let (_, details) = bench.ok("BashOutput", json!({ "bash_id": id })).await;
    assert_eq!(details["stdout"], "");
    let wrong = json!({ "bash_id": id, "filter": "[" });
    assert_eq!(bench.refusal("BashOutput", wrong).await.0, "syntax_error");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_limit_of_bash_does_not_end_what_runs_in_the_background() {
    let bench = Bench::canonical();
    let (_, details) = bench
        .ok(
            "Bash",
            json!({ "command": "sleep 1; echo done", "run_in_background": true, "timeout": 100 }),
        )
        .await;
    let id = details["background_id"].as_str().unwrap();
    let begun = Instant::now();
    let mut written = String::new();
    loop {
        let (_, details) = bench.ok("BashOutput", json!({ "bash_id": id })).await;
        // What it wrote can be polled before its end is seen.
        written += details["stdout"].as_str().unwrap();
        if details["status"] != "running" {
            assert_eq!(
                (&details["status"], written.as_str()),
                (&json!("completed"), "done\n")
            );
            break;
        }
        assert!(begun.elapsed() < Duration::from_millis(SOON));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_say_what_they_need() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "command": "cat", "background": true }))
        .await;
    let refused = async |params: Value| bench.refusal("process", params).await;
    let needs = |action: &str| {
        format!(
            "The action `{action}` needs `sessionId`, the id of a background command. Use `list` to see them."
        )
    };
    for action in [
        "poll",
        "log",
        "write",
        "send_keys",
        "submit",
        "paste",
        "kill",
        "clear",
        "remove",
    ] {
        assert_eq!(
            refused(json!({ "action": action })).await,
            ("invalid_params", needs(action))
        );
    }
    for (action, what) in [
        ("write", "`data`, or `eof` to close the input"),
        ("send_keys", "`keys`"),
        ("paste", "`data`"),
    ] {
        assert_eq!(
            refused(json!({ "action": action, "sessionId": id })).await,
            (
                "invalid_params",
                format!("The action `{action}` needs {what}.")
            )
        );
    }
    let (code, message) = refused(json!({ "action": "dance", "sessionId": id })).await;
    assert_eq!(code, "invalid_params");
    assert!(message.contains("`action`"), "{message}");
    let (code, message) = refused(json!({ "action": "poll", "sessionId": "no-such" })).await;
    assert_eq!(
        (code, message),
        (
            "not_found",
            format!("No background command with id `no-such`. Available: `{id}`.")
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_on_commands_hold_for_what_is_typed_into_a_shell() {
    let bench = Bench::new(json!({
        "permissions": { "deny": ["Bash(rm:*)"], "allow": ["Bash(python3 -q -i)", "Bash(cat:*)"] }
    }));
    bench.write("keep.txt", "x");
    let shell = bench
        .started(json!({ "command": "python3 -q -i", "background": true }))
        .await;
    let (code, message) = bench
        .refusal(
            "process",
            json!({ "action": "submit", "sessionId": shell, "data": "rm keep.txt" }),
        )
        .await;
    assert_eq!(code, "policy_denied");
    assert!(message.contains("Bash(rm:*)"), "{message}");
    let (code, message) = bench
        .refusal(
            "process",
            json!({ "action": "submit", "sessionId": shell, "data": "print(1)" }),
        )
        .await;
    assert_eq!(code, "policy_denied");
    assert!(message.contains("nobody can approve"), "{message}");
    let cat = bench
        .started(json!({ "command": "cat", "background": true }))
        .await;
    bench
        .ok(
            "process",
            json!({ "action": "submit", "sessionId": cat, "data": "rm keep.txt" }),
        )
        .await;
    // Looking and ending need no rule.
    assert_eq!(bench.process("poll", &shell).await.1["status"], "running");
    assert_eq!(bench.process("kill", &shell).await.1["status"], "killed");
    assert!(Path::new(&bench.path("keep.txt")).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_spells_in_another_way_is_understood() {
    let bench = Bench::agent();
    let id = bench
        .started(json!({ "cmd": "cat", "background": "true", "yield_ms": "10" }))
        .await;
    for params in [
        json!({ "action": "send-keys", "session_id": id, "keys": "hello" }),
        json!({ "action": "write", "session": id, "text": "hello\n" }),
        json!({ "action": "POLL", "id": id }),
    ] {
        let (_, details) = bench.ok("process", params).await;
        assert_eq!(details["sessionId"], json!(id));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poll_shows_what_is_new_with_progress_folded_and_details_exact() {
    let bench = Bench::agent();
    let command = "echo start; read x; for i in $(seq 1 50); do echo \"   Compiling some_crate_$i v1.0.$i\"; done; echo 'error: no main'; sleep 60";
    let (_, details) = bench
        .ok("exec", json!({ "command": command, "background": true }))
        .await;
    let session = details["sessionId"].clone();
    let poll = |pattern: &str| json!({ "action": "poll", "sessionId": session, "waitFor": { "output": pattern } });
    let (text, details) = bench.ok("process", poll("start")).await;
    assert!(text.starts_with("start\n\n"), "{text}");
    assert_eq!(details.get("condensed"), None);
    let write = json!({ "action": "write", "sessionId": session, "data": "go\n" });
    bench.ok("process", write).await;
    let (text, details) = bench.ok("process", poll("no main")).await;
    let expected = "   Compiling some_crate_1 v1.0.1\n[… 49 lines of progress, lines 3-51]\nerror: no main\n\n\
                    [2 of 51 new lines shown. The action `log` shows all of them.]\n\n";
    assert!(text.starts_with(expected), "{text}");
    let exact = details["output"].as_str().unwrap();
    assert!(exact.contains("some_crate_33 v1.0.33\n"), "{exact}");
    assert_eq!(details["condensed"]["strategy"], json!(["fold"]));
}
