//! The project as the rules see it: its files as text.

use std::io;
use std::path::Path;

use ignore::WalkBuilder;

use super::source::Source;

/// One text file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    /// Relative to the root of the project, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// All text files that are not ignored, sorted by path, and the Rust files among them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Project {
    pub(crate) files: Vec<TextFile>,
    pub(crate) sources: Vec<Source>,
}

impl Project {
    /// Reads the directory, as `.gitignore` and its like leave it.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk {
            let entry = entry.map_err(io::Error::other)?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let bytes = std::fs::read(entry.path())?;
            // What is no text is no business of these rules.
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            let path = entry.path().strip_prefix(root).map_err(io::Error::other)?;
            let path = path.to_string_lossy().replace('\\', "/");
            files.push(TextFile { path, text });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self::new(files))
    }

    /// A project of these files.
    pub(crate) fn new(files: Vec<TextFile>) -> Self {
        let rust = files.iter().filter(|file| file.path.ends_with(".rs"));
        let sources = rust
            .map(|file| Source::new(&file.path, &file.text))
            .collect();
        Self { files, sources }
    }

    /// A project of paths and texts, for tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| TextFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        });
        Self::new(files.collect())
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str())
    }

    /// Names of the directories in `crates/`.
    pub(crate) fn crates(&self) -> Vec<&str> {
        let manifests = self.files.iter().filter_map(|file| {
            let name = file
                .path
                .strip_prefix("crates/")?
                .strip_suffix("/Cargo.toml")?;
            (!name.contains('/')).then_some(name)
        });
        manifests.collect()
    }
}

/// The crate that a file belongs to: `contract` for `crates/contract/…`, nothing for the rest.
pub(crate) fn crate_of(path: &str) -> Option<&str> {
    path.strip_prefix("crates/")?.split('/').next()
}

/// Whether a file is made of tests, benchmarks or examples alone.
pub(crate) fn is_test_file(path: &str) -> bool {
    let mut directories = path.split('/');
    let name = directories.next_back().unwrap_or_default();
    name == "tests.rs"
        || name.ends_with("_tests.rs")
        || directories
            .any(|directory| matches!(directory, "tests" | "benches" | "examples" | "__test__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_knows_its_crate_and_whether_it_is_a_test() {
        assert_eq!(crate_of("crates/edit/src/lib.rs"), Some("edit"));
        assert_eq!(crate_of("src/lib.rs"), None);
        let tests = [
            "crates/a/src/b/tests.rs",
            "crates/a/src/b_tests.rs",
            "crates/a/tests/it/main.rs",
            "crates/a/benches/b.rs",
        ];
        assert!(tests.iter().all(|path| is_test_file(path)));
        assert!(!is_test_file("crates/a/src/run_tests/detect.rs"));
    }

    #[test]
    fn ignored_and_binary_files_do_not_belong_to_the_project() {
        let directory = tempfile::tempdir().unwrap();
        let write = |path: &str, content: &[u8]| {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        };
        write(".git/config", b"x");
        write(".gitignore", b"/target/\n");
        write("target/a.rs", b"x");
        write("crates/a/src/lib.rs", b"x");
        write("crates/a/Cargo.toml", b"x");
        write("image.png", &[0x89, 0xFF]);
        let project = Project::read(directory.path()).unwrap();
        let paths: Vec<&str> = project
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(
            paths,
            [".gitignore", "crates/a/Cargo.toml", "crates/a/src/lib.rs"]
        );
        assert_eq!(project.crates(), ["a"]);
    }
}
