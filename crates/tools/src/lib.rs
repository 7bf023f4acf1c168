//! The operations: one file or folder each.
