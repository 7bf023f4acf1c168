use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::word::Word;

/// Some words in a row: a slice of a list that is shared, not copied. All commands of a text have one list, and a
/// wrapper and the command behind it have the same words.
#[derive(Clone, Default)]
pub struct Words {
    all: Option<Arc<Vec<Word>>>,
    start: u32,
    end: u32,
}

impl Words {
    /// The place of words in the list of their text, which [`Self::fill`] gives later.
    pub(crate) fn reserved(start: usize, end: usize) -> Self {
        // A text is shorter than that.
        let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self {
            all: None,
            start: place(start),
            end: place(end),
        }
    }

    /// Gives the list in which the words stand.
    pub(crate) fn fill(&mut self, all: &Arc<Vec<Word>>) {
        if self.start < self.end {
            self.all = Some(Arc::clone(all));
        }
    }

    /// The words from this place on.
    pub(crate) fn behind(&self, place: usize) -> Self {
        Self {
            all: self.all.clone(),
            start: u32::try_from(place).map_or(self.end, |place| {
                self.end.min(self.start.saturating_add(place))
            }),
            end: self.end,
        }
    }
}

impl Deref for Words {
    type Target = [Word];

    #[inline]
    fn deref(&self) -> &[Word] {
        let all = self.all.as_deref().map(Vec::as_slice).unwrap_or_default();
        all.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

impl From<Vec<Word>> for Words {
    fn from(words: Vec<Word>) -> Self {
        Self {
            start: 0,
            end: u32::try_from(words.len()).unwrap_or(u32::MAX),
            all: (!words.is_empty()).then(|| Arc::new(words)),
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
