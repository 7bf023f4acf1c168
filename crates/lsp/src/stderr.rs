//! The end of what a server writes on its standard error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_contract::limits;
use tenon_process::strip_escapes;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The last bytes, kept while the server runs. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandardError(Arc<Mutex<VecDeque<u8>>>);

impl StandardError {
    /// Reads until the end of the stream; without it a full pipe would stop the server.
    pub(crate) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 * 1024];
        // An error is an end, too.
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(buffer.get(..read).unwrap_or_default());
            let surplus = kept.len().saturating_sub(limits::LSP_STDERR_MAX_BYTES);
            kept.drain(..surplus);
        }
    }

    /// What is kept, as text without escape sequences.
    pub(crate) fn tail(&self) -> String {
        let kept: Vec<u8> = self
            .0
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
        assert!(kept.tail().ends_with("xlast words"));
        assert!(kept.tail().len() < limits::LSP_STDERR_MAX_BYTES);
    }
}
