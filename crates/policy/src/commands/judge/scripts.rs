//! Rules that name a file to run: `./deploy.sh` is the same file from another directory, by its absolute path, and when it
//! is given to a shell.

use std::path::{Path, PathBuf};

use tenon_shell::{FileAccess, Invocation, Word};

use crate::command_pattern::Fit;
use crate::commands::judge::CommandJudge;
use crate::commands::judge::copied_programs::copies;
use crate::commands::resolve::{DirId, Site, directories};
use crate::commands::words::process_paths::ProcessPath;
use crate::commands::words::{RUNNING_FILES, files_by_name};
use crate::paths::{go_on, lexical, within};
use crate::program_names::{base_name, plain_path, system_name};
use crate::rule::Rule;
use crate::rules::RuleSet;

/// Programs besides shells and those of languages that run the file that they are given.
const RUNNING: &[&str] = &["source", ".", "exec"];

fn runs_files(command: &Invocation) -> bool {
    let base = command.base_name().unwrap_or_default();
    RUNNING.contains(&base) || command.is(RUNNING_FILES)
}

impl<'e> CommandJudge<'e, '_> {
    /// The rule that denies or asks for a file which one of these commands runs, and whether it surely is that one.
    pub(crate) fn script_rule(
        &self,
        chain: &[&Invocation],
        at: Site<'_>,
    ) -> Option<(&'e Rule, Fit)> {
        if self.bounds().scripts.is_empty() {
            return None;
        }
        let mut at = at;
        let mut found: Option<(&'e Rule, Fit)> = None;
        for command in chain {
            at = at.in_dirs(directories::own(at.dirs, command, self.path_table));
            let runs = runs_files(command);
            for (place, word) in command.words.iter().enumerate() {
                let Some(path) = word.literal().filter(|path| !path.starts_with('-')) else {
                    continue;
                };
                if place == 0 && !path.contains('/') {
                    continue;
                }
                if place > 0 && !runs {
                    break;
                }
                let words = command.words.get(place..).unwrap_or_default();
                for rule in &self.bounds().scripts {
                    let Some(rule) = self.engine.rules.rules.get(*rule) else {
                        continue;
                    };
                    let fit = self.script_fit(rule, path, words, at);
                    // Deny rules come first.
                    if fit > found.map_or(Fit::No, |(_, fit)| fit) {
                        found = Some((rule, fit));
                    }
                }
            }
        }
        found
    }

    /// Notes the files of the workspace that this command runs: one that its name is the path of, and the first operand of a
    /// shell or an interpreter.
    pub(crate) fn scripts(&mut self, command: &Invocation, at: Site<'_>) {
        let words = &command.words;
        let name = words.first().and_then(Word::literal);
        let own = name.filter(|name| name.contains('/'));
        let runs = runs_files(command);
        let mut operands = words.iter().skip(1).filter_map(Word::literal);
        let operand = operands
            .find(|text| !text.starts_with('-'))
            .filter(|_| runs);
        let paths = own.into_iter().chain(operand);
        let directories = self.path_table.candidates(at.dirs).unwrap_or_default();
        for path in paths {
            for directory in &directories {
                let name = self.path_table.follow(*directory, path);
                if let Some(inside) = name
                    .inside()
                    .filter(|inside| inside.exists && !inside.is_directory)
                {
                    self.judgement
                        .script(inside.target_below(&self.engine.root));
                }
            }
        }
    }

    fn script_fit(&self, rule: &Rule, path: &str, words: &[Word], at: Site<'_>) -> Fit {
        let Some((pattern, own)) = rule.command().and_then(|pattern| {
            let own = pattern.words.first()?;
            Some((pattern, own.as_str()))
        }) else {
            return Fit::No;
        };
        let directories = self.path_table.candidates(at.dirs);
        let mut here = directories.iter().flatten();
        // The program or the file that a name of a process leads to can be any, also a shell with the file behind it.
        if here.any(|here| matches!(self.process_path(*here, path), Some(ProcessPath::Unknown))) {
            return Fit::Perhaps;
        }
        let rest = pattern.fit(Some(own), words);
        if rest == Fit::No {
            return Fit::No;
        }
        if !own.contains('/') {
            return if base_name(path) == own {
                rest
            } else {
                Fit::No
            };
        }
        let Some(directories) = directories else {
            return rest.min(Fit::Perhaps);
        };
        let each = directories.into_iter();
        let fits = each.map(|directory| self.fit_of_file(own, directory, path, at));
        fits.fold(Fit::No, Fit::max).min(rest)
    }

    /// Whether a path leads to the file `own` of a rule: by itself, by a name of the process, or through what the text made before.
    fn fit_of_file(&self, own: &str, directory: DirId, path: &str, at: Site<'_>) -> Fit {
        let is_it = |directory, path: &str| match self.is_file(own, directory, path) {
            true => Fit::Yes,
            false => Fit::No,
        };
        let root = self.path_table.directory(Path::new("/"));
        match self.process_path(directory, path) {
            Some(ProcessPath::Unknown) => return Fit::Perhaps,
            Some(ProcessPath::Directory(below)) => return is_it(directory, below),
            Some(ProcessPath::Root(below)) => return is_it(root, &format!("/{below}")),
            None => {}
        }
        let linked = || {
            let ways = self.ways(directory, path, at).paths;
            ways.iter().any(|way| self.is_file(own, root, way))
        };
        let copied = || {
            let whole = go_on(&self.path_table.path(directory), path);
            let copies = at.facts.links.copies();
            copies.iter().any(|(name, from)| {
                let below = whole.strip_prefix(name).ok().map(|below| from.join(below));
                below.is_some_and(|way| self.is_file(own, root, &way.to_string_lossy()))
            })
        };
        match is_it(directory, path) {
            Fit::No if at.makes_links() && (linked() || copied()) => Fit::Yes,
            fit => fit,
        }
    }

    /// Whether a path is that of the file `own` of a rule, links that are there followed.
    fn is_file(&self, own: &str, directory: DirId, path: &str) -> bool {
        let root = self.path_table.directory(&self.engine.root);
        let wanted = lexical(&within(&self.engine.root, own));
        go_on(&self.path_table.path(directory), path) == wanted
            || self
                .target(directory, path)
                .is_some_and(|target| Some(target) == self.target(root, own))
    }

    /// The rule that denies or asks for a file which one of these commands gives another name: by that no rule on it is found.
    /// `prints` is whether what the command prints is written to a file.
    pub(crate) fn copied_script_rule(
        &self,
        chain: &[&Invocation],
        prints: bool,
        at: Site<'_>,
    ) -> Option<&'e Rule> {
        if self.bounds().scripts.is_empty() {
            return None;
        }
        let copying = chain.iter().filter(|command| copies(command));
        let mut copying = copying.filter(|command| prints || command.base_name() != Some("cat"));
        copying.find_map(|command| {
            let at = at.in_dirs(directories::own(at.dirs, command, self.path_table));
            let files = files_by_name(&command.words);
            let given = files.iter().filter(|file| file.access != FileAccess::Write);
            let paths: Vec<&str> = given.filter_map(|file| file.word.literal()).collect();
            self.rule_on_script(&paths, at)
        })
    }

    /// The rule that denies or asks for one of these files as a program.
    pub(crate) fn rule_on_script(
        &self,
        paths: &[impl AsRef<str>],
        at: Site<'_>,
    ) -> Option<&'e Rule> {
        let scripts = self.bounds().scripts.iter();
        let mut rules = scripts.filter_map(|place| self.engine.rules.rules.get(*place));
        rules.find(|rule| {
            let own = rule.command().and_then(|pattern| pattern.words.first());
            let is_it = |own: &String| {
                let mut paths = paths.iter();
                paths.any(|path| self.names_file(own, path.as_ref(), at))
            };
            own.is_some_and(is_it)
        })
    }

    fn names_file(&self, own: &str, path: &str, at: Site<'_>) -> bool {
        if !own.contains('/') {
            return base_name(path) == own;
        }
        let directories = self.path_table.candidates(at.dirs).unwrap_or_default();
        let mut fits = directories
            .into_iter()
            .map(|directory| self.fit_of_file(own, directory, path, at));
        fits.any(|fit| fit != Fit::No)
    }

    fn target(&self, directory: DirId, path: &str) -> Option<PathBuf> {
        let name = self.path_table.follow(directory, path);
        let root: &Path = &self.engine.root;
        name.inside().map(|inside| inside.target_below(root))
    }
}

/// The places of the deny and ask rules that name a file: by a path, or by a name such as files have.
pub(crate) fn on_files(rules: &RuleSet) -> Vec<usize> {
    let places = rules.strict.all().iter().copied();
    places
        .filter(|place| {
            let rule = rules.rules.get(*place);
            rule.and_then(Rule::command).is_some_and(|pattern| {
                pattern.words.first().is_some_and(|name| {
                    let is_path = name.contains('/') && system_name(&plain_path(name)).is_none();
                    is_path || (!name.contains('/') && name.contains('.'))
                })
            })
        })
        .collect()
}
