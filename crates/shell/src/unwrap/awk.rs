//! Programs for awk that reach out.

use super::grammar::{Grammar, Unclear};
use crate::{Span, Word, Words};

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

/// A program text that calls `system`, opens a pipe or writes a file, and one that is not in the command: in a file,
/// in a variable.
pub(super) fn find(words: &Words) -> Option<Span> {
    named_elsewhere(words).or_else(|| reaches_out(words))
}

fn named_elsewhere(words: &Words) -> Option<Span> {
    match AWK.split(words) {
        Ok(split) if split.has(&["help", "version", "V", "h"]) => None,
        Ok(split) => {
            let files = ["f", "file", "E", "exec", "i", "include", "l", "load"];
            let option = split
                .options
                .iter()
                .find(|option| files.contains(&option.name.as_str()));
            if let Some(option) = option {
                return Some(option.span);
            }
            if split.has(&["e", "source"]) {
                return None;
            }
            let program = split.operands.first()?;
            program.is_opaque().then_some(program.span)
        }
        Err(Unclear(span)) => Some(span),
    }
}

fn reaches_out(words: &[Word]) -> Option<Span> {
    words
        .iter()
        .find(|word| {
            let text = word.prefix();
            let dense: String = text
                .chars()
                .filter(|character| !character.is_whitespace())
                .collect();
            text.contains("system")
                || text.contains("@load")
                || [
                    "|\"", "|&", "|getline", "\"|", ">\"", "|cmd", "|(", ">$", ">(",
                ]
                .iter()
                .any(|mark| dense.contains(mark))
        })
        .map(|word| word.span)
}
