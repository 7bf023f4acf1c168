//! A store that the host has written itself: `session.store`.
//!
//! Values cross the border as strings that hold their JSON, so that nothing of them is lost on the way;
//! `js/store/part.js` is the other side.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_contract::limits;
use tenon_runtime::store::{
    Append, Changed, Commit, Entry, Expect, Hit, Json, Key, Millis, Operation, Page, Put, Query,
    Range, Row, SearchQuery, Store, StoreError, StoreFuture, Version, Watch, check_keys,
    check_operations,
};

use crate::host_callbacks::asked::{failure, parsed};
use crate::host_requests::{Callback, HostRequests};

/// Keeps everything where the host keeps it.
pub(crate) struct AskedStore {
    pub(crate) requests: HostRequests,
    /// Whether it has `search`.
    pub(crate) searches: bool,
    /// Whether it has `watch`.
    pub(crate) watches: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenRow {
    #[serde(default)]
    key: String,
    value: String,
    version: Version,
    order: Option<i64>,
    #[serde(default)]
    updated_at: Millis,
}

#[derive(Deserialize)]
struct GivenEntry {
    seq: Version,
    id: String,
    value: String,
    #[serde(default)]
    at: Millis,
}

#[derive(Deserialize)]
struct GivenPage<T> {
    rows: Vec<T>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct GivenCommit {
    ok: bool,
    #[serde(default)]
    versions: Vec<Version>,
    conflict: Option<usize>,
}

#[derive(Deserialize)]
struct GivenHit {
    log: String,
    seq: Version,
    id: String,
    #[serde(default)]
    snippet: String,
}

impl GivenRow {
    /// The row under a key that its store need not have repeated.
    fn named(self, key: &str) -> Result<Row, StoreError> {
        Ok(Row {
            key: if self.key.is_empty() {
                key.to_owned()
            } else {
                self.key
            },
            value: Json::from_text(self.value)?,
            version: self.version,
            order: self.order,
            updated_at: self.updated_at,
        })
    }
}

impl AskedStore {
    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        method: &'static str,
        mut request: Value,
    ) -> Result<T, StoreError> {
        let fault = |why: &str| {
            let why = why.trim_end_matches('.');
            StoreError::Failed(format!("`session.store.{method}` failed: {why}"))
        };
        if let Some(members) = request.as_object_mut() {
            members.insert("method".to_owned(), method.into());
        }
        let port = match method {
            "search" => Callback::StoreSearch,
            _ => Callback::Store,
        };
        let asked = self.requests.ask(port, request.to_string(), None);
        let reply = tokio::time::timeout(limits::STORE_HOST_TIMEOUT, asked).await;
        let reply = reply.map_err(|_| {
            let seconds = limits::STORE_HOST_TIMEOUT.as_secs();
            fault(&format!("it did not return within {seconds} seconds"))
        })?;
        let reply = reply.map_err(|error| fault(&error.message))?;
        if !reply.is_ok {
            return Err(fault(&failure(&reply.json).message));
        }
        parsed(&reply.json).map_err(|_| fault("it returned something of another shape"))
    }
}

impl AskedStore {
    /// A page that leads on, so that reading all of them comes to an end.
    async fn page<T: serde::de::DeserializeOwned>(
        &self,
        request: Value,
    ) -> Result<GivenPage<T>, StoreError> {
        let after = request.pointer("/query/after").map(|after| match after {
            Value::String(after) => after.clone(),
            other => other.to_string(),
        });
        let page: GivenPage<T> = self.ask("scan", request).await?;
        if page.next.is_some() && page.next == after {
            return Err(wrong("scan", "the same `next` that it was given"));
        }
        Ok(page)
    }
}

fn wrong(method: &str, what: &str) -> StoreError {
    StoreError::Failed(format!(
        "`session.store.{method}` failed: it returned {what}"
    ))
}

fn key_of(Key { space, key }: &Key) -> Value {
    json!({ "space": space, "key": key })
}

fn wire(operation: &Operation) -> Value {
    match operation {
        Operation::Put(Put {
            key: Key { space, key },
            value,
            order,
            expires_at,
            expect,
        }) => {
            let put = without_nulls(json!({
                "space": space,
                "key": key,
                "value": value.as_str(),
                "order": order,
                "expiresAt": expires_at,
            }));
            match expect {
                Expect::Any => json!({ "put": put }),
                Expect::Absent => json!({ "put": put, "expect": null }),
                Expect::Version(version) => json!({ "put": put, "expect": version }),
            }
        }
        Operation::Delete(delete) => match delete.expect {
            None => json!({ "delete": key_of(&delete.key) }),
            Some(version) => json!({ "delete": key_of(&delete.key), "expect": version }),
        },
        Operation::Append(Append { log, id, value }) => {
            json!({ "append": { "log": log, "id": id, "value": value.as_str() } })
        }
    }
}

fn query_of(query: &Query, limit: usize) -> Value {
    without_nulls(match query {
        Query::Space {
            space,
            prefix,
            order,
            after,
            ..
        } => {
            let range =
                |range: &Range| without_nulls(json!({ "from": range.from, "to": range.to }));
            let order = order.as_ref().map(range);
            json!({ "space": space, "prefix": prefix, "order": order, "after": after, "limit": limit })
        }
        Query::Log {
            log, after, before, ..
        } => json!({ "log": log, "after": after, "before": before, "limit": limit }),
    })
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    value
}

impl Store for AskedStore {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        Box::pin(async move {
            check_operations(&operations)?;
            let wired: Vec<Value> = operations.iter().map(wire).collect();
            let commit: GivenCommit = self.ask("commit", json!({ "operations": wired })).await?;
            match (commit.ok, commit.conflict) {
                (true, _) if commit.versions.len() == operations.len() => Ok(Commit::Done {
                    versions: commit.versions,
                }),
                (true, _) => Err(wrong(
                    "commit",
                    "another number of versions than operations",
                )),
                (false, Some(index)) if index < operations.len() => Ok(Commit::Conflict { index }),
                (false, _) => Err(wrong("commit", "no index of an operation as `conflict`")),
            }
        })
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        Box::pin(async move {
            check_keys(&keys)?;
            let wired: Vec<Value> = keys.iter().map(key_of).collect();
            let rows: Vec<Option<GivenRow>> = self.ask("get", json!({ "keys": wired })).await?;
            if rows.len() != keys.len() {
                return Err(wrong("get", "another number of rows than keys"));
            }
            let rows = rows.into_iter().zip(&keys);
            rows.map(|(row, key)| row.map(|row| row.named(&key.key)).transpose())
                .collect()
        })
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            let limit = query.check()?;
            let request = json!({ "query": query_of(&query, limit) });
            if matches!(query, Query::Space { .. }) {
                let GivenPage { rows, next } = self.page(request).await?;
                let rows = rows.into_iter().map(|row: GivenRow| {
                    if row.key.is_empty() {
                        Err(wrong("scan", "a row without its `key`"))
                    } else {
                        row.named("")
                    }
                });
                return Ok(Page::Rows {
                    rows: rows.collect::<Result<_, _>>()?,
                    next,
                });
            }
            let GivenPage { rows, next } = self.page(request).await?;
            let entries = rows.into_iter().map(|entry: GivenEntry| {
                let GivenEntry { seq, id, value, at } = entry;
                Ok(Entry {
                    seq,
                    id,
                    value: Json::from_text(value)?,
                    at,
                })
            });
            Ok(Page::Entries {
                entries: entries.collect::<Result<_, StoreError>>()?,
                next,
            })
        })
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        Box::pin(async move { self.ask("now", json!({})).await })
    }

    fn watch(&self, names: Vec<String>, changed: Changed) -> Option<Watch> {
        if !self.watches {
            return None;
        }
        let request = json!({ "names": names }).to_string();
        let received = Arc::new(move |_| changed());
        let watch = self
            .requests
            .subscribe(Callback::StoreWatch, request, received)?;
        Some(Watch::new(move || drop(watch)))
    }

    fn search(&self, query: SearchQuery) -> StoreFuture<'_, Vec<Hit>> {
        Box::pin(async move {
            if !self.searches {
                return Err(StoreError::Unsupported("search"));
            }
            let SearchQuery { logs, text, limit } = query;
            let request = json!({ "query": { "logs": logs, "text": text, "limit": limit } });
            let hits: Vec<GivenHit> = self.ask("search", request).await?;
            let hits = hits.into_iter().map(
                |GivenHit {
                     log,
                     seq,
                     id,
                     snippet,
                 }| Hit {
                    log,
                    seq,
                    id,
                    snippet,
                },
            );
            Ok(hits.collect())
        })
    }

    fn clear(&self, log: String) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let cleared: Option<bool> = self.ask("clear", json!({ "log": log })).await?;
            cleared.ok_or(StoreError::Unsupported("clear"))
        })
    }
}
