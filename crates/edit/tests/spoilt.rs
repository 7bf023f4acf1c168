//! Edits and patches that are spoilt in the ways in which models spoil them, over real source
//! text. The right outcome is known: each is applied right to the byte, or refused.
//!
//! `TENON_SPOILT_CASES` sets the number of cases for each seed, `TENON_SPOILT_SEEDS` the number
//! of seeds; `TENON_SPOILT_ALL` draws from this repository and all unpacked crates instead of a few;
//! `TENON_SPOILT_SHOW` prints refusals of the kind it names.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that is wrong may panic, and this one prints its shares"
)]

mod spoilt {
    pub(crate) mod anchored;
    pub(crate) mod cases;
    pub(crate) mod kinds;
    pub(crate) mod patches;
    pub(crate) mod random;
    pub(crate) mod sources;
    pub(crate) mod tally;
}

use spoilt::random::Random;
use spoilt::tally::{Outcome, Tally};
use spoilt::{anchored, cases, kinds, patches, sources};

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn over_seeds(
    first_seed: u64,
    mut run: impl FnMut(&mut Random, &[sources::Source], &mut Tally),
) -> Tally {
    let sources = sources::load();
    let mut tally = Tally::default();
    for seed in 0..setting("TENON_SPOILT_SEEDS", 3) as u64 {
        let mut random = Random::new(first_seed + seed);
        for _ in 0..setting("TENON_SPOILT_CASES", 1_500) {
            run(&mut random, &sources, &mut tally);
        }
    }
    tally
}

#[test]
fn a_spoilt_edit_is_applied_right_or_refused() {
    let tally = over_seeds(100, |random, sources, tally| {
        let Some(case) = cases::case(random, sources) else {
            return;
        };
        let (name, kind) = *random.pick(kinds::ALL);
        let Some(edit) = kind(&case, random) else {
            return;
        };
        tally.count(name, || cases::run(&case, &[edit]));
    });
    tally.settle("edit", 0.45);
}

#[test]
fn a_doubly_spoilt_edit_is_applied_right_or_refused() {
    let tally = over_seeds(200, |random, sources, tally| {
        let Some(case) = cases::case(random, sources) else {
            return;
        };
        let (name, first) = *random.pick(kinds::ALL);
        let (other, second) = *random.pick(kinds::ALL);
        // One spoils both texts and the other one only: then they are at odds with each other.
        // Behind a number, a blank that was put in, or is left of several, cannot be distinguished from one of the separator.
        let is_blurred = other.starts_with("numbers")
            && ["one line indented otherwise", "inner blanks as one"].contains(&name);
        if is_blurred || name.ends_with("old only") != other.ends_with("old only") {
            return;
        }
        let truth = (case.text(&case.old), case.text(&case.new_texts()));
        // A spoiling that has no right answer by itself has none beside another. Nor has a second one that finds nothing
        // in the true old text, so that it shows in the new one alone.
        let is_void = |edit: &cases::Edit| cases::is_void(&case, edit, Some(case.start));
        let alone = second(&case, &mut random.clone());
        if alone.is_some_and(|edit| {
            (edit.old == truth.0 && edit.new != truth.1) || (edit.old != truth.0 && is_void(&edit))
        }) {
            return;
        }
        let spoilt = first(&case, random);
        let spoilt = spoilt.filter(|edit| edit.old == truth.0 || !is_void(edit));
        let Some(case) = spoilt.and_then(|edit| case.respelt(&edit)) else {
            return;
        };
        let (old, new) = (case.text(&case.old), case.text(&case.new_texts()));
        let Some(edit) = second(&case, random) else {
            return;
        };
        // What spoils the new text alone, or undoes the spoiling of the old text alone, cannot be distinguished from what is
        // meant.
        let is_meant = |old: &str, new: &str| edit.old == old && edit.new != new;
        if is_meant(&old, &new) || is_meant(&truth.0, &truth.1) {
            return;
        }
        tally.count(name, || cases::run(&case, &[edit]));
    });
    tally.settle("double", 0.1);
}

#[test]
fn spoilt_edits_of_one_call_are_applied_right_or_refused_together() {
    let tally = over_seeds(300, |random, sources, tally| {
        let Some((case, edits)) = cases::several(random, sources) else {
            return;
        };
        tally.count("several edits", || cases::run(&case, &edits));
    });
    tally.settle("multi", 0.1);
}

#[test]
fn a_spoilt_patch_is_applied_right_or_refused() {
    let tally = over_seeds(400, |random, sources, tally| {
        let Some(case) = patches::case(random, sources) else {
            return;
        };
        let (name, kind) = *random.pick(patches::ALL);
        let Some((text, patch)) = kind(&case, random) else {
            return;
        };
        tally.count(name, || patches::run(name, &case, &text, &patch));
    });
    tally.settle("patch", 0.45);
}

/// Of edits by anchors, a call that has to be refused counts as right if it is.
#[test]
fn a_spoilt_edit_by_anchors_is_right() {
    let tally = over_seeds(500, |random, sources, tally| {
        let Some(case) = cases::case(random, sources) else {
            return;
        };
        let (name, kind) = *random.pick(anchored::ALL);
        let call = anchored::Call::of(&case).and_then(|call| kind(call, &case, random));
        if let Some(call) = call {
            tally.count(name, || anchored::run(&case, &call));
        }
    });
    tally.settle("edit by anchors", 0.97);
}

#[test]
fn the_generator_has_at_least_sixty_kinds() {
    assert!(kinds::ALL.len() + patches::ALL.len() >= 60);
    assert_eq!(Outcome::Applied.name(), "applied");
}
