//! Files with several names (hard links).

use std::fs;
use std::path::Path;

/// The files with several names among this absolute path and what is below it, each by the number of its device and its
/// own, as far as the first `most` entries go. Links below it are not followed. Nothing where the system numbers no files.
#[cfg(unix)]
#[must_use]
pub fn shared_files(path: &Path, most: usize) -> Vec<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let mut found = Vec::new();
    let mut note = |metadata: &fs::Metadata| {
        if metadata.is_file() && metadata.nlink() > 1 {
            found.push((metadata.dev(), metadata.ino()));
        }
    };
    let Ok(metadata) = fs::metadata(path) else {
        return found;
    };
    note(&metadata);
    let mut directories = Vec::new();
    if metadata.is_dir() {
        directories.push(path.to_owned());
    }
    let mut seen = 0;
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(directory) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > most {
                return found;
            }
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            note(&metadata);
            if metadata.is_dir() {
                directories.push(entry.path());
            }
        }
    }
    found
}

/// Nothing: the system numbers no files.
#[cfg(not(unix))]
#[must_use]
pub fn shared_files(_path: &Path, _most: usize) -> Vec<(u64, u64)> {
    Vec::new()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn files_with_several_names_are_found_within_the_bound() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir_all(path("secrets/deep")).unwrap();
        for name in ["secrets/a", "secrets/deep/b", "other"] {
            fs::write(path(name), name).unwrap();
        }
        assert_eq!(shared_files(&path("secrets"), 10), Vec::new());
        fs::hard_link(path("secrets/deep/b"), path("b")).unwrap();
        let metadata = fs::metadata(path("b")).unwrap();
        let b = vec![(metadata.dev(), metadata.ino())];
        assert_eq!(shared_files(&path("secrets"), 10), b);
        assert_eq!(shared_files(&path("b"), 0), b);
        assert_eq!(shared_files(&path("secrets"), 0), Vec::new());
        assert_eq!(shared_files(&path("missing"), 10), Vec::new());
    }
}
