//! Protected names that do not exist: they are made for as long as the command runs, so that
//! something can be mounted over them, and removed afterwards.
//!
//! What is made is seen outside too, so it is made of what version control passes over: an empty
//! directory, and for a file the name of a socket that nobody listens on. Commands that run at the same
//! time share them; the last one removes them. Which one is the last is decided by a lock on the directory that
//! may be written.

use core::ffi::CStr;

use crate::options::Options;
use crate::system::{
    Descriptor, Errno, Kind, OpenFor, at_place, lock_alone, lock_together, look_at, make_directory,
    make_socket_name, open, remove_directory, remove_file, set_changed,
};

/// By this time of their last change our directories are distinguished from those of others.
const MARK: (i64, u32) = (981_173_106, 704_050_607);
/// Directories that may be written, and so locked. More than these are not shared by the last.
const LOCKS_MAX: usize = 16;

/// What was made for one command.
#[derive(Debug)]
pub(crate) struct Placeholders {
    locks: [Option<Descriptor>; LOCKS_MAX],
}

impl Placeholders {
    /// Makes all that are asked for.
    pub(crate) fn make(options: &Options) -> Result<Self, Errno> {
        let mut locks = [None; LOCKS_MAX];
        for (place, directory) in locks.iter_mut().zip(options.paths(b"write")) {
            let directory = open(Descriptor::HERE, directory, OpenFor::Directory)?;
            lock_together(directory)?;
            *place = Some(directory);
        }
        let made = Self { locks };
        for path in options.paths(b"missing-directory") {
            if let Err(errno) = directory(path) {
                made.remove(options);
                return Err(errno);
            }
        }
        for path in options.paths(b"missing-file") {
            if let Err(errno) = ignoring_existing(at_place(path, |place| make_socket_name(place))) {
                made.remove(options);
                return Err(errno);
            }
        }
        Ok(made)
    }

    /// Removes them, unless another command uses them still. What is none of ours stays.
    pub(crate) fn remove(&self, options: &Options) {
        for path in options.paths(b"unwanted") {
            // Usually there is none.
            let _ = at_place(path, |place| remove_file(place));
        }
        let is_last = self
            .locks
            .iter()
            .flatten()
            .all(|lock| lock_alone(*lock).is_ok());
        if !is_last {
            return;
        }
        // Names that somebody else removed already need no removing.
        for path in options.paths(b"missing-file") {
            let _ = at_place(path, |place| match look_at(place)? {
                (Kind::Socket, _) => remove_file(place),
                _ => Ok(()),
            });
        }
        for path in options.paths(b"missing-directory") {
            let _ = at_place(path, |place| match look_at(place)? {
                (Kind::Directory, MARK) => remove_directory(place),
                _ => Ok(()),
            });
        }
    }
}

fn directory(path: &CStr) -> Result<(), Errno> {
    at_place(path, |place| match make_directory(place, 0o755) {
        Ok(()) => set_changed(place, MARK),
        other => ignoring_existing(other),
    })
}

fn ignoring_existing(made: Result<(), Errno>) -> Result<(), Errno> {
    match made {
        Err(Errno::EXISTS) => Ok(()),
        other => other,
    }
}
