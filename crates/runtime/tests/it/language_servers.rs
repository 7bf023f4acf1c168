//! Language servers through the whole pipeline: what is told where none is installed, and who may ask.

use serde_json::{Value, json};

use crate::support::{Bench, path_with};

/// Options under which no server is found, whatever this machine has.
fn without_servers(dialect: &str) -> Value {
    json!({ "dialect": dialect, "env": { "add": { "PATH": "/nonexistent" } } })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_server_is_a_result_with_its_command_and_something_else_to_try() {
    let bench = Bench::new(without_servers("canonical"));
    bench.write("a.py", "def add(a, b):\n    return a + b\n");
    let params =
        json!({ "operation": "goToDefinition", "filePath": "a.py", "line": 1, "character": 5 });
    let (text, details) = bench.ok("LSP", params).await;
    assert_eq!(
        details,
        json!({
            "ok": false,
            "operation": "goToDefinition",
            "server": "pylsp",
            "server_status": "missing",
            "total": 0,
            "truncated": false,
            "error": "The language server for python, pylsp, is not installed.",
            "install": "pip install 'python-lsp-server[all]'",
            "fallback": "Search for the name with grep, or read the source.",
        })
    );
    assert!(
        text.contains("pip install 'python-lsp-server[all]'") && text.contains("grep"),
        "{text}"
    );

    let coder = Bench::new(without_servers("coder"));
    coder.write("a.sh", "echo\n").write("b.txt", "");
    for (tool, params, expected) in [
        (
            "lsp_diagnostics",
            json!({ "path": "a.sh" }),
            json!({ "ok": false, "diagnostics": [], "count": 0, "server_status": "missing" }),
        ),
        (
            "lsp_definition",
            json!({ "path": "a.sh", "line": 0, "character": 0 }),
            json!({ "ok": false, "location": null, "server_status": "missing" }),
        ),
        (
            "lsp_hover",
            json!({ "path": "b.txt", "line": 0, "character": 0 }),
            json!({ "ok": false, "contents": "", "server_status": "unsupported" }),
        ),
    ] {
        let (_, details) = coder.ok(tool, params).await;
        for (member, value) in expected.as_object().unwrap() {
            assert_eq!(&details[member], value, "{tool} {member}");
        }
        assert!(
            details["fallback"].is_string() && details["error"].is_string(),
            "{details}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_an_error() {
    let bench = Bench::new(without_servers("canonical"));
    bench.write("a.py", "x = 1\n");
    let ask =
        |path: &str| json!({ "operation": "hover", "filePath": path, "line": 1, "character": 1 });
    assert_eq!(
        bench.refusal("LSP", ask("../a.py")).await.0,
        "outside_workspace"
    );
    assert_eq!(bench.refusal("LSP", ask("b.py")).await.0, "not_found");
    let (code, message) = bench
        .refusal("LSP", json!({ "operation": "hover", "filePath": "a.py" }))
        .await;
    assert_eq!(code, "invalid_params");
    assert!(
        message.contains("`line`") && message.contains("`character`"),
        "{message}"
    );
    let level = Bench::new(json!({ "dialect": "canonical", "level": 1 }));
    assert_eq!(level.refusal("LSP", ask("a.py")).await.0, "unknown_tool");
}

#[tokio::test(flavor = "multi_thread")]
async fn configured_languages_without_a_server_are_told_once_when_the_toolkit_is_made() {
    let mut options = without_servers("coder");
    options["lsp"] = json!({ "servers": {
        "zig": { "command": "zls", "extensions": [".zig"], "install": "brew install zls" },
        "py": { "command": "pylsp" },
    } });
    let bench = Bench::new(options);
    assert_eq!(
        bench.toolkit.notices(),
        [
            "[LSP] py: pylsp is not installed, run: pip install 'python-lsp-server[all]'",
            "[LSP] zig: zls is not installed, run: brew install zls",
        ]
    );
    let manager = Bench::new(json!({
        "dialect": "manager",
        "env": { "add": { "PATH": "/nonexistent" } },
        "lsp": { "servers": { "py": { "command": "pylsp" } } },
    }));
    assert_eq!(manager.toolkit.notices().len(), 1);
}

#[test]
fn an_agent_whose_host_names_no_language_is_told_of_none() {
    let other = Bench::agent();
    other.write("inner/a.py", "");
    for (dialect, told) in [("agent", 0), ("coder", 1)] {
        let toolkit = Bench::inside(&other, "inner", without_servers(dialect));
        assert_eq!(toolkit.notices().len(), told, "{dialect}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_carry_lines_of_source_and_leave_out_files_that_may_not_be_read() {
    let Some(path) = path_with("python/bin", "pylsp") else {
        return;
    };
    let options = json!({
        "dialect": "canonical",
        "env": { "add": { "PATH": path } },
        "permissions": { "deny": ["Read(secret/**)"] },
    });
    let bench = Bench::new(options);
    bench
        .write(
            "lib.py",
            "def add(a, b):\n    \"\"\"Sum.\"\"\"\n    return a + b\n",
        )
        .write(
            "use.py",
            "from lib import add\nfrom secret.keys import token\n\nü = '🦀'; add(1, token)\n",
        )
        .write("secret/__init__.py", "")
        .write(
            "secret/keys.py",
            "from lib import add\n\ntoken = add('hidden', 'value')\n",
        );
    let ask = |operation: &str, line: u64, character: u64| {
        let params = json!({ "operation": operation, "filePath": "use.py", "line": line, "character": character });
        bench.ok("LSP", params)
    };
    let (text, details) = ask("findReferences", 4, 11).await;
    let files: Vec<&str> = details["locations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| place["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["use.py", "use.py", "lib.py"], "{details}");
    assert_eq!(details["locations"][1]["text"], "ü = '🦀'; add(1, token)");
    assert_eq!(
        (
            &details["locations"][1]["line"],
            &details["locations"][1]["character"]
        ),
        (&json!(4), &json!(11))
    );
    assert_eq!(
        (&details["total"], &details["server_status"]),
        (&json!(3), &json!("ready"))
    );
    assert!(
        text.contains("lib.py\n  1:5 def add(a, b):") && !text.contains("secret"),
        "{text}"
    );
    let (_, hidden) = ask("goToDefinition", 4, 18).await;
    assert_eq!(hidden["locations"], json!([]));
    let (_, hover) = ask("hover", 4, 18).await;
    assert_eq!(
        hover["contents"], "",
        "what is said of a name of a hidden file is hidden, too"
    );
    let (_, shown) = ask("hover", 4, 11).await;
    assert!(
        shown["contents"].as_str().unwrap().contains("Sum."),
        "{shown}"
    );
    bench.toolkit.close().await.unwrap();
}
