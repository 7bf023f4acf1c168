//! Files in commands (docs/policy.md, "Commands"): those of redirections need the decision of the file tools, those of operands are
//! compared with deny and ask rules.

pub(crate) mod unknown;

use tenon_contract::PathClaim;
use tenon_shell::{FileUse, Redirection, Word};

use crate::commands::judge::{CommandJudge, Extent, RequiredCheck, Usage, is_free, part_kind};
use crate::commands::resolve::{DirId, Site};
use crate::decision::{PartDecision, Why};
use crate::paths::{ClaimPlaces, FileIdentity, ListedKind, lexical, path_text, within};
use crate::rule::{Kind, Rule};
use crate::shared::other_name;
use crate::verdict::Verdict;

impl<'e> CommandJudge<'e, '_> {
    /// The files of a redirection.
    pub(crate) fn redirection(
        &mut self,
        redirection: &Redirection,
        at: Site<'_>,
        duty: RequiredCheck,
    ) {
        let kinds: &[Kind] = match redirection.file_use() {
            FileUse::Read => &[Kind::Read],
            FileUse::Write => &[Kind::Write],
            FileUse::ReadWrite => &[Kind::Read, Kind::Write],
            FileUse::None => &[],
        };
        for kind in kinds {
            let usage = Usage::new(*kind, duty);
            self.file(usage, &redirection.target, at);
        }
    }

    pub(crate) fn file(&mut self, usage: Usage<'_>, word: &Word, at: Site<'_>) {
        match word.literal() {
            Some(path) => self.path(usage, path, at),
            None if crate::commands::words::texts::is_pipe(word) => {}
            None => match self.below_home(word, at) {
                Some(path) => self.path(usage, &path, at),
                None => self.opaque(usage, word, at),
            },
        }
    }

    /// The path of `~` and `~/name`. Who sets `HOME` is asked about that.
    fn below_home(&self, word: &Word, at: Site<'_>) -> Option<String> {
        let expansion = word.expansion;
        let only_home = expansion.tilde
            && !expansion.splits
            && !expansion.globs
            && !expansion.braces
            && !word.quoted;
        let Some(text) = word.pattern().filter(|_| only_home) else {
            let named = self.in_home(word, at)?;
            return named.literal().map(str::to_owned);
        };
        let below = text.strip_prefix('~')?;
        let home = self.engine.directories.home()?;
        let named = below.is_empty() || below.starts_with('/');
        (named && !self.claim.text.contains("HOME")).then(|| format!("{home}{below}"))
    }

    /// A file whose name is known.
    pub(crate) fn path(&mut self, usage: Usage<'_>, path: &str, at: Site<'_>) {
        if is_free(path) {
            return;
        }
        let Some(directories) = self.path_table.candidates(at.dirs) else {
            return self.homeless(usage, path, at);
        };
        for directory in directories {
            self.through_links(usage, directory, path, at);
            self.at_place(usage, directory, path, at);
        }
    }

    /// A file whose name is known, in a directory that is known, as if there were no links but those that are there.
    pub(crate) fn at_place(
        &mut self,
        usage: Usage<'_>,
        directory: DirId,
        path: &str,
        at: Site<'_>,
    ) {
        if self.of_process(usage, directory, path, at) {
            return;
        }
        let name = self.path_table.follow(directory, path);
        if usage
            .number()
            .is_some_and(|number| !self.path_table.is_first_use(&name, number))
        {
            return;
        }
        let kind = usage.kind;
        if let Some(link) = self.link_itself(usage, directory, path) {
            self.judgement.effect(part_kind(kind), &link.name);
            let places = self.places_of(&link);
            return self.inside(usage, &link.name, &places);
        }
        match name.inside() {
            Some(inside) => {
                match inside.target() {
                    Some(_) => self.judgement.effect(part_kind(kind), inside.name),
                    None => self
                        .judgement
                        .effect_as_written(part_kind(kind), inside.name),
                }
                let places = inside.places(&self.engine.compared_root);
                self.inside(usage, inside.name, &places);
                if let Some(identity) = inside.shared {
                    self.other_name(kind, inside.name, identity);
                }
                if let Extent::Below(selection) = usage.extent
                    && inside.is_directory
                {
                    let target = inside.target_below(&self.engine.root);
                    self.through(kind, inside.name, &target, &places, (selection, at));
                }
            }
            None => {
                self.around(usage, directory, path, at);
                self.outside(usage, directory, path);
            }
        }
    }

    /// The place of a link in the workspace that is used itself: who removes or renames it does nothing to what it leads to.
    fn link_itself(&self, usage: Usage<'_>, directory: DirId, path: &str) -> Option<PathClaim> {
        if !usage.is_of_entry {
            return None;
        }
        let (above, last) = match path.rsplit_once('/') {
            Some(("", last)) => ("/", last),
            Some((above, last)) => (above, last),
            None => (".", path),
        };
        let above = self.path_table.follow(directory, above);
        let above = above.inside()?.target_below(&self.engine.root);
        let listed = self.path_table.list(&above)?;
        let mut links = listed.iter().filter(|entry| entry.kind == ListedKind::Link);
        links.any(|entry| entry.name == last).then_some(())?;
        Some(self.claim_of(within(&above, last)))
    }

    fn inside(&mut self, usage: Usage<'_>, name: &str, places: &ClaimPlaces<'_>) {
        let (kind, user) = (usage.kind, self.user());
        let mut bound = (self.engine).file_rules(kind, places, user, &mut self.judgement);
        let full = usage.duty == RequiredCheck::Full && !self.open;
        // Most files are read by commands that are allowed, and no rule is about them.
        // Without `--` or a directory before it, it is an option that is not known.
        let marks = ["/-", "=-", " -- "];
        bound.is_option = bound.is_option
            && (usage.duty == RequiredCheck::Full
                || marks.iter().any(|mark| self.claim.text.contains(mark)));
        let is_plain = bound.protected.is_none() && !bound.is_option;
        if !full && bound.strict.is_none() && is_plain {
            return;
        }
        let allowed = bound.allowing.is_some() || self.engine.mode.verdict(true) == Verdict::Allow;
        if full || bound.strict.is_some() || allowed {
            let part = self
                .engine
                .file_part(kind, name, user.operation, true, &bound);
            self.add(part);
        } else if let Some(protected) = bound.protected {
            // The mode may be stricter than the protection; the name still needs a look.
            let reason = format!("`{name}` is protected (`{protected}`).");
            self.ask(part_kind(kind), name, reason);
        } else if bound.is_option {
            self.ask(part_kind(kind), name, crate::engine::like_an_option(name));
        }
    }

    /// A file that has other names, of which rules may know one. Removing one takes nothing from the others.
    fn other_name(&mut self, kind: Kind, name: &str, identity: FileIdentity) {
        if let Some(rule) = self.binding_identity(kind, identity) {
            self.matched(rule);
            self.add(other_name(part_kind(kind), name, rule));
        }
    }

    pub(crate) fn outside(&mut self, usage: Usage<'_>, directory: DirId, path: &str) {
        // No file has it, so nothing comes to be written there: `"$(mktemp)"` of one that failed.
        if path.is_empty() && usage.kind != Kind::Read {
            return;
        }
        let kind = usage.kind;
        let rule = self.at(directory, path, |places| {
            let mut rules = self.engine.rules.strict_on(places);
            rules.find(|rule| rule.binds_file(kind, places, self.user()))
        });
        if let Some(rule) = rule {
            self.matched(rule);
            self.add(self.strict_part(kind, path, rule));
        } else if usage
            .duty
            .is_due_outside(|| self.is_covered_outside(directory, path))
            && !self.open
        {
            let part = self.beyond_the_workspace(kind, directory, path);
            self.add(part);
        }
    }

    /// Whether a rule on a program covers what it writes there, outside of the workspace.
    fn is_covered_outside(&self, directory: DirId, path: &str) -> bool {
        let named = within(&self.path_table.path(directory), path);
        let target = self.path_table.resolver().real(&named);
        let mut temporary = self.engine.temporary().iter();
        let is_temporary =
            target.is_some_and(|target| temporary.any(|above| target.starts_with(above)));
        is_temporary || self.engine.mode.verdict(true) == Verdict::Allow
    }

    /// A file outside that a redirection names. A rule may name its directory; in the directories for temporary files a rule on
    /// all files is enough.
    fn beyond_the_workspace(&mut self, kind: Kind, directory: DirId, path: &str) -> PartDecision {
        let part = part_kind(kind);
        let named = within(&self.path_table.path(directory), path);
        let Some(target) = self.path_table.resolver().real(&named) else {
            let reason = format!("`{path}` is outside the workspace, or its target is not known.");
            return self.floor(part, path, Why::sentence(reason));
        };
        let temporary = self.engine.temporary().iter();
        let mut above =
            temporary.filter(|directory| target.starts_with(directory) && target != **directory);
        let temporary = above.next();
        let claim = PathClaim {
            name: path_text(&lexical(&named)).into_owned(),
            target: target.clone(),
        };
        let places = self.places_of(&claim);
        let names_it =
            |rule: &&Rule| rule.names_files() && rule.allows_file(kind, &places, self.user());
        let is_about_all =
            |rule: &&Rule| temporary.is_some() && !rule.names_files() && rule.binds(kind);
        let rules = &self.engine.rules;
        let allowing = rules.of(Verdict::Allow);
        let allowing = allowing.filter(|rule| rule.command().is_none());
        let allowing = { allowing }.find(|rule| names_it(rule) || is_about_all(rule));
        let by_mode = temporary.is_some() && self.engine.mode.verdict(true) == Verdict::Allow;
        if let Some(protected) = places.protected().filter(|_| kind != Kind::Read) {
            let reason = format!("`{path}` is protected (`{protected}`).");
            return self.floor(part, path, Why::sentence(reason));
        }
        if allowing.is_none() && !by_mode {
            let tool = if kind == Kind::Read { "Read" } else { "Edit" };
            let rule = match temporary {
                Some(directory) => format!("{tool}({}/**)", path_text(directory)),
                None => crate::rule_text::exact_path(tool, &path_text(&target)),
            };
            let reason = format!("`{path}` is outside the workspace. The rule `{rule}` allows it.");
            return self.floor(part, path, Why::sentence(reason));
        }
        if let Some(rule) = allowing {
            self.matched(rule);
        }
        self.engine.weigh(part, path, None, allowing, true)
    }

    fn strict_part(&self, kind: Kind, subject: &str, rule: &Rule) -> PartDecision {
        let kind = part_kind(kind);
        self.of_rule(kind, subject, rule)
    }
}
