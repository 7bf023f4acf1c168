//! What a text does to its own names.

use hashbrown::HashSet;
use tenon_programs::words::shells::PATTERN_OPTIONS;
use tenon_programs::{CommandTraits, Traits};
use tenon_shell::{
    Evaluations, Examination, FileAccess, FindingKind, Invocation, MarkKind, Part, Redirection,
    Word, file_operands,
};

use crate::commands::judge::is_free;
use crate::commands::resolve::possible_values::PossibleValues;
use crate::commands::resolve::{DataFlow, LazyVariables, Links, Loops, Place, Source};
use crate::commands::words::selection::images;
use crate::commands::words::{Selection, git_is, is_control, is_directory_change, is_given, sed};

/// What a text does to its own names.
pub(crate) struct TextFacts {
    pub(crate) links: Links,
    pub(crate) loops: Loops,
    pub(crate) data_flow: DataFlow,
    pub(crate) possible_values: PossibleValues,
    /// What gives values to its variables.
    pub(crate) variables: LazyVariables,
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
    /// The words that this one of a text can stand for, where it begins with something that the text determines. The rest of
    /// them may be unknown.
    pub(crate) fn beginnings(&self, text: usize, word: &Word) -> Vec<Word> {
        self.possible_values.beginnings(&self.variables, text, word)
    }

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

/// Programs that leave out what ignore files say.
const SEARCHING: &[&str] = &["rg", "fd", "ag"];

/// Whether nothing in the texts changes a file, so that ignore files of searches stay as they are; but for one edit of nothing but
/// what the one search finds, which comes upon no hidden file.
pub(crate) fn is_quiet(examination: &Examination, data_flow: &DataFlow) -> bool {
    let writes = |redirection: &Redirection| {
        let target = redirection.target.literal();
        redirection.file_use().writes() && target.is_none_or(|path| !is_free(path))
    };
    let redirects = || {
        let mut redirections = examination
            .texts
            .iter()
            .flat_map(|text| text.script.redirections());
        redirections.any(writes)
    };
    let builds = |command: &Invocation| {
        let arguments = command.normalized_words().get(1..).unwrap_or_default();
        let program = command.program();
        program.is_some_and(|program| images::builds(program, arguments))
    };
    // Of no other is it asked.
    let names = examination.commands().filter_map(Invocation::base_name);
    let searches = names.filter(|name| SEARCHING.contains(name)).count();
    let any_builds = examination.commands().any(builds);
    if searches == 0 && !any_builds || redirects() {
        return false;
    }
    let is_quiet = |command: &Invocation| {
        only_prints(command)
            || (command.is(Traits::QUIET) || builds(command))
                && !crate::commands::words::options::needs_exact_rule(command)
                && only_reads(command, command.normalized_words())
    };
    let mut loud = 0;
    for (text, examined) in examination.texts.iter().enumerate() {
        for (finding, invocation) in &examined.invocations {
            let others = invocation.chain().into_iter();
            for command in others.filter(|command| !is_quiet(command)) {
                loud += 1;
                if !edits_found(command, (text, *finding), data_flow) {
                    return false;
                }
            }
        }
    }
    loud == 0 || (loud == 1 && searches == 1 && !any_builds)
}

/// Whether this is `sed -i` with a script that neither runs nor writes anything else, of nothing but names that a search finds which
/// passes hidden ones.
fn edits_found(command: &Invocation, place: Place, data_flow: &DataFlow) -> bool {
    let words = command.normalized_words();
    let passes_hidden = |source: Option<&Source>| {
        source.is_some_and(|source| {
            let selection = Selection::by_name(&source.words);
            selection.passes_hidden && !selection.follows
        })
    };
    let is_found = |word: &Word| match word.parts.as_slice() {
        [Part::Unknown] => passes_hidden(data_flow.arguments(place)),
        [Part::CommandSubstitution { scope, .. }] => {
            passes_hidden(data_flow.substitution(place.0, *scope))
        }
        _ => false,
    };
    let end = words.iter().position(Word::is_opaque);
    let Some((given, files)) = end.and_then(|end| words.split_at_checked(end)) else {
        return false;
    };
    command.base_name() == Some("sed")
        && is_plain_edit(given)
        && !sed::may_run_or_write(given)
        && files.iter().all(is_found)
}

/// Whether these words of `sed` are options without names of files and one script.
fn is_plain_edit(words: &[Word]) -> bool {
    let is_script = |text: &&str| !text.starts_with('-');
    let texts: Option<Vec<&str>> = words.iter().skip(1).map(Word::literal).collect();
    let texts = texts.unwrap_or_default();
    match texts.split_last() {
        Some((script, options)) => {
            is_script(script)
                && options.contains(&"-i")
                && options
                    .iter()
                    .all(|text| matches!(*text, "-i" | "-E" | "-r" | "-s" | "-e" | "-i.bak"))
                && options.iter().filter(|text| **text == "-e").count() <= 1
        }
        None => false,
    }
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
    let sets = |command: &Invocation| {
        matches!(command.base_name(), Some("shopt" | "enable" | "setopt"))
            && command.words.iter().skip(1).any(|word| {
                word.literal()
                    .is_none_or(|text| PATTERN_OPTIONS.contains(&text))
            })
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

impl Redefined {
    /// Whether this name may mean something else.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        self.unknown || self.names.contains(name)
    }
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
