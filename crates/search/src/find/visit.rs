//! Looking at entries for [`find`](crate::find()).

use crate::directory::Directory;
use crate::entries::Kind;
use crate::fuzzy::{FuzzyPath, FuzzyWorker};
use crate::glob::PathGlob;
use crate::task::{Batch, Visitor};
use crate::{Control, EntryKind, FindRequest, FindSort, FoundEntry, SearchError};

/// How a path is judged.
pub(crate) enum PathVerdict {
    Glob(PathGlob),
    Fuzzy(FuzzyPath),
}

impl PathVerdict {
    pub(crate) fn new(request: &FindRequest) -> Result<Self, SearchError> {
        if request.fuzzy {
            return Ok(Self::Fuzzy(FuzzyPath::new(&request.pattern)));
        }
        let glob = PathGlob::new(
            &request.pattern,
            &request.scope.root,
            request.any_depth,
            request.case_insensitive,
        )?;
        Ok(Self::Glob(glob))
    }

    /// Whether the directory `name` in one of this depth may hold something.
    pub(crate) fn enters(&self, depth: usize, name: &[u8]) -> bool {
        match self {
            Self::Glob(glob) => glob.can_match_below(depth, name),
            Self::Fuzzy(_) => true,
        }
    }
}

pub(crate) struct FindVisitor<'a> {
    pub(crate) request: &'a FindRequest,
    pub(crate) control: &'a Control<'a>,
    pub(crate) wanted: PathVerdict,
    pub(crate) prefix: Vec<u8>,
}

/// What a thread keeps.
pub(crate) struct FindWorker {
    fuzzy: Option<FuzzyWorker>,
}

impl<'a> FindVisitor<'a> {
    pub(crate) fn new(
        request: &'a FindRequest,
        control: &'a Control<'a>,
    ) -> Result<Self, SearchError> {
        Ok(Self {
            request,
            control,
            wanted: PathVerdict::new(request)?,
            prefix: request.scope.answer_prefix_bytes(),
        })
    }

    /// Whether the entry `name` of the directory with this key and depth is one to report.
    pub(crate) fn is_match(&self, key: &[u8], depth: usize, name: &[u8], kind: Kind) -> bool {
        if !self.request.kinds.has(kind) {
            return false;
        }
        match &self.wanted {
            PathVerdict::Fuzzy(_) => true,
            PathVerdict::Glob(glob) => {
                (kind == Kind::Directory || !glob.directories_only)
                    && glob.can_match(depth, name)
                    && glob.matches(key, name, &mut Vec::new())
            }
        }
    }

    /// The entry as it is answered; nothing when it does not resemble what was typed.
    fn reported(
        &self,
        worker: &mut FindWorker,
        directory: &Directory,
        name: &[u8],
        kind: EntryKind,
    ) -> Option<FoundEntry> {
        let path = directory.answer(&self.prefix, name);
        let score = match (&self.wanted, worker.fuzzy.as_mut()) {
            (PathVerdict::Fuzzy(pattern), Some(fuzzy)) => {
                let below = path.get(self.prefix.len()..).unwrap_or(&path);
                Some(pattern.score(below, fuzzy)?)
            }
            _ => None,
        };
        Some(FoundEntry {
            path,
            kind,
            modified: None,
            score,
        })
    }
}

impl Visitor for FindVisitor<'_> {
    type Worker = FindWorker;
    type Found = FoundEntry;

    fn worker(&self) -> FindWorker {
        FindWorker {
            fuzzy: matches!(self.wanted, PathVerdict::Fuzzy(_)).then(FuzzyWorker::new),
        }
    }

    /// Names are compared before ignore files are asked: most names do not match, and matching one
    /// glob is cheaper than matching all those of the ignore files.
    fn wants(&self, directory: &Directory, name: &[u8], kind: Kind) -> bool {
        self.is_match(&directory.key, directory.depth, name, kind)
            || (kind == Kind::Directory && self.enters(directory, name))
    }

    fn enters(&self, directory: &Directory, name: &[u8]) -> bool {
        self.wanted.enters(directory.depth, name)
    }

    fn visit_length(&self) -> Option<usize> {
        None
    }

    fn visit<'e>(
        &self,
        worker: &mut FindWorker,
        directory: &Directory,
        entries: impl Iterator<Item = (&'e [u8], Kind)>,
        batch: &mut Batch<FoundEntry>,
    ) {
        let halted = self.control.halt().is_some();
        for (name, kind) in entries {
            if halted {
                return batch.cut_at(directory.key_of(name));
            }
            let kind = match kind {
                Kind::File => EntryKind::File,
                Kind::Link => EntryKind::Link,
                Kind::Directory if self.is_match(&directory.key, directory.depth, name, kind) => {
                    EntryKind::Directory
                }
                Kind::Directory | Kind::Special => continue,
            };
            batch.facts.files_searched += u64::from(kind == EntryKind::File);
            let Some(mut entry) = self.reported(worker, directory, name, kind) else {
                continue;
            };
            if self.request.sort == FindSort::Modified {
                match directory.handle.modified(name, &directory.path) {
                    Ok(modified) => entry.modified = Some(modified),
                    // Vanished since it was listed.
                    Err(_) => {
                        batch.facts.files_searched -= u64::from(kind == EntryKind::File);
                        batch.facts.unreadable += 1;
                        continue;
                    }
                }
            }
            batch.weight += 1;
            batch.found.push(entry);
        }
    }
}
