//! Modules that Python runs: `python -m pip install x` is `pip install x`.

use tenon_programs::Catalogue;

use crate::word::Word;
use crate::words::Words;

/// The command that stands for the module that Python runs with these words: a program that is known has the name of its
/// module, perhaps with dashes in place of `_` (`python -m pre_commit`), or with `.__main__` behind it.
pub(super) fn command(catalogue: &Catalogue, words: &Words) -> Option<Words> {
    let (module, behind) = module(words)?;
    let name = module
        .literal()
        .and_then(|name| known_name(catalogue, name));
    let first = match name {
        Some(name) => Word::synthetic(&name, module.span),
        None => module,
    };
    let mut all = vec![first];
    all.extend(words.get(behind..)?.iter().cloned());
    Some(all.into())
}

/// Whether arguments of Python run a module that is a program of the catalogue, which says what its arguments are.
pub(crate) fn module_of_catalogue(arguments: &[Word]) -> bool {
    let found = module_of_arguments(arguments);
    let name = found.as_ref().and_then(|(module, _)| module.literal());
    name.is_some_and(|name| known_name(&Catalogue::BUILT_IN, name).is_some())
}

/// The name by which a program of the catalogue is run as a module of this name.
fn known_name(catalogue: &Catalogue, module: &str) -> Option<String> {
    let name = module.strip_suffix(".__main__").unwrap_or(module);
    let is_known = |name: &str| catalogue.find(catalogue.facts_name(name)).is_some();
    let dashed = name.replace('_', "-");
    [name.to_owned(), dashed, name.to_lowercase()]
        .into_iter()
        .find(|name| is_known(name))
}

/// The module, and the place of the words behind it.
fn module(words: &[Word]) -> Option<(Word, usize)> {
    let (module, behind) = module_of_arguments(words.get(1..)?)?;
    Some((module, behind + 1))
}

/// The module that these arguments of Python run, and the place of the words behind it.
pub(crate) fn module_of_arguments(arguments: &[Word]) -> Option<(Word, usize)> {
    let mut place = 0;
    loop {
        let word = arguments.get(place)?;
        let letters = word.literal()?.strip_prefix('-')?;
        if letters == "-check-hash-based-pycs" {
            place += 2;
            continue;
        }
        place += 1;
        // `py -3.12` chooses a version.
        let is_flag = |letter: char| "bBdEiIOPqsSuvx.".contains(letter) || letter.is_ascii_digit();
        let end = letters.find(|letter| !is_flag(letter));
        let Some(end) = end.filter(|_| !letters.is_empty()) else {
            if letters.is_empty() {
                return None;
            }
            continue;
        };
        let value = letters.get(end + 1..).unwrap_or_default();
        match letters.get(end..=end)? {
            "m" if value.is_empty() => return Some((arguments.get(place)?.clone(), place + 1)),
            "m" => return Some((Word::synthetic(value, word.span), place)),
            "W" | "X" => place += usize::from(value.is_empty()),
            _ => return None,
        }
    }
}
