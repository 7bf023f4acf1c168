//! What git uses of its work tree, and whose configuration it works with.
//!
//! A command that makes the work tree what a revision holds can change every file that git tracks, so it is compared
//! with what is tracked now: `.env` beside a repository is none of its concern, `src/secret/key.ts` in it is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tenon_shell::{AccessScope, FileOperand, Invocation, Word};

use crate::commands::judge::{CommandJudge, Usage, file_kind, part_kind};
use crate::commands::resolve::repositories::Repositories;
use crate::commands::resolve::{DirId, Inside, ResolvedText, Site};
use crate::commands::words::git::STARTING_GIT;
use crate::commands::words::{Effects, is_given, tokens};
use crate::decision::PartKind;
use crate::glob::{Place, Token, tokens_match};
use crate::paths::{go_on, path_text};
use crate::rule::{Kind, Rule};

/// Subcommands of git that look at nothing of the repository that they are started in.
const ELSEWHERE: &[&str] = &["init", "clone", "version", "help"];
/// Subcommands of git that run the hooks of a repository that they are given, or keep it for one that does.
const TO_HOOKS: &[&str] = &["push", "send-pack", "remote"];

/// What stands below a directory, or matches a pattern of git there.
enum Among<'p> {
    Below(&'p Path),
    Matching(&'p Path, Vec<Token>),
}

impl Among<'_> {
    fn holds(&self, path: &Path) -> bool {
        match self {
            Self::Below(directory) => path.starts_with(directory) && path != *directory,
            Self::Matching(directory, tokens) => path
                .strip_prefix(directory)
                .ok()
                .and_then(Path::to_str)
                .is_some_and(|name| tokens_match(tokens, name)),
        }
    }
}

/// Ends of names of files that show how another one is filled in. They are in repositories on purpose, and rules on `.env.*` meet
/// them: without this each `git diff` there would be asked about.
const MODELS: &[&str] = &[
    "defaults", "dist", "example", "sample", "schema", "template", "tpl",
];

fn is_model(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| MODELS.contains(&end))
}

impl<'e> CommandJudge<'e, '_> {
    /// A use of what git tracks, or does not track.
    pub(crate) fn tracked(
        &mut self,
        file: &FileOperand<'_>,
        effects: &Effects<'_>,
        at: Site<'_>,
        reading: &ResolvedText,
    ) {
        let (kind, led) = (file_kind(file.access), effects.is_led_elsewhere);
        let tops = || self.path_table.tops(at.dirs, &self.engine.root);
        let at = match file.reach {
            AccessScope::UntrackedFromTop | AccessScope::UntrackedOrIgnoredFromTop if !led => {
                at.in_dirs(tops())
            }
            _ => at,
        };
        match file.reach {
            AccessScope::Untracked
            | AccessScope::UntrackedFromTop
            | AccessScope::UntrackedOrIgnored
            | AccessScope::UntrackedOrIgnoredFromTop => {
                return self.untracked(file, effects, at);
            }
            AccessScope::NamedOrShown if self.is_there(&file.word, at) => return,
            AccessScope::Shown | AccessScope::NamedOrShown if led => return,
            AccessScope::Shown | AccessScope::NamedOrShown => {
                return self.shown_by_revisions(kind, at);
            }
            AccessScope::Repository => {
                return self.taken_over(kind, &file.word, at, reading);
            }
            AccessScope::Brought => self.brought(kind, &file.word, at),
            _ => {}
        }
        let from = match file.reach {
            AccessScope::All | AccessScope::TrackedFromTop => tops(),
            _ => at.dirs,
        };
        if file.reach == AccessScope::TrackedOrAll && !self.is_there(&file.word, at) {
            let top = &Word::synthetic(".", file.word.span);
            self.tracked_below(kind, top, at.in_dirs(tops()), (true, led));
        }
        let all = file.reach == AccessScope::All;
        self.tracked_below(kind, &file.word, at.in_dirs(from), (all, led));
    }

    /// All that git tracks, which a revision shows. Where it is not known nothing is asked: each `git log -p` elsewhere would be.
    fn shown_by_revisions(&mut self, kind: Kind, at: Site<'_>) {
        let tops = self.path_table.tops(at.dirs, &self.engine.root);
        if !self.bounds().files || self.open {
            return;
        }
        for directory in self.path_table.candidates(tops).into_iter().flatten() {
            let is_bound = |path: &Path| self.may_be_bound(path) && !is_model(path);
            if let Some(names) = self.path_table.tracked(directory, &is_bound) {
                let here = self.path_table.path(directory);
                self.tracked_among(kind, &names, &[Among::Below(&here)]);
            }
        }
    }

    /// What the repository at this name tracks, and the one that git works in, where one gives it to the other.
    fn taken_over(&mut self, kind: Kind, word: &Word, at: Site<'_>, reading: &ResolvedText) {
        let known = match word.literal() {
            Some(path) => Some(vec![path.to_owned()]),
            None => self.known_texts(word, at),
        };
        let paths = known.unwrap_or_default();
        let directories = self.path_table.candidates(at.dirs).unwrap_or_default();
        let each = |directory| paths.iter().map(move |path| (directory, path));
        for (directory, path) in directories.into_iter().flat_map(each) {
            let name = self.path_table.follow(directory, path);
            // A name without a sign of a path, of which no directory is there and none is made, is that of a remote.
            let is_path = path.starts_with(['.', '/']);
            let is_path = is_path || {
                let place = go_on(&self.path_table.path(directory), path);
                self.repositories(reading).makes(&place)
            };
            let inside = name.inside();
            let Some(inside) = inside.filter(|inside| inside.is_directory || is_path) else {
                continue;
            };
            let own = match inside.is_directory {
                true => self
                    .path_table
                    .directory(&inside.target_below(&self.engine.root)),
                false => directory,
            };
            let dirs = self
                .path_table
                .working_dirs([directory, own].into_iter().collect());
            self.shown_by_revisions(kind, at.in_dirs(dirs));
        }
    }

    /// What another revision may bring below a name for the first time. Which files those are is not looked up, so rules
    /// that may be about some there are asked about, but for those on `.git`, which no revision holds.
    fn brought(&mut self, kind: Kind, word: &Word, at: Site<'_>) {
        let (Some(path), Some(directories)) = (word.literal(), self.path_table.candidates(at.dirs))
        else {
            return;
        };
        if !self.bounds().files || self.open || path.contains(['*', '?', '[']) {
            return;
        }
        for directory in directories {
            let name = self.path_table.follow(directory, path);
            let Some(inside) = name
                .inside()
                .filter(|inside| inside.is_directory || !inside.exists)
            else {
                continue;
            };
            let places = inside.places(&self.engine.compared_root);
            let mut rules = self.engine.rules.strict_on_files();
            // Rules on a name at any depth mean the one at the top first: of other directories they would be about each.
            let rule = rules.find(|rule| {
                let form = rule.text.rule.split_once('(').map_or("", |(_, form)| form);
                let of_git = form.split(['/', ')']).any(|part| part == ".git");
                (inside.name == "." || form.contains('/'))
                    && !of_git
                    && rule.may_bind_below(kind, &places)
                    && !rule.binds_file(kind, &places, self.user())
            });
            if let Some(rule) = rule {
                let reason = format!(
                    "Another revision may contain files below `{}` that the rule `{}` protects.",
                    inside.name, rule.text.rule
                );
                self.ask_by_rule((part_kind(kind), inside.name), rule, reason);
            }
        }
    }

    /// Whether something stands at a name, wherever the command may run.
    pub(crate) fn is_there(&self, word: &Word, at: Site<'_>) -> bool {
        let exists = |inside: Option<Inside<'_>>| inside.is_some_and(|inside| inside.exists);
        word.literal().is_some_and(|path| {
            let all = self.all_places(path, at, exists);
            all.is_some_and(|all| all || path.contains(['*', '?', '[']))
        })
    }

    /// What a word names, and what git tracks below it. A pair of truths says whether everything of a work tree is
    /// meant, and whether it is another one than git finds.
    fn tracked_below(
        &mut self,
        kind: Kind,
        word: &Word,
        at: Site<'_>,
        (is_all, led): (bool, bool),
    ) {
        let usage = Usage::strict(kind).of_entry(kind == Kind::Delete);
        self.file(usage, word, at);
        let (Some(path), Some(directories)) = (word.literal(), self.path_table.candidates(at.dirs))
        else {
            return;
        };
        if !self.bounds().files || self.open {
            return;
        }
        for directory in directories {
            let tracked = if led {
                None
            } else {
                let is_bound = |path: &Path| self.may_be_bound(path);
                self.path_table.tracked(directory, &is_bound)
            };
            let here = self.path_table.path(directory);
            let name = self.path_table.follow(directory, path);
            let Some(names) = tracked else {
                if let Some(inside) = name.inside().filter(|inside| inside.is_directory || is_all) {
                    let places = inside.places(&self.engine.compared_root);
                    self.below(kind, inside.name, &places);
                }
                continue;
            };
            let plain = go_on(&here, path);
            let target = name
                .inside()
                .and_then(|inside| inside.target().map(Path::to_path_buf));
            let mut among = vec![Among::Below(&plain)];
            among.extend(target.as_deref().map(Among::Below));
            if path.contains(['*', '?', '[', '\\']) {
                among.push(Among::Matching(&here, tokens(path)));
            }
            self.tracked_among(kind, &names, &among);
        }
    }

    /// The first of the tracked names that a rule is about.
    fn tracked_among(&mut self, kind: Kind, names: &[PathBuf], among: &[Among<'_>]) {
        let meant = names
            .iter()
            .filter(|path| among.iter().any(|among| among.holds(path)));
        for path in meant {
            let claim = self.claim_of(path.clone());
            if let Some(rule) = self.strict_on(kind, &self.places_of(&claim)) {
                return self.may_reach(part_kind(kind), &claim.name, rule);
            }
        }
    }

    fn may_reach(&mut self, kind: PartKind, name: &str, rule: &'e Rule) {
        let reason = format!(
            "git tracks `{name}`, which the rule `{}` protects, and the command touches everything that git tracks there.",
            rule.text.rule
        );
        self.ask_by_rule((kind, name), rule, reason);
    }

    /// Whether a rule names this path in particular. Rules on all files are looked at without a list of them.
    pub(crate) fn may_be_bound(&self, path: &Path) -> bool {
        let place = Place::of(path, &self.engine.compared_root);
        let mut rules = self.engine.rules.strict_on_files();
        rules.any(|rule| {
            let glob = rule.glob().filter(|glob| !glob.is_everything());
            glob.is_some_and(|glob| glob.matches(&place))
        })
    }

    /// The directory that git may take for a repository although nothing keeps its configuration from being written, where
    /// a command runs git.
    ///
    /// A `.git` is protected at any depth. But git takes every directory with `HEAD`, `objects` and `refs` in it for a
    /// repository when it comes to it before it comes to a `.git`, and runs what `config` there says.
    pub(crate) fn strange_repository(
        &self,
        invocation: &Invocation,
        at: Site<'_>,
        reading: &ResolvedText,
    ) -> Option<String> {
        let base = invocation.base_name().unwrap_or_default();
        if self.open || !STARTING_GIT.contains(&base) {
            return None;
        }
        let verb = invocation.normalized_words().get(1).and_then(Word::literal);
        if base == "git" && verb.is_none_or(|verb| ELSEWHERE.contains(&verb)) {
            return None;
        }
        let directories = self.path_table.candidates(at.dirs)?;
        let mut strange = directories.iter().copied().filter(|directory| {
            // Nearly all commands run where a `.git` is.
            !self.path_table.has(*directory, ".git")
        });
        let first = strange.next()?;
        let found = self.repositories(reading);
        std::iter::once(first)
            .chain(strange)
            .find_map(|directory| found.above(&self.path_table.path(directory), self.path_table))
            .map(|place| {
                format!(
                    "git may use `{}` as a repository and run what its configuration says.",
                    self.shown(&place)
                )
            })
    }

    /// Why git may run hooks that nobody approved: those of a repository that it pushes to, which is a directory here, or those
    /// in a directory of which it makes a repository.
    ///
    /// Hooks below a `.git` are protected names. Those of a bare repository are files like others.
    pub(crate) fn strange_hooks(
        &self,
        invocation: &Invocation,
        at: Site<'_>,
        reading: &ResolvedText,
    ) -> Option<String> {
        if self.open || invocation.base_name() != Some("git") {
            return None;
        }
        let words = invocation.normalized_words();
        let verb = words.get(1).and_then(Word::literal)?;
        if verb == "init" && is_given(words, &[], &["bare"]) {
            let place = self.repositories(reading).taken_over(self.path_table)?;
            return Some(format!(
                "git makes a repository of `{}` and may run the hooks that are there already.",
                self.shown(place)
            ));
        }
        if !TO_HOOKS.contains(&verb) {
            return None;
        }
        let directories = self.path_table.candidates(at.dirs)?;
        words.iter().skip(2).find_map(|word| {
            let in_home = self.in_home(word, at);
            let word = in_home.as_ref().unwrap_or(word);
            let path = word.pattern()?;
            let path = repository_path(&path)?;
            let mut directories = directories.iter();
            let runs = directories.any(|here| self.has_strange_hooks(*here, path, reading));
            runs.then(|| format!("git may run the hooks of the repository `{path}`."))
        })
    }

    fn has_strange_hooks(&self, directory: DirId, path: &str, reading: &ResolvedText) -> bool {
        // In a home directory that is not known.
        if path.starts_with('~') {
            return true;
        }
        let name = self.path_table.follow(directory, path);
        let Some(inside) = name.inside() else {
            return path.starts_with(['/', '.']);
        };
        let place = inside.target_below(&self.engine.root);
        self.repositories(reading).is_bare(&place, self.path_table)
    }

    fn repositories<'r>(&self, reading: &'r ResolvedText) -> &'r Repositories {
        reading.repositories.get_or_init(|| {
            let links = &reading.facts.links;
            Repositories::find(
                &reading.examination,
                &reading.directories,
                links,
                self.path_table,
            )
        })
    }

    /// A place as the workspace names it; its top is `.`.
    fn shown<'p>(&self, place: &'p Path) -> Cow<'p, str> {
        match place.strip_prefix(&self.engine.root) {
            Ok(below) if below.as_os_str().is_empty() => Cow::Borrowed("."),
            Ok(below) => path_text(below),
            Err(_) => path_text(place),
        }
    }
}

/// The path that an argument of git may name as a repository of this machine.
fn repository_path(word: &str) -> Option<&str> {
    // `--repo=`, which may be abbreviated.
    let value = match word
        .strip_prefix("--")
        .and_then(|long| long.split_once('='))
    {
        Some((_, value)) => value,
        None => word,
    };
    let path = value.strip_prefix("file://").unwrap_or(value);
    // Of `host:path`, the host is another machine.
    let is_address = path
        .split_once(':')
        .is_some_and(|(host, _)| !host.contains('/'));
    (!path.is_empty() && !path.starts_with('-') && !is_address).then_some(path)
}
