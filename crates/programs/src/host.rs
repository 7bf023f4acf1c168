//! Programs of a host: rows that it brings, in the form of the catalogue, in front of those of tenon.
//!
//! A row of a host is kept until the process ends, as those of tenon are: once however often it is brought, and
//! [`MAX_KEPT_BYTES`] bounds how much that is.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hashbrown::HashMap;

use crate::catalogue::find;
use crate::names::facts_name;
use crate::program::Program;
use crate::record;
use crate::row::{Problem, Row};
use crate::source::{Checked, names_given_twice, take_likes};
use crate::written_record::written;

/// How many rows a host may bring at a time.
pub const MAX_ROWS: usize = 1000;

/// How long the records of all rows that are kept may be in one process.
pub const MAX_KEPT_BYTES: usize = 16 * 1024 * 1024;

/// A row with the place where it is written, which begins what is said of it.
pub type PlacedRow = (String, Row);

/// Which programs are known: those of tenon, and those of a host before them. Clones share what they hold.
#[derive(Debug, Clone, Default)]
pub struct Catalogue(Option<Arc<HashMap<String, Entry>>>);

/// What is known of a program of a host.
#[derive(Debug, Clone, Copy)]
enum Entry {
    /// Its own row.
    Row(&'static Program),
    /// It takes the arguments of this program of tenon.
    Like(&'static str),
}

impl Catalogue {
    /// The programs of tenon alone.
    pub const BUILT_IN: Self = Self(None);

    /// The catalogue with these rows in front: of a program that tenon knows as well, only the row of the host counts.
    ///
    /// # Errors
    ///
    /// All that is wrong with the rows, one sentence each.
    ///
    /// ```
    /// use tenon_programs::{Catalogue, Effects, Row};
    ///
    /// let row = Row {
    ///     names: "shipit".into(),
    ///     options: [("write".into(), "-o= --output=".into())].into(),
    ///     ..Row::default()
    /// };
    /// let catalogue = Catalogue::of_host(vec![("programs[0]".into(), row)])?;
    /// let shipit = catalogue.find("shipit").expect("it was brought");
    /// assert!(shipit.does("output", Effects::WRITE));
    /// # Ok::<(), Vec<String>>(())
    /// ```
    pub fn of_host(mut rows: Vec<PlacedRow>) -> Result<Self, Vec<Problem>> {
        if rows.is_empty() {
            return Ok(Self::BUILT_IN);
        }
        if rows.len() > MAX_ROWS {
            let many = rows.len();
            return Err(vec![format!(
                "There are {many} rows of programs. Bring at most {MAX_ROWS}."
            )]);
        }
        let mut problems = names_given_twice(&rows);
        let likes = take_relatives(&mut rows, &mut problems);
        problems.extend(take_likes(&mut rows));
        let mut programs = HashMap::new();
        for (names, like) in likes {
            let names = names.split_whitespace();
            programs.extend(names.map(|name| (name.to_owned(), Entry::Like(like))));
        }
        for (place, row) in &rows {
            match check_form(row).and_then(|()| kept(row)) {
                Ok(program) => {
                    let names = row.all_names();
                    programs.extend(names.map(|name| (name.to_owned(), Entry::Row(program))));
                }
                Err(problem) => {
                    problems.push(format!("{place}: {}: {problem}", row.first_name()));
                }
            }
        }
        if problems.is_empty() {
            Ok(Self(Some(Arc::new(programs))))
        } else {
            Err(problems)
        }
    }

    /// These programs, and behind them those of the other catalogue.
    #[must_use]
    pub fn in_front_of(self, other: &Self) -> Self {
        match (self.0, &other.0) {
            (None, _) => other.clone(),
            (own, None) => Self(own),
            (Some(own), Some(other)) => {
                let mut programs = HashMap::clone(other);
                programs.extend(own.iter().map(|(name, entry)| (name.clone(), *entry)));
                Self(Some(Arc::new(programs)))
            }
        }
    }

    fn entry(&self, name: &str) -> Option<Entry> {
        self.0.as_ref()?.get(name).copied()
    }

    /// The row of the program of this name; see [`Self::facts_name`].
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static Program> {
        match self.entry(name) {
            Some(Entry::Row(program)) => Some(program),
            Some(Entry::Like(like)) => find(like),
            None => find(name),
        }
    }

    /// The name under which facts about a program are known, given one of its names without a directory.
    #[must_use]
    pub fn facts_name<'n>(&self, name: &'n str) -> &'n str {
        match self.entry(name) {
            Some(Entry::Row(_)) => name,
            Some(Entry::Like(like)) => like,
            None => facts_name(name),
        }
    }

    /// Whether a host brought no rows.
    #[must_use]
    pub const fn is_built_in(&self) -> bool {
        self.0.is_none()
    }

    /// Whether these are the same rows, brought at the same time.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Takes out the rows that are like a program of tenon, which say nothing else.
fn take_relatives(
    rows: &mut Vec<PlacedRow>,
    problems: &mut Vec<Problem>,
) -> Vec<(String, &'static str)> {
    let own: Vec<String> = rows
        .iter()
        .flat_map(|(_, row)| row.all_names().map(str::to_owned))
        .collect();
    let mut likes = Vec::new();
    rows.retain(|(place, row)| {
        let of_tenon = find(facts_name(&row.like)).filter(|_| !own.contains(&row.like));
        let name = of_tenon.and_then(|program| {
            let mut names = program.names.iter();
            names.find(|name| **name == facts_name(&row.like))
        });
        let Some(name) = name else {
            return true;
        };
        let only_names = Row {
            names: row.names.clone(),
            like: row.like.clone(),
            source: row.source.clone(),
            examples: row.examples.clone(),
            ..Row::default()
        };
        let problem = match check_names(row) {
            Ok(()) if *row == only_names => {
                likes.push((row.names.clone(), *name));
                return false;
            }
            Ok(()) => format!(
                "`{}` is a program of tenon, and a row that is like one says nothing else. Remove the rest, or `like`.",
                row.like
            ),
            Err(problem) => problem,
        };
        problems.push(format!("{place}: {}: {problem}", row.first_name()));
        false
    });
    likes
}

/// What a row of a host cannot say.
fn check_form(row: &Row) -> Result<(), Problem> {
    check_names(row)?;
    let other_names = [
        ("aliases", row.aliases.is_empty()),
        ("relatives", row.relatives.is_empty()),
        ("prefixed", row.prefixed.is_empty()),
        ("versioned", row.versioned.is_empty()),
        ("looks", row.looks.is_empty()),
        (
            "only … traits",
            row.only.values().all(|only| only.traits.is_empty()),
        ),
    ];
    match other_names.iter().find(|(_, is_empty)| !is_empty) {
        Some((key, _)) => Err(format!(
            "`{key}` is only for rows of tenon. Write all names into `names`, or a row with `like`."
        )),
        None => Ok(()),
    }
}

fn check_names(row: &Row) -> Result<(), Problem> {
    for name in row.all_names() {
        if name.contains(['/', '=', '$', '*']) || name.starts_with('-') {
            return Err(format!(
                "`{name}` is not the name of a program. Write the last part of its path."
            ));
        }
        let known = facts_name(name);
        if known != name {
            return Err(format!(
                "`{name}` is another name of `{known}`, which tenon knows. Write the row for `{known}`."
            ));
        }
    }
    Ok(())
}

/// The rows that were ever brought, by their records.
#[derive(Default)]
struct LeakedRows {
    programs: HashMap<&'static str, &'static Program>,
    bytes: usize,
}

static LEAKED: LazyLock<Mutex<LeakedRows>> = LazyLock::new(Mutex::default);

/// The program of a row that is right, kept until the process ends.
fn kept(row: &Row) -> Result<&'static Program, Problem> {
    let record = written(&Checked::new(row)?);
    let mut kept = LEAKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = kept.programs.get(record.as_str()) {
        return Ok(program);
    }
    if kept.bytes.saturating_add(record.len()) > MAX_KEPT_BYTES {
        let most = MAX_KEPT_BYTES / 1024 / 1024;
        return Err(format!(
            "this process was already brought {most} MiB of different rows. Bring the same rows to every toolkit."
        ));
    }
    let record: &'static str = String::leak(record);
    let program: &'static Program = Box::leak(Box::new(record::read(record)));
    kept.bytes += record.len();
    kept.programs.insert(record, program);
    Ok(program)
}
