//! No text names a tool that the agent does not have: definitions, results, notices and errors, whatever is exposed.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Value, json};
use tenon_dialects::DialectId;

use crate::support::{Bench, text};

/// Every name that any vocabulary gives a tool.
fn all_names() -> BTreeSet<&'static str> {
    let rows = DialectId::ALL.iter().flat_map(|id| {
        let dialect = id.dialect();
        dialect.tools.iter().chain(dialect.extras())
    });
    rows.map(|row| row.name).collect()
}

/// The tools that a text names: distinctive names anywhere, English words only where they stand as a name.
fn named(text: &str) -> BTreeSet<String> {
    let as_name =
        Regex::new(r"(?:[Uu]se|[Ww]ith|[Cc]all|[Rr]un) `?([A-Za-z_]+)`?(?: tool|\.|,|:| to | with | or | for )|`([A-Za-z_]+)`")
            .unwrap();
    let words = Regex::new(r"[A-Za-z_]+").unwrap();
    let known = all_names();
    let is_distinctive = |name: &str| {
        name.contains('_')
            || name
                .chars()
                .skip(1)
                .any(|letter| letter.is_ascii_uppercase() && name != "LSP" && name != "LS")
    };
    let plain = words
        .find_iter(text)
        .map(|found| found.as_str())
        .filter(|word| is_distinctive(word));
    let marked = as_name
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|found| found.as_str());
    plain
        .chain(marked)
        .filter(|word| known.contains(word))
        .map(str::to_owned)
        .collect()
}

/// Words of a tool's own schema: its parameters and their values.
fn own_words(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(node) => {
            for (name, value) in node {
                words.insert(name.clone());
                own_words(value, words);
            }
        }
        Value::Array(nodes) => nodes.iter().for_each(|node| own_words(node, words)),
        Value::String(text) if !text.contains(' ') => drop(words.insert(text.clone())),
        _ => {}
    }
}

/// Calls of a tool that fail, are cut short or leave something out, by what it does.
fn provoked(dialect: DialectId, name: &str, bench: &Bench) -> Vec<Value> {
    let row = dialect.dialect().tool(name).unwrap();
    let operation = row.operation.name();
    let at = |file: &str| json!(bench.path(file));
    let file = row.name_of("path").unwrap_or("path");
    let pattern = row.name_of("pattern").unwrap_or("pattern");
    let one = |param: &str, value: Value| json!({ param: value });
    match operation {
        "read" => [
            "missing.txt",
            "src",
            "long.txt",
            "wide.txt",
            "bytes.bin",
            "src/ap.ts",
            "long.txt/x",
        ]
        .iter()
        .map(|name| one(file, at(name)))
        .collect(),
        "write" => vec![
            json!({ file: at("src"), "content": "x" }),
            json!({ file: at("long.txt/x"), "content": "x" }),
            json!({ file: at("../outside.txt"), "content": "x" }),
        ],
        "edit" => {
            let edit = |path: &str, old: &str| match dialect {
                DialectId::Canonical => {
                    json!({ "file_path": at(path), "old_string": old, "new_string": "x" })
                }
                DialectId::Acp => {
                    json!({ "path": at(path), "edits": [{ "type": "replace", "oldText": old, "newText": "x" }] })
                }
                _ => {
                    json!({ "file_path": at(path), "edits": [{ "oldText": old, "newText": "x" }] })
                }
            };
            vec![
                edit("missing.txt", "a"),
                edit("twice.txt", "same"),
                edit("twice.txt", "nothing of the kind"),
                edit("twice.txt", "x"),
                edit("src", "a"),
                edit("bytes.bin", "a"),
            ]
        }
        "patch" => vec![one(
            row.name_of("patch").unwrap(),
            json!("--- a/twice.txt\n+++ b/twice.txt\n@@ -1,1 +1,1 @@\n-none\n+x\n"),
        )],
        "list" => vec![
            one(file, at("missing")),
            one(file, at("long.txt")),
            one(file, at("many")),
        ],
        "find" => vec![
            one(pattern, json!("*.none")),
            one(pattern, json!("[")),
            one(pattern, json!("**/*.txt")),
        ],
        "grep" => vec![
            one(pattern, json!("line")),
            one(pattern, json!("zzz")),
            one(pattern, json!("(")),
            one(pattern, json!("no such thing")),
        ],
        "execute" => vec![
            one("command", json!("exit 3")),
            one("command", json!("sleep 30 & echo left")),
            one("command", json!("seq 1 40000")),
            json!({ "command": "sleep 5", "timeout": 1 }),
            one("command", json!("")),
        ],
        "delete" => vec![one(file, at("missing.txt")), one(file, at("src"))],
        "process" => vec![
            json!({ "action": "poll", "sessionId": "none" }),
            json!({ "bash_id": "none" }),
            json!({ "shell_id": "none" }),
        ],
        "lsp" => vec![
            json!({ "operation": "hover", "filePath": at("a.py"), "line": 1, "character": 1 }),
            json!({ "operation": "goToDefinition", "filePath": at("a.py"), "line": 1, "character": 1 }),
            json!({ "path": at("a.py"), "line": 0, "character": 0 }),
            json!({ "path": at("a.py") }),
        ],
        "diagnostics" => vec![one(file, at("a.py")), one(file, at("missing.py"))],
        "run_tests" => vec![json!({}), json!({ "file": "missing.test.ts" })],
        "git_status" => vec![json!({})],
        "browser" => vec![
            json!({ "action": "open", "url": "https://example.org/" }),
            json!({ "action": "jump" }),
        ],
        "web_fetch" => vec![
            json!({ "url": "http://127.0.0.1:1/", "prompt": "x" }),
            json!({ "url": "ftp://example.org/", "prompt": "x" }),
        ],
        "web_request" => vec![json!({ "url": "http://127.0.0.1:1/" })],
        "web_search" => vec![json!({ "query": "x" })],
        "skill" => vec![
            json!({ "action": "list" }),
            json!({ "action": "load", "name": "none" }),
        ],
        "canvas" => vec![json!({ "action": "list" })],
        "task" => vec![json!({ "agent": "none", "objective": "x" })],
        "notebook_edit" => {
            vec![json!({ "notebook_path": at("missing.ipynb"), "cell_id": "1", "new_source": "x" })]
        }
        _ => vec![],
    }
}

fn bench(dialect: DialectId, mut options: Value) -> Bench {
    options["dialect"] = json!(dialect.name());
    options["env"] = json!({ "add": { "PATH": "/usr/bin:/bin" } });
    options["permissions"] = json!({ "deny": ["Read(secret.txt)"] });
    let bench = Bench::new(options);
    let lines: String = (1..=2500).map(|line| format!("line {line}\n")).collect();
    bench
        .write("long.txt", lines)
        .write("wide.txt", format!("zzz{}", "x".repeat(70_000)))
        .write("bytes.bin", b"\0\x01\x02")
        .write("twice.txt", "same\nsame\n")
        .write("src/app.ts", "export const a = 1\n")
        .write("secret.txt", "line of a secret")
        .write("a.py", "x = 1\n");
    for count in 0..600 {
        bench.write(&format!("many/{count}.txt"), "");
    }
    bench
}

/// What is exposed, in several ways.
fn settings(dialect: DialectId) -> Vec<Value> {
    let mut all = vec![
        json!({}),
        json!({ "tools": { "show": "all" } }),
        json!({ "tools": { "deny": ["process"] } }),
        json!({ "tools": { "deny": ["exec", "grep", "ls", "find"] } }),
        json!({ "tools": { "add": ["run_tests", "git_status", "apply_patch", "get_diagnostics", "ls"] } }),
    ];
    if dialect == DialectId::Canonical {
        all.extend((1..=3).map(|level| json!({ "level": level })));
        all.push(json!({ "level": 1, "tools": { "deny": ["BashOutput"] } }));
    }
    let alone = dialect.dialect().tools.iter();
    all.extend(alone.map(|row| json!({ "tools": { "allow": [row.name], "show": "all" } })));
    all
}

/// Whether the calls of [`provoked`] are made: not where a setting differs only in what is shown.
fn is_called(options: &Value, exposed: usize) -> bool {
    exposed == 1
        || *options == json!({})
        || options.get("level").is_some()
        || options.pointer("/tools/deny").is_some()
        || options.pointer("/tools/add").is_some()
}

/// The texts that name a tool that is not exposed, and how many texts were looked at.
async fn strange_names(dialect: DialectId) -> (Vec<String>, usize) {
    let mut faults = Vec::new();
    let mut texts = 0;
    for options in settings(dialect) {
        let bench = bench(dialect, options.clone());
        let catalog = bench.toolkit.catalog();
        let exposed: BTreeSet<String> =
            catalog.iter().map(|entry| entry.name.to_string()).collect();
        for entry in &catalog {
            let mut own = exposed.clone();
            own_words(&entry.parameters, &mut own);
            let mut said = vec![entry.description.to_string(), entry.parameters.to_string()];
            let is_own = dialect.dialect().tool(&entry.name).is_some();
            if is_own && is_called(&options, exposed.len()) {
                for params in provoked(dialect, &entry.name, &bench) {
                    said.push(match bench.call(&entry.name, params).await {
                        Ok(outcome) => outcome_notices(&text(&outcome)),
                        Err(error) => error.message,
                    });
                }
            }
            texts += said.len();
            for line in said {
                let strange: Vec<String> = named(&line)
                    .into_iter()
                    .filter(|name| !own.contains(name))
                    .collect();
                if !strange.is_empty() {
                    let (dialect, tool) = (dialect.name(), &entry.name);
                    faults.push(format!("{dialect} {options} {tool}: {strange:?} in {line}"));
                }
            }
        }
        bench.toolkit.close().await.unwrap();
    }
    (faults, texts)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_names_a_tool_that_is_not_exposed() {
    let walks: Vec<_> = DialectId::ALL
        .iter()
        .map(|dialect| tokio::spawn(strange_names(*dialect)))
        .collect();
    let mut all = Vec::new();
    let mut looked_at = 0;
    for walk in walks {
        let (faults, texts) = walk.await.unwrap();
        all.extend(faults);
        looked_at += texts;
    }
    assert!(looked_at > 1500, "only {looked_at} texts were looked at");
    assert_eq!(all, Vec::<String>::new());
}

/// What changes from run to run, by a name of its own.
fn normalised(text: &str, bench: &Bench) -> String {
    let root = bench.path("x").parent().unwrap().display().to_string();
    let home = std::env::var("HOME").unwrap_or_else(|_| "/none".to_owned());
    let text = text.replace(&root, "WORKSPACE").replace(&home, "HOME");
    let patterns = [
        (r"untrusted content [0-9a-f]+", "untrusted content ID"),
        (r"`[a-z]+-[a-z]+`", "`session-name`"),
        (r"\b[0-9.]+ m?s\b", "TIME"),
        // A search that ends early may have met the denied file by then, or not.
        (
            r"(matches shown[^\]]*)\. 1 file not searched: denied by `Read\(secret.txt\)`",
            "$1",
        ),
    ];
    patterns.iter().fold(text, |text, (pattern, name)| {
        let pattern = Regex::new(pattern).unwrap();
        pattern.replace_all(&text, *name).into_owned()
    })
}

/// Every sentence that the calls of [`provoked`] bring about, for a review of what changes.
#[tokio::test(flavor = "multi_thread")]
async fn what_failing_and_shortened_calls_say_is_in_the_catalogue() {
    for dialect in DialectId::ALL {
        let bench = bench(*dialect, json!({ "tools": { "show": "all" } }));
        let mut catalogue = String::new();
        for row in dialect.dialect().tools {
            catalogue.push_str(&format!("## {}\n\n", row.name));
            for params in provoked(*dialect, row.name, &bench) {
                let call = normalised(&params.to_string(), &bench);
                let said = match bench.call(row.name, params).await {
                    Ok(outcome) => last_lines(&text(&outcome)),
                    Err(error) => error.message,
                };
                let said = normalised(&said, &bench).replace('\n', "\n    ");
                catalogue.push_str(&format!("{call}\n    {said}\n\n"));
            }
        }
        bench.toolkit.close().await.unwrap();
        insta::assert_snapshot!(dialect.name(), catalogue);
    }
}

/// The last lines of a result, where its notices are.
fn last_lines(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.chars().take(200).collect())
        .collect();
    lines[lines.len().saturating_sub(3)..].join("\n")
}

/// The end of a result, where its notices are.
fn outcome_notices(text: &str) -> String {
    let start = text.ceil_char_boundary(text.len().saturating_sub(600));
    text[start..].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn companions_come_with_the_tool_that_leads_to_them_at_every_level() {
    let names = |options: Value| {
        let bench = bench(DialectId::Canonical, options);
        let catalog = bench.toolkit.catalog();
        catalog
            .iter()
            .map(|entry| entry.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(json!({ "level": 1, "tools": { "show": "all" } })),
        [
            "Read",
            "Write",
            "Edit",
            "Glob",
            "Grep",
            "Bash",
            "AskUserQuestion",
            "BashOutput",
            "KillBash"
        ]
    );
    assert_eq!(
        names(json!({ "level": 1, "tools": { "deny": ["Bash", "BashOutput"] } })),
        ["Read", "Write", "Edit", "Glob", "Grep"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_lead_to_a_denied_companion_are_gone_and_refused() {
    for (dialect, tool, params, gone) in [
        (
            DialectId::Canonical,
            "Bash",
            json!({ "command": "true", "run_in_background": true }),
            vec!["run_in_background"],
        ),
        (
            DialectId::Agent,
            "exec",
            json!({ "command": "true", "yieldMs": 5 }),
            vec!["background", "yieldMs", "waitFor"],
        ),
    ] {
        let bench = bench(dialect, json!({ "tools": { "deny": ["process"] } }));
        let catalog = bench.toolkit.catalog();
        let entry = catalog.iter().find(|entry| entry.name == tool).unwrap();
        let reported = format!("{} {}", entry.description, entry.parameters);
        for name in gone {
            assert!(!reported.contains(name), "{reported}");
        }
        assert!(!reported.contains("background"), "{reported}");
        let (code, message) = bench.refusal(tool, params).await;
        assert_eq!(code, "invalid_params");
        assert!(message.contains("Unknown parameter"), "{message}");
    }
}

#[tokio::test]
async fn any_operation_can_be_added_under_a_name_of_the_vocabulary() {
    let add = json!(["run_tests", "git_status", "apply_patch", "Skill"]);
    for (dialect, expected) in [
        (
            DialectId::Canonical,
            vec!["RunTests", "GitStatus", "ApplyPatch", "Skill"],
        ),
        (DialectId::Coder, vec!["run_tests", "git_status"]),
        (
            DialectId::Acp,
            vec!["run_tests", "git_status", "apply_patch", "skill"],
        ),
    ] {
        let bench = bench(
            dialect,
            json!({ "tools": { "add": add, "profile": "minimal" } }),
        );
        let catalog = bench.toolkit.catalog();
        let names: BTreeSet<String> = catalog.iter().map(|entry| entry.name.to_string()).collect();
        for name in expected {
            assert!(names.contains(name), "{}: {names:?}", dialect.name());
        }
    }
    let canonical = bench(
        DialectId::Canonical,
        json!({ "tools": { "add": ["apply_patch"] } }),
    );
    let patch = "--- a/twice.txt\n+++ b/twice.txt\n@@ -1,2 +1,2 @@\n-same\n+other\n same\n";
    let (text, details) = canonical.ok("ApplyPatch", json!({ "patch": patch })).await;
    assert_eq!(details["applied"], true, "{text}");
    assert_eq!(canonical.read("twice.txt"), "other\nsame\n");
    let coder = bench(DialectId::Coder, json!({ "tools": { "add": ["edit"] } }));
    let edit =
        json!({ "file_path": coder.path("a.py"), "old_string": "x = 1", "new_string": "x = 2" });
    let (_, details) = coder.ok("edit", edit).await;
    assert_eq!(details["ok"], true);
    let denied = bench(
        DialectId::Canonical,
        json!({ "tools": { "add": ["run_tests"], "deny": ["run_tests"] } }),
    );
    assert_eq!(
        denied.refusal("RunTests", json!({})).await.0,
        "policy_denied"
    );
}

#[test]
fn a_name_to_be_added_that_means_no_tool_is_refused_with_the_nearest() {
    let directory = tempfile::tempdir().unwrap();
    let options = json!({ "workspace": directory.path(), "tools": { "add": ["raed"] } });
    let options = tenon_runtime::Options::from_json(&options.to_string()).unwrap();
    let error =
        tenon_runtime::Toolkit::new(options, tenon_runtime::HostCallbacks::default()).unwrap_err();
    assert_eq!(
        error.message,
        "`raed` in `tools.add` is not the name of a built-in tool. Did you mean `read`?"
    );
}

#[test]
fn an_empty_exposure_is_a_notice() {
    let bench = Bench::new(json!({ "tools": { "profile": "minimal" } }));
    assert_eq!(bench.toolkit.catalog().len(), 0);
    assert_eq!(
        bench.toolkit.notices(),
        [
            "This toolkit exposes no tools (`tools.profile: minimal`). Check `tools.profile`, `tools.allow` and `tools.deny`."
        ]
    );
}

#[test]
fn tools_that_cannot_work_are_shown_only_on_request() {
    let names = |options: Value| {
        let bench = Bench::new(options);
        let catalog = bench.toolkit.catalog();
        catalog
            .iter()
            .map(|entry| entry.name.to_string())
            .collect::<BTreeSet<_>>()
    };
    let usable = names(json!({}));
    let all = names(json!({ "tools": { "show": "all" } }));
    let hidden: Vec<&String> = all.difference(&usable).collect();
    assert_eq!(
        hidden,
        [
            "ask_user",
            "browser",
            "canvas",
            "cron",
            "memory",
            "message",
            "session_status",
            "sessions_history",
            "sessions_list",
            "sessions_send",
            "sessions_spawn",
            "subagents",
            "task",
            "web_search"
        ]
    );
}

#[test]
fn groups_may_be_named_with_or_without_their_prefix() {
    for name in ["mine", "group:mine"] {
        let bench = Bench::new(
            json!({ "tools": { "allow": ["group:mine"], "groups": { name: ["read", "ls"] } } }),
        );
        let catalog = bench.toolkit.catalog();
        let names: Vec<&str> = catalog.iter().map(|entry| entry.name.as_ref()).collect();
        assert_eq!(names, ["read", "ls"]);
    }
}

#[test]
fn the_agents_of_the_host_are_the_choices_of_task() {
    let agents = json!([{ "name": "reviewer", "description": "reviews code" }, { "name": "tester", "description": "runs tests" }]);
    let bench = Bench::new(json!({ "agents": agents, "tools": { "show": "all" } }));
    let catalog = bench.toolkit.catalog();
    let task = catalog.iter().find(|entry| entry.name == "task").unwrap();
    let agent = task.parameters.pointer("/properties/agent").unwrap();
    assert_eq!(agent["enum"], json!(["reviewer", "tester"]));
    assert_eq!(
        agent["description"],
        "The agent to use. `reviewer`: reviews code; `tester`: runs tests"
    );
    let errors = bench
        .toolkit
        .validate("task", json!({ "agent": "reviwer", "objective": "x" }));
    let message = &errors.errors.unwrap()[0].message;
    assert_eq!(
        message,
        "Expected one of `reviewer`, `tester`, got `reviwer`."
    );
}
