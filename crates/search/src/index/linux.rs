//! The index itself, where the kernel reports changes (inotify).
//!
//! In the order in which a search meets them: `places` (one entry for each tree that is searched), `keeper` (the thread that
//! keeps a tree), `indexed_tree` (its directories and names), `files` (what is known of each file), `serve` (an answer
//! from the index), `store` and `stored_tree` (an index between processes), `hidden` (what is not left there), `tally` (counts for the notices of an answer). `watch` and `names` take what the kernel reports,
//! `place` says what a file was when it was read.

mod files;
mod hidden;
mod indexed_tree;
mod keeper;
mod names;
mod place;
mod places;
mod serve;
mod store;
mod stored_tree;
mod tally;
mod watch;

pub(super) use places::Places;
