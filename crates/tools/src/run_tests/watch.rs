//! Running tests again whenever files change.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use tenon_contract::{Tool, ToolContext, ToolError, limits};
use tenon_search::{Control, FileStates, Scope, file_states};
use tokio::time::{Instant, sleep};

use super::outcome::Request;
use super::{RunTests, RunTestsOutput, translated};
use crate::{ExecuteParams, ExecutePlan, ExecuteStatus};

impl RunTests {
    /// Runs the tests until the time is up, again after every change; the answer is the last result.
    pub(super) async fn watched(
        &self,
        request: &Request,
        params: &ExecuteParams,
        first: ExecutePlan,
        until: Instant,
        context: &ToolContext,
    ) -> Result<RunTestsOutput, ToolError> {
        let mut last: Option<RunTestsOutput> = None;
        let mut next = Some(first);
        // What the runner itself writes must not make it run again and again.
        let mut by_runs: BTreeSet<String> = BTreeSet::new();
        loop {
            let before = self.states().await;
            let plan = match next.take() {
                Some(plan) => plan,
                None => self.again(params, until)?,
            };
            let ran = self.execute.run(plan, translated(context, request)).await?;
            match last {
                Some(last) if ran.status == ExecuteStatus::Timeout => return Ok(last),
                _ => {}
            }
            let answer = request.outcome(&ran)?;
            context.publish(|| answer.clone());
            last = Some(answer.clone());
            let after = self.states().await;
            let meanwhile = changed(&before, &after);
            if !meanwhile.is_subset(&by_runs) {
                by_runs.extend(meanwhile);
                continue;
            }
            if !self.wait_for_change(&after, until, context).await? {
                return Ok(answer);
            }
        }
    }

    /// The same command once more, with the time that is left.
    fn again(&self, params: &ExecuteParams, until: Instant) -> Result<ExecutePlan, ToolError> {
        let left = until.saturating_duration_since(Instant::now());
        let left = left.max(Duration::from_millis(1)).as_millis();
        let params = ExecuteParams {
            timeout: Some(u64::try_from(left).unwrap_or(limits::EXECUTE_TIMEOUT_MAX_MS)),
            ..params.clone()
        };
        self.execute.plan(params).map(|(_, plan)| plan)
    }

    /// Whether a file changed before the time was up.
    async fn wait_for_change(
        &self,
        known: &FileStates,
        until: Instant,
        context: &ToolContext,
    ) -> Result<bool, ToolError> {
        while Instant::now() + limits::TESTS_WATCH_INTERVAL < until {
            tokio::select! {
                biased;
                () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
                () = sleep(limits::TESTS_WATCH_INTERVAL) => {}
            }
            if !changed(known, &self.states().await).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How the files of the workspace stand, those that ignore files hide left out.
    async fn states(&self) -> FileStates {
        let root = self.workspace.root().to_owned();
        let work = crate::blocking::in_any_case(move || states(root));
        work.await.unwrap_or_default()
    }
}

fn states(root: PathBuf) -> FileStates {
    let control = Control {
        deadline: Some(std::time::Instant::now() + limits::EXECUTE_CHANGES_BUDGET),
        ..Control::default()
    };
    let scope = Scope::new(&root, &root);
    file_states(&scope, limits::EXECUTE_CHANGES_FILES_MAX, &control).unwrap_or_default()
}

/// The files that are new, different or gone.
fn changed(before: &FileStates, after: &FileStates) -> BTreeSet<String> {
    let differs = |(path, state): &(&String, &_)| before.files.get(*path) != Some(*state);
    let new = after.files.iter().filter(differs).map(|(path, _)| path);
    let gone = before
        .files
        .keys()
        .filter(|path| !after.files.contains_key(*path));
    new.chain(gone).cloned().collect()
}
