//! Several updates of one file in a patch.
//!
//! `git apply` and Codex apply them one after the other, each to what the one before it leaves. A model may also have meant all of
//! them for the file as it is. Where both can be done and make a difference, the patch is refused.

use crate::patch::{FilePatch, PatchError};
use crate::plan::Plan;

impl FilePatch {
    /// Plans the hunks of all parts on the text of the file.
    pub(crate) fn update(&self, text: &str, go_on: &dyn Fn() -> bool) -> Result<Plan, PatchError> {
        let at_once = self.update_by(0..self.hunks.len(), text, go_on);
        let Some(later) = self.hunks.iter().find(|hunk| hunk.part > 0) else {
            return at_once;
        };
        match (self.update_in_turn(text, go_on), at_once) {
            (Ok(in_turn), Ok(at_once)) if in_turn.apply(text) != at_once.apply(text) => {
                Err(PatchError::TwoPlaces {
                    path: self.shown_path(),
                    first_line: later.patch_line,
                })
            }
            // A later part may show lines as they are before an earlier one changes them.
            (Err(PatchError::NotFound { .. }), Ok(at_once)) => Ok(at_once),
            (in_turn, _) => in_turn,
        }
    }

    fn update_in_turn(&self, text: &str, go_on: &dyn Fn() -> bool) -> Result<Plan, PatchError> {
        let mut all = Plan::default();
        let mut left = text.to_owned();
        let mut start = 0;
        for part in self.hunks.chunk_by(|one, next| one.part == next.part) {
            let next = self.update_by(start..start + part.len(), &left, go_on)?;
            let after = next.apply(&left);
            all = all.then(next, text, &left);
            left = after;
            start += part.len();
        }
        if left == text {
            return Err(PatchError::NoChange {
                path: self.shown_path(),
            });
        }
        Ok(all)
    }
}
