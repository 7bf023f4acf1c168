//! What a commit consists of, and what comes of it.

use std::collections::HashSet;

use tenon_contract::limits;

use crate::{Json, Millis, StoreError, Version};

/// The largest integer that every number of JavaScript can be.
pub(crate) const SAFE_MAX: i64 = (1 << 53) - 1;

/// Where a row is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The space, such as `todos`.
    pub space: String,
    /// The key in it.
    pub key: String,
}

impl Key {
    /// The key of this name in this space.
    pub fn new(space: impl Into<String>, key: impl Into<String>) -> Self {
        Self {
            space: space.into(),
            key: key.into(),
        }
    }
}

/// What has to hold before a row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expect {
    /// Nothing.
    #[default]
    Any,
    /// There is no such row.
    Absent,
    /// The row has this version.
    Version(Version),
}

/// One part of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Writes a row, whole.
    Put(Put),
    /// Deletes a row. One that does not exist is deleted already, unless a version is expected.
    Delete(Delete),
    /// Appends an entry to a log.
    Append(Append),
}

/// Writes a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Where.
    pub key: Key,
    /// Its value.
    pub value: Json,
    /// The number to order by, an integer that JavaScript can say; such as the next time at which a job runs.
    pub order: Option<i64>,
    /// From when on it does not exist.
    pub expires_at: Option<Millis>,
    /// What has to hold before.
    pub expect: Expect,
}

/// Deletes a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// Which.
    pub key: Key,
    /// The version that it has to have.
    pub expect: Option<Version>,
}

/// Appends an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// To which log.
    pub log: String,
    /// Its id: the same one again changes nothing.
    pub id: String,
    /// Its value.
    pub value: Json,
}

impl Operation {
    /// Writes a row, whatever was there.
    #[must_use]
    pub fn put(key: Key, value: Json) -> Self {
        Self::Put(Put {
            key,
            value,
            order: None,
            expires_at: None,
            expect: Expect::Any,
        })
    }

    /// Deletes a row, if there is one.
    #[must_use]
    pub fn delete(key: Key) -> Self {
        Self::Delete(Delete { key, expect: None })
    }

    /// Appends an entry.
    pub fn append(log: impl Into<String>, id: impl Into<String>, value: Json) -> Self {
        Self::Append(Append {
            log: log.into(),
            id: id.into(),
            value,
        })
    }

    /// The same put with a number to order by.
    #[must_use]
    pub fn ordered(mut self, order: i64) -> Self {
        if let Self::Put(put) = &mut self {
            put.order = Some(order);
        }
        self
    }

    /// The same put of a row that ends at a time.
    #[must_use]
    pub fn expiring(mut self, at: Millis) -> Self {
        if let Self::Put(put) = &mut self {
            put.expires_at = Some(at);
        }
        self
    }

    /// The same with an expectation. A delete can only expect a version.
    #[must_use]
    pub fn expecting(mut self, expect: Expect) -> Self {
        match (&mut self, expect) {
            (Self::Put(put), expect) => put.expect = expect,
            (Self::Delete(delete), Expect::Version(version)) => delete.expect = Some(version),
            (Self::Delete(_) | Self::Append(_), _) => {}
        }
        self
    }
}

/// What came of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// Everything was applied.
    Done {
        /// One number for each operation: the version of the row that was put, 0 for a delete, the number of the entry.
        versions: Vec<Version>,
    },
    /// Nothing was applied.
    Conflict {
        /// The first operation whose expectation does not hold, counted from 0.
        index: usize,
    },
}

/// Whether every store can take these operations.
///
/// # Errors
/// [`StoreError::Invalid`] for names that are too long or empty, numbers that JavaScript cannot say, a key that is
/// named twice, too many operations.
pub fn check_operations(operations: &[Operation]) -> Result<(), StoreError> {
    check_count("operations", operations.len())?;
    let mut keys = HashSet::new();
    for operation in operations {
        let key = match operation {
            Operation::Put(put) => {
                check_integer("order", put.order)?;
                check_integer("expiresAt", put.expires_at)?;
                &put.key
            }
            Operation::Delete(delete) => &delete.key,
            Operation::Append(append) => {
                check_name("log", &append.log)?;
                check_name("id", &append.id)?;
                continue;
            }
        };
        check_key(key)?;
        if !keys.insert(key) {
            return Err(StoreError::Invalid(format!(
                "The commit names `{}` in `{}` twice",
                key.key, key.space
            )));
        }
    }
    Ok(())
}

/// Whether every store can look for these keys.
///
/// # Errors
/// [`StoreError::Invalid`], as for operations.
pub fn check_keys(keys: &[Key]) -> Result<(), StoreError> {
    check_count("keys", keys.len())?;
    keys.iter().try_for_each(check_key)
}

fn check_key(Key { space, key }: &Key) -> Result<(), StoreError> {
    check_name("space", space)?;
    check_name("key", key)
}

fn check_count(what: &str, count: usize) -> Result<(), StoreError> {
    let most = limits::STORE_OPERATIONS_MAX;
    if count > most {
        return Err(StoreError::Invalid(format!(
            "There are {count} {what}; at most {most} are taken"
        )));
    }
    Ok(())
}

pub(crate) fn check_name(what: &str, name: &str) -> Result<(), StoreError> {
    if name.is_empty() || name.len() > limits::STORE_NAME_MAX_BYTES {
        return Err(StoreError::Invalid(format!(
            "The `{what}` has {} bytes; 1 to {} are allowed",
            name.len(),
            limits::STORE_NAME_MAX_BYTES
        )));
    }
    if name.contains('\0') {
        return Err(StoreError::Invalid(format!("The `{what}` contains U+0000")));
    }
    Ok(())
}

pub(crate) fn check_integer(what: &str, number: Option<i64>) -> Result<(), StoreError> {
    match number {
        Some(number) if !(-SAFE_MAX..=SAFE_MAX).contains(&number) => Err(StoreError::Invalid(
            format!("The `{what}` {number} is beyond what JavaScript can say exactly"),
        )),
        _ => Ok(()),
    }
}
