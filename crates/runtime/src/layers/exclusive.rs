//! One writer per file: calls that change the same file run one after the other, those of other
//! processes included.

use std::path::Path;

use tenon_contract::{CancellationToken, PathClaim, ToolError};
use tenon_tools::off_thread;
use tenon_workspace::{Error, PathGuard, lock_paths_within};

use crate::service::{Call, Service};

pub(crate) struct Exclusive<S> {
    inner: S,
}

impl<S> Exclusive<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
    }
}

/// Another process has one of the files. Waiting for it needs a thread.
async fn wait_for_processes(
    mut guard: PathGuard,
    cancelled: CancellationToken,
) -> Result<PathGuard, ToolError> {
    // A call that is dropped here, at its deadline, must not leave a thread waiting.
    let stop = cancelled.child_token();
    let _stopped = stop.clone().drop_guard();
    let work = off_thread(move || {
        guard.share(&|| stop.is_cancelled())?;
        Ok(guard)
    });
    work.await?
}

/// What a call is called in the errors of others.
fn name_of(call: &Call) -> String {
    match &*call.sent.id {
        "" => format!("a call of `{}`", call.tool.name()),
        id => format!("the call `{id}` of `{}`", call.tool.name()),
    }
}

/// The error with the file as the call names it.
fn as_named(error: Error, call: &Call) -> ToolError {
    let Error::Deadlock { path, holder } = error else {
        return error.into();
    };
    let mut changed = call.prepared.access().changed();
    let claim = changed.find(|claim| claim.target == Path::new(&path));
    let path = claim.map_or(path, |claim| claim.name.clone());
    Error::Deadlock { path, holder }.into()
}

impl<S: Service<Call>> Service<Call> for Exclusive<S> {
    type Answer = S::Answer;

    async fn call(&self, call: Call) -> Result<S::Answer, ToolError> {
        if !call.tool.is_exclusive() {
            return self.inner.call(call).await;
        }
        let targets: Vec<_> = call
            .prepared
            .access()
            .changed()
            .map(|claim: &PathClaim| claim.target.clone())
            .collect();
        let cancelled = call.sent.cancellation.clone();
        let lineage = call.sent.lineage.as_deref().unwrap_or_default();
        let name = name_of(&call);
        let guard = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(ToolError::cancelled()),
            guard = lock_paths_within(lineage, &name, targets) => guard,
        };
        let mut guard = guard.map_err(|error| as_named(error, &call))?;
        if !guard.try_share() {
            guard = wait_for_processes(guard, cancelled).await?;
        }
        let answer = self.inner.call(call).await;
        drop(guard);
        answer
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("exclusive");
        self.inner.describe(names);
    }
}
