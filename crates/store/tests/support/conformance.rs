//! The checks that every store passes, whatever it is made of.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tenon_store::{
    Commit, Entry, Expect, Json, Key, Operation, Query, Range, Row, SearchQuery, Store, StoreError,
    SystemClock,
};

/// A clock that tests set.
pub(crate) struct Time(Arc<AtomicI64>);

impl Time {
    fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_700_000_000_000)))
    }

    fn system(&self) -> SystemClock {
        let time = Arc::clone(&self.0);
        Arc::new(move || time.load(Ordering::Relaxed))
    }

    fn pass(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(work)
}

pub(crate) fn json(text: &str) -> Json {
    Json::from_text(text).unwrap()
}

pub(crate) fn done(store: &dyn Store, operations: Vec<Operation>) -> Vec<u64> {
    match wait(store.commit(operations)).unwrap() {
        Commit::Done { versions } => versions,
        Commit::Conflict { index } => panic!("operation {index} is a conflict"),
    }
}

pub(crate) fn row(store: &dyn Store, space: &str, key: &str) -> Option<Row> {
    wait(store.get(vec![Key::new(space, key)]))
        .unwrap()
        .remove(0)
}

pub(crate) fn entries(store: &dyn Store, query: Query) -> (Vec<Entry>, Option<String>) {
    wait(store.scan(query)).unwrap().into_entries().unwrap()
}

fn rows(store: &dyn Store, query: Query) -> (Vec<Row>, Option<String>) {
    wait(store.scan(query)).unwrap().into_rows().unwrap()
}

fn keys(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.key.as_str()).collect()
}

/// Runs every check on a store of its own. `make` makes an empty store with a clock.
pub(crate) fn check<S: Store>(make: impl Fn(SystemClock) -> S) {
    let store = |time: &Time| make(time.system());
    let time = Time::new();
    a_commit_is_applied_whole_or_not_at_all(&store(&time));
    versions_grow_past_deletion_and_expiry(&store(&time), &time);
    values_come_back_as_they_were(&store(&time));
    rows_are_listed_by_key_and_by_number(&store(&time));
    a_log_keeps_each_id_once_and_its_order(&store(&time));
    a_row_ends_at_its_time(&store(&time), &time);
    the_clock_never_goes_back(&store(&time), &time);
    what_no_store_can_take_is_refused(&store(&time));
    of_many_who_claim_one_wins(&Arc::new(store(&time)));
    nothing_is_lost_between_those_who_count(&Arc::new(store(&time)));
    a_watch_is_notified_of_its_names(&store(&time));
    a_search_finds_words_of_every_script(&store(&time));
    a_cleared_log_is_gone_and_begins_again(&store(&time));
    a_closed_store_refuses(&store(&time));
    it_does_what_the_model_does(&store);
}

fn a_cleared_log_is_gone_and_begins_again(store: &dyn Store) {
    let clear = |log: &str| wait(store.clear(log.to_owned()));
    assert_eq!(clear("log"), Ok(false));
    let put = Operation::put(Key::new("log", "x"), json("1"));
    let append = |log: &str, id: &str| Operation::append(log, id, json("\"word\""));
    done(
        store,
        vec![
            append("log", "1"),
            append("log", "2"),
            append("log/a", "1"),
            put,
        ],
    );
    assert_eq!((clear("log"), clear("log")), (Ok(true), Ok(false)));
    assert_eq!(entries(store, Query::log("log", 10)), (vec![], None));
    assert_eq!(entries(store, Query::log("log/a", 10)).0.len(), 1);
    assert!(row(store, "log", "x").is_some());
    // An id that was removed is new again, and nothing of what was removed is found.
    done(store, vec![append("log", "1")]);
    assert_eq!(entries(store, Query::log("log", 10)).0.len(), 1);
    let query = SearchQuery {
        logs: String::new(),
        text: "word".to_owned(),
        limit: 10,
    };
    assert_eq!(wait(store.search(query)).unwrap().len(), 2);
    assert!(matches!(clear(""), Err(StoreError::Invalid(_))));
}

fn a_commit_is_applied_whole_or_not_at_all(store: &dyn Store) {
    assert_eq!(done(store, vec![]), Vec::<u64>::new());
    let first = done(store, vec![Operation::put(Key::new("a", "1"), json("1"))])[0];
    let commit = wait(store.commit(vec![
        Operation::put(Key::new("a", "2"), json("2")),
        Operation::append("log", "x", json("0")),
        Operation::put(Key::new("a", "1"), json("3")).expecting(Expect::Absent),
        Operation::delete(Key::new("a", "3")).expecting(Expect::Version(1)),
    ]));
    assert_eq!(commit.unwrap(), Commit::Conflict { index: 2 });
    assert_eq!(row(store, "a", "2"), None);
    assert_eq!(entries(store, Query::log("log", 10)).0, vec![]);
    assert_eq!(
        row(store, "a", "1").map(|row| (row.version, row.value)),
        Some((first, json("1")))
    );
    let versions = done(
        store,
        vec![
            Operation::put(Key::new("a", "1"), json("4")).expecting(Expect::Version(first)),
            Operation::delete(Key::new("a", "none")),
            Operation::append("log", "x", json("0")),
        ],
    );
    assert!(
        versions[0] > first && versions[1] == 0 && versions[2] > 0,
        "{versions:?}"
    );
    let stale = Operation::delete(Key::new("a", "1")).expecting(Expect::Version(first));
    assert_eq!(
        wait(store.commit(vec![stale])).unwrap(),
        Commit::Conflict { index: 0 }
    );
    // The same key in another space is another row.
    assert_eq!(row(store, "b", "1"), None);
}

fn versions_grow_past_deletion_and_expiry(store: &dyn Store, time: &Time) {
    let key = || Key::new("a", "k");
    let mut last = 0;
    for round in 0..4 {
        let now = wait(store.now()).unwrap();
        let put = Operation::put(key(), json("1")).expecting(Expect::Absent);
        let put = if round == 1 {
            put.expiring(now + 50)
        } else {
            put
        };
        let version = done(store, vec![put])[0];
        assert!(version > last, "{version} after {last}");
        last = version;
        if round == 1 {
            time.pass(100);
        } else {
            done(
                store,
                vec![Operation::delete(key()).expecting(Expect::Version(version))],
            );
        }
    }
    let gone = Operation::delete(key()).expecting(Expect::Version(last));
    assert_eq!(
        wait(store.commit(vec![gone])).unwrap(),
        Commit::Conflict { index: 0 }
    );
}

fn values_come_back_as_they_were(store: &dyn Store) {
    let megabyte = format!("{{\"text\":\"{}\"}}", "ü".repeat(500_000));
    let values = [
        "null",
        "\"a\\u0000b\"",
        "\"\\ud800\"",
        "{\"\\udfff\":[\"\\ud83d\",\"\\ude00\"]}",
        "9007199254740992",
        "-9007199254740991",
        "0.1",
        "1e-7",
        "\"\\u2028 \\\\ \\\" \u{1f600}\"",
        "[[[[[[{}]]]]]]",
        "\"\"",
        &megabyte,
    ];
    for (index, value) in values.into_iter().enumerate() {
        let value = json(value);
        let name = index.to_string();
        done(
            store,
            vec![
                Operation::put(Key::new("v", &name), value.clone()),
                Operation::append("v", &name, value.clone()),
            ],
        );
        let found = row(store, "v", &name).unwrap().value;
        assert!(
            found.is_same(&value),
            "{:.80?} became {:.80?}",
            value,
            found
        );
    }
    let (kept, _) = entries(store, Query::log("v", 100));
    assert_eq!(kept.len(), values.len());
    assert!(
        kept.iter()
            .zip(values)
            .all(|(entry, value)| entry.value.is_same(&json(value)))
    );
}

fn rows_are_listed_by_key_and_by_number(store: &dyn Store) {
    let put = |key: &str, order: Option<i64>| {
        let put = Operation::put(Key::new("s", key), json("0"));
        order.map_or(put.clone(), |order| put.ordered(order))
    };
    // U+FFFD comes before U+1F600 in UTF-8, and behind it in UTF-16.
    let names = [
        "a",
        "a%b",
        "a_b",
        "aa",
        "b",
        "B",
        "é",
        "\u{fffd}",
        "\u{1f600}",
        "a\u{7f}",
    ];
    let order = |index: usize| {
        index
            .is_multiple_of(2)
            .then(|| 5 - i64::try_from(index).unwrap() / 4)
    };
    done(
        store,
        names
            .iter()
            .enumerate()
            .map(|(index, name)| put(name, order(index)))
            .collect(),
    );
    done(store, vec![Operation::put(Key::new("t", "a"), json("0"))]);
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let (all, next) = rows(store, Query::space("s", 100));
    assert_eq!((keys(&all), next), (sorted, None));
    let prefixed = |prefix: &str| {
        let prefix = Some(prefix.to_owned());
        let query = Query::Space {
            space: "s".into(),
            prefix,
            order: None,
            after: None,
            limit: 100,
        };
        keys(&rows(store, query).0)
            .iter()
            .map(|key| (*key).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(prefixed("a"), ["a", "a%b", "a_b", "aa", "a\u{7f}"]);
    assert_eq!(prefixed("a_"), ["a_b"]);
    assert_eq!(prefixed("a%"), ["a%b"]);
    assert_eq!(prefixed("none"), Vec::<String>::new());
    // By number, then by key: 5: a, a_b; 4: b, é; 3: U+1F600.
    let by_number = ["a", "a_b", "b", "é", "\u{1f600}"];
    let range = |from, to| Query::ordered("s", Range { from, to }, 100);
    assert_eq!(
        keys(&rows(store, range(None, None)).0),
        ["\u{1f600}", "b", "é", "a", "a_b"]
    );
    assert_eq!(by_number.len(), 5);
    assert_eq!(keys(&rows(store, range(Some(4), Some(4))).0), ["b", "é"]);
    assert_eq!(keys(&rows(store, range(Some(5), None)).0), ["a", "a_b"]);
    assert_eq!(keys(&rows(store, range(None, Some(3))).0), ["\u{1f600}"]);
    // Page by page nothing is lost and nothing comes twice.
    for query in [
        Query::space("s", 1),
        Query::space("s", 3),
        Query::ordered("s", Range::default(), 2),
    ] {
        let mut all = Vec::new();
        let mut page = rows(store, query.clone());
        loop {
            all.extend(page.0.iter().map(|row| row.key.clone()));
            let Some(next) = page.1 else { break };
            page = rows(store, query.clone().following(next));
        }
        let Query::Space {
            space,
            prefix,
            order,
            after,
            ..
        } = query
        else {
            unreachable!()
        };
        let whole = rows(
            store,
            Query::Space {
                space,
                prefix,
                order,
                after,
                limit: 100,
            },
        )
        .0;
        assert_eq!(all, keys(&whole));
    }
}

fn a_log_keeps_each_id_once_and_its_order(store: &dyn Store) {
    let append = |id: &str, value: &str| Operation::append("l", id, json(value));
    let first = done(
        store,
        vec![append("a", "1"), append("b", "2"), append("a", "3")],
    );
    assert_eq!(first[0], first[2]);
    let second = done(
        store,
        vec![
            append("c", "4"),
            append("b", "5"),
            Operation::append("m", "a", json("6")),
        ],
    );
    assert_eq!(second[1], first[1]);
    let (all, next) = entries(store, Query::log("l", 10));
    let listed: Vec<_> = all
        .iter()
        .map(|entry| (entry.id.as_str(), entry.value.as_str()))
        .collect();
    assert_eq!(
        (listed, next),
        (vec![("a", "1"), ("b", "2"), ("c", "4")], None)
    );
    assert!(
        all.windows(2)
            .all(|pair| pair[0].seq < pair[1].seq && pair[0].at <= pair[1].at)
    );
    let ids = |query: Query| {
        let (entries, next) = entries(store, query);
        (
            entries
                .iter()
                .map(|entry| entry.id.clone())
                .collect::<Vec<_>>()
                .join(""),
            next,
        )
    };
    let seq = |id: &str| {
        all.iter()
            .find(|entry| entry.id == id)
            .map(|entry| entry.seq)
    };
    let log = |after, before, limit| Query::Log {
        log: "l".into(),
        after,
        before,
        limit,
    };
    assert_eq!(
        ids(log(None, None, 2)),
        ("ab".into(), seq("b").map(|seq| seq.to_string()))
    );
    assert_eq!(ids(log(seq("b"), None, 2)), ("c".into(), None));
    // The last ones before a number, in order.
    assert_eq!(
        ids(Query::last("l", 2)),
        ("bc".into(), seq("b").map(|seq| seq.to_string()))
    );
    assert_eq!(ids(log(None, seq("b"), 2)), ("a".into(), None));
    assert_eq!(ids(log(seq("a"), seq("c"), 9)), ("b".into(), None));
    assert_eq!(ids(log(seq("c"), seq("a"), 9)), (String::new(), None));
    assert_eq!(ids(Query::log("none", 1)), (String::new(), None));
}

fn a_row_ends_at_its_time(store: &dyn Store, time: &Time) {
    let key = || Key::new("lease", "one");
    let now = wait(store.now()).unwrap();
    done(
        store,
        vec![
            Operation::put(key(), json("1"))
                .ordered(1)
                .expiring(now + 60_000),
        ],
    );
    time.pass(59_999);
    assert!(row(store, "lease", "one").is_some());
    let claim = || Operation::put(key(), json("2")).expecting(Expect::Absent);
    assert_eq!(
        wait(store.commit(vec![claim()])).unwrap(),
        Commit::Conflict { index: 0 }
    );
    time.pass(1);
    assert_eq!(row(store, "lease", "one"), None);
    assert_eq!(rows(store, Query::space("lease", 9)).0, vec![]);
    assert_eq!(
        rows(store, Query::ordered("lease", Range::default(), 9)).0,
        vec![]
    );
    done(store, vec![claim()]);
    // Without an end it stays.
    time.pass(1_000_000_000);
    assert!(row(store, "lease", "one").is_some());
}

fn the_clock_never_goes_back(store: &dyn Store, time: &Time) {
    let before = wait(store.now()).unwrap();
    done(store, vec![Operation::put(Key::new("a", "b"), json("1"))]);
    time.pass(-3_600_000);
    let after = wait(store.now()).unwrap();
    assert!(after >= before, "{after} after {before}");
    done(store, vec![Operation::put(Key::new("a", "c"), json("1"))]);
    let written = row(store, "a", "c").unwrap().updated_at;
    assert!(written >= before, "{written} after {before}");
    time.pass(3_600_000);
}

fn what_no_store_can_take_is_refused(store: &dyn Store) {
    let put = |space: &str, key: &str| Operation::put(Key::new(space, key), json("1"));
    let long = "x".repeat(513);
    let refused = [
        vec![put("", "a")],
        vec![put("a", "")],
        vec![put("a", &long)],
        vec![put("a\0", "a")],
        vec![Operation::append("a", "", json("1"))],
        vec![put("a", "a"), Operation::delete(Key::new("a", "a"))],
        vec![put("a", "a").ordered(1 << 53)],
        vec![put("a", "a").expiring(i64::MIN)],
        (0..1_001)
            .map(|index| put("a", &index.to_string()))
            .collect(),
    ];
    for operations in refused {
        let outcome = wait(store.commit(operations.clone()));
        assert!(
            matches!(outcome, Err(StoreError::Invalid(_))),
            "{outcome:?} for {operations:.200?}"
        );
    }
    assert!(matches!(
        wait(store.get(vec![Key::new("", "a")])),
        Err(StoreError::Invalid(_))
    ));
    assert!(matches!(
        wait(store.scan(Query::space("a", 0))),
        Err(StoreError::Invalid(_))
    ));
    let mark = Query::ordered("a", Range::default(), 1).following("nonsense");
    assert!(matches!(
        wait(store.scan(mark)),
        Err(StoreError::Invalid(_))
    ));
    assert_eq!(rows(store, Query::space("a", 9)).0, vec![]);
    // The longest names are taken.
    let longest = "ü".repeat(256);
    done(
        store,
        vec![
            put(&longest, &longest),
            Operation::append(longest.as_str(), longest.as_str(), json("1")),
        ],
    );
    assert_eq!(rows(store, Query::space(longest.as_str(), 9)).0.len(), 1);
}

fn of_many_who_claim_one_wins<S: Store>(store: &Arc<S>) {
    for round in 0..20 {
        let won = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let claim = Operation::put(Key::new("claims", round.to_string()), json("1"));
                    let claim = claim.expecting(Expect::Absent);
                    if let Commit::Done { .. } = wait(store.commit(vec![claim])).unwrap() {
                        won.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(won.load(Ordering::Relaxed), 1);
    }
}

/// Adds one to a number, as often as somebody else was quicker.
pub(crate) fn count_up(store: &dyn Store) {
    loop {
        let found = row(store, "counters", "n");
        let number: u64 = found.as_ref().map_or(0, |row| row.value.read().unwrap());
        let expect = found.map_or(Expect::Absent, |row| Expect::Version(row.version));
        let put = Operation::put(Key::new("counters", "n"), Json::of(&(number + 1)).unwrap());
        if let Commit::Done { .. } = wait(store.commit(vec![put.expecting(expect)])).unwrap() {
            return;
        }
    }
}

fn nothing_is_lost_between_those_who_count<S: Store>(store: &Arc<S>) {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| count_up(&**store)));
        }
    });
    assert_eq!(row(&**store, "counters", "n").unwrap().value, json("400"));
}

fn a_watch_is_notified_of_its_names(store: &dyn Store) {
    let notified = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&notified);
    let changed = Arc::new(move || _ = counted.fetch_add(1, Ordering::Relaxed));
    let Some(watch) = store.watch(vec!["watched".into(), "log".into()], changed) else {
        return;
    };
    let soon = |least: usize| {
        for _ in 0..300 {
            if notified.load(Ordering::Relaxed) >= least {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    };
    done(
        store,
        vec![Operation::put(Key::new("watched", "a"), json("1"))],
    );
    assert!(soon(1), "no notification of a row");
    let before = notified.load(Ordering::Relaxed);
    done(store, vec![Operation::append("log", "a", json("1"))]);
    assert!(soon(before + 1), "no notification of an entry");
    drop(watch);
    std::thread::sleep(Duration::from_millis(50));
    let before = notified.load(Ordering::Relaxed);
    done(
        store,
        vec![Operation::put(Key::new("watched", "a"), json("2"))],
    );
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(notified.load(Ordering::Relaxed), before);
}

fn a_search_finds_words_of_every_script(store: &dyn Store) {
    let append =
        |log: &str, id: &str, text: &str| Operation::append(log, id, Json::of(&[text]).unwrap());
    done(
        store,
        vec![
            append("t/1", "a", "The CAFÉ is open: déjà vu"),
            append("t/1", "b", "東京都の天気は晴れです"),
            append("t/2", "c", "cafeteria, closed"),
            append("u", "d", "the cafe elsewhere"),
        ],
    );
    let found = |logs: &str, text: &str| {
        let query = SearchQuery {
            logs: logs.into(),
            text: text.into(),
            limit: 10,
        };
        let hits = wait(store.search(query)).unwrap();
        let mut ids: Vec<String> = hits.iter().map(|hit| hit.id.clone()).collect();
        ids.sort();
        ids.concat()
    };
    assert_eq!(found("t/", "cafe"), "ac");
    assert_eq!(found("t/1", "Cafe OPEN"), "a");
    assert_eq!(found("", "cafe"), "acd");
    assert_eq!(found("", "deja"), "a");
    assert_eq!(found("", "天気は"), "b");
    assert_eq!(found("", "東京"), "b");
    for text in [
        "none",
        "",
        "  ",
        "\"",
        "a OR b NOT",
        "cafe AND",
        "*",
        "x\0y",
        "(",
        "text:cafe",
    ] {
        assert_eq!(found("t/1", text).replace('a', ""), "", "{text:?}");
    }
    let hit = wait(store.search(SearchQuery {
        logs: "u".into(),
        text: "cafe".into(),
        limit: 1,
    }))
    .unwrap();
    assert_eq!(
        hit.iter()
            .map(|hit| hit.snippet.as_str())
            .collect::<Vec<_>>(),
        ["the cafe elsewhere"]
    );
    assert!(found("", &"word ".repeat(10_000)).is_empty());
}

fn a_closed_store_refuses(store: &dyn Store) {
    done(store, vec![Operation::put(Key::new("a", "b"), json("1"))]);
    wait(store.close()).unwrap();
    let put = Operation::put(Key::new("a", "b"), json("1"));
    assert_eq!(wait(store.commit(vec![put])), Err(StoreError::Closed));
    assert_eq!(
        wait(store.get(vec![Key::new("a", "b")])),
        Err(StoreError::Closed)
    );
    assert_eq!(wait(store.close()), Ok(()));
}

/// One step of the model: small numbers stand for keys, so that they meet.
#[derive(Debug, Clone)]
enum Step {
    Put {
        key: u8,
        value: u8,
        order: Option<i8>,
        expect: Guess,
    },
    Delete {
        key: u8,
        expect: Guess,
    },
    Append {
        log: u8,
        id: u8,
        value: u8,
    },
}

/// What is expected of the row, which the model knows.
#[derive(Debug, Clone, Copy)]
enum Guess {
    Any,
    Absent,
    Right,
    Stale,
}

#[derive(Default)]
struct Model {
    rows: BTreeMap<String, (u8, Option<i8>, u64)>,
    logs: BTreeMap<String, Vec<(String, u8)>>,
    stale: u64,
}

impl Model {
    fn expect(&self, key: &str, guess: Guess) -> (Expect, bool) {
        let there = self.rows.get(key).map(|row| row.2);
        match guess {
            Guess::Any => (Expect::Any, true),
            Guess::Absent => (Expect::Absent, there.is_none()),
            Guess::Right => (
                Expect::Version(there.unwrap_or(self.stale + 1)),
                there.is_some(),
            ),
            Guess::Stale => (Expect::Version(self.stale), there == Some(self.stale)),
        }
    }

    /// The operations, and the index of the first that is a conflict.
    fn operations(&self, steps: &[Step]) -> (Vec<Operation>, Option<usize>) {
        let mut conflict = None;
        let mut operations = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            let (operation, holds) = match step {
                Step::Put {
                    key,
                    value,
                    order,
                    expect,
                } => {
                    let key = key.to_string();
                    let (expect, holds) = self.expect(&key, *expect);
                    let put = Operation::put(Key::new("m", key), Json::of(value).unwrap())
                        .expecting(expect);
                    (
                        order.map_or(put.clone(), |order| put.ordered(order.into())),
                        holds,
                    )
                }
                Step::Delete { key, expect } => {
                    let key = key.to_string();
                    let (expect, holds) = self.expect(&key, *expect);
                    let is_plain = expect == Expect::Absent;
                    (
                        Operation::delete(Key::new("m", key)).expecting(expect),
                        holds || is_plain,
                    )
                }
                Step::Append { log, id, value } => {
                    let operation = Operation::append(
                        log.to_string(),
                        id.to_string(),
                        Json::of(value).unwrap(),
                    );
                    (operation, true)
                }
            };
            if !holds && conflict.is_none() {
                conflict = Some(index);
            }
            operations.push(operation);
        }
        (operations, conflict)
    }

    fn apply(&mut self, steps: &[Step], versions: &[u64]) {
        for (step, version) in steps.iter().zip(versions) {
            match step {
                Step::Put {
                    key, value, order, ..
                } => {
                    let before = self
                        .rows
                        .insert(key.to_string(), (*value, *order, *version));
                    self.stale = before.map_or(self.stale, |before| before.2);
                }
                Step::Delete { key, .. } => {
                    self.rows.remove(&key.to_string());
                }
                Step::Append { log, id, value } => {
                    let log = self.logs.entry(log.to_string()).or_default();
                    if log.iter().all(|(known, _)| *known != id.to_string()) {
                        log.push((id.to_string(), *value));
                    }
                }
            }
        }
    }
}

fn it_does_what_the_model_does<S: Store>(make: &impl Fn(&Time) -> S) {
    let guess = prop_oneof![
        Just(Guess::Any),
        Just(Guess::Absent),
        Just(Guess::Right),
        Just(Guess::Stale)
    ];
    let step = prop_oneof![
        3 => (0..6_u8, any::<u8>(), proptest::option::of(-2..3_i8), guess.clone())
            .prop_map(|(key, value, order, expect)| Step::Put { key, value, order, expect }),
        1 => (0..6_u8, guess).prop_map(|(key, expect)| Step::Delete { key, expect }),
        2 => (0..2_u8, 0..20_u8, any::<u8>()).prop_map(|(log, id, value)| Step::Append { log, id, value }),
    ];
    let commits = proptest::collection::vec(proptest::collection::vec(step, 1..4), 1..25);
    let mut runner = TestRunner::new(Config {
        cases: 48,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&commits, |commits| {
        let store = make(&Time::new());
        let mut model = Model::default();
        for steps in commits {
            follow(&store, &mut model, &steps)?;
        }
        Ok(())
    });
    outcome.unwrap();
}

fn follow(store: &dyn Store, model: &mut Model, steps: &[Step]) -> Result<(), TestCaseError> {
    let key = |step: &Step| match step {
        Step::Put { key, .. } | Step::Delete { key, .. } => Some(*key),
        Step::Append { .. } => None,
    };
    let (operations, conflict) = model.operations(steps);
    let mut named: Vec<u8> = steps.iter().filter_map(key).collect();
    let count = named.len();
    named.sort_unstable();
    named.dedup();
    let commit = wait(store.commit(operations));
    if named.len() < count {
        prop_assert!(matches!(commit, Err(StoreError::Invalid(_))), "{commit:?}");
        return Ok(());
    }
    match (commit.unwrap(), conflict) {
        (Commit::Conflict { index }, Some(expected)) => prop_assert_eq!(index, expected),
        (Commit::Done { versions }, None) => model.apply(steps, &versions),
        (commit, conflict) => prop_assert!(false, "{commit:?}, expected conflict: {conflict:?}"),
    }
    let all: Vec<_> = rows(store, Query::space("m", 100))
        .0
        .into_iter()
        .map(|row| (row.key, row.value.read().unwrap(), row.order, row.version))
        .collect();
    let expected: Vec<_> = model
        .rows
        .iter()
        .map(|(key, (value, order, version))| (key.clone(), *value, order.map(i64::from), *version))
        .collect();
    prop_assert_eq!(&all, &expected);
    let ordered: Vec<String> = rows(store, Query::ordered("m", Range::default(), 100))
        .0
        .into_iter()
        .map(|row| row.key)
        .collect();
    let mut by_number: Vec<_> = expected
        .into_iter()
        .filter_map(|(key, _, order, _)| Some((order?, key)))
        .collect();
    by_number.sort();
    prop_assert_eq!(
        ordered,
        by_number
            .into_iter()
            .map(|(_, key)| key)
            .collect::<Vec<_>>()
    );
    for (log, known) in &model.logs {
        let (found, _) = entries(store, Query::log(log.as_str(), 100));
        let found: Vec<_> = found
            .into_iter()
            .map(|entry| (entry.id, entry.value.read().unwrap()))
            .collect();
        prop_assert_eq!(&found, known);
    }
    Ok(())
}
