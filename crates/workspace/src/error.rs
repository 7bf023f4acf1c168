//! Why a file could not be located, read or changed.

use std::io;

use tenon_contract::{ErrorCode, NextStep, ToolError, counted, grouped, parameter, reason};

use crate::FileKind;
use crate::closed::{Closed, behind};
use crate::path_text::{foreign_form, missing_advice, quoted};

/// A failure of this crate. Every variant that concerns a file names it as answers do: relative
/// to the workspace root. The sentences are written for a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is no path that can be worked with (empty, NUL, too long, a loop of links).
    #[error("The path `{path}` cannot be used: {}.", .reason.trim_end_matches('.'))]
    InvalidPath {
        /// As it was given, shortened when it is very long.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The address of a kept output of a command, where a file or directory is needed.
    #[error(
        "`{path}` is the kept output of a command, not a file: it can only be read and searched."
    )]
    OutputAddress {
        /// The address.
        path: String,
    },
    /// Nothing has this name.
    #[error("{}", missing(.path, .near, .link.as_ref()))]
    NotFound {
        /// The missing file or directory.
        path: String,
        /// Up to three names that resemble it, in the form in which they can be asked for.
        near: Vec<String>,
        /// The link on the way that leads nowhere, if that is why. Lists have it, so it does exist.
        link: Option<DanglingLink>,
    },
    /// The path leads out of every root.
    #[error("`{path}` is outside the workspace `{root}`. Use a path inside it.")]
    OutsideWorkspace {
        /// As it was given.
        path: String,
        /// The workspace root.
        root: String,
    },
    /// Between the check and the opening, a part of the path became a link.
    #[error(
        "`{path}` was replaced by a link while it was being opened. Nothing was read or written; try again."
    )]
    Changed {
        /// The file.
        path: String,
    },
    /// Something else than a regular file has this name.
    #[error("`{path}` is {}{}.", .kind.describe(), if matches!(.kind, FileKind::Directory) { "" } else { ", not a regular file" })]
    NotAFile {
        /// The path.
        path: String,
        /// What it is.
        kind: FileKind,
    },
    /// A file stands where a directory is needed.
    #[error("`{path}` does not exist: a part of this path is a file, not a directory.")]
    NotADirectory {
        /// The path.
        path: String,
    },
    /// A file stands where none was expected.
    #[error("`{path}` already exists. Update it, or delete it first.")]
    AlreadyExists {
        /// The path.
        path: String,
    },
    /// The content is not text.
    #[error(
        "`{path}` is {} ({}) and cannot be shown as text.",
        binary_file(.kind), counted(*.size, "byte", "bytes")
    )]
    Binary {
        /// The path.
        path: String,
        /// Such as `a ZIP archive`.
        kind: &'static str,
        /// Size of the file in bytes.
        size: u64,
    },
    /// The text is in an encoding that cannot be worked with.
    #[error(
        "`{path}` is encoded in {encoding}, which is not supported. Convert it to UTF-8 first."
    )]
    Encoding {
        /// The path.
        path: String,
        /// The encoding.
        encoding: &'static str,
    },
    /// The encoding of the file has no form for a character of the new text.
    #[error(
        "The character `{character}` (U+{:04X}) cannot be written to `{path}`, whose encoding is {encoding}. \
         Use characters of that encoding, or convert the file to UTF-8 first.",
        u32::from(*.character)
    )]
    Unencodable {
        /// The path.
        path: String,
        /// The encoding of the file.
        encoding: &'static str,
        /// The first character without a form in it.
        character: char,
    },
    /// Next to bytes that are not valid in the encoding, new ones would be read with them.
    #[error(
        "`{path}` has bytes next to the change that are not valid {encoding}, and the change would alter how they are read. \
         Edit text farther away from the damaged place (shown as U+FFFD), or replace that too."
    )]
    Damaged {
        /// The path.
        path: String,
        /// The encoding of the file.
        encoding: &'static str,
    },
    /// More bytes than can be worked with at once.
    #[error(
        "`{path}` is too large: {} bytes, and the limit is {}.", grouped(*.size), grouped(*.limit)
    )]
    TooLarge {
        /// The path.
        path: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not what it was when the change was planned.
    #[error(
        "`{path}` changed on disk since it was read. Nothing was written; read it again and repeat the change."
    )]
    Stale {
        /// The path.
        path: String,
    },
    /// The file carries no permission to write.
    #[error("`{path}` is read-only. {}", unchanged(*.is_removal, closed.as_ref()))]
    ReadOnly {
        /// The path.
        path: String,
        /// Whether it was to be deleted.
        is_removal: bool,
        /// What else than its permission bits is in the way.
        closed: Option<Closed>,
    },
    /// The file could only be written over, and has other names.
    #[error(
        "`{path}` cannot be replaced, because its directory does not accept new files or it is a mount point, and overwriting \
         it would change {others} other {} of it (hard links), perhaps outside the workspace. Nothing was written.",
        if *.others == 1 { "name" } else { "names" }
    )]
    HardLinked {
        /// The path.
        path: String,
        /// How many other names it has.
        others: u64,
    },
    /// The operating system refused.
    #[error("The operating system refused to {action} `{path}`: {source}.{}", behind(closed.as_ref()))]
    AccessDenied {
        /// The path.
        path: String,
        /// What was tried, such as `open`.
        action: &'static str,
        /// The answer of the system.
        source: io::Error,
        /// What is in the way, where that could be found out.
        closed: Option<Closed>,
    },
    /// The caller gave up.
    #[error("The call was aborted before it finished.")]
    Cancelled,
    /// Reading or writing failed.
    #[error("Could not {action} `{path}`: {}.", reason(source))]
    Io {
        /// The path.
        path: String,
        /// What was tried, such as `read`.
        action: &'static str,
        /// The answer of the system.
        source: io::Error,
    },
    /// A change failed and what was done before it could not be taken back.
    #[error("{cause} Some files could not be restored: {}.", quoted(.left))]
    RollbackFailed {
        /// What went wrong first.
        cause: Box<Error>,
        /// The files that are neither as before nor as planned, with what stands there now.
        left: Vec<String>,
    },
    /// Something else than the tools changed files that a roll-back would restore.
    #[error(
        "{} changed since the checkpoint, and not by these tools. Nothing was restored; \
         roll back with `force` to discard those changes as well.", listed(.paths)
    )]
    ChangedElsewhere {
        /// The files.
        paths: Vec<String>,
    },
    /// Somebody else changed files that a run had changed, and whose changes are to be taken back.
    #[error(
        "{} changed after the run `{run}` had changed them. Nothing was restored; roll back what came later first, or \
         roll back with `force` to discard it as well.", listed(.paths)
    )]
    ChangedLater {
        /// The run.
        run: String,
        /// The files.
        paths: Vec<String>,
    },
    /// Later calls changed files that a call had changed, and whose changes are to be undone.
    #[error(
        "The call `{call}` cannot be undone: {} changed again {}. Nothing was restored; undo {} first.",
        listed(.paths), by_calls(.later), if .later.len() == 1 { "that call" } else { "what came later" }
    )]
    CallsLater {
        /// The call.
        call: String,
        /// The later calls, as far as they have names.
        later: Vec<String>,
        /// The files.
        paths: Vec<String>,
    },
    /// Something else changed files that a call had changed, and whose changes are to be undone.
    #[error(
        "The call `{call}` cannot be undone: {} changed since, and not by these tools. Nothing was restored.",
        listed(.paths)
    )]
    CallElsewhere {
        /// The call.
        call: String,
        /// The files.
        paths: Vec<String>,
    },
    /// Of a command it is not known what it changed.
    #[error(
        "What {} changed is not known: its process ended before it did, or it is still running. Nothing was restored{}.",
        listed(.commands), if *.may_force { "; roll back with `force` to restore what is known" } else { "" }
    )]
    CommandNotEnded {
        /// The commands.
        commands: Vec<String>,
        /// Whether there is a way back nevertheless.
        may_force: bool,
    },
    /// There is no such call, or nothing of it is kept.
    #[error("There are no changes of the call `{call}`: {reason}.")]
    NoCall {
        /// As it was asked for.
        call: String,
        /// Why not.
        reason: &'static str,
    },
    /// Where changes are kept did not return them.
    #[error(
        "What is kept of earlier changes could not be read: {source}. Nothing was restored; try it again."
    )]
    Kept {
        /// What it said.
        source: std::io::Error,
    },
    /// Another process works on the file and does not come to an end.
    #[error(
        "Another process is changing `{path}` and did not finish in time. Nothing was written; try again."
    )]
    Busy {
        /// The path.
        path: String,
    },
    /// A call in the handler of another one would wait for ever.
    #[error(
        "`{path}` is held by {holder}, which waits for a file of the call that this one is made in: both would wait for ever. Nothing \
         was changed. Declare all files that a handler changes in the `effects` of its tool, so that its calls wait before they begin."
    )]
    Deadlock {
        /// The path.
        path: String,
        /// Who has it.
        holder: String,
    },
    /// There is no such checkpoint, or none any more.
    #[error("The checkpoint `{id}` cannot be restored: {reason}.")]
    NoCheckpoint {
        /// As it was asked for.
        id: String,
        /// Why not.
        reason: &'static str,
    },
    /// Nothing is kept of changes any more.
    #[error("A checkpoint cannot be made: {reason}.")]
    NoNewCheckpoint {
        /// Why not.
        reason: &'static str,
    },
    /// There is no such run, or nothing of it is kept.
    #[error("The changes of the run `{run}` cannot be taken back: {reason}.")]
    NoRun {
        /// As it was asked for.
        run: String,
        /// Why not.
        reason: &'static str,
    },
    /// Two changes of one set concern the same file.
    #[error("`{path}` is changed twice in one set of changes. Put both changes into one.")]
    DoubleChange {
        /// The path.
        path: String,
    },
    /// A new file whose directory is to be a new file as well.
    #[error(
        "`{path}` cannot be created: `{file}` is a file in the same set of changes, not a directory. Use another path for one of them."
    )]
    FileAsDirectory {
        /// The path.
        path: String,
        /// The file that would have to be its directory.
        file: String,
    },
    /// A root is not the directory any more that stands at its path.
    #[error(
        "The workspace directory `{root}` was removed, moved or replaced after these tools were created. Nothing was read, \
         written or run. Another call cannot fix this: the application must create new tools for the directory that is there now."
    )]
    WorkspaceGone {
        /// Its path.
        root: String,
    },
    /// A replacement does not fit the text it is for. A fault of the caller inside tenon.
    #[error("the replacement of bytes {start}..{end} of `{path}` {fault}")]
    BadSplice {
        /// The path.
        path: String,
        /// Start of the range in the text.
        start: usize,
        /// End of the range in the text.
        end: usize,
        /// What is wrong with it.
        fault: &'static str,
    },
}

impl Error {
    /// Turns what the system answered into an error about `path`.
    pub(crate) fn system(path: &str, action: &'static str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound {
                path,
                near: Vec::new(),
                link: None,
            },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::AccessDenied {
                    path,
                    action,
                    source,
                    closed: None,
                }
            }
            io::ErrorKind::InvalidFilename => Self::InvalidPath {
                path: shorten(&path),
                reason: "it, or one of its parts, is too long",
            },
            _ if crate::platform::is_link_error(&source) => Self::Changed { path },
            _ => Self::Io {
                path,
                action,
                source,
            },
        }
    }

    const fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidPath { .. }
            | Self::OutputAddress { .. }
            | Self::DoubleChange { .. }
            | Self::FileAsDirectory { .. } => ErrorCode::InvalidParams,
            Self::NotFound { .. }
            | Self::NoCheckpoint { .. }
            | Self::NoNewCheckpoint { .. }
            | Self::NoRun { .. }
            | Self::NoCall { .. } => ErrorCode::NotFound,
            Self::Kept { .. } => ErrorCode::Io,
            Self::OutsideWorkspace { .. } => ErrorCode::OutsideWorkspace,
            Self::Changed { .. }
            | Self::Stale { .. }
            | Self::ChangedElsewhere { .. }
            | Self::ChangedLater { .. }
            | Self::CallsLater { .. }
            | Self::CommandNotEnded { .. }
            | Self::CallElsewhere { .. } => ErrorCode::StaleFile,
            Self::NotAFile { .. } => ErrorCode::NotAFile,
            Self::NotADirectory { .. } => ErrorCode::NotADirectory,
            Self::AlreadyExists { .. } => ErrorCode::AlreadyExists,
            Self::Binary { .. } => ErrorCode::BinaryFile,
            Self::Encoding { .. } | Self::Unencodable { .. } | Self::Damaged { .. } => {
                ErrorCode::Encoding
            }
            Self::TooLarge { .. } => ErrorCode::TooLarge,
            Self::ReadOnly { .. } | Self::AccessDenied { .. } | Self::HardLinked { .. } => {
                ErrorCode::AccessDenied
            }
            Self::Busy { .. } => ErrorCode::Timeout,
            Self::Deadlock { .. } => ErrorCode::Deadlock,
            Self::Cancelled => ErrorCode::Cancelled,
            Self::Io { .. } | Self::RollbackFailed { .. } => ErrorCode::Io,
            Self::WorkspaceGone { .. } => ErrorCode::WorkspaceGone,
            Self::BadSplice { .. } => ErrorCode::Internal,
        }
    }

    /// The file that the error is about, if it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::InvalidPath { path, .. }
            | Self::OutputAddress { path }
            | Self::NotFound { path, .. }
            | Self::OutsideWorkspace { path, .. }
            | Self::Changed { path }
            | Self::NotAFile { path, .. }
            | Self::NotADirectory { path }
            | Self::AlreadyExists { path }
            | Self::Binary { path, .. }
            | Self::Encoding { path, .. }
            | Self::Unencodable { path, .. }
            | Self::Damaged { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Stale { path }
            | Self::Busy { path }
            | Self::Deadlock { path, .. }
            | Self::ReadOnly { path, .. }
            | Self::HardLinked { path, .. }
            | Self::AccessDenied { path, .. }
            | Self::Io { path, .. }
            | Self::DoubleChange { path }
            | Self::FileAsDirectory { path, .. }
            | Self::BadSplice { path, .. } => Some(path),
            Self::RollbackFailed { cause, .. } => cause.path(),
            Self::ChangedElsewhere { paths }
            | Self::ChangedLater { paths, .. }
            | Self::CallsLater { paths, .. }
            | Self::CallElsewhere { paths, .. } => paths.first().map(String::as_str),
            Self::Cancelled
            | Self::CommandNotEnded { .. }
            | Self::NoCheckpoint { .. }
            | Self::NoNewCheckpoint { .. }
            | Self::NoRun { .. }
            | Self::NoCall { .. }
            | Self::Kept { .. }
            | Self::WorkspaceGone { .. } => None,
        }
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        if matches!(error, Error::BadSplice { .. }) {
            return Self::internal(&error).caused_by(error);
        }
        let mut reported = Self::new(error.code(), error.to_string());
        if let Some(path) = error.path() {
            reported = reported.with("path", path);
        }
        reported = match &error {
            Error::NotFound { near, .. } if !near.is_empty() => reported.with("near", near.clone()),
            Error::NotAFile { kind, .. } => reported.with("kind", kind.as_str()),
            Error::Binary { kind, size, .. } => reported.with("kind", *kind).with("size", *size),
            Error::Encoding { encoding, .. } | Error::Damaged { encoding, .. } => {
                reported.with("encoding", *encoding)
            }
            Error::Unencodable {
                encoding,
                character,
                ..
            } => reported
                .with("encoding", *encoding)
                .with("character", character.to_string()),
            Error::TooLarge { size, limit, .. } => {
                reported.with("size", *size).with("limit", *limit)
            }
            Error::RollbackFailed { left, .. } => reported.with("notRestored", left.clone()),
            Error::ChangedElsewhere { paths } => reported.with("paths", paths.clone()),
            Error::ChangedLater { run, paths } => reported
                .with("paths", paths.clone())
                .with("runId", run.as_str()),
            Error::CallsLater { call, later, paths } => reported
                .with("paths", paths.clone())
                .with("toolCallId", call.as_str())
                .with("laterCalls", later.clone()),
            Error::CallElsewhere { call, paths } => reported
                .with("paths", paths.clone())
                .with("toolCallId", call.as_str()),
            Error::CommandNotEnded { commands, .. } => reported.with("commands", commands.clone()),
            Error::NoCall { call, .. } => reported.with("toolCallId", call.as_str()),
            Error::WorkspaceGone { root } => reported.with("workspace", root.as_str()),
            Error::NoCheckpoint { id, .. } => reported.with("checkpoint", id.as_str()),
            Error::NoRun { run, .. } => reported.with("runId", run.as_str()),
            _ => reported,
        };
        error
            .next_steps()
            .into_iter()
            .fold(reported, Self::then)
            .caused_by(error)
    }
}

impl Error {
    /// What helps, where that takes a tool.
    fn next_steps(&self) -> Vec<NextStep> {
        match self {
            Self::NotFound {
                path,
                near,
                link: None,
            } if near.is_empty() && foreign_form(path).is_none() => {
                vec![NextStep::find_file()]
            }
            Self::NotAFile {
                kind: FileKind::Directory,
                ..
            } => vec![NextStep::list_directory()],
            Self::OutputAddress { .. } => vec![NextStep::FirstOf(vec![
                NextStep::read_file("see it"),
                NextStep::search("search it"),
            ])],
            Self::TooLarge { .. } => vec![NextStep::run_command("work with it")],
            Self::Binary { .. } => vec![NextStep::FirstOf(vec![
                NextStep::with_fields(
                    &["encoding"],
                    format!(
                        "Set {} to `base64` to get its bytes.",
                        parameter("encoding")
                    ),
                ),
                NextStep::run_command("inspect or convert it"),
            ])],
            _ => Vec::new(),
        }
    }
}

/// That a file was not changed, and the next step.
fn unchanged(is_removal: bool, closed: Option<&Closed>) -> String {
    let (nothing, later) = if is_removal {
        ("Nothing was deleted", "deleted")
    } else {
        ("Nothing was written", "changed")
    };
    match closed {
        Some(closed) => format!("{nothing}. {closed}"),
        None => format!("{nothing}; make it writable first if it should be {later}."),
    }
}

/// A link that leads to where nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DanglingLink {
    /// The link, as it was named.
    pub link: String,
    /// Where it leads, by the links behind it as well.
    pub target: String,
}

/// That nothing is at a path, and what is known of the reason.
fn missing(path: &str, near: &[String], link: Option<&DanglingLink>) -> String {
    let Some(DanglingLink { link, target }) = link else {
        return format!("`{path}` does not exist.{}", missing_advice(path, near));
    };
    let fault = format!("`{link}` is a link to `{target}`, which does not exist.");
    if link == path {
        fault
    } else {
        format!("`{path}` does not exist: {fault}")
    }
}

/// Enough of a text to recognise it.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 200;
    if text.len() <= SHOWN {
        text.to_owned()
    } else {
        format!("{}…", crate::floor_character(text, SHOWN))
    }
}

/// Who changed something later, as the end of a sentence.
fn by_calls(calls: &[String]) -> String {
    match calls {
        [] => "later".to_owned(),
        [call] => format!("by the later call `{call}`"),
        calls => format!("by the later calls {}", listed(calls)),
    }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// A kind of binary content, as a noun; what is only known to be binary is a binary file.
fn binary_file(kind: &str) -> &str {
    match kind {
        "binary data" => "a binary file",
        known => known,
    }
}
