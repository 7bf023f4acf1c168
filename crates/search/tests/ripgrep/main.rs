//! The same answers as `rg`, path by path and line by line.
//!
//! `rg` is taken from `TENON_TEST_RG`, else from the search path; without one these tests say so and
//! pass. `TENON_TEST_TREES` (paths with `:` between them) adds real trees, `TENON_TEST_QUERIES` sets
//! how many queries are made up for each tree.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

mod compare;
mod queries;
mod rg;
mod trees;

use compare::{compare_queries, compare_seen};
use rg::Rg;

/// Queries for each made-up tree by default.
const QUERIES: usize = 20;

fn query_count() -> usize {
    std::env::var("TENON_TEST_QUERIES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(QUERIES)
}

#[test]
fn the_files_seen_are_those_that_rg_sees_whatever_the_ignore_files_say() {
    let Some(rg) = Rg::find() else { return };
    let has_late_fixes = rg.has_late_fixes();
    for seed in 0..12 {
        let tree = trees::nasty(seed, has_late_fixes);
        compare_seen(&rg, tree.root());
        for inner in tree.directories() {
            compare_seen(&rg, &inner);
        }
    }
}

#[test]
fn the_lines_found_are_those_that_rg_finds_in_made_up_trees() {
    let Some(rg) = Rg::find() else { return };
    let has_late_fixes = rg.has_late_fixes();
    for seed in 0..4 {
        let tree = trees::nasty(seed, has_late_fixes);
        compare_queries(&rg, tree.root(), query_count(), seed);
    }
}

#[test]
fn the_lines_found_in_awkward_files_are_those_that_rg_finds() {
    let Some(rg) = Rg::find() else { return };
    let tree = trees::awkward();
    compare_seen(&rg, tree.root());
    compare_queries(&rg, tree.root(), query_count(), 1);
}

#[test]
fn everything_is_as_in_rg_in_the_real_trees_that_the_environment_names() {
    let Some(rg) = Rg::find() else { return };
    let trees = std::env::var_os("TENON_TEST_TREES").unwrap_or_default();
    for tree in std::env::split_paths(&trees).filter(|tree| tree.is_dir()) {
        let tree = tree.canonicalize().unwrap();
        compare_seen(&rg, &tree);
        compare_queries(&rg, &tree, query_count(), 7);
    }
}
