//! Files that something else changes between two calls of a session.

use serde_json::json;

use crate::support::Bench;

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A session that has read `a.txt`.
async fn reader(options: serde_json::Value) -> Bench {
    let bench = Bench::new(options);
    bench.write("a.txt", LINES);
    bench.ok("read", json!({ "file_path": "a.txt" })).await;
    bench
}

fn edit(old: &str, new: &str) -> serde_json::Value {
    json!({ "file_path": "a.txt", "oldText": old, "newText": new })
}

#[tokio::test]
async fn an_edit_goes_ahead_where_the_file_changed_elsewhere() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", format!("zero\n{LINES}nine\n"));
    bench.ok("edit", edit("three\n", "3\n")).await;
    let expected = format!("zero\n{LINES}nine\n").replace("three", "3");
    assert_eq!(bench.read("a.txt"), expected);
    // And once more: what is unknown stays unknown, and does not matter.
    bench.ok("edit", edit("five\n", "5\n")).await;
    assert_eq!(bench.read("a.txt"), expected.replace("five", "5"));
}

#[tokio::test]
async fn an_edit_of_a_place_that_changed_is_refused_with_what_stands_there_now() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", LINES.replace("four", "vier"));
    let error = bench.call("edit", edit("four\n", "4\n")).await.unwrap_err();
    assert_eq!(
        error.message,
        "`a.txt` changed on disk since this session last read it, at the place of this edit. \
         Nothing was written. Lines 2-6 are now:\ntwo\nthree\nvier\nfive\nsix\nRepeat the edit with this text."
    );
    assert_eq!(
        (
            error.code.as_str(),
            &error.details["line"],
            &error.details["region"]
        ),
        (
            "stale_file",
            &json!(2),
            &json!("two\nthree\nvier\nfive\nsix\n")
        )
    );
    assert_eq!(bench.read("a.txt"), LINES.replace("four", "vier"));
    // What the error showed is known.
    bench.ok("edit", edit("vier\n", "4\n")).await;
    assert_eq!(bench.read("a.txt"), LINES.replace("four", "4"));
}

#[tokio::test]
async fn words_that_moved_elsewhere_are_not_taken_for_those_that_were_meant() {
    let bench = Bench::agent();
    bench.write("a.txt", "[debug]\nlevel = 1\n[release]\nlevel = 2\n");
    bench.ok("read", json!({ "file_path": "a.txt" })).await;
    let now = "[debug]\nlevel = 0\n[release]\nlevel = 1\n";
    bench.write("a.txt", now);
    let (code, message) = bench.refusal("edit", edit("level = 1", "level = 3")).await;
    assert_eq!(code, "stale_file", "{message}");
    assert!(
        message.contains("Lines 2-4 are now:\nlevel = 0\n[release]\nlevel = 1\n"),
        "{message}"
    );
    assert_eq!(bench.read("a.txt"), now);
}

#[tokio::test]
async fn what_a_command_of_the_agent_changed_can_be_edited_by_its_new_words() {
    let bench = reader(json!({})).await;
    bench
        .ok("exec", json!({ "command": "sed -i s/four/vier/ a.txt" }))
        .await;
    bench.ok("edit", edit("vier\n", "4\n")).await;
    assert_eq!(bench.read("a.txt"), LINES.replace("four", "4"));
}

#[tokio::test]
async fn a_formatter_that_changes_the_indentation_of_the_place_is_reported_and_not_guessed_over() {
    let bench = Bench::agent();
    let code = "fn main() {\n  let first = 1;\n  let second = 2;\n}\n";
    bench.write("a.txt", code);
    bench.ok("read", json!({ "file_path": "a.txt" })).await;
    let formatted = code.replace("  ", "\t");
    bench.write("a.txt", &formatted);
    let old = "  let first = 1;\n  let second = 2;\n";
    let new = "  let first = 1;\n  let other = 2;\n";
    let (code, message) = bench.refusal("edit", edit(old, new)).await;
    assert_eq!(code, "stale_file");
    assert!(message.contains("\tlet first = 1;\n"), "{message}");
    // The second attempt is made in knowledge of it; the tolerance of the matcher may serve.
    bench.ok("edit", edit(old, new)).await;
    assert_eq!(bench.read("a.txt"), formatted.replace("second", "other"));
}

#[tokio::test]
async fn other_line_ends_are_no_change_of_the_place() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", LINES.replace('\n', "\r\n"));
    bench.ok("edit", edit("four\nfive\n", "4\n5\n")).await;
    let expected = LINES.replace("four\nfive", "4\n5").replace('\n', "\r\n");
    assert_eq!(bench.read("a.txt"), expected);
}

#[tokio::test]
async fn a_write_over_changes_that_were_never_read_is_refused_with_them() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", LINES.replace("four\n", ""));
    let write = json!({ "file_path": "a.txt", "content": "mine\n" });
    let error = bench.call("write", write.clone()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "stale_file");
    assert!(
        error.message.contains("\n three\n-four\n five\n"),
        "{}",
        error.message
    );
    assert_eq!(bench.read("a.txt"), LINES.replace("four\n", ""));
    // Now they were.
    bench.ok("write", write).await;
    assert_eq!(bench.read("a.txt"), "mine\n");
}

#[tokio::test]
async fn a_write_after_an_edit_beside_unread_changes_is_refused() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", format!("zero\n{LINES}"));
    bench.ok("edit", edit("seven\n", "7\n")).await;
    let (code, message) = bench
        .refusal(
            "write",
            json!({ "file_path": "a.txt", "content": "mine\n" }),
        )
        .await;
    assert_eq!(code, "stale_file");
    assert!(
        message.contains("+zero\n") && !message.contains("+7\n"),
        "{message}"
    );
}

#[tokio::test]
async fn what_the_session_wrote_itself_is_known_to_it() {
    let bench = Bench::new(json!({ "edits": { "requireRead": true } }));
    let write = |content: &str| json!({ "file_path": "a.txt", "content": content });
    bench.ok("write", write(LINES)).await;
    bench.ok("edit", edit("two\n", "2\n")).await;
    bench.ok("edit", edit("2\n", "two\n")).await;
    bench.ok("write", write("other\n")).await;
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-other\n+OTHER\n*** End Patch";
    bench.ok("apply_patch", json!({ "input": patch })).await;
    bench
        .ok(
            "edit",
            json!({ "file_path": "b.txt", "oldText": "OTHER", "newText": "x" }),
        )
        .await;
    assert_eq!(bench.read("b.txt"), "x\n");
}

#[tokio::test]
async fn a_file_that_was_never_read_is_only_changed_where_that_is_not_required() {
    let bench = Bench::agent();
    bench.write("a.txt", LINES);
    bench.ok("edit", edit("two\n", "2\n")).await;
    let bench = Bench::new(json!({ "edits": { "requireRead": true } }));
    bench.write("a.txt", LINES).write("b.txt", LINES);
    let refused = "`a.txt` was not changed: this session has not read it. Read it first, then repeat the call.";
    let update = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch";
    let delete = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";
    let unified = "--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-two\n+2\n";
    for (tool, params) in [
        ("edit", edit("two\n", "2\n")),
        ("write", json!({ "file_path": "a.txt", "content": "x" })),
        ("apply_patch", json!({ "input": update })),
        ("apply_patch", json!({ "input": delete })),
        ("apply_patch", json!({ "input": unified })),
    ] {
        let (code, message) = bench.refusal(tool, params).await;
        assert_eq!((code, &*message), ("not_read", refused), "{tool}");
    }
    assert_eq!(bench.read("a.txt"), LINES);
    bench
        .ok("read", json!({ "file_path": "a.txt", "limit": 1 }))
        .await;
    bench.ok("edit", edit("two\n", "2\n")).await;
    // A new file needs no reading.
    bench
        .ok("write", json!({ "file_path": "new.txt", "content": "x" }))
        .await;
}

#[tokio::test]
async fn patches_of_both_kinds_are_held_to_the_same() {
    for patch in [
        "*** Begin Patch\n*** Update File: a.txt\n@@\n three\n-four\n+4\n five\n*** End Patch",
        "--- a/a.txt\n+++ b/a.txt\n@@ -3,3 +3,3 @@\n three\n-four\n+4\n five\n",
    ] {
        let patch = json!({ "input": patch });
        let bench = reader(json!({})).await;
        let elsewhere = format!("zero\n{LINES}");
        bench.write("a.txt", &elsewhere);
        bench.ok("apply_patch", patch.clone()).await;
        assert_eq!(bench.read("a.txt"), elsewhere.replace("four", "4"));

        let bench = reader(json!({})).await;
        let here = LINES.replace("four", "vier");
        bench.write("a.txt", &here);
        let (code, message) = bench.refusal("apply_patch", patch).await;
        assert_eq!(code, "stale_file");
        assert!(message.contains("\nthree\nvier\nfive\n"), "{message}");
        assert_eq!(bench.read("a.txt"), here);
    }
}

#[tokio::test]
async fn a_file_that_changed_is_not_deleted_unseen() {
    for patch in [
        "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch".to_owned(),
        format!(
            "--- a/a.txt\n+++ /dev/null\n@@ -1,8 +0,0 @@\n-{}",
            LINES.trim_end().replace('\n', "\n-")
        ),
    ] {
        let bench = reader(json!({})).await;
        bench.write("a.txt", format!("{LINES}and more\n"));
        let (code, message) = bench
            .refusal("apply_patch", json!({ "input": patch }))
            .await;
        assert_eq!(code, "stale_file", "{message}");
        assert_eq!(bench.read("a.txt"), format!("{LINES}and more\n"));
    }
}

#[tokio::test]
async fn a_text_that_was_never_there_is_reported_from_one_that_is_gone() {
    let bench = reader(json!({})).await;
    let (code, message) = bench
        .refusal("edit", edit("nowhere to be found\n", "x\n"))
        .await;
    assert_eq!(code, "no_match");
    assert!(!message.contains("changed on disk"), "{message}");
    bench.write("a.txt", LINES.replace("four", "vier"));
    let (code, message) = bench
        .refusal("edit", edit("nowhere to be found\n", "x\n"))
        .await;
    assert_eq!(code, "no_match");
    assert!(
        message.ends_with("The file changed on disk since this session last read it."),
        "{message}"
    );
}

#[tokio::test]
async fn an_edit_that_is_made_already_is_reported_from_one_that_fits_nowhere() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", LINES.replace("four", "and four"));
    let (code, message) = bench
        .refusal("edit", edit("\nfour\n", "\nand four\n"))
        .await;
    assert_eq!(code, "no_change", "{message}");
    assert!(message.contains("seems to have been applied"), "{message}");
    for patch in [
        "*** Begin Patch\n*** Update File: a.txt\n@@\n three\n-four\n+and four\n five\n*** End Patch",
        "--- a/a.txt\n+++ b/a.txt\n@@ -3,3 +3,3 @@\n three\n-four\n+and four\n five\n",
    ] {
        let (code, message) = bench
            .refusal("apply_patch", json!({ "input": patch }))
            .await;
        assert_eq!(code, "no_change", "{message}");
        assert!(message.contains("seems to have been applied"), "{message}");
    }
}

#[tokio::test]
async fn every_occurrence_means_those_of_others_too() {
    let bench = reader(json!({})).await;
    bench.write("a.txt", format!("{LINES}four more\n"));
    let all =
        json!({ "file_path": "a.txt", "oldText": "four", "newText": "4", "replaceAll": true });
    bench.ok("edit", all).await;
    assert_eq!(
        bench.read("a.txt"),
        format!("{LINES}four more\n").replace("four", "4")
    );
}

#[tokio::test]
async fn two_sessions_over_one_file_see_each_others_changes() {
    let bench = reader(json!({})).await;
    let options = json!({ "workspace": bench.directory.path() });
    let options = tenon_runtime::Options::from_json(&options.to_string()).unwrap();
    let other =
        tenon_runtime::Toolkit::new(options, tenon_runtime::HostCallbacks::default()).unwrap();
    let theirs = tenon_runtime::CallRequest::new("edit", edit("four\n", "vier\n"));
    other.call(theirs).await.unwrap();
    let (code, _) = bench.refusal("edit", edit("four\n", "4\n")).await;
    assert_eq!(code, "stale_file");
    bench.ok("edit", edit("eight\n", "8\n")).await;
    assert_eq!(
        bench.read("a.txt"),
        LINES.replace("four", "vier").replace("eight", "8")
    );
}

#[tokio::test]
async fn a_roll_back_is_a_change_that_the_session_has_not_read() {
    let bench = reader(json!({})).await;
    let checkpoint = bench.toolkit.checkpoint().unwrap();
    bench.ok("edit", edit("four\n", "vier\n")).await;
    bench.toolkit.rollback(&checkpoint, false).await.unwrap();
    let (code, _) = bench.refusal("edit", edit("vier\n", "4\n")).await;
    assert_eq!(code, "stale_file");
    bench.ok("edit", edit("four\n", "4\n")).await;
}

#[tokio::test]
async fn other_names_of_a_file_are_reported_of() {
    let bench = reader(json!({})).await;
    std::fs::hard_link(bench.path("a.txt"), bench.path("b.txt")).unwrap();
    let (text, details) = bench.ok("edit", edit("four\n", "4\n")).await;
    let warning = "`a.txt` had another name (hard link), which keeps the old content: it may lie outside the workspace.";
    assert!(text.contains(warning), "{text}");
    assert_eq!(details["warnings"], json!([warning]));
    assert_eq!(bench.read("b.txt"), LINES);
}

#[tokio::test]
async fn a_line_number_holds_only_as_far_as_the_file_is_known() {
    let bench = Bench::new(json!({ "dialect": "acp" }));
    let insert = |line: u64| json!({ "path": "a.txt", "edits": [{ "type": "insert", "line": line, "text": "new" }] });
    bench.write("a.txt", LINES);
    bench.ok("read_file", json!({ "path": "a.txt" })).await;
    let now = LINES.replace("four\n", "three and a half\nfour\n");
    bench.write("a.txt", &now);
    let (code, message) = bench.refusal("edit_file", insert(7)).await;
    assert_eq!((code, bench.read("a.txt")), ("stale_file", now.clone()));
    assert!(
        message.contains("Lines 6-9 are now:\nfive\nsix\nseven\neight\n"),
        "{message}"
    );
    bench.ok("edit_file", insert(2)).await;
    assert_eq!(bench.read("a.txt"), now.replace("two\n", "new\ntwo\n"));
    let (code, _) = bench
        .refusal("delete_file", json!({ "path": "a.txt" }))
        .await;
    assert_eq!(code, "stale_file");
}

#[tokio::test]
async fn what_may_not_be_read_is_not_reported_by_replacing_it() {
    for (dialect, write, key) in [("agent", "write", "file_path"), ("coder", "write", "path")] {
        let bench = Bench::new(json!({
            "dialect": dialect,
            "permissions": { "deny": ["Read(kept)"], "defaultMode": "allow" },
        }));
        let params = |content: &str| json!({ key: "kept", "content": content });
        bench.write("kept", "SECRET\n");
        let (text, details) = bench.ok(write, params("mine\n")).await;
        assert_eq!(details["diff"], json!(""), "{dialect}");
        assert!(!text.contains("SECRET"), "{dialect}: {text}");
        bench.write("kept", "ANOTHER\n");
        let error = bench.call(write, params("yours\n")).await.unwrap_err();
        assert_eq!(error.code.as_str(), "stale_file");
        let reported = format!("{}{}", error.message, json!(error.details));
        assert!(!reported.contains("ANOTHER"), "{dialect}: {reported}");
        assert_eq!(bench.read("kept"), "ANOTHER\n");
        bench.ok(write, params("yours\n")).await;
        assert_eq!(bench.read("kept"), "yours\n");
    }
}
