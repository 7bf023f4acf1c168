//! The new text at its place: the splice behind a match.

use std::collections::HashSet;

use crate::error::Unclear;
use crate::fold::is_blank;
use crate::lines::{CallLine, LineEnd, call_lines, file_line, indentation, line_start};
use crate::matcher::blank_lines;
use crate::matcher::found::LocatedMatch;
use crate::matcher::indentation::IndentationMap;
use crate::matcher::index::TextIndex;
use crate::matcher::merge::Merge;
use crate::matcher::script::{Slide, kept_pairs, script};
use crate::plan::MatchLevel;

/// The bytes that replace the range of a match.
pub(crate) fn render(
    index: &TextIndex<'_>,
    found: &LocatedMatch,
    old: &str,
    new: &str,
) -> Result<String, Unclear> {
    let text = index.text;
    let (old_lines, new_lines) = (call_lines(old), call_lines(new));
    if found.match_level <= MatchLevel::LineEnds {
        if let Some(replacement) = with_line_ends(text, found, old, new) {
            return Ok(replacement);
        }
    } else {
        check_tail(found, &old_lines, &new_lines)?;
        check_start(text, found, &old_lines, &new_lines)?;
    }
    if let Some(gaps) = &found.gaps {
        return blank_lines::merged(text, &found.range, gaps, &old_lines, &new_lines);
    }
    if found.indentation.is_some() {
        check_indentation(index, found, &old_lines, &new_lines)?;
    }
    Merge {
        text,
        range: found.range.clone(),
        old: &old_lines,
        new: &new_lines,
        places: &found.places,
        indentation: found.indentation.as_ref(),
        ignores_trailing_blanks: found.match_level >= MatchLevel::TrailingBlanks,
        is_patch: false,
        literal_ends: false,
    }
    .merged()
}

/// The new text of match levels 1 and 2 as it is, with the line end in use. `None` where the lines that
/// it leaves alone have two kinds of line ends, of which the call shows one: then each keeps its own.
fn with_line_ends(text: &str, found: &LocatedMatch, old: &str, new: &str) -> Option<String> {
    if found.match_level == MatchLevel::Exact && is_about_line_ends(old, new) {
        return Some(new.to_owned());
    }
    if found.match_level == MatchLevel::LineEnds && has_mixed_ends(text.get(found.range.clone())?) {
        return None;
    }
    Some(match LineEnd::in_use_at(text, found.range.start) {
        None => new.to_owned(),
        Some(LineEnd::Lf) => new.replace("\r\n", "\n"),
        Some(LineEnd::CrLf) => new.replace("\r\n", "\n").replace('\n', "\r\n"),
    })
}

/// Whether a call whose old text is equal byte by byte knows the line ends: it has both kinds, or
/// changes nothing else.
fn is_about_line_ends(old: &str, new: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n");
    has_mixed_ends(old) || (old.contains('\n') && plain(old) == plain(new))
}

fn has_mixed_ends(text: &str) -> bool {
    let carriages = text.matches("\r\n").count();
    carriages > 0 && carriages < text.matches('\n').count()
}

/// An old text whose last line is a stray indentation matches whole lines only if the new text
/// ends in the same way.
fn check_tail(
    found: &LocatedMatch,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
) -> Result<(), Unclear> {
    let Some(last) = old.last() else {
        return Ok(());
    };
    let is_stray = !last.ended && !last.body.is_empty() && last.body.chars().all(is_blank);
    let is_placed =
        found.gaps.is_none() && found.places.last().is_some_and(|place| !place.is_empty());
    if is_stray && !is_placed && new.last() != Some(last) {
        return Err(Unclear::Indentation);
    }
    Ok(())
}

/// An old text that begins inside or behind the indentation of its line: at weaker levels it must
/// be clear that the new text begins there too, and that its other lines are indented in full.
pub(crate) fn check_start(
    text: &str,
    found: &LocatedMatch,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
) -> Result<(), Unclear> {
    let start = found.range.start;
    let before = text.get(line_start(text, start)..start).unwrap_or_default();
    let Some(first) = old.first() else {
        return Ok(());
    };
    if before.is_empty() || !before.chars().all(is_blank) {
        return Ok(());
    }
    let begins_alike = new.first().is_none_or(|line| {
        line.indentation() == first.indentation() && (first.is_blank() || !line.is_blank())
    });
    let indentation = format!("{before}{}", first.indentation());
    let is_short = |line: &CallLine<'_>| !line.is_blank() && !line.body.starts_with(&indentation);
    let solid = old.iter().filter(|line| !line.is_blank()).count();
    // A line that stood further down, where it has the indentation of its own line, has become the first.
    let moved_up = |line: &CallLine<'_>| {
        let is_same = |old: &CallLine<'_>| old.body == line.body;
        !line.is_blank() && !is_same(first) && old.iter().skip(1).any(is_same)
    };
    let has_moved_up = new.first().is_some_and(moved_up);
    if !begins_alike || has_moved_up || (solid == 1 && new.iter().skip(1).any(is_short)) {
        return Err(Unclear::Indentation);
    }
    Ok(())
}

/// Refuses where the new text may already have the indentation of the file, so that mapping
/// it would indent twice.
pub(crate) fn check_indentation(
    index: &TextIndex<'_>,
    found: &LocatedMatch,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
) -> Result<(), Unclear> {
    let Some(map) = &found.indentation else {
        return Ok(());
    };
    let text = index.text;
    let file_indentation = |at: usize| {
        let place = found.places.get(at).map_or(0, |place| place.start);
        indentation(text.get(file_line(text, place).0).unwrap_or_default())
    };
    let is_settled = |line: &CallLine<'_>| {
        line.is_blank() || map.map(line.indentation()).as_deref() == Some(line.indentation())
    };
    if new.iter().all(is_settled) {
        return Ok(());
    }
    let steps = script(&bodies(old), &bodies(new), Slide::Down);
    let mut is_proven = false;
    for (old_at, new_at) in kept_pairs(&steps) {
        let (Some(before), Some(after)) = (old.get(old_at), new.get(new_at)) else {
            continue;
        };
        if before.is_blank() {
            continue;
        }
        let theirs = file_indentation(old_at);
        if before.indentation() == after.indentation() {
            // A line that was left alone shows whose indentation the new text follows.
            is_proven |= before.indentation() != theirs;
        } else if after.indentation() == theirs {
            return Err(Unclear::Indentation);
        }
    }
    let (ours, news) = (solid(old), solid(new));
    let known: HashSet<&str> = ours.iter().copied().collect();
    let unknown: HashSet<&str> = news
        .iter()
        .copied()
        .filter(|own| !known.contains(own))
        .collect();
    if !is_proven && !news.is_empty() && ours != news {
        return Err(Unclear::Indentation);
    }
    if unknown.iter().all(|own| is_plausible(index, map, own)) {
        Ok(())
    } else {
        Err(Unclear::Indentation)
    }
}

/// The lines without the whitespace around them.
fn bodies<'a>(lines: &[CallLine<'a>]) -> Vec<&'a str> {
    let bodies = lines.iter().map(|line| line.body.trim_matches(is_blank));
    bodies.collect()
}

/// The indentations of the lines that are not blank.
fn solid<'a>(lines: &[CallLine<'a>]) -> Vec<&'a str> {
    let lines = lines.iter().filter(|line| !line.is_blank());
    lines.map(CallLine::indentation).collect()
}

/// A mapped indentation that the file does not use, and that is no level of its own either, shows
/// that the map goes astray.
fn is_plausible(index: &TextIndex<'_>, map: &IndentationMap, own: &str) -> bool {
    let Some(mapped) = map.map(own) else {
        return false;
    };
    if !mapped.contains(' ') {
        return true;
    }
    index.has_indentation(&mapped)
        || index
            .unit()
            .is_some_and(|unit| mapped.len().is_multiple_of(unit))
}
