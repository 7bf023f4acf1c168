//! Tools that come and go while a toolkit is in use.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tenon_contract::ToolError;
use tenon_dialects::SentParams;

use crate::Toolkit;
use crate::catalog::CatalogEntry;
use crate::foreign::ForeignRunner;
use crate::foreign::{ForeignDefinition, ForeignTool};

/// What became of a registration.
#[derive(Debug, Clone, Serialize)]
pub struct Registered {
    /// The tool as hosts see it; nothing when this agent may not see it.
    pub entry: Option<CatalogEntry>,
    /// A tool of the same name was there and is replaced.
    pub replaced: bool,
    /// What is odd about it, a sentence each.
    pub notices: Vec<String>,
}

impl Toolkit {
    /// Takes a tool of the host in, in the place of one of the same name.
    ///
    /// # Errors
    /// A name that model providers refuse, a schema or effects that cannot be worked with.
    pub fn register(
        &self,
        definition: ForeignDefinition,
        runner: Arc<dyn ForeignRunner>,
    ) -> Result<Registered, ToolError> {
        let registry = self.registry();
        let tool = ForeignTool::new(definition, registry.dialect(), self.workspace(), runner)?;
        let notices = tool.notices().to_vec();
        self.notice(&notices);
        let (tool, replaced) = registry.enter(tool);
        if registry.shown(&tool).is_some() {
            let name = vec![tool.name().to_owned()];
            let (added, changed) = if replaced {
                (Vec::new(), name)
            } else {
                (name, Vec::new())
            };
            self.tools_changed(added, Vec::new(), changed);
        }
        Ok(Registered {
            entry: registry.shown(&tool),
            replaced,
            notices,
        })
    }

    /// Takes a tool out, no matter who brought it. Whether there was one. Calls that run go on.
    #[must_use]
    pub fn unregister(&self, tool: &str) -> bool {
        let is_gone = self.registry().remove(tool);
        if is_gone {
            self.tools_changed(Vec::new(), vec![tool.to_owned()], Vec::new());
        }
        is_gone
    }

    /// The parameters of a call in the spelling of the tool. Those that the host checks itself are not checked.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub fn repair(&self, tool: &str, params: impl Into<SentParams>) -> Result<Value, ToolError> {
        let tool = self.registry().find(tool)?;
        Ok(tool.repaired(params.into())?.wire)
    }
}
