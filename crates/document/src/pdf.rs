//! PDF files: the text of their pages, in reading order.
//!
//! The reader of the format is hayro, which interprets what a page draws; the letters and their places come from
//! there, their order is made here. The work runs on a thread of its own with a deep stack, and is ended from outside:
//! every drawing looks whether it should go on.

mod collect;
mod columns;
mod damage;
mod decompression_limit;
mod direction;
mod layout;
mod lines;
mod object_limits;
mod raised;
mod rows;
mod watch;
mod worker;

use std::ops::RangeInclusive;

use tenon_contract::{ErrorCode, ToolError, limits};

pub use worker::read_pdf;

/// What was read of a PDF document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// The title that the document gives itself.
    pub title: Option<String>,
    /// Its pages.
    pub pages: usize,
    /// The pages that were read, counted from 1.
    pub read: RangeInclusive<usize>,
    /// Pages that were asked for and not read, and why.
    pub left_out: Option<(RangeInclusive<usize>, &'static str)>,
    /// The pages under their numbers, and at the end what was left out.
    pub text: String,
}

/// Why nothing can be read of a PDF document.
#[derive(Debug)]
pub enum PdfError {
    /// It is encrypted.
    Encrypted,
    /// It is damaged, or no PDF document.
    Broken,
    /// Its streams unfold to more than is taken.
    TooLarge,
    /// Not even one page was read in time.
    TimeUp,
    /// The pages have no text; whether they hold letters that no code is known of.
    NoText {
        /// Pages without text, counted from 1.
        pages: RangeInclusive<usize>,
        /// Whether there are letters, in fonts that do not say which they are.
        nameless: bool,
    },
    /// The call was given up.
    Stopped,
    /// What was asked for does not fit the document.
    Request(ToolError),
}

impl PdfError {
    /// The failure of a call, about the document `name`.
    #[must_use]
    pub fn report(self, name: &str) -> ToolError {
        let with = |code, reason, message| failure(name, code, reason, message);
        match self {
            Self::Encrypted => with(
                ErrorCode::BinaryFile,
                "encrypted",
                format!(
                    "`{name}` is an encrypted PDF document and cannot be read. Decrypt it first, for example with `qpdf --decrypt`."
                ),
            ),
            Self::Broken => with(
                ErrorCode::Syntax,
                "broken",
                format!(
                    "`{name}` is a damaged PDF document: its pages cannot be found. Get a complete copy, or repair it, for example with `qpdf`."
                ),
            ),
            Self::TooLarge => with(
                ErrorCode::TooLarge,
                "too_large",
                format!(
                    "`{name}` is a PDF document that decompresses to more than {} bytes, which is over the limit.",
                    limits::PDF_STREAM_MAX_BYTES
                ),
            ),
            Self::TimeUp => with(
                ErrorCode::TooLarge,
                "time",
                format!(
                    "No page of the PDF document `{name}` could be read within {} seconds.",
                    limits::PDF_TIME.as_secs()
                ),
            ),
            Self::NoText { pages, nameless } => without_text(name, &pages, nameless),
            Self::Stopped => ToolError::cancelled(),
            Self::Request(error) => error.with("path", name),
        }
    }
}

fn failure(name: &str, code: ErrorCode, reason: &'static str, message: String) -> ToolError {
    ToolError::new(code, message)
        .with("path", name)
        .with("document", "pdf")
        .with("reason", reason)
}

fn without_text(name: &str, pages: &RangeInclusive<usize>, nameless: bool) -> ToolError {
    let which = if pages.start() == pages.end() {
        format!("Page {} of `{name}` has", pages.start())
    } else {
        format!(
            "Pages {} to {} of `{name}` have",
            pages.start(),
            pages.end()
        )
    };
    let (reason, why) = if nameless {
        (
            "nameless_letters",
            "no readable text: the fonts do not say which letters they show",
        )
    } else {
        ("no_text", "no text: a scan, or drawings")
    };
    let message = format!(
        "{which} {why}. Convert the pages to images and view those, or run text recognition (OCR)."
    );
    failure(name, ErrorCode::BinaryFile, reason, message)
}

/// Whether bytes are those of a PDF document, by their first ones.
#[must_use]
pub fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}
