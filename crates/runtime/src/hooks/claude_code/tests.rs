use std::path::Path;

use serde_json::json;
use tenon_contract::{Access, Operation, PathClaim};

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
    given(operation, tool, wire, &Access::default(), Path::new("/w"))
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
    let file = PathClaim {
        name: "a.txt".to_owned(),
        target: "/w/a.txt".into(),
    };
    let wire = json!({ "input": "no patch" });
    let calls = given(
        Operation::Patch,
        "apply_patch",
        &wire,
        &Access::writing(file),
        Path::new("/w"),
    );
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
