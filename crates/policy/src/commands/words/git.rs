//! What git does, by its words.

use tenon_shell::{Invocation, Word};

use crate::glob::Token;
use crate::program_names::name_of;

/// Programs that start git in the directory that they run in.
pub(crate) const STARTING_GIT: &[&str] = &["git", "gh", "glab", "hub", "tig", "lazygit", "gitui"];

/// Subcommands of git that only show something.
const SHOWING: &[&str] = &[
    "annotate",
    "blame",
    "cat-file",
    "cherry",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "whatchanged",
];

/// Whether a command of git only shows something.
pub(crate) fn only_shows(words: &[Word]) -> bool {
    words
        .get(1)
        .and_then(Word::literal)
        .is_some_and(|name| SHOWING.contains(&name))
}

/// Subcommands of git that are there to change the working tree: a rule that allows them means that they write.
pub(crate) fn is_work(words: &[Word]) -> bool {
    let work = [
        "mv",
        "clone",
        "checkout",
        "restore",
        "switch",
        "worktree",
        "submodule",
        "init",
        "rm",
        "clean",
        "commit",
        "notes",
        "tag",
    ];
    name_of(words) == Some("git")
        && words
            .get(1)
            .and_then(Word::literal)
            .is_some_and(|name| work.contains(&name))
}

/// Subcommands of git that make whole trees in a directory that they are given, which need not be in the workspace.
pub(crate) fn makes_trees(words: &[Word]) -> bool {
    let name = words.get(1).and_then(Word::literal);
    name.is_some_and(|name| matches!(name, "clone" | "init" | "worktree" | "submodule"))
}

/// Whether the options of git name another repository or another work tree than it finds.
pub(crate) fn is_led_elsewhere(invocation: &Invocation) -> bool {
    invocation.words.iter().any(|word| {
        let text = word.prefix();
        text.starts_with("--git-dir") || text.starts_with("--work-tree")
    })
}

/// A pattern of git as tokens: its stars cross directories. A class counts as any letter.
pub(crate) fn tokens(pattern: &str) -> Vec<Token> {
    let mut letters = pattern.chars();
    let mut tokens = Vec::new();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            '*' => Token::AnyRun,
            '?' => Token::AnyOne,
            '[' => {
                let _members = letters.by_ref().skip(1).find(|letter| *letter == ']');
                Token::AnyOne
            }
            '\\' => Token::Character(letters.next().unwrap_or('\\')),
            letter => Token::Character(letter),
        });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glob::tokens_match;

    #[test]
    fn stars_of_git_cross_directories() {
        let matches = |pattern: &str, name: &str| tokens_match(&tokens(pattern), name);
        assert!(matches("*.ts", "src/deep/a.ts"));
        assert!(matches("src/*", "src/deep/a.ts"));
        assert!(matches("s?c/[ab].ts", "src/a.ts"));
        assert!(matches("s\\*c", "s*c"));
        assert!(!matches("s\\*c", "src"));
        assert!(!matches("*.js", "src/a.ts"));
    }
}
