//! The command cases once more, by running them: what is said to be allowed runs nothing outside of its rules, and
//! what a rule on commands denies is really attempted by the text.
//!
//! Every program is a stub that writes down its arguments. The shells run in a directory of their own as root of the
//! file system, where nothing else is, so that `/bin/rm` is a stub too. Needs root on Linux; elsewhere nothing is run.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tenon_policy::Verdict;

use crate::table::{Case, ROOT, cases, decide, decide_with, engine};

/// Programs whose stub then runs what it is given, as the real one does. The real one is copied.
const REAL: &[&str] = &[
    "env", "timeout", "nice", "nohup", "setsid", "xargs", "find", "mkdir", "flock",
];

/// Writes down the arguments, each ended by a NUL, in a file of its own. `ls` names a file.
const STUB: &str = "#!/bin/dash\nprintf '%s\\0' \"${0##*/}\" \"$@\" > /log/$$\ncase $0 in */ls) echo x;; esac\nexit 0\n";

pub(crate) struct Jail {
    directory: tempfile::TempDir,
}

impl Jail {
    /// `None` where it cannot be made.
    pub(crate) fn new(names: &BTreeSet<String>) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for part in ["bin", "usr", "tmp", "dev", "etc"] {
            std::fs::create_dir_all(root.join(part)).unwrap();
        }
        std::os::unix::fs::symlink("../bin", root.join("usr/bin")).unwrap();
        for name in names
            .iter()
            .filter(|name| !name.contains('/') && !name.is_empty())
        {
            Self::stub(&root.join("bin").join(name));
        }
        for shell in ["bash", "dash"] {
            copy_with_libraries(Path::new("/bin").join(shell).as_path(), root)?;
        }
        std::fs::copy(root.join("bin/dash"), root.join("bin/sh")).unwrap();
        for name in REAL {
            copy_with_libraries(&Path::new("/usr/bin").join(name), root)?;
        }
        let null = Command::new("mknod")
            .arg(root.join("dev/null"))
            .args(["c", "1", "3"])
            .status()
            .ok()?;
        let works = Command::new("/usr/sbin/chroot")
            .arg(root)
            .args(["/bin/dash", "-c", ": > /dev/null"])
            .stderr(Stdio::null())
            .status()
            .ok()?;
        (null.success() && works.success()).then_some(Self { directory })
    }

    fn stub(path: &Path) {
        if !path.exists() {
            std::fs::write(path, STUB).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// What the text runs under this shell, each as its arguments.
    pub(crate) fn run(&self, shell: &str, case: &Case) -> Vec<Vec<String>> {
        let root = self.directory.path();
        let work = root.join(ROOT.trim_start_matches('/'));
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(&work).unwrap();
        for directory in &case.settings.directories {
            std::fs::create_dir_all(work.join(directory)).unwrap();
        }
        for (name, target) in &case.settings.links {
            std::fs::create_dir_all(work.join(name).parent().unwrap()).unwrap();
            let _ = std::os::unix::fs::symlink(work_path(target), work.join(name));
        }
        for name in [
            "a.txt",
            "a",
            "b",
            "package.json",
            "src/a.ts",
            "names.txt",
            "list",
            ".env",
            "README.md",
            "x",
            "y.o",
            "config.yml",
        ] {
            if let Some(parent) = work.join(name).parent() {
                let _ = std::fs::create_dir_all(parent);
            }
            let _ = std::fs::write(work.join(name), "one\ntwo\n");
        }
        Self::stub(&work.join("rm"));
        // A program that an earlier text left in the background can still be writing there.
        let is_empty = (0..200).any(|_| {
            let _ = std::fs::remove_dir_all(root.join("log"));
            let made = std::fs::create_dir(root.join("log")).is_ok();
            if !made {
                std::thread::sleep(Duration::from_millis(5));
            }
            made
        });
        assert!(is_empty, "the log cannot be emptied");
        let mut child = Command::new("/usr/sbin/chroot")
            .arg(root)
            .args([
                format!("/bin/{shell}").as_str(),
                "-c",
                "cd \"$1\" && exec \"$2\" -c \"$3\"",
                "run",
                ROOT,
                &format!("/bin/{shell}"),
                &case.call,
            ])
            .env_clear()
            .env("PATH", "/bin")
            .env("HOME", "/tmp")
            .env("USER", "me")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap();
        let group = child.id();
        let end = Instant::now() + Duration::from_millis(700);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > end {
                child.kill().unwrap();
                child.wait().unwrap();
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(
            if case.call.contains('&') || case.call.contains(">(") || case.call.contains("<(") {
                30
            } else {
                0
            },
        ));
        let read = || -> Vec<Vec<u8>> {
            let logs = std::fs::read_dir(root.join("log")).unwrap();
            logs.map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
                .collect()
        };
        let mut logs = read();
        // On a busy machine a program in the background, or the last one of a loop that was ended, may not have written
        // down yet how it was called.
        let patience = Instant::now() + Duration::from_millis(700);
        while logs.iter().any(Vec::is_empty) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(5));
            logs = read();
        }
        // What is still in the background would write into the log of the next text.
        let _ = Command::new("/bin/kill")
            .args(["-KILL", "--", &format!("-{group}")])
            .stderr(Stdio::null())
            .status();
        let words = |bytes: &Vec<u8>| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let text = text.strip_suffix('\0').unwrap_or(&text);
            text.split('\0').map(str::to_owned).collect()
        };
        logs.iter().map(words).collect()
    }
}

fn work_path(target: &str) -> PathBuf {
    Path::new(ROOT).join(target)
}

fn copy_with_libraries(program: &Path, root: &Path) -> Option<()> {
    let real = std::fs::canonicalize(program).ok()?;
    let target = root.join("bin").join(program.file_name()?);
    let _ = std::fs::remove_file(&target);
    std::fs::copy(&real, target).ok()?;
    let libraries = Command::new("ldd").arg(&real).output().ok()?;
    for word in String::from_utf8_lossy(&libraries.stdout)
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
    {
        let place = root.join(word.trim_start_matches('/'));
        std::fs::create_dir_all(place.parent()?).ok()?;
        if !place.exists() {
            std::fs::copy(word, place).ok()?;
        }
    }
    Some(())
}

/// The names that some text could run.
pub(crate) fn names(cases: &[Case]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = [
        "rm", "curl", "evil", "id", "sh-evil", "make", "sudo", "git", "npm",
    ]
    .map(str::to_owned)
    .into();
    for case in cases {
        for dialect in tenon_shell::ShellGrammar::ALL {
            let examination = tenon_shell::examine(&case.call, dialect);
            names.extend(
                examination
                    .commands()
                    .filter_map(|command| command.base_name().map(str::to_owned)),
            );
        }
    }
    for kept in ["bash", "dash", "sh"].iter().chain(REAL) {
        names.remove(*kept);
    }
    names.retain(|name| {
        !name.contains(['\0', '\n']) && name.len() < 60 && name != "." && name != ".."
    });
    names
}

fn quoted(arguments: &[String]) -> String {
    arguments
        .iter()
        .map(|argument| format!("'{}'", argument.replace('\'', "'\\''")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Cases of commands. Those of the longest table are run only when `TENON_LONG_TESTS` is set.
fn is_executed(case: &Case) -> bool {
    let long = case.file == "arguments.md" && std::env::var_os("TENON_LONG_TESTS").is_none();
    case.settings.tool.is_none() && !long
}

#[test]
fn what_is_allowed_runs_nothing_outside_of_its_rules() {
    let cases: Vec<Case> = cases().into_iter().filter(is_executed).collect();
    let Some(jail) = Jail::new(&names(&cases)) else {
        println!("no directory of its own could be made; nothing was run");
        return;
    };
    let mut wrong = Vec::new();
    let mut ran = 0;
    let judged = cases.iter().filter(|case| {
        !case.settings.allow.is_empty() && case.verdict == "allow" && !case.call.contains('\0')
    });
    for case in judged {
        let decision = decide(case);
        assert_eq!(
            decision.verdict,
            Verdict::Allow,
            "{}:{}",
            case.file,
            case.line
        );
        let shells: &[&str] = if case.settings.shell.is_some() {
            &["bash", "dash"]
        } else {
            &["bash"]
        };
        for shell in shells {
            for arguments in jail.run(shell, case) {
                ran += 1;
                // What really ran must be allowed by itself, as words in which nothing is left to expand.
                // What lists its directory is another command elsewhere.
                let moves = case.call.rsplit_once(" && ");
                let moves = moves.filter(|(moves, _)| {
                    let mut moves = moves.split(" && ");
                    moves.all(|command| command.starts_with("cd ") || command.starts_with("mkdir "))
                });
                let place = moves.map_or(String::new(), |(first, _)| format!("{first} && "));
                let text = format!("{place}{}", quoted(&arguments));
                let allowed = decide_with(&engine(&case.settings), &case.settings, &text).verdict
                    == Verdict::Allow;
                // What the user allowed to run anything, runs it.
                let inside = ["bash", "sudo", "sh ", "xargs"]
                    .iter()
                    .any(|open| case.call.starts_with(open));
                // A patch that stands in the text is a part of the command.
                let is_fed = case.call.split(" <<").next() == Some(&arguments.join(" "))
                    && case.call.contains(" <<");
                // By its name a link is judged by where it leads, though `rm` takes but the link.
                let takes_links = arguments.first().is_some_and(|name| name == "rm")
                    && arguments
                        .iter()
                        .any(|word| case.settings.links.contains_key(word));
                if !allowed && !inside && !is_fed && !takes_links {
                    wrong.push(format!(
                        "{}:{}: {:?} ran {text} under {shell}",
                        case.file, case.line, case.call
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(ran > 200, "only {ran} programs ran");
}

#[test]
fn what_a_command_rule_denies_is_really_attempted() {
    let cases: Vec<Case> = cases().into_iter().filter(is_executed).collect();
    let Some(jail) = Jail::new(&names(&cases)) else {
        println!("no directory of its own could be made; nothing was run");
        return;
    };
    let mut missing = Vec::new();
    let mut attempted = 0;
    // A stub knows its name and not its directory, and the real wrappers are none.
    let is_shown = |rule: &str| {
        let rule = rule.strip_prefix("deny: Bash");
        let name = rule.map(|rule| rule.trim_matches(['(', ')']).split([' ', ':']).next());
        name.is_some_and(|name| {
            name.is_some_and(|name| !name.contains('/') && !REAL.contains(&name))
        })
    };
    let denied = cases
        .iter()
        .filter(|case| case.verdict == "deny" && is_shown(&case.rule) && !case.call.contains('\0'));
    for case in denied {
        let forbidden = |arguments: &Vec<String>| {
            let decision = decide_with(&engine(&case.settings), &case.settings, &quoted(arguments));
            decision.verdict == Verdict::Deny
        };
        // A stub that stands for a wrapper shows the denied command among its arguments.
        let shows = |arguments: &Vec<String>| {
            (0..arguments.len()).any(|start| forbidden(&arguments[start..].to_vec()))
                || arguments.iter().any(|argument| argument.contains("rm x"))
        };
        if ["bash", "dash"]
            .iter()
            .any(|shell| jail.run(shell, case).iter().any(shows))
        {
            attempted += 1;
        } else if !case.why.contains("not taken") && !case.why.contains("function body") {
            missing.push(format!("{}:{}: {:?}", case.file, case.line, case.call));
        }
    }
    assert!(
        missing.is_empty(),
        "{} texts did not attempt what is denied:\n{}",
        missing.len(),
        missing.join("\n")
    );
    assert!(attempted > 80, "only {attempted} texts");
}

#[test]
fn what_runs_behind_an_end_that_is_easily_missed_is_really_attempted() {
    let missed =
        |case: &Case| case.file == "ends.md" && case.verdict == "ask" && case.call.contains("rm x");
    let cases: Vec<Case> = cases().into_iter().filter(missed).collect();
    let Some(jail) = Jail::new(&names(&cases)) else {
        println!("no directory of its own could be made; nothing was run");
        return;
    };
    // What runs in the background may be late on a busy machine.
    let runs = |case: &&Case| {
        (0..8).any(|_| {
            let ran = jail.run("bash", case);
            ran.iter()
                .any(|words| words.first().is_some_and(|name| name == "rm"))
        })
    };
    let without: Vec<&str> = cases
        .iter()
        .filter(|case| !runs(case))
        .map(|case| case.call.as_str())
        .collect();
    assert_eq!(without, Vec::<&str>::new());
    assert!(cases.len() > 60, "{} cases", cases.len());
}
