//! Where a path can lead beyond what stands in it: through links that the text makes, through names of a process,
//! to what a variable or a pattern can be.

use std::path::Path;
use std::sync::Arc;

use smallvec::smallvec;
use tenon_shell::{DirectoryChange, Invocation, Part, Word, below_home};

use crate::commands::judge::{CommandJudge, Usage, part_kind};
use crate::commands::resolve::links::PossibleTargets;
use crate::commands::resolve::{DirId, Site};
use crate::commands::words::Selection;
use crate::commands::words::process_paths::{ProcessPath, process_path};
use crate::decision::Why;
use crate::display::capital;
use crate::glob::Segment;
use crate::paths::{ListedKind, is_rooted, within};
use crate::rule::Kind;

/// Longer paths cannot be opened (`PATH_MAX` of Linux is 4096 with the zero at the end), though a program may go such a
/// way in steps: it does not say where links of the text lead.
const LONGEST_PATH: usize = 4095;

impl<'e> CommandJudge<'e, '_> {
    /// Whether an unknown path can go through a link of the text here.
    pub(crate) fn is_linked(&self, at: Site<'_>) -> bool {
        at.facts.links.concern(at.place)
    }

    pub(crate) fn ways(&self, directory: DirId, path: &str, at: Site<'_>) -> PossibleTargets {
        let links = &at.facts.links;
        let mut ways = PossibleTargets::default();
        if self.budget.has_ways() && path.len() <= LONGEST_PATH {
            ways = links.ways(self.path_table, directory, path, at.place);
            self.budget.take_ways(ways.paths.len());
        } else if !links.is_empty() {
            ways.lead_anywhere();
        }
        ways
    }

    /// The places to which links of the text lead a path.
    pub(crate) fn through_links(
        &mut self,
        usage: Usage<'_>,
        directory: DirId,
        path: &str,
        at: Site<'_>,
    ) {
        if !at.makes_links() {
            return;
        }
        let ways = self.ways(directory, path, at);
        if !ways.paths.is_empty() {
            let root = self.path_table.directory(Path::new("/"));
            for path in &ways.paths {
                self.at_place(usage, root, path, at);
            }
        }
        if ways.unknown {
            let why = "an earlier command may create a link on the way to it";
            self.perhaps(usage, path, None, why);
        }
    }

    /// What the links that the command makes lead to: who has a link can read and write it.
    pub(crate) fn targets_of_links(&mut self, at: Site<'_>) {
        let root = self.path_table.directory(Path::new("/"));
        for link in at.facts.links.made_at(at.place) {
            for kind in [Kind::Read, Kind::Write] {
                let usage = Usage::strict(kind);
                self.at_place(usage, root, &link.target(), at);
            }
        }
    }

    /// Whether the command goes into a directory to which a link of the text leads: where that is is not known before
    /// the text runs.
    pub(crate) fn goes_through_link(&self, invocation: &Invocation, at: Site<'_>) -> bool {
        if !at.makes_links() {
            return false;
        }
        let target = match invocation.directory_change() {
            Some(DirectoryChange::To(word)) => Some(word),
            _ => None,
        };
        let mut directories = target.into_iter().chain(&invocation.directories);
        directories.any(|directory| self.enters_link(directory, at))
    }

    /// Whether a link of the text may lead to this directory.
    pub(crate) fn enters_link(&self, word: &Word, at: Site<'_>) -> bool {
        if !at.makes_links() {
            return false;
        }
        // One of several, or a pattern, that may have the name of a link.
        let Some(path) = word.literal() else {
            return true;
        };
        let directories = self.path_table.candidates(at.dirs).into_iter().flatten();
        directories.into_iter().any(|directory| {
            let ways = self.ways(directory, path, at);
            !ways.paths.is_empty() || ways.untracked
        })
    }

    /// Where a name below `/proc` or `/dev/fd` leads, if this is one.
    pub(crate) fn process_path<'p>(
        &self,
        directory: DirId,
        path: &'p str,
    ) -> Option<ProcessPath<'p>> {
        if path.starts_with('/') && !path.contains("proc") && !path.contains("dev") {
            return None;
        }
        process_path(&self.path_table.path(directory), path)
    }

    /// A name below `/proc` or `/dev/fd`, which is another file in every process. Returns whether it is one.
    pub(crate) fn of_process(
        &mut self,
        usage: Usage<'_>,
        directory: DirId,
        path: &str,
        at: Site<'_>,
    ) -> bool {
        match self.process_path(directory, path) {
            None => return false,
            Some(ProcessPath::Directory(below)) => {
                let below = if below.is_empty() { "." } else { below };
                let at = at.in_dirs(self.path_table.working_dirs(smallvec![directory]));
                self.path(usage, below, at);
            }
            Some(ProcessPath::Root(below)) => {
                let root = self.path_table.directory(Path::new("/"));
                let at = at.in_dirs(self.path_table.working_dirs(smallvec![root]));
                self.path(usage, &format!("/{below}"), at);
            }
            Some(ProcessPath::Unknown) => {
                self.judgement.effect(part_kind(usage.kind), path);
                let why = "such a name means something else in every process";
                self.perhaps(usage, path, None, why);
            }
        }
        true
    }

    /// What a word with the variable of a loop can be.
    pub(crate) fn loop_values(&self, word: &Word, at: Site<'_>) -> Option<Vec<Word>> {
        if let Some(word) = self.in_home(word, at) {
            return Some(vec![word]);
        }
        let variable = at.facts.loops.variable(word, at.place)?;
        self.budget.take_values(variable.count())?;
        variable.values(word)
    }

    /// `~/x*` and `"$HOME"/x*` with the home directory itself, in the outer text. Who sets `HOME` is asked about that.
    pub(crate) fn in_home(&self, word: &Word, at: Site<'_>) -> Option<Word> {
        let home = self.path_table.home().filter(|_| at.place.0 == 0)?;
        below_home(word, home)
    }

    /// The paths below the workspace root that these words can be; `None` when that cannot be determined.
    pub(crate) fn forms(&self, words: &[Word], at: Site<'_>) -> Option<Vec<Vec<Segment>>> {
        // What an expansion gives has no known form.
        if self.is_linked(at)
            || at.facts.changes_patterns
            || words
                .iter()
                .any(|word| word.expansion.tilde || word.expansion.braces)
        {
            return None;
        }
        // Of what begins with an expansion only the end is known, wherever it lies.
        if words.iter().any(|word| word.pattern().is_none()) {
            return words.iter().map(crate::shell_pattern::tail_form).collect();
        }
        let directories = self.path_table.candidates(at.dirs)?;
        let mut forms = Vec::new();
        for directory in &directories {
            let path = self.path_table.path(*directory);
            let Ok(inside) = path.strip_prefix(&self.engine.root) else {
                for word in words {
                    forms.push(self.absolute_form(&in_directory(&path, word)?)?);
                }
                continue;
            };
            let below = crate::paths::parts(inside);
            for word in words {
                if is_rooted(&word.prefix()) {
                    forms.push(self.absolute_form(word)?);
                    continue;
                }
                forms.push(crate::shell_pattern::form(&below, word)?);
                forms.extend(self.reached(*directory, word)?);
            }
        }
        Some(forms)
    }

    /// The form of an absolute pattern; nothing where a link can be among what it comes to.
    fn absolute_form(&self, word: &Word) -> Option<Vec<Segment>> {
        let root = self.path_table.root()?;
        let form = crate::shell_pattern::absolute_form(root, word)?;
        let (above, parts) = crate::shell_pattern::directory_and_rest(word)?;
        let above = Path::new(&above);
        // Below the root links are looked for where patterns without one are.
        let below = above.strip_prefix(&self.engine.root).is_ok();
        let is_outside = || {
            let real = self.path_table.resolver().real(above);
            real.is_some_and(|real| real == above) && !self.engine.root.starts_with(above)
        };
        let is_known = (below || is_outside()) && !self.meets_link(above, &parts);
        is_known.then_some(form)
    }

    /// Whether a link can be among what a pattern of these parts comes to below the directory, as far as it can be looked at.
    fn meets_link(&self, above: &Path, parts: &[String]) -> bool {
        let Some((part, rest)) = parts.split_first() else {
            return false;
        };
        let Some(listed) = self.path_table.list(above).filter(|_| !part.contains("**")) else {
            return true;
        };
        let fitting = Selection::of_pattern(std::slice::from_ref(part));
        let mut entries = listed.iter().filter(|entry| fitting.takes(&entry.name));
        entries.any(|entry| match entry.kind {
            ListedKind::Link => true,
            ListedKind::Directory => self.meets_link(&within(above, &entry.name), rest),
            ListedKind::Other => false,
        })
    }

    /// Whether a rule may be about files of these forms; about any file where none is known.
    pub(crate) fn may_bind(&self, kind: Kind, forms: Option<&[Vec<Segment>]>) -> bool {
        self.strict_rules().any(|rule| match forms {
            Some(forms) => forms
                .iter()
                .any(|form| rule.may_bind_form(kind, Some(form))),
            None => rule.may_bind_form(kind, None),
        })
    }

    /// A use of files whose paths have the forms of these words.
    pub(crate) fn perhaps_of_form(
        &mut self,
        usage: Usage<'_>,
        shown: &str,
        word: &Word,
        why: &'static str,
        at: Site<'_>,
    ) {
        let forms = self.forms(std::slice::from_ref(word), at);
        for form in forms.into_iter().flatten() {
            self.perhaps(usage, shown, Some(&form), why);
        }
    }

    pub(crate) fn perhaps(
        &mut self,
        usage: Usage<'_>,
        shown: &str,
        form: Option<&[Segment]>,
        why: &'static str,
    ) {
        if self.open {
            return;
        }
        let rule = self
            .strict_rules()
            .find(|rule| rule.may_bind_form(usage.kind, form));
        let part = part_kind(usage.kind);
        if let Some(rule) = rule {
            self.matched(rule);
            let about = Why::MayBe(Arc::clone(&rule.text), rule.list, why);
            self.add(self.floor(part, shown, about));
        } else if !usage.duty.is_strict() {
            let reason = format!("{} `{shown}`: {why}.", capital(part.words()));
            self.ask(part, shown, reason);
        }
    }
}

/// The word as it would be written without a working directory.
fn in_directory(directory: &Path, word: &Word) -> Option<Word> {
    if is_rooted(&word.prefix()) {
        return Some(word.clone());
    }
    let above = Part::text(
        format!("{}/", directory.to_str()?.trim_end_matches('/')),
        true,
    );
    let parts = std::iter::once(above).chain(word.parts.iter().cloned());
    Some(Word::of_parts(parts.collect(), word.expansion, word.span))
}
