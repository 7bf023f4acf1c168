//! A dozen representative calls, for counting their instructions: `scripts/ratchets.mjs` runs this program under valgrind with
//! two numbers of rounds, so that what only happens once is not counted.
//!
//! `cargo run -p tenon-runtime --example calls -- CALL ROUNDS`; without arguments it prints the names of the calls. The last line
//! is the greatest resident memory of the process in KiB. `idle` makes a toolkit in each round and keeps it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for a developer at a terminal"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

/// Files of the workspace, and lines of each.
const FILES: usize = 40;
const LINES: usize = 50;

/// What is done in one round, by name.
enum Round {
    /// A call of a tool; the parameters of the round with this number.
    Call(&'static str, fn(usize) -> Value),
    /// A question to the policy about a command.
    Decide(fn() -> String),
    /// A toolkit that is kept.
    Create,
}

const ROUNDS: &[(&str, Round)] = &[
    (
        "read",
        Round::Call("read", |_| json!({ "path": "long.txt" })),
    ),
    (
        "write",
        Round::Call(
            "write",
            |round| json!({ "path": "written.txt", "content": format!("line {round}\n").repeat(100) }),
        ),
    ),
    (
        "edit",
        Round::Call("edit", |round| {
            let (old, new) = (format!("mark {round};"), format!("mark {};", round + 1));
            json!({ "path": "edited.txt", "oldText": old, "newText": new })
        }),
    ),
    (
        "apply_patch",
        Round::Call("apply_patch", |round| {
            let hunk = format!("-mark {round};\n+mark {};", round + 1);
            let input =
                format!("*** Begin Patch\n*** Update File: edited.txt\n@@\n{hunk}\n*** End Patch");
            json!({ "input": input })
        }),
    ),
    ("ls", Round::Call("ls", |_| json!({ "path": "src" }))),
    (
        "find",
        Round::Call("find", |_| json!({ "pattern": "*7.rs" })),
    ),
    (
        "grep",
        Round::Call("grep", |_| json!({ "pattern": "needle" })),
    ),
    (
        "grep_expression",
        Round::Call("grep", |_| json!({ "pattern": r"value_\d*47\b" })),
    ),
    (
        "grep_without_match",
        Round::Call("grep", |_| json!({ "pattern": "zxqvjk_zz" })),
    ),
    (
        "grep_many",
        Round::Call("grep", |_| json!({ "pattern": "value", "limit": 2_000 })),
    ),
    (
        "exec",
        Round::Call("exec", |_| json!({ "command": "true" })),
    ),
    (
        "decide",
        Round::Decide(|| "git diff --stat HEAD~1 -- src && npm test".to_owned()),
    ),
    ("decide_list", Round::Decide(|| "ls -la src".to_owned())),
    ("decide_script", Round::Decide(script)),
    ("decide_loops", Round::Decide(loops)),
    ("idle", Round::Create),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, rounds] = words.as_slice() else {
        ROUNDS.iter().for_each(|(name, _)| println!("{name}"));
        return;
    };
    let (_, round) = ROUNDS.iter().find(|(known, _)| known == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    fill(directory.path());
    // One worker: which thread does a part of the work changes what is counted.
    let threads = { tokio::runtime::Builder::new_multi_thread() }
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let _entered = threads.enter();
    let toolkit = create(directory.path());
    let mut kept = Vec::new();
    for number in 0..rounds.parse().unwrap() {
        match round {
            Round::Call(tool, params) => {
                let request = CallRequest::new(*tool, params(number));
                threads.block_on(toolkit.call(request)).unwrap();
            }
            Round::Decide(command) => {
                let params = json!({ "command": command() });
                let decided = toolkit.decide("exec", params);
                drop(serde_json::to_string(&decided).unwrap());
            }
            Round::Create => kept.push(create(directory.path())),
        }
    }
    println!("{}", greatest_memory());
}

fn create(workspace: &Path) -> Toolkit {
    let options = json!({
        "workspace": workspace,
        "search": { "index": "off" },
        "permissions": {
            "allow": ["Read", "Edit", "Bash(git diff:*)", "Bash(npm test)", "Bash(true)", "Bash(echo:*)", "Bash(mkdir:*)"],
            "deny": ["Read(secrets/**)", "Bash(rm:*)"],
        },
    });
    let options = Options::from_json(&options.to_string()).unwrap();
    Toolkit::new(options, HostCallbacks::default()).unwrap()
}

/// The workspace: some source files, a long text and a file to edit.
fn fill(root: &Path) {
    fs::create_dir(root.join("src")).unwrap();
    for file in 0..FILES {
        let mut text = String::new();
        for line in 0..LINES {
            writeln!(text, "let value_{line} = compute({file}, {line});").unwrap();
        }
        if file % 20 == 0 {
            text.push_str("// the needle\n");
        }
        fs::write(root.join(format!("src/file{file}.rs")), text).unwrap();
    }
    let long: String = (0..500)
        .map(|line| format!("{line}: a line of text\n"))
        .collect();
    fs::write(root.join("long.txt"), long).unwrap();
    fs::write(
        root.join("edited.txt"),
        format!("{}mark 0;\n", "text\n".repeat(200)),
    )
    .unwrap();
}

/// A script of about 8 kB, as agents write them.
fn script() -> String {
    let step = |number| {
        format!(
            "mkdir -p out/{number} && echo \"step {number}\" > out/{number}/log.txt; git diff --stat | head -n {number}\n"
        )
    };
    (0..90).map(step).collect()
}

/// A script of about 8 kB with loops, substitutions and a here-document.
fn loops() -> String {
    include_str!("../../../benchmark/cases/everyday.sh").repeat(30)
}

/// In KiB, as the kernel has counted it.
fn greatest_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
