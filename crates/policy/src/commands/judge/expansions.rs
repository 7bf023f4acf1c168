//! What the words of a command become when it runs, where they are not written as they are: `{a,b}`, `$x`, `"$@"`, what
//! `xargs` reads.
//!
//! Words that the text fixes are put in, and the command is judged with them. An unresolved word can be an option,
//! and some options run programs or write files: then approval is required.

pub(crate) mod input;
pub(crate) mod values;

use tenon_shell::{Command, FileAccess, FileOperand, Invocation, Part, Word, Words, invocation_by};

use crate::commands::judge::TextJudge;
use crate::commands::judge::expansions::input::Input;
use crate::commands::resolve::{Place, Site};
use crate::commands::words::{Effects, lists_of_braces};

/// How many lists of words are judged for one command.
const MOST: usize = 32;

/// How many texts are distinguished that one word can be.
const MOST_TEXTS: usize = 1024;

/// How many findings are looked through at the price of one value.
const FINDINGS_OF_A_VALUE: usize = 32;

/// Built-ins that take `name=value`.
const SETTING: &[&str] = &["export", "readonly", "declare", "typeset", "local"];

/// What a word becomes.
pub(crate) enum Expansion {
    /// Nothing that is an option.
    Plain,
    /// One of these lists of words, or something else that is no option.
    Lists(Vec<Vec<String>>),
    /// One of these lists of words.
    All(Vec<Vec<String>>),
    /// It cannot be determined.
    Unknown,
}

/// Whether an argument can mean more than a name or a number: an option, a setting, an address.
fn acts(text: &str) -> bool {
    text.starts_with(['-', '+', '@', ':', '!'])
        || text.contains('=')
        || text.contains("::")
        || text.contains("://")
        // Not every program reads only what it is given.
        || crate::protected::protected_among(text).is_some()
}

/// The words of a text, taken apart at blanks.
fn split(text: &str) -> Vec<String> {
    text.split([' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a list in braces.
fn in_braces(word: &Word) -> Expansion {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Text { value, quoted } if !*quoted || !value.contains(['{', '}', ',']) => {
                text.push_str(value)
            }
            _ => return Expansion::Unknown,
        }
    }
    if let Some(texts) = lists_of_braces(&text) {
        return if texts.iter().any(|text| acts(text)) {
            Expansion::All(vec![texts])
        } else {
            Expansion::Plain
        };
    }
    // A sequence, or lists in lists: every piece begins where a list or one of its pieces does.
    let pieces = text.split(['{', ',']);
    if pieces.into_iter().any(acts) {
        Expansion::Unknown
    } else {
        Expansion::Plain
    }
}

impl<'e> TextJudge<'_, 'e, '_> {
    /// What a word of a command in this text becomes.
    fn becomes(&self, word: &Word, input: &Input) -> Expansion {
        if !word.is_opaque() {
            return Expansion::Plain;
        }
        if word.expansion.braces {
            return in_braces(word);
        }
        let prefix = word.prefix();
        // The option is known, its value is looked at where it counts.
        if prefix.starts_with('-') && prefix.contains('=') {
            return Expansion::Plain;
        }
        if word.parts.iter().any(|part| matches!(part, Part::Unknown)) {
            return input.gives(word);
        }
        let begins = |part: &Part| match part {
            Part::Text { value, .. } => !value.trim_start_matches('-').is_empty(),
            Part::Arithmetic { .. } | Part::ProcessSubstitution { .. } => true,
            _ => false,
        };
        let begun = word.parts.first().is_some_and(begins);
        let Some((lists, plain)) = self.put_together(word, input.place) else {
            return if begun && !word.expansion.splits {
                Expansion::Plain
            } else {
                Expansion::Unknown
            };
        };
        let lists = lists.into_iter().map(|text| {
            if word.expansion.splits {
                split(&text)
            } else {
                vec![text]
            }
        });
        let mut lists: Vec<Vec<String>> = lists.collect();
        let count = lists.len();
        lists.retain(|words| words.iter().any(|word| acts(word)));
        match lists.len() {
            0 => Expansion::Plain,
            left if left == count && !plain => Expansion::All(lists),
            _ => Expansion::Lists(lists),
        }
    }

    /// The texts that a word can be, and whether it can be another one that is no option; nothing where that cannot be
    /// determined.
    fn put_together(&self, word: &Word, place: Place) -> Option<(Vec<String>, bool)> {
        let mut lists = vec![String::new()];
        let mut plain = false;
        for part in &word.parts {
            let printed = match part {
                Part::CommandSubstitution { scope, .. } => self.printed(*scope),
                _ => None,
            };
            let one = match part {
                Part::Text { value, .. } => Some(value.as_str()),
                Part::Arithmetic { .. } => Some("1"),
                Part::CommandSubstitution { .. } if printed.is_some() => printed.as_deref(),
                Part::CommandSubstitution { scope, .. } if self.writes_no_options(*scope) => {
                    Some("x")
                }
                Part::Parameter { .. } => None,
                _ => return None,
            };
            if let Some(text) = one {
                lists.iter_mut().for_each(|start| start.push_str(text));
                continue;
            }
            let Part::Parameter {
                name, operation, ..
            } = part
            else {
                continue;
            };
            let values = self.values(name, *operation, place)?;
            plain |= values.plain;
            let texts = &values.texts;
            let whole = lists
                .iter()
                .flat_map(|start| texts.iter().map(move |text| format!("{start}{text}")));
            lists = whole.take(MOST_TEXTS + 1).collect();
            if lists.len() > MOST_TEXTS {
                return None;
            }
        }
        Some((lists, plain))
    }

    /// Whether a word of these commands that cannot be determined may be an option that runs a program or names a file.
    pub(crate) fn may_hide_options(&self, place: Place, invocation: &Invocation) -> bool {
        let chain = invocation.chain();
        let mut words = chain
            .iter()
            .flat_map(|command| command.possible_options())
            .peekable();
        if words.peek().is_none() {
            return false;
        }
        let input = self.input(place, invocation);
        words.any(|word| matches!(self.becomes(word, &input), Expansion::Unknown))
    }

    /// Files that are written and that the output of another program names: what stands in a file can name a protected
    /// one as well.
    pub(crate) fn named_by_output(
        &mut self,
        effects: &Effects<'_>,
        invocation: &Invocation,
        at: Site<'_>,
    ) {
        let is_open = |file: &&FileOperand<'_>| {
            file.access == FileAccess::Write && self.judge.is_open_word(&file.word, at)
        };
        let mut open = effects.files.iter().filter(is_open).peekable();
        if self.judge.open || open.peek().is_none() {
            return;
        }
        let input = self.input(at.place, invocation);
        // What a function is given stands where it is called.
        let in_functions = self.reading.facts.variables.get().of_functions;
        let is_given = |part: &Part| match part {
            Part::Parameter { name, .. } => {
                name.starts_with(['@', '*']) || name.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        };
        let is_unknown = |file: &&FileOperand<'_>| {
            !(in_functions && file.word.parts.iter().any(is_given))
                && matches!(self.becomes(&file.word, &input), Expansion::Unknown)
        };
        if let Some(file) = open.find(is_unknown) {
            let shown = self.judge.written(&file.word);
            let reason = format!(
                "`{shown}` is written, and the output of another program says which file it is: it may be a protected one."
            );
            self.judge.guard(shown, reason);
        }
    }

    /// Judges the command with the words that the text puts in.
    pub(crate) fn with_words_put_in(
        &mut self,
        index: usize,
        command: &Command,
        invocation: &Invocation,
    ) {
        let reads = invocation
            .chain()
            .iter()
            .any(|command| command.base_name() == Some("xargs"));
        let sets = matches!(command.words.first().and_then(Word::literal), Some(name) if SETTING.contains(&name));
        // A value in `export name=value` is no option.
        let opaque = |word: &Word| word.is_opaque() && !(sets && word.prefix().contains('='));
        if self.judge.open || !(reads || command.words.iter().skip(1).any(opaque)) {
            return;
        }
        let input = self.input((self.index, index), invocation);
        let Some(lists) = self.word_lists(command, &input) else {
            let text = &self.judge.claim.text;
            let text = text.get(command.span.start..command.span.end);
            let reason = "The text can expand to too many words to check.";
            self.judge
                .add(self.judge.unclear(text.unwrap_or_default(), reason));
            return;
        };
        let fed = input.put_into(&command.words);
        // What runs an inner text may have another home directory.
        let home = self.judge.path_table.home();
        let home = home.filter(|_| self.text.origin.is_none());
        for words in lists.into_iter().chain(fed) {
            if words.as_slice() == &*command.words {
                continue;
            }
            let words = Words::from(words);
            let command = Command {
                words,
                ..command.clone()
            };
            let Some(invocation) = invocation_by(self.judge.catalogue, home, &command) else {
                continue;
            };
            let before = std::mem::take(&mut self.judge.judgement);
            self.opened(index, &command, &invocation);
            let found = std::mem::replace(&mut self.judge.judgement, before);
            self.judge.judgement.add_refusals(found);
        }
    }

    /// The lists of words that a command can have where some of them are not written as they are; nothing where there
    /// are too many.
    fn word_lists(&self, command: &Command, input: &Input) -> Option<Vec<Vec<Word>>> {
        let mut all: Vec<Vec<Word>> = vec![Vec::new()];
        let mut changed = false;
        for (place, word) in command.words.iter().enumerate() {
            let (lists, others) = match self.becomes(word, input) {
                Expansion::Lists(lists) if place > 0 => (lists, true),
                Expansion::All(lists) if place > 0 => (lists, false),
                _ => {
                    all.iter_mut().for_each(|words| words.push(word.clone()));
                    continue;
                }
            };
            if all.len() * lists.len() > MOST {
                return None;
            }
            changed = true;
            let synthetic = |text: &String| Word::synthetic(text, word.span);
            if let [list] = lists.as_slice()
                && !others
            {
                let list: Vec<Word> = list.iter().map(synthetic).collect();
                all.iter_mut()
                    .for_each(|words| words.extend_from_slice(&list));
                continue;
            }
            let mut next = Vec::new();
            for list in lists {
                let list: Vec<Word> = list.iter().map(synthetic).collect();
                next.extend(all.iter().map(|words| [words.as_slice(), &list].concat()));
            }
            if others {
                next.extend(all.into_iter().map(|mut words| {
                    words.push(word.clone());
                    words
                }));
            }
            all = next;
        }
        Some(if changed { all } else { Vec::new() })
    }
}
