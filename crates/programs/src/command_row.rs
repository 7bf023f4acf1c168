//! Subcommands as they are written in the catalogue.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::effects::CommandTraits;
use crate::program::{Operands, Wrapper};
use crate::row::{Problem, Row, Written, names_of, read_operands, read_options, with_options_of};

/// A subcommand, or several that are alike in all that is known of them: `[command."log, show"]`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramCommandRow")]
pub struct CommandRow {
    /// Other names of the subcommand, with commas between them.
    pub aliases: String,
    /// Subcommands of which one does what the other does, and perhaps more.
    pub alike: String,
    /// The subcommand of the row whose facts hold for it as well, where it does not say another thing itself.
    pub like: String,
    /// What it is: `addresses`, `no_objects`, `own_commands`, `complete`, `no_options_first`.
    pub traits: String,
    /// What its operands are, behind its name.
    pub operands: String,
    /// Words that may follow it without that something is run.
    pub verbs: String,
    /// Its options by what they do, beside those of the row.
    pub options: BTreeMap<String, String>,
    /// How it runs the command behind its own arguments, where the trait `wrapper` does not say all. Only for rows of tenon.
    #[schemars(skip)]
    pub wrapper: Option<Wrapper>,
}

/// Options before the subcommand that only some programs of a row have.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramOnlyRow")]
pub struct OnlyRow {
    /// In place of those of the row.
    pub before: BTreeMap<String, String>,
    /// What these programs are beside what the row says of all. Only for rows of tenon.
    #[schemars(skip)]
    pub traits: String,
}

/// A subcommand that is right.
#[derive(Debug, Clone)]
pub struct WrittenCommand {
    /// The words of its name.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// See [`CommandRow::alike`].
    pub alike: Vec<String>,
    /// Its options.
    pub options: Vec<Written>,
    /// Its operands.
    pub operands: Option<Operands>,
    /// See [`CommandRow::verbs`].
    pub verbs: String,
    /// What it is.
    pub traits: CommandTraits,
    /// See [`CommandRow::wrapper`].
    pub wrapper: Option<Wrapper>,
}

/// The names of a list with commas.
fn list(text: &str) -> impl Iterator<Item = String> {
    let names = text.split(',');
    names
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|name| !name.is_empty())
}

/// The subcommands of a row.
pub(crate) fn read_commands(row: &Row) -> Result<Vec<WrittenCommand>, Problem> {
    let mut commands: Vec<WrittenCommand> = Vec::new();
    let shared = row.read_options()?;
    for (names, own) in &row.command {
        let own = resolved(row, own, 0)?;
        let traits = read_traits(&own.traits)?;
        let wraps = traits.has(CommandTraits::WRAPPER);
        let wrapper = own.wrapper.or(wraps.then(Wrapper::default));
        let traits = match wrapper {
            Some(_) => traits.with(CommandTraits::WRAPPER),
            None => traits,
        };
        let own_options = read_options(&own.options)?;
        let options = match traits.has(CommandTraits::COMPLETE) {
            true => own_options,
            false => merged(own_options, &shared),
        };
        let operands = read_operands(&own.operands, true)?;
        let names: Vec<String> = list(names).collect();
        if names.len() > 1 && !own.aliases.is_empty() {
            return Err(format!(
                "`[command.\"{}\"]` has `aliases` and several names. Give each its own table, with `like`.",
                names.join(", ")
            ));
        }
        for name in names {
            commands.push(WrittenCommand {
                name,
                aliases: list(&own.aliases).collect(),
                alike: list(&own.alike).collect(),
                options: options.clone(),
                operands,
                verbs: own.verbs.clone(),
                traits,
                wrapper,
            });
        }
    }
    for name in list(&row.subcommands) {
        commands.push(WrittenCommand {
            name,
            aliases: Vec::new(),
            alike: Vec::new(),
            options: shared.clone(),
            operands: None,
            verbs: String::new(),
            traits: CommandTraits::NONE,
            wrapper: None,
        });
    }
    commands.sort_by(|one, other| one.name.cmp(&other.name));
    check_names(&commands)?;
    alike_by_all_names(&mut commands);
    Ok(commands)
}

/// A name of two subcommands: which one would count?
fn check_names(commands: &[WrittenCommand]) -> Result<(), Problem> {
    let mut seen = std::collections::BTreeSet::new();
    let names = commands
        .iter()
        .flat_map(|command| std::iter::once(&command.name).chain(&command.aliases));
    for name in names {
        if !seen.insert(name) {
            return Err(format!(
                "the subcommand `{name}` is there twice. One table has it."
            ));
        }
    }
    let alike = commands.iter().flat_map(|command| &command.alike);
    let unknown = alike.into_iter().find(|name| !seen.contains(name));
    unknown.map_or(Ok(()), |name| {
        Err(format!(
            "`alike` names `{name}`, which is not a subcommand of the row."
        ))
    })
}

/// Which are alike is true in both directions, and of all their names.
fn alike_by_all_names(commands: &mut [WrittenCommand]) {
    let all: Vec<(Vec<String>, Vec<String>)> = commands
        .iter()
        .map(|command| {
            let mut names = vec![command.name.clone()];
            names.extend(command.aliases.iter().cloned());
            (names, command.alike.clone())
        })
        .collect();
    for command in commands {
        let is_of = |list: &[String]| list.contains(&command.name);
        let mut alike: Vec<String> = all
            .iter()
            .filter(|(names, theirs)| {
                let theirs_is_this = theirs
                    .iter()
                    .any(|name| command.name == *name || command.aliases.contains(name));
                theirs_is_this || names.iter().any(|name| command.alike.contains(name))
            })
            .filter(|(names, _)| !is_of(names))
            .flat_map(|(names, _)| names.iter().cloned())
            .collect();
        alike.sort();
        alike.dedup();
        command.alike = alike;
    }
}

/// A subcommand with what it has from the one that it is like.
fn resolved(row: &Row, own: &CommandRow, depth: usize) -> Result<CommandRow, Problem> {
    if own.like.is_empty() {
        return Ok(own.clone());
    }
    let named = |names: &&String| list(names).any(|name| name == own.like);
    let other = row.command.keys().find(named);
    let other = other.and_then(|names| row.command.get(names));
    let Some(other) = other.filter(|_| depth < row.command.len()) else {
        return Err(format!(
            "`like = \"{}\"` does not lead to another subcommand of the row.",
            own.like
        ));
    };
    let other = resolved(row, other, depth + 1)?;
    let mut own = own.clone();
    own.take_from(&other);
    Ok(own)
}

impl CommandRow {
    /// Takes what it does not state itself from another subcommand.
    pub(crate) fn take_from(&mut self, other: &Self) {
        for (own, other) in [
            (&mut self.traits, &other.traits),
            (&mut self.operands, &other.operands),
            (&mut self.verbs, &other.verbs),
        ] {
            if own.is_empty() {
                own.clone_from(other);
            }
        }
        self.options = with_options_of(&self.options, &other.options);
        self.wrapper = self.wrapper.or(other.wrapper);
        self.like.clear();
    }
}

/// The subcommand of this name of a row, with what it has from others.
pub(crate) fn command_of_row(row: &Row, name: &str) -> Result<CommandRow, Problem> {
    let named = |names: &&String| list(names).any(|own| own == name);
    let own = row.command.keys().find(named);
    let own = own.and_then(|names| row.command.get(names));
    own.map_or_else(
        || {
            Err(format!(
                "`like` leads to `{name}`, which is not a subcommand of that program."
            ))
        },
        |own| resolved(row, own, 0),
    )
}

/// Options with those of another list that are not among them, those with a value first.
pub(crate) fn merged(mut own: Vec<Written>, others: &[Written]) -> Vec<Written> {
    for other in others {
        if !own.iter().any(|option| option.name == other.name) {
            own.push(other.clone());
        }
    }
    crate::row::sort(&mut own);
    own
}

fn read_traits(words: &str) -> Result<CommandTraits, Problem> {
    let mut traits = CommandTraits::NONE;
    for word in words.split_whitespace() {
        let known = CommandTraits::NAMED.iter().find(|(name, _)| *name == word);
        let (_, found) = known.ok_or_else(|| {
            let all = names_of(CommandTraits::NAMED.iter().map(|(name, _)| *name));
            format!("`{word}` is not a trait of subcommands. Use {all}.")
        })?;
        traits = traits.with(*found);
    }
    Ok(traits)
}
