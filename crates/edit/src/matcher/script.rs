//! The changes that lead from the old text of an edit to its new text.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Token};

/// A step of the way from one sequence to the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScriptStep {
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

/// Up to this many pairs of elements every alignment is weighed.
const MAX_WEIGHED: usize = 4_000_000;

/// The steps from `old` to `new` that keep the most. Where equal elements repeat there are
/// several ways: [`Slide::Up`] keeps those that come first in `new`, [`Slide::Down`] those that
/// come last. If both lead to the same text, the choice does not matter.
pub(crate) fn script<T: Hash + Eq>(old: &[T], new: &[T], slide: Slide) -> Vec<ScriptStep> {
    let (mut before, mut after, count) = interned(old, new);
    if slide == Slide::Down {
        before.reverse();
        after.reverse();
    }
    let mut changes = if before.len().saturating_mul(after.len()) <= MAX_WEIGHED {
        weighed(&before, &after)
    } else {
        let mut diff = Diff::default();
        diff.compute_with(Algorithm::Myers, &before, &after, count);
        let range = |range: Range<u32>| range.start as usize..range.end as usize;
        diff.hunks()
            .map(|hunk| (range(hunk.before), range(hunk.after)))
            .collect()
    };
    if slide == Slide::Down {
        changes = changes
            .into_iter()
            .rev()
            .map(|(before, after)| (mirror(&before, old.len()), mirror(&after, new.len())))
            .collect();
    }
    with_kept_parts(&changes, old.len(), new.len())
}

/// The changes of a longest common subsequence, each element matched as early as possible.
fn weighed(old: &[Token], new: &[Token]) -> Vec<(Range<usize>, Range<usize>)> {
    let width = new.len() + 1;
    // How many elements can still be kept from each pair of positions on.
    let mut rest = vec![0_u32; (old.len() + 1) * width];
    let at = |rest: &[u32], i: usize, j: usize| rest.get(i * width + j).copied().unwrap_or(0);
    for (i, ours) in old.iter().enumerate().rev() {
        for (j, theirs) in new.iter().enumerate().rev() {
            let best = if ours == theirs {
                at(&rest, i + 1, j + 1) + 1
            } else {
                at(&rest, i + 1, j).max(at(&rest, i, j + 1))
            };
            if let Some(slot) = rest.get_mut(i * width + j) {
                *slot = best;
            }
        }
    }
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut i, mut j) = (0, 0);
    let (mut from_old, mut from_new) = (0, 0);
    while i < old.len() || j < new.len() {
        let is_same = matches!((old.get(i), new.get(j)), (Some(a), Some(b)) if a == b);
        if is_same {
            if from_old < i || from_new < j {
                changes.push((from_old..i, from_new..j));
            }
            (i, j) = (i + 1, j + 1);
            (from_old, from_new) = (i, j);
        } else if i < old.len() && (j == new.len() || at(&rest, i + 1, j) >= at(&rest, i, j + 1)) {
            i += 1;
        } else {
            j += 1;
        }
    }
    if from_old < i || from_new < j {
        changes.push((from_old..i, from_new..j));
    }
    changes
}

/// Gives equal elements equal numbers.
fn interned<'t, T: Hash + Eq>(old: &'t [T], new: &'t [T]) -> (Vec<Token>, Vec<Token>, u32) {
    let mut numbers: HashMap<&'t T, u32> = HashMap::new();
    let mut token = |element: &'t T| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        Token(*numbers.entry(element).or_insert(next))
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
) -> Vec<ScriptStep> {
    let mut steps = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old, new) in changes {
        if old.start > old_at {
            steps.push(ScriptStep::Keep {
                old: old_at..old.start,
                new: new_at..new.start,
            });
        }
        steps.push(ScriptStep::Change {
            old: old.clone(),
            new: new.clone(),
        });
        (old_at, new_at) = (old.end, new.end);
    }
    if old_at < old_length {
        steps.push(ScriptStep::Keep {
            old: old_at..old_length,
            new: new_at..new_length,
        });
    }
    steps
}

/// The pairs of elements that a script keeps.
pub(crate) fn kept_pairs(steps: &[ScriptStep]) -> impl Iterator<Item = (usize, usize)> + '_ {
    steps
        .iter()
        .filter_map(|step| match step {
            ScriptStep::Keep { old, new } => Some(old.clone().zip(new.clone())),
            ScriptStep::Change { .. } => None,
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
            script(&old, &new, Slide::Up),
            [
                ScriptStep::Keep {
                    old: 0..1,
                    new: 0..1
                },
                ScriptStep::Change {
                    old: 1..2,
                    new: 1..1
                }
            ]
        );
        assert_eq!(
            script(&old, &new, Slide::Down),
            [
                ScriptStep::Change {
                    old: 0..1,
                    new: 0..0
                },
                ScriptStep::Keep {
                    old: 1..2,
                    new: 0..1
                }
            ]
        );
    }

    #[test]
    fn a_line_that_is_added_beside_its_twin_may_be_either() {
        let (old, new) = (["a", "", "b"], ["a", "x", "", "", "b"]);
        let kept = |slide| kept_pairs(&script(&old, &new, slide)).collect::<Vec<_>>();
        assert_eq!(kept(Slide::Up), [(0, 0), (1, 2), (2, 4)]);
        assert_eq!(kept(Slide::Down), [(0, 0), (1, 3), (2, 4)]);
    }
}
