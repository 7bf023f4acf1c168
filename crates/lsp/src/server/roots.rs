//! Which directory a server is started for: never outside of the workspace.

use std::path::{Path, PathBuf};

use tenon_workspace::{Located, Workspace, read_text};

use crate::servers::RootRule;

/// Longest `Cargo.toml` that is looked into, in bytes.
const MANIFEST_MAX_BYTES: u64 = 1024 * 1024;

/// The directory for this file. Looks at the disk.
pub(crate) fn root_of(rule: RootRule, file: &Located) -> PathBuf {
    let workspace = file.workspace();
    let own = workspace
        .roots()
        .filter(|root| file.target().starts_with(root))
        .max_by_key(|root| root.as_os_str().len())
        .unwrap_or_else(|| workspace.root());
    let above = || {
        file.target()
            .ancestors()
            .skip(1)
            .take_while(|directory| directory.starts_with(own))
    };
    let holds = |directory: &Path, name: &str| located(workspace, &directory.join(name)).is_some();
    let found = match rule {
        RootRule::Workspace => None,
        RootRule::Nearest(groups) => groups.iter().find_map(|names| {
            above().find(|directory| names.iter().any(|name| holds(directory, name)))
        }),
        RootRule::Cargo => {
            let mut manifests = above().filter(|directory| holds(directory, "Cargo.toml"));
            let nearest = manifests.next();
            nearest.map(|nearest| {
                let is_workspace =
                    |directory: &&Path| names_workspace(workspace, &directory.join("Cargo.toml"));
                Some(nearest)
                    .filter(is_workspace)
                    .or_else(|| manifests.find(is_workspace))
                    .unwrap_or(nearest)
            })
        }
    };
    found.unwrap_or(own).to_owned()
}

fn located(workspace: &Workspace, path: &Path) -> Option<Located> {
    let located = workspace.locate(path.to_str()?).ok()?;
    located.exists().unwrap_or(false).then_some(located)
}

/// Whether a manifest has a `[workspace]` table.
fn names_workspace(workspace: &Workspace, manifest: &Path) -> bool {
    let text = located(workspace, manifest)
        .and_then(|located| read_text(&located, MANIFEST_MAX_BYTES).ok());
    text.is_some_and(|text| {
        text.text()
            .lines()
            .any(|line| line.trim_start().starts_with("[workspace"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_directory_is_found_by_what_lies_above_the_file_and_inside_of_the_workspace() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().canonicalize().unwrap().join("project");
        for (name, text) in [
            ("../Cargo.toml", "[workspace]"),
            ("../pyproject.toml", ""),
            ("Cargo.toml", "[workspace]\nmembers = []"),
            ("crates/a/Cargo.toml", "[package]"),
            ("crates/a/src/lib.rs", ""),
            ("own/Cargo.toml", "[package]\n  [workspace]\n"),
            ("own/src/main.rs", ""),
            ("py/pyproject.toml", ""),
            ("py/sub/requirements.txt", ""),
            ("py/sub/a.py", ""),
            ("loose/requirements.txt", ""),
            ("loose/b.py", ""),
            ("c.py", ""),
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let of = |rule: RootRule, name: &str| {
            let found = root_of(rule, &workspace.locate(name).unwrap());
            found.strip_prefix(&root).unwrap().display().to_string()
        };
        let python = RootRule::Nearest(&[&["pyproject.toml"], &["requirements.txt"]]);
        let found = [
            of(RootRule::Cargo, "crates/a/src/lib.rs"),
            of(RootRule::Cargo, "own/src/main.rs"),
            of(python, "py/sub/a.py"),
            of(python, "loose/b.py"),
            of(python, "c.py"),
            of(RootRule::Workspace, "py/sub/a.py"),
        ];
        assert_eq!(found, ["", "own", "py", "loose", "", ""]);
    }
}
