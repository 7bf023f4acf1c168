use super::*;
use tenon_contract::HostClaim;

use crate::decision::Decision;
use crate::paths::LexicalPaths;
use crate::rule::RuleText;
use crate::rules::Permissions;

fn resolve(name: &str) -> Option<Operation> {
    match name {
        "Bash" => Some(Operation::Execute),
        "WebFetch" => Some(Operation::WebFetch),
        _ => Operation::from_name(&name.to_lowercase()),
    }
}

fn engine(deny: &[&str], ask: &[&str], allow: &[&str], mode: Option<DefaultMode>) -> Engine {
    let texts = |rules: &[&str]| {
        rules
            .iter()
            .map(|rule| RuleText::from(*rule))
            .collect::<Vec<_>>()
    };
    let permissions = Permissions {
        deny: texts(deny),
        ask: texts(ask),
        allow: texts(allow),
        default_mode: mode,
    };
    let mode = permissions.mode(false);
    Engine::new(RuleSet::new(&permissions, &resolve).unwrap(), mode, "/w")
}

fn claim(name: &str) -> PathClaim {
    PathClaim {
        name: name.into(),
        target: Path::new("/w").join(name),
    }
}

fn decide(engine: &Engine, operation: Operation, access: &Access) -> Verdict {
    let question = Question {
        operation,
        effect: operation.effect(),
        tool: operation.name(),
        access,
    };
    engine.decide(&question, &LexicalPaths::new("/w")).verdict
}

#[test]
fn the_mode_decides_where_no_rule_matches() {
    let verdict = |mode, operation| {
        decide(
            &engine(&[], &[], &[], Some(mode)),
            operation,
            &Access::default(),
        )
    };
    assert_eq!(
        verdict(DefaultMode::Allow, Operation::Execute),
        Verdict::Allow
    );
    assert_eq!(verdict(DefaultMode::Ask, Operation::Read), Verdict::Ask);
    assert_eq!(verdict(DefaultMode::Deny, Operation::Read), Verdict::Deny);
}

#[test]
fn with_an_approver_only_what_leaves_a_trace_asks() {
    let engine = engine(&[], &[], &[], Some(DefaultMode::AskIfDangerous));
    let asked: Vec<_> = Operation::ALL
        .iter()
        .filter(|operation| decide(&engine, **operation, &Access::default()) == Verdict::Ask)
        .map(|operation| operation.name())
        .collect();
    assert_eq!(
        asked,
        [
            "write",
            "edit",
            "patch",
            "delete",
            "notebook_edit",
            "execute",
            "process",
            "run_tests",
            "memory",
            "web_request",
            "message",
            "cron",
            "foreign"
        ]
    );
}

#[test]
fn deny_before_ask_before_allow_and_an_allow_list_makes_the_rest_ask() {
    let engine = engine(
        &["Read(.env)"],
        &["Edit(docs/**)"],
        &["Read(**)", "Edit(src/**)", "Edit(docs/**)"],
        None,
    );
    let read = |name| decide(&engine, Operation::Read, &Access::reading(claim(name)));
    let write = |name| decide(&engine, Operation::Write, &Access::writing(claim(name)));
    assert_eq!(
        [read("src/a"), read("x/.env"), read(".env")],
        [Verdict::Allow, Verdict::Deny, Verdict::Deny]
    );
    assert_eq!(
        [write("src/a"), write("docs/a"), write("lib/a")],
        [Verdict::Allow, Verdict::Ask, Verdict::Ask]
    );
}

#[test]
fn deny_binds_the_name_and_the_target_of_a_link_and_allow_needs_both() {
    let link = |name: &str, target: &str| {
        Access::reading(PathClaim {
            name: name.into(),
            target: target.into(),
        })
    };
    let denying = engine(&["Read(secret/**)"], &[], &[], None);
    assert_eq!(
        decide(&denying, Operation::Read, &link("open", "/w/secret/key")),
        Verdict::Deny
    );
    assert_eq!(
        decide(&denying, Operation::Grep, &link("secret/x", "/w/public")),
        Verdict::Deny
    );
    let allowing = engine(&[], &[], &["Read(src/**)"], None);
    assert_eq!(
        decide(&allowing, Operation::Read, &link("src/a", "/w/other/a")),
        Verdict::Ask
    );
    assert_eq!(
        decide(&allowing, Operation::Read, &link("src/a", "/w/src/b")),
        Verdict::Allow
    );
}

#[test]
fn protected_names_are_at_least_asked_and_only_for_writing() {
    let engine = engine(&[], &[], &["Edit(**)", "Read(**)"], None);
    assert_eq!(
        decide(
            &engine,
            Operation::Write,
            &Access::writing(claim(".git/hooks/pre-commit"))
        ),
        Verdict::Ask
    );
    assert_eq!(
        decide(
            &engine,
            Operation::Read,
            &Access::reading(claim(".git/config"))
        ),
        Verdict::Allow
    );
}

#[test]
fn a_denied_write_binds_every_way_of_writing() {
    let engine = engine(&["Write"], &[], &[], None);
    for operation in [
        Operation::Write,
        Operation::Edit,
        Operation::Patch,
        Operation::NotebookEdit,
    ] {
        assert_eq!(
            decide(&engine, operation, &Access::writing(claim("a"))),
            Verdict::Deny,
            "{operation:?}"
        );
    }
    assert_eq!(
        decide(&engine, Operation::Read, &Access::reading(claim("a"))),
        Verdict::Allow
    );
}

#[test]
fn what_searches_must_omit_is_reported() {
    let engine = engine(&["Read(.env)"], &[], &[], None);
    assert!(engine.hides(Operation::Grep, "grep", &claim("a/.env")));
    assert!(!engine.hides(Operation::Grep, "grep", &claim("a/env")));
}

#[test]
fn the_name_of_a_directory_whose_content_is_denied_is_no_secret() {
    let hides = |rule: &str, name: &str| {
        self::engine(&[rule], &[], &[], None).hides(Operation::List, "ls", &claim(name))
    };
    for (rule, name) in [
        ("Read(secrets/**)", "secrets"),
        ("Read(secrets/**)", "secrets/key"),
        ("Read(.env)", "a/.env"),
        ("Read(.env)", "a/.env/b"),
        ("Read(**/*.pem)", "a/x.pem"),
        ("Read(/w/a)", "a"),
        ("Read(/w/a)", "b/a"),
    ] {
        let engine = self::engine(&[rule], &[], &[], None);
        let listed = engine.hides_below(Operation::List, "ls", name);
        assert_eq!(listed, hides(rule, name), "{rule}, {name}");
    }
    assert!(!hides("Read(secrets/**)", "secrets"));
    assert!(hides("Read(secrets/**)", "secrets/key"));
    assert!(hides("Read(**/secrets/**)", "secrets/secrets"));
    assert!(hides("Read(secrets)", "secrets"));
}

#[test]
fn a_redirect_to_another_host_is_at_least_asked() {
    let engine = engine(
        &["WebFetch(domain:evil.com)"],
        &[],
        &["WebFetch(domain:*.good.com)", "WebFetch(domain:good.com)"],
        None,
    );
    let access = Access::default();
    let question = Question {
        operation: Operation::WebFetch,
        effect: Effect::Network,
        tool: "web_fetch",
        access: &access,
    };
    let to = |host: &str| {
        let claim = HostClaim {
            host: host.into(),
            port: 443,
            url: format!("https://{host}/"),
        };
        engine
            .decide_redirect(&question, "good.com", &claim)
            .verdict
    };
    assert_eq!(
        [to("good.com"), to("a.good.com"), to("x.evil.com")],
        [Verdict::Allow, Verdict::Ask, Verdict::Deny]
    );
}

#[test]
fn an_explanation_names_the_smallest_rules_that_would_allow() {
    let engine = engine(&[], &[], &["Bash(ls:*)"], None);
    let command = tenon_contract::CommandClaim {
        text: "ls && timeout 5 npm run 'a b' > out.txt".into(),
        directory: claim("."),
        environment: vec![],
    };
    let access = Access {
        commands: vec![command],
        ..Access::default()
    };
    let question = Question {
        operation: Operation::Execute,
        effect: Effect::Execute,
        tool: "exec",
        access: &access,
    };
    let decision = engine.decide(&question, &LexicalPaths::new("/w"));
    assert_eq!(decision.verdict, Verdict::Ask);
    assert_eq!(
        decision.suggestion(),
        ["Edit(out.txt)", "Bash(npm run 'a b')"]
    );
}

#[test]
fn a_compiler_by_its_plain_name_in_the_variables_of_a_call_is_not_asked_about() {
    let engine = engine(&[], &[], &["Bash(make:*)"], None);
    let decide = |name: &str, value: &str| {
        let command = tenon_contract::CommandClaim {
            text: "make".into(),
            directory: claim("."),
            environment: vec![tenon_contract::GivenVariable::new(name, value)],
        };
        let access = Access {
            commands: vec![command],
            ..Access::default()
        };
        let question = Question {
            operation: Operation::Execute,
            effect: Effect::Execute,
            tool: "exec",
            access: &access,
        };
        engine.decide(&question, &LexicalPaths::new("/w")).verdict
    };
    for (name, value) in [
        ("CC", "clang"),
        ("CXX", "g++-13"),
        ("LD", "ld.lld"),
        ("AR", "llvm-ar"),
        ("AS", "as"),
        ("NODE_ENV", "./x"),
    ] {
        assert_eq!(decide(name, value), Verdict::Allow, "{name}={value}");
    }
    for (name, value) in [
        ("CC", "./clang"),
        ("CC", "clang -B."),
        ("CC", "/tmp/cc"),
        ("CXX", ""),
        ("cc", "clang"),
        ("AR", "sh"),
    ] {
        assert_eq!(decide(name, value), Verdict::Ask, "{name}={value}");
    }
}

#[test]
fn permission_to_read_allows_to_ask_what_changed_and_name_the_file_to_be_tested() {
    let engine = engine(&[], &[], &["Read(src/**)"], None);
    let read = |operation, name| decide(&engine, operation, &Access::reading(claim(name)));
    for operation in [
        Operation::GitStatus,
        Operation::RunTests,
        Operation::Process,
    ] {
        assert_eq!(read(operation, "src/a"), Verdict::Allow, "{operation:?}");
        assert_eq!(read(operation, "lib/a"), Verdict::Ask, "{operation:?}");
    }
    assert_eq!(read(Operation::Foreign, "src/a"), Verdict::Ask);
    let mut access = Access::reading(claim("src/a"));
    access.commands.push(tenon_contract::CommandClaim {
        text: "node --test src/a".into(),
        directory: claim("."),
        environment: vec![],
    });
    assert_eq!(decide(&engine, Operation::RunTests, &access), Verdict::Ask);
}

#[test]
fn a_path_longer_than_any_that_opens_may_go_through_links_of_the_text_anywhere() {
    let engine = engine(&["Read(.env)"], &[], &["Bash(cat:*)", "Bash(ln:*)"], None);
    let verdict = |parts: usize| {
        let command = tenon_contract::CommandClaim {
            text: format!("ln -s . l; cat {}x", "l/".repeat(parts)),
            directory: claim("."),
            environment: Vec::new(),
        };
        let access = Access {
            commands: vec![command],
            ..Access::default()
        };
        decide(&engine, Operation::Execute, &access)
    };
    assert_eq!(verdict(2), Verdict::Allow);
    assert_eq!(verdict(30_000), Verdict::Ask);
}

fn of_command(engine: &Engine, text: &str) -> Decision {
    let command = tenon_contract::CommandClaim {
        text: text.into(),
        directory: claim("."),
        environment: Vec::new(),
    };
    let access = Access {
        commands: vec![command],
        ..Access::default()
    };
    let question = Question {
        operation: Operation::Execute,
        effect: Effect::Execute,
        tool: "exec",
        access: &access,
    };
    engine.decide(&question, &LexicalPaths::new("/w"))
}

#[test]
fn a_reason_names_what_was_the_trouble_beside_a_rule_on_the_program() {
    let engine = engine(
        &[],
        &[],
        &["Bash(find:*)", "Bash(sed:*)", "Bash(ls:*)"],
        None,
    );
    let rows = [
        (
            "find . -delete",
            "`Bash(find:*)` does not cover the option `-delete`.",
        ),
        (
            "sed 's/a/b/e' x",
            "`sed 's/a/b/e' x` uses an argument that makes the program run another one.",
        ),
        (
            "timeout --odd 5 ls",
            "`timeout --odd 5 ls` uses `--odd`, an option of a wrapper that is not known.",
        ),
        (
            "cat a",
            "No rule matches the command `cat a`; the default mode requires approval.",
        ),
    ];
    for (text, reason) in rows {
        let decision = of_command(&engine, text);
        assert_eq!(
            (decision.verdict, decision.reason.as_str()),
            (Verdict::Ask, reason)
        );
    }
}

#[test]
fn a_denial_names_the_rule_and_counts_what_else_is_denied() {
    let engine = engine(&["Bash(rm:*)"], &[], &[], None);
    let reason = |text: &str| of_command(&engine, text).reason;
    assert_eq!(reason("rm a"), "Denied by the rule `Bash(rm:*)`.");
    assert_eq!(
        reason("rm a; rm b"),
        "Denied by the rule `Bash(rm:*)` (and 1 other part)."
    );
    assert_eq!(
        reason("rm a; rm b; rm c"),
        "Denied by the rule `Bash(rm:*)` (and 2 other parts)."
    );
    let decision = of_command(&engine, "ls && rm a");
    assert_eq!(
        (decision.rule.as_deref(), decision.list, decision.about),
        (
            Some("Bash(rm:*)"),
            Some(Verdict::Deny),
            Some((PartKind::Command, "rm a".to_owned()))
        )
    );
}

#[test]
fn a_shell_whose_language_is_not_read_runs_nothing_by_a_rule_and_denials_hold() {
    let command = |text: &str| Access {
        commands: vec![tenon_contract::CommandClaim {
            text: text.into(),
            directory: claim("."),
            environment: Vec::new(),
        }],
        ..Access::default()
    };
    let rules = engine(&["Bash(rm:*)"], &[], &["Bash(git status:*)"], None);
    let powershell = rules.clone().with_unread_shell(Some("pwsh".into()));
    let open = engine(&[], &[], &[], None).with_unread_shell(Some("pwsh".into()));
    // One quoted word for bash, and a second command for PowerShell, where `\` quotes nothing.
    let text = r#"git status "a\"; ri x; \"""#;
    let verdict = |engine: &Engine, text: &str| decide(engine, Operation::Execute, &command(text));
    assert_eq!(
        [
            verdict(&rules, text),
            verdict(&powershell, text),
            verdict(&powershell, "git status"),
            verdict(&powershell, "rm x"),
            verdict(&open, "Get-ChildItem | Select Name"),
        ],
        [
            Verdict::Allow,
            Verdict::Ask,
            Verdict::Ask,
            Verdict::Deny,
            Verdict::Allow
        ]
    );
}

#[test]
fn shells_of_another_language_are_known_by_their_programs() {
    let unread = |path: &str| {
        let engine = engine(&[], &[], &[], None).with_shell_program(Path::new(path));
        engine.unread_shell
    };
    assert_eq!(unread("/usr/bin/fish"), Some("fish".to_owned()));
    assert_eq!(unread("PowerShell.exe"), Some("powershell".to_owned()));
    for path in ["/bin/bash", "/bin/sh", "/bin/zsh", "/bin/busybox"] {
        assert_eq!(unread(path), None, "{path}");
    }
}
