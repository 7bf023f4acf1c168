//! checkpoint and rollback.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tenon_contract::{ChangeKind, FileChange};

use crate::support::{Bench, entries};

fn change(path: &str, kind: ChangeKind) -> FileChange {
    FileChange {
        path: path.into(),
        kind,
    }
}

#[tokio::test]
async fn what_write_edit_and_patch_did_since_the_checkpoint_is_taken_back() {
    let bench = Bench::agent();
    bench
        .write("written", b"\xEF\xBB\xBFold\r\n")
        .write("edited", "one\ntwo")
        .write("deleted", "gone\n")
        .write("moved", "here\n");
    std::fs::set_permissions(bench.path("deleted"), PermissionsExt::from_mode(0o750)).unwrap();
    let before = entries(&bench.path(""));
    let id = bench.toolkit.checkpoint().unwrap();
    bench
        .ok(
            "write",
            json!({ "file_path": "written", "content": "new\n" }),
        )
        .await;
    bench
        .ok(
            "edit",
            json!({ "file_path": "edited", "edits": [{ "oldText": "two", "newText": "2" }] }),
        )
        .await;
    let patch = "*** Begin Patch\n*** Delete File: deleted\n*** Update File: moved\n*** Move to: in/there\n@@\n-here\n+there\n*** End Patch\n";
    bench.ok("apply_patch", json!({ "input": patch })).await;
    let mut done = bench.toolkit.rollback(&id, false).await.unwrap();
    done.sort_by(|left, right| left.path.cmp(&right.path));
    assert_eq!(
        done,
        [
            change("deleted", ChangeKind::Create),
            change("edited", ChangeKind::Update),
            change("moved", ChangeKind::Move),
            change("written", ChangeKind::Update),
        ]
    );
    let now = ["written", "edited", "deleted", "moved"].map(|name| bench.read(name));
    assert_eq!(now, ["\u{FEFF}old\r\n", "one\ntwo", "gone\n", "here\n"]);
    assert_eq!(
        bench
            .path("deleted")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o750
    );
    assert_eq!(entries(&bench.path("")), before);
}

#[tokio::test]
async fn what_something_else_changed_is_named_and_kept_unless_forced() {
    let bench = Bench::agent();
    bench.write("a", "old\n");
    let id = bench.toolkit.checkpoint().unwrap();
    bench
        .ok("write", json!({ "file_path": "a", "content": "new\n" }))
        .await;
    bench.write("a", "by hand\n");
    let error = bench.toolkit.rollback(&id, false).await.unwrap_err();
    assert_eq!(
        (
            error.code.as_str(),
            error.message.as_str(),
            &error.details["paths"]
        ),
        (
            "stale_file",
            "`a` changed since the checkpoint, and not by these tools. Nothing was restored; \
             roll back with `force` to discard those changes as well.",
            &json!(["a"])
        )
    );
    assert_eq!(bench.read("a"), "by hand\n");
    bench.toolkit.rollback(&id, true).await.unwrap();
    assert_eq!(bench.read("a"), "old\n");
}

#[tokio::test]
async fn a_checkpoint_that_never_was_is_not_found() {
    let bench = Bench::agent();
    for id in ["checkpoint-1", "x"] {
        let error = bench.toolkit.rollback(id, true).await.unwrap_err();
        assert_eq!(
            (error.code.as_str(), error.message),
            (
                "not_found",
                format!("The checkpoint `{id}` cannot be restored: no checkpoint has this id.")
            )
        );
    }
}
