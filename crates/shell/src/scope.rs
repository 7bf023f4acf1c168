//! Parts of a text whose commands run under other conditions than those around them.

/// The number of a [`Scope`] in [`Script::scopes`](crate::Script::scopes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub(crate) usize);

impl ScopeId {
    /// The whole text.
    pub const ROOT: Self = Self(0);

    /// The index in [`Script::scopes`](crate::Script::scopes).
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// A part of the text whose commands run under other conditions than those around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// What makes it a scope.
    pub kind: ScopeKind,
    /// The scope around it; `None` for the whole text.
    pub parent: Option<ScopeId>,
    /// Offset of its first byte.
    pub start: usize,
}

/// What makes a part of a text a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeKind {
    /// The whole text.
    Script,
    /// A list before `&`.
    Background,
    /// A member of a pipeline of several commands.
    PipelineElement,
    /// The right side of `&&` or `||`, a branch of `if`, an item of `case`.
    Branch,
    /// Condition and body of `while` and `until`, body of `for` and `select`.
    Loop,
    /// `( … )`
    Subshell,
    /// The body of a function of this name. It runs when the name is called, perhaps never.
    FunctionBody(String),
    /// `$( … )` or backticks.
    CommandSubstitution,
    /// `<( … )` or `>( … )`.
    ProcessSubstitution,
    /// What `coproc` starts.
    Coprocess,
    /// No difference; removed before a script is handed out.
    #[doc(hidden)]
    Plain,
}

impl ScopeKind {
    /// Whether the commands inside run in a process of their own, so that `cd`, assignments and definitions do not
    /// reach what follows. The last member of a pipeline counts as one (bash's `lastpipe` gives a [`Mark`](crate::Mark)).
    #[must_use]
    pub fn is_separate_process(&self) -> bool {
        matches!(
            self,
            Self::Background
                | Self::PipelineElement
                | Self::Subshell
                | Self::CommandSubstitution
                | Self::ProcessSubstitution
                | Self::Coprocess
        )
    }

    /// Whether the commands inside may not run at all.
    #[must_use]
    pub fn may_be_skipped(&self) -> bool {
        matches!(self, Self::Branch | Self::Loop | Self::FunctionBody(_))
    }

    /// Whether the commands inside may run several times, so that a later one can come before an earlier one.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        matches!(self, Self::Loop | Self::FunctionBody(_))
    }
}
