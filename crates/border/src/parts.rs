//! The parts that the host may supply, by the names of `js/host.js`: which of them there are, and each as a request.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, ToolError};
use tenon_runtime::{
    HostFuture, HostListener, HostPart, HostSearch, HostSearchFuture, HostSearchRequest, Ports,
    ResolveFuture, Resolver, SearchResult, read,
};

use crate::message::{Message, Wire};
use crate::ports::{AskedApprover, SentTelemetry, failure, parsed};
use crate::requests::{Port, Reply, Requests};
use crate::store::AskedStore;

/// Whether a user is at the terminal of this process, where the other side asks questions then.
fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The ports of a toolkit whose host supplies these parts.
///
/// # Errors
/// A name that nobody knows: the facade and this table do not fit.
pub(crate) fn ports(
    parts: &[String],
    requests: &Requests,
    channel: &Arc<dyn Wire>,
) -> Result<Ports, ToolError> {
    let warnings = Arc::clone(channel);
    let mut ports = Ports {
        warn: Some(Arc::new(move |sentence| {
            // When nobody hears any more there is nobody to warn.
            warnings.send(Message::warning(sentence));
        })),
        ..Ports::default()
    };
    let part = |port, member| {
        let requests = requests.clone();
        Some(Arc::new(AskedPart {
            requests,
            port,
            member,
        }) as Arc<dyn HostPart>)
    };
    for name in parts {
        match name.as_str() {
            "onApproval" => ports.approver = Some(Arc::new(AskedApprover(requests.clone()))),
            "onTelemetry" => ports.telemetry = Some(Arc::new(SentTelemetry(Arc::clone(channel)))),
            "terminal" if !has_terminal() => {}
            "askUser" | "terminal" => ports.ask_user = part(Port::AskUser, "host.askUser"),
            "runAgent" => ports.run_agent = part(Port::RunAgent, "host.runAgent"),
            "runMessage" => ports.run_message = part(Port::RunMessage, "host.runAgent"),
            "onSessionEvent" => {
                ports.session_event = part(Port::SessionEvent, "host.onSessionEvent");
            }
            "sendMessage" => ports.send_message = part(Port::SendMessage, "host.sendMessage"),
            "channels" => ports.channels = part(Port::Channels, "host.channels"),
            "onCron" => ports.on_cron = part(Port::OnCron, "host.onCron"),
            "summarise" => ports.summarise = part(Port::Summarise, "host.summarise"),
            "showCanvas" => ports.show_canvas = part(Port::ShowCanvas, "host.showCanvas"),
            "browser" => ports.browser = part(Port::Browser, "host.browser.connect"),
            "mcp" => ports.mcp = part(Port::Mcp, OURS),
            "hooks" => ports.hooks = Some(Arc::new(AskedHooks(requests.clone()))),
            "search" => ports.search = Some(Arc::new(AskedSearch(requests.clone()))),
            "resolve" => ports.resolver = Some(Arc::new(AskedResolver(requests.clone()))),
            "store" => ports.store = Some(Arc::new(store(parts, requests))),
            // What the store of the host has beside the four required functions.
            "storeSearch" | "storeWatch" => {}
            _ => {
                return Err(ToolError::internal(format_args!(
                    "the host cannot supply `{name}`"
                )));
            }
        }
    }
    Ok(ports)
}

fn store(parts: &[String], requests: &Requests) -> AskedStore {
    let has = |part: &str| parts.iter().any(|name| name == part);
    AskedStore {
        requests: requests.clone(),
        searches: has("storeSearch"),
        watches: has("storeWatch"),
    }
}

/// A part that is asked in JSON and answers in JSON.
struct AskedPart {
    requests: Requests,
    port: Port,
    /// As the host knows it.
    member: &'static str,
}

impl HostPart for AskedPart {
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

impl AskedPart {
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

/// Calls the functions of the option `hooks`. Why one failed is told by whoever asks.
struct AskedHooks(Requests);

impl HostPart for AskedHooks {
    fn ask(&self, request: Value, _: Option<HostListener>) -> HostFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let reply = requests.ask(Port::Hooks, request.to_string(), None).await?;
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

/// Asks for something whose failure is told by whoever asks.
async fn asked<T: DeserializeOwned + JsonSchema>(
    requests: Requests,
    port: Port,
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
struct AskedSearch(Requests);

/// One page that the host has found.
#[derive(Deserialize, JsonSchema)]
struct Found {
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
            let found: Vec<Found> =
                asked(requests, Port::Search, "web.search.provider", request).await?;
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
struct AskedResolver(Requests);

impl Resolver for AskedResolver {
    fn resolve(&self, host: String) -> ResolveFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let request = json!({ "host": host });
            let told: Vec<String> =
                asked(requests, Port::Resolve, "web.fetch.resolve", request).await?;
            // As `dns.lookup` tells them: without brackets and zones.
            let addresses = told.iter().map(|text| {
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
