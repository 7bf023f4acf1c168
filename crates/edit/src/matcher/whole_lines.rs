//! Match levels 5 to 7: the old text as whole lines, found by their words.
//!
//! One search finds every place whose lines have the same words in the same order, whatever
//! the indentation, the blank lines and the whitespace inside lines. What sets a place apart from
//! the old text then says at which level it matches, if at any.

use std::ops::Range;

use crate::line_table::{LineTable, TableLine};
use crate::lines::{
    CallLine, file_line, has_same_words, indentation, same_trimmed, solid_length, words_key,
};
use crate::matcher::blank_lines::{Gap, Gaps};
use crate::matcher::found::LocatedMatch;
use crate::matcher::indentation::IndentationMap;
use crate::matcher::index::TextIndex;
use crate::matcher::views::most_places;
use crate::plan::MatchLevel;

/// At level 5 one line has to be at least this long, whitespace not counted.
const INDENTATION_MIN_LINE: usize = 8;
/// Or several lines together have to be.
const INDENTATION_MIN_TEXT: usize = 12;
/// At level 7 all lines together have to be at least this long, whitespace not counted.
const INNER_BLANKS_MIN_TEXT: usize = 12;
/// So many times as much work as finding a place byte by byte is it to compare its words.
const WORDS_FACTOR: usize = 8;

/// A place with the same words.
#[derive(Debug, Clone)]
pub(crate) struct SameWords {
    pub(crate) found: LocatedMatch,
    /// Whether the place matches at the level that `found` names, or at none, as it differs in
    /// too many respects.
    pub(crate) is_match: bool,
    /// Whether the indentation is what sets it apart, with no consistent map.
    pub(crate) has_odd_indentation: bool,
    /// Whether it would match but for the length of the old text.
    pub(crate) is_too_short: bool,
}

/// The solid lines of a call with their place among its lines.
struct Needle<'a> {
    call: &'a [CallLine<'a>],
    solid: Vec<usize>,
    keys: Vec<u64>,
}

impl<'a> Needle<'a> {
    fn new(call: &'a [CallLine<'a>]) -> Self {
        let solid: Vec<usize> = call
            .iter()
            .enumerate()
            .filter_map(|(index, line)| (!line.is_blank()).then_some(index))
            .collect();
        let keys = solid
            .iter()
            .filter_map(|at| call.get(*at))
            .map(|line| words_key(line.body));
        Self {
            call,
            keys: keys.collect(),
            solid,
        }
    }

    fn body(&self, index: usize) -> &'a str {
        self.solid
            .get(index)
            .and_then(|at| self.call.get(*at))
            .map_or("", |line| line.body)
    }
}

/// The places that have the words of the call: as many as are of use, so always more than one if there are more.
pub(crate) fn same_words_places(index: &TextIndex<'_>, call: &[CallLine<'_>]) -> Vec<SameWords> {
    same_words(index, call, most_same_words(call) + 1)
}

/// Most places with the words of the call that are reported.
pub(crate) fn most_same_words(call: &[CallLine<'_>]) -> usize {
    let length: usize = call.iter().map(|line| line.body.len() + 1).sum();
    most_places(length.saturating_mul(WORDS_FACTOR))
}

/// All places that have the words of the call.
pub(crate) fn all_same_words_places(
    index: &TextIndex<'_>,
    call: &[CallLine<'_>],
) -> Vec<SameWords> {
    same_words(index, call, usize::MAX)
}

/// Whether the words of the call stand at the line, counted from 1.
pub(crate) fn has_same_words_at(index: &TextIndex<'_>, call: &[CallLine<'_>], line: usize) -> bool {
    let needle = Needle::new(call);
    let table = index.table();
    let first = needle.solid.first().map(|blank_lines| line + blank_lines);
    let Some(start) = first.and_then(|line| index.start_of_line(line)) else {
        return false;
    };
    let at = table.lines.partition_point(|line| line.start < start);
    let is_there = table.lines.get(at).is_some_and(|line| line.start == start);
    is_there && table.is_run(at, &needle.keys) && classify(index.text, table, &needle, at).is_some()
}

/// The place with the words of the call that ends the file.
pub(crate) fn same_words_at_end(index: &TextIndex<'_>, call: &[CallLine<'_>]) -> Option<SameWords> {
    let needle = Needle::new(call);
    let table = index.table();
    let start = table.lines.len().checked_sub(needle.keys.len())?;
    let is_there = !needle.keys.is_empty() && table.is_run(start, &needle.keys);
    let place = is_there.then(|| classify(index.text, table, &needle, start))??;
    (place.found.range.end == index.text.len()).then_some(place)
}

fn same_words(index: &TextIndex<'_>, call: &[CallLine<'_>], most: usize) -> Vec<SameWords> {
    let needle = Needle::new(call);
    let table = index.table();
    table
        .runs(&needle.keys)
        .into_iter()
        .filter_map(|start| classify(index.text, table, &needle, start))
        .take(most)
        .collect()
}

fn classify(text: &str, table: &LineTable, needle: &Needle<'_>, start: usize) -> Option<SameWords> {
    let lines = table.lines.get(start..start + needle.keys.len())?;
    let bodies: Vec<&str> = lines
        .iter()
        .map(|line| text.get(file_line(text, line.start).0).unwrap_or_default())
        .collect();
    let pairs = || {
        (0..bodies.len())
            .map(|at| needle.body(at))
            .zip(bodies.iter().copied())
    };
    if !pairs().all(|(call, file)| call == file || has_same_words(call, file)) {
        return None;
    }
    let shifted = pairs().any(|(call, file)| is_shifted(indentation(call), indentation(file)));
    let respaced = pairs().any(|(call, file)| call != file && !same_trimmed(call, file));
    let gaps = gaps(text, table, needle, start, lines);
    let thinned = gaps.gaps.iter().any(|gap| gap.call != gap.file);

    let map = if shifted {
        IndentationMap::infer(pairs().map(|(call, file)| (indentation(call), indentation(file))))
    } else {
        None
    };
    let has_odd_indentation = shifted && map.is_none();
    // The match level, whether the place is of its kind, and whether the old text is long enough for it.
    let (match_level, fits, is_long) = match (shifted, thinned, respaced) {
        (false, false, false) => (MatchLevel::Typography, true, true),
        (true, false, false) => (
            MatchLevel::Indentation,
            map.is_some(),
            has_long_line(needle, INDENTATION_MIN_LINE)
                || (needle.solid.len() > 1 && solid_total(needle) >= INDENTATION_MIN_TEXT),
        ),
        (false, true, false) => (MatchLevel::BlankLines, true, needle.solid.len() >= 2),
        (false, false, true) => (
            MatchLevel::InnerBlanks,
            true,
            solid_total(needle) >= INNER_BLANKS_MIN_TEXT,
        ),
        _ => (MatchLevel::InnerBlanks, false, true),
    };
    let found = assemble(text, needle, gaps, match_level, map)?;
    Some(SameWords {
        found,
        is_match: fits && is_long,
        has_odd_indentation,
        is_too_short: fits && !is_long,
    })
}

/// Whether two indentations differ in more than the kind of their whitespace.
fn is_shifted(call: &str, file: &str) -> bool {
    let plain = |c: char| if c == '\t' { '\t' } else { ' ' };
    call != file && !call.chars().map(plain).eq(file.chars().map(plain))
}

fn has_long_line(needle: &Needle<'_>, length: usize) -> bool {
    (0..needle.solid.len()).any(|at| solid_length(needle.body(at)) >= length)
}

fn solid_total(needle: &Needle<'_>) -> usize {
    (0..needle.solid.len())
        .map(|at| solid_length(needle.body(at)))
        .sum()
}

/// The blank lines of call and file around each solid line.
fn gaps(
    text: &str,
    table: &LineTable,
    needle: &Needle<'_>,
    start: usize,
    lines: &[TableLine],
) -> Gaps {
    let mut solid: Vec<Range<usize>> = lines
        .iter()
        .map(|line| file_line(text, line.start).1)
        .collect();
    let call_gaps = call_gaps(needle);
    let mut gaps = Vec::with_capacity(lines.len() + 1);
    for (at, &call) in call_gaps.iter().enumerate() {
        let before = (start + at)
            .checked_sub(1)
            .and_then(|before| table.lines.get(before));
        let after = table.lines.get(start + at);
        let first = before.map_or_else(
            || crate::lines::text_start(text),
            |line| file_line(text, line.start).1.end,
        );
        let last = after.map_or(text.len(), |line| line.start);
        let all = before_to_after(before, after, table.total);
        let (file, bytes) = if at == 0 {
            last_lines(text, first..last, call.min(all))
        } else if at == lines.len() {
            first_lines(text, first..last, call.min(all))
        } else {
            (all, first..last)
        };
        gaps.push(Gap { call, file, bytes });
    }
    let is_open = needle.solid.last().and_then(|at| needle.call.get(*at));
    if is_open.is_some_and(|line| !line.ended)
        && let (Some(last), Some(line)) = (solid.last_mut(), lines.last())
    {
        last.end = file_line(text, line.start).0.end;
    }
    Gaps { gaps, solid }
}

fn before_to_after(before: Option<&TableLine>, after: Option<&TableLine>, total: usize) -> usize {
    let from = before.map_or(0, |line| line.index + 1);
    after.map_or(total, |line| line.index).saturating_sub(from)
}

/// The number of ended blank lines before each solid line of the call and behind the last.
fn call_gaps(needle: &Needle<'_>) -> Vec<usize> {
    let mut gaps = vec![0];
    for line in needle.call {
        if !line.is_blank() {
            gaps.push(0);
        } else if line.ended
            && let Some(last) = gaps.last_mut()
        {
            *last += 1;
        }
    }
    gaps
}

fn first_lines(text: &str, range: Range<usize>, count: usize) -> (usize, Range<usize>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let length: usize = part.split_inclusive('\n').take(count).map(str::len).sum();
    (count, range.start..range.start + length)
}

fn last_lines(text: &str, range: Range<usize>, count: usize) -> (usize, Range<usize>) {
    let part = text.get(range.clone()).unwrap_or_default();
    let skipped = part.split_inclusive('\n').count().saturating_sub(count);
    let length: usize = part.split_inclusive('\n').skip(skipped).map(str::len).sum();
    (count, range.end - length..range.end)
}

/// The match as a whole. Blank lines of the call are given those of the file where their
/// numbers are the same; where they are not, only match level 6 can use the place.
fn assemble(
    text: &str,
    needle: &Needle<'_>,
    gaps: Gaps,
    match_level: MatchLevel,
    indentation: Option<IndentationMap>,
) -> Option<LocatedMatch> {
    let start = gaps.gaps.first()?.bytes.start;
    let ended = needle
        .solid
        .last()
        .and_then(|at| needle.call.get(*at))?
        .ended;
    let end = if ended {
        gaps.gaps.last()?.bytes.end
    } else {
        gaps.solid.last()?.end
    };
    let has_tail = needle
        .call
        .last()
        .is_some_and(|line| line.is_blank() && !line.ended);
    let mut places = Vec::with_capacity(needle.call.len());
    if match_level != MatchLevel::BlankLines {
        places = even_places(text, &gaps);
        if has_tail {
            places.push(end..end);
        }
    }
    let gaps = (match_level == MatchLevel::BlankLines).then_some(gaps);
    Some(LocatedMatch {
        match_level,
        range: start..end,
        places,
        indentation,
        gaps,
    })
}

/// The bytes of the file for each line of the call, blank ones included.
fn even_places(text: &str, gaps: &Gaps) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (at, gap) in gaps.gaps.iter().enumerate() {
        let mut start = gap.bytes.start;
        for line in text
            .get(gap.bytes.clone())
            .unwrap_or_default()
            .split_inclusive('\n')
        {
            places.push(start..start + line.len());
            start += line.len();
        }
        places.extend(gaps.solid.get(at).cloned());
    }
    places
}
