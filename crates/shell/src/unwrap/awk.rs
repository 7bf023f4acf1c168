//! Programs for awk that reach out.

use tenon_programs::Effects;

use super::awk_program;
use super::grammar::{Unclear, split_before};
use crate::span::Span;
use crate::words::Words;

/// A program text that calls `system`, opens a pipe or a file, and one that is not in the command: in a file, in a
/// variable.
pub(super) fn find(words: &Words) -> Option<Span> {
    let options = tenon_programs::find("awk").map_or(&[][..], |awk| awk.options);
    let split = match split_before(options, words) {
        Ok(split) => split,
        Err(Unclear(span)) => return Some(span),
    };
    if split.has(&["help", "version", "V", "h"]) {
        return None;
    }
    const REACHING: Effects = Effects::READ
        .with(Effects::WRITE)
        .with(Effects::IN_PLACE)
        .with(Effects::EXEC);
    if let Some(option) = split.those(REACHING).next() {
        return Some(option.word.span);
    }
    // Several texts are one program, a line each.
    let mut program = String::new();
    let options = split.options.iter();
    let mut given = options
        .filter(|given| matches!(given.name, "e" | "source"))
        .peekable();
    if given.peek().is_none() {
        let first = split.operands.first()?;
        return first
            .literal()
            .is_none_or(awk_program::reaches_out)
            .then_some(first.span);
    }
    let first = given.peek().map(|given| given.word.span);
    for option in given {
        let Some(text) = option.value_literal() else {
            return Some(option.word.span);
        };
        program.push_str(text);
        program.push('\n');
    }
    first.filter(|_| awk_program::reaches_out(&program))
}
