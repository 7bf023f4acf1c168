//! Search in the contents of files.

mod collect;

use std::ops::RangeInclusive;
use std::path::Path;

use crate::case_note::CaseNote;
use crate::collect::Collector;
use crate::directory::{self, Directory, Handle};
use crate::entries::Kind;
use crate::file_search::FileSearch;
use crate::listing::WalkSettings;
use crate::matcher::LineMatcher;
use crate::schedule::Ran;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
use crate::task::Task;
use crate::task::{Batch, Visitor};
use crate::{
    Compiled, Control, Facts, FileMatches, LongLines, Pattern, Scope, SearchError, Stopped, Totals,
    schedule,
};
use collect::MatchCollector;

/// Files that one task searches. Enough to make the cost of a task vanish, few enough for a directory
/// of thousands to keep all threads busy.
const FILES_PER_TASK: usize = 32;

/// What is reported of the files that match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GrepMode {
    /// Their lines.
    #[default]
    Lines,
    /// Only that they match (`rg --files-with-matches`). Each file is read up to its first match.
    Files,
    /// Which files do not match (`rg --files-without-match`).
    FilesWithout,
    /// How many lines match (`rg --count`), or with `only_matching` or in multiline mode how many
    /// matches there are (`rg --count-matches`).
    Counts,
}

/// A search in contents. [`GrepRequest::new`] asks for all matching lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepRequest {
    /// Where, and what is seen there.
    pub scope: Scope,
    /// What is looked for.
    pub pattern: Pattern,
    /// What is reported. Default: lines.
    pub mode: GrepMode,
    /// Lines of context before a match. Only with lines and without `only_matching`.
    pub before: usize,
    /// Lines of context after a match. Only with lines and without `only_matching`.
    pub after: usize,
    /// Each match by itself instead of its line (`rg --only-matching`).
    pub only_matching: bool,
    /// The lines that do not match (`rg --invert-match`).
    pub invert: bool,
    /// Skips the first ones, in the unit of `limit`.
    pub offset: usize,
    /// The most to report: matching lines in the mode for lines (matches with `only_matching` or in
    /// multiline mode), files in the others. Default: all.
    pub limit: Option<usize>,
    /// The most matching lines of one file (`rg --max-count`; matches in multiline mode). Default:
    /// all.
    pub max_per_file: Option<usize>,
    /// The most characters of a line. Default: all.
    pub max_columns: Option<usize>,
    /// Which part of a longer line is reported. Default: its head.
    pub long_lines: LongLines,
    /// Whether an answer without a match names a file with a match in another case, see
    /// [`GrepOutput::other_case`]. Default: no.
    pub notes_case: bool,
    /// Whether files with NUL bytes are searched like any other (`rg --text`). Otherwise, as in
    /// `rg`, a NUL byte ends the search of a file.
    pub text: bool,
    /// The numbers, from 1, of the lines in which a match has to begin. Default: all.
    pub lines: Option<RangeInclusive<u64>>,
    /// What the pattern was compiled to, shared by the clones of this request.
    pub compiled: Compiled,
}

impl GrepRequest {
    /// All lines in `scope` that match `pattern`.
    #[must_use]
    pub fn new(scope: Scope, pattern: Pattern) -> Self {
        Self {
            scope,
            pattern,
            mode: GrepMode::Lines,
            before: 0,
            after: 0,
            only_matching: false,
            invert: false,
            offset: 0,
            limit: None,
            max_per_file: None,
            max_columns: None,
            long_lines: LongLines::Head,
            notes_case: false,
            text: false,
            lines: None,
            compiled: Compiled::default(),
        }
    }

    /// Whether context is asked for where there can be some.
    pub(crate) fn shows_context(&self) -> bool {
        self.mode == GrepMode::Lines && !self.only_matching && (self.before > 0 || self.after > 0)
    }

    /// How many matches of one file can matter: those that are skipped, those that are reported, and
    /// one more that shows that there are more.
    pub(crate) fn bound(&self) -> u64 {
        match self.mode {
            // What stands outside of the lines that are wanted must not count.
            GrepMode::Lines if self.lines.is_none() => self.wanted(),
            _ => u64::MAX,
        }
    }

    /// The same for the whole answer, in the unit of the limit.
    pub(crate) fn wanted(&self) -> u64 {
        self.limit.map_or(u64::MAX, |limit| {
            (self.offset as u64)
                .saturating_add(limit as u64)
                .saturating_add(1)
        })
    }
}

impl GrepRequest {
    /// The request whose answer [`GrepOutput::newest_first`] takes: of up to `most` matches, without what was skipped.
    #[must_use]
    pub fn of_all(&self, most: usize) -> Self {
        let mut all = self.clone();
        all.offset = 0;
        all.limit = Some(most);
        all.scope.from = None;
        all
    }
}

/// The answer to a [`GrepRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepOutput {
    /// The files that there is something to report, in path order: bytewise by components, as
    /// `rg --sort path` has it.
    pub files: Vec<FileMatches>,
    /// How much there is in all.
    pub totals: Totals,
    /// Why the search ended early, if it did.
    pub stopped: Option<Stopped>,
    /// After a deadline: the [`Scope::from`] with which the same request goes on where this one
    /// ended. Nothing when the search did not get past the first directory, or was of one file.
    pub resume: Option<String>,
    /// Where nothing matched, with [`GrepRequest::notes_case`]: the first file that matches without regard to case. Only
    /// for plain texts within lines, and among files of up to 1 MiB.
    pub other_case: Option<String>,
    /// Where nothing matched, with [`GrepRequest::notes_case`]: which looser forms of the pattern need no search of their own.
    pub ruled_out: RuledOut,
    /// What was looked at and left out.
    pub facts: Facts,
}

impl GrepOutput {
    /// What `request` asks for of this answer, which has all matches: files that were changed last come first.
    #[must_use]
    pub fn newest_first(self, request: &GrepRequest) -> Self {
        let base = &request.scope.base;
        let changed = |file: &FileMatches| {
            let metadata = base.join(&file.path).symlink_metadata();
            metadata.and_then(|found| found.modified()).ok()
        };
        let mut files: Vec<_> = self
            .files
            .into_iter()
            .map(|file| (changed(&file), file))
            .collect();
        // Stable: files of one time stay in the order of their paths.
        files.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
        let mut collector = MatchCollector::new(request);
        let mut files = files.into_iter().map(|(_, file)| file);
        let is_cut = files
            .try_for_each(|file| collector.take_file(file))
            .is_break();
        Self {
            files: collector.into_output(None, None).files,
            stopped: self.stopped.or_else(|| is_cut.then_some(Stopped::Limit)),
            resume: None,
            ..self
        }
    }
}

/// Forms of an expression that are known to match nowhere either: each file was asked for them, or for a text that each of their
/// matches contains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuledOut {
    /// Without regard to case.
    pub other_case: bool,
    /// Without its anchors.
    pub without_anchors: bool,
    /// As a plain text.
    pub plain_text: bool,
}

/// Searches in contents. Blocks until it is done or `control` ends it.
///
/// # Errors
/// When the pattern, a glob or a type does not parse, when the root is neither a directory nor a
/// regular file or cannot be opened, and when the call is cancelled.
pub fn grep(request: &GrepRequest, control: &Control<'_>) -> Result<GrepOutput, SearchError> {
    let matcher = request.compiled.matcher(&request.pattern, !request.text)?;
    let root = &request.scope.root;
    let collector = MatchCollector::new(request);
    let note = CaseNote::new(request);
    if is_file(root) {
        let (collector, stopped) = grep_file(request, control, &matcher, note.as_ref(), collector)?;
        let ran = Ran {
            collector,
            stopped,
            front: None,
        };
        return Ok(reported(ran, request, note.as_ref(), true));
    }
    let visitor = GrepVisitor::new(request, control, matcher, note.as_ref());
    let walk = WalkSettings::new(&request.scope, open_root(root)?)?;
    let ran = schedule::run(&walk, request.scope.threads, &visitor, collector, control)?;
    Ok(reported(ran, request, note.as_ref(), true))
}

/// The same for the files of these tasks, which an index has chosen; `facts` of the rest.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn grep_selected(
    request: &GrepRequest,
    control: &Control<'_>,
    tasks: Vec<Task>,
    facts: Facts,
) -> Result<GrepOutput, SearchError> {
    let matcher = request.compiled.matcher(&request.pattern, !request.text)?;
    let scope = &request.scope;
    let note = CaseNote::new(request);
    let visitor = GrepVisitor::new(request, control, matcher, note.as_ref());
    let walk = WalkSettings::of_chosen(scope, open_root(&scope.root)?)?;
    let collector = MatchCollector::new(request);
    let mut ran = schedule::run_tasks(&walk, tasks, scope.threads, &visitor, collector, control)?;
    if ran.stopped.is_none() {
        ran.collector.facts += facts;
    }
    Ok(reported(ran, request, note.as_ref(), false))
}

/// `all`: not only the files that an index chose were searched.
fn reported(
    ran: Ran<MatchCollector>,
    request: &GrepRequest,
    note: Option<&CaseNote>,
    all: bool,
) -> GrepOutput {
    let front = ran.front.as_deref();
    let resume = front.and_then(|key| request.scope.cursor(key));
    let mut output = ran.collector.into_output(ran.stopped, resume);
    if output.totals.files == 0
        && let Some(note) = note
    {
        output.other_case = note.take();
        output.ruled_out = note.ruled_out(all);
    }
    output
}

/// Opens the root of a walk.
pub(crate) fn open_root(root: &Path) -> Result<Directory, SearchError> {
    let handle = Handle::open(root).map_err(|source| SearchError::Root {
        path: root.display().to_string(),
        source,
    })?;
    Ok(Directory {
        handle,
        path: directory::to_bytes(root),
        key: Vec::new(),
        depth: 0,
    })
}

fn is_file(root: &Path) -> bool {
    root.symlink_metadata()
        .is_ok_and(|metadata| !metadata.is_dir())
}

/// Searches one file that the caller named.
fn grep_file(
    request: &GrepRequest,
    control: &Control<'_>,
    matcher: &LineMatcher,
    note: Option<&CaseNote>,
    mut collector: MatchCollector,
) -> Result<(MatchCollector, Option<Stopped>), SearchError> {
    let root = &request.scope.root;
    let file = directory::open_file(root).map_err(|source| SearchError::Root {
        path: root.display().to_string(),
        source,
    })?;
    let mut batch = Batch::default();
    let mut search = FileSearch::new(request, control, matcher, true).noting(note);
    search.search(None, Ok(file), || request.scope.answer_root(), &mut batch);
    let is_enough = collector.take(batch).is_break();
    match control.halt() {
        Some(crate::control::Halt::Cancelled) => Err(SearchError::Cancelled),
        Some(crate::control::Halt::Deadline) => Ok((collector, Some(Stopped::Deadline))),
        None => Ok((collector, is_enough.then_some(Stopped::Limit))),
    }
}

struct GrepVisitor<'a> {
    request: &'a GrepRequest,
    control: &'a Control<'a>,
    matcher: LineMatcher,
    note: Option<&'a CaseNote>,
    prefix: Vec<u8>,
}

impl<'a> GrepVisitor<'a> {
    fn new(
        request: &'a GrepRequest,
        control: &'a Control<'a>,
        matcher: LineMatcher,
        note: Option<&'a CaseNote>,
    ) -> Self {
        Self {
            request,
            control,
            matcher,
            note,
            prefix: request.scope.answer_prefix_bytes(),
        }
    }
}

impl<'a> Visitor for GrepVisitor<'a> {
    type Worker = FileSearch<'a>;
    type Found = FileMatches;

    fn worker(&self) -> Self::Worker {
        FileSearch::new(self.request, self.control, &self.matcher, false).noting(self.note)
    }

    fn wants(&self, _directory: &Directory, _name: &[u8], kind: Kind) -> bool {
        matches!(kind, Kind::File | Kind::Directory)
    }

    fn enters(&self, _directory: &Directory, _name: &[u8]) -> bool {
        true
    }

    fn visit_length(&self) -> Option<usize> {
        Some(FILES_PER_TASK)
    }

    fn visit<'e>(
        &self,
        worker: &mut Self::Worker,
        directory: &Directory,
        entries: impl Iterator<Item = (&'e [u8], Kind)>,
        batch: &mut Batch<FileMatches>,
    ) {
        let bound = self.request.wanted();
        for (name, kind) in entries {
            if kind != Kind::File {
                continue;
            }
            if batch.weight >= bound {
                return;
            }
            if self.control.halt().is_some() {
                return batch.cut_at(directory.key_of(name));
            }
            let file = directory.handle.open_file(name, &directory.path);
            let path = || directory.answer(&self.prefix, name);
            worker.search(Some(&directory.handle), file, path, batch);
            if worker.was_cut() {
                return batch.cut_at(directory.key_of(name));
            }
        }
    }
}
