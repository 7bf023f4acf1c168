//! What stays out of an image: the files beside its context that name it (`.dockerignore`).
//!
//! The patterns are those of Docker: from the top of the context, the last one that fits counts, and what fits a directory fits
//! all below it. Where a pattern is not understood, nothing is left out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use globset::{GlobBuilder, GlobMatcher};
use tenon_contract::native_path;

use crate::variable_files::content;

/// A file of this kind, as far as it is there.
#[derive(Debug)]
pub(crate) struct IgnoreFile {
    patterns: Vec<Pattern>,
    has_exceptions: bool,
}

#[derive(Debug)]
struct Pattern {
    is_exception: bool,
    glob: GlobMatcher,
}

/// Whether each of these files that is there leaves out what is at this path of the context, and one is there.
pub(crate) fn leave_out(files: &[IgnoreFile], path: &Path, is_directory: bool) -> bool {
    !files.is_empty() && files.iter().all(|file| file.leaves_out(path, is_directory))
}

/// Those of these files of a context that are there. One of which a pattern is not understood leaves nothing out.
pub(crate) fn read(context: &Path, names: &[String]) -> Vec<IgnoreFile> {
    let paths = names.iter().map(|name| context.join(name));
    let there = paths.filter(|path| native_path(path).symlink_metadata().is_ok());
    there.map(|path| IgnoreFile::of(&path)).collect()
}

impl IgnoreFile {
    fn of(path: &Path) -> Self {
        let text = content(&native_path(path)).unwrap_or_default();
        let patterns = Self::patterns(&text).unwrap_or_default();
        Self {
            has_exceptions: patterns.iter().any(|pattern| pattern.is_exception),
            patterns,
        }
    }

    /// `None` where a pattern is not understood that takes something in again.
    fn patterns(text: &str) -> Option<Vec<Pattern>> {
        let mut patterns = Vec::new();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let line = line.trim();
            let (is_exception, pattern) = match line.strip_prefix('!') {
                Some(rest) => (true, rest.trim()),
                None => (false, line),
            };
            let pattern = clean(pattern);
            if pattern.is_empty() {
                continue;
            }
            match glob(&pattern) {
                Some(glob) => patterns.push(Pattern { is_exception, glob }),
                None if is_exception => return None,
                None => {}
            }
        }
        Some(patterns)
    }

    fn leaves_out(&self, path: &Path, is_directory: bool) -> bool {
        // What an exception may take in again lies below.
        if is_directory && self.has_exceptions {
            return false;
        }
        let fits = |pattern: &&Pattern| {
            let mut places = path
                .ancestors()
                .filter(|place| !place.as_os_str().is_empty());
            places.any(|place| pattern.glob.is_match(place))
        };
        let last = self.patterns.iter().rev().find(fits);
        last.is_some_and(|pattern| !pattern.is_exception)
    }
}

/// A pattern without `.`, `..` and double slashes, counted from the top of the context.
fn clean(pattern: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in pattern.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}

/// `None` for a pattern with signs that mean something else elsewhere.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    let is_odd = |name: &str| name.contains("**") && name != "**";
    if pattern.contains(['[', ']', '\\', '{', '}']) || pattern.split('/').any(is_odd) {
        return None;
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    Some(glob.ok()?.compile_matcher())
}

/// Files by the directory of their context and their names.
type ReadFiles = HashMap<(PathBuf, Vec<String>), Rc<[IgnoreFile]>>;

/// The files of contexts that were read.
#[derive(Debug, Default)]
pub(crate) struct ContextIgnores(RefCell<ReadFiles>);

impl ContextIgnores {
    /// Whether the files of these names leave out what is at an absolute path of the context.
    pub(crate) fn leave_out(
        &self,
        context: &Path,
        names: &[String],
        (path, is_directory): (&Path, bool),
    ) -> bool {
        let Ok(below) = path.strip_prefix(context) else {
            return false;
        };
        // Docker is given these whatever they say, and the file that says how the image is built.
        let is_given = |name: &String| {
            let built = name.strip_suffix(".dockerignore").unwrap_or(name);
            Path::new(name) == below || Path::new(built) == below
        };
        if names.iter().any(is_given) {
            return false;
        }
        let key = (context.to_path_buf(), names.to_vec());
        let mut known = self.0.borrow_mut();
        let files = known
            .entry(key)
            .or_insert_with(|| read(context, names).into());
        leave_out(files, below, is_directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_patterns_leave_out_is_no_more_than_docker_does() {
        for (text, path, is_left_out) in [
            (".env", ".env", true),
            (".env", "sub/.env", false),
            ("/.env", ".env", true),
            ("./sub/../.env", ".env", true),
            ("**/.env", "sub/.env", true),
            ("**/.env", ".env", true),
            ("*", ".env", true),
            ("*", "sub/.env", true),
            ("secrets", "secrets/a/b", true),
            ("sub/*", "sub/a/.env", true),
            ("*.env", "sub/.env", false),
            ("# .env", ".env", false),
            ("*\n!.env", ".env", false),
            ("*\n!sub", "sub/.env", false),
            ("!.env\n*", ".env", true),
            ("*\n!.env*\n.env", ".env", true),
            ("[.]env", ".env", false),
            ("*\n![.]env", ".env", false),
            ("{.env,a}", ".env", false),
            ("*\n!.e**", ".env", false),
            ("", ".env", false),
        ] {
            let patterns = IgnoreFile::patterns(text).unwrap_or_default();
            let file = IgnoreFile {
                has_exceptions: false,
                patterns,
            };
            let found = leave_out(&[file], Path::new(path), false);
            assert_eq!(found, is_left_out, "{text:?} {path}");
        }
    }
}
