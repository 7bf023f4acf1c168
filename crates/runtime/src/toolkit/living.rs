//! What changes while a toolkit is in use, and who hears of it: its mode, its stream, its background commands.

use std::sync::Arc;

use tenon_contract::{Operation, ToolError};
use tenon_process::{Processes, Sessions, Shell};
use tenon_state::SessionRecords;
use tenon_tools::PlanGate;
use tenon_workspace::Workspace;

use super::Toolkit;
use crate::agents::Child;
use crate::approval::Approvals;
use crate::events::{EventSink, Events, What};
use crate::history::History;
use crate::hooks::{HookRunner, Hooks};
use crate::leaving::LeavingCalls;
use crate::mode::{Modes, PermissionMode, PlanExit};
use crate::options::{Options, RecordOption};
use crate::ports::Ports;
use crate::processes_seen::ProcessesSeen;
use crate::redaction::Redaction;
use crate::registry::Defaults;
use crate::repeats::Repeats;
use crate::selection::{Row, Selection};
use crate::session::Session;

/// What accompanies the calls of a toolkit. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Living {
    pub(crate) modes: Modes,
    pub(crate) history: Arc<History>,
    pub(crate) events: Events,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) leaving: LeavingCalls,
    /// Takes secrets out of results, if the host wants that.
    pub(crate) redaction: Option<Redaction>,
    pub(crate) repeats: Repeats,
}

impl Living {
    pub(super) fn new(
        options: &Options,
        ports: &Ports,
        own: &Session,
        processes: &Processes,
        workspace: &Workspace,
        child: Option<&Child>,
    ) -> Self {
        let begins = || Modes::new(options.mode.unwrap_or_default(), options.allow_bypass);
        let modes = ports.modes.clone().unwrap_or_else(begins);
        let history = Arc::new(History::new(ports.telemetry.clone(), own.kept()));
        let record = options.record.as_ref().map(RecordOption::file);
        let runner = HookRunner {
            processes: processes.clone(),
            shell: Shell::default_shell(),
            directory: workspace.root().to_owned(),
            session: own.id().into(),
            record: record.as_ref().map(|record| record.path().to_owned()),
        };
        let events = match child {
            Some(child) => child
                .events
                .below(own.id(), history.clone(), ports.warn.clone()),
            None => {
                let events = Events::new(own.id(), history.clone(), record, ports.warn.clone());
                let is_whole = options.record.as_ref().is_some_and(RecordOption::is_whole);
                if is_whole {
                    events.whole(workspace.root())
                } else {
                    events
                }
            }
        };
        let approver = ports.approver.clone();
        let approvals = Child::approvals(child, approver, own.kept(), events.clone());
        let hooks = Hooks::new(
            options.hooks.clone(),
            ports.hooks.clone(),
            runner,
            modes.clone(),
            events.clone(),
            ports.warn.clone(),
        );
        Self {
            modes,
            history,
            events,
            approvals,
            hooks: Arc::new(hooks),
            leaving: LeavingCalls::default(),
            redaction: None,
            repeats: Repeats::new(options.repeats.unwrap_or_default(), noted(own)),
        }
    }

    /// The commands in the background, of which the stream hears.
    pub(super) fn observed(&self, defaults: &Defaults) -> Sessions {
        let sessions = defaults.sessions.clone();
        sessions.observed_by(ProcessesSeen::new(self.events.clone()));
        sessions
    }

    /// The way out of the mode `plan`. `is_exposed` is whether the agent may have the tool for it.
    pub(super) fn plan_exit(&self, selection: &Selection, is_exposed: bool) -> Arc<dyn PlanGate> {
        let exits = |row: &&Row| row.binding.operation == Operation::ExitPlan;
        let exit = selection.rows().iter().find(exits);
        let comes = is_exposed && selection.hides(Operation::ExitPlan);
        Arc::new(PlanExit {
            modes: self.modes.clone(),
            events: self.events.clone(),
            tool: exit
                .filter(|_| comes)
                .map(|row| row.binding.name.to_owned()),
        })
    }
}

/// Where calls are noted that are not to be made twice, whatever process makes them: where changes are kept as well.
fn noted(own: &Session) -> Option<SessionRecords> {
    own.kept().filter(|_| own.place.is_some())
}

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
                .living
                .events
                .tell(|| What::ModeChanged { mode, previous });
            self.compared(&before);
        }
        Ok(())
    }

    /// Sends the stream of events to this listener from now on, or to none.
    pub fn listen(&self, listener: Option<Arc<dyn EventSink>>) {
        let is_heard = listener.is_some();
        self.inner.living.events.listen(listener);
        if is_heard {
            self.inner.sessions.follow();
        }
    }

    /// Has the command that the call of this id waits for run on in the background: the call returns at once with what
    /// was written so far. Whether such a call waits.
    #[must_use]
    pub fn background(&self, call: &str) -> bool {
        self.inner.living.leaving.send(call)
    }

    /// Tells the stream of something that happened outside of the pipeline.
    pub fn tell(&self, what: What) {
        self.inner.living.events.tell(|| what);
    }

    pub(crate) fn tools_changed(
        &self,
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    ) {
        self.inner.living.events.tell(|| What::ToolsChanged {
            added,
            removed,
            changed,
        });
    }

    /// The last event, and the end of the record.
    pub(super) async fn end_of_stream(&self) {
        self.inner.living.events.tell(|| What::Closed {});
        let events = self.inner.living.events.clone();
        // Nothing is lost if the runtime goes away: what it wrote stays.
        let _ = tokio::task::spawn_blocking(move || events.flush()).await;
    }

    fn shown_names(&self) -> Vec<String> {
        if !self.inner.living.events.are_heard() {
            return Vec::new();
        }
        let catalog = self.catalog();
        catalog.iter().map(|entry| entry.name.to_string()).collect()
    }

    /// Tells which tools came and went since.
    fn compared(&self, before: &[String]) {
        if !self.inner.living.events.are_heard() {
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
