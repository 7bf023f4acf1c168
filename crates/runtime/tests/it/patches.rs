//! apply_patch.

use serde_json::json;

use crate::support::Bench;

const ENVELOPE: &str = "*** Begin Patch
*** Add File: new/a.txt
+one
+two
*** Update File: b.txt
@@
 first
-second
+2nd
 third
*** Update File: c.txt
*** Move to: moved/c.txt
@@
-old
+new
*** Delete File: d.txt
*** End Patch
";

fn files(bench: &Bench) {
    bench
        .write("b.txt", "first\nsecond\nthird\n")
        .write("c.txt", "old\n")
        .write("d.txt", "gone\n");
}

#[tokio::test]
async fn an_envelope_adds_updates_moves_and_deletes_together() {
    let bench = Bench::agent();
    files(&bench);
    let (text, details) = bench.ok("apply_patch", json!({ "input": ENVELOPE })).await;
    assert_eq!(
        text,
        "Success. Updated the following files:\nA new/a.txt (+2 -0)\nM b.txt (+1 -1)\nR c.txt -> moved/c.txt (+1 -1)\nD d.txt (+0 -1)"
    );
    assert_eq!(
        details["results"],
        json!([
            { "path": "new/a.txt", "operation": "create", "additions": 2, "deletions": 0 },
            { "path": "b.txt", "operation": "update", "additions": 1, "deletions": 1 },
            { "path": "moved/c.txt", "operation": "move", "from": "c.txt", "additions": 1, "deletions": 1 },
            { "path": "d.txt", "operation": "delete", "additions": 0, "deletions": 1 },
        ])
    );
    let now = [
        bench.read("new/a.txt"),
        bench.read("b.txt"),
        bench.read("moved/c.txt"),
    ];
    assert_eq!(now, ["one\ntwo\n", "first\n2nd\nthird\n", "new\n"]);
    assert!(!bench.path("c.txt").exists() && !bench.path("d.txt").exists());
}

#[tokio::test]
async fn a_dry_run_tells_what_would_happen_and_changes_nothing() {
    let bench = Bench::agent();
    files(&bench);
    let (text, details) = bench
        .ok("apply_patch", json!({ "input": ENVELOPE, "dryRun": true }))
        .await;
    assert!(text.starts_with("Dry run, nothing was changed."), "{text}");
    assert_eq!(
        (
            &details["applied"],
            details["results"].as_array().unwrap().len()
        ),
        (&json!(false), 4)
    );
    assert_eq!(
        (bench.read("b.txt").as_str(), bench.path("new").exists()),
        ("first\nsecond\nthird\n", false)
    );
    assert!(bench.toolkit.history()[0].changes.is_empty());
}

#[tokio::test]
async fn a_patch_of_which_one_part_does_not_fit_changes_nothing() {
    let bench = Bench::agent();
    files(&bench);
    bench.write("c.txt", "other\n");
    let (code, message) = bench
        .refusal("apply_patch", json!({ "input": ENVELOPE }))
        .await;
    assert_eq!(code, "no_match", "{message}");
    assert!(
        message.starts_with("Nothing was changed:") && message.contains("`c.txt`"),
        "{message}"
    );
    assert_eq!(
        (bench.read("b.txt").as_str(), bench.path("new").exists()),
        ("first\nsecond\nthird\n", false)
    );
}

#[tokio::test]
async fn a_unified_diff_is_placed_by_its_lines_not_by_its_numbers() {
    let bench = Bench::agent();
    bench.write(
        "b.txt",
        format!("{}first\nsecond\nthird\n", "filler\n".repeat(50)),
    );
    let diff = "--- a/b.txt\n+++ b/b.txt\n@@ -1,7 +1,9 @@\n first\n-second\n+2nd\n third\n";
    bench.ok("apply_patch", json!({ "input": diff })).await;
    assert_eq!(
        bench.read("b.txt"),
        format!("{}first\n2nd\nthird\n", "filler\n".repeat(50))
    );
}

#[tokio::test]
async fn no_part_of_a_patch_leads_outside() {
    let bench = Bench::agent();
    let patch =
        "*** Begin Patch\n*** Add File: ok.txt\n+x\n*** Add File: ../out.txt\n+x\n*** End Patch\n";
    assert_eq!(
        bench
            .refusal("apply_patch", json!({ "input": patch }))
            .await
            .0,
        "outside_workspace"
    );
    assert!(!bench.path("ok.txt").exists());
}
