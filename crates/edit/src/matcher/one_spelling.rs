//! One call has one spelling: what was taken off one of its texts is not put into the file by another one, whose old text
//! happens to have none of it.

use crate::error::{EditError, Which};
use crate::fold::{is_typographic, plain_form};
use crate::matcher::unwrap::decorated::Decorated;
use crate::plan::{Decoration, Match, MatchLevel, Replacement, Splice};

/// Typographic characters of a text that the file has in their plain form.
#[derive(Debug, Default)]
pub(crate) struct Typography {
    proofs: Vec<Proof>,
}

#[derive(Debug)]
struct Proof {
    /// The edit or hunk that has the character.
    index: usize,
    plain: &'static str,
    /// Whether the same text has the plain form as well: then one that has it proves nothing.
    is_mixed: bool,
}

impl Typography {
    /// Takes in that `old` matched `file`.
    pub(crate) fn add(&mut self, index: usize, old: &str, file: &str) {
        for sign in old.chars().filter(|sign| is_typographic(*sign)) {
            let Some(plain) = plain_form(sign).filter(|_| !file.contains(sign)) else {
                continue;
            };
            if !self.proofs.iter().any(|proof| proof.plain == plain) {
                let is_mixed = old.contains(plain);
                self.proofs.push(Proof {
                    index,
                    plain,
                    is_mixed,
                });
            }
        }
    }

    /// A character that a text adds although another text of the call shows that it may stand for its plain form, and the
    /// index of that other text.
    pub(crate) fn added(&self, index: usize, old: &str, new: &str) -> Option<(char, usize)> {
        if self.proofs.is_empty() || new.is_ascii() {
            return None;
        }
        let count = |text: &str, sign: char| text.chars().filter(|other| *other == sign).count();
        new.chars()
            .filter(|sign| is_typographic(*sign))
            .find_map(|sign| {
                let plain = plain_form(sign)?;
                let proof = self.proofs.iter().find(|proof| proof.plain == plain)?;
                let is_own = !proof.is_mixed && (old.contains(plain) || new.contains(plain));
                (proof.index != index && !is_own && count(new, sign) > count(old, sign))
                    .then_some((sign, proof.index))
            })
    }
}

/// Refuses a new text with a decoration that was taken off another edit of the call.
pub(crate) fn check(
    text: &str,
    edits: &[Replacement<'_>],
    pieces: &[(Match, Splice)],
) -> Result<(), EditError> {
    let (mut typography, mut decorated) = (Typography::default(), Vec::<Decorated>::new());
    let mut seen: Vec<Option<Decoration>> = vec![None; edits.len()];
    let mut is_typographic = vec![false; edits.len()];
    for (found, _) in pieces
        .iter()
        .filter(|(found, _)| found.match_level >= MatchLevel::Typography)
    {
        let Some(edit) = edits.get(found.edit) else {
            continue;
        };
        let file = text.get(found.range.clone()).unwrap_or_default();
        typography.add(found.edit, edit.old, file);
        if let Some(slot) = is_typographic.get_mut(found.edit) {
            *slot = !edit.old.is_ascii();
        }
        let Some(decoration) = found.decoration else {
            continue;
        };
        if let Some(slot) = seen.get_mut(found.edit) {
            *slot = Some(decoration);
        }
        if !decorated.iter().any(|one| one.decoration == decoration) {
            decorated.extend(Decorated::of(found.edit, edit, decoration, file));
        }
    }
    for (index, edit) in edits.iter().enumerate() {
        let is_same = |one: &&Decorated| seen.get(index).copied().flatten() == Some(one.decoration);
        let mut others = decorated.iter().filter(|one| !is_same(one));
        let sign = others.find_map(|one| Some((one.sign_in(edit)?, one.index)));
        let by_character = || {
            let is_literal = is_typographic.get(index) == Some(&false);
            let found = typography
                .added(index, edit.old, edit.new)
                .filter(|_| is_literal);
            found.map(|(sign, proof)| (sign.to_string(), proof))
        };
        if let Some((sign, decorated)) = sign.or_else(by_character) {
            let total = edits.len();
            return Err(EditError::OtherSpelling {
                which: Which { index, total },
                decorated,
                sign,
            });
        }
    }
    Ok(())
}
