//! Texts that shells read: `sh -c`, `eval`, `trap`, here-documents.

use std::sync::LazyLock;

use hashbrown::HashSet;
use tenon_programs::words::shells::{OTHER_LANGUAGES, UNREAD};
use tenon_programs::{Effects, Given, Program};

use super::finders::unknown_arguments;
use super::grammar::{Unclear, split_before};
use super::invocation::{Context, EmbeddedText, Inner, Invocation, ShellKind};
use crate::command::{FileUse, Redirection, RedirectionOperator};
use crate::span::Span;
use crate::word::{Part, Word};

/// Why a shell is not understood that is given no text.
pub(crate) const READS_INPUT: &str = "a shell that reads its commands from its input";

/// Whether a program of this name, given without a directory, is a shell whose texts are read.
#[must_use]
pub fn is_shell(base: &str) -> bool {
    shell_kind(base).is_some()
}

/// The shell of this name, where its language is read.
#[must_use]
pub fn shell_kind(base: &str) -> Option<ShellKind> {
    match base {
        "bash" | "rbash" => Some(ShellKind::Bash),
        "dash" | "ash" => Some(ShellKind::Dash),
        "sh" => Some(ShellKind::Posix),
        _ => None,
    }
}

/// Whether a shell of this name speaks another language than POSIX shells do.
#[must_use]
pub fn has_other_language(base: &str) -> bool {
    OTHER_LANGUAGES.contains(&base)
}

/// All shells are read by the options of this one.
static BASH: LazyLock<Option<&'static Program>> = LazyLock::new(|| tenon_programs::find("bash"));

static UNREAD_SHELLS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| UNREAD.iter().chain(OTHER_LANGUAGES).copied().collect());

/// Looks into shells and into the built-ins that read a text. Returns whether `base` is one.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    match base {
        "bash" | "rbash" | "dash" | "ash" | "sh" => shell(invocation, shell_kind(base), context),
        "eval" => eval(invocation),
        "trap" => trap(invocation),
        "source" | "." => source(invocation, context),
        _ if UNREAD_SHELLS.contains(base) => {
            let span = invocation.span();
            invocation.not_understood("a shell whose language is not read", span);
            shell(invocation, Some(ShellKind::Posix), context);
        }
        _ => return false,
    }
    true
}

fn shell(invocation: &mut Invocation, kind: Option<ShellKind>, context: Context<'_>) {
    let words = invocation.arguments();
    if let Some(word) = unusual_options(&words) {
        invocation.not_understood("options of a shell in an unusual form", word.span);
    }
    let Some(bash) = *BASH else {
        return;
    };
    let options = bash.options_before("bash").unwrap_or_default();
    let split = match split_before(options, &words) {
        Ok(split) => split,
        Err(Unclear(span)) => {
            return invocation.not_understood("an option of a shell that is not known", span);
        }
    };
    if split.gives(Effects::NO_COMMAND) {
        return;
    }
    let sets = |given: &Given<'_, Word>| {
        let value = given.value_literal();
        !value.is_some_and(|value| bash.is_harmless_setting(value, None))
    };
    if split.gives(Effects::EXEC) || split.those(Effects::CONFIG).any(sets) {
        let span = invocation.span();
        invocation.not_understood("an option that changes how the shell reads its text", span);
    }
    let operands = match split.operands.split_first() {
        Some((first, rest)) if first.literal() == Some("-") => rest,
        _ => &*split.operands,
    };
    if split.has(&["c"]) {
        match operands.first() {
            None => {}
            Some(text) => embed_for(invocation, text, kind, false),
        }
        return;
    }
    match operands.first() {
        Some(file) if !split.has(&["s"]) => {
            let special = file
                .literal()
                .is_some_and(|name| name.starts_with("/dev/") || name.starts_with("/proc/"));
            if special {
                read_from_input(invocation, kind, context);
            } else if file.is_opaque() {
                invocation.not_understood("a script whose name is not literal", file.span);
            }
        }
        _ => read_from_input(invocation, kind, context),
    }
}

/// The first options in a cluster such as `-oc`, in which the value of `o` is the next word and not the rest of this one.
fn unusual_options(words: &[Word]) -> Option<&Word> {
    let is_cluster = |word: &&Word| {
        word.literal().is_some_and(|text| {
            let short = text.starts_with('-') && !text.starts_with("--");
            let inside = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
            text.starts_with('+') || (short && inside.contains(['o', 'O']))
        })
    };
    let is_option = |word: &&Word| {
        let text = word.literal();
        text.is_none_or(|text| text.starts_with(['-', '+']))
    };
    words.iter().take_while(is_option).find(is_cluster)
}

/// The text that `sh` reads is this word.
pub(super) fn embed(invocation: &mut Invocation, word: &Word) {
    embed_for(invocation, word, Some(ShellKind::Posix), false);
}

/// The text that this shell reads is this word.
fn embed_for(invocation: &mut Invocation, word: &Word, kind: Option<ShellKind>, same_shell: bool) {
    match word.literal() {
        Some(text) => invocation.inner.push(Inner::Text(EmbeddedText {
            text: text.to_owned(),
            span: word.span,
            dialect: kind,
            same_shell,
        })),
        None => invocation.not_understood("a command text that is not literal", word.span),
    }
}

/// What the redirections give a program as its standard input.
pub(super) enum Input {
    /// A text that stands there, and its place.
    Text(String, Span),
    /// A text of which parts cannot be determined, or the output of commands, and its place.
    Written(Span),
    /// Something else, and its place.
    Unknown(Span),
    /// Nothing, by `/dev/null`.
    Empty,
    /// No redirection.
    Nothing,
}

/// What the redirections of the command give as standard input.
pub(super) fn given_input(context: Context<'_>) -> Input {
    let input = context.redirections.iter().rev().find(|redirection| {
        let standard = match &redirection.descriptor {
            None => true,
            Some(crate::command::Descriptor::Number(number)) => number == "0",
            Some(crate::command::Descriptor::Variable(_)) => false,
        };
        let reads = matches!(
            redirection.operator,
            RedirectionOperator::HereDocument
                | RedirectionOperator::HereDocumentTabs
                | RedirectionOperator::HereString
                | RedirectionOperator::DuplicateInput
        ) || matches!(redirection.file_use(), FileUse::Read | FileUse::ReadWrite);
        standard && reads
    });
    let Some(input) = input else {
        return Input::Nothing;
    };
    let text = match input.operator {
        RedirectionOperator::HereString => input.target.literal().map(|text| format!("{text}\n")),
        _ => input
            .here_document
            .as_ref()
            .and_then(|document| document.text.clone()),
    };
    match text {
        Some(text) => Input::Text(text, input.span),
        None if input.target.literal() == Some("/dev/null") => Input::Empty,
        None if is_written(input) => Input::Written(input.span),
        None => Input::Unknown(input.span),
    }
}

/// Whether what is read is written by the text, not by a file.
fn is_written(input: &Redirection) -> bool {
    let substituted = |part: &Part| matches!(part, Part::ProcessSubstitution { .. });
    matches!(
        input.operator,
        RedirectionOperator::HereString | RedirectionOperator::DuplicateInput
    ) || input.here_document.is_some()
        || input.target.parts.iter().any(substituted)
}

/// The shell reads its commands from the standard input.
pub(super) fn read_from_input(
    invocation: &mut Invocation,
    kind: Option<ShellKind>,
    context: Context<'_>,
) {
    match given_input(context) {
        Input::Empty => {}
        Input::Text(text, span) => invocation.inner.push(Inner::Text(EmbeddedText {
            text,
            span,
            dialect: kind.or(Some(ShellKind::Posix)),
            same_shell: false,
        })),
        given => {
            let span = match given {
                Input::Unknown(span) | Input::Written(span) => span,
                _ => invocation.span(),
            };
            invocation.not_understood(READS_INPUT, span);
        }
    }
}

/// `eval` joins its arguments with spaces and reads the result.
fn eval(invocation: &mut Invocation) {
    let words = invocation.arguments();
    let words = match words.split_first() {
        Some((first, rest)) if first.literal() == Some("--") => rest,
        _ => &*words,
    };
    if let Some(text) = joined(words) {
        embed_for(invocation, &text, None, true);
    }
}

/// Words with blanks between them, as one word; one that is not known where they are not all literal.
pub(super) fn joined(words: &[Word]) -> Option<Word> {
    let span = Span::new(words.first()?.span.start, words.last()?.span.end);
    let literals: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    Some(match literals {
        Some(literals) => Word::synthetic(&literals.join(" "), span),
        None => unknown_arguments(span),
    })
}

/// `trap TEXT SIGNAL …`; with one operand, a number or `-` first the signal is set back.
fn trap(invocation: &mut Invocation) {
    let words = invocation.arguments();
    let words = match words.split_first() {
        Some((first, _)) if matches!(first.literal(), Some("-l" | "-p" | "-P" | "-lp")) => return,
        Some((first, rest)) if first.literal() == Some("--") => rest,
        _ => &*words,
    };
    match words {
        [] => {}
        [only] if only.literal().is_some() => {}
        [text, ..] => {
            let resets = text.literal().is_some_and(|text| {
                text == "-" || text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit())
            });
            if !resets {
                embed_for(invocation, text, None, true);
            }
        }
    }
}

/// `source FILE`: a file is a matter of rules, the standard input is a text.
fn source(invocation: &mut Invocation, context: Context<'_>) {
    let words = invocation.arguments();
    let file = words.iter().find(|word| word.literal() != Some("--"));
    match file {
        None => {}
        Some(file) => match file.literal() {
            Some(name) if name.starts_with("/dev/") || name.starts_with("/proc/") => {
                read_from_input(invocation, None, context);
            }
            Some(_) => {}
            None => invocation.not_understood("a script whose name is not literal", file.span),
        },
    }
}
