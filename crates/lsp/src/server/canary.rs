//! Whether a server finds anything at all.
//!
//! pylsp without its linters and bash-language-server without shellcheck report no findings in any file, and say
//! nothing of it. Before an empty list of theirs is believed, they are once shown a text with a fault.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::protocol::uri::file_uri;
use crate::server::session::ServerSession;
use crate::servers::Canary;

/// How long the fault is waited for.
const WAIT: Duration = Duration::from_millis(8_000);

impl ServerSession {
    /// Whether the server finds the fault that every one finds. Asked once; the file is never on disk.
    pub(crate) async fn checks(&self, canary: &Canary) -> bool {
        *self.checks.get_or_init(|| self.try_canary(canary)).await
    }

    async fn try_canary(&self, canary: &Canary) -> bool {
        let _alone = self.diagnosing.lock().await;
        let path = self.root.join(canary.file);
        let uri = file_uri(&path);
        let item = json!({ "uri": uri, "languageId": crate::language_id(canary.file), "version": 1, "text": canary.text });
        let mut news = self.server_state.published().subscribe();
        self.connection.notify(
            "textDocument/didOpen",
            Some(&json!({ "textDocument": item })),
        );
        let deadline = Instant::now() + WAIT;
        let found = async {
            loop {
                let pushed = self.server_state.published().of(&path);
                if pushed.is_some_and(|pushed| !pushed.items.is_empty()) {
                    return true;
                }
                tokio::select! {
                    changed = news.changed() => if changed.is_err() { return false },
                    () = sleep_until(deadline) => return false,
                }
            }
        };
        let found = timeout_at(deadline, found).await.unwrap_or(false);
        self.connection.notify(
            "textDocument/didClose",
            Some(&json!({ "textDocument": { "uri": uri } })),
        );
        self.server_state.published().forget(&path);
        found
    }
}
