//! Ending and following a call from outside.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tenon_contract::CancellationToken;
use tenon_search::{Control, FindRequest, SearchError, Stopped, find, grep};

use crate::tree::tree;

#[test]
fn a_cancelled_call_is_an_error_before_anything_is_read() {
    let tree = tree(&[("a.txt", "x\n")]);
    let token = CancellationToken::new();
    token.cancel();
    let control = Control {
        cancellation: Some(token),
        ..Control::default()
    };
    let grepped = grep(&tree.request("x"), &control);
    assert!(matches!(grepped, Err(SearchError::Cancelled)));
    let found = find(&FindRequest::new(tree.scope(), "**"), &control);
    assert!(matches!(found, Err(SearchError::Cancelled)));
}

#[test]
fn cancelling_ends_the_search_in_the_middle_of_a_large_file() {
    let tree = tree(&[]);
    // Sparse, so that it costs nothing to make; it would take long to read.
    let file = std::fs::File::create(tree.path("large.txt")).unwrap();
    file.set_len(3 * 1024 * 1024 * 1024).unwrap();
    let token = CancellationToken::new();
    let control = Control {
        cancellation: Some(token.clone()),
        ..Control::default()
    };
    let mut request = tree.request("x");
    // In a file that is named, NULs do not end the search.
    request.scope.root = tree.path("large.txt");
    let cancelled = std::thread::scope(|scope| {
        let search = scope.spawn(|| grep(&request, &control));
        std::thread::sleep(Duration::from_millis(50));
        let asked = Instant::now();
        token.cancel();
        let result = search.join().unwrap();
        (result, asked.elapsed())
    });
    assert!(matches!(cancelled.0, Err(SearchError::Cancelled)));
    assert!(
        cancelled.1 < Duration::from_millis(500),
        "{:?}",
        cancelled.1
    );
}

#[test]
fn after_the_deadline_the_answer_is_what_was_found_until_then() {
    let tree = tree(&[("a.txt", "x\n")]);
    let control = Control {
        deadline: Some(Instant::now()),
        ..Control::default()
    };
    let output = grep(&tree.request("x"), &control).unwrap();
    assert_eq!(
        (output.stopped, output.totals.exact),
        (Some(Stopped::Deadline), false)
    );
}

#[test]
fn a_listener_hears_final_matches_in_order_while_the_search_runs() {
    let tree = tree(&[]);
    for file in 0..400 {
        tree.write(&format!("{file:03}.txt"), "word\n".repeat(4000).as_bytes());
    }
    let received = Mutex::new(Vec::new());
    let listen = |progress: &tenon_search::Progress<'_>| {
        let paths: Vec<String> = progress
            .files
            .iter()
            .map(|file| file.path.clone())
            .collect();
        assert!(!progress.totals.exact);
        received.lock().unwrap().push(paths);
    };
    let control = Control {
        progress: Some(&listen),
        ..Control::default()
    };
    let output = grep(&tree.request("w.*d"), &control).unwrap();
    let all: Vec<String> = output.files.into_iter().map(|file| file.path).collect();
    let received = received.into_inner().unwrap();
    assert!(!received.is_empty());
    for paths in received {
        assert_eq!(paths, all[..paths.len()]);
    }
}

/// Files in directories, names chosen so that path order is not the order of whole paths as text.
fn many() -> crate::tree::Tree {
    let mut files = Vec::new();
    for directory in ["a", "a-b", "a.d", "a/x", "b/c/d", "b/c-d", ""] {
        for name in ["1.txt", "x.rs", "x", "z-.txt", "ä.txt"] {
            files.push((
                format!("{directory}/{name}").trim_matches('/').to_owned(),
                "x\nneedle\n",
            ));
        }
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, content)| (path.as_str(), *content))
        // `a/x` is a directory here.
        .filter(|(path, _)| *path != "a/x")
        .collect();
    tree(&files)
}

#[test]
fn an_answer_can_be_taken_up_at_every_place_in_path_order() {
    let tree = many();
    let all = crate::tree::paths(&FindRequest::new(tree.scope(), "**"));
    assert_eq!(all.len(), 34);
    for (place, from) in all.iter().enumerate() {
        let mut request = FindRequest::new(tree.scope(), "**");
        request.scope.from = Some(from.clone());
        assert_eq!(crate::tree::paths(&request), all[place..], "{from}");
    }
    let mut request = FindRequest::new(tree.scope(), "**");
    request.scope.from = Some("a".into());
    assert_eq!(crate::tree::paths(&request)[0], "a/1.txt");
}

#[test]
fn an_answer_that_could_not_begin_is_taken_up_where_it_was_to_begin() {
    let tree = many();
    for from in [None, Some("a-b/x.rs"), Some("a/x/ä.txt"), Some("b")] {
        let mut request = tree.request("needle");
        request.scope.from = from.map(str::to_owned);
        let control = Control {
            deadline: Some(Instant::now()),
            ..Control::default()
        };
        let output = grep(&request, &control).unwrap();
        assert_eq!((output.files.len(), output.resume.as_deref()), (0, from));
    }
}

#[test]
fn an_answer_cut_off_by_time_and_what_follows_its_cursor_are_the_whole_answer() {
    let tree = many();
    let whole = crate::tree::printed(&tree.request("needle"));
    for threads in [1, 3] {
        let mut answered = Vec::new();
        let mut request = tree.request("needle");
        request.scope.threads = threads;
        // The time doubles, so that each of several calls gets further and the last one to the end.
        let mut time = Duration::from_micros(20);
        loop {
            let control = Control {
                deadline: Some(Instant::now() + time),
                ..Control::default()
            };
            let output = grep(&request, &control).unwrap();
            answered.extend(crate::tree::print(&output));
            match output.stopped {
                None => break,
                Some(stopped) => assert_eq!(stopped, Stopped::Deadline),
            }
            assert!(!output.totals.exact);
            // There is none before something was looked at, and none that leads back.
            let place = |path: &Option<String>| path.as_ref().map(|path| path.replace('/', "\0"));
            assert!(place(&output.resume) >= place(&request.scope.from));
            request.scope.from = output.resume;
            time *= 2;
        }
        assert_eq!(answered, whole);
    }
}
