//! Programs that search below directories: `grep -r`, `rg`, `fd`.

use tenon_programs::words::searching::{AG_NARROW, RG_PRINTING_MORE, TYPES};
use tenon_shell::Word;

use crate::commands::words::selection::options::{Given, alternatives, given};
use crate::commands::words::{Form, Selection};

/// What `fd` is given, but for options that make it search elsewhere.
fn given_to_fd(arguments: &[Word]) -> Option<Vec<Given>> {
    let elsewhere = ["base-directory", "search-path", "ignore-file"];
    given("fd", arguments).filter(|given| !has(given, &elsewhere))
}

fn has(given: &[Given], names: &[&str]) -> bool {
    given
        .iter()
        .any(|option| names.contains(&option.name.as_str()))
}

fn values<'g>(given: &'g [Given], names: &'g [&str]) -> impl Iterator<Item = &'g str> {
    let named = given
        .iter()
        .filter(|option| names.contains(&option.name.as_str()));
    named.filter_map(|option| option.value.as_deref())
}

pub(crate) fn grep(arguments: &[Word]) -> Option<Selection> {
    let given = given("grep", arguments)?;
    let mut selection = Selection {
        follows: has(&given, &["R", "dereference-recursive"]),
        ..Selection::default()
    };
    // A name that fits none is searched unless the first of these options is `--include`.
    let choosing = given
        .iter()
        .find(|option| matches!(option.name.as_str(), "include" | "exclude" | "exclude-from"));
    let including = choosing.is_some_and(|option| option.name == "include");
    let forms = |name: &'static str| {
        let named = [name];
        let forms = values(&given, &named).map(|value| Form::new(value.trim_end_matches('/')));
        forms.collect::<Vec<Option<Form>>>()
    };
    if including {
        // All of them must be understood.
        selection.only = forms("include").into_iter().collect();
    } else if !has(&given, &["include"]) {
        selection.not = forms("exclude").into_iter().flatten().collect();
    }
    selection.closed = forms("exclude-dir").into_iter().flatten().collect();
    Some(selection)
}

/// Whether `grep` prints the names of files and nothing else.
pub(crate) fn grep_lists_names(arguments: &[Word]) -> bool {
    given("grep", arguments).is_some_and(|given| {
        let names = ["l", "L", "files-with-matches", "files-without-match"];
        // A label stands for the input among the names.
        has(&given, &names) && !has(&given, &["c", "count", "V", "color", "colour", "label"])
    })
}

pub(crate) fn rg(arguments: &[Word]) -> Option<Selection> {
    let given = given("rg", arguments)?;
    let chooses = |option: &Given| {
        let globs = ["g", "glob", "iglob"].contains(&option.name.as_str());
        globs
            && option
                .value
                .as_deref()
                .is_none_or(|glob| !glob.starts_with('!'))
    };
    let follows = has(&given, &["L", "follow"]);
    let mut selection = Selection {
        follows,
        only_files: !follows,
        passes_ignored: passes_ignored(&given) && !given.iter().any(chooses),
        ..Selection::default()
    };
    let all = ["u", ".", "hidden", "unrestricted", "ignore-file"];
    // A glob that is no exception takes hidden files, too, and only what fits.
    let mut globs = values(&given, &["g", "glob"])
        .filter(|glob| !glob.starts_with('!'))
        .peekable();
    if has(&given, &["iglob", "type-add", "type-clear"]) {
        return Some(selection);
    }
    if globs.peek().is_none() {
        let without = values(&given, &["g", "glob"]).filter_map(|glob| glob.strip_prefix('!'));
        selection.not = without.filter_map(Form::new).collect();
        selection.closed.clone_from(&selection.not);
    } else {
        selection.only = globs
            .map(last_names)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
        return Some(selection);
    }
    // So does a type of files.
    let mut types = values(&given, &["t", "type"]).peekable();
    if types.peek().is_some() {
        selection.only = types
            .map(of_type)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
        return Some(selection);
    }
    selection.passes_hidden = !has(&given, &all);
    Some(selection)
}

/// Whether no option says that what git ignores is searched, too.
fn passes_ignored(given: &[Given]) -> bool {
    let searches = |option: &Given| {
        let name = option.name.as_str();
        matches!(name, "u" | "I" | "unrestricted" | "ignore-file") || name.starts_with("no-ignore")
    };
    !given.iter().any(searches)
}

pub(crate) fn rg_lists_names(arguments: &[Word]) -> bool {
    given("rg", arguments).is_some_and(|given| {
        let names = ["l", "files-with-matches", "files-without-match", "files"];
        has(&given, &names) && !has(&given, RG_PRINTING_MORE)
    })
}

pub(crate) fn fd(arguments: &[Word]) -> Option<Selection> {
    let given = given_to_fd(arguments)?;
    let mut extensions = values(&given, &["e", "extension"]).peekable();
    let plain = |extension: &str| !extension.contains(['*', '?', '[', '\\']);
    let form = |extension: &str| {
        let extension = extension.trim_start_matches('.');
        Form::in_any_case(&format!("*.{extension}")).filter(|_| plain(extension))
    };
    let follows = has(&given, &["L", "follow"]);
    Some(Selection {
        // Behind a link directories count by their names.
        only: match extensions.peek() {
            Some(_) if !follows => extensions.map(form).collect(),
            _ => None,
        },
        follows,
        passes_ignored: passes_ignored(&given),
        passes_hidden: !has(&given, &["H", "u", "hidden", "unrestricted"]),
        ..Selection::default()
    })
}

/// Options of `ag` with which it searches no more files than without.
const OF_AG: &str = "cHilLnQsSvw";

/// `ag` passes hidden files and, as far as it understands them, those of ignore files; the latter is not relied on.
pub(crate) fn ag(arguments: &[Word]) -> Option<Selection> {
    let texts: Vec<&str> = arguments.iter().map(Word::literal).collect::<Option<_>>()?;
    let is_known = |text: &str| match text.strip_prefix('-') {
        None => true,
        Some(long) if long.starts_with('-') => AG_NARROW.contains(&long),
        Some(letters) => {
            let number = letters.strip_prefix(['A', 'B', 'C']);
            let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
            number.is_some_and(is_number) || letters.chars().all(|letter| OF_AG.contains(letter))
        }
    };
    texts.into_iter().all(is_known).then(|| Selection {
        passes_hidden: true,
        ..Selection::default()
    })
}

/// `fd` that runs nothing and prints names below the directory in which it runs.
pub(crate) fn fd_lists_names(arguments: &[Word]) -> bool {
    let below = |word: &Word| {
        let text = word.literal().unwrap_or("/");
        !text.starts_with(['/', '~']) && !text.contains("..")
    };
    let plain = given_to_fd(arguments).is_some_and(|given| {
        !has(
            &given,
            &["a", "l", "absolute-path", "list-details", "color", "c"],
        )
    });
    plain && arguments.iter().all(below)
}

/// The forms of the last name of paths that a glob covers; `None` when that can be any.
fn last_names(glob: &str) -> Option<Vec<Form>> {
    let mut forms = Vec::new();
    for glob in alternatives(glob)? {
        let last = glob.rsplit('/').next().unwrap_or_default();
        if last.is_empty() || last == "**" {
            return None;
        }
        forms.push(Form::new(last)?);
    }
    Some(forms)
}

/// The files of a type.
fn of_type(name: &str) -> Option<Vec<Form>> {
    let is_named = |names: &str| names.split(' ').any(|own| own == name);
    let mut types = TYPES.iter().filter_map(|row| row.split_once(" | "));
    let (_, globs) = types.find(|(names, _)| is_named(names))?;
    globs.split(' ').map(Form::new).collect()
}
