//! The lines of a file as a table, and where runs of them stand in it.

use std::cell::{Cell, OnceCell};

use crate::lines::{text_start, words_key};

/// Sorting the table costs about as much as this many passes over it.
const PASSES: u32 = 8;
/// Runs of so many lines are distinguished from each other at most: two to the power of this.
const MAX_LEVELS: usize = 12;
/// Lines that occur this often or less need no longer runs to distinguish their places.
const RARE: usize = 16;
/// Most places of a run at which its rarest part is looked for.
const MAX_WINDOWS: usize = 64;

/// A line of the file that is not blank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TableLine {
    /// Where it begins.
    pub(crate) start: usize,
    /// Its index among all lines, from 0.
    pub(crate) index: usize,
    /// A hash of its words; equal for lines that differ in white space or typography only.
    pub(crate) key: u64,
}

/// All lines of a file that are not blank, in order.
#[derive(Debug)]
pub(crate) struct LineTable {
    pub(crate) lines: Vec<TableLine>,
    /// The number of all lines, blank ones included.
    pub(crate) total: usize,
    passes: Cell<u32>,
    /// Entry `n` distinguishes runs of two to the power of `n` lines.
    levels: [OnceCell<Level>; MAX_LEVELS],
}

/// All runs of one length.
#[derive(Debug)]
struct Level {
    /// A hash of the run that begins at each line.
    hashes: Vec<u64>,
    /// The beginnings by hash, then ascending.
    order: Vec<u32>,
}

impl LineTable {
    pub(crate) fn new(text: &str) -> Self {
        let mut lines = Vec::new();
        let mut start = text_start(text);
        let mut index = 0;
        for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
            let key = words_key(line.strip_suffix('\n').unwrap_or(line));
            if key != 0 {
                lines.push(TableLine { start, index, key });
            }
            start += line.len();
            index += 1;
        }
        Self {
            lines,
            total: index,
            passes: Cell::new(0),
            levels: Default::default(),
        }
    }

    /// Where lines with these keys stand in a row, by their positions in the table, ascending.
    pub(crate) fn runs(&self, keys: &[u64]) -> Vec<usize> {
        let passes = self.passes.get().saturating_add(1);
        self.passes.set(passes);
        if keys.is_empty() {
            return Vec::new();
        }
        if passes <= PASSES || u32::try_from(self.lines.len()).is_err() {
            return self.passed(keys);
        }
        let (starts, offset) = self.rarest_part(keys);
        if starts.len().saturating_mul(keys.len()) > self.lines.len().saturating_mul(4) {
            return self.passed(keys);
        }
        let begins = starts
            .iter()
            .filter_map(|at| (*at as usize).checked_sub(offset));
        begins.filter(|at| self.is_run(*at, keys)).collect()
    }

    /// Whether lines with these keys stand from this position on.
    pub(crate) fn is_run(&self, at: usize, keys: &[u64]) -> bool {
        let lines = self.lines.get(at..at + keys.len()).unwrap_or_default();
        lines.len() == keys.len() && lines.iter().zip(keys).all(|(line, key)| line.key == *key)
    }

    /// One pass over the table, by Knuth, Morris and Pratt.
    fn passed(&self, keys: &[u64]) -> Vec<usize> {
        let borders = borders(keys);
        let back = |matched: usize| {
            let border = matched.checked_sub(1).and_then(|last| borders.get(last));
            border.copied().unwrap_or(0)
        };
        let mut starts = Vec::new();
        let mut matched = 0;
        for (at, line) in self.lines.iter().enumerate() {
            while matched > 0 && keys.get(matched) != Some(&line.key) {
                matched = back(matched);
            }
            if keys.get(matched) == Some(&line.key) {
                matched += 1;
            }
            if matched == keys.len() {
                starts.push(at + 1 - matched);
                matched = back(matched);
            }
        }
        starts
    }

    /// Where the part of a run stands that occurs least, and where it begins in the run.
    fn rarest_part(&self, keys: &[u64]) -> (&[u32], usize) {
        let mut best: (&[u32], usize) = (&[], 0);
        let mut hashes = keys.to_vec();
        for number in 0..MAX_LEVELS {
            let stride = hashes.len().div_ceil(MAX_WINDOWS).max(1);
            let level = self.level(number);
            let windows = hashes.iter().enumerate().step_by(stride);
            let rarest = windows
                .map(|(at, hash)| (level.of(*hash), at))
                .min_by_key(|(starts, _)| starts.len());
            if let Some((starts, at)) = rarest
                && (number == 0 || starts.len() < best.0.len())
            {
                best = (starts, at);
            }
            let reach = 1 << number;
            if best.0.len() <= RARE || hashes.len() <= reach {
                break;
            }
            hashes = doubled(&hashes, reach);
        }
        best
    }

    fn level(&self, number: usize) -> &Level {
        static NONE: Level = Level {
            hashes: Vec::new(),
            order: Vec::new(),
        };
        let Some(cell) = self.levels.get(number) else {
            return &NONE;
        };
        cell.get_or_init(|| {
            let hashes = match number.checked_sub(1) {
                None => self.lines.iter().map(|line| line.key).collect(),
                Some(before) => doubled(&self.level(before).hashes, 1 << before),
            };
            Level::new(hashes)
        })
    }
}

impl Level {
    fn new(hashes: Vec<u64>) -> Self {
        let count = u32::try_from(hashes.len()).unwrap_or(u32::MAX);
        let mut pairs: Vec<(u64, u32)> = hashes.iter().copied().zip(0..count).collect();
        pairs.sort_unstable();
        let order = pairs.into_iter().map(|(_, at)| at).collect();
        Self { hashes, order }
    }

    fn of(&self, hash: u64) -> &[u32] {
        let hash_at = |at: &u32| self.hashes.get(*at as usize).copied().unwrap_or_default();
        let from = self.order.partition_point(|at| hash_at(at) < hash);
        let rest = self.order.get(from..).unwrap_or_default();
        // Few are equal as a rule, so their end is near.
        let mut reach = 1;
        while rest.get(reach).is_some_and(|at| hash_at(at) == hash) {
            reach *= 2;
        }
        let near = rest.get(..reach.min(rest.len())).unwrap_or_default();
        let count = near.partition_point(|at| hash_at(at) == hash);
        near.get(..count).unwrap_or_default()
    }
}

/// The hashes of runs of twice the length.
fn doubled(hashes: &[u64], length: usize) -> Vec<u64> {
    let behind = hashes.iter().skip(length);
    let joined = hashes.iter().zip(behind).map(|(first, second)| {
        (first.rotate_left(23) ^ second).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    joined.collect()
}

/// For each beginning of the keys the length of the longest shorter one that also ends it.
fn borders(keys: &[u64]) -> Vec<usize> {
    let mut borders = vec![0; keys.len()];
    let mut border = 0;
    for at in 1..keys.len() {
        while border > 0 && keys.get(border) != keys.get(at) {
            border = borders.get(border - 1).copied().unwrap_or(0);
        }
        if keys.get(border) == keys.get(at) {
            border += 1;
        }
        if let Some(slot) = borders.get_mut(at) {
            *slot = border;
        }
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_the_same_way_in_passes_and_in_the_sorted_table() {
        let mut seed = 3_u32;
        let text: String = (0..3_000)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ["a\n", "  b\n", "c\n\n", "a\n"][(seed >> 24) as usize % 4]
            })
            .collect();
        let table = LineTable::new(&text);
        let keys: Vec<u64> = table.lines.iter().map(|line| line.key).collect();
        for length in [1, 2, 3, 5, 8, 13, 40, 300, 3_000] {
            for from in [0, 7, 1_234, 2_700] {
                let wanted = &keys[from..(from + length).min(keys.len())];
                let expected: Vec<usize> = (0..keys.len())
                    .filter(|at| keys[*at..].starts_with(wanted))
                    .collect();
                assert_eq!(table.runs(wanted), expected);
            }
        }
        assert!(table.passes.get() > PASSES);
        assert_eq!(table.runs(&[keys[0], 1]), Vec::<usize>::new());
        assert_eq!(table.runs(&[]), Vec::<usize>::new());
    }
}
