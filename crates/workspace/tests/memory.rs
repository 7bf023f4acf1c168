//! Reading a page of a huge file holds the page and a buffer, no more.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use tenon_workspace::{Page, PageRequest, TruncatedBy, Workspace, read_page};

const GIGABYTE: u64 = 1 << 30;
/// The buffer, the page and what the allocator rounds up to.
const ALLOWED_BYTES: u64 = 2 << 20;

/// Text, a hole of a gigabyte (a line of NUL bytes that takes no disk), text.
fn write_huge(path: &Path, end: &str) {
    let mut file = File::create(path).unwrap();
    file.write_all("a line of the start\n".repeat(1000).as_bytes())
        .unwrap();
    file.seek(SeekFrom::Start(GIGABYTE)).unwrap();
    file.write_all(end.as_bytes()).unwrap();
}

fn status(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}

/// The page, and by how much the most memory ever held rose above the present one.
fn measured(workspace: &Workspace, first_line: u64) -> (Page, u64) {
    let request = PageRequest {
        first_line,
        first_character: 1,
        max_lines: 100,
        max_bytes: 50 * 1024,
        max_line_bytes: 50 * 1024,
    };
    let located = workspace.locate("huge").unwrap();
    // 5 resets the peak (proc_pid_clear_refs(5)).
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS");
    let page = read_page(&located, &request, &|| false).unwrap();
    (page, status("VmHWM").saturating_sub(before))
}

#[test]
fn a_page_of_a_gigabyte_costs_no_more_memory_than_the_page() {
    let directory = tempfile::tempdir().unwrap();
    let end = "\nlast line but one\nlast line\n";
    write_huge(&directory.path().join("huge"), end);
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();

    let (page, memory) = measured(&workspace, 1002);
    assert_eq!(page.text, "last line but one\nlast line");
    assert_eq!(
        (page.total_lines, page.total_bytes),
        (1003, GIGABYTE + end.len() as u64)
    );
    assert!(memory < ALLOWED_BYTES, "{memory} bytes");

    // The hole is one line: it is cut, and its length is reported.
    let (page, memory) = measured(&workspace, 1001);
    let cut = page.cut_lines.first().unwrap();
    assert_eq!((cut.line, cut.bytes), (1001, GIGABYTE - 20_000));
    assert_eq!(
        (page.text.len(), page.stopped_by),
        (50 * 1024, Some(TruncatedBy::Bytes))
    );
    assert!(memory < ALLOWED_BYTES, "{memory} bytes");
}
