//! The files of a program as its row has them: options by their effects, operands by their role.

use tenon_programs::{Effects, Operands, Opt, Program, Role, Traits, Value};

use super::arguments::{Lenient, split, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::made;
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
    tenon_programs::find(name).map_or_else(FileOperands::new, |program| {
        files_of(program, arguments.first(), arguments)
    })
}

/// An operand.
pub(super) fn file(word: &Word, access: FileAccess) -> FileOperand<'_> {
    FileOperand::new(OperandWord::Argument(word), access)
}

/// The files of a program whose operands the catalogue has. What it uses without an argument that names it stands at this word.
pub(super) fn files_of<'w>(
    program: &Program,
    here: Option<&'w Word>,
    arguments: &'w [Word],
) -> FileOperands<'w> {
    let mut files = FileOperands::new();
    let Some(call) = Call::new(program, here, arguments) else {
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
        made_of(&call, operands.role, own, &mut files);
    }
    files
}

/// The files that options name which stand before a subcommand.
pub(super) fn of_options<'w>(
    options: &'static [Opt],
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    for (name, value) in split(options, arguments).options {
        let option = options.iter().find(|option| option.name == name);
        let effects = option.map_or(Effects::NONE, |option| option.effects);
        let Some(word) = value else { continue };
        if effects.has(Effects::READ) {
            files.push(FileOperand::new(word.clone(), FileAccess::Read));
        }
        if effects.has(Effects::WRITE) {
            files.push(FileOperand::new(word, FileAccess::Write));
        }
    }
}

/// What a program, or a subcommand of it, was given.
struct Call<'w> {
    /// What it looks for by itself.
    finds: &'static [&'static str],
    /// How many operands in front are the name of the subcommand.
    words: usize,
    options: &'static [Opt],
    operands: Option<Operands>,
    split: Lenient<'w>,
    /// Whether what it copies may come from another machine.
    copies_remote: bool,
    /// What stands for the working directory.
    here: Option<&'w Word>,
}

impl<'w> Call<'w> {
    /// `None` where nothing is known of what the program does with files.
    fn new(program: &Program, here: Option<&'w Word>, arguments: &'w [Word]) -> Option<Self> {
        // What goes into containers and comes from elsewhere is found by `transfers`.
        let is_plain = |operands: Operands| !operands.role.transfers();
        let command = program.command_of(arguments).filter(|(command, _)| {
            !program.is(Traits::TRANSFERS) || command.operands.is_some_and(is_plain)
        });
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
            finds: program.finds,
            copies_remote: program.is(Traits::REMOTE_NAMES),
            words,
            options,
            operands,
            split,
            here,
        })
    }

    fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The values of the options that have one of these effects.
    fn values(&self, effects: Effects) -> impl Iterator<Item = &OperandWord<'w>> {
        let options = self.split.options.iter();
        let those = options.filter(move |(name, _)| {
            let option = self.option(name);
            option.is_some_and(|option| option.effects.has(effects))
        });
        those.filter_map(|(_, value)| value.as_ref())
    }

    /// Whether it says that nothing is changed, for itself or for the formatter behind `--` (`cargo fmt -- --check`).
    fn only_shows(&self, operands: &[&Word]) -> bool {
        let mut showing = self.options.iter();
        let given = &self.split.options;
        showing.any(|option| {
            option.effects.has(Effects::SHOWS)
                && !self.takes_back(option.name)
                && (given.iter().any(|(name, value)| {
                    let value = value.as_ref().and_then(|value| value.literal());
                    *name == option.name && !value.is_some_and(|value| WRITING.contains(&value))
                }) || operands.iter().any(|word| {
                    let long = word.literal().and_then(|text| text.strip_prefix("--"));
                    long == Some(option.name)
                }))
        })
    }

    /// Whether `--no-x` is given of an option `--x`.
    fn takes_back(&self, name: &str) -> bool {
        let mut given = self.split.options.iter();
        given.any(|(given, _)| given.strip_prefix("no-") == Some(name))
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

/// Further files, whose names are made of those of the operands, or come from elsewhere.
fn made_of<'w>(call: &Call<'w>, role: Role, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    let suffixes: Vec<&Word> = call.values(Effects::SUFFIX).map(|word| &**word).collect();
    let prefixes: Vec<OperandWord<'w>> = call.values(Effects::PREFIX).cloned().collect();
    match role {
        Role::Copy | Role::Move => {
            let (sources, target) = sources_and_target(call, operands);
            let named = call.values(Effects::TARGET).last().map(|word| &**word);
            for suffix in suffixes {
                made::backups(target.or(named), sources, suffix, files);
            }
            if call.copies_remote {
                made::fetched(target, sources, call.here, files);
            }
        }
        Role::Patch if operands.is_empty() => {
            let looks = ["dry-run", "help", "version", "v", "o", "output"];
            if !call.split.has(&looks) {
                unpack(call, &[], files);
            }
            // Backups of files that the patch names.
            pieces(&prefixes, &[], files);
        }
        Role::Write | Role::Patch => {
            for name in operands {
                let own = suffixes
                    .iter()
                    .map(|suffix| made::followed_by(name, suffix));
                let own = own.chain(prefixes.iter().map(|start| made::followed_by(start, name)));
                files.extend(own.map(|word| FileOperand::new(word, FileAccess::Write)));
            }
        }
        Role::InPlace => {
            for suffix in call.values(Effects::IN_PLACE) {
                operands
                    .iter()
                    .for_each(|name| made::kept(name, suffix, files));
            }
        }
        Role::Replace => {
            for name in operands {
                let is_packed = made::repacked(name, &suffixes, files);
                if is_packed && call.gives(Effects::UNPACKS) {
                    made::unpacked_below(made::directory_of(name), files);
                }
            }
            return;
        }
        Role::Unpack => return unpack(call, operands, files),
        Role::Pieces => {
            let named = operands.iter().skip(1);
            let named: Vec<_> = named.map(|word| OperandWord::Argument(word)).collect();
            return pieces(&named, &suffixes, files);
        }
        _ => pieces(&prefixes, &suffixes, files),
    }
    if call.gives(Effects::UNPACKS) {
        unpack(call, &[], files);
    }
}

/// Names come from what is read: below the directories that operands name behind it, or an option, or here.
fn unpack<'w>(call: &Call<'w>, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    let mut options = call.options.iter();
    let by_option = options.any(|option| option.effects.has(Effects::UNPACKS));
    if by_option && !call.gives(Effects::UNPACKS) {
        return;
    }
    let mut is_here = true;
    for directory in operands.iter().skip(1) {
        is_here = false;
        made::unpacked_below(OperandWord::Argument(directory), files);
    }
    for directory in call.values(Effects::WRITE_BELOW) {
        is_here = false;
        made::unpacked_below(directory.clone(), files);
    }
    if is_here && let Some(first) = call.here {
        made::unpacked_below(OperandWord::value(".", first), files);
    }
}

/// Pieces of what is read: their names begin with these words.
fn pieces<'w>(prefixes: &[OperandWord<'w>], suffixes: &[&Word], files: &mut FileOperands<'w>) {
    for prefix in prefixes {
        files.push(FileOperand::new(prefix.clone(), FileAccess::Write));
        let Some(start) = prefix.literal() else {
            continue;
        };
        let format = suffixes.last().map(|suffix| suffix.prefix());
        let format = format.unwrap_or_default();
        let (before, end) = match format.contains('%') {
            true => made::around_number(&format),
            false => ("", &*format),
        };
        files.push(made::pieces(&format!("{start}{before}"), end, prefix.span));
    }
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
        Role::Write | Role::Patch => all(files, &[FileAccess::Write]),
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
        Role::Format | Role::FormatHere => formatted(call, role, operands, files),
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
        // What these write is found by `made_of`.
        Role::Unpack => first_of(operands, FileAccess::Read, files),
        Role::Pieces => {
            let read = operands.get(..1).unwrap_or_default();
            first(read, FileAccess::Read, FileAccess::Write, files);
        }
    }
}

/// Values of an option that shows what a formatter would change with which it changes that all the same: `-o write`.
const WRITING: &[&str] = &["write", "files", "false", "f", "F", "0"];

/// What a formatter writes, unless it only shows what it would.
fn formatted<'w>(call: &Call<'w>, role: Role, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    let mut options = call.options.iter();
    let by_option = options.any(|option| option.effects.has(Effects::IN_PLACE));
    if by_option && !call.gives(Effects::IN_PLACE) || call.only_shows(operands) {
        return;
    }
    let mut write = |word| {
        let written = FileOperand::new(word, FileAccess::Write);
        files.push(written.reaching(AccessScope::Tracked));
    };
    let (here, named): (Vec<&Word>, Vec<&Word>) = operands.iter().partition(|word| is_here(word));
    let is_path = |word: &&Word| role == Role::Format || word.prefix().starts_with(['.', '/', '~']);
    for word in named.into_iter().filter(is_path) {
        // `./x/...` of Go is all below.
        match word.literal().and_then(|text| text.strip_suffix("/...")) {
            Some(directory) => write(OperandWord::value(directory, word)),
            None => write(OperandWord::Argument(word)),
        }
    }
    // Without a path they go through the directory.
    let goes = operands.is_empty() || role == Role::FormatHere;
    let here = here.first().copied();
    let Some(here) = here.or(call.here.filter(|_| goes)) else {
        return;
    };
    match call.finds {
        [] => write(OperandWord::value(".", here)),
        finds => { finds.iter() }.for_each(|form| write(OperandWord::value(form, here))),
    }
}

/// Whether a path is the working directory with all below it.
fn is_here(word: &Word) -> bool {
    matches!(word.literal(), Some("." | "./" | "./..." | "..."))
}

fn first_of<'w>(operands: &[&'w Word], access: FileAccess, files: &mut FileOperands<'w>) {
    files.extend(operands.first().map(|word| file(word, access)));
}

/// The operands that are copied, and the last one where no option names the target.
fn sources_and_target<'o, 'w>(
    call: &Call<'w>,
    operands: &'o [&'w Word],
) -> (&'o [&'w Word], Option<&'w Word>) {
    match operands.split_last() {
        Some((last, sources)) if !call.gives(Effects::TARGET) && !sources.is_empty() => {
            (sources, Some(last))
        }
        _ => (operands, None),
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
