//! The catalogue as its files have it: what is generated from them. For `cargo xtask codegen` and the tests.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::catalogue::Table;
use crate::command_row::{WrittenCommand, command_of_row};
use crate::effects::{CommandTraits, Effects, Traits};
use crate::looks::{WrittenLook, read_looks};
use crate::mode::WrittenMode;
use crate::program::{Below, Operands, Role};
use crate::record::EXAMPLE;
use crate::row::{Problem, Row, Rows, Written, read_links, role_text};
use crate::word_lists;
use crate::written_record::{line, words, written};

/// A file of the catalogue.
#[derive(Debug, Clone)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// What is generated from the files.
#[derive(Debug)]
pub struct Generated {
    /// `src/catalogue.txt`.
    pub text: String,
    /// `docs/programs.md`.
    pub page: String,
    /// `src/words.rs`.
    pub words: String,
}

/// Reads the files and writes what is generated from them.
///
/// # Errors
///
/// All that is wrong with the files, one sentence each.
pub fn generate(files: &[File]) -> Result<Generated, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut rows: Vec<(String, Row)> = Vec::new();
    let mut lists = String::new();
    for file in files {
        if file.name.ends_with(word_lists::NAME) {
            match word_lists::written(file) {
                Ok(written) => lists = written,
                Err(problem) => problems.push(problem),
            }
            continue;
        }
        match toml::from_str::<Rows>(&file.text) {
            Ok(read) => rows.extend(
                read.into_vec()
                    .into_iter()
                    .map(|row| (file.name.clone(), row)),
            ),
            Err(error) => problems.push(format!("{}: {}", file.name, reason(&file.text, &error))),
        }
    }
    rows.sort_by(|(_, one), (_, other)| one.first_name().cmp(other.first_name()));
    problems.extend(names_given_twice(&rows));
    problems.extend(take_likes(&mut rows));
    let of_programs: Vec<(String, Row)> = rows
        .iter()
        .flat_map(|(file, row)| {
            let rows = row.clone().split().into_iter();
            rows.map(move |row| (file.clone(), row))
        })
        .collect();
    let (made, wrong) = checked(&of_programs);
    problems.extend(wrong);
    let (pages, _) = checked(&rows);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Generated {
        text: text(&made),
        page: page(&pages),
        words: lists,
    })
}

/// The rows that are right, and what is wrong with others.
fn checked(rows: &[(String, Row)]) -> (Vec<Checked<'_>>, Vec<Problem>) {
    let mut made = Vec::new();
    let mut problems = Vec::new();
    for (file, row) in rows {
        let checked = Checked::new(row).and_then(|checked| {
            checked.check_examples()?;
            Ok(checked)
        });
        match checked {
            Ok(checked) => made.push(checked),
            Err(problem) => problems.push(format!("{file}: {}: {problem}", row.first_name())),
        }
    }
    (made, problems)
}

/// What is wrong with a text that is no row: the error of the row itself, which an untagged enum hides.
fn reason(text: &str, error: &toml::de::Error) -> String {
    let own = match toml::from_str::<toml::Table>(text) {
        Ok(table) if table.contains_key("program") => None,
        _ => toml::from_str::<Row>(text).err(),
    };
    own.map_or_else(|| error.to_string(), |error| error.to_string())
}

/// Names of two rows: which one would count?
pub(crate) fn names_given_twice(rows: &[(String, Row)]) -> Vec<Problem> {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut problems = Vec::new();
    for (file, row) in rows {
        let tables = row.aliases.values().chain(row.relatives.values());
        let others = tables.flat_map(|names| names.split_whitespace());
        for name in row.all_names().chain(others) {
            if let Some(other) = seen.insert(name, file) {
                problems.push(format!(
                    "`{name}` is in {other} and in {file}. One row has it."
                ));
            }
        }
    }
    problems
}

/// Fills rows in from those that they are like.
pub(crate) fn take_likes(rows: &mut [(String, Row)]) -> Vec<Problem> {
    let mut problems = take_commands(rows);
    let others: Vec<(usize, Option<Row>)> = rows
        .iter()
        .enumerate()
        .filter(|(_, (_, row))| !row.like.is_empty())
        .map(|(place, (_, row))| {
            let mut all = rows.iter().map(|(_, other)| other);
            let other = all.find(|other| {
                other.like.is_empty() && other.all_names().any(|name| name == row.like)
            });
            (place, other.cloned())
        })
        .collect();
    for (place, other) in others {
        let Some((file, row)) = rows.get_mut(place) else {
            continue;
        };
        match other {
            Some(other) => row.take_from(&other),
            None => problems.push(format!(
                "{file}: {}: `like = \"{}\"` is not a program of a row without `like`.",
                row.first_name(),
                row.like
            )),
        }
    }
    problems
}

/// Fills subcommands in from those of other rows: `like = "docker: build"`.
fn take_commands(rows: &mut [(String, Row)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let all: Vec<Row> = rows.iter().map(|(_, row)| row.clone()).collect();
    for (file, row) in rows {
        let first = row.first_name().to_owned();
        for own in row.command.values_mut() {
            let like = own.like.clone();
            let Some((program, name)) = like.split_once(": ") else {
                continue;
            };
            let mut others = all.iter();
            let other = others.find(|other| other.all_names().any(|own| own == program));
            let found = match other {
                Some(other) => command_of_row(other, name),
                None => Err(format!(
                    "`{program}` in `like` is not a program of the catalogue."
                )),
            };
            own.like.clear();
            match found {
                Ok(other) => own.take_from(&other),
                Err(problem) => problems.push(format!("{file}: {first}: {problem}")),
            }
        }
    }
    problems
}

/// A row that is right.
pub(crate) struct Checked<'r> {
    pub(crate) row: &'r Row,
    pub(crate) options: Vec<Written>,
    pub(crate) operands: Option<Operands>,
    pub(crate) below: Option<Below>,
    pub(crate) traits: Traits,
    pub(crate) before: Vec<(String, Vec<Written>)>,
    pub(crate) commands: Vec<WrittenCommand>,
    pub(crate) modes: Vec<WrittenMode>,
    pub(crate) looks: Vec<WrittenLook>,
}

impl<'r> Checked<'r> {
    pub(crate) fn new(row: &'r Row) -> Result<Self, Problem> {
        row.check_names()?;
        read_links(&row.links)?;
        let checked = Self {
            row,
            traits: row.read_traits()?,
            options: row.read_options()?,
            operands: row.read_operands()?,
            below: row.read_below()?,
            before: row.read_before()?,
            commands: row.read_commands()?,
            modes: row.read_modes()?,
            looks: read_looks(row)?,
        };
        checked.check_places()?;
        checked.check_transfers()?;
        Ok(checked)
    }

    /// An effect where nobody reads it would say nothing.
    fn check_places(&self) -> Result<(), Problem> {
        const BEFORE: Effects = Effects::CWD
            .with(Effects::CONFIG)
            .with(Effects::NO_COMMAND)
            .with(Effects::STARTS_SHELL)
            .with(Effects::SHELL_TEXT)
            .with(Effects::AS_COMMAND)
            .with(Effects::OWN_RULE)
            .with(Effects::MARK)
            .with(Effects::SPLITS);
        const TOO: Effects = Effects::EXEC.with(Effects::READ).with(Effects::WRITE);
        const OF_ROW: Effects = Effects::BELOW.with(Effects::FOLLOWS).with(Effects::STAYS);
        let of_before = self.before.iter().flat_map(|(_, options)| options);
        if let Some(name) = effect_among(of_before, |effect| !BEFORE.with(TOO).has(effect)) {
            return Err(format!(
                "`{name}` says nothing in `before`. Write it into `options`."
            ));
        }
        if let Some(name) = effect_among(self.options.iter(), |effect| BEFORE.has(effect)) {
            return Err(format!(
                "`{name}` says nothing in `options`. Write it into `before`."
            ));
        }
        let own = self.commands.iter();
        // The options of a wrapper are those before its command.
        let own = own.filter(|command| command.wrapper.is_none());
        let own = own.flat_map(|command| &command.options);
        let own = own.filter(|option| !self.options.contains(option));
        if let Some(name) = effect_among(own, |effect| BEFORE.with(OF_ROW).has(effect)) {
            return Err(format!(
                "`{name}` says nothing in the options of a subcommand. Write `below`, `follows` and `stays` into the `options` of the row, \
                 and others into `before`, if they stand in front of the subcommand. One that only runs something is `exec`; a subcommand \
                 that runs the command behind its options has `traits = \"wrapper\"`."
            ));
        }
        self.check_modes()
    }

    /// What an option runs, it runs in every mode.
    fn check_modes(&self) -> Result<(), Problem> {
        const OF_FILES: Effects = Effects::READ
            .with(Effects::WRITE)
            .with(Effects::TEXT)
            .with(Effects::TARGET)
            .with(Effects::NAMES)
            .with(Effects::WRITE_BELOW)
            .with(Effects::UNPACKS)
            .with(Effects::ANYWHERE)
            .with(Effects::CONFINED)
            .with(Effects::CWD)
            .with(Effects::SHOWS)
            .with(Effects::SUFFIX)
            .with(Effects::PREFIX)
            .with(Effects::DELETES_SOURCES);
        let own = self.modes.iter().flat_map(|mode| &mode.options);
        let own = own.filter(|option| !self.options.contains(option));
        if let Some(name) = effect_among(own, |effect| !OF_FILES.has(effect)) {
            return Err(format!(
                "`{name}` says nothing in the options of a mode. Write it into the `options` of the row."
            ));
        }
        Ok(())
    }

    /// What only programs that transfer do would say nothing of others.
    fn check_transfers(&self) -> Result<(), Problem> {
        const OWN: Effects = Effects::MOUNT
            .with(Effects::MACHINE)
            .with(Effects::READ_BELOW)
            .with(Effects::WRITE_BELOW);
        let unpacks = |operands: &Operands| {
            matches!(
                operands.role,
                Role::Unpack | Role::Patch | Role::Members | Role::ArchiveMembers
            )
        };
        let commands = self.commands.iter();
        let operands = commands.clone().map(|command| &command.operands);
        let operands = operands.chain(self.modes.iter().map(|mode| &mode.operands));
        let mut operands = operands.chain([&self.operands]).flatten();
        if self.traits.has(Traits::TRANSFERS) || operands.clone().any(unpacks) {
            return Ok(());
        }
        let options = commands.flat_map(|command| &command.options);
        let options = options.chain(self.modes.iter().flat_map(|mode| &mode.options));
        let mut options = options.chain(&self.options);
        let role = operands.find(|operands| operands.role.transfers());
        let what = match (role, options.find(|option| option.effects.has(OWN))) {
            (Some(operands), _) => format!("`operands = \"{}\"`", role_text(operands)),
            (None, Some(option)) => format!("what the option `{}` does", option.name),
            (None, None) => return Ok(()),
        };
        Err(format!("{what} needs `traits = \"transfers\"`."))
    }

    /// An example is a line of the text that is generated.
    fn check_examples(&self) -> Result<(), Problem> {
        let mut examples = self.row.examples.iter();
        let has_signs = |text: &String| text.contains(['\n', '\r', '\t']);
        match examples.find(|(command, effects)| has_signs(command) || has_signs(effects)) {
            Some((command, _)) => Err(format!(
                "the example `{command:?}` has a tab or several lines. Write one line."
            )),
            None => Ok(()),
        }
    }
}

/// The name of the first effect of these options that is one of those.
fn effect_among<'o>(
    options: impl Iterator<Item = &'o Written>,
    is_one: impl Fn(Effects) -> bool,
) -> Option<&'static str> {
    let mut effects = options.flat_map(|option| option.effects.each());
    effects.find(|effect| is_one(*effect))?.names().next()
}

/// The text of the catalogue.
fn text(rows: &[Checked<'_>]) -> String {
    let mut names = Vec::new();
    for checked in rows {
        let row = checked.row;
        for (table, list) in [
            (Table::Prefixed, &row.prefixed),
            (Table::Versioned, &row.versioned),
        ] {
            let list = list.split_whitespace();
            names.extend(list.map(|name| line(table.key(), &[name])));
        }
        if may_look(checked) {
            let own = row
                .all_names()
                .map(|name| line(Table::Looking.key(), &[name]));
            names.extend(own);
        }
        for (table, list) in [(Table::Same, &row.aliases), (Table::Like, &row.relatives)] {
            let list = list.iter();
            names.extend(list.map(|(name, others)| line(table.key(), &[name, &words(others)])));
        }
    }
    names.sort();
    let mut text = names.concat();
    for checked in rows {
        text.push_str(&written(checked));
        for (command, effects) in &checked.row.examples {
            text.push_str(&line(EXAMPLE, &[command, effects]));
        }
    }
    text
}

/// Whether programs only look with some arguments.
fn may_look(checked: &Checked<'_>) -> bool {
    let mut commands = checked.commands.iter();
    checked.traits.has(Traits::LOOKS)
        || !checked.looks.is_empty()
        || commands.any(|command| command.traits.has(CommandTraits::SHOWS))
}

const PAGE: &str = "\
# Programs

<!-- Generated by `cargo xtask codegen` from `crates/programs/catalogue`. -->

What the policy engine knows about programs. An option or operand that reads, writes, deletes or runs something is judged as that;
a program that is not here is judged by its name, its redirections and the names of files among its arguments.
[Teach tenon a program](../CONTRIBUTING.md#teach-tenon-a-program) has the way to add one.

`*`: further files that the program uses are not known.
";

fn page(rows: &[Checked<'_>]) -> String {
    let mut text = PAGE.to_owned();
    text.push_str("\n| programs | operands | below directories | options that do something |\n| --- | --- | --- | --- |\n");
    for checked in rows {
        let row = checked.row;
        let options = by_effect(checked.options.iter());
        if options.is_empty() && row.operands.is_empty() && row.below.is_empty() {
            continue;
        }
        let names: Vec<String> = row.all_names().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            text,
            "| {} | {}{} | {} | {} |",
            names.join(" ").replace('|', "\\|"),
            row.operands.replace('*', "…"),
            if row.partly { " \\*" } else { "" },
            row.below,
            options.replace('|', "\\|"),
        );
    }
    page_of_wrappers(rows, &mut text);
    page_of_commands(rows, &mut text);
    page_of_looks(rows, &mut text);
    let examples = rows.iter().flat_map(|checked| &checked.row.examples);
    let examples: Vec<String> = examples
        .map(|(command, effects)| {
            format!(
                "| `{}` | {} |\n",
                command.replace('|', "\\|"),
                effects.replace('|', "\\|")
            )
        })
        .collect();
    if !examples.is_empty() {
        text.push_str("\n## Examples\n\nEach is a test.\n\n| command | does |\n| --- | --- |\n");
        text.extend(examples);
    }
    text
}

/// The options that do something, by what they do.
fn by_effect<'o>(options: impl Iterator<Item = &'o Written> + Clone) -> String {
    let effects = Effects::NAMED.iter().filter_map(|(name, effect)| {
        let options = options.clone().filter(|option| option.effects.has(*effect));
        let names: Vec<String> = options
            .map(|option| format!("`{}`", dashed(option)))
            .collect();
        (!names.is_empty()).then(|| format!("{}: {}", name.replace('_', " "), names.join(" ")))
    });
    effects.collect::<Vec<_>>().join("; ")
}

/// The programs that run the command behind their own arguments.
fn page_of_wrappers(rows: &[Checked<'_>], text: &mut String) {
    text.push_str(
        "\n## Wrappers\n\nPrograms that run the command behind their own arguments; that command is judged by itself.\n\n\
         | program | before the command | options |\n| --- | --- | --- |\n",
    );
    for checked in rows {
        let Some(wrapper) = checked.row.wrapper else {
            continue;
        };
        let mut before = match wrapper.operands {
            0 => Vec::new(),
            1 => vec!["1 operand".to_owned()],
            count => vec![format!("{count} operands")],
        };
        if wrapper.assignments {
            before.push("assignments".to_owned());
        }
        let options = checked.before.iter().flat_map(|(_, options)| options);
        let options: Vec<String> = options
            .map(|option| format!("`{}`", dashed(option)))
            .collect();
        let _ = writeln!(
            text,
            "| `{}` | {} | {} |",
            checked.row.first_name(),
            before.join(", "),
            options.join(" ")
        );
    }
}

/// The commands that only look, by their programs.
fn page_of_looks(rows: &[Checked<'_>], text: &mut String) {
    text.push_str(
        "\n## Commands that only look\n\nWhat the mode `plan` permits, but for what their options and files say. `*`: any other option; \
         (asks): it asks a host or a service.\n\n| program | only looks |\n| --- | --- |\n",
    );
    for checked in rows.iter().filter(|checked| may_look(checked)) {
        let commands = checked.commands.iter();
        let shows = commands.filter(|command| command.traits.has(CommandTraits::SHOWS));
        let shows = shows.map(|command| format!("`{} *`", command.name));
        let forms = checked.looks.iter().map(WrittenLook::shown);
        let all = checked.traits.has(Traits::LOOKS).then(|| "`*`".to_owned());
        let all: Vec<String> = all.into_iter().chain(shows).chain(forms).collect();
        let names: Vec<String> = checked
            .row
            .all_names()
            .map(|name| format!("`{name}`"))
            .collect();
        let line = format!(
            "| {} | {} |\n",
            names.join(" "),
            all.join(", ").replace('|', "\\|")
        );
        text.push_str(&line);
    }
}

/// The programs with subcommands: one row for each that does something of its own, the others by name.
fn page_of_commands(rows: &[Checked<'_>], text: &mut String) {
    text.push_str("\n## Subcommands\n");
    let with = rows.iter().filter(|checked| {
        let has =
            !checked.commands.is_empty() || !checked.before.is_empty() || !checked.modes.is_empty();
        has && checked.row.wrapper.is_none()
    });
    for checked in with {
        let first = checked.row.first_name();
        let _ = writeln!(text, "\n### `{first}`\n");
        options_before(checked, text);
        let (plain, others): (Vec<_>, Vec<_>) = checked
            .commands
            .iter()
            .partition(|command| is_plain(command, checked));
        let plain: Vec<String> = plain
            .iter()
            .map(|command| format!("`{}`", command.name))
            .collect();
        if !plain.is_empty() {
            let _ = writeln!(
                text,
                "Subcommands of which no more is known than their names and options: {}.\n",
                plain.join(" ")
            );
        }
        if !others.is_empty() || !checked.modes.is_empty() {
            text.push_str(
                "| subcommand | operands | options that do something |\n| --- | --- | --- |\n",
            );
        }
        for command in others {
            let names = std::iter::once(&command.name).chain(&command.aliases);
            let own = (command.operands.as_ref(), &command.options);
            row_of_command(names.cloned().collect(), own, checked, text);
        }
        for mode in &checked.modes {
            let by = checked.options.iter();
            let by = by.filter(|option| mode.by.contains(&option.name));
            let own = (mode.operands.as_ref(), &mode.options);
            row_of_command(by.map(dashed).collect(), own, checked, text);
        }
    }
}

/// What stands before a subcommand.
fn options_before(checked: &Checked<'_>, text: &mut String) {
    for (programs, options) in &checked.before {
        let of = match programs.split_whitespace().collect::<Vec<_>>().join("`, `") {
            names if names.is_empty() => String::new(),
            names => format!(" of `{names}`"),
        };
        let names: Vec<String> = options
            .iter()
            .map(|option| format!("`{}`", dashed(option)))
            .collect();
        let effects = match by_effect(options.iter()) {
            effects if effects.is_empty() => String::new(),
            effects => format!("; {effects}"),
        };
        let _ = writeln!(
            text,
            "Options before the subcommand{of}: {}{effects}.\n",
            names.join(" ")
        );
    }
}

/// Whether no more is known of a subcommand than its name and options without effects.
fn is_plain(command: &WrittenCommand, checked: &Checked<'_>) -> bool {
    let own = command
        .options
        .iter()
        .any(|option| !option.effects.is_empty() && !checked.options.contains(option));
    !own && command.aliases.is_empty() && command.operands.is_none()
}

/// The row of a subcommand, or of a mode with the options that select it.
fn row_of_command(
    names: Vec<String>,
    (operands, options): (Option<&Operands>, &Vec<Written>),
    checked: &Checked<'_>,
    text: &mut String,
) {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let own = options.iter();
    let own = own.filter(|option| !checked.options.contains(option));
    let role = operands.map_or(String::new(), role_text);
    let _ = writeln!(
        text,
        "| {} | {} | {} |",
        names.join(", "),
        role.replace('*', "…"),
        by_effect(own).replace('|', "\\|")
    );
}

/// An option with its dashes.
fn dashed(option: &Written) -> String {
    let is_letter = option.name.chars().nth(1).is_none();
    let dashes = if is_letter != option.any_dashes {
        "-"
    } else {
        "--"
    };
    format!("{dashes}{}", option.name)
}
