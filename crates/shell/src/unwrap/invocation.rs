//! A command as it was opened: its words, and what it runs in turn.

use compact_str::CompactString;
use smallvec::SmallVec;
use tenon_programs::{Catalogue, CommandTraits, Program, Subcommand, Traits, parse};

use super::program_name::base_name;
use crate::builtins::{self, DirectoryChange, Names};
use crate::command::{Assignment, Redirection};
use crate::grammar::ShellGrammar;
use crate::operands::{Kept, KeptFiles};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// A program or built-in with its arguments, and what it runs in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The name and the arguments.
    pub words: Words,
    /// Differs from `words` where a rule should see something else; [`Self::normalized_words`] gives either.
    pub(super) plain: Option<Words>,
    /// Assignments that the wrapper itself makes for what it runs: `env A=1 x`, `sudo A=1 x`.
    pub assignments: Vec<Assignment>,
    /// Directories into which the program changes before it works: `env -C`, `git -C`, `make -C`, `sudo -D`.
    pub directories: Vec<Word>,
    /// Whether a rule that allows what is inside covers this wrapper too: it only changes when and how fast the
    /// inner command runs (`timeout`, `time`, `nice`, `nohup`, `stdbuf`, `command`, `xargs` with options that only take
    /// its input apart), or with which variables (`env A=1`).
    pub transparent: bool,
    /// Whether a rule that allows this program covers what it runs, as it covers the scripts of a package: `npx`,
    /// `npm exec`, `cmake -E`.
    pub forwards: bool,
    /// Whether it runs what is inside in several directories, one after the other: in each package of a workspace.
    pub in_each: bool,
    /// What it runs. Empty for a program that, as far as is known, runs nothing else.
    pub inner: Vec<Inner>,
    /// The name by which facts about it are known, if it is literal: nothing is asked for more often.
    pub(super) base: Option<CompactString>,
    /// The row of the program, if there is one.
    pub(super) program: Option<&'static Program>,
    /// Whether it is a built-in that changes the shell itself.
    pub(super) changes_shell: bool,
    /// The files that it names.
    pub(crate) files: KeptFiles,
    /// Its subcommand.
    pub(super) command: Kept<Option<(&'static Subcommand, usize)>>,
}

/// A command and those inside of it.
pub type Chain<'i> = SmallVec<[&'i Invocation; 6]>;

/// Something that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inner {
    /// Another command. Arguments that are only known when it runs are an opaque word.
    Command(Box<Invocation>),
    /// A text that a shell reads.
    Text(EmbeddedText),
    /// Something is run that cannot be determined.
    NotUnderstood {
        /// What it is.
        what: &'static str,
        /// Where it stands.
        span: Span,
    },
}

/// A text inside of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedText {
    /// The text that the shell gets.
    pub text: String,
    /// Where the word or the here-document stands that gives it.
    pub span: Span,
    /// The readings that count. `None` stands for the shell that runs the command itself.
    pub dialect: Option<ShellKind>,
    /// Whether it runs in the same process (`eval`, `trap`), so that `cd` and assignments stay.
    pub same_shell: bool,
}

/// The shell that reads an embedded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellKind {
    /// bash.
    Bash,
    /// dash or the shell of busybox.
    Dash,
    /// `sh`, which is dash on some machines and bash on others: both readings count.
    Posix,
}

impl ShellKind {
    /// The readings that count for this shell.
    #[must_use]
    pub fn dialects(self) -> &'static [ShellGrammar] {
        match self {
            Self::Bash => &[ShellGrammar::Bash],
            Self::Dash => &[ShellGrammar::Dash],
            Self::Posix => &ShellGrammar::ALL,
        }
    }
}

/// How many wrappers may stand before each other.
const MAX_WRAPPERS: usize = 32;

/// What the opening of inner commands needs to know of the outer one.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) catalogue: &'a Catalogue,
    /// The home directory that names of programs may begin with.
    pub(super) home: Option<&'a str>,
    /// Opens the command that these words make.
    pub(super) open: fn(Words, Context<'_>) -> Invocation,
    /// The redirections of the whole command: they feed the shell inside.
    pub(super) redirections: &'a [Redirection],
    pub(super) depth: usize,
}

impl Context<'_> {
    /// The same for a command whose words were copied: of these fewer may stand before each other.
    pub(super) fn copied(self) -> Self {
        Self {
            depth: self.depth + 3,
            ..self
        }
    }

    /// Adds the command that these words make to what another one runs.
    pub(super) fn run(self, words: impl Into<Words>, invocation: &mut Invocation) {
        invocation.inner.extend(self.command(words));
    }

    /// Opens the command that these words make. Nothing for no words.
    pub(super) fn command(self, words: impl Into<Words>) -> Option<Inner> {
        let words = words.into();
        let inner = Self {
            depth: self.depth + 1,
            ..self
        };
        match words.first() {
            None => None,
            Some(first) if inner.depth > MAX_WRAPPERS => Some(Inner::NotUnderstood {
                what: "too many wrappers before each other",
                span: first.span,
            }),
            Some(_) => Some(Inner::Command(Box::new((self.open)(words, inner)))),
        }
    }
}

/// Adds all that the commands run, level by level.
fn add_inner(all: &mut Chain<'_>) {
    let mut next = 0;
    while let Some(current) = all.get(next).copied() {
        for inner in &current.inner {
            if let Inner::Command(command) = inner {
                all.push(command);
            }
        }
        next += 1;
    }
}

impl Invocation {
    /// The words by which facts about the command are known: the one name of the program ([`facts_name`](crate::facts_name)) without its
    /// directories, known global options removed (`git -C x push` is `git push`).
    #[must_use]
    pub fn normalized_words(&self) -> &[Word] {
        self.plain()
    }

    pub(super) fn plain(&self) -> &Words {
        self.plain.as_ref().unwrap_or(&self.words)
    }

    /// The name by which facts about the program are known ([`facts_name`](crate::facts_name)), if it is literal.
    #[inline]
    #[must_use]
    pub fn base_name(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The row of the program in the catalogue.
    #[inline]
    #[must_use]
    pub const fn program(&self) -> Option<&'static Program> {
        self.program
    }

    /// Whether the catalogue says that the program is one of these.
    #[must_use]
    pub fn is(&self, traits: Traits) -> bool {
        self.program.is_some_and(|program| program.is(traits))
    }

    /// The subcommand that the catalogue knows, and the number of operands that name it ([`Program::command_of`]).
    #[must_use]
    pub fn command(&self) -> Option<(&'static Subcommand, usize)> {
        *self.command.get(|| {
            let arguments = self.normalized_words().get(1..)?;
            self.program?.command_of(arguments)
        })
    }

    /// The subcommand that the catalogue knows, and the arguments behind its name; of one that has commands of its own, the command of
    /// those, and the arguments behind the first name.
    #[must_use]
    pub fn subcommand(&self) -> Option<(&'static Subcommand, &[Word])> {
        let program = self.program?;
        let arguments = self.normalized_words().get(1..)?;
        let (command, _) = self.command()?;
        let place = arguments.iter().position(|word| {
            let mut names = command.names();
            word.literal().is_some() && names.any(|name| word.literal() == name.last().copied())
        });
        let behind = arguments.get(place? + 1..)?;
        if !command.is(CommandTraits::OWN_COMMANDS) {
            return Some((command, behind));
        }
        let own = parse(command.options, behind);
        let own = own.operands.iter().map(|word| word.literal());
        let name = command.name.iter().map(|word| Some(*word));
        let (command, _) = program.command(name.chain(own))?;
        Some((command, behind))
    }

    /// The name as it is written, without its directories, if it is literal.
    #[must_use]
    pub fn written_name(&self) -> Option<&str> {
        self.words.first().and_then(Word::literal).map(base_name)
    }

    /// This invocation and all commands inside of it, outermost first; texts are not entered.
    #[must_use]
    #[inline]
    pub fn chain(&self) -> Chain<'_> {
        let mut all = Chain::new();
        all.push(self);
        // Most commands run nothing else.
        if !self.inner.is_empty() {
            add_inner(&mut all);
        }
        all
    }

    /// The variables to which it gives a value: [`assigned_names`](crate::assigned_names) of its words.
    #[must_use]
    pub fn assigned_names(&self) -> Names<'_> {
        let names = self
            .changes_shell
            .then(|| builtins::assigned_names(&self.words));
        names.unwrap_or_default()
    }

    /// The names whose meaning it changes: [`redefined_names`](crate::redefined_names) of its words.
    #[must_use]
    pub fn redefined_names(&self) -> Names<'_> {
        let names = self
            .changes_shell
            .then(|| builtins::redefined_names(&self.words));
        names.unwrap_or_default()
    }

    /// What it does to the working directory: [`directory_change`](crate::directory_change) of its words.
    #[must_use]
    pub fn directory_change(&self) -> Option<DirectoryChange<'_>> {
        self.changes_shell
            .then(|| builtins::directory_change(&self.words))
            .flatten()
    }

    pub(super) fn not_understood(&mut self, what: &'static str, span: Span) {
        self.inner.push(Inner::NotUnderstood { what, span });
    }

    /// The same command with what `put` gives in place of words, also in what it runs. Nothing else of it changes.
    #[must_use]
    pub fn with_words(&self, put: &dyn Fn(&Word) -> Option<Vec<Word>>) -> Self {
        let others = |words: &Words| -> Words {
            let words = words.iter().flat_map(|word| match put(word) {
                Some(others) => others,
                None => vec![word.clone()],
            });
            words.collect::<Vec<_>>().into()
        };
        let inner = self.inner.iter().map(|inner| match inner {
            Inner::Command(command) => Inner::Command(Box::new(command.with_words(put))),
            other => other.clone(),
        });
        Self {
            words: others(&self.words),
            plain: self.plain.as_ref().map(others),
            inner: inner.collect(),
            files: Kept::default(),
            command: Kept::default(),
            ..self.clone()
        }
    }

    /// The words behind the name.
    pub(super) fn arguments(&self) -> Words {
        self.words.behind(1)
    }

    pub(crate) fn span(&self) -> Span {
        let start = self.words.first().map_or(0, |word| word.span.start);
        let end = self.words.last().map_or(0, |word| word.span.end);
        Span::new(start, end)
    }
}
