//! Long lists of names in which every command of a text is looked up.

use std::sync::LazyLock;

use hashbrown::HashSet;
use tenon_shell::Glance;

/// A list of names, made for looking up once it is asked for the first time.
pub(super) struct NameSet(LazyLock<Names>);

/// Names.
pub(super) struct Names {
    all: HashSet<&'static str>,
    glance: Glance,
}

impl FromIterator<&'static str> for Names {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Self {
        let all: HashSet<&'static str> = names.into_iter().collect();
        let mut glance = Glance::default();
        for name in &all {
            glance.add(name);
        }
        Self { all, glance }
    }
}

impl NameSet {
    /// The names that `list` makes.
    pub(super) const fn new(list: fn() -> Names) -> Self {
        Self(LazyLock::new(list))
    }

    /// Whether the name is one of them.
    #[inline]
    pub(super) fn contains(&self, name: &str) -> bool {
        let names = &*self.0;
        names.glance.may_have(name) && names.all.contains(name)
    }
}
