//! Names that git tells of what it tracks: `git ls-files | xargs wc -l`, `$(git ls-files '*.ts')`.
//!
//! They stand in the index, so a rule about a file that is not tracked needs nobody's answer, as long as what is tracked is
//! there as it is tracked: a link in the place of a file leads to another one.

use std::path::Path;

use tenon_contract::PathClaim;
use tenon_shell::{Examination, Word};

use super::Context;
use super::feeds::Source;
use super::ground::State;
use super::repositories::{STARTING_GIT, only_shows};
use super::survey::{Found, is_one_word};
use crate::paths::ClaimPlaces;
use crate::rule::Kind;

/// How many tracked files are looked at.
const MOST: usize = 4096;

/// From where the names go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// The folder in which git runs.
    Here,
    /// The top of the work tree.
    FromTop,
}

/// Options of `git ls-files` with which it tells no more than what stands in the index, and no more of it than names.
const LISTING: &[&str] = &[
    "-c",
    "--cached",
    "-z",
    "-m",
    "--modified",
    "-d",
    "--deleted",
];

/// What was found out about the names that git tells: of where, for which use (none: whether they are words), and whether
/// they are plain. Each answer looks at all tracked files.
pub(crate) type Known = Vec<(State, Listing, Option<Kind>, bool)>;

/// What a command tells of the index, if it tells nothing but names that stand there. Operands narrow it; those that lead
/// out of the folder make other names of it.
pub(crate) fn from_index(words: &[Word]) -> Option<Listing> {
    let mut texts = words.iter().map(Word::literal);
    if texts.next()?? != "git" {
        return None;
    }
    let command = texts.next()??;
    let rest: Vec<&str> = texts.collect::<Option<_>>()?;
    match command {
        "ls-files" => {
            let end = rest.iter().position(|text| *text == "--");
            let (options, behind) = rest.split_at(end.unwrap_or(rest.len()));
            let stays = |text: &str| {
                !text.starts_with([':', '/']) && !text.split('/').any(|part| part == "..")
            };
            let is_known =
                |text: &&str| LISTING.contains(text) || (!text.starts_with('-') && stays(text));
            let plain = options.iter().all(is_known) && behind.iter().all(|text| stays(text));
            plain.then_some(Listing::Here)
        }
        // Without a revision it compares the work tree with the index.
        "diff" => {
            let is_known = |text: &&str| {
                matches!(*text, "--name-only" | "-z") || text.starts_with("--diff-filter=")
            };
            let plain = rest.contains(&"--name-only") && rest.iter().all(is_known);
            plain.then_some(Listing::FromTop)
        }
        _ => None,
    }
}

/// Sub-commands of git that add no name to the index, beside those that only show something.
const KEEPING: &[&str] = &["branch", "commit", "fetch", "push", "remote", "tag"];

/// Whether a command of these texts may change which names stand in the index.
pub(super) fn may_change_index(examination: &Examination) -> bool {
    examination.commands().any(|command| {
        let words = command.plain_words();
        let verb = words.get(1).and_then(Word::literal);
        command
            .base_name()
            .is_some_and(|name| STARTING_GIT.contains(&name))
            && !only_shows(words)
            && !verb.is_some_and(|verb| KEEPING.contains(&verb))
    })
}

impl<'e> Context<'e, '_> {
    /// What rules are about among the names that git tells of its index.
    pub(super) fn found_in_index(
        &self,
        kind: Kind,
        source: &Source,
        listing: Listing,
    ) -> Found<'e> {
        let is_free = |path: &Path| {
            let below = path.strip_prefix(&self.engine.root).unwrap_or(path);
            let claim = PathClaim {
                name: below.to_string_lossy().into_owned(),
                target: path.to_path_buf(),
            };
            let places = ClaimPlaces::new(&claim, &self.engine.compared_root);
            let mut rules = self.engine.rules.strict_on_files();
            !rules.any(|rule| rule.binds_file(kind, &places, self.user()))
                && (kind == Kind::Read || places.protected().is_none())
        };
        let changes = self.around.borrow().changes_index;
        if !changes && !self.brings(true) && self.is_index(source, listing, Some(kind), &is_free) {
            Found::Nothing
        } else {
            Found::Unknown
        }
    }

    /// Whether each name that git tells of its index is one word and no option.
    pub(super) fn index_tells_words(&self, source: &Source, listing: Listing) -> bool {
        self.is_index(source, listing, None, &|_| true)
    }

    /// Whether all that is told are plain names of files, for each of which `test` is true.
    fn is_index(
        &self,
        source: &Source,
        listing: Listing,
        kind: Option<Kind>,
        test: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let key = (source.state, listing, kind);
        let same =
            |known: &&(State, Listing, Option<Kind>, bool)| (known.0, known.1, known.2) == key;
        if let Some(known) = self.index_names.borrow().iter().find(same) {
            return known.3;
        }
        let is_plain = self.tells_plain_names(source, listing, test);
        let known = (source.state, listing, kind, is_plain);
        self.index_names.borrow_mut().push(known);
        is_plain
    }

    fn tells_plain_names(
        &self,
        source: &Source,
        listing: Listing,
        test: &dyn Fn(&Path) -> bool,
    ) -> bool {
        let leads_from_top = || self.ground.tops(source.state, &self.engine.root) == source.state;
        if listing == Listing::FromTop && !leads_from_top() {
            return false;
        }
        let Some(folders) = self.ground.candidates(source.state) else {
            return false;
        };
        folders.into_iter().all(|folder| {
            let path = self.ground.path(folder);
            let Some(folder) = self.ground.target_of(&path) else {
                return false;
            };
            let is_plain = |path: &Path| {
                // Git writes other letters, and quotes, in a way of its own.
                let name = path.strip_prefix(&folder).ok().and_then(Path::to_str);
                name.is_some_and(|name| name.is_ascii() && is_one_word(name)) && test(path)
            };
            self.ground
                .paths()
                .tracked_as_files(&folder, &is_plain, MOST)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_tell_plain_names_of_the_index_count() {
        let listing = |text: &str| {
            let script = tenon_shell::read(text, tenon_shell::Dialect::Bash).unwrap();
            from_index(&script.commands().next().unwrap().words)
        };
        for text in [
            "git ls-files",
            "git ls-files -z",
            "git ls-files '*.ts' src",
            "git ls-files -m -- src",
        ] {
            assert_eq!(listing(text), Some(Listing::Here), "{text}");
        }
        for text in [
            "git diff --name-only",
            "git diff --name-only --diff-filter=ACM -z",
        ] {
            assert_eq!(listing(text), Some(Listing::FromTop), "{text}");
        }
        for text in [
            "git ls-files -o",
            "git ls-files --others --exclude-standard",
            "git ls-files -s",
            "git ls-files -t",
            "git ls-files --full-name",
            "git ls-files *.ts",
            "git ls-files $x",
            "git ls-files ../other",
            "git ls-files -- :/",
            "git ls-files /home/me/work",
            "git -C src ls-files",
            "git diff",
            "git diff --name-only --cached",
            "git diff --name-only HEAD~1",
            "git diff --name-only --no-index a b",
            "git diff --name-status",
            "git log --name-only",
        ] {
            assert_eq!(listing(text), None, "{text}");
        }
    }
}
