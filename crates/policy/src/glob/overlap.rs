//! Whether two forms have something in common.

use smallvec::{SmallVec, smallvec};

/// Whether something can have both forms: lists of which some members (`is_run`) stand for any number of others, and
/// the rest for one that has to meet the other's.
pub(super) fn forms_overlap<T>(
    mut left: &[T],
    mut right: &[T],
    is_run: impl Fn(&T) -> bool,
    meets: impl Fn(&T, &T) -> bool,
) -> bool {
    // Most differ at their beginning or at their end.
    while let ([one, left_rest @ ..], [other, right_rest @ ..]) = (left, right)
        && !is_run(one)
        && !is_run(other)
    {
        if !meets(one, other) {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    while let ([left_rest @ .., one], [right_rest @ .., other]) = (left, right)
        && !is_run(one)
        && !is_run(other)
    {
        if !meets(one, other) {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    match (left, right) {
        ([], rest) | (rest, []) => rest.iter().all(is_run),
        ([one], _) | (_, [one]) if is_run(one) => true,
        _ => search(left, right, is_run, meets),
    }
}

/// The same, place by place.
fn search<T>(
    left: &[T],
    right: &[T],
    is_run: impl Fn(&T) -> bool,
    meets: impl Fn(&T, &T) -> bool,
) -> bool {
    let width = right.len() + 1;
    let mut seen: SmallVec<[bool; 64]> = smallvec![false; (left.len() + 1) * width];
    let mut todo: SmallVec<[(usize, usize); 16]> = smallvec![(0, 0)];
    while let Some((row, column)) = todo.pop() {
        match seen.get_mut(row * width + column) {
            Some(visited) if !*visited => *visited = true,
            _ => continue,
        }
        let (one, other) = (left.get(row), right.get(column));
        if one.is_none() && other.is_none() {
            return true;
        }
        if one.is_some_and(&is_run) {
            todo.push((row + 1, column));
            if other.is_some() {
                todo.push((row, column + 1));
            }
        }
        if other.is_some_and(&is_run) {
            todo.push((row, column + 1));
            if one.is_some() {
                todo.push((row + 1, column));
            }
        }
        if let (Some(one), Some(other)) = (one, other)
            && !is_run(one)
            && !is_run(other)
            && meets(one, other)
        {
            todo.push((row + 1, column + 1));
        }
    }
    false
}
