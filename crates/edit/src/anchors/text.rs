//! By what each line of a text is recognised.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::lines::text_start;

/// How many lines before and after a line are looked at, one after the other, until no other line is like it.
const RADII: [usize; 6] = [0, 1, 2, 4, 8, 16];
/// Stands for the lines before the first and after the last.
const OUTSIDE: u64 = 0x5bd1_e995_9d1b_58d3;

/// A line with as much around it as distinguishes it from the others of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Print {
    /// An index into [`RADII`]; past its end, the number of the line and the whole text count.
    pub(super) reach: usize,
    pub(super) hash: u64,
}

/// Where one line is.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    /// Without the line end.
    body_end: usize,
    end: usize,
}

/// A text whose lines can be recognised in another version of it.
#[derive(Debug)]
pub struct AnchoredText<'a> {
    text: &'a str,
    lines: Vec<Line>,
    bodies: Vec<u64>,
    hash: u64,
    reached: [OnceCell<SurroundingLines>; RADII.len()],
}

/// The lines with what is around them within one radius.
#[derive(Debug)]
struct SurroundingLines {
    hashes: Vec<u64>,
    /// The line of each hash, and how many have it.
    lines: HashMap<u64, (usize, usize)>,
}

impl<'a> AnchoredText<'a> {
    /// Reads the lines of a text. CRLF and LF end a line.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let mut lines = Vec::new();
        let mut start = text_start(text);
        for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let body = if body.len() < line.len() {
                body.strip_suffix('\r').unwrap_or(body)
            } else {
                body
            };
            lines.push(Line {
                start,
                body_end: start + body.len(),
                end: start + line.len(),
            });
            start += line.len();
        }
        let body = |line: &Line| hash_of(text.get(line.start..line.body_end).unwrap_or_default());
        let bodies: Vec<u64> = lines.iter().map(body).collect();
        let hash = bodies.iter().fold(OUTSIDE, |all, body| mixed(all, *body));
        Self {
            text,
            lines,
            bodies,
            hash,
            reached: Default::default(),
        }
    }

    /// How many lines there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is no line.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A line by its index from 0, without its end.
    #[must_use]
    pub fn line(&self, index: usize) -> &'a str {
        let line = self.lines.get(index);
        line.and_then(|line| self.text.get(line.start..line.body_end))
            .unwrap_or_default()
    }

    /// The lines, by their indices from 0, that the bytes from one offset to another touch.
    #[must_use]
    pub fn lines_between(&self, start: usize, end: usize) -> Range<usize> {
        let first = self.lines.partition_point(|line| line.end <= start);
        first..self.before(end).max(first)
    }

    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    pub(super) const fn hash(&self) -> u64 {
        self.hash
    }

    pub(super) fn bodies(&self, lines: Range<usize>) -> &[u64] {
        self.bodies.get(lines).unwrap_or_default()
    }

    /// The bytes of these lines with their ends.
    pub(super) fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        let start = |line: usize| self.lines.get(line).map_or(self.text.len(), |it| it.start);
        start(lines.start)..start(lines.end)
    }

    /// The line that begins at this offset.
    pub(super) fn starting_at(&self, offset: usize) -> Option<usize> {
        self.lines
            .binary_search_by_key(&offset, |line| line.start)
            .ok()
    }

    /// How many lines begin before this offset.
    pub(super) fn before(&self, offset: usize) -> usize {
        self.lines.partition_point(|line| line.start < offset)
    }

    /// Whether the last line has an end.
    pub(super) fn is_ended(&self) -> bool {
        self.lines
            .last()
            .is_none_or(|line| line.body_end < line.end)
    }

    /// The end of a line: CRLF, LF, or nothing at the end of a text.
    pub(super) fn end(&self, index: usize) -> &'a str {
        let line = self.lines.get(index);
        line.and_then(|line| self.text.get(line.body_end..line.end))
            .unwrap_or_default()
    }

    /// The only line with this content, and how many have it.
    pub(super) fn with_body(&self, body: u64) -> Option<usize> {
        let (line, count) = *self.reached(0)?.lines.get(&mixed(OUTSIDE, body))?;
        (count == 1).then_some(line)
    }

    /// What distinguishes a line from the others.
    pub(super) fn print(&self, line: usize) -> Option<Print> {
        for reach in 0..RADII.len() {
            let reached = self.reached(reach)?;
            let hash = *reached.hashes.get(line)?;
            if reached
                .lines
                .get(&hash)
                .is_some_and(|(_, count)| *count == 1)
            {
                return Some(Print { reach, hash });
            }
        }
        (line < self.lines.len()).then(|| Print {
            reach: RADII.len(),
            hash: self.numbered(line),
        })
    }

    /// The line with this print, and how many others have it as well.
    pub(super) fn find(&self, print: Print) -> Option<(usize, usize)> {
        if let Some(reached) = self.reached(print.reach) {
            return reached.lines.get(&print.hash).copied();
        }
        let mut lines = 0..self.lines.len();
        lines
            .find(|line| self.numbered(*line) == print.hash)
            .map(|line| (line, 1))
    }

    fn numbered(&self, line: usize) -> u64 {
        mixed(self.hash, u64::try_from(line).unwrap_or(u64::MAX))
    }

    fn reached(&self, reach: usize) -> Option<&SurroundingLines> {
        let (radius, cell) = (*RADII.get(reach)?, self.reached.get(reach)?);
        Some(cell.get_or_init(|| {
            let around = |line: usize| -> u64 {
                let body = |at: usize| self.bodies.get(at).copied().unwrap_or(OUTSIDE);
                // Counted from the radius, so that no index is below 0.
                let all = line..=line + 2 * radius;
                all.map(|at| at.checked_sub(radius).map_or(OUTSIDE, body))
                    .fold(OUTSIDE, mixed)
            };
            let hashes: Vec<u64> = (0..self.lines.len()).map(around).collect();
            let mut lines = HashMap::with_capacity(hashes.len());
            for (line, hash) in hashes.iter().enumerate() {
                lines.entry(*hash).or_insert((line, 0)).1 += 1;
            }
            SurroundingLines { hashes, lines }
        }))
    }
}

fn hash_of(body: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}

/// Both numbers as one that depends on their order.
pub(super) fn mixed(all: u64, next: u64) -> u64 {
    let mut z = all.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ next;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
