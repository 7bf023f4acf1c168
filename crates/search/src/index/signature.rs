//! Which grams, which are four bytes in a row, a text has, in few bits, for many texts at once.
//!
//! Each text has a bit array sized by its own number of different grams. Arrays of one size are
//! kept transposed, 64 texts a block, so that a question about a gram reads one word for 64 texts;
//! the few large arrays are kept each by itself.

mod signer;

use super::budget::Room;
use super::disk::{ByteReader, ByteWriter};
use super::prefilter::Need;
pub(crate) use signer::{Sign, Signer, is_binary};

/// Bytes of a gram. With three, most large texts have all those of a common word without having the word; four are only
/// half as many more.
pub(crate) const GRAM_BYTES: usize = 4;

/// Bits of the space that grams are hashed into.
const SPACE_BITS: u32 = 19;

/// Arrays with more bits than this are kept each by itself.
const MAX_SLICED_BITS: u32 = 1 << 14;

/// Sizes of arrays in bits: powers of two and what lies half way between, up to the whole space.
const SIZES: [u32; 27] = [
    64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
    24576, 32768, 49152, 65536, 98304, 131_072, 196_608, 262_144, 393_216, 524_288,
];

/// The index of the size for so many grams.
fn size_for(grams: usize, room: Room) -> usize {
    let wanted = grams as u64 * room.bits / 100;
    let index = SIZES.iter().position(|size| u64::from(*size) >= wanted);
    index.unwrap_or(SIZES.len() - 1)
}

/// Where a gram lies, by its bytes in lower case.
pub(crate) const fn position(gram: [u8; GRAM_BYTES]) -> u32 {
    u32::from_be_bytes(gram).wrapping_mul(0x9E37_79B1) >> (32 - SPACE_BITS)
}

/// The same in an array of `bits`.
const fn folded(position: u32, bits: u32) -> usize {
    ((position as u64 * bits as u64) >> SPACE_BITS) as usize
}

/// Where the array of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    size: u8,
    column: u8,
    block: u32,
}

impl Slot {
    /// As it is written: size, column, block.
    pub(crate) const fn parts(self) -> (u8, u8, u32) {
        (self.size, self.column, self.block)
    }

    /// Nothing where no array can be kept there.
    pub(crate) fn of_parts(size: u8, column: u8, block: u32) -> Option<Self> {
        let is_possible = usize::from(size) < SIZES.len() && column < 64;
        is_possible.then_some(Self {
            size,
            column,
            block,
        })
    }
}

/// 64 arrays of one size, transposed: one word for each bit.
#[derive(Debug)]
struct Block {
    words: Box<[u64]>,
    used: u64,
}

/// The arrays of many texts.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    /// By size.
    sliced: Vec<Vec<Block>>,
    /// Blocks with a free column, by size.
    open: Vec<Vec<u32>>,
    /// Large arrays; free ones are empty.
    single: Vec<Box<[u64]>>,
    free: Vec<u32>,
    bytes: usize,
}

impl Signatures {
    /// Bytes that are held.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps the array of a text; nothing when there is no room for it.
    pub(crate) fn insert(&mut self, positions: &[u32], room: Room) -> Option<Slot> {
        let roomy = self.insert_sized(positions, size_for(positions.len(), room), room.bytes);
        roomy.or_else(|| {
            let index = size_for(positions.len(), room.least());
            self.insert_sized(positions, index, room.bytes)
        })
    }

    /// The same in an array of the size with this index, with at most `most` bytes of arrays in all.
    fn insert_sized(&mut self, positions: &[u32], index: usize, most: usize) -> Option<Slot> {
        let size = u8::try_from(index).ok()?;
        let bits = *SIZES.get(index)?;
        if bits > MAX_SLICED_BITS {
            return self.insert_single(size, bits, positions, most);
        }
        self.sliced.resize_with(SIZES.len(), Vec::new);
        self.open.resize_with(SIZES.len(), Vec::new);
        let blocks = self.sliced.get_mut(index)?;
        let open = self.open.get_mut(index)?;
        let place = match open.last() {
            Some(place) => *place,
            None => {
                let cost = bits as usize * 8;
                if self.bytes + cost > most {
                    return None;
                }
                self.bytes += cost;
                blocks.push(Block {
                    words: vec![0; bits as usize].into(),
                    used: 0,
                });
                let place = u32::try_from(blocks.len() - 1).ok()?;
                open.push(place);
                place
            }
        };
        let block = blocks.get_mut(place as usize)?;
        let column = u8::try_from((!block.used).trailing_zeros()).ok()?;
        block.used |= 1 << column;
        if block.used == u64::MAX {
            open.pop();
        }
        for position in positions {
            if let Some(word) = block.words.get_mut(folded(*position, bits)) {
                *word |= 1 << column;
            }
        }
        Some(Slot {
            size,
            column,
            block: place,
        })
    }

    fn insert_single(
        &mut self,
        size: u8,
        bits: u32,
        positions: &[u32],
        most: usize,
    ) -> Option<Slot> {
        let cost = bits as usize / 8;
        if self.bytes + cost > most {
            return None;
        }
        self.bytes += cost;
        let mut words = vec![0_u64; bits as usize / 64];
        for position in positions {
            let bit = folded(*position, bits);
            if let Some(word) = words.get_mut(bit >> 6) {
                *word |= 1 << (bit & 63);
            }
        }
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.single.push(Box::default());
                u32::try_from(self.single.len() - 1).ok()?
            }
        };
        *self.single.get_mut(place as usize)? = words.into();
        Some(Slot {
            size,
            column: 0,
            block: place,
        })
    }

    /// Forgets the array of a text.
    pub(crate) fn remove(&mut self, slot: Slot) {
        let index = usize::from(slot.size);
        let bits = SIZES.get(index).copied().unwrap_or_default();
        if bits > MAX_SLICED_BITS {
            if let Some(words) = self.single.get_mut(slot.block as usize) {
                *words = Box::default();
                self.free.push(slot.block);
                self.bytes = self.bytes.saturating_sub(bits as usize / 8);
            }
            return;
        }
        let block = self
            .sliced
            .get_mut(index)
            .and_then(|blocks| blocks.get_mut(slot.block as usize));
        if let (Some(block), Some(open)) = (block, self.open.get_mut(index)) {
            let mask = !(1 << slot.column);
            block.words.iter_mut().for_each(|word| *word &= mask);
            if block.used == u64::MAX {
                open.push(slot.block);
            }
            block.used &= mask;
        }
    }

    /// Writes the arrays at these places, each at its place, and nothing of the others.
    pub(crate) fn write(&self, to: &mut ByteWriter, slots: &[Slot]) {
        let mut wanted: Vec<Vec<u64>> = self.sliced.iter().map(|of| vec![0; of.len()]).collect();
        let mut alone = vec![false; self.single.len()];
        for slot in slots {
            let (size, place) = (usize::from(slot.size), slot.block as usize);
            let is_sliced = SIZES.get(size).is_some_and(|bits| *bits <= MAX_SLICED_BITS);
            if is_sliced {
                let columns = wanted.get_mut(size).and_then(|of| of.get_mut(place));
                columns
                    .into_iter()
                    .for_each(|columns| *columns |= 1 << slot.column);
            } else if let Some(is_wanted) = alone.get_mut(place) {
                *is_wanted = true;
            }
        }
        for index in 0..SIZES.len() {
            let blocks = self.sliced.get(index).map_or(&[][..], Vec::as_slice);
            let columns = wanted.get(index).map_or(&[][..], Vec::as_slice);
            to.count(blocks.len());
            for (block, columns) in blocks.iter().zip(columns) {
                let words = block
                    .words
                    .iter()
                    .map(|word| (word & columns).to_le_bytes());
                to.0.extend(words.flatten());
            }
        }
        to.count(self.single.len());
        for (words, is_wanted) in self.single.iter().zip(alone) {
            let words = if is_wanted { &words[..] } else { &[] };
            to.count(words.len());
            to.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
    }

    /// The arrays at these places, of which none may be there twice; what else was written is left out. Nothing where the bytes
    /// are none of arrays, or hold more than `most` bytes of them.
    pub(crate) fn read(from: &mut ByteReader<'_>, slots: &[Slot], most: usize) -> Option<Self> {
        let read_words = |from: &mut ByteReader<'_>, count: usize| {
            let bytes = from.take(count.checked_mul(8)?)?;
            let words = bytes.as_chunks::<8>().0.iter();
            Some(
                words
                    .map(|word| u64::from_le_bytes(*word))
                    .collect::<Box<[u64]>>(),
            )
        };
        let mut read = Self::default();
        read.open.resize_with(SIZES.len(), Vec::new);
        for bits in SIZES {
            let mut blocks = Vec::new();
            let count = from.count(bits as usize * 8)?;
            if count > 0 && bits > MAX_SLICED_BITS {
                return None;
            }
            for _ in 0..count {
                let words = read_words(from, bits as usize)?;
                read.bytes += words.len() * 8;
                blocks.push(Block { words, used: 0 });
            }
            read.sliced.push(blocks);
        }
        for _ in 0..from.count(8)? {
            let count = from.count(8)?;
            let words = read_words(from, count)?;
            read.bytes += words.len() * 8;
            read.single.push(words);
        }
        let is_whole = from.is_at_end() && read.bytes <= most;
        (is_whole && read.claim(slots)?).then_some(read)
    }

    /// Notes what lies where, and lets all else go. Whether there is an array at each place.
    fn claim(&mut self, slots: &[Slot]) -> Option<bool> {
        let mut claimed = vec![false; self.single.len()];
        for slot in slots {
            let index = usize::from(slot.size);
            let bits = *SIZES.get(index)?;
            if bits > MAX_SLICED_BITS {
                let words = self.single.get(slot.block as usize)?;
                let is_claimed = claimed.get_mut(slot.block as usize)?;
                if words.len() != bits as usize / 64 || std::mem::replace(is_claimed, true) {
                    return Some(false);
                }
                continue;
            }
            let block = self.sliced.get_mut(index)?.get_mut(slot.block as usize)?;
            let column = 1_u64.checked_shl(u32::from(slot.column))?;
            if block.used & column != 0 {
                return Some(false);
            }
            block.used |= column;
        }
        for (blocks, open) in self.sliced.iter_mut().zip(&mut self.open) {
            for (place, block) in (0..).zip(blocks) {
                if block.used != u64::MAX {
                    let used = block.used;
                    block.words.iter_mut().for_each(|word| *word &= used);
                    open.push(place);
                }
            }
        }
        for ((place, words), is_claimed) in (0..).zip(&mut self.single).zip(claimed) {
            if !is_claimed {
                self.bytes = self.bytes.saturating_sub(words.len() * 8);
                *words = Box::default();
                self.free.push(place);
            }
        }
        Some(true)
    }

    /// The answer to a question, for all texts.
    pub(crate) fn ask<'a>(&'a self, need: &'a Need) -> Candidates<'a> {
        let sliced = self
            .sliced
            .iter()
            .zip(SIZES)
            .map(|(blocks, bits)| {
                blocks
                    .iter()
                    .map(|block| columns(need, &block.words, bits))
                    .collect()
            })
            .collect();
        Candidates {
            need,
            sliced,
            signatures: self,
        }
    }
}

/// Which texts may match.
#[derive(Debug)]
pub(crate) struct Candidates<'a> {
    need: &'a Need,
    sliced: Vec<Vec<u64>>,
    signatures: &'a Signatures,
}

impl Candidates<'_> {
    pub(crate) fn may_match(&self, slot: Slot) -> bool {
        let index = usize::from(slot.size);
        let bits = SIZES.get(index).copied().unwrap_or_default();
        if bits > MAX_SLICED_BITS {
            let words = self.signatures.single.get(slot.block as usize);
            return words.is_none_or(|words| is_met(self.need, words, bits));
        }
        let block = self
            .sliced
            .get(index)
            .and_then(|blocks| blocks.get(slot.block as usize));
        block.is_none_or(|block| block & (1 << slot.column) != 0)
    }
}

/// The columns of a block that meet the condition.
fn columns(need: &Need, words: &[u64], bits: u32) -> u64 {
    match need {
        Need::Nothing => u64::MAX,
        Need::Gram(position) => words
            .get(folded(*position, bits))
            .copied()
            .unwrap_or(u64::MAX),
        Need::All(needs) => {
            let mut met = u64::MAX;
            for need in needs {
                met &= columns(need, words, bits);
                if met == 0 {
                    break;
                }
            }
            met
        }
        Need::Any(needs) => needs
            .iter()
            .fold(0, |met, need| met | columns(need, words, bits)),
    }
}

fn is_met(need: &Need, words: &[u64], bits: u32) -> bool {
    match need {
        Need::Nothing => true,
        Need::Gram(position) => {
            let bit = folded(*position, bits);
            words
                .get(bit >> 6)
                .is_none_or(|word| word & (1 << (bit & 63)) != 0)
        }
        Need::All(needs) => needs.iter().all(|need| is_met(need, words, bits)),
        Need::Any(needs) => needs.iter().any(|need| is_met(need, words, bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Room = Room {
        bytes: usize::MAX,
        bits: 225,
    };

    fn sign(parts: &[&[u8]]) -> Sign {
        let mut signer = Signer::new();
        for part in parts {
            signer.take(part);
        }
        signer.finish()
    }

    proptest::proptest! {
        #[test]
        fn a_text_has_the_same_sign_however_it_is_cut(
            text in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
            cuts in proptest::collection::vec(0_usize..200, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut parts = Vec::new();
            let mut start = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                parts.push(&text[start..cut]);
                start = cut;
            }
            let parts: Vec<&[u8]> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            let sorted = |mut sign: Sign| { sign.positions.sort_unstable(); sign };
            let cut = sorted(sign(&parts));
            let whole = sorted(sign(&[&text]));
            assert_eq!(cut.positions, whole.positions);
            assert_eq!((cut.bytes, cut.has_folding), (whole.bytes, whole.has_folding));
        }

        #[test]
        fn what_was_put_in_is_found_until_it_is_taken_out(
            texts in proptest::collection::vec(proptest::collection::vec(0_u8..4, 0..400), 1..150),
            removed in proptest::collection::vec(proptest::bool::ANY, 150),
        ) {
            let mut signatures = Signatures::default();
            let kept: Vec<(Vec<u32>, Slot)> = texts
                .iter()
                .map(|text| sign(&[text]).positions)
                .map(|positions| { let slot = signatures.insert(&positions, ALL).unwrap(); (positions, slot) })
                .collect();
            let mut left = Vec::new();
            for ((positions, slot), removed) in kept.into_iter().zip(removed) {
                if removed { signatures.remove(slot); } else { left.push((positions, slot)); }
            }
            let mut writer = ByteWriter::default();
            let slots: Vec<Slot> = left.iter().map(|(_, slot)| *slot).collect();
            signatures.write(&mut writer, &slots);
            let read = |bytes: &[u8], slots: &[Slot]| Signatures::read(&mut ByteReader::new(bytes), slots, usize::MAX);
            let mut again = read(&writer.0, &slots).unwrap();
            proptest::prop_assert!(read(&writer.0, &[&slots[..], &slots[..]].concat()).is_none() || slots.is_empty());
            proptest::prop_assert!(read(&writer.0[..writer.0.len() - 1], &slots).is_none());
            for (positions, slot) in &left {
                let need = Need::All(positions.iter().map(|position| Need::Gram(*position)).collect());
                proptest::prop_assert!(again.ask(&need).may_match(*slot));
            }
            // A place that was left is one for another text, and has nothing of the one before.
            let alone = again.insert(&[1], ALL).unwrap();
            proptest::prop_assert!(!again.ask(&Need::Gram(1 << 18)).may_match(alone));
            for (positions, slot) in &left {
                let need = Need::All(positions.iter().map(|position| Need::Gram(*position)).collect());
                proptest::prop_assert!(signatures.ask(&need).may_match(*slot));
            }
        }
    }

    #[test]
    fn what_is_not_to_be_written_leaves_no_bit_in_what_is_written() {
        let texts = [
            &b"needle in the hay"[..],
            b"another text of some length",
            &[b'x'; 9],
        ];
        let large: Vec<u32> = (0..60_000).collect();
        let kept = || {
            let mut signatures = Signatures::default();
            let positions = texts.iter().map(|text| sign(&[text]).positions);
            let slots: Vec<Slot> = positions
                .chain([large.clone()])
                .map(|positions| signatures.insert(&positions, ALL).unwrap())
                .collect();
            (signatures, slots)
        };
        let written = |signatures: &Signatures, slots: &[Slot]| {
            let mut writer = ByteWriter::default();
            signatures.write(&mut writer, slots);
            writer.0
        };
        for left_out in 0..=texts.len() {
            let (mut signatures, mut slots) = kept();
            let all = written(&signatures, &slots);
            let slot = slots.remove(left_out);
            let without = written(&signatures, &slots);
            assert!(without != all);
            signatures.remove(slot);
            assert!(without == written(&signatures, &slots));
        }
    }

    #[test]
    fn nothing_is_kept_beyond_the_budget() {
        let mut signatures = Signatures::default();
        let positions: Vec<u32> = (0..40).collect();
        let within = |bytes| Room { bytes, ..ALL };
        assert_eq!(signatures.insert(&positions, within(511)), None);
        assert!(signatures.insert(&positions, within(512)).is_some());
        assert_eq!(signatures.bytes(), 512);
        let large: Vec<u32> = (0..60_000).collect();
        assert_eq!(signatures.insert(&large, within(1024)), None);
        let slot = signatures.insert(&large, within(1 << 20)).unwrap();
        signatures.remove(slot);
        assert_eq!(signatures.bytes(), 512);
    }
}
