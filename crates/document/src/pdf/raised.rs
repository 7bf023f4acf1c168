//! Letters that stand above or below the base line of their row: superscripts, subscripts, large initials.

use super::collect::Letter;
use super::rows::SPACE;
use super::watch::Watch;
use crate::superscript;

/// Letters this many ems off belong to another base line.
const BASE: f64 = 0.12;
/// A gap of this many ems ends a run.
const RUN: f64 = 0.75;
/// Letters that belong to others are of this part of their size.
const SMALL: std::ops::RangeInclusive<f64> = 0.4..=0.92;
/// How far a superscript is raised, in ems of what it belongs to.
const RAISED: std::ops::RangeInclusive<f64> = 0.15..=0.75;
/// How far a subscript is lowered.
const LOWERED: std::ops::RangeInclusive<f64> = 0.08..=0.6;
/// Letters are at most this many ems wide.
const NEAR: f64 = 4.0;
/// Most letters of a superscript.
const MAX_LETTERS: usize = 24;
/// Runs above and below that are looked at.
const NEIGHBOURS: usize = 200;

/// Letters side by side on one base line.
#[derive(Debug)]
struct Run {
    letters: Vec<Letter>,
    left: f64,
    right: f64,
    y: f64,
    size: f64,
}

/// Where a run belongs.
struct Place {
    host: usize,
    /// Its left end, without the gap to what it belongs to.
    left: f64,
    gap: f64,
    is_behind: bool,
    is_raised: bool,
}

/// All letters on the base lines of their rows; a superscript is one letter with its mark.
pub(super) fn on_base_lines(letters: Vec<Letter>, watch: &Watch) -> Vec<Letter> {
    let mut runs = runs_of(letters);
    let mut by_size: Vec<usize> = (0..runs.len()).collect();
    by_size.sort_by(|one, other| {
        let size = |index: &usize| runs.get(*index).map_or(0.0, |run| run.size);
        size(one).total_cmp(&size(other))
    });
    for index in &by_size {
        watch.check();
        lower_initial(&mut runs, *index);
    }
    for index in by_size {
        watch.check();
        let Some(place) = place_of(&runs, index) else {
            continue;
        };
        let Some(run) = runs.get_mut(index) else {
            continue;
        };
        let letters = std::mem::take(&mut run.letters);
        let (right, drawn) = (run.right, letters.iter().map(|letter| letter.drawn).min());
        let text = text_of(letters);
        let (before, behind) = match (place.is_raised, place.is_behind) {
            (true, true) => superscript::marks(&text).unwrap_or_default(),
            // The number of a note, before its text.
            (true, false) => ("", " "),
            (false, _) => ("", ""),
        };
        if let Some(host) = runs.get_mut(place.host) {
            let at = host.letters.partition_point(|letter| letter.x < place.left);
            host.letters.insert(
                at,
                Letter {
                    text: format!("{before}{text}{behind}"),
                    x: place.left,
                    y: host.y,
                    width: right - place.left,
                    size: host.size,
                    drawn: drawn.unwrap_or_default(),
                    angle: 0.0,
                    is_vertical: false,
                },
            );
        }
    }
    runs.into_iter().flat_map(|run| run.letters).collect()
}

fn runs_of(mut letters: Vec<Letter>) -> Vec<Run> {
    letters.sort_by(|one, other| one.y.total_cmp(&other.y));
    let mut lines: Vec<Vec<Letter>> = Vec::new();
    let mut base = (f64::NEG_INFINITY, 0.0_f64);
    for letter in letters {
        let is_same = letter.y - base.0 <= BASE * letter.size.min(base.1);
        if is_same && let Some(line) = lines.last_mut() {
            line.push(letter);
        } else {
            base = (letter.y, letter.size);
            lines.push(vec![letter]);
        }
    }
    let mut runs: Vec<Run> = Vec::new();
    for mut line in lines {
        line.sort_by(|one, other| one.x.total_cmp(&other.x));
        let first = runs.len();
        for letter in line {
            let right = letter.x + letter.width;
            let is_next = |run: &&mut Run| letter.x - run.right <= RUN * letter.size.max(run.size);
            let has_ink = !letter.text.trim().is_empty();
            if let Some(run) = runs
                .get_mut(first..)
                .and_then(<[Run]>::last_mut)
                .filter(is_next)
            {
                if has_ink {
                    run.right = run.right.max(right);
                    run.size = run.size.max(letter.size);
                }
                run.letters.push(letter);
            } else if has_ink {
                let (left, y, size) = (letter.x, letter.y, letter.size);
                runs.push(Run {
                    letters: vec![letter],
                    left,
                    right,
                    y,
                    size,
                });
            }
        }
    }
    runs
}

/// Runs near another in height.
fn neighbours(runs: &[Run], index: usize) -> impl Iterator<Item = (usize, &Run)> {
    let from = index.saturating_sub(NEIGHBOURS);
    let near = runs.iter().enumerate().skip(from).take(2 * NEIGHBOURS);
    near.filter(move |(other, run)| *other != index && !run.letters.is_empty())
}

/// The larger letters that a run stands at, above or below their base line.
fn place_of(runs: &[Run], index: usize) -> Option<Place> {
    let run = runs.get(index)?;
    if run.letters.len() > MAX_LETTERS {
        return None;
    }
    let mut best: Option<Place> = None;
    for (host, larger) in neighbours(runs, index) {
        let rise = (larger.y - run.y) / larger.size;
        let is_raised = RAISED.contains(&rise);
        let is_off = is_raised || LOWERED.contains(&-rise);
        if !SMALL.contains(&(run.size / larger.size)) || !is_off {
            continue;
        }
        let near = beside(run, larger).map(|(left, is_behind, gap)| Place {
            host,
            left,
            gap,
            is_behind,
            is_raised,
        });
        // What stands between two belongs to the first.
        let rank = |place: &Place| (!place.is_behind, place.gap);
        if let Some(place) = near
            && best.as_ref().is_none_or(|best| rank(&place) < rank(best))
        {
            best = Some(place);
        }
    }
    best
}

/// Where a run begins, whether it stands behind a letter of the other, and how wide the gap is.
fn beside(run: &Run, larger: &Run) -> Option<(f64, bool, f64)> {
    let em = larger.size;
    if run.left - larger.right > em || larger.left - run.right > em {
        return None;
    }
    let from = larger
        .letters
        .partition_point(|letter| letter.x < run.left - NEAR * em);
    let near = larger.letters.iter().skip(from);
    let near = near.take_while(|letter| letter.x < run.right + em);
    let inked = || near.clone().filter(|letter| !letter.text.trim().is_empty());
    let covered: f64 = inked()
        .map(|letter| (letter.x + letter.width).min(run.right) - letter.x.max(run.left))
        .filter(|shared| *shared > 0.0)
        .sum();
    if covered > 0.35 * em {
        return None;
    }
    let ends = inked().map(|letter| letter.x + letter.width);
    let behind = ends
        .map(|end| (end, run.left - end))
        .filter(|(_, gap)| (-0.35 * em..=0.4 * em).contains(gap))
        .min_by(|one, other| one.1.abs().total_cmp(&other.1.abs()));
    if let Some((end, gap)) = behind {
        return Some((end, true, gap.abs()));
    }
    let gap = larger.left - run.right;
    (-0.1 * em..=0.7 * em)
        .contains(&gap)
        .then_some((run.left, false, gap.abs()))
}

fn text_of(mut letters: Vec<Letter>) -> String {
    letters.sort_by(|one, other| one.x.total_cmp(&other.x));
    let mut text = String::new();
    let mut right = f64::INFINITY;
    for letter in letters {
        let is_apart = letter.x - right > SPACE * letter.size;
        if is_apart && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(&letter.text);
        right = letter.x + letter.width;
    }
    text.trim().to_owned()
}

/// Moves a large initial to the first of the lines that it stands beside.
fn lower_initial(runs: &mut [Run], index: usize) {
    let Some(run) = runs.get(index) else { return };
    let [initial] = run.letters.as_slice() else {
        return;
    };
    if !initial.text.chars().all(char::is_alphabetic) {
        return;
    }
    let top = |run: &Run| run.y - 0.72 * run.size;
    let line = neighbours(runs, index).find(|(_, line)| {
        let gap = (line.left - run.right) / line.size;
        run.size >= 1.8 * line.size
            && run.y - line.y >= 0.5 * line.size
            && (-0.3..=1.2).contains(&gap)
            && (top(line) - top(run)).abs() <= 0.5 * line.size
            && line.letters.len() > 2
    });
    let Some((left, y, size)) = line.map(|(_, line)| (line.left, line.y, line.size)) else {
        return;
    };
    let Some(run) = runs.get_mut(index) else {
        return;
    };
    for letter in &mut run.letters {
        let is_word = left - letter.x - letter.width > 0.4 * size;
        letter.width = if is_word {
            letter.width
        } else {
            left - letter.x
        };
        (letter.y, letter.size) = (y, size);
    }
}
