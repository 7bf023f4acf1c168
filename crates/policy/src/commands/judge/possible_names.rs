//! Whether the files that a word of unknown names can stand for are such as no rule is about.

use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

use tenon_shell::{FileAccess, ParameterOperation, Part, Word, is_one_word};

use crate::commands::judge::{CommandJudge, Extent, Found, Use};
use crate::commands::resolve::piped_input::Search;
use crate::commands::resolve::{DirId, PipedInput, Site, Source};
use crate::commands::words::tracked_files::git_listing;
use crate::commands::words::{Form, Selection, files_by_name, in_braces};
use crate::glob::Segment;
use crate::paths::{ListedKind, name_in, within};
use crate::program_names::base_name;
use crate::rule::{Kind, Rule};

/// How many names of a pattern are looked at.
const MOST_NAMES: usize = 256;

impl<'e> CommandJudge<'e, '_> {
    /// What rules are about among the files that the word, or one of its `values`, can stand for, as far as the directories
    /// show in which they are.
    pub(crate) fn found(
        &self,
        kind: Kind,
        word: &Word,
        at: Site<'_>,
        extent: Extent<'_>,
        values: Option<&[Word]>,
    ) -> Found<'e> {
        let mut rules = self.engine.rules.strict_on_files();
        if self.open || !self.bounds().files || !rules.any(|rule| rule.binds(kind)) {
            return Found::Unknown;
        }
        if let Some((source, uses)) = self.source(word, at) {
            if source.state != at.dirs {
                return Found::Unknown;
            }
            return match (self.found_by(kind, &source, uses, at), extent) {
                (Found::Nothing, Extent::Below(selection)) => {
                    self.found_below_names(kind, &source, (selection, at))
                }
                (found, _) => found,
            };
        }
        let words = values.unwrap_or(std::slice::from_ref(word));
        all(words
            .iter()
            .map(|word| self.found_by_pattern(kind, word, at, extent)))
    }

    /// A name that may not be used so unasked among the files that the word can stand for, as far as the directories
    /// show: one that is protected, or one that a rule is about, with the rule.
    pub(crate) fn kept_name(
        &self,
        kind: Kind,
        word: &Word,
        at: Site<'_>,
    ) -> Option<(String, Option<&'e Rule>)> {
        if let Some((source, uses)) = self.source(word, at) {
            return match self.found_by(kind, &source, uses, at) {
                Found::Name(name, rule) => Some((name, rule)),
                Found::Nothing | Found::Unknown => None,
            };
        }
        let words = &self.possible_words(word, at);
        match self.kept_by_patterns(kind, words, at) {
            Found::Name(name, rule) => Some((name, rule)),
            Found::Nothing => None,
            // What a link on the way leads to is known all the same.
            Found::Unknown => {
                let forms = self.forms(words, at);
                let name = forms
                    .iter()
                    .flatten()
                    .find_map(|form| protected_start(form))?;
                Some((name, None))
            }
        }
    }

    /// What is kept back among the names that these patterns can stand for.
    pub(crate) fn kept_by_patterns(&self, kind: Kind, words: &[Word], at: Site<'_>) -> Found<'e> {
        let patterns = words.iter().filter(|word| word.expansion.globs);
        all(patterns.map(|word| self.found_by_pattern(kind, word, at, Extent::Itself)))
    }

    /// Whether it is unknown what this word stands for: no value that the text gives, no program that finds names.
    pub(crate) fn is_open_word(&self, word: &Word, at: Site<'_>) -> bool {
        let is_open = |part: &Part| match part {
            Part::CommandSubstitution { .. } | Part::Unknown => true,
            Part::Parameter { name, .. } => !matches!(
                &**name,
                "HOME" | "PWD" | "OLDPWD" | "TMPDIR" | "?" | "#" | "$" | "!" | "RANDOM"
            ),
            _ => false,
        };
        word.is_opaque()
            && word.parts.iter().any(is_open)
            && self.source(word, at).is_none()
            && self.values(word, at).is_none()
    }

    /// Whether no rule is about the file of this path, as far as that can be determined at once.
    pub(crate) fn is_of_no_rule(
        &self,
        kind: Kind,
        path: &str,
        at: Site<'_>,
        extent: Extent<'_>,
    ) -> bool {
        let Some(directories) = self.path_table.candidates(at.dirs) else {
            return false;
        };
        let is_of_process = |directory: &DirId| self.process_path(*directory, path).is_some();
        !at.makes_links()
            && !directories.iter().any(is_of_process)
            && directories.into_iter().all(|directory| {
                let name = self.path_table.follow(directory, path);
                let Some(inside) = name.inside() else {
                    return false;
                };
                let goes_below = inside.is_directory && matches!(extent, Extent::Below(_));
                let elsewhere = inside
                    .shared
                    .and_then(|identity| self.binding_identity(kind, identity));
                let places = inside.places(&self.engine.compared_root);
                !goes_below
                    && elsewhere.is_none()
                    && self.binding(kind, &places, Use::Names).is_none()
            })
    }

    /// The words that this one stands for, where that is known: values of a variable, lists in braces.
    pub(crate) fn values(&self, word: &Word, at: Site<'_>) -> Option<Vec<Word>> {
        self.loop_values(word, at).or_else(|| in_braces(word))
    }

    /// The same; the word itself where that is not known.
    pub(crate) fn possible_words<'w>(&self, word: &'w Word, at: Site<'_>) -> Cow<'w, [Word]> {
        let itself = || Cow::Borrowed(std::slice::from_ref(word));
        self.values(word, at).map_or_else(itself, Cow::Owned)
    }

    /// Whether a word that the shell may split is one word all the same: its values are known, or are put in by
    /// themselves.
    pub(crate) fn stays_one_word(&self, word: &Word, at: Site<'_>) -> bool {
        // Without quotes nothing is no word.
        let is_there = |value: &Word| !word.expansion.splits || value.literal() != Some("");
        let values = self.values(word, at).filter(|_| !word.expansion.globs);
        values.is_some_and(|values| values.iter().all(is_there))
    }

    /// Whether the word stands for what is added to the command when it runs.
    pub(crate) fn is_given(&self, word: &Word) -> bool {
        word.expansion.splits && matches!(word.parts.as_slice(), [Part::Unknown])
    }

    /// Whether what is added to this command when it runs are names, each one word and no option.
    pub(crate) fn adds_names(&self, at: Site<'_>) -> bool {
        let Some(fed) = at.piped else { return false };
        let uses = if fed.whole { Use::Names } else { Use::Words };
        let key = fed.names.get();
        if let Some(known) = key {
            return known;
        }
        let known = self.are_words(&fed.source, uses, at);
        fed.names.set(Some(known));
        known
    }

    /// Whether a word stands for what a program finds, names that are each one word and no option.
    pub(crate) fn gives_names(&self, word: &Word, at: Site<'_>) -> bool {
        let source = self.source(word, at);
        source.is_some_and(|(source, uses)| self.are_words(&source, uses, at))
    }

    /// Whether each name that this program finds stays one word, and is no option.
    fn are_words(&self, source: &Source, uses: Use, at: Site<'_>) -> bool {
        if let Some(listing) = git_listing(&source.words) {
            return self.index_lists_words(source, listing);
        }
        let selection = Selection::by_name(&source.words);
        self.roots(source, at).is_some_and(|roots| {
            roots.iter().all(|(directory, root)| {
                let name = self.path_table.follow(*directory, root);
                let Some(inside) = name.inside() else {
                    return false;
                };
                let target = inside.target_below(&self.engine.root);
                is_one_word(root)
                    && (!inside.is_directory
                        || (uses == Use::Names && root != ".")
                        || self.are_names_words(inside.name, &target, &selection, at))
            })
        })
    }

    /// The directories and files from which a program finds names.
    pub(crate) fn roots(&self, source: &Source, at: Site<'_>) -> Option<Vec<(DirId, String)>> {
        let operands = files_by_name(&source.words);
        let read = { operands.iter() }.filter(|file| file.access == FileAccess::Read);
        let read: Vec<&Word> = read.map(|file| &*file.word).collect();
        let mut roots = Vec::new();
        for directory in self.path_table.candidates(source.state)? {
            if read.is_empty() {
                roots.push((directory, ".".to_owned()));
            }
            for word in &read {
                let names = match word.literal() {
                    Some(root) => vec![root.to_owned()],
                    None => self.names_of_pattern(directory, word, at)?,
                };
                roots.extend(names.into_iter().map(|name| (directory, name)));
            }
        }
        Some(roots)
    }

    /// What is there of a pattern for the last of its names: `src/*.js`.
    pub(crate) fn names_of_pattern(
        &self,
        directory: DirId,
        word: &Word,
        at: Site<'_>,
    ) -> Option<Vec<String>> {
        let is_settled = !at.facts.changes_patterns && !self.brings(true, at);
        is_settled.then(|| self.listed_names(directory, word))?
    }

    /// The same as the directories are now.
    pub(crate) fn listed_names(&self, directory: DirId, word: &Word) -> Option<Vec<String>> {
        let [
            Part::Text {
                value: pattern,
                quoted: false,
            },
        ] = word.parts.as_slice()
        else {
            return None;
        };
        let expands = word.expansion.braces || word.expansion.tilde || pattern.contains('(');
        let (above, last) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        if expands || last.is_empty() || above.contains(['*', '?', '[', '\\']) {
            return None;
        }
        let form = Form::new(last)?;
        let name = self.path_table.follow(directory, above);
        let inside = name.directory()?;
        let entries = self
            .path_table
            .list(&inside.target_below(&self.engine.root))?;
        let is_meant =
            |name: &&str| form.fits(name) && last.starts_with('.') == name.starts_with('.');
        let names = entries
            .iter()
            .map(|entry| entry.name.as_str())
            .filter(is_meant);
        let names = names.map(|name| match pattern.contains('/') {
            true => format!("{above}/{name}"),
            false => name.to_owned(),
        });
        let names: Vec<String> = names.take(MOST_NAMES + 1).collect();
        (names.len() <= MOST_NAMES).then_some(names)
    }

    /// The program that finds what this word stands for, and how its names get there.
    pub(crate) fn source(&self, word: &Word, at: Site<'_>) -> Option<(Source, Use)> {
        if let Some(fed) = at.piped.filter(|fed| fed.stands_for(word)) {
            let uses = if fed.whole { Use::Names } else { Use::Words };
            return Some((fed.source.clone(), uses));
        }
        let (here, around) = (at.place, at.facts);
        let source = match word.parts.as_slice() {
            [Part::CommandSubstitution { scope, .. }] => {
                around.data_flow.substitution(here.0, *scope)
            }
            [
                Part::Parameter {
                    name,
                    operation: ParameterOperation::Value | ParameterOperation::Element,
                    ..
                },
            ] => match around.loops.substitution(name, here) {
                Some(scope) => around.data_flow.substitution(here.0, scope),
                None => around.data_flow.variable(name, here),
            },
            _ => None,
        };
        // What a shell makes of zeros is another matter.
        let source = source.filter(|source| !source.by_zero)?;
        Some((source.clone(), Use::Words))
    }

    /// What rules are about among the names that this program finds.
    fn found_by(&self, kind: Kind, source: &Source, uses: Use, at: Site<'_>) -> Found<'e> {
        if let Some(listing) = git_listing(&source.words) {
            return self.found_in_index(kind, source, listing, at);
        }
        let search = self.search(source, at);
        let (selection, Some(roots)) = (&search.selection, &search.roots) else {
            return Found::Unknown;
        };
        all(roots.iter().map(|(directory, root)| {
            if root.starts_with('-') || (uses == Use::Words && !is_one_word(root)) {
                return Found::Unknown;
            }
            let name = self.path_table.follow(*directory, root);
            let Some(inside) = name.inside() else {
                return Found::Unknown;
            };
            let places = inside.places(&self.engine.compared_root);
            if (root != "." || !inside.is_directory)
                && let Some(rule) = self.strict_on(kind, &places)
            {
                return Found::Name(inside.name.to_owned(), Some(rule));
            }
            if kind != Kind::Read && places.protected().is_some() {
                return Found::Name(inside.name.to_owned(), None);
            }
            if !inside.is_directory {
                return Found::Nothing;
            }
            let target = inside.target_below(&self.engine.root);
            self.survey(kind, inside.name, &target, (selection, at), uses)
        }))
    }

    /// What lies below the directories that this program finds, as far as it chooses them by name.
    fn found_below_names(
        &self,
        kind: Kind,
        source: &Source,
        (selection, at): (&Selection, Site<'_>),
    ) -> Found<'e> {
        let search = self.search(source, at);
        let chosen = &search.selection;
        let Some(roots) = search.roots.as_ref().filter(|_| !chosen.takes_all()) else {
            return Found::Unknown;
        };
        let mut levels = Vec::new();
        for (directory, root) in roots {
            let name = self.path_table.follow(*directory, root);
            let inside = name.directory();
            let Some(inside) = inside.filter(|_| !chosen.takes(base_name(root))) else {
                return Found::Unknown;
            };
            let target = inside.target_below(&self.engine.root);
            levels.push((inside.name.to_owned(), target.to_path_buf()));
        }
        while let Some((above, target)) = levels.pop() {
            let Some(entries) = self.path_table.list(&target) else {
                return Found::Unknown;
            };
            for entry in entries
                .iter()
                .filter(|entry| entry.kind != ListedKind::Other)
            {
                let name = name_in(&above, &entry.name);
                let target = within(&target, &entry.name);
                let is_link = entry.kind == ListedKind::Link;
                if chosen.takes(&entry.name) {
                    // A link that is named can be followed.
                    let found = match is_link {
                        true => Found::Unknown,
                        false => self.survey(kind, &name, &target, (selection, at), Use::Search),
                    };
                    if !matches!(found, Found::Nothing) {
                        return found;
                    }
                }
                if !is_link && chosen.enters(&entry.name) {
                    levels.push((name, target));
                }
            }
        }
        Found::Nothing
    }

    /// What this program looks for. One `find` can run many commands.
    fn search(&self, source: &Source, at: Site<'_>) -> Rc<Search> {
        let make = || {
            Rc::new(Search {
                selection: Selection::by_name(&source.words),
                roots: self.roots(source, at),
            })
        };
        let is_source = |fed: &&PipedInput| {
            std::ptr::eq(&*fed.source.words, &*source.words) && fed.source.state == source.state
        };
        match at.piped.filter(is_source) {
            Some(fed) => Rc::clone(fed.search.get_or_init(make)),
            None => make(),
        }
    }

    /// What rules are about among the names that fit this pattern.
    fn found_by_pattern(
        &self,
        kind: Kind,
        word: &Word,
        at: Site<'_>,
        extent: Extent<'_>,
    ) -> Found<'e> {
        let has_form = crate::shell_pattern::has_form(word);
        let parts = has_form.then(|| crate::shell_pattern::directory_and_rest(word));
        let parts = parts.flatten();
        let (Some((above, rest)), Some(directories)) = (parts, self.path_table.candidates(at.dirs))
        else {
            return Found::Unknown;
        };
        if at.facts.changes_patterns {
            return Found::Unknown;
        }
        let found = all(directories.into_iter().map(|directory| {
            let name = self.path_table.follow(directory, &above);
            let Some(inside) = name.directory() else {
                return Found::Unknown;
            };
            let target = inside.target_below(&self.engine.root);
            let fitting = Selection::of_pattern(&rest);
            let named = self.survey(kind, inside.name, &target, (&fitting, at), Use::Names);
            match (named, extent) {
                (Found::Nothing, Extent::Below(selection)) => {
                    self.found_below(kind, inside.name, &target, &rest, (selection, at))
                }
                (found, _) => found,
            }
        }));
        match found {
            Found::Nothing if crate::shell_pattern::may_climb(word) => Found::Unknown,
            found => found,
        }
    }

    /// What lies below the directories that fit the last part of a pattern.
    fn found_below(
        &self,
        kind: Kind,
        name: &str,
        target: &Path,
        rest: &[String],
        (selection, at): (&Selection, Site<'_>),
    ) -> Found<'e> {
        let (Some((part, behind)), Some(entries)) =
            (rest.split_first(), self.path_table.list(target))
        else {
            return Found::Unknown;
        };
        // One level or all of them, as the shell is set: everything below counts, whatever the program would leave out.
        if part.contains("**") {
            let whole = Selection::default();
            return match self.has_links_below(target) {
                false => self.survey(kind, name, target, (&whole, at), Use::Search),
                true => Found::Unknown,
            };
        }
        let fitting = Selection::of_pattern(std::slice::from_ref(part));
        let directories = entries
            .iter()
            .filter(|entry| entry.kind != ListedKind::Other && fitting.takes(&entry.name));
        all(directories.map(|entry| {
            // A link that is named is followed.
            if entry.kind == ListedKind::Link {
                return Found::Unknown;
            }
            let name = name_in(name, &entry.name);
            let target = within(target, &entry.name);
            if behind.is_empty() {
                self.survey(kind, &name, &target, (selection, at), Use::Search)
            } else {
                self.found_below(kind, &name, &target, behind, (selection, at))
            }
        }))
    }

    /// Whether a link lies anywhere below the directory, as far as it can be looked at.
    fn has_links_below(&self, target: &Path) -> bool {
        let mut directories = vec![target.to_path_buf()];
        while let Some(directory) = directories.pop() {
            let Some(entries) = self.path_table.list(&directory) else {
                return true;
            };
            for entry in entries.iter() {
                match entry.kind {
                    ListedKind::Link => return true,
                    ListedKind::Directory => directories.push(within(&directory, &entry.name)),
                    ListedKind::Other => {}
                }
            }
        }
        false
    }
}

/// The names with which paths of this form begin, if one of them is protected.
fn protected_start(form: &[Segment]) -> Option<String> {
    let mut names = Vec::new();
    for segment in form {
        let Segment::Literal(name) = segment else {
            // Only directories count.
            names.push("");
            break;
        };
        names.push(name);
    }
    let path = names.join("/");
    crate::protected::is_protected(&path).then(|| path.trim_end_matches('/').to_owned())
}

/// What is found in several places: a name of a rule counts most, then what is not known.
fn all<'e>(found: impl Iterator<Item = Found<'e>>) -> Found<'e> {
    let mut whole = Found::Nothing;
    for one in found {
        match one {
            Found::Nothing => {}
            Found::Unknown => whole = Found::Unknown,
            name @ Found::Name(..) => return name,
        }
    }
    whole
}
