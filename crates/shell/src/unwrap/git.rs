//! Arguments of git that run a program, or make git run one later.

mod config;

use tenon_programs::{CommandTraits, Subcommand};

use super::options::{find_known_running, find_running, is_long};
use crate::span::Span;
use crate::word::Word;

/// What runs a program: a subcommand that is not known (an alias, a helper), an option, an address of a helper, a
/// setting.
pub(super) fn find(words: &[Word]) -> Option<Span> {
    let (command, rest) = words.split_first()?;
    let Some(name) = command.literal() else {
        return Some(command.span);
    };
    // The options of git itself, which are read elsewhere, without a subcommand.
    if name.starts_with('-') {
        return None;
    }
    let known = tenon_programs::find("git").and_then(|git| git.command([Some(name)].into_iter()));
    let Some((known, _)) = known else {
        return Some(command.span);
    };
    if (name == "config" && config::writes(rest)) || has_another_verb(known, rest) {
        return Some(command.span);
    }
    let talks = known.is(CommandTraits::ADDRESSES);
    let reaches_out = |word: &&Word| {
        let text = word.prefix();
        (talks && names_helper(&text))
            || is_long(text.strip_prefix("--").unwrap_or_default(), &["ext-diff"])
    };
    let complete = known.is(CommandTraits::COMPLETE);
    rest.iter()
        .find(reaches_out)
        .map(|word| word.span)
        .or_else(|| other_strategy(name, rest))
        .or_else(|| match complete {
            true => find_running(known.options, rest),
            false => find_known_running(known.options, rest),
        })
}

/// Whether the word behind the subcommand and its options is none that is known to run nothing.
fn has_another_verb(command: &Subcommand, rest: &[Word]) -> bool {
    let verbs = command.verbs;
    if verbs.is_empty() {
        return false;
    }
    let is_option = |word: &&Word| word.prefix().starts_with('-');
    if command.is(CommandTraits::NO_OPTIONS_FIRST)
        && rest.first().is_some_and(|word| is_option(&word))
    {
        return true;
    }
    let verb = rest.iter().find(|word| !is_option(word));
    verb.is_some_and(|verb| !verb.literal().is_some_and(|verb| verbs.contains(&verb)))
}

/// A strategy that is none of git's own: git runs `git-merge-NAME`, in the directory if it has a slash.
fn other_strategy(name: &str, rest: &[Word]) -> Option<Span> {
    let short = matches!(name, "merge" | "pull" | "rebase");
    if !short && !matches!(name, "cherry-pick" | "revert") {
        return None;
    }
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        let attached = match text.strip_prefix("--") {
            Some("") => return None,
            Some(long) => match long.split_once('=') {
                Some((option, value)) if is_strategy(option) => Some(value.to_owned()),
                None if is_strategy(long) => None,
                _ => continue,
            },
            None if short && text.starts_with("-s") => text
                .get(2..)
                .filter(|value| !value.is_empty())
                .map(str::to_owned),
            None => continue,
        };
        let value = match attached {
            Some(value) => word.literal().map(|_| value),
            None => words.next().and_then(Word::literal).map(str::to_owned),
        };
        let own = ["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
        if !value.is_some_and(|value| own.contains(&value.as_str())) {
            return Some(word.span);
        }
    }
    None
}

fn is_strategy(option: &str) -> bool {
    option.len() >= 3 && "strategy".starts_with(option)
}

/// `HELPER::ADDRESS` starts `git-remote-HELPER`, of which `ext` runs any command.
fn names_helper(text: &str) -> bool {
    let Some((helper, _)) = text.split_once("::") else {
        return false;
    };
    let helper = helper.rsplit('=').next().unwrap_or_default();
    matches!(helper, "ext" | "fd")
}

/// `--git-dir` that leads to anything but a directory `.git` below: the configuration there runs programs.
pub(super) fn other_repository(words: &[Word]) -> Option<Span> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.prefix();
        let value = match text.strip_prefix("--git-dir") {
            Some("") => words.next()?,
            Some(_) => word,
            None if text.starts_with('-') => continue,
            None => return None,
        };
        let path = value
            .literal()
            .map(|text| text.trim_start_matches("--git-dir="));
        let inside = path.is_some_and(|path| {
            !path.starts_with('/')
                && !path.split('/').any(|part| part == "..")
                && path.trim_end_matches('/').rsplit('/').next() == Some(".git")
        });
        if !inside {
            return Some(value.span);
        }
    }
    None
}
