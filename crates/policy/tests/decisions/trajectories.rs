//! Commands that coding agents really ran, under rule sets as people write them: how often a user is asked without need.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use tenon_policy::Verdict;

use super::table::{Settings, decide_with, engine};

/// A project such as those of the logs.
const PROJECT: &str = r#"
    "temporary": true, "looks": true, "ignored": [".env", ".env.example"],
    "directories": [".git", "src", "src/api", "src/services", "src/agents", "web", "web/app", "docs", "data", "data/raw", "agents", "core", "pipelines",
        "tests", "scripts", "config", "lib", "lib/services", "frontend", "training", "app", "landro-sync", "App-client", "papers", "papers/latex"],
    "files": [".env", ".env.example", ".gitignore", "README.md", "package.json", "settings.py", "src/main.py", "src/api/main.py",
        "web/package.json", "agents/a.py", "core/b.py", "pipelines/c.py", "docs/x.md", "data/x.json", "data/raw/customers.csv", "tests/test_a.py",
        "lib/services/osm_walk_service.dart", "main.py", "bootstrap.sh"]"#;

/// The programs of somebody who allows what agents use all day.
const PROGRAMS: &[&str] = &[
    "ls",
    "cat",
    "head",
    "tail",
    "sed",
    "rg",
    "grep",
    "find",
    "wc",
    "sort",
    "awk",
    "xargs",
    "file",
    "touch",
    "echo",
    "tee",
    "date",
    "basename",
    "timeout",
    "git",
    "npm",
    "npx",
    "node",
    "python",
    "python3",
    "pip3",
    "cargo",
    "curl",
    "kill",
    "pkill",
    "netstat",
    "ss",
    "terraform",
    "vercel",
    "bash",
    ".venv/bin/python",
    ".venv/bin/mrag",
];

/// Rules on programs, as a list in a file of settings.
fn programs() -> String {
    let list = PROGRAMS.iter().map(|name| format!("\"Bash({name} *)\""));
    list.collect::<Vec<_>>().join(", ")
}

/// The project with more directories, as a list in a file of settings.
fn project(directories: &str) -> String {
    let last = r#""papers/latex""#;
    if directories.is_empty() {
        PROJECT.to_owned()
    } else {
        PROJECT.replacen(last, &format!("{last}, {directories}"), 1)
    }
}

/// The five sets of rules, for somebody who allows these programs, in a project that has these directories too.
fn sets(programs: &str, directories: &str) -> Vec<(&'static str, String)> {
    let project = project(directories);
    let denials = r#""deny": ["Read(.env)", "Read(secrets/**)", "Edit(.git/**)", "Bash(sudo *)", "Bash(rm -rf *)", "Bash(git push *)"]"#;
    vec![
        ("denials only", format!("{{ {denials}, {project} }}")),
        ("an allow list", format!(r#"{{ "allow": [{programs}, "Read", "Edit"], {project} }}"#)),
        ("denials and an allow list", format!(r#"{{ {denials}, "allow": [{programs}, "Read", "Edit"], {project} }}"#)),
        ("edits accepted", format!(r#"{{ {denials}, "ask": ["Bash(terraform apply *)"], "allow": [{programs}, "Edit(**)", "Read(**)"], {project} }}"#)),
        ("strict", format!(r#"{{ {denials}, "deny": ["Read(.env*)", "Read(**/secrets/**)", "Read(*.pem)", "Bash(sudo *)", "Bash(git * --force *)"], "allow": [{programs}, "Read(**)", "Edit(src/**)"], {project} }}"#)
            .replacen(denials, r#""tool": null"#, 1)),
    ]
}

fn commands() -> Vec<String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trajectories/commands.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let commands = text
        .lines()
        .map(|line| line.split_once('\t').unwrap().1.replace('⏎', "\n"));
    commands.collect()
}

/// The most that may be asked without need, by hundredths of a percent.
const MOST: &[(&str, usize)] = &[
    ("denials only", 150),
    ("an allow list", 0),
    ("denials and an allow list", 150),
    ("edits accepted", 150),
    ("strict", 150),
];

#[test]
fn what_agents_really_ran_is_seldom_asked_about_without_need() {
    let commands = commands();
    let distinct: std::collections::BTreeSet<&String> = commands.iter().collect();
    assert_eq!(distinct.len(), commands.len());
    let mut report = String::new();
    let mut wrong = Vec::new();
    for ((name, settings), (of, most)) in sets(&programs(), "").iter().zip(MOST) {
        assert_eq!(name, of);
        let settings: Settings = serde_json::from_str(settings).unwrap();
        let engine = engine(&settings);
        let mut causes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for command in &commands {
            let decision = decide_with(&engine, &settings, command);
            // What a rule asks about is asked about on purpose.
            let on_purpose = decision.reason.contains("requires approval by the rule");
            if decision.verdict != Verdict::Allow && !on_purpose {
                causes
                    .entry(decision.reason.clone())
                    .or_default()
                    .push(command.clone());
            }
        }
        let asked: usize = causes.values().map(Vec::len).sum();
        writeln!(report, "{name}: {asked} of {}", commands.len()).unwrap();
        for (cause, commands) in &causes {
            writeln!(report, "  {cause}\n    {}", commands.join("\n    ")).unwrap();
        }
        if asked * 10_000 > most * commands.len() {
            wrong.push(*name);
        }
    }
    println!("{report}");
    assert!(
        wrong.is_empty(),
        "{wrong:?} ask more than before:\n{report}"
    );
}

/// A part of a log or of a project: what its user allowed, and what was run.
struct Section {
    name: String,
    allow: String,
    directories: String,
    commands: Vec<String>,
}

/// What stands between commas, each in quotes.
fn quoted(list: &str) -> String {
    let each: Vec<String> = list.split(", ").map(|one| format!("{one:?}")).collect();
    each.join(", ")
}

fn sections(file: &str) -> Vec<Section> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trajectories");
    let text = std::fs::read_to_string(directory.join(file)).unwrap();
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("## ") {
            sections.push(Section {
                name: name.to_owned(),
                allow: String::new(),
                directories: String::new(),
                commands: Vec::new(),
            });
        } else if let Some(rules) = line.strip_prefix("allow: ") {
            sections.last_mut().unwrap().allow = quoted(rules);
        } else if let Some(names) = line.strip_prefix("directories: ") {
            sections.last_mut().unwrap().directories = quoted(names);
        } else {
            sections
                .last_mut()
                .unwrap()
                .commands
                .push(line.replace('⏎', "\n"));
        }
    }
    sections
}

/// What is not allowed of a file's sections, each under its own list: the section, the command, the reason.
fn asked(file: &str) -> (usize, Vec<(String, String, String)>) {
    let mut all = 0;
    let mut asked = Vec::new();
    for section in sections(file) {
        let settings = format!("{{ \"allow\": [{}], {PROJECT} }}", section.allow);
        let settings: Settings = serde_json::from_str(&settings).unwrap();
        let engine = engine(&settings);
        for command in &section.commands {
            let decision = decide_with(&engine, &settings, command);
            if decision.verdict != Verdict::Allow {
                asked.push((
                    section.name.clone(),
                    command.replace('\n', "⏎"),
                    decision.reason,
                ));
            }
        }
        all += section.commands.len();
    }
    (all, asked)
}

/// Reasons for which the user is asked on purpose, whatever the rules allow: docs/policy-commands.md names them.
const ON_PURPOSE: &[&str] = &[
    // A rule is really about it.
    "requires approval by the rule",
    "` includes `",
    "` may touch `",
    "may run what the rule",
    // Nobody allowed the program.
    "No rule matches the command",
    "does not cover what",
    // It can run code, or change what others run.
    "protected",
    "can load or select code",
    "may be led to other settings",
    "as a repository and run what its configuration says",
    "an argument that makes the program run another one",
    "a subcommand that changes settings, which can name what is run",
    "uses a script whose name is not literal",
    // It is not in the workspace any more.
    "is outside the workspace. The rule `Edit(",
    "it leads out of the workspace",
    "means something else in every process",
];

/// What is asked about of a command: the command, the reason, and whether that is on purpose.
type Asked = (String, String, bool);

/// What is asked about of a file of sessions, by the set of rules.
fn asked_in_sessions(file: &str) -> (usize, BTreeMap<&'static str, Vec<Asked>>) {
    let mut all = 0;
    let mut asked: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for section in sections(file) {
        for (name, settings) in sets(&section.allow, &section.directories) {
            let settings: Settings = serde_json::from_str(&settings).unwrap();
            let engine = engine(&settings);
            for command in &section.commands {
                let decision = decide_with(&engine, &settings, command);
                if decision.verdict == Verdict::Ask {
                    let (command, reason) = (command.replace('\n', "⏎"), decision.reason);
                    let on_purpose = ON_PURPOSE.iter().any(|part| reason.contains(part));
                    asked
                        .entry(name)
                        .or_default()
                        .push((command, reason, on_purpose));
                }
            }
        }
        all += section.commands.len();
    }
    (all, asked)
}

/// The most of the sessions that may be asked about without need, and the most that may be asked about at all, by
/// hundredths of a percent: of those that were looked at, and of those that are held out.
const MOST_OF_SESSIONS: &[(&str, [usize; 2], [usize; 2])] = &[
    ("denials only", [197, 495], [200, 1225]),
    ("an allow list", [100, 750], [130, 2760]),
    ("denials and an allow list", [195, 810], [175, 2480]),
    ("edits accepted", [195, 810], [175, 2480]),
    ("strict", [275, 930], [230, 2870]),
];

#[test]
fn of_sessions_of_agents_little_is_asked_about_without_need() {
    let mut wrong = String::new();
    for (place, file) in ["sessions.txt", "held-out-sessions.txt"].iter().enumerate() {
        let (all, asked) = asked_in_sessions(file);
        for (set, looked_at, held_out) in MOST_OF_SESSIONS {
            let [without_need, whole] = [looked_at, held_out][place];
            let found = &asked[set];
            let needless = found.iter().filter(|(_, _, on_purpose)| !on_purpose);
            let (needless, found) = (needless.count(), found.len());
            if needless * 10_000 > without_need * all || found * 10_000 > whole * all {
                writeln!(wrong, "{file}: {set}: {needless} of {found} of {all}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "more is asked than before:\n{wrong}");
}

/// Not a test of its own: prints what is asked about of `sessions.txt`, and how much of those that are held out.
#[test]
#[ignore = "a help for mending"]
fn print_asked_in_sessions() {
    for file in std::env::var("TRAJECTORIES").unwrap().split(' ') {
        let (all, asked) = asked_in_sessions(file);
        for (set, asked) in &asked {
            let needless = asked.iter().filter(|(_, _, on_purpose)| !on_purpose);
            let needless = needless.count();
            println!("{file}: {set}: {needless} of {} of {all}", asked.len());
            for (command, reason, on_purpose) in
                asked.iter().filter(|_| !file.starts_with("held-out"))
            {
                let reason = reason.replace('\n', "⏎");
                println!("{set}\t{on_purpose}\t{reason}\t{command}");
            }
        }
    }
}

/// Not a test of its own: prints what is asked about, of the files that `TRAJECTORIES` names.
#[test]
#[ignore = "a help for mending"]
fn print_asked() {
    for file in std::env::var("TRAJECTORIES").unwrap().split(' ') {
        let (all, asked) = asked(file);
        println!("{file}: {} of {all}", asked.len());
        for (section, command, reason) in asked.iter().filter(|_| !file.starts_with("held-out")) {
            println!("{section}\t{reason}\t{command}");
        }
    }
}
