//! Toolkits in a tree of agents: the engine over the host's function, the toolkits of sub-agents, and what every call
//! does besides its work: it is counted, and its result ends with what is unread.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::{Content, Outcome, ToolError, limits};
use tenon_dialects::{mismatch, schema_fault};
use tenon_process::ProcessIdentity;
use tenon_sessions::{
    ChangesOfRun, Control, Engine, EngineOptions, Event, EventSink, Lease, Member, OnUpdate, Owner,
    RunFuture, Runner,
};
use tenon_state::{SessionKey, SessionRecords};
use tenon_store::Store;
use tenon_tools::{HostCallback, off_thread};
use tenon_workspace::Journal;

use crate::approval::{Approvals, RequestingSession};
use crate::events::Events;
use crate::host_callbacks::{Approver, HostCallbacks};
use crate::mode::Modes;
use crate::options::Options;
use crate::options::Within;
use crate::redaction::Redaction;
use crate::selection::Selection;
use crate::streams::Streams;
use crate::taint::Taint;

/// What the toolkit of a sub-agent has from the one that has started it.
pub(crate) struct Child {
    pub(crate) member: Member,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) is_kept: bool,
    /// One for the tree: a checkpoint of any toolkit covers what all of them change.
    pub(crate) journal: Journal,
    pub(crate) approvals: Arc<Approvals>,
    /// One for the tree: who switches the mode switches it for all.
    pub(crate) modes: Modes,
    /// Takes what happens in the sub-agent as well.
    pub(crate) events: Events,
    /// One for the tree: a mark means the same to all.
    pub(crate) redaction: Option<Redaction>,
    pub(crate) streams: Streams,
    /// One for the tree: what one agent has read may be in what it sends the others.
    pub(crate) taint: Option<Taint>,
    pub(crate) exposure: tenon_policy::Exposure,
}

impl Child {
    /// The rows of a toolkit: an agent of the last depth has no tools for sessions, and none presents a plan. The mode is
    /// one for the tree, and a plan is approved by the user for what the user talks with.
    ///
    /// # Errors
    /// Names of tools that nobody knows.
    pub(crate) fn selection(
        child: Option<&Self>,
        options: &Options,
    ) -> Result<Selection, ToolError> {
        let dialect = options.dialect.dialect();
        let selection = Selection::new(dialect, options.level.map(Within::get), &options.tools)?;
        let selection = if options.edits.anchors {
            selection.with_anchors()
        } else {
            selection
        };
        let selection = if options.limits.max_tokens_by_model {
            selection.with_budget(options.dialect.budget_parameter())
        } else {
            selection
        };
        Ok(match child {
            Some(child) if child.member.is_deepest() => selection.deepest().below(),
            Some(_) => selection.below(),
            None => selection,
        })
    }

    /// The answers of a toolkit: what was answered above holds for an agent too.
    pub(crate) fn approvals(
        child: Option<&Self>,
        approver: Option<Arc<dyn Approver>>,
        records: Option<SessionRecords>,
        events: Events,
    ) -> Arc<Approvals> {
        let approvals = Approvals::new(approver, records, events);
        Arc::new(match child {
            Some(child) => approvals.below(child.approvals.clone(), child.requesting()),
            None => approvals,
        })
    }

    fn requesting(&self) -> RequestingSession {
        let row = self.member.row();
        RequestingSession {
            id: row.id.clone(),
            label: row.label.clone(),
            depth: row.depth,
        }
    }
}

/// The first session of a tree, where the host runs agents.
pub(crate) fn root(
    options: &Options,
    callbacks: &HostCallbacks,
    store: &Arc<dyn Store>,
    session: &SessionKey,
    is_kept: bool,
    streams: &Streams,
) -> Option<Member> {
    let part = callbacks.run_agent.clone()?;
    let runner = HostRunner {
        part,
        messages: callbacks.run_message.clone(),
    };
    let own = ProcessIdentity::own();
    let engine = Engine::new(EngineOptions {
        store: Arc::clone(store),
        workspace: session.workspace.clone(),
        root: session.id.clone(),
        is_kept,
        limits: options.limits.agents.to_limits(),
        visibility: options.sessions.visibility(),
        runner: Some(Arc::new(runner)),
        owner: Owner {
            machine: own.machine,
            pid: own.pid,
            started: own.started,
            engine: String::new(),
        },
        is_gone: Arc::new(is_gone),
        check: Arc::new(mismatch),
        check_schema: Arc::new(schema_fault),
        events: Some(events(callbacks.session_event.clone(), streams.clone())),
        lease: lease(callbacks),
    });
    Some(Member::root(engine))
}

/// What is kept of the changes of runs, for those whose process has ended.
pub(crate) fn changes_of_runs(journal: &Journal) -> ChangesOfRun {
    let journal = journal.clone();
    Arc::new(move |run| {
        let (journal, run) = (journal.clone(), run.to_owned());
        Box::pin(async move {
            let kept = off_thread(move || journal.changes_of_run(&run)).await;
            // What cannot be read is reported as not known.
            kept.ok().and_then(Result::ok).unwrap_or_default()
        })
    })
}

fn is_gone(owner: &Owner) -> bool {
    let identity = ProcessIdentity {
        machine: owner.machine.clone(),
        pid: owner.pid,
        started: owner.started,
    };
    identity.is_gone()
}

/// The leases of runs. Those that the host keeps are renewed by its event loop, which may be blocked.
fn lease(callbacks: &HostCallbacks) -> Lease {
    let usual = Lease::default();
    if callbacks.store.is_none() {
        return usual;
    }
    Lease {
        time: limits::HOST_STORE_LEASE_TIME,
        ..usual
    }
}

/// Notifies the stream of the end of every run, and the host of everything.
fn events(part: Option<Arc<dyn HostCallback>>, streams: Streams) -> EventSink {
    Arc::new(move |event: Event| {
        if event.kind == "ended" {
            streams.run_ended(&event);
        }
        let Some(part) = part.clone() else {
            return Box::pin(std::future::ready(false));
        };
        Box::pin(async move {
            let Ok(mut request) = serde_json::to_value(&event) else {
                return false;
            };
            if let Some(members) = request.as_object_mut() {
                members.insert("ticket".to_owned(), json!(0));
            }
            // A listener that fails has shown nothing: the result stays unread.
            matches!(part.ask(request, None).await, Ok(Value::Bool(true)))
        })
    })
}

/// Runs agents by way of the host.
struct HostRunner {
    part: Arc<dyn HostCallback>,
    messages: Option<Arc<dyn HostCallback>>,
}

impl Runner for HostRunner {
    fn run(&self, request: Value, control: Arc<Control>, on_update: OnUpdate) -> RunFuture {
        let received = Arc::new(move |partial: Value| on_update(&partial));
        self.part
            .ask_until(request, Some(received), control.abort().clone())
    }

    fn steer(
        &self,
        run: &str,
        from: &str,
        text: &str,
    ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send>> {
        let Some(part) = self.messages.clone() else {
            return Box::pin(std::future::ready(false));
        };
        let request = json!({ "runId": run, "from": from, "text": text, "ticket": 0 });
        Box::pin(async move { matches!(part.ask(request, None).await, Ok(Value::Bool(true))) })
    }
}

/// Counts a call before it is made, and takes out of the mailbox what the model has seen by now.
pub(crate) fn before(member: Option<&Member>) -> Result<(), ToolError> {
    let Some(member) = member else { return Ok(()) };
    member.begin_call()?;
    let shown = member.shown_keys();
    if !shown.is_empty() {
        let member = member.clone();
        tokio::spawn(async move { member.acknowledge(shown).await });
    }
    Ok(())
}

/// Counts what came of a call, and adds to its text what is unread.
pub(crate) async fn after(
    member: Option<&Member>,
    answer: Result<Outcome, ToolError>,
) -> Result<Outcome, ToolError> {
    let Some(member) = member else { return answer };
    let mut outcome = match answer {
        Ok(outcome) => outcome,
        Err(error) => {
            if let Some(control) = member.control() {
                control.end_call(error.message.len(), &[]);
            }
            return Err(error);
        }
    };
    if let Some(control) = member.control() {
        let bytes = outcome.content.iter().map(Content::bytes).sum();
        control.end_call(bytes, &outcome.changes);
    }
    if let Some(lines) = member.notice().await {
        let lines = lines.join("\n");
        match outcome.content.last_mut() {
            Some(Content::Text(text)) => {
                text.push_str(if text.is_empty() { "" } else { "\n\n" });
                text.push_str(&lines);
            }
            _ => outcome.content.push(Content::Text(lines)),
        }
    }
    Ok(outcome)
}
