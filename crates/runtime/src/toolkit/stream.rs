//! The permission mode of a toolkit, and its stream of events.

use std::sync::Arc;

use tenon_contract::ToolError;
use tenon_tools::in_any_case;

use super::Toolkit;
use crate::events::{EventKind, EventSink};
use crate::mode::Modes;
use crate::permission_mode::PermissionMode;

impl Toolkit {
    /// The permission mode that holds now.
    #[must_use]
    pub fn mode(&self) -> PermissionMode {
        self.modes().get()
    }

    /// The permission mode, for toolkits that are to share it: [`HostCallbacks::modes`](crate::HostCallbacks::modes).
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
                .living
                .events
                .emit(|| EventKind::ModeChanged { mode, previous });
            self.compared(&before);
        }
        Ok(())
    }

    /// Sends the stream of events to this listener from now on, or to none.
    pub fn listen(&self, listener: Option<Arc<dyn EventSink>>) {
        let has_listener = listener.is_some();
        self.inner.living.events.listen(listener);
        if has_listener {
            self.inner.sessions.follow();
        }
    }

    /// Has the command that the call of this id waits for run on in the background: the call returns at once with what
    /// was written so far. Whether such a call waits.
    #[must_use]
    pub fn background(&self, call: &str) -> bool {
        self.inner.living.leaving.send(call)
    }

    /// Notifies the stream of something that happened outside of the pipeline.
    pub fn emit(&self, what: EventKind) {
        self.inner.living.events.emit(|| what);
    }

    pub(crate) fn tools_changed(
        &self,
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    ) {
        self.inner.living.events.emit(|| EventKind::ToolsChanged {
            added,
            removed,
            changed,
        });
    }

    /// The last event, and the end of the record.
    pub(super) async fn end_of_stream(&self) {
        self.inner.living.events.emit(|| EventKind::Closed {});
        let events = self.inner.living.events.clone();
        // Nothing is lost if the runtime goes away: what it wrote stays.
        let _ = in_any_case(move || events.close()).await;
    }

    fn shown_names(&self) -> Vec<String> {
        if !self.inner.living.events.have_listener() {
            return Vec::new();
        }
        let catalog = self.catalog();
        catalog.iter().map(|entry| entry.name.to_string()).collect()
    }

    /// Reports which tools came and went since.
    fn compared(&self, before: &[String]) {
        if !self.inner.living.events.have_listener() {
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
