//! Long lists of names in which every command of a text is looked up.

use std::sync::LazyLock;

use hashbrown::HashSet;

/// A list of names, made for looking up once it is asked for the first time.
pub(super) struct NameSet(LazyLock<Names>);

/// Names, and what a glance tells of them.
pub(super) struct Names {
    all: HashSet<&'static str>,
    /// One bit for each length that occurs.
    lengths: u64,
    /// One bit for each first letter that occurs, those of several in one.
    letters: u64,
}

impl FromIterator<&'static str> for Names {
    fn from_iter<I: IntoIterator<Item = &'static str>>(names: I) -> Self {
        let all: HashSet<&'static str> = names.into_iter().collect();
        let marks = all.iter().map(|name| marks(name));
        let (lengths, letters) = marks.fold((0, 0), |(lengths, letters), (length, letter)| {
            (lengths | length, letters | letter)
        });
        Self {
            all,
            lengths,
            letters,
        }
    }
}

/// The bits of a name: that of its length and that of its first letter.
fn marks(name: &str) -> (u64, u64) {
    let first = name.bytes().next().unwrap_or_default();
    (1 << name.len().min(63), 1 << (first & 63))
}

impl NameSet {
    /// The names that `list` makes.
    pub(super) const fn new(list: fn() -> Names) -> Self {
        Self(LazyLock::new(list))
    }

    /// Whether the name is one of them.
    pub(super) fn contains(&self, name: &str) -> bool {
        let names = &*self.0;
        let (length, letter) = marks(name);
        names.lengths & length != 0 && names.letters & letter != 0 && names.all.contains(name)
    }
}
