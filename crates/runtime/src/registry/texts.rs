//! What is said of tools that are not there and of parameters that are wrong.

use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::{Issue, called_otherwise, nearest};

/// All faults in one sentence each, and as data.
pub(super) fn invalid(tool: &str, issues: &[Issue]) -> ToolError {
    let faults: Vec<String> = issues.iter().map(Issue::sentence).collect();
    let message = format!("Invalid parameters for `{tool}`: {}", faults.join(" "));
    let errors = serde_json::to_value(issues).unwrap_or_default();
    ToolError::new(ErrorCode::InvalidParams, message).with("errors", errors)
}

/// That no tool is called so. `same` is the one that does what this name means elsewhere.
pub(super) fn unknown_tool(name: &str, same: Option<&str>, shown: &[&str]) -> ToolError {
    let known = match shown {
        [] => "No tools are available.".to_owned(),
        names => format!("Available: `{}`.", names.join("`, `")),
    };
    let advice = match (same, nearest(name, shown)) {
        (Some(same), _) => match called_otherwise(name) {
            Some(advice) => format!("Here it is called `{same}`. {advice}"),
            None => format!("Here it is called `{same}`."),
        },
        (None, Some(near)) => format!("Did you mean `{near}`? {known}"),
        (None, None) => known,
    };
    let shown_name: String = name.chars().take(80).collect();
    let message = format!("unknown tool `{shown_name}`. {advice}");
    ToolError::new(ErrorCode::UnknownTool, message).with("tools", shown.to_vec())
}

/// That nothing is exposed, with what keeps the tools out.
pub(super) fn nothing_exposed(rules: impl Iterator<Item = String>) -> String {
    let mut rules: Vec<String> = rules.map(|rule| format!("`{rule}`")).collect();
    rules.sort_unstable();
    rules.dedup();
    let because = match rules.as_slice() {
        [] => String::new(),
        rules => format!(" ({})", rules.join(", ")),
    };
    format!(
        "This toolkit exposes no tools{because}. Check `tools.profile`, `tools.allow` and `tools.deny`."
    )
}
