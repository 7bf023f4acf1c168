//! Options that stand between the name of a program and its subcommand.

use tenon_programs::{Effects, Given, Opt, Program, Traits, Value};

use super::grammar::{Split, Unclear, split_before};
use super::invocation::Invocation;
use super::options::value_of;
use crate::word::Word;
use crate::words::Words;

/// Takes directories and global options out of what a rule sees; directories that the options name go into `directories`.
pub(super) fn strip(base: &str, invocation: &mut Invocation) {
    let Some(name) = invocation.words.first() else {
        return;
    };
    // Programs that are known as another one have options of their own before a subcommand.
    let own =
        tenon_programs::program_name(name.literal().map_or(base, super::program_name::base_name));
    // The options of a wrapper or a shell stand before another command.
    const OPENED: Traits = Traits::SHELL.with(Traits::RUNS_ARGUMENTS);
    let program = invocation
        .program
        .filter(|program| program.wrapper.is_none() && !program.is(OPENED));
    let table = program.and_then(|program| Some((program, program.options_before(own)?)));
    let named_plainly = name.literal() == Some(base);
    if table.is_none() && named_plainly {
        return;
    }
    // `cargo +nightly …` chooses a toolchain.
    let mut arguments = invocation.words.behind(1);
    if base == "cargo" && arguments.first().is_some_and(chooses_toolchain) {
        arguments = arguments.behind(1);
    }
    if let Some((program, options)) = table
        && program.is(Traits::ANY_DASHES)
    {
        arguments = without_answers(options, arguments);
    }
    let name = if named_plainly {
        name.clone()
    } else {
        Word::synthetic(base, name.span)
    };
    let mut behind = arguments.clone();
    if let Some((program, options)) = table {
        match split_before(options, &arguments) {
            Ok(split) => {
                note(program, &split, invocation);
                if !split.operands.is_empty() {
                    behind = split.operands;
                }
            }
            Err(Unclear(span)) => {
                invocation.not_understood("an unknown option before the subcommand", span);
            }
        }
    }
    let manual = behind.first().and_then(|word| manual_name(base, word));
    // Nothing was taken out.
    if named_plainly && behind.len() + 1 == invocation.words.len() && manual.is_none() {
        return;
    }
    let mut plain = vec![name];
    plain.extend(behind.iter().cloned());
    if let (Some(manual), Some(word)) = (manual, plain.get_mut(1)) {
        *word = Word::synthetic(manual, word.span);
    }
    invocation.plain = Some(plain.into());
}

/// Words that npm and its like take for the value of an option that needs none: `npm --json true run x`.
const ANSWERS: &[&str] = &["true", "false", "null", "always"];

/// The arguments without such words in front of the subcommand.
fn without_answers(options: &[Opt], arguments: Words) -> Words {
    let mut kept: Vec<Word> = Vec::new();
    let mut place = 0;
    while let Some(word) = arguments.get(place) {
        let option = word.literal().filter(|text| text.starts_with('-'));
        let Some(option) = option.filter(|text| *text != "--") else {
            break;
        };
        kept.push(word.clone());
        place += 1;
        let name = option.trim_start_matches('-');
        let mut own = options.iter().filter(|option| option.name == name);
        let next = arguments.get(place);
        if own.any(|option| option.value == Value::Next) {
            kept.extend(next.cloned());
            place += 1;
        } else if next
            .and_then(Word::literal)
            .is_some_and(|text| ANSWERS.contains(&text))
        {
            place += 1;
        }
    }
    if kept.len() == place {
        return arguments;
    }
    kept.extend(arguments.behind(place).iter().cloned());
    Words::from(kept)
}

/// Notes what the options before a subcommand do.
fn note(program: &Program, split: &Split<'_>, invocation: &mut Invocation) {
    for given in &split.options {
        if given.does(Effects::CWD) {
            invocation.directories.extend(value_of(given));
        }
        if runs_program(program, given) {
            let what = "a setting that can name a program to run";
            invocation.not_understood(what, given.word.span);
        }
    }
}

/// The name that a subcommand has in the manual, where this is another one for it.
fn manual_name(base: &str, word: &Word) -> Option<&'static str> {
    manual_command(base, word.literal()?)
}

/// The name that a subcommand of a program has in its manual, where this is another one for it.
///
/// ```
/// assert_eq!(tenon_shell::manual_command("npm", "i"), Some("install"));
/// assert_eq!(tenon_shell::manual_command("npm", "install"), None);
/// ```
#[must_use]
pub fn manual_command(program: &str, name: &str) -> Option<&'static str> {
    match (program, name) {
        ("git", "send-pack" | "http-push") => Some("push"),
        ("git", "fetch-pack") => Some("fetch"),
        ("git", "stage") => Some("add"),
        ("git", "init-db") => Some("init"),
        ("cargo", "b") => Some("build"),
        ("cargo", "c") => Some("check"),
        ("cargo", "d") => Some("doc"),
        ("cargo", "r") => Some("run"),
        ("cargo", "t") => Some("test"),
        ("cargo", "rm") => Some("remove"),
        ("npm", _) => super::packages::manual_name(name),
        _ => None,
    }
}

fn chooses_toolchain(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.starts_with('+'))
}

/// Whether an option before the subcommand can run something: a setting that is none of the harmless ones, a directory from
/// which the program loads code.
fn runs_program(program: &Program, given: &Given<'_, Word>) -> bool {
    if given.does(Effects::EXEC) {
        return given.value.is_some()
            || given
                .option
                .is_some_and(|option| option.value == Value::None);
    }
    if !given.does(Effects::CONFIG) {
        return false;
    }
    let setting = given.value_literal();
    !setting.is_some_and(|setting| match setting.split_once('=') {
        Some((key, value)) => program.is_harmless_setting(key, Some(value)),
        None => program.is_harmless_setting(setting, None),
    })
}
