//! The names of commands of npm, which takes abbreviations.

use std::sync::LazyLock;

use tenon_programs::Subcommand;

/// The commands of npm with their names of one word, in the order of the commands.
static COMMANDS: LazyLock<Vec<(&'static str, &'static Subcommand)>> = LazyLock::new(|| {
    let npm = tenon_programs::find("npm").into_iter();
    let commands = npm.flat_map(|npm| npm.commands);
    let single = commands.filter(|command| command.name.len() == 1);
    let names = single.flat_map(|command| {
        let names = command.names().filter(|name| name.len() == 1);
        names.flatten().map(move |name| (*name, command))
    });
    names.collect()
});

fn commands() -> impl Iterator<Item = (&'static str, &'static Subcommand)> {
    COMMANDS.iter().copied()
}

fn own_name(command: &'static Subcommand) -> &'static str {
    command.name.first().copied().unwrap_or_default()
}

/// The command that npm takes this word for, where it is another one: an alias, an abbreviation.
pub(crate) fn manual_name(word: &str) -> Option<&'static str> {
    let mut name = String::with_capacity(word.len());
    for letter in word.chars() {
        if letter.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if name.is_empty() || commands().any(|(_, command)| own_name(command) == word) {
        return None;
    }
    let exact = commands().find(|(own, _)| *own == name);
    let begins = || commands().filter(|(own, _)| own.starts_with(&name));
    let command = || begins().find(|(own, command)| *own == own_name(command));
    let found = exact.or_else(command).or_else(|| begins().next());
    found.map(|(_, command)| own_name(command))
}

/// The other names of a command of npm that is given by an abbreviation, where not every version of npm takes that abbreviation.
pub(crate) fn npm_names(word: &str) -> Vec<&'static str> {
    let listed = commands().any(|(own, _)| own == word);
    let Some(manual) = manual_name(word).filter(|_| !listed) else {
        return Vec::new();
    };
    let names = commands().filter(|(_, command)| own_name(command) == manual);
    names.map(|(name, _)| name).collect()
}
