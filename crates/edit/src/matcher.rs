//! From edits to a plan: each old text is matched against the original, all or nothing.

use crate::error::{Cause, EditError, Lines, MAX_PLACES, MatchPlace, Which};
use crate::lines::{BYTE_ORDER_MARK, LineCounter, call_lines, lines_of};
use crate::plan::{Match, MatchLevel, Options, Plan, Replacement, Splice};

mod blank_lines;
pub(crate) mod diagnose;
pub(crate) mod found;
pub(crate) mod indentation;
pub(crate) mod index;
mod locate;
pub(crate) mod merge;
pub(crate) mod one_spelling;
mod output;
pub(crate) mod render;
pub(crate) mod script;
mod spelling;
mod tokens;
mod unwrap;
mod views;
pub(crate) mod whole_lines;

use found::LocatedMatch;
use index::TextIndex;
use locate::{Candidate, Depth, Located, locate};
use unwrap::Unwrapped;

/// How many times as long as the text numbers, escapes and whitespace can make a copy of all of it, generously.
const DECORATED_FACTOR: usize = 16;
/// The same for what is around a copy, and for very short texts.
const DECORATED_EXTRA_BYTES: usize = 1024 * 1024;

/// Plans edits on a text. All old texts are matched against the text as it is; either all
/// edits can be made or none is.
///
/// An old text has to stand at exactly one place (unless [`Options::replace_all`] is set). It is
/// looked for byte by byte first, then on the weaker levels of [`MatchLevel`]; a weaker match keeps the
/// bytes of the file for every line that the new text leaves alone. Offsets of the plan are
/// bytes of `text`. A byte order mark at the start of the text is never touched.
///
/// # Errors
///
/// [`EditError`] says which edit was refused, why, and what stands in the file instead.
///
/// # Examples
///
/// ```
/// use tenon_edit::{Options, Replacement, MatchLevel, plan};
///
/// let text = "fn main() {\r\n    run();\r\n}\r\n";
/// let edit = Replacement { old: "    run();\n}", new: "    walk();\n}" };
/// let plan = plan(text, &[edit], Options::default())?;
/// assert_eq!(plan.apply(text), "fn main() {\r\n    walk();\r\n}\r\n");
/// assert_eq!(plan.weakest_rung(), MatchLevel::LineEnds);
/// # Ok::<(), tenon_edit::EditError>(())
/// ```
pub fn plan(text: &str, edits: &[Replacement<'_>], options: Options) -> Result<Plan, EditError> {
    plan_while(text, edits, options, &|| true)
}

/// [`plan`] as long as `go_on` answers `true`; it is asked before each edit.
///
/// # Errors
///
/// As [`plan`], and [`EditError::Stopped`].
pub fn plan_while(
    text: &str,
    edits: &[Replacement<'_>],
    options: Options,
    go_on: &dyn Fn() -> bool,
) -> Result<Plan, EditError> {
    if edits.is_empty() {
        return Err(EditError::NoEdits);
    }
    let index = TextIndex::new(text);
    let mut pieces: Vec<(Match, Splice)> = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let which = Which {
            index: at,
            total: edits.len(),
        };
        if !go_on() {
            return Err(EditError::Stopped);
        }
        let sent = edit;
        let edit = without_mark(text, *sent);
        if edit.old == edit.new && sent.old != sent.new {
            return Err(EditError::OnlyMark { which });
        }
        check(&edit, which)?;
        let whole = with_whole_end(&index, &edit);
        let edit = whole
            .as_ref()
            .map_or(edit, |(old, new)| Replacement { old, new });
        let earlier = edits.get(..at).unwrap_or_default();
        pieces.extend(plan_one(&index, &edit, which, options, earlier)?);
    }
    one_spelling::check(text, edits, &pieces)?;
    pieces.sort_by_key(|(found, _)| (found.range.start, found.range.end));
    check_overlap(text, &pieces)?;
    check_change(text, &pieces)?;
    number_lines(text, &mut pieces);
    let splices = pieces.iter().map(|(_, splice)| splice.clone()).collect();
    let mut matches: Vec<Match> = pieces.into_iter().map(|(found, _)| found).collect();
    matches.sort_by_key(|found| (found.edit, found.range.start));
    Ok(Plan { splices, matches })
}

/// A byte order mark in the call stands for the one that the caller or the file sets aside.
fn without_mark<'a>(text: &str, edit: Replacement<'a>) -> Replacement<'a> {
    let Some(old) = edit.old.strip_prefix(BYTE_ORDER_MARK) else {
        return edit;
    };
    if text.starts_with(BYTE_ORDER_MARK) || !text.contains(BYTE_ORDER_MARK) {
        let new = edit.new.strip_prefix(BYTE_ORDER_MARK).unwrap_or(edit.new);
        return Replacement { old, new };
    }
    edit
}

/// Texts that both end in the middle of a CRLF, as one line of a text that was split at its newlines, mean all
/// of it.
fn with_whole_end(index: &TextIndex<'_>, edit: &Replacement<'_>) -> Option<(String, String)> {
    let is_cut = edit.old.ends_with('\r')
        && edit.new.ends_with('\r')
        && views::exact(index, edit.old).is_empty();
    is_cut.then(|| (format!("{}\n", edit.old), format!("{}\n", edit.new)))
}

fn check(edit: &Replacement<'_>, which: Which) -> Result<(), EditError> {
    if edit.old.is_empty() {
        return Err(EditError::EmptyOld { which });
    }
    if edit.old == edit.new {
        return Err(EditError::SameText { which });
    }
    Ok(())
}

/// Whether an old text is too long for any place of the text, however it was decorated: then it is not compared
/// with all of them.
fn is_beyond(text: &str, old: &str) -> bool {
    old.len() > text.len().saturating_mul(DECORATED_FACTOR) + DECORATED_EXTRA_BYTES
}

fn plan_one(
    index: &TextIndex<'_>,
    edit: &Replacement<'_>,
    which: Which,
    options: Options,
    earlier: &[Replacement<'_>],
) -> Result<Vec<(Match, Splice)>, EditError> {
    if is_beyond(index.text, edit.old) {
        return Err(EditError::NotFound {
            which,
            cause: Cause::NotInFile,
            candidates: Vec::new(),
        });
    }
    let depth = Depth {
        weakest: MatchLevel::InnerBlanks,
        all: options.replace_all,
    };
    match locate(index, edit.old, depth) {
        Located::At(found) => {
            let weakest = found
                .iter()
                .map(|one| one.match_level)
                .max()
                .unwrap_or(MatchLevel::Exact);
            if weakest >= MatchLevel::Typography {
                unwrap::check_twins(index, edit, &found, which)?;
            }
            let pieces = found
                .iter()
                .map(|one| piece(index, one, edit, which))
                .collect();
            match (pieces, found.as_slice()) {
                (Err(unclear), [found]) if found.match_level == MatchLevel::BlankLines => {
                    without_outer_lines(index, edit, which, found)?.ok_or(unclear)
                }
                (pieces, _) => pieces,
            }
        }
        Located::Several(candidates, has_more) => {
            Err(ambiguous(index.text, which, &candidates, has_more))
        }
        Located::Nowhere(near) => match unwrap::unwrapped(index, edit, which, &near)? {
            Some(unwrapped) => unwrapped_piece(index, &unwrapped, which),
            None => Err(diagnose::not_found(index, edit, which, &near, earlier)),
        },
    }
}

/// Where blank lines of the call are too many at its ends only, it is clear without them.
fn without_outer_lines(
    index: &TextIndex<'_>,
    edit: &Replacement<'_>,
    which: Which,
    found: &LocatedMatch,
) -> Result<Option<Vec<(Match, Splice)>>, EditError> {
    let anchor = found.anchor(index.text, &call_lines(edit.old));
    let Some(unwrapped) = unwrap::unwrapped(index, edit, which, &[])? else {
        return Ok(None);
    };
    let bare = call_lines(&unwrapped.edit.old);
    if unwrapped.found.anchor(index.text, &bare) != anchor {
        return Ok(None);
    }
    unwrapped_piece(index, &unwrapped, which).map(Some)
}

fn unwrapped_piece(
    index: &TextIndex<'_>,
    unwrapped: &Unwrapped,
    which: Which,
) -> Result<Vec<(Match, Splice)>, EditError> {
    let bare = Replacement {
        old: &unwrapped.edit.old,
        new: &unwrapped.edit.new,
    };
    let (mut matched, splice) = piece(index, &unwrapped.found, &bare, which)?;
    matched.match_level = MatchLevel::Unwrapped;
    matched.decoration = Some(unwrapped.decoration);
    Ok(vec![(matched, splice)])
}

fn piece(
    index: &TextIndex<'_>,
    found: &LocatedMatch,
    edit: &Replacement<'_>,
    which: Which,
) -> Result<(Match, Splice), EditError> {
    let range = found.range.clone();
    let replacement =
        render::render(index, found, edit.old, edit.new).map_err(|reason| EditError::Unclear {
            which,
            match_level: found.match_level,
            lines: lines_of(index.text, &range),
            reason,
        })?;
    let matched = Match {
        edit: which.index,
        match_level: found.match_level,
        decoration: None,
        range: range.clone(),
        first_line: 0,
        last_line: 0,
    };
    Ok((matched, Splice { range, replacement }))
}

fn ambiguous(text: &str, which: Which, candidates: &[Candidate], has_more: bool) -> EditError {
    let mut counter = LineCounter::new(text);
    let places = candidates
        .iter()
        .take(MAX_PLACES)
        .map(|one| MatchPlace {
            lines: counter.lines_of(&one.range),
            match_level: one.match_level,
        })
        .collect();
    EditError::Ambiguous {
        which,
        places,
        total: candidates.len(),
        has_more,
    }
}

fn check_overlap(text: &str, pieces: &[(Match, Splice)]) -> Result<(), EditError> {
    for ((left, _), (right, _)) in pieces.iter().zip(pieces.iter().skip(1)) {
        let is_same = left.range == right.range;
        if is_same || right.range.start < left.range.end {
            let (first, second) = if left.edit <= right.edit {
                (left, right)
            } else {
                (right, left)
            };
            return Err(EditError::Overlap {
                first: first.edit,
                first_lines: lines_of(text, &first.range),
                second: second.edit,
                second_lines: lines_of(text, &second.range),
            });
        }
    }
    Ok(())
}

/// Edits beside each other can cancel out, so the text as a whole is compared. `pieces` are in order.
fn check_change(text: &str, pieces: &[(Match, Splice)]) -> Result<(), EditError> {
    let mut before = String::new();
    let mut after = String::new();
    let mut position = None;
    for (_, splice) in pieces {
        let kept = text.get(position.unwrap_or(splice.range.start)..splice.range.start);
        for side in [&mut before, &mut after] {
            side.push_str(kept.unwrap_or_default());
        }
        before.push_str(text.get(splice.range.clone()).unwrap_or_default());
        after.push_str(&splice.replacement);
        position = Some(splice.range.end);
    }
    if before != after {
        return Ok(());
    }
    let lines = pieces
        .first()
        .map_or(Lines { first: 1, last: 1 }, |(found, _)| {
            lines_of(text, &found.range)
        });
    Err(EditError::NoChange { lines })
}

fn number_lines(text: &str, pieces: &mut [(Match, Splice)]) {
    let mut counter = LineCounter::new(text);
    for (found, _) in pieces {
        let lines = counter.lines_of(&found.range);
        (found.first_line, found.last_line) = (lines.first, lines.last);
    }
}

#[cfg(test)]
mod tests;
