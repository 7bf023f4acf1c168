//! Looks at the directories that a program goes through: a rule about files that are not there needs nobody's answer.
//!
//! Nothing is opened but directories, and no more entries are looked at than [`PathTable::list`](crate::commands::resolve::path_table::PathTable::list) allows. What a text itself
//! brings into a directory before, as `git checkout` and `tar -x` do, makes the look worthless.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tenon_contract::PathClaim;
use tenon_shell::is_one_word;

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::Site;
use crate::commands::words::Selection;
use crate::paths::{
    ClaimPlaces, FileIdentity, Listed, ListedKind, Resolved, There, name_in, within,
};
use crate::rule::{Kind, Rule};
use crate::shared::SharedFiles;

/// What was found below a directory.
pub(crate) enum Found<'e> {
    /// Nothing that rules are about.
    Nothing,
    /// This name, which a rule is about, or which is protected.
    Name(String, Option<&'e Rule>),
    /// It cannot be determined.
    Unknown,
}

/// A directory that is looked through.
struct Level {
    target: PathBuf,
    /// The name that decisions show.
    name: String,
    depth: usize,
    /// Whether hidden names can be searched by an exception.
    lifted: bool,
    /// Whether what git ignores is left out.
    passes_ignored: bool,
    /// The directory that goes into an image but for what files in it name.
    context: Option<Rc<Path>>,
}

/// How names come to the program that uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The program goes to the files itself.
    Search,
    /// Another program is given the names, whole.
    Names,
    /// Another program is given the names as words of a text: those that a shell or `xargs` would take apart, or a
    /// program for an option, count as not known.
    Words,
}

impl<'e> CommandJudge<'e, '_> {
    /// What lies below the directory `name`, which is at `target`, and is about to be used.
    pub(crate) fn survey(
        &self,
        kind: Kind,
        name: &str,
        target: &Path,
        (selection, at): (&Selection, Site<'_>),
        uses: Use,
    ) -> Found<'e> {
        let follows = selection.follows || uses != Use::Search;
        if self.brings(follows, at) {
            return Found::Unknown;
        }
        let lifted = selection.passes_hidden
            && (!at.facts.is_quiet
                || target
                    .ancestors()
                    .any(|directory| self.path_table.makes_exceptions(directory)));
        // What is named is searched, and what lies in it is ignored no more by a rule on it.
        let passes_ignored = selection.passes_ignored
            && at.facts.is_quiet
            && !self.path_table.resolver().is_ignored(target, true);
        let is_context = !selection.ignore_files.is_empty() && at.facts.is_quiet;
        let mut levels = VecDeque::from([Level {
            target: target.to_path_buf(),
            name: name.to_owned(),
            depth: 1,
            lifted,
            passes_ignored,
            context: is_context.then(|| target.into()),
        }]);
        while let Some(level) = levels.pop_front() {
            match self.level(kind, &level, selection, uses, &mut levels) {
                Found::Nothing => {}
                other => return other,
            }
        }
        Found::Nothing
    }

    /// Whether the names of everything that is chosen below the directory are words and no options.
    pub(crate) fn are_names_words(
        &self,
        name: &str,
        target: &Path,
        selection: &Selection,
        at: Site<'_>,
    ) -> bool {
        let mut directories = VecDeque::from([(name.to_owned(), target.to_path_buf(), 1)]);
        while let Some((name, target, depth)) = directories.pop_front() {
            if selection.depth.is_some_and(|most| depth > most) {
                continue;
            }
            let Some(entries) = self.path_table.list(&target) else {
                return false;
            };
            for entry in entries.iter() {
                let is_directory = entry.kind == ListedKind::Directory;
                let counts =
                    is_directory && selection.enters(&entry.name) || selection.takes(&entry.name);
                if counts && !is_one_word(&entry.name) {
                    return false;
                }
                if is_directory && selection.enters(&entry.name) {
                    let path = within(&target, &entry.name);
                    directories.push_back((name.clone(), path, depth + 1));
                }
            }
        }
        !self.brings(true, at)
    }

    fn level(
        &self,
        kind: Kind,
        level: &Level,
        selection: &Selection,
        uses: Use,
        levels: &mut VecDeque<Level>,
    ) -> Found<'e> {
        if selection.depth.is_some_and(|depth| level.depth > depth) {
            return Found::Nothing;
        }
        let Some(entries) = self.path_table.list(&level.target) else {
            return Found::Unknown;
        };
        let lifted = level.lifted
            || selection.passes_hidden
                && entries.iter().any(|entry| entry.name.contains("ignore"))
                && self.path_table.makes_exceptions(&level.target);
        let mut unknown = false;
        for entry in entries.iter() {
            if selection.passes_hidden && !lifted && entry.name.starts_with('.') {
                continue;
            }
            match self.entry(kind, level, entry, selection, uses) {
                Ok(None) => {}
                Ok(Some(claim)) => levels.push_back(Level {
                    target: claim.target,
                    name: claim.name,
                    depth: level.depth + 1,
                    lifted,
                    passes_ignored: level.passes_ignored,
                    context: level.context.clone(),
                }),
                // A name counts more, in whatever order they are listed.
                Err(Found::Unknown) => unknown = true,
                Err(found) => return found,
            }
        }
        match unknown {
            true => Found::Unknown,
            false => Found::Nothing,
        }
    }

    /// One entry: the directory to enter, if it is one; as an error what ends the search.
    fn entry(
        &self,
        kind: Kind,
        level: &Level,
        entry: &Listed,
        selection: &Selection,
        uses: Use,
    ) -> Result<Option<PathClaim>, Found<'e>> {
        let is_directory = entry.kind == ListedKind::Directory;
        let name = name_in(&level.name, &entry.name);
        let target = within(&level.target, &entry.name);
        let on_way = selection.goes_through(level.depth, &entry.name);
        if is_left_out(level.depth, entry, selection, uses) {
            return Ok(None);
        }
        let fits = on_way.is_some() || fits(entry, selection);
        let is_taken = on_way.is_none() && is_taken(level.depth, entry, selection, uses);
        let link = match entry.kind {
            ListedKind::Link => self.link(level, &entry.name, selection, uses),
            ListedKind::Directory | ListedKind::Other => Ok(None),
        };
        let claim = match link {
            Ok(claim) => claim.unwrap_or(PathClaim { name, target }),
            Err(()) => return Err(Found::Unknown),
        };
        let places = self.places_of(&claim);
        let bound = || self.binding_entry(kind, (level, entry), (&places, uses));
        if is_taken && let Some(rule) = bound() {
            let is_passed = self.is_passed(level, entry, selection);
            let found = (!is_passed).then_some(Found::Name(claim.name, rule));
            return found.map_or(Ok(None), Err);
        }
        let is_option = uses != Use::Search && entry.name.starts_with('-');
        let parts = uses == Use::Words && !is_one_word(&entry.name);
        if (fits || selection.takes_all()) && (is_option || parts) {
            return Err(Found::Unknown);
        }
        if !is_directory || !selection.enters_at(level.depth, &entry.name) {
            return Ok(None);
        }
        let mut rules = self.engine.rules.strict_on_files();
        let goes_on = selection.follows && kind == Kind::Read || self.has_other_names(kind);
        let leads = goes_on || rules.any(|rule| rule.may_bind_below(kind, &places));
        if uses == Use::Search && !leads || self.is_passed(level, entry, selection) {
            return Ok(None);
        }
        // The name of the directory is in those of its files, too.
        if parts {
            return Err(Found::Unknown);
        }
        Ok(Some(claim))
    }

    /// The rule that is about an entry, under this name or another one.
    fn binding_entry(
        &self,
        kind: Kind,
        (level, entry): (&Level, &Listed),
        (places, uses): (&ClaimPlaces<'_>, Use),
    ) -> Option<Option<&'e Rule>> {
        let named = self.binding(kind, places, uses);
        let elsewhere = || self.binding_elsewhere(kind, &level.target, &entry.name);
        let is_directory = entry.kind == ListedKind::Directory;
        named.or_else(|| elsewhere().filter(|_| !is_directory).map(Some))
    }

    /// Whether the program leaves an entry out since git ignores it, or it stays out of an image.
    fn is_passed(&self, level: &Level, entry: &Listed, selection: &Selection) -> bool {
        if !level.passes_ignored && level.context.is_none() || !self.budget.takes_ignored() {
            return false;
        }
        let path = within(&level.target, &entry.name);
        let is_directory = entry.kind == ListedKind::Directory;
        let resolver = self.path_table.resolver();
        let is_left_out = |context: &Path| {
            resolver.is_left_out(context, &selection.ignore_files, &path, is_directory)
        };
        level.passes_ignored && resolver.is_ignored(&path, is_directory)
            || level.context.as_deref().is_some_and(is_left_out)
    }

    /// Whether files that rules are about have other names (hard links).
    pub(crate) fn has_other_names(&self, kind: Kind) -> bool {
        let about = |rule: &Rule| rule.is_about(kind, self.user());
        self.other_names(kind)
            .is_some_and(|known| known.concern(self.engine, about))
    }

    /// The files with other names, for a use that reaches what a file holds.
    fn other_names(&self, kind: Kind) -> Option<&SharedFiles> {
        let counts = self.engine.rules.names_files && kind != Kind::Delete;
        let find = || SharedFiles::find(self.engine, self.path_table.resolver());
        counts.then(|| self.shared.get_or_init(find))
    }

    /// The rule that is about this file, which has several names.
    pub(crate) fn binding_identity(&self, kind: Kind, identity: FileIdentity) -> Option<&'e Rule> {
        let about = |rule: &Rule| rule.is_about(kind, self.user());
        self.other_names(kind)?.rule(self.engine, identity, about)
    }

    /// The rule that is about this file of a directory under another name.
    fn binding_elsewhere(&self, kind: Kind, directory: &Path, name: &str) -> Option<&'e Rule> {
        let known = self.other_names(kind)?;
        if known.is_empty() {
            return None;
        }
        match self.path_table.resolve(directory, name) {
            Resolved::Inside {
                there: There::File(Some(identity)),
                ..
            } => self.binding_identity(kind, identity),
            _ => None,
        }
    }

    /// Where a link of a directory leads, where that counts; an error when it cannot be determined what lies behind it.
    fn link(
        &self,
        level: &Level,
        name: &str,
        selection: &Selection,
        uses: Use,
    ) -> Result<Option<PathClaim>, ()> {
        if !selection.follows && uses == Use::Search {
            return Ok(None);
        }
        match self.path_table.resolve(&level.target, name) {
            Resolved::Inside { claim, there }
                if !(there == There::Directory && selection.follows) =>
            {
                Ok(Some(claim))
            }
            Resolved::Inside { .. } | Resolved::Outside => Err(()),
        }
    }

    /// The rule that is about this file; a protected name has none.
    pub(crate) fn binding(
        &self,
        kind: Kind,
        places: &ClaimPlaces<'_>,
        uses: Use,
    ) -> Option<Option<&'e Rule>> {
        match self.strict_on(kind, places) {
            Some(rule) => Some(Some(rule)),
            None if uses == Use::Search || kind == Kind::Read => None,
            None => places.protected().map(|_| None),
        }
    }

    /// Whether the text may have brought something into directories before it comes to this place.
    pub(crate) fn brings(&self, follows: bool, at: Site<'_>) -> bool {
        at.facts.links.bring(at.place, follows)
            || at.facts.changes_patterns
            || self.facts.may_change_options()
    }
}

/// Whether a program comes to no such entry at this level.
pub(crate) fn is_left_out(depth: usize, entry: &Listed, selection: &Selection, uses: Use) -> bool {
    let on_way = selection.goes_through(depth, &entry.name);
    on_way.is_some_and(|goes| !goes || entry.kind == ListedKind::Other)
        || entry.kind != ListedKind::Directory && selection.passes_file(depth, &entry.name)
        || uses != Use::Search && selection.only_files && entry.kind == ListedKind::Link
}

/// Whether an entry has a name and is of a kind that a program goes to.
pub(crate) fn fits(entry: &Listed, selection: &Selection) -> bool {
    let is_directory = entry.kind == ListedKind::Directory;
    selection.takes(&entry.name) && (is_directory || !selection.directories_only)
}

/// Whether an entry itself is among what a program comes to. What is named may be a directory; what is searched are the files in it.
fn is_taken(depth: usize, entry: &Listed, selection: &Selection, uses: Use) -> bool {
    let fits = fits(entry, selection);
    match (entry.kind, uses) {
        (ListedKind::Directory, _) if selection.directories_only => fits,
        (ListedKind::Directory, Use::Search) => {
            selection.takes_all() && selection.enters_at(depth, &entry.name)
        }
        (ListedKind::Directory, _) => !selection.only_files && (selection.takes_all() || fits),
        (ListedKind::Link | ListedKind::Other, _) => fits,
    }
}
