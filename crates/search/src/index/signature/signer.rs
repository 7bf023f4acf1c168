//! Signing texts.

use memchr::memmem;

use super::{GRAM_BYTES, SPACE_BITS, position};

/// Bytes of a gram that may lie in the part before.
const KEPT_BYTES: usize = GRAM_BYTES - 1;

/// Bytes that are signed at once.
const CHUNK_BYTES: usize = 4096;

/// Words of the set of positions.
const SEEN_WORDS: usize = 1 << (SPACE_BITS - 6);

/// What is known of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The different positions of its grams.
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
    seen: Box<[u64; SEEN_WORDS]>,
    positions: Vec<u32>,
    /// The last bytes, with which grams begin that end in the next part.
    tail: Vec<u8>,
    has_folding: bool,
    is_special: bool,
    bytes: u64,
}

impl Signer {
    pub(crate) fn new() -> Self {
        Self {
            seen: Box::new([0; SEEN_WORDS]),
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
            // The grams that begin in the part before, and nothing twice.
            let next = part.get(..part.len().min(KEPT_BYTES)).unwrap_or_default();
            let joined = [&tail, next].concat();
            self.scan(&joined);
        }
        self.scan(part);
        let kept = if part.len() >= KEPT_BYTES {
            part.get(part.len() - KEPT_BYTES..)
                .unwrap_or_default()
                .to_vec()
        } else {
            let all = [&tail, part].concat();
            all.get(all.len().saturating_sub(KEPT_BYTES)..)
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
        let mut start = 0;
        while start + KEPT_BYTES < text.len() {
            let end = text.len().min(start + CHUNK_BYTES);
            self.scan_chunk(text.get(start..end).unwrap_or_default());
            start = end - KEPT_BYTES;
        }
    }

    /// Takes the grams of at most [`CHUNK_BYTES`]. Whether a gram is new cannot be foretold: there is no branch on it.
    fn scan_chunk(&mut self, text: &[u8]) {
        let mut lower = [0; CHUNK_BYTES];
        let lower = lower.get_mut(..text.len()).unwrap_or_default();
        lower.copy_from_slice(text);
        lower.make_ascii_lowercase();
        let mut found = [0_u32; CHUNK_BYTES];
        let mut count = 0;
        for gram in lower.array_windows::<GRAM_BYTES>() {
            let position = position(*gram);
            let bit = 1_u64 << (position & 63);
            let (Some(word), Some(slot)) = (
                self.seen.get_mut((position >> 6) as usize),
                found.get_mut(count),
            ) else {
                continue;
            };
            *slot = position;
            count += usize::from(*word & bit == 0);
            *word |= bit;
        }
        self.positions
            .extend_from_slice(found.get(..count).unwrap_or_default());
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
