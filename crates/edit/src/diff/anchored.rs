//! Diffs of long texts: the usual algorithm looks at all lines that are left for each change that it finds, and weighs
//! every pair of equal lines.
//!
//! Runs of lines that stand once in each text are taken to be the same, longest runs first. What is left between them
//! goes through the usual algorithm if it is short enough, and else in pieces: such a diff is right, but may
//! not be the shortest.

use std::ops::Range;

use imara_diff::{InternedInput, Token};

use super::{LineCursor, cut};

/// From this many pairs of lines on, one of each text, runs are looked for.
const MIN_PAIRS: usize = 100_000_000;
/// Up to this many pairs of lines are left to the usual algorithm.
const MAX_WEIGHED: usize = 2_000_000;
/// How many pairs all parts of what is left may have together.
const MAX_PAIRS: usize = 50_000_000;
/// The lengths of the runs that are looked for: two to the power of these.
const RUNS: [u32; 4] = [5, 3, 1, 0];
/// Lines of a part of each text that are compared with each other, at least.
const MIN_PIECE_LINES: usize = 64;

/// Lines of the two texts that are not the same.
pub(super) type LinePair = (Range<usize>, Range<usize>);

/// Whether the texts are too long for the usual way, and have lines in common.
pub(super) fn is_heavy(input: &InternedInput<&[u8]>) -> bool {
    if pairs(&input.before, &input.after) < MIN_PAIRS {
        return false;
    }
    let mut known = vec![false; input.interner.num_tokens() as usize];
    for token in &input.before {
        if let Some(slot) = known.get_mut(token.0 as usize) {
            *slot = true;
        }
    }
    let is_known = |token: &Token| known.get(token.0 as usize) == Some(&true);
    input.after.iter().any(is_known)
}

const fn pairs(before: &[Token], after: &[Token]) -> usize {
    before.len().saturating_mul(after.len())
}

/// The lines that differ.
pub(super) fn changes(old: &[u8], new: &[u8], input: &InternedInput<&[u8]>) -> Vec<LinePair> {
    let whole = (0..input.before.len(), 0..input.after.len());
    let mut gaps = vec![whole];
    for length in RUNS {
        gaps = gaps
            .into_iter()
            .flat_map(|gap| between_runs(input, gap, length))
            .collect();
    }
    let size: usize = gaps
        .iter()
        .map(|(before, after)| before.len() + after.len())
        .sum();
    let piece = (MAX_PAIRS / size.max(1)).max(MIN_PIECE_LINES);
    let mut old_lines = LineCursor::new(old);
    let mut new_lines = LineCursor::new(new);
    let mut changes: Vec<LinePair> = Vec::new();
    for gap in gaps {
        let is_short = gap.0.len().saturating_mul(gap.1.len()) <= MAX_WEIGHED;
        for (before, after) in pieces(gap, if is_short { usize::MAX } else { piece }) {
            let old_part = cut(old, old_lines.bytes_of(&before));
            let new_part = cut(new, new_lines.bytes_of(&after));
            for (ours, theirs) in compared(old_part, new_part) {
                let ours = super::shift(&ours, before.start);
                let theirs = super::shift(&theirs, after.start);
                match changes.last_mut() {
                    Some(last) if last.0.end == ours.start && last.1.end == theirs.start => {
                        *last = (last.0.start..ours.end, last.1.start..theirs.end);
                    }
                    _ => changes.push((ours, theirs)),
                }
            }
        }
    }
    changes
}

/// The lines of two texts that differ, by the usual algorithm.
fn compared(old: &[u8], new: &[u8]) -> Vec<LinePair> {
    if old == new {
        return Vec::new();
    }
    super::weighed(&InternedInput::new(old, new))
}

fn side<'t>(tokens: &'t [Token], range: &Range<usize>) -> &'t [Token] {
    tokens.get(range.clone()).unwrap_or_default()
}

/// Cuts a pair of ranges into as many parts as make each part of both short enough.
fn pieces((before, after): LinePair, most: usize) -> impl Iterator<Item = LinePair> {
    let parts = before.len().max(after.len()).div_ceil(most).max(1);
    let part = move |range: &Range<usize>, at: usize| range.start + range.len() * at / parts;
    (0..parts).map(move |at| {
        (
            part(&before, at)..part(&before, at + 1),
            part(&after, at)..part(&after, at + 1),
        )
    })
}

/// What is left of a pair of ranges between the runs that stand once in each of the two. `power` gives the length of
/// the runs: two to the power of it.
fn between_runs(input: &InternedInput<&[u8]>, gap: LinePair, power: u32) -> Vec<LinePair> {
    let (before, after) = (side(&input.before, &gap.0), side(&input.after, &gap.1));
    if pairs(before, after) <= MAX_WEIGHED {
        return vec![gap];
    }
    let mut left = Vec::new();
    let (mut old, mut new) = (0, 0);
    for (first, second) in in_order(unique_runs(before, after, power)) {
        if first < old || second < new {
            continue;
        }
        let is_same = |a: usize, b: usize| matches!((before.get(a), after.get(b)), (Some(a), Some(b)) if a == b);
        let back = (1..=(first - old).min(second - new))
            .take_while(|by| is_same(first - by, second - by))
            .count();
        let on = (0..)
            .take_while(|by| is_same(first + by, second + by))
            .count();
        left.push((old..first - back, new..second - back));
        (old, new) = (first + on, second + on);
    }
    left.push((old..before.len(), new..after.len()));
    left.retain(|(old, new)| !old.is_empty() || !new.is_empty());
    let shifted = left.into_iter().map(|(old, new)| {
        (
            super::shift(&old, gap.0.start),
            super::shift(&new, gap.1.start),
        )
    });
    shifted.collect()
}

/// Where the runs stand that occur once in each of the two, in the order of the first.
fn unique_runs(before: &[Token], after: &[Token], power: u32) -> Vec<(usize, usize)> {
    let before = singles(hashes(before, power));
    let after = singles(hashes(after, power));
    let mut runs = Vec::new();
    let mut theirs = after.into_iter().peekable();
    for (hash, at) in before {
        while theirs.next_if(|(other, _)| *other < hash).is_some() {}
        if let Some((_, other)) = theirs.next_if(|(other, _)| *other == hash) {
            runs.push((at, other));
        }
    }
    runs.sort_unstable();
    runs
}

/// The hashes that occur once, in order, and where.
fn singles(hashes: Vec<u64>) -> Vec<(u64, usize)> {
    let mut places: Vec<(u64, usize)> = hashes.into_iter().zip(0..).collect();
    places.sort_unstable();
    let mut singles = Vec::with_capacity(places.len());
    for part in places.chunk_by(|left, right| left.0 == right.0) {
        if let [single] = part {
            singles.push(*single);
        }
    }
    singles
}

/// A hash of each run of two to the power of `power` lines.
fn hashes(tokens: &[Token], power: u32) -> Vec<u64> {
    let mut hashes: Vec<u64> = tokens.iter().map(|token| u64::from(token.0) + 1).collect();
    for half in (0..power).map(|power| 1_usize << power) {
        let behind = hashes.iter().skip(half);
        hashes = hashes
            .iter()
            .zip(behind)
            .map(|(first, second)| {
                (first.rotate_left(23) ^ second).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            })
            .collect();
    }
    hashes
}

/// The most pairs whose second parts ascend as well.
fn in_order(pairs: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut tops: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: &usize| pairs.get(*at).map_or(0, |pair| pair.1);
    for (at, pair) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|top| second(top) < pair.1);
        below.push(
            pile.checked_sub(1)
                .and_then(|under| tops.get(under))
                .copied(),
        );
        match tops.get_mut(pile) {
            Some(top) => *top = at,
            None => tops.push(at),
        }
    }
    let mut chain = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(at) = next {
        chain.extend(pairs.get(at).copied());
        next = below.get(at).copied().flatten();
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(seed: u32, count: usize, kinds: u32) -> Vec<String> {
        let mut seed = seed;
        let line = |_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("case {}\n", (seed >> 16) % kinds)
        };
        (0..count).map(line).collect()
    }

    /// Checks that both texts are the same outside of the changes, which are in order.
    fn check(before: &[String], after: &[String]) -> Vec<LinePair> {
        let (old, new) = (before.concat(), after.concat());
        let input = InternedInput::new(old.as_bytes(), new.as_bytes());
        let changes = changes(old.as_bytes(), new.as_bytes(), &input);
        let (mut ours, mut theirs) = (0, 0);
        for (old, new) in &changes {
            assert_eq!(before[ours..old.start], after[theirs..new.start]);
            (ours, theirs) = (old.end, new.end);
        }
        assert_eq!(before[ours..], after[theirs..]);
        changes
    }

    #[test]
    fn texts_of_few_different_lines_are_compared_by_their_runs() {
        let before = lines(1, 30_000, 8);
        let mut after = before.clone();
        for at in (5..30_000).step_by(100) {
            after[at] = "changed\n".to_owned();
        }
        after.drain(1_000..1_003);
        let changes = check(&before, &after);
        let changed: usize = changes.iter().map(|(old, _)| old.len()).sum();
        assert!(changed <= 310, "{changed}");
    }

    #[test]
    fn texts_that_have_no_runs_in_common_are_compared_in_pieces() {
        check(&lines(1, 20_000, 3), &lines(77, 21_000, 3));
        check(&lines(1, 20_000, 1), &lines(1, 30_000, 1));
        let mut mirrored = lines(1, 20_000, 5);
        mirrored.reverse();
        check(&lines(1, 20_000, 5), &mirrored);
    }
}
