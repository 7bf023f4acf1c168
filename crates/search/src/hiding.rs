//! Which line of which ignore file hides something.

use std::path::PathBuf;

use crate::directory::to_bytes;
use crate::ignore_files;
use crate::rules::IgnoreMatch;
use crate::scope::Scope;

/// A line of an ignore file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HidingRule {
    /// The line, as it is written there.
    pub glob: String,
    /// The ignore file: absolute.
    pub source: PathBuf,
}

/// What hides a file in `scope`, or a directory above it, from those who mind ignore files. `path` is reported as answers report
/// it, relative to the scope's `base`; a slash at its end says that it is a directory. Nothing if no ignore file hides it.
#[must_use]
pub fn hiding_rule(scope: &Scope, path: &str) -> Option<HidingRule> {
    let place = scope.base.join(path);
    let below = place.strip_prefix(&scope.root).ok()?;
    let mut rules = ignore_files::above(&scope.base, &scope.root);
    let mut here = scope.root.clone();
    let mut parts = below.components().peekable();
    while let Some(part) = parts.next() {
        rules = ignore_files::enter_unlisted(&rules, &here);
        here.push(part);
        let is_directory = parts.peek().is_some() || path.ends_with('/');
        let (ruling, glob) = rules.reported(&to_bytes(&here), is_directory);
        if ruling == IgnoreMatch::Ignored {
            let glob = glob?;
            return Some(HidingRule {
                glob: ignore_files::as_written(glob),
                source: glob.from()?.to_owned(),
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_line_that_hides_a_file_or_a_directory_above_it_is_named_with_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (path, content) in [
            (
                ".gitignore",
                "# comment\nbuild/\n*.log\n!keep.log\n[[:upper:]]*\n",
            ),
            ("src/.ignore", "/gen\n"),
            ("src/gen/deep/a.rs", ""),
            ("src/a.rs", ""),
            ("build/out/b.txt", ""),
            ("keep.log", ""),
            ("x.log", ""),
            ("X", ""),
        ] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let scope = Scope::new(&root, &root);
        let reported = |path: &str| {
            let rule = hiding_rule(&scope, path)?;
            let source = rule.source.strip_prefix(&root).unwrap();
            Some((rule.glob, source.to_owned()))
        };
        let rule = |glob: &str, source: &str| Some((glob.to_owned(), PathBuf::from(source)));
        assert_eq!(reported("build/out/b.txt"), rule("build/", ".gitignore"));
        assert_eq!(reported("src/gen/deep/a.rs"), rule("/gen", "src/.ignore"));
        assert_eq!(reported("build/"), rule("build/", ".gitignore"));
        assert_eq!(reported("build"), None);
        assert_eq!(reported("x.log"), rule("*.log", ".gitignore"));
        assert_eq!(reported("X"), rule("[[:upper:]]*", ".gitignore"));
        assert_eq!(reported("keep.log"), None);
        assert_eq!(reported("src/a.rs"), None);
        let inner = Scope::new(&root, root.join("src"));
        assert_eq!(
            hiding_rule(&inner, "src/gen/deep/a.rs").map(|rule| rule.glob),
            Some("/gen".to_owned())
        );
        assert_eq!(hiding_rule(&inner, "x.log"), None);
    }
}
