use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use serde_json::json;
use tenon_store::{MemoryStore, Millis, Page, Row, StoreFuture};

use super::*;
use crate::TodoStatus;

fn key(workspace: &str, id: &str) -> SessionKey {
    SessionKey {
        workspace: workspace.to_owned(),
        id: id.to_owned(),
    }
}

fn list(content: &str) -> Vec<Todo> {
    vec![Todo {
        id: None,
        content: content.to_owned(),
        status: TodoStatus::Pending,
        priority: None,
        active_form: None,
    }]
}

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().unwrap()
}

fn received() -> (Arc<Mutex<Vec<String>>>, Warn) {
    let received = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&received);
    (
        received,
        Arc::new(move |sentence| kept.lock().unwrap().push(sentence)),
    )
}

/// A store that always fails.
struct Broken(String);

impl Broken {
    fn fail<'a, T: Send + 'static>(&self) -> StoreFuture<'a, T> {
        let error = StoreError::Failed(self.0.clone());
        Box::pin(async move { Err(error) })
    }
}

impl Store for Broken {
    fn commit(&self, _: Vec<Operation>) -> StoreFuture<'_, Commit> {
        self.fail()
    }

    fn get(&self, _: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        self.fail()
    }

    fn scan(&self, _: Query) -> StoreFuture<'_, Page> {
        self.fail()
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.fail()
    }
}

/// A store that cannot be reached now and then.
#[derive(Default)]
struct Remote {
    store: MemoryStore,
    is_away: AtomicBool,
}

impl Remote {
    fn reached<'a, T: Send + 'static>(&'a self, answer: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        if self.is_away.load(Ordering::Relaxed) {
            return Broken("It is away".to_owned()).fail();
        }
        answer
    }
}

impl Store for Remote {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        self.reached(self.store.commit(operations))
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        self.reached(self.store.get(keys))
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        self.reached(self.store.scan(query))
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        self.reached(self.store.now())
    }
}

/// It was answered as empty, and the next list took the place of it.
#[test]
fn a_list_that_cannot_be_read_for_a_moment_is_the_one_that_is_known() {
    let store = Arc::new(Remote::default());
    let records = SessionRecords::new(store.clone(), key("/a", "1"), None);
    let other = SessionRecords::new(store.clone(), key("/a", "1"), None);
    now(records.replace_todos(&list("one")));
    assert_eq!(now(other.todos()), list("one"));
    store.is_away.store(true, Ordering::Relaxed);
    assert_eq!(now(records.todos()), list("one"));
    assert_eq!(now(other.todos()), list("one"));
    store.is_away.store(false, Ordering::Relaxed);
    now(other.replace_todos(&list("two")));
    assert_eq!(now(records.todos()), list("two"));
}

#[test]
fn each_session_of_each_workspace_has_records_of_its_own() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let records = |workspace: &str, id: &str| {
        SessionRecords::new(Arc::clone(&store), key(workspace, id), None)
    };
    now(records("/a", "1").replace_todos(&list("first")));
    now(records("/a", "1").replace_todos(&list("second")));
    now(records("/a", "1").record_call("x".into(), json!({"tool": "read"})));
    now(records("/a", "1").remember(&[("rm".into(), true)]));
    assert_eq!(now(records("/a", "1").todos()), list("second"));
    assert_eq!(
        now(records("/a", "1").answers(&["rm", "ls"])),
        [Some(true), None]
    );
    for other in [
        records("/a", "2"),
        records("/b", "1"),
        records("/", "a1"),
        records("/a1", ""),
    ] {
        assert_eq!(now(other.todos()), vec![]);
        assert_eq!(now(other.calls(None, 9)), Ok(vec![]));
        assert_eq!(now(other.answers(&["rm"])), [None]);
    }
}

#[test]
fn a_session_that_is_forgotten_leaves_nothing_and_the_others_stay() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let records = |id: &str| SessionRecords::new(Arc::clone(&store), key("/a", id), None);
    let fill = |id: &str| {
        now(records(id).replace_todos(&list(id)));
        now(records(id).record_call("x".into(), json!({"tool": "read"})));
        now(records(id).remember(&[("rm".into(), true)]));
        let sent = |number: usize| {
            let own = records(id);
            Operation::put(
                Key::new("messages", format!("{}/{number}", own.shared().1)),
                Json::of(&1).unwrap(),
            )
        };
        let sent: Vec<Operation> = (0..limits::STORE_OPERATIONS_MAX).map(sent).collect();
        now(store.commit(sent)).unwrap();
        now(store.commit(vec![Operation::put(
            Key::new("messages", format!("{}/more", records(id).shared().1)),
            Json::of(&1).unwrap(),
        )]))
        .unwrap();
    };
    let left = |id: &str| {
        let own = records(id);
        let query = Query::Space {
            space: "messages".to_owned(),
            prefix: Some(own.shared().1.to_owned()),
            order: None,
            after: None,
            limit: 1000,
        };
        let sent = now(store.scan(query)).unwrap().into_rows().unwrap().0.len();
        let calls = now(own.calls(None, 9)).unwrap().len();
        (
            now(own.todos()).len(),
            calls,
            now(own.answers(&["rm"])),
            sent,
        )
    };
    fill("1");
    fill("2");
    assert_eq!(now(records("1").forget()), Ok(true));
    assert_eq!(left("1"), (0, 0, vec![None], 0));
    assert_eq!(left("2"), (1, 1, vec![Some(true)], 1000));
    assert_eq!(now(records("1").forget()), Ok(false));
}

#[test]
fn a_store_that_fails_forgets_with_an_error_and_keeps_what_it_did_not_take() {
    let store = Arc::new(Broken("It is on fire 3".to_owned()));
    let records = SessionRecords::new(store, key("/a", "1"), None);
    now(records.replace_todos(&list("kept")));
    assert_eq!(now(records.forget()), Err(StoreError::Unsupported("clear")));
    assert_eq!(now(records.todos()), list("kept"));
}

#[test]
fn calls_are_read_from_the_end_without_their_secrets() {
    let records = SessionRecords::new(Arc::new(MemoryStore::default()), key("/a", "1"), None);
    for number in 0..5 {
        let call = json!({"number": number, "params": {"token": "x"}});
        now(records.record_call(number.to_string(), call));
    }
    let last = now(records.calls(None, 2)).unwrap();
    let calls: Vec<&Value> = last.iter().map(|call| &call.call).collect();
    let call = |number: u8| json!({"number": number, "params": {"token": "[redacted]"}});
    assert_eq!(calls, [&call(3), &call(4)]);
    let earlier = now(records.calls(Some(last[0].seq), 9)).unwrap();
    assert_eq!(
        earlier
            .iter()
            .map(|call| call.call["number"].clone())
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
}

#[test]
fn several_toolkits_remember_answers_side_by_side() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let one = SessionRecords::new(Arc::clone(&store), key("/a", "1"), None);
    let other = SessionRecords::new(store, key("/a", "1"), None);
    now(one.remember(&[("a".into(), true), ("b".into(), false)]));
    now(other.remember(&[("c".into(), true), ("b".into(), true)]));
    assert_eq!(
        now(one.answers(&["a", "b", "c"])),
        [Some(true), Some(true), Some(true)]
    );
}

#[test]
fn a_store_that_fails_loses_no_list_and_grants_nothing() {
    let (received, warn) = received();
    let store = Arc::new(Broken("It is on fire 1".to_owned()));
    let records = SessionRecords::new(store, key("/a", "1"), Some(warn));
    assert_eq!(now(records.todos()), vec![]);
    now(records.replace_todos(&list("kept")));
    assert_eq!(now(records.todos()), list("kept"));
    now(records.record_call("x".into(), json!({})));
    now(records.remember(&[("rm".into(), true)]));
    assert_eq!(now(records.answers(&["rm"])), [None]);
    assert!(now(records.calls(None, 1)).is_err());
    let reported = received.lock().unwrap().clone();
    assert_eq!(
        reported,
        [
            "The task list could not be read, and begins empty: It is on fire 1.",
            "The task list could not be stored, and is kept in memory: It is on fire 1.",
            "The history could not be stored: It is on fire 1.",
            "An approval could not be stored, and will be asked again: It is on fire 1.",
            "Remembered approvals could not be read, so approval is requested again: It is on fire 1.",
        ]
    );
}

#[test]
fn the_same_warning_comes_once_in_a_process() {
    let (received, warn) = received();
    for _ in 0..3 {
        let store = Arc::new(Broken("It is on fire 2".to_owned()));
        let records = SessionRecords::new(store, key("/a", "1"), Some(Arc::clone(&warn)));
        now(records.record_call("x".into(), json!({})));
    }
    assert_eq!(received.lock().unwrap().len(), 1);
}

#[test]
fn what_others_have_put_in_the_place_of_a_list_is_an_empty_list_and_a_warning() {
    let (received, warn) = received();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let records = SessionRecords::new(Arc::clone(&store), key("/a", "1"), Some(warn));
    let put = Operation::put(records.key("todos"), Json::from_text("7").unwrap());
    now(store.commit(vec![put])).unwrap();
    assert_eq!(now(records.todos()), vec![]);
    assert_eq!(received.lock().unwrap().len(), 1);
    now(records.replace_todos(&list("new")));
    assert_eq!(now(records.todos()), list("new"));
}
