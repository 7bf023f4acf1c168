//! Calls that wait for each other in a circle.
//!
//! What a call holds is given back when it has ended, and with it all that was made within it. So somebody who waits
//! keeps back what it holds itself, and what the calls hold within which it was made.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::{Held, Key, Ticket, Turn, held};

/// Who has a locked path, and who waits for it, in their order.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) holder: Claimant,
    pub(super) waiting: VecDeque<Arc<Ticket>>,
}

/// Who has or wants a path.
#[derive(Debug, Clone)]
pub(super) struct Claimant {
    /// The number of what it holds.
    number: u64,
    /// The numbers of what the calls hold within which it was made.
    outer: Arc<[u64]>,
    /// What it is called in an error.
    pub(super) name: Arc<str>,
}

/// Why somebody keeps back what others want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It has some of its paths, and could ask for all of them again.
    Some,
    /// It is made within a call whose handler has begun.
    Within,
}

impl Claimant {
    pub(super) fn of(taken: &Held, outer: &[Arc<Held>], name: &str) -> Self {
        Self {
            number: taken.number,
            outer: outer.iter().map(|outer| outer.number).collect(),
            name: Arc::from(name),
        }
    }

    /// Whether, and why, it keeps back what is held under this number.
    fn holds(&self, number: u64) -> Option<Hold> {
        if self.number == number {
            return Some(Hold::Some);
        }
        self.outer.contains(&number).then_some(Hold::Within)
    }
}

/// What to do about somebody who wants a path that is locked.
pub(super) enum Way {
    /// It comes to its turn.
    Wait,
    /// It comes to its turn once it has given back what it has.
    GiveBack,
    /// It never does.
    Never,
}

/// Whether this one comes to its turn if it waits for a path that is locked. Others in the circle that can give back what
/// they have are made to.
pub(super) fn way(table: &HashMap<Key, Queue>, key: &Key, asking: &Claimant) -> Way {
    let Some(queue) = table.get(key) else {
        return Way::Wait;
    };
    loop {
        let mut circle = Vec::new();
        let first = queue.holder.number;
        let Some(last) = find(table, asking, first, &mut HashSet::new(), &mut circle) else {
            return Way::Wait;
        };
        if last == Hold::Some {
            return Way::GiveBack;
        }
        let Some((other, _)) = circle.iter().find(|(_, hold)| *hold == Hold::Some) else {
            return Way::Never;
        };
        other.end(Turn::GiveBack);
    }
}

/// How what is held under this number waits for what `asking` keeps back; who waits in between.
fn find(
    table: &HashMap<Key, Queue>,
    asking: &Claimant,
    number: u64,
    seen: &mut HashSet<u64>,
    circle: &mut Vec<(Arc<Ticket>, Hold)>,
) -> Option<Hold> {
    if let Some(hold) = asking.holds(number) {
        return Some(hold);
    }
    if !seen.insert(number) {
        return None;
    }
    for queue in table.values() {
        for ticket in &queue.waiting {
            let hold = ticket.claimant.holds(number);
            let Some(hold) = hold.filter(|_| matches!(*held(&ticket.turn), Turn::Waiting(_)))
            else {
                continue;
            };
            circle.push((Arc::clone(ticket), hold));
            if let Some(last) = find(table, asking, queue.holder.number, seen, circle) {
                return Some(last);
            }
            circle.pop();
        }
    }
    None
}
