//! What `xargs` reads.

use tenon_shell::{Command, Invocation, Part, RedirectionOperator, Word};

use crate::commands::judge::TextJudge;
use crate::commands::judge::expansions::Expansion;
use crate::commands::resolve::Place;
use crate::commands::resolve::command_places::CommandPlaces;
use crate::commands::words::outputs::{passes_lines, writes_no_options};
use crate::program_names::name_of;

/// What a command is fed that makes words of it.
pub(crate) struct Input {
    /// The finding of the command.
    pub(crate) place: Place,
    /// The words that it reads, where the text has them.
    words: Option<Vec<String>>,
    /// Whether no word of it is an option.
    plain: bool,
    /// What stands for a word in the arguments.
    mark: Option<String>,
}

/// How many words are put in at a mark.
const MOST: usize = 16;

impl Input {
    /// What a word becomes that is read.
    pub(crate) fn gives(&self, word: &Word) -> Expansion {
        let begins = match (&self.mark, word.parts.first()) {
            (Some(mark), Some(Part::Text { value, .. })) => !value.starts_with(mark.as_str()),
            (None, Some(Part::Text { value, .. })) => !value.is_empty(),
            _ => false,
        };
        // What is known is judged by itself.
        if begins || self.plain || self.words.is_some() {
            Expansion::Plain
        } else {
            Expansion::Unknown
        }
    }

    /// The words of a command with those that it reads.
    pub(crate) fn put_into(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let Some(read) = self.words.as_ref().filter(|read| !read.is_empty()) else {
            return Vec::new();
        };
        let Some(mark) = &self.mark else {
            let span = words.last().map(|word| word.span);
            let read = read.iter().zip(span.into_iter().cycle());
            let read = read.map(|(text, span)| Word::synthetic(text, span));
            return vec![words.iter().cloned().chain(read).collect()];
        };
        let behind = words.iter().position(|word| {
            word.literal().is_some_and(|text| {
                text.ends_with(mark.as_str()) && text.trim_start_matches("-I") == mark
            })
        });
        let start = behind.map_or(0, |place| place + 1);
        let put = |text: &String| {
            let words = words
                .iter()
                .enumerate()
                .map(|(place, word)| match word.literal() {
                    Some(own) if place >= start && own.contains(mark.as_str()) => {
                        Word::synthetic(&own.replace(mark.as_str(), text), word.span)
                    }
                    _ => word.clone(),
                });
            words.collect()
        };
        read.iter().take(MOST).map(put).collect()
    }
}

/// The words of a text that `xargs` reads.
fn taken_apart(text: &str) -> Vec<String> {
    let text = text.replace(['\'', '"', '\\', '\0'], "");
    crate::commands::judge::expansions::split(&text)
}

/// The words that `echo` or `printf` writes, if they stand there.
fn echoed(words: &[Word]) -> Option<Vec<String>> {
    let name = name_of(words)?;
    if !matches!(name, "echo" | "printf") {
        return None;
    }
    let texts: Option<Vec<&str>> = words.iter().skip(1).map(Word::literal).collect();
    let text = texts?.join(" ");
    let signs = ["\\n", "\\0", "\\t", "%s", "%b", "\\000", "\\x00"];
    let plain = signs
        .iter()
        .fold(text, |text, sign| text.replace(sign, " "));
    (!plain.contains(['\\', '%'])).then(|| taken_apart(&plain))
}

/// What stands for a word, as the options of `xargs` say.
fn mark(xargs: &Invocation) -> Option<String> {
    let mut words = xargs.words.iter().skip(1).map(Word::literal);
    while let Some(word) = words.next() {
        let word = word?;
        let option = word.strip_prefix('-')?;
        let mark = match option.strip_prefix("-replace") {
            Some("") => Some("{}"),
            Some(value) => value.strip_prefix('='),
            None if option == "i" => Some("{}"),
            None => match option.split_once('I') {
                Some((_, "")) => words.next().flatten(),
                Some((_, value)) => Some(value),
                None => None,
            },
        };
        if mark.is_some() {
            return mark.map(str::to_owned);
        }
        if matches!(option, "n" | "P" | "L" | "s" | "d" | "a" | "E") {
            words.next();
        }
    }
    None
}

impl<'w> TextJudge<'w, '_, '_> {
    /// What the commands inside of this one are fed.
    pub(crate) fn input(&self, place: Place, invocation: &Invocation) -> Input {
        let chain = invocation.chain();
        let xargs = chain
            .iter()
            .find(|command| command.base_name() == Some("xargs"));
        let Some(xargs) = xargs else {
            let finds = |command: &&Invocation| matches!(command.base_name(), Some("find" | "fd"));
            return Input {
                place,
                words: None,
                plain: chain.iter().any(finds),
                mark: Some("{}".to_owned()),
            };
        };
        let start = invocation.words.first().map_or(0, |word| word.span.start);
        let from_file = xargs
            .words
            .iter()
            .filter_map(Word::literal)
            .any(|word| word.starts_with("-a") || word.starts_with("--arg-f"));
        let (words, plain) = match self.commands().beginning_at(start).filter(|_| !from_file) {
            Some(command) => self.fed(command),
            None => (None, false),
        };
        Input {
            place,
            words,
            plain,
            mark: mark(xargs),
        }
    }

    /// The commands of this text by their places.
    pub(crate) fn commands(&self) -> &CommandPlaces<'w> {
        self.places.get_or_init(|| CommandPlaces::of(self.text))
    }

    /// The words that a command reads, where they are known, and whether none of them is an option.
    fn fed(&self, command: &Command) -> (Option<Vec<String>>, bool) {
        let redirections = command.redirections.iter();
        let mut inputs = redirections.filter(|redirection| redirection.is_input());
        if let Some(input) = inputs.next() {
            let text = match input.operator {
                RedirectionOperator::HereString => input.target.literal(),
                RedirectionOperator::Read if input.target.literal() == Some("/dev/null") => {
                    Some("")
                }
                _ => input
                    .here_document
                    .as_ref()
                    .and_then(|document| document.text.as_deref()),
            };
            return (
                text.filter(|_| inputs.next().is_none()).map(taken_apart),
                false,
            );
        }
        let mut command = command;
        for _ in 0..8 {
            let Some(before) = self.commands().piped_into(command) else {
                return (None, false);
            };
            if let Some(words) = echoed(&before.words) {
                return (Some(words), false);
            }
            if writes_no_options(self.judge.catalogue, &before.words) {
                return (None, true);
            }
            if !passes_lines(&before.words) {
                return (None, false);
            }
            command = before;
        }
        (None, false)
    }
}
