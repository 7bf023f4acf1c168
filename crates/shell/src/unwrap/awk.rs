//! Programs for awk that reach out.

use super::awk_program;
use super::grammar::{Grammar, Unclear};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// The options of POSIX awk, and those of gawk that take a value.
const AWK: Grammar = Grammar {
    flags: "bcCghIkMnNOPrsStV",
    values: "FvfileE",
    optional: "dDLpo",
    long_flags: &[
        "characters-as-bytes",
        "traditional",
        "copyright",
        "gen-pot",
        "help",
        "trace",
        "csv",
        "bignum",
        "use-lc-numeric",
        "non-decimal-data",
        "optimize",
        "posix",
        "re-interval",
        "no-optimize",
        "sandbox",
        "lint-old",
        "version",
    ],
    long_values: &[
        "field-separator",
        "assign",
        "file",
        "include",
        "load",
        "exec",
        "source",
    ],
    long_optional: &["dump-variables", "debug", "lint", "pretty-print", "profile"],
    permutes: false,
};

/// A program text that calls `system`, opens a pipe or a file, and one that is not in the command: in a file, in a
/// variable.
pub(super) fn find(words: &Words) -> Option<Span> {
    let split = match AWK.split(words) {
        Ok(split) => split,
        Err(Unclear(span)) => return Some(span),
    };
    if split.has(&["help", "version", "V", "h"]) {
        return None;
    }
    let files = [
        "f",
        "file",
        "E",
        "exec",
        "i",
        "include",
        "l",
        "load",
        "o",
        "pretty-print",
        "d",
        "dump-variables",
        "p",
        "profile",
        "D",
        "debug",
    ];
    let mut options = split.options.iter();
    if let Some(option) = options.find(|option| files.contains(&option.name.as_str())) {
        return Some(option.span);
    }
    // Several texts are one program, a line each.
    let mut program = String::new();
    let options = split.options.iter();
    let mut given = options
        .filter(|option| matches!(option.name.as_str(), "e" | "source"))
        .peekable();
    if given.peek().is_none() {
        let first = split.operands.first()?;
        return first
            .literal()
            .is_none_or(awk_program::reaches_out)
            .then_some(first.span);
    }
    let first = given.peek().map(|option| option.span);
    for option in given {
        let Some(text) = option.value.as_ref().and_then(Word::literal) else {
            return Some(option.span);
        };
        program.push_str(text);
        program.push('\n');
    }
    first.filter(|_| awk_program::reaches_out(&program))
}
