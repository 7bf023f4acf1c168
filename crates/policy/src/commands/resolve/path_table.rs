//! Where the names of a command text lead: each is followed once, however often the text uses it.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::OsString;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use compact_str::CompactString;
use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;
use tenon_contract::PathClaim;

use crate::commands::resolve::KnownDirectories;
use crate::memo::Memo;
use crate::paths::{
    ClaimPlaces, FileIdentity, Listed, PathResolver, Resolved, Root, There, is_clean, path_text,
    within,
};

/// How many entries of directories are looked at for one question: the directories of a project, not those of what it depends
/// on.
pub(crate) const MOST_ENTRIES: usize = 30_000;

/// A directory in which commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DirId(u32);

/// The directories in which a command may run, as a number: equal numbers are equal directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct WorkingDirs(u32);

impl WorkingDirs {
    /// It is not known where the command runs.
    pub(crate) const UNKNOWN: Self = Self(0);

    /// Whether it is known where the command runs.
    pub(crate) fn is_known(self) -> bool {
        self != Self::UNKNOWN
    }
}

/// Where a `cd` leads from one directory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Not to a known directory, and why.
    Leaves(&'static str),
    /// To this directory, which lies outside, with no link on the way.
    Out { directory: DirId, why: &'static str },
    /// To this directory; `certain` if it is there.
    To { directory: DirId, certain: bool },
}

/// Several directories, which a text leaves open.
pub(crate) type Candidates = SmallVec<[DirId; 4]>;

/// A place in a list, which is shorter than that.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// A name in a directory. Small: texts have thousands of them.
pub(crate) struct Name {
    directory: DirId,
    path: CompactString,
    leads: Leads,
    /// What a change into it does.
    pub(crate) step: OnceCell<Box<Step>>,
    /// What one judge has noted of it.
    noted: Cell<Noted>,
}

/// What a judge notes of a name, which says nothing to the next one: that has other rules.
#[derive(Debug, Clone, Copy, Default)]
struct Noted {
    /// The number of the judge.
    by: u32,
    /// The deny or ask rule on reading the name, and the one on writing it, by their places among the rules.
    strict: Option<StrictPlaces>,
    /// The ways in which the text was found to use it, one bit each.
    uses: u32,
}

/// The places of two rules that deny or ask: on reading, and on writing.
pub(crate) type StrictPlaces = [Option<u32>; 2];

/// Where a name leads.
enum Leads {
    Outside,
    /// To what lies under this very name below the workspace root, with no link on the way, as most do.
    AsWritten {
        there: There,
    },
    /// Into the workspace or an additional directory; and what is there.
    To(Box<(PathClaim, There)>),
}

/// A file or directory inside.
#[derive(Clone, Copy)]
pub(crate) struct Inside<'n> {
    /// The name that decisions show.
    pub(crate) name: &'n str,
    /// Whether a directory is there.
    pub(crate) is_directory: bool,
    /// Whether anything is there.
    pub(crate) exists: bool,
    /// The file that is there, if it has several names.
    pub(crate) shared: Option<FileIdentity>,
    claim: Option<&'n PathClaim>,
}

impl<'n> Inside<'n> {
    /// How it is compared with rules.
    pub(crate) fn places(&self, root: &'n Root) -> ClaimPlaces<'n> {
        match self.claim {
            Some(claim) => ClaimPlaces::new(claim, root),
            None => ClaimPlaces::below(self.name, root),
        }
    }

    /// The absolute path to which it leads.
    pub(crate) fn target_below(&self, root: &Path) -> PathBuf {
        match self.claim {
            Some(claim) => claim.target.clone(),
            None if self.name == "." => root.to_path_buf(),
            None => within(root, self.name),
        }
    }

    /// Where it leads, if a link can be on the way.
    pub(crate) fn target(&self) -> Option<&'n Path> {
        self.claim.map(|claim| claim.target.as_path())
    }
}

impl Name {
    /// What it leads to; `None` for what lies outside or cannot be made out.
    pub(crate) fn inside(&self) -> Option<Inside<'_>> {
        let (name, there, claim) = match &self.leads {
            Leads::Outside => return None,
            Leads::AsWritten { there } => (&*self.path, *there, None),
            Leads::To(target) => (&*target.0.name, target.1, Some(&target.0)),
        };
        Some(Inside {
            name,
            is_directory: there == There::Directory,
            exists: there != There::Nothing,
            shared: match there {
                There::File(identity) => identity,
                There::Nothing | There::Directory => None,
            },
            claim,
        })
    }

    /// The same of a directory that is there.
    pub(crate) fn directory(&self) -> Option<Inside<'_>> {
        self.inside().filter(|inside| inside.is_directory)
    }

    /// What the judge of this number has noted.
    fn noted(&self, by: u32) -> Noted {
        let noted = self.noted.get();
        if noted.by == by {
            noted
        } else {
            Noted {
                by,
                ..Noted::default()
            }
        }
    }
}

/// Where an absolute path leads inside of the workspace, and what is there.
type Found = Option<(Rc<Path>, There)>;

/// Everything that was followed for the questions about one command at one moment.
pub(crate) struct PathTable<'q> {
    paths: &'q dyn PathResolver,
    known: KnownDirectories,
    /// Whether the home directory of the commands is the one that is known.
    has_home: bool,
    hasher: DefaultHashBuilder,
    directories: RefCell<Vec<Rc<Path>>>,
    directory_places: RefCell<HashTable<usize>>,
    states: RefCell<Vec<Candidates>>,
    state_places: RefCell<HashTable<usize>>,
    names: RefCell<HashTable<Rc<Name>>>,
    /// Which judge is at work.
    judge: Cell<u32>,
    /// What git tracks of what its rules are about, by the directory that was asked for.
    tracked: Memo<DirId, Option<Arc<[PathBuf]>>>,
    listings: Memo<PathBuf, Option<Rc<[Listed]>>>,
    /// By absolute paths.
    targets: Memo<OsString, Found>,
    /// How many more entries it may look at.
    entries_left: Cell<usize>,
}

impl<'q> PathTable<'q> {
    pub(crate) fn new(
        paths: &'q dyn PathResolver,
        known: &KnownDirectories,
        has_home: bool,
    ) -> Self {
        Self {
            paths,
            known: known.clone(),
            has_home,
            hasher: DefaultHashBuilder::default(),
            directories: RefCell::default(),
            directory_places: RefCell::default(),
            // The first stands for the unknown.
            states: RefCell::new(vec![Candidates::new()]),
            state_places: RefCell::default(),
            names: RefCell::default(),
            judge: Cell::default(),
            tracked: Memo::default(),
            listings: Memo::default(),
            targets: Memo::default(),
            entries_left: Cell::new(MOST_ENTRIES),
        }
    }

    /// Begins with another judge: what depends on rules, and what may be looked at, is new.
    pub(crate) fn begin(&self) {
        self.judge.set(self.judge.get() + 1);
        self.tracked.clear();
        self.entries_left.set(MOST_ENTRIES);
    }

    /// Notes a use of a name, by its number below 32. Returns whether it is the first of this kind.
    pub(crate) fn is_first_use(&self, name: &Name, number: u16) -> bool {
        let noted = name.noted(self.judge.get());
        name.noted.set(Noted {
            uses: noted.uses | 1 << number,
            ..noted
        });
        noted.uses & 1 << number == 0
    }

    /// The strict rules on a name, which are looked for once.
    pub(crate) fn strict(&self, name: &Name, find: impl FnOnce() -> StrictPlaces) -> StrictPlaces {
        let noted = name.noted(self.judge.get());
        noted.strict.unwrap_or_else(|| {
            let strict = find();
            name.noted.set(Noted {
                strict: Some(strict),
                ..name.noted(self.judge.get())
            });
            strict
        })
    }

    /// The directories for temporary files.
    pub(crate) fn temporary(&self) -> &[PathBuf] {
        self.known.temporary()
    }

    /// The home directory of the commands, where it is known.
    pub(crate) fn home(&self) -> Option<&str> {
        self.known.home().filter(|_| self.has_home)
    }

    /// Whether it is one with these directories.
    pub(crate) fn is_of(&self, known: &KnownDirectories, has_home: bool) -> bool {
        self.has_home == has_home && self.known == *known
    }

    /// What lies in an absolute directory; `None` when that cannot be determined, or too much was looked at already.
    pub(crate) fn list(&self, directory: &Path) -> Option<Rc<[Listed]>> {
        let left = self.entries_left.get().checked_sub(1)?;
        let list = || self.paths.list(directory, left).map(Rc::from);
        let listed = self.listings.get_or(directory, list)?;
        self.entries_left.set(left.checked_sub(listed.len())?);
        Some(listed)
    }

    /// The links and directories of an absolute directory, and perhaps more; `None` as for [`list`](Self::list).
    pub(crate) fn links(&self, directory: &Path) -> Option<Rc<[Listed]>> {
        let left = self.entries_left.get();
        self.list(directory)
            .or_else(|| self.paths.links(directory, left).map(Rc::from))
    }

    /// Whether files of an absolute directory such as `.gitignore` make exceptions, so that hidden names can be searched.
    pub(crate) fn makes_exceptions(&self, directory: &Path) -> bool {
        self.paths.makes_exceptions(directory)
    }

    /// Where a name of an absolute directory leads.
    pub(crate) fn resolve(&self, directory: &Path, name: &str) -> Resolved {
        self.paths.resolve(directory, name)
    }

    /// Makes room for so many more names.
    pub(crate) fn expect(&self, count: usize) {
        let again = |known: &Rc<Name>| self.hash_of(known.directory, &known.path);
        self.names.borrow_mut().reserve(count, again);
    }

    fn hash_of(&self, directory: DirId, path: &str) -> u64 {
        self.hasher.hash_one((directory.0, path))
    }

    /// The directory of this absolute path.
    pub(crate) fn directory(&self, path: &Path) -> DirId {
        let hash = self.hasher.hash_one(path.as_os_str());
        let mut directories = self.directories.borrow_mut();
        let mut places = self.directory_places.borrow_mut();
        let same = |place: &usize| {
            directories
                .get(*place)
                .is_some_and(|known| known.as_os_str() == path.as_os_str())
        };
        if let Some(place) = places.find(hash, same) {
            return DirId(number(*place));
        }
        let place = directories.len();
        directories.push(path.into());
        places.insert_unique(hash, place, |place| {
            directories
                .get(*place)
                .map_or(0, |known| self.hasher.hash_one(known.as_os_str()))
        });
        DirId(number(place))
    }

    /// The path of a directory.
    pub(crate) fn path(&self, directory: DirId) -> Rc<Path> {
        let known = self.directories.borrow().get(directory.0 as usize).cloned();
        known.unwrap_or_else(|| Path::new("/").into())
    }

    /// The state of being in one of these directories.
    pub(crate) fn working_dirs(&self, candidates: Candidates) -> WorkingDirs {
        let hash = self.hasher.hash_one(candidates.as_slice());
        let mut states = self.states.borrow_mut();
        let mut places = self.state_places.borrow_mut();
        let same = |place: &usize| states.get(*place) == Some(&candidates);
        if let Some(place) = places.find(hash, same) {
            return WorkingDirs(number(*place));
        }
        let place = states.len();
        states.push(candidates);
        places.insert_unique(hash, place, |place| {
            states
                .get(*place)
                .map_or(0, |known| self.hasher.hash_one(known.as_slice()))
        });
        WorkingDirs(number(place))
    }

    /// The directories of a state; `None` where it is not known.
    pub(crate) fn candidates(&self, state: WorkingDirs) -> Option<Candidates> {
        let states = self.states.borrow();
        state
            .is_known()
            .then(|| states.get(state.0 as usize).cloned())?
    }

    /// Where a path leads from a directory.
    pub(crate) fn follow(&self, directory: DirId, path: &str) -> Rc<Name> {
        let hash = self.hash_of(directory, path);
        let same = |known: &Rc<Name>| known.directory == directory && known.path == path;
        if let Some(name) = self.names.borrow().find(hash, same) {
            return Rc::clone(name);
        }
        let leads = match self.paths.resolve(&self.path(directory), path) {
            Resolved::Outside => Leads::Outside,
            Resolved::Inside { claim, there } if self.is_as_written(&claim, path) => {
                Leads::AsWritten { there }
            }
            Resolved::Inside { claim, there } => Leads::To(Box::new((claim, there))),
        };
        let name = Rc::new(Name {
            directory,
            path: path.into(),
            leads,
            step: OnceCell::new(),
            noted: Cell::default(),
        });
        let again = |known: &Rc<Name>| self.hash_of(known.directory, &known.path);
        let mut names = self.names.borrow_mut();
        names.insert_unique(hash, Rc::clone(&name), again);
        name
    }

    /// Whether a claim has this very name and the place of this name.
    fn is_as_written(&self, claim: &PathClaim, path: &str) -> bool {
        let target = claim.target.as_os_str().as_encoded_bytes();
        let above = target.strip_suffix(path.as_bytes());
        let above = above.and_then(|above| above.strip_suffix(b"/"));
        claim.name == path && above == self.root().map(str::as_bytes) && is_clean(path)
    }

    /// Whether an absolute path leads to this target.
    pub(crate) fn leads_to(&self, path: &Path, target: &Path) -> bool {
        matches!(self.paths.resolve(Path::new("/"), &path_text(path)),
            Resolved::Inside { claim, .. } if claim.target == target)
    }

    /// The directories at the top of the work trees that these directories are in; the workspace root where none is known.
    pub(crate) fn tops(&self, state: WorkingDirs, root: &Path) -> WorkingDirs {
        let Some(directories) = self.candidates(state) else {
            return WorkingDirs::UNKNOWN;
        };
        let mut tops = Candidates::new();
        for directory in directories {
            let top = self.paths.work_tree(&self.path(directory));
            let top = self.directory(top.as_deref().unwrap_or(root));
            if !tops.contains(&top) {
                tops.push(top);
            }
        }
        self.working_dirs(tops)
    }

    /// What git tracks of what `test` is true for in the work tree of this directory; `None` when that is not known.
    pub(crate) fn tracked(
        &self,
        directory: DirId,
        test: &dyn Fn(&Path) -> bool,
    ) -> Option<Arc<[PathBuf]>> {
        let find = || self.paths.tracked(&self.path(directory), test);
        self.tracked.get_or(&directory, find)
    }

    /// Whether something of this name is in a directory.
    pub(crate) fn has(&self, directory: DirId, name: &str) -> bool {
        let name = self.follow(directory, name);
        name.inside().is_some_and(|inside| inside.exists)
    }

    /// The resolver itself.
    pub(crate) fn resolver(&self) -> &'q dyn PathResolver {
        self.paths
    }

    /// The workspace root, where it can be compared.
    pub(crate) fn root(&self) -> Option<&str> {
        self.known.root()
    }

    /// Where an absolute path leads inside of the workspace.
    pub(crate) fn target_of(&self, path: &Path) -> Option<Rc<Path>> {
        self.found_at(path).map(|(target, _)| target)
    }

    /// Whether an absolute path leads to a directory inside of the workspace.
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        matches!(self.found_at(path), Some((_, There::Directory)))
    }

    fn found_at(&self, path: &Path) -> Found {
        let find = || match self.paths.resolve(Path::new("/"), &path_text(path)) {
            Resolved::Inside { claim, there } => Some((claim.target.into(), there)),
            Resolved::Outside => None,
        };
        self.targets.get_or(path.as_os_str(), find)
    }
}
