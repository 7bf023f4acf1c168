//! Search for names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use crate::collect::Collector;
use crate::entries::Kind;
use crate::folder::Folder;
use crate::glob::PathGlob;
use crate::grep::open_root;
use crate::listing::Walk;
use crate::task::{Batch, Visitor};
use crate::{Control, Facts, Progress, Scope, SearchError, Stopped, Totals, schedule};

/// What kinds of entries are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Regular files.
    pub files: bool,
    /// Folders.
    pub folders: bool,
    /// Symbolic links themselves; nothing behind them is looked at.
    pub links: bool,
}

impl Kinds {
    /// Regular files only, as `rg --files` lists them.
    pub const FILES: Self = Self {
        files: true,
        folders: false,
        links: false,
    };
    /// Everything but FIFOs, sockets and devices.
    pub const ALL: Self = Self {
        files: true,
        folders: true,
        links: true,
    };

    fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::File => self.files,
            Kind::Folder => self.folders,
            Kind::Link => self.links,
            Kind::Special => false,
        }
    }
}

/// In which order entries are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindSort {
    /// By path: bytewise by components, as `rg --sort path` has it. Stops early at the limit.
    #[default]
    Path,
    /// By time of last change, newest first; equal times by path. Looks at everything.
    Modified,
}

/// A search for names. [`FindRequest::new`] asks for all files that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindRequest {
    /// Where, and what is seen there. The root must be a folder.
    pub scope: Scope,
    /// A glob relative to the root: `*` and `?` within a name, `**` over any number of folders,
    /// `[a-z]`, `{a,b}`, `\` before a character that stands for itself. A leading `./`, and the
    /// root's own absolute path, are taken off; `..` is refused. With a `/` at its end it matches
    /// folders only.
    pub pattern: String,
    /// Whether a pattern without `/` matches names at any depth, as in `fd` and gitignore. Default:
    /// yes; no means only entries of the root itself.
    pub any_depth: bool,
    /// Whether case is disregarded. Default: no.
    pub case_insensitive: bool,
    /// Default: files.
    pub kinds: Kinds,
    /// Default: by path.
    pub sort: FindSort,
    /// The most to answer. Default: all.
    pub limit: Option<usize>,
    /// Whether to go on counting beyond the limit, so that the totals are exact. Default: no.
    pub count_all: bool,
}

impl FindRequest {
    /// All files in `scope` that match `pattern`.
    #[must_use]
    pub fn new(scope: Scope, pattern: impl Into<String>) -> Self {
        Self {
            scope,
            pattern: pattern.into(),
            any_depth: true,
            case_insensitive: false,
            kinds: Kinds::FILES,
            sort: FindSort::Path,
            limit: None,
            count_all: false,
        }
    }
}

/// What a found entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
}

/// A found entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEntry {
    /// Relative to the scope's base, with `/`; no `/` at the end, also for folders.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// When it was last changed; only if that is the order.
    pub modified: Option<SystemTime>,
}

/// The answer to a [`FindRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindOutput {
    /// The entries in the order asked for.
    pub entries: Vec<FoundEntry>,
    /// How many there are in all.
    pub totals: Totals,
    /// Why the search ended early, if it did. By time of change, and when all is counted, a limit does
    /// not end it early: then the totals are exact and larger than the number of entries.
    pub stopped: Option<Stopped>,
    /// What was looked at and left out.
    pub facts: Facts,
}

/// Searches for names. Blocks until it is done or `control` ends it.
///
/// # Errors
/// When the pattern, a glob or a type does not parse, when the root is not a folder or cannot be
/// opened, and when the call is cancelled.
pub fn find(request: &FindRequest, control: &Control<'_>) -> Result<FindOutput, SearchError> {
    let scope = &request.scope;
    let glob = PathGlob::new(
        &request.pattern,
        &scope.root,
        request.any_depth,
        request.case_insensitive,
    )?;
    let visitor = FindVisitor {
        request,
        control,
        glob,
        prefix: scope.answer_prefix(),
    };
    let limit = request.limit.unwrap_or(usize::MAX);
    let walk = Walk::new(scope, open_root(&scope.root)?)?;
    let collector = EntryCollector {
        sort: request.sort,
        limit,
        count_all: request.count_all,
        seen: 0,
        in_path_order: Vec::new(),
        newest: BinaryHeap::new(),
        facts: Facts::default(),
    };
    let (collector, stopped) = schedule::run(&walk, scope.threads, &visitor, collector, control)?;
    Ok(collector.into_output(stopped))
}

struct FindVisitor<'a> {
    request: &'a FindRequest,
    control: &'a Control<'a>,
    glob: PathGlob,
    prefix: String,
}

impl FindVisitor<'_> {
    fn is_match(&self, folder: &Folder, name: &[u8], kind: Kind) -> bool {
        self.request.kinds.has(kind)
            && (kind == Kind::Folder || !self.glob.folders_only)
            && self.glob.can_match(folder, name)
            && self.glob.matches(folder, name, &mut Vec::new())
    }
}

impl Visitor for FindVisitor<'_> {
    type Worker = ();
    type Found = FoundEntry;

    fn worker(&self) -> Self::Worker {}

    /// Names are compared before ignore files are asked: most names do not match, and matching one
    /// glob is cheaper than matching all those of the ignore files.
    fn wants(&self, folder: &Folder, name: &[u8], kind: Kind) -> bool {
        self.is_match(folder, name, kind) || (kind == Kind::Folder && self.enters(folder, name))
    }

    fn enters(&self, folder: &Folder, name: &[u8]) -> bool {
        self.glob.can_match_below(folder, name)
    }

    fn visit_length(&self) -> Option<usize> {
        None
    }

    fn visit<'e>(
        &self,
        (): &mut (),
        folder: &Folder,
        entries: impl Iterator<Item = (&'e [u8], Kind)>,
        batch: &mut Batch<FoundEntry>,
    ) {
        if self.control.halt().is_some() {
            return;
        }
        for (name, kind) in entries {
            let kind = match kind {
                Kind::File => EntryKind::File,
                Kind::Link => EntryKind::Link,
                Kind::Folder if self.is_match(folder, name, kind) => EntryKind::Folder,
                Kind::Folder | Kind::Special => continue,
            };
            let modified = match self.request.sort {
                FindSort::Path => None,
                FindSort::Modified => match folder.handle.modified(name, &folder.path) {
                    Ok(modified) => Some(modified),
                    // Vanished since it was listed.
                    Err(_) => {
                        batch.facts.unreadable += 1;
                        continue;
                    }
                },
            };
            batch.facts.files_searched += u64::from(kind == EntryKind::File);
            batch.weight += 1;
            batch.found.push(FoundEntry {
                path: folder.answer(&self.prefix, name),
                kind,
                modified,
            });
        }
    }
}

/// Puts the answer together.
struct EntryCollector {
    sort: FindSort,
    limit: usize,
    count_all: bool,
    seen: u64,
    in_path_order: Vec<FoundEntry>,
    /// By time of change: at most `limit` entries, the first to go on top. The number is the place
    /// in path order.
    newest: BinaryHeap<(Reverse<Option<SystemTime>>, u64, Ranked)>,
    facts: Facts,
}

/// An entry that does not take part in comparisons: what ranks it stands before it.
struct Ranked(FoundEntry);

impl PartialEq for Ranked {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, _other: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl EntryCollector {
    fn take_entry(&mut self, entry: FoundEntry) -> ControlFlow<()> {
        let place = self.seen;
        self.seen += 1;
        match self.sort {
            FindSort::Path => {
                if self.in_path_order.len() < self.limit {
                    self.in_path_order.push(entry);
                } else if !self.count_all {
                    return ControlFlow::Break(());
                }
            }
            FindSort::Modified => {
                self.newest
                    .push((Reverse(entry.modified), place, Ranked(entry)));
                if self.newest.len() > self.limit {
                    self.newest.pop();
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn totals(&self) -> Totals {
        Totals {
            matches: self.seen,
            files: self.seen,
            exact: false,
        }
    }

    fn into_output(self, stopped: Option<Stopped>) -> FindOutput {
        let totals = Totals {
            exact: stopped.is_none(),
            ..self.totals()
        };
        let entries = match self.sort {
            FindSort::Path => self.in_path_order,
            FindSort::Modified => self
                .newest
                .into_sorted_vec()
                .into_iter()
                .map(|(_, _, Ranked(entry))| entry)
                .collect(),
        };
        FindOutput {
            entries,
            totals,
            stopped,
            facts: self.facts,
        }
    }
}

impl Collector for EntryCollector {
    type Found = FoundEntry;

    fn take(&mut self, batch: Batch<FoundEntry>) -> ControlFlow<()> {
        self.facts += batch.facts;
        batch
            .found
            .into_iter()
            .try_for_each(|entry| self.take_entry(entry))
    }

    fn wanted(&self) -> u64 {
        match self.sort {
            FindSort::Path if !self.count_all => (self.limit as u64)
                .saturating_add(1)
                .saturating_sub(self.seen),
            FindSort::Path | FindSort::Modified => u64::MAX,
        }
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            files: &[],
            totals: self.totals(),
            facts: self.facts,
        }
    }
}
