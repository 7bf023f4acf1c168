//! How the lines of a text end.

use std::fmt;

/// How the lines of a whole text end. A CR alone ends no line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// There is no line end.
    None,
    /// All are LF.
    Lf,
    /// All are CR LF.
    CrLf,
    /// Both occur.
    Mixed,
}

impl LineEnding {
    /// Of a whole text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut count = LineEndCount::default();
        count.feed(text.as_bytes());
        count.ending()
    }

    /// A text with the line ends of this kind; with LF where this is none or both.
    #[must_use]
    pub fn applied_to(self, text: &str) -> String {
        let plain = text.replace("\r\n", "\n");
        match self {
            Self::CrLf => plain.replace('\n', "\r\n"),
            Self::None | Self::Lf | Self::Mixed => plain,
        }
    }

    /// As it stands in details: `none`, `lf`, `crlf`, `mixed`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for LineEnding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Counts line ends over a text that comes in pieces.
#[derive(Debug, Default, Clone)]
pub(crate) struct LineEndCount {
    /// LF, with or without a CR before it.
    pub(crate) newlines: u64,
    crlf: u64,
    /// The last byte so far.
    pub(crate) last: Option<u8>,
}

impl LineEndCount {
    /// Counts the next piece; answers its number of line ends.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> u64 {
        let Some(last) = piece.last() else {
            return 0;
        };
        let newlines = crate::truncate::wide(memchr::memchr_iter(b'\n', piece).count());
        self.newlines += newlines;
        if self.last == Some(b'\r') && piece.first() == Some(&b'\n') {
            self.crlf += 1;
        }
        // Most texts hold no CR at all: one more look at memory speed, no look at each line.
        let pairs = memchr::memchr_iter(b'\r', piece)
            .filter(|at| piece.get(at + 1) == Some(&b'\n'))
            .count();
        self.crlf += crate::truncate::wide(pairs);
        self.last = Some(*last);
        newlines
    }

    /// Lines so far; a newline at the end opens none.
    pub(crate) fn lines(&self) -> u64 {
        self.newlines + u64::from(self.last.is_some_and(|last| last != b'\n'))
    }

    pub(crate) const fn ending(&self) -> LineEnding {
        match (self.newlines, self.crlf) {
            (0, _) => LineEnding::None,
            (_, 0) => LineEnding::Lf,
            (newlines, crlf) if newlines == crlf => LineEnding::CrLf,
            _ => LineEnding::Mixed,
        }
    }
}
