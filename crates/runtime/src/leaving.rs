//! The calls whose command the host may send to the background while they wait for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_contract::CancellationToken;

/// The commands that calls wait for now, by the ids of the calls. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct LeavingCalls(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    id: Arc<str>,
    token: CancellationToken,
}

/// One call that waits; it is struck off when this is dropped.
pub(crate) struct Leaving {
    calls: LeavingCalls,
    token: CancellationToken,
    id: Arc<str>,
}

impl LeavingCalls {
    /// Enters a call.
    pub(crate) fn enter(&self, id: &Arc<str>) -> Leaving {
        let token = CancellationToken::new();
        self.lock().push(Entry {
            id: Arc::clone(id),
            token: token.clone(),
        });
        Leaving {
            calls: self.clone(),
            token,
            id: Arc::clone(id),
        }
    }

    /// Asks every call of this id to let its command run on. Whether there is one.
    pub(crate) fn send(&self, id: &str) -> bool {
        let calls = self.lock();
        let mut is_there = false;
        for call in calls.iter().filter(|call| &*call.id == id) {
            call.token.cancel();
            is_there = true;
        }
        is_there
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leaving {
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.clone()
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        // Hosts may give several calls one id: any of them will do, they are reported alike.
        if let Some(at) = calls
            .iter()
            .position(|call| Arc::ptr_eq(&call.id, &self.id))
        {
            calls.swap_remove(at);
        }
    }
}
