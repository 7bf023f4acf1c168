//! Answers about files that changed on disk since the server read them.
//!
//! Some servers take no notice of files that are announced as changed, or read them at some later time. An answer that
//! leads into such a file is not given: the file is opened in the server, which takes effect at once, and the question is
//! asked again. Where the server does not catch up in time, its answer counts as incomplete.

use std::path::{Path, PathBuf};

use tenon_contract::limits;
use tenon_workspace::Located;
use tokio::time::{Instant, sleep_until};

use crate::freshness::refresh::RefreshError;
use crate::protocol::uri::file_path;
use crate::protocol::wire::RawSymbol;
use crate::queries::address::FoundName;
use crate::queries::query::{Asker, Fault, Query, QueryAnswer, Question};
use crate::server::session::ServerSession;
use crate::servers::Recheck;

impl Asker<'_> {
    /// Asks the question of a server that has read every file that the answer leads to.
    pub(crate) async fn fresh(
        &self,
        question: &Question,
    ) -> Result<(QueryAnswer, bool, Option<FoundName>), Fault> {
        let has_caught_up = self.session.catch_up(&self.document.located).await;
        let (answer, is_complete, found) = self.answer(&question.query, &question.address).await?;
        let unread = self.session.unread(&answer).await;
        if unread.is_empty() {
            let answer = self.session.without_deleted(answer).await;
            return Ok((answer, is_complete && has_caught_up, found));
        }
        let workspace = self.document.located.workspace();
        let located = unread
            .iter()
            .filter_map(|path| workspace.locate(&path.to_string_lossy()).ok())
            .collect();
        self.session
            .open_too(&self.document.located, located, self.cancellation)
            .await
            .map_err(|error| match error {
                RefreshError::File(error) => Fault::File(error),
                RefreshError::Request(error) => Fault::Request(error),
            })?;
        let has_caught_up = self.session.catch_up(&self.document.located).await;
        let (answer, is_complete, found) = self.answer(&question.query, &question.address).await?;
        let is_read = self.session.unread(&answer).await.is_empty();
        let answer = self.session.without_deleted(answer).await;
        Ok((answer, is_complete && has_caught_up && is_read, found))
    }
}

impl ServerSession {
    /// The files that an answer leads to and that changed since the server read them.
    async fn unread(&self, answer: &QueryAnswer) -> Vec<PathBuf> {
        if !self.spec.quirks.opens_changed {
            return Vec::new();
        }
        let state = self.synchronised.lock().await;
        let mut unread: Vec<PathBuf> = paths(answer)
            .into_iter()
            .filter(|path| state.is_unread(path))
            .collect();
        unread.sort();
        unread.dedup();
        unread.truncate(limits::LSP_OPEN_DOCUMENTS_MAX / 2);
        unread
    }

    /// The answer without what it says of files that are gone.
    async fn without_deleted(&self, mut answer: QueryAnswer) -> QueryAnswer {
        let state = self.synchronised.lock().await;
        let is_there = |uri: &str| file_path(uri).is_none_or(|path| !state.is_deleted(&path));
        let of_symbol = |symbol: &RawSymbol| symbol.uri.as_deref().is_none_or(is_there);
        match &mut answer {
            QueryAnswer::Places(places) => places.retain(|place| is_there(&place.uri)),
            QueryAnswer::Symbols(symbols) => symbols.retain(of_symbol),
            QueryAnswer::Items(items) => items.retain(|item| of_symbol(&item.symbol)),
            QueryAnswer::Hover(_) => {}
        }
        answer
    }

    /// Waits until a server that reads files in its own time has read those that are open as they are now; whether it
    /// has. A file that it never reports on is not waited for twice.
    async fn catch_up(&self, file: &Located) -> bool {
        if self.spec.quirks.recheck != Recheck::Force {
            return true;
        }
        let path = file.target();
        let is_behind = {
            let state = self.synchronised.lock().await;
            let document = state.documents.of(path);
            document.is_some_and(|document| document.generation < self.generation())
        };
        if is_behind {
            // Another file changed: what it includes may have moved.
            self.resend(path, /*force*/ true).await;
        }
        let deadline = Instant::now() + limits::LSP_CATCH_UP_TIMEOUT;
        let mut news = self.server_state.published().subscribe();
        loop {
            let behind = self.unreported().await;
            if behind.is_empty() {
                return true;
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { return true },
                // The next request finds out that it is gone.
                _ = self.connection.closed() => return true,
                () = sleep_until(deadline) => {
                    self.silent().extend(behind);
                    return false;
                }
            }
        }
    }

    /// The open files of which the server has not reported the present version.
    async fn unreported(&self) -> Vec<PathBuf> {
        let state = self.synchronised.lock().await;
        let is_behind = |path: &Path, version: i32| {
            let pushed = self.server_state.published().of(path);
            let reported = pushed.and_then(|pushed| pushed.version);
            reported.is_none_or(|reported| reported < i64::from(version))
        };
        let silent = self.silent();
        state
            .documents
            .versions()
            .filter(|(path, version)| !silent.contains(*path) && is_behind(path, *version))
            .map(|(path, _)| path.to_owned())
            .collect()
    }

    /// The version of an open file that was sent last.
    pub(crate) async fn version_of(&self, file: &Path) -> Option<i32> {
        let state = self.synchronised.lock().await;
        let mut versions = state.documents.versions();
        versions.find(|(path, _)| *path == file).map(|(_, it)| it)
    }

    fn silent(&self) -> std::sync::MutexGuard<'_, std::collections::HashSet<PathBuf>> {
        self.silent
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether the server gave as many symbols of the project as it ever gives: there may be more.
    pub(crate) fn has_capped(&self, answer: &QueryAnswer, query: &Query) -> bool {
        /// What servers stop at whose limit is not known.
        const USUAL: usize = 100;
        let (Query::WorkspaceSymbols(_), QueryAnswer::Symbols(symbols)) = (query, answer) else {
            return false;
        };
        match self.spec.quirks.symbols_max {
            Some(most) => symbols.len() >= most,
            None => symbols.len() == USUAL,
        }
    }
}

/// The files that an answer leads to.
fn paths(answer: &QueryAnswer) -> Vec<PathBuf> {
    let of = |uri: &str| file_path(uri);
    match answer {
        QueryAnswer::Places(places) => places.iter().filter_map(|place| of(&place.uri)).collect(),
        QueryAnswer::Symbols(symbols) => symbols
            .iter()
            .filter_map(|symbol| of(symbol.uri.as_deref()?))
            .collect(),
        QueryAnswer::Items(items) => items
            .iter()
            .filter_map(|item| of(item.symbol.uri.as_deref()?))
            .collect(),
        QueryAnswer::Hover(_) => Vec::new(),
    }
}
