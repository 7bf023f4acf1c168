//! One file, opened and checked. What was checked is what is read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::media::{self, ContentKind, HEAD_BYTES};
use crate::text::encoding::TextEncoding;
use crate::text::page;
use crate::text::stream::StreamFault;
use crate::truncate::wide;
use crate::{Error, FileSnapshot, Located, Metadata, Page, PageRequest, TextFile};

/// A regular file inside the workspace, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    located: Located,
    file: File,
    metadata: Metadata,
}

impl OpenFile {
    pub(crate) const fn new(located: Located, file: File, metadata: Metadata) -> Self {
        Self {
            located,
            file,
            metadata,
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
        Ok(media::content_kind(&self.head()?))
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
        let head = self.head()?;
        let kind = match media::content_kind(&head) {
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
        let bom = TextEncoding::of_bom(&head).map_err(|encoding| Error::Encoding {
            path: self.located.name().into(),
            encoding,
        })?;
        page::read(&self.file, bom, request, cancelled).map_err(|fault| match fault {
            StreamFault::Cancelled => Error::Cancelled,
            StreamFault::Io(error) => self.located.fault("read", error),
        })
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
        if self.metadata.size > max_bytes {
            return Err(too_large(self.metadata.size));
        }
        // The size is a hint: the file may grow, and files of /proc and /sys tell none.
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
        Ok(FileSnapshot::new(
            self.located.clone(),
            self.metadata.clone(),
            bytes,
        ))
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

    fn head(&self) -> Result<Vec<u8>, Error> {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        self.rewound()
            .and_then(|file| file.take(wide(HEAD_BYTES)).read_to_end(&mut head))
            .map_err(|error| self.located.fault("read", error))?;
        Ok(head)
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
