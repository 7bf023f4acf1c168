//! How the new text of an edit goes in: lines that the model left alone keep the bytes of the
//! file, changed and new lines come from the new text through the inverse of the rung's map.

use std::ops::Range;

use crate::error::Unclear;
use crate::fold::{Level, trim_blanks_end};
use crate::lines::{CallLine, LineEnd, indentation};
use crate::matcher::indentation::IndentationMap;
use crate::matcher::script::{Slide, Step, script};
use crate::matcher::tokens::ChangedLines;

/// A match, ready to take in the new text.
pub(crate) struct Merge<'a> {
    pub(crate) text: &'a str,
    pub(crate) range: Range<usize>,
    pub(crate) old: &'a [CallLine<'a>],
    pub(crate) new: &'a [CallLine<'a>],
    /// The bytes of the file for each old line, its end included.
    pub(crate) places: &'a [Range<usize>],
    pub(crate) indentation: Option<&'a IndentationMap>,
    /// Whether new lines keep the line ends they have, instead of getting those in use.
    pub(crate) literal_ends: bool,
}

impl Merge<'_> {
    /// The bytes that replace the matched range.
    pub(crate) fn merged(&self) -> Result<String, Unclear> {
        let down = script(self.old, self.new, Slide::Down);
        let up = script(self.old, self.new, Slide::Up);
        let merged = self.with_steps(&down)?;
        if down != up && self.with_steps(&up)? != merged {
            return Err(Unclear::Alignment);
        }
        Ok(merged)
    }

    /// The same along a given way from the old lines to the new ones, as a patch states it.
    pub(crate) fn with_steps(&self, steps: &[Step]) -> Result<String, Unclear> {
        let line_end = LineEnd::in_use_at(self.text, self.range.start);
        let mut output = Output {
            text: String::new(),
            pending: false,
            line_end,
        };
        for step in steps {
            match step {
                Step::Keep { old, .. } => {
                    for index in old.clone() {
                        self.keep(&mut output, index);
                    }
                }
                Step::Change { old, new } => self.change(&mut output, old, new)?,
            }
        }
        Ok(without_added_last_end(
            self.text,
            &self.range,
            self.old,
            self.new,
            output.text,
        ))
    }

    fn keep(&self, output: &mut Output, index: usize) {
        let place = self.places.get(index).cloned().unwrap_or_default();
        let bytes = self.text.get(place).unwrap_or_default();
        if bytes.is_empty() {
            return;
        }
        let ended = self.old.get(index).is_some_and(|line| line.ended);
        output.push(bytes);
        output.pending = ended && !bytes.ends_with('\n');
    }

    fn change(
        &self,
        output: &mut Output,
        old: &Range<usize>,
        new: &Range<usize>,
    ) -> Result<(), Unclear> {
        let new_lines = self.new.get(new.clone()).unwrap_or_default();
        let bodies = self.bodies(old, new_lines)?;
        for (line, body) in new_lines.iter().zip(bodies) {
            let whole = format!("{}{body}", self.indentation_of(line)?);
            output.push(&whole);
            if line.ended {
                let literal = if line.carriage {
                    LineEnd::CrLf
                } else {
                    LineEnd::Lf
                };
                output.end_line(self.literal_ends.then_some(literal));
            }
        }
        Ok(())
    }

    /// The new lines without their indentation, in the spelling of the file.
    fn bodies(&self, old: &Range<usize>, new: &[CallLine<'_>]) -> Result<Vec<String>, Unclear> {
        let changed = ChangedLines {
            old: old.clone().map(|index| self.old_body(index)).collect(),
            file: old.clone().map(|index| self.file_body(index)).collect(),
            new: new.iter().map(|line| self.mapped_part(line.body)).collect(),
        };
        if new.is_empty() || !changed.is_needed() {
            return Ok(changed.new.into_iter().map(str::to_owned).collect());
        }
        changed.mapped()
    }

    fn old_body(&self, index: usize) -> &str {
        let body = self.old.get(index).map_or("", |line| line.body);
        trim_blanks_end(self.mapped_part(body), Level::Typography)
    }

    fn file_body(&self, index: usize) -> &str {
        let place = self.places.get(index).cloned().unwrap_or_default();
        let line = self.text.get(place).unwrap_or_default();
        let body = line.strip_suffix('\n').unwrap_or(line);
        let body = body.strip_suffix('\r').unwrap_or(body);
        trim_blanks_end(self.mapped_part(body), Level::Typography)
    }

    /// What of a line goes through the spelling of the file: all of it, unless the indentation
    /// has a map of its own.
    fn mapped_part<'b>(&self, body: &'b str) -> &'b str {
        let skipped = if self.indentation.is_some() {
            indentation(body).len()
        } else {
            0
        };
        body.get(skipped..).unwrap_or_default()
    }

    fn indentation_of(&self, line: &CallLine<'_>) -> Result<String, Unclear> {
        match self.indentation {
            Some(map) if !line.body.is_empty() => {
                map.map(line.indentation()).ok_or(Unclear::Indentation)
            }
            _ => Ok(String::new()),
        }
    }
}

/// A file whose last line has no end keeps it so, even if both texts of the call have one.
pub(crate) fn without_added_last_end(
    text: &str,
    range: &Range<usize>,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
    mut merged: String,
) -> String {
    let both_ended =
        old.last().is_some_and(|line| line.ended) && new.last().is_some_and(|line| line.ended);
    if both_ended && range.end == text.len() && !text.ends_with('\n') && merged.ends_with('\n') {
        merged.pop();
        if merged.ends_with('\r') {
            merged.pop();
        }
    }
    merged
}

/// The text under construction. A line of the file that lacks its end gets one as soon as
/// something follows it.
struct Output {
    text: String,
    pending: bool,
    line_end: Option<LineEnd>,
}

impl Output {
    fn push(&mut self, bytes: &str) {
        if self.pending {
            self.text
                .push_str(self.line_end.unwrap_or(LineEnd::Lf).as_str());
            self.pending = false;
        }
        self.text.push_str(bytes);
    }

    fn end_line(&mut self, literal: Option<LineEnd>) {
        self.text
            .push_str(literal.or(self.line_end).unwrap_or(LineEnd::Lf).as_str());
    }
}
