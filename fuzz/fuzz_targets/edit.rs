//! The matcher: any edits on any text. Splices must be in order and on the edges of characters, a
//! place that is reported must be inside the text, and an old text that stands there exactly
//! once must be replaced literally, line ends aside.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tenon_edit::{Options, Replacement, MatchLevel, plan};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    text: &'a str,
    edits: Vec<(&'a str, &'a str)>,
    replace_all: bool,
    /// Takes the old text of the first edit from the text, so that it is found.
    from: u8,
    length: u8,
}

fuzz_target!(|input: Input<'_>| {
    let mut edits: Vec<Replacement<'_>> =
        input.edits.iter().map(|(old, new)| Replacement { old, new }).collect();
    let start = input.text.floor_char_boundary(usize::from(input.from));
    let end = input.text.floor_char_boundary(start + usize::from(input.length));
    if let Some(first) = edits.first_mut()
        && input.length > 0
    {
        first.old = &input.text[start..end];
    }
    let options = Options { replace_all: input.replace_all };
    match plan(input.text, &edits, options) {
        Ok(plan) => {
            let mut last = 0;
            for splice in &plan.splices {
                assert!(splice.range.start >= last);
                assert!(input.text.get(splice.range.clone()).is_some());
                last = splice.range.end;
            }
            assert_ne!(plan.apply(input.text), input.text);
            if let [edit] = edits.as_slice()
                && plan.weakest_rung() == MatchLevel::Exact
                && !input.replace_all
                && !edit.new.contains('\n')
                && !edit.old.starts_with('\u{feff}')
            {
                // The only place, which need not be the first: a match does not begin or end within a line end.
                let place = plan.matches.first().expect("it has a place").range.clone();
                assert_eq!(&input.text[place.clone()], edit.old);
                let mut expected = input.text.to_owned();
                expected.replace_range(place, edit.new);
                assert_eq!(plan.apply(input.text), expected);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
