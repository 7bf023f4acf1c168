//! What an action has done: waits until the page has settled, and says what is different.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_contract::limits;

use crate::BrowserError;
use crate::page::log::Blocked;
use crate::page::tab::{Tab, TabState};
use crate::results::{ActionResult, Changed};
use crate::session::Session;
use crate::snapshot::look::LookOptions;

/// How long a page gets to begin with what an action leads to.
const BEGIN: Duration = Duration::from_millis(80);
/// How long an action waits for the page that it leads to.
const SETTLE: Duration = Duration::from_millis(5_000);

/// How long an action waits for answers to what the page asked a server for.
const ANSWERS: Duration = Duration::from_millis(2_000);
/// How long a page gets to show an answer, and to ask for the next one.
const SHOW: Duration = Duration::from_millis(50);

/// How long an action waits for what fades in or out.
const FADES: Duration = Duration::from_millis(1_500);

/// How a tab stood before an action.
pub(crate) struct Before {
    commits: u64,
    requests: usize,
    tabs: Vec<String>,
    console: usize,
}

impl Session {
    /// Remembers how it stands before an action that may change it.
    pub(crate) async fn before(&self, tab: &Tab) -> Before {
        let look = async {
            self.look_at_all(tab).await;
            Ok(())
        };
        // What it fails of, the action will fail of.
        let _ = tab
            .within(limits::BROWSER_ACTION_TIMEOUT, "The snapshot", look)
            .await;
        self.forget(tab)
    }

    /// Remembers how it stands, and forgets what belonged to actions before.
    pub(crate) fn forget(&self, tab: &Tab) -> Before {
        self.shared.act_on(tab);
        let mut state = tab.state();
        state.alerts.clear();
        state.offered.clear();
        state.blocked.clear();
        state.chooser = None;
        Before {
            commits: state.commits,
            requests: state.network_total,
            console: state.console_total,
            tabs: self
                .shared
                .tabs()
                .iter()
                .map(|tab| tab.name.clone())
                .collect(),
        }
    }

    /// Waits until the page has settled, and says what it did.
    pub(crate) async fn after(
        &self,
        tab: &Arc<Tab>,
        before: Before,
    ) -> Result<ActionResult, BrowserError> {
        let settled = self.settle(tab).await;
        self.answered(tab, &before).await;
        if tab.state().commits == before.commits {
            faded(tab).await;
        }
        self.settle_new(tab, &before).await;
        let mut result = ActionResult {
            tab: self.info(tab).await,
            changed: Changed::None,
            snapshot: None,
            dialog: None,
            alerts: Vec::new(),
            opened: Vec::new(),
            console_errors: Vec::new(),
            downloads: Vec::new(),
            blocked: Vec::new(),
            file_chooser: None,
            remark: None,
        };
        let is_other = tab.state().commits != before.commits;
        if is_other {
            result.changed = Changed::Navigation;
        }
        let look = async {
            settled?;
            if !is_other {
                return self.delta(tab).await;
            }
            if tab.has_page().is_err() {
                return Ok(None);
            }
            let (snapshot, _) = self.look(tab, &LookOptions::default()).await?;
            Ok(Some((true, snapshot)))
        };
        let limit = limits::BROWSER_ACTION_TIMEOUT;
        match tab.within(limit, "The snapshot", look).await {
            Ok(Some((true, snapshot))) => {
                if !is_other {
                    result.changed = Changed::Page;
                }
                result.snapshot = Some(snapshot);
            }
            Ok(_) => {}
            // The action is done; what the page does now is reported with it.
            Err(BrowserError::DialogOpen(info)) => result.dialog = Some(info),
            Err(BrowserError::NoTab(_)) => result.changed = Changed::Navigation,
            // A page that changes while it is looked at can be looked at again.
            Err(BrowserError::Protocol { .. } | BrowserError::Timeout { .. }) => {
                result.changed = Changed::Page;
            }
            Err(error) => return Err(error),
        }
        self.collect(tab, &before, &mut result).await;
        Ok(result)
    }

    async fn collect(&self, tab: &Tab, before: &Before, result: &mut ActionResult) {
        {
            let mut state = tab.state();
            result.alerts = std::mem::take(&mut state.alerts);
            result.downloads = std::mem::take(&mut state.offered);
            result.blocked = std::mem::take(&mut state.blocked);
            if result.changed == Changed::Navigation {
                match state.load_fault() {
                    Some(BrowserError::NavigationFailed { url, fault }) => {
                        let (reason, rule) = (fault, None);
                        result.blocked.push(Blocked { url, reason, rule });
                    }
                    _ => result.remark = state.remark(),
                }
            }
            result.file_chooser = state.chooser.as_ref().map(|chooser| chooser.takes);
            let fresh = state.console_total.saturating_sub(before.console);
            let errors = state.console.iter().rev().take(fresh).rev();
            result.console_errors = errors
                .filter(|entry| entry.level == "error" || entry.level == "assert")
                .map(|entry| entry.text.clone())
                .take(5)
                .collect();
        }
        for other in self.opened_since(before) {
            let blocked = std::mem::take(&mut other.state().blocked);
            result.blocked.extend(blocked);
            result.opened.push(self.info(&other).await);
        }
    }

    fn opened_since(&self, before: &Before) -> Vec<Arc<Tab>> {
        let mut tabs = self.shared.tabs();
        tabs.retain(|tab| !before.tabs.contains(&tab.name));
        tabs
    }

    /// Waits until tabs that an action has opened show what they were opened for, or may not: that is said with the action.
    async fn settle_new(&self, tab: &Tab, before: &Before) {
        for other in self.opened_since(before) {
            let prepared =
                other.until(|state| (state.is_prepared || state.is_closed).then_some(()));
            // A tab that does not come is reported as it is.
            if tokio::time::timeout(SETTLE, prepared).await.is_ok() {
                let _ = self.settle(&other).await;
            }
            // Its first document waits here for a decision.
            let _ = self.quiet(tab).await;
        }
    }

    /// Waits until the page has begun with what an action leads to, and until what it began has come.
    pub(crate) async fn settle(&self, tab: &Tab) -> Result<(), BrowserError> {
        let begin = async {
            tokio::time::sleep(BEGIN).await;
            Ok(())
        };
        tab.unless_broken(begin).await?;
        self.quiet(tab).await
    }

    /// Waits until scripts have the answers that they have asked for since, and what they asked for because of these.
    async fn answered(&self, tab: &Tab, before: &Before) {
        let is_asking = |state: &TabState| state.is_asking_since(before.requests);
        let answers = async {
            while is_asking(&tab.state()) {
                tab.until(|state| (!is_asking(state)).then_some(())).await;
                tokio::time::sleep(SHOW).await;
            }
            Ok(())
        };
        // One that takes longer, as those for what may come at any time, is not waited for.
        let _ = tokio::time::timeout(ANSWERS, tab.unless_broken(answers)).await;
    }

    async fn quiet(&self, tab: &Tab) -> Result<(), BrowserError> {
        let quiet = async {
            tab.until(|state| (!state.is_loading && !state.waits.is_any()).then_some(()))
                .await;
            Ok(())
        };
        let waited = tab
            .within(SETTLE, "Loading", tab.unless_broken(quiet))
            .await;
        match waited {
            // It goes on loading; there is something to see.
            Err(BrowserError::Timeout { .. }) => tab.update(|state| state.is_loading = false),
            waited => waited?,
        }
        Ok(())
    }

    /// Takes the mouse button up where an aborted action has left it down.
    pub(crate) async fn release(&self, tab: &Tab) -> Result<(), BrowserError> {
        let pressed = tab.state().pressed.take();
        if let Some((x, y)) = pressed {
            let up = json!({ "type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1 });
            let _: serde_json::Value = tab
                .call(&tab.session, "Input.dispatchMouseEvent", up)
                .await?;
        }
        Ok(())
    }
}

/// Waits until what fades in or out has done so, and what pages show then.
async fn faded(tab: &Tab) {
    let fades = async {
        let frame = tab.main_frame().await?;
        loop {
            let left: u64 = tab.ask(&frame, "fades", &[]).await?;
            if left == 0 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(left) + SHOW).await;
        }
    };
    // What does not answer, or fades for longer, is looked at as it is.
    let _ = tokio::time::timeout(FADES, tab.unless_broken(fades)).await;
}
