//! Whether the files that a word of unknown names can stand for are such as no rule is about.

use std::path::Path;
use std::rc::Rc;

use smallvec::smallvec;
use tenon_shell::{Expansion, ParameterOperation, Part, Word, file_operands};

use super::Context;
use super::feeds::{Fed, Search, Source};
use super::files::Extent;
use super::from_index::from_index;
use super::ground::{Folder, State};
use super::selection::{Selection, lists_of_braces};
use super::survey::{Found, Use, is_one_word};
use crate::paths::ListedKind;
use crate::rule::{Kind, Rule};

/// The words of lists in braces, `build/{a,b}`.
pub(super) fn in_braces(word: &Word) -> Option<Vec<Word>> {
    let [
        Part::Text {
            value,
            quoted: false,
        },
    ] = word.parts.as_slice()
    else {
        return None;
    };
    if !word.expansion.braces || word.expansion.tilde {
        return None;
    }
    let texts = lists_of_braces(value)?;
    let words = texts.into_iter().map(|text| {
        // A tilde that came to stand at the start is a home folder.
        let expansion = Expansion {
            braces: false,
            tilde: text.starts_with('~'),
            ..word.expansion
        };
        let part = Part::Text {
            value: text.into(),
            quoted: false,
        };
        Word::of_parts(smallvec![part], expansion, word.span)
    });
    Some(words.collect())
}

impl<'e> Context<'e, '_> {
    /// What rules are about among the files that the word, or one of its `values`, can stand for, as far as the folders
    /// tell in which they lie.
    pub(super) fn found(
        &self,
        kind: Kind,
        word: &Word,
        state: State,
        extent: Extent<'_>,
        values: Option<&[Word]>,
    ) -> Found<'e> {
        let mut rules = self.engine.rules.strict_on_files();
        if self.open || !self.files_bound || !rules.any(|rule| rule.binds(kind)) {
            return Found::Unknown;
        }
        if let Some((source, uses)) = self.source(word) {
            let whole = matches!(extent, Extent::Itself) && source.state == state;
            return if whole {
                self.found_by(kind, &source, uses)
            } else {
                Found::Unknown
            };
        }
        let words = values.unwrap_or(std::slice::from_ref(word));
        all(words
            .iter()
            .map(|word| self.found_by_pattern(kind, word, state, extent)))
    }

    /// A name that may not be used so unasked among the files that the word can stand for, as far as the folders tell:
    /// one that is protected, or one that a rule is about, with the rule.
    pub(super) fn kept_name(
        &self,
        kind: Kind,
        word: &Word,
        state: State,
    ) -> Option<(String, Option<&'e Rule>)> {
        let found = match self.source(word) {
            Some((source, uses)) => self.found_by(kind, &source, uses),
            None => {
                let values = self.values(word);
                let words = values.as_deref().unwrap_or(std::slice::from_ref(word));
                let patterns = words.iter().filter(|word| word.expansion.globs);
                all(patterns.map(|word| self.found_by_pattern(kind, word, state, Extent::Itself)))
            }
        };
        match found {
            Found::Name(name, rule) => Some((name, rule)),
            Found::Nothing | Found::Unknown => None,
        }
    }

    /// Whether nothing tells what this word stands for: no value that the text gives, no program that finds names.
    pub(super) fn is_open_word(&self, word: &Word) -> bool {
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
            && self.source(word).is_none()
            && self.values(word).is_none()
    }

    /// Whether no rule is about the file of this path, as far as that can be told at once.
    pub(super) fn is_of_no_rule(
        &self,
        kind: Kind,
        path: &str,
        state: State,
        extent: Extent<'_>,
    ) -> bool {
        let Some(folders) = self.ground.candidates(state) else {
            return false;
        };
        let is_of_process = |folder: &Folder| self.process_path(*folder, path).is_some();
        !self.makes_links()
            && !folders.iter().any(is_of_process)
            && folders.into_iter().all(|folder| {
                let name = self.ground.follow(folder, path);
                let Some(inside) = name.inside() else {
                    return false;
                };
                let goes_below = inside.is_folder && matches!(extent, Extent::Below(_));
                let elsewhere = inside
                    .shared
                    .and_then(|identity| self.binding_identity(kind, identity));
                let places = inside.places(&self.engine.compared_root);
                !goes_below
                    && elsewhere.is_none()
                    && self.binding(kind, &places, Use::Names).is_none()
            })
    }

    /// The words that this one stands for, where that is told: values of a variable, lists in braces.
    pub(super) fn values(&self, word: &Word) -> Option<Vec<Word>> {
        self.loop_values(word).or_else(|| in_braces(word))
    }

    /// Whether the word stands for what is added to the command when it runs.
    pub(super) fn is_given(&self, word: &Word) -> bool {
        word.expansion.splits && matches!(word.parts.as_slice(), [Part::Unknown])
    }

    /// Whether what is added to this command when it runs are names, each one word and no option.
    pub(super) fn adds_names(&self) -> bool {
        let fed = self.fed.borrow().as_ref().map(Rc::clone);
        let Some(fed) = fed else { return false };
        let uses = if fed.whole { Use::Names } else { Use::Words };
        let key = fed.names.get();
        if let Some(known) = key {
            return known;
        }
        let known = self.are_words(&fed.source, uses);
        fed.names.set(Some(known));
        known
    }

    /// Whether each name that this program finds stays one word, and is no option.
    fn are_words(&self, source: &Source, uses: Use) -> bool {
        if let Some(listing) = from_index(&source.words) {
            return self.index_tells_words(source, listing);
        }
        let selection = Selection::of(&source.words);
        self.roots(source).is_some_and(|roots| {
            roots.iter().all(|(folder, root)| {
                let name = self.ground.follow(*folder, root);
                let Some(inside) = name.inside() else {
                    return false;
                };
                let target = inside.target_below(&self.engine.root);
                is_one_word(root)
                    && (!inside.is_folder
                        || (uses == Use::Names && root != ".")
                        || self.are_names_words(inside.name, &target, &selection))
            })
        })
    }

    /// The folders and files from which a program finds names.
    fn roots(&self, source: &Source) -> Option<Vec<(Folder, String)>> {
        let operands = file_operands(&source.words);
        let roots = operands
            .iter()
            .filter(|file| file.access == tenon_shell::FileAccess::Read)
            .map(|file| file.word.literal().map(str::to_owned));
        let mut roots: Vec<String> = roots.collect::<Option<_>>()?;
        if roots.is_empty() {
            roots.push(".".to_owned());
        }
        let folders = self.ground.candidates(source.state)?;
        let pairs = folders
            .into_iter()
            .flat_map(|folder| roots.iter().map(move |root| (folder, root.clone())));
        Some(pairs.collect())
    }

    /// The program that finds what this word stands for, and how its names get there.
    fn source(&self, word: &Word) -> Option<(Source, Use)> {
        let fed = self.fed.borrow().as_ref().map(Rc::clone);
        if let Some(fed) = fed.filter(|fed| fed.stands_for(word)) {
            let uses = if fed.whole { Use::Names } else { Use::Words };
            return Some((fed.source.clone(), uses));
        }
        let here = self.here.get();
        let around = self.around.borrow();
        let source = match word.parts.as_slice() {
            [Part::CommandSubstitution { scope, .. }] => around.feeds.substitution(here.0, *scope),
            [
                Part::Parameter {
                    name,
                    operation: ParameterOperation::Value,
                    ..
                },
            ] => match around.loops.substitution(name, here) {
                Some(scope) => around.feeds.substitution(here.0, scope),
                None => around.feeds.variable(name, here),
            },
            _ => None,
        };
        // What a shell makes of zeros is another matter.
        let source = source.filter(|source| !source.by_zero)?;
        Some((source.clone(), Use::Words))
    }

    /// Whether the variable holds names here that a program finds.
    pub(super) fn is_found(&self, name: &str) -> bool {
        let around = self.around.borrow();
        around.feeds.variable(name, self.here.get()).is_some()
    }

    /// What rules are about among the names that this program finds.
    fn found_by(&self, kind: Kind, source: &Source, uses: Use) -> Found<'e> {
        if let Some(listing) = from_index(&source.words) {
            return self.found_in_index(kind, source, listing);
        }
        let search = self.search(source);
        let (selection, Some(roots)) = (&search.selection, &search.roots) else {
            return Found::Unknown;
        };
        all(roots.iter().map(|(folder, root)| {
            if root.starts_with('-') || (uses == Use::Words && !is_one_word(root)) {
                return Found::Unknown;
            }
            let name = self.ground.follow(*folder, root);
            let Some(inside) = name.inside() else {
                return Found::Unknown;
            };
            let places = inside.places(&self.engine.compared_root);
            let mut rules = self.engine.rules.strict_on_files();
            if (root != "." || !inside.is_folder)
                && let Some(rule) = rules.find(|rule| rule.binds_file(kind, &places, self.user()))
            {
                return Found::Name(inside.name.to_owned(), Some(rule));
            }
            if kind != Kind::Read && places.protected().is_some() {
                return Found::Name(inside.name.to_owned(), None);
            }
            if !inside.is_folder {
                return Found::Nothing;
            }
            let target = inside.target_below(&self.engine.root);
            self.survey(kind, inside.name, &target, selection, uses)
        }))
    }

    /// What this program looks for. One `find` can run many commands.
    fn search(&self, source: &Source) -> Rc<Search> {
        let make = || {
            Rc::new(Search {
                selection: Selection::of(&source.words),
                roots: self.roots(source),
            })
        };
        let fed = self.fed.borrow().as_ref().map(Rc::clone);
        let is_source = |fed: &Rc<Fed>| {
            std::ptr::eq(&*fed.source.words, &*source.words) && fed.source.state == source.state
        };
        match fed.filter(is_source) {
            Some(fed) => Rc::clone(fed.search.get_or_init(make)),
            None => make(),
        }
    }

    /// What rules are about among the names that fit this pattern.
    fn found_by_pattern(
        &self,
        kind: Kind,
        word: &Word,
        state: State,
        extent: Extent<'_>,
    ) -> Found<'e> {
        let form = crate::shell_pattern::form(&[], word);
        let parts = form.and_then(|_| crate::shell_pattern::folder_and_rest(word));
        let (Some((above, rest)), Some(folders)) = (parts, self.ground.candidates(state)) else {
            return Found::Unknown;
        };
        if self.around.borrow().changes_patterns {
            return Found::Unknown;
        }
        all(folders.into_iter().map(|folder| {
            let name = self.ground.follow(folder, &above);
            let Some(inside) = name.inside().filter(|inside| inside.is_folder) else {
                return Found::Unknown;
            };
            let target = inside.target_below(&self.engine.root);
            let fitting = Selection::of_pattern(&rest);
            let named = self.survey(kind, inside.name, &target, &fitting, Use::Names);
            match (named, extent) {
                (Found::Nothing, Extent::Below(selection)) => {
                    self.found_below(kind, inside.name, &target, &rest, selection)
                }
                (found, _) => found,
            }
        }))
    }

    /// What lies below the folders that fit the last part of a pattern.
    fn found_below(
        &self,
        kind: Kind,
        name: &str,
        target: &Path,
        rest: &[String],
        selection: &Selection,
    ) -> Found<'e> {
        let ([_], Some(entries)) = (rest, self.ground.list(target)) else {
            return Found::Unknown;
        };
        let fitting = Selection::of_pattern(rest);
        let folders = entries
            .iter()
            .filter(|entry| entry.kind != ListedKind::Other && fitting.takes(&entry.name));
        all(folders.map(|entry| {
            // A link that is named is followed.
            if entry.kind == ListedKind::Link {
                return Found::Unknown;
            }
            let name = match name {
                "." => entry.name.clone(),
                folder => format!("{folder}/{}", entry.name),
            };
            let target = target.join(&entry.name);
            self.survey(kind, &name, &target, selection, Use::Search)
        }))
    }
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
