//! How much of what multiplies in a text is followed. Beyond that nothing is certain, so that no text keeps a
//! decision waiting.

use std::cell::Cell;

/// How many values of loops are looked at in the shortest of texts. In others it is one for each byte.
const FEWEST_VALUES: usize = 8192;

/// How many ways through links are followed in the shortest of texts. In others it is one for so many bytes.
const FEWEST_WAYS: usize = 1024;
const BYTES_OF_A_WAY: usize = 8;

/// How many words of lists are compared under their other names, times the words of their commands.
const MOST_LISTED: usize = 4096;

/// How many entries of directories that are copied or moved are looked at.
const MOST_ENTRIES: usize = 4096;

/// How often what git takes in is looked for.
const MOST_UNTRACKED: usize = 64;

/// How often it is asked whether git ignores what a search comes to.
const MOST_IGNORED: usize = 256;

/// What is left for one text.
pub(crate) struct Budget {
    /// Values of loops: a text could use long lists everywhere.
    values: Cell<usize>,
    /// Ways through links: a text could have links lead on to others at each step.
    ways: Cell<usize>,
    /// Commands that are compared with rules that allow under their other names.
    pub(crate) aliases: Cell<usize>,
    /// Words of lists (`kubectl delete po/a,po/b`) that are compared with rules that deny or ask under their other names,
    /// times the words of their commands.
    pub(crate) listed: Cell<usize>,
    /// Entries of what is copied and moved.
    pub(crate) copied: Cell<usize>,
    /// Looks through what git takes in.
    pub(crate) untracked: Cell<usize>,
    /// Questions whether something is ignored.
    ignored: Cell<usize>,
}

impl Budget {
    pub(crate) fn of(text: &str) -> Self {
        Self {
            values: Cell::new(text.len().max(FEWEST_VALUES)),
            ways: Cell::new((text.len() / BYTES_OF_A_WAY).max(FEWEST_WAYS)),
            aliases: Cell::new(100),
            listed: Cell::new(MOST_LISTED),
            copied: Cell::new(MOST_ENTRIES),
            untracked: Cell::new(MOST_UNTRACKED),
            ignored: Cell::new(MOST_IGNORED),
        }
    }

    /// Takes so many values; nothing where there are not as many left.
    pub(crate) fn take_values(&self, count: usize) -> Option<()> {
        self.values.set(self.values.get().checked_sub(count)?);
        Some(())
    }

    /// Whether ways are left.
    pub(crate) fn has_ways(&self) -> bool {
        self.ways.get() > 0
    }

    /// Whether it may be asked once more whether something is ignored.
    pub(crate) fn takes_ignored(&self) -> bool {
        let left = self.ignored.get().checked_sub(1);
        self.ignored.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Takes ways, as far as there are as many.
    pub(crate) fn take_ways(&self, count: usize) {
        self.ways.set(self.ways.get().saturating_sub(count));
    }
}
