//! What is read while another name of some file comes to light is read again.

use std::collections::HashSet;

use super::*;
use crate::index::signature::Signer;

const ROOM: Budget = Budget {
    max_bytes: 1 << 20,
    listed: 0,
};

/// What reading a file of this content finds, and the number of its inode.
fn signed(text: &str, is_settled: bool) -> (Signed, u64) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    std::fs::write(&path, text).unwrap();
    let status = rustix::fs::stat(&path).unwrap();
    let mut signer = Signer::new();
    signer.take(text.as_bytes());
    let signed = Signed {
        sign: signer.finish(),
        stamp: Stamp::of_status(&status),
        is_settled,
        is_linked: false,
        is_old: true,
    };
    (signed, status.st_ino)
}

#[test]
fn a_file_that_was_read_before_another_name_of_it_came_to_light_is_read_again() {
    let mut files = Files::default();
    let file = files.add(0);
    let (signed, inode) = signed("what it was before", true);
    let (_, turn) = files.next_unsigned().unwrap();
    files.forget_signs_of(&HashSet::from([inode]));
    files.install(file, turn, &signed, ROOM);
    assert!(!files.is_signed(file.0));

    let (again, turn) = files.next_unsigned().unwrap();
    assert_eq!(again, file);
    files.install(file, turn, &signed, ROOM);
    assert!(files.is_signed(file.0));
    files.forget_signs_of(&HashSet::from([inode]));
    assert!(!files.is_signed(file.0));
}

#[test]
fn a_file_that_was_read_while_the_states_of_all_are_compared_is_read_again() {
    let mut files = Files::default();
    let file = files.add(0);
    let (_, turn) = files.next_unsigned().unwrap();
    files.doubt_what_is_read();
    files.install(file, turn, &signed("text", true).0, ROOM);
    assert_eq!(files.next_unsigned().map(|(file, _)| file), Some(file));
}

#[test]
fn a_state_that_may_stand_for_a_later_content_too_is_no_state() {
    let mut files = Files::default();
    for is_settled in [true, false] {
        let file = files.add(0);
        let (_, turn) = files.next_unsigned().unwrap();
        let (signed, inode) = signed("text", is_settled);
        let (_, changed) = signed.stamp.state();
        files.install(file, turn, &signed, ROOM);
        let expected = if is_settled { changed } else { (0, 0) };
        assert_eq!(files.state(file.0), Some((inode, expected)));
    }
}
