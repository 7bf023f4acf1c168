//! The reader judged against tables, against generated truth and against the shells themselves.

mod acceptance;
mod generated;
mod generator;
mod shells;
mod support;
mod tables;
mod texts;
