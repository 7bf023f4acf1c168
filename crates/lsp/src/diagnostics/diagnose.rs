//! Diagnostics that are of this text, and all of them: pulled where the server offers it, else awaited.
//!
//! An empty list counts only when the server gave it for the version that it was sent, and stayed with it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::limits;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::diagnostics::published::Pushed;
use crate::error::RequestError;
use crate::freshness::documents::Document;
use crate::server::capabilities::Feature;
use crate::server::session::ServerSession;
use crate::servers::Canary;
use crate::servers::{Readiness, Recheck};

/// How long a server may be silent after diagnostics with the right version before they count as final.
const QUIET_VERSIONED: Duration = Duration::from_millis(150);
/// The same where diagnostics carry no version: they may be of the text before.
const QUIET_UNVERSIONED: Duration = Duration::from_millis(700);
/// A server that checks only the last file is reminded after this time.
const REMIND: Duration = Duration::from_millis(2_000);

/// The findings in one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// As they came.
    pub(crate) items: Vec<Value>,
    /// Whether these are all, and of this text.
    pub(crate) is_complete: bool,
    /// Whether the server said anything at all.
    pub(crate) is_answered: bool,
    /// What it lacks to find anything at all.
    pub(crate) blind: Option<Canary>,
}

impl ServerSession {
    /// The findings in a file that was just refreshed.
    pub(crate) async fn findings(
        &self,
        document: &Document,
        cancellation: &CancellationToken,
    ) -> Result<Findings, RequestError> {
        let deadline = Instant::now() + limits::LSP_DIAGNOSTICS_TIMEOUT;
        let work = async {
            if self.spec.quirks.readiness == Readiness::Status {
                // Until it has loaded the project, everything is unknown to it.
                self.wait_until_idle(Instant::now() + limits::LSP_READY_TIMEOUT)
                    .await;
            }
            if self.reaches_tsserver() {
                return self.tsserver_findings(document, cancellation).await;
            }
            if self.has(Feature::PullDiagnostics) {
                return self.pulled(document, cancellation).await;
            }
            // Some register later that they want to be asked, and push nothing then.
            let mut registrations = self.server_state.registrations();
            let registered = async {
                while !self.has(Feature::PullDiagnostics) {
                    if registrations.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
            };
            tokio::select! {
                biased;
                () = registered => self.pulled(document, cancellation).await,
                found = self.believed(document, deadline) => Ok(found),
                reason = self.connection.closed() => Err(RequestError::Closed(reason)),
            }
        };
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(RequestError::Cancelled),
            found = work => found,
        }
    }

    async fn pulled(
        &self,
        document: &Document,
        cancellation: &CancellationToken,
    ) -> Result<Findings, RequestError> {
        let mut items = Vec::new();
        for identifier in self
            .server_state
            .features(|features| features.diagnostic_identifiers())
        {
            let mut params = json!({ "textDocument": { "uri": document.uri } });
            if let (Some(params), Some(identifier)) = (params.as_object_mut(), identifier) {
                params.insert("identifier".to_owned(), identifier.into());
            }
            let report = self
                .ask_value("textDocument/diagnostic", &params, cancellation)
                .await?;
            add(
                &mut items,
                report
                    .get("items")
                    .and_then(Value::as_array)
                    .map(Vec::as_slice),
            );
        }
        // rust-analyzer pushes what the compiler says beside what it finds itself.
        if let Some(pushed) = self.server_state.published().of(document.located.target())
            && is_for(&pushed, document)
        {
            add(&mut items, Some(&pushed.items));
        }
        Ok(Findings {
            items,
            is_complete: !self.server_state.progress().is_busy(),
            is_answered: true,
            blind: None,
        })
    }

    /// What the server pushes; nothing found counts only from one that can find something.
    async fn believed(&self, document: &Document, deadline: Instant) -> Findings {
        let findings = self.pushed(document, deadline).await;
        match &self.spec.quirks.canary {
            Some(canary)
                if findings.is_answered
                    && findings.items.is_empty()
                    && !self.checks(canary).await =>
            {
                Findings {
                    blind: Some(*canary),
                    is_answered: false,
                    ..findings
                }
            }
            _ => findings,
        }
    }

    /// Waits for what the server pushes.
    async fn pushed(&self, document: &Document, deadline: Instant) -> Findings {
        let one_file = self.spec.quirks.checks_one_file;
        let _alone = match one_file {
            true => Some(self.diagnosing.lock().await),
            false => None,
        };
        let path = document.located.target();
        let mut current = document.clone();
        if document.generation < self.generation() {
            // Another file changed since: what was pushed for this one may not hold any more.
            current = self.looked_at_again(path).await.unwrap_or(current);
        }
        let mut remind = one_file.then(|| current.sent + REMIND);
        let mut news = self.server_state.published().subscribe();
        loop {
            let pushed = self
                .server_state
                .published()
                .of(path)
                .filter(|pushed| is_for(pushed, &current));
            let now = Instant::now();
            let final_at = pushed.as_ref().map(|pushed| pushed.at + quiet(pushed));
            if let Some(pushed) = &pushed
                && final_at.is_some_and(|at| at <= now)
                && !(pushed.items.is_empty()
                    && self.server_state.progress().is_busy()
                    && now < deadline)
            {
                return found(pushed, /*is_complete*/ true);
            }
            if now >= deadline {
                return pushed.as_ref().map_or_else(Findings::default, |pushed| {
                    found(pushed, /*is_complete*/ false)
                });
            }
            if pushed.is_none() && remind.is_some_and(|at| at <= now) {
                current = self.looked_at_again(path).await.unwrap_or(current);
                remind = Some(Instant::now() + REMIND);
            }
            let busy = self.server_state.progress().is_busy();
            let idle = self.server_state.progress().idle(Duration::ZERO);
            let next = [
                final_at.filter(|at| *at > now),
                remind.filter(|_| pushed.is_none()),
                Some(deadline),
            ];
            let wake = next.into_iter().flatten().min().unwrap_or(deadline);
            tokio::select! {
                _ = news.changed() => {}
                () = sleep_until(wake) => {}
                _ = timeout_at(deadline, idle), if busy => {}
            }
        }
    }

    async fn looked_at_again(&self, path: &Path) -> Option<Document> {
        self.resend(path, self.spec.quirks.recheck == Recheck::Force)
            .await
    }
}

/// Whether diagnostics are of the text that was sent last.
fn is_for(pushed: &Pushed, document: &Document) -> bool {
    pushed.at >= document.sent
        && pushed
            .version
            .is_none_or(|version| version >= i64::from(document.version))
}

const fn quiet(pushed: &Pushed) -> Duration {
    match pushed.version {
        Some(_) => QUIET_VERSIONED,
        None => QUIET_UNVERSIONED,
    }
}

fn found(pushed: &Pushed, is_complete: bool) -> Findings {
    let mut items = Vec::new();
    add(&mut items, Some(&pushed.items));
    Findings {
        items,
        is_complete,
        is_answered: true,
        blind: None,
    }
}

/// Adds what is not there yet: two sources may find the same.
pub(crate) fn add(items: &mut Vec<Value>, more: Option<&[Value]>) {
    let key = |item: &Value| {
        let member = |name: &str| item.get(name).map(Value::to_string);
        (
            member("range"),
            member("message"),
            member("source"),
            member("code"),
        )
    };
    for item in more.unwrap_or_default() {
        if !items.iter().any(|known| key(known) == key(item)) {
            items.push(item.clone());
        }
    }
}
