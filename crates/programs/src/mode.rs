//! Modes of a program: what an operand or an option means depends on an option that says what the program does (`tar -c`,
//! `tar -x`). A mode is to such an option what a subcommand is to a word.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::command_row::merged;
use crate::parse::Parsed;
use crate::program::{Operands, Opt, Program};
use crate::row::{Problem, Row, Written, read_operands, read_options};

/// A mode as it is written: `[mode.create]`.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramModeRow")]
pub struct ModeRow {
    /// The options of the row that select it: `-x --extract`. With several modes given, all of them count.
    pub by: String,
    /// What the operands are in it.
    pub operands: String,
    /// What it makes beside its operands, in place of what the row says. Only for rows of tenon.
    #[schemars(skip)]
    pub makes: String,
    /// Options by what they do in it, in place of what the row says of them.
    pub options: BTreeMap<String, String>,
}

/// A mode that is right.
#[derive(Debug, Clone)]
pub struct WrittenMode {
    /// Its name, for the page.
    pub name: String,
    /// The names of the options that select it, without dashes.
    pub by: Vec<String>,
    /// All options, as they are in this mode.
    pub options: Vec<Written>,
    /// See [`ModeRow::operands`].
    pub operands: Option<Operands>,
    /// See [`ModeRow::makes`].
    pub makes: String,
}

/// A mode of a program.
#[derive(Debug)]
pub struct Mode {
    /// Its name.
    pub name: &'static str,
    /// The options that select it, without dashes.
    pub by: &'static [&'static str],
    /// All options, as they are in this mode.
    pub options: &'static [Opt],
    /// What the operands are.
    pub operands: Option<Operands>,
    /// What it makes beside its operands, as [`Program::makes`].
    pub makes: &'static [&'static str],
}

/// The modes of a row.
pub(crate) fn read_modes(row: &Row) -> Result<Vec<WrittenMode>, Problem> {
    let shared = row.read_options()?;
    let modes = row.mode.iter();
    modes
        .map(|(name, own)| read_mode(name, own, &shared))
        .collect()
}

fn read_mode(name: &str, own: &ModeRow, shared: &[Written]) -> Result<WrittenMode, Problem> {
    let problem = |text: &str| Err(format!("`[mode.{name}]`: {text}"));
    if own.by.trim().is_empty() {
        return problem("`by` is missing. Name the options that select the mode.");
    }
    let by = read_options(&[("known".to_owned(), own.by.clone())].into())?;
    let is_shared = |option: &&Written| !shared.iter().any(|known| known.name == option.name);
    if let Some(missing) = by.iter().find(is_shared) {
        return problem(&format!(
            "`{}` in `by` is not among the `options` of the row. Add it there.",
            missing.name
        ));
    }
    let options = read_options(&own.options)?;
    // Which modes are given is known before it is known what the options do in them.
    let differs = |option: &&Written| {
        let known = shared.iter().find(|known| known.name == option.name);
        known.is_none_or(|known| known.value != option.value)
    };
    if let Some(other) = options.iter().find(differs) {
        return problem(&format!(
            "`{}` is not written so in the `options` of the row. Write it there as well, in the same way.",
            other.name
        ));
    }
    Ok(WrittenMode {
        name: name.to_owned(),
        by: by.into_iter().map(|option| option.name).collect(),
        options: merged(options, shared),
        operands: read_operands(&own.operands, true)?,
        makes: own.makes.clone(),
    })
}

impl Program {
    /// The modes that these options select.
    pub fn modes_of<'p, W>(
        &self,
        parsed: &'p Parsed<'_, W>,
    ) -> impl Iterator<Item = &'static Mode> + 'p {
        let modes = self.modes.iter();
        modes.filter(|mode| {
            let mut given = parsed.options.iter();
            given.any(|given| mode.by.contains(&given.name))
        })
    }
}
