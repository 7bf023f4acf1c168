//! What patterns reach through links that are there: `lnk/*`, `l*/x`, and everything in a directory whose path leads
//! through a link. A pattern is compared with rules under the names that it is written with and under those to which
//! links lead.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tenon_shell::{Part, Word};

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::DirId;
use crate::commands::words::Selection;
use crate::glob::Segment;
use crate::paths::{ListedKind, Resolved, There, parts, within};

/// How many links are followed, and how many directories are looked into for one pattern.
const MOST: usize = 256;

/// Where a pattern has got to.
struct Step {
    target: PathBuf,
    /// How many parts of the pattern lie behind it.
    done: usize,
}

/// What is left of a pattern behind the directories that were gone through.
struct Rest<'w> {
    word: &'w Word,
    parts: Vec<String>,
    forms: Vec<Vec<Segment>>,
}

impl Rest<'_> {
    /// Notes that a link leads the first so many parts to `target`.
    fn reaches(&mut self, target: &Path, done: usize, root: &Path) -> Option<()> {
        let directory = parts(target.strip_prefix(root).ok()?);
        let rest = self.parts.get(done..).unwrap_or_default();
        let form = if rest.is_empty() {
            let names = directory.iter().map(|part| part.as_str().into());
            names.map(Segment::Literal).collect()
        } else {
            let mut word = Word::synthetic("", self.word.span);
            word.parts.clear();
            word.parts.push(Part::text(rest.join("/"), false));
            crate::shell_pattern::form(&directory, &word)?
        };
        if !self.forms.contains(&form) {
            self.forms.push(form);
        }
        (self.forms.len() <= MOST).then_some(())
    }
}

impl<'e> CommandJudge<'e, '_> {
    /// The forms of what this word reaches from a directory through links that are there; `None` when that cannot be
    /// determined.
    pub(crate) fn reached(&self, directory: DirId, word: &Word) -> Option<Vec<Vec<Segment>>> {
        let (above, parts) = crate::shell_pattern::directory_and_rest(word)?;
        if parts.iter().any(|part| part == "..") {
            return None;
        }
        let mut rest = Rest {
            word,
            parts,
            forms: Vec::new(),
        };
        let here = self.path_table.path(directory);
        let written = match above.as_str() {
            "." => Cow::Borrowed(&*here),
            above => Cow::Owned(within(&here, above)),
        };
        let root = &self.engine.root;
        let from = self.path_table.target_of(&written)?;
        if from.as_os_str() != written.as_os_str() && *from != *crate::paths::lexical(&written) {
            rest.reaches(&from, 0, root)?;
        }
        let mut steps = vec![Step {
            target: from.to_path_buf(),
            done: 0,
        }];
        let mut looked = 0;
        while let Some(step) = steps.pop() {
            looked += 1;
            if looked > MOST {
                return None;
            }
            let Some(part) = rest.parts.get(step.done).cloned() else {
                continue;
            };
            let names = if part.contains(['*', '?', '[', '\\']) {
                self.fitting(&step.target, &part)?
            } else {
                vec![part]
            };
            for name in names {
                let Resolved::Inside { claim, there } =
                    self.path_table.resolve(&step.target, &name)
                else {
                    return None;
                };
                let done = step.done + 1;
                if claim.target != within(&step.target, &name) {
                    rest.reaches(&claim.target, done, root)?;
                }
                if there == There::Directory && done < rest.parts.len() {
                    let target = claim.target;
                    steps.push(Step { target, done });
                }
            }
        }
        Some(rest.forms)
    }

    /// The links, and the directories, of a directory whose names fit this part of a pattern.
    fn fitting(&self, directory: &Path, part: &str) -> Option<Vec<String>> {
        if !self.path_table.is_directory(directory) {
            return Some(Vec::new());
        }
        let entries = self.path_table.links(directory)?;
        let fitting = Selection::of_pattern(&[part.to_owned()]);
        let names = entries
            .iter()
            .filter(|entry| entry.kind != ListedKind::Other && fitting.takes(&entry.name));
        Some(names.map(|entry| entry.name.clone()).collect())
    }
}
