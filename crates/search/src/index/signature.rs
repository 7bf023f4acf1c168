//! Which trigrams a text has, in few bits, for many texts at once.
//!
//! Each text has a bit array sized by its own number of different trigrams. Arrays of one size are
//! kept transposed, 64 texts a block, so that a question about a trigram reads one word for 64 texts;
//! the few large arrays are kept each by itself.

use memchr::memmem;

use super::need::Need;

/// Bits of the space that trigrams are hashed into.
const SPACE_BITS: u32 = 18;

/// Arrays with more bits than this are kept each by itself.
const MAX_SLICED_BITS: u32 = 1 << 14;

/// Sizes of arrays in bits: powers of two and what lies half way between.
const SIZES: [u32; 23] = [
    64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
    24576, 32768, 49152, 65536, 98304, 131_072,
];

/// Where a trigram lies, by its bytes in lower case.
pub(crate) const fn position(trigram: [u8; 3]) -> u32 {
    let [one, two, three] = trigram;
    let number = (one as u32) << 16 | (two as u32) << 8 | three as u32;
    number.wrapping_mul(0x9E37_79B1) >> (32 - SPACE_BITS)
}

/// The same in an array of `bits`.
const fn folded(position: u32, bits: u32) -> usize {
    ((position as u64 * bits as u64) >> SPACE_BITS) as usize
}

/// What is known of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The different positions of its trigrams.
    pub(crate) positions: Vec<u32>,
    /// Whether it has a letter outside ASCII that folds to one within.
    pub(crate) has_folding: bool,
    /// Whether it begins with a byte order mark or has a NUL byte late, so that its bytes are not what is
    /// searched.
    pub(crate) is_special: bool,
    /// Whether it has a NUL byte so early that nothing of it is searched.
    pub(crate) is_binary: bool,
    pub(crate) bytes: u64,
}

impl Sign {
    /// Of a file that is left out as binary.
    pub(crate) const fn of_binary(bytes: u64) -> Self {
        Self {
            positions: Vec::new(),
            has_folding: false,
            is_special: false,
            is_binary: true,
            bytes,
        }
    }
}

/// Whether what begins so is not searched byte by byte, but decoded or stripped of the mark first.
fn begins_with_mark(text: &[u8]) -> bool {
    const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    MARKS.iter().any(|mark| text.starts_with(mark))
}

/// Whether nothing of a file is searched that begins with `first`, at most one buffer of the searcher:
/// a NUL byte in its first buffer ends a search before it begins. The first three bytes, which may be a
/// byte order mark, come to the searcher by themselves; it goes through the lines that end in them.
pub(crate) fn is_binary(first: &[u8]) -> bool {
    let head = first.get(..3).unwrap_or(first);
    let begins = memchr::memchr(0, head).is_none() && memchr::memchr(b'\n', head).is_some();
    !begins && !begins_with_mark(first) && memchr::memchr(0, first).is_some()
}

/// Signs texts, one after another.
#[derive(Debug)]
pub(crate) struct Signer {
    seen: Vec<u64>,
    positions: Vec<u32>,
    /// The last two bytes.
    tail: Vec<u8>,
    has_folding: bool,
    is_special: bool,
    bytes: u64,
}

impl Signer {
    pub(crate) fn new() -> Self {
        Self {
            seen: vec![0; 1 << (SPACE_BITS - 6)],
            positions: Vec::new(),
            tail: Vec::new(),
            has_folding: false,
            is_special: false,
            bytes: 0,
        }
    }

    /// Takes the next part of a text.
    pub(crate) fn take(&mut self, part: &[u8]) {
        if self.bytes == 0 {
            self.is_special = begins_with_mark(part);
        }
        self.bytes += part.len() as u64;
        self.is_special |= memchr::memchr(0, part).is_some();
        let tail = std::mem::take(&mut self.tail);
        if !tail.is_empty() {
            // The trigrams that begin in the part before, and nothing twice.
            let joined = [&tail, part.get(..part.len().min(2)).unwrap_or_default()].concat();
            self.scan(&joined);
        }
        self.scan(part);
        let kept = if part.len() >= 2 {
            part.get(part.len() - 2..).unwrap_or_default().to_vec()
        } else {
            let all = [&tail, part].concat();
            all.get(all.len().saturating_sub(2)..)
                .unwrap_or_default()
                .to_vec()
        };
        self.tail = kept;
    }

    fn scan(&mut self, text: &[u8]) {
        if !text.is_ascii() && !self.has_folding {
            self.has_folding = memmem::find(text, "\u{212a}".as_bytes()).is_some()
                || memmem::find(text, "\u{17f}".as_bytes()).is_some();
        }
        let mut number = 0_u32;
        for (index, byte) in text.iter().enumerate() {
            number = (number << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00FF_FFFF;
            if index < 2 {
                continue;
            }
            let position = number.wrapping_mul(0x9E37_79B1) >> (32 - SPACE_BITS);
            let bit = 1 << (position & 63);
            if let Some(word) = self.seen.get_mut((position >> 6) as usize)
                && *word & bit == 0
            {
                *word |= bit;
                self.positions.push(position);
            }
        }
    }

    /// What was taken since the last time.
    pub(crate) fn finish(&mut self) -> Sign {
        for position in &self.positions {
            if let Some(word) = self.seen.get_mut((position >> 6) as usize) {
                *word = 0;
            }
        }
        self.tail.clear();
        Sign {
            positions: std::mem::take(&mut self.positions),
            has_folding: std::mem::take(&mut self.has_folding),
            is_special: std::mem::take(&mut self.is_special),
            is_binary: false,
            bytes: std::mem::take(&mut self.bytes),
        }
    }
}

/// Where the array of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    size: u8,
    column: u8,
    block: u32,
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

    /// Keeps the array of a text; nothing when that would take more than `most` bytes in all.
    pub(crate) fn insert(&mut self, positions: &[u32], most: usize) -> Option<Slot> {
        // A quarter more bits than trigrams: with a dozen trigrams in a question, few texts pass by
        // accident.
        let wanted = u32::try_from(positions.len() + positions.len() / 4).unwrap_or(u32::MAX);
        let index = SIZES.iter().position(|size| *size >= wanted);
        let index = index.unwrap_or(SIZES.len() - 1);
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

    /// The answer to a question, for all texts.
    pub(crate) fn ask<'a>(&'a self, need: &'a Need) -> Answer<'a> {
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
        Answer {
            need,
            sliced,
            signatures: self,
        }
    }
}

/// Which texts may match.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    need: &'a Need,
    sliced: Vec<Vec<u64>>,
    signatures: &'a Signatures,
}

impl Answer<'_> {
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
        Need::Trigram(position) => words
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
        Need::Trigram(position) => {
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
                .map(|positions| { let slot = signatures.insert(&positions, usize::MAX).unwrap(); (positions, slot) })
                .collect();
            let mut left = Vec::new();
            for ((positions, slot), removed) in kept.into_iter().zip(removed) {
                if removed { signatures.remove(slot); } else { left.push((positions, slot)); }
            }
            for (positions, slot) in &left {
                let need = Need::All(positions.iter().map(|position| Need::Trigram(*position)).collect());
                proptest::prop_assert!(signatures.ask(&need).may_match(*slot));
            }
        }
    }

    #[test]
    fn nothing_is_kept_beyond_the_budget() {
        let mut signatures = Signatures::default();
        let positions: Vec<u32> = (0..40).collect();
        assert_eq!(signatures.insert(&positions, 511), None);
        assert!(signatures.insert(&positions, 512).is_some());
        assert_eq!(signatures.bytes(), 512);
        let large: Vec<u32> = (0..60_000).collect();
        assert_eq!(signatures.insert(&large, 1024), None);
        let slot = signatures.insert(&large, 1 << 20).unwrap();
        signatures.remove(slot);
        assert_eq!(signatures.bytes(), 512);
    }
}
