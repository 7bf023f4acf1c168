//! The new text at its place: the splice behind a match.

use crate::error::Unclear;
use crate::fold::is_blank;
use crate::lines::{CallLine, LineEnd, call_lines, file_line, indentation};
use crate::matcher::blank_lines;
use crate::matcher::found::Found;
use crate::matcher::merge::Merge;
use crate::matcher::script::{Slide, kept_pairs, script};
use crate::plan::Rung;

/// The bytes that replace the range of a match.
pub(crate) fn render(text: &str, found: &Found, old: &str, new: &str) -> Result<String, Unclear> {
    if found.rung == Rung::Exact && goes_in_literally(text, found, old, new) {
        return Ok(new.to_owned());
    }
    let (old_lines, new_lines) = (call_lines(old), call_lines(new));
    check_tail(found, &old_lines, &new_lines)?;
    if let Some(gaps) = &found.gaps {
        return blank_lines::merged(text, &found.range, gaps, &old_lines, &new_lines);
    }
    if found.indentation.is_some() {
        check_indentation(text, found, &old_lines, &new_lines)?;
    }
    let exact;
    let places = if found.rung == Rung::Exact {
        exact = Found::in_view(text, Rung::Exact, found.range.clone(), &old_lines);
        exact.as_ref().map_or(&found.places, |found| &found.places)
    } else {
        &found.places
    };
    Merge {
        text,
        range: found.range.clone(),
        old: &old_lines,
        new: &new_lines,
        places,
        indentation: found.indentation.as_ref(),
        literal_ends: false,
    }
    .merged()
}

/// Whether an exact match needs no look at line ends: there are none to put in, they are
/// those in use, or they are what the edit is about.
fn goes_in_literally(text: &str, found: &Found, old: &str, new: &str) -> bool {
    if !new.contains('\n') {
        return true;
    }
    match LineEnd::in_use_at(text, found.range.start) {
        None => true,
        Some(LineEnd::Lf) if !new.contains('\r') => true,
        Some(_) => old.contains('\n') && old.replace("\r\n", "\n") == new.replace("\r\n", "\n"),
    }
}

/// An old text whose last line is a stray indentation matches whole lines only if the new text
/// ends in the same way.
fn check_tail(found: &Found, old: &[CallLine<'_>], new: &[CallLine<'_>]) -> Result<(), Unclear> {
    let Some(last) = old.last() else {
        return Ok(());
    };
    let is_stray = !last.ended && !last.body.is_empty() && last.body.chars().all(is_blank);
    let is_placed = found.gaps.is_none()
        && (found.rung == Rung::Exact
            || found.places.last().is_some_and(|place| !place.is_empty()));
    if is_stray && !is_placed && new.last() != Some(last) {
        return Err(Unclear::Indentation);
    }
    Ok(())
}

/// Refuses where the new text may already have the indentation of the file, so that mapping
/// it would indent twice.
pub(crate) fn check_indentation(
    text: &str,
    found: &Found,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
) -> Result<(), Unclear> {
    fn bodies<'a>(lines: &[CallLine<'a>]) -> Vec<&'a str> {
        lines
            .iter()
            .map(|line| line.body.trim_matches(is_blank))
            .collect()
    }
    let steps = script(&bodies(old), &bodies(new), Slide::Down);
    let mut shares_a_line = false;
    for (old_at, new_at) in kept_pairs(&steps) {
        let (Some(before), Some(after)) = (old.get(old_at), new.get(new_at)) else {
            continue;
        };
        if before.is_blank() {
            continue;
        }
        if before.indentation() == after.indentation() {
            shares_a_line = true;
            continue;
        }
        let place = found.places.get(old_at).map_or(0, |place| place.start);
        let line = text.get(file_line(text, place).0).unwrap_or_default();
        if after.indentation() == indentation(line) {
            return Err(Unclear::Indentation);
        }
    }
    if shares_a_line || new.iter().all(CallLine::is_blank) {
        return Ok(());
    }
    let first = |lines: &[CallLine<'_>]| {
        lines
            .iter()
            .find(|line| !line.is_blank())
            .map(|line| line.indentation().to_owned())
    };
    let least = |lines: &[CallLine<'_>]| {
        lines
            .iter()
            .filter(|line| !line.is_blank())
            .map(|line| line.indentation().len())
            .min()
    };
    if first(old) == first(new) && least(old) == least(new) {
        Ok(())
    } else {
        Err(Unclear::Indentation)
    }
}
