//! Match levels 1 to 4: the old text as a run of characters, in the text or in a view of it.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::fold::{Extent, Level, View, is_blank, trim_blanks_end};
use crate::lines::{CallLine, call_lines, line_start};
use crate::matcher::found::LocatedMatch;
use crate::matcher::index::TextIndex;
use crate::plan::MatchLevel;

/// More places than this are not looked for, unless all are wanted: the edit is refused long before.
const MAX_FOUND: usize = 10_000;
/// Nor more than this many, where each is long.
const MIN_FOUND: usize = 32;
/// How many bytes all places may have together.
const MAX_FOUND_BYTES: usize = 16 * 1024 * 1024;

/// Most places of a text of some length that are reported. One more is looked for, which shows that there are more.
pub(crate) fn most_places(length: usize) -> usize {
    (MAX_FOUND_BYTES / length.max(1)).clamp(MIN_FOUND, MAX_FOUND)
}

/// All occurrences byte by byte, with overlap.
///
/// CRLF is one line end: an occurrence that splits it is none, so that what has LF only is looked for on
/// the next match level. Beside a single one that splits nothing it counts, as either may be meant.
pub(crate) fn exact(index: &TextIndex<'_>, old: &str) -> Vec<Range<usize>> {
    let most = most_places(old.len());
    let places = || index.find(old).map(|start| start..start + old.len());
    let is_split = |range: &Range<usize>| splits_line_end(index.text, old, range);
    let whole: Vec<_> = places()
        .filter(|range| !is_split(range))
        .take(most + 1)
        .collect();
    if whole.len() == 1 && may_split(old) {
        return places().take(most + 1).collect();
    }
    whole
}

/// All occurrences from left to right, without overlap and without a limit.
pub(crate) fn exact_disjoint(text: &str, old: &str) -> Vec<Range<usize>> {
    let finder = Finder::new(old);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text
        .as_bytes()
        .get(from..)
        .and_then(|rest| finder.find(rest))
    {
        let range = from + found..from + found + old.len();
        if splits_line_end(text, old, &range) {
            from = range.start + 1;
        } else {
            from = range.end;
            places.push(range);
        }
    }
    places
}

fn may_split(old: &str) -> bool {
    old.starts_with('\n') || old.ends_with('\r')
}

/// Whether a match begins or ends in the middle of a CRLF.
fn splits_line_end(text: &str, old: &str, range: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before = range
        .start
        .checked_sub(1)
        .and_then(|before| bytes.get(before));
    (old.starts_with('\n') && before == Some(&b'\r'))
        || (old.ends_with('\r') && bytes.get(range.end) == Some(&b'\n'))
}

/// The places where the old text stands in a view: as many as are of use, with overlap.
pub(crate) fn folded(index: &TextIndex<'_>, old: &str, level: Level) -> Vec<LocatedMatch> {
    let most = most_places(old.len());
    in_view(index, old, level, |places| places.take(most + 1).collect())
}

/// All of them from left to right, each that overlaps neither the one before nor any of `taken`,
/// which are in order.
pub(crate) fn folded_disjoint(
    index: &TextIndex<'_>,
    old: &str,
    level: Level,
    taken: &[Range<usize>],
) -> Vec<LocatedMatch> {
    in_view(index, old, level, |places| {
        let mut end = 0;
        places
            .filter(|found| {
                let range = &found.range;
                let passed = taken.partition_point(|other| other.end <= range.start);
                let is_free = taken
                    .get(passed)
                    .is_none_or(|other| other.start >= range.end);
                let is_behind = is_free && range.start >= end;
                end = if is_behind { range.end } else { end };
                is_behind
            })
            .collect()
    })
}

fn in_view(
    index: &TextIndex<'_>,
    old: &str,
    level: Level,
    collect: impl FnOnce(&mut dyn Iterator<Item = LocatedMatch>) -> Vec<LocatedMatch>,
) -> Vec<LocatedMatch> {
    if !index.is_worth(level, old) {
        return Vec::new();
    }
    let needle = View::new(old, level, Extent::Part).text;
    if needle.chars().all(|c| is_blank(c) || c == '\n') {
        return Vec::new();
    }
    let search = Search::new(index.text, old, level);
    let view = index.view(level);
    let mut places = view
        .find(&needle)
        .filter_map(|start| search.place(view, start, start + needle.len()));
    collect(&mut places)
}

struct Search<'a> {
    text: &'a str,
    old: &'a str,
    lines: Vec<CallLine<'a>>,
    match_level: MatchLevel,
    level: Level,
    /// The whitespace at the end of an old text whose last line is not ended.
    tail: &'a str,
    /// The first line consists of whitespace: it stands for a whole line.
    starts_line: bool,
}

impl<'a> Search<'a> {
    fn new(text: &'a str, old: &'a str, level: Level) -> Self {
        let last = old.rsplit('\n').next().unwrap_or_default();
        let first = old.split('\n').next().unwrap_or_default();
        let folds_blanks = level >= Level::TrailingBlanks;
        let tail = if folds_blanks {
            last.get(trim_blanks_end(last, level).len()..)
                .unwrap_or_default()
        } else {
            ""
        };
        let starts_line = folds_blanks
            && old.contains('\n')
            && !first.trim_end_matches('\r').is_empty()
            && first.trim_end_matches('\r').chars().all(is_blank);
        let match_level = match level {
            Level::LineEnds => MatchLevel::LineEnds,
            Level::TrailingBlanks => MatchLevel::TrailingBlanks,
            Level::Typography => MatchLevel::Typography,
        };
        Self {
            text,
            old,
            lines: call_lines(old),
            match_level,
            level,
            tail,
            starts_line,
        }
    }

    /// The match behind an occurrence in the view; `None` if it begins or ends inside of
    /// something that is folded, or if whitespace of the call has nothing to stand for.
    fn place(&self, view: &View, start: usize, end: usize) -> Option<LocatedMatch> {
        let from = view.to_original(start)?;
        let mut to = view.to_original(end)?;
        if self.starts_line && line_start(self.text, from) != from {
            return None;
        }
        if self.level >= Level::TrailingBlanks && !self.old.ends_with('\n') {
            to = self.end_of_blanks(view, end, to)?;
        }
        let range = from..to.max(from);
        LocatedMatch::in_view(self.text, self.match_level, range, &self.lines)
    }

    fn end_of_blanks(&self, view: &View, folded_end: usize, end: usize) -> Option<usize> {
        let rest = self.text.get(end..)?;
        let at_line_end = view
            .text
            .as_bytes()
            .get(folded_end)
            .is_none_or(|&byte| byte == b'\n');
        if at_line_end {
            return Some(end + rest.len() - rest.trim_start_matches(is_blank).len());
        }
        rest.starts_with(self.tail).then(|| end + self.tail.len())
    }
}
