//! The policy engine over a real workspace: it follows the names that occur in commands.

use std::path::Path;

use tenon_policy::{Decision, Engine, PathResolver, Question, Resolved};
use tenon_workspace::{FileKind, Workspace};

use crate::service::Call;

/// Judges calls.
pub(crate) struct Judge {
    engine: Engine,
    workspace: Workspace,
}

impl Judge {
    pub(crate) fn new(engine: Engine, workspace: Workspace) -> Self {
        Self { engine, workspace }
    }

    /// What holds for a call, as things are now.
    pub(crate) fn decide(&self, call: &Call) -> Decision {
        let question = Question {
            operation: call.tool.operation(),
            effect: call.prepared.effect(),
            tool: call.tool.name(),
            access: call.prepared.access(),
        };
        self.engine.decide(&question, self)
    }
}

impl PathResolver for Judge {
    fn resolve(&self, folder: &Path, path: &str) -> Resolved {
        // `join` keeps `..` and links as they are; the workspace follows them as the system would.
        let joined = folder.join(path);
        let Some(text) = joined.to_str().filter(|_| !path.is_empty()) else {
            return Resolved::Outside;
        };
        match self.workspace.locate(text) {
            Ok(located) => Resolved::Inside {
                claim: located.claim().clone(),
                is_folder: located
                    .metadata()
                    .is_ok_and(|metadata| metadata.kind == FileKind::Folder),
            },
            Err(_) => Resolved::Outside,
        }
    }
}
