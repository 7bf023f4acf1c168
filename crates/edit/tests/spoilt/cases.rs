//! A file, a true edit of it, and what has to come out.

use tenon_edit::{EditError, Options, Replacement, plan};

use super::kinds;
use super::random::Random;
use super::sources::Source;
use super::tally::Outcome;

/// A line of the new text: one that the edit leaves alone, or one that it writes.
#[derive(Debug, Clone)]
pub(crate) enum NewLine {
    Kept(usize),
    Written(String),
}

/// A true edit of whole lines.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) file: String,
    /// The bytes of the file that the edit is about.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of the first line, from 1.
    pub(crate) line: usize,
    /// The lines as a model reads them: without line ends and blanks before them.
    pub(crate) old: Vec<String>,
    pub(crate) new: Vec<NewLine>,
    /// Whether both texts end in a newline.
    pub(crate) ended: bool,
    pub(crate) expected: String,
}

/// A spoilt call.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    pub(crate) old: String,
    pub(crate) new: String,
    /// Whether the spoiling changed what the lines say, so that they may stand elsewhere.
    pub(crate) other_content: bool,
}

impl Case {
    pub(crate) fn new_texts(&self) -> Vec<String> {
        self.new
            .iter()
            .map(|line| match line {
                NewLine::Kept(index) => self.old[*index].clone(),
                NewLine::Written(text) => text.clone(),
            })
            .collect()
    }

    /// The call with each line put through `old`, and each written line through `new`.
    pub(crate) fn mapped(
        &self,
        mut old: impl FnMut(usize, &str) -> String,
        mut new: impl FnMut(&str) -> String,
    ) -> Edit {
        let old_lines: Vec<String> = self
            .old
            .iter()
            .enumerate()
            .map(|(at, line)| old(at, line))
            .collect();
        let new_lines: Vec<String> = self
            .new
            .iter()
            .map(|line| match line {
                NewLine::Kept(index) => old_lines[*index].clone(),
                NewLine::Written(text) => new(text),
            })
            .collect();
        self.joined(&old_lines, &new_lines)
    }

    /// The call with only the old text spoilt.
    pub(crate) fn old_only(&self, mut old: impl FnMut(usize, &str) -> String) -> Edit {
        let old_lines: Vec<String> = self
            .old
            .iter()
            .enumerate()
            .map(|(at, line)| old(at, line))
            .collect();
        self.joined(&old_lines, &self.new_texts())
    }

    pub(crate) fn joined(&self, old: &[String], new: &[String]) -> Edit {
        Edit {
            old: self.text(old),
            new: self.text(new),
            other_content: false,
        }
    }

    /// Whether the new text has a line end more than the old one, which lines around both would hide.
    pub(crate) fn has_last_end_more(&self) -> bool {
        !self.ended && self.new_texts().last().is_some_and(String::is_empty)
    }

    /// Whether the lines of the edit end in two ways.
    pub(crate) fn has_mixed_ends(&self) -> bool {
        let region = &self.file[self.start..self.end];
        let carriages = region.matches("\r\n").count();
        carriages > 0 && carriages < region.matches('\n').count()
    }

    pub(crate) fn text(&self, lines: &[String]) -> String {
        let mut text = lines.join("\n");
        if self.ended && !lines.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The same case as seen through a spoilt call, to be spoilt once more; `None` if the call
    /// has other lines.
    pub(crate) fn respelt(&self, edit: &Edit) -> Option<Self> {
        let lines = |text: &str| -> Vec<String> { text.split('\n').map(str::to_owned).collect() };
        let body = |text: &str| -> Option<String> {
            if self.ended {
                text.strip_suffix('\n').map(str::to_owned)
            } else {
                Some(text.to_owned())
            }
        };
        let old = lines(&body(&edit.old)?);
        let new = lines(&body(&edit.new).unwrap_or_default());
        if edit.old.contains('\r')
            || old.len() != self.old.len()
            || new.len() != self.new.len()
            || edit.other_content
        {
            return None;
        }
        let new = self
            .new
            .iter()
            .zip(new)
            .map(|(line, text)| match line {
                NewLine::Kept(index) if old[*index] == text => NewLine::Kept(*index),
                _ => NewLine::Written(text),
            })
            .collect();
        Some(Self {
            old,
            new,
            ..self.clone()
        })
    }
}

/// A random edit of a random file.
pub(crate) fn case(random: &mut Random, sources: &[Source]) -> Option<Case> {
    // A sample as often as a file of the registry would be too seldom.
    let source = if random.chance(15) {
        &sources[random.below(sources.len().min(6))]
    } else {
        random.pick(sources)
    };
    let file = dressed(random, &source.text);
    edit_of(random, &source.name, &file, 0, file.len())
}

/// The file with other line ends, tabs, blanks or marks, as real files have them.
pub(crate) fn dressed(random: &mut Random, text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut text = match random.below(12) {
        0 | 1 => text.replace('\n', "\r\n"),
        2 => text
            .split_inclusive('\n')
            .map(|line| {
                if random.chance(40) {
                    line.replace('\n', "\r\n")
                } else {
                    line.to_owned()
                }
            })
            .collect(),
        3 => text
            .split_inclusive('\n')
            .map(|line| {
                if random.chance(30) {
                    line.replace('\n', "  \n")
                } else {
                    line.to_owned()
                }
            })
            .collect(),
        4 => kinds::tabs_for_blanks(&text, 4),
        5 => kinds::curly(&text),
        _ => text,
    };
    if random.chance(10) {
        text = text.trim_end_matches(['\r', '\n']).to_owned();
    }
    if random.chance(4) {
        text.insert(0, '\u{feff}');
    }
    text
}

/// A random edit of whole lines that begin in `from..to`.
pub(crate) fn edit_of(
    random: &mut Random,
    name: &str,
    file: &str,
    from: usize,
    to: usize,
) -> Option<Case> {
    let mut starts: Vec<usize> = vec![if file.starts_with('\u{feff}') { 3 } else { 0 }];
    starts.extend(
        file.match_indices('\n')
            .map(|(at, _)| at + 1)
            .filter(|at| *at < file.len()),
    );
    let usable: Vec<usize> = (0..starts.len())
        .filter(|at| starts[*at] >= from && starts[*at] < to)
        .collect();
    if usable.is_empty() {
        return None;
    }
    let first = *random.pick(&usable);
    let most = *random.pick(&[1, 3, 6, 12]);
    let count = 1 + random.below(most);
    let last = (first + count).min(starts.len());
    let start = starts[first];
    let end = starts.get(last).copied().unwrap_or(file.len());
    if end > to {
        return None;
    }
    let body = |at: usize| {
        let stop = starts.get(at + 1).copied().unwrap_or(file.len());
        file[starts[at]..stop]
            .trim_end_matches(['\n', '\r', ' ', '\t'])
            .to_owned()
    };
    let old: Vec<String> = (first..last).map(body).collect();
    if old.iter().all(|line| line.trim().is_empty()) {
        return None;
    }
    let other = body(random.below(starts.len()));
    let mut new = changed(random, &old, &other);
    // Where the call is not ended, this is a line end more than the old text has.
    if random.chance(8) {
        new.push(NewLine::Written(String::new()));
    }
    // A line that is written as one was that goes away cannot be distinguished from that one.
    let is_kept = |at: usize| {
        new.iter()
            .any(|line| matches!(line, NewLine::Kept(index) if *index == at))
    };
    let gone: Vec<&String> = (0..old.len())
        .filter(|at| !is_kept(*at))
        .map(|at| &old[at])
        .collect();
    if new
        .iter()
        .any(|line| matches!(line, NewLine::Written(text) if gone.contains(&text)))
    {
        return None;
    }
    let expected_lines = expected_lines(file, &starts, first, &new, end);
    let has_end = file[..end].ends_with('\n');
    // Nor is it clear at the end of a file whether the last line is to get an end or to stay without.
    if !has_end && matches!(new.last(), Some(NewLine::Written(text)) if text.is_empty()) {
        return None;
    }
    // Without a line end behind them, nothing shows whether the blanks at the end of a file are meant.
    if !has_end && file.ends_with([' ', '\t']) {
        return None;
    }
    // Where the file has blanks at line ends, a call that is not ended would leave them there.
    let has_blanks = file.contains(" \n") || file.contains(" \r\n");
    let crlf = file.matches("\r\n").count();
    let is_mixed = crlf > 0 && crlf < file.matches('\n').count();
    let ended = has_end && (has_blanks || is_mixed || random.chance(60));
    let mut middle = expected_lines;
    // A call whose last line is not ended leaves the line end of the file where it is.
    if !ended && has_end && !new.is_empty() {
        let own = if file[..end].ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let body = middle.strip_suffix('\n').unwrap_or(&middle);
        middle = format!("{}{own}", body.strip_suffix('\r').unwrap_or(body));
    }
    if !has_end && middle.ends_with('\n') {
        middle.pop();
        if middle.ends_with('\r') {
            middle.pop();
        }
    }
    if !ended && old.last().is_some_and(String::is_empty) {
        return None;
    }
    // Without its newline the last line of the call does not take its line end with it.
    if new.is_empty() && !ended && has_end {
        return None;
    }
    let expected = format!("{}{middle}{}", &file[..start], &file[end..]);
    if expected == file {
        return None;
    }
    Some(Case {
        name: name.to_owned(),
        file: file.to_owned(),
        start,
        end,
        line: first + 1,
        old,
        new,
        ended,
        expected,
    })
}

/// Kept lines with all their bytes; written ones with the end of the line whose place they take, of the last of them for
/// one line more, of the line before where they take none, and else with the one in use where the edit begins.
fn expected_lines(
    file: &str,
    starts: &[usize],
    first: usize,
    new: &[NewLine],
    end: usize,
) -> String {
    let head = &file[starts[first]..end];
    let in_use = match head.find('\n') {
        Some(at) if head[..at].ends_with('\r') => "\r\n",
        Some(_) => "\n",
        None if file.contains("\r\n") && file[..starts[first]].ends_with("\r\n") => "\r\n",
        None => "\n",
    };
    let old: Vec<&str> = head.split_inclusive('\n').collect();
    let end_of = |index: Option<usize>| match index.and_then(|index| old.get(index)) {
        Some(line) if line.ends_with("\r\n") => "\r\n",
        Some(line) if line.ends_with('\n') => "\n",
        _ => in_use,
    };
    let kept = |line: &NewLine| match line {
        NewLine::Kept(index) => Some(*index),
        NewLine::Written(_) => None,
    };
    let (mut free, mut count) = (0, 0);
    let mut lines = String::new();
    for (at, line) in new.iter().enumerate() {
        match line {
            NewLine::Kept(index) => {
                let text = old.get(*index).copied().unwrap_or_default();
                lines.push_str(text);
                if !text.ends_with('\n') {
                    lines.push_str(in_use);
                }
                (free, count) = (index + 1, 0);
            }
            NewLine::Written(text) => {
                let next = new[at..].iter().find_map(kept).unwrap_or(old.len());
                let last = next.max(free).checked_sub(1);
                lines.push_str(text);
                lines.push_str(end_of(last.map(|last| last.min(free + count))));
                count += 1;
            }
        }
    }
    lines
}

/// Some lines changed, put in or taken out.
fn changed(random: &mut Random, old: &[String], other: &str) -> Vec<NewLine> {
    let mut new: Vec<NewLine> = (0..old.len()).map(NewLine::Kept).collect();
    for _ in 0..1 + random.below(3) {
        if new.is_empty() {
            break;
        }
        let at = random.below(new.len());
        let NewLine::Kept(index) = new[at] else {
            continue;
        };
        match random.below(10) {
            0 => {
                new.remove(at);
            }
            1 | 2 => {
                let body = random.pick(old).clone();
                let line =
                    renamed(random, &body).unwrap_or_else(|| format!("{}added", near(old, index)));
                if line.is_ascii() {
                    new.insert(at + random.below(2), NewLine::Written(line));
                }
            }
            3 => {
                let line = format!("{}{}", near(old, index), other.trim());
                if line.is_ascii() {
                    new.insert(at, NewLine::Written(line.trim_end().to_owned()));
                }
            }
            _ => {
                if let Some(line) = renamed(random, &old[index]) {
                    new[at] = NewLine::Written(line);
                }
            }
        }
    }
    new
}

/// The indentation of a line; for a blank one, that of the first that is not.
fn near(old: &[String], index: usize) -> &str {
    let line = if old[index].is_empty() {
        old.iter().find(|line| !line.is_empty())
    } else {
        old.get(index)
    };
    let line = line.map_or("", String::as_str);
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The line with one of its words replaced.
fn renamed(random: &mut Random, line: &str) -> Option<String> {
    let words: Vec<(usize, &str)> = line
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
        .collect();
    if words.is_empty() {
        return None;
    }
    let (at, word) = *random.pick(&words);
    let name = random.pick(&["renamed", "value_2", "x", "compute(7)", "42"]);
    // A word that is replaced by itself is no change.
    (word != *name).then(|| format!("{}{name}{}", &line[..at], &line[at + word.len()..]))
}

/// Two to four edits of one file, of which some are spoilt.
pub(crate) fn several(random: &mut Random, sources: &[Source]) -> Option<(Case, Vec<Edit>)> {
    let source = random.pick(sources);
    let file = dressed(random, &source.text);
    let count = 2 + random.below(3);
    let mut cases = Vec::new();
    let mut from = 0;
    for part in 0..count {
        let to = file.len() * (part + 1) / count;
        let to = file[..file.floor_char_boundary(to)]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let to = if part + 1 == count { file.len() } else { to };
        cases.push(edit_of(random, &source.name, &file, from, to)?);
        from = to;
    }
    let mut edits = Vec::new();
    for case in &cases {
        let edit = if random.chance(50) {
            let (_, kind) = *random.pick(kinds::ALL);
            kind(case, random)?
        } else {
            case.joined(&case.old, &case.new_texts())
        };
        edits.push(edit);
    }
    let mut expected = file.clone();
    for case in cases.iter().rev() {
        let grown = case.expected.len() + case.end - file.len();
        expected.replace_range(case.start..case.end, &case.expected[case.start..grown]);
    }
    if random.chance(40) {
        edits.reverse();
    }
    let mut case = cases.swap_remove(0);
    case.expected = expected;
    Some((case, edits))
}

/// Plans and applies.
pub(crate) fn run(case: &Case, edits: &[Edit]) -> (Outcome, String) {
    let replacements: Vec<Replacement<'_>> = edits
        .iter()
        .map(|edit| Replacement {
            old: &edit.old,
            new: &edit.new,
        })
        .collect();
    let outcome = plan(&case.file, &replacements, Options::default());
    let reported = |what: String| {
        let calls: Vec<String> = edits
            .iter()
            .map(|edit| format!("old {:?}\nnew {:?}", edit.old, edit.new))
            .collect();
        let region = &case.file[case.start..case.end];
        format!(
            "{} line {}\nfile {region:?}\n{}\n{what}",
            case.name,
            case.line,
            calls.join("\n")
        )
    };
    match outcome {
        Ok(plan) => {
            let after = plan.apply(&case.file);
            if after == case.expected {
                return (Outcome::Applied, String::new());
            }
            let start = (edits.len() == 1).then_some(case.start);
            if edits.iter().any(|edit| is_void(case, edit, start)) {
                return (Outcome::Void, String::new());
            }
            let diff = tenon_edit::TextDiff::new(case.expected.as_str(), after.as_str());
            let levels: Vec<_> = plan
                .matches
                .iter()
                .map(|it| (it.match_level, it.decoration, it.first_line))
                .collect();
            (
                Outcome::Wrong,
                reported(format!(
                    "{levels:?}\nexpected against got:\n{}",
                    diff.hunks(1)
                )),
            )
        }
        Err(
            error @ (EditError::EmptyOld { .. }
            | EditError::SameText { .. }
            | EditError::OnlyMark { .. }
            | EditError::NoChange { .. }),
        ) => (Outcome::Refused, reported(error.to_string())),
        Err(error) => (Outcome::Refused, reported(error.to_string())),
    }
}

/// Whether the call, as it stands, asks for something else: its old text is in the file byte by
/// byte at another place, or at its place with another new text than the true one; or, if other
/// content was put in, it is there but for blanks.
pub(crate) fn is_void(case: &Case, edit: &Edit, start: Option<usize>) -> bool {
    let plain = |text: &str| -> String {
        let lines: Vec<&str> = text
            .split('\n')
            .map(|line| line.trim_end_matches(['\r', ' ', '\t']))
            .collect();
        lines.join("\n")
    };
    // Without blanks, escapes and signs, of which a second spoiling may have put some in.
    let solid = |text: &str| -> String {
        let text = text.replace('\\', "");
        let lines = text.lines().map(|line| line.trim_start_matches(['-', '+']));
        lines.flat_map(str::split_whitespace).collect()
    };
    if edit.other_content && solid(&case.file).contains(&solid(&edit.old)) {
        return true;
    }
    if case.has_mixed_ends() && edit.old.ends_with('\n') != case.ended {
        return true;
    }
    if edit.old.contains("\\n") != case.file.contains("\\n") && edit.new.contains("\\n") {
        return true;
    }
    // Where the file has blanks in an empty line, an empty line of the call is equal to the end of it byte by byte.
    let first = case.file[case.start..].lines().next().unwrap_or_default();
    let is_behind_blanks = !first.is_empty() && first.trim().is_empty();
    if is_behind_blanks && edit.old.starts_with(['\n', '\r']) {
        return true;
    }
    // The spoilt text may be right by chance.
    if edit.old != case.text(&case.old) && case.file.contains(&edit.old) {
        return true;
    }
    // The only place of the old text but for typography may be another one than the true one.
    let spelt = |text: &str| {
        plain(text)
            .replace(['‘', '’'], "'")
            .replace(['“', '”'], "\"")
            .replace(['–', '—', '−'], "-")
            .replace('\u{a0}', " ")
    };
    if let Some(start) = start {
        let (file, old) = (spelt(&case.file), spelt(&edit.old));
        let places: Vec<usize> = file.match_indices(&old).map(|(at, _)| at).collect();
        if places.len() == 1 && places[0] != spelt(&case.file[..start]).len() {
            return true;
        }
    }
    let is_true = plain(&edit.new) == plain(&case.text(&case.new_texts()));
    let start = start.map(|start| plain(&case.file[..start]).len());
    let (file, old) = (plain(&case.file), plain(&edit.old));
    let mut places = file.match_indices(&old).map(|(at, _)| Some(at));
    places.any(|at| at != start || !is_true)
}
