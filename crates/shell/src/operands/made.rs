//! Names of files that a program makes of others: with a suffix for backups, without that of a packed file, with a
//! number for pieces.

use smallvec::SmallVec;
use tenon_programs::words::archives::PACKED;

use super::arguments::opaque;
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::span::Span;
use crate::word::{Expansion, Part, Word};

/// The name with this behind it.
pub(super) fn followed_by<'w>(name: &Word, suffix: &Word) -> OperandWord<'w> {
    match (name.literal(), suffix.literal()) {
        (Some(start), Some(end)) => OperandWord::value(&format!("{start}{end}"), name),
        (Some(start), None) => opaque(start, suffix.span),
        (None, _) => opaque(&name.prefix(), name.span),
    }
}

/// Both are written: the name with the suffix where it is, and in the directory that the target may be.
pub(super) fn backups(
    target: Option<&Word>,
    sources: &[&Word],
    suffix: &Word,
    files: &mut FileOperands<'_>,
) {
    let mut write = |word| files.push(FileOperand::written(word));
    if let Some(target) = target {
        write(followed_by(target, suffix));
    }
    if let (Some(target), Some(end)) = (target.and_then(Word::literal), suffix.literal()) {
        // Of files in a directory that is copied.
        for start in ["", "."] {
            let start = format!("{}/{start}", target.trim_end_matches('/'));
            files.push(pieces(&start, end, suffix.span));
        }
    }
    let mut write = |word| files.push(FileOperand::written(word));
    for source in sources {
        let name = source
            .literal()
            .map(last_name)
            .filter(|name| !name.is_empty());
        let directory = target.map_or(Some("."), Word::literal);
        if let (Some(name), Some(directory)) = (name, directory) {
            let path = format!("{}/{name}", directory.trim_end_matches('/'));
            write(followed_by(&Word::synthetic(&path, source.span), suffix));
        }
    }
}

/// The last name of a path or an address; behind a colon stands the path on another machine.
pub(super) fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit(['/', ':']).next().unwrap_or_default()
}

/// The copy that `sed -i` keeps: a star of the suffix is the name, and with a slash it is another directory.
pub(super) fn kept(name: &Word, suffix: &Word, files: &mut FileOperands<'_>) {
    let mut write = |word| files.push(FileOperand::written(word));
    let (Some(path), Some(text)) = (name.literal(), suffix.literal()) else {
        return write(followed_by(name, suffix));
    };
    if !text.contains('*') {
        return write(followed_by(name, suffix));
    }
    let last = last_name(path);
    let made = text.replace('*', last);
    let beside = path.strip_suffix(last).unwrap_or_default();
    write(OperandWord::value(&format!("{beside}{made}"), name));
    write(OperandWord::value(&made, name));
}

/// What packing or unpacking a file makes of it, with the suffixes that are given. Returns whether it may be unpacked.
pub(super) fn repacked(name: &Word, suffixes: &[&Word], files: &mut FileOperands<'_>) -> bool {
    let Some(path) = name.literal() else {
        return true;
    };
    let given = suffixes.iter().filter_map(|suffix| suffix.literal());
    let mut is_packed = false;
    for end in PACKED.iter().copied().chain(given) {
        let plain = path
            .strip_suffix(end)
            .filter(|plain| !end.is_empty() && !plain.is_empty());
        if let Some(plain) = plain {
            is_packed = true;
            files.push(FileOperand::written(OperandWord::value(plain, name)));
        }
    }
    for suffix in suffixes {
        is_packed = true;
        for access in [FileAccess::Write, FileAccess::Delete] {
            files.push(FileOperand::new(followed_by(name, suffix), access));
        }
    }
    is_packed
}

/// The directory that the name lies in.
pub(super) fn directory_of<'w>(name: &Word) -> OperandWord<'w> {
    let path = name.literal().unwrap_or_default();
    let above = path.rsplit_once('/').map_or(".", |(above, _)| above);
    OperandWord::value(if above.is_empty() { "/" } else { above }, name)
}

/// A name that begins and ends so, and has something in the middle that the program chooses.
pub(super) fn pieces<'w>(start: &str, end: &str, span: Span) -> FileOperand<'w> {
    let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
    parts.extend([
        Part::text(start, true),
        Part::text("*", false),
        Part::text(end, true),
    ]);
    let globs = Expansion {
        globs: true,
        ..Expansion::default()
    };
    let word = OperandWord::Value(Box::new(Word::of_parts(parts, globs, span)));
    FileOperand::written(word).reaching(AccessScope::Made)
}

/// What is in a format of numbers before and behind the number: `x%02d.txt`.
pub(super) fn around_number(format: &str) -> (&str, &str) {
    let Some((before, behind)) = format.split_once('%') else {
        return (format, "");
    };
    let is_modifier = |letter: char| !letter.is_ascii_alphabetic() || letter == 'l';
    let mut rest = behind.trim_start_matches(is_modifier).chars();
    rest.next();
    (before, rest.as_str())
}

/// What comes from another machine: by a pattern the names are of its choice, and without a target the name is kept (`sftp h:a`).
pub(super) fn fetched<'w>(
    target: Option<&'w Word>,
    sources: &[&'w Word],
    here: Option<&'w Word>,
    files: &mut FileOperands<'w>,
) {
    let is_remote = |word: &&&Word| {
        let text = word.prefix();
        let before = text.split('/').next().unwrap_or_default();
        before.contains(':') || text.contains("://")
    };
    for source in sources.iter().filter(is_remote) {
        // With a slash or a dot at its end what is in a directory comes, under names of its own.
        let is_one = source.literal().is_some_and(|text| {
            !text.contains(['*', '?', '[', '{']) && !text.ends_with(['/', ':']) && {
                let last = text.rsplit(['/', ':']).next();
                !matches!(last, Some("." | ".."))
            }
        });
        let name = source.literal().map(last_name).filter(|_| is_one);
        match (name, target, here) {
            (Some(_), Some(_), _) => {}
            (Some(name), None, _) => {
                let kept = OperandWord::value(name, source);
                files.push(FileOperand::written(kept));
            }
            (None, Some(target), _) => unpacked_below(OperandWord::Argument(target), files),
            (None, None, Some(here)) => unpacked_below(OperandWord::value(".", here), files),
            (None, None, None) => {}
        }
    }
}

/// Files of unknown names below this directory.
pub(super) fn unpacked_below<'w>(directory: OperandWord<'w>, files: &mut FileOperands<'w>) {
    let written = FileOperand::written(directory);
    files.push(written.reaching(AccessScope::Unpacked));
}
