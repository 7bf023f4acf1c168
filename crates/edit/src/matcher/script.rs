//! The changes that lead from the old text of an edit to its new text.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Token};

/// A step of the way from one sequence to the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// These elements are the same in both.
    Keep {
        old: Range<usize>,
        new: Range<usize>,
    },
    /// These elements are replaced; one of the ranges may be empty.
    Change {
        old: Range<usize>,
        new: Range<usize>,
    },
}

/// The direction in which the alignment prefers to slide where it is not unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slide {
    Down,
    Up,
}

/// The steps from `old` to `new`. Where equal elements repeat there are several ways;
/// two scripts of opposite slides lead to the same text exactly if the choice does not matter.
pub(crate) fn script<T: Hash + Eq + Copy>(old: &[T], new: &[T], slide: Slide) -> Vec<Step> {
    let (mut before, mut after, count) = interned(old, new);
    if slide == Slide::Up {
        before.reverse();
        after.reverse();
    }
    let mut diff = Diff::default();
    diff.compute_with(Algorithm::Myers, &before, &after, count);
    let mut changes: Vec<(Range<usize>, Range<usize>)> = diff
        .hunks()
        .map(|hunk| {
            (
                hunk.before.start as usize..hunk.before.end as usize,
                hunk.after.start as usize..hunk.after.end as usize,
            )
        })
        .collect();
    if slide == Slide::Up {
        changes = changes
            .into_iter()
            .rev()
            .map(|(before, after)| (mirror(&before, old.len()), mirror(&after, new.len())))
            .collect();
    }
    with_kept_parts(&changes, old.len(), new.len())
}

/// Gives equal elements equal numbers.
fn interned<T: Hash + Eq + Copy>(old: &[T], new: &[T]) -> (Vec<Token>, Vec<Token>, u32) {
    let mut numbers: HashMap<T, u32> = HashMap::new();
    let mut token = |element: &T| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        Token(*numbers.entry(*element).or_insert(next))
    };
    let before = old.iter().map(&mut token).collect();
    let after = new.iter().map(&mut token).collect();
    (
        before,
        after,
        u32::try_from(numbers.len()).unwrap_or(u32::MAX),
    )
}

fn mirror(range: &Range<usize>, length: usize) -> Range<usize> {
    length - range.end..length - range.start
}

fn with_kept_parts(
    changes: &[(Range<usize>, Range<usize>)],
    old_length: usize,
    new_length: usize,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old, new) in changes {
        if old.start > old_at {
            steps.push(Step::Keep {
                old: old_at..old.start,
                new: new_at..new.start,
            });
        }
        steps.push(Step::Change {
            old: old.clone(),
            new: new.clone(),
        });
        (old_at, new_at) = (old.end, new.end);
    }
    if old_at < old_length {
        steps.push(Step::Keep {
            old: old_at..old_length,
            new: new_at..new_length,
        });
    }
    steps
}

/// The pairs of elements that a script keeps.
pub(crate) fn kept_pairs(steps: &[Step]) -> impl Iterator<Item = (usize, usize)> + '_ {
    steps
        .iter()
        .filter_map(|step| match step {
            Step::Keep { old, new } => Some(old.clone().zip(new.clone())),
            Step::Change { .. } => None,
        })
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_line_slides_either_way() {
        let (old, new) = (["a", "a"], ["a"]);
        assert_eq!(
            script(&old, &new, Slide::Down),
            [
                Step::Keep {
                    old: 0..1,
                    new: 0..1
                },
                Step::Change {
                    old: 1..2,
                    new: 1..1
                }
            ]
        );
        assert_eq!(
            script(&old, &new, Slide::Up),
            [
                Step::Change {
                    old: 0..1,
                    new: 0..0
                },
                Step::Keep {
                    old: 1..2,
                    new: 0..1
                }
            ]
        );
    }
}
