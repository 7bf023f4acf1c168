//! The name of a checkpoint.

use std::fmt;
use std::str::FromStr;

const PREFIX: &str = "checkpoint-";

/// Names a checkpoint of one journal; shown and parsed as `checkpoint-1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckpointId(u64);

impl CheckpointId {
    pub(super) const fn new(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for CheckpointId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}", self.0)
    }
}

impl FromStr for CheckpointId {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix(PREFIX)
            .and_then(|number| number.parse().ok())
            .map(Self)
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| crate::Error::NoCheckpoint {
                id: crate::error::shorten(text),
                reason: "no checkpoint has this id",
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_spelling_is_parsed() {
        assert_eq!("checkpoint-7".parse::<CheckpointId>().unwrap().number(), 7);
        for text in [
            "",
            "7",
            "checkpoint-",
            "checkpoint-+7",
            "checkpoint-07",
            "checkpoint-7 ",
        ] {
            assert!(text.parse::<CheckpointId>().is_err(), "{text}");
        }
    }
}
