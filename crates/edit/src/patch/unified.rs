//! Unified diffs, with the extended headers of git.

use crate::patch::counted::{Counted, fits, is_cut_off, lost_replacement};
use crate::patch::envelope::{hunk_line, is_no_newline, unend};
use crate::patch::header::{heading, is_combined, signed};
use crate::patch::input::{Input, PatchLine, is_closing, is_lost_line};
use crate::patch::name::{
    SideName, git_line_mismatch, git_names, is_at_epoch, name, one_of_two, side_name,
    without_prefixes,
};
use crate::patch::{FileOperation, FilePatch, Hunk, PatchError, Position, Side};

/// Reads all files of a diff.
pub(crate) fn parse(
    input: &Input<'_>,
    is_file: &dyn Fn(&str) -> bool,
) -> Result<Vec<FilePatch>, PatchError> {
    let mut parser = Parser {
        lines: &input.lines,
        at: 0,
        is_open: input.is_open,
        is_file,
    };
    let mut files = Vec::new();
    while let Some(line) = parser.peek() {
        if line.text.starts_with("diff --git ") || parser.is_names() {
            files.extend(parser.file()?);
        } else if is_combined(line.text) {
            return Err(combined(line));
        } else if line.text.starts_with("@@ -") {
            return Err(malformed(
                line,
                "a hunk needs `---` and `+++` lines with the file name above it",
            ));
        } else if is_binary(line.text) {
            return Err(PatchError::Binary { line: line.number });
        } else {
            parser.at += 1;
        }
    }
    Ok(files)
}

fn is_binary(text: &str) -> bool {
    text == "GIT binary patch" || (text.starts_with("Binary files ") && text.ends_with(" differ"))
}

/// Whether a mail begins, as in what `git format-patch --stdout` writes: its message may have lines like those of a hunk.
fn begins_mail(text: &str) -> bool {
    let commit = text
        .strip_prefix("From ")
        .and_then(|rest| rest.split_once(' '));
    commit.is_some_and(|(hash, _)| {
        hash.len() >= 40 && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

fn malformed(line: &PatchLine<'_>, expected: &'static str) -> PatchError {
    PatchError::Malformed {
        line: line.number,
        text: line.text.to_owned(),
        expected,
    }
}

pub(crate) fn combined(line: &PatchLine<'_>) -> PatchError {
    PatchError::Combined {
        line: line.number,
        text: line.text.to_owned(),
    }
}

struct Parser<'i, 'a> {
    lines: &'i [PatchLine<'a>],
    at: usize,
    /// Whether the last line has no end.
    is_open: bool,
    /// Whether there is a file of a name.
    is_file: &'i dyn Fn(&str) -> bool,
}

/// What the header lines of one file say.
#[derive(Debug, Default)]
struct Header {
    first_line: usize,
    git: Option<(String, String)>,
    /// What stands behind `diff --git`.
    git_line: String,
    names: Option<(SideName, SideName)>,
    /// Whether the times behind the names are those of a file that is not there.
    at_epoch: (bool, bool),
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    is_new: bool,
    is_deleted: bool,
    /// Whether its lines say that the text changes.
    announces_hunks: bool,
    rename: (Option<String>, Option<String>),
    copy: (Option<String>, Option<String>),
}

impl<'i, 'a> Parser<'i, 'a> {
    fn peek(&self) -> Option<&'i PatchLine<'a>> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Option<&'i PatchLine<'a>> {
        self.lines.get(self.at + by)
    }

    fn is_ahead(&self, by: usize, prefix: &str) -> bool {
        self.ahead(by)
            .is_some_and(|line| line.text.starts_with(prefix))
    }

    /// Whether the next lines are the `---` and `+++` of a file.
    fn is_names(&self) -> bool {
        self.is_ahead(0, "--- ") && self.is_ahead(1, "+++ ")
    }

    fn file(&mut self) -> Result<Option<FilePatch>, PatchError> {
        let header = self.header()?;
        let mut hunks = Vec::new();
        if header.names.is_some() {
            hunks.extend(self.headless_hunk()?);
        }
        while let Some(line) = self.peek() {
            if is_combined(line.text) {
                return Err(combined(line));
            } else if line.text.starts_with("@@") {
                hunks.push(self.hunk()?);
            } else if line.text.starts_with("diff --git ") || self.is_names() {
                break;
            } else if is_binary(line.text) {
                return Err(PatchError::Binary { line: line.number });
            } else if begins_mail(line.text) {
                break;
            } else if !hunks.is_empty() && is_lost_line(line.text) {
                let expected =
                    "it is outside any hunk; a hunk line begins with a space, `-` or `+`";
                return Err(malformed(line, expected));
            } else if !hunks.is_empty() && self.is_cut_head(line) {
                return Err(PatchError::Incomplete);
            } else {
                self.at += 1;
            }
        }
        header.file(hunks, self.is_file)
    }

    /// Whether the patch ends in the middle of the line that begins the next hunk or file.
    fn is_cut_head(&self, line: &PatchLine<'_>) -> bool {
        let is_last = self.is_open && self.ahead(1).is_none() && !line.text.is_empty();
        is_last
            && ["@@ -", "diff --git "]
                .iter()
                .any(|head| head.starts_with(line.text))
    }

    fn header(&mut self) -> Result<Header, PatchError> {
        let mut header = Header {
            first_line: self.peek().map_or(0, |line| line.number),
            ..Header::default()
        };
        while let Some(line) = self.peek() {
            if self.is_names() {
                let next = self.ahead(1).map_or("", |line| line.text);
                let old = line.text.get(4..).unwrap_or_default();
                let new = next.get(4..).unwrap_or_default();
                header.at_epoch = (is_at_epoch(old), is_at_epoch(new));
                let old = side_name(line.number, old, &header.git_line)?;
                let new = side_name(line.number + 1, new, &header.git_line)?;
                header.names = Some((old, new));
                header.announces_hunks = true;
                self.at += 2;
                break;
            }
            if line.text.starts_with("diff --git ") && header.git.is_some()
                || line.text.starts_with("@@")
                || !header.read(line)?
            {
                break;
            }
            self.at += 1;
        }
        Ok(header)
    }

    fn hunk(&mut self) -> Result<Hunk, PatchError> {
        let Some(head) = self.peek() else {
            return Ok(Hunk::default());
        };
        self.at += 1;
        let heading = heading(head.text);
        let mut hunk = Hunk {
            position: heading.position,
            patch_line: head.number,
            ..Hunk::default()
        };
        heading.name(&mut hunk);
        self.body(hunk)
    }

    /// The lines of a hunk right below the names, as under a bare `@@` that was forgotten; `None` if none of them is changed.
    fn headless_hunk(&mut self) -> Result<Option<Hunk>, PatchError> {
        let begin = self.at;
        while self.peek().is_some_and(|line| line.text.is_empty()) {
            self.at += 1;
        }
        let first = self.peek().filter(|line| signed(line.text).is_some());
        if let Some(first) = first.filter(|_| !self.is_names()) {
            let hunk = self.body(Hunk {
                patch_line: first.number,
                ..Hunk::default()
            })?;
            if hunk.lines.iter().any(|line| line.side != Side::Context) {
                return Ok(Some(hunk));
            }
        }
        self.at = begin;
        Ok(None)
    }

    fn body(&mut self, mut hunk: Hunk) -> Result<Hunk, PatchError> {
        let mut bare_end = 0;
        let mut counted = Counted::default();
        while let Some(line) = self.peek() {
            counted.go_on(&hunk);
            let is_full = counted.is_full(&hunk);
            if self.ends_hunk(line.text, is_full, &counted, hunk.position) {
                break;
            }
            if is_no_newline(line.text) {
                unend(&mut hunk.lines);
                bare_end = 0;
            } else if line.text.is_empty() {
                hunk.lines.push(hunk_line(Side::Context, "", line));
                bare_end += 1;
            } else if let Some((side, text)) = signed(line.text) {
                hunk.lines.push(hunk_line(side, text, line));
                bare_end = 0;
            } else if is_full || hunk.position.is_none() || is_closing(line.text) {
                break;
            } else {
                return Err(malformed(
                    line,
                    "a line of a hunk begins with a blank, `-` or `+`",
                ));
            }
            self.at += 1;
        }
        if self.peek().is_none() && is_cut_off(&hunk, self.is_open) {
            return Err(PatchError::Incomplete);
        }
        while bare_end > 0 && !fits(&hunk) {
            hunk.lines.pop();
            bare_end -= 1;
        }
        if self.peek().is_none()
            && let Some(lost) = lost_replacement(&hunk)
        {
            return Err(PatchError::CutOff {
                patch_line: hunk.patch_line,
                wanted: lost.wanted,
                has: lost.has,
            });
        }
        Ok(hunk)
    }

    /// Whether the hunk is over. `--- x` above `+++ y` is a header only if the numbers of the
    /// hunk do not ask for more lines.
    fn ends_hunk(
        &self,
        text: &str,
        is_full: bool,
        counted: &Counted,
        position: Option<Position>,
    ) -> bool {
        if text.starts_with("@@") || text.starts_with("diff --git ") {
            return true;
        }
        // Whether the numbers of the header above ask for the lines that look like names.
        let is_wanted = position.is_some_and(|position| {
            counted.old < position.old_count && counted.new < position.new_count
        });
        let may_end = is_full || position.is_none();
        if self.is_names() && (may_end || (self.is_ahead(2, "@@") && !is_wanted)) {
            return true;
        }
        // The signature of a mail ends the last hunk of a patch.
        is_full && (text == "-- " || text == "--")
    }
}

impl Header {
    /// Reads one header line; false if it is none.
    fn read(&mut self, line: &PatchLine<'_>) -> Result<bool, PatchError> {
        let number = line.number;
        let after = |prefix: &str| line.text.strip_prefix(prefix);
        if let Some(names) = after("diff --git ") {
            names.clone_into(&mut self.git_line);
            self.git = git_names(names).or_else(|| Some((String::new(), String::new())));
        } else if let Some(mode) = after("old mode ") {
            self.old_mode = Some(file_mode(number, mode)?);
        } else if let Some(mode) = after("new mode ") {
            self.new_mode = Some(file_mode(number, mode)?);
        } else if let Some(mode) = after("new file mode ") {
            self.is_new = true;
            self.new_mode = Some(file_mode(number, mode)?);
        } else if let Some(mode) = after("deleted file mode ") {
            self.is_deleted = true;
            self.old_mode = Some(file_mode(number, mode)?);
        } else if let Some(from) = after("rename from ") {
            self.rename.0 = Some(name(number, from, &self.git_line)?);
        } else if let Some(to) = after("rename to ") {
            self.rename.1 = Some(name(number, to, &self.git_line)?);
        } else if let Some(from) = after("copy from ") {
            self.copy.0 = Some(name(number, from, &self.git_line)?);
        } else if let Some(to) = after("copy to ") {
            self.copy.1 = Some(name(number, to, &self.git_line)?);
        } else if is_binary(line.text) {
            return Err(PatchError::Binary { line: number });
        } else if let Some(hashes) = after("index ") {
            self.announces_hunks |= is_other_text(hashes);
            // Of a link that leads elsewhere, git writes the mode only here.
            if let Some((_, mode)) = hashes.trim_end().split_once(' ') {
                file_mode(number, mode)?;
            }
        } else if let Some(share) = after("similarity index ") {
            self.announces_hunks |= share.trim() != "100%";
        } else {
            return Ok(line.text.starts_with("dissimilarity index "));
        }
        Ok(true)
    }

    fn file(
        self,
        hunks: Vec<Hunk>,
        is_file: &dyn Fn(&str) -> bool,
    ) -> Result<Option<FilePatch>, PatchError> {
        let operation = self.operation(&hunks, is_file)?;
        self.check_names(&operation)?;
        if hunks.is_empty() && self.announces_hunks {
            return Err(PatchError::HunksMissing {
                path: operation.path().to_owned(),
                line: self.first_line,
            });
        }
        let is_empty_change = hunks.is_empty()
            && matches!(operation, FileOperation::Update { .. })
            && self.new_mode.is_none();
        if is_empty_change {
            let FileOperation::Update { path } = operation else {
                return Ok(None);
            };
            return Err(PatchError::NoHunks {
                path,
                line: self.first_line,
            });
        }
        let Self {
            old_mode, new_mode, ..
        } = self;
        Ok(Some(FilePatch {
            operation,
            old_mode,
            new_mode,
            hunks,
        }))
    }

    /// Whether the `diff --git` line has the names of the operation: where a patch is cut off or was put together by hand,
    /// one of the two may be another file.
    fn check_names(&self, operation: &FileOperation) -> Result<(), PatchError> {
        let new = operation.path();
        let old = operation.source().unwrap_or(new);
        match git_line_mismatch(&self.git_line, old, new) {
            None => Ok(()),
            Some(name) => Err(PatchError::OtherName {
                line: self.first_line,
                path: name.to_owned(),
                git: self.git_line.clone(),
            }),
        }
    }

    fn operation(
        &self,
        hunks: &[Hunk],
        is_file: &dyn Fn(&str) -> bool,
    ) -> Result<FileOperation, PatchError> {
        if let (Some(from), Some(to)) = &self.rename {
            return Ok(FileOperation::Move {
                from: from.clone(),
                to: to.clone(),
            });
        }
        if let (Some(from), Some(to)) = &self.copy {
            return Ok(FileOperation::Copy {
                from: from.clone(),
                to: to.clone(),
            });
        }
        let (old, new) = self.sides(hunks)?;
        match (old, new) {
            (SideName::Absent, SideName::Path(path)) => Ok(FileOperation::Create { path }),
            (SideName::Path(path), SideName::Absent) => Ok(deletion(path)),
            (SideName::Absent, SideName::Absent) => {
                Err(self.name_error("/dev/null".to_owned(), "on both sides"))
            }
            (SideName::Path(_), SideName::Path(path)) if self.is_new => {
                Ok(FileOperation::Create { path })
            }
            (SideName::Path(path), SideName::Path(_)) if self.is_deleted => Ok(deletion(path)),
            (SideName::Path(old), SideName::Path(new)) => {
                let path =
                    same_file(&old, &new).or_else(|| file_beside(&old, &new, hunks, is_file));
                let reason = "which are not the same; give both the same name, or for a renamed file `rename from` and `rename to` lines";
                let path =
                    path.ok_or_else(|| self.name_error(format!("{old}` and `{new}"), reason))?;
                Ok(FileOperation::Update { path })
            }
        }
    }

    /// The names of both sides as they are in the work tree.
    fn sides(&self, hunks: &[Hunk]) -> Result<(SideName, SideName), PatchError> {
        let path = |name: &String| SideName::Path(name.clone());
        let git = self.git.as_ref().filter(|(old, _)| !old.is_empty());
        let names = self
            .names
            .clone()
            .or_else(|| git.map(|(old, new)| (path(old), path(new))));
        let (mut old, mut new) =
            names.ok_or_else(|| self.name_error(String::new(), "which is unknown"))?;
        if old.is_nowhere() != new.is_nowhere() {
            (old, new) = (old.or_absent(), new.or_absent());
        }
        let is_empty = |without| hunks.iter().all(|hunk| hunk.side(without).next().is_none());
        if self.at_epoch.0 && is_empty(Side::Added) {
            old = SideName::Absent;
        } else if self.at_epoch.1 && is_empty(Side::Removed) {
            new = SideName::Absent;
        }
        // Two names that are the same have no prefixes: `git diff --no-prefix`.
        let is_of = |name: &SideName, bare: &String| match name {
            SideName::Absent => true,
            SideName::Path(path) => path == bare,
        };
        Ok(match git {
            Some((bare, other)) if bare == other && is_of(&old, bare) && is_of(&new, bare) => {
                (old, new)
            }
            _ => without_prefixes(&old, &new),
        })
    }

    fn name_error(&self, name: String, reason: &'static str) -> PatchError {
        PatchError::Name {
            line: self.first_line,
            name,
            reason,
        }
    }
}

/// The file that two names mean by what there is, if the hunks have lines that show that it is the right one.
fn file_beside(
    old: &str,
    new: &str,
    hunks: &[Hunk],
    is_file: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let has_old = |hunk: &Hunk| hunk.side(Side::Added).next().is_some();
    let is_shown = hunks.iter().any(has_old);
    is_shown.then(|| one_of_two(old, new, is_file))?
}

const fn deletion(path: String) -> FileOperation {
    FileOperation::Delete {
        path,
        any_content: false,
    }
}

/// The hashes that git gives to an empty file, by SHA-1 and by SHA-256.
const EMPTY: [&str; 2] = [
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
];

/// Whether an `index` line says that there is other text afterwards: `0000000` stands for no file.
fn is_other_text(hashes: &str) -> bool {
    let hashes = hashes.split(' ').next().unwrap_or_default();
    let Some((old, new)) = hashes.split_once("..") else {
        return true;
    };
    let is_none = |hash: &str| hash.is_empty() || hash.bytes().all(|digit| digit == b'0');
    let is_empty = |hash: &str| hash.len() > 3 && EMPTY.iter().any(|empty| empty.starts_with(hash));
    let has_text = |hash: &str| !is_none(hash) && !is_empty(hash);
    old != new && (has_text(old) || has_text(new))
}

/// The file that is meant by two names of which one may be that of a backup.
fn same_file(old: &str, new: &str) -> Option<String> {
    let is_backup = |name: &str, of: &str| {
        name.strip_prefix(of)
            .is_some_and(|suffix| [".orig", ".old", ".bak", "~"].contains(&suffix))
    };
    if old == new || is_backup(old, new) {
        return Some(new.to_owned());
    }
    is_backup(new, old).then(|| old.to_owned()).or_else(|| {
        let added = new.strip_suffix(".new").is_some_and(|bare| bare == old);
        added.then(|| old.to_owned())
    })
}

fn file_mode(line: usize, text: &str) -> Result<u32, PatchError> {
    let mode = u32::from_str_radix(text.trim(), 8).map_err(|_| PatchError::Malformed {
        line,
        text: text.to_owned(),
        expected: "a mode such as 100644 has to stand here",
    })?;
    if mode & 0o170_000 != 0o100_000 {
        return Err(PatchError::Mode { line, mode });
    }
    Ok(mode)
}
