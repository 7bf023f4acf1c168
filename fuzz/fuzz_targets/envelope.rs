//! The envelope parser and its placement: any body between the markers, on any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_edit::parse_patch;

fuzz_target!(|input: (&str, &str)| {
    let (body, text) = input;
    for patch in [
        body.to_owned(),
        format!("*** Begin Patch\n*** Update File: x\n{body}\n*** End Patch\n"),
    ] {
        match parse_patch(&patch) {
            Ok(patch) => {
                for file in patch.files.iter().chain(&patch.reversed().files) {
                    match file.place(text) {
                        Ok(plan) => drop(plan.apply(text)),
                        Err(error) => assert!(!error.to_string().is_empty()),
                    }
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
