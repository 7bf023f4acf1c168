//! What a text does to its own names.

use hashbrown::HashSet;
use tenon_programs::{CommandTraits, Traits};
use tenon_shell::{
    Evaluations, Examination, FileAccess, FileUse, FindingKind, Invocation, MarkKind, Part,
    Redirection, Word, file_operands,
};

use crate::commands::judge::usage::is_free;
use crate::commands::resolve::data_flow::DataFlow;
use crate::commands::resolve::links::Links;
use crate::commands::resolve::loops::Loops;
use crate::commands::resolve::possible_values::PossibleValues;
use crate::commands::words::control_builtins::{is_control, is_directory_change};
use crate::commands::words::git::git_is;
use crate::commands::words::options::is_given;
use crate::commands::words::sed;
use crate::commands::words::selection::images;

/// What a text does to its own names.
#[derive(Default)]
pub(crate) struct TextFacts {
    pub(crate) links: Links,
    pub(crate) loops: Loops,
    pub(crate) data_flow: DataFlow,
    pub(crate) possible_values: PossibleValues,
    /// Whether it changes no file.
    pub(crate) is_quiet: bool,
    /// How many of its commands may change what git tracks.
    pub(crate) index_changes: usize,
    /// Whether it changes which names patterns stand for.
    pub(crate) changes_patterns: bool,
    /// Whether at most one of its commands can make a directory, and runs once.
    pub(crate) makes_once: bool,
}

impl TextFacts {
    /// Whether the same words mean the same wherever they stand in the text.
    pub(crate) fn is_plain(&self) -> bool {
        self.links.is_empty() && self.loops.is_empty()
    }
}

/// Whether a program writes none of the files that it is given.
fn only_reads(command: &Invocation, words: &[Word]) -> bool {
    let files = file_operands(command.program(), words);
    files.iter().all(|file| file.access == FileAccess::Read)
}

/// Whether this is `sed` with a script that only prints. What is added to it when it runs are its files.
fn only_prints(command: &Invocation) -> bool {
    let words = command.normalized_words();
    let is_added = |word: &&Word| matches!(word.parts.as_slice(), [Part::Unknown]);
    let added = words.iter().rev().take_while(is_added).count();
    let given = words.get(..words.len() - added).unwrap_or_default();
    command.base_name() == Some("sed")
        && !is_given(given, &['i', 'I'], &["in-place"])
        && !sed::may_run_or_write(given)
        && only_reads(command, given)
}

/// Whether nothing in the texts changes a file, so that ignore files of searches stay as they are.
pub(crate) fn is_quiet(examination: &Examination) -> bool {
    let writes = |redirection: &Redirection| match redirection.file_use() {
        FileUse::Write | FileUse::ReadWrite => redirection
            .target
            .literal()
            .is_none_or(|path| !is_free(path)),
        FileUse::Read | FileUse::None => false,
    };
    let redirects = || {
        let mut redirections = examination
            .texts
            .iter()
            .flat_map(|text| text.script.redirections());
        redirections.any(writes)
    };
    // Of no other is it asked.
    let names = || examination.commands().filter_map(Invocation::base_name);
    let mut commands = examination.commands();
    let builds = |command: &Invocation| {
        let arguments = command.normalized_words().get(1..).unwrap_or_default();
        let program = command.program();
        program.is_some_and(|program| images::builds(program, arguments))
    };
    (names().any(|name| matches!(name, "rg" | "fd")) || examination.commands().any(builds))
        && !redirects()
        && commands.all(|command| {
            only_prints(command)
                || (command.is(Traits::QUIET) || builds(command))
                    && !crate::commands::words::options::needs_exact_rule(command)
                    && only_reads(command, command.normalized_words())
        })
}

/// Whether at most one command of the texts can make a directory, and runs once.
pub(crate) fn makes_once(examination: &Examination) -> bool {
    let [text] = examination.texts.as_slice() else {
        return false;
    };
    let makes_none = |command: &Invocation| {
        is_control(command)
            || is_directory_change(command)
            || command.inner.is_empty() && command.is(Traits::QUIET)
            || command.base_name() == Some("git")
                && git_is(command.normalized_words(), CommandTraits::SHOWS)
    };
    let commands = text.invocations.iter();
    let making = commands.filter(|(_, command)| !makes_none(command));
    !text
        .script
        .scopes
        .iter()
        .any(|scope| scope.kind.may_repeat())
        && making.count() < 2
}

/// Whether a text changes which names patterns stand for: `shopt -s dotglob nullglob`, `GLOBIGNORE`.
pub(crate) fn changes_patterns(examination: &Examination, evaluations: &Evaluations) -> bool {
    let ignores = |name: &str| name == "GLOBIGNORE";
    let options = [
        "dotglob",
        "nullglob",
        "failglob",
        "globstar",
        "nocaseglob",
        "extglob",
    ];
    let sets = |command: &Invocation| {
        matches!(command.base_name(), Some("shopt" | "enable" | "setopt"))
            && command
                .words
                .iter()
                .skip(1)
                .any(|word| word.literal().is_none_or(|text| options.contains(&text)))
            || command
                .assigned_names()
                .into_iter()
                .any(|name| name.is_none_or(|name| ignores(&name)))
    };
    examination.commands().any(sets)
        || evaluations.targets.iter().any(|name| ignores(name))
        || examination
            .texts
            .iter()
            .flat_map(|text| text.script.assignments())
            .any(|assignment| ignores(&assignment.name))
}

/// The names, and whether some cannot be determined.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Redefined {
    pub(crate) names: HashSet<String>,
    pub(crate) unknown: bool,
}

/// Everything that is redefined anywhere: an earlier line of a loop can run after a later one.
pub(crate) fn redefined(examination: &Examination) -> Redefined {
    let mut redefined = Redefined::default();
    for text in &examination.texts {
        for finding in &text.script.findings {
            match &finding.kind {
                FindingKind::Function(function) => {
                    redefined.names.insert(function.name.clone());
                }
                FindingKind::Mark(mark) => match &mark.kind {
                    MarkKind::Alias(Some(name)) => {
                        redefined.names.insert(name.clone());
                    }
                    MarkKind::Alias(None) => redefined.unknown = true,
                    MarkKind::Option(_) | MarkKind::Variable(_) | MarkKind::DelayedCode => {}
                },
                _ => {}
            }
        }
    }
    for invocation in examination.commands() {
        for name in invocation.redefined_names() {
            match name {
                Some(name) => {
                    redefined.names.insert(name.into_owned());
                }
                None => redefined.unknown = true,
            }
        }
    }
    redefined
}
