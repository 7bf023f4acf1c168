//! No file shows on whose machine it was made, or holds both sides of a merge.

use super::Violation;
use super::project::{Project, TextFile};

/// Directories of machines that the project was worked on. They begin a path: a letter before them means
/// another directory of the same name.
const DIRECTORIES: &[&str] = &[
    concat!("/", "work/main"),
    concat!("/", "work/shared"),
    concat!("/", "work/.library"),
    concat!("/", "tmp/tenon"),
    concat!("/", "root/.cargo"),
    concat!("/", "root/.npm"),
    concat!("/", "root/.rustup"),
];
/// Homes that examples and attacks in tests may well name, and nothing else.
const HOMES: &[&str] = &[concat!("/", "root/"), concat!("/", "work/")];
/// The hosts that lock files may name.
const REGISTRIES: &[&str] = &[
    "https://registry.npmjs.org/",
    "registry+https://github.com/rust-lang/crates.io-index",
];

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    project.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Violation> {
    let lines = file.text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| {
        let directories = directories_in(&file.path, line).into_iter();
        let rules =
            directories.map(|directory| format!("`{directory}` is a directory of one machine"));
        rules
            .chain(foreign_host(&file.path, line))
            .chain(merge_marker(&file.path, line))
            .map(move |rule| (index + 1, rule))
            .collect::<Vec<_>>()
    });
    found
        .map(|(line, rule)| Violation::new(&file.path, line, rule))
        .collect()
}

/// A line by which git marks the sides of a merge. The matcher of edits and its fixtures have such lines on purpose.
fn merge_marker(path: &str, line: &str) -> Option<String> {
    let is_meant = path.starts_with("crates/edit/") || path.starts_with("fixtures/");
    let is_marker = ["<<<<<<< ", ">>>>>>> "]
        .iter()
        .any(|marker| line.starts_with(marker));
    (is_marker && !is_meant).then(|| "a merge is not finished here".to_owned())
}

fn directories_in(path: &str, line: &str) -> Vec<&'static str> {
    let is_name = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
    let is_whole = |directory: &str| {
        line.match_indices(directory).any(|(at, _)| {
            let before = line.get(..at).and_then(|text| text.chars().next_back());
            let after = line
                .get(at + directory.len()..)
                .and_then(|text| text.chars().next());
            let begins = !before.is_some_and(|letter| is_name(letter) || ".~*/}$".contains(letter));
            begins && (directory.ends_with('/') || !after.is_some_and(is_name))
        })
    };
    // Documentation and configuration have no reason to name a home; code and its tests may.
    let is_code = [".rs", ".js", ".mjs", ".ts"]
        .iter()
        .any(|ending| path.ends_with(ending))
        || path.starts_with("fixtures/");
    let homes: &[&str] = if is_code { &[] } else { HOMES };
    let directories = DIRECTORIES
        .iter()
        .chain(homes)
        .filter(|directory| is_whole(directory));
    directories.take(1).copied().collect()
}

fn foreign_host(path: &str, line: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let value = match name {
        "package-lock.json" => line.trim().strip_prefix("\"resolved\": \"")?,
        "Cargo.lock" => line.strip_prefix("source = \"")?,
        _ => return None,
    };
    let value = value.trim_end_matches([',', '"']);
    let is_known = REGISTRIES
        .iter()
        .any(|registry| value.starts_with(registry));
    (!is_known).then(|| format!("`{value}` is not the public registry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(path: &str, text: &str) -> Vec<String> {
        let violations = check(&Project::of(&[(path, text)]));
        violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_unfinished_merge_is_found() {
        let text = "one\n<<<<<<< HEAD\ntwo\n=======\n>>>>>>> other\n";
        let project = Project::of(&[("README.md", text), ("fixtures/a.md", text)]);
        let reported: Vec<String> = check(&project).iter().map(ToString::to_string).collect();
        assert_eq!(
            reported,
            [
                "README.md:2: a merge is not finished here",
                "README.md:5: a merge is not finished here",
            ]
        );
    }

    #[test]
    fn directories_of_a_machine_are_found_where_a_path_begins() {
        let directory = concat!("/", "work/main");
        let text = format!("fine\nsee {directory}/a\nhome{directory}\n{directory}-land\n");
        assert_eq!(
            reported("a.rs", &text),
            [format!(
                "a.rs:2: `{directory}` is a directory of one machine"
            )]
        );
    }

    #[test]
    fn code_may_name_the_home_of_root_and_documents_may_not() {
        let home = concat!("/", "root/");
        let text = format!("cat {home}.ssh/id_rsa\n");
        assert_eq!(
            reported("crates/policy/src/a.rs", &text),
            Vec::<String>::new()
        );
        assert_eq!(
            reported("README.md", &text),
            [format!(
                "README.md:1: `{home}` is a directory of one machine"
            )]
        );
    }

    #[test]
    fn lock_files_name_the_public_registries_alone() {
        let npm = "  \"resolved\": \"https://registry.npmjs.org/a/-/a-1.tgz\",\n  \"resolved\": \"http://mirror.local/a-1.tgz\",\n";
        assert_eq!(
            reported("package-lock.json", npm),
            ["package-lock.json:2: `http://mirror.local/a-1.tgz` is not the public registry"]
        );
        let cargo = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nsource = \"sparse+https://mirror.local/\"\n";
        assert_eq!(
            reported("Cargo.lock", cargo),
            ["Cargo.lock:2: `sparse+https://mirror.local/` is not the public registry"]
        );
    }
}
