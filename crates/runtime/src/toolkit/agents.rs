//! Toolkits of sub-agents.

use tenon_contract::{ErrorCode, ToolError};

use super::Toolkit;
use crate::host_callbacks::HostCallbacks;

impl Toolkit {
    /// The toolkit of a run of a sub-agent: the same rules and directories, at most the same tools, a session of its own.
    /// It is closed when the run ends.
    ///
    /// # Errors
    /// When there is no such run in this process, or it has ended; names of tools that nobody knows.
    pub fn child(&self, run: &str, callbacks: HostCallbacks) -> Result<Self, ToolError> {
        let Some(member) = self.member() else {
            return Err(ToolError::internal("a toolkit without agents has none"));
        };
        let (own, member) = (member.id(), member.child(run)?);
        if member.row().parent.as_deref() != Some(own) {
            // Another toolkit may have more rights than the one that has started the run.
            return Err(ToolError::new(
                ErrorCode::NotFound,
                "The session that has started this run has ended, or is not that of this toolkit.",
            ));
        }
        let child = self.child_of(member.clone())?;
        let toolkit = child.opened(self.options_of(&member), callbacks)?;
        if let Some(control) = member.control() {
            let ended = toolkit.clone();
            control.on_end(move || {
                ended.end_now();
                if let Ok(executor) = tokio::runtime::Handle::try_current() {
                    executor.spawn(async move {
                        // What could not be cleared away is temporary anyway.
                        let _ = ended.close().await;
                    });
                }
            });
        }
        Ok(toolkit)
    }

    /// Ends what this session has started, and takes out of its mailbox what was shown.
    pub(crate) async fn close_agents(&self) {
        let Some(member) = self.member() else { return };
        member.acknowledge(member.shown_keys()).await;
        if member.control().is_none() {
            member.engine().close().await;
        } else {
            member.stop_own().await;
        }
    }

    /// The same at once, when the process exits.
    pub(crate) fn end_agents(&self) {
        if let Some(member) = self.member().filter(|member| member.control().is_none()) {
            member.engine().end_now();
        }
    }
}
