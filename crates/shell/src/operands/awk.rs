//! Files that an awk program reads by itself.

use super::arguments::unknown_file;
use super::file::{FileAccess, FileOperand, FileOperands, OperandWord};
use crate::word::Word;

/// Adds what `getline < file` reads, wherever the program stands among the arguments.
pub(super) fn reads<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    for word in arguments {
        let text = word.prefix();
        // The list of files can be changed, and a file of code included.
        if text.contains("ARGV") || text.contains("@include") || text.contains("@load") {
            files.push(unknown_file(word.span, FileAccess::Read));
        }
        let mut rest = &*text;
        // Of several on one statement the mark is looked for once.
        let mut statement = text.len() + 1;
        while let Some(place) = rest.find("getline") {
            rest = rest.get(place + "getline".len()..).unwrap_or_default();
            if rest.len() >= statement {
                continue;
            }
            // The variable behind it can be an element with any expression in brackets.
            let end = rest.find(['\n', ';', '}']).unwrap_or(rest.len());
            let mark = rest.get(..end).and_then(|near| near.find('<'));
            statement = rest.len() - mark.unwrap_or(end);
            let Some(mark) = mark else {
                continue;
            };
            let name = rest.get(mark + 1..).unwrap_or_default();
            files.push(match literal(name) {
                Some(name) => FileOperand::read(OperandWord::value(name, word)),
                None => unknown_file(word.span, FileAccess::Read),
            });
        }
    }
}

/// A text in quotes with nothing that could continue behind it.
fn literal(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let (name, behind) = text.split_once('"')?;
    let behind = behind.trim_start_matches([' ', '\t']);
    let ends = behind.is_empty() || behind.starts_with([')', ';', '}', '\n', '>', '=', '<', '#']);
    (ends && !name.contains('\\')).then_some(name)
}
