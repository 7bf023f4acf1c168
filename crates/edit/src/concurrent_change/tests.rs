use proptest::prelude::*;

use super::*;
use crate::{Options, Replacement, plan};

const KNOWN: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

fn edit(now: &str, old: &str, new: &str) -> Plan {
    plan(now, &[Replacement { old, new }], Options::default()).unwrap()
}

fn lines(first: usize, last: usize) -> Lines {
    Lines { first, last }
}

#[test]
fn changes_elsewhere_do_not_touch_an_edit() {
    let now = "zero\none\ntwo\nthree\nfour\nfive\nSIX\n";
    let change = ConcurrentChange::new(KNOWN, now);
    let plan = edit(now, "three\nfour", "3\n4");
    assert_eq!(change.conflict(&plan), None);
    assert_eq!(
        change.replayed(&plan).as_deref(),
        Some("one\ntwo\n3\n4\nfive\nsix\nseven\n")
    );
}

#[test]
fn lines_put_into_the_place_or_taken_out_of_it_touch_it() {
    let without = "one\ntwo\nfour\nfive\nsix\nseven\n";
    let change = ConcurrentChange::new(
        "one\ntwo\nthree\nfour\ntwo\nfour\nfive\nsix\nseven\n",
        without,
    );
    // Known as the second of two, and by now the only one: what is meant is not sure.
    assert!(
        change
            .conflict(&edit(without, "two\nfour", "2\n4"))
            .is_some()
    );
    let change = ConcurrentChange::new(KNOWN, without);
    assert_eq!(change.conflict(&edit(without, "four\nfive", "4\n5")), None);
    assert_eq!(change.conflict(&edit(without, "one\ntwo", "1\n2")), None);
}

#[test]
fn the_same_words_at_another_place_are_in_doubt() {
    let known = "a\nfoo\nb\nbaz\nc\n";
    let now = "a\nbar\nb\nfoo\nc\n";
    let change = ConcurrentChange::new(known, now);
    assert_eq!(change.conflict(&edit(now, "foo", "new")), Some(lines(4, 4)));
}

#[test]
fn words_that_only_the_present_text_has_are_known_to_who_names_them() {
    let now = KNOWN.replace("three", "THREE");
    let change = ConcurrentChange::new(KNOWN, &now);
    assert_eq!(change.conflict(&edit(&now, "THREE", "3")), None);
    assert_eq!(change.replayed(&edit(&now, "THREE", "3")), None);
    let replayed = change.replayed_as_shown(&edit(&now, "THREE", "3"));
    assert_eq!(replayed, Some(KNOWN.replace("three", "3")));
    // But not when they only resemble what is named.
    let now = KNOWN.replace("three", "\tthree of them");
    let change = ConcurrentChange::new(KNOWN, &now);
    let plan = edit(&now, "  three of them\nfour", "  3\nfour");
    assert_eq!(change.conflict(&plan), Some(lines(3, 4)));
}

#[test]
fn other_line_ends_and_blanks_before_them_touch_nothing() {
    let now = KNOWN.replace('\n', " \r\n");
    let change = ConcurrentChange::new(KNOWN, &now);
    let plan = edit(&now, "three\nfour", "3\n4");
    assert_eq!(change.conflict(&plan), None);
    assert_eq!(change.replayed(&plan), None);
    let replayed = change.replayed_as_shown(&plan);
    assert_eq!(
        replayed.as_deref(),
        Some(&*now.replace("three \r\nfour ", "3\r\n4"))
    );
}

#[test]
fn the_present_place_of_known_lines_holds_what_they_became() {
    let now = "zero\none\nTWO\nTWO AND A HALF\nthree\nfive\nsix\nseven\n";
    let change = ConcurrentChange::new(KNOWN, now);
    assert_eq!(change.now_at(lines(1, 1)), lines(2, 2));
    assert_eq!(change.now_at(lines(2, 2)), lines(3, 4));
    assert_eq!(change.now_at(lines(1, 3)), lines(2, 5));
    assert_eq!(change.now_at(lines(7, 7)), lines(8, 8));
    assert_eq!(
        ConcurrentChange::new(KNOWN, "").now_at(lines(3, 5)),
        lines(1, 1)
    );
}

#[test]
fn what_was_shown_is_known_and_nothing_else() {
    let now = "zero\none\ntwo\nTHREE\nfour\nfive\nSIX\nseven\n";
    let change = ConcurrentChange::new(KNOWN, now);
    let known = change.shown([lines(3, 5)]);
    assert_eq!(known, "one\ntwo\nTHREE\nfour\nfive\nsix\nseven\n");
    assert_eq!(change.shown([lines(1, 8)]), now);
    assert_eq!(change.shown([lines(3, 3)]), KNOWN);
    assert_eq!(
        change.shown([lines(1, 1), lines(3, 3), lines(7, 9)]),
        now.replace("THREE", "three")
    );
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof!["[ab]", "[a-d]{1,2}", Just(String::new()), "[ab] ?\r"];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn to_be_shown_everything_is_to_know_everything(known in text(), now in text()) {
        let change = ConcurrentChange::new(&known, &now);
        prop_assert_eq!(change.shown([lines(1, usize::MAX)]), now.clone());
        let replayed = change.replayed(&Plan::default());
        prop_assert_eq!(replayed, Some(known.clone()));
    }

    /// An edit that is replayed leaves the same difference as before.
    #[test]
    fn a_replayed_edit_leaves_the_other_changes_unknown(known in text(), now in text(), at in 0_usize..40, length in 0_usize..6) {
        let start = at.min(now.len());
        let range = start..(start + length).min(now.len());
        let plan = Plan {
            splices: vec![crate::Splice { range: range.clone(), replacement: "<new>".into() }],
            matches: Vec::new(),
        };
        let change = ConcurrentChange::new(&known, &now);
        if let Some(replayed) = change.replayed(&plan) {
            let lost = known.len() + "<new>".len() - replayed.len();
            prop_assert_eq!(lost, range.len());
            let place = replayed.find("<new>").unwrap();
            prop_assert_eq!(&known[place..place + lost], &now[range]);
        }
    }

    /// Each place on its own gives what all together give.
    #[test]
    fn places_are_shown_one_by_one_or_together(known in text(), now in text(), starts in proptest::collection::btree_set(1_usize..14, 0..4)) {
        let change = ConcurrentChange::new(&known, &now);
        let places: Vec<_> = starts.iter().map(|start| lines(*start, *start)).collect();
        let together = change.shown(places.clone());
        // Compared again, a text may fall into more changes than before, so those are not counted.
        let shows_nothing = places.iter().all(|place| change.shown([*place]) == known);
        prop_assert!(!shows_nothing || together == known);
        for place in places {
            prop_assert!(ConcurrentChange::new(&together, &now).shown([place]) == together || together != now);
        }
    }

    #[test]
    fn places_of_the_present_text_are_in_it(known in text(), now in text(), first in 1_usize..14, more in 0_usize..5) {
        let place = ConcurrentChange::new(&known, &now).now_at(lines(first, first + more));
        prop_assert!(1 <= place.first && place.first <= place.last);
        prop_assert!(place.last <= count_lines(now.as_bytes()).max(1));
    }
}
