//! Where the names of a command text lead: each is followed once, however often the text uses it.

use std::cell::{OnceCell, RefCell};
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;

use super::folders::Step;
use crate::paths::{PathResolver, Resolved};

/// A folder in which commands may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Folder(usize);

/// The folders in which a command may run, as a number: equal numbers are equal folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct State(usize);

impl State {
    /// It is not known where the command runs.
    pub(crate) const UNKNOWN: Self = Self(0);

    /// Whether it is known where the command runs.
    pub(crate) fn is_known(self) -> bool {
        self != Self::UNKNOWN
    }
}

/// Several folders, which a text leaves open.
pub(crate) type Candidates = SmallVec<[Folder; 4]>;

/// A name in a folder.
pub(crate) struct Name {
    folder: Folder,
    path: Box<str>,
    /// Where it leads.
    pub(crate) resolved: Resolved,
    /// What a change into it does.
    pub(super) step: OnceCell<Step>,
    /// The deny or ask rule on reading it, and the one on writing it, by their places among the rules.
    pub(super) strict: OnceCell<[Option<usize>; 2]>,
}

/// Everything that was followed for one question.
pub(crate) struct Ground<'q> {
    paths: &'q dyn PathResolver,
    hasher: DefaultHashBuilder,
    folders: RefCell<Vec<Rc<Path>>>,
    folder_places: RefCell<HashTable<usize>>,
    states: RefCell<Vec<Candidates>>,
    state_places: RefCell<HashTable<usize>>,
    names: RefCell<HashTable<Rc<Name>>>,
}

impl<'q> Ground<'q> {
    pub(crate) fn new(paths: &'q dyn PathResolver) -> Self {
        Self {
            paths,
            hasher: DefaultHashBuilder::default(),
            folders: RefCell::default(),
            folder_places: RefCell::default(),
            // The first stands for the unknown.
            states: RefCell::new(vec![Candidates::new()]),
            state_places: RefCell::default(),
            names: RefCell::default(),
        }
    }

    /// The folder of this absolute path.
    pub(crate) fn folder(&self, path: PathBuf) -> Folder {
        let hash = self.hasher.hash_one(path.as_path());
        let mut folders = self.folders.borrow_mut();
        let mut places = self.folder_places.borrow_mut();
        let same = |place: &usize| folders.get(*place).is_some_and(|known| **known == *path);
        if let Some(place) = places.find(hash, same) {
            return Folder(*place);
        }
        let place = folders.len();
        folders.push(path.into());
        places.insert_unique(hash, place, |place| {
            folders
                .get(*place)
                .map_or(0, |known| self.hasher.hash_one(&**known))
        });
        Folder(place)
    }

    /// The path of a folder.
    pub(crate) fn path(&self, folder: Folder) -> Rc<Path> {
        let known = self.folders.borrow().get(folder.0).cloned();
        known.unwrap_or_else(|| Path::new("/").into())
    }

    /// The state of being in one of these folders.
    pub(crate) fn state(&self, candidates: Candidates) -> State {
        let hash = self.hasher.hash_one(candidates.as_slice());
        let mut states = self.states.borrow_mut();
        let mut places = self.state_places.borrow_mut();
        let same = |place: &usize| states.get(*place) == Some(&candidates);
        if let Some(place) = places.find(hash, same) {
            return State(*place);
        }
        let place = states.len();
        states.push(candidates);
        places.insert_unique(hash, place, |place| {
            states
                .get(*place)
                .map_or(0, |known| self.hasher.hash_one(known.as_slice()))
        });
        State(place)
    }

    /// The folders of a state; `None` where it is not known.
    pub(crate) fn candidates(&self, state: State) -> Option<Candidates> {
        let states = self.states.borrow();
        state.is_known().then(|| states.get(state.0).cloned())?
    }

    /// Where a path leads from a folder.
    pub(crate) fn follow(&self, folder: Folder, path: &str) -> Rc<Name> {
        let hash = self.hasher.hash_one((folder.0, path));
        let same = |known: &Rc<Name>| known.folder == folder && *known.path == *path;
        if let Some(name) = self.names.borrow().find(hash, same) {
            return Rc::clone(name);
        }
        let name = Rc::new(Name {
            folder,
            path: path.into(),
            resolved: self.paths.resolve(&self.path(folder), path),
            step: OnceCell::new(),
            strict: OnceCell::new(),
        });
        let again = |known: &Rc<Name>| self.hasher.hash_one((known.folder.0, &*known.path));
        let mut names = self.names.borrow_mut();
        names.insert_unique(hash, Rc::clone(&name), again);
        name
    }

    /// Whether an absolute path leads to this target.
    pub(crate) fn leads_to(&self, path: &Path, target: &Path) -> bool {
        matches!(self.paths.resolve(Path::new("/"), &path.to_string_lossy()),
            Resolved::Inside { claim, .. } if claim.target == target)
    }
}
