//! The list of commands that run, for those who end them all.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::ending::process_snapshot::ProcessSnapshot;
use crate::ending::root::Root;
use crate::ending::signal::Push;
use crate::ending::tree::{self, Tree};
use crate::{EndedProcesses, ProcessError};

/// An order to a running command, from outside. Later ones are stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Go on.
    Run,
    /// Go on without the time limit that it was started with.
    RunOn,
    /// End it: TERM, the grace it was given, KILL.
    End,
    /// Nobody waits for it any more: TERM, a short grace, KILL.
    Abandon,
}

/// The commands of one toolkit.
#[derive(Debug)]
pub(crate) struct Registry {
    /// What the marks of all commands begin with. Random, so that no other toolkit has it.
    prefix: String,
    entries: Mutex<Entries>,
    running: watch::Sender<usize>,
    pub(crate) snapshot: ProcessSnapshot,
}

#[derive(Debug, Default)]
struct Entries {
    closed: bool,
    last_id: u64,
    /// Whether there ever was a command without a helper.
    has_unkept: bool,
    commands: BTreeMap<u64, Entry>,
    ended: EndedProcesses,
}

#[derive(Debug)]
struct Entry {
    root: Root,
    mark: String,
    orders: watch::Sender<Order>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        // Two hashes of nothing under random keys: unique is all that a mark has to be.
        let random = || RandomState::new().hash_one(std::process::id());
        Self {
            prefix: format!("{:016x}{:016x}", random(), random()),
            entries: Mutex::default(),
            running: watch::Sender::new(0),
            snapshot: ProcessSnapshot::default(),
        }
    }

    /// A number for a new command, and its mark.
    pub(crate) fn announce(&self) -> Result<(u64, String), ProcessError> {
        let mut entries = self.lock();
        if entries.closed {
            return Err(ProcessError::Closed);
        }
        entries.last_id += 1;
        Ok((
            entries.last_id,
            format!("{}-{}", self.prefix, entries.last_id),
        ))
    }

    /// Adds a started command. Should everything have been closed meanwhile, it is asked to end.
    pub(crate) fn add(&self, id: u64, root: &Root, mark: &str) -> watch::Sender<Order> {
        let mut entries = self.lock();
        let orders = watch::Sender::new(if entries.closed {
            Order::Abandon
        } else {
            Order::Run
        });
        let entry = Entry {
            root: root.clone(),
            mark: mark.into(),
            orders: orders.clone(),
        };
        entries.has_unkept |= !root.has_helper();
        entries.commands.insert(id, entry);
        self.running.send_replace(entries.commands.len());
        orders
    }

    /// Takes a command off the list, then reaps its root: as long as it is listed, its number is signalled. Who waits
    /// for the end of all finds none that is not reaped.
    pub(crate) fn release(&self, id: u64, ended: &EndedProcesses, reap: impl FnOnce()) {
        let mut entries = self.lock();
        entries.commands.remove(&id);
        entries.ended.add(ended.clone());
        reap();
        self.running.send_replace(entries.commands.len());
    }

    pub(crate) fn running(&self) -> usize {
        *self.running.borrow()
    }

    /// Asks every command to end, waits until all have, and says what it took.
    pub(crate) async fn close(&self) -> EndedProcesses {
        {
            let mut entries = self.lock();
            entries.closed = true;
            entries.ended = EndedProcesses::default();
            for entry in entries.commands.values() {
                entry.orders.send_replace(Order::End);
            }
        }
        let mut running = self.running.subscribe();
        // Fails only when the sender is gone, and that is this very value.
        let _ = running.wait_for(|running| *running == 0).await;
        std::mem::take(&mut self.lock().ended)
    }

    /// Kills every process of every command, now, and says how many it found.
    pub(crate) fn end_now(&self) -> usize {
        let mut entries = self.lock();
        entries.closed = true;
        if entries.last_id == 0 {
            return 0;
        }
        let mut killed = BTreeSet::new();
        for entry in entries.commands.values() {
            entry.orders.send_replace(Order::Abandon);
            let tree = Tree::new(&entry.root, &entry.mark);
            let living = tree.living();
            // It ends what is born meanwhile too, even when this process is gone.
            entry.root.order_kill();
            tree.push(Push::Kill, &living);
            killed.extend(living.iter().map(|row| row.pid));
        }
        if entries.has_unkept {
            killed.extend(tree::kill_marked(&self.prefix));
        }
        killed.len()
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
