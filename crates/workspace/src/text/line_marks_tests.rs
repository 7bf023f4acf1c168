use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{Page, PageRequest, Workspace};

const PAGE: PageRequest = PageRequest {
    first_line: 1,
    first_character: 1,
    max_lines: 20,
    max_bytes: 10_000,
    max_line_bytes: 1_000,
};

/// Line `n` says so and is as long as it likes.
fn lines(count: usize, end: &str) -> String {
    (1..=count)
        .map(|number| format!("{number} {}{end}", "ä€x".repeat(number % 23)))
        .collect()
}

fn at(first_line: u64) -> PageRequest {
    PageRequest { first_line, ..PAGE }
}

struct Place {
    directory: tempfile::TempDir,
    workspace: Workspace,
    marks: LineMarks,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            workspace: Workspace::open(directory.path(), &[] as &[&Path]).unwrap(),
            directory,
            marks: LineMarks::default(),
        }
    }

    fn write(&self, content: &[u8]) {
        fs::write(self.directory.path().join("a.log"), content).unwrap();
    }

    /// The page by marks, if there are some, and as a reader without marks sees it.
    fn both(&self, request: &PageRequest) -> (Page, Page) {
        let file = self.workspace.locate("a.log").unwrap();
        let open = || file.open_file().unwrap();
        (
            open()
                .read_page_by(&self.marks, request, &|| false)
                .unwrap(),
            open().read_page(request, &|| false).unwrap(),
        )
    }

    fn is_marked(&self) -> bool {
        !self.marks.lock().is_empty()
    }

    /// Until the file is old enough to be marked.
    fn settle(&self) {
        std::thread::sleep(SETTLED + Duration::from_millis(50));
    }
}

#[test]
#[cfg(unix)]
fn later_pages_of_a_large_file_are_those_of_a_reader_without_marks() {
    let place = Place::new();
    place.write(lines(40_000, "\r\n").as_bytes());
    place.settle();
    for first_line in [1, 2, 39_000, 17, 20_000, 39_999, 40_000, 40_001, 90_000] {
        let (by_marks, plain) = place.both(&at(first_line));
        assert_eq!(by_marks, plain, "{first_line}");
        assert!(place.is_marked());
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_changed_is_read_again() {
    let place = Place::new();
    let before = lines(40_000, "\n");
    place.write(before.as_bytes());
    place.settle();
    place.both(&at(30_000));
    assert!(place.is_marked());
    // As long as before, with its time of change set back.
    let path = place.directory.path().join("a.log");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    place.write(before.replacen('1', "\n", 1).as_bytes());
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    let (by_marks, plain) = place.both(&at(30_000));
    assert_eq!(by_marks, plain);
    assert_eq!(plain.total_lines, 40_001);
}

#[test]
fn a_file_that_was_touched_just_now_is_not_marked() {
    let place = Place::new();
    place.write(lines(40_000, "\n").as_bytes());
    place.both(&at(3));
    assert!(!place.is_marked());
}

#[test]
fn marks_of_a_very_large_file_lie_further_apart() {
    let mut marker = Marker::default();
    for block in 1..=100_000 {
        marker.pass(Mark {
            offset: block * SPACING_BYTES,
            newlines: block,
        });
    }
    let outline = marker
        .finish(TextEncoding::UTF_8, LineEndCount::default(), 0)
        .unwrap();
    assert!((MARKS_MAX / 4..MARKS_MAX).contains(&outline.marks.len()));
    assert!(outline.marks.is_sorted_by_key(|mark| mark.offset));
    let spacing = 16 * SPACING_BYTES;
    let mark = outline.mark_before(90_000);
    assert!(
        mark.newlines < 90_000 && mark.offset + spacing >= 90_000 * SPACING_BYTES,
        "{mark:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Marks at any places between characters give the page of the whole text.
    #[test]
    fn any_marks_give_the_same_page(
        text in "(\u{feff})?([a-zäß€\u{1F600}]{0,9}(\n|\r\n|\r)){0,60}[a-z]{0,3}",
        spacing in 1_u64..40,
        first_line in 0_u64..70,
        max_lines in 1_usize..9,
        max_bytes in 1_usize..60,
    ) {
        use super::super::page::{read, read_on};
        use super::super::stream::{Source, bom_length};

        let request = PageRequest { first_line, first_character: 1, max_lines, max_bytes, max_line_bytes: 7 };
        let bom = TextEncoding::of_bom(text.as_bytes()).unwrap();
        let encoding = bom.unwrap_or(TextEncoding::UTF_8);
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let (plain, _) = read(Source::File(&file), bom, &request, &|| false).unwrap();

        let start = bom_length(encoding);
        let mut marker = Marker { marks: Vec::new(), spacing, next: spacing };
        let mut ends = LineEndCount::default();
        let body = &text[usize::try_from(start).unwrap()..];
        for (at, letter) in body.char_indices() {
            marker.pass(Mark { offset: start + at as u64, newlines: ends.newlines });
            ends.feed(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if let Some(outline) = marker.finish(encoding, ends, text.len() as u64) {
            let by_marks = read_on(Source::File(&file), &outline, &request, &|| false).unwrap();
            prop_assert_eq!(by_marks, Some(plain));
        }
    }
}
