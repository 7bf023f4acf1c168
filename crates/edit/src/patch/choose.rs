//! Which of several places a hunk means.

use crate::lines::{CallLine, LineCounter, file_line, line_start, text_start};
use crate::matcher::found::Found;
use crate::matcher::index::TextIndex;
use crate::matcher::whole_lines::same_words_places;
use crate::patch::{Hunk, Side};
use crate::plan::Rung;

/// A place where the old lines of a hunk stand.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) found: Found,
}

/// All places of a hunk on the strictest rung that has one.
#[derive(Debug)]
pub(crate) struct Spots {
    pub(crate) matching: Vec<Spot>,
    /// Whether there are places that are as near, but off in another respect.
    pub(crate) has_rivals: bool,
    /// Where each place starts, rivals included.
    pub(crate) all_starts: Vec<usize>,
}

/// Finds the places: byte by byte first, then by rungs 2 to 5.
///
/// A place at the end of a file without a last line end counts beside stricter ones: patches get that
/// end wrong so often that only the order and the numbers of the hunks can tell which is meant.
pub(crate) fn spots(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Spots {
    let mut spots = strictest_spots(index, old);
    if let Some(twin) = open_end(index, old)
        && !spots.matching.is_empty()
        && !spots.all_starts.contains(&twin.found.range.start)
    {
        spots.all_starts.push(twin.found.range.start);
        spots.matching.push(twin);
    }
    spots
}

/// The place at the open end of the file, if the lines stand there but for their ends.
fn open_end(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Option<Spot> {
    let text = index.text;
    let last = text.get(line_start(text, text.len())..)?;
    if last.is_empty() || old.last()?.body.trim_end() != last.trim_end() {
        return None;
    }
    let call = plain(old);
    let places = same_words_places(index, &call).into_iter();
    let mut ends = places.filter(|place| place.is_match && place.found.range.end == text.len());
    let found = ends.next()?.found;
    let rung = refined(text, &found, &call);
    (rung <= Rung::TrailingBlanks).then_some(Spot {
        found: Found { rung, ..found },
    })
}

/// The lines whatever their ends.
fn plain<'a>(old: &[CallLine<'a>]) -> Vec<CallLine<'a>> {
    let lines = old.iter().map(|line| CallLine {
        ended: true,
        carriage: false,
        ..*line
    });
    lines.collect()
}

fn strictest_spots(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Spots {
    let exact = exact_spots(index.text, old);
    if !exact.is_empty() {
        let all_starts = exact.iter().map(|spot| spot.found.range.start).collect();
        return Spots {
            matching: exact,
            has_rivals: false,
            all_starts,
        };
    }
    let call = plain(old);
    let places = same_words_places(index, &call);
    let mut ranked: Vec<(Rung, Found)> = places
        .iter()
        .filter(|place| place.is_match && place.found.rung <= Rung::Indentation)
        .map(|place| {
            (
                refined(index.text, &place.found, &call),
                place.found.clone(),
            )
        })
        .collect();
    ranked.sort_by_key(|(rung, found)| (*rung, found.range.start));
    let best = ranked.first().map_or(Rung::Exact, |(rung, _)| *rung);
    let has_rivals = best >= Rung::Typography
        && (ranked.iter().any(|(rung, _)| *rung != best) || places.len() > ranked.len());
    let all_starts = if has_rivals {
        places.iter().map(|place| place.found.range.start).collect()
    } else {
        let best_ones = ranked.iter().filter(|(rung, _)| *rung == best);
        best_ones.map(|(_, found)| found.range.start).collect()
    };
    let matching = ranked
        .into_iter()
        .filter(|(rung, _)| *rung == best)
        .map(|(rung, found)| Spot {
            found: Found { rung, ..found },
        })
        .collect();
    Spots {
        matching,
        has_rivals,
        all_starts,
    }
}

/// Whole lines that are equal byte by byte, line ends included.
fn exact_spots(text: &str, old: &[CallLine<'_>]) -> Vec<Spot> {
    let mut needle = String::new();
    for line in old {
        needle.push_str(line.body);
        needle.push_str(match (line.ended, line.carriage) {
            (false, _) => "",
            (true, true) => "\r\n",
            (true, false) => "\n",
        });
    }
    let is_open = old.last().is_some_and(|line| !line.ended);
    let finder = memchr::memmem::Finder::new(needle.as_bytes());
    let mut spots = Vec::new();
    let mut from = 0;
    while let Some(rest) = text.as_bytes().get(from..)
        && let Some(at) = finder.find(rest)
    {
        let range = from + at..from + at + needle.len();
        from = range.start + 1;
        let begins = range.start == 0 || line_start(text, range.start) == range.start;
        let ends = !is_open || range.end == text.len();
        // A line without a carriage return in the patch must not begin behind one in the file.
        if begins
            && ends
            && let Some(found) = Found::in_view(text, Rung::Exact, range, old)
        {
            spots.push(Spot { found });
        }
    }
    spots
}

/// The strictest of rungs 2 to 4 that explains the differences of a match by words.
fn refined(text: &str, found: &Found, call: &[CallLine<'_>]) -> Rung {
    if found.rung != Rung::Typography {
        return found.rung;
    }
    let mut rung = Rung::LineEnds;
    for (place, line) in found.places.iter().zip(call) {
        let body = text.get(file_line(text, place.start).0).unwrap_or_default();
        if body == line.body {
            continue;
        }
        let blanks = [' ', '\t'];
        if body.trim_end_matches(blanks) == line.body.trim_end_matches(blanks) {
            rung = rung.max(Rung::TrailingBlanks);
        } else {
            rung = Rung::Typography;
        }
    }
    if found.range.end == text.len() && !text.ends_with('\n') {
        rung = rung.max(Rung::TrailingBlanks);
    }
    rung
}

/// Decides hunk by hunk, knowing where the hunks before have gone.
pub(crate) struct Chooser<'a> {
    text: &'a str,
    /// The end of the hunk before.
    cursor: usize,
    /// How many lines further down than its number says the hunk before stood.
    drift: isize,
    /// Whether its number is what decided on the place of the hunk before.
    is_numbered: bool,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            cursor: 0,
            drift: 0,
            is_numbered: false,
        }
    }

    /// The place of a hunk; `None` if there are several and nothing decides.
    pub(crate) fn choose(&mut self, hunk: &Hunk, spots: Spots) -> Option<Spot> {
        let is_sure = spots.matching.len() == 1;
        let mut left = spots.matching;
        if left.len() > 1 || spots.has_rivals {
            if spots.has_rivals {
                return None;
            }
            left = self.decide(hunk, left)?;
        }
        let spot = if left.len() == 1 {
            left.pop()?
        } else {
            return None;
        };
        let before = self.drift;
        self.settle(hunk, &spot);
        if self.is_numbered && is_sure && self.drift != before {
            // The numbers were off already when one of them decided.
            return None;
        }
        self.is_numbered = !is_sure && hunk.anchors.is_empty() && hunk.position.is_some();
        Some(spot)
    }

    fn settle(&mut self, hunk: &Hunk, spot: &Spot) {
        self.cursor = self.cursor.max(spot.found.range.end);
        if let Some(stated) = stated_line(hunk) {
            let line = LineCounter::new(self.text).line_at(spot.found.range.start);
            self.drift = line.cast_signed() - stated.cast_signed();
        }
    }

    fn decide(&self, hunk: &Hunk, mut left: Vec<Spot>) -> Option<Vec<Spot>> {
        if !hunk.anchors.is_empty() {
            let floor = self.anchor_line(hunk)?;
            left.retain(|spot| spot.found.range.start >= floor);
            left.sort_by_key(|spot| spot.found.range.start);
            match block_end(self.text, floor) {
                Some(end) => left.retain(|spot| spot.found.range.end <= end),
                None => left.truncate(1),
            }
            if left.len() <= 1 {
                return Some(left);
            }
        }
        if hunk.end_of_file {
            left.retain(|spot| spot.found.range.end == self.text.len());
            if left.len() <= 1 {
                return Some(left);
            }
        }
        let numbered = self.numbered(hunk, &left);
        let mut behind = left.clone();
        behind.retain(|spot| spot.found.range.start >= self.cursor);
        match (numbered, behind.len()) {
            (Some(spot), _) => {
                // A number that contradicts the order says that one of the two is wrong.
                (spot.found.range.start >= self.cursor).then(|| vec![spot])
            }
            (None, 1) if self.cursor > 0 => Some(behind),
            (None, _) => None,
        }
    }

    /// The place at exactly the line that the header gives, moved as the hunk before was. A
    /// header whose counts are wrong has been made up, and so has its line.
    fn numbered(&self, hunk: &Hunk, spots: &[Spot]) -> Option<Spot> {
        let position = hunk.position?;
        let old = hunk.side(Side::Added).count();
        let new = hunk.side(Side::Removed).count();
        if (position.old_count, position.new_count) != (old, new) {
            return None;
        }
        let line = stated_line(hunk)?.checked_add_signed(self.drift)?;
        let mut counter = LineCounter::new(self.text);
        spots
            .iter()
            .find(|spot| counter.line_at(spot.found.range.start) == line)
            .cloned()
    }

    /// Where the line of the innermost anchor begins. Each anchor has to stand at one place
    /// below the one before it.
    fn anchor_line(&self, hunk: &Hunk) -> Option<usize> {
        let mut floor = 0;
        for anchor in &hunk.anchors {
            let above = self.cursor.max(floor);
            floor = unique_line(self.text, floor, anchor)
                .or_else(|| unique_line(self.text, above, anchor))?;
        }
        Some(floor)
    }

    /// Where a hunk without old lines goes: behind the line its number names, or to the end of
    /// the file if the envelope says so.
    pub(crate) fn choose_empty(&mut self, hunk: &Hunk) -> Option<Spot> {
        let at = match hunk.position {
            _ if self.text.is_empty() => 0,
            Some(position) if hunk.anchors.is_empty() && position.old_count == 0 => {
                let line = position.old_start.checked_add_signed(self.drift)?;
                end_of_line(self.text, line)?
            }
            Some(_) => return None,
            None if hunk.end_of_file => self.text.len(),
            None => return None,
        };
        let found = Found {
            rung: Rung::Exact,
            range: at..at,
            places: Vec::new(),
            indentation: None,
            gaps: None,
        };
        self.cursor = self.cursor.max(at);
        Some(Spot { found })
    }
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

/// The offset behind line `line`, counted from 1; 0 stands before the first line.
fn end_of_line(text: &str, line: usize) -> Option<usize> {
    let Some(before) = line.checked_sub(1) else {
        return Some(text_start(text));
    };
    let newline = memchr::memchr_iter(b'\n', text.as_bytes()).nth(before);
    match newline {
        Some(newline) => Some(newline + 1),
        None => (crate::diff::count_lines(text.as_bytes()) == line).then_some(text.len()),
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

/// The start of the only line from `floor` on that is the anchor: as it is, without the blanks
/// around it, or with it as a part.
fn unique_line(text: &str, floor: usize, anchor: &str) -> Option<usize> {
    let wanted = anchor.trim();
    let rest = text.get(floor..)?;
    let tests: [&dyn Fn(&str) -> bool; 3] = [
        &|line| line == anchor,
        &|line| line.trim() == wanted,
        &|line| line.contains(wanted),
    ];
    for test in tests {
        let mut start = floor;
        let mut found = Vec::new();
        for line in rest.split_inclusive('\n') {
            if test(line.trim_end_matches(['\r', '\n'])) {
                found.push(start);
            }
            start += line.len();
        }
        match found.as_slice() {
            [] => {}
            [only] => return Some(*only),
            _ => return None,
        }
    }
    None
}
