//! Which documents a page may open and where it may send something: what holds for a call with that address, decided by
//! the judge of the call that led there.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_browser::{Decision, DocumentKind, DocumentRequest, Guard, JudgeFuture};
use tenon_contract::{HostClaim, RedirectPolicy, ToolError, Visit};
use tenon_web::{Guard as AddressGuard, WebError, WebUrl};

/// What holds for requests with a body to a host that nobody has named: no call, no rule and no approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageWrites {
    /// They require approval where anything is restricted.
    #[default]
    Ask,
    /// They require approval.
    AskAlways,
    /// They are sent.
    Allow,
    /// They are not sent.
    Deny,
}

pub(super) struct Gate {
    guard: AddressGuard,
    writes: PageWrites,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    judge: Option<Arc<dyn RedirectPolicy>>,
    /// Whether a call waits.
    is_live: bool,
    /// Whether pages may send to hosts that nobody has named.
    is_free: bool,
    /// Hosts that the call has named, or that were approved in it.
    of_call: HashSet<String>,
    /// Hosts that any call has named, or that were approved or allowed by a rule.
    named: HashSet<String>,
}

/// The time of a call.
pub(super) struct During<'a>(&'a Gate);

impl Drop for During<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_live = false;
        state.of_call.clear();
    }
}

impl Gate {
    pub(super) fn new(guard: AddressGuard, writes: PageWrites) -> Self {
        Self {
            guard,
            writes,
            state: Mutex::default(),
        }
    }

    /// Whether this address may be reached, as far as can be said before its name is resolved.
    pub(super) fn check(&self, url: &WebUrl) -> Result<(), ToolError> {
        let checked = self.guard.check(url).map_err(WebError::from);
        Ok(checked?)
    }

    /// A call begins, which was allowed to connect to these hosts.
    pub(super) fn begin(
        &self,
        judge: Option<Arc<dyn RedirectPolicy>>,
        hosts: &[HostClaim],
    ) -> During<'_> {
        let mut state = self.lock();
        state.judge = judge;
        state.is_live = true;
        state.of_call = hosts.iter().map(|claim| claim.host.clone()).collect();
        let named: Vec<String> = state.of_call.iter().cloned().collect();
        state.named.extend(named);
        During(self)
    }

    /// Finds out whether anything has to be decided about hosts that nobody has named.
    pub(super) async fn survey(&self) {
        // A host that no rule can mean: what holds for it holds for all without a rule of their own.
        let Some(judge) = self.lock().judge.clone() else {
            return;
        };
        let Ok(nobody) = WebUrl::parse("https://unnamed.invalid/") else {
            return;
        };
        let visit = Visit {
            from: nobody.claim(),
            to: nobody.claim(),
            sends: true,
            is_strict: self.writes == PageWrites::AskAlways,
            may_ask: false,
        };
        let is_free = self.writes != PageWrites::Deny && judge.visit(&visit).await.is_ok();
        self.lock().is_free = is_free;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What has to be decided about a request; nothing where it may go on.
    fn question(&self, request: &DocumentRequest) -> Result<Option<Question>, Decision> {
        let denied = |reason: String| Decision::Deny { reason, rule: None };
        let to =
            WebUrl::parse(&request.url).map_err(|refusal| denied(plain(&refusal.to_string())))?;
        if let Err(refusal) = self.guard.check(&to) {
            return Err(Decision::Deny {
                reason: plain(&refusal.to_string()),
                rule: Some(refusal.rule()),
            });
        }
        let to = to.claim();
        let from = WebUrl::parse(&request.from).map_or_else(|_| to.clone(), |from| from.claim());
        let state = self.lock();
        let is_named = state.named.contains(&to.host);
        let has_data = request.has_body || !matches!(request.method.as_str(), "GET" | "HEAD");
        let sends = has_data && !is_named && self.writes != PageWrites::Allow;
        if sends && self.writes == PageWrites::Deny {
            let reason = format!("pages may not send data to `{}`", to.host);
            return Err(denied(reason));
        }
        let is_decided = match request.kind {
            DocumentKind::Page => state.of_call.contains(&to.host),
            DocumentKind::Frame => is_named,
            DocumentKind::Data => true,
        };
        if is_decided && !sends {
            return Ok(None);
        }
        let Some(judge) = state.judge.clone() else {
            return Err(denied("nobody can decide about it".to_owned()));
        };
        let visit = Visit {
            from,
            to,
            sends,
            is_strict: self.writes == PageWrites::AskAlways,
            may_ask: state.is_live,
        };
        Ok(Some((judge, visit)))
    }
}

type Question = (Arc<dyn RedirectPolicy>, Visit);

/// A sentence as a part of another.
fn plain(sentence: &str) -> String {
    sentence.trim_end_matches('.').to_owned()
}

impl Guard for SharedGate {
    fn sockets(&self) -> Option<Vec<String>> {
        let state = self.0.lock();
        let mut named: Vec<String> = match state.is_free {
            true => return None,
            false => state.named.iter().cloned().collect(),
        };
        named.sort_unstable();
        Some(named)
    }

    fn judge(&self, request: DocumentRequest) -> JudgeFuture {
        let gate = Arc::clone(&self.0);
        Box::pin(async move {
            let (judge, visit) = match gate.question(&request) {
                Ok(None) => return Decision::Allow,
                Ok(Some(question)) => question,
                Err(denied) => return denied,
            };
            match judge.visit(&visit).await {
                Ok(is_named) => {
                    let mut state = gate.lock();
                    if state.is_live {
                        state.of_call.insert(visit.to.host.clone());
                    }
                    if is_named {
                        state.named.insert(visit.to.host);
                    }
                    Decision::Allow
                }
                Err(refusal) => {
                    let rule = refusal.details.get("matched_rule");
                    Decision::Deny {
                        rule: rule.and_then(|rule| rule.as_str().map(str::to_owned)),
                        reason: plain(&refusal.message),
                    }
                }
            }
        })
    }
}

/// A gate that its session holds, too.
pub(super) struct SharedGate(pub(super) Arc<Gate>);
