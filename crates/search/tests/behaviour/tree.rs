//! A directory with files for one test, and short ways to ask.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use tenon_contract::usual_path;
use tenon_search::{
    Control, FindOutput, FindRequest, GrepOutput, GrepRequest, LineKind, Pattern, Scope, find, grep,
};

pub(crate) struct Tree {
    _directory: TempDir,
    pub(crate) root: PathBuf,
}

/// A directory with these files.
pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    let directory = tempfile::tempdir().unwrap();
    let root = usual_path(directory.path().canonicalize().unwrap());
    let tree = Tree {
        _directory: directory,
        root,
    };
    for (path, content) in files {
        tree.write(path, content.as_bytes());
    }
    tree
}

impl Tree {
    pub(crate) fn write(&self, path: &str, content: &[u8]) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope::new(&self.root, &self.root)
    }

    pub(crate) fn request(&self, pattern: &str) -> GrepRequest {
        GrepRequest::new(self.scope(), Pattern::new(pattern))
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

pub(crate) fn run(request: &GrepRequest) -> GrepOutput {
    grep(request, &Control::default()).unwrap()
}

/// The answer as `rg --heading=never` would print it: `path:line:text`, context with `-`, gaps as
/// `--`, files without lines by their path.
pub(crate) fn printed(request: &GrepRequest) -> Vec<String> {
    print(&run(request))
}

pub(crate) fn print(output: &GrepOutput) -> Vec<String> {
    let mut printed = Vec::new();
    for file in &output.files {
        if file.is_empty() {
            printed.push(file.path.clone());
        }
        for line in file.lines() {
            if line.follows_gap {
                printed.push("--".to_owned());
            }
            let mark = match line.kind {
                LineKind::Match => ':',
                LineKind::Context => '-',
            };
            printed.push(format!(
                "{}{mark}{}{mark}{}",
                file.path, line.number, line.text
            ));
        }
    }
    printed
}

pub(crate) fn found(request: &FindRequest) -> FindOutput {
    find(request, &Control::default()).unwrap()
}

pub(crate) fn paths(request: &FindRequest) -> Vec<String> {
    found(request)
        .entries
        .into_iter()
        .map(|entry| entry.path)
        .collect()
}

/// All files seen in a scope.
pub(crate) fn seen(scope: Scope) -> Vec<String> {
    paths(&FindRequest::new(scope, "**"))
}

#[cfg(unix)]
pub(crate) fn link(to: impl AsRef<std::path::Path>, at: PathBuf) {
    std::os::unix::fs::symlink(to, at).unwrap();
}
