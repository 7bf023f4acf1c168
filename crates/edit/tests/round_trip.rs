//! Diffs that are read and applied again.

#![allow(clippy::indexing_slicing, reason = "a test that is wrong may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_edit::{Options, Replacement, TextDiff, parse_patch, plan};

/// `TENON_ROUND_TRIPS` sets the number of cases.
fn cases() -> u32 {
    std::env::var("TENON_ROUND_TRIPS")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(2_000)
}

/// Text of few different lines, so that they repeat, with all kinds of line ends.
fn text() -> impl Strategy<Value = String> {
    let body = prop_oneof![
        Just(""),
        Just("a"),
        Just("b"),
        Just("  a"),
        Just("}"),
        Just("-- x"),
        Just("++ y"),
        Just("@@ -1 +1 @@"),
        Just("\\ No newline"),
        Just("*** End Patch"),
        Just("caf\u{e9} “x”"),
        Just("tail  "),
    ];
    let end = prop_oneof![6 => Just("\n"), 1 => Just("\r\n")];
    (vec((body, end), 0..25), any::<bool>()).prop_map(|(lines, is_ended)| {
        let mut text: String = lines
            .into_iter()
            .flat_map(|(body, end)| [body, end])
            .collect();
        if !is_ended {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

/// Another text of the same kind that shares most lines.
fn pair() -> impl Strategy<Value = (String, String)> {
    (
        text(),
        text(),
        any::<proptest::sample::Index>(),
        any::<proptest::sample::Index>(),
    )
        .prop_map(|(before, other, at, to)| {
            let lines: Vec<&str> = before.split_inclusive('\n').collect();
            let at = at.index(lines.len() + 1);
            let to = at + to.index(lines.len() - at + 1);
            let mut after = lines[..at].concat();
            after.push_str(&other);
            if !after.is_empty() && !after.ends_with('\n') {
                after.push('\n');
            }
            after.push_str(&lines[to..].concat());
            (before, after)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_diff_leads_from_the_first_text_to_the_second_and_back((before, after) in pair(), context in 0_usize..5) {
        prop_assume!(before != after);
        // Lines that are added without any context do not show which of two line ends is meant.
        let context = context.max(usize::from(before.contains('\r') || after.contains('\r')));
        let diff = TextDiff::new(before.as_str(), after.as_str()).unified("a/x", "b/x", context);
        let patch = parse_patch(&diff).unwrap();
        let plan = patch.files[0].place(&before);
        prop_assert!(plan.is_ok(), "{}\n{diff}", plan.unwrap_err());
        prop_assert_eq!(plan.unwrap().apply(&before), after.clone(), "{}", diff);
        let back = patch.reversed().files[0].place(&after);
        prop_assert!(back.is_ok(), "{}\n{diff}", back.unwrap_err());
        prop_assert_eq!(back.unwrap().apply(&after), before, "{}", diff);
    }

    #[test]
    fn the_counts_and_line_numbers_of_a_diff_add_up((before, after) in pair()) {
        let diff = TextDiff::new(before.as_str(), after.as_str());
        let lines = |text: &str| text.split_inclusive('\n').count();
        prop_assert_eq!(lines(&before) + diff.additions(), lines(&after) + diff.deletions());
        for change in diff.changes() {
            prop_assert_eq!(lines(&before[..change.before_bytes.start]), change.before_lines.start);
            prop_assert_eq!(lines(&after[..change.after_bytes.start]), change.after_lines.start);
        }
        prop_assert_eq!(diff.changes().is_empty(), before == after);
    }

    #[test]
    fn nothing_that_is_planned_on_any_text_panics_or_reaches_outside(
        text in ".{0,80}", old in ".{0,20}", new in ".{0,20}", cut in any::<proptest::sample::Index>(),
    ) {
        let at = text.floor_char_boundary(cut.index(text.len() + 1));
        for old in [old.as_str(), &text[at..], &text[..at]] {
            if let Ok(plan) = plan(&text, &[Replacement { old, new: &new }], Options::default()) {
                let mut last = 0;
                for splice in &plan.splices {
                    prop_assert!(splice.range.start >= last && text.get(splice.range.clone()).is_some());
                    last = splice.range.end;
                }
            }
        }
    }

    #[test]
    fn nothing_that_is_read_as_a_patch_panics(lines in vec(
        prop_oneof![
            Just("*** Begin Patch".to_owned()), Just("*** End Patch".to_owned()), Just("*** Update File: x".to_owned()),
            Just("*** Add File: x".to_owned()), Just("*** Move to: y".to_owned()), Just("*** End of File".to_owned()),
            Just("--- a/x".to_owned()), Just("+++ b/x".to_owned()), Just("@@ -1,2 +1 @@".to_owned()), Just("@@".to_owned()),
            Just("diff --git a/x b/x".to_owned()), Just("rename from x".to_owned()), Just("\\ No newline".to_owned()),
            Just("-a".to_owned()), Just("+b".to_owned()), Just(" c".to_owned()), Just(String::new()), ".{0,6}",
        ], 0..14), text in "[abc\n]{0,12}") {
        if let Ok(patch) = parse_patch(&lines.join("\n")) {
            for file in patch.files.iter().chain(&patch.reversed().files) {
                if let Ok(plan) = file.place(&text) {
                    prop_assert!(plan.apply(&text).len() <= text.len() + lines.concat().len() + 2 * lines.len());
                }
            }
        }
    }
}
