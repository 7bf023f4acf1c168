//! The calls that run now, by the number that the host gave them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_contract::CancellationToken;

/// Cancellation tokens of running calls.
#[derive(Default)]
pub struct RunningCalls(Mutex<HashMap<u32, CancellationToken>>);

impl RunningCalls {
    /// Enters a call and gives its token.
    #[must_use]
    pub fn start(&self, key: u32) -> CancellationToken {
        let token = CancellationToken::new();
        self.lock().insert(key, token.clone());
        token
    }

    /// Cancels a call, if it still runs; whether it does.
    #[must_use]
    pub fn cancel(&self, key: u32) -> bool {
        let token = self.lock().get(&key).cloned();
        if let Some(token) = &token {
            token.cancel();
        }
        token.is_some()
    }

    /// Strikes a call off.
    pub fn end(&self, key: u32) {
        self.lock().remove(&key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
