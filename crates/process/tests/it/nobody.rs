//! Tests once more for a user without privileges.

use std::fs;
use std::path::Path;

pub(crate) fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Runs the tests of these names once more for a user without privileges, and fails with what they say. Where nobody has
/// privileges to give away, it says so.
pub(crate) fn as_nobody(names: &[&str], outside: Option<&Path>) {
    if !is_root() || !Path::new("/usr/bin/setpriv").exists() {
        println!("skipped: only root with `setpriv` can give privileges away");
        return;
    }
    let directory = tempfile::tempdir_in("/var/tmp").unwrap();
    let open = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o777);
    fs::set_permissions(directory.path(), open).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = directory.path().join(name);
        fs::copy(from, &to).unwrap();
        to
    };
    let test = copy(&std::env::current_exe().unwrap(), "test");
    let helper = copy(crate::built::built_helper(), "helper");
    let mut run = std::process::Command::new("timeout");
    run.args(["300", "/usr/bin/setpriv", "--reuid=65534", "--regid=65534"])
        .args(["--clear-groups"])
        .arg(test)
        .args(names)
        .arg("--test-threads=2")
        .current_dir(directory.path())
        .env("TENON_TEST_HELPER", helper)
        .env("HOME", directory.path());
    match outside {
        // A directory for temporary files is not seen inside of a sandbox.
        Some(outside) => run.env("TENON_TEST_OUTSIDE", outside),
        None => run.env("TMPDIR", directory.path()),
    };
    let answer = run.output().unwrap();
    let reported = String::from_utf8_lossy(&answer.stdout);
    assert!(answer.status.success(), "{reported}");
}
