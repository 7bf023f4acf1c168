//! Tabs and frames as the browser makes them: prepared before anything is loaded in them, then listened to.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::BrowserError;
use crate::events::shared::Shared;
use crate::events::sockets::COMMAND;
use crate::events::{interception, pages};
use crate::page::dialogs;
use crate::page::log::Blocked;
use crate::page::tab::Tab;

/// The events that are handled. All others are not even parsed.
pub(crate) fn is_handled(method: &str) -> bool {
    matches!(
        method,
        "Target.attachedToTarget"
            | "Target.detachedFromTarget"
            | "Target.targetCrashed"
            | "Inspector.targetCrashed"
            | "Browser.downloadWillBegin"
            | "Browser.downloadProgress"
            | "Page.javascriptDialogOpening"
            | "Page.javascriptDialogClosed"
            | "Page.fileChooserOpened"
            | "Page.frameAttached"
            | "Page.frameNavigated"
            | "Page.documentOpened"
            | "Page.navigatedWithinDocument"
            | "Page.frameDetached"
            | "Page.frameStartedLoading"
            | "Page.frameStoppedLoading"
            | "Page.frameRequestedNavigation"
            | "Page.lifecycleEvent"
            | "Runtime.consoleAPICalled"
            | "Runtime.exceptionThrown"
            | "Network.requestWillBeSent"
            | "Network.webSocketCreated"
            | "Network.responseReceived"
            | "Network.loadingFailed"
            | "Fetch.requestPaused"
            | "Fetch.authRequired"
    )
}

/// Handles an event of a tab, or of a frame in it.
pub(crate) fn handle(
    tab: &Arc<Tab>,
    owner: &Arc<Shared>,
    session: &str,
    method: &str,
    params: &Value,
) {
    match method {
        "Fetch.requestPaused" => interception::paused(tab, owner, Some(session), params),
        "Fetch.authRequired" => interception::asked_who(tab, owner, session, params),
        "Page.javascriptDialogOpening" => dialogs::opening(tab, params),
        "Page.javascriptDialogClosed" => tab.update(|state| state.dialog = None),
        "Page.fileChooserOpened" => pages::chooser(tab, session, params),
        "Inspector.targetCrashed" if session == tab.session => {
            tab.update(|state| state.is_crashed = true);
        }
        "Network.webSocketCreated" => interception::socket_created(tab, owner, params),
        "Network.requestWillBeSent" | "Network.responseReceived" | "Network.loadingFailed" => {
            pages::network(tab, method, params);
        }
        "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" => {
            pages::console(tab, method, params);
        }
        _ => pages::page(tab, method, params),
    }
}

/// Requests that may send something.
const SENDING: &[&str] = &[
    "Document",
    "XHR",
    "Fetch",
    "Ping",
    "CSPViolationReport",
    "Other",
];

/// Which requests wait for a decision.
fn held_requests(owner: &Shared) -> Value {
    let kinds: &[&str] = match owner.options.judges_writes {
        true => SENDING,
        false => &["Document"],
    };
    let of_kind =
        |kind| json!({ "urlPattern": "*", "resourceType": kind, "requestStage": "Request" });
    let patterns: Vec<Value> = match owner.is_proxied {
        true => kinds.iter().map(of_kind).collect(),
        // Nothing else looks at what is asked for.
        false => vec![json!({ "urlPattern": "*", "requestStage": "Request" })],
    };
    json!({
        "handleAuthRequests": owner.proxy_credentials().is_some(),
        "patterns": patterns,
    })
}

/// What every document needs before it may load.
async fn prepare(tab: &Tab, owner: &Shared, session: &str) -> Result<(), BrowserError> {
    let call = |method: &'static str, params: Value| {
        let limit = tenon_contract::limits::BROWSER_COMMAND_TIMEOUT;
        tab.connection
            .call::<Value>(Some(session), method, params, limit)
    };
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": FILTER.clone() });
    let fetch = held_requests(owner);
    // A window without an opener gets its renderer with its first document, which waits until it is let go. So what
    // the renderer has to answer is sent before that, and waited for after it; what decides about documents is the
    // browser's, and confirmed before.
    let is_tab = session == tab.session;
    let of_renderer = async {
        tokio::try_join!(
            call("Page.enable", json!({})),
            call("Runtime.enable", json!({})),
            call(
                "Network.enable",
                json!({ "maxTotalBufferSize": 1_000_000, "maxResourceBufferSize": 100_000 })
            ),
            call("Network.setBypassServiceWorker", json!({ "bypass": true })),
            call("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            call("Inspector.enable", json!({})),
            of_tab(
                is_tab,
                call(
                    "Emulation.setFocusEmulationEnabled",
                    json!({ "enabled": true })
                )
            ),
            call(
                "Page.setInterceptFileChooserDialog",
                json!({ "enabled": true })
            ),
        )
    };
    let of_browser = async {
        tokio::try_join!(
            call("Fetch.enable", fetch),
            call("Target.setAutoAttach", attach),
            hold_sockets(tab, owner, session)
        )?;
        call("Runtime.runIfWaitingForDebugger", json!({})).await
    };
    tokio::try_join!(of_renderer, of_browser)?;
    Ok(())
}

/// Connects WebSockets only to hosts that were named.
async fn hold_sockets(tab: &Tab, owner: &Shared, session: &str) -> Result<(), BrowserError> {
    if !owner.options.judges_writes {
        return Ok(());
    }
    let limit = tenon_contract::limits::BROWSER_COMMAND_TIMEOUT;
    let rules = owner.sockets.begin(owner.guard.sockets());
    let connection = &tab.connection;
    let held = connection
        .call::<Value>(Some(session), COMMAND, rules, limit)
        .await;
    held.map(drop).map_err(|error| match error {
        BrowserError::Protocol { fault, .. } if fault.contains("wasn't found") => {
            BrowserError::Unavailable("This browser is too old to hold what pages send over WebSockets. Install a newer Chromium, or accept it by `browser.writes: 'allow'`.".to_owned())
        }
        error => error,
    })
}

/// A frame has no focus of its own.
async fn of_tab(
    is_tab: bool,
    work: impl Future<Output = Result<Value, BrowserError>>,
) -> Result<Value, BrowserError> {
    match is_tab {
        true => work.await,
        false => Ok(Value::Null),
    }
}

/// Everything that pages make is attached to. What opens no documents is let go at once: left out here, a worker would
/// wait for ever.
pub(crate) static FILTER: std::sync::LazyLock<Value> = std::sync::LazyLock::new(
    || json!([{ "type": "browser", "exclude": true }, { "type": "tab", "exclude": true }, {}]),
);

pub(crate) async fn prepare_tab(tab: Arc<Tab>, owner: Arc<Shared>) {
    let session = tab.session.clone();
    match prepare(&tab, &owner, &session).await {
        Ok(()) => tab.update(|state| state.is_prepared = true),
        Err(error) => {
            tab.state().fault = Some(error);
            // It must not load anything that nobody looks at.
            let close = json!({ "targetId": tab.target });
            tab.connection.send(None, "Target.closeTarget", close);
            tab.update(|state| state.is_closed = true);
            owner.remove_tab(&tab);
        }
    }
}

pub(crate) async fn prepare_frame(tab: Arc<Tab>, owner: Arc<Shared>, session: String) {
    // A frame that cannot be prepared stays as it is: it waits and loads nothing.
    let _ = prepare(&tab, &owner, &session).await;
    tab.update(|_| ());
}

/// A worker runs once what it sends is held. One that cannot be prepared is ended: left waiting, it would run as soon as
/// its page goes.
pub(crate) async fn prepare_worker(tab: Arc<Tab>, owner: Arc<Shared>, kind: String) {
    let session = tab.session.clone();
    let run = || {
        let connection = &tab.connection;
        connection.send(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
    };
    let end = || {
        let number = json!({ "targetId": tab.target });
        tab.connection.send(None, "Target.closeTarget", number);
    };
    if !owner.options.judges_writes && owner.is_proxied {
        return run();
    }
    if kind == "shared_worker" && owner.guard.sockets().is_some() {
        // The rules for WebSockets do not hold in it.
        let refused = Blocked {
            url: tab.state().url.chars().take(2_000).collect(),
            reason: "a shared worker is not started where data for other hosts must be held back"
                .to_owned(),
            rule: None,
        };
        owner.reporting(&tab).update(|state| state.block(refused));
        return end();
    }
    owner.sockets.add_worker(&session);
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": FILTER.clone() });
    let connection = &tab.connection;
    connection.send(Some(&session), "Target.setAutoAttach", attach);
    connection.send(Some(&session), "Network.enable", json!({}));
    // Requests of a dedicated worker are those of its page, and held there.
    let fetch = json!({
        "handleAuthRequests": owner.proxy_credentials().is_some(),
        "patterns": [{ "urlPattern": "*", "requestStage": "Request" }],
    });
    let limit = tenon_contract::limits::BROWSER_COMMAND_TIMEOUT;
    let held = async {
        if kind != "worker" {
            let fetch = connection.call::<Value>(Some(&session), "Fetch.enable", fetch, limit);
            fetch.await?;
        }
        hold_sockets(&tab, &owner, &session).await
    };
    match held.await {
        Ok(()) => run(),
        Err(_) => end(),
    }
}
