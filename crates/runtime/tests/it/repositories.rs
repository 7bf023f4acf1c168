//! What commands of git do to denied files, in real repositories, and other names of such files.

use std::process::Command;

use serde_json::json;

use crate::support::Bench;

const ALLOWED: [&str; 3] = ["Bash(git:*)", "Bash(mkdir:*)", "Edit(build/**)"];

fn git(bench: &Bench, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
        .args(arguments)
        .current_dir(bench.path(""))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {reported}");
}

/// A repository with a commit of `src/secret/key` and `src/a.ts`, both changed since, and `.env` that nothing tracks.
fn repository(deny: &[&str]) -> Bench {
    let bench = Bench::new(json!({ "permissions": { "deny": deny, "allow": ALLOWED } }));
    bench
        .write("src/secret/key", "old\n")
        .write("src/a.ts", "old\n")
        .write(".gitignore", ".env\n")
        .write(".env", "KEY=1\n");
    git(&bench, &["init", "-q", "-b", "main"]);
    git(&bench, &["add", "."]);
    git(&bench, &["commit", "-qm", "x"]);
    bench
        .write("src/secret/key", "new\n")
        .write("src/a.ts", "new\n");
    bench
}

async fn refused(bench: &Bench, command: &str) -> bool {
    let call = bench.call("exec", json!({ "command": command })).await;
    let is_refusal = |code| matches!(code, "policy_denied" | "approval_denied");
    match call {
        Ok(_) => false,
        Err(error) => {
            assert!(is_refusal(error.code.as_str()), "{command}: {error:?}");
            true
        }
    }
}

#[tokio::test]
async fn a_command_that_goes_over_all_tracked_files_leaves_a_denied_one_as_it_is() {
    let bench = repository(&["Edit(src/secret/**)"]);
    for command in [
        "git checkout .",
        "git checkout -- src",
        "git restore .",
        "git reset --hard",
        "git stash",
        "git checkout -f",
        "git -C src checkout -- secret",
    ] {
        assert!(refused(&bench, command).await, "{command}");
    }
    assert_eq!(bench.read("src/secret/key"), "new\n");
    bench
        .ok("exec", json!({ "command": "git checkout src/a.ts" }))
        .await;
    assert_eq!(bench.read("src/a.ts"), "old\n");
}

#[tokio::test]
async fn a_denied_file_that_is_not_tracked_keeps_nobody_from_a_checkout() {
    let bench = repository(&["Edit(.env)"]);
    for command in ["git stash", "git stash pop", "git checkout ."] {
        bench.ok("exec", json!({ "command": command })).await;
    }
    assert_eq!(bench.read("src/a.ts"), "old\n");
    // From now on it is tracked, and the same command would write it.
    git(&bench, &["add", "-f", ".env"]);
    assert!(refused(&bench, "git checkout .").await);
}

#[tokio::test]
async fn a_denied_file_is_shown_by_no_name_of_git() {
    let bench = repository(&["Read(src/secret/**)"]);
    for command in [
        "git show HEAD:src/secret/key",
        "cd src && git show HEAD:src/secret/key",
        "git cat-file -p HEAD:src/secret/key",
        "git diff -- src",
        "git blame src/secret/key",
        "git grep -n o",
        "git archive HEAD src",
        "git archive HEAD",
        "git show HEAD",
        "git log -p",
        "cd src && git diff",
    ] {
        assert!(refused(&bench, command).await, "{command}");
    }
    let shown = bench
        .ok("exec", json!({ "command": "git show HEAD:src/a.ts" }))
        .await;
    assert_eq!(shown.0.trim_end(), "old");
}

#[tokio::test]
async fn a_denied_file_that_an_ignore_file_excepts_is_not_taken_in() {
    let deny = ["Read(keys/**)"];
    let bench = Bench::new(json!({ "permissions": { "deny": deny, "defaultMode": "allow" } }));
    bench.write("keys/a", "word\n").write("b", "word\n");
    bench.write(".gitignore", "keys/*\n!keys/a\n");
    git(&bench, &["init", "-q", "-b", "main"]);
    assert!(refused(&bench, "git add -A").await);
    bench.write(".gitignore", "keys/\n");
    assert!(!refused(&bench, "git add -A").await);
}

#[tokio::test]
async fn the_configuration_of_a_repository_that_a_call_could_write_is_not_run() {
    let bench = repository(&[]);
    for (name, text) in [
        ("build/evil/HEAD", "ref: refs/heads/main\n"),
        (
            "build/evil/config",
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = \"touch pwned; false\"\n",
        ),
        ("build/evil/objects/x", ""),
        ("build/evil/refs/x", ""),
        ("packages/a/x", ""),
    ] {
        bench.write(name, text);
    }
    for command in [
        "cd build/evil && git status",
        "git -C build/evil status",
        "git -C build/evil/objects status",
    ] {
        assert!(refused(&bench, command).await, "{command}");
    }
    for command in ["cd packages/a && git status", "cd build && git status"] {
        bench.ok("exec", json!({ "command": command })).await;
    }
    // What would have been run is really run by git.
    let status = Command::new("git")
        .args(["-c", "safe.directory=*", "status"])
        .current_dir(bench.path("build/evil"))
        .output()
        .unwrap();
    let made = ["build/pwned", "build/evil/pwned"].map(|name| bench.path(name).exists());
    assert!(made.contains(&true), "{status:?}");
}

#[tokio::test]
async fn another_name_of_a_denied_file_shows_it_in_no_way() {
    let bench = Bench::new(json!({ "permissions": {
        "deny": ["Read(.env)", "Read(secrets/**)"],
        "allow": ["Bash(cat:*)", "Read(**)", "Edit(**)"],
    } }));
    bench
        .write(".env", "KEY=1\n")
        .write("secrets/deep/k", "KEY=2\n")
        .write("src/open", "KEY=3\n")
        .write("src/twice", "KEY=4\n");
    for (name, other) in [
        (".env", "src/hard"),
        ("secrets/deep/k", "src/copy"),
        ("src/twice", "src/two"),
    ] {
        std::fs::hard_link(bench.path(name), bench.path(other)).unwrap();
    }
    for name in ["src/hard", "src/copy"] {
        let read = bench.refusal("read", json!({ "path": name })).await;
        assert_eq!(read.0, "policy_denied", "{name}");
        assert!(read.1.contains("another name (a hard link)"), "{}", read.1);
        assert!(refused(&bench, &format!("cat {name}")).await, "{name}");
    }
    let (_, details) = bench.ok("grep", json!({ "pattern": "KEY" })).await;
    let matches = details["matches"].as_array().unwrap();
    let files: Vec<&str> = matches
        .iter()
        .filter_map(|found| found["file"].as_str())
        .collect();
    assert_eq!(files, ["src/open", "src/twice", "src/two"]);
    bench.ok("read", json!({ "path": "src/two" })).await;
}
