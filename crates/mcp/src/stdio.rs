//! A server that is a program: started, read within bounds, and ended with everything it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_process::{ChildStdin, ChildStdout, ServiceEnd, ServiceProcess, ServiceSpec};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::error::{failed, words};
use crate::host::ServerContext;
use crate::lines::{EDGE_BYTES, id_in, readable, refusal};
use crate::stderr::Tail;

/// How long a server that is to end may take by itself once its input is closed, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);
/// How long what a server wrote before it died may take to be read.
const DRAIN: Duration = Duration::from_millis(300);
/// Longest line of a server. The protocol library has its own limit, which is a little higher.
const LINE_MAX_BYTES: usize = 16 * 1024 * 1024 - 64 * 1024;

/// The life of a server's process. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Life {
    end: CancellationToken,
    _end_with_me: DropGuard,
    ended: watch::Receiver<Option<ServiceEnd>>,
    stderr: Tail,
}

/// A started program and its streams.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) life: Life,
    pub(crate) stdout: Bounded<ChildStdout>,
    pub(crate) stdin: ChildStdin,
}

/// What is to be started.
pub(crate) struct Program<'a> {
    pub(crate) server: &'a str,
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a BTreeMap<String, String>,
    pub(crate) cwd: &'a str,
    pub(crate) sandbox: Option<&'a Value>,
}

impl Program<'_> {
    /// Starts it. `connection` is cancelled when it has ended, and cancelling it closes its input.
    pub(crate) fn start(
        &self,
        context: &ServerContext,
        connection: &CancellationToken,
    ) -> Result<Started, ToolError> {
        let server = self.server;
        let directory = PathBuf::from(self.cwd);
        let spec = ServiceSpec {
            program: self.find(context, &directory)?,
            arguments: self.args.iter().map(OsString::from).collect(),
            directory,
            environment: self
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.into()))
                .collect(),
            grace: GRACE,
        };
        let sandbox = match self.sandbox {
            Some(option) => (context.sandbox)(option)?,
            None => None,
        };
        let processes = &context.processes;
        let started = match sandbox.as_deref() {
            Some(sandbox) => processes.start_service_in(&spec, sandbox),
            None => processes.start_service(&spec),
        };
        let service = started.map_err(|error| {
            let reason = words(&error.to_string());
            let message = format!("The MCP server `{server}` could not be started: {reason}.");
            failed(server, ErrorCode::ProcessFailed, message)
        })?;
        let stderr = Tail::default();
        tokio::spawn(stderr.clone().read(service.stderr));
        let (sender, ended) = watch::channel(None);
        let (end, silent) = (CancellationToken::new(), CancellationToken::new());
        tokio::spawn(watch_over(
            service.process,
            end.clone(),
            silent.clone(),
            connection.clone(),
            sender,
        ));
        Ok(Started {
            life: Life {
                _end_with_me: end.clone().drop_guard(),
                end,
                ended,
                stderr,
            },
            stdout: Bounded::new(service.stdout, LINE_MAX_BYTES, silent),
            stdin: service.stdin,
        })
    }

    fn find(&self, context: &ServerContext, directory: &Path) -> Result<PathBuf, ToolError> {
        let (server, command) = (self.server, self.command);
        let is_path = command.contains('/') || (cfg!(windows) && command.contains('\\'));
        let named = match is_path {
            true => directory.join(command).into_os_string(),
            false => command.into(),
        };
        context.processes.find_program(named, |_| false).ok_or_else(|| {
            let place = if is_path { "does not exist or is not executable" } else { "is not in `PATH`" };
            let message = format!(
                "The MCP server `{server}` could not be started: the program `{}` {place}. Install it, or correct `mcpServers.{server}.command`.",
                words(command)
            );
            failed(server, ErrorCode::Unavailable, message)
        })
    }
}

impl Life {
    /// Ends the process: its input is closed, then it is asked, then it is killed with everything it started.
    pub(crate) async fn finish(&self) {
        self.end.cancel();
        let mut ended = self.ended.clone();
        // The sender goes only after it has reported the end.
        let _ = ended.wait_for(Option::is_some).await;
    }

    /// How it ended, if it did or does in a moment.
    pub(crate) async fn how(&self) -> Option<ServiceEnd> {
        let mut ended = self.ended.clone();
        let waited = tokio::time::timeout(GRACE, ended.wait_for(Option::is_some)).await;
        waited.ok()?.ok()?.clone()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    pub(crate) fn last_words(&self) -> String {
        self.stderr.text()
    }
}

/// Holds the process until it has ended, and reports how.
async fn watch_over(
    mut process: ServiceProcess,
    end: CancellationToken,
    silent: CancellationToken,
    connection: CancellationToken,
    sender: watch::Sender<Option<ServiceEnd>>,
) {
    // One that has closed its output cannot be spoken with; most are about to end by themselves then.
    let silence = async {
        silent.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    let by_itself = tokio::select! {
        biased;
        how = process.ended() => Some(how),
        () = end.cancelled() => None,
        () = silence => None,
    };
    let how = match by_itself {
        Some(how) => {
            tokio::select! {
                () = silent.cancelled() => {}
                () = tokio::time::sleep(DRAIN) => {}
            }
            how
        }
        None => {
            connection.cancel();
            match tokio::time::timeout(GRACE, process.ended()).await {
                Ok(how) => how,
                Err(_) => {
                    process.end();
                    process.ended().await
                }
            }
        }
    };
    // Reported first: a caller that finds the connection closed wants to know why.
    sender.send_replace(Some(how));
    connection.cancel();
}

/// The output of a server, in lines of bounded length that can be read. An answer that is too long or cannot be read
/// becomes an error for the request that it answers; otherwise nobody would know, and the request would wait.
#[derive(Debug)]
pub(crate) struct Bounded<R> {
    inner: R,
    max: usize,
    /// Cancelled at the end of the stream.
    silent: CancellationToken,
    block: Box<[u8]>,
    /// To be handed out, from `next` on.
    out: Vec<u8>,
    next: usize,
    /// The present line, as far as it is known.
    line: Vec<u8>,
    /// Bytes of the present line.
    length: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    is_over: bool,
}

impl<R> Bounded<R> {
    fn new(inner: R, max: usize, silent: CancellationToken) -> Self {
        Self {
            inner,
            max,
            silent,
            block: vec![0; 64 * 1024].into_boxed_slice(),
            out: Vec::new(),
            next: 0,
            line: Vec::new(),
            length: 0,
            head: Vec::new(),
            tail: Vec::new(),
            is_over: false,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = piece.last() == Some(&b'\n');
            let room = EDGE_BYTES.saturating_sub(self.head.len()).min(piece.len());
            self.head
                .extend_from_slice(piece.get(..room).unwrap_or_default());
            self.length += piece.len();
            if self.is_over {
                self.keep_tail(piece);
            } else if self.length > self.max {
                self.line = Vec::new();
                self.is_over = true;
                self.keep_tail(piece);
            } else {
                self.line.extend_from_slice(piece);
            }
            if ends {
                self.end_line();
            }
        }
    }

    fn keep_tail(&mut self, piece: &[u8]) {
        self.tail.extend_from_slice(piece);
        let surplus = self.tail.len().saturating_sub(EDGE_BYTES);
        self.tail.drain(..surplus);
    }

    fn end_line(&mut self) {
        if self.is_over {
            if let Some(id) = id_in(&self.head, self.tail.trim_ascii_end()) {
                let megabytes = self.max / (1024 * 1024) + 1;
                let reason =
                    format!("its answer is longer than {megabytes} MB. Request less at once");
                self.out.extend_from_slice(&refusal(&id, &reason));
            }
        } else {
            self.out.extend_from_slice(&readable(&self.line));
            if !self.line.ends_with(b"\n") {
                self.out.push(b'\n');
            }
        }
        self.is_over = false;
        self.length = 0;
        self.line.clear();
        self.head.clear();
        self.tail.clear();
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        while this.next >= this.out.len() {
            this.out.clear();
            this.next = 0;
            let mut block = std::mem::take(&mut this.block);
            let mut room = ReadBuf::new(&mut block);
            let polled = Pin::new(&mut this.inner).poll_read(context, &mut room);
            let count = room.filled().len();
            if matches!(polled, Poll::Ready(Ok(()))) {
                this.take(block.get(..count).unwrap_or_default());
            }
            this.block = block;
            ready!(polled).inspect_err(|_| this.silent.cancel())?;
            if count == 0 {
                this.silent.cancel();
                if this.length == 0 {
                    return Poll::Ready(Ok(()));
                }
                // What a server wrote last counts, also without its line feed.
                this.end_line();
            }
        }
        let rest = this.out.get(this.next..).unwrap_or_default();
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(rest.get(..count).unwrap_or_default());
        this.next += count;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    async fn read(text: &str, max: usize) -> String {
        let mut bounded = Bounded::new(text.as_bytes(), max, CancellationToken::new());
        let mut out = String::new();
        bounded.read_to_string(&mut out).await.unwrap();
        out
    }

    #[tokio::test]
    async fn lines_within_the_bound_pass_as_they_are() {
        let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\nnoise\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\r\nno end";
        assert_eq!(read(text, 100).await, format!("{text}\n"));
    }

    #[tokio::test]
    async fn an_answer_that_is_too_long_becomes_an_error_for_its_request() {
        let long = "x".repeat(200_000);
        let next = "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}";
        for (line, id) in [
            (
                format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"{long}\"}}"),
                Some("7"),
            ),
            (
                format!("{{\"result\":{{\"a\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":\"b\"}}"),
                Some("\"b\""),
            ),
            (
                format!("{{\"result\":{{\"id\":1,\"a\":\"{long}\",\"id\":5}}}}"),
                None,
            ),
            (long.clone(), None),
        ] {
            let out = read(&format!("{line}\n{next}\n"), 1000).await;
            let lines: Vec<_> = out.lines().collect();
            assert_eq!(lines.last(), Some(&next));
            let answer = lines.iter().rev().nth(1).copied().unwrap_or_default();
            match id {
                Some(id) => assert!(
                    answer.starts_with(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\"")),
                    "{answer}"
                ),
                None => assert!(!answer.contains("error"), "{answer}"),
            }
            assert!(lines.iter().all(|line| line.len() <= 1100));
        }
    }

    #[tokio::test]
    async fn the_end_of_the_stream_is_reported() {
        let silent = CancellationToken::new();
        let mut bounded = Bounded::new(&b"x"[..], 10, silent.clone());
        let mut out = Vec::new();
        bounded.read_to_end(&mut out).await.unwrap();
        assert!(silent.is_cancelled());
    }
}
