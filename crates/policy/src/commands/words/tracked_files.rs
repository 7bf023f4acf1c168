//! Names of tracked files that git lists: `git ls-files | xargs wc -l`, `$(git ls-files '*.ts')`.
//!
//! They stand in the index, so a rule about a file that is not tracked needs nobody's answer, as long as what is tracked is
//! there as it is tracked: a link in the place of a file leads to another one.

use tenon_programs::CommandTraits;
use tenon_programs::words::git::LISTING;
use tenon_shell::{Examination, Invocation, Word};

use crate::commands::words::git::STARTING_GIT;
use crate::commands::words::git_is;

/// From where the names continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GitListing {
    /// The directory in which git runs.
    Here,
    /// The top of the work tree.
    FromTop,
}

/// What a command lists of the index, if it prints nothing but names from it. Operands narrow it; those that lead
/// out of the directory make other names of it.
pub(crate) fn git_listing(words: &[Word]) -> Option<GitListing> {
    let mut texts = words.iter().map(Word::literal);
    if texts.next()?? != "git" {
        return None;
    }
    let command = texts.next()??;
    let rest: Vec<&str> = texts.collect::<Option<_>>()?;
    match command {
        "ls-files" => {
            let end = rest.iter().position(|text| *text == "--");
            let (options, behind) = rest.split_at(end.unwrap_or(rest.len()));
            let is_known =
                |text: &&str| LISTING.contains(text) || (!text.starts_with('-') && stays(text));
            let plain = options.iter().all(is_known) && behind.iter().all(|text| stays(text));
            plain.then_some(GitListing::Here)
        }
        // Without a revision it compares the work tree with the index.
        "diff" => {
            let is_known = |text: &&str| {
                matches!(*text, "--name-only" | "-z") || text.starts_with("--diff-filter=")
            };
            let plain = rest.contains(&"--name-only") && rest.iter().all(is_known);
            plain.then_some(GitListing::FromTop)
        }
        // A setting can make its names begin at the top.
        "grep" => greps_names(&rest).then_some(GitListing::FromTop),
        _ => None,
    }
}

/// Whether a pathspec stays in the directory.
fn stays(text: &str) -> bool {
    !text.starts_with([':', '/']) && !text.split('/').any(|part| part == "..")
}

/// Whether `git grep` prints nothing but names from the index. A second operand can be a revision.
fn greps_names(arguments: &[&str]) -> bool {
    let (mut lists, mut patterns, mut operands) = (false, 0, 0);
    let mut rest = arguments.iter();
    while let Some(text) = rest.next() {
        match *text {
            "-l" | "--name-only" | "--files-with-matches" => lists = true,
            "-z" => {}
            "-e" => {
                patterns += 1;
                rest.next();
            }
            "--" => {
                let is_one = patterns == 0 && operands == 1 || patterns > 0 && operands == 0;
                return lists && is_one && rest.all(|text| stays(text));
            }
            text => match text.strip_prefix('-') {
                Some(letters) => {
                    lists |= letters.contains('l');
                    let is_known = |letter| "liwEFPGI".contains(letter);
                    if letters.is_empty() || !letters.chars().all(is_known) {
                        return false;
                    }
                }
                None => operands += 1,
            },
        }
    }
    lists && (patterns == 0 && operands == 1 || patterns > 0 && operands == 0)
}

/// How many commands of these texts may change which names stand in the index.
pub(crate) fn index_changes(examination: &Examination) -> usize {
    let may_change = |command: &&Invocation| {
        let words = command.normalized_words();
        const KEEPING: CommandTraits = CommandTraits::SHOWS.with(CommandTraits::KEEPS_INDEX);
        command
            .base_name()
            .is_some_and(|name| STARTING_GIT.contains(&name))
            && !git_is(words, KEEPING)
    };
    examination.commands().filter(may_change).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_list_plain_names_of_the_index_count() {
        crate::commands::words::table::each_row("Names that git prints", |words| {
            match git_listing(words) {
                Some(GitListing::Here) => "from here",
                Some(GitListing::FromTop) => "from the top",
                None => "others",
            }
            .to_owned()
        });
    }
}
