use std::sync::LazyLock;

use hashbrown::HashMap;

/// A table of programs that is looked up by name: every command of a text asks every table.
pub(crate) struct ByName<T: 'static>(LazyLock<Rows<T>>);

/// Rows by their names.
pub(crate) struct Rows<T: 'static> {
    rows: HashMap<&'static str, &'static T>,
    glance: Glance,
}

/// What a glance tells of the names of a table, without a look into it: every command of a text is looked up in many
/// tables, and is in few.
#[derive(Debug, Default)]
pub struct Glance {
    /// One bit for each mark that occurs.
    marks: [u64; 8],
}

impl Glance {
    /// A number below 512 that differs for most names.
    fn mark(name: &str) -> usize {
        let letter = |place: usize| name.as_bytes().get(place).copied().map_or(0, usize::from);
        let last = name.len().saturating_sub(1);
        (letter(0) + letter(1) * 7 + letter(last) * 29 + name.len() * 67) % 512
    }

    /// To be called for every name of the table.
    pub fn add(&mut self, name: &str) {
        let mark = Self::mark(name);
        if let Some(marks) = self.marks.get_mut(mark / 64) {
            *marks |= 1 << (mark % 64);
        }
    }

    /// Whether the table may have the name; if not, it has not.
    #[inline]
    #[must_use]
    pub fn may_have(&self, name: &str) -> bool {
        let mark = Self::mark(name);
        let marks = self.marks.get(mark / 64).copied().unwrap_or_default();
        marks & 1 << (mark % 64) != 0
    }
}

impl<T> ByName<T> {
    /// The table that `rows` makes, once it is asked for the first time.
    pub(crate) const fn new(rows: fn() -> Rows<T>) -> Self {
        Self(LazyLock::new(rows))
    }

    /// The row of this name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<&'static T> {
        let table = &*self.0;
        if !table.glance.may_have(name) {
            return None;
        }
        table.rows.get(name).copied()
    }
}

/// The rows by each of their names; of two rows of one name the first counts.
pub(crate) fn by_names<T>(
    rows: impl IntoIterator<Item = &'static T>,
    names: fn(&'static T) -> &'static [&'static str],
) -> Rows<T> {
    let mut table = Rows {
        rows: HashMap::new(),
        glance: Glance::default(),
    };
    for row in rows {
        for name in names(row) {
            table.rows.entry(*name).or_insert(row);
            table.glance.add(name);
        }
    }
    table
}
