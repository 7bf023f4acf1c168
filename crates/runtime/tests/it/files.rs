//! read, write, edit and ls.

use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::support::{Bench, entries};

#[tokio::test]
async fn read_answers_the_file_as_it_stands() {
    let bench = Bench::agent();
    bench.write("src/a.txt", "one\ntwo\n");
    let (text, details) = bench.ok("read", json!({ "file_path": "src/a.txt" })).await;
    assert_eq!(text, "one\ntwo\n");
    assert_eq!(
        details,
        json!({ "path": "src/a.txt", "lines": 2, "startLine": 1, "endLine": 2, "hasMore": false })
    );
}

#[tokio::test]
async fn read_pages_and_names_the_next_call() {
    let bench = Bench::agent();
    bench.write(
        "a.txt",
        (1..=10)
            .map(|line| format!("line {line}\n"))
            .collect::<String>(),
    );
    let (text, details) = bench
        .ok(
            "read",
            json!({ "file_path": "a.txt", "offset": 3, "limit": 2 }),
        )
        .await;
    assert_eq!(
        text,
        "line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]"
    );
    assert_eq!(
        details,
        json!({ "path": "a.txt", "lines": 10, "startLine": 3, "endLine": 4, "hasMore": true })
    );
}

#[tokio::test]
async fn read_stops_at_two_thousand_lines_and_says_so() {
    let bench = Bench::agent();
    bench.write("long.txt", "x\n".repeat(2500));
    let (text, details) = bench.ok("read", json!({ "file_path": "long.txt" })).await;
    assert!(
        text.ends_with("x\n\n[Showing lines 1-2000 of 2500. Use offset=2001 to continue.]"),
        "{}",
        &text[3990..]
    );
    let truncation = &details["truncation"];
    assert_eq!(
        (
            &truncation["truncatedBy"],
            &truncation["outputLines"],
            &truncation["totalLines"]
        ),
        (&json!("lines"), &json!(2000), &json!(2500))
    );
}

#[tokio::test]
async fn read_past_the_end_names_the_line_count() {
    let bench = Bench::agent();
    bench.write("a.txt", "one\n").write("empty.txt", "");
    let (code, message) = bench
        .refusal("read", json!({ "file_path": "a.txt", "offset": 5 }))
        .await;
    assert_eq!(
        (code, message.as_str()),
        (
            "invalid_params",
            "Line 5 is past the end of `a.txt`, which has 1 line. Use `offset` from 1 to 1."
        )
    );
    assert_eq!(
        bench
            .ok("read", json!({ "file_path": "empty.txt" }))
            .await
            .0,
        "(empty file)"
    );
}

#[tokio::test]
async fn canonical_read_numbers_its_lines() {
    let bench = Bench::canonical();
    bench.write("a.txt", "one\n\nthree\n");
    let (text, details) = bench
        .ok("Read", json!({ "file_path": bench.path("a.txt") }))
        .await;
    assert_eq!(
        details,
        json!({ "content": "     1\tone\n     2\t\n     3\tthree", "total_lines": 3 })
    );
    assert_eq!(text, details["content"].as_str().unwrap());
}

#[tokio::test]
async fn an_image_comes_back_as_its_place_and_its_bytes() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0\x12\x16\xf1M\0\0\0\0IEND\xaeB`\x82";
    let bench = Bench::agent();
    bench.write("pixel.dat", png);
    let (text, details) = bench.ok("read", json!({ "file_path": "pixel.dat" })).await;
    assert_eq!(
        text,
        format!("MEDIA:{}\n<image/png>", bench.path("pixel.dat").display())
    );
    assert_eq!(
        details,
        json!({ "path": "pixel.dat", "width": 3, "height": 2, "mimeType": "image/png" })
    );
}

#[tokio::test]
async fn what_is_no_text_is_refused_by_its_kind() {
    let bench = Bench::agent();
    bench.write("program", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bench.path("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let (code, message) = bench
        .refusal("read", json!({ "file_path": "program" }))
        .await;
    assert_eq!(code, "binary_file");
    assert!(message.contains("ELF"), "{message}");
    let (code, message) = bench.refusal("read", json!({ "file_path": "pipe" })).await;
    assert_eq!(code, "not_a_file");
    assert!(message.contains("FIFO"), "{message}");
}

#[tokio::test]
async fn a_missing_file_is_answered_with_near_names() {
    let bench = Bench::agent();
    bench.write("src/parser.rs", "").write("src/lexer.rs", "");
    let (code, message) = bench
        .refusal("read", json!({ "file_path": "src/parsr.rs" }))
        .await;
    assert_eq!(code, "not_found");
    assert!(message.contains("`src/parser.rs`"), "{message}");
}

#[tokio::test]
async fn no_path_leads_out_of_the_workspace() {
    let bench = Bench::agent();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    symlink(outside.path(), bench.path("link")).unwrap();
    bench.write("in.txt", "x");
    let secret = outside.path().join("secret");
    let ways = [
        json!("../secret"),
        json!("link/secret"),
        json!(secret),
        json!("in.txt/../../../etc/passwd"),
    ];
    for way in &ways {
        for (tool, rest) in [
            ("read", json!({})),
            ("write", json!({ "content": "x" })),
            ("edit", json!({ "oldText": "s", "newText": "t" })),
        ] {
            let mut params = rest;
            params["file_path"] = way.clone();
            let (code, message) = bench.refusal(tool, params).await;
            assert_eq!(code, "outside_workspace", "{tool} {way}: {message}");
        }
    }
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "s");
}

#[tokio::test]
async fn write_creates_directories_and_reports_the_change() {
    let bench = Bench::agent();
    let (text, details) = bench
        .ok(
            "write",
            json!({ "file_path": "a/b/c.txt", "content": "one\ntwo\n" }),
        )
        .await;
    assert_eq!(text, "Successfully wrote to a/b/c.txt");
    assert_eq!(
        details,
        json!({ "path": "a/b/c.txt", "size": 8, "operation": "create", "additions": 2, "deletions": 0,
            "diff": "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n" })
    );
    assert_eq!(
        (
            bench.read("a/b/c.txt").as_str(),
            entries(&bench.path("a/b"))
        ),
        ("one\ntwo\n", vec!["c.txt".to_owned()])
    );
}

#[tokio::test]
async fn write_keeps_mode_and_byte_order_mark_and_writes_through_links() {
    let bench = Bench::canonical();
    bench.write("real.sh", "\u{feff}old\n");
    std::fs::set_permissions(
        bench.path("real.sh"),
        std::fs::Permissions::from_mode(0o751),
    )
    .unwrap();
    symlink("real.sh", bench.path("link.sh")).unwrap();
    let (_, details) = bench
        .ok(
            "Write",
            json!({ "file_path": bench.path("link.sh"), "content": "new\n" }),
        )
        .await;
    assert_eq!(details, json!({ "success": true, "bytes_written": 7 }));
    assert_eq!(bench.read("real.sh"), "\u{feff}new\n");
    assert!(bench.path("link.sh").is_symlink());
    assert_eq!(
        std::fs::metadata(bench.path("real.sh"))
            .unwrap()
            .permissions()
            .mode()
            & 0o7777,
        0o751
    );
}

/// `read` shows no CR, so what was read and written again had lost them all.
#[tokio::test]
async fn write_keeps_the_crlf_of_a_file_whose_lines_all_have_it() {
    let bench = Bench::agent();
    bench.write("a.txt", "a\r\nb\r\n");
    let (shown, _) = bench.ok("read", json!({ "file_path": "a.txt" })).await;
    assert_eq!(shown, "a\nb\n");
    let (text, details) = bench
        .ok(
            "write",
            json!({ "file_path": "a.txt", "content": shown.replace('b', "B") }),
        )
        .await;
    assert_eq!(
        text,
        "Successfully wrote to a.txt\n\n[The file keeps its CRLF line endings]"
    );
    assert_eq!(
        details,
        json!({ "path": "a.txt", "size": 6, "operation": "update", "additions": 1, "deletions": 1,
            "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n" })
    );
    assert_eq!(bench.read("a.txt"), "a\r\nB\r\n");
    // What the session wrote it knows.
    bench
        .ok(
            "write",
            json!({ "file_path": "a.txt", "content": "c\nd\n" }),
        )
        .await;
    assert_eq!(bench.read("a.txt"), "c\r\nd\r\n");
}

#[tokio::test]
async fn write_takes_line_ends_as_they_are_given_where_the_file_does_not_settle_them() {
    let bench = Bench::canonical();
    for (before, content, after) in [
        // Both kinds in the file, or in the content; the content shows that it knows them.
        ("a\r\nb\n", "c\nd\n", "c\nd\n"),
        ("a\r\nb\r\n", "c\r\nd\n", "c\r\nd\n"),
        ("a\nb\n", "c\r\nd\r\n", "c\r\nd\r\n"),
        ("a", "c\nd\n", "c\nd\n"),
        ("a\r\n", "c", "c"),
    ] {
        bench.write("a.txt", before);
        let path = bench.path("a.txt");
        bench.ok("Read", json!({ "file_path": path })).await;
        let (text, _) = bench
            .ok("Write", json!({ "file_path": path, "content": content }))
            .await;
        assert!(!text.contains("CRLF"), "{text}");
        assert_eq!(bench.read("a.txt"), after);
    }
}

/// The advice was to work on a part of it, which no parameter allows.
#[tokio::test]
async fn write_over_a_file_that_is_too_large_says_how_it_can_be_replaced() {
    let bench = Bench::agent();
    let file = std::fs::File::create(bench.path("large")).unwrap();
    file.set_len(256 * 1024 * 1024 + 1).unwrap();
    let (code, message) = bench
        .refusal("write", json!({ "file_path": "large", "content": "x" }))
        .await;
    assert_eq!(code, "too_large");
    // The next step names a tool, if one is exposed.
    assert!(
        message.starts_with(
            "`large` was not written: it has 268,435,457 bytes, and files of more than 268,435,456 are not replaced."
        ),
        "{message}"
    );
}

#[tokio::test]
async fn edit_replaces_exactly_one_place_and_shows_it() {
    let bench = Bench::agent();
    bench.write("a.rs", "fn a() {}\nfn b() {}\nfn c() {}\n");
    let (text, details) = bench
        .ok(
            "edit",
            json!({ "file_path": "a.rs", "oldText": "b()", "newText": "bee()" }),
        )
        .await;
    assert_eq!(text, "Successfully replaced 1 block(s) in a.rs.");
    assert_eq!(
        details,
        json!({
            "path": "a.rs",
            "replacements": 1,
            "diff": " 1 fn a() {}\n-2 fn b() {}\n+2 fn bee() {}\n 3 fn c() {}",
            "patch": "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n fn a() {}\n-fn b() {}\n+fn bee() {}\n fn c() {}\n",
            "firstChangedLine": 2,
            "match": { "strategy": "exact", "exact": true, "line": 2, "endLine": 2,
                "places": [{ "edit": 0, "strategy": "exact", "exact": true, "line": 2, "endLine": 2 }] },
        })
    );
    assert_eq!(bench.read("a.rs"), "fn a() {}\nfn bee() {}\nfn c() {}\n");
}

#[tokio::test]
async fn an_ambiguous_edit_names_every_line_and_changes_nothing() {
    let bench = Bench::canonical();
    bench.write("a.txt", "x = 1\ny = 2\nx = 1\n");
    let params =
        json!({ "file_path": bench.path("a.txt"), "old_string": "x = 1", "new_string": "x = 3" });
    let error = bench.call("Edit", params.clone()).await.unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.details.get("lines")),
        ("not_unique", Some(&json!([1, 3])))
    );
    assert_eq!(bench.read("a.txt"), "x = 1\ny = 2\nx = 1\n");
    let mut all = params;
    all["replace_all"] = json!(true);
    assert_eq!(
        bench.ok("Edit", all).await.1,
        json!({ "success": true, "replacements": 2 })
    );
    assert_eq!(bench.read("a.txt"), "x = 3\ny = 2\nx = 3\n");
}

#[tokio::test]
async fn several_edits_are_made_together_or_not_at_all() {
    let bench = Bench::agent();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let edits = |last: &str| json!({ "file_path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }, { "oldText": last, "newText": "3" }] });
    let (code, message) = bench.refusal("edit", edits("four")).await;
    assert_eq!(code, "no_match");
    assert!(message.starts_with("`a.txt` was not changed:"), "{message}");
    assert_eq!(bench.read("a.txt"), "one\ntwo\nthree\n");
    bench.ok("edit", edits("three")).await;
    assert_eq!(bench.read("a.txt"), "1\ntwo\n3\n");
}

#[tokio::test]
async fn an_edit_keeps_every_byte_that_it_does_not_touch() {
    let bench = Bench::agent();
    // Windows-1252 text with mixed line ends and no last line end.
    bench.write(
        "a.txt",
        b"caf\xe9 au lait, d\xe9j\xe0 vu\r\nna\xefve fa\xe7ade\nthe end",
    );
    bench
        .ok(
            "edit",
            json!({ "file_path": "a.txt", "oldText": "the end", "newText": "fin" }),
        )
        .await;
    assert_eq!(
        std::fs::read(bench.path("a.txt")).unwrap(),
        b"caf\xe9 au lait, d\xe9j\xe0 vu\r\nna\xefve fa\xe7ade\nfin"
    );
}

#[tokio::test]
async fn writers_of_one_file_wait_for_each_other() {
    let bench = Bench::agent();
    bench.write(
        "a.txt",
        (0..20)
            .map(|line| format!("line {line}.\n"))
            .collect::<String>(),
    );
    let calls = (0..20).map(|line| {
        bench.call("edit", json!({ "file_path": "a.txt", "oldText": format!("line {line}."), "newText": format!("done {line}.") }))
    });
    let answers = futures_util::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(
        bench.read("a.txt"),
        (0..20)
            .map(|line| format!("done {line}.\n"))
            .collect::<String>()
    );
}

#[tokio::test]
async fn ls_lists_directories_with_a_slash_and_bounds_itself() {
    let bench = Bench::agent();
    bench
        .write("b/x.txt", "")
        .write("A.txt", "12345")
        .write(".hidden", "");
    let (text, details) = bench.ok("ls", json!({})).await;
    assert_eq!(text, ".hidden\nA.txt\nb/");
    let item = |name: &str, directory: bool, size: u64| json!({ "name": name, "path": name, "isDir": directory, "sizeBytes": size });
    let items: Vec<Value> = vec![
        item(".hidden", false, 0),
        item("A.txt", false, 5),
        item("b", true, 0),
    ];
    assert_eq!(
        details,
        json!({ "path": ".", "items": items, "truncated": false })
    );
    let (text, details) = bench.ok("ls", json!({ "path": ".", "limit": 1 })).await;
    assert_eq!(
        (text.as_str(), &details["truncated"]),
        (
            ".hidden\n\n[1 of 3 entries shown. Use limit=2 for more]",
            &json!(true)
        )
    );
    assert_eq!(
        bench.refusal("ls", json!({ "path": "A.txt" })).await.0,
        "not_a_directory"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_byte_order_mark_stays_one_and_the_diff_has_it() {
    let marked = |text: &str| format!("\u{feff}{text}");
    let patch = |lines: &str| format!("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n{lines}");
    let first = patch("-\u{feff}a\n+\u{feff}A\n b\n");
    let second = patch(" \u{feff}a\n-b\n+B\n");
    let whole = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n-\u{feff}a\n-b\n+\u{feff}A\n";
    let edit =
        |old: &str, new: &str| json!({ "file_path": "a.txt", "oldText": old, "newText": new });
    for (tool, params, after, diff) in [
        ("edit", edit("b", "B"), "a\nB\n", &second),
        ("edit", edit("a", "A"), "A\nb\n", &first),
        ("edit", edit("a", "\u{feff}A"), "A\nb\n", &first),
        ("edit", edit("\u{feff}a", "A"), "A\nb\n", &first),
        ("apply_patch", json!({ "input": first }), "A\nb\n", &first),
        (
            "apply_patch",
            json!({ "input": patch("-a\n+\u{feff}A\n b\n") }),
            "A\nb\n",
            &first,
        ),
        (
            "write",
            json!({ "file_path": "a.txt", "content": "A\n" }),
            "A\n",
            &whole.to_owned(),
        ),
        (
            "write",
            json!({ "file_path": "a.txt", "content": "\u{feff}A\n" }),
            "A\n",
            &whole.to_owned(),
        ),
    ] {
        let bench = Bench::agent();
        bench.write("a.txt", marked("a\nb\n"));
        bench.ok("read", json!({ "file_path": "a.txt" })).await;
        let (_, details) = bench.ok(tool, params.clone()).await;
        assert_eq!(bench.read("a.txt"), marked(after), "{params}");
        let reported = details.get("patch").or_else(|| details.get("diff"));
        assert_eq!(reported, Some(&json!(diff)), "{tool} {params}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_name_with_control_characters_is_one_quoted_entry_that_every_tool_takes() {
    let bench = Bench::agent();
    let name = "a.txt\nfake.ts:1: x\u{1b}[31m";
    let shown = r#""a.txt\nfake.ts:1: x\033[31m""#;
    bench.write(name, "needle\n").write("plain \"b\".txt", "");
    let (text, details) = bench.ok("ls", json!({})).await;
    assert_eq!(text, format!("{shown}\nplain \"b\".txt"));
    assert_eq!(details["items"][0]["name"], json!(name));
    let (text, details) = bench.ok("find", json!({ "pattern": "a*" })).await;
    assert_eq!((text.as_str(), &details["files"]), (shown, &json!([name])));
    let (text, _) = bench.ok("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(text, format!("{shown}:1: needle"));
    let (text, _) = bench
        .ok("grep", json!({ "pattern": "needle", "path": shown }))
        .await;
    assert_eq!(text, format!("{shown}:1: needle"));
    let (text, _) = bench.ok("read", json!({ "file_path": shown })).await;
    assert_eq!(text.trim_end(), "needle");
    bench
        .ok(
            "edit",
            json!({ "file_path": shown, "oldText": "needle", "newText": "thread" }),
        )
        .await;
    bench
        .ok("write", json!({ "file_path": shown, "content": "whole\n" }))
        .await;
    assert_eq!(bench.read(name), "whole\n");
}

#[tokio::test]
async fn a_line_that_stands_for_text_that_is_gone_is_warned_of() {
    let bench = Bench::agent();
    bench.write("a.rs", "fn one() {}\n\nfn two() {}\n\nfn three() {}\n");
    let content = "fn one() { 1 }\n\n// ... existing code ...\n";
    let (text, _) = bench
        .ok("write", json!({ "file_path": "a.rs", "content": content }))
        .await;
    assert_eq!(
        text,
        "Successfully wrote to a.rs\n\nWarning: Line 3 of `a.rs`, `// ... existing code ...`, is a placeholder, but \
         placeholders are not expanded: 3 lines were lost. Write the full text, or edit only the part that changes."
    );
    // A new file, a line that was there before and a change that loses nothing are as they should be.
    for (file, content) in [
        ("new.rs", content),
        ("a.rs", "fn other() {}\n\n// ... existing code ...\n"),
        (
            "a.rs",
            "fn other() {}\n\n// ... existing code ...\n// ... rest of the file ...\n",
        ),
    ] {
        let (text, _) = bench
            .ok("write", json!({ "file_path": file, "content": content }))
            .await;
        assert_eq!(text, format!("Successfully wrote to {file}"));
    }
}

#[tokio::test]
async fn what_may_not_be_read_is_no_suggestion_either() {
    let bench = Bench::new(json!({ "permissions": { "deny": ["Read(secret-*)"] } }));
    bench.write("secret-a.txt", "x");
    let error = bench
        .call("read", json!({ "file_path": "secret-b.txt" }))
        .await
        .unwrap_err();
    // The rule binds the missing name as well.
    assert_eq!(error.code.as_str(), "policy_denied");
    let missing = || async {
        let error = bench
            .call("read", json!({ "file_path": "secret_a.txt" }))
            .await
            .unwrap_err();
        (error.message, error.details.get("near").cloned())
    };
    let (message, near) = missing().await;
    assert!(!message.contains("secret-a"), "{message}");
    assert_eq!(near, None);
    bench.write("secret.txt", "x");
    let (message, near) = missing().await;
    assert!(
        message.contains("`secret.txt`") && !message.contains("secret-a"),
        "{message}"
    );
    assert_eq!(near, Some(json!(["secret.txt"])));
}

#[tokio::test]
async fn a_home_directory_an_address_or_a_drive_is_no_file_of_the_workspace() {
    let bench = Bench::agent();
    for (path, word) in [
        ("~/notes.txt", "`~` is not expanded"),
        ("file:///tmp/q.txt", "URLs are not supported"),
        ("C:\\a\\b.txt", "Drive letters"),
        ("https://example.com/a.txt", "URLs are not supported"),
        ("vscode://file/a.txt", "URLs are not supported"),
        ("$HOME/a.txt", "Variables are not expanded"),
        ("${PWD}/a.txt", "Variables are not expanded"),
        ("@/a.txt", "`@` stands for nothing here"),
        ("`a.txt`", "Quotes are part of a name"),
    ] {
        let (code, message) = bench
            .refusal("write", json!({ "file_path": path, "content": "x" }))
            .await;
        assert_eq!(code, "invalid_params", "{message}");
        assert!(message.contains(word), "{message}");
        let (code, message) = bench.refusal("read", json!({ "file_path": path })).await;
        assert_eq!(code, "not_found", "{message}");
        assert!(message.contains(word), "{message}");
    }
    bench.write("~/known.txt", "a directory of that name");
    let write = json!({ "file_path": "~/notes.txt", "content": "x" });
    bench.call("write", write).await.unwrap();
}

#[tokio::test]
async fn a_name_behind_an_at_sign_is_the_file_without_it_where_there_is_no_other() {
    let bench = Bench::agent();
    bench.write("src/a.txt", "one\n");
    let absolute = format!("@{}", bench.path("src/a.txt").display());
    for path in ["@src/a.txt", &absolute] {
        assert_eq!(
            bench.ok("read", json!({ "file_path": path })).await.0,
            "one\n"
        );
    }
    let edit = json!({ "file_path": "@src/a.txt", "oldText": "one", "newText": "two" });
    bench.ok("edit", edit).await;
    assert_eq!(bench.read("src/a.txt"), "two\n");
    // Beside `src`, nobody means a new directory `@src`; other scopes are directories like any.
    for (path, word) in [
        ("@src/b.txt", "`@` is part of a name"),
        ("src\\b.txt", "Use `/`"),
    ] {
        let write = json!({ "file_path": path, "content": "x" });
        let (code, message) = bench.refusal("write", write).await;
        assert_eq!(code, "invalid_params", "{message}");
        assert!(message.contains(word), "{message}");
    }
    for path in ["@scope/b.txt", "@b.txt", "$id/b.txt", "$types.ts"] {
        let write = json!({ "file_path": path, "content": "x" });
        bench.ok("write", write).await;
        assert_eq!(bench.read(path), "x");
    }
    // Then the name is taken to the letter.
    bench.write("@src/a.txt", "three\n");
    let read = json!({ "file_path": "@src/a.txt" });
    assert_eq!(bench.ok("read", read).await.0, "three\n");
}

#[tokio::test]
async fn several_files_and_ranges_are_read_in_one_call() {
    let bench = Bench::agent();
    bench.write("a.txt", "one\ntwo\n");
    bench.write("b.txt", "1\n2\n3\n4\n");
    let more = json!(["b.txt:2-3", "missing.txt"]);
    let (text, details) = bench
        .ok("read", json!({ "file_path": "a.txt", "more": more }))
        .await;
    let lead = "==> a.txt <==\none\ntwo\n\n==> b.txt <==\n2\n3\n\n[1 more line in file. Use offset=4 to continue.]\n\n==> missing.txt <==\n[";
    assert!(text.starts_with(lead), "{text}");
    assert!(text.contains("`missing.txt` does not exist"), "{text}");
    let files = details["files"].as_array().unwrap();
    assert_eq!(
        files[1],
        json!({ "path": "b.txt", "lines": 4, "startLine": 2, "endLine": 3, "outline": false })
    );
    let outside = json!({ "file_path": "a.txt", "more": ["../b.txt"] });
    assert_eq!(bench.refusal("read", outside).await.0, "outside_workspace");
}

#[tokio::test]
async fn a_file_that_does_not_fit_beside_others_is_outlined_and_not_known() {
    let bench = Bench::new(json!({ "edits": { "requireRead": true } }));
    let body = "    let value = 1;\n".repeat(1500);
    bench.write("a.rs", format!("fn first() {{\n{body}}}\n"));
    bench.write(
        "b.rs",
        format!("fn second() {{\n{body}}}\n\nfn third() {{}}\n"),
    );
    let call = json!({ "file_path": "a.rs", "more": ["b.rs"] });
    let (text, details) = bench.ok("read", call).await;
    let outline = "==> b.rs <==\n[1504 lines do not fit; name fewer files or lines to see them]\nsecond 1-1502\nthird 1504-1504";
    assert!(text.ends_with(outline), "{}", &text[text.len() - 300..]);
    assert_eq!(details["files"][1]["outline"], true);
    let edit = json!({ "file_path": "b.rs", "oldText": "fn third", "newText": "fn fourth" });
    assert_eq!(bench.refusal("edit", edit).await.0, "not_read");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn names_that_are_not_unicode_are_distinct_and_taken_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let bench = Bench::new(json!({ "permissions": { "deny": ["Read(c*.txt)"] } }));
    for (name, content) in [
        (b"b\xff.txt", "one\n"),
        (b"b\xfe.txt", "two\n"),
        (b"c\xff.txt", "secret\n"),
    ] {
        let path = bench.path("").join(OsStr::from_bytes(name));
        std::fs::write(path, content).unwrap();
    }
    let names = "\"b\\376.txt\"\n\"b\\377.txt\"";
    for (tool, params) in [
        ("ls", json!({})),
        ("find", json!({ "pattern": "*.txt" })),
        ("grep", json!({ "pattern": "o" })),
    ] {
        let (text, _) = bench.ok(tool, params).await;
        let mut shown: Vec<&str> = text.lines().filter(|line| line.contains("b\\37")).collect();
        shown.sort_unstable();
        let shown: Vec<&str> = shown
            .iter()
            .map(|line| line.split_once(':').map_or(*line, |(name, _)| name))
            .collect();
        assert_eq!(shown.join("\n"), names, "{tool}");
        assert!(!text.contains("c\\377"), "{tool}: {text}");
    }
    // Also where the file, or a directory of such a name, is what is searched.
    let directory = bench.path("").join(OsStr::from_bytes(b"d\xff"));
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("e.txt"), "one\n").unwrap();
    for (path, found) in [
        ("\"b\\377.txt\"", "\"b\\377.txt\":1: one"),
        ("\"d\\377\"", "\"d\\377/e.txt\":1: one"),
    ] {
        let searched = json!({ "pattern": "one", "path": path });
        assert_eq!(bench.ok("grep", searched).await.0, found);
    }
    let named = json!({ "pattern": "*.txt", "path": "\"d\\377\"" });
    assert_eq!(bench.ok("find", named).await.0, "\"d\\377/e.txt\"");
    let edit = json!({ "path": "\"b\\377.txt\"", "oldText": "one", "newText": "1" });
    bench.ok("edit", edit).await;
    let read = |name: &str| json!({ "path": name });
    assert_eq!(bench.ok("read", read("\"b\\377.txt\"")).await.0, "1\n");
    assert_eq!(bench.ok("read", read("\"b\\376.txt\"")).await.0, "two\n");
    let (code, _) = bench.refusal("read", read("\"c\\377.txt\"")).await;
    assert_eq!(code, "policy_denied");
}

#[tokio::test]
async fn what_is_neither_a_file_nor_a_directory_is_named_as_what_it_is() {
    let bench = Bench::agent();
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("s")).unwrap();
    let said = "`s` is a socket, not a directory.".to_owned();
    assert_eq!(
        bench.refusal("ls", json!({ "path": "s" })).await,
        ("not_a_directory", said.clone())
    );
    let params = json!({ "pattern": "*", "path": "s" });
    assert_eq!(
        bench.refusal("find", params).await,
        ("not_a_directory", said)
    );
}
