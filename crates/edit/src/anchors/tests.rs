use proptest::prelude::*;

use super::*;
use crate::error::Lines;

const TEXT: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

/// A file that was shown as a whole.
fn shown(text: &str) -> (ShownLines, Vec<String>) {
    let text = AnchoredText::new(text);
    let mut shown = ShownLines::default();
    let anchors = shown.show(&text, 0..text.len());
    (shown, anchors.iter().map(ToString::to_string).collect())
}

fn edit<'a>(
    from: &'a str,
    to: Option<&'a str>,
    new: &'a str,
    place: Placement,
) -> AnchoredEdit<'a> {
    AnchoredEdit {
        from,
        to,
        new,
        place,
    }
}

fn made(shown: &ShownLines, text: &str, edits: &[AnchoredEdit<'_>]) -> Result<String, AnchorError> {
    shown
        .plan(&AnchoredText::new(text), edits)
        .map(|plan| plan.apply(text))
}

fn replaced(text: &str, from: usize, to: usize, new: &str) -> Result<String, AnchorError> {
    let (shown, anchors) = shown(text);
    let to = (to > from).then(|| anchors[to].as_str());
    made(
        &shown,
        text,
        &[edit(&anchors[from], to, new, Placement::Replace)],
    )
}

#[test]
fn lines_are_replaced_taken_away_and_put_in_by_their_anchors() {
    assert_eq!(
        replaced(TEXT, 1, 1, "    uno();").unwrap(),
        TEXT.replace("one", "uno")
    );
    assert_eq!(
        replaced(TEXT, 0, 3, "").unwrap(),
        "fn b() {\n    two();\n}\n"
    );
    assert_eq!(
        replaced(TEXT, 4, 6, "fn c() {}\n").unwrap(),
        "fn a() {\n    one();\n}\n\nfn c() {}\n"
    );
    let (shown, anchors) = shown(TEXT);
    let put = |at: usize, place| made(&shown, TEXT, &[edit(&anchors[at], None, "// new\n", place)]);
    assert_eq!(
        put(0, Placement::Before).unwrap(),
        format!("// new\n{TEXT}")
    );
    assert_eq!(put(6, Placement::After).unwrap(), format!("{TEXT}// new\n"));
}

#[test]
fn equal_lines_have_anchors_of_their_own() {
    let (_, anchors) = shown(TEXT);
    let mut all = anchors.clone();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), anchors.len());
    // The second brace, though the file has two.
    assert_eq!(
        replaced(TEXT, 6, 6, "} // b").unwrap(),
        "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n} // b\n"
    );
    let blank = "\n".repeat(50);
    assert_eq!(
        replaced(&blank, 24, 24, "x").unwrap(),
        format!("{}x\n{}", "\n".repeat(24), "\n".repeat(25))
    );
}

#[test]
fn a_line_that_changed_is_refused_with_where_it_was() {
    let (shown, anchors) = shown(TEXT);
    let now = TEXT.replace("two()", "three()");
    let refused = made(
        &shown,
        &now,
        &[edit(&anchors[5], None, "x", Placement::Replace)],
    );
    let near = Lines { first: 5, last: 7 };
    let anchor = anchors[5].clone();
    assert_eq!(
        refused,
        Err(AnchorError::Changed {
            edit: 0,
            anchor,
            near
        })
    );
    // A brace is distinguished from others by the line before it, which is another one now.
    let refused = made(
        &shown,
        &now,
        &[edit(&anchors[6], None, "x", Placement::Replace)],
    );
    assert!(matches!(refused, Err(AnchorError::Changed { .. })));
    // The other function is as it was.
    let edited = made(
        &shown,
        &now,
        &[edit(&anchors[1], None, "", Placement::Replace)],
    );
    assert_eq!(edited.unwrap(), now.replace("    one();\n", ""));
}

#[test]
fn a_line_is_found_where_others_moved_it() {
    let (shown, anchors) = shown(TEXT);
    let now = format!("// a comment\n\n{TEXT}");
    let edited = made(
        &shown,
        &now,
        &[edit(&anchors[2], None, "} // a", Placement::Replace)],
    );
    assert_eq!(edited.unwrap(), now.replacen("}\n", "} // a\n", 1));
}

#[test]
fn lines_between_that_changed_or_were_not_shown_are_refused() {
    let (shown_whole, anchors) = shown(TEXT);
    let now = TEXT.replace("one()", "uno()");
    let range = |shown: &ShownLines, text: &str, from: &str, to: &str| {
        made(
            shown,
            text,
            &[edit(from, Some(to), "x", Placement::Replace)],
        )
    };
    let refused = range(&shown_whole, &now, &anchors[0], &anchors[4]);
    let lines = Lines { first: 1, last: 5 };
    let (from, to) = (anchors[0].clone(), anchors[4].clone());
    assert_eq!(
        refused,
        Err(AnchorError::Between {
            edit: 0,
            from,
            to,
            lines
        })
    );

    let text = AnchoredText::new(TEXT);
    let mut parts = ShownLines::default();
    let above = parts.show(&text, 0..2);
    let below = parts.show(&text, 4..7);
    let (from, to) = (above[0].to_string(), below[0].to_string());
    assert!(range(&parts, TEXT, &from, &to).is_err());
    // Pages of one version that touch are one.
    parts.show(&text, 2..4);
    assert_eq!(
        range(&parts, TEXT, &from, &to).unwrap(),
        "x\n    two();\n}\n"
    );
}

#[test]
fn what_was_shown_last_counts_of_two_versions_of_a_place() {
    let first = "a\nb\nc\n";
    let second = "a\nB\nc\n";
    let mut shown = ShownLines::default();
    shown.show(&AnchoredText::new(first), 0..3);
    let anchors = shown.show(&AnchoredText::new(second), 0..3);
    let (from, to) = (anchors[0].to_string(), anchors[2].to_string());
    let edits = [edit(&from, Some(&to), "x", Placement::Replace)];
    assert!(made(&shown, first, &edits).is_err());
    assert_eq!(made(&shown, second, &edits).unwrap(), "x\n");
}

#[test]
fn letters_that_name_nothing_are_refused() {
    let (shown, anchors) = shown(TEXT);
    let refused = |from: &str| made(&shown, TEXT, &[edit(from, None, "x", Placement::Replace)]);
    assert!(matches!(
        refused("fn a() {"),
        Err(AnchorError::Malformed { .. })
    ));
    let other = Anchor::all_of(12_345).last().unwrap().to_string();
    assert!(matches!(refused(&other), Err(AnchorError::Unknown { .. })));
    let wrong = format!("{}|    two();", anchors[1]);
    assert!(matches!(
        refused(&wrong),
        Err(AnchorError::OtherText { .. })
    ));
    let right = format!("{}|    one();", anchors[1]);
    assert!(refused(&right).is_ok());
    let back = [edit(
        &anchors[2],
        Some(&anchors[0]),
        "x",
        Placement::Replace,
    )];
    assert!(matches!(
        made(&shown, TEXT, &back),
        Err(AnchorError::Reversed { .. })
    ));
    assert_eq!(made(&shown, TEXT, &[]), Err(AnchorError::NoEdits));
}

#[test]
fn the_same_lines_again_are_no_change() {
    let refused = replaced(TEXT, 0, 2, "fn a() {\n    one();\n}\n");
    let lines = Lines { first: 1, last: 3 };
    assert_eq!(refused, Err(AnchorError::NoChange { lines }));
}

#[test]
fn anchors_in_front_of_all_new_lines_are_no_text() {
    let (shown, anchors) = shown(TEXT);
    let all = format!("{}|fn a() {{\n{}|    uno();\n", anchors[0], anchors[1]);
    let edits = [edit(
        &anchors[0],
        Some(&anchors[1]),
        &all,
        Placement::Replace,
    )];
    assert_eq!(
        made(&shown, TEXT, &edits).unwrap(),
        TEXT.replace("one", "uno")
    );
    let some = format!("{}|fn a() {{\n    uno();\n", anchors[0]);
    let edits = [edit(
        &anchors[0],
        Some(&anchors[1]),
        &some,
        Placement::Replace,
    )];
    assert_eq!(
        made(&shown, TEXT, &edits),
        Err(AnchorError::Decorated { edit: 0 })
    );
}

#[test]
fn several_edits_are_made_together_and_never_on_the_same_lines() {
    let (shown, anchors) = shown(TEXT);
    let at = |line: usize, new, place| edit(&anchors[line], None, new, place);
    let edits = [
        at(5, "    zwei();", Placement::Replace),
        at(4, "// b", Placement::Before),
        at(3, "// after a", Placement::After),
        at(1, "    eins();", Placement::Replace),
    ];
    assert_eq!(
        made(&shown, TEXT, &edits).unwrap(),
        "fn a() {\n    eins();\n}\n\n// b\n// after a\nfn b() {\n    zwei();\n}\n"
    );
    let range = edit(&anchors[0], Some(&anchors[2]), "x", Placement::Replace);
    let overlap = |other| made(&shown, TEXT, &[range, other]);
    let lines = Lines { first: 1, last: 3 };
    let refused = Err(AnchorError::Overlap {
        first: 0,
        second: 1,
        lines,
    });
    assert_eq!(overlap(at(1, "y", Placement::Replace)), refused);
    assert_eq!(overlap(at(1, "y", Placement::Before)), refused);
    assert!(overlap(at(2, "y", Placement::After)).is_ok());
}

#[test]
fn line_ends_and_the_lack_of_the_last_one_stay() {
    assert_eq!(
        replaced("a\r\nb\r\n", 1, 1, "x\ny").unwrap(),
        "a\r\nx\r\ny\r\n"
    );
    assert_eq!(replaced("a\nb", 1, 1, "x\n").unwrap(), "a\nx");
    assert_eq!(replaced("a\nb", 1, 1, "").unwrap(), "a\n");
    assert_eq!(replaced("a\nb", 0, 1, "").unwrap(), "");
    assert_eq!(replaced("a\nb", 1, 1, "b\nc").unwrap(), "a\nb\nc");
    // A line that the new text leaves alone keeps its own end.
    assert_eq!(
        replaced("a\nb\r\nc\n", 0, 1, "A\nb").unwrap(),
        "A\nb\r\nc\n"
    );
    // A new line has the end of the one it replaces, or of the last of them.
    assert_eq!(
        replaced("a\nb\r\nc\n", 0, 1, "A\nB\nC").unwrap(),
        "A\nB\r\nC\r\nc\n"
    );
    assert_eq!(
        replaced("\u{feff}a\nb\n", 0, 0, "x").unwrap(),
        "\u{feff}x\nb\n"
    );
}

#[test]
fn anchors_outlive_edits_of_their_own_reader() {
    let (mut shown, anchors) = shown(TEXT);
    let before = AnchoredText::new(TEXT);
    let edits = [edit(
        &anchors[1],
        None,
        "    uno();\n    due();",
        Placement::Replace,
    )];
    let plan = shown.plan(&before, &edits).unwrap();
    let now = plan.apply(TEXT);
    shown.edited(&before, &plan, &AnchoredText::new(&now));
    // The brace below, which the line above it distinguishes from others, and a range over what was written.
    let brace = made(
        &shown,
        &now,
        &[edit(&anchors[2], None, "} // a", Placement::Replace)],
    );
    assert_eq!(brace.unwrap(), now.replacen("}\n", "} // a\n", 1));
    let range = made(
        &shown,
        &now,
        &[edit(&anchors[0], Some(&anchors[3]), "", Placement::Replace)],
    );
    assert_eq!(range.unwrap(), "fn b() {\n    two();\n}\n");
    assert!(made(&shown, &now, &edits).is_err());
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just(String::new()), "[ab]", "[a-d]{1,2}", "\\}", "[ab]\r"];
    let lines = proptest::collection::vec(line, 1..16);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join("\n");
        if ended {
            text.push('\n');
        }
        text
    })
}

/// The bodies of the lines of a text.
fn bodies(text: &str) -> Vec<&str> {
    let text = AnchoredText::new(text);
    (0..text.len()).map(|line| text.line(line)).collect()
}

proptest! {
    /// In an unchanged file each edit does what it says, line by line.
    #[test]
    fn an_edit_of_what_was_shown_is_made_to_the_line(text in text(), from in 0_usize..16, more in 0_usize..4, new in text()) {
        let count = bodies(&text).len();
        prop_assume!(count > 0);
        let from = from % count;
        let to = (from + more).min(count - 1);
        let mut expected = bodies(&text);
        let whole = if new.is_empty() || new.ends_with('\n') { new.clone() } else { format!("{new}\n") };
        let put = bodies(&whole);
        expected.splice(from..=to, put.iter().copied());
        match replaced(&text, from, to, &new) {
            Ok(after) => prop_assert_eq!(bodies(&after), expected),
            Err(error) => {
                prop_assert!(matches!(error, AnchorError::NoChange { .. }), "{}", error);
                prop_assert_eq!(bodies(&text), expected);
            }
        }
    }

    /// In another version of the file an edit replaces the very lines that were shown, or is refused.
    #[test]
    fn an_edit_of_another_version_replaces_what_was_shown_or_nothing(text in text(), now in text(), from in 0_usize..16, more in 0_usize..4) {
        let count = bodies(&text).len();
        prop_assume!(count > 0);
        let from = from % count;
        let to = (from + more).min(count - 1);
        let (shown, anchors) = shown(&text);
        let last = (to > from).then(|| anchors[to].as_str());
        let edits = [edit(&anchors[from], last, "<new>", Placement::Replace)];
        if let Ok(plan) = shown.plan(&AnchoredText::new(&now), &edits) {
            let found = &plan.matches[0];
            let replaced = &bodies(&now)[found.first_line - 1..found.last_line];
            prop_assert_eq!(replaced, &bodies(&text)[from..=to]);
        }
    }

    /// After any edit of its own, every anchor of a line that is left names that line.
    #[test]
    fn anchors_that_are_left_name_their_lines(text in text(), from in 0_usize..16, more in 0_usize..4, new in text()) {
        let count = bodies(&text).len();
        prop_assume!(count > 0);
        let from = from % count;
        let to = (from + more).min(count - 1);
        let (mut shown, anchors) = shown(&text);
        let last = (to > from).then(|| anchors[to].as_str());
        let before = AnchoredText::new(&text);
        let edits = [edit(&anchors[from], last, &new, Placement::Replace)];
        let Ok(plan) = shown.plan(&before, &edits) else { return Ok(()) };
        let now = plan.apply(&text);
        let after = AnchoredText::new(&now);
        shown.edited(&before, &plan, &after);
        let grown = after.len() as i64 - before.len() as i64;
        for (line, anchor) in anchors.iter().enumerate() {
            if (from..=to).contains(&line) {
                continue;
            }
            let moved = if line < from { line as i64 } else { line as i64 + grown };
            let found = shown.plan(&after, &[edit(anchor, None, "<new>", Placement::Replace)]);
            let first = found.map(|plan| plan.matches[0].first_line as i64);
            prop_assert_eq!(first, Ok(moved + 1), "line {}", line);
        }
    }
}

#[test]
fn every_line_has_an_anchor_however_often_lines_like_it_had_one() {
    let mut shown = ShownLines::default();
    for round in 0..40 {
        let text = format!("head {round}\n\ntail {round}\nlast {round}\n");
        let before = AnchoredText::new(&text);
        let anchors = shown.show(&before, 0..before.len());
        assert_eq!(anchors.len(), 4, "round {round}");
        let distinct: std::collections::HashSet<_> = anchors.iter().collect();
        assert_eq!(distinct.len(), 4, "round {round}");
        let blank = anchors[1].to_string();
        let edits = [edit(&blank, None, "mid\n\n", Placement::After)];
        let plan = shown.plan(&before, &edits).unwrap();
        let after = plan.apply(&text);
        shown.edited(&before, &plan, &AnchoredText::new(&after));
    }
}

#[test]
fn lines_behind_a_last_line_that_goes_take_its_place() {
    use Placement::{After, Before, Replace};
    for (text, new, expected) in [
        ("a\nb\nc", "", "a\nb\nx"),
        ("a\nb\nc", "y", "a\nb\ny\nx"),
        ("a\nb\nc", "y\n\n", "a\nb\ny\n\nx"),
        ("c", "", "x"),
        ("a\r\nb\r\nc", "", "a\r\nb\r\nx"),
        ("a\nb\nc\n", "", "a\nb\nx\n"),
    ] {
        let (shown, anchors) = shown(text);
        let last = anchors.last().unwrap();
        let delete = edit(last, None, new, Replace);
        let put = edit(last, None, "x", After);
        for edits in [[put, delete], [delete, put]] {
            assert_eq!(made(&shown, text, &edits).unwrap(), expected, "{text:?}");
        }
    }
    let (shown, anchors) = shown("a\nb\nc");
    let edits = [
        edit(&anchors[2], None, "", Replace),
        edit(&anchors[2], None, "x", After),
        edit(&anchors[2], None, "y", After),
        edit(&anchors[2], None, "w", Before),
    ];
    assert_eq!(made(&shown, "a\nb\nc", &edits).unwrap(), "a\nb\nw\nx\ny");
}

#[test]
fn a_range_that_lost_or_got_a_line_is_refused_though_the_lines_are_equal() {
    let before = "p\nx\nx\nx\nq\n";
    let (shown, anchors) = shown(before);
    let range = [edit(
        &anchors[1],
        Some(&anchors[3]),
        "NEW",
        Placement::Replace,
    )];
    assert_eq!(made(&shown, before, &range).unwrap(), "p\nNEW\nq\n");
    for now in ["p\nx\nx\nq\n", "p\nx\nq\n", "p\nx\nx\nx\nx\nq\n"] {
        assert!(made(&shown, now, &range).is_err(), "{now:?}");
    }
    // Elsewhere in the file it may change.
    assert_eq!(
        made(&shown, "o\np\nx\nx\nx\nq\n", &range).unwrap(),
        "o\np\nNEW\nq\n"
    );
}

#[test]
fn a_range_is_as_long_as_the_reader_left_it() {
    let before = "p\nx\nx\nx\nq\n";
    let (mut shown, anchors) = shown(before);
    let insert = [edit(&anchors[2], None, "new", Placement::After)];
    let text = AnchoredText::new(before);
    let plan = shown.plan(&text, &insert).unwrap();
    let after = plan.apply(before);
    shown.edited(&text, &plan, &AnchoredText::new(&after));
    let range = [edit(
        &anchors[0],
        Some(&anchors[4]),
        "NEW",
        Placement::Replace,
    )];
    assert_eq!(made(&shown, &after, &range).unwrap(), "NEW\n");
}

#[test]
fn two_anchors_are_never_the_ends_of_one_line() {
    let versions = [
        "  }\n\n}\n  return a\n  }\nx = 1\n  }\nx = 1\n  return a\n}\nx = 1\n",
        "  }\n\n}\n  return a\n  }\nx = 1\n  }\nx = 1\n  }\n}\nx = 1\n",
    ];
    let mut shown = ShownLines::default();
    let anchors = versions.map(|text| {
        let text = AnchoredText::new(text);
        let anchors = shown.show(&text, 0..text.len()).into_iter();
        anchors.map(|anchor| anchor.to_string()).collect::<Vec<_>>()
    });
    let now = "  }\n\n  }\n}\n  return a\nx = 1\n  }\nx = 1\n  }\n}\nx = 1\n";
    let (from, to) = (&anchors[0][5], &anchors[1][7]);
    let range = [edit(from, Some(to), "// c\n}", Placement::Replace)];
    let refused = made(&shown, now, &range).unwrap_err();
    assert!(matches!(refused, AnchorError::Between { .. }), "{refused}");
}
