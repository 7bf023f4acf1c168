//! Words that the code has given up for the field's own: nowhere in code, comments and documents.

use super::Violation;
use super::project::{Project, TextFile};

/// What is said now, beside the parts of words that are not said any more, in small letters.
const RETIRED: &[(&str, &str)] = &[("folder", "directory"), ("sub-command", "subcommand")];

/// Words of a translated grammar, as whole words of sentences and as parts of names. What programs and users say is not ours.
const WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("at hand", "available"),
    ("glance", "check"),
    ("goes the way of", "is treated as"),
    ("heard", "received"),
    ("of which nothing is known", "unknown"),
    ("person", "user"),
    ("shall", "must"),
    ("tell", "say"),
    ("telling", "reporting"),
    ("tells", "reports"),
    ("told", "reported"),
    ("veil", "filter"),
    ("whoever", "the one who"),
];

/// Names of types and functions that had a private meaning, as whole words.
const NAMES: &[(&str, &str)] = &[
    ("Acting", "SensitiveOptions"),
    ("Anew", "Retry"),
    ("Aftermath", "PostEditDiagnostics"),
    ("Become", "Expansion"),
    ("Census", "ProcessSnapshot"),
    ("Circumstances", "CommandContext"),
    ("Drift", "ConcurrentChange"),
    ("Duty", "RequiredCheck"),
    ("Flights", "InFlight"),
    ("FolderView", "OpenDir"),
    ("Glance", "NameFilter"),
    ("Ground", "ToolServices"),
    ("HopJudge", "RedirectPolicy"),
    ("Hops", "Redirects"),
    ("HostPart", "HostCallback"),
    ("Knowledge", "FileFreshness"),
    ("Leader", "ShellProcess"),
    ("Looker", "LooserSearch"),
    ("Manner", "ApplyMode"),
    ("PatternNeed", "NgramQuery"),
    ("Ruling", "IgnoreMatch"),
    ("Rung", "MatchLevel"),
    ("Seam", "FailPoint"),
    ("Teller", "Reporter"),
    ("Telling", "RenderSink"),
    ("Toll", "KillStats"),
    ("Unfolded", "CountingReader"),
    ("Veil", "PathFilter"),
    ("plain_words", "normalized_words"),
    ("told_of_write", "write_message"),
];

/// Where a retired word is part of something that is not ours to name: an option of a program, a name of a protocol,
/// or a parameter that models know by it. And what a model is to do, plainly.
const ELSEWHERE: &[&str] = &[
    "ell the user",
    "\"tell\"",
    "workspaceFolder",
    "YARN_CACHE_FOLDER",
    "\"folder\"",
    "'folder'",
    "`folder`",
    "folder-uri",
    "-folder",
    "sentFolder",
];

/// Files that say what a word was replaced by, keep what others printed or wrote, or are about programs of others.
const EXEMPT: &[&str] = &[
    "CHANGELOG.md",
    "LICENSE",
    "docs/style.md",
    "docs/performance/",
    "benchmark/outputs/",
    "crates/dialects/proptest-regressions/",
    "crates/programs/catalogue/",
    "crates/programs/src/catalogue.txt",
    "crates/programs/src/words.rs",
    "docs/programs.md",
    "fixtures/",
    "npm/MUSL-COPYRIGHT.txt",
    "package-lock.json",
    "xtask/src/check/retired.rs",
    "xtask/src/check/words.rs",
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
        let parts = parts(&rest);
        let rest = rest.to_lowercase();
        let words = { RETIRED.iter() }
            .filter(move |(word, _)| rest.contains(word))
            .chain({ WORDS.iter() }.filter(move |(word, _)| has_word(&parts, word)));
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

/// The line in small letters, with the parts of its names as words: `is_told` and `toldOf` have `told` in them.
fn parts(line: &str) -> String {
    let mut parts = String::with_capacity(line.len() + 8);
    let mut was_small = false;
    for letter in line.chars() {
        if was_small && letter.is_uppercase() {
            parts.push(' ');
        }
        was_small = letter.is_lowercase();
        match letter {
            '_' => parts.push(' '),
            _ => parts.extend(letter.to_lowercase()),
        }
    }
    parts
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
            (
                "crates/a/src/b.rs",
                "/// What the model is told.\nfn is_told() {}\nlet untoldable = 1;\n",
            ),
            ("crates/search/src/a.rs", "/// What is at hand was told.\n"),
            (
                "crates/policy/src/a.rs",
                "/// Whether nothing can tell it: tell the user.\nstruct SomethingTold;\nlet teller = 1;\n",
            ),
            ("CHANGELOG.md", "folder\n"),
        ]);
        let found: Vec<String> = check(&project).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "README.md:1: `folder` is `directory` here",
                "README.md:2: `sub-command` is `subcommand` here",
                "crates/a/src/lib.rs:1: `veil` is `filter` here",
                "crates/a/src/lib.rs:1: `Veil` is `PathFilter` here",
                "crates/a/src/lib.rs:3: `folder` is `directory` here",
                "crates/a/src/b.rs:1: `told` is `reported` here",
                "crates/a/src/b.rs:2: `told` is `reported` here",
                "crates/search/src/a.rs:1: `at hand` is `available` here",
                "crates/search/src/a.rs:1: `told` is `reported` here",
                "crates/policy/src/a.rs:1: `tell` is `say` here",
                "crates/policy/src/a.rs:2: `told` is `reported` here",
            ]
        );
    }
}
