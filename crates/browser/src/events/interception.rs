//! Every document waits here until it was decided about, on each hop of its way.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::BrowserError;
use crate::events::shared::Shared;
use crate::events::sockets::COMMAND;
use crate::guard::{Decision, DocumentKind, DocumentRequest, is_opened_by_page};
use crate::page::log::Blocked;
use crate::page::tab::Tab;
use crate::protocol::connection::Connection;
use crate::protocol::message::text;

/// A document is about to be asked for. Without a session of the protocol it is the whole browser that holds it.
pub(crate) fn paused(tab: &Arc<Tab>, owner: &Arc<Shared>, session: Option<&str>, params: &Value) {
    let number = text(params, "/requestId").to_owned();
    let Some(request) = judged(tab, owner.is_proxied, params) else {
        return go_on(&tab.connection, session, params);
    };
    // What a worker sends holds up the tab in front.
    let tab = owner.reporting(tab);
    let held = Held {
        tab: Arc::clone(&tab),
    };
    tab.update(|state| state.waits.begin());
    let (owner, session) = (Arc::clone(owner), session.map(str::to_owned));
    let params = params.clone();
    tokio::spawn(async move {
        let url = request.url.clone();
        let is_data = request.kind == DocumentKind::Data;
        // A page that may not go on stays as it is; a frame shows that there is nothing.
        let ending = match request.kind {
            DocumentKind::Page => "Aborted",
            DocumentKind::Frame | DocumentKind::Data => "BlockedByClient",
        };
        let (method, answer) = match decide(&owner, request).await {
            Decision::Allow => {
                if session.is_some() && is_data {
                    owner.passes.grant(&params);
                }
                ("Fetch.continueRequest", json!({ "requestId": number }))
            }
            Decision::Deny { reason, rule } => {
                tab.update(|state| state.block(Blocked { url, reason, rule }));
                let answer = json!({ "requestId": number, "errorReason": ending });
                ("Fetch.failRequest", answer)
            }
        };
        // A host that was named now may be connected to by what comes from it.
        refresh_sockets(&owner);
        tab.connection.send(session.as_deref(), method, answer);
        drop(held);
    });
}

/// Nothing has to be decided about this request.
pub(crate) fn go_on(connection: &Connection, session: Option<&str>, params: &Value) {
    let params = json!({ "requestId": text(params, "/requestId") });
    connection.send(session, "Fetch.continueRequest", params);
}

/// What has to be decided about; nothing for a request of a script that sends nothing, unless no proxy looks at it.
fn judged(tab: &Tab, is_proxied: bool, params: &Value) -> Option<DocumentRequest> {
    let is_page = text(params, "/frameId") == tab.target;
    let is_document = text(params, "/resourceType") == "Document";
    let has_body = params.pointer("/request/hasPostData") == Some(&Value::Bool(true));
    let method = text(params, "/request/method");
    let sends = has_body || !matches!(method, "GET" | "HEAD" | "OPTIONS");
    if is_proxied && !is_document && !sends {
        return None;
    }
    Some(DocumentRequest {
        url: text(params, "/request/url").to_owned(),
        kind: match (is_document, is_page) {
            (false, _) if sends => DocumentKind::Data,
            // What a page is made of is judged as a frame in it.
            (false, _) => DocumentKind::Frame,
            (true, true) => DocumentKind::Page,
            (true, false) => DocumentKind::Frame,
        },
        method: method.to_owned(),
        has_body,
        tab: tab.name.clone(),
        from: tab.state().url.clone(),
        is_redirect: params.get("redirectedRequestId").is_some(),
    })
}

/// Its scheme here, everything else by the guard.
async fn decide(owner: &Shared, request: DocumentRequest) -> Decision {
    match is_opened_by_page(&request.url, request.kind) {
        Ok(()) if request.url.starts_with("http") => owner.guard.judge(request).await,
        Ok(()) => Decision::Allow,
        Err(BrowserError::Blocked { reason, rule, .. }) => Decision::Deny { reason, rule },
        Err(error) => Decision::Deny {
            reason: error.to_string(),
            rule: None,
        },
    }
}

/// A document that waits. The clocks of its tab stand still meanwhile.
struct Held {
    tab: Arc<Tab>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.tab.update(|state| state.waits.end());
    }
}

/// Answers a request for credentials: only our proxy gets them.
pub(crate) fn asked_who(tab: &Tab, owner: &Shared, session: &str, params: &Value) {
    let is_proxy = text(params, "/authChallenge/source") == "Proxy";
    let answer = match owner.proxy_credentials().filter(|_| is_proxy) {
        Some((user, password)) => json!({
            "response": "ProvideCredentials", "username": user, "password": password
        }),
        None => json!({ "response": "CancelAuth" }),
    };
    let params = json!({
        "requestId": text(params, "/requestId"),
        "authChallengeResponse": answer,
    });
    tab.connection
        .send(Some(session), "Fetch.continueWithAuth", params);
}

/// Gives the browser the rules for WebSockets that hold now, where they are others. In order with whatever is sent after it.
pub(crate) fn refresh_sockets(owner: &Shared) {
    if !owner.options.judges_writes {
        return;
    }
    let Some((rules, mut sessions)) = owner.sockets.replace(owner.guard.sockets()) else {
        return;
    };
    for tab in owner.tabs() {
        sessions.push(tab.session.clone());
        sessions.extend(tab.state().frame_sessions.values().cloned());
    }
    for session in sessions {
        let connection = &owner.connection;
        connection.send(Some(&session), COMMAND, rules.clone());
    }
}

/// A page or a worker connects. Where nobody has named the host it is not connected, but it is decided about it: then the
/// next attempt is, and pages make one.
pub(crate) fn socket_created(tab: &Arc<Tab>, owner: &Arc<Shared>, params: &Value) {
    let Some((address, host)) = address(text(params, "/url")) else {
        return;
    };
    let tab = owner.reporting(tab);
    let document = tab.state().documents.back().map(|it| it.loader.clone());
    let is_question = owner
        .sockets
        .is_question(document.unwrap_or_default(), host);
    if !owner.options.judges_writes || !is_question {
        return;
    }
    let url: String = text(params, "/url").chars().take(2_000).collect();
    let request = DocumentRequest {
        url: address,
        kind: DocumentKind::Data,
        method: "GET".to_owned(),
        has_body: true,
        tab: tab.name.clone(),
        from: tab.state().url.clone(),
        is_redirect: false,
    };
    let owner = Arc::clone(owner);
    tab.update(|state| state.waits.begin());
    tokio::spawn(async move {
        let (reason, rule) = match owner.guard.judge(request).await {
            Decision::Allow => {
                refresh_sockets(&owner);
                let reason = "it was held until it was allowed; the page may connect again now";
                (reason.to_owned(), None)
            }
            Decision::Deny { reason, rule } => (reason, rule),
        };
        tab.update(|state| {
            state.waits.end();
            state.block(Blocked { url, reason, rule });
        });
    });
}

/// The address as one that can be judged, and its host.
fn address(url: &str) -> Option<(String, String)> {
    let rest = url.strip_prefix("ws")?;
    let address = format!("http{rest}");
    let parsed = url::Url::parse(&address).ok()?;
    let host = parsed.host_str()?.to_owned();
    Some((address, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_judged_as_that_of_a_page() {
        let judged = address("wss://a.example:8443/x?y");
        let wanted = (
            "https://a.example:8443/x?y".to_owned(),
            "a.example".to_owned(),
        );
        assert_eq!(judged, Some(wanted));
        assert_eq!(address("data:x"), None);
    }
}
