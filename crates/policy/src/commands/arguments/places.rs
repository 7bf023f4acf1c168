//! The commands of a text by where they stand.

use hashbrown::HashMap;
use tenon_shell::{Command, ExaminedText, FindingKind, Script};

/// What may stand beside the sign of a pipe.
const BLANKS: &[u8] = b" \t\n\\";

/// The findings that are commands, by their places. Of several at one place the first counts.
#[derive(Debug, Default)]
pub(crate) struct CommandPlaces {
    /// By the beginning of the name.
    by_name: HashMap<usize, usize>,
    by_end: HashMap<usize, usize>,
}

impl CommandPlaces {
    pub(super) fn of(script: &Script) -> Self {
        let mut places = Self::default();
        for (number, finding) in script.findings.iter().enumerate() {
            let FindingKind::Command(command) = &finding.kind else {
                continue;
            };
            let span = command.span;
            let name = command.words.first().map(|name| name.span.start);
            if let Some(name) = name.filter(|name| (span.start..span.end).contains(name)) {
                places.by_name.entry(name).or_insert(number);
            }
            places.by_end.entry(span.end).or_insert(number);
        }
        places
    }

    /// The command whose name begins here.
    pub(super) fn beginning_at<'t>(
        &self,
        name: usize,
        text: &'t ExaminedText,
    ) -> Option<&'t Command> {
        command(*self.by_name.get(&name)?, text)
    }

    /// The command whose output is the input of this one.
    pub(super) fn piped_into<'t>(
        &self,
        to: &Command,
        text: &'t ExaminedText,
    ) -> Option<&'t Command> {
        let before = text.text.as_bytes().get(..to.span.start)?;
        let is_blank = |byte: &u8| BLANKS.contains(byte);
        let sign = before.iter().rposition(|byte| !is_blank(byte))?;
        let before = before
            .get(..sign)
            .filter(|_| before.get(sign) == Some(&b'|'))?;
        let blanks = before.iter().rev().take_while(|byte| is_blank(byte));
        // A word can end with a blank that is quoted.
        let ends = sign - blanks.count()..=sign;
        let found = ends.filter_map(|end| self.by_end.get(&end)).min();
        command(*found?, text)
    }
}

fn command(number: usize, text: &ExaminedText) -> Option<&Command> {
    match &text.script.findings.get(number)?.kind {
        FindingKind::Command(command) => Some(command),
        _ => None,
    }
}
