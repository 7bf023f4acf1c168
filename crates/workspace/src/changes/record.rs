//! What a commit is about to do, kept outside the workspace until it is done, so that the next
//! process can finish or undo it when this one dies half way.
//!
//! One file for each running commit, locked (`flock`) by its process for as long as that lives,
//! one line of JSON for each fact, written before the fact comes true. Whatever is missing at the end of
//! such a file has not happened yet.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::durability::Durability;
use crate::{ContentHash, Workspace};

/// How record files end.
pub(super) const EXTENSION: &str = "commit";
/// The form of the lines. Records of another form are left for the version that wrote them.
pub(super) const VERSION: u32 = 1;

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    /// The first line. The process is named for people; whether it lives, the lock shows.
    Begin { version: u32, process: u32 },
    /// A directory that is made.
    Directory { path: OsString },
    /// What will happen to a file; counted from 0.
    Step(StepLine),
    /// The name, beside its file, under which the new content of a step is written.
    Temporary { step: usize, name: OsString },
    /// The file of this step is written over instead. Old and new content are kept beside the record.
    InPlace {
        step: usize,
        old: FileFact,
        new: FileFact,
    },
    /// All new content is written. From here on files change.
    Ready,
    /// All files have changed.
    Done,
}

/// What will happen to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StepLine {
    /// Absolute path without links.
    pub(super) target: OsString,
    pub(super) way: StepWay,
    /// The name, beside its file, that the old one has until all is done.
    pub(super) backup: Option<OsString>,
    /// What stands there now. Missing where nothing does, and in a commit of a single step.
    pub(super) old: Option<FileFact>,
    /// What will. Missing where nothing will, and in a commit of a single step.
    pub(super) new: Option<FileFact>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StepWay {
    New,
    Replace,
    Remove,
}

/// Enough of a file to know it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileFact {
    pub(super) hash: String,
    /// Permission bits where they are known beforehand.
    pub(super) mode: Option<u32>,
}

impl FileFact {
    pub(super) fn of(bytes: &[u8], mode: Option<u32>) -> Self {
        Self {
            hash: ContentHash::of(bytes).to_string(),
            mode,
        }
    }
}

/// Which of the two contents that are kept for a file written over in place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Copy {
    Old,
    New,
}

/// Where a content is kept, beside the record.
pub(super) fn copy_path(record: &Path, step: usize, copy: Copy) -> PathBuf {
    let which = match copy {
        Copy::Old => "old",
        Copy::New => "new",
    };
    record.with_extension(format!("{step}.{which}"))
}

/// The record of the commit that is running.
#[derive(Debug)]
pub(super) struct CommitRecord {
    kept: Option<KeptCopy>,
    /// Whether the commit cannot do without: files may then be left half changed.
    is_required: bool,
    durability: Durability,
}

#[derive(Debug)]
struct KeptCopy {
    file: File,
    path: PathBuf,
    copies: Vec<PathBuf>,
}

impl CommitRecord {
    /// Begins a record. Without a directory for it the commit does without: what it does is still
    /// taken back when it fails, only not when its process dies.
    pub(super) fn begin(
        workspace: &Workspace,
        is_required: bool,
        durability: Durability,
    ) -> io::Result<Self> {
        let mut record = Self {
            kept: None,
            is_required,
            durability,
        };
        if let Some(directory) = workspace.state_directory() {
            match KeptCopy::create(&directory) {
                Ok(kept) => record.kept = Some(kept),
                Err(error) if is_required => return Err(error),
                Err(_) => return Ok(record),
            }
            let begun = record.note(&Line::Begin {
                version: VERSION,
                process: std::process::id(),
            });
            if let Err(error) = begun {
                record.forget();
                return Err(error);
            }
        }
        Ok(record)
    }

    /// None at all, for what cannot be left half done.
    pub(super) const fn none(durability: Durability) -> Self {
        Self {
            kept: None,
            is_required: false,
            durability,
        }
    }

    /// Whether old and new content have to be identified by their hashes.
    pub(super) const fn reports_content(&self) -> bool {
        self.kept.is_some() && self.is_required
    }

    /// Adds a line.
    pub(super) fn note(&mut self, line: &Line) -> io::Result<()> {
        let Some(kept) = &mut self.kept else {
            return Ok(());
        };
        let written = serde_json::to_vec(line)
            .map_err(io::Error::from)
            .and_then(|mut bytes| {
                bytes.push(b'\n');
                kept.file.write_all(&bytes)
            });
        if written.is_err() && !self.is_required {
            self.forget();
            return Ok(());
        }
        written
    }

    /// Keeps both contents of a file that will be written over in place: from here on the commit
    /// cannot do without its record.
    pub(super) fn keep_contents(
        &mut self,
        step: usize,
        (old, old_mode): (&[u8], u32),
        (new, new_mode): (&[u8], u32),
    ) -> io::Result<()> {
        self.is_required = true;
        let Some(kept) = &mut self.kept else {
            return Ok(());
        };
        for (copy, bytes) in [(Copy::Old, old), (Copy::New, new)] {
            let path = copy_path(&kept.path, step, copy);
            let mut file = private_options().open(&path)?;
            kept.copies.push(path);
            file.write_all(bytes)?;
            if self.durability == Durability::Synced {
                file.sync_all()?;
            }
        }
        self.note(&Line::InPlace {
            step,
            old: FileFact::of(old, Some(old_mode)),
            new: FileFact::of(new, Some(new_mode)),
        })?;
        self.sync_lines()?;
        self.sync_name()
    }

    /// Says that files change from here on, and brings that to the disk. Its name is there already.
    pub(super) fn ready(&mut self) -> io::Result<()> {
        if !self.reports_content() {
            return Ok(());
        }
        self.note(&Line::Ready)?;
        self.sync_lines()
    }

    /// Says that all files have changed. If that cannot be said, a recovery sees it by itself.
    pub(super) fn done(&mut self) {
        if self.reports_content() {
            let _ = self.note(&Line::Done);
        }
    }

    /// Removes the record. One that stays behind says that all is done.
    pub(super) fn forget(&mut self) {
        if let Some(kept) = self.kept.take() {
            for copy in kept.copies {
                let _ = fs::remove_file(copy);
            }
            let _ = fs::remove_file(kept.path);
        }
    }

    /// Leaves the record to the next recovery: something could not be taken back now.
    pub(super) fn leave(&mut self) {
        self.kept = None;
    }

    /// Brings the name of the record to the disk, so that [`ready`](Self::ready) only has to bring its lines there.
    pub(super) fn sync_name(&self) -> io::Result<()> {
        match &self.kept {
            Some(kept) if self.is_required && self.durability == Durability::Synced => {
                sync_directory(&kept.path)
            }
            _ => Ok(()),
        }
    }

    fn sync_lines(&self) -> io::Result<()> {
        match &self.kept {
            Some(kept) if self.durability == Durability::Synced => kept.file.sync_all(),
            _ => Ok(()),
        }
    }
}

impl KeptCopy {
    fn create(directory: &Path) -> io::Result<Self> {
        const ATTEMPTS: usize = 8;
        for _ in 0..ATTEMPTS {
            let random = RandomState::new().hash_one(std::process::id());
            let path = directory
                .join(format!("{random:016x}"))
                .with_extension(EXTENSION);
            let file = private_options().open(&path)?;
            // A recovery that looked between the two steps took it for one of a dead process.
            if file.try_lock().is_ok() && fs::symlink_metadata(&path).is_ok() {
                return Ok(Self {
                    file,
                    path,
                    copies: Vec::new(),
                });
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }
}

fn private_options() -> fs::OpenOptions {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Brings the names in the directory of a record to the disk.
pub(super) fn sync_directory(record: &Path) -> io::Result<()> {
    match record.parent() {
        Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
        _ => Ok(()),
    }
}

/// Whether a name in the directory is the one of a record.
pub(super) fn is_record(name: &OsStr) -> bool {
    Path::new(name).extension() == Some(OsStr::new(EXTENSION))
}
