//! What the operations on files share in one session.

use tenon_workspace::{Journal, Ledger, Workspace};

/// The files of one session, what it knows of them, and the rules of changing them. Clones share it.
#[derive(Debug, Clone)]
pub struct FileSession {
    /// Where the files are.
    pub workspace: Workspace,
    /// What was changed, and the way back.
    pub journal: Journal,
    /// What the session knows of files.
    pub ledger: Ledger,
    /// What a change has to keep to.
    pub rules: EditRules,
}

/// What a change has to keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EditRules {
    /// Whether an existing file is only changed after the session has read it. Default: no.
    pub require_read: bool,
}

impl FileSession {
    /// A session that knows no file yet.
    #[must_use]
    pub fn new(workspace: Workspace, journal: Journal, rules: EditRules) -> Self {
        Self {
            workspace,
            journal,
            ledger: Ledger::default(),
            rules,
        }
    }
}
