use compact_str::CompactString;

/// A place in a source. Small and copied freely for looking ahead.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// The same, if it is known to be text.
    text: &'a str,
    /// For a derived source: where each byte stands in the text as it was given.
    origins: Option<&'a [usize]>,
    /// Where the source ends in the text as it was given.
    origin_of_end: usize,
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self {
            bytes,
            text,
            origins: None,
            origin_of_end: bytes.len(),
            position: 0,
        }
    }

    /// A cursor over a source that was made from pieces of another one.
    pub(super) fn derived(source: &'a Derived) -> Self {
        Self {
            bytes: &source.bytes,
            text: "",
            origins: Some(&source.origins),
            origin_of_end: source.end,
            position: 0,
        }
    }

    /// The next byte after line continuations, which are taken.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while self.raw() == Some(b'\\') && self.bytes.get(self.position + 1) == Some(&b'\n') {
            self.position += 2;
        }
        self.raw()
    }

    /// Takes the byte that [`Self::peek`] shows.
    pub(super) fn bump(&mut self) {
        if self.peek().is_some() {
            self.position += 1;
        }
    }

    /// The next byte as it is written.
    pub(super) fn raw(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// Takes the byte that [`Self::raw`] shows.
    pub(super) fn bump_raw(&mut self) {
        if self.position < self.bytes.len() {
            self.position += 1;
        }
    }

    /// Takes the bytes that are such ones, as they are written.
    pub(super) fn skip_raw(&mut self, test: impl Fn(u8) -> bool) {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let end = rest.iter().position(|byte| !test(*byte));
        self.position += end.unwrap_or(rest.len());
    }

    /// The byte after the next one.
    pub(super) fn second(&self) -> Option<u8> {
        let mut ahead = *self;
        ahead.bump();
        ahead.peek()
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The bytes between two positions of this source.
    pub(super) fn between(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The text between two positions of this source, between which there are only letters of ASCII.
    pub(super) fn text_between(&self, start: usize, end: usize) -> Option<CompactString> {
        match self.text.get(start..end) {
            Some(text) => Some(text.into()),
            None => CompactString::from_utf8(self.between(start, end)).ok(),
        }
    }

    /// Where the next byte stands in the text as it was given.
    pub(super) fn origin(&self) -> usize {
        match self.origins {
            None => self.position,
            Some(origins) => origins
                .get(self.position)
                .copied()
                .unwrap_or(self.origin_of_end),
        }
    }

    /// Where the byte before the cursor ends in the text as it was given.
    pub(super) fn origin_end(&self) -> usize {
        match self.origins {
            None => self.position,
            Some(origins) => self
                .position
                .checked_sub(1)
                .and_then(|before| origins.get(before))
                .map_or_else(|| self.origin(), |before| before + 1),
        }
    }
}

/// A source made from pieces of another one: the un-escaped text in backticks, the body of a here-document.
#[derive(Default)]
pub(super) struct Derived {
    pub(super) bytes: Vec<u8>,
    pub(super) origins: Vec<usize>,
    pub(super) end: usize,
}

impl Derived {
    /// Adds the bytes at the cursor that are such ones, moves the cursor on and returns how many there were.
    pub(super) fn take_while(
        &mut self,
        cursor: &mut Cursor<'_>,
        is_such: impl Fn(u8) -> bool,
    ) -> usize {
        let from = cursor.position();
        cursor.skip_raw(is_such);
        let to = cursor.position();
        self.bytes.extend_from_slice(cursor.between(from, to));
        match cursor.origins {
            None => self.origins.extend(from..to),
            Some(origins) => {
                let origins = origins.get(from..to).unwrap_or_default();
                self.origins.extend_from_slice(origins);
            }
        }
        to - from
    }

    /// Adds the byte at the cursor and moves the cursor on.
    pub(super) fn take(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(byte) = cursor.raw() {
            self.bytes.push(byte);
            self.origins.push(cursor.origin());
            cursor.bump_raw();
        }
    }
}
