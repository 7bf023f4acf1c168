use grep::searcher::sinks::Bytes;
use grep::searcher::{Searcher, SearcherBuilder};
use proptest::test_runner::Config as ProptestConfig;

use super::*;

/// Lines with their numbers, as a search with ripgrep's searcher reports them.
fn lines(matcher: &LineMatcher, crlf: bool, text: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut found = Vec::new();
    let end = match crlf {
        true => LineTerminator::crlf(),
        false => LineTerminator::byte(b'\n'),
    };
    let mut searcher: Searcher = SearcherBuilder::new().line_terminator(end).build();
    let sink = Bytes(|number, line| {
        found.push((number, line.to_vec()));
        Ok(true)
    });
    searcher.search_slice(matcher, text, sink).unwrap();
    found
}

fn places(matcher: &LineMatcher, text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    let note = |place| {
        found.push(place);
        true
    };
    matcher.find_iter_at(text, 0, note).unwrap();
    found
}

/// Both matchers of a pattern, if there is a quick one.
fn both(pattern: &Pattern) -> Option<(LineMatcher, LineMatcher)> {
    let quick = LineMatcher::quick(pattern, true)?;
    let whole = LineMatcher::whole(pattern.compile_whole(true).expect("ripgrep has it too"));
    Some((quick, whole))
}

fn agree(pattern: &Pattern, text: &[u8]) {
    let Some((quick, whole)) = both(pattern) else {
        return;
    };
    let crlf = pattern.uses_crlf();
    assert_eq!(
        quick.line_terminator(),
        whole.line_terminator(),
        "{pattern:?}"
    );
    assert_eq!(
        lines(&quick, crlf, text),
        lines(&whole, crlf, text),
        "{pattern:?}"
    );
    for line in text.split(|byte| *byte == b'\n') {
        assert_eq!(places(&quick, line), places(&whole, line), "{pattern:?}");
    }
    if let Some(ascii) = quick.for_ascii().filter(|_| text.is_ascii()) {
        assert_eq!(
            lines(&ascii, crlf, text),
            lines(&whole, crlf, text),
            "{pattern:?}"
        );
        for line in text.split(|byte| *byte == b'\n') {
            assert_eq!(places(&ascii, line), places(&whole, line), "{pattern:?}");
        }
    }
}

#[test]
fn common_expressions_are_searched_by_the_quick_one() {
    for text in [
        r"mutex\w+",
        r"\bfn\s+\w+_test",
        "[A-Z]{9}q",
        "needle",
        r"^\s*use .*;$",
        r"[^a]b",
    ] {
        for case in [Case::Sensitive, Case::Insensitive] {
            let pattern = Pattern {
                case,
                ..Pattern::new(text)
            };
            assert!(LineMatcher::quick(&pattern, true).is_some(), "{text}");
        }
    }
}

#[test]
fn what_only_ripgrep_knows_is_left_to_it() {
    for text in [
        r"a\nb",
        r"\A",
        r"a\z",
        "(",
        r"a\x00b",
        "(?x)a # b",
        r"[\n]",
        r"(?-u)\x00",
    ] {
        assert!(
            LineMatcher::quick(&Pattern::new(text), true).is_none(),
            "{text}"
        );
    }
    assert!(LineMatcher::quick(&Pattern::new(r"a\x00b"), false).is_some());
}

#[test]
fn inner_texts_are_looked_for_where_the_expression_begins_with_none() {
    for (text, expected) in [
        (r"\s+(Sherlock|[A-Z]atso[a-z]|Moriarty)\s+", true),
        (r"\w+_needle\d+|\w+_thread", true),
        (r"[a-z]+\s+needle", true),
        (r"\w+\s\w+", false),
    ] {
        let expression = regex_syntax::parse(text).unwrap();
        assert_eq!(inner_literals(&expression).is_some(), expected, "{text}");
    }
}

const TEXTS: &str = "(?s:[abABqkK_ \u{212a}\u{17f}é\r\n]|needle|NEEDLE|\u{e9}\n){0,60}";
const EXPRESSIONS: &str = "(?:[abkq_.]|\\^|\\$|[ab]\\+|\\(ab\\|kq\\|needle\\)|[ab]\\*|\\[kK\\]|\\[\\^a\\]|needle|\\\\w\\+|\\\\s|\\\\b|\\\\W|q\\{2\\}|b\\?|\\(\\?:a\\|\\)|\\(\\?i:ne\\)|\\\\pL){1,6}";

/// `TENON_MATCHER_CASES` sets the number of cases.
fn cases() -> u32 {
    std::env::var("TENON_MATCHER_CASES")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(2_000)
}

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn lines_and_places_are_those_of_ripgreps_matcher(
        expression in EXPRESSIONS,
        text in TEXTS,
        modes in proptest::array::uniform6(proptest::bool::ANY),
    ) {
        let [insensitive, word, line, literal, ascii, broken] = modes;
        let pattern = Pattern {
            case: if insensitive { Case::Insensitive } else { Case::Sensitive },
            word: word && literal,
            line: line && literal && !word,
            literal: literal && broken,
            ascii: ascii && broken,
            ..Pattern::new(expression)
        };
        agree(&pattern, text.as_bytes());
        let ascii: String = text.chars().filter(char::is_ascii).collect();
        agree(&pattern, ascii.as_bytes());
        if broken {
            // Not UTF-8.
            let bytes: Vec<u8> = text.bytes().flat_map(|byte| [byte, 0xFF]).collect();
            agree(&pattern, &bytes);
        }
    }
}
