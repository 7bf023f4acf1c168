//! What to report about an old text that stands nowhere.

use std::collections::HashMap;

use crate::diff::{common_prefix, common_suffix, inline_difference};
use crate::error::{Candidate, Cause, Difference, EditError, Lines, Which};
use crate::fold::{Level, is_blank};
use crate::line_table::{LineTable, TableLine};
use crate::lines::{CallLine, call_lines, file_line, lines_of, solid_length, words_key};
use crate::matcher::index::TextIndex;
use crate::matcher::unwrap::looks_numbered;
use crate::matcher::views;
use crate::matcher::whole_lines::SameWords;
use crate::plan::Replacement;

/// How many candidates are named.
const MAX_CANDIDATES: usize = 3;
/// How many lines of a candidate are quoted.
const MAX_QUOTED_LINES: usize = 40;
/// How many bytes of a candidate are quoted.
const MAX_QUOTED_BYTES: usize = 16 * 1024;
/// How many lines of the old text take part in the search for candidates.
const MAX_VOTERS: usize = 200;
/// How many lines of the file are compared letter by letter when no line is the same.
const MAX_COMPARED: usize = 200;
/// How many places of single lines are weighed when candidates are looked for.
const MAX_VOTES: usize = 100_000;
/// How many pairs of letters are compared for all candidates together; what is left is compared from both ends only.
const MAX_LETTER_PAIRS: usize = 8_000_000;
/// Under this a candidate is not like the old text at all.
const MIN_SIMILARITY: f64 = 0.4;
/// A new text shorter than this, whitespace not counted, says nothing by standing in the file.
const MIN_APPLIED_TEXT: usize = 4;

/// Why the old text is not there, and what is there instead.
pub(crate) fn not_found(
    index: &TextIndex<'_>,
    edit: &Replacement<'_>,
    which: Which,
    near: &[SameWords],
    earlier: &[Replacement<'_>],
) -> EditError {
    let plain = |text: &str| text.replace("\r\n", "\n");
    let old = plain(edit.old);
    if let Some(earlier) = earlier
        .iter()
        .position(|edit| plain(edit.new).contains(&old))
    {
        return EditError::WrittenByEarlierEdit { which, earlier };
    }
    if let Some(lines) = applied_already(index, edit) {
        return EditError::AlreadyApplied { which, lines };
    }
    let call = call_lines(edit.old);
    let candidates = candidates(index, &call, near);
    let cause = cause(index, edit.old, near, &candidates);
    EditError::NotFound {
        which,
        cause,
        candidates,
    }
}

/// Where the new text stands, if it stands at one place and says more than the old one left.
fn applied_already(index: &TextIndex<'_>, edit: &Replacement<'_>) -> Option<Lines> {
    if solid_length(edit.new) < MIN_APPLIED_TEXT || edit.old.contains(edit.new) {
        return None;
    }
    let mut ranges = views::exact(index, edit.new);
    if ranges.is_empty() {
        let folded = views::folded(index, edit.new, Level::TrailingBlanks);
        ranges = folded.into_iter().map(|found| found.range).collect();
    }
    match ranges.as_slice() {
        [range] => Some(lines_of(index.text, range)),
        _ => None,
    }
}

pub(crate) fn candidates(
    index: &TextIndex<'_>,
    call: &[CallLine<'_>],
    near: &[SameWords],
) -> Vec<Candidate> {
    let solid: Vec<CallLine<'_>> = call
        .iter()
        .filter(|line| !line.is_blank())
        .copied()
        .collect();
    if solid.is_empty() {
        return Vec::new();
    }
    let whole_table = index.table();
    let table = &whole_table.lines;
    let mut windows: Vec<usize> = near
        .iter()
        .map(|place| {
            let start = place.found.anchor(index.text, call);
            table.partition_point(|line| line.start < start)
        })
        .collect();
    if windows.is_empty() {
        windows = voted(whole_table, &solid);
    }
    if windows.is_empty() {
        windows = by_longest_line(index.text, table, &solid);
    }
    let mut letter_pairs = MAX_LETTER_PAIRS;
    let mut candidates: Vec<Candidate> = windows
        .into_iter()
        .take(4 * MAX_CANDIDATES)
        .filter_map(|start| candidate(index.text, table, &solid, start, &mut letter_pairs))
        .filter(|candidate| candidate.similarity >= MIN_SIMILARITY)
        .collect();
    candidates.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    candidates.dedup_by_key(|candidate| candidate.lines);
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// Where the old text would begin if those of its lines that stand in the file were right. Lines that
/// stand there often say little, so the rare ones come first.
fn voted(table: &LineTable, solid: &[CallLine<'_>]) -> Vec<usize> {
    let mut voters: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for (at, line) in solid.iter().enumerate().take(MAX_VOTERS) {
        let weight = solid_length(line.body);
        if weight > 2 {
            voters
                .entry(words_key(line.body))
                .or_default()
                .push((at, weight));
        }
    }
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (position, line) in table.lines.iter().enumerate() {
        if voters.contains_key(&line.key) {
            let places = places.entry(line.key).or_default();
            // One more than can ever be weighed shows that there are too many.
            if places.len() <= MAX_VOTES {
                places.push(position);
            }
        }
    }
    let mut rarest: Vec<(usize, u64)> = places
        .iter()
        .map(|(key, places)| (places.len() * voters.get(key).map_or(0, Vec::len), *key))
        .collect();
    rarest.sort_unstable();
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let mut cast = 0;
    for (count, key) in rarest {
        cast += count;
        if cast > MAX_VOTES {
            break;
        }
        for position in places.get(&key).into_iter().flatten() {
            for (at, weight) in voters.get(&key).into_iter().flatten() {
                if let Some(start) = position.checked_sub(*at) {
                    *votes.entry(start).or_default() += weight;
                }
            }
        }
    }
    let mut ranked: Vec<(usize, usize)> = votes.into_iter().collect();
    ranked.sort_by_key(|(start, weight)| (std::cmp::Reverse(*weight), *start));
    ranked.into_iter().map(|(start, _)| start).collect()
}

/// Where the longest line of the old text has its most similar lines.
fn by_longest_line(text: &str, table: &[TableLine], solid: &[CallLine<'_>]) -> Vec<usize> {
    let Some((at, line)) = solid
        .iter()
        .enumerate()
        .max_by_key(|(_, line)| line.body.len())
    else {
        return Vec::new();
    };
    let wanted = line.body.trim();
    let mut rough: Vec<(usize, usize)> = table
        .iter()
        .enumerate()
        .filter_map(|(position, line)| {
            let body = text.get(file_line(text, line.start).0)?.trim();
            let (short, long) = (body.len().min(wanted.len()), body.len().max(wanted.len()));
            (short * 2 >= long).then(|| (letters_in_common(body, wanted), position))
        })
        .collect();
    rough.sort_by_key(|(common, position)| (std::cmp::Reverse(*common), *position));
    rough.truncate(MAX_COMPARED);
    let mut exact: Vec<(f64, usize)> = rough
        .into_iter()
        .filter_map(|(_, position)| {
            let start = table.get(position)?.start;
            let body = text.get(file_line(text, start).0)?.trim();
            let similarity = inline_difference(wanted, body).similarity;
            (similarity >= MIN_SIMILARITY).then_some((similarity, position.checked_sub(at)?))
        })
        .collect();
    exact.sort_by(|a, b| b.0.total_cmp(&a.0));
    exact.into_iter().map(|(_, start)| start).collect()
}

/// A quick upper bound of the similarity: how many bytes the two lines have in common, in
/// whatever order.
fn letters_in_common(left: &str, right: &str) -> usize {
    let mut counts = [0_i32; 256];
    for byte in left.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    right
        .bytes()
        .filter(|byte| {
            counts.get_mut(usize::from(*byte)).is_some_and(|count| {
                *count -= 1;
                *count >= 0
            })
        })
        .count()
}

fn candidate(
    text: &str,
    table: &[TableLine],
    solid: &[CallLine<'_>],
    start: usize,
    letter_pairs: &mut usize,
) -> Option<Candidate> {
    let end = (start + solid.len()).min(table.len());
    let lines = table.get(start..end)?;
    let (first, last) = (lines.first()?, lines.last()?);
    let (mut common, mut total) = (0.0, 0.0);
    let mut difference = None;
    for at in 0..solid.len() {
        let expected = solid.get(at).map(|line| line.body);
        let found = lines
            .get(at)
            .and_then(|line| text.get(file_line(text, line.start).0))
            .map(|line| line.trim_end_matches('\r'));
        let (ours, theirs) = (expected.unwrap_or_default(), found.unwrap_or_default());
        let weight = length(ours) + length(theirs);
        if ours == theirs {
            common += weight;
            total += weight;
            continue;
        }
        let pairs = ours.len().saturating_mul(theirs.len());
        if difference.is_some() && pairs > *letter_pairs {
            common += (2.0 * length_of_ends(ours, theirs)).min(weight);
            total += weight;
            continue;
        }
        *letter_pairs = letter_pairs.saturating_sub(pairs);
        let inline = inline_difference(ours, theirs);
        common += inline.similarity * weight;
        total += weight;
        if difference.is_none() && inline.column.is_some() {
            difference = Some(Difference {
                line: lines.get(at).unwrap_or(last).index + 1,
                column: inline.column.unwrap_or(1),
                expected: expected.map(str::to_owned),
                found: found.map(str::to_owned),
                marker: inline.marker,
            });
        }
    }
    let range = first.start..file_line(text, last.start).0.end;
    Some(Candidate {
        lines: Lines {
            first: first.index + 1,
            last: last.index + 1,
        },
        similarity: if total > 0.0 { common / total } else { 1.0 },
        difference,
        text: quoted(text.get(range)?),
    })
}

/// The first lines of a candidate, without their ends.
fn quoted(text: &str) -> String {
    let mut left = MAX_QUOTED_BYTES;
    let mut quoted = String::new();
    for line in text.split('\n').take(MAX_QUOTED_LINES) {
        if !quoted.is_empty() {
            quoted.push('\n');
        }
        let line = line.trim_end_matches('\r');
        let shown = line
            .get(..line.floor_char_boundary(left))
            .unwrap_or_default();
        quoted.push_str(shown);
        left -= shown.len();
        if shown.len() < line.len() {
            break;
        }
    }
    quoted
}

fn length(line: &str) -> f64 {
    count(line.chars().count())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lengths of lines are far below 2^52"
)]
const fn count(letters: usize) -> f64 {
    letters as f64
}

/// The letters that two lines have in common at their two ends.
fn length_of_ends(left: &str, right: &str) -> f64 {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let head = common_prefix(left, right);
    let (left, right) = (left.get(head..), right.get(head..));
    let tail = common_suffix(left.unwrap_or_default(), right.unwrap_or_default());
    count(head + tail)
}

fn cause(index: &TextIndex<'_>, old: &str, near: &[SameWords], candidates: &[Candidate]) -> Cause {
    if looks_numbered(old) {
        return Cause::LineNumbers;
    }
    if old.lines().any(is_elision) {
        return Cause::Elided;
    }
    if let Some(place) = near.first() {
        if !place.has_odd_indentation {
            let is_too_short = near.iter().all(|place| place.is_too_short);
            return if is_too_short {
                Cause::TooShort
            } else {
                Cause::WhiteSpace
            };
        }
        let text = index
            .text
            .get(place.found.range.clone())
            .unwrap_or_default();
        let has_tabs = |text: &str| text.lines().any(|line| line.starts_with('\t'));
        return if has_tabs(text) == has_tabs(old) {
            Cause::Indentation
        } else {
            Cause::TabsOrBlanks
        };
    }
    let Some(best) = candidates.first() else {
        return Cause::NotInFile;
    };
    let squeezed = |text: &str| -> String { text.chars().filter(|c| !is_blank(*c)).collect() };
    let (ours, theirs) = (squeezed(old.trim()), squeezed(best.text.trim()));
    if ours.to_lowercase() == theirs.to_lowercase() {
        return if ours == theirs {
            Cause::WhiteSpace
        } else {
            Cause::Case
        };
    }
    let unescaped = |text: &str| text.replace("\\n", "").replace(['\\', '\n'], "");
    if unescaped(&ours) == unescaped(&theirs) {
        return Cause::Escapes;
    }
    Cause::Differs
}

/// A line that stands for lines left out: three dots, alone or in a comment.
fn is_elision(line: &str) -> bool {
    let body = line
        .trim()
        .trim_matches(|c| matches!(c, '/' | '#' | '*' | '-' | '<' | '!' | '>' | ' '));
    (body.starts_with("...") || body.starts_with('…')) && body.len() < line.len().max(4) && {
        body.trim_start_matches(['.', '…']).trim().is_empty()
            || body.trim_start_matches(['.', '…']).contains("existing")
            || body.trim_start_matches(['.', '…']).contains("rest of")
    }
}
