//! Finding many texts in one: by scanning at first, by an index of its pieces once many were looked for.

use std::cell::{Cell, OnceCell};
use std::vec;

use memchr::memmem::Finder;

/// An index costs about as much as this many scans.
const SCANS: u32 = 16;
/// A shorter text is scanned as quickly as it is looked up.
const MIN_INDEXED_BYTES: usize = 64 * 1024;
/// Most places of a text at which its rarest piece is looked for.
const MAX_WINDOWS: usize = 48;

/// What is known of a text for finding others in it. It does not hold the text itself, which has to be
/// the same in every call.
#[derive(Debug, Default)]
pub(crate) struct Haystack {
    searches: Cell<u32>,
    long: OnceCell<Option<Pieces>>,
    short: OnceCell<Option<Pieces>>,
}

impl Haystack {
    /// All occurrences of `needle`, with overlap, in ascending order.
    pub(crate) fn find<'a>(&self, text: &'a str, needle: &str) -> Occurrences<'a> {
        self.find_from(text, needle, 0)
    }

    /// All occurrences that begin at `from` or behind it.
    pub(crate) fn find_from<'a>(
        &self,
        text: &'a str,
        needle: &str,
        from: usize,
    ) -> Occurrences<'a> {
        self.looked_up(text, needle, from).map_or_else(
            || Occurrences::Scanned {
                text: text.as_bytes(),
                finder: Box::new(Finder::new(needle.as_bytes()).into_owned()),
                from,
            },
            |starts| Occurrences::Known(starts.into_iter()),
        )
    }

    /// The occurrences by the index; `None` where there is none, or where it would not be quicker.
    fn looked_up(&self, text: &str, needle: &str, from: usize) -> Option<Vec<usize>> {
        let searches = self.searches.get().saturating_add(1);
        self.searches.set(searches);
        if searches <= SCANS || text.len() < MIN_INDEXED_BYTES {
            return None;
        }
        let (long, short) = (Pieces::LONG, Pieces::SHORT);
        let pieces = if needle.len() >= long.0 + long.1 {
            self.long.get_or_init(|| Pieces::new(text, long))
        } else if needle.len() >= short.0 + short.1 {
            self.short.get_or_init(|| Pieces::new(text, short))
        } else {
            &None
        };
        let mut starts = pieces.as_ref()?.find(text.as_bytes(), needle.as_bytes())?;
        starts.retain(|start| *start >= from);
        Some(starts)
    }
}

/// The starts of the occurrences of a text.
pub(crate) enum Occurrences<'a> {
    Known(vec::IntoIter<usize>),
    Scanned {
        text: &'a [u8],
        finder: Box<Finder<'static>>,
        from: usize,
    },
}

impl Iterator for Occurrences<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Known(starts) => starts.next(),
            Self::Scanned { text, finder, from } => {
                let start = *from + finder.find(text.get(*from..)?)?;
                *from = start + 1;
                Some(start)
            }
        }
    }
}

/// Where the pieces of a text stand: those of one length that begin at every so-manyth byte.
#[derive(Debug)]
struct Pieces {
    width: usize,
    step: usize,
    /// How many bits of a hash are dropped.
    shift: u32,
    /// For each hash where its positions begin, and behind the last where all end.
    starts: Vec<u32>,
    /// In steps, by hash and then ascending.
    positions: Vec<u32>,
}

impl Pieces {
    /// The length of a piece, and how far apart pieces are.
    const LONG: (usize, usize) = (8, 4);
    const SHORT: (usize, usize) = (4, 2);

    /// `None` for a text that is too long to be counted.
    fn new(text: &str, (width, step): (usize, usize)) -> Option<Self> {
        let bytes = text.as_bytes();
        let count = bytes.len().checked_sub(width)? / step + 1;
        u32::try_from(count).ok()?;
        let bits = count.next_power_of_two().ilog2().clamp(8, 22);
        let mut pieces = Self {
            width,
            step,
            shift: 64 - bits,
            starts: vec![0; (1 << bits) + 1],
            positions: vec![0; count],
        };
        for piece in bytes.windows(width).step_by(step) {
            let bucket = pieces.bucket(piece);
            if let Some(slot) = pieces.starts.get_mut(bucket + 1) {
                *slot += 1;
            }
        }
        let mut sum = 0;
        for slot in &mut pieces.starts {
            sum += *slot;
            *slot = sum;
        }
        // From the back, so that each bucket ends up in ascending order and its start where it belongs.
        let mut ends = pieces.starts.split_off(1);
        let last = (0..count).rev();
        for (position, at) in last.map(|position| (position, position * step)) {
            let bucket = pieces.bucket(bytes.get(at..at + width).unwrap_or_default());
            if let Some(end) = ends.get_mut(bucket) {
                *end -= 1;
                if let Some(slot) = pieces.positions.get_mut(*end as usize) {
                    *slot = u32::try_from(position).unwrap_or(u32::MAX);
                }
            }
        }
        ends.push(sum);
        pieces.starts = ends;
        Some(pieces)
    }

    fn bucket(&self, piece: &[u8]) -> usize {
        let mut bytes = [0; 8];
        for (slot, byte) in bytes.iter_mut().zip(piece) {
            *slot = *byte;
        }
        let hash = u64::from_le_bytes(bytes).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        usize::try_from(hash >> self.shift).unwrap_or_default()
    }

    fn positions_of(&self, piece: &[u8]) -> &[u32] {
        let bucket = self.bucket(piece);
        let at = |index: usize| self.starts.get(index).map_or(0, |start| *start as usize);
        self.positions
            .get(at(bucket)..at(bucket + 1))
            .unwrap_or_default()
    }

    /// The occurrences in ascending order; `None` where scanning is quicker.
    fn find(&self, text: &[u8], needle: &[u8]) -> Option<Vec<usize>> {
        let room = (needle.len() + 1).checked_sub(self.width + self.step)?;
        let stride = room.div_ceil(MAX_WINDOWS).max(1);
        let shifts = || 0..self.step;
        let piece = |at: usize| needle.get(at..at + self.width).unwrap_or_default();
        let cost = |window: &usize| -> usize {
            let lists = shifts().map(|shift| self.positions_of(piece(window + shift)).len());
            lists.sum()
        };
        let (cost, window) = (0..room)
            .step_by(stride)
            .map(|window| (cost(&window), window))
            .min()?;
        if cost > text.len() / 32 {
            return None;
        }
        let mut starts: Vec<usize> = Vec::new();
        for at in shifts().map(|shift| window + shift) {
            let begins = self.positions_of(piece(at)).iter();
            starts.extend(
                begins
                    .filter_map(|position| (*position as usize * self.step).checked_sub(at))
                    .filter(|start| {
                        text.get(*start..)
                            .is_some_and(|rest| rest.starts_with(needle))
                    }),
            );
        }
        starts.sort_unstable();
        Some(starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text in which pieces repeat, longer than what is only scanned.
    fn text() -> String {
        let mut seed = 7_u32;
        let letters = (0..MIN_INDEXED_BYTES + 5).map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ['a', 'b', '\n', 'é'][(seed >> 24) as usize % 4]
        });
        letters.collect()
    }

    #[test]
    fn what_is_looked_up_is_what_a_scan_finds() {
        let text = text();
        let haystack = Haystack::default();
        let mut looked_up = 0;
        for length in [1, 2, 5, 6, 7, 9, 11, 12, 13, 20, 40, 400] {
            for start in [0, 1, 2, 3, 4, 5, 1_001, 30_003, text.len() - 500] {
                let start = text.floor_char_boundary(start);
                let end = text.floor_char_boundary(start + length);
                let needle = &text[start..end];
                let expected: Vec<usize> = text
                    .char_indices()
                    .map(|(at, _)| at)
                    .filter(|at| !needle.is_empty() && text[*at..].starts_with(needle))
                    .collect();
                if needle.is_empty() {
                    continue;
                }
                let found = haystack.find(&text, needle);
                looked_up += usize::from(matches!(found, Occurrences::Known(_)));
                assert_eq!(found.collect::<Vec<_>>(), expected, "{needle:?}");
                let behind = haystack.find_from(&text, needle, start + 1);
                let rest: Vec<usize> = expected.into_iter().filter(|at| *at > start).collect();
                assert_eq!(behind.collect::<Vec<_>>(), rest, "{needle:?}");
            }
        }
        assert!(looked_up > 20);
        let absent = haystack.find(&text, "abababab and nothing of the sort");
        assert_eq!(absent.count(), 0);
    }
}
