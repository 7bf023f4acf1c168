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
            "Edit(**)"
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
            vec!["Bash(git status:*)"],
            vec!["Edit"],
            vec!["WebFetch", "Bash(rm:*)"]
        )
    );
    assert_eq!(own.default_mode, Some(DefaultMode::Ask));
    assert_eq!(
        left(&imported),
        [("bash rm tmp *: allow", false), ("doom_loop: ask", true)]
    );
}

#[test]
fn a_star_of_opencode_crosses_directories() {
    let text = r#"{"permission": {"read": {"docs/*": "allow", "b*c/*/d": "allow", "secrets/*": "deny", "a/*/key": "deny", "x*/key": "deny", "*.env": "deny"}}}"#;
    let imported = import_rules(ImportFormat::OpenCode, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.deny), rules(&own.allow)),
        (
            vec![
                "Read(secrets/**)",
                "Read(a/**/key)",
                "Read(x*/key)",
                "Read(*.env)"
            ],
            vec!["Read(docs/**)", "Read(b*c/*/d)"]
        )
    );
    assert_eq!(left(&imported), [("read x*/key: deny", true)]);
}

#[test]
fn gemini_cli() {
    let text = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git status\", \"ls\"]\ndecision = \"allow\"\npriority = 10\n\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\ndenyMessage = \"never\"\npriority = 100\n\n[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"x\"\ndecision = \"ask_user\"\n";
    let imported = import_rules(ImportFormat::GeminiCli, text).unwrap();
    let own = &imported.permissions;
    assert_eq!(
        (rules(&own.allow), rules(&own.deny)),
        (vec!["Bash(git status:*)", "Bash(ls:*)"], vec!["Bash(rm:*)"])
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
            vec!["Bash(ls:*)"],
            vec!["Bash(git push:*)", "Bash(git fetch:*)"]
        )
    );
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
