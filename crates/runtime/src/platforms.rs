//! Names of tools in the files of other platforms.

use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::{PLATFORMS, platform_named};

/// What each name of a platform is called in the cross-platform vocabulary, as an object.
///
/// # Errors
/// A platform that is not known, with those that are.
pub fn platform_names(platform: &str) -> Result<Value, ToolError> {
    let Some(found) = platform_named(platform) else {
        let known: Vec<&str> = PLATFORMS.iter().map(|known| known.name).collect();
        let shown: String = platform.chars().take(80).collect();
        let message = format!(
            "Unknown platform `{shown}`. Available: `{}`.",
            known.join("`, `")
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("platforms", known));
    };
    let names = found.tools.iter();
    Ok(names
        .map(|(name, canonical)| ((*name).to_owned(), Value::from(*canonical)))
        .collect::<Map<_, _>>()
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_to_one_of_the_vocabulary() {
        let names = platform_names("opencode").unwrap();
        assert_eq!(
            (&names["bash"], &names["webfetch"]),
            (&"Bash".into(), &"WebFetch".into())
        );
        let error = platform_names("emacs").unwrap_err();
        assert_eq!(
            error.message,
            "Unknown platform `emacs`. Available: `claude-code`, `opencode`, `vscode`."
        );
    }
}
