//! What an edit is, and what becomes of it: a plan of splices into the original text.

use std::ops::Range;

use crate::lines::LineCounter;

/// One edit of a text, as a caller states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement<'a> {
    /// The text to be replaced.
    pub old: &'a str,
    /// What takes its place. Taken literally; only line ends become those in use at the place.
    pub new: &'a str,
}

/// How edits are matched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Replace every place instead of refusing when there are several. Default: false.
    pub replace_all: bool,
}

/// A part of the original text and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Byte offsets in the original text.
    pub range: Range<usize>,
    /// The new bytes of that range.
    pub replacement: String,
}

/// How strictly the old text and the text of the file had to be taken to be equal.
///
/// The match levels are tried from the top; a weaker one is only tried when the ones above it find
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchLevel {
    /// The bytes are equal.
    Exact,
    /// CRLF and LF are the same.
    LineEnds,
    /// Blanks before a line end, and the lack of a last line end, do not count.
    TrailingBlanks,
    /// Curly quotes, dashes, special spaces, the ellipsis and composed letters equal their
    /// plain forms.
    Typography,
    /// Whole lines, shifted or indented with other characters, in one consistent way. Refused where only the
    /// old text is shifted: whether the new text is meant as it stands or relative to the old one cannot be determined.
    Indentation,
    /// Whole lines, with other numbers of blank lines between them.
    BlankLines,
    /// Whole lines, with other runs of whitespace inside them.
    InnerBlanks,
    /// After one layer of decoration was taken off.
    Unwrapped,
}

impl MatchLevel {
    /// From 1 (exact) to 8 (unwrapped).
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Exact => 1,
            Self::LineEnds => 2,
            Self::TrailingBlanks => 3,
            Self::Typography => 4,
            Self::Indentation => 5,
            Self::BlankLines => 6,
            Self::InnerBlanks => 7,
            Self::Unwrapped => 8,
        }
    }

    /// The name that results report, such as `exact` or `line-ends`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineEnds => "line-ends",
            Self::TrailingBlanks => "trailing-blanks",
            Self::Typography => "typography",
            Self::Indentation => "indentation",
            Self::BlankLines => "blank-lines",
            Self::InnerBlanks => "inner-blanks",
            Self::Unwrapped => "unwrapped",
        }
    }

    /// What was disregarded, as a phrase for a note: `a match that ignores …`.
    #[must_use]
    pub const fn disregards(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::LineEnds => "the kind of line ends",
            Self::TrailingBlanks => "whitespace at line ends",
            Self::Typography => "typographic forms of characters",
            Self::Indentation => "the indentation",
            Self::BlankLines => "blank lines",
            Self::InnerBlanks => "the number of spaces inside lines",
            Self::Unwrapped => "a decoration around the text",
        }
    }
}

/// The decoration that was taken off at [`MatchLevel::Unwrapped`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decoration {
    /// A line number and a separator before every line, as a read tool prints them.
    LineNumbers,
    /// A Markdown code fence or empty lines around the text.
    Fence,
    /// `-`, `+` or a blank before every line, as in a diff.
    DiffSigns,
    /// `<<<<<<< SEARCH`, `=======` or `>>>>>>> REPLACE` lines around the text.
    ConflictMarkers,
    /// One level of string escapes: `\n`, `\"`, `\\`.
    Escapes,
    /// HTML entities: `&lt;`, `&amp;`, `&quot;`.
    Entities,
}

impl Decoration {
    /// The name that results report, such as `line-numbers`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LineNumbers => "line-numbers",
            Self::Fence => "fence",
            Self::DiffSigns => "diff-signs",
            Self::ConflictMarkers => "conflict-markers",
            Self::Escapes => "escapes",
            Self::Entities => "entities",
        }
    }
}

/// Where and how one edit (or one hunk of a patch) was matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The index of the edit or hunk, from 0.
    pub edit: usize,
    /// How strictly.
    pub match_level: MatchLevel,
    /// What was taken off at [`MatchLevel::Unwrapped`]; `None` at all other levels.
    pub decoration: Option<Decoration>,
    /// The matched bytes of the original text.
    pub range: Range<usize>,
    /// The first matched line of the original text, counted from 1.
    pub first_line: usize,
    /// The last matched line of the original text, counted from 1.
    pub last_line: usize,
}

/// What has to be done to a text. Everything outside the splices stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In ascending order, without overlap.
    pub splices: Vec<Splice>,
    /// One for each place, in the order of the edits; with `replace_all` one edit has several.
    pub matches: Vec<Match>,
}

impl Plan {
    /// The text after the plan. `text` has to be the one that was planned on; splices that do
    /// not fit into it are left out.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self
            .splices
            .iter()
            .map(|splice| splice.replacement.len())
            .sum();
        let mut output = String::with_capacity(text.len().saturating_add(grown));
        let mut position = 0;
        for splice in &self.splices {
            if let Some(kept) = text.get(position..splice.range.start)
                && text.is_char_boundary(splice.range.end)
            {
                output.push_str(kept);
                output.push_str(&splice.replacement);
                position = splice.range.end;
            }
        }
        output.push_str(text.get(position..).unwrap_or_default());
        output
    }

    /// This plan on `text` and then `next` on `middle`, which this one leaves, as one plan on `text`.
    #[must_use]
    pub(crate) fn then(mut self, next: Self, text: &str, middle: &str) -> Self {
        let places = Places::after(&self.splices);
        let splices = places.joined(&next.splices, middle);
        let mut counter = LineCounter::new(text);
        self.matches.extend(next.matches.into_iter().map(|found| {
            let range = places.around(&found.range);
            let lines = counter.lines_of(&range);
            Match {
                range,
                first_line: lines.first,
                last_line: lines.last,
                ..found
            }
        }));
        Self {
            splices,
            matches: self.matches,
        }
    }

    /// What begins the text behind the byte order mark of its file needs no mark of its own: it would be the second one.
    pub fn keep_mark(&mut self, is_marked: bool) {
        let mut first = self.splices.iter_mut().filter(|_| is_marked);
        if let Some(first) = first.find(|splice| splice.range.start == 0)
            && let Some(rest) = first.replacement.strip_prefix('\u{feff}')
        {
            first.replacement = rest.to_owned();
        }
    }

    /// The weakest match level that was needed; [`MatchLevel::Exact`] for an empty plan.
    #[must_use]
    pub fn weakest_rung(&self) -> MatchLevel {
        self.matches
            .iter()
            .map(|found| found.match_level)
            .max()
            .unwrap_or(MatchLevel::Exact)
    }

    /// Whether every place matched byte by byte.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.weakest_rung() == MatchLevel::Exact
    }
}

/// Where the replacements of splices stand afterwards, and what they replaced: pairs of ranges after and before.
struct Places(Vec<(Range<usize>, Range<usize>)>);

impl Places {
    fn after(splices: &[Splice]) -> Self {
        let mut grown = 0;
        let mut shrunk = 0;
        let places = splices.iter().map(|splice| {
            let start = splice.range.start + grown - shrunk;
            grown += splice.replacement.len();
            shrunk += splice.range.len();
            (
                start..start + splice.replacement.len(),
                splice.range.clone(),
            )
        });
        Self(places.collect())
    }

    /// The offset before that belongs to one afterwards, which lies behind the first `count` places.
    fn before(&self, offset: usize, count: usize) -> usize {
        let last = count.checked_sub(1).and_then(|last| self.0.get(last));
        last.map_or(offset, |(after, before)| offset - after.end + before.end)
    }

    /// The range before that became this one; a place of which it has a part is in it as a whole.
    fn around(&self, range: &Range<usize>) -> Range<usize> {
        let begun = self
            .0
            .partition_point(|(after, _)| after.start <= range.start);
        let start = match begun.checked_sub(1).and_then(|last| self.0.get(last)) {
            Some((after, before)) if range.start < after.end => before.start,
            _ => self.before(range.start, begun),
        };
        let begun = self.0.partition_point(|(after, _)| after.start < range.end);
        let end = match begun.checked_sub(1).and_then(|last| self.0.get(last)) {
            Some((after, before)) if range.end <= after.end => before.end,
            _ => self.before(range.end, begun),
        };
        start..end.max(start)
    }

    /// The splices that led here and these on `middle` as ones on the text before. What touches becomes one.
    fn joined(&self, next: &[Splice], middle: &str) -> Vec<Splice> {
        let places = self.0.iter().map(|(after, _)| after.clone());
        let mut touched: Vec<Range<usize>> = places
            .chain(next.iter().map(|splice| splice.range.clone()))
            .collect();
        touched.sort_by_key(|range| (range.start, range.end));
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for range in touched {
            match stretches.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => stretches.push(range),
            }
        }
        stretches
            .into_iter()
            .map(|stretch| self.splice(&stretch, next, middle))
            .collect()
    }

    /// One splice for a stretch of `middle` that cuts no place and no splice.
    fn splice(&self, stretch: &Range<usize>, next: &[Splice], middle: &str) -> Splice {
        let first = self
            .0
            .partition_point(|(after, _)| after.end < stretch.start);
        let behind = self
            .0
            .partition_point(|(after, _)| after.start <= stretch.end);
        let mut replacement = String::new();
        let mut position = stretch.start;
        let inside = next.partition_point(|splice| splice.range.start < stretch.start);
        for splice in next.get(inside..).unwrap_or_default() {
            if splice.range.start > stretch.end {
                break;
            }
            replacement.push_str(middle.get(position..splice.range.start).unwrap_or_default());
            replacement.push_str(&splice.replacement);
            position = splice.range.end;
        }
        replacement.push_str(middle.get(position..stretch.end).unwrap_or_default());
        Splice {
            range: self.before(stretch.start, first)..self.before(stretch.end, behind),
            replacement,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan_on(length: usize, cuts: &[(usize, usize, String)]) -> Plan {
        let mut splices: Vec<Splice> = Vec::new();
        let mut position = 0;
        for (skip, take, replacement) in cuts {
            let start = position + skip;
            let end = start + take;
            // Two splices do not touch, as hunks of a patch do not.
            if end > length || (start == position && !splices.is_empty()) {
                break;
            }
            splices.push(Splice {
                range: start..end,
                replacement: replacement.clone(),
            });
            position = end;
        }
        Plan {
            splices,
            matches: Vec::new(),
        }
    }

    fn cuts() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
        prop::collection::vec((0..5_usize, 0..4_usize, "[x-z]{0,4}"), 0..6)
    }

    proptest! {
        #[test]
        fn two_plans_one_after_the_other_are_one((first, second) in (cuts(), cuts())) {
            let text = "abcdefghijklmnop";
            let first = plan_on(text.len(), &first);
            let middle = first.apply(text);
            let second = plan_on(middle.len(), &second);
            let after = second.apply(&middle);
            let both = first.then(second, text, &middle);
            prop_assert_eq!(both.apply(text), after);
            let pairs = both.splices.iter().zip(both.splices.iter().skip(1));
            for (left, right) in pairs {
                prop_assert!(left.range.end < right.range.start, "{:?}", both.splices);
            }
        }
    }
}
