//! What must hold for every text and every set of rules.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "helpers of tests are tests"
)]

use proptest::prelude::*;
use proptest::sample::select;
use tenon_contract::{Access, CommandClaim, Operation, PathClaim};
use tenon_policy::{Engine, LexicalPaths, Permissions, Question, RuleSet, RuleText, Verdict};

const ROOT: &str = "/w";

fn resolve(name: &str) -> Option<Operation> {
    match name {
        "Bash" => Some(Operation::Execute),
        "WebFetch" => Some(Operation::WebFetch),
        _ => Operation::from_name(&name.to_lowercase()),
    }
}

#[derive(Debug, Clone, Default)]
struct Lists {
    deny: Vec<String>,
    ask: Vec<String>,
    allow: Vec<String>,
}

fn engine(lists: &Lists) -> Engine {
    let texts = |rules: &[String]| {
        rules
            .iter()
            .map(|rule| RuleText::from(rule.as_str()))
            .collect()
    };
    let permissions = Permissions {
        deny: texts(&lists.deny),
        ask: texts(&lists.ask),
        allow: texts(&lists.allow),
        default_mode: None,
    };
    Engine::new(
        RuleSet::new(&permissions, &resolve).unwrap(),
        permissions.mode(false),
        ROOT,
    )
}

fn verdict(engine: &Engine, text: &str) -> Verdict {
    let directory = PathClaim {
        name: ".".into(),
        target: ROOT.into(),
    };
    let access = Access {
        commands: vec![CommandClaim {
            text: text.into(),
            directory,
            environment: vec![],
        }],
        ..Access::default()
    };
    let question = Question {
        operation: Operation::Execute,
        effect: Operation::Execute.effect(),
        tool: "exec",
        access: &access,
    };
    engine.decide(&question, &LexicalPaths::new(ROOT)).verdict
}

const RULES: &[&str] = &[
    "Bash(ls:*)",
    "Bash(git:*)",
    "Bash(git push:*)",
    "Bash(git status)",
    "Bash(rm:*)",
    "Bash(cat:*)",
    "Bash(echo:*)",
    "Bash(npm test)",
    "Bash",
    "Bash(sudo ls:*)",
    "Bash(sh:*)",
    "Read(.env)",
    "Read(src/**)",
    "Edit(src/**)",
    "Edit(*.log)",
    "Read",
    "Write",
    "Edit(**)",
    "Bash(find:*)",
    "Bash(xargs:*)",
    "WebFetch(domain:evil.com)",
    "*",
];

fn rules() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(select(RULES).prop_map(str::to_owned), 0..5)
}

fn lists() -> impl Strategy<Value = Lists> {
    (rules(), rules(), rules()).prop_map(|(deny, ask, allow)| Lists { deny, ask, allow })
}

const WORDS: &[&str] = &[
    "ls", "git", "push", "status", "rm", "-rf", "cat", ".env", "src/a", "echo", "'a b'", "\"x\"",
    "$X", "$(rm x)", "`ls`", "*", "~", "{a,b}", "npm", "test", "sudo", "env", "timeout", "5", "sh",
    "-c", "'rm x'", "xargs", "find", ".", "-exec", "{}", "\\;", "cd", "..", "src", "eval", "A=1",
    "PATH=.", "f()", "[[", "]]", "((", "))", "if", "then", "fi", "for", "in", "do", "done", "case",
    "esac",
];
const OPERATORS: &[&str] = &[
    " ", " ", " ", " ", "; ", " && ", " || ", " | ", " & ", "\n", " > ", " >> ", " < ", " 2>&1 ",
    " ( ", " ) ", " { ", " } ", " <<E\n", "\nE\n", " <(", "#", "\\\n", "\t", "\r", "\u{a0}",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec((select(WORDS), select(OPERATORS)), 0..12).prop_map(|parts| {
        parts
            .iter()
            .map(|(word, operator)| format!("{word}{operator}"))
            .collect()
    })
}

/// A simple command that the rule denies.
fn denied() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        select(&["x", "-rf", "src/a", "\"$Y\"", "'a b'", "*.o"][..]),
        0..3,
    )
    .prop_map(|arguments| format!("rm {}", arguments.join(" ")))
}

/// Texts around a command that run it all the same.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("ls; ", ""),
    ("ls && ", ""),
    ("ls | ", ""),
    (" ( ", " )"),
    ("{ ", "; }"),
    ("if true; then ", "; fi"),
    ("for i in 1; do ", "; done"),
    ("echo $(", ")"),
    ("echo \"$(", ")\""),
    ("sudo ", ""),
    ("env A=1 ", ""),
    ("timeout 5 ", ""),
    ("nice -n 3 nohup ", " &"),
    ("command ", ""),
    ("exec ", ""),
    ("A=1 ", ""),
    ("! ", ""),
    ("time ", ""),
    ("ls\n", "\nls"),
    ("cat <(", ")"),
    ("f() { ", "; }; f"),
    ("case x in x) ", ";; esac"),
    ("while true; do ", "; done"),
    ("echo ${x:-$(", ")}"),
    ("eval \"", "\""),
    ("xargs ", ""),
    ("find . -exec ", " \\;"),
    ("busybox ", ""),
    ("setsid ", ""),
    ("stdbuf -oL ", ""),
    ("cat <<E\n$(", ")\nE\n"),
    ("[[ -n $(", ") ]]"),
    ("echo $(( $(", ") ))"),
    ("x=$(", ")"),
    ("trap '", "' EXIT"),
    ("coproc ", ""),
    ("doas ", ""),
    ("flock l ", ""),
];

/// Whether the text in front is a program that starts what follows as a program, not as shell text.
fn is_program(around: (&str, &str)) -> bool {
    let first = around.0.split(' ').next().unwrap_or_default();
    let programs = [
        "sudo", "env", "timeout", "nice", "command", "exec", "xargs", "find", "busybox", "setsid",
        "stdbuf", "doas", "flock",
    ];
    programs.contains(&first)
}

/// Other aliases of the same words.
fn respelled(name: &str, way: usize) -> String {
    match way % 7 {
        0 => name.to_owned(),
        1 => format!("'{name}'"),
        2 => format!("\"{name}\""),
        3 => name.chars().map(|letter| format!("\\{letter}")).collect(),
        4 => format!("/bin/{name}"),
        5 => format!("{}\"\"{}", &name[..1], &name[1..]),
        _ => format!("{}\\\n{}", &name[..1], &name[1..]),
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_decision_never_panics_and_is_the_same_twice(lists in lists(), text in text()) {
        let engine = engine(&lists);
        prop_assert_eq!(verdict(&engine, &text), verdict(&engine, &text));
    }

    #[test]
    fn no_bytes_make_it_panic(text in "\\PC{0,60}") {
        verdict(&engine(&Lists { deny: vec!["Bash(rm:*)".into(), "Read(.env)".into()], ..Lists::default() }), &text);
    }

    #[test]
    fn one_more_deny_never_allows_more(lists in lists(), more in select(RULES), text in text()) {
        let before = verdict(&engine(&lists), &text);
        let mut stricter = lists.clone();
        stricter.deny.push(more.to_owned());
        // The default mode is kept: it depends on the allow list only.
        prop_assert!(verdict(&engine(&stricter), &text) >= before, "{text}");
    }

    #[test]
    fn the_order_of_rules_never_matters(lists in lists(), text in text()) {
        let mut turned = lists.clone();
        turned.deny.reverse();
        turned.ask.reverse();
        turned.allow.reverse();
        prop_assert_eq!(verdict(&engine(&lists), &text), verdict(&engine(&turned), &text));
    }

    #[test]
    fn no_dressing_allows_a_denied_command(command in denied(), around in select(AROUND), again in select(AROUND), way in 0_usize..7, allow in rules()) {
        let engine = engine(&Lists { deny: vec!["Bash(rm:*)".into()], ask: vec![], allow });
        let spelled = command.replacen("rm", &respelled("rm", way), 1);
        let inner = format!("{}{spelled}{}", around.0, around.1);
        prop_assert_ne!(verdict(&engine, &inner), Verdict::Allow, "{}", inner);
        let starts_program = is_program(again) || again.0 == "A=1 ";
        // Single quotes inside of single quotes end them: another text altogether.
        let nests = !(again.0.ends_with('\'') && inner.contains('\''));
        if nests && (!starts_program || is_program(around) || around.0.is_empty()) {
            let text = format!("{}{inner}{}", again.0, again.1);
            prop_assert_ne!(verdict(&engine, &text), Verdict::Allow, "{}", text);
        }
    }

    #[test]
    fn blanks_never_matter(words in proptest::collection::vec(select(&["git", "push", "-f", "status", "'a b'"][..]), 1..4), blanks in proptest::collection::vec(select(&[" ", "  ", "\t", " \\\n "][..]), 4), lists in lists()) {
        let plain = words.join(" ");
        let spaced: String = words.iter().zip(&blanks).map(|(word, blank)| format!("{word}{blank}")).collect();
        let engine = engine(&lists);
        prop_assert_eq!(verdict(&engine, &plain), verdict(&engine, spaced.trim_end_matches([' ', '\t', '\\', '\n'])), "{:?}", spaced);
    }
}

#[test]
fn ten_kilobytes_are_decided_in_about_a_millisecond() {
    let lists = Lists {
        deny: [
            "Bash(rm:*)",
            "Bash(git push:*)",
            "Read(.env)",
            "Edit(secrets/**)",
        ]
        .map(str::to_owned)
        .to_vec(),
        ask: vec![],
        allow: [
            "Bash(ls:*)",
            "Bash(cat:*)",
            "Bash(echo:*)",
            "Bash(git:*)",
            "Read(**)",
            "Edit(**)",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let engine = engine(&lists);
    let shapes = [
        "ls -la src && ",
        "echo \"$(git status -s)\"; ",
        "cat a | ",
        "echo $(echo $(",
        "(ls; ",
        "echo x > build/a; ",
        "cd src; ",
        "for i in a; do ls; done; ",
        "bash -c 'ls'; ",
    ];
    for shape in shapes {
        let text = shape.repeat(10_000 / shape.len());
        let mut best = std::time::Duration::MAX;
        for _ in 0..5 {
            let start = std::time::Instant::now();
            verdict(&engine, &text);
            best = best.min(start.elapsed());
        }
        println!("{shape:?}: {best:?}");
        // Without optimisation and on a busy machine: the benchmark holds the real figure.
        assert!(
            best < std::time::Duration::from_millis(250),
            "{shape:?} took {best:?}"
        );
    }
}

/// Words that say that an option loads code.
const LOADING: &[&str] = &[
    "plugin",
    "plugins",
    "preload",
    "hook",
    "javaagent",
    "addons",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever an unknown program is called, an option whose name says that it loads code is asked about.
    #[test]
    fn an_option_that_says_that_it_loads_code_is_not_allowed_by_a_rule_on_the_program(
        program in "zq[a-z]{2,8}",
        before in "([b-df-gj-km-z]{2,5}-)?",
        loading in select(LOADING),
        joined in any::<bool>(),
        value in "[a-z]{3,9}[.][a-z]{2}",
        quoted in any::<bool>(),
    ) {
        let harmless = ["no-", "out-", "in-", "list-", "only-", "print-", "show-", "skip-"];
        prop_assume!(!harmless.contains(&before.as_str()));
        let engine = engine(&Lists { allow: vec![format!("Bash({program}:*)")], ..Lists::default() });
        let option = format!("--{before}{loading}");
        let option = if quoted { format!("'{option}'") } else { option };
        let sign = if joined { "=" } else { " " };
        let text = format!("{program} run {option}{sign}{value}");
        prop_assert_eq!(verdict(&engine, &text), Verdict::Ask, "{}", text);
        let plain = format!("{program} run {value}");
        prop_assert_eq!(verdict(&engine, &plain), Verdict::Allow, "{}", plain);
    }

    /// A name that is protected counts whichever way the text hands it to a program that may write it.
    #[test]
    fn a_protected_name_is_asked_about_whichever_way_it_comes(
        name in select(&[".npmrc", ".git/hooks/x", ".vscode/tasks.json", "sub/.envrc"][..]),
        way in select(&[
            "zqtool NAME", "x=NAME; zqtool $x", "x=NAME; zqtool \"${x}\"", "zqtool $(echo NAME)", "echo NAME | xargs zqtool",
            "for f in NAME; do zqtool \"$f\"; done", "set -- NAME; zqtool \"$1\"", "read f <<< NAME; zqtool \"$f\"",
            "x=(NAME); zqtool \"${x[@]}\"", "zqtool {NAME,b}", "zqtool --out=NAME", "printf '%s\\n' NAME | xargs zqtool",
            "mapfile -t x <<< NAME; zqtool \"${x[0]}\"", "while read f; do zqtool \"$f\"; done <<< NAME",
        ][..]),
    ) {
        let allow = ["zqtool:*", "echo:*", "printf:*", "xargs zqtool:*", "read:*", "mapfile:*", "set:*"];
        let allow = allow.iter().map(|rule| format!("Bash({rule})")).collect();
        let engine = engine(&Lists { allow, ..Lists::default() });
        let text = way.replace("NAME", name);
        prop_assert_eq!(verdict(&engine, &text), Verdict::Ask, "{}", text);
    }
}

/// Of a program of which all options are known, a rule covers no other one.
#[test]
fn an_option_that_is_not_known_is_never_covered_where_all_are() {
    use tenon_programs::{Traits, programs};
    let mut covered = Vec::new();
    for program in programs().filter(|program| program.is(Traits::COMPLETE)) {
        let Some(name) = program.names.first() else {
            continue;
        };
        let engine = engine(&Lists {
            allow: vec![format!("Bash({name}:*)"), "Read".into(), "Edit(**)".into()],
            ..Lists::default()
        });
        for option in ["--zq-new", "--zq-new=x", "'--zq-new' x", "--z\\q-new"] {
            let text = format!("{name} {option} a");
            if verdict(&engine, &text) == Verdict::Allow {
                covered.push(text);
            }
        }
    }
    assert!(covered.is_empty(), "{}", covered.join("\n"));
}
