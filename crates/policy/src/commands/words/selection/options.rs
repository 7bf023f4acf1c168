//! The options of searching programs, read exactly: one that is not known makes all of them unknown, since it may
//! take the next word for its value.

use tenon_programs::Value;
use tenon_shell::Word;

/// The options of a program.
pub(crate) struct Options {
    /// Letters without a value.
    pub(crate) flags: &'static str,
    /// Letters with a value, in the same word or the next one.
    pub(crate) values: &'static str,
    pub(crate) long_flags: &'static [&'static str],
    pub(crate) long_values: &'static [&'static str],
    /// The program of the catalogue whose long options with a value count as well.
    pub(crate) program: &'static str,
    /// Long options with a value only behind `=`.
    pub(crate) long_optional: &'static [&'static str],
}

/// An option that was given, without its dashes.
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) value: Option<String>,
}

/// A word as a program gets it.
enum Argument {
    /// These arguments, where a pattern of names stands for itself or for names that fit it.
    Texts(Vec<String>),
    /// Something that is no option.
    Operand,
}

fn argument(word: &Word) -> Option<Argument> {
    if let Some(text) = word.literal() {
        return Some(Argument::Texts(vec![text.to_owned()]));
    }
    let prefix = word.prefix();
    let begins_plainly = prefix.starts_with(|first: char| {
        !matches!(first, '-' | '*' | '?' | '[' | '{' | '~' | '+' | '@' | '!')
    });
    if begins_plainly && !word.expansion.splits {
        return Some(Argument::Operand);
    }
    // `--include=*.{ts,tsx}`: what is expanded stands behind the sign.
    let text = word.pattern()?;
    let (name, value) = text.split_once('=')?;
    let named = name.starts_with("--") && !name.contains(['*', '?', '[', '{', '~']);
    if !named || word.expansion.tilde || word.expansion.splits {
        return None;
    }
    let values = match word.expansion.braces {
        true => alternatives(value)?,
        false => vec![value.to_owned()],
    };
    let whole = values.into_iter().map(|value| format!("{name}={value}"));
    Some(Argument::Texts(whole.collect()))
}

/// The texts of lists in braces; `None` for lists in lists, sequences, and too many of them.
pub(crate) fn alternatives(text: &str) -> Option<Vec<String>> {
    let mut whole = vec![String::new()];
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let (list, behind) = behind.split_once('}')?;
        let plain = list.contains(',') && !list.contains(['{', '\\', '$', '`']);
        if before.contains('}') || !plain {
            return None;
        }
        let mut next = Vec::new();
        for start in &whole {
            next.extend(
                list.split(',')
                    .map(|piece| format!("{start}{before}{piece}")),
            );
        }
        if next.len() > 64 {
            return None;
        }
        whole = next;
        rest = behind;
    }
    if rest.contains('}') {
        return None;
    }
    whole.iter_mut().for_each(|text| text.push_str(rest));
    Some(whole)
}

impl Options {
    /// The options among the arguments, in order; `None` when they cannot be determined.
    pub(crate) fn given(&self, arguments: &[Word]) -> Option<Vec<Given>> {
        let mut given = Vec::new();
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let Argument::Texts(texts) = argument(word)? else {
                continue;
            };
            let single = texts.len() == 1;
            for text in texts {
                if text == "--" {
                    return Some(given);
                }
                if let Some(long) = text.strip_prefix("--") {
                    let (name, attached) = match long.split_once('=') {
                        Some((name, value)) => (name, Some(value.to_owned())),
                        None => (long, None),
                    };
                    let value = if self.takes_value(name) {
                        match attached {
                            Some(value) => Some(value),
                            None => Some(value_of(words.next())?),
                        }
                    } else if self.long_optional.contains(&name)
                        || (self.long_flags.contains(&name) && attached.is_none())
                    {
                        attached
                    } else {
                        return None;
                    };
                    given.push(Given {
                        name: name.to_owned(),
                        value,
                    });
                } else if text.len() > 1 && text.starts_with('-') {
                    if !single {
                        return None;
                    }
                    self.letters(&text, &mut words, &mut given)?;
                }
            }
        }
        Some(given)
    }

    fn takes_value(&self, name: &str) -> bool {
        let option = tenon_programs::find(self.program).and_then(|program| program.option(name));
        self.long_values.contains(&name)
            || option.is_some_and(|option| name.len() > 1 && option.value == Value::Next)
    }

    fn letters<'w>(
        &self,
        text: &str,
        words: &mut impl Iterator<Item = &'w Word>,
        given: &mut Vec<Given>,
    ) -> Option<()> {
        let mut letters = text.get(1..)?.chars();
        while let Some(letter) = letters.next() {
            let name = letter.to_string();
            if self.flags.contains(letter) {
                given.push(Given { name, value: None });
            } else if self.values.contains(letter) {
                let value = match letters.as_str() {
                    "" => value_of(words.next())?,
                    attached => attached.to_owned(),
                };
                let value = Some(value);
                given.push(Given { name, value });
                return Some(());
            } else {
                return None;
            }
        }
        Some(())
    }
}

/// The value in a word of its own. What an expansion makes of it is one word only in quotes, and its text does not
/// matter but for options that choose files.
fn value_of(word: Option<&Word>) -> Option<String> {
    let word = word?;
    match word.literal() {
        Some(text) => Some(text.to_owned()),
        None if !word.expansion.any() => Some("\0".to_owned()),
        None => None,
    }
}
