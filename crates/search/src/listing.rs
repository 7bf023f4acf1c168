//! Listing a folder: what in it is seen, what of it is visited, which folders come next.

use std::io;
use std::sync::Arc;

use crate::entries::{Entries, Kind};
use crate::filter::{Filter, Verdict};
use crate::folder::{Folder, FolderReference, ReadBuffer, join, join_into};
use crate::rules::Rules;
use crate::task::{Batch, Outcome, Task, Visitor, Work};
use crate::{Facts, Scope, SearchError, ignore_files};

/// What holds for every folder of one walk.
#[derive(Debug)]
pub(crate) struct Walk {
    filter: Filter,
    /// Whether only what ignore files hide is visited. A folder that they hide has no rules any more.
    only_ignored: bool,
    max_depth: usize,
    /// The only file system to stay on.
    device: Option<u64>,
    root: Arc<Folder>,
    rules: Option<Rules>,
    /// The place in path order to begin at.
    from: Option<Vec<u8>>,
}

/// Buffers of one thread, to be reused from folder to folder.
#[derive(Debug)]
pub(crate) struct Buffers {
    read: ReadBuffer,
    entries: Entries,
    path: Vec<u8>,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self {
            read: ReadBuffer::new(),
            entries: Entries::default(),
            path: Vec::new(),
        }
    }
}

impl Walk {
    pub(crate) fn new(scope: &Scope, root: Folder) -> Result<Self, SearchError> {
        let mut walk = Self::without_rules(scope, root)?;
        walk.rules = scope
            .ignore_files
            .then(|| ignore_files::above(&scope.base, &scope.root));
        Ok(walk)
    }

    /// A walk of tasks that an index has chosen, which no ignore file concerns any more.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn of_chosen(scope: &Scope, root: Folder) -> Result<Self, SearchError> {
        Self::without_rules(scope, root)
    }

    fn without_rules(scope: &Scope, root: Folder) -> Result<Self, SearchError> {
        let device = if scope.same_file_system {
            root.handle.device(&root.path).ok()
        } else {
            None
        };
        Ok(Self {
            from: scope.start_key(),
            filter: Filter::new(scope)?,
            only_ignored: scope.only_ignored,
            max_depth: scope.max_depth.unwrap_or(usize::MAX),
            device,
            root: Arc::new(root),
            rules: None,
        })
    }

    /// The task that everything else comes from.
    pub(crate) fn first_task(&self) -> Task {
        Task {
            key: Vec::new(),
            work: Work::Root {
                folder: Arc::clone(&self.root),
                rules: self.rules.clone(),
            },
        }
    }

    /// Does one task.
    pub(crate) fn perform<V: Visitor>(
        &self,
        task: Task,
        visitor: &V,
        worker: &mut V::Worker,
        buffers: &mut Buffers,
    ) -> Outcome<V::Found> {
        let Task { key, work } = task;
        let mut batch = Batch::default();
        let tasks = match work {
            Work::Root { folder, rules } => {
                return self.list(key, &folder, rules.as_ref(), visitor, worker, buffers);
            }
            Work::List {
                parent,
                name,
                rules,
            } => match self.open(parent, &name) {
                Ok(Some(folder)) => {
                    let folder = Arc::new(folder);
                    return self.list(key, &folder, rules.as_ref(), visitor, worker, buffers);
                }
                Ok(None) => Vec::new(),
                Err(_) => {
                    batch.facts.unreadable += 1;
                    Vec::new()
                }
            },
            #[cfg(all(target_os = "linux", not(feature = "portable")))]
            Work::Kept { root, paths } => {
                visitor.visit(worker, &root, paths.iter(), &mut batch);
                Vec::new()
            }
            Work::Visit { folder, entries } => {
                match folder.get() {
                    Ok(folder) => visitor.visit(worker, &folder, entries.iter(), &mut batch),
                    Err(_) => batch.facts.unreadable += entries.len() as u64,
                }
                Vec::new()
            }
        };
        Outcome {
            batches: vec![(key, batch)],
            tasks,
        }
    }

    /// The folder `name` of `parent`, or nothing if it lies on another file system.
    fn open(&self, parent: FolderReference, name: &[u8]) -> io::Result<Option<Folder>> {
        let folder = parent.get()?.child(name)?;
        match self.device {
            Some(device) if folder.handle.device(&folder.path)? != device => Ok(None),
            _ => Ok(Some(folder)),
        }
    }

    fn list<V: Visitor>(
        &self,
        key: Vec<u8>,
        folder: &Arc<Folder>,
        rules: Option<&Rules>,
        visitor: &V,
        worker: &mut V::Worker,
        buffers: &mut Buffers,
    ) -> Outcome<V::Found> {
        let mut batch = Batch::default();
        batch.facts.folders = 1;
        let Buffers {
            read,
            entries,
            path,
        } = buffers;
        entries.clear();
        match folder.handle.read(&folder.path, read, entries) {
            Ok(lost) => batch.facts.unreadable += lost,
            // What was read before the fault is still good.
            Err(_) => batch.facts.unreadable += 1,
        }
        let rules = rules.map(|rules| ignore_files::enter(rules, &folder.path, entries));
        self.retain(
            visitor,
            folder,
            rules.as_ref(),
            entries,
            path,
            &mut batch.facts,
        );
        entries.sort();
        let descends = folder.depth + 1 < self.max_depth;
        if !(descends && entries.has(Kind::Folder)) {
            return visit_flat(key, folder, entries, visitor, worker, batch);
        }
        Cutter {
            walk: self,
            folder,
            rules: rules.as_ref(),
            visitor,
            worker,
            outcome: Outcome {
                batches: vec![(key, batch)],
                tasks: Vec::new(),
            },
            run: Entries::default(),
        }
        .cut(entries)
    }

    /// Leaves out what is not seen or not wanted.
    fn retain<V: Visitor>(
        &self,
        visitor: &V,
        folder: &Folder,
        rules: Option<&Rules>,
        entries: &mut Entries,
        path: &mut Vec<u8>,
        facts: &mut Facts,
    ) {
        entries.retain(|name, kind| {
            if is_before(self.from.as_deref(), &folder.key, name, kind) {
                return false;
            }
            if !visitor.wants(folder, name, kind) {
                match kind {
                    Kind::Link => facts.links += 1,
                    Kind::Special => facts.special += 1,
                    Kind::File => facts.files_searched += 1,
                    Kind::Folder => {}
                }
                return false;
            }
            join_into(path, &folder.path, name);
            let is_folder = kind == Kind::Folder;
            let verdict = self.filter.judge(rules, path, name, is_folder);
            if self.only_ignored && rules.is_some() {
                return verdict.is_on_the_way_to_ignored(is_folder);
            }
            verdict.count(is_folder, facts);
            verdict == Verdict::Seen
        });
    }

    /// The rules for what is in the folder `name`, given those of the folder that it is in.
    fn rules_below(&self, rules: Option<&Rules>, folder: &Folder, name: &[u8]) -> Option<Rules> {
        let rules = rules?;
        let is_hidden = self.only_ignored
            && self
                .filter
                .judge(Some(rules), &join(&folder.path, name), name, true)
                == Verdict::Ignored;
        (!is_hidden).then(|| rules.clone())
    }
}

/// Whether the entry `name` of the folder with this key, and everything in it, comes before the place
/// to begin at.
pub(crate) fn is_before(from: Option<&[u8]>, folder_key: &[u8], name: &[u8], kind: Kind) -> bool {
    // Only folders that hold the place or come after it are entered.
    let Some(rest) = from.and_then(|from| from.strip_prefix(folder_key)) else {
        return false;
    };
    let holds_start = kind == Kind::Folder
        && rest
            .strip_prefix(name)
            .is_some_and(|rest| rest.first() == Some(&0));
    name < rest && !holds_start
}

/// Visits the entries of a folder that has no folders to descend into: at once if they are few.
fn visit_flat<V: Visitor>(
    key: Vec<u8>,
    folder: &Arc<Folder>,
    entries: &Entries,
    visitor: &V,
    worker: &mut V::Worker,
    mut batch: Batch<V::Found>,
) -> Outcome<V::Found> {
    let mut tasks = Vec::new();
    match visitor.visit_length() {
        Some(length) if entries.len() > length => {
            let mut run = Entries::default();
            for (name, kind) in entries.iter() {
                run.push(name, kind);
                if run.len() == length {
                    tasks.extend(visit_task(folder, std::mem::take(&mut run)));
                }
            }
            tasks.extend(visit_task(folder, run));
        }
        _ => visitor.visit(worker, folder, entries.iter(), &mut batch),
    }
    Outcome {
        batches: vec![(key, batch)],
        tasks,
    }
}

/// A visit of these entries, at the place of the first of them.
fn visit_task(folder: &Arc<Folder>, entries: Entries) -> Option<Task> {
    let (first, _) = entries.iter().next()?;
    Some(Task {
        key: folder.key_of(first),
        work: Work::Visit {
            folder: FolderReference::new(folder),
            entries,
        },
    })
}

/// Cuts the entries of a folder at its subfolders, so that everything keeps its place.
struct Cutter<'a, V: Visitor> {
    walk: &'a Walk,
    folder: &'a Arc<Folder>,
    rules: Option<&'a Rules>,
    visitor: &'a V,
    worker: &'a mut V::Worker,
    outcome: Outcome<V::Found>,
    run: Entries,
}

impl<V: Visitor> Cutter<'_, V> {
    fn cut(mut self, entries: &Entries) -> Outcome<V::Found> {
        let most = self.visitor.visit_length().unwrap_or(usize::MAX);
        for (name, kind) in entries.iter() {
            self.run.push(name, kind);
            if kind == Kind::Folder {
                self.end_run();
                self.outcome.tasks.extend(self.list_task(name));
            } else if self.run.len() == most {
                self.end_run();
            }
        }
        self.end_run();
        self.outcome
    }

    /// The listing of the folder `name`, if it may hold something.
    fn list_task(&self, name: &[u8]) -> Option<Task> {
        if !self.visitor.enters(self.folder, name) {
            return None;
        }
        let mut key = self.folder.key_of(name);
        key.push(0);
        Some(Task {
            key,
            work: Work::List {
                parent: FolderReference::new(self.folder),
                name: name.to_vec(),
                rules: self.walk.rules_below(self.rules, self.folder, name),
            },
        })
    }

    /// Visits the run, or makes a task of the visit.
    fn end_run(&mut self) {
        let Some((first, _)) = self.run.iter().next() else {
            return;
        };
        if self.visitor.visit_length().is_some() {
            if self.run.iter().any(|(_, kind)| kind != Kind::Folder) {
                let run = std::mem::take(&mut self.run);
                self.outcome.tasks.extend(visit_task(self.folder, run));
            }
        } else {
            let key = self.folder.key_of(first);
            let mut batch = Batch::default();
            self.visitor
                .visit(self.worker, self.folder, self.run.iter(), &mut batch);
            self.outcome.batches.push((key, batch));
        }
        self.run.clear();
    }
}
