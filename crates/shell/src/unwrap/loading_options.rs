//! Options that say by their name that they load code, of programs of which no table knows them: `--plugin x`,
//! `--preload x.so`, `--config x.js`, `--pager 'less -R'`.

use tenon_programs::words::loading::{
    ADDING, CODE, HARMLESS, LIBRARIES, LOADING, MODULES, NAMING, PARTS, PLACED, PLACES, RUNNING,
    SAID, SETTINGS_ELSEWHERE,
};
use tenon_programs::{Program, Traits};

use super::options::words_of;
use super::project_code;
use crate::span::Span;
use crate::word::Word;

/// The first option that loads code.
pub(super) fn find(program: Option<&Program>, words: &[Word]) -> Option<Span> {
    let own = words.iter().take_while(|word| word.literal() != Some("--"));
    for (place, word) in own.enumerate() {
        let text = word.prefix();
        let Some(name) = name_of(&text) else { continue };
        let (name, value) = match name.split_once(['=', ':']) {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => {
                let next = words.get(place + 1).map(Word::prefix);
                let next = next.filter(|next| !next.starts_with('-'));
                (name, next.map(|next| next.into_owned()))
            }
        };
        let is_known = program.is_some_and(|program| project_code::knows(program, name));
        if !is_known && value.is_some_and(|value| loads(name, &value)) {
            return Some(word.span);
        }
    }
    None
}

/// The name of a long option, of one dash or two.
fn name_of(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("--") {
        // `--loader:.png=dataurl` is about files of an ending.
        let parted = name
            .split('=')
            .next()
            .is_some_and(|name| name.contains(':'));
        return (!parted).then_some(name);
    }
    // Letters in a cluster are no name.
    let name = text.strip_prefix('-')?;
    let end = name.find(['=', ':']).unwrap_or(name.len());
    let words = words_of(name.get(..end)?, is_sign);
    let says = words
        .iter()
        .any(|word| word.len() > 4 && LOADING.contains(&word.as_str()));
    says.then_some(name)
}

/// Whether a sign parts the words of a name.
const fn is_sign(sign: char) -> bool {
    matches!(sign, '-' | '_' | '.')
}

/// Whether an option of this name loads this value.
fn loads(name: &str, value: &str) -> bool {
    let words = words_of(name, is_sign);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = words.first().map_or("", String::as_str);
    if HARMLESS.contains(&begins) || is_said(value) || is_installed(value) {
        return false;
    }
    // `--enable-source-maps`, which has no value.
    if words
        .last()
        .is_some_and(|word| matches!(word.as_str(), "map" | "maps"))
    {
        return false;
    }
    if is(RUNNING) && value.contains([' ', '/']) && !is_harmless_command(value) {
        return true;
    }
    let ends_in_place = words
        .last()
        .is_some_and(|word| PLACES.contains(&word.as_str()));
    if is(LOADING) || (ends_in_place && is(PLACED)) {
        return true;
    }
    let names_code = !project_code::is_own(value) && is_code(value, CODE)
        || is(MODULES) && value.starts_with(['.', '/']) && value.contains('/');
    let leads = value.starts_with(['~', '|']) || value.starts_with("..") || value.contains("://");
    (is(NAMING) || is(MODULES)) && (names_code || leads && is(SETTINGS_ELSEWHERE))
        || is_code(value, LIBRARIES) && !is(&["file", "files", "target", "to", "from", "dest"])
}

/// Whether an option of this name says that its value is code, or settings that can name some.
pub(super) fn says_code(name: &str) -> bool {
    const SETTINGS: &[&str] = &["conf", "config", "configuration", "settings", "setup"];
    let words = words_of(name, is_sign);
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let begins = words.first().map_or("", String::as_str);
    !HARMLESS.contains(&begins) && (is(LOADING) || is(SETTINGS) || is(MODULES))
}

/// Whether an option of this name says where a program finds the code of a project, or what it loads.
pub(super) fn says_place_of_code(name: &str) -> bool {
    const PLACES: &[&str] = &[
        "argv",
        "checker",
        "cwd",
        "environment",
        "import",
        "opts",
        "project",
        "projects",
        "root",
        "roots",
        "sequencer",
        "serializers",
        "transform",
        "workspace",
    ];
    let words = words_of(name, is_sign);
    let begins = words.first().map_or("", String::as_str);
    let is_place = |word: &String| PLACES.contains(&word.as_str());
    says_code(name) || !HARMLESS.contains(&begins) && words.iter().any(is_place)
}

/// A value that only switches something.
fn is_said(value: &str) -> bool {
    SAID.contains(&value)
}

/// Whether the value is what a package of the project brings.
fn is_installed(value: &str) -> bool {
    let path = value.trim_start_matches("./");
    path.starts_with("node_modules/") && !path.contains("..")
}

/// Whether a command does nothing by itself.
fn is_harmless_command(value: &str) -> bool {
    matches!(
        value,
        "/dev/null" | "/bin/true" | "/usr/bin/true" | "/bin/cat"
    ) || value.contains("://")
        || super::services::is_of_system(value)
}

/// Whether one of the files of a list has such an ending.
fn is_code(value: &str, endings: &[&str]) -> bool {
    value.split([',', ':', ';']).any(|piece| {
        let name = piece.rsplit('/').next().unwrap_or_default();
        let parts = name.rsplit_once('.');
        parts.is_some_and(|(stem, ending)| !stem.is_empty() && endings.contains(&ending))
    })
}

/// The first file of further arguments.
pub(super) fn response(program: Option<&Program>, words: &[Word]) -> Option<Span> {
    let is_file = |word: &&Word| {
        word.prefix()
            .strip_prefix('@')
            .is_some_and(|name| !name.is_empty())
    };
    let takes = program.is_some_and(|program| program.is(Traits::RESPONSE_FILES));
    let mut words = words.iter().filter(|_| takes);
    words.find(is_file).map(|word| word.span)
}

/// The subcommand by which a program gets further code: `docker plugin install x`, `asdf plugin add x`.
pub(super) fn extended(words: &[Word]) -> Option<Span> {
    let mut own = words.iter().filter(|word| !word.prefix().starts_with('-'));
    let part = own.next().and_then(Word::literal)?;
    let action = own.next().filter(|_| PARTS.contains(&part))?;
    action
        .literal()
        .is_some_and(|action| ADDING.contains(&action))
        .then_some(action.span)
}
