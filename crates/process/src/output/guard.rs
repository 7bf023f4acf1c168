//! What outputs pass before they reach a file or a reader.

use std::borrow::Cow;
use std::fmt::Debug;

/// Changes what is kept of outputs: takes secrets out of them, for one.
pub trait OutputGuard: Send + Sync + Debug {
    /// What one output passes on its way to a file.
    fn filter(&self) -> Box<dyn OutputFilter>;

    /// How many bytes at the end of a text that continues are better not shown before more has come.
    fn unfinished(&self, text: &str) -> usize;

    /// What a terminal of so many columns shows: what does not fit into a line goes on in the next one.
    fn screen(&self, text: &str, columns: u16) -> String;
}

/// One output on its way to a file.
pub trait OutputFilter: Send + Debug {
    /// What can be written now that these bytes have come.
    fn push<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]>;

    /// What is left at the end of the output.
    fn finish(&mut self) -> Vec<u8>;
}
