//! Why an edit was refused, with all that helps to repair it.

use std::fmt;

use thiserror::Error;

use crate::plan::MatchLevel;

/// Which edit of a call is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Which {
    /// From 0.
    pub index: usize,
    /// How many edits the call has.
    pub total: usize,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total <= 1 {
            f.write_str("the old text")
        } else {
            write!(
                f,
                "the old text of edit {} of {}",
                self.index + 1,
                self.total
            )
        }
    }
}

/// A run of lines of the file, counted from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}-{}", self.first, self.last)
        }
    }
}

/// A place that would match, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchPlace {
    /// Where.
    pub lines: Lines,
    /// At which level; `None` if it differs in more respects than any allows.
    pub match_level: Option<MatchLevel>,
}

/// What most likely went wrong with an old text that was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// Nothing like it stands in the file.
    NotInFile,
    /// Something close to it does: the file was changed, or the text was not copied exactly.
    Differs,
    /// The file indents with tabs where the old text has spaces, or the other way round.
    TabsOrBlanks,
    /// The lines are indented by other amounts, and not all in the same way.
    Indentation,
    /// Only upper and lower case differ.
    Case,
    /// The old text has escapes (`\n`, `\"`) that the file does not have, or lacks them.
    Escapes,
    /// The old text carries line numbers.
    LineNumbers,
    /// The old text leaves lines out with `...`.
    Elided,
    /// Several kinds of white space differ at once.
    WhiteSpace,
    /// One kind of white space differs, and the text is too short to be found without it.
    TooShort,
}

impl Cause {
    /// The advice for the model; empty where the difference itself says it all.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::NotInFile => {
                "Nothing similar is in this file. Check that it is the right file, and read it again."
            }
            Self::Differs => "Copy it exactly from the file.",
            Self::TabsOrBlanks => {
                "It differs from the file in tabs and spaces. Copy the indentation of the file."
            }
            Self::Indentation => {
                "The indentation differs, and not in one consistent way. Copy the indentation of the file."
            }
            Self::Case => "Only upper and lower case differ. Copy the spelling of the file.",
            Self::Escapes => {
                "The backslash escapes differ. Write the text as it is in the file, not escaped as a string."
            }
            Self::LineNumbers => {
                "It contains line numbers, which are not part of the file. Leave them out."
            }
            Self::Elided => {
                "It leaves lines out with `...`. Include all lines, or make one edit for each part."
            }
            Self::TooShort => {
                "Only whitespace differs. Copy the lines with their exact indentation, or include more lines."
            }
            Self::WhiteSpace => {
                "Only whitespace differs, in more than one way. Copy the lines exactly from the file."
            }
        }
    }
}

/// A part of the file that is like the old text.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Where it stands.
    pub lines: Lines,
    /// From 0 to 1.
    pub similarity: f64,
    /// The first line that differs, if one does.
    pub difference: Option<Difference>,
    /// The lines of the file, without their last line end; cut if there are many.
    pub text: String,
}

/// The first difference between the old text and a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The column of that line, counted from 1 in characters.
    pub column: usize,
    /// The line of the old text; `None` if the file has a line more here.
    pub expected: Option<String>,
    /// The line of the file; `None` if the old text has a line more here.
    pub found: Option<String>,
    /// Blanks and `^` that stand under `found`.
    pub marker: String,
}

/// Why the place was found but the new text cannot be put there without guessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unclear {
    /// Which indentation the new lines should get.
    Indentation,
    /// Which lines or characters of the new text stand for which of the file.
    Alignment,
    /// Where the blank lines of the file belong in the new text.
    BlankLines,
    /// Which parts of the new text are decorated.
    Decoration,
}

impl Unclear {
    /// What was disregarded at a level, and why that is not enough. Blank lines at the ends of the text count as a decoration, but
    /// are no escapes or fences, and the file has none there.
    fn explained_at(self, match_level: MatchLevel) -> (&'static str, &'static str) {
        match (self, match_level) {
            (Self::BlankLines, MatchLevel::Unwrapped) => (
                "the blank lines at its start or end",
                "the file does not have those, so it is unclear which ones the new text adds or removes",
            ),
            _ => (match_level.disregards(), self.sentence()),
        }
    }

    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::Indentation => "the indentation of the new lines is unclear",
            Self::Alignment => {
                "it is unclear which parts of the new text replace which parts of the file"
            }
            Self::BlankLines => {
                "it is unclear where the blank lines of the file belong in the new text"
            }
            Self::Decoration => {
                "it is unclear which parts of the new text are escaped or decorated"
            }
        }
    }
}

/// Why edits were refused. Nothing is changed when one of them fails.
///
/// `Display` gives sentences for a model, without the path of the file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// Anyone who asked does not want to know any more.
    #[error("the search was stopped.")]
    Stopped,
    /// The call has no edits.
    #[error("the call has no edits. Pass at least one replacement.")]
    NoEdits,
    /// The old text is empty.
    #[error("{} is empty. Pass the text to replace.", upper(.which))]
    EmptyOld {
        /// Which edit.
        which: Which,
    },
    /// Old and new text are the same.
    #[error("{} and the new text are identical, so there is nothing to change.", upper(.which))]
    SameText {
        /// Which edit.
        which: Which,
    },
    /// The texts differ in the byte order mark alone.
    #[error(
        "{} and the new text differ only in the byte order mark, and edits keep that of the file. Use a command to remove it.",
        upper(.which)
    )]
    OnlyMark {
        /// Which edit.
        which: Which,
    },
    /// Several places match.
    #[error("{}", ambiguous(which, places, *total, *has_more))]
    Ambiguous {
        /// Which edit.
        which: Which,
        /// The places, at most [`MAX_PLACES`], from the top down.
        places: Vec<MatchPlace>,
        /// How many places there are; of very many only the first are counted.
        total: usize,
        /// Whether there are more than were counted.
        has_more: bool,
    },
    /// No place matches.
    #[error("{}", not_found(which, *cause, candidates))]
    NotFound {
        /// Which edit.
        which: Which,
        /// What most likely went wrong.
        cause: Cause,
        /// The closest parts of the file, best first.
        candidates: Vec<Candidate>,
    },
    /// The old text is not there, but the new text is.
    #[error("{} was not found, but the new text is already at {lines}: the edit seems to have been applied.", upper(.which))]
    AlreadyApplied {
        /// Which edit.
        which: Which,
        /// Where the new text stands.
        lines: Lines,
    },
    /// The old text is only there after an earlier edit of the same call.
    #[error("{} is not in the file; only edit {} of the same call writes it. All edits are matched against the original file: merge the two edits, or make a second call.", upper(.which), .earlier + 1)]
    WrittenByEarlierEdit {
        /// Which edit.
        which: Which,
        /// The index of the earlier edit, from 0.
        earlier: usize,
    },
    /// Two edits touch the same text.
    #[error("edit {} ({first_lines}) and edit {} ({second_lines}) overlap. Merge them into one edit.", .first + 1, .second + 1)]
    Overlap {
        /// The index of the one edit, from 0.
        first: usize,
        /// Where it matched.
        first_lines: Lines,
        /// The index of the other edit, from 0.
        second: usize,
        /// Where it matched.
        second_lines: Lines,
    },
    /// The place is known, but not how the new text goes in.
    #[error("{}", unclear(which, *match_level, *lines, *reason))]
    Unclear {
        /// Which edit.
        which: Which,
        /// At which level it matched.
        match_level: MatchLevel,
        /// Where it matched.
        lines: Lines,
        /// What is not clear.
        reason: Unclear,
    },
    /// The new text has a decoration that was taken off another edit of the call.
    #[error("{} has `{sign}`, and the old text of edit {} matches only without such a decoration: it is unclear whether `{sign}` is meant \
        literally. Write all edits of the call as the file has its text, or make this edit in a call of its own.",
        new_text(.which), .decorated + 1)]
    OtherSpelling {
        /// Which edit.
        which: Which,
        /// The index of the decorated edit, from 0.
        decorated: usize,
        /// What the new text has of the decoration.
        sign: String,
    },
    /// All edits together leave the text as it is.
    #[error("the edit changes nothing: the file already has this text ({lines}).")]
    NoChange {
        /// Where the edits matched.
        lines: Lines,
    },
}

/// The most places that [`EditError::Ambiguous`] lists.
pub const MAX_PLACES: usize = 20;

fn upper(which: &Which) -> String {
    let text = which.to_string();
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

fn unclear(which: &Which, match_level: MatchLevel, lines: Lines, reason: Unclear) -> String {
    let (ignored, why) = reason.explained_at(match_level);
    format!(
        "{} matched only when ignoring {ignored} ({lines}), and {why}. Copy the text exactly from the file.",
        upper(which)
    )
}

fn new_text(which: &Which) -> String {
    format!(
        "the new text of edit {} of {}",
        which.index + 1,
        which.total
    )
}

fn ambiguous(which: &Which, places: &[MatchPlace], total: usize, has_more: bool) -> String {
    // Single lines share the word.
    let are_lines = places.len() > 1
        && places.iter().all(|place| {
            place.match_level == Some(MatchLevel::Exact) && place.lines.first == place.lines.last
        });
    let mut listed: Vec<String> = places
        .iter()
        .map(|place| match place.match_level {
            _ if are_lines => place.lines.first.to_string(),
            None => format!("{} (with several differences)", place.lines),
            Some(MatchLevel::Exact) => place.lines.to_string(),
            Some(match_level) => format!("{} (ignoring {})", place.lines, match_level.disregards()),
        })
        .collect();
    if has_more {
        listed.push("and so on".to_owned());
    } else if total > listed.len() {
        listed.push(format!("{} more", total - listed.len()));
    }
    if let (true, Some(first)) = (are_lines, listed.first_mut()) {
        first.insert_str(0, "lines ");
    }
    let more = if has_more { "more than " } else { "" };
    format!(
        "{} occurs {more}{total} times ({}). Add surrounding lines to make it unique.",
        upper(which),
        listed.join(", ")
    )
}

fn not_found(which: &Which, cause: Cause, candidates: &[Candidate]) -> String {
    let mut text = format!("{} was not found. {}", upper(which), cause.advice());
    for candidate in candidates {
        text.push_str(&closest(candidate));
    }
    text
}

/// A line about a candidate, with its first difference.
pub(crate) fn closest(candidate: &Candidate) -> String {
    let percent = (candidate.similarity * 100.0).floor();
    let mut text = format!("\nClosest: {} ({percent:.0} % alike)", candidate.lines);
    match &candidate.difference {
        Some(difference) => text.push_str(&describe(difference)),
        None => text.push('.'),
    }
    text
}

fn describe(difference: &Difference) -> String {
    let mut text = format!(
        ", first difference at line {}, column {}:",
        difference.line, difference.column
    );
    let shown = |line: &Option<String>, absent: &str| match line {
        Some(line) => near(&show_blanks(line), difference.column),
        None => absent.to_owned(),
    };
    text.push_str(&format!(
        "\n  old text: {}\n  the file: {}",
        shown(&difference.expected, "(no such line)"),
        shown(&difference.found, "(no such line)")
    ));
    if difference.found.is_some() && !difference.marker.is_empty() {
        let marker = near(&difference.marker.replace('\t', " "), difference.column);
        text.push_str(&format!("\n            {}", marker.trim_end()));
    }
    text
}

/// The part of a long line around a column, counted from 1; a short one whole.
fn near(line: &str, column: usize) -> String {
    const BEFORE: usize = 100;
    const SHOWN: usize = 300;
    if line.len() <= SHOWN {
        return line.to_owned();
    }
    let skipped = column.saturating_sub(BEFORE);
    line.chars().skip(skipped).take(SHOWN).collect()
}

/// Makes tabs, special spaces and whitespace at the end of a line visible.
fn show_blanks(line: &str) -> String {
    let body = line.trim_end_matches(' ');
    let mut shown: String = body
        .chars()
        .map(|c| match c {
            '\t' => '→',
            '\r' => '␍',
            '\u{a0}' | '\u{202f}' => '⍽',
            c => c,
        })
        .collect();
    shown.extend(std::iter::repeat_n('·', line.len() - body.len()));
    shown
}
