//! Those who hear of changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Changed, Operation, Watch};

#[derive(Default)]
pub(crate) struct Watchers {
    last: u64,
    watchers: HashMap<u64, (Vec<String>, Changed)>,
}

/// What a watcher of an operation has named: its space or its log.
pub(crate) fn name_of(operation: &Operation) -> &str {
    match operation {
        Operation::Put(put) => &put.key.space,
        Operation::Delete(delete) => &delete.key.space,
        Operation::Append(append) => &append.log,
    }
}

/// Calls everyone who watches one of these names.
pub(crate) fn notify(watchers: &Mutex<Watchers>, names: &[String]) {
    let touched: Vec<Changed> = {
        let watchers = watchers.lock().unwrap_or_else(PoisonError::into_inner);
        let all = watchers.watchers.values();
        let touched = all.filter(|(watched, _)| watched.iter().any(|name| names.contains(name)));
        touched.map(|(_, changed)| Arc::clone(changed)).collect()
    };
    touched.iter().for_each(|changed| changed());
}

impl Watchers {
    /// Calls of all, whatever they watch.
    pub(crate) fn all(&self) -> Vec<Changed> {
        self.watchers
            .values()
            .map(|(_, changed)| Arc::clone(changed))
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.watchers.is_empty()
    }

    pub(crate) fn add(watchers: &Arc<Mutex<Self>>, names: Vec<String>, changed: Changed) -> Watch {
        let number = {
            let mut open = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            open.last += 1;
            let number = open.last;
            open.watchers.insert(number, (names, changed));
            number
        };
        let watchers = Arc::clone(watchers);
        Watch::new(move || {
            let mut open = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            open.watchers.remove(&number);
        })
    }
}
