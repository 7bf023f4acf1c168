//! One request in flight per address: the one who asks for the same meanwhile waits for its answer.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use super::cache::Key;
use super::fetcher::ParsedAnswer;
use crate::error::WebError;
use crate::request::Received;

type SharedAnswer = Result<Arc<ParsedAnswer>, WebError>;

/// A request that is on its way.
#[derive(Clone)]
pub(super) struct Flight {
    pub(super) answer: Shared<BoxFuture<'static, SharedAnswer>>,
    pub(super) received: Received,
}

/// The requests that are on their way. When the last that waits for one goes away, it is given up.
#[derive(Default)]
pub(super) struct InFlight(Mutex<HashMap<Key, UnderWay>>);

type UnderWay = (WeakShared<BoxFuture<'static, SharedAnswer>>, Received);

impl fmt::Debug for InFlight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InFlight")
    }
}

impl InFlight {
    /// The flight of this address, or a new one.
    pub(super) fn join(
        &self,
        key: &Key,
        start: impl FnOnce(Received) -> BoxFuture<'static, SharedAnswer>,
    ) -> Flight {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What nobody waits for any more, or has answered, is not joined.
        flights.retain(|_, (flight, _)| {
            flight
                .upgrade()
                .is_some_and(|flight| flight.peek().is_none())
        });
        if let Some((flight, received)) = flights.get(key)
            && let Some(answer) = flight.upgrade()
        {
            return Flight {
                answer,
                received: received.clone(),
            };
        }
        let received = Received::default();
        let answer = start(received.clone()).shared();
        if let Some(weak) = answer.downgrade() {
            flights.insert(key.clone(), (weak, received.clone()));
        }
        Flight { answer, received }
    }
}
