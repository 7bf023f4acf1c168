//! How git names files: by pathspecs, and within the name of an object.

use crate::operands::arguments::opaque;
use crate::operands::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use crate::operands::table::{everything, file};
use crate::span::Span;
use crate::word::{Part, Word};

/// The files of several pathspecs. Where each only leaves something out, all others are meant.
pub(super) fn pathspecs<'w>(
    words: impl Iterator<Item = &'w Word>,
    access: FileAccess,
    span: Span,
    files: &mut FileOperands<'w>,
) {
    let before = files.len();
    files.extend(words.filter_map(|word| pathspec(word, access)));
    if files.len() == before {
        files.push(everything(span, access));
    }
}

/// The files of one pathspec; `None` for one that leaves something out.
pub(super) fn pathspec(word: &Word, access: FileAccess) -> Option<FileOperand<'_>> {
    let magic = word.literal().and_then(|text| text.strip_prefix(':'));
    let Some(magic) = magic else {
        return Some(file(word, access).reaching(AccessScope::Tracked));
    };
    let (from_top, folds, path) = match magic
        .strip_prefix('(')
        .and_then(|names| names.split_once(')'))
    {
        Some((names, path)) => {
            let has = |name: &str| names.split(',').any(|own| own.trim() == name);
            if has("exclude") {
                return None;
            }
            let folds = names.contains("icase") || names.contains("attr");
            (has("top"), folds, path)
        }
        None => {
            let end = magic.find(|letter| !matches!(letter, '/' | '!' | '^'));
            let (signs, path) = magic.split_at(end.unwrap_or(magic.len()));
            if signs.contains(['!', '^']) {
                return None;
            }
            (
                signs.contains('/'),
                false,
                path.strip_prefix(':').unwrap_or(path),
            )
        }
    };
    let path = match path {
        // The letters do not say which files those are.
        _ if folds => "*",
        "" => ".",
        path => path,
    };
    let reach = if from_top {
        AccessScope::TrackedFromTop
    } else {
        AccessScope::Tracked
    };
    Some(FileOperand::new(OperandWord::value(path, word), access).reaching(reach))
}

/// The files in the name of an object: `REVISION:PATH`, `:PATH`, `:1:PATH`, and both sides of a range of them. The first
/// colon need not be the one: `HEAD@{1:30}:PATH`.
pub(super) fn object<'w>(word: &'w Word, files: &mut FileOperands<'w>) {
    let mut add = |path: OperandWord<'w>, start: &str| {
        let reach = if start.starts_with("./") || start.starts_with("../") {
            AccessScope::Tracked
        } else {
            AccessScope::TrackedFromTop
        };
        files.push(FileOperand::read(path).reaching(reach));
    };
    let Some(text) = word.literal() else {
        if let Some((path, known)) = opaque_path(word) {
            let start = path.clone();
            let path = if known {
                OperandWord::value(&path, word)
            } else {
                opaque(&path, word.span)
            };
            add(path, &start);
        }
        return;
    };
    if text.starts_with(":(") {
        return;
    }
    for (place, _) in text.match_indices(':') {
        let path = text.get(place + 1..).unwrap_or_default();
        if path.is_empty() || path.starts_with('/') {
            continue;
        }
        add(OperandWord::value(path, word), path);
        if let Some((first, _)) = path
            .split_once("..")
            .filter(|(first, behind)| !first.is_empty() && !behind.starts_with('/'))
        {
            add(OperandWord::value(first, word), first);
        }
    }
}

/// The path in a name of which a part cannot be determined, as far as it is known, and whether that is all of it.
fn opaque_path(word: &Word) -> Option<(String, bool)> {
    if let Some(Part::Text { value, .. }) = word.parts.last()
        && let Some((_, path)) = value.rsplit_once(':')
        && !word.expansion.globs
        && !word.expansion.braces
    {
        return Some((path.to_owned(), true)).filter(|(path, _)| !path.is_empty());
    }
    let start = word.prefix();
    let (_, path) = start.split_once(':')?;
    Some((path.to_owned(), false))
}
