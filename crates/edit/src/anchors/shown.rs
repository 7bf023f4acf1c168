//! What was shown of a file, and under which letters.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::anchor::Anchor;
use super::text::{AnchoredText, Print, mixed};
use crate::error::Lines;
use crate::plan::{Plan, Splice};

/// Lines of one file that are remembered as they were shown one after the other; the oldest are forgotten first.
const MAX_LINES: usize = 20_000;
/// Anchors of one file; beyond them all are forgotten.
const MAX_ANCHORS: usize = 40_000;
/// How many further hashes a line can be named by.
const MAX_OTHER_HASHES: u64 = 10_000;
/// Lines that are shown where a line was, at most.
const NEAR_LINES: usize = 12;

/// What a reader was shown of one file.
///
/// ```
/// use tenon_edit::{AnchoredEdit, AnchoredText, Placement, ShownLines};
///
/// let text = AnchoredText::new("one\ntwo\nthree\n");
/// let mut shown = ShownLines::default();
/// let anchors = shown.show(&text, 0..3);
/// let edit = AnchoredEdit { from: anchors[1].as_str(), to: None, new: "2", place: Placement::Replace };
/// assert_eq!(shown.plan(&text, &[edit])?.apply("one\ntwo\nthree\n"), "one\n2\nthree\n");
///
/// // The same letters name nothing in a file whose line changed.
/// assert!(shown.plan(&AnchoredText::new("one\nTWO\nthree\n"), &[edit]).is_err());
/// # Ok::<(), tenon_edit::AnchorError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ShownLines {
    marks: HashMap<Anchor, Mark>,
    anchors: HashMap<Print, Anchor>,
    pages: VecDeque<ShownRun>,
}

/// What an anchor stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) print: Print,
    body: u64,
    pub(super) shown: ShownAt,
}

/// Where a line was when it was last shown, or after the reader's own edit of that text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownAt {
    /// The whole text that it was of.
    pub(super) text: u64,
    pub(super) line: usize,
}

/// Lines that were shown one after the other, or that the reader wrote there.
#[derive(Debug, Clone)]
struct ShownRun {
    /// The whole text that they were of.
    text: u64,
    first: usize,
    bodies: Vec<u64>,
}

impl ShownRun {
    fn last(&self) -> usize {
        self.first + self.bodies.len()
    }
}

impl ShownLines {
    /// How many anchors are known.
    #[must_use]
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing was shown.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The anchors of these lines, counted from 0, which are shown now: one for each, or none at all. A line keeps the anchor that
    /// it has.
    pub fn show(&mut self, text: &AnchoredText<'_>, lines: Range<usize>) -> Vec<Anchor> {
        let lines = lines.start.min(text.len())..lines.end.min(text.len());
        if self.marks.len() + lines.len() > MAX_ANCHORS {
            *self = Self::default();
        }
        self.enter(text, &lines);
        let anchors: Option<Vec<Anchor>> = lines.map(|line| self.anchor_of(text, line)).collect();
        anchors.unwrap_or_default()
    }

    fn anchor_of(&mut self, text: &AnchoredText<'_>, line: usize) -> Option<Anchor> {
        let print = text.print(line)?;
        let shown = ShownAt {
            text: text.hash(),
            line,
        };
        if let Some(anchor) = self.anchors.get(&print) {
            if let Some(mark) = self.marks.get_mut(anchor) {
                mark.shown = shown;
            }
            return Some(*anchor);
        }
        let body = *text.bodies(line..line + 1).first()?;
        // Lines that were edited or are gone keep their letters, which may be all that a line like them could have.
        let others = (1..MAX_OTHER_HASHES).map(|other| mixed(print.hash, other));
        let hashes = std::iter::once(print.hash).chain(others);
        let mut names = hashes.flat_map(Anchor::all_of);
        let anchor = names.find(|name| !self.marks.contains_key(name))?;
        self.marks.insert(anchor, Mark { print, body, shown });
        self.anchors.insert(print, anchor);
        Some(anchor)
    }

    /// Remembers a page, as one with those beside it.
    fn enter(&mut self, text: &AnchoredText<'_>, lines: &Range<usize>) {
        let mut window = lines.clone();
        self.pages.retain(|page| {
            let joins =
                page.text == text.hash() && page.first <= window.end && window.start <= page.last();
            if joins {
                window = window.start.min(page.first)..window.end.max(page.last());
            }
            !joins
        });
        self.pages.push_back(ShownRun {
            text: text.hash(),
            first: window.start,
            bodies: text.bodies(window).to_vec(),
        });
        let mut all: usize = self.pages.iter().map(|page| page.bodies.len()).sum();
        while all > MAX_LINES && self.pages.len() > 1 {
            all -= self.pages.pop_front().map_or(0, |page| page.bodies.len());
        }
    }

    pub(super) fn mark(&self, anchor: Anchor) -> Option<Mark> {
        self.marks.get(&anchor).copied()
    }

    /// Whether these lines were shown one after the other as they are.
    pub(super) fn knows(&self, text: &AnchoredText<'_>, lines: &Range<usize>) -> bool {
        let bodies = text.bodies(lines.clone());
        let (Some(first), Some(last)) = (bodies.first(), bodies.last()) else {
            return false;
        };
        // Of several versions of the place, the one that was shown last is what the reader means.
        for page in self.pages.iter().rev() {
            if page.text == text.hash() {
                if page.first <= lines.start && lines.end <= page.last() {
                    return true;
                }
                continue;
            }
            let start = page.bodies.iter().position(|body| body == first);
            let rest = start.and_then(|start| page.bodies.get(start + 1..));
            if rest.is_some_and(|rest| rest.contains(last)) {
                let mut windows = page.bodies.windows(bodies.len());
                return windows.any(|window| window == bodies);
            }
        }
        false
    }

    /// Where a line was that is not there any more, by the lines that were shown around it.
    pub(super) fn near(&self, text: &AnchoredText<'_>, mark: Mark) -> Lines {
        let found = self.pages.iter().rev().find_map(|page| {
            let at = page.bodies.iter().position(|body| *body == mark.body)?;
            let (before, after) = page.bodies.split_at_checked(at)?;
            let known = |body: &u64| text.with_body(*body);
            let above = before.iter().rev().find_map(known);
            let below = after.iter().skip(1).find_map(known);
            Some((above, below, page.first + at))
        });
        let last = text.len().max(1);
        let (first, end) = match found {
            Some((Some(above), Some(below), _)) if above < below => (above, below),
            Some((Some(above), _, _)) => (above, above + 3),
            Some((None, Some(below), _)) => (below.saturating_sub(3), below),
            Some((None, None, at)) => (at.saturating_sub(2), at + 2),
            None => (0, 2),
        };
        let first = first.min(last - 1);
        Lines {
            first: first + 1,
            last: end.min(last - 1).clamp(first, first + NEAR_LINES - 1) + 1,
        }
    }

    /// The reader's own plan was made: the lines that it left alone keep their anchors, and what it wrote is known.
    pub fn edited(&mut self, before: &AnchoredText<'_>, plan: &Plan, after: &AnchoredText<'_>) {
        let moved = Moved(&plan.splices);
        let mut marks = HashMap::with_capacity(self.marks.len());
        let mut anchors = HashMap::with_capacity(self.marks.len());
        for (anchor, mark) in self.marks.drain() {
            let line = match before.find(mark.print) {
                Some((line, 1)) => moved.line(before, line, after),
                _ => None,
            };
            let print = line.and_then(|line| after.print(line));
            // A line that was shown in a text before this one has its distances from there.
            let at = line.filter(|_| mark.shown.text == before.hash());
            let shown = at.map_or(mark.shown, |line| ShownAt {
                text: after.hash(),
                line,
            });
            // What is gone is remembered as it was, so that a refusal can say so.
            let print = print.unwrap_or(mark.print);
            marks.insert(
                anchor,
                Mark {
                    print,
                    shown,
                    ..mark
                },
            );
            anchors.insert(print, anchor);
        }
        self.marks = marks;
        self.anchors = anchors;
        for page in self
            .pages
            .iter_mut()
            .filter(|page| page.text == before.hash())
        {
            let bytes = before.bytes(&(page.first..page.last()));
            let first = after.before(moved.start(bytes.start));
            let last = after.before(moved.end(bytes.end)).max(first);
            *page = ShownRun {
                text: after.hash(),
                first,
                bodies: after.bodies(first..last).to_vec(),
            };
        }
    }
}

/// Where a place is once splices were made.
struct Moved<'a>(&'a [Splice]);

impl Moved<'_> {
    /// A line that no splice touches.
    fn line(
        &self,
        before: &AnchoredText<'_>,
        line: usize,
        after: &AnchoredText<'_>,
    ) -> Option<usize> {
        let start = before.bytes(&(line..line + 1)).start;
        let is_within = |splice: &Splice| splice.range.contains(&start);
        if self.0.iter().any(is_within) {
            return None;
        }
        let found = after.starting_at(self.shifted(start, true))?;
        (after.line(found) == before.line(line)).then_some(found)
    }

    /// The start of a page: what was put in before its first line does not belong to it.
    fn start(&self, offset: usize) -> usize {
        match self.around(offset) {
            Some(splice) => self.shifted(splice.range.end, true),
            None => self.shifted(offset, true),
        }
    }

    /// The end of a page: nor does what was put in behind its last line.
    fn end(&self, offset: usize) -> usize {
        match self.around(offset) {
            Some(splice) => self.shifted(splice.range.start, false),
            None => self.shifted(offset, false),
        }
    }

    fn around(&self, offset: usize) -> Option<&Splice> {
        let mut splices = self.0.iter();
        splices.find(|splice| splice.range.start < offset && offset < splice.range.end)
    }

    /// An offset that no splice has inside. Whether it is behind what is put in right there.
    fn shifted(&self, offset: usize, behind: bool) -> usize {
        let is_before = |splice: &&Splice| {
            splice.range.end <= offset
                && (behind || splice.range.end < offset || !splice.range.is_empty())
        };
        let mut shifted = offset;
        for splice in self.0.iter().filter(is_before) {
            shifted = shifted + splice.replacement.len() - splice.range.len();
        }
        shifted
    }
}
