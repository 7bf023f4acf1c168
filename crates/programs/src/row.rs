//! A row as it is written in the catalogue, and what is wrong with one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::command_row::{CommandRow, OnlyRow, WrittenCommand, read_commands};
use crate::effects::{Effects, Traits};
use crate::looks_row::LooksRow;
use crate::mode::{ModeRow, WrittenMode, read_modes};
use crate::program::{Below, Links, Operands, Role, Value, Wrapper};

/// One file of the catalogue: a row, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Rows {
    /// Several rows, each under `[[program]]`.
    Several(Several),
    /// The file is a row.
    One(Box<Row>),
}

/// Several rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Several {
    program: Vec<Row>,
}

impl Rows {
    /// The rows.
    #[must_use]
    pub fn into_vec(self) -> Vec<Row> {
        match self {
            Self::Several(several) => several.program,
            Self::One(row) => vec![*row],
        }
    }
}

/// A row. Lists are words with blanks between them.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramRow")]
pub struct Row {
    /// Programs that are alike in all that is known of them.
    pub names: String,
    /// A program of another row whose facts hold for these as well, where this row does not say another thing itself.
    pub like: String,
    /// Where the facts are from.
    pub source: String,
    #[schemars(skip)]
    /// Those of the names that are installed with `g` and `gnu` in front, too.
    pub prefixed: String,
    #[schemars(skip)]
    /// Those of the names that may end in a version.
    pub versioned: String,
    #[schemars(skip)]
    /// Other names of the same program, by its name.
    pub aliases: BTreeMap<String, String>,
    #[schemars(skip)]
    /// Programs that take the arguments of one, and are others to rules.
    pub relatives: BTreeMap<String, String>,
    /// What the program is: `transfers`, `plugins`, `language`, `runs_project` and others (`crates/programs/src/effects.rs`).
    pub traits: String,
    /// What its operands are: `text, read*`.
    pub operands: String,
    /// Whether it uses files beside those that are known.
    pub partly: bool,
    /// What it does below directories: `read, write; by option`.
    pub below: String,
    /// Whether it follows links: `by option`, `unless option`.
    pub links: String,
    /// Words that run something and are no plain option.
    pub exec_words: String,
    #[schemars(skip)]
    /// Patterns of words that make it run something, wherever they stand, but for words like those behind `not:`: a star is any text.
    pub exec_patterns: String,
    #[schemars(skip)]
    /// Files that it makes in its working directory where no operand is written and no option `target` is given.
    pub makes: String,
    #[schemars(skip)]
    /// Patterns of the names of files that a formatter looks for by itself: `*.py *.pyi`.
    pub finds: String,
    /// Options by what they do: `read`, `write`, `exec`, `code` and others (`crates/programs/src/effects.rs`). `value`, `flag` and `known` are those that only have or have no value, and
    /// those of which this is not known.
    pub options: BTreeMap<String, String>,
    /// Options between the name and a subcommand by what they do: all that there are. Another one is a reason to ask.
    pub before: BTreeMap<String, String>,
    /// The same of some of the programs, by their names.
    pub only: BTreeMap<String, OnlyRow>,
    /// Settings that options `config` can give without running anything: `color.` is all that begin so.
    pub settings: String,
    /// Subcommands of which no more is known than that they are there, with commas between them.
    pub subcommands: String,
    /// Subcommands by their names.
    pub command: BTreeMap<String, CommandRow>,
    /// Its modes by their names: what it does by an option (`tar -x`), where that changes what its operands and other options are.
    pub mode: BTreeMap<String, ModeRow>,
    /// The forms in which a subcommand only looks, by its name; `itself` is the program without one. Only for rows of tenon.
    #[schemars(skip)]
    pub looks: BTreeMap<String, LooksRow>,
    /// Whether, and how, it runs the command behind its own arguments. Its options are those of `before`.
    pub wrapper: Option<Wrapper>,
    /// Which words that cannot be determined may be options that run something.
    pub possible: PossibleRow,
    /// Commands with their effects.
    pub examples: BTreeMap<String, String>,
}

/// Which words that cannot be determined may be options that run something.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "PossibleProgramOptions")]
pub struct PossibleRow {
    /// Subcommands.
    pub commands: String,
    /// Letters.
    pub values: String,
}

/// An option as it is written: `-f=`, `--color[=]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its name without dashes.
    pub name: String,
    /// Whether it is a long name behind one dash.
    pub any_dashes: bool,
    /// Its value.
    pub value: Value,
    /// What it does.
    pub effects: Effects,
}

/// What is wrong with a row, in a sentence.
pub(crate) type Problem = String;

const SHAPES: &[(&str, Value)] = &[
    ("[=]", Value::Attached),
    ("=+", Value::Glued),
    ("=?", Value::Optional),
    ("=", Value::Next),
    ("?", Value::Unknown),
];

const ROLES: &[(&str, Role)] = &[
    ("read*", Role::Read),
    ("write*", Role::Write),
    ("delete*", Role::Delete),
    ("empty*", Role::Empty),
    ("read-write*", Role::ReadWrite),
    ("replace*", Role::Replace),
    ("in-place*", Role::InPlace),
    ("format*", Role::Format),
    ("format .", Role::FormatHere),
    ("read, write*", Role::ReadThenWrite),
    ("write, read*", Role::WriteThenRead),
    ("copy", Role::Copy),
    ("move", Role::Move),
    ("read-below*", Role::ReadBelow),
    ("read-below* or .", Role::ReadBelowOrHere),
    ("copy, address", Role::CopyAddress),
    ("copy, name", Role::CopyName),
    ("move, address", Role::MoveAddress),
    ("move, name", Role::MoveName),
    ("write-below .", Role::WriteHere),
    ("image", Role::ImageContext),
    ("read, unpack*", Role::Unpack),
    ("members*", Role::Members),
    ("read, members*", Role::ArchiveMembers),
    ("read, pieces*", Role::Pieces),
    ("write*, or of a patch", Role::Patch),
    ("clone", Role::Clone),
];

/// Options as they are stated, with those of another list whose names are not among them.
pub(crate) fn with_options_of(
    own: &BTreeMap<String, String>,
    other: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let stated: Vec<&str> = own
        .values()
        .flat_map(|words| words.split_whitespace())
        .map(name_of)
        .collect();
    let mut all = own.clone();
    for (effect, words) in other {
        let kept = words
            .split_whitespace()
            .filter(|word| !stated.contains(&name_of(word)));
        let list = all.entry(effect.clone()).or_default();
        for word in kept {
            list.push(' ');
            list.push_str(word);
        }
    }
    all.retain(|_, words| !words.trim().is_empty());
    all
}

impl Row {
    /// Takes what it does not state itself from the row that it is like.
    pub(crate) fn take_from(&mut self, other: &Self) {
        fn take<T: Clone>(own: &mut T, other: &T, is_empty: fn(&T) -> bool) {
            if is_empty(own) {
                *own = other.clone();
            }
        }
        if self.operands.is_empty() {
            self.partly = other.partly;
        }
        for (own, other) in [
            (&mut self.source, &other.source),
            (&mut self.traits, &other.traits),
            (&mut self.operands, &other.operands),
            (&mut self.below, &other.below),
            (&mut self.links, &other.links),
            (&mut self.exec_words, &other.exec_words),
            (&mut self.exec_patterns, &other.exec_patterns),
            (&mut self.makes, &other.makes),
            (&mut self.finds, &other.finds),
            (&mut self.settings, &other.settings),
            (&mut self.possible.commands, &other.possible.commands),
            (&mut self.possible.values, &other.possible.values),
        ] {
            take(own, other, String::is_empty);
        }
        self.options = with_options_of(&self.options, &other.options);
        take(&mut self.before, &other.before, BTreeMap::is_empty);
        take(&mut self.only, &other.only, BTreeMap::is_empty);
        take(&mut self.mode, &other.mode, BTreeMap::is_empty);
        let names = self.names.clone();
        let is_own = |programs: &str| {
            let mut programs = programs.split_whitespace();
            programs.all(|program| names.split_whitespace().any(|own| own == program))
        };
        self.only
            .retain(|programs, only| only.traits.is_empty() || is_own(programs));
        if self.subcommands.is_empty() && self.command.is_empty() {
            self.subcommands.clone_from(&other.subcommands);
            self.command.clone_from(&other.command);
        }
    }

    /// The row with what only some of its programs are in rows of their own, the row itself without them last.
    pub(crate) fn split(mut self) -> Vec<Self> {
        let mut rows = Vec::new();
        for (programs, only) in self.only.clone() {
            if only.traits.is_empty() {
                continue;
            }
            let is_own = |name: &str| programs.split_whitespace().any(|own| own == name);
            let mut own = self.clone();
            own.keep(&is_own);
            own.traits = format!("{} {}", self.traits, only.traits);
            self.keep(&|name| !is_own(name));
            rows.push(own);
        }
        if rows.is_empty() || !self.names.is_empty() {
            rows.push(self);
        }
        rows
    }

    /// Keeps those of its programs of which this is true.
    fn keep(&mut self, is_kept: &dyn Fn(&str) -> bool) {
        let kept = |names: &str, is: &dyn Fn(&str) -> bool| {
            let names = names.split_whitespace().filter(|name| is(name));
            names.collect::<Vec<_>>().join(" ")
        };
        self.aliases.retain(|name, _| is_kept(name));
        self.relatives.retain(|name, _| is_kept(name));
        let others: Vec<String> = self.aliases.values().cloned().collect();
        let is_other = |name: &str| {
            let mut names = others.iter().flat_map(|names| names.split_whitespace());
            names.any(|other| other == name)
        };
        let all: Vec<String> = self.all_names().map(str::to_owned).collect();
        let is_known =
            |name: &str| is_kept(name) && all.iter().any(|own| own == name) || is_other(name);
        self.names = kept(&self.names, is_kept);
        self.prefixed = kept(&self.prefixed, &is_known);
        self.versioned = kept(&self.versioned, &is_known);
        let first = |command: &str| {
            command
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        let names: Vec<String> = self.all_names().map(str::to_owned).collect();
        self.examples.retain(|command, _| {
            let program = first(command);
            let is_mine = names.contains(&program) || !all.contains(&program) && is_other(&program);
            is_mine || !all.contains(&program) && names.first() == all.first()
        });
    }

    /// Its names.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        self.names.split_whitespace()
    }

    /// Its first name, for messages.
    #[must_use]
    pub fn first_name(&self) -> &str {
        self.all_names().next().unwrap_or("?")
    }

    /// Its traits.
    pub fn read_traits(&self) -> Result<Traits, Problem> {
        let mut traits = Traits::NONE;
        for word in self.traits.split_whitespace() {
            let known = Traits::NAMED.iter().find(|(name, _)| *name == word);
            let (_, found) = known.ok_or_else(|| {
                format!(
                    "`{word}` is not a trait. Use {}.",
                    names_of(Traits::NAMED.iter().map(|(name, _)| *name))
                )
            })?;
            traits = traits.with(*found);
        }
        Ok(traits)
    }

    /// Its options, each once, those with a value before others.
    pub fn read_options(&self) -> Result<Vec<Written>, Problem> {
        read_options(&self.options)
    }

    /// The options before its subcommands, by the programs that have them.
    pub fn read_before(&self) -> Result<Vec<(String, Vec<Written>)>, Problem> {
        let mut all = Vec::new();
        if !self.before.is_empty() {
            all.push((String::new(), read_options(&self.before)?));
        }
        let only = self.only.iter();
        for (programs, only) in only.filter(|(_, only)| !only.before.is_empty()) {
            all.push((programs.clone(), read_options(&only.before)?));
        }
        Ok(all)
    }

    /// Its subcommands.
    pub fn read_commands(&self) -> Result<Vec<WrittenCommand>, Problem> {
        read_commands(self)
    }

    /// Its modes.
    pub fn read_modes(&self) -> Result<Vec<WrittenMode>, Problem> {
        read_modes(self)
    }

    /// What its operands are.
    pub fn read_operands(&self) -> Result<Option<Operands>, Problem> {
        if self.partly && self.operands.is_empty() {
            return Err("`partly` needs `operands`, perhaps \"none\".".to_owned());
        }
        read_operands(&self.operands, self.partly)
    }

    /// What it does below directories.
    pub fn read_below(&self) -> Result<Option<Below>, Problem> {
        let below = read_below(&self.below)?;
        let has_option = self.options.contains_key("below");
        if below.is_some_and(|below| below.by_option != has_option) {
            return Err(
                "`below = \"…; by option\"` needs options `below`, and they need it.".to_owned(),
            );
        }
        Ok(below)
    }

    /// Other names that belong to a name that the row has not.
    pub fn check_names(&self) -> Result<(), Problem> {
        let names: Vec<&str> = self.all_names().collect();
        if names.is_empty() {
            return Err("`names` is missing.".to_owned());
        }
        let tables = self
            .aliases
            .keys()
            .chain(self.relatives.keys())
            .map(String::as_str);
        let mut all = tables
            .chain(self.prefixed.split_whitespace())
            .chain(self.versioned.split_whitespace());
        let aliases: Vec<&str> = self
            .aliases
            .values()
            .flat_map(|others| others.split_whitespace())
            .collect();
        match all.find(|name| !names.contains(name) && !aliases.contains(name)) {
            Some(name) => Err(format!("`{name}` is not among the `names` of the row.")),
            None => Ok(()),
        }
    }
}

/// Options by what they do.
pub(crate) fn read_options(lists: &BTreeMap<String, String>) -> Result<Vec<Written>, Problem> {
    let mut options: Vec<Written> = Vec::new();
    for (effect, words) in lists {
        let effects = match effect.as_str() {
            "value" | "flag" | "known" => Effects::NONE,
            name => effect_named(name)?,
        };
        for word in words.split_whitespace() {
            add(&mut options, written(word, effects)?, effect)?;
        }
    }
    sort(&mut options);
    Ok(options)
}

/// Those whose value follows without a sign first, then letters, then names; of each those with a value before others. The parser
/// relies on it.
pub(crate) fn sort(options: &mut [Written]) {
    options.sort_by_key(|option| {
        let is_name = option.name.chars().nth(1).is_some();
        let has_value = !matches!(option.value, Value::None | Value::Unknown);
        (option.value != Value::Glued, is_name, !has_value)
    });
}

/// What a program does below directories: `read, write; by option`.
pub(crate) fn read_below(text: &str) -> Result<Option<Below>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    let (uses, by_option) = match text.split_once("; ") {
        Some((uses, "by option")) => (uses, true),
        Some((_, other)) => return Err(format!("`{other}` is not `by option`.")),
        None => (text, false),
    };
    let mut below = Below {
        by_option,
        ..Below::default()
    };
    for word in uses.split(", ") {
        match word {
            "read" => below.reads = true,
            "write" => below.writes = true,
            "delete" => below.deletes = true,
            "here" => below.here = true,
            other => {
                return Err(format!(
                    "`{other}` in `below` is not read, write, delete or here."
                ));
            }
        }
    }
    Ok(Some(below))
}

/// Whether a program follows links: `by option`, `unless option`.
pub(crate) fn read_links(text: &str) -> Result<Links, Problem> {
    match text {
        "" => Ok(Links::Unknown),
        "by option" => Ok(Links::ByOption),
        "unless option" => Ok(Links::UnlessOption),
        other => Err(format!(
            "`links = \"{other}\"` is not \"by option\" or \"unless option\"."
        )),
    }
}

/// What operands are: `text, read*`.
pub(crate) fn read_operands(text: &str, partly: bool) -> Result<Option<Operands>, Problem> {
    let mut rest = text;
    if rest.is_empty() {
        return Ok(None);
    }
    let mut texts = 0;
    while let Some(behind) = rest.strip_prefix("text, ") {
        texts += 1;
        rest = behind;
    }
    let (role, texts) = match rest {
        "none" => (Role::Read, usize::MAX),
        role => {
            let known = ROLES.iter().find(|(name, _)| *name == role);
            let (_, role) = known.ok_or_else(|| {
                let roles = names_of(ROLES.iter().map(|(name, _)| *name).chain(["none"]));
                format!("`{rest}` is not what operands can be. Use {roles}, with `text, ` in front for each operand that is no file.")
            })?;
            (*role, texts)
        }
    };
    Ok(Some(Operands {
        role,
        texts,
        partly,
    }))
}

/// What operands are, as the catalogue writes it.
pub(crate) fn role_text(operands: &Operands) -> String {
    if operands.texts == usize::MAX {
        return "none".to_owned();
    }
    let known = ROLES.iter().find(|(_, role)| *role == operands.role);
    let name = known.map_or("", |(name, _)| *name);
    format!("{}{name}", "text, ".repeat(operands.texts))
}

pub(crate) fn names_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn effect_named(name: &str) -> Result<Effects, Problem> {
    let known = Effects::NAMED.iter().find(|(known, _)| *known == name);
    known.map(|(_, effect)| *effect).ok_or_else(|| {
        let all = Effects::NAMED
            .iter()
            .map(|(name, _)| *name)
            .chain(["value", "flag", "known"]);
        format!(
            "`{name}` is not an effect of options. Use {}.",
            names_of(all)
        )
    })
}

/// The name of an option as it is written, where its value is, and how many dashes it has.
fn shape_of(word: &str) -> (&str, Value, usize) {
    let shape = SHAPES.iter().find(|(sign, _)| word.ends_with(sign));
    let (dashed, value) = match shape {
        Some((sign, value)) => (word.strip_suffix(sign).unwrap_or(word), *value),
        None => (word, Value::None),
    };
    match dashed.strip_prefix("--") {
        Some(name) => (name, value, 2),
        None => (dashed.strip_prefix('-').unwrap_or_default(), value, 1),
    }
}

/// The name of an option as it is written.
pub(crate) fn name_of(word: &str) -> &str {
    shape_of(word).0
}

/// An option as it is written, without what it does.
fn written(word: &str, effects: Effects) -> Result<Written, Problem> {
    let (name, value, dashes) = shape_of(word);
    let is_letter = name.chars().nth(1).is_none();
    if name.is_empty() || name.contains(['=', '[', '*']) {
        return Err(format!(
            "`{word}` is not an option. Write `-v`, `-f=`, `--file=`, `--color[=]` or `--new?`."
        ));
    }
    Ok(Written {
        name: name.to_owned(),
        any_dashes: (dashes == 1) != is_letter,
        value,
        effects,
    })
}

/// Adds what one list says of an option to what the others say.
fn add(options: &mut Vec<Written>, option: Written, effect: &str) -> Result<(), Problem> {
    let Some(known) = options.iter_mut().find(|known| known.name == option.name) else {
        options.push(option);
        return Ok(());
    };
    if (known.value, known.any_dashes) != (option.value, option.any_dashes) {
        return Err(format!(
            "`{}` is written in two ways. Write it in one.",
            option.name
        ));
    }
    if option.effects.is_empty() || known.effects.is_empty() || known.effects.has(option.effects) {
        return Err(format!(
            "`{}` in `{effect}` says nothing new. Remove it.",
            option.name
        ));
    }
    known.effects = known.effects.with(option.effects);
    Ok(())
}
