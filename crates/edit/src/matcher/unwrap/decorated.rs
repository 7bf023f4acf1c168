//! What a decoration that was taken off one edit looks like in the new text of another.

use crate::matcher::unwrap::{around, escapes, numbers};
use crate::plan::{Decoration, Replacement};

/// An edit that was decorated.
#[derive(Debug)]
pub(crate) struct Decorated {
    pub(crate) index: usize,
    pub(crate) decoration: Decoration,
    look: Look,
}

#[derive(Debug)]
enum Look {
    Escaped(escapes::Taken),
    Numbered(Vec<&'static str>),
    Around,
}

impl Decorated {
    /// `None` for empty lines around a text, which are no sign of anything.
    pub(crate) fn of(
        index: usize,
        edit: &Replacement<'_>,
        decoration: Decoration,
        file: &str,
    ) -> Option<Self> {
        let look = match decoration {
            Decoration::Escapes | Decoration::Entities => {
                Look::Escaped(escapes::Taken::from(edit.old, file, decoration)?)
            }
            Decoration::LineNumbers => Look::Numbered(numbers::separators_of(edit.old)),
            Decoration::Fence if !around::is_fenced(edit.old) => return None,
            Decoration::Fence | Decoration::DiffSigns | Decoration::ConflictMarkers => Look::Around,
        };
        Some(Self {
            index,
            decoration,
            look,
        })
    }

    /// What the new text of another edit has of the decoration that its old text has not.
    pub(crate) fn sign_in(&self, edit: &Replacement<'_>) -> Option<String> {
        match &self.look {
            Look::Escaped(taken) => taken.sign_in(edit).map(str::to_owned),
            Look::Numbered(separators) => numbers::number_in(edit, separators),
            Look::Around => around::sign_in(edit, self.decoration),
        }
    }
}
