//! Where two lines differ, character by character.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines longer than this are compared from both ends only, in characters.
const DETAILED_LIMIT_CHARS: usize = 2_000;

/// How two lines compare.
#[derive(Debug, Clone, PartialEq)]
pub struct InlineDifference {
    /// The first column that differs, counted from 1 in characters; `None` if the lines are
    /// equal.
    pub column: Option<usize>,
    /// From 0 (nothing in common) to 1 (equal): twice the common characters over all.
    pub similarity: f64,
    /// A line of spaces and `^` that stands under the second line and marks what differs
    /// there; a `^` stands under the place where something of the first line is missing.
    pub marker: String,
}

/// Compares the line that was expected with the line that was found.
#[must_use]
pub fn inline_difference(expected: &str, found: &str) -> InlineDifference {
    let left: Vec<char> = expected.chars().collect();
    let right: Vec<char> = found.chars().collect();
    let head = left.iter().zip(&right).take_while(|(a, b)| a == b).count();
    if head == left.len() && head == right.len() {
        return InlineDifference {
            column: None,
            similarity: 1.0,
            marker: String::new(),
        };
    }
    let mut marks = vec![false; right.len() + 1];
    let mut common = 0;
    for operation in operations(&left, &right, head) {
        match operation {
            DiffOp::Equal { len, .. } => common += len,
            DiffOp::Delete { new_index, .. } => mark(&mut marks, new_index, 1),
            DiffOp::Insert {
                new_index, new_len, ..
            }
            | DiffOp::Replace {
                new_index, new_len, ..
            } => mark(&mut marks, new_index, new_len),
        }
    }
    let marker: String = marks
        .iter()
        .zip(right.iter().chain(std::iter::once(&' ')))
        .map(|(&marked, &c)| match (marked, c) {
            (true, _) => '^',
            (false, '\t') => '\t',
            (false, _) => ' ',
        })
        .collect();
    InlineDifference {
        column: Some(head + 1),
        similarity: ratio(common, left.len() + right.len()),
        marker: marker.trim_end().to_owned(),
    }
}

fn operations(left: &[char], right: &[char], head: usize) -> Vec<DiffOp> {
    if left.len().max(right.len()) <= DETAILED_LIMIT_CHARS {
        return capture_diff_slices(Algorithm::Myers, left, right);
    }
    let room = left.len().min(right.len()) - head;
    let tail = left
        .iter()
        .rev()
        .zip(right.iter().rev())
        .take(room)
        .take_while(|(a, b)| a == b)
        .count();
    let (old_len, new_len) = (left.len() - head - tail, right.len() - head - tail);
    vec![
        DiffOp::Equal {
            old_index: 0,
            new_index: 0,
            len: head,
        },
        DiffOp::Replace {
            old_index: head,
            old_len,
            new_index: head,
            new_len,
        },
        DiffOp::Equal {
            old_index: left.len() - tail,
            new_index: right.len() - tail,
            len: tail,
        },
    ]
}

fn mark(marks: &mut [bool], start: usize, length: usize) {
    for slot in marks.iter_mut().skip(start).take(length) {
        *slot = true;
    }
}

/// Twice the common part over the whole; 1 where there is nothing to compare.
#[expect(
    clippy::cast_precision_loss,
    reason = "lengths of lines are far below 2^52"
)]
fn ratio(common: usize, total: usize) -> f64 {
    if total == 0 {
        1.0
    } else {
        2.0 * common as f64 / total as f64
    }
}
