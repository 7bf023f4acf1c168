use std::collections::VecDeque;

use tenon_programs::Catalogue;

use crate::error::ReadError;
use crate::grammar::ShellGrammar;
use crate::limits::{MAX_EMBEDDED_TEXTS, MAX_EMBEDDING};
use crate::piped::piped_texts;
use crate::reader::read_until_error;
use crate::script::{FindingKind, Script};
use crate::span::Span;
use crate::unwrap::shells::{READS_INPUT, shell_kind};
use crate::unwrap::{EmbeddedText, Inner, Invocation, ShellKind, invocation_by};
use crate::words::Words;

/// A text and all texts inside of it, read and opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// The text itself first; an embedded text comes after the one that holds it. A text that `sh` reads is there
    /// twice if bash and dash read it differently.
    pub texts: Vec<ExaminedText>,
}

/// One text of an [`Examination`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminedText {
    /// The text; all spans of its script are offsets in it.
    pub text: String,
    /// Where it comes from; `None` for the text itself.
    pub origin: Option<Origin>,
    /// What it says, as far as it was understood.
    pub script: Script,
    /// Why the rest was not understood.
    pub error: Option<ReadError>,
    /// The commands with words, with the index of their finding in `script.findings`.
    pub invocations: Vec<(usize, Invocation)>,
}

impl ExaminedText {
    /// What the command of this finding is, if it has words.
    #[must_use]
    pub fn invocation(&self, finding: usize) -> Option<&Invocation> {
        let all = &self.invocations;
        let place = all.binary_search_by_key(&finding, |(finding, _)| *finding);
        all.get(place.ok()?).map(|(_, invocation)| invocation)
    }
}

/// The command that gives an embedded text to a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Index of the outer text in [`Examination::texts`].
    pub text: usize,
    /// Index of the command in the findings of the outer text.
    pub finding: usize,
    /// Where the embedded text stands in the outer text.
    pub span: Span,
    /// Whether it runs in the process of the outer command, so that its `cd` and assignments stay.
    pub same_shell: bool,
}

/// Reads a text in one dialect, opens every command and continues into the texts that are given to other shells.
///
/// ```
/// use tenon_shell::{ShellGrammar, examine};
/// let examination = examine("sudo env A=1 sh -c 'eval \"rm -rf build\"'", ShellGrammar::Bash);
/// let last = examination.texts.last().expect("at least the text itself");
/// assert_eq!(last.text, "rm -rf build");
/// assert!(examination.is_understood());
/// ```
#[must_use]
pub fn examine(text: &str, dialect: ShellGrammar) -> Examination {
    examine_by(&Catalogue::BUILT_IN, None, text, dialect)
}

/// The same with what this catalogue knows of programs, and with this home directory, where it is known: `~/bin/x` names a program below it.
/// What runs an inner text may have another one.
#[must_use]
pub fn examine_by(
    catalogue: &Catalogue,
    home: Option<&str>,
    text: &str,
    dialect: ShellGrammar,
) -> Examination {
    examine_with(catalogue, home, text, dialect, &[])
}

/// The same where these commands of the text itself, by their findings in order, have other words: what is known of the
/// variables in them.
#[must_use]
pub fn examine_with(
    catalogue: &Catalogue,
    home: Option<&str>,
    text: &str,
    dialect: ShellGrammar,
    known: &[(usize, Words)],
) -> Examination {
    let mut texts = Vec::new();
    let mut queue = VecDeque::from([Task {
        text: text.to_owned(),
        dialects: vec![dialect],
        origin: None,
        depth: 0,
    }]);
    let mut bytes = 0_usize;
    let most_bytes = text.len().saturating_mul(16).saturating_add(4096);
    while let Some(task) = queue.pop_front() {
        bytes = bytes.saturating_add(task.text.len());
        let too_many =
            texts.len() >= MAX_EMBEDDED_TEXTS || task.depth > MAX_EMBEDDING || bytes > most_bytes;
        for (mut script, error) in readings(&task, too_many) {
            let index = texts.len();
            if task.origin.is_none() {
                give_words(&mut script, known);
            }
            let home = home.filter(|_| task.origin.is_none());
            let invocations = invocations((catalogue, home), &script, too_many);
            for (finding, invocation) in &invocations {
                let embedded = embedded_texts(invocation).into_iter();
                queue.extend(embedded.map(|embedded| {
                    Task::inside(embedded, &task, script.dialect, index, *finding)
                }));
                let piped = piped(invocation, &task.text, &script, *finding);
                queue.extend(piped.iter().map(|embedded| {
                    Task::inside(embedded, &task, script.dialect, index, *finding)
                }));
            }
            texts.push(ExaminedText {
                text: task.text.clone(),
                origin: task.origin,
                script,
                error,
                invocations,
            });
        }
        if too_many {
            break;
        }
    }
    Examination { texts }
}

/// A text that is still to be read.
struct Task {
    text: String,
    dialects: Vec<ShellGrammar>,
    origin: Option<Origin>,
    depth: usize,
}

impl Task {
    fn inside(
        embedded: &EmbeddedText,
        outer: &Self,
        dialect: ShellGrammar,
        text: usize,
        finding: usize,
    ) -> Self {
        Self {
            text: embedded.text.clone(),
            dialects: embedded
                .dialect
                .map_or_else(|| vec![dialect], |kind| kind.dialects().to_vec()),
            origin: Some(Origin {
                text,
                finding,
                span: embedded.span,
                same_shell: embedded.same_shell,
            }),
            depth: outer.depth + 1,
        }
    }
}

/// The readings of a text that differ from each other.
fn readings(task: &Task, too_many: bool) -> Vec<(Script, Option<ReadError>)> {
    let mut readings: Vec<(Script, Option<ReadError>)> = Vec::new();
    for dialect in &task.dialects {
        let (script, mut error) = read_until_error(&task.text, *dialect);
        if too_many {
            let span = Span::new(0, task.text.len());
            error = error.or(Some(ReadError::TooDeep { span }));
        }
        let known = readings.iter().any(|(other, fault)| {
            other.findings == script.findings && other.scopes == script.scopes && *fault == error
        });
        let alike = script.reads_alike;
        if !known {
            readings.push((script, error));
        }
        if alike {
            break;
        }
    }
    readings
}

fn give_words(script: &mut Script, known: &[(usize, Words)]) {
    for (place, words) in known {
        if let Some(finding) = script.findings.get_mut(*place)
            && let FindingKind::Command(command) = &mut finding.kind
        {
            command.words.clone_from(words);
        }
    }
}

fn invocations(
    (catalogue, home): (&Catalogue, Option<&str>),
    script: &Script,
    too_many: bool,
) -> Vec<(usize, Invocation)> {
    if too_many {
        return Vec::new();
    }
    let mut invocations = Vec::with_capacity(script.findings.len());
    for (index, finding) in script.findings.iter().enumerate() {
        if let FindingKind::Command(command) = &finding.kind {
            let invocation = invocation_by(catalogue, home, command);
            invocations.extend(invocation.map(|invocation| (index, invocation)));
        }
    }
    invocations
}

fn embedded_texts(invocation: &Invocation) -> Vec<&EmbeddedText> {
    let commands = invocation.chain().into_iter();
    commands
        .flat_map(|command| &command.inner)
        .filter_map(|inner| match inner {
            Inner::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

/// The texts that come through a pipe to a shell that reads its input.
fn piped(
    invocation: &Invocation,
    text: &str,
    script: &Script,
    finding: usize,
) -> Vec<EmbeddedText> {
    let reads = |command: &&Invocation| {
        let inner = command.inner.iter();
        inner
            .filter_map(|inner| match inner {
                Inner::NotUnderstood { what, .. } => Some(*what),
                Inner::Command(_) | Inner::Text(_) => None,
            })
            .any(|what| what == READS_INPUT)
    };
    let Some(shell) = invocation.chain().into_iter().find(reads) else {
        return Vec::new();
    };
    let kind = shell.base_name().and_then(shell_kind);
    let texts = piped_texts(text, script, finding).into_iter();
    let embed = |text| EmbeddedText {
        text,
        span: shell.span(),
        dialect: kind.or(Some(ShellKind::Posix)),
        same_shell: false,
    };
    texts.map(embed).collect()
}

impl Examination {
    /// Whether an examination in another dialect finds the same. See [`Script::reads_alike`].
    #[must_use]
    pub fn reads_alike(&self) -> bool {
        self.texts.iter().all(|text| text.script.reads_alike)
    }

    /// Whether every text was read to its end and every wrapper was opened.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        self.texts.iter().all(|text| {
            let opened = text.invocations.iter().all(|(_, invocation)| {
                let mut inner = invocation
                    .chain()
                    .into_iter()
                    .flat_map(|command| &command.inner);
                !inner.any(|inner| matches!(inner, Inner::NotUnderstood { .. }))
            });
            text.error.is_none() && opened
        })
    }

    /// Every command of every text, wrappers and what they run included.
    pub fn commands(&self) -> impl Iterator<Item = &Invocation> {
        Commands {
            texts: self.texts.iter(),
            invocations: [].iter(),
            behind: Vec::new(),
        }
    }
}

/// The commands of all texts: gone through many times for each decision, and most run nothing else.
struct Commands<'e> {
    texts: std::slice::Iter<'e, ExaminedText>,
    invocations: std::slice::Iter<'e, (usize, Invocation)>,
    /// Those that stand behind the last wrapper, the next one last.
    behind: Vec<&'e Invocation>,
}

impl<'e> Iterator for Commands<'e> {
    type Item = &'e Invocation;

    #[inline]
    fn next(&mut self) -> Option<&'e Invocation> {
        if let Some(next) = self.behind.pop() {
            return Some(next);
        }
        loop {
            if let Some((_, invocation)) = self.invocations.next() {
                if !invocation.inner.is_empty() {
                    let chain = invocation.chain();
                    self.behind.extend(chain.iter().skip(1).rev());
                }
                return Some(invocation);
            }
            self.invocations = self.texts.next()?.invocations.iter();
        }
    }
}
