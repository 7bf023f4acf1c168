//! Loops whose body goes into a directory and back again: `for p in a b; do cd $p && make; cd ..; done`. Each turn begins where the
//! first one did, as long as no change of the directory fails.

use std::path::{Component, Path};

use tenon_shell::{DirectoryChange, ExaminedText, FindingKind, ScopeId, ScopeKind, Word};

use crate::commands::resolve::directories::tracker::Around;

/// The way of one turn.
pub(crate) struct RoundTrip {
    /// The finding that goes there, with which the body begins.
    pub(crate) there: usize,
    /// The finding that goes back.
    pub(crate) back: usize,
    /// The body.
    pub(crate) scope: ScopeId,
    /// Where it goes, one after the other.
    pub(crate) directories: Vec<String>,
    /// How it goes back: `..` for each name on the way.
    pub(crate) up: String,
}

/// Commands that end a turn before its end, or do what is not seen here.
const LEAVING: &[&str] = &[
    ".", "alias", "break", "builtin", "command", "continue", "eval", "return", "set", "shopt",
    "source", "trap",
];

/// The loops of a text whose turns end where they begin, given the findings that change the directory.
pub(crate) fn round_trips(
    text: &ExaminedText,
    around: Around<'_>,
    changing: &[usize],
) -> Vec<RoundTrip> {
    if changing.len() < 2 {
        return Vec::new();
    }
    let script = &text.script;
    let scope_of = |finding: &usize| script.findings.get(*finding).map(|finding| finding.scope);
    // A function may be called anywhere.
    let of_function = |scope: ScopeId| {
        let mut kinds = script.ancestry(scope);
        kinds.any(|kind| matches!(kind, ScopeKind::FunctionBody(_)))
    };
    if changing.iter().filter_map(scope_of).any(of_function) {
        return Vec::new();
    }
    let pairs = changing.windows(2);
    let trips = pairs.filter_map(|pair| {
        let [there, back] = pair else { return None };
        let scope = scope_of(there)?;
        let is_loop = matches!(script.scope(scope)?.kind, ScopeKind::Loop);
        let is_within =
            |finding: &&usize| scope_of(finding).is_some_and(|own| script.is_within(own, scope));
        let begins = text.script.findings.iter().position(|finding| {
            let is_command = matches!(finding.kind, FindingKind::Command(_));
            is_command && script.is_within(finding.scope, scope)
        });
        if !is_loop
            || scope_of(back) != Some(scope)
            || changing.iter().filter(is_within).count() != 2
            || begins != Some(*there)
            || leaves_early(text, scope)
        {
            return None;
        }
        let directories = directories(text, around, *there)?;
        let (up, depth) = climbed(text, *back)?;
        let goes_so_deep = |directory: &String| {
            let mut components = Path::new(directory).components();
            components.clone().count() == depth
                && components.all(|component| matches!(component, Component::Normal(_)))
        };
        directories.iter().all(goes_so_deep).then_some(RoundTrip {
            there: *there,
            back: *back,
            scope,
            directories,
            up: up.to_owned(),
        })
    });
    trips.collect()
}

/// Whether something in the body may end a turn before its end.
fn leaves_early(text: &ExaminedText, scope: ScopeId) -> bool {
    let own = text
        .script
        .findings
        .iter()
        .filter(|finding| text.script.is_within(finding.scope, scope));
    own.into_iter().any(|finding| match &finding.kind {
        FindingKind::Command(command) => {
            let name = command.words.first().map(Word::literal);
            name.is_some_and(|name| name.is_none_or(|name| LEAVING.contains(&name)))
        }
        FindingKind::Mark(_) | FindingKind::Evaluated(_) | FindingKind::Function(_) => true,
        _ => false,
    })
}

/// The word behind a plain `cd`.
fn target(text: &ExaminedText, finding: usize) -> Option<&Word> {
    let command = text.script.command_at(finding)?;
    let invocation = text.invocation(finding)?;
    let is_plain = command.redirections.is_empty() && command.assignments.is_empty();
    match (invocation.directory_change()?, &*invocation.words) {
        (DirectoryChange::To(word), [cd, _]) if is_plain && cd.literal() == Some("cd") => {
            Some(word)
        }
        _ => None,
    }
}

/// The directories to which a turn goes, as they are written.
fn directories(text: &ExaminedText, around: Around<'_>, there: usize) -> Option<Vec<String>> {
    let word = target(text, there)?;
    if let Some(directory) = word.literal() {
        return Some(vec![directory.to_owned()]);
    }
    let variable = around.loops.variable(word, (around.number, there))?;
    let values = variable.values_of(word)?;
    let literal = |value: &Word| value.literal().map(str::to_owned);
    values.iter().map(literal).collect()
}

/// The target of `cd ..` or `cd ../..`, and how many directories up it is.
fn climbed(text: &ExaminedText, back: usize) -> Option<(&str, usize)> {
    let path = target(text, back)?.literal()?;
    let mut components = Path::new(path).components();
    let count = components.clone().count();
    components
        .all(|component| component == Component::ParentDir)
        .then_some((path, count))
}
