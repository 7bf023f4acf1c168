//! Programs that run a command for what they read or find: `xargs`, `parallel`, `find`, `fd`.

use tenon_programs::Given;

use super::grammar::surely_operand;
use super::invocation::{Context, Invocation};
use super::shells::embed;
use crate::span::Span;
use crate::word::Value;
use crate::word::{Expansion, Part, Word};

/// A word that stands for arguments which are only known when the command runs.
pub(super) fn unknown_arguments(span: Span) -> Word {
    Word {
        span,
        parts: smallvec::smallvec![Part::Unknown],
        expansion: Expansion {
            splits: true,
            ..Expansion::default()
        },
        quoted: false,
        value: Value::Opaque,
    }
}

/// Looks into programs that run what stands in an expression. Returns whether `base` is one.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    match base {
        "find" => find(invocation, context),
        "fd" => fd(invocation, context),
        _ => return false,
    }
    true
}

/// A command to which names are added, or that has them in the place of a mark (`xargs -I {}`).
pub(super) fn names(
    invocation: &mut Invocation,
    command: &[Word],
    mark: Option<&Given<'_, Word>>,
    context: Context<'_>,
) {
    let span = invocation.span();
    let mark = mark.map(|given| match given.value {
        None => Some("{}"),
        Some(_) => given.value_literal(),
    });
    let mut words = command.to_vec();
    match mark {
        None => words.push(unknown_arguments(span)),
        Some(Some(mark)) if !mark.is_empty() => fill(&mut words, &[mark]),
        Some(_) => {
            return invocation.not_understood("a replacement mark that is not literal", span);
        }
    }
    if !command.is_empty() {
        context.copied().run(words, invocation);
    }
}

/// Makes every word opaque that holds one of these marks.
fn fill(words: &mut [Word], marks: &[&str]) {
    for word in words {
        let holds = word
            .pattern()
            .is_none_or(|text| marks.iter().any(|mark| text.contains(mark)));
        if holds {
            word.value = Value::Opaque;
            word.parts.push(Part::Unknown);
        }
    }
}

/// What `find` puts in before `+` is as many words as it finds names.
fn spread(words: &mut [Word]) {
    for word in words {
        let is_mark = matches!(
            word.parts.as_slice(),
            [Part::Text { value, .. }, Part::Unknown] if value == "{}"
        );
        word.expansion.splits |= is_mark;
    }
}

/// GNU parallel gives the command, joined with spaces and with quoted values filled in, to a shell.
pub(super) fn marked(invocation: &mut Invocation, operands: &[Word]) {
    let span = invocation.span();
    let begins = |word: &Word| word.literal().is_some_and(|text| text.starts_with(":::"));
    let end = operands.iter().position(begins);
    let command = operands
        .get(..end.unwrap_or(operands.len()))
        .unwrap_or_default();
    let literals: Option<Vec<&str>> = command.iter().map(Word::literal).collect();
    match literals {
        Some(words) if !words.is_empty() => {
            let text = words.join(" ");
            let text = if text.contains('{') {
                MARKS
                    .iter()
                    .fold(text, |text, mark| text.replace(mark, "\"$@\""))
            } else {
                format!("{text} \"$@\"")
            };
            embed(invocation, &Word::synthetic(&text, span));
        }
        _ => invocation.not_understood(
            "commands that `parallel` takes from its arguments or input",
            span,
        ),
    }
}

/// Replacement marks of GNU parallel.
const MARKS: &[&str] = &[
    "{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}", "{4}", "{5}",
];

/// `find … -exec command … {} \;`
fn find(invocation: &mut Invocation, context: Context<'_>) {
    let words = invocation.arguments();
    let mut rest = &*words;
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        match word.literal() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let Some(end) = end_of_exec(behind) else {
                    return invocation.not_understood("`-exec` without an end", word.span);
                };
                let mut command = behind.get(..end).unwrap_or_default().to_vec();
                fill(&mut command, &["{}"]);
                if behind.get(end).and_then(Word::literal) == Some("+") {
                    spread(&mut command);
                }
                context.run(command, invocation);
                rest = behind.get(end + 1..).unwrap_or_default();
            }
            Some(_) => {}
            None if surely_operand(word) || word.prefix().starts_with(['*', '?', '[', '~']) => {}
            // `"$HOME/src"`: no action has a slash in its name.
            None if is_one_path(word) => {}
            None => {
                invocation.not_understood("an argument of `find` that could be `-exec`", word.span)
            }
        }
    }
}

/// Whether this is one word, whatever its value is, with a slash in it.
fn is_one_path(word: &Word) -> bool {
    let has_slash = |part: &Part| matches!(part, Part::Text { value, .. } if value.contains('/'));
    !word.expansion.splits && !word.expansion.braces && word.parts.iter().any(has_slash)
}

/// Where `;` or the `+` behind `{}` stands.
fn end_of_exec(words: &[Word]) -> Option<usize> {
    let mut before = None;
    for (index, word) in words.iter().enumerate() {
        let text = word.literal();
        if text == Some(";") || (text == Some("+") && before == Some("{}")) {
            return Some(index);
        }
        before = text;
    }
    None
}

/// `fd … -x command`, up to `;` or the end.
fn fd(invocation: &mut Invocation, context: Context<'_>) {
    let words = invocation.arguments();
    for (index, word) in words.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        let long = text.starts_with("--exec");
        let short = text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']);
        if !(long || short) {
            continue;
        }
        if !matches!(text, "-x" | "-X" | "--exec" | "--exec-batch") {
            return invocation.not_understood("an option of `fd` that runs a program", word.span);
        }
        let behind = words.get(index + 1..).unwrap_or_default();
        let end = behind
            .iter()
            .position(|word| word.literal() == Some(";"))
            .unwrap_or(behind.len());
        let mut command = behind.get(..end).unwrap_or_default().to_vec();
        fill(&mut command, &["{"]);
        command.push(unknown_arguments(word.span));
        context.run(command, invocation);
        return;
    }
}
