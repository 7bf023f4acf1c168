//! Where text came from that the agents of a session have read, so that no toolkit of it forgets.

use serde::{Deserialize, Serialize};
use tenon_contract::limits;
use tenon_store::{Commit, Expect, Json, Operation, StoreError};

use crate::session::{Owner, SessionRecords};

/// The space of these rows.
pub(crate) const SPACE: &str = "sources";

/// One place that text came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceEntry {
    /// What kind of source it is.
    pub source: String,
    /// The place: a host, a server, a file.
    pub from: String,
    /// The tool that brought the text first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call that brought it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The session in which that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

impl SourceEntry {
    /// Whether it is the same place of the same kind.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.source == other.source && self.from == other.from
    }

    /// Enters those of `new` that are not known yet; returns them. Of too many places only the first of a kind is entered:
    /// that there was such a source is never lost.
    pub fn enter(known: &mut Vec<Self>, new: &[Self]) -> Vec<Self> {
        let mut entered = Vec::new();
        for entry in new {
            let is_first = known.iter().all(|other| other.source != entry.source);
            let is_new = !known.iter().any(|other| other.is_same(entry));
            if is_new && (is_first || known.len() < limits::SOURCES_MAX) {
                known.push(entry.clone());
                entered.push(entry.clone());
            }
        }
        entered
    }
}

#[derive(Serialize, Deserialize)]
struct Row {
    #[serde(flatten)]
    of: Owner,
    sources: Vec<SourceEntry>,
}

impl SessionRecords {
    /// The places that text came from, the first one first.
    ///
    /// # Errors
    /// Why the store did not return them. Anyone who asks must then take it that there are some.
    pub async fn sources(&self) -> Result<Vec<SourceEntry>, StoreError> {
        let row = self.row::<Row>(SPACE).await;
        self.warn_of_notices();
        Ok(row?.map_or_else(Vec::new, |(row, _)| row.sources))
    }

    /// Adds places to those that are stored.
    ///
    /// # Errors
    /// Why the store did not take them.
    pub async fn add_sources(&self, new: &[SourceEntry]) -> Result<(), StoreError> {
        for _ in 0..limits::STORE_SWAP_ATTEMPTS {
            let found = self.row::<Row>(SPACE).await?;
            let expect = found
                .as_ref()
                .map_or(Expect::Absent, |(_, version)| Expect::Version(*version));
            let mut sources = found.map_or_else(Vec::new, |(row, _)| row.sources);
            if SourceEntry::enter(&mut sources, new).is_empty() {
                return Ok(());
            }
            let row = Row {
                of: self.owner(),
                sources,
            };
            let put = Operation::put(self.key(SPACE), Json::of(&row)?).expecting(expect);
            if let Commit::Done { .. } = self.store().commit(vec![put]).await? {
                return Ok(());
            }
        }
        Err(StoreError::Failed(
            "Others changed the row each time".to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tenon_store::MemoryStore;

    use super::*;
    use crate::SessionKey;

    fn entry(source: &str, from: &str) -> SourceEntry {
        SourceEntry {
            source: source.to_owned(),
            from: from.to_owned(),
            tool: None,
            tool_call_id: None,
            session: None,
            at: 1,
        }
    }

    fn records(store: &Arc<MemoryStore>, id: &str) -> SessionRecords {
        let session = SessionKey {
            workspace: "/work".to_owned(),
            id: id.to_owned(),
        };
        SessionRecords::new(Arc::clone(store) as Arc<_>, session, None)
    }

    #[tokio::test]
    async fn what_one_toolkit_of_a_session_has_read_every_one_knows() {
        let store = Arc::new(MemoryStore::default());
        let (one, other) = (records(&store, "a"), records(&store, "a"));
        let (page, file) = (entry("network", "example.com"), entry("untracked", "x"));
        one.add_sources(std::slice::from_ref(&page)).await.unwrap();
        other
            .add_sources(&[file.clone(), page.clone()])
            .await
            .unwrap();
        assert_eq!(one.sources().await.unwrap(), [page, file]);
        assert_eq!(records(&store, "b").sources().await.unwrap(), []);
        assert!(one.forget().await.unwrap());
        assert_eq!(other.sources().await.unwrap(), []);
    }

    #[test]
    fn of_too_many_places_every_kind_stays() {
        let mut known = Vec::new();
        let pages: Vec<SourceEntry> = (0..limits::SOURCES_MAX + 5)
            .map(|number| entry("network", &number.to_string()))
            .collect();
        SourceEntry::enter(&mut known, &pages);
        assert_eq!(known.len(), limits::SOURCES_MAX);
        let server = entry("mcp", "docs");
        let again = [server.clone(), server.clone(), entry("mcp", "other")];
        assert_eq!(SourceEntry::enter(&mut known, &again), [server]);
    }
}
