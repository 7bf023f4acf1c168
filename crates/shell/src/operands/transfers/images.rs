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
            (Some(place), Some(_)) => add(OperandWord::value(place, &word), FileAccess::Write),
            (None, Some(text)) if text.contains('=') => {}
            _ => add(word.clone(), FileAccess::Write),
        }
    }
}

/// How a name of an image in a file or directory begins.
const PLACES: &[&str] = &["dir:", "docker-archive:", "oci:", "oci-archive:"];

/// Images in files and directories of this machine: the last of several operands is where one goes.
pub(super) fn in_places<'w>(operands: &[&'w Word], files: &mut FileOperands<'w>) {
    for (place, word) in operands.iter().enumerate() {
        let text = word.literal().unwrap_or_default();
        let Some(behind) = PLACES.iter().find_map(|start| text.strip_prefix(start)) else {
            continue;
        };
        // A directory has no name of an image behind it.
        let path = match text.starts_with("dir:") {
            true => behind,
            false => behind.split(':').next().unwrap_or_default(),
        };
        let access = match place > 0 && place + 1 == operands.len() {
            true => FileAccess::Write,
            false => FileAccess::Read,
        };
        let file = FileOperand::new(OperandWord::value(path, word), access);
        // It is made itself, wherever it is: no container is given it.
        files.extend((access == FileAccess::Write).then(|| file.clone()));
        files.push(file.reaching(AccessScope::Below));
    }
}

/// The directory that is the root of a container: `podman run --rootfs DIRECTORY[:O] command`. An operand before it may be the value of
/// an option that is not known.
pub(super) fn roots<'w>(operands: &[&'w Word], is_unsure: bool, files: &mut FileOperands<'w>) {
    let is_path = |word: &&&Word| word.prefix().starts_with(['/', '.', '~']);
    let first = operands.first().into_iter();
    let others = operands.iter().skip(1).filter(is_path);
    for word in first.chain(others.take(usize::from(is_unsure))) {
        let path = match word.literal().and_then(|text| text.split_once(':')) {
            Some((path, _)) => OperandWord::value(path, word),
            None => OperandWord::Argument(word),
        };
        for access in [FileAccess::Read, FileAccess::Write] {
            let used = FileOperand::new(path.clone(), access);
            files.push(used.reaching(AccessScope::Mounted));
        }
    }
}
