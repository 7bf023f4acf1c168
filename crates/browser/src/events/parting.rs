//! What pages send while they go. A request that is held in the session of its page goes on by itself when that session
//! ends, so the browser holds what is sent once more: what was decided about passes, everything else is decided about here.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use serde_json::{Value, json};

use crate::events::shared::Shared;
use crate::page::tab::Tab;
use crate::protocol::message::text;

/// Requests that outlive their page.
const SENDING: &[&str] = &["XHR", "Fetch", "Ping", "CSPViolationReport", "Other"];
/// Most requests that are remembered. One that was forgotten is decided about twice.
const PASSES_MAX: usize = 10_000;
/// Most pages, frames and workers that are remembered after their end.
const GONE_MAX: usize = 500;
/// Most frames of a page that are remembered.
const FRAMES_MAX: usize = 1_000;
/// How long nobody may be known for a request. Frames are made known a little later than what they ask for.
pub(crate) const UNKNOWN: Duration = Duration::from_secs(1);

/// What the whole browser holds.
pub(crate) fn held_requests() -> Value {
    let of_kind =
        |kind| json!({ "urlPattern": "*", "resourceType": kind, "requestStage": "Request" });
    let patterns: Vec<Value> = SENDING.iter().map(of_kind).collect();
    json!({ "patterns": patterns })
}

/// The requests of a session that were decided about in those of its pages: how often each.
#[derive(Default)]
pub(crate) struct Passes {
    known: Mutex<HashMap<u64, usize>>,
    hasher: RandomState,
}

impl Passes {
    /// A request as both sessions describe it: its frame, its method and its address, which may be long.
    fn key(&self, params: &Value) -> u64 {
        let parts = ["/frameId", "/request/method", "/request/url"];
        self.hasher.hash_one(parts.map(|at| text(params, at)))
    }

    /// This request may go on.
    pub(crate) fn grant(&self, params: &Value) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= PASSES_MAX {
            known.clear();
        }
        *known.entry(self.key(params)).or_default() += 1;
    }

    /// Whether it may, once for each time that it was said.
    pub(crate) fn take(&self, params: &Value) -> bool {
        let key = self.key(params);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = known.get_mut(&key) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            known.remove(&key);
        }
        true
    }
}

/// A page, a frame or a worker that is gone.
struct Gone {
    frames: Vec<String>,
    /// Where it is said what was refused.
    tab: Arc<Tab>,
    owner: Weak<Shared>,
}

/// Those that are gone, the last ones.
#[derive(Default)]
pub(crate) struct Departed(VecDeque<Gone>);

impl Departed {
    /// A tab, with all frames in it.
    pub(crate) fn add_tab(&mut self, tab: &Tab, owner: &Arc<Shared>) {
        let state = tab.state();
        let inner = state.parents.keys().chain(state.frame_sessions.keys());
        let own = std::iter::once(&tab.target);
        let frames = own.chain(inner).take(FRAMES_MAX).cloned().collect();
        // As a worker it has no results of its own either.
        let left = Tab::of_worker(
            &tab.target,
            &tab.session,
            tab.connection.clone(),
            &state.url,
        );
        drop(state);
        self.add(frames, Arc::new(left), owner);
    }

    /// A frame in a tab, or a worker.
    pub(crate) fn add(&mut self, frames: Vec<String>, tab: Arc<Tab>, owner: &Arc<Shared>) {
        if self.0.len() >= GONE_MAX {
            self.0.pop_front();
        }
        let owner = Arc::downgrade(owner);
        self.0.push_back(Gone { frames, tab, owner });
    }

    /// Whose this frame was.
    pub(crate) fn find(&self, frame: &str) -> Option<(Arc<Tab>, Arc<Shared>)> {
        let is_in = |gone: &&Gone| gone.frames.iter().any(|known| known == frame);
        let gone = self.0.iter().rev().find(is_in)?;
        Some((Arc::clone(&gone.tab), gone.owner.upgrade()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_passes_as_often_as_it_was_allowed() {
        let request =
            |url: &str| json!({ "frameId": "F", "request": { "method": "POST", "url": url } });
        let passes = Passes::default();
        passes.grant(&request("http://a.test/"));
        passes.grant(&request("http://a.test/"));
        let taken = [
            "http://b.test/",
            "http://a.test/",
            "http://a.test/",
            "http://a.test/",
        ]
        .map(|url| passes.take(&request(url)));
        assert_eq!(taken, [false, true, true, false]);
    }
}
