//! The parser of unified diffs and its placement: any body behind a file header, on any text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_edit::parse_patch;

fuzz_target!(|input: (&str, &str)| {
    let (body, text) = input;
    for patch in [
        format!("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n{body}"),
        format!("diff --git a/x b/x\n{body}"),
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
