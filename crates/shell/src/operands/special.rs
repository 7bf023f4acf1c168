//! Programs whose arguments follow no grammar that a row of a table could tell.

use super::arguments::unknown_file;
use super::{FileAccess, FileOperand, FileOperands, OperandWord, file};
use crate::Word;

/// `dd if=… of=…`
pub(super) fn key_values(arguments: &[Word]) -> FileOperands<'_> {
    arguments
        .iter()
        .filter_map(|word| {
            let prefix = word.prefix();
            let (key, _) = prefix.split_once('=')?;
            let access = match key {
                "if" => FileAccess::Read,
                "of" => FileAccess::Write,
                _ => return None,
            };
            let value = word
                .literal()
                .and_then(|text| text.split_once('='))
                .map(|(_, value)| value);
            let word = match value {
                Some(value) => OperandWord::value(value, word),
                None => OperandWord::Argument(word),
            };
            Some(FileOperand { word, access })
        })
        .collect()
}

/// The roots of `find`, which `-delete` removes, and the files of `-fprint` and its relatives.
pub(super) fn find(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let is_expression = |word: &Word| word.prefix().starts_with(['-', '(', '!', ')', ',']);
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next_if(|word| matches!(word.literal(), Some("-H" | "-L" | "-P")))
    {
        let _link_option = word;
    }
    let mut roots = Vec::new();
    while let Some(root) = words.next_if(|word| !is_expression(word)) {
        roots.push(root);
    }
    files.extend(roots.iter().map(|root| file(root, FileAccess::Read)));
    while let Some(word) = words.next() {
        match word.literal() {
            Some("-delete") => {
                files.extend(roots.iter().map(|root| file(root, FileAccess::Delete)))
            }
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => {
                files.extend(words.next().map(|target| file(target, FileAccess::Write)));
            }
            Some("-newer" | "-anewer" | "-cnewer" | "-samefile") => {
                files.extend(words.next().map(|target| file(target, FileAccess::Read)));
            }
            Some("-files0-from") => {
                let list = words.next();
                files.extend(list.map(|list| file(list, FileAccess::Read)));
                files.extend(list.map(|list| unknown_file(list.span, FileAccess::Read)));
            }
            _ => {}
        }
    }
    files
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

/// The configuration that `npm config set` and its like write.
pub(super) fn configuration<'w>(name: &str, arguments: &'w [Word]) -> FileOperands<'w> {
    let written = match name {
        "npm" | "pnpm" => ".npmrc",
        "yarn" => ".yarnrc.yml",
        "pip" | "pip3" => "pip.conf",
        _ => ".bundle/config",
    };
    let plain: Vec<(&str, &Word)> = arguments
        .iter()
        .filter_map(|word| Some((word.literal()?, word)))
        .filter(|(text, _)| !text.starts_with('-'))
        .collect();
    let writes = |verb: &str| {
        [
            "set", "unset", "edit", "delete", "rm", "del", "fix", "local", "global",
        ]
        .contains(&verb)
            || verb.contains('=')
    };
    let mut found = plain.windows(2).filter_map(|pair| match pair {
        [(config, _), (verb, word)] => {
            let is_config = !config.is_empty() && "config".starts_with(config);
            (is_config && writes(verb)).then_some(*word)
        }
        _ => None,
    });
    let short = plain
        .first()
        .filter(|(text, _)| *text == "set" && matches!(name, "npm" | "pnpm") && plain.len() > 1);
    // `bundle config name value` sets, too.
    let bundle = plain
        .first()
        .filter(|(text, _)| *text == "config" && name.starts_with("bundle") && plain.len() > 2);
    let found = found
        .next()
        .or_else(|| short.or(bundle).map(|(_, word)| *word));
    found
        .map(|word| FileOperand {
            word: OperandWord::value(written, word),
            access: FileAccess::Write,
        })
        .into_iter()
        .collect()
}
