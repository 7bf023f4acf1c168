//! How many faults there are, so that the number is seen: every row is run as the root user and as one without
//! privileges, and each of its scenarios asserts that no process of the command is alive afterwards (identified by a marker in
//! their command lines), what the result says, and that it came in time.
//!
//! | what goes wrong | scenarios | where |
//! | --- | --- | --- |
//! | ways to get away × endings (exit, exit at once, time-out, abort, closed, dropped, host killed) | 32 × 7 | `guarding` |
//! | storms of new processes, and those of a killed host | 4 + 2 | `guarding` |
//! | ways out of the group × endings | 6 × 3 | `escaping` |
//! | time-outs, aborts, stopped processes, 50 aborts at once, 200 commands at once | 12 | `ending` |
//! | floods, garbage, terminals, many readers and writers, storms of sessions | 19 | `session_faults` |
//! | services, output without end, memory | 4 + 9 | `services`, `output` |
//! | limits reached | 7 | `limits` |
//! | ways out of the sandbox | 46 + 62 | `sandbox`, `sandbox_escapes` |
//!
//! The lag of the event loop, and the same through Node.js, is `__test__/faults.spec.ts`.

use crate::guarding::{STORMS, WAYS};
use crate::{sandbox, sandbox_escapes};

/// Endings of `guarding` that every way goes through.
const ENDINGS: usize = 7;

#[test]
fn there_are_as_many_scenarios_as_the_table_says() {
    assert_eq!((WAYS.len(), ENDINGS, STORMS.len()), (32, 7, 4));
    let probes = (sandbox::PROBES.len(), sandbox_escapes::PROBES.len());
    assert_eq!(probes, (46, 62));
    let of_table = WAYS.len() * ENDINGS + STORMS.len() + 2 + 18 + 12 + 19 + 13 + 7;
    println!(
        "{of_table} faults, {} ways out of the sandbox",
        probes.0 + probes.1
    );
    assert_eq!(of_table, 299);
}
