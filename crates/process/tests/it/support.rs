//! One directory and one table of processes per test, and a look at who is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenon_process::{CommandResult, CommandSpec, ProcessOptions, Processes, Shell, SpillLimits};
use tokio_util::sync::CancellationToken;

/// Sooner than any sleeper wakes, and later than a busy machine takes.
pub(crate) const SOON: Duration = Duration::from_secs(15);

/// A directory with a random name. Every process of the test carries that name in its command line:
/// the shells by their script, sleepers by their path.
pub(crate) struct Place {
    directory: TempDir,
    pub(crate) processes: Processes,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut ProcessOptions)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let spilled = directory.path().join("spilled");
        fs::create_dir(&spilled).unwrap();
        let mut options = ProcessOptions {
            helper: crate::WITH_HELPER.then(|| crate::built::built_helper().into()),
            spill: SpillLimits {
                parent: Some(spilled),
                ..SpillLimits::default()
            },
            ..ProcessOptions::default()
        };
        change(&mut options);
        fs::copy("/bin/sleep", directory.path().join("sleeper")).unwrap();
        Self {
            directory,
            processes: Processes::new(options),
        }
    }

    /// Drops the table of processes and keeps the directory.
    pub(crate) fn without_processes(self) -> TempDir {
        self.directory
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Where outputs are spilled: empty or holding the one private directory.
    pub(crate) fn spilled(&self) -> PathBuf {
        self.path().join("spilled")
    }

    /// A command in the directory. `SLEEPER` in it becomes a program that sleeps and can be found.
    pub(crate) fn spec(&self, script: &str) -> CommandSpec {
        let sleeper = self.path().join("sleeper");
        let script = script.replace("SLEEPER", &sleeper.display().to_string());
        // The remark makes the shell itself one that can be found.
        CommandSpec::new(
            format!("{script}\n# {}", self.path().display()),
            self.path(),
        )
    }

    pub(crate) async fn run(&self, spec: CommandSpec) -> CommandResult {
        self.processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await
            .unwrap()
    }

    pub(crate) async fn bash(&self, script: &str) -> CommandResult {
        self.run(self.spec(script)).await
    }

    /// Processes of this test that are alive.
    pub(crate) fn survivors(&self) -> Vec<String> {
        let mark = self.path().display().to_string();
        let own = std::process::id().to_string();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name == own || !name.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(&mark) {
                found.push(format!("{name}: {line}"));
            }
        }
        found
    }

    /// Waits until as many processes of this test are alive as expected.
    pub(crate) async fn until_alive(&self, count: usize) {
        self.until_survivors(|survivors| survivors == count).await;
    }

    pub(crate) async fn until_more_alive_than(&self, count: usize) {
        self.until_survivors(|survivors| survivors > count).await;
    }

    async fn until_survivors(&self, is_expected: impl Fn(usize) -> bool) {
        let start = Instant::now();
        while !is_expected(self.survivors().len()) {
            assert!(start.elapsed() < SOON, "alive: {:?}", self.survivors());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A shell that every Debian has.
pub(crate) fn dash() -> Shell {
    Shell::new("/bin/dash", ["-c"])
}

/// The text of the only capture of a merged command, which must be whole.
pub(crate) fn text(result: &CommandResult) -> &str {
    let merged = result.output.merged.as_ref().unwrap();
    assert_eq!(merged.omitted, None);
    &merged.head
}

/// Both shells under which things have to hold.
pub(crate) fn shells() -> [Shell; 2] {
    [Shell::default_shell(), dash()]
}
