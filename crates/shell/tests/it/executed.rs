//! Texts that are really run, with programs that only write down their arguments: what ran must have been found.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tenon_shell::{ShellGrammar, read};

use crate::generator::Generator;
use crate::shells::{self, say};

/// Writes its name and arguments to a file of its own; fails when it runs for the second time, so that loops end.
const STUB: &str = r#"#!/bin/sh
name=${0##*/}
{ printf '%s\0' "$name" "$@"; } > "$TENON_LOG/$name.$$"
if [ -e "$TENON_LOG/seen.$name" ]; then exit 1; fi
: > "$TENON_LOG/seen.$name"
"#;

const TEXTS: u64 = 60;

/// A directory that is removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tenon-shell-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory for the test");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn stubs(directory: &Path) -> PathBuf {
    let bin = directory.join("bin");
    fs::create_dir_all(&bin).expect("a directory");
    let stub = bin.join("stub");
    fs::write(&stub, STUB).expect("the stub");
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).expect("the stub is a program");
    for letter in ["c", "d"] {
        for number in 0..600 {
            symlink(&stub, bin.join(format!("{letter}{number}"))).expect("a name for the stub");
        }
    }
    bin
}

/// Runs the text and gives name and arguments of every program that it started.
fn run(
    dialect: ShellGrammar,
    text: &str,
    directory: &Path,
    bin: &Path,
    number: u64,
) -> Vec<(String, Vec<String>)> {
    // A directory for each text: what a text left running must not write into the log of the next one.
    let log = directory.join(format!("log{number}"));
    let work = directory.join(format!("work{number}"));
    for path in [&log, &work] {
        let _ = fs::remove_dir_all(path);
        fs::create_dir_all(path).expect("a directory");
    }
    let mut child = Command::new(dialect.to_string())
        .args(["-c", &format!("{text}\nwait")])
        .current_dir(&work)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("TENON_LOG", &log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("the shell starts");
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3)
        && child
            .try_wait()
            .expect("the shell can be waited for")
            .is_none()
    {
        std::thread::sleep(Duration::from_millis(2));
    }
    // A text may leave endless loops in the background, whether or not its shell has ended.
    let group = format!("-{}", child.id());
    let _ = Command::new("kill")
        .args(["-9", "--", &group])
        .stderr(Stdio::null())
        .status();
    let _ = child.wait();
    let mut ran = Vec::new();
    for entry in fs::read_dir(&log).expect("the log").flatten() {
        if entry.file_name().to_string_lossy().starts_with("seen.") {
            continue;
        }
        let content = fs::read(entry.path()).unwrap_or_default();
        let mut words = content
            .split(|byte| *byte == 0)
            .map(|word| String::from_utf8_lossy(word).into_owned());
        let name = words.next().unwrap_or_default();
        let mut arguments: Vec<String> = words.collect();
        arguments.pop();
        // An empty log belongs to a program that was ended while it began to write.
        if !name.is_empty() {
            ran.push((name, arguments));
        }
    }
    ran
}

fn check(dialect: ShellGrammar, bash_texts: bool) {
    if !shells::installed(dialect) {
        return;
    }
    let directory = Directory::new(&format!("{dialect}-{bash_texts}"));
    let bin = stubs(&directory.0);
    let first = std::env::var("TENON_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(9000);
    let count = std::env::var("TENON_TEXTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(TEXTS);
    let mut executed = 0;
    for seed in first..first + count {
        let text = Generator::for_dialect(seed, bash_texts, dialect).text();
        let Ok(script) = read(&text, dialect) else {
            continue;
        };
        let found: BTreeMap<String, Option<Vec<String>>> = script
            .commands()
            .filter_map(|command| {
                let name = command.name()?.literal()?.to_owned();
                let arguments = command
                    .words
                    .iter()
                    .skip(1)
                    .map(|word| word.literal().map(str::to_owned));
                Some((name, arguments.collect()))
            })
            .collect();
        for (name, arguments) in run(dialect, &text, &directory.0, &bin, seed) {
            let known = found.get(&name);
            assert!(
                known.is_some(),
                "{dialect} seed {seed}: `{name}` ran and was not found\n{text}"
            );
            if let Some(Some(literal)) = known {
                assert_eq!(
                    literal, &arguments,
                    "{dialect} seed {seed}: arguments of `{name}`\n{text}"
                );
            }
            executed += 1;
        }
    }
    say(&format!(
        "{dialect}, bash texts {bash_texts}: {executed} programs ran in {count} texts"
    ));
    assert!(executed > usize::try_from(count).unwrap_or(0), "{executed}");
}

#[test]
fn what_dash_runs_was_found() {
    check(ShellGrammar::Dash, false);
}

#[test]
fn what_bash_runs_was_found() {
    check(ShellGrammar::Bash, false);
    check(ShellGrammar::Bash, true);
}
