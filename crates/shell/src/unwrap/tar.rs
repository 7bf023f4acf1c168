//! What tar runs beside its options with a dash.

use crate::operands::tar_archives;
use crate::span::Span;
use crate::word::Word;

/// Letters of tar without a dash (`tar cfI a.tar ./x`), which mean the same, and archives of another machine
/// (`host:file`), which it reaches by another program.
pub(super) fn find(words: &[Word]) -> Option<Span> {
    let is_cluster = |word: &&Word| !word.prefix().starts_with('-');
    let runs = |word: &&Word| {
        word.literal()
            .is_none_or(|letters| letters.contains(['I', 'F']))
    };
    let old_letters = words.first().filter(is_cluster).filter(runs);
    let is_local = words
        .iter()
        .any(|word| word.literal() == Some("--force-local"));
    if is_local || old_letters.is_some() {
        return old_letters.map(|word| word.span);
    }
    let archives = tar_archives(words);
    let remote = archives.iter().find(|archive| is_elsewhere(archive));
    remote.map(|archive| archive.span)
}

/// Whether the name of an archive has a colon, and no slash before it.
fn is_elsewhere(archive: &Word) -> bool {
    let text = archive.prefix();
    let machine = text.split_once(':').map_or("", |(machine, _)| machine);
    !machine.is_empty() && !machine.contains('/')
}
