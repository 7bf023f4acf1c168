//! Where the old lines of a hunk stand.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::fold::Level;
use crate::lines::{BYTE_ORDER_MARK, CallLine, file_line, line_start, text_start, words_key};
use crate::matcher::found::LocatedMatch;
use crate::matcher::index::TextIndex;
use crate::matcher::whole_lines::{SameWords, all_same_words_places, same_words_at_end};
use crate::plan::MatchLevel;

/// Most places that are kept for hunks that have the same old lines.
const MAX_KEPT: usize = 2_000_000;

/// A place where the old lines of a hunk stand.
#[derive(Debug, Clone)]
pub(crate) struct CandidatePlace {
    pub(crate) range: Range<usize>,
    /// How it was found; nothing where the lines are equal byte by byte.
    found: Option<Box<LocatedMatch>>,
}

impl CandidatePlace {
    fn of(match_level: MatchLevel, found: LocatedMatch) -> Self {
        Self {
            range: found.range.clone(),
            found: Some(Box::new(LocatedMatch {
                match_level,
                ..found
            })),
        }
    }

    /// The match, line by line; `None` if its lines are not those of the hunk, which equal bytes cannot
    /// bring about.
    pub(crate) fn found(&self, text: &str, old: &[CallLine<'_>]) -> Option<LocatedMatch> {
        let exact = || LocatedMatch::in_view(text, MatchLevel::Exact, self.range.clone(), old);
        self.found.as_deref().cloned().or_else(exact)
    }
}

/// All places of a hunk at the strictest level that has one.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// From the top down.
    pub(crate) matching: Vec<CandidatePlace>,
    /// Whether there are places that are as near, but off in another respect.
    pub(crate) has_rivals: bool,
    /// Where the rivals start.
    rivals: Vec<usize>,
}

impl Candidates {
    /// Where each place starts, rivals included.
    pub(crate) fn all_starts(&self) -> Vec<usize> {
        let matching = self.matching.iter().map(|candidate| candidate.range.start);
        let mut starts: Vec<usize> = matching.chain(self.rivals.iter().copied()).collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}

/// Finds places. Those of old lines that stand at several places are kept, as such hunks come in numbers.
pub(crate) struct Finder<'i, 'a> {
    index: &'i TextIndex<'a>,
    kept: HashMap<Vec<(String, bool, bool)>, Rc<Candidates>>,
    count: usize,
    twins: HashMap<Vec<String>, Rc<[usize]>>,
}

impl<'i, 'a> Finder<'i, 'a> {
    pub(crate) fn new(index: &'i TextIndex<'a>) -> Self {
        Self {
            index,
            kept: HashMap::new(),
            count: 0,
            twins: HashMap::new(),
        }
    }

    /// Finds the places: byte by byte first, then by match levels 2 to 5.
    ///
    /// A place at the end of a file without a last line end counts beside stricter ones: patches get that
    /// end wrong so often that only the order and the numbers of the hunks can determine which is meant.
    pub(crate) fn candidates(&mut self, old: &[CallLine<'_>]) -> Rc<Candidates> {
        let key = || -> Vec<(String, bool, bool)> {
            let lines = old.iter();
            lines
                .map(|line| (line.body.to_owned(), line.ended, line.carriage))
                .collect()
        };
        if !self.kept.is_empty()
            && let Some(candidates) = self.kept.get(&key())
        {
            return Rc::clone(candidates);
        }
        let candidates = Rc::new(self.found(old));
        let count = candidates.matching.len();
        if count > 1 && self.count + count <= MAX_KEPT {
            self.count += count;
            self.kept.insert(key(), Rc::clone(&candidates));
        }
        candidates
    }

    /// Where the words of the old lines stand, if that is at more than one place.
    pub(crate) fn twins(&mut self, old: &[CallLine<'_>]) -> Rc<[usize]> {
        let key: Vec<String> = old.iter().map(|line| line.body.to_owned()).collect();
        let index = self.index;
        let starts = self.twins.entry(key).or_insert_with(|| {
            let places = all_same_words_places(index, &plain(old)).into_iter();
            let starts: Vec<usize> = places.map(|place| place.found.range.start).collect();
            if starts.len() > 1 { starts } else { Vec::new() }.into()
        });
        Rc::clone(starts)
    }

    fn found(&self, old: &[CallLine<'_>]) -> Candidates {
        let mut candidates = strictest(self.index, old);
        if let Some(twin) = open_end(self.index, old)
            && !candidates.matching.is_empty()
            && !candidates.all_starts().contains(&twin.range.start)
        {
            candidates.matching.push(twin);
            candidates
                .matching
                .sort_by_key(|candidate| candidate.range.start);
        }
        candidates
    }
}

/// The place at the open end of the file, if the lines stand there but for their ends.
fn open_end(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Option<CandidatePlace> {
    let text = index.text;
    let last = text.get(line_start(text, text.len())..)?;
    if last.is_empty() || old.last()?.body.trim_end() != last.trim_end() {
        return None;
    }
    let call = plain(old);
    let place = same_words_at_end(index, &call).filter(|place| place.is_match)?;
    let match_level = refined(text, &place.found, &call);
    (match_level <= MatchLevel::TrailingBlanks)
        .then(|| CandidatePlace::of(match_level, place.found))
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

fn strictest(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Candidates {
    let mut exact = exact(index, old);
    let call = plain(old);
    if !exact.is_empty() {
        exact.extend(with_other_ends(index, (old, &call), &exact));
        exact.sort_by_key(|candidate| candidate.range.start);
        return Candidates {
            matching: exact,
            ..Candidates::default()
        };
    }
    let mut best = None;
    let mut matching: Vec<(MatchLevel, LocatedMatch)> = Vec::new();
    let mut others = Vec::new();
    for place in all_same_words_places(index, &call) {
        if place.is_match && place.found.match_level <= MatchLevel::Indentation {
            let match_level = refined(index.text, &place.found, &call);
            best = Some(best.map_or(match_level, |best: MatchLevel| best.min(match_level)));
            matching.push((match_level, place.found));
        } else {
            others.push(place.found.range.start);
        }
    }
    let best = best.unwrap_or(MatchLevel::Exact);
    for (_, found) in matching
        .iter()
        .filter(|(match_level, _)| *match_level != best)
    {
        others.push(found.range.start);
    }
    let has_rivals = best >= MatchLevel::Typography && !others.is_empty();
    matching.retain(|(match_level, _)| *match_level == best);
    let candidates = matching
        .into_iter()
        .map(|(match_level, found)| CandidatePlace::of(match_level, found));
    Candidates {
        matching: candidates.collect(),
        has_rivals,
        rivals: if has_rivals { others } else { Vec::new() },
    }
}

/// The places of the same lines with CRLF, where a hunk without it is equal to some with LF: reads show both alike, so either may be
/// meant.
fn with_other_ends(
    index: &TextIndex<'_>,
    (old, call): (&[CallLine<'_>], &[CallLine<'_>]),
    exact: &[CandidatePlace],
) -> Vec<CandidatePlace> {
    if old.iter().any(|line| line.carriage) || !index.is_worth(Level::LineEnds, "") {
        return Vec::new();
    }
    let known: HashSet<usize> = exact.iter().map(|place| place.range.start).collect();
    let is_other = |place: &SameWords| {
        place.is_match
            && !known.contains(&place.found.range.start)
            && refined(index.text, &place.found, call) == MatchLevel::LineEnds
    };
    all_same_words_places(index, call)
        .into_iter()
        .filter(is_other)
        .map(|place| CandidatePlace::of(MatchLevel::LineEnds, place.found))
        .collect()
}

/// Whole lines that are equal byte by byte, line ends included.
fn exact(index: &TextIndex<'_>, old: &[CallLine<'_>]) -> Vec<CandidatePlace> {
    let text = index.text;
    let mut needle = String::new();
    // How long the blank lines are before the first that is not, by which the place is looked up.
    let mut lead = None;
    let mut keys = Vec::new();
    for line in old {
        match words_key(line.body) {
            0 => {}
            key => {
                lead.get_or_insert(needle.len());
                keys.push(key);
            }
        }
        needle.push_str(line.body);
        needle.push_str(match (line.ended, line.carriage) {
            (false, _) => "",
            (true, true) => "\r\n",
            (true, false) => "\n",
        });
    }
    let is_open = old.last().is_some_and(|line| !line.ended);
    let is_line = |range: &Range<usize>| {
        // A line without a carriage return in the patch must not begin behind one in the file.
        let begins = range.start == 0 || line_start(text, range.start) == range.start;
        begins && (!is_open || range.end == text.len())
    };
    let has_mark = needle.starts_with(BYTE_ORDER_MARK);
    let starts: Vec<usize> = match lead.filter(|_| !has_mark) {
        None => index.find(&needle).collect(),
        Some(lead) => {
            let table = index.table();
            let runs = table.runs(&keys).into_iter();
            let begins = runs.filter_map(|at| table.lines.get(at)?.start.checked_sub(lead));
            let is_same = |start: &usize| {
                let rest = text.as_bytes().get(*start..);
                rest.is_some_and(|rest| rest.starts_with(needle.as_bytes()))
            };
            begins.filter(is_same).collect()
        }
    };
    starts
        .into_iter()
        .map(|start| start..start + needle.len())
        .filter(is_line)
        .map(|range| CandidatePlace { range, found: None })
        .collect()
}

/// The strictest of match levels 2 to 4 that explains the differences of a match by words.
fn refined(text: &str, found: &LocatedMatch, call: &[CallLine<'_>]) -> MatchLevel {
    if found.match_level != MatchLevel::Typography {
        return found.match_level;
    }
    let mut match_level = MatchLevel::LineEnds;
    for (place, line) in found.places.iter().zip(call) {
        let body = text.get(file_line(text, place.start).0).unwrap_or_default();
        if body == line.body {
            continue;
        }
        let blanks = [' ', '\t'];
        if body.trim_end_matches(blanks) == line.body.trim_end_matches(blanks) {
            match_level = match_level.max(MatchLevel::TrailingBlanks);
        } else {
            match_level = MatchLevel::Typography;
        }
    }
    if found.range.end == text.len() && !text.ends_with('\n') {
        match_level = match_level.max(MatchLevel::TrailingBlanks);
    }
    match_level
}

/// The start of the only line that begins in the range and is the anchor: as it is, without the whitespace around it, or
/// with it as a part.
pub(crate) fn unique_line(
    index: &TextIndex<'_>,
    range: Range<usize>,
    anchor: &str,
) -> Option<usize> {
    let (text, wanted) = (index.text, anchor.trim());
    if wanted.is_empty() {
        return None;
    }
    let line_at = |start: usize| text.get(file_line(text, start).0).unwrap_or_default();
    let table = index.table();
    let line = |offset: usize| table.lines.partition_point(|line| line.start < offset);
    let (first, last) = (line(range.start), line(range.end));
    let key = words_key(wanted);
    let runs = table.runs(&[key]);
    let run = |line: usize| runs.partition_point(|at| *at < line);
    let inside = runs.get(run(first)..run(last));
    let same: Vec<usize> = inside
        .unwrap_or_default()
        .iter()
        .filter_map(|at| table.lines.get(*at).map(|line| line.start))
        .collect();
    let tests: [&dyn Fn(&str) -> bool; 2] = [&|line| line == anchor, &|line| line.trim() == wanted];
    for test in tests {
        let mut found = same.iter().copied().filter(|start| test(line_at(*start)));
        if let Some(only) = found.next() {
            return found.next().is_none().then_some(only);
        }
    }
    let start_of_line = |at: usize| line_start(text, at).max(text_start(text));
    let found = index.find_from(wanted, range.start);
    let mut parts = found.take_while(|at| *at < range.end).map(start_of_line);
    let only = parts.next()?;
    parts.all(|start| start == only).then_some(only)
}
