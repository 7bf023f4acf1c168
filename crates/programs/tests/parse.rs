//! The parser of options.

use proptest::prelude::*;
use tenon_programs::{
    Argument, Effects, Opt, Parsed, Place, Value, find, parse, parse_letters_first, programs,
};

#[derive(Debug)]
struct Word(&'static str);

impl Argument for Word {
    fn literal(&self) -> Option<&str> {
        (!self.0.ends_with('$')).then_some(self.0)
    }

    fn known_start(&self) -> &str {
        self.0.trim_end_matches('$')
    }

    fn is_opaque(&self) -> bool {
        self.0.ends_with('$')
    }
}

#[derive(Debug)]
struct Text(String);

impl Argument for Text {
    fn literal(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn known_start(&self) -> &str {
        &self.0
    }

    fn is_opaque(&self) -> bool {
        false
    }
}

const fn option(name: &'static str, one_dash: bool, value: Value) -> Opt {
    Opt {
        name,
        any_dashes: one_dash,
        value,
        effects: Effects::NONE,
    }
}

const OPTIONS: &[Opt] = &[
    option("v", false, Value::None),
    option("f", false, Value::Next),
    option("i", false, Value::Attached),
    option("n", false, Value::Unknown),
    option("file", false, Value::Next),
    option("files-from", false, Value::Next),
    option("color", false, Value::Attached),
    option("verbose", false, Value::None),
    option("json", false, Value::Optional),
];

const ONE_DASH: &[Opt] = &[
    option("o", false, Value::Next),
    option("outDir", true, Value::Next),
    option("watch", true, Value::None),
];

const GLUED: &[Opt] = &[
    option("MF", true, Value::Glued),
    option("o", false, Value::Next),
    option("M", false, Value::Attached),
];

fn shown<W: Argument>(parsed: &Parsed<'_, W>) -> String {
    let options = parsed.options.iter().map(|given| {
        let value = match &given.value {
            None => String::new(),
            Some(Place::Next(word)) => format!(" {}", word.known_start()),
            Some(Place::Within(word, place)) => {
                format!("={}", word.known_start().get(*place..).unwrap_or_default())
            }
        };
        format!(
            "{}{}{value}",
            given.name,
            if given.is_known() { "" } else { "?" }
        )
    });
    let operands = parsed
        .operands
        .iter()
        .map(|word| format!("[{}]", word.known_start()));
    options.chain(operands).collect::<Vec<_>>().join(", ")
}

#[test]
fn options_are_read_as_programs_read_them() {
    for (options, words, expected) in [
        (OPTIONS, &["-vf", "x", "y"][..], "v, f x, [y]"),
        (OPTIONS, &["-fx", "y"], "f=x, [y]"),
        (OPTIONS, &["-vix", "y"], "v, i=x, [y]"),
        (OPTIONS, &["-i", "y"], "i, [y]"),
        (OPTIONS, &["-n", "y"], "n, [y]"),
        (OPTIONS, &["-z", "y"], "z?, [y]"),
        (OPTIONS, &["--file", "x", "--file=y"], "file x, file=y"),
        (OPTIONS, &["--files", "x"], "files-from x"),
        (OPTIONS, &["--fil", "x"], "file x, files-from x"),
        (
            OPTIONS,
            &["--color", "x", "--color=y"],
            "color, color=y, [x]",
        ),
        (OPTIONS, &["--verb", "--nope=1"], "verbose, nope?=1"),
        (OPTIONS, &["--json", "x", "y"], "json x, [y]"),
        (OPTIONS, &["--json=x", "--json", "-v"], "json=x, json, v"),
        (OPTIONS, &["x", "--", "-f", "y"], "[x], [-f], [y]"),
        (OPTIONS, &["-", "-f", "--"], "f --, [-]"),
        (OPTIONS, &["-f"], "f"),
        (OPTIONS, &["-f$", "x"], "f=, [x]"),
        (OPTIONS, &["--file=$"], "file="),
        (OPTIONS, &["--fi$", "$"], "[--fi], []"),
        (
            ONE_DASH,
            &["-outDir", "x", "-outDir=y", "--outDir", "z"],
            "outDir x, outDir=y, outDir z",
        ),
        (ONE_DASH, &["-watch", "-o=x", "-o", "y"], "watch, o=x, o y"),
        (
            GLUED,
            &["-MFx", "-MF", "y", "-Mz", "-o=x"],
            "MF=x, MF y, M=z, o==x",
        ),
    ] {
        let words: Vec<Word> = words.iter().map(|word| Word(word)).collect();
        assert_eq!(shown(&parse(options, &words)), expected, "{words:?}");
    }
}

#[test]
fn letters_in_front_take_their_values_one_after_the_other() {
    for (words, expected) in [
        (&["vff", "a", "b", "c"][..], "v, f a, f b, [c]"),
        (&["zf", "a", "-v", "b"], "z?, f a, v, [b]"),
        (&["-fv", "a"], "f=v, [a]"),
        (&["f"], "f"),
        (&[], ""),
    ] {
        let words: Vec<Word> = words.iter().map(|word| Word(word)).collect();
        let parsed = parse_letters_first(OPTIONS, &words);
        assert_eq!(shown(&parsed), expected, "{words:?}");
    }
}

#[test]
fn words_that_may_be_options_are_among_the_opaque_ones() {
    let words = [
        Word("x$"),
        Word("$"),
        Word("-v$"),
        Word("--fi$"),
        Word("--file=$"),
    ];
    let parsed = parse(OPTIONS, &words);
    let opaque: Vec<&str> = parsed.opaque.iter().map(|word| word.0).collect();
    assert_eq!(opaque, ["$", "-v$", "--fi$"]);
}

#[test]
fn every_program_is_found_by_its_names() {
    for program in programs() {
        for name in program.names {
            assert!(std::ptr::eq(find(name).unwrap(), program), "{name}");
        }
    }
}

proptest! {
    /// Every word is an option, the value of one, or an operand, and is so once.
    #[test]
    fn no_word_is_lost_or_counted_twice(
        texts in prop::collection::vec("(-{0,3}[a-zäM]{0,5}(=[a-z]?)?|--file|--color|-f|--|-MF|-outDir)", 0..8),
        place in 0usize..3,
    ) {
        let options = [OPTIONS, ONE_DASH, GLUED].get(place).copied().unwrap_or_default();
        let words: Vec<Text> = texts.into_iter().map(Text).collect();
        let parsed = parse(options, &words);
        let mut places: Vec<usize> = Vec::new();
        let mut add = |word: &Text| {
            places.extend(words.iter().position(|own| std::ptr::eq(own, word)));
        };
        parsed.operands.iter().for_each(|word| add(word));
        let mut before: Option<&Text> = None;
        for given in &parsed.options {
            // A cluster is one word with several options, an abbreviation several options with one value.
            if before.is_none_or(|before| !std::ptr::eq(before, given.word)) {
                add(given.word);
                if let Some(Place::Next(word)) = given.value {
                    add(word);
                }
            } else if let Some(Place::Next(word)) = given.value {
                let last = parsed.options.iter().find(|other| std::ptr::eq(other.word, given.word));
                if last.is_some_and(|first| first.value.is_none()) {
                    add(word);
                }
            }
            before = Some(given.word);
        }
        places.sort_unstable();
        let end = words.iter().position(|word| word.0 == "--" && !places.contains(&words.iter().position(|own| std::ptr::eq(own, word)).unwrap()));
        let expected: Vec<usize> = (0..words.len()).filter(|place| Some(*place) != end).collect();
        prop_assert_eq!(places, expected);
    }
}
