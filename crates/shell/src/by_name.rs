use std::sync::LazyLock;

use hashbrown::HashMap;

/// A table of programs that is looked up by name: every command of a text asks every table.
pub(crate) struct ByName<T: 'static>(LazyLock<HashMap<&'static str, &'static T>>);

impl<T> ByName<T> {
    /// The table that `rows` makes, once it is asked for the first time. A row is found by each of its names; of two
    /// rows of one name the first counts.
    pub(crate) const fn new(rows: fn() -> HashMap<&'static str, &'static T>) -> Self {
        Self(LazyLock::new(rows))
    }

    /// The row of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&'static T> {
        self.0.get(name).copied()
    }
}

/// The rows by each of their names.
pub(crate) fn by_names<T>(
    rows: impl IntoIterator<Item = &'static T>,
    names: fn(&'static T) -> &'static [&'static str],
) -> HashMap<&'static str, &'static T> {
    let mut table = HashMap::new();
    for row in rows {
        for name in names(row) {
            table.entry(*name).or_insert(row);
        }
    }
    table
}
