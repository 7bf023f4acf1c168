//! What goes into an image: `docker build DIRECTORY`.

use super::super::arguments::Lenient;
use super::super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::super::projects::is_no_directory;
use crate::word::Word;

/// The files of `docker build`, beside those of its options: its context with everything below it, and where its output goes.
pub(super) fn add<'w>(split: &Lenient<'w>, operands: &[&'w Word], files: &mut FileOperands<'w>) {
    let mut add = |word: OperandWord<'w>, access| {
        // The directory itself is made, wherever it is: no container is given it.
        if access == FileAccess::Write {
            files.push(FileOperand::new(word.clone(), access));
        }
        files.push(FileOperand::new(word, access).reaching(AccessScope::Below));
    };
    for word in operands.iter().filter(|word| !is_no_directory(word)) {
        add(OperandWord::Argument(word), FileAccess::Read);
    }
    for word in split.values(&["o", "output", "cache-to"]) {
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
