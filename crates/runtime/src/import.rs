//! Rules of other agents, ready for the options of a toolkit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::operation_named;
use tenon_policy::{
    DefaultMode, ImportFormat, LeftOut, Permissions, RuleSet, RuleText, Verdict, import_rules,
};

/// Whose rules they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleFormat {
    /// `settings.json` of Claude Code.
    ClaudeCode,
    /// `opencode.json`.
    Opencode,
    /// Policy files of gemini-cli (TOML).
    GeminiCli,
    /// Rule files of Codex.
    Codex,
}

/// Rules that were carried over, and what could not be.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedRules {
    /// For `options.permissions`: `{deny, ask, allow, defaultMode}`. Every rule in it compiles.
    pub permissions: Value,
    /// What was left out or carried over narrower, each with the reason.
    pub report: Vec<LeftOut>,
}

/// Reads the rules of another agent. Nothing is widened: a rule that says more than ours can is carried over narrower
/// or not at all, and the report says so.
///
/// # Errors
/// A text that is no rule file of this format.
pub fn import_permissions(format: RuleFormat, text: &str) -> Result<ImportedRules, ToolError> {
    let format = match format {
        RuleFormat::ClaudeCode => ImportFormat::ClaudeCode,
        RuleFormat::Opencode => ImportFormat::OpenCode,
        RuleFormat::GeminiCli => ImportFormat::GeminiCli,
        RuleFormat::Codex => ImportFormat::Codex,
    };
    let imported = import_rules(format, text)
        .map_err(|error| ToolError::new(ErrorCode::Syntax, error.to_string()))?;
    let mut report = imported.left_out;
    let own = imported.permissions;
    let mut permissions = Map::new();
    for (list, rules) in [
        (Verdict::Deny, own.deny),
        (Verdict::Ask, own.ask),
        (Verdict::Allow, own.allow),
    ] {
        let kept: Vec<Value> = rules
            .into_iter()
            .filter_map(|rule| usable(list, rule, &mut report))
            .map(written)
            .collect();
        if !kept.is_empty() {
            permissions.insert(list.name().to_owned(), kept.into());
        }
    }
    let mode = match own.default_mode {
        Some(DefaultMode::Allow) => Some(Verdict::Allow),
        Some(DefaultMode::Ask) => Some(Verdict::Ask),
        Some(DefaultMode::Deny) => Some(Verdict::Deny),
        Some(DefaultMode::AskIfDangerous) | None => None,
    };
    if let Some(mode) = mode {
        permissions.insert("defaultMode".into(), mode.name().into());
    }
    Ok(ImportedRules {
        permissions: permissions.into(),
        report,
    })
}

/// The rule as it compiles here, if need be without its examples.
fn usable(list: Verdict, rule: RuleText, report: &mut Vec<LeftOut>) -> Option<RuleText> {
    let Err(fault) = compiles(list, &rule) else {
        return Some(rule);
    };
    let mut report = |why: String| {
        report.push(LeftOut {
            rule: rule.rule.clone(),
            why,
            restricts: list != Verdict::Allow,
        });
    };
    let bare = RuleText {
        matches: Vec::new(),
        no_matches: Vec::new(),
        ..rule.clone()
    };
    if compiles(list, &bare).is_ok() {
        report(format!(
            "its examples do not hold here, so it was imported without them: {fault}"
        ));
        return Some(bare);
    }
    report(format!("it is not a rule here: {fault}"));
    None
}

fn compiles(list: Verdict, rule: &RuleText) -> Result<(), String> {
    let mut permissions = Permissions::default();
    match list {
        Verdict::Deny => permissions.deny.push(rule.clone()),
        Verdict::Ask => permissions.ask.push(rule.clone()),
        Verdict::Allow => permissions.allow.push(rule.clone()),
    }
    match RuleSet::new(&permissions, &operation_named) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors
            .into_iter()
            .map(|error| error.problem)
            .collect::<Vec<_>>()
            .join("; ")),
    }
}

/// A rule as options take it: a text where that says it all.
fn written(rule: RuleText) -> Value {
    if rule == RuleText::from(rule.rule.as_str()) {
        return rule.rule.into();
    }
    let mut object = Map::from_iter([("rule".to_owned(), Value::from(rule.rule))]);
    let members = [
        ("because", rule.because.map(Value::from)),
        (
            "match",
            (!rule.matches.is_empty()).then(|| rule.matches.into()),
        ),
        (
            "noMatch",
            (!rule.no_matches.is_empty()).then(|| rule.no_matches.into()),
        ),
    ];
    for (name, value) in members {
        object.extend(value.map(|value| (name.to_owned(), value)));
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HostCallbacks, Options, Toolkit};
    use serde_json::json;

    #[test]
    fn what_is_imported_can_be_used_as_options() {
        let texts = [
            (
                RuleFormat::ClaudeCode,
                r#"{"permissions": {"allow": ["Bash(npm test:*)", "KillShell", "SlashCommand(/x)", "Frobnicate", "mcp__a__b"], "deny": ["Read(a[b)", "Bash(rm:* x)"]}}"#,
            ),
            (
                RuleFormat::Opencode,
                r#"{"permission": {"bash": {"git *": "allow"}, "edit": "deny"}}"#,
            ),
            (
                RuleFormat::GeminiCli,
                "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"ls\"\ndecision = \"allow\"\n",
            ),
            (
                RuleFormat::Codex,
                "prefix_rule(pattern = ['ls'], match = ['cat'], justification = 'looks')",
            ),
        ];
        let directory = tempfile::tempdir().unwrap();
        let mut reported = Vec::new();
        for (format, text) in texts {
            let imported = import_permissions(format, text).unwrap();
            let options =
                json!({ "workspace": directory.path(), "permissions": imported.permissions });
            let options = Options::from_json(&options.to_string()).unwrap();
            Toolkit::new(options, HostCallbacks::default()).unwrap();
            let report: Vec<_> = imported
                .report
                .iter()
                .map(|left| (left.rule.clone(), left.restricts))
                .collect();
            reported.push((imported.permissions, report));
        }
        let left = |list: &[(&str, bool)]| {
            let owned = list
                .iter()
                .map(|(rule, strict)| ((*rule).to_owned(), *strict));
            owned.collect::<Vec<_>>()
        };
        assert_eq!(
            reported,
            [
                (
                    json!({ "allow": ["Bash(npm test:*)", "KillShell", "mcp__a__b", "Read(**)"], "defaultMode": "ask" }),
                    left(&[
                        ("Bash(rm:* x)", true),
                        ("SlashCommand(/x)", false),
                        ("Read(a[b)", true),
                        ("Frobnicate", false)
                    ])
                ),
                (
                    json!({ "deny": ["Edit", "Read(*.env)", "Read(*.env.*)"], "allow": ["Bash(git:*)", "Read(**)"] }),
                    left(&[("*", false)])
                ),
                (
                    json!({ "allow": ["Bash(ls:*)", "Read(**)"], "defaultMode": "ask" }),
                    left(&[])
                ),
                (
                    json!({ "allow": [{ "rule": "Bash(ls:*)", "because": "looks" }, "Read(**)"], "defaultMode": "ask" }),
                    left(&[("Bash(ls:*)", false)])
                ),
            ]
        );
    }
}
