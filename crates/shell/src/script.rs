use crate::{Assignment, Command, Evaluated, Redirection, ShellGrammar, Span, Word};

/// Everything that a text makes a shell do, as far as the text says.
///
/// The findings stand in the order in which the shell comes to them: what is inside the words of a command before
/// the command, the redirections of a compound command before its body, both sides of a branch one after the other.
/// Their [scopes](Scope) tell which of them run in another process, perhaps not at all, or again and again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The reading that gave these findings.
    pub dialect: ShellGrammar,
    /// Whether the other dialects find the same, but for marks of [`MarkKind::DelayedCode`], which only bash has: the
    /// reader came to no place where it had to know the shell. `false` says nothing.
    pub reads_alike: bool,
    /// The findings in order of evaluation.
    pub findings: Vec<Finding>,
    /// The scopes; the first is the text itself, and a parent comes before its children.
    pub scopes: Vec<Scope>,
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The scope in which it stands.
    pub scope: ScopeId,
    /// What it is.
    pub kind: FindingKind,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingKind {
    /// A simple command.
    Command(Command),
    /// An assignment outside of a simple command: `${x:=…}`, `for`, `select`, `{name}>`, arithmetic, `coproc NAME`.
    Assignment(Box<Assignment>),
    /// A redirection of a compound command.
    Redirection(Box<Redirection>),
    /// A function definition. Its body follows in a scope of kind [`ScopeKind::FunctionBody`].
    Function(Function),
    /// `[[ … ]]`.
    Conditional(Conditional),
    /// The word and the patterns of a `case`.
    Case(Box<Case>),
    /// An arithmetic expression: `((…))`, `$((…))`, `$[…]`, `for ((…))`.
    Arithmetic(Span),
    /// A text that bash evaluates: an arithmetic expression, a subscript, the name behind `${!`.
    Evaluated(Box<Evaluated>),
    /// Something that makes the rest of the text, or its words, mean something else than they say.
    Mark(Mark),
}

impl FindingKind {
    /// The assignments of a simple command, or the one that was found by itself.
    #[must_use]
    pub fn assignments(&self) -> &[Assignment] {
        match self {
            Self::Command(command) => &command.assignments,
            Self::Assignment(assignment) => std::slice::from_ref(assignment),
            _ => &[],
        }
    }
}

/// A function definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Where the name stands.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// The words of `[[ … ]]`, operators included, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditional {
    /// From `[[` to `]]`.
    pub span: Span,
    /// Operands and operators such as `-f` and `==`; without `!`, `&&`, `||`, parentheses.
    pub words: Vec<Word>,
}

/// The head of a `case` and its patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// From `case` to the end of the word.
    pub span: Span,
    /// The word that is compared.
    pub subject: Word,
    /// The patterns of all items.
    pub patterns: Vec<Word>,
}

/// A place after which the findings may not be the whole truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: MarkKind,
}

/// Why a text may mean something else than it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkKind {
    /// `alias` defines names that replace words of later lines; `None` for a name that is not literal.
    Alias(Option<String>),
    /// `set` or `shopt` changes how later lines are read; the option, or `None` when it is not literal.
    Option(Option<String>),
    /// A variable is set that changes how later lines are read, such as `POSIXLY_CORRECT`.
    Variable(String),
    /// Quoted text with a substitution in it, in a text that evaluates values of variables as arithmetic or as
    /// names: bash can run what stands in the quotes (`x='a[$(id)]'; echo $((x))`).
    DelayedCode,
}

/// The number of a [`Scope`] in [`Script::scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub(crate) usize);

impl ScopeId {
    /// The whole text.
    pub const ROOT: Self = Self(0);

    /// The index in [`Script::scopes`].
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
    /// reach what follows. The last member of a pipeline counts as one (bash's `lastpipe` gives a [`Mark`]).
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

impl Script {
    /// The simple commands in order of evaluation.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.findings
            .iter()
            .filter_map(|finding| match &finding.kind {
                FindingKind::Command(command) => Some(command),
                _ => None,
            })
    }

    /// Every redirection: those of simple commands and those of compound commands.
    pub fn redirections(&self) -> impl Iterator<Item = &Redirection> {
        self.findings
            .iter()
            .flat_map(|finding| match &finding.kind {
                FindingKind::Command(command) => command.redirections.as_slice(),
                FindingKind::Redirection(redirection) => std::slice::from_ref(&**redirection),
                _ => &[],
            })
    }

    /// Every assignment: those of simple commands and all others.
    pub fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.findings
            .iter()
            .flat_map(|finding| finding.kind.assignments())
    }

    /// The marks.
    pub fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.findings
            .iter()
            .filter_map(|finding| match &finding.kind {
                FindingKind::Mark(mark) => Some(mark),
                _ => None,
            })
    }

    /// The scope of this number; `None` for a number of another script.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> Option<&Scope> {
        self.scopes.get(id.0)
    }

    /// The kinds of the scope and of all scopes around it, innermost first.
    pub fn ancestry(&self, id: ScopeId) -> impl Iterator<Item = &ScopeKind> {
        std::iter::successors(self.scope(id), |scope| {
            scope.parent.and_then(|parent| self.scope(parent))
        })
        .map(|scope| &scope.kind)
    }

    /// Of each scope the innermost scope around it, itself included, that runs as one process. Two findings whose
    /// scopes have the same one share working directory and variables.
    #[must_use]
    pub fn processes(&self) -> Vec<ScopeId> {
        let mut processes: Vec<ScopeId> = Vec::with_capacity(self.scopes.len());
        for (index, scope) in self.scopes.iter().enumerate() {
            let outer = scope.parent.filter(|_| !scope.kind.is_separate_process());
            let process = outer.and_then(|outer| processes.get(outer.0).copied());
            processes.push(process.unwrap_or(ScopeId(index)));
        }
        processes
    }
}
