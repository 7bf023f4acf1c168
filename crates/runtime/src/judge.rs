//! The policy engine over a real workspace: it follows the names that occur in commands.

use std::path::Path;
use std::sync::Arc;

use tenon_contract::{Operation, PathClaim, Visibility};
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

    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
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

/// What the results of one call must leave out.
struct KeptBack {
    judge: Arc<Judge>,
    operation: Operation,
    tool: &'static str,
}

impl Judge {
    /// What the results of a call must leave out; nothing when no rule is about reading files.
    pub(crate) fn visibility(self: &Arc<Self>, call: &Call) -> Option<Arc<dyn Visibility>> {
        let kept = || KeptBack {
            judge: Arc::clone(self),
            operation: call.tool.operation(),
            tool: call.tool.name(),
        };
        self.engine
            .may_hide()
            .then(|| Arc::new(kept()) as Arc<dyn Visibility>)
    }
}

impl Visibility for KeptBack {
    fn hides(&self, file: &PathClaim) -> bool {
        self.judge.engine.hides(self.operation, self.tool, file)
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
