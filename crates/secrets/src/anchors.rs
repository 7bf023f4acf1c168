//! Many short texts that are looked for at once: what secrets begin with, and how their names are written.

/// Bits of the filter for the first three bytes, as a power of two. 16 KB, of which few bits are set, stay in the nearest cache.
const FILTER_BITS: u32 = 17;
const WORD_BITS: u32 = u64::BITS;
const FILTER_WORDS: usize = 1 << (FILTER_BITS - WORD_BITS.ilog2());
/// Groups of texts by their first three bytes, as a power of two.
const GROUP_BITS: u32 = 9;
const GROUPS: usize = 1 << GROUP_BITS;

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

    /// The forms in which these first bytes of it may be written.
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
/// byte through it waits for the one before. Here places are looked up beside each other, and hardly any passes the filter.
pub(crate) struct Anchors {
    texts: Vec<Anchor>,
    /// Which three bytes a text may begin with, by their hash.
    filter: Box<[u64; FILTER_WORDS]>,
    /// The first three bytes of texts with the numbers of the texts, in the order of their groups.
    starts: Vec<(u32, usize)>,
    /// Where each group of the starts begins, and the last one ends.
    groups: Box<[usize; GROUPS + 1]>,
    /// The texts of two bytes.
    pairs: Vec<([u8; 2], usize)>,
}

impl Anchors {
    /// Each of the texts has two bytes at least; shorter ones are never found.
    pub(crate) fn new(texts: Vec<Anchor>) -> Self {
        let (mut starts, mut pairs) = (Vec::new(), Vec::new());
        for (index, anchor) in texts.iter().enumerate() {
            match *anchor.text.as_bytes() {
                [first, second] => pairs.extend(
                    anchor
                        .written([first, second])
                        .into_iter()
                        .map(|start| (start, index)),
                ),
                [first, second, third, ..] => starts.extend(
                    anchor
                        .written([first, second, third])
                        .into_iter()
                        .map(|[first, second, third]| (packed(first, second, third), index)),
                ),
                _ => {}
            }
        }
        starts.sort_unstable_by_key(|(start, index)| (group_of(hash(*start)), *start, *index));
        let groups = Box::new(std::array::from_fn(|group| {
            starts.partition_point(|(start, _)| group_of(hash(*start)) < group)
        }));
        let mut anchors = Self {
            filter: Box::new([0; FILTER_WORDS]),
            groups,
            starts,
            pairs,
            texts,
        };
        anchors.fill_filter();
        anchors
    }

    fn fill_filter(&mut self) {
        let starts = self.starts.iter().map(|(start, _)| *start);
        let pairs = self.pairs.iter().flat_map(|([first, second], _)| {
            (0..=u8::MAX).map(|third| packed(*first, *second, third))
        });
        for start in starts.chain(pairs) {
            let (word, bit) = filtered(hash(start));
            if let Some(word) = self.filter.get_mut(word) {
                *word |= 1 << bit;
            }
        }
    }

    /// All places, those that overlap too, by their ends; of those with one end the longest first.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        // Four bytes, since they are read at once.
        for (at, window) in bytes.windows(4).enumerate() {
            if let [first, second, third, _] = *window
                && self.may_begin(packed(first, second, third))
            {
                self.add_hits(bytes, at, &mut hits);
            }
        }
        for at in bytes.len().saturating_sub(3)..bytes.len() {
            self.add_hits(bytes, at, &mut hits);
        }
        hits.sort_unstable_by_key(|hit| (hit.end, hit.start, hit.index));
        hits
    }

    fn may_begin(&self, start: u32) -> bool {
        let (word, bit) = filtered(hash(start));
        self.filter
            .get(word)
            .is_some_and(|word| word >> bit & 1 == 1)
    }

    /// Adds the texts that stand at one place.
    #[inline(never)]
    fn add_hits(&self, bytes: &[u8], start: usize, hits: &mut Vec<Hit>) {
        let Some(there) = bytes.get(start..) else {
            return;
        };
        if let [first, second, ..] = there {
            let pairs = self.pairs.iter();
            let pairs = pairs.filter(|(pair, _)| pair == &[*first, *second]);
            hits.extend(pairs.map(|(pair, index)| Hit {
                start,
                end: start + pair.len(),
                index: *index,
            }));
        }
        if let [first, second, third, ..] = there {
            let indices = self.beginning(packed(*first, *second, *third));
            hits.extend(indices.filter_map(|index| {
                let text = self.texts.get(index).filter(|text| text.begins(there))?;
                let end = start + text.text.len();
                Some(Hit { start, end, index })
            }));
        }
    }

    /// The numbers of the texts that begin with these three bytes.
    fn beginning(&self, start: u32) -> impl Iterator<Item = usize> {
        let group = group_of(hash(start));
        let range = self.groups.get(group).zip(self.groups.get(group + 1));
        let starts = range.and_then(|(from, to)| self.starts.get(*from..*to));
        let starts = starts.into_iter().flatten();
        starts
            .filter(move |(other, _)| *other == start)
            .map(|(_, index)| *index)
    }
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
                if anchor.begins(&bytes[start..]) {
                    let end = start + anchor.text.len();
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
