//! Listing a directory: what in it is seen, what of it is visited, which directories come next.

use std::io;
use std::sync::Arc;

use crate::directory::{Directory, DirectoryReference, ReadBuffer, join, join_into};
use crate::entries::{Entries, Kind};
use crate::filter::{Filter, Verdict};
use crate::rules::Rules;
use crate::task::{Batch, Outcome, Task, Visitor, Work};
use crate::{Facts, Scope, SearchError, ignore_files};

/// What holds for every directory of one walk.
#[derive(Debug)]
pub(crate) struct WalkSettings {
    filter: Filter,
    /// Whether only what ignore files hide is visited. A directory that they hide has no rules any more.
    only_ignored: bool,
    max_depth: usize,
    /// The only file system to stay on.
    device: Option<u64>,
    root: Arc<Directory>,
    rules: Option<Rules>,
    /// The place in path order to begin at.
    from: Option<Vec<u8>>,
}

/// Buffers of one thread, to be reused from directory to directory.
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

impl WalkSettings {
    pub(crate) fn new(scope: &Scope, root: Directory) -> Result<Self, SearchError> {
        let mut walk = Self::without_rules(scope, root)?;
        walk.rules = scope
            .ignore_files
            .then(|| ignore_files::above(&scope.base, &scope.root));
        Ok(walk)
    }

    /// A walk of tasks that an index has chosen, which no ignore file concerns any more.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn of_chosen(scope: &Scope, root: Directory) -> Result<Self, SearchError> {
        Self::without_rules(scope, root)
    }

    fn without_rules(scope: &Scope, root: Directory) -> Result<Self, SearchError> {
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
                directory: Arc::clone(&self.root),
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
            Work::Root { directory, rules } => {
                return self.list(key, &directory, rules.as_ref(), visitor, worker, buffers);
            }
            Work::List {
                parent,
                name,
                rules,
            } => match self.open(parent, &name) {
                Ok(Some(directory)) => {
                    let directory = Arc::new(directory);
                    return self.list(key, &directory, rules.as_ref(), visitor, worker, buffers);
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
            Work::Visit { directory, entries } => {
                match directory.get() {
                    Ok(directory) => visitor.visit(worker, &directory, entries.iter(), &mut batch),
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

    /// The directory `name` of `parent`, or nothing if it lies on another file system.
    fn open(&self, parent: DirectoryReference, name: &[u8]) -> io::Result<Option<Directory>> {
        let directory = parent.get()?.child(name)?;
        match self.device {
            Some(device) if directory.handle.device(&directory.path)? != device => Ok(None),
            _ => Ok(Some(directory)),
        }
    }

    fn list<V: Visitor>(
        &self,
        key: Vec<u8>,
        directory: &Arc<Directory>,
        rules: Option<&Rules>,
        visitor: &V,
        worker: &mut V::Worker,
        buffers: &mut Buffers,
    ) -> Outcome<V::Found> {
        let mut batch = Batch::default();
        batch.facts.directories = 1;
        let Buffers {
            read,
            entries,
            path,
        } = buffers;
        entries.clear();
        match directory.handle.read(&directory.path, read, entries) {
            Ok(lost) => batch.facts.unreadable += lost,
            // What was read before the fault is still good.
            Err(_) => batch.facts.unreadable += 1,
        }
        let rules = rules.map(|rules| ignore_files::enter(rules, &directory.path, entries));
        self.retain(
            visitor,
            directory,
            rules.as_ref(),
            entries,
            path,
            &mut batch.facts,
        );
        entries.sort();
        let descends = directory.depth + 1 < self.max_depth;
        if !(descends && entries.has(Kind::Directory)) {
            return visit_flat(key, directory, entries, visitor, worker, batch);
        }
        Cutter {
            walk: self,
            directory,
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
        directory: &Directory,
        rules: Option<&Rules>,
        entries: &mut Entries,
        path: &mut Vec<u8>,
        facts: &mut Facts,
    ) {
        entries.retain(|name, kind| {
            if is_before(self.from.as_deref(), &directory.key, name, kind) {
                return false;
            }
            if !visitor.wants(directory, name, kind) {
                match kind {
                    Kind::Link => facts.links += 1,
                    Kind::Special => facts.special += 1,
                    Kind::File => facts.files_searched += 1,
                    Kind::Directory => {}
                }
                return false;
            }
            join_into(path, &directory.path, name);
            let is_directory = kind == Kind::Directory;
            let verdict = self.filter.judge(rules, path, name, is_directory);
            if self.only_ignored && rules.is_some() {
                return verdict.is_on_the_way_to_ignored(is_directory);
            }
            verdict.count(is_directory, facts);
            verdict == Verdict::Seen
        });
    }

    /// The rules for what is in the directory `name`, given those of the directory that it is in.
    fn rules_below(
        &self,
        rules: Option<&Rules>,
        directory: &Directory,
        name: &[u8],
    ) -> Option<Rules> {
        let rules = rules?;
        let is_hidden = self.only_ignored
            && self
                .filter
                .judge(Some(rules), &join(&directory.path, name), name, true)
                == Verdict::Ignored;
        (!is_hidden).then(|| rules.clone())
    }
}

/// Whether the entry `name` of the directory with this key, and everything in it, comes before the place
/// to begin at.
pub(crate) fn is_before(
    from: Option<&[u8]>,
    directory_key: &[u8],
    name: &[u8],
    kind: Kind,
) -> bool {
    // Only directories that hold the place or come after it are entered.
    let Some(rest) = from.and_then(|from| from.strip_prefix(directory_key)) else {
        return false;
    };
    let holds_start = kind == Kind::Directory
        && rest
            .strip_prefix(name)
            .is_some_and(|rest| rest.first() == Some(&0));
    name < rest && !holds_start
}

/// Visits the entries of a directory that has no directories to descend into: at once if they are few.
fn visit_flat<V: Visitor>(
    key: Vec<u8>,
    directory: &Arc<Directory>,
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
                    tasks.extend(visit_task(directory, std::mem::take(&mut run)));
                }
            }
            tasks.extend(visit_task(directory, run));
        }
        _ => visitor.visit(worker, directory, entries.iter(), &mut batch),
    }
    Outcome {
        batches: vec![(key, batch)],
        tasks,
    }
}

/// A visit of these entries, at the place of the first of them.
fn visit_task(directory: &Arc<Directory>, entries: Entries) -> Option<Task> {
    let (first, _) = entries.iter().next()?;
    Some(Task {
        key: directory.key_of(first),
        work: Work::Visit {
            directory: DirectoryReference::new(directory),
            entries,
        },
    })
}

/// Cuts the entries of a directory at its subdirectorys, so that everything keeps its place.
struct Cutter<'a, V: Visitor> {
    walk: &'a WalkSettings,
    directory: &'a Arc<Directory>,
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
            if kind == Kind::Directory {
                self.end_run();
                self.outcome.tasks.extend(self.list_task(name));
            } else if self.run.len() == most {
                self.end_run();
            }
        }
        self.end_run();
        self.outcome
    }

    /// The listing of the directory `name`, if it may hold something.
    fn list_task(&self, name: &[u8]) -> Option<Task> {
        if !self.visitor.enters(self.directory, name) {
            return None;
        }
        let mut key = self.directory.key_of(name);
        key.push(0);
        Some(Task {
            key,
            work: Work::List {
                parent: DirectoryReference::new(self.directory),
                name: name.to_vec(),
                rules: self.walk.rules_below(self.rules, self.directory, name),
            },
        })
    }

    /// Visits the run, or makes a task of the visit.
    fn end_run(&mut self) {
        let Some((first, _)) = self.run.iter().next() else {
            return;
        };
        if self.visitor.visit_length().is_some() {
            if self.run.iter().any(|(_, kind)| kind != Kind::Directory) {
                let run = std::mem::take(&mut self.run);
                self.outcome.tasks.extend(visit_task(self.directory, run));
            }
        } else {
            let key = self.directory.key_of(first);
            let mut batch = Batch::default();
            self.visitor
                .visit(self.worker, self.directory, self.run.iter(), &mut batch);
            self.outcome.batches.push((key, batch));
        }
        self.run.clear();
    }
}
