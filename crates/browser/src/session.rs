//! A session: tabs with cookies of their own. One thing is done in it at a time.

pub(crate) mod show;
pub(crate) mod tabs;

use std::future::Future;
use std::sync::Arc;

use serde_json::json;

use crate::events::interception;
use crate::events::router::Router;
use crate::events::shared::Shared;
use crate::page::frames::Frame;
use crate::page::tab::Tab;
use crate::program::profile::Directory;
use crate::snapshot::look::OneLine;
use crate::snapshot::refs::Shown;
use crate::{BrowserError, CancellationToken};

/// Tabs with cookies of their own. Dropping it closes them.
///
/// Its methods are the actions of the tool; each stops within 50 ms of its `abort`.
pub struct Session {
    pub(crate) shared: Arc<Shared>,
    pub(crate) router: Arc<Router>,
    pub(crate) directory: Arc<Directory>,
    /// Only one action at a time: they would move each other's mouse.
    turn: tokio::sync::Mutex<()>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>, router: Arc<Router>, directory: Arc<Directory>) -> Self {
        Self {
            shared,
            router,
            directory,
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// Does something when it is its turn, unless it is aborted.
    pub(crate) async fn run<T>(
        &self,
        abort: &CancellationToken,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        // Actions hold much; without this they would not fit onto the stack of a thread of the host.
        let work = Box::pin(work);
        let turn = async {
            let _turn = self.turn.lock().await;
            self.shared.touch();
            interception::refresh_sockets(&self.shared);
            let done = work.await;
            self.shared.touch();
            done
        };
        tokio::select! {
            biased;
            () = abort.cancelled() => Err(BrowserError::Cancelled),
            done = turn => done,
        }
    }

    /// How long nothing has been done in it. Its owner ends browsers that nobody uses.
    #[must_use]
    pub fn idle(&self) -> std::time::Duration {
        self.shared.used().elapsed()
    }

    /// The address of the page in this tab, in that of this reference, or in the active one. Empty for an empty page;
    /// nothing where there is none.
    #[must_use]
    pub fn address_of(&self, tab: Option<&str>, reference: Option<&str>) -> Option<String> {
        let of_reference = reference.and_then(|reference| {
            let refs = self.shared.refs();
            refs.find(reference)
                .ok()
                .map(|shown| shown.place.tab.clone())
        });
        let tab = self.tab(of_reference.as_deref().or(tab)).ok()?;
        let url = tab.state().url.clone();
        Some(url)
    }

    /// The addresses of the pages in all tabs.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        let tabs = self.shared.tabs();
        tabs.iter().map(|tab| tab.state().url.clone()).collect()
    }

    /// Whether its connections go through our proxy. Those of a remote browser do not.
    #[must_use]
    pub fn is_proxied(&self) -> bool {
        self.shared.is_proxied
    }

    /// Whether its browser runs.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.shared.connection.close_reason().is_none()
    }

    /// This tab, or the active one.
    pub(crate) fn tab(&self, name: Option<&str>) -> Result<Arc<Tab>, BrowserError> {
        self.shared.tab(name)
    }

    /// The tab of a reference, and what that was shown as.
    pub(crate) fn referred(
        &self,
        tab: Option<&str>,
        reference: &str,
    ) -> Result<(Arc<Tab>, Shown), BrowserError> {
        let shown = self.shared.refs().find(reference)?.clone();
        if let Some(tab) = tab
            && tab != shown.place.tab
        {
            return Err(BrowserError::Invalid(format!(
                "`{reference}` is in the tab `{}`, not in `{tab}`. Leave `tab` out.",
                shown.place.tab
            )));
        }
        let found = self
            .tab(Some(&shown.place.tab))
            .map_err(|error| match error {
                BrowserError::NoTab(_) => BrowserError::StaleRef {
                    reference: reference.to_owned(),
                    was: format!(": it was {}, in a tab that was closed", shown.label()),
                    candidates: Vec::new(),
                },
                error => error,
            })?;
        Ok((found, shown))
    }

    /// The frame of a reference, if the document in it is still the same.
    pub(crate) async fn frame_of<'a>(
        &self,
        frames: &'a [Frame],
        tab: &Tab,
        reference: &str,
        shown: &Shown,
    ) -> Result<&'a Frame, BrowserError> {
        let same =
            |frame: &&Frame| frame.id == shown.place.frame && frame.loader == shown.place.loader;
        if let Some(frame) = frames.iter().find(same) {
            return Ok(frame);
        }
        let frame = frames
            .iter()
            .find(|frame| frame.id == shown.place.frame)
            .or(frames.first());
        Err(match frame {
            Some(frame) => self.stale(tab, frame, reference, shown).await,
            None => BrowserError::Closed,
        })
    }

    /// The error for an element that is gone, with those that say the same.
    pub(crate) async fn stale(
        &self,
        tab: &Tab,
        frame: &Frame,
        reference: &str,
        shown: &Shown,
    ) -> BrowserError {
        const MOST: u32 = 3;
        let candidates = if shown.is_fold {
            Vec::new()
        } else {
            let wanted = [json!(shown.role), json!(shown.name), json!(MOST)];
            // The document that was looked at may just have been replaced: what is found now is in the one that is there now.
            let frames = tab.frames().await.unwrap_or_default();
            let frame = frames.iter().find(|it| it.id == frame.id).unwrap_or(frame);
            let found = tab.ask::<Vec<OneLine>>(frame, "similar", &wanted).await;
            // The error is about the reference; that there is no advice is no other error.
            let found = found.unwrap_or_default();
            found
                .into_iter()
                .map(|line| self.line(tab, frame, line))
                .collect()
        };
        BrowserError::StaleRef {
            reference: reference.to_owned(),
            was: match shown.is_fold {
                true => String::new(),
                false => format!(": it was {}", shown.label()),
            },
            candidates,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let context = self.shared.context.as_deref();
        self.router.remove_session(context);
        match context {
            Some(context) => {
                let context = json!({ "browserContextId": context });
                let connection = &self.shared.connection;
                connection.send(None, "Target.disposeBrowserContext", context);
            }
            None => {
                for tab in self.shared.tabs() {
                    let target = json!({ "targetId": tab.target });
                    tab.connection.send(None, "Target.closeTarget", target);
                }
            }
        }
    }
}
