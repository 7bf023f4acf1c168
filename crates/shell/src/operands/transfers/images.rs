//! What goes into an image: `docker build FOLDER`.

use super::super::projects::{BUILD, is_no_folder};
use super::super::{FileAccess, FileOperand, FileOperands, OperandWord, Reach};
use crate::Word;

/// The files of `docker build`: its context with everything below it, its instructions, and where its output goes.
pub(super) fn add<'w>(arguments: &'w [Word], files: &mut FileOperands<'w>) {
    let split = BUILD.split(arguments);
    let mut add = |word: OperandWord<'w>, access| {
        files.push(FileOperand::new(word, access).reaching(Reach::Below));
    };
    for word in split.operands.iter().filter(|word| !is_no_folder(word)) {
        add(OperandWord::Argument(word), FileAccess::Read);
    }
    for word in split.values(&["build-context"]) {
        add(super::behind_name(word), FileAccess::Read);
    }
    for word in split.values(BUILD.read_options) {
        add(word.clone(), FileAccess::Read);
    }
    for word in split.values(&["o", "output"]) {
        let text = word.prefix();
        let place = text
            .split(',')
            .find_map(|setting| setting.strip_prefix("dest="));
        match (place, word.literal()) {
            (Some(place), Some(_)) => add(OperandWord::value(place, word), FileAccess::Write),
            (None, Some(text)) if text.contains('=') => {}
            _ => add(word.clone(), FileAccess::Write),
        }
    }
}
