//! Numbers and texts as bytes.

/// Writes.
#[derive(Debug, Default)]
pub(crate) struct ByteWriter(pub(crate) Vec<u8>);

impl ByteWriter {
    pub(crate) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(crate) fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn long(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn time(&mut self, (seconds, nanoseconds): (i64, i64)) {
        self.0.extend_from_slice(&seconds.to_le_bytes());
        self.0.extend_from_slice(&nanoseconds.to_le_bytes());
    }

    /// How many of something follow.
    pub(crate) fn count(&mut self, count: usize) {
        self.long(count as u64);
    }

    pub(crate) fn text(&mut self, text: &[u8]) {
        self.count(text.len());
        self.0.extend_from_slice(text);
    }
}

/// Reads; nothing where the bytes end too early.
#[derive(Debug)]
pub(crate) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn chunk<const LENGTH: usize>(&mut self) -> Option<[u8; LENGTH]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.chunk().map(|[byte]| byte)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn word(&mut self) -> Option<u32> {
        self.chunk().map(u32::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        self.chunk().map(u64::from_le_bytes)
    }

    pub(crate) fn time(&mut self) -> Option<(i64, i64)> {
        let seconds = self.chunk().map(i64::from_le_bytes)?;
        Some((seconds, self.chunk().map(i64::from_le_bytes)?))
    }

    /// How many follow, each of which takes `least` bytes or more: never more than there can be.
    pub(crate) fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.long()?).ok()?;
        (count.checked_mul(least.max(1))? <= self.0.len()).then_some(count)
    }

    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.count(1)?;
        self.take(length)
    }
}
