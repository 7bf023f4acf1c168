//! rollback of what commands did.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};
use tenon_runtime::CallRequest;

use crate::support::Bench;

fn bench() -> Bench {
    Bench::new(json!({ "exec": { "changes": true } }))
}

/// Every file with its mode and its content, every directory, every link with its target.
fn tree(directory: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let facts = fs::symlink_metadata(&path).unwrap();
            let content = if facts.is_dir() {
                directories.push(path.clone());
                b"directory".to_vec()
            } else if facts.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            let name = path
                .strip_prefix(directory)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            found.insert(name, (facts.mode(), content));
        }
    }
    found
}

async fn exec(bench: &Bench, command: &str) -> Value {
    bench.ok("exec", json!({ "command": command })).await.1
}

/// The paths that a roll-back will not take back, with the reasons.
fn left_out(details: &Value) -> Vec<(String, String)> {
    let list = details["changes"]["notRestorable"].as_array().cloned();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |one: &Value| (text(&one["path"]), text(&one["reason"]));
    list.unwrap_or_default().iter().map(pair).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_command_does_to_files_is_taken_back_byte_for_byte() {
    let ways = [
        "echo more >> text",
        "rm text in/binary",
        "rm -r in",
        "echo new > new; mkdir -p a/b/c; echo x > a/b/c/d; echo y > a/e",
        "chmod 600 text; chmod +x in/binary",
        "mv text moved; mv in out",
        "mv text tmp; mv in/binary text; mv tmp in/binary",
        ": > text",
        // In place, of the same length, with the old time.
        "touch -r in/binary old; printf X | dd of=in/binary bs=1 conv=notrunc 2>/dev/null; touch -r old in/binary; rm old",
        "sed -i s/one/two/ text; printf '\\000\\377' > 'na me'",
        "cp text copy; ln text link; echo more >> link",
        "for i in $(seq 300); do echo $i > f$i; done; rm text",
        "find . -type f -exec sh -c 'echo x >> \"$1\"' _ {} \\;",
        "echo more >> text; false",
        "touch text; echo more >> text; kill -9 $$",
        "rm text; ln -s in/binary text",
        "rm text in/binary; ln -s nowhere text; ln -s ../text in/binary; rm in/deep/empty",
        "mv in out; ln -s out in",
        "rm -r in; ln -s text in; echo x >> text",
        "chmod 444 text; echo new > new; chmod 444 new; echo x >> in/binary",
    ];
    let bench = bench();
    bench
        .write("text", "one\r\ntwo")
        .write("in/binary", [0, 159, 146, 150, 255])
        .write("in/deep/empty", "");
    fs::set_permissions(bench.path("text"), PermissionsExt::from_mode(0o640)).unwrap();
    let before = tree(&bench.path(""));
    for way in ways {
        // Older than the command for certain.
        std::thread::sleep(std::time::Duration::from_millis(30));
        let id = bench.toolkit.checkpoint().unwrap();
        let details = exec(&bench, way).await;
        assert_eq!(left_out(&details), [], "{way}");
        assert_ne!(tree(&bench.path("")), before, "{way}");
        bench.toolkit.rollback(&id, false).await.unwrap();
        assert_eq!(tree(&bench.path("")), before, "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_something_else_put_in_the_place_of_a_file_stays() {
    let bench = bench();
    bench.write("text", "text");
    let id = bench.toolkit.checkpoint().unwrap();
    exec(&bench, "rm text; ln -s one text").await;
    fs::remove_file(bench.path("text")).unwrap();
    symlink("two", bench.path("text")).unwrap();
    let error = bench.toolkit.rollback(&id, false).await.unwrap_err();
    assert_eq!(error.code.as_str(), "stale_file");
    assert_eq!(fs::read_link(bench.path("text")).unwrap(), Path::new("two"));
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_and_tools_go_back_together_to_any_checkpoint() {
    let bench = bench();
    bench.write("a", "0\n").write("b", "0\n");
    let mut states = Vec::new();
    for round in 1..=4 {
        states.push((bench.toolkit.checkpoint().unwrap(), tree(&bench.path(""))));
        exec(
            &bench,
            &format!("echo {round} >> a; echo {round} > c{round}"),
        )
        .await;
        let edit =
            json!({ "file_path": "a", "oldText": format!("{round}\n"), "newText": "edited\n" });
        bench.ok("edit", edit).await;
        exec(&bench, "cat a >> b; rm -f c1").await;
    }
    for (id, state) in states.into_iter().rev() {
        bench.toolkit.rollback(&id, false).await.unwrap();
        assert_eq!(tree(&bench.path("")), state);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_back_is_named_with_its_reason() {
    let bench = bench();
    bench
        .write("large", vec![b'x'; 17 << 20])
        .write("small", "small")
        .write("became", "file");
    symlink("small", bench.path("link")).unwrap();
    let id = bench.toolkit.checkpoint().unwrap();
    let details = exec(
        &bench,
        "echo more >> large; echo more >> small; ln -sfn large link; head -c 18000000 /dev/zero > grown; rm became; mkdir became",
    )
    .await;
    let too_large = |bytes: u64| format!("with {bytes} bytes it is too large to be copied");
    let no_file = "it is or was no regular file".to_owned();
    assert_eq!(
        left_out(&details),
        [
            ("grown".to_owned(), too_large(18_000_000)),
            ("large".to_owned(), too_large(17 << 20)),
            ("link".to_owned(), no_file),
        ]
    );
    let done = bench.toolkit.rollback(&id, false).await.unwrap();
    let names: Vec<&str> = done.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(
        (names, bench.read("small"), bench.read("became")),
        (
            vec!["became", "small"],
            "small".to_owned(),
            "file".to_owned()
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_did_to_the_file_since_refuses_the_way_back() {
    let bench = bench();
    bench.write("a", "one").write("b", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    exec(&bench, "echo two > a; echo two > b").await;
    bench.write("b", "by a user");
    let error = bench.toolkit.rollback(&id, false).await.unwrap_err();
    assert_eq!(error.details["paths"], json!(["b"]));
    assert_eq!(bench.read("a"), "two\n");
    bench.toolkit.rollback(&id, true).await.unwrap();
    assert_eq!(
        (bench.read("a"), bench.read("b")),
        ("one".into(), "one".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_changed_the_file_before_the_command_is_not_lost() {
    let bench = bench();
    bench.write("a", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    exec(&bench, "echo two > a").await;
    bench.write("a", "by a user");
    exec(&bench, "echo three >> a").await;
    let error = bench.toolkit.rollback(&id, false).await.unwrap_err();
    assert_eq!(error.details["paths"], json!(["a"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_aborted_command_did_is_taken_back_too() {
    let bench = bench();
    bench.write("a", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    let script =
        "echo two > a; echo x > b; touch started; trap 'echo last >> b' TERM; sleep 60 & wait";
    let request = CallRequest::new("exec", json!({ "command": script }));
    let stop = request.cancellation.clone();
    let toolkit = bench.toolkit.clone();
    let running = tokio::spawn(async move { toolkit.call(request).await });
    while !bench.path("started").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    stop.cancel();
    running.await.unwrap().unwrap_err();
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(tree(&bench.path("")).into_keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(bench.read("a"), "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_did_until_its_time_was_up_is_reported_and_taken_back() {
    let bench = bench();
    bench.write("a", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    let params = json!({ "command": "echo two > a; sleep 60", "timeout": 1 });
    let error = bench.call("exec", params).await.unwrap_err();
    assert_eq!(
        error.details["changes"],
        json!([{ "path": "a", "kind": "update" }])
    );
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(bench.read("a"), "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_command_that_runs_on_counts_what_it_did_so_far() {
    let bench = bench();
    bench.write("a", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    let params = json!({ "command": "echo two > a; sleep 60", "yieldMs": 300 });
    let (text, details) = bench.ok("exec", params).await;
    assert_eq!(
        details["changes"],
        json!({ "files": [{ "path": "a", "kind": "update" }], "complete": false })
    );
    assert!(text.contains("[Modified a; so far]"), "{text}");
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(bench.read("a"), "one");
    bench.toolkit.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_changes_files_while_a_command_runs_keeps_its_own_record() {
    let bench = bench();
    bench.write("a", "one").write("b", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    let toolkit = bench.toolkit.clone();
    let script = "echo two > b; touch started; until [ -e go ]; do sleep 0.01; done; rm started go";
    let params = json!({ "command": script });
    let running = tokio::spawn(async move { toolkit.call(CallRequest::new("exec", params)).await });
    while !bench.path("started").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    bench
        .ok("write", json!({ "file_path": "a", "content": "two" }))
        .await;
    bench.write("go", "");
    let details = running.await.unwrap().unwrap().details;
    assert_eq!(left_out(&details), []);
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(
        (bench.read("a"), bench.read("b")),
        ("one".into(), "one".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_toolkit_changed_while_a_command_ran_stays() {
    let bench = bench();
    bench.write("a", "one").write("b", "one");
    let other = Bench::inside(&bench, "", json!({}));
    let id = bench.toolkit.checkpoint().unwrap();
    let toolkit = bench.toolkit.clone();
    let script = "echo two > b; touch started; until [ -e go ]; do sleep 0.01; done; rm started go";
    let params = json!({ "command": script });
    let running = tokio::spawn(async move { toolkit.call(CallRequest::new("exec", params)).await });
    while !bench.path("started").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    for name in ["a", "new"] {
        let params = json!({ "file_path": name, "content": "two" });
        let request = CallRequest::new("write", params);
        other.call(request).await.unwrap();
    }
    bench.write("go", "");
    running.await.unwrap().unwrap();
    bench.toolkit.rollback(&id, false).await.unwrap();
    let left = ["a", "b", "new"].map(|name| bench.read(name));
    assert_eq!(left, ["two", "one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_that_came_after_the_command_had_begun_is_too_late_and_says_so() {
    let bench = bench();
    bench.write("a", "one");
    let toolkit = bench.toolkit.clone();
    let script = "touch started; until [ -e go ]; do sleep 0.01; done; rm started go; echo two > a";
    let params = json!({ "command": script });
    let running = tokio::spawn(async move { toolkit.call(CallRequest::new("exec", params)).await });
    while !bench.path("started").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    bench.toolkit.checkpoint().unwrap();
    bench.write("go", "");
    let details = running.await.unwrap().unwrap().details;
    let reason = "no copy was made before the command began".to_owned();
    assert_eq!(left_out(&details), [("a".to_owned(), reason)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn additional_directories_are_looked_at_as_well() {
    let other = tempfile::tempdir().unwrap();
    let directory = other.path().canonicalize().unwrap();
    fs::write(directory.join("a"), "one").unwrap();
    let bench = Bench::new(
        json!({ "exec": { "changes": true }, "additionalDirectories": [directory.display().to_string()] }),
    );
    let before = tree(&directory);
    let id = bench.toolkit.checkpoint().unwrap();
    let name = directory.display();
    let details = exec(
        &bench,
        &format!("echo two > {name}/a; mkdir {name}/in; echo x > {name}/in/b; echo y > c"),
    )
    .await;
    assert_eq!(
        details["changes"]["files"],
        json!([
            { "path": format!("{name}/a"), "kind": "update" },
            { "path": format!("{name}/in/b"), "kind": "create" },
            { "path": "c", "kind": "create" },
        ])
    );
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(
        (tree(&directory), bench.path("c").exists()),
        (before, false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_checkpoint_nothing_is_copied_and_nothing_is_said_of_it() {
    let bench = bench();
    bench.write("large", vec![b'x'; 17 << 20]);
    let details = exec(&bench, "echo more >> large").await;
    assert_eq!(
        details["changes"],
        json!({ "files": [{ "path": "large", "kind": "update" }], "complete": true })
    );
}

/// The paths that a result names as changed.
fn changed(details: &Value) -> Vec<(String, String)> {
    let list = details["changes"]["files"].as_array().cloned();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |one: &Value| (text(&one["path"]), text(&one["kind"]));
    list.unwrap_or_default().iter().map(pair).collect()
}

fn pairs<const N: usize>(pairs: [(&str, &str); N]) -> Vec<(String, String)> {
    pairs.map(|(one, other)| (one.into(), other.into())).into()
}

/// They counted as created, and the only copy was deleted.
#[tokio::test(flavor = "multi_thread")]
async fn ignored_files_that_a_command_only_made_visible_stay() {
    let ways = [
        ("rm .gitignore", pairs([(".gitignore", "delete")])),
        (
            "mv .gitignore gi",
            pairs([(".gitignore", "delete"), ("gi", "create")]),
        ),
        ("echo x > .gitignore", pairs([(".gitignore", "update")])),
        (
            "echo '!.env' >> .gitignore",
            pairs([(".gitignore", "update")]),
        ),
        ("rm in/.ignore", pairs([("in/.ignore", "delete")])),
        // The other way round: what is hidden now is still there.
        (
            "echo text >> .gitignore; echo more >> in/seen",
            pairs([(".gitignore", "update"), ("in/seen", "update")]),
        ),
    ];
    let bench = bench();
    bench
        .write(".gitignore", ".env\ndist/\n")
        .write("in/.ignore", "*.log\n")
        .write("in/a.log", "log")
        .write("in/seen", "seen")
        .write(".env", "SECRET=1")
        .write("dist/in/o.js", "built")
        .write("text", "text");
    let before = tree(&bench.path(""));
    for (way, changes) in ways {
        // Older than the command for certain.
        std::thread::sleep(std::time::Duration::from_millis(30));
        let id = bench.toolkit.checkpoint().unwrap();
        let details = exec(&bench, way).await;
        assert_eq!(changed(&details), changes, "{way}");
        assert_eq!(left_out(&details), [], "{way}");
        bench.toolkit.rollback(&id, false).await.unwrap();
        assert_eq!(tree(&bench.path("")), before, "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_a_command_moved_from_where_it_is_not_seen_stays_and_is_named() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().display().to_string();
    let ways = [
        ("mv .env env.txt".to_owned(), "env.txt"),
        ("mv dist out".to_owned(), "out/o.js"),
        ("mv .env text".to_owned(), "text"),
        (format!("mv {outside}/f f"), "f"),
        (format!("cp -p {outside}/f f"), "f"),
        ("ln .env env.txt".to_owned(), "env.txt"),
    ];
    for (way, moved) in ways {
        let bench = bench();
        bench
            .write(".gitignore", ".env\ndist/\n")
            .write(".env", "precious")
            .write("dist/o.js", "precious")
            .write("text", "text");
        fs::write(format!("{outside}/f"), "precious").unwrap();
        // Longer than the clock of a file system may be behind.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let id = bench.toolkit.checkpoint().unwrap();
        let details = exec(&bench, &way).await;
        let reason = "it may be older than the command, and no copy of what is in it is kept";
        assert_eq!(left_out(&details), pairs([(moved, reason)]), "{way}");
        bench.toolkit.rollback(&id, false).await.unwrap();
        assert_eq!(bench.read(moved), "precious", "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_saved_while_a_command_ran_comes_back_by_undoing_the_way_back() {
    let bench = bench();
    bench.write("a", "one");
    let id = bench.toolkit.checkpoint().unwrap();
    exec(&bench, "echo two > a; echo mine > by-the-user").await;
    bench.toolkit.rollback(&id, false).await.unwrap();
    assert_eq!(tree(&bench.path("")).into_keys().collect::<Vec<_>>(), ["a"]);
    bench.toolkit.undo(&id).await.unwrap();
    assert_eq!(
        (bench.read("a"), bench.read("by-the-user")),
        ("two\n".into(), "mine\n".into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_toolkit_refuses_every_way_back_alike() {
    let bench = bench();
    let id = bench.toolkit.checkpoint().unwrap();
    bench.toolkit.close().await.unwrap();
    let toolkit = &bench.toolkit;
    let refusals = [
        toolkit.checkpoint().unwrap_err(),
        toolkit.rollback(&id, false).await.unwrap_err(),
        toolkit.undo("call").await.unwrap_err(),
        toolkit.diff(None).await.unwrap_err(),
    ];
    for error in refusals {
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("cancelled", "The toolkit is closed. Create a new one.")
        );
    }
}
