//! What of a long text a model is shown.
//!
//! - Lines of progress (`Compiling a v1.0`, `Get:7 …`, `[ 12%] Building …`) and of tests that passed or were skipped are folded to one.
//! - Repeated lines and blocks are shown once and counted; a stack trace that was shown is referred to.
//! - If the rest exceeds a budget of tokens, lines are chosen by value: errors with the lines around them, summaries, both
//!   ends, warnings, changed lines of diffs, then what was not said before.
//!
//! Every line that is shown is a line of the text, in its order; what is not shown is named by its line numbers, so that
//! it can be opened.
//!
//! ```
//! use tenon_condense::{Limits, condense};
//!
//! let text = format!("start\n{}error: no `main`\n", "   Compiling a v1.0.0\n".repeat(50));
//! let condensed = condense(&text, &Limits::default());
//! assert_eq!(
//!     condensed.text(Some("output://1")),
//!     "start\n   Compiling a v1.0.0\n[… 49 lines of progress: `output://1:3-51`]\nerror: no `main`\n"
//! );
//! ```

mod classes;
mod condense;
mod fold;
mod frames;
mod progress;
mod render;
mod select;

pub use condense::{Condensed, LeftOut, Limits, Omission, Part, Why, condense};
