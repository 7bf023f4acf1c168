//! Putting the answer of [`find`](crate::find()) together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use crate::collect::Collector;
use crate::task::Batch;
use crate::{Facts, FindOutput, FindRequest, FindSort, FoundEntry, Progress, Stopped, Totals};

/// In which order entries are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Path,
    Modified,
    /// The best first, then the shorter path, then by path.
    Score,
}

/// What ranks an entry that is not answered by path: the lowest comes first. The last number is the
/// place in path order.
type Rank = (Reverse<Option<SystemTime>>, Reverse<u32>, usize, u64);

/// Puts the answer together.
pub(crate) struct EntryCollector {
    order: Order,
    limit: usize,
    count_all: bool,
    seen: u64,
    in_path_order: Vec<FoundEntry>,
    /// At most `limit` entries, the first to go on top.
    best: BinaryHeap<(Rank, Ranked)>,
    pub(crate) facts: Facts,
}

/// An entry that does not take part in comparisons: what ranks it stands before it.
struct Ranked(FoundEntry);

impl PartialEq for Ranked {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, _other: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl EntryCollector {
    pub(crate) fn new(request: &FindRequest) -> Self {
        Self {
            order: match request.sort {
                FindSort::Modified => Order::Modified,
                FindSort::Path if request.ranks() => Order::Score,
                FindSort::Path => Order::Path,
            },
            limit: request.limit.unwrap_or(usize::MAX),
            count_all: request.count_all,
            seen: 0,
            in_path_order: Vec::new(),
            best: BinaryHeap::new(),
            facts: Facts::default(),
        }
    }

    pub(crate) fn take_entry(&mut self, entry: FoundEntry) -> ControlFlow<()> {
        let place = self.seen;
        self.seen += 1;
        if self.order == Order::Path {
            if self.in_path_order.len() < self.limit {
                self.in_path_order.push(entry);
            } else if !self.count_all {
                return ControlFlow::Break(());
            }
            return ControlFlow::Continue(());
        }
        let score = entry.score.unwrap_or(0);
        let length = match self.order {
            Order::Score => entry.path.len(),
            Order::Path | Order::Modified => 0,
        };
        let rank = (Reverse(entry.modified), Reverse(score), length, place);
        self.best.push((rank, Ranked(entry)));
        if self.best.len() > self.limit {
            self.best.pop();
        }
        ControlFlow::Continue(())
    }

    fn totals(&self) -> Totals {
        Totals {
            matches: self.seen,
            files: self.seen,
            exact: false,
        }
    }

    /// `resume` is where an answer by path can be taken up.
    pub(crate) fn into_output(
        self,
        stopped: Option<Stopped>,
        resume: Option<String>,
    ) -> FindOutput {
        let totals = Totals {
            exact: stopped.is_none(),
            ..self.totals()
        };
        let resume = resume.filter(|_| self.order == Order::Path);
        let entries = match self.order {
            Order::Path => self.in_path_order,
            Order::Modified | Order::Score => self
                .best
                .into_sorted_vec()
                .into_iter()
                .map(|(_, Ranked(entry))| entry)
                .collect(),
        };
        FindOutput {
            entries,
            totals,
            stopped,
            resume,
            facts: self.facts,
        }
    }
}

impl Collector for EntryCollector {
    type Found = FoundEntry;

    fn take(&mut self, batch: Batch<FoundEntry>) -> ControlFlow<()> {
        self.facts += batch.facts;
        batch
            .found
            .into_iter()
            .try_for_each(|entry| self.take_entry(entry))
    }

    fn wanted(&self) -> u64 {
        match self.order {
            Order::Path if !self.count_all => (self.limit as u64)
                .saturating_add(1)
                .saturating_sub(self.seen),
            Order::Path | Order::Modified | Order::Score => u64::MAX,
        }
    }

    fn progress(&self) -> Progress<'_> {
        Progress {
            files: &[],
            totals: self.totals(),
            facts: self.facts,
        }
    }
}
