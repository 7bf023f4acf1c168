//! Keeps rows and logs: one port, two stores, and the way to write another.
//!
//! - [`Store`]: the port. Four methods are required: [`Store::commit`], [`Store::get`], [`Store::scan`] and
//!   [`Store::now`]; [`Store::watch`], [`Store::search`] and [`Store::close`] are optional.
//! - [`MemoryStore`] keeps everything until the process ends; [`SqliteStore`] keeps it in one file that several
//!   processes and several versions of tenon share.
//!
//! # What a store keeps
//!
//! A **row** lives under a key in a space. It has a value (JSON), a version, at most one number to order by, and at most
//! one time at which it ends. An **entry** is appended to a log under an id and is never changed.
//!
//! | rule | |
//! | --- | --- |
//! | all or nothing | a commit applies every operation or none; readers see all of it or nothing |
//! | versions | a put gives the row a version that is higher than every earlier version of this key, also after it was deleted or expired |
//! | expectations | they are checked first. The first one that does not hold is returned as [`Commit::Conflict`], and nothing is written |
//! | one key, one operation | a commit names a key at most once |
//! | logs | the number of an entry is higher than those of all earlier ones of its log. An id that the log has already is ignored: its number is returned, its value stays |
//! | expiry | a row is gone as soon as [`Store::now`] reaches `expires_at`, for reads and for expectations |
//! | order | by the bytes of the key in UTF-8, or by `order` and then by the key; entries by their number |
//! | time | [`Store::now`] never goes back |
//! | values | come back deep-equal, not byte-equal: U+0000, escaped lone surrogates and integers up to 2^53 survive |
//! | names | spaces, keys, logs and ids have 1 to 512 bytes without U+0000 |
//! | retention | is the store's: the oldest entries of a log may be gone |
//!
//! # Errors
//!
//! A conflict is a result, not an error. [`StoreError::Invalid`] is a mistake of the caller. Every other error means that
//! nothing is known to be written. Who keeps task lists and history goes on with a warning; who claims or approves
//! refuses.
//!
//! # Example
//!
//! ```
//! use tenon_store::{Commit, Expect, Json, Key, MemoryStore, Operation, Query, Store};
//!
//! # let work = async {
//! let store = MemoryStore::default();
//! let key = Key::new("jobs", "nightly");
//! let job = Json::from_text(r#"{"command": "npm test"}"#)?;
//! let put = Operation::put(key.clone(), job.clone()).ordered(1_700_000_000_000).expecting(Expect::Absent);
//! let Commit::Done { versions } = store.commit(vec![put.clone()]).await? else { panic!("nobody else has it") };
//!
//! // The same again finds a row where none was expected.
//! assert_eq!(store.commit(vec![put]).await?, Commit::Conflict { index: 0 });
//!
//! // A writer replaces the version that it has read and no other.
//! let newer = Operation::put(key, Json::from_text("{}")?).expecting(Expect::Version(versions[0]));
//! assert!(matches!(store.commit(vec![newer]).await?, Commit::Done { .. }));
//!
//! let page = store.scan(Query::space("jobs", 100)).await?;
//! assert_eq!(page.into_rows()?.0[0].value.as_str(), "{}");
//! # Ok::<(), tenon_store::StoreError>(())
//! # };
//! # futures_util::FutureExt::now_or_never(work).unwrap().unwrap();
//! ```

mod clock;
mod content_files;
mod json;
mod memory;
mod operation;
mod port;
mod query;
mod record;
mod secrets;
mod sqlite;
mod text;
mod watchers;

pub use clock::{Clock, Leaps, SystemClock};
pub use content_files::ContentFiles;
pub use json::Json;
pub use memory::MemoryStore;
pub use operation::{
    Append, Commit, Delete, Expect, Key, Operation, Put, check_keys, check_operations,
};
pub use port::{Changed, Millis, Store, StoreError, StoreFuture, Version, Watch};
pub use query::{Entry, Hit, Page, Query, Range, Row, SearchQuery};
pub use record::RecordFile;
pub use secrets::{SecretFile, SecretLock};
pub use sqlite::{Retention, SqliteOptions, SqliteStore, journal_mode};
