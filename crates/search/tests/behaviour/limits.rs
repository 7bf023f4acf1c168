//! Limits, pages and totals.

use tenon_search::{FindRequest, GrepMode, GrepRequest, Stopped, Totals};

use crate::tree::{Tree, found, print, printed, run, tree};

/// Directories with files with three matches each, besides others.
fn many(directories: usize, files: usize) -> Tree {
    let tree = tree(&[]);
    for directory in 0..directories {
        for file in 0..files {
            tree.write(
                &format!("f{directory:03}/{file:03}.txt"),
                b"x1\nno\nx2\nx3\n",
            );
        }
    }
    tree
}

#[test]
fn pages_put_together_are_the_whole_answer_whatever_the_threads_do() {
    let tree = many(6, 10);
    let whole = printed(&tree.request("x"));
    assert_eq!(whole.len(), 180);
    for threads in [1, 2, 5] {
        let mut pages = Vec::new();
        for page in 0..26 {
            let mut request = tree.request("x");
            request.scope.threads = threads;
            (request.offset, request.limit) = (page * 7, Some(7));
            let output = run(&request);
            let is_last = page == 25;
            assert_eq!(output.totals.exact, is_last);
            assert_eq!(output.stopped, (!is_last).then_some(Stopped::Limit));
            pages.extend(print(&output));
        }
        assert_eq!(pages, whole);
    }
}

#[test]
fn exactly_as_many_as_the_limit_is_not_more_than_the_limit() {
    let tree = tree(&[("a.txt", "x\nx\n"), ("b.txt", "x\n"), ("c.txt", "y\n")]);
    let ask = |limit: usize| {
        let mut request = tree.request("x");
        request.limit = Some(limit);
        let output = run(&request);
        (output.totals, output.stopped)
    };
    let exact = Totals {
        matches: 3,
        files: 2,
        exact: true,
    };
    assert_eq!(ask(4), (exact, None));
    assert_eq!(ask(3), (exact, None));
    assert_eq!(
        ask(2),
        (
            Totals {
                exact: false,
                ..exact
            },
            Some(Stopped::Limit)
        )
    );
}

#[test]
fn answer_totals_and_facts_are_the_same_every_time_although_work_is_parallel() {
    let tree = many(30, 20);
    let ask = || {
        let mut request = tree.request("x");
        request.scope.threads = 4;
        request.limit = Some(500);
        run(&request)
    };
    let first = ask();
    for _ in 0..20 {
        assert_eq!(ask(), first);
    }
}

#[test]
fn the_rest_of_a_large_tree_is_not_read_when_the_first_page_is_full() {
    let tree = many(200, 10);
    let mut request = tree.request("x");
    request.limit = Some(10);
    let output = run(&request);
    assert_eq!(print(&output).len(), 10);
    assert!(
        output.facts.files_searched <= 10,
        "{} files",
        output.facts.files_searched
    );
}

#[test]
fn a_file_cut_by_the_limit_keeps_the_context_of_what_is_left() {
    let tree = tree(&[("a.txt", "1\nx\n3\n4\nx\n6\nx\n8\n")]);
    let mut request = tree.request("x");
    (request.before, request.after) = (1, 1);
    (request.offset, request.limit) = (1, Some(1));
    assert_eq!(printed(&request), ["a.txt-4-4", "a.txt:5:x", "a.txt-6-6"]);
}

#[test]
fn each_file_may_be_held_to_a_number_of_lines() {
    let tree = many(1, 2);
    let mut request = tree.request("x");
    request.max_per_file = Some(2);
    assert_eq!(
        printed(&request),
        [
            "f000/000.txt:1:x1",
            "f000/000.txt:3:x2",
            "f000/001.txt:1:x1",
            "f000/001.txt:3:x2"
        ]
    );
}

#[test]
fn files_and_counts_are_limited_by_files() {
    let tree = many(2, 3);
    for mode in [GrepMode::Files, GrepMode::Counts] {
        let request = GrepRequest {
            mode,
            offset: 1,
            limit: Some(2),
            ..tree.request("x")
        };
        let output = run(&request);
        let paths: Vec<_> = output.files.iter().map(|file| &file.path).collect();
        assert_eq!(paths, ["f000/001.txt", "f000/002.txt"]);
        assert_eq!(output.stopped, Some(Stopped::Limit));
    }
}

#[test]
fn a_found_list_is_limited_and_says_whether_there_is_more() {
    let tree = many(3, 3);
    let mut request = FindRequest::new(tree.scope(), "*.txt");
    request.limit = Some(9);
    let output = found(&request);
    assert_eq!((output.entries.len(), output.stopped), (9, None));
    request.limit = Some(8);
    let output = found(&request);
    assert_eq!(
        (output.entries.len(), output.stopped, output.totals.matches),
        (8, Some(Stopped::Limit), 9)
    );
}

#[test]
fn a_found_list_is_counted_to_the_end_when_that_is_asked_for() {
    let tree = many(3, 3);
    let mut request = FindRequest::new(tree.scope(), "*.txt");
    request.limit = Some(2);
    request.count_all = true;
    let output = found(&request);
    let paths: Vec<_> = output.entries.iter().map(|entry| &entry.path).collect();
    assert_eq!(paths, ["f000/000.txt", "f000/001.txt"]);
    assert_eq!(
        (output.stopped, output.totals.matches, output.totals.exact),
        (None, 9, true)
    );
}

#[test]
fn files_above_the_size_limit_are_counted_and_not_searched() {
    let tree = tree(&[("a.txt", "x\n"), ("b.txt", "x and more\n")]);
    let mut request = tree.request("x");
    request.scope.max_file_bytes = Some(5);
    let output = run(&request);
    assert_eq!(print(&output), ["a.txt:1:x"]);
    assert_eq!(output.facts.too_large, 1);
}
