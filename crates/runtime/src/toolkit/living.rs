//! What changes while a toolkit is in use, and who hears of it: its mode, its stream, its background commands.

use std::sync::Arc;

use tenon_contract::ToolError;

use super::Toolkit;
use crate::events::{EventSink, What};
use crate::mode::{Modes, PermissionMode};

impl Toolkit {
    /// The permission mode that holds now.
    #[must_use]
    pub fn mode(&self) -> PermissionMode {
        self.modes().get()
    }

    /// The permission mode, for toolkits that are to share it: [`Ports::modes`](crate::Ports::modes).
    #[must_use]
    pub fn modes(&self) -> &Modes {
        self.inner.judge.modes()
    }

    /// Switches the permission mode, for calls that are judged from now on.
    ///
    /// # Errors
    /// `bypass` where it was not allowed when the toolkit was made.
    pub fn set_mode(&self, mode: PermissionMode) -> Result<(), ToolError> {
        let before = self.shown_names();
        let previous = self.modes().set(mode)?;
        if previous != mode {
            self.inner
                .events
                .tell(|| What::ModeChanged { mode, previous });
            self.compared(&before);
        }
        Ok(())
    }

    /// Sends the stream of events to this listener from now on, or to none.
    pub fn listen(&self, listener: Option<Arc<dyn EventSink>>) {
        let is_heard = listener.is_some();
        self.inner.events.listen(listener);
        if is_heard {
            self.inner.sessions.follow();
        }
    }

    /// Has the command that the call of this id waits for run on in the background: the call returns at once with what
    /// was written so far. Whether such a call waits.
    #[must_use]
    pub fn background(&self, call: &str) -> bool {
        self.inner.leaving.send(call)
    }

    /// Tells the stream of something that happened outside of the pipeline.
    pub fn tell(&self, what: What) {
        self.inner.events.tell(|| what);
    }

    pub(crate) fn tools_changed(
        &self,
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    ) {
        self.inner.events.tell(|| What::ToolsChanged {
            added,
            removed,
            changed,
        });
    }

    /// The last event, and the end of the record.
    pub(super) async fn end_of_stream(&self) {
        self.inner.events.tell(|| What::Closed {});
        let events = self.inner.events.clone();
        // Nothing is lost if the runtime goes away: what it wrote stays.
        let _ = tokio::task::spawn_blocking(move || events.flush()).await;
    }

    fn shown_names(&self) -> Vec<String> {
        if !self.inner.events.are_heard() {
            return Vec::new();
        }
        let catalog = self.catalog();
        catalog.iter().map(|entry| entry.name.to_string()).collect()
    }

    /// Tells which tools came and went since.
    fn compared(&self, before: &[String]) {
        if !self.inner.events.are_heard() {
            return;
        }
        let now = self.shown_names();
        let missing = |these: &[String], those: &[String]| -> Vec<String> {
            let names = these.iter().filter(|name| !those.contains(name));
            names.cloned().collect()
        };
        let (added, removed) = (missing(&now, before), missing(before, &now));
        if !added.is_empty() || !removed.is_empty() {
            self.tools_changed(added, removed, Vec::new());
        }
    }
}
