//! A text as one shell reads it, and its commands, with all that the text makes of them.

use std::cell::OnceCell;
use std::sync::Arc;

use hashbrown::HashMap;
use tenon_contract::CommandClaim;
use tenon_shell::{Command, Evaluations, Examination, Finding, FindingKind, Invocation, Span};

use crate::commands::resolve::command_context::CommandContext;
use crate::commands::resolve::known_outputs::{Surroundings, known_outputs};
use crate::commands::resolve::possible_values::PossibleValues;
use crate::commands::resolve::repositories::Repositories;
use crate::commands::resolve::text_facts::{Redefined, TextFacts, is_quiet};
use crate::commands::resolve::text_words::TextWords;
use crate::commands::resolve::{
    DataFlow, Directories, Functions, LazyVariables, Links, Loops, PathTable, PipedInput, Place,
    WorkingDirs,
};

/// Whether both readings found the very same, as they do for most texts.
pub(crate) fn same_findings(one: &Examination, other: &Examination) -> bool {
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
pub(crate) struct Places {
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
    pub(crate) fn hold(&self, span: Span) -> bool {
        let begun = self.ends.partition_point(|(start, _)| *start <= span.start);
        let around = begun.checked_sub(1).and_then(|place| self.ends.get(place));
        around.is_some_and(|(_, end)| span.end <= *end)
    }
}

/// Where this reading finds `[[ … ]]` and `((…))`.
pub(crate) fn conditionals(reading: &ResolvedText) -> Places {
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
pub(crate) struct ResolvedText {
    pub(crate) examination: Arc<Examination>,
    pub(crate) directories: Directories,
    pub(crate) command_context: CommandContext,
    pub(crate) redefined: Arc<Redefined>,
    pub(crate) functions: Arc<Functions>,
    pub(crate) evaluations: Arc<Evaluations>,
    pub(crate) facts: TextFacts,
    /// Looked for when a command needs it.
    pub(crate) repositories: OnceCell<Repositories>,
}

impl ResolvedText {
    pub(crate) fn new(
        examination: Arc<Examination>,
        words: TextWords,
        claim: &CommandClaim,
        path_table: &PathTable<'_>,
    ) -> Self {
        let redefined = words.redefined;
        let surroundings = Surroundings {
            claim,
            is_redefined: &|name| redefined.may_have(name),
        };
        let variables = LazyVariables::of(Arc::clone(&examination));
        let loops = match words.expands {
            true => {
                let outputs = known_outputs(&examination, &surroundings, path_table);
                Loops::find(&variables, &claim.environment, outputs)
                    .with_base_names(&examination, surroundings.is_redefined)
            }
            false => Loops::default(),
        };
        let directories = Directories::track(&examination, claim, path_table, &loops);
        let data_flow = DataFlow::find(&variables, &directories);
        Self {
            command_context: CommandContext::of(claim, &examination, &directories),
            facts: TextFacts {
                links: Links::find(&examination, &directories, &loops, path_table),
                loops,
                possible_values: PossibleValues::of(words.expands),
                is_quiet: is_quiet(&examination, &data_flow),
                data_flow,
                variables,
                index_changes: words.index_changes,
                changes_patterns: words.changes_patterns,
                makes_once: words.makes_once,
            },
            evaluations: words.evaluations,
            directories,
            redefined,
            functions: words.functions,
            examination,
            repositories: OnceCell::new(),
        }
    }

    /// The commands that were found by an earlier reading of the same text just so, in the same directory: the numbers
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
        if !earlier.facts.is_plain() || !self.facts.is_plain() {
            return Vec::new();
        }
        if earlier.facts.changes_patterns != self.facts.changes_patterns {
            return Vec::new();
        }
        if earlier.redefined != self.redefined || earlier.command_context != self.command_context {
            return Vec::new();
        }
        let findings = &text.script.findings;
        let others: HashMap<usize, usize> = findings
            .iter()
            .enumerate()
            .filter_map(|(number, finding)| Some((finding.kind.command()?.span.start, number)))
            .collect();
        let same = |(number, finding): (usize, &Finding)| {
            let command = finding.kind.command()?;
            let other = *others.get(&command.span.start)?;
            let directories = &earlier.directories;
            let alike = findings.get(other)?.kind == finding.kind
                && directories.at(0, other) == self.directories.at(0, number)
                && directories.movement(0, other) == self.directories.movement(0, number);
            alike.then_some(number)
        };
        let own = own.script.findings.iter().enumerate();
        own.filter_map(same).collect()
    }
}

/// From the name to the last argument, redirections and assignments left out.
pub(crate) fn words_span(command: &Command, invocation: &Invocation) -> Span {
    let words = &invocation.words;
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span::new(first.span.start, last.span.end),
        _ => command.span,
    }
}

/// Where a command stands and runs, what its text does to names, and what names it is given.
#[derive(Clone, Copy)]
pub(crate) struct Site<'t> {
    /// The finding of which it is the command.
    pub(crate) place: Place,
    /// The directories in which it may run.
    pub(crate) dirs: WorkingDirs,
    /// What its text does to names.
    pub(crate) facts: &'t TextFacts,
    /// The names that `xargs` and `find -exec` give to what they run.
    pub(crate) piped: Option<&'t PipedInput>,
}

impl Site<'_> {
    /// The same in other directories.
    pub(crate) const fn in_dirs(self, dirs: WorkingDirs) -> Self {
        Self { dirs, ..self }
    }

    /// Whether the text makes links anywhere.
    pub(crate) fn makes_links(self) -> bool {
        !self.facts.links.is_empty()
    }
}
