//! Search for names.

mod collect;
mod visit;

use std::time::SystemTime;

use crate::entries::Kind;
use crate::grep::open_root;
use crate::listing::WalkSettings;
use crate::schedule::Ran;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
use crate::task::Task;
use crate::{Control, Facts, Scope, SearchError, Stopped, Totals, schedule};
use collect::EntryCollector;
pub(crate) use visit::FindVisitor;

/// What kinds of entries are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds {
    /// Regular files.
    pub files: bool,
    /// Directories.
    pub directories: bool,
    /// Symbolic links themselves; nothing behind them is looked at.
    pub links: bool,
}

impl Kinds {
    /// Regular files only, as `rg --files` lists them.
    pub const FILES: Self = Self {
        files: true,
        directories: false,
        links: false,
    };
    /// Everything but FIFOs, sockets and devices.
    pub const ALL: Self = Self {
        files: true,
        directories: true,
        links: true,
    };

    pub(crate) fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::File => self.files,
            Kind::Directory => self.directories,
            Kind::Link => self.links,
            Kind::Special => false,
        }
    }
}

/// In which order entries are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindSort {
    /// By path: bytewise by components, as `rg --sort path` has it. Stops early at the limit. With
    /// `fuzzy` the best first, then the shorter path, then by path; looks at everything.
    #[default]
    Path,
    /// By time of last change, newest first; equal times by path. Looks at everything.
    Modified,
}

/// A search for names. [`FindRequest::new`] asks for all files that match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindRequest {
    /// Where, and what is seen there. The root must be a directory.
    pub scope: Scope,
    /// A glob relative to the root: `*` and `?` within a name, `**` over any number of directories,
    /// `[a-z]`, `{a,b}`, `\` before a character that stands for itself, and `@(a|b)`, `?(a|b)`,
    /// `*(a|b)`, `+(a|b)`, `!(a|b)` as in bash's extglob. A leading `./`, and the
    /// root's own absolute path, are taken off; `..` is refused. With a `/` at its end it matches
    /// directories only.
    pub pattern: String,
    /// Whether `pattern` is no glob but what a user remembers of a path: letters in order, gaps
    /// allowed; words in any order. Case counts only if the pattern has an upper-case letter.
    /// Default: no.
    pub fuzzy: bool,
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
            fuzzy: false,
            any_depth: true,
            case_insensitive: false,
            kinds: Kinds::FILES,
            sort: FindSort::Path,
            limit: None,
            count_all: false,
        }
    }

    /// Whether answers are ranked by how well they match.
    fn ranks(&self) -> bool {
        self.fuzzy && self.sort == FindSort::Path
    }
}

/// What a found entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
}

/// A found entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEntry {
    /// Relative to the scope's base, with `/`; no `/` at the end, also for directories.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// When it was last changed; only if that is the order.
    pub modified: Option<SystemTime>,
    /// How well it matches, with `fuzzy`; only good for comparison with others of the same answer.
    pub score: Option<u32>,
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
    /// After a deadline, for an answer by path: the [`Scope::from`] with which the same request goes
    /// on where this one ended.
    pub resume: Option<String>,
    /// What was looked at and left out.
    pub facts: Facts,
}

/// Searches for names. Blocks until it is done or `control` ends it.
///
/// # Errors
/// When the pattern, a glob or a type does not parse, when the root is not a directory or cannot be
/// opened, and when the call is cancelled.
pub fn find(request: &FindRequest, control: &Control<'_>) -> Result<FindOutput, SearchError> {
    let scope = &request.scope;
    let visitor = FindVisitor::new(request, control)?;
    let walk = WalkSettings::new(scope, open_root(&scope.root)?)?;
    let collector = EntryCollector::new(request);
    let ran = schedule::run(&walk, scope.threads, &visitor, collector, control)?;
    Ok(reported(ran, scope))
}

/// The same for the entries of these tasks, which an index has chosen; `facts` of the rest.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn find_selected(
    visitor: &FindVisitor<'_>,
    tasks: Vec<Task>,
    facts: Facts,
) -> Result<FindOutput, SearchError> {
    let FindVisitor {
        request, control, ..
    } = visitor;
    let scope = &request.scope;
    let walk = WalkSettings::of_chosen(scope, open_root(&scope.root)?)?;
    let collector = EntryCollector::new(request);
    let mut ran = schedule::run_tasks(&walk, tasks, scope.threads, visitor, collector, control)?;
    if ran.stopped.is_none() {
        ran.collector.facts += facts;
    }
    Ok(reported(ran, scope))
}

fn reported(ran: Ran<EntryCollector>, scope: &Scope) -> FindOutput {
    let resume = ran.front.as_deref().and_then(|key| scope.cursor(key));
    ran.collector.into_output(ran.stopped, resume)
}
