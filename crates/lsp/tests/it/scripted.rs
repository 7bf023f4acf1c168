//! What real servers do only sometimes, from one that does it on demand: late, early-empty, unversioned, stale, silent,
//! crashing, huge, malformed.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_lsp::{
    AskError, CustomServer, LspOptions, Query, QueryAnswer, Report, ServerStatus, Unavailable,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Project, SOON};

/// A project with one file whose server does what the script says. `None` without node, which is said.
fn scripted(script: Value) -> Option<Project> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let Some(node) = std::env::split_paths(&path).find(|path| path.join("node").exists()) else {
        println!("skipped: there is no node for the scripted server");
        return None;
    };
    let server = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/fake-server.mjs");
    let custom = CustomServer {
        command: node.join("node").to_string_lossy().into_owned(),
        arguments: vec![server.to_string_lossy().into_owned(), script.to_string()],
        extensions: vec![".fake".to_owned()],
        initialization_options: None,
        settings: None,
        environment: Default::default(),
        install: None,
    };
    let options = LspOptions {
        servers: vec![("fake".to_owned(), custom)],
        ..LspOptions::default()
    };
    Some(Project::at(&[], &[("a.fake", "name other\n")], options))
}

fn hovering(steps: Value) -> Value {
    json!({ "answers": { "textDocument/hover": steps } })
}

async fn hover(project: &Project) -> Result<String, AskError> {
    let reply = project.try_ask("a.fake", (1, 1), Query::Hover).await?;
    match reply.answer {
        QueryAnswer::Hover(text) => Ok(text),
        other => panic!("{other:?}"),
    }
}

fn unavailable(answer: Result<String, AskError>) -> Unavailable {
    match answer {
        Err(AskError::Unavailable(reason)) => *reason,
        other => panic!("{other:?}"),
    }
}

fn messages(report: &Report) -> Vec<&str> {
    report
        .findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_answer_is_waited_for_and_what_comes_before_the_first_frame_is_passed_over() {
    let mut script = hovering(json!([{ "delay": 600, "result": { "contents": "late" } }]));
    script["greeting"] = json!("Welcome to the server\nIt says much\n\n");
    let Some(project) = scripted(script) else {
        return;
    };
    assert_eq!(hover(&project).await.unwrap(), "late");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_aborted_question_ends_at_once_and_the_server_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let mut script = hovering(json!([{ "silent": true }]));
    script["log"] = json!(log);
    let Some(project) = scripted(script) else {
        return;
    };
    let question = project.question("a.fake", (1, 1), Query::Hover);
    let stop = CancellationToken::new();
    let asking = project.servers.ask(&question, &stop);
    let stopping = async {
        let asked = || {
            fs::read_to_string(&log)
                .unwrap_or_default()
                .contains("textDocument/hover")
        };
        while !asked() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    };
    let (answer, ()) = tokio::time::timeout(SOON, async { tokio::join!(asking, stopping) })
        .await
        .unwrap();
    let reason = match answer {
        Err(AskError::Unavailable(reason)) => *reason,
        other => panic!("{other:?}"),
    };
    assert!(matches!(reason, Unavailable::Cancelled), "{reason:?}");
    let reported = async {
        while !fs::read_to_string(&log)
            .unwrap()
            .contains("$/cancelRequest")
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(SOON, reported).await.unwrap();
    project.close().await;
}

/// It counted as a hover that says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_hover_of_a_wrong_shape_is_a_fault_of_the_server() {
    let Some(project) = scripted(hovering(json!([{ "result": { "contents": 1 } }]))) else {
        return;
    };
    let Unavailable::NoAnswer { error, .. } = unavailable(hover(&project).await) else {
        panic!("it has no answer");
    };
    let reason = error.to_string();
    let fault =
        "its response to `textDocument/hover` is not valid: a part of its `contents` is not a text";
    assert!(reason.contains(fault), "{reason}");
    project.close().await;
}

/// The version was not compared: spans of another text were made where they happened to fit.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_to_another_version_than_the_one_that_was_sent_is_refused() {
    for (behind, fault) in [(0, None), (-1, Some("it changes version 0 of"))] {
        let script = json!({
            "capabilities": { "renameProvider": true },
            "answers": { "textDocument/rename": [{ "renames": behind }] },
        });
        let Some(project) = scripted(script) else {
            return;
        };
        let file = project.servers.workspace().locate("a.fake").unwrap();
        let address = tenon_lsp::Address {
            line: Some(1),
            character: Some(1),
            symbol: None,
            place: None,
        };
        let stop = CancellationToken::new();
        let renaming = project.servers.rename(&file, &address, "new", &stop);
        let renamed = tokio::time::timeout(SOON, renaming).await.unwrap();
        match (renamed, fault) {
            (Ok(proposal), None) => assert_eq!(proposal.changes.len(), 1),
            (Err(error), Some(fault)) => {
                let error = format!("{error:?}");
                assert!(error.contains(fault), "{error}");
            }
            (other, _) => panic!("{other:?}"),
        }
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_under_a_question_is_started_again_and_asked_once_more() {
    let directory = tempfile::tempdir().unwrap();
    let mut script = hovering(json!([{ "result": { "contents": "second life" } }]));
    script["once"] = json!(directory.path().join("once"));
    script["first"] = hovering(json!([{ "crash": true }]));
    let Some(project) = scripted(script) else {
        return;
    };
    assert_eq!(hover(&project).await.unwrap(), "second life");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_each_time_is_given_up_with_its_last_words() {
    let Some(project) = scripted(hovering(json!([{ "crash": true }]))) else {
        return;
    };
    let reason = unavailable(hover(&project).await);
    assert_eq!(reason.status(), ServerStatus::Failed);
    let Unavailable::NoAnswer {
        complaint, error, ..
    } = &reason
    else {
        panic!("{reason:?}")
    };
    assert_eq!(complaint.as_deref(), Some("it broke"));
    assert!(error.to_string().contains("SIGKILL"), "{error}");
    // Two starts are left within the time that counts.
    unavailable(hover(&project).await);
    let reason = unavailable(hover(&project).await);
    assert!(
        matches!(reason, Unavailable::NotStarted { .. }),
        "{reason:?}"
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_ends_the_server_and_says_so() {
    for (raw, expected) in [
        ("Content-Length: 5\r\n\r\n{oops", "not JSON"),
        ("Content-Length: many\r\n\r\n", "length of a message"),
        ("Content-Length: 999999999999\r\n\r\n", "999999999999 bytes"),
    ] {
        let Some(project) = scripted(hovering(json!([{ "raw": raw }]))) else {
            return;
        };
        let reason = unavailable(hover(&project).await);
        let Unavailable::NoAnswer { error, .. } = &reason else {
            panic!("{raw} {reason:?}")
        };
        assert!(error.to_string().contains(expected), "{raw} {error}");
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_hover_is_cut_and_the_note_says_so() {
    let Some(project) = scripted(hovering(json!([{ "fill": 9_000_000 }]))) else {
        return;
    };
    let reply = project
        .try_ask("a.fake", (1, 1), Query::Hover)
        .await
        .unwrap();
    assert_eq!(reply.notes, ["The hover text was cut to 16 KB of 8790 KB."]);
    assert_eq!(reply.answer, QueryAnswer::Hover("x".repeat(16 * 1024)));
    project.close().await;
    // A block of code that is cut is closed, at the end of a line.
    let code = format!("```ts\n{}```", "let a = 'ü'\n".repeat(2_000));
    let Some(project) = scripted(hovering(json!([{ "result": { "contents": code } }]))) else {
        return;
    };
    let text = hover(&project).await.unwrap();
    assert!(
        text.len() <= 16 * 1024 + 4 && text.ends_with("let a = 'ü'\n```"),
        "{}",
        text.len()
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_asks_is_answered_whatever_it_is() {
    let unknown = hovering(json!([{ "ask": ["text-id", "client/brewCoffee"] }]));
    let Some(project) = scripted(unknown) else {
        return;
    };
    let reported: Value = serde_json::from_str(&hover(&project).await.unwrap()).unwrap();
    assert_eq!(reported["error"]["code"], -32601, "{reported}");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_given_just_now_is_asked_for_again() {
    let modified = json!({ "error": { "code": -32801, "message": "content modified" } });
    let script = hovering(json!([modified, modified, { "result": { "contents": "now" } }]));
    let Some(project) = scripted(script) else {
        return;
    };
    assert_eq!(hover(&project).await.unwrap(), "now");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_questions_at_once_each_get_their_own_answer_from_one_server() {
    let Some(project) = scripted(hovering(json!([{ "echo": true, "delay": 50 }]))) else {
        return;
    };
    let lines: String = (0..20).map(|line| format!("name{line}\n")).collect();
    project.write("a.fake", &lines);
    let questions = (1..=20u32).map(|line| project.try_ask("a.fake", (line, 1), Query::Hover));
    let replies = futures_util::future::join_all(questions).await;
    for (line, reply) in replies.into_iter().enumerate() {
        assert_eq!(
            reply.unwrap().answer,
            QueryAnswer::Hover(format!("line {line}"))
        );
    }
    assert_eq!(project.servers.running().len(), 1);
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_from_the_middle_of_loading_is_never_shown_as_all() {
    let place = |line: u32| json!({ "uri": "file:///x.fake", "range": { "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 1 } } });
    let script = json!({
        "busy": 900,
        "answers": { "textDocument/references": [{ "result": [place(1)] }, { "result": [place(1), place(2)] }] },
    });
    let Some(project) = scripted(script) else {
        return;
    };
    let reply = project
        .try_ask("a.fake", (1, 1), Query::References)
        .await
        .unwrap();
    let QueryAnswer::Places(places) = &reply.answer else {
        panic!("{reply:?}")
    };
    assert_eq!((places.len(), reply.status), (2, ServerStatus::Ready));
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_list_that_comes_first_is_not_the_answer() {
    for version in ["same", "none"] {
        let script = json!({ "publish": [
            { "items": [], "version": version },
            { "after": 100, "items": ["wrong"], "version": version },
        ] });
        let Some(project) = scripted(script) else {
            return;
        };
        let report = project.report("a.fake").await;
        assert_eq!(
            (messages(&report), report.is_answered),
            (vec!["wrong"], true),
            "{version}"
        );
        project.close().await;
    }
    let busy = json!({ "busy": 1_500, "publish": [
        { "items": [], "version": "same" },
        { "after": 800, "items": ["found while loading"], "version": "same" },
    ] });
    let Some(project) = scripted(busy) else {
        return;
    };
    assert_eq!(
        messages(&project.report("a.fake").await),
        ["found while loading"]
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_of_the_text_before_are_never_shown() {
    let script = json!({ "publish": [
        { "items": ["of another text"], "version": "stale" },
        { "after": 400, "items": ["of version VERSION"], "version": "same" },
    ] });
    let Some(project) = scripted(script) else {
        return;
    };
    assert_eq!(messages(&project.report("a.fake").await), ["of version 1"]);
    project.write("a.fake", "name changed\n");
    assert_eq!(messages(&project.report("a.fake").await), ["of version 2"]);
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_nothing_has_not_said_that_all_is_well() {
    let Some(project) = scripted(json!({})) else {
        return;
    };
    let report = project.report("a.fake").await;
    assert_eq!((report.findings.len(), report.is_answered), (0, false));
    project.close().await;
}

/// The processes that work in the directory of a project.
fn processes_in(project: &Project) -> Vec<i32> {
    let root = project.directory.path().canonicalize().unwrap();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == root))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_that_is_killed_is_replaced_and_close_leaves_none() {
    let files = [(
        "lib.py",
        "def add(a, b):\n    return a + b\n\n\nadd(1, 2)\n",
    )];
    let Some(project) = Project::with("pylsp", &files) else {
        return;
    };
    assert_eq!(
        project.ask("lib.py", (5, 1), Query::Definition).await,
        ["lib.py:1:5"]
    );
    let running = processes_in(&project);
    assert!(!running.is_empty());
    for process in &running {
        let killed = std::process::Command::new("kill")
            .args(["-9", &process.to_string()])
            .status();
        assert!(killed.unwrap().success());
    }
    assert_eq!(
        project.ask("lib.py", (5, 1), Query::Definition).await,
        ["lib.py:1:5"]
    );
    let root = project.directory.path().canonicalize().unwrap();
    tokio::time::timeout(SOON, project.servers.close())
        .await
        .unwrap();
    assert_eq!(
        processes_in(&project),
        Vec::<i32>::new(),
        "{}",
        root.display()
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_is_a_command_is_run_only_where_it_is_known_to_propose() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let command = |title: &str, command: &str| json!({ "title": title, "command": { "title": title, "command": command } });
    let script = json!({
        "log": log,
        "capabilities": { "codeActionProvider": true },
        "publish": [{ "items": [], "version": "same" }],
        "answers": { "textDocument/codeAction": [{ "result": [command("Tidy", "gopls.tidy"), command("Fix", "gopls.apply_fix")] }] },
    });
    let Some(project) = scripted(script) else {
        return;
    };
    let file = project.servers.workspace().locate("a.fake").unwrap();
    let line = tenon_lsp::Address {
        line: Some(1),
        character: None,
        symbol: None,
        place: None,
    };
    let never = CancellationToken::new();
    let was_run = || {
        fs::read_to_string(&log)
            .unwrap()
            .contains("workspace/executeCommand")
    };
    match project.servers.action(&file, &line, "Tidy", &never).await {
        Err(AskError::Unavailable(reason)) => {
            assert!(format!("{reason:?}").contains("gopls.tidy"), "{reason:?}")
        }
        other => panic!("{other:?}"),
    }
    assert!(
        !was_run(),
        "it may write files by itself, which nobody has judged"
    );
    let fixed = project
        .servers
        .action(&file, &line, "Fix", &never)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((fixed.changes, was_run()), (Vec::new(), true));
    project.close().await;
}

/// What the action of this title proposes, or why it does not.
async fn acted(script: serde_json::Value, title: &str) -> Option<Result<usize, String>> {
    let project = scripted(script)?;
    let file = project.servers.workspace().locate("a.fake").unwrap();
    let line = tenon_lsp::Address {
        line: Some(1),
        character: None,
        symbol: None,
        place: None,
    };
    let never = CancellationToken::new();
    let acted = match project.servers.action(&file, &line, title, &never).await {
        Ok(proposal) => Ok(proposal.unwrap().changes.len()),
        Err(AskError::Unavailable(reason)) => Err(format!("{reason:?}")),
        Err(other) => panic!("{other:?}"),
    };
    project.close().await;
    Some(acted)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_a_command_proposed_holds_though_more_was_asked_behind_it() {
    let unknown = json!({ "code": -32601, "message": "Unhandled method _typescript.rename" });
    let script = |step: serde_json::Value| {
        let extract = json!({ "title": "Extract", "command": { "title": "Extract", "command": "_typescript.applyRefactoring" } });
        let disabled = json!({ "title": "Inline", "disabled": { "reason": "no variable" } });
        json!({
            "capabilities": { "codeActionProvider": true },
            "publish": [{ "items": [], "version": "same" }],
            "answers": { "textDocument/codeAction": [{ "result": [extract, disabled] }], "workspace/executeCommand": [step] },
        })
    };
    let proposing = script(json!({ "applies": "new\n", "error": unknown }));
    let Some(proposed) = acted(proposing.clone(), "Extract").await else {
        return;
    };
    assert_eq!(proposed, Ok(1));
    let nothing = acted(script(json!({ "error": unknown })), "Extract").await;
    let reason = nothing.unwrap().unwrap_err();
    assert!(
        reason.contains("Unhandled method _typescript.rename"),
        "it has listed the action, so it knows actions: {reason}"
    );
    let reason = acted(proposing, "Inline").await.unwrap().unwrap_err();
    assert!(
        reason.contains("the action cannot be used here: no variable"),
        "{reason}"
    );
}

/// What is left of the server's own words in the reason.
fn complaint(reason: &Unavailable) -> Option<&str> {
    match reason {
        Unavailable::NotStarted { complaint, .. } | Unavailable::NoAnswer { complaint, .. } => {
            complaint.as_deref()
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_at_its_start_is_reported_with_the_end_of_its_standard_error() {
    let script = json!({ "dies": "Error: Cannot find module 'x'\n" });
    let Some(project) = scripted(script) else {
        return;
    };
    // The last of the four starts, and then the refusal to start it again.
    for _ in 0..5 {
        let reason = unavailable(hover(&project).await);
        assert!(
            matches!(reason, Unavailable::NotStarted { .. }),
            "{reason:?}"
        );
        assert_eq!(complaint(&reason), Some("Error: Cannot find module 'x'"));
        assert_eq!(reason.status(), ServerStatus::Failed);
    }
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_initialises_keeps_a_call_for_twenty_seconds_and_goes_on_starting() {
    let Some(project) = scripted(json!({ "mute": true })) else {
        return;
    };
    let begun = std::time::Instant::now();
    let reason = unavailable(hover(&project).await);
    let took = begun.elapsed();
    assert_eq!(reason.status(), ServerStatus::Starting, "{reason:?}");
    assert!((20..30).contains(&took.as_secs()), "{took:?}");
    assert_eq!(complaint(&reason), Some("warming up"));
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simple_question_that_is_never_answered_ends_after_twenty_seconds_and_a_hanging_server_is_replaced()
 {
    let directory = tempfile::tempdir().unwrap();
    let mut script = hovering(json!([{ "result": { "contents": "second life" } }]));
    script["once"] = json!(directory.path().join("once"));
    script["first"] = hovering(json!([{ "silent": true }]));
    let Some(project) = scripted(script) else {
        return;
    };
    let begun = std::time::Instant::now();
    // Two that are sent together are one silence; the third is another one.
    let (first, second) = tokio::join!(hover(&project), hover(&project));
    let took = begun.elapsed();
    for answer in [first, second, hover(&project).await] {
        let reason = unavailable(answer);
        let Unavailable::NoAnswer { error, .. } = &reason else {
            panic!("{reason:?}")
        };
        let text = "it did not answer `textDocument/hover` within 20 s";
        assert_eq!(error.to_string(), text);
        assert_eq!(reason.status(), ServerStatus::Failed);
    }
    assert!((20..30).contains(&took.as_secs()), "{took:?}");
    assert_eq!(hover(&project).await.unwrap(), "second life");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_not_believed_while_the_server_says_that_it_indexes() {
    let hover_text = json!({ "contents": "found" });
    let symbols = json!([{ "name": "name", "kind": 12, "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 4 } }, "selectionRange": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 4 } } }]);
    let script = json!({
        "busy": 1_200,
        "capabilities": { "documentSymbolProvider": true },
        "answers": {
            "textDocument/hover": [{ "result": null }, { "delay": 0, "result": hover_text }],
            "textDocument/documentSymbol": [{ "result": [] }, { "result": symbols }],
        },
    });
    let Some(project) = scripted(script) else {
        return;
    };
    let (hovered, listed) = tokio::join!(
        hover(&project),
        project.try_ask("a.fake", (1, 1), Query::DocumentSymbols)
    );
    assert_eq!(hovered.unwrap(), "found");
    let listed = listed.unwrap();
    assert_eq!(listed.status, ServerStatus::Ready);
    assert!(
        matches!(&listed.answer, QueryAnswer::Symbols(symbols) if symbols.len() == 1),
        "{listed:?}"
    );
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_indexes_for_ever_is_reported_as_indexing() {
    let script =
        json!({ "busy": 600_000, "answers": { "textDocument/hover": [{ "result": null }] } });
    let Some(project) = scripted(script) else {
        return;
    };
    let begun = std::time::Instant::now();
    let reply = project
        .try_ask("a.fake", (1, 1), Query::Hover)
        .await
        .unwrap();
    assert_eq!(
        (reply.status, reply.answer),
        (ServerStatus::Indexing, QueryAnswer::Hover(String::new()))
    );
    assert!((15..30).contains(&begun.elapsed().as_secs()));
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_hundred_symbols_are_not_taken_for_all() {
    let symbols = |count: u32| -> Vec<Value> {
        let place = |line: u32| json!({ "uri": "file:///x.fake", "range": { "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 1 } } });
        let one = |line| json!({ "name": "name", "kind": 12, "location": place(line) });
        (0..count).map(one).collect()
    };
    for (count, is_capped) in [(99, false), (100, true), (101, false)] {
        let script = json!({
            "capabilities": { "workspaceSymbolProvider": true },
            "answers": { "workspace/symbol": [{ "result": symbols(count) }] },
        });
        let Some(project) = scripted(script) else {
            return;
        };
        let query = Query::WorkspaceSymbols(Some("name".to_owned()));
        let reply = project.try_ask("a.fake", (1, 1), query).await.unwrap();
        assert_eq!(reply.is_capped, is_capped, "{count}");
        project.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_in_a_file_that_changed_is_asked_for_again_once_the_server_has_read_it() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let script = json!({
        "log": log,
        "capabilities": { "definitionProvider": true },
        "answers": { "textDocument/definition": [{ "moved": "b.fake" }] },
    });
    let Some(project) = scripted(script) else {
        return;
    };
    project.write("b.fake", "name\n");
    let ask = || project.ask("a.fake", (1, 1), Query::Definition);
    assert_eq!(ask().await, ["b.fake:1:1"]);
    project.write("b.fake", "\n\nname\n");
    assert_eq!(ask().await, ["b.fake:3:1"]);
    fs::remove_file(project.directory.path().join("b.fake")).unwrap();
    assert_eq!(ask().await, Vec::<String>::new(), "it is gone");
    project.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_import_that_a_server_gives_while_it_loads_is_not_taken_for_the_definition() {
    let place = |file: &str| json!([{ "uri": format!("file:///x/{file}"), "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 4 } } }]);
    for busy in [0, 700] {
        let script = json!({
            "busy": busy,
            "answers": {
                "textDocument/definition": [{ "result": place("import.fake") }, { "result": place("made.fake") }],
                "textDocument/hover": [{ "result": { "contents": "(alias)" } }, { "result": { "contents": "function" } }],
            },
        });
        let Some(project) = scripted(script) else {
            return;
        };
        let (definition, hovered) = tokio::join!(
            project.try_ask("a.fake", (1, 1), Query::Definition),
            hover(&project)
        );
        let definition = definition.unwrap();
        assert_eq!(
            project.reported(&definition),
            ["outside:made.fake"],
            "{busy}"
        );
        assert_eq!(hovered.unwrap(), "function", "{busy}");
        project.close().await;
    }
}
