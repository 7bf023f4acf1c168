//! What is made different, through a change set: whole or not at all, and it can be undone.

use tenon_contract::{Access, ChangeKind, FileChange, ToolContext, ToolError, limits};
use tenon_workspace::{ChangeSet, Error, FileKind, Located, TextFile, read_bytes, read_text};

use super::place::{MemoryTree, absent, kind_of};
use super::{MemoryFact, MemoryOutput, refusal};
use crate::commit::commit;
use crate::session::FileSession;

/// Lines that are shown on either side of what was replaced.
const SNIPPET: usize = 2;

/// A change of one file.
#[derive(Debug)]
pub(super) struct Change {
    file: Located,
    what: What,
}

#[derive(Debug)]
enum What {
    Create(String),
    Replace { old: String, new: String },
    Insert { line: usize, text: String },
}

impl Change {
    pub(super) const fn create(file: Located, text: String) -> Self {
        let what = What::Create(text);
        Self { file, what }
    }

    pub(super) const fn replace(file: Located, old: String, new: String) -> Self {
        let what = What::Replace { old, new };
        Self { file, what }
    }

    pub(super) const fn insert(file: Located, line: usize, text: String) -> Self {
        let what = What::Insert { line, text };
        Self { file, what }
    }

    pub(super) fn access(&self) -> Access {
        let claim = self.file.claim().clone();
        match self.what {
            What::Create(_) => Access::writing(claim),
            What::Replace { .. } | What::Insert { .. } => Access::changing(claim),
        }
    }

    pub(super) fn make(
        self,
        session: &FileSession,
        context: &ToolContext,
    ) -> Result<MemoryOutput, ToolError> {
        let path = self.file.name().to_owned();
        let mut changes = ChangeSet::new();
        let (fact, kind) = match self.what {
            What::Create(text) => {
                changes
                    .create(&self.file, text.into_bytes())
                    .map_err(|error| match error {
                        Error::AlreadyExists { .. } => {
                            refusal(&format!("File {path} already exists"))
                        }
                        error => error.into(),
                    })?;
                (MemoryFact::Created(path.clone()), ChangeKind::Create)
            }
            What::Replace { old, new } => {
                let file = text_of(&self.file)?;
                let (text, fact) = replaced(&path, file.text(), &old, &new)?;
                changes.update(file.snapshot(), file.replace(&text)?)?;
                (fact, ChangeKind::Update)
            }
            What::Insert { line, text } => {
                let file = text_of(&self.file)?;
                let text = inserted(file.text(), line, &text)?;
                changes.update(file.snapshot(), file.replace(&text)?)?;
                (MemoryFact::Inserted(path.clone()), ChangeKind::Update)
            }
        };
        commit(changes, Vec::new(), session, context)?;
        Ok(MemoryOutput {
            fact,
            changes: vec![FileChange { path, kind }],
        })
    }
}

fn text_of(file: &Located) -> Result<TextFile, ToolError> {
    match kind_of(file)? {
        (FileKind::File, _) => Ok(read_text(file, limits::MEMORY_FILE_MAX_BYTES)?),
        _ => Err(refusal(&format!("The path {} is not a file.", file.name()))),
    }
}

fn replaced(
    path: &str,
    content: &str,
    old: &str,
    new: &str,
) -> Result<(String, MemoryFact), ToolError> {
    let line_at = |at: usize| content.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let mut lines: Vec<usize> = match old {
        "" => Vec::new(),
        old => content
            .match_indices(old)
            .map(|(at, _)| line_at(at))
            .collect(),
    };
    let Some(&line) = lines.first() else {
        return Err(refusal(&format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )));
    };
    if lines.len() > 1 {
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        return Err(refusal(&format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
            lines.join(", ")
        )));
    }
    let text = content.replacen(old, new, 1);
    let first = line.saturating_sub(1 + SNIPPET);
    let shown = text.split('\n').take(line + SNIPPET).skip(first);
    let fact = MemoryFact::Replaced {
        path: path.to_owned(),
        lines: shown.map(str::to_owned).collect(),
        first: first + 1,
    };
    Ok((text, fact))
}

fn inserted(content: &str, line: usize, text: &str) -> Result<String, ToolError> {
    let mut lines: Vec<&str> = content.split('\n').collect();
    if line > lines.len() {
        return Err(refusal(&format!(
            "Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            lines.len()
        )));
    }
    lines.insert(line, text.strip_suffix('\n').unwrap_or(text));
    Ok(lines.join("\n"))
}

pub(super) fn delete(
    tree: &MemoryTree,
    session: &FileSession,
    context: &ToolContext,
) -> Result<MemoryOutput, ToolError> {
    let mut changes = ChangeSet::new();
    for file in &tree.files {
        changes.delete(&whole(file)?)?;
    }
    commit(changes, Vec::new(), session, context)?;
    clear(tree)?;
    let gone = tree
        .files
        .iter()
        .map(|file| change_of(file, ChangeKind::Delete));
    Ok(MemoryOutput {
        fact: MemoryFact::Deleted(tree.top.name().to_owned()),
        changes: gone.collect(),
    })
}

pub(super) fn rename(
    tree: &MemoryTree,
    to: &Located,
    places: &[Located],
    session: &FileSession,
    context: &ToolContext,
) -> Result<MemoryOutput, ToolError> {
    let mut changes = ChangeSet::new();
    let mut reported = Vec::new();
    for (file, place) in tree.files.iter().zip(places) {
        changes.rename(&whole(file)?, place, None)?;
        reported.push(change_of(place, ChangeKind::Move));
    }
    commit(changes, Vec::new(), session, context)?;
    clear(tree)?;
    Ok(MemoryOutput {
        fact: MemoryFact::Renamed {
            from: tree.top.name().to_owned(),
            to: to.name().to_owned(),
        },
        changes: reported,
    })
}

fn whole(file: &Located) -> Result<tenon_workspace::FileSnapshot, ToolError> {
    match read_bytes(file, limits::EDIT_MAX_BYTES) {
        Err(Error::NotFound { .. }) => Err(absent(file.name())),
        read => Ok(read?),
    }
}

/// Removes the directories that are empty now, deepest first.
fn clear(tree: &MemoryTree) -> Result<(), ToolError> {
    for directory in tree.directories.iter().rev() {
        directory.remove_empty()?;
    }
    Ok(())
}

fn change_of(file: &Located, kind: ChangeKind) -> FileChange {
    FileChange {
        path: file.name().to_owned(),
        kind,
    }
}
