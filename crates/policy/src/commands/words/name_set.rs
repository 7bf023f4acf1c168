//! Long lists of names in which every command of a text is looked up.

use std::sync::LazyLock;

use hashbrown::HashSet;
use tenon_shell::NameFilter;

/// A list of names, made for looking up once it is asked for the first time.
pub(crate) struct NameSet(LazyLock<Names>);

/// Names.
pub(crate) struct Names {
    all: HashSet<&'static str>,
    name_filter: NameFilter,
}

impl FromIterator<&'static str> for Names {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Self {
        let all: HashSet<&'static str> = names.into_iter().collect();
        let mut name_filter = NameFilter::default();
        for name in &all {
            name_filter.add(name);
        }
        Self { all, name_filter }
    }
}

impl NameSet {
    /// The names that `list` makes.
    pub(crate) const fn new(list: fn() -> Names) -> Self {
        Self(LazyLock::new(list))
    }

    /// Whether the name is one of them.
    #[inline]
    pub(crate) fn contains(&self, name: &str) -> bool {
        let names = &*self.0;
        names.name_filter.may_have(name) && names.all.contains(name)
    }
}
