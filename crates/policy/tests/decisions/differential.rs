//! What every row of the tables and every collected command comes to, in full: compared before and after a change that
//! must not change anything.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use tenon_contract::{Access, CommandClaim, Operation, PathClaim};
use tenon_policy::{Engine, ParsedCommands, ResolvedCommands};

use super::table::{Disk, Settings, cases, decide_with, engine, resolve};

/// Rules under which collected commands are decided.
const SETS: &[&str] = &[
    r#"{ "temporary": true, "looks": true, "deny": ["Read(.env)", "Edit(secrets/**)", "Bash(rm *)", "Bash(git push *)", "Bash(id)"],
         "directories": ["src", "secrets"], "files": [".env", "src/a.ts", "secrets/key"] }"#,
    r#"{ "allow": ["Bash(*)", "Read", "Edit(src/**)"], "deny": ["Edit(secret/**)", "Read(secret/**)"] }"#,
    r#"{ "temporary": true, "looks": true, "allow": ["Bash(git status:*)", "Bash(git push --dry-run:*)", "Bash(git branch -a:*)", "Bash(git diff:*)", "Bash(git add:*)", "Bash(npm run:*)", "Bash(npm install:*)", "Bash(cargo build:*)", "Bash(cargo test:*)", "Bash(rg:*)", "Bash(grep:*)", "Bash(find:*)", "Bash(ls:*)", "Bash(cat:*)", "Bash(sed:*)", "Bash(awk:*)", "Bash(make:*)", "Bash(curl -I:*)", "Bash(kubectl get:*)", "Bash(tar:*)", "Bash(psql:*)", "Bash(sqlite3:*)", "Bash(python:*)", "Bash(docker build:*)", "Bash(pytest:*)", "Bash(tsc:*)", "Bash(eslint:*)", "Bash(cp:*)", "Bash(zip:*)"], "deny": ["Bash(rm *)", "Bash(npm publish *)", "Read(.env)"], "directories": ["src", "secrets", "node_modules"], "files": [".env", "src/a.ts", "secrets/key", "src/.env"] }"#,
    r#"{ "temporary": true, "looks": true, "ask": ["Bash(git commit:*)", "Bash(docker:*)", "Read(/home/me/.ssh/**)"], "allow": ["Bash(*)", "Read", "Edit"], "deny": ["Bash(sudo:*)", "Bash(curl:*)", "Edit(.git/**)", "Read(secrets/**)"],
         "directories": ["src", "secrets"], "files": ["secrets/key", "src/a.ts"], "tracked": ["src/a.ts", "secrets/key"], "links": { "src/link": "secrets/key", "out": "/etc" } }"#,
    r#"{ "allow": ["Bash(git *)", "Bash(npm:*)", "Bash(npx:*)", "Bash(uv:*)", "Bash(python3:*)", "Bash(cargo:*)", "Bash(go:*)", "Bash(make:*)", "Bash(docker:*)", "Bash(kubectl:*)", "Bash(gh:*)", "Bash(rm:*)", "Bash(mv:*)", "Bash(xargs:*)", "Bash(timeout:*)", "Bash(bash:*)", "Bash(echo:*)", "Bash(tee:*)", "Bash(ssh:*)", "Bash(node:*)", "Bash(export:*)", "Bash(cd:*)", "Read", "Edit(src/**)"], "deny": ["Read(.env)", "Edit(src/keep/**)"] }"#,
];

/// Not a test of its own: writes a line for each row, for each collected command and for each line of the files that `COMMANDS`
/// names, into the file that `DIFFERENTIAL` names.
#[test]
#[ignore = "a help for changes that must not change anything"]
fn write_all() {
    let file = File::create(std::env::var("DIFFERENTIAL").unwrap()).unwrap();
    let mut text = BufWriter::new(file);
    for case in cases() {
        let tool = case.settings.tool.as_deref().unwrap_or("Bash");
        let engine = engine(&case.settings);
        let decision = decide_with(&engine, &case.settings, &case.call);
        let effects = match tool.starts_with("mcp__") || resolve(tool) != Some(Operation::Execute) {
            true => String::new(),
            false => effects(&engine, &case.settings, &case.call),
        };
        line(
            &mut text,
            &format!("{}:{}", case.file, case.line),
            &case.call,
            &format!("{decision:?}"),
            &effects,
        );
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trajectories");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let named = std::env::var("COMMANDS").unwrap_or_default();
    files.extend(named.split_whitespace().map(Into::into));
    let sets: Vec<(Settings, Engine)> = SETS
        .iter()
        .map(|set| serde_json::from_str(set).unwrap())
        .map(|settings: Settings| (settings.clone(), engine(&settings)))
        .collect();
    for file in files {
        let commands = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for command in commands
            .lines()
            .filter(|line| !line.starts_with("## ") && !line.starts_with("allow: "))
        {
            let command = command
                .split_once('\t')
                .map_or(command, |(_, command)| command)
                .replace('⏎', "\n");
            for (place, (settings, engine)) in sets.iter().enumerate() {
                let decision = decide_with(engine, settings, &command);
                let effects = if place == 0 {
                    effects(engine, settings, &command)
                } else {
                    String::new()
                };
                line(
                    &mut text,
                    &format!("{name}/{place}"),
                    &command,
                    &format!("{decision:?}"),
                    &effects,
                );
            }
        }
    }
    text.flush().unwrap();
}

fn line(text: &mut BufWriter<File>, place: &str, call: &str, decision: &str, effects: &str) {
    writeln!(text, "{place}\t{call:?}\t{decision}\t{effects}").unwrap();
}

fn effects(engine: &Engine, settings: &Settings, call: &str) -> String {
    let directory: PathClaim = Disk(settings).claim(".").unwrap();
    let access = Access {
        commands: vec![CommandClaim {
            text: call.to_owned(),
            directory,
            environment: Vec::new(),
        }],
        ..Access::default()
    };
    let paths = Disk(settings);
    let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
    format!("{:?}", engine.effects(&access, &commands))
}
