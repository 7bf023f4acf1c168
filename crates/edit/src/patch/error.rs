//! Why a patch was refused.

use std::fmt;

use thiserror::Error;

use crate::error::{Candidate, Lines, Unclear};
use crate::plan::MatchLevel;

/// Which hunk of which file is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkAt {
    /// The path of the file.
    pub path: String,
    /// Counted from 1.
    pub hunk: usize,
    /// How many hunks the file has.
    pub total: usize,
    /// The line of the patch, counted from 1, at which the hunk begins.
    pub patch_line: usize,
    /// Whether an update of the same file stands before it in the patch: then it speaks of what that one leaves.
    pub is_later_part: bool,
}

impl fmt::Display for HunkAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            hunk,
            total,
            patch_line,
            is_later_part,
        } = self;
        let upon = if *is_later_part {
            ", after the earlier update of this file in the patch"
        } else {
            ""
        };
        write!(
            f,
            "`{path}`: hunk {hunk} of {total} (line {patch_line} of the patch{upon})"
        )
    }
}

/// Why a patch was refused. Nothing of it is applied when one part fails.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// Anyone who asked does not want to know any more.
    #[error("the search was stopped.")]
    Stopped,
    /// The text holds no patch.
    #[error(
        "no patch was found. Give either `*** Begin Patch` … `*** End Patch`, or a unified diff with `---` and `+++` lines and `@@` hunks."
    )]
    NoPatch,
    /// The lines of the patch have colours of a terminal.
    #[error(
        "line {line} of the patch has colours of a terminal (escape sequences). Send it without them, as `git diff --no-color` prints it."
    )]
    Coloured {
        /// The line of the patch, counted from 1.
        line: usize,
    },
    /// The patch is one line in which its line ends are escaped.
    #[error(
        "the patch is a single line in which line ends are written as `\\n`. Send it with real line ends."
    )]
    Escaped,
    /// A mail whose lines are still in the encoding that it was sent in.
    #[error(
        "the patch is a mail in the encoding quoted-printable (line {line}), in which `=3D` stands for `=`. Decode it and remove that line."
    )]
    Encoded {
        /// The line of the patch, counted from 1, that names the encoding.
        line: usize,
    },
    /// A diff of a merge, which has a column of signs for each parent.
    #[error(
        "line {line} of the patch (`{text}`) is of a combined diff, which compares a merge with several parents at once. Send a diff against \
         one of them, as `git diff HEAD^1` prints it."
    )]
    Combined {
        /// The line of the patch, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// The patch ends in the middle.
    #[error(
        "the patch is cut off: it ends in the middle of a line, or without its `*** End Patch`. Send it again as a whole."
    )]
    Incomplete,
    /// The patch ends behind a removed line, where the header of its last hunk asks for more new lines.
    #[error("{}", cut_off(*patch_line, *wanted, *has))]
    CutOff {
        /// The line of the patch, counted from 1, at which the hunk begins.
        patch_line: usize,
        /// How many old and new lines its header says.
        wanted: (usize, usize),
        /// How many it has.
        has: (usize, usize),
    },
    /// A line cannot be read.
    #[error("line {line} of the patch (`{text}`) cannot be read: {expected}.")]
    Malformed {
        /// The line of the patch, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// A file name cannot be read.
    #[error("line {line} of the patch names the file `{name}`, {reason}.")]
    Name {
        /// The line of the patch, counted from 1.
        line: usize,
        /// The name as written.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A binary patch.
    #[error(
        "line {line} of the patch is a binary change, which cannot be applied; nothing was changed. Leave this file out and make it by a command; \
         to delete it send `*** Begin Patch`, `*** Delete File: ` with its name and `*** End Patch`, each in a line."
    )]
    Binary {
        /// The line of the patch, counted from 1.
        line: usize,
    },
    /// A mode that is not that of a regular file.
    #[error("line {line} of the patch gives the mode {mode:o}, which is {}. Only regular files (100644 or 100755) are patched: leave this \
         file out, and change it by a command.", kind_of_mode(*mode))]
    Mode {
        /// The line of the patch, counted from 1.
        line: usize,
        /// The mode.
        mode: u32,
    },
    /// One path is changed in two ways that do not go together.
    #[error(
        "`{path}` occurs twice in the patch, in ways that cannot be merged. Include each file once; of a series of commits, send each in a call \
         of its own."
    )]
    Duplicate {
        /// The path.
        path: String,
    },
    /// A file section without a change.
    #[error(
        "`{path}` has no change in the patch (line {line}). Add `-` and `+` lines, or leave the file out."
    )]
    NoHunks {
        /// The path.
        path: String,
        /// The line of the patch, counted from 1.
        line: usize,
    },
    /// The header of a file announces changed lines, and there are none.
    #[error(
        "`{path}`: the hunks are missing that the header announces (line {line} of the patch), as if the patch were cut off. Send it again \
         as a whole; for an empty file, or a new name or mode alone, leave the `---`, `+++`, `index` and `similarity index` lines out."
    )]
    HunksMissing {
        /// The path.
        path: String,
        /// The line of the patch, counted from 1, at which the file begins.
        line: usize,
    },
    /// A name of a file that is not that of the `diff --git` line above it.
    #[error(
        "`{path}` is not the name in the `diff --git` line (line {line} of the patch: `{git}`). Give both the same name; if the patch is \
         cut off, send it again as a whole."
    )]
    OtherName {
        /// The line of the patch, counted from 1, at which the file begins.
        line: usize,
        /// The name as it follows from the lines below.
        path: String,
        /// What stands behind `diff --git`.
        git: String,
    },
    /// A hunk without a change.
    #[error("{at} has no `-` or `+` line. Leave it out, or add what it changes.")]
    NothingInHunk {
        /// Which hunk.
        at: HunkAt,
    },
    /// The old lines of a hunk stand nowhere.
    #[error("{}", not_found(at, absent.as_deref(), candidate.as_deref()))]
    NotFound {
        /// Which hunk.
        at: HunkAt,
        /// The lines that were looked for.
        expected: Vec<String>,
        /// The first of them that the file does not have anywhere.
        absent: Option<String>,
        /// The closest part of the file.
        candidate: Option<Box<Candidate>>,
    },
    /// The old lines stand nowhere, but the new ones do.
    #[error(
        "{at} was not found, but its new lines are already at {lines}: it seems to have been applied."
    )]
    AlreadyApplied {
        /// Which hunk.
        at: HunkAt,
        /// Where the new lines stand.
        lines: Lines,
    },
    /// The old lines stand at several places, and nothing decides between them.
    #[error("{at} matches {} places: lines {}. Add context lines, or an `@@` line with the enclosing function or class.", lines.len(), list(lines))]
    Ambiguous {
        /// Which hunk.
        at: HunkAt,
        /// The first lines of the places, counted from 1.
        lines: Vec<usize>,
    },
    /// The old lines stand at one place, and not at the line that the header of the hunk names.
    #[error(
        "{at} names line {stated} in its header, but its lines, indented as they are, stand only at line {line}. Read the file again and correct the number or the lines."
    )]
    OtherLine {
        /// Which hunk.
        at: HunkAt,
        /// Where the old lines stand, counted from 1.
        line: usize,
        /// The line of the header.
        stated: usize,
    },
    /// The old lines stand at one place, and that is above the line that the hunk names.
    #[error(
        "{at} is meant for below `{anchor}` (line {anchor_line}), but its lines stand only at line {line}, above it. Read the file again: if line {line} is meant, leave the text behind `@@` out."
    )]
    AboveAnchor {
        /// Which hunk.
        at: HunkAt,
        /// The text behind `@@`.
        anchor: String,
        /// Where that stands, counted from 1.
        anchor_line: usize,
        /// Where the old lines stand, counted from 1.
        line: usize,
    },
    /// A hunk without old lines that does not say where it goes.
    #[error(
        "{at} only adds lines and does not say where. Add a line of context above or below them."
    )]
    NoPlace {
        /// Which hunk.
        at: HunkAt,
    },
    /// The place is known, but not how the new lines go in.
    #[error("{at} matched only when ignoring {} ({lines}), and {}. Copy the context lines exactly from the file.", .match_level.disregards(), .reason.sentence())]
    Unclear {
        /// Which hunk.
        at: HunkAt,
        /// At which level it matched.
        match_level: MatchLevel,
        /// Where it matched.
        lines: Lines,
        /// What is not clear.
        reason: Unclear,
    },
    /// The added lines have a typographic character that another hunk has where the file has its plain form.
    #[error(
        "{at} adds `{sign}`, which hunk {other} has where the file has the plain character: it is unclear whether it is meant literally. \
         Send the patch with the characters of the file, or this hunk in a call of its own."
    )]
    OtherSpelling {
        /// Which hunk.
        at: HunkAt,
        /// The other hunk, counted from 1.
        other: usize,
        /// The character.
        sign: char,
    },
    /// Two hunks change the same lines.
    #[error(
        "`{path}`: hunks {first} and {second} change the same lines ({lines}). Merge them into one hunk."
    )]
    Overlap {
        /// The path of the file.
        path: String,
        /// The one hunk, counted from 1.
        first: usize,
        /// The other hunk, counted from 1.
        second: usize,
        /// The lines that both change.
        lines: Lines,
    },
    /// A deletion whose lines are not those of the file.
    #[error(
        "`{path}` cannot be deleted by this patch: the file does not consist of exactly the removed lines. Read it again."
    )]
    OtherContent {
        /// The path of the file.
        path: String,
    },
    /// A deletion without removed lines, which is that of an empty file, of one that has content.
    #[error(
        "`{path}` cannot be deleted by this patch: it removes no lines, and the file is not empty. Remove all its lines, or send \
         `*** Begin Patch`, `*** Delete File: {path}` and `*** End Patch`, each in a line, which deletes it whatever it contains."
    )]
    NotEmpty {
        /// The path of the file.
        path: String,
    },
    /// A creation with other than added lines.
    #[error("`{path}` is a new file, so its hunks may contain only `+` lines.")]
    NewFileWithOldLines {
        /// The path of the file.
        path: String,
    },
    /// A new file at a place where text stands already.
    #[error("`{path}` exists already. Use an update of the file, or delete it first.")]
    Exists {
        /// The path of the file.
        path: String,
    },
    /// The hunks change nothing but the byte order mark.
    #[error(
        "the patch only removes the byte order mark of `{path}`, and edits keep that. Use a command to remove it."
    )]
    OnlyMark {
        /// The path of the file.
        path: String,
    },
    /// Hunks of a later update of one file have another place in the file as it is than in what the update before them leaves.
    #[error(
        "`{path}` is updated twice in the patch, and the hunks of the later update (from line {first_line} of the patch) fit the file as it is \
         at another place than what the first update leaves. Send each update in a call of its own."
    )]
    TwoPlaces {
        /// The path of the file.
        path: String,
        /// The line of the patch, counted from 1, at which the later update begins.
        first_line: usize,
    },
    /// The command around the patch gives its names another meaning.
    #[error(
        "line {line} of the patch (`{text}`) is a command that {does}. Send the patch without it, with names from the workspace."
    )]
    Wrapped {
        /// The line of the patch, counted from 1.
        line: usize,
        /// What stands there.
        text: String,
        /// What it does.
        does: &'static str,
    },
    /// All hunks together leave the text as it is.
    #[error("the patch changes nothing in `{path}`: the file already reads like that.")]
    NoChange {
        /// The path of the file.
        path: String,
    },
}

/// As `stat` has it.
const fn kind_of_mode(mode: u32) -> &'static str {
    match mode & 0o170_000 {
        0o120_000 => "that of a symbolic link",
        0o160_000 => "that of a submodule",
        _ => "not that of a file",
    }
}

fn cut_off(patch_line: usize, wanted: (usize, usize), has: (usize, usize)) -> String {
    format!(
        "the patch seems to be cut off: it ends with a `-` line, and its last hunk (line {patch_line} of the patch) has {} old and \
         {} new lines where its header says {} and {}. Send the whole patch again; if nothing is missing, correct the numbers \
         of that header.",
        has.0, has.1, wanted.0, wanted.1
    )
}

fn list(lines: &[usize]) -> String {
    const SHOWN: usize = 20;
    let mut shown: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    if lines.len() > SHOWN {
        shown.push(format!("{} more", lines.len() - SHOWN));
    }
    shown.join(", ")
}

fn not_found(at: &HunkAt, absent: Option<&str>, candidate: Option<&Candidate>) -> String {
    let mut text = format!("{at} was not found in the file.");
    let Some(candidate) = candidate else {
        text.push_str(&match absent {
            Some(line) => format!(" It has no line `{}`.", line.trim()),
            None => " It has these lines, but not one below the other.".to_owned(),
        });
        text.push_str(" Check that it is the right file, and read it again.");
        return text;
    };
    text.push_str(&crate::error::closest(candidate));
    text.push_str("\nCopy the context and the removed lines exactly as they stand in the file.");
    text
}
