//! Searches the content of files with ripgrep's own matching.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_search::{
    Case, Control, Facts, FileMatches, GrepRequest, Pattern, Progress, Scope, Stopped, Totals, grep,
};
use tenon_workspace::{Located, Workspace};

use crate::blocking::blocking;
use crate::visible::veil;

/// What to search.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepParams {
    /// Regular expression in ripgrep's syntax.
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// File or folder to search, absolute or relative to the workspace. Default: the workspace.
    pub path: Option<String>,
    /// Only files that match this glob, such as `*.ts` or `!*.min.js`.
    pub glob: Option<String>,
    /// Only files of this type, by ripgrep's names: `rust`, `ts`, `py`, ….
    #[serde(rename = "type")]
    pub file_type: Option<String>,
    /// Search without regard to case. Default: false.
    pub ignore_case: Option<bool>,
    /// Take the pattern as plain text. Default: false.
    pub literal: Option<bool>,
    /// Let the pattern span lines; `.` then matches line ends too. Default: false.
    pub multiline: Option<bool>,
    /// Lines to show before and after each match. Default: 0.
    pub context: Option<u64>,
    /// Lines to show before each match. Default: `context`.
    pub before: Option<u64>,
    /// Lines to show after each match. Default: `context`.
    pub after: Option<u64>,
    /// What to answer. Default: `content`.
    pub mode: Option<GrepMode>,
    /// Show line numbers. Default: true.
    pub line_numbers: Option<bool>,
    /// Skip this many results. Default: 0.
    pub offset: Option<u64>,
    /// Most results to answer: matching lines, or files in the other modes. Default: 100.
    pub limit: Option<u64>,
}

/// What a search answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepMode {
    /// Matching lines.
    Content,
    /// Names of files with a match.
    FilesWithMatches,
    /// Number of matching lines a file.
    Count,
}

/// What was found.
#[derive(Debug)]
pub struct GrepOutput {
    /// The file or folder that was searched, as answers name it.
    pub root: String,
    /// The pattern.
    pub pattern: String,
    /// What was asked for.
    pub mode: GrepMode,
    /// Whether line numbers are shown.
    pub line_numbers: bool,
    /// Files with something to show, by path.
    pub files: Vec<FileMatches>,
    /// How much matched; lower bounds unless `exact`.
    pub totals: Totals,
    /// Why the search ended before the whole tree was seen.
    pub stopped: Option<Stopped>,
    /// What was seen and left out on the way.
    pub facts: Facts,
    /// The limit that held; nothing when there was none.
    pub limit: Option<usize>,
    /// Results skipped.
    pub offset: usize,
    /// Whether case mattered, for advice when nothing was found.
    pub ignore_case: bool,
    /// The glob that files had to match.
    pub glob: Option<String>,
}

impl Output for GrepOutput {}

/// The grep operation.
#[derive(Debug)]
pub struct Grep {
    workspace: Workspace,
}

impl Grep {
    /// Searches within `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

/// A located file or folder and what to search in it.
#[derive(Debug)]
pub struct GrepPlan {
    root: Located,
    params: GrepParams,
}

impl Tool for Grep {
    const OPERATION: Operation = Operation::Grep;
    type Params = GrepParams;
    type Plan = GrepPlan;
    type Output = GrepOutput;

    fn plan(&self, params: GrepParams) -> Result<(Access, GrepPlan), ToolError> {
        let root = self
            .workspace
            .locate(params.path.as_deref().unwrap_or("."))?;
        Ok((
            Access::reading(root.claim().clone()),
            GrepPlan { root, params },
        ))
    }

    async fn run(&self, plan: GrepPlan, context: ToolContext) -> Result<GrepOutput, ToolError> {
        let workspace = self.workspace.clone();
        blocking(context, move |context| {
            let GrepPlan { root, params } = plan;
            root.metadata()?;
            let mut request = request(&workspace, root.target(), &params);
            request.scope.veil = veil(context, &workspace);
            let request = request;
            let listener = |progress: &Progress<'_>| {
                context.publish(|| {
                    output(
                        &params,
                        &request,
                        root.name(),
                        progress.files.to_vec(),
                        progress.totals,
                        progress.facts,
                        None,
                    )
                });
            };
            let control = Control {
                cancellation: Some(context.cancellation().clone()),
                progress: Some(&listener),
                ..Control::default()
            };
            let found = grep(&request, &control)?;
            Ok(output(
                &params,
                &request,
                root.name(),
                found.files,
                found.totals,
                found.facts,
                found.stopped,
            ))
        })
        .await
    }
}

fn request(workspace: &Workspace, root: &std::path::Path, params: &GrepParams) -> GrepRequest {
    let count =
        |value: Option<u64>| value.map_or(0, |value| usize::try_from(value).unwrap_or(usize::MAX));
    let mut pattern = Pattern::new(params.pattern.clone());
    pattern.literal = params.literal.unwrap_or(false);
    pattern.multiline = params.multiline.unwrap_or(false);
    if params.ignore_case.unwrap_or(false) {
        pattern.case = Case::Insensitive;
    }
    let mut scope = Scope::new(workspace.root(), root);
    scope.globs = params.glob.iter().cloned().collect();
    scope.types = params.file_type.iter().cloned().collect();
    let mut request = GrepRequest::new(scope, pattern);
    request.mode = match params.mode.unwrap_or(GrepMode::Content) {
        GrepMode::Content => tenon_search::GrepMode::Lines,
        GrepMode::FilesWithMatches => tenon_search::GrepMode::Files,
        GrepMode::Count => tenon_search::GrepMode::Counts,
    };
    request.before = count(params.before.or(params.context));
    request.after = count(params.after.or(params.context));
    request.offset = count(params.offset);
    // 0 asks for everything, as users of head_limit know it.
    request.limit = match params.limit {
        Some(0) => None,
        Some(limit) => Some(usize::try_from(limit).unwrap_or(usize::MAX)),
        None => Some(limits::GREP_DEFAULT_MATCHES),
    };
    request.max_columns = Some(limits::GREP_LINE_MAX_CHARACTERS);
    request
}

fn output(
    params: &GrepParams,
    request: &GrepRequest,
    root: &str,
    files: Vec<FileMatches>,
    totals: Totals,
    facts: Facts,
    stopped: Option<Stopped>,
) -> GrepOutput {
    GrepOutput {
        root: root.to_owned(),
        pattern: params.pattern.clone(),
        mode: params.mode.unwrap_or(GrepMode::Content),
        line_numbers: params.line_numbers.unwrap_or(true),
        files,
        totals,
        stopped,
        facts,
        limit: request.limit,
        offset: request.offset,
        ignore_case: params.ignore_case.unwrap_or(false),
        glob: params.glob.clone(),
    }
}
