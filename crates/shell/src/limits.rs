//! Every limit of the reader. Reaching one is an error, never a shorter list of findings.

/// Longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// How many visible constructs (substitutions, groups, compound commands, parameter operands) may be nested.
///
/// The stack of the reader grows with it: at this limit an optimised build needs less than 0.4 MiB, a build without
/// optimisation less than 1.5 MiB, of the 2 MiB that threads have by default.
pub const MAX_DEPTH: usize = 80;

/// Steps granted for each byte of text. Every byte read is a step, so a text that makes the reader go back over
/// the same bytes again and again is given up instead of taking long.
pub const STEPS_PER_BYTE: usize = 40;

/// Steps granted besides, so that short texts are not refused.
pub const STEPS_BASE: usize = 4096;

/// How deep texts may be embedded in texts (`sh -c "sh -c …"`, `eval eval …`). Each level of `eval` is the
/// whole text read again.
pub const MAX_EMBEDDING: usize = 16;

/// How many embedded texts are read for one text.
pub const MAX_EMBEDDED_TEXTS: usize = 256;
