//! The letters themselves.

use std::fmt;

/// Letters that are not taken for one another; a prime number of them, so that the last letter of an anchor finds every
/// single wrong letter and every two that changed places.
const ALPHABET: &[u8; 23] = b"abcdefghjkmnpqrstuvwxyz";
const BASE: u64 = ALPHABET.len() as u64;
/// Letters of an anchor, at least and at most, with the one that checks.
const LEAST: usize = 3;
const MOST: usize = 8;

/// What a line is called: three letters or more, the last of which checks the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Anchor {
    letters: [u8; MOST],
    length: u8,
}

impl Anchor {
    /// The names of something with this hash, from the shortest.
    pub(super) fn all_of(hash: u64) -> impl Iterator<Item = Self> {
        (LEAST..=MOST).map(move |length| Self::of(hash, length))
    }

    fn of(hash: u64, length: usize) -> Self {
        let mut rest = hash;
        let mut letters = [0; MOST];
        for letter in letters.iter_mut().take(length - 1) {
            *letter = letter_of(rest % BASE);
            rest /= BASE;
        }
        let check = check_of(letters.iter().take(length - 1).copied());
        if let Some(last) = letters.get_mut(length - 1) {
            *last = check;
        }
        Self {
            letters,
            length: u8::try_from(length).unwrap_or(u8::MAX),
        }
    }

    /// What a model wrote for one: quotes, brackets and capital letters do not count. `None` where it is not an anchor.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_around = |c: char| c.is_whitespace() || "[](){}<>\"'`:#".contains(c);
        let text = text.trim_matches(is_around);
        if !(LEAST..=MOST).contains(&text.len()) {
            return None;
        }
        let mut letters = [0; MOST];
        for (letter, byte) in letters.iter_mut().zip(text.bytes()) {
            *letter = byte.to_ascii_lowercase();
        }
        let (check, data) = letters.get(..text.len())?.split_last()?;
        let is_one = data.iter().all(|letter| value_of(*letter).is_some());
        (is_one && check_of(data.iter().copied()) == *check).then_some(Self {
            letters,
            length: u8::try_from(text.len()).ok()?,
        })
    }

    /// Its letters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let letters = self.letters.get(..usize::from(self.length));
        letters
            .and_then(|letters| std::str::from_utf8(letters).ok())
            .unwrap_or_default()
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn letter_of(value: u64) -> u8 {
    let at = usize::try_from(value % BASE).unwrap_or(0);
    ALPHABET.get(at).copied().unwrap_or(b'a')
}

fn value_of(letter: u8) -> Option<u64> {
    let at = ALPHABET.iter().position(|known| *known == letter)?;
    u64::try_from(at).ok()
}

/// Each place counts with a factor of its own, and one more for the length.
fn check_of(data: impl Iterator<Item = u8>) -> u8 {
    let (mut sum, mut factor) = (0, 2);
    for letter in data {
        sum += factor * value_of(letter).unwrap_or(0);
        factor += 1;
    }
    letter_of(sum + factor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_anchor_is_read_back_as_it_is_shown(hash in any::<u64>()) {
            for anchor in Anchor::all_of(hash) {
                prop_assert_eq!(Anchor::parse(anchor.as_str()), Some(anchor));
                let dressed = format!(" `[{}]`", anchor.as_str().to_uppercase());
                prop_assert_eq!(Anchor::parse(&dressed), Some(anchor));
            }
        }

        /// A letter copied wrongly, and two letters that changed places, are never another anchor.
        #[test]
        fn a_slip_in_an_anchor_is_found(hash in any::<u64>(), at in 0_usize..8, with in 0_usize..8, letter in 0_u64..23) {
            for anchor in Anchor::all_of(hash) {
                let length = anchor.as_str().len();
                let (at, with) = (at % length, with % length);
                let mut other = anchor.as_str().as_bytes().to_vec();
                other[at] = letter_of(letter);
                let mut swapped = anchor.as_str().as_bytes().to_vec();
                swapped.swap(at, with);
                for slip in [other, swapped] {
                    let slip = String::from_utf8(slip).unwrap();
                    prop_assert_eq!(Anchor::parse(&slip).is_some(), slip == anchor.as_str());
                }
            }
        }
    }

    #[test]
    fn other_text_is_not_an_anchor() {
        for text in ["", "ab", "io1", "a line of text", "naïve", "abcdefghj"] {
            assert_eq!(Anchor::parse(text), None, "{text}");
        }
    }
}
