//! Claude Code: the same three lists in the same order, with `*` for any text in commands and four anchors in paths.

use serde_json::{Map, Value};

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::{DefaultMode, Verdict};

/// Settings that say nothing about what may be done.
const OTHER_SETTINGS: &[&str] = &[
    "$schema",
    "alwaysThinkingEnabled",
    "apiKeyHelper",
    "attribution",
    "autoUpdatesChannel",
    "availableModels",
    "awsAuthRefresh",
    "awsCredentialExport",
    "cleanupPeriodDays",
    "companyAnnouncements",
    "editorMode",
    "effortLevel",
    "enabledPlugins",
    "env",
    "extraKnownMarketplaces",
    "fastMode",
    "feedbackSurveyState",
    "fileSuggestion",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "language",
    "model",
    "modelOverrides",
    "otelHeadersHelper",
    "outputStyle",
    "plansDirectory",
    "prefersReducedMotion",
    "respectGitignore",
    "showTurnDuration",
    "spinnerTipsEnabled",
    "spinnerVerbs",
    "statusLine",
    "teammateMode",
    "terminalProgressBarEnabled",
    "theme",
    "verbose",
];
/// What stands below `permissions`.
const LISTS: &[(&str, Verdict)] = &[
    ("deny", Verdict::Deny),
    ("ask", Verdict::Ask),
    ("allow", Verdict::Allow),
];

pub(super) fn import(settings: &Value) -> Result<Imported, ImportError> {
    let wrong = |problem: &str| ImportError {
        format: "Claude Code",
        problem: problem.to_owned(),
    };
    let Value::Object(settings) = settings else {
        return Err(wrong("the settings are not an object"));
    };
    let mut imported = Imported::default();
    // The object of permissions alone is taken, too.
    let alone = settings
        .keys()
        .any(|name| name == "defaultMode" || LISTS.iter().any(|(list, _)| list == name));
    let nothing = Map::new();
    let permissions = match settings.get("permissions") {
        Some(Value::Object(permissions)) => permissions,
        Some(_) => return Err(wrong("`permissions` is not an object")),
        None if alone => settings,
        None => &nothing,
    };
    for (name, list) in LISTS {
        let rules = match permissions.get(*name) {
            None => continue,
            Some(Value::Array(rules)) => rules,
            Some(_) => return Err(wrong(&format!("`permissions.{name}` is not a list"))),
        };
        for rule in rules {
            match rule.as_str() {
                Some(rule) => take(&mut imported, *list, rule),
                None => {
                    return Err(wrong(&format!(
                        "`permissions.{name}` contains something that is not a string"
                    )));
                }
            }
        }
    }
    take_mode(&mut imported, permissions.get("defaultMode"));
    for name in permissions.keys() {
        report_permission(&mut imported, name);
    }
    if settings.contains_key("permissions") || !alone {
        let others = settings.keys().filter(|name| *name != "permissions");
        others.for_each(|name| report_setting(&mut imported, name));
    }
    imported.reading_is_free();
    Ok(imported)
}

/// What holds where no rule matches. Whatever the mode is, less than there is allowed here.
fn take_mode(imported: &mut Imported, mode: Option<&Value>) {
    imported.permissions.default_mode = Some(DefaultMode::Ask);
    let shown = mode.map(|mode| {
        let text = mode.as_str().map(str::to_owned);
        text.unwrap_or_else(|| mode.to_string())
    });
    let rule = format!("defaultMode: {}", shown.as_deref().unwrap_or_default());
    match shown.as_deref() {
        None | Some("default" | "manual") => {}
        Some("dontAsk") => imported.permissions.default_mode = Some(DefaultMode::Deny),
        Some("bypassPermissions") => imported.leave(
            &rule,
            Verdict::Allow,
            "it allows everything. Write `defaultMode: allow` if you want that",
        ),
        Some("acceptEdits") => imported.take(Verdict::Allow, RuleText::from("Edit(**)")),
        Some("plan") => imported.leave(
            &rule,
            Verdict::Deny,
            "it is a mode of the toolkit here, not one of rules, and was imported as `ask`. Give the toolkit `mode: 'plan'`",
        ),
        Some(_) => imported.leave(
            &rule,
            Verdict::Ask,
            "this mode is not supported; it was imported as `ask`",
        ),
    }
}

/// Reports what stands beside the lists.
fn report_permission(imported: &mut Imported, name: &str) {
    let rule = format!("permissions.{name}");
    match name {
        "defaultMode" => {}
        _ if LISTS.iter().any(|(list, _)| *list == name) => {}
        "additionalDirectories" => imported.leave(
            &rule,
            Verdict::Allow,
            "directories are an option of the toolkit. Write them in `additionalDirectories`",
        ),
        "disableBypassPermissionsMode" | "disableAutoMode" => imported.leave(
            &rule,
            Verdict::Deny,
            "a mode is what the host sets here. Do not set the mode that it forbids",
        ),
        _ => imported.leave(
            &rule,
            Verdict::Deny,
            "this setting is not known. Compare its spelling with `allow`, `ask`, `deny` and `defaultMode`",
        ),
    }
}

/// Reports a setting beside `permissions`, unless it says nothing about what may be done.
fn report_setting(imported: &mut Imported, name: &str) {
    let why = match name {
        _ if OTHER_SETTINGS.contains(&name) => return,
        "hooks" => "hooks are not rules. Take them over with `importHooks('claude-code', text)`",
        "sandbox" => {
            "the sandbox is an option of commands here, not a rule. Set it in the options of the toolkit"
        }
        "permission" | "permisions" | "permissons" => "it is not `permissions`. Correct its name",
        _ => {
            "this setting is not known, and may restrict something. Write a rule for it if it does"
        }
    };
    imported.leave(name, Verdict::Deny, why);
}

fn take(imported: &mut Imported, list: Verdict, rule: &str) {
    let (tool, specifier) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')')),
        None => (rule, None),
    };
    match (tool, specifier) {
        ("Bash", Some(pattern)) if pattern != "*" => imported.take_starred(list, rule, pattern),
        (
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "LS",
            Some(pattern),
        ) => {
            take_path(imported, list, rule, tool, pattern);
        }
        ("WebFetch", Some(pattern)) if !pattern.starts_with("domain:") => {
            imported.leave(rule, list, "only `domain:` is supported in web rules")
        }
        ("Agent" | "Task", Some(name)) if is_name(name) => {
            imported.take(list, RuleText::from(format!("Task({name})").as_str()));
        }
        // What follows the name there are the arguments of the skill; here it has none.
        ("Skill", Some(name)) if is_name(name.trim_end_matches(" *")) => {
            let name = name.trim_end_matches(" *");
            imported.take(list, RuleText::from(format!("Skill({name})").as_str()));
        }
        ("Agent" | "Task" | "Skill" | "SlashCommand", Some(_)) => imported.leave(
            rule,
            list,
            "patterns for agents and skills are a name, or the start of one with a `*`; commands are not supported",
        ),
        ("Agent", None) => imported.take(list, RuleText::from("Task")),
        (_, Some("*")) => imported.take(list, RuleText::from(tool)),
        _ => imported.take(list, RuleText::from(rule)),
    }
}

/// Whether a pattern is a name alone.
fn is_name(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.contains(['*', ':', ' '])
}

/// `//abs`, `~/home`, `/` below the project, else below the current directory.
fn take_path(imported: &mut Imported, list: Verdict, rule: &str, tool: &str, pattern: &str) {
    let tool = if tool == "MultiEdit" { "Edit" } else { tool };
    if pattern.starts_with('~') {
        return imported.leave(rule, list, "`~` is not expanded. Write the absolute path");
    }
    let path = match pattern.strip_prefix("//") {
        Some(absolute) => format!("/{absolute}"),
        None => pattern
            .trim_start_matches("./")
            .trim_start_matches('/')
            .to_owned(),
    };
    if path.is_empty() {
        return imported.leave(
            rule,
            list,
            "it does not name a path. Write `**` for all of the workspace",
        );
    }
    // A bare name holds at any depth there, for every list.
    let path = if list == Verdict::Allow && !pattern.contains('/') && path != "**" && path != "*" {
        format!("**/{path}")
    } else {
        path
    };
    if path.split('/').any(|part| part == "..") || path.starts_with('!') {
        return imported.leave(
            rule,
            list,
            "`..` and `!` are not supported. Write the path without them",
        );
    }
    imported.take(
        list,
        RuleText {
            rule: format!("{tool}({path})"),
            ..RuleText::default()
        },
    );
}
