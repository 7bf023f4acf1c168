//! What the systems do differently: directories held by handle, and names opened beneath them.
//!
//! `unix` holds real handles. `portable` re-checks canonical paths before each use; it is what
//! Windows has for now, and the reference of the property tests everywhere else.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux_cached;
#[cfg(any(not(unix), test))]
pub(crate) mod portable;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_attributes;
#[cfg(unix)]
mod unix_resolve;
#[cfg(unix)]
mod unix_rights;

#[cfg(not(unix))]
pub(crate) use portable::{
    Directory, Identity, Strategy, copy_attributes, file_metadata, is_link_error,
    is_read_only_mount, keeping_attribute, keeps_files_of_others, missing_right, resolve, set_mode,
    user,
};
#[cfg(unix)]
pub(crate) use unix::{
    Directory, Identity, Strategy, copy_attributes, file_metadata, is_link_error, resolve, set_mode,
};
#[cfg(unix)]
pub(crate) use unix_rights::{
    is_read_only_mount, keeping_attribute, keeps_files_of_others, missing_right, user,
};

use std::path::PathBuf;

/// What a process needs of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// To see whether something is there.
    Reach,
    /// To read it, or to list it.
    Read,
    /// To make, replace or remove it.
    Change,
}

/// Where a path text leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Absolute, links not followed (but before `..`).
    pub(crate) name: PathBuf,
    /// Absolute, every link followed as far as the path exists.
    pub(crate) target: PathBuf,
    /// Whether nothing stands there.
    pub(crate) is_missing: bool,
}

/// Why a path text leads nowhere.
#[derive(Debug)]
pub(crate) enum ResolveFault {
    /// More links than the system follows.
    #[cfg_attr(not(unix), allow(dead_code))]
    TooManyLinks,
    /// The system opens a file of another name by it.
    #[cfg_attr(not(any(windows, test)), allow(dead_code))]
    AnotherName,
    /// The system refused to say more about this path.
    System(PathBuf, std::io::Error),
}
