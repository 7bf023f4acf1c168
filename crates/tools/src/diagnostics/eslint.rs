//! The ESLint that is installed in the workspace. It and its configuration are code of the workspace, so it runs only
//! where the host trusts that.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use tenon_contract::{ToolContext, ToolError, limits};
use tenon_lsp::{LanguageServers, Severity};
use tenon_process::{Processes, ServiceSpec};
use tenon_workspace::Located;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::lsp::{FindingFact, Shortfall};

/// Time between the polite and the final signal.
const GRACE: Duration = Duration::from_millis(500);
/// Longest time that it may take.
const TIMEOUT: Duration = Duration::from_millis(60_000);
/// How its configuration is called; where the nearest lies, it is started.
const CONFIGURATIONS: &[&str] = &[
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.cjs",
    "eslint.config.ts",
    "eslint.config.mts",
    "eslint.config.cts",
    ".eslintrc.js",
    ".eslintrc.cjs",
    ".eslintrc.json",
    ".eslintrc.yaml",
    ".eslintrc.yml",
    ".eslintrc",
];
/// Where npm puts its program.
const PROGRAM: &str = if cfg!(windows) {
    "node_modules/.bin/eslint.cmd"
} else {
    "node_modules/.bin/eslint"
};

/// ESLint for one file.
pub(super) struct Eslint<'a> {
    pub(super) servers: &'a LanguageServers,
    pub(super) processes: &'a Processes,
    pub(super) file: &'a Located,
}

/// One file of ESLint's JSON formatter.
#[derive(Debug, Deserialize)]
struct Checked {
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    /// Missing for what is about the file as a whole, such as that it is ignored.
    line: Option<u64>,
    column: Option<u64>,
    end_line: Option<u64>,
    end_column: Option<u64>,
}

impl Eslint<'_> {
    /// What it finds; `None` where the project has none, `Err` where it has one that did not check the file.
    pub(super) async fn check(
        &self,
        context: &ToolContext,
    ) -> Result<Option<Result<Vec<FindingFact>, Shortfall>>, ToolError> {
        let Some(program) = self.nearest(&[PROGRAM]) else {
            return Ok(None);
        };
        if !self.servers.trusts_workspace() {
            return Ok(Some(Err(untrusted())));
        }
        let configuration = self.nearest(CONFIGURATIONS);
        let directory = match configuration.as_deref().and_then(Path::parent) {
            Some(directory) => directory.to_owned(),
            // Above `node_modules/.bin`.
            None => program.ancestors().nth(3).unwrap_or(&program).to_owned(),
        };
        let work = self.run(program, directory);
        let ran = tokio::select! {
            biased;
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            ran = work => ran,
            () = tokio::time::sleep(TIMEOUT) => {
                Err(failed(format!("it did not finish within {} s", TIMEOUT.as_secs())))
            }
        };
        Ok(Some(ran.and_then(|output| read(&output))))
    }

    /// Why there is nothing to run.
    pub(super) fn nothing_here(&self) -> Shortfall {
        Shortfall {
            reason: "Not checked: ESLint is not installed in this project.".to_owned(),
            install: Some("npm install --save-dev eslint".to_owned()),
        }
    }

    /// The nearest of these files above the file, inside of the workspace.
    fn nearest(&self, names: &[&str]) -> Option<PathBuf> {
        let workspace = self.file.workspace();
        let exists = |path: &PathBuf| {
            let located = workspace.locate(&path.to_string_lossy());
            located.is_ok_and(|located| located.exists().unwrap_or(false))
        };
        let is_inside =
            |directory: &&Path| workspace.roots().any(|root| directory.starts_with(root));
        let directories = self.file.target().ancestors().skip(1).take_while(is_inside);
        directories
            .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
            .find(exists)
    }

    async fn run(&self, program: PathBuf, directory: PathBuf) -> Result<Output, Shortfall> {
        let arguments = ["--format", "json", "--no-color", "--"].map(OsString::from);
        let file = self.file.target().as_os_str().to_owned();
        let started = self.processes.start_service(&ServiceSpec {
            program,
            arguments: arguments.into_iter().chain([file]).collect(),
            directory,
            environment: BTreeMap::new(),
            grace: GRACE,
        });
        let mut service = started.map_err(|error| failed(error.to_string()))?;
        drop(service.stdin);
        let (output, complaint) = tokio::join!(bounded(service.stdout), bounded(service.stderr));
        service.process.ended().await;
        Ok(Output { output, complaint })
    }
}

struct Output {
    output: Vec<u8>,
    complaint: Vec<u8>,
}

/// The findings in what it wrote. Without a report its complaint is the reason.
fn read(ran: &Output) -> Result<Vec<FindingFact>, Shortfall> {
    let report: Result<Vec<Checked>, _> = serde_json::from_slice(&ran.output);
    let Ok(report) = report else {
        let complaint = String::from_utf8_lossy(&ran.complaint);
        let complaint: String = complaint.trim().chars().take(2_000).collect();
        return Err(failed(if complaint.is_empty() {
            "it wrote no report".to_owned()
        } else {
            complaint
        }));
    };
    let messages: Vec<Message> = report.into_iter().flat_map(|file| file.messages).collect();
    let about_file = messages.iter().find(|message| message.line.is_none());
    if let Some(message) = about_file
        && messages.len() == 1
    {
        return Err(failed(message.message.clone()));
    }
    Ok(messages.into_iter().map(finding).collect())
}

fn finding(message: Message) -> FindingFact {
    let (line, character) = (message.line.unwrap_or(1), message.column.unwrap_or(1));
    FindingFact {
        line,
        character,
        end_line: message.end_line.unwrap_or(line),
        end_character: message.end_column.unwrap_or(character),
        severity: if message.severity >= 2 {
            Severity::Error
        } else {
            Severity::Warning
        },
        message: message.message,
        source: Some(super::ESLINT.to_owned()),
        code: message.rule_id,
    }
}

fn untrusted() -> Shortfall {
    Shortfall {
        reason: "Not checked: ESLint was not run because the workspace is not trusted.".to_owned(),
        install: None,
    }
}

fn failed(why: String) -> Shortfall {
    Shortfall {
        reason: format!("Not checked: ESLint failed: {why}"),
        install: None,
    }
}

/// As much as a report may hold; the rest is read and let go, so that the writer ends.
async fn bounded(mut stream: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A stream that fails has ended; what is missing is no report.
    let _ = (&mut stream)
        .take(limits::LSP_MESSAGE_MAX_BYTES as u64)
        .read_to_end(&mut bytes)
        .await;
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(output: &str, complaint: &str) -> Output {
        Output {
            output: output.into(),
            complaint: complaint.into(),
        }
    }

    #[test]
    fn a_report_becomes_findings() {
        let report = r#"[{"filePath":"/a.js","messages":[
            {"ruleId":"no-undef","severity":2,"message":"'x' is not defined.","line":2,"column":3,"endLine":2,"endColumn":4},
            {"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":1,"column":1},
            {"ruleId":"semi","severity":1,"message":"Missing semicolon.","line":1,"column":9}]}]"#;
        let found = read(&ran(report, "")).unwrap();
        let reported: Vec<_> = found
            .iter()
            .map(|finding| {
                (
                    finding.line,
                    finding.character,
                    finding.severity,
                    finding.code.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            reported,
            [
                (2, 3, Severity::Error, Some("no-undef")),
                (1, 1, Severity::Error, None),
                (1, 9, Severity::Warning, Some("semi")),
            ]
        );
        assert_eq!(
            read(&ran(r#"[{"filePath":"/a.js","messages":[]}]"#, "")).unwrap(),
            []
        );
    }

    #[test]
    fn what_was_not_checked_is_not_free_of_errors() {
        let ignored = r#"[{"messages":[{"ruleId":null,"severity":1,"message":"File ignored because of a matching ignore pattern."}]}]"#;
        let reason =
            |output: &str, complaint: &str| read(&ran(output, complaint)).unwrap_err().reason;
        assert!(reason(ignored, "").contains("File ignored"));
        assert!(reason("", "ESLint couldn't find a configuration file.").contains("configuration"));
        assert!(reason("not json", "").contains("no report"));
    }
}
