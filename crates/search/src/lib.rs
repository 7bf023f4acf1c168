//! Walking, globbing and searching with ripgrep's own crates, in process.
