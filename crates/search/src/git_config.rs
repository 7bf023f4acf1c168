//! Where git finds further excludes: `core.excludesFile` in its configuration files and in those that they include, also
//! where a condition holds (git-config(1), "Conditional includes"). Of the conditions only `hasconfig` is not known, and
//! never holds.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;

/// Files that include each other are followed so deep, as by git.
const DEPTH_MAX: usize = 10;
/// A configuration file above this size is none.
const MAX_BYTES: u64 = 1 << 20;
/// What a file has to name so that it says something of excludes; most name none of it.
const NAMES: [&str; 3] = ["excludesfile", "include", "worktreeconfig"];

/// A repository, as far as its configuration goes (gitrepository-layout(5)).
#[derive(Debug)]
pub(crate) struct Repository {
    /// Its work tree.
    pub(crate) directory: PathBuf,
    /// What belongs to this work tree alone, such as its branch.
    pub(crate) own: PathBuf,
    /// What all its work trees share.
    pub(crate) common: PathBuf,
}

/// What configuration files say.
#[derive(Debug, Default)]
pub(crate) struct Excludes {
    /// The file of excludes: the last one that is named counts.
    pub(crate) file: Option<PathBuf>,
    /// All files that were asked.
    pub(crate) sources: Vec<PathBuf>,
    /// Whether it is named for one repository.
    is_own: bool,
    /// Whether a work tree has a configuration file of its own.
    has_worktree_config: bool,
}

impl Excludes {
    /// What holds for every repository of the user. Where nothing is named it is the usual file.
    pub(crate) fn of_user() -> Self {
        let mut found = Self::default();
        for file in user_files() {
            found.read(&file, None, false, 0);
        }
        found.file = found
            .file
            .or_else(|| Some(settings_directory()?.join("git/ignore")));
        found
    }

    /// What a repository says, and what the user says of this one alone. Nothing where the same counts as for all others.
    pub(crate) fn of_repository(repository: &Repository) -> Self {
        Self::named(repository, &user_files())
    }

    fn named(repository: &Repository, user: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for file in user {
            found.read(file, Some(repository), false, 0);
        }
        found.has_worktree_config = false;
        found.read(&repository.common.join("config"), Some(repository), true, 0);
        if found.has_worktree_config {
            let file = repository.own.join("config.worktree");
            found.read(&file, Some(repository), true, 0);
        }
        let own = found.file.filter(|_| found.is_own);
        found.file = own.map(|file| repository.directory.join(file));
        found
    }

    /// Reads a file. `is_own`: it is read for this repository only.
    fn read(&mut self, file: &Path, repository: Option<&Repository>, is_own: bool, depth: usize) {
        self.sources.push(file.to_owned());
        let is_readable = |found: fs::Metadata| found.is_file() && found.len() <= MAX_BYTES;
        if depth > DEPTH_MAX || !fs::metadata(file).is_ok_and(is_readable) {
            return;
        }
        let Ok(bytes) = fs::read(file) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let lower = text.to_ascii_lowercase();
        if !NAMES.iter().any(|name| lower.contains(name)) {
            return;
        }
        for Entry { key, part, value } in entries(&text) {
            let Some(path) = in_home(&value) else {
                continue;
            };
            let included = || file.parent().unwrap_or(Path::new("")).join(&path);
            match (key.as_str(), part) {
                ("core.excludesfile", None) => {
                    self.file = Some(path);
                    self.is_own = is_own;
                }
                // Git looks for this one in the file itself.
                ("extensions.worktreeconfig", None) if depth == 0 => {
                    self.has_worktree_config = is_true(&value);
                }
                ("include.path", None) => self.read(&included(), repository, is_own, depth + 1),
                ("includeif.path", Some(condition)) => {
                    let Some(repository) = repository else {
                        continue;
                    };
                    if condition.starts_with("onbranch:") {
                        self.sources.push(repository.own.join("HEAD"));
                    }
                    if repository.fits(&condition, file) {
                        self.read(&included(), Some(repository), true, depth + 1);
                    }
                }
                _ => {}
            }
        }
    }
}

impl Repository {
    /// Whether the condition of an include holds that stands in this file.
    fn fits(&self, condition: &str, file: &Path) -> bool {
        match condition.split_once(':') {
            Some(("gitdir", pattern)) => self.is_at(pattern, file, false),
            Some(("gitdir/i", pattern)) => self.is_at(pattern, file, true),
            Some(("onbranch", pattern)) => self.is_on(pattern),
            _ => false,
        }
    }

    /// Whether the directory of the repository has such a path: with all links followed, or as it is named.
    fn is_at(&self, pattern: &str, file: &Path, ignores_case: bool) -> bool {
        let (above, pattern) = match pattern.strip_prefix("./") {
            Some(rest) => {
                let real = fs::canonicalize(file).unwrap_or_default();
                let above = real.parent().unwrap_or(Path::new("")).to_owned();
                (Some(above), rest.to_owned())
            }
            None => match anywhere(pattern) {
                Some(pattern) => (None, pattern),
                None => return false,
            },
        };
        let pattern = with_all_below(pattern, above.is_some());
        let named = Some(self.own.clone());
        let mut places = [fs::canonicalize(&self.own).ok(), named]
            .into_iter()
            .flatten();
        places.any(|place| {
            let below = match &above {
                // No letter of this part is a wildcard.
                Some(above) => place.strip_prefix(above).ok(),
                None => Some(&*place),
            };
            below.is_some_and(|path| matches(&pattern, path, ignores_case))
        })
    }

    /// Whether the work tree is on a branch of such a name.
    fn is_on(&self, pattern: &str) -> bool {
        let head = fs::read_to_string(self.own.join("HEAD")).unwrap_or_default();
        let branch = head.trim_end().strip_prefix("ref: refs/heads/");
        let pattern = with_all_below(pattern.to_owned(), false);
        branch.is_some_and(|branch| matches(&pattern, Path::new(branch), false))
    }
}

/// A pattern of absolute paths. One that is not absolute holds below any directory.
fn anywhere(pattern: &str) -> Option<String> {
    if let Some(rest) = pattern.strip_prefix("~/") {
        let home = fs::canonicalize(home()?).ok()?;
        return Some(format!("{}/{rest}", home.display()));
    }
    // The directory of another user.
    if pattern.starts_with('~') {
        return None;
    }
    Some(match Path::new(pattern).is_absolute() {
        true => pattern.to_owned(),
        false => format!("**/{pattern}"),
    })
}

/// A pattern that ends with a slash stands for all below. So does none, of a directory.
fn with_all_below(pattern: String, is_directory: bool) -> String {
    let is_all = pattern.ends_with('/') || is_directory && pattern.is_empty();
    if is_all { pattern + "**" } else { pattern }
}

fn matches(pattern: &str, path: &Path, ignores_case: bool) -> bool {
    let glob = GlobBuilder::new(&without_alternatives(pattern))
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(ignores_case)
        .build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

/// A pattern whose braces are letters, as for git.
fn without_alternatives(pattern: &str) -> String {
    let mut written = String::new();
    let (mut is_escaped, mut is_class) = (false, false);
    for letter in pattern.chars() {
        if !is_escaped && !is_class && matches!(letter, '{' | '}') {
            written.push('\\');
        }
        written.push(letter);
        is_class = !is_escaped && (letter == '[' || is_class && letter != ']');
        is_escaped = !is_escaped && letter == '\\';
    }
    written
}

/// The configuration files of the system and of the user, in their order.
fn user_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    if env::var_os("GIT_CONFIG_NOSYSTEM").is_none_or(|value| value.is_empty() || value == "0") {
        let system = env::var_os("GIT_CONFIG_SYSTEM");
        files.push(system.map_or_else(|| "/etc/gitconfig".into(), PathBuf::from));
    }
    match env::var_os("GIT_CONFIG_GLOBAL") {
        Some(file) => files.push(file.into()),
        None => {
            files.extend(settings_directory().map(|settings| settings.join("git/config")));
            files.extend(home().map(|home| home.join(".gitconfig")));
        }
    }
    files
}

/// Where programs of the user keep their settings.
fn settings_directory() -> Option<PathBuf> {
    env::var_os("XDG_CONFIG_HOME")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
        .or_else(|| Some(home()?.join(".config")))
}

fn home() -> Option<PathBuf> {
    let home = env::var_os("HOME").filter(|home| !home.is_empty());
    home.map(PathBuf::from).or_else(env::home_dir)
}

/// A path as configuration files write it.
fn in_home(value: &str) -> Option<PathBuf> {
    match value.strip_prefix("~/") {
        Some(rest) => Some(home()?.join(rest)),
        // The directory of another user.
        None if value.starts_with('~') => None,
        None => Some(PathBuf::from(value)),
    }
}

/// A switch as configuration files write it.
fn is_true(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let is_number = value.parse::<i64>().is_ok_and(|number| number != 0);
    is_number || ["true", "yes", "on"].contains(&value.as_str())
}

/// A setting of a file.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Section and name in small letters, joined by a period.
    key: String,
    /// The part of the section that it is of, if the section has parts.
    part: Option<String>,
    /// A switch without a value is `true`.
    value: String,
}

/// The settings of a file in their order.
fn entries(text: &str) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut section = (String::new(), None);
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in text.lines() {
        let mut line = line.trim_start();
        if let Some(after) = line.strip_prefix('[') {
            let Some((name, part, behind)) = header(after) else {
                continue;
            };
            section = (name, part);
            line = behind.trim_start();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name, unquoted(value)),
            None => (line, "true".to_owned()),
        };
        let name = name.trim().to_ascii_lowercase();
        all.push(Entry {
            key: format!("{}.{name}", section.0),
            part: section.1.clone(),
            value,
        });
    }
    all
}

/// The name of a section in small letters, its part, and what stands behind.
fn header(after: &str) -> Option<(String, Option<String>, &str)> {
    let end =
        after.find(|letter: char| letter == ']' || letter == '"' || letter.is_whitespace())?;
    let (name, rest) = after.split_at(end);
    let name = name.to_ascii_lowercase();
    let rest = rest.trim_start();
    if let Some(behind) = rest.strip_prefix(']') {
        return Some((name, None, behind));
    }
    let mut part = String::new();
    let mut letters = rest.strip_prefix('"')?.chars();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => part.extend(letters.next()),
            letter => part.push(letter),
        }
    }
    let behind = letters.as_str().trim_start().strip_prefix(']')?;
    Some((name, Some(part), behind))
}

/// A value without its quotes, escapes and comment.
fn unquoted(value: &str) -> String {
    let (mut plain, mut kept) = (String::new(), 0);
    let mut is_quoted = false;
    let mut characters = value.trim_start().chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            '\\' => plain.extend(characters.next().map(|escaped| match escaped {
                'n' => '\n',
                't' => '\t',
                'b' => '\u{8}',
                other => other,
            })),
            other => plain.push(other),
        }
        if is_quoted || !character.is_whitespace() {
            kept = plain.len();
        }
    }
    plain.truncate(kept);
    plain
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let text = "# a = b\n[core]\n\texcludesFile = /a b # c\n[include] path = \"x # \\\"y\\\"\" ; z\n[Core \"Sub]\\\"\"]\nexcludesFile=no\n[core]\nbare\nEXCLUDESFILE = \"/last \\\n\" \n";
        let read: Vec<_> = entries(text)
            .into_iter()
            .map(|Entry { key, part, value }| (key, part.unwrap_or_default(), value))
            .collect();
        let expected = [
            ("core.excludesfile", "", "/a b"),
            ("include.path", "", "x # \"y\""),
            ("core.excludesfile", "Sub]\"", "no"),
            ("core.bare", "", "true"),
            ("core.excludesfile", "", "/last "),
        ];
        let expected = expected.map(|(key, part, value)| (key.into(), part.into(), value.into()));
        assert_eq!(read, expected);
    }

    /// A repository in `~/Work/{one}` on the branch `feature/x`, with a linked work tree beside it on `other`.
    struct Tried {
        directory: tempfile::TempDir,
    }

    impl Tried {
        fn new() -> Option<Self> {
            let directory = tempfile::tempdir().unwrap();
            let tried = Self { directory };
            let one = tried.path("Work/{one}");
            fs::create_dir_all(&one).unwrap();
            fs::write(tried.path("user"), "").unwrap();
            Command::new("git").arg("version").output().ok()?;
            tried.git(&one, &["init", "-q", "-b", "feature/x"]);
            let commit = ["commit", "-q", "--allow-empty", "-m", "x"];
            let by = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
            tried.git(&one, &[&by[..], &commit[..]].concat());
            let place = tried.path("linked").display().to_string();
            tried.git(&one, &["worktree", "add", "-q", "-b", "other", &place]);
            Some(tried)
        }

        fn path(&self, name: &str) -> PathBuf {
            fs::canonicalize(self.directory.path()).unwrap().join(name)
        }

        fn git(&self, directory: &Path, arguments: &[&str]) -> String {
            let answer = Command::new("git")
                .args(arguments)
                .current_dir(directory)
                .env("GIT_CONFIG_GLOBAL", self.path("user"))
                .env("GIT_CONFIG_SYSTEM", "/dev/null")
                .output()
                .unwrap();
            let is_none = answer.status.code() == Some(1) && answer.stderr.is_empty();
            assert!(answer.status.success() || is_none, "{answer:?}");
            String::from_utf8(answer.stdout)
                .unwrap()
                .trim_end()
                .to_owned()
        }

        fn repository(&self, name: &str) -> Repository {
            let directory = self.path(name);
            let asked = |what: &str| {
                let arguments = ["rev-parse", "--path-format=absolute", what];
                PathBuf::from(self.git(&directory, &arguments))
            };
            Repository {
                own: asked("--git-dir"),
                common: asked("--git-common-dir"),
                directory,
            }
        }

        /// What git and we find in both work trees.
        fn compare(&self, settings: &str) {
            for name in ["Work/{one}", "linked"] {
                let repository = self.repository(name);
                let arguments = ["config", "--get", "core.excludesFile"];
                let expected = self.git(&repository.directory, &arguments);
                let found = Excludes::named(&repository, &[self.path("user")]);
                let found = found.file.map(|file| file.display().to_string());
                assert_eq!(found.unwrap_or_default(), expected, "{name}: {settings}");
            }
        }
    }

    #[test]
    fn conditions_hold_where_they_hold_for_git() {
        let Some(tried) = Tried::new() else { return };
        let root = tried.path("").display().to_string();
        fs::write(tried.path("named"), "[core] excludesFile = /named").unwrap();
        let conditions = [
            "gitdir:Work/",
            "gitdir:work/",
            "gitdir/i:work/",
            "gitdir:{one}/.git",
            "gitdir:{one}",
            "gitdir:{one}/",
            "gitdir:[{]one?/",
            "gitdir:one/",
            "gitdir:*/.git",
            "gitdir:W*k/**",
            "gitdir:./Work/",
            "gitdir:./",
            "gitdir:.",
            "gitdir:./*/.git",
            "gitdir:./*/*/.git",
            "gitdir:~/nowhere/",
            "gitdir:~nobody/",
            "gitdir:worktrees/",
            "gitdir:worktrees/linked",
            "gitdir:ROOT/",
            "gitdir:ROOTWork/",
            "gitdir:ROOTwork/",
            "gitdir/i:ROOTwork/",
            "gitdir:ROOT**/.git",
            "onbranch:feature/x",
            "onbranch:feature/",
            "onbranch:feature",
            "onbranch:f*",
            "onbranch:f*/*",
            "onbranch:Feature/",
            "onbranch:**",
            "onbranch:oth[a-f]r",
            "hasconfig:remote.*.url:https://nowhere.example/**",
            "other:x",
            "gitdir",
            "",
        ];
        for condition in conditions {
            let condition = condition.replace("ROOT", &root);
            let settings = format!("[includeIf \"{condition}\"]\npath = named\n");
            fs::write(tried.path("user"), &settings).unwrap();
            tried.compare(&settings);
        }
    }

    #[test]
    fn the_last_file_that_is_named_counts_as_for_git() {
        let Some(tried) = Tried::new() else { return };
        let one = tried.path("Work/{one}");
        fs::write(tried.path("named"), "[core] excludesFile = /named").unwrap();
        let local = fs::read_to_string(one.join(".git/config")).unwrap();
        let (own, linked) = (one.join(".git"), one.join(".git/worktrees/linked"));
        let by_branch = "[includeIf \"onbranch:other\"] path = ../../../named\n";
        for (switch, worktree) in [
            ("", "[core] excludesFile = /tree\n"),
            ("[extensions] worktreeConfig\n", ""),
            (
                "[extensions] worktreeConfig = true\n",
                "[core] excludesFile = /tree\n",
            ),
            (
                "[extensions] worktreeConfig = no\n",
                "[core] excludesFile = /tree\n",
            ),
            (
                "[extensions] worktreeConfig = 1\n[core] excludesFile = /local\n",
                "",
            ),
            (
                "[core] excludesFile = /local\n[extensions] worktreeConfig = on\n",
                "[core] excludesFile = /tree\n",
            ),
            (by_branch, ""),
        ] {
            fs::write(own.join("config"), format!("{local}{switch}")).unwrap();
            fs::write(linked.join("config.worktree"), worktree).unwrap();
            tried.compare(&format!("{switch}{worktree}"));
        }
    }
}
