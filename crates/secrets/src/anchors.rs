//! Many short texts that are looked for at once: what secrets begin with, and how their names are written.

use crate::letters::{Letters, URLSAFE};

/// Bits of the filter for three bytes, as a power of two. 16 KB, of which few bits are set, stay in the nearest cache.
const FILTER_BITS: u32 = 17;
const WORD_BITS: u32 = u64::BITS;
const FILTER_WORDS: usize = 1 << (FILTER_BITS - WORD_BITS.ilog2());
/// Groups of texts by their rarest three bytes, as a power of two.
const GROUP_BITS: u32 = 9;
const GROUPS: usize = 1 << GROUP_BITS;

/// What stands behind a text of two bytes where it is found: what keys are written with.
const BEHIND_PAIRS: Letters = URLSAFE.union_of(b".~");

/// How many places with three bytes are in eight bytes.
const PLACES: usize = 6;

/// A text that is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) text: &'static str,
    /// Whether it may be written with other cases.
    pub(crate) any_case: bool,
}

impl Anchor {
    /// Whether it is what stands at the start of these bytes.
    fn begins(&self, bytes: &[u8]) -> bool {
        let there = bytes.get(..self.text.len());
        there.is_some_and(|there| {
            if self.any_case {
                self.text.as_bytes().eq_ignore_ascii_case(there)
            } else {
                self.text.as_bytes() == there
            }
        })
    }

    /// The three bytes of it that are rarest in other texts, and how many stand before them. Nothing of a shorter text.
    fn rarest(self) -> Option<([u8; 3], usize)> {
        let all = self.text.as_bytes().windows(3).enumerate();
        let all = all.filter_map(|(before, bytes)| Some((bytes.try_into().ok()?, before)));
        all.min_by_key(|(bytes, _)| how_common(*bytes))
    }

    /// The forms in which these bytes of it may be written.
    fn written<const LENGTH: usize>(self, bytes: [u8; LENGTH]) -> Vec<[u8; LENGTH]> {
        let forms = if self.any_case { 1_u32 << LENGTH } else { 1 };
        let form = |form: u32| {
            let mut written = bytes;
            for (at, byte) in written.iter_mut().enumerate() {
                if form >> at & 1 == 1 {
                    *byte = other_case(*byte);
                }
            }
            written
        };
        let mut written: Vec<_> = (0..forms).map(form).collect();
        written.sort_unstable();
        written.dedup();
        written
    }
}

/// A place where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Which text it is.
    pub(crate) index: usize,
}

/// Texts, and what finds them. No automaton: one for some hundred texts takes longer to make than a first call may wait, and each
/// byte through it waits for the one before. Here places are looked up beside each other, and hardly any passes the filter: a text
/// is looked for by those three bytes of it that are rarest (`s_k` of `access_key`, not `acc`).
pub(crate) struct Anchors {
    texts: Vec<Anchor>,
    /// Which three bytes are the rarest of a text, by their hash.
    filter: Box<[u64; FILTER_WORDS]>,
    /// The texts of three bytes and more by their rarest three, in the order of their groups.
    rarest: Vec<Rarest>,
    /// Where each group of them begins, and the last one ends.
    groups: Box<[usize; GROUPS + 1]>,
    /// The texts of two bytes.
    pairs: Vec<([u8; 2], usize)>,
    /// What these begin with.
    pair_starts: [bool; 256],
}

/// The rarest three bytes of a text.
struct Rarest {
    bytes: u32,
    /// How many bytes of the text stand before them.
    before: usize,
    /// Which text it is.
    index: usize,
}

impl Anchors {
    /// Each of the texts has two bytes at least; shorter ones are never found, and those of two bytes only before a letter that keys
    /// are written with.
    pub(crate) fn new(texts: Vec<Anchor>) -> Self {
        let (mut rarest, mut pairs) = (Vec::new(), Vec::new());
        for (index, anchor) in texts.iter().enumerate() {
            if let Some((bytes, before)) = anchor.rarest() {
                let written = anchor.written(bytes).into_iter();
                rarest.extend(written.map(|[first, second, third]| Rarest {
                    bytes: packed(first, second, third),
                    before,
                    index,
                }));
            } else if let [first, second] = *anchor.text.as_bytes() {
                let written = anchor.written([first, second]).into_iter();
                pairs.extend(written.map(|start| (start, index)));
            }
        }
        rarest.sort_unstable_by_key(|it| (group_of(hash(it.bytes)), it.bytes, it.index));
        let groups = Box::new(std::array::from_fn(|group| {
            rarest.partition_point(|it| group_of(hash(it.bytes)) < group)
        }));
        let is_start = |byte: usize| {
            pairs
                .iter()
                .any(|([first, _], _)| usize::from(*first) == byte)
        };
        let mut anchors = Self {
            filter: Box::new([0; FILTER_WORDS]),
            groups,
            rarest,
            pair_starts: std::array::from_fn(is_start),
            pairs,
            texts,
        };
        anchors.fill_filter();
        anchors
    }

    fn fill_filter(&mut self) {
        let rarest = self.rarest.iter().map(|it| it.bytes);
        let behind = || (0..=u8::MAX).filter(|byte| BEHIND_PAIRS.has(*byte));
        let pairs = self
            .pairs
            .iter()
            .flat_map(|([first, second], _)| behind().map(|third| packed(*first, *second, third)));
        for bytes in rarest.chain(pairs) {
            let (word, bit) = filtered(hash(bytes));
            if let Some(word) = self.filter.get_mut(word) {
                *word |= 1 << bit;
            }
        }
    }

    /// All places, those that overlap too, by their ends; of those with one end the longest first.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        let mut at = 0;
        // Eight bytes are read at once, and are three bytes at each of six places.
        while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let eight = u64::from_le_bytes(*eight);
            let may_be = |place: usize| self.may_be((eight >> (8 * place)) as u32 & 0xFF_FFFF);
            if (0..PLACES).fold(false, |any, place| any | may_be(place)) {
                for place in (0..PLACES).filter(|place| may_be(*place)) {
                    self.add_hits(bytes, at + place, &mut hits);
                }
            }
            at += PLACES;
        }
        for at in at..bytes.len() {
            self.add_hits(bytes, at, &mut hits);
        }
        hits.sort_unstable_by_key(|hit| (hit.end, hit.start, hit.index));
        hits
    }

    fn may_be(&self, bytes: u32) -> bool {
        let (word, bit) = filtered(hash(bytes));
        self.filter
            .get(word)
            .is_some_and(|word| word >> bit & 1 == 1)
    }

    /// Adds the texts of which the rarest bytes stand at one place.
    #[inline(never)]
    fn add_hits(&self, bytes: &[u8], at: usize, hits: &mut Vec<Hit>) {
        let there = bytes.get(at..).unwrap_or_default();
        if let [first, second, third, ..] = *there {
            let is_pair =
                self.pair_starts.get(usize::from(first)) == Some(&true) && BEHIND_PAIRS.has(third);
            let pairs = self.pairs.iter().filter(|_| is_pair);
            let pairs = pairs.filter(|(pair, _)| pair == &[first, second]);
            hits.extend(pairs.map(|(pair, index)| Hit {
                start: at,
                end: at + pair.len(),
                index: *index,
            }));
            let around = self.with_rarest(packed(first, second, third));
            hits.extend(around.filter_map(|Rarest { before, index, .. }| {
                let start = at.checked_sub(*before)?;
                let text = self.texts.get(*index)?;
                let end = start + text.text.len();
                text.begins(bytes.get(start..)?).then_some(Hit {
                    start,
                    end,
                    index: *index,
                })
            }));
        }
    }

    /// The texts of which these three bytes are the rarest.
    fn with_rarest(&self, bytes: u32) -> impl Iterator<Item = &Rarest> {
        let group = group_of(hash(bytes));
        let range = self.groups.get(group).zip(self.groups.get(group + 1));
        let group = range.and_then(|(from, to)| self.rarest.get(*from..*to));
        let group = group.into_iter().flatten();
        group.filter(move |it| it.bytes == bytes)
    }
}

/// How often three bytes are likely to stand in source code, logs and prose, as a rank: letters of small case are the most frequent,
/// and what repeats itself draws lines.
fn how_common(bytes: [u8; 3]) -> u32 {
    let of_byte = |byte: u8| match byte.to_ascii_lowercase() {
        _ if byte.is_ascii_uppercase() => 3,
        b' ' | b'a' | b'c' | b'e' | b'i' | b'n' | b'o' | b'r' | b's' | b't' => 8,
        b'd' | b'l' | b'm' | b'p' | b'u' => 6,
        b'a'..=b'z' => 4,
        b'-' | b'.' | b'/' | b'0' | b'1' => 3,
        _ => 2,
    };
    let [first, second, third] = bytes;
    let repeats = if first == second && second == third {
        16
    } else {
        0
    };
    bytes.into_iter().map(of_byte).sum::<u32>() + repeats
}

fn other_case(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() {
        byte.to_ascii_uppercase()
    } else {
        byte.to_ascii_lowercase()
    }
}

fn packed(first: u8, second: u8, third: u8) -> u32 {
    u32::from_le_bytes([first, second, third, 0])
}

/// The first bits of a multiplicative hash. With this factor (of MurmurHash3) no three bytes that are frequent, such as those of
/// an indentation, fall together with a beginning.
fn hash(start: u32) -> u32 {
    start.wrapping_mul(0xCC9E_2D51) >> (u32::BITS - FILTER_BITS)
}

/// The word and the bit of the filter.
fn filtered(hash: u32) -> (usize, u32) {
    ((hash / WORD_BITS) as usize, hash % WORD_BITS)
}

fn group_of(hash: u32) -> usize {
    (hash >> (FILTER_BITS - GROUP_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compared(texts: &[Anchor], text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        for start in 0..bytes.len() {
            for (index, anchor) in texts.iter().enumerate() {
                let end = start + anchor.text.len();
                let is_pair = anchor.text.len() == 2;
                let is_of_key = || bytes.get(end).is_some_and(|&byte| BEHIND_PAIRS.has(byte));
                if anchor.begins(&bytes[start..]) && (!is_pair || is_of_key()) {
                    hits.push(Hit { start, end, index });
                }
            }
        }
        hits.sort_by_key(|hit| (hit.end, hit.start, hit.index));
        hits
    }

    proptest! {
        #[test]
        fn texts_are_found_wherever_they_stand(text in "[abcABC-]{0,60}", cases in any::<[bool; 10]>()) {
            let texts = ["ab", "bA", "abc", "c-", "bc-a", "ca", "ab", "--", "cab-", "Cc"];
            let texts = texts.iter().zip(cases).map(|(text, any_case)| Anchor { text, any_case });
            let texts: Vec<Anchor> = texts.collect();
            prop_assert_eq!(Anchors::new(texts.clone()).hits(&text), compared(&texts, &text));
        }

        #[test]
        fn bytes_of_other_letters_are_no_other_texts(text in "[é漢ab😀_]{0,30}") {
            let texts = ["é漢", "a_", "😀b"].map(|text| Anchor { text, any_case: true }).to_vec();
            prop_assert_eq!(Anchors::new(texts.clone()).hits(&text), compared(&texts, &text));
        }
    }
}
