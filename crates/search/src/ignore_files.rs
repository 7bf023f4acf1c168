//! Finding and parsing the ignore files of a directory and of the directories above the root.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use crate::directory::{to_bytes, to_path};
use crate::entries::{Entries, Kind};
use crate::git_config::{Excludes, Repository};
use crate::ignore_line::{has_alternatives, written_out};
use crate::rules::{RuleKind, Rules};

/// The ignore files of one directory: which of them there are.
#[derive(Debug, Clone, Copy, Default)]
struct Present {
    ripgrep_ignore: bool,
    dot_ignore: bool,
    git_ignore: bool,
    git: bool,
}

impl Present {
    /// Not known: each is looked for.
    const ANY: Self = Self {
        ripgrep_ignore: true,
        dot_ignore: true,
        git_ignore: true,
        git: true,
    };
}

/// The rules that hold in `root` before its own ignore files are read: the global excludes, counted
/// from `base`, and the ignore files of every directory above `root`.
pub(crate) fn above(base: &Path, root: &Path) -> Rules {
    let mut rules = Rules::default();
    let global = Excludes::of_user().file;
    rules.set_user(global.and_then(|file| parse(base, &file)));
    let mut directories: Vec<&Path> = root.ancestors().skip(1).collect();
    directories.reverse();
    for directory in directories {
        load(&mut rules, directory, Present::ANY);
    }
    rules
}

/// The rules that hold in `directory`, of which no entries are known, given those of its parent.
pub(crate) fn enter_unlisted(rules: &Rules, directory: &Path) -> Rules {
    let mut rules = rules.clone();
    load(&mut rules, directory, Present::ANY);
    rules
}

/// The rules that hold in the directory at `path`, which has these entries, given those of its parent.
pub(crate) fn enter(rules: &Rules, path: &[u8], entries: &Entries) -> Rules {
    let mut present = Present::default();
    for (name, kind) in entries.iter() {
        if !name.starts_with(b".") || kind == Kind::Special {
            continue;
        }
        match name {
            b".rgignore" => present.ripgrep_ignore = true,
            b".ignore" => present.dot_ignore = true,
            b".gitignore" => present.git_ignore = true,
            b".git" => present.git = true,
            _ => {}
        }
    }
    let mut rules = rules.clone();
    if present.ripgrep_ignore || present.dot_ignore || present.git_ignore || present.git {
        load(&mut rules, &to_path(path), present);
    }
    rules
}

/// The files on which the rules of the directory at `path` depend and that are not entries of it:
/// excludes of its repository, and what links among its ignore files lead to.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn outside_sources(path: &[u8], entries: &Entries) -> Vec<PathBuf> {
    let path = to_path(path);
    let mut sources = Vec::new();
    for (name, kind) in entries.iter() {
        match (name, kind) {
            (b".rgignore" | b".ignore" | b".gitignore", Kind::Link) => {
                sources.push(path.join(to_path(name)));
            }
            (b".git", _) => sources.extend(git_sources(&path)),
            _ => {}
        }
    }
    sources
}

/// The files on which the rules of [`above`] depend.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) fn sources_above(root: &Path) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for directory in root.ancestors().skip(1) {
        for name in [".rgignore", ".ignore", ".gitignore"] {
            sources.push(directory.join(name));
        }
        sources.extend(git_sources(directory));
    }
    let user = Excludes::of_user();
    sources.extend(user.sources);
    sources.extend(user.file);
    sources
}

/// `.git` itself and everything on the way to the excludes of its repository.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn git_sources(directory: &Path) -> Vec<PathBuf> {
    let git = directory.join(".git");
    let mut sources = vec![git.join("info/exclude")];
    let is_directory = fs::symlink_metadata(&git).is_ok_and(|metadata| metadata.is_dir());
    if fs::metadata(&git).is_ok_and(|metadata| metadata.is_file()) {
        let work_tree = first_line(&git)
            .as_deref()
            .and_then(|line| line.strip_prefix("gitdir: "))
            .map(|path| directory.join(path).join("commondir"));
        sources.extend(work_tree);
    }
    if let Some(repository) = repository_of(directory) {
        sources.push(repository.common.join("info/exclude"));
        let named = Excludes::of_repository(&repository);
        sources.extend(named.sources);
        sources.extend(named.file);
    }
    // The directory itself is another after every command of git.
    if !is_directory {
        sources.push(git);
    }
    sources
}

fn load(rules: &mut Rules, directory: &Path, present: Present) {
    let bytes = to_bytes(directory);
    if present.git && fs::metadata(directory.join(".git")).is_ok() {
        rules.enter_repository();
    }
    for (wanted, kind, name) in [
        (present.ripgrep_ignore, RuleKind::RipgrepIgnore, ".rgignore"),
        (present.dot_ignore, RuleKind::DotIgnore, ".ignore"),
        (present.git_ignore, RuleKind::GitIgnore, ".gitignore"),
    ] {
        if wanted && let Some(matcher) = parse(directory, &directory.join(name)) {
            rules.push(kind, &bytes, matcher);
        }
    }
    if present.git
        && let Some(repository) = repository_of(directory)
    {
        let excludes = repository.common.join("info/exclude");
        if let Some(matcher) = parse(directory, &excludes) {
            rules.push(RuleKind::GitExclude, &bytes, matcher);
        }
        // There is one such file: that of the repository takes the place of the user's.
        if let Some(file) = Excludes::of_repository(&repository).file {
            rules.set_global(parse(directory, &file));
        }
    }
}

/// The rules of one ignore file, which count from `directory`. Only a regular file is opened (or a link
/// to one, as ripgrep has it): a FIFO would wait for a writer.
fn parse(directory: &Path, file: &Path) -> Option<Gitignore> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut builder = GitignoreBuilder::new(directory);
    let bytes = fs::read(file).ok()?;
    // A line that does not parse, and everything after a line that is not UTF-8, is left out, as ripgrep leaves it out.
    let alternatives = has_alternatives(file);
    for line in lines(&bytes) {
        if let Some(line) = written_out(line, alternatives) {
            let _ = builder.add_line(Some(file.to_owned()), &line);
        }
    }
    builder.build().ok()
}

/// The lines of an ignore file up to one that is not UTF-8.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').map(str::from_utf8);
    lines.map_while(Result::ok)
}

/// The line of its file that a rule was read from, as it is written there.
pub(crate) fn as_written(glob: &Glob) -> String {
    let file = glob.from().unwrap_or(Path::new(""));
    let bytes = fs::read(file).unwrap_or_default();
    let alternatives = has_alternatives(file);
    let is_this = |line: &&str| {
        written_out(line, alternatives)
            .is_some_and(|line| line.trim_end() == glob.original().trim_end())
    };
    let line = lines(&bytes).find(is_this).unwrap_or(glob.original());
    line.trim_end().to_owned()
}

/// The repository whose work tree is `directory`: its `.git`, or what the `.git` file of a linked work tree leads to.
fn repository_of(directory: &Path) -> Option<Repository> {
    let git = directory.join(".git");
    let (own, common) = match fs::metadata(&git).ok()?.is_file() {
        false => (git.clone(), git),
        true => {
            let own = directory.join(first_line(&git)?.strip_prefix("gitdir: ")?);
            let common = first_line(&own.join("commondir"))?;
            // A name such as `.hidden/git` counts as relative in ripgrep, any other as it stands.
            let common = match common.starts_with('.') {
                true => own.join(common),
                false => PathBuf::from(OsStr::new(&common)),
            };
            (own, common)
        }
    };
    Some(Repository {
        directory: directory.to_owned(),
        own,
        common,
    })
}

fn first_line(file: &Path) -> Option<String> {
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    BufReader::new(File::open(file).ok()?).lines().next()?.ok()
}
