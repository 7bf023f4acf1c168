//! What is done about commits whose process ended half way.

mod elsewhere;
mod log;
mod step;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use tenon_contract::{counted, limits};

use self::elsewhere::Stamp;
use self::log::Log;
use self::step::{Leftover, Remains};
use super::record::{Copy, copy_path, is_record};
use crate::{Error, Located, Workspace, lock_paths_blocking};

/// What became of a commit whose process ended half way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// Which way it went.
    pub way: RecoveredWay,
    /// The files that are whole now, as answers name them.
    pub paths: Vec<String>,
    /// Files that something else changed since. They were left as they are.
    pub changed_since: Vec<String>,
    /// Where the content from before the commit is kept of those, if it was still there.
    pub kept: Vec<String>,
}

/// Which way a commit that was left half done went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveredWay {
    /// Every file is as it was before.
    Undone,
    /// Every file is as it was planned.
    Finished,
}

impl Recovered {
    /// What happened, in one line for the user whose files these are.
    #[must_use]
    pub fn sentence(&self) -> String {
        let all: Vec<&str> = self
            .paths
            .iter()
            .chain(&self.changed_since)
            .map(String::as_str)
            .collect();
        let mut sentence = match all.as_slice() {
            [only] => format!("A previous process crashed during a change of `{only}`"),
            _ => format!(
                "A previous process crashed during a change of {} ({})",
                counted(all.len() as u64, "file", "files"),
                first_of(&all)
            ),
        };
        match (self.paths.is_empty(), self.way) {
            (true, _) => {}
            (false, RecoveredWay::Undone) => sentence.push_str("; it was rolled back"),
            (false, RecoveredWay::Finished) => sentence.push_str("; it was completed"),
        }
        let left: Vec<&str> = self.changed_since.iter().map(String::as_str).collect();
        if !left.is_empty() {
            let (files, were) = match left.len() {
                1 => (first_of(&left), "was"),
                many => (
                    format!(
                        "{} ({})",
                        counted(many as u64, "file", "files"),
                        first_of(&left)
                    ),
                    "were",
                ),
            };
            sentence.push_str(&format!(
                "; {files} {were} left alone because something else changed {} since",
                if left.len() == 1 { "it" } else { "them" }
            ));
        }
        if let [first, ..] = self.kept.as_slice() {
            sentence.push_str(&format!("; the earlier content is kept in `{first}`"));
            if self.kept.len() > 1 {
                let more = counted(self.kept.len() as u64 - 1, "other file", "other files");
                sentence.push_str(&format!(" and {more} beside it"));
            }
        }
        sentence.push('.');
        sentence
    }
}

/// The first of these names, and that there are more.
fn first_of(paths: &[&str]) -> String {
    let more = if paths.len() > 1 { ", …" } else { "" };
    let first = paths.first().copied().unwrap_or_default();
    format!("`{first}`{more}")
}

/// Finishes or undoes what commits of processes that are gone left half done in this workspace, and
/// removes their temporary files. To be called when a workspace is opened, before anything is changed.
///
/// A commit goes back to what was before; forward to what was planned where the way back is not
/// whole. A file that something else changed since is never touched. Commits of processes that live
/// are left alone, and so are those that concern files outside this workspace as well.
///
/// Answers what concerns files, not what only left temporary ones.
pub fn recover(workspace: &Workspace) -> Vec<Recovered> {
    recover_watched(workspace, &mut || {})
}

/// The same with a look between all that the system does as a whole, for tests of its own end.
fn recover_watched(workspace: &Workspace, look: &mut dyn FnMut()) -> Vec<Recovered> {
    let Some(directory) = workspace.state_directory() else {
        return Vec::new();
    };
    let Ok(entries) = fs::read_dir(&directory) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut records: Vec<(PathBuf, Option<Stamp>)> = names
        .filter(|name| is_record(name))
        .map(|name| directory.join(name))
        .map(|path| {
            let stamp = Stamp::of(&path);
            (path, stamp)
        })
        .collect();
    // The last commit is taken back first.
    records.sort_by_key(|(_, stamp)| std::cmp::Reverse(*stamp));
    records
        .iter()
        .filter(|(path, stamp)| !elsewhere::is_known(workspace, path, *stamp))
        .filter_map(|(path, stamp)| recover_one(workspace, path, *stamp, look))
        .collect()
}

/// A record that nobody else has locked.
struct Locked(File);

impl Locked {
    fn try_new(file: File) -> Option<Self> {
        file.try_lock().ok()?;
        Some(Self(file))
    }
}

impl Drop for Locked {
    /// A child that another thread has just made has the file as well, until it runs its program. Where the record is only
    /// looked at, who looks next would take it for one of a process that lives.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

fn recover_one(
    workspace: &Workspace,
    path: &Path,
    stamp: Option<Stamp>,
    look: &mut dyn FnMut(),
) -> Option<Recovered> {
    let file = File::options().read(true).write(true).open(path).ok()?;
    // Its process lives, or another one is recovering it.
    let Locked(file) = &Locked::try_new(file)?;
    // Somebody else was quicker.
    fs::symlink_metadata(path).ok()?;
    // Another version will know what to do with its own.
    let log = Log::read(file).ok()??;
    let Some(commit) = HalfDone::of(workspace, path, &log) else {
        elsewhere::keep(path, stamp, &log);
        return None;
    };
    let targets = commit
        .steps
        .iter()
        .map(|step| step.place.target().to_owned());
    let start = Instant::now();
    let is_late = || start.elapsed() > limits::RECOVERY_LOCK_WAIT;
    let _guard = lock_paths_blocking(targets, &is_late).ok()?;
    let recovered = commit.recover(&log, look).ok()?;
    look();
    for index in 0..log.steps.len() {
        for copy in [Copy::Old, Copy::New] {
            let _ = fs::remove_file(copy_path(path, index, copy));
        }
    }
    look();
    let _ = fs::remove_file(path);
    recovered
}

/// A commit that was not finished.
struct HalfDone {
    steps: Vec<Leftover>,
    directories: Vec<Located>,
}

impl HalfDone {
    /// `None` when a part of it lies outside the workspace.
    fn of(workspace: &Workspace, record: &Path, log: &Log) -> Option<Self> {
        let place = |path: &OsStr, is_directory: bool| {
            let path = Path::new(path);
            let is_plain = path.is_absolute() && path.components().collect::<PathBuf>() == path;
            let is_plain = is_plain && !path.components().any(|part| part.as_os_str() == "..");
            is_plain
                .then(|| workspace.place(path, path.to_owned(), is_directory))
                .flatten()
        };
        let steps = log.steps.iter().enumerate().map(|(index, step)| {
            let place = place(&step.line.target, false)?;
            Some(Leftover::new(place, step.clone(), record, index))
        });
        let directories = log.directories.iter().map(|path| place(path, true));
        Some(Self {
            steps: steps.collect::<Option<_>>()?,
            directories: directories.collect::<Option<_>>()?,
        })
    }

    /// Brings the files into one whole state. An error leaves the record to the next attempt.
    fn recover(&self, log: &Log, look: &mut dyn FnMut()) -> Result<Option<Recovered>, Error> {
        let found: Vec<Remains> = self
            .steps
            .iter()
            .map(Leftover::look)
            .collect::<Result<_, _>>()?;
        if !log.is_ready {
            // No file was touched yet.
            for step in &self.steps {
                look();
                step.discard(/*keeps_backup*/ false)?;
            }
            self.remove_directories();
            return Ok(None);
        }
        let way = direction(log, &found);
        let is_whole = log.is_done
            || match way {
                RecoveredWay::Undone => found.iter().all(Remains::is_untouched),
                RecoveredWay::Finished => found.iter().all(Remains::is_applied),
            };
        let mut reported = Recovered {
            way,
            paths: Vec::new(),
            changed_since: Vec::new(),
            kept: Vec::new(),
        };
        for (step, found) in self.steps.iter().zip(&found).rev() {
            let is_foreign = found.is_foreign();
            look();
            match way {
                _ if is_foreign || log.is_done => {}
                RecoveredWay::Undone => step.undo(found)?,
                RecoveredWay::Finished => step.finish(found)?,
            }
            look();
            let kept = step.discard(is_foreign && way == RecoveredWay::Undone)?;
            reported.kept.extend(kept);
            let names = if is_foreign {
                &mut reported.changed_since
            } else {
                &mut reported.paths
            };
            names.push(step.place.name().to_owned());
        }
        if way == RecoveredWay::Undone {
            self.remove_directories();
        }
        for step in &self.steps {
            step.sync();
        }
        reported.paths.reverse();
        reported.changed_since.reverse();
        Ok((!is_whole).then_some(reported))
    }

    fn remove_directories(&self) {
        for directory in self.directories.iter().rev() {
            if let Ok((above, name)) = directory.open_parent() {
                // Refused when something is in it; then it stays.
                let _ = above.remove_directory(name);
            }
        }
    }
}

/// Back, unless all is done, or the way back is not whole and the one forward is.
fn direction(log: &Log, found: &[Remains]) -> RecoveredWay {
    let all = |is: &dyn Fn(&Remains) -> bool| found.iter().all(is);
    let is_done = log.is_done || all(&|found| found.is_applied() || found.is_foreign());
    let is_undoable = all(&|found| found.is_undoable() || found.is_foreign());
    let is_finishable = all(&Remains::is_finishable);
    if is_done || (!is_undoable && is_finishable) {
        RecoveredWay::Finished
    } else {
        RecoveredWay::Undone
    }
}

/// A name that stands beside files only while they are changed.
fn own_name(name: Option<&OsString>) -> Option<&OsStr> {
    name.map(OsString::as_os_str)
        .filter(|name| super::temporary::is_name(name))
}

#[cfg(test)]
#[path = "recovery_tests.rs"]
mod tests;
