//! The trees of an index, and which of them answers a search.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::files::LookedAt;
use super::hidden::Filters;
use super::indexed_tree::IndexedTree;
use super::keeper::{IndexState, IndexedPlace, SEARCHING};
use super::serve::{Choice, FIND_RUN, GREP_RUN, ResultBudget, Selection, Selector};
use super::store;
use crate::entries::Kind;
use crate::filter::Filter;
use crate::find::{FindVisitor, find_selected};
use crate::grep::grep_selected;
use crate::index::options::{IndexOptions, IndexStatus};
use crate::index::prefilter::{Need, NgramQuery};
use crate::{
    Control, Facts, FindOutput, FindRequest, GrepMode, GrepOutput, GrepRequest, PathFilter, Scope,
    SearchError, Stopped,
};

/// More directories than these are not listed again while a search waits.
const MAX_REFRESHED: usize = 256;

/// The trees of an index.
#[derive(Debug)]
pub(crate) struct Places {
    options: IndexOptions,
    trees: Mutex<Vec<Arc<IndexedPlace>>>,
    /// Trees that were looked for on the disk.
    tried: Mutex<HashSet<(PathBuf, PathBuf)>>,
    served: AtomicU64,
    closed: AtomicBool,
}

/// Whether a search sees every file of every directory, but for those that rules keep back always, so that directories can be
/// counted as a whole.
fn sees_all(scope: &Scope, filter: &Filter) -> bool {
    let is_lasting = |path_filter: &PathFilter| path_filter.rules().is_some();
    filter.is_plain_below_the_path_filter()
        && scope.path_filter.as_ref().is_none_or(is_lasting)
        && scope.max_depth.is_none()
        && scope.start_key().is_none()
        && !scope.only_ignored
}

/// Counts a search while it runs.
struct Searching;

impl Searching {
    fn begin() -> Self {
        SEARCHING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Searching {
    fn drop(&mut self) {
        SEARCHING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Every file.
struct Contents;

impl Choice for Contents {
    fn wants(&self, _key: &[u8], _depth: usize, _name: &[u8], kind: Kind) -> bool {
        matches!(kind, Kind::File | Kind::Directory)
    }

    fn enters(&self, _depth: usize, _name: &[u8]) -> bool {
        true
    }
}

impl Choice for FindVisitor<'_> {
    fn wants(&self, key: &[u8], depth: usize, name: &[u8], kind: Kind) -> bool {
        self.is_match(key, depth, name, kind)
            || (kind == Kind::Directory && self.wanted.enters(depth, name))
    }

    fn enters(&self, depth: usize, name: &[u8]) -> bool {
        self.wanted.enters(depth, name)
    }
}

/// What of the directory `id` has to be looked at to answer.
fn chosen(
    kept: &mut IndexedTree,
    id: u32,
    request: &GrepRequest,
    share: ResultBudget,
) -> Result<Option<Selection>, SearchError> {
    let scope = &request.scope;
    let reports_matches = !request.invert && request.mode != GrepMode::FilesWithout;
    let need = if reports_matches {
        NgramQuery::of(&request.pattern)
    } else {
        NgramQuery::NOTHING
    };
    let asks = need.need != Need::Nothing;
    let filter = Filter::new(scope)?;
    // Of a share the directories are not counted as a whole: that takes a look at all files of the tree.
    let is_counted = asks && share == ResultBudget::ALL && sees_all(scope, &filter);
    if is_counted {
        kept.tally(id, scope.path_filter.as_ref());
    }
    let kept = &*kept;
    let content = asks.then(|| (&need, kept.files.signatures.ask(&need.need)));
    let marked = content.as_ref().filter(|_| is_counted).map(|(_, answer)| {
        let looked_at = LookedAt {
            folds: need.folds,
            binary: request.text,
            above: scope.max_file_bytes.unwrap_or(u64::MAX),
        };
        kept.mark(kept.files.directories_of_candidates(answer, looked_at))
    });
    Selector {
        kept,
        scope,
        filter,
        choice: &Contents,
        content,
        skips_binary: !request.text,
        marked,
        run: GREP_RUN,
        share,
    }
    .select(id)
}

impl Places {
    pub(crate) fn new(options: IndexOptions) -> Self {
        Self {
            options,
            trees: Mutex::new(Vec::new()),
            tried: Mutex::default(),
            served: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        }
    }

    pub(crate) fn grep(
        &self,
        request: &GrepRequest,
        control: &Control<'_>,
    ) -> Result<GrepOutput, SearchError> {
        let _searching = Searching::begin();
        if let Some(share) = ResultBudget::of(request.wanted()) {
            let first = self.select(&request.scope, control, |kept, id| {
                chosen(kept, id, request, share)
            })?;
            if let Some(first) = first {
                let output = grep_selected(request, control, first.tasks, first.facts)?;
                let is_cut = output.resume.is_some() || output.stopped == Some(Stopped::Limit);
                if first.is_whole || is_cut {
                    self.count();
                    return Ok(output);
                }
            }
        }
        let whole = self.select(&request.scope, control, |kept, id| {
            chosen(kept, id, request, ResultBudget::ALL)
        })?;
        if let Some(whole) = whole {
            self.count();
            return grep_selected(request, control, whole.tasks, whole.facts);
        }
        let output = crate::grep(request, control)?;
        self.consider(&request.scope, output.facts);
        Ok(output)
    }

    pub(crate) fn find(
        &self,
        request: &FindRequest,
        control: &Control<'_>,
    ) -> Result<FindOutput, SearchError> {
        let _searching = Searching::begin();
        let visitor = FindVisitor::new(request, control)?;
        let selected = if request.kinds.directories {
            None
        } else {
            self.select(&request.scope, control, |kept, id| {
                Selector {
                    kept,
                    scope: &request.scope,
                    filter: Filter::new(&request.scope)?,
                    choice: &visitor,
                    content: None,
                    skips_binary: false,
                    marked: None,
                    run: FIND_RUN,
                    share: ResultBudget::ALL,
                }
                .select(id)
            })?
        };
        if let Some(selection) = selected {
            self.count();
            return find_selected(&visitor, selection.tasks, selection.facts);
        }
        let output = crate::find(request, control)?;
        self.consider(&request.scope, output.facts);
        Ok(output)
    }

    /// What a tree of the index says; nothing when none knows.
    fn select(
        &self,
        scope: &Scope,
        control: &Control<'_>,
        select: impl FnOnce(&mut IndexedTree, u32) -> Result<Option<Selection>, SearchError>,
    ) -> Result<Option<Selection>, SearchError> {
        if !scope.ignore_files || scope.git_directory {
            return Ok(None);
        }
        let tree = self.tree_of(scope).or_else(|| self.restore(scope, control));
        if let Some(tree) = &tree {
            tree.filters().note(scope.path_filter.as_ref());
        }
        let Some(tree) = tree.filter(|tree| !tree.is_busy.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        let mut state = tree.lock();
        let IndexState::Ready { kept, asked, .. } = &mut *state else {
            return Ok(None);
        };
        *asked = Instant::now();
        let fresh = kept.drain().and_then(|()| {
            let few = kept.stale_count() <= MAX_REFRESHED;
            if few {
                kept.refresh(&|| true)?;
            }
            Ok(few)
        });
        match fresh {
            Ok(true) => {}
            // The keeper lists it.
            Ok(false) => {
                tree.wake.notify_all();
                return Ok(None);
            }
            Err(_) => {
                *state = IndexState::Gone;
                tree.closed.store(true, Ordering::Relaxed);
                tree.wake.notify_all();
                return Ok(None);
            }
        }
        let below = scope.root.strip_prefix(&tree.root).unwrap_or(&scope.root);
        let Some(id) = kept.find(below) else {
            return Ok(None);
        };
        select(kept, id)
    }

    fn tree_of(&self, scope: &Scope) -> Option<Arc<IndexedPlace>> {
        self.lock()
            .iter()
            .find(|tree| tree.base == scope.base && scope.root.starts_with(&tree.root))
            .map(Arc::clone)
    }

    /// A tree that another process has left on the disk. Each is looked for once, unless the search ends before it is known.
    fn restore(&self, scope: &Scope, control: &Control<'_>) -> Option<Arc<IndexedPlace>> {
        let store = self.options.store.as_ref()?;
        let base = &scope.base;
        let whole = scope.root.starts_with(base).then_some(base);
        for root in whole.into_iter().chain([&scope.root]) {
            let place = (base.clone(), root.clone());
            if !self.tried().insert(place.clone()) || self.closed.load(Ordering::Relaxed) {
                continue;
            }
            // Twice what is made, so that none is refused for how it is laid out.
            let most = self.options.max_bytes.saturating_mul(2);
            let goes_on = || control.halt().is_none();
            let kept = store::load(&store.directory, base, root)
                .and_then(|file| IndexedTree::restored(base, root, &file, most, &goes_on).ok());
            if let Some(kept) = kept {
                let state = IndexState::Ready {
                    kept: Box::new(kept),
                    asked: Instant::now(),
                    is_settled: false,
                };
                return self.begin(scope, root, state);
            }
            if !goes_on() {
                self.tried().remove(&place);
                return None;
            }
        }
        None
    }

    fn tried(&self) -> MutexGuard<'_, HashSet<(PathBuf, PathBuf)>> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an answer.
    fn count(&self) {
        self.served.fetch_add(1, Ordering::Relaxed);
    }

    /// Begins an index of what was searched plainly, if it is worth it.
    fn consider(&self, scope: &Scope, facts: Facts) {
        let files = facts.files_searched + facts.files_filtered;
        if files < self.options.least_files || self.closed.load(Ordering::Relaxed) {
            return;
        }
        if scope.root.is_dir() {
            self.begin(scope, &scope.root, IndexState::Listing);
        }
    }

    /// Begins to keep a tree, unless it is kept; lets others go where they are in it or too many.
    fn begin(&self, scope: &Scope, root: &Path, state: IndexState) -> Option<Arc<IndexedPlace>> {
        let base = &scope.base;
        let mut filters = Filters::default();
        filters.note(scope.path_filter.as_ref());
        let mut trees = self.lock();
        trees.retain(|tree| !matches!(&*tree.lock(), IndexState::Gone));
        let is_covered = trees
            .iter()
            .any(|tree| tree.base == *base && root.starts_with(&tree.root));
        if is_covered {
            return None;
        }
        let inside: Vec<_> = trees
            .extract_if(.., |tree| tree.base == *base && tree.root.starts_with(root))
            .collect();
        inside.iter().for_each(|tree| end(tree));
        if trees.len() >= self.options.max_trees {
            end(&trees.remove(0));
        }
        let place = Arc::new(IndexedPlace {
            base: base.clone(),
            root: root.to_owned(),
            state: Mutex::new(state),
            filters: Mutex::new(filters),
            wake: Condvar::new(),
            closed: AtomicBool::new(false),
            is_busy: AtomicBool::new(false),
            options: self.options.clone(),
        });
        IndexedPlace::start(&place);
        trees.push(Arc::clone(&place));
        Some(place)
    }

    pub(crate) fn settle(&self, root: &Path, patience: Duration) -> Option<IndexStatus> {
        let tree = self.lock().iter().find(|tree| tree.root == root).cloned()?;
        let until = Instant::now() + patience;
        let mut state = tree.lock();
        loop {
            match &*state {
                IndexState::Gone => return None,
                IndexState::Ready {
                    kept,
                    is_settled: true,
                    ..
                } => {
                    return Some(IndexStatus {
                        files: kept.files.len(),
                        signed: kept.files.signed(),
                        directories: kept.directories(),
                        bytes: kept.bytes() + kept.files.signatures.bytes(),
                        covered: kept.files.signed_bytes(),
                    });
                }
                _ => {}
            }
            let left = until.checked_duration_since(Instant::now())?;
            state = tree
                .wake
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    pub(crate) fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.lock().drain(..).for_each(|tree| end(&tree));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<IndexedPlace>>> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.close();
    }
}

/// Lets a tree go. Its thread ends by itself.
fn end(tree: &IndexedPlace) {
    tree.closed.store(true, Ordering::Relaxed);
    tree.wake.notify_all();
}
