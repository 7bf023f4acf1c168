//! The files of a program as its row has them: options by their effects, operands by their role.

use tenon_programs::{Effects, Operands, Opt, Program, Role, Traits, Value};

use super::arguments::{Lenient, split, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::several::{Copying, becomes_several, copied, first, if_several};
use crate::word::Word;

/// Options whose file names other files.
const LISTS: &[&str] = &[
    "files0-from",
    "files-from",
    "files",
    "files0",
    "filelist",
    "config",
];

/// The files of a program that tenon knows, by its name.
pub(super) fn of_row<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    tenon_programs::find(name)
        .map_or_else(FileOperands::new, |program| files_of(program, arguments))
}

/// An operand.
pub(super) fn file(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand::new(OperandWord::Argument(word), access)
}

/// The files of a program whose operands the catalogue has.
pub(super) fn files_of<'w>(program: &Program, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = FileOperands::new();
    let Some(call) = Call::new(program, arguments) else {
        return files;
    };
    for (name, value) in &call.split.options {
        let Some(word) = value else { continue };
        let option = call.option(name);
        let effects = option.map_or(Effects::NONE, |option| option.effects);
        let uses = effects.has(Effects::READ.with(Effects::WRITE));
        let is_plain = option.is_some_and(|option| option.value != Value::Unknown) && !uses;
        // The names of more files stand in that one, or come from the input.
        if LISTS.contains(name) && !is_plain {
            files.push(unknown_file(word.span, FileAccess::Read));
        }
        let mut add = |access| {
            let used = FileOperand::new(word.clone(), access);
            files.push(if program.is(Traits::SEARCHES) {
                used.reaching(AccessScope::Patterns)
            } else {
                used
            });
        };
        if effects.has(Effects::READ) {
            add(FileAccess::Read);
        }
        if effects.has(Effects::WRITE) {
            add(FileAccess::Write);
        }
    }
    if let Some(operands) = call.operands {
        let leading = match call.gives(Effects::TEXT) {
            true => 0,
            false => operands.texts,
        };
        let leading = call.words.saturating_add(leading);
        let (before, own) = call
            .split
            .operands
            .split_at(leading.min(call.split.operands.len()));
        use_operands(&call, operands.role, own, &mut files);
        let texts = before.get(call.words..).unwrap_or_default();
        behind_text(&call, operands.role, texts, &mut files);
        behind_values(&call, operands.role, arguments, &mut files);
    }
    files
}

/// What a program, or a subcommand of it, was given.
struct Call<'w> {
    /// How many operands in front are the name of the subcommand.
    words: usize,
    options: &'static [Opt],
    operands: Option<Operands>,
    split: Lenient<'w>,
}

impl<'w> Call<'w> {
    /// `None` where nothing is known of what the program does with files.
    fn new(program: &Program, arguments: &'w [Word]) -> Option<Self> {
        // What goes into containers and comes from elsewhere is found by `transfers`.
        let command = match program.is(Traits::TRANSFERS) {
            true => None,
            false => program.command_of(arguments),
        };
        let (words, options, operands) = match (command, program.operands) {
            (Some((command, words)), None) => (words, command.options, command.operands),
            (Some((command, words)), _) if command.operands.is_some() => {
                (words, command.options, command.operands)
            }
            (_, None) => return None,
            (_, operands) => (0, program.options, operands),
        };
        let split = split(options, arguments);
        Some(Self {
            words,
            options,
            operands,
            split,
        })
    }

    fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// Whether an option was given that has one of these effects.
    fn gives(&self, effects: Effects) -> bool {
        let mut options = self.split.options.iter();
        options.any(|(name, _)| {
            let option = self.option(name);
            option.is_some_and(|option| option.effects.has(effects))
        })
    }
}

/// What is written by a word in the place of a text that becomes the text and files behind it: `sed -i $x`.
fn behind_text<'w>(call: &Call<'w>, role: Role, texts: &[&'w Word], files: &mut FileOperands<'w>) {
    for word in texts.iter().filter(|word| becomes_several(word)) {
        let mut uses = FileOperands::new();
        use_operands(call, role, &[*word], &mut uses);
        let changes = uses.iter().filter(|file| file.access != FileAccess::Read);
        files.extend(changes.map(|file| if_several(word, file.access)));
    }
}

/// What is written by a word in the place of the value of an option that becomes the value and operands: `ffmpeg -i *.mov`.
/// Where roles follow from places, only one behind the other operands can.
fn behind_values<'w>(
    call: &Call<'w>,
    role: Role,
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    let mut values = call.split.options.iter().filter_map(|(_, value)| {
        let Some(OperandWord::Argument(word)) = value else {
            return None;
        };
        Some(*word).filter(|word| becomes_several(word))
    });
    let by_place = matches!(
        role,
        Role::ReadThenWrite | Role::WriteThenRead | Role::Copy | Role::Move
    );
    let last = call.split.operands.last();
    let is_behind = |word: &&Word| {
        let is = |wanted: &Word| arguments.iter().position(|own| std::ptr::eq(own, wanted));
        !by_place || last.is_none_or(|last| is(last) < is(word))
    };
    let found: Vec<&Word> = values.by_ref().filter(is_behind).collect();
    behind_text(call, role, &found, files);
}

fn use_operands<'w>(
    call: &Call<'w>,
    role: Role,
    operands: &[&'w Word],
    files: &mut FileOperands<'w>,
) {
    let all = |files: &mut FileOperands<'w>, accesses: &[FileAccess]| {
        for access in accesses {
            files.extend(operands.iter().map(|word| file(word, *access)));
        }
    };
    let gives = |effects| call.gives(effects);
    match role {
        Role::Read => all(files, &[FileAccess::Read]),
        Role::Write => all(files, &[FileAccess::Write]),
        Role::Delete => all(files, &[FileAccess::Delete]),
        Role::ReadWrite => all(files, &[FileAccess::Read, FileAccess::Write]),
        Role::Replace => all(
            files,
            &[FileAccess::Read, FileAccess::Write, FileAccess::Delete],
        ),
        Role::InPlace => {
            all(files, &[FileAccess::Read]);
            if gives(Effects::IN_PLACE) {
                all(files, &[FileAccess::Write]);
            }
        }
        Role::Format => {
            let mut options = call.options.iter();
            let by_option = options.any(|option| option.effects.has(Effects::IN_PLACE));
            let checks = call.split.has(&["check", "diff", "check-only"]);
            if gives(Effects::IN_PLACE) || (!by_option && !checks) {
                let written = operands.iter().map(|word| file(word, FileAccess::Write));
                files.extend(written.map(|file| file.reaching(AccessScope::Tracked)));
            }
        }
        Role::ReadThenWrite => first(operands, FileAccess::Read, FileAccess::Write, files),
        Role::WriteThenRead => {
            // `zip -@` is given the names in its input.
            if let Some(word) = operands.first().filter(|_| gives(Effects::NAMES)) {
                files.push(unknown_file(word.span, FileAccess::Read));
            }
            first(operands, FileAccess::Write, FileAccess::Read, files);
        }
        Role::Copy | Role::Move if gives(Effects::DIRECTORIES) => all(files, &[FileAccess::Write]),
        Role::Copy | Role::Move => copied(operands, copying(call, role), files),
        // What goes elsewhere or comes from there is found by `transfers`.
        Role::ReadBelow
        | Role::ReadBelowOrHere
        | Role::CopyAddress
        | Role::CopyName
        | Role::MoveAddress
        | Role::MoveName
        | Role::WriteHere
        | Role::ImageContext => {}
    }
}

/// What `cp`, `mv`, `ln`, `install` and `rsync` do as their options say.
fn copying(call: &Call<'_>, role: Role) -> Copying {
    Copying {
        has_target: call.gives(Effects::TARGET),
        deletes_sources: role == Role::Move || call.gives(Effects::DELETES_SOURCES),
        deletes_target: call.gives(Effects::DELETES_TARGET),
    }
}
