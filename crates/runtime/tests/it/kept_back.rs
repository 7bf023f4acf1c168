//! What rules keep back from searches and listings is said, and in which encoding a file was read.

use serde_json::json;

use crate::support::Bench;

fn bench() -> Bench {
    let bench = Bench::new(json!({
        "permissions": { "defaultMode": "allow", "deny": ["Read(.env*)"], "ask": ["Read(drafts/**)"] },
    }));
    bench
        .write(".env", "KEY=needle")
        .write(".env.local", "KEY=needle")
        .write("src/a.ts", "needle");
    bench
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_and_listings_say_how_many_files_which_rule_keeps_back() {
    let bench = bench();
    let (found, _) = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(
        found,
        "src/a.ts:1: needle\n\n[2 files not searched: denied by `Read(.env*)`]"
    );
    let (found, _) = bench.ok("find", json!({ "pattern": ".env*" })).await;
    assert_eq!(
        found,
        "No files found matching pattern in 1 file\n\n[2 files not listed: denied by `Read(.env*)`]"
    );
    let (listed, _) = bench.ok("ls", json!({})).await;
    assert_eq!(
        listed,
        "src/\n\n[2 files not listed: denied by `Read(.env*)`]"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_below_says_nothing_of_files_elsewhere_and_rules_that_ask_are_reported_apart() {
    let bench = bench();
    let (found, _) = bench
        .ok("grep", json!({ "pattern": "needle", "path": "src" }))
        .await;
    assert_eq!(found, "src/a.ts:1: needle");
    bench.write("drafts/b.ts", "needle");
    let (found, _) = bench
        .ok("grep", json!({ "pattern": "nowhere", "glob": "*.ts" }))
        .await;
    assert!(
        found.contains("1 file not searched: approval required by `Read(drafts/**)`"),
        "{found}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guessed_encoding_is_said_and_in_the_details_and_utf8_is_not() {
    let bench = Bench::agent();
    let japanese = b"// \x90\xdd\x92\xe8\x82\xcc\x83\x52\x83\x81\x83\x93\x83\x67\n";
    bench.write("a.txt", japanese).write("b.txt", "plain ä\n");
    let (text, details) = bench.ok("read", json!({ "file_path": "a.txt" })).await;
    assert!(text.starts_with("// 設定のコメント"), "{text}");
    assert!(text.contains("[Decoded as Shift_JIS ("), "{text}");
    assert_eq!(
        (
            details["encoding"].clone(),
            details["encodingGuessed"].clone()
        ),
        (json!("Shift_JIS"), json!(true))
    );
    let (text, details) = bench.ok("read", json!({ "file_path": "b.txt" })).await;
    assert_eq!(text, "plain ä\n");
    assert!(details.get("encoding").is_none() && details.get("encodingGuessed").is_none());
}

#[test]
fn what_a_file_beside_the_context_leaves_out_does_not_go_into_an_image() {
    let bench = Bench::new(json!({
        "permissions": { "allow": ["Bash(docker:*)", "Bash(podman:*)", "Bash(echo:*)", "Edit"], "deny": ["Read(**/.env)"] },
    }));
    bench
        .write(".env", "KEY=needle")
        .write("sub/.env", "KEY=needle")
        .write("sub/Dockerfile", "FROM scratch")
        .write("Dockerfile", "FROM scratch");
    let verdict = |command: &str| {
        let decided = bench.toolkit.decide("exec", json!({ "command": command }));
        decided.decision.verdict.name()
    };
    assert_eq!(verdict("docker build ."), "ask");
    bench.write(".dockerignore", ".env\n");
    assert_eq!(verdict("docker build ."), "ask");
    assert_eq!(verdict("docker build sub"), "ask");
    bench.write(".dockerignore", "# secrets\n**/.env\n");
    for (command, wanted) in [
        ("docker build .", "allow"),
        ("docker build -t app -f sub/Dockerfile .", "allow"),
        ("docker buildx build --push .", "allow"),
        ("podman build .", "allow"),
        ("docker build sub", "ask"),
        ("docker build --build-context n=sub .", "ask"),
        ("podman build --ignorefile x .", "ask"),
        ("echo > .dockerignore && docker build .", "ask"),
        ("docker run -v .:/x img", "ask"),
    ] {
        assert_eq!(verdict(command), wanted, "{command}");
    }
    bench.write("sub/Dockerfile.dockerignore", "*.log\n");
    assert_eq!(verdict("docker build -f sub/Dockerfile ."), "ask");
    bench.write(".containerignore", "*.log\n");
    assert_eq!(verdict("podman build ."), "ask");
}
