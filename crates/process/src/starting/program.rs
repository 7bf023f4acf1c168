//! Where a program lies that is called by its name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tenon_contract::usual_path;

/// The first executable file of this name in the directories of `search_path` (the form of `PATH`).
///
/// Directories that are not absolute are passed over: what they mean depends on where the host happens
/// to stand. A `name` with a separator is not searched for; it must be absolute and executable.
/// `is_refused` is asked about each find by its real path, links followed; a refused one is passed
/// over.
pub(crate) fn find(
    name: &OsStr,
    search_path: &OsStr,
    is_refused: &dyn Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let named = Path::new(name);
    if named.components().count() != 1 {
        return named
            .is_absolute()
            .then(|| spellings(named).into_iter().find(|path| may_run(path)))?;
    }
    std::env::split_paths(search_path)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| spellings(&directory.join(named)))
        .find(|path| {
            may_run(path)
                && std::fs::canonicalize(path).is_ok_and(|real| !is_refused(&usual_path(real)))
        })
}

/// The names under which the program may lie there.
fn spellings(path: &Path) -> Vec<PathBuf> {
    if cfg!(windows) && path.extension().is_none() {
        return ["exe", "cmd", "bat"]
            .into_iter()
            .map(|extension| path.with_extension(extension))
            .collect();
    }
    vec![path.to_owned()]
}

fn may_run(path: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    let has_bit = {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let has_bit = true;
    metadata.is_file() && has_bit
}

/// The file `relative` in one of the directories that `program` lies in, by its real path: the nearest one.
#[must_use]
pub fn file_beside(program: &Path, relative: &str) -> Option<PathBuf> {
    let real = usual_path(std::fs::canonicalize(program).ok()?);
    let mut candidates = real
        .ancestors()
        .skip(1)
        .map(|directory| directory.join(relative));
    candidates.find(|path| path.is_file())
}

/// The value of a variable by the system's rules for names.
pub(crate) fn variable<'a>(
    variables: impl IntoIterator<Item = (&'a OsString, &'a OsString)>,
    name: &str,
) -> Option<&'a OsString> {
    variables
        .into_iter()
        .find(|(known, _)| {
            if cfg!(windows) {
                known.eq_ignore_ascii_case(name)
            } else {
                known.as_os_str() == name
            }
        })
        .map(|(_, value)| value)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_first_executable_file_counts_and_refused_or_relative_places_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (name, mode) in [("a/tool", 0o644), ("b/tool", 0o755), ("c/tool", 0o755)] {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::fs::create_dir_all(root.join("d/tool")).unwrap();
        let directory = |name: &str| match name {
            "" => PathBuf::new(),
            // Relative on purpose, though such a directory exists below the root.
            "c" => PathBuf::from("c"),
            name => root.join(name),
        };
        let search = std::env::join_paths(["", "c", "d", "a", "b", "c"].map(directory)).unwrap();
        let found = |is_refused: &dyn Fn(&Path) -> bool| find("tool".as_ref(), &search, is_refused);
        assert_eq!(found(&|_| false), Some(root.join("b/tool")));
        assert_eq!(found(&|path| path.starts_with(root.join("b"))), None);
        assert_eq!(
            find(root.join("c/tool").as_os_str(), &search, &|_| true),
            Some(root.join("c/tool")),
            "a program that was named by its whole path is meant"
        );
        assert_eq!(find("c/tool".as_ref(), &search, &|_| false), None);
        assert_eq!(find("other".as_ref(), &search, &|_| false), None);
    }
}
