//! Functions that a text defines once and for certain, and calls by their names.

use tenon_shell::{
    Command, Examination, ExaminedText, FindingKind, Invocation, Redirection, Scope, ScopeId,
    ScopeKind, Word,
};

use crate::commands::resolve::loops::last_of;

/// A function of the text itself.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The findings of its body.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

/// The functions whose names mean nothing else from their definition on.
#[derive(Debug, Default)]
pub(crate) struct Functions(Vec<Function>);

impl Functions {
    pub(crate) fn find(examination: &Examination) -> Self {
        let Some(text) = examination.texts.first() else {
            return Self::default();
        };
        let findings = text.script.findings.iter().enumerate();
        let defined = findings.filter_map(|(place, finding)| match &finding.kind {
            FindingKind::Function(function) if finding.scope == ScopeId::ROOT => {
                let (first, last) = body(text, place, &function.name)?;
                Some(Function {
                    name: function.name.clone(),
                    first,
                    last,
                })
            }
            _ => None,
        });
        let mut functions: Vec<Function> = defined.collect();
        if !functions.is_empty() {
            functions.retain(|function| means_nothing_else(examination, &function.name));
        }
        Self(functions)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Function> {
        self.0.iter()
    }

    /// The function that this command of the text itself calls, with nothing that a command would get by input or variables.
    pub(crate) fn called(
        &self,
        place: usize,
        command: &Command,
        text: &ExaminedText,
    ) -> Option<&Function> {
        let name = command.words.first().and_then(Word::literal)?;
        let function = self.0.iter().find(|function| function.name == name)?;
        let scope = text.script.findings.get(place)?.scope;
        let is_plain = command.assignments.is_empty()
            && !command.redirections.iter().any(Redirection::is_input)
            && !is_fed(text, scope);
        (is_plain && function.first <= place).then_some(function)
    }
}

/// The findings of the body behind a definition.
fn body(text: &ExaminedText, place: usize, name: &str) -> Option<(usize, usize)> {
    let script = &text.script;
    let first = script.findings.get(place + 1)?;
    let is_body =
        |scope: &Scope| matches!(&scope.kind, ScopeKind::FunctionBody(own) if own == name);
    let mut around = script.enclosing(first.scope);
    let (scope, _) = around.find(|(_, scope)| is_body(scope))?;
    Some((place + 1, last_of(script, scope, place + 1)))
}

/// Whether nothing else gives the name a meaning: another definition, an alias, `unset`.
fn means_nothing_else(examination: &Examination, name: &str) -> bool {
    let findings = examination
        .texts
        .iter()
        .flat_map(|text| &text.script.findings);
    let defines = findings.filter(|finding| match &finding.kind {
        FindingKind::Function(function) => function.name == name,
        FindingKind::Mark(_) => true,
        _ => false,
    });
    let mut commands = examination.commands();
    let touches = |command: &Invocation| {
        let (redefined, assigned) = (command.redefined_names(), command.assigned_names());
        let mut names = redefined.into_iter().chain(assigned);
        names.any(|other| other.is_none_or(|other| other == name))
    };
    defines.count() == 1 && !commands.any(touches)
}

/// Whether what stands in this scope may get input from the text: from a pipe, or from what a compound command or `exec`
/// redirects.
fn is_fed(text: &ExaminedText, scope: ScopeId) -> bool {
    let script = &text.script;
    let is_behind_pipe = script.enclosing(scope).any(|(_, scope)| {
        let before = text.text.get(..scope.start).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t', '\n', '\\', '&', '(', '{', '!']);
        scope.kind == ScopeKind::PipelineElement && before.ends_with('|')
    });
    is_behind_pipe
        || script.findings.iter().any(|finding| match &finding.kind {
            FindingKind::Redirection(redirection) => redirection.is_input(),
            FindingKind::Command(command) => {
                command
                    .words
                    .first()
                    .is_some_and(|name| name.literal() == Some("exec"))
                    && command.redirections.iter().any(Redirection::is_input)
            }
            _ => false,
        })
}
