use super::*;
use crate::plan::MatchLevel;

fn only(patch: &str) -> FilePatch {
    let mut files = match parse_patch(patch) {
        Ok(patch) => patch.files,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(files.len(), 1);
    files.remove(0)
}

#[track_caller]
fn becomes(text: &str, patch: &str, expected: &str) {
    match only(patch).place(text) {
        Ok(plan) => assert_eq!(plan.apply(text), expected),
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn refused(text: &str, patch: &str) -> PatchError {
    match only(patch).place(text) {
        Ok(plan) => panic!("applied: {:?}", plan.apply(text)),
        Err(error) => error,
    }
}

#[track_caller]
fn unreadable(patch: &str) -> PatchError {
    match parse_patch(patch) {
        Ok(patch) => panic!("read: {patch:?}"),
        Err(error) => error,
    }
}

fn update(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: x\n{body}*** End Patch\n")
}

fn unified(body: &str) -> String {
    format!("--- a/x\n+++ b/x\n{body}")
}

#[test]
fn an_envelope_names_its_operations() {
    let patch = parse_patch(
        "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+two\n*** Delete File: old.txt\n\
         *** Update File: a.txt\n*** Move to: b.txt\n@@\n-x\n+y\n*** End Patch",
    )
    .unwrap();
    let operations: Vec<&FileOperation> = patch.files.iter().map(|file| &file.operation).collect();
    assert_eq!(
        operations,
        [
            &FileOperation::Create {
                path: "new.txt".into()
            },
            &FileOperation::Delete {
                path: "old.txt".into(),
                any_content: true
            },
            &FileOperation::Move {
                from: "a.txt".into(),
                to: "b.txt".into()
            },
        ]
    );
    assert_eq!(patch.files[0].place("").unwrap().apply(""), "one\n\ntwo\n");
    assert_eq!(
        patch.files[1].place("anything").unwrap().apply("anything"),
        ""
    );
    assert_eq!(patch.files[2].place("x\n").unwrap().apply("x\n"), "y\n");
}

#[test]
fn a_new_file_is_refused_where_text_stands() {
    let file = only("*** Begin Patch\n*** Add File: a\n+x\n*** End Patch");
    assert_eq!(
        file.place("y\n"),
        Err(PatchError::Exists { path: "a".into() })
    );
}

#[test]
fn wrappers_come_off() {
    let bare = update("@@\n-a\n+b\n");
    let wrapped = [
        format!("```\n{bare}```\n"),
        format!("apply_patch <<'EOF'\n{bare}EOF\n"),
        format!("Here is the patch:\n\n{bare}\nDone.\n"),
        bare.replace('\n', "\r\n"),
        bare.replace("*** Begin Patch", "*** Begin Patch  "),
        bare.lines().map(|line| format!("    {line}\n")).collect(),
    ];
    for patch in wrapped {
        becomes("a\n", &patch, "b\n");
    }
    let diff = unified("@@ -1 +1 @@\n-a\n+b\n");
    for patch in [
        format!("```diff\n{diff}```\n"),
        format!("patch -p1 <<EOF\n{diff}EOF\n"),
    ] {
        becomes("a\n", &patch, "b\n");
    }
}

#[test]
fn a_unified_diff_that_is_cut_off_in_the_head_of_a_hunk_or_file_is_refused() {
    let whole = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    for head in ["@", "d", "diff --g"] {
        assert_eq!(
            unreadable(&format!("{whole}{head}")),
            PatchError::Incomplete
        );
    }
    assert!(parse_patch(&format!("{whole}done\n")).is_ok());
}

/// The replacement of the last removed line had not come yet, and the line went without it.
#[test]
fn a_unified_diff_that_is_cut_off_behind_a_removed_line_is_refused() {
    let cut = unified("@@ -1,7 +1,7 @@\n def f(x):\n     if x:\n-        return 1\n");
    assert_eq!(
        unreadable(&cut),
        PatchError::CutOff {
            patch_line: 3,
            wanted: (7, 7),
            has: (3, 2)
        }
    );
    assert_eq!(
        unreadable(&cut).to_string(),
        "the patch seems to be cut off: it ends with a `-` line, and its last hunk (line 3 of the patch) has 3 old and \
         2 new lines where its header says 7 and 7. Send the whole patch again; if nothing is missing, correct the numbers \
         of that header."
    );
    // Blank lines behind it, the lack of a line end and a note on one change nothing; nor do old lines that are complete.
    for end in ["\n\n", "", "\n\\ No newline at end of file\n"] {
        let cut = format!("{}{end}", cut.trim_end());
        assert!(
            matches!(unreadable(&cut), PatchError::CutOff { .. }),
            "{cut}"
        );
    }
    let whole_old = unified("@@ -1,2 +1,2 @@\n a\n-b\n");
    assert!(matches!(unreadable(&whole_old), PatchError::CutOff { .. }));
    // The first hunk is whole whatever its numbers say, and so is the last one if something closes it.
    becomes(
        "a\nb\nc\nd\n",
        &unified("@@ -1,9 +1,9 @@\n a\n-b\n@@ -3,2 +2,2 @@\n c\n-d\n+D\n"),
        "a\nc\nD\n",
    );
    becomes(
        "a\nb\n",
        &format!("```diff\n{}```\n", unified("@@ -1,9 +1,9 @@\n a\n-b\n")),
        "a\n",
    );
}

#[test]
fn lines_that_are_removed_at_the_end_of_a_patch_go_if_no_new_lines_are_missing() {
    for numbers in [
        "-1,2 +1,1",
        "-1,9 +1,1",
        "-1,2 +1,0",
        "-1,1 +1,9",
        "-1,2 +1",
    ] {
        becomes(
            "a\nb\n",
            &unified(&format!("@@ {numbers} @@\n a\n-b\n")),
            "a\n",
        );
    }
    becomes("a\nb\n", &unified("@@\n a\n-b\n"), "a\n");
}

#[test]
fn a_place_at_the_open_end_of_a_file_counts_beside_a_stricter_one() {
    // Without the note on the missing line end, the lines stand byte by byte elsewhere only.
    let text = "a {\n  x\n}\nb\nc {\n  x\n}";
    let patched = |patch: &str| {
        let patch = parse_patch(patch).unwrap();
        patch.files[0].place(text).map(|plan| plan.apply(text))
    };
    let head = "--- a/f\n+++ b/f\n";
    let hunk = " x\n+  y\n }\n";
    let second = patched(&format!("{head}@@ -6,2 +6,3 @@\n  {hunk}"));
    assert_eq!(second.unwrap(), "a {\n  x\n}\nb\nc {\n  x\n  y\n}");
    let first = patched(&format!("{head}@@ -2,2 +2,3 @@\n  {hunk}"));
    assert_eq!(first.unwrap(), "a {\n  x\n  y\n}\nb\nc {\n  x\n}");
    let neither = patched(&format!("{head}@@ -4,2 +4,3 @@\n  {hunk}"));
    assert!(
        matches!(neither, Err(PatchError::Ambiguous { .. })),
        "{neither:?}"
    );
}

#[test]
fn a_line_of_a_file_that_looks_like_a_marker_is_a_line_of_the_file() {
    for marker in [
        "*** Begin Patch",
        "*** End Patch",
        "*** Delete File: old.ts",
        "*** Add File: notes.md",
        "*** Update File: src/app.ts",
        "*** Move to: other",
        "*** End of File",
    ] {
        for body in [
            format!("@@\n-a\n+A\n {marker}\n"),
            format!(" {marker}\n-a\n+A\n"),
            format!("@@\n-a\n+A\n {marker}\n z\n"),
        ] {
            let file = only(&update(&body));
            let path = "x".to_owned();
            assert_eq!(file.operation, FileOperation::Update { path }, "{body}");
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
            let context: Vec<&str> = lines
                .filter(|line| line.side == Side::Context && line.text != "z")
                .map(|line| line.text.as_str())
                .collect();
            assert_eq!(context, [marker], "{body}");
        }
        let added = format!("*** Begin Patch\n*** Add File: x\n+a\n {marker}\n*** End Patch\n");
        assert!(
            matches!(unreadable(&added), PatchError::Malformed { line: 4, .. }),
            "{added}"
        );
    }
}

#[test]
fn lines_above_the_function_that_a_hunk_names_are_not_taken_for_it() {
    let text = "class A:\n    def save(self):\n        flush(1)\n\n    def load(self):\n        flush(2)\n";
    let error = refused(
        text,
        &update("@@ def load(self):\n-        flush(1)\n+        flush(0)\n"),
    );
    assert_eq!(
        error.to_string(),
        "`x`: hunk 1 of 1 (line 3 of the patch) is meant for below `def load(self):` (line 5), but its lines stand only at line 3, above it. \
         Read the file again: if line 3 is meant, leave the text behind `@@` out."
    );
    // The line itself, one above, and one that stands nowhere.
    for anchor in [
        "def save(self):",
        "class A:",
        "def other(self):",
        "flush(1)",
    ] {
        let patch = update(&format!(
            "@@ {anchor}\n-        flush(1)\n+        flush(0)\n"
        ));
        becomes(text, &patch, &text.replace("flush(1)", "flush(0)"));
    }
}

#[test]
fn a_hunk_of_context_gives_a_file_another_name_and_nothing_else() {
    let patch = "*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@\n a\n*** End Patch\n";
    becomes("a\nb\n", patch, "a\nb\n");
    assert!(matches!(refused("c\n", patch), PatchError::NotFound { .. }));
    assert!(matches!(
        refused("a\n", &update("@@\n a\n")),
        PatchError::NothingInHunk { .. }
    ));
}

#[test]
fn a_diff_deletes_a_file_with_a_byte_order_mark() {
    let patch = "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-\u{feff}one\n-two\n";
    for text in ["\u{feff}one\ntwo\n", "one\ntwo\n"] {
        becomes(text, patch, "");
    }
}

#[test]
fn a_diff_of_a_file_about_envelopes_is_a_diff() {
    let body = "@@ -1,6 +1,6 @@\n-# Patches\n+# All patches\n \n ```\n *** Begin Patch\n *** Delete File: src/old.ts\n *** End Patch\n";
    for text in [
        unified(body),
        format!("diff --git a/x b/x\n{}", unified(body)),
        format!("Here it is:\n{}", unified(body)),
    ] {
        let patch = parse_patch(&text).unwrap();
        assert_eq!(patch.format, PatchFormat::Unified);
        let operations: Vec<_> = patch.files.iter().map(|file| &file.operation).collect();
        let path = "x".to_owned();
        assert_eq!(operations, [&FileOperation::Update { path }]);
    }
}

/// The marker joined the line with the next one, silently.
#[test]
fn a_missing_line_end_counts_only_at_the_end_of_the_file() {
    let text = "a\nb\nc\n";
    let marker = "\\ No newline at end of file\n";
    for (patch, expected) in [
        (
            unified(&format!("@@ -1,2 +1,2 @@\n a\n-b\n+B\n{marker}")),
            "a\nB\nc\n",
        ),
        (
            unified(&format!("@@ -1,2 +1,3 @@\n a\n b\n+B\n{marker}")),
            "a\nb\nB\nc\n",
        ),
        (update(&format!("@@\n a\n-b\n+B\n{marker}")), "a\nB\nc\n"),
        (
            update(&format!("@@\n a\n-b\n{marker}+B\n{marker}")),
            "a\nB\nc\n",
        ),
        (
            unified(&format!("@@ -1,3 +1,3 @@\n a\n-b\n+B\n{marker} c\n")),
            "a\nB\nc\n",
        ),
        (
            unified(&format!("@@ -1,0 +2 @@\n+B\n{marker}")),
            "a\nB\nb\nc\n",
        ),
        (
            unified(&format!("@@ -2,2 +2,2 @@\n b\n-c\n+C\n{marker}")),
            "a\nb\nC",
        ),
        (
            unified(&format!("@@ -2,2 +2,3 @@\n b\n c\n{marker}+d\n")),
            "a\nb\nc\nd\n",
        ),
    ] {
        becomes(text, &patch, expected);
    }
    // The carriage return in front of the marker is a part of the line end again.
    let mixed = format!("@@ -1,3 +1,3 @@\n a\n-b\r\n+B\r\n{marker} c\n");
    becomes("a\nb\r\nc\n", &unified(&mixed), "a\nB\r\nc\n");
    let new = format!("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n{marker}+b\n{marker}");
    becomes("", &new, "a\nb");
}

/// A diff without a hunk says that the file is empty, and deleted one with content.
#[test]
fn a_diff_that_removes_no_lines_deletes_only_an_empty_file() {
    let patch = "diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n";
    becomes("", patch, "");
    assert_eq!(
        refused("a\n", patch),
        PatchError::NotEmpty { path: "x".into() }
    );
    becomes(
        "a\n",
        "*** Begin Patch\n*** Delete File: x\n*** End Patch",
        "",
    );
    let made = parse_patch("*** Begin Patch\n*** Add File: x\n*** End Patch").unwrap();
    assert_eq!(
        made.reversed().files[0].place("a\n"),
        Err(PatchError::NotEmpty { path: "x".into() })
    );
}

#[test]
fn a_diff_whose_header_announces_hunks_that_are_missing_is_refused() {
    let git = "diff --git a/x b/x\n";
    for head in [
        "--- /dev/null\n+++ b/x",
        "--- a/x\n+++ /dev/null\n",
        &format!("{git}new file mode 100644\nindex 0000000..dd550b3\n"),
        &format!("{git}new file mode 100644\nindex 0000000..e"),
        &format!("{git}deleted file mode 100644\nindex dd550b3..0000000\n"),
        &format!("{git}old mode 100644\nnew mode 100755\nindex dd550b3..cc550b3\n"),
        &format!("{git}old mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n"),
        "diff --git a/w b/x\nsimilarity index 90%\nrename from w\nrename to x\n",
    ] {
        assert_eq!(
            unreadable(head),
            PatchError::HunksMissing {
                path: "x".into(),
                line: 1
            },
            "{head}"
        );
    }
}

/// The name that was cut off was taken for the file.
#[test]
fn a_name_that_is_not_that_of_the_git_line_is_refused() {
    let hunk = "@@ -0,0 +1 @@\n+x\n";
    for (git, rest, name) in [
        (
            "a/ab.txt b/ab.txt",
            format!("new file mode 100644\n--- /dev/null\n+++ b/ab\n{hunk}"),
            "ab",
        ),
        (
            "a/b.txt b/bc.txt",
            "similarity index 100%\nrename from b.txt\nrename to bc".to_owned(),
            "bc",
        ),
        (
            "a/b.txt b/bc.txt",
            "copy from b\ncopy to bc.txt\n".to_owned(),
            "b",
        ),
        (
            "\"a/\\303\\244 x\" \"b/\\303\\244 x\"",
            format!("--- /dev/null\n+++ b/x\n{hunk}"),
            "x",
        ),
    ] {
        assert_eq!(
            unreadable(&format!("diff --git {git}\n{rest}")),
            PatchError::OtherName {
                line: 1,
                path: name.to_owned(),
                git: git.to_owned()
            },
            "{git}"
        );
    }
    // Prefixes that only one of the two has, spaces and quotes.
    for (git, names) in [
        ("src/x src/x", "--- a/src/x\n+++ b/src/x\n"),
        ("a/src/x b/src/x", "--- src/x\n+++ src/x\n"),
        ("a/my x b/my x", "--- a/my x\t\n+++ b/my x\t\n"),
        (
            "\"a/\\303\\244\" \"b/\\303\\244\"",
            "--- \"a/\\303\\244\"\n+++ \"b/\\303\\244\"\n",
        ),
        (
            "a/o \"b/\\303\\244\"",
            "rename from o\nrename to \"\\303\\244\"\n--- a/o\n+++ \"b/\\303\\244\"\n",
        ),
    ] {
        let patch = format!("diff --git {git}\n{names}@@ -1 +1 @@\n-a\n+b\n");
        assert!(parse_patch(&patch).is_ok(), "{patch}");
    }
}

#[test]
fn an_anchor_at_several_places_leaves_the_end_of_the_file_to_decide() {
    becomes(
        "x\ny\nx\ny\ny\n",
        &update("@@ x\n y\n+new\n*** End of File\n"),
        "x\ny\nx\ny\ny\nnew\n",
    );
}

#[test]
fn an_anchor_that_stands_nowhere_is_not_passed_over_for_the_end_of_the_file() {
    let patch = update("@@ z\n y\n+new\n*** End of File\n");
    let error = refused("y\ny\n", &patch);
    assert!(matches!(error, PatchError::Ambiguous { .. }), "{error}");
}

#[test]
fn an_envelope_that_is_cut_off_is_refused() {
    assert_eq!(
        unreadable("*** Begin Patch\n*** Update File: x\n@@\n-a\n"),
        PatchError::Incomplete
    );
}

#[test]
fn a_line_without_a_sign_is_refused_and_named() {
    let error = unreadable(&update("@@\n-a\nb\n+c\n"));
    assert_eq!(
        error.to_string(),
        "line 5 of the patch (`b`) cannot be read: a line of a hunk begins with a blank, `-` or `+`."
    );
    assert!(matches!(
        unreadable(&unified("@@ -1,3 +1,3 @@\n a\nb\n-c\n+d\n")),
        PatchError::Malformed { line: 5, .. }
    ));
}

#[test]
fn wrong_counts_do_not_matter() {
    for numbers in ["-1,9 +1,9", "-1,1 +1,1", "-70,2 +70,2", "-0,0 +0,0"] {
        becomes(
            "a\nb\nc\n",
            &unified(&format!("@@ {numbers} @@\n a\n-b\n+B\n c\n")),
            "a\nB\nc\n",
        );
    }
}

#[test]
fn a_bare_empty_line_is_empty_context() {
    becomes(
        "a\n\nb\n",
        &unified("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"),
        "a\n\nc\n",
    );
}

#[test]
fn removed_lines_that_look_like_headers_are_reported_by_the_counts() {
    becomes(
        "-- x\n++ y\nz\n",
        &unified("@@ -1,3 +1,2 @@\n--- x\n-++ y\n+++ w\n z\n"),
        "++ w\nz\n",
    );
    let two = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n";
    assert_eq!(parse_patch(two).unwrap().files.len(), 2);
    let wrong = two.replace("-1 +1", "-1,7 +1,7");
    assert!(parse_patch(&wrong).is_err() || parse_patch(&wrong).unwrap().files.len() <= 2);
}

#[test]
fn a_mail_is_read_without_its_signature() {
    becomes(
        "a\n",
        "From: me\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n",
        "b\n",
    );
}

#[test]
fn git_headers_name_moves_modes_and_new_files() {
    let patch = parse_patch(
        "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n\
         diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n\
         diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n",
    )
    .unwrap();
    assert_eq!(
        patch.files[0].operation,
        FileOperation::Move {
            from: "old name".into(),
            to: "new name".into()
        }
    );
    assert_eq!(
        (patch.files[1].old_mode, patch.files[1].new_mode),
        (Some(0o100_644), Some(0o100_755))
    );
    assert_eq!(
        patch.files[2].operation,
        FileOperation::Create {
            path: "empty".into()
        }
    );
    assert_eq!(patch.files[2].place("").unwrap().apply(""), "");
}

/// `git diff --no-prefix`: a directory may be called like a prefix.
#[test]
fn names_without_prefixes_keep_a_directory_that_is_called_like_one() {
    let head = |kind: &str| format!("diff --git a/b/c a/b/c\n{kind} file mode 100644\n");
    let made = format!(
        "{}--- /dev/null\n+++ a/b/c\n@@ -0,0 +1 @@\n+x\n",
        head("new")
    );
    let patch = parse_patch(&made).unwrap();
    let path = "a/b/c".to_owned();
    assert_eq!(patch.files[0].operation, FileOperation::Create { path });
    let gone = format!(
        "{}--- a/b/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        head("deleted")
    );
    assert_eq!(parse_patch(&gone).unwrap().files[0].path(), "a/b/c");
}

/// `git diff --no-prefix`: only the `diff --git` line has the name of a file whose mode alone changes.
#[test]
fn a_mode_alone_is_read_without_prefixes() {
    let modes = "old mode 100644\nnew mode 100755\n";
    for name in ["run.sh", "run it.sh", "bin/run.sh"] {
        let patch = parse_patch(&format!("diff --git {name} {name}\n{modes}")).unwrap();
        let path = name.to_owned();
        assert_eq!(patch.files[0].operation, FileOperation::Update { path });
    }
}

/// Git writes a tab behind a name with spaces, and none in `rename to`.
#[test]
fn blanks_at_the_edges_of_a_file_name_belong_to_it() {
    let operations = |patch: &str| -> Vec<FileOperation> {
        let files = parse_patch(patch).unwrap().files;
        files.into_iter().map(|file| file.operation).collect()
    };
    let path = |path: &str| path.to_owned();
    let git = "diff --git a/nt  b/nt \nnew file mode 100644\nindex 0000000..e69de29\n\
        --- /dev/null\n+++ b/nt \t\n@@ -0,0 +1 @@\n+x\n\
        diff --git a/ up  b/ up \n--- a/ up \t\n+++ b/ up \t\n@@ -1 +1 @@\n-x\n+y\n\
        diff --git a/gone  b/gone \ndeleted file mode 100644\n--- a/gone \t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --git a/ren lead  b/ren trail \nsimilarity index 100%\nrename from ren lead \nrename to ren trail \n\
        diff --git a/ c b/c \nsimilarity index 100%\ncopy from  c\ncopy to c \n";
    assert_eq!(
        operations(git),
        [
            FileOperation::Create { path: path("nt ") },
            FileOperation::Update { path: path(" up ") },
            FileOperation::Delete {
                path: path("gone "),
                any_content: false
            },
            FileOperation::Move {
                from: path("ren lead "),
                to: path("ren trail ")
            },
            FileOperation::Copy {
                from: path(" c"),
                to: path("c ")
            },
        ]
    );
    let bare = "--- a/x \t\n+++ b/x \t\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(
        operations(bare),
        [FileOperation::Update { path: path("x ") }]
    );
    // Nothing but the line itself has these.
    let slips = "diff --git a/x b/y\nrename from x \nrename to y  \n--- a/x \n+++ b/y \n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(
        operations(slips),
        [FileOperation::Move {
            from: path("x"),
            to: path("y")
        }]
    );
}

#[test]
fn binary_changes_and_links_are_refused() {
    let binary = "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n";
    assert_eq!(unreadable(binary), PatchError::Binary { line: 3 });
    let link =
        "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n";
    assert!(matches!(unreadable(link), PatchError::Mode { line: 2, .. }));
}

/// The file that the link leads to was changed.
#[test]
fn a_link_that_is_to_lead_elsewhere_is_refused() {
    let body = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-v1\n\\ No newline at end of file\n+v2\n\\ No newline at end of file\n";
    for mode in [0o120_000, 0o160_000] {
        let patch = format!("diff --git a/x b/x\nindex 8d14cbf..19acdd8 {mode:o}\n{body}");
        assert_eq!(unreadable(&patch), PatchError::Mode { line: 2, mode });
    }
}

/// `diff -N` gives a file that is not there the beginning of time, in the zone of its machine.
#[test]
fn a_file_of_the_beginning_of_time_is_none() {
    const NOW: &str = "2024-01-01 00:00:00.000000000 +0000";
    let patch = |old: &str, new: &str, body: &str| {
        only(&format!(
            "diff -ruN a/n b/n\n--- a/n\t{old}\n+++ b/n\t{new}\n{body}"
        ))
        .operation
    };
    let (path, none) = ("n".to_owned(), "1970-01-01 00:00:00.000000000 +0000");
    let created = FileOperation::Create { path: path.clone() };
    let deleted = FileOperation::Delete {
        path: path.clone(),
        any_content: false,
    };
    let updated = FileOperation::Update { path };
    for none in [
        none,
        "1970-01-01 05:30:00.000000000 +0530",
        "1969-12-31 16:00:00 -0800",
    ] {
        assert_eq!(patch(none, NOW, "@@ -0,0 +1 @@\n+q\n"), created, "{none}");
        assert_eq!(patch(NOW, none, "@@ -1 +0,0 @@\n-q\n"), deleted, "{none}");
    }
    // A file may be that old, and another time is close to it.
    assert_eq!(patch(none, none, "@@ -1 +1 @@\n-q\n+r\n"), updated);
    for close in [
        "1970-01-01 00:00:01.000000000 +0000",
        "1970-01-01 01:00:00 +0000",
        "1970-01-01",
    ] {
        assert_eq!(patch(close, NOW, "@@ -0,0 +1 @@\n+q\n"), updated, "{close}");
    }
}

/// A diff that is copied from a screen loses its tabs: the time was taken for a part of the name.
#[test]
fn a_time_behind_a_name_is_none_of_it_where_the_tab_was_lost() {
    let patch =
        |old: &str, new: &str, body: &str| only(&format!("--- {old}\n+++ {new}\n{body}")).operation;
    let change = "@@ -1 +1 @@\n-q\n+r\n";
    let update = |path: &str| FileOperation::Update { path: path.into() };
    for (old, new) in [
        (
            "a/my n 2024-01-01 00:00:00.000000000 +0000",
            "b/my n 2024-01-02 10:20:30.123456789 +0000",
        ),
        (
            "my n  2024-01-01 00:00:00 -06:00",
            "my n  2024-01-02 00:00:00 -06:00",
        ),
        ("my n 2024-01-01 00:00:00", "my n 2024-01-02 00:00:00"),
    ] {
        assert_eq!(patch(old, new, change), update("my n"), "{old}");
    }
    let (now, none) = (
        "2024-01-01 00:00:00.000000000 +0000",
        "1970-01-01 01:00:00.000000000 +0100",
    );
    let created = FileOperation::Create { path: "n".into() };
    let added = "@@ -0,0 +1 @@\n+q\n";
    assert_eq!(
        patch(&format!("a/n {none}"), &format!("b/n {now}"), added),
        created
    );
    assert_eq!(
        patch(&format!("/dev/null {none}"), &format!("b/n {now}"), added),
        created
    );
    // A name may end in a date, and in a time that git has in its line.
    for name in [
        "n 2024-01-01",
        "n 10:00:00",
        "2024-01-01 10:00:00",
        "d/2024-01-01 10:00:00",
    ] {
        assert_eq!(patch(name, name, change), update(name), "{name}");
    }
    let name = "n 2024-01-01 10:00:00";
    let git = format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{change}");
    assert_eq!(only(&git).operation, update(name));
}

#[test]
fn no_file_may_have_the_prefix_of_a_name() {
    let nowhere =
        |old: &str, new: &str, body: &str| parse_patch(&format!("--- {old}\n+++ {new}\n{body}"));
    let created = nowhere("a/dev/null", "b/n", "@@ -0,0 +1 @@\n+q\n").unwrap();
    assert_eq!(
        created.files[0].operation,
        FileOperation::Create { path: "n".into() }
    );
    let deleted = nowhere("a/n", "b/dev/null", "@@ -1 +0,0 @@\n-q\n").unwrap();
    let (path, any_content) = ("n".to_owned(), false);
    assert_eq!(
        deleted.files[0].operation,
        FileOperation::Delete { path, any_content }
    );
    // A file may have that name.
    let changed = nowhere("a/dev/null", "b/dev/null", "@@ -1 +1 @@\n-q\n+r\n").unwrap();
    assert_eq!(
        changed.files[0].operation,
        FileOperation::Update {
            path: "dev/null".into()
        }
    );
}

#[test]
fn the_mails_of_a_series_are_read_one_after_the_other() {
    let mail = |name: &str| {
        format!(
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.com>\nSubject: [PATCH] {name}\n\n\
             - a point\n---\n {name} | 2 +-\n 1 file changed\n\ndiff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n\
             @@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n"
        )
    };
    let patch = parse_patch(&format!("{}{}", mail("x"), mail("y"))).unwrap();
    let paths: Vec<&str> = patch.files.iter().map(FilePatch::path).collect();
    assert_eq!(paths, ["x", "y"]);
}

#[test]
fn two_names_without_a_rename_are_refused() {
    let error = unreadable("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
    assert!(matches!(error, PatchError::Name { .. }), "{error}");
}

/// Of two names that differ, those that `diff -r` gives to two directories were refused, and the only one that is there was, too.
#[test]
fn two_names_mean_the_file_that_is_there() {
    let read = |old: &str, new: &str, body: &str, there: &[&str]| {
        let patch = format!("--- {old}\n+++ {new}\n{body}");
        let parsed = parse_patch_beside(&patch, &|name| there.contains(&name));
        parsed.map(|patch| patch.files[0].operation.clone())
    };
    let update = |path: &str| Ok(FileOperation::Update { path: path.into() });
    let change = "@@ -1 +1 @@\n-a\n+b\n";
    for (old, new, there, path) in [
        ("p.orig/src/x", "p/src/x", "src/x", "src/x"),
        ("old/x", "new/x", "x", "x"),
        ("a/x", "x", "x", "x"),
        ("x.1", "x", "x", "x"),
        // A directory of that name is here.
        ("old/x", "new/x", "new/x", "new/x"),
    ] {
        assert_eq!(read(old, new, change, &[there]), update(path), "{old}");
    }
    for (old, new, there) in [
        // It may be a new name.
        ("src/x", "lib/x", &["src/x", "x"][..]),
        ("x", "y", &["x", "y"]),
        ("x", "y", &["x"]),
        ("old/x", "new/x", &[]),
        ("old/x", "new/y", &["x", "y"]),
    ] {
        let read = read(old, new, change, there);
        assert!(matches!(read, Err(PatchError::Name { .. })), "{read:?}");
    }
    // Nothing shows that it is the right file.
    let added = read("x.1", "x", "@@ -0,0 +1 @@\n+a\n", &["x"]);
    assert!(matches!(added, Err(PatchError::Name { .. })), "{added:?}");
    // git has another name in its line.
    let git = format!("diff --git a/w b/x\n--- a/w\n+++ b/x\n{change}");
    let git = parse_patch_beside(&git, &|name| name == "x");
    assert!(matches!(git, Err(PatchError::OtherName { .. })), "{git:?}");
    let wrapped = format!("cd sub && git apply <<'EOF'\n--- old/x\n+++ new/x\n{change}EOF\n");
    let wrapped = parse_patch_beside(&wrapped, &|name| name == "sub/x").unwrap();
    assert_eq!(wrapped.files[0].path(), "sub/x");
}

#[test]
fn a_deletion_has_to_know_the_content() {
    let patch = "--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
    becomes("a\nb\n", patch, "");
    assert_eq!(
        refused("a\nc\n", patch),
        PatchError::OtherContent { path: "x".into() }
    );
}

#[test]
fn one_place_is_the_place_whatever_the_numbers_say() {
    becomes(
        "1\n2\n3\n4\nx\n",
        &unified("@@ -1 +1 @@\n-x\n+y\n"),
        "1\n2\n3\n4\ny\n",
    );
}

#[test]
fn of_several_places_a_number_decides_only_if_it_fits_exactly() {
    let text = "x\n1\nx\n2\nx\n";
    becomes(text, &unified("@@ -3 +3 @@\n-x\n+y\n"), "x\n1\ny\n2\nx\n");
    let error = refused(text, &unified("@@ -2 +2 @@\n-x\n+y\n"));
    assert!(
        matches!(&error, PatchError::Ambiguous { lines, .. } if *lines == [1, 3, 5]),
        "{error}"
    );
}

#[test]
fn anchors_narrow_the_search() {
    let text = "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 1\n";
    becomes(
        text,
        &update("@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n"),
        "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 2\n",
    );
    let error = refused(text, &update("@@\n-        return 1\n+        return 2\n"));
    assert!(matches!(error, PatchError::Ambiguous { .. }));
    let error = refused(
        text,
        &update("@@ def f(self):\n-        return 1\n+        return 2\n"),
    );
    assert!(matches!(error, PatchError::Ambiguous { .. }));
}

#[test]
fn the_end_of_the_file_decides() {
    becomes(
        "x\n1\nx\n",
        &update("@@\n-x\n+y\n*** End of File\n"),
        "x\n1\ny\n",
    );
}

/// The place below the anchor was taken although it does not end the file.
#[test]
fn a_place_that_is_not_at_the_end_of_the_file_is_not_taken_for_it() {
    becomes(
        "a\nq\nb\nq\n",
        &update("@@ a\n-q\n*** End of File\n"),
        "a\nq\nb\n",
    );
    let text = "fn a() {\n  q\n}\nfn b() {\n  q\n}\n";
    let hunk = "-  q\n }\n*** End of File\n";
    becomes(
        text,
        &update(&format!("@@ fn b() {{\n{hunk}")),
        "fn a() {\n  q\n}\nfn b() {\n}\n",
    );
    let error = refused(text, &update(&format!("@@ fn a() {{\n{hunk}")));
    assert!(
        matches!(&error, PatchError::Ambiguous { lines, .. } if *lines == [2, 5]),
        "{error}"
    );
    let added = "+c\n*** End of File\n";
    becomes(
        text,
        &update(&format!("@@ fn b() {{\n{added}")),
        &format!("{text}c\n"),
    );
    let error = refused(text, &update(&format!("@@ fn a() {{\n{added}")));
    assert!(matches!(error, PatchError::NoPlace { .. }), "{error}");
}

#[test]
fn the_order_of_the_hunks_decides() {
    becomes(
        "x\nmiddle\nx\n",
        &update("@@\n-middle\n+center\n@@\n-x\n+y\n"),
        "x\ncenter\ny\n",
    );
}

#[test]
fn hunks_may_share_context() {
    becomes(
        "a\nb\nc\nd\n",
        &update("@@\n a\n-b\n+B\n c\n@@\n c\n-d\n+D\n"),
        "a\nB\nc\nD\n",
    );
}

#[test]
fn hunks_that_change_the_same_lines_are_refused() {
    let error = refused("a\nb\n", &update("@@\n-b\n+c\n@@\n a\n-b\n+d\n"));
    assert!(
        matches!(
            error,
            PatchError::Overlap {
                first: 1,
                second: 2,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn context_keeps_its_bytes_and_added_lines_are_mapped() {
    becomes(
        "fn a() {\r\n\tone();  \r\n\ttwo_words();\r\n}\r\n",
        &unified(
            "@@ -1,4 +1,5 @@\n fn a() {\n     one();\n-    two_words();\n+    if x {\n+        three();\n+    }\n }\n",
        ),
        "fn a() {\r\n\tone();  \r\n\tif x {\r\n\t\tthree();\r\n\t}\r\n}\r\n",
    );
}

#[test]
fn a_last_line_without_an_end_is_added_and_taken_away() {
    becomes(
        "a",
        &unified("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
        "a\n",
    );
    becomes(
        "a\n",
        &unified("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"),
        "a",
    );
    becomes("a\nb", &unified("@@ -1,2 +1,3 @@\n a\n b\n+c\n"), "a\nb\nc");
}

/// These were refused as changes of nothing.
#[test]
fn in_a_file_with_crlf_a_patch_with_lf_adds_and_takes_away_the_last_line_end() {
    let add = "-b\n\\ No newline at end of file\n+b\n";
    let take = "-b\n+b\n\\ No newline at end of file\n";
    for (before, hunk, after) in [
        ("a\r\nb", add, "a\r\nb\r\n"),
        ("a\r\nb\r\n", take, "a\r\nb"),
    ] {
        becomes(before, &unified(&format!("@@ -2 +2 @@\n{hunk}")), after);
        becomes(
            before,
            &unified(&format!("@@ -1,2 +1,2 @@\n a\n{hunk}")),
            after,
        );
        becomes(before, &update(&format!("@@\n a\n{hunk}")), after);
    }
}

#[test]
fn lines_whose_context_shows_no_line_end_get_the_one_in_use() {
    becomes(
        "\r\na\r\nb",
        &unified("@@ -3 +3,2 @@\n-b\n\\ No newline at end of file\n+c\n+d\n"),
        "\r\na\r\nc\r\nd\r\n",
    );
}

/// Reads show both line ends alike: the line with LF was changed without a word.
#[test]
fn where_line_ends_are_mixed_a_hunk_with_lf_may_mean_lines_with_crlf() {
    let text = "a\r\nb\r\n-\r\na\nb\n";
    for body in ["@@\n-b\n+c\n", "@@\n a\n-b\n+c\n"] {
        let PatchError::Ambiguous { lines, .. } = refused(text, &update(body)) else {
            panic!("not ambiguous")
        };
        assert_eq!(lines.len(), 2, "{body}");
    }
    // What decides between equal places decides here: a line, a number, the end of the file, a hunk that knows the ends.
    becomes(text, &update("@@ -\n-b\n+c\n"), "a\r\nb\r\n-\r\na\nc\n");
    becomes(
        text,
        &unified("@@ -2 +2 @@\n-b\n+c\n"),
        "a\r\nc\r\n-\r\na\nb\n",
    );
    becomes(
        text,
        &unified("@@ -4,2 +4,2 @@\n a\n-b\n+c\n"),
        "a\r\nb\r\n-\r\na\nc\n",
    );
    becomes(
        text,
        &update("@@\n-b\n+c\n*** End of File\n"),
        "a\r\nb\r\n-\r\na\nc\n",
    );
    becomes(
        text,
        &unified("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"),
        "a\r\nc\r\n-\r\na\nb\n",
    );
}

#[test]
fn a_carriage_return_without_a_newline_belongs_to_the_line() {
    becomes(
        "a\r",
        &unified("@@ -1 +1 @@\n-a\r\n\\ No newline at end of file\n+b\n"),
        "b\n",
    );
}

#[test]
fn changes_of_line_ends_are_taken_literally() {
    becomes(
        "a\r\nb\r\n",
        &unified("@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n"),
        "a\nb\r\n",
    );
}

#[test]
fn lines_are_added_to_an_empty_file_or_at_the_end() {
    becomes("", &unified("@@ -0,0 +1 @@\n+a\n"), "a\n");
    becomes("a", &update("@@\n+b\n*** End of File\n"), "a\nb");
    let error = refused("a\nb\n", &update("@@\n+c\n"));
    assert!(matches!(error, PatchError::NoPlace { .. }));
}

#[test]
fn lines_without_context_are_added_below_the_line_that_an_envelope_names() {
    becomes("a\nb\n", &update("@@ a\n+c\n"), "a\nc\nb\n");
    becomes("a\nb\n", &update("@@ b\n+c\n"), "a\nb\nc\n");
    becomes("a\r\nb", &update("@@ b\n+c\n"), "a\r\nb\r\nc");
    becomes(
        "class A:\n  def f():\n    1\nclass B:\n  def f():\n    2\n",
        &update("@@ class B:\n@@   def f():\n+    0\n"),
        "class A:\n  def f():\n    1\nclass B:\n  def f():\n    0\n    2\n",
    );
    // At several places, nowhere, and a part of a line, behind which what it opens may continue.
    for (text, anchor) in [("a\nb\na\n", "a"), ("a\n", "z"), ("call(\n  1)\n", "call")] {
        let error = refused(text, &update(&format!("@@ {anchor}\n+c\n")));
        assert!(matches!(error, PatchError::NoPlace { .. }), "{error}");
    }
}

#[test]
fn a_miss_names_the_hunk_and_the_first_difference() {
    let error = refused(
        "one\ntwo\nthree\n",
        &unified("@@ -1,3 +1,3 @@\n one\n-tvo\n+2\n three\n"),
    );
    assert_eq!(
        error.to_string(),
        "`x`: hunk 1 of 1 (line 3 of the patch) was not found in the file.\n\
         Closest: lines 1-3 (90 % alike), first difference at line 2, column 2:\n  \
         old text: tvo\n  the file: two\n             ^\n\
         Copy the context and the removed lines exactly as they stand in the file."
    );
}

/// The first line of a hunk is often one that the file has many times, such as `}`.
#[test]
fn a_miss_without_a_close_place_names_a_line_that_the_file_does_not_have() {
    let text = "fn a() {\n}\nfn b() {\n}\n";
    let hunk =
        |lines: &str| refused(text, &unified(&format!("@@ -1,2 +1,2 @@\n{lines}"))).to_string();
    assert_eq!(
        hunk(" }\n-    every_other_word(of, it);\n+x\n"),
        "`x`: hunk 1 of 1 (line 3 of the patch) was not found in the file. It has no line `every_other_word(of, it);`. \
         Check that it is the right file, and read it again."
    );
    let text = "1\n3\n";
    let error = refused(text, &unified("@@ -1,2 +1,2 @@\n 3\n-1\n+2\n"));
    assert_eq!(
        error.to_string(),
        "`x`: hunk 1 of 1 (line 3 of the patch) was not found in the file. It has these lines, but not one below the other. \
         Check that it is the right file, and read it again."
    );
}

#[test]
fn a_hunk_that_is_applied_already_is_reported_apart() {
    let error = refused(
        "one\nchanged line\n",
        &unified("@@ -1,2 +1,2 @@\n one\n-old line\n+changed line\n"),
    );
    assert!(
        matches!(error, PatchError::AlreadyApplied { .. }),
        "{error}"
    );
}

#[test]
fn a_patch_reports_the_rung_of_each_hunk() {
    let file = only(&update("@@\n-a\n+b\n@@\n-c\n+d\n"));
    let plan = file.place("a\nc  \n").unwrap();
    let levels: Vec<MatchLevel> = plan
        .matches
        .iter()
        .map(|matched| matched.match_level)
        .collect();
    assert_eq!(levels, [MatchLevel::Exact, MatchLevel::TrailingBlanks]);
}

#[test]
fn a_reversed_patch_undoes() {
    let patch = parse_patch(&unified("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")).unwrap();
    let plan = patch.reversed().files[0].place("a\nc\n").unwrap();
    assert_eq!(plan.apply("a\nc\n"), "a\nb\n");
}

#[test]
fn updates_of_one_file_are_joined_and_other_pairs_refused() {
    let body = "@@\n-a\n+b\n*** Update File: x\n@@\n-c\n+d\n";
    assert_eq!(only(&update(body)).hunks.len(), 2);
    let error = unreadable(&update("@@\n-a\n+b\n*** Delete File: x\n"));
    assert_eq!(error, PatchError::Duplicate { path: "x".into() });
}

/// It was dropped, and the call said that all was done.
#[test]
fn a_file_behind_the_end_of_an_envelope_is_refused() {
    let patch = update("@@\n-a\n+b\n") + "*** Update File: y\n@@\n-a\n+b\n";
    assert!(matches!(
        unreadable(&patch),
        PatchError::Malformed { line: 7, .. }
    ));
    // Prose may stand there.
    becomes("a\n", &(update("@@\n-a\n+b\n") + "That is all.\n"), "b\n");
}

#[test]
fn blanks_before_the_first_line_of_a_file_and_an_environment_are_passed_over() {
    let body = "*** Begin Patch\n*** Environment ID: e1\n  *** Update File: x\n@@\n-a\n+b\n*** End Patch\n";
    becomes("a\n", body, "b\n");
}

/// Only the last of several such lines was looked at, and the patch refused.
#[test]
fn an_anchor_above_and_below_the_place_says_nothing() {
    becomes(
        "c\nx\ny\nc\nz\n",
        &update("@@ c\n x\n-y\n+n\n"),
        "c\nx\nn\nc\nz\n",
    );
    let text =
        "class A:\n  def run(self):\n    a = 1\n    b = 2\nclass B:\n  def run(self):\n    z = 3\n";
    let expected = text.replace("b = 2", "b = 5");
    let body = "@@   def run(self):\n     a = 1\n-    b = 2\n+    b = 5\n";
    becomes(text, &update(body), &expected);
    becomes(text, &update(&format!("@@ class A:\n{body}")), &expected);
    // A remark about the anchor is no place of it.
    let text = "// see fn two()\nx\ny\nfn two()\nz\n";
    let error = refused(text, &update("@@ fn two()\n x\n-y\n+n\n"));
    assert!(
        matches!(
            error,
            PatchError::AboveAnchor {
                line: 2,
                anchor_line: 4,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn an_anchor_is_looked_for_in_the_block_of_the_one_before() {
    let class =
        |name: &str, value: &str| format!("class {name}:\n  def run(self):\n    return {value}\n");
    let text = class("A", "1") + &class("B", "1") + &class("C", "1");
    let body = "@@ class B:\n@@   def run(self):\n-    return 1\n+    return 2\n";
    becomes(
        &text,
        &update(body),
        &(class("A", "1") + &class("B", "2") + &class("C", "1")),
    );
}

/// They were all placed on the file as it was: the first of two equal functions was changed instead of its copy.
#[test]
fn a_later_update_of_a_file_speaks_of_what_the_one_before_leaves() {
    let text = "a\nb\nc\n";
    let both = |first: &str, second: &str| update(&format!("{first}*** Update File: x\n{second}"));
    becomes(
        text,
        &both("@@\n-b\n+B\n", "@@\n-B\n+BB\n c\n"),
        "a\nBB\nc\n",
    );
    becomes(
        text,
        &both("@@\n b\n+b2\n", "@@\n-b2\n@@\n c\n+d\n"),
        "a\nb\nc\nd\n",
    );
    // It may also show lines as they were.
    becomes(text, &both("@@\n-b\n+B\n", "@@\n b\n-c\n+C\n"), "a\nB\nC\n");
    let diffs = unified("@@ -1,3 +1,4 @@\n a\n+new\n b\n c\n")
        + &unified("@@ -1,2 +1,2 @@\n a\n-new\n+newer\n");
    becomes(text, &diffs, "a\nnewer\nb\nc\n");
    let back = parse_patch(&diffs).unwrap().reversed();
    assert_eq!(
        back.files[0]
            .place("a\nnewer\nb\nc\n")
            .unwrap()
            .apply("a\nnewer\nb\nc\n"),
        text
    );
    assert_eq!(
        refused(text, &both("@@\n-b\n+B\n", "@@\n-B\n+b\n")),
        PatchError::NoChange { path: "x".into() }
    );
}

/// A series of commits makes a file, or gives it another name, and then changes it.
#[test]
fn a_later_update_may_be_of_a_file_that_the_patch_makes_moves_or_copies() {
    let git = |old: &str, new: &str, head: &str, body: &str| {
        format!("diff --git a/{old} b/{new}\n{head}{body}")
    };
    let update = |body: &str| git("x", "x", "--- a/x\n+++ b/x\n", body);
    let later = update("@@ -1,2 +1,2 @@\n a\n-b\n+B\n") + &update("@@ -1,2 +1,3 @@\n+0\n a\n B\n");
    let made = git(
        "x",
        "x",
        "new file mode 100644\n--- /dev/null\n+++ b/x\n",
        "@@ -0,0 +1,2 @@\n+a\n+b\n",
    );
    becomes("", &(made + &later), "0\na\nB\n");
    for word in ["rename", "copy"] {
        let head = format!("{word} from w\n{word} to x\n--- a/w\n+++ b/x\n");
        let first = git("w", "x", &head, "@@ -1,2 +1,2 @@\n-A\n+a\n b\n");
        becomes("A\nb\n", &(first + &later), "0\na\nB\n");
    }
    let envelope =
        "*** Begin Patch\n*** Add File: x\n+a\n+b\n*** Update File: x\n@@\n-b\n+B\n*** End Patch\n";
    becomes("", envelope, "a\nB\n");
    let missing = envelope.replace("-b", "-c");
    assert!(matches!(refused("", &missing), PatchError::NotFound { at, .. } if at.is_later_part));
}

/// An update of a name speaks of the file that has come to it, as in git.
#[test]
fn a_later_update_may_be_of_a_file_that_took_the_place_of_another() {
    let rename = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    let patch = rename("x", "y") + &rename("z", "x") + &unified("@@ -1 +1 @@\n-a\n+b\n");
    let patch = parse_patch(&patch).unwrap();
    let parts: Vec<(&str, usize)> = patch
        .files
        .iter()
        .map(|file| (file.path(), file.hunks.len()))
        .collect();
    assert_eq!(parts, [("y", 0), ("x", 1)]);
    assert_eq!(patch.files[1].place("a\n").unwrap().apply("a\n"), "b\n");
}

/// Models give a file other content so, and the refusal to add one that exists advises it.
#[test]
fn an_envelope_that_deletes_a_file_and_adds_it_gives_it_other_content() {
    let patch =
        "*** Begin Patch\n*** Delete File: x\n*** Add File: x\n+new\n+lines\n*** End Patch\n";
    assert_eq!(
        only(patch).operation,
        FileOperation::Replace { path: "x".into() }
    );
    becomes("old\n", patch, "new\nlines\n");
    becomes("old\r\ntext\r\n", patch, "new\r\nlines\r\n");
    becomes("old\r\ntext\n", patch, "new\nlines\n");
    becomes("", patch, "new\nlines\n");
    assert_eq!(
        refused("new\nlines\n", patch),
        PatchError::NoChange { path: "x".into() }
    );
    // The other way round it is no file at the end, and a diff states what it deletes.
    let turned = "*** Begin Patch\n*** Add File: x\n+new\n*** Delete File: x\n*** End Patch\n";
    let diff = "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+new\n";
    for patch in [turned, diff] {
        assert_eq!(
            unreadable(patch),
            PatchError::Duplicate { path: "x".into() }
        );
    }
}

#[test]
fn a_later_update_that_fits_at_two_places_is_refused() {
    let text = "one\nx\ny\nend\n";
    let copied = "@@ -3,2 +3,5 @@\n y\n+two\n+x\n+y\n end\n";
    let patch = unified(copied) + &unified("@@ -5,2 +5,2 @@\n x\n-y\n+z\n");
    let error = refused(text, &patch);
    assert_eq!(
        error,
        PatchError::TwoPlaces {
            path: "x".into(),
            first_line: 11
        }
    );
}

#[test]
fn a_file_may_take_the_place_of_one_that_is_moved_away() {
    let rename = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    let new =
        "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n";
    for patch in [
        rename("f", "g") + &rename("g", "f"),
        rename("f", "g") + new,
        new.to_owned() + &rename("f", "g"),
    ] {
        assert_eq!(parse_patch(&patch).unwrap().files.len(), 2);
    }
    for patch in [
        rename("f", "g") + &rename("f", "h"),
        rename("f", "g") + &rename("h", "g"),
        rename("f", "g") + new + new,
        rename("f", "g") + "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
    ] {
        assert!(matches!(unreadable(&patch), PatchError::Duplicate { .. }));
    }
    // One after the other, the second of two moves would meet the first.
    let [away, back] = ["f\n*** Move to: g\n", "g\n*** Move to: f\n"];
    let envelope = |first: &str, second: &str| {
        format!("*** Begin Patch\n*** Update File: {first}{second}*** End Patch\n")
    };
    assert!(parse_patch(&envelope(away, "*** Add File: f\n+new\n")).is_ok());
    for patch in [
        envelope(away, &format!("*** Update File: {back}")),
        format!("*** Begin Patch\n*** Add File: f\n+new\n*** Update File: {away}*** End Patch\n"),
    ] {
        assert!(matches!(unreadable(&patch), PatchError::Duplicate { .. }));
    }
}

#[test]
fn text_without_a_patch_is_reported_so() {
    assert_eq!(unreadable("hello\n"), PatchError::NoPatch);
    assert_eq!(unreadable(""), PatchError::NoPatch);
}

#[test]
fn the_same_lines_at_very_many_places_are_reported_apart_by_numbers_and_by_order() {
    let count = 15_000;
    for blank in ["", " "] {
        let before = format!("same{blank}\n").repeat(count);
        let numbered: String = (1..=count)
            .step_by(5)
            .map(|line| format!("@@ -{line} +{line} @@\n-same\n+other {line}\n"))
            .collect();
        let patch = parse_patch(&format!("--- a/x\n+++ b/x\n{numbered}")).unwrap();
        let expected: String = (1..=count)
            .map(|line| match line % 5 {
                1 => format!("other {line}\n"),
                _ => format!("same{blank}\n"),
            })
            .collect();
        let plan = patch.files[0].place(&before).unwrap();
        assert_eq!(plan.apply(&before), expected);
    }
    // Behind the place before there is one left; above there are more than anybody lists.
    let before = format!("{}middle\nsame \n", "same \n".repeat(count));
    let text = "*** Begin Patch\n*** Update File: x\n@@\n-middle\n+centre\n@@\n-same\n+other\n*** End Patch\n";
    let plan = parse_patch(text).unwrap().files[0].place(&before).unwrap();
    assert_eq!(
        plan.apply(&before),
        format!("{}centre\nother\n", "same \n".repeat(count))
    );
}

#[test]
fn a_hunk_of_very_many_lines_is_read_line_by_line() {
    let lines: String = (0..200_000).map(|n| format!("+line {n}\n")).collect();
    let patch = parse_patch(&format!(
        "--- /dev/null\n+++ b/x\n@@ -0,0 +1,200000 @@\n{lines}"
    ))
    .unwrap();
    assert_eq!(patch.files[0].additions(), 200_000);
}

#[test]
fn the_byte_order_mark_that_git_prints_stands_for_the_one_that_is_set_aside() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-\u{feff}one\n+\u{feff}1\n two\n";
    let file = &parse_patch(diff).unwrap().files[0];
    assert_eq!(
        file.place("one\ntwo\n").unwrap().apply("one\ntwo\n"),
        "1\ntwo\n"
    );
    let marked = "\u{feff}one\ntwo\n";
    assert_eq!(
        file.place(marked).unwrap().apply(marked),
        "\u{feff}1\ntwo\n"
    );
}

/// It was dropped wherever it stood.
#[test]
fn a_byte_order_mark_that_only_a_new_line_has_is_a_part_of_that_line() {
    becomes(
        "a\nb\nc\n",
        &unified("@@ -1,3 +1,3 @@\n a\n-b\n+\u{feff}b2\n c\n"),
        "a\n\u{feff}b2\nc\n",
    );
    becomes(
        "a\nb\n",
        &unified("@@ -1,2 +1,2 @@\n-a\n+\u{feff}a\n b\n"),
        "\u{feff}a\nb\n",
    );
}

#[test]
fn a_patch_that_takes_the_mark_of_a_file_away_is_reported_as_such() {
    let both = unified("@@ -1,2 +1,2 @@\n-\u{feff}a\n+a2\n b\n");
    assert!(only(&both).drops_mark());
    becomes("a\nb\n", &both, "a2\nb\n");
    assert_eq!(
        refused("a\nb\n", &unified("@@ -1 +1 @@\n-\u{feff}a\n+a\n")),
        PatchError::OnlyMark { path: "x".into() }
    );
    assert!(!only(&unified("@@ -1 +1 @@\n-\u{feff}a\n+\u{feff}b\n")).drops_mark());
}

/// The method at line 2 and the function at line 9 differ in their indentation alone.
const TWINS: &str = "class A {\n  /**\n   * The tool.\n   */\n  run() {}\n}\n\n\n/**\n * The tool.\n */\nfunction run() {}\n";

#[test]
fn a_shifted_hunk_that_equals_other_lines_than_its_number_says_is_refused() {
    let diff = "--- a/x\n+++ b/x\n@@ -9,2 +9,3 @@\n   /**\n+   * Runs.\n    * The tool.\n";
    let error = parse_patch(diff).unwrap().files[0]
        .place(TWINS)
        .unwrap_err();
    assert!(
        matches!(
            error,
            PatchError::OtherLine {
                line: 2,
                stated: 9,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn beside_a_shifted_hunk_none_goes_to_one_of_two_places_that_differ_in_indentation() {
    let text = "*** Begin Patch\n*** Update File: x\n@@\n-  function run() {}\n+  function run(a) {}\n@@\n   /**\n+   * Runs.\n    * The tool.\n*** End Patch\n";
    let error = parse_patch(text).unwrap().files[0]
        .place(TWINS)
        .unwrap_err();
    let expected = PatchError::Ambiguous {
        at: HunkAt {
            is_later_part: false,
            path: "x".to_owned(),
            hunk: 2,
            total: 2,
            patch_line: 6,
        },
        lines: vec![2, 9],
    };
    assert_eq!(error, expected);
}

#[test]
fn typographic_characters_that_one_hunk_has_for_plain_ones_are_not_added_by_another() {
    let text = "x = 'a'\n1\n2\n3\nb = 1\n";
    let first = "-x = ’a’\n+x = ’c’\n";
    for patch in [
        update(&format!("@@\n{first}@@\n b = 1\n+y = ‘z’\n")),
        format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n{first}@@ -5 +5,2 @@\n b = 1\n+y = ‘z’\n"),
    ] {
        let error = refused(text, &patch);
        let PatchError::OtherSpelling { at, other, sign } = &error else {
            panic!("{error}")
        };
        assert_eq!((at.hunk, *other, *sign), (2, 1, '‘'));
    }
    // A hunk that has the plain character too means what it says, and so does a patch of which no hunk shows otherwise.
    let mixed = update(&format!("@@\n{first}@@\n b = 1\n+y = '‘'\n"));
    becomes(text, &mixed, "x = 'c'\n1\n2\n3\nb = 1\ny = '‘'\n");
    let literal = update("@@\n-x = 'a'\n+x = 'c'\n@@\n b = 1\n+y = ‘z’\n");
    becomes(text, &literal, "x = 'c'\n1\n2\n3\nb = 1\ny = ‘z’\n");
}

#[test]
fn hunks_that_do_not_go_downwards_have_no_order_that_decides() {
    let text = "c\n1\na\n2\nb\n3\na\n4\n";
    let body = |names: &[&str]| -> String {
        let hunks = names
            .iter()
            .map(|name| format!("@@\n-{name}\n+{}\n", name.to_uppercase()));
        hunks.collect()
    };
    let unified = |names: &[&str]| format!("--- a/x\n+++ b/x\n{}", body(names));
    for names in [["b", "a", "c"], ["b", "c", "a"]] {
        for patch in [update(&body(&names)), unified(&names)] {
            let error = refused(text, &patch);
            let PatchError::Ambiguous { at, lines } = &error else {
                panic!("{error}")
            };
            let hunk = names.iter().position(|name| *name == "a").unwrap() + 1;
            assert_eq!((at.hunk, lines.as_slice()), (hunk, [3, 7].as_slice()));
        }
    }
    becomes(
        text,
        &update(&body(&["b", "a"])),
        "c\n1\na\n2\nB\n3\nA\n4\n",
    );
    becomes(
        text,
        &update(&body(&["b", "c"])),
        "C\n1\na\n2\nB\n3\na\n4\n",
    );
}

#[test]
fn an_anchor_that_only_the_order_makes_unique_is_not_for_hunks_out_of_order() {
    let text = "def f():\n    x = 1\n\ntop = 1\n\ndef f():\n    x = 1\n";
    let down = "@@\n-top = 1\n+top = 2\n@@ def f():\n-    x = 1\n+    x = 2\n";
    becomes(
        text,
        &update(down),
        "def f():\n    x = 1\n\ntop = 2\n\ndef f():\n    x = 2\n",
    );
    let up = format!("first\n{text}");
    let patch = update(&format!("{down}@@\n-first\n+1st\n"));
    assert!(matches!(refused(&up, &patch), PatchError::Ambiguous { .. }));
}

#[test]
fn the_line_behind_the_numbers_decides_where_the_numbers_do_not() {
    let text = "def f():\n    x = 1\n\ndef g():\n    x = 1\n";
    let after = "def f():\n    x = 1\n\ndef g():\n    x = 2\n";
    let change = "-    x = 1\n+    x = 2\n";
    for head in [
        "@@ -9,1 +9,1 @@ def g():",
        "@@ ... @@ def g():",
        "@@ -X,X +X,X @@ def g():",
        "@@ def g():",
    ] {
        becomes(text, &format!("--- a/x\n+++ b/x\n{head}\n{change}"), after);
        becomes(text, &update(&format!("{head}\n{change}")), after);
    }
    // Numbers that fit decide, whatever stands behind them, and a line that is not there says nothing.
    let first = format!("--- a/x\n+++ b/x\n@@ -2 +2 @@ def g():\n{change}");
    becomes(text, &first, "def f():\n    x = 2\n\ndef g():\n    x = 1\n");
    let none = format!("--- a/x\n+++ b/x\n@@ -9 +9 @@ def h():\n{change}");
    assert!(matches!(refused(text, &none), PatchError::Ambiguous { .. }));
}

#[test]
fn a_hunk_right_below_the_names_needs_no_heading() {
    let text = "def f():\n    y = 1\n\ndef g():\n    x = 1\n";
    let names = "--- f.py\n+++ f.py\n";
    let hunk = " def g():\n-    x = 1\n+    x = 2\n";
    let after = "def f():\n    y = 1\n\ndef g():\n    x = 2\n";
    for patch in [
        format!("{names}{hunk}"),
        format!("{names}\n{hunk}"),
        format!("diff --git a/f.py b/f.py\n{names}{hunk}"),
        format!("```diff\n{names}{hunk}```\n"),
    ] {
        becomes(text, &patch, after);
    }
    let two = format!("{names}{hunk}@@\n-    y = 1\n+    y = 2\n");
    becomes(text, &two, &after.replace("y = 1", "y = 2"));
    let files = parse_patch(&format!("{names}{hunk}--- g.py\n+++ g.py\n-a\n+b\n")).unwrap();
    let paths: Vec<&str> = files.files.iter().map(FilePatch::path).collect();
    assert_eq!(paths, ["f.py", "g.py"]);
    // Lines without a change are no hunk.
    let prose = unreadable(&format!("{names} as I said\n"));
    assert!(matches!(prose, PatchError::HunksMissing { .. }), "{prose}");
}

/// The line end of the line below it was taken.
#[test]
fn lines_added_without_context_have_the_end_of_the_line_before_them() {
    let added = unified("@@ -1,0 +2 @@\n+new\n");
    becomes("one\ntwo\r\nthree\n", &added, "one\nnew\ntwo\r\nthree\n");
    becomes("one\r\ntwo\nthree\n", &added, "one\r\nnew\r\ntwo\nthree\n");
    becomes(
        "one\r\ntwo",
        &unified("@@ -2,0 +3 @@\n+new\n"),
        "one\r\ntwo\r\nnew",
    );
    becomes(
        "one\r\ntwo\n",
        &unified("@@ -0,0 +1 @@\n+new\n"),
        "new\r\none\r\ntwo\n",
    );
}

#[test]
fn the_last_line_may_be_an_indented_end_of_the_patch() {
    for end in [
        " *** End Patch",
        "  *** End Patch\n",
        "\t*** End Patch \n\n",
    ] {
        let patch = format!("*** Begin Patch\n*** Update File: x\n@@\n a\n-b\n+c\n{end}");
        becomes("a\nb\n", &patch, "a\nc\n");
    }
    // In front of the last it is a line of the file.
    let patch = update("@@\n *** End Patch\n-b\n+c\n");
    becomes("*** End Patch\nb\n", &patch, "*** End Patch\nc\n");
}

#[test]
fn another_spelling_of_the_same_name_is_no_move() {
    for (from, to) in [("x", "./x"), ("./a//x", "a/x"), ("/x", "//x/")] {
        let patch = format!(
            "*** Begin Patch\n*** Update File: {from}\n*** Move to: {to}\n@@\n-a\n+b\n*** End Patch\n"
        );
        let path = from.to_owned();
        assert_eq!(only(&patch).operation, FileOperation::Update { path });
    }
    let patch = "*** Begin Patch\n*** Update File: x\n*** Move to: /x\n@@\n-a\n+b\n*** End Patch\n";
    let (from, to) = ("x".to_owned(), "/x".to_owned());
    assert_eq!(only(patch).operation, FileOperation::Move { from, to });
}

#[test]
fn one_place_at_another_line_than_the_header_names_is_refused_with_both_lines() {
    let patch = unified("@@ -2 +2 @@\n-}\n\\ No newline at end of file\n+};\n");
    assert_eq!(
        refused("a\n}\nb\n}", &patch).to_string(),
        "`x`: hunk 1 of 1 (line 3 of the patch) names line 2 in its header, but its lines, indented as they are, stand only at line 4. \
         Read the file again and correct the number or the lines."
    );
}

/// Its lines have a sign for each parent: the second was taken for a part of the line.
#[test]
fn a_combined_diff_is_refused() {
    let head = "diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n";
    let combined = |line, text: &str| PatchError::Combined {
        line,
        text: text.to_owned(),
    };
    let two = "@@@ -1,2 -1,2 +1,3 @@@";
    let patch = format!("{head}{two}\n  a\n++new\n  b\n");
    assert_eq!(unreadable(&patch), combined(5, two));
    let three = "@@@@ -1 -1 -1 +1,2 @@@@ fn f()";
    let patch = format!("{head}{three}\n   a\n+++new\n");
    assert_eq!(unreadable(&patch), combined(5, three));
    assert_eq!(
        unreadable(&format!("{two}\n  a\n++new\n  b\n")),
        combined(1, two)
    );
    assert_eq!(
        unreadable(&update(&format!("{two}\n  a\n++new\n  b\n"))),
        combined(3, two)
    );
    // A text behind `@@` may begin with that sign.
    becomes(
        "@a\nb\nc\nb\n",
        &update("@@ @a\n-b\n+n\n c\n"),
        "@a\nn\nc\nb\n",
    );
}

/// A series of commits that changes a file, moves it on and makes it executable.
#[test]
fn a_later_commit_may_move_a_file_on_or_change_its_mode() {
    let git = |old: &str, new: &str, head: &str, body: &str| {
        format!("diff --git a/{old} b/{new}\n{head}{body}")
    };
    let renamed = |old: &str, new: &str, body: &str| {
        let names = match body {
            "" => String::new(),
            _ => format!("--- a/{old}\n+++ b/{new}\n"),
        };
        let head = format!("rename from {old}\nrename to {new}\n{names}");
        git(old, new, &head, body)
    };
    let names = "--- a/x\n+++ b/x\n";
    let updated = git("x", "x", names, "@@ -1,2 +1,2 @@\n a\n-b\n+B\n");
    let mode = "old mode 100644\nnew mode 100755\n";
    let operation = |from: &str, to: &str| FileOperation::Move {
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let moved = renamed("x", "y", "@@ -1,2 +1,2 @@\n a\n-B\n+BB\n");
    let file = only(&(updated.clone() + &moved + &git("y", "y", mode, "")));
    assert_eq!(
        (&file.operation, file.old_mode, file.new_mode),
        (&operation("x", "y"), Some(0o100_644), Some(0o100_755))
    );
    assert_eq!(file.place("a\nb\n").unwrap().apply("a\nb\n"), "a\nBB\n");
    // Of two moves the second goes on where the first went, if no other file can be meant.
    let moves = renamed("x", "y", "") + &renamed("y", "z", "");
    let beside = |there: &'static [&str]| {
        let patch = parse_patch_beside(&moves, &|name| there.contains(&name)).unwrap();
        let files = patch.files.into_iter();
        files.map(|file| file.operation).collect::<Vec<_>>()
    };
    assert_eq!(beside(&["x"]), [operation("x", "z")]);
    let both = [operation("x", "y"), operation("y", "z")];
    assert_eq!(beside(&["x", "y"]), both);
    let back = updated + &renamed("x", "x", "");
    assert!(matches!(unreadable(&back), PatchError::Duplicate { .. }));
}

#[test]
fn the_name_lines_of_a_diff_in_an_envelope_are_passed_over() {
    let named = |names: &str| update(&format!("{names}@@ -1,2 +1,2 @@\n a\n-b\n+B\n"));
    for names in ["--- a/x\n+++ b/x\n", "--- x\n+++ x\n"] {
        becomes("a\nb\n", &named(names), "a\nB\n");
    }
    // Of another file they are lines of the hunk.
    let other = refused("a\nb\n", &named("--- a/y\n+++ b/y\n"));
    assert!(matches!(other, PatchError::NotFound { .. }));
    let text = "-- a/y\na\nb\n";
    let removed = update("--- a/y\n+++ b/y\n a\n");
    becomes(text, &removed, "++ b/y\na\nb\n");
}

#[test]
fn a_move_below_the_hunks_is_reported_with_its_place() {
    let patch = update("@@\n-a\n+b\n*** Move to: y\n");
    let PatchError::Malformed { line, expected, .. } = unreadable(&patch) else {
        panic!("another reason");
    };
    assert_eq!(
        (line, expected),
        (6, "it has to stand right below its `*** Update File:` line")
    );
}
