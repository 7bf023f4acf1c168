//! Programs that take whole directories in, or bring them: containers, stores of objects, backups, publishers.

mod images;
mod mounts;

use tenon_programs::{Effects, Program, Role, Traits};

use super::arguments::{GivenValue as _, Lenient, behind_name, parsed_by, split, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::made;
use super::several::becomes_several;
use crate::word::{Part, Word};

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

/// Adds what such a program reads and writes.
pub(super) fn add<'w>(row: Option<&Program>, words: &'w [Word], files: &mut FileOperands<'w>) {
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let Some(row) = row.filter(|row| row.is(Traits::TRANSFERS)) else {
        return;
    };
    // Clients of clouds take the value of any option from such a place.
    let named = arguments
        .iter()
        .filter_map(|word| local_address(word).or_else(|| labelled(word)));
    files.extend(named.map(FileOperand::read));
    let call = Call::new(row, program, arguments);
    const SEEN: Effects = Effects::MACHINE.with(Effects::MOUNT).with(Effects::NAMES);
    for given in call.split.options.iter().filter(|given| given.does(SEEN)) {
        let value = given.value_word();
        if given.does(Effects::MACHINE) {
            mounts::machine(given.name, value.as_ref(), program, files);
        }
        let Some(value) = value else { continue };
        if given.does(Effects::MOUNT) {
            mounts::add(given.name, &value, files);
        }
        // Names of what is taken stand in that file.
        if given.does(Effects::NAMES) {
            files.push(unknown_file(value.span, FileAccess::Read));
        }
    }
    if row.is(Traits::IMAGE_PLACES) {
        images::in_places(
            call.split.operands.get(call.leading..).unwrap_or_default(),
            files,
        );
    }
    if call.split.gives(Effects::DIRECTORY_AS_IMAGE) {
        let operands = call.split.operands.get(call.leading..).unwrap_or_default();
        images::roots(operands, call.split.is_unsure(), files);
    }
    if !call.split.has(DRY) {
        call.files(files);
    }
}

/// What one of them was given.
struct Call<'w> {
    program: &'w Word,
    role: Option<Role>,
    split: Lenient<'w>,
    /// How many operands in front are the subcommand, or no files.
    leading: usize,
}

impl<'w> Call<'w> {
    fn new(row: &Program, program: &'w Word, arguments: &'w [Word]) -> Self {
        let command = row.command_of(arguments);
        let mode = || row.modes_of(&parsed_by(row, row.options, arguments)).next();
        let mode = if row.modes.is_empty() { None } else { mode() };
        let (options, operands) = match (command, mode) {
            (Some((command, _)), _) => (command.options, command.operands),
            (None, Some(mode)) => (mode.options, mode.operands),
            (None, None) => (row.options, row.operands),
        };
        let words = command.map_or(0, |(_, words)| words);
        Self {
            program,
            role: operands.map(|operands| operands.role),
            split: split(options, arguments),
            leading: operands.map_or(words, |operands| words.saturating_add(operands.texts)),
        }
    }

    fn files(&self, files: &mut FileOperands<'w>) {
        let mut below = |word: OperandWord<'w>, access| {
            files.push(FileOperand::new(word, access).reaching(AccessScope::Below));
        };
        let mut named: Vec<OperandWord<'w>> = Vec::new();
        let places = [
            (Effects::READ_BELOW, FileAccess::Read),
            (Effects::WRITE_BELOW, FileAccess::Write),
        ];
        for (effects, access) in places {
            for value in self.split.values_that(effects) {
                let path = behind_name(&value);
                below(value, access);
                if let Some(path) = path {
                    below(path.clone(), access);
                    named.extend((access == FileAccess::Write).then_some(path));
                }
            }
        }
        // It is made itself, wherever it is: no container is given it.
        let made = named.into_iter();
        files.extend(made.map(FileOperand::written));
        let mut below = |word: OperandWord<'w>, access| {
            files.push(FileOperand::new(word, access).reaching(AccessScope::Below));
        };
        let operands = self.split.operands.get(self.leading..).unwrap_or_default();
        let here = OperandWord::value(".", self.program);
        match self.role {
            Some(Role::ReadBelow) => {
                let taken = operands.iter();
                taken.for_each(|word| below(OperandWord::Argument(word), FileAccess::Read));
            }
            Some(Role::ReadBelowOrHere)
                if operands.is_empty()
                    && self.split.values_that(Effects::READ_BELOW).next().is_none() =>
            {
                below(here, FileAccess::Read);
            }
            Some(Role::ReadBelowOrHere) => {
                let taken = operands.iter().filter(|word| !is_address(word));
                taken.for_each(|word| below(OperandWord::Argument(word), FileAccess::Read));
            }
            Some(Role::CopyAddress) => copies(Elsewhere::Address, false, operands, files),
            Some(Role::CopyName) => copies(Elsewhere::Colon, false, operands, files),
            Some(Role::MoveAddress) => copies(Elsewhere::Address, true, operands, files),
            Some(Role::MoveName) => copies(Elsewhere::Colon, true, operands, files),
            Some(Role::WriteHere) if !self.split.gives(Effects::WRITE_BELOW) => {
                below(here, FileAccess::Write);
            }
            Some(Role::ImageContext) => images::add(&self.split, operands, files),
            _ => {}
        }
    }
}

/// All but the last operand are read, the last is written.
fn copies<'w>(
    elsewhere: Elsewhere,
    moves: bool,
    operands: &[&'w Word],
    files: &mut FileOperands<'w>,
) {
    let mut named = FileOperands::new();
    for (place, word) in operands.iter().enumerate() {
        // What comes from elsewhere keeps its last name in a directory.
        let target = operands.last().and_then(|target| target.literal());
        if elsewhere.is_place_of(word)
            && let (Some(from), Some(target)) = (word.literal(), target)
        {
            let name = made::last_name(from);
            let path = format!("{}/{name}", target.trim_end_matches('/'));
            let written = OperandWord::value(&path, word);
            if place + 1 < operands.len()
                && !operands
                    .last()
                    .is_some_and(|word| elsewhere.is_place_of(word))
            {
                named.push(FileOperand::written(written));
            }
        }
        let local = match local_address(word) {
            Some(local) => local,
            None if elsewhere.is_place_of(word) => continue,
            None => directory_of_pattern(word).unwrap_or(OperandWord::Argument(word)),
        };
        let several = becomes_several(word);
        let is_last = place + 1 == operands.len();
        let mut add = |access, if_several| {
            let used = FileOperand::new(local.clone(), access).reaching(AccessScope::Below);
            files.push(FileOperand { if_several, ..used });
        };
        if is_last && (place > 0 || several) {
            add(FileAccess::Write, place == 0);
        }
        let is_target = is_last && place > 0;
        if is_target && !several {
            continue;
        }
        if moves {
            add(FileAccess::Delete, is_target);
        }
        add(FileAccess::Read, is_target);
    }
    files.extend(named);
}

/// The path of `file://path` and `:local:path`.
fn local_address(word: &Word) -> Option<OperandWord<'_>> {
    let text = word.literal()?;
    let marks = ["file://", "fileb://", ":local:"];
    let (_, path) = marks.iter().find_map(|mark| text.split_once(mark))?;
    Some(OperandWord::value(path, word))
}

/// The directory in which a client finds files by a pattern of its own.
fn directory_of_pattern(word: &Word) -> Option<OperandWord<'_>> {
    let text = word.literal()?;
    let (before, _) = text.split_once(['*', '?', '['])?;
    let directory = before
        .rsplit_once('/')
        .map_or(".", |(directory, _)| directory);
    Some(OperandWord::value(directory, word))
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
