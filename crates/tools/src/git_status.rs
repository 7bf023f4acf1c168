//! Reports the state of the git repository, as git itself sees it.

mod parse;
mod run;

#[cfg(unix)]
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ErrorCode, Operation, Output, PathClaim, Tool, ToolContext, ToolError,
};
use tenon_edit::name_of_bytes;
use tenon_process::Processes;
use tenon_workspace::{FileKind, Located, Workspace};

use self::parse::{Entry, Report};
use self::run::Git;

/// Whose state to report.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitStatusParams {
    /// Directory in the repository, absolute or relative to the workspace. Default: the workspace.
    pub path: Option<String>,
}

/// How a repository stands. Paths are those inside the workspace, as answers name them, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitStatusOutput {
    /// The branch; nothing when none is checked out.
    pub branch: Option<String>,
    /// The branch that it follows.
    pub upstream: Option<String>,
    /// Commits that the upstream lacks.
    pub ahead: u64,
    /// Commits of the upstream that the branch lacks.
    pub behind: u64,
    /// Files with another content or mode, staged or not.
    pub modified: Vec<String>,
    /// Files that are new, staged or untracked.
    pub created: Vec<String>,
    /// Files that are gone.
    pub deleted: Vec<String>,
    /// Files of which something is staged.
    pub staged: Vec<String>,
    /// Files with a conflict to be resolved.
    pub conflicted: Vec<String>,
}

impl Output for GitStatusOutput {}

impl GitStatusOutput {
    /// Whether nothing differs from the last commit.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        [
            &self.modified,
            &self.created,
            &self.deleted,
            &self.staged,
            &self.conflicted,
        ]
        .into_iter()
        .all(Vec::is_empty)
    }
}

/// The operation.
#[derive(Debug)]
pub struct GitStatus {
    workspace: Workspace,
    processes: Processes,
}

impl GitStatus {
    /// Reports on repositories of `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace, processes: Processes) -> Self {
        Self {
            workspace,
            processes,
        }
    }
}

/// A located directory.
#[derive(Debug)]
pub struct GitStatusPlan {
    directory: Located,
}

impl Tool for GitStatus {
    const OPERATION: Operation = Operation::GitStatus;
    type Params = GitStatusParams;
    type Plan = GitStatusPlan;
    type Output = GitStatusOutput;

    fn plan(&self, params: GitStatusParams) -> Result<(Access, GitStatusPlan), ToolError> {
        let directory = self
            .workspace
            .locate_existing(params.path.as_deref().unwrap_or("."))?;
        Ok((
            Access::reading(directory.claim().clone()),
            GitStatusPlan { directory },
        ))
    }

    async fn run(
        &self,
        plan: GitStatusPlan,
        context: ToolContext,
    ) -> Result<GitStatusOutput, ToolError> {
        let directory = plan.directory;
        if directory.metadata()?.kind != FileKind::Directory {
            let message = format!(
                "`{}` is a file. Pass a directory of the repository.",
                directory.name()
            );
            return Err(
                ToolError::new(ErrorCode::NotADirectory, message).with("path", directory.name())
            );
        }
        let root = self.workspace.root();
        let git = Git::find(&self.processes, &directory, root)?;
        // Where the repository begins, seen from the workspace: below it, at it or above it.
        let inside = git.prefix().await?;
        let here = slashed(
            directory
                .target()
                .strip_prefix(root)
                .unwrap_or(directory.target()),
        );
        let (below, above) = match (here.strip_suffix(&inside), inside.strip_suffix(&here)) {
            (Some(below), _) => (below, ""),
            (None, Some(above)) => ("", above),
            (None, None) => return Err(elsewhere(&directory)),
        };
        let report = parse::parse(&git.status().await?);
        let is_shown = |name: &str, path: &Path| {
            // A repository in an additional directory may begin above it.
            let is_inside = !path.is_absolute() || self.workspace.locate(name).is_ok();
            is_inside
                && context.visibility().is_none_or(|visibility| {
                    !visibility.hides(&PathClaim {
                        name: name.to_owned(),
                        target: root.join(path),
                    })
                })
        };
        let named = |path: &[u8]| {
            let inside = path.strip_prefix(above.as_bytes())?;
            let path = [below.as_bytes(), inside].concat();
            Some(name_of_bytes(&path)).filter(|name| is_shown(name, &path_of(&path)))
        };
        Ok(output(report, &named))
    }
}

/// A path as git writes it.
fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    let text: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    #[cfg(not(unix))]
    let text = String::from_utf8_lossy(bytes).into_owned();
    PathBuf::from(text)
}

/// The path with `/` between its parts and at its end; nothing for an empty one.
fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    };
    if text.is_empty() || text.ends_with('/') {
        text
    } else {
        text + "/"
    }
}

fn elsewhere(directory: &Located) -> ToolError {
    let message = format!(
        "The repository of `{}` keeps its data in a directory outside the workspace.",
        directory.name()
    );
    ToolError::new(ErrorCode::OutsideWorkspace, message).with("path", directory.name())
}

/// Sorts the entries into lists; `named` is what answers call a path, if they may.
fn output(report: Report, named: &dyn Fn(&[u8]) -> Option<String>) -> GitStatusOutput {
    let mut output = GitStatusOutput {
        branch: report.branch,
        upstream: report.upstream,
        ahead: report.ahead,
        behind: report.behind,
        ..GitStatusOutput::default()
    };
    for (path, entry) in report.entries {
        let Some(path) = named(&path) else { continue };
        let (staged, unstaged) = match entry {
            Entry::Conflicted => {
                output.conflicted.push(path);
                continue;
            }
            Entry::Untracked => {
                output.created.push(path);
                continue;
            }
            Entry::Changed { staged, unstaged } => (staged, unstaged),
        };
        if staged != b'.' {
            output.staged.push(path.clone());
        }
        match (staged, unstaged) {
            (b'D', _) | (_, b'D') => output.deleted.push(path),
            (b'A', _) | (_, b'A') => output.created.push(path),
            _ => output.modified.push(path),
        }
    }
    for list in [
        &mut output.modified,
        &mut output.created,
        &mut output.deleted,
        &mut output.staged,
        &mut output.conflicted,
    ] {
        list.sort_unstable();
        list.dedup();
    }
    output
}
