//! What a change of the clocks does to a schedule, in sentences.

use tenon_store::Millis;

use crate::{Schedule, Zone};

/// How far ahead is looked, in milliseconds: every yearly change.
const AHEAD: Millis = 366 * 86_400_000;
/// Changes of the clocks that are looked at.
const CHANGES: usize = 8;
/// Times of day of one change that are named.
const NAMED: usize = 3;

/// The sentences about the changes of the clocks within a year that move an occurrence, or that come twice.
#[must_use]
pub fn clock_changes(schedule: &Schedule, zone: &Zone, now: Millis) -> Vec<String> {
    let (Some(expression), Some(start)) = (schedule.fixed(), zone.at(now)) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    for change in zone.rules().following(start.timestamp()).take(CHANGES) {
        let at = change.timestamp().as_millisecond();
        if at - now > AHEAD {
            break;
        }
        let (Some(before), Some(after)) = (zone.at(at - 1), zone.at(at)) else {
            continue;
        };
        // Wall time before the change, continued, and wall time after it.
        let continued = before.offset().to_datetime(change.timestamp());
        let there = after.datetime();
        if there == continued || before.offset() == after.offset() {
            continue;
        }
        let (from, to) = if there > continued {
            (continued, there)
        } else {
            (there, continued)
        };
        for time in expression.within(from, to).take(NAMED) {
            let date = time.date();
            let clock = time.strftime("%H:%M");
            let name = zone.name();
            notes.push(if there > continued {
                let run = schedule.after(at - 1, zone).ok().flatten();
                let run = run.and_then(|run| zone.at(run));
                let run = run.map_or_else(String::new, |run| {
                    format!(" It runs at {} instead.", run.strftime("%H:%M"))
                });
                format!("On {date} the clocks in {name} skip {clock}.{run}")
            } else {
                format!(
                    "On {date} the clocks in {name} show {clock} twice. It runs once, at the first."
                )
            });
        }
    }
    notes
}
