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
    let mut first = Box::pin(lock_paths([key("passed")]));
    let mut second = Box::pin(lock_paths([key("passed")]));
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
        .map(|_| Box::pin(lock_paths([key("queue")])))
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
        let mut future = Box::pin(lock_paths_within(lineage, [key(name)]));
        match future.as_mut().poll(&mut context) {
            Poll::Ready(guard) => Ok(guard),
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
