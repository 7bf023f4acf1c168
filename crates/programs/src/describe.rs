//! What the catalogue knows of one program, for people: `tenon explain --program tar`.

use std::fmt;

use serde::Serialize;

use crate::catalogue::{examples, find};
use crate::command::Subcommand;
use crate::effects::Effects;
use crate::mode::Mode;
use crate::names::{facts_name, known_aliases};
use crate::program::{Links, Opt, Program, Runs, Value};
use crate::row::role_text;

/// What the catalogue knows of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramDescription {
    /// The name by which it is known: `tar` of `gtar`.
    pub program: String,
    /// Where the facts are from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Programs of which the same is known, and other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What it is, in the words of the catalogue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<&'static str>,
    /// What it runs behind its own arguments, if it is there for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// What its operands are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operands: Option<String>,
    /// What it does below a directory that an operand names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    /// Its options by what they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionsThat>,
    /// The options between its name and a subcommand, or the command that it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<OptionsThat>,
    /// Its subcommands, and the modes that an option selects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subcommands: Vec<SubcommandDescription>,
    /// Commands with what they do; each is a test.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<[&'static str; 2]>,
}

/// Options that do one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptionsThat {
    /// What they do: `read`, `write`, `exec`; `flag` and `value` are those that only have or have no value.
    pub does: &'static str,
    /// The options, as the catalogue writes them: `-f=` has a value, `--color[=]` in the same word only.
    pub options: Vec<String>,
}

/// What the catalogue knows of a subcommand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubcommandDescription {
    /// Its name and its other names, or the options that select it.
    pub names: Vec<String>,
    /// What it is, in the words of the catalogue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<&'static str>,
    /// What its operands are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operands: Option<String>,
    /// Its options by what they do, beside those of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<OptionsThat>,
}

/// What the catalogue knows of a program, given one of its names; `None` for one that is not in it.
///
/// ```
/// let tar = tenon_programs::describe("gtar").expect("tar is in the catalogue");
/// assert_eq!(tar.program, "tar");
/// assert!(tar.to_string().contains("-C="));
/// ```
#[must_use]
pub fn describe(name: &str) -> Option<ProgramDescription> {
    let known = facts_name(name);
    let program = find(known)?;
    let others = program.names.iter().map(|own| (*own).to_owned());
    let aliases = known_aliases().filter(|(_, of)| *of == known);
    let mut also: Vec<String> = others.chain(aliases.map(|(alias, _)| alias)).collect();
    also.retain(|other| other != known);
    let first = program.names.first();
    let examples = examples().filter(|example| Some(&example.program) == first);
    let before = program
        .before
        .iter()
        .flat_map(|before| by_effect(before.options));
    Some(ProgramDescription {
        program: known.to_owned(),
        source: program.source.to_owned(),
        also,
        traits: program.traits.names().collect(),
        runs: program.wrapper.map(|wrapper| runs(wrapper.runs).to_owned()),
        operands: program.operands.as_ref().map(role_text),
        below: below(program),
        options: by_effect(program.options),
        before: before.collect(),
        subcommands: program
            .commands
            .iter()
            .map(|command| subcommand(program, command))
            .chain(program.modes.iter().map(|mode| mode_of(program, mode)))
            .collect(),
        examples: examples
            .map(|example| [example.command, example.effects])
            .collect(),
    })
}

fn runs(runs: Runs) -> &'static str {
    match runs {
        Runs::Command | Runs::Package | Runs::Applet => "the command behind its options",
        Runs::Text => "a shell with its operands as the text",
        Runs::Texts => "shells with its operands as texts",
        Runs::Names => "the command behind its options, with names that it reads",
        Runs::Marked => "a shell with a text and what it reads",
        Runs::Shell => "a shell",
    }
}

fn below(program: &Program) -> Option<String> {
    let below = program.below?;
    let uses = [
        (below.reads, "read"),
        (below.writes, "write"),
        (below.deletes, "delete"),
        (below.here, "from the working directory"),
        (below.by_option, "with an option"),
        (
            program.links == Links::ByOption,
            "through links with an option",
        ),
        (program.links == Links::UnlessOption, "through links"),
    ];
    let uses = uses.iter().filter(|(is, _)| *is).map(|(_, name)| *name);
    Some(uses.collect::<Vec<_>>().join(", "))
}

fn subcommand(program: &Program, command: &Subcommand) -> SubcommandDescription {
    let own = command.options.iter();
    let own: Vec<Opt> = own
        .filter(|option| !program.options.contains(option))
        .copied()
        .collect();
    SubcommandDescription {
        names: command.names().map(|name| name.join(" ")).collect(),
        traits: command.traits.names().collect(),
        operands: command.operands.as_ref().map(role_text),
        options: by_effect(&own),
    }
}

/// A mode, which has the options that select it in the place of names.
fn mode_of(program: &Program, mode: &Mode) -> SubcommandDescription {
    let own = mode.options.iter();
    let own = own.filter(|option| !program.options.contains(option));
    let by = program.options.iter();
    let by = by.filter(|option| mode.by.contains(&option.name));
    SubcommandDescription {
        names: by.map(written).collect(),
        traits: Vec::new(),
        operands: mode.operands.as_ref().map(role_text),
        options: by_effect(&own.copied().collect::<Vec<_>>()),
    }
}

/// Options by what they do, those that do nothing last.
fn by_effect(options: &[Opt]) -> Vec<OptionsThat> {
    let of = |does, test: &dyn Fn(&Opt) -> bool| {
        let those = options.iter().filter(|option| test(option));
        let options: Vec<String> = those.map(written).collect();
        (!options.is_empty()).then_some(OptionsThat { does, options })
    };
    let effects = Effects::NAMED.iter();
    let effects =
        effects.filter_map(|(name, effect)| of(name, &|option| option.effects.has(*effect)));
    let plain = |option: &Opt| option.effects.is_empty();
    let rest = [
        of("value", &|option| {
            plain(option) && !matches!(option.value, Value::None | Value::Unknown)
        }),
        of("flag", &|option| {
            plain(option) && option.value == Value::None
        }),
        of("known", &|option| {
            plain(option) && option.value == Value::Unknown
        }),
    ];
    effects.chain(rest.into_iter().flatten()).collect()
}

/// An option as the catalogue writes it.
fn written(option: &Opt) -> String {
    let is_letter = option.name.chars().nth(1).is_none();
    let dashes = if is_letter == option.any_dashes {
        "--"
    } else {
        "-"
    };
    let shape = match option.value {
        Value::None => "",
        Value::Next => "=",
        Value::Attached => "[=]",
        Value::Glued => "=+",
        Value::Optional => "=?",
        Value::Unknown => "?",
    };
    format!("{dashes}{}{shape}", option.name)
}

impl fmt::Display for ProgramDescription {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.program)?;
        if !self.source.is_empty() {
            write!(to, " ({})", self.source)?;
        }
        writeln!(to)?;
        let facts = [
            (
                "also",
                Some(self.also.join(" ")).filter(|names| !names.is_empty()),
            ),
            (
                "is",
                Some(self.traits.join(" ")).filter(|names| !names.is_empty()),
            ),
            ("runs", self.runs.clone()),
            ("operands", self.operands.clone()),
            ("below directories", self.below.clone()),
        ];
        for (name, fact) in facts {
            if let Some(fact) = fact {
                writeln!(to, "  {name}: {fact}")?;
            }
        }
        write_options(to, "  ", "options", &self.options)?;
        write_options(to, "  ", "options before the command", &self.before)?;
        for command in &self.subcommands {
            writeln!(to, "  {} {}", self.program, command.names.join(", "))?;
            if !command.traits.is_empty() {
                writeln!(to, "    is: {}", command.traits.join(" "))?;
            }
            if let Some(operands) = &command.operands {
                writeln!(to, "    operands: {operands}")?;
            }
            write_options(to, "    ", "options", &command.options)?;
        }
        if !self.examples.is_empty() {
            writeln!(to, "  examples:")?;
        }
        for [command, effects] in &self.examples {
            let effects = if effects.is_empty() {
                "nothing"
            } else {
                effects
            };
            writeln!(to, "    {command}: {effects}")?;
        }
        Ok(())
    }
}

fn write_options(
    to: &mut fmt::Formatter<'_>,
    indent: &str,
    title: &str,
    options: &[OptionsThat],
) -> fmt::Result {
    if options.is_empty() {
        return Ok(());
    }
    writeln!(to, "{indent}{title}:")?;
    for OptionsThat { does, options } in options {
        writeln!(
            to,
            "{indent}  {}: {}",
            does.replace('_', " "),
            options.join(" ")
        )?;
    }
    Ok(())
}
