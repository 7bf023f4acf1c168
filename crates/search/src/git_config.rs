//! Where git finds further excludes: `core.excludesFile` in its configuration files and in those that they include.
//! Conditional includes (`includeIf`) are not followed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that include each other are followed so deep, as by git.
const DEPTH_MAX: usize = 10;
/// A configuration file above this size is none.
const MAX_BYTES: u64 = 1 << 20;

/// What configuration files say.
#[derive(Debug, Default)]
pub(crate) struct Excludes {
    /// The file of excludes: the last one that is named counts.
    pub(crate) file: Option<PathBuf>,
    /// All files that were asked.
    pub(crate) sources: Vec<PathBuf>,
}

impl Excludes {
    /// What holds for every repository of the user. Where nothing is named it is the usual file.
    pub(crate) fn of_user() -> Self {
        let mut found = Self::default();
        let home = home();
        let settings = env::var_os("XDG_CONFIG_HOME")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            .or_else(|| Some(home.as_ref()?.join(".config")));
        if env::var_os("GIT_CONFIG_NOSYSTEM").is_none_or(|value| value.is_empty() || value == "0") {
            let system = env::var_os("GIT_CONFIG_SYSTEM");
            found.read(
                &system.map_or_else(|| "/etc/gitconfig".into(), PathBuf::from),
                0,
            );
        }
        match env::var_os("GIT_CONFIG_GLOBAL") {
            Some(file) => found.read(Path::new(&file), 0),
            None => {
                let settings = settings.as_ref();
                let files = [
                    settings.map(|settings| settings.join("git/config")),
                    home.map(|home| home.join(".gitconfig")),
                ];
                files.iter().flatten().for_each(|file| found.read(file, 0));
            }
        }
        found.file = found.file.or_else(|| Some(settings?.join("git/ignore")));
        found
    }

    /// What a repository says, whose common directory is `git` and whose work tree is `directory`. Nothing where the user's
    /// counts.
    pub(crate) fn of_repository(git: &Path, directory: &Path) -> Self {
        let mut found = Self::default();
        found.read(&git.join("config"), 0);
        found.file = found.file.map(|file| directory.join(file));
        found
    }

    fn read(&mut self, file: &Path, depth: usize) {
        self.sources.push(file.to_owned());
        let is_readable = |found: fs::Metadata| found.is_file() && found.len() <= MAX_BYTES;
        if depth > DEPTH_MAX || !fs::metadata(file).is_ok_and(is_readable) {
            return;
        }
        let Ok(bytes) = fs::read(file) else { return };
        let text = String::from_utf8_lossy(&bytes);
        // Most files name neither.
        let lower = text.to_ascii_lowercase();
        if !lower.contains("excludesfile") && !lower.contains("include") {
            return;
        }
        for (name, value) in entries(&text) {
            let Some(path) = in_home(&value) else {
                continue;
            };
            match name.as_str() {
                "core.excludesfile" => {
                    self.file = Some(path).filter(|path| !path.as_os_str().is_empty())
                }
                "include.path" => {
                    let above = file.parent().unwrap_or(Path::new(""));
                    self.read(&above.join(path), depth + 1);
                }
                _ => {}
            }
        }
    }
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

/// The settings of a file in their order: section and name in small letters, joined by a period, and the value. Sections
/// with a part of their own have none that is asked for here.
fn entries(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut section = String::new();
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in text.lines() {
        let mut line = line.trim_start();
        if let Some(header) = line.strip_prefix('[') {
            let Some((name, behind)) = header.split_once(']') else {
                continue;
            };
            section = name.trim().to_ascii_lowercase();
            line = behind.trim_start();
        }
        if let Some((name, value)) = line.split_once('=')
            && !line.starts_with(['#', ';'])
        {
            let name = name.trim().to_ascii_lowercase();
            all.push((format!("{section}.{name}"), unquoted(value)));
        }
    }
    all
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
    use super::*;

    #[test]
    fn settings_are_read_as_git_writes_them() {
        let text = "# a = b\n[core]\n\texcludesFile = /a b # c\n[include] path = \"x # \\\"y\\\"\" ; z\n[Core \"sub\"]\nexcludesFile=no\n[core]\nbare\nEXCLUDESFILE = \"/last \\\n\" \n";
        let named: Vec<(String, String)> = entries(text);
        let named: Vec<(&str, &str)> = named
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            named,
            [
                ("core.excludesfile", "/a b"),
                ("include.path", "x # \"y\""),
                ("core \"sub\".excludesfile", "no"),
                ("core.excludesfile", "/last "),
            ]
        );
    }
}
