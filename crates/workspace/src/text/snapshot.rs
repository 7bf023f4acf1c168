//! Whole files, as bytes and as text, held as they were at one time.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::encoding::TextEncoding;
use super::guess::Guess;
use super::line_ending::LineEnding;
use crate::media::{self, ContentKind};
use crate::{Error, Located, Metadata};

/// A cryptographic hash of content (BLAKE3). Displayed in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// Of a regular file, wherever it is. Of one with more than `most` bytes, its first `most` bytes, its size and the
    /// time of its last change count.
    ///
    /// # Errors
    /// What the system says, and [`io::ErrorKind::InvalidInput`] for what is not a regular file, which is not opened.
    pub fn of_file(path: &Path, most: u64) -> io::Result<Self> {
        // A pipe would wait.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut content = Vec::new();
        file.take(most).read_to_end(&mut content)?;
        if metadata.len() > most {
            let rest = format!("{} {:?}", metadata.len(), metadata.modified()?);
            content.extend_from_slice(rest.as_bytes());
        }
        Ok(Self::of(&content))
    }

    /// The hash that is shown like this: 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text)
            .ok()
            .map(|hash| Self(hash.into()))
    }

    /// The 32 bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({self})")
    }
}

/// Checked once, so that UTF-8, which nearly all files are, is neither copied nor checked again.
#[derive(Clone)]
enum Bytes {
    Utf8(Arc<String>),
    Other(Arc<Vec<u8>>),
}

/// The bytes of a file at one time. Clones share them.
#[derive(Clone)]
pub struct FileSnapshot {
    located: Located,
    metadata: Metadata,
    bytes: Bytes,
    /// Whether it may be changed although it is read-only.
    is_own: bool,
}

impl FileSnapshot {
    pub(crate) fn new(located: Located, metadata: Metadata, bytes: Vec<u8>) -> Self {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => Bytes::Utf8(Arc::new(text)),
            Err(error) => Bytes::Other(Arc::new(error.into_bytes())),
        };
        Self {
            located,
            metadata,
            bytes,
            is_own: false,
        }
    }

    /// The same file for the one who took the right to write away: it protects from everybody else.
    pub(crate) fn into_own(self) -> Self {
        Self {
            is_own: true,
            ..self
        }
    }

    /// Whether its being read-only protects it.
    pub(crate) const fn is_own(&self) -> bool {
        self.is_own
    }

    /// Where the file is.
    #[must_use]
    pub const fn located(&self) -> &Located {
        &self.located
    }

    /// Of the file when it was opened.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The whole content.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Utf8(text) => text.as_bytes(),
            Bytes::Other(bytes) => bytes,
        }
    }

    /// Hash of the content, computed again at each call.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(self.bytes())
    }

    /// The content as text.
    ///
    /// # Errors
    /// [`Error::Binary`] when it is none, [`Error::Encoding`] when its encoding is not supported.
    pub fn decode(&self) -> Result<TextFile, Error> {
        let path = || self.located.name().to_owned();
        let bytes = self.bytes();
        let kind = match media::content_kind(bytes) {
            ContentKind::Text => None,
            ContentKind::Image(format) => Some(format.describe()),
            ContentKind::Binary(kind) => Some(kind.name()),
        };
        if let Some(kind) = kind {
            return Err(Error::Binary {
                path: path(),
                kind,
                size: crate::truncate::wide(bytes.len()),
            });
        }
        let marked = TextEncoding::of_bom(bytes).map_err(|encoding| Error::Encoding {
            path: path(),
            encoding,
        })?;
        let supposed = marked.unwrap_or(TextEncoding::UTF_8);
        if matches!(self.bytes, Bytes::Utf8(_)) && supposed.encoding == encoding_rs::UTF_8 {
            return Ok(TextFile::new(self.clone(), supposed, None));
        }
        let encoding = match marked {
            Some(encoding) => encoding,
            None => {
                let mut guess = Guess::new();
                guess.feed(bytes, /*is_last*/ true);
                guess.finish()
            }
        };
        let body = bytes.get(encoding.bom_bytes().len()..).unwrap_or_default();
        let (text, damaged) = encoding.encoding.decode_without_bom_handling(body);
        let encoding = TextEncoding {
            damaged,
            ..encoding
        };
        Ok(TextFile::new(
            self.clone(),
            encoding,
            Some(Arc::from(text.as_ref())),
        ))
    }
}

impl fmt::Debug for FileSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileSnapshot")
            .field("path", &self.located.name())
            .field("bytes", &self.bytes().len())
            .finish_non_exhaustive()
    }
}

/// A text file at one time: a view of its bytes in UTF-8, and the way back. Clones share both.
#[derive(Clone)]
pub struct TextFile {
    snapshot: FileSnapshot,
    encoding: TextEncoding,
    line_ending: LineEnding,
    /// The text where it is not a part of the bytes.
    decoded: Option<Arc<str>>,
}

impl TextFile {
    fn new(snapshot: FileSnapshot, encoding: TextEncoding, decoded: Option<Arc<str>>) -> Self {
        let mut file = Self {
            snapshot,
            encoding,
            line_ending: LineEnding::None,
            decoded,
        };
        file.line_ending = LineEnding::of(file.text());
        file
    }

    /// The file and its bytes.
    #[must_use]
    pub const fn snapshot(&self) -> &FileSnapshot {
        &self.snapshot
    }

    /// The text in UTF-8, without the byte order mark, with the line ends of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        match (&self.decoded, &self.snapshot.bytes) {
            (Some(text), _) => text,
            (None, Bytes::Utf8(text)) => text
                .get(self.encoding.bom_bytes().len()..)
                .unwrap_or_default(),
            (None, Bytes::Other(_)) => "",
        }
    }

    /// How the file is written.
    #[must_use]
    pub const fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// How its lines end.
    #[must_use]
    pub const fn line_ending(&self) -> LineEnding {
        self.line_ending
    }
}

impl fmt::Debug for TextFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TextFile")
            .field("snapshot", &self.snapshot)
            .field("encoding", &self.encoding)
            .field("line_ending", &self.line_ending)
            .finish_non_exhaustive()
    }
}
