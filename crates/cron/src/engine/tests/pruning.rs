//! Old rows of runs, which are removed beside a claim.

use tenon_store::{Commit, Key, Operation, Page, Row, StoreError, StoreFuture};

use super::*;

/// A store that removes nothing.
struct Unremoving(MemoryStore);

impl Store for Unremoving {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        let removes = |operation: &Operation| matches!(operation, Operation::Delete(_));
        if operations.iter().all(removes) {
            return Box::pin(async { Err(StoreError::Failed("the disk is full".to_owned())) });
        }
        self.0.commit(operations)
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        self.0.get(keys)
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        self.0.scan(query)
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.0.now()
    }
}

#[tokio::test]
async fn a_run_that_is_claimed_starts_although_old_rows_cannot_be_removed() {
    let clock = Arc::new(AtomicI64::new(start_of("2026-11-23T12:00")));
    let read = Arc::clone(&clock);
    let store = MemoryStore::with_clock(Arc::new(move || read.load(Ordering::SeqCst)));
    let world = World::over(Arc::new(Unremoving(store)), clock);
    let mut job = world.add("every 15m", JobChange::default()).await;
    // The next row is one beside which the oldest are removed.
    job.rows = limits::CRON_RUNS_KEPT + 19;
    let mut operations = vec![world.jobs.put(&job).unwrap()];
    for number in 0..=limits::CRON_RUNS_KEPT {
        let time = job.created_at - MINUTE * Millis::try_from(number + 1).unwrap();
        let old = Run {
            run_id: job.run_id(time),
            job_id: job.id.clone(),
            scheduled_for: time,
            started_at: time,
            ended_at: Some(time),
            trigger: OnTime,
            status: Succeeded,
            missed: 0,
            summary: None,
            error: None,
            owner: String::new(),
        };
        operations.push(world.jobs.put_run(&old, None).await.unwrap());
    }
    world.jobs.store().commit(operations).await.unwrap();
    world.pass(15 * MINUTE);
    world.settle().await;
    assert_eq!(world.fires().len(), 1);
    let last = world.runs(&job).await.pop();
    assert_eq!(last, Some(row("2026-11-23T12:15", Succeeded, OnTime, 0)));
}
