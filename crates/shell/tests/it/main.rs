//! The reader judged against tables, against generated truth and against the shells themselves.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot make its directories or start a shell has to fail"
)]

mod acceptance;
mod alike;
#[cfg(unix)]
mod executed;
mod generated;
mod generator;
mod hostile;
mod operands;
mod shells;
mod support;
mod tables;
mod texts;
mod wrappers;
