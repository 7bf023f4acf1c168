//! Files that sub-commands of git write, and those that they read beside what git keeps.

use super::arguments::Lenient;
use super::table::{PLAIN, Spec};
use super::{FileAccess, FileOperand, FileOperands, OperandWord, file};
use crate::Word;

/// A sub-command with the options that name files. All take `--output` that compare or show.
const SUB_COMMANDS: &[Spec] = &[
    Spec {
        names: &["archive"],
        write_options: &["o", "output"],
        long_values: &["format", "prefix", "remote", "exec", "mtime"],
        read_options: &["add-file"],
        ..PLAIN
    },
    Spec {
        names: &["format-patch"],
        write_options: &["o", "output-directory", "output"],
        values: "vn",
        ..PLAIN
    },
    Spec {
        names: &["bugreport", "diagnose"],
        write_options: &["o", "output-directory"],
        values: "s",
        ..PLAIN
    },
    Spec {
        names: &["grep"],
        values: "eABCmO",
        read_options: &["f"],
        long_values: &[
            "max-count",
            "max-depth",
            "threads",
            "context",
            "parent-basename",
        ],
        ..PLAIN
    },
    Spec {
        names: &["commit", "tag", "notes"],
        read_options: &["F", "file", "t", "template", "pathspec-from-file"],
        values: "mCcu",
        long_values: &["message", "author", "date", "trailer", "reuse-message"],
        long_flags: &["fixup", "squash"],
        ..PLAIN
    },
    Spec {
        names: &["clone"],
        values: "objcu",
        long_values: &[
            "origin",
            "branch",
            "depth",
            "config",
            "upload-pack",
            "reference",
            "jobs",
            "filter",
            "shallow-since",
            "shallow-exclude",
            "server-option",
            "bundle-uri",
            "revision",
        ],
        read_options: &["template"],
        write_options: &["separate-git-dir"],
        long_flags: &["recurse-submodules", "sparse", "single-branch"],
        ..PLAIN
    },
    Spec {
        names: &["init"],
        values: "b",
        long_values: &["initial-branch", "object-format"],
        read_options: &["template"],
        write_options: &["separate-git-dir"],
        ..PLAIN
    },
    Spec {
        names: &["clean"],
        values: "e",
        long_values: &["exclude"],
        long_flags: &["dry-run"],
        ..PLAIN
    },
    Spec {
        names: &["worktree"],
        values: "bB",
        long_values: &["reason"],
        ..PLAIN
    },
    Spec {
        names: &["submodule"],
        values: "b",
        long_values: &["branch", "name", "reference", "depth", "jobs"],
        ..PLAIN
    },
    Spec {
        names: &["checkout", "restore", "switch"],
        values: "bBcCs",
        long_values: &["orphan", "source", "conflict"],
        read_options: &["pathspec-from-file"],
        ..PLAIN
    },
];

/// The files of `git` with these arguments, the sub-command first.
pub(super) fn files(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let Some((command, rest)) = arguments.split_first() else {
        return files;
    };
    let Some(name) = command.literal() else {
        return files;
    };
    let spec = SUB_COMMANDS.iter().find(|spec| spec.names.contains(&name));
    let output = Spec {
        write_options: &["output"],
        ..PLAIN
    };
    let spec = spec.unwrap_or(&output);
    let split = spec.split(rest);
    for (option, value) in &split.options {
        let Some(word) = value else { continue };
        let mut add = |access| {
            let word = word.clone();
            files.push(FileOperand { word, access });
        };
        if spec.write_options.contains(option) {
            add(FileAccess::Write);
        }
        if spec.read_options.contains(option) {
            add(FileAccess::Read);
        }
    }
    let behind = rest
        .iter()
        .position(|word| word.literal() == Some("--"))
        .and_then(|place| rest.get(place + 1..));
    operands(name, &split, behind, &mut files);
    files
}

fn operands<'w>(
    name: &str,
    split: &Lenient<'w>,
    behind: Option<&'w [Word]>,
    files: &mut FileOperands<'w>,
) {
    let words = split.operands.as_slice();
    let mut all = |words: &[&'w Word], access| {
        files.extend(words.iter().map(|word| file(word, access)));
    };
    let verb = words.first().and_then(|word| word.literal());
    let later = words.get(1..).unwrap_or_default();
    match (name, verb) {
        ("bundle", Some("create")) => all(later.get(..1).unwrap_or_default(), FileAccess::Write),
        ("mv", _) => {
            let (target, sources) = words
                .split_last()
                .map_or((&[][..], &[][..]), |(_, sources)| {
                    (words.get(sources.len()..).unwrap_or_default(), sources)
                });
            all(sources, FileAccess::Read);
            all(sources, FileAccess::Delete);
            all(target, FileAccess::Write);
        }
        ("clean", _) if split.has(&["n", "dry-run"]) => {}
        ("clean", _) => all(words, FileAccess::Delete),
        ("rm", _) if !split.has(&["cached"]) => all(words, FileAccess::Delete),
        ("clone", _) if later.is_empty() => files.extend(cloned(words)),
        ("clone", _) => all(later, FileAccess::Write),
        ("init", _) => all(words, FileAccess::Write),
        ("worktree", Some("add")) => all(later.get(..1).unwrap_or_default(), FileAccess::Write),
        ("worktree", Some("move")) => all(later, FileAccess::Write),
        ("submodule", Some("add")) => all(later.get(1..).unwrap_or_default(), FileAccess::Write),
        ("restore", _) if split.has(&["S", "staged"]) && !split.has(&["W", "worktree"]) => {}
        ("restore", _) => all(words, FileAccess::Write),
        ("checkout", _) => {
            files.extend(
                behind
                    .into_iter()
                    .flatten()
                    .map(|word| file(word, FileAccess::Write)),
            );
        }
        ("diff", _) if split.has(&["no-index"]) => all(words, FileAccess::Read),
        ("grep", _) => searched(split, behind, files),
        _ => {}
    }
}

/// What `git grep` looks through: everything, or the paths behind `--` or behind the pattern.
fn searched<'w>(split: &Lenient<'w>, behind: Option<&'w [Word]>, files: &mut FileOperands<'w>) {
    let paths: Vec<&Word> = match behind {
        Some(paths) => paths.iter().collect(),
        None => {
            let given = split.has(&["e", "f"]);
            split
                .operands
                .iter()
                .skip(usize::from(!given))
                .copied()
                .collect()
        }
    };
    // A path with a leading colon has a meaning of its own.
    let plain = |word: &&&Word| !word.prefix().starts_with(':');
    if paths.iter().all(|word| plain(&word)) {
        files.extend(paths.iter().map(|word| file(word, FileAccess::Read)));
    }
}

/// The folder that `git clone` makes of the last name of what it clones.
fn cloned<'w>(words: &[&'w Word]) -> Option<FileOperand<'w>> {
    let word = words.first()?;
    let text = word.literal()?.trim_end_matches('/');
    let text = text.strip_suffix("/.git").unwrap_or(text);
    let name = text.rsplit(['/', ':']).next()?;
    let name = name
        .strip_suffix(".git")
        .filter(|name| !name.is_empty())
        .unwrap_or(name);
    Some(FileOperand {
        word: OperandWord::value(name, word),
        access: FileAccess::Write,
    })
}
