//! `curl`, many of whose options name files.

mod saved;

pub(super) use saved::{aria, wget};

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use tenon_programs::Effects;
use tenon_programs::words::fetching::DATA;

use super::arguments::{GivenValue as _, Lenient, opaque, part_of, split_of, unknown_file};
use super::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

/// What is done to the file that an option names.
const USES: [(Effects, FileAccess); 2] = [
    (Effects::READ, FileAccess::Read),
    (Effects::WRITE, FileAccess::Write),
];

pub(super) fn curl(arguments: &[Word]) -> FileOperands<'_> {
    let split = split_of("curl", arguments);
    let mut files = FileOperands::new();
    let with_value =
        { split.options.iter() }.filter_map(|given| given.value_word().zip(Some(given)));
    for (word, given) in with_value {
        let name = given.name;
        let mut add = |word: OperandWord<'_>, access| {
            let word = OperandWord::Value(Box::new((*word).clone()));
            files.push(FileOperand::new(word, access));
        };
        for (_, access) in USES.iter().filter(|(effects, _)| given.does(*effects)) {
            add(word.clone(), *access);
        }
        // curl makes several names of lists and ranges.
        if matches!(name, "T" | "upload-file")
            && let Some(place) = word.prefix().find(['[', '{'])
        {
            let start = word.prefix().get(..place).unwrap_or_default().to_owned();
            add(opaque(&start, word.span), FileAccess::Read);
        }
        // A file of options can name any file.
        if matches!(name, "K" | "config") {
            add(opaque("", word.span), FileAccess::Read);
            add(opaque("", word.span), FileAccess::Write);
        }
        let text = word.prefix();
        let behind = match name {
            "b" | "cookie" if !text.contains('=') && !text.starts_with('@') => {
                Some(part_of(&text, &word))
            }
            name if DATA.contains(&name) => start(&word, &text, &["@"]),
            "data-urlencode" | "variable" => marked(&word, &text, '@'),
            "F" | "form" => match text.find('=') {
                Some(place) => part(&word, &text, place + 1),
                None => word.is_opaque().then(|| opaque("", word.span)),
            },
            "url" => of_url(&word),
            _ => None,
        };
        if let Some(word) = behind {
            add(word, FileAccess::Read);
        }
        if matches!(name, "w" | "write-out")
            && let Some((_, output)) = text.split_once("%output{")
        {
            let path = output.split('}').next().unwrap_or_default();
            add(
                part_of(path.trim_start_matches(">>"), &word),
                FileAccess::Write,
            );
        }
    }
    urls(&split, &mut files);
    if let Some(first) = arguments.first() {
        saved::saved(&split, first, &mut files);
    }
    files
}

/// Files that addresses name: read, and written by an upload.
fn urls<'w>(split: &Lenient<'w>, files: &mut FileOperands<'w>) {
    let access = match split.has(&["T", "upload-file"]) {
        true => FileAccess::Write,
        false => FileAccess::Read,
    };
    for word in &split.operands {
        let word = of_url(word);
        files.extend(word.map(|word| FileOperand::new(word, access)));
    }
}

/// The file behind one of these marks at the start; an unresolved word can begin with one.
fn start<'w>(word: &Word, text: &str, marks: &[&str]) -> Option<OperandWord<'w>> {
    if word.is_opaque() && text.is_empty() {
        return Some(opaque("", word.span));
    }
    let mark = marks.iter().find(|mark| text.starts_with(*mark))?;
    text.get(mark.len()..).map(|rest| part_of(rest, word))
}

/// `name@file`, but `name=data`.
fn marked<'w>(word: &Word, text: &str, mark: char) -> Option<OperandWord<'w>> {
    match text.find([mark, '=']) {
        Some(place) if text.get(place..).is_some_and(|rest| rest.starts_with(mark)) => {
            text.get(place + 1..).map(|rest| part_of(rest, word))
        }
        Some(_) => None,
        None => word.is_opaque().then(|| opaque("", word.span)),
    }
}

/// `name=@file;type=x`, `name=<file`.
fn part<'w>(word: &Word, text: &str, place: usize) -> Option<OperandWord<'w>> {
    let value = text.get(place..).unwrap_or_default();
    if value.is_empty() && word.is_opaque() {
        return Some(opaque("", word.span));
    }
    let file = value.strip_prefix(['@', '<'])?;
    // Several files, and what is said of each, need no exactness.
    if word.is_opaque() || file.contains([',', '"', '\\']) {
        return Some(opaque("", word.span));
    }
    let name = file.split(';').next().unwrap_or_default();
    Some(OperandWord::synthetic(name, word.span))
}

/// The file of a `file:` address.
fn of_url<'w>(word: &Word) -> Option<OperandWord<'w>> {
    let text = word.prefix();
    let scheme = text
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if scheme.is_none() {
        let start = text.to_ascii_lowercase();
        let may_be = word.is_opaque() && "file:".starts_with(start.as_str());
        // Lists and ranges of curl stand in `{}` and `[]`.
        let head = start.split(['{', '[']).next().unwrap_or_default();
        let lists = head.len() < start.len() && "file:".starts_with(head);
        return (may_be || lists).then(|| opaque("", word.span));
    }
    let Some(known) = word.literal() else {
        return Some(opaque("", word.span));
    };
    // Lists and ranges of curl, and what programs may take for no part of the name.
    if known.contains(['{', '[', '?', '#']) {
        return Some(unknown_file(word.span, FileAccess::Read).word);
    }
    let path = path_of_file_url(known)?;
    Some(OperandWord::synthetic(&path, word.span))
}

/// The path that an address with the scheme `file:` names, percent-encoding decoded; `None` where the text begins with no such address.
#[must_use]
pub fn path_of_file_url(text: &str) -> Option<Cow<'_, str>> {
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let path = text.get(5..)?;
    let path = path.strip_prefix("//").map_or(path, |behind| {
        // The name of a host, of which programs take few.
        let place = behind.find('/');
        place
            .and_then(|place| behind.get(place..))
            .unwrap_or(behind)
    });
    Some(percent_decode_str(path).decode_utf8_lossy())
}

/// The path of a repository of this machine, as those who copy one take it: a path, or an address with the scheme `file:`. `None` for
/// one of another machine: `host:path`, `https://…`.
pub(super) fn path_of_repository(text: &str) -> Option<Cow<'_, str>> {
    let path = path_of_file_url(text).unwrap_or(text.into());
    let of_host = |(host, _): (&str, &str)| !host.contains('/');
    let is_elsewhere = path.split_once(':').is_some_and(of_host);
    (!is_elsewhere).then_some(path)
}
