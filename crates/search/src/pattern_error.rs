//! Explaining why a pattern is not one, and what to do.

use grep::regex::{Error, ErrorKind};
use regex_syntax::ast;
use regex_syntax::ast::ErrorKind as Syntax;

use crate::error::{Remedy, shorten};
use crate::{Pattern, SearchError};

/// The error of the matcher builder, with the place found again by parsing and with the next step.
pub(crate) fn explain(pattern: &Pattern, error: &Error) -> SearchError {
    if !pattern.literal
        && let Err(fault) = ast::parse::Parser::new().parse(&pattern.text)
    {
        return SearchError::Pattern {
            pattern: shorten(&pattern.text),
            reason: without_full_stop(&fault.kind().to_string()),
            character: Some(character(&pattern.text, fault.span().start.offset)),
            remedy: syntax_remedy(pattern, &fault),
        };
    }
    if pattern.literal && pattern.text.contains('\n') {
        return SearchError::LineBreak {
            pattern: shorten(&pattern.text),
        };
    }
    let (reason, remedy) = match error.kind() {
        ErrorKind::NotAllowed(text) if text.contains('\n') => (
            "it has a line break, but lines are searched one by one".to_owned(),
            Remedy::Multiline,
        ),
        ErrorKind::Banned(_) => (
            "it asks for a NUL byte, and files that have one count as binary".to_owned(),
            Remedy::Sentence("Search for the text around it."),
        ),
        _ => (flatten(&error.to_string()), general_remedy(pattern)),
    };
    SearchError::Pattern {
        pattern: shorten(&pattern.text),
        reason,
        character: None,
        remedy,
    }
}

fn syntax_remedy(pattern: &Pattern, fault: &ast::Error) -> Remedy {
    match fault.kind() {
        Syntax::UnsupportedLookAround => Remedy::Sentence(
            "Look-around (`(?=`, `(?!`, `(?<=`, `(?<!`) is not supported; search for the part that \
             must be there and filter the matches.",
        ),
        Syntax::UnsupportedBackreference => Remedy::Sentence(
            "Back-references (`\\1`) are not supported; search for the repeated part itself, or for a \
             wider pattern and filter the matches.",
        ),
        Syntax::FlagUnrecognized if after(pattern, fault).starts_with('>') => Remedy::Sentence(
            "Atomic groups (`(?>`) are not supported and never needed here: matching takes linear \
             time; write `(?:`.",
        ),
        Syntax::EscapeUnrecognized => escape_remedy(pattern, fault),
        Syntax::NestLimitExceeded(_) => Remedy::Sentence("Nest fewer groups."),
        Syntax::CaptureLimitExceeded => Remedy::Sentence("Write `(?:` for groups."),
        _ => general_remedy(pattern),
    }
}

/// For a backslash with a character that gains no meaning by it.
fn escape_remedy(pattern: &Pattern, fault: &ast::Error) -> Remedy {
    let escape = pattern
        .text
        .get(fault.span().start.offset..fault.span().end.offset)
        .unwrap_or_default();
    match escape {
        r"\K" => Remedy::Sentence(
            "`\\K` is not supported; match the whole and look at the part that is meant.",
        ),
        r"\Z" => Remedy::Sentence("Write `$` for the end of a line."),
        r"\h" => Remedy::Sentence(r"Write `[\t ]` for blanks."),
        r"\R" => Remedy::Sentence(r"Write `$` for the end of a line."),
        _ => general_remedy(pattern),
    }
}

/// To search for the text as it stands, unless that is what was asked.
fn general_remedy(pattern: &Pattern) -> Remedy {
    let escaped = regex_syntax::escape(&pattern.text);
    if pattern.literal || escaped == pattern.text {
        Remedy::Sentence("Use a shorter pattern.")
    } else {
        // What is long is no help as a suggestion.
        let escaped = (shorten(&escaped) == escaped).then_some(escaped);
        Remedy::Literal { escaped }
    }
}

/// The rest of the pattern from the fault on.
fn after<'p>(pattern: &'p Pattern, fault: &ast::Error) -> &'p str {
    pattern
        .text
        .get(fault.span().start.offset..)
        .unwrap_or_default()
}

/// The place of a byte, in characters from 1.
fn character(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).chars().count() + 1
}

fn without_full_stop(text: &str) -> String {
    text.trim_end_matches('.').to_owned()
}

/// Errors of the `regex` crates draw the pattern over several lines; their last line is the reason.
fn flatten(text: &str) -> String {
    let last = text.lines().last().unwrap_or_default();
    without_full_stop(last.strip_prefix("error: ").unwrap_or(last))
}
