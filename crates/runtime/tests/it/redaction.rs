//! Secrets are taken out of results, and put back where files are written.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_contract::Outcome;
use tenon_runtime::{CallRequest, Updates};

use crate::support::{Bench, text};

const TOKEN: &str = "ghp_X1B2c3D4ea1B2c3D4ea1B2c3D4ea1B2c3D4e";
const OTHER: &str = "ghp_Y1B2c3D4ea1B2c3D4ea1B2c3D4ea1B2c3D4e";
const MARK: &str = "[redacted: GitHub token, 40 characters]";

fn bench(mut options: Value) -> Bench {
    if options.get("permissions").is_none() {
        options["permissions"] = json!({ "defaultMode": "allow" });
    }
    let bench = Bench::new(options);
    bench.write(
        "config.js",
        format!("const a = '{TOKEN}'\nconst b = '{OTHER}'\nconst c = 1\n"),
    );
    bench
}

fn holds_secret(text: &str) -> bool {
    text.contains("X1B2c3D4") || text.contains("Y1B2c3D4")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_a_secret_ends_at_its_mark() {
    let bench = bench(json!({}));
    let second = "[redacted: GitHub token, 40 characters, #2]";
    let (read, _) = bench.ok("read", json!({ "file_path": "config.js" })).await;
    assert_eq!(
        read,
        format!("const a = '{MARK}'\nconst b = '{second}'\nconst c = 1\n")
    );
    for (tool, params) in [
        ("grep", json!({ "pattern": "const b" })),
        ("exec", json!({ "command": "cat config.js" })),
        ("exec", json!({ "command": "cat config.js; exit 3" })),
        (
            "exec",
            json!({ "command": "cat config.js; yes 'a line of the rest of it' | head -20000" }),
        ),
    ] {
        let (text, details) = bench.ok(tool, params).await;
        assert!(text.contains(second), "{text}");
        assert!(
            !holds_secret(&text) && !holds_secret(&details.to_string()),
            "{text} {details}"
        );
    }
    let (_, details) = bench
        .ok("exec", json!({ "command": "cat config.js; seq 1 30000" }))
        .await;
    let kept = std::fs::read_to_string(details["fullOutputPath"].as_str().unwrap()).unwrap();
    assert!(kept.contains(MARK) && !holds_secret(&kept));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_that_is_wrapped_on_a_screen_is_hidden() {
    let bench = bench(json!({}));
    let command = "printf '\\033[2J\\033[H'; head -1 config.js";
    let params = json!({ "command": command, "pty": true, "columns": 30, "rows": 10 });
    let (text, details) = bench.ok("exec", params).await;
    let shown = format!("const a = '{MARK}\n'");
    assert_eq!(details["screen"]["text"], shown, "{details}");
    assert!(text.starts_with(&shown), "{text}");
    assert!(
        !holds_secret(&text) && !holds_secret(&details.to_string()),
        "{text} {details}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_search_of_many_files_by_a_command_hides_the_values_of_variables() {
    let bench = bench(json!({}));
    bench.write("sub/.env", "LEVEL=debug-all\n");
    bench.write("sub/a.sh", "LEVEL=debug-all\n");
    let command = "grep -rn LEVEL sub | sort";
    let (text, details) = bench.ok("exec", json!({ "command": command })).await;
    let expected = "sub/.env:1:LEVEL=[redacted: value of a variable, 9 characters]\nsub/a.sh:1:LEVEL=debug-all\n";
    assert_eq!(text, expected);
    assert_eq!(details["output"], expected, "{details}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_through_a_mark_changes_the_file_and_keeps_the_secret() {
    let bench = bench(json!({}));
    bench.ok("read", json!({ "file_path": "config.js" })).await;
    let (text, details) = bench
        .ok(
            "edit",
            json!({ "file_path": "config.js", "oldText": format!("const a = '{MARK}'\n"), "newText": format!("const first = '{MARK}'\n") }),
        )
        .await;
    assert!(
        !holds_secret(&text) && !holds_secret(&details.to_string()),
        "{text} {details}"
    );
    assert_eq!(
        bench.read("config.js"),
        format!("const first = '{TOKEN}'\nconst b = '{OTHER}'\nconst c = 1\n")
    );
    let moved = format!("TOKEN={MARK}\n");
    bench
        .ok(
            "write",
            json!({ "file_path": "moved.txt", "content": moved }),
        )
        .await;
    assert_eq!(bench.read("moved.txt"), format!("TOKEN={TOKEN}\n"));
    let patch = format!(
        "*** Begin Patch\n*** Update File: config.js\n@@\n-const b = '[redacted: GitHub token, 40 characters, #2]'\n+const b = '{MARK}'\n*** End Patch\n"
    );
    bench.ok("apply_patch", json!({ "input": patch })).await;
    assert_eq!(
        bench.read("config.js"),
        format!("const first = '{TOKEN}'\nconst b = '{TOKEN}'\nconst c = 1\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_is_never_written() {
    let bench = bench(json!({}));
    let before = bench.read("config.js");
    for (tool, params) in [
        (
            "write",
            json!({ "file_path": "new.txt", "content": format!("a {MARK}") }),
        ),
        (
            "edit",
            json!({ "file_path": "config.js", "oldText": "const c = 1", "newText": "const c = '[redacted: GitHub token, 40 characters, #7]'" }),
        ),
    ] {
        let (code, message) = bench.refusal(tool, params).await;
        assert_eq!(code, "invalid_params");
        assert!(
            message.starts_with("Nothing was changed: `[redacted: GitHub token, 40 characters"),
            "{message}"
        );
    }
    assert_eq!(bench.read("config.js"), before);
    assert!(!bench.path("new.txt").exists());
    bench.ok("read", json!({ "file_path": "config.js" })).await;
    let (code, message) = bench
        .refusal(
            "exec",
            json!({ "command": format!("echo {MARK} > leak.txt") }),
        )
        .await;
    assert_eq!(code, "invalid_params");
    assert!(
        message.starts_with("Nothing was run: the parameters contain the mark"),
        "{message}"
    );
    assert!(!bench.path("leak.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_edit_shows_no_secret_either() {
    let bench = bench(json!({}));
    let error = bench
        .call("edit", json!({ "file_path": "config.js", "oldText": "const b = 'something else'", "newText": "x" }))
        .await
        .unwrap_err();
    let reported = format!("{} {}", error.message, Value::Object(error.details));
    assert!(!holds_secret(&reported), "{reported}");
    let command = json!({ "command": "cat config.js; sleep 30", "timeout": 1 });
    let error = bench.call("exec", command).await.unwrap_err();
    let reported = format!("{} {}", error.message, Value::Object(error.details));
    assert!(
        reported.contains(MARK) && !holds_secret(&reported),
        "{reported}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_does_not_say_what_a_mark_stands_for() {
    let bench =
        bench(json!({ "permissions": { "defaultMode": "allow", "deny": ["write(denied/**)"] } }));
    bench.ok("read", json!({ "file_path": "config.js" })).await;
    for (tool, params) in [
        (
            "write",
            json!({ "file_path": format!("/etc/{MARK}"), "content": "x" }),
        ),
        (
            "write",
            json!({ "file_path": format!("{MARK}/../../x"), "content": "x" }),
        ),
        (
            "write",
            json!({ "file_path": format!("denied/{MARK}"), "content": "x" }),
        ),
        (
            "edit",
            json!({ "file_path": MARK, "oldText": "a", "newText": "b" }),
        ),
        (
            "apply_patch",
            json!({ "input": format!("*** Begin Patch\n*** Nonsense {MARK}\n*** End Patch\n") }),
        ),
        (
            "apply_patch",
            json!({ "input": format!("*** Begin Patch\n*** Update File: {MARK}\n@@\n-a\n+b\n*** End Patch\n") }),
        ),
        (
            "edit",
            json!({ "file_path": "config.js", "oldText": MARK, "newText": 3, "more": MARK }),
        ),
    ] {
        let error = bench.call(tool, params.clone()).await.unwrap_err();
        let reported = format!("{} {}", error.message, Value::Object(error.details));
        assert!(!holds_secret(&reported), "{params}: {reported}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_line_shows_no_part_of_a_secret_where_it_is_cut() {
    let bench = bench(json!({}));
    for words in 80..110 {
        let token = format!("ghp_X1B2c3D4e{:03}a1B2c3D4ea1B2c3D4ea1B2c3", words);
        let line = format!(
            "START {} '{token}' {}\n",
            "word ".repeat(words),
            "tail ".repeat(300)
        );
        bench.write("long.txt", format!("{line}{} END\n", line.trim_end()));
        for pattern in ["START", "END"] {
            let params = json!({ "pattern": pattern, "path": "long.txt" });
            let (text, details) = bench.ok("grep", params).await;
            // Up to nine letters of a key that is cut are too few to say that they are of one.
            let shown = format!("{text}{details}");
            let longest = ["X1B2c3D4e0", "X1B2c3D4e1"];
            assert!(
                !longest.iter().any(|part| shown.contains(part)),
                "{words}: {text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_hides_values_in_lines_of_a_file_of_variables_only() {
    let bench = bench(json!({}));
    bench.write("b-c/.env", "APP_PASSWORD=hidden-one\n");
    bench.write("b-c/.env.local", "APP_PASSWORD=hidden-two\n");
    bench.write("a/before.sh", "APP_PASSWORD=shown-one\n");
    bench.write("d/after.sh", "APP_PASSWORD=shown-two\n");
    let command =
        |options: &str| json!({ "command": format!("grep -r {options} APP_PASSWORD a b-c d") });
    for (tool, params) in [
        ("grep", json!({ "pattern": "APP_PASSWORD" })),
        ("exec", command("-n")),
        ("exec", command("-n --color=always")),
        ("exec", command("-Z")),
    ] {
        let (text, _) = bench.ok(tool, params).await;
        let is_shown = |value: &str| text.contains(value);
        assert!(is_shown("shown-one") && is_shown("shown-two"), "{text}");
        assert!(!is_shown("hidden-one") && !is_shown("hidden-two"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_and_a_command_show_no_values_of_a_file_of_variables_either() {
    let hidden = bench(json!({}));
    hidden.write(".env", "DB_PASSWORD=hunter2\nPORT=8080\n");
    for (tool, params) in [
        ("grep", json!({ "pattern": "PASSWORD", "path": ".env" })),
        (
            "grep",
            json!({ "pattern": "PORT", "path": ".env", "context": 1 }),
        ),
        ("exec", json!({ "command": "cat .env" })),
        ("exec", json!({ "command": "grep -n PASS < .env" })),
        ("exec", json!({ "command": "cd . && sort .env; exit 1" })),
    ] {
        let (text, details) = hidden.ok(tool, params.clone()).await;
        assert!(
            text.contains("DB_PASSWORD=[redacted: value of a variable, 7 characters]"),
            "{text}"
        );
        assert!(
            !format!("{text}{details}").contains("hunter2"),
            "{params}: {text} {details}"
        );
    }
    let (text, _) = hidden
        .ok(
            "exec",
            json!({ "command": "echo DB_PASSWORD=hunter2 # of .env" }),
        )
        .await;
    assert_eq!(text, "DB_PASSWORD=hunter2\n");
    for options in [
        json!({ "permissions": { "allow": ["exec(cat .env)"], "defaultMode": "allow" } }),
        json!({ "redact": { "variables": "values" } }),
    ] {
        let shown = bench(options);
        shown.write(".env", "DB_PASSWORD=hunter2\n");
        let (text, _) = shown.ok("exec", json!({ "command": "cat .env" })).await;
        assert_eq!(text, "DB_PASSWORD=hunter2\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn diffs_and_background_commands_show_no_values_of_a_file_of_variables() {
    let bench = bench(json!({ "permissions": { "defaultMode": "allow" } }));
    bench.write(".env", "DB_PASSWORD=hunter2\n");
    bench.write("old.env", "DB_PASSWORD=hunter1\n");
    let diff = json!({ "command": "cd . && git diff --no-index -- old.env new; printf 'diff --git a/.env b/.env\\n+DB_PASSWORD=hunter2\\n'" });
    let (text, details) = bench.ok("exec", diff).await;
    let shown = format!("{text}{details}");
    assert!(
        shown.contains("+DB_PASSWORD=[redacted: value of a variable"),
        "{shown}"
    );
    assert!(!shown.contains("hunter"), "{shown}");
    let background = json!({ "command": "sleep 0.3; cat .env", "background": true });
    let (_, started) = bench.ok("exec", background).await;
    let session = &started["sessionId"];
    let poll = json!({ "action": "poll", "sessionId": session, "timeout": 5000 });
    let (text, details) = bench.ok("process", poll).await;
    let log = json!({ "action": "log", "sessionId": session });
    let (log, _) = bench.ok("process", log).await;
    let shown = format!("{text}{details}{log}");
    assert!(
        shown.contains("DB_PASSWORD=[redacted: value of a variable"),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_output_shows_no_values_of_a_file_of_variables() {
    let bench = bench(json!({ "permissions": { "defaultMode": "allow" } }));
    bench.write(".env", "DB_PASSWORD=hunter2\n");
    bench
        .ok("exec", json!({ "command": "cat .env; seq 1 30000" }))
        .await;
    let limited = json!({ "command": "cat .env; seq 1 30000; sleep 30", "timeout": 1 });
    let error = bench.call("exec", limited).await.unwrap_err();
    assert_eq!(error.details["fullOutput"], "output://2");
    let diff = r"printf 'diff --git a/.env b/.env\n+DB_PASSWORD=hunter2\n'; seq 1 30000";
    bench.ok("exec", json!({ "command": diff })).await;
    for output in ["output://1", "output://2", "output://3"] {
        for (tool, params) in [
            ("read", json!({ "file_path": output, "limit": 3 })),
            ("grep", json!({ "pattern": "PASSWORD", "path": output })),
        ] {
            let (text, details) = bench.ok(tool, params).await;
            let shown = format!("{text}{details}");
            assert!(
                shown.contains("DB_PASSWORD=[redacted: value of a variable"),
                "{shown}"
            );
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}

struct Received(Mutex<Vec<String>>);

impl Updates for Received {
    fn is_due(&self) -> bool {
        true
    }

    fn publish(&self, partial: Outcome) {
        let reported = format!("{} {}", text(&partial), partial.details.into_value());
        self.0.lock().unwrap().push(reported);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_show_no_part_of_a_secret_that_is_written_in_pieces() {
    let bench = bench(json!({}));
    let received = Arc::new(Received(Mutex::default()));
    let (start, end) = TOKEN.split_at(22);
    let command = format!(
        "printf 'token: {start}'; sleep 0.4; printf '{end}'; sleep 0.4; echo; echo over; sleep 0.2"
    );
    let mut request = CallRequest::new("exec", json!({ "command": command }));
    request.updates = Some(received.clone());
    let outcome = bench.toolkit.call(request).await.unwrap();
    assert_eq!(text(&outcome), format!("token: {MARK}\nover\n"));
    let received = received.0.lock().unwrap();
    assert!(
        received.iter().any(|update| update.starts_with("token: ")),
        "{received:?}"
    );
    assert!(
        !received.iter().any(|update| holds_secret(update)),
        "{received:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn polls_show_no_part_of_a_secret_that_is_written_in_pieces() {
    let bench = bench(json!({}));
    let (start, end) = TOKEN.split_at(22);
    let command = format!("printf 'token: {start}'; sleep 1; printf '{end}\\n'; sleep 30");
    let (_, started) = bench
        .ok("exec", json!({ "command": command, "background": true }))
        .await;
    let poll = json!({ "action": "poll", "sessionId": started["sessionId"] });
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let (first, details) = bench.ok("process", poll.clone()).await;
    assert!(
        !holds_secret(&first) && !holds_secret(&details.to_string()),
        "{first} {details}"
    );
    tokio::time::sleep(std::time::Duration::from_millis(1200)).await;
    let (second, _) = bench.ok("process", poll).await;
    assert!(second.contains(MARK) && !holds_secret(&second), "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_variables_show_names_unless_a_rule_allows_their_values() {
    let variables =
        "# settings\nDB_PASSWORD=hunter2\nexport HOST=\"db.internal\"\nPORT=8080\nDEBUG=true\n";
    let hidden = bench(json!({}));
    hidden.write(".env", variables);
    let (read, _) = hidden.ok("read", json!({ "file_path": ".env" })).await;
    assert_eq!(
        read,
        "# settings\nDB_PASSWORD=[redacted: value of a variable, 7 characters]\n\
         export HOST=\"[redacted: value of a variable, 11 characters]\"\nPORT=8080\nDEBUG=true\n"
    );
    hidden
        .ok("edit", json!({ "file_path": ".env", "oldText": "DB_PASSWORD=[redacted: value of a variable, 7 characters]", "newText": "PGPASSWORD=[redacted: value of a variable, 7 characters]" }))
        .await;
    assert_eq!(hidden.read(".env"), variables.replace("DB_", "PG"));
    let (found, _) = hidden
        .ok("grep", json!({ "pattern": "HOST", "path": ".env" }))
        .await;
    assert!(!found.contains("db.internal"), "{found}");
    for options in [
        json!({ "permissions": { "allow": ["read(.env)"], "defaultMode": "allow" } }),
        json!({ "redact": { "variables": "values" } }),
        json!({ "redact": false }),
    ] {
        let shown = bench(options);
        shown.write(".env", variables);
        assert_eq!(
            shown.ok("read", json!({ "file_path": ".env" })).await.0,
            variables
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_turns_it_off_or_adds_patterns() {
    let off = bench(json!({ "redact": false }));
    let (read, _) = off.ok("read", json!({ "file_path": "config.js" })).await;
    assert!(read.contains(TOKEN));
    off.ok("write", json!({ "file_path": "a.txt", "content": MARK }))
        .await;
    assert_eq!(off.read("a.txt"), MARK);
    let more = bench(
        json!({ "redact": { "patterns": [{ "name": "customer", "pattern": "CU-[0-9]{6}" }] } }),
    );
    more.write("b.txt", "for CU-123456\n");
    let (read, _) = more.ok("read", json!({ "file_path": "b.txt" })).await;
    assert_eq!(read, "for [redacted: customer, 9 characters]\n");
    let wrong = |pattern: Value| {
        let options = json!({ "workspace": more.path("."), "redact": { "patterns": [pattern] } });
        let options = tenon_runtime::Options::from_json(&options.to_string()).unwrap();
        tenon_runtime::Toolkit::new(options, tenon_runtime::HostCallbacks::default())
            .err()
            .unwrap()
            .message
    };
    assert!(
        wrong(json!({ "name": "a", "pattern": "(" }))
            .starts_with("`redact.patterns[0].pattern` is not a regular expression")
    );
    assert!(
        wrong(json!({ "name": "a", "pattern": "x*" }))
            .starts_with("`redact.patterns[0].pattern` matches the empty string")
    );
    assert!(
        wrong(json!({ "name": "a]", "pattern": "x" }))
            .starts_with("`redact.patterns[0].name` must be")
    );
}
