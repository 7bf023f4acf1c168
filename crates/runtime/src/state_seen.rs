//! What outlives a process, as it is found from outside.

use std::io::ErrorKind;
use std::path::PathBuf;

use serde::Serialize;
use tenon_process::seen_temporary_directory;
use tenon_store::journal_mode;
use tenon_workspace::seen_state_directory;

use crate::store_files::FILE;

/// Where sessions with an `id` are kept on this system.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenState {
    /// The state directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Whether it is there already; it is made when it is needed.
    pub exists: bool,
    /// The store in it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The journal mode of the store: `wal`, or `rollback` where the file system has no write-ahead log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_mode: Option<&'static str>,
    /// What is wrong with the directory or the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Looks at the state directory and the store in it, and makes nothing.
#[must_use]
pub fn seen_state() -> SeenState {
    let mut seen = SeenState {
        directory: None,
        exists: false,
        file: None,
        journal_mode: None,
        fault: None,
    };
    let (directory, exists) = match seen_state_directory() {
        Ok(found) => found,
        Err(fault) => {
            seen.fault = Some(fault);
            return seen;
        }
    };
    let file = directory.join(FILE);
    (seen.directory, seen.exists) = (Some(directory), exists);
    match journal_mode(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return seen,
        Ok(Some(mode)) => seen.journal_mode = Some(mode),
        Ok(None) => seen.fault = Some("The file is no database of SQLite.".to_owned()),
        Err(error) => seen.fault = Some(format!("The file cannot be read: {error}.")),
    }
    seen.file = Some(file);
    seen
}

/// Where temporary files are made on this system: whole outputs, long commands, profiles of browsers.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeenTemporary {
    /// The directory that is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// What is wrong with the one that the environment names, or with all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Makes a directory for temporary files and removes it.
#[must_use]
pub fn seen_temporary() -> SeenTemporary {
    match seen_temporary_directory() {
        Ok((directory, fault)) => SeenTemporary {
            directory: Some(directory),
            fault: fault.map(|fault| format!("{fault}.")),
        },
        Err(error) => SeenTemporary {
            directory: None,
            fault: Some(format!("{error}.")),
        },
    }
}
