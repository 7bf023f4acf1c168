//! Explaining why a pattern is not one, and what to do.

use grep::regex::{Error, ErrorKind};
use regex_syntax::ast;
use regex_syntax::ast::ErrorKind as Syntax;

use crate::{Pattern, SearchError};

/// The error of the matcher builder, with the place found again by parsing and with the next step.
pub(crate) fn explain(pattern: &Pattern, error: &Error) -> SearchError {
    if !pattern.literal
        && let Err(fault) = ast::parse::Parser::new().parse(&pattern.text)
    {
        return SearchError::Pattern {
            pattern: pattern.text.clone(),
            reason: without_full_stop(&fault.kind().to_string()),
            character: Some(character(&pattern.text, fault.span().start.offset)),
            hint: syntax_hint(pattern, &fault),
        };
    }
    let (reason, hint) = match error.kind() {
        ErrorKind::NotAllowed(text) if text.contains('\n') => (
            "it has a line break, but lines are searched one by one".to_owned(),
            "To match across lines, set `multiline: true`.".to_owned(),
        ),
        ErrorKind::Banned(_) => (
            "it asks for a NUL byte, and files that have one count as binary".to_owned(),
            "Search binary files as text to match it.".to_owned(),
        ),
        _ => (flatten(&error.to_string()), general_hint(pattern)),
    };
    SearchError::Pattern {
        pattern: pattern.text.clone(),
        reason,
        character: None,
        hint,
    }
}

fn syntax_hint(pattern: &Pattern, fault: &ast::Error) -> String {
    match fault.kind() {
        Syntax::UnsupportedLookAround => "Look-around (`(?=`, `(?!`, `(?<=`, `(?<!`) is not \
             supported; search for the part that must be there and filter the matches."
            .to_owned(),
        Syntax::UnsupportedBackreference => "Back-references (`\\1`) are not supported; search \
             for the repeated part itself, or for a wider pattern and filter the matches."
            .to_owned(),
        Syntax::FlagUnrecognized if after(pattern, fault).starts_with('>') => {
            "Atomic groups (`(?>`) are not supported and never needed here: matching takes linear \
             time; write `(?:`."
                .to_owned()
        }
        Syntax::EscapeUnrecognized => escape_hint(pattern, fault),
        Syntax::NestLimitExceeded(_) => "Nest fewer groups.".to_owned(),
        Syntax::CaptureLimitExceeded => "Write `(?:` for groups.".to_owned(),
        _ => general_hint(pattern),
    }
}

/// For a backslash with a character that gains no meaning by it.
fn escape_hint(pattern: &Pattern, fault: &ast::Error) -> String {
    let escape = pattern
        .text
        .get(fault.span().start.offset..fault.span().end.offset)
        .unwrap_or_default();
    match escape {
        r"\K" => {
            "`\\K` is not supported; match the whole and look at the part that is meant.".to_owned()
        }
        r"\Z" => "Write `$` for the end of a line.".to_owned(),
        r"\h" => r"Write `[\t ]` for blanks.".to_owned(),
        r"\R" => r"Write `\r?\n`, with `multiline: true`.".to_owned(),
        _ => general_hint(pattern),
    }
}

/// How to search for the text as it stands, in every dialect.
fn general_hint(pattern: &Pattern) -> String {
    let escaped = regex_syntax::escape(&pattern.text);
    if pattern.literal || escaped == pattern.text {
        "Use a shorter pattern.".to_owned()
    } else {
        format!("To search for this text as it stands, set `literal: true` or write `{escaped}`.")
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
