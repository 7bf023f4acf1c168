//! Directories and files that give a program the code or settings that it works with, where it does not change into
//! them: `mvn -f FILE`, `gradle -p DIRECTORY`, `cmake -S DIRECTORY`, `docker build DIRECTORY`.
//!
//! Who allows such a program means the code of the workspace.

use smallvec::SmallVec;
use tenon_programs::words::projects::{CMAKE, DOTNET};
use tenon_programs::{Argument, CommandTraits, Effects, Operands, Program, Role, Traits};

use super::arguments::{Lenient, attached, opaque, split, split_before};
use super::fetching::path_of_file_url;
use super::file::OperandWord;
use crate::unwrap::clients::is_input;
use crate::unwrap::invocation::Invocation;
use crate::unwrap::options::at_dashes;
use crate::word::Word;

/// Words that name such directories and files.
pub type Projects<'w> = SmallVec<[OperandWord<'w>; 2]>;

/// Directories and files that the arguments of a command name as the code or settings that it works with.
///
/// ```
/// use tenon_shell::{ShellGrammar, invocation, projects, read};
/// let script = read("mvn -q -f ../other/pom.xml verify", ShellGrammar::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let projects = projects(&command);
/// assert_eq!(projects[0].literal(), Some("../other/pom.xml"));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn projects(invocation: &Invocation) -> Projects<'_> {
    let Some(program) = invocation.program() else {
        return Projects::new();
    };
    let name = invocation.base_name().unwrap_or_default();
    let words = invocation.normalized_words();
    let arguments = words.get(1..).unwrap_or_default();
    // The rest is of a program that is run.
    let (own, _) = at_dashes(arguments);
    // Settings of TypeScript are no code: they only say where it writes.
    if name == "tsc" && emits_nothing(own) {
        return Projects::new();
    }
    let mut found = named(invocation, program, own);
    found.extend(paths_of_packages(name, program, own));
    found.extend(of_settings(name, own));
    found.retain(|word| !is_no_directory(word));
    found
}

/// What settings name as the code that cmake works with: `-DCMAKE_TOOLCHAIN_FILE=…`.
fn of_settings<'w>(name: &str, arguments: &'w [Word]) -> Projects<'w> {
    if name != "cmake" {
        return Projects::new();
    }
    let settings = arguments.iter().filter_map(|word| {
        let text = word.known_start();
        let (name, _) = text.split_once('=')?;
        let (plain, _) = name.split_once(':').unwrap_or((name, ""));
        let names_code = CMAKE.iter().any(|end| plain.ends_with(end))
            || plain.contains("FETCHCONTENT_SOURCE_DIR_");
        names_code.then(|| attached(word, text, name.len() + 1))
    });
    settings.collect()
}

/// What options name, and what goes into an image. Behind `--` stand no options of the program itself.
fn named<'w>(invocation: &'w Invocation, program: &Program, own: &'w [Word]) -> Projects<'w> {
    let arguments = invocation.normalized_words().get(1..).unwrap_or_default();
    let Some((command, words)) = invocation.command() else {
        return match program.options_do.has(Effects::PROJECT) {
            true => values(&split(program.options, own), false),
            false => Projects::new(),
        };
    };
    if command.is(CommandTraits::OWN_COMMANDS) {
        // Behind its command the same letters mean something else (`logs -f`).
        let behind = arguments.get(words..).unwrap_or_default();
        return values(&split_before(command.options, behind), false);
    }
    let is_image = |operands: Operands| operands.role == Role::ImageContext;
    let is_image = command.operands.is_some_and(is_image);
    if !is_image && command.options_that(Effects::PROJECT).next().is_none() {
        return Projects::new();
    }
    let mut found = values(&split(command.options, own), is_image);
    if is_image {
        let split = split(command.options, arguments);
        let operands = split.operands.iter().skip(words);
        found.extend(operands.map(|word| OperandWord::Argument(word)));
    }
    found
}

/// What the options name that name a project, but for settings. Instructions for an image may come from the input, as they reach nothing of
/// this machine.
fn values<'w>(split: &Lenient<'w>, of_image: bool) -> Projects<'w> {
    let named = split.values_that(Effects::PROJECT);
    let named = named.filter(|word| setting(word).is_none());
    // What comes from elsewhere, or from the input, lies in no directory that is known.
    let is_given = |word: &Word| !of_image && word.literal().is_some_and(is_input);
    let named = named.flat_map(|word| match is_remote(&word) || is_given(&word) {
        true => [Some(opaque("", word.span)), None],
        false => {
            let behind = behind_mark(&word);
            [Some(word), behind]
        }
    });
    named.flatten().collect()
}

/// What stands behind a mark that an option has in front of a path: `tool:path`.
fn behind_mark<'w>(word: &OperandWord<'w>) -> Option<OperandWord<'w>> {
    let (mark, path) = word.literal()?.split_once(':')?;
    let is_drive = mark.len() == 1 && path.starts_with(['/', '\\']);
    (!is_drive && !path.is_empty()).then(|| OperandWord::value(path, word))
}

/// The value of a setting, `name=value`.
fn setting<'w>(word: &OperandWord<'w>) -> Option<OperandWord<'w>> {
    let text = word.known_start();
    let (name, _) = text.split_once('=')?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-/@".contains(letter);
    let is_named = !name.is_empty() && !name.starts_with(['.', '/']) && name.chars().all(is_name);
    is_named.then(|| attached(word, text, name.len() + 1))
}

/// Operands and settings that name a project where they are paths: `npm pack DIRECTORY`, `mvn -Dname=DIRECTORY`. Of a word that is not
/// known it says nothing that it is one.
///
/// ```
/// use tenon_shell::{ShellGrammar, invocation, project_operands, read};
/// let script = read("npm pack ../other", ShellGrammar::Bash)?;
/// let command = script.commands().next().and_then(invocation).expect("one command");
/// let projects = project_operands(&command);
/// assert_eq!(projects[0].literal(), Some("../other"));
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[must_use]
pub fn project_operands(invocation: &Invocation) -> Projects<'_> {
    let Some(program) = invocation.program() else {
        return Projects::new();
    };
    let first = program.is(Traits::PROJECT_FIRST);
    // Most programs have nothing of it, which is quickly known.
    let may_name = first
        || program.is(Traits::PROJECTS)
        || program.commands_are.has(CommandTraits::PROJECTS)
        || program
            .options_do
            .with(program.commands_do)
            .has(Effects::PROJECT);
    if !may_name {
        return Projects::new();
    }
    let arguments = invocation.normalized_words().get(1..).unwrap_or_default();
    let (own, _) = at_dashes(arguments);
    let command = invocation.command();
    let options = command.map_or(program.options, |(command, _)| command.options);
    let are_projects = program.is(Traits::PROJECTS)
        || first
        || command.is_some_and(|(command, _)| command.is(CommandTraits::PROJECTS));
    if !are_projects
        && !options
            .iter()
            .any(|option| option.effects.has(Effects::PROJECT))
    {
        return Projects::new();
    }
    let split = split(options, own);
    let words = command.map_or(0, |(_, words)| words);
    let operands = split.operands.iter().skip(words).filter(|_| are_projects);
    let operands = operands.take(if first { 1 } else { usize::MAX });
    let operands = operands.map(|word| OperandWord::Argument(word));
    // `file:PATH`, `name@file:PATH`
    let operands = operands.flat_map(|word| [behind_mark(&word), Some(word)]);
    let mut found: Projects<'_> = operands.flatten().collect();
    found.extend(
        split
            .values_that(Effects::PROJECT)
            .filter_map(|word| setting(&word)),
    );
    found.retain(|word| !is_no_directory(word));
    found
}

/// Whether a text is the address of a project on another machine: `oci://x`, `git@h:x`.
fn is_remote(word: &Word) -> bool {
    let text = word.prefix();
    text.contains("://") || text.starts_with("git@")
}

/// The operands of `pip install` that are written as paths, and those that are projects: what they bring is run.
fn paths_of_packages<'w>(name: &str, program: &Program, arguments: &'w [Word]) -> Projects<'w> {
    if !matches!(name, "pip" | "uv" | "tsc" | "dotnet") {
        return Projects::new();
    }
    let options = program.command_of(arguments);
    let options = options.map_or(program.options, |(command, _)| command.options);
    let split = split(options, arguments);
    let first = split.operands.first().and_then(|word| word.literal());
    let is_path = |word: &&Word| word.prefix().starts_with(['/', '.', '~']);
    match (name, first) {
        ("pip", Some("install" | "wheel")) | ("uv", Some("pip" | "add" | "tool")) => {
            let words = split.operands.iter().copied();
            words.filter_map(of_requirement).collect()
        }
        ("tsc", _) if arguments.iter().any(builds) => {
            let words = split.operands.iter().copied();
            words.map(OperandWord::Argument).collect()
        }
        ("dotnet", Some(command)) if DOTNET.contains(&command) => {
            let words = split.operands.iter().copied();
            words
                .skip(1)
                .filter(is_path)
                .map(OperandWord::Argument)
                .collect()
        }
        _ => Projects::new(),
    }
}

/// The place of a package on this machine: `../x`, `x @ file:///y`, `git+file:///y`.
fn of_requirement(word: &Word) -> Option<OperandWord<'_>> {
    if word.prefix().starts_with(['/', '.', '~']) {
        return Some(OperandWord::Argument(word));
    }
    let text = word.literal()?;
    let place = text.split_once('@').map_or(text, |(_, place)| place.trim());
    let place = place.strip_prefix("git+").unwrap_or(place);
    let is_path = place.starts_with(['/', '.']);
    let path = path_of_file_url(place).or_else(|| is_path.then_some(place.into()))?;
    Some(OperandWord::value(&path, word))
}

/// Whether an option says that `tsc` writes nothing, and none takes that back.
fn emits_nothing(arguments: &[Word]) -> bool {
    let is_given = |word: &Word| {
        let text = word.literal().unwrap_or_default();
        text.trim_start_matches('-').eq_ignore_ascii_case("noEmit") && text.starts_with('-')
    };
    let is_false = |word: &Word| word.literal() == Some("false");
    arguments.iter().any(is_given)
        && !arguments.iter().any(builds)
        && !arguments.iter().any(is_false)
}

/// Whether this option of `tsc` makes its operands projects.
fn builds(word: &Word) -> bool {
    matches!(word.literal(), Some("-b" | "--b" | "-build" | "--build"))
}

/// The input, and addresses: what is fetched from there is a matter of hosts.
pub(super) fn is_no_directory(word: &Word) -> bool {
    let text = word.prefix();
    matches!(word.literal(), Some("-" | ""))
        || text.contains("://")
        || text.starts_with("git@")
        || text.starts_with("git+")
}
