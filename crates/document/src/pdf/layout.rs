//! From letters at places to lines in reading order.
//!
//! Letters that run in one direction are laid out together: on the base lines of their rows, in rows, and the rows put
//! into order by cutting the page between columns of prose.

use super::collect::Letter;
use super::columns::{median, parts_of};
use super::direction::letters_from_right;
use super::lines::write_rows;
use super::raised::on_base_lines;
use super::rows::{Piece, pieces_of};
use super::watch::Watch;

/// How often a page is cut within a cut.
const MAX_DEPTH: usize = 12;
/// Directions this many degrees apart are laid out apart.
const DIRECTION: f64 = 30.0;
/// Lines that rise by less than this many degrees are level.
const LEVEL: f64 = 0.2;

/// The text of a page, a line break after each line; the direction that most of it runs in comes first.
/// A page may have many letters, so the work looks whether it should go on.
pub(super) fn text_of(letters: Vec<Letter>, watch: &Watch) -> String {
    let mut text = String::new();
    for letters in directions(letters) {
        let pieces = pieces_of(on_base_lines(letters, watch));
        let counts = pieces.iter().map(|piece| letters_from_right(&piece.text));
        let (from_right, all) = counts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        order(pieces, 0, from_right * 2 > all, &mut text, watch);
    }
    without_soft_hyphens(&text)
}

/// Words that a soft hyphen divides, on the line where they begin. At other places it is not seen.
fn without_soft_hyphens(text: &str) -> String {
    const HYPHEN: char = '\u{ad}';
    if !text.contains(HYPHEN) {
        return text.to_owned();
    }
    let mut joined = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut moved = 0;
    while let Some(line) = lines.next() {
        let line = line.get(moved..).unwrap_or_default();
        moved = 0;
        if line.trim().is_empty() && !joined.ends_with('\n') {
            joined.push('\n');
            continue;
        }
        let whole = line.trim_end();
        joined.extend(whole.chars().filter(|letter| *letter != HYPHEN));
        if whole.ends_with(HYPHEN)
            && let Some(next) = lines.peek()
        {
            let indent = next.len() - next.trim_start_matches(' ').len();
            let word = next
                .trim_start_matches(' ')
                .split([' ', '\n'])
                .next()
                .unwrap_or_default();
            joined.extend(word.chars().filter(|letter| *letter != HYPHEN));
            moved = indent + word.len();
            moved += next
                .get(moved..)
                .map_or(0, |rest| rest.len() - rest.trim_start_matches(' ').len());
            if next.get(moved..) == Some("\n") && !word.is_empty() {
                continue;
            }
        }
        joined.push('\n');
    }
    joined
}

/// The letters of each direction, as if it were from left to right.
fn directions(letters: Vec<Letter>) -> Vec<Vec<Letter>> {
    let mut groups: Vec<(i64, Vec<Letter>)> = Vec::new();
    for (drawn, letter) in letters.into_iter().enumerate() {
        #[allow(clippy::cast_possible_truncation, reason = "a few directions")]
        let direction = (letter.angle.to_degrees() / DIRECTION).round() as i64;
        let direction = if letter.is_vertical {
            i64::MAX
        } else {
            direction
        };
        let letter = Letter { drawn, ..letter };
        match groups.iter_mut().find(|(group, _)| *group == direction) {
            Some((_, group)) => group.push(letter),
            None => groups.push((direction, vec![letter])),
        }
    }
    groups.sort_by_key(|(direction, group)| (std::cmp::Reverse(group.len()), *direction != 0));
    groups
        .into_iter()
        .map(|(_, group)| levelled(group))
        .collect()
}

/// Letters turned around the corner of the page until their lines are level.
fn levelled(mut letters: Vec<Letter>) -> Vec<Letter> {
    let is_vertical = letters.first().is_some_and(|letter| letter.is_vertical);
    let angle = if is_vertical {
        std::f64::consts::FRAC_PI_2
    } else {
        median(letters.iter().map(|letter| letter.angle)).unwrap_or(0.0)
    };
    if angle.to_degrees().abs() < LEVEL {
        return letters;
    }
    let (sine, cosine) = angle.sin_cos();
    for letter in &mut letters {
        let (x, y) = (letter.x, letter.y);
        letter.x = x * cosine + y * sine;
        letter.y = y * cosine - x * sine;
    }
    letters
}

fn order(mut pieces: Vec<Piece>, depth: usize, from_right: bool, text: &mut String, watch: &Watch) {
    watch.check();
    pieces.sort_by(|one, other| {
        one.row
            .cmp(&other.row)
            .then(one.left.total_cmp(&other.left))
    });
    let parts = if depth < MAX_DEPTH {
        parts_of(&pieces)
    } else {
        None
    };
    match parts {
        Some(parts) => parts
            .into_iter()
            .for_each(|part| order(part, depth + 1, from_right, text, watch)),
        None => write_rows(&pieces, from_right, text, watch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of letters that are half an em wide, narrow ones a little less.
    fn line(text: &str, x: f64, y: f64) -> Vec<Letter> {
        let place = |index: usize| x + index as f64 * 5.0;
        let letter = |(index, letter): (usize, char)| Letter {
            text: letter.to_string(),
            x: place(index),
            y,
            width: if letter == 'i' || letter == 't' || letter == 'l' {
                4.5
            } else {
                5.0
            },
            size: 10.0,
            drawn: 0,
            angle: 0.0,
            is_vertical: false,
        };
        text.chars().enumerate().map(letter).collect()
    }

    fn page(lines: &[(&str, f64, f64)]) -> String {
        let letters = lines.iter().flat_map(|(text, x, y)| line(text, *x, *y));
        text_of(letters.collect(), &Watch::default())
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
            "name  size  kind\none   1     file\ntwo   2     directory\n"
        );
    }

    #[test]
    fn a_page_is_given_up_while_its_letters_are_put_in_order() {
        let watch = Watch::default();
        watch.end();
        let apart = line("apart", 0.0, 0.0);
        let work = std::panic::AssertUnwindSafe(|| text_of(apart, &watch));
        let panic = std::panic::catch_unwind(work).unwrap_err();
        assert!(panic.is::<crate::pdf::watch::EndRequest>());
    }

    #[test]
    fn paragraphs_are_set_apart_and_letters_drawn_twice_are_one() {
        let mut letters = line("one", 0.0, 0.0);
        letters.extend(line("one", 0.3, 0.1));
        letters.extend(line("two", 0.0, 12.0));
        letters.extend(line("three", 0.0, 40.0));
        assert_eq!(text_of(letters, &Watch::default()), "one\ntwo\n\nthree\n");
    }
}
