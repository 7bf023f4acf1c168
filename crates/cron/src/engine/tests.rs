use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use tenon_store::{MemoryStore, SqliteOptions, SqliteStore, Store};

use super::*;
use crate::{CatchUp, JobChange, JobsOptions, Overlap, Zone};

mod pruning;

const HOUR: Millis = 3_600_000;
const MINUTE: Millis = 60_000;

/// What a run does.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Succeed,
    Fail,
    /// Waits until it is let go or stopped.
    Wait,
    Panic,
}

struct Script {
    does: Mutex<Does>,
    fires: Mutex<Vec<Fire>>,
    go: Notify,
}

impl Runner for Arc<Script> {
    fn run(&self, fire: Fire, stop: CancellationToken) -> FiredFuture {
        let script = Arc::clone(self);
        Box::pin(async move {
            script.fires.lock().unwrap().push(fire);
            let does = *script.does.lock().unwrap();
            match does {
                Does::Succeed => {}
                Does::Fail => return Err("no".to_owned()),
                Does::Panic => panic!("on purpose"),
                Does::Wait => tokio::select! {
                    () = script.go.notified() => {}
                    () = stop.cancelled() => return Err("stopped".to_owned()),
                },
            }
            Ok(Fired {
                ok: true,
                summary: Some("done".to_owned()),
            })
        })
    }
}

/// A process with a clock that is set by hand.
struct World {
    clock: Arc<AtomicI64>,
    /// How far the clock moves with every look at it.
    pace: Arc<AtomicI64>,
    jobs: Jobs,
    worker: Arc<Worker>,
    script: Arc<Script>,
    said: Arc<Mutex<Vec<String>>>,
}

fn start_of(text: &str) -> Millis {
    Zone::utc().time_of(text).unwrap()
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(AtomicI64::new(start_of("2026-11-23T12:00")));
        let read = Arc::clone(&clock);
        let store = MemoryStore::with_clock(Arc::new(move || read.load(Ordering::SeqCst)));
        Self::over(Arc::new(store), clock)
    }

    fn over(store: Arc<dyn Store>, clock: Arc<AtomicI64>) -> Self {
        let (read, pace) = (Arc::clone(&clock), Arc::new(AtomicI64::new(0)));
        let moves = Arc::clone(&pace);
        let jobs = Jobs::new(JobsOptions {
            zone: Zone::utc(),
            clock: Some(Arc::new(move || {
                read.fetch_add(moves.load(Ordering::SeqCst), Ordering::SeqCst)
            })),
            ..JobsOptions::new(store, "/w")
        });
        let script = Arc::new(Script {
            does: Mutex::new(Does::Succeed),
            fires: Mutex::default(),
            go: Notify::new(),
        });
        let said = Arc::new(Mutex::new(Vec::new()));
        let sentences = Arc::clone(&said);
        let options = EngineOptions {
            jobs: jobs.clone(),
            runner: Arc::new(Arc::clone(&script)),
            warn: Some(Arc::new(move |sentence| {
                sentences.lock().unwrap().push(sentence)
            })),
            on_end: None,
        };
        let worker = Worker::new(options, CancellationToken::new(), Arc::new(Notify::new()));
        Self {
            clock,
            pace,
            jobs,
            worker,
            script,
            said,
        }
    }

    /// Another process over the same store.
    fn other(&self) -> Self {
        let store = self.jobs.options().store.clone();
        Self::over(store, Arc::clone(&self.clock))
    }

    fn does(&self, does: Does) {
        *self.script.does.lock().unwrap() = does;
    }

    async fn add(&self, schedule: &str, more: JobChange) -> Job {
        let change = JobChange {
            schedule: Some(schedule.to_owned()),
            prompt: Some("do it".to_owned()),
            ..more
        };
        self.jobs.add(change, Value::Null).await.unwrap()
    }

    fn pass(&self, millis: Millis) {
        self.clock.fetch_add(millis, Ordering::SeqCst);
    }

    async fn tick(&self) -> Duration {
        self.worker.tick().await.unwrap()
    }

    /// Ticks until nothing of this process runs.
    async fn settle(&self) {
        for _ in 0..10_000 {
            self.tick().await;
            if self.worker.running().is_empty() {
                self.tick().await;
                if self.worker.running().is_empty() {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("it still runs");
    }

    fn fires(&self) -> Vec<Fire> {
        self.script.fires.lock().unwrap().clone()
    }

    async fn runs(&self, job: &Job) -> Vec<(String, RunStatus, Trigger, u64)> {
        let runs = self.jobs.runs(&job.id, None, 1000).await.unwrap().runs;
        let lines = runs.iter().rev().map(|run| {
            (
                Zone::utc()
                    .shown(run.scheduled_for)
                    .replace(":00+00:00", ""),
                run.status,
                run.trigger,
                run.missed,
            )
        });
        lines.collect()
    }
}

fn row(
    time: &str,
    status: RunStatus,
    trigger: Trigger,
    missed: u64,
) -> (String, RunStatus, Trigger, u64) {
    (time.to_owned(), status, trigger, missed)
}

use RunStatus::{Cancelled, Failed, Lost, Missed, Running, Skipped, Succeeded, Timeout};
use Trigger::{Catchup, Manual, Schedule as OnTime};

#[tokio::test]
async fn a_job_runs_at_its_time_and_not_before() {
    let world = World::new();
    let job = world.add("every 15m", JobChange::default()).await;
    assert_eq!(world.tick().await, limits::CRON_LOOK_INTERVAL);
    world.pass(15 * MINUTE - 1);
    world.settle().await;
    assert_eq!(world.fires(), []);
    world.pass(1);
    world.settle().await;
    let fires = world.fires();
    assert_eq!(fires.len(), 1);
    assert_eq!(fires[0].run_id, format!("{}@2026-11-23T12:15:00Z", job.id));
    assert_eq!(fires[0].scheduled_for, "2026-11-23T12:15:00+00:00");
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:15", Succeeded, OnTime, 0)]
    );
    assert_eq!(
        world.jobs.get(&job.id).await.unwrap().next,
        Some(start_of("2026-11-23T12:30"))
    );
}

#[tokio::test]
async fn an_occurrence_that_falls_due_during_a_look_is_not_slept_through() {
    let world = World::new();
    let job = world.add("every 15m", JobChange::default()).await;
    world.pass(15 * MINUTE - 1);
    world.pace.store(2, Ordering::SeqCst);
    assert_eq!(world.tick().await, Duration::from_millis(1));
    assert_eq!(world.fires(), []);
    world.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:15", Succeeded, OnTime, 0)]
    );
}

#[tokio::test]
async fn three_days_of_suspend_are_one_run_that_says_how_many_were_missed() {
    let world = World::new();
    let job = world.add("0 * * * *", JobChange::default()).await;
    world.pass(72 * HOUR + 10 * MINUTE);
    world.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-26T12:00", Succeeded, Catchup, 71)]
    );
    let late = World::new();
    let job = late.add("@daily", JobChange::default()).await;
    late.pass(72 * HOUR);
    late.settle().await;
    assert_eq!(
        late.runs(&job).await,
        [row("2026-11-26T00:00", Missed, Catchup, 3)]
    );
}

#[tokio::test]
async fn catch_up_runs_all_or_none_where_that_is_wanted() {
    let all = World::new();
    let job = all
        .add(
            "0 * * * *",
            JobChange {
                catch_up: Some(CatchUp::All),
                window: Some(3 * 3600),
                ..JobChange::default()
            },
        )
        .await;
    all.pass(5 * HOUR + 10 * MINUTE);
    all.settle().await;
    assert_eq!(
        all.runs(&job).await,
        [
            row("2026-11-23T15:00", Succeeded, Catchup, 2),
            row("2026-11-23T16:00", Succeeded, Catchup, 0),
            row("2026-11-23T17:00", Succeeded, Catchup, 0)
        ]
    );
    let none = World::new();
    let job = none
        .add(
            "0 * * * *",
            JobChange {
                catch_up: Some(CatchUp::None),
                ..JobChange::default()
            },
        )
        .await;
    none.pass(5 * HOUR + 10 * MINUTE);
    none.settle().await;
    assert_eq!(
        none.runs(&job).await,
        [row("2026-11-23T17:00", Missed, Catchup, 5)]
    );
    assert_eq!(none.fires(), []);
}

#[tokio::test]
async fn a_one_shot_that_was_missed_runs_late_and_goes() {
    let world = World::new();
    let job = world.add("in 20m", JobChange::default()).await;
    let kept = world
        .add(
            "in 20m",
            JobChange {
                keep: Some(true),
                ..JobChange::default()
            },
        )
        .await;
    world.pass(48 * HOUR);
    world.settle().await;
    assert_eq!(world.fires().len(), 2);
    assert!(world.jobs.get(&job.id).await.is_err());
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:20", Succeeded, Catchup, 0)]
    );
    let kept = world.jobs.get(&kept.id).await.unwrap();
    assert_eq!(
        (kept.enabled, kept.next, kept.disabled_reason.as_deref()),
        (false, None, Some("It has occurred."))
    );
}

#[tokio::test]
async fn a_clock_that_goes_back_repeats_nothing() {
    let world = World::new();
    let job = world.add("*/10 * * * *", JobChange::default()).await;
    world.pass(10 * MINUTE);
    world.settle().await;
    world.pass(-2 * HOUR);
    for _ in 0..12 {
        world.pass(10 * MINUTE);
        world.settle().await;
    }
    assert_eq!(world.fires().len(), 1);
    // 12:10 again, then 12:20.
    world.pass(10 * MINUTE);
    world.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [
            row("2026-11-23T12:10", Succeeded, OnTime, 0),
            row("2026-11-23T12:20", Succeeded, OnTime, 0)
        ]
    );
    // An edit does not bring it back either.
    world.pass(-HOUR);
    let change = JobChange {
        schedule: Some("*/5 * * * *".to_owned()),
        ..JobChange::default()
    };
    let edited = world
        .jobs
        .update(&job.id, change, Value::Null)
        .await
        .unwrap();
    assert_eq!(edited.next, Some(start_of("2026-11-23T12:25")));
}

#[tokio::test]
async fn overlapping_occurrences_are_skipped_queued_replaced_or_run() {
    for (overlap, expected) in [
        (Overlap::Skip, vec![Succeeded, Skipped, Skipped]),
        (Overlap::Queue, vec![Succeeded, Succeeded, Skipped]),
        (Overlap::Replace, vec![Cancelled, Cancelled, Succeeded]),
        (Overlap::Allow, vec![Succeeded, Succeeded, Succeeded]),
    ] {
        let world = World::new();
        world.does(Does::Wait);
        let job = world
            .add(
                "every 5m",
                JobChange {
                    overlap: Some(overlap),
                    ..JobChange::default()
                },
            )
            .await;
        for _ in 0..3 {
            world.pass(5 * MINUTE);
            world.tick().await;
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        world.does(Does::Succeed);
        world.script.go.notify_waiters();
        world.settle().await;
        let statuses: Vec<RunStatus> = world
            .runs(&job)
            .await
            .into_iter()
            .map(|row| row.1)
            .collect();
        assert_eq!(statuses, expected, "{overlap:?}");
        assert_eq!(
            world.jobs.get(&job.id).await.unwrap().active,
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn failures_wait_longer_each_time_and_the_fifth_disables_and_says_so() {
    let world = World::new();
    world.does(Does::Fail);
    let job = world.add("* * * * *", JobChange::default()).await;
    let mut begun = Vec::new();
    for minute in 0..60 {
        world.pass(MINUTE);
        let before = world.fires().len();
        world.settle().await;
        if world.fires().len() > before {
            begun.push(minute + 1);
        }
    }
    assert_eq!(begun, [1, 2, 3, 8, 23]);
    let job = world.jobs.get(&job.id).await.unwrap();
    assert_eq!((job.enabled, job.failures), (false, 5));
    let said = world.said.lock().unwrap().clone();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("failed 5 times in a row"), "{said:?}");
    let again = world
        .jobs
        .update(
            &job.id,
            JobChange {
                enabled: Some(true),
                ..JobChange::default()
            },
            Value::Null,
        )
        .await
        .unwrap();
    assert_eq!(
        (again.enabled, again.failures, again.disabled_reason),
        (true, 0, None)
    );
}

#[tokio::test]
async fn a_one_shot_that_fails_is_tried_again() {
    let world = World::new();
    world.does(Does::Fail);
    let job = world.add("in 1m", JobChange::default()).await;
    world.pass(MINUTE);
    world.settle().await;
    world.does(Does::Succeed);
    world.pass(30_000);
    world.settle().await;
    let statuses: Vec<_> = world
        .runs(&job)
        .await
        .into_iter()
        .map(|row| row.1)
        .collect();
    assert_eq!(statuses, [Failed, Succeeded]);
    assert!(world.jobs.get(&job.id).await.is_err());
}

#[tokio::test]
async fn a_run_that_panics_has_failed_and_the_next_one_runs() {
    let world = World::new();
    world.does(Does::Panic);
    let job = world.add("every 5m", JobChange::default()).await;
    world.pass(5 * MINUTE);
    world.settle().await;
    world.does(Does::Succeed);
    world.pass(5 * MINUTE);
    world.settle().await;
    let statuses: Vec<_> = world
        .runs(&job)
        .await
        .into_iter()
        .map(|row| row.1)
        .collect();
    assert_eq!(statuses, [Failed, Succeeded]);
}

#[tokio::test]
async fn a_run_that_takes_too_long_is_stopped() {
    let world = World::new();
    world.does(Does::Wait);
    let job = world
        .add(
            "every 5m",
            JobChange {
                timeout: Some(1),
                ..JobChange::default()
            },
        )
        .await;
    world.pass(5 * MINUTE);
    world.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:05", Timeout, OnTime, 0)]
    );
}

#[tokio::test]
async fn the_number_of_runs_and_the_end_are_kept() {
    let world = World::new();
    let twice = world
        .add(
            "every 5m",
            JobChange {
                max_runs: Some(2),
                ..JobChange::default()
            },
        )
        .await;
    let until = world
        .add(
            "every 5m",
            JobChange {
                until: Some("2026-11-23T12:12".to_owned()),
                ..JobChange::default()
            },
        )
        .await;
    for _ in 0..5 {
        world.pass(5 * MINUTE);
        world.settle().await;
    }
    assert_eq!(world.runs(&twice).await.len(), 2);
    assert_eq!(world.runs(&until).await.len(), 2);
    let reason = world.jobs.get(&twice.id).await.unwrap().disabled_reason;
    assert_eq!(reason.as_deref(), Some("Its 2 runs have been started."));
    let reason = world.jobs.get(&until.id).await.unwrap().disabled_reason;
    assert_eq!(reason.as_deref(), Some("It has no further occurrence."));
}

#[tokio::test]
async fn a_thousand_jobs_at_one_minute_all_run_once_a_few_at_a_time() {
    let world = World::new();
    // More than a workspace may have: the rows are written as they are.
    let mut operations = Vec::new();
    let mut job = crate::job::example("0 13 * * *", "UTC", world.jobs.now());
    for number in 0..1000 {
        job.id = format!("job_{number:04}");
        operations.push(world.jobs.put(&job).unwrap());
    }
    world.jobs.store().commit(operations).await.unwrap();
    world.pass(HOUR);
    world.settle().await;
    let mut fired = BTreeMap::new();
    for fire in world.fires() {
        *fired.entry(fire.job_id).or_insert(0) += 1;
    }
    assert_eq!(
        (fired.len(), fired.values().all(|count| *count == 1)),
        (1000, true)
    );
}

#[tokio::test]
async fn a_workspace_has_a_hundred_jobs_at_most() {
    let world = World::new();
    for _ in 0..limits::CRON_JOBS_MAX {
        world.add("@daily", JobChange::default()).await;
    }
    let change = JobChange {
        schedule: Some("@daily".to_owned()),
        prompt: Some("x".to_owned()),
        ..JobChange::default()
    };
    let refused = world
        .jobs
        .add(change, Value::Null)
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(
        refused,
        "There are 100 jobs already. Remove one before adding another."
    );
}

#[tokio::test]
async fn jitter_is_the_same_every_time_and_within_its_bounds() {
    let world = World::new();
    let job = world
        .add(
            "0 * * * *",
            JobChange {
                jitter: Some(600),
                ..JobChange::default()
            },
        )
        .await;
    let offset = job.offset();
    assert!((0..600_000).contains(&offset));
    world.pass(HOUR + offset - 1);
    world.settle().await;
    assert_eq!(world.fires().len(), 0);
    world.pass(1);
    world.settle().await;
    assert_eq!(world.fires().len(), 1);
    assert_eq!(world.jobs.get(&job.id).await.unwrap().offset(), offset);
}

#[tokio::test]
async fn a_job_that_is_edited_or_removed_while_it_runs_ends_in_peace() {
    let world = World::new();
    world.does(Does::Wait);
    let edited = world.add("every 5m", JobChange::default()).await;
    let removed = world.add("every 5m", JobChange::default()).await;
    world.pass(5 * MINUTE);
    world.tick().await;
    world.jobs.remove(&removed.id).await.unwrap();
    let change = JobChange {
        schedule: Some("every 1h".to_owned()),
        ..JobChange::default()
    };
    world
        .jobs
        .update(&edited.id, change, Value::Null)
        .await
        .unwrap();
    world.does(Does::Succeed);
    while world.fires().len() < 2 {
        tokio::task::yield_now().await;
    }
    world.script.go.notify_waiters();
    world.settle().await;
    assert_eq!(
        world.runs(&edited).await,
        [row("2026-11-23T12:05", Succeeded, OnTime, 0)]
    );
    assert_eq!(
        world.runs(&removed).await,
        [row("2026-11-23T12:05", Succeeded, OnTime, 0)]
    );
    let edited = world.jobs.get(&edited.id).await.unwrap();
    assert_eq!(
        (edited.active.len(), edited.next),
        (0, Some(start_of("2026-11-23T13:05")))
    );
    world.pass(20 * MINUTE);
    world.settle().await;
    assert_eq!(world.fires().len(), 2);
    // What a removed job did is kept for a week.
    world.pass(8 * 24 * HOUR);
    assert_eq!(world.runs(&removed).await, []);
}

#[tokio::test]
async fn a_zone_that_disappears_disables_the_job_with_the_reason() {
    let world = World::new();
    let mut job = world.add("every 5m", JobChange::default()).await;
    job.tz = "Mars/Olympus".to_owned();
    let put = world.jobs.put(&job).unwrap();
    world.jobs.store().commit(vec![put]).await.unwrap();
    world.pass(5 * MINUTE);
    world.settle().await;
    let job = world.jobs.get(&job.id).await.unwrap();
    assert!(
        !job.enabled
            && job
                .disabled_reason
                .unwrap()
                .contains("`Mars/Olympus` is not a time zone")
    );
}

#[tokio::test]
async fn a_run_by_hand_is_beside_the_schedule_and_by_one_process() {
    let world = World::new();
    let job = world.add("@daily", JobChange::default()).await;
    let (_, run_id) = world.jobs.run(&job.id).await.unwrap();
    assert!(
        world
            .jobs
            .run(&job.id)
            .await
            .unwrap_err()
            .to_string()
            .contains("waits already")
    );
    let other = world.other();
    other.settle().await;
    world.settle().await;
    let fires: Vec<String> = world
        .fires()
        .into_iter()
        .chain(other.fires())
        .map(|fire| fire.run_id)
        .collect();
    assert_eq!(fires, [run_id]);
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:00", Succeeded, Manual, 0)]
    );
    assert_eq!(
        world.jobs.get(&job.id).await.unwrap().next,
        Some(start_of("2026-11-24T00:00"))
    );
}

#[tokio::test]
async fn a_run_whose_owner_died_is_lost_and_not_repeated_unless_that_is_wanted() {
    let dead = World::new();
    dead.does(Does::Wait);
    let job = dead.add("every 5m", JobChange::default()).await;
    let again = dead
        .add(
            "every 5m",
            JobChange {
                retry_lost: Some(true),
                ..JobChange::default()
            },
        )
        .await;
    let once = dead.add("in 5m", JobChange::default()).await;
    dead.pass(5 * MINUTE);
    dead.tick().await;
    assert_eq!(
        dead.runs(&job).await,
        [row("2026-11-23T12:05", Running, OnTime, 0)]
    );
    // It never ticks again.
    let world = dead.other();
    world.settle().await;
    assert_eq!(world.fires(), []);
    world.pass(31_000);
    world.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:05", Lost, OnTime, 0)]
    );
    let statuses: Vec<_> = world
        .runs(&again)
        .await
        .into_iter()
        .map(|row| (row.1, row.2))
        .collect();
    assert_eq!(statuses, [(Lost, OnTime), (Succeeded, Catchup)]);
    let once = world.jobs.get(&once.id).await.unwrap();
    assert!(!once.enabled && once.disabled_reason.unwrap().contains("was lost"));
    assert_eq!(world.said.lock().unwrap().len(), 3);
    // What the dead one would say now comes too late.
    dead.script.go.notify_waiters();
    dead.settle().await;
    assert_eq!(
        world.runs(&job).await,
        [row("2026-11-23T12:05", Lost, OnTime, 0)]
    );
}

#[tokio::test]
async fn the_runs_of_a_job_are_bounded() {
    let world = World::new();
    let job = world.add("every 1m", JobChange::default()).await;
    for _ in 0..560 {
        world.pass(MINUTE);
        world.settle().await;
    }
    let runs = world.jobs.runs(&job.id, None, 1000).await.unwrap().runs;
    assert_eq!(runs.len(), 500);
    let page = world.jobs.runs(&job.id, None, 200).await.unwrap();
    let rest = world
        .jobs
        .runs(&job.id, page.next.as_deref(), 1000)
        .await
        .unwrap();
    assert_eq!(
        (page.runs.len(), rest.runs.len(), rest.next),
        (200, 300, None)
    );
}

/// Counts the runs of each occurrence.
#[derive(Default)]
struct Count(Mutex<BTreeMap<String, usize>>, AtomicUsize);

impl Runner for Arc<Count> {
    fn run(&self, fire: Fire, _: CancellationToken) -> FiredFuture {
        *self.0.lock().unwrap().entry(fire.run_id).or_insert(0) += 1;
        self.1.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {
            Ok(Fired {
                ok: true,
                summary: None,
            })
        })
    }
}

#[test]
fn of_two_engines_on_one_file_one_runs_each_occurrence() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state.db");
    let engine = |count: &Arc<Count>| {
        // A store of its own, as another process has.
        let store: Arc<dyn Store> = Arc::new(SqliteStore::new(SqliteOptions::new(&file)));
        let jobs = Jobs::new(JobsOptions {
            least_interval: Duration::from_secs(1),
            zone: Zone::utc(),
            ..JobsOptions::new(store, "/w")
        });
        let options = EngineOptions {
            jobs: jobs.clone(),
            runner: Arc::new(Arc::clone(count)),
            warn: None,
            on_end: None,
        };
        (Engine::start(options).unwrap(), jobs)
    };
    let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
    let engines = [engine(&counts[0]), engine(&counts[1])];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let change = JobChange {
        schedule: Some("* * * * * *".to_owned()),
        prompt: Some("x".to_owned()),
        ..JobChange::default()
    };
    let job = runtime
        .block_on(engines[0].1.add(change, Value::Null))
        .unwrap();
    engines[0].0.nudge();
    engines[1].0.nudge();
    let ran = || {
        counts
            .iter()
            .map(|count| count.1.load(Ordering::SeqCst))
            .sum::<usize>()
    };
    let patience = std::time::Instant::now() + Duration::from_secs(60);
    while ran() < 6 && std::time::Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(50));
    }
    for (engine, _) in &engines {
        engine.close();
    }
    let mut each: BTreeMap<String, usize> = BTreeMap::new();
    for count in &counts {
        for (run, times) in count.0.lock().unwrap().iter() {
            *each.entry(run.clone()).or_insert(0) += times;
        }
    }
    assert!(
        each.len() >= 6 && each.values().all(|times| *times == 1),
        "{each:?}"
    );
    let rows = runtime
        .block_on(engines[0].1.runs(&job.id, None, 1000))
        .unwrap()
        .runs;
    let known: Vec<String> = rows.iter().map(|run| run.run_id.clone()).collect();
    assert!(each.keys().all(|run| known.contains(run)));
}

/// Set for the process that is killed.
const VICTIM: &str = "TENON_CRON_TEST_VICTIM";

/// Runs a job for good, where another test has started this one as a process of its own.
#[test]
fn victim() {
    let Ok(file) = std::env::var(VICTIM) else {
        return;
    };
    struct Forever;
    impl Runner for Forever {
        fn run(&self, _: Fire, _: CancellationToken) -> FiredFuture {
            Box::pin(std::future::pending())
        }
    }
    let store: Arc<dyn Store> = Arc::new(SqliteStore::new(SqliteOptions::new(file)));
    let jobs = Jobs::new(JobsOptions {
        zone: Zone::utc(),
        ..JobsOptions::new(store, "/w")
    });
    let options = EngineOptions {
        jobs,
        runner: Arc::new(Forever),
        warn: None,
        on_end: None,
    };
    let _engine = Engine::start(options).unwrap();
    std::thread::sleep(Duration::from_secs(120));
}

#[test]
fn a_process_that_is_killed_between_claim_and_end_leaves_a_run_that_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let ahead = Arc::new(AtomicI64::new(0));
    let read = Arc::clone(&ahead);
    let clock: tenon_store::SystemClock =
        Arc::new(move || jiff::Timestamp::now().as_millisecond() + read.load(Ordering::SeqCst));
    let store: Arc<dyn Store> = Arc::new(SqliteStore::new(SqliteOptions {
        clock: Some(clock.clone()),
        ..SqliteOptions::new(&file)
    }));
    let count = Arc::new(Count::default());
    let jobs = Jobs::new(JobsOptions {
        zone: Zone::utc(),
        clock: Some(clock),
        ..JobsOptions::new(store, "/w")
    });
    let change = JobChange {
        schedule: Some("@yearly".to_owned()),
        prompt: Some("x".to_owned()),
        ..JobChange::default()
    };
    let job = runtime.block_on(jobs.add(change, Value::Null)).unwrap();
    let (_, run_id) = runtime.block_on(jobs.run(&job.id)).unwrap();
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "engine::tests::victim", "--nocapture"])
        .env(VICTIM, &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let status = || {
        let runs = runtime.block_on(jobs.runs(&job.id, None, 10)).unwrap().runs;
        runs.first().map(|run| (run.run_id.clone(), run.status))
    };
    let patience = std::time::Instant::now() + Duration::from_secs(60);
    while status().is_none() && std::time::Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(status(), Some((run_id.clone(), Running)));
    ahead.store(40_000, Ordering::SeqCst);
    let options = EngineOptions {
        jobs: jobs.clone(),
        runner: Arc::new(Arc::clone(&count)),
        warn: None,
        on_end: None,
    };
    let engine = Engine::start(options).unwrap();
    while status() != Some((run_id.clone(), Lost)) && std::time::Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
    }
    engine.close();
    assert_eq!(status(), Some((run_id, Lost)));
    assert_eq!(count.1.load(Ordering::SeqCst), 0);
}
