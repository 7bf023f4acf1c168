//! Old texts that stand in the file byte by byte, against a reference that knows nothing but bytes: the
//! result is the splice and nothing else, or the call is refused because the old text stands there more
//! than once. And what holds for one kind of line ends holds for the other.
//!
//! `TENON_EXACT_CASES` sets the number of cases of each property.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that is wrong may panic"
)]

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tenon_edit::{
    EditError, FileOperation, MatchLevel, Options, Replacement, Side, TextDiff, parse_patch,
    patch_path, plan,
};

fn cases() -> u32 {
    std::env::var("TENON_EXACT_CASES")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(3_000)
}

fn settings() -> ProptestConfig {
    ProptestConfig {
        max_global_rejects: 100 * cases(),
        max_local_rejects: 100 * cases(),
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases())
    }
}

const BODIES: &[&str] = &[
    "",
    "",
    " ",
    "  ",
    "\t",
    "\t\t",
    " \t ",
    "a",
    "b",
    "  a",
    "a ",
    "a  b",
    "foo();",
    "    return 1;",
    "}",
    "\u{a0}",
    "“q” é",
    "a\rb",
];

/// Lines of few kinds, many of them blank, so that they repeat.
fn lines() -> impl Strategy<Value = Vec<&'static str>> {
    (1..BODIES.len()).prop_flat_map(|kinds| {
        let start = 0..=BODIES.len() - kinds;
        start.prop_flat_map(move |start| vec(select(&BODIES[start..start + kinds]), 1..12))
    })
}

/// A text with LF, CRLF, lone CR or all of them as line ends, with the last one or without.
fn text() -> impl Strategy<Value = String> {
    let ends = select(vec![
        &["\n"][..],
        &["\r\n"][..],
        &["\r"][..],
        &["\n", "\r\n"][..],
        &["\n", "\r\n", "\r"][..],
    ]);
    (lines(), ends, vec(any::<Index>(), 12), any::<bool>()).prop_map(
        |(lines, ends, picks, is_ended)| {
            let mut text = String::new();
            for (at, (line, pick)) in lines.iter().zip(picks).enumerate() {
                text.push_str(line);
                if is_ended || at + 1 < lines.len() {
                    text.push_str(ends[pick.index(ends.len())]);
                }
            }
            text
        },
    )
}

/// A part of a text: from a line end or any character to another.
fn part(text: &str, from: Index, to: Index, by_lines: (bool, bool)) -> Range<usize> {
    let every: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let near_ends: Vec<usize> = every
        .iter()
        .copied()
        .filter(|at| {
            let is_end = |byte: Option<&u8>| matches!(byte, None | Some(b'\n' | b'\r'));
            is_end(text.as_bytes().get(*at)) || *at == 0 || is_end(text.as_bytes().get(at - 1))
        })
        .collect();
    let pick = |index: Index, is_near: bool| {
        let places = if is_near { &near_ends } else { &every };
        places[index.index(places.len())]
    };
    let (from, to) = (pick(from, by_lines.0), pick(to, by_lines.1));
    from.min(to)..from.max(to)
}

/// What becomes of an old text: lines go, come, are doubled or swapped; a line end more or less at either end.
fn changed(old: &str, kind: usize, at: Index, other: &str, line_end: &str) -> String {
    let mut lines: Vec<&str> = old.split_inclusive('\n').collect();
    let written = format!("{other}{line_end}");
    let place = at.index(lines.len() + 1);
    match kind {
        0 => return format!("{old}{line_end}"),
        1 => return format!("{line_end}{old}"),
        2 => return other.to_owned(),
        3 => return String::new(),
        4 => lines.insert(place, &written),
        5 => {
            lines.remove(place.min(lines.len() - 1));
        }
        6 => lines.reverse(),
        7 => lines.insert(place, line_end),
        8 => return format!("{old}{line_end}{other}"),
        9 => return old.replacen("\r\n", "\n", 1),
        10 => lines[place.min(old.split_inclusive('\n').count() - 1)] = &written,
        _ => return format!("{other}{old}"),
    }
    lines.concat()
}

const KINDS: usize = 12;

/// A text, a part of it, and what becomes of that.
fn call() -> impl Strategy<Value = (String, String, String)> {
    let near = prop_oneof![
        2 => Just((true, true)), 1 => Just((true, false)), 1 => Just((false, true)), 1 => Just((false, false))
    ];
    (
        text(),
        (any::<Index>(), any::<Index>(), near),
        (0..KINDS, any::<Index>()),
        (select(BODIES), select(&["\n", "\r\n"][..])),
    )
        .prop_filter_map(
            "an empty old text",
            |(text, (from, to, near), (kind, at), (other, end))| {
                let old = text[part(&text, from, to, near)].to_owned();
                if old.is_empty() {
                    return None;
                }
                let new = changed(&old, kind, at, other, end);
                Some((text, old, new))
            },
        )
}

/// Every place of the old text, with overlap, and whether it divides a CRLF.
fn places(text: &str, old: &str) -> Vec<(usize, bool)> {
    let bytes = text.as_bytes();
    let starts = (0..=text.len()).filter(|at| bytes[*at..].starts_with(old.as_bytes()));
    starts
        .map(|at| {
            let divides =
                |at: usize| at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
            (at, divides(at) || divides(at + old.len()))
        })
        .collect()
}

/// Whether an old text with LF stands somewhere else with CRLF: then either may be meant, as reads show both alike.
fn has_twin(text: &str, old: &str) -> bool {
    let plain = text.replace("\r\n", "\n");
    let starts = (0..plain.len()).filter(|at| plain.as_bytes()[*at..].starts_with(old.as_bytes()));
    old.contains('\n') && !old.contains('\r') && starts.count() > 1
}

/// The new text as it goes in at a place, and nothing but its line ends may change.
fn going_in(text: &str, at: usize, old: &str, new: &str) -> String {
    let plain = |text: &str| text.replace("\r\n", "\n");
    let has_both =
        old.contains("\r\n") && plain(old).matches('\n').count() > old.matches("\r\n").count();
    if has_both || (old.contains('\n') && plain(old) == plain(new)) {
        return new.to_owned();
    }
    let newline = text[at..].find('\n').map(|found| at + found);
    match newline.or_else(|| text[..at].rfind('\n')) {
        None => new.to_owned(),
        Some(newline) if text[..newline].ends_with('\r') => plain(new).replace('\n', "\r\n"),
        Some(_) => plain(new),
    }
}

fn crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

fn edited(
    text: &str,
    old: &str,
    new: &str,
    replace_all: bool,
) -> Result<(String, MatchLevel), EditError> {
    plan(text, &[Replacement { old, new }], Options { replace_all })
        .map(|plan| (plan.apply(text), plan.weakest_rung()))
}

/// What a refusal says, without the words of one kind of line end.
fn kind(error: &EditError) -> std::mem::Discriminant<EditError> {
    std::mem::discriminant(error)
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn an_old_text_that_stands_once_byte_by_byte_is_replaced_and_nothing_else((text, old, new) in call()) {
        let places = places(&text, &old);
        let [(at, false)] = places[..] else { return Ok(()) };
        prop_assume!(old != new && !has_twin(&text, &old));
        let expected = format!("{}{}{}", &text[..at], going_in(&text, at, &old, &new), &text[at + old.len()..]);
        match edited(&text, &old, &new, false) {
            Ok((after, match_level)) => prop_assert_eq!((after, match_level), (expected, MatchLevel::Exact)),
            Err(error) => prop_assert!(
                expected == text && matches!(error, EditError::NoChange { .. }), "{}", error
            ),
        }
    }

    #[test]
    fn an_old_text_that_stands_twice_byte_by_byte_is_refused_with_all_its_lines((text, old, new) in call()) {
        let places = places(&text, &old);
        prop_assume!(places.len() > 1 && places.iter().any(|(_, divides)| !divides) && old != new);
        // Places that divide a CRLF are none where several others are to be distinguished anyway.
        let whole = places.iter().filter(|(_, divides)| !divides).count();
        let expected: Vec<usize> = places
            .iter()
            .filter(|(_, divides)| whole == 1 || !divides)
            .map(|(at, _)| text[..*at].matches('\n').count() + 1)
            .collect();
        let error = edited(&text, &old, &new, false).map(|(after, _)| after);
        let Err(EditError::Ambiguous { places: reported, total, .. }) = &error else {
            return Err(TestCaseError::fail(format!("{error:?}")));
        };
        let reported: Vec<usize> = reported.iter().map(|place| place.lines.first).collect();
        prop_assert_eq!(*total, expected.len());
        prop_assert_eq!(&reported[..], &expected[..reported.len()]);
    }

    #[test]
    fn all_places_of_an_old_text_are_replaced_from_left_to_right((text, old, new) in call()) {
        let places = places(&text, &old);
        prop_assume!(places.iter().any(|(_, divides)| !divides) && old != new);
        // In mixed files those with the other line end are replaced as well.
        let plain = text.replace("\r\n", "\n");
        let folded = (0..plain.len()).filter(|at| {
            plain.as_bytes()[*at..].starts_with(old.replace("\r\n", "\n").as_bytes())
        });
        prop_assume!(folded.count() == places.iter().filter(|(_, divides)| !divides).count());
        let mut expected = String::new();
        let mut end = 0;
        for (at, divides) in places {
            if at >= end && !divides {
                expected.push_str(&text[end..at]);
                expected.push_str(&going_in(&text, at, &old, &new));
                end = at + old.len();
            }
        }
        expected.push_str(&text[end..]);
        match edited(&text, &old, &new, true) {
            Ok((after, _)) => prop_assert_eq!(after, expected),
            Err(error) => prop_assert!(
                expected == text && matches!(error, EditError::NoChange { .. }), "{}", error
            ),
        }
    }

    #[test]
    fn an_edit_does_the_same_whichever_line_ends_the_file_and_the_call_have(
        (text, old, new) in call(), replace_all in any::<bool>()
    ) {
        let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "");
        let (text, old, new) = (plain(&text), plain(&old), plain(&new));
        prop_assume!(!old.is_empty() && old != new && text.contains('\n'));
        let truth = edited(&text, &old, &new, replace_all);
        let is_blank = old.chars().all(char::is_whitespace);
        for (file, call) in [(true, true), (true, false), (false, true)] {
            let write = |text: &str, is_crlf: bool| if is_crlf { crlf(text) } else { text.to_owned() };
            if file != call && is_blank {
                // Blanks alone are looked for byte by byte only.
                continue;
            }
            let outcome = edited(&write(&text, file), &write(&old, call), &write(&new, call), replace_all);
            match (&truth, &outcome) {
                (Ok((expected, _)), Ok((after, _))) => prop_assert_eq!(after, &write(expected, file)),
                (Err(expected), Err(error)) => prop_assert_eq!(kind(expected), kind(error)),
                _ => prop_assert!(false, "{truth:?}\n{outcome:?}"),
            }
        }
    }

    #[test]
    fn blanks_at_line_ends_that_the_call_lacks_cost_no_line_and_no_line_end(
        (text, old, new) in call(), picks in any::<u16>(), is_crlf in any::<bool>()
    ) {
        let clean = |text: &str| -> String {
            let lines = text.split_inclusive('\n').map(|line| {
                let body = line.trim_end_matches(['\n', '\r', ' ', '\t']);
                format!("{body}{}", if line.ends_with('\n') { "\n" } else { "" })
            });
            lines.collect()
        };
        let (text, old, new) = (clean(&text), clean(&old), clean(&new));
        let [(at, _)] = places(&text, &old)[..] else { return Ok(()) };
        prop_assume!(!old.is_empty() && old != new);
        let end = if is_crlf { "  \r\n" } else { "  \n" };
        let lines = text.split_inclusive('\n').enumerate();
        let file: String = lines
            .map(|(at, line)| if picks >> at & 1 == 1 { line.replace('\n', end) } else { line.to_owned() })
            .collect();
        prop_assume!(places(&file, &old).is_empty());
        let expected = format!("{}{new}{}", &text[..at], &text[at + old.len()..]);
        if let Ok((after, _)) = edited(&file, &old, &new, false) {
            prop_assert_eq!(clean(&after), clean(&expected), "{:?}", file);
        }
    }

    #[test]
    fn a_patch_with_lf_does_the_same_to_a_file_with_crlf(
        (text, old, new) in call(), context in 1_usize..4
    ) {
        let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "");
        let (before, old, new) = (plain(&text), plain(&old), plain(&new));
        prop_assume!(!old.is_empty());
        let after = before.replacen(&old, &new, 1);
        prop_assume!(before != after && before.contains('\n'));
        let diff = TextDiff::new(before.as_str(), after.as_str()).unified("a/x", "b/x", context);
        let patch = parse_patch(&diff).unwrap();
        let outcome = patch.files[0].place(&crlf(&before));
        match outcome {
            Ok(plan) => prop_assert_eq!(plan.apply(&crlf(&before)), crlf(&after), "{}", diff),
            // Blanks alone are looked for byte by byte only.
            Err(error) => prop_assert!(
                patch.files[0].hunks.iter().any(|hunk| {
                    hunk.lines.iter().all(|line| line.side == Side::Added || line.text.trim().is_empty())
                }),
                "{error}\n{diff}"
            ),
        }
    }

    #[test]
    fn the_last_lines_of_a_file_are_found_by_the_end_of_file_mark_whatever_is_above(
        lines in vec(select(&["a", "b", "q", "  q", "f {", "}", ""][..]), 2..14),
        count in 1_usize..4, at in any::<Index>(), added in vec(select(&["x", "  y"][..]), 0..3), is_crlf in any::<bool>(),
    ) {
        let count = count.min(lines.len() - 1);
        let (head, tail) = lines.split_at(lines.len() - count);
        prop_assume!(tail.iter().any(|line| !line.is_empty()));
        let joined = |lines: &[&str]| -> String {
            let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if is_crlf { crlf(&text) } else { text }
        };
        let signed = |sign: char, lines: &[&str]| -> String {
            lines.iter().map(|line| format!("{sign}{line}\n")).collect()
        };
        let (before, after) = (joined(&lines), joined(&[head, &added].concat()));
        for anchor in [head[at.index(head.len())], ""] {
            let patch = format!(
                "*** Begin Patch\n*** Update File: x\n@@ {anchor}\n{}{}*** End of File\n*** End Patch\n",
                signed('-', tail), signed('+', &added)
            );
            let outcome = parse_patch(&patch).unwrap().files[0].place(&before);
            if anchor.is_empty() {
                prop_assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
            }
            if let Ok(plan) = outcome {
                prop_assert_eq!(plan.apply(&before), after.as_str(), "{}", patch);
            }
        }
    }

    #[test]
    fn names_of_files_are_read_as_they_are_written(name in "[ab ]{0,3}[ab][ab \"\\\\\t\u{e9}]{0,4}", other in "[ab ]{1,4}[ab ]") {
        let header = |name: &str| patch_path(name).trim_end_matches('\t').to_owned();
        let (before, after) = (format!("a/{name}"), format!("b/{name}"));
        let hunk = "@@ -1 +1 @@\n-x\n+y\n";
        let names = format!("--- {}\n+++ {}\n", patch_path(&before), patch_path(&after));
        let git = format!("diff --git {} {}\n", header(&before), header(&after));
        let read = |patch: &str| parse_patch(patch).map(|patch| patch.files[0].operation.clone());
        let path = || name.clone();
        let update = Ok(FileOperation::Update { path: path() });
        prop_assert_eq!(read(&format!("{names}{hunk}")), update.clone());
        prop_assert_eq!(read(&format!("{git}{names}{hunk}")), update);
        prop_assume!(name != other && !other.trim().is_empty());
        let moved = format!(
            "diff --git {} {}\nsimilarity index 100%\nrename from {}\nrename to {}\n",
            header(&before), header(&format!("b/{other}")), header(&name), header(&other)
        );
        prop_assert_eq!(read(&moved), Ok(FileOperation::Move { from: path(), to: other }));
    }
}
