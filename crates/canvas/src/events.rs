//! What the user did in a canvas.

use std::collections::VecDeque;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::limits;

use crate::gate::Gate;

/// Longest type of an event, in characters.
const TYPE_CHARACTERS: usize = 64;

/// Something that happened in a canvas.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Event {
    /// Counts up from 1.
    pub id: u64,
    /// As the page named it; `message` for a message of the user, `error` for an error of a script.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the page said about it.
    pub data: Value,
}

/// The events of a canvas after one of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Events {
    /// The oldest first.
    pub events: Vec<Event>,
    /// The id to continue after.
    pub next: u64,
    /// Events that were lost: too many in a second, too large, or older than those that are kept.
    pub dropped: u64,
}

#[derive(Debug)]
pub(crate) struct EventLog {
    kept: VecDeque<Event>,
    last: u64,
    refused: u64,
    gate: Gate,
}

/// Why an event is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// Too many in a second.
    TooMany,
    /// Too large.
    TooLarge,
}

impl EventLog {
    pub(crate) fn new() -> Self {
        Self {
            kept: VecDeque::new(),
            last: 0,
            refused: 0,
            gate: Gate::new(Instant::now()),
        }
    }

    pub(crate) fn push(&mut self, kind: &str, data: Value, now: Instant) -> Result<(), Dropped> {
        if !self.gate.passes(now) {
            self.refused += 1;
            return Err(Dropped::TooMany);
        }
        if data.to_string().len() > limits::CANVAS_EVENT_MAX_BYTES {
            self.refused += 1;
            return Err(Dropped::TooLarge);
        }
        self.last += 1;
        if self.kept.len() >= limits::CANVAS_EVENTS_KEPT {
            self.kept.pop_front();
        }
        let kind = kind
            .chars()
            .filter(|letter| !letter.is_control())
            .take(TYPE_CHARACTERS)
            .collect();
        self.kept.push_back(Event {
            id: self.last,
            kind,
            data,
        });
        Ok(())
    }

    pub(crate) fn after(&self, after: u64) -> Events {
        let events: Vec<Event> = self
            .kept
            .iter()
            .filter(|event| event.id > after)
            .cloned()
            .collect();
        let oldest = self.kept.front().map_or(self.last + 1, |event| event.id);
        Events {
            events,
            next: self.last,
            dropped: self.refused + (oldest.saturating_sub(1)).saturating_sub(after),
        }
    }

    /// How many there were after one of them.
    pub(crate) const fn last(&self) -> u64 {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_flood_is_counted_and_not_kept() {
        let (mut log, now) = (EventLog::new(), Instant::now());
        let taken = (0..1_000)
            .filter(|number| log.push("click", json!(number), now).is_ok())
            .count();
        assert_eq!(taken, 10);
        let found = log.after(8);
        assert_eq!(
            found
                .events
                .iter()
                .map(|event| event.id)
                .collect::<Vec<_>>(),
            [9, 10]
        );
        assert_eq!((found.next, found.dropped), (10, 990));
    }

    #[test]
    fn the_oldest_go_first_and_are_counted() {
        let (mut log, now) = (EventLog::new(), Instant::now());
        for number in 0..300_u64 {
            log.push("t", json!(number), now + Duration::from_secs(number))
                .unwrap();
        }
        let found = log.after(50);
        assert_eq!(
            (found.events.len(), found.next, found.dropped),
            (200, 300, 50)
        );
        assert_eq!(
            log.push(
                "t",
                json!("x".repeat(16 * 1024)),
                now + Duration::from_secs(999)
            ),
            Err(Dropped::TooLarge)
        );
    }
}
