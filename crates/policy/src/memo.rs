//! Answers that are found out once.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::hash::Hash;

use hashbrown::HashMap;

/// Answers by what was asked.
pub(crate) struct Memo<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The answer that is known, else this one, which is kept.
    pub(crate) fn get_or<Q>(&self, asked: &Q, find: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(known) = self.0.borrow().get(asked) {
            return known.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(asked.to_owned(), found.clone());
        found
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
