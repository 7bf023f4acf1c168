//! apply_patch.

use std::os::unix::fs::PermissionsExt;

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
async fn a_dry_run_reports_what_would_happen_and_changes_nothing() {
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

/// It said that the file exists already, where nothing did.
#[tokio::test]
async fn a_new_file_that_would_have_to_be_the_directory_of_another_one_is_refused() {
    let bench = Bench::agent();
    let [file, inside] = ["*** Add File: d\n+x\n", "*** Add File: d/x\n+y\n"];
    for body in [format!("{file}{inside}"), format!("{inside}{file}")] {
        let input = format!("*** Begin Patch\n{body}*** End Patch\n");
        let refusal = bench
            .refusal("apply_patch", json!({ "input": input }))
            .await;
        let message = "`d/x` cannot be created: `d` is a file in the same set of changes, not a directory. Use another path for one of them.";
        assert_eq!(refusal, ("invalid_params", message.to_owned()));
        assert!(!bench.path("d").exists());
    }
    // A name that only begins like another one is no directory of it.
    let input = "*** Begin Patch\n*** Add File: d\n+x\n*** Add File: d.x\n+y\n*** Add File: dx/y\n+z\n*** End Patch\n";
    bench.ok("apply_patch", json!({ "input": input })).await;
    assert_eq!(bench.read("dx/y"), "z\n");
}

#[tokio::test]
async fn a_directory_that_is_to_become_a_file_is_refused_with_the_way_to_do_it() {
    let bench = Bench::agent();
    bench.write("d/a.txt", "1\n");
    let deleted = "--- a/d/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    let made = "--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+new\n";
    for patch in [format!("{deleted}{made}"), format!("{made}{deleted}")] {
        let refusal = bench
            .refusal("apply_patch", json!({ "input": patch }))
            .await;
        let message = "`d` is a directory, and a patch puts no file in its place. Nothing was changed. Use `exec` to move or remove the directory first.";
        assert_eq!(refusal, ("not_a_file", message.to_owned()));
        assert_eq!(bench.read("d/a.txt"), "1\n");
    }
}

/// A file that changes, moves on and becomes executable, as in the mails of a series.
#[tokio::test]
async fn the_commits_of_a_series_are_made_one_after_the_other() {
    let bench = Bench::agent();
    bench.write("x", "a\nb\n");
    let mail = |number, body: &str| {
        format!(
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: [PATCH {number}/3] x\n\n---\n{body}-- \n2.40\n\n"
        )
    };
    let patch = mail(
        1,
        "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    ) + &mail(
        2,
        "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+A\n B\n",
    ) + &mail(
        3,
        "diff --git a/y b/z\nold mode 100644\nnew mode 100755\nrename from y\nrename to z\n",
    );
    let (text, _) = bench.ok("apply_patch", json!({ "input": patch })).await;
    assert_eq!(
        text,
        "Success. Updated the following files:\nR x -> z (+2 -2)"
    );
    assert_eq!(
        (bench.read("z").as_str(), mode(&bench, "z")),
        ("A\nB\n", 0o755)
    );
    assert!(!bench.path("x").exists() && !bench.path("y").exists());
}

fn renamed(from: &str, to: &str) -> String {
    format!(
        "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
    )
}

/// Git writes such patches, and applies them.
#[tokio::test]
async fn two_files_swap_their_names_with_their_modes() {
    let bench = Bench::agent();
    bench.write("f.sh", "one\n").write("g.txt", "two\n");
    let mode = |name: &str| {
        let file = std::fs::metadata(bench.path(name)).unwrap();
        file.permissions().mode() & 0o7777
    };
    let set = std::fs::Permissions::from_mode;
    std::fs::set_permissions(bench.path("f.sh"), set(0o755)).unwrap();
    std::fs::set_permissions(bench.path("g.txt"), set(0o640)).unwrap();
    let input = renamed("f.sh", "g.txt") + &renamed("g.txt", "f.sh");
    let (text, details) = bench.ok("apply_patch", json!({ "input": input })).await;
    assert_eq!(
        text,
        "Success. Updated the following files:\nR f.sh -> g.txt (+0 -0)\nR g.txt -> f.sh (+0 -0)"
    );
    assert_eq!(
        details["diff"],
        "diff --git a/f.sh b/g.txt\nrename from f.sh\nrename to g.txt\ndiff --git a/g.txt b/f.sh\nrename from g.txt\nrename to f.sh\n"
    );
    assert_eq!((bench.read("f.sh"), mode("f.sh")), ("two\n".into(), 0o640));
    assert_eq!(
        (bench.read("g.txt"), mode("g.txt")),
        ("one\n".into(), 0o755)
    );
    // The session knows what stands where now: nothing has to be read again.
    for (path, content) in [("f.sh", "2\n"), ("g.txt", "1\n")] {
        let params = json!({ "file_path": path, "content": content });
        bench.ok("write", params).await;
    }
}

#[tokio::test]
async fn files_move_up_in_a_row_and_a_new_one_takes_the_first_place() {
    let bench = Bench::agent();
    bench.write("1", "a\n").write("2", "b\n");
    std::fs::set_permissions(bench.path("1"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let new =
        "diff --git a/1 b/1\nnew file mode 100644\n--- /dev/null\n+++ b/1\n@@ -0,0 +1 @@\n+new\n";
    let changed = "--- a/1\n+++ b/2\n@@ -1 +1 @@\n-a\n+A\n";
    let input = format!("{new}{}{changed}{}", renamed("1", "2"), renamed("2", "3"));
    bench
        .ok(
            "apply_patch",
            json!({ "input": input.clone(), "dry_run": true }),
        )
        .await;
    assert_eq!(bench.read("1"), "a\n");
    let (text, _) = bench.ok("apply_patch", json!({ "input": input })).await;
    assert_eq!(
        text,
        "Success. Updated the following files:\nA 1 (+1 -0)\nR 1 -> 2 (+1 -1)\nR 2 -> 3 (+0 -0)"
    );
    let read = ["1", "2", "3"].map(|name| bench.read(name));
    assert_eq!(read, ["new\n", "A\n", "b\n"]);
    let is_run = |name: &str| {
        let file = std::fs::metadata(bench.path(name)).unwrap();
        file.permissions().mode() & 0o111 != 0
    };
    assert_eq!(["1", "2", "3"].map(is_run), [false, true, false]);
    // A row without a new file: the first place is empty afterwards.
    let input = renamed("2", "3")
        .replace("a/2", "a/3")
        .replace("b/3", "b/4");
    let input = input.replace("from 2", "from 3").replace("to 3", "to 4") + &renamed("2", "3");
    bench.ok("apply_patch", json!({ "input": input })).await;
    assert!(!bench.path("2").exists());
    assert_eq!([bench.read("3"), bench.read("4")], ["A\n", "b\n"]);
}

/// Who deletes or moves a link means the link, not the file that it leads to.
#[tokio::test]
async fn a_link_is_neither_deleted_nor_moved_in_place_of_its_file() {
    let bench = Bench::agent();
    bench.write("real.txt", "kept\n");
    std::os::unix::fs::symlink("real.txt", bench.path("link.txt")).unwrap();
    for (patch, verb) in [
        (
            "*** Begin Patch\n*** Delete File: link.txt\n*** End Patch\n",
            "delete",
        ),
        (
            "--- a/link.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-kept\n",
            "delete",
        ),
        (
            "*** Begin Patch\n*** Delete File: link.txt\n*** Add File: link.txt\n+new\n*** End Patch\n",
            "replace",
        ),
        (
            "*** Begin Patch\n*** Update File: link.txt\n*** Move to: new.txt\n@@\n-kept\n+changed\n*** End Patch\n",
            "move",
        ),
        (
            "diff --git a/link.txt b/new.txt\nrename from link.txt\nrename to new.txt\n",
            "move",
        ),
    ] {
        let (_, message) = bench
            .refusal("apply_patch", json!({ "input": patch }))
            .await;
        assert_eq!(
            message,
            format!(
                "`link.txt` was not {verb}d: it is a link to `real.txt`. To {verb} that file, pass its path."
            )
        );
        assert_eq!(bench.read("link.txt"), "kept\n");
        assert!(bench.path("real.txt").exists() && !bench.path("new.txt").exists());
    }
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

fn mode(bench: &Bench, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    bench.path(name).metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(bench: &Bench, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(bench.path(name), PermissionsExt::from_mode(mode)).unwrap();
}

#[tokio::test]
async fn a_patch_sets_the_modes_that_it_states() {
    let bench = Bench::agent();
    bench
        .write("mode_only", "one\n")
        .write("private", "one\n")
        .write("moved", "one\n")
        .write("tool", "one\n")
        .write("no_longer", "one\n");
    set_mode(&bench, "private", 0o600);
    set_mode(&bench, "tool", 0o750);
    set_mode(&bench, "no_longer", 0o755);
    let patch = "diff --git a/mode_only b/mode_only
old mode 100644
new mode 100755
diff --git a/private b/private
old mode 100644
new mode 100755
--- a/private
+++ b/private
@@ -1 +1 @@
-one
+two
diff --git a/new b/new
new file mode 100755
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+new
diff --git a/moved b/bin/moved
old mode 100644
new mode 100755
rename from moved
rename to bin/moved
diff --git a/tool b/copied
copy from tool
copy to copied
diff --git a/no_longer b/no_longer
old mode 100755
new mode 100644
";
    let (_, details) = bench.ok("apply_patch", json!({ "input": patch })).await;
    let names = [
        "mode_only",
        "private",
        "new",
        "bin/moved",
        "copied",
        "tool",
        "no_longer",
    ];
    assert_eq!(
        names.map(|name| (bench.read(name), mode(&bench, name))),
        [
            ("one\n".into(), 0o755),
            ("two\n".into(), 0o700),
            ("new\n".into(), 0o755),
            ("one\n".into(), 0o755),
            ("one\n".into(), 0o750),
            ("one\n".into(), 0o750),
            ("one\n".into(), 0o644),
        ]
    );
    let diff = details["diff"].as_str().unwrap();
    assert!(
        diff.starts_with("diff --git a/mode_only b/mode_only\nold mode 100644\nnew mode 100755\n"),
        "{diff}"
    );
}

#[tokio::test]
async fn a_patch_of_nothing_but_the_mode_that_a_file_has_is_refused() {
    let bench = Bench::agent();
    bench.write("a", "one\n");
    set_mode(&bench, "a", 0o755);
    let patch = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n";
    let (code, message) = bench
        .refusal("apply_patch", json!({ "input": patch }))
        .await;
    assert_eq!(code, "no_change", "{message}");
    assert_eq!(mode(&bench, "a"), 0o755);
}

#[tokio::test]
async fn the_other_name_of_a_file_keeps_its_mode() {
    let bench = Bench::agent();
    bench.write("a", "one\n");
    std::fs::hard_link(bench.path("a"), bench.path("b")).unwrap();
    let patch = "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n";
    bench.ok("apply_patch", json!({ "input": patch })).await;
    // It may lie outside the workspace.
    assert_eq!((mode(&bench, "a"), mode(&bench, "b")), (0o755, 0o644));
    assert_eq!(
        (bench.read("a"), bench.read("b")),
        ("one\n".into(), "one\n".into())
    );
}

/// As git prints them: with a tab behind names with spaces, and none in its own header lines.
#[tokio::test]
async fn files_whose_names_begin_or_end_in_blanks_are_patched_under_these_names() {
    let bench = Bench::agent();
    bench
        .write(" up ", "x\n")
        .write("gone ", "x\n")
        .write("old ", "x\n");
    let patch = "diff --git a/nt  b/nt 
new file mode 100644
--- /dev/null
+++ b/nt \t
@@ -0,0 +1 @@
+x
diff --git a/ up  b/ up 
--- a/ up \t
+++ b/ up \t
@@ -1 +1 @@
-x
+y
diff --git a/gone  b/gone 
deleted file mode 100644
--- a/gone \t
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old  b/ren trail 
similarity index 100%
rename from old 
rename to ren trail 
";
    bench.ok("apply_patch", json!({ "input": patch })).await;
    let names = ["nt ", " up ", "ren trail "];
    assert_eq!(names.map(|name| bench.read(name)), ["x\n", "y\n", "x\n"]);
    let gone = ["gone ", "old ", "nt", "up", "ren trail"];
    assert_eq!(gone.map(|name| bench.path(name).exists()), [false; 5]);
}

/// No line of them is looked at, and yet they were refused as not to be shown.
#[tokio::test]
async fn a_file_that_is_not_text_is_deleted_renamed_copied_and_gets_a_mode() {
    let bench = Bench::agent();
    let picture = [0x89, b'P', 0, 1, 2, 0xff];
    for name in ["gone.png", "old.png", "run.bin"] {
        bench.write(name, picture);
    }
    bench.write("a.txt", "a\n");
    let deletes = "*** Begin Patch\n*** Delete File: gone.png\n*** End Patch\n";
    let (text, details) = bench.ok("apply_patch", json!({ "input": deletes })).await;
    assert_eq!(
        text,
        "Success. Updated the following files:\nD gone.png (+0 -0)"
    );
    assert_eq!(
        details["diff"],
        "Binary files a/gone.png and /dev/null differ\n"
    );
    let git = format!(
        "{}diff --git a/new.png b/copy.png\nsimilarity index 100%\ncopy from run.bin\ncopy to copy.png\n\
         diff --git a/run.bin b/run.bin\nold mode 100644\nnew mode 100755\n\
         diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n",
        renamed("old.png", "new.png")
    )
    .replace("a/new.png b/copy.png", "a/run.bin b/copy.png");
    bench.ok("apply_patch", json!({ "input": git })).await;
    for name in ["new.png", "copy.png", "run.bin"] {
        assert_eq!(std::fs::read(bench.path(name)).unwrap(), picture, "{name}");
    }
    assert_eq!(mode(&bench, "run.bin") & 0o777, 0o755);
    assert_eq!(bench.read("a.txt"), "b\n");
    assert!(!bench.path("old.png").exists() && !bench.path("gone.png").exists());
    let empty =
        "diff --git a/new.png b/new.png\ndeleted file mode 100644\nindex e69de29..0000000\n";
    let message = bench
        .refusal("apply_patch", json!({ "input": empty }))
        .await;
    assert!(message.1.contains("is not empty"), "{message:?}");
    let hunk = "--- a/new.png\n+++ b/new.png\n@@ -1 +1 @@\n-a\n+b\n";
    bench.refusal("apply_patch", json!({ "input": hunk })).await;
}
