//! A text that is read without what stands in it: colours within a word, line ends where a screen was too narrow.

use std::ops::Range;

/// The parts of a text that belong together, in their order.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    ranges: Vec<Range<usize>>,
    /// Where each begins once they are joined.
    starts: Vec<usize>,
}

impl Parts {
    /// None of them is empty.
    pub(crate) fn new(ranges: Vec<Range<usize>>) -> Self {
        let mut length = 0;
        let starts = ranges.iter().map(|range| {
            let start = length;
            length += range.len();
            start
        });
        Self {
            starts: starts.collect(),
            ranges,
        }
    }

    /// A screen of so many columns: a line that fills them goes on in the next one, whatever it is indented by there.
    pub(crate) fn of_screen(text: &str, columns: usize) -> Self {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let (mut at, mut goes_on) = (0, false);
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let indentation = if goes_on {
                body.len() - body.trim_start().len()
            } else {
                0
            };
            goes_on = body.chars().count() >= columns;
            let end = at + if goes_on { body.len() } else { line.len() };
            if at + indentation < end {
                ranges.push(at + indentation..end);
            }
            at += line.len();
        }
        Self::new(ranges)
    }

    /// What is left of the text.
    pub(crate) fn joined(&self, text: &str) -> String {
        let parts = self.ranges.iter();
        parts.filter_map(|range| text.get(range.clone())).collect()
    }

    /// Where a place of the joined parts is in the text.
    pub(crate) fn place(&self, joined: &Range<usize>) -> Range<usize> {
        let at = |place: usize| {
            let after = self.starts.partition_point(|&start| start <= place);
            let part = after.saturating_sub(1);
            let start = self.starts.get(part).copied().unwrap_or_default();
            self.ranges
                .get(part)
                .map_or(0, |range| range.start + place - start)
        };
        at(joined.start)..at(joined.end.saturating_sub(1)) + 1
    }

    /// A place of the text without what stands between the parts, and what of that stays: colours and line ends, but no text of a
    /// title or a link.
    pub(crate) fn apart(&self, text: &str, place: &Range<usize>) -> (String, String) {
        let first = self
            .ranges
            .partition_point(|range| range.end <= place.start);
        let ranges = self.ranges.get(first..).unwrap_or_default().iter();
        let (mut inside, mut between) = (String::new(), String::new());
        let mut at = place.start;
        let mut add = |gap: Range<usize>, is_between: bool| {
            let gap = text.get(gap).unwrap_or_default();
            if is_between && !has_words(gap) {
                between.push_str(gap);
            } else {
                inside.push_str(gap);
            }
        };
        for range in ranges.take_while(|range| range.start < place.end) {
            if range.start > at {
                add(at..range.start, true);
            }
            let end = range.end.min(place.end);
            add(range.start.max(at)..end, false);
            at = end;
        }
        if at < place.end {
            add(at..place.end, at > place.start);
        }
        (inside, between)
    }
}

/// Whether two letters stand side by side, as in no sequence that only sets colours.
fn has_words(gap: &str) -> bool {
    let mut pairs = gap.as_bytes().windows(2);
    pairs.any(|pair| pair.iter().all(u8::is_ascii_alphabetic))
}
