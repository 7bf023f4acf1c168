//! Which tools lists expose, for a toolkit and for hosts that only have names.

use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::operation_named;
use tenon_policy::{Exposure, ExposureLists, Profile};

use crate::options::{ProfileName, ToolOptions, read};

impl ToolOptions {
    /// Reads lists from JSON, for [`ToolOptions::allows`].
    ///
    /// # Errors
    /// Unknown or wrong members, by name.
    pub fn from_json(json: &str) -> Result<Self, ToolError> {
        read(json, "policy")
    }

    /// Whether these lists alone expose the tool of this name, in any dialect's spelling. Names that no dialect has
    /// are those of tools of the host and of MCP servers.
    ///
    /// # Errors
    /// Lists that do not compile.
    pub fn allows(&self, name: &str) -> Result<bool, ToolError> {
        let exposure = Exposure::new(&self.lists(), &operation_named)
            .map_err(|error| ToolError::new(ErrorCode::InvalidParams, error.to_string()))?;
        Ok(exposure.allows(name, &operation_named))
    }

    pub(crate) fn lists(&self) -> ExposureLists {
        let profile = match self.profile {
            Some(ProfileName::Minimal) => Profile::Minimal,
            Some(ProfileName::Coding) => Profile::Coding,
            Some(ProfileName::Messaging) => Profile::Messaging,
            Some(ProfileName::Full) | None => Profile::Full,
        };
        ExposureLists {
            profile,
            allow: self.allow.clone(),
            deny: self.deny.clone(),
            groups: self.groups.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denied_operation_is_denied_under_every_name() {
        let lists = ToolOptions::from_json(r#"{"profile": "coding", "deny": ["exec"]}"#).unwrap();
        let allowed = |name: &str| lists.allows(name).unwrap();
        for name in ["exec", "Bash", "bash", "run_command", "RUN-COMMAND"] {
            assert!(!allowed(name), "{name}");
        }
        assert!(allowed("Read") && allowed("apply_patch") && !allowed("message"));
        let error = ToolOptions::from_json(r#"{"profile": "all"}"#).unwrap_err();
        assert!(
            error.message.starts_with("`policy.profile` cannot be used"),
            "{error}"
        );
        let lists = ToolOptions::from_json(r#"{"deny": ["group:none"]}"#).unwrap();
        assert!(lists.allows("read").is_err());
    }
}
