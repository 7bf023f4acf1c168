//! Files of variables that a call reads: which they are, and what they say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use tenon_contract::{Access, PathClaim, native_path};
use tenon_policy::{NamePattern, Origins};
use tenon_secrets::{VariableValues, is_variable_file, may_name_variable_file};
use tenon_workspace::{FileKind, Workspace, entry_kinds, real_path};

/// Most files of which values are looked for, and most bytes of each.
const FILES_MAX: usize = 64;
const FILE_MAX_BYTES: u64 = 256 * 1024;
/// How far such files are looked for below a directory.
const DEPTH_MAX: usize = 4;
const DIRECTORIES_MAX: usize = 200;
const ENTRIES_MAX: usize = 10_000;
/// Directories that are not looked into: what is in them is not the user's.
const SKIPPED: &[&str] = &[".git", "node_modules", "target"];

/// The files of variables that a call reads or may read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct VariableFiles {
    /// Those that it reads or changes, as its access and the words of its commands say.
    read: Vec<PathBuf>,
    /// Those that its commands may read: they read what is below a directory, or what no word names.
    may_be_read: Vec<PathBuf>,
}

impl VariableFiles {
    /// Those that the call itself reads or changes, by their names and by what these lead to.
    pub(crate) fn of_access(access: &Access) -> Self {
        let claims = access.reads.iter().chain(access.changed());
        let files = claims.filter(|claim| is_of_variables(claim));
        Self {
            read: files.map(|claim| claim.target.clone()).collect(),
            may_be_read: Vec::new(),
        }
    }

    /// The same with those that the commands read. What a word does not name counts as read where their text names such a file
    /// somewhere.
    pub(crate) fn and_of_commands(mut self, origins: &Origins, access: &Access) -> Self {
        for file in &origins.files {
            let file = native_path(file);
            if leads_to_variables(&file) {
                self.add(file.into_owned(), true);
            }
        }
        let typed_into = access.inputs.iter().map(|input| &input.command);
        let mut commands = access.commands.iter().chain(typed_into);
        let is_mentioned = commands.any(|command| may_name_variable_file(&command.text));
        for pattern in &origins.patterns {
            let is_unknown = pattern.text.contains(NamePattern::UNKNOWN);
            let files = matching(&native_path(&pattern.directory), &pattern.text);
            let files = files.into_iter();
            files.for_each(|file| self.add(file, !is_unknown || is_mentioned));
        }
        for tree in &origins.trees {
            let tree = native_path(tree);
            if leads_to_variables(&tree) && !tree.is_dir() {
                self.add(tree.into_owned(), true);
            } else {
                let files = below(&tree).into_iter();
                files.for_each(|file| self.add(file, false));
            }
        }
        self
    }

    fn add(&mut self, file: PathBuf, is_read: bool) {
        let files = if is_read {
            &mut self.read
        } else {
            &mut self.may_be_read
        };
        if files.len() < FILES_MAX && !files.contains(&file) {
            files.push(file);
        }
    }

    /// Whether the call reads or changes one.
    pub(crate) fn are_read(&self) -> bool {
        !self.read.is_empty()
    }

    /// What they say now.
    pub(crate) fn contents(&self) -> FileContents {
        let read = |files: &[PathBuf]| files.iter().filter_map(|file| content(file)).collect();
        FileContents {
            read: read(&self.read),
            may_be_read: read(&self.may_be_read),
        }
    }
}

/// What files of variables say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileContents {
    read: Vec<String>,
    may_be_read: Vec<String>,
}

impl FileContents {
    /// Of files that are read, by their paths.
    pub(crate) fn of_read(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = files.into_iter().take(FILES_MAX);
        Self {
            read: files.filter_map(|file| content(&file)).collect(),
            may_be_read: Vec::new(),
        }
    }

    /// These and others, each once.
    pub(crate) fn and(mut self, others: &Self) -> Self {
        let add = |all: &mut Vec<String>, others: &[String]| {
            for other in others {
                if !all.contains(other) {
                    all.push(other.clone());
                }
            }
        };
        add(&mut self.read, &others.read);
        add(&mut self.may_be_read, &others.may_be_read);
        self
    }

    /// Their values.
    pub(crate) fn values(&self) -> Arc<VariableValues> {
        let may_be_read = self.may_be_read.iter().map(String::as_str);
        let read = self.read.iter().map(String::as_str);
        Arc::new(VariableValues::of(read, may_be_read))
    }
}

/// Whether a claim is about a file of variables, by its name or by what that leads to.
pub(crate) fn is_of_variables(claim: &PathClaim) -> bool {
    is_variable_file(&claim.name) || is_variable_file(&claim.target.to_string_lossy())
}

/// The same of a path, of which links are followed.
pub(crate) fn leads_to_variables(path: &Path) -> bool {
    let is_named = |path: &Path| is_variable_file(&path.to_string_lossy());
    is_named(path)
        || may_have_another_name(path) && real_path(path).is_ok_and(|path| is_named(&path))
}

/// Whether what a path leads to may have another name than the last one of the path. That is asked of every file that a search shows,
/// and a real path takes a question to the system for each directory above it.
fn may_have_another_name(path: &Path) -> bool {
    // Elsewhere a file has short names as well.
    let is_last = cfg!(unix) && path.file_name().is_some();
    !is_last
        || path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
}

/// What a file says, wherever it is. Nothing where it is not text, or too long.
pub(crate) fn content(path: &Path) -> Option<String> {
    let path = real_path(path).ok()?;
    let directory = Workspace::open::<PathBuf>(path.parent()?, &[]).ok()?;
    let file = directory.locate(path.file_name()?.to_str()?).ok()?;
    let text = tenon_workspace::read_text(&file, FILE_MAX_BYTES).ok()?;
    Some(text.text().to_owned())
}

/// The files of variables that a word of a command may name: with `*`, `?`, `[…]` and braces, and with what is not known of it.
fn matching(directory: &Path, word: &str) -> Vec<PathBuf> {
    let word = word.trim_end_matches('/');
    let open = word.find(['*', '?', '[', '{', NamePattern::UNKNOWN]);
    let before = word.get(..open.unwrap_or(word.len())).unwrap_or_default();
    let (known, rest) = word.split_at(before.rfind('/').map_or(0, |slash| slash + 1));
    let start = directory.join(known);
    // What is not known may be a path.
    let goes_below = rest.contains(['/', NamePattern::UNKNOWN]);
    let mut files = if goes_below {
        below(&start)
    } else {
        entries(&start).0
    };
    let last = rest.rsplit('/').next().unwrap_or_default();
    let passes_hidden = last.starts_with(['*', '?', '[']);
    let glob = glob(rest);
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let relative = file.strip_prefix(&start).unwrap_or(file);
        // What is no glob may be anything.
        !(passes_hidden && name.starts_with('.'))
            && glob.as_ref().is_none_or(|glob| glob.is_match(relative))
    });
    files
}

/// A word as a glob. What is not known, and what a range in braces stands for, are any letters.
fn glob(word: &str) -> Option<GlobMatcher> {
    const UNKNOWN: char = NamePattern::UNKNOWN;
    let mut text = word.replace(&format!("{UNKNOWN}/"), "**/");
    text = text.replace(UNKNOWN, "*");
    if text.contains("..")
        && let (Some(start), Some(end)) = (text.find('{'), text.rfind('}'))
        && start < end
    {
        text.replace_range(start..=end, "*");
    }
    GlobBuilder::new(&text)
        .literal_separator(!word.contains(UNKNOWN))
        .empty_alternates(true)
        .backslash_escape(false)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

/// The files of variables below a directory, as far as they are looked for.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut level = vec![directory.to_owned()];
    let mut seen = 0;
    for _ in 0..DEPTH_MAX {
        let mut next = Vec::new();
        for directory in level {
            seen += 1;
            if seen > DIRECTORIES_MAX {
                return files;
            }
            let (found, directories) = entries(&directory);
            files.extend(found);
            next.extend(directories);
        }
        level = next;
    }
    files
}

/// The files of variables in a directory, and the directories in it.
fn entries(directory: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    let real = real_path(directory);
    let all = real.and_then(|directory| entry_kinds(&directory, ENTRIES_MAX));
    let Ok(Some(all)) = all else {
        return (files, directories);
    };
    for (name, kind) in all {
        let path = directory.join(&name);
        match kind {
            FileKind::Directory if !SKIPPED.contains(&&*name) => directories.push(path),
            FileKind::Directory => {}
            _ if is_variable_file(&name) => files.push(path),
            FileKind::Link if leads_to_variables(&path) => files.push(path),
            _ => {}
        }
    }
    (files, directories)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_of_another_name_leads_to_a_file_of_variables() {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("sub")).unwrap();
        for name in [".env", "a.txt"] {
            fs::write(root.join(name), "A=b\n").unwrap();
        }
        for (link, to) in [
            ("link", ".env"),
            ("sub/again", "../link"),
            ("other", "a.txt"),
            ("none", "nowhere"),
            ("directory", "sub"),
        ] {
            symlink(to, root.join(link)).unwrap();
        }
        let names = [
            ".env",
            "link",
            "sub/again",
            "directory/again",
            "sub/../link",
            "a.txt",
            "other",
            "none",
            "directory/../a.txt",
            "directory/..",
            "",
        ];
        let found = names.map(|name| leads_to_variables(&root.join(name)));
        let expected = [
            true, true, true, true, true, false, false, false, false, false, false,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_word_of_a_command_may_name_a_file_of_variables_in_every_form() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        fs::create_dir_all(root.join("sub/deep")).unwrap();
        for name in [".env", "prod.env", "sub/deep/.env", "a.txt"] {
            fs::write(root.join(name), "A=b\n").unwrap();
        }
        let found = |text: &str| -> Vec<String> {
            let files = matching(root, text).into_iter();
            let names = files.map(|file| file.strip_prefix(root).unwrap().display().to_string());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        for text in [
            ".env*",
            ".e?v",
            ".[de]nv",
            "{.env,a.txt}",
            "./.en*",
            "{a,.{env,x}}",
            ".env{,x}",
        ] {
            assert_eq!(found(text), [".env"], "{text}");
        }
        assert_eq!(found("*"), ["prod.env"]);
        assert_eq!(found("sub/*/.env"), ["sub/deep/.env"]);
        assert_eq!(found("{sub/deep/.env,a.txt}"), ["sub/deep/.env"]);
        assert_eq!(found("p{m..s}od.env"), ["prod.env"]);
        assert_eq!(found("\0"), [".env", "prod.env", "sub/deep/.env"]);
        assert_eq!(found("\0/.env"), [".env", "sub/deep/.env"]);
        assert_eq!(found("*.ts"), Vec::<String>::new());
    }
}
