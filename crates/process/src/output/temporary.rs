//! Where temporary files are made: in the directory that the environment names, or else in one that the system has.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Makes something in the first directory for temporary files that takes it: the one that the environment names
/// (`TMPDIR`; an empty value names none), else `/tmp` or `/var/tmp`.
///
/// # Errors
/// What `make` said of every directory, or at once what is not the fault of a directory.
pub fn in_temporary_directory<T>(make: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    in_first(&candidates(std::env::temp_dir()), make)
}

/// The directory for temporary files that is used, and what is wrong with the one that the environment names. Tried by
/// making a directory and removing it.
///
/// # Errors
/// What every directory says.
pub fn seen_temporary_directory() -> io::Result<(PathBuf, Option<io::Error>)> {
    let tried = |directory: &Path| {
        tempfile::Builder::new()
            .prefix("tenon-")
            .tempdir_in(directory)
            .map(|_| directory.to_owned())
    };
    let candidates = candidates(std::env::temp_dir());
    let used = in_first(&candidates, tried)?;
    let first = candidates.first().filter(|first| **first != used);
    Ok((used, first.and_then(|first| tried(first).err())))
}

/// The directories to try, by absolute paths. On every Unix two are known that need no name.
fn candidates(named: PathBuf) -> Vec<PathBuf> {
    // An empty path has no absolute form.
    let mut found: Vec<PathBuf> = std::path::absolute(named).into_iter().collect();
    if cfg!(unix) {
        for usual in ["/tmp", "/var/tmp"].map(PathBuf::from) {
            if !found.contains(&usual) {
                found.push(usual);
            }
        }
    }
    found
}

fn in_first<T>(directories: &[PathBuf], make: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    let mut refused: Vec<io::Error> = Vec::new();
    for directory in directories {
        match make(directory) {
            Err(error) if is_of_the_directory(&error) => refused.push(error),
            made => return made,
        }
    }
    let kind = refused.first().map_or(ErrorKind::NotFound, io::Error::kind);
    let reasons: Vec<String> = refused.iter().map(ToString::to_string).collect();
    Err(io::Error::new(kind, reasons.join("; ")))
}

/// Whether another directory may take what this one refused. A lack of descriptors is the same everywhere.
fn is_of_the_directory(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::StorageFull
            | ErrorKind::QuotaExceeded
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_empty_name_is_none_and_a_relative_one_is_where_the_process_is() {
        let usual = ["/tmp", "/var/tmp"].map(PathBuf::from);
        assert_eq!(candidates(PathBuf::new()), usual);
        let here = std::env::current_dir().unwrap().join("tmp");
        let [one, other] = usual.clone();
        assert_eq!(candidates("tmp".into()), [here, one, other]);
        assert_eq!(candidates("/tmp".into()), usual);
    }

    #[test]
    fn a_directory_that_takes_nothing_is_passed_over() {
        let parent = tempfile::tempdir().unwrap();
        let (missing, file, good) = (
            parent.path().join("missing"),
            parent.path().join("file"),
            parent.path().join("good"),
        );
        std::fs::write(&file, "").unwrap();
        std::fs::create_dir(&good).unwrap();
        let directories = [missing.clone(), file, good.clone()];
        let make = |directory: &Path| {
            std::fs::create_dir(directory.join("made")).map(|()| directory.to_owned())
        };
        assert_eq!(in_first(&directories, make).unwrap(), good);
        let error = in_first(&[missing], make).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string()),
            (
                ErrorKind::NotFound,
                "No such file or directory (os error 2)".to_owned()
            )
        );
    }

    #[test]
    fn a_lack_of_descriptors_is_not_the_fault_of_a_directory() {
        let tried = std::cell::Cell::new(0);
        let error = in_first(&["/tmp".into(), "/var/tmp".into()], |_| {
            tried.set(tried.get() + 1);
            Err::<(), _>(rustix::io::Errno::MFILE.into())
        })
        .unwrap_err();
        assert_eq!(
            (tried.get(), error.raw_os_error()),
            (1, Some(rustix::io::Errno::MFILE.raw_os_error()))
        );
    }
}
