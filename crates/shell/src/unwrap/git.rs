//! Arguments of git that run a program, or make git run one later.

mod config;

use tenon_programs::{CommandTraits, Given, Subcommand, parse, parse_before};

use super::options::{find_known_running, find_running, is_long, value_of};
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
    if (name == "config" && config::writes(known, rest)) || has_another_verb(known, rest) {
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
        .or_else(|| other_strategy(known, rest))
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
fn other_strategy(command: &Subcommand, rest: &[Word]) -> Option<Span> {
    const OWN: [&str; 6] = ["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
    command.option("strategy")?;
    // The letter of these signs a commit.
    let signs = matches!(command.name, ["cherry-pick" | "revert"]);
    let is_other = |given: &&Given<'_, Word>| {
        let is_strategy = given.name == "strategy" || given.name == "s" && !signs;
        is_strategy
            && !given
                .value_literal()
                .is_some_and(|value| OWN.contains(&value))
    };
    let parsed = parse(command.options, rest);
    let found = parsed.options.iter().find(is_other);
    found.map(|given| given.word.span)
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
    let options = tenon_programs::find("git")?.options_before("git")?;
    let parsed = parse_before(options, words.get(1..)?);
    let is_inside = |path: &str| {
        !path.starts_with('/')
            && !path.split('/').any(|part| part == "..")
            && path.trim_end_matches('/').rsplit('/').next() == Some(".git")
    };
    let mut given = parsed
        .options
        .iter()
        .filter(|given| given.name == "git-dir");
    let other = given.find(|given| !given.value_literal().is_some_and(is_inside))?;
    value_of(other).map(|value| value.span)
}
