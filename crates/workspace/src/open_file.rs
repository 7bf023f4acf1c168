//! One file, opened and checked. What was checked is what is read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::OnceLock;

use crate::media::{self, ContentKind, HEAD_BYTES};
use crate::platform::file_metadata;
use crate::text::encoding::TextEncoding;
use crate::text::line_marks::Identity;
use crate::text::page;
use crate::text::stream::{Source, StreamFault};
use crate::truncate::wide;
use crate::{Error, FileSnapshot, LineMarks, Located, Metadata, Page, PageRequest, TextFile};

/// A file up to this size is read once, whatever is asked about it.
const HELD_MAX_BYTES: u64 = 256 * 1024;

/// A regular file inside the workspace, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    located: Located,
    file: File,
    metadata: Metadata,
    start: OnceLock<Start>,
    /// Whether it counts as text, whatever its bytes are.
    is_text: bool,
}

/// The first bytes of a file.
#[derive(Debug)]
struct Start {
    bytes: Vec<u8>,
    /// Whether the file ends with them.
    is_whole: bool,
}

impl OpenFile {
    pub(crate) const fn new(located: Located, file: File, metadata: Metadata) -> Self {
        Self {
            located,
            file,
            metadata,
            start: OnceLock::new(),
            is_text: false,
        }
    }

    /// Of a file of which everything was read.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
    pub(crate) fn held(located: Located, file: File, metadata: Metadata, bytes: Vec<u8>) -> Self {
        let start = Start {
            bytes,
            is_whole: true,
        };
        Self {
            start: OnceLock::from(start),
            ..Self::new(located, file, metadata)
        }
    }

    /// The same, taken for text in UTF-8 whatever its bytes are. What a command printed is, with a NUL in it as well.
    #[must_use]
    pub fn as_text(self) -> Self {
        Self {
            is_text: true,
            ..self
        }
    }

    /// Of the file when it was opened.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Where the file is.
    #[must_use]
    pub const fn located(&self) -> &Located {
        &self.located
    }

    /// What the file holds, by its first bytes.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn content_kind(&self) -> Result<ContentKind, Error> {
        if self.is_text {
            return Ok(ContentKind::Text);
        }
        Ok(media::content_kind(self.head()?))
    }

    /// Reads some lines. Memory stays at the page and a buffer, whatever the size of the file; the
    /// whole file is read once to count its lines.
    ///
    /// # Errors
    /// [`Error::Binary`], [`Error::Encoding`], [`Error::Cancelled`], [`Error::Io`]. A first line
    /// past the end is no error; see [`Page::total_lines`].
    pub fn read_page(
        &self,
        request: &PageRequest,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Page, Error> {
        self.read_page_by(&LineMarks::default(), request, cancelled)
    }

    /// The same by marks that earlier pages of large files left: only the first reads the whole file.
    ///
    /// # Errors
    /// As [`read_page`](Self::read_page).
    pub fn read_page_by(
        &self,
        marks: &LineMarks,
        request: &PageRequest,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Page, Error> {
        let head = self.head()?;
        let kind = match self.content_kind()? {
            ContentKind::Text => None,
            ContentKind::Image(format) => Some(format.describe()),
            ContentKind::Binary(kind) => Some(kind.name()),
        };
        if let Some(kind) = kind {
            return Err(Error::Binary {
                path: self.located.name().into(),
                kind,
                size: self.metadata.size,
            });
        }
        let bom = TextEncoding::of_bom(head).map_err(|encoding| Error::Encoding {
            path: self.located.name().into(),
            encoding,
        })?;
        self.page(marks, bom, request, cancelled)
            .map_err(|fault| match fault {
                StreamFault::Cancelled => Error::Cancelled,
                StreamFault::Io(error) => self.located.fault("read", error),
            })
    }

    fn page(
        &self,
        marks: &LineMarks,
        bom: Option<TextEncoding>,
        request: &PageRequest,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Page, StreamFault> {
        let source = self.source();
        let identity = match source {
            Source::File(_) => Identity::of(&self.metadata),
            Source::Held(_) => None,
        };
        // What is found counts only if the file did not change on the way.
        let is_still = |identity: &Identity| {
            file_metadata(&self.file).is_ok_and(|now| Identity::of(&now).as_ref() == Some(identity))
        };
        if let Some(identity) = &identity
            && let Some(outline) = marks.of(identity)
            && let Some(page) = page::read_on(source, &outline, request, cancelled)?
            && is_still(identity)
        {
            return Ok(page);
        }
        let (page, outline) = page::read(source, bom, request, cancelled)?;
        if let (Some(identity), Some(outline)) = (identity, outline)
            && is_still(&identity)
        {
            marks.keep(identity, outline);
        }
        Ok(page)
    }

    /// Reads the whole content, whatever it is.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above `max_bytes`, [`Error::Io`].
    pub fn read_bytes(&self, max_bytes: u64) -> Result<FileSnapshot, Error> {
        let too_large = |size| Error::TooLarge {
            path: self.located.name().into(),
            size,
            limit: max_bytes,
        };
        let drafts = self.located.workspace().drafts();
        if let Some(draft) = drafts.of(self.located.target()) {
            return Ok(self.snapshot(draft));
        }
        if self.metadata.size > max_bytes {
            return Err(too_large(self.metadata.size));
        }
        if let Source::Held(bytes) = self.source() {
            return Ok(self.snapshot(bytes.to_vec()));
        }
        // The size is a hint: the file may grow, and files of /proc and /sys report none.
        let mut bytes = Vec::with_capacity(usize::try_from(self.metadata.size).unwrap_or(0) + 1);
        self.rewound()
            .and_then(|file| {
                file.take(max_bytes.saturating_add(1))
                    .read_to_end(&mut bytes)
            })
            .map_err(|error| self.located.fault("read", error))?;
        if wide(bytes.len()) > max_bytes {
            return Err(too_large(wide(bytes.len())));
        }
        Ok(self.snapshot(bytes))
    }

    /// The text of a small file that was read as a whole, where its bytes are that text and an editor has no other.
    pub(crate) fn held_text(&self) -> Option<&str> {
        let Source::Held(bytes) = self.source() else {
            return None;
        };
        let drafts = self.located.workspace().drafts();
        let is_as_written = media::content_kind(bytes) == ContentKind::Text
            && matches!(TextEncoding::of_bom(bytes), Ok(None))
            && !drafts.holds(self.located.target());
        is_as_written.then(|| std::str::from_utf8(bytes).ok())?
    }

    fn snapshot(&self, bytes: Vec<u8>) -> FileSnapshot {
        FileSnapshot::new(self.located.clone(), self.metadata.clone(), bytes)
    }

    /// Reads the whole content as text, for editing.
    ///
    /// # Errors
    /// As [`read_bytes`](Self::read_bytes), and [`Error::Binary`], [`Error::Encoding`].
    pub fn read_text(&self, max_bytes: u64) -> Result<TextFile, Error> {
        self.read_bytes(max_bytes)?.decode()
    }

    pub(crate) const fn as_file(&self) -> &File {
        &self.file
    }

    fn head(&self) -> Result<&[u8], Error> {
        let start = match self.start.get() {
            Some(start) => start,
            None => {
                let start = self
                    .read_start()
                    .map_err(|error| self.located.fault("read", error))?;
                self.start.get_or_init(|| start)
            }
        };
        Ok(start.bytes.get(..HEAD_BYTES).unwrap_or(&start.bytes))
    }

    /// All of a small file, the head of every other.
    fn read_start(&self) -> std::io::Result<Start> {
        let most = match self.metadata.size {
            // One more, to see the end.
            size @ 1..=HELD_MAX_BYTES => size + 1,
            // Files of /proc and /sys report no size.
            _ => wide(HEAD_BYTES),
        };
        let mut bytes = Vec::with_capacity(usize::try_from(most).unwrap_or(HEAD_BYTES));
        self.rewound()?.take(most).read_to_end(&mut bytes)?;
        let is_whole = wide(bytes.len()) < most;
        Ok(Start { bytes, is_whole })
    }

    /// Where the content is read from.
    fn source(&self) -> Source<'_> {
        match self.start.get() {
            Some(start) if start.is_whole => Source::Held(&start.bytes),
            _ => Source::File(&self.file),
        }
    }

    fn rewound(&self) -> std::io::Result<&File> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

/// Opens and reads a page in one step: [`OpenFile::read_page`].
///
/// # Errors
/// As [`Located::open_file`] and [`OpenFile::read_page`].
pub fn read_page(
    located: &Located,
    request: &PageRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<Page, Error> {
    located.open_file()?.read_page(request, cancelled)
}

/// Opens and reads the whole content in one step: [`OpenFile::read_bytes`].
///
/// # Errors
/// As [`Located::open_file`] and [`OpenFile::read_bytes`].
pub fn read_bytes(located: &Located, max_bytes: u64) -> Result<FileSnapshot, Error> {
    located.open_file()?.read_bytes(max_bytes)
}

/// Opens and reads the whole text in one step: [`OpenFile::read_text`].
///
/// # Errors
/// As [`Located::open_file`] and [`OpenFile::read_text`].
pub fn read_text(located: &Located, max_bytes: u64) -> Result<TextFile, Error> {
    located.open_file()?.read_text(max_bytes)
}
