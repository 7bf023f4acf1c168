//! Waiting for what a page is to show.

use std::time::Duration;

use serde_json::json;
use tenon_contract::limits;

use crate::page::tab::Tab;
use crate::session::Session;
use crate::{BrowserError, CancellationToken};

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitFor {
    /// A text that is to appear.
    Text(String),
    /// A text that is to vanish.
    TextGone(String),
    /// A part of the address.
    Url(String),
    /// Time.
    Time(Duration),
}

/// What came of waiting.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Waited {
    /// Whether it came in time.
    pub matched: bool,
    /// The tab.
    #[serde(flatten)]
    pub tab: crate::TabInfo,
}

impl Session {
    /// Waits for a text, an address, or a time.
    ///
    /// # Errors
    /// When the page asks a question, or is gone. That it did not come is no error.
    pub async fn wait(
        &self,
        tab: Option<&str>,
        wanted: &WaitFor,
        timeout: Option<Duration>,
        abort: &CancellationToken,
    ) -> Result<Waited, BrowserError> {
        let limit = timeout
            .unwrap_or(limits::BROWSER_NAVIGATION_TIMEOUT)
            .min(limits::BROWSER_WAIT_MAX);
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let came = async {
                if let WaitFor::Time(time) = wanted {
                    tokio::time::sleep((*time).min(limits::BROWSER_WAIT_MAX)).await;
                    return Ok(());
                }
                while !self.is_there(&tab, wanted).await? {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Ok(())
            };
            let limit = match wanted {
                WaitFor::Time(_) => limits::BROWSER_WAIT_MAX + Duration::from_secs(1),
                _ => limit,
            };
            let matched = match tab.within(limit, "Waiting", tab.unless_broken(came)).await {
                Ok(()) => true,
                Err(BrowserError::Timeout { .. }) => false,
                Err(error) => return Err(error),
            };
            let tab = self.info(&tab).await;
            Ok(Waited { matched, tab })
        })
        .await
    }

    async fn is_there(&self, tab: &Tab, wanted: &WaitFor) -> Result<bool, BrowserError> {
        let (text, is_wanted) = match wanted {
            WaitFor::Time(_) => return Ok(true),
            WaitFor::Url(part) => return Ok(self.info(tab).await.url.contains(part)),
            WaitFor::Text(text) => (text, true),
            WaitFor::TextGone(text) => (text, false),
        };
        let mut found = false;
        for frame in tab.frames().await? {
            match tab.ask::<bool>(&frame, "hasText", &[json!(text)]).await {
                Ok(has) => found |= has,
                // A frame that is just being replaced.
                Err(BrowserError::Protocol { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found == is_wanted)
    }
}
