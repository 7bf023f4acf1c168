//! Whether a text has another in any case, quickly.

use aho_corasick::Span;
use aho_corasick::packed::{self, Searcher};
use grep::matcher::Matcher;

use crate::matcher::LineMatcher;
use crate::{Case, Pattern};

/// Most bytes of the part that is looked for first: each may be a letter in two cases, and eight forms are looked for
/// at once.
const PART_BYTES: usize = 3;

/// Bytes by how often they stand in source code, roughly: the first ones most often.
const COMMON: &[u8] = b" etaoirnslcdpumfgh_.()-x,bv;kw0\"/1:=yTSCq2jzEARI{}";

/// Looks for a plain text without regard to case.
#[derive(Debug)]
pub(crate) enum AnyCase {
    /// An ASCII text: by the rarest part of it, in all its forms at once.
    Ascii {
        text: Vec<u8>,
        part: Searcher,
        /// Where the part lies in the text.
        at: usize,
    },
    /// Any other, by Unicode's simple folding.
    Other(LineMatcher),
}

impl AnyCase {
    /// Nothing when the text cannot be looked for.
    pub(crate) fn new(pattern: &Pattern, binary_rule: bool) -> Option<Self> {
        if pattern.text.is_ascii()
            && let Some(ascii) = Self::of_ascii(pattern.text.as_bytes().to_vec())
        {
            return Some(ascii);
        }
        let mut folded = pattern.clone();
        folded.case = Case::Insensitive;
        folded.compile(binary_rule).ok().map(Self::Other)
    }

    /// An ASCII text; nothing where the processor has no quick way for it.
    pub(crate) fn of_ascii(text: Vec<u8>) -> Option<Self> {
        let (part, at) = rarest(&text)?;
        let part = all_forms(part)?;
        Some(Self::Ascii { text, part, at })
    }

    /// Whether `content` has the text in any case; in doubt yes.
    pub(crate) fn is_in(&self, content: &[u8]) -> bool {
        let (text, part, at) = match self {
            Self::Ascii { text, part, at } => (text, part, *at),
            Self::Other(matcher) => return matcher.is_match(content).unwrap_or(true),
        };
        let mut from = at;
        while from < content.len()
            && let Some(found) = part.find_in(content, Span::from(from..content.len()))
        {
            let start = found.start() - at;
            let there = content.get(start..start + text.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(text)) {
                return true;
            }
            from = found.start() + 1;
        }
        false
    }
}

/// The part of a text that is likely to stand at the fewest places, and where it lies.
fn rarest(text: &[u8]) -> Option<(&[u8], usize)> {
    let often = |byte: &u8| {
        let rank = |byte: u8| COMMON.iter().position(|common| *common == byte);
        let lower = rank(byte.to_ascii_lowercase()).unwrap_or(COMMON.len());
        COMMON.len() - lower.min(rank(*byte).unwrap_or(COMMON.len()))
    };
    let parts = text.windows(PART_BYTES.min(text.len()).max(1)).zip(0..);
    parts.min_by_key(|(part, _)| part.iter().map(often).sum::<usize>())
}

/// A searcher of all forms of a part; nothing where the processor has no quick one.
fn all_forms(part: &[u8]) -> Option<Searcher> {
    let mut forms: Vec<Vec<u8>> = vec![Vec::new()];
    for byte in part {
        let mut cases = vec![byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
        cases.dedup();
        forms = cases
            .iter()
            .flat_map(|case| {
                let longer = |form: &Vec<u8>| form.iter().chain([case]).copied().collect();
                forms.iter().map(longer).collect::<Vec<_>>()
            })
            .collect();
    }
    packed::Config::new().builder().extend(&forms).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_text_is_found_in_any_case_wherever_it_stands(
            text in "[a-zA-Z_0-9. ]{1,12}",
            before in "[ -~\n]{0,80}",
            after in "[ -~\n]{0,80}",
            other in "[a-zA-Z_ \n]{0,200}",
            upper: bool,
        ) {
            let finder = AnyCase::new(&Pattern { literal: true, ..Pattern::new(text.as_str()) }, true).unwrap();
            let reported = if upper { text.to_uppercase() } else { text.to_lowercase() };
            let around = [before, reported, after].concat();
            proptest::prop_assert!(finder.is_in(around.as_bytes()));
            let has = other.to_lowercase().contains(&text.to_lowercase());
            proptest::prop_assert_eq!(finder.is_in(other.as_bytes()), has);
        }
    }

    #[test]
    fn letters_outside_ascii_have_cases_too() {
        let finder = AnyCase::new(&Pattern::new("Ärger"), true).unwrap();
        assert!(finder.is_in("kein äRGER".as_bytes()));
        assert!(!finder.is_in("kein arger".as_bytes()));
    }
}
