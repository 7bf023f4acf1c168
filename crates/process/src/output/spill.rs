//! Writes a whole output to a private file while it streams, without blocking the reader.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::output::private_directory::PrivateDirectory;
use crate::{OutputFilter, Spill};

/// Bytes gathered before they are handed to a blocking thread.
const BLOCK_BYTES: usize = 1024 * 1024;

/// One file being written.
#[derive(Debug)]
pub(crate) struct SpillWriter {
    /// What the bytes pass first.
    filter: Option<Box<dyn OutputFilter>>,
    blocks: BlockWriter,
}

/// Writes bytes as they are. At most two blocks are in memory: one filling, one being written.
#[derive(Debug)]
struct BlockWriter {
    directory: Arc<PrivateDirectory>,
    state: Spill,
    block: Vec<u8>,
    writing: Writing,
}

#[derive(Debug)]
enum Writing {
    Idle(File),
    Busy(JoinHandle<(File, Vec<u8>, io::Result<()>)>),
    /// Nothing more is written; `Spill::failure` says why.
    Stopped,
}

impl SpillWriter {
    /// Makes the file. A failure is kept in the state, never returned: a full disk must not take
    /// the command's result away.
    pub(crate) fn create(directory: Arc<PrivateDirectory>, kind: &str) -> Self {
        let mut state = Spill {
            number: 0,
            path: PathBuf::new(),
            bytes: 0,
            complete: true,
            failure: None,
            openers: directory.openers,
        };
        let writing = match directory.create_output(kind) {
            Ok((number, path, file)) => {
                state.number = number;
                state.path = path;
                Writing::Idle(file)
            }
            Err(error) => {
                fail(&mut state, format!("The file could not be made: {error}."));
                Writing::Stopped
            }
        };
        Self {
            filter: directory.guard().map(|guard| guard.filter()),
            blocks: BlockWriter {
                directory,
                state,
                block: Vec::new(),
                writing,
            },
        }
    }

    /// What is known of the file.
    pub(crate) fn state(&self) -> Spill {
        self.blocks.state.clone()
    }

    /// Takes the next bytes. Waits only while an earlier block is still being written.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        match &mut self.filter {
            Some(filter) => self.blocks.put(&filter.push(bytes)).await,
            None => self.blocks.put(bytes).await,
        }
    }

    /// Takes what is left, and waits until all is in the file.
    pub(crate) async fn finish(&mut self) {
        if let Some(filter) = &mut self.filter {
            self.blocks.put(&filter.finish()).await;
        }
        self.blocks.flush().await;
    }

    /// Waits until all that was taken is in the file.
    pub(crate) async fn flush(&mut self) {
        self.blocks.flush().await;
    }
}

impl BlockWriter {
    async fn put(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !matches!(self.writing, Writing::Stopped) {
            let room = BLOCK_BYTES.saturating_sub(self.block.len());
            let (first, rest) = bytes.split_at(room.min(bytes.len()));
            let granted = self.directory.reserve(self.state.bytes, first.len() as u64);
            let (taken, _) = first.split_at(usize::try_from(granted).unwrap_or(0).min(first.len()));
            self.block.extend_from_slice(taken);
            self.state.bytes += granted;
            if taken.len() < first.len() {
                fail(
                    &mut self.state,
                    "The quota for output on disk is used up.".into(),
                );
                self.flush().await;
                self.writing = Writing::Stopped;
                return;
            }
            if self.block.len() >= BLOCK_BYTES {
                self.hand_over().await;
            }
            bytes = rest;
        }
    }

    async fn flush(&mut self) {
        if !self.block.is_empty() {
            self.hand_over().await;
        }
        self.settle().await;
    }

    async fn hand_over(&mut self) {
        let mut spare = self.settle().await;
        std::mem::swap(&mut spare, &mut self.block);
        self.writing = match std::mem::replace(&mut self.writing, Writing::Stopped) {
            Writing::Idle(mut file) => Writing::Busy(tokio::task::spawn_blocking(move || {
                let done = file.write_all(&spare);
                spare.clear();
                (file, spare, done)
            })),
            other => other,
        };
    }

    /// Waits for the block being written and returns its memory.
    async fn settle(&mut self) -> Vec<u8> {
        let Writing::Busy(task) = &mut self.writing else {
            return Vec::new();
        };
        let joined = task.await;
        match joined {
            Ok((file, block, Ok(()))) => {
                self.writing = Writing::Idle(file);
                block
            }
            Ok((file, block, Err(error))) => {
                fail(&mut self.state, format!("Writing failed: {error}."));
                // What was taken is more than what the file got.
                let length = file.metadata().map(|found| found.len());
                self.state.bytes = length.unwrap_or(0).min(self.state.bytes);
                self.writing = Writing::Stopped;
                block
            }
            Err(error) => {
                fail(&mut self.state, format!("Writing was broken off: {error}."));
                self.writing = Writing::Stopped;
                Vec::new()
            }
        }
    }
}

fn fail(state: &mut Spill, reason: String) {
    state.complete = false;
    state.failure.get_or_insert(reason);
}
