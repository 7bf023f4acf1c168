//! How a text is written in bytes.

use std::fmt;

use encoding_rs::{EncoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The encoding of a file and whether it starts with a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding {
    pub(crate) encoding: &'static Encoding,
    pub(crate) bom: bool,
    pub(crate) damaged: bool,
    pub(crate) certainty: Certainty,
}

/// How it is known in which encoding a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// By a byte order mark, or because the bytes are valid UTF-8 for the most part.
    Known,
    /// By the bytes, of which there are enough.
    Guessed,
    /// By too few bytes, or bytes that another encoding explains as well.
    Doubtful,
}

impl TextEncoding {
    /// What new files are written in.
    pub const UTF_8: Self = Self {
        encoding: UTF_8,
        bom: false,
        damaged: false,
        certainty: Certainty::Known,
    };

    pub(crate) const fn without_bom(encoding: &'static Encoding) -> Self {
        Self {
            encoding,
            bom: false,
            damaged: false,
            certainty: Certainty::Known,
        }
    }

    /// How sure that is.
    #[must_use]
    pub const fn certainty(self) -> Certainty {
        self.certainty
    }

    /// Whether it was only guessed.
    #[must_use]
    pub const fn is_guessed(self) -> bool {
        !matches!(self.certainty, Certainty::Known)
    }

    /// The name of the WHATWG Encoding Standard, such as `UTF-8`, `UTF-16LE`, `windows-1252`,
    /// `Shift_JIS`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.encoding.name()
    }

    /// Whether the file starts with a byte order mark. The mark is never part of a text.
    #[must_use]
    pub const fn has_bom(self) -> bool {
        self.bom
    }

    /// Whether some bytes are not valid in the encoding. They stand as U+FFFD in the text and stay
    /// as they are when other places of the file are changed.
    #[must_use]
    pub const fn is_damaged(self) -> bool {
        self.damaged
    }

    /// The mark that the file starts with; empty without one.
    pub(crate) fn bom_bytes(self) -> &'static [u8] {
        if !self.bom {
            &[]
        } else if self.encoding == UTF_16LE {
            b"\xFF\xFE"
        } else if self.encoding == UTF_16BE {
            b"\xFE\xFF"
        } else {
            b"\xEF\xBB\xBF"
        }
    }

    /// What the first bytes of a file say by a byte order mark.
    ///
    /// # Errors
    /// The name of an encoding that is not supported.
    pub(crate) fn of_bom(head: &[u8]) -> Result<Option<Self>, &'static str> {
        if head.starts_with(b"\xFF\xFE\0\0") {
            return Err("UTF-32LE");
        }
        if head.starts_with(b"\0\0\xFE\xFF") {
            return Err("UTF-32BE");
        }
        Ok(Encoding::for_bom(head).map(|(encoding, _)| Self {
            encoding,
            bom: true,
            damaged: false,
            certainty: Certainty::Known,
        }))
    }

    /// `text` in this encoding, without a mark.
    ///
    /// # Errors
    /// The first character that the encoding has no form for, or whose form would be read as
    /// another one (the WHATWG encoder of Shift_JIS writes a yen sign as a backslash).
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        if self.encoding == UTF_8 {
            return Ok(text.as_bytes().to_vec());
        }
        if self.encoding == UTF_16LE {
            return Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        }
        if self.encoding == UTF_16BE {
            return Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect());
        }
        let bytes = self.encode_legacy(text)?;
        self.check_reading(text, &bytes)?;
        Ok(bytes)
    }

    fn encode_legacy(self, text: &str) -> Result<Vec<u8>, char> {
        const PIECE_BYTES: usize = 4096;
        let mut encoder = self.encoding.new_encoder();
        let mut rest = text;
        let mut bytes = Vec::with_capacity(text.len());
        let mut piece = [0; PIECE_BYTES];
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(rest, &mut piece, true);
            bytes.extend(piece.iter().take(written));
            rest = rest.get(read..).unwrap_or_default();
            match result {
                EncoderResult::InputEmpty => return Ok(bytes),
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => return Err(character),
            }
        }
    }

    fn check_reading(self, text: &str, bytes: &[u8]) -> Result<(), char> {
        let (read, _) = self.encoding.decode_without_bom_handling(bytes);
        if read == text {
            return Ok(());
        }
        let changed = text
            .chars()
            .zip(read.chars().map(Some).chain(std::iter::repeat(None)))
            .find(|(wanted, read)| Some(*wanted) != *read);
        Err(changed.map_or(char::REPLACEMENT_CHARACTER, |(wanted, _)| wanted))
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
