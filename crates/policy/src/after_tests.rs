use std::path::PathBuf;

use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim};

use super::*;
use crate::commands::resolve::ResolvedCommands;
use crate::engine::Question;
use crate::parsed::ParsedCommands;
use crate::paths::LexicalPaths;
use crate::rules::Permissions;
use crate::sources::without_condition;
use crate::verdict::{DefaultMode, Verdict};

fn resolve(name: &str) -> Option<Operation> {
    match name {
        "Bash" => Some(Operation::Execute),
        "WebFetch" => Some(Operation::WebFetch),
        _ => Operation::from_name(&name.to_lowercase()),
    }
}

fn engine(deny: &[&str], ask: &[&str]) -> Engine {
    let texts = |rules: &[&str]| rules.iter().map(|rule| RuleText::from(*rule)).collect();
    let permissions = Permissions {
        deny: texts(deny),
        ask: texts(ask),
        ..Permissions::default()
    };
    let rules = RuleSet::new(&permissions, &resolve).unwrap();
    Engine::new(rules, DefaultMode::Allow, "/work")
}

fn running(text: &str) -> Access {
    let directory = PathClaim {
        name: ".".into(),
        target: "/work".into(),
    };
    Access {
        commands: vec![CommandClaim {
            text: text.into(),
            directory,
            environment: Vec::new(),
        }],
        ..Access::default()
    }
}

fn verdict(engine: &Engine, operation: Operation, effect: Effect, access: &Access) -> Verdict {
    let question = Question {
        operation,
        effect,
        tool: operation.name(),
        access,
    };
    engine
        .decide(&question, &LexicalPaths::new("/work"))
        .verdict
}

#[test]
fn a_condition_stands_behind_the_specifier_and_nowhere_else() {
    let parts = |rule: &'static str| {
        let (bare, at) = without_condition(rule);
        (bare, at.map(|at| &rule[at..]))
    };
    assert_eq!(parts("Bash"), ("Bash", None));
    assert_eq!(parts("Bash after network"), ("Bash", Some("network")));
    assert_eq!(
        parts("Bash(git push:*) after network, mcp"),
        ("Bash(git push:*)", Some("network, mcp"))
    );
    assert_eq!(
        parts("Bash(echo after network)"),
        ("Bash(echo after network)", None)
    );
    assert_eq!(
        parts("Bash(echo after x) after mcp"),
        ("Bash(echo after x)", Some("mcp"))
    );
    assert_eq!(
        parts("Bash after network (x"),
        ("Bash after network (x", None)
    );
    assert_eq!(parts("Bash after "), ("Bash", Some("")));
}

#[test]
fn a_rule_with_a_condition_holds_once_one_of_its_sources_was_read() {
    let engine = engine(
        &["Bash(git push:*) after mcp"],
        &["Bash after network, untracked"],
    );
    let push = running("git push");
    let sets: [&[Source]; 4] = [
        &[],
        &[Source::Mcp],
        &[Source::Untracked],
        &[Source::Network, Source::Mcp],
    ];
    let verdicts = sets.map(|sources| {
        let after = engine.after(sources.iter().copied().collect());
        verdict(&after, Operation::Execute, Effect::Execute, &push)
    });
    assert_eq!(
        verdicts,
        [Verdict::Allow, Verdict::Deny, Verdict::Ask, Verdict::Deny]
    );
    assert!(engine.depends_on_sources());
    assert!(!engine.after(SourceSet::NONE).depends_on_sources());
}

#[test]
fn a_decision_names_the_sources_of_its_rules() {
    let engine = engine(&[], &["Bash after network, untracked", "Bash(ls:*)"]);
    let access = running("ls");
    let question = Question {
        operation: Operation::Execute,
        effect: Effect::Execute,
        tool: "Bash",
        access: &access,
    };
    let decision = engine.decide(&question, &LexicalPaths::new("/work"));
    let sources: SourceSet = [Source::Network, Source::Untracked].into_iter().collect();
    assert_eq!(decision.after(), sources);
    let matched: Vec<_> = decision
        .matched
        .iter()
        .map(|rule| (rule.rule.as_str(), rule.after.as_slice()))
        .collect();
    assert_eq!(
        matched,
        [
            (
                "Bash after network, untracked",
                [Source::Network, Source::Untracked].as_slice()
            ),
            ("Bash(ls:*)", [].as_slice()),
        ]
    );
}

#[test]
fn nothing_that_was_read_allows_more() {
    let permissions = Permissions {
        allow: vec!["Bash(ls) after network".into(), "NetworkWrite".into()],
        ..Permissions::default()
    };
    let errors = RuleSet::new(&permissions, &resolve).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "Invalid rule in `permissions.allow[0]`: `Bash(ls) after network` has a condition, which is only for `deny` and `ask`: nothing that was read before allows more. Remove ` after …` (byte 15 of the rule).",
            "Invalid rule in `permissions.allow[1]`: `NetworkWrite` is only for `deny` and `ask`. Allow the tools, paths or hosts by their names."
        ]
    );
}

#[test]
fn a_rule_with_a_condition_makes_none_without_one_superfluous() {
    let permissions = Permissions {
        deny: vec!["Bash after network".into()],
        ask: vec![
            "Bash".into(),
            "Bash(git push:*)".into(),
            "Bash(ls) after mcp".into(),
        ],
        ..Permissions::default()
    };
    let rules = RuleSet::new(&permissions, &resolve).unwrap();
    let lints: Vec<String> = rules
        .lints(&tenon_programs::Catalogue::BUILT_IN)
        .into_iter()
        .map(|lint| lint.rule)
        .collect();
    assert_eq!(lints, ["Bash(git push:*)", "Bash(ls) after mcp"]);
}

#[test]
fn network_writes_are_what_tools_send_and_not_what_they_fetch() {
    let engine = engine(&["NetworkWrite"], &[]);
    let of = |operation, effect| verdict(&engine, operation, effect, &Access::default());
    assert_eq!(
        [
            of(Operation::WebRequest, Effect::Network),
            of(Operation::WebFetch, Effect::Network),
            of(Operation::Foreign, Effect::Unknown),
            of(Operation::Foreign, Effect::Network),
            of(Operation::Read, Effect::Observe),
        ],
        [
            Verdict::Deny,
            Verdict::Allow,
            Verdict::Deny,
            Verdict::Allow,
            Verdict::Allow
        ]
    );
}

#[test]
fn outside_writes_are_those_of_tools_and_of_redirections() {
    let engine = engine(&["OutsideWrite"], &[]);
    let claim = |target: &str| PathClaim {
        name: target.trim_start_matches("/work/").into(),
        target: target.into(),
    };
    let write = |target: &str| {
        let access = Access::writing(claim(target));
        verdict(&engine, Operation::Write, Effect::Mutate, &access)
    };
    let run = |text: &str| verdict(&engine, Operation::Execute, Effect::Execute, &running(text));
    assert_eq!(
        [write("/work/a"), write("/other/a"), run("echo x > a")],
        [Verdict::Allow, Verdict::Deny, Verdict::Allow]
    );
    assert_ne!(run("echo x > /other/a"), Verdict::Allow);
    let reading = Access::reading(claim("/other/a"));
    assert_eq!(
        verdict(&engine, Operation::Read, Effect::Observe, &reading),
        Verdict::Allow
    );
}

#[test]
fn the_rules_of_the_option_compile_and_hold_after_every_source() {
    let permissions = Permissions {
        ask: rules_after_sources(),
        ..Permissions::default()
    };
    let rules = RuleSet::new(&permissions, &resolve).unwrap();
    assert!(rules.lints(&tenon_programs::Catalogue::BUILT_IN).is_empty());
    for source in Source::ALL {
        let engine = Engine::new(rules.clone(), DefaultMode::Allow, "/work");
        let after = engine.after(SourceSet::NONE.with(source));
        let verdict = verdict(&after, Operation::Execute, Effect::Execute, &running("ls"));
        assert_eq!(verdict, Verdict::Ask);
    }
}

#[test]
fn the_words_of_commands_show_what_they_bring_in() {
    let engine = engine(&[], &[]);
    let origins = |text: &str| {
        let paths = LexicalPaths::new("/work");
        let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
        let origins = engine.origins(&running(text), &commands);
        (origins.hosts, origins.files)
    };
    let none = || (Vec::<String>::new(), Vec::<PathBuf>::new());
    let hosts = |host: &str| (vec![host.to_owned()], Vec::new());
    let files = |file: &str| (Vec::new(), vec![PathBuf::from(file)]);
    assert_eq!(
        origins("curl -s https://example.com/x"),
        hosts("example.com")
    );
    assert_eq!(origins("sudo timeout 5 curl \"$URL\""), hosts("curl"));
    assert_eq!(origins("gh issue view 5"), hosts("gh"));
    assert_eq!(origins("git -C sub pull"), hosts("git"));
    assert_eq!(origins("npm view left-pad"), hosts("npm"));
    assert_eq!(origins("git status; npm test; echo https://x.org"), none());
    assert_eq!(origins("cat notes.txt"), files("/work/notes.txt"));
    assert_eq!(origins("cd sub && wc -l < a.txt"), files("/work/sub/a.txt"));
    assert_eq!(origins("cat *.md > out"), none());
    let patterns = |text: &str| -> Vec<String> {
        let paths = LexicalPaths::new("/work");
        let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
        let origins = engine.origins(&running(text), &commands);
        let patterns = origins.patterns.into_iter();
        patterns
            .map(|pattern| format!("{} {}", pattern.directory.display(), pattern.text))
            .collect()
    };
    assert_eq!(patterns("cd sub && cat .en* > out"), ["/work/sub .en*"]);
    assert_eq!(patterns("cat {.env,a.txt}"), ["/work {.env,a.txt}"]);
    assert_eq!(patterns("wc -l < \"$D\"/.env"), ["/work \0/.env"]);
    assert_eq!(patterns("find . -name .env -exec cat {} +"), ["/work \0"]);
    assert_eq!(patterns("ls *; stat $X; cat a"), Vec::<String>::new());
}
