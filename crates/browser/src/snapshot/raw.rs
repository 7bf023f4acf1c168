//! What the script of a frame returns of a page.

use std::fmt;
use std::sync::Arc;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::snapshot::look::Identity;

/// What the script of a frame returns.
#[derive(Deserialize, Default)]
pub(super) struct Raw {
    #[serde(default, deserialize_with = "shared")]
    pub(super) lines: Vec<Arc<RawLine>>,
    /// How many lines before and behind these are as in the look that was named.
    #[serde(default)]
    pub(super) head: usize,
    #[serde(default)]
    pub(super) tail: usize,
    #[serde(default)]
    pub(super) hidden: usize,
    #[serde(default)]
    pub(super) rows: usize,
    #[serde(default)]
    pub(super) options: usize,
    #[serde(default)]
    pub(super) cut: bool,
    #[serde(default)]
    pub(super) gone: bool,
    #[serde(default)]
    pub(super) next: Option<usize>,
    /// How many rows or options there are, where it is rows or options.
    #[serde(default)]
    pub(super) total: Option<usize>,
    /// The number of this look, by which lines are asked for.
    #[serde(default)]
    pub(super) look: u32,
    /// Elements that may keep a shadow root to themselves.
    #[serde(default)]
    pub(super) suspects: Vec<u32>,
    /// What the page is, where all of it was looked at.
    #[serde(default)]
    pub(super) page: Identity,
}

impl Raw {
    /// Puts the lines that were not sent again before and behind the others.
    pub(super) fn complete(&mut self, reported: &[Arc<RawLine>]) {
        let head = reported.get(..self.head).unwrap_or_default();
        let tail = reported.len().checked_sub(self.tail);
        let tail = tail
            .and_then(|from| reported.get(from..))
            .unwrap_or_default();
        self.lines.splice(..0, head.iter().cloned());
        self.lines.extend(tail.iter().cloned());
    }
}

/// The lines of the last look at a frame, and its number: of the next one the script sends only what is different.
#[derive(Debug)]
pub(crate) struct Reported {
    pub(super) look: u32,
    pub(super) lines: Vec<Arc<RawLine>>,
}

/// A line as the script of a frame gives it.
#[derive(Debug)]
pub(super) enum RawLine {
    /// Text, kind, whether it is in view, elements, number of the frame, what stands for its content.
    Written(String, String, u8, Vec<RawRef>, u32, u32),
    /// One that is written when it is wanted: kind, whether it is in view, what stands for its content, its size, the numbers of its
    /// elements.
    Left(String),
}

impl<'de> Deserialize<'de> for RawLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A list or a text, which are read without keeping them in between.
        deserializer.deserialize_any(LineVisitor)
    }
}

fn shared<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Arc<RawLine>>, D::Error> {
    let lines = Vec::<RawLine>::deserialize(deserializer)?;
    Ok(lines.into_iter().map(Arc::new).collect())
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = RawLine;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a line of a page")
    }

    fn visit_str<E: de::Error>(self, left: &str) -> Result<RawLine, E> {
        Ok(RawLine::Left(left.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, members: A) -> Result<RawLine, A::Error> {
        let members = SeqAccessDeserializer::new(members);
        let (text, kind, seen, refs, inner, digest) = Deserialize::deserialize(members)?;
        Ok(RawLine::Written(text, kind, seen, refs, inner, digest))
    }
}

impl RawLine {
    pub(super) const fn empty() -> Self {
        Self::Written(String::new(), String::new(), 0, Vec::new(), 0, 0)
    }
}

/// Number, role, name, key, row.
#[derive(Debug, Deserialize, Clone)]
pub(crate) struct RawRef(
    pub(super) u32,
    pub(super) String,
    pub(super) String,
    pub(super) String,
    pub(super) String,
);

impl RawRef {
    /// An element of which only the number is known.
    pub(super) const fn unnamed(id: u32) -> Self {
        const NONE: String = String::new();
        Self(id, NONE, NONE, NONE, NONE)
    }
}
