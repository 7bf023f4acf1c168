//! Finds files by the form of their path.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ErrorCode, NextStep, Operation, Output, Tool, ToolContext, ToolError, limits,
};
use tenon_edit::shown_name;
use tenon_search::{Control, Facts, FindRequest, FindSort, Index, Kinds, Scope, Stopped, Totals};
use tenon_workspace::{FileKind, Located, Workspace};

use crate::blocking::blocking;
use crate::searching::{SearchSettings, control, explained_by, hides_some, only_hidden};
use crate::visible::{KeptBack, path_filter};

/// What to find.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindParams {
    /// Glob pattern, such as `*.ts` or `src/**/*.spec.ts`.
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// Directory to search, absolute or relative to the workspace. Default: the workspace.
    pub path: Option<String>,
    /// Match fragments instead: letters in order with gaps, words in any order. Default: false.
    pub fuzzy: Option<bool>,
    /// Continue after a timed-out search: the cursor that its notice names.
    pub cursor: Option<String>,
    /// Maximum number of paths. Default: 1000.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Order of the results. Default: `path`.
    pub order: Option<FindOrder>,
    /// Also find what ignore files exclude. Default: false.
    pub ignored: Option<bool>,
    /// More to skip, in gitignore syntax: `node_modules`, `dist`, `*.log`. Default: nothing.
    pub ignore: Option<Vec<String>>,
    /// Refuse a pattern that is absolute or contains `..`. Default: false; an absolute one may lie in the directory.
    pub relative_only: Option<bool>,
    /// Count beyond the limit, so that the total is exact. Default: false.
    pub count_all: Option<bool>,
}

/// Order of found paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindOrder {
    /// By path.
    Path,
    /// Changed last, first.
    Modified,
}

/// What was found.
#[derive(Debug)]
pub struct FindOutput {
    /// The directory that was searched, as answers name it.
    pub root: String,
    /// The pattern.
    pub pattern: String,
    /// The files, in the order asked for.
    pub files: Vec<FoundFile>,
    /// How many matched; a lower bound unless `exact`.
    pub totals: Totals,
    /// What was seen and left out on the way.
    pub facts: Facts,
    /// Whether some are left out of `files`.
    pub truncated: bool,
    /// Whether time ran out before everything was looked at.
    pub timed_out: bool,
    /// Where to go on after that, for an answer in the order of paths.
    pub cursor: Option<String>,
    /// Whether the pattern was what is remembered of a path.
    pub fuzzy: bool,
    /// The limit that held.
    pub limit: usize,
    /// Where nothing was found: what would have been, in phrases.
    pub near: Vec<String>,
    /// What rules kept back.
    pub kept_back: Option<KeptBack>,
}

/// One file.
#[derive(Debug)]
pub struct FoundFile {
    /// Relative to the workspace, with `/`.
    pub path: String,
}

impl Output for FindOutput {}

/// The find operation.
#[derive(Debug)]
pub struct Find {
    workspace: Workspace,
    settings: SearchSettings,
}

impl Find {
    /// Finds within `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace, settings: SearchSettings) -> Self {
        Self {
            workspace,
            settings,
        }
    }
}

/// A located directory and what to find in it.
#[derive(Debug)]
pub struct FindPlan {
    root: Located,
    params: FindParams,
}

fn no_directory(name: &str) -> ToolError {
    let message = format!("`{name}` is a file, not a directory.");
    ToolError::new(ErrorCode::NotADirectory, message)
        .with("path", name)
        .then(NextStep::read_file("see it"))
}

impl Tool for Find {
    const OPERATION: Operation = Operation::Find;
    type Params = FindParams;
    type Plan = FindPlan;
    type Output = FindOutput;

    fn plan(&self, params: FindParams) -> Result<(Access, FindPlan), ToolError> {
        if params.relative_only.unwrap_or(false) {
            require_relative(&params.pattern)?;
        }
        let root = self
            .workspace
            .locate_existing(params.path.as_deref().unwrap_or("."))?;
        Ok((
            Access::reading(root.claim().clone()),
            FindPlan { root, params },
        ))
    }

    async fn run(&self, plan: FindPlan, context: ToolContext) -> Result<FindOutput, ToolError> {
        let workspace = self.workspace.clone();
        let settings = self.settings.clone();
        blocking(context, move |context| {
            let FindPlan { root, params } = plan;
            let kind = root.metadata()?.kind;
            if kind != FileKind::Directory {
                let special = crate::list::special(root.name(), kind);
                return Err(special.unwrap_or_else(|| no_directory(root.name())));
            }
            let mut request = requested(
                &params,
                &settings,
                Scope::new(workspace.root(), root.target()),
            );
            request.scope.path_filter = path_filter(context, &workspace);
            let index = &settings.index;
            let started = Instant::now();
            let found = index.find(&request, &control(context, settings.deadline()))?;
            let shown = found.entries.len() as u64;
            let timed_out = found.stopped == Some(Stopped::Deadline);
            let near = if found.entries.is_empty() && !timed_out && !request.fuzzy {
                let control = control(context, explained_by(started, &found.facts));
                near(&request, &found.facts, index, &control)
            } else {
                Vec::new()
            };
            Ok(FindOutput {
                root: root.name().to_owned(),
                pattern: params.pattern,
                files: found
                    .entries
                    .into_iter()
                    .map(|entry| FoundFile { path: entry.path })
                    .collect(),
                totals: found.totals,
                kept_back: KeptBack::of(context, &found.facts),
                facts: found.facts,
                truncated: found.stopped.is_some() || found.totals.matches > shown,
                timed_out,
                cursor: found.resume,
                fuzzy: request.fuzzy,
                limit: request.limit.unwrap_or(limits::RESULTS_MAX),
                near,
            })
        })
        .await
    }
}

/// What these parameters ask for.
fn requested(params: &FindParams, settings: &SearchSettings, scope: Scope) -> FindRequest {
    let limit = params.limit.map_or(limits::FIND_DEFAULT_PATHS, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let mut request = FindRequest::new(scope, params.pattern.clone());
    request.scope.same_file_system = settings.same_file_system;
    request.scope.ignore_files = !params.ignored.unwrap_or(false);
    request.scope.ignore = params.ignore.clone().unwrap_or_default();
    request.scope.from = params.cursor.clone();
    request.limit = Some(limit.min(limits::RESULTS_MAX));
    request.count_all = params.count_all.unwrap_or(false);
    request.sort = match params.order {
        Some(FindOrder::Modified) => FindSort::Modified,
        Some(FindOrder::Path) | None => FindSort::Path,
    };
    request.fuzzy = params.fuzzy.unwrap_or(false);
    request
}

/// What the same pattern finds without regard to case, or else among what ignore files hide.
fn near(request: &FindRequest, facts: &Facts, index: &Index, control: &Control<'_>) -> Vec<String> {
    let attempt = |change: &dyn Fn(&mut FindRequest)| {
        let mut wider = request.clone();
        wider.limit = Some(1);
        wider.count_all = false;
        wider.sort = FindSort::Path;
        change(&mut wider);
        let found = index.find(&wider, control).ok()?;
        Some(found.entries.first()?.path.clone())
    };
    let minds_case = request.pattern.chars().any(char::is_alphabetic);
    let in_other_case = || {
        let path = minds_case.then(|| attempt(&|wider| wider.case_insensitive = true))??;
        Some(format!("Ignoring case, `{}` matches", shown_name(&path)))
    };
    let hidden = || {
        let path =
            hides_some(facts).then(|| attempt(&|wider| wider.scope.only_ignored = true))??;
        Some(only_hidden(&request.scope, &path))
    };
    let directories = || {
        let of = request.pattern.trim_end_matches('/');
        let names_directories = of.len() < request.pattern.len();
        names_directories
            .then(|| format!("`{of}/` names directories; use `{of}/**` for the files in them"))
    };
    let in_brackets = || {
        let literal = literal_brackets(&request.pattern)?;
        let path = attempt(&|wider| literal.clone_into(&mut wider.pattern))?;
        let path = shown_name(&path);
        Some(format!(
            "`[` and `]` hold a set of characters; `{literal}` names them as they are and matches `{path}`"
        ))
    };
    let directory = || {
        let path = attempt(&|wider| {
            wider.kinds = Kinds {
                files: false,
                directories: true,
                links: false,
            };
        })?;
        let path = shown_name(&path);
        Some(format!(
            "`{path}` is a directory; use `{path}/**` for the files in it"
        ))
    };
    let found = directories()
        .or_else(in_brackets)
        .or_else(directory)
        .or_else(in_other_case)
        .or_else(hidden);
    found.into_iter().collect()
}

/// The pattern with its brackets as letters, as in the names `[id].tsx` and `app/[slug]`. Nothing where it has none, or has
/// them so already.
fn literal_brackets(pattern: &str) -> Option<String> {
    let is_plain = pattern.contains('[') && !pattern.contains('\\');
    is_plain.then(|| pattern.replace('[', "\\[").replace(']', "\\]"))
}

/// A pattern that names a place outside is refused as such a path would be; one that is absolute
/// although it may lie inside, for its form.
fn require_relative(pattern: &str) -> Result<(), ToolError> {
    let climbs = pattern
        .split(['/', '{', '}', ','])
        .chain(pattern.split('\\').filter(|_| cfg!(windows)))
        .any(|part| part == "..");
    let is_absolute = pattern.starts_with('/')
        || pattern.starts_with("~/")
        || std::path::Path::new(pattern).is_absolute();
    if !climbs && !is_absolute {
        return Ok(());
    }
    let what = if climbs {
        "leaves its directory with `..`"
    } else {
        "is absolute"
    };
    let message = format!(
        "The pattern `{pattern}` {what}, but only the workspace is searched. Use a relative pattern, such as `src/**/*.ts`."
    );
    Err(ToolError::new(ErrorCode::OutsideWorkspace, message).with("pattern", pattern))
}
