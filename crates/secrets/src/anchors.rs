//! Many short texts that are looked for at once: what secrets begin with, and how their names are written.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;

/// Up to so much text is compared place by place: making the automaton takes longer than that, and a first call waits for it.
const PLAIN_BYTES: usize = 4096;

/// Texts, and what finds them.
pub(crate) struct Anchors {
    texts: Vec<&'static str>,
    any_case: bool,
    /// The numbers of the texts that begin with this byte.
    by_first: Vec<Vec<usize>>,
    /// How much was looked through without the automaton.
    looked: AtomicUsize,
    automaton: OnceLock<Option<AhoCorasick>>,
}

/// A place where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Which text it is.
    pub(crate) index: usize,
}

impl Anchors {
    /// None of the texts is empty.
    pub(crate) fn new(texts: Vec<&'static str>, any_case: bool) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for (index, text) in texts.iter().enumerate() {
            let Some(&first) = text.as_bytes().first() else {
                continue;
            };
            let mut forms = vec![first];
            if any_case {
                forms = vec![first.to_ascii_lowercase(), first.to_ascii_uppercase()];
                forms.dedup();
            }
            for form in forms {
                if let Some(of_form) = by_first.get_mut(usize::from(form)) {
                    of_form.push(index);
                }
            }
        }
        Self {
            texts,
            any_case,
            by_first,
            looked: AtomicUsize::new(0),
            automaton: OnceLock::new(),
        }
    }

    /// All places, those that overlap too, by their ends; of those with one end the longest first.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit> {
        let looked = self.looked.fetch_add(text.len(), Ordering::Relaxed);
        if looked.saturating_add(text.len()) <= PLAIN_BYTES {
            return self.compared(text);
        }
        // It only has to be more than the bound.
        self.looked.store(PLAIN_BYTES, Ordering::Relaxed);
        self.searched(text)
    }

    fn compared(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        for (start, byte) in bytes.iter().enumerate() {
            for &index in self.by_first.get(usize::from(*byte)).into_iter().flatten() {
                let length = self.texts.get(index).map_or(0, |anchor| anchor.len());
                let end = start + length;
                if bytes
                    .get(start..end)
                    .is_some_and(|there| self.is(index, there))
                {
                    hits.push(Hit { start, end, index });
                }
            }
        }
        hits.sort_unstable_by_key(|hit| (hit.end, hit.start, hit.index));
        hits
    }

    fn is(&self, index: usize, there: &[u8]) -> bool {
        self.texts.get(index).is_some_and(|anchor| {
            if self.any_case {
                anchor.as_bytes().eq_ignore_ascii_case(there)
            } else {
                anchor.as_bytes() == there
            }
        })
    }

    fn searched(&self, text: &str) -> Vec<Hit> {
        let automaton = self.automaton.get_or_init(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(self.any_case)
                .build(&self.texts)
                .ok()
        });
        let Some(automaton) = automaton else {
            return self.compared(text);
        };
        automaton
            .find_overlapping_iter(text)
            .map(|hit| Hit {
                start: hit.start(),
                end: hit.end(),
                index: hit.pattern().as_usize(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_automaton_is_made_when_there_is_much_text() {
        let anchors = Anchors::new(vec!["sk-"], false);
        assert_eq!(anchors.hits("a sk-b").len(), 1);
        assert!(anchors.automaton.get().is_none());
        assert_eq!(anchors.hits(&"sk-".repeat(PLAIN_BYTES)).len(), PLAIN_BYTES);
        assert!(anchors.automaton.get().is_some());
        assert_eq!(anchors.hits("a sk-b").len(), 1);
    }

    proptest! {
        #[test]
        fn both_ways_find_the_same_in_the_same_order(text in "[abcABC-]{0,60}", any_case: bool) {
            let texts = vec!["a", "ab", "bA", "b", "abc", "c-", "bc-a", "ca", "ab", "-"];
            let anchors = Anchors::new(texts, any_case);
            prop_assert_eq!(anchors.compared(&text), anchors.searched(&text));
        }
    }
}
