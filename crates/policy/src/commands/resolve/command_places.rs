//! The commands of a text by where they stand.

use tenon_shell::{Command, ExaminedText, ScopeId, ScopeKind, Script};

/// A finding, by the place of its text among the texts and its own in the text.
pub(crate) type Place = (usize, usize);

/// What may stand beside the sign of a pipe.
const BLANKS: &[u8] = b" \t\n\\";

/// The findings that are commands, by their places. Of several at one place the first counts.
#[derive(Debug)]
pub(crate) struct CommandPlaces<'t> {
    text: &'t ExaminedText,
    /// In order, each behind the beginning of its name.
    by_name: Vec<(usize, usize)>,
    /// In order, each behind its end.
    by_end: Vec<(usize, usize)>,
    /// In order, each behind the substitution in which it stands, but not in the words of another command there.
    by_substitution: Vec<(usize, usize)>,
}

impl<'t> CommandPlaces<'t> {
    pub(crate) fn of(text: &'t ExaminedText) -> Self {
        let script = &text.script;
        let mut places = Self {
            text,
            by_name: Vec::new(),
            by_end: Vec::new(),
            by_substitution: Vec::new(),
        };
        let substitutions = substitutions(script);
        for (number, finding) in script.findings.iter().enumerate() {
            let Some(command) = finding.kind.command() else {
                continue;
            };
            let span = command.span;
            let name = command.words.first().map(|name| name.span.start);
            if let Some(name) = name.filter(|name| (span.start..span.end).contains(name)) {
                places.by_name.push((name, number));
            }
            places.by_end.push((span.end, number));
            let around = substitutions.get(finding.scope.index());
            let around = around.copied().flatten();
            places
                .by_substitution
                .extend(around.map(|scope| (scope, number)));
        }
        places.by_name.sort_unstable();
        places.by_end.sort_unstable();
        places.by_substitution.sort_unstable();
        places
    }

    /// The command whose name begins here.
    pub(crate) fn beginning_at(&self, name: usize) -> Option<&'t Command> {
        self.text.script.command_at(first_at(&self.by_name, name)?)
    }

    /// The commands of a substitution, without those in the words of its commands.
    pub(crate) fn of_substitution(&self, scope: ScopeId) -> impl Iterator<Item = &'t Command> {
        let all = &self.by_substitution;
        let first = all.partition_point(|(of, _)| *of < scope.index());
        let own = all
            .iter()
            .skip(first)
            .take_while(move |(of, _)| *of == scope.index());
        own.filter_map(|(_, number)| self.text.script.command_at(*number))
    }

    /// The command whose output is the input of this one.
    pub(crate) fn piped_into(&self, to: &Command) -> Option<&'t Command> {
        let before = self.text.text.as_bytes().get(..to.span.start)?;
        let is_blank = |byte: &u8| BLANKS.contains(byte);
        let sign = before.iter().rposition(|byte| !is_blank(byte))?;
        let before = before
            .get(..sign)
            .filter(|_| before.get(sign) == Some(&b'|'))?;
        let blanks = before.iter().rev().take_while(|byte| is_blank(byte));
        // A word can end with a blank that is quoted.
        let ends = sign - blanks.count()..=sign;
        let found = ends.filter_map(|end| first_at(&self.by_end, end)).min();
        self.text.script.command_at(found?)
    }
}

/// The first finding behind this place in an ordered list.
fn first_at(list: &[(usize, usize)], place: usize) -> Option<usize> {
    let first = list.partition_point(|(own, _)| *own < place);
    let (own, number) = list.get(first)?;
    (*own == place).then_some(*number)
}

/// Of each scope the innermost substitution around it, itself included.
fn substitutions(script: &Script) -> Vec<Option<usize>> {
    let mut around: Vec<Option<usize>> = Vec::with_capacity(script.scopes.len());
    for (place, scope) in script.scopes.iter().enumerate() {
        let own = match scope.kind {
            ScopeKind::CommandSubstitution | ScopeKind::ProcessSubstitution => Some(place),
            _ => None,
        };
        let outer = scope.parent.and_then(|parent| around.get(parent.index()));
        around.push(own.or(outer.copied().flatten()));
    }
    around
}
