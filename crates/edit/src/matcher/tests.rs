use super::*;
use crate::error::{Cause, Unclear};
use crate::plan::Decoration;

fn edit(text: &str, old: &str, new: &str) -> Result<(String, MatchLevel), EditError> {
    plan(text, &[Replacement { old, new }], Options::default())
        .map(|plan| (plan.apply(text), plan.weakest_rung()))
}

#[track_caller]
fn becomes(text: &str, old: &str, new: &str, match_level: MatchLevel, expected: &str) {
    match edit(text, old, new) {
        Ok((after, found)) => {
            assert_eq!(after, expected);
            assert_eq!(found, match_level);
        }
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn refused(text: &str, old: &str, new: &str) -> EditError {
    match edit(text, old, new) {
        Ok((after, match_level)) => panic!("applied at {match_level:?}: {after:?}"),
        Err(error) => error,
    }
}

const ONE: Which = Which { index: 0, total: 1 };

#[test]
fn an_exact_match_may_be_any_part_of_a_line() {
    becomes(
        "let a = 1;\n",
        "a = 1",
        "b = 2",
        MatchLevel::Exact,
        "let b = 2;\n",
    );
}

#[test]
fn the_new_text_is_literal() {
    becomes(
        "x\n",
        "x",
        "$& \\n &lt;",
        MatchLevel::Exact,
        "$& \\n &lt;\n",
    );
}

#[test]
fn several_exact_places_are_refused_with_their_lines() {
    let error = refused("a\nb\na\n", "a", "c");
    let EditError::Ambiguous { places, total, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (
            *total,
            places
                .iter()
                .map(|place| place.lines.first)
                .collect::<Vec<_>>()
        ),
        (2, vec![1, 3])
    );
    assert_eq!(
        error.to_string(),
        "The old text occurs 2 times (lines 1, 3). Add surrounding lines to make it unique."
    );
}

#[test]
fn overlapping_places_count() {
    assert!(matches!(
        refused("aaa", "aa", "b"),
        EditError::Ambiguous { total: 2, .. }
    ));
}

#[test]
fn replace_all_goes_from_left_to_right_in_one_pass() {
    let options = Options { replace_all: true };
    let plan = plan(
        "aaaa b a",
        &[Replacement {
            old: "aa",
            new: "aaa",
        }],
        options,
    )
    .unwrap();
    assert_eq!(plan.apply("aaaa b a"), "aaaaaa b a");
    assert_eq!(plan.matches.len(), 2);
}

#[test]
fn replace_all_reaches_places_with_other_line_ends() {
    let text = "a\nb\nx\na\r\nb\r\n";
    let plan = plan(
        text,
        &[Replacement {
            old: "a\nb",
            new: "a\nc",
        }],
        Options { replace_all: true },
    )
    .unwrap();
    assert_eq!(plan.apply(text), "a\nc\nx\na\r\nc\r\n");
}

#[test]
fn new_lines_get_the_line_end_in_use() {
    becomes(
        "a\r\nb\r\n",
        "b",
        "b\nc",
        MatchLevel::Exact,
        "a\r\nb\r\nc\r\n",
    );
    becomes("a\nb\n", "b", "b\r\nc", MatchLevel::Exact, "a\nb\nc\n");
}

#[test]
fn line_ends_fold_and_mixed_ones_stay() {
    becomes(
        "a\r\nb\nc\r\nd\n",
        "a\nb\nc\n",
        "a\nb\nC\n",
        MatchLevel::LineEnds,
        "a\r\nb\nC\r\nd\n",
    );
}

/// Reads show both line ends alike: the place with LF was taken without a word.
#[test]
fn where_line_ends_are_mixed_two_places_that_differ_in_them_are_two() {
    let text = "a\r\nb\r\n-\r\na\nb\n";
    let EditError::Ambiguous { places, total, .. } = refused(text, "a\nb\n", "c\n") else {
        panic!("not ambiguous")
    };
    let lines: Vec<usize> = places.iter().map(|place| place.lines.first).collect();
    assert_eq!((total, lines), (2, vec![1, 4]));
    // The one is meant whose line ends the call has, and what stands there once is meant however it ends.
    becomes(
        text,
        "a\r\nb\r\n",
        "c\r\n",
        MatchLevel::Exact,
        "c\r\n-\r\na\nb\n",
    );
    becomes(
        text,
        "-\na\n",
        "c\n",
        MatchLevel::LineEnds,
        "a\r\nb\r\nc\r\nb\n",
    );
}

/// All new lines got the end of the line with which the match began.
#[test]
fn with_mixed_line_ends_a_new_line_has_the_end_of_the_one_it_replaces_or_of_its_neighbour() {
    let text = "a\r\nb\r\nc\nd\r\ne\r\n";
    for (old, new, expected) in [
        ("b\nc\nd\n", "b\nC\nd\n", "a\r\nb\r\nC\nd\r\ne\r\n"),
        ("b\nc\nd\n", "B\nC\nD\n", "a\r\nB\r\nC\nD\r\ne\r\n"),
        ("b\nc\nd\n", "b\nC\nX\nd\n", "a\r\nb\r\nC\nX\nd\r\ne\r\n"),
        ("b\nc\nd\n", "b\nc\nX\nd\n", "a\r\nb\r\nc\nX\nd\r\ne\r\n"),
        ("b\nc\nd\n", "X\nb\nc\nd\n", "a\r\nX\r\nb\r\nc\nd\r\ne\r\n"),
        ("b\nc\nd\n", "b\nc\nd\nX\n", "a\r\nb\r\nc\nd\r\nX\r\ne\r\n"),
        ("b\nc\nd\n", "b\nd\n", "a\r\nb\r\nd\r\ne\r\n"),
    ] {
        becomes(text, old, new, MatchLevel::LineEnds, expected);
    }
}

#[test]
fn an_edit_about_line_ends_is_taken_literally() {
    becomes(
        "a\nb\n",
        "a\nb\n",
        "a\r\nb\r\n",
        MatchLevel::Exact,
        "a\r\nb\r\n",
    );
}

#[test]
fn blanks_at_line_ends_do_not_count_and_untouched_ones_stay() {
    becomes(
        "a  \nb\t\nc\n",
        "a\nb\nc",
        "a\nB\nc",
        MatchLevel::TrailingBlanks,
        "a  \nB\nc\n",
    );
}

#[test]
fn a_missing_last_line_end_stays_missing() {
    becomes(
        "a\nb",
        "a\nb\n",
        "a\nc\n",
        MatchLevel::TrailingBlanks,
        "a\nc",
    );
    becomes(
        "a\nb",
        "b\n",
        "b\nc\n",
        MatchLevel::TrailingBlanks,
        "a\nb\nc",
    );
}

#[test]
fn typography_of_untouched_and_copied_text_stays() {
    becomes(
        "He said “hi” – twice.\nIt’s so.\n",
        "He said \"hi\" - twice.\nIt's so.",
        "He said \"hi\" - once.\nIt's so.",
        MatchLevel::Typography,
        "He said “hi” – once.\nIt’s so.\n",
    );
    becomes(
        "caf\u{e9} au lait\n",
        "cafe\u{301} au",
        "tea au",
        MatchLevel::Typography,
        "tea au lait\n",
    );
}

#[test]
fn fractions_and_ligatures_do_not_fold() {
    assert!(matches!(
        refused("½ cup of it\n", "1/2 cup of it", "x"),
        EditError::NotFound { .. }
    ));
}

#[test]
fn an_indentation_shift_is_undone_in_the_new_text() {
    becomes(
        "impl A {\n    fn long_name() {\n        one();\n    }\n}\n",
        "fn long_name() {\n    one();\n}\n",
        "fn long_name() {\n    if x {\n        two();\n    }\n}\n",
        MatchLevel::Indentation,
        "impl A {\n    fn long_name() {\n        if x {\n            two();\n        }\n    }\n}\n",
    );
}

#[test]
fn blanks_for_tabs_are_mapped_back() {
    becomes(
        "func main() {\n\tprintln(1)\n\tif x {\n\t\ty()\n\t}\n}\n",
        "    println(1)\n    if x {\n        y()\n    }\n",
        "    println(2)\n    if x {\n        y()\n    }\n",
        MatchLevel::Indentation,
        "func main() {\n\tprintln(2)\n\tif x {\n\t\ty()\n\t}\n}\n",
    );
}

#[test]
fn a_new_text_that_already_has_the_indentation_of_the_file_is_not_indented_twice() {
    let text = "a {\n        first_line();\n        second_line();\n}\n";
    let error = refused(
        text,
        "    first_line();\n    second_line();\n",
        "        first_line();\n        other_line();\n",
    );
    assert!(
        matches!(
            error,
            EditError::Unclear {
                reason: Unclear::Indentation,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn an_uneven_shift_is_refused_and_named() {
    let error = refused(
        "a {\n  first_line();\n      second_line();\n}\n",
        "    first_line();\n    second_line();\n",
        "x\n",
    );
    assert!(
        matches!(
            error,
            EditError::NotFound {
                cause: Cause::Indentation,
                ..
            }
        ),
        "{error}"
    );
}

/// It said that white space differs "in more than one way".
#[test]
fn a_uniform_shift_of_a_short_text_is_refused_as_too_short() {
    let reported = |text: &str, old: &str| {
        let error = refused(text, old, "x");
        match &error {
            EditError::NotFound { cause, .. } => *cause,
            _ => panic!("{error}"),
        }
    };
    let python = "def f():\n    if a:\n        b()\n    c()\n";
    assert_eq!(reported(python, "if a:\n    b()"), Cause::TooShort);
    // At two places; with other whitespace inside; with a blank line too many.
    let twice = "if x:\n    if a:\n        b()\nelse:\n    if a:\n        b()\n";
    assert_eq!(reported(twice, "if a:\n    b()"), Cause::TooShort);
    assert_eq!(reported("a  =  b\n", "a = b"), Cause::TooShort);
    // Here it is more than one way.
    assert_eq!(reported("  a  =  b\n", "    a = b"), Cause::WhiteSpace);
}

/// The places were counted up to a limit, and the limit was reported as their number.
#[test]
fn of_very_many_places_more_are_reported_than_were_counted() {
    let reported = |count: usize| refused(&"ab ".repeat(count), "ab", "q").to_string();
    let more = reported(10_001);
    assert!(
        more.starts_with("The old text occurs more than 10000 times (lines 1, ")
            && more.ends_with(", and so on). Add surrounding lines to make it unique."),
        "{more}"
    );
    let all = reported(10_000);
    assert!(
        all.starts_with("The old text occurs 10000 times (") && all.contains(", 9980 more). "),
        "{all}"
    );
    let shifted = |count: usize| {
        let text = "\tone();\n\ttwo_of_them();\n".repeat(count);
        refused(&text, "one();\ntwo_of_them();\n", "x").to_string()
    };
    assert!(
        shifted(20_000).contains("occurs more than "),
        "{}",
        shifted(20_000)
    );
}

#[test]
fn blank_lines_of_the_file_stay() {
    becomes(
        "one();\n\ntwo();\nthree();\n",
        "one();\ntwo();\nthree();\n",
        "one();\ntwo();\n3();\n",
        MatchLevel::BlankLines,
        "one();\n\ntwo();\n3();\n",
    );
    becomes(
        "one();\ntwo();\n",
        "one();\n\ntwo();\n",
        "one();\n\n2();\n",
        MatchLevel::BlankLines,
        "one();\n2();\n",
    );
}

/// The match began at a blank line that ends otherwise than the changed line, which got that end.
#[test]
fn with_mixed_line_ends_empty_lines_around_the_call_do_not_settle_the_line_end() {
    becomes(
        "head\n\nfirst item of the list\r\nsecond item of the list\r\n",
        "\n\nfirst item of the list\nsecond item of the list\n\n",
        "\n\nfirst item of the list\nanother item of the list\n\n",
        MatchLevel::Unwrapped,
        "head\n\nfirst item of the list\r\nanother item of the list\r\n",
    );
}

/// New lines went in with the no-break spaces that the call has for every blank.
#[test]
fn no_break_spaces_that_nothing_explains_are_refused_in_new_lines() {
    let error = refused(
        "import (\n\t\"os\"  \n)\n",
        "\t\"os\"\u{a0}\u{a0}\u{a0}\n",
        "\tfor\u{a0}i\n\t\"os\"\u{a0}\u{a0}\u{a0}\n",
    );
    assert!(matches!(error, EditError::Unclear { .. }), "{error:?}");
}

/// Comparing 50 MB with a file of four bytes took half a minute.
#[test]
fn an_old_text_that_no_place_can_hold_is_not_compared_with_all_of_them() {
    let old = "some line of text\n".repeat(100_000);
    let expected = EditError::NotFound {
        which: ONE,
        cause: Cause::NotInFile,
        candidates: Vec::new(),
    };
    assert_eq!(refused("abc\n", &old, "cd"), expected);
}

#[test]
fn a_line_put_where_the_blank_lines_differ_is_refused() {
    let error = refused(
        "one();\n\ntwo();\n",
        "one();\ntwo();\n",
        "one();\nmore();\ntwo();\n",
    );
    assert!(
        matches!(
            error,
            EditError::Unclear {
                reason: Unclear::BlankLines,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn runs_of_blanks_inside_lines_count_as_one() {
    becomes(
        "int   value = 1;\nint   other = 2;\n",
        "int value = 1;\nint other = 2;",
        "int value = 1;\nint other = 3;",
        MatchLevel::InnerBlanks,
        "int   value = 1;\nint   other = 3;\n",
    );
}

#[test]
fn no_blank_is_not_a_blank() {
    assert!(matches!(
        refused("call_something( a );\n", "call_something(a);", "x"),
        EditError::NotFound { .. }
    ));
}

#[test]
fn two_places_that_are_each_off_in_another_way_are_refused() {
    let text = "    let name = “long”;\n\tlet name = \"long\";\n";
    let error = refused(text, "    let name = \"long\";\n", "    let name = 1;\n");
    let EditError::Ambiguous { places, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        places
            .iter()
            .map(|place| place.match_level)
            .collect::<Vec<_>>(),
        [Some(MatchLevel::Typography), Some(MatchLevel::Indentation)]
    );
}

#[test]
fn pasted_line_numbers_come_off() {
    let plan = plan(
        "a_line();\nb_line();\nc_line();\n",
        &[Replacement {
            old: "     2\tb_line();\n     3\tc_line();",
            new: "     2\tb_line();\n     3\td_line();",
        }],
        Options::default(),
    )
    .unwrap();
    assert_eq!(
        plan.apply("a_line();\nb_line();\nc_line();\n"),
        "a_line();\nb_line();\nd_line();\n"
    );
    assert_eq!(plan.matches[0].decoration, Some(Decoration::LineNumbers));
    assert_eq!(
        (plan.matches[0].first_line, plan.matches[0].last_line),
        (2, 3)
    );
}

#[test]
fn of_two_separators_the_one_that_matches_more_strictly_wins() {
    becomes(
        "if_something\n    deeper_line\n",
        "1| if_something\n2|     deeper_line",
        "1| if_something\n2|     other_line",
        MatchLevel::Unwrapped,
        "if_something\n    other_line\n",
    );
}

/// They say together what one long line says.
#[test]
fn several_short_lines_are_found_by_their_words_whatever_their_indentation() {
    let text = "x\n    if (a) {\n        foo();\n    }\n";
    becomes(
        text,
        "if (a) {\n    foo();\n}\n",
        "if (a) {\n    bar();\n}\n",
        MatchLevel::Indentation,
        "x\n    if (a) {\n        bar();\n    }\n",
    );
    assert!(matches!(
        refused(text, "foo();\n}\n", "bar();\n}\n"),
        EditError::NotFound { .. }
    ));
}

/// Short lines prove nothing by standing somewhere, but do at the line that is named.
#[test]
fn numbers_come_off_short_lines_that_stand_where_they_say() {
    let text = "a\none\ntwo\nc\n";
    for (old, new) in [
        ("     2\tone\n     3\ttwo\n", "     2\tONE\n     3\tTWO\n"),
        ("2: one\n3: two\n", "ONE\nTWO\n"),
        ("2|one\n3|two\n", "2|ONE\n3|TWO\n"),
    ] {
        becomes(text, old, new, MatchLevel::Unwrapped, "a\nONE\nTWO\nc\n");
    }
    becomes(
        text,
        "2→one\n",
        "2→ONE\n",
        MatchLevel::Unwrapped,
        "a\nONE\ntwo\nc\n",
    );
    for old in ["3\tone\n4\ttwo", "1\ttwo\n", "2\tone\n3\tc\n"] {
        assert!(
            matches!(refused(text, old, "x\n"), EditError::NotFound { .. }),
            "{old}"
        );
    }
    // The number does not choose between several places.
    assert!(matches!(
        refused("a\none\none\n", "2\tone\n", "2\tx\n"),
        EditError::Ambiguous { total: 2, .. }
    ));
}

#[test]
fn a_single_number_has_to_be_the_line_it_names() {
    let text = "0: something\n";
    assert!(matches!(
        refused(text, "7: something", "7: other"),
        EditError::NotFound { .. }
    ));
}

#[test]
fn fences_and_escapes_come_off() {
    becomes(
        "alpha_beta();\nx\n",
        "```rust\nalpha_beta();\n```",
        "```rust\ngamma();\n```",
        MatchLevel::Unwrapped,
        "gamma();\nx\n",
    );
    becomes(
        "say(\"some text\");\n",
        "say(\\\"some text\\\");",
        "say(\\\"other text\\\");",
        MatchLevel::Unwrapped,
        "say(\"other text\");\n",
    );
    becomes(
        "if a < b && c {\n",
        "if a &lt; b &amp;&amp; c {",
        "if a &lt; b &amp;&amp; d {",
        MatchLevel::Unwrapped,
        "if a < b && d {\n",
    );
}

#[test]
fn blanks_alone_match_byte_by_byte_only() {
    assert!(matches!(
        refused("a\t\tb\n", "  ", " "),
        EditError::NotFound { .. }
    ));
    becomes("a\t\tb\n", "\t\t", "\t", MatchLevel::Exact, "a\tb\n");
}

#[test]
fn a_byte_order_mark_is_left_where_it_is() {
    becomes(
        "\u{feff}a\nb\n",
        "\u{feff}a\n",
        "\u{feff}c\n",
        MatchLevel::Exact,
        "\u{feff}c\nb\n",
    );
    becomes(
        "\u{feff}    first_line();\n    b();\n",
        "first_line();\nb();\n",
        "first_line();\nc();\n",
        MatchLevel::Indentation,
        "\u{feff}    first_line();\n    c();\n",
    );
}

#[test]
fn empty_and_equal_texts_are_refused() {
    assert_eq!(refused("a", "", "b"), EditError::EmptyOld { which: ONE });
    assert_eq!(refused("", "", "b"), EditError::EmptyOld { which: ONE });
    assert_eq!(refused("a", "a", "a"), EditError::SameText { which: ONE });
    // It was said that both are identical.
    assert_eq!(
        refused("\u{feff}a\nb\n", "\u{feff}a", "a"),
        EditError::OnlyMark { which: ONE }
    );
}

#[test]
fn several_edits_are_matched_against_the_original() {
    let text = "one\ntwo\nthree\n";
    let edits = [
        Replacement {
            old: "three",
            new: "two",
        },
        Replacement {
            old: "two",
            new: "2",
        },
    ];
    let plan = plan(text, &edits, Options::default()).unwrap();
    assert_eq!(plan.apply(text), "one\n2\ntwo\n");
}

#[test]
fn touching_edits_are_fine_and_overlapping_ones_are_refused() {
    let text = "abcd";
    let touching = [
        Replacement {
            old: "ab",
            new: "1",
        },
        Replacement {
            old: "cd",
            new: "2",
        },
    ];
    assert_eq!(
        plan(text, &touching, Options::default())
            .unwrap()
            .apply(text),
        "12"
    );
    let overlapping = [
        Replacement {
            old: "abc",
            new: "1",
        },
        Replacement {
            old: "cd",
            new: "2",
        },
    ];
    let error = plan(text, &overlapping, Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "edit 1 (line 1) and edit 2 (line 1) overlap. Merge them into one edit."
    );
}

#[test]
fn an_edit_of_what_an_earlier_edit_writes_is_reported_so() {
    let edits = [
        Replacement {
            old: "one",
            new: "uno",
        },
        Replacement {
            old: "uno",
            new: "eins",
        },
    ];
    let error = plan("one\n", &edits, Options::default()).unwrap_err();
    assert_eq!(
        error,
        EditError::WrittenByEarlierEdit {
            which: Which { index: 1, total: 2 },
            earlier: 0
        }
    );
}

#[test]
fn an_edit_that_is_applied_already_is_reported_apart() {
    let error = refused("let b = 2;\n", "let a = 1;", "let b = 2;");
    assert_eq!(
        error,
        EditError::AlreadyApplied {
            which: ONE,
            lines: Lines { first: 1, last: 1 }
        }
    );
}

#[test]
fn a_miss_names_the_closest_lines_and_the_first_difference() {
    let error = refused(
        "fn a() {\n    let total = price * count;\n    done();\n}\n",
        "    let total = price + count;\n    done();\n",
        "x",
    );
    assert_eq!(
        error.to_string(),
        "The old text was not found. Copy it exactly from the file.\n\
         Closest: lines 2-3 (97 % alike), first difference at line 2, column 23:\n  \
         old text:     let total = price + count;\n  \
         the file:     let total = price * count;\n                                  ^"
    );
}

#[test]
fn an_edit_without_effect_is_refused() {
    let error = refused("a\r\nb\r\n", "a\nb", "a\r\nb");
    assert_eq!(
        error,
        EditError::NoChange {
            lines: Lines { first: 1, last: 2 }
        }
    );
}

#[test]
fn edits_that_cancel_out_are_refused() {
    let edits = [
        Replacement { old: "b", new: "" },
        Replacement {
            old: "c",
            new: "bc",
        },
    ];
    let error = plan("abcd", &edits, Options::default()).unwrap_err();
    assert_eq!(
        error,
        EditError::NoChange {
            lines: Lines { first: 1, last: 1 }
        }
    );
}

#[test]
fn of_two_equal_lines_with_other_blanks_none_is_guessed_away() {
    let error = refused("x \ny\nx\n\nend\n", "x\ny\nx\n\nend", "x\n\nend");
    assert!(
        matches!(
            error,
            EditError::Unclear {
                reason: Unclear::Alignment,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_match_splits_no_line_end() {
    becomes(
        "a\r\nb\r\n",
        "\nb",
        "\nc",
        MatchLevel::LineEnds,
        "a\r\nc\r\n",
    );
}

/// Places behind a line of whitespace were passed over, so that the only other one was taken in silence.
#[test]
fn an_old_text_that_begins_with_a_line_end_may_follow_blanks() {
    let text = "function a() {\n  \n  return 1;\n}\nfunction b() {\n  return 1;\n}\n";
    let (old, new) = ("\n  return 1;\n", "\n  return 2;\n");
    let error = refused(text, old, new);
    assert_eq!(
        error.to_string(),
        "The old text occurs 2 times (lines 2-3, lines 5-6). Add surrounding lines to make it unique."
    );
    let all = Options { replace_all: true };
    let plan = plan(text, &[Replacement { old, new }], all).unwrap();
    assert_eq!(plan.apply(text), text.replace("return 1", "return 2"));
    for end in ["\n", "\r\n", "\r"] {
        let text = format!("one{end}    {end}two{end}");
        let expected = format!("one{end}    {end}");
        becomes(
            &text,
            &format!("{end}two"),
            "",
            MatchLevel::Exact,
            &expected,
        );
    }
}

#[test]
fn bytes_before_an_old_text_that_begins_with_a_line_end_stay() {
    becomes(
        "1=\n\t\n\t  foo",
        "\n\t  foo",
        "",
        MatchLevel::Exact,
        "1=\n\t",
    );
    becomes(" \n", "\n", "x", MatchLevel::Exact, " x");
    becomes("a\r\n\t\r\n ", "\r\n ", "b", MatchLevel::Exact, "a\r\n\tb");
    becomes(
        "a\n  \nb\n",
        "\nb\n",
        "x\nb\n",
        MatchLevel::Exact,
        "a\n  x\nb\n",
    );
}

#[test]
fn a_line_of_a_text_that_was_split_at_its_newlines_is_found() {
    becomes(
        "a\r\nb\r\n",
        "a\r",
        "c\r\nd\r",
        MatchLevel::Exact,
        "c\r\nd\r\nb\r\n",
    );
    becomes("a\nb\n", "a\r", "c\r", MatchLevel::LineEnds, "c\nb\n");
    becomes("a\rb\r\n", "a\r", "c\r", MatchLevel::Exact, "c\rb\r\n");
}

#[test]
fn beside_a_single_exact_place_one_that_divides_a_carriage_return_and_newline_counts() {
    let error = refused("x\r\nfoo\ny\nfoo\n", "\nfoo", "");
    assert!(
        matches!(error, EditError::Ambiguous { total: 2, .. }),
        "{error}"
    );
    let all = Options { replace_all: true };
    let edit = [Replacement {
        old: "\n\n",
        new: "-",
    }];
    let text = "a\r\n\n\nb";
    assert_eq!(plan(text, &edit, all).unwrap().apply(text), "a\r\n-b");
}

/// Each lost the last line end of its new text, whose last line had been there before.
#[test]
fn in_a_file_with_crlf_the_last_line_end_of_the_new_text_goes_in() {
    let calls = [
        ("a\nb\nc\n", "a\nb", "b\n", "b\n\nc\n"),
        ("a\nb\nc\n", "b", "\nb\n", "a\n\nb\n\nc\n"),
        ("a\nb\nc\n", "b", "b\n", "a\nb\n\nc\n"),
        ("a\nb\nc\n", "a\nb", "a\n\nb\n", "a\n\nb\n\nc\n"),
        ("a\nb\nc\n", "\nb", "b\n", "ab\n\nc\n"),
        ("a\nc", "\nc", "c\n", "ac\n"),
        (
            "{\n  run();\n}\n",
            "  run();",
            "  walk();\n}\n",
            "{\n  walk();\n}\n\n}\n",
        ),
    ];
    let crlf = |text: &str| text.replace('\n', "\r\n");
    for (text, old, new, expected) in calls {
        becomes(text, old, new, MatchLevel::Exact, expected);
        let (text, expected) = (crlf(text), crlf(expected));
        let match_level = if old.contains('\n') {
            MatchLevel::LineEnds
        } else {
            MatchLevel::Exact
        };
        becomes(&text, old, new, match_level, &expected);
        becomes(&text, &crlf(old), &crlf(new), MatchLevel::Exact, &expected);
    }
}

#[test]
fn on_a_weaker_rung_a_line_end_more_than_in_the_old_text_goes_in() {
    becomes(
        "a  \nb\nc\n",
        "a\nb",
        "a\n\nb\n",
        MatchLevel::TrailingBlanks,
        "a  \n\nb\n\nc\n",
    );
}

#[test]
fn blanks_before_a_line_end_that_goes_away_go_with_it() {
    becomes(
        "foo();  \na  b\n",
        "foo();\na",
        "foo();",
        MatchLevel::TrailingBlanks,
        "foo();  b\n",
    );
}

#[test]
fn an_exact_old_text_with_both_line_ends_is_replaced_literally() {
    becomes(
        "a\nb\r\n",
        "a\nb\r\n",
        "b\r\na\n",
        MatchLevel::Exact,
        "b\r\na\n",
    );
}

#[test]
fn replace_all_replaces_every_place_however_many_and_however_they_match() {
    let count = 12_000;
    for (line, match_level) in [
        ("same line\r\n", MatchLevel::LineEnds),
        ("same line  \n", MatchLevel::TrailingBlanks),
        ("“same” line\n", MatchLevel::Typography),
    ] {
        let text = format!("{line}other\n").repeat(count);
        let old = if match_level == MatchLevel::Typography {
            "\"same\" line\n"
        } else {
            "same line\n"
        };
        let edit = [Replacement { old, new: "gone\n" }];
        let plan = plan(&text, &edit, Options { replace_all: true }).unwrap();
        assert_eq!(
            (plan.splices.len(), plan.weakest_rung()),
            (count, match_level)
        );
        assert!(!plan.apply(&text).contains("same"));
    }
}

#[test]
fn many_edits_of_one_file_find_the_same_places_as_one_by_one() {
    let text: String = (0..4_000)
        .map(|n| {
            format!(
                "    let value_{n} = compute({}, index); // {}\n",
                n * 7,
                n % 10
            )
        })
        .collect();
    let olds: Vec<String> = (0..300)
        .map(|n| match n % 4 {
            0 => format!("value_{} ", n * 13),
            1 => format!(
                "    let value_{} = compute({}, index); // {}\n",
                n * 13,
                n * 91,
                n * 13 % 10
            ),
            2 => format!(
                "    let value_{} = compute({}, index); // {}  \n",
                n * 13,
                n * 91,
                n * 13 % 10
            ),
            _ => format!(
                "    let value_{} =  compute({}, index); // {}\n",
                n * 13,
                n * 91,
                n * 13 % 10
            ),
        })
        .collect();
    let edits: Vec<Replacement<'_>> = olds
        .iter()
        .map(|old| Replacement { old, new: "x\n" })
        .collect();
    let alone: Vec<_> = edits
        .iter()
        .map(|edit| {
            let plan = plan(&text, &[*edit], Options::default()).unwrap();
            (plan.matches[0].match_level, plan.matches[0].range.clone())
        })
        .collect();
    let plan = plan(&text, &edits, Options::default()).unwrap();
    let together: Vec<_> = plan
        .matches
        .iter()
        .map(|found| (found.match_level, found.range.clone()))
        .collect();
    assert_eq!(together, alone);
}

#[test]
fn edits_that_nobody_waits_for_any_more_are_not_looked_for() {
    let asked = std::cell::Cell::new(0);
    let edits = [
        Replacement { old: "a", new: "b" },
        Replacement { old: "c", new: "d" },
    ];
    let answer = plan_while("a c", &edits, Options::default(), &|| {
        asked.set(asked.get() + 1);
        asked.get() < 2
    });
    assert_eq!((answer, asked.get()), (Err(EditError::Stopped), 2));
}

#[test]
fn of_a_line_without_end_only_the_part_that_differs_is_shown() {
    let file = format!(
        "{}value = 1;{}",
        "a();".repeat(50_000),
        "b();".repeat(50_000)
    );
    let old = file.replace("value", "valve");
    let edit = [Replacement {
        old: &old,
        new: "x",
    }];
    let error = plan(&file, &edit, Options::default()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("old text:")
            && message.contains("valve = 1;")
            && message.contains("value = 1;")
    );
    assert!(message.len() < 2_000, "{}", message.len());
}

#[test]
fn a_line_that_moves_up_behind_the_indentation_of_the_first_is_not_indented_by_it() {
    let file = "    *mut Char8,\n) -> Status;\n";
    let edit = [Replacement {
        old: "*mut Char8,\n) -&gt; Status;",
        new: ") -&gt; Status;",
    }];
    let error = plan(file, &edit, Options::default()).unwrap_err();
    assert!(matches!(
        error,
        EditError::Unclear {
            reason: Unclear::Indentation | Unclear::Decoration,
            ..
        }
    ));
}

#[test]
fn a_blank_of_an_added_line_does_not_follow_a_single_place_where_the_file_has_two() {
    let file = "    one(),\n    \"|-  x\",\n";
    let edit = [Replacement {
        old: "    one(),\n    \"|- x\",\n",
        new: "    one(),\n    let yaml = two();\n    \"|- x\",\n",
    }];
    assert!(plan(file, &edit, Options::default()).is_err());
}

#[test]
fn an_added_line_of_nothing_but_blanks_loses_the_indentation_that_the_others_lose() {
    let file = "use a;\n#[serde(rename_all)]\n";
    let edit = [Replacement {
        old: "    #[serde(rename_all)]",
        new: "    \r\n    #[serde(rename_all)]",
    }];
    let plan = plan(file, &edit, Options::default()).unwrap();
    assert_eq!(plan.apply(file), "use a;\n\n#[serde(rename_all)]\n");
}

/// The edits of one call, and the sign at which the last of them is refused.
#[track_caller]
fn refused_at_sign(text: &str, first: (&str, &str), second: (&str, &str), wanted: &str) {
    let one = |(old, new)| Replacement { old, new };
    for (edits, index) in [
        ([one(first), one(second)], 1),
        ([one(second), one(first)], 0),
    ] {
        let refused = plan(text, &edits, Options::default()).unwrap_err();
        let expected = EditError::OtherSpelling {
            which: Which { index, total: 2 },
            decorated: 1 - index,
            sign: wanted.to_owned(),
        };
        assert_eq!(refused, expected);
    }
    // Alone, the second is taken literally.
    let plan = plan(text, &[one(second)], Options::default()).unwrap();
    assert!(plan.apply(text).contains(second.1));
}

#[test]
fn a_decoration_that_was_taken_off_one_edit_is_not_written_by_another() {
    let file = "if (a < b && c) {\n  one()\n}\nsay(\"a\")\nx = 'a'\nconst x = 1\n";
    let escaped = ("if (a &lt; b &amp;&amp; c) {", "if (a &lt; b) {");
    refused_at_sign(file, escaped, ("const x = 1", "const x = a &gt; 2"), "&gt;");
    let numbered = (
        "1|if (a < b && c) {\n2|  one()",
        "1|if (a < b) {\n2|  two()",
    );
    refused_at_sign(file, numbered, ("const x = 1", "6|const x = 2"), "6|");
    let quoted = (r#"say(\"a\")"#, r#"say(\"b\")"#);
    refused_at_sign(file, quoted, ("const x = 1", r#"const x = \"2\""#), r#"\""#);
    let typographic = ("x = ’a’", "x = ’c’");
    refused_at_sign(file, typographic, ("const x = 1", "const x = ‘2’"), "‘");
    let fenced = (
        "```\n  one()\n}\nsay(\"a\")\n```\n",
        "```\n}\nsay(\"a\")\n```\n",
    );
    refused_at_sign(
        file,
        fenced,
        ("const x = 1\n", "```\nconst x = 2\n```\n"),
        "```",
    );
    let signs = ("   one()\n-say_it(\"a\")\n", "   one()\n+say(\"b\")\n");
    let diffed = "  one()\nsay_it(\"a\")\nconst x = 1\n";
    refused_at_sign(diffed, signs, ("const x = 1\n", "+const x = 2\n"), "+");
}

#[test]
fn an_edit_that_shows_another_spelling_than_the_decorated_one_is_literal() {
    let file = "if (a < b && c) {\nsay(\"a\")\nx = 'a'\nconst x = 'b' < 1\n";
    for (decorated, other, expected) in [
        (
            ("if (a &lt; b &amp;&amp; c) {", "if (a &lt; b) {"),
            ("'b' < 1", "'b' < '&lt;'"),
            "'b' < '&lt;'",
        ),
        (
            (r#"say(\"a\")"#, r#"say(\"b\")"#),
            ("'b' < 1", r#""\n" < "\"""#),
            r#""\n" < "\"""#,
        ),
        (
            ("x = ’a’", "x = ’c’"),
            ("'b' < 1", "'b' < '’'"),
            "'b' < '’'",
        ),
        // What its own old text has is in the file.
        (
            (r#"say(\"a\")"#, r#"say(\"b\")"#),
            ("'b' < 1", "'b' < &lt;"),
            "'b' < &lt;",
        ),
    ] {
        let edits = [decorated, other].map(|(old, new)| Replacement { old, new });
        let plan = plan(file, &edits, Options::default()).unwrap();
        assert!(plan.apply(file).contains(expected), "{expected}");
    }
}

#[test]
fn blank_lines_that_the_file_does_not_have_are_called_by_their_name() {
    for (old, new) in [
        ("    let x = run();\n\n", "    y"),
        ("\n\n    let x = run();", "    y"),
    ] {
        let refused = refused("a\n    let x = run();\nb\n", old, new).to_string();
        let expected = "The old text matched only when ignoring the blank lines at its start or end (line 2), and the file does not have \
                        those, so it is unclear which ones the new text adds or removes. Copy the text exactly from the file.";
        assert_eq!(refused, expected);
    }
}
