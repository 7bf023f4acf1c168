//! The rows of tenon, as `catalogue.txt` has them: written by `cargo xtask codegen` from the files of `catalogue/`.
//!
//! The text begins with lines of names, and has a [`record`](crate::record) for each row, with its examples.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use hashbrown::HashMap;

use crate::program::{Example, Program};
use crate::record;

const TEXT: &str = include_str!("catalogue.txt");
/// How a record begins.
const RECORD: &str = "\nprogram\t";

/// A table of names in front of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Programs that are installed with `g` or `gnu` in front, too.
    Prefixed,
    /// Programs whose name may end in a version.
    Versioned,
    /// Other names of the same program.
    Same,
    /// Programs that take the arguments of another one.
    Like,
    /// Programs that only look with some arguments.
    Looking,
}

impl Table {
    /// What its lines begin with.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Prefixed => "prefixed",
            Self::Versioned => "versioned",
            Self::Same => "same",
            Self::Like => "like",
            Self::Looking => "looking",
        }
    }

    /// Its names, each with those that stand behind it.
    pub(crate) fn names(
        self,
    ) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
        let head = TEXT.split(RECORD).next().unwrap_or_default();
        let lines = head.lines().filter_map(|line| line.split_once('\t'));
        let own = lines.filter(move |(key, _)| *key == self.key());
        own.map(|(_, rest)| {
            let (name, others) = rest.split_once('\t').unwrap_or((rest, ""));
            (name, others.split_whitespace())
        })
    }

    /// Its names with another one that stands behind them.
    pub(crate) fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.names()
            .flat_map(|(name, others)| others.map(move |other| (name, other)))
    }
}

/// A row, which is read when it is first asked for.
struct Lazy {
    record: &'static str,
    program: OnceLock<Program>,
}

impl Lazy {
    fn program(&self) -> &Program {
        self.program.get_or_init(|| record::read(self.record))
    }
}

static ROWS: LazyLock<Vec<Lazy>> = LazyLock::new(|| {
    let starts = TEXT.match_indices(RECORD).map(|(start, _)| start + 1);
    let ends = starts.clone().skip(1).chain([TEXT.len()]);
    { starts.zip(ends) }
        .map(|(start, end)| Lazy {
            record: TEXT.get(start..end).unwrap_or_default(),
            program: OnceLock::new(),
        })
        .collect()
});

static BY_NAME: LazyLock<HashMap<&'static str, &'static Lazy>> = LazyLock::new(|| {
    let rows = ROWS.iter();
    rows.flat_map(|row| record::names(row.record).map(move |name| (name, row)))
        .collect()
});

/// The row of the program of this name; see [`facts_name`](crate::facts_name).
#[must_use]
pub fn find(name: &str) -> Option<&'static Program> {
    BY_NAME.get(name).map(|row| row.program())
}

/// Every row.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    ROWS.iter().map(Lazy::program)
}

/// The programs that only look with some arguments. No row is read for it.
pub fn looking() -> impl Iterator<Item = &'static str> {
    Table::Looking.names().map(|(name, _)| name)
}

/// The names by which they are called: their own, with a version (`python3`), and those of programs that take the same arguments.
pub fn looking_names() -> impl Iterator<Item = Cow<'static, str>> {
    let own: Vec<&str> = looking().collect();
    let among = |name: &str| own.contains(&name);
    let versioned = Table::Versioned.names().map(|(name, _)| name);
    let versioned: Vec<&str> = versioned.filter(|name| among(name)).collect();
    let others: Vec<&str> = { Table::Like.pairs() }
        .filter(|(name, _)| among(name))
        .map(|(_, other)| other)
        .collect();
    let plain = own.into_iter().chain(others).map(Cow::Borrowed);
    plain.chain(
        versioned
            .into_iter()
            .map(|name| Cow::Owned(format!("{name}3"))),
    )
}

/// The examples of all rows.
pub fn examples() -> impl Iterator<Item = Example> {
    ROWS.iter().flat_map(|row| {
        let program = record::names(row.record).next().unwrap_or_default();
        record::examples(row.record).map(move |(command, effects)| Example {
            program,
            command,
            effects,
        })
    })
}

/// Whether this word is a subcommand of a program of the catalogue.
#[must_use]
pub fn is_command(program: &str, word: &str) -> bool {
    find(program).is_some_and(|program| program.command([Some(word)].into_iter()).is_some())
}
