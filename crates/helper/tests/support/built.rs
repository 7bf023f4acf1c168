//! The helper program for the tests of any crate that takes this file in: built when it is needed,
//! from this very tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Where the program lies. Cargo builds it unless it is up to date.
pub(crate) fn built_helper() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // Another user cannot build, and may not even see what was built.
        if let Some(given) = std::env::var_os("TENON_TEST_HELPER") {
            return given.into();
        }
        // `TARGET/PROFILE/deps/TEST`
        let test = std::env::current_exe().unwrap();
        let target = test.ancestors().nth(3).unwrap();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../helper/Cargo.toml");
        let built = Command::new(cargo)
            .args(["build", "--quiet", "--package", "tenon-helper"])
            .args(["--features", "program", "--profile", "helper"])
            .arg("--manifest-path")
            .arg(manifest)
            .arg("--target-dir")
            .arg(target)
            .args(["--message-format", "json"])
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(built.status.success(), "the helper program was not built");
        // Where it is depends on whether cargo was given the target.
        let messages = String::from_utf8(built.stdout).unwrap();
        let executable = messages
            .rsplit_once(r#""executable":""#)
            .and_then(|(_, rest)| rest.split_once('"'));
        executable.unwrap().0.into()
    })
}
