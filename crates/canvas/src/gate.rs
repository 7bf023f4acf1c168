//! How many events a canvas may report.

use std::time::Instant;

use tenon_contract::limits;

/// Lets through a number of events in a second.
#[derive(Debug)]
pub(crate) struct Gate {
    since: Instant,
    passed: u32,
}

impl Gate {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            since: now,
            passed: 0,
        }
    }

    /// Whether one more may pass now.
    pub(crate) fn passes(&mut self, now: Instant) -> bool {
        if now.saturating_duration_since(self.since).as_secs() >= 1 {
            *self = Self::new(now);
        }
        self.passed += 1;
        self.passed <= limits::CANVAS_EVENTS_PER_SECOND
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ten_pass_in_a_second_and_ten_more_in_the_next() {
        let start = Instant::now();
        let mut gate = Gate::new(start);
        let passed =
            |gate: &mut Gate, at: Duration| (0..100).filter(|_| gate.passes(start + at)).count();
        assert_eq!(passed(&mut gate, Duration::ZERO), 10);
        assert_eq!(passed(&mut gate, Duration::from_millis(999)), 0);
        assert_eq!(passed(&mut gate, Duration::from_millis(1_000)), 10);
    }
}
