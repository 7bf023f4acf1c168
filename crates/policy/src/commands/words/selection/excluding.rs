//! What archivers and copying programs leave out: never more than they do.

use tenon_programs::words::archives::{TAR_CHANGING, TAR_FLAGS};
use tenon_shell::Word;

use crate::commands::words::Form;
use crate::commands::words::selection::Top;

/// Forms of the names that a program leaves out, of files and directories alike.
pub(crate) fn excluded(program: &str, arguments: &[Word]) -> Vec<Form> {
    match program {
        "tar" | "bsdtar" => by_tar(arguments),
        "rsync" => by_rsync(arguments),
        "zip" => by_zip(arguments),
        _ => Vec::new(),
    }
}

/// The value of `--exclude` at this place, and how many words it takes.
fn value(arguments: &[Word], place: usize) -> Option<(&str, usize)> {
    let text = arguments.get(place)?.literal()?;
    if text == "--exclude" {
        return Some((arguments.get(place + 1)?.literal()?, 2));
    }
    Some((text.strip_prefix("--exclude=")?, 1))
}

/// GNU tar leaves out what follows the option, and takes names at any depth unless an option says otherwise. What
/// stands behind the first member is not counted.
fn by_tar(arguments: &[Word]) -> Vec<Form> {
    let changed = arguments.iter().any(|word| {
        let text = word.prefix();
        TAR_CHANGING.iter().any(|change| text.starts_with(change))
    });
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(word) = arguments.get(place) {
        let Some(text) = word.literal().filter(|_| !changed) else {
            break;
        };
        if let Some((value, words)) = value(arguments, place) {
            found.extend(Form::new(value));
            place += words;
            continue;
        }
        let is_bundle = place == 0 && !text.starts_with('-');
        let cluster = text.strip_prefix('-').filter(|text| !text.starts_with('-'));
        let takes_next = |text: &str| {
            text.ends_with(['f', 'C']) && text.matches(['f', 'C', 'b', 'X', 'T']).count() == 1
        };
        match cluster.or(is_bundle.then_some(text)) {
            Some(letters) if takes_next(letters) => place += 2,
            Some(letters)
                if !letters.is_empty() && !letters.contains(['f', 'C', 'b', 'X', 'T', '-']) =>
            {
                place += 1
            }
            None if text.starts_with("--")
                && text.len() > 2
                && (text.contains('=') || TAR_FLAGS.contains(&text)) =>
            {
                place += 1
            }
            _ => break,
        }
    }
    found
}

/// The first filter that fits counts, and `--exclude-from` may have some that include.
fn by_rsync(arguments: &[Word]) -> Vec<Form> {
    let other = |word: &Word| {
        let text = word.prefix();
        let long = ["--inc", "--fil", "--exclude-", "--files", "--no-"];
        let cluster = text.starts_with('-') && !text.starts_with("--") && text.contains(['f', 'F']);
        word.literal().is_none() || cluster || long.iter().any(|option| text.starts_with(option))
    };
    if arguments.iter().any(other) {
        return Vec::new();
    }
    let places = 0..arguments.len();
    let values = places.filter_map(|place| value(arguments, place));
    values.filter_map(|(value, _)| Form::new(value)).collect()
}

/// `zip` compares whole paths, in which a star takes slashes: only what begins with one is left out at any depth.
fn by_zip(arguments: &[Word]) -> Vec<Form> {
    let Some((_, listed)) = listed_by_zip(arguments) else {
        return Vec::new();
    };
    let listed = listed.iter().filter(|text| text.starts_with('*'));
    listed.filter_map(|text| Form::new(text)).collect()
}

/// What `zip -r x.zip .` leaves out of the directory itself: `.env`, and by `secrets/*` all of a directory.
pub(crate) fn by_zip_from_top(arguments: &[Word]) -> Top {
    let mut top = Top::default();
    let Some((before, listed)) = listed_by_zip(arguments) else {
        return top;
    };
    let is_flag = |text: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty()
            && letters
                .chars()
                .all(|letter| "r0123456789qvyXD".contains(letter))
    };
    let operands: Vec<&str> = before.into_iter().filter(|text| !is_flag(text)).collect();
    if !matches!(operands.as_slice(), [archive, "."] if !archive.starts_with('-')) {
        return top;
    }
    let plain = |name: &str| !name.is_empty() && !name.contains(['*', '?', '[', '\\', '/']);
    for text in listed {
        match text.strip_suffix("/*").or_else(|| text.strip_suffix("/**")) {
            Some(name) if plain(name) => top.closed.extend(Form::new(name)),
            None if plain(text) => top.not.extend(Form::new(text)),
            _ => {}
        }
    }
    top
}

/// The words before the first `-x`, and those that it and others behind it list.
fn listed_by_zip(arguments: &[Word]) -> Option<(Vec<&str>, Vec<&str>)> {
    let names = |text: &str| matches!(text, "-x" | "--exclude");
    let mut before: Vec<&str> = arguments.iter().map(Word::literal).collect::<Option<_>>()?;
    let listed = before.split_off(before.iter().position(|text| names(text))?);
    let ends = |text: &&str| (text.starts_with('-') || *text == "@") && !names(text);
    let listed = listed.into_iter().take_while(|text| !ends(text));
    let listed = listed.filter(|text| !names(text)).collect();
    Some((before, listed))
}
