//! Calls through the whole pipeline, against a real disk and real shells.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says why it is skipped"
)]

mod acp;
mod anchors;
mod approvals;
mod checkpoints;
mod coder;
mod command_rollback;
mod commands;
mod diagnostics;
mod documents;
mod exposed_names;
mod files;
mod freshness;
mod guard;
mod kept_back;
mod language_servers;
mod lsp_changes;
mod manager;
mod memory;
mod notebooks;
mod notices;
mod other_case;
mod outputs;
mod patches;
mod pipeline;
mod races;
mod redaction;
mod repeats;
mod repositories;
mod run_tests;
mod search;
mod sessions;
mod store;
mod support;
mod taint;
mod undo;
mod variable_files;
mod web;
