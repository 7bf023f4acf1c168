//! A clock that never goes back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tenon_contract::limits;

use crate::Millis;

/// Returns the time of the system.
pub type SystemClock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// The time of the system, except that it never goes back: while the system's clock is behind the last reading, time passes
/// as the processor counts it.
pub struct Clock {
    system: SystemClock,
    last: Mutex<Option<LastReading>>,
}

#[derive(Clone, Copy)]
struct LastReading {
    time: Millis,
    at: Instant,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(Arc::new(system_time))
    }
}

impl Clock {
    /// A clock over this one.
    #[must_use]
    pub fn new(system: SystemClock) -> Self {
        Self {
            system,
            last: Mutex::new(None),
        }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.now_after(Millis::MIN)
    }

    /// The time, which is not before `known`, unless that is so far ahead that it cannot be right.
    #[must_use]
    pub fn now_after(&self, known: Millis) -> Millis {
        let system = (self.system)();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let at = Instant::now();
        let mut reading = last.map_or(LastReading { time: system, at }, |last| {
            if system >= last.time {
                return LastReading { time: system, at };
            }
            // Parts of a millisecond count next time.
            let passed = millis(at.duration_since(last.at));
            let counted = Duration::from_millis(u64::try_from(passed).unwrap_or_default());
            LastReading {
                time: last.time.saturating_add(passed),
                at: last.at + counted,
            }
        });
        let is_plausible = known.saturating_sub(system) <= millis(limits::STORE_CLOCK_MAX_AHEAD);
        if known > reading.time && is_plausible {
            reading = LastReading { time: known, at };
        }
        *last = Some(reading);
        reading.time
    }
}

/// Notices that the clock of the system has leapt ahead of the processor's, as it does when a machine wakes up: what was to
/// be renewed meanwhile is not renewed yet, though its time is over.
#[derive(Debug)]
pub struct Leaps(Mutex<Seen>);

#[derive(Debug)]
struct Seen {
    time: SystemTime,
    at: Instant,
    leapt: Option<Instant>,
}

impl Default for Leaps {
    fn default() -> Self {
        Self(Mutex::new(Seen {
            time: SystemTime::now(),
            at: Instant::now(),
            leapt: None,
        }))
    }
}

impl Leaps {
    /// Whether none was noticed for so long.
    #[must_use]
    pub fn none_for(&self, pause: Duration) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.none_for(pause, SystemTime::now(), Instant::now())
    }
}

impl Seen {
    fn none_for(&mut self, pause: Duration, time: SystemTime, at: Instant) -> bool {
        /// What is less a lease has to outlast.
        const LEAST: Duration = Duration::from_secs(5);
        let passed = time.duration_since(self.time).unwrap_or_default();
        if passed.saturating_sub(at.saturating_duration_since(self.at)) >= LEAST {
            self.leapt = Some(at);
        }
        (self.time, self.at) = (time, at);
        self.leapt
            .is_none_or(|leapt| at.saturating_duration_since(leapt) >= pause)
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Clock")
    }
}

fn system_time() -> Millis {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    }
}

pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    fn settable(time: i64) -> (Arc<AtomicI64>, Clock) {
        let system = Arc::new(AtomicI64::new(time));
        let seen = Arc::clone(&system);
        (
            system,
            Clock::new(Arc::new(move || seen.load(Ordering::Relaxed))),
        )
    }

    #[test]
    fn a_system_clock_that_is_put_back_neither_takes_time_back_nor_stops_it() {
        let (system, clock) = settable(1_000_000);
        assert_eq!(clock.now(), 1_000_000);
        system.store(500, Ordering::Relaxed);
        let first = clock.now();
        assert!((1_000_000..1_001_000).contains(&first), "{first}");
        std::thread::sleep(Duration::from_millis(30));
        let second = clock.now();
        assert!(second >= first + 29, "{second} after {first}");
        system.store(2_000_000, Ordering::Relaxed);
        assert_eq!(clock.now(), 2_000_000);
    }

    #[test]
    fn a_leap_of_the_system_clock_counts_for_a_while_and_nothing_else_does() {
        let (time, at) = (SystemTime::now(), Instant::now());
        let mut seen = Seen {
            time,
            at,
            leapt: None,
        };
        let seconds = Duration::from_secs;
        let mut none_for = |wall: u64, counted: u64| {
            seen.none_for(seconds(15), time + seconds(wall), at + seconds(counted))
        };
        assert!(none_for(100, 100));
        assert!(none_for(204, 200));
        assert!(!none_for(3_800, 201));
        assert!(!none_for(3_814, 215));
        assert!(none_for(3_815, 216));
        // Back, and on from there.
        assert!(none_for(300, 300));
        assert!(none_for(400, 400));
    }

    #[test]
    fn what_others_have_seen_counts_unless_it_cannot_be_right() {
        let (_, clock) = settable(1_000);
        assert_eq!(clock.now_after(5_000), 5_000);
        let week = 7 * 24 * 60 * 60 * 1000;
        let now = clock.now_after(1_000 + week);
        assert!((5_000..6_000).contains(&now), "{now}");
    }
}
