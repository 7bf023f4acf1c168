//! Long lists of names in which every command of a text is looked up.

use std::sync::LazyLock;

use hashbrown::HashSet;

/// A list of names, made for looking up once it is asked for the first time.
pub(super) struct NameSet(LazyLock<HashSet<&'static str>>);

impl NameSet {
    /// The names that `list` makes.
    pub(super) const fn new(list: fn() -> HashSet<&'static str>) -> Self {
        Self(LazyLock::new(list))
    }

    /// Whether the name is one of them.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}
