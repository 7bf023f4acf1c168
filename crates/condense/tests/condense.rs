//! What of a text is shown, and what holds for every text.

#![allow(clippy::indexing_slicing, reason = "a test that is wrong may panic")]

use proptest::prelude::*;
use tenon_condense::{Condensed, LeftOut, Limits, Part, condense};

fn within(text: &str, tokens: usize) -> Condensed {
    condense(
        text,
        &Limits {
            max_tokens: Some(tokens),
            ..Limits::default()
        },
    )
}

fn folded(text: &str) -> String {
    condense(text, &Limits::default()).text(None)
}

#[test]
fn a_short_text_stays_as_it_is() {
    for text in [
        "",
        "\n",
        "a",
        "a\nb\n",
        "a\r\nb",
        "   Compiling a v1\n   Compiling b v1\n",
    ] {
        let condensed = condense(text, &Limits::default());
        assert_eq!(
            (condensed.text(None), condensed.omits()),
            (text.to_owned(), false)
        );
    }
}

#[test]
fn progress_is_folded_to_its_first_line() {
    let crates: String = (0..40)
        .map(|at| format!("   Compiling some_crate_{at} v1.{at}.0\n"))
        .collect();
    let text = format!("{crates}    Finished `dev` profile in 4.2s\n");
    assert_eq!(
        folded(&text),
        "   Compiling some_crate_0 v1.0.0\n[… 39 lines of progress, lines 2-40]\n    Finished `dev` profile in 4.2s\n"
    );
}

#[test]
fn tests_that_passed_are_counted_and_those_that_failed_are_shown() {
    let passed: String = (0..30)
        .map(|at| format!("test works_{at} ... ok\n"))
        .collect();
    let text = format!("running 61 tests\n{passed}test breaks ... FAILED\n{passed}");
    assert_eq!(
        folded(&text),
        "running 61 tests\ntest works_0 ... ok\n[… 29 tests that passed, lines 3-31]\ntest breaks ... FAILED\n\
         test works_0 ... ok\n[… 29 tests that passed, lines 34-62]\n"
    );
}

#[test]
fn tests_that_were_skipped_are_counted_by_themselves() {
    let lines = |verdict: &str| -> String {
        (0..30)
            .map(|at| format!("test works_{at} ... {verdict}\n"))
            .collect()
    };
    let text = format!("{}{}", lines("ok"), lines("ignored"));
    assert_eq!(
        folded(&text),
        "test works_0 ... ok\n[… 29 tests that passed, lines 2-30]\n\
         test works_0 ... ignored\n[… 29 tests that were skipped, lines 32-60]\n"
    );
}

#[test]
fn what_failed_is_shown_among_progress() {
    let done = |from: usize| -> String {
        (from..from + 20)
            .map(|at| format!("tests/test_{at}.py .................... [ {at}%]\n"))
            .collect()
    };
    for line in [
        "tests/test_b.py ....F............... [ 44%]",
        "tests/test_b.py ....E............... [ 44%]",
        "[77/200] FAILED: f77.o",
        "[ 50%] error: build failed",
        "npm http fetch GET 404 https://registry.npmjs.org/left-pad 31ms",
        "  Building wheel for x (setup.py): finished with status 'error'",
        " ✓ src/a.test.ts (5 tests | 1 failed) 3ms",
    ] {
        let text = format!("{}{line}\n{}", done(10), done(50));
        assert_eq!(
            folded(&text),
            format!(
                "tests/test_10.py .................... [ 10%]\n[… 19 lines of progress, lines 2-20]\n{line}\n\
                 tests/test_50.py .................... [ 50%]\n[… 19 lines of progress, lines 23-41]\n"
            )
        );
    }
}

#[test]
fn repeated_lines_and_blocks_are_counted() {
    let text = format!(
        "a\n{}b\n",
        "waiting for the database at localhost\n".repeat(20)
    );
    assert_eq!(
        folded(&text),
        "a\nwaiting for the database at localhost\n[… 19 more times, lines 3-21]\nb\n"
    );
    let text = format!(
        "{}end\n",
        "GET /health from a\n  answered 200 after a while\n".repeat(10)
    );
    assert_eq!(
        folded(&text),
        "GET /health from a\n  answered 200 after a while\n[… the 2 lines above 9 more times, lines 3-20]\nend\n"
    );
}

#[test]
fn a_stack_trace_is_shown_once() {
    let trace = "    at parse (/app/src/parse.js:10:5)\n    at run (/app/src/run.js:3:1)\n    at main (/app/src/main.js:1:1)\n";
    let text = format!("Error: first\n{trace}Error: second\n{trace}done\n");
    assert_eq!(
        folded(&text),
        format!(
            "Error: first\n{trace}Error: second\n[… the stack trace of line 2 again, lines 6-8]\ndone\n"
        )
    );
}

#[test]
fn errors_of_the_middle_are_kept_with_the_lines_around_them() {
    let noise = |from: usize| -> String {
        (from..from + 2000)
            .map(|at| format!("step {at} of the work was done by worker {}\n", at % 7))
            .collect()
    };
    let text = format!(
        "{}src/a.ts:3:5 - error TS2322: Type 'string' is not assignable.\n\n3 let x: number = 'a'\n{}",
        noise(0),
        noise(2000)
    );
    let condensed = within(&text, 1000);
    let shown = condensed.text(Some("output://1"));
    assert!(shown.contains("step 1999 of the work"), "{shown}");
    assert!(
        shown.contains("error TS2322: Type 'string' is not assignable.\n\n3 let x: number = 'a'\n"),
        "{shown}"
    );
    assert!(
        shown.starts_with("step 0 of")
            && shown.ends_with("step 3999 of the work was done by worker 2\n"),
        "{shown}"
    );
    assert!(shown.contains("lines omitted: `output://1:"), "{shown}");
    assert_eq!(condensed.strategy(), ["select"]);
    assert_eq!(condensed.lines, 4003);
}

#[test]
fn a_very_long_line_keeps_its_ends() {
    let text = format!("start {} end\n", "x y ".repeat(20_000));
    let shown = within(&text, 500).text(Some("output://1"));
    assert!(
        shown.starts_with("start x y") && shown.ends_with("x y  end\n"),
        "{shown}"
    );
    assert!(
        shown.contains(" characters omitted: `output://1:1:501`]"),
        "{shown}"
    );
}

#[test]
fn changed_lines_of_a_diff_come_before_those_that_stayed() {
    let unchanged: String = (0..400)
        .map(|at| {
            format!(
                " let unchanged_{at} = {at}; // {}\n",
                "abcdefgh".get(at % 8..).unwrap()
            )
        })
        .collect();
    let text = format!(
        "diff --git a/a b/a\n@@ -1,900 +1,901 @@\n{unchanged}+let added = true;\n{unchanged}"
    );
    assert!(
        within(&text, 900)
            .text(None)
            .contains("+let added = true;\n")
    );
}

/// Every part is what it says, and together they are the text.
fn assert_is_a_selection(text: &str, condensed: &Condensed) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut next = 1;
    for part in &condensed.parts {
        match part {
            Part::Shown { first, text } => {
                assert_eq!(*first, next);
                for line in text.split_inclusive('\n') {
                    assert_eq!(line, lines[next - 1]);
                    next += 1;
                }
            }
            Part::Clipped {
                line,
                start,
                omitted,
                end,
            } => {
                assert_eq!(*line, next);
                let whole = lines[next - 1];
                assert!(whole.starts_with(start.as_str()) && whole.ends_with(end.as_str()));
                let shown = start.chars().count() + end.chars().count();
                let missing = whole.chars().count() - shown;
                assert_eq!(*omitted, LeftOut::Characters(missing));
                next += 1;
            }
            Part::Omitted(omission) => {
                assert_eq!(omission.first, next);
                assert!(omission.last >= omission.first);
                next = omission.last + 1;
            }
        }
    }
    assert_eq!(next, lines.len() + 1);
}

fn some_output() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[a-zäöü日本 ]{0,60}",
        Just("   Compiling serde v1.0.0".to_owned()),
        Just("error[E0308]: mismatched types".to_owned()),
        Just("warning: unused".to_owned()),
        Just("    at a (/b.js:1:1)".to_owned()),
        Just("test a ... ok".to_owned()),
        Just("the same".to_owned()),
        "[0-9]{0,300}",
        Just("x".repeat(5000)),
    ];
    let run = (line, 1_usize..12).prop_map(|(line, times)| format!("{line}\n").repeat(times));
    (proptest::collection::vec(run, 0..40), any::<bool>()).prop_map(|(runs, ends)| {
        let text = runs.concat();
        if ends {
            text
        } else {
            text.trim_end_matches('\n').to_owned()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_line_shown_is_one_of_the_text_in_its_order_and_the_budget_is_held(
        text in some_output(), most in proptest::option::of(100_usize..3000), fold in any::<bool>(),
    ) {
        let condensed = condense(&text, &Limits { max_tokens: most, fold });
        assert_is_a_selection(&text, &condensed);
        for address in [None, Some("output://12")] {
            let shown = condensed.text(address);
            if let Some(most) = most {
                let tokens = tenon_tokens::count(&shown);
                prop_assert!(tokens <= most, "{tokens} of {most}");
            }
        }
        if !condensed.omits() {
            prop_assert_eq!(condensed.text(None), text);
        }
    }

    #[test]
    fn an_error_is_shown_where_there_is_room_for_it(before in 0_usize..500, behind in 0_usize..500, most in 400_usize..1500) {
        let noise = |count: usize| -> String { (0..count).map(|at| format!("line {at} says {}\n", at * 7)).collect() };
        let text = format!("{}fatal: it broke here\n{}", noise(before), noise(behind));
        prop_assert!(within(&text, most).text(None).contains("fatal: it broke here\n"));
    }
}
