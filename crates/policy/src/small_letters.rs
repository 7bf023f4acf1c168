//! Patterns of paths for disks that ignore case.

use std::sync::OnceLock;

use crate::glob::PathGlob;

/// A pattern that ignores case, made when it is first asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct SmallLetters(OnceLock<Folded>);

#[derive(Debug, Clone)]
pub(crate) struct Folded {
    pub(crate) glob: PathGlob,
    /// Whether the pattern itself is another one.
    pub(crate) differs: bool,
}

impl SmallLetters {
    pub(crate) fn of(&self, glob: &PathGlob) -> &Folded {
        self.0.get_or_init(|| {
            let folded = glob.ignoring_case();
            Folded {
                differs: !folded.is_written_as(glob),
                glob: folded,
            }
        })
    }
}
