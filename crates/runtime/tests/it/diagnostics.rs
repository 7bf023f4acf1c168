//! get_diagnostics of `manager`: what the real compiler and the workspace's own ESLint find, and who did not look.

use serde_json::{Value, json};

use crate::support::{Bench, path_with};

/// A stand-in for the ESLint of a project: it reports what the real one would, in its format.
const ESLINT: &str = r#"#!/usr/bin/env node
const file = process.argv.at(-1)
console.log(JSON.stringify([{ filePath: file, messages: [
  { ruleId: 'no-var', severity: 1, message: 'Unexpected var.', line: 1, column: 1, endLine: 1, endColumn: 4 },
  { ruleId: 'no-undef', severity: 2, message: `directory ${require('path').basename(process.cwd())}`, line: 2, column: 3 },
] }]))
process.exit(1)
"#;

fn with_eslint(trusted: bool) -> Option<Bench> {
    let path = path_with("typescript/node_modules/.bin", "typescript-language-server")?;
    let bench = Bench::new(json!({
        "dialect": "manager",
        "env": { "add": { "PATH": path } },
        "lsp": { "trustWorkspace": trusted, "servers": {} },
    }));
    bench
        .write(
            "app/a.ts",
            "const wrong: string = 1\nexport default wrong\n",
        )
        .write("app/eslint.config.mjs", "export default []\n")
        .write("node_modules/.bin/eslint", ESLINT);
    let program = bench.path("node_modules/.bin/eslint");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(program, mode).unwrap();
    Some(bench)
}

const TYPE_ERROR: &str = "Type 'number' is not assignable to type 'string'.";

fn finding(severity: u8, message: &str, line: u64, column: u64, source: &str) -> Value {
    json!({ "severity": severity, "message": message, "line": line, "column": column, "source": source })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_workspace_is_checked_by_the_compiler_and_its_eslint_is_not_run() {
    let Some(bench) = with_eslint(false) else {
        return;
    };
    let (text, details) = bench
        .ok("get_diagnostics", json!({ "file": "app/a.ts" }))
        .await;
    assert_eq!(
        details["diagnostics"],
        json!([finding(0, TYPE_ERROR, 0, 6, "typescript")])
    );
    assert_eq!(
        (&details["errorCount"], &details["warningCount"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(details["unavailable"][0]["source"], "eslint");
    assert!(
        text.ends_with("[Not checked: ESLint was not run because the workspace is not trusted]"),
        "{text}"
    );
    let (_, only) = bench
        .ok(
            "get_diagnostics",
            json!({ "file": "app/a.ts", "type": "eslint" }),
        )
        .await;
    assert_eq!(
        (&only["ok"], &only["diagnostics"]),
        (&json!(false), &json!([])),
        "{only}"
    );
    let (_, compiler) = bench
        .ok(
            "get_diagnostics",
            json!({ "file": "app/a.ts", "type": "typescript" }),
        )
        .await;
    assert_eq!(
        compiler,
        json!({
            "file": "app/a.ts",
            "diagnostics": [finding(0, TYPE_ERROR, 0, 6, "typescript")],
            "errorCount": 1,
            "warningCount": 0,
        })
    );
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_eslint_of_a_trusted_workspace_is_run_where_its_configuration_lies() {
    let Some(bench) = with_eslint(true) else {
        return;
    };
    let (_, details) = bench
        .ok(
            "get_diagnostics",
            json!({ "file": "app/a.ts", "type": "eslint" }),
        )
        .await;
    assert_eq!(
        details,
        json!({
            "file": "app/a.ts",
            "diagnostics": [
                finding(1, "Unexpected var.", 0, 0, "eslint"),
                finding(0, "directory app", 1, 2, "eslint"),
            ],
            "errorCount": 1,
            "warningCount": 1,
        })
    );
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_anybody_to_check_a_file_nothing_is_known_about_it() {
    let bench =
        Bench::new(json!({ "dialect": "manager", "env": { "add": { "PATH": "/nonexistent" } } }));
    bench.write("a.py", "x = 1\n");
    let (text, details) = bench.ok("get_diagnostics", json!({ "file": "a.py" })).await;
    assert_eq!(
        details,
        json!({
            "file": "a.py",
            "diagnostics": [],
            "errorCount": 0,
            "warningCount": 0,
            "ok": false,
            "unavailable": [{
                "source": "python",
                "error": "pylsp (Python) is not installed.",
                "install": "pip install 'python-lsp-server[all]'",
            }],
            "fallback": "Use `read_file` to read the file.",
        })
    );
    assert_eq!(
        text,
        "pylsp (Python) is not installed. To install it: `pip install 'python-lsp-server[all]'`.\nUse `read_file` to read the file."
    );
    let refused = bench
        .refusal("get_diagnostics", json!({ "file": "../a.py" }))
        .await;
    assert_eq!(refused.0, "outside_workspace");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_reports_which_findings_came_and_went_with_it() {
    let Some(path) = path_with("typescript/node_modules/.bin", "typescript-language-server") else {
        return;
    };
    let bench = Bench::new(json!({
        "env": { "add": { "PATH": path } },
        "lsp": { "diagnosticsAfterEdit": { "budgetMs": 60_000 } },
    }));
    bench.write("a.ts", "const wrong: string = 1\nexport default wrong\n");
    let edit =
        |old: &str, new: &str| json!({ "file_path": "a.ts", "oldText": old, "newText": new });
    let (text, broken) = bench
        .ok(
            "edit",
            edit("export default wrong", "// a line\nexport default wring"),
        )
        .await;
    let reported = &broken["diagnosticsAfterEdit"][0];
    assert_eq!(
        (&reported["path"], &reported["known"], &reported["gone"]),
        (&json!("a.ts"), &json!(true), &json!([])),
        "{broken}"
    );
    assert_eq!(
        (
            &reported["new"][0]["line"],
            reported["new"].as_array().unwrap().len()
        ),
        (&json!(3), 1),
        "{reported}"
    );
    assert!(
        text.contains("1 new, 0 fixed")
            && text.contains("new 3:16 error: Cannot find name 'wring'."),
        "{text}"
    );
    let (text, mended) = bench
        .ok("edit", edit("wrong: string = 1", "wring: string = 'x'"))
        .await;
    let reported = &mended["diagnosticsAfterEdit"][0];
    let (new, gone) = (
        reported["new"].as_array().unwrap(),
        reported["gone"].as_array().unwrap(),
    );
    assert_eq!((new.len(), gone.len()), (0, 2), "{text}");
    let (text, created) = bench
        .ok(
            "write",
            json!({ "file_path": "b.ts", "content": "export const n: number = 'x'\n" }),
        )
        .await;
    assert_eq!(
        created["diagnosticsAfterEdit"][0]["new"]
            .as_array()
            .unwrap()
            .len(),
        1,
        "{text}"
    );
    let (text, plain) = bench
        .ok("write", json!({ "file_path": "c.txt", "content": "x" }))
        .await;
    assert!(plain.get("diagnosticsAfterEdit").is_none(), "{text}");
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_change_breaks_in_files_that_import_the_changed_one_is_reported() {
    for (directory, program) in [
        ("typescript/node_modules/.bin", "typescript-language-server"),
        ("tsgo/node_modules/.bin", "tsgo"),
    ] {
        let Some(path) = path_with(directory, program) else {
            continue;
        };
        let bench = Bench::new(json!({
            "env": { "add": { "PATH": path } },
            "lsp": { "diagnosticsAfterEdit": { "budgetMs": 60_000 } },
        }));
        bench
            .write(
                "tsconfig.json",
                r#"{ "compilerOptions": { "strict": true, "module": "nodenext" } }"#,
            )
            .write("src/shape.ts", "export const area = 1\n")
            .write(
                "src/use.ts",
                "import { area } from './shape.js'\nexport const ü = '🦀', twice = area * 2\n",
            )
            .write(
                "src/other.ts",
                "// A shape is only spoken of here.\nexport const wrong: string = 1\n",
            );
        let edit = |old: &str, new: &str| json!({ "file_path": "src/shape.ts", "oldText": old, "newText": new });
        let (text, broken) = bench.ok("edit", edit("const area", "const size")).await;
        let reported = broken["diagnosticsAfterEdit"].as_array().unwrap();
        let paths: Vec<&str> = reported
            .iter()
            .map(|file| file["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["src/shape.ts", "src/use.ts"], "{program} {text}");
        assert_eq!(
            reported[1]["new"].as_array().unwrap().len(),
            1,
            "{program} {text}"
        );
        assert_eq!(
            (
                &reported[1]["new"][0]["line"],
                &reported[1]["new"][0]["character"]
            ),
            (&json!(1), &json!(10)),
            "{program} {text}"
        );
        assert!(
            text.contains("Errors and warnings in `src/use.ts`: 1 new, 0 fixed."),
            "{text}"
        );
        let (text, mended) = bench.ok("edit", edit("const size", "const area")).await;
        let reported = &mended["diagnosticsAfterEdit"][1];
        assert_eq!(
            (
                &reported["path"],
                reported["gone"].as_array().unwrap().len()
            ),
            (&json!("src/use.ts"), 1),
            "{program} {text}"
        );
        bench.toolkit.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_change_did_is_said_not_to_be_known_without_a_server() {
    let bench = Bench::new(json!({
        "env": { "add": { "PATH": "/nonexistent" } },
        "lsp": { "diagnosticsAfterEdit": true },
    }));
    bench.write("a.py", "x = 1\n");
    let (text, details) = bench
        .ok(
            "edit",
            json!({ "file_path": "a.py", "oldText": "1", "newText": "2" }),
        )
        .await;
    assert_eq!(details["diagnosticsAfterEdit"][0]["known"], false);
    assert!(
        text.contains("Whether `a.py` has new errors is not known: no language server responded before the change."),
        "{text}"
    );
}
