use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// A simple command: assignments, words and redirections. Words may be absent (`x=1`, `> file`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// From the first assignment, word or redirection to the last.
    pub span: Span,
    /// Assignments in front of the words, and those in the arguments of `export`, `declare` and their relatives.
    pub assignments: Vec<Assignment>,
    /// The name and the arguments.
    pub words: Words,
    /// Redirections in the order in which the shell carries them out.
    pub redirections: Vec<Redirection>,
}

impl Command {
    /// A command of nothing but these words.
    #[must_use]
    pub fn of(words: impl Into<Words>) -> Self {
        Self {
            span: Span::new(0, 0),
            assignments: Vec::new(),
            words: words.into(),
            redirections: Vec::new(),
        }
    }

    /// The first word, which names what runs.
    #[must_use]
    pub fn name(&self) -> Option<&Word> {
        self.words.first()
    }
}

/// A value given to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The whole assignment.
    pub span: Span,
    /// How it came about.
    pub kind: AssignmentKind,
    /// Name of the variable.
    pub name: String,
    /// The text between the brackets of `name[…]=`.
    pub subscript: Option<Word>,
    /// Whether `+=` was used.
    pub append: bool,
    /// The value. Several words for arrays and for the list of `for` and `select`; none when the value is not
    /// written in the text.
    pub values: Vec<Word>,
}

/// How a variable gets its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignmentKind {
    /// In front of a command, for that command (a special built-in keeps it).
    Prefix,
    /// A command of assignments alone: the shell keeps the value.
    Alone,
    /// Argument of `export`, `readonly`, `declare`, `typeset` or `local`.
    Declaration,
    /// `${x=word}` or `${x:=word}`.
    Default,
    /// Variable of a `for` loop.
    For,
    /// Variable of a `select` loop.
    Select,
    /// `{name}>file`, which gives a descriptor number.
    Descriptor,
    /// Inside arithmetic; the value is a number.
    Arithmetic,
    /// `coproc NAME`, which sets `NAME` and `NAME_PID`.
    Coprocess,
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// From the descriptor to the end of the target.
    pub span: Span,
    /// The operator.
    pub operator: RedirectionOperator,
    /// The descriptor in front of the operator, if any is given.
    pub descriptor: Option<Descriptor>,
    /// The word behind the operator; for a here-document its end word.
    pub target: Word,
    /// The body, for `<<` and `<<-`.
    pub here_document: Option<HereDocument>,
}

/// What stands in front of a redirection operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Descriptor {
    /// A number, as written.
    Number(String),
    /// `{name}`: bash chooses a number and stores it.
    Variable(String),
}

/// A redirection operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectionOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<`
    HereDocument,
    /// `<<-`
    HereDocumentTabs,
    /// `<<<`
    HereString,
}

/// What a redirection does to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileUse {
    /// The target is opened for reading.
    Read,
    /// The target is created, truncated or appended to.
    Write,
    /// Both.
    ReadWrite,
    /// No file: a descriptor is copied or closed, or the text itself is the input.
    None,
}

impl FileUse {
    /// Whether the target is opened for writing.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::ReadWrite)
    }
}

impl Redirection {
    /// Whether it gives an input: `<`, `<>`, `<&`, `<<`, `<<-`, `<<<`.
    #[must_use]
    pub const fn is_input(&self) -> bool {
        match self.operator {
            RedirectionOperator::Read
            | RedirectionOperator::ReadWrite
            | RedirectionOperator::DuplicateInput
            | RedirectionOperator::HereDocument
            | RedirectionOperator::HereDocumentTabs
            | RedirectionOperator::HereString => true,
            RedirectionOperator::Write
            | RedirectionOperator::Append
            | RedirectionOperator::Clobber
            | RedirectionOperator::DuplicateOutput
            | RedirectionOperator::WriteBoth
            | RedirectionOperator::AppendBoth => false,
        }
    }

    /// Whether the shell may be unable to carry it out, and then does not run the command: a file that cannot be opened, a
    /// descriptor that is not open.
    #[must_use]
    pub fn may_fail(&self) -> bool {
        match self.operator {
            RedirectionOperator::HereDocument
            | RedirectionOperator::HereDocumentTabs
            | RedirectionOperator::HereString => false,
            RedirectionOperator::DuplicateInput | RedirectionOperator::DuplicateOutput => {
                !matches!(self.target.literal(), Some("0" | "1" | "2" | "-"))
            }
            RedirectionOperator::Read
            | RedirectionOperator::Write
            | RedirectionOperator::Append
            | RedirectionOperator::Clobber
            | RedirectionOperator::ReadWrite
            | RedirectionOperator::WriteBoth
            | RedirectionOperator::AppendBoth => self.target.literal() != Some("/dev/null"),
        }
    }

    /// What happens to the file named by the target.
    ///
    /// `>&` with a target that is not a literal number or `-` writes a file (bash) or fails (dash): it counts as
    /// [`FileUse::Write`]. `<&` with such a target counts as [`FileUse::Read`].
    #[must_use]
    pub fn file_use(&self) -> FileUse {
        match self.operator {
            RedirectionOperator::Read => FileUse::Read,
            RedirectionOperator::ReadWrite => FileUse::ReadWrite,
            RedirectionOperator::Write
            | RedirectionOperator::Append
            | RedirectionOperator::Clobber
            | RedirectionOperator::WriteBoth
            | RedirectionOperator::AppendBoth => FileUse::Write,
            RedirectionOperator::DuplicateOutput if !self.names_a_descriptor() => FileUse::Write,
            RedirectionOperator::DuplicateInput if !self.names_a_descriptor() => FileUse::Read,
            RedirectionOperator::DuplicateOutput
            | RedirectionOperator::DuplicateInput
            | RedirectionOperator::HereDocument
            | RedirectionOperator::HereDocumentTabs
            | RedirectionOperator::HereString => FileUse::None,
        }
    }

    fn names_a_descriptor(&self) -> bool {
        self.target.literal().is_some_and(|target| {
            let digits = target.strip_suffix('-').unwrap_or(target);
            target == "-"
                || (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
        })
    }
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HereDocument {
    /// Where the body stands, without the line of the end word.
    pub span: Span,
    /// Whether the shell expands the body (no part of the end word is quoted).
    pub expands: bool,
    /// The text that the command reads, or `None` when it depends on expansions.
    pub text: Option<String>,
    pub(crate) slot: usize,
}
