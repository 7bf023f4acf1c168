//! Putting the answer of [`grep`](crate::grep()) together.

use std::ops::ControlFlow;

use super::{GrepMode, GrepOutput, GrepRequest, RuledOut};
use crate::collect::Collector;
use crate::task::Batch;
use crate::{Facts, FileMatches, Progress, Stopped, Totals};

/// Puts the answer together.
pub(super) struct MatchCollector {
    mode: GrepMode,
    before: usize,
    after: usize,
    offset: u64,
    limit: u64,
    /// Everything taken so far, in the unit of the limit.
    seen: u64,
    files: Vec<FileMatches>,
    totals: Totals,
    pub(super) facts: Facts,
}

impl MatchCollector {
    pub(super) fn new(request: &GrepRequest) -> Self {
        let shows_context = request.shows_context();
        Self {
            mode: request.mode,
            before: if shows_context { request.before } else { 0 },
            after: if shows_context { request.after } else { 0 },
            offset: request.offset as u64,
            limit: request.limit.map_or(u64::MAX, |limit| limit as u64),
            seen: 0,
            files: Vec::new(),
            totals: Totals::default(),
            facts: Facts::default(),
        }
    }

    fn end(&self) -> u64 {
        self.offset.saturating_add(self.limit)
    }

    /// Takes one file. Breaks when it holds the first match beyond the limit.
    pub(super) fn take_file(&mut self, mut file: FileMatches) -> ControlFlow<()> {
        let weight = match self.mode {
            GrepMode::Lines => file.matches,
            _ => 1,
        };
        let first = self.seen;
        self.seen = self.seen.saturating_add(weight);
        self.totals.files += 1;
        self.totals.matches += match self.mode {
            GrepMode::Lines | GrepMode::Counts => file.matches,
            GrepMode::Files | GrepMode::FilesWithout => 1,
        };
        let wanted = self.offset.saturating_sub(first).min(weight)
            ..self.end().saturating_sub(first).min(weight);
        if !wanted.is_empty() {
            if self.mode == GrepMode::Lines && wanted != (0..weight) {
                file.keep(&wanted, self.before, self.after);
            }
            self.files.push(file);
        }
        if self.seen > self.end() {
            if self.mode == GrepMode::Lines {
                self.totals.matches = self.end() + 1;
            }
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    pub(super) fn into_output(
        self,
        stopped: Option<Stopped>,
        resume: Option<String>,
    ) -> GrepOutput {
        GrepOutput {
            files: self.files,
            totals: Totals {
                exact: stopped.is_none(),
                ..self.totals
            },
            stopped,
            resume,
            other_case: None,
            ruled_out: RuledOut::default(),
            facts: self.facts,
        }
    }
}

impl Collector for MatchCollector {
    type Found = FileMatches;

    fn take(&mut self, batch: Batch<FileMatches>) -> ControlFlow<()> {
        self.facts += batch.facts;
        batch
            .found
            .into_iter()
            .try_for_each(|file| self.take_file(file))
    }

    fn wanted(&self) -> u64 {
        self.end().saturating_add(1).saturating_sub(self.seen)
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            files: &self.files,
            totals: self.totals,
            facts: self.facts,
        }
    }
}
