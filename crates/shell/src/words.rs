use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::Word;

/// Some words in a row: a slice that is shared, not copied. A wrapper and the command behind it have the same words.
#[derive(Clone, Default)]
pub struct Words {
    all: Option<Arc<Vec<Word>>>,
    start: usize,
}

impl Words {
    /// The words from this place on.
    pub(crate) fn behind(&self, place: usize) -> Self {
        Self {
            all: self.all.clone(),
            start: self.start.saturating_add(place),
        }
    }

    /// Adds a word behind the others.
    pub(crate) fn push(&mut self, word: Word) {
        // Texts of thousands of short commands should not pay for lists of four.
        let all = self
            .all
            .get_or_insert_with(|| Arc::new(Vec::with_capacity(2)));
        Arc::make_mut(all).push(word);
    }

    /// The words to be changed.
    pub(crate) fn change(&mut self) -> &mut [Word] {
        let all = match &mut self.all {
            Some(all) => Arc::make_mut(all).as_mut_slice(),
            None => &mut [],
        };
        all.get_mut(self.start..).unwrap_or_default()
    }
}

impl Deref for Words {
    type Target = [Word];

    fn deref(&self) -> &[Word] {
        let all = self.all.as_deref().map(Vec::as_slice).unwrap_or_default();
        all.get(self.start..).unwrap_or_default()
    }
}

impl From<Vec<Word>> for Words {
    fn from(words: Vec<Word>) -> Self {
        Self {
            all: (!words.is_empty()).then(|| Arc::new(words)),
            start: 0,
        }
    }
}

impl<'w> IntoIterator for &'w Words {
    type Item = &'w Word;
    type IntoIter = std::slice::Iter<'w, Word>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Words {}

impl fmt::Debug for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}
