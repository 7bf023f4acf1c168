//! Compiles the lists of rules.

use crate::command_index::CommandIndex;
use crate::commands::judge::scripts;
use crate::exposure::Resolver;
use crate::file_index::FileIndex;
use crate::rule::{Kind, Pattern, Rule, RuleError, Subject};
use crate::rules::{Bounds, Permissions, RuleSet};
use crate::verdict::Verdict;

impl RuleSet {
    /// Compiles the lists and verifies the examples of each rule. `resolve` knows the aliases of every dialect, and
    /// answers [`Operation::Foreign`](tenon_contract::Operation::Foreign) for tools of the host.
    ///
    /// # Errors
    /// Every rule that cannot be used, with its place: nothing is dropped in silence.
    pub fn new(permissions: &Permissions, resolve: Resolver<'_>) -> Result<Self, Vec<RuleError>> {
        let lists = [
            (Verdict::Deny, &permissions.deny),
            (Verdict::Ask, &permissions.ask),
            (Verdict::Allow, &permissions.allow),
        ];
        let mut rules = Vec::new();
        let mut errors = Vec::new();
        for (list, texts) in lists {
            for (index, text) in texts.iter().enumerate() {
                match Rule::new(text, list, index, resolve) {
                    Ok(rule) => {
                        errors.extend(crate::examples::check(&rule));
                        rules.push(rule);
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        if errors.is_empty() {
            Ok(Self::indexed(rules))
        } else {
            Err(errors)
        }
    }

    /// These rules, which compile, with what finds them.
    pub(crate) fn indexed(rules: Vec<Rule>) -> Self {
        let strict = CommandIndex::new(
            &rules,
            |rule| rule.list != Verdict::Allow,
            tenon_shell::program_name,
        );
        let allowing = CommandIndex::new(&rules, |rule| rule.list == Verdict::Allow, |name| name);
        let files_strict = FileIndex::new(&rules, |rule| rule.list != Verdict::Allow);
        let names_files = files_strict.all().iter().any(|place| {
            let pattern = rules.get(*place).map(|rule| &rule.pattern);
            matches!(pattern, Some(Pattern::Path(glob)) if glob.literal_paths().next().is_some())
        });
        let mut compiled = Self {
            bounds: bounds(&rules),
            names_files,
            files_strict,
            files_allowing: FileIndex::new(&rules, |rule| rule.list == Verdict::Allow),
            rules,
            strict,
            allowing,
        };
        compiled.bounds.scripts = scripts::on_files(&compiled);
        compiled
    }
}

/// What the deny and ask rules of these are about, but for scripts.
fn bounds(rules: &[Rule]) -> Bounds {
    let bind = |kinds: &[Kind]| {
        rules
            .iter()
            .any(|rule| rule.list != Verdict::Allow && kinds.iter().any(|kind| rule.binds(*kind)))
    };
    Bounds {
        commands: bind(&[Kind::Command]),
        files: bind(&[Kind::Read, Kind::Write, Kind::Delete])
            || rules
                .iter()
                .any(|rule| rule.subject == Subject::OutsideWrite),
        hosts: bind(&[Kind::Host]),
        scripts: Vec::new(),
    }
}
