//! What tar runs beside its options with a dash.

use crate::{Span, Word};

/// Letters of tar without a dash (`tar cfI a.tar ./x`), which mean the same, and archives of another machine
/// (`host:file`), which it reaches by another program.
pub(super) fn find(words: &[Word]) -> Option<Span> {
    let is_cluster = |word: &&Word| !word.prefix().starts_with('-');
    let runs = |word: &&Word| {
        word.literal()
            .is_none_or(|letters| letters.contains(['I', 'F']))
    };
    let old_letters = words.first().filter(is_cluster).filter(runs);
    let elsewhere = |word: &&Word| {
        let text = word.prefix();
        let text = text.strip_prefix("--file=").unwrap_or(&text);
        let machine = text.split_once(':').map_or("", |(machine, _)| machine);
        !machine.is_empty() && !machine.contains(['/', '=']) && !text.starts_with("--")
    };
    let is_local = words
        .iter()
        .any(|word| word.literal() == Some("--force-local"));
    let remote = words.iter().find(elsewhere).filter(|_| !is_local);
    old_letters.or(remote).map(|word| word.span)
}
