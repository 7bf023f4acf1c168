//! The reader judged against tables, against generated truth and against the shells themselves.

mod acceptance;
mod generated;
mod generator;
mod operands;
mod shells;
mod support;
mod tables;
mod texts;
mod wrappers;
