//! Documents as text: what a model reads of a PDF file or a notebook.
//!
//! Pure: bytes and texts in, text out. One piece serves the files of a workspace and the answers of servers, so it
//! takes every input for hostile: pages, bytes, time and nesting are bounded, and a panic below stays below.

mod notebook;
mod parts;
mod pdf;
pub mod superscript;

pub use notebook::{Cell, Notebook, as_text, joined};
pub use parts::parts;
pub use pdf::{PdfError, PdfText, is_pdf, read_pdf};
