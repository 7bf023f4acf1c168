//! Lines of text from rows of pieces: cells beneath one another, indented lines as they are indented.

use super::columns::{CELL, cells, median};
use super::direction::{in_reading_order, letters_from_right};
use super::rows::{Piece, is_same_pitch};
use super::watch::Watch;

/// Most columns of text that spaces fill.
const MAX_COLUMNS: usize = 160;
/// Lines of prose are indented by at most this many ems; what stands further right is centred or set to the right.
const MAX_INDENT: f64 = 12.0;
/// Rows with a single cell that a table may have one after another.
const SINGLE_ROWS: usize = 4;
/// Most cells of a table whose headings are looked at one by one.
const MAX_CELLS: usize = 1_500;

/// A part of a row between gaps.
#[derive(Debug)]
struct Cell {
    /// As it stands on the page, from left to right.
    text: String,
    left: f64,
    right: f64,
}

/// A row of cells.
#[derive(Debug)]
struct Row {
    cells: Vec<Cell>,
    /// Cells between narrower gaps, which may be those between columns or only wide spaces.
    parts: Vec<Cell>,
    y: f64,
    size: f64,
    /// How wide a letter is, in a listing.
    pitch: Option<f64>,
    from_right: bool,
}

impl Row {
    fn is_of_table(&self) -> bool {
        self.pitch.is_none() && self.cells.len() > 1
    }

    /// Whether a row beside one of a table, which has `cells` cells, has narrower gaps between its own.
    fn is_like(&self, cells: usize) -> bool {
        self.pitch.is_none() && (2..=cells + 2).contains(&self.parts.len())
    }

    /// What a cell says, in the order of reading.
    fn text_of(&self, cell: &Cell) -> String {
        in_reading_order(&cell.text, self.from_right)
    }
}

/// Row by row; a blank line where the rows stand wider apart than usual.
pub(super) fn write_rows(pieces: &[Piece], from_right: bool, text: &mut String, watch: &Watch) {
    if pieces.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let rows = rows_of(pieces, from_right);
    let origin = pieces
        .iter()
        .map(|piece| piece.left)
        .fold(f64::INFINITY, f64::min);
    let mut last: Option<f64> = None;
    let mut write = |row: &Row, line: &str| {
        if last.is_some_and(|y| row.y - y > 1.75 * row.size) {
            text.push('\n');
        }
        text.push_str(line);
        text.push('\n');
        last = Some(row.y);
    };
    let mut rest = rows.as_slice();
    while let Some((row, after)) = rest.split_first() {
        watch.check();
        let length = table_length(rest);
        let (table, below) = rest.split_at_checked(length).unwrap_or_default();
        if table.is_empty() {
            write(row, &plain_line(row, origin));
            rest = after;
            continue;
        }
        for (row, line) in table.iter().zip(table_lines(table, origin)) {
            write(row, &line);
        }
        rest = below;
    }
}

fn rows_of(pieces: &[Piece], from_right: bool) -> Vec<Row> {
    let fixed = median(
        pieces
            .iter()
            .filter(|piece| piece.is_fixed)
            .filter_map(|piece| piece.pitch),
    );
    let rows = pieces.chunk_by(|one, other| one.row == other.row);
    rows.map(|row| {
        let is_listing = fixed.is_some_and(|fixed| {
            row.iter()
                .all(|piece| piece.pitch.is_some_and(|pitch| is_same_pitch(pitch, fixed)))
        });
        let pitch = fixed.filter(|_| is_listing);
        Row {
            cells: cells(row).map(|pieces| cell_of(pieces, pitch)).collect(),
            parts: row
                .iter()
                .map(|piece| cell_of(std::slice::from_ref(piece), pitch))
                .collect(),
            y: row.first().map_or(0.0, |piece| piece.y),
            size: row.iter().map(|piece| piece.size).fold(0.0, f64::max),
            pitch,
            from_right,
        }
    })
    .collect()
}

fn cell_of(pieces: &[Piece], pitch: Option<f64>) -> Cell {
    let mut text = String::new();
    let mut left = f64::INFINITY;
    let mut right: Option<f64> = None;
    for piece in pieces {
        if let Some(right) = right {
            let spaces = pitch.map_or(1, |pitch| columns(piece.left - right, pitch));
            text.extend(std::iter::repeat_n(' ', spaces.max(1)));
        }
        text.push_str(&piece.text);
        left = left.min(piece.left);
        right = Some(piece.right);
    }
    Cell {
        text,
        left,
        right: right.unwrap_or(left),
    }
}

/// How many letters a distance is wide.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a distance on a page, and no more than is shown"
)]
fn columns(distance: f64, letter: f64) -> usize {
    (distance / letter).round().clamp(0.0, MAX_COLUMNS as f64) as usize
}

/// A line of prose or of a listing.
fn plain_line(row: &Row, origin: f64) -> String {
    let mut line = Line::default();
    for cell in &row.cells {
        let column = match row.pitch {
            Some(pitch) => columns(cell.left - origin, pitch),
            None => indent(row, cell.left - origin),
        };
        line.put(column, &row.text_of(cell));
    }
    line.text
}

/// How far a line that is not of a listing is indented.
fn indent(row: &Row, distance: f64) -> usize {
    let text = row.cells.first().map_or("", |cell| &cell.text);
    let (from_right, letters) = letters_from_right(text);
    let is_indented = (0.4..=MAX_INDENT).contains(&(distance / row.size));
    if is_indented && from_right * 2 <= letters {
        columns(distance, 0.5 * row.size).max(1)
    } else {
        0
    }
}

/// A line that is written cell by cell.
#[derive(Default)]
struct Line {
    text: String,
    length: usize,
}

impl Line {
    /// Writes a cell at a column, or two spaces behind what stands there.
    fn put(&mut self, column: usize, text: &str) {
        let gap = if self.text.is_empty() { 0 } else { 2 };
        let column = column.min(MAX_COLUMNS).max(self.length + gap);
        let spaces = std::iter::repeat_n(' ', column - self.length);
        self.text.extend(spaces);
        self.text.push_str(text);
        self.length = column + text.chars().count();
    }
}

/// How many rows from the first on are a table.
fn table_length(rows: &[Row]) -> usize {
    let mut length = 0;
    for (index, row) in rows.iter().enumerate() {
        if row.is_of_table() {
            length = index + 1;
        } else if row.pitch.is_some() || index >= length + SINGLE_ROWS {
            break;
        }
    }
    // A row of prose before a table is none of it, a single cell in one of its columns is.
    let cells = most_cells(rows.iter().take(length));
    let begins = rows.first().is_some_and(|first| {
        first.is_of_table() || first.is_like(cells) || is_in_column(first, rows, length)
    });
    if !begins {
        return 0;
    }
    let below = rows.iter().skip(length).take(SINGLE_ROWS);
    let more = below.take_while(|row| row.pitch.is_none() && is_in_column(row, rows, length));
    length + more.count()
}

fn most_cells<'r>(rows: impl Iterator<Item = &'r Row>) -> usize {
    rows.map(|row| row.cells.len()).max().unwrap_or(0)
}

/// Whether the only cell of a row stands in a column of a table, which is not the first.
fn is_in_column(row: &Row, rows: &[Row], length: usize) -> bool {
    let [cell] = row.cells.as_slice() else {
        return false;
    };
    let mut table = rows.iter().take(length).filter(|row| row.is_of_table());
    table.any(|row| {
        let is_first = row
            .parts
            .first()
            .is_none_or(|first| first.right >= cell.left);
        !is_first && row.parts.iter().any(|other| overlap(cell, other))
    })
}

fn overlap(one: &Cell, other: &Cell) -> bool {
    one.left < other.right && other.left < one.right
}

/// A column of a table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    left: f64,
    /// Where it begins in the text, in letters.
    start: usize,
    /// How wide a letter is in it.
    letter: f64,
}

impl Slot {
    fn column_of(&self, cell: &Cell) -> usize {
        self.start + columns((cell.left - self.left).max(0.0), self.letter)
    }
}

/// The lines of a table, whose columns stand as near to one another as their cells allow.
fn table_lines(rows: &[Row], origin: f64) -> Vec<String> {
    let slots = slots_of(rows, origin);
    let slot_of = |cell: &Cell, size: f64| {
        let middle = cell.left + 0.3 * size;
        let behind = slots.partition_point(|slot| slot.left <= middle);
        behind.saturating_sub(1)
    };
    let line = |row: &Row| {
        let parts: Vec<(usize, &Cell)> = row
            .parts
            .iter()
            .map(|part| (slot_of(part, row.size), part))
            .collect();
        let is_one_cell = |one: &(usize, &Cell), other: &(usize, &Cell)| {
            one.0 == other.0 && other.1.left - one.1.right <= CELL * row.size
        };
        let mut line = Line::default();
        for cell in parts.chunk_by(is_one_cell) {
            let Some((index, first)) = cell.first() else {
                continue;
            };
            let texts: Vec<&str> = cell.iter().map(|(_, part)| part.text.as_str()).collect();
            let column = slots.get(*index).map_or(0, |slot| slot.column_of(first));
            line.put(column, &in_reading_order(&texts.join(" "), row.from_right));
        }
        line.text
    };
    rows.iter().map(line).collect()
}

fn slots_of(rows: &[Row], origin: f64) -> Vec<Slot> {
    let most = most_cells(rows.iter());
    let is_of_table = |row: &&Row| row.is_of_table() || row.is_like(most);
    let table: Vec<&Row> = rows.iter().filter(is_of_table).collect();
    let mut cells: Vec<&Cell> = table
        .iter()
        .flat_map(|row| {
            row.parts
                .iter()
                .filter(|cell| !is_heading_of_several(cell, &table))
        })
        .collect();
    cells.sort_by(|one, other| one.left.total_cmp(&other.left));
    let size = median(rows.iter().map(|row| row.size)).unwrap_or(1.0);
    let mut columns_of_cells: Vec<(f64, f64, Vec<&Cell>)> = Vec::new();
    for cell in cells {
        match columns_of_cells.last_mut() {
            Some((_, right, column)) if cell.left < *right + 0.1 * size => {
                *right = right.max(cell.right);
                column.push(cell);
            }
            _ => columns_of_cells.push((cell.left, cell.right, vec![cell])),
        }
    }
    let mut start = 0;
    let mut slots: Vec<Slot> = Vec::new();
    for (left, _, column) in columns_of_cells {
        if slots.is_empty()
            && let Some(row) = table.first()
        {
            start = indent(row, left - origin);
        }
        let widths = column
            .iter()
            .map(|cell| (cell.right - cell.left) / count(cell));
        let letter = median(widths).unwrap_or(1.0).max(0.2 * size);
        let slot = Slot {
            left,
            start,
            letter,
        };
        let ends = column
            .iter()
            .map(|cell| slot.column_of(cell) + cell.text.chars().count());
        start = ends.max().unwrap_or(start) + 2;
        slots.push(slot);
    }
    slots
}

#[allow(clippy::cast_precision_loss, reason = "letters of a line")]
fn count(cell: &Cell) -> f64 {
    cell.text.chars().count().max(1) as f64
}

/// Whether a cell stands over several columns: most rows have more than one cell beneath or above it.
fn is_heading_of_several(cell: &Cell, table: &[&Row]) -> bool {
    let all: usize = table.iter().map(|row| row.parts.len()).sum();
    if all > MAX_CELLS || table.len() < 3 {
        return false;
    }
    let several = table.iter().filter(|row| {
        let shared = row.parts.iter().filter(|other| overlap(cell, other));
        shared.count() > 1
    });
    several.count() * 2 > table.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of cells, each in a column of its own.
    fn wide_table(cells: usize) -> Vec<Piece> {
        let piece = |row: usize, at: usize| Piece {
            row,
            text: "a".to_owned(),
            left: 30.0 * (2 * at + row) as f64,
            right: 30.0 * (2 * at + row) as f64 + 5.0,
            y: 12.0 * row as f64,
            size: 10.0,
            drawn: at,
            pitch: None,
            is_fixed: false,
        };
        let rows = (0..2).flat_map(|row| (0..cells).map(move |at| piece(row, at)));
        rows.collect()
    }

    #[test]
    fn a_table_of_many_columns_takes_time_in_proportion_to_them() {
        let time = |cells: usize| {
            let pieces = wide_table(cells);
            let (begun, mut text) = (std::time::Instant::now(), String::new());
            write_rows(&pieces, false, &mut text, &Watch::default());
            assert_eq!(text.matches('a').count(), 2 * cells);
            begun.elapsed()
        };
        let few = time(2_000).min(time(2_000));
        let many = time(16_000).min(time(16_000));
        // Eight times as many; each looked for among all of them would take sixty-four times as long.
        assert!(many < few * 20, "{few:?} {many:?}");
    }
}
