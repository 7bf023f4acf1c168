use super::*;

#[test]
fn a_changed_line_is_shown_with_its_context() {
    let before = "a\nb\nc\nd\ne\n";
    let after = "a\nb\nC\nd\ne\n";
    let diff = TextDiff::new(before, after);
    assert_eq!(
        diff.unified("a/x", "b/x", 1),
        "--- a/x\n+++ b/x\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n"
    );
    assert_eq!(
        (
            diff.additions(),
            diff.deletions(),
            diff.first_changed_line()
        ),
        (1, 1, Some(3))
    );
}

#[test]
fn equal_texts_have_an_empty_diff() {
    let diff = TextDiff::new("a\n", "a\n");
    assert_eq!(diff.unified("a", "b", 3), "");
    assert_eq!(diff.numbered(4), "");
    assert_eq!(diff.first_changed_line(), None);
}

#[test]
fn a_missing_last_newline_is_said_on_its_side_only() {
    let diff = TextDiff::new("a\nb", "a\nb\n");
    assert_eq!(
        diff.unified("x", "x", 3),
        "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    );
}

#[test]
fn an_empty_side_is_named_by_line_zero() {
    assert_eq!(
        TextDiff::new("", "a\nb\n").unified("/dev/null", "x", 3),
        "--- /dev/null\n+++ x\n@@ -0,0 +1,2 @@\n+a\n+b\n"
    );
    assert_eq!(
        TextDiff::new("a\n", "").unified("x", "/dev/null", 3),
        "--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    );
}

#[test]
fn carriage_returns_stay_in_the_unified_diff_and_not_in_the_numbered_one() {
    let diff = TextDiff::new("a\r\nb\r\n", "a\r\nc\r\n");
    assert_eq!(diff.hunks(1), "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
    assert_eq!(diff.numbered(1), " 1 a\n-2 b\n+2 c");
}

#[test]
fn near_changes_share_a_hunk_and_far_ones_do_not() {
    let before: String = (1..=30).map(|n| format!("{n}\n")).collect();
    let after = before
        .replace("3\n4\n", "3\nfour\n")
        .replace("\n9\n", "\nnine\n");
    let diff = TextDiff::new(before.as_str(), after.as_str());
    assert_eq!(diff.hunks(2).matches("@@ -").count(), 1);
    assert_eq!(diff.hunks(1).matches("@@ -").count(), 2);
}

#[test]
fn the_numbered_diff_leaves_out_far_lines() {
    let before: String = (1..=120).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 50\n", "line fifty\nline fifty and a half\n");
    let diff = TextDiff::new(before.as_str(), after.as_str());
    assert_eq!(
        diff.numbered(2),
        "     ...\n  48 line 48\n  49 line 49\n- 50 line 50\n+ 50 line fifty\n\
         + 51 line fifty and a half\n  51 line 51\n  52 line 52\n     ..."
    );
    assert_eq!(diff.first_changed_line(), Some(50));
}

#[test]
fn a_change_far_down_has_its_real_line_number() {
    let before: String = (0..5_000).map(|n| format!("line {n}\n")).collect();
    let after = before.replace("line 4321\n", "");
    let diff = TextDiff::new(before.as_str(), after.as_str());
    assert_eq!(diff.hunks(0), "@@ -4322 +4321,0 @@\n-line 4321\n");
}

#[test]
fn names_with_odd_characters_are_quoted() {
    assert_eq!(patch_path("src/a.rs"), "src/a.rs");
    assert_eq!(patch_path("my file"), "my file\t");
    assert_eq!(patch_path("a\"b\n"), "\"a\\\"b\\n\"");
}

#[test]
fn names_that_a_list_cannot_show_are_quoted_and_read_back() {
    for (name, shown) in [
        ("src/a b.rs", "src/a b.rs"),
        ("say \"hi\"\\", "say \"hi\"\\"),
        ("a\nb", "\"a\\nb\""),
        (
            "\u{1b}[31mé\u{9b}\"\t\r",
            "\"\\033[31mé\\302\\233\\\"\\t\\r\"",
        ),
        ("a\u{202e}b\u{2028}", "\"a\\342\\200\\256b\\342\\200\\250\""),
    ] {
        assert_eq!(shown_name(name), shown);
        if shown != name {
            assert_eq!(crate::unquoted_name(shown).as_deref(), Some(name));
        }
    }
    assert_eq!(crate::unquoted_name("\"a\" b"), None);
    assert_eq!(crate::unquoted_name("a"), None);
}

#[test]
fn names_that_are_not_unicode_are_shown_by_their_bytes() {
    for (name, shown) in [
        (b"src/a.rs".as_slice(), "src/a.rs"),
        (b"b\xff.txt", "\"b\\377.txt\""),
        (b"b\xfe \"\xc3\xa9\n\xc3", "\"b\\376 \\\"\u{e9}\\n\\303\""),
    ] {
        assert_eq!(crate::name_of_bytes(name), shown);
        #[cfg(unix)]
        assert_eq!(
            std::os::unix::ffi::OsStrExt::as_bytes(crate::path_of_name(shown).as_os_str()),
            name
        );
        if shown.starts_with('"') {
            assert_eq!(crate::unquoted_bytes(shown).as_deref(), Some(name));
            assert_eq!(crate::unquoted_name(shown), None);
        }
    }
}

#[test]
fn the_first_difference_of_two_lines_is_marked() {
    let difference = inline_difference("let x = 1;", "let y = 1;");
    assert_eq!(difference.column, Some(5));
    assert_eq!(difference.marker, "    ^");
    assert!(difference.similarity > 0.85);
    assert_eq!(inline_difference("a", "a").column, None);
}

#[test]
fn a_diff_that_would_be_too_long_is_cut_behind_a_line_and_says_so() {
    let before: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let after: String = (0..100).map(|n| format!("row {n}\n")).collect();
    let diff = TextDiff::new(before.as_str(), after.as_str());
    let note =
        "[The rest of the diff is omitted. In total 100 lines are added and 100 are removed.]";
    assert_eq!(
        diff.unified_within("a", "b", 3, 50),
        format!("--- a\n+++ b\n@@ -1,100 +1,100 @@\n-line 0\n-line 1\n-line 2\n{note}\n")
    );
    assert_eq!(
        diff.numbered_within(4, 20),
        format!("-  1 line 0\n-  2 line 1\n{note}")
    );
    assert_eq!(
        diff.unified_within("a", "b", 3, 100_000),
        diff.unified("a", "b", 3)
    );
    assert_eq!(diff.numbered_within(4, 100_000), diff.numbered(4));
}
