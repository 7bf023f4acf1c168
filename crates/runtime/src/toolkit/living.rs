//! What changes while a toolkit is in use, and who hears of it: its mode, its stream, its background commands.

use std::sync::Arc;

use tenon_contract::Operation;
use tenon_process::{CommandSessions, Processes, Shell};
use tenon_state::SessionRecords;
use tenon_tools::PlanGate;
use tenon_workspace::Workspace;

use crate::agents::Child;
use crate::approval::Approvals;
use crate::events::Events;
use crate::history::History;
use crate::hooks::{HookRunner, Hooks};
use crate::host_callbacks::HostCallbacks;
use crate::leaving::LeavingCalls;
use crate::mode::{Modes, PlanExit};
use crate::options::{Options, RecordOption};
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
        callbacks: &HostCallbacks,
        own: &Session,
        processes: &Processes,
        workspace: &Workspace,
        (child, redaction): (Option<&Child>, Option<Redaction>),
    ) -> Self {
        let begins = || Modes::new(options.mode.unwrap_or_default(), options.allow_bypass);
        let modes = callbacks.modes.clone().unwrap_or_else(begins);
        let history = Arc::new(History::new(callbacks.telemetry.clone(), own.kept()));
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
                .below(own.id(), history.clone(), callbacks.warn.clone()),
            None => {
                let (history, warn) = (history.clone(), callbacks.warn.clone());
                let events = Events::new(own.id(), history, record, redaction.clone(), warn);
                let is_whole = options.record.as_ref().is_some_and(RecordOption::is_whole);
                if is_whole {
                    events.whole(workspace.root())
                } else {
                    events
                }
            }
        };
        let approver = callbacks.approver.clone();
        let approvals = Child::approvals(child, approver, own.kept(), events.clone());
        let hooks = Hooks::new(
            options.hooks.clone(),
            callbacks.hooks.clone(),
            runner,
            modes.clone(),
            events.clone(),
            callbacks.warn.clone(),
        );
        Self {
            modes,
            history,
            events,
            approvals,
            hooks: Arc::new(hooks),
            leaving: LeavingCalls::default(),
            redaction,
            repeats: Repeats::new(options.repeats.unwrap_or_default(), noted(own)),
        }
    }

    /// The commands in the background, of which the stream hears.
    pub(super) fn observed(&self, defaults: &Defaults) -> CommandSessions {
        let sessions = defaults.sessions.clone();
        let seen = ProcessesSeen::new(self.events.clone(), self.redaction.clone());
        sessions.observed_by(seen);
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
