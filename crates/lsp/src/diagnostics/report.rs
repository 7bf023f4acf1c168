//! The findings of all servers of a file, together.

use serde_json::Value;
use tenon_workspace::Located;
use tokio_util::sync::CancellationToken;

use crate::diagnostics::diagnose::Findings;
use crate::language_servers::LanguageServers;
use crate::protocol::position::{Encoding, LineText, Span};
use crate::queries::ask::OpenedServer;
use crate::queries::query::{AskError, Fault};
use crate::server::capabilities::Feature;
use crate::server::session::ServerSession;
use crate::server::unavailable::ServerStatus;
use crate::servers::Canary;

/// How bad a finding is (LSP `DiagnosticSeverity`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It is wrong.
    Error,
    /// It may be wrong.
    Warning,
    /// It is worth knowing.
    Information,
    /// It could be better.
    Hint,
}

impl Severity {
    /// As it stands in details.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where, in UTF-16 from 0.
    pub span: Span,
    /// How bad; an error where the server does not say.
    pub severity: Severity,
    /// What.
    pub message: String,
    /// Who found it, such as `eslint`.
    pub source: Option<String>,
    /// The name or number of the rule.
    pub code: Option<String>,
}

/// The findings in a file.
#[derive(Debug)]
pub struct Report {
    /// Who was asked.
    pub servers: Vec<String>,
    /// Whether all of them answered for the present text.
    pub status: ServerStatus,
    /// Whether the one that answers everything else said anything at all: without, an empty list means nothing.
    pub is_answered: bool,
    /// What the server lacks to find anything at all; it is not answered then.
    pub blind: Option<Canary>,
    /// The findings by place, the worse ones first at one place.
    pub findings: Vec<Finding>,
    /// The text that they are about.
    pub text: LineText,
}

impl LanguageServers {
    /// What is wrong with a file as it is on disk now.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn diagnostics(
        &self,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Result<Report, AskError> {
        let (opened, findings) = self.main_findings(file, cancellation).await?;
        let mut report = Report {
            servers: vec![opened.session.name().to_owned()],
            status: ServerStatus::Ready,
            is_answered: findings.is_answered,
            blind: findings.blind,
            findings: Vec::new(),
            text: opened.document.text.clone(),
        };
        report.take(findings, &opened.session);
        for linter in self.linters(file, cancellation).await {
            if linter.name() == opened.session.name() {
                continue;
            }
            // A linter that fails costs what it would have found, and nothing more.
            if let Ok(opened) = OpenedServer::new(linter, file, cancellation).await
                && let Ok(findings) = opened
                    .session
                    .findings(&opened.document, cancellation)
                    .await
            {
                report.servers.push(opened.session.name().to_owned());
                report.take(findings, &opened.session);
            }
        }
        report
            .findings
            .sort_by_key(|finding| (finding.span.start, finding.severity));
        Ok(report)
    }

    async fn main_findings(
        &self,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Result<(OpenedServer, Findings), AskError> {
        let mut attempt = 1;
        loop {
            let opened = self
                .open(file, Some(Feature::PullDiagnostics), cancellation)
                .await?;
            match opened
                .session
                .findings(&opened.document, cancellation)
                .await
            {
                Ok(findings) => return Ok((opened, findings)),
                Err(error) => {
                    opened
                        .judge(
                            Fault::Request(error),
                            Feature::PullDiagnostics,
                            &mut attempt,
                        )
                        .await?
                }
            }
        }
    }
}

impl Report {
    fn take(&mut self, findings: Findings, session: &ServerSession) {
        if !findings.is_complete {
            self.status = ServerStatus::Indexing;
        }
        for finding in findings
            .items
            .iter()
            .filter_map(|item| finding(item, &self.text, session.encoding_of(item)))
        {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }
}

impl ServerSession {
    /// In which units the place of a finding is counted: programs whose findings a server hands on have their own.
    fn encoding_of(&self, item: &Value) -> Encoding {
        let source = item.get("source").and_then(Value::as_str);
        let own = self
            .spec
            .quirks
            .sources
            .iter()
            .find(|(name, _)| Some(*name) == source);
        own.map_or_else(|| self.encoding(), |(_, encoding)| *encoding)
    }
}

fn finding(item: &Value, text: &LineText, encoding: Encoding) -> Option<Finding> {
    let span: Span = serde_json::from_value(item.get("range")?.clone()).ok()?;
    let message = match item.get("message")? {
        Value::String(message) => message.clone(),
        // LSP 3.18 allows Markdown.
        markup => markup.get("value")?.as_str()?.to_owned(),
    };
    let code = item.get("code").and_then(|code| match code {
        Value::String(code) => Some(code.clone()),
        Value::Number(code) => Some(code.to_string()),
        _ => None,
    });
    Some(Finding {
        span: text.convert(span, encoding, Encoding::Utf16),
        severity: match item.get("severity").and_then(Value::as_u64) {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            _ => Severity::Error,
        },
        message,
        source: item
            .get("source")
            .and_then(Value::as_str)
            .map(str::to_owned),
        code,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn findings_are_read_in_the_units_of_the_server() {
        let text = LineText::new("🦀 x\n");
        let range =
            json!({ "start": { "line": 0, "character": 2 }, "end": { "line": 0, "character": 3 } });
        let found = |item: Value| finding(&item, &text, Encoding::Utf32);
        let one = found(
            json!({ "range": range, "message": "m", "code": 2304, "severity": 2, "source": "s" }),
        )
        .unwrap();
        assert_eq!((one.span.start.character, one.span.end.character), (3, 4));
        assert_eq!(
            (one.severity, one.code.as_deref(), one.source.as_deref()),
            (Severity::Warning, Some("2304"), Some("s"))
        );
        assert_eq!(
            found(json!({ "range": range, "message": { "kind": "markdown", "value": "m" } }))
                .unwrap()
                .severity,
            Severity::Error
        );
        assert_eq!(found(json!({ "message": "m" })), None);
        assert_eq!(found(json!({ "range": range })), None);
    }
}
