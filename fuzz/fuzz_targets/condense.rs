//! Whatever a text is: every line that is shown is one of it, in its order, and the budget is held.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_condense::{Limits, Part, condense};

fuzz_target!(|input: (&str, u16, bool)| {
    let (text, most, fold) = input;
    let most = 100 + usize::from(most % 4000);
    let condensed = condense(text, &Limits { max_tokens: Some(most), fold });
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut next = 0;
    for part in &condensed.parts {
        match part {
            Part::Shown { first, text } => {
                assert_eq!(*first, next + 1);
                for line in text.split_inclusive('\n') {
                    assert_eq!(lines.get(next), Some(&line));
                    next += 1;
                }
            }
            Part::Clipped { line, start, end, .. } => {
                assert_eq!(*line, next + 1);
                let whole = lines.get(next).expect("it is one of the text");
                assert!(whole.starts_with(start.as_str()) && whole.ends_with(end.as_str()));
                next += 1;
            }
            Part::Omitted(omission) => {
                assert_eq!(omission.first, next + 1);
                next = omission.last;
            }
        }
    }
    assert_eq!(next, lines.len());
    assert!(tenon_tokens::count(&condensed.text(Some("output://1"))) <= most);
});
