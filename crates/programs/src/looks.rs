//! The forms in which a program, or a subcommand of it, only looks: `git branch -a`, but not `git branch x`.
//!
//! What is in no form is not known to only look. What options do besides (`-o FILE`) is judged by what the row says of them.

use smallvec::SmallVec;

use crate::effects::{CommandTraits, Traits};
use crate::looks_row::LooksRow;
use crate::parse::{Argument, Given, OptionTable, Parsed, parse, parse_letters_first};
use crate::program::{Look, LookOperands, Opt, Program};
use crate::row::{Problem, Row, Written, name_of, names_of, read_options};

/// The key of the form of a program without a subcommand.
pub(crate) const ITSELF: &str = "itself";
/// Options of a form that may be any, or with which it always asks.
pub(crate) const ANY: &str = "*";
/// What the operands of a form can be, by their names in the catalogue.
const OPERANDS: &[(&str, LookOperands)] = &[
    ("none", LookOperands::None),
    ("any", LookOperands::Any),
    ("one", LookOperands::One),
    ("key", LookOperands::Key),
    ("format", LookOperands::Format),
];

/// A form that is right.
#[derive(Debug, Clone)]
pub struct WrittenLook {
    /// The words of the subcommand; none for the program without one.
    pub command: String,
    /// Its options, or those that it may not have.
    pub options: Vec<Written>,
    /// Whether its options are all but these.
    pub are_excepted: bool,
    /// The form, as it is written.
    pub row: LooksRow,
}

/// Where what a command shows comes from that only looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Looking {
    /// Files, and the state of this machine.
    Here,
    /// A host, or a service that may be elsewhere.
    Asks,
}

/// The forms of a row.
pub(crate) fn read_looks(row: &Row) -> Result<Vec<WrittenLook>, Problem> {
    let mut looks = Vec::new();
    for (key, own) in &row.looks {
        let problem = |text: &str| format!("`[looks.\"{key}\"]`: {text}");
        operands_named(&own.operands).map_err(|text| problem(&text))?;
        let are_excepted = own.options.trim() == ANY;
        if !are_excepted && !own.except.trim().is_empty() {
            return Err(problem("`except` needs `options = \"*\"`."));
        }
        let list = if are_excepted {
            &own.except
        } else {
            &own.options
        };
        let options = read_options(&[("known".to_owned(), list.clone())].into());
        let options = options.map_err(|text| problem(&text))?;
        let stated = own
            .needs
            .split_whitespace()
            .chain(own.with.split_whitespace());
        let is_own = |name: &str| are_excepted || options.iter().any(|option| option.name == name);
        if let Some(other) = stated.map(name_of).find(|name| !is_own(name)) {
            return Err(problem(&format!(
                "`{other}` is not among its `options`. Add it there."
            )));
        }
        let commands = match own.commands.is_empty() {
            true => key,
            false => &own.commands,
        };
        for command in commands.split(',') {
            let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
            looks.push(WrittenLook {
                command: if command == ITSELF {
                    String::new()
                } else {
                    command
                },
                options: options.clone(),
                are_excepted,
                row: own.clone(),
            });
        }
    }
    Ok(looks)
}

/// What the operands of a form can be, by this name.
pub(crate) fn operands_named(name: &str) -> Result<LookOperands, Problem> {
    let name = if name.is_empty() { "none" } else { name };
    let known = OPERANDS.iter().find(|(known, _)| *known == name);
    known.map(|(_, operands)| *operands).ok_or_else(|| {
        let all = names_of(OPERANDS.iter().map(|(name, _)| *name));
        format!("`{name}` is not what operands can be. Use {all}.")
    })
}

impl Program {
    /// Where what it shows with these arguments comes from, if it only looks with them, as far as forms show. What options and
    /// operands do that the row knows counts besides. Takes arguments without the options before a subcommand.
    #[must_use]
    pub fn looking<W: Argument>(&self, arguments: &[W]) -> Option<Looking> {
        if self.is(Traits::LOOKS) {
            return Some(Looking::Here);
        }
        let shows = self.commands_are.has(CommandTraits::SHOWS);
        let command = shows.then(|| self.command_of(arguments)).flatten();
        if command.is_some_and(|(command, _)| command.is(CommandTraits::SHOWS)) {
            return Some(Looking::Here);
        }
        let called = self.looks.iter().filter_map(|look| {
            let parsed = look.parsed(self, arguments);
            look.is_called_by(&parsed).then_some((look, parsed))
        });
        let called: SmallVec<[_; 2]> = called.collect();
        // A subcommand can look in several forms.
        let most = called.iter().map(|(look, _)| look.command.len()).max();
        let own = called
            .iter()
            .filter(|(look, _)| Some(look.command.len()) == most);
        let mut taken = own.filter(|(look, parsed)| look.takes(parsed, arguments));
        let (look, parsed) = taken.next()?;
        Some(look.looking(parsed))
    }

    /// Whether it only looks with some arguments.
    #[must_use]
    pub fn may_look(&self) -> bool {
        self.is(Traits::LOOKS)
            || self.commands_are.has(CommandTraits::SHOWS)
            || !self.looks.is_empty()
    }
}

impl Look {
    fn parsed<'w, W: Argument>(&self, program: &Program, arguments: &'w [W]) -> Parsed<'w, W> {
        if self.are_excepted {
            // Of the others the row knows which have a value.
            let command = program.command_of(arguments);
            let others = command.map_or(program.options, |(command, _)| command.options);
            let table = Beside(self.options, others);
            return parse(table, arguments);
        }
        match program.is(Traits::LETTERS_FIRST) {
            true => parse_letters_first(self.options, arguments),
            false => parse(self.options, arguments),
        }
    }

    /// Whether the operands begin with the words of its subcommand.
    fn is_called_by<W: Argument>(&self, parsed: &Parsed<'_, W>) -> bool {
        let mut operands = parsed.operands.iter();
        self.command.iter().all(|pattern| {
            let word = operands.next().and_then(|word| word.literal());
            word.is_some_and(|word| pattern.split('|').any(|one| is_like(one, word)))
        })
    }

    fn takes<W: Argument>(&self, parsed: &Parsed<'_, W>, arguments: &[W]) -> bool {
        // An option that is not known may have the next word as its value, which then is no part of the subcommand.
        let last = self.command.len().checked_sub(1);
        let last = last.and_then(|last| parsed.operands.get(last));
        let place = |word: &W| arguments.iter().position(|own| std::ptr::eq(own, word));
        let is_before =
            |given: &Given<'_, W>| last.is_some_and(|last| place(given.word) < place(last));
        let may_be_given = |given: &Given<'_, W>| {
            if self.are_excepted {
                let is_excepted = self.options.iter().any(|option| option.name == given.name);
                !is_excepted && (given.is_known() || !is_before(given))
            } else {
                given.exact
            }
        };
        let has = |names: &[&str]| {
            parsed
                .options
                .iter()
                .any(|given| names.contains(&given.name))
        };
        (parsed.opaque.is_empty() || self.takes_anything())
            && parsed.options.iter().all(may_be_given)
            && (self.needs.is_empty() || has(self.needs))
            && self.permits(
                parsed
                    .operands
                    .get(self.command.len()..)
                    .unwrap_or_default(),
                has,
            )
    }

    fn looking<W: Argument>(&self, parsed: &Parsed<'_, W>) -> Looking {
        let asks = |given: &Given<'_, W>| self.asks.contains(&given.name);
        if self.asks.contains(&ANY) || parsed.options.iter().any(asks) {
            Looking::Asks
        } else {
            Looking::Here
        }
    }

    /// Whether it only looks whatever stands behind the subcommand.
    fn takes_anything(&self) -> bool {
        self.are_excepted
            && self.options.is_empty()
            && self.needs.is_empty()
            && self.with.is_empty()
            && self.operands == LookOperands::Any
    }

    fn permits<W: Argument>(&self, operands: &[&W], has: impl Fn(&[&str]) -> bool) -> bool {
        let permitted = match self.operands {
            LookOperands::None => operands.is_empty(),
            LookOperands::Any => true,
            LookOperands::One => {
                operands.len() <= 1 && operands.iter().all(|word| word.literal().is_some())
            }
            LookOperands::Key => matches!(
                operands,
                [word] if word.literal().is_some_and(|word| word.contains('.'))
            ),
            LookOperands::Format => operands.iter().all(|word| {
                let text = word.literal();
                text.is_some_and(|text| text.starts_with('+'))
            }),
        };
        permitted && (self.with.is_empty() || operands.is_empty() || has(self.with))
    }
}

/// Whether a word is this one, or begins so where a star follows.
fn is_like(pattern: &str, word: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => pattern == word,
    }
}

/// The options of one list, and those of another one.
#[derive(Clone, Copy)]
struct Beside(&'static [Opt], &'static [Opt]);

impl OptionTable<'static> for Beside {
    fn letter(self, letter: char) -> Option<&'static Opt> {
        self.0.letter(letter).or_else(|| self.1.letter(letter))
    }

    fn long(self, given: &str, dashes: usize) -> SmallVec<[&'static Opt; 2]> {
        let mut all = self.0.long(given, dashes);
        for other in self.1.long(given, dashes) {
            if !all.iter().any(|own| own.name == other.name) {
                all.push(other);
            }
        }
        all
    }

    fn is_one_dash(self, name: &str) -> bool {
        self.0.is_one_dash(name) || self.1.is_one_dash(name)
    }

    fn glued(self, text: &str) -> Option<&'static Opt> {
        self.0.glued(text).or_else(|| self.1.glued(text))
    }
}

impl WrittenLook {
    /// It as a page shows it: `branch -a -v …`.
    pub(crate) fn shown(&self) -> String {
        let mut words = vec![self.command.clone()];
        words.extend(self.are_excepted.then(|| ANY.to_owned()));
        let listed = if self.are_excepted {
            &self.row.except
        } else {
            &self.row.options
        };
        let not = if self.are_excepted && !listed.is_empty() {
            "without "
        } else {
            ""
        };
        let listed = listed.split_whitespace().collect::<Vec<_>>().join(" ");
        words.push(format!("{not}{listed}"));
        words.retain(|word| !word.is_empty());
        let asks = if self.row.asks == ANY { " (asks)" } else { "" };
        format!("`{}`{asks}", words.join(" "))
    }
}
