//! Diff, parse, apply: the diff of two texts must lead from the one to the other and back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_edit::{TextDiff, parse_patch};

fuzz_target!(|input: (&str, &str, u8)| {
    let (before, after, context) = input;
    // Lines that are added without any context do not say which of two line ends is meant.
    let least = usize::from(before.contains('\r') || after.contains('\r'));
    if before == after {
        return;
    }
    let diff = TextDiff::new(before, after);
    let context = usize::from(context % 6).max(least);
    drop(diff.numbered(context));
    let text = diff.unified("a/x", "b/x", context);
    let patch = parse_patch(&text).expect("a diff is a patch");
    let file = patch.files.first().expect("it has a file");
    assert_eq!(file.place(before).expect("it fits").apply(before), after);
    let back = patch.reversed();
    let file = back.files.first().expect("it has a file");
    assert_eq!(file.place(after).expect("it fits back").apply(after), before);
});
