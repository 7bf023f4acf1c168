use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The answers to decisions on these calls, under one policy.
fn decided(options: &Value, calls: &[Value]) -> Vec<Value> {
    let mut policies = Policies::default();
    let mut ask = |request: Value| -> Value {
        serde_json::from_str(&policies.answer(&request.to_string())).unwrap()
    };
    let opened = ask(json!({"do": "open", "options": options}));
    calls
        .iter()
        .map(|call| {
            let mut request = json!({"do": "decide", "policy": opened["policy"]});
            let members = call.as_object().unwrap().clone();
            request.as_object_mut().unwrap().extend(members);
            ask(request)
        })
        .collect()
}

fn verdicts(options: &Value, calls: &[Value]) -> Vec<String> {
    let answers = decided(options, calls);
    let verdict = |answer: &Value| match answer["verdict"].as_str() {
        Some(verdict) => verdict.to_owned(),
        None => answer.to_string(),
    };
    answers.iter().map(verdict).collect()
}

fn call(tool: &str, effects: Value) -> Value {
    json!({"tool": tool, "effects": effects})
}

#[test]
fn commands_files_and_hosts_are_judged_by_the_rules_in_every_spelling_of_a_tool() {
    let options = json!({
        "permissions": {
            "allow": ["Bash(git status:*)", "Edit(src/**)", "Read", "WebFetch(domain:docs.rs)"],
            "deny": ["Bash(git push:*)", "Read(.env)"],
            "defaultMode": "ask",
        },
    });
    let calls = [
        call("exec", json!({"command": "cd src && git status -s"})),
        call("Bash", json!({"command": "git status; git push"})),
        call(
            "bash",
            json!({"commands": [{"text": "make", "directory": "src"}]}),
        ),
        call("write", json!({"writes": ["src/a.rs"]})),
        call("Write", json!({"writes": ["src/../Cargo.toml"]})),
        call("read", json!({"reads": [".env"]})),
        call("read", json!({"reads": ["src/a.rs"]})),
        call(
            "web_fetch",
            json!({"hosts": [{"host": "docs.rs", "url": "https://docs.rs/"}]}),
        ),
        call(
            "WebFetch",
            json!({"hosts": [{"host": "example.com", "url": "http://example.com/"}]}),
        ),
    ];
    let expected = [
        "allow", "deny", "ask", "allow", "ask", "deny", "allow", "allow", "ask",
    ];
    assert_eq!(verdicts(&options, &calls), expected);
}

#[test]
fn what_a_call_leaves_out_or_leads_outside_is_denied() {
    let calls = [
        call("exec", json!({})),
        call("edit", json!({"reads": ["a"]})),
        call("read", json!({"reads": ["../other/a"]})),
        call("read", json!({"reads": ["/etc/passwd"]})),
        call(
            "exec",
            json!({"commands": [{"text": "ls", "directory": ".."}]}),
        ),
    ];
    let answers = decided(&json!({}), &calls);
    let reasons: Vec<&str> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer["verdict"], "deny");
            answer["reason"].as_str().unwrap()
        })
        .collect();
    assert_eq!(
        reasons,
        [
            "`exec` needs a command (`command`), and the call names none: it cannot be judged.",
            "`edit` needs a file (`writes`), and the call names none: it cannot be judged.",
            "`../other/a` is outside of the workspace.",
            "`/etc/passwd` is outside of the workspace.",
            "`..` is outside of the workspace.",
        ]
    );
}

#[test]
fn links_and_additional_directories_are_followed_as_far_as_the_call_states_them() {
    let options = json!({
        "permissions": {"deny": ["Read(secrets/**)"]},
        "workspace": "/srv/app",
        "additionalDirectories": ["/srv/shared"],
    });
    let calls = [
        call(
            "read",
            json!({"reads": ["notes.txt"], "links": {"notes.txt": "secrets/key"}}),
        ),
        call("read", json!({"reads": ["/srv/app/secrets/key"]})),
        call("read", json!({"reads": ["/srv/shared/a"]})),
        call("read", json!({"reads": ["/srv/sharedness"]})),
    ];
    assert_eq!(
        verdicts(&options, &calls),
        ["deny", "deny", "allow", "deny"]
    );
}

#[test]
fn tools_that_are_not_known_are_judged_by_what_they_say_they_touch() {
    let options = json!({
        "permissions": {
            "allow": ["mcp__issues__*(repo:tenon)", "Edit(docs/**)"],
            "deny": ["deploy"],
            "defaultMode": "ask",
        },
        "tools": ["deploy", "publish"],
    });
    let calls = [
        call(
            "mcp__issues__create",
            json!({"arguments": {"repo": "tenon"}}),
        ),
        call(
            "mcp__issues__create",
            json!({"arguments": {"repo": "other"}}),
        ),
        call("deploy", json!({})),
        call("publish", json!({"writes": ["docs/a.md"]})),
        call("publish", json!({})),
    ];
    let expected = ["allow", "ask", "deny", "ask", "ask"];
    assert_eq!(verdicts(&options, &calls), expected);
}

#[test]
fn rules_that_depend_on_what_was_read_hold_after_it() {
    let rules = json!({"deny": ["Bash(curl:*) after network"]});
    let calls = [call("exec", json!({"command": "curl example.com"}))];
    let before = json!({"permissions": rules});
    let after = json!({"permissions": rules, "sources": ["network"]});
    assert_eq!(verdicts(&before, &calls), ["allow"]);
    assert_eq!(verdicts(&after, &calls), ["deny"]);
}

#[test]
fn an_explanation_says_what_each_command_does() {
    let mut policies = Policies::default();
    let _ = policies.answer(r#"{"do": "open", "options": {}}"#);
    let request = json!({
        "do": "explain", "policy": 1, "tool": "exec",
        "effects": {"command": "cp a.txt b/ && rm a.txt"},
    });
    let answer: Value = serde_json::from_str(&policies.answer(&request.to_string())).unwrap();
    let files = |index: usize| answer["commands"][index]["files"].clone();
    assert_eq!(answer["danger"], "high");
    assert_eq!(answer["commands"][0]["program"], "cp");
    assert_eq!(files(1), json!([{"kind": "delete", "name": "a.txt"}]));
}

#[test]
fn what_is_wrong_with_a_request_is_an_error_that_says_what() {
    let mut policies = Policies::default();
    let mut error = |request: &str| -> String {
        let answer: Value = serde_json::from_str(&policies.answer(request)).unwrap();
        answer["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        error(r#"{"do": "decide", "policy": 7, "tool": "ls", "effects": {}}"#),
        "The policy was closed."
    );
    assert!(error("{").contains("EOF"));
    assert!(error(r#"{"do": "dance"}"#).contains("unknown variant `dance`"));
    assert!(
        error(r#"{"do": "open", "options": {"permissions": {"alow": []}}}"#)
            .contains("unknown field `alow`")
    );
    assert_eq!(
        error(r#"{"do": "open", "options": {"workspace": "C:\\project"}}"#),
        "The directory `C:\\project` is not an absolute path of the form `/srv/project`."
    );
    assert_eq!(
        error(r#"{"do": "open", "options": {"dialect": "klingon"}}"#),
        "`klingon` is not a vocabulary. Known ones: agent, canonical, coder, manager, acp."
    );
    assert!(
        error(r#"{"do": "open", "options": {"permissions": {"deny": ["Bsh(x)"]}}}"#)
            .contains("names the unknown tool `Bsh`")
    );
    assert!(
        error(r#"{"do": "decide", "policy": 7, "tool": "exec", "effects": {"comand": "ls"}}"#)
            .contains("unknown field `comand`")
    );
}

#[test]
fn a_policy_that_was_closed_is_forgotten() {
    let mut policies = Policies::default();
    let _ = policies.answer(r#"{"do": "open", "options": {}}"#);
    assert_eq!(policies.answer(r#"{"do": "close", "policy": 1}"#), "{}");
    assert_eq!(
        policies.answer(r#"{"do": "explain", "policy": 1, "tool": "ls", "effects": {}}"#),
        r#"{"error":"The policy was closed."}"#
    );
}

proptest! {
    #[test]
    fn no_request_panics_and_every_answer_is_json(
        tool in "(exec|Bash|read|mcp__a__b|[a-z_]{0,9})",
        command in r"[ -~\n]{0,60}",
        path in r"[./a-z\\~*]{0,20}",
    ) {
        let options = json!({"permissions": {"deny": ["Bash(rm:*)", "Read(.env)"], "allow": ["Bash(ls:*)"]}});
        let call = call(&tool, json!({"command": command, "reads": [path], "writes": [path]}));
        let answers = decided(&options, &[call]);
        prop_assert!(answers[0]["verdict"].is_string() || answers[0]["error"].is_string());
    }
}
