//! Texts that a pipe gives to a shell: `echo 'rm -rf build' | sh`.

use crate::command::{Command, Redirection, RedirectionOperator};
use crate::printed::{formatted, unescaped};
use crate::scope::{Scope, ScopeKind};
use crate::script::{FindingKind, Script};
use crate::unwrap::program_name::name_of_program;
use crate::word::Word;

/// How many members before each other are looked at.
const MOST: usize = 8;

/// What a command of a text is given as its input, as far as the text says it: here-documents, here-strings, and what the
/// commands before it write.
#[must_use]
pub fn fed_texts(text: &str, script: &Script, finding: usize) -> Vec<String> {
    let mut texts = piped_texts(text, script, finding);
    let kind = script.findings.get(finding).map(|finding| &finding.kind);
    let Some(FindingKind::Command(command)) = kind else {
        return texts;
    };
    texts.extend(given(&command.redirections));
    texts
}

/// What the commands before this one in its pipeline write, as far as the text says it. Programs between them may change
/// it, so nothing that is found here makes a text harmless.
pub(crate) fn piped_texts(text: &str, script: &Script, finding: usize) -> Vec<String> {
    let Some(finding) = script.findings.get(finding) else {
        return Vec::new();
    };
    let around = around(script, finding.scope.index());
    let mut elements = around.filter(|number| is_fed(text, script, *number));
    let Some(mut element) = elements.next() else {
        return Vec::new();
    };
    let mut written = Vec::new();
    for _ in 0..MOST {
        let Some(before) = element_before(script, element) else {
            break;
        };
        for finding in &script.findings {
            if let FindingKind::Command(command) = &finding.kind
                && around_of(script, finding.scope.index(), before)
            {
                written.extend(texts_of(command));
            }
        }
        if !is_fed(text, script, before) {
            break;
        }
        element = before;
    }
    written
}

/// The scope of this number and those around it.
fn around(script: &Script, number: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(number), |number| {
        let parent = script.scopes.get(*number)?.parent?;
        Some(parent.index())
    })
}

fn around_of(script: &Script, inner: usize, outer: usize) -> bool {
    around(script, inner).any(|number| number == outer)
}

fn element(script: &Script, number: usize) -> Option<&Scope> {
    let scope = script.scopes.get(number);
    scope.filter(|scope| scope.kind == ScopeKind::PipelineElement)
}

/// Whether the scope is a member of a pipeline and not its first one.
fn is_fed(text: &str, script: &Script, number: usize) -> bool {
    element(script, number).is_some_and(|element| {
        let before = text.get(..element.start).unwrap_or_default();
        let before = before.trim_end_matches([' ', '\t', '\n', '\\']);
        before.strip_suffix('&').unwrap_or(before).ends_with('|')
    })
}

/// The member before this one.
fn element_before(script: &Script, number: usize) -> Option<usize> {
    let own = element(script, number)?;
    let earlier = script.scopes.iter().enumerate().filter(|(_, scope)| {
        let is_member = scope.kind == ScopeKind::PipelineElement;
        is_member && scope.parent == own.parent && scope.start < own.start
    });
    let nearest = earlier.max_by_key(|(_, scope)| scope.start);
    nearest.map(|(number, _)| number)
}

/// What a command writes: its words, or the text that it is given.
fn texts_of(command: &Command) -> Vec<String> {
    let name = command.words.first().and_then(Word::literal);
    let arguments = command.words.get(1..).unwrap_or_default();
    let arguments: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
    match (name.map(name_of_program), arguments) {
        (Some("echo"), Some(words)) => echoed(&words),
        (Some("printf"), Some(words)) => vec![formatted(&words)],
        _ => given(&command.redirections).into_iter().collect(),
    }
}

fn echoed(words: &[&str]) -> Vec<String> {
    let is_option = |word: &&&str| matches!(**word, "-n" | "-e" | "-E" | "-ne" | "-en");
    let options = words.iter().take_while(is_option).count();
    let joined = words.get(options..).unwrap_or_default().join(" ");
    // Some shells have marks for line ends read without an option.
    let lines = unescaped(&joined);
    match lines == joined {
        true => vec![joined],
        false => vec![joined, lines],
    }
}

/// The here-document or here-string that comes through `cat` and its like.
fn given(redirections: &[Redirection]) -> Option<String> {
    let input = redirections.iter().rev().find(|input| input.is_input())?;
    match (input.operator, &input.here_document) {
        (RedirectionOperator::HereString, _) => input.target.literal().map(str::to_owned),
        (_, Some(document)) => document.text.clone(),
        _ => None,
    }
}
