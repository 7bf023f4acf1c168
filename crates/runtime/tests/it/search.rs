//! find, grep and their canonical twins.

use serde_json::json;

use crate::support::Bench;

fn tree(bench: &Bench) {
    bench
        .write("src/main.rs", "fn main() {\n    helper();\n}\n")
        .write("src/lib.rs", "pub fn helper() {}\n// helper of main\n")
        .write("docs/readme.md", "The helper.\n")
        .write("target/out.rs", "fn helper() {}\n")
        .write(".hidden.rs", "helper\n")
        .write(".gitignore", "target/\n");
}

#[tokio::test]
async fn find_respects_ignore_files_and_sees_hidden_ones() {
    let bench = Bench::agent();
    tree(&bench);
    let (text, details) = bench.ok("find", json!({ "pattern": "*.rs" })).await;
    assert_eq!(text, ".hidden.rs\nsrc/lib.rs\nsrc/main.rs");
    assert_eq!(
        details,
        json!({ "files": [".hidden.rs", "src/lib.rs", "src/main.rs"], "count": 3, "truncated": false })
    );
}

#[tokio::test]
async fn find_says_what_hides_files_when_nothing_is_found() {
    let bench = Bench::agent();
    tree(&bench);
    let (text, details) = bench.ok("find", json!({ "pattern": "out.rs" })).await;
    assert!(
        text.starts_with("No files found matching pattern"),
        "{text}"
    );
    assert!(text.contains("it is ignored by `.gitignore`"), "{text}");
    assert_eq!(
        details,
        json!({ "files": [], "count": 0, "truncated": false })
    );
}

#[tokio::test]
async fn a_limit_of_find_is_reported_with_the_next_call() {
    let bench = Bench::agent();
    tree(&bench);
    let (text, details) = bench
        .ok("find", json!({ "pattern": "**/*.rs", "limit": 1 }))
        .await;
    assert_eq!(
        text,
        ".hidden.rs\n\n[First file shown. Use limit=2 for more, or narrow pattern]"
    );
    assert_eq!(
        details,
        json!({ "files": [".hidden.rs"], "count": 1, "truncated": true })
    );
}

#[tokio::test]
async fn grep_answers_lines_with_their_place() {
    let bench = Bench::agent();
    tree(&bench);
    let (text, details) = bench
        .ok("grep", json!({ "pattern": "helper\\(\\)", "path": "src" }))
        .await;
    assert_eq!(
        text,
        "src/lib.rs:1: pub fn helper() {}\nsrc/main.rs:2:     helper();"
    );
    assert_eq!(
        details,
        json!({
            "matches": [
                { "file": "src/lib.rs", "line": 1, "text": "pub fn helper() {}" },
                { "file": "src/main.rs", "line": 2, "text": "    helper();" },
            ],
            "totalMatches": 2,
            "truncated": false,
        })
    );
}

#[tokio::test]
async fn grep_shows_context_with_gaps() {
    let bench = Bench::agent();
    bench.write("a.txt", "1\nhit\n3\n4\n5\nhit\n7\n");
    let (text, _) = bench
        .ok("grep", json!({ "pattern": "hit", "context": 1 }))
        .await;
    assert_eq!(
        text,
        "a.txt-1- 1\na.txt:2: hit\na.txt-3- 3\n--\na.txt-5- 5\na.txt:6: hit\na.txt-7- 7"
    );
}

#[tokio::test]
async fn grep_stops_at_its_limit_and_says_so() {
    let bench = Bench::agent();
    bench.write("a.txt", "hit\n".repeat(10));
    let (text, details) = bench
        .ok("grep", json!({ "pattern": "hit", "limit": 2 }))
        .await;
    assert_eq!(
        text,
        "a.txt:1: hit\na.txt:2: hit\n\n[First 2 matches shown. Use limit=4 for more, or narrow pattern]"
    );
    assert_eq!(
        (
            &details["matches"].as_array().unwrap().len(),
            &details["truncated"]
        ),
        (&2, &json!(true))
    );
}

#[tokio::test]
async fn a_pattern_that_does_not_parse_is_refused_with_a_hint() {
    let bench = Bench::agent();
    let (code, message) = bench.refusal("grep", json!({ "pattern": "foo(" })).await;
    assert_eq!(code, "syntax_error");
    assert!(message.contains("literal"), "{message}");
}

#[tokio::test]
async fn canonical_grep_answers_by_output_mode() {
    let bench = Bench::canonical();
    tree(&bench);
    let matches =
        |mode: &str| json!({ "pattern": "HELPER", "path": "src", "output_mode": mode, "-i": true });
    let (text, details) = bench.ok("Grep", matches("content")).await;
    assert_eq!(
        text,
        "src/lib.rs:1: pub fn helper() {}\nsrc/lib.rs:2: // helper of main\nsrc/main.rs:2:     helper();"
    );
    assert_eq!(
        details["matches"][0],
        json!({ "file": "src/lib.rs", "line_number": 1, "content": "pub fn helper() {}" })
    );
    assert_eq!(details["total_matches"], 3);
    let (_, details) = bench.ok("Grep", matches("files_with_matches")).await;
    assert_eq!(
        details,
        json!({ "matches": [{ "file": "src/lib.rs" }, { "file": "src/main.rs" }], "total_matches": 2 })
    );
    let (_, details) = bench.ok("Grep", matches("count")).await;
    assert_eq!(
        details,
        json!({ "matches": [{ "file": "src/lib.rs", "count": 2 }, { "file": "src/main.rs", "count": 1 }], "total_matches": 3 })
    );
}

#[tokio::test]
async fn canonical_glob_answers_paths_of_the_workspace() {
    let bench = Bench::canonical();
    tree(&bench);
    let (_, details) = bench
        .ok(
            "Glob",
            json!({ "pattern": "**/*.{rs,md}", "path": bench.path("src") }),
        )
        .await;
    assert_eq!(
        details,
        json!({ "files": ["src/lib.rs", "src/main.rs"], "count": 2 })
    );
}

#[tokio::test]
async fn what_may_not_be_read_shows_in_no_search_and_no_listing() {
    let bench =
        Bench::new(json!({ "permissions": { "deny": ["Read(.env*)", "Read(secrets/**)"] } }));
    bench
        .write(".env", "KEY=1\n")
        .write("a/.env.local", "KEY=2\n")
        .write("secrets/key", "KEY=3\n")
        .write("open.txt", "KEY=4\n");
    std::os::unix::fs::symlink(".env", bench.path("link")).unwrap();
    let (_, details) = bench.ok("grep", json!({ "pattern": "KEY" })).await;
    assert_eq!(
        details,
        json!({ "matches": [{ "file": "open.txt", "line": 1, "text": "KEY=4" }], "totalMatches": 1, "truncated": false })
    );
    let (_, details) = bench.ok("find", json!({ "pattern": "**/*" })).await;
    assert_eq!(details["files"], json!(["open.txt"]));
    let (text, _) = bench.ok("ls", json!({})).await;
    assert_eq!(
        text,
        "a/\nopen.txt\nsecrets/\n\n[2 files not listed: denied by `Read(.env*)`]"
    );
    assert_eq!(
        bench
            .refusal("grep", json!({ "pattern": "KEY", "path": ".env" }))
            .await
            .0,
        "policy_denied"
    );
}

#[tokio::test]
async fn canonical_grep_counts_beyond_its_limit() {
    let bench = Bench::canonical();
    bench.write("a.txt", "x\n".repeat(10)).write("b.txt", "x\n");
    let (text, details) = bench
        .ok("Grep", json!({ "pattern": "x", "head_limit": 3 }))
        .await;
    assert_eq!(
        (
            details["matches"].as_array().unwrap().len(),
            &details["total_matches"]
        ),
        (3, &json!(11))
    );
    assert!(
        text.ends_with("[3 of 11 matches shown. Use head_limit=6 for more, or narrow pattern]"),
        "{text}"
    );
    let files = json!({ "pattern": "x", "output_mode": "files_with_matches", "head_limit": 1 });
    let (_, details) = bench.ok("Grep", files).await;
    assert_eq!(
        details,
        json!({ "matches": [{ "file": "a.txt" }], "total_matches": 2 })
    );
}

#[tokio::test]
async fn a_pattern_that_is_the_name_of_something_says_what_it_stands_for() {
    let bench = Bench::agent();
    tree(&bench);
    bench.write("app/[slug]/[id].tsx", "");
    let find = async |pattern: &str| bench.ok("find", json!({ "pattern": pattern })).await.0;
    for (text, near) in [
        (
            find("src").await,
            "[`src` is a directory; use `src/**` for the files in it]",
        ),
        (
            find("[id].tsx").await,
            "`\\[id\\].tsx` names them as they are and matches `app/[slug]/[id].tsx`]",
        ),
        (
            find("app/[slug]/**").await,
            "`app/\\[slug\\]/**` names them as they are and matches `app/[slug]/[id].tsx`]",
        ),
    ] {
        assert!(text.contains(near), "{text}");
    }
}

#[tokio::test]
async fn an_empty_answer_names_what_comes_nearest() {
    let bench = Bench::agent();
    tree(&bench);
    let find = async |pattern: &str| bench.ok("find", json!({ "pattern": pattern })).await.0;
    let grep = async |pattern: &str| bench.ok("grep", json!({ "pattern": pattern })).await.0;
    for (text, near) in [
        (
            find("README.md").await,
            "[Ignoring case, `docs/readme.md` matches]",
        ),
        (
            find("out.rs").await,
            "[No match in the files that are searched, but `target/out.rs` matches; it is ignored by `.gitignore` (`target/`)]",
        ),
        (
            grep("FN MAIN").await,
            "[Case-insensitive, `src/main.rs` matches",
        ),
        (
            grep("FN +MAIN").await,
            "[Case-insensitive, `src/main.rs` matches",
        ),
        (grep("fn helper\\(\\) \\{\\}$").await, "src/lib.rs:1"),
    ] {
        assert!(text.contains(near), "{text}");
    }
    bench.write("target/only.rs", "needle\n");
    let text = grep("needle").await;
    assert!(
        text.contains("[No match in the files that are searched, but `target/only.rs` matches; it is ignored by `.gitignore` (`target/`). Search in `target` to include it]"),
        "{text}"
    );
    // Of a file that is ignored itself, a search in its directory shows as little.
    bench.write("logs/.gitignore", "*.log\n");
    bench.write("logs/deep/a.log", "haystack\n");
    let near =
        "it is ignored by `logs/.gitignore` (`*.log`). Search in `logs/deep/a.log` to include it]";
    for path in [".", "logs", "logs/deep"] {
        let searched = bench.ok("grep", json!({ "pattern": "haystack", "path": path }));
        assert!(searched.await.0.contains(near), "{path}");
    }
    let named = json!({ "pattern": "haystack", "path": "logs/deep/a.log" });
    assert!(bench.ok("grep", named).await.0.contains("haystack"));
    bench.write("data.bin", "start\0end of it\n");
    bench.write("list.txt", "  of[0] = 1\n");
    for (pattern, near) in [
        (
            "end of",
            "[The binary file `data.bin` matches if searched as text]",
        ),
        ("of[0]", "[As plain text, `list.txt` matches]"),
        (
            r"nowhere\|of\[0\]",
            r"[`\|` is a plain `|` here. With `|` for alternatives, `list.txt` matches]",
        ),
        (
            "^of.0. = 1$",
            "[Without the anchor (`^` or `$`), `list.txt` matches]",
        ),
    ] {
        let text = grep(pattern).await;
        assert!(text.contains(near), "{text}");
    }
    assert!(!find("nowhere.rs").await.contains("matches"));
}

/// Such an expression is searched for again by the letters of ASCII; only what all letters agree to is said.
#[tokio::test]
async fn an_expression_of_classes_is_noted_in_another_case_where_it_matches() {
    let bench = Bench::agent();
    bench.write("code.txt", "abcdefghiq77\n");
    bench.write("late.txt", "\u{e9}ost\n");
    let grep = async |pattern: &str| bench.ok("grep", json!({ "pattern": pattern })).await.0;
    assert_eq!(
        grep(r"[A-Z]{9}q\w+").await,
        "No matches found in 2 files\n\n[Case-insensitive, `code.txt` matches; set `ignoreCase` to include it]"
    );
    for none in [r"[A-Z]{9}x\w+", r"\WOST"] {
        let answer = "No matches found in 2 files\n\n[the search was case-sensitive]";
        assert_eq!(grep(none).await, answer, "{none}");
    }
}

/// In `/dev`, where most systems have another file system at `/dev/shm`.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_search_can_be_reported_to_stay_on_its_file_system() {
    use std::os::unix::fs::MetadataExt;

    let device = |path: &str| std::fs::metadata(path).map(|found| found.dev()).ok();
    let Ok(file) = tempfile::Builder::new()
        .prefix("tenon-")
        .tempfile_in("/dev/shm")
    else {
        return;
    };
    if device("/dev") == device("/dev/shm") {
        return;
    }
    std::fs::write(file.path(), "a needle\n").unwrap();
    let name = file.path().file_name().unwrap().to_str().unwrap();
    for (same, found) in [(false, true), (true, false)] {
        let options = json!({
            "additionalDirectories": ["/dev"],
            "search": { "sameFileSystem": same },
        });
        let bench = Bench::new(options);
        let find = json!({ "pattern": name, "path": "/dev" });
        let (text, _) = bench.ok("find", find).await;
        assert_eq!(text.contains(&format!("shm/{name}")), found, "{text}");
        let grep = json!({ "pattern": "a needle", "glob": name, "path": "/dev" });
        let (text, _) = bench.ok("grep", grep).await;
        assert_eq!(text.contains(": a needle"), found, "{text}");
    }
}

/// A workspace with an ignored file, and times of change that differ from the order of the paths.
fn dated() -> Bench {
    let bench = Bench::agent();
    bench.write(".gitignore", "*.log\n");
    for (name, age) in [("a.txt", 300), ("b.txt", 100), ("c.log", 0), ("d.txt", 200)] {
        bench.write(name, "needle\nneedle\n");
        let file = std::fs::File::options()
            .write(true)
            .open(bench.path(name))
            .unwrap();
        let changed = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(changed).unwrap();
    }
    bench
}

#[tokio::test]
async fn files_are_found_newest_first_and_ignored_ones_on_request() {
    let bench = dated();
    let newest = json!({ "pattern": "*.{txt,log}", "order": "modified" });
    let (text, _) = bench.ok("find", newest).await;
    assert_eq!(text, "b.txt\nd.txt\na.txt");
    let all = json!({ "pattern": "*.{txt,log}", "order": "modified", "ignored": true });
    let (text, _) = bench.ok("find", all).await;
    assert_eq!(text, "c.log\nb.txt\nd.txt\na.txt");
}

#[tokio::test]
async fn matches_are_shown_newest_first_and_those_of_ignored_files_on_request() {
    let bench = dated();
    let search = |more: serde_json::Value| {
        let mut params = json!({ "pattern": "needle" });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        params
    };
    let (text, _) = bench
        .ok("grep", search(json!({ "order": "modified" })))
        .await;
    let files: Vec<&str> = text
        .lines()
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(
        files,
        ["b.txt", "b.txt", "d.txt", "d.txt", "a.txt", "a.txt"]
    );
    let some = search(json!({ "order": "modified", "ignored": true, "limit": 3 }));
    let (text, _) = bench.ok("grep", some).await;
    let shown: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        shown,
        ["c.log:1: needle", "c.log:2: needle", "b.txt:1: needle"]
    );
    let (text, _) = bench.ok("grep", search(json!({ "ignored": true }))).await;
    assert_eq!(text.lines().count(), 8, "{text}");
}
