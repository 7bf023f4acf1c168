//! Names of tools in the files of other platforms.

use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::{PLATFORMS, platform_named};

/// What does on a platform what each tool of the cross-platform vocabulary does, as an object; `inverse`: what each name
/// of the platform is called in the vocabulary.
///
/// # Errors
/// A platform that is not known, with those that are.
pub fn platform_names(platform: &str, inverse: bool) -> Result<Value, ToolError> {
    let Some(found) = platform_named(platform) else {
        let known: Vec<&str> = PLATFORMS.iter().map(|known| known.name).collect();
        let shown: String = platform.chars().take(80).collect();
        let message = format!(
            "Unknown platform `{shown}`. Available: `{}`.",
            known.join("`, `")
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("platforms", known));
    };
    let names = if inverse {
        found.tools.to_vec()
    } else {
        found.by_canonical()
    };
    Ok(names
        .into_iter()
        .map(|(name, meant)| (name.to_owned(), Value::from(meant)))
        .collect::<Map<_, _>>()
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_one_of_the_vocabulary() {
        let names = platform_names("opencode", true).unwrap();
        assert_eq!(
            (&names["bash"], &names["webfetch"]),
            (&"Bash".into(), &"WebFetch".into())
        );
        let error = platform_names("emacs", true).unwrap_err();
        assert_eq!(
            error.message,
            "Unknown platform `emacs`. Available: `claude-code`, `opencode`, `vscode`."
        );
    }

    #[test]
    fn every_tool_of_the_vocabulary_leads_to_what_does_it_on_the_platform() {
        let name =
            |platform: &str, tool: &str| platform_names(platform, false).unwrap()[tool].clone();
        assert_eq!(name("opencode", "Bash"), "opencode.system.exec()");
        assert_eq!(name("vscode", "Edit"), "vscode.TextEdit + applyEdit()");
        assert_eq!(name("vscode", "WebFetch"), Value::Null);
        assert_eq!(name("claude-code", "Edit"), "Edit");
    }
}
