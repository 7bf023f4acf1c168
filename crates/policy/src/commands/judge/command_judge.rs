//! What the judging of one text needs.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use tenon_contract::{CommandClaim, Operation, PathClaim};
use tenon_programs::Catalogue;
use tenon_shell::Word;

use crate::commands::judge::budget::Budget;
use crate::commands::resolve::claim_facts::ClaimFacts;
use crate::commands::resolve::{DirId, Inside, PathTable, ResolvedClaim, Site, WorkingDirs};
use crate::commands::words::tracked_files::GitListing;
use crate::decision::{Judgement, PartDecision, PartKind, Why};
use crate::display::shown;
use crate::engine::{Engine, Question};
use crate::memo::Memo;
use crate::paths::{ClaimPlaces, outside_claim, path_text};
use crate::rule::{Kind, Rule};
use crate::rules::{Bounds, User};
use crate::shared::SharedFiles;
use crate::verdict::Verdict;

/// A claim and the rules that it is compared with; what was found out once is kept for its other commands.
pub(crate) struct CommandJudge<'e, 'q> {
    pub(crate) engine: &'e Engine,
    pub(crate) question: &'q Question<'q>,
    pub(crate) claim: &'q CommandClaim,
    /// Which programs are known.
    pub(crate) catalogue: &'q Catalogue,
    /// Whether nothing is restricted, so that only protected names count.
    pub(crate) open: bool,
    /// What is looked for in the whole text.
    pub(crate) facts: &'q ClaimFacts,
    /// Where the names of the text lead.
    pub(crate) path_table: &'q PathTable<'q>,
    /// What may still be followed of what multiplies.
    pub(crate) budget: Budget,
    /// The files with several names that rules are about, once one of several names is used.
    pub(crate) shared: OnceCell<SharedFiles>,
    /// Whether the names are plain that git prints: of where, and for which use; without one, whether they are words.
    pub(crate) tracked: Memo<(WorkingDirs, GitListing, Option<Kind>), bool>,
    /// What was judged so far.
    pub(crate) judgement: Judgement<'e>,
}

impl<'e, 'q> CommandJudge<'e, 'q> {
    pub(crate) fn new(
        engine: &'e Engine,
        question: &'q Question<'q>,
        resolved: &'q ResolvedClaim<'q>,
        judgement: Judgement<'e>,
    ) -> Self
    where
        'e: 'q,
    {
        let (claim, path_table) = (resolved.claim(), &resolved.table);
        path_table.begin();
        Self {
            engine,
            question,
            claim,
            catalogue: &resolved.catalogue,
            open: engine.is_unrestricted(),
            facts: &resolved.facts,
            path_table,
            budget: Budget::of(&claim.text),
            shared: OnceCell::new(),
            tracked: Memo::default(),
            judgement,
        }
    }

    /// What deny and ask rules are about.
    pub(crate) fn bounds(&self) -> &'e Bounds {
        &self.engine.rules.bounds
    }
}

/// What is added to the judgement.
impl<'e> CommandJudge<'e, '_> {
    pub(crate) fn add(&mut self, part: PartDecision) {
        self.judgement.add(part);
    }

    pub(crate) fn matched(&mut self, rule: &'e Rule) {
        self.judgement.matched(rule);
    }
}

impl<'e, 'q> CommandJudge<'e, 'q> {
    /// Something that no rule can allow: at least the user has to look.
    pub(crate) fn unclear(&self, subject: &str, reason: &str) -> PartDecision {
        self.floor(PartKind::Unclear, subject, Why::sentence(reason))
    }

    /// A part that is at least asked, whatever rules allow.
    pub(crate) fn floor(&self, kind: PartKind, subject: &str, why: Why) -> PartDecision {
        let verdict = match self.engine.mode.verdict(true) {
            Verdict::Deny => Verdict::Deny,
            Verdict::Ask | Verdict::Allow => Verdict::Ask,
        };
        PartDecision::new(kind, shown(subject), verdict, why).about(subject)
    }

    /// Adds a part that is at least asked for this reason.
    pub(crate) fn ask(&mut self, kind: PartKind, subject: &str, reason: impl Into<String>) {
        self.add(self.floor(kind, subject, Why::sentence(reason)));
    }

    /// Adds a part that is at least asked because of a rule, for this reason.
    pub(crate) fn ask_by_rule(
        &mut self,
        (kind, subject): (PartKind, &str),
        rule: &'e Rule,
        reason: String,
    ) {
        self.matched(rule);
        self.add(self.floor(kind, subject, Why::because_of(rule, reason)));
    }

    pub(crate) fn user(&self) -> User<'q> {
        User {
            operation: Operation::Execute,
            tool: self.question.tool,
            arguments: &[],
        }
    }

    /// The deny or ask rule on this use of a file.
    pub(crate) fn strict_on(&self, kind: Kind, places: &ClaimPlaces<'_>) -> Option<&'e Rule> {
        let mut rules = self.engine.rules.strict_on_files();
        rules.find(|rule| rule.binds_file(kind, places, self.user()))
    }

    /// A place, with the name that decisions show.
    pub(crate) fn claim_of(&self, target: PathBuf) -> PathClaim {
        let below = target.strip_prefix(&self.engine.root).unwrap_or(&target);
        PathClaim {
            name: path_text(below).into_owned(),
            target,
        }
    }

    /// How a place is compared with rules.
    pub(crate) fn places_of<'c>(&self, claim: &'c PathClaim) -> ClaimPlaces<'c>
    where
        'e: 'c,
    {
        ClaimPlaces::new(claim, &self.engine.compared_root)
    }

    /// A word as it is written in the text.
    pub(crate) fn written(&self, word: &Word) -> &'q str {
        let text = self.claim.text.get(word.span.start..word.span.end);
        text.unwrap_or("$…")
    }

    /// Deny rules, then ask rules.
    pub(crate) fn strict_rules(&self) -> impl Iterator<Item = &'e Rule> {
        let rules = self.engine.rules.rules.iter();
        rules.filter(|rule| rule.list != Verdict::Allow)
    }

    /// Whether all that a path leads to, wherever the command may run, is so: nothing for what is outside of the workspace. `None`
    /// where it is not known where it runs.
    pub(crate) fn all_places(
        &self,
        path: &str,
        at: Site<'_>,
        is_so: impl Fn(Option<Inside<'_>>) -> bool,
    ) -> Option<bool> {
        let mut directories = self.path_table.candidates(at.dirs)?.into_iter();
        Some(directories.all(|directory| is_so(self.path_table.follow(directory, path).inside())))
    }

    /// Looks at the places that a path leads to.
    pub(crate) fn at<T>(
        &self,
        directory: DirId,
        path: &str,
        look: impl FnOnce(&ClaimPlaces<'_>) -> T,
    ) -> T {
        match self.path_table.follow(directory, path).inside() {
            Some(inside) => look(&inside.places(&self.engine.compared_root)),
            None => {
                let above = self.path_table.path(directory);
                let claim = outside_claim(&above, path, self.path_table.resolver());
                look(&self.places_of(&claim))
            }
        }
    }

    /// A part on which a deny or ask rule decides.
    pub(crate) fn of_rule(&self, kind: PartKind, subject: &str, rule: &Rule) -> PartDecision {
        let why = Why::Rule(Arc::clone(&rule.text));
        PartDecision::new(kind, shown(subject), rule.list, why).about(subject)
    }
}
