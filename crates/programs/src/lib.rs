//! What is known about programs: one catalogue of names, subcommands, options, operands and traits. Pure.
//!
//! The files of `catalogue/` are the source: TOML, one file for each program or family. `cargo xtask codegen` checks them
//! and writes `src/catalogue.txt`, `src/words.rs` and `docs/programs.md`. How to add a program is in `CONTRIBUTING.md`.
//!
//! [`find`] returns the row of a program by its one name ([`facts_name`]). [`parse()`] splits arguments by the options of a
//! row; every consumer reads arguments through it.
//!
//! ```
//! use tenon_programs::{Effects, facts_name, find};
//!
//! let sort = find(facts_name("gsort")).expect("`sort` is in the catalogue");
//! let output = sort.option("output").expect("`--output` is an option of it");
//! assert!(output.effects.has(Effects::WRITE));
//! ```

mod catalogue;
mod command;
mod command_row;
mod describe;
mod effects;
mod host;
mod looks;
mod looks_row;
mod mode;
mod names;
mod parse;
mod program;
mod record;
mod row;
pub mod source;
mod word_lists;
#[rustfmt::skip]
pub mod words;
mod written_record;

pub use catalogue::{examples, find, is_command, looking, looking_names, programs};
pub use command::{Before, Name, Subcommand};
pub use command_row::{CommandRow, OnlyRow, WrittenCommand};
pub use describe::{OptionsThat, ProgramDescription, SubcommandDescription, describe};
pub use effects::{CommandTraits, Effects, Traits};
pub use host::{Catalogue, MAX_KEPT_BYTES, MAX_ROWS, PlacedRow};
pub use looks::{Looking, WrittenLook};
pub use looks_row::LooksRow;
pub use mode::{Mode, ModeRow, WrittenMode};
pub use names::{base_name, facts_name, known_aliases, program_name, system_name};
pub use parse::{
    Argument, Given, OptionTable, Parsed, Place, parse, parse_before, parse_letters_first,
};
pub use program::{
    Behind, Below, Example, Links, Look, LookOperands, Operands, Opt, Possible, Program, Role,
    Runs, Value, Wrapper,
};
pub use row::{PossibleRow, Row, Rows};
