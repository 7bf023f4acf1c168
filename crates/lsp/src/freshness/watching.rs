//! Which files a server wants to hear about when they change on disk (LSP `FileSystemWatcher`).

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::protocol::uri::file_path;
use crate::server::capabilities::ServerFeatures;

const METHOD: &str = "workspace/didChangeWatchedFiles";

/// The globs that a server registered, compiled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watchers(Vec<Watcher>);

#[derive(Debug, Clone)]
struct Watcher {
    /// The directory that the glob is relative to, for relative patterns.
    base: Option<std::path::PathBuf>,
    glob: GlobMatcher,
    /// The endings (`.ts`) and whole names of the files that it is about, where it says so.
    names: Vec<String>,
}

impl Watchers {
    /// Of all present registrations. A glob that does not compile matches everything: an announcement too many does
    /// no harm.
    pub(crate) fn of(features: &ServerFeatures) -> Self {
        let lists = features
            .registered_for(METHOD)
            .filter_map(|it| it.options.get("watchers")?.as_array());
        Self(
            lists
                .flatten()
                .filter_map(|watcher| compile(watcher.get("globPattern")?))
                .collect(),
        )
    }

    /// Whether the server registered none; it is notified of the files of its language then.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The endings (`.ts`) and whole names of the files that they are about. A glob that is about all files has none.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.iter().flat_map(|watcher| &watcher.names)
    }

    /// Whether a change of this absolute path is to be announced.
    pub(crate) fn matches(&self, path: &Path) -> bool {
        self.0.iter().any(|watcher| match &watcher.base {
            Some(base) => path
                .strip_prefix(base)
                .is_ok_and(|relative| watcher.glob.is_match(relative)),
            None => watcher.glob.is_match(path),
        })
    }
}

fn compile(pattern: &Value) -> Option<Watcher> {
    let (base, text) = match pattern {
        Value::String(text) => (None, text.as_str()),
        pattern => {
            let base = pattern.get("baseUri")?;
            let uri = base.as_str().or_else(|| base.get("uri")?.as_str())?;
            (Some(file_path(uri)?), pattern.get("pattern")?.as_str()?)
        }
    };
    // Without a directory it means any: a relative glob is compared with an absolute path.
    let text = match (
        &base,
        Path::new(text).is_absolute() || text.starts_with("**/"),
    ) {
        (None, false) => format!("**/{text}"),
        _ => text.to_owned(),
    };
    let names = names_of(&text);
    let glob = |text: &str| GlobBuilder::new(text).literal_separator(true).build();
    let glob = glob(&text).or_else(|_| glob("**")).ok()?;
    Some(Watcher {
        base,
        glob: glob.compile_matcher(),
        names,
    })
}

/// What the last part of a glob says of names: `*.ts`, `*.{ts,js}` or `package.json`.
fn names_of(glob: &str) -> Vec<String> {
    // Alternatives with a slash in them are about directories, too.
    let last = glob.rsplit('/').next().unwrap_or_default();
    let (head, choices, tail) = match last.split_once('{') {
        None => (last, "", ""),
        Some((head, rest)) => match rest.split_once('}') {
            Some((choices, tail)) => (head, choices, tail),
            None => return Vec::new(),
        },
    };
    let written = choices
        .split(',')
        .map(|choice| format!("{head}{choice}{tail}"));
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['*', '?', '[', ']', '{', '}']);
    let name = |name: String| match name.strip_prefix('*') {
        Some(ending) => (ending.starts_with('.') && is_plain(ending)).then(|| ending.to_owned()),
        None => is_plain(&name).then_some(name),
    };
    written.filter_map(name).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn globs_are_absolute_relative_to_a_directory_or_of_any_directory() {
        let mut features = ServerFeatures::default();
        for (id, watchers) in [
            (
                "a",
                json!([{ "globPattern": "**/*.{ts,js}" }, { "globPattern": "/w/a/*.json" }]),
            ),
            (
                "b",
                json!([{ "globPattern": { "baseUri": "file:///w/b", "pattern": "**/*.py" } }]),
            ),
            (
                "c",
                json!([{ "globPattern": { "baseUri": { "uri": "file:///w/c", "name": "c" }, "pattern": "x.toml" } }, { "odd": 1 }]),
            ),
            ("d", json!([{ "globPattern": "go.mod" }])),
        ] {
            let registration =
                json!({ "id": id, "method": METHOD, "registerOptions": { "watchers": watchers } });
            features.register(serde_json::from_value(registration).unwrap());
        }
        let watchers = Watchers::of(&features);
        let matching = |path: &str| watchers.matches(Path::new(path));
        for path in [
            "/w/x/y.ts",
            "/y.js",
            "/w/a/b.json",
            "/w/b/c/d.py",
            "/w/c/x.toml",
            "/w/q/go.mod",
        ] {
            assert!(matching(path), "{path}");
        }
        for path in ["/w/x/y.tsx", "/w/a/b/c.json", "/w/a/d.py", "/w/c/d/x.toml"] {
            assert!(!matching(path), "{path}");
        }
        assert!(Watchers::of(&ServerFeatures::default()).is_empty());
        let mut names: Vec<&str> = watchers.names().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, [".js", ".json", ".py", ".ts", "go.mod", "x.toml"]);
        for unnamed in ["**/*", "**", "/w/", "a?.ts", "*.{a", "*.[ab]", "x*.ts"] {
            assert_eq!(names_of(unnamed), [""; 0], "{unnamed}");
        }
    }
}
