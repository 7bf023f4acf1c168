//! Tabs: made, named, closed.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_contract::limits;

use crate::page::tab::Tab;
use crate::protocol::message::text;
use crate::results::TabInfo;
use crate::session::Session;
use crate::snapshot::look::Identity;
use crate::{BrowserError, CancellationToken};

impl Session {
    /// A new tab with an empty page.
    pub(crate) async fn new_tab(&self) -> Result<Arc<Tab>, BrowserError> {
        if self.shared.tabs().len() >= limits::BROWSER_TABS_MAX {
            return Err(BrowserError::Invalid(format!(
                "{} tabs are open, which is the most. Close one with the action `close`, or use `navigate` in one of them.",
                limits::BROWSER_TABS_MAX
            )));
        }
        let mut params = json!({ "url": "about:blank" });
        if let (Some(context), Some(params)) = (&self.shared.context, params.as_object_mut()) {
            params.insert("browserContextId".to_owned(), context.as_str().into());
        }
        #[derive(Deserialize)]
        struct Created {
            #[serde(rename = "targetId")]
            target: String,
        }
        let limit = limits::BROWSER_COMMAND_TIMEOUT;
        let connection = &self.shared.connection;
        let created: Created = connection
            .call(None, "Target.createTarget", params, limit)
            .await?;
        let gone = || BrowserError::Crashed {
            what: "The new tab".to_owned(),
            cause: String::new(),
        };
        // It was attached to before the answer came.
        let found = self.shared.tabs();
        let tab = found
            .into_iter()
            .find(|tab| tab.target == created.target)
            .ok_or_else(gone)?;
        let prepared =
            tab.until(|state| (state.is_prepared || state.is_closed).then_some(state.is_closed));
        match tokio::time::timeout(limit, prepared).await {
            Ok(false) => {}
            _ => {
                let fault = tab.state().fault.clone().or(connection.close_reason());
                return Err(fault.unwrap_or_else(gone));
            }
        }
        if let Some(view) = self.shared.options.view {
            tab.resize(view).await?;
        }
        self.shared.activate(&tab);
        Ok(tab)
    }

    /// What the browser says of a tab. Works while the page hangs.
    pub(crate) async fn info(&self, tab: &Tab) -> TabInfo {
        let asked = json!({ "targetId": tab.target });
        // One that is just being closed has neither.
        let answer = self.shared.call("Target.getTargetInfo", asked).await;
        let answer = answer.unwrap_or(Value::Null);
        TabInfo {
            tab: tab.name.clone(),
            url: cut(text(&answer, "/targetInfo/url")),
            title: cut(text(&answer, "/targetInfo/title")),
            active: self.shared.active().as_ref() == Some(&tab.name),
        }
    }

    /// The same where the page has just been looked at, without another command to the browser.
    pub(crate) async fn info_of(&self, tab: &Tab, page: &Identity) -> TabInfo {
        // Of a page without a title, and of one that could not be loaded, the browser knows something else to say.
        if page.title.is_empty() || !page.url.starts_with("http") {
            return self.info(tab).await;
        }
        TabInfo {
            tab: tab.name.clone(),
            url: cut(&page.url),
            title: cut(&page.title),
            active: self.shared.active().as_ref() == Some(&tab.name),
        }
    }

    /// The page of this tab; of the active one where there is no such tab. Waits for nothing that is being done.
    pub async fn page(&self, tab: Option<&str>, abort: &CancellationToken) -> Option<TabInfo> {
        let tab = self.tab(tab).or_else(|_| self.tab(None)).ok()?;
        tokio::select! {
            biased;
            () = abort.cancelled() => None,
            info = self.info(&tab) => Some(info),
        }
    }

    /// All tabs.
    ///
    /// # Errors
    /// When the browser is gone.
    pub async fn tabs(&self, abort: &CancellationToken) -> Result<Vec<TabInfo>, BrowserError> {
        self.run(abort, async {
            if let Some(reason) = self.shared.connection.close_reason() {
                return Err(reason);
            }
            let mut infos = Vec::new();
            for tab in self.shared.tabs() {
                infos.push(self.info(&tab).await);
            }
            Ok(infos)
        })
        .await
    }

    /// Makes this tab the one that actions go to.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn focus(
        &self,
        tab: &str,
        abort: &CancellationToken,
    ) -> Result<TabInfo, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(Some(tab))?;
            self.shared.activate(&tab);
            Ok(self.info(&tab).await)
        })
        .await
    }

    /// Closes a tab, whatever it says.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn close_tab(
        &self,
        tab: Option<&str>,
        abort: &CancellationToken,
    ) -> Result<Vec<TabInfo>, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let target = json!({ "targetId": tab.target });
            self.shared.call("Target.closeTarget", target).await?;
            let gone = tab.until(|state| state.is_closed.then_some(()));
            // One that does not go is not used any more all the same.
            let _ = tokio::time::timeout(limits::BROWSER_CLOSE_TIMEOUT, gone).await;
            self.shared.remove_tab(&tab);
            Ok(())
        })
        .await?;
        self.tabs(abort).await
    }
}

/// Of a text that the page chose, as much as a result has.
fn cut(text: &str) -> String {
    text.chars().take(2_000).collect()
}
