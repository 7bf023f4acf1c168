//! What the operations on files share in one session.

use tenon_workspace::{Journal, Ledger, Workspace};

use crate::anchors::ShownFiles;

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
    /// What the session was shown with anchors.
    pub anchors: ShownFiles,
}

/// What a change has to keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditRules {
    /// Whether an existing file is only changed after the session has read it. Default: no.
    pub require_read: bool,
    /// A change after which a file parses less well than before. Default: a warning.
    pub syntax: Strictness,
    /// A new line such as `// ... existing code ...` where text is gone. Default: a warning.
    pub placeholders: Strictness,
}

impl Default for EditRules {
    fn default() -> Self {
        Self {
            require_read: false,
            syntax: Strictness::Warn,
            placeholders: Strictness::Warn,
        }
    }
}

/// What becomes of a change that looks wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// It is made, and nobody looks.
    Off,
    /// It is made, and the answer says what looks wrong.
    Warn,
    /// It is refused, and nothing is written.
    Refuse,
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
            anchors: ShownFiles::default(),
        }
    }
}
