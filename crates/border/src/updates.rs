//! Thins the partial results of one call to what a listener can use.
//!
//! The latest replaces what was not delivered yet; one update is on its way at a time and is
//! acknowledged; the next rests for [`UPDATE_INTERVAL`] after that; what still waits when the call
//! ends is delivered before the answer, and nothing after it. So a slow listener slows the updates,
//! never the tool.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tenon_contract::Outcome;
use tenon_contract::limits::UPDATE_INTERVAL;
use tenon_runtime::Updates;
use tokio::runtime::Handle;

use crate::envelope::split;
use crate::message::{Message, Wire};

/// The listener of one call.
#[derive(Clone)]
pub struct Listener(Arc<Inner>);

struct Inner {
    key: u32,
    channel: Arc<dyn Wire>,
    executor: Handle,
    state: Mutex<UpdateState>,
}

#[derive(Default)]
struct UpdateState {
    /// The latest that was not delivered.
    waiting: Option<Outcome>,
    /// One was sent and not acknowledged.
    is_on_its_way: bool,
    /// A timer will look again.
    is_timed: bool,
    /// When the last was acknowledged.
    rested_since: Option<Instant>,
    /// The call has ended, or nobody listens any more.
    has_ended: bool,
}

impl UpdateState {
    fn rest_is_over(&self) -> bool {
        self.rested_since
            .is_none_or(|since| since.elapsed() >= UPDATE_INTERVAL)
    }
}

impl Listener {
    /// The listener of the call of this number; `executor` has its timer.
    #[must_use]
    pub fn new(key: u32, channel: Arc<dyn Wire>, executor: Handle) -> Self {
        Self(Arc::new(Inner {
            key,
            channel,
            executor,
            state: Mutex::default(),
        }))
    }

    /// Ends the updates: delivers what waits, and nothing from then on. To be called before the
    /// answer is sent.
    pub fn finish(&self) {
        let mut state = self.lock();
        if let Some(outcome) = state.waiting.take().filter(|_| !state.has_ended) {
            self.0
                .channel
                .send(Message::update(self.0.key, split(outcome)));
        }
        state.has_ended = true;
    }

    /// Sends what waits if its time has come, else sees to it that this is looked at again.
    fn advance(&self, state: &mut UpdateState) {
        if state.has_ended || state.is_on_its_way || state.waiting.is_none() {
            return;
        }
        if !state.rest_is_over() {
            self.look_again(state);
        } else if let Some(outcome) = state.waiting.take() {
            let listener = self.clone();
            state.is_on_its_way = self.0.channel.send_acknowledged(
                Message::update(self.0.key, split(outcome)),
                Box::new(move || listener.acknowledged()),
            );
            state.has_ended = !state.is_on_its_way;
        }
    }

    fn acknowledged(&self) {
        let mut state = self.lock();
        state.is_on_its_way = false;
        state.rested_since = Some(Instant::now());
        self.advance(&mut state);
    }

    fn look_again(&self, state: &mut UpdateState) {
        let Some(rested_since) = state.rested_since.filter(|_| !state.is_timed) else {
            return;
        };
        state.is_timed = true;
        let listener = self.clone();
        self.0.executor.spawn(async move {
            tokio::time::sleep_until((rested_since + UPDATE_INTERVAL).into()).await;
            let mut state = listener.lock();
            state.is_timed = false;
            listener.advance(&mut state);
        });
    }

    fn lock(&self) -> MutexGuard<'_, UpdateState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Updates for Listener {
    /// The latest is always taken, even while another is on its way: it may be the last for long,
    /// and is delivered as soon as the listener has rested.
    fn is_due(&self) -> bool {
        !self.lock().has_ended
    }

    fn publish(&self, partial: Outcome) {
        let mut state = self.lock();
        if !state.has_ended {
            state.waiting = Some(partial);
            self.advance(&mut state);
        }
    }
}
