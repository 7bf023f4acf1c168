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
/// As many of them are the first ones, where nothing went lost: an error stands above its backtrace.
const FIRST_LINES: usize = 4;

/// The last bytes, kept while the server runs. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct StandardError {
    kept: Arc<Mutex<Kept>>,
    /// Cancelled at the end of the stream.
    over: CancellationToken,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Whether there was more before them.
    is_cut: bool,
}

impl StandardError {
    /// Reads until the end of the stream; without it a full pipe would stop the server.
    pub(crate) async fn read(self, mut stream: impl AsyncRead + Unpin) {
        let _over = self.over.clone().drop_guard();
        let mut buffer = vec![0; 8 * 1024];
        // An error is an end, too.
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.bytes.extend(buffer.get(..read).unwrap_or_default());
            let surplus = { kept.bytes.len() }.saturating_sub(limits::LSP_STDERR_MAX_BYTES);
            kept.bytes.drain(..surplus);
            kept.is_cut |= surplus > 0;
        }
    }

    /// Waits for the rest of what a process that has ended wrote: its last words are often still in the pipe.
    pub(crate) async fn drained(&self) {
        // A child of the process may keep the stream open.
        let _ = tokio::time::timeout(REST, self.over.cancelled()).await;
    }

    /// The last lines, for an error, and the first where they are known.
    pub(crate) fn last_words(&self) -> Option<String> {
        self.last_words_with(&[])
    }

    /// The same, the lines of `said` behind them.
    pub(crate) fn last_words_with(&self, said: &[String]) -> Option<String> {
        let stderr = self.tail();
        let lines: Vec<&str> = stderr
            .lines()
            .chain(said.iter().map(String::as_str))
            .collect();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let words = if lines.len() <= LINES_MAX {
            lines
        } else if kept.is_cut {
            lines.get(lines.len() - LINES_MAX..)?.to_vec()
        } else {
            let last = lines.get(lines.len() - (LINES_MAX - FIRST_LINES)..)?;
            [lines.get(..FIRST_LINES)?, &["…"], last].concat()
        };
        let words = words.join("\n");
        (!words.trim().is_empty()).then_some(words)
    }

    /// What is kept, as text without escape sequences.
    pub(crate) fn tail(&self) -> String {
        let kept: Vec<u8> = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .bytes
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

    #[tokio::test]
    async fn an_error_above_its_backtrace_is_quoted() {
        let kept = StandardError::default();
        let frames: Vec<String> = (1..=20).map(|frame| format!("frame {frame}")).collect();
        let text = format!("error: not there\n{}\n", frames.join("\n"));
        kept.clone().read(text.as_bytes()).await;
        assert_eq!(
            kept.last_words().unwrap(),
            "error: not there\nframe 1\nframe 2\nframe 3\n…\nframe 13\nframe 14\nframe 15\nframe 16\nframe 17\nframe 18\nframe 19\nframe 20"
        );
    }
}
