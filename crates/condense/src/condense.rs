//! A text, and what of it is shown.

use crate::classes::{Class, classes};
use crate::fold::folded;
use crate::{render, select};

/// What is done to a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most tokens that the shown text has, marks included. Default: no limit.
    pub max_tokens: Option<usize>,
    /// Whether progress, repeats and stack traces are folded even where all would fit. Default: true.
    pub fold: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_tokens: None,
            fold: true,
        }
    }
}

/// What of a text is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condensed {
    /// In the order of the text; together they are all of its lines.
    pub parts: Vec<Part>,
    /// Lines of the text.
    pub lines: usize,
    /// Tokens of the text; of more than a megabyte an estimate from its first part.
    pub tokens_before: usize,
    /// Tokens of what is shown, marks included.
    pub tokens: usize,
}

/// Some lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Lines as they are, with their ends.
    Shown {
        /// The number of the first, counted from 1.
        first: usize,
        /// The lines.
        text: String,
    },
    /// A very long line, of which the middle is not shown.
    Clipped {
        /// Its number, counted from 1.
        line: usize,
        /// Its start.
        start: String,
        /// What is not shown of it.
        omitted: LeftOut,
        /// Its end, with its line end.
        end: String,
    },
    /// Lines that are not shown.
    Omitted(Omission),
}

/// What is not shown of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// So many characters of its middle.
    Characters(usize),
    /// So many bytes of its middle, which was not read.
    Bytes(u64),
    /// All before its end; how much that is was not counted.
    Start,
    /// All behind its start; how much that is was not counted.
    Rest,
}

/// Lines that are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Omission {
    /// The number of the first, counted from 1.
    pub first: usize,
    /// The number of the last.
    pub last: usize,
    /// Why.
    pub why: Why,
}

/// Why lines are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// They say that work goes on.
    Progress,
    /// They are of tests that passed.
    Passed,
    /// They are of tests that were skipped.
    Skipped,
    /// They repeat the `lines` lines above `times` times.
    Repeated {
        /// How many more times.
        times: usize,
        /// How many lines.
        lines: usize,
    },
    /// They are the stack trace that begins in line `first`.
    Trace {
        /// The line, counted from 1.
        first: usize,
    },
    /// They say less than the others, and there was no room.
    Budget,
}

/// What of a text is shown within limits.
#[must_use]
pub fn condense(text: &str, limits: &Limits) -> Condensed {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let bare: Vec<&str> = lines
        .iter()
        .map(|line| line.trim_end_matches(['\n', '\r']))
        .collect();
    let tokens_before = estimated(text);
    let fits = limits.max_tokens.is_none_or(|most| tokens_before <= most);
    if fits && !limits.fold {
        return all(text, lines.len(), tokens_before);
    }
    let classes: Vec<Class> = classes(&bare);
    let why = if limits.fold {
        folded(&bare, &classes)
    } else {
        vec![None; lines.len()]
    };
    let condensed = match limits.max_tokens {
        _ if fits && why.iter().all(Option::is_none) => {
            return all(text, lines.len(), tokens_before);
        }
        Some(most) => select::within(&lines, &classes, why, most),
        None => render::parts(&lines, &why, usize::MAX),
    };
    let mut condensed = Condensed {
        parts: condensed,
        lines: lines.len(),
        tokens_before,
        tokens: 0,
    };
    condensed.tokens = tenon_tokens::count(&condensed.text(Some(render::LONGEST_ADDRESS)));
    condensed
}

/// Bytes from which on tokens are estimated.
const COUNTED_MAX_BYTES: usize = 1024 * 1024;

fn estimated(text: &str) -> usize {
    let Some(start) = text.get(..text.floor_char_boundary(COUNTED_MAX_BYTES)) else {
        return 0;
    };
    let tokens = tenon_tokens::count(start);
    if start.len() == text.len() {
        return tokens;
    }
    tokens.saturating_mul(text.len()) / start.len().max(1)
}

fn all(text: &str, lines: usize, tokens: usize) -> Condensed {
    let shown = Part::Shown {
        first: 1,
        text: text.to_owned(),
    };
    Condensed {
        parts: if text.is_empty() {
            Vec::new()
        } else {
            vec![shown]
        },
        lines,
        tokens_before: tokens,
        tokens,
    }
}

impl Condensed {
    /// Whether anything of the text is not shown.
    #[must_use]
    pub fn omits(&self) -> bool {
        self.parts
            .iter()
            .any(|part| !matches!(part, Part::Shown { .. }))
    }

    /// The same for a text that begins `by` lines into another one: its lines are numbered as lines of that.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        for part in &mut self.parts {
            match part {
                Part::Shown { first, .. } => *first += by,
                Part::Clipped { line, .. } => *line += by,
                Part::Omitted(omission) => {
                    omission.first += by;
                    omission.last += by;
                    if let Why::Trace { first } = &mut omission.why {
                        *first += by;
                    }
                }
            }
        }
        self
    }

    /// How many lines are shown, clipped ones included.
    #[must_use]
    pub fn shown_lines(&self) -> usize {
        let omitted = self.parts.iter().map(|part| match part {
            Part::Omitted(omission) => omission.last + 1 - omission.first,
            Part::Shown { .. } | Part::Clipped { .. } => 0,
        });
        self.lines.saturating_sub(omitted.sum())
    }

    /// How many lines are shown in part.
    #[must_use]
    pub fn clipped_lines(&self) -> usize {
        let is_clipped = |part: &&Part| matches!(part, Part::Clipped { .. });
        self.parts.iter().filter(is_clipped).count()
    }

    /// What was done, in the order `clip`, `fold`, `select`.
    #[must_use]
    pub fn strategy(&self) -> Vec<&'static str> {
        let has = |wanted: fn(&Part) -> bool| self.parts.iter().any(wanted);
        let mut strategy = Vec::new();
        if has(|part| matches!(part, Part::Clipped { .. })) {
            strategy.push("clip");
        }
        if has(|part| matches!(part, Part::Omitted(omission) if omission.why != Why::Budget)) {
            strategy.push("fold");
        }
        if has(|part| matches!(part, Part::Omitted(omission) if omission.why == Why::Budget)) {
            strategy.push("select");
        }
        strategy
    }

    /// What is shown, with a mark for what is not: with the address of its lines, if the whole text has one.
    #[must_use]
    pub fn text(&self, address: Option<&str>) -> String {
        render::text(&self.parts, address)
    }
}
