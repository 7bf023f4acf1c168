//! Changes that look wrong: broken syntax, and lines that stand for text.

use serde_json::{Value, json};

use crate::support::Bench;

const SOUND: &str = "function a() {\n  return 1\n}\n\nfunction b() {\n  return 2\n}\n";
const WARNING: &str = "`a.js` has a new syntax error: line 1, `{` is not closed.";

/// The ways to lose the first closing bracket of `a.js`, in each dialect: dialect, tool, parameters.
fn losses(root: &str) -> Vec<(&'static str, &'static str, Value)> {
    let lost = SOUND.replacen("1\n}\n", "1\n", 1);
    let envelope = "*** Begin Patch\n*** Update File: a.js\n@@\n   return 1\n-}\n \n*** End Patch";
    let unified = "--- a/a.js\n+++ b/a.js\n@@ -1,4 +1,3 @@\n function a() {\n   return 1\n-}\n \n";
    let replace = json!([{ "type": "replace", "oldText": "1\n}\n", "newText": "1\n" }]);
    let path = format!("{root}/a.js");
    vec![
        (
            "agent",
            "edit",
            json!({ "path": "a.js", "oldText": "1\n}\n", "newText": "1\n" }),
        ),
        ("agent", "write", json!({ "path": "a.js", "content": lost })),
        ("agent", "apply_patch", json!({ "input": envelope })),
        ("coder", "patch", json!({ "patch": unified })),
        ("coder", "write", json!({ "path": "a.js", "content": lost })),
        (
            "canonical",
            "Edit",
            json!({ "file_path": path, "old_string": "1\n}\n", "new_string": "1\n" }),
        ),
        (
            "canonical",
            "Write",
            json!({ "file_path": path, "content": lost }),
        ),
        (
            "manager",
            "write_file",
            json!({ "path": "a.js", "content": lost }),
        ),
        (
            "acp",
            "edit_file",
            json!({ "path": "a.js", "edits": replace }),
        ),
        (
            "acp",
            "write_file",
            json!({ "path": "a.js", "content": lost }),
        ),
    ]
}

fn bench(dialect: &str, edits: Value) -> Bench {
    let bench = Bench::new(json!({ "dialect": dialect, "edits": edits }));
    bench.write("a.js", SOUND);
    bench
}

#[tokio::test]
async fn every_tool_that_changes_text_names_the_line_that_it_broke() {
    for at in 0..losses("").len() {
        let dialect = losses("")[at].0;
        let bench = bench(dialect, json!({}));
        let (_, tool, params) = losses(&bench.path("").to_string_lossy()).swap_remove(at);
        let (text, _) = bench.ok(tool, params).await;
        assert!(
            text.ends_with(&format!("\n\nWarning: {WARNING}")),
            "{dialect} {tool}: {text}"
        );
        assert_eq!(
            bench.read("a.js"),
            SOUND.replacen("1\n}\n", "1\n", 1),
            "{dialect} {tool}"
        );
    }
}

#[tokio::test]
async fn where_the_host_wants_it_nothing_is_written() {
    for at in 0..losses("").len() {
        let dialect = losses("")[at].0;
        let bench = bench(dialect, json!({ "syntax": "refuse" }));
        let (_, tool, params) = losses(&bench.path("").to_string_lossy()).swap_remove(at);
        let refused = bench.refusal(tool, params).await;
        let message = "`a.js` was not changed: after this change it has a new syntax error: line 1, `{` is not closed. \
                       Fix the text and repeat the call.";
        assert_eq!(
            refused,
            ("broken_syntax", message.to_owned()),
            "{dialect} {tool}"
        );
        assert_eq!(bench.read("a.js"), SOUND, "{dialect} {tool}");
    }
}

#[tokio::test]
async fn where_nobody_may_look_nothing_is_said() {
    let bench = bench("agent", json!({ "syntax": "off" }));
    let (_, tool, params) = losses("").swap_remove(0);
    let (_, details) = bench.ok(tool, params).await;
    assert_eq!(details.get("warnings"), None);
}

#[tokio::test]
async fn a_file_that_was_broken_before_is_reported_of_once() {
    let bench = bench("agent", json!({}));
    let edit = |old: &str, new: &str| json!({ "path": "a.js", "oldText": old, "newText": new });
    let (_, details) = bench.ok("edit", edit("1\n}\n", "1\n")).await;
    assert_eq!(details["warnings"], json!([WARNING]));
    let (_, details) = bench.ok("edit", edit("return 2", "return 3")).await;
    assert_eq!(details.get("warnings"), None);
    let (_, details) = bench.ok("edit", edit("1\n", "1\n}\n")).await;
    assert_eq!(details.get("warnings"), None);
}

#[tokio::test]
async fn one_broken_file_refuses_the_whole_patch_and_a_dry_run_says_so() {
    let patch = "*** Begin Patch\n*** Add File: new.py\n+def f(:\n*** Update File: a.js\n@@\n-  return 1\n+  return (1\n*** End Patch";
    let bench = bench("agent", json!({ "syntax": "refuse" }));
    for dry_run in [true, false] {
        let (code, message) = bench
            .refusal("apply_patch", json!({ "input": patch, "dryRun": dry_run }))
            .await;
        assert_eq!(code, "broken_syntax", "{message}");
        assert!(
            message.contains("line 2, `(` is not closed before the `}` of line 3"),
            "{message}"
        );
    }
    assert!(!bench.path("new.py").exists());
}

#[tokio::test]
async fn placeholders_are_reported_or_refused_in_edits_and_patches_too() {
    let edit = json!({ "path": "a.js", "oldText": "  return 1\n", "newText": "  // ... existing code ...\n" });
    let patch = json!({ "input": "*** Begin Patch\n*** Update File: a.js\n@@\n-  return 1\n+  // ... existing code ...\n*** End Patch" });
    let write =
        json!({ "path": "a.js", "content": "function a() {\n  // ... existing code ...\n}\n" });
    for (tool, params) in [("edit", edit), ("apply_patch", patch), ("write", write)] {
        let tolerant = bench("agent", json!({}));
        let (_, details) = tolerant.ok(tool, params.clone()).await;
        let warnings = details["warnings"].as_array().unwrap();
        assert!(
            warnings[0]
                .as_str()
                .unwrap()
                .starts_with("Line 2 of `a.js`, `// ... existing code ...`, is a placeholder"),
            "{tool}"
        );
        let strict = bench("agent", json!({ "placeholders": "refuse" }));
        let (code, message) = strict.refusal(tool, params).await;
        assert_eq!(code, "placeholder", "{message}");
        assert_eq!(strict.read("a.js"), SOUND, "{tool}");
    }
}
