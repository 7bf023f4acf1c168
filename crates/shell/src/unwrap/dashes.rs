//! Options that are written in another way than that of GNU: of programs that take a long one behind any number of dashes
//! (`npm test -script-shell=x` is `npm test --script-shell=x`), and of Windows (`csc /out:x` is `csc --out=x`).

use std::borrow::Cow;

use tenon_programs::{OptionTable, Program, Traits};

use super::invocation::Invocation;
use crate::word::{Part, Word};
use crate::words::Words;

/// Writes out the options up to `--` in the words by which facts about the command are known. Commands inside keep their words,
/// where an option can be one of their own.
pub(super) fn write_out(invocation: &mut Invocation) {
    let program = invocation.program;
    if !invocation.is(Traits::ANY_DASHES.with(Traits::SLASH_OPTIONS)) {
        return;
    }
    let words = invocation.plain();
    let end = words.iter().position(|word| word.literal() == Some("--"));
    let end = end.unwrap_or(words.len());
    let mut written = Vec::new();
    for (place, word) in words.iter().enumerate().take(end) {
        if let Some(word) = word_written_out(program, word) {
            written.push((place, word));
        }
    }
    if written.is_empty() {
        return;
    }
    let mut all = words.to_vec();
    for (place, word) in written {
        if let Some(old) = all.get_mut(place) {
            *old = word;
        }
    }
    invocation.plain = Some(Words::from(all));
}

/// The start of a word with the dashes that belong to the option which it is: two before a name, one before letters.
pub(super) fn written_out<'t>(program: Option<&Program>, text: Cow<'t, str>) -> Cow<'t, str> {
    let Some(program) = program.filter(|program| program.is(Traits::ANY_DASHES)) else {
        return text;
    };
    let bare = text.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or_default();
    let dashes = text.len() - bare.len();
    if name.is_empty() || dashes == 0 {
        return text;
    }
    let is_name =
        program.option(name).is_some() || !name.chars().all(|letter| is_letter(program, letter));
    let right = match is_name && name.chars().nth(1).is_some() {
        true => 2,
        false => 1,
    };
    match right == dashes {
        true => text,
        false => Cow::Owned(format!("{}{bare}", "-".repeat(right))),
    }
}

/// An option of Windows with its dashes; nothing where it is none of the program, which may be a path.
fn with_slash(program: &Program, text: &str) -> Option<String> {
    let bare = text.strip_prefix(['/', '-'])?;
    if !program.is(Traits::SLASH_OPTIONS) {
        return None;
    }
    if text.starts_with('/') && program.options.glued(bare).is_some() {
        return Some(format!("-{bare}"));
    }
    let (name, value) = match bare.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (bare, None),
    };
    let name = name.to_ascii_lowercase();
    program.option(&name)?;
    let dashes = if name.len() > 1 { "--" } else { "-" };
    Some(match value {
        Some(value) if name.len() > 1 => format!("{dashes}{name}={value}"),
        Some(value) => format!("{dashes}{name}{value}"),
        None => format!("{dashes}{name}"),
    })
}

/// Whether the program has an option of this letter.
fn is_letter(program: &Program, letter: char) -> bool {
    let before = program.before.iter().map(|entry| entry.options);
    let mut all = before.chain([program.options]);
    all.any(|options| options.letter(letter).is_some())
}

/// The word with the dashes that belong to it, where it is written with others; nothing where it cannot be determined which
/// option it is.
fn word_written_out(program: Option<&Program>, word: &Word) -> Option<Word> {
    let text = word.prefix();
    if word.is_opaque() && !text.contains(['=', ':']) {
        return None;
    }
    let of_windows = program.and_then(|program| with_slash(program, &text));
    let written = match (of_windows, written_out(program, Cow::Borrowed(&*text))) {
        (Some(written), _) | (None, Cow::Owned(written)) => written,
        (None, Cow::Borrowed(_)) => return None,
    };
    let is_text = |part: &&Part| matches!(part, Part::Text { .. });
    let rest = word.parts.iter().skip_while(is_text).cloned();
    let start = Part::text(written, true);
    let parts = std::iter::once(start).chain(rest).collect();
    Some(Word::of_parts(parts, word.expansion, word.span))
}
