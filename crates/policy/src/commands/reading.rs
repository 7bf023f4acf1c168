//! One reading of a text, beside another one.

use std::cell::OnceCell;
use std::rc::Rc;

use hashbrown::HashMap;
use tenon_contract::CommandClaim;
use tenon_shell::{
    Command, Evaluations, Examination, FileAccess, FileUse, Finding, FindingKind, Invocation,
    Redirection, Span, evaluations, file_operands,
};

use super::Around;
use super::arguments::Variables;
use super::circumstances::Circumstances;
use super::embedded::{self, Redefined};
use super::feeds::Feeds;
use super::files::is_free;
use super::folders::Folders;
use super::from_index;
use super::ground::Ground;
use super::links::Links;
use super::loops::Loops;
use super::repositories::Repositories;

/// Whether both readings found the very same, as they do for most texts.
pub(super) fn same_findings(one: &Examination, other: &Examination) -> bool {
    one.texts.len() == other.texts.len()
        && one.texts.iter().zip(&other.texts).all(|(one, other)| {
            one.error == other.error
                && one.script.findings == other.script.findings
                && one.script.scopes == other.script.scopes
                && one.invocations == other.invocations
        })
}

/// Places of a text, which can be thousands.
#[derive(Default)]
pub(super) struct Places {
    /// Their beginnings in order, each with the last end of those up to it.
    ends: Vec<(usize, usize)>,
}

impl Places {
    fn new(spans: impl Iterator<Item = Span>) -> Self {
        let mut ends: Vec<(usize, usize)> = spans.map(|span| (span.start, span.end)).collect();
        ends.sort_unstable();
        let mut last = 0;
        for (_, end) in &mut ends {
            last = last.max(*end);
            *end = last;
        }
        Self { ends }
    }

    /// Whether this lies in one of them.
    pub(super) fn hold(&self, span: Span) -> bool {
        let begun = self.ends.partition_point(|(start, _)| *start <= span.start);
        let around = begun.checked_sub(1).and_then(|place| self.ends.get(place));
        around.is_some_and(|(_, end)| span.end <= *end)
    }
}

/// Where this reading finds `[[ … ]]` and `((…))`.
pub(super) fn conditionals(reading: &Reading) -> Places {
    let first = reading.examination.texts.first();
    let Some(text) = first.filter(|text| text.error.is_none()) else {
        return Places::default();
    };
    let is_command = |span: &Span| {
        let rest = text.text.get(span.start..);
        rest.is_some_and(|rest| rest.starts_with("(("))
    };
    let findings = text.script.findings.iter();
    let spans = findings.filter_map(|finding| match &finding.kind {
        FindingKind::Conditional(conditional) => Some(conditional.span),
        FindingKind::Arithmetic(span) => Some(*span).filter(is_command),
        _ => None,
    });
    Places::new(spans)
}

/// A text as one shell reads it.
pub(crate) struct Reading {
    pub(super) examination: Examination,
    pub(super) folders: Folders,
    pub(super) circumstances: Circumstances,
    pub(super) redefined: Redefined,
    pub(super) evaluations: Evaluations,
    pub(super) around: Rc<Around>,
    /// Looked for when a command needs it.
    pub(super) repositories: OnceCell<Repositories>,
    /// Gone through when a command needs it.
    variables: OnceCell<Variables>,
}

impl Reading {
    pub(super) fn new(examination: Examination, claim: &CommandClaim, ground: &Ground<'_>) -> Self {
        let folders = Folders::track(&examination, claim, ground);
        let given = |name: &str| claim.environment.iter().any(|given| given.name == name);
        let evaluations = evaluations(&examination, &given);
        Self {
            circumstances: Circumstances::of(claim, &examination, &folders),
            around: Rc::new(Around {
                links: Links::find(&examination, &folders, ground),
                loops: Loops::find(&examination, &claim.environment),
                feeds: Feeds::find(&examination, &folders),
                is_quiet: is_quiet(&examination),
                changes_index: from_index::may_change_index(&examination),
                changes_patterns: changes_patterns(&examination, &evaluations),
            }),
            evaluations,
            folders,
            redefined: embedded::redefined(&examination),
            examination,
            repositories: OnceCell::new(),
            variables: OnceCell::new(),
        }
    }

    /// What gives values to the variables of the text.
    pub(super) fn variables(&self) -> &Variables {
        self.variables
            .get_or_init(|| Variables::of(&self.examination))
    }

    /// The commands that were found by an earlier reading of the same text just so, in the same folder: the numbers
    /// of their findings, in order. What was judged of them would be judged of them again.
    pub(crate) fn known_from(&self, earlier: &Self) -> Vec<usize> {
        let texts = (
            self.examination.texts.first(),
            earlier.examination.texts.first(),
        );
        let (Some(own), Some(text)) = texts else {
            return Vec::new();
        };
        // Where a path leads can be another matter in another place then.
        if !earlier.around.is_plain() || !self.around.is_plain() {
            return Vec::new();
        }
        if earlier.around.changes_patterns != self.around.changes_patterns {
            return Vec::new();
        }
        if earlier.redefined != self.redefined || earlier.circumstances != self.circumstances {
            return Vec::new();
        }
        let findings = &text.script.findings;
        let others: HashMap<usize, usize> = findings
            .iter()
            .enumerate()
            .filter_map(|(number, finding)| match &finding.kind {
                FindingKind::Command(command) => Some((command.span.start, number)),
                _ => None,
            })
            .collect();
        let same = |(number, finding): (usize, &Finding)| {
            let FindingKind::Command(command) = &finding.kind else {
                return None;
            };
            let other = *others.get(&command.span.start)?;
            let folders = &earlier.folders;
            let alike = findings.get(other)?.kind == finding.kind
                && folders.at(0, other) == self.folders.at(0, number)
                && folders.movement(0, other) == self.folders.movement(0, number);
            alike.then_some(number)
        };
        let own = own.script.findings.iter().enumerate();
        own.filter_map(same).collect()
    }
}

/// Programs that change no file, but for options that are looked at by themselves.
const QUIET: &[&str] = &[
    "rg", "grep", "egrep", "fgrep", "fd", "find", "cat", "head", "tail", "wc", "cut", "tr", "echo",
    "printf", "cd", "pwd", "ls", "true", "false", "test", "[", "[[", ":", "exit", "jq", "sed",
    "nl", "basename", "dirname", "which", "command", "date", "uname", "column", "xargs", "timeout",
    "time", "sort", "read",
];

/// Whether nothing in the texts changes a file, so that files that tell searches what to leave out stay as they are.
fn is_quiet(examination: &Examination) -> bool {
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
    names().any(|name| matches!(name, "rg" | "fd"))
        && !redirects()
        && commands.all(|command| {
            command
                .base_name()
                .is_some_and(|name| QUIET.contains(&name))
                && !super::allow::needs_exact_rule(command)
                && file_operands(command.plain_words())
                    .iter()
                    .all(|file| file.access == FileAccess::Read)
        })
}

/// Whether a text changes which names patterns stand for: `shopt -s dotglob nullglob`, `GLOBIGNORE`.
fn changes_patterns(examination: &Examination, evaluations: &Evaluations) -> bool {
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

/// From the name to the last argument, redirections and assignments left out.
pub(super) fn words_span(command: &Command, invocation: &Invocation) -> Span {
    let words = &invocation.words;
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
        _ => command.span,
    }
}
