//! Names of sessions: two words, easy to repeat without a slip.

use std::hash::{BuildHasher, RandomState};

const FIRST: [&str; 48] = [
    "amber", "brave", "brisk", "calm", "clear", "cool", "crisp", "dawn", "deep", "dry", "early",
    "easy", "fair", "fast", "fresh", "gentle", "glad", "gold", "grand", "green", "keen", "kind",
    "late", "light", "lucky", "mild", "neat", "nimble", "noble", "plain", "proud", "quick",
    "quiet", "rapid", "ready", "sharp", "silver", "slow", "smart", "smooth", "soft", "solid",
    "steady", "sunny", "swift", "tidy", "warm", "wild",
];
const SECOND: [&str; 48] = [
    "acorn", "badger", "basil", "beaver", "birch", "breeze", "brook", "cedar", "claw", "clover",
    "comet", "coral", "crane", "creek", "dune", "eagle", "ember", "falcon", "fern", "finch",
    "fjord", "forest", "fox", "glade", "harbor", "hazel", "heron", "island", "lake", "lark",
    "lynx", "maple", "marsh", "meadow", "mint", "otter", "pine", "prairie", "reef", "river",
    "robin", "sage", "shell", "slope", "summit", "trail", "valley", "willow",
];

/// A name that is not `taken`. Others than ours cannot foretell it, but nothing depends on that.
pub(super) fn unused(taken: impl Fn(&str) -> bool) -> String {
    let words = |attempt: u32| {
        // The hash of a number under random keys is as random as a name has to be.
        let random = RandomState::new().hash_one(attempt);
        let pick = |list: &[&'static str], random: u64| {
            let index = usize::try_from(random % list.len() as u64).unwrap_or(0);
            list.get(index).copied().unwrap_or("session")
        };
        format!(
            "{}-{}",
            pick(&FIRST, random & 0xFFFF_FFFF),
            pick(&SECOND, random >> 32)
        )
    };
    for attempt in 0..20 {
        let name = words(attempt);
        if !taken(&name) {
            return name;
        }
    }
    let mut number = 2_u64;
    loop {
        let name = format!("{}-{number}", words(0));
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_two_words_and_never_given_twice() {
        let mut taken = BTreeSet::new();
        for _ in 0..3000 {
            let name = unused(|name| taken.contains(name));
            assert!(
                name.split('-').count() >= 2
                    && name.bytes().all(|byte| byte.is_ascii_lowercase()
                        || byte.is_ascii_digit()
                        || byte == b'-'),
                "{name}"
            );
            assert!(taken.insert(name));
        }
    }
}
