//! What is read from a store.

use tenon_contract::limits;

use crate::operation::{check_integer, check_name};
use crate::{Json, Millis, StoreError, Version};

/// A row as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its key in the space.
    pub key: String,
    /// Its value.
    pub value: Json,
    /// Its version.
    pub version: Version,
    /// The number to order by.
    pub order: Option<i64>,
    /// When it was written.
    pub updated_at: Millis,
}

/// An entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number: higher than those of all earlier entries of the log.
    pub seq: Version,
    /// Its id.
    pub id: String,
    /// Its value.
    pub value: Json,
    /// When it was appended.
    pub at: Millis,
}

/// A range of numbers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Range {
    /// The lowest.
    pub from: Option<i64>,
    /// The highest.
    pub to: Option<i64>,
}

/// Which page is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Rows.
    Space {
        /// Of this space.
        space: String,
        /// Only keys that begin with this.
        prefix: Option<String>,
        /// Only rows with a number in this range, ordered by it; else all, ordered by their keys.
        order: Option<Range>,
        /// Behind the page that returned this as `next`.
        after: Option<String>,
        /// At most this many.
        limit: usize,
    },
    /// Entries, in the order of their numbers.
    Log {
        /// Of this log.
        log: String,
        /// Only behind this number.
        after: Option<Version>,
        /// Only before this number. Without `after` these are the last ones before it.
        before: Option<Version>,
        /// At most this many.
        limit: usize,
    },
}

impl Query {
    /// The rows of a space, by their keys.
    pub fn space(space: impl Into<String>, limit: usize) -> Self {
        Self::Space {
            space: space.into(),
            prefix: None,
            order: None,
            after: None,
            limit,
        }
    }

    /// The rows whose number is in a range, by that number.
    pub fn ordered(space: impl Into<String>, range: Range, limit: usize) -> Self {
        Self::Space {
            space: space.into(),
            prefix: None,
            order: Some(range),
            after: None,
            limit,
        }
    }

    /// The entries of a log from the beginning.
    pub fn log(log: impl Into<String>, limit: usize) -> Self {
        Self::Log {
            log: log.into(),
            after: None,
            before: None,
            limit,
        }
    }

    /// The last entries of a log.
    pub fn last(log: impl Into<String>, limit: usize) -> Self {
        let before = Some(crate::operation::SAFE_MAX.unsigned_abs());
        Self::Log {
            log: log.into(),
            after: None,
            before,
            limit,
        }
    }

    /// The same, behind the page that returned this as `next`.
    #[must_use]
    pub fn following(mut self, next: impl Into<String>) -> Self {
        match &mut self {
            Self::Space { after, .. } => *after = Some(next.into()),
            Self::Log { after, before, .. } => {
                // Reading backwards continues backwards.
                let number = next.into().parse().ok();
                let way = if before.is_some() && after.is_none() {
                    before
                } else {
                    after
                };
                *way = number;
            }
        }
        self
    }

    /// Whether every store can answer this; the number of rows that it may return.
    ///
    /// # Errors
    /// [`StoreError::Invalid`].
    pub fn check(&self) -> Result<usize, StoreError> {
        let limit = match self {
            Self::Space {
                space,
                prefix,
                order,
                after,
                limit,
            } => {
                check_name("space", space)?;
                for (what, text) in [("prefix", prefix), ("after", after)] {
                    if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
                        check_longer_name(what, text)?;
                    }
                }
                let range = order.unwrap_or_default();
                check_integer("order.from", range.from)?;
                check_integer("order.to", range.to)?;
                limit
            }
            Self::Log { log, limit, .. } => {
                check_name("log", log)?;
                limit
            }
        };
        if *limit == 0 {
            return Err(StoreError::Invalid(
                "The `limit` is 0; at least 1 is needed".to_owned(),
            ));
        }
        Ok((*limit).min(limits::STORE_PAGE_MAX_ROWS))
    }
}

/// A mark of a page is a key and a number.
fn check_longer_name(what: &str, text: &str) -> Result<(), StoreError> {
    const NUMBER_MAX_BYTES: usize = 20;
    let name = text.get(text.len().saturating_sub(limits::STORE_NAME_MAX_BYTES)..);
    if text.len() > limits::STORE_NAME_MAX_BYTES + NUMBER_MAX_BYTES {
        return check_name(what, text);
    }
    check_name(what, name.unwrap_or(" "))
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// Of a space.
    Rows {
        /// The rows.
        rows: Vec<Row>,
        /// What the next page is asked for with, where there is more.
        next: Option<String>,
    },
    /// Of a log.
    Entries {
        /// The entries, in the order of their numbers.
        entries: Vec<Entry>,
        /// What the next page is asked for with, where there is more: a number for `after`, or for `before` where only
        /// that was given.
        next: Option<String>,
    },
}

impl Page {
    /// The rows of a space.
    ///
    /// # Errors
    /// [`StoreError::Failed`] where the store has returned entries.
    pub fn into_rows(self) -> Result<(Vec<Row>, Option<String>), StoreError> {
        match self {
            Self::Rows { rows, next } => Ok((rows, next)),
            Self::Entries { .. } => Err(StoreError::Failed(
                "The store returned entries of a log where rows were asked for".to_owned(),
            )),
        }
    }

    /// The entries of a log.
    ///
    /// # Errors
    /// [`StoreError::Failed`] where the store has returned rows.
    pub fn into_entries(self) -> Result<(Vec<Entry>, Option<String>), StoreError> {
        match self {
            Self::Entries { entries, next } => Ok((entries, next)),
            Self::Rows { .. } => Err(StoreError::Failed(
                "The store returned rows where entries of a log were asked for".to_owned(),
            )),
        }
    }
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// In logs whose names begin with this; empty for all.
    pub logs: String,
    /// The words, in any script.
    pub text: String,
    /// At most this many.
    pub limit: usize,
}

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Its log.
    pub log: String,
    /// Its number.
    pub seq: Version,
    /// Its id.
    pub id: String,
    /// The text around the first word that was found.
    pub snippet: String,
}

/// The mark of a page by numbers.
pub(crate) fn order_mark(order: i64, key: &str) -> String {
    format!("{order}:{key}")
}

/// The number and the key of such a mark.
///
/// # Errors
/// [`StoreError::Invalid`] for what is no such mark.
pub(crate) fn read_order_mark(mark: &str) -> Result<(i64, &str), StoreError> {
    let read = mark
        .split_once(':')
        .and_then(|(order, key)| Some((order.parse().ok()?, key)));
    read.ok_or_else(|| {
        StoreError::Invalid(
            "The `after` was not returned as `next` by a scan with `order`".to_owned(),
        )
    })
}

/// The first text behind all that begin with `prefix`, in the order of bytes; `None` where there is none.
pub(crate) fn behind_prefix(prefix: &str) -> Option<String> {
    let mut letters: Vec<char> = prefix.chars().collect();
    while let Some(last) = letters.pop() {
        // The halves of surrogate pairs are no characters.
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            last => char::from_u32(u32::from(last) + 1),
        };
        if let Some(next) = next {
            letters.push(next);
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_the_next_text_that_does_not_begin_with_it() {
        assert_eq!(behind_prefix("ab"), Some("ac".to_owned()));
        assert_eq!(behind_prefix("a\u{d7ff}"), Some("a\u{e000}".to_owned()));
        assert_eq!(behind_prefix("a\u{10ffff}"), Some("b".to_owned()));
        assert_eq!(behind_prefix("\u{10ffff}"), None);
        assert_eq!(behind_prefix(""), None);
    }

    #[test]
    fn a_page_without_room_and_a_mark_of_elsewhere_are_refused() {
        let refused = |query: Query| query.check().unwrap_err().to_string();
        assert_eq!(
            refused(Query::space("a", 0)),
            "The `limit` is 0; at least 1 is needed."
        );
        assert_eq!(
            refused(Query::space("", 1)),
            "The `space` has 0 bytes; 1 to 512 are allowed."
        );
        assert_eq!(
            Query::space("a", 5_000).check(),
            Ok(limits::STORE_PAGE_MAX_ROWS)
        );
        assert!(read_order_mark("abc").is_err());
        assert_eq!(read_order_mark("-5:a:b"), Ok((-5, "a:b")));
    }
}
