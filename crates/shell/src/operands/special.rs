//! Programs whose arguments follow no grammar that a row of a table could describe.

use std::sync::LazyLock;

use hashbrown::HashMap;
use tenon_programs::words::find::BETWEEN;
use tenon_programs::{Argument, Effects, Opt, Value};

use super::arguments::{attached, split_of, unknown_file};
use super::fetching::path_of_file_url;
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::table::file;
use crate::unwrap::clients::sqlite_operands;
use crate::unwrap::module_of_arguments;
use crate::word::Word;

/// `dd if=… of=…`
pub(super) fn key_values(arguments: &[Word]) -> FileOperands<'_> {
    arguments
        .iter()
        .filter_map(|word| {
            let text = word.known_start();
            let (key, _) = text.split_once('=')?;
            let access = match key {
                "if" => FileAccess::Read,
                "of" => FileAccess::Write,
                _ => return None,
            };
            let value = attached(word, text, key.len() + 1);
            Some(FileOperand::new(value, access))
        })
        .collect()
}

/// Whether `bfs` takes a root behind this word of an expression, as it has no value.
fn has_no_value(text: &str) -> bool {
    let option = || text.strip_prefix('-').and_then(find_option);
    BETWEEN.contains(&text) || option().is_some_and(|option| option.value == Value::None)
}

static FIND_OPTIONS: LazyLock<HashMap<&'static str, &'static Opt>> = LazyLock::new(|| {
    let find = tenon_programs::find("find").into_iter();
    let options = find.flat_map(|find| find.options);
    options.map(|option| (option.name, option)).collect()
});

/// A test or an action of `find`, without its dash.
#[must_use]
pub fn find_option(name: &str) -> Option<&'static Opt> {
    FIND_OPTIONS.get(name).copied()
}

/// Where `find` starts: in front, for `bfs` also between the tests; in the working directory where nothing is named.
fn roots(arguments: &[Word]) -> Vec<OperandWord<'_>> {
    let is_expression = |word: &Word| word.prefix().starts_with(['-', '(', '!', ')', ',']);
    let mut found = Vec::new();
    let mut takes_root = true;
    for word in arguments {
        if is_expression(word) {
            let text = word.prefix();
            takes_root = text.starts_with("-O") || has_no_value(&text);
        } else if takes_root {
            found.push(OperandWord::Argument(word));
        } else {
            // It is the value of the test before it.
            takes_root = false;
        }
    }
    match arguments.first() {
        Some(first) if found.is_empty() => vec![OperandWord::value(".", first)],
        _ => found,
    }
}

/// The roots of `find`, which `-delete` removes, and the files of `-fprint` and its relatives.
pub(super) fn find(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let mut words = arguments.iter();
    let roots = roots(arguments);
    files.extend(roots.iter().map(|root| FileOperand::read(root.clone())));
    let mut deletes = false;
    let may_follow = |word: &Word| {
        word.is_opaque() || matches!(&*word.prefix(), "-H" | "-L" | "-follow" | "-files0-from")
    };
    let reach = match arguments.iter().any(may_follow) {
        true => AccessScope::Named,
        false => AccessScope::Entry,
    };
    while let Some(word) = words.next() {
        match word.literal() {
            // Said twice it deletes the same.
            Some("-delete" | "-rm") if deletes => {}
            Some("-delete" | "-rm") => {
                deletes = true;
                let roots = roots.iter().cloned();
                let removed = roots.map(FileOperand::deleted);
                files.extend(removed.map(|file| file.reaching(reach)));
            }
            Some("-files0-from") => {
                let list = words.next();
                files.extend(list.map(|list| file(list, FileAccess::Read)));
                files.extend(list.map(|list| unknown_file(list.span, FileAccess::Read)));
            }
            Some(text) => {
                let option = text.strip_prefix('-').and_then(find_option);
                let effects = option.map_or(Effects::NONE, |option| option.effects);
                let access = match () {
                    () if effects.has(Effects::WRITE) => FileAccess::Write,
                    () if effects.has(Effects::READ) => FileAccess::Read,
                    () => continue,
                };
                files.extend(words.next().map(|target| file(target, access)));
            }
            None => {}
        }
    }
    files
}

/// The database of sqlite3 and its like, which statements may write that do not only look.
pub(super) fn database(arguments: &[Word]) -> FileOperands<'_> {
    let mut operands = sqlite_operands(arguments);
    let Some(database) = operands.next() else {
        return FileOperands::new();
    };
    let mut files = FileOperands::new();
    let by_address = database.literal().and_then(|text| {
        let address = text.split('?').next().unwrap_or_default();
        path_of_file_url(address)
    });
    let of = |access| match &by_address {
        Some(path) => FileOperand::new(OperandWord::value(path, database), access),
        None => file(database, access),
    };
    files.push(of(FileAccess::Read));
    let mut statements = operands.chain(given_queries(arguments)).peekable();
    let reads_only = |word: &Word| matches!(word.literal(), Some("-readonly" | "--readonly"));
    let looks = statements.peek().is_some() && statements.all(only_looks);
    if !looks && !arguments.iter().any(reads_only) {
        files.push(of(FileAccess::Write));
    }
    files
}

/// The queries that options of DuckDB give.
fn given_queries(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    let given = pairs.filter(|(option, _)| matches!(option.literal(), Some("-c" | "-s")));
    given.map(|(_, query)| query)
}

/// Whether these statements and commands of sqlite3 change nothing.
fn only_looks(statements: &Word) -> bool {
    let looks = |statement: &str| {
        let statement = statement.trim().to_ascii_lowercase();
        let first = statement.split_whitespace().next().unwrap_or_default();
        match first {
            "pragma" => !statement.contains('='),
            "" | "select" | "explain" | "describe" | "from" | "show" | "summarize"
            | ".databases" | ".dbinfo" | ".dump" | ".headers" | ".indexes" | ".mode"
            | ".schema" | ".tables" | ".timeout" | ".width" => true,
            _ => false,
        }
    };
    let text = statements.literal();
    text.is_some_and(|text| text.split([';', '\n']).all(looks))
}

/// The files that queries among the arguments write.
pub(super) fn of_queries<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    for word in arguments {
        let written = super::queries::outputs(&word.prefix()).files;
        let written = written.iter().map(|name| OperandWord::value(name, word));
        files.extend(written.map(FileOperand::written));
    }
}

/// Pairs of what is read and what is written: `sass a.scss:a.css`.
pub(super) fn pairs(files: &mut FileOperands<'_>) {
    let mut parts = FileOperands::new();
    for file in files.iter() {
        let text = file.word.known_start();
        let Some(place) = text.find(':') else {
            continue;
        };
        let source = OperandWord::value(text.get(..place).unwrap_or_default(), &file.word);
        let target = attached(&file.word, text, place + 1);
        parts.push(FileOperand::read(source));
        parts.push(FileOperand::written(target));
    }
    files.extend(parts);
}

/// Images that are named behind their format: `png:../x`.
pub(super) fn images(files: &mut FileOperands<'_>) {
    let behind_format = |file: &FileOperand<'_>| {
        let text = file.word.known_start();
        let (format, _) = text.split_once(':')?;
        let is_format =
            !format.is_empty() && format.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let word = attached(&file.word, text, format.len() + 1);
        is_format.then(|| FileOperand::new(word, file.access))
    };
    let named: FileOperands<'_> = files.iter().filter_map(behind_format).collect();
    files.extend(named);
}

/// Signs between the names of files in an argument of ffmpeg: those of protocols, filters and outputs of `tee`.
const SIGNS: &[char] = &['[', ']', '|', ',', ';', ':', '=', '\'', '"', '\\'];

/// Options of filters of ffmpeg whose value is a file that they write: `psnr=stats_file=x`, `ametadata=print:file=x`.
const FILTER_OUTPUTS: &[&str] = &["f", "file", "log_path", "result", "stats_file"];

/// The files that stand between signs: `concat:a|b`, `[f=mp4]a|b`, `subtitles=a`. Lists of names that are not kept to the directory
/// (`-safe 0`) can name any.
pub(super) fn streams<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let between_signs = |file: &FileOperand<'w>| {
        let text = file.word.prefix().into_owned();
        let (mut before, mut is_value) = ("", false);
        let mut found = Vec::new();
        let pieces = text.split_inclusive(SIGNS).map(|piece| {
            let plain = piece.trim_end_matches(SIGNS);
            (plain, piece.ends_with('='))
        });
        for (piece, has_value) in pieces.filter(|(piece, _)| piece.len() < text.len()) {
            // What follows the scheme of another protocol is a host.
            let is_host = piece.starts_with("//") && !before.eq_ignore_ascii_case("file");
            if piece.contains(['/', '.']) && !is_host {
                let writes = is_value && FILTER_OUTPUTS.contains(&before);
                let access = if writes {
                    FileAccess::Write
                } else {
                    file.access
                };
                let word = OperandWord::value(piece, &file.word);
                found.push(FileOperand::new(word, access));
            }
            (before, is_value) = (piece, has_value);
        }
        found
    };
    let named: Vec<FileOperand<'w>> = files.iter().flat_map(between_signs).collect();
    files.extend(named);
    let split = split_of("ffmpeg", arguments);
    let unsafe_list = split
        .values(&["safe"])
        .find(|value| value.literal() != Some("1"));
    files.extend(unsafe_list.map(|value| unknown_file(value.span, FileAccess::Read)));
}

/// The modules that a program for `jq` imports.
pub(super) fn modules<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    for word in arguments {
        let text = word.prefix();
        let imports = ["import", "include"].iter().any(|name| {
            text.split_once(name)
                .is_some_and(|(_, behind)| behind.trim_start().starts_with('"'))
        });
        if imports {
            files.push(unknown_file(word.span, FileAccess::Read));
        }
    }
}

/// The files of `yq -s EXPRESSION`, as far as texts in an expression say that they lie in another directory.
pub(super) fn split_names<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let split = split_of("yq", arguments);
    if !split.has(&["s", "split-exp"]) {
        return;
    }
    // Another `yq` takes `-s` without a value, so that it is not known which word is the expression.
    for word in arguments {
        let text = word.literal().unwrap_or_default();
        let texts = text.split('"').skip(1).step_by(2);
        let leading = texts.filter(|text| text.contains('/') || text.contains(".."));
        let written = leading.map(|text| OperandWord::value(text, word));
        files.extend(written.map(FileOperand::written));
    }
}

/// The configuration that `npm config set` and its like write.
pub(super) fn configuration<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    let written = match name {
        "npm" | "pnpm" => ".npmrc",
        "yarn" => ".yarnrc.yml",
        "pip" => "pip.conf",
        _ => ".bundle/config",
    };
    let plain: Vec<(&str, &Word)> = arguments
        .iter()
        .filter_map(|word| Some((word.literal()?, word)))
        .filter(|(text, _)| !text.starts_with('-'))
        .collect();
    let writes = |action: &str| {
        [
            "set", "unset", "edit", "delete", "rm", "del", "fix", "local", "global",
        ]
        .contains(&action)
            || action.contains('=')
    };
    let mut found = plain.windows(2).filter_map(|pair| match pair {
        [(config, _), (action, word)] => {
            let is_config = !config.is_empty() && "config".starts_with(config);
            (is_config && writes(action)).then_some(*word)
        }
        _ => None,
    });
    let short = plain
        .first()
        .filter(|(text, _)| *text == "set" && matches!(name, "npm" | "pnpm") && plain.len() > 1);
    // `bundle config name value` sets, too.
    let looks = |(action, _): &(&str, &Word)| matches!(*action, "get" | "list");
    let bundle = plain
        .first()
        .filter(|(text, _)| *text == "config" && name.starts_with("bundle") && plain.len() > 2)
        .filter(|_| !plain.get(1).is_some_and(looks));
    let found = found
        .next()
        .or_else(|| short.or(bundle).map(|(_, word)| *word));
    found
        .map(|word| FileOperand::written(OperandWord::value(written, word)))
        .into_iter()
        .collect()
}

/// Files that modules of Python's own write which run a script besides: `python -m cProfile -o FILE`. Modules that are programs of
/// the catalogue have rows of their own.
pub(super) fn python_modules<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let Some((module, behind)) = module_of_arguments(arguments) else {
        return;
    };
    let own = arguments.get(behind..).unwrap_or_default();
    if matches!(module.literal(), Some("cProfile" | "profile")) {
        let option = own.iter().position(|word| word.literal() == Some("-o"));
        let written = option.and_then(|place| own.get(place + 1));
        files.extend(written.map(|word| file(word, FileAccess::Write)));
    }
}
