use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::*;

fn key(name: &str) -> PathBuf {
    PathBuf::from("/locks-tests").join(name)
}

fn lock(names: &[&str]) -> PathGuard {
    lock_paths_blocking(names.iter().map(|name| key(name)), &|| false).unwrap()
}

#[test]
fn only_one_writer_holds_a_path_and_the_table_is_empty_afterwards() {
    let inside = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let guard = lock(&["one"]);
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(guard);
                }
            });
        }
    });
    assert!(!held(&TABLE).contains_key(&(Purpose::Change, key("one"))));
}

#[test]
fn several_paths_in_any_order_never_wait_for_each_other() {
    thread::scope(|scope| {
        for turn in 0..4 {
            scope.spawn(move || {
                for _ in 0..200 {
                    let names = if turn % 2 == 0 {
                        ["x", "y", "x"]
                    } else {
                        ["y", "x", "y"]
                    };
                    drop(lock(&names));
                }
            });
        }
    });
    assert!(!held(&TABLE).contains_key(&(Purpose::Change, key("x"))));
}

#[test]
fn an_aborted_call_leaves_the_queue_at_once() {
    let guard = lock(&["busy"]);
    let start = Instant::now();
    let answer = lock_paths_blocking([key("busy")], &|| true);
    assert!(matches!(answer, Err(Error::Cancelled)));
    assert!(start.elapsed() < Duration::from_secs(1));
    drop(guard);
    drop(lock(&["busy"]));
    assert!(!held(&TABLE).contains_key(&(Purpose::Change, key("busy"))));
}

#[test]
fn a_future_that_is_dropped_passes_its_turn_on() {
    let mut context = Context::from_waker(Waker::noop());
    let guard = lock(&["passed"]);
    let mut first = Box::pin(lock_paths_within("", "x", [key("passed")]));
    let mut second = Box::pin(lock_paths_within("", "x", [key("passed")]));
    assert!(first.as_mut().poll(&mut context).is_pending());
    assert!(second.as_mut().poll(&mut context).is_pending());
    drop(guard);
    // The first has its turn but was never polled again.
    drop(first);
    let Poll::Ready(guard) = second.as_mut().poll(&mut context) else {
        panic!("the second still waits");
    };
    drop(guard);
    assert!(!held(&TABLE).contains_key(&(Purpose::Change, key("passed"))));
}

#[test]
fn who_asks_first_is_served_first() {
    let mut context = Context::from_waker(Waker::noop());
    let guard = lock(&["queue"]);
    let mut waiting: Vec<_> = (0..5)
        .map(|_| Box::pin(lock_paths_within("", "x", [key("queue")])))
        .collect();
    for future in &mut waiting {
        assert!(future.as_mut().poll(&mut context).is_pending());
    }
    drop(guard);
    let mut served = Vec::new();
    while served.len() < waiting.len() {
        for (index, future) in waiting.iter_mut().enumerate() {
            if !served.contains(&index) && future.as_mut().poll(&mut context).is_ready() {
                served.push(index);
            }
        }
    }
    assert_eq!(served, [0, 1, 2, 3, 4]);
}

#[test]
fn a_call_within_another_one_does_not_wait_for_it_and_those_within_wait_for_each_other() {
    let mut context = Context::from_waker(Waker::noop());
    let mut take = |lineage: &'static str, name: &str| {
        let mut future = Box::pin(lock_paths_within(lineage, "x", [key(name)]));
        match future.as_mut().poll(&mut context) {
            Poll::Ready(guard) => Ok(guard.unwrap()),
            Poll::Pending => Err(future),
        }
    };
    let outer = take("nest-a", "nested").ok().unwrap();
    let first = take("nest-a/", "nested").ok().unwrap();
    // One that is made beside it, one within, and one within that.
    assert!(take("", "nested").is_err());
    assert!(take("nest-a/", "nested").is_err());
    drop(first);
    let inner = take("nest-a/nest-b", "nested").ok().unwrap();
    let innermost = take("nest-a/nest-b/", "nested").ok().unwrap();
    // The handler is gone, not what was made within it.
    drop(outer);
    drop(inner);
    assert!(take("", "nested").is_err());
    drop(innermost);
    drop(take("nest-a/", "nested").ok().unwrap());
    assert!(!held(&TABLE).keys().any(|(_, path)| *path == key("nested")));
    assert!(!held(&OUTER).keys().any(|name| name.starts_with("nest-")));
}

/// Asks for the locks of these paths: has them, waits for them, or is refused.
fn ask(lineage: &str, name: &str, names: &[&str]) -> Asked {
    let targets: Vec<PathBuf> = names.iter().map(|name| key(name)).collect();
    let (lineage, name) = (lineage.to_owned(), name.to_owned());
    let future = Box::pin(async move { lock_paths_within(&lineage, &name, targets).await });
    Asked(future)
}

struct Asked(Pin<Box<dyn Future<Output = Result<PathGuard, Error>>>>);

impl Asked {
    fn poll(&mut self) -> Poll<Result<PathGuard, String>> {
        let mut context = Context::from_waker(Waker::noop());
        let answer = self.0.as_mut().poll(&mut context);
        answer.map_err(|error| error.to_string())
    }

    fn has(&mut self) -> PathGuard {
        let Poll::Ready(answer) = self.poll() else {
            panic!("it still waits");
        };
        answer.unwrap()
    }
}

#[test]
fn handlers_that_want_what_the_other_one_holds_do_not_wait_for_ever() {
    let a = ask("ring-a", "the call `a`", &["ring-1"]).has();
    let b = ask("ring-b", "the call `b`", &["ring-2"]).has();
    let c = ask("ring-c", "the call `c`", &["ring-3"]).has();
    let mut within_a = ask("ring-a/", "x", &["ring-2"]);
    let mut within_b = ask("ring-b/", "x", &["ring-3"]);
    assert!(within_a.poll().is_pending());
    assert!(within_b.poll().is_pending());
    let refused = ask("ring-c/", "x", &["ring-1"]).poll();
    let refused = refused.map(|answer| answer.err());
    let path = key("ring-1").display().to_string();
    let expected = Error::Deadlock {
        path,
        holder: "the call `a`".to_owned(),
    };
    assert_eq!(refused, Poll::Ready(Some(expected.to_string())));
    // The others come to their turns.
    drop(c);
    drop(within_b.has());
    drop(b);
    drop(within_a.has());
    drop(a);
    assert!(
        !held(&TABLE)
            .keys()
            .any(|(_, path)| path.starts_with(key("")) && path.to_string_lossy().contains("ring-"))
    );
}

#[test]
fn who_has_some_of_its_paths_gives_them_back_where_a_handler_would_wait_for_ever() {
    // The one with two paths comes first, then the call in the handler; and the other way around.
    for is_first in [true, false] {
        let outer = ask("part-a", "x", &["part-2"]).has();
        let mut both = ask("", "x", &["part-1", "part-2"]);
        let mut within = ask("part-a/", "x", &["part-1"]);
        if is_first {
            assert!(both.poll().is_pending());
            assert!(within.poll().is_pending());
            assert!(both.poll().is_pending());
        } else {
            let first = ask("", "x", &["part-1"]).has();
            assert!(both.poll().is_pending());
            assert!(within.poll().is_pending());
            drop(first);
            assert!(both.poll().is_pending());
        }
        drop(within.has());
        drop(within);
        assert!(both.poll().is_pending());
        drop(outer);
        drop(both.has());
    }
}
