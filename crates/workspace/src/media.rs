//! What a file holds, by its first bytes. Names and endings of files are not asked.

use crate::dimensions;

/// How many bytes of a file are looked at.
pub(crate) const HEAD_BYTES: usize = 8 * 1024;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// Text, in an encoding yet to be found; also an empty file.
    Text,
    /// An image that models can be shown.
    Image(ImageFormat),
    /// Anything else.
    Binary(BinaryKind),
}

/// Image formats that models can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
    /// Windows bitmap.
    Bmp,
}

impl ImageFormat {
    /// The media type, such as `image/png`.
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
        }
    }

    /// In a sentence, with its article.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Gif => "a GIF image",
            Self::WebP => "a WebP image",
            Self::Bmp => "a BMP image",
        }
    }
}

/// A kind of content that is neither text nor an image for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BinaryKind(&'static str);

impl BinaryKind {
    const UNKNOWN: Self = Self("binary data");

    /// In a sentence, with its article, such as `a ZIP archive`; `binary data` when not known.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// Whether it is a PDF document, of which text can be read.
    #[must_use]
    pub fn is_pdf(self) -> bool {
        self.0 == PDF
    }
}

/// Format and size of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageFacts {
    /// The format, by content.
    pub format: ImageFormat,
    /// Width in pixels as stored (an EXIF orientation is not applied).
    pub width: u32,
    /// Height in pixels as stored.
    pub height: u32,
}

/// Format and size of an image that is held whole; `None` when the bytes are none of the known
/// formats or end before the size is reported.
#[must_use]
pub fn image_facts(bytes: &[u8]) -> Option<ImageFacts> {
    let format = image_format(bytes)?;
    let (width, height) = match format {
        ImageFormat::Png => dimensions::png(bytes),
        ImageFormat::Jpeg => dimensions::jpeg(bytes),
        ImageFormat::Gif => dimensions::gif(bytes),
        ImageFormat::WebP => dimensions::webp(bytes),
        ImageFormat::Bmp => dimensions::bmp(bytes),
    }?;
    Some(ImageFacts {
        format,
        width,
        height,
    })
}

/// What a file holds that starts with `head`. Eight KiB are enough; fewer only for smaller files.
#[must_use]
pub fn content_kind(head: &[u8]) -> ContentKind {
    let head = head.get(..HEAD_BYTES).unwrap_or(head);
    if is_late_pdf(head) {
        return ContentKind::Binary(BinaryKind(PDF));
    }
    if has_text_mark(head) {
        return ContentKind::Text;
    }
    if let Some(format) = image_format(head) {
        return ContentKind::Image(format);
    }
    let has_nul = memchr::memchr(0, head).is_some();
    if let Some(name) = known_kind(head, has_nul) {
        return ContentKind::Binary(BinaryKind(name));
    }
    if has_nul || has_many_controls(head) {
        return ContentKind::Binary(BinaryKind::UNKNOWN);
    }
    ContentKind::Text
}

/// A PDF document behind other bytes: its first line may begin within the first 1024 (ISO 32000-1, annex H.3.4.1). A text about such
/// documents has it too, but is text as a whole.
fn is_late_pdf(head: &[u8]) -> bool {
    const LATEST: usize = 1024;
    let start = head.get(..LATEST).unwrap_or(head);
    let Some(at) =
        memchr::memmem::find(start, b"%PDF-1.").or_else(|| memchr::memmem::find(start, b"%PDF-2."))
    else {
        return false;
    };
    let before = head.get(..at).unwrap_or_default();
    let is_blank = before
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(before)
        .trim_ascii()
        .is_empty();
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    };
    is_blank
        || !is_text
            && before
                .last()
                .is_none_or(|&last| last == b'\n' || last == b'\r')
}

/// A byte order mark of UTF-8, UTF-16 or UTF-32.
fn has_text_mark(head: &[u8]) -> bool {
    head.starts_with(b"\xEF\xBB\xBF")
        || head.starts_with(b"\xFF\xFE")
        || head.starts_with(b"\xFE\xFF")
        || head.starts_with(b"\0\0\xFE\xFF")
}

fn image_format(head: &[u8]) -> Option<ImageFormat> {
    let format = if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        ImageFormat::Png
    } else if head.starts_with(b"\xFF\xD8\xFF") {
        ImageFormat::Jpeg
    } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        ImageFormat::Gif
    } else if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        ImageFormat::WebP
    } else if head.starts_with(b"BM") && dimensions::bmp(head).is_some() {
        ImageFormat::Bmp
    } else {
        return None;
    };
    Some(format)
}

/// Where a mark stands, what it is, what it means, and whether text could start like this, so that
/// a NUL byte must confirm it.
type Mark = (usize, &'static [u8], &'static str, bool);

/// The one kind of which text can be read.
const PDF: &str = "a PDF document";

const MARKS: &[Mark] = &[
    (0, b"\x7fELF", "an ELF program or library", false),
    (0, b"MZ", "a Windows program or library", true),
    (0, b"\xFE\xED\xFA\xCE", "a Mach-O program or library", false),
    (0, b"\xFE\xED\xFA\xCF", "a Mach-O program or library", false),
    (0, b"\xCE\xFA\xED\xFE", "a Mach-O program or library", false),
    (0, b"\xCF\xFA\xED\xFE", "a Mach-O program or library", false),
    (
        0,
        b"\xCA\xFE\xBA\xBE",
        "a Java class or universal Mach-O file",
        false,
    ),
    (0, b"\0asm", "a WebAssembly module", false),
    (0, b"BC\xC0\xDE", "LLVM bitcode", false),
    (0, b"dex\n0", "an Android DEX file", true),
    (
        0,
        b"!<arch>\n",
        "an ar archive (static library or Debian package)",
        true,
    ),
    (0, b"PK\x03\x04", "a ZIP archive", false),
    (0, b"PK\x05\x06", "an empty ZIP archive", false),
    (0, b"\x1f\x8b", "gzip-compressed data", false),
    (0, b"BZh", "bzip2-compressed data", true),
    (0, b"\xFD7zXZ\0", "xz-compressed data", false),
    (0, b"\x28\xB5\x2F\xFD", "Zstandard-compressed data", false),
    (0, b"\x04\x22\x4D\x18", "LZ4-compressed data", false),
    (0, b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive", false),
    (0, b"Rar!\x1a\x07", "a RAR archive", false),
    (0, b"MSCF\0\0\0\0", "a Cabinet archive", false),
    (257, b"ustar", "a tar archive", true),
    (0, b"%PDF-", PDF, false),
    (
        0,
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "a legacy Office document",
        false,
    ),
    (0, b"SQLite format 3\0", "an SQLite database", false),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", false),
    (0, b"\x93NUMPY", "a NumPy array", false),
    (0, b"PAR1", "a Parquet file", true),
    (0, b"PACK\0\0\0", "a git pack", false),
    (0, b"II*\0", "a TIFF image", false),
    (0, b"MM\0*", "a TIFF image", false),
    (0, b"\0\0\x01\0", "a Windows icon", false),
    (0, b"8BPS", "a Photoshop image", true),
    (4, b"ftypheic", "a HEIC image", false),
    (4, b"ftypavif", "an AVIF image", false),
    (4, b"ftyp", "an MP4 or QuickTime video", true),
    (0, b"\x1A\x45\xDF\xA3", "a Matroska or WebM video", false),
    (8, b"WAVEfmt ", "WAVE audio", true),
    (8, b"AVI LIST", "an AVI video", true),
    (0, b"OggS\0", "Ogg audio or video", false),
    (0, b"fLaC\0", "FLAC audio", false),
    (0, b"ID3", "MP3 audio", true),
    (0, b"wOFF", "a web font", true),
    (0, b"wOF2", "a web font", true),
    (0, b"OTTO\0", "an OpenType font", false),
    (0, b"\0\x01\0\0\0", "a TrueType font", false),
];

/// Documents that are ZIP archives, by the names of what is in them: those of the first entries stand near the start.
const PACKED: &[(&[u8], &str)] = &[
    (b"mimetypeapplication/epub+zip", "an EPUB book"),
    (
        b"mimetypeapplication/vnd.oasis.opendocument.",
        "an OpenDocument file",
    ),
    (b"word/", "a Word document"),
    (b"xl/", "an Excel workbook"),
    (b"ppt/", "a PowerPoint presentation"),
    (b"META-INF/MANIFEST.MF", "a Java archive"),
];

fn packed_kind(head: &[u8]) -> Option<&'static str> {
    let is_office = memchr::memmem::find(head, b"[Content_Types].xml").is_some()
        || memchr::memmem::find(head, b"_rels/.rels").is_some();
    let has = |(name, _): &&(&[u8], &str)| {
        (is_office || !name.ends_with(b"/")) && memchr::memmem::find(head, name).is_some()
    };
    PACKED.iter().find(has).map(|(_, kind)| *kind)
}

fn known_kind(head: &[u8], has_nul: bool) -> Option<&'static str> {
    if head.starts_with(b"PK\x03\x04")
        && let Some(kind) = packed_kind(head)
    {
        return Some(kind);
    }
    MARKS
        .iter()
        .find(|(offset, mark, _, ambiguous)| {
            (has_nul || !ambiguous)
                && head
                    .get(*offset..)
                    .is_some_and(|from| from.starts_with(mark))
        })
        .map(|(_, _, name, _)| *name)
}

/// Text has next to no control characters besides blanks, line ends and the escape of terminals.
/// Valid UTF-8 is given more room: logs of terminals hold some.
fn has_many_controls(head: &[u8]) -> bool {
    let is_control = |byte: &u8| matches!(byte, 0x00..=0x06 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    // Sums that fit into a byte are made for many bytes at once.
    let few = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| u8::from(is_control(byte)))
            .sum::<u8>()
    };
    let controls: usize = head.chunks(255).map(|bytes| usize::from(few(bytes))).sum();
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let percent = if is_utf8 { 30 } else { 2 };
    controls * 100 > head.len() * percent
}

#[cfg(test)]
#[path = "media_tests.rs"]
mod tests;
