//! Reports with every change of a file which errors and warnings came and went with it, where the host asks for that.
//!
//! Both reports are of the very texts before and behind the change: nobody else changes the file meanwhile, and a
//! report counts only when it is final for its text. What is not known in time is said not to be known. Other files that
//! [name the changed ones](super::dependents) are reported where something came or went in them.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tenon_contract::{
    CancellationToken, ChangeKind, Content, Effect, Outcome, PathClaim, ToolError, limits,
};
use tenon_lsp::{Delta, Finding, LanguageServers, Report, Role, ServerStatus};

use super::dependents::dependents;
use super::shape::ResultFilters;
use crate::service::{Call, Service};

pub(crate) struct PostEditDiagnostics<S> {
    /// Who is asked, and how long that may take each time; nothing where the host does not ask for it.
    servers: Option<(LanguageServers, Duration)>,
    /// What findings pass, as the rest of the result has.
    filters: ResultFilters,
    inner: S,
}

impl<S> PostEditDiagnostics<S> {
    pub(crate) fn new(
        servers: Option<(LanguageServers, Duration)>,
        filters: ResultFilters,
        inner: S,
    ) -> Self {
        Self {
            servers,
            filters,
            inner,
        }
    }
}

/// A file that will be changed.
struct Watched {
    name: String,
    /// Whether it only names a file that is changed.
    is_dependent: bool,
    /// What was wrong with it before; of a file that was not there, nothing.
    before: Result<Option<Report>, String>,
}

impl<S: Service<Call, Answer = Outcome>> Service<Call> for PostEditDiagnostics<S> {
    type Answer = Outcome;

    async fn call(&self, call: Call) -> Result<Outcome, ToolError> {
        let Some((servers, budget)) = &self.servers else {
            return self.inner.call(call).await;
        };
        let probe = DiagnosticsProbe {
            servers,
            budget: *budget,
            stop: call.sent.cancellation.clone(),
        };
        let (files, touched) = probe.files_of(&call);
        let others = dependents(servers, &touched, call.visibility.clone()).await;
        let own = files.into_iter().map(|file| (file, false));
        let all = own.chain(others.into_iter().map(|file| (file, true)));
        let watched = join_all(all.map(|(file, is_other)| probe.watch(file, is_other))).await;
        let most = self.filters.budget.of(call.sent.max_tokens);
        let mut outcome = self.inner.call(call).await?;
        let concerns = |file: &Watched| {
            let mut changes = outcome.changes.iter();
            if file.is_dependent {
                return changes.next().is_some();
            }
            changes.any(|change| change.path == file.name && change.kind != ChangeKind::Delete)
        };
        let watched: Vec<Watched> = watched.into_iter().filter(concerns).collect();
        let mut reported = join_all(watched.into_iter().map(|file| probe.compare(file))).await;
        // Of a file that only names a changed one, nothing new is no news.
        reported.retain(|reported| {
            let is_news = reported
                .delta
                .as_ref()
                .map_or(true, |delta| *delta != Delta::default());
            is_news || !reported.is_dependent
        });
        if !reported.is_empty() {
            let own = outcome.content.len();
            add(&mut outcome, reported);
            self.filters.finish(&mut outcome, own, most).await;
        }
        Ok(outcome)
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("diagnostics");
        self.inner.describe(names);
    }
}

/// Looks at files for one call.
struct DiagnosticsProbe<'a> {
    servers: &'a LanguageServers,
    budget: Duration,
    stop: CancellationToken,
}

/// What became of one file.
struct NewDiagnostics {
    name: String,
    is_dependent: bool,
    delta: Result<Delta, String>,
}

impl DiagnosticsProbe<'_> {
    /// The files that the call writes, that may be read, and that some server knows; and with them those that it removes.
    fn files_of(&self, call: &Call) -> (Vec<PathClaim>, Vec<PathClaim>) {
        if call.prepared.effect() != Effect::Mutate {
            return (Vec::new(), Vec::new());
        }
        let is_known = |claim: &&PathClaim| {
            let name = claim.target.file_name().unwrap_or_default();
            let servers = self.servers.servers_for(&name.to_string_lossy());
            servers.iter().any(|spec| spec.role == Role::Full)
        };
        let visibility = call.visibility.as_deref();
        let is_shown = |claim: &&PathClaim| visibility.is_none_or(|rules| !rules.hides(claim));
        let access = call.prepared.access();
        let known = |claims: &[PathClaim]| -> Vec<PathClaim> {
            let files = claims.iter().filter(is_known).filter(is_shown);
            let files = files.take(limits::LSP_AFTER_EDIT_FILES_MAX);
            files.cloned().collect()
        };
        let files = known(&access.writes);
        let gone = known(&access.deletes);
        let touched = files.iter().cloned().chain(gone).collect();
        (files, touched)
    }

    async fn watch(&self, file: PathClaim, is_dependent: bool) -> Watched {
        let before = match self.servers.workspace().locate(&file.name) {
            Ok(located) if !located.exists().unwrap_or(true) => Ok(None),
            _ => self.report(&file.name).await.map(Some),
        };
        Watched {
            name: file.name,
            is_dependent,
            before,
        }
    }

    async fn compare(&self, file: Watched) -> NewDiagnostics {
        let delta = match file.before {
            Ok(before) => {
                let after = self.report(&file.name).await;
                after.map(|after| Delta::between(before.as_ref(), &after))
            }
            Err(reason) => Err(format!("{reason} before the change")),
        };
        NewDiagnostics {
            name: file.name,
            is_dependent: file.is_dependent,
            delta,
        }
    }

    /// What is wrong with a file now, if that is known for sure and in time.
    async fn report(&self, name: &str) -> Result<Report, String> {
        let located = self.servers.workspace().locate(name);
        let file = located.map_err(|error| error.to_string())?;
        let asking = self.servers.diagnostics(&file, &self.stop);
        let report = match tokio::time::timeout(self.budget, asking).await {
            Ok(Ok(report)) => report,
            Ok(Err(_)) => return Err("no language server responded".to_owned()),
            Err(_) => {
                let budget = self.budget.as_millis();
                return Err(format!(
                    "the language server did not respond within {budget} ms"
                ));
            }
        };
        let is_final =
            report.status == ServerStatus::Ready && report.is_answered && report.blind.is_none();
        if is_final {
            Ok(report)
        } else {
            Err("the language server did not finish".to_owned())
        }
    }
}

/// Reports it in text and details.
fn add(outcome: &mut Outcome, reported: Vec<NewDiagnostics>) {
    let lines: Vec<String> = reported.iter().flat_map(text_of).collect();
    let text = lines.join("\n");
    let last = outcome
        .content
        .iter_mut()
        .rev()
        .find_map(|part| match part {
            Content::Text(text) => Some(text),
            Content::Image { .. } => None,
        });
    match last {
        Some(last) => last.push_str(&format!("\n\n{text}")),
        None => outcome.content.push(Content::Text(text)),
    }
    let files: Vec<Value> = reported.iter().map(details_of).collect();
    outcome
        .details
        .insert("diagnosticsAfterEdit", &files.into());
}

fn text_of(reported: &NewDiagnostics) -> Vec<String> {
    let name = &reported.name;
    let delta = match &reported.delta {
        Ok(delta) => delta,
        Err(reason) => {
            return vec![format!(
                "Whether `{name}` has new errors is not known: {reason}."
            )];
        }
    };
    if *delta == Delta::default() {
        return vec![format!("No new errors or warnings in `{name}`.")];
    }
    let (new, gone) = (delta.new.len(), delta.gone.len());
    let head = format!("Errors and warnings in `{name}`: {new} new, {gone} fixed.");
    let line = |word: &str, finding: &Finding| {
        let start = finding.span.start;
        let source = finding.source.as_deref().unwrap_or("server");
        format!(
            "{word} {}:{} {}: {} [{source}]",
            start.line + 1,
            start.character + 1,
            finding.severity.as_str(),
            finding.message
        )
    };
    let most = limits::LSP_AFTER_EDIT_FINDINGS_MAX;
    let new = delta
        .new
        .iter()
        .take(most)
        .map(|finding| line("new", finding));
    let gone = delta
        .gone
        .iter()
        .take(most)
        .map(|finding| line("gone", finding));
    std::iter::once(head).chain(new).chain(gone).collect()
}

fn details_of(reported: &NewDiagnostics) -> Value {
    let most = limits::LSP_AFTER_EDIT_FINDINGS_MAX;
    let list = |findings: &[Finding]| -> Vec<Value> {
        findings.iter().take(most).map(finding_of).collect()
    };
    match &reported.delta {
        Ok(delta) => json!({
            "path": reported.name,
            "known": true,
            "new": list(&delta.new),
            "gone": list(&delta.gone),
        }),
        Err(reason) => json!({ "path": reported.name, "known": false, "reason": reason }),
    }
}

fn finding_of(finding: &Finding) -> Value {
    let start = finding.span.start;
    json!({
        "line": start.line + 1,
        "character": start.character + 1,
        "severity": finding.severity.as_str(),
        "message": finding.message,
        "source": finding.source,
        "code": finding.code,
    })
}
