//! An index on the disk is read as if anybody could have written it: no bytes end in a panic, or ask for more memory than
//! there are of them.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let _ = tenon_search::try_to_read(file, false);
    let _ = tenon_search::try_to_read(file, true);
});
