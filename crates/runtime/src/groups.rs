//! Groups and names of tools, for hosts that keep lists of their own.

use serde_json::{Map, Value};
use tenon_contract::Operation;
use tenon_dialects::DialectId;
use tenon_policy::group_names;

/// The built-in groups that have tools: `group:fs` to the names of its tools, as the `agent` vocabulary spells them.
#[must_use]
pub fn tool_groups() -> Value {
    let groups = group_names().into_iter().filter_map(|group| {
        let members: Vec<Value> = Operation::ALL
            .iter()
            .filter(|operation| operation.group().name() == group && is_offered(**operation))
            .map(|operation| agent_name(*operation).into())
            .collect();
        (!members.is_empty()).then(|| (format!("group:{group}"), members.into()))
    });
    groups.collect::<Map<_, _>>().into()
}

/// A name of a tool, in any usual spelling, as the `agent` vocabulary spells it. A name that no vocabulary has is
/// returned in lower case.
#[must_use]
pub fn tool_name(name: &str) -> String {
    let name = name.trim();
    match DialectId::Agent.dialect().operation_named(name) {
        Some(operation) if operation != Operation::Foreign => agent_name(operation).to_owned(),
        _ => name.to_lowercase(),
    }
}

/// Whether any vocabulary has a tool for it.
fn is_offered(operation: Operation) -> bool {
    let mut bindings = DialectId::ALL
        .iter()
        .flat_map(|dialect| dialect.dialect().tools);
    bindings.any(|binding| binding.operation == operation)
}

fn agent_name(operation: Operation) -> &'static str {
    let tools = DialectId::Agent.dialect().tools;
    let own = tools.iter().find(|binding| binding.operation == operation);
    own.map_or_else(|| operation.name(), |binding| binding.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_list_the_tools_of_the_agent_vocabulary() {
        let groups = tool_groups();
        assert_eq!(
            groups["group:runtime"],
            serde_json::json!(["exec", "process", "run_tests"])
        );
        assert!(
            groups.get("group:foreign").is_none(),
            "no tool is of the host"
        );
    }

    #[test]
    fn a_name_is_returned_as_the_agent_vocabulary_spells_it() {
        let names = [
            ("Bash", "exec"),
            (" apply-patch ", "apply_patch"),
            ("Glob", "find"),
            ("MyTool", "mytool"),
            ("", ""),
        ];
        for (given, expected) in names {
            assert_eq!(tool_name(given), expected, "{given}");
        }
    }
}
