//! The end of what a server writes on its standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_contract::limits;
use tenon_process::strip_escapes;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;

/// How long the rest of the stream is awaited once the process has ended.
const REST: Duration = Duration::from_millis(500);
/// Lines of it that an error quotes.
const LINES_MAX: usize = 12;

/// The last bytes, kept while the server runs. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandardError {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Cancelled at the end of the stream.
    over: CancellationToken,
}

impl StandardError {
    /// Reads until the end of the stream; without it a full pipe would stop the server.
    pub(crate) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let _over = self.over.clone().drop_guard();
        let mut buffer = vec![0; 8 * 1024];
        // An error is an end, too.
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(buffer.get(..read).unwrap_or_default());
            let surplus = kept.len().saturating_sub(limits::LSP_STDERR_MAX_BYTES);
            kept.drain(..surplus);
        }
    }

    /// Waits for the rest of what a process that has ended wrote: its last words are often still in the pipe.
    pub(crate) async fn drained(&self) {
        // A child of the process may keep the stream open.
        let _ = tokio::time::timeout(REST, self.over.cancelled()).await;
    }

    /// The last lines, for an error.
    pub(crate) fn last_words(&self) -> Option<String> {
        self.last_words_with(&[])
    }

    /// The last lines, those of `said` behind them.
    pub(crate) fn last_words_with(&self, said: &[String]) -> Option<String> {
        let stderr = self.tail();
        let lines: Vec<&str> = stderr
            .lines()
            .chain(said.iter().map(String::as_str))
            .collect();
        let first = lines.len().saturating_sub(LINES_MAX);
        let last = lines.get(first..)?.join("\n");
        (!last.trim().is_empty()).then_some(last)
    }

    /// What is kept, as text without escape sequences.
    pub(crate) fn tail(&self) -> String {
        let kept: Vec<u8> = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .copied()
            .collect();
        strip_escapes(&String::from_utf8_lossy(&kept))
            .trim()
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_and_escapes_are_not() {
        let kept = StandardError::default();
        let text = format!(
            "{}\u{1b}[31mlast words\u{1b}[0m\n",
            "x".repeat(limits::LSP_STDERR_MAX_BYTES * 2)
        );
        kept.clone().read(text.as_bytes()).await;
        kept.drained().await;
        assert!(kept.tail().ends_with("xlast words"));
        assert!(kept.tail().len() < limits::LSP_STDERR_MAX_BYTES);
    }
}
