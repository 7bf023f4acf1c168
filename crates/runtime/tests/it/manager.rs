//! The `manager` dialect: whole files, counted searches, the state of the repository.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tenon_runtime::CallRequest;

use crate::support::Bench;

fn manager() -> Bench {
    Bench::new(json!({ "dialect": "manager" }))
}

#[tokio::test]
async fn a_file_is_read_whole_in_the_encoding_asked_for() {
    let bench = manager();
    bench
        .write("a.txt", "größe\n")
        .write("latin.txt", b"gr\xF6\xDFe\n")
        .write("ascii.txt", "plain\n")
        .write("b.bin", b"\0\x01\xFF");
    let read = async |params: Value| bench.ok("read_file", params).await.1;
    let file = |path: &str, content: &str, size: u64, encoding: &str| json!({ "path": path, "content": content, "size": size, "encoding": encoding });
    assert_eq!(
        read(json!({ "path": "a.txt" })).await,
        file("a.txt", "größe\n", 8, "utf-8")
    );
    assert_eq!(
        read(json!({ "path": "latin.txt" })).await,
        json!({
            "path": "latin.txt", "content": "größe\n", "size": 6, "encoding": "utf-8",
            "fileEncoding": "windows-1252", "encodingGuessed": true,
        })
    );
    assert_eq!(
        read(json!({ "path": "ascii.txt", "encoding": "ascii" })).await,
        file("ascii.txt", "plain\n", 6, "ascii")
    );
    assert_eq!(
        read(json!({ "path": "b.bin", "encoding": "base64" })).await,
        file("b.bin", "AAH/", 3, "base64")
    );
    let (code, message) = bench
        .refusal("read_file", json!({ "path": "a.txt", "encoding": "ascii" }))
        .await;
    assert_eq!(code, "unsupported_encoding");
    assert!(message.contains("offset 2"), "{message}");
    let (code, _) = bench.refusal("read_file", json!({ "path": "b.bin" })).await;
    assert_eq!(code, "binary_file");
    let (code, message) = bench
        .refusal("read_file", json!({ "path": "a.txt", "encoding": "utf16" }))
        .await;
    assert_eq!(code, "invalid_params");
    assert!(message.contains("`utf-8`, `ascii`, `base64`"), "{message}");
}

#[tokio::test]
async fn details_hold_all_of_a_file_whose_text_is_cut_for_the_model() {
    let bench = manager();
    let content = "x\n".repeat(3000);
    bench.write("a.txt", &content);
    let (text, details) = bench.ok("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(details["content"], content);
    assert!(
        text.ends_with("[Showing lines 1-2000 of 3000 (5.9KB). Use offset=2001 to continue.]"),
        "{}",
        &text[text.len() - 110..]
    );
}

#[tokio::test]
async fn directories_are_made_unless_that_is_refused() {
    let bench = manager();
    let (_, details) = bench
        .ok("write_file", json!({ "path": "a/b/c.txt", "content": "ä" }))
        .await;
    assert_eq!(
        details,
        json!({ "path": "a/b/c.txt", "bytesWritten": 2, "success": true })
    );
    let (code, message) = bench
        .refusal(
            "write_file",
            json!({ "path": "x/y.txt", "content": "", "createDirs": false }),
        )
        .await;
    assert_eq!(code, "not_found");
    assert!(message.contains("`x`"), "{message}");
    assert!(!bench.path("x").exists());
    let beside = json!({ "path": "a/d.txt", "content": "", "createDirs": false });
    bench.ok("write_file", beside).await;
    assert_eq!(bench.read("a/d.txt"), "");
}

#[tokio::test]
async fn found_files_are_counted_beyond_the_limit() {
    let bench = manager();
    bench
        .write("src/a.ts", "")
        .write("src/b.ts", "")
        .write("src/c.ts", "")
        .write("node_modules/x.ts", "")
        .write("dist/y.ts", "")
        .write("packages/p/dist/z.ts", "");
    let find = async |params: Value| bench.ok("search_files", params).await;
    let (_, details) = find(json!({ "pattern": "*.ts" })).await;
    assert_eq!(
        details,
        json!({ "files": ["src/a.ts", "src/b.ts", "src/c.ts"], "totalFound": 3, "truncated": false })
    );
    let (text, details) = find(json!({ "pattern": "*.ts", "maxResults": 2 })).await;
    assert_eq!(
        details,
        json!({ "files": ["src/a.ts", "src/b.ts"], "totalFound": 3, "truncated": true })
    );
    assert!(
        text.ends_with("[2 of 3 files shown. Use maxResults=4 for more, or narrow pattern]"),
        "{text}"
    );
    let (_, details) = find(json!({ "pattern": "*.ts", "ignore": ["src"] })).await;
    assert_eq!(
        details["files"],
        json!(["dist/y.ts", "node_modules/x.ts", "packages/p/dist/z.ts"])
    );
    let (_, details) =
        find(json!({ "pattern": "*.ts", "directory": "packages", "ignore": [] })).await;
    assert_eq!(details["files"], json!(["packages/p/dist/z.ts"]));
}

#[tokio::test]
async fn code_is_searched_as_text_without_regard_to_case_unless_reported_otherwise() {
    let bench = manager();
    bench
        .write("src/a.ts", "const a = b.c(1)\nconst B.C = 2 // b.c\n")
        .write("src/b.js", "bxc\n");
    let search = async |params: Value| bench.ok("search_code", params).await.1;
    assert_eq!(
        search(json!({ "query": "b.c" })).await,
        json!({
            "query": "b.c",
            "matches": [
                { "file": "src/a.ts", "line": 1, "column": 11, "match": "b.c", "context": "const a = b.c(1)" },
                { "file": "src/a.ts", "line": 2, "column": 7, "match": "B.C", "context": "const B.C = 2 // b.c" },
            ],
            "totalMatches": 2,
        })
    );
    let lines = async |params: Value| search(params).await["totalMatches"].clone();
    assert_eq!(
        lines(json!({ "query": "b.c", "regex": true, "caseInsensitive": false })).await,
        json!(3)
    );
    assert_eq!(
        lines(json!({ "query": "b.c", "regex": true, "files": "*.js" })).await,
        json!(1)
    );
    assert_eq!(
        lines(json!({ "query": "B.C", "caseInsensitive": "false" })).await,
        json!(1)
    );
}

#[tokio::test]
async fn matches_are_counted_beyond_the_limit() {
    let bench = manager();
    bench
        .write("a.txt", "hit\n".repeat(70))
        .write("b.txt", "hit\n");
    let (text, details) = bench.ok("search_code", json!({ "query": "hit" })).await;
    assert_eq!(
        (
            details["matches"].as_array().unwrap().len(),
            &details["totalMatches"]
        ),
        (50, &json!(71))
    );
    assert!(
        text.ends_with("[50 of 71 matches shown. Use maxResults=100 for more, or narrow query]"),
        "{text}"
    );
}

fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgSign=false",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn repository(bench: &Bench, directory: &str) {
    let path = |name: &str| format!("{directory}{name}");
    for name in ["kept.txt", "changed.txt", "gone.txt", "staged.txt"] {
        bench.write(&path(name), "old\n");
    }
    let root = bench.path(directory);
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "first"]);
    bench
        .write(&path("changed.txt"), "new and longer\n")
        .write(&path("staged.txt"), "new and longer\n")
        .write(&path("added.txt"), "x\n")
        .write(&path("loose/ä b.txt"), "x\n");
    std::fs::remove_file(bench.path(&path("gone.txt"))).unwrap();
    git(&root, &["add", "staged.txt", "added.txt"]);
}

#[tokio::test]
async fn git_status_sorts_the_files_by_what_became_of_them() {
    let bench = manager();
    repository(&bench, "");
    let (text, details) = bench.ok("git_status", json!({})).await;
    assert_eq!(
        details,
        json!({
            "branch": "main",
            "ahead": 0,
            "behind": 0,
            "modified": ["changed.txt", "staged.txt"],
            "created": ["added.txt", "loose/ä b.txt"],
            "deleted": ["gone.txt"],
            "staged": ["added.txt", "staged.txt"],
            "conflicted": [],
        })
    );
    assert!(
        text.starts_with("On branch main\nStaged:\n  added.txt\n  staged.txt\nModified:"),
        "{text}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn git_status_shows_names_that_are_not_unicode_as_lists_do() {
    use std::os::unix::ffi::OsStrExt;

    let bench =
        Bench::new(json!({ "dialect": "manager", "permissions": { "deny": ["Read(c*.txt)"] } }));
    git(&bench.path(""), &["init", "-q"]);
    for name in [&b"b\xff.txt"[..], b"b\xfe.txt", b"c\xff.txt"] {
        std::fs::write(bench.path("").join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    let (_, details) = bench.ok("git_status", json!({})).await;
    let shown = json!(["\"b\\376.txt\"", "\"b\\377.txt\""]);
    assert_eq!(details["created"], shown);
}

#[tokio::test]
async fn git_status_answers_paths_of_the_workspace_wherever_the_repository_begins() {
    let bench = manager();
    repository(&bench, "packages/one/");
    let (_, details) = bench
        .ok("git_status", json!({ "directory": "packages/one/loose" }))
        .await;
    assert_eq!(details["deleted"], json!(["packages/one/gone.txt"]));

    // The workspace is a directory of the repository: what lies outside is left out.
    let inner = Bench::inside(
        &bench,
        "packages/one/loose",
        json!({ "dialect": "manager" }),
    );
    let call = CallRequest::new("git_status", json!({}));
    assert_eq!(
        inner.call(call).await.unwrap().details,
        json!({
            "branch": "main", "ahead": 0, "behind": 0, "modified": [], "created": ["ä b.txt"],
            "deleted": [], "staged": [], "conflicted": [],
        })
    );
    let (code, message) = bench.refusal("git_status", json!({})).await;
    assert_eq!(code, "not_found");
    assert!(message.contains("is not in a git repository"), "{message}");
}

#[tokio::test]
async fn git_status_knows_distance_conflicts_and_a_detached_head() {
    let bench = manager();
    let root = bench.path("");
    bench.write("a.txt", "1\n");
    git(&root, &["init", "-q"]);
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "1"]);
    git(&root, &["branch", "other"]);
    bench.write("a.txt", "2\n");
    git(&root, &["commit", "-qam", "2"]);
    git(&root, &["switch", "-q", "other"]);
    git(&root, &["branch", "-q", "--set-upstream-to=main"]);
    bench.write("a.txt", "3\n");
    git(&root, &["commit", "-qam", "3"]);
    bench.write("b.txt", "4\n");
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "4"]);
    let status = async || bench.ok("git_status", json!({})).await;
    let (text, details) = status().await;
    assert_eq!(
        json!([details["branch"], details["ahead"], details["behind"]]),
        json!(["other", 2, 1])
    );
    assert_eq!(
        text,
        "On branch other, 2 ahead of and 1 behind main\nNothing to commit, working tree clean"
    );
    let merge = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "merge",
            "main",
        ])
        .current_dir(&root)
        .output()
        .unwrap();
    assert!(!merge.status.success());
    let (_, details) = status().await;
    assert_eq!(
        json!([
            details["conflicted"],
            details["modified"],
            details["staged"]
        ]),
        json!([["a.txt"], [], []])
    );
    git(&root, &["merge", "--abort"]);
    git(&root, &["switch", "-q", "--detach"]);
    assert_eq!(status().await.1["branch"], "HEAD");
}

/// Settings of a repository by which git would run a program. The program leaves a mark.
#[tokio::test]
async fn git_status_runs_nothing_that_the_repository_brings() {
    let bench = manager();
    repository(&bench, "");
    let root = bench.path("");
    let mark = bench.path("ran");
    let program = root.join(".git/evil.sh");
    std::fs::write(
        &program,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display()),
    )
    .unwrap();
    git(&root, &["config", "core.fileMode", "false"]);
    Command::new("chmod")
        .arg("+x")
        .arg(&program)
        .status()
        .unwrap();
    let evil = program.to_str().unwrap();
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    for hook in ["post-index-change", "fsmonitor-watchman", "pre-auto-gc"] {
        std::fs::copy(&program, root.join(".git/hooks").join(hook)).unwrap();
    }
    for (name, value) in [
        ("core.fsmonitor", evil),
        ("core.sshCommand", evil),
        ("core.pager", evil),
        ("pager.status", evil),
        ("diff.external", evil),
        ("filter.e.v.il.clean", evil),
        ("filter.e.v.il.smudge", evil),
        ("filter.e.v.il.required", "true"),
        ("filter.proc.process", evil),
        ("filter.proc.required", "true"),
        ("alias.status", &format!("!{evil}")),
        ("alias.config", &format!("!{evil}")),
        ("credential.helper", evil),
        ("trace2.normalTarget", "1"),
    ] {
        git(&root, &["config", name, value]);
    }
    std::fs::write(
        root.join(".git/info/attributes"),
        "changed.txt filter=e.v.il diff=e\nstaged.txt filter=proc\nkept.txt filter=e.v.il\n",
    )
    .unwrap();
    // Same length, so that git has to compare contents.
    bench.write("kept.txt", "odd\n");
    let plain = Command::new("git")
        .arg("status")
        .current_dir(&root)
        .output();
    plain.unwrap();
    let ran = std::fs::read_to_string(&mark).unwrap();
    assert!(ran.lines().count() > 1, "git itself runs them: {ran}");
    std::fs::remove_file(&mark).unwrap();
    let (_, details) = bench.ok("git_status", json!({})).await;
    assert!(
        !mark.exists(),
        "{}",
        std::fs::read_to_string(&mark).unwrap_or_default()
    );
    assert_eq!(
        details["modified"],
        json!(["changed.txt", "kept.txt", "staged.txt"])
    );
}

#[tokio::test]
async fn git_status_keeps_back_what_may_not_be_read() {
    let bench =
        Bench::new(json!({ "dialect": "manager", "permissions": { "deny": ["Read(loose/**)"] } }));
    repository(&bench, "");
    let (text, details) = bench.ok("git_status", json!({})).await;
    assert_eq!(details["created"], json!(["added.txt"]));
    assert!(!text.contains("loose"), "{text}");
}

#[tokio::test]
async fn a_whole_file_within_a_budget_is_a_page_that_says_how_to_continue() {
    let bench = Bench::new(json!({ "dialect": "manager", "limits": { "maxTokens": 600 } }));
    let lines: String = (1..=3000).map(|line| format!("line {line}\n")).collect();
    bench.write("long.txt", &lines);
    bench.write("wide.txt", format!("{}\nsecond\n", "x y ".repeat(30_000)));
    bench.write("damaged.txt", b"caf\xc3\xa9 \xff caf\xc3\xa9\n");
    let read = async |path: &str| bench.ok("read_file", json!({ "path": path })).await.0;
    let text = read("long.txt").await;
    let (page, notice) = text.split_once("\n\n[").unwrap();
    let shown = page.lines().count();
    assert!(shown > 50 && lines.starts_with(page), "{shown}");
    let next = shown + 1;
    assert_eq!(
        notice,
        format!("Showing lines 1-{shown} of 3000 (token budget). Use offset={next} to continue.]")
    );
    let text = read("wide.txt").await;
    assert_eq!(text.matches("[Line 1 cut to").count(), 1, "{text}");
    assert!(!text.contains("characters omitted"), "{text}");
    let text = read("damaged.txt").await;
    assert!(text.contains("[Some bytes are not valid "), "{text}");
}
