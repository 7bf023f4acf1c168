//! Names of tracked files that git lists, against rules.

use std::path::Path;

use tenon_shell::is_one_word;

use crate::commands::judge::{CommandJudge, Found};
use crate::commands::resolve::{Site, Source};
use crate::commands::words::tracked_files::GitListing;
use crate::rule::Kind;

/// How many tracked files are looked at.
const MOST: usize = 4096;

impl<'e> CommandJudge<'e, '_> {
    /// What rules are about among the names that git lists from its index.
    pub(crate) fn found_in_index(
        &self,
        kind: Kind,
        source: &Source,
        listing: GitListing,
        at: Site<'_>,
    ) -> Found<'e> {
        let is_free = |path: &Path| {
            let claim = self.claim_of(path.to_path_buf());
            let places = self.places_of(&claim);
            self.strict_on(kind, &places).is_none()
                && (kind == Kind::Read || places.protected().is_none())
        };
        if at.facts.index_changes == 0
            && !self.brings(true, at)
            && self.is_index(source, listing, Some(kind), &is_free)
        {
            Found::Nothing
        } else {
            Found::Unknown
        }
    }

    /// Whether each name that git lists from its index is one word and no option.
    pub(crate) fn index_lists_words(&self, source: &Source, listing: GitListing) -> bool {
        self.is_index(source, listing, None, &|_| true)
    }

    /// Whether all listed names are plain names of files, for each of which `test` is true.
    fn is_index(
        &self,
        source: &Source,
        listing: GitListing,
        kind: Option<Kind>,
        test: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let key = (source.state, listing, kind);
        self.tracked
            .get_or(&key, || self.lists_plain_names(source, listing, test))
    }

    fn lists_plain_names(
        &self,
        source: &Source,
        listing: GitListing,
        test: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let leads_from_top =
            || self.path_table.tops(source.state, &self.engine.root) == source.state;
        if listing == GitListing::FromTop && !leads_from_top() {
            return false;
        }
        let Some(directories) = self.path_table.candidates(source.state) else {
            return false;
        };
        directories.into_iter().all(|directory| {
            let path = self.path_table.path(directory);
            let Some(directory) = self.path_table.target_of(&path) else {
                return false;
            };
            let is_plain = |path: &Path| {
                // Git writes other letters, and quotes, in a way of its own.
                let name = path.strip_prefix(&directory).ok().and_then(Path::to_str);
                name.is_some_and(|name| name.is_ascii() && is_one_word(name)) && test(path)
            };
            self.path_table
                .resolver()
                .tracked_as_files(&directory, &is_plain, MOST)
        })
    }
}
