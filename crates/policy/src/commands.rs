//! Judges command texts by what they do, in four stages.
//!
//! 1. `tenon_shell::examine` reads the text as bash and as a POSIX shell read it; the findings of both count, the
//!    strictest verdict holds.
//! 2. [`resolve`] finds out where each command runs, what its words can stand for and what it is given.
//! 3. [`words`] says what a command does by its words: which files, which options, how far below directories.
//! 4. [`judge`] compares that with the rules: every simple command is a part with its own verdict. It must be allowed
//!    itself, while one denied part denies the whole.
//!
//! Files that redirections open are judged like those of the file tools. What static analysis cannot determine is never
//! allowed by a rule.

pub(crate) mod examples;
pub(crate) mod explain;
pub(crate) mod judge;
pub(crate) mod origins;
pub(crate) mod resolve;
pub(crate) mod stdin_commands;
pub(crate) mod words;

use tenon_shell::{ReadError, ShellGrammar, ShellKind};

use self::judge::command_judge::CommandJudge;
use self::judge::text::TextJudge;
use self::resolve::resolved_commands::ResolvedClaim;
use self::resolve::resolved_text::{Places, ResolvedText, conditionals, same_findings};
use crate::decision::{Exact, Judgement, PartDecision, PartKind, Why};
use crate::display::shown;
use crate::engine::{Engine, Question};
use crate::rule_text::exact_command;
use crate::verdict::{DefaultMode, Verdict};

/// Adds the parts of one command text.
pub(crate) fn decide_command<'e>(
    engine: &'e Engine,
    question: &Question<'_>,
    resolved: &ResolvedClaim<'_>,
    judgement: &mut Judgement<'e>,
) {
    let claim = resolved.claim();
    let mut judge = CommandJudge::new(engine, question, resolved, std::mem::take(judgement));
    if claim.text.trim_matches([' ', '\t', '\n']).is_empty() && !judge.open {
        judge.add(judge.unclear(&claim.text, "The command is empty."));
    }
    if let Some(shell) = engine.unread_shell.as_deref().filter(|_| !judge.open) {
        let reason = format!(
            "`{shell}` runs the command, and its language is not read. Set the option `shell` to a POSIX shell for rules that allow commands."
        );
        judge.add(judge.unclear(&claim.text, &reason));
    }
    for variable in &claim.environment {
        judge.given_variable(variable);
    }
    judge.readings(resolved);
    let is_free = |part: &PartDecision| part.verdict == Verdict::Allow && part.is_free();
    let last = {
        let parts = &judge.judgement.parts;
        if engine.mode == DefaultMode::AskIfDangerous && parts.iter().all(is_free) {
            Some(judge.whole())
        } else {
            parts.is_empty().then(|| judge.nothing())
        }
    };
    *judgement = judge.judgement;
    last.into_iter().for_each(|part| judgement.add(part));
}

impl<'e> CommandJudge<'e, '_> {
    /// Judges the text as each shell reads it.
    fn readings(&mut self, resolved: &ResolvedClaim<'_>) {
        let shell = self.engine.shell;
        let mut judged: Option<&ResolvedText> = None;
        let readings = resolved.readings.iter().zip(ShellGrammar::ALL);
        for (number, (examination, dialect)) in readings.enumerate() {
            let alike = examination.reads_alike();
            if judged.is_some_and(|other| same_findings(&other.examination, examination)) {
                continue;
            }
            let first = examination.texts.first();
            match first.and_then(|text| text.error.as_ref()) {
                // A text of one shell need not be one of the other: only the reading of the shell that runs it must
                // succeed.
                Some(_) if !alike && !shell.dialects().contains(&dialect) => continue,
                Some(error) if !self.open => self.add(self.unreadable(error)),
                _ => {}
            }
            // When bash runs the text, what dash would make of `[[ … ]]` and `((…))` is of no concern.
            let skipped = match judged {
                Some(bash) if dialect == ShellGrammar::Dash && shell == ShellKind::Bash => {
                    conditionals(bash)
                }
                _ => Places::default(),
            };
            let Some(reading) = resolved.text(number) else {
                continue;
            };
            self.reading(reading, judged, &skipped);
            judged.get_or_insert(reading);
        }
    }

    /// The text as one thing to be asked about: what steers a text is free beside commands that are allowed, not where
    /// every command is asked.
    fn whole(&self) -> PartDecision {
        let text = &self.claim.text;
        let mut part = self
            .engine
            .weigh(PartKind::Command, shown(text), None, None, true);
        let words = crate::command_pattern::words(text).unwrap_or_default();
        if !words.is_empty() {
            part.exact = Exact::Rule(exact_command(words.iter().map(String::as_str)));
            part.may_remember = true;
            part.is_bound = true;
        }
        part
    }

    /// Comments, assignments without effect, functions that nobody calls.
    fn nothing(&self) -> PartDecision {
        PartDecision::new(
            PartKind::Command,
            shown(&self.claim.text),
            Verdict::Allow,
            Why::sentence("The text runs no command and opens no file."),
        )
    }

    fn unreadable(&self, error: &ReadError) -> PartDecision {
        let reason = format!("The command cannot be parsed: {error}");
        self.unclear(&self.claim.text, &reason)
    }

    /// What the shell evaluates a second time must be known, and who names a variable by another name means it.
    fn evaluations(&mut self, reading: &ResolvedText, skipped: &Places) {
        if self.open {
            return;
        }
        for target in &reading.evaluations.targets {
            self.variable(target, "A reference of the command");
        }
        for (index, span) in &reading.evaluations.unknown {
            if *index == 0 && skipped.hold(*span) {
                continue;
            }
            let text = reading.examination.texts.get(*index);
            let subject = text.and_then(|text| text.text.get(span.start..span.end));
            self.add(self.unclear(
                subject.unwrap_or_default(),
                "The shell evaluates a value that is not known from the text, and the value can contain a command.",
            ));
        }
    }

    fn reading(
        &mut self,
        reading: &ResolvedText,
        earlier: Option<&ResolvedText>,
        skipped: &Places,
    ) {
        let texts = &reading.examination.texts;
        let invocations = || texts.iter().flat_map(|text| &text.invocations);
        let words = invocations().map(|(_, invocation)| invocation.words.len());
        self.judgement.expect(invocations().count());
        // A file that is copied has two names.
        self.path_table.expect(words.sum::<usize>() * 2);
        for (index, text) in texts.iter().enumerate() {
            if index > 0 && text.error.is_some() && !self.open {
                self.add(self.unclear(&text.text, "A script inside the command cannot be parsed."));
            }
            let mut walk = TextJudge::new(self, reading, (index, text));
            if index == 0 {
                let known = earlier.map(|earlier| reading.known_from(earlier));
                walk.findings(skipped, &known.unwrap_or_default());
            } else {
                walk.findings(&Places::default(), &[]);
            }
        }
        self.evaluations(reading, skipped);
    }
}
