//! How the new text of an edit goes in: lines that the model left alone keep the bytes of the
//! file, changed and new lines come from the new text through the inverse of the level's map.

use std::ops::Range;

use crate::error::Unclear;
use crate::fold::{Level, is_blank, trim_blanks_end};
use crate::lines::{CallLine, LineEnd, indentation};
use crate::matcher::indentation::IndentationMap;
use crate::matcher::output::{Output, without_added_last_end, without_end};
use crate::matcher::script::{ScriptStep, Slide, kept_pairs, script};
use crate::matcher::spelling::Spelling;
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
    /// Whether the match disregards whitespace at line ends.
    pub(crate) ignores_trailing_blanks: bool,
    /// Whether the lines come from a patch, whose context keeps all its bytes.
    pub(crate) is_patch: bool,
    /// Whether new lines keep the line ends they have, instead of getting those in use.
    pub(crate) literal_ends: bool,
}

impl Merge<'_> {
    /// The bytes that replace the matched range.
    pub(crate) fn merged(&self) -> Result<String, Unclear> {
        let (old, new) = (self.keys(self.old), self.keys(self.new));
        let down = script(&old, &new, Slide::Down);
        let up = script(&old, &new, Slide::Up);
        if self.ignores_trailing_blanks {
            self.refuse_new_trailing_blanks(&down)?;
        }
        let merged = self.with_steps(&down)?;
        if down != up && self.with_steps(&up)? != merged {
            return Err(Unclear::Alignment);
        }
        Ok(merged)
    }

    /// What makes two lines of the call the same. Where whitespace at line ends does not count, a line
    /// that differs in nothing else was left alone; so was one that only lost or got its end.
    fn keys<'b>(&self, lines: &[CallLine<'b>]) -> Vec<&'b str> {
        let body = |line: &CallLine<'b>| {
            if self.ignores_trailing_blanks {
                trim_blanks_end(line.body, Level::TrailingBlanks)
            } else {
                line.body
            }
        };
        lines.iter().map(body).collect()
    }

    /// A line that only gets other whitespace at its end may be meant so, or may be careless.
    fn refuse_new_trailing_blanks(&self, steps: &[ScriptStep]) -> Result<(), Unclear> {
        for (old, new) in kept_pairs(steps) {
            let (Some(old), Some(new)) = (self.old.get(old), self.new.get(new)) else {
                continue;
            };
            let has_blanks = trim_blanks_end(new.body, Level::TrailingBlanks) != new.body;
            if old.body != new.body && has_blanks {
                return Err(Unclear::Alignment);
            }
        }
        Ok(())
    }

    /// A special space that the old text has only where whitespace does not count shows that the call spells whitespace
    /// otherwise than the file, and nothing shows what the file has for those in new lines.
    fn refuse_unknown_blanks(&self, new: &[CallLine<'_>]) -> Result<(), Unclear> {
        if !self.ignores_trailing_blanks {
            return Ok(());
        }
        let body = |line: &CallLine<'_>| trim_blanks_end(line.body, Level::Typography).len();
        let is_special = |letter: &char| !letter.is_ascii() && is_blank(*letter);
        let ours = |letter: char| {
            self.old.iter().any(|line| {
                line.body
                    .get(..body(line))
                    .is_some_and(|text| text.contains(letter))
            })
        };
        let trailing = self
            .old
            .iter()
            .filter_map(|line| line.body.get(body(line)..));
        let unknown: Vec<char> = trailing
            .flat_map(str::chars)
            .filter(is_special)
            .filter(|letter| !ours(*letter))
            .collect();
        let is_unclear = |line: &CallLine<'_>| {
            line.body
                .get(..body(line))
                .is_some_and(|text| text.contains(unknown.as_slice()))
        };
        if new.iter().any(is_unclear) {
            return Err(Unclear::Alignment);
        }
        Ok(())
    }

    /// The same along a given way from the old lines to the new ones, as a patch states it.
    pub(crate) fn with_steps(&self, steps: &[ScriptStep]) -> Result<String, Unclear> {
        // Lines that are only added have that of the line before them.
        let at = match self.old {
            [] => self.range.start.saturating_sub(1),
            _ => self.range.start,
        };
        let line_end = LineEnd::in_use_at(self.text, at);
        let spelling = self.spelling()?;
        let mut output = Output {
            text: String::new(),
            pending: false,
            is_last_written: false,
            line_end,
        };
        for step in steps {
            match step {
                ScriptStep::Keep { old, new } => {
                    for (old, new) in old.clone().zip(new.clone()) {
                        self.keep(&mut output, old, new);
                    }
                }
                ScriptStep::Change { old, new } => {
                    self.change(&mut output, spelling.as_ref(), old, new)?;
                }
            }
        }
        if self.is_patch && !output.is_last_written {
            return Ok(output.text);
        }
        Ok(without_added_last_end(
            self.text,
            &self.range,
            self.old,
            self.new,
            output.text,
        ))
    }

    fn keep(&self, output: &mut Output, old: usize, new: usize) {
        let place = self.places.get(old).cloned().unwrap_or_default();
        let bytes = self.text.get(place).unwrap_or_default();
        let is_ended =
            |lines: &[CallLine<'_>], at: usize| lines.get(at).is_some_and(|line| line.ended);
        let (was_ended, is_ended) = (is_ended(self.old, old), is_ended(self.new, new));
        if bytes.is_empty() && !is_ended {
            return;
        }
        let is_open = is_ended && !bytes.ends_with('\n');
        output.push(match (was_ended, is_ended) {
            (true, false) if self.is_joined() => self.without_trailing(without_end(bytes)),
            (true, false) => without_end(bytes),
            _ => bytes,
        });
        output.is_last_written = false;
        output.pending = is_open && was_ended;
        if is_open && !was_ended {
            // The new text has a line end more than the old one.
            output.end_line(None);
        }
    }

    /// Whether the text goes on in the line in which the new text ends: whitespace that stood at a line end
    /// would come to stand inside of it.
    fn is_joined(&self) -> bool {
        let behind = self.text.get(self.range.end..).unwrap_or_default();
        let is_end = |end: &LineEnd| behind.starts_with(end.as_str());
        !behind.is_empty() && ![LineEnd::Lf, LineEnd::CrLf].iter().any(is_end)
    }

    fn change(
        &self,
        output: &mut Output,
        spelling: Option<&Spelling>,
        old: &Range<usize>,
        new: &Range<usize>,
    ) -> Result<(), Unclear> {
        let new_lines = self.new.get(new.clone()).unwrap_or_default();
        self.refuse_unknown_blanks(new_lines)?;
        let bodies = self.bodies(spelling, old, new_lines)?;
        let mut lines = Vec::with_capacity(bodies.len());
        for (line, body) in new_lines.iter().zip(bodies) {
            let (indentation, trailing) = (self.indentation_of(line)?, self.trailing_of(line)?);
            lines.push(format!("{indentation}{body}{trailing}"));
        }
        let down = self.with_file_lines(output, old, new, &lines, Slide::Down);
        let up = self.with_file_lines(output, old, new, &lines, Slide::Up);
        if down.text != up.text {
            return Err(Unclear::Alignment);
        }
        *output = down;
        Ok(())
    }

    /// Adds the lines of a change. One that has become what stands in the file is the file's:
    /// then only the old text of the call was wrong.
    fn with_file_lines(
        &self,
        output: &Output,
        old: &Range<usize>,
        new: &Range<usize>,
        lines: &[String],
        slide: Slide,
    ) -> Output {
        let mut output = output.clone();
        // A patch says itself which lines stay.
        let old = if self.literal_ends {
            old.start..old.start
        } else {
            old.clone()
        };
        let theirs: Vec<&str> = old
            .clone()
            .map(|at| self.without_trailing(self.file_line(at)))
            .collect();
        let ours: Vec<&str> = lines
            .iter()
            .map(|line| self.without_trailing(line))
            .collect();
        for step in script(&theirs, &ours, slide) {
            match step {
                ScriptStep::Keep {
                    old: kept,
                    new: copied,
                } => {
                    for (at, to) in kept.zip(copied) {
                        self.keep(&mut output, old.start + at, new.start + to);
                    }
                }
                ScriptStep::Change {
                    old: replaced,
                    new: added,
                } => {
                    let replaced = old.start + replaced.start..old.start + replaced.end;
                    for (count, at) in added.enumerate() {
                        output.push(lines.get(at).map_or("", String::as_str));
                        let line = self.new.get(new.start + at);
                        if let Some(line) = line.filter(|line| line.ended) {
                            output.end_line(self.end_of(line, &replaced, count));
                        }
                    }
                }
            }
        }
        output
    }

    /// The end of the line that comes in place of the `count`th of the replaced ones: that of the line it replaces, of
    /// the last of them for one line more, and of the line before where none is replaced. `None` is the one in use.
    fn end_of(
        &self,
        line: &CallLine<'_>,
        replaced: &Range<usize>,
        count: usize,
    ) -> Option<LineEnd> {
        if self.literal_ends {
            return Some(LineEnd::of(line.carriage));
        }
        let last = replaced.end.checked_sub(1)?;
        let place = self.places.get(last.min(replaced.start + count))?.clone();
        let body = self.text.get(place)?.strip_suffix('\n')?;
        Some(LineEnd::of(body.ends_with('\r')))
    }

    /// A matched line of the file without its end.
    fn file_line(&self, index: usize) -> &str {
        let place = self.places.get(index).cloned().unwrap_or_default();
        without_end(self.text.get(place).unwrap_or_default())
    }

    /// The new lines without their indentation, in the spelling of the file.
    fn bodies(
        &self,
        spelling: Option<&Spelling>,
        old: &Range<usize>,
        new: &[CallLine<'_>],
    ) -> Result<Vec<String>, Unclear> {
        let new: Vec<&str> = new
            .iter()
            .map(|line| self.mapped_part(self.without_trailing(line.body)))
            .collect();
        let Some(spelling) = spelling else {
            return Ok(new.into_iter().map(str::to_owned).collect());
        };
        ChangedLines {
            old: old.clone().map(|index| self.old_body(index)).collect(),
            file: old.clone().map(|index| self.file_body(index)).collect(),
            new,
            spelling,
        }
        .mapped()
    }

    /// What the match reports about the spelling of the file; `None` if it is that of the call.
    fn spelling(&self) -> Result<Option<Spelling>, Unclear> {
        let pairs =
            || (0..self.old.len()).map(|index| (self.old_body(index), self.file_body(index)));
        if pairs().all(|(old, file)| old == file) {
            return Ok(None);
        }
        Spelling::learn(pairs()).map(Some).ok_or(Unclear::Alignment)
    }

    /// A line without the whitespace at its end, where that does not count.
    fn without_trailing<'b>(&self, body: &'b str) -> &'b str {
        if self.ignores_trailing_blanks {
            trim_blanks_end(body, Level::TrailingBlanks)
        } else {
            body
        }
    }

    /// The whitespace at the end of a new line, as the file would have it: where the old text has
    /// whitespace that the file lacks, or the other way round, that of the new text is no more
    /// to be relied on. Those of a line of nothing else are its indentation.
    fn trailing_of(&self, line: &CallLine<'_>) -> Result<String, Unclear> {
        let trailing = |body: &str| self.without_trailing(body).len();
        let own = line.body.get(trailing(line.body)..).unwrap_or_default();
        if own.is_empty() {
            return Ok(String::new());
        }
        let (mut known, mut is_reliable) = (None, true);
        for (old, place) in self.old.iter().zip(self.places) {
            let whole = self.text.get(place.clone()).unwrap_or_default();
            let body = whole.trim_end_matches(['\r', '\n']);
            let ours = old.body.get(trailing(old.body)..).unwrap_or_default();
            let theirs = body.get(trailing(body)..).unwrap_or_default();
            is_reliable &= ours == theirs;
            if ours == own {
                if known.is_some_and(|known| known != theirs) {
                    return Err(Unclear::Alignment);
                }
                known = Some(theirs);
            }
        }
        if let (None, true, Some(map)) = (known, line.is_blank(), self.indentation) {
            return map.map(own).ok_or(Unclear::Indentation);
        }
        if is_reliable {
            return Ok(own.to_owned());
        }
        known.map(str::to_owned).ok_or(Unclear::Alignment)
    }

    fn old_body(&self, index: usize) -> &str {
        let body = self.old.get(index).map_or("", |line| line.body);
        trim_blanks_end(self.mapped_part(body), Level::Typography)
    }

    fn file_body(&self, index: usize) -> &str {
        trim_blanks_end(self.mapped_part(self.file_line(index)), Level::Typography)
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
            Some(map) if !line.is_blank() => {
                map.map(line.indentation()).ok_or(Unclear::Indentation)
            }
            _ => Ok(String::new()),
        }
    }
}
