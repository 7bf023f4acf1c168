use std::path::Path;
use std::sync::LazyLock;

use serde_json::json;
use tenon_contract::{Access, CommandClaim, HostClaim, InputClaim, Operation, PathClaim};

use super::*;

fn imported(settings: &Value) -> Result<ImportedHooks, ToolError> {
    import_hooks(HookFormat::ClaudeCode, &settings.to_string())
}

#[test]
fn command_hooks_are_carried_over_and_the_rest_is_named() {
    let settings = json!({
        "permissions": { "deny": [] },
        "hooks": {
            "PreToolUse": [
                { "matcher": "Bash", "hooks": [{ "type": "command", "command": "check.sh", "timeout": 5 }] },
                { "hooks": [{ "type": "command", "command": "/bin/a b", "args": ["it's", "${CLAUDE_PROJECT_DIR}/x"] }] },
            ],
            "PostToolUse": [
                { "matcher": "Edit|Write", "hooks": [
                    { "type": "command", "command": "fmt", "async": true },
                    { "type": "prompt", "prompt": "?" },
                ] },
            ],
            "Stop": [{ "hooks": [] }],
        },
    });
    let imported = imported(&settings).unwrap();
    let reported: Vec<_> = imported
        .hooks
        .commands
        .iter()
        .map(|hook| {
            (
                hook.event,
                hook.matcher.as_deref(),
                hook.command.as_str(),
                hook.timeout_ms,
                hook.is_async,
            )
        })
        .collect();
    let expected = [
        (
            HookEvent::Before,
            Some("Bash"),
            "check.sh",
            Some(5000),
            false,
        ),
        (
            HookEvent::Before,
            None,
            r#"'/bin/a b' 'it'\''s' ''"${CLAUDE_PROJECT_DIR}"'/x'"#,
            None,
            false,
        ),
        (HookEvent::After, Some("Edit|Write"), "fmt", None, true),
    ];
    assert_eq!(reported, expected);
    assert_eq!(
        imported.notices,
        [
            "`hooks.PostToolUse[0].hooks[1]` has the type `prompt`; only `command` can be run here. It was skipped.",
            "The hooks of `Stop` are not run: only `PreToolUse` and `PostToolUse` are.",
        ]
    );
}

#[test]
fn what_guards_calls_and_cannot_be_run_here_is_an_error() {
    let with = |hook: Value| json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } });
    for (hook, expected) in [
        (
            json!({ "type": "http", "url": "x" }),
            "`hooks.PreToolUse[0].hooks[0]` has the type `http`",
        ),
        (
            json!({ "type": "command" }),
            "`hooks.PreToolUse[0].hooks[0].command` must be",
        ),
        (
            json!({ "type": "command", "command": "x", "timeout": 0 }),
            "`hooks.PreToolUse[0].hooks[0].timeout`",
        ),
        (
            json!({ "type": "command", "command": "x", "shell": "powershell" }),
            "`hooks.PreToolUse[0].hooks[0].shell`",
        ),
    ] {
        let error = imported(&with(hook)).unwrap_err();
        assert!(error.message.starts_with(expected), "{}", error.message);
    }
    let odd = json!({ "hooks": { "PreToolUse": [{ "matcher": "(", "hooks": [{ "type": "command", "command": "x" }] }] } });
    assert!(
        imported(&odd)
            .unwrap_err()
            .message
            .contains("not a regular expression")
    );
    for settings in [
        json!([]),
        json!({ "hooks": [] }),
        json!({ "hooks": { "PreToolUse": {} } }),
    ] {
        imported(&settings).unwrap_err();
    }
    import_hooks(HookFormat::ClaudeCode, "{").unwrap_err();
}

fn calls<'c>(operation: Operation, tool: &'c str, wire: &'c Value) -> Vec<ClaudeCall<'c>> {
    given(&own(operation, tool, wire, &NOTHING))
}

static NOTHING: LazyLock<Access> = LazyLock::new(Access::default);

fn own<'c>(
    operation: Operation,
    tool: &'c str,
    wire: &'c Value,
    access: &'c Access,
) -> OwnCall<'c> {
    OwnCall {
        operation,
        tool,
        rule_name: tool,
        wire,
        access,
        time_limit: None,
        directory: Path::new("/w"),
    }
}

fn file(name: &str) -> PathClaim {
    PathClaim {
        name: name.to_owned(),
        target: Path::new("/w").join(name),
    }
}

/// What guards with each matcher are given: the name and the parameters without those of our call.
fn guarded(own: &OwnCall<'_>) -> Vec<Value> {
    let wire = own.wire.as_object().unwrap();
    { given(own).into_iter() }
        .map(|mut call| {
            call.input.retain(|name, _| !wire.contains_key(name));
            json!([call.names, call.input])
        })
        .collect()
}

fn call(wire: &Value) -> ClaudeCall<'_> {
    calls(Operation::Edit, "edit", wire).remove(0)
}

fn said(wire: &Value, stdout: &Value) -> Result<Before, ToolError> {
    let ended = HookEnd {
        code: 0,
        stdout: stdout.to_string(),
        stderr: String::new(),
    };
    said_before(&ended, &call(wire))
}

#[test]
fn parameters_go_out_in_the_words_of_claude_code_and_come_back_in_ours() {
    let wire = json!({ "path": "a/b.ts", "oldText": "x", "newText": "y" });
    let given = call(&wire);
    assert_eq!(given.names, ["Edit", "MultiEdit", "edit"]);
    assert_eq!(
        Value::Object(given.input),
        json!({ "file_path": "/w/a/b.ts", "old_string": "x", "new_string": "y" })
    );
    let updated = json!({ "file_path": "/w/a/b.ts", "old_string": "x", "new_string": "z" });
    let stdout =
        json!({ "hookSpecificOutput": { "permissionDecision": "allow", "updatedInput": updated } });
    let params = said(&wire, &stdout).unwrap().params.unwrap();
    assert_eq!(
        params,
        json!({ "path": "a/b.ts", "oldText": "x", "newText": "z" })
    );
}

#[test]
fn every_form_of_a_decision_is_understood() {
    let wire = json!({});
    let decided = |stdout: Value| said(&wire, &stdout).unwrap();
    let specific = |decision: &str| json!({ "hookSpecificOutput": { "permissionDecision": decision, "permissionDecisionReason": "why" } });
    assert_eq!(decided(specific("allow")), Before::default());
    assert_eq!(decided(specific("deny")).deny.as_deref(), Some("why"));
    for word in ["ask", "defer"] {
        assert_eq!(
            decided(specific(word)).ask.unwrap().reason.as_deref(),
            Some("why")
        );
    }
    assert_eq!(
        decided(json!({ "decision": "block", "reason": "no" }))
            .deny
            .as_deref(),
        Some("no")
    );
    assert_eq!(
        decided(json!({ "continue": false, "stopReason": "halt" }))
            .deny
            .as_deref(),
        Some("halt")
    );
    assert_eq!(decided(json!({ "systemMessage": "x" })), Before::default());
    let context = json!({ "hookSpecificOutput": { "additionalContext": "note" } });
    assert_eq!(decided(context).context, ["note"]);
    for wrong in [
        specific("maybe"),
        json!({ "decision": "no" }),
        json!({ "hookSpecificOutput": { "updatedInput": [] } }),
    ] {
        said(&wire, &wrong).unwrap_err();
    }
    let ended = |code, stdout: &str, stderr: &str| HookEnd {
        code,
        stdout: stdout.into(),
        stderr: stderr.into(),
    };
    let given = call(&wire);
    assert_eq!(
        said_before(&ended(2, "", " bad \n"), &given)
            .unwrap()
            .deny
            .as_deref(),
        Some("bad")
    );
    assert_eq!(
        said_before(&ended(0, "fine\n", ""), &given).unwrap(),
        Before::default()
    );
    said_before(&ended(0, "{ not json", ""), &given).unwrap_err();
    let marked = said_before(&ended(0, "\u{feff}{\"decision\":\"block\"}", ""), &given).unwrap();
    assert_eq!(marked.deny.as_deref(), Some("it gave no reason"));
    for other in [
        r#"{"continue":"false"}"#,
        r#"{"decision":["block"]}"#,
        r#"{"hookSpecificOutput":[{"permissionDecision":"deny"}]}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":false}}"#,
    ] {
        said_before(&ended(0, other, ""), &given).unwrap_err();
    }
}

#[test]
fn what_is_said_of_a_result_is_added_to_it_or_replaces_it() {
    let ended = |code, stdout: Value, stderr: &str| HookEnd {
        code,
        stdout: stdout.to_string(),
        stderr: stderr.into(),
    };
    let block = said_after(&ended(
        0,
        json!({ "decision": "block", "reason": "lint" }),
        "",
    ))
    .unwrap();
    assert_eq!(block.context, ["lint"]);
    let failed = said_after(&ended(2, json!(""), "broken\n")).unwrap();
    assert_eq!(failed.context, ["broken"]);
    let replaced = json!({ "hookSpecificOutput": { "updatedToolOutput": "new" } });
    let replaced = said_after(&ended(0, replaced, "")).unwrap();
    assert_eq!(replaced.content, Some(vec![Content::text("new")]));
}

/// What guards of Claude Code look at: the tool, and its parameters without those that have our words only.
fn looked_at(operation: Operation, tool: &str, wire: &Value) -> Vec<Value> {
    let seen = |mut call: ClaudeCall<'_>| {
        call.input.remove("input");
        json!([call.names[0], call.input])
    };
    { calls(operation, tool, wire).into_iter() }
        .map(seen)
        .collect()
}

#[test]
fn a_guard_of_edits_sees_each_file_of_a_patch_and_each_text_of_several_edits() {
    let envelope = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n@@\n-five\n+5\n\
        *** Add File: b.txt\n+new\n*** Delete File: c.txt\n*** End Patch\n";
    assert_eq!(
        looked_at(
            Operation::Patch,
            "apply_patch",
            &json!({ "input": envelope })
        ),
        [
            json!(["Edit", { "file_path": "/w/a.txt", "old_string": "one\ntwo\nfive", "new_string": "one\n2\n5" }]),
            json!(["Write", { "file_path": "/w/b.txt", "content": "new" }]),
            json!(["Write", { "file_path": "/w/c.txt", "content": "" }]),
        ]
    );
    let moved = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n";
    assert_eq!(
        looked_at(Operation::Patch, "patch", &json!({ "input": moved })),
        [
            json!(["Write", { "file_path": "/w/x", "content": "" }]),
            json!(["Edit", { "file_path": "/w/y", "old_string": "1", "new_string": "2" }]),
        ]
    );
    let several = json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "2" }, { "type": "insert", "text": "3" }] });
    assert_eq!(
        looked_at(Operation::Edit, "edit", &several),
        [json!(["Edit", {
            "file_path": "/w/a", "old_string": "1", "new_string": "2\n3",
            "edits": [{ "old_string": "1", "new_string": "2" }, { "type": "insert", "text": "3" }],
        }])]
    );
    assert_eq!(
        looked_at(Operation::Delete, "delete_file", &json!({ "path": "a" })),
        [json!(["Write", { "file_path": "/w/a", "content": "" }])]
    );
}

#[test]
fn a_file_that_a_call_changes_is_named_even_where_its_patch_cannot_be_read() {
    let wire = json!({ "input": "no patch" });
    let access = Access::writing(file("a.txt"));
    let calls = given(&own(Operation::Patch, "apply_patch", &wire, &access));
    let [call] = calls.as_slice() else {
        panic!("one file");
    };
    assert_eq!(
        Value::from(call.input.clone()),
        json!({ "file_path": "/w/a.txt", "input": "no patch" })
    );
}

#[test]
fn a_hook_may_change_several_edits_but_not_what_was_only_added_for_it() {
    let wire = json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "2" }] });
    let updated = |input: Value| json!({ "hookSpecificOutput": { "updatedInput": input } });
    let edits = updated(
        json!({ "file_path": "/w/a", "old_string": "1", "edits": [{ "old_string": "1", "new_string": "3" }] }),
    );
    assert_eq!(
        said(&wire, &edits).unwrap().params.unwrap(),
        json!({ "path": "a", "edits": [{ "oldText": "1", "newText": "3" }] })
    );
    let text = updated(json!({ "file_path": "/w/a", "new_string": "3" }));
    let error = said(&wire, &text).unwrap_err();
    assert!(
        error.message.contains("changes `new_string`"),
        "{}",
        error.message
    );
}

const EDITS: [&str; 3] = ["Edit", "MultiEdit", "Write"];
const WRITES: [&str; 3] = ["Write", "Edit", "MultiEdit"];

#[test]
fn what_is_typed_into_a_command_is_given_as_a_command() {
    let command = CommandClaim {
        text: "bash".to_owned(),
        directory: file(""),
        environment: Vec::new(),
    };
    for (action, text) in [
        ("write", "rm a\n"),
        ("submit", "rm a\r"),
        ("paste", "\u{1b}[200~rm a\u{1b}[201~"),
    ] {
        let typed = InputClaim {
            command: command.clone(),
            text: text.to_owned(),
        };
        let access = Access {
            inputs: vec![typed],
            ..Access::default()
        };
        let wire = json!({ "action": action, "sessionId": "1", "data": "rm a" });
        assert_eq!(
            guarded(&own(Operation::Process, "process", &wire, &access)),
            [json!([["Bash", "process"], { "bash_id": "1", "command": "rm a" }])]
        );
    }
    for (action, names) in [
        ("poll", &["BashOutput", "process"][..]),
        ("kill", &["KillBash", "KillShell", "process"]),
        ("remove", &["KillBash", "KillShell", "process"]),
        ("write", &["Bash", "process"]),
    ] {
        let wire = json!({ "action": action, "sessionId": "1" });
        let calls = calls(Operation::Process, "process", &wire);
        assert_eq!(calls[0].names, names, "{action}");
    }
}

#[test]
fn what_any_tool_changes_runs_and_opens_is_given_to_the_guards_of_that() {
    let writing = |name: &str| Access::writing(file(name));
    let wire = json!({ "operation": "rename", "filePath": "a.ts", "newName": "y" });
    assert_eq!(
        guarded(&own(Operation::Lsp, "lsp", &wire, &writing("b.ts"))),
        [
            json!([["LSP", "lsp"], {}]),
            json!([EDITS, { "file_path": "/w/b.ts", "new_string": "y" }]),
        ]
    );
    let wire = json!({ "action": "download", "path": "x.zip" });
    assert_eq!(
        guarded(&own(
            Operation::Browser,
            "browser",
            &wire,
            &writing("x.zip")
        )),
        [
            json!([["browser"], {}]),
            json!([WRITES, { "file_path": "/w/x.zip" }])
        ]
    );
    let wire = json!({ "command": "delete", "path": "/memories/a" });
    let access = Access::deleting(file("notes/a"));
    assert_eq!(
        guarded(&own(Operation::Memory, "memory", &wire, &access)),
        [
            json!([["memory"], {}]),
            json!([WRITES, { "file_path": "/w/notes/a", "content": "" }]),
        ]
    );
    let wire = json!({ "scope": "all" });
    let access = Access {
        commands: vec![CommandClaim {
            text: "npm test".to_owned(),
            directory: file(""),
            environment: Vec::new(),
        }],
        ..Access::default()
    };
    assert_eq!(
        guarded(&own(Operation::RunTests, "run_tests", &wire, &access)),
        [
            json!([["run_tests"], {}]),
            json!([["Bash"], { "command": "npm test" }])
        ]
    );
    let wire = json!({ "method": "GET" });
    let access = Access::connecting(HostClaim {
        host: "a.example".to_owned(),
        port: 443,
        url: "https://a.example/x".to_owned(),
    });
    assert_eq!(
        guarded(&own(Operation::WebRequest, "web_request", &wire, &access)),
        [
            json!([["web_request"], {}]),
            json!([["WebFetch"], { "url": "https://a.example/x" }]),
        ]
    );
}

#[test]
fn work_for_an_agent_is_given_to_a_guard_of_agents() {
    let access = Access::default();
    let guarded = |operation, tool, wire| guarded(&own(operation, tool, &wire, &access));
    let wire = json!({ "agent": "x", "task": "look" });
    assert_eq!(
        guarded(Operation::SessionsSpawn, "sessions_spawn", wire),
        [
            json!([["sessions_spawn"], {}]),
            json!([["Task", "Agent"], { "prompt": "look", "subagent_type": "x" }]),
        ]
    );
    let wire = json!({ "sessionId": "s", "message": "go on" });
    assert_eq!(
        guarded(Operation::SessionsSend, "sessions_send", wire).len(),
        2
    );
    let wire = json!({ "action": "add", "prompt": "look" });
    assert_eq!(guarded(Operation::Cron, "cron", wire).len(), 2);
    let wire = json!({ "action": "list" });
    assert_eq!(guarded(Operation::Cron, "cron", wire).len(), 1);
}

#[test]
fn every_file_that_is_read_is_given_to_a_guard_of_reads_by_its_own_name() {
    let wire = json!({ "path": "b/../.env:1-5" });
    let access = Access::reading(file(".env"));
    let read = calls_with(Operation::Read, &wire, &access);
    assert_eq!(read, [json!(["Read", "/w/.env"])]);
    let wire = json!({ "path": "a", "more": [".env"] });
    let access = Access {
        reads: vec![file("a"), file(".env")],
        ..Access::default()
    };
    let read = calls_with(Operation::Read, &wire, &access);
    assert_eq!(read, [json!(["Read", "/w/a"]), json!(["Read", "/w/.env"])]);
    // What a hook gives back unchanged is the call as it was.
    let second = given(&own(Operation::Read, "read", &wire, &access)).remove(1);
    assert_eq!(second.taken(second.input.clone()).unwrap(), wire);
}

fn calls_with(operation: Operation, wire: &Value, access: &Access) -> Vec<Value> {
    { given(&own(operation, "read", wire, access)).into_iter() }
        .map(|call| json!([call.names[0], call.input["file_path"]]))
        .collect()
}

#[test]
fn the_time_limit_of_a_command_is_in_milliseconds_for_hooks() {
    let wire = json!({ "command": "a", "timeout": 5 });
    let limited = |limit| OwnCall {
        time_limit: limit,
        ..own(Operation::Execute, "exec", &wire, &NOTHING)
    };
    let updated = |call: &OwnCall<'_>, timeout: u64| {
        let input = json!({ "command": "a", "timeout": timeout });
        let call = given(call).remove(0);
        call.taken(input.as_object().unwrap().clone()).unwrap()
    };
    let name = |is_in_seconds| {
        Some(TimeLimitName {
            name: "timeout",
            is_in_seconds,
        })
    };
    let seconds = limited(name(true));
    assert_eq!(given(&seconds)[0].input["timeout"], 5000);
    assert_eq!(updated(&seconds, 5000), wire);
    let changed = json!({ "command": "a", "timeout": 1 });
    assert_eq!(updated(&seconds, 1000), changed);
    let fraction = json!({ "command": "a", "timeout": 1.5 });
    assert_eq!(updated(&seconds, 1500), fraction);
    let millis = limited(name(false));
    assert_eq!(given(&millis)[0].input["timeout"], 5);
    assert_eq!(updated(&millis, 5), wire);
    // A tool without a limit leaves one out instead of refusing every command.
    let none = json!({ "command": "a" });
    let own = own(Operation::Execute, "bash", &none, &NOTHING);
    assert_eq!(updated(&own, 1000), none);
}
