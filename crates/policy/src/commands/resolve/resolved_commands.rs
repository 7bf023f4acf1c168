//! The commands of a call at one moment: what they say, and where their names lead. All questions about them share that.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tenon_contract::CommandClaim;
use tenon_programs::Catalogue;

use crate::commands::resolve::claim_facts::ClaimFacts;
use crate::commands::resolve::home::home_of;
use crate::commands::resolve::{KnownDirectories, PathTable, ResolvedText};
use crate::parsed::{ParsedCommands, Readings};
use crate::paths::PathResolver;

/// The commands of a call at one moment: parsed, and where their names lead. Each is found out once for all questions that
/// are asked at that moment; a later one, before which files may have changed, needs another value.
pub struct ResolvedCommands<'q> {
    paths: &'q dyn PathResolver,
    parsed: ParsedCommands,
    resolved: RefCell<Vec<Rc<ResolvedClaim<'q>>>>,
}

impl std::fmt::Debug for ResolvedCommands<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("ResolvedCommands");
        shown.field("parsed", &self.parsed).finish_non_exhaustive()
    }
}

impl<'q> ResolvedCommands<'q> {
    /// Where names lead now, and what was parsed before.
    #[must_use]
    pub fn new(paths: &'q dyn PathResolver, parsed: &ParsedCommands) -> Self {
        Self {
            paths,
            parsed: parsed.clone(),
            resolved: RefCell::default(),
        }
    }

    /// What was parsed, which holds at any moment.
    #[must_use]
    pub const fn parsed(&self) -> &ParsedCommands {
        &self.parsed
    }

    /// Where names lead.
    pub(crate) const fn paths(&self) -> &'q dyn PathResolver {
        self.paths
    }

    /// A command with these directories, by what this catalogue knows.
    pub(crate) fn of(
        &self,
        claim: &CommandClaim,
        directories: &KnownDirectories,
        catalogue: &Catalogue,
    ) -> Rc<ResolvedClaim<'q>> {
        let home = home_of(claim, directories.home());
        let has_home = home.is_some();
        let mut resolved = self.resolved.borrow_mut();
        let mut known = resolved.iter();
        if let Some(known) = known
            .find(|known| known.is_of(claim, catalogue) && known.table.is_of(directories, has_home))
        {
            return Rc::clone(known);
        }
        let claim = Rc::new(ResolvedClaim {
            readings: self.parsed.readings(&claim.text, catalogue, home),
            table: PathTable::new(self.paths, directories, has_home),
            texts: Default::default(),
            facts: ClaimFacts::new(claim.clone()),
            catalogue: catalogue.clone(),
        });
        resolved.push(Rc::clone(&claim));
        claim
    }
}

/// One command of a call at one moment.
pub(crate) struct ResolvedClaim<'q> {
    /// The claim, and what is found in its text.
    pub(crate) facts: ClaimFacts,
    pub(crate) catalogue: Catalogue,
    /// What shells make of the text.
    pub(crate) readings: Readings,
    /// Where its names lead.
    pub(crate) table: PathTable<'q>,
    /// Of each reading what it makes of the names, once that is asked.
    texts: [OnceCell<ResolvedText>; 2],
}

impl ResolvedClaim<'_> {
    pub(crate) const fn claim(&self) -> &CommandClaim {
        &self.facts.claim
    }

    fn is_of(&self, claim: &CommandClaim, catalogue: &Catalogue) -> bool {
        self.facts.claim == *claim && self.catalogue.is_same(catalogue)
    }

    /// What the reading of this number makes of the names.
    pub(crate) fn text(&self, reading: usize) -> Option<&ResolvedText> {
        let examination = self.readings.get(reading)?;
        let text = self.texts.get(reading)?;
        Some(text.get_or_init(|| {
            let examination = Arc::clone(examination);
            let words = self.readings.words(reading, &self.claim().environment);
            ResolvedText::new(examination, words, self.claim(), &self.table)
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;

    use tenon_contract::{Access, Effect, Operation, PathClaim};

    use super::*;
    use crate::engine::{Engine, Question};
    use crate::paths::{LexicalPaths, Resolved};
    use crate::rules::{Permissions, RuleSet};
    use crate::{Decision, DefaultMode};

    /// Notes which names were followed.
    struct Noting(LexicalPaths, RefCell<Vec<String>>);

    impl PathResolver for Noting {
        fn resolve(&self, directory: &Path, path: &str) -> Resolved {
            self.1.borrow_mut().push(path.to_owned());
            self.0.resolve(directory, path)
        }
    }

    impl Noting {
        fn new() -> Self {
            Self(LexicalPaths::new("/w"), RefCell::default())
        }
    }

    fn running(text: &str) -> Access {
        let directory = PathClaim {
            name: ".".to_owned(),
            target: "/w".into(),
        };
        let command = CommandClaim {
            text: text.to_owned(),
            directory,
            environment: Vec::new(),
        };
        Access {
            commands: vec![command],
            ..Access::default()
        }
    }

    fn question(access: &Access) -> Question<'_> {
        Question {
            operation: Operation::Execute,
            effect: Effect::Execute,
            tool: "Bash",
            access,
        }
    }

    fn denying(rule: &str) -> Engine {
        let permissions = Permissions {
            deny: vec![rule.into()],
            ..Permissions::default()
        };
        let named = |name: &str| match name {
            "Read" => Some(Operation::Read),
            "Edit" => Some(Operation::Edit),
            _ => None,
        };
        let rules = RuleSet::new(&permissions, &named).unwrap();
        Engine::new(rules, DefaultMode::Allow, "/w")
    }

    #[test]
    fn questions_at_one_moment_follow_a_name_once_and_later_ones_again() {
        let (access, paths) = (running("cat a src/b"), Noting::new());
        let engine = denying("Read(c)");
        let grades = engine.grades(vec!["/w".into()]);
        let parsed = ParsedCommands::default();
        let ask = || {
            let commands = ResolvedCommands::new(&paths, &parsed);
            let decision = engine.decide_resolved(&question(&access), &commands);
            let danger = grades.of(&question(&access), &commands);
            (decision.verdict.name(), danger, paths.1.take())
        };
        let names = vec!["a".to_owned(), "src/b".to_owned()];
        let expected = ("allow", crate::Danger::Low, names);
        assert_eq!(ask(), expected);
        assert_eq!(ask(), expected);
    }

    #[test]
    fn what_one_set_of_rules_says_of_a_name_is_not_said_by_another() {
        let access = running("cat a; cat b; cp a b; sort -o a b");
        let engines = ["Read(a)", "Read(b)", "Edit(a)", "Read(c)"].map(denying);
        let paths = LexicalPaths::new("/w");
        let alone = |engine: &Engine| engine.decide(&question(&access), &paths);
        let alone: Vec<Decision> = engines.iter().map(alone).collect();
        let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
        let shared = |engine: &Engine| engine.decide_resolved(&question(&access), &commands);
        let shared: Vec<Decision> = engines.iter().map(shared).collect();
        assert_eq!(shared, alone);
    }
}
