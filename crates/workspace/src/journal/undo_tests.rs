//! What can be undone call by call, what is refused, and what outlives the journal.
#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{Workspace, read_bytes};

/// Rows and contents in memory, for several journals.
#[derive(Debug, Default)]
struct Memory {
    rows: Mutex<Vec<KeptRow>>,
    contents: Mutex<BTreeMap<ContentHash, Vec<u8>>>,
    last: Mutex<u64>,
    fails: Mutex<bool>,
}

impl JournalKeeper for Memory {
    fn keep(&self, hash: &ContentHash, bytes: &[u8]) -> io::Result<()> {
        if *self.fails.lock().unwrap() {
            return Err(io::Error::other("the store is away"));
        }
        self.contents.lock().unwrap().insert(*hash, bytes.to_vec());
        Ok(())
    }

    fn content(&self, hash: &ContentHash) -> io::Result<Vec<u8>> {
        let contents = self.contents.lock().unwrap();
        contents
            .get(hash)
            .cloned()
            .ok_or(io::ErrorKind::NotFound.into())
    }

    fn collect(&self, used: &BTreeSet<ContentHash>) -> io::Result<()> {
        self.contents
            .lock()
            .unwrap()
            .retain(|hash, _| used.contains(hash));
        Ok(())
    }

    fn write(&self, row: &RowChange) -> io::Result<()> {
        if *self.fails.lock().unwrap() {
            return Err(io::Error::other("the store is away"));
        }
        let mut rows = self.rows.lock().unwrap();
        let (RowChange::Put { key, .. } | RowChange::Delete { key }) = row;
        rows.retain(|other| other.key != *key);
        if let RowChange::Put { key, value } = row {
            let mut last = self.last.lock().unwrap();
            *last += 1;
            rows.push(KeptRow {
                number: *last,
                key: key.clone(),
                value: value.clone(),
            });
        }
        Ok(())
    }

    fn rows(&self) -> io::Result<Vec<KeptRow>> {
        Ok(self.rows.lock().unwrap().clone())
    }
}

struct Scene {
    directory: tempfile::TempDir,
    workspace: Workspace,
    keeper: Arc<Memory>,
    journal: Journal,
}

fn options() -> JournalOptions {
    JournalOptions {
        calls: 1000,
        ..JournalOptions::default()
    }
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        Self {
            directory,
            workspace,
            keeper: Arc::default(),
            journal: Journal::new(options()),
        }
    }

    /// The same scene with a journal that outlives its process.
    fn kept() -> Self {
        let scene = Self::new();
        let journal = scene.another(options());
        Self { journal, ..scene }
    }

    /// The journal of another process in the same session.
    fn another(&self, options: JournalOptions) -> Journal {
        let keeper = Arc::clone(&self.keeper);
        Journal::kept_by(keeper, self.workspace.clone(), options)
    }

    /// What makes this of a file as it is now; without content it is deleted.
    fn changes(&self, path: &str, content: Option<&str>) -> Option<ChangeSet> {
        let place = self.workspace.locate(path).unwrap();
        let mut changes = ChangeSet::new();
        match (read_bytes(&place, 1 << 20), content) {
            (Ok(old), Some(content)) => changes.update(&old, content.into()).unwrap(),
            (Ok(old), None) => changes.delete(&old).unwrap(),
            (Err(_), Some(content)) => changes.create(&place, content.into()).unwrap(),
            (Err(_), None) => return None,
        }
        Some(changes)
    }

    fn put(&self, call: &str, path: &str, content: Option<&str>) {
        self.put_by(&self.journal, call, 1, path, content);
    }

    /// What a call makes of a file; without content it is deleted.
    fn put_by(&self, by: &Journal, call: &str, number: u32, path: &str, content: Option<&str>) {
        let Some(changes) = self.changes(path, content) else {
            return;
        };
        let journal = by.of_call(call, number);
        journal.commit(changes, &|| false).unwrap();
    }

    fn undo(&self, call: &str) -> Result<Vec<String>, String> {
        undo(&self.journal, call)
    }

    fn tree(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.directory.path()).unwrap();
        let file = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&path).unwrap())
        };
        entries.map(file).collect()
    }
}

fn undo(journal: &Journal, call: &str) -> Result<Vec<String>, String> {
    let done = journal.undo(call, &|| false);
    done.map(|done| done.into_iter().map(|change| change.path).collect())
        .map_err(|error| error.to_string())
}

fn texts<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    files.into_iter().map(owned).collect()
}

#[test]
fn a_call_is_undone_alone_and_without_a_checkpoint() {
    let scene = Scene::new();
    scene.put("write a", "a", Some("1"));
    scene.put("write b", "b", Some("1"));
    assert_eq!(scene.undo("write a"), Ok(vec!["a".to_owned()]));
    assert_eq!(scene.tree(), texts([("b", "1")]));
}

#[test]
fn what_a_later_call_changed_is_refused_with_its_name_and_goes_back_after_it() {
    let scene = Scene::new();
    scene.put("one", "a", Some("1"));
    scene.put("two", "a", Some("2"));
    // Looks as the first has left it, and yet two calls rely on it.
    scene.put("three", "a", Some("1"));
    let refused = "The call `one` cannot be undone: `a` changed again by the later calls `three`, `two`. Nothing was restored; undo what came later first.";
    assert_eq!(scene.undo("one"), Err(refused.to_owned()));
    scene.undo("three").unwrap();
    let refused = "The call `one` cannot be undone: `a` changed again by the later call `two`. Nothing was restored; undo that call first.";
    assert_eq!(scene.undo("one"), Err(refused.to_owned()));
    scene.undo("two").unwrap();
    scene.undo("one").unwrap();
    assert_eq!(scene.tree(), texts([]));
    let refused = "There are no changes of the call `one`: they were undone already.";
    assert_eq!(scene.undo("one"), Err(refused.to_owned()));
}

#[test]
fn what_something_else_changed_is_refused_and_stays() {
    let scene = Scene::new();
    scene.put("one", "a", Some("1"));
    fs::write(scene.directory.path().join("a"), "by hand").unwrap();
    let refused = "The call `one` cannot be undone: `a` changed since, and not by these tools. Nothing was restored.";
    assert_eq!(scene.undo("one"), Err(refused.to_owned()));
    assert_eq!(scene.tree(), texts([("a", "by hand")]));
}

#[test]
fn of_calls_with_one_name_the_last_that_was_not_undone_is_meant() {
    let scene = Scene::new();
    for (number, text) in [(1, "1"), (2, "2")] {
        scene.put_by(&scene.journal, "call_0", number, "a", Some(text));
    }
    scene.put_by(&scene.journal, "call_0", 2, "b", Some("2"));
    scene.undo("call_0").unwrap();
    assert_eq!(scene.tree(), texts([("a", "1")]));
    scene.undo("call_0").unwrap();
    assert_eq!(scene.tree(), texts([]));
    // Nobody means one without a name.
    scene.put("", "a", Some("1"));
    assert!(scene.undo("").is_err());
}

#[test]
fn a_checkpoint_brings_back_what_was_undone_after_it() {
    let scene = Scene::new();
    scene.put("one", "a", Some("1"));
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.undo("one").unwrap();
    scene
        .journal
        .rollback(checkpoint, false, &|| false)
        .unwrap();
    assert_eq!(scene.tree(), texts([("a", "1")]));
    scene.undo("one").unwrap();
    assert_eq!(scene.tree(), texts([]));
}

#[test]
fn a_file_comes_back_whatever_its_name_looks_like() {
    let scene = Scene::new();
    let names = ["$HOME/a", "https:/a", "`a`", "~/a"];
    for name in names {
        let path = scene.directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "old").unwrap();
    }
    for name in names {
        let path = scene.directory.path().join(name);
        scene.put(name, name, None);
        // With its directory gone as well, nothing says that the name is meant.
        fs::remove_dir(path.parent().unwrap()).ok();
        scene.undo(name).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "old", "{name}");
    }
}

#[test]
fn only_the_latest_calls_and_only_young_ones_are_kept() {
    let few = JournalOptions {
        calls: 2,
        ..options()
    };
    let scene = Scene {
        journal: Journal::new(few),
        ..Scene::new()
    };
    for call in ["one", "two", "three"] {
        scene.put(call, call, Some("1"));
    }
    let gone = "There are no changes of the call `one`: it changed no file, or what it changed is no longer kept.";
    assert_eq!(scene.undo("one"), Err(gone.to_owned()));
    scene.undo("two").unwrap();
    let short = JournalOptions {
        max_age: Duration::ZERO,
        ..options()
    };
    let scene = Scene {
        journal: Journal::new(short),
        ..Scene::new()
    };
    scene.put("one", "a", Some("1"));
    std::thread::sleep(Duration::from_millis(5));
    scene.put("two", "b", Some("1"));
    assert_eq!(scene.undo("one"), Err(gone.to_owned()));
}

#[test]
fn what_changed_since_is_shown_with_its_calls() {
    let scene = Scene::new();
    fs::write(scene.directory.path().join("a"), "0").unwrap();
    scene.put("one", "a", Some("1"));
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.put("two", "a", Some("2"));
    scene.put("three", "b", Some("3"));
    scene.put("four", "c", Some("4"));
    scene.undo("four").unwrap();
    let seen = |since| {
        let changed = scene.journal.changed_since(since, 1 << 20).unwrap();
        let text = |side: Result<Option<Vec<u8>>, u64>| {
            side.unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
        };
        let row = |file: ChangedFile| (file.path, text(file.before), text(file.after), file.calls);
        changed.into_iter().map(row).collect::<Vec<_>>()
    };
    let row = |path: &str, before: Option<&str>, after: &str, calls: &[&str]| {
        let calls = calls.iter().map(|&call| call.to_owned()).collect();
        let before = before.map(str::to_owned);
        (path.to_owned(), before, Some(after.to_owned()), calls)
    };
    let b = || row("b", None, "3", &["three"]);
    assert_eq!(
        seen(Since::Start),
        [row("a", Some("0"), "2", &["one", "two"]), b()]
    );
    let since = [row("a", Some("1"), "2", &["two"]), b()];
    assert_eq!(seen(Since::Checkpoint(checkpoint)), since);
    assert_eq!(seen(Since::Call("two")), since);
    assert_eq!(seen(Since::Call("three")), [b()]);
    let large = scene
        .journal
        .changed_since(Since::Call("three"), 0)
        .unwrap();
    assert_eq!(large[0].after, Err(1));
}

#[test]
fn checkpoints_calls_and_runs_are_found_again_by_another_process() {
    let scene = Scene::kept();
    fs::write(scene.directory.path().join("a"), "0").unwrap();
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.put("one", "a", Some("1"));
    scene.put("two", "b", Some("1"));
    scene.put_by(&scene.journal.of_run("run"), "three", 1, "c", Some("1"));
    scene.journal.close().unwrap();

    let second = scene.another(options());
    assert_eq!(undo(&second, "two"), Ok(vec!["b".to_owned()]));
    second.refresh().unwrap();
    assert!(second.holds_run("run"));
    second.rollback_run("run", false, &|| false).unwrap();
    assert_eq!(scene.tree(), texts([("a", "1")]));
    scene.put_by(&second, "four", 1, "a", Some("2"));

    let third = scene.another(options());
    let refused = undo(&third, "one").unwrap_err();
    assert!(refused.contains("by the later call `four`"), "{refused}");
    third.rollback(checkpoint, false, &|| false).unwrap();
    assert_eq!(scene.tree(), texts([("a", "0")]));
    // Also the way back can be undone, until the next one.
    undo(&scene.another(options()), &checkpoint.to_string()).unwrap();
    assert_eq!(scene.tree(), texts([("a", "2")]));
    for _ in 0..2 {
        let next = scene.another(options());
        next.rollback(checkpoint, false, &|| false).unwrap();
        assert_eq!(scene.tree(), texts([("a", "0")]));
    }
    let rows = scene.keeper.rows().unwrap();
    assert_eq!(rows.len(), 1, "only the checkpoint stays: {rows:?}");
    scene.another(options()).refresh().unwrap();
    assert!(scene.keeper.contents.lock().unwrap().is_empty());
}

#[test]
fn what_another_process_did_meanwhile_is_seen() {
    let scene = Scene::kept();
    let other = scene.another(options());
    scene.put("one", "a", Some("1"));
    scene.put_by(&other, "two", 1, "a", Some("2"));
    let refused = scene.undo("one").unwrap_err();
    assert!(refused.contains("by the later call `two`"), "{refused}");
    undo(&other, "two").unwrap();
    scene.undo("one").unwrap();
    assert_eq!(scene.tree(), texts([]));
}

#[test]
fn a_store_that_is_away_stops_nothing_but_the_way_back_until_it_returns() {
    let scene = Scene::kept();
    *scene.keeper.fails.lock().unwrap() = true;
    scene.put("one", "a", Some("1"));
    let refused = "What is kept of earlier changes could not be read: the store is away. Nothing was restored; try it again.";
    assert_eq!(scene.undo("one"), Err(refused.to_owned()));
    // What replaces something has to keep it, unless nobody was promised to come back.
    scene.put("two", "a", Some("2"));
    *scene.keeper.fails.lock().unwrap() = false;
    let refused = scene.undo("one").unwrap_err();
    assert!(refused.contains("not by these tools"), "{refused}");
    assert!(scene.undo("two").unwrap_err().contains("no longer kept"));
    scene.put("three", "b", Some("1"));
    scene.undo("three").unwrap();
    scene.journal.checkpoint().unwrap();
    *scene.keeper.fails.lock().unwrap() = true;
    let mut changes = ChangeSet::new();
    let old = read_bytes(&scene.workspace.locate("a").unwrap(), 9).unwrap();
    changes.update(&old, b"3".to_vec()).unwrap();
    let refused = scene.journal.commit(changes, &|| false).unwrap_err();
    assert!(
        refused.to_string().contains("keep the old content"),
        "{refused}"
    );
    assert_eq!(scene.tree(), texts([("a", "2")]));
}

#[test]
fn quota_and_age_hold_for_what_earlier_processes_left() {
    let scene = Scene::kept();
    for name in ["a", "b", "c"] {
        fs::write(scene.directory.path().join(name), "0123456789").unwrap();
        fs::write(
            scene.directory.path().join(name),
            format!("{name}123456789"),
        )
        .unwrap();
        scene.put(name, name, Some("1"));
    }
    let small = JournalOptions {
        max_bytes: 25,
        ..options()
    };
    let second = scene.another(small);
    assert!(undo(&second, "a").unwrap_err().contains("no longer kept"));
    undo(&second, "b").unwrap();
    let short = JournalOptions {
        max_age: Duration::ZERO,
        ..options()
    };
    std::thread::sleep(Duration::from_millis(5));
    let third = scene.another(short);
    assert!(undo(&third, "c").unwrap_err().contains("no longer kept"));
    assert_eq!(scene.keeper.rows().unwrap(), []);
}

/// What stands at each path, by the calls that were not undone: the last one counts.
#[derive(Default)]
struct Model(BTreeMap<usize, Vec<(usize, Option<String>)>>);

impl Model {
    fn tree(&self) -> BTreeMap<String, String> {
        let last = |(file, calls): (&usize, &Vec<(usize, Option<String>)>)| {
            let text = calls.last()?.1.clone()?;
            Some((format!("f{file}"), text))
        };
        self.0.iter().filter_map(last).collect()
    }

    fn is_last(&self, call: usize) -> bool {
        let touches =
            |calls: &&Vec<(usize, Option<String>)>| calls.iter().any(|(other, _)| *other == call);
        let mut touched = self.0.values().filter(touches);
        touched.all(|calls| calls.last().is_some_and(|(last, _)| *last == call))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Each step is a call that changes up to two files, or an attempt to undo one; some are made by another process.
    #[test]
    fn undone_in_any_order_the_files_are_exact_or_it_is_refused(
        steps in prop::collection::vec((any::<bool>(), 0_usize..12, 0_usize..4, 0_usize..4, 0_u8..4, any::<bool>()), 1..24)
    ) {
        let scene = Scene::kept();
        let other = scene.another(options());
        let mut model = Model::default();
        let mut made: Vec<bool> = Vec::new();
        for (turn, (undoes, which, first, second, sort, elsewhere)) in steps.into_iter().enumerate() {
            let journal = if elsewhere { &other } else { &scene.journal };
            if undoes && !made.is_empty() {
                let call = which % made.len();
                let answer = undo(journal, &format!("call {call}"));
                let touched = model.0.values().flatten().any(|(other, _)| *other == call);
                prop_assert_eq!(answer.is_ok(), made[call] && touched && model.is_last(call), "{:?}", answer);
                if answer.is_ok() {
                    made[call] = false;
                    model.0.values_mut().for_each(|calls| calls.retain(|(other, _)| *other != call));
                }
            } else {
                let call = made.len();
                for file in BTreeSet::from([first, second]) {
                    // Now and then the same content again, and nothing at all.
                    let content = (sort > 0).then(|| if sort == 1 { "same".to_owned() } else { format!("{turn}") });
                    let calls = model.0.entry(file).or_default();
                    let present = calls.last().and_then(|(_, text)| text.clone());
                    if present.is_none() && content.is_none() {
                        continue;
                    }
                    scene.put_by(journal, &format!("call {call}"), 1, &format!("f{file}"), content.as_deref());
                    calls.push((call, content));
                }
                made.push(true);
            }
            prop_assert_eq!(scene.tree(), model.tree());
        }
        // The latest first, everything goes back.
        for call in (0..made.len()).rev() {
            let _ = undo(&scene.journal, &format!("call {call}"));
        }
        prop_assert_eq!(scene.tree(), BTreeMap::new());
    }
}

/// Its changes were nowhere recorded, and a way back left them out without a word.
#[test]
fn what_a_process_changed_right_before_its_end_is_taken_back_by_the_next() {
    let scene = Scene::kept();
    scene.put("first", "a", Some("1"));
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.journal.flush().unwrap();
    let half_done = |path: &str, content: &str, is_done: bool| {
        let changes = scene.changes(path, Some(content)).unwrap();
        let journal = scene.another(options()).of_call(path, 1);
        let entry = journal.begin(&changes).unwrap().unwrap();
        journal.announce(&entry);
        if is_done {
            changes.commit(&|| false).unwrap();
        }
    };
    half_done("a", "2", true);
    half_done("new", "1", true);
    half_done("never", "1", false);
    let next = scene.another(options());
    let changed = next
        .changed_since(Since::Checkpoint(checkpoint), 100)
        .unwrap();
    let paths: Vec<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a", "new"]);
    next.rollback(checkpoint, false, &|| false).unwrap();
    assert_eq!(scene.tree(), texts([("a", "1")]));
}

#[test]
fn a_command_that_never_ended_is_in_the_way_until_it_is_forced() {
    let scene = Scene::kept();
    scene.put("one", "a.txt", Some("1"));
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.put("two", "a.txt", Some("2"));
    let killed = scene.another(options()).of_call("killed", 1);
    killed.checkpoint().unwrap();
    // Its process ends without a word.
    std::mem::forget(killed.running("make all").unwrap());
    let next = scene.another(options());
    let refused = next.rollback(checkpoint, false, &|| false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "What `make all` changed is not known: its process ended before it did, or it is still running. Nothing was \
         restored; roll back with `force` to restore what is known."
    );
    let refused = next.undo("killed", &|| false).unwrap_err();
    assert!(
        matches!(refused, Error::CommandNotEnded { .. }),
        "{refused}"
    );
    for since in [
        Since::Start,
        Since::Checkpoint(checkpoint),
        Since::Call("two"),
    ] {
        assert_eq!(next.commands_not_ended(since).unwrap(), ["make all"]);
    }
    assert!(next.undo("two", &|| false).is_ok());
    next.rollback(checkpoint, true, &|| false).unwrap();
    let named = next.commands_not_ended(Since::Start).unwrap();
    assert_eq!(named, [""; 0]);
    assert!(next.rollback(checkpoint, false, &|| false).is_ok());
}

#[test]
fn a_command_that_ended_or_runs_here_is_in_nobodys_way() {
    let scene = Scene::kept();
    let checkpoint = scene.journal.checkpoint().unwrap();
    let other = scene.another(options());
    other.checkpoint().unwrap();
    other.running("make").unwrap().end();
    let own = scene.journal.running("make all");
    assert!(scene.journal.rollback(checkpoint, false, &|| false).is_ok());
    drop(own);
    scene.journal.flush().unwrap();
    let later = scene.another(options());
    assert!(later.rollback(checkpoint, false, &|| false).is_ok());
    assert!(Journal::new(options()).running("make").is_none());
}

#[test]
fn a_change_that_was_begun_and_never_made_is_not_in_the_way_of_others() {
    let scene = Scene::kept();
    scene.put("first", "a", Some("1"));
    let changes = scene.changes("a", Some("2")).unwrap();
    let killed = scene.another(options()).of_call("killed", 1);
    let entry = killed.begin(&changes).unwrap().unwrap();
    killed.announce(&entry);
    let next = scene.another(options());
    assert!(undo(&next, "killed").is_err());
    scene.put_by(&next, "second", 1, "a", Some("3"));
    assert_eq!(undo(&next, "second"), Ok(vec!["a".to_owned()]));
    // What somebody else writes does not pass for it.
    fs::write(scene.directory.path().join("a"), "by hand").unwrap();
    assert!(
        undo(&next, "killed")
            .unwrap_err()
            .contains("not by these tools")
    );
    assert_eq!(scene.tree(), texts([("a", "by hand")]));
}

#[test]
fn a_change_that_fails_leaves_no_record() {
    let scene = Scene::kept();
    scene.put("first", "a", Some("1"));
    let changes = scene.changes("a", Some("2")).unwrap();
    fs::write(scene.directory.path().join("a"), "by hand").unwrap();
    let before = scene.keeper.rows().unwrap();
    let failed = scene
        .journal
        .of_call("second", 1)
        .commit(changes, &|| false);
    assert!(matches!(failed, Err(Error::Stale { .. })), "{failed:?}");
    assert_eq!(scene.keeper.rows().unwrap(), before);
}
