//! Running git in a repository that nobody vouches for.
//!
//! A repository can bring settings by which git runs programs: a file system monitor, hooks, content
//! filters, transports that fetch what is missing. All of those are turned off here, by settings
//! that stand above the repository's own. Filters of the user or the system (such as git-lfs) stay.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_process::{Processes, ServiceSpec};
use tenon_workspace::Located;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Time between the polite and the final signal; git has nothing to lose here.
const GRACE: Duration = Duration::from_millis(500);

/// Settings above those of the repository.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", NOWHERE),
    ("submodule.recurse", "false"),
    ("status.submoduleSummary", "false"),
];
#[cfg(not(windows))]
const NOWHERE: &str = "/dev/null";
#[cfg(windows)]
const NOWHERE: &str = "NUL";

/// The environment of every call.
const VARIABLES: &[(&str, &str)] = &[
    ("LC_ALL", "C"),
    // Nothing of the repository is written, not even its index.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // What is missing in a partial clone is not fetched; no transport has this name.
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
];

/// The git program, ready for one repository.
pub(super) struct Git<'a> {
    processes: &'a Processes,
    directory: &'a Located,
    program: PathBuf,
}

impl<'a> Git<'a> {
    /// Git from the `PATH` of commands, but never from within the workspace.
    pub(super) fn find(
        processes: &'a Processes,
        directory: &'a Located,
        workspace: &Path,
    ) -> Result<Self, ToolError> {
        let program = processes
            .find_program("git", |path| path.starts_with(workspace))
            .ok_or_else(|| {
                ToolError::new(
                    ErrorCode::Unavailable,
                    "git is not installed, or not in the `PATH`. Install it, or look at the files themselves.",
                )
            })?;
        Ok(Self {
            processes,
            directory,
            program,
        })
    }

    /// The way from where the working tree begins to the directory, with `/` at its end; empty where it
    /// begins at the directory itself.
    pub(super) async fn prefix(&self) -> Result<String, ToolError> {
        let answer = self
            .run(&["rev-parse", "--show-prefix"], &[])
            .await?
            .require(self.directory)?;
        let text = String::from_utf8_lossy(&answer);
        Ok(text.trim_end_matches(['\n', '\r']).to_owned())
    }

    /// The state of the whole repository.
    pub(super) async fn status(&self) -> Result<Vec<u8>, ToolError> {
        let filters = self.own_filters().await?;
        let arguments = [
            "status",
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--no-renames",
        ];
        self.run(&arguments, &filters)
            .await?
            .require(self.directory)
    }

    /// Settings that turn off the content filters that the repository itself defines.
    async fn own_filters(&self) -> Result<Vec<(String, String)>, ToolError> {
        let arguments = [
            "config",
            "-z",
            "--includes",
            "--show-scope",
            "--name-only",
            "--get-regexp",
            r"^filter\.",
        ];
        let answer = self.run(&arguments, &[]).await?;
        // Without any, git answers with code 1 and silence. An answer that is not understood must
        // not leave filters on.
        if answer.code == Some(1) && answer.complaint.is_empty() {
            return Ok(Vec::new());
        }
        let output = answer.require(self.directory)?;
        let text = String::from_utf8_lossy(&output);
        let mut parts = text.split('\0');
        let mut drivers = BTreeSet::new();
        while let (Some(scope), Some(name)) = (parts.next(), parts.next()) {
            if !matches!(scope, "system" | "global") {
                drivers.extend(name.rsplit_once('.').map(|(driver, _)| driver));
            }
        }
        let off = [
            ("clean", ""),
            ("smudge", ""),
            ("process", ""),
            ("required", "false"),
        ];
        Ok(drivers
            .into_iter()
            .flat_map(|driver| off.map(|(key, value)| (format!("{driver}.{key}"), value.into())))
            .collect())
    }

    async fn run(
        &self,
        arguments: &[&str],
        more: &[(String, String)],
    ) -> Result<GitOutput, ToolError> {
        let mut service = self.processes.start_service(&ServiceSpec {
            program: self.program.clone(),
            arguments: arguments.iter().map(OsString::from).collect(),
            directory: self.directory.target().to_owned(),
            environment: environment(more),
            grace: GRACE,
        })?;
        drop(service.stdin);
        let (output, complaint) = tokio::join!(
            bounded(service.stdout, limits::GIT_OUTPUT_MAX_BYTES),
            bounded(service.stderr, limits::TEXT_MAX_BYTES),
        );
        let end = service.process.ended().await;
        if output.len() > limits::GIT_OUTPUT_MAX_BYTES {
            let message = "The repository has too many changes to report. Most of them are probably untracked files: add their directories to a `.gitignore`.";
            return Err(ToolError::new(ErrorCode::TooLarge, message));
        }
        Ok(GitOutput {
            code: end.exit_code,
            output,
            complaint: String::from_utf8_lossy(&complaint).trim().to_owned(),
        })
    }
}

/// What git answered.
struct GitOutput {
    code: Option<i32>,
    output: Vec<u8>,
    complaint: String,
}

impl GitOutput {
    /// Its output, if it did what it was asked.
    fn require(self, directory: &Located) -> Result<Vec<u8>, ToolError> {
        if self.code == Some(0) {
            return Ok(self.output);
        }
        let name = directory.name();
        if self.complaint.contains("not a git repository")
            || self.complaint.contains("must be run in a work tree")
        {
            let message = format!(
                "`{name}` is not in a git repository. Pass a directory inside one, or run `git init`."
            );
            return Err(ToolError::new(ErrorCode::NotFound, message).with("path", name));
        }
        let message = format!("git could not report on `{name}`: {}", self.complaint);
        Err(ToolError::new(ErrorCode::ProcessFailed, message)
            .with("path", name)
            .with("exit_code", self.code))
    }
}

/// Settings as git takes them from its environment (git-config(1), `GIT_CONFIG_COUNT`): above all
/// files, and with any characters in their names.
fn environment(more: &[(String, String)]) -> BTreeMap<String, OsString> {
    let fixed = SETTINGS
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let settings: Vec<(String, String)> = fixed.chain(more.iter().cloned()).collect();
    let mut variables: BTreeMap<String, OsString> = VARIABLES
        .iter()
        .map(|(name, value)| ((*name).to_owned(), OsStr::new(value).to_owned()))
        .collect();
    variables.insert("GIT_CONFIG_COUNT".into(), settings.len().to_string().into());
    for (index, (name, value)) in settings.into_iter().enumerate() {
        variables.insert(format!("GIT_CONFIG_KEY_{index}"), name.into());
        variables.insert(format!("GIT_CONFIG_VALUE_{index}"), value.into());
    }
    variables
}

/// Everything up to one byte more than `most`; the rest is read and let go, so that the writer ends.
async fn bounded(mut stream: impl AsyncRead + Unpin, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A stream that fails has ended; the exit code says what that means.
    let _ = (&mut stream)
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .await;
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    bytes
}
