//! Calls through the whole pipeline, against a real disk and real shells.

mod commands;
mod files;
mod pipeline;
mod search;
mod support;
