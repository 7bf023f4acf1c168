//! The callbacks that the host may supply, by the names of `js/host.js`: which of them there are, and each as a request.

pub(crate) mod asked;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, ToolError};
use tenon_runtime::{
    HostCallback, HostCallbacks, HostFuture, HostListener, HostSearch, HostSearchFuture,
    HostSearchRequest, ResolveFuture, Resolver, SearchResult, read,
};

use crate::host_callbacks::asked::{AskedApprover, SentTelemetry, failure, parsed};
use crate::host_requests::{Callback, HostRequests, Reply};
use crate::message::{Message, Wire};
use crate::store::AskedStore;

/// Whether a user is at the terminal of this process, where the other side asks questions then.
fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The callbacks of a toolkit whose host supplies these parts.
///
/// # Errors
/// A name that nobody knows: the facade and this table do not fit.
pub(crate) fn callbacks(
    parts: &[String],
    requests: &HostRequests,
    channel: &Arc<dyn Wire>,
) -> Result<HostCallbacks, ToolError> {
    let warnings = Arc::clone(channel);
    let mut callbacks = HostCallbacks {
        warn: Some(Arc::new(move |sentence| {
            // When nobody hears any more there is nobody to warn.
            warnings.send(Message::warning(sentence));
        })),
        ..HostCallbacks::default()
    };
    let part = |port, member| {
        let requests = requests.clone();
        Some(Arc::new(AskedCallback {
            requests,
            port,
            member,
        }) as Arc<dyn HostCallback>)
    };
    for name in parts {
        match name.as_str() {
            "onApproval" => callbacks.approver = Some(Arc::new(AskedApprover(requests.clone()))),
            "onTelemetry" => {
                callbacks.telemetry = Some(Arc::new(SentTelemetry(Arc::clone(channel))))
            }
            "terminal" if !has_terminal() => {}
            "askUser" | "terminal" => callbacks.ask_user = part(Callback::AskUser, "host.askUser"),
            "runAgent" => callbacks.run_agent = part(Callback::RunAgent, "host.runAgent"),
            "runMessage" => callbacks.run_message = part(Callback::RunMessage, "host.runAgent"),
            "onSessionEvent" => {
                callbacks.session_event = part(Callback::SessionEvent, "host.onSessionEvent");
            }
            "sendMessage" => {
                callbacks.send_message = part(Callback::SendMessage, "host.sendMessage")
            }
            "channels" => callbacks.channels = part(Callback::Channels, "host.channels"),
            "onCron" => callbacks.on_cron = part(Callback::OnCron, "host.onCron"),
            "summarise" => callbacks.summarise = part(Callback::Summarise, "host.summarise"),
            "showCanvas" => callbacks.show_canvas = part(Callback::ShowCanvas, "host.showCanvas"),
            "browser" => callbacks.browser = part(Callback::Browser, "host.browser.connect"),
            "mcp" => callbacks.mcp = part(Callback::Mcp, OURS),
            "hooks" => callbacks.hooks = Some(Arc::new(AskedHooks(requests.clone()))),
            "search" => callbacks.search = Some(Arc::new(AskedSearch(requests.clone()))),
            "resolve" => callbacks.resolver = Some(Arc::new(AskedResolver(requests.clone()))),
            "store" => callbacks.store = Some(Arc::new(store(parts, requests))),
            // What the store of the host has beside the four required functions.
            "storeSearch" | "storeWatch" => {}
            _ => {
                return Err(ToolError::internal(format_args!(
                    "the host cannot supply `{name}`"
                )));
            }
        }
    }
    Ok(callbacks)
}

fn store(parts: &[String], requests: &HostRequests) -> AskedStore {
    let has = |part: &str| parts.iter().any(|name| name == part);
    AskedStore {
        requests: requests.clone(),
        searches: has("storeSearch"),
        watches: has("storeWatch"),
    }
}

/// A part that is asked in JSON and answers in JSON.
struct AskedCallback {
    requests: HostRequests,
    port: Callback,
    /// As the host knows it.
    member: &'static str,
}

impl HostCallback for AskedCallback {
    fn ask(&self, request: Value, on_progress: Option<HostListener>) -> HostFuture {
        // What belongs to no call is nothing that a call waits for.
        let is_apart = request.get("ticket").is_some_and(|ticket| *ticket == 0);
        let is_endless = !is_apart && self.port.is_endless(self.requests.has_limit());
        self.asked(&request, on_progress, is_endless, None)
    }

    fn ask_until(
        &self,
        request: Value,
        on_progress: Option<HostListener>,
        end: CancellationToken,
    ) -> HostFuture {
        let has_limit = self.requests.has_limit();
        let is_endless = self.port.is_endless_for(has_limit, &request);
        self.asked(&request, on_progress, is_endless, Some(end))
    }
}

impl AskedCallback {
    fn asked(
        &self,
        request: &Value,
        on_progress: Option<HostListener>,
        is_endless: bool,
        end: Option<CancellationToken>,
    ) -> HostFuture {
        let (requests, port, member) = (self.requests.clone(), self.port, self.member);
        let request = request.to_string();
        Box::pin(async move {
            let on_progress = on_progress.map(|listener| {
                // A partial answer that is no JSON is passed over: the final one will say why.
                Arc::new(move |reply: Reply| {
                    if let Ok(partial) = parsed(&reply.json) {
                        listener(partial);
                    }
                }) as Arc<dyn Fn(Reply) + Send + Sync>
            });
            let asking = requests.ask_until(port, request, on_progress, is_endless, end);
            let reply = asking.await?;
            if reply.is_ok {
                answer(member, &reply.json)
            } else {
                Err(failed(member, &reply.json))
            }
        })
    }
}

/// Calls the functions of the option `hooks`. Why one failed is reported by the caller.
struct AskedHooks(HostRequests);

impl HostCallback for AskedHooks {
    fn ask(&self, request: Value, _: Option<HostListener>) -> HostFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let reply = requests
                .ask(Callback::Hooks, request.to_string(), None)
                .await?;
            if reply.is_ok {
                parsed(&reply.json)
            } else {
                Err(failure(&reply.json))
            }
        })
    }
}

/// What the host answered; what is no JSON is the host's fault, not ours.
fn answer<T: DeserializeOwned + JsonSchema>(member: &str, json: &str) -> Result<T, ToolError> {
    read(json, "value").map_err(|fault| {
        let message = format!("`{member}` returned an unexpected value. {}", fault.message);
        ToolError::new(ErrorCode::HandlerFailed, message).with("host", member)
    })
}

/// The part that the facade brings itself: what it says of a failure is said by us, not by the host.
const OURS: &str = "mcp";

/// Why the host did not answer. A kind that it named itself stays, and so do the words of parts that are ours.
fn failed(member: &str, json: &str) -> ToolError {
    let mut error = failure(json);
    if member == OURS {
        return error;
    }
    if error.code == ErrorCode::HandlerFailed {
        let reason = error.message.trim_end_matches('.');
        error.message = format!("`{member}` failed: {reason}.");
    }
    error.with("host", member.trim_start_matches("host."))
}

/// Asks for something whose failure is reported by the caller.
async fn asked<T: DeserializeOwned + JsonSchema>(
    requests: HostRequests,
    port: Callback,
    member: &'static str,
    request: Value,
) -> Result<T, String> {
    // The sentence around it brings its own full stop.
    let reason = |error: ToolError| error.message.trim_end_matches('.').to_owned();
    let reply = requests.ask(port, request.to_string(), None).await;
    let reply = reply.map_err(reason)?;
    if reply.is_ok {
        answer(member, &reply.json).map_err(reason)
    } else {
        Err(reason(failed(member, &reply.json)))
    }
}

/// Searches by `web.search.provider`.
struct AskedSearch(HostRequests);

/// One page that the host has found.
#[derive(Deserialize, JsonSchema)]
struct FoundPage {
    title: String,
    url: String,
    snippet: String,
}

impl HostSearch for AskedSearch {
    fn search(&self, request: HostSearchRequest) -> HostSearchFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let request = json!({
                "query": request.query,
                "count": request.count,
                "allowedDomains": request.allowed_domains,
                "blockedDomains": request.blocked_domains,
            });
            let found: Vec<FoundPage> =
                asked(requests, Callback::Search, "web.search.provider", request).await?;
            let results = found.into_iter().map(|found| SearchResult {
                title: found.title,
                url: found.url,
                snippet: found.snippet,
            });
            Ok(results.collect())
        })
    }
}

/// Resolves by `web.fetch.resolve`.
struct AskedResolver(HostRequests);

impl Resolver for AskedResolver {
    fn resolve(&self, host: String) -> ResolveFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let request = json!({ "host": host });
            let reported: Vec<String> =
                asked(requests, Callback::Resolve, "web.fetch.resolve", request).await?;
            // As `dns.lookup` reports them: without brackets and zones.
            let addresses = reported.iter().map(|text| {
                text.parse().map_err(|_| {
                    let shown: String = text.chars().take(60).collect();
                    format!(
                        "`web.fetch.resolve` returned `{}`, which is not an IP address",
                        shown.escape_debug()
                    )
                })
            });
            addresses.collect()
        })
    }
}
