//! What bash evaluates a second time, and which values it can find there.
//!
//! Arithmetic, subscripts, `[[ a -eq b ]]`, `test -v`, `declare -i` and their relatives do not take a value as it is:
//! bash reads it as an expression or as a name, follows the names in it, and runs the substitutions in the subscripts
//! of these (`x='a[$(id)]'; echo $((x))`). A value that comes from a file, a command or a replacement can hold such
//! a subscript without any trace of it in the text.
//!
//! [`evaluations`] therefore looks at every place that is evaluated and asks which values can reach it. One pass over
//! all readings makes a [graph](graph::Graph): a node for each name and each place, an edge where the value of one
//! can become part of the other. A node is [harmless](graph::Class) unless something that is not known reaches it.
//! The order of commands does not count: what is assigned anywhere can be there.

mod builtins;
mod graph;
mod kinds;
mod numbers;
mod programs;
mod words;

use hashbrown::HashSet;

use self::graph::{Class, Graph};
use self::kinds::Kinds;
use self::words::{Outputs, assigned_in};
use crate::builtins::assigned_names;
use crate::command::{Assignment, AssignmentKind, Command};
use crate::examine::{Examination, ExaminedText};
use crate::scope::ScopeId;
use crate::script::{Conditional, FindingKind};
use crate::span::Span;
use crate::unwrap::invocation::Invocation;
use crate::word::Word;

/// What [`evaluations`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evaluations {
    /// Places where bash evaluates something that is not known, each as the index of its text in
    /// [`Examination::texts`] and where it stands there.
    pub unknown: Vec<(usize, Span)>,
    /// Names to which references (`declare -n`) lead, as who assigns to the reference assigns to these, and names to
    /// which evaluated texts assign.
    pub targets: Vec<String>,
}

/// Finds the places where bash can evaluate a value that the texts do not give. `given` says which variables come
/// from the call and not from the environment of the host, which is trusted. Linear in the length of the texts.
///
/// ```
/// use tenon_shell::{ShellGrammar, evaluations, examine};
/// let unknown = |text| evaluations(&examine(text, ShellGrammar::Bash), &|_| false).unknown.len();
/// assert_eq!(unknown("n=$(wc -l < f); echo $((n / 2))"), 0);
/// assert_eq!(unknown("n=$(cat f); echo $((n / 2))"), 1);
/// ```
#[must_use]
pub fn evaluations(examination: &Examination, given: &dyn Fn(&str) -> bool) -> Evaluations {
    let kinds = Kinds::of(examination);
    if !kinds.evaluates {
        return Evaluations::default();
    }
    let mut pass = Pass {
        examination,
        kinds,
        graph: Graph::default(),
        sites: Vec::new(),
        targets: HashSet::new(),
        found: Evaluations::default(),
    };
    for (index, text) in examination.texts.iter().enumerate() {
        pass.text(index, text);
    }
    pass.references();
    pass.positional();
    pass.graph.surround(given);
    pass.graph.settle();
    let graph = &pass.graph;
    let unknown = pass.sites.iter();
    let unknown = unknown.filter(|(node, ..)| graph.class(*node) == Class::Unknown);
    let mut places: Vec<(usize, Span)> = unknown.map(|(_, text, span)| (*text, *span)).collect();
    places.dedup();
    pass.found.unknown.append(&mut places);
    pass.found
}

/// The pass over all texts.
struct Pass<'e> {
    examination: &'e Examination,
    kinds: Kinds<'e>,
    graph: Graph,
    /// The nodes of the places that are evaluated, and where they stand.
    sites: Vec<(usize, usize, Span)>,
    /// The nodes of the names to which references lead.
    targets: HashSet<usize>,
    found: Evaluations,
}

impl<'e> Pass<'e> {
    fn text(&mut self, index: usize, text: &'e ExaminedText) {
        let outputs = Outputs::of(text, self.kinds.named_subscripts);
        let mut invocations = text.invocations.iter().peekable();
        for (place, finding) in text.script.findings.iter().enumerate() {
            let invocation = invocations.next_if(|(of, _)| *of == place);
            match &finding.kind {
                FindingKind::Command(command) => {
                    let at_once =
                        self.examination.texts.len() == 1 && finding.scope == ScopeId::ROOT;
                    for assignment in &command.assignments {
                        self.assignment(index, assignment, at_once, &outputs);
                    }
                    if let Some((_, invocation)) = invocation {
                        self.invocation(index, command, invocation, &outputs);
                    }
                }
                FindingKind::Assignment(assignment) => {
                    self.assignment(index, assignment, false, &outputs);
                }
                FindingKind::Evaluated(evaluated) => {
                    self.site(index, evaluated.span, &evaluated.word, &outputs);
                }
                FindingKind::Conditional(conditional) => {
                    self.conditional(index, conditional, &outputs);
                }
                _ => {}
            }
        }
    }

    /// A place at which this word is evaluated.
    fn site(&mut self, text: usize, span: Span, word: &Word, outputs: &Outputs<'_>) {
        self.found.targets.extend(assigned_in(word, false));
        self.expression_site(text, span, word, outputs);
    }

    /// A place at which the subscript of this word is evaluated.
    fn subscript_site(&mut self, text: usize, word: &Word, outputs: &Outputs<'_>) {
        self.found.targets.extend(assigned_in(word, true));
        self.expression_site(text, word.span, word, outputs);
    }

    fn expression_site(&mut self, text: usize, span: Span, word: &Word, outputs: &Outputs<'_>) {
        let node = self.graph.node();
        self.graph.expression(node, word, outputs);
        self.sites.push((node, text, span));
    }

    /// A place at which a value of this kind is evaluated.
    fn value_site(&mut self, text: usize, word: &Word, outputs: &Outputs<'_>) {
        let node = self.graph.node();
        self.graph.value(node, word, outputs);
        self.sites.push((node, text, word.span));
    }

    /// A place at which the value of this variable is evaluated.
    fn name_site(&mut self, text: usize, span: Span, name: &str) {
        let node = self.graph.name(name);
        self.sites.push((node, text, span));
    }

    fn assignment(
        &mut self,
        text: usize,
        assignment: &Assignment,
        at_once: bool,
        outputs: &Outputs<'_>,
    ) {
        let name = assignment.name.as_str();
        let value = self.graph.node();
        match assignment.kind {
            AssignmentKind::Descriptor | AssignmentKind::Arithmetic | AssignmentKind::Coprocess => {
            }
            AssignmentKind::For | AssignmentKind::Select if assignment.values.is_empty() => {
                let all = self.graph.name("@");
                self.graph.copies(all, value);
            }
            _ => {
                for word in &assignment.values {
                    self.graph.value(value, word, outputs);
                }
            }
        }
        let alone = assignment.kind == AssignmentKind::Alone
            && !assignment.append
            && assignment.subscript.is_none();
        if at_once && alone && !self.graph.knows(name) {
            self.graph.begins_here(name);
        }
        let node = self.graph.assigned(name);
        if assignment.append {
            self.graph.joins(value, node);
            self.graph.joins(node, node);
        } else {
            self.graph.copies(value, node);
        }
        if self.kinds.is_number(name) {
            self.name_site(text, assignment.span, name);
        }
        if self.kinds.references.contains(name) {
            for word in &assignment.values {
                self.refer(text, name, word);
            }
        }
    }

    /// A value of a reference is the name of what it leads to.
    fn refer(&mut self, text: usize, name: &str, value: &Word) {
        let Some(target) = value.literal().filter(|target| !target.contains('[')) else {
            self.found.unknown.push((text, value.span));
            return;
        };
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if target.starts_with(|first: char| first.is_ascii_digit()) || !target.chars().all(fits) {
            // No name: a value for what the reference leads to.
            return;
        }
        let (from, to) = (self.graph.assigned(name), self.graph.assigned(target));
        self.graph.copies(from, to);
        self.graph.copies(to, from);
        if self.kinds.is_number(target) {
            self.name_site(text, value.span, target);
        }
        if self.targets.insert(to) {
            self.found.targets.push(target.to_owned());
        }
    }

    fn conditional(&mut self, text: usize, conditional: &Conditional, outputs: &Outputs<'_>) {
        let words = &conditional.words;
        let mut evaluated: Vec<&Word> = Vec::new();
        for (place, word) in words.iter().enumerate() {
            match word.literal() {
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
                    evaluated.extend(place.checked_sub(1).and_then(|left| words.get(left)));
                    evaluated.extend(words.get(place + 1));
                }
                Some("-v" | "-R") => {
                    evaluated.extend(words.get(place + 1).filter(|word| !is_plain_name(word)));
                }
                _ => {}
            }
        }
        for word in evaluated {
            self.site(text, conditional.span, word, outputs);
        }
        if words.iter().any(|word| word.literal() == Some("=~")) {
            self.graph.known("BASH_REMATCH", Class::Unknown);
        }
    }

    fn invocation(
        &mut self,
        text: usize,
        command: &Command,
        invocation: &Invocation,
        outputs: &Outputs<'_>,
    ) {
        for inner in invocation.chain() {
            for assignment in &inner.assignments {
                self.assignment(text, assignment, false, outputs);
            }
            let Some(name) = inner.words.first().and_then(Word::literal) else {
                continue;
            };
            if builtins::EVALUATING.contains(&name) {
                self.builtin(text, command, name, &inner.words, outputs);
            }
        }
    }

    /// Values that reach `$1` and `$@`.
    fn positional(&mut self) {
        let functions = self.examination.texts.iter().any(|text| {
            let mut findings = text.script.findings.iter();
            findings.any(|finding| matches!(finding.kind, FindingKind::Function(_)))
        });
        if functions || self.examination.texts.len() > 1 {
            self.graph.known("@", Class::Unknown);
        }
    }

    /// What is said of a reference is said of its target, also when it is not assigned in the text.
    fn references(&mut self) {
        let names: HashSet<&str> = self.kinds.references.clone();
        for name in names {
            self.graph.assigned(name);
        }
    }

    /// The names that a built-in sets to something that is not written in the text.
    fn unwritten(&mut self, text: usize, words: &[Word], class: Class) {
        let span = words.first().map_or(Span::new(0, 0), |word| word.span);
        for name in assigned_names(words).into_iter().flatten() {
            // `getopts` counts there.
            let counts =
                name == "OPTIND" && words.first().and_then(Word::literal) == Some("getopts");
            if counts {
                continue;
            }
            self.graph.assigned(&name);
            self.graph.known(&name, class);
            if self.kinds.is_number(&name) {
                self.name_site(text, span, &name);
            }
            if self.kinds.references.contains(name.as_ref()) {
                self.found.unknown.push((text, span));
            }
        }
    }
}

/// A name of a variable without a subscript.
fn is_plain_name(word: &Word) -> bool {
    word.literal().is_some_and(|text| !text.contains('['))
}
