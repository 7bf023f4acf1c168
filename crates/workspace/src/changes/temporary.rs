//! Names for files that exist only for a step.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::BuildHasher;
use std::io;

use crate::platform::Directory;

/// More than enough: a name is taken with a chance of one in 2^64.
const ATTEMPTS: usize = 8;
const START: &str = ".tenon-";
const END: &str = ".tmp";

/// A name that nobody expects, hidden, short enough for every file system.
pub(crate) fn name() -> OsString {
    let random = RandomState::new().hash_one(std::process::id());
    format!("{START}{random:016x}{END}").into()
}

/// Whether a name is one of these, and nothing but a name.
pub(super) fn is_name(name: &OsStr) -> bool {
    let random = name
        .to_str()
        .and_then(|name| name.strip_prefix(START)?.strip_suffix(END));
    random.is_some_and(|random| {
        random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Makes a file with such a name, which `announce` hears of first. What is there already, a link
/// above all, is never opened.
pub(super) fn create(
    directory: &Directory,
    mode: u32,
    announce: &mut dyn FnMut(&OsStr) -> io::Result<()>,
) -> io::Result<(OsString, File)> {
    let mut attempt = 1;
    loop {
        let name = name();
        announce(&name)?;
        match directory.create_new(&name, mode) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < ATTEMPTS => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
