//! Notes that outlive a session.

use serde_json::{Value, json};

use crate::support::Bench;

fn bench(mut options: Value) -> Bench {
    options["permissions"] = json!({ "defaultMode": "allow" });
    if options.get("memory").is_none() {
        options["memory"] = json!({ "directory": ".notes" });
    }
    Bench::new(options)
}

async fn ok(bench: &Bench, params: Value) -> String {
    bench.ok("memory", params).await.0
}

async fn refused(bench: &Bench, params: Value) -> String {
    bench.refusal("memory", params).await.1
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_says_what_models_were_trained_on() {
    let bench = bench(json!({}));
    let listed = ok(&bench, json!({ "command": "view", "path": "/memories" })).await;
    let head = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n";
    assert!(
        listed.starts_with(head) && listed.ends_with("\t/memories"),
        "{listed}"
    );
    let create =
        json!({ "command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\nthree\n" });
    assert_eq!(
        ok(&bench, create.clone()).await,
        "File created successfully at: /memories/a.md"
    );
    assert_eq!(
        refused(&bench, create).await,
        "File /memories/a.md already exists"
    );
    assert_eq!(
        ok(
            &bench,
            json!({ "command": "view", "path": "/memories/a.md", "view_range": [2, 3] })
        )
        .await,
        "Here's the content of /memories/a.md with line numbers:\n     2\ttwo\n     3\tthree"
    );
    assert_eq!(
        ok(&bench, json!({ "command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2" })).await,
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2\n     3\tthree\n     4\t"
    );
    assert_eq!(
        refused(
            &bench,
            json!({ "command": "str_replace", "path": "/memories/a.md", "old_str": "e" })
        )
        .await,
        "No replacement was performed. Multiple occurrences of old_str `e` in lines: 1, 3. Please ensure it is unique"
    );
    assert_eq!(
        ok(&bench, json!({ "command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n" })).await,
        "The file /memories/a.md has been edited."
    );
    assert_eq!(bench.read(".notes/a.md"), "zero\none\n2\nthree\n");
    ok(
        &bench,
        json!({ "command": "create", "path": "/memories/deep/er/b.md", "file_text": "" }),
    )
    .await;
    assert_eq!(
        ok(&bench, json!({ "command": "rename", "old_path": "/memories/deep", "new_path": "/memories/new/deep" })).await,
        "Successfully renamed /memories/deep to /memories/new/deep"
    );
    assert!(bench.path(".notes/new/deep/er/b.md").exists() && !bench.path(".notes/deep").exists());
    assert_eq!(
        refused(&bench, json!({ "command": "rename", "old_path": "/memories/new", "new_path": "/memories/new/b" })).await,
        "The path /memories/new cannot be moved into itself"
    );
    assert_eq!(
        ok(
            &bench,
            json!({ "command": "delete", "path": "/memories/new" })
        )
        .await,
        "Successfully deleted /memories/new"
    );
    assert!(!bench.path(".notes/new").exists());
    for (params, message) in [
        (
            json!({ "command": "delete", "path": "/memories" }),
            "Cannot delete the /memories directory itself",
        ),
        (
            json!({ "command": "delete", "path": "/memories/none" }),
            "The path /memories/none does not exist",
        ),
        (
            json!({ "command": "view", "path": "/memories/none" }),
            "The path /memories/none does not exist. Please provide a valid path.",
        ),
        (
            json!({ "command": "view" }),
            "Parameter `path` is required for command: view",
        ),
        (
            json!({ "command": "view", "path": "/etc/passwd" }),
            "Path must start with /memories, got: /etc/passwd",
        ),
        (
            json!({ "command": "view", "path": "/memoriesx" }),
            "Path must start with /memories, got: /memoriesx",
        ),
        (
            json!({ "command": "view", "path": "/memories/../a" }),
            "Path /memories/../a would escape /memories directory",
        ),
        (
            json!({ "command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md/b" }),
            "`/memories/a.md/b` does not exist: a part of this path is a file, not a directory.",
        ),
    ] {
        assert_eq!(refused(&bench, params).await, message);
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn links_do_not_lead_out_and_are_not_followed_when_a_directory_goes() {
    let bench = bench(json!({}));
    ok(
        &bench,
        json!({ "command": "create", "path": "/memories/d/a", "file_text": "x" }),
    )
    .await;
    bench.write("outside.txt", "key\n");
    std::os::unix::fs::symlink(bench.path("."), bench.path(".notes/d/link")).unwrap();
    for params in [
        json!({ "command": "view", "path": "/memories/d/link/outside.txt" }),
        json!({ "command": "create", "path": "/memories/d/link/new", "file_text": "" }),
    ] {
        let message = refused(&bench, params).await;
        assert!(message.contains("would escape /memories"), "{message}");
    }
    let message = refused(
        &bench,
        json!({ "command": "delete", "path": "/memories/d" }),
    )
    .await;
    assert_eq!(
        message,
        "`/memories/d/link` is a link, which stays where it is."
    );
    assert_eq!(bench.read("outside.txt"), "key\n");
    assert_eq!(bench.read(".notes/d/a"), "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_may_lie_outside_of_the_workspace_and_can_be_undone() {
    let outside = tempfile::tempdir().unwrap();
    let directory = outside.path().join("notes of/me");
    let bench = bench(json!({ "memory": { "directory": directory } }));
    ok(
        &bench,
        json!({ "command": "create", "path": "/memories/a", "file_text": "one" }),
    )
    .await;
    let checkpoint = bench.toolkit.checkpoint().unwrap();
    ok(&bench, json!({ "command": "str_replace", "path": "/memories/a", "old_str": "one", "new_str": "two" })).await;
    ok(
        &bench,
        json!({ "command": "rename", "old_path": "/memories/a", "new_path": "/memories/b/c" }),
    )
    .await;
    assert_eq!(
        std::fs::read_to_string(directory.join("b/c")).unwrap(),
        "two"
    );
    bench.toolkit.rollback(&checkpoint, false).await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.join("a")).unwrap(), "one");
    assert!(!directory.join("b/c").exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&directory).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_keep_no_secrets_and_rules_bind_them() {
    let token = "ghp_X1B2c3D4ea1B2c3D4ea1B2c3D4ea1B2c3D4e";
    let bench = bench(json!({}));
    bench.write("config", token);
    let (mark, _) = bench.ok("read", json!({ "file_path": "config" })).await;
    let message = refused(
        &bench,
        json!({ "command": "create", "path": "/memories/a", "file_text": mark }),
    )
    .await;
    assert!(
        message.contains("Write down where the value is stored."),
        "{message}"
    );
    bench.write(".notes/b", token);
    let shown = ok(&bench, json!({ "command": "view", "path": "/memories/b" })).await;
    assert!(shown.contains(&mark) && !shown.contains(token), "{shown}");
    let denied = Bench::new(
        json!({ "memory": { "directory": ".notes" }, "permissions": { "deny": ["memory"], "defaultMode": "allow" } }),
    );
    let (code, _) = denied
        .refusal("memory", json!({ "command": "view", "path": "/memories" }))
        .await;
    assert!(matches!(code, "policy_denied" | "unknown_tool"), "{code}");
    let (code, _) = Bench::new(json!({}))
        .refusal("memory", json!({ "command": "view", "path": "/memories" }))
        .await;
    assert_eq!(code, "unavailable");
}
