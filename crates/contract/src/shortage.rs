//! What a system has no more of for the moment, and which limit that is.

use std::any::Any;
use std::io::{self, ErrorKind};

use crate::{ErrorCode, ToolError};

const THREADS: &str = "no process or thread can be started: a limit of processes is reached (`ulimit -u`, or `pids.max` of the container). End processes that are not needed, or raise the limit";
const DESCRIPTORS: &str = "no file can be opened: the limit of open files of this process is reached (`ulimit -n`). End background commands that are not needed, or raise the limit";
const FILES: &str = "no file can be opened: the limit of open files of the system is reached (`fs.file-max`). End processes that are not needed, or raise the limit";
const MEMORY: &str = "the system has no memory for it. End processes that are not needed, or raise the limit of memory";
const FULL: &str = "no space is left on the disk. Remove what is not needed there, then try again";
const QUOTA: &str =
    "the quota of disk space is used up. Remove what is not needed there, then try again";

/// What panics of the standard library and of the executor begin with where there is no thread to have.
const PANICS: [&str; 2] = ["OS can't spawn worker thread", "failed to spawn thread"];

/// Which limit is reached, and what to do, where an error is a passing lack of the system: nothing is wrong with what was
/// asked for, and the same may work the next time. Without a period at its end.
#[must_use]
pub fn shortage(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        // Of starting something: there is no other use of it here.
        ErrorKind::WouldBlock => return Some(THREADS),
        ErrorKind::OutOfMemory => return Some(MEMORY),
        _ => {}
    }
    match error.raw_os_error() {
        // EMFILE and ENFILE, which have no kind; the same numbers on every Unix.
        Some(24) if cfg!(unix) => Some(DESCRIPTORS),
        Some(23) if cfg!(unix) => Some(FILES),
        _ => None,
    }
}

/// What the system said in an error, and what to do where it lacks something. Without a period at its end.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    match (error.kind(), shortage(error)) {
        (ErrorKind::StorageFull, _) => FULL.to_owned(),
        (ErrorKind::QuotaExceeded, _) => QUOTA.to_owned(),
        (_, Some(what)) => format!("{what} ({error})"),
        (_, None) => error.to_string(),
    }
}

/// Whether a panic says that there was no thread to have.
#[must_use]
pub fn is_shortage_of_threads(panic: &(dyn Any + Send)) -> bool {
    text(panic).is_some_and(|text| PANICS.iter().any(|start| text.starts_with(start)))
}

fn text(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
}

impl ToolError {
    /// Something was not begun because the system has no thread for it.
    #[must_use]
    pub fn no_thread() -> Self {
        let message = format!("The call was not run: {THREADS}.");
        Self::new(ErrorCode::Unavailable, message)
    }

    /// A panic as the error that it is for the caller.
    #[must_use]
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        if is_shortage_of_threads(panic) {
            let message = format!("The call was broken off: {THREADS}.");
            return Self::new(ErrorCode::Unavailable, message);
        }
        Self::internal(text(panic).unwrap_or("a part of the core panicked"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_lack_names_its_limit_and_another_failure_none() {
        let of = |number| shortage(&io::Error::from_raw_os_error(number));
        assert_eq!((of(24), of(23)), (Some(DESCRIPTORS), Some(FILES)));
        assert_eq!(of(2), None);
        assert_eq!(shortage(&ErrorKind::WouldBlock.into()), Some(THREADS));
        assert_eq!(shortage(&ErrorKind::OutOfMemory.into()), Some(MEMORY));
        let reason = |number| reason(&io::Error::from_raw_os_error(number));
        assert_eq!(reason(28), FULL);
        assert_eq!(
            reason(24),
            format!("{DESCRIPTORS} (Too many open files (os error 24))")
        );
        assert_eq!(reason(5), "Input/output error (os error 5)");
    }

    #[test]
    fn a_panic_for_want_of_a_thread_is_no_internal_error() {
        let of = |panic: Box<dyn Any + Send>| ToolError::panicked(panic.as_ref());
        let lack = of(Box::new(
            "OS can't spawn worker thread: Resource temporarily unavailable".to_owned(),
        ));
        assert_eq!(lack.code, ErrorCode::Unavailable);
        assert!(lack.message.contains("`ulimit -u`"), "{}", lack.message);
        assert_eq!(of(Box::new("an index")).code, ErrorCode::Internal);
    }
}
