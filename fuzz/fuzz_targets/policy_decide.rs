//! A decision on any command text, and on any value of a variable of the call, never panics and is the same twice, and one
//! more denial never allows more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tenon_contract::{Access, CommandClaim, GivenVariable, Operation, PathClaim};
use tenon_policy::{Engine, LexicalPaths, Permissions, Question, RuleSet, Verdict};

fn engine(deny: &[&str]) -> Engine {
    let permissions = Permissions {
        deny: deny.iter().map(|rule| (*rule).into()).collect(),
        ask: vec!["Bash(git commit:*)".into()],
        allow: ["Bash(ls:*)", "Bash(cat:*)", "Bash(echo:*)", "Bash(git:*)", "Bash(bash:*)", "Read(**)", "Edit(build/**)"]
            .map(Into::into)
            .to_vec(),
        default_mode: None,
    };
    let resolve = |name: &str| match name {
        "Bash" => Some(Operation::Execute),
        _ => Operation::from_name(&name.to_lowercase()),
    };
    let rules = RuleSet::new(&permissions, &resolve).expect("the rules are those above");
    Engine::new(rules, permissions.mode(false), "/w")
}

static WIDE: LazyLock<Engine> = LazyLock::new(|| engine(&["Read(.env)"]));
static STRICT: LazyLock<Engine> = LazyLock::new(|| engine(&["Read(.env)", "Bash(rm:*)", "Edit(build/secret)"]));

fn verdict(engine: &Engine, text: &str, environment: Vec<GivenVariable>) -> Verdict {
    let directory = PathClaim { name: ".".into(), target: "/w".into() };
    let command = CommandClaim { text: text.into(), directory, environment };
    let access = Access { commands: vec![command], ..Access::default() };
    let question = Question {
        operation: Operation::Execute,
        effect: Operation::Execute.effect(),
        tool: "exec",
        access: &access,
    };
    engine.decide(&question, &LexicalPaths::new("/w")).verdict
}

fuzz_target!(|text: &str| {
    let wide = verdict(&WIDE, text, Vec::new());
    assert_eq!(wide, verdict(&WIDE, text, Vec::new()));
    assert!(verdict(&STRICT, text, Vec::new()) >= wide);
    let given = || vec![GivenVariable::new("X", text), GivenVariable::new("FOO_CONFIG", text)];
    let wide = verdict(&WIDE, text, given());
    assert!(verdict(&STRICT, text, given()) >= wide);
});
