//! Patches: the `*** Begin Patch` envelope and unified diffs, parsed into one form.

use std::collections::HashMap;

use crate::diff::patch_path;
use crate::lines::BYTE_ORDER_MARK;

mod candidates;
mod choose;
mod counted;
mod envelope;
mod error;
mod header;
mod input;
mod name;
mod parts;
mod place;
mod sides;
mod transport;
mod unified;
mod wrapper;

pub use error::{HunkAt, PatchError};
pub use name::{unquoted_bytes, unquoted_name};

use input::Input;

/// The two ways in which patches are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PatchFormat {
    /// `*** Begin Patch` to `*** End Patch`.
    Envelope,
    /// `---`, `+++`, `@@ -1,2 +1,3 @@`, with the extended headers of git.
    Unified,
}

/// A patch of one or more files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// How it was written.
    pub format: PatchFormat,
    /// What it does, in the order of the text.
    pub files: Vec<FilePatch>,
}

/// What a patch does to one file. Paths are as written, without `a/` and `b/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOperation {
    /// Make a file that must not exist.
    Create {
        /// The new file.
        path: String,
    },
    /// Remove a file.
    Delete {
        /// The file.
        path: String,
        /// Whether it goes whatever it contains, as in an envelope. Else the removed lines have to be all that it has.
        any_content: bool,
    },
    /// Change a file in place.
    Update {
        /// The file.
        path: String,
    },
    /// Give a file other content, whatever it has: what an envelope means that deletes and adds it.
    Replace {
        /// The file.
        path: String,
    },
    /// Change a file and give it another name that must not exist.
    Move {
        /// The name before.
        from: String,
        /// The name after.
        to: String,
    },
    /// Make a changed copy under a name that must not exist.
    Copy {
        /// The file that is copied.
        from: String,
        /// The new file.
        to: String,
    },
}

/// The part of a patch that is about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// What is done to the file.
    pub operation: FileOperation,
    /// The mode before, as git writes it (such as `0o100644`), if it is stated.
    pub old_mode: Option<u32>,
    /// The mode after, if it is stated.
    pub new_mode: Option<u32>,
    /// The changes of its text, in the order of the patch.
    pub hunks: Vec<Hunk>,
}

/// One contiguous change with its context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that stand somewhere above it, outermost first: the texts behind `@@`.
    pub anchors: Vec<String>,
    /// The numbers of a `@@ -1,2 +1,3 @@` header. They are hints: the body is what counts.
    pub position: Option<Position>,
    /// The text behind the numbers: a line above it, which is used where the numbers do not decide.
    pub section: Option<String>,
    /// Whether its last line is the last of the file.
    pub end_of_file: bool,
    /// The lines, in order.
    pub lines: Vec<HunkLine>,
    /// The line of the patch, counted from 1, at which it begins.
    pub patch_line: usize,
    /// Which of several updates of the file in one patch it is of, counted from 0. Each speaks of what the one before it leaves.
    pub part: usize,
}

/// The numbers of a hunk header, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The first line before, counted from 1; with no lines, the line it stands behind.
    pub old_start: usize,
    /// The number of lines before.
    pub old_count: usize,
    /// The first line after.
    pub new_start: usize,
    /// The number of lines after.
    pub new_count: usize,
}

/// On which side a line of a hunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// On both.
    Context,
    /// Only before.
    Removed,
    /// Only after.
    Added,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// On which side it stands.
    pub side: Side,
    /// The line without its sign and its end.
    pub text: String,
    /// Whether it ends in CRLF.
    pub carriage: bool,
    /// False if `\ No newline at end of file` follows it.
    pub ended: bool,
}

/// Parses a patch in either format. Code fences, a heredoc around it, prose before it and CRLF
/// are taken off first.
///
/// The body of a hunk counts, not the numbers of its header: those only settle whether a line
/// such as `--- x` inside a hunk is a removed line or the next header. A bare empty line in a
/// hunk is an empty line of context.
///
/// # Errors
///
/// [`PatchError`] names the line of the patch that cannot be read. Binary patches are refused
/// as a whole.
///
/// # Examples
///
/// ```
/// use tenon_edit::parse_patch;
///
/// let patch = parse_patch("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")?;
/// let plan = patch.files[0].place("one\ntwo\nthree\n")?;
/// assert_eq!(plan.apply("one\ntwo\nthree\n"), "one\n2\nthree\n");
/// # Ok::<(), tenon_edit::PatchError>(())
/// ```
pub fn parse_patch(text: &str) -> Result<Patch, PatchError> {
    parse_patch_beside(text, &|_| false)
}

/// [`parse_patch`] where it is known which files there are. Where a unified diff has another name on each side and no `rename` lines,
/// that settles which file is meant: the new one if there is no old one, or what both are below other directories
/// (`project.orig/a.c` and `project/a.c`).
///
/// # Errors
///
/// As [`parse_patch`].
pub fn parse_patch_beside(text: &str, is_file: &dyn Fn(&str) -> bool) -> Result<Patch, PatchError> {
    let input = Input::new(text);
    let (format, files) = read(&input, is_file).map_err(|error| transport::named(error, &input))?;
    let files = wrapper::in_its_directory(&input, files)?;
    let files = join_updates(files, format, is_file)?;
    Ok(Patch { format, files })
}

/// The files of a patch, each as it stands there.
fn read(
    input: &Input<'_>,
    is_file: &dyn Fn(&str) -> bool,
) -> Result<(PatchFormat, Vec<FilePatch>), PatchError> {
    let read = if envelope::is_envelope(input) {
        (PatchFormat::Envelope, envelope::parse(input)?)
    } else {
        transport::refuse_encoded(input)?;
        let is_file = wrapper::beside_directory(input, is_file);
        (PatchFormat::Unified, unified::parse(input, &is_file)?)
    };
    if read.1.is_empty() {
        return Err(PatchError::NoPatch);
    }
    Ok(read)
}

/// Updates of one file become the parts of one, those of a file that the patch makes, moves or copies as well, and a file may take the
/// place of one that is moved away. An envelope that deletes a file and adds it gives it other content. Any other pair of changes to
/// one path is refused.
fn join_updates(
    files: Vec<FilePatch>,
    format: PatchFormat,
    is_file: &dyn Fn(&str) -> bool,
) -> Result<Vec<FilePatch>, PatchError> {
    let mut joined: Vec<FilePatch> = Vec::with_capacity(files.len());
    let mut by_path: HashMap<String, Vec<usize>> = HashMap::new();
    for file in files {
        let paths = file.paths();
        let near = paths.iter().filter_map(|path| by_path.get(*path)).flatten();
        let twins = near.copied().filter(|at| {
            let other = joined.get(*at);
            other.is_some_and(|other| {
                let is_apart =
                    other.makes_room(&file, format) && !other.is_moved_on(&file, is_file);
                other.touches_same_path(&file) && !is_apart
            })
        });
        // What an update speaks of is the file that came to its place.
        let meant = file.source().unwrap_or(file.path()).to_owned();
        let is_there = |at: &usize| { joined.get(*at) }.is_some_and(|twin| twin.path() == meant);
        let twin = twins.min_by_key(|at| (!is_there(at), *at));
        let at = twin.unwrap_or(joined.len());
        for path in paths {
            let places = by_path.entry(path.to_owned()).or_default();
            if !places.contains(&at) {
                places.push(at);
            }
        }
        let Some(twin) = joined.get_mut(at) else {
            joined.push(file);
            continue;
        };
        let path = file.path().to_owned();
        if twin.path() != meant || twin.join(file).is_some() {
            return Err(PatchError::Duplicate { path });
        }
    }
    Ok(joined)
}

impl Patch {
    /// The patch that undoes this one. A copy becomes the deletion of the copy; hunks of a
    /// copy are lost with it. What a file had that got other content is not in the patch: it becomes its deletion, too.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            format: self.format,
            files: self.files.iter().map(FilePatch::reversed).collect(),
        }
    }
}

impl FileOperation {
    /// The file that it leaves, or removes.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Create { path }
            | Self::Delete { path, .. }
            | Self::Update { path }
            | Self::Replace { path } => path,
            Self::Move { to, .. } | Self::Copy { to, .. } => to,
        }
    }

    /// The file that it begins with, if there is one.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        match self {
            Self::Create { .. } => None,
            Self::Delete { path, .. } | Self::Update { path } | Self::Replace { path } => {
                Some(path)
            }
            Self::Move { from, .. } | Self::Copy { from, .. } => Some(from),
        }
    }
}

impl FilePatch {
    /// The path of the file after the patch; for a deletion, the one before.
    #[must_use]
    pub fn path(&self) -> &str {
        self.operation.path()
    }

    /// The path of the file that has to be read; `None` for a new file.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.operation.source()
    }

    /// The number of added lines.
    #[must_use]
    pub fn additions(&self) -> usize {
        self.count(Side::Added)
    }

    /// The number of removed lines.
    #[must_use]
    pub fn deletions(&self) -> usize {
        self.count(Side::Removed)
    }

    fn count(&self, side: Side) -> usize {
        let lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.side == side).count()
    }

    /// Whether it may as well make its file: all of it is new, and the numbers say that there was nothing (`@@ -0,0 +1,2 @@`). A
    /// diff without times does not say whether there was an empty file or none; GNU `patch` makes it too.
    #[must_use]
    pub fn fits_no_file(&self) -> bool {
        let [hunk] = self.hunks.as_slice() else {
            return false;
        };
        let is_empty = |position: Position| (position.old_start, position.old_count) == (0, 0);
        self.is_plain_update()
            && hunk.position.is_some_and(is_empty)
            && hunk.lines.iter().all(|line| line.side == Side::Added)
    }

    /// Takes in what a patch does later to the same file: an update, which speaks of what this one leaves, or its new content where an
    /// envelope deletes it first. Gives back what does more.
    pub fn join(&mut self, later: Self) -> Option<Self> {
        if let (
            FileOperation::Delete {
                path,
                any_content: true,
            },
            FileOperation::Create { .. },
        ) = (&self.operation, &later.operation)
        {
            let path = path.clone();
            *self = Self {
                operation: FileOperation::Replace { path },
                ..later
            };
            return None;
        }
        let leaves_text = match self.operation {
            FileOperation::Create { .. } => !self.hunks.is_empty(),
            FileOperation::Move { .. }
            | FileOperation::Copy { .. }
            | FileOperation::Update { .. } => true,
            FileOperation::Delete { .. } | FileOperation::Replace { .. } => false,
        };
        if !leaves_text {
            return Some(later);
        }
        match &later.operation {
            FileOperation::Update { .. } => {}
            FileOperation::Move { to, .. } => match self.moved_on(to) {
                Some(operation) => self.operation = operation,
                None => return Some(later),
            },
            _ => return Some(later),
        }
        self.old_mode = self.old_mode.or(later.old_mode);
        self.new_mode = later.new_mode.or(self.new_mode);
        let part = self.hunks.last().map_or(0, |hunk| hunk.part + 1);
        let hunks = later.hunks.into_iter();
        self.hunks.extend(hunks.map(|hunk| Hunk {
            part: part + hunk.part,
            ..hunk
        }));
        None
    }

    /// What it does, if the file goes on to another name.
    fn moved_on(&self, to: &str) -> Option<FileOperation> {
        let to = to.to_owned();
        match &self.operation {
            FileOperation::Update { path: from } | FileOperation::Move { from, .. }
                if *from != to =>
            {
                let from = from.clone();
                Some(FileOperation::Move { from, to })
            }
            _ => None,
        }
    }

    /// Whether a later move is of the file that this one moves: where a file is to be moved and none is at the place that it goes to, none
    /// can be meant that stands there.
    fn is_moved_on(&self, later: &Self, is_file: &dyn Fn(&str) -> bool) -> bool {
        let (
            FileOperation::Move { from, to },
            FileOperation::Move {
                from: next,
                to: last,
            },
        ) = (&self.operation, &later.operation)
        else {
            return false;
        };
        to == next && from != last && is_file(from) && !is_file(to)
    }

    fn is_plain_update(&self) -> bool {
        matches!(self.operation, FileOperation::Update { .. }) && self.new_mode.is_none()
    }

    fn touches_same_path(&self, other: &Self) -> bool {
        let is_shared_source = matches!(
            (&self.operation, &other.operation),
            (FileOperation::Copy { .. }, _) | (_, FileOperation::Copy { .. })
        );
        if is_shared_source {
            return self.path() == other.path();
        }
        let theirs = other.paths();
        self.paths().iter().any(|path| theirs.contains(path))
    }

    /// Whether all that this file has in common with a later one are places that one of them leaves and the other
    /// takes. The files of a unified diff are all those before it, in whatever order they come, as git has it; an
    /// envelope may also mean one after the other, so there the place has to be left first.
    fn makes_room(&self, later: &Self, format: PatchFormat) -> bool {
        let theirs = later.paths();
        let paths = self.paths().into_iter();
        let mut shared = paths.filter(|path| theirs.contains(path));
        shared.all(|path| {
            let is_in_order = self.leaves(path) && later.takes(path);
            let is_turned = later.leaves(path) && self.takes(path);
            is_in_order || (is_turned && format == PatchFormat::Unified)
        })
    }

    fn leaves(&self, path: &str) -> bool {
        matches!(&self.operation, FileOperation::Move { from, to } if from == path && to != path)
    }

    fn takes(&self, path: &str) -> bool {
        match &self.operation {
            FileOperation::Create { path: to }
            | FileOperation::Move { to, .. }
            | FileOperation::Copy { to, .. } => to == path,
            FileOperation::Delete { .. }
            | FileOperation::Update { .. }
            | FileOperation::Replace { .. } => false,
        }
    }

    /// The paths before and after, each once.
    fn paths(&self) -> Vec<&str> {
        let source = self.source().filter(|source| *source != self.path());
        source.into_iter().chain([self.path()]).collect()
    }

    fn reversed(&self) -> Self {
        let operation = match &self.operation {
            FileOperation::Create { path } => FileOperation::Delete {
                path: path.clone(),
                any_content: false,
            },
            FileOperation::Delete { path, .. } => FileOperation::Create { path: path.clone() },
            FileOperation::Update { path } => FileOperation::Update { path: path.clone() },
            FileOperation::Move { from, to } => FileOperation::Move {
                from: to.clone(),
                to: from.clone(),
            },
            FileOperation::Copy { to: path, .. } | FileOperation::Replace { path } => {
                FileOperation::Delete {
                    path: path.clone(),
                    any_content: true,
                }
            }
        };
        let is_lost = matches!(
            self.operation,
            FileOperation::Copy { .. } | FileOperation::Replace { .. }
        );
        let hunks = if is_lost {
            Vec::new()
        } else {
            reversed_parts(&self.hunks)
        };
        Self {
            operation,
            old_mode: self.new_mode,
            new_mode: self.old_mode,
            hunks,
        }
    }

    /// The file whose lines the patch speaks of, as messages show it: for a move the one that is read.
    fn shown_path(&self) -> String {
        patch_path(self.source().unwrap_or_else(|| self.path()))
            .trim_end_matches('\t')
            .to_owned()
    }
}

/// The hunks that undo these: the last part first.
fn reversed_parts(hunks: &[Hunk]) -> Vec<Hunk> {
    let last = hunks.last().map_or(0, |hunk| hunk.part);
    let mut reversed: Vec<Hunk> = hunks.iter().map(Hunk::reversed).collect();
    for hunk in &mut reversed {
        hunk.part = last - hunk.part;
    }
    reversed.sort_by_key(|hunk| hunk.part);
    reversed
}

impl Hunk {
    /// The lines before or after, as the text that they are.
    pub(crate) fn side(&self, without: Side) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(move |line| line.side != without)
    }

    /// Whether a line of one side begins with a byte order mark.
    pub(crate) fn has_mark(&self, without: Side) -> bool {
        self.side(without)
            .any(|line| line.text.starts_with(BYTE_ORDER_MARK))
    }

    fn reversed(&self) -> Self {
        let mut hunk = self.clone();
        for line in &mut hunk.lines {
            line.side = match line.side {
                Side::Context => Side::Context,
                Side::Removed => Side::Added,
                Side::Added => Side::Removed,
            };
        }
        hunk.position = self.position.map(|position| Position {
            old_start: position.new_start,
            old_count: position.new_count,
            new_start: position.old_start,
            new_count: position.old_count,
        });
        hunk
    }
}

#[cfg(test)]
mod tests;
