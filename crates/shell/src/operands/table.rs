//! The files of a program as its row has them: options by their effects, operands by their role.

use smallvec::SmallVec;
use tenon_programs::words::operands::LISTS;
use tenon_programs::{
    CommandTraits, Effects, Mode, Operands, Opt, Place, Program, Role, Traits, Value,
};

use super::arguments::{
    GivenValue as _, Lenient, behind_name, opaque, parsed_by, split_before, split_by, unknown_file,
};
use super::fetching::{path_of_file_url, path_of_repository};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::made;
use super::several::{Copying, becomes_several, cloned, copied, first, if_several};
use super::supposed::leads_out;
use crate::span::Span;
use crate::unwrap::options::at_dashes;
use crate::word::Word;

/// Options whose value is code, or settings with code.
const CODE: Effects = Effects::CODE.with(Effects::LOADS);

/// Options whose value is a file.
const FILES: Effects = Effects::READ.with(Effects::WRITE).with(Effects::EMPTIES);

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

/// Everything that git tracks.
pub(super) fn everything<'w>(span: Span, access: FileAccess) -> FileOperand<'w> {
    let top = OperandWord::synthetic(".", span);
    FileOperand::new(top, access).reaching(AccessScope::All)
}

/// The files of a program whose operands the catalogue has. What it uses without an argument that names it stands at this word.
pub(super) fn files_of<'w>(
    program: &Program,
    here: Option<&'w Word>,
    arguments: &'w [Word],
) -> FileOperands<'w> {
    let mut files = FileOperands::new();
    let parsed = parsed_by(program, program.options, arguments);
    let modes = program.modes_of(&parsed);
    let mut calls: Vec<Call<'w>> = modes
        .map(|mode| Call::of_mode(program, mode, here, arguments))
        .collect();
    if calls.is_empty() {
        calls.extend(Call::new(program, here, arguments));
    }
    for call in calls {
        files_of_call(&call, program, arguments, &mut files);
    }
    of_transfer(program, arguments, &mut files);
    of_repositories(program, &parsed.operands, arguments, &mut files);
    files
}

/// What a subcommand uses of repositories without naming files of them.
fn of_repositories<'w>(
    program: &Program,
    operands: &[&'w Word],
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    const USES: CommandTraits = CommandTraits::CHECKS_OUT
        .with(CommandTraits::BRINGS)
        .with(CommandTraits::GIVES_OUT);
    if !program.commands_are.has(USES) {
        return;
    }
    let (Some((command, words)), Some(first)) = (program.command_of(arguments), arguments.first())
    else {
        return;
    };
    if command.is(CommandTraits::CHECKS_OUT) {
        files.push(everything(first.span, FileAccess::Write));
    }
    if command.is(CommandTraits::GIVES_OUT) {
        let here = OperandWord::value(".", first);
        files.push(FileOperand::read(here).reaching(AccessScope::Below));
    }
    if command.is(CommandTraits::BRINGS) {
        let source = operands.get(words).copied();
        files.extend(source.and_then(local_repository));
    }
}

/// The repository of this machine that such an address names.
fn local_repository(word: &Word) -> Option<FileOperand<'_>> {
    let path = OperandWord::value(&path_of_repository(word.literal()?)?, word);
    Some(FileOperand::read(path).reaching(AccessScope::Below))
}

/// What the options of a subcommand name whose operands are found by `transfers`.
fn of_transfer<'w>(program: &Program, arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let transfers = |operands: Operands| operands.role.transfers();
    let command = program.command_of(arguments);
    let command = command.filter(|(command, _)| command.operands.is_some_and(transfers));
    if let Some((command, _)) = command.filter(|_| program.is(Traits::TRANSFERS)) {
        let mut own = FileOperands::new();
        of_values(&split_by(program, command.options, arguments), &mut own);
        own.retain(|file: &mut FileOperand<'_>| !files.contains(file));
        files.extend(own);
    }
}

/// The files of a program in one mode, or of a subcommand.
fn files_of_call<'w>(
    call: &Call<'w>,
    program: &Program,
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    let start = files.len();
    files_of_options(call, program, files);
    files_of_operands(call, program, arguments, files);
    let own = files.get_mut(start..).unwrap_or_default();
    below_directories(call, arguments, own);
}

/// What the values of its options name.
fn files_of_options<'w>(call: &Call<'w>, program: &Program, files: &mut FileOperands<'w>) {
    for given in &call.split.options {
        let option = given.option;
        let effects = option.map_or(Effects::NONE, |option| option.effects);
        let Some(word) = given.value_word() else {
            // `zip -@` is given the names in its input.
            let input = call.here.filter(|_| effects.has(Effects::NAMES));
            files.extend(input.map(|word| unknown_file(word.span, FileAccess::Read)));
            continue;
        };
        let uses = effects.has(Effects::READ.with(Effects::WRITE));
        // Settings that are code name no more files.
        let is_code = effects.has(CODE);
        let has_value = option.is_some_and(|option| option.value != Value::Unknown);
        // An option of what it runs.
        let is_other = option.is_none() && program.is(Traits::PASSES_ON);
        let is_plain = (has_value || is_code || is_other) && !uses;
        // The names of more files stand in that one, or come from the input.
        if LISTS.contains(&given.name) && !is_plain || effects.has(Effects::NAMES) {
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
        if effects.has(Effects::WRITE.with(Effects::EMPTIES)) {
            add(FileAccess::Write);
        }
        if effects.has(Effects::EMPTIES) {
            files.push(emptied(word.clone()));
        }
        if effects.has(Effects::WRITE) {
            // `output=../x`; who takes whole directories in has more to say of it.
            let named = behind_name(&word).filter(|_| !program.is(Traits::TRANSFERS));
            let by_address = word.literal().and_then(path_of_file_url);
            let by_address = by_address.map(|path| OperandWord::value(&path, &word));
            let named = named.into_iter().chain(by_address);
            files.extend(named.map(FileOperand::written));
        }
    }
}

/// What its operands name, and what it makes of them.
fn files_of_operands<'w>(
    call: &Call<'w>,
    program: &Program,
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    if let Some(operands) = call.operands {
        let leading = match call.split.gives(Effects::TEXT) {
            true => 0,
            false => operands.texts,
        };
        let leading = call.words.saturating_add(leading);
        let (before, own) = call
            .split
            .operands
            .split_at(leading.min(call.split.operands.len()));
        // Behind `--` stand options of another program, by which a formatter only shows something, and what `git clone` is given.
        let formats = matches!(operands.role, Role::Format | Role::FormatHere);
        let (before_dashes, _) = at_dashes(arguments);
        let is_passed = |word: &Word| {
            word.prefix().starts_with('-')
                || operands.role == Role::Clone
                    && !before_dashes.iter().any(|own| std::ptr::eq(own, word))
        };
        let is_file = |word: &&&Word| formats || !program.is(Traits::PASSES_ON) || !is_passed(word);
        let own: SmallVec<[&Word; 8]> = own.iter().filter(is_file).copied().collect();
        let own = own.as_slice();
        use_operands(call, operands.role, own, files);
        let texts = before.get(call.words..).unwrap_or_default();
        behind_text(call, operands.role, texts, files);
        behind_values(call, operands.role, arguments, files);
        made_of(call, operands.role, own, files);
    }
}

/// Operands behind an option `cwd` are names in that directory: `tar cf a.tar -C d b`.
fn below_directories<'w>(call: &Call<'w>, arguments: &'w [Word], files: &mut [FileOperand<'w>]) {
    let place = |wanted: &Word| arguments.iter().position(|own| std::ptr::eq(own, wanted));
    let directories: Vec<_> = call.split.values_that(Effects::CWD).collect();
    if directories.is_empty() {
        return;
    }
    let place_of_value = |value: &OperandWord<'w>| match value {
        OperandWord::Argument(word) => place(word),
        // It stands in the word of its option.
        OperandWord::Value(value) => arguments.iter().position(|own| own.span == value.span),
    };
    for file in files {
        let OperandWord::Argument(word) = file.word else {
            continue;
        };
        if !call
            .split
            .operands
            .iter()
            .any(|own| std::ptr::eq(*own, word))
        {
            continue;
        }
        let own = place(word);
        let mut path = String::new();
        let mut is_known = word.literal().is_some();
        for directory in directories
            .iter()
            .filter(|value| place_of_value(value) < own)
        {
            is_known &= directory.literal().is_some();
            path = joined(&path, directory.literal().unwrap_or_default());
        }
        if path.is_empty() && is_known {
            continue;
        }
        file.word = match word.literal().filter(|_| is_known) {
            Some(name) => OperandWord::value(&joined(&path, name), word),
            None => opaque("", word.span),
        };
    }
}

/// A name in a directory.
fn joined(directory: &str, name: &str) -> String {
    match directory.is_empty() || name.starts_with(['/', '~']) {
        true => name.to_owned(),
        false => format!("{}/{name}", directory.trim_end_matches('/')),
    }
}

/// The files that options name which stand before a subcommand, or before the command that a wrapper runs.
pub(super) fn of_options<'w>(
    options: &'static [Opt],
    arguments: &'w [Word],
    files: &mut FileOperands<'w>,
) {
    of_values(&split_before(options, arguments), files);
}

/// The files that the values of options name.
pub(super) fn of_values<'w>(given: &Lenient<'w>, files: &mut FileOperands<'w>) {
    const USES: Effects = Effects::READ.with(Effects::WRITE);
    for given in given.options.iter().filter(|given| given.does(USES)) {
        let Some(word) = given.value_word() else {
            continue;
        };
        if given.does(Effects::READ) {
            files.push(FileOperand::read(word.clone()));
        }
        if given.does(Effects::WRITE) {
            files.push(FileOperand::written(word));
        }
    }
}

/// What a program, or a subcommand of it, was given.
struct Call<'w> {
    /// What it looks for by itself.
    finds: &'static [&'static str],
    /// How many operands in front are the name of the subcommand.
    words: usize,
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
            !program.is(Traits::TRANSFERS) || command.operands.is_none_or(is_plain)
        });
        let (words, options, operands) = match (command, program.operands) {
            (Some((command, words)), of_row) if of_row.is_none() || command.operands.is_some() => {
                (words, command.options, command.operands)
            }
            // Of its options it may be known all the same.
            (None, None) if !program.options_do.has(FILES) => return None,
            // What is known of its options holds all the same.
            (Some((command, _)), operands) => (0, command.options, operands),
            (None, operands) => (0, program.options, operands),
        };
        Some(Self {
            finds: program.finds,
            copies_remote: program.is(Traits::REMOTE_NAMES),
            words,
            operands,
            split: split_by(program, options, arguments),
            here,
        })
    }

    /// The program in this mode.
    fn of_mode(
        program: &Program,
        mode: &Mode,
        here: Option<&'w Word>,
        arguments: &'w [Word],
    ) -> Self {
        Self {
            finds: program.finds,
            copies_remote: program.is(Traits::REMOTE_NAMES),
            words: 0,
            operands: mode.operands,
            split: split_by(program, mode.options, arguments),
            here,
        }
    }

    /// Whether it says that nothing is changed, for itself or for the formatter behind `--` (`cargo fmt -- --check`).
    fn only_shows(&self, operands: &[&Word]) -> bool {
        let given = &self.split.options;
        self.split.table_that(Effects::SHOWS).any(|option| {
            !self.takes_back(option.name)
                && (given.iter().any(|given| {
                    let value = given.value_literal();
                    given.name == option.name
                        && !value.is_some_and(|value| WRITING.contains(&value))
                }) || operands.iter().any(|word| {
                    let long = word.literal().and_then(|text| text.strip_prefix("--"));
                    long == Some(option.name)
                }))
        })
    }

    /// Whether `--no-x` is given of an option `--x`.
    fn takes_back(&self, name: &str) -> bool {
        let mut given = self.split.options.iter();
        given.any(|given| given.name.strip_prefix("no-") == Some(name))
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
    let mut values = call.split.options.iter().filter_map(|given| {
        let Some(Place::Next(word)) = given.value else {
            return None;
        };
        Some(word).filter(|word| becomes_several(word))
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
    let suffixes: Vec<OperandWord<'w>> = call.split.values_that(Effects::SUFFIX).collect();
    let suffixes: Vec<&Word> = suffixes.iter().map(|word| &**word).collect();
    let prefixes: Vec<OperandWord<'w>> = call.split.values_that(Effects::PREFIX).collect();
    match role {
        Role::Copy | Role::Move => beside_copies(call, operands, &suffixes, files),
        Role::Patch if operands.is_empty() => {
            let looks = ["dry-run", "help", "version", "v", "o", "output"];
            if !call.split.has(&looks) {
                unpack(call, &[], files);
            }
            // Backups of files that the patch names.
            pieces(&prefixes, &[], files);
        }
        Role::Patch => {
            let patched = operands.get(..1).unwrap_or_default();
            beside(patched, &prefixes, &suffixes, files);
        }
        Role::Write => beside(operands, &prefixes, &suffixes, files),
        Role::InPlace => {
            for suffix in call.split.values_that(Effects::IN_PLACE) {
                operands
                    .iter()
                    .for_each(|name| made::kept(name, &suffix, files));
            }
        }
        Role::Replace => {
            for name in operands {
                if made::repacked(name, &suffixes, files) && call.split.gives(Effects::UNPACKS) {
                    made::unpacked_below(made::directory_of(name), files);
                }
            }
            return;
        }
        Role::Unpack => return unpack(call, operands, files),
        Role::Members => return members(call, operands, files),
        Role::ArchiveMembers => return members(call, operands.get(1..).unwrap_or_default(), files),
        Role::Pieces => {
            let named = operands.iter().skip(1);
            let named: Vec<_> = named.map(|word| OperandWord::Argument(word)).collect();
            return pieces(&named, &suffixes, files);
        }
        _ => pieces(&prefixes, &suffixes, files),
    }
    if call.split.gives(Effects::UNPACKS) {
        unpack(call, &[], files);
    }
}

/// Backups of what a copy replaces, and what it fetches.
fn beside_copies<'w>(
    call: &Call<'w>,
    operands: &[&'w Word],
    suffixes: &[&Word],
    files: &mut FileOperands<'w>,
) {
    let (sources, target) = sources_and_target(call, operands);
    let named = call.split.values_that(Effects::TARGET).last();
    for suffix in suffixes {
        made::backups(target.or(named.as_deref()), sources, suffix, files);
    }
    if call.copies_remote {
        made::fetched(target, sources, call.here, files);
    }
}

/// Files that are written beside others: their names with something before or behind.
fn beside<'w>(
    names: &[&'w Word],
    prefixes: &[OperandWord<'w>],
    suffixes: &[&Word],
    files: &mut FileOperands<'w>,
) {
    for name in names {
        let behind = suffixes.iter();
        let behind = behind.map(|suffix| made::followed_by(name, suffix));
        let before = prefixes.iter();
        let before = before.map(|start| made::followed_by(start, name));
        let made = behind.chain(before);
        files.extend(made.map(FileOperand::written));
    }
}

/// Names come from what is read: below the directories that operands name behind it, or an option, or here.
fn unpack<'w>(call: &Call<'w>, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    if call.split.may_give(Effects::UNPACKS) && !call.split.gives(Effects::UNPACKS) {
        return;
    }
    let mut is_here = true;
    for directory in operands.iter().skip(1) {
        is_here = false;
        made::unpacked_below(OperandWord::Argument(directory), files);
    }
    for directory in call.split.values_that(Effects::WRITE_BELOW) {
        is_here = false;
        made::unpacked_below(directory, files);
    }
    if is_here && let Some(first) = call.here {
        made::unpacked_below(OperandWord::value(".", first), files);
    }
}

/// What comes out of an archive: these members, or all that is in it.
fn members<'w>(call: &Call<'w>, members: &[&'w Word], files: &mut FileOperands<'w>) {
    if call.split.gives(Effects::SHOWS) {
        return;
    }
    // A pattern is that of the program.
    let is_pattern = |word: &&Word| word.prefix().contains(['*', '?', '[']) || word.is_opaque();
    let any =
        members.is_empty() || members.iter().any(is_pattern) || call.split.gives(Effects::UNPACKS);
    let mut directories: Vec<OperandWord<'w>> =
        call.split.values_that(Effects::WRITE_BELOW).collect();
    // `unrar x a.rar directory/`
    let named = members
        .iter()
        .filter(|word| word.literal().is_some_and(|text| text.ends_with('/')));
    directories.extend(named.map(|word| OperandWord::Argument(word)));
    if directories.is_empty()
        && any
        && let Some(first) = call.here
    {
        directories.push(OperandWord::value(".", first));
    }
    let anywhere = call.split.may_give(Effects::CONFINED) && !call.split.gives(Effects::CONFINED);
    if (anywhere || call.split.gives(Effects::ANYWHERE))
        && let Some(first) = call.here
    {
        directories.push(OperandWord::value("/", first));
    }
    for directory in directories {
        made::unpacked_below(directory, files);
    }
}

/// Pieces of what is read: their names begin with these words.
fn pieces<'w>(prefixes: &[OperandWord<'w>], suffixes: &[&Word], files: &mut FileOperands<'w>) {
    for prefix in prefixes {
        files.push(FileOperand::written(prefix.clone()));
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
    let gives = |effects| call.split.gives(effects);
    match role {
        Role::Read if gives(Effects::DELETES_SOURCES) => {
            all(files, &[FileAccess::Read, FileAccess::Delete]);
        }
        Role::Read => all(files, &[FileAccess::Read]),
        Role::Empty | Role::Write if role == Role::Empty || gives(Effects::DELETES_TARGET) => {
            all(files, &[FileAccess::Write]);
            let targets = operands.iter().map(|word| OperandWord::Argument(word));
            files.extend(targets.map(emptied));
        }
        Role::Empty | Role::Write => all(files, &[FileAccess::Write]),
        Role::Patch => patched(operands, files),
        Role::Delete => files.extend(operands.iter().map(|word| removed(word))),
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
        Role::WriteThenRead => packed(operands, gives(Effects::DELETES_SOURCES), files),
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
        Role::Members | Role::ArchiveMembers => archived(call, role, operands, files),
        Role::Pieces => {
            let read = operands.get(..1).unwrap_or_default();
            first(read, FileAccess::Read, FileAccess::Write, files);
        }
        Role::Clone => cloned(operands, files),
    }
}

/// An archive that is written, and what is put into it.
fn packed<'w>(operands: &[&'w Word], deletes_sources: bool, files: &mut FileOperands<'w>) {
    first(operands, FileAccess::Write, FileAccess::Read, files);
    if deletes_sources {
        let sources = operands.iter().skip(1);
        files.extend(sources.map(|word| file(word, FileAccess::Delete)));
    }
}

/// What a patch changes, and the patch itself.
fn patched<'w>(operands: &[&'w Word], files: &mut FileOperands<'w>) {
    first_of(operands, FileAccess::Write, files);
    files.extend(operands.iter().map(|word| file(word, FileAccess::Read)));
}

/// The archive, and what comes out of it by name.
fn archived<'w>(call: &Call<'w>, role: Role, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    match (role, call.split.gives(Effects::SHOWS)) {
        (Role::ArchiveMembers, true) => first_of(operands, FileAccess::Read, files),
        (Role::ArchiveMembers, false) => {
            first(operands, FileAccess::Read, FileAccess::Write, files);
        }
        (_, true) => {}
        (_, false) => files.extend(operands.iter().map(|word| file(word, FileAccess::Write))),
    }
}

/// Values of an option that shows what a formatter would change with which it changes that all the same: `-o write`.
const WRITING: &[&str] = &["write", "files", "false", "f", "F", "0"];

/// What a formatter writes, unless it only shows what it would.
fn formatted<'w>(call: &Call<'w>, role: Role, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    let by_option = call.split.may_give(Effects::IN_PLACE);
    if by_option && !call.split.gives(Effects::IN_PLACE) || call.only_shows(operands) {
        return;
    }
    let mut elsewhere = FileOperands::new();
    let mut write = |word| {
        let written = FileOperand::written(word);
        files.push(written.reaching(AccessScope::Tracked));
    };
    let (here, named): (Vec<&Word>, Vec<&Word>) = operands.iter().partition(|word| is_here(word));
    let is_path = |word: &&Word| role == Role::Format || word.prefix().starts_with(['.', '/', '~']);
    for word in named.into_iter().filter(is_path) {
        // What lies elsewhere is none of what git tracks here.
        if leads_out(&word.prefix()) {
            elsewhere.push(file(word, FileAccess::Write));
        }
        // `./x/...` of Go is all below.
        match word.literal().and_then(|text| text.strip_suffix("/...")) {
            Some(directory) => write(OperandWord::value(directory, word)),
            None => write(OperandWord::Argument(word)),
        }
    }
    // Without a path they go through the directory.
    let goes = operands.is_empty() || role == Role::FormatHere;
    let here = here.first().copied();
    if let Some(here) = here.or(call.here.filter(|_| goes)) {
        match call.finds {
            [] => write(OperandWord::value(".", here)),
            finds => { finds.iter() }.for_each(|form| write(OperandWord::value(form, here))),
        }
    }
    files.extend(elsewhere);
}

/// Whether a path is the working directory with all below it.
fn is_here(word: &Word) -> bool {
    matches!(word.literal(), Some("." | "./" | "./..." | "..."))
}

/// A directory of which all is removed that is there.
fn emptied(word: OperandWord<'_>) -> FileOperand<'_> {
    FileOperand::new(word, FileAccess::Delete).reaching(AccessScope::Emptied)
}

/// What is removed itself: of a link the link.
fn removed<'w>(word: &'w Word) -> FileOperand<'w> {
    file(word, FileAccess::Delete).reaching(AccessScope::Entry)
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
        Some((last, sources)) if !call.split.gives(Effects::TARGET) && !sources.is_empty() => {
            (sources, Some(last))
        }
        _ => (operands, None),
    }
}

/// What `cp`, `mv`, `ln`, `install` and `rsync` do as their options say.
fn copying(call: &Call<'_>, role: Role) -> Copying {
    Copying {
        has_target: call.split.gives(Effects::TARGET),
        has_source: call.split.gives(Effects::SOURCE),
        deletes_sources: role == Role::Move || call.split.gives(Effects::DELETES_SOURCES),
        deletes_target: call.split.gives(Effects::DELETES_TARGET),
        renames: role == Role::Move,
    }
}
