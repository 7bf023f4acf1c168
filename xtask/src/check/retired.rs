//! Words that the code has given up for the field's own: nowhere in code, comments and documents.

use super::Violation;
use super::project::{Project, TextFile};

/// What is said now, beside the parts of words that are not said any more, in small letters.
const RETIRED: &[(&str, &str)] = &[("folder", "directory"), ("sub-command", "subcommand")];

/// Names of types and functions that had a private meaning, as whole words.
const NAMES: &[(&str, &str)] = &[
    ("Aftermath", "PostEditDiagnostics"),
    ("Census", "ProcessSnapshot"),
    ("Drift", "ConcurrentChange"),
    ("Flights", "InFlight"),
    ("HopJudge", "RedirectPolicy"),
    ("Hops", "Redirects"),
    ("Leader", "ShellProcess"),
    ("Manner", "ApplyMode"),
    ("PatternNeed", "NgramQuery"),
    ("Ruling", "IgnoreMatch"),
    ("Rung", "MatchLevel"),
    ("Seam", "FailPoint"),
    ("Teller", "Reporter"),
    ("Toll", "KillStats"),
    ("Unfolded", "CountingReader"),
    ("Veil", "PathFilter"),
    ("plain_words", "normalized_words"),
    ("told_of_write", "write_message"),
];

/// Where a retired word is part of something that is not ours to name: an option of a program, a name of a protocol,
/// of our own public interface, or what is kept in files of an earlier version.
const ELSEWHERE: &[&str] = &[
    "workspaceFolder",
    "YARN_CACHE_FOLDER",
    "trustSystemFolders",
    "trust_system_folders",
    "not_a_folder",
    "skills.folders",
    "skills: { folders",
    "folders?: string[]",
    "folder: string",
    "folder?: string",
    "folder: directory",
    "?.folder ??",
    "\"folder\"",
    "\"folders\"",
    "'folder'",
    "`folder`",
    "`folders`",
    "folder-uri",
    "-folder",
    "sentFolder",
];

/// Files that say what a word was replaced by, keep what others printed or wrote, or are about programs of others.
const EXEMPT: &[&str] = &[
    "CHANGELOG.md",
    "docs/style.md",
    "docs/performance/",
    "benchmark/outputs/",
    "crates/programs/",
    "fixtures/",
    "package-lock.json",
    "xtask/src/check/",
];

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    { project.files.iter() }
        .filter(|file| !EXEMPT.iter().any(|exempt| file.path.starts_with(exempt)))
        .flat_map(check_file)
        .collect()
}

fn check_file(file: &TextFile) -> Vec<Violation> {
    let is_rust = file.path.ends_with(".rs");
    let lines = file.text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| {
        let mut rest = line.to_owned();
        for name in ELSEWHERE {
            rest = rest.replace(name, "");
        }
        let rest = rest.to_lowercase();
        let words = RETIRED.iter().filter(move |(word, _)| rest.contains(word));
        let names = NAMES
            .iter()
            .filter(move |(name, _)| is_rust && has_word(line, name));
        words
            .chain(names)
            .map(move |(old, new)| (index + 1, format!("`{old}` is `{new}` here")))
    });
    found
        .map(|(line, rule)| Violation::new(&file.path, line, rule))
        .collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_words_are_found_wherever_they_are_ours() {
        let project = Project::of(&[
            ("README.md", "A folder.\nSub-commands of git.\n"),
            (
                "crates/a/src/lib.rs",
                "struct Veil;\nlet Veiled = \"workspaceFolders\";\nlet my_folder = 1;\n",
            ),
            ("js/a.js", "const { folder: directory } = preview\n"),
            ("CHANGELOG.md", "folder\n"),
        ]);
        let told: Vec<String> = check(&project).iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "README.md:1: `folder` is `directory` here",
                "README.md:2: `sub-command` is `subcommand` here",
                "crates/a/src/lib.rs:1: `Veil` is `PathFilter` here",
                "crates/a/src/lib.rs:3: `folder` is `directory` here",
            ]
        );
    }
}
