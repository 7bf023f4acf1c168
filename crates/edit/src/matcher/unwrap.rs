//! MatchLevel 8: the old text after one decoration is taken off.

use std::collections::HashSet;

use crate::error::{EditError, MatchPlace, Unclear, Which};
use crate::fold::Level;
use crate::lines::{LineCounter, call_lines, lines_of, solid_length};
use crate::matcher::found::LocatedMatch;
use crate::matcher::index::TextIndex;
use crate::matcher::locate::{Candidate, Depth, Located, locate};
use crate::matcher::render::{check_start, render};
use crate::matcher::views;
use crate::matcher::whole_lines::{SameWords, same_words_places};
use crate::plan::{Decoration, MatchLevel, Replacement};

mod around;
pub(crate) mod decorated;
mod escapes;
mod numbers;

pub(crate) use numbers::looks_numbered;

/// Unwrapped texts that are shorter than this, whitespace not counted, prove nothing, unless the line at which they have to begin is
/// known.
const MIN_TEXT: usize = 8;

/// An edit without its decoration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BareEdit {
    pub(crate) old: String,
    pub(crate) new: String,
}

/// One way to take a decoration off.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) decoration: Decoration,
    pub(crate) old: String,
    pub(crate) new: Result<String, Unclear>,
    /// The weakest match level at which the bare text may match.
    pub(crate) weakest: MatchLevel,
    /// The line, counted from 1, at which the match has to begin; `None` for any.
    pub(crate) line: Option<usize>,
    /// Whether the match has to consist of whole lines.
    pub(crate) whole_lines: bool,
}

/// A match of an unwrapped text.
pub(crate) struct Unwrapped {
    pub(crate) found: LocatedMatch,
    pub(crate) edit: BareEdit,
    pub(crate) decoration: Decoration,
}

fn variants(edit: &Replacement<'_>) -> Vec<Variant> {
    let mut variants = numbers::variants(edit);
    variants.extend(around::variants(edit));
    variants.extend(escapes::variants(edit));
    variants.retain(|variant| {
        variant.old != edit.old && (variant.line.is_some() || !is_short(&variant.old))
    });
    variants
}

/// Whether a text proves nothing by standing somewhere.
fn is_short(text: &str) -> bool {
    solid_length(text) < MIN_TEXT
}

/// A variant that stands somewhere.
struct Hit {
    variant: Variant,
    found: LocatedMatch,
    anchor: usize,
}

/// All places of all variants, and the candidates of those that stand at several places.
fn hits(index: &TextIndex<'_>, edit: &Replacement<'_>) -> (Vec<Hit>, Vec<Candidate>) {
    let (mut hits, mut several) = (Vec::new(), Vec::new());
    for variant in variants(edit) {
        let depth = Depth {
            weakest: variant.weakest,
            all: false,
        };
        match locate(index, &variant.old, depth) {
            Located::At(found) => {
                let twins = twins(index, &variant.old, &found);
                if !twins.is_empty() {
                    // What is stricter by white space alone is no better a guess here.
                    several.extend(twins);
                    continue;
                }
                for found in found {
                    let anchor = found.anchor(index.text, &call_lines(&variant.old));
                    if fits(index, &variant, &found) {
                        hits.push(Hit {
                            variant: variant.clone(),
                            found,
                            anchor,
                        });
                    }
                }
            }
            Located::Several(candidates, _) => several.extend(candidates),
            Located::Nowhere(_) => {}
        }
    }
    (hits, several)
}

/// Other places that differ from an unwrapped text in white space or typography only.
fn twins(index: &TextIndex<'_>, old: &str, found: &[LocatedMatch]) -> Vec<Candidate> {
    let call = call_lines(old);
    let anchors: HashSet<usize> = found
        .iter()
        .map(|one| one.anchor(index.text, &call))
        .collect();
    let folded = views::folded(index, old, Level::Typography);
    let plain = views::folded(index, old, Level::TrailingBlanks);
    let words = same_words_places(index, &call)
        .into_iter()
        .map(|place| place.found);
    folded
        .into_iter()
        .chain(plain)
        .chain(words)
        .map(|twin| Candidate {
            range: twin.range.clone(),
            match_level: Some(MatchLevel::Unwrapped),
            anchor: twin.anchor(index.text, &call),
        })
        .filter(|twin| !anchors.contains(&twin.anchor))
        .collect()
}

fn fits(index: &TextIndex<'_>, variant: &Variant, found: &LocatedMatch) -> bool {
    let text = index.text;
    if found.match_level > variant.weakest {
        return false;
    }
    if variant
        .line
        .is_some_and(|line| index.line_at(found.range.start) != line)
    {
        return false;
    }
    if !variant.whole_lines {
        return true;
    }
    let bytes = text.as_bytes();
    let begins = crate::lines::line_start(text, found.range.start) == found.range.start;
    let last = found
        .range
        .end
        .checked_sub(1)
        .and_then(|before| bytes.get(before));
    let next = bytes.get(found.range.end);
    begins && (last == Some(&b'\n') || next.is_none_or(|next| matches!(next, b'\n' | b'\r')))
}

/// The one place where the edit stands once it is unwrapped; `None` if there is none.
pub(crate) fn unwrapped(
    index: &TextIndex<'_>,
    edit: &Replacement<'_>,
    which: Which,
    near: &[SameWords],
) -> Result<Option<Unwrapped>, EditError> {
    let call = call_lines(edit.old);
    let near: Vec<usize> = near
        .iter()
        .map(|place| place.found.anchor(index.text, &call))
        .collect();
    let (mut hits, several) = hits(index, edit);
    hits.sort_by_key(|hit| hit.found.match_level);
    let Some(best) = hits.first() else {
        return if several.is_empty() {
            Ok(None)
        } else {
            Err(ambiguous(index.text, which, &several))
        };
    };
    // A place with the same words as the decorated text is as good a guess.
    if near.iter().any(|anchor| *anchor != best.anchor) {
        return Ok(None);
    }
    let elsewhere = hits.iter().filter(|hit| hit.anchor != best.anchor);
    let mut others: Vec<Candidate> = elsewhere.map(Hit::candidate).collect();
    others.extend(several);
    if !others.is_empty() {
        others.push(best.candidate());
        return Err(ambiguous(index.text, which, &others));
    }
    let new = agreed(index, &hits).map_err(|reason| EditError::Unclear {
        which,
        match_level: MatchLevel::Unwrapped,
        lines: lines_of(index.text, &best.found.range),
        reason,
    })?;
    Ok(Some(Unwrapped {
        found: best.found.clone(),
        edit: BareEdit {
            old: best.variant.old.clone(),
            new,
        },
        decoration: best.variant.decoration,
    }))
}

/// The new text of the best variant, if all variants that match as strictly come to the same.
fn agreed(index: &TextIndex<'_>, hits: &[Hit]) -> Result<String, Unclear> {
    let best = hits.first().ok_or(Unclear::Decoration)?;
    let rendered = |hit: &Hit| {
        let new = hit.variant.new.clone()?;
        check_start(
            index.text,
            &hit.found,
            &call_lines(&hit.variant.old),
            &call_lines(&new),
        )?;
        render(index, &hit.found, &hit.variant.old, &new)
            .map(|bytes| (hit.found.range.clone(), bytes))
    };
    let result = rendered(best)?;
    let rivals = hits
        .iter()
        .filter(|hit| hit.found.match_level == best.found.match_level);
    for rival in rivals {
        if rendered(rival).as_ref() != Ok(&result) {
            return Err(Unclear::Decoration);
        }
    }
    best.variant.new.clone()
}

/// Refuses a weak match if the same text, unwrapped, stands somewhere else.
pub(crate) fn check_twins(
    index: &TextIndex<'_>,
    edit: &Replacement<'_>,
    found: &[LocatedMatch],
    which: Which,
) -> Result<(), EditError> {
    let call = call_lines(edit.old);
    let anchors: Vec<usize> = found
        .iter()
        .map(|one| one.anchor(index.text, &call))
        .collect();
    let known: HashSet<usize> = anchors.iter().copied().collect();
    let (hits, several) = hits(index, edit);
    let mut others: Vec<Candidate> = hits
        .iter()
        .filter(|hit| !known.contains(&hit.anchor))
        .map(Hit::candidate)
        .collect();
    others.extend(
        several
            .into_iter()
            .filter(|one| !known.contains(&one.anchor)),
    );
    if others.is_empty() {
        return Ok(());
    }
    others.extend(found.iter().zip(anchors).map(|(one, anchor)| Candidate {
        range: one.range.clone(),
        match_level: Some(one.match_level),
        anchor,
    }));
    Err(ambiguous(index.text, which, &others))
}

impl Hit {
    fn candidate(&self) -> Candidate {
        Candidate {
            range: self.found.range.clone(),
            match_level: Some(MatchLevel::Unwrapped),
            anchor: self.anchor,
        }
    }
}

fn ambiguous(text: &str, which: Which, candidates: &[Candidate]) -> EditError {
    let mut candidates: Vec<&Candidate> = candidates.iter().collect();
    candidates.sort_by_key(|one| one.range.start);
    let mut counter = LineCounter::new(text);
    let mut places: Vec<MatchPlace> = candidates
        .into_iter()
        .map(|one| MatchPlace {
            lines: counter.lines_of(&one.range),
            match_level: one.match_level,
        })
        .collect();
    places.sort_by_key(|place| (place.lines.first, place.lines.last, place.match_level));
    places.dedup_by_key(|place| place.lines);
    let total = places.len();
    places.truncate(crate::error::MAX_PLACES);
    EditError::Ambiguous {
        which,
        places,
        total,
        has_more: false,
    }
}
