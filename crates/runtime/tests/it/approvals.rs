//! Questions to a user: what is shown, what an answer holds for, and what happens when things change meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::CancellationToken;
use tenon_runtime::{
    AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, CallRequest, HostCallbacks,
};

use crate::support::Bench;

type Act = Box<dyn Fn(usize, &ApprovalRequest) -> Result<ApprovalAnswer, String> + Send + Sync>;

/// Keeps what it is asked and answers as a test says.
struct User {
    asked: Mutex<Vec<ApprovalRequest>>,
    act: Act,
    thinks: Duration,
}

impl Approver for User {
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        let answer = (self.act)(number, &request);
        let thinks = self.thinks;
        Box::pin(async move {
            tokio::time::sleep(thinks).await;
            answer
        })
    }
}

impl User {
    fn new(
        act: impl Fn(usize, &ApprovalRequest) -> Result<ApprovalAnswer, String> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            asked: Mutex::default(),
            act: Box::new(act),
            thinks: Duration::ZERO,
        })
    }

    fn saying(answer: ApprovalAnswer) -> Arc<Self> {
        Self::new(move |_, _| Ok(answer))
    }

    fn previews(&self) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|request| request.preview.clone().into())
            .collect()
    }

    fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn bench(user: &Arc<User>, options: Value) -> Bench {
    let callbacks = HostCallbacks {
        approver: Some(user.clone()),
        ..HostCallbacks::default()
    };
    Bench::with_ports(options, callbacks)
}

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "a.txt", "oldText": old, "newText": new })
}

#[tokio::test]
async fn a_question_about_files_shows_the_diff_and_is_bound_to_it() {
    let user = User::saying(ApprovalAnswer::Once);
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\ntwo\n");
    bench.ok("edit", edit("one", "ONE")).await;
    bench
        .ok("write", json!({ "file_path": "new.txt", "content": "n\n" }))
        .await;
    let patch = "*** Begin Patch\n*** Delete File: new.txt\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch\n";
    bench.ok("apply_patch", json!({ "input": patch })).await;
    let previews = user.previews();
    let hashes: Vec<&str> = previews
        .iter()
        .map(|preview| preview["planHash"].as_str().unwrap())
        .collect();
    assert!(hashes.iter().all(|hash| hash.len() == 64), "{hashes:?}");
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
    let shown = |index: usize| {
        let mut preview = previews[index].clone();
        preview.as_object_mut().unwrap().remove("planHash");
        preview
    };
    assert_eq!(
        [shown(0), shown(1), shown(2)],
        [
            json!({
                "reads": ["a.txt"], "writes": ["a.txt"],
                "changes": [{ "path": "a.txt", "kind": "update" }],
                "diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n",
            }),
            json!({
                "writes": ["new.txt"],
                "changes": [{ "path": "new.txt", "kind": "create" }],
                "diff": "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n\n",
            }),
            json!({
                "reads": ["new.txt", "a.txt"], "writes": ["a.txt"], "deletes": ["new.txt"],
                "changes": [{ "path": "new.txt", "kind": "delete" }, { "path": "a.txt", "kind": "update" }],
                "diff": "--- a/new.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n ONE\n-two\n+TWO\n",
            }),
        ]
    );
    assert_eq!(bench.read("a.txt"), "ONE\nTWO\n");
}

#[tokio::test]
async fn a_file_that_changes_while_a_user_thinks_is_asked_about_again() {
    let directory = Arc::new(Mutex::new(None::<std::path::PathBuf>));
    let at = directory.clone();
    let user = User::new(move |number, _| {
        if number == 1 {
            let path = at.lock().unwrap().clone().unwrap();
            std::fs::write(path, "zero\none\n").unwrap();
        }
        Ok(ApprovalAnswer::Once)
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n");
    *directory.lock().unwrap() = Some(bench.path("a.txt"));
    bench.ok("edit", edit("one", "ONE")).await;
    assert_eq!(bench.read("a.txt"), "zero\nONE\n");
    let previews = user.previews();
    assert_eq!(previews.len(), 2);
    assert!(previews[1]["diff"].as_str().unwrap().contains(" zero\n"));
    assert_ne!(previews[0]["planHash"], previews[1]["planHash"]);
}

#[tokio::test]
async fn a_file_that_changes_every_time_is_left_alone_in_the_end() {
    let directory = Arc::new(Mutex::new(None::<std::path::PathBuf>));
    let at = directory.clone();
    let user = User::new(move |number, _| {
        let path = at.lock().unwrap().clone().unwrap();
        std::fs::write(path, format!("{number}\n")).unwrap();
        Ok(ApprovalAnswer::Once)
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "0\n");
    *directory.lock().unwrap() = Some(bench.path("a.txt"));
    let (code, message) = bench
        .refusal(
            "write",
            json!({ "file_path": "a.txt", "content": "mine\n" }),
        )
        .await;
    assert_eq!(code, "approval_denied");
    assert!(message.contains("changed each time"), "{message}");
    assert_eq!((user.questions(), bench.read("a.txt").as_str()), (3, "3\n"));
}

#[tokio::test]
async fn two_edits_that_were_approved_side_by_side_both_do_what_was_shown() {
    let user = Arc::new(User {
        thinks: Duration::from_secs(1),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\ntwo\n");
    let first = bench.call("edit", edit("one", "ONE"));
    let second = bench.call("edit", edit("two", "TWO"));
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(bench.read("a.txt"), "ONE\nTWO\n");
    // Whichever came second was shown with what the other had done.
    let previews = user.previews();
    assert_eq!(previews.len(), 2);
    let last = previews[1]["diff"].as_str().unwrap();
    assert!(last.contains(" ONE\n") || last.contains(" TWO\n"), "{last}");
}

#[tokio::test]
async fn many_edits_of_one_file_at_once_are_all_asked_about_once_and_made() {
    const COUNT: usize = 20;
    let user = Arc::new(User {
        thinks: Duration::from_millis(20),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({}));
    let lines = |word: &str| {
        (0..COUNT)
            .map(|number| format!("{word} {number};\n"))
            .collect::<String>()
    };
    bench.write("a.txt", lines("old"));
    let edits = (0..COUNT).map(|number| {
        let params = edit(&format!("old {number};"), &format!("new {number};"));
        bench.call("edit", params)
    });
    let answers = futures_util::future::join_all(edits).await;
    let failed: Vec<_> = answers.iter().filter(|answer| answer.is_err()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(
        (user.questions(), bench.read("a.txt")),
        (COUNT, lines("new"))
    );
}

#[tokio::test]
async fn an_edit_whose_place_is_gone_when_its_turn_comes_says_so() {
    let user = Arc::new(User {
        thinks: Duration::from_millis(50),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n");
    let first = bench.call("edit", edit("one", "ONE"));
    let second = bench.call("edit", edit("one", "eins"));
    let (first, second) = tokio::join!(first, second);
    let failures: Vec<String> = [first, second]
        .into_iter()
        .filter_map(Result::err)
        .map(|error| error.code.as_str().to_owned())
        .collect();
    assert_eq!(
        (failures, user.questions()),
        (vec!["no_match".to_owned()], 1)
    );
}

#[tokio::test]
async fn patches_of_the_same_files_in_any_order_are_all_made() {
    let user = Arc::new(User {
        thinks: Duration::from_millis(10),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({}));
    let lines = "0\n1\n2\n3\n4\n5\n";
    bench.write("a.txt", lines);
    bench.write("b.txt", lines);
    let patches = (0..6).map(|number| {
        let part =
            |name: &str| format!("*** Update File: {name}.txt\n@@\n-{number}\n+{number} done\n");
        let names = if number % 2 == 0 {
            ["a", "b"]
        } else {
            ["b", "a"]
        };
        let parts: String = names.into_iter().map(part).collect();
        let input = format!("*** Begin Patch\n{parts}*** End Patch\n");
        bench.call("apply_patch", json!({ "input": input }))
    });
    let answers = futures_util::future::join_all(patches).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let done = lines.replace('\n', " done\n");
    assert_eq!(
        [bench.read("a.txt"), bench.read("b.txt")],
        [done.clone(), done]
    );
}

#[tokio::test]
async fn nobody_waits_for_a_question_about_another_file_or_one_that_was_aborted() {
    let user = Arc::new(User {
        thinks: Duration::from_secs(3600),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(
        &user,
        json!({ "permissions": { "ask": ["Edit(a.txt)"], "defaultMode": "allow" } }),
    );
    bench.write("a.txt", "one\n");
    let call = |cancellation: CancellationToken, new: &str| {
        let mut request = CallRequest::new("edit", edit("one", new));
        request.cancellation = cancellation;
        bench.toolkit.call(request)
    };
    let [first, second] = [CancellationToken::new(), CancellationToken::new()];
    let asked = call(first.clone(), "ONE");
    let queued = call(second.clone(), "eins");
    let others = async {
        bench
            .ok("write", json!({ "file_path": "b.txt", "content": "b\n" }))
            .await;
        while user.questions() == 0 {
            tokio::task::yield_now().await;
        }
        second.cancel();
        first.cancel();
    };
    let (asked, queued, ()) = tokio::join!(asked, queued, others);
    let codes = [asked, queued].map(|answer| answer.unwrap_err().code.as_str().to_owned());
    assert_eq!(codes, ["cancelled", "cancelled"]);
    assert_eq!((user.questions(), bench.read("b.txt").as_str()), (1, "b\n"));
}

#[tokio::test]
async fn the_same_write_twice_is_one_question() {
    let user = Arc::new(User {
        thinks: Duration::from_secs(1),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({}));
    let write = || bench.call("write", json!({ "file_path": "a.txt", "content": "x" }));
    let (first, second) = tokio::join!(write(), write());
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(user.questions(), 1);
    // The answer was for those two.
    bench
        .ok("write", json!({ "file_path": "a.txt", "content": "y" }))
        .await;
    bench
        .ok("write", json!({ "file_path": "a.txt", "content": "x" }))
        .await;
    assert_eq!(user.questions(), 3);
}

#[tokio::test]
async fn a_call_that_cannot_succeed_is_nobodys_question() {
    let user = User::saying(ApprovalAnswer::Once);
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n");
    let (code, _) = bench.refusal("edit", edit("none", "x")).await;
    assert_eq!((code, user.questions()), ("no_match", 0));
}

#[tokio::test]
async fn unless_its_failure_would_report_what_may_not_be_read_unasked() {
    let user = User::saying(ApprovalAnswer::Never);
    let bench = bench(&user, json!({ "permissions": { "ask": ["Read(a.txt)"] } }));
    bench.write("a.txt", "secret = 1\n");
    let error = bench
        .call("edit", edit("secret = 2", "x"))
        .await
        .unwrap_err();
    assert_eq!(error.code.as_str(), "approval_denied");
    let reported = format!("{} {:?}", error.message, error.details);
    assert!(!reported.contains("secret = 1"), "{reported}");
    let problem = user.previews()[0]["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("`a.txt` was not changed"), "{problem}");
}

#[tokio::test]
async fn a_refusal_does_not_report_the_content_that_the_user_saw() {
    let user = User::saying(ApprovalAnswer::Never);
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "old secret\n");
    let error = bench
        .call("write", json!({ "file_path": "a.txt", "content": "new\n" }))
        .await
        .unwrap_err();
    assert!(
        user.previews()[0]["diff"]
            .as_str()
            .unwrap()
            .contains("old secret")
    );
    let reported = format!("{} {:?}", error.message, error.details);
    assert!(
        reported.contains("planHash") && !reported.contains("old secret"),
        "{reported}"
    );
}

#[tokio::test]
async fn approval_request_shows_the_diff_and_asks_nobody() {
    let user = User::saying(ApprovalAnswer::Never);
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n");
    let request = bench
        .toolkit
        .approval_request("edit", edit("one", "two"), None)
        .unwrap()
        .unwrap();
    assert_eq!(
        request.preview["diff"],
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"
    );
    let request = bench
        .toolkit
        .approval_request("edit", edit("none", "two"), None)
        .unwrap()
        .unwrap();
    assert!(request.preview["problem"].is_string());
    assert_eq!(user.questions(), 0);
}

#[tokio::test]
async fn always_holds_for_this_file_caller_changes_it_and_for_no_other() {
    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n").write("b.txt", "one\n");
    bench.ok("edit", edit("one", "two")).await;
    assert_eq!(user.asked.lock().unwrap()[0].remembers, ["Edit(a.txt)"]);
    bench
        .ok(
            "write",
            json!({ "file_path": "a.txt", "content": "three\n" }),
        )
        .await;
    assert_eq!(user.questions(), 1);
    bench
        .ok(
            "write",
            json!({ "file_path": "b.txt", "content": "three\n" }),
        )
        .await;
    assert_eq!(user.questions(), 2);
}

#[tokio::test]
async fn always_holds_for_this_command_in_this_directory() {
    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(&user, json!({}));
    bench.write("sub/x", "");
    for (command, directory, questions) in [
        ("touch a b", ".", 1),
        ("touch  'a' b", ".", 1),
        ("touch a", ".", 2),
        ("touch a b c", ".", 3),
        ("touch a b", "sub", 4),
        ("touch a && touch a b", ".", 4),
        ("touch a && rm a", ".", 5),
        ("rm a b", ".", 6),
        ("/usr/bin/touch a", ".", 7),
        // Never remembered: it cannot be determined, or it runs whatever it is given.
        ("touch $X", ".", 8),
        ("touch $X", ".", 9),
        ("bash -c 'touch a'", ".", 10),
        ("bash -c 'touch a'", ".", 11),
    ] {
        let params = json!({ "command": command, "workdir": directory });
        // `touch $X` fails; that it ran is what counts.
        bench.ok("exec", params).await;
        assert_eq!(user.questions(), questions, "{command} in {directory}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn always_holds_for_a_script_only_while_it_holds_the_same() {
    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(&user, json!({}));
    let write = |text: &str| {
        use std::os::unix::fs::PermissionsExt;
        bench.write("s.sh", text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(bench.path("s.sh"), mode).unwrap();
    };
    for (content, questions) in [
        ("#!/bin/sh\necho one\n", 1),
        ("#!/bin/sh\necho one\n", 1),
        ("#!/bin/sh\necho two\n", 2),
        ("#!/bin/sh\necho one\n", 2),
    ] {
        write(content);
        bench.ok("exec", json!({ "command": "./s.sh" })).await;
        assert_eq!(user.questions(), questions, "{content:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_script_that_changes_while_its_run_is_asked_about_is_asked_about_again() {
    use std::os::unix::fs::PermissionsExt;
    let script: Arc<Mutex<Option<std::path::PathBuf>>> = Arc::default();
    let changed = Arc::clone(&script);
    let user = User::new(move |number, _| {
        let path = changed.lock().unwrap().clone();
        if let Some(path) = path.filter(|_| number == 1) {
            std::fs::write(path, "#!/bin/sh\necho two\n").unwrap();
        }
        Ok(ApprovalAnswer::Once)
    });
    let bench = bench(&user, json!({}));
    bench.write("s.sh", "#!/bin/sh\necho one\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bench.path("s.sh"), mode).unwrap();
    script.lock().unwrap().replace(bench.path("s.sh"));
    bench.ok("exec", json!({ "command": "./s.sh" })).await;
    assert_eq!(user.questions(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn always_holds_for_a_command_only_while_its_names_lead_to_the_same_files() {
    use std::os::unix::fs::symlink;

    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(&user, json!({}));
    let outside = tempfile::tempdir().unwrap();
    bench.write("one/f", "").write("two/f", "");
    std::fs::write(outside.path().join("f"), "").unwrap();
    let place = |target: &std::path::Path| {
        let _ = std::fs::remove_file(bench.path("l"));
        symlink(target, bench.path("l")).unwrap();
    };
    for command in ["cat l/f", "touch l/f", "rm -f l/g"] {
        let before = user.questions();
        for (target, questions) in [
            (bench.path("one"), 1),
            (bench.path("one"), 1),
            (bench.path("two"), 2),
            (outside.path().to_owned(), 3),
            (bench.path("one"), 3),
        ] {
            place(&target);
            bench.ok("exec", json!({ "command": command })).await;
            assert_eq!(
                user.questions() - before,
                questions,
                "{command} in {target:?}"
            );
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_changes_while_a_command_is_asked_about_is_asked_about_again() {
    use std::os::unix::fs::symlink;

    let link: Arc<Mutex<Option<std::path::PathBuf>>> = Arc::default();
    let changed = Arc::clone(&link);
    let user = User::new(move |number, _| {
        let link = changed.lock().unwrap().clone();
        if let Some(link) = link.filter(|_| number == 1) {
            std::fs::remove_file(&link).unwrap();
            symlink("b.txt", link).unwrap();
        }
        Ok(ApprovalAnswer::Once)
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "a\n").write("b.txt", "b\n");
    symlink("a.txt", bench.path("l")).unwrap();
    link.lock().unwrap().replace(bench.path("l"));
    bench.ok("exec", json!({ "command": "cp b.txt l" })).await;
    let links: Vec<Value> = user
        .previews()
        .iter()
        .map(|preview| preview["links"].clone())
        .collect();
    assert_eq!(links, [json!({ "l": "a.txt" }), json!({ "l": "b.txt" })]);
}

#[tokio::test]
async fn never_holds_for_what_was_asked_and_leaves_the_rest_open() {
    let user = User::new(|number, _| {
        Ok(if number == 1 {
            ApprovalAnswer::Never
        } else {
            ApprovalAnswer::Once
        })
    });
    let bench = bench(&user, json!({}));
    bench.write("a.txt", "one\n");
    let write = json!({ "file_path": "a.txt", "content": "x\n" });
    assert_eq!(
        bench.refusal("write", write.clone()).await.0,
        "approval_denied"
    );
    assert_eq!(bench.refusal("write", write).await.0, "approval_denied");
    assert_eq!(
        bench.refusal("edit", edit("one", "x")).await.0,
        "approval_denied"
    );
    assert_eq!(user.questions(), 1);
    bench
        .ok("write", json!({ "file_path": "b.txt", "content": "x\n" }))
        .await;
    assert_eq!(user.questions(), 2);
}

#[tokio::test]
async fn the_time_of_a_user_is_not_the_tools() {
    let user = Arc::new(User {
        thinks: Duration::from_millis(1500),
        ..Arc::into_inner(User::saying(ApprovalAnswer::Once)).unwrap()
    });
    let bench = bench(&user, json!({ "limits": { "timeoutMs": 1000 } }));
    bench
        .ok("write", json!({ "file_path": "a.txt", "content": "x" }))
        .await;
    bench.ok("exec", json!({ "command": "true" })).await;
}

#[tokio::test]
async fn an_approver_that_fails_or_panics_is_a_refusal_for_everybody_who_waits() {
    for panics in [false, true] {
        let user = User::new(move |_, _| {
            assert!(!panics, "the approver is broken");
            Err("it is broken".to_owned())
        });
        let bench = bench(&user, json!({}));
        let run = || bench.call("exec", json!({ "command": "touch a.txt" }));
        let (first, second) = tokio::join!(run(), run());
        for answer in [first, second] {
            let error = answer.unwrap_err();
            assert_eq!(error.code.as_str(), "approval_denied");
            assert!(
                error.message.contains("`exec` was not approved: "),
                "{}",
                error.message
            );
        }
        assert!(!bench.path("a.txt").exists());
        // A failure is no answer that could be remembered: the next call is asked about again.
        let before = user.questions();
        let (code, _) = bench
            .refusal("exec", json!({ "command": "touch a.txt" }))
            .await;
        assert_eq!((code, user.questions()), ("approval_denied", before + 1));
    }
}

/// Never answers.
struct Nobody(AtomicUsize);

impl Approver for Nobody {
    fn decide(&self, _: ApprovalRequest) -> AnswerFuture {
        self.0.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn an_abort_ends_the_waiting_of_its_own_call_only() {
    let nobody = Arc::new(Nobody(AtomicUsize::new(0)));
    let callbacks = HostCallbacks {
        approver: Some(nobody.clone()),
        ..HostCallbacks::default()
    };
    let bench = Bench::with_ports(json!({}), callbacks);
    let call = |cancellation: &CancellationToken| CallRequest {
        cancellation: cancellation.clone(),
        ..CallRequest::new("exec", json!({ "command": "touch a.txt" }))
    };
    let (one, other) = (CancellationToken::new(), CancellationToken::new());
    let first = bench.toolkit.call(call(&one));
    let second = bench.toolkit.call(call(&other));
    tokio::pin!(second);
    let asked = || nobody.0.load(Ordering::SeqCst);
    let abort = async {
        while asked() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        one.cancel();
    };
    let (first, ()) = tokio::select! {
        both = async { tokio::join!(first, abort) } => both,
        _ = &mut second => panic!("nobody answered"),
    };
    assert_eq!(first.unwrap_err().code.as_str(), "cancelled");
    other.cancel();
    assert_eq!(second.await.unwrap_err().code.as_str(), "cancelled");
    assert!(!bench.path("a.txt").exists());
    assert_eq!(asked(), 1);
}

#[tokio::test]
async fn always_holds_for_a_command_only_in_the_circumstances_in_which_it_was_shown() {
    let here = "cat <<E\na\nE";
    for (first, second, asked_again) in [
        ("date", "date", false),
        ("date", "date && date", false),
        ("date", "cd . && date", false),
        ("date", "date < /dev/null > /dev/null", false),
        ("timeout 5 date", "date", false),
        ("date", "cd sub && date", true),
        ("date", "(cd sub; date)", true),
        ("date", "date; cd sub; date", true),
        ("date", "env -C sub date", true),
        ("date", "TZ=UTC date", true),
        ("date", "env TZ=UTC date", true),
        ("date", "export A=1; date", true),
        ("date", "A=1; date", true),
        ("date", "date | date", true),
        ("date", "date <<< x", true),
        ("date", "{ date; } < a.txt", true),
        ("date", "exec < a.txt; date", true),
        (here, here, false),
        (here, "cat <<E\nb\nE", true),
        (here, "cat", true),
        ("cd sub && date", "cd sub && date", false),
        ("cd sub && date", "date", true),
    ] {
        let user = User::saying(ApprovalAnswer::Always);
        let bench = bench(&user, json!({}));
        bench.write("sub/a.txt", "").write("a.txt", "");
        for command in [first, second] {
            let _ = bench.call("exec", json!({ "command": command })).await;
        }
        let expected = 1 + usize::from(asked_again);
        assert_eq!(user.questions(), expected, "{first} => {second}");
    }
    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(&user, json!({}));
    let given = json!({ "command": "date", "env": { "A": "1" } });
    for params in [json!({ "command": "date" }), given.clone(), given] {
        let _ = bench.call("exec", params).await;
    }
    assert_eq!(user.questions(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn always_for_a_file_does_not_follow_its_name_to_another_file() {
    use std::os::unix::fs::symlink;

    let user = User::saying(ApprovalAnswer::Always);
    let bench = bench(
        &user,
        json!({ "permissions": { "ask": ["Read(kept)", "Read(a.txt)"], "defaultMode": "ask" } }),
    );
    bench
        .write("a.txt", "a")
        .write("kept", "k")
        .write("one/f", "1")
        .write("two/f", "2");
    let read = json!({ "file_path": "a.txt" });
    let write = json!({ "file_path": "one/f", "content": "x" });
    let command = json!({ "command": "echo y > one/f" });
    for (tool, params) in [("read", &read), ("write", &write), ("exec", &command)] {
        bench.ok(tool, params.clone()).await;
        let asked = user.questions();
        bench.ok(tool, params.clone()).await;
        assert_eq!(user.questions(), asked, "{tool}");
    }
    let here = |name: &str| bench.path(name);
    std::fs::remove_file(here("a.txt")).unwrap();
    symlink("kept", here("a.txt")).unwrap();
    std::fs::remove_dir_all(here("one")).unwrap();
    symlink("two", here("one")).unwrap();
    for (tool, params) in [("read", &read), ("exec", &command), ("write", &write)] {
        let asked = user.questions();
        bench.ok(tool, params.clone()).await;
        let again = usize::from(tool != "write");
        // What was asked of the command is the very file that the tool writes.
        assert_eq!(user.questions(), asked + again, "{tool}");
    }
    assert_eq!(user.previews().last().unwrap()["writes"], json!(["one/f"]));
}

#[cfg(unix)]
#[tokio::test]
async fn a_question_reports_where_links_lead() {
    use std::os::unix::fs::symlink;

    let user = User::saying(ApprovalAnswer::Once);
    let bench = bench(&user, json!({}));
    bench.write("real/b.txt", "b\n");
    symlink("real", bench.path("directory")).unwrap();
    symlink("real/b.txt", bench.path("a.txt")).unwrap();
    bench.ok("edit", edit("b", "c")).await;
    bench
        .ok("exec", json!({ "command": "true", "workdir": "directory" }))
        .await;
    let links: Vec<Value> = user
        .previews()
        .iter()
        .map(|preview| preview["links"].clone())
        .collect();
    assert_eq!(
        links,
        [
            json!({ "a.txt": "real/b.txt" }),
            json!({ "directory": "real" })
        ]
    );
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_in_a_question_but_the_parameters_holds_what_cannot_be_seen() {
    let user = User::saying(ApprovalAnswer::Once);
    let bench = bench(&user, json!({ "permissions": { "defaultMode": "ask" } }));
    let name = "a\u{202e}txt.\u{1b}[2K.sh\u{200b}";
    bench.write(name, "one\n");
    let quoted = format!("cat '{name}' > 'b{name}'");
    let patch = format!("*** Begin Patch\n*** Add File: c{name}\n+x\n*** End Patch");
    for (tool, params) in [
        ("read", json!({ "file_path": name })),
        ("write", json!({ "file_path": name, "content": name })),
        ("grep", json!({ "pattern": "x", "path": name })),
        ("exec", json!({ "command": quoted })),
        ("apply_patch", json!({ "input": patch })),
    ] {
        bench.ok(tool, params).await;
    }
    for request in user.asked.lock().unwrap().iter() {
        let mut reported = serde_json::to_value(request).unwrap();
        reported.as_object_mut().unwrap().remove("params");
        let seen = reported.to_string();
        assert!(
            !seen.contains(['\u{202e}', '\u{200b}']) && !seen.contains("\\u001b"),
            "{seen}"
        );
        assert!(seen.contains("\\\\u{202e}"), "{seen}");
    }
}
