//! The anchors of lines that a session was shown, and edits by them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_edit::{AnchorError, AnchoredText, Lines, Placement, Plan, ShownLines, Splice};
use tenon_workspace::{Located, TextFile};

/// Lines of a page that may be shown where an edit was refused.
const REFUSED_LINES: usize = 40;
/// New lines that an answer shows in full; of more the first and the last one.
const NEW_LINES: usize = 3;
/// Places of one call whose new lines are shown.
const NEW_PLACES: usize = 5;

/// One edit by anchors.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchoredPair {
    /// Anchor of the first line.
    pub from: String,
    /// Anchor of the last line. Default: the first one.
    #[serde(default)]
    pub to: Option<String>,
    /// Whole lines; empty deletes.
    pub new_text: String,
    /// Insert the new lines before the first or after the last line, instead of replacing.
    #[serde(default)]
    pub insert: Option<InsertAt>,
}

/// Where new lines go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InsertAt {
    /// Before the first line.
    Before,
    /// After the last line.
    After,
}

/// Lines with the anchors in front of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchoredLines {
    /// The first of them, counted from 1.
    pub first_line: usize,
    /// Each as `anchor|line`; one `…` stands for those between the first and the last.
    pub text: String,
}

/// What a session was shown of files. Clones share it. Files that were not used for long are forgotten first.
#[derive(Debug, Clone, Default)]
pub struct ShownFiles {
    state: Arc<Mutex<AnchorState>>,
}

#[derive(Debug, Default)]
struct AnchorState {
    files: HashMap<PathBuf, (u64, ShownLines)>,
    clock: u64,
}

impl AnchorState {
    fn of(&mut self, file: &Located) -> &mut ShownLines {
        self.clock += 1;
        let is_new = !self.files.contains_key(file.target());
        if is_new && self.files.len() >= limits::ANCHORED_FILES_MAX {
            let oldest = self.files.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(path, _)| path.clone()) {
                self.files.remove(&oldest);
            }
        }
        let entry = self.files.entry(file.target().to_owned()).or_default();
        entry.0 = self.clock;
        &mut entry.1
    }
}

impl ShownFiles {
    /// The anchors of these lines, counted from 1, which are shown now.
    pub(crate) fn show(&self, file: &Located, text: &str, lines: Lines) -> Vec<String> {
        let text = AnchoredText::new(text);
        self.show_of(file, &text, lines)
    }

    fn show_of(&self, file: &Located, text: &AnchoredText<'_>, lines: Lines) -> Vec<String> {
        let range = lines.first.saturating_sub(1)..lines.last;
        let anchors = self.lock().of(file).show(text, range);
        anchors.iter().map(ToString::to_string).collect()
    }

    /// Plans edits by anchors.
    ///
    /// # Errors
    /// What the anchors do not name, with the lines as they are now.
    pub(crate) fn plan(&self, file: &TextFile, edits: &[AnchoredPair]) -> Result<Plan, ToolError> {
        let located = file.snapshot().located();
        let text = AnchoredText::new(file.text());
        let edits: Vec<tenon_edit::AnchoredEdit<'_>> = edits
            .iter()
            .map(|edit| tenon_edit::AnchoredEdit {
                from: &edit.from,
                to: edit.to.as_deref(),
                new: &edit.new_text,
                place: match edit.insert {
                    None => Placement::Replace,
                    Some(InsertAt::Before) => Placement::Before,
                    Some(InsertAt::After) => Placement::After,
                },
            })
            .collect();
        let planned = self.lock().of(located).plan(&text, &edits);
        planned.map_err(|error| self.refused(located, &text, &error))
    }

    /// The reason with the lines to look at, which are shown with that.
    fn refused(&self, file: &Located, text: &AnchoredText<'_>, error: &AnchorError) -> ToolError {
        let path = file.name();
        let code = match error {
            AnchorError::NoChange { .. } => ErrorCode::NoChange,
            AnchorError::Unknown { .. } => ErrorCode::NoMatch,
            AnchorError::Several { .. } => ErrorCode::NotUnique,
            AnchorError::Changed { .. } | AnchorError::Between { .. } => ErrorCode::StaleFile,
            _ => ErrorCode::InvalidParams,
        };
        let mut message = format!("`{path}` was not changed: {error}");
        let mut refused = ToolError::new(code, String::new()).with("path", path);
        if let Some(edit) = error.edit() {
            refused = refused.with("edit", edit);
        }
        let is_there = matches!(error, AnchorError::NoChange { .. });
        match error.lines().filter(|_| !is_there) {
            Some(lines) if lines.last - lines.first < REFUSED_LINES => {
                let now = self.lines(file, text, lines);
                message.push_str(&format!(
                    " The lines are now:\n{now}\nRepeat the edit with these anchors."
                ));
                refused = refused
                    .with("line", lines.first)
                    .with("endLine", lines.last)
                    .with("region", now);
            }
            Some(lines) => {
                message.push_str(&format!(
                    " Read lines {}-{} again, then repeat the edit with their anchors.",
                    lines.first, lines.last
                ));
                refused = refused
                    .with("line", lines.first)
                    .with("endLine", lines.last);
            }
            None => {}
        }
        refused.message = message;
        refused
    }

    /// Lines behind their anchors.
    fn lines(&self, file: &Located, text: &AnchoredText<'_>, lines: Lines) -> String {
        let anchors = self.show_of(file, text, lines);
        let numbers = lines.first.saturating_sub(1)..lines.last;
        let shown = anchors
            .iter()
            .zip(numbers)
            .map(|(anchor, line)| anchored(anchor, text.line(line)));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// A plan was made: what was left alone keeps its anchors, and the new lines are shown with theirs.
    pub(crate) fn edited(
        &self,
        file: &Located,
        before: &str,
        plan: &Plan,
        after: &str,
    ) -> Vec<AnchoredLines> {
        let (before, after) = (AnchoredText::new(before), AnchoredText::new(after));
        self.lock().of(file).edited(&before, plan, &after);
        let places = new_lines(&plan.splices, &after);
        places
            .into_iter()
            .take(NEW_PLACES)
            .map(|lines| {
                let count = lines.last + 1 - lines.first;
                let line = |at: usize| {
                    self.lines(
                        file,
                        &after,
                        Lines {
                            first: at,
                            last: at,
                        },
                    )
                };
                let text = if count <= NEW_LINES {
                    self.lines(file, &after, lines)
                } else {
                    format!("{}\n…\n{}", line(lines.first), line(lines.last))
                };
                AnchoredLines {
                    first_line: lines.first,
                    text,
                }
            })
            .collect()
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, AnchorState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A line as it is shown.
pub(crate) fn anchored(anchor: &str, line: &str) -> String {
    format!("{anchor}|{line}")
}

/// The lines that splices wrote, counted from 1 in the text after them.
fn new_lines(splices: &[Splice], after: &AnchoredText<'_>) -> Vec<Lines> {
    let (mut grown, mut shrunk) = (0, 0);
    let mut places = Vec::new();
    for splice in splices {
        let start = splice.range.start + grown - shrunk;
        let written = splice.replacement.trim_end_matches(['\r', '\n']);
        // What goes behind a last line without an end begins with that end.
        let lead = written.len() - written.trim_start_matches(['\r', '\n']).len();
        if !written.is_empty() {
            let lines = after.lines_between(start + lead, start + written.len());
            places.push(Lines {
                first: lines.start + 1,
                last: lines.end.max(lines.start + 1),
            });
        }
        grown += splice.replacement.len();
        shrunk += splice.range.len();
    }
    places
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;
    use tenon_tokens::count;

    use super::*;

    /// Sources of this crate, which do not change from machine to machine.
    fn sources() -> Vec<String> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "rs"))
            .collect();
        files.sort();
        files
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    }

    /// The shortest lines around these that occur once, as the one who edits by text has to find them.
    fn unique(text: &str, lines: &[&str], first: usize, last: usize) -> Option<(usize, usize)> {
        (0..8).find_map(|more| {
            let (from, to) = (
                first.saturating_sub(more),
                (last + more).min(lines.len() - 1),
            );
            let around = lines[from..=to].join("\n");
            (text.matches(&around).count() == 1).then_some((from, to))
        })
    }

    /// Mean tokens of calls that replace `length` lines by text and by anchors, where the last word of each line changes.
    fn costs(length: usize) -> (f64, f64) {
        let (mut by_text, mut by_anchors, mut calls) = (0, 0, 0);
        for text in sources() {
            let lines: Vec<&str> = text.lines().collect();
            let whole = AnchoredText::new(&text);
            let anchors = ShownLines::default().show(&whole, 0..whole.len());
            for first in (0..lines.len().saturating_sub(length)).step_by(17) {
                let last = first + length - 1;
                let Some((from, to)) = unique(&text, &lines, first, last) else {
                    continue;
                };
                let changed =
                    |line: &&str| format!("{} changed", line.trim_end_matches(|c| c != ' '));
                let new: Vec<String> = lines[first..=last].iter().map(changed).collect();
                let around = [
                    lines[from..first].join("\n"),
                    new.join("\n"),
                    lines[last + 1..=to].join("\n"),
                ];
                let old = lines[from..=to].join("\n");
                let text_call = json!({ "file_path": "src/a.rs", "oldText": old, "newText": around.join("\n") });
                let mut call = json!({ "file_path": "src/a.rs", "from": anchors[first].as_str(), "newText": new.join("\n") });
                if last > first {
                    call["to"] = json!(anchors[last].as_str());
                }
                by_text += count(&text_call.to_string());
                by_anchors += count(&call.to_string());
                calls += 1;
            }
        }
        (
            by_text as f64 / f64::from(calls),
            by_anchors as f64 / f64::from(calls),
        )
    }

    #[test]
    fn an_edit_by_anchors_costs_fewer_tokens_than_one_by_text() {
        for (length, least_spared) in [(1, 0.1), (3, 0.2), (8, 0.3)] {
            let (by_text, by_anchors) = costs(length);
            println!("{length} lines: {by_text:.0} tokens by text, {by_anchors:.0} by anchors");
            let spared = 1.0 - by_anchors / by_text;
            assert!(spared > least_spared, "{length} lines: {spared:.2}");
        }
        let (mut plain, mut shown, mut lines) = (0, 0, 0);
        for text in sources() {
            let whole = AnchoredText::new(&text);
            let anchors = ShownLines::default().show(&whole, 0..whole.len());
            let with: Vec<String> = anchors
                .iter()
                .zip(text.lines())
                .map(|(anchor, line)| anchored(anchor.as_str(), line))
                .collect();
            plain += count(&text);
            shown += count(&with.join("\n"));
            lines += whole.len();
        }
        let more = (shown - plain) as f64 / lines as f64;
        println!("a line that is read: {more:.1} tokens more");
        assert!(more < 5.0, "{more:.1}");
    }
}
