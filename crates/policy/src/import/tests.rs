use super::*;
use crate::verdict::DefaultMode;

fn rules(list: &[RuleText]) -> Vec<&str> {
    list.iter().map(|rule| rule.rule.as_str()).collect()
}

fn left(imported: &Imported) -> Vec<(&str, bool)> {
    imported
        .left_out
        .iter()
        .map(|left| (left.rule.as_str(), left.restricts))
        .collect()
}

#[test]
fn claude_code() {
    let text = r#"{ // comments are usual
      "permissions": {
        "allow": ["Bash(npm run test:*)", "Bash(git diff *)", "Bash(ls)", "Bash(npm*)", "Bash(git * main)", "Read(~/.zshrc)", "Edit(/src/**)", "Read(//etc/hosts)", "WebFetch(domain:docs.rs)", "mcp__github__*", "Agent(Explore)", "Skill(commit *)", "Skill(a:*)"],
        "deny": ["Bash(rm*)", "Read(./.env)", "Read(secrets/**)", "WebFetch"],
        "ask": ["Bash(git push:*)"],
        "defaultMode": "acceptEdits"
      }
    }"#;
    let imported = import_rules(ImportFormat::ClaudeCode, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        rules(&own.allow),
        [
            "Bash(npm run test:*)",
            "Bash(git diff:*)",
            "Bash(ls)",
            "Edit(src/**)",
            "Read(/etc/hosts)",
            "WebFetch(domain:docs.rs)",
            "mcp__github__*",
            "Task(Explore)",
            "Skill(commit)",
            "Edit(**)",
            "Read(**)"
        ]
    );
    assert_eq!(
        rules(&own.deny),
        ["Bash(rm:*)", "Read(.env)", "Read(secrets/**)", "WebFetch"]
    );
    assert_eq!(rules(&own.ask), ["Bash(git push:*)"]);
    assert_eq!(own.default_mode, Some(DefaultMode::Ask));
    assert_eq!(
        left(&imported),
        [
            ("Bash(rm*)", true),
            ("Bash(npm*)", false),
            ("Bash(git * main)", false),
            ("Read(~/.zshrc)", false),
            ("Skill(a:*)", false)
        ]
    );
}

#[test]
fn opencode() {
    let text = r#"{"permission": {"edit": "ask", "webfetch": "deny", "bash": {"*": "ask", "git status *": "allow", "rm *": "deny", "rm tmp *": "allow"}, "doom_loop": "ask"}}"#;
    let imported = import_rules(ImportFormat::OpenCode, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.allow), rules(&own.ask), rules(&own.deny)),
        (
            vec!["Bash(git status:*)", "Read(**)"],
            vec!["Edit"],
            vec!["WebFetch", "Bash(rm:*)", "Read(*.env)", "Read(*.env.*)"]
        )
    );
    assert_eq!(own.default_mode, Some(DefaultMode::Ask));
    assert_eq!(
        left(&imported),
        [
            ("bash rm tmp *: allow", false),
            ("doom_loop: ask", true),
            ("*", false)
        ]
    );
}

#[test]
fn a_star_of_opencode_crosses_directories() {
    let text = r#"{"permission": {"read": {"docs/*": "allow", "b*c/*/d": "allow", "secrets/*": "deny", "a/*/key": "deny", "x*/key": "deny", "*.env": "deny", "app/[id]/{x}": "deny", "/etc/*.key": "deny", "a/b?": "deny"}}}"#;
    let imported = import_rules(ImportFormat::OpenCode, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.deny), rules(&own.allow)),
        (
            vec![
                "Read(secrets/**)",
                "Read(a/**/key)",
                "Read(x*/key)",
                "Read(x*/**/*/key)",
                "Read(*.env)",
                r"Read(app/\[id\]/\{x\})",
                "Read(/etc/*.key)",
                "Read(/etc/*/**/*.key)",
                "Read(a/b?)"
            ],
            vec!["Read(docs/**)", "Read(b*c/*/d)"]
        )
    );
    assert_eq!(left(&imported), [("read a/b?: deny", true), ("*", false)]);
}

#[test]
fn gemini_cli() {
    let text = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git status\", \"ls\"]\ndecision = \"allow\"\npriority = 10\n\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\ndenyMessage = \"never\"\npriority = 100\n\n[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"x\"\ndecision = \"ask_user\"\n";
    let imported = import_rules(ImportFormat::GeminiCli, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.allow), rules(&own.deny)),
        (
            vec!["Bash(git status:*)", "Bash(ls:*)", "Read(**)"],
            vec!["Bash(rm:*)"]
        )
    );
    assert_eq!(own.deny[0].because.as_deref(), Some("never"));
    assert!(
        imported
            .left_out
            .iter()
            .any(|left| left.restricts && left.why.contains("argsPattern"))
    );
    let error = import_rules(ImportFormat::GeminiCli, "[[rule]\n").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("These are not rules of gemini-cli: line 1"),
        "{error}"
    );
}

#[test]
fn codex() {
    let text = "# ours\nprefix_rule(\n  pattern = [\"git\", [\"push\", \"fetch\"]],\n  decision = \"prompt\", # ask\n  justification = \"reaches others\",\n)\nprefix_rule(pattern = ['ls'], match = ['ls -l', ['ls', 'a b']], not_match = ['lsof'])\nhost_executable(name = \"git\", paths = [])\n";
    let imported = import_rules(ImportFormat::Codex, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.allow), rules(&own.ask)),
        (
            vec!["Bash(ls:*)", "Read(**)"],
            vec!["Bash(git push:*)", "Bash(git fetch:*)"]
        )
    );
    assert_eq!(own.default_mode, Some(DefaultMode::Ask));
    assert_eq!(own.allow[0].matches, ["ls -l", "ls 'a b'"]);
    assert_eq!(
        left(&imported),
        [("host_executable(name = \"git\", paths = [])", true)]
    );
    let error = import_rules(ImportFormat::Codex, "x = 1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "These are not rules of Codex: line 1: a call such as `prefix_rule(…)` was expected."
    );
}

/// What an import makes of a text, in one line for each list.
fn all(format: ImportFormat, text: &str) -> Vec<String> {
    let imported = match import_rules(format, text) {
        Ok(imported) => imported,
        Err(error) => return vec![error.to_string()],
    };
    let own = &imported.permissions;
    let lists = [
        ("deny", &own.deny),
        ("ask", &own.ask),
        ("allow", &own.allow),
    ];
    let lists = lists.iter().filter(|(_, list)| !list.is_empty());
    let mut lines: Vec<String> = lists
        .map(|(name, list)| format!("{name}: {}", rules(list).join(" | ")))
        .collect();
    lines.extend(own.default_mode.map(|mode| format!("{mode:?}")));
    for (rule, restricts) in left(&imported) {
        let mark = if restricts { "!" } else { "?" };
        lines.push(format!("{mark} {rule}"));
    }
    lines
}

fn assert_all(format: ImportFormat, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(all(format, text), *expected, "{text}");
    }
}

#[test]
fn what_codex_refuses_is_an_error_here() {
    let known = "Use `pattern`, `decision`, `justification`, `match`, `not_match`.";
    for name in ["decission", "decison", "foo"] {
        let text = format!(
            "prefix_rule(pattern=['ls'])\nprefix_rule(pattern=['git'], {name}='forbidden')"
        );
        let error = format!(
            "These are not rules of Codex: line 2: `prefix_rule` has no argument `{name}`. {known}"
        );
        assert_eq!(all(ImportFormat::Codex, &text), [error]);
    }
    assert_all(
        ImportFormat::Codex,
        &[
            (
                "prefix_rule(pattern=['a'], pattern=['b'])",
                &["These are not rules of Codex: line 1: `prefix_rule` has `pattern` twice."],
            ),
            (
                "network_rule(host='a', protocol='https', decision='allow')\nnetwork_rule(host='b', protocol='https', decision='deny')",
                &[
                    "allow: Read(**)",
                    "Ask",
                    "? network_rule(host='a', protocol='https', decision='allow')",
                    "! network_rule(host='b', protocol='https', decision='deny')",
                ],
            ),
            (
                "network_rule(hosst='a')",
                &[
                    "These are not rules of Codex: line 1: `network_rule` has no argument `hosst`. Use `host`, `protocol`, `decision`, `justification`.",
                ],
            ),
        ],
    );
}

#[test]
fn what_is_not_known_of_gemini_cli_is_reported() {
    let rule = |members: &str| format!("[[rule]]\ndecision = \"allow\"\npriority = 1\n{members}\n");
    for members in [
        "toolName = \"run_shell_command\"\ncomandPrefix = \"git \"",
        "toolName = \"run_shell_command\"\ncommand_prefix = \"git\"",
        "toolName = \"run_shell_command\"\nargsPatern = \"git\"",
    ] {
        let imported = import_rules(ImportFormat::GeminiCli, &rule(members)).unwrap();
        let own = &imported.permissions;
        assert!(
            own.allow.is_empty() || rules(&own.allow) == ["Read(**)"],
            "{members}: {own:?}"
        );
        assert!(
            imported.left_out.iter().any(|left| left.restricts),
            "{members}"
        );
    }
    for members in [
        "toolName = \"*\"\ncommandPrefix = \"git\"",
        "toolName = \"run_shell_command\"\ncommandPrefix = 3",
        "toolName = \"run_shell_command\"\ncommandPrefix = []",
        "toolName = 3",
        "toolName = [\"glob\", 3]",
    ] {
        let imported = import_rules(ImportFormat::GeminiCli, &rule(members)).unwrap();
        assert_eq!(
            rules(&imported.permissions.allow),
            ["Read(**)"],
            "{members}"
        );
        assert_eq!(imported.left_out.len(), 1, "{members}");
    }
    assert_all(
        ImportFormat::GeminiCli,
        &[
            (
                "[[safety_checker]]\ntoolName = \"write_file\"\n",
                &[
                    "allow: Read(**)",
                    "Ask",
                    "! safety_checker = [{ toolName = \"write_file\" }]",
                ],
            ),
            (
                "[[rules]]\ndecision = \"deny\"\n",
                &[
                    "allow: Read(**)",
                    "Ask",
                    "! rules = [{ decision = \"deny\" }]",
                ],
            ),
            (
                "[[rule]]\nmcpName = \"srv\"\ndecision = \"deny\"\n",
                &["deny: mcp__srv__*", "allow: Read(**)", "Ask"],
            ),
        ],
    );
}

#[test]
fn what_is_not_known_of_claude_code_is_reported() {
    assert_all(
        ImportFormat::ClaudeCode,
        &[
            (
                r#"{"permissions": {"alow": ["Bash(ls:*)"], "disableBypassPermissionsMode": "disable", "additionalDirectories": ["../x"]}, "sandbox": {}, "hooks": {}, "model": "x", "frobnicate": 1}"#,
                &[
                    "allow: Read(**)",
                    "Ask",
                    "! permissions.alow",
                    "! permissions.disableBypassPermissionsMode",
                    "? permissions.additionalDirectories",
                    "! sandbox",
                    "! hooks",
                    "! frobnicate",
                ],
            ),
            (
                r#"{"permisions": {"deny": ["Read(.env)"]}}"#,
                &["allow: Read(**)", "Ask", "! permisions"],
            ),
            (r#"{"model": "x"}"#, &["allow: Read(**)", "Ask"]),
            (
                r#"{"deny": ["Read(.env)"], "asks": []}"#,
                &[
                    "deny: Read(.env)",
                    "allow: Read(**)",
                    "Ask",
                    "! permissions.asks",
                ],
            ),
            (
                "[]",
                &["These are not rules of Claude Code: the settings are not an object."],
            ),
            (
                r#"{"deny": ["Edit(/)"]}"#,
                &["allow: Read(**)", "Ask", "! Edit(/)"],
            ),
        ],
    );
}

#[test]
fn no_mode_of_claude_code_allows_everything() {
    for mode in ["plan", "auto", "delegate", "pln", "bypassPermissions"] {
        let text =
            format!(r#"{{"permissions": {{"deny": ["Read(.env)"], "defaultMode": "{mode}"}}}}"#);
        let imported = import_rules(ImportFormat::ClaudeCode, &text).unwrap();
        assert_eq!(
            imported.permissions.default_mode,
            Some(DefaultMode::Ask),
            "{mode}"
        );
        let rule = format!("defaultMode: {mode}");
        assert_eq!(
            left(&imported),
            [(rule.as_str(), mode != "bypassPermissions")]
        );
    }
    assert_all(
        ImportFormat::ClaudeCode,
        &[
            (
                r#"{"defaultMode": 3}"#,
                &["allow: Read(**)", "Ask", "! defaultMode: 3"],
            ),
            (
                r#"{"defaultMode": "dontAsk"}"#,
                &["allow: Read(**)", "Deny"],
            ),
        ],
    );
}

#[test]
fn denials_with_a_star_inside_are_carried_over() {
    assert_all(
        ImportFormat::ClaudeCode,
        &[
            (
                r#"{"deny": ["Bash(git * --force)", "Bash(git push * main)", "Bash(npm pub*)", "Bash(git * main *)"], "ask": ["Bash(git * x:*)"], "allow": ["Bash(git * main)"]}"#,
                &[
                    "deny: Bash(git * --force) | Bash(git push * main) | Bash(npm pub*:*) | Bash(git * main:*)",
                    "ask: Bash(git * x:*)",
                    "allow: Read(**)",
                    "Ask",
                    "? Bash(git * main)",
                ],
            ),
            (
                r#"{"deny": ["Bash(rm*)", "Bash(rm *.db)", "Bash(a* b* c)", "Bash(* rm)"]}"#,
                &[
                    "deny: Bash(rm:*) | Bash(rm *.db)",
                    "allow: Read(**)",
                    "Ask",
                    "! Bash(rm*)",
                    "! Bash(rm *.db)",
                    "! Bash(a* b* c)",
                    "! Bash(* rm)",
                ],
            ),
        ],
    );
    assert_all(
        ImportFormat::OpenCode,
        &[(
            r#"{"bash": {"git * --force": "deny"}}"#,
            &["deny: Bash(git * --force)"],
        )],
    );
}

#[test]
fn a_star_of_opencode_has_exceptions() {
    assert_all(
        ImportFormat::OpenCode,
        &[
            (
                r#"{"permission": {"*": "ask", "bash": "allow", "edit": "deny"}}"#,
                &["deny: Edit", "allow: Bash", "Ask"],
            ),
            (
                r#"{"permission": {"*": "deny", "read": "allow"}}"#,
                &["allow: Read", "Deny"],
            ),
            (r#"{"permission": "allow"}"#, &["allow: *"]),
            (r#"{"permission": "deny"}"#, &["deny: *"]),
            (
                r#"{"permission": {"*": "deny", "bash": {"*": "ask", "ls *": "allow"}}}"#,
                &["allow: Bash(ls:*)", "Deny"],
            ),
            // The later one wins there.
            (
                r#"{"permission": {"bash": "allow", "read": {"a": "allow", "b": "deny"}, "*": "ask"}}"#,
                &["deny: Read(b)", "Ask", "? bash: allow", "? read a: allow"],
            ),
            (
                r#"{"permission": {"edit": "ask", "*": "deny"}}"#,
                &["Deny", "! edit: ask"],
            ),
            (
                r#"{"permission": {"*": "allow", "bash": {"*": "ask", "ls *": "allow"}}}"#,
                &[
                    "allow: Edit | Read | LS | Glob | Grep | WebFetch | WebSearch | Task | Skill | LSP | TodoRead | TodoWrite | Bash(ls:*)",
                    "Ask",
                    "? *: allow",
                ],
            ),
            (
                r#"{"permission": 3}"#,
                &["These are not rules of opencode: `permission` is not an action or an object."],
            ),
        ],
    );
}

#[test]
fn what_opencode_allows_without_a_rule_is_carried_over_or_reported() {
    assert_all(
        ImportFormat::OpenCode,
        &[
            (
                r#"{"permission": {"bash": {"*": "allow", "rm *": "deny"}}}"#,
                &[
                    "deny: Bash(rm:*) | Read(*.env) | Read(*.env.*)",
                    "allow: Bash | Read(**)",
                    "? *",
                ],
            ),
            (r#"{"permission": {"edit": "deny"}}"#, &["deny: Edit"]),
        ],
    );
}

#[test]
fn later_patterns_of_opencode_open_nothing() {
    assert_all(
        ImportFormat::OpenCode,
        &[
            (
                r#"{"*": "ask", "bash": {"git *": "allow", "*": "ask"}}"#,
                &["ask: Bash", "allow: Bash(git:*)", "Ask"],
            ),
            (
                r#"{"*": "ask", "bash": {"rm *": "deny", "*": "ask"}}"#,
                &["deny: Bash(rm:*)", "Ask", "! bash *: ask"],
            ),
            (
                r#"{"*": "ask", "bash": {"*": "deny", "git *": "ask"}}"#,
                &["ask: Bash(git:*)", "Ask", "! bash *: deny"],
            ),
        ],
    );
}

#[test]
fn settings_of_opencode_that_restrict_are_reported() {
    assert_all(
        ImportFormat::OpenCode,
        &[
            (
                r#"{"permission": {"edit": "deny", "external_directory": "allow"}, "agent": {"plan": {"permission": {"bash": "deny"}, "model": "x"}}, "tools": {"write": false, "bash": true}, "model": "x", "frob": 1}"#,
                &[
                    "deny: Edit",
                    "? external_directory: allow",
                    "! agent.plan.permission",
                    "! tools.write: false",
                    "! frob",
                ],
            ),
            (
                r#"{"external_directory": {"~/x/**": "allow", "*": "deny"}}"#,
                &[
                    "? external_directory ~/x/**: allow",
                    "! external_directory *: deny",
                ],
            ),
            (r#"{"model": "x"}"#, &[]),
            (
                "[]",
                &["These are not rules of opencode: the settings are not an object."],
            ),
        ],
    );
}
