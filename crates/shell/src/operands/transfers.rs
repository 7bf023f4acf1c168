//! Programs that take whole folders in, or bring them: containers, stores of objects, backups, publishers.

mod images;
mod mounts;
mod publishers;
mod table;

use super::arguments::{Lenient, unknown_file};
use super::table::Spec;
use super::{FileAccess, FileOperand, FileOperands, OperandWord, Reach};
use crate::by_name::{ByName, by_names};
use crate::{Part, Word};

/// A program with the sub-commands that do so.
struct Transfer {
    names: &'static [&'static str],
    /// Its options.
    spec: Spec,
    verbs: &'static [Verb],
}

/// A sub-command.
struct Verb {
    /// The words with which the operands begin.
    words: &'static [&'static str],
    way: Way,
    /// Options whose value is read with everything below it.
    reads: &'static [&'static str],
    /// Options below whose value it writes.
    writes: &'static [&'static str],
}

/// What is done with the operands behind the words of a sub-command.
enum Way {
    /// Nothing.
    Options,
    /// Those behind so many are read.
    Takes(usize),
    /// They are read; the working folder where there are none.
    TakesOrHere,
    /// The last is written, the others are read, where they are no names elsewhere.
    Copies(Elsewhere),
    /// It writes below the working folder, unless an option says where.
    Brings,
    /// The context of an image.
    Builds,
}

/// How a name of something elsewhere looks.
#[derive(Clone, Copy)]
enum Elsewhere {
    /// `s3://bucket/x`
    Address,
    /// `container:/x`
    Colon,
}

/// Options with which nothing is done.
const DRY: &[&str] = &["dry-run", "dryrun", "dry_run", "help"];

static BY_NAME: ByName<Transfer> = ByName::new(|| {
    let all = table::TRANSFERS.iter().chain(publishers::PUBLISHERS);
    by_names(all, |transfer| transfer.names)
});

/// Adds what such a program reads and writes.
pub(super) fn add<'w>(name: &str, words: &'w [Word], files: &mut FileOperands<'w>) {
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let Some(transfer) = BY_NAME.find(name) else {
        return;
    };
    // Clients of clouds take the value of any option from such a place.
    let named = arguments
        .iter()
        .filter_map(|word| local_address(word).or_else(|| labelled(word)));
    files.extend(named.map(|word| FileOperand::new(word, FileAccess::Read)));
    let split = transfer.spec.split(arguments);
    for (name, value) in &split.options {
        let Some(value) = value else { continue };
        mounts::add(name, value, files);
        // Names of what is taken stand in that file.
        if name.starts_with("files-from") {
            files.push(unknown_file(value.span, FileAccess::Read));
        }
    }
    if split.has(DRY) {
        return;
    }
    let begins = |verb: &&Verb| {
        let mut words = split.operands.iter().map(|word| word.literal());
        verb.words.iter().all(|own| words.next() == Some(Some(own)))
    };
    if let Some(verb) = transfer.verbs.iter().find(begins) {
        verb.files(program, arguments, &split, files);
    }
}

impl Verb {
    fn files<'w>(
        &self,
        program: &'w Word,
        arguments: &'w [Word],
        split: &Lenient<'w>,
        files: &mut FileOperands<'w>,
    ) {
        let mut below = |word: OperandWord<'w>, access| {
            files.push(FileOperand::new(word, access).reaching(Reach::Below));
        };
        let places = [
            (self.reads, FileAccess::Read),
            (self.writes, FileAccess::Write),
        ];
        for (names, access) in places {
            for value in split.values(names) {
                below(behind_name(value), access);
            }
        }
        let operands = split.operands.get(self.words.len()..).unwrap_or_default();
        let here = OperandWord::value(".", program);
        match self.way {
            Way::Options => {}
            Way::Takes(leading) => {
                let taken = operands.iter().skip(leading);
                taken.for_each(|word| below(OperandWord::Argument(word), FileAccess::Read));
            }
            Way::TakesOrHere if operands.is_empty() && !split.has(self.reads) => {
                below(here, FileAccess::Read);
            }
            Way::TakesOrHere => {
                let taken = operands.iter().filter(|word| !is_address(word));
                taken.for_each(|word| below(OperandWord::Argument(word), FileAccess::Read));
            }
            Way::Copies(elsewhere) => self.copies(elsewhere, operands, files),
            Way::Brings if split.has(self.writes) => {}
            Way::Brings => below(here, FileAccess::Write),
            Way::Builds => {
                let verb = self.words.last().and_then(|verb| {
                    let mut words = arguments.iter();
                    words.position(|word| word.literal() == Some(verb))
                });
                let own = verb.map_or(0, |place| place + 1);
                let own = arguments.get(own..).unwrap_or_default();
                images::add(own, files);
            }
        }
    }
}

impl Verb {
    /// All but the last operand are read, the last is written.
    fn copies<'w>(
        &self,
        elsewhere: Elsewhere,
        operands: &[&'w Word],
        files: &mut FileOperands<'w>,
    ) {
        let mut add = |word, access| {
            files.push(FileOperand::new(word, access).reaching(Reach::Below));
        };
        let moves = self
            .words
            .last()
            .is_some_and(|verb| matches!(*verb, "mv" | "move" | "moveto"));
        for (place, word) in operands.iter().enumerate() {
            let local = match local_address(word) {
                Some(local) => local,
                None if elsewhere.is_place_of(word) => continue,
                None => folder_of_pattern(word).unwrap_or(OperandWord::Argument(word)),
            };
            if place + 1 == operands.len() && place > 0 {
                add(local, FileAccess::Write);
                continue;
            }
            if moves {
                add(local.clone(), FileAccess::Delete);
            }
            add(local, FileAccess::Read);
        }
    }
}

/// The path of `file://path` and `:local:path`.
fn local_address(word: &Word) -> Option<OperandWord<'_>> {
    let text = word.literal()?;
    let marks = ["file://", "fileb://", ":local:"];
    let (_, path) = marks.iter().find_map(|mark| text.split_once(mark))?;
    Some(OperandWord::value(path, word))
}

/// The folder in which a client finds files by a pattern of its own.
fn folder_of_pattern(word: &Word) -> Option<OperandWord<'_>> {
    let text = word.literal()?;
    let (before, _) = text.split_once(['*', '?', '['])?;
    let folder = before.rsplit_once('/').map_or(".", |(folder, _)| folder);
    Some(OperandWord::value(folder, word))
}

/// The path of `path#label`.
fn labelled(word: &Word) -> Option<OperandWord<'_>> {
    let (path, _) = word.literal()?.split_once('#')?;
    Some(OperandWord::value(path, word))
}

impl Elsewhere {
    fn is_place_of(self, word: &Word) -> bool {
        match self {
            Self::Address => is_address(word),
            Self::Colon => {
                !word.prefix().starts_with(['.', '/', '~']) && holds(word, ":") || is_address(word)
            }
        }
    }
}

fn is_address(word: &Word) -> bool {
    holds(word, "://")
}

/// Whether a known piece of the word holds this.
fn holds(word: &Word, mark: &str) -> bool {
    let mut parts = word.parts.iter();
    parts.any(|part| matches!(part, Part::Text { value, .. } if value.contains(mark)))
}

/// The path of `name=path`.
fn behind_name<'w>(value: &OperandWord<'w>) -> OperandWord<'w> {
    match value.literal().and_then(|text| text.split_once('=')) {
        Some((_, path)) => OperandWord::value(path, value),
        None => value.clone(),
    }
}
