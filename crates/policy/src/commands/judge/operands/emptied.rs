//! Directories that a program empties for what it puts there: `pytest --basetemp=x`, `vite build --outDir x`.
//!
//! Who allows such a program means its own output, and not the sources.

use tenon_shell::Word;

use crate::commands::judge::{CommandJudge, RequiredCheck, Usage};
use crate::commands::resolve::{DirId, Site};
use crate::paths::path_text;
use crate::rule::Kind;

impl<'e> CommandJudge<'e, '_> {
    /// Where something is in such a directory that git does not ignore, removing it must be allowed as it must for the file tools.
    pub(crate) fn emptied(&mut self, word: &Word, at: Site<'_>) {
        let (Some(path), Some(directories)) = (word.literal(), self.path_table.candidates(at.dirs))
        else {
            return;
        };
        let usage = Usage::new(Kind::Delete, RequiredCheck::Full);
        for directory in directories {
            if self.has_own_files(directory, path) {
                self.at_place(usage, directory, path, at);
            }
        }
    }

    /// Whether a directory of the workspace has something in it that git does not ignore.
    fn has_own_files(&self, directory: DirId, path: &str) -> bool {
        let name = self.path_table.follow(directory, path);
        let Some(inside) = name.directory() else {
            return false;
        };
        let target = inside.target_below(&self.engine.root);
        let listed = self.path_table.list(&target);
        let is_empty = listed.is_some_and(|entries| entries.is_empty());
        let mut above = target.ancestors();
        let is_ignored = above
            .by_ref()
            .take_while(|above| *above != self.engine.root && path_text(above) != "/")
            .any(|above| self.path_table.resolver().is_ignored(above, true));
        !is_empty && !is_ignored
    }
}
