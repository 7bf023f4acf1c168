//! Hunks on a text: each is placed by its old lines, then all are applied or none.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::Unclear;
use crate::lines::{
    BYTE_ORDER_MARK, CallLine, LineCounter, LineEnd, lines_of, solid_length, words_key,
};
use crate::matcher::diagnose::candidates;
use crate::matcher::found::LocatedMatch;
use crate::matcher::indentation::IndentationMap;
use crate::matcher::index::TextIndex;
use crate::matcher::merge::Merge;
use crate::matcher::one_spelling::Typography;
use crate::matcher::render::check_indentation;
use crate::patch::candidates::{Candidates, Finder};
use crate::patch::choose::Chooser;
use crate::patch::sides::{Sides, with_end};
use crate::patch::{FileOperation, FilePatch, Hunk, HunkAt, HunkLine, PatchError, Side};
use crate::plan::{Match, MatchLevel, Plan, Splice};

/// Added lines shorter than this, whitespace not counted, say nothing by standing in the file.
const MIN_APPLIED_TEXT: usize = 4;

/// The first line with words that no line of the file has.
fn absent_line(index: &TextIndex<'_>, lines: &[CallLine<'_>]) -> Option<String> {
    let there: HashSet<u64> = index.table().lines.iter().map(|line| line.key).collect();
    let mut solid = lines.iter().filter(|line| !line.is_blank());
    let absent = solid.find(|line| !there.contains(&words_key(line.body)))?;
    Some(absent.body.to_owned())
}

impl FilePatch {
    /// Plans the hunks on the text of the file; for a new file on an empty text.
    ///
    /// A hunk goes where its context and removed lines stand, whatever its numbers say. Only
    /// where they stand at several places do `@@` texts, `*** End of File`, the order of the hunks
    /// (if they go downwards), a line number that fits exactly and the text behind the numbers decide; if they do not, the patch
    /// is refused.
    /// [`Match::edit`](crate::Match::edit) is the index of the hunk.
    ///
    /// # Errors
    ///
    /// [`PatchError`] names the hunk and what stands in the file instead.
    pub fn place(&self, text: &str) -> Result<Plan, PatchError> {
        self.place_while(text, &|| true)
    }

    /// [`FilePatch::place`] as long as `go_on` answers `true`; it is asked before each hunk.
    ///
    /// # Errors
    ///
    /// As [`FilePatch::place`], and [`PatchError::Stopped`].
    pub fn place_while(&self, text: &str, go_on: &dyn Fn() -> bool) -> Result<Plan, PatchError> {
        match &self.operation {
            FileOperation::Create { .. } => self.create(text, go_on),
            FileOperation::Replace { .. } => self.replace(text),
            FileOperation::Delete { any_content, .. } => self.delete(text, *any_content),
            _ if self.hunks.is_empty() => Ok(Plan::default()),
            _ if self.has_mark() && !text.contains(BYTE_ORDER_MARK) => {
                match self.without_marks().update(text, go_on) {
                    Err(PatchError::NoChange { path }) if self.drops_mark() => {
                        Err(PatchError::OnlyMark { path })
                    }
                    plan => plan,
                }
            }
            _ => self.update(text, go_on),
        }
    }

    /// Whether a line of a hunk begins with a byte order mark, as `git diff` prints the first of a file that has one.
    fn has_mark(&self) -> bool {
        let mut lines = self.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.any(|line| line.text.starts_with(BYTE_ORDER_MARK))
    }

    /// Whether a line with a byte order mark goes and none comes in its place. The mark of a file stays nevertheless.
    #[must_use]
    pub fn drops_mark(&self) -> bool {
        let is_dropped = |hunk: &Hunk| hunk.has_mark(Side::Added) && !hunk.has_mark(Side::Removed);
        self.hunks.iter().any(is_dropped)
    }

    /// The same for a text whose mark is set aside. A mark that only a new line has is a part of that line.
    fn without_marks(&self) -> Self {
        let mut bare = self.clone();
        for hunk in bare
            .hunks
            .iter_mut()
            .filter(|hunk| hunk.has_mark(Side::Added))
        {
            for line in &mut hunk.lines {
                if let Some(text) = line.text.strip_prefix(BYTE_ORDER_MARK) {
                    line.text = text.to_owned();
                }
            }
        }
        bare
    }

    /// The lines of the new file, with what later updates in the same patch make of them.
    fn create(&self, text: &str, go_on: &dyn Fn() -> bool) -> Result<Plan, PatchError> {
        if !text.is_empty() {
            return Err(PatchError::Exists {
                path: self.shown_path(),
            });
        }
        let mut parts = self.hunks.chunk_by(|one, next| one.part == next.part);
        let first = parts.next().unwrap_or_default();
        let mut left = self.added(first)?;
        let mut start = first.len();
        for part in parts {
            let next = self.update_by(start..start + part.len(), &left, go_on)?;
            left = next.apply(&left);
            start += part.len();
        }
        Ok(whole(0..0, left))
    }

    /// All of the text gives way to the added lines. They get the line ends of a file that has CRLF throughout, as in a whole write.
    fn replace(&self, text: &str) -> Result<Plan, PatchError> {
        let mut new = self.added(&self.hunks)?;
        let has_carriages = text.contains('\n') && !text.replace("\r\n", "").contains('\n');
        if has_carriages && !new.contains('\r') {
            new = new.replace('\n', "\r\n");
        }
        if new == text {
            return Err(PatchError::NoChange {
                path: self.shown_path(),
            });
        }
        Ok(whole(0..text.len(), new))
    }

    /// The lines of hunks that do nothing but add.
    fn added(&self, hunks: &[Hunk]) -> Result<String, PatchError> {
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
        if lines().any(|line| line.side != Side::Added) {
            return Err(PatchError::NewFileWithOldLines {
                path: self.shown_path(),
            });
        }
        Ok(joined(lines()))
    }

    /// The removed lines have to be the whole file, unless it goes whatever it contains.
    fn delete(&self, text: &str, any_content: bool) -> Result<Plan, PatchError> {
        let path = || self.shown_path();
        let has_new = self
            .hunks
            .iter()
            .any(|hunk| hunk.side(Side::Removed).next().is_some());
        let bare = |text: &str| {
            let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
            text.replace("\r\n", "\n").trim_end_matches('\n').to_owned()
        };
        if self.hunks.is_empty() {
            if !any_content && !text.is_empty() {
                return Err(PatchError::NotEmpty { path: path() });
            }
        } else {
            let old = joined(self.hunks.iter().flat_map(|hunk| hunk.side(Side::Added)));
            if has_new || bare(&old) != bare(text) {
                return Err(PatchError::OtherContent { path: path() });
            }
        }
        Ok(whole(0..text.len(), String::new()))
    }

    /// Plans the hunks with these indices.
    pub(crate) fn update_by(
        &self,
        hunks: Range<usize>,
        text: &str,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Plan, PatchError> {
        let index = TextIndex::new(text);
        let mut finder = Finder::new(&index);
        let mut chooser = Chooser::new(&index);
        let mut placed: Vec<Placed> = Vec::with_capacity(hunks.len());
        let (mut unshifted, mut ordered) = (Vec::new(), None);
        let has_carriage = self
            .hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .any(|line| line.carriage);
        for (at, hunk) in hunks.clone().zip(self.hunks.get(hunks).unwrap_or_default()) {
            if !go_on() {
                return Err(PatchError::Stopped);
            }
            let at = self.hunk_at(at, hunk);
            let sides = Sides::of(hunk, has_carriage);
            let is_move = matches!(self.operation, FileOperation::Move { .. });
            if sides.is_unchanged() && !is_move {
                return Err(PatchError::NothingInHunk { at });
            }
            let found = self.found(&index, &mut finder, &mut chooser, (hunk, &sides), &at)?;
            if chooser.took_order() && ordered.is_none() {
                ordered = Some(several(&index, &finder.candidates(&sides.old), &at));
            }
            if sides.is_unchanged() {
                // An envelope has to have a hunk, also where it only gives a file another name.
                continue;
            }
            placed.push(Placed::new(&index, &found, &sides, &at)?);
            if found.indentation.is_none() {
                unshifted.push((at, sides));
            }
        }
        if let Some(several) = ordered.filter(|_| !chooser.is_downwards()) {
            return Err(several);
        }
        if placed.is_empty() {
            return Ok(Plan::default());
        }
        self.check_spelling(text, &placed)?;
        if unshifted.len() < placed.len() {
            refuse_twins(&index, &mut finder, &unshifted)?;
        }
        self.plan(text, placed)
    }

    fn hunk_at(&self, index: usize, hunk: &Hunk) -> HunkAt {
        HunkAt {
            path: self.shown_path(),
            hunk: index + 1,
            total: self.hunks.len(),
            patch_line: hunk.patch_line,
            is_later_part: hunk.part > 0,
        }
    }

    fn found(
        &self,
        index: &TextIndex<'_>,
        finder: &mut Finder<'_, '_>,
        chooser: &mut Chooser<'_, '_>,
        (hunk, sides): (&Hunk, &Sides<'_>),
        at: &HunkAt,
    ) -> Result<LocatedMatch, PatchError> {
        if sides.old.is_empty() {
            let place = chooser.choose_empty(hunk).map(LocatedMatch::nothing_at);
            return place.ok_or_else(|| PatchError::NoPlace { at: at.clone() });
        }
        let candidates = finder.candidates(&sides.old);
        if candidates.matching.is_empty() {
            return Err(self.missing(index, finder, sides, at));
        }
        let candidate = chooser
            .choose(hunk, &candidates)
            .ok_or_else(|| not_chosen(index, hunk, &candidates, at))?;
        if let Some((anchor, start)) = chooser.anchor_below(hunk, &candidate) {
            let mut counter = LineCounter::new(index.text);
            return Err(PatchError::AboveAnchor {
                at: at.clone(),
                anchor: anchor.to_owned(),
                line: counter.line_at(candidate.range.start),
                anchor_line: counter.line_at(start),
            });
        }
        let found = candidate.found(index.text, &sides.old);
        found.ok_or_else(|| self.missing(index, finder, sides, at))
    }

    fn missing(
        &self,
        index: &TextIndex<'_>,
        finder: &mut Finder<'_, '_>,
        sides: &Sides<'_>,
        at: &HunkAt,
    ) -> PatchError {
        let added: usize = sides
            .added
            .iter()
            .map(|line| solid_length(&line.text))
            .sum();
        if added >= MIN_APPLIED_TEXT
            && let [candidate] = finder.candidates(&sides.new).matching.as_slice()
        {
            let lines = lines_of(index.text, &candidate.range);
            return PatchError::AlreadyApplied {
                at: at.clone(),
                lines,
            };
        }
        PatchError::NotFound {
            at: at.clone(),
            expected: sides.old.iter().map(|line| line.body.to_owned()).collect(),
            absent: absent_line(index, &sides.old),
            candidate: candidates(index, &sides.old, &[])
                .into_iter()
                .next()
                .map(Box::new),
        }
    }

    /// Refuses added lines in typographic characters, where another hunk shows that the patch has those for plain ones.
    fn check_spelling(&self, text: &str, placed: &[Placed]) -> Result<(), PatchError> {
        let side = |hunk: &Hunk, without| joined(hunk.side(without));
        let hunks = || {
            let matches = placed.iter().map(|one| &one.matched);
            let hunks = matches.filter_map(|found| Some((found, self.hunks.get(found.edit)?)));
            hunks.filter(|(_, hunk)| hunk.lines.iter().any(|line| !line.text.is_ascii()))
        };
        let mut typography = Typography::default();
        for (found, hunk) in
            hunks().filter(|(found, _)| found.match_level >= MatchLevel::Typography)
        {
            let file = text.get(found.range.clone()).unwrap_or_default();
            typography.add(found.edit, &side(hunk, Side::Added), file);
        }
        for (found, hunk) in hunks().filter(|(found, _)| found.match_level < MatchLevel::Typography)
        {
            let (old, new) = (side(hunk, Side::Added), side(hunk, Side::Removed));
            if let Some((sign, other)) = typography.added(found.edit, &old, &new) {
                return Err(PatchError::OtherSpelling {
                    at: self.hunk_at(found.edit, hunk),
                    other: other + 1,
                    sign,
                });
            }
        }
        Ok(())
    }

    fn plan(&self, text: &str, mut placed: Vec<Placed>) -> Result<Plan, PatchError> {
        placed.sort_by_key(|one| (one.splice.range.start, one.splice.range.end));
        for (left, right) in placed.iter().zip(placed.iter().skip(1)) {
            let (a, b) = (&left.splice.range, &right.splice.range);
            if b.start < a.end || a == b {
                return Err(PatchError::Overlap {
                    path: self.shown_path(),
                    first: left.matched.edit.min(right.matched.edit) + 1,
                    second: left.matched.edit.max(right.matched.edit) + 1,
                    lines: lines_of(text, b),
                });
            }
        }
        let is_same = |one: &Placed| {
            text.get(one.splice.range.clone()) == Some(one.splice.replacement.as_str())
        };
        if placed.iter().all(is_same) {
            return Err(PatchError::NoChange {
                path: self.shown_path(),
            });
        }
        let mut counter = LineCounter::new(text);
        for one in &mut placed {
            let lines = counter.lines_of(&one.matched.range);
            (one.matched.first_line, one.matched.last_line) = (lines.first, lines.last);
        }
        let splices = placed.iter().map(|one| one.splice.clone()).collect();
        let mut matches: Vec<Match> = placed.into_iter().map(|one| one.matched).collect();
        matches.sort_by_key(|matched| matched.edit);
        Ok(Plan { splices, matches })
    }
}

/// The refusal of a hunk none of whose places was chosen: several, or one that its header contradicts.
fn not_chosen(
    index: &TextIndex<'_>,
    hunk: &Hunk,
    candidates: &Candidates,
    at: &HunkAt,
) -> PatchError {
    if let ([start], Some(position)) = (candidates.all_starts().as_slice(), hunk.position) {
        return PatchError::OtherLine {
            at: at.clone(),
            line: index.line_at(*start),
            stated: position.old_start,
        };
    }
    several(index, candidates, at)
}

/// The refusal of a hunk whose lines stand at these places.
fn several(index: &TextIndex<'_>, candidates: &Candidates, at: &HunkAt) -> PatchError {
    let mut counter = LineCounter::new(index.text);
    let starts = candidates.all_starts().into_iter();
    PatchError::Ambiguous {
        at: at.clone(),
        lines: starts.map(|start| counter.line_at(start)).collect(),
    }
}

/// A patch whose hunks are indented otherwise than the file may by that be equal to lines that it
/// does not mean: hunks that match as they are must have no second place then.
fn refuse_twins(
    index: &TextIndex<'_>,
    finder: &mut Finder<'_, '_>,
    unshifted: &[(HunkAt, Sides<'_>)],
) -> Result<(), PatchError> {
    for (at, sides) in unshifted {
        let twins = finder.twins(&sides.old);
        if !twins.is_empty() {
            let mut counter = LineCounter::new(index.text);
            return Err(PatchError::Ambiguous {
                at: at.clone(),
                lines: twins.iter().map(|start| counter.line_at(*start)).collect(),
            });
        }
    }
    Ok(())
}

fn whole(range: Range<usize>, replacement: String) -> Plan {
    Plan {
        splices: vec![Splice { range, replacement }],
        matches: Vec::new(),
    }
}

fn joined<'a>(lines: impl Iterator<Item = &'a HunkLine>) -> String {
    let mut text = String::new();
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        text.push_str(&line.text);
        let is_inside = lines.peek().is_some();
        text.push_str(match (line.ended || is_inside, line.carriage) {
            (false, _) => "",
            (true, true) => "\r\n",
            (true, false) => "\n",
        });
    }
    text
}

/// A hunk at its place.
struct Placed {
    matched: Match,
    splice: Splice,
}

impl Placed {
    fn new(
        index: &TextIndex<'_>,
        found: &LocatedMatch,
        sides: &Sides<'_>,
        at: &HunkAt,
    ) -> Result<Self, PatchError> {
        let text = index.text;
        let unclear = |reason: Unclear| PatchError::Unclear {
            at: at.clone(),
            match_level: found.match_level,
            lines: lines_of(text, &found.range),
            reason,
        };
        let is_exact =
            found.match_level == MatchLevel::Exact && (!sides.old.is_empty() || sides.has_carriage);
        let map = found.indentation.as_ref();
        if map.is_some_and(IndentationMap::adds_one_blank) {
            // As if the lines of context had lost their sign.
            return Err(unclear(Unclear::Indentation));
        }
        let knows_end = is_exact || has_same_last_end(text, found, &sides.old);
        let old = respelt(&sides.old, knows_end);
        let ends_text = (knows_end || sides.old.is_empty()) && found.range.end == text.len();
        let new = respelt(&sides.new, ends_text);
        if map.is_some() {
            check_indentation(index, found, &old, &new).map_err(unclear)?;
        }
        let range = inner_range(found, sides);
        let merge = Merge {
            text,
            range: range.clone(),
            old: &old,
            new: &new,
            places: &found.places,
            indentation: map,
            ignores_trailing_blanks: false,
            is_patch: true,
            literal_ends: (is_exact && sides.reports_ends())
                || has_same_ends(text, found, &sides.old),
        };
        let mut replacement = merge.with_steps(sides.inner_steps()).map_err(unclear)?;
        let is_open = !text.is_empty() && !text.ends_with('\n');
        if is_open && range.is_empty() && range.start == text.len() {
            replacement = behind_open_end(text, replacement);
        }
        let matched = Match {
            edit: at.hunk - 1,
            match_level: found.match_level,
            decoration: None,
            range: found.range.clone(),
            first_line: 0,
            last_line: 0,
        };
        Ok(Self {
            matched,
            splice: Splice { range, replacement },
        })
    }
}

/// The bytes between the unchanged lines at both ends of a hunk.
fn inner_range(found: &LocatedMatch, sides: &Sides<'_>) -> Range<usize> {
    let inner = sides.inner_old();
    let before = inner
        .start
        .checked_sub(1)
        .and_then(|before| found.places.get(before));
    let start = before.map_or(found.range.start, |before| before.end);
    let last = found.places.get(inner).and_then(<[_]>::last);
    start..last.map_or(start, |last| last.end)
}

/// Whether the old lines end the file, with the last line end that it has or without the one that it lacks.
fn has_same_last_end(text: &str, found: &LocatedMatch, old: &[CallLine<'_>]) -> bool {
    let is_ended = |line: &CallLine<'_>| line.ended == text.ends_with('\n');
    found.range.end == text.len() && old.last().is_some_and(is_ended)
}

/// Whether the patch reports the line ends of the file: those of all its old lines are right. Bare
/// empty lines are left aside, as they lose theirs, and lines without an end, which show none.
fn has_same_ends(text: &str, found: &LocatedMatch, old: &[CallLine<'_>]) -> bool {
    let is_same = |(place, line): (&Range<usize>, &CallLine<'_>)| {
        let bytes = text.get(place.clone()).unwrap_or_default();
        let is_reporting = !line.is_blank() && bytes.ends_with('\n');
        is_reporting.then(|| bytes.ends_with("\r\n") == line.carriage)
    };
    let mut reporting = found.places.iter().zip(old).filter_map(is_same).peekable();
    found.places.len() == old.len() && reporting.peek().is_some() && reporting.all(|same| same)
}

/// Below match level 1, and where the file goes on behind the hunk, the lack of a last line end does not count: the file
/// keeps its own.
fn respelt<'a>(lines: &[CallLine<'a>], keeps_ends: bool) -> Vec<CallLine<'a>> {
    lines
        .iter()
        .map(|line| if keeps_ends { *line } else { with_end(line) })
        .collect()
}

/// Lines that are added behind a last line without an end: that line gets one, and the new last
/// line has none.
fn behind_open_end(text: &str, added: String) -> String {
    let line_end = LineEnd::in_use_at(text, text.len())
        .unwrap_or(LineEnd::Lf)
        .as_str();
    let body = added.strip_suffix(line_end).unwrap_or(&added);
    format!("{line_end}{body}")
}
