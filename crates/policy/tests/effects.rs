//! What commands do, printed without any rule.

use tenon_contract::{Access, CommandClaim, PathClaim};
use tenon_policy::{
    CommandEffects, DefaultMode, Engine, LexicalPaths, ParsedCommands, PartKind, ResolvedCommands,
    RuleSet,
};

fn effects(text: &str) -> Vec<CommandEffects> {
    let engine = Engine::new(RuleSet::default(), DefaultMode::Ask, "/w");
    let directory = PathClaim {
        name: ".".into(),
        target: "/w".into(),
    };
    let command = CommandClaim {
        text: text.into(),
        directory,
        environment: Vec::new(),
    };
    let access = Access {
        commands: vec![command],
        ..Access::default()
    };
    let paths = LexicalPaths::new("/w");
    engine.effects(
        &access,
        &ResolvedCommands::new(&paths, &ParsedCommands::default()),
    )
}

#[test]
fn each_command_has_its_directory_files_hosts_and_what_it_runs() {
    let actual = serde_json::to_value(effects(
        "cd src && timeout 5 grep -r foo lib > ../out; curl https://example.com/a; nope x",
    ))
    .unwrap();
    let expected = serde_json::json!([
        { "command": "cd src", "program": "cd", "directories": ["."] },
        {
            "command": "timeout 5 grep -r foo lib", "program": "timeout", "directories": ["src"],
            "files": [{ "kind": "write", "name": "../out" }], "runs": ["grep"],
        },
        {
            "command": "grep -r foo lib", "program": "grep", "directories": ["src"],
            "files": [{ "kind": "read", "name": "lib", "below": true }],
        },
        {
            "command": "curl https://example.com/a", "program": "curl", "directories": ["src"],
            "hosts": ["example.com"],
        },
        { "command": "nope x", "directories": ["src"] },
    ]);
    assert_eq!(actual, expected);
}

#[test]
fn redirections_of_a_compound_command_stand_by_themselves() {
    let found = effects("cd src; while read l; do echo a; done < .env > out");
    let found: Vec<_> = found.iter().filter(|one| !one.files.is_empty()).collect();
    let actual = serde_json::to_value(found).unwrap();
    let expected = serde_json::json!([
        { "command": "< .env", "directories": ["src"], "files": [{ "kind": "read", "name": ".env" }] },
        { "command": "> out", "directories": ["src"], "files": [{ "kind": "write", "name": "out" }] },
    ]);
    assert_eq!(actual, expected);
    let found = effects("echo $(< .env)");
    assert_eq!(found.last().map(|one| one.command.as_ref()), Some("< .env"));
}

#[test]
fn what_the_text_does_not_say_is_a_question_mark() {
    let found = effects("rm -rf \"$x\"");
    let files: Vec<(PartKind, &str, bool)> = found
        .iter()
        .flat_map(|command| &command.files)
        .map(|file| (file.kind, file.name.as_str(), file.below))
        .collect();
    assert_eq!(files, [(PartKind::Delete, "?", true)]);
    assert_eq!(found[0].command, "rm -rf ?");
}
