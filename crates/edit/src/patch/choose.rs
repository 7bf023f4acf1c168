//! Which of several places a hunk means.

use std::collections::HashMap;
use std::ops::Range;

use crate::lines::{file_line, line_start};
use crate::matcher::index::TextIndex;
use crate::matcher::whole_lines::has_same_words_at;
use crate::patch::candidates::{CandidatePlace, Candidates, unique_line};
use crate::patch::sides::Sides;
use crate::patch::{Hunk, Side};

/// Decides hunk by hunk, knowing where the hunks before have gone.
pub(crate) struct Chooser<'i, 'a> {
    index: &'i TextIndex<'a>,
    /// The end of the hunk before.
    cursor: usize,
    /// Where the lowest of the hunks before begins.
    lowest: usize,
    /// Whether each hunk went below those before it: else their order says nothing.
    is_downwards: bool,
    /// Whether the order of the hunks is what decided on the place of this one.
    took_order: bool,
    /// How many lines further down than its number says the hunk before stood.
    offset: isize,
    /// Whether its number is what decided on the place of the hunk before.
    is_numbered: bool,
    /// The ends of the blocks that anchors opened, by where those begin.
    blocks: HashMap<usize, Option<usize>>,
}

impl<'i, 'a> Chooser<'i, 'a> {
    pub(crate) fn new(index: &'i TextIndex<'a>) -> Self {
        Self {
            index,
            cursor: 0,
            lowest: 0,
            is_downwards: true,
            took_order: false,
            offset: 0,
            is_numbered: false,
            blocks: HashMap::new(),
        }
    }

    /// Whether the hunks went from the top down.
    pub(crate) const fn is_downwards(&self) -> bool {
        self.is_downwards
    }

    /// Whether only the order of the hunks decided on the place of the last one.
    pub(crate) const fn took_order(&self) -> bool {
        self.took_order
    }

    /// The place of a hunk; `None` if there are several and nothing decides.
    pub(crate) fn choose(
        &mut self,
        hunk: &Hunk,
        candidates: &Candidates,
    ) -> Option<CandidatePlace> {
        self.took_order = false;
        let is_sure = candidates.matching.len() == 1;
        let candidate = if candidates.has_rivals {
            return None;
        } else if is_sure {
            candidates.matching.first()?
        } else {
            match self.decide(hunk, &candidates.matching) {
                Some(candidate) => candidate,
                None => self.in_section(hunk, &candidates.matching)?,
            }
        };
        if self.has_twin_at_number(hunk, candidate) {
            return None;
        }
        let before = self.offset;
        self.settle(hunk, candidate);
        if self.is_numbered && is_sure && self.offset != before {
            // The numbers were off already when one of them decided.
            return None;
        }
        self.is_numbered = !is_sure && hunk.anchors.is_empty() && hunk.position.is_some();
        Some(candidate.clone())
    }

    /// Whether the same words stand, indented otherwise, at the very line that the header gives: a
    /// hunk that lost or got indentation may be equal to lines that it does not mean.
    fn has_twin_at_number(&self, hunk: &Hunk, candidate: &CandidatePlace) -> bool {
        let Some(line) = self.numbered_line(hunk) else {
            return false;
        };
        let old = Sides::of(hunk, false).old;
        self.index.line_at(candidate.range.start) != line
            && has_same_words_at(self.index, &old, line)
    }

    fn settle(&mut self, hunk: &Hunk, candidate: &CandidatePlace) {
        self.go_to(&candidate.range);
        if let Some(stated) = stated_line(hunk) {
            let line = self.index.line_at(candidate.range.start);
            self.offset = line.cast_signed() - stated.cast_signed();
        }
    }

    fn go_to(&mut self, range: &Range<usize>) {
        self.cursor = self.cursor.max(range.end);
        self.is_downwards &= range.start >= self.lowest;
        self.lowest = self.lowest.max(range.start);
    }

    /// The only place in the block of the line that stands behind the numbers of the header, as `git diff` and `diff -p` name
    /// it, where the numbers name no place. A number that names one contradicts what was decided before.
    fn in_section<'s>(
        &mut self,
        hunk: &Hunk,
        candidates: &'s [CandidatePlace],
    ) -> Option<&'s CandidatePlace> {
        let section = hunk.section.clone().filter(|_| hunk.anchors.is_empty())?;
        if self.numbered(hunk, candidates).is_some() {
            return None;
        }
        let named = Hunk {
            anchors: vec![section],
            end_of_file: hunk.end_of_file,
            ..Hunk::default()
        };
        self.decide(&named, candidates)
    }

    /// `candidates` are in order, and so are their ends.
    fn decide<'s>(
        &mut self,
        hunk: &Hunk,
        candidates: &'s [CandidatePlace],
    ) -> Option<&'s CandidatePlace> {
        let mut left = candidates;
        if hunk.end_of_file {
            let length = self.index.text.len();
            left = cut(
                left,
                left.partition_point(|candidate| candidate.range.end < length)..left.len(),
            );
        }
        let floor = self.anchor_line(hunk);
        if floor.is_none() && hunk.end_of_file && left.len() <= 1 {
            // Anchors at several places say nothing that the end of the file does not, as long as they stand above it.
            return left
                .first()
                .filter(|last| self.anchors_are_above(hunk, last));
        }
        if !hunk.anchors.is_empty() {
            let floor = floor?;
            left = cut(
                left,
                left.partition_point(|candidate| candidate.range.start < floor)..left.len(),
            );
            let end = match self.block_end(floor) {
                Some(end) => left.partition_point(|candidate| candidate.range.end <= end),
                None => left.len().min(1),
            };
            left = cut(left, 0..end);
        }
        if left.len() <= 1 && (hunk.end_of_file || !hunk.anchors.is_empty()) {
            return left.first();
        }
        let behind = left.partition_point(|candidate| candidate.range.start < self.cursor);
        let behind = cut(left, behind..left.len());
        match (self.numbered(hunk, left), behind) {
            // A number that contradicts the order says that one of the two is wrong.
            (Some(candidate), _) => (candidate.range.start >= self.cursor).then_some(candidate),
            (None, [only]) if self.cursor > 0 => {
                self.took_order = true;
                Some(only)
            }
            (None, _) => None,
        }
    }

    /// The line that the header gives, moved as the hunk before was. A header whose counts are
    /// wrong has been made up, and so has its line.
    fn numbered_line(&self, hunk: &Hunk) -> Option<usize> {
        let position = hunk.position?;
        let old = hunk.side(Side::Added).count();
        let new = hunk.side(Side::Removed).count();
        let is_counted = (position.old_count, position.new_count) == (old, new);
        stated_line(hunk)
            .filter(|_| is_counted)?
            .checked_add_signed(self.offset)
    }

    /// The place at exactly the line that the header gives.
    fn numbered<'s>(
        &self,
        hunk: &Hunk,
        candidates: &'s [CandidatePlace],
    ) -> Option<&'s CandidatePlace> {
        let line = self.numbered_line(hunk)?;
        let start = self.index.start_of_line(line)?;
        let at = candidates.binary_search_by_key(&start, |candidate| candidate.range.start);
        // The first line begins behind a byte order mark, whether the place does or not.
        let first = || {
            candidates
                .first()
                .filter(|candidate| line == 1 && candidate.range.start <= start)
        };
        at.ok().and_then(|at| candidates.get(at)).or_else(first)
    }

    /// Where the line of the innermost anchor begins. Each anchor has to stand at one place
    /// below the one before it, or in the block that this one opens.
    fn anchor_line(&mut self, hunk: &Hunk) -> Option<usize> {
        let index = self.index;
        let end = index.text.len() + 1;
        let mut floor = 0;
        for (depth, anchor) in hunk.anchors.iter().enumerate() {
            let behind = self.cursor.max(floor);
            let block = Some(floor).filter(|_| depth > 0);
            let block = block.and_then(|start| Some(start..self.block_end(start)?));
            floor = match unique_line(index, floor..end, anchor) {
                Some(floor) => floor,
                None => match unique_line(index, behind..end, anchor) {
                    Some(floor) => {
                        self.took_order = true;
                        floor
                    }
                    None => unique_line(index, block?, anchor)?,
                },
            };
        }
        Some(floor)
    }

    /// Whether the anchors stand above a place, one below the other, if not only there. Where one is a whole line anywhere, parts
    /// of lines are not meant.
    fn anchors_are_above(&self, hunk: &Hunk, place: &CandidatePlace) -> bool {
        let text = self.index.text;
        let mut from = 0;
        let mut anchors = hunk.anchors.iter().map(|anchor| anchor.trim());
        anchors.all(|anchor| {
            let is_line = |at: &usize| {
                let (line, _) = file_line(text, line_start(text, *at));
                text.get(line).is_some_and(|line| line.trim() == anchor)
            };
            let has_line = self.index.find_from(anchor, 0).any(|at| is_line(&at));
            let mut places = self.index.find_from(anchor, from);
            let found = places.find(|at| !has_line || is_line(at));
            let above = found.filter(|at| *at < place.range.start);
            from = above.map_or(from, |at| at + anchor.len());
            above.is_some()
        })
    }

    /// The innermost anchor of a hunk of an envelope, and where it stands, if that is below the place: the patch was made for
    /// another state of the file. An anchor that stands nowhere, or above the place as well, says nothing.
    pub(crate) fn anchor_below<'h>(
        &mut self,
        hunk: &'h Hunk,
        place: &CandidatePlace,
    ) -> Option<(&'h str, usize)> {
        let anchor = hunk.anchors.last().filter(|_| hunk.position.is_none())?;
        if self.anchors_are_above(hunk, place) {
            return None;
        }
        let took_order = self.took_order;
        let start = self.anchor_line(hunk);
        self.took_order = took_order;
        let start = start?;
        (place.range.end <= start).then_some((anchor.as_str(), start))
    }

    /// Where the block ends that the line at `start` opens; `None` if it opens none.
    fn block_end(&mut self, start: usize) -> Option<usize> {
        let text = self.index.text;
        let known = self.blocks.entry(start);
        *known.or_insert_with(|| block_end(text, start))
    }

    /// Whether the block that the anchors of a hunk name is over before the end of the file.
    fn is_above_end(&mut self, hunk: &Hunk) -> bool {
        let floor = self.anchor_line(hunk).filter(|_| !hunk.anchors.is_empty());
        let end = floor.and_then(|floor| self.block_end(floor));
        end.is_some_and(|end| end < self.index.text.len())
    }

    /// The end of the line that the innermost anchor is, if the anchor is all of that line: behind a part of one, what it opens
    /// may continue.
    fn below_anchor(&mut self, hunk: &Hunk) -> Option<usize> {
        let anchor = hunk.anchors.last()?.trim();
        let start = self.anchor_line(hunk)?;
        let text = self.index.text;
        let line = file_line(text, start).0;
        let is_line = text.get(line)?.trim() == anchor;
        is_line.then(|| self.index.end_of_line(self.index.line_at(start)))?
    }

    /// Where a hunk without old lines goes: behind the line its number names, to the end of the file if the envelope says so,
    /// or below the line that the envelope names, as the published appliers have it.
    pub(crate) fn choose_empty(&mut self, hunk: &Hunk) -> Option<usize> {
        self.took_order = false;
        let text = self.index.text;
        let at = match hunk.position {
            _ if text.is_empty() => 0,
            Some(position) if hunk.anchors.is_empty() && position.old_count == 0 => {
                let line = position.old_start.checked_add_signed(self.offset)?;
                self.index.end_of_line(line)?
            }
            Some(_) => return None,
            None if hunk.end_of_file && !self.is_above_end(hunk) => text.len(),
            None if hunk.end_of_file => return None,
            None => self.below_anchor(hunk)?,
        };
        self.go_to(&(at..at));
        Some(at)
    }
}

fn cut(candidates: &[CandidatePlace], range: Range<usize>) -> &[CandidatePlace] {
    candidates.get(range).unwrap_or_default()
}

/// The line, counted from 1, at which the old lines of a hunk begin by its header.
fn stated_line(hunk: &Hunk) -> Option<usize> {
    let position = hunk.position?;
    if position.old_count == 0 {
        position.old_start.checked_add(1)
    } else {
        Some(position.old_start)
    }
}

/// Where the block ends that the line at `start` opens: at the next line that is not indented
/// deeper, braces aside. `None` if the line opens no block.
fn block_end(text: &str, start: usize) -> Option<usize> {
    let mut lines = text.get(start..)?.split_inclusive('\n');
    let head = lines.next()?;
    let width = |line: &str| line.len() - line.trim_start().len();
    let mut end = start + head.len();
    let mut has_body = false;
    for line in lines {
        let is_inside = line.trim().is_empty() || width(line) > width(head);
        if !is_inside && !line.trim_start().starts_with(['{', '}', ')', ']']) {
            break;
        }
        has_body |= !line.trim().is_empty() && width(line) > width(head);
        end += line.len();
    }
    has_body.then_some(end)
}
