use std::sync::LazyLock;

use hashbrown::HashMap;

/// A table of programs that is looked up by name: every command of a text asks every table.
pub(crate) struct ByName<T: 'static>(LazyLock<Rows<T>>);

/// Rows by their names, and what a glance tells of the names: most programs are in few tables.
pub(crate) struct Rows<T: 'static> {
    rows: HashMap<&'static str, &'static T>,
    /// One bit for each [`mark`] that occurs.
    marks: [u64; 8],
}

/// A number below 512 that differs for most names.
fn mark(name: &str) -> usize {
    let letter = |place: usize| name.as_bytes().get(place).copied().map_or(0, usize::from);
    let last = name.len().saturating_sub(1);
    (letter(0) + letter(1) * 7 + letter(last) * 29 + name.len() * 67) % 512
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
        let mark = mark(name);
        let marks = table.marks.get(mark / 64)?;
        if marks & 1 << (mark % 64) == 0 {
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
        marks: [0; 8],
    };
    for row in rows {
        for name in names(row) {
            table.rows.entry(*name).or_insert(row);
            let mark = mark(name);
            if let Some(marks) = table.marks.get_mut(mark / 64) {
                *marks |= 1 << (mark % 64);
            }
        }
    }
    table
}
