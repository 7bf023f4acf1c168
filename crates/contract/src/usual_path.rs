//! Paths of Windows in their usual form.

use std::ffi::OsString;
use std::path::{Component, PathBuf, Prefix};

/// The path without the `\\?\` that Windows puts before canonical paths (`fs::canonicalize`): `C:\work` or `\\server\share\work`.
///
/// In a verbatim path `/` is part of a name, and many programs do not understand it. Long paths stay long: the standard library
/// makes them verbatim again before it opens them. Other systems have no such prefix.
#[must_use]
pub fn usual_path(path: PathBuf) -> PathBuf {
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else {
        return path;
    };
    let mut start = OsString::new();
    match prefix.kind() {
        Prefix::VerbatimDisk(letter) => start.push(format!("{}:", char::from(letter))),
        Prefix::VerbatimUNC(server, share) => {
            start.push(r"\\");
            start.push(server);
            start.push(r"\");
            start.push(share);
        }
        _ => return path,
    }
    start.push(r"\");
    let mut usual = PathBuf::from(start);
    usual.extend(parts.filter(|part| !matches!(part, Component::RootDir)));
    usual
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn verbatim_prefixes_are_taken_away() {
        let all = [
            (r"\\?\C:\work\a", r"C:\work\a"),
            (r"\\?\C:\", r"C:\"),
            (r"\\?\UNC\server\share\a", r"\\server\share\a"),
            (r"\\.\pipe\a", r"\\.\pipe\a"),
            (r"C:\work", r"C:\work"),
        ];
        for (verbatim, expected) in all {
            assert_eq!(usual_path(verbatim.into()), PathBuf::from(expected));
        }
    }
}
