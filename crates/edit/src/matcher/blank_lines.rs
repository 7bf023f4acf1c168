//! MatchLevel 6: how the new text goes in where the file has other blank lines than the old text.

use std::ops::Range;

use crate::diff::inline_difference;
use crate::error::Unclear;
use crate::fold::{Level, trim_blanks_end};
use crate::lines::{CallLine, LineEnd};
use crate::matcher::output::without_added_last_end;
use crate::matcher::script::{ScriptStep, Slide, script};

/// A line that is less like the one in its place is another line, not another form of it.
const MIN_REWORDED: f64 = 0.6;

/// The blank lines around the solid lines of a match: entry `i` stands before solid line `i`,
/// the last one behind them all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gaps {
    pub(crate) gaps: Vec<Gap>,
    /// The bytes of the file for each solid line, line ends included.
    pub(crate) solid: Vec<Range<usize>>,
}

/// The blank lines at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// How many the old text has.
    pub(crate) call: usize,
    /// How many the file has.
    pub(crate) file: usize,
    /// The bytes of the file.
    pub(crate) bytes: Range<usize>,
}

/// The solid lines of a call, and the number of blank lines before each and behind the last.
pub(crate) struct SolidLines<'a> {
    pub(crate) lines: Vec<CallLine<'a>>,
    pub(crate) blanks: Vec<usize>,
}

impl<'a> SolidLines<'a> {
    pub(crate) fn new(call: &[CallLine<'a>]) -> Self {
        let (mut lines, mut blanks) = (Vec::new(), vec![0]);
        for line in call {
            if line.is_blank() {
                if line.ended
                    && let Some(last) = blanks.last_mut()
                {
                    *last += 1;
                }
            } else {
                lines.push(*line);
                blanks.push(0);
            }
        }
        Self { lines, blanks }
    }
}

/// The new text with the blank lines of the file, where the model left the lines around them
/// in place.
pub(crate) fn merged(
    text: &str,
    range: &Range<usize>,
    gaps: &Gaps,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
) -> Result<String, Unclear> {
    let (old, new) = (SolidLines::new(old), SolidLines::new(new));
    let merge = BlankLineMerge {
        text,
        range,
        gaps,
        old: &old,
        new: &new,
        line_end: LineEnd::in_use_at(text, range.start)
            .unwrap_or(LineEnd::Lf)
            .as_str(),
    };
    let down = merge.along(&script(&old.lines, &new.lines, Slide::Down))?;
    let up = merge.along(&script(&old.lines, &new.lines, Slide::Up))?;
    if down != up {
        return Err(Unclear::Alignment);
    }
    Ok(without_added_last_end(
        text, range, &old.lines, &new.lines, down,
    ))
}

struct BlankLineMerge<'a> {
    text: &'a str,
    range: &'a Range<usize>,
    gaps: &'a Gaps,
    old: &'a SolidLines<'a>,
    new: &'a SolidLines<'a>,
    line_end: &'static str,
}

impl BlankLineMerge<'_> {
    fn along(&self, steps: &[ScriptStep]) -> Result<String, Unclear> {
        let partners = self.partners(steps)?;
        let mut output = String::new();
        for (index, line) in self.new.lines.iter().enumerate() {
            self.push_gap(&mut output, &partners, index)?;
            match partners.get(index) {
                Some(Partner::Kept(old)) => self.push(&mut output, self.file_line(*old)),
                _ => {
                    self.push(&mut output, line.body);
                    if line.ended {
                        self.refuse_mixed_ends()?;
                        output.push_str(self.line_end);
                    }
                }
            }
        }
        self.push_gap(&mut output, &partners, self.new.lines.len())?;
        Ok(output)
    }

    /// Blank lines of the call may stand for others of the file than it means, so with them the line that
    /// the match begins with, whose end new lines get, is not sure.
    fn refuse_mixed_ends(&self) -> Result<(), Unclear> {
        let matched = self.text.get(self.range.clone()).unwrap_or_default();
        let carriages = matched.matches("\r\n").count();
        if carriages > 0 && carriages < matched.matches('\n').count() {
            return Err(Unclear::BlankLines);
        }
        Ok(())
    }

    fn file_line(&self, index: usize) -> &str {
        let place = self.gaps.solid.get(index).cloned().unwrap_or_default();
        self.text.get(place).unwrap_or_default()
    }

    /// Only the last line of a file lacks an end; it gets one as soon as something follows it.
    fn push(&self, output: &mut String, bytes: &str) {
        if !output.is_empty() && !output.ends_with('\n') && !bytes.is_empty() {
            output.push_str(self.line_end);
        }
        output.push_str(bytes);
    }

    /// For each new line the old line that it is or that it replaces. Lines that come or go
    /// have none, and are refused next to a gap in which call and file differ.
    fn partners(&self, steps: &[ScriptStep]) -> Result<Vec<Partner>, Unclear> {
        let mut partners = Vec::new();
        for step in steps {
            if matches!(step, ScriptStep::Change { .. }) {
                self.refuse_respelt()?;
            }
            match step {
                ScriptStep::Keep { old, .. } => partners.extend(old.clone().map(Partner::Kept)),
                ScriptStep::Change { old, new } if self.is_rewording(old, new) => {
                    partners.extend(old.clone().map(Partner::Replaced));
                }
                ScriptStep::Change { old, new } => {
                    let touched = self.gaps.gaps.get(old.start..=old.end).unwrap_or_default();
                    if touched.iter().any(|gap| gap.call != gap.file) {
                        return Err(Unclear::BlankLines);
                    }
                    partners.extend(new.clone().map(|_| Partner::None));
                }
            }
        }
        Ok(partners)
    }

    /// Whether each of the new lines is another form of the old line at its place.
    fn is_rewording(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        let (old, new) = (
            self.old.lines.get(old.clone()),
            self.new.lines.get(new.clone()),
        );
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let is_alike = |(old, new): (&CallLine<'_>, &CallLine<'_>)| {
            inline_difference(old.body.trim(), new.body.trim()).similarity >= MIN_REWORDED
        };
        old.len() == new.len() && old.iter().zip(new).all(is_alike)
    }

    /// The gap of the old text that the gap before new line `index` is, if it is one.
    fn old_gap(&self, partners: &[Partner], index: usize) -> Option<&Gap> {
        let before = match index.checked_sub(1) {
            None => Some(0),
            Some(previous) => partners.get(previous)?.old().map(|old| old + 1),
        };
        let after = match partners.get(index) {
            None => Some(self.old.lines.len()),
            Some(partner) => partner.old(),
        };
        (before.is_some() && before == after)
            .then(|| self.gaps.gaps.get(before?))
            .flatten()
    }

    /// Changes in a text that the file spells otherwise are left to the other levels.
    fn refuse_respelt(&self) -> Result<(), Unclear> {
        for (index, line) in self.old.lines.iter().enumerate() {
            let call = line.body;
            let file = self.file_line(index);
            if trim_blanks_end(call, Level::Typography)
                != trim_blanks_end(file.trim_end_matches(['\r', '\n']), Level::Typography)
            {
                return Err(Unclear::Alignment);
            }
        }
        Ok(())
    }

    fn push_gap(
        &self,
        output: &mut String,
        partners: &[Partner],
        index: usize,
    ) -> Result<(), Unclear> {
        let wanted = self.new.blanks.get(index).copied().unwrap_or_default();
        let Some(gap) = self.old_gap(partners, index) else {
            // The blank lines of the old text were wrong, so those around added lines may be.
            return if wanted == 0 {
                Ok(())
            } else {
                Err(Unclear::BlankLines)
            };
        };
        // At its two ends the old text does not show whether blank lines go on beyond it.
        let is_edge = index == 0 || index == self.new.lines.len();
        if is_edge && wanted != gap.call {
            return Err(Unclear::BlankLines);
        }
        let is_replaced = |at: Option<&Partner>| {
            at.is_some_and(|partner| matches!(partner, Partner::Replaced(_)))
        };
        let before = index
            .checked_sub(1)
            .and_then(|previous| partners.get(previous));
        let lost = is_replaced(before) && is_replaced(partners.get(index));
        if gap.call == gap.file || (!lost && (wanted == gap.call || wanted == gap.file)) {
            let bytes = self.text.get(gap.bytes.clone()).unwrap_or_default();
            if wanted == gap.call || wanted == gap.file {
                self.push(output, bytes);
            } else if bytes == self.line_end.repeat(gap.file) {
                self.push(output, &self.line_end.repeat(wanted));
            } else {
                return Err(Unclear::BlankLines);
            }
            return Ok(());
        }
        Err(Unclear::BlankLines)
    }
}

#[derive(Debug, Clone, Copy)]
enum Partner {
    Kept(usize),
    Replaced(usize),
    None,
}

impl Partner {
    const fn old(self) -> Option<usize> {
        match self {
            Self::Kept(old) | Self::Replaced(old) => Some(old),
            Self::None => None,
        }
    }
}
