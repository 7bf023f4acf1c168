//! Columns of prose on a page, which are read one after the other.
//!
//! A column begins where many lines do. Rows that run across that place (titles, wide tables and figures) part the
//! page into bands, and each band with prose on both sides is read by columns. Narrow columns are those of a table.

use std::collections::BTreeMap;

use super::rows::Piece;

/// A gap of this many ems stands between two cells, or two columns.
pub(super) const CELL: f64 = 1.2;
/// The gap between two columns of prose is at least this many ems wide.
const COLUMN_GAP: f64 = 0.9;
/// Lines of a column begin at most this many ems right of where it begins, unless they are set apart.
const INDENT: f64 = 2.5;
/// Lines that begin this many ems right of it show where a column begins.
const FLUSH: f64 = 0.3;
/// A column of prose is at least this many ems wide.
const COLUMN: f64 = 10.0;
/// Places that are tried for the beginning of a column.
const TRIED_PLACES: usize = 8;
/// Gaps between rows that are tried for a cut.
const TRIED_GAPS: usize = 6;

/// Parts of a page in the order of reading.
pub(super) fn parts_of(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    gutter(pieces)
        .and_then(|x| parts_beside(pieces, x))
        .or_else(|| band(pieces))
}

/// Where a second column of prose begins.
fn gutter(pieces: &[Piece]) -> Option<f64> {
    let size = median(pieces.iter().map(|piece| piece.size))?;
    let rows = pieces.chunk_by(|one, other| one.row == other.row).count();
    let mut best: Option<(usize, f64)> = None;
    for x in places(pieces, size) {
        let [before, after] = sides(pieces, x, size, FLUSH);
        let lines = before.count.min(after.count);
        // Gaps of a few lines stand below one another by chance.
        let is_better = lines * 4 >= rows && best.is_none_or(|(most, _)| lines > most);
        if is_better && are_columns(&before, &after) {
            best = Some((lines, x));
        }
    }
    best.map(|(_, x)| x)
}

/// Left ends of many pieces, and of those right of a gap that runs down.
fn places(pieces: &[Piece], size: f64) -> Vec<f64> {
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    sorted.sort_by(|one, other| one.left.total_cmp(&other.left));
    let mut gaps: Vec<(f64, f64)> = Vec::new();
    let mut right = f64::INFINITY;
    let mut counts: BTreeMap<i64, (usize, f64)> = BTreeMap::new();
    for piece in sorted {
        if piece.left - right > 0.8 * size {
            gaps.push((piece.left - right, piece.left));
        }
        right = if right.is_finite() {
            right.max(piece.right)
        } else {
            piece.right
        };
        #[allow(clippy::cast_possible_truncation, reason = "a place on a page")]
        let place = (piece.left / size).round() as i64;
        let (count, left) = counts.entry(place).or_insert((0, piece.left));
        *count += 1;
        *left = left.min(piece.left);
    }
    gaps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut counts: Vec<(usize, f64)> = counts
        .into_values()
        .filter(|(count, _)| *count > 2)
        .collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let gaps = gaps.into_iter().map(|(_, left)| left).take(TRIED_PLACES);
    let often = counts.into_iter().map(|(_, left)| left).take(TRIED_PLACES);
    gaps.chain(often).map(|left| left - 0.1 * size).collect()
}

/// What stands on one side of a place, without the rows that run across it.
#[derive(Default)]
struct Side {
    /// Rows, and those with prose among them.
    count: usize,
    wide: usize,
    /// Rows in a font whose letters are all as wide.
    fixed: usize,
    top: f64,
    bottom: f64,
    /// When its pieces were drawn.
    drawn: Vec<usize>,
}

/// The two sides of a place.
fn sides(pieces: &[Piece], x: f64, size: f64, indent: f64) -> [Side; 2] {
    let mut sides = [Side::default(), Side::default()];
    for row in pieces.chunk_by(|one, other| one.row == other.row) {
        if runs_across(row, x, size, indent) {
            continue;
        }
        let at = row.partition_point(|piece| piece.left < x);
        let (left, right) = row.split_at_checked(at).unwrap_or_default();
        let [before, after] = &mut sides;
        before.take(left, size);
        after.take(right, size);
    }
    sides
}

impl Side {
    fn take(&mut self, row: &[Piece], size: f64) {
        let Some(first) = row.first() else { return };
        if self.count == 0 {
            self.top = first.y;
        }
        self.bottom = first.y;
        self.count += 1;
        self.wide += usize::from(cells(row).any(|cell| width(cell) >= COLUMN * size));
        self.fixed += usize::from(row.iter().any(|piece| piece.is_fixed));
        self.drawn.extend(row.iter().map(|piece| piece.drawn));
    }

    fn is_column(&self, is_sure: bool) -> bool {
        self.wide >= 3 && self.wide * if is_sure { 5 } else { 2 } >= self.count
    }

    fn is_listing(&self) -> bool {
        self.fixed * 2 > self.count
    }
}

/// Pieces of a row without a wide gap between them.
pub(super) fn cells(row: &[Piece]) -> impl Iterator<Item = &[Piece]> {
    row.chunk_by(|one, other| other.left - one.right <= CELL * one.size.max(other.size))
}

fn width(cell: &[Piece]) -> f64 {
    let (first, last) = (cell.first(), cell.last());
    first
        .zip(last)
        .map_or(0.0, |(first, last)| last.right - first.left)
}

/// Whether a row has no gap at a place that may be the one between two columns.
fn runs_across(row: &[Piece], x: f64, size: f64, indent: f64) -> bool {
    let at = row.partition_point(|piece| piece.left < x);
    let (before, after) = row.split_at_checked(at).unwrap_or_default();
    let Some(last) = before.last() else {
        return false;
    };
    if before.iter().any(|piece| piece.right > x + 0.3 * size) {
        return true;
    }
    let Some(next) = after.first() else {
        return false;
    };
    let gap = next.left - last.right;
    if next.left - x <= indent * size {
        return false;
    }
    // All gaps of a line that is stretched to its column are as wide.
    let pairs = row.iter().zip(row.iter().skip(1)).enumerate();
    let others = pairs.filter(|(index, _)| index + 1 != at);
    let widest = others
        .map(|(_, (one, next))| next.left - one.right)
        .filter(|other| *other <= CELL * size)
        .fold(0.0, f64::max);
    gap <= CELL * size && gap < (1.2 * widest).max(COLUMN_GAP * size)
}

/// Whether both sides are prose, beside one another.
fn are_columns(before: &Side, after: &Side) -> bool {
    let is_apart = are_drawn_apart(before, after);
    // Code and the comments beside it are one listing.
    let is_listing = before.is_listing() && after.is_listing() && !is_apart;
    let shared = before.bottom.min(after.bottom) - before.top.max(after.top);
    let height = (before.bottom - before.top).min(after.bottom - after.top);
    before.is_column(is_apart)
        && after.is_column(is_apart)
        && !is_listing
        && shared > 0.0
        && shared * 2.0 >= height
}

/// Whether one side was drawn before the other: rows of a table are drawn one by one.
fn are_drawn_apart(before: &Side, after: &Side) -> bool {
    changes(before, after) <= 3.max(before.count.min(after.count) / 8)
}

/// How often the drawing went from one side to the other.
fn changes(before: &Side, after: &Side) -> usize {
    let marked = |side: &Side, is_after: bool| {
        let drawn = side.drawn.iter();
        drawn.map(|drawn| (*drawn, is_after)).collect::<Vec<_>>()
    };
    let mut drawn = marked(before, false);
    drawn.extend(marked(after, true));
    drawn.sort_unstable();
    let pairs = drawn.iter().zip(drawn.iter().skip(1));
    pairs.filter(|(one, next)| one.1 != next.1).count()
}

/// The page around the beginning of a column: what runs across it, and between that the columns.
fn parts_beside(pieces: &[Piece], x: f64) -> Option<Vec<Vec<Piece>>> {
    let size = median(pieces.iter().map(|piece| piece.size))?;
    let rows: Vec<&[Piece]> = pieces.chunk_by(|one, other| one.row == other.row).collect();
    let runs_across = |row: &[Piece]| runs_across(row, x, size, INDENT);
    let mut parts: Vec<Vec<Piece>> = Vec::new();
    let mut across: Vec<Piece> = Vec::new();
    let mut are_cut = false;
    for run in rows.chunk_by(|one, other| runs_across(one) == runs_across(other)) {
        if run.first().is_some_and(|row| runs_across(row)) {
            across.extend(run.iter().flat_map(|row| row.iter().cloned()));
            continue;
        }
        let is_last = rows.last().map(|row| row.as_ptr()) == run.last().map(|row| row.as_ptr());
        let mut bands = bands(run, x, size).into_iter().peekable();
        while let Some((is_table, mut band)) = bands.next() {
            let [before, after] = sides(&band, x, size, INDENT);
            let is_apart = are_drawn_apart(&before, &after);
            let is_prose =
                before.wide.min(after.wide) > 0 || before.wide.max(after.wide) >= 3 && is_apart;
            if is_table || !is_prose {
                across.extend(band);
                continue;
            }
            let is_followed = !is_last || bands.peek().is_some();
            let heading = if is_followed {
                heading_of(&mut band, x, size)
            } else {
                Vec::new()
            };
            parts.push(std::mem::replace(&mut across, heading));
            let (left, right) = band.into_iter().partition(|piece| piece.left < x);
            parts.extend([left, right]);
            are_cut = true;
        }
    }
    parts.push(across);
    parts.retain(|part| !part.is_empty());
    are_cut.then_some(parts)
}

/// Takes the heading of what follows from the end of two columns: it stands on the left, below them both.
fn heading_of(band: &mut Vec<Piece>, x: f64, size: f64) -> Vec<Piece> {
    let mut from = None;
    let mut at = band.len();
    let mut below = f64::INFINITY;
    let rows: Vec<&[Piece]> = band.chunk_by(|one, other| one.row == other.row).collect();
    for row in rows.iter().rev().take(3) {
        let y = row.first().map_or(0.0, |piece| piece.y);
        if below - y > 1.6 * size && below.is_finite() {
            from = Some(at);
        }
        if !row.iter().all(|piece| piece.right < x) {
            break;
        }
        at -= row.len();
        below = y;
    }
    from.map_or_else(Vec::new, |from| band.split_off(from))
}

/// Tables over both columns, and what stands between them.
fn bands(rows: &[&[Piece]], x: f64, size: f64) -> Vec<(bool, Vec<Piece>)> {
    let is_narrow = |row: &[Piece]| cells(row).all(|cell| width(cell) < COLUMN * size);
    let is_like_a_table = |row: &&[Piece]| {
        let is_on_both_sides = row.first().is_some_and(|piece| piece.left < x)
            && row.last().is_some_and(|piece| piece.left >= x);
        is_on_both_sides && is_narrow(row) && cells(row).count() >= 3
    };
    let mut marks: Vec<bool> = rows.iter().map(is_like_a_table).collect();
    // A row with empty cells need not reach over both.
    for (index, row) in rows.iter().enumerate() {
        let is_marked =
            |index: Option<usize>| index.and_then(|index| marks.get(index)) == Some(&true);
        let is_between = is_marked(index.checked_sub(1)) && is_marked(index.checked_add(1));
        if is_between
            && is_narrow(row)
            && let Some(mark) = marks.get_mut(index)
        {
            *mark = true;
        }
    }
    let mut bands: Vec<(bool, Vec<Piece>)> = Vec::new();
    let marked: Vec<(bool, &[Piece])> = marks.into_iter().zip(rows.iter().copied()).collect();
    for band in marked.chunk_by(|one, other| one.0 == other.0) {
        let pieces: Vec<Piece> = band
            .iter()
            .flat_map(|(_, row)| row.iter().cloned())
            .collect();
        let is_marked = band.len() > 1 && band.iter().any(|(mark, _)| *mark);
        let [before, after] = sides(&pieces, x, size, INDENT);
        // Two tables beside one another are drawn one after the other.
        let is_table = is_marked && changes(&before, &after) > 1;
        match bands.last_mut() {
            Some((was_table, last)) if *was_table == is_table => last.extend(pieces),
            _ => bands.push((is_table, pieces)),
        }
    }
    bands
}

/// The page above and below a gap, when cutting there makes columns appear.
fn band(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let rows: Vec<(f64, usize)> = pieces
        .chunk_by(|one, other| one.row == other.row)
        .filter_map(|row| row.first().map(|piece| (piece.y, piece.row)))
        .collect();
    let mut gaps: Vec<(f64, usize)> = rows
        .iter()
        .zip(rows.iter().skip(1))
        .map(|((above, _), (below, row))| (below - above, *row))
        .collect();
    gaps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut tried = gaps.into_iter().take(TRIED_GAPS).filter_map(|(_, row)| {
        pieces.split_at_checked(pieces.partition_point(|piece| piece.row < row))
    });
    let cut = tried.find(|(above, below)| gutter(above).is_some() || gutter(below).is_some());
    cut.map(|(above, below)| vec![above.to_vec(), below.to_vec()])
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
