//! Options that name a file or module which is run as code: the settings that a project finds by itself are its own,
//! another file that an option names need not be.

use smallvec::{SmallVec, smallvec};
use tenon_programs::words::project_code::{FILES, NAMING_FILES, REGISTERS, RUN_CONTROLS, SETTINGS};
use tenon_programs::{Effects, Opt, Program, Traits};

use super::invocation::Invocation;
use super::loading_options;
use super::options::{is_long, options_that};
use crate::operands::{OperandWord, Projects};
use crate::span::Span;
use crate::word::{Expansion, Part, Word};

/// Options that name code, or settings with code.
const LOADING: Effects = Effects::CODE.with(Effects::LOADS);

/// Whether options of this program that name other code are known.
pub(super) fn has_options(program: &Program) -> bool {
    program.commands_do.has(LOADING) || program.options_that(LOADING).next().is_some()
}

/// Whether this long option, of which the value is looked at by [`find`], stands in the catalogue.
pub(super) fn knows(program: &Program, option: &str) -> bool {
    let of_commands = program.commands.iter();
    let of_commands = of_commands.filter(|_| program.commands_do.has(LOADING));
    let of_commands = of_commands.flat_map(|command| command.options_that(LOADING));
    let mut own = program.options_that(LOADING).chain(of_commands);
    own.any(|own| match own.effects.has(EXACTLY) {
        true => own.name == option,
        false => is_named(option, own),
    })
}

/// Options of which no abbreviation counts as code.
const EXACTLY: Effects = Effects::EXACT.with(Effects::LOADS);

/// Whether a long option, perhaps with a value, is this one or an abbreviation of it.
fn is_named(long: &str, option: &Opt) -> bool {
    option.name.len() > 1 && is_long(long, &[option.name])
}

/// Whether the value of this long option is looked at.
fn names_code(long: &str, options: &[&Opt]) -> bool {
    options
        .iter()
        .filter(|option| option.effects.has(Effects::CODE))
        .any(|option| match option.effects.has(Effects::EXACT) {
            true => option.name == name_of(long),
            false => is_named(long, option),
        })
}

/// The first option of the program that names other code. What can lie in the workspace is none for a program that runs the
/// code of the project by itself: [`project_code`] returns it.
pub(super) fn find(program: Option<&'static Program>, words: &[Word]) -> Option<Span> {
    let program = program?;
    let in_project = program.is(Traits::RUNS_PROJECT);
    let mut named = named(program, words);
    let found = named.find(|named| match &named.value {
        Names::Own => false,
        Names::Other(value) => !(in_project && can_be_path(value)),
        Names::Unknown => true,
    });
    found.map(|named| named.span)
}

/// The files of code and settings that options of the command name, where the program runs the code of the project by itself: a
/// rule on it covers them where they lie in the workspace.
#[must_use]
pub fn project_code(invocation: &Invocation) -> Projects<'_> {
    let words = invocation.normalized_words();
    let words = words.get(1..).unwrap_or_default();
    if let Some("npm" | "pnpm" | "yarn") = invocation.base_name() {
        return of_script(words);
    }
    let program = invocation.program;
    let Some(program) = program.filter(|program| program.is(Traits::RUNS_PROJECT)) else {
        return Projects::new();
    };
    let files = named(program, words).filter_map(|named| match named.value {
        Names::Other(value) => {
            let word = Word::synthetic(&value, named.span);
            Some(OperandWord::Value(Box::new(word)))
        }
        Names::Own | Names::Unknown => None,
    });
    files.collect()
}

/// What options name that a script of a package is given, whatever program it starts: `npm test -- --config /tmp/x`.
fn of_script(words: &[Word]) -> Projects<'_> {
    let first = words.first().and_then(Word::literal).unwrap_or_default();
    if matches!(
        first,
        "exec" | "x" | "dlx" | "config" | "c" | "install" | "add" | "i"
    ) {
        return Projects::new();
    }
    let given = words
        .iter()
        .zip(words.iter().skip(1).map(Some).chain([None]));
    let named = given.skip(1).filter_map(|(word, next)| {
        let text = word.prefix();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, word.literal().map(|_| value.to_owned())),
            None => (&*text, next?.literal().map(str::to_owned)),
        };
        let names = match name.strip_prefix("--") {
            Some(name) => loading_options::says_place_of_code(name),
            None => matches!(name, "-c" | "-r"),
        };
        names.then(|| given_place(value, word.span)).flatten()
    });
    named.collect()
}

/// The place that the value of such an option names; one that is not known where it is an address, settings or none that the text
/// gives.
fn given_place(value: Option<String>, span: Span) -> Option<OperandWord<'static>> {
    let word = match value {
        Some(value) if value.starts_with('-') => return None,
        Some(value) if can_be_path(&value) => Word::synthetic(&value, span),
        Some(value)
            if !value.contains("://")
                && !value.starts_with(['{', '~'])
                && !value.starts_with("data:") =>
        {
            return None;
        }
        _ => Word::of_parts(smallvec![Part::Unknown], Expansion::default(), span),
    };
    Some(OperandWord::Value(Box::new(word)))
}

/// Whether a value can be a file of the workspace or the name of a package in it, and nothing else: no address, no list, no text
/// of settings.
fn can_be_path(value: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || "._-/@+".contains(letter);
    !value.is_empty() && value.chars().all(plain)
}

/// An option that names code.
struct Named {
    span: Span,
    value: Names,
}

/// What the value of such an option is.
enum Names {
    /// Settings that the program finds by itself, or the name of a package.
    Own,
    /// Something else.
    Other(String),
    /// It cannot be determined, or is code whatever it is.
    Unknown,
}

/// The options of the program that name code.
fn named<'w>(program: &'static Program, words: &'w [Word]) -> impl Iterator<Item = Named> + 'w {
    let options = options_that(program, words, LOADING);
    let named = |effects| {
        let options = options
            .iter()
            .filter(move |option| option.effects.has(effects));
        options.map(|option| option.name)
    };
    let always: SmallVec<[&str; 4]> = named(Effects::LOADS).collect();
    let letters = named(Effects::CODE).filter(|name| name.len() == 1);
    let letters: SmallVec<[&str; 4]> = letters.collect();
    let has_code = !options.is_empty();
    let own = words
        .iter()
        .enumerate()
        .take_while(move |(_, word)| has_code && word.prefix() != "--");
    own.filter_map(move |(place, word)| {
        let text = word.prefix();
        let value = match text.strip_prefix("--") {
            Some(long) if is_other(program, long) => return None,
            Some(long) if is_always(long, &always) => {
                let (span, value) = (word.span, Names::Unknown);
                return Some(Named { span, value });
            }
            Some(long) if names_code(long, &options) => {
                long.split_once('=').map(|(_, value)| value.to_owned())
            }
            Some(_) => return None,
            None => {
                let given = text.strip_prefix('-')?;
                let is_own = |letter: char| letters.iter().any(|name| name.starts_with(letter));
                let place = given.find(is_own)?;
                let value = text.get(place + 2..).filter(|value| !value.is_empty());
                value.map(str::to_owned)
            }
        };
        let value = match value {
            Some(value) => word.literal().is_some().then_some(value),
            // Without a value it is the file that the program finds by itself.
            None => match words.get(place + 1) {
                Some(next) => next.literal().map(str::to_owned),
                None => Some(String::new()),
            },
        };
        let option = text.trim_start_matches('-');
        let is_file = |value: &str| names_file(option) && !is_known_file(value);
        let value = match value {
            Some(value) if is_own(&value) && !is_file(&value) => Names::Own,
            Some(value) => Names::Other(value),
            None => Names::Unknown,
        };
        let span = word.span;
        Some(Named { span, value })
    })
}

/// Whether a long option stands in the catalogue by its whole name, and names no code: `--rule` is no abbreviation of
/// `--rulesdir`.
fn is_other(program: &Program, long: &str) -> bool {
    let name = name_of(long);
    let own = program.options.iter();
    let mut own = own.filter(|option| option.name == name).peekable();
    own.peek().is_some() && own.all(|option| !option.effects.has(LOADING))
}

/// Whether the value of this option is a file, and no name of a package.
fn names_file(option: &str) -> bool {
    NAMING_FILES.contains(&name_of(option))
}

/// Whether a value that is a file is one that programs find by themselves, or can be the name of a package.
fn is_known_file(value: &str) -> bool {
    value.contains(['.', '/', '@', '-']) || SETTINGS.contains(&value)
}

/// Whether this is one of these options, perhaps abbreviated: to no less than three letters, and to no word of its name, which
/// is another option.
fn is_always(long: &str, always: &[&str]) -> bool {
    let name = name_of(long);
    let is_start = |option: &&str| {
        let rest = option.strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|sign: char| !sign.is_ascii_lowercase()))
    };
    always.contains(&name) || (name.len() >= 3 && always.iter().any(is_start))
}

/// A long option without its value.
fn name_of(long: &str) -> &str {
    long.split('=').next().unwrap_or_default()
}

/// The name of a package, or of settings that programs find by themselves.
pub(super) fn is_own(value: &str) -> bool {
    let name = value.trim_start_matches("./");
    if SETTINGS.contains(&name) || REGISTERS.contains(&name) {
        return true;
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_code = FILES.contains(&ending);
    if name.contains(['/', '\\', '$']) {
        // A package of a scope.
        return value.starts_with('@') && value.matches('/').count() == 1 && !is_code;
    }
    if value.starts_with("./") || is_code || name.starts_with('.') {
        let tool = stem.strip_suffix(".config").unwrap_or_default();
        let plain = !tool.is_empty() && tool.bytes().all(|byte| byte.is_ascii_lowercase());
        return plain || RUN_CONTROLS.contains(&stem) || RUN_CONTROLS.contains(&name);
    }
    true
}
