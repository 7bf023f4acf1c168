//! Answering the question that a page asks.

use tenon_contract::limits;

use crate::page::dialogs::close;
use crate::session::Session;
use crate::{ActionResult, BrowserError, CancellationToken, DialogInfo};

impl Session {
    /// Answers the question that the page asks.
    ///
    /// # Errors
    /// When it asks nothing.
    pub async fn dialog(
        &self,
        tab: Option<&str>,
        accept: bool,
        text: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<(DialogInfo, ActionResult), BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let (info, number) = {
                let state = tab.state();
                let info = state.dialog.clone().ok_or(BrowserError::NoDialog)?;
                (info, state.dialogs)
            };
            // Nothing can be looked at as long as it is open.
            let before = self.forget(&tab);
            close(&tab, accept, text);
            // The next question may be there before anybody has seen that this one has gone.
            let closed = tab.until(|state| {
                let is_gone = state.dialog.is_none() || state.dialogs != number;
                (is_gone || state.is_closed).then_some(())
            });
            let limit = limits::BROWSER_COMMAND_TIMEOUT;
            tokio::time::timeout(limit, closed)
                .await
                .map_err(|_| BrowserError::Timeout {
                    what: "Closing the question of the page".to_owned(),
                    limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
                    detail: String::new(),
                })?;
            let result = self.after(&tab, before).await?;
            Ok((info, result))
        })
        .await
    }
}
