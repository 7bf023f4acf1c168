//! A place in the file that matches the old text of a call.

use std::ops::Range;

use crate::lines::{CallLine, line_start};
use crate::matcher::blank_lines::Gaps;
use crate::matcher::indentation::IndentationMap;
use crate::plan::MatchLevel;

/// A match: where it is, how it was made, and which line of the file each line of the call is.
#[derive(Debug, Clone)]
pub(crate) struct LocatedMatch {
    pub(crate) match_level: MatchLevel,
    pub(crate) range: Range<usize>,
    /// The bytes of the file for each line of the call, line ends included.
    pub(crate) places: Vec<Range<usize>>,
    /// The map of the indentation; only at [`MatchLevel::Indentation`].
    pub(crate) indentation: Option<IndentationMap>,
    /// Where blank lines differ; only at [`MatchLevel::BlankLines`].
    pub(crate) gaps: Option<Gaps>,
}

impl LocatedMatch {
    /// The place between two lines, with none of them.
    pub(crate) const fn nothing_at(offset: usize) -> Self {
        Self::exact_at(offset..offset)
    }

    /// A place that is equal byte by byte, its lines left out.
    pub(crate) const fn exact_at(range: Range<usize>) -> Self {
        Self {
            match_level: MatchLevel::Exact,
            range,
            places: Vec::new(),
            indentation: None,
            gaps: None,
        }
    }

    /// A match of levels 1 to 4: the lines of the range are those of the call, one by one.
    /// `None` if they are not, which no equal views can bring about.
    pub(crate) fn in_view(
        text: &str,
        match_level: MatchLevel,
        range: Range<usize>,
        call: &[CallLine<'_>],
    ) -> Option<Self> {
        let mut places = Vec::with_capacity(call.len());
        let mut start = range.start;
        for piece in text.get(range.clone())?.split_inclusive('\n') {
            places.push(start..start + piece.len());
            start += piece.len();
        }
        let missing = call.len().checked_sub(places.len())?;
        if missing > 1 {
            return None;
        }
        places.extend((0..missing).map(|_| range.end..range.end));
        Some(Self {
            match_level,
            range,
            places,
            indentation: None,
            gaps: None,
        })
    }

    /// The start of the line of the file that holds the first line of the call that is not
    /// blank: two matches with the same anchor are the same place.
    pub(crate) fn anchor(&self, text: &str, call: &[CallLine<'_>]) -> usize {
        let first = call.iter().position(|line| !line.is_blank()).unwrap_or(0);
        let solid = self.gaps.as_ref().and_then(|gaps| gaps.solid.first());
        let place = solid.or_else(|| self.places.get(first));
        let start = place.map_or(self.range.start, |place| place.start);
        line_start(text, start)
    }
}
