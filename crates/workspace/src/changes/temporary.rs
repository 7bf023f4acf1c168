//! Names for files that exist only for a moment.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::File;
use std::hash::BuildHasher;
use std::io;

use crate::platform::Folder;

/// More than enough: a name is taken with a chance of one in 2^64.
const ATTEMPTS: usize = 8;

/// A name that nobody expects, hidden, short enough for every file system.
pub(super) fn name() -> OsString {
    let random = RandomState::new().hash_one(std::process::id());
    format!(".tenon-{random:016x}.tmp").into()
}

/// Makes a file with such a name. What is there already, a link above all, is never opened.
pub(super) fn create(folder: &Folder, mode: u32) -> io::Result<(OsString, File)> {
    let mut attempt = 1;
    loop {
        let name = name();
        match folder.create_new(&name, mode) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
