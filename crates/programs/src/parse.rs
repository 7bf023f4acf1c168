//! How options stand among the arguments of a program: attached values, clusters of letters, abbreviations.

use smallvec::{SmallVec, smallvec};

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

/// The name of an option with the shape of its value.
pub type Shaped = (&'static str, Value);

/// The options of a program, looked up as they are written.
pub trait OptionTable {
    /// The option of this letter.
    fn letter(&self, letter: char) -> Option<Shaped>;
    /// The options that a name behind so many dashes stands for: that of the name, else all that begin so.
    fn long(&self, given: &str, dashes: usize) -> SmallVec<[Shaped; 2]>;
    /// Whether a name of several letters stands behind one dash.
    fn is_one_dash(&self, name: &str) -> bool;
    /// The longest option with which this text behind one dash begins, of those whose value follows without a sign.
    fn glued(&self, text: &str) -> Option<&'static str>;
}

/// Bytes of a letter, at most.
const MOST_OF_LETTER: usize = 4;

impl OptionTable for [Opt] {
    fn letter(&self, letter: char) -> Option<Shaped> {
        let is_glued = |option: &&Opt| option.value == Value::Glued;
        let mut bytes = [0; MOST_OF_LETTER];
        let letter: &str = letter.encode_utf8(&mut bytes);
        let is_it = |option: &&Opt| option.name == letter;
        let (glued, others) = self.split_at(self.iter().take_while(is_glued).count());
        let letters = others.iter();
        // Names stand behind letters.
        let mut letters = letters.take_while(|option| option.name.len() <= MOST_OF_LETTER);
        let option = letters.find(is_it).or_else(|| glued.iter().find(is_it))?;
        Some((option.name, option.value))
    }

    fn long(&self, given: &str, dashes: usize) -> SmallVec<[Shaped; 2]> {
        let may_be = dashes == 1 || given.chars().nth(1).is_some();
        let exact = self
            .iter()
            .find(|option| option.name == given && (may_be || option.any_dashes));
        if let Some(option) = exact {
            return smallvec![(option.name, option.value)];
        }
        if given.is_empty() {
            return SmallVec::new();
        }
        let long = self.iter().filter(|option| option.name.len() > 1);
        let begins = long.filter(|option| option.name.starts_with(given));
        begins.map(|option| (option.name, option.value)).collect()
    }

    fn is_one_dash(&self, name: &str) -> bool {
        // Where names of several letters stand behind one dash, a letter takes its value behind a sign, too.
        let is_letter = name.chars().nth(1).is_none();
        let any = |test: fn(&Opt) -> bool| self.iter().any(test);
        self.iter()
            .any(|option| option.name == name && (option.any_dashes || is_letter))
            && (!is_letter
                || any(|option| option.any_dashes && option.name.len() > 1)
                    && !any(|option| option.value == Value::Glued))
    }

    fn glued(&self, text: &str) -> Option<&'static str> {
        let glued = self.iter();
        let glued = glued.take_while(|option| option.value == Value::Glued);
        let begins = glued.filter(|option| text.starts_with(option.name));
        begins
            .map(|option| option.name)
            .max_by_key(|name| name.len())
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
    /// Whether the table has it.
    pub known: bool,
    /// Whether it is written exactly as the table has it: its whole name, a value if it needs one, none if it has none.
    pub exact: bool,
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
        self.options.iter().filter(|option| !option.known)
    }
}

/// Splits arguments by the options of a table. Every word is an option, the value of one, or an operand; an option that the
/// table does not have counts as one without a value.
pub fn parse<'w, W: Argument, T: OptionTable + ?Sized>(
    table: &T,
    arguments: &'w [W],
) -> Parsed<'w, W> {
    split(table, arguments, true)
}

/// The same where the first word is letters, also without a dash, whose values follow in the next words: `tar cfC a.tar directory`.
pub fn parse_letters_first<'w, W: Argument, T: OptionTable + ?Sized>(
    table: &T,
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
pub fn parse_before<'w, W: Argument, T: OptionTable + ?Sized>(
    table: &T,
    arguments: &'w [W],
) -> Parsed<'w, W> {
    split(table, arguments, false)
}

fn split<'w, W: Argument, T: OptionTable + ?Sized>(
    table: &T,
    arguments: &'w [W],
    permutes: bool,
) -> Parsed<'w, W> {
    Parser::new(table, arguments).all(permutes)
}

struct Parser<'t, 'w, W, T: ?Sized> {
    table: &'t T,
    words: std::slice::Iter<'w, W>,
    parsed: Parsed<'w, W>,
}

impl<'t, 'w, W: Argument, T: OptionTable + ?Sized> Parser<'t, 'w, W, T> {
    fn new(table: &'t T, arguments: &'w [W]) -> Self {
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
            let found = self.table.letter(letter);
            let (name, shape) = found.unwrap_or((written, Value::None));
            let value = match shape {
                Value::Next | Value::Glued => self.next_word(),
                Value::None | Value::Attached | Value::Optional | Value::Unknown => None,
            };
            let exact = found.is_some() && shape.is_right(value.is_some());
            self.push(name, value, word, (found.is_some(), exact));
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
        if let Some(name) = self.glued(word, short) {
            let place = Place::Within(word, name.len() + 1);
            return self.push(name, Some(place), word, (true, true));
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

    fn push(
        &mut self,
        name: &'w str,
        value: Option<Place<'w, W>>,
        word: &'w W,
        (known, exact): (bool, bool),
    ) {
        self.parsed.options.push(Given {
            name,
            value,
            word,
            known,
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
    fn glued(&self, word: &W, short: &str) -> Option<&'static str> {
        let name = self.table.glued(short)?;
        let value = short.get(name.len()..).unwrap_or_default();
        let is_there = !value.is_empty() || word.is_opaque();
        (is_there && !value.starts_with('=')).then_some(name)
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
        let names = self.table.long(given, dashes);
        if names.is_empty() {
            return self.push(given, attached, word, (false, false));
        }
        let awaits = |value: &Value| matches!(value, Value::Next | Value::Glued);
        let value = match attached {
            None if names.iter().any(|(_, value)| awaits(value)) => self.next_word(),
            None if names.iter().any(|(_, value)| *value == Value::Optional) => self.next_value(),
            attached => attached,
        };
        for (name, shape) in names {
            let exact = name == given && shape.is_right(value.is_some());
            self.push(name, value, word, (true, exact));
        }
    }

    fn letters(&mut self, word: &'w W, text: &'w str) {
        let mut place = 1;
        while let Some(letter) = text.get(place..).and_then(|rest| rest.chars().next()) {
            let start = place;
            place += letter.len_utf8();
            let found = self.table.letter(letter);
            let with_value =
                found.filter(|(_, value)| !matches!(value, Value::None | Value::Unknown));
            let Some((name, shape)) = with_value else {
                let name = text.get(start..place).unwrap_or_default();
                let exact = found.is_some_and(|(_, shape)| shape == Value::None);
                self.push(name, None, word, (found.is_some(), exact));
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
            return self.push(name, value, word, (true, exact));
        }
        if word.is_opaque() {
            self.parsed.opaque.push(word);
            self.parsed.operands.push(word);
        }
    }
}
