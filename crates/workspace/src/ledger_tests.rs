use std::fs;

use super::*;
use crate::{PageRequest, Workspace, read_bytes};

struct Scene {
    directory: tempfile::TempDir,
    workspace: Workspace,
    ledger: Ledger,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        Self {
            directory,
            workspace,
            ledger: Ledger::default(),
        }
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> FileSnapshot {
        fs::write(self.directory.path().join(name), content).unwrap();
        self.read(name)
    }

    fn read(&self, name: &str) -> FileSnapshot {
        read_bytes(&self.workspace.locate(name).unwrap(), 1 << 30).unwrap()
    }
}

#[test]
fn a_file_that_was_only_touched_or_rewritten_is_fresh() {
    let scene = Scene::new();
    scene.ledger.saw(&scene.write("a", "one\n"));
    let again = scene.write("a", "one\n");
    assert_eq!(scene.ledger.freshness(&again), Freshness::Fresh);
}

#[test]
fn what_the_session_wrote_itself_is_fresh() {
    let scene = Scene::new();
    let place = scene.workspace.locate("a").unwrap();
    scene
        .ledger
        .wrote(&place, Written::new(b"mine\n", Some("mine\n")));
    let file = scene.write("a", "mine\n");
    assert_eq!(scene.ledger.freshness(&file), Freshness::Fresh);
    let file = scene.write("a", "theirs\n");
    let known = Some(Arc::from("mine\n"));
    assert_eq!(scene.ledger.freshness(&file), Freshness::Changed(known));
    scene.ledger.forget(&place);
    assert_eq!(scene.ledger.freshness(&file), Freshness::NeverSeen);
}

#[test]
fn a_file_in_which_changes_of_others_are_left_unknown_is_changed_until_it_is_read() {
    let scene = Scene::new();
    let place = scene.workspace.locate("a").unwrap();
    let file = scene.write("a", "mine\ntheirs\n");
    scene.ledger.knows(&place, "mine\n".into());
    let known = Some(Arc::from("mine\n"));
    assert_eq!(scene.ledger.freshness(&file), Freshness::Changed(known));
    let open = place.open_file().unwrap();
    scene.ledger.saw_part(&open).unwrap();
    assert_eq!(scene.ledger.freshness(&file), Freshness::Fresh);
}

#[test]
fn two_names_of_one_file_are_one_file() {
    #[cfg(unix)]
    {
        let scene = Scene::new();
        scene.ledger.saw(&scene.write("a", "one"));
        std::os::unix::fs::symlink("a", scene.directory.path().join("b")).unwrap();
        assert_eq!(scene.ledger.freshness(&scene.read("b")), Freshness::Fresh);
    }
}

#[test]
fn a_large_file_is_known_by_its_hash_and_a_huge_one_by_its_stamp() {
    let scene = Scene::new();
    let large = vec![b'x'; limits::LEDGER_TEXT_MAX_BYTES + 1];
    let file = scene.write("large", &large);
    scene
        .ledger
        .saw_part(&file.located().open_file().unwrap())
        .unwrap();
    assert_eq!(scene.ledger.freshness(&file), Freshness::Fresh);
    let file = scene.write("large", [&large[1..], b"y"].concat());
    assert_eq!(scene.ledger.freshness(&file), Freshness::Changed(None));

    let huge = usize::try_from(limits::LEDGER_HASH_MAX_BYTES).unwrap() + 1;
    let file = scene.write("huge", vec![b'x'; huge]);
    scene
        .ledger
        .saw_part(&file.located().open_file().unwrap())
        .unwrap();
    assert_eq!(scene.ledger.freshness(&file), Freshness::Fresh);
    let file = scene.write("huge", vec![b'x'; huge + 1]);
    assert_eq!(scene.ledger.freshness(&file), Freshness::Changed(None));
    assert_eq!(scene.ledger.lock().bytes, 0);
}

#[test]
fn what_was_seen_in_part_is_known_as_a_whole_and_kept_once() {
    let scene = Scene::new();
    let see = |content: &[u8]| {
        scene.write("a", content);
        let file = scene.workspace.locate("a").unwrap().open_file().unwrap();
        let request = PageRequest {
            first_line: 1,
            first_character: 1,
            max_lines: 1,
            max_bytes: 100,
            max_line_bytes: 100,
        };
        let page = file.read_page(&request, &|| false);
        scene.ledger.saw_part(&file).unwrap();
        page.is_ok()
            .then(|| scene.ledger.lock().files.values().next()?.text.clone())?
    };
    let first = see(b"one\ntwo\n").unwrap();
    assert!(Arc::ptr_eq(&first, &see(b"one\ntwo\n").unwrap()));
    assert_eq!(scene.ledger.freshness(&scene.read("a")), Freshness::Fresh);
    let known = Some(first);
    let changed = scene.write("a", "one\ntwo");
    assert_eq!(scene.ledger.freshness(&changed), Freshness::Changed(known));
    // With a mark of the order of bytes, and in another encoding, the text is not what the bytes are.
    for bytes in [
        b"\xef\xbb\xbfone\n".as_slice(),
        b"\xff\xfeo\0\n\0",
        b"caf\xe9 au lait\n",
    ] {
        assert!(see(bytes).is_some());
        assert_eq!(scene.ledger.freshness(&scene.read("a")), Freshness::Fresh);
        let changed = scene.write("a", "two\n");
        let freshness = scene.ledger.freshness(&changed);
        assert!(
            matches!(freshness, Freshness::Changed(Some(_))),
            "{bytes:?}"
        );
    }
}

#[test]
fn its_memory_is_bounded_and_what_was_used_last_stays() {
    let scene = Scene::new();
    let text = "x".repeat(limits::LEDGER_TEXT_MAX_BYTES);
    let place = |number: usize| scene.workspace.locate(&number.to_string()).unwrap();
    for number in 0..100 {
        scene
            .ledger
            .wrote(&place(number), Written::new(text.as_bytes(), Some(&text)));
        assert!(scene.ledger.lock().bytes <= limits::LEDGER_TEXTS_MAX_BYTES);
    }
    // Of what is forgotten the version stays.
    let forgotten = scene.write("0", &text);
    assert_eq!(scene.ledger.freshness(&forgotten), Freshness::Fresh);
    let other = |number: usize| scene.write(&number.to_string(), "other");
    assert_eq!(scene.ledger.freshness(&other(0)), Freshness::Changed(None));
    let known = Some(Arc::from(text.as_str()));
    assert_eq!(
        scene.ledger.freshness(&other(99)),
        Freshness::Changed(known)
    );
    for number in 0..limits::LEDGER_MAX_FILES + 10 {
        scene
            .ledger
            .wrote(&place(number), Written::new(b"", Some("")));
    }
    assert!(scene.ledger.lock().files.len() <= limits::LEDGER_MAX_FILES);
    // Nothing but texts is known of these.
    for number in 0..100 {
        scene.ledger.knows(&place(number), text.clone());
        assert!(scene.ledger.lock().bytes <= limits::LEDGER_TEXTS_MAX_BYTES);
    }
}
