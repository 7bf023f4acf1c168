use crate::command::{Assignment, Command, Redirection};
use crate::evaluated::Evaluated;
use crate::grammar::ShellGrammar;
use crate::scope::{Scope, ScopeId, ScopeKind};
use crate::span::Span;
use crate::word::Word;

/// Everything that a text makes a shell do, as far as the text says.
///
/// The findings stand in the order in which the shell comes to them: what is inside the words of a command before
/// the command, the redirections of a compound command before its body, both sides of a branch one after the other.
/// Their [scopes](Scope) show which of them run in another process, perhaps not at all, or again and again.
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
    /// The simple command, if it is one.
    #[must_use]
    pub const fn command(&self) -> Option<&Command> {
        match self {
            Self::Command(command) => Some(command),
            _ => None,
        }
    }

    /// The redirections of a simple command, or the one that was found by itself.
    #[must_use]
    pub fn redirections(&self) -> &[Redirection] {
        match self {
            Self::Command(command) => &command.redirections,
            Self::Redirection(redirection) => std::slice::from_ref(redirection),
            _ => &[],
        }
    }

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

impl Script {
    /// The simple commands in order of evaluation.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.findings
            .iter()
            .filter_map(|finding| finding.kind.command())
    }

    /// The simple command of this finding.
    #[must_use]
    pub fn command_at(&self, finding: usize) -> Option<&Command> {
        self.findings.get(finding)?.kind.command()
    }

    /// Every redirection: those of simple commands and those of compound commands.
    pub fn redirections(&self) -> impl Iterator<Item = &Redirection> {
        self.findings
            .iter()
            .flat_map(|finding| finding.kind.redirections())
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

    /// The scope and all scopes around it, innermost first.
    pub fn enclosing(&self, id: ScopeId) -> impl Iterator<Item = (ScopeId, &Scope)> {
        let numbered = |id| Some((id, self.scope(id)?));
        std::iter::successors(numbered(id), move |(_, scope)| numbered(scope.parent?))
    }

    /// The kinds of the scope and of all scopes around it, innermost first.
    pub fn ancestry(&self, id: ScopeId) -> impl Iterator<Item = &ScopeKind> {
        self.enclosing(id).map(|(_, scope)| &scope.kind)
    }

    /// Whether a scope is this one or lies in it.
    #[must_use]
    pub fn is_within(&self, id: ScopeId, outer: ScopeId) -> bool {
        self.enclosing(id).any(|(around, _)| around == outer)
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
