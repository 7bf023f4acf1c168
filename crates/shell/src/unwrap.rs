//! What a command really runs: programs behind `env`, `sudo`, `timeout`, texts behind `sh -c` and `eval`, commands
//! behind `xargs` and `find -exec`.
//!
//! [`invocation`] opens one simple command as far as its words tell. The knowledge is data: a table of wrappers with
//! the exact grammar of their options, taken from their manuals. An option that is not in the table means
//! [`Inner::NotUnderstood`]: nothing is guessed, because a wrongly skipped word would hide the program behind it.
//! [`examine`](crate::examine) goes on into the embedded texts.

mod aliases;
mod awk;
mod awk_program;
mod build_tools;
mod clients;
mod commands;
mod finders;
mod git;
mod global_options;
mod grammar;
mod loading_options;
mod options;
mod packages;
mod possible_options;
mod project_code;
mod remote;
mod run_options;
mod runners;
mod sed;
mod services;
mod shells;
mod split_string;
mod tar;
mod wrappers;

pub use aliases::{Spelling, aliases};
pub(crate) use build_tools::plain_compiler;
pub use clients::{acts_as_input, reads_commands};
pub use global_options::manual_command;
pub use project_code::project_code;
pub use wrappers::is_wrapper;

use compact_str::CompactString;
use smallvec::SmallVec;
pub(crate) use tenon_programs::base_name;

use crate::builtins::{self, DirectoryChange, Names};
use crate::{Assignment, Command, Redirection, ShellGrammar, Span, Word, Words};

/// A program or built-in with its arguments, and what it runs in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The name and the arguments.
    pub words: Words,
    /// Differs from `words` where a rule should see something else; [`Self::normalized_words`] gives either.
    plain: Option<Words>,
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
    base: Option<CompactString>,
    /// Whether it is a built-in that changes the shell itself.
    changes_shell: bool,
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
    /// Something is run that cannot be told.
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

/// Opens a simple command; `None` if it has no words.
#[must_use]
pub fn invocation(command: &Command) -> Option<Invocation> {
    if command.words.is_empty() {
        return None;
    }
    let context = Context {
        redirections: &command.redirections,
        depth: 0,
    };
    Some(open(command.words.clone(), context))
}

/// What the opening of inner commands needs to know of the outer one.
#[derive(Clone, Copy)]
struct Context<'a> {
    /// The redirections of the whole command: they feed the shell inside.
    redirections: &'a [Redirection],
    depth: usize,
}

impl Context<'_> {
    /// The same for a command whose words were copied: of these fewer may stand before each other.
    fn copied(self) -> Self {
        Self {
            depth: self.depth + 3,
            ..self
        }
    }

    /// Opens the command that these words make. Nothing for no words.
    fn command(self, words: impl Into<Words>) -> Option<Inner> {
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
            Some(_) => Some(Inner::Command(Box::new(open(words, inner)))),
        }
    }
}

fn open(words: Words, context: Context<'_>) -> Invocation {
    let mut invocation = Invocation {
        words,
        plain: None,
        assignments: Vec::new(),
        directories: Vec::new(),
        transparent: false,
        forwards: false,
        in_each: false,
        inner: Vec::new(),
        base: None,
        changes_shell: false,
    };
    let Some(name) = invocation.words.first().and_then(Word::literal) else {
        return invocation;
    };
    invocation.changes_shell = builtins::changes_shell(name);
    let base = CompactString::from(tenon_programs::facts_name(base_name(name)));
    invocation.base = Some(base.clone());
    global_options::strip(&base, &mut invocation);
    wrappers::look_inside(&base, &mut invocation, context);
    run_options::look_inside(&base, &mut invocation, context);
    invocation
}

/// The name by which facts are known about the program of this path or name.
pub(crate) fn name_of_program(name: &str) -> &str {
    tenon_programs::facts_name(base_name(name))
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
    /// The words by which facts about the command are known: the one name of the program ([`facts_name`]) without its
    /// directories, known global options removed (`git -C x push` is `git push`).
    #[must_use]
    pub fn normalized_words(&self) -> &[Word] {
        self.plain()
    }

    fn plain(&self) -> &Words {
        self.plain.as_ref().unwrap_or(&self.words)
    }

    /// The name by which facts about the program are known ([`facts_name`]), if it is literal.
    #[inline]
    #[must_use]
    pub fn base_name(&self) -> Option<&str> {
        self.base.as_deref()
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
        if self.changes_shell {
            builtins::assigned_names(&self.words)
        } else {
            Names::new()
        }
    }

    /// The names whose meaning it changes: [`redefined_names`](crate::redefined_names) of its words.
    #[must_use]
    pub fn redefined_names(&self) -> Names<'_> {
        if self.changes_shell {
            builtins::redefined_names(&self.words)
        } else {
            Names::new()
        }
    }

    /// What it does to the working directory: [`directory_change`](crate::directory_change) of its words.
    #[must_use]
    pub fn directory_change(&self) -> Option<DirectoryChange<'_>> {
        self.changes_shell
            .then(|| builtins::directory_change(&self.words))
            .flatten()
    }

    fn not_understood(&mut self, what: &'static str, span: Span) {
        self.inner.push(Inner::NotUnderstood { what, span });
    }

    fn span(&self) -> Span {
        let start = self.words.first().map_or(0, |word| word.span.start);
        let end = self.words.last().map_or(0, |word| word.span.end);
        Span::new(start, end)
    }
}
