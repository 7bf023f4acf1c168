//! The store in a file: all that a file can suffer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "support/conformance.rs"]
mod conformance;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use conformance::{count_up, done, entries, json, row, wait};
use tempfile::TempDir;
use tenon_store::{
    Expect, Json, Key, Operation, Query, Retention, SearchQuery, SqliteOptions, SqliteStore, Store,
    StoreError, journal_mode,
};

fn at(path: &Path) -> SqliteStore {
    SqliteStore::new(SqliteOptions::new(path))
}

fn put(key: &str, value: &str) -> Operation {
    Operation::put(Key::new("a", key), json(value))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn scene() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.db");
    (directory, path)
}

/// This very program again, as another process that runs one of the tests below.
fn child(test: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env("TENON_STORE_CHILD", path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn parent() -> Option<PathBuf> {
    std::env::var_os("TENON_STORE_CHILD").map(PathBuf::from)
}

#[test]
fn clearing_a_log_of_no_file_makes_none() {
    let (directory, path) = scene();
    assert_eq!(wait(at(&path).clear("log".to_owned())), Ok(false));
    assert_eq!(names(directory.path()), Vec::<String>::new());
}

#[test]
fn the_journal_mode_is_read_without_opening_the_database() {
    let (directory, path) = scene();
    assert_eq!(
        journal_mode(&path).unwrap_err().kind(),
        std::io::ErrorKind::NotFound
    );
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    wait(store.close()).unwrap();
    drop(store);
    let before = names(directory.path());
    assert_eq!(journal_mode(&path).unwrap(), Some("wal"));
    assert_eq!(names(directory.path()), before);
    // Another file: the store may hold its own for a moment more.
    let path = directory.path().join("other.db");
    set(&path, "CREATE TABLE a (b)");
    assert_eq!(journal_mode(&path).unwrap(), Some("rollback"));
    for other in ["", "SQLite format 3", "no database at all, by far"] {
        fs::write(&path, other).unwrap();
        assert_eq!(journal_mode(&path).unwrap(), None);
    }
}

#[test]
fn it_conforms() {
    let directory = tempfile::tempdir().unwrap();
    let count = AtomicUsize::new(0);
    conformance::check(|clock| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let path = directory.path().join(format!("{number}.db"));
        SqliteStore::new(SqliteOptions {
            clock: Some(clock),
            ..SqliteOptions::new(path)
        })
    });
}

#[test]
fn nothing_is_made_before_something_is_written() {
    let (directory, path) = scene();
    let store = at(&path);
    assert_eq!(row(&store, "a", "b"), None);
    assert_eq!(entries(&store, Query::log("l", 1)).0, vec![]);
    assert!(wait(store.now()).unwrap() > 1_700_000_000_000);
    let query = SearchQuery {
        logs: String::new(),
        text: "a".into(),
        limit: 1,
    };
    assert_eq!(wait(store.search(query)), Ok(vec![]));
    wait(store.flush()).unwrap();
    assert_eq!(names(directory.path()), Vec::<String>::new());
    wait(store.close()).unwrap();
    assert_eq!(names(directory.path()), Vec::<String>::new());
}

#[test]
fn what_was_written_is_there_for_the_next_one() {
    let (_directory, path) = scene();
    let first = at(&path);
    let version = done(
        &first,
        vec![put("k", "1"), Operation::append("l", "x", json("2"))],
    )[0];
    let second = at(&path);
    assert_eq!(row(&second, "a", "k").unwrap().version, version);
    drop(first);
    assert_eq!(entries(&second, Query::log("l", 9)).0[0].value, json("2"));
    assert!(done(&second, vec![put("k", "2")])[0] > version);
    assert_eq!(second.notices(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn only_this_user_reads_its_files() {
    use std::os::unix::fs::PermissionsExt;
    let (directory, path) = scene();
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    assert_eq!(
        names(directory.path()),
        ["state.db", "state.db-shm", "state.db-wal"]
    );
    for name in names(directory.path()) {
        let mode = fs::metadata(directory.path().join(&name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn counting_in_another_process() {
    let Some(path) = parent() else { return };
    let store = at(&path);
    let rounds: usize = fs::read_to_string(path.with_extension("rounds"))
        .unwrap()
        .parse()
        .unwrap();
    (0..rounds).for_each(|_| count_up(&store));
}

fn counted_by(processes: usize, rounds: usize) -> Duration {
    let (_directory, path) = scene();
    fs::write(path.with_extension("rounds"), rounds.to_string()).unwrap();
    let started = Instant::now();
    let children: Vec<Child> = (0..processes)
        .map(|_| child("counting_in_another_process", &path))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let took = started.elapsed();
    let total = row(&at(&path), "counters", "n").unwrap().value;
    assert_eq!(total, Json::of(&(processes * rounds)).unwrap());
    took
}

#[test]
fn a_file_that_others_make_meanwhile_can_be_opened_and_used() {
    for _ in 0..50 {
        let (_directory, path) = scene();
        let ready = Barrier::new(6);
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let store = at(&path);
                    ready.wait();
                    count_up(&store);
                });
            }
        });
        assert_eq!(
            row(&at(&path), "counters", "n").unwrap().value,
            Json::of(&6).unwrap()
        );
    }
}

#[test]
fn two_processes_that_swap_ten_thousand_times_lose_nothing() {
    let took = counted_by(2, 5_000);
    println!("2 processes x 5000 read-modify-write: {took:?}");
}

/// A measurement, not a check: `cargo test --release -p tenon-store -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn figures() {
    println!(
        "4 processes x 1000 read-modify-write: {:?}",
        counted_by(4, 1_000)
    );
    let (_directory, path) = scene();
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    let each = |name: &str, operation: &dyn Fn(usize) -> Operation| {
        let count = 2_000;
        let started = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            for number in 0..count {
                store.commit(vec![operation(number)]).await.unwrap();
            }
        });
        println!("{name}: {:?} a commit", started.elapsed() / count as u32);
    };
    each("put, FULL", &|number| put("k", &number.to_string()));
    each("append, NORMAL, one after the other", &|number| {
        Operation::append("l", number.to_string(), json("1"))
    });
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let commits: Vec<_> = (0..20_000)
            .map(|number| store.commit(vec![Operation::append("m", number.to_string(), json("1"))]))
            .collect();
        for commit in commits {
            commit.await.unwrap();
        }
    });
    println!(
        "append, NORMAL, 20000 queued: {:?} a commit",
        started.elapsed() / 20_000
    );
    let started = Instant::now();
    runtime.block_on(async {
        for _ in 0..5_000 {
            store.get(vec![Key::new("a", "k")]).await.unwrap();
        }
    });
    println!("get: {:?}", started.elapsed() / 5_000);
}

#[test]
fn writing_pairs_in_another_process() {
    let Some(path) = parent() else { return };
    let store = at(&path);
    for number in 0_u64.. {
        let value = number.to_string();
        done(
            &store,
            vec![
                put("one", &value),
                Operation::append("l", &value, json(&value)),
                put("other", &value),
            ],
        );
        // What is reported is on the disk.
        fs::write(path.with_extension("new"), &value).unwrap();
        fs::rename(path.with_extension("new"), path.with_extension("reported")).unwrap();
    }
}

#[test]
fn a_process_that_is_killed_leaves_whole_commits_and_all_that_it_reported() {
    for round in 0_u64..12 {
        let (_directory, path) = scene();
        let mut child = child("writing_pairs_in_another_process", &path);
        let reported = path.with_extension("reported");
        while !reported.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 1_700));
        child.kill().unwrap();
        child.wait().unwrap();
        let store = at(&path);
        let value = |key: &str| row(&store, "a", key).unwrap().value.read::<u64>().unwrap();
        let least: u64 = fs::read_to_string(&reported).unwrap().parse().unwrap();
        let found = value("one");
        assert_eq!(found, value("other"));
        assert!(found >= least, "{found} was kept, {least} was reported");
        let last = entries(&store, Query::last("l", 1)).0.remove(0);
        assert_eq!(last.value, Json::of(&found).unwrap());
        assert_eq!(store.notices(), Vec::<String>::new());
        done(&store, vec![put("one", "0")]);
    }
}

#[test]
fn a_file_that_is_no_database_is_set_aside() {
    let (directory, path) = scene();
    let junk = "this was a store once ".repeat(1_000);
    fs::write(&path, &junk).unwrap();
    let store = at(&path);
    // Reading finds it, too.
    assert_eq!(row(&store, "a", "k"), None);
    done(&store, vec![put("k", "1")]);
    assert_eq!(row(&store, "a", "k").unwrap().value, json("1"));
    let aside = names(directory.path())
        .into_iter()
        .find(|name| name.contains(".corrupt-"))
        .unwrap();
    assert_eq!(
        fs::read_to_string(directory.path().join(&aside)).unwrap(),
        junk
    );
    let file = path.display();
    let moved = directory.path().join(aside);
    assert_eq!(
        store.notices(),
        [format!(
            "The store `{file}` was damaged. It was moved to `{}` and a new one was started: task lists, history and remembered approvals begin empty.",
            moved.display()
        )]
    );
}

/// Overwrites the pages behind the first with nonsense.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    assert!(bytes.len() > 3 * 4096, "{}", bytes.len());
    for byte in bytes.iter_mut().skip(4096) {
        *byte = 0xa5;
    }
    fs::write(path, bytes).unwrap();
}

/// Two connections that closed at once left the write-ahead log beside the file.
#[test]
fn a_store_that_is_closed_has_one_file() {
    for round in 0..200 {
        let (directory, path) = scene();
        let store = at(&path);
        done(&store, vec![put("k", "1")]);
        assert!(row(&store, "a", "k").is_some());
        wait(store.close()).unwrap();
        assert_eq!(names(directory.path()), ["state.db"], "round {round}");
    }
}

#[test]
fn a_file_with_damaged_pages_is_set_aside_when_they_are_found() {
    for reads_first in [true, false] {
        let (directory, path) = scene();
        let first = at(&path);
        done(
            &first,
            (0..100)
                .map(|number| put(&number.to_string(), "\"text\""))
                .collect(),
        );
        wait(first.close()).unwrap();
        drop(first);
        assert_eq!(names(directory.path()), ["state.db"]);
        damage(&path);
        let store = at(&path);
        if reads_first {
            assert_eq!(row(&store, "a", "1"), None);
        }
        done(&store, vec![put("new", "1")]);
        assert_eq!(row(&store, "a", "new").unwrap().value, json("1"));
        assert_eq!(store.notices().len(), 1, "{:?}", store.notices());
        let is_aside = |name: &String| {
            name.contains(".corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm")
        };
        assert_eq!(
            names(directory.path())
                .iter()
                .filter(|name| is_aside(name))
                .count(),
            1
        );
    }
}

fn looking_for(text: &str) -> SearchQuery {
    SearchQuery {
        logs: String::new(),
        text: text.to_owned(),
        limit: 10,
    }
}

/// A store with many rows and an index for searching, which nobody has open.
fn filled(directory: &TempDir, path: &Path) {
    let store = at(path);
    let number = |number: usize| Operation::append("l", number.to_string(), json("\"some text\""));
    let operations = (0..200).map(|key| put(&key.to_string(), "\"text of a row\""));
    done(&store, operations.collect());
    done(&store, (0..100).map(number).collect());
    wait(store.search(looking_for("text"))).unwrap();
    wait(store.close()).unwrap();
    drop(store);
    assert_eq!(names(directory.path()), ["state.db"]);
}

/// As a full disk or the loss of power leaves it: nobody kept anything from then on.
#[test]
fn a_file_that_is_cut_or_has_an_empty_page_works_or_is_set_aside() {
    let (directory, path) = scene();
    filled(&directory, &path);
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / 4096;
    let mut damages = vec![whole[..whole.len() / 2].to_vec(), whole[..5_000].to_vec()];
    for page in 0..pages {
        let mut zeroed = whole.clone();
        zeroed[page * 4096..(page + 1) * 4096].fill(0);
        damages.push(zeroed);
    }
    for (number, damaged) in damages.into_iter().enumerate() {
        let (_directory, path) = scene();
        fs::write(&path, damaged).unwrap();
        let store = at(&path);
        // Whatever finds it; what was written until then is gone with the file.
        let _ = wait(store.get(vec![Key::new("a", "1")]));
        for key in ["first", "second"] {
            done(&store, vec![put(key, "1")]);
            let value = json("\"other text\"");
            done(&store, vec![Operation::append("l", key, value)]);
            let _ = wait(store.search(looking_for("other")));
        }
        assert_eq!(
            row(&store, "a", "second").unwrap().value,
            json("1"),
            "{number}"
        );
        let hits = wait(store.search(looking_for("other"))).unwrap();
        assert!(!hits.is_empty(), "{number}");
    }
}

#[test]
fn a_row_that_cannot_be_read_is_left_out_and_written_again() {
    let (directory, path) = scene();
    let store = at(&path);
    done(
        &store,
        ["1", "2", "3"].map(|key| put(key, "\"precious\"")).into(),
    );
    wait(store.close()).unwrap();
    drop(store);
    assert_eq!(names(directory.path()), ["state.db"]);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "UPDATE rows SET value = CAST(x'22ff22' AS TEXT) WHERE key = '1';
             UPDATE rows SET value = '\"prec' WHERE key = '2';",
        )
        .unwrap();
    drop(connection);
    let store = at(&path);
    let page = wait(store.scan(Query::space("a", 10))).unwrap();
    let (rows, _) = page.into_rows().unwrap();
    assert_eq!(rows.iter().map(|row| &*row.key).collect::<Vec<_>>(), ["3"]);
    assert_eq!(row(&store, "a", "1"), None);
    done(&store, vec![put("1", "1").expecting(Expect::Absent)]);
    assert_eq!(row(&store, "a", "1").unwrap().value, json("1"));
    assert_eq!(store.notices(), Vec::<String>::new());
}

// Windows deletes no file that is open.
#[cfg(unix)]
#[test]
fn a_file_that_is_deleted_meanwhile_is_made_again() {
    let (directory, path) = scene();
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    assert!(row(&store, "a", "k").is_some());
    for name in names(directory.path()) {
        fs::remove_file(directory.path().join(name)).unwrap();
    }
    assert_eq!(row(&store, "a", "k"), None);
    done(&store, vec![put("k", "2")]);
    assert_eq!(row(&store, "a", "k").unwrap().value, json("2"));
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let (directory, path) = scene();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (a)").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    let store = at(&path);
    let error = wait(store.commit(vec![put("k", "1")])).unwrap_err();
    let file = path.display();
    assert_eq!(
        error.to_string(),
        format!("The store `{file}` cannot be written: it is a database of another program.")
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names(directory.path()), ["state.db"]);
}

fn set(path: &Path, sql: &str) {
    rusqlite::Connection::open(path)
        .unwrap()
        .execute_batch(sql)
        .unwrap();
}

#[test]
fn a_newer_file_is_used_while_it_lets_older_programs_read_it() {
    let (_directory, path) = scene();
    done(&at(&path), vec![put("k", "1")]);
    set(
        &path,
        "PRAGMA user_version = 77; ALTER TABLE rows ADD COLUMN later TEXT; CREATE TABLE further (a);",
    );
    let store = at(&path);
    assert_eq!(row(&store, "a", "k").unwrap().value, json("1"));
    done(&store, vec![put("k", "2")]);
    set(
        &path,
        "UPDATE meta SET value = 70 WHERE name = 'min_reader'",
    );
    let store = at(&path);
    let error = wait(store.commit(vec![put("k", "3")])).unwrap_err();
    assert!(matches!(error, StoreError::TooNew(_)), "{error:?}");
    let file = path.display();
    assert_eq!(
        error.to_string(),
        format!(
            "The store `{file}` was written by a newer tenon (it needs version 70, this is 2). Update tenon, or set `TENON_STATE_DIR` to another directory."
        )
    );
    assert!(wait(store.get(vec![Key::new("a", "k")])).is_err());
}

#[test]
fn an_older_file_is_brought_up_to_date() {
    let (_directory, path) = scene();
    let store = at(&path);
    done(
        &store,
        vec![
            put("k", "1"),
            Operation::append("l", "x", json("\"some words\"")),
        ],
    );
    wait(store.close()).unwrap();
    set(
        &path,
        "DROP TRIGGER entries_leave_index; DROP TABLE words; DROP TABLE grams;
         ALTER TABLE counters DROP COLUMN indexed; PRAGMA user_version = 1;",
    );
    let store = at(&path);
    let query = SearchQuery {
        logs: String::new(),
        text: "words".into(),
        limit: 5,
    };
    assert_eq!(wait(store.search(query)).unwrap().len(), 1);
    assert_eq!(row(&store, "a", "k").unwrap().value, json("1"));
}

#[test]
fn a_file_that_stays_locked_is_reported_after_a_time_limit() {
    let (_directory, path) = scene();
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let started = Instant::now();
    let error = wait(store.commit(vec![put("k", "2")]))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("cannot be written: another process kept it locked for 5 seconds."),
        "{error}"
    );
    assert!(started.elapsed() < Duration::from_secs(15));
    // Reading goes on meanwhile, and writing afterwards.
    assert_eq!(row(&store, "a", "k").unwrap().value, json("1"));
    other.execute_batch("ROLLBACK").unwrap();
    done(&store, vec![put("k", "2")]);
}

#[test]
fn a_directory_that_is_missing_or_no_directory_is_an_error_each_time() {
    let (directory, path) = scene();
    let missing = at(&directory.path().join("none/state.db"));
    assert!(matches!(
        wait(missing.commit(vec![put("k", "1")])),
        Err(StoreError::Failed(_))
    ));
    assert_eq!(row(&missing, "a", "k"), None);
    fs::write(&path, "").unwrap();
    let below = at(&path.join("state.db"));
    assert!(matches!(
        wait(below.commit(vec![put("k", "1")])),
        Err(StoreError::Failed(_))
    ));
    // It works as soon as it can.
    fs::create_dir(directory.path().join("none")).unwrap();
    done(&missing, vec![put("k", "1")]);
}

/// A file system in memory; gone when dropped. Without the right to mount one there is nothing to test.
#[cfg(target_os = "linux")]
struct Disk(TempDir);

#[cfg(target_os = "linux")]
impl Disk {
    fn mounted(options: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(directory.path())
            .stderr(Stdio::null());
        mount
            .status()
            .is_ok_and(|status| status.success())
            .then(|| Self(directory))
    }

    fn again(&self, options: &str) {
        let status = Command::new("mount")
            .args(["-o", options])
            .arg(self.0.path())
            .status();
        assert!(status.unwrap().success());
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_what_was_there_stays() {
    let Some(disk) = Disk::mounted("size=2m") else {
        return;
    };
    let store = at(&disk.0.path().join("state.db"));
    done(&store, vec![put("k", "1")]);
    let large = Json::of(&"x".repeat(900_000)).unwrap();
    let mut error = None;
    for number in 0..10 {
        let put = Operation::put(Key::new("large", number.to_string()), large.clone());
        match wait(store.commit(vec![put])) {
            Ok(tenon_store::Commit::Done { .. }) => {}
            other => {
                error = Some(other.unwrap_err());
                break;
            }
        }
    }
    let error = error.unwrap().to_string();
    assert!(
        error.ends_with("cannot be written: the disk is full."),
        "{error}"
    );
    assert_eq!(row(&store, "a", "k").unwrap().value, json("1"));
    // With room again it goes on, and nothing of the failed commit is there.
    disk.again("remount,size=40m");
    done(&store, vec![put("k", "2")]);
    assert_eq!(row(&store, "a", "k").unwrap().value, json("2"));
    assert_eq!(store.notices(), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_may_only_be_read_is_an_error() {
    let Some(disk) = Disk::mounted("size=8m") else {
        return;
    };
    let path = disk.0.path().join("state.db");
    disk.again("remount,ro");
    let store = at(&path);
    assert!(matches!(
        wait(store.commit(vec![put("k", "1")])),
        Err(StoreError::Failed(_))
    ));
    assert_eq!(row(&store, "a", "k"), None);
    disk.again("remount,rw");
    done(&store, vec![put("k", "1")]);
    drop(store);
    disk.again("remount,rw");
}

#[test]
fn the_clock_of_another_process_that_was_ahead_is_not_gone_back_behind() {
    let (_directory, path) = scene();
    let clock = |time: i64| {
        let time = AtomicI64::new(time);
        let clock: tenon_store::SystemClock = Arc::new(move || time.load(Ordering::Relaxed));
        SqliteStore::new(SqliteOptions {
            clock: Some(clock),
            ..SqliteOptions::new(&path)
        })
    };
    let ahead = clock(2_000_000);
    done(&ahead, vec![put("k", "1")]);
    let behind = clock(1_000_000);
    let now = wait(behind.now()).unwrap();
    assert!((2_000_000..2_010_000).contains(&now), "{now}");
    done(&behind, vec![put("k", "2")]);
    assert!(row(&behind, "a", "k").unwrap().updated_at >= 2_000_000);
    // A clock that was wrong by days is not believed.
    let week = 7 * 24 * 60 * 60 * 1000;
    done(&clock(2_000_000 + week), vec![put("k", "3")]);
    done(&clock(3_000_000), vec![put("k", "4")]);
    assert_eq!(row(&behind, "a", "k").unwrap().updated_at, 3_000_000);
}

#[test]
fn logs_keep_their_newest_entries_for_their_time() {
    let (_directory, path) = scene();
    let time = Arc::new(AtomicI64::new(1_000_000));
    let seen = Arc::clone(&time);
    let rule = |logs: &str, max_entries, seconds| Retention {
        logs: logs.into(),
        max_entries,
        max_age: Some(Duration::from_secs(seconds)),
    };
    let open = || {
        let seen = Arc::clone(&seen);
        SqliteStore::new(SqliteOptions {
            retention: vec![rule("h/", Some(3), 100), rule("", None, 1_000)],
            clock: Some(Arc::new(move || seen.load(Ordering::Relaxed))),
            ..SqliteOptions::new(&path)
        })
    };
    let append = |log: &str, id: usize| Operation::append(log, id.to_string(), json("\"word\""));
    let store = open();
    done(
        &store,
        (0..5)
            .map(|id| append("h/1", id))
            .chain((0..5).map(|id| append("other", id)))
            .collect(),
    );
    let ids = |store: &SqliteStore, log: &str| {
        wait(store.flush()).unwrap();
        let (found, _) = entries(store, Query::log(log, 100));
        found.into_iter().map(|entry| entry.id).collect::<String>()
    };
    assert_eq!(
        (ids(&store, "h/1"), ids(&store, "other")),
        ("234".into(), "01234".into())
    );
    let query = || SearchQuery {
        logs: String::new(),
        text: "word".into(),
        limit: 100,
    };
    assert_eq!(wait(store.search(query())).unwrap().len(), 8);
    time.fetch_add(200_000, Ordering::Relaxed);
    let store = open();
    done(&store, vec![append("h/2", 1)]);
    assert_eq!(
        (ids(&store, "h/1"), ids(&store, "other")),
        (String::new(), "01234".into())
    );
    // What is gone is found no more.
    assert_eq!(wait(store.search(query())).unwrap().len(), 6);
    // Its numbers are not given again.
    let last = entries(&store, Query::last("h/2", 1)).0[0].seq;
    assert_eq!(last, 11);
}

#[test]
fn a_change_by_another_process_notifies_a_watch() {
    let (_directory, path) = scene();
    let store = at(&path);
    let notified = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&notified);
    let watch = store.watch(
        vec!["a".into()],
        Arc::new(move || _ = counted.fetch_add(1, Ordering::Relaxed)),
    );
    std::thread::sleep(Duration::from_millis(20));
    let other = at(&path);
    done(&other, vec![put("k", "1")]);
    let soon = |least: usize| {
        (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            notified.load(Ordering::Relaxed) >= least
        })
    };
    assert!(soon(1));
    done(&other, vec![put("k", "2")]);
    assert!(soon(2));
    drop(watch);
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_store_wakes_no_thread_and_a_dropped_one_leaves_none() {
    let (_directory, path) = scene();
    // Other tests run stores of their own in this process.
    let mut child = child("idling_in_another_process", &path);
    assert!(child.wait().unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn idling_in_another_process() {
    let Some(path) = parent() else { return };
    let threads = || {
        let tasks = fs::read_dir("/proc/self/task").unwrap();
        let own = tasks.filter_map(|task| {
            let task = task.unwrap().path();
            let name = fs::read_to_string(task.join("comm")).ok()?;
            let status = fs::read_to_string(task.join("status")).ok()?;
            let switches = status
                .lines()
                .find(|line| line.starts_with("voluntary_ctxt_switches"))?;
            name.starts_with("tenon-store").then(|| switches.to_owned())
        });
        own.collect::<Vec<_>>()
    };
    let store = at(&path);
    done(&store, vec![put("k", "1")]);
    assert!(row(&store, "a", "k").is_some());
    std::thread::sleep(Duration::from_millis(100));
    let before = threads();
    assert_eq!(before.len(), 2, "one writes and one reads");
    std::thread::sleep(Duration::from_millis(1_500));
    assert_eq!(threads(), before);
    drop(store);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(threads(), Vec::<String>::new());
}
