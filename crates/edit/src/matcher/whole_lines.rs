//! Rungs 5 to 7: the old text as whole lines, found by their words.
//!
//! One search finds every place whose lines have the same words in the same order, whatever
//! the indentation, the blank lines and the blanks inside lines. What sets a place apart from
//! the old text then says on which rung it matches, if on any.

use std::ops::Range;

use crate::lines::{
    CallLine, LineTable, TableLine, file_line, indentation, same_trimmed, same_words, solid_length,
    words_key,
};
use crate::matcher::blank_lines::{Gap, Gaps};
use crate::matcher::found::Found;
use crate::matcher::indentation::IndentationMap;
use crate::matcher::index::TextIndex;
use crate::matcher::views::MAX_FOUND;
use crate::plan::Rung;

/// At rung 5 one line has to be at least this long, blanks not counted.
const INDENTATION_MIN_LINE: usize = 8;
/// At rung 7 all lines together have to be at least this long, blanks not counted.
const INNER_BLANKS_MIN_TEXT: usize = 12;

/// A place with the same words.
#[derive(Debug, Clone)]
pub(crate) struct SameWords {
    pub(crate) found: Found,
    /// Whether the place matches on the rung that `found` names, or on none, as it differs in
    /// too many respects.
    pub(crate) is_match: bool,
    /// Whether the indentation is what sets it apart, with no consistent map.
    pub(crate) has_odd_indentation: bool,
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

    /// The longest line: the one that occurs least, as a rule.
    fn rarest(&self) -> Option<usize> {
        let length = |at: &usize| self.call.get(*at).map_or(0, |line| line.body.len());
        (0..self.solid.len()).max_by_key(|index| self.solid.get(*index).map(length))
    }

    fn body(&self, index: usize) -> &'a str {
        self.solid
            .get(index)
            .and_then(|at| self.call.get(*at))
            .map_or("", |line| line.body)
    }
}

/// All places that have the words of the call.
pub(crate) fn same_words_places(index: &TextIndex<'_>, call: &[CallLine<'_>]) -> Vec<SameWords> {
    let needle = Needle::new(call);
    let table = index.table();
    starts(table, &needle)
        .filter_map(|start| {
            let lines = table.lines.get(start..start + needle.keys.len())?;
            classify(index.text, table, &needle, start, lines)
        })
        .take(MAX_FOUND)
        .collect()
}

/// The positions in the table where the keys of the needle stand in a row.
fn starts<'a>(table: &'a LineTable, needle: &'a Needle<'_>) -> impl Iterator<Item = usize> + 'a {
    let rarest = needle.rarest();
    let key = rarest.and_then(|at| needle.keys.get(at)).copied();
    table
        .lines
        .iter()
        .enumerate()
        .filter(move |(_, line)| Some(line.key) == key)
        .filter_map(move |(at, _)| at.checked_sub(rarest?))
        .filter(|start| {
            let lines = table
                .lines
                .get(*start..*start + needle.keys.len())
                .unwrap_or_default();
            lines.len() == needle.keys.len()
                && lines
                    .iter()
                    .zip(&needle.keys)
                    .all(|(line, key)| line.key == *key)
        })
}

fn classify(
    text: &str,
    table: &LineTable,
    needle: &Needle<'_>,
    start: usize,
    lines: &[TableLine],
) -> Option<SameWords> {
    let bodies: Vec<&str> = lines
        .iter()
        .map(|line| text.get(file_line(text, line.start).0).unwrap_or_default())
        .collect();
    let pairs = || {
        (0..bodies.len())
            .map(|at| needle.body(at))
            .zip(bodies.iter().copied())
    };
    if !pairs().all(|(call, file)| same_words(call, file)) {
        return None;
    }
    let shifted = pairs().any(|(call, file)| plain_indentation(call) != plain_indentation(file));
    let respaced = pairs().any(|(call, file)| !same_trimmed(call, file));
    let gaps = gaps(text, table, needle, start, lines);
    let thinned = gaps.gaps.iter().any(|gap| gap.call != gap.file);

    let map = if shifted {
        IndentationMap::infer(pairs().map(|(call, file)| (indentation(call), indentation(file))))
    } else {
        None
    };
    let has_odd_indentation = shifted && map.is_none();
    let (rung, is_match) = match (shifted, thinned, respaced) {
        (false, false, false) => (Rung::Typography, true),
        (true, false, false) => (
            Rung::Indentation,
            map.is_some() && has_long_line(needle, INDENTATION_MIN_LINE),
        ),
        (false, true, false) => (Rung::BlankLines, needle.solid.len() >= 2),
        (false, false, true) => (
            Rung::InnerBlanks,
            solid_total(needle) >= INNER_BLANKS_MIN_TEXT,
        ),
        _ => (Rung::InnerBlanks, false),
    };
    let found = assemble(text, needle, gaps, rung, map)?;
    Some(SameWords {
        found,
        is_match,
        has_odd_indentation,
    })
}

fn plain_indentation(body: &str) -> String {
    indentation(body)
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect()
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
/// numbers are the same; where they are not, only rung 6 can use the place.
fn assemble(
    text: &str,
    needle: &Needle<'_>,
    gaps: Gaps,
    rung: Rung,
    indentation: Option<IndentationMap>,
) -> Option<Found> {
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
    if rung != Rung::BlankLines {
        places = even_places(text, &gaps);
        if has_tail {
            places.push(end..end);
        }
    }
    let gaps = (rung == Rung::BlankLines).then_some(gaps);
    Some(Found {
        rung,
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
