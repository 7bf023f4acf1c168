//! Where text of results comes from, and what rules make of it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_contract::{Content, ToolContext};
use tenon_policy::{Source, Verdict};
use tenon_runtime::store::{
    Commit, Key, MemoryStore, Millis, Operation as StoreOperation, Page, Query, Row, Store,
    StoreError, StoreFuture,
};
use tenon_runtime::{
    AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, CallRequest, CheckFuture, EventSink,
    ForeignCall, ForeignDefinition, ForeignFuture, ForeignOutput, ForeignRunner, HostCallbacks,
    Options, QuestionFuture, Toolkit,
};

use crate::support::Bench;

/// A server on loopback with one page.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = BufReader::new(&stream).read_line(&mut String::new());
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\npage");
        }
    });
    port
}

fn with_page(port: u16, mut options: Value) -> Value {
    options["web"] = json!({ "fetch": { "allowPrivate": [format!("127.0.0.1:{port}")] } });
    options
}

async fn fetch(bench: &Bench, port: u16) -> Value {
    let url = format!("http://127.0.0.1:{port}/");
    let (_, details) = bench.ok("web_fetch", json!({ "url": url })).await;
    details
}

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
}

/// Sources without what differs from run to run.
async fn sources(toolkit: &Toolkit) -> Vec<(Source, String)> {
    let read = toolkit.sources().await.into_iter();
    read.map(|source| (source.source, source.from)).collect()
}

/// Keeps what it is asked.
struct User(ApprovalAnswer, Mutex<Vec<ApprovalRequest>>);

impl User {
    fn saying(answer: ApprovalAnswer) -> Arc<Self> {
        Arc::new(Self(answer, Mutex::default()))
    }

    fn asked(&self) -> usize {
        self.1.lock().unwrap().len()
    }
}

impl Approver for User {
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture {
        self.1.lock().unwrap().push(request);
        Box::pin(std::future::ready(Ok(self.0)))
    }
}

fn asking(user: &Arc<User>, options: Value) -> Bench {
    let callbacks = HostCallbacks {
        approver: Some(user.clone()),
        ..HostCallbacks::default()
    };
    Bench::with_ports(options, callbacks)
}

/// A tool of a server that says a word.
struct Says;

impl ForeignRunner for Says {
    fn check(&self, call: ForeignCall) -> CheckFuture {
        Box::pin(async move { Ok(Ok(call.params)) })
    }

    fn question(&self, _: ForeignCall) -> QuestionFuture {
        Box::pin(async { Ok(Value::Null) })
    }

    fn run(&self, _: ForeignCall, _: ToolContext) -> ForeignFuture {
        Box::pin(async {
            Ok(ForeignOutput {
                content: vec![Content::text("word")],
                details: json!({}),
            })
        })
    }
}

fn register(bench: &Bench, definition: Value) {
    let definition: ForeignDefinition = serde_json::from_value(definition).unwrap();
    bench.toolkit.register(definition, Arc::new(Says)).unwrap();
}

#[tokio::test]
async fn nothing_is_recorded_unless_the_host_or_a_rule_asks_for_it() {
    let port = server();
    let bench = Bench::new(with_page(port, json!({})));
    assert_eq!(fetch(&bench, port).await.get("sources"), None);
    assert_eq!(sources(&bench.toolkit).await, []);
    let error = bench.toolkit.add_source("mcp", "docs").await.unwrap_err();
    assert_eq!(error.details["option"], "taint");
    let rule = json!({ "permissions": { "ask": ["Bash after mcp"] } });
    let bench = Bench::new(with_page(port, rule));
    let reported = json!([{ "source": "network", "from": "127.0.0.1" }]);
    assert_eq!(fetch(&bench, port).await["sources"], reported);
}

#[tokio::test]
async fn after_a_page_was_read_what_acts_outside_requires_approval() {
    let port = server();
    let more = tempfile::tempdir().unwrap();
    let options = json!({ "taint": true, "additionalDirectories": [more.path()], "tools": { "add": ["web_request"] } });
    let bench = Bench::new(with_page(port, options));
    let outside = more.path().canonicalize().unwrap().join("a.txt");
    let verdicts = || {
        let of = |tool: &str, params: Value| bench.toolkit.decide(tool, params).decision.verdict;
        [
            of("exec", json!({ "command": "ls" })),
            of("write", json!({ "file_path": outside, "content": "x" })),
            of("write", json!({ "file_path": "a.txt", "content": "x" })),
            of(
                "web_request",
                json!({ "url": "https://example.com/", "method": "POST" }),
            ),
            of("web_fetch", json!({ "url": "https://example.com/" })),
            of("read", json!({ "file_path": "a.txt" })),
        ]
    };
    assert_eq!(verdicts(), [Verdict::Allow; 6]);
    fetch(&bench, port).await;
    let (ask, allow) = (Verdict::Ask, Verdict::Allow);
    assert_eq!(verdicts(), [ask, ask, allow, ask, allow, allow]);
    let (code, message) = bench.refusal("exec", json!({ "command": "ls" })).await;
    assert_eq!(code, "policy_denied");
    assert!(message.contains("nobody can approve"), "{message}");
}

#[tokio::test]
async fn recording_alone_asks_nothing() {
    let port = server();
    let bench = Bench::new(with_page(port, json!({ "taint": "record" })));
    fetch(&bench, port).await;
    bench.ok("exec", json!({ "command": "true" })).await;
    assert_eq!(
        sources(&bench.toolkit).await,
        [(Source::Network, "127.0.0.1".to_owned())]
    );
}

#[tokio::test]
async fn the_question_names_the_places_and_the_first_call_of_each() {
    let port = server();
    let user = User::saying(ApprovalAnswer::Once);
    let rule = json!({ "permissions": { "ask": ["Bash(git push:*) after network"], "defaultMode": "allow" } });
    let bench = asking(&user, with_page(port, rule));
    let mut call = CallRequest::new(
        "web_fetch",
        json!({ "url": format!("http://127.0.0.1:{port}/") }),
    );
    call.id = "call_1".into();
    bench.toolkit.call(call).await.unwrap();
    let push = json!({ "command": "git push --dry-run . HEAD || true" });
    bench.call("exec", push.clone()).await.unwrap();
    let asked = user.1.lock().unwrap().clone();
    let [request] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!(
        request.rule.as_deref(),
        Some("Bash(git push:*) after network")
    );
    assert!(
        request
            .explanation
            .ends_with("Read before: `127.0.0.1` (network)."),
        "{}",
        request.explanation
    );
    let [read] = request.sources.as_slice() else {
        panic!("{:?}", request.sources);
    };
    assert_eq!(
        (read.tool.as_deref(), read.tool_call_id.as_deref()),
        (Some("web_fetch"), Some("call_1"))
    );
    let explained = bench.toolkit.explain("exec", push, None);
    assert_eq!(explained.sources, request.sources);
    assert_eq!(explained.decision.matched[0].after, [Source::Network]);
}

#[tokio::test]
async fn what_was_approved_for_good_before_is_not_approved_after() {
    let port = server();
    let user = User::saying(ApprovalAnswer::Always);
    let rules = json!({ "permissions": { "ask": ["Bash(echo:*)", "Bash(echo:*) after network"], "defaultMode": "allow" } });
    let bench = asking(&user, with_page(port, rules));
    let echo = json!({ "command": "echo a" });
    for _ in 0..2 {
        bench.ok("exec", echo.clone()).await;
    }
    assert_eq!(user.asked(), 1);
    let before = bench
        .toolkit
        .approval_request("exec", json!({ "command": "echo b" }), None);
    let before = before.unwrap().unwrap();
    fetch(&bench, port).await;
    for _ in 0..2 {
        bench.ok("exec", echo.clone()).await;
    }
    assert_eq!(user.asked(), 2);
    let after = bench
        .toolkit
        .approval_request("exec", json!({ "command": "echo b" }), None);
    assert_ne!(after.unwrap().unwrap().digest, before.digest);
}

#[tokio::test]
async fn tools_of_servers_and_of_the_host_say_where_their_text_comes_from() {
    let bench =
        Bench::new(json!({ "taint": "record", "permissions": { "deny": ["Bash after mcp"] } }));
    let schema = json!({ "type": "object", "properties": { "server": { "type": "string" } } });
    for (name, source) in [
        ("mcp__docs__find", json!("network")),
        ("read_mcp_resource", json!("mcp")),
        ("weather", json!("network")),
        ("clock", Value::Null),
    ] {
        let definition = json!({ "name": name, "parameters": schema, "resultContentSource": source, "annotations": { "readOnlyHint": true } });
        register(&bench, definition);
    }
    for name in ["clock", "weather"] {
        bench.ok(name, json!({})).await;
    }
    bench.ok("exec", json!({ "command": "true" })).await;
    bench
        .ok("read_mcp_resource", json!({ "server": "files" }))
        .await;
    let (_, details) = bench.ok("mcp__docs__find", json!({})).await;
    assert_eq!(
        details["sources"],
        json!([{ "source": "mcp", "from": "docs" }])
    );
    let expected = [
        (Source::Network, "weather"),
        (Source::Mcp, "files"),
        (Source::Mcp, "docs"),
    ];
    let expected = expected.map(|(source, from)| (source, from.to_owned()));
    assert_eq!(sources(&bench.toolkit).await, expected);
    let (code, _) = bench.refusal("exec", json!({ "command": "true" })).await;
    assert_eq!(code, "policy_denied");
}

#[tokio::test]
async fn files_that_git_does_not_track_are_a_source_unless_the_agent_wrote_them() {
    let bench = Bench::new(json!({ "taint": "record" }));
    bench
        .write(".gitignore", "node_modules\n")
        .write("src/a.ts", "needle\n")
        .write("node_modules/p/README.md", "needle\n")
        .write("notes.txt", "needle\n");
    git(bench.directory.path(), &["init", "-q"]);
    git(bench.directory.path(), &["add", "src"]);
    let read = |name: &str| bench.ok("read", json!({ "file_path": name }));
    assert_eq!(read("src/a.ts").await.1.get("sources"), None);
    bench
        .refusal("read", json!({ "file_path": "missing" }))
        .await;
    bench
        .ok("write", json!({ "file_path": "new.ts", "content": "x" }))
        .await;
    assert_eq!(read("new.ts").await.1.get("sources"), None);
    let of = |details: &Value| details["sources"].clone();
    let untracked = |name: &str| json!([{ "source": "untracked", "from": name }]);
    assert_eq!(
        of(&read("node_modules/p/README.md").await.1),
        untracked("node_modules/p/README.md")
    );
    let (_, found) = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(of(&found), untracked("notes.txt"));
    let (_, ran) = bench
        .ok("exec", json!({ "command": "cat src/a.ts notes.txt" }))
        .await;
    assert_eq!(of(&ran), untracked("notes.txt"));
    let (_, ran) = bench
        .ok("exec", json!({ "command": "ls node_modules" }))
        .await;
    assert_eq!(ran.get("sources"), None);
}

#[tokio::test]
async fn a_session_remembers_what_its_other_toolkits_have_read() {
    let (workspace, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(state.path(), private).unwrap();
    }
    let toolkit = |id: &str| {
        let options = json!({ "workspace": workspace.path(), "session": { "id": id, "store": state.path() }, "permissions": { "deny": ["Bash after mcp"] } });
        let options = Options::from_json(&options.to_string()).unwrap();
        Toolkit::new(options, HostCallbacks::default()).unwrap()
    };
    let run = async |toolkit: &Toolkit| {
        let call = CallRequest::new("exec", json!({ "command": "true" }));
        toolkit.call(call).await.is_ok()
    };
    let (first, beside) = (toolkit("mine"), toolkit("mine"));
    assert!(run(&beside).await);
    first.add_source("mcp", "docs").await.unwrap();
    assert!(!run(&first).await);
    assert!(!run(&beside).await);
    first.close().await.unwrap();
    drop(first);
    let later = toolkit("mine");
    assert_eq!(sources(&later).await, [(Source::Mcp, "docs".to_owned())]);
    assert!(run(&toolkit("other")).await);
    assert!(later.forget(None).await.unwrap());
    assert!(run(&toolkit("mine")).await);
}

/// A store that cannot be read while that is reported.
#[derive(Default)]
struct Unreadable(MemoryStore, AtomicBool);

impl Store for Unreadable {
    fn commit(&self, operations: Vec<StoreOperation>) -> StoreFuture<'_, Commit> {
        self.0.commit(operations)
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        if self.1.load(Ordering::Relaxed) {
            return Box::pin(async { Err(StoreError::Failed("away".to_owned())) });
        }
        self.0.get(keys)
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        self.0.scan(query)
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.0.now()
    }
}

#[tokio::test]
async fn where_the_store_cannot_be_read_every_source_counts_as_read() {
    let store = Arc::new(Unreadable::default());
    let callbacks = HostCallbacks {
        store: Some(Arc::clone(&store) as Arc<dyn Store>),
        ..HostCallbacks::default()
    };
    let options =
        json!({ "session": { "id": "mine" }, "permissions": { "deny": ["Bash after mcp"] } });
    let bench = Bench::with_ports(options, callbacks);
    let run = || bench.call("exec", json!({ "command": "true" }));
    assert!(run().await.is_ok());
    store.1.store(true, Ordering::Relaxed);
    assert_eq!(run().await.unwrap_err().code.as_str(), "policy_denied");
    store.1.store(false, Ordering::Relaxed);
    assert!(run().await.is_ok());
}

#[tokio::test]
async fn history_and_events_have_the_sources() {
    #[derive(Default)]
    struct Received(Mutex<Vec<Value>>);
    impl EventSink for Received {
        fn take(&self, json: String) {
            let event = serde_json::from_str(&json).unwrap();
            self.0.lock().unwrap().push(event);
        }
    }
    let port = server();
    let bench = Bench::new(with_page(port, json!({ "taint": "record" })));
    let received = Arc::new(Received::default());
    bench.toolkit.listen(Some(received.clone()));
    fetch(&bench, port).await;
    fetch(&bench, port).await;
    bench.toolkit.add_source("network", "e-mail").await.unwrap();
    let page = json!([{ "source": "network", "from": "127.0.0.1" }]);
    let history = serde_json::to_value(bench.toolkit.history()).unwrap();
    assert_eq!(history[0]["sources"], page);
    let events = received.0.lock().unwrap().clone();
    let of = |kind: &str| -> Vec<&Value> {
        let events = events.iter();
        events.filter(|event| event["type"] == kind).collect()
    };
    assert_eq!(of("finished").len(), 2);
    assert_eq!(of("finished")[1]["sources"], page);
    let added: Vec<[&Value; 2]> = of("source_added")
        .into_iter()
        .map(|event| [&event["from"], &event["tool"]])
        .collect();
    assert_eq!(
        added,
        [
            [&json!("127.0.0.1"), &json!("web_fetch")],
            [&json!("e-mail"), &Value::Null]
        ]
    );
}

#[tokio::test]
async fn a_condition_with_an_unknown_source_is_an_error_that_lists_the_known_ones() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        json!({ "workspace": directory.path(), "permissions": { "ask": ["Bash after web"] } });
    let options = Options::from_json(&options.to_string()).unwrap();
    let error = Toolkit::new(options, HostCallbacks::default()).unwrap_err();
    assert_eq!(
        error.message,
        "Invalid rule in `permissions.ask[0]`: `Bash after web` names the unknown source `web`. Known: `network`, `mcp`, `untracked`; write several as `after network, mcp` (byte 11 of the rule)."
    );
}
