//! Looks for changes of other processes, while somebody watches.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread;

use tenon_contract::limits;

use super::file::{Opened, open_to_read};
use super::shared::Shared;

/// Starts the thread, if it does not run.
pub(super) fn start(shared: &Arc<Shared>) {
    if shared.is_watching.swap(true, Ordering::AcqRel) {
        return;
    }
    let watching = Arc::clone(shared);
    let thread = thread::Builder::new().name("tenon-store-watch".to_owned());
    // Without a thread there is still word of what this process writes.
    if thread.spawn(move || run(&watching)).is_err() {
        shared.is_watching.store(false, Ordering::Release);
    }
}

fn run(shared: &Shared) {
    let mut opened: Option<Opened> = None;
    let mut last = None;
    loop {
        thread::sleep(limits::STORE_WATCH_INTERVAL);
        let changed = {
            let watchers = shared
                .watchers
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if watchers.is_empty() || shared.is_closed.load(Ordering::Acquire) {
                // Under the lock: the next watcher starts another thread.
                shared.is_watching.store(false, Ordering::Release);
                return;
            }
            watchers.all()
        };
        let is_current = opened
            .as_ref()
            .is_some_and(|opened| opened.is_current(&shared.path));
        if !is_current {
            opened = open_to_read(&shared.path).ok();
        }
        let now = opened.as_ref().and_then(data_version);
        // Another file is a change, and so is the first one.
        if now != last || !is_current && now.is_some() {
            last = now;
            changed.iter().for_each(|changed| changed());
        }
    }
}

/// A number that changes with every commit of another connection.
fn data_version(opened: &Opened) -> Option<i64> {
    opened
        .connection
        .query_row("PRAGMA data_version", [], |row| row.get(0))
        .ok()
}
