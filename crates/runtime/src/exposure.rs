//! Which tools lists expose, for a toolkit and for hosts that only have names.

use std::collections::BTreeMap;

use tenon_contract::{ErrorCode, ToolError};
use tenon_dialects::{Dialect, operation_named};
use tenon_policy::{Exposure, ExposureLists, Profile, UnknownName, group_names};

use crate::faults::read;
use crate::options::{ProfileName, ToolOptions};

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

    /// Only these tools, or groups.
    pub(crate) fn only(names: &[String]) -> Self {
        Self {
            // Nothing at all is a list too, where an empty one would mean everything.
            profile: names.is_empty().then_some(ProfileName::Minimal),
            allow: names.to_vec(),
            ..Self::default()
        }
    }

    /// The groups by their bare names: `group:mine` defines what `mine` does.
    fn groups_by_name(&self) -> BTreeMap<String, Vec<String>> {
        const PREFIX: &str = "group:";
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, members) in &self.groups {
            let bare = match name.split_at_checked(PREFIX.len()) {
                Some((start, bare)) if start.eq_ignore_ascii_case(PREFIX) => bare,
                _ => name.as_str(),
            };
            groups
                .entry(bare.to_owned())
                .or_default()
                .extend(members.iter().cloned());
        }
        groups
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
            groups: self.groups_by_name(),
        }
    }
}

/// What is said of names in lists that no tool has: a tool that was to be denied would still be there.
pub(crate) fn unknown_names(exposure: &Exposure, own: &[String], dialect: &Dialect) -> Vec<String> {
    let reported = |unknown: UnknownName<'_>| {
        let UnknownName { list, entry, name } = unknown;
        let place = if entry == name {
            format!("`{name}` in `tools.{list}`")
        } else {
            format!("`{name}` of `{entry}` in `tools.{list}`")
        };
        let group = group_names().into_iter().find(|group| *group == name);
        let meant = match group {
            Some(group) => format!("Did you mean `group:{group}`?"),
            None => match dialect.nearest_name(name) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => "Write the name of a tool in any dialect, or `group:name`.".to_owned(),
            },
        };
        format!(
            "{place} is not the name of a known tool, so it has no effect unless such a tool is registered. {meant} \
             List tools that you register later in `customTools`."
        )
    };
    exposure.unknown(own).map(reported).collect()
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
        assert_eq!(
            error.message,
            "`profile` must be `minimal`, `coding`, `messaging` or `full`, not `all`."
        );
        let lists = ToolOptions::from_json(r#"{"deny": ["group:none"]}"#).unwrap();
        assert!(lists.allows("read").is_err());
    }
}
