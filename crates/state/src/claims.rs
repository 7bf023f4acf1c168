//! Which calls were made, so that none is made twice, whatever process makes it.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use tenon_contract::limits;
use tenon_store::{Commit, Expect, Json, Key, Operation, Put, StoreError};

use crate::session::{SessionRecords, hash};

/// The space of these rows; the keys begin with the name of the session.
pub(crate) const SPACE: &str = "repeats";

impl SessionRecords {
    /// Notes that a call of this id begins, unless it is noted already: then what is noted of it.
    ///
    /// # Errors
    /// Why the store did not say.
    pub async fn claim_call(&self, id: &str, begun: Value) -> Result<Option<Value>, StoreError> {
        for _ in 0..limits::STORE_SWAP_ATTEMPTS {
            let put = self.put(id, &begun)?.expecting(Expect::Absent);
            let (store, _) = self.shared();
            if let Commit::Done { .. } = store.commit(vec![put]).await? {
                return Ok(None);
            }
            let rows = store.get(vec![self.key_of_call(id)]).await?;
            if let Some(row) = rows.into_iter().next().flatten() {
                return Ok(Some(row.value.read()?));
            }
        }
        Err(StoreError::Failed(
            "Others changed the row each time".to_owned(),
        ))
    }

    /// Notes what came of a call that was noted; nothing forgets it. Secrets are taken out.
    ///
    /// # Errors
    /// Why the store did not take it.
    pub async fn settle_call(&self, id: &str, ended: Option<Value>) -> Result<(), StoreError> {
        let operation = match ended {
            Some(ended) => self.put(id, &crate::redacted(ended))?,
            None => Operation::delete(self.key_of_call(id)),
        };
        self.store().commit(vec![operation]).await.map(drop)
    }

    fn key_of_call(&self, id: &str) -> Key {
        Key::new(SPACE, format!("{}/{}", self.shared().1, hash(&[id])))
    }

    fn put(&self, id: &str, value: &Value) -> Result<Operation, StoreError> {
        let expires = SystemTime::now() + limits::REPEATS_MAX_AGE;
        let expires = expires.duration_since(SystemTime::UNIX_EPOCH);
        let expires = expires.as_ref().map_or(0, Duration::as_millis);
        let put = Operation::put(self.key_of_call(id), Json::of(value)?);
        Ok(match put {
            Operation::Put(put) => Operation::Put(Put {
                expires_at: i64::try_from(expires).ok(),
                ..put
            }),
            other => other,
        })
    }
}
