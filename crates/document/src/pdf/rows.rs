//! From letters at places to pieces of rows.
//!
//! Letters on one base line make a row, and a row falls apart at wide gaps into pieces.

use super::collect::Letter;
use super::direction::{in_reading_order, is_from_right};

/// A gap of this many ems stands for a space.
pub(super) const SPACE: f64 = 0.18;
/// A gap of this many ems may be the one between two columns.
const GAP: f64 = 0.75;
/// Widths that differ by less than this part are the same.
const SAME: f64 = 0.02;

/// Letters of one row without a wide gap between them.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) row: usize,
    /// As it stands on the page, from left to right.
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    /// When its first letter was drawn.
    pub(super) drawn: usize,
    /// How wide each of its letters is, where all are as wide.
    pub(super) pitch: Option<f64>,
    /// Whether narrow letters (`i`) are as wide as others, as in listings.
    pub(super) is_fixed: bool,
}

/// The pieces of a page, row by row.
pub(super) fn pieces_of(mut letters: Vec<Letter>) -> Vec<Piece> {
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
    let mut pieces: Vec<(Piece, Widths)> = Vec::new();
    let mut before: Option<&Letter> = None;
    for letter in &row {
        let is_space = letter.text.trim().is_empty();
        if let (Some((piece, widths)), Some(last)) = (pieces.last_mut(), before) {
            // Bold letters are often drawn twice.
            if last.text == letter.text
                && (letter.x - last.x).abs() < 0.15 * letter.size
                && !is_space
            {
                continue;
            }
            let size = letter.size.max(piece.size);
            let gap = letter.x - piece.right;
            if gap <= GAP * size {
                if (is_space || gap > SPACE * size) && !piece.text.ends_with(' ') {
                    piece.text.push(' ');
                }
                if !is_space {
                    piece.text.push_str(&as_it_stands(&letter.text));
                    piece.right = piece.right.max(letter.x + letter.width);
                    piece.size = size;
                    piece.drawn = piece.drawn.min(letter.drawn);
                    widths.take(letter);
                }
                before = Some(letter);
                continue;
            }
        }
        if !is_space {
            let mut widths = Widths::default();
            widths.take(letter);
            pieces.push((piece_of(number, letter), widths));
            before = Some(letter);
        }
    }
    let finished = |(mut piece, widths): (Piece, Widths)| {
        piece.text.truncate(piece.text.trim_end().len());
        piece.pitch = widths.pitch();
        piece.is_fixed = piece.pitch.is_some() && widths.is_mixed();
        piece
    };
    pieces.into_iter().map(finished).collect()
}

fn piece_of(row: usize, letter: &Letter) -> Piece {
    Piece {
        row,
        text: as_it_stands(&letter.text),
        left: letter.x,
        right: letter.x + letter.width,
        y: letter.y,
        size: letter.size,
        drawn: letter.drawn,
        pitch: None,
        is_fixed: false,
    }
}

/// Several letters that are drawn as one are named in the order of reading; turning them twice changes nothing.
fn as_it_stands(text: &str) -> String {
    if text.chars().any(is_from_right) {
        in_reading_order(text, true)
    } else {
        text.to_owned()
    }
}

/// How wide letters are.
#[derive(Default)]
struct Widths {
    least: Option<f64>,
    most: f64,
    has_narrow: bool,
    has_other: bool,
}

impl Widths {
    fn take(&mut self, letter: &Letter) {
        let mut chars = letter.text.chars();
        let (Some(first), None) = (chars.next(), chars.next()) else {
            return;
        };
        self.least = Some(
            self.least
                .map_or(letter.width, |least| least.min(letter.width)),
        );
        self.most = self.most.max(letter.width);
        if "iljtfI.,:;'|!()[]/-".contains(first) {
            self.has_narrow = true;
        } else if first.is_ascii_alphanumeric() {
            self.has_other = true;
        }
    }

    fn pitch(&self) -> Option<f64> {
        let least = self.least.filter(|least| *least > 0.0)?;
        (self.most - least <= SAME * self.most).then_some(self.most)
    }

    fn is_mixed(&self) -> bool {
        self.has_narrow && self.has_other
    }
}

/// Whether two pitches are those of one font.
pub(super) fn is_same_pitch(one: f64, other: f64) -> bool {
    (one - other).abs() <= SAME * one.max(other)
}
