//! What matches, and how it is reported.

use tenon_search::{Case, GrepMode, GrepRequest, LongLines, Pattern, Scope};

use crate::tree::{printed, run, tree};

#[test]
fn lines_come_in_path_order_by_components_with_their_numbers() {
    let tree = tree(&[
        ("b.txt", "one\n"),
        ("a/z.txt", "no\none\n"),
        ("a.txt", "one\n"),
        ("a-b/c.txt", "one\n"),
    ]);
    assert_eq!(
        printed(&tree.request("one")),
        [
            "a/z.txt:2:one",
            "a-b/c.txt:1:one",
            "a.txt:1:one",
            "b.txt:1:one"
        ]
    );
}

#[test]
fn the_column_counts_characters_and_the_range_gives_the_match() {
    let tree = tree(&[("a.txt", "日本 needle needle\n")]);
    let output = run(&tree.request("needle"));
    let line = output.files[0].lines().next().unwrap();
    assert_eq!(
        (line.column, line.matched, line.matched_text()),
        (Some(4), Some((7, 13)), Some("needle"))
    );
}

#[test]
fn a_literal_is_not_a_regular_expression() {
    let tree = tree(&[("a.txt", "f(x)\nfx\n")]);
    let mut request = tree.request("f(x)");
    assert_eq!(printed(&request), ["a.txt:2:fx"]);
    request.pattern.literal = true;
    assert_eq!(printed(&request), ["a.txt:1:f(x)"]);
}

#[test]
fn smart_case_heeds_case_only_if_the_pattern_has_upper_case() {
    let tree = tree(&[("a.txt", "Word\nword\n")]);
    let ask = |text: &str, case: Case| {
        let pattern = Pattern {
            case,
            ..Pattern::new(text)
        };
        printed(&GrepRequest::new(tree.scope(), pattern))
    };
    assert_eq!(ask("word", Case::Sensitive), ["a.txt:2:word"]);
    assert_eq!(ask("word", Case::Smart), ["a.txt:1:Word", "a.txt:2:word"]);
    assert_eq!(ask("Word", Case::Smart), ["a.txt:1:Word"]);
    assert_eq!(
        ask("WORD", Case::Insensitive),
        ["a.txt:1:Word", "a.txt:2:word"]
    );
}

#[test]
fn by_the_letters_of_ascii_others_are_no_letters() {
    let tree = tree(&[("a.txt", "na\u{ef}ve\nplain\n")]);
    let ask = |pattern: Pattern| printed(&GrepRequest::new(tree.scope(), pattern));
    let full = Pattern::new(r"^\w+$");
    let both = ["a.txt:1:na\u{ef}ve", "a.txt:2:plain"];
    assert_eq!(ask(full.clone()), both);
    assert_eq!(ask(full.in_ascii().unwrap()), ["a.txt:2:plain"]);
    for without in ["plain", "na\u{ef}ve+", r"\pL+", "(open"] {
        assert_eq!(Pattern::new(without).in_ascii(), None, "{without}");
    }
}

#[test]
fn a_word_is_not_part_of_a_longer_one_and_a_line_is_whole() {
    let tree = tree(&[("a.txt", "cat\nconcat\ncat tail\n")]);
    let mut request = tree.request("cat");
    request.pattern.word = true;
    assert_eq!(printed(&request), ["a.txt:1:cat", "a.txt:3:cat tail"]);
    request.pattern.line = true;
    assert_eq!(printed(&request), ["a.txt:1:cat"]);
}

#[test]
fn the_end_of_a_line_is_found_before_crlf_and_the_text_has_no_carriage_return() {
    let tree = tree(&[("a.txt", "one\r\ntwo one\r\n\r\n")]);
    assert_eq!(
        printed(&tree.request("one$")),
        ["a.txt:1:one", "a.txt:2:two one"]
    );
    assert_eq!(printed(&tree.request("^$")), ["a.txt:3:"]);
    assert_eq!(printed(&tree.request(r"two.*\r")), ["a.txt:2:two one"]);
    let mut plain = tree.request("one$");
    plain.pattern.crlf = false;
    assert_eq!(printed(&plain), [""; 0]);
}

#[test]
fn a_match_over_lines_is_reported_line_by_line() {
    let tree = tree(&[("a.txt", "start {\n  body\n}\nend\n")]);
    let mut request = tree.request(r"\{.*?\}");
    request.pattern.multiline = true;
    let output = run(&request);
    let lines: Vec<_> = output.files[0]
        .lines()
        .map(|line| (line.number, line.text, line.column, line.matched_text()))
        .collect();
    assert_eq!(
        lines,
        [
            (1, "start {", Some(7), Some("{")),
            (2, "  body", Some(1), Some("  body")),
            (3, "}", Some(1), Some("}")),
        ]
    );
    assert_eq!(output.totals.matches, 1);
}

#[test]
fn context_surrounds_matches_and_gaps_are_marked() {
    let tree = tree(&[("a.txt", "1\n2\nx\n4\n5\n6\nx\n8\n")]);
    let mut request = tree.request("x");
    (request.before, request.after) = (1, 1);
    assert_eq!(
        printed(&request),
        [
            "a.txt-2-2",
            "a.txt:3:x",
            "a.txt-4-4",
            "--",
            "a.txt-6-6",
            "a.txt:7:x",
            "a.txt-8-8"
        ]
    );
}

#[test]
fn only_matching_reports_every_match_with_its_own_column() {
    let tree = tree(&[("a.txt", "a1 b22 c\n333\n")]);
    let mut request = tree.request(r"\d+");
    request.only_matching = true;
    let output = run(&request);
    let matches: Vec<_> = output.files[0]
        .lines()
        .map(|line| (line.number, line.column, line.text))
        .collect();
    assert_eq!(
        matches,
        [(1, Some(2), "1"), (1, Some(5), "22"), (2, Some(1), "333")]
    );
    assert_eq!(output.totals.matches, 3);
}

#[test]
fn only_matches_that_begin_in_the_wanted_lines_count() {
    let tree = tree(&[("a.txt", "x 1\nx 2\ny\nx 4\nx 5\n")]);
    let ask = |mode: GrepMode, limit: Option<usize>| {
        let output = run(&GrepRequest {
            mode,
            limit,
            lines: Some(2..=4),
            ..tree.request("x")
        });
        let lines: Vec<u64> = { output.files.iter() }
            .flat_map(|file| file.lines().map(|line| line.number).collect::<Vec<_>>())
            .collect();
        (lines, output.totals.matches, output.files.len())
    };
    assert_eq!(ask(GrepMode::Lines, None), (vec![2, 4], 2, 1));
    assert_eq!(ask(GrepMode::Lines, Some(1)).0, [2]);
    assert_eq!(ask(GrepMode::Counts, None), (vec![], 2, 1));
    let none = run(&GrepRequest {
        mode: GrepMode::Files,
        lines: Some(3..=3),
        ..tree.request("x")
    });
    assert!(none.files.is_empty());
}

#[test]
fn the_other_modes_name_files_and_count() {
    let tree = tree(&[("a.txt", "x x\nx\n"), ("b.txt", "y\n"), ("c.txt", "x\n")]);
    let ask = |mode: GrepMode, only_matching: bool| {
        let output = run(&GrepRequest {
            mode,
            only_matching,
            ..tree.request("x")
        });
        let files: Vec<_> = output
            .files
            .iter()
            .map(|file| (file.path.clone(), file.matches))
            .collect();
        (files, output.totals.matches)
    };
    let named = |path: &str, matches: u64| (path.to_owned(), matches);
    assert_eq!(
        ask(GrepMode::Files, false),
        (vec![named("a.txt", 1), named("c.txt", 1)], 2)
    );
    assert_eq!(
        ask(GrepMode::FilesWithout, false),
        (vec![named("b.txt", 0)], 1)
    );
    assert_eq!(
        ask(GrepMode::Counts, false),
        (vec![named("a.txt", 2), named("c.txt", 1)], 3)
    );
    assert_eq!(
        ask(GrepMode::Counts, true),
        (vec![named("a.txt", 3), named("c.txt", 1)], 4)
    );
}

#[test]
fn a_nul_byte_ends_the_search_of_a_file_and_is_counted() {
    let tree = tree(&[("a.txt", "x\n")]);
    tree.write("b.bin", b"header text\n\0x\n");
    let mut request = tree.request("x$");
    let output = run(&request);
    assert_eq!(output.files.len(), 1);
    assert_eq!((output.facts.binary, output.facts.files_searched), (1, 2));
    request.text = true;
    assert_eq!(printed(&request), ["a.txt:1:x", "b.bin:2:\0x"]);
}

/// The searcher's buffer grows for a line of 64 KiB and stays so large: with the next file the NUL came within what is
/// looked at before a search begins.
#[test]
fn a_long_line_in_one_file_does_not_change_how_the_next_is_searched() {
    let mut next = b"needle\n".to_vec();
    next.extend("filler\n".repeat(10_000).bytes());
    next.extend(b"\0\n");
    for length in [65_533, 70_000, 120_000, 200_000] {
        let tree = tree(&[]);
        tree.write("b.bin", &next);
        let mut request = tree.request("needle");
        request.scope.threads = 1;
        let alone = run(&request);
        assert_eq!(alone.files.len(), 1);
        let long = ["\u{feff}".to_owned(), "日".repeat(length / 3)].concat();
        let utf_16: Vec<u8> = long.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for content in [long.as_bytes(), &utf_16] {
            tree.write("a.txt", content);
            assert_eq!(run(&request).files, alone.files, "after {length} bytes");
        }
    }
}

#[test]
fn a_binary_file_that_the_caller_names_is_reported_to_match_without_its_lines() {
    let tree = tree(&[]);
    tree.write("b.bin", b"a\0b\nx\n");
    let request = GrepRequest::new(
        Scope::new(&tree.root, tree.path("b.bin")),
        Pattern::new("x"),
    );
    let output = run(&request);
    assert_eq!(
        (
            output.files[0].path.as_str(),
            output.files[0].binary_offset,
            output.files[0].is_empty(),
            output.totals.files,
        ),
        ("b.bin", Some(1), true, 1)
    );
}

#[test]
fn utf_16_with_a_byte_order_mark_is_text() {
    let tree = tree(&[]);
    let mut bytes = b"\xFF\xFE".to_vec();
    bytes.extend("näh\nja\n".encode_utf16().flat_map(u16::to_le_bytes));
    tree.write("a.txt", &bytes);
    assert_eq!(printed(&tree.request("ä")), ["a.txt:1:näh"]);
}

#[test]
fn long_lines_are_cut_at_their_head_or_around_the_match() {
    let line = format!("{}needle{}\n", "é".repeat(50), "z".repeat(50));
    let tree = tree(&[("a.txt", &line)]);
    let mut request = tree.request("needle");
    request.max_columns = Some(10);
    let reported = |request: &GrepRequest| {
        let output = run(request);
        let line = output.files[0].lines().next().unwrap();
        (
            line.omitted_before,
            line.text.to_owned(),
            line.omitted_after,
        )
    };
    assert_eq!(reported(&request), (0, "é".repeat(10), 96));
    request.long_lines = LongLines::AroundMatch;
    assert_eq!(reported(&request), (48, "ééneedlezz".to_owned(), 48));
}

#[test]
fn inverted_lines_have_no_column() {
    let tree = tree(&[("a.txt", "x\ny\n")]);
    let mut request = tree.request("x");
    request.invert = true;
    let output = run(&request);
    let line = output.files[0].lines().next().unwrap();
    assert_eq!((line.number, line.text, line.column), (2, "y", None));
}

#[test]
fn a_plain_text_without_a_match_is_noted_where_it_is_in_another_case() {
    let large = format!("{}\nNEEDLE\n", "x".repeat(100_000));
    let tree = tree(&[
        ("b/c.txt", "a Needle\n"),
        ("b/large.txt", &large),
        ("b.txt", "needles\n"),
        ("c.txt", "nothing\n"),
    ]);
    let noted = |pattern: &str, change: fn(&mut GrepRequest)| {
        let mut request = tree.request(pattern);
        request.notes_case = true;
        change(&mut request);
        let output = run(&request);
        (output.files.len(), output.other_case)
    };
    let first = Some("b/c.txt".to_owned());
    assert_eq!(noted("NEEDLe", |_| {}), (0, first));
    assert_eq!(noted("needle", |_| {}), (1, None), "it matches");
    assert_eq!(noted("NEEDLE", |_| {}), (1, None), "late, but it matches");
    assert_eq!(
        noted("nEEDLE", |request| request.notes_case = false),
        (0, None)
    );
    assert_eq!(noted("nowhere", |_| {}), (0, None));
    assert_eq!(
        noted("nEEDLE", |request| request.pattern.word = true),
        (0, None)
    );
    let first = Some("b/c.txt".to_owned());
    assert_eq!(noted("nEED.E", |_| {}), (0, first), "an expression");
    assert_eq!(noted("[A-Z]EED.E", |_| {}), (1, None), "it matches");
    assert_eq!(
        noted("[A-Z]{6}s", |_| {}),
        (0, Some("b.txt".to_owned())),
        "one without a text that it needs"
    );
    let alone = |request: &mut GrepRequest| request.scope.root.push("b.txt");
    assert_eq!(noted("nEEDLE", alone), (0, Some("b.txt".to_owned())));
}

#[test]
fn an_expression_without_a_match_needs_no_second_look() {
    let tree = tree(&[
        ("a.txt", "a Needle and a thread\n"),
        ("b.bin", "needles\0\n"),
        ("c.txt", "nothing\n"),
        ("d.txt", "[a-z]{7}x and größe\n"),
    ]);
    let seen = |pattern: &str, change: fn(&mut GrepRequest)| {
        let mut request = tree.request(pattern);
        request.notes_case = true;
        change(&mut request);
        let output = run(&request);
        let ruled_out = output.ruled_out;
        (
            output.files.len(),
            output.other_case.as_deref().unwrap_or("-").to_owned(),
            [
                ruled_out.other_case,
                ruled_out.without_anchors,
                ruled_out.plain_text,
            ],
        )
    };
    let none = |_: &mut GrepRequest| {};
    let answer = |noted: &str, ruled_out: [bool; 3]| (0, noted.to_owned(), ruled_out);
    let (all, nothing) = ([true; 3], [false; 3]);
    assert_eq!(seen(r"absent\w+", none), answer("-", all));
    assert_eq!(seen(r"^absent\(", none), answer("-", all));
    assert_eq!(seen("(?:absent|missing)[0-9]", none), answer("-", all));
    let there = answer("-", [true, false, true]);
    assert_eq!(seen(r"thread\w+", none), there, "it has the text");
    let other = answer("a.txt", nothing);
    assert_eq!(seen(r"NEEDLE\w*", none), other, "in another case");
    let in_binary = answer("-", nothing);
    assert_eq!(seen(r"NEEDLES\w*", none), in_binary, "in a binary file");
    let found = (1, "-".to_owned(), nothing);
    assert_eq!(seen(r"Needle\w*", none), found, "it matches");
    assert_eq!(seen("[A-Z]{9}", none), answer("-", [true, false, true]));
    let plain = answer("-", [true, false, false]);
    assert_eq!(seen("[a-z]{7}x", none), plain, "it is there as a text");
    let beyond = answer("-", [true, false, true]);
    assert_eq!(
        seen(r"GR\w.E", none),
        beyond,
        "`\\w` by the letters of ASCII"
    );
    let confirmed = answer("d.txt", [true, false, true]);
    assert_eq!(seen("GR.{1,4}E", none), confirmed, "in a text beyond ASCII");
    assert_eq!(
        seen("absent", none),
        answer("-", nothing),
        "a text is noted"
    );
    let inverted = seen(r"absent\w+", |request| request.invert = true);
    assert_eq!(inverted.2, nothing);
    assert_eq!(
        seen(r"absent\w+", |request| request.notes_case = false),
        answer("-", nothing)
    );
    assert_eq!(
        seen(r"absent\w+", |request| request.scope.root.push("c.txt")),
        answer("-", all)
    );
}

#[test]
fn files_that_cannot_be_asked_leave_the_second_look() {
    let tree = tree(&[("c.txt", "nothing\n")]);
    let request = |pattern: &str| {
        let mut request = tree.request(pattern);
        request.notes_case = true;
        run(&request).ruled_out.other_case
    };
    assert!(request(r"absent\w+"));
    tree.write("large.txt", "x\n".repeat(600_000).as_bytes());
    assert!(!request(r"absent\w+"), "larger than what is asked");
    tree.write("large.txt", b"\xFF\xFEx\0");
    assert!(!request(r"absent\w+"), "in another encoding");
}
