//! How options stand among the arguments of a program: attached values, clusters of letters, abbreviations.

use smallvec::{SmallVec, smallvec};

use crate::effects::Effects;
use crate::program::{Opt, Value};

/// A word of a command line, as far as it is known.
pub trait Argument {
    /// Its text, if it is one text.
    fn literal(&self) -> Option<&str>;
    /// The text with which it surely begins; all of it for a literal.
    fn known_start(&self) -> &str;
    /// Whether a part of it is not known.
    fn is_opaque(&self) -> bool;
}

/// The options of a program, looked up as they are written.
pub trait OptionTable<'t>: Copy {
    /// The option of this letter.
    fn letter(self, letter: char) -> Option<&'t Opt>;
    /// The options that a name behind so many dashes stands for: that of the name, else all that begin so.
    fn long(self, given: &str, dashes: usize) -> SmallVec<[&'t Opt; 2]>;
    /// Whether a name of several letters stands behind one dash.
    fn is_one_dash(self, name: &str) -> bool;
    /// The longest option with which this text behind one dash begins, of those whose value follows without a sign.
    fn glued(self, text: &str) -> Option<&'t Opt>;
}

/// Bytes of a letter, at most.
const MOST_OF_LETTER: usize = 4;

impl<'t> OptionTable<'t> for &'t [Opt] {
    fn letter(self, letter: char) -> Option<&'t Opt> {
        let is_glued = |option: &&Opt| option.value == Value::Glued;
        let mut bytes = [0; MOST_OF_LETTER];
        let letter: &str = letter.encode_utf8(&mut bytes);
        let is_it = |option: &&Opt| option.name == letter;
        let (glued, others) = self.split_at(self.iter().take_while(is_glued).count());
        let letters = others.iter();
        // Names stand behind letters.
        let mut letters = letters.take_while(|option| option.name.len() <= MOST_OF_LETTER);
        letters.find(is_it).or_else(|| glued.iter().find(is_it))
    }

    fn long(self, given: &str, dashes: usize) -> SmallVec<[&'t Opt; 2]> {
        let may_be = dashes == 1 || given.chars().nth(1).is_some();
        let exact = self
            .iter()
            .find(|option| option.name == given && (may_be || option.any_dashes));
        if let Some(option) = exact {
            return smallvec![option];
        }
        if given.is_empty() {
            return SmallVec::new();
        }
        let long = self.iter().filter(|option| option.name.len() > 1);
        long.filter(|option| option.name.starts_with(given))
            .collect()
    }

    fn is_one_dash(self, name: &str) -> bool {
        // Where names of several letters stand behind one dash, a letter takes its value behind a sign, too.
        let is_letter = name.chars().nth(1).is_none();
        let any = |test: fn(&Opt) -> bool| self.iter().any(test);
        self.iter()
            .any(|option| option.name == name && (option.any_dashes || is_letter))
            && (!is_letter
                || any(|option| option.any_dashes && option.name.len() > 1)
                    && !any(|option| option.value == Value::Glued))
    }

    fn glued(self, text: &str) -> Option<&'t Opt> {
        let glued = self.iter();
        let glued = glued.take_while(|option| option.value == Value::Glued);
        let begins = glued.filter(|option| text.starts_with(option.name));
        begins.max_by_key(|option| option.name.len())
    }
}

/// Where the value of an option is.
#[derive(Debug, PartialEq, Eq)]
pub enum Place<'w, W> {
    /// The next word.
    Next(&'w W),
    /// In the word of the option, from this byte of its known text on.
    Within(&'w W, usize),
}

impl<W> Clone for Place<'_, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Place<'_, W> {}

/// An option that was given.
#[derive(Debug)]
pub struct Given<'w, W> {
    /// Its name without dashes: that of the table, or as it is written where the table has none.
    pub name: &'w str,
    /// Its value.
    pub value: Option<Place<'w, W>>,
    /// The word in which it stands.
    pub word: &'w W,
    /// It as the table has it.
    pub option: Option<&'w Opt>,
    /// Whether it is written exactly as the table has it: its whole name, a value if it needs one, none if it has none.
    pub exact: bool,
}

impl<W> Given<'_, W> {
    /// Whether the table has it.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.option.is_some()
    }

    /// Whether it has one of these effects.
    #[must_use]
    pub fn does(&self, effects: Effects) -> bool {
        self.option
            .is_some_and(|option| option.effects.has(effects))
    }
}

impl<'w, W: Argument> Given<'w, W> {
    /// The text of its value, where it has one and all of it is known.
    #[must_use]
    pub fn value_literal(&self) -> Option<&'w str> {
        match self.value? {
            Place::Next(word) => word.literal(),
            Place::Within(word, place) => word.literal()?.get(place..),
        }
    }
}

/// The arguments of a program, split.
#[derive(Debug)]
pub struct Parsed<'w, W> {
    /// The options, in order. An abbreviation that stands for several options gives all of them.
    pub options: Vec<Given<'w, W>>,
    /// What is no option, and no value of one.
    pub operands: SmallVec<[&'w W; 8]>,
    /// Words that may be options but cannot be determined; they are among the operands as well.
    pub opaque: SmallVec<[&'w W; 2]>,
    /// How many words at the end were not read: what is behind `--`, and with [`parse_before`] all from the first operand on.
    pub behind: usize,
    /// Whether that is because of `--`.
    pub ended: bool,
}

impl<'w, W> Parsed<'w, W> {
    /// The options that the table does not have.
    pub fn unknown(&self) -> impl Iterator<Item = &Given<'w, W>> {
        self.options.iter().filter(|option| !option.is_known())
    }
}

/// Splits arguments by the options of a table. Every word is an option, the value of one, or an operand; an option that the
/// table does not have counts as one without a value.
pub fn parse<'t: 'w, 'w, W: Argument, T: OptionTable<'t>>(
    table: T,
    arguments: &'w [W],
) -> Parsed<'w, W> {
    split(table, arguments, true)
}

/// The same where the first word is letters, also without a dash, whose values follow in the next words: `tar cfC a.tar directory`.
pub fn parse_letters_first<'t: 'w, 'w, W: Argument, T: OptionTable<'t>>(
    table: T,
    arguments: &'w [W],
) -> Parsed<'w, W> {
    let mut parser = Parser::new(table, arguments);
    let first = arguments.first().map(Argument::known_start);
    if let Some(text) = first.filter(|text| !text.is_empty() && !text.starts_with('-'))
        && let Some(word) = parser.words.next()
    {
        parser.letters_of(word, text);
    }
    parser.all(true)
}

/// Splits the options in front of a subcommand or of another command: like [`parse`], but everything from the first operand on
/// is an operand.
pub fn parse_before<'t: 'w, 'w, W: Argument, T: OptionTable<'t>>(
    table: T,
    arguments: &'w [W],
) -> Parsed<'w, W> {
    split(table, arguments, false)
}

fn split<'t: 'w, 'w, W: Argument, T: OptionTable<'t>>(
    table: T,
    arguments: &'w [W],
    permutes: bool,
) -> Parsed<'w, W> {
    Parser::new(table, arguments).all(permutes)
}

struct Parser<'w, W, T> {
    table: T,
    words: std::slice::Iter<'w, W>,
    parsed: Parsed<'w, W>,
}

impl<'t: 'w, 'w, W: Argument, T: OptionTable<'t>> Parser<'w, W, T> {
    fn new(table: T, arguments: &'w [W]) -> Self {
        Self {
            table,
            words: arguments.iter(),
            parsed: Parsed {
                options: Vec::new(),
                operands: SmallVec::new(),
                opaque: SmallVec::new(),
                behind: 0,
                ended: false,
            },
        }
    }

    fn all(mut self, permutes: bool) -> Parsed<'w, W> {
        while let Some(word) = self.words.next() {
            if word.literal() == Some("--") {
                self.parsed.behind = self.words.len();
                self.parsed.ended = true;
                break;
            }
            self.word(word);
            if !permutes && !self.parsed.operands.is_empty() {
                self.parsed.behind = self.words.len() + 1;
                break;
            }
        }
        self.parsed.operands.extend(self.words);
        self.parsed
    }

    /// Letters in front, each of which takes its value from the next word.
    fn letters_of(&mut self, word: &'w W, text: &'w str) {
        for (place, letter) in text.char_indices() {
            let written = text
                .get(place..place + letter.len_utf8())
                .unwrap_or_default();
            let option = self.table.letter(letter);
            let shape = option.map_or(Value::None, |option| option.value);
            let value = match shape {
                Value::Next | Value::Glued => self.next_word(),
                Value::None | Value::Attached | Value::Optional | Value::Unknown => None,
            };
            let exact = option.is_some() && shape.is_right(value.is_some());
            self.push((written, option), value, word, exact);
        }
        if word.is_opaque() {
            self.parsed.opaque.push(word);
        }
    }

    fn word(&mut self, word: &'w W) {
        let text = word.known_start();
        if let Some(long) = text.strip_prefix("--") {
            return self.named(word, long, 2);
        }
        let Some(short) = text.strip_prefix('-') else {
            return self.operand(word);
        };
        if let Some(option) = self.glued(word, short) {
            let place = Place::Within(word, option.name.len() + 1);
            return self.push(("", Some(option)), Some(place), word, true);
        }
        let name = short.split('=').next().unwrap_or_default();
        // Letters without a sign may be a cluster.
        let may_be_name = name.len() > 1 || name.len() < short.len();
        if may_be_name && self.table.is_one_dash(name) {
            self.named(word, short, 1);
        } else if text.len() > 1 {
            self.letters(word, text);
        } else {
            self.operand(word);
        }
    }

    fn operand(&mut self, word: &'w W) {
        if word.is_opaque() && (word.known_start().is_empty() || word.known_start() == "-") {
            self.parsed.opaque.push(word);
        }
        self.parsed.operands.push(word);
    }

    /// Adds an option that is written so, where the table does not have it.
    fn push(
        &mut self,
        (written, option): (&'w str, Option<&'t Opt>),
        value: Option<Place<'w, W>>,
        word: &'w W,
        exact: bool,
    ) {
        self.parsed.options.push(Given {
            name: option.map_or(written, |option| option.name),
            value,
            word,
            option,
            exact,
        });
    }

    /// The next word if it does not look like an option.
    fn next_value(&mut self) -> Option<Place<'w, W>> {
        let next = self.words.as_slice().first()?;
        match next.known_start().starts_with('-') {
            true => None,
            false => self.next_word(),
        }
    }

    fn next_word(&mut self) -> Option<Place<'w, W>> {
        self.words.next().map(Place::Next)
    }

    /// The option whose value follows without a sign.
    fn glued(&self, word: &W, short: &str) -> Option<&'t Opt> {
        let option = self.table.glued(short)?;
        let value = short.get(option.name.len()..).unwrap_or_default();
        let is_there = !value.is_empty() || word.is_opaque();
        (is_there && !value.starts_with('=')).then_some(option)
    }

    /// An option by its name, behind so many dashes.
    fn named(&mut self, word: &'w W, long: &'w str, dashes: usize) {
        let sign = long.find('=');
        let given = sign.and_then(|sign| long.get(..sign)).unwrap_or(long);
        if sign.is_none() && word.is_opaque() {
            // The name itself cannot be determined.
            self.parsed.opaque.push(word);
            return self.parsed.operands.push(word);
        }
        let attached = sign.map(|sign| Place::Within(word, sign + dashes + 1));
        let options = self.table.long(given, dashes);
        if options.is_empty() {
            return self.push((given, None), attached, word, false);
        }
        let any = |shapes: &[Value]| options.iter().any(|option| shapes.contains(&option.value));
        let value = match attached {
            None if any(&[Value::Next, Value::Glued]) => self.next_word(),
            None if any(&[Value::Optional]) => self.next_value(),
            attached => attached,
        };
        for option in options {
            let exact = option.name == given && option.value.is_right(value.is_some());
            self.push((given, Some(option)), value, word, exact);
        }
    }

    fn letters(&mut self, word: &'w W, text: &'w str) {
        let mut place = 1;
        while let Some(letter) = text.get(place..).and_then(|rest| rest.chars().next()) {
            let start = place;
            place += letter.len_utf8();
            let written = text.get(start..place).unwrap_or_default();
            let option = self.table.letter(letter);
            let shape = option.map(|option| option.value);
            let Some(shape) = shape.filter(|shape| !matches!(shape, Value::None | Value::Unknown))
            else {
                self.push((written, option), None, word, shape == Some(Value::None));
                continue;
            };
            let ends = place == text.len() && word.literal().is_some();
            let value = match (ends, shape) {
                (false, _) => Some(Place::Within(word, place)),
                (true, Value::Attached) => None,
                (true, Value::Optional) => self.next_value(),
                (true, _) => self.next_word(),
            };
            let exact = shape.is_right(value.is_some());
            return self.push((written, option), value, word, exact);
        }
        if word.is_opaque() {
            self.parsed.opaque.push(word);
            self.parsed.operands.push(word);
        }
    }
}
