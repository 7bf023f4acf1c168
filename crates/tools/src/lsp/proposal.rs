//! What a server proposes to change, as changes of files: worked out once, held, and made exactly so or not at all.

use tenon_contract::{Access, ChangeKind, ErrorCode, ToolError, limits};
use tenon_edit::{Plan, Splice, TextDiff, patch_path};
use tenon_lsp::{Encoding, LineText, Proposal, ProposedChange, Span};
use tenon_syntax::{Budget, Language, first_misnamed};
use tenon_workspace::{ChangeSet, Located, TextFile, Workspace, read_text};

use super::facts::{ChangedFileFact, ChangesFact};
use crate::edit::splices;
use crate::freshness::{FileFreshness, Note};
use crate::review::Review;
use crate::session::FileSession;

/// One file of a proposal, after all steps that concern it.
#[derive(Debug)]
struct ProposedFile {
    /// As it was read when the proposal came; nothing for a new file.
    old: Option<TextFile>,
    /// Where it is before (of a new one: afterwards).
    place: Located,
    /// Where it will be, if elsewhere.
    to: Option<Located>,
    /// The text afterwards; nothing when the file goes.
    text: Option<String>,
    /// The replacements that lead there, when one list of them does.
    plan: Option<Plan>,
}

/// The files of a proposal.
#[derive(Debug)]
pub(super) struct Steps(Vec<ProposedFile>);

/// The changes as they will be made, and what will be reported of them.
pub(super) struct Draft {
    pub(super) changes: ChangeSet,
    pub(super) notes: Vec<Note>,
    pub(super) reported: ChangesFact,
    review: Review,
}

impl Steps {
    /// Reads every file that a proposal names and works out its new text. All or nothing.
    ///
    /// # Errors
    /// Paths that lead out of the workspace, files that cannot be read, places that are not in them.
    pub(super) fn of(
        workspace: &Workspace,
        proposal: &Proposal,
        new_name: Option<&str>,
    ) -> Result<Self, ToolError> {
        let mut steps = Self(Vec::new());
        for change in &proposal.changes {
            steps.take(workspace, proposal, change, new_name)?;
        }
        steps.0.retain(|step| !step.is_idle());
        if steps.0.is_empty() {
            let message = format!(
                "Nothing was changed: {} proposes no changes.",
                proposal.server
            );
            return Err(ToolError::new(ErrorCode::NoChange, message));
        }
        Ok(steps)
    }

    /// The change of one file that was read.
    pub(super) fn of_plan(old: TextFile, plan: Plan) -> Self {
        let place = old.snapshot().located().clone();
        let text = plan.apply(old.text());
        Self(vec![ProposedFile {
            old: Some(old),
            place,
            to: None,
            text: Some(text),
            plan: Some(plan),
        }])
    }

    fn take(
        &mut self,
        workspace: &Workspace,
        proposal: &Proposal,
        change: &ProposedChange,
        new_name: Option<&str>,
    ) -> Result<(), ToolError> {
        let locate = |path: &std::path::Path| {
            let located = workspace.locate(&path.to_string_lossy());
            located.map_err(|error| refused(&proposal.server, error))
        };
        match change {
            ProposedChange::Text { path, edits, .. } => {
                self.edit(&locate(path)?, edits, proposal, new_name)?;
            }
            ProposedChange::Create {
                path,
                overwrite,
                ignore_if_exists,
            } => {
                let place = locate(path)?;
                if !place.exists()? {
                    self.0.push(ProposedFile {
                        old: None,
                        place,
                        to: None,
                        text: Some(String::new()),
                        plan: None,
                    });
                } else if *overwrite {
                    let step = self.open(&place, &proposal.server)?;
                    (step.text, step.plan) = (Some(String::new()), None);
                } else if !ignore_if_exists {
                    let message = format!(
                        "Nothing was changed: {} wants to create `{}`, which already exists.",
                        proposal.server,
                        place.name()
                    );
                    return Err(ToolError::new(ErrorCode::AlreadyExists, message));
                }
            }
            ProposedChange::Rename { from, to } => {
                let (place, to) = (locate(from)?, locate(to)?);
                self.open(&place, &proposal.server)?.to = Some(to);
            }
            ProposedChange::Delete { path } => {
                let place = locate(path)?;
                let step = self.open(&place, &proposal.server)?;
                (step.text, step.plan) = (None, None);
            }
        }
        Ok(())
    }

    fn edit(
        &mut self,
        place: &Located,
        edits: &[(Span, String)],
        proposal: &Proposal,
        new_name: Option<&str>,
    ) -> Result<(), ToolError> {
        let step = self.open(place, &proposal.server)?;
        let text = step.text.take().unwrap_or_default();
        let renamed = proposal.name.as_deref().zip(new_name);
        let plan = planned(place, &text, edits, proposal.encoding, renamed)?;
        let after = plan.apply(&text);
        if let Some(names) = renamed {
            check_name(names, place, (&text, &after), &plan)?;
        }
        step.text = Some(after);
        let is_first = step.old.as_ref().is_some_and(|old| old.text() == text);
        step.plan = is_first.then_some(plan);
        Ok(())
    }

    /// The file at a place as it stands after the steps so far.
    fn open(&mut self, place: &Located, server: &str) -> Result<&mut ProposedFile, ToolError> {
        let here = |step: &ProposedFile| {
            step.to.as_ref().unwrap_or(&step.place).target() == place.target()
        };
        let at = match self.0.iter().position(here) {
            Some(at) => at,
            None => {
                let old = read_text(place, limits::EDIT_MAX_BYTES)
                    .map_err(|error| refused(server, error))?;
                self.0.push(ProposedFile {
                    place: place.clone(),
                    to: None,
                    text: Some(old.text().to_owned()),
                    plan: None,
                    old: Some(old),
                });
                self.0.len() - 1
            }
        };
        self.0
            .get_mut(at)
            .ok_or_else(|| ToolError::internal("a step of the proposal is missing"))
    }

    /// What making them reads, writes and deletes; showing them only reads.
    pub(super) fn access(&self, asked: &Located, is_dry: bool) -> Access {
        let mut access = Access::reading(asked.claim().clone());
        for step in &self.0 {
            let here = step.place.claim();
            if step.old.is_some() && !access.reads.contains(here) {
                access.reads.push(here.clone());
            }
            if is_dry {
                continue;
            }
            match (&step.text, &step.to) {
                (None, _) => access.deletes.push(here.clone()),
                (Some(_), Some(to)) => {
                    access.deletes.push(here.clone());
                    access.writes.push(to.claim().clone());
                }
                (Some(_), None) => access.writes.push(here.clone()),
            }
        }
        access
    }

    /// The changes for the files as they are now, which must be as they were.
    ///
    /// # Errors
    /// [`ErrorCode::StaleFile`] for a file that changed meanwhile; what the rules of the session refuse.
    pub(super) fn draft(&self, session: &FileSession) -> Result<Draft, ToolError> {
        let mut draft = Draft {
            changes: ChangeSet::new(),
            notes: Vec::new(),
            reported: ChangesFact {
                applied: false,
                title: None,
                files: Vec::new(),
                diff: String::new(),
                warnings: Vec::new(),
            },
            review: Review::new(session.rules),
        };
        for step in &self.0 {
            step.add_to(&mut draft, session)?;
        }
        let mut review = std::mem::take(&mut draft.review);
        review.permits()?;
        draft.reported.warnings.extend(review.warnings());
        Ok(draft)
    }
}

impl ProposedFile {
    /// Whether it changes nothing.
    fn is_idle(&self) -> bool {
        match &self.old {
            Some(old) => self.to.is_none() && self.text.as_deref() == Some(old.text()),
            None => self.text.is_none(),
        }
    }

    fn add_to(&self, draft: &mut Draft, session: &FileSession) -> Result<(), ToolError> {
        let Some(old) = &self.old else {
            let text = self.text.clone().unwrap_or_default();
            let to = self.to.as_ref().unwrap_or(&self.place);
            draft.report(ChangeKind::Create, None, to, ("", &text))?;
            draft
                .notes
                .push(Note::whole(to, text.as_bytes(), Some(&text)));
            return Ok(draft.changes.create(to, text.into_bytes())?);
        };
        let now = read_text(&self.place, limits::EDIT_MAX_BYTES)?;
        if now.snapshot().bytes() != old.snapshot().bytes() {
            let path = self.place.name();
            let message =
                format!("Nothing was changed: `{path}` was modified during the call. Call again.");
            return Err(ToolError::new(ErrorCode::StaleFile, message).with("path", path));
        }
        let knowledge = FileFreshness::of(session, now.snapshot())?;
        let Some(text) = &self.text else {
            knowledge.check_whole(now.snapshot())?;
            draft.report(ChangeKind::Delete, None, &self.place, (now.text(), ""))?;
            draft.notes.push(Note::Gone(self.place.clone()));
            return Ok(draft.changes.delete(now.snapshot())?);
        };
        let (bytes, note) = match &self.plan {
            Some(plan) => {
                let bytes = now.splice(&splices(plan))?;
                let note = knowledge.after(&now, plan, &bytes, text);
                (bytes, note)
            }
            None => {
                let bytes = now.replace(text)?;
                let note = Note::whole(&self.place, &bytes, Some(text));
                (bytes, note)
            }
        };
        let sides = (now.text(), text.as_str());
        match &self.to {
            Some(to) => {
                draft.report(ChangeKind::Move, Some(&self.place), to, sides)?;
                draft.notes.push(Note::Gone(self.place.clone()));
                draft.notes.push(note.at(to));
                draft.changes.rename(now.snapshot(), to, Some(bytes))?;
            }
            None => {
                draft.report(ChangeKind::Update, None, &self.place, sides)?;
                draft.notes.push(note);
                draft.changes.update(now.snapshot(), bytes)?;
            }
        }
        Ok(())
    }
}

impl Draft {
    fn report(
        &mut self,
        kind: ChangeKind,
        from: Option<&Located>,
        to: &Located,
        (before, after): (&str, &str),
    ) -> Result<(), ToolError> {
        let change = TextDiff::new(before, after);
        if kind != ChangeKind::Delete {
            let warnings = self.review.of(to.name(), before, after, &change)?;
            self.reported.warnings.extend(warnings);
        }
        let nothing = || "/dev/null".to_owned();
        let source = from.unwrap_or(to).name();
        let names = (
            match kind {
                ChangeKind::Create => nothing(),
                _ => patch_path(&format!("a/{source}")),
            },
            match kind {
                ChangeKind::Delete => nothing(),
                _ => patch_path(&format!("b/{}", to.name())),
            },
        );
        let room = limits::DIFF_MAX_BYTES.saturating_sub(self.reported.diff.len());
        let diff = change.unified_within(&names.0, &names.1, limits::DIFF_CONTEXT_LINES, room);
        self.reported.diff.push_str(&diff);
        self.reported.files.push(ChangedFileFact {
            path: to.name().to_owned(),
            kind,
            from: from.map(|from| from.name().to_owned()),
            additions: change.additions(),
            deletions: change.deletions(),
        });
        Ok(())
    }
}

/// The replacements of one file, checked: inside of the text, without overlap, and where a name is replaced, of that
/// name. What does not fit is about another text than the present one.
fn planned(
    place: &Located,
    text: &str,
    edits: &[(Span, String)],
    encoding: Encoding,
    renamed: Option<(&str, &str)>,
) -> Result<Plan, ToolError> {
    let lines = LineText::new(text);
    let stale = || {
        let path = place.name();
        let message = format!(
            "Nothing was changed: the server proposes changes to an older version of `{path}`. Call again in a moment."
        );
        ToolError::new(ErrorCode::StaleFile, message).with("path", path)
    };
    let mut splices = Vec::new();
    for (span, replacement) in edits {
        if span.end < span.start {
            return Err(faulty(place, "that end before they begin"));
        }
        // A span to "behind everything" is usual for the whole text.
        if !lines.has_line(span.start.line, encoding) {
            return Err(stale());
        }
        let range = lines.range(*span, encoding);
        let replaced = text.get(range.clone()).unwrap_or_default();
        let misses =
            renamed.is_some_and(|(old, new)| replacement == new && !replaced.contains(old));
        if misses {
            return Err(stale());
        }
        splices.push(Splice {
            range,
            replacement: replacement.clone(),
        });
    }
    // Insertions at one place stay in the order in which they are given.
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    // A server that finds a place by two ways names it twice; the change is one.
    splices.dedup_by(|next, one| !next.range.is_empty() && next == one);
    let overlap = splices
        .iter()
        .zip(splices.iter().skip(1))
        .any(|(one, next)| one.range.end > next.range.start);
    if overlap {
        return Err(faulty(place, "that overlap"));
    }
    Ok(Plan {
        splices,
        ..Plan::default()
    })
}

/// Refuses a new name that is not one at a place where the old name is: not every server looks at what it is given.
fn check_name(
    (old, new): (&str, &str),
    place: &Located,
    (before, after): (&str, &str),
    plan: &Plan,
) -> Result<(), ToolError> {
    let mut places = Vec::new();
    let (mut added, mut removed) = (0, 0);
    for Splice { range, replacement } in &plan.splices {
        let start = range.start + added - removed;
        if replacement == new && before.get(range.clone()) == Some(old) {
            places.push((range.clone(), start..start + new.len()));
        }
        added += replacement.len();
        removed += range.len();
    }
    let budget = Budget {
        max_bytes: limits::SYNTAX_MAX_BYTES,
        max_time: limits::SYNTAX_MAX_TIME,
    };
    let path = place.name();
    let misnamed = first_misnamed(path, (before, after), &places, budget);
    let Some((wrong, _)) = misnamed.and_then(|index| places.get(index)) else {
        return Ok(());
    };
    let above = before.get(..wrong.start).unwrap_or_default();
    let line = above.matches('\n').count() + 1;
    let language = Language::of(path).map_or("its language", Language::name);
    let message = format!(
        "Nothing was changed: `{new}` cannot take the place of `{old}` on line {line} of `{path}`: it is not a name of {language} there. Pass another name."
    );
    Err(ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", path)
        .with("lines", [line]))
}

/// Changes that no version of a file could be given (LSP 3.17, "Text Edit").
fn faulty(place: &Located, how: &str) -> ToolError {
    let path = place.name();
    let message = format!(
        "Nothing was changed: the server proposes changes to `{path}` {how}, which the protocol does not allow. Calling again does not help; edit the files yourself."
    );
    ToolError::new(ErrorCode::Unavailable, message).with("path", path)
}

/// A file of a proposal that may not or cannot be touched ends all of it.
fn refused(server: &str, error: tenon_workspace::Error) -> ToolError {
    let error = ToolError::from(error);
    ToolError {
        message: format!(
            "Nothing was changed: {server} proposes changes to a file that cannot be changed. {}",
            error.message
        ),
        ..error
    }
}

#[cfg(all(test, unix))]
mod tests;
