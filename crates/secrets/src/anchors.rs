//! Many short texts that are looked for at once: what secrets begin with, and how their names are written.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Up to so much text is compared place by place: making the automaton takes longer than that, and a first call waits for it.
const PLAIN_BYTES: usize = 4096;
/// From so much text on it is worth to make the automaton that takes longer to make, and less for each byte.
const LONG_BYTES: usize = 4 * 1024 * 1024;

/// A text that is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) text: &'static str,
    /// Whether it may be written with other cases.
    pub(crate) any_case: bool,
}

/// Texts, and what finds them.
pub(crate) struct Anchors {
    texts: Vec<Anchor>,
    /// The numbers of the texts that begin with this byte.
    by_first: Vec<Vec<usize>>,
    /// How much was looked through without the second automaton.
    looked: AtomicUsize,
    automaton: OnceLock<Option<AhoCorasick>>,
    quick_automaton: OnceLock<Option<AhoCorasick>>,
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
    pub(crate) fn new(texts: Vec<Anchor>) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for (index, Anchor { text, any_case }) in texts.iter().enumerate() {
            let Some(&first) = text.as_bytes().first() else {
                continue;
            };
            let mut forms = vec![first];
            if *any_case {
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
            by_first,
            looked: AtomicUsize::new(0),
            automaton: OnceLock::new(),
            quick_automaton: OnceLock::new(),
        }
    }

    /// All places, those that overlap too, by their ends; of those with one end the longest first.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit> {
        let looked = self.looked.load(Ordering::Relaxed);
        let looked = looked.saturating_add(text.len()).min(LONG_BYTES);
        // Calls at the same time may count less, which does not matter.
        self.looked.store(looked, Ordering::Relaxed);
        match looked {
            0..=PLAIN_BYTES => self.compared(text),
            LONG_BYTES => self.searched(text, &self.quick_automaton, AhoCorasickKind::DFA),
            _ => self.searched(text, &self.automaton, AhoCorasickKind::ContiguousNFA),
        }
    }

    fn compared(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        for (start, byte) in bytes.iter().enumerate() {
            for &index in self.by_first.get(usize::from(*byte)).into_iter().flatten() {
                let length = self.texts.get(index).map_or(0, |anchor| anchor.text.len());
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
            if anchor.any_case {
                anchor.text.as_bytes().eq_ignore_ascii_case(there)
            } else {
                anchor.text.as_bytes() == there
            }
        })
    }

    fn searched(
        &self,
        text: &str,
        automaton: &OnceLock<Option<AhoCorasick>>,
        kind: AhoCorasickKind,
    ) -> Vec<Hit> {
        let automaton = automaton.get_or_init(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind(Some(kind))
                .build(self.texts.iter().map(|anchor| anchor.text))
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
            .filter(|hit| {
                let there = text.as_bytes().get(hit.start..hit.end);
                there.is_some_and(|there| self.is(hit.index, there))
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
        let anchors = Anchors::new(vec![Anchor {
            text: "sk-",
            any_case: false,
        }]);
        assert_eq!(anchors.hits("a sk-b").len(), 1);
        assert!(anchors.automaton.get().is_none());
        assert_eq!(anchors.hits(&"sk-".repeat(PLAIN_BYTES)).len(), PLAIN_BYTES);
        assert!(anchors.automaton.get().is_some());
        assert_eq!(anchors.hits("a sk-b").len(), 1);
        assert!(anchors.quick_automaton.get().is_none());
        assert_eq!(anchors.hits(&"sk-".repeat(LONG_BYTES)).len(), LONG_BYTES);
        assert!(anchors.quick_automaton.get().is_some());
        assert_eq!(anchors.hits("a sk-b").len(), 1);
    }

    proptest! {
        #[test]
        fn all_ways_find_the_same_in_the_same_order(text in "[abcABC-]{0,60}", cases in any::<[bool; 10]>()) {
            let texts = ["a", "ab", "bA", "b", "abc", "c-", "bc-a", "ca", "ab", "-"];
            let texts = texts.iter().zip(cases).map(|(text, any_case)| Anchor { text, any_case });
            let anchors = Anchors::new(texts.collect());
            let automaton = OnceLock::new();
            let found = anchors.searched(&text, &automaton, AhoCorasickKind::ContiguousNFA);
            prop_assert_eq!(&found, &anchors.compared(&text));
            let automaton = OnceLock::new();
            prop_assert_eq!(found, anchors.searched(&text, &automaton, AhoCorasickKind::DFA));
        }
    }
}
