//! Lines, counted from 1.

use std::fmt;

use tree_sitter::Node;

/// A run of lines, counted from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl LineRange {
    pub(crate) fn of(node: Node<'_>) -> Self {
        Self::between(node, node)
    }

    /// From the start of one node to the end of another.
    pub(crate) fn between(start: Node<'_>, end: Node<'_>) -> Self {
        let first = start.start_position().row + 1;
        let end = end.end_position();
        // What ends with a line end does not reach into the next line.
        let last = if end.column == 0 {
            end.row
        } else {
            end.row + 1
        };
        Self {
            first,
            last: last.max(first),
        }
    }

    /// Those of a node without the blank text at its end.
    pub(crate) fn without_end(node: Node<'_>, blank: &str) -> Self {
        let first = node.start_position().row + 1;
        let last = node.end_position().row + 1 - blank.matches('\n').count();
        Self {
            first,
            last: last.max(first),
        }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}-{}", self.first, self.last)
        }
    }
}
