//! Long lists of names in which every command of a text is looked up.

use std::sync::LazyLock;

use hashbrown::HashSet;

/// A list of names, made for looking up once it is asked for the first time.
pub(super) struct NameSet(LazyLock<Names>);

/// Names, and what a glance tells of them.
pub(super) struct Names {
    all: HashSet<&'static str>,
    /// One bit for each [`mark`] that occurs.
    marks: [u64; 8],
}

impl FromIterator<&'static str> for Names {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Self {
        let all: HashSet<&'static str> = names.into_iter().collect();
        let mut marks = [0; 8];
        for mark in all.iter().map(|name| mark(name)) {
            if let Some(marks) = marks.get_mut(mark / 64) {
                *marks |= 1 << (mark % 64);
            }
        }
        Self { all, marks }
    }
}

/// A number below 512 that differs for most names.
fn mark(name: &str) -> usize {
    let letter = |place: usize| name.as_bytes().get(place).copied().map_or(0, usize::from);
    let last = name.len().saturating_sub(1);
    (letter(0) + letter(1) * 7 + letter(last) * 29 + name.len() * 67) % 512
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
        let mark = mark(name);
        let marks = names.marks.get(mark / 64).copied().unwrap_or_default();
        marks & 1 << (mark % 64) != 0 && names.all.contains(name)
    }
}
