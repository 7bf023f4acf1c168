//! Before a server is asked it is sent what changed: nothing that it returns is about files as they were.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tenon_contract::limits;
use tenon_workspace::{Error, Located};
use tokio_util::sync::CancellationToken;

use crate::error::RequestError;
use crate::freshness::disk::{Change, Snapshot, changes, is_of_installed, new_directories};
use crate::freshness::documents::{DiskCheck, Document, Documents, Fresh, look};
use crate::protocol::uri::file_uri;
use crate::server::capabilities::SyncKind;
use crate::server::session::{Patience, ServerSession};
use crate::servers::{Reload, ServerSpec, is_named, language_id};

/// What a server knows of the disk.
#[derive(Debug)]
pub(crate) struct Synchronised {
    pub(crate) documents: Documents,
    /// The files as it last received them.
    reported: Arc<Snapshot>,
    /// Which files are among them, by endings and names.
    names: Vec<String>,
    /// What happened to files since the server was started that were not opened in it since.
    unread: HashMap<PathBuf, Change>,
}

impl Synchronised {
    pub(crate) fn new(reported: Arc<Snapshot>, names: Vec<String>) -> Self {
        Self {
            documents: Documents::default(),
            reported,
            names,
            unread: HashMap::new(),
        }
    }

    /// What changed on disk since, of the files of these names. What is looked at for the first time, or
    /// no more, has not.
    fn changes(&mut self, now: &Snapshot, names: Vec<String>) -> Vec<(PathBuf, Change)> {
        let mut changed = changes(&self.reported, now);
        if names != self.names {
            let known = std::mem::replace(&mut self.names, names);
            let is_in =
                |names: &[String], file: &str| names.iter().any(|name| is_named(name, file));
            changed.retain(|(path, _)| {
                let file = file_name(path);
                is_in(&known, &file) && is_in(&self.names, &file) || is_of_installed(path)
            });
        }
        changed
    }

    /// Takes what there is `now` of files that are looked at for the first time for what the server knows.
    fn begin(&mut self, now: &Snapshot, names: Vec<String>) {
        let is_in = |names: &[String], path: &Path| {
            let file = file_name(path);
            names.iter().any(|name| is_named(name, &file)) || is_of_installed(path)
        };
        let mut reported = Snapshot::clone(&self.reported);
        reported.retain(|path, _| is_in(&names, path));
        let first = now.iter().filter(|(path, _)| !is_in(&self.names, path));
        reported.extend(first.map(|(path, modified)| (path.clone(), *modified)));
        self.reported = Arc::new(reported);
        self.names = names;
    }

    /// Whether a file changed that the server may know as it was.
    pub(crate) fn is_unread(&self, path: &Path) -> bool {
        self.unread
            .get(path)
            .is_some_and(|change| *change != Change::Deleted)
    }

    /// Whether a file that the server knew is gone.
    pub(crate) fn is_deleted(&self, path: &Path) -> bool {
        self.unread.get(path) == Some(&Change::Deleted)
    }
}

/// Why a server could not be notified.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] Error),
    /// The caller aborted, or the server is gone.
    #[error(transparent)]
    Request(#[from] RequestError),
}

impl ServerSession {
    /// Announces everything that changed, opens `file` if it is not, and answers it as the server knows it now.
    pub(crate) async fn refresh(
        &self,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Result<Document, RefreshError> {
        self.open_too(file, Vec::new(), cancellation).await
    }

    /// As [`refresh`](Self::refresh), and opens these files as well.
    pub(crate) async fn open_too(
        &self,
        file: &Located,
        others: Vec<Located>,
        cancellation: &CancellationToken,
    ) -> Result<Document, RefreshError> {
        let cancelled = || RefreshError::Request(RequestError::Cancelled);
        let work = async {
            let names = self.watched_names();
            let now = self.disk.look(names.clone()).await;
            let mut synchronised = self.synchronised.lock().await;
            let changed = synchronised.changes(&now, names);
            let mut more = self.to_open(&changed, file);
            more.extend(others);
            let looks = synchronised.documents.looks(Some(file), more);
            let seen = tokio::task::spawn_blocking(move || look(looks))
                .await
                .map_err(|_| cancelled())??;
            // From here on nothing is awaited: what is noted was sent.
            self.announce_all(&mut synchronised, now, &changed, seen, file.target());
            let document = synchronised.documents.of(file.target()).cloned();
            drop(synchronised);
            self.reload(cancellation).await?;
            document.ok_or_else(|| {
                Error::Changed {
                    path: file.name().to_owned(),
                }
                .into()
            })
        };
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(cancelled()),
            document = work => document,
        }
    }

    /// The files that changed and that a server has to be given, since it would read them too late.
    fn to_open(&self, changed: &[(PathBuf, Change)], file: &Located) -> Vec<Located> {
        if !self.spec.quirks.opens_changed {
            return Vec::new();
        }
        let is_handled =
            |path: &Path| path.starts_with(&self.root) && self.spec.handles(&file_name(path));
        let there = changed
            .iter()
            .filter(|(path, change)| !matches!(change, Change::Deleted) && is_handled(path));
        let located =
            there.filter_map(|(path, _)| file.workspace().locate(&path.to_string_lossy()).ok());
        located.take(limits::LSP_OPEN_DOCUMENTS_MAX / 2).collect()
    }

    fn announce_all(
        &self,
        state: &mut Synchronised,
        now: Arc<Snapshot>,
        changed: &[(PathBuf, Change)],
        seen: Vec<(PathBuf, DiskCheck)>,
        asked: &Path,
    ) {
        let announced = self.announce(changed, &state.reported);
        state.reported = now;
        // Others are not opened in it: it reads them by itself.
        let own = changed
            .iter()
            .filter(|(path, _)| self.spec.watches_path(path));
        state
            .unread
            .extend(own.map(|(path, change)| (path.clone(), *change)));
        let is_new_text = |seen: &DiskCheck| match seen {
            DiskCheck::Same(_) => false,
            DiskCheck::Gone => true,
            DiskCheck::Changed(fresh) => state.documents.of(fresh.path()).is_some(),
        };
        if announced || seen.iter().any(|(_, seen)| is_new_text(seen)) {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        for (path, seen) in seen {
            if !matches!(seen, DiskCheck::Gone) {
                state.unread.remove(&path);
            }
            match seen {
                DiskCheck::Same(Some(fingerprint)) => state.documents.confirm(&path, fingerprint),
                DiskCheck::Same(None) => {}
                DiskCheck::Gone => self.close_document(&mut state.documents, &path),
                DiskCheck::Changed(fresh) => self.send(&mut state.documents, *fresh),
            }
        }
        state.documents.used(asked);
        while let Some(surplus) = state.documents.surplus() {
            self.close_document(&mut state.documents, &surplus);
        }
    }

    /// Looks at the files that the server has registered for, so that it can be informed of what becomes of them.
    pub(crate) async fn begin_to_watch(&self) {
        let names = self.watched_names();
        let mut synchronised = self.synchronised.lock().await;
        if names != synchronised.names {
            let now = self.disk.look(names.clone()).await;
            synchronised.begin(&now, names);
        }
    }

    /// The endings and names of the files that the server is informed of: its own, and those that it has registered.
    fn watched_names(&self) -> Vec<String> {
        let mut names = self.spec.names();
        names.extend(self.server_state.watchers().names().cloned());
        names.sort();
        names.dedup();
        names
    }

    /// Announces files that changed on disk since `before`, and directories that are new; whether there were any.
    fn announce(&self, changes: &[(PathBuf, Change)], before: &Snapshot) -> bool {
        let watchers = self.server_state.watchers();
        let is_wanted = |path: &Path| {
            if watchers.is_empty() {
                path.starts_with(&self.root) && self.spec.watches_path(path)
            } else {
                watchers.matches(path)
            }
        };
        // ty finds no module in a directory that it knows to be missing.
        let directories = new_directories(changes, before, &self.root, &is_wanted);
        let files = changes.iter().filter(|(path, _)| is_wanted(path));
        let wanted: Vec<Value> = directories
            .iter()
            .map(|path| (path, Change::Created))
            .chain(files.map(|(path, change)| (path, *change)))
            .map(|(path, change)| json!({ "uri": file_uri(path), "type": change as u8 }))
            .collect();
        if !wanted.is_empty() {
            self.connection.notify(
                "workspace/didChangeWatchedFiles",
                Some(&json!({ "changes": wanted })),
            );
        }
        let is_new =
            |(path, change): &(PathBuf, Change)| *change == Change::Created && is_wanted(path);
        let is_unnoticed = match self.spec.quirks.reload {
            Some(Reload::Command(_)) => !wanted.is_empty(),
            Some(Reload::Tsserver) => is_at_top(&self.root) && changes.iter().any(is_new),
            None => return !wanted.is_empty(),
        } || changes.iter().any(|(path, _)| is_of_installed(path));
        if is_unnoticed {
            self.reload.store(true, Ordering::Release);
        }
        is_unnoticed || !wanted.is_empty()
    }

    /// Makes a server that takes no notice of announced files read them again.
    async fn reload(&self, cancellation: &CancellationToken) -> Result<(), RequestError> {
        if !self.reload.load(Ordering::Acquire) {
            return Ok(());
        }
        match self.spec.quirks.reload {
            Some(Reload::Command(command)) => {
                let params = json!({ "command": command, "arguments": [] });
                let patience = Patience::of(limits::LSP_ANSWER_TIMEOUT);
                let _: Value = self
                    .ask("workspace/executeCommand", &params, patience, cancellation)
                    .await?;
            }
            Some(Reload::Tsserver) => self.reload_tsserver(cancellation).await?,
            None => {}
        }
        self.reload.store(false, Ordering::Release);
        Ok(())
    }

    /// Sends a file that is new to the server or has another text.
    fn send(&self, documents: &mut Documents, fresh: Fresh) {
        let (now, before) = documents.take(fresh, self.generation());
        match &before {
            None => self.open_document(&now),
            Some(before) => {
                self.change_document(before, &now, Value::Null);
                self.save_document(&now);
            }
        }
    }

    fn open_document(&self, document: &Document) {
        let item = json!({
            "uri": document.uri,
            "languageId": self.language_id(document),
            "version": document.version,
            "text": &**document.text.text(),
        });
        self.connection.notify(
            "textDocument/didOpen",
            Some(&json!({ "textDocument": item })),
        );
    }

    fn language_id(&self, document: &Document) -> String {
        let name = file_name(document.located.target());
        language_id(&name).map_or_else(|| self.spec.language.clone(), str::to_owned)
    }

    fn change_document(&self, before: &Document, now: &Document, extra: Value) {
        let text = &**now.text.text();
        let change = match self.server_state.features(|features| features.sync_kind()) {
            // Without a range vtsls takes it for an insertion.
            SyncKind::Incremental => {
                json!({ "range": before.text.whole(self.encoding()), "text": text })
            }
            SyncKind::Full => json!({ "text": text }),
            SyncKind::None => {
                self.connection
                    .notify("textDocument/didClose", Some(&identified(&before.uri)));
                return self.open_document(now);
            }
        };
        let mut params = json!({
            "textDocument": { "uri": now.uri, "version": now.version },
            "contentChanges": [change],
        });
        if let (Some(params), Value::Object(extra)) = (params.as_object_mut(), extra) {
            params.extend(extra);
        }
        self.connection
            .notify("textDocument/didChange", Some(&params));
    }

    fn save_document(&self, document: &Document) {
        let Some(with_text) = self.server_state.features(|features| features.saving()) else {
            return;
        };
        let mut params = identified(&document.uri);
        if let (true, Some(params)) = (with_text, params.as_object_mut()) {
            params.insert("text".to_owned(), document.text.text().to_string().into());
        }
        self.connection
            .notify("textDocument/didSave", Some(&params));
    }

    fn close_document(&self, documents: &mut Documents, path: &Path) {
        if let Some(document) = documents.close(path) {
            self.connection
                .notify("textDocument/didClose", Some(&identified(&document.uri)));
            self.server_state.published().forget(path);
        }
    }

    /// How often the server was informed of changes.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Sends the same text once more under a new version, so that the server looks at it again.
    pub(crate) async fn resend(&self, path: &Path, force: bool) -> Option<Document> {
        let mut state = self.synchronised.lock().await;
        let before = state.documents.of(path)?.clone();
        let now = state.documents.again(path, self.generation())?;
        let extra = if force {
            json!({ "forceRebuild": true })
        } else {
            Value::Null
        };
        self.change_document(&before, &now, extra);
        Some(now)
    }
}

fn identified(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

/// Whether a project is so high up that a tsserver does not watch its directory for modules that were missing.
fn is_at_top(root: &Path) -> bool {
    let names = root
        .components()
        .filter(|name| matches!(name, Component::Normal(_)));
    names.count() <= 2
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

impl ServerSpec {
    fn watches_path(&self, path: &Path) -> bool {
        self.watches(&file_name(path))
    }

    /// The endings and names of all files that it cares for.
    pub(crate) fn names(&self) -> Vec<String> {
        self.files.iter().chain(&self.watched).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_watched_since_it_was_registered_can_go() {
        let files = |names: &[&str]| -> Snapshot {
            names.iter().map(|name| ((*name).into(), None)).collect()
        };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let before = Arc::new(files(&["a.foo", "z.bar"]));
        let mut known = Synchronised::new(before, names(&[".bar", ".foo"]));
        let both = || names(&[".foo", ".ts"]);
        known.begin(&files(&["b.foo", "x.ts", "y.ts"]), both());
        let mut changed = known.changes(&files(&["b.foo", "y.ts"]), both());
        changed.sort();
        let change = |name: &str, change| (PathBuf::from(name), change);
        assert_eq!(
            changed,
            [
                change("a.foo", Change::Deleted),
                change("b.foo", Change::Created),
                change("x.ts", Change::Deleted)
            ]
        );
    }

    #[test]
    fn what_is_watched_for_the_first_time_or_no_more_has_not_changed() {
        let files = |names: &[&str]| -> Arc<Snapshot> {
            Arc::new(names.iter().map(|name| ((*name).into(), None)).collect())
        };
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut known = Synchronised::new(files(&["a.foo"]), names(&[".foo"]));
        let mut changed = |now: &[&str], watched: &[&str]| -> Vec<(String, Change)> {
            let now = files(now);
            let changed = known.changes(&now, names(watched));
            known.reported = now;
            let shown = changed.into_iter();
            shown
                .map(|(path, change)| (file_name(&path), change))
                .collect()
        };
        let created = |name: &str| (name.to_owned(), Change::Created);
        assert_eq!(
            changed(&["a.foo", "b.foo", "x.ts"], &[".foo", ".ts"]),
            [created("b.foo")]
        );
        assert_eq!(
            changed(&["a.foo", "b.foo", "x.ts", "y.ts"], &[".foo", ".ts"]),
            [created("y.ts")]
        );
        assert_eq!(changed(&["a.foo", "b.foo"], &[".foo"]), []);
    }
}
