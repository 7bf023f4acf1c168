//! Programs that list the names of everything below a directory.
//!
//! A listing of a directory shows the names in it, and rules on reading keep back what files hold. What lies below a
//! directory that a rule keeps back is another matter: not even its names are shown, as the tools that list and find
//! leave them out. A command cannot leave them out, so it is asked where it would come to them.

use std::path::{Path, PathBuf};

use tenon_shell::FileAccess;

use crate::commands::judge::{CommandJudge, Found, Use};
use crate::commands::resolve::Site;
use crate::commands::words::listing::NameListing;
use crate::commands::words::{Effects, Selection};
use crate::decision::PartKind;
use crate::paths::{path_text, within};
use crate::rule::{Kind, Rule};

impl<'e> CommandJudge<'e, '_> {
    /// The names that a program lists below the directories that it is given.
    pub(crate) fn listed(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        if self.open || !self.engine.rules.names_files {
            return;
        }
        let Some(listing) = &effects.listing else {
            return;
        };
        let files = &effects.files;
        let roots = files.iter().filter(|file| file.access == FileAccess::Read);
        let mut roots: Vec<&str> = roots.filter_map(|file| file.word.literal()).collect();
        if !files.iter().any(|file| file.access == FileAccess::Read) {
            roots.push(".");
        }
        for directory in self.path_table.candidates(at.dirs).into_iter().flatten() {
            for root in &roots {
                let name = self.path_table.follow(directory, root);
                let Some(inside) = name.directory() else {
                    continue;
                };
                let target = within(&self.path_table.path(directory), root);
                let target = inside.target().map_or(target, Path::to_path_buf);
                let target = crate::paths::lexical(&target);
                if let Some((rule, below)) = self.kept_back(listing, root, &target)
                    && !self.finds_nothing(listing, &within(&target, &below), at)
                {
                    let reason = format!(
                        "It lists the names in `{}`, which the rule `{}` hides.",
                        path_text(&below),
                        rule.text.rule
                    );
                    self.ask_by_rule((PartKind::Read, inside.name), rule, reason);
                }
            }
        }
    }

    /// Whether nothing in this directory is among what `find` looks for, or `fd` leaves it out since git ignores it.
    fn finds_nothing(&self, listing: &NameListing<'_>, directory: &Path, at: Site<'_>) -> bool {
        // It may be counted from another directory.
        let mut selection = Selection::by_name(listing.words);
        selection.depth = None;
        let is_passed = selection.passes_ignored
            && at.facts.is_quiet
            && self.budget.takes_ignored()
            && self.path_table.resolver().is_ignored(directory, true);
        if is_passed {
            return true;
        }
        let name = path_text(directory);
        listing.finds
            && matches!(
                self.survey(Kind::Read, &name, directory, (&selection, at), Use::Names),
                Found::Nothing
            )
    }

    /// The rule that keeps back the content of a directory below this one to which the listing goes, and the directory.
    fn kept_back(
        &self,
        listing: &NameListing<'_>,
        root: &str,
        target: &Path,
    ) -> Option<(&'e Rule, PathBuf)> {
        let rules = self.engine.rules.strict_on_files();
        let mut rules = rules.filter(|rule| rule.binds(Kind::Read));
        rules.find_map(|rule| {
            let found = rule.glob()?.literal_paths().find_map(|path| {
                let directory = within(&self.engine.root, path);
                let below = directory.strip_prefix(target).ok()?.to_path_buf();
                let is_below = !below.as_os_str().is_empty() && listing.lists(root, &below);
                let here = is_below.then(|| self.path_table.directory(&directory))?;
                let name = self.path_table.follow(here, ".");
                name.inside()?.is_directory.then_some(below)
            });
            found.map(|below| (rule, below))
        })
    }
}
