//! Questions of pages: `alert` is closed and repeated, the others wait for an answer, though not for ever.

use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::limits;

use crate::DialogInfo;
use crate::page::tab::Tab;
use crate::protocol::message::text;

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
        // Leaving a page was a decision already.
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

pub(crate) fn close(tab: &Tab, accept: bool, text: Option<&str>) {
    let mut params = json!({ "accept": accept });
    if let (Some(text), Some(params)) = (text, params.as_object_mut()) {
        params.insert("promptText".to_owned(), text.into());
    }
    tab.connection
        .send(Some(&tab.session), "Page.handleJavaScriptDialog", params);
}
