//! What git does, by its words.

use std::sync::LazyLock;

use hashbrown::HashMap;
use tenon_programs::{CommandTraits, Subcommand};
use tenon_shell::{Invocation, Word, git_keeps_files};

use crate::glob::Token;

/// Programs that start git in the directory that they run in.
pub(crate) const STARTING_GIT: &[&str] = &["git", "gh", "glab", "hub", "tig", "lazygit", "gitui"];

/// The subcommand of git of this name.
pub(crate) fn git_command(name: &str) -> Option<&'static Subcommand> {
    GIT.get(name).copied()
}

static GIT: LazyLock<HashMap<&'static str, &'static Subcommand>> = LazyLock::new(|| {
    let git = tenon_programs::find("git").into_iter();
    let commands = git.flat_map(|git| git.commands);
    let names = commands.flat_map(|command| command.names().map(move |name| (name, command)));
    let single = names.filter_map(|(name, command)| match name {
        [name] => Some((*name, command)),
        _ => None,
    });
    single.collect()
});

/// The subcommand that git is given.
pub(crate) fn subcommand(words: &[Word]) -> Option<&'static Subcommand> {
    words.get(1).and_then(Word::literal).and_then(git_command)
}

/// Whether a subcommand of git is one of these.
pub(crate) fn git_is(words: &[Word], traits: CommandTraits) -> bool {
    subcommand(words).is_some_and(|command| command.is(traits))
}

/// Whether git changes no file that its operands name.
pub(crate) fn keeps_files(words: &[Word]) -> bool {
    const KEEPING: CommandTraits = CommandTraits::SHOWS.with(CommandTraits::KEEPS_FILES);
    git_is(words, KEEPING) || git_keeps_files(words.get(1..).unwrap_or_default())
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
