//! Searches the content of files with ripgrep's own matching.

mod near;

use std::path::Path;
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_search::{
    Case, Control, Facts, FileMatches, GrepRequest, Index, LongLines, Pattern, Progress, RuledOut,
    Scope, Stopped, Totals,
};
use tenon_workspace::{Located, Workspace};

use self::near::{LooserForms, near};
use crate::blocking::blocking;
use crate::find::FindOrder;
use crate::outputs::{
    NamedLines, Outputs, access_to, is_address, lines_of, past_the_end, with_lines,
};
use crate::searching::{self, SearchSettings, explained_by};
use crate::visible::{KeptBack, path_filter};

/// What to search.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepParams {
    /// Regular expression, such as `fn \w+_test`.
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// File or directory to search, absolute or relative to the workspace. Default: the workspace.
    pub path: Option<String>,
    /// Only files that match this glob, such as `*.ts` or `!*.min.js`.
    pub glob: Option<String>,
    /// Only files that match one of these globs. Default: all files.
    pub globs: Option<Vec<String>>,
    /// Only files of this ripgrep type: `rust`, `ts`, `py`, ….
    #[serde(rename = "type")]
    pub file_type: Option<String>,
    /// Ignore case. Default: false.
    pub ignore_case: Option<bool>,
    /// Search for plain text. Default: false.
    pub literal: Option<bool>,
    /// Let the pattern span lines; `.` then matches line ends. Default: false.
    pub multiline: Option<bool>,
    /// Lines of context around each match. Default: 0.
    pub context: Option<u64>,
    /// Lines of context before each match.
    pub before: Option<u64>,
    /// Lines of context after each match.
    pub after: Option<u64>,
    /// What to return. Default: `content`.
    pub mode: Option<GrepMode>,
    /// Show line numbers. Default: true.
    pub line_numbers: Option<bool>,
    /// Show each match by itself instead of its line. Default: false.
    pub only_matching: Option<bool>,
    /// Skip this many results. Default: 0.
    pub offset: Option<u64>,
    /// Continue after a timed-out search: the cursor that its notice names.
    pub cursor: Option<String>,
    /// Maximum number of results. Default: 100.
    pub limit: Option<u64>,
    /// Order of the files. Default: `path`.
    pub order: Option<FindOrder>,
    /// Also search what ignore files exclude. Default: false.
    pub ignored: Option<bool>,
    /// Count beyond the limit, so that the totals are exact. Default: false.
    pub count_all: Option<bool>,
    /// Search for a pattern that is not a valid regular expression as plain text. Default: false; it is refused.
    pub literal_if_invalid: Option<bool>,
}

/// What a search answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepMode {
    /// Matching lines.
    Content,
    /// Paths of files with a match.
    FilesWithMatches,
    /// Number of matching lines per file.
    Count,
}

/// What was found.
#[derive(Debug)]
pub struct GrepOutput {
    /// The file or directory that was searched, as answers name it.
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
    /// Where to go on when time ran out.
    pub cursor: Option<String>,
    /// What was seen and left out on the way.
    pub facts: Facts,
    /// The limit that held; nothing when there was none.
    pub limit: Option<usize>,
    /// Results skipped.
    pub offset: usize,
    /// Whether case mattered, for advice when nothing was found.
    pub ignore_case: bool,
    /// Whether the pattern was taken as plain text only because it is no regular expression.
    pub fell_back: bool,
    /// The glob that files had to match.
    pub glob: Option<String>,
    /// Where nothing matched: what would have, in phrases.
    pub near: Vec<String>,
    /// The parameter that would have found it.
    pub near_by: Option<&'static str>,
    /// What rules kept back.
    pub kept_back: Option<KeptBack>,
}

impl Output for GrepOutput {
    fn shown_files(&self) -> Vec<String> {
        match self.mode {
            GrepMode::Content => self.files.iter().map(|file| file.path.clone()).collect(),
            GrepMode::FilesWithMatches | GrepMode::Count => Vec::new(),
        }
    }
}

/// The grep operation.
#[derive(Debug)]
pub struct Grep {
    workspace: Workspace,
    outputs: Outputs,
    settings: SearchSettings,
}

impl Grep {
    /// Searches within `workspace`, and `outputs` by their address.
    #[must_use]
    pub fn new(workspace: Workspace, settings: SearchSettings, outputs: Outputs) -> Self {
        Self {
            workspace,
            outputs,
            settings,
        }
    }
}

/// A located file or directory and what to search in it.
#[derive(Debug)]
pub struct GrepPlan {
    root: Located,
    params: GrepParams,
    /// Whether it is an output of a command that is searched.
    is_output: bool,
    /// The lines of it that its address names.
    lines: Option<NamedLines>,
}

impl Tool for Grep {
    const OPERATION: Operation = Operation::Grep;
    type Params = GrepParams;
    type Plan = GrepPlan;
    type Output = GrepOutput;

    fn plan(&self, mut params: GrepParams) -> Result<(Access, GrepPlan), ToolError> {
        take_output(&mut params);
        let path = params.path.as_deref().unwrap_or(".");
        let output = self.outputs.find(path).transpose()?;
        let is_output = output.is_some();
        let (_, lines) = with_lines(path);
        let (access, root) = match output {
            Some(output) => (access_to(&output), output),
            None => {
                let root = self.workspace.locate_existing(path)?;
                (Access::reading(root.claim().clone()), root)
            }
        };
        let plan = GrepPlan {
            root,
            lines,
            params,
            is_output,
        };
        Ok((access, plan))
    }

    async fn run(&self, plan: GrepPlan, context: ToolContext) -> Result<GrepOutput, ToolError> {
        let settings = self.settings.clone();
        blocking(context, move |context| search(plan, settings, context)).await
    }
}

/// Vocabularies without a path name an output where others name files: as the only glob.
fn take_output(params: &mut GrepParams) {
    let only = match params.globs.as_deref() {
        Some([only]) if params.path.is_none() && is_address(only) => only.clone(),
        _ => return,
    };
    params.path = Some(only);
    params.globs = None;
}

/// Searches on the calling thread.
fn search(
    plan: GrepPlan,
    mut settings: SearchSettings,
    context: &ToolContext,
) -> Result<GrepOutput, ToolError> {
    let GrepPlan {
        root,
        params,
        is_output,
        lines,
    } = plan;
    root.metadata()?;
    let workspace = root.workspace();
    let mut request = request(workspace, root.target(), &params);
    if is_output {
        as_output(&mut request, lines);
        settings.index = Index::off();
    } else {
        request.scope.path_filter = path_filter(context, workspace);
        request.scope.same_file_system = settings.same_file_system;
    }
    let fell_back = params.literal_if_invalid.unwrap_or(false)
        && !request.pattern.literal
        && request.pattern.check().is_err();
    request.pattern.literal |= fell_back;
    let teller = Reporter {
        params: &params,
        request: &request,
        root: root.name(),
        is_output,
        fell_back,
    };
    let listener = |progress: &Progress<'_>| context.publish(|| teller.output(so_far(progress)));
    let started = Instant::now();
    let deadline = settings.deadline();
    let control = Control {
        progress: Some(&listener),
        ..searching::control(context, deadline)
    };
    let index = &settings.index;
    let mut found = in_order(params.order, &request, index, &control)?;
    if params.count_all.unwrap_or(false) && found.stopped == Some(Stopped::Limit) {
        found.totals = count(&request, found.totals, index, &control)?;
    }
    let is_empty = found.files.is_empty()
        && found.totals.matches == 0
        && found.stopped != Some(Stopped::Deadline);
    if let Some(lines) = lines.filter(|_| is_empty) {
        check_lines(&root, lines)?;
    }
    let seen = LooserForms::of(&mut found);
    let mut output = teller.output(found);
    output.kept_back = KeptBack::of(context, &output.facts);
    if is_empty {
        let control = searching::control(context, explained_by(started, &output.facts));
        let shown = is_output.then(|| root.name());
        (output.near, output.near_by) = near((&request, shown), seen, index, &control);
    }
    Ok(output)
}

/// That nothing is found behind the end of an output says nothing.
fn check_lines(output: &Located, named: NamedLines) -> Result<(), ToolError> {
    let lines = lines_of(output)?;
    if named.first > lines {
        return Err(past_the_end(output.name(), named.first, lines));
    }
    Ok(())
}

/// An output is one file, of which no rule and no ignore file says anything, and a command may print a NUL.
fn as_output(request: &mut GrepRequest, lines: Option<NamedLines>) {
    request.scope.ignore_files = false;
    request.text = true;
    request.lines = lines.map(|lines| lines.first..=lines.last);
    // What is noted on the way may be anywhere in the output.
    request.notes_case &= lines.is_none();
    if !request.pattern.multiline {
        request.scope.max_file_bytes = None;
    }
}

/// Of files that were changed last first, all are searched: where the newest are is not known before.
fn in_order(
    order: Option<FindOrder>,
    request: &GrepRequest,
    index: &Index,
    control: &Control<'_>,
) -> Result<tenon_search::GrepOutput, ToolError> {
    if order != Some(FindOrder::Modified) {
        return Ok(index.grep(request, control)?);
    }
    let all = index.grep(&request.of_all(limits::RESULTS_MAX), control)?;
    Ok(all.newest_first(request))
}

/// What was found up to now.
fn so_far(progress: &Progress<'_>) -> tenon_search::GrepOutput {
    tenon_search::GrepOutput {
        files: progress.files.to_vec(),
        totals: progress.totals,
        stopped: None,
        resume: None,
        other_case: None,
        ruled_out: RuledOut::default(),
        facts: progress.facts,
    }
}

/// The globs that files have to match, as one text.
fn glob_of(params: &GrepParams) -> Option<String> {
    let listed = params.globs.iter().flatten();
    let globs: Vec<&str> = params
        .glob
        .iter()
        .chain(listed)
        .map(String::as_str)
        .collect();
    (!globs.is_empty()).then(|| globs.join("`, `"))
}

/// The exact totals of a search that a limit ended. Only numbers are kept on the way.
fn count(
    request: &GrepRequest,
    least: Totals,
    index: &Index,
    control: &Control<'_>,
) -> Result<Totals, ToolError> {
    let mut request = request.clone();
    request.offset = 0;
    request.limit = None;
    request.notes_case = false;
    if request.mode == tenon_search::GrepMode::Lines {
        request.mode = tenon_search::GrepMode::Counts;
    }
    let control = Control {
        progress: None,
        ..control.clone()
    };
    let counted = index.grep(&request, &control)?.totals;
    // Files may have changed between the two searches.
    Ok(Totals {
        matches: counted.matches.max(least.matches),
        files: counted.files.max(least.files),
        exact: counted.exact,
    })
}

/// A glob that begins at the workspace, counted from the directory that is searched: `rg -g 'src/*.ts' x src` counts from where it runs,
/// and models that know it write both.
fn from_searched(glob: &str, searched: &Path) -> Option<String> {
    let (sign, body) = match glob.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", glob),
    };
    let names: Vec<_> = searched.iter().map(|name| name.to_string_lossy()).collect();
    let inside = body.strip_prefix("./").unwrap_or(body);
    let rest = inside.strip_prefix(&names.join("/"))?.strip_prefix('/')?;
    let is_one = !names.is_empty() && !rest.is_empty();
    is_one.then(|| format!("{sign}/{rest}"))
}

fn request(workspace: &Workspace, root: &Path, params: &GrepParams) -> GrepRequest {
    let count =
        |value: Option<u64>| value.map_or(0, |value| usize::try_from(value).unwrap_or(usize::MAX));
    let mut pattern = Pattern::new(params.pattern.clone());
    pattern.literal = params.literal.unwrap_or(false);
    pattern.multiline = params.multiline.unwrap_or(false);
    if params.ignore_case.unwrap_or(false) {
        pattern.case = Case::Insensitive;
    }
    let mut scope = Scope::new(workspace.root(), root);
    let listed = params.globs.iter().flatten();
    let searched = root.strip_prefix(workspace.root()).unwrap_or(Path::new(""));
    let both = |glob: &String| {
        let counted = from_searched(glob, searched);
        std::iter::once(glob.clone()).chain(counted)
    };
    scope.globs = params.glob.iter().chain(listed).flat_map(both).collect();
    scope.types = params.file_type.iter().cloned().collect();
    scope.from.clone_from(&params.cursor);
    scope.ignore_files = !params.ignored.unwrap_or(false);
    let mut request = GrepRequest::new(scope, pattern);
    request.mode = match params.mode.unwrap_or(GrepMode::Content) {
        GrepMode::Content => tenon_search::GrepMode::Lines,
        GrepMode::FilesWithMatches => tenon_search::GrepMode::Files,
        GrepMode::Count => tenon_search::GrepMode::Counts,
    };
    // In the other modes it would count matches where lines are counted.
    request.only_matching =
        params.only_matching.unwrap_or(false) && request.mode == tenon_search::GrepMode::Lines;
    request.before = count(params.before.or(params.context));
    request.after = count(params.after.or(params.context));
    request.offset = count(params.offset);
    // 0 asks for everything, as users of head_limit know it.
    request.limit = Some(
        match params.limit {
            Some(0) => limits::RESULTS_MAX,
            Some(limit) => usize::try_from(limit).unwrap_or(usize::MAX),
            None => limits::GREP_DEFAULT_MATCHES,
        }
        .min(limits::RESULTS_MAX),
    );
    request.max_columns = Some(limits::GREP_LINE_MAX_CHARACTERS);
    request.long_lines = LongLines::AroundMatch;
    request.notes_case = true;
    request
}

/// What an answer says beside what was found.
struct Reporter<'a> {
    params: &'a GrepParams,
    request: &'a GrepRequest,
    root: &'a str,
    is_output: bool,
    fell_back: bool,
}

impl Reporter<'_> {
    fn output(&self, mut found: tenon_search::GrepOutput) -> GrepOutput {
        let params = self.params;
        if self.is_output {
            // Its file is nobody's business.
            for file in &mut found.files {
                self.root.clone_into(&mut file.path);
            }
        }
        GrepOutput {
            root: self.root.to_owned(),
            pattern: params.pattern.clone(),
            mode: params.mode.unwrap_or(GrepMode::Content),
            line_numbers: params.line_numbers.unwrap_or(true),
            files: found.files,
            totals: found.totals,
            stopped: found.stopped,
            cursor: found.resume,
            facts: found.facts,
            limit: self.request.limit,
            offset: self.request.offset,
            ignore_case: params.ignore_case.unwrap_or(false),
            fell_back: self.fell_back,
            glob: glob_of(params),
            near: Vec::new(),
            near_by: None,
            kept_back: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn with_output_taken(params: Value) -> (Option<String>, Option<Vec<String>>) {
        let mut params: GrepParams = serde_json::from_value(params).unwrap();
        take_output(&mut params);
        (params.path, params.globs)
    }

    #[test]
    fn a_glob_from_the_workspace_counts_from_the_searched_directory_too() {
        let from = |glob: &str, searched: &str| from_searched(glob, Path::new(searched));
        assert_eq!(from("src/**/*.ts", "src").as_deref(), Some("/**/*.ts"));
        assert_eq!(from("!./a/b/gen/**", "a/b").as_deref(), Some("!/gen/**"));
        for (glob, searched) in [
            ("*.ts", "src"),
            ("srcs/*.ts", "src"),
            ("src/", "src"),
            ("/x", ""),
        ] {
            assert_eq!(from(glob, searched), None, "{glob}");
        }
    }

    #[test]
    fn the_address_of_an_output_is_a_path_where_it_is_the_only_glob() {
        let address = "output://1".to_owned();
        let only = json!({ "pattern": "x", "globs": ["output://1"] });
        assert_eq!(with_output_taken(only), (Some(address.clone()), None));
        let several = json!({ "pattern": "x", "globs": ["output://1", "*.rs"] });
        let globs = vec![address.clone(), "*.rs".to_owned()];
        assert_eq!(with_output_taken(several), (None, Some(globs)));
        let below = json!({ "pattern": "x", "path": "src", "globs": ["output://1"] });
        let path = Some("src".to_owned());
        assert_eq!(with_output_taken(below), (path, Some(vec![address])));
    }
}
