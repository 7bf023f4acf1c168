//! Whether a command runs just as it would alone, or the call gives it something: another directory, variables, input.
//!
//! What a user approves for the session is the command as it was shown. The same words in another directory, under other
//! variables or with other input are another command: `npm test` runs what the directory says, `git apply -` what it is fed.

use std::borrow::Cow;

use tenon_contract::CommandClaim;
use tenon_shell::{
    Command, Examination, ExaminedText, FindingKind, Invocation, Redirection, RedirectionOperator,
};

use crate::commands::resolve::{Directories, WorkingDirs};

/// What a call gives to its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandContext {
    /// The directory of the call.
    start: WorkingDirs,
    /// Whether some command runs after an assignment, with input from a compound command around it, or with variables
    /// of the call itself.
    gives: bool,
    /// Where the first pipe may stand: what comes before it is fed by none.
    pipe: usize,
}

impl CommandContext {
    pub(crate) fn of(
        claim: &CommandClaim,
        examination: &Examination,
        directories: &Directories,
    ) -> Self {
        let gives = |text: &ExaminedText| {
            let findings = text.script.findings.iter();
            let invocations = text.invocations.iter();
            findings.map(|finding| &finding.kind).any(gives)
                || invocations
                    .flat_map(|(_, invocation)| invocation.chain())
                    .any(|command| command.assigned_names().iter().any(is_setting))
        };
        Self {
            start: directories.start(),
            gives: !claim.environment.is_empty() || examination.texts.iter().any(gives),
            pipe: first_pipe(&claim.text),
        }
    }

    /// Whether a pipe may feed what begins here.
    pub(crate) const fn is_fed(&self, start: usize) -> bool {
        start > self.pipe
    }

    /// Whether the text gives something to this command, which runs in the directory of `state`.
    pub(crate) fn bind(
        &self,
        command: &Command,
        invocation: &Invocation,
        state: WorkingDirs,
    ) -> bool {
        let chain = invocation.chain();
        self.gives
            || state != self.start
            || self.is_fed(command.span.start)
            || !command.assignments.is_empty()
            || command.redirections.iter().any(feeds)
            || chain.iter().any(|command| {
                // Of a transparent wrapper no word is remembered.
                !command.assignments.is_empty()
                    || (command.transparent && !command.directories.is_empty())
            })
    }
}

/// Whether the assigned variable is one that programs read; which directory it is counts by itself.
fn is_setting(name: &Option<Cow<'_, str>>) -> bool {
    !matches!(name.as_deref(), Some("PWD" | "OLDPWD"))
}

fn gives(finding: &FindingKind) -> bool {
    match finding {
        FindingKind::Assignment(_) => true,
        FindingKind::Redirection(redirection) => feeds(redirection),
        // Assignments without a command stay, and so does what `exec` redirects.
        FindingKind::Command(command) => match command.words.first() {
            None => !command.assignments.is_empty(),
            Some(name) => name.literal() == Some("exec") && command.redirections.iter().any(feeds),
        },
        FindingKind::Function(_)
        | FindingKind::Conditional(_)
        | FindingKind::Case(_)
        | FindingKind::Arithmetic(_)
        | FindingKind::Evaluated(_)
        | FindingKind::Mark(_) => false,
    }
}

/// Whether something may be read through it.
fn feeds(redirection: &Redirection) -> bool {
    let is_read = redirection.operator == RedirectionOperator::Read;
    let is_empty = is_read && redirection.target.literal() == Some("/dev/null");
    redirection.is_input() && !is_empty
}

/// The first `|` that is not part of `||`, quoted or not.
fn first_pipe(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut place = 0;
    while let Some(found) = bytes
        .get(place..)
        .and_then(|rest| rest.iter().position(|byte| *byte == b'|'))
    {
        let start = place + found;
        let run = bytes.get(start..).unwrap_or_default();
        let length = run.iter().take_while(|byte| **byte == b'|').count();
        if length != 2 {
            return start;
        }
        place = start + length;
    }
    usize::MAX
}
