//! How much memory the signatures of a tree may take, and how many bits each gram gets of it.

/// Most directories of an index: each takes a watch of the kernel.
pub(crate) const MAX_DIRECTORIES: usize = 60_000;

/// Most files of an index.
pub(crate) const MAX_FILES: usize = 2_000_000;

/// Bytes of signatures that any tree may have.
const LEAST_BYTES: usize = 2 * 1024 * 1024;

/// Of a hundred bytes of files, so many may be taken by the index.
const PERCENT: u64 = 5;

/// Bits for a hundred grams at most. A text that has all but one of the grams in a question passes by accident in one of
/// four cases.
const MOST_BITS: u64 = 300;

/// The same at least: a question of twelve grams, which are fifteen letters, is still passed by one text in six only, and
/// a text without a signature passes always.
const LEAST_BITS: u64 = 50;

/// What the files of a tree have, as far as they were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    /// The different grams of each, added up.
    pub(crate) grams: u64,
}

impl Extent {
    /// What `files` files have if the others are like those that were read.
    fn of_all(self, files: u64) -> Self {
        let all = |part: u64| {
            let all = u128::from(part) * u128::from(files.max(self.files))
                / u128::from(self.files.max(1));
            u64::try_from(all).unwrap_or(u64::MAX)
        };
        Self {
            files,
            bytes: all(self.bytes),
            grams: all(self.grams),
        }
    }
}

/// What the index of a tree may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Bytes at most.
    pub(crate) max_bytes: usize,
    /// Bytes that the list of the tree takes.
    pub(crate) listed: usize,
}

/// What signatures may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes in all.
    pub(crate) bytes: usize,
    /// Bits for a hundred grams.
    pub(crate) bits: u64,
}

impl Room {
    /// No text takes less.
    pub(crate) const fn least(self) -> Self {
        Self {
            bits: LEAST_BITS,
            ..self
        }
    }
}

impl Budget {
    /// The room in a tree of `files` files of which this was read. The least does not count the list: a tree of many small
    /// files would have no room otherwise.
    pub(crate) fn room(self, read: Extent, files: u64) -> Room {
        let all = read.of_all(files);
        let share = usize::try_from(all.bytes / 100 * PERCENT).unwrap_or(usize::MAX);
        let bytes = share
            .saturating_sub(self.listed)
            .max(LEAST_BYTES)
            .min(self.max_bytes.saturating_sub(self.listed));
        // A quarter is left: sizes of arrays are rounded up, and not every block is full.
        let bits = bytes as u64 * 8 * 75 / all.grams.max(1);
        Room {
            bytes,
            bits: bits.clamp(LEAST_BITS, MOST_BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn room(read: Extent, files: u64) -> Room {
        let budget = Budget {
            max_bytes: 64 * MIB,
            listed: 4 * MIB,
        };
        budget.room(read, files)
    }

    #[test]
    fn files_that_were_not_read_yet_are_taken_to_be_like_those_that_were() {
        let read = Extent {
            files: 100,
            bytes: 2_000_000,
            grams: 500_000,
        };
        let expected = Room {
            bytes: 10_000_000 - 4 * MIB,
            bits: 69,
        };
        assert_eq!(room(read, 10_000), expected);
    }

    #[test]
    fn a_list_that_takes_more_than_the_first_files_allow_leaves_room_for_the_others() {
        let read = Extent {
            files: 256,
            bytes: 4_000_000,
            grams: 1_000_000,
        };
        assert_eq!(room(read, 256).bytes, LEAST_BYTES);
        assert_eq!(room(read, 173_160).bytes, 60 * MIB);
    }

    #[test]
    fn a_tree_of_many_small_files_has_the_least_room_and_a_huge_one_the_most() {
        let small = Extent {
            files: 1_000,
            bytes: 10_000,
            grams: 9_000,
        };
        assert_eq!(
            room(small, 1_000),
            Room {
                bytes: LEAST_BYTES,
                bits: MOST_BITS
            }
        );
        let huge = Extent {
            files: 1,
            bytes: u64::MAX,
            grams: u64::MAX,
        };
        let most = Room {
            bytes: 60 * MIB,
            bits: LEAST_BITS,
        };
        assert_eq!(room(huge, u64::MAX), most);
        assert_eq!(room(Extent::default(), 0).bytes, LEAST_BYTES);
    }
}
