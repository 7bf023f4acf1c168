//! What built-ins do to the shell itself: variables, the working directory, the meaning of names.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::word::{Part, Word};

/// Names of variables or commands; `None` for one that cannot be determined.
pub type Names<'w> = SmallVec<[Option<Cow<'w, str>>; 2]>;

/// What a command does to the working directory of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryChange<'w> {
    /// To this directory, relative to the one before.
    To(&'w Word),
    /// To the home directory.
    Home,
    /// To a directory that cannot be determined from the command: `cd -`, `popd`, `pushd +1`, several operands.
    Unknown,
}

/// Whether it is one of the commands of which [`directory_change`], [`assigned_names`] and [`redefined_names`] know
/// something.
pub(crate) fn changes_shell(name: &str) -> bool {
    matches!(
        name,
        "cd" | "chdir"
            | "pushd"
            | "popd"
            | "export"
            | "readonly"
            | "declare"
            | "typeset"
            | "local"
            | "unset"
            | "read"
            | "mapfile"
            | "readarray"
            | "printf"
            | "wait"
            | "getopts"
            | "let"
            | "alias"
            | "unalias"
            | "hash"
            | "enable"
    )
}

/// What `cd`, `chdir`, `pushd` and `popd` do; `None` for other commands. Takes the words of an
/// [`Invocation`](crate::Invocation).
#[must_use]
pub fn directory_change(words: &[Word]) -> Option<DirectoryChange<'_>> {
    let (name, arguments) = words.split_first()?;
    let name = name.literal()?;
    if !matches!(name, "cd" | "chdir" | "pushd" | "popd") {
        return None;
    }
    if name == "popd" {
        return Some(DirectoryChange::Unknown);
    }
    let mut operands: SmallVec<[&Word; 4]> = SmallVec::new();
    let mut options = true;
    for word in arguments {
        match word.literal() {
            Some("--") if options => options = false,
            Some("-") => return Some(DirectoryChange::Unknown),
            Some(text) if options && text.starts_with('-') => {
                let known = text
                    .bytes()
                    .skip(1)
                    .all(|letter| b"LPe@n".contains(&letter));
                if !known {
                    return Some(DirectoryChange::Unknown);
                }
            }
            Some(text) if name == "pushd" && text.starts_with('+') => {
                return Some(DirectoryChange::Unknown);
            }
            _ => {
                options = false;
                operands.push(word);
            }
        }
    }
    Some(match operands.as_slice() {
        [] if name == "pushd" => DirectoryChange::Unknown,
        [] => DirectoryChange::Home,
        [directory] => DirectoryChange::To(directory),
        _ => DirectoryChange::Unknown,
    })
}

/// Words in which [`assigned_names`] finds names that may have a subscript.
pub(crate) fn assigned_words(words: &[Word]) -> SmallVec<[&Word; 2]> {
    let Some((name, arguments)) = words.split_first() else {
        return SmallVec::new();
    };
    let every = || arguments.iter().collect();
    match name.literal().unwrap_or_default() {
        "unset" => operands(arguments, ""),
        "mapfile" | "readarray" => operands(arguments, "dnOsuCc"),
        "read" if arguments.iter().any(|word| is_option(word, 'a')) => every(),
        "read" => operands(arguments, "adinNptu"),
        "printf" if arguments.first().is_some_and(|word| is_option(word, 'v')) => {
            arguments.iter().take(2).collect()
        }
        "printf"
            if arguments
                .iter()
                .any(|word| word.literal().is_some_and(counts)) =>
        {
            every()
        }
        "wait" if arguments.iter().any(|word| is_option(word, 'p')) => every(),
        "getopts" => arguments.get(1).into_iter().collect(),
        _ => SmallVec::new(),
    }
}

/// Whether a word is an option with this letter, or can become one.
fn is_option(word: &Word, letter: char) -> bool {
    let text = word.prefix();
    let open = |part: &Part| !matches!(part, Part::Text { .. });
    (text.starts_with('-') && (text.contains(letter) || word.is_opaque()))
        || (!word.parts.is_empty() && word.parts.iter().all(open))
}

/// Names of variables to which a built-in gives a value or an attribute, beyond those in
/// [`Command::assignments`](crate::Command::assignments): `read x`, `printf -v x`, `export x`, `unset x`. `None` in
/// the list for a name that cannot be determined.
#[must_use]
pub fn assigned_names(words: &[Word]) -> Names<'_> {
    let Some((name, arguments)) = words.split_first() else {
        return Names::new();
    };
    match name.literal().unwrap_or_default() {
        "export" | "readonly" | "declare" | "typeset" | "local" | "unset" => names(arguments, ""),
        "read" => names(arguments, "adinNptu")
            .into_iter()
            .chain(value_of(arguments, 'a', "dinNptu"))
            .collect(),
        "mapfile" | "readarray" => names(arguments, "dnOsuCc"),
        "printf" => {
            let mut names = value_of(arguments, 'v', "");
            names.extend(counted(arguments));
            names
        }
        "wait" => value_of(arguments, 'p', ""),
        "getopts" => {
            let mut names: Names<'_> = arguments.get(1).map(variable).into_iter().collect();
            names.extend(["OPTARG", "OPTIND"].map(|name| Some(name.into())));
            names
        }
        "let" => arguments
            .iter()
            .map(|word| {
                let text = word.literal()?;
                let end =
                    text.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
                Some(text.get(..end.unwrap_or(text.len()))?.into())
            })
            .collect(),
        "cd" | "pushd" | "popd" => ["PWD", "OLDPWD"].map(|name| Some(name.into())).into(),
        _ => Names::new(),
    }
}

/// The variables among operands, options and the values of these letters skipped.
fn names<'w>(arguments: &'w [Word], values: &str) -> Names<'w> {
    let words = operands(arguments, values);
    words.into_iter().map(variable).collect()
}

/// The operands, options and the values of these letters skipped.
fn operands<'w>(arguments: &'w [Word], values: &str) -> SmallVec<[&'w Word; 2]> {
    let mut names = SmallVec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("--") => {}
            Some(text) if text.starts_with(['-', '+']) => {
                let last = text.chars().last().unwrap_or_default();
                let first_value = text
                    .chars()
                    .skip(1)
                    .position(|letter| values.contains(letter));
                if first_value.is_some()
                    && values.contains(last)
                    && first_value == text.chars().skip(1).count().checked_sub(1)
                {
                    words.next();
                }
            }
            _ => names.push(word),
        }
    }
    names
}

/// The variables that a format of `printf` may name by `%n`, to store how much was printed so far.
fn counted(arguments: &[Word]) -> Names<'_> {
    let mut words = arguments.iter();
    let mut format = words.next();
    // What stands in the place of `-v NAME` comes first.
    while let Some(option) = format.filter(|word| word.prefix().starts_with('-')) {
        match option.literal() {
            Some("--") => {
                format = words.next();
                break;
            }
            Some("-v") => drop(words.next()),
            Some(text) if text.starts_with("-v") => {}
            _ => break,
        }
        format = words.next();
    }
    let Some(format) = format else {
        return Names::new();
    };
    match format.literal() {
        Some(text) if counts(text) => words.map(variable).collect(),
        Some(_) => Names::new(),
        // What colours a text is in variables often: only what could be a name counts.
        None => words
            .filter(|word| word.literal().is_some_and(is_name))
            .map(variable)
            .collect(),
    }
}

/// Whether a conversion of this format is `%n`.
fn counts(format: &str) -> bool {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '%' {
            let is_modifier = |letter: &char| "-+ #'0123456789.*$hjlLqtzw".contains(*letter);
            let mut conversion = letters.by_ref().skip_while(is_modifier);
            if conversion.next() == Some('n') {
                return true;
            }
        }
    }
    false
}

/// Whether a text is the name of a variable.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The variable in the value of this option.
fn value_of<'w>(arguments: &'w [Word], option: char, values: &str) -> Names<'w> {
    let mut found = Names::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            continue;
        };
        let Some(letters) = text.strip_prefix('-').filter(|_| text != "--") else {
            break;
        };
        match letters.split_once(option) {
            Some((before, _)) if before.contains(|letter| values.contains(letter)) => {}
            Some((_, "")) => found.push(words.next().and_then(variable)),
            Some((_, name)) => found.push(Some(name.into())),
            None => {
                if letters
                    .chars()
                    .last()
                    .is_some_and(|last| values.contains(last))
                {
                    words.next();
                }
            }
        }
    }
    found
}

/// The name in `name`, `name=value`, `name[…]`.
fn variable(word: &Word) -> Option<Cow<'_, str>> {
    let text = word.prefix();
    match text.find(['=', '[', '+']) {
        Some(end) => match text {
            Cow::Borrowed(text) => text.get(..end).map(Cow::Borrowed),
            Cow::Owned(text) => text.get(..end).map(|name| Cow::Owned(name.to_owned())),
        },
        None => word.literal().map(Cow::Borrowed),
    }
}

/// Names whose meaning a command changes: `hash -p`, `enable`, `unalias`, `alias`, `unset -f`. `None` in the list
/// for a name that cannot be determined.
#[must_use]
pub fn redefined_names(words: &[Word]) -> Names<'_> {
    let Some((name, arguments)) = words.split_first() else {
        return Names::new();
    };
    let has = |letter: char| {
        arguments
            .iter()
            .filter_map(Word::literal)
            .any(|text| text.starts_with('-') && text.contains(letter))
    };
    match name.literal().unwrap_or_default() {
        "alias" => arguments
            .iter()
            .filter(|word| word.prefix().contains('=') || word.is_opaque())
            .map(variable)
            .collect(),
        "unalias" => names(arguments, ""),
        "hash" if has('p') => names(arguments, "p"),
        "enable" => names(arguments, "f"),
        "unset" if has('f') => names(arguments, ""),
        _ => Names::new(),
    }
}
