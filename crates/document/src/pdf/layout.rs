//! From letters at places to lines in reading order.
//!
//! Letters on one base line make a row, a row falls apart at wide gaps into pieces, and the pieces are put into order
//! by cutting the page: between columns of prose where a gap runs down, between bands where that makes columns
//! appear. Narrow columns are those of a table, which is read row by row.

use super::collect::Letter;

/// A gap of this many ems stands for a space.
const SPACE: f64 = 0.18;
/// A gap of this many ems ends a piece.
const PIECE: f64 = 1.2;
/// A column of prose is at least this many ems wide.
const COLUMN: f64 = 10.0;
/// How often a page is cut within a cut.
const MAX_DEPTH: usize = 12;
/// Gaps between rows that are tried for a cut.
const TRIED_GAPS: usize = 6;

/// Letters of one row without a wide gap between them.
#[derive(Debug, Clone)]
struct Piece {
    row: usize,
    text: String,
    left: f64,
    right: f64,
    y: f64,
    size: f64,
}

/// The text of a page, a line break after each line. `turned` are texts in other directions.
pub(super) fn text_of(letters: Vec<Letter>, turned: &[String]) -> String {
    let pieces = pieces_of(letters);
    let mut text = String::new();
    order(pieces, 0, &mut text);
    if !turned.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        for line in turned {
            text.push_str(line.trim());
            text.push('\n');
        }
    }
    text
}

fn pieces_of(mut letters: Vec<Letter>) -> Vec<Piece> {
    letters.sort_by(|left, right| left.y.total_cmp(&right.y));
    let mut rows: Vec<Vec<Letter>> = Vec::new();
    let mut base = (f64::NEG_INFINITY, 0.0);
    for letter in letters {
        let (y, size) = base;
        if letter.y - y > 0.45 * letter.size.max(size) || rows.is_empty() {
            base = (letter.y, letter.size);
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push(letter);
        }
    }
    let rows = rows.into_iter().enumerate();
    rows.flat_map(|(number, row)| pieces_of_row(number, row))
        .collect()
}

fn pieces_of_row(number: usize, mut row: Vec<Letter>) -> Vec<Piece> {
    row.sort_by(|left, right| left.x.total_cmp(&right.x));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut before: Option<&Letter> = None;
    for letter in &row {
        let is_space = letter.text.trim().is_empty();
        if let (Some(piece), Some(last)) = (pieces.last_mut(), before) {
            // Bold letters are often drawn twice.
            if last.text == letter.text
                && (letter.x - last.x).abs() < 0.15 * letter.size
                && !is_space
            {
                continue;
            }
            let size = letter.size.max(piece.size);
            let gap = letter.x - piece.right;
            if gap <= PIECE * size {
                if (is_space || gap > SPACE * size) && !piece.text.ends_with(' ') {
                    piece.text.push(' ');
                }
                if !is_space {
                    piece.text.push_str(&letter.text);
                    piece.right = piece.right.max(letter.x + letter.width);
                    piece.size = size;
                }
                before = Some(letter);
                continue;
            }
        }
        if !is_space {
            pieces.push(Piece {
                row: number,
                text: letter.text.clone(),
                left: letter.x,
                right: letter.x + letter.width,
                y: letter.y,
                size: letter.size,
            });
            before = Some(letter);
        }
    }
    for piece in &mut pieces {
        piece.text = in_reading_direction(piece.text.trim_end());
    }
    pieces
}

/// Letters stand from left to right on the page; of a script that runs the other way, the last is the first.
fn in_reading_direction(text: &str) -> String {
    let is_from_right =
        |letter: &char| matches!(*letter as u32, 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff);
    let from_right = text.chars().filter(is_from_right).count();
    if from_right * 2 <= text.chars().filter(|letter| letter.is_alphabetic()).count()
        || from_right == 0
    {
        return text.to_owned();
    }
    // Numbers and words of other scripts within run from left to right.
    let mut turned = String::with_capacity(text.len());
    let mut kept: Vec<char> = Vec::new();
    for letter in text.chars().rev() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '.' | ',' | '-') && !kept.is_empty() {
            kept.push(letter);
        } else {
            turned.extend(kept.drain(..).rev());
            turned.push(letter);
        }
    }
    turned.extend(kept.into_iter().rev());
    turned
}

fn order(pieces: Vec<Piece>, depth: usize, text: &mut String) {
    if depth < MAX_DEPTH {
        if let Some(x) = gutter(&pieces) {
            let (left, right) = pieces.into_iter().partition(|piece| piece.left < x);
            order(left, depth + 1, text);
            return order(right, depth + 1, text);
        }
        if let Some(row) = band(&pieces) {
            let (above, below) = pieces.into_iter().partition(|piece| piece.row < row);
            order(above, depth + 1, text);
            return order(below, depth + 1, text);
        }
    }
    write_rows(pieces, text);
}

/// Where a gap runs down between two columns of prose.
fn gutter(pieces: &[Piece]) -> Option<f64> {
    let mut sorted: Vec<&Piece> = pieces.iter().collect();
    sorted.sort_by(|one, other| one.left.total_cmp(&other.left));
    let size = median(pieces.iter().map(|piece| piece.size))?;
    let mut best: Option<(f64, f64)> = None;
    let mut right = f64::NEG_INFINITY;
    for (index, piece) in sorted.iter().enumerate() {
        let gap = piece.left - right;
        if index > 0 && gap > 0.8 * size && best.is_none_or(|(widest, _)| gap > widest) {
            let (before, after) = sorted.split_at(index);
            if is_column(before, size)
                && is_column(after, size)
                && stand_side_by_side(before, after)
            {
                best = Some((gap, piece.left - gap / 2.0));
            }
        }
        right = right.max(piece.right);
    }
    best.map(|(_, x)| x)
}

/// Whether pieces are prose: several rows, most of them wide.
fn is_column(pieces: &[&Piece], size: f64) -> bool {
    let wide = pieces
        .iter()
        .filter(|piece| piece.right - piece.left >= COLUMN * size)
        .count();
    wide >= 3 && wide * 2 >= pieces.len()
}

/// Whether two groups overlap in height by half of the lower one at least.
fn stand_side_by_side(one: &[&Piece], other: &[&Piece]) -> bool {
    let extent = |pieces: &[&Piece]| {
        let top = pieces
            .iter()
            .map(|piece| piece.y)
            .fold(f64::INFINITY, f64::min);
        let bottom = pieces
            .iter()
            .map(|piece| piece.y)
            .fold(f64::NEG_INFINITY, f64::max);
        (top, bottom)
    };
    let ((top, bottom), (other_top, other_bottom)) = (extent(one), extent(other));
    let shared = bottom.min(other_bottom) - top.max(other_top);
    shared > 0.0 && shared * 2.0 >= (bottom - top).min(other_bottom - other_top)
}

/// The first row below a gap, when cutting there makes columns appear.
fn band(pieces: &[Piece]) -> Option<usize> {
    let mut rows: Vec<(f64, usize)> = pieces.iter().map(|piece| (piece.y, piece.row)).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0));
    rows.dedup_by_key(|(_, row)| *row);
    let mut gaps: Vec<(f64, usize)> = rows
        .iter()
        .zip(rows.iter().skip(1))
        .map(|((above, _), (below, row))| (below - above, *row))
        .collect();
    gaps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let makes_columns = |row: usize| {
        let (above, below): (Vec<Piece>, Vec<Piece>) =
            pieces.iter().cloned().partition(|piece| piece.row < row);
        gutter(&above).is_some() || gutter(&below).is_some()
    };
    let mut tried = gaps.into_iter().take(TRIED_GAPS).map(|(_, row)| row);
    tried.find(|row| makes_columns(*row))
}

/// Row by row; a blank line where the rows stand wider apart than usual.
fn write_rows(mut pieces: Vec<Piece>, text: &mut String) {
    pieces.sort_by(|one, other| {
        one.row
            .cmp(&other.row)
            .then(one.left.total_cmp(&other.left))
    });
    let mut last: Option<(usize, f64)> = None;
    if !text.is_empty() && !pieces.is_empty() {
        text.push('\n');
    }
    for piece in &pieces {
        match last {
            Some((row, _)) if row == piece.row => text.push_str("  "),
            Some((_, y)) => {
                text.push('\n');
                if piece.y - y > 1.75 * piece.size {
                    text.push('\n');
                }
            }
            None => {}
        }
        text.push_str(&piece.text);
        last = Some((piece.row, piece.y));
    }
    if last.is_some() {
        text.push('\n');
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of letters that are half an em wide.
    fn line(text: &str, x: f64, y: f64) -> Vec<Letter> {
        let place = |index: usize| x + index as f64 * 5.0;
        let letter = |(index, letter): (usize, char)| Letter {
            text: letter.to_string(),
            x: place(index),
            y,
            width: 5.0,
            size: 10.0,
        };
        text.chars().enumerate().map(letter).collect()
    }

    fn page(lines: &[(&str, f64, f64)]) -> String {
        let letters = lines.iter().flat_map(|(text, x, y)| line(text, *x, *y));
        text_of(letters.collect(), &[])
    }

    #[test]
    fn columns_of_prose_are_read_one_after_the_other_below_their_title() {
        let left = "left left left left left left";
        let right = "right right right right right";
        let lines = [
            (
                "A title over both of the columns of this page, as long as both",
                0.0,
                0.0,
            ),
            (left, 0.0, 30.0),
            (right, 170.0, 30.0),
            (left, 0.0, 42.0),
            (right, 170.0, 42.0),
            (left, 0.0, 54.0),
            (right, 170.0, 54.0),
        ];
        let column = |text: &str| format!("{text}\n{text}\n{text}\n");
        let title = "A title over both of the columns of this page, as long as both\n";
        assert_eq!(
            page(&lines),
            format!("{title}\n{}\n{}", column(left), column(right))
        );
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        let lines = [
            ("name", 0.0, 0.0),
            ("size", 100.0, 0.0),
            ("kind", 200.0, 0.0),
            ("one", 0.0, 12.0),
            ("1", 100.0, 12.0),
            ("file", 200.0, 12.0),
            ("two", 0.0, 24.0),
            ("2", 100.0, 24.0),
            ("directory", 200.0, 24.0),
        ];
        assert_eq!(
            page(&lines),
            "name  size  kind\none  1  file\ntwo  2  directory\n"
        );
    }

    #[test]
    fn paragraphs_are_set_apart_and_letters_drawn_twice_are_one() {
        let mut letters = line("one", 0.0, 0.0);
        letters.extend(line("one", 0.3, 0.1));
        letters.extend(line("two", 0.0, 12.0));
        letters.extend(line("three", 0.0, 40.0));
        assert_eq!(
            text_of(letters, &["side ways".to_owned()]),
            "one\ntwo\n\nthree\n\nside ways\n"
        );
    }

    #[test]
    fn scripts_that_run_from_the_right_are_turned_and_their_numbers_are_not() {
        assert_eq!(in_reading_direction("םולש 42"), "42 שלום");
        assert_eq!(in_reading_direction("abc א"), "abc א");
    }
}
