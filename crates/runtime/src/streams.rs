//! The streams of a tree of toolkits: the one who knows only the session in which something happened finds the stream that
//! reports it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tenon_contract::Operation;
use tenon_cron::RunEnd;
use tenon_sessions::Event;

use crate::events::{EventKind, Events, Inner, Subject};
use crate::selection::Selection;

/// The streams of a tree. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Streams(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    /// That of the toolkit at the root, which is made first.
    root: Option<Weak<Inner>>,
    /// By session.
    all: HashMap<Arc<str>, Weak<Inner>>,
    /// The tools that start runs, as the vocabulary of the tree names them.
    names: HashMap<Operation, &'static str>,
}

impl Streams {
    /// Takes in the stream of a toolkit of the tree, and the names of its tools.
    pub(crate) fn enter(&self, events: &Events, selection: &Selection) {
        let mut open = self.lock();
        open.all.retain(|_, stream| stream.strong_count() > 0);
        let stream = events.downgrade();
        open.root.get_or_insert_with(|| stream.clone());
        open.all.insert(Arc::clone(events.session()), stream);
        for row in selection.rows() {
            let binding = row.binding;
            open.names.entry(binding.operation).or_insert(binding.name);
        }
    }

    /// Reports what happened in a session.
    fn emit(&self, session: &str, make: impl FnOnce(&Self) -> EventKind) {
        let (own, root) = {
            let open = self.lock();
            let own = open.all.get(session).and_then(Events::upgraded);
            (own, open.root.as_ref().and_then(Events::upgraded))
        };
        match (own, root) {
            (Some(own), _) => own.emit(|| make(self)),
            (None, Some(root)) if root.have_listener() => root.emit_of(session, &make(self)),
            (None, _) => {}
        }
    }

    /// Reports the end of a run of a sub-agent, in the stream of the session that has started it.
    pub(crate) fn run_ended(&self, event: &Event) {
        self.emit(&event.parent_id, |streams| EventKind::RunEnded {
            call: event
                .call_id
                .as_deref()
                .zip(event.origin)
                .map(|(id, origin)| Subject::new(&id.into(), streams.name(origin))),
            agent: event.agent.clone(),
            label: event.label.clone(),
            status: event.status.as_str().to_owned(),
            session_id: event.session_id.clone(),
            run_id: event.run_id.clone(),
            job_id: None,
        });
    }

    /// Reports the end of a run of a scheduled job, in the stream of the toolkit that runs jobs.
    pub(crate) fn job_ended(&self, end: RunEnd) {
        let root = self.lock().root.as_ref().and_then(Events::upgraded);
        let Some(root) = root else { return };
        root.emit(|| EventKind::RunEnded {
            call: None,
            agent: end
                .agent
                .unwrap_or_else(|| tenon_contract::DEFAULT_AGENT.to_owned()),
            label: end.name.unwrap_or_else(|| end.job_id.clone()),
            status: crate::cron::status_of(end.status).as_str().to_owned(),
            session_id: crate::cron::session_of(&end.run_id),
            run_id: end.run_id,
            job_id: Some(end.job_id),
        });
    }

    fn name(&self, operation: Operation) -> &'static str {
        let known = self.lock().names.get(&operation).copied();
        known.unwrap_or(operation.name())
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
