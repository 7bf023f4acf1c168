//! The operations in the vocabulary `agent`, whatever the dialect of the toolkit: tools that providers trained their models on, and
//! protocols that bring requests of their own, are mapped onto these.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use tenon_contract::Operation;
use tenon_dialects::{DialectId, ShownTool};

use super::{RegisteredTool, Registry, Tools};
use crate::options::ToolOptions;
use crate::selection::{Row, Selection};

/// What the names of these tools begin with. No tool of a dialect or of a host can have such a name.
pub(super) const NATIVE: char = '@';

/// The name of a tool as people read it.
pub(crate) fn plain(name: &str) -> &str {
    name.strip_prefix(NATIVE).unwrap_or(name)
}

/// Made when the first of them is wanted.
pub(super) struct Native {
    operations: Tools,
    tools: OnceLock<HashMap<&'static str, Arc<RegisteredTool>>>,
}

impl Native {
    pub(super) fn new(operations: &Tools) -> Self {
        Self {
            operations: operations.clone(),
            tools: OnceLock::new(),
        }
    }
}

impl Registry {
    /// The tool that the vocabulary `agent` knows by this name, if this agent may use its operation.
    pub(super) fn native(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let tools = self.native.tools.get_or_init(|| self.native_tools());
        let tool = tools.get(name)?.clone();
        let may = !self.was_removed(tool.operation()) && self.refusal(&tool).is_none();
        may.then_some(tool)
    }

    fn native_tools(&self) -> HashMap<&'static str, Arc<RegisteredTool>> {
        let dialect = DialectId::Agent.dialect();
        let operations = &self.native.operations;
        let is_there = |row: &Row| operations.contains_key(&row.binding.operation);
        // Without names to add there are none that could mean nothing.
        let selection = Selection::new(dialect, None, &ToolOptions::default()).unwrap_or_default();
        let exposed = selection.exposed(&self.exposure, self.agents.clone(), is_there);
        let exposed = Arc::new(exposed);
        let rows = selection.rows().iter();
        rows.filter_map(|row| {
            let tool = RegisteredTool::Bound {
                shown: ShownTool::new(row.binding, exposed.clone()),
                is_added: row.is_added,
                tool: operations.get(&row.binding.operation)?.clone(),
            };
            Some((row.binding.name, Arc::new(tool)))
        })
        .collect()
    }

    /// Whether the host has taken an operation out that the dialect has.
    fn was_removed(&self, operation: Operation) -> bool {
        let had = |row: &Row| row.binding.operation == operation;
        let mut rows = self.selection.rows().iter();
        rows.any(had)
            && !self.read().values().any(|tool| match tool.as_ref() {
                RegisteredTool::Bound { shown, .. } => shown.binding().operation == operation,
                RegisteredTool::Foreign(_) => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{CallRequest, HostCallbacks, Options, Toolkit};

    fn toolkit(more: &Value) -> (tempfile::TempDir, Toolkit) {
        let directory = tempfile::tempdir().unwrap();
        let mut options = json!({ "workspace": directory.path() });
        let members = options.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let options = Options::from_json(&options.to_string()).unwrap();
        (
            directory,
            Toolkit::new(options, HostCallbacks::default()).unwrap(),
        )
    }

    #[tokio::test]
    async fn every_dialect_runs_the_operations_that_providers_name() {
        for dialect in ["agent", "canonical", "coder", "manager", "acp"] {
            let (directory, toolkit) = toolkit(&json!({ "dialect": dialect }));
            let params = json!({ "file_path": "a.txt", "content": "one\n" });
            let call = CallRequest::new("@write", params);
            toolkit.call(call).await.unwrap();
            let written = std::fs::read_to_string(directory.path().join("a.txt")).unwrap();
            assert_eq!(written, "one\n", "{dialect}");
            let names: Vec<String> = toolkit.history().into_iter().map(|it| it.tool).collect();
            assert_eq!(names, ["write"], "{dialect}");
        }
    }

    #[tokio::test]
    async fn rules_and_lists_hold_for_them() {
        let (directory, denied) = toolkit(&json!({
            "dialect": "canonical",
            "permissions": { "deny": ["Write(secret/**)"] },
        }));
        let params = json!({ "file_path": "secret/a", "content": "x" });
        let error = denied.call(CallRequest::new("@write", params)).await;
        assert_eq!(
            error.unwrap_err().code,
            tenon_contract::ErrorCode::PolicyDenied
        );
        assert!(!directory.path().join("secret").exists());

        let (_directory, hidden) = toolkit(&json!({
            "dialect": "canonical",
            "tools": { "deny": ["Bash"] },
        }));
        let call = CallRequest::new("@exec", json!({ "command": "true" }));
        let error = hidden.call(call).await.unwrap_err();
        assert_eq!(error.code, tenon_contract::ErrorCode::UnknownTool);
        assert!(!hidden.validate("@exec", json!({})).valid);

        let (_directory, removed) = toolkit(&json!({ "dialect": "canonical" }));
        assert!(removed.unregister("Bash"));
        let call = CallRequest::new("@exec", json!({ "command": "true" }));
        let error = removed.call(call).await.unwrap_err();
        assert_eq!(error.code, tenon_contract::ErrorCode::UnknownTool);
    }
}
