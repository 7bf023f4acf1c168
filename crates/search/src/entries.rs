//! The entries of one directory, in one buffer.

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// A FIFO, socket or device.
    Special,
}

/// Names with their kinds. The names lie in one buffer, so that a directory costs two allocations at
/// most and a reused list none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entries {
    names: Vec<u8>,
    items: Vec<Item>,
}

#[derive(Debug, Clone, Copy)]
struct Item {
    start: u32,
    length: u16,
    kind: Kind,
}

impl Entries {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.items.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Adds an entry. Returns whether it could be held: no file system has names of 64 KiB, nor a
    /// directory with 4 GiB of them, but a kernel module may lie.
    pub(crate) fn push(&mut self, name: &[u8], kind: Kind) -> bool {
        let (Ok(start), Ok(length)) = (u32::try_from(self.names.len()), u16::try_from(name.len()))
        else {
            return false;
        };
        self.names.extend_from_slice(name);
        self.items.push(Item {
            start,
            length,
            kind,
        });
        true
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], Kind)> {
        self.items
            .iter()
            .map(|item| (name_of(&self.names, item), item.kind))
    }

    /// Keeps the entries that `keep` wants, in their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&[u8], Kind) -> bool) {
        let names = &self.names;
        self.items
            .retain(|item| keep(name_of(names, item), item.kind));
    }

    /// Orders by name, bytewise, as `rg --sort path` does within a directory.
    pub(crate) fn sort(&mut self) {
        let names = &self.names;
        self.items
            .sort_unstable_by(|one, other| name_of(names, one).cmp(name_of(names, other)));
    }

    /// The entries from this index on.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn iter_from(&self, index: usize) -> impl Iterator<Item = (&[u8], Kind)> {
        let items = self.items.get(index..).unwrap_or_default();
        items
            .iter()
            .map(|item| (name_of(&self.names, item), item.kind))
    }

    /// The index of `name` among sorted entries.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn position(&self, name: &[u8]) -> Option<usize> {
        let names = &self.names;
        self.items
            .binary_search_by(|item| name_of(names, item).cmp(name))
            .ok()
    }

    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.items.get(index).map(|item| item.kind)
    }

    /// Bytes that are held.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) const fn bytes(&self) -> usize {
        self.names.len() + self.items.len() * size_of::<Item>()
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.items.iter().any(|item| item.kind == kind)
    }
}

fn name_of<'a>(names: &'a [u8], item: &Item) -> &'a [u8] {
    let start = item.start as usize;
    names
        .get(start..start + usize::from(item.length))
        .unwrap_or_default()
}
