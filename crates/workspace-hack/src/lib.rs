//! Nothing but features: what is built for tests is the same as what is built for the addon and for `xtask`, so that it is compiled once.
//!
//! `cargo tree --workspace -f '{p} {f}'` beside `cargo tree -p tenon -f '{p} {f}'` shows what differs when a dependency is added.
