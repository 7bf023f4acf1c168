//! From the text of a pattern to its segments.

use tenon_contract::posix_path_text;

use super::{GlobError, GlobExtent, PathGlob, Segment, Token};
use crate::paths::is_rooted;

/// How many patterns `{a,b}` may make of one.
const MAX_ALTERNATIVES: usize = 64;

pub(super) fn compile(text: &str, reach: GlobExtent) -> Result<PathGlob, GlobError> {
    // With a drive it is a path of Windows, in which `\` escapes nothing.
    let is_of_windows = cfg!(windows) && text.get(1..2) == Some(":") && is_rooted(text);
    let text = if is_of_windows {
        &*posix_path_text(text)
    } else {
        text
    };
    check(text)?;
    let mut relative = Vec::new();
    let mut absolute = Vec::new();
    for alternative in alternatives(text)? {
        let body = alternative.trim_start_matches("./").trim_start_matches('/');
        let segments = segments(body, text)?;
        let slash_free = !alternative.trim_end_matches('/').contains('/');
        if alternative.starts_with('/') {
            absolute.push(finish(segments.clone(), false, reach));
        }
        relative.push(finish(segments, slash_free, reach));
    }
    // What is anchored is there in its relative form too.
    let letters = relative.iter().map(|segments| letters_of(segments));
    let letters = letters.reduce(|all, own| all & own).unwrap_or_default();
    let absolute = (!absolute.is_empty()).then_some(absolute);
    Ok(PathGlob {
        letters,
        relative,
        absolute,
        below_only: text.ends_with("/**"),
        ignores_case: false,
    })
}

/// The letters that every path of this form holds.
pub(super) fn letters_of(segments: &[Segment]) -> u64 {
    segments
        .iter()
        .fold(0, |all, segment| all | segment.letters())
}

fn finish(mut segments: Vec<Segment>, slash_free: bool, reach: GlobExtent) -> Vec<Segment> {
    if reach == GlobExtent::Wide {
        if slash_free && segments.first() != Some(&Segment::AnyDepth) {
            segments.insert(0, Segment::AnyDepth);
        }
        if segments.last() != Some(&Segment::AnyDepth) {
            segments.push(Segment::AnyDepth);
        }
    }
    segments.dedup_by(|right, left| *right == Segment::AnyDepth && *left == Segment::AnyDepth);
    segments
}

fn fault(at: usize, problem: impl Into<String>) -> GlobError {
    GlobError {
        at,
        problem: problem.into(),
    }
}

fn check(text: &str) -> Result<(), GlobError> {
    if text.is_empty() {
        return Err(fault(0, "has an empty path. Write a path such as `src/**`"));
    }
    if text.starts_with('~') {
        return Err(fault(
            0,
            "begins with `~`, which is not expanded. Write the path relative to the workspace, or absolute",
        ));
    }
    if let Some(at) = text.find('\0') {
        return Err(fault(
            at,
            "contains a NUL byte, which no path can contain. Remove it",
        ));
    }
    let mut at = 0;
    for part in text.split('/') {
        if part == ".." {
            return Err(fault(
                at,
                "contains `..`, so it can never match. Write the path without it",
            ));
        }
        at += part.len() + 1;
    }
    Ok(())
}

/// Opens `{a,b}` and `{1..3}`, innermost last. Escapes and classes are left as they are.
fn alternatives(text: &str) -> Result<Vec<String>, GlobError> {
    let mut done = Vec::new();
    let mut todo = vec![text.to_owned()];
    while let Some(next) = todo.pop() {
        match first_braces(&next)
            .map_err(|at| fault(at, "has a `{` that is not closed. Close it, or write `\\{`"))?
        {
            None => done.push(next),
            Some((open, close, choices)) => {
                let (head, tail) = (
                    next.get(..open).unwrap_or_default(),
                    next.get(close + 1..).unwrap_or_default(),
                );
                todo.extend(
                    choices
                        .iter()
                        .rev()
                        .map(|choice| format!("{head}{choice}{tail}")),
                );
            }
        }
        if done.len() + todo.len() > MAX_ALTERNATIVES {
            return Err(fault(
                0,
                format!(
                    "expands to more than {MAX_ALTERNATIVES} patterns with `{{…}}`. Write several rules"
                ),
            ));
        }
    }
    Ok(done)
}

type Braces = Option<(usize, usize, Vec<String>)>;

fn first_braces(text: &str) -> Result<Braces, usize> {
    let mut open = None;
    let mut depth = 0_usize;
    let mut choices = Vec::new();
    let mut start = 0;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            '{' => {
                depth += 1;
                if open.is_none() {
                    open = Some(at);
                    start = at + 1;
                }
            }
            ',' if depth == 1 => {
                choices.push(text.get(start..at).unwrap_or_default().to_owned());
                start = at + 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    let last = text.get(start..at).unwrap_or_default();
                    match sequence(last).filter(|_| choices.is_empty()) {
                        Some(sequence) => choices = sequence,
                        None => choices.push(last.to_owned()),
                    }
                    return Ok(open.map(|open| (open, at, choices)));
                }
            }
            _ => {}
        }
    }
    match open {
        Some(at) => Err(at),
        None => Ok(None),
    }
}

/// What bash makes of `1..3`, `a..e` and `01..10..2` in braces, but not many more than are taken.
fn sequence(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (first, last, step) = (parts.next()?, parts.next()?, parts.next());
    let step: i64 = step.map_or(Ok(1), str::parse).ok()?;
    let step = step.checked_abs()?.max(1);
    let one_letter = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let numbers = || Some((first.parse::<i64>().ok()?, last.parse::<i64>().ok()?));
    let (from, to, is_letters) = match (one_letter(first), one_letter(last)) {
        (Some(from), Some(to)) => (from, to, true),
        _ => numbers().map(|(from, to)| (from, to, false))?,
    };
    if parts.next().is_some() {
        return None;
    }
    let is_padded = |text: &str| {
        let digits = text.trim_start_matches('-');
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = match is_padded(first) || is_padded(last) {
        true => first.len().max(last.len()),
        false => 0,
    };
    let written = |value: i64| match u8::try_from(value) {
        Ok(letter) if is_letters => char::from(letter).to_string(),
        _ => format!("{value:0width$}"),
    };
    let next = |value: &i64| {
        let next = if from <= to {
            value.checked_add(step)?
        } else {
            value.checked_sub(step)?
        };
        (from.min(to)..=from.max(to))
            .contains(&next)
            .then_some(next)
    };
    let values = std::iter::successors(Some(from), next);
    Some(values.take(MAX_ALTERNATIVES + 1).map(written).collect())
}

fn segments(body: &str, whole: &str) -> Result<Vec<Segment>, GlobError> {
    let offset = whole.find(body).unwrap_or_default();
    let mut at = offset;
    let mut segments = Vec::new();
    let directory = body.ends_with('/');
    for part in body.split('/') {
        match part {
            "" | "." => {}
            "**" => segments.push(Segment::AnyDepth),
            _ if part.contains("**") => {
                let star = part.find("**").unwrap_or_default();
                return Err(fault(at + star, "has `**` inside a name. Use `**` only between slashes; inside a name use `*`"));
            }
            _ => segments.push(Segment::name(tokens(part).map_err(|place| {
                fault(at + place, "has a `[` that is not closed, or a named class. Close it, or write `\\[` for the character")
            })?)),
        }
        at += part.len() + 1;
    }
    if directory {
        segments.push(Segment::AnyDepth);
    }
    Ok(segments)
}

fn tokens(part: &str) -> Result<Vec<Token>, usize> {
    let mut tokens = Vec::new();
    let mut letters = part.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        tokens.push(match letter {
            '\\' => Token::Character(letters.next().map_or('\\', |(_, escaped)| escaped)),
            '?' => Token::AnyOne,
            '*' => Token::AnyRun,
            '[' => {
                let rest = part.get(at + 1..).unwrap_or_default();
                let (class, length) = class(rest).ok_or(at)?;
                let end = at + 1 + length;
                while letters.next_if(|(place, _)| *place < end).is_some() {}
                class
            }
            _ => Token::Character(letter),
        });
    }
    Ok(tokens)
}

/// Reads a class behind its `[`; also returns how many bytes it takes, `]` included.
pub(crate) fn class(text: &str) -> Option<(Token, usize)> {
    let negated = text.starts_with(['!', '^']);
    let body = if negated { text.get(1..)? } else { text };
    // A `]` right at the start is a member.
    let first = body.chars().next()?.len_utf8();
    let close = first + body.get(first..)?.find(']')?;
    // Named classes such as `[:alpha:]` are not known here.
    if ["[:", "[.", "[="].iter().any(|named| {
        body.get(..close)
            .is_some_and(|members| members.contains(named))
    }) {
        return None;
    }
    let members: Vec<char> = body.get(..close)?.chars().collect();
    let mut ranges = Vec::new();
    let mut rest = members.as_slice();
    loop {
        rest = match rest {
            [first, '-', last, tail @ ..] => {
                ranges.push((*first, *last));
                tail
            }
            [one, tail @ ..] => {
                ranges.push((*one, *one));
                tail
            }
            [] => break,
        };
    }
    Some((
        Token::Class { negated, ranges },
        usize::from(negated) + close + 1,
    ))
}
