//! Files that a program makes in its working directory under names of its own, where nothing names another place:
//! `ln -s ../b`, `split a`, `gcc a.c`.

use tenon_programs::{Effects, Opt, Program};

use super::arguments::{parsed_by, split_by, unknown_file};
use super::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::{Part, Word};

/// What stands for the name of an operand without its directories, and for the same without its ending.
const NAME: &str = "{}";
const STEM: &str = "{.}";
/// What stands for the operand as it is, and for the same without its ending.
const PATH: &str = "{path}";
const PATH_STEM: &str = "{path.}";

/// Options that name another place.
const PLACES: Effects = Effects::TARGET.with(Effects::PREFIX);

/// Options with which nothing is made.
const SAYING: &[&str] = &["help", "version"];

/// Adds what the program makes by itself.
pub(super) fn add<'w>(program: &Program, words: &'w [Word], files: &mut FileOperands<'w>) {
    let Some((first, arguments)) = words.split_first() else {
        return;
    };
    if program.modes.is_empty() {
        return made_by(
            program,
            (program.options, program.makes),
            (first, arguments),
            files,
        );
    }
    let parsed = parsed_by(program, program.options, arguments);
    let mut is_plain = true;
    for mode in program.modes_of(&parsed) {
        is_plain = false;
        made_by(
            program,
            (mode.options, mode.makes),
            (first, arguments),
            files,
        );
    }
    if is_plain {
        made_by(
            program,
            (program.options, program.makes),
            (first, arguments),
            files,
        );
    }
}

/// Whether there is such a file for each operand, with a name that is made of that of the operand.
fn is_per_operand(name: &str) -> bool {
    let signs = [NAME, STEM, PATH, PATH_STEM];
    signs.iter().any(|sign| name.contains(sign))
}

/// Adds what it makes by these options.
fn made_by<'w>(
    program: &Program,
    (options, makes): (&'static [Opt], &[&str]),
    (first, arguments): (&'w Word, &'w [Word]),
    files: &mut FileOperands<'w>,
) {
    if makes.is_empty() {
        return;
    }
    let given = split_by(program, options, arguments);
    let is_written = |operand: &&Word| {
        files.iter().any(|file| {
            let is_it =
                matches!(file.word, OperandWord::Argument(word) if std::ptr::eq(word, *operand));
            is_it && file.access == FileAccess::Write && !file.if_several
        })
    };
    let works_per_operand = makes.iter().any(|name| is_per_operand(name));
    if given.has(SAYING)
        || given.gives(PLACES)
        || given.operands.iter().any(is_written)
        || (works_per_operand && given.operands.is_empty())
    {
        return;
    }
    // They are no use of the operands themselves, which are looked at besides.
    let write = |name: &str| FileOperand::written(OperandWord::value(name, first));
    let names_all = makes.iter().all(|name| is_per_operand(name));
    for operand in given.operands.iter().filter(|_| works_per_operand) {
        let Some(base) = base_name(operand) else {
            // Beside a name that is always the same this one says little.
            if names_all {
                files.push(unknown_file(first.span, FileAccess::Write));
            }
            continue;
        };
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let names = makes.iter().filter(|name| is_per_operand(name));
        let path = operand.literal();
        files.extend(names.map(|name| match path {
            None if name.contains(PATH) || name.contains(PATH_STEM) => {
                unknown_file(first.span, FileAccess::Write)
            }
            path => {
                let path = path.unwrap_or_default();
                let without = path.strip_suffix(base).unwrap_or_default();
                let name = name.replace(PATH, path);
                let name = name.replace(PATH_STEM, &format!("{without}{stem}"));
                write(&name.replace(NAME, base).replace(STEM, stem))
            }
        }));
    }
    let fixed = makes.iter().filter(|name| !is_per_operand(name));
    files.extend(fixed.map(|name| write(name)));
}

/// The last name of a path or address, where it is known.
fn base_name(operand: &Word) -> Option<&str> {
    let text = match (operand.literal(), operand.parts.last()) {
        (Some(text), _) => text,
        // What stands behind the last slash is known whatever stands before it.
        (None, Some(Part::Text { value, .. })) if value.contains('/') => value,
        _ => return None,
    };
    let path = match text.contains("://") {
        true => text.split(['?', '#']).next().unwrap_or_default(),
        false => text,
    };
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let is_known = operand.literal().is_some() || !name.contains(['*', '?', '[', '{', '(']);
    (is_known && !name.is_empty()).then_some(name)
}
