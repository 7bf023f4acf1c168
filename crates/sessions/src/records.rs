//! Where the rows are, and how they change together.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenon_contract::limits;
use tenon_store::{
    Commit, Entry, Expect, Json, Key, Millis, Operation, Query, Row, Store, StoreError,
};

use crate::model::{Mail, Message, ResultRow, RunRow, SessionRow, Tree};

const SESSIONS: &str = "agent_sessions";
const RUNS: &str = "agent_runs";
const RESULTS: &str = "agent_results";
const STATES: &str = "agent_states";
const TREES: &str = "agent_trees";
const MAIL: &str = "agent_mail";

/// The rows of one workspace, as one tree in it sees them.
#[derive(Clone)]
pub(crate) struct Records {
    pub(crate) store: Arc<dyn Store>,
    workspace: Arc<str>,
    root: Arc<str>,
}

/// A change of a tree and of everything that changes with it.
pub(crate) struct Transaction<'a> {
    records: &'a Records,
    pub(crate) tree: Tree,
    pub(crate) now: Millis,
    expect: Expect,
    operations: Vec<Operation>,
}

impl Transaction<'_> {
    /// Writes a session.
    pub(crate) fn session(&mut self, mut row: SessionRow) -> Result<(), StoreError> {
        row.updated_at = self.now;
        let put = Operation::put(
            self.records.session_key(&row.root, &row.id),
            Json::of(&row)?,
        );
        let put = put
            .ordered(self.now)
            .expiring(self.now + millis(limits::AGENT_RESULT_MAX_AGE));
        self.operations.push(put);
        Ok(())
    }

    /// Writes a run.
    pub(crate) fn run(&mut self, row: &RunRow) -> Result<(), StoreError> {
        self.kept(RUNS, &row.id, row)
    }

    /// Writes what a run has returned.
    pub(crate) fn result(&mut self, run: &str, row: &ResultRow) -> Result<(), StoreError> {
        self.kept(RESULTS, run, row)
    }

    /// Writes what the next run of a session is given: this, or nothing.
    pub(crate) fn state(
        &mut self,
        session: &str,
        state: Option<&serde_json::Value>,
    ) -> Result<(), StoreError> {
        let key = self.records.under(session);
        match state {
            Some(state) => self.kept(STATES, &key, state),
            None => {
                let delete = Operation::delete(Key::new(STATES, key));
                self.operations.push(delete);
                Ok(())
            }
        }
    }

    fn kept(&mut self, space: &str, key: &str, row: &impl Serialize) -> Result<(), StoreError> {
        let put = Operation::put(Key::new(space, key), Json::of(row)?);
        self.operations
            .push(put.expiring(self.now + millis(limits::AGENT_RESULT_MAX_AGE)));
        Ok(())
    }

    /// Puts a result or a message into a mailbox. The same one again changes nothing but its words.
    pub(crate) fn mail(&mut self, id: &str, mail: &Mail) -> Result<(), StoreError> {
        let key = Key::new(MAIL, format!("{}/{id}", self.records.under(&mail.to)));
        let put = Operation::put(key, Json::of(mail)?).ordered(self.now);
        self.operations
            .push(put.expiring(self.now + millis(limits::AGENT_UNREAD_MAX_AGE)));
        Ok(())
    }

    /// Appends to the transcript of a session.
    pub(crate) fn say(
        &mut self,
        session: &str,
        id: &str,
        message: &Message,
    ) -> Result<(), StoreError> {
        let log = self.records.transcript(session);
        self.operations
            .push(Operation::append(log, id, Json::of(message)?));
        Ok(())
    }

    /// Appends to the changes of a session.
    pub(crate) fn note(
        &mut self,
        session: &str,
        id: String,
        what: &serde_json::Value,
    ) -> Result<(), StoreError> {
        let log = self.records.changes(session);
        self.operations
            .push(Operation::append(log, id, Json::of(what)?));
        Ok(())
    }

    /// Whether everything was written; nothing was where another change came first.
    pub(crate) async fn commit(self) -> Result<bool, StoreError> {
        let key = self.records.tree_key();
        let put = Operation::put(key, Json::of(&self.tree)?).expecting(self.expect);
        let mut operations = vec![put];
        operations.extend(self.operations);
        let commit = self.records.store.commit(operations).await?;
        Ok(matches!(commit, Commit::Done { .. }))
    }
}

impl Records {
    pub(crate) fn new(store: Arc<dyn Store>, workspace: &str, root: &str) -> Self {
        Self {
            store,
            workspace: hash(workspace).into(),
            root: root.into(),
        }
    }

    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// The spaces in which something changes when another process changes this tree.
    pub(crate) fn watched() -> Vec<String> {
        vec![TREES.to_owned(), MAIL.to_owned()]
    }

    /// Begins a change. It is committed or dropped.
    pub(crate) async fn begin(&self) -> Result<Transaction<'_>, StoreError> {
        let row = self.row(self.tree_key()).await?;
        let expect = row
            .as_ref()
            .map_or(Expect::Absent, |row| Expect::Version(row.version));
        let tree = row.map_or_else(|| Ok(Tree::default()), |row| row.value.read())?;
        Ok(Transaction {
            records: self,
            tree,
            now: self.store.now().await?,
            expect,
            operations: Vec::new(),
        })
    }

    /// Waits for another try, a little longer each time.
    pub(crate) async fn pause(attempt: usize) -> Result<(), StoreError> {
        if attempt >= limits::AGENT_SWAP_ATTEMPTS {
            return Err(StoreError::Failed(
                "Others changed the agents of this session each time".to_owned(),
            ));
        }
        let spread = RandomState::new().hash_one(attempt) % 8;
        let most = u64::try_from(attempt.min(40)).unwrap_or(40);
        tokio::time::sleep(Duration::from_millis(spread + most)).await;
        Ok(())
    }

    pub(crate) async fn tree(&self) -> Result<Tree, StoreError> {
        let row = self.row(self.tree_key()).await?;
        row.map_or_else(|| Ok(Tree::default()), |row| row.value.read())
    }

    /// A session of this tree.
    pub(crate) async fn session(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        self.read(self.session_key(&self.root, id)).await
    }

    /// The sessions of this tree, or of all trees of the workspace, oldest key first.
    pub(crate) async fn sessions(
        &self,
        whole_workspace: bool,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let prefix = if whole_workspace {
            format!("{}/", self.workspace)
        } else {
            format!("{}/{}/", self.workspace, hash(&self.root))
        };
        let rows = self
            .scan(SESSIONS, prefix, limits::AGENT_SESSIONS_SCAN_MAX)
            .await?;
        rows.iter().map(|row| row.value.read()).collect()
    }

    pub(crate) async fn run(&self, id: &str) -> Result<Option<RunRow>, StoreError> {
        self.read(Key::new(RUNS, id)).await
    }

    pub(crate) async fn result(&self, run: &str) -> Result<Option<ResultRow>, StoreError> {
        self.read(Key::new(RESULTS, run)).await
    }

    pub(crate) async fn state(
        &self,
        session: &str,
    ) -> Result<Option<serde_json::Value>, StoreError> {
        self.read(Key::new(STATES, self.under(session))).await
    }

    /// What lies in the mailbox of a session, oldest first, each with its key.
    pub(crate) async fn mail(&self, session: &str) -> Result<Vec<(String, Mail)>, StoreError> {
        let prefix = format!("{}/", self.under(session));
        let mut rows = self.scan(MAIL, prefix, limits::STORE_PAGE_MAX_ROWS).await?;
        rows.sort_by_key(|row| row.order);
        rows.into_iter()
            .map(|row| Ok((row.key, row.value.read()?)))
            .collect()
    }

    /// Takes what was shown out of mailboxes.
    pub(crate) async fn take(&self, keys: &[String]) -> Result<(), StoreError> {
        for some in keys.chunks(limits::STORE_OPERATIONS_MAX) {
            let deletes = some
                .iter()
                .map(|key| Operation::delete(Key::new(MAIL, key.as_str())));
            self.store.commit(deletes.collect()).await?;
        }
        Ok(())
    }

    /// Appends to a transcript, beside every other change.
    pub(crate) async fn say(
        &self,
        session: &str,
        id: &str,
        message: &Message,
    ) -> Result<(), StoreError> {
        let append = Operation::append(self.transcript(session), id, Json::of(message)?);
        self.store.commit(vec![append]).await.map(|_| ())
    }

    /// Objectives and results of a session, however much was said between them.
    pub(crate) async fn rounds(&self, session: &str) -> Result<Vec<Message>, StoreError> {
        let log = self.transcript(session);
        let (mut rounds, mut after) = (Vec::new(), None);
        loop {
            let page = Query::Log {
                log: log.clone(),
                after,
                before: None,
                limit: limits::STORE_PAGE_MAX_ROWS,
            };
            let (entries, next) = self.store.scan(page).await?.into_entries()?;
            for entry in &entries {
                let message: Message = entry.value.read()?;
                rounds.extend(Some(message).filter(|message| message.round));
            }
            match entries.last().filter(|_| next.is_some()) {
                Some(last) => after = Some(last.seq),
                None => return Ok(rounds),
            }
        }
    }

    /// The entry of this number in the transcript of a session, if it is still there.
    pub(crate) async fn said(&self, session: &str, seq: u64) -> Result<Option<Entry>, StoreError> {
        let from = Query::Log {
            log: self.transcript(session),
            after: Some(seq.saturating_sub(1)),
            before: None,
            limit: 1,
        };
        let (entries, _) = self.store.scan(from).await?.into_entries()?;
        Ok(entries.into_iter().find(|entry| entry.seq == seq))
    }

    pub(crate) fn transcript(&self, session: &str) -> String {
        format!("agent_messages/{}", self.under(session))
    }

    pub(crate) fn changes(&self, session: &str) -> String {
        format!("agent_changes/{}", self.under(session))
    }

    async fn scan(&self, space: &str, prefix: String, most: usize) -> Result<Vec<Row>, StoreError> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let query = Query::Space {
                space: space.to_owned(),
                prefix: Some(prefix.clone()),
                order: None,
                after,
                limit: limits::STORE_PAGE_MAX_ROWS,
            };
            let (rows, next) = self.store.scan(query).await?.into_rows()?;
            all.extend(rows);
            match next {
                Some(next) if all.len() < most => after = Some(next),
                _ => return Ok(all),
            }
        }
    }

    async fn row(&self, key: Key) -> Result<Option<Row>, StoreError> {
        Ok(self
            .store
            .get(vec![key])
            .await?
            .into_iter()
            .next()
            .flatten())
    }

    async fn read<T: DeserializeOwned>(&self, key: Key) -> Result<Option<T>, StoreError> {
        self.row(key).await?.map(|row| row.value.read()).transpose()
    }

    fn tree_key(&self) -> Key {
        Key::new(TREES, format!("{}/{}", self.workspace, hash(&self.root)))
    }

    fn session_key(&self, root: &str, id: &str) -> Key {
        Key::new(
            SESSIONS,
            format!("{}/{}/{}", self.workspace, hash(root), hash(id)),
        )
    }

    /// A session in names of rows: ids may be longer than a name. Ids that the engine makes are those of no other tree.
    fn under(&self, session: &str) -> String {
        format!("{}/{}", self.workspace, hash(session))
    }
}

pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// An id that nobody else has.
pub(crate) fn fresh(prefix: &str, digits: usize) -> String {
    let number = RandomState::new().hash_one(prefix);
    let mut id = format!("{prefix}_{number:016x}");
    id.truncate(prefix.len() + 1 + digits);
    id
}

/// A name for a text of any length.
fn hash(text: &str) -> String {
    let mut name = blake3::hash(text.as_bytes()).to_hex().to_string();
    name.truncate(32);
    name
}
