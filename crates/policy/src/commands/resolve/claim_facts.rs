//! What is looked for in the whole text of a claim: each at most once, when a command asks for it.

use std::cell::OnceCell;

use tenon_contract::CommandClaim;
use tenon_programs::words::shells::CHANGING_OPTIONS;

use crate::commands::words::texts::{patch_in, protected_piece};

/// A protected name and the piece of the text that names it.
type Named = Option<(String, &'static str)>;

/// A claim, and answers about its whole text, which all questions share.
pub(crate) struct ClaimFacts {
    pub(crate) claim: CommandClaim,
    changes_options: OnceCell<bool>,
    feeds_names: OnceCell<bool>,
    patched: OnceCell<Named>,
    named: OnceCell<Named>,
}

impl ClaimFacts {
    pub(crate) const fn new(claim: CommandClaim) -> Self {
        Self {
            claim,
            changes_options: OnceCell::new(),
            feeds_names: OnceCell::new(),
            patched: OnceCell::new(),
            named: OnceCell::new(),
        }
    }

    /// Whether the text names a variable or an option that changes what the options of programs and patterns mean.
    pub(crate) fn may_change_options(&self) -> bool {
        let given = &self.claim.environment;
        let find = || {
            CHANGING_OPTIONS.iter().any(|name| {
                self.claim.text.contains(name) || given.iter().any(|given| given.name == *name)
            })
        };
        *self.changes_options.get_or_init(find)
    }

    /// Whether the text gives names that one program writes to another one.
    pub(crate) fn feeds_names(&self) -> bool {
        let find = || {
            let mut marks = ["xargs", "read", "$(", "`"].iter();
            marks.any(|mark| self.claim.text.contains(mark))
        };
        *self.feeds_names.get_or_init(find)
    }

    /// The first protected name that a patch in the text names.
    pub(crate) fn patched(&self) -> Option<&(String, &'static str)> {
        let find = || patch_in(&self.claim.text);
        self.patched.get_or_init(find).as_ref()
    }

    /// The first protected name that the text names anywhere.
    pub(crate) fn named_protected(&self) -> Option<&(String, &'static str)> {
        let find = || {
            let found = protected_piece(&self.claim.text, true);
            found.map(|(piece, name)| (piece.to_owned(), name))
        };
        self.named.get_or_init(find).as_ref()
    }
}
