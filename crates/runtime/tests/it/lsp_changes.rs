//! Changes that language servers propose, through the whole pipeline: judged before anything is written, shown where
//! somebody approves, made as a whole.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_runtime::{AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, HostCallbacks};

use crate::support::{Bench, path_with};

const LIB: &str = "export function add(a: number, b: number): number {\n  return a + b\n}\n";
const USE: &str = "import { add } from './lib.js'\n\nexport const three = add(1, 2)\n";
const OTHER: &str = "import { add } from './lib.js'\n\nconst wrap = { add }\nexport default wrap\n";

/// A project of three files and a TypeScript server; `None` where that is not installed, which is said.
fn project(options: Value, callbacks: HostCallbacks) -> Option<Bench> {
    let bin = path_with("typescript/node_modules/.bin", "typescript-language-server")?;
    let mut options = options;
    options["env"] = json!({ "add": { "PATH": bin } });
    let bench = Bench::with_ports(options, callbacks);
    bench
        .write("tsconfig.json", r#"{ "compilerOptions": { "module": "nodenext", "strict": true }, "include": ["*.ts"] }"#)
        .write("package.json", r#"{ "type": "module" }"#)
        .write("lib.ts", LIB)
        .write("use.ts", USE)
        .write("other.ts", OTHER);
    Some(bench)
}

/// Keeps what it is asked and says yes.
#[derive(Default)]
struct Agreeing(Mutex<Vec<ApprovalRequest>>);

impl Approver for Agreeing {
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture {
        self.0.lock().unwrap().push(request);
        Box::pin(async { Ok(ApprovalAnswer::Once) })
    }
}

fn rename() -> Value {
    json!({ "operation": "rename", "filePath": "use.ts", "line": 3, "symbol": "add", "newName": "sum" })
}

fn files(details: &Value) -> Vec<String> {
    let results = details["results"].as_array().unwrap().iter();
    let mut files: Vec<String> = results
        .map(|file| {
            format!(
                "{} {}",
                file["operation"].as_str().unwrap(),
                file["path"].as_str().unwrap()
            )
        })
        .collect();
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_is_shown_by_a_dry_run_and_then_made_in_every_file() {
    let Some(bench) = project(json!({}), HostCallbacks::default()) else {
        return;
    };
    let mut dry = rename();
    dry["dryRun"] = json!(true);
    let (text, shown) = bench.ok("lsp", dry).await;
    assert_eq!(
        (&shown["ok"], &shown["applied"]),
        (&json!(true), &json!(false)),
        "{shown}"
    );
    assert!(text.contains("+export const three = sum(1, 2)"), "{text}");
    assert_eq!(bench.read("use.ts"), USE, "a dry run changes nothing");

    let (text, done) = bench.ok("lsp", rename()).await;
    assert_eq!(done["applied"], true);
    assert_eq!(
        files(&done),
        ["update lib.ts", "update other.ts", "update use.ts"]
    );
    assert_eq!(done["diff"], shown["diff"]);
    assert!(
        text.starts_with("Success. Updated the following files:"),
        "{text}"
    );
    assert_eq!(bench.read("use.ts"), USE.replace("add", "sum"));
    assert_eq!(bench.read("lib.ts"), LIB.replace("add", "sum"));
    assert_eq!(
        bench.read("other.ts"),
        "import { sum } from './lib.js'\n\nconst wrap = { add: sum }\nexport default wrap\n"
    );
    let (_, found) = bench
        .ok("lsp", json!({ "operation": "findReferences", "filePath": "lib.ts", "line": 1, "symbol": "sum" }))
        .await;
    assert_eq!(
        (&found["total"], &found["serverStatus"]),
        (&json!(5), &json!("ready")),
        "{found}"
    );
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_on_any_of_its_files_refuses_the_whole_rename_before_anything_is_written() {
    for rule in ["Edit(other.ts)", "Edit", "Read(other.ts)"] {
        let options = json!({ "permissions": { "deny": [rule], "defaultMode": "allow" } });
        let Some(bench) = project(options, HostCallbacks::default()) else {
            return;
        };
        let (code, message) = bench.refusal("lsp", rename()).await;
        assert_eq!(code, "policy_denied", "{rule} {message}");
        assert_eq!(
            (bench.read("use.ts"), bench.read("lib.ts")),
            (USE.to_owned(), LIB.to_owned()),
            "{rule}"
        );
        if rule == "Read(other.ts)" {
            let mut dry = rename();
            dry["dryRun"] = json!(true);
            assert_eq!(
                bench.refusal("lsp", dry).await.0,
                "policy_denied",
                "its diff would show the file"
            );
        }
        bench.toolkit.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_approves_sees_the_diff_of_every_file_and_is_asked_once() {
    let user = Arc::new(Agreeing::default());
    let callbacks = HostCallbacks {
        approver: Some(user.clone()),
        ..HostCallbacks::default()
    };
    let Some(bench) = project(json!({}), callbacks) else {
        return;
    };
    let (_, done) = bench.ok("lsp", rename()).await;
    assert_eq!(done["applied"], true);
    let previews: Vec<Value> = user
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|request| request.preview.clone().into())
        .collect();
    let [preview] = previews.as_slice() else {
        panic!("{previews:?}")
    };
    let mut paths: Vec<&str> = preview["writes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["lib.ts", "other.ts", "use.ts"]);
    assert_eq!(preview["diff"], done["diff"]);
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_may_not_edit_is_shown_what_would_change_and_no_more() {
    let options = json!({ "tools": { "deny": ["edit"] } });
    let Some(bench) = project(options, HostCallbacks::default()) else {
        return;
    };
    let (code, message) = bench.refusal("lsp", rename()).await;
    assert_eq!(code, "policy_denied");
    assert!(message.contains("dry run"), "{message}");
    let mut dry = rename();
    dry["dryRun"] = json!(true);
    assert_eq!(files(&bench.ok("lsp", dry).await.1).len(), 3);
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repair_is_listed_and_made_by_its_title() {
    let Some(bench) = project(json!({}), HostCallbacks::default()) else {
        return;
    };
    bench.write("late.ts", "export const three = add(1, 2)\n");
    let place =
        json!({ "operation": "codeActions", "filePath": "late.ts", "line": 1, "character": 22 });
    let (text, offered) = bench.ok("lsp", place.clone()).await;
    let title = offered["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|action| action["title"].as_str())
        .find(|title| title.starts_with("Add import from"))
        .unwrap_or_else(|| panic!("{text}"));
    let mut apply = place.clone();
    apply["operation"] = json!("applyCodeAction");
    apply["title"] = json!(title);
    let (_, done) = bench.ok("lsp", apply.clone()).await;
    assert_eq!(
        (files(&done), &done["title"]),
        (vec!["update late.ts".to_owned()], &json!(title))
    );
    assert!(
        bench.read("late.ts").starts_with("import { add } from"),
        "{}",
        bench.read("late.ts")
    );
    apply["title"] = json!("no such repair");
    assert_eq!(bench.refusal("lsp", apply).await.0, "no_match");
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_is_made_where_a_place_is_named_twice_and_not_to_what_is_no_name() {
    let Some(bench) = project(json!({}), HostCallbacks::default()) else {
        return;
    };
    // Exported by name and as default: the server finds the uses by both ways.
    bench
        .write("lib.ts", "export function add(a: number) { return a }\nexport default add\n")
        .write("use.ts", "import { add } from './lib.js'\nimport other, { add as plus } from './lib.js'\nexport const three = add(other(plus(3)))\n")
        .write("other.ts", "export { add as sum } from './lib.js'\n");
    let mut call = rename();
    for name in ["not valid!", "class", "a.b", "a\nb"] {
        call["newName"] = json!(name);
        let (code, message) = bench.refusal("lsp", call.clone()).await;
        assert_eq!(code, "invalid_params", "{message}");
    }
    let (_, done) = bench.ok("lsp", rename()).await;
    assert_eq!(
        files(&done),
        ["update lib.ts", "update other.ts", "update use.ts"],
        "{done}"
    );
    assert_eq!(
        bench.read("use.ts"),
        "import { sum } from './lib.js'\nimport other, { sum as plus } from './lib.js'\nexport const three = sum(other(plus(3)))\n"
    );
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extraction_is_made_though_nobody_can_name_what_is_extracted() {
    let Some(bench) = project(json!({}), HostCallbacks::default()) else {
        return;
    };
    bench.write(
        "greet.ts",
        "export const greet = (n: string) => {\n  const p = \"Hello \" + n\n  return p\n}\n",
    );
    let apply = json!({
        "operation": "applyCodeAction", "filePath": "greet.ts", "line": 2, "title": "Extract to function in module scope",
    });
    let (text, done) = bench.ok("lsp", apply).await;
    assert_eq!(done["applied"], true, "{text}");
    assert!(
        bench.read("greet.ts").contains("function newFunction("),
        "{}",
        bench.read("greet.ts")
    );
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_nothing_is_changed_and_it_is_said_why() {
    let bench = Bench::new(json!({ "env": { "add": { "PATH": "/nonexistent" } } }));
    bench.write("use.ts", USE);
    let (text, details) = bench.ok("lsp", rename()).await;
    assert_eq!(
        details,
        json!({
            "ok": false,
            "operation": "rename",
            "server": "typescript-language-server",
            "serverStatus": "missing",
            "total": 0,
            "truncated": false,
            "error": "typescript-language-server (TypeScript) is not installed.",
            "install": "npm install -g typescript-language-server typescript@5",
            "fallback": "Use `grep` to search for the name. Use `read` to read the source.",
        })
    );
    assert!(text.contains("npm install"), "{text}");
    let nameless =
        json!({ "operation": "rename", "filePath": "use.ts", "line": 3, "newName": "sum" });
    assert_eq!(bench.refusal("lsp", nameless).await.0, "invalid_params");
    let toolless = bench
        .toolkit
        .catalog()
        .into_iter()
        .find(|tool| tool.name == "lsp")
        .unwrap();
    assert!(!toolless.annotations.read_only_hint, "it can change files");
}

#[tokio::test(flavor = "multi_thread")]
async fn symbols_are_listed_read_and_changed_without_any_server() {
    let bench = Bench::new(json!({
        "env": { "add": { "PATH": "/nonexistent" } },
        "permissions": { "deny": ["Edit(locked.ts)"], "defaultMode": "allow" },
    }));
    bench.write("lib.ts", LIB).write("locked.ts", LIB);
    let ask = |operation: &str, file: &str| json!({ "operation": operation, "filePath": file, "symbol": "add", "content": "export function add(a: number): number {\n  return a\n}" });
    let (_, outline) = bench
        .ok(
            "lsp",
            json!({ "operation": "outline", "filePath": "lib.ts" }),
        )
        .await;
    assert_eq!(
        (
            &outline["symbols"][0]["name"],
            &outline["symbols"][0]["lastLine"],
            &outline["server"]
        ),
        (&json!("add"), &json!(3), &json!("tree-sitter"))
    );
    let (_, read) = bench.ok("lsp", ask("readSymbol", "lib.ts")).await;
    assert_eq!(read["contents"], LIB);
    let (_, done) = bench.ok("lsp", ask("replaceSymbolBody", "lib.ts")).await;
    assert_eq!(
        (&done["applied"], files(&done)),
        (&json!(true), vec!["update lib.ts".to_owned()])
    );
    assert_eq!(
        bench.read("lib.ts"),
        "export function add(a: number): number {\n  return a\n}\n"
    );
    let refused = bench
        .refusal("lsp", ask("replaceSymbolBody", "locked.ts"))
        .await;
    assert_eq!(refused.0, "policy_denied");
    assert_eq!(bench.read("locked.ts"), LIB);

    let (text, symbols) = bench
        .ok(
            "lsp",
            json!({ "operation": "documentSymbol", "filePath": "lib.ts" }),
        )
        .await;
    assert_eq!(
        (
            &symbols["ok"],
            &symbols["serverStatus"],
            &symbols["symbols"][0]["name"]
        ),
        (&json!(true), &json!("missing"), &json!("add"))
    );
    assert!(
        text.contains("by parsing the file without a language server")
            && text.contains("npm install"),
        "{text}"
    );
}
