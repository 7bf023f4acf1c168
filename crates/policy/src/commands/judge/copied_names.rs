//! What `cp`, `mv` and their like write into a directory: files under the names of the sources.

use std::borrow::Cow;

use smallvec::SmallVec;
use tenon_programs::Traits;
use tenon_shell::{FileAccess, Part, Word};

use crate::commands::judge::new_names::is_made;
use crate::commands::judge::operands::copies::Machine;
use crate::commands::judge::{CommandJudge, Usage};
use crate::commands::resolve::{Inside, Site, Source};
use crate::commands::words::{Effects, Selection};
use crate::paths::ListedKind;
use crate::program_names::base_name;
use crate::rule::Kind;

/// How many copies are distinguished of a command with several targets.
const MOST_COPIES: usize = 4096;

/// Programs that make the directory to which they copy.
const MAKING: &[&str] = &["install"];

/// How many sources are put into each directory whose name is not known.
const MOST_SOURCES: usize = 256;

impl<'e> CommandJudge<'e, '_> {
    /// `cp a b directory` writes `directory/a`.
    pub(crate) fn copies_into_directory(&mut self, effects: &Effects<'_>, at: Site<'_>) {
        let files = &effects.files;
        let name = effects.base;
        let copies = matches!(name, "cp" | "mv" | "ln" | "install");
        if self.open || !(copies || effects.is(Traits::REMOTE_NAMES)) {
            return;
        }
        let of = |access| {
            files
                .iter()
                .filter(move |file| file.access == access)
                .map(|file| &*file.word)
        };
        let usage = Usage::strict(Kind::Write);
        let targets = self.targets_of_copy(effects, copies.then_some(name), at);
        let several = targets.len();
        if several > 1 && several * of(FileAccess::Read).count() > MOST_COPIES {
            let why = "it is one of many targets of many files";
            for target in &targets {
                self.perhaps(usage, target, None, why);
            }
            return;
        }
        // `host:name` comes from another machine.
        let local = |source| base_name(source).rsplit(':').next().unwrap_or_default();
        let sources = of(FileAccess::Read).filter_map(Word::literal);
        let sources: SmallVec<[&str; 4]> = sources
            .flat_map(|source| [base_name(source), local(source)])
            .collect();
        let mut path = String::new();
        for target in &targets {
            path.clear();
            path.push_str(target.trim_end_matches('/'));
            path.push('/');
            let directory = path.len();
            for source in &sources {
                path.truncate(directory);
                path.push_str(source);
                self.path(usage, &path, at);
            }
        }
        let opaque = of(FileAccess::Write).filter(|target| target.is_opaque());
        for target in opaque.take(MOST_COPIES) {
            self.copies_into_opaque(target, of(FileAccess::Read), at);
        }
        let patterns = of(FileAccess::Read).filter(|source| source.is_opaque());
        for source in patterns.take(MOST_SOURCES) {
            let targets = targets.iter().map(|target| &**target);
            self.copies_of_pattern(source, targets, at);
        }
    }

    /// The names that a command of this name copies to, on this machine, which may be directories. Of programs that reach other machines the
    /// name does not matter.
    fn targets_of_copy<'f>(
        &self,
        effects: &'f Effects<'_>,
        name: Option<&str>,
        at: Site<'_>,
    ) -> SmallVec<[Cow<'f, str>; 4]> {
        let written = effects.files.iter();
        let written = written.filter(|file| file.access == FileAccess::Write);
        let targets = written.filter_map(|file| file.word.literal());
        let targets = targets.filter_map(|target| match self.on_machine(target, effects) {
            Machine::This => Some(Cow::Borrowed(target)),
            Machine::Perhaps(path) => Some(Cow::Owned(path)),
            Machine::Another => None,
        });
        let mut targets: SmallVec<[Cow<'_, str>; 4]> = targets.collect();
        // What is copied to no directory is one file.
        let is_one = name.is_some_and(|name| !MAKING.contains(&name)) && targets.len() == 1;
        targets.retain(|target| !(is_one && self.is_no_directory(target, at)));
        targets
    }

    /// `cp *.txt directory` writes the names that are there.
    fn copies_of_pattern<'w>(
        &mut self,
        source: &Word,
        targets: impl Iterator<Item = &'w str>,
        at: Site<'_>,
    ) {
        // It need not be there yet: a loop can make it.
        let directories = targets.filter(|target| !self.is_no_directory(target, at));
        let directories: SmallVec<[&str; 1]> = directories.take(MOST_SOURCES).collect();
        if directories.is_empty() {
            return;
        }
        let names = self.names_of_source(source, at);
        if names.is_none() && self.source(source, at).is_some() {
            for target in &directories {
                let target = Word::synthetic(target, source.span);
                self.new_file(&within(&target, "*", false), at);
            }
        }
        for name in names.into_iter().flatten() {
            for target in &directories {
                let path = format!("{}/{name}", target.trim_end_matches('/'));
                self.path(Usage::strict(Kind::Write), &path, at);
            }
        }
    }

    /// `cp a b*/` writes `b…/a` into each directory that is there.
    fn copies_into_opaque<'w>(
        &mut self,
        target: &Word,
        sources: impl Iterator<Item = &'w Word>,
        at: Site<'_>,
    ) {
        let values = self.values(target, at);
        // Names that are there say more than their form.
        let values = self.names_made(target, at).or(values);
        let targets = values.as_deref().unwrap_or(std::slice::from_ref(target));
        let directories: Vec<Option<Vec<Word>>> = targets
            .iter()
            .map(|target| self.directories_of(target, at))
            .collect();
        for source in sources.take(MOST_SOURCES) {
            let names = self.names_of_source(source, at);
            for (target, known) in targets.iter().zip(&directories) {
                let directories = known.as_deref().unwrap_or(std::slice::from_ref(target));
                let Some(names) = &names else {
                    for directory in directories {
                        let word = within(directory, "*", false);
                        self.file(Usage::strict(Kind::Write), &word, at);
                    }
                    continue;
                };
                for name in names {
                    // A directory can be one that the text makes.
                    self.new_file(&within(target, name, true), at);
                    for directory in known.iter().flatten() {
                        let word = within(directory, name, true);
                        self.file(Usage::strict(Kind::Write), &word, at);
                    }
                }
            }
        }
    }

    /// The names, without their directories, under which a source is copied; nothing where they are not known.
    fn names_of_source(&self, source: &Word, at: Site<'_>) -> Option<Vec<String>> {
        if let Some(path) = source.literal() {
            return Some(vec![base_name(path).to_owned()]);
        }
        if let Some((source, _)) = self.source(source, at) {
            return self.names_found(&source, at);
        }
        let values = self.values(source, at);
        if is_made(source, values.as_deref().unwrap_or_default()) {
            let made = self.names_made(source, at)?;
            let paths = made.iter().map(|name| name.literal());
            let names = paths.map(|path| Some(base_name(path?).to_owned()));
            return names.collect();
        }
        let mut names = Vec::new();
        for value in values.as_deref().unwrap_or(std::slice::from_ref(source)) {
            match value.literal() {
                Some(path) => names.push(base_name(path).to_owned()),
                None => {
                    for directory in self.path_table.candidates(at.dirs)? {
                        let listed = self.names_of_pattern(directory, value, at)?;
                        names.extend(listed.iter().map(|path| base_name(path).to_owned()));
                    }
                }
            }
        }
        self.budget.take_values(names.len())?;
        Some(names)
    }

    /// The names, without their directories, of what a program finds; nothing where they are too many, or not known.
    fn names_found(&self, source: &Source, at: Site<'_>) -> Option<Vec<String>> {
        let selection = Selection::by_name(&source.words);
        let mut names = Vec::new();
        for (directory, root) in self.roots(source, at)? {
            let found = self.path_table.follow(directory, &root);
            let inside = found.inside()?;
            if !inside.is_directory {
                names.push(base_name(&root).to_owned());
                continue;
            }
            let mut levels = vec![inside.target_below(&self.engine.root)];
            while let Some(target) = levels.pop() {
                for entry in self.path_table.list(&target)?.iter() {
                    if selection.takes(&entry.name) {
                        names.push(entry.name.clone());
                    }
                    if entry.kind == ListedKind::Directory && selection.enters(&entry.name) {
                        levels.push(crate::paths::within(&target, &entry.name));
                    }
                }
            }
            if names.len() > MOST_COPIES {
                return None;
            }
        }
        names.sort_unstable();
        names.dedup();
        self.budget.take_values(names.len())?;
        Some(names)
    }

    /// The directories that a pattern stands for; nothing where they are not known.
    fn directories_of(&self, target: &Word, at: Site<'_>) -> Option<Vec<Word>> {
        if !target.expansion.globs {
            return None;
        }
        let pattern = without_slash(target)?;
        let mut found = Vec::new();
        for directory in self.path_table.candidates(at.dirs)? {
            let names = self.names_of_pattern(directory, &pattern, at)?;
            let directories = names.iter().filter(|name| self.is_directory(name, at));
            found.extend(directories.map(|name| Word::synthetic(name, target.span)));
        }
        Some(found)
    }

    /// Whether a name is that of a directory of the workspace where the command may run.
    fn is_directory(&self, name: &str, at: Site<'_>) -> bool {
        let is_other = |inside: Option<Inside<'_>>| !inside.is_some_and(|it| it.is_directory);
        self.all_places(name, at, is_other) == Some(false)
    }

    /// A file that need not be there yet, in a directory of which the name may be a pattern.
    fn new_file(&mut self, word: &Word, at: Site<'_>) {
        let usage = Usage::strict(Kind::Write);
        self.file(usage, word, at);
        if word.literal().is_some() || self.open {
            return;
        }
        let shown = word.prefix();
        if let Some(name) = self.protected_by_form(std::slice::from_ref(word), at) {
            let reason = format!("`{shown}` can become `{name}`, which is protected.");
            self.guard(&shown, reason);
        }
        let why = "the text does not determine which directory it is in";
        self.perhaps_of_form(usage, &shown, word, why, at);
    }
}

/// The word with a name behind it.
fn within(directory: &Word, name: &str, quoted: bool) -> Word {
    let mut parts = directory.parts.clone();
    parts.push(Part::text("/", true));
    parts.push(Part::text(name, quoted));
    let mut expansion = directory.expansion;
    expansion.globs |= !quoted;
    Word::of_parts(parts, expansion, directory.span)
}

/// A pattern without the slashes at its end: directories are looked for by their kind.
fn without_slash(pattern: &Word) -> Option<Word> {
    let mut parts = pattern.parts.clone();
    let Some(Part::Text { value, .. }) = parts.last_mut() else {
        return None;
    };
    *value = value.trim_end_matches('/').into();
    Some(Word::of_parts(parts, pattern.expansion, pattern.span))
}
