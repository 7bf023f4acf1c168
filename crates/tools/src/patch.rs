//! Applies a patch over one or several files, all of it or nothing.

mod exchange;
mod mode;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ChangeKind, ErrorCode, FileChange, Operation, Output, Preview, Tool, ToolContext,
    ToolError, limits,
};
use tenon_edit::{
    FileOperation, FilePatch, PatchError, Plan, TextDiff, parse_patch_beside, patch_path,
};
use tenon_workspace::{ChangeSet, Error, FileKind, FileSnapshot, Located, ModeChange, TextFile};

use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::delete::refuse_link;
use crate::edit::splices;
use crate::freshness::{FileFreshness, Note};
use crate::patch::exchange::Exchange;
use crate::patch::mode::{PERMISSIONS, git_line, modes, wanted_mode};
use crate::review::Review;
use crate::session::FileSession;

/// What to apply.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatchParams {
    /// The patch: an envelope (`*** Begin Patch` … `*** End Patch`) or a unified diff.
    #[schemars(length(min = 1))]
    pub patch: String,
    /// Report what would change without changing files. Default: false.
    pub dry_run: Option<bool>,
}

/// What was applied.
#[derive(Debug)]
pub struct PatchOutput {
    /// Whether files were changed; false for a dry run.
    pub applied: bool,
    /// Every file of the patch, in its order.
    pub files: Vec<PatchedFile>,
    /// All changes as one unified diff.
    pub diff: String,
    /// What may be wrong with it, in sentences.
    pub warnings: Vec<String>,
}

/// One file of a patch.
#[derive(Debug)]
pub struct PatchedFile {
    /// The file afterwards (before, for a deletion), as answers name it.
    pub path: String,
    /// What happens to it.
    pub kind: ChangeKind,
    /// Where it was before, for a move or copy.
    pub from: Option<String>,
    /// Hunks of the patch for this file.
    pub hunks: usize,
    /// Lines that are new.
    pub additions: usize,
    /// Lines that are gone.
    pub deletions: usize,
}

impl Output for PatchOutput {
    fn changes(&self) -> Vec<FileChange> {
        let files = self.files.iter().filter(|_| self.applied);
        files
            .map(|file| FileChange {
                path: file.path.clone(),
                kind: file.kind,
            })
            .collect()
    }
}

/// The patch operation.
#[derive(Debug)]
pub struct Patch {
    session: FileSession,
}

impl Patch {
    /// Patches the files of a session.
    #[must_use]
    pub const fn new(session: FileSession) -> Self {
        Self { session }
    }

    fn parsed(&self, text: &str) -> Result<tenon_edit::Patch, ToolError> {
        let is_file = |name: &str| {
            let found = self.session.workspace.locate(name).ok();
            let found = found.and_then(|located| located.peek().ok());
            found.is_some_and(|found| found.kind == FileKind::File)
        };
        parse_patch_beside(text, &is_file).map_err(refused)
    }
}

impl Tool for Patch {
    const OPERATION: Operation = Operation::Patch;
    type Params = PatchParams;
    type Plan = PatchPlan;
    type Output = PatchOutput;

    fn plan(&self, params: PatchParams) -> Result<(Access, PatchPlan), ToolError> {
        let mut access = Access::default();
        let mut files: Vec<FilePlan> = Vec::new();
        let mut by_target = HashMap::new();
        for patch in self.parsed(&params.patch)?.files {
            let source = patch
                .source()
                .map(|path| self.session.workspace.locate_existing(path))
                .transpose()?;
            let target = match &source {
                Some(source) if patch.source() == Some(patch.path()) => source.clone(),
                _ => self.session.workspace.locate(patch.path())?,
            };
            let claim = target.claim().clone();
            access
                .reads
                .extend(source.iter().map(|source| source.claim().clone()));
            match &patch.operation {
                FileOperation::Delete { .. } => access.deletes.push(claim),
                FileOperation::Move { .. } => {
                    access
                        .deletes
                        .extend(source.iter().map(|source| source.claim().clone()));
                    access.writes.push(claim);
                }
                FileOperation::Create { .. }
                | FileOperation::Update { .. }
                | FileOperation::Replace { .. }
                | FileOperation::Copy { .. } => access.writes.push(claim),
            }
            // The same file under another spelling of its path.
            let twin = by_target.get(target.target()).copied();
            let twin = twin.and_then(|at: usize| files.get_mut(at));
            let patch = match twin {
                Some(FilePlan { patch: twin, .. }) => twin.join(patch),
                None => Some(patch),
            };
            if let Some(patch) = patch {
                by_target.insert(target.target().to_owned(), files.len());
                files.push(FilePlan {
                    patch,
                    source,
                    target,
                });
            }
        }
        refuse_below_files(&files)?;
        Ok((
            access,
            PatchPlan {
                files,
                dry_run: params.dry_run.unwrap_or(false),
            },
        ))
    }

    fn preview(&self, plan: &PatchPlan) -> Result<Option<Preview>, ToolError> {
        let planned = Planned::of(plan, &self.session, &|| true)?;
        Ok(Some(preview(&planned.changes, planned.diff)))
    }

    async fn run(&self, plan: PatchPlan, context: ToolContext) -> Result<PatchOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            let planned = Planned::of(&plan, &session, &|| context.check().is_ok())?;
            let mut warnings = planned.warnings;
            let committed = match plan.dry_run {
                true => Vec::new(),
                false => commit(planned.changes, planned.notes, &session, context)?,
            };
            warnings.extend(planned.review.warnings());
            warnings.extend(committed);
            Ok(PatchOutput {
                applied: !plan.dry_run,
                files: planned.files,
                diff: planned.diff,
                warnings,
            })
        })
        .await
    }
}

/// A file that is to become a directory has to be gone before anything can be below it.
fn refuse_below_files(files: &[FilePlan]) -> Result<(), ToolError> {
    let is_left = |file: &&FilePlan| {
        matches!(
            file.patch.operation,
            FileOperation::Delete { .. } | FileOperation::Move { .. }
        )
    };
    for FilePlan { target, .. } in files {
        let mut left = files
            .iter()
            .filter(is_left)
            .filter_map(|file| file.source.as_ref());
        let is_above = |file: &&Located| {
            file.target() != target.target() && target.target().starts_with(file.target())
        };
        if let Some(above) = left.find(is_above) {
            let (path, above) = (target.name(), above.name());
            let message = format!(
                "`{path}` would be below `{above}`, which is a file as long as the patch is not applied. Nothing was changed. \
                 Use two patches: one that moves `{above}` to another name or deletes it, then one that puts `{path}` in its place."
            );
            return Err(ToolError::new(ErrorCode::NotADirectory, message).with("path", path));
        }
    }
    Ok(())
}

/// A parsed patch whose paths are located.
#[derive(Debug)]
pub struct PatchPlan {
    files: Vec<FilePlan>,
    dry_run: bool,
}

#[derive(Debug)]
struct FilePlan {
    patch: FilePatch,
    /// The file to read; nothing for a new one.
    source: Option<Located>,
    /// The file afterwards.
    target: Located,
}

/// The change set as it grows, and what will be reported of it.
#[derive(Default)]
struct Planned {
    changes: ChangeSet,
    notes: Vec<Note>,
    files: Vec<PatchedFile>,
    diff: String,
    warnings: Vec<String>,
    review: Review,
    exchange: Exchange,
}

impl Planned {
    /// Plans every file as long as `go_on` answers `true`.
    fn of(
        plan: &PatchPlan,
        session: &FileSession,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Self, ToolError> {
        let mut planned = Self {
            review: Review::new(session.rules),
            exchange: Exchange::of(&plan.files),
            ..Self::default()
        };
        for file in &plan.files {
            if !go_on() {
                return Err(ToolError::cancelled());
            }
            let old = file
                .source
                .as_ref()
                .map(|source| planned.exchange.read(source));
            match old {
                None => planned.create(&file.patch, &file.target)?,
                Some(Err(error))
                    if error.code == ErrorCode::NotFound && file.patch.fits_no_file() =>
                {
                    planned.create(&file.patch, &file.target)?;
                }
                Some(old) => planned.change(file, &old?, session, go_on)?,
            }
        }
        planned.review.permits()?;
        Ok(planned)
    }

    fn change(
        &mut self,
        file: &FilePlan,
        old: &FileSnapshot,
        session: &FileSession,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), ToolError> {
        let FilePlan { patch, target, .. } = file;
        let source = old.located();
        let knowledge = FileFreshness::of(session, old)?;
        let new = Rewritten::of(patch, old, &knowledge, go_on)?;
        self.warnings.extend(new.warning);
        let mode = wanted_mode(patch);
        let modes = modes(patch, old)?;
        let is_exchanged = self.exchange.has_part(source, target);
        let (kind, from) = match &patch.operation {
            // The lines of the patch were those of the file; without lines the file just goes.
            FileOperation::Delete { .. } => {
                refuse_link(source, "delete")?;
                knowledge.check_whole(old)?;
                self.notes.push(Note::Gone(source.clone()));
                self.changes.delete(old)?;
                (ChangeKind::Delete, None)
            }
            FileOperation::Move { .. } => {
                refuse_link(source, "move")?;
                if !self.exchange.is_taken(source) {
                    self.notes.push(Note::Gone(source.clone()));
                }
                self.notes.push(new.note.at(target));
                self.rename(old, target, new.bytes, (mode, modes.1))?;
                (ChangeKind::Move, Some(source))
            }
            FileOperation::Copy { .. } => {
                self.notes.push(new.note.at(target));
                // A copy may be run, and is kept from others, as its original.
                let mode = ModeChange::Exactly(modes.1 & PERMISSIONS);
                self.put(target, new.bytes, Some(mode))?;
                (ChangeKind::Create, Some(source))
            }
            FileOperation::Create { .. }
            | FileOperation::Update { .. }
            | FileOperation::Replace { .. } => {
                self.notes.push(new.note);
                self.changes.update_with_mode(old, new.bytes, mode)?;
                (ChangeKind::Update, None)
            }
        };
        if kind != ChangeKind::Create && kind != ChangeKind::Delete {
            self.report_header((source, target), modes, is_exchanged);
        }
        let Some(texts) = &new.texts else {
            self.report_binary(patch, target, kind, from);
            return Ok(());
        };
        let sides = texts.sides(kind);
        self.report(patch, target, kind, from, sides, texts.is_marked)
    }

    fn create(&mut self, patch: &FilePatch, target: &Located) -> Result<(), ToolError> {
        let text = patch.place("").map_err(refused)?.apply("");
        let mode = wanted_mode(patch);
        if mode == Some(ModeChange::Executable(true)) {
            self.diff.push_str(&git_line((target, target)));
            self.diff.push_str("new file mode 100755\n");
        }
        self.report(patch, target, ChangeKind::Create, None, ("", &text), false)?;
        self.notes
            .push(Note::whole(target, text.as_bytes(), Some(&text)));
        self.put(target, text.into_bytes(), mode)
    }

    fn report(
        &mut self,
        file: &FilePatch,
        to: &Located,
        kind: ChangeKind,
        from: Option<&Located>,
        (before, after): (&str, &str),
        is_marked: bool,
    ) -> Result<(), ToolError> {
        let change = TextDiff::new(before, after).marked(is_marked);
        let path = to.name();
        if kind != ChangeKind::Delete {
            self.warnings
                .extend(self.review.of(path, before, after, &change)?);
        }
        let source = from.map_or(path, Located::name);
        let before_name = if kind == ChangeKind::Create {
            "/dev/null".to_owned()
        } else {
            patch_path(&format!("a/{source}"))
        };
        let after_name = if kind == ChangeKind::Delete {
            "/dev/null".to_owned()
        } else {
            patch_path(&format!("b/{path}"))
        };
        let room = limits::DIFF_MAX_BYTES.saturating_sub(self.diff.len());
        self.diff.push_str(&change.unified_within(
            &before_name,
            &after_name,
            limits::DIFF_CONTEXT_LINES,
            room,
        ));
        let lines = (change.additions(), change.deletions());
        self.files
            .push(PatchedFile::new(file, to, kind, from, lines));
        Ok(())
    }

    /// Reports a file that is not text. Where it stays or gets another name, there is no more to say than for a text.
    fn report_binary(
        &mut self,
        file: &FilePatch,
        to: &Located,
        kind: ChangeKind,
        from: Option<&Located>,
    ) {
        if kind == ChangeKind::Delete {
            let name = patch_path(&format!("a/{}", to.name()));
            self.diff
                .push_str(&format!("Binary files {name} and /dev/null differ\n"));
        }
        self.files
            .push(PatchedFile::new(file, to, kind, from, (0, 0)));
    }
}

impl PatchedFile {
    fn new(
        file: &FilePatch,
        to: &Located,
        kind: ChangeKind,
        from: Option<&Located>,
        (additions, deletions): (usize, usize),
    ) -> Self {
        Self {
            path: to.name().to_owned(),
            kind,
            from: from.map(|from| from.name().to_owned()),
            hunks: file.hunks.len(),
            additions,
            deletions,
        }
    }
}

/// A text before and afterwards.
struct Texts {
    before: String,
    after: String,
    /// Whether the file has a byte order mark, which is in neither.
    is_marked: bool,
}

impl Texts {
    /// What is compared: a copy is new, and what goes leaves nothing.
    fn sides(&self, kind: ChangeKind) -> (&str, &str) {
        match kind {
            ChangeKind::Create => ("", &self.after),
            ChangeKind::Delete => (&self.before, ""),
            ChangeKind::Update | ChangeKind::Move => (&self.before, &self.after),
        }
    }
}

/// What a file becomes.
struct Rewritten {
    bytes: Vec<u8>,
    note: Note,
    /// Nothing where it is not text.
    texts: Option<Texts>,
    /// What the patch says and was not done.
    warning: Option<String>,
}

impl Rewritten {
    /// By the hunks of a patch. Without any the file need not be text.
    fn of(
        patch: &FilePatch,
        old: &FileSnapshot,
        knowledge: &FileFreshness<'_>,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Self, ToolError> {
        let text = match old.decode() {
            Err(Error::Binary { .. } | Error::Encoding { .. }) if patch.hunks.is_empty() => {
                // Of the text nothing counts here but whether there is one.
                patch
                    .place(&String::from_utf8_lossy(old.bytes()))
                    .map_err(refused)?;
                return Ok(Self {
                    bytes: old.bytes().to_vec(),
                    note: Note::whole(old.located(), old.bytes(), None),
                    texts: None,
                    warning: None,
                });
            }
            decoded => decoded?,
        };
        let mut plan = place(patch, &text, knowledge, go_on)?;
        plan.keep_mark(text.encoding().has_bom());
        let after = plan.apply(text.text());
        let bytes = text.splice(&splices(&plan))?;
        let keeps_mark = text.encoding().has_bom() && patch.drops_mark();
        let path = old.located().name();
        let warning = keeps_mark.then(|| format!("`{path}` keeps its byte order mark."));
        Ok(Self {
            warning,
            note: knowledge.after(&text, &plan, &bytes, &after),
            bytes,
            texts: Some(Texts {
                before: text.text().to_owned(),
                after,
                is_marked: text.encoding().has_bom(),
            }),
        })
    }
}

/// Where the hunks go, if nothing that the session does not know stands in their way.
fn place(
    patch: &FilePatch,
    old: &TextFile,
    knowledge: &FileFreshness<'_>,
    go_on: &dyn Fn() -> bool,
) -> Result<Plan, ToolError> {
    match patch.place_while(old.text(), go_on) {
        Err(PatchError::Stopped) => Err(ToolError::cancelled()),
        Ok(plan) => {
            match patch.operation {
                FileOperation::Replace { .. } => {
                    refuse_link(old.snapshot().located(), "replace")?;
                    knowledge.check_whole(old.snapshot())?;
                }
                _ => knowledge.check(old, &plan)?,
            }
            Ok(plan)
        }
        Err(error) => {
            // A deletion fits no text but the whole one.
            if matches!(
                error,
                PatchError::OtherContent { .. } | PatchError::NotEmpty { .. }
            ) {
                knowledge.check_whole(old.snapshot())?;
            }
            let is_missing = matches!(
                error,
                PatchError::NotFound { .. } | PatchError::Unclear { .. }
            );
            Err(knowledge.explain(old, refused(error), |known| {
                is_missing.then(|| patch.place(known).ok())?
            }))
        }
    }
}

/// Nothing of a patch is applied when a part of it cannot be.
fn refused(error: PatchError) -> ToolError {
    let code = match &error {
        PatchError::NotFound { .. }
        | PatchError::OtherContent { .. }
        | PatchError::NotEmpty { .. } => ErrorCode::NoMatch,
        PatchError::Ambiguous { .. } | PatchError::OtherLine { .. } => ErrorCode::NotUnique,
        PatchError::AlreadyApplied { .. }
        | PatchError::OnlyMark { .. }
        | PatchError::NoChange { .. } => ErrorCode::NoChange,
        PatchError::Exists { .. } => ErrorCode::AlreadyExists,
        PatchError::Binary { .. } => ErrorCode::BinaryFile,
        _ => ErrorCode::Syntax,
    };
    ToolError::new(code, format!("Nothing was changed: {error}"))
}

#[cfg(test)]
mod tests {
    use tenon_workspace::{Journal, JournalOptions, Workspace};

    use super::*;
    use crate::session::EditRules;

    #[test]
    fn updates_of_one_file_under_several_spellings_are_made_one_after_the_other() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("a")).unwrap();
        std::fs::write(root.join("a/f"), "one\ntwo\nthree\n").unwrap();
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let journal = Journal::new(JournalOptions::default());
        let patch = Patch::new(FileSession::new(workspace, journal, EditRules::default()));
        let absolute = root.join("a/f").display().to_string();
        for other in ["./a/f", "a/../a/f", &absolute, "a/f"] {
            let text = format!(
                "*** Begin Patch\n*** Update File: a/f\n@@\n-one\n+1\n*** Update File: {other}\n@@\n-three\n+3\n*** End Patch\n"
            );
            let params = PatchParams {
                patch: text,
                dry_run: None,
            };
            let (_, plan) = patch.plan(params).unwrap();
            let planned = Planned::of(&plan, &patch.session, &|| true);
            let planned = planned.unwrap_or_else(|error| panic!("{other}: {error}"));
            let after: Vec<_> = planned
                .changes
                .preview()
                .map(|change| change.new.map(<[u8]>::to_vec))
                .collect();
            assert_eq!(after, [Some(b"1\ntwo\n3\n".to_vec())], "{other}");
        }
    }
}
