//! Notifies somebody what becomes of a session, as long as somebody wants to know.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tenon_contract::limits;
use tokio::time::sleep;

use super::{CommandSession, Places, Unread};

/// Shortest time between two events of output.
const OUTPUT_EVERY: Duration = Duration::from_millis(100);

/// Hears what becomes of sessions.
pub trait SessionObserver: Send + Sync {
    /// Whether it wants to hear of output and of commands that wait for input. Nothing watches for those otherwise.
    fn is_interested(&self) -> bool;
    /// Hears of an event. Must return at once.
    fn observe(&self, session: &CommandSession, event: SessionEvent);
}

/// What became of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEvent {
    /// It runs in the background from now on.
    Started,
    /// It wrote this since the last such event. It is unread all the same.
    Output(Box<Unread>),
    /// It seems to wait for input, see [`CommandSession::seems_to_wait_for_input`].
    Waiting,
    /// Nothing of it runs any more.
    Exited,
}

impl CommandSession {
    /// Watches the output, if the observer is interested and nobody does yet.
    pub(super) fn follow(self: &Arc<Self>, observer: &Arc<dyn SessionObserver>) {
        let mut follower = self.follower.lock().unwrap_or_else(PoisonError::into_inner);
        let is_followed = follower.as_ref().is_some_and(|task| !task.is_finished());
        if !observer.is_interested() || is_followed || self.state().is_over() {
            return;
        }
        *follower = Some(tokio::spawn(Arc::clone(self).report(Arc::clone(observer))));
    }

    /// Waits until the observer received all output.
    pub(super) async fn followed(&self) {
        let follower = self
            .follower
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(follower) = follower {
            // Fails only if the runtime goes away.
            let _ = follower.await;
        }
    }

    async fn report(self: Arc<Self>, observer: Arc<dyn SessionObserver>) {
        let mut places: Places = *self.places();
        let mut changes = self.live.changes();
        let mut has_reported_waiting = false;
        loop {
            // In this order: what was written before the end still counts.
            let is_over = self.state().is_over();
            let (unread, next) = self.news(&places, self.state().is_over());
            if !unread.is_empty() {
                places = next;
                has_reported_waiting = false;
                observer.observe(&self, SessionEvent::Output(Box::new(unread)));
            }
            if is_over || !observer.is_interested() {
                return;
            }
            if !has_reported_waiting && self.seems_to_wait_for_input() {
                has_reported_waiting = true;
                observer.observe(&self, SessionEvent::Waiting);
            }
            let look = (!has_reported_waiting).then(|| self.next_look()).flatten();
            tokio::select! {
                () = self.over() => {}
                changed = changes.changed() => {
                    if changed.is_err() {
                        self.over().await;
                    } else {
                        let _ = tokio::time::timeout(OUTPUT_EVERY, self.over()).await;
                    }
                }
                () = pause(look) => {}
            }
        }
    }

    /// When it may seem to wait for input next. Never, where it cannot read.
    fn next_look(&self) -> Option<Duration> {
        self.writer()?;
        let idle = self.idle();
        let marks = [limits::SESSION_PROMPT_IDLE, limits::SESSION_INPUT_IDLE];
        let next = marks.into_iter().find(|mark| idle < *mark)?;
        Some(next.saturating_sub(idle) + Duration::from_millis(5))
    }
}

async fn pause(look: Option<Duration>) {
    match look {
        Some(look) => sleep(look).await,
        None => std::future::pending().await,
    }
}
