//! What a page does, as its tab remembers it.

use serde_json::{Value, json};
use tenon_contract::limits;

use crate::FileChooser;
use crate::page::log::{ConsoleEntry, NetworkEntry};
use crate::page::tab::{Chooser, Document, Tab, TabState};
use crate::protocol::message::text;

/// Loading and frames.
pub(crate) fn page(tab: &Tab, method: &str, params: &Value) {
    match method {
        "Page.frameAttached" => tab.update(|state| {
            let (frame, parent) = (text(params, "/frameId"), text(params, "/parentFrameId"));
            state.attached += 1;
            state.frameless = None;
            if state.parents.len() < 10_000 {
                state.parents.insert(frame.to_owned(), parent.to_owned());
            }
        }),
        "Page.frameDetached" if text(params, "/reason") != "swap" => tab.update(|state| {
            state.parents.remove(text(params, "/frameId"));
            state.worlds.remove(text(params, "/frameId"));
        }),
        "Page.frameNavigated" => tab.update(|state| {
            state.worlds.remove(text(params, "/frame/id"));
            if tab.is_main(params, "/frame/id") {
                committed(state, params);
            }
        }),
        "Page.documentOpened" if tab.is_main(params, "/frame/id") => {
            // A script wrote a document of its own, which has the address of the page of the script.
            tab.update(|state| state.url = address(params));
        }
        "Page.navigatedWithinDocument" if tab.is_main(params, "/frameId") => {
            tab.update(|state| {
                state.url = text(params, "/url").to_owned();
                state.moves += 1;
            });
        }
        "Page.frameStartedLoading" | "Page.frameRequestedNavigation"
            if tab.is_main(params, "/frameId")
                // A download or another window is no navigation of this page.
                && !matches!(text(params, "/disposition"), "download" | "newTab" | "newWindow") =>
        {
            tab.update(|state| state.is_loading = true);
        }
        "Page.frameStoppedLoading" if tab.is_main(params, "/frameId") => {
            tab.update(stopped);
        }
        "Page.lifecycleEvent" if tab.is_main(params, "/frameId") => tab.update(|state| {
            let Some(document) = state.document(text(params, "/loaderId")) else {
                return;
            };
            match text(params, "/name") {
                "DOMContentLoaded" => document.is_parsed = true,
                "load" => document.is_loaded = true,
                _ => {}
            }
        }),
        _ => {}
    }
}

/// Another document is shown in the tab.
fn committed(state: &mut TabState, params: &Value) {
    state.url = address(params);
    state.commits += 1;
    state.frameless = None;
    state.awaited = None;
    let unreachable = text(params, "/frame/unreachableUrl");
    if let Some(document) = state.document(text(params, "/frame/loaderId")) {
        document.unreachable = (!unreachable.is_empty()).then(|| unreachable.to_owned());
    }
}

/// Nothing is loaded any more.
fn stopped(state: &mut TabState) {
    state.is_loading = false;
    state.awaited = None;
    // One whose server broke off says no more of itself.
    if let Some(document) = state.documents.back_mut() {
        document.is_parsed = true;
        document.is_loaded = true;
    }
}

/// The page asks for files, and the browser shows no dialog.
pub(crate) fn chooser(tab: &Tab, session: &str, params: &Value) {
    let Some(node) = params.get("backendNodeId").and_then(Value::as_u64) else {
        return;
    };
    // A field that is in no document lives only as long as something refers to it.
    let held = json!({ "backendNodeId": node, "objectGroup": CHOOSERS });
    tab.connection.send(Some(session), "DOM.resolveNode", held);
    let takes = match text(params, "/mode") {
        "selectMultiple" => FileChooser::Multiple,
        _ => FileChooser::Single,
    };
    let chooser = Chooser {
        session: session.to_owned(),
        node,
        takes,
    };
    tab.update(|state| state.chooser = Some(chooser));
}

/// The fields of file choosers, as objects of the browser.
const CHOOSERS: &str = "choosers";

/// The address of a frame that an event describes.
fn address(params: &Value) -> String {
    let fragment = text(params, "/frame/urlFragment");
    format!("{}{fragment}", text(params, "/frame/url"))
}

/// The console, and errors that nobody caught.
pub(crate) fn console(tab: &Tab, method: &str, params: &Value) {
    let (level, message, url) = if method == "Runtime.exceptionThrown" {
        let details = params.get("exceptionDetails").unwrap_or(&Value::Null);
        let message = match text(details, "/exception/description") {
            "" => text(details, "/text").to_owned(),
            description => description.lines().take(2).collect::<Vec<_>>().join(" "),
        };
        ("error", message, text(details, "/url").to_owned())
    } else {
        let arguments = params.get("args").and_then(Value::as_array);
        let parts: Vec<String> = arguments
            .into_iter()
            .flatten()
            .take(20)
            .map(shown)
            .collect();
        let url = text(params, "/stackTrace/callFrames/0/url").to_owned();
        (text(params, "/type"), parts.join(" "), url)
    };
    let entry = ConsoleEntry {
        level: level.to_owned(),
        text: cut(&message),
        url,
    };
    tab.update(|state| {
        state.console_total += 1;
        state.console.push_back(entry);
        if state.console.len() > limits::BROWSER_LOG_MAX_ENTRIES {
            state.console.pop_front();
        }
    });
}

fn shown(argument: &Value) -> String {
    match argument.get("value") {
        Some(Value::String(text)) => cut(text),
        Some(value) => cut(&value.to_string()),
        None => cut(text(argument, "/description")),
    }
}

fn cut(text: &str) -> String {
    let most = limits::BROWSER_LOG_MAX_CHARACTERS;
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Requests of the page.
pub(crate) fn network(tab: &Tab, method: &str, params: &Value) {
    let request = text(params, "/requestId");
    let is_page = text(params, "/type") == "Document" && tab.is_main(params, "/frameId");
    tab.update(|state| match method {
        "Network.requestWillBeSent" => {
            let entry = NetworkEntry {
                id: request.to_owned(),
                method: text(params, "/request/method").to_owned(),
                url: cut(text(params, "/request/url")),
                kind: text(params, "/type").to_lowercase(),
                status: None,
                mime_type: None,
                error: None,
            };
            if is_page {
                state.awaited = Some(request.to_owned());
            }
            state.network_total += 1;
            state.network.push_back(entry);
            if state.network.len() > limits::BROWSER_LOG_MAX_ENTRIES {
                state.network.pop_front();
            }
        }
        "Network.responseReceived" => {
            let status = params.pointer("/response/status").and_then(Value::as_u64);
            let status = status.and_then(|status| u16::try_from(status).ok());
            state.awaited.take_if(|awaited| awaited == request);
            if is_page && let Some(document) = state.document(text(params, "/loaderId")) {
                answered(document, status, params);
            }
            if let Some(entry) = state
                .network
                .iter_mut()
                .rev()
                .find(|entry| entry.id == request)
            {
                entry.status = status;
                entry.mime_type = Some(text(params, "/response/mimeType").to_owned());
            }
        }
        _ => {
            state.awaited.take_if(|awaited| awaited == request);
            if let Some(entry) = state
                .network
                .iter_mut()
                .rev()
                .find(|entry| entry.id == request)
            {
                entry.error = Some(text(params, "/errorText").to_owned());
            }
        }
    });
}

/// The server has answered the request for a document.
fn answered(document: &mut Document, status: Option<u16>, params: &Value) {
    let headers = params
        .pointer("/response/headers")
        .and_then(Value::as_object);
    let header = |wanted: &str| {
        let mut all = headers.into_iter().flatten();
        let found = all.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        found.1.as_str()
    };
    let said = header("proxy-status").and_then(|said| said.strip_prefix("tenon; error="));
    document.status = status;
    document.proxy_error = said.map(str::to_owned);
    document.asks_login = status == Some(401) && header("www-authenticate").is_some();
}
