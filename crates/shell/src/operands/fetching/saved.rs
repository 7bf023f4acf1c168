//! The names that `curl -O` and `wget` give to what they fetch.

use crate::operands::arguments::{Lenient, opaque, split_of, unknown_file};
use crate::operands::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::span::Span;
use crate::word::{Part, Word};

/// The files that `-O` names after the address, and those of `-o` in the directory of `--output-dir`.
pub(super) fn saved<'w>(split: &Lenient<'w>, files: &mut FileOperands<'w>) {
    let directory = split.values(&["output-dir"]).last();
    let within = |word: &Word| match directory {
        None => OperandWord::Value(Box::new(word.clone())),
        Some(directory) => match (directory.literal(), word.literal()) {
            (Some(directory), Some(name)) => joined(directory, name, word.span),
            _ => opaque("", word.span),
        },
    };
    if directory.is_some() {
        for name in split.values(&["o", "output"]) {
            files.push(FileOperand::new(within(name), FileAccess::Write));
        }
    }
    // `#1` stands for what a range or list of the address becomes.
    let ranged = split.values(&["o", "output"]);
    let ranged: Vec<&Word> = ranged
        .filter(|name| name.prefix().contains('#'))
        .map(|name| &**name)
        .collect();
    files.extend(
        ranged
            .iter()
            .map(|name| unknown_file(name.span, FileAccess::Write)),
    );
    if !split.has(&["O", "remote-name", "remote-name-all"]) {
        return;
    }
    let given = split.values(&["url"]).map(|word| &**word);
    let urls: Vec<&Word> = given.chain(split.operands.iter().copied()).collect();
    for url in urls {
        // The server chooses the name.
        let name = if split.has(&["J", "remote-header-name"]) {
            None
        } else {
            saved_name(url, true).or(Some("curl_response".to_owned()))
        };
        files.push(match name.filter(|name| !name.is_empty()) {
            Some(name) => {
                FileOperand::new(within(&Word::synthetic(&name, url.span)), FileAccess::Write)
            }
            None => unknown_file(url.span, FileAccess::Write),
        });
    }
}

fn joined<'w>(directory: &str, name: &str, span: Span) -> OperandWord<'w> {
    let path = format!("{}/{name}", directory.trim_end_matches('/'));
    OperandWord::Value(Box::new(Word::synthetic(&path, span)))
}

/// The name of a file that is fetched from this address: the last one of its path. `None` where there is none, an empty
/// one where it cannot be determined.
fn saved_name(url: &Word, cuts_query: bool) -> Option<String> {
    let known = match (url.literal(), url.parts.last()) {
        (Some(text), _) => text.to_owned(),
        // What stands behind the last slash is known whatever stands before it.
        (None, Some(Part::Text { value, .. })) if value.contains('/') => value.to_string(),
        _ => return Some(String::new()),
    };
    let text = known.split('#').next().unwrap_or_default();
    let (path, query) = match text.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (text, None),
    };
    let behind = path.split_once("://").map_or(path, |(_, behind)| behind);
    let is_address = url.literal().is_some();
    let name = match behind.rsplit_once('/') {
        Some((_, name)) => name,
        None if is_address => "",
        None => behind,
    };
    if name.contains(['%', '{', '[', ']', '}', '*']) {
        return Some(String::new());
    }
    match (name, query) {
        ("", _) => None,
        (name, Some(query)) if !cuts_query => Some(format!("{name}?{query}")),
        (name, _) => Some(name.to_owned()),
    }
}

/// Options of `wget` with which the names of what it fetches are not those of the addresses.
const OTHER_NAMES: &[&str] = &[
    "content-disposition",
    "trust-server-names",
    "i",
    "input-file",
    "metalink-file",
    "input-metalink",
];

/// Options of `wget` that make it fetch more than the addresses, or below directories of their own.
const TREES: &[&str] = &[
    "r",
    "recursive",
    "m",
    "mirror",
    "p",
    "page-requisites",
    "x",
    "force-directories",
];

/// What `wget` saves beside the files that its options name.
pub(crate) fn wget<'w>(files: FileOperands<'w>, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = files;
    let split = split_of("wget", arguments);
    let Some(first) = arguments.first() else {
        return files;
    };
    if split.has(&[
        "O",
        "output-document",
        "spider",
        "version",
        "help",
        "V",
        "h",
    ]) {
        return files;
    }
    let directory = split.values(&["P", "directory-prefix"]).last().cloned();
    let here = directory.unwrap_or_else(|| OperandWord::value(".", first));
    if split.has(TREES) {
        files.push(FileOperand::new(here, FileAccess::Write).reaching(AccessScope::Below));
        return files;
    }
    if split.has(OTHER_NAMES) {
        files.push(unknown_file(first.span, FileAccess::Write));
    }
    for url in &split.operands {
        let name = saved_name(url, false);
        let name = name.unwrap_or_else(|| "index.html".to_owned());
        files.push(match (name.as_str(), here.literal()) {
            ("", _) | (_, None) => unknown_file(url.span, FileAccess::Write),
            (name, Some(".")) => {
                let name = OperandWord::Value(Box::new(Word::synthetic(name, url.span)));
                FileOperand::new(name, FileAccess::Write)
            }
            (name, Some(directory)) => {
                FileOperand::new(joined(directory, name, url.span), FileAccess::Write)
            }
        });
    }
    files
}
