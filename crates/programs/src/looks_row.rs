//! A form in which a program only looks, as it is written in the catalogue.

use schemars::JsonSchema;
use serde::Deserialize;

/// A form in which a program only looks: `[looks."branch, tag"]`. In a word of a subcommand, `|` is between alternatives, and a
/// star behind it stands for any end.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ProgramLooksRow")]
pub struct LooksRow {
    /// The subcommands, with commas between them, in place of the name of the table.
    pub commands: String,
    /// The options that may be given: `-a --sort=`. `*` for all but those of `except`.
    pub options: String,
    /// Options with which it does more, where others may be given.
    pub except: String,
    /// Options of which one must be given.
    pub needs: String,
    /// What may stand besides: `none`, `any`, `one`, `format` (texts that begin with `+`). Default: `none`.
    pub operands: String,
    /// Options of which one must be given where there are operands.
    pub with: String,
    /// Options with which it asks a host or a service; `*` where it always does.
    pub asks: String,
}
