//! What is in a directory.

use std::path::Path;

/// Whether a path is this directory or below it, as [`Path::starts_with`] says, which takes both apart into their parts. Most
/// directories are written as in the paths below them, and their bytes are compared.
///
/// ```
/// use std::path::Path;
/// use tenon_contract::is_below;
///
/// assert!(is_below(Path::new("/src/lib/a"), Path::new("/src")));
/// assert!(!is_below(Path::new("/srcs"), Path::new("/src")));
/// ```
#[must_use]
pub fn is_below(path: &Path, directory: &Path) -> bool {
    behind(path, directory).is_some() || path.starts_with(directory)
}

/// The way to a path from a directory that it is in, as [`Path::strip_prefix`] says.
#[must_use]
pub fn way_from<'p>(directory: &Path, path: &'p Path) -> Option<&'p Path> {
    let behind = behind(path, directory).map(Path::new);
    behind.or_else(|| path.strip_prefix(directory).ok())
}

/// What stands behind the directory, where that is written at the beginning of the path and what follows is a way as well.
fn behind<'p>(path: &'p Path, directory: &Path) -> Option<&'p str> {
    if cfg!(windows) {
        return None;
    }
    let directory = directory.to_str().filter(|text| !text.is_empty())?;
    let behind = path.to_str()?.strip_prefix(directory)?;
    if behind.is_empty() {
        return Some(behind);
    }
    let way = behind.strip_prefix('/')?;
    // An empty part or a dot counts for nothing: `/src//a`, `/src/./a`.
    (!way.starts_with(['/', '.'])).then_some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_directory_is_what_the_standard_library_says() {
        let all = [
            "", "/", ".", "..", "/w", "/w/", "/w/.", "/w//", "/w/a", "/w//a", "/w/./a", "/w/.a",
            "/w/../a", "/wa", "/w/a/b", "/w/a/", "w", "w/a", "./w", "/W/a", "//w/a", "/w/é", "a",
            "/w/a//b", "/w/a/./b",
        ];
        for path in all.map(Path::new) {
            for directory in all.map(Path::new) {
                let way = path.strip_prefix(directory).ok();
                assert_eq!(way_from(directory, path), way, "{path:?} {directory:?}");
                assert_eq!(
                    is_below(path, directory),
                    way.is_some(),
                    "{path:?} {directory:?}"
                );
            }
        }
    }
}
