//! What words can become.

use std::borrow::Cow;

use super::graph::{Class, Graph};
use super::numbers;
use crate::command::Command;
use crate::examine::ExaminedText;
use crate::reader::arithmetic::{assigned_names, begins_with_assignment};
use crate::scope::ScopeId;
use crate::script::FindingKind;
use crate::word::{ParameterOperation, Part, Word};

/// The substitutions of one text: what their commands write.
pub(super) struct Outputs<'t> {
    pub(super) text: &'t ExaminedText,
    /// Of each scope the scopes directly inside.
    pub(super) inside: Vec<Vec<usize>>,
    /// Of each scope the findings directly inside.
    pub(super) findings: Vec<Vec<usize>>,
    /// Whether some array has other subscripts than numbers.
    named_subscripts: bool,
}

impl<'t> Outputs<'t> {
    pub(super) fn of(text: &'t ExaminedText, named_subscripts: bool) -> Self {
        let scopes = &text.script.scopes;
        let mut inside = vec![Vec::new(); scopes.len()];
        for (index, scope) in scopes.iter().enumerate() {
            if let Some(list) = scope
                .parent
                .and_then(|parent| inside.get_mut(parent.index()))
            {
                list.push(index);
            }
        }
        let mut findings = vec![Vec::new(); scopes.len()];
        for (index, finding) in text.script.findings.iter().enumerate() {
            if let Some(list) = findings.get_mut(finding.scope.index()) {
                list.push(index);
            }
        }
        Self {
            text,
            inside,
            findings,
            named_subscripts,
        }
    }

    /// The only command of a scope, if there is nothing else but what its words hold.
    pub(super) fn only_command(&self, scope: usize) -> Option<&'t Command> {
        let found = self.findings.get(scope)?;
        let mut commands = None;
        for index in found {
            match &self.text.script.findings.get(*index)?.kind {
                FindingKind::Command(command) if commands.is_none() => commands = Some(command),
                FindingKind::Evaluated(_) | FindingKind::Arithmetic(_) => {}
                _ => return None,
            }
        }
        commands
    }
}

/// A piece of a word.
enum Piece<'w> {
    Text(Cow<'w, str>),
    Part(&'w Part),
}

/// The pieces of a word, neighbouring texts in one.
fn pieces(word: &Word) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::with_capacity(word.parts.len());
    for part in &word.parts {
        match (part, pieces.last_mut()) {
            (Part::Text { value, .. }, Some(Piece::Text(before))) => {
                before.to_mut().push_str(value);
            }
            (Part::Text { value, .. }, _) => pieces.push(Piece::Text(Cow::Borrowed(value))),
            (part, _) => pieces.push(Piece::Part(part)),
        }
    }
    pieces
}

impl Piece<'_> {
    fn text(&self) -> &[u8] {
        match self {
            Piece::Text(text) => text.as_bytes(),
            Piece::Part(_) => b"",
        }
    }
}

/// The names to which the text of this word assigns where it is evaluated; `behind` leaves out what stands before the
/// first bracket.
pub(super) fn assigned_in(word: &Word, behind: bool) -> Vec<String> {
    let pieces = pieces(word);
    let texts = pieces.iter().map(|piece| {
        let text = piece.text();
        let bracket = text.iter().position(|byte| *byte == b'[');
        match bracket.filter(|_| behind) {
            Some(place) => text.get(place..).unwrap_or_default(),
            None if behind => b"",
            None => text,
        }
    });
    texts.flat_map(assigned_names).collect()
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Graph {
    /// A word that is assigned: only what needs no care is harmless.
    pub(super) fn value(&mut self, node: usize, word: &Word, outputs: &Outputs<'_>) {
        let list = word.pattern().is_some_and(|text| {
            let fits = |byte| matches!(byte, b'0'..=b'9' | b'{' | b'}' | b'.' | b',' | b'-');
            text.contains("..") && text.bytes().all(fits)
        });
        if list {
            return;
        }
        if word.expansion.globs || word.expansion.braces || word.expansion.tilde {
            self.raise(node, Class::Unknown);
            return;
        }
        // No sign of a pattern: unquoted expansions of the value name no files.
        let plain = |byte: u8| is_word_byte(byte) || b" \t\n+-/%.,:<>=&|^~#".contains(&byte);
        let assigns =
            |text: &[u8]| begins_with_assignment(text) || !assigned_names(text).is_empty();
        let pieces = pieces(word);
        if pieces.iter().any(|piece| assigns(piece.text())) {
            self.raise(node, Class::Unknown);
        }
        self.pieces(node, &pieces, outputs, plain);
    }

    /// A word that is evaluated: an expression, or a name with a subscript.
    pub(super) fn expression(&mut self, node: usize, word: &Word, outputs: &Outputs<'_>) {
        let plain = |byte: u8| !matches!(byte, b'$' | b'`' | b'\\');
        let pieces = pieces(word);
        let assigns = |pair: &[Piece<'_>]| {
            let [before, after] = pair else {
                return false;
            };
            // A name that an expansion gives.
            begins_with_assignment(after.text())
                || [b"++", b"--"]
                    .iter()
                    .any(|sign| before.text().trim_ascii_end().ends_with(*sign))
        };
        if pieces.windows(2).any(assigns) {
            self.raise(node, Class::Unknown);
        }
        self.pieces(node, &pieces, outputs, plain);
    }

    fn pieces(
        &mut self,
        node: usize,
        pieces: &[Piece<'_>],
        outputs: &Outputs<'_>,
        plain: impl Fn(u8) -> bool,
    ) {
        let text = |place: Option<usize>| match place.and_then(|place| pieces.get(place)) {
            Some(Piece::Text(text)) => text.as_bytes(),
            // An expansion beside an expansion.
            Some(Piece::Part(_)) => b"0",
            None => b"",
        };
        for (place, piece) in pieces.iter().enumerate() {
            let before = text(place.checked_sub(1)).last().copied();
            let after = text(Some(place + 1)).first().copied();
            match piece {
                Piece::Text(text) => {
                    if !text.bytes().all(&plain) {
                        self.raise(node, Class::Unknown);
                        return;
                    }
                    self.literal(node, text, before.is_some(), after.is_some());
                }
                Piece::Part(part) => {
                    let touches =
                        before.is_some_and(is_word_byte) || after.is_some_and(is_word_byte);
                    self.part(node, part, touches, outputs);
                }
            }
        }
    }

    /// The names in a text. `open` where an expansion continues.
    fn literal(&mut self, node: usize, text: &str, open_before: bool, open_after: bool) {
        let mut rest = text;
        let mut start = true;
        while let Some(place) = rest.bytes().position(is_word_byte) {
            start &= place == 0;
            let run = rest.get(place..).unwrap_or_default();
            let length = run.bytes().position(|byte| !is_word_byte(byte));
            let (name, behind) = run.split_at(length.unwrap_or(run.len()));
            let touches = (start && open_before) || (behind.is_empty() && open_after);
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number && touches {
                self.raise(node, Class::Unknown);
            } else if !name.starts_with(|first: char| first.is_ascii_digit()) {
                let from = self.name(name);
                self.names(from, node);
            }
            start = false;
            rest = behind;
        }
    }

    fn part(&mut self, node: usize, part: &Part, touches: bool, outputs: &Outputs<'_>) {
        match part {
            Part::Text { .. } | Part::Arithmetic { .. } => {}
            Part::Parameter {
                name, operation, ..
            } => self.parameter(node, name, *operation, touches, outputs),
            Part::CommandSubstitution { scope, .. } => self.output(node, *scope, touches, outputs),
            Part::ProcessSubstitution { .. } | Part::Unknown => self.raise(node, Class::Unknown),
        }
    }

    fn parameter(
        &mut self,
        node: usize,
        name: &str,
        operation: ParameterOperation,
        touches: bool,
        outputs: &Outputs<'_>,
    ) {
        let several = name.len() > 1 && name.ends_with('@');
        let plain = if several {
            name.trim_end_matches('@')
        } else {
            name
        };
        match operation {
            ParameterOperation::Length => {}
            // The subscripts of a list are numbers.
            ParameterOperation::Indirect if several && !outputs.named_subscripts => {}
            ParameterOperation::Value
            | ParameterOperation::Element
            | ParameterOperation::DefaultNumber
            | ParameterOperation::Assign => {
                let from = self.name(plain);
                if touches {
                    self.joins(from, node);
                } else {
                    self.copies(from, node);
                }
            }
            ParameterOperation::Removal(_) | ParameterOperation::Substring => {
                let from = self.name(plain);
                self.joins(from, node);
            }
            ParameterOperation::Indirect
            | ParameterOperation::Default
            | ParameterOperation::Pattern
            | ParameterOperation::Transform => self.raise(node, Class::Unknown),
        }
    }

    /// What the commands of a substitution write.
    fn output(&mut self, node: usize, scope: ScopeId, touches: bool, outputs: &Outputs<'_>) {
        let Some(written) = numbers::written(scope.index(), outputs) else {
            self.raise(node, Class::Unknown);
            return;
        };
        let text = self.node();
        for word in written.words {
            self.value(text, word, outputs);
        }
        if touches || written.in_pieces {
            self.joins(text, node);
        } else {
            self.copies(text, node);
        }
    }
}
