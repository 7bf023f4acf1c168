/// A filter over the names of a table, checked before the table itself: every command of a text is looked up in many
/// tables, and is in few.
#[derive(Debug, Default)]
pub struct NameFilter {
    /// One bit for each mark that occurs.
    marks: [u64; 8],
}

impl NameFilter {
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
