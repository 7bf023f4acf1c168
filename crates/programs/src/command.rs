//! Subcommands of a program, and the options before them.

use crate::effects::{CommandTraits, Effects};
use crate::parse::{Argument, parse};
use crate::program::{Operands, Opt, Program, Role, Wrapper};

/// Words with which a subcommand begins: `container`, `run`.
pub type Name = &'static [&'static str];

/// Options between the name of a program and its subcommand.
#[derive(Debug)]
pub struct Before {
    /// The programs that have them, by their own names (see [`program_name`](crate::program_name)); none for all that no other
    /// entry has.
    pub programs: &'static [&'static str],
    /// The options, all that there are.
    pub options: &'static [Opt],
}

/// A subcommand.
#[derive(Debug)]
pub struct Subcommand {
    /// Its name.
    pub name: Name,
    /// Its other names.
    pub aliases: &'static [Name],
    /// Subcommands of which one does what the other does, and perhaps more.
    pub alike: &'static [Name],
    /// Its options, those of all subcommands of the program included.
    pub options: &'static [Opt],
    /// What its operands are; `None` where nothing is known of them.
    pub operands: Option<Operands>,
    /// The words that may follow it without that something is run; another one may run something, if there are any.
    pub verbs: &'static [&'static str],
    /// What it is.
    pub traits: CommandTraits,
    /// How it runs the command behind its options, which are all that it has, if it is there for that.
    pub wrapper: Option<Wrapper>,
}

impl Subcommand {
    /// The option of this name, without dashes.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// Whether the option of this name has one of these effects.
    #[must_use]
    pub fn does(&self, name: &str, effects: Effects) -> bool {
        self.option(name)
            .is_some_and(|option| option.effects.has(effects))
    }

    /// The options that have one of these effects.
    pub fn options_that(&self, effects: Effects) -> impl Iterator<Item = &'static Opt> {
        let options = self.options.iter();
        options.filter(move |option| option.effects.has(effects))
    }

    /// Whether it is one of these.
    #[must_use]
    pub const fn is(&self, traits: CommandTraits) -> bool {
        self.traits.has(traits)
    }

    /// Whether it moves: what it reads it deletes.
    #[must_use]
    pub fn moves(&self) -> bool {
        let role = self.operands.map(|operands| operands.role);
        matches!(role, Some(Role::Move | Role::MoveAddress | Role::MoveName))
    }

    /// Its name and its other names.
    pub fn names(&self) -> impl Iterator<Item = Name> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

impl Program {
    /// The options between the name and a subcommand, of the program with this name of its own; `None` where they are not known.
    #[must_use]
    pub fn options_before(&self, own: &str) -> Option<&'static [Opt]> {
        let mut entries = self.before.iter();
        let named = entries.clone().find(|entry| entry.programs.contains(&own));
        let entry = named.or_else(|| entries.find(|entry| entry.programs.is_empty()))?;
        Some(entry.options)
    }

    /// The subcommands with which these words begin, by any of their names, and how many words that are.
    pub fn commands_of<'n>(
        &self,
        mut words: impl Iterator<Item = Option<&'n str>> + Clone,
    ) -> impl Iterator<Item = (&'static Subcommand, usize)> {
        let first = words.next().flatten();
        let begins = move |name: &[&str]| {
            let mut behind = words.clone();
            let mut rest = name.iter().skip(1);
            rest.all(|word| behind.next() == Some(Some(word)))
        };
        let starts = |entry: &(Name, usize)| entry.0.first().copied().unwrap_or_default();
        let start = self
            .command_names
            .partition_point(|entry| starts(entry) < first.unwrap_or_default());
        let names = self.command_names.get(start..).unwrap_or_default().iter();
        let near = names.take_while(move |entry| Some(starts(entry)) == first);
        near.filter(move |(name, _)| begins(name))
            .filter_map(|(name, place)| Some((self.commands.get(*place)?, name.len())))
    }

    /// Whether a subcommand has this name, or begins with it.
    #[must_use]
    pub fn has_commands(&self, name: &str) -> bool {
        self.command_names
            .binary_search_by_key(&name, |(own, _)| own.first().copied().unwrap_or_default())
            .is_ok()
    }

    /// Of these subcommands the one with the most words.
    pub fn command<'n>(
        &self,
        words: impl Iterator<Item = Option<&'n str>> + Clone,
    ) -> Option<(&'static Subcommand, usize)> {
        self.commands_of(words).max_by_key(|(_, words)| *words)
    }

    /// The subcommand of these arguments, which may have options of the program before it, and the number of operands that name it.
    #[must_use]
    pub fn command_of<W: Argument>(&self, arguments: &[W]) -> Option<(&'static Subcommand, usize)> {
        if self.commands.is_empty() {
            return None;
        }
        let parsed = parse(self.options, arguments);
        self.command(parsed.operands.iter().map(|word| word.literal()))
    }

    /// Whether this key can be set by an option [`Effects::CONFIG`] without running anything, perhaps only to the value that it is
    /// given for this one call. Ignores the case of keys.
    #[must_use]
    pub fn is_harmless_setting(&self, key: &str, value: Option<&str>) -> bool {
        let key = key.to_ascii_lowercase();
        self.settings.iter().any(|own| match own.split_once('=') {
            Some((own, only)) => key == own && value == Some(only),
            None if own.ends_with(['.', '_']) => key.starts_with(own),
            None if own.contains('*') => own.split_once('*').is_some_and(|(start, end)| {
                let between = key
                    .strip_prefix(start)
                    .and_then(|key| key.strip_suffix(end));
                between.is_some_and(|name| !name.is_empty())
            }),
            None => key == *own,
        })
    }
}
