//! Names compared without what writers vary: case, separators, slips of the pen.

use tenon_contract::normalise;

/// The one of `known` that was probably meant by `name`: the same but for case and separators, or
/// at most a third of its letters off. Nothing when two are equally near.
#[must_use]
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Nothing longer is a slip of the pen, and comparing costs the product of the lengths.
    const LONGEST: usize = 200;
    if name.len() > LONGEST {
        return None;
    }
    let wanted = normalise(name);
    let mut ranked: Vec<(usize, &str)> = known
        .iter()
        .map(|candidate| (distance(&wanted, &normalise(candidate)), *candidate))
        .collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    let (best, candidate) = *ranked.first()?;
    let alone = ranked.get(1).is_none_or(|(second, _)| *second > best);
    (alone && best * 3 <= wanted.chars().count().max(3)).then_some(candidate)
}

/// Letters to insert, delete, change or swap with their neighbour (optimal string alignment).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let far = usize::MAX / 2;
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(far);
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut last = None;
    for (index, letter) in left.chars().enumerate() {
        let mut next = vec![index + 1];
        let mut neighbour = None;
        for (column, other) in right.iter().enumerate() {
            let changed = at(&row, column) + usize::from(letter != *other);
            let shifted = at(&row, column + 1).min(at(&next, column)) + 1;
            let is_swap = last == Some(*other) && neighbour == Some(letter);
            let swapped = match column.checked_sub(1) {
                Some(earlier) if is_swap => at(&before, earlier) + 1,
                _ => far,
            };
            next.push(changed.min(shifted).min(swapped));
            neighbour = Some(*other);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    at(&row, right.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near_and_alone() {
        assert_eq!(nearest("pth", &["path", "limit"]), Some("path"));
        assert_eq!(
            nearest("file-path", &["path", "file_path"]),
            Some("file_path")
        );
        assert_eq!(nearest("xyz", &["path", "limit"]), None);
        assert_eq!(nearest("ab", &["ac", "ad"]), None);
    }

    #[test]
    fn distance_counts_single_letter_changes_and_swaps() {
        assert_eq!(
            [
                distance("kitten", "sitting"),
                distance("", "abc"),
                distance("same", "same"),
                distance("raed", "read"),
            ],
            [3, 3, 0, 1]
        );
    }
}
