//! The match levels in order: where the old text of one edit stands, at the strictest level that finds it.

use std::collections::HashSet;
use std::ops::Range;

use crate::fold::{Level, is_blank};
use crate::lines::{CallLine, call_lines};
use crate::matcher::found::LocatedMatch;
use crate::matcher::index::TextIndex;
use crate::matcher::views::{self, most_places};
use crate::matcher::whole_lines::{
    SameWords, all_same_words_places, most_same_words, same_words_places,
};
use crate::plan::MatchLevel;

/// Where an old text stands.
#[derive(Debug)]
pub(crate) enum Located {
    /// At this place only; with `replace_all`, at these.
    At(Vec<LocatedMatch>),
    /// At several places of which none is the right one, and whether there are more than these.
    Several(Vec<Candidate>, bool),
    /// Nowhere. The places that have at least the same words are handed on.
    Nowhere(Vec<SameWords>),
}

/// One of several places.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) range: Range<usize>,
    /// `None` if it differs in more respects than any level allows.
    pub(crate) match_level: Option<MatchLevel>,
    /// The start of its first line that is not blank.
    pub(crate) anchor: usize,
}

/// How far a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Depth {
    /// The weakest match level that is tried.
    pub(crate) weakest: MatchLevel,
    /// Whether several places are wanted.
    pub(crate) all: bool,
}

/// Tries match levels 1 to 7 in order.
pub(crate) fn locate(index: &TextIndex<'_>, old: &str, depth: Depth) -> Located {
    let exact = exact_places(index, old, depth);
    if !exact.is_empty() {
        return settle(index, old, exact, depth);
    }
    if old.chars().all(|c| is_blank(c) || matches!(c, '\n' | '\r')) {
        return Located::Nowhere(Vec::new());
    }
    for level in [Level::LineEnds, Level::TrailingBlanks] {
        let found = folded(index, old, level, depth);
        if !found.is_empty() {
            return settle(index, old, found, depth);
        }
    }
    weaker(index, old, depth)
}

/// MatchLevel 1, and beside it what differs in line ends only where both may be meant: with every place wanted, and where the call has
/// LF in a file with both kinds, which reads show alike.
fn exact_places(index: &TextIndex<'_>, old: &str, depth: Depth) -> Vec<LocatedMatch> {
    let ranges = if depth.all {
        views::exact_disjoint(index.text, old)
    } else {
        views::exact(index, old)
    };
    let is_certain = ranges.is_empty() || !old.contains('\n');
    let others = if is_certain {
        Vec::new()
    } else if depth.all {
        views::folded_disjoint(index, old, Level::LineEnds, &ranges)
    } else if ranges.len() == 1 && !old.contains('\r') {
        let mut places = views::folded(index, old, Level::LineEnds);
        places.retain(|place| !ranges.contains(&place.range));
        places
    } else {
        Vec::new()
    };
    let exact = ranges.into_iter().map(LocatedMatch::exact_at);
    let mut found: Vec<LocatedMatch> = exact.chain(others).collect();
    found.sort_by_key(|one| one.range.start);
    found
}

fn folded(index: &TextIndex<'_>, old: &str, level: Level, depth: Depth) -> Vec<LocatedMatch> {
    if depth.all {
        views::folded_disjoint(index, old, level, &[])
    } else {
        views::folded(index, old, level)
    }
}

fn settle(index: &TextIndex<'_>, old: &str, found: Vec<LocatedMatch>, depth: Depth) -> Located {
    if depth.all {
        return Located::At(found);
    }
    if found.len() == 1 {
        return Located::At(found);
    }
    let call = call_lines(old);
    let most = most_places(old.len());
    Located::Several(
        found
            .iter()
            .take(most)
            .map(|one| candidate(index, &call, one, true))
            .collect(),
        found.len() > most,
    )
}

fn candidate(
    index: &TextIndex<'_>,
    call: &[CallLine<'_>],
    found: &LocatedMatch,
    is_match: bool,
) -> Candidate {
    Candidate {
        range: found.range.clone(),
        match_level: is_match.then_some(found.match_level),
        anchor: found.anchor(index.text, call),
    }
}

/// Match levels 4 to 7. Here a place counts as unique only if none of the other levels would find
/// another one: two places that are each off in another respect are as good as each other.
fn weaker(index: &TextIndex<'_>, old: &str, depth: Depth) -> Located {
    let call = call_lines(old);
    let mut found = if depth.weakest >= MatchLevel::Typography {
        folded(index, old, Level::Typography, depth)
    } else {
        Vec::new()
    };
    if depth.weakest < MatchLevel::Indentation && found.is_empty() {
        return Located::Nowhere(Vec::new());
    }
    let anchors: HashSet<usize> = found
        .iter()
        .map(|one| one.anchor(index.text, &call))
        .collect();
    let same_words = if depth.all {
        all_same_words_places(index, &call)
    } else {
        same_words_places(index, &call)
    };
    let has_more = !depth.all
        && (found.len() > most_places(old.len()) || same_words.len() > most_same_words(&call));
    let mut others: Vec<SameWords> = same_words
        .into_iter()
        .filter(|place| !anchors.contains(&place.found.anchor(index.text, &call)))
        .collect();
    let may_match = |place: &SameWords| place.is_match && place.found.match_level <= depth.weakest;
    if found.is_empty() && !others.iter().any(may_match) {
        return Located::Nowhere(others);
    }
    if found.is_empty() && others.len() == 1 {
        found.extend(others.pop().map(|place| place.found));
        return Located::At(found);
    }
    if others.is_empty() && (found.len() == 1 || depth.all) {
        return Located::At(found);
    }
    let mut several: Vec<Candidate> = found
        .iter()
        .map(|one| candidate(index, &call, one, true))
        .collect();
    several.extend(others.iter().map(|place| {
        let is_reported = place.is_match || place.is_too_short;
        candidate(index, &call, &place.found, is_reported)
    }));
    several.sort_by_key(|one| one.range.start);
    if has_more {
        several.pop();
    }
    Located::Several(several, has_more)
}
