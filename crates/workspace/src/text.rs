//! Text in files: encodings, line ends, pages, whole texts and replacements in them.

pub(crate) mod encoding;
pub(crate) mod guess;
pub(crate) mod line_ending;
pub(crate) mod line_marks;
pub(crate) mod page;
pub(crate) mod page_builder;
pub(crate) mod readings;
pub(crate) mod snapshot;
pub(crate) mod splice;
pub(crate) mod stream;
pub(crate) mod units;
