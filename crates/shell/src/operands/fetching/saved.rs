//! The names that `curl -O` and `wget` give to what they fetch.

use percent_encoding::percent_decode_str;
use tenon_programs::words::fetching::{OTHER_NAMES, SAVING_NOTHING, TREES};

use crate::operands::arguments::{Lenient, opaque, split_of, unknown_file};
use crate::operands::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::operands::made;
use crate::span::Span;
use crate::word::{Part, Word};

/// The files that `-O` names after the address, and those of `-o` in the directory of `--output-dir`.
pub(super) fn saved<'w>(split: &Lenient<'w>, first: &'w Word, files: &mut FileOperands<'w>) {
    let directory = split.values(&["output-dir"]).last();
    let within = |word: &Word| match &directory {
        None => OperandWord::Value(Box::new(word.clone())),
        Some(directory) => match (directory.literal(), word.literal()) {
            (Some(directory), Some(name)) => joined(directory, name, word.span),
            _ => opaque("", word.span),
        },
    };
    if directory.is_some() {
        for name in split.values(&["o", "output"]) {
            files.push(FileOperand::written(within(&name)));
        }
    }
    let given: Vec<OperandWord<'_>> = split.values(&["url"]).collect();
    let given = given.iter().map(|word| &**word);
    let urls: Vec<&Word> = given.chain(split.operands.iter().copied()).collect();
    let ranged = split.values(&["o", "output"]);
    for name in ranged.filter(|name| name.prefix().contains('#')) {
        files.push(unknown_file(name.span, FileAccess::Write));
        of_lists(within(&name), &urls, files);
    }
    if !split.has(&["O", "remote-name", "remote-name-all"]) {
        return;
    }
    let mut is_unknown = false;
    for url in urls {
        // The server chooses the name.
        let name = if split.has(&["J", "remote-header-name"]) {
            None
        } else {
            saved_name(url, true).or(Some("curl_response".to_owned()))
        };
        files.push(match name.filter(|name| !name.is_empty()) {
            Some(name) => FileOperand::written(within(&Word::synthetic(&name, url.span))),
            None => {
                is_unknown = true;
                unknown_file(url.span, FileAccess::Write)
            }
        });
    }
    if is_unknown {
        made::unpacked_below(
            directory.unwrap_or_else(|| OperandWord::value(".", first)),
            files,
        );
    }
}

/// `#1` in a name stands for what a list or range of an address becomes. Where these have no dot and no slash, only
/// letters and digits are put in.
fn of_lists<'w>(name: OperandWord<'w>, urls: &[&Word], files: &mut FileOperands<'w>) {
    let is_plain = |url: &&Word| {
        let text = url.literal().unwrap_or("{.}");
        let lists = text.split(['{', '[']).skip(1);
        let mut lists = lists.map(|list| list.split(['}', ']']).next().unwrap_or_default());
        lists.all(|list| !list.contains(['.', '/']))
    };
    let text = name.literal().unwrap_or("#");
    let behind = |text: &str| {
        let rest = text.trim_start_matches('#');
        rest.trim_start_matches(|letter: char| letter.is_ascii_digit())
            .to_owned()
    };
    let start = text.split('#').next().unwrap_or_default();
    let end = text.rsplit_once('#').map(|(_, end)| behind(end));
    if urls.iter().all(is_plain) {
        files.push(made::pieces(start, &end.unwrap_or_default(), name.span));
    } else {
        let directory = made::directory_of(&Word::synthetic(start, name.span));
        made::unpacked_below(directory, files);
    }
}

fn joined<'w>(directory: &str, name: &str, span: Span) -> OperandWord<'w> {
    let path = format!("{}/{name}", directory.trim_end_matches('/'));
    OperandWord::synthetic(&path, span)
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
    let is_list = |sign: char| matches!(sign, '{' | '[' | ']' | '}' | '*');
    if name.contains(is_list) || cuts_query && name.contains('%') {
        return Some(String::new());
    }
    match (name, query) {
        ("", _) => None,
        (name, Some(query)) if !cuts_query => Some(format!("{name}?{query}")),
        (name, _) => Some(name.to_owned()),
    }
}

/// What `wget` saves beside the files that its options name.
pub(crate) fn wget<'w>(files: FileOperands<'w>, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = files;
    let split = split_of("wget", arguments);
    let Some(first) = arguments.first() else {
        return files;
    };
    if split.has(SAVING_NOTHING) {
        return files;
    }
    let directory = split.values(&["P", "directory-prefix"]).last();
    let here = directory.unwrap_or_else(|| OperandWord::value(".", first));
    if split.has(TREES) {
        files.extend(of_trees(&split, &here, first.span));
        made::unpacked_below(here, &mut files);
        return files;
    }
    if split.has(OTHER_NAMES) {
        made::unpacked_below(here.clone(), &mut files);
        files.push(unknown_file(first.span, FileAccess::Write));
    }
    for url in &split.operands {
        let name = saved_name(url, false);
        let name = name.unwrap_or_else(|| "index.html".to_owned());
        let name = percent_decode_str(&name).decode_utf8_lossy();
        files.push(match (&*name, here.literal()) {
            ("", _) | (_, None) => unknown_file(url.span, FileAccess::Write),
            (name, Some(".")) => {
                let name = OperandWord::synthetic(name, url.span);
                FileOperand::written(name)
            }
            (name, Some(directory)) => FileOperand::written(joined(directory, name, url.span)),
        });
    }
    files
}

/// What `wget -x` and its like save: without the name of the host the path of an address is that of the file.
fn of_trees<'w>(split: &Lenient<'w>, here: &OperandWord<'w>, span: Span) -> FileOperands<'w> {
    let urls = split.operands.iter().filter_map(|url| url.literal());
    let paths = urls.filter_map(|url| {
        let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
        behind.split_once('/').map(|(_, path)| path)
    });
    let directory = here.literal().unwrap_or(".");
    paths
        .filter(|path| !path.is_empty())
        .map(|path| {
            let path = percent_decode_str(path).decode_utf8_lossy();
            FileOperand::written(joined(directory, &path, span))
        })
        .collect()
}

/// What `aria2c` saves: under the last name of the address where no option gives another one.
pub(crate) fn aria<'w>(files: FileOperands<'w>, arguments: &'w [Word]) -> FileOperands<'w> {
    let mut files = files;
    let split = split_of("aria2c", arguments);
    if split.has(&["o", "out"]) {
        return files;
    }
    let directory = split.values(&["d", "dir"]).last();
    let directory = directory
        .as_ref()
        .map_or(Some("."), |directory| directory.literal());
    for url in &split.operands {
        let name = saved_name(url, true)
            .map(|name| percent_decode_str(&name).decode_utf8_lossy().into_owned());
        let name = name.filter(|name| !name.is_empty());
        files.push(match (name, directory) {
            (Some(name), Some(directory)) => {
                FileOperand::written(joined(directory, &name, url.span))
            }
            _ => unknown_file(url.span, FileAccess::Write),
        });
    }
    files
}
