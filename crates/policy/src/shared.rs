//! Other names of the files that rules name (hard links).
//!
//! A name leads to one target, and rules are compared with both. A file with several names has as many targets: using
//! one of them is using the file that a rule names by another. Rules are compared by the files that they name without a
//! pattern, and by those below a directory that they name so, among its first entries.

use std::path::Path;

use tenon_contract::{Operation, posix_path};

use crate::decision::{PartDecision, PartKind, Why};
use crate::engine::Engine;
use crate::paths::{FileIdentity, PathResolver, Resolved, There, within};
use crate::rule::{Kind, Pattern, Rule};
use crate::rules::User;

/// How many entries of a directory that a rule names are looked at. What lies behind them is not found by another name:
/// asking for every file with several names instead would ask for each of a package store.
const MOST_ENTRIES: usize = 1000;

/// The files with several names that deny and ask rules are about.
#[derive(Debug, Default)]
pub(crate) struct SharedFiles {
    /// Each with the place of its rule.
    files: Vec<(FileIdentity, usize)>,
}

impl SharedFiles {
    /// Looks for them.
    pub(crate) fn find(engine: &Engine, paths: &dyn PathResolver) -> Self {
        let mut files = Vec::new();
        for (place, rule) in engine.rules.rules.iter().enumerate() {
            if !engine.rules.is_strict_on_files(place) {
                continue;
            }
            let Pattern::Path(glob) = &rule.pattern else {
                continue;
            };
            for path in glob.literal_paths() {
                let path = within(&engine.root, path);
                let shared = paths.shared_files(&path, MOST_ENTRIES);
                files.extend(shared.into_iter().map(|identity| (identity, place)));
            }
        }
        Self { files }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether there is one with a rule on such a use.
    pub(crate) fn concern(&self, engine: &Engine, test: impl Fn(&Rule) -> bool) -> bool {
        let rules = self.files.iter();
        rules
            .filter_map(|(_, place)| engine.rules.rules.get(*place))
            .any(test)
    }

    /// The strictest rule on such a use of the file.
    pub(crate) fn rule<'e>(
        &self,
        engine: &'e Engine,
        identity: FileIdentity,
        test: impl Fn(&Rule) -> bool,
    ) -> Option<&'e Rule> {
        let own = self.files.iter().filter(|(file, _)| *file == identity);
        let rules = own.filter_map(|(_, place)| engine.rules.rules.get(*place));
        rules.filter(|rule| test(rule)).max_by_key(|rule| rule.list)
    }
}

impl Engine {
    /// The files with several names that rules keep from being read by this tool, so that a search must leave them out
    /// under whatever name it finds them (docs/policy.md, "Rules").
    #[must_use]
    pub fn shared_and_hidden(
        &self,
        operation: Operation,
        tool: &str,
        paths: &dyn PathResolver,
    ) -> Vec<FileIdentity> {
        let user = User {
            operation,
            tool,
            arguments: &[],
        };
        let shared = SharedFiles::find(self, paths);
        let files = shared.files.into_iter().filter(|(_, place)| {
            let rule = self.rules.rules.get(*place);
            rule.is_some_and(|rule| rule.is_about(Kind::Read, user))
        });
        files.map(|(identity, _)| identity).collect()
    }
}

/// The file at this place, if it has several names.
pub(crate) fn shared_file(paths: &dyn PathResolver, target: &Path) -> Option<FileIdentity> {
    match paths.resolve(Path::new("/"), posix_path(target).to_str()?) {
        Resolved::Inside {
            there: There::File(identity),
            ..
        } => identity,
        Resolved::Inside { .. } | Resolved::Outside => None,
    }
}

/// The part for a use of a file under another name than that of which the rule knows.
pub(crate) fn other_name(kind: PartKind, name: &str, rule: &Rule) -> PartDecision {
    let reason = format!(
        "`{name}` is another name (a hard link) of a file that the rule `{}` protects.",
        rule.text.rule
    );
    PartDecision::new(kind, name, rule.list, Why::because_of(rule, reason))
}
