//! Questions of pages: `alert` is closed and repeated, the others wait for an answer, though not for ever.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::limits;

use crate::router::text;
use crate::session::Session;
use crate::tab::Tab;
use crate::{ActionResult, BrowserError, CancellationToken, DialogInfo};

/// Most alerts that one result repeats.
const ALERTS_KEPT: usize = 5;

pub(crate) fn opening(tab: &Arc<Tab>, params: &Value) {
    let info = DialogInfo {
        kind: text(params, "/type").to_owned(),
        message: text(params, "/message").chars().take(1000).collect(),
    };
    match info.kind.as_str() {
        "alert" => {
            tab.update(|state| {
                if state.alerts.len() < ALERTS_KEPT {
                    state.alerts.push(info.message);
                }
            });
            close(tab, true, None);
        }
        // Whoever leaves a page has decided so.
        "beforeunload" => close(tab, true, None),
        _ => {
            let number = tab.update(|state| {
                state.dialog = Some(info);
                state.dialogs += 1;
                state.dialogs
            });
            let tab = Arc::downgrade(tab);
            tokio::spawn(async move {
                tokio::time::sleep(limits::BROWSER_DIALOG_PATIENCE).await;
                let Some(tab) = tab.upgrade() else { return };
                let is_open = {
                    let state = tab.state();
                    state.dialogs == number && state.dialog.is_some()
                };
                if is_open {
                    close(&tab, false, None);
                }
            });
        }
    }
}

fn close(tab: &Tab, accept: bool, text: Option<&str>) {
    let mut params = json!({ "accept": accept });
    if let (Some(text), Some(params)) = (text, params.as_object_mut()) {
        params.insert("promptText".to_owned(), text.into());
    }
    tab.connection
        .tell(Some(&tab.session), "Page.handleJavaScriptDialog", params);
}

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
