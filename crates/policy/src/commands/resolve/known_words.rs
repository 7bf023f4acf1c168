//! Words whose variables have one value that the text itself gives them: they are read as if the value stood there.
//! `TOOL=~/bin/tool; $TOOL run` names a program, and `OPTIONS="-r --force"; rm $OPTIONS x` has two options.

use std::sync::Arc;

use smallvec::SmallVec;
use tenon_programs::Catalogue;
use tenon_shell::{
    Command, Examination, Expansion, HOME, ParameterOperation, Part, ShellGrammar, Word, Words,
    below_home, examine_with,
};

use crate::commands::resolve::{LazyVariables, Loops, Place};

/// What is known of the machine and its programs.
#[derive(Clone, Copy)]
pub(crate) struct Known<'k> {
    pub(crate) catalogue: &'k Catalogue,
    pub(crate) home: Option<&'k str>,
}

/// Examines the text again with what is known of its variables; the same where nothing is.
pub(crate) fn with_known_words(
    examination: Arc<Examination>,
    text: &str,
    dialect: ShellGrammar,
    known: Known<'_>,
) -> Arc<Examination> {
    if !text.contains('$') {
        return examination;
    }
    let variables = LazyVariables::of(Arc::clone(&examination));
    let loops = Loops::find(&variables, &[], Vec::new());
    let replaced = commands(&examination, &loops, known.home);
    if replaced.is_empty() {
        return examination;
    }
    let again = Arc::new(examine_with(
        known.catalogue,
        known.home,
        text,
        dialect,
        &replaced,
    ));
    // A name that is known now may be one that sets variables: `C=read; $C TOOL`.
    let variables = LazyVariables::of(Arc::clone(&again));
    let loops = Loops::find(&variables, &[], Vec::new());
    let before = examination.texts.first();
    let holds = replaced.iter().all(|(place, words)| {
        let command = before.and_then(|text| text.script.command_at(*place));
        let again = command.and_then(|it| replaced_words(it, (0, *place), &loops, known.home));
        again.as_ref() == Some(words)
    });
    if holds { again } else { examination }
}

/// The commands of the text itself in which a variable is replaced, with their words then.
fn commands(examination: &Examination, loops: &Loops, home: Option<&str>) -> Vec<(usize, Words)> {
    let findings = examination.texts.first().map(|text| &text.script.findings);
    let mut replaced = Vec::new();
    for (place, finding) in findings.into_iter().flatten().enumerate() {
        if let Some(command) = finding.kind.command()
            && let Some(words) = replaced_words(command, (0, place), loops, home)
        {
            replaced.push((place, words));
        }
    }
    replaced
}

/// The words of the command with the values of their variables; nothing where no word has any, and where none would be left.
fn replaced_words(
    command: &Command,
    here: Place,
    loops: &Loops,
    home: Option<&str>,
) -> Option<Words> {
    let known = |word| listed(word, here, loops).or_else(|| replaced(word, here, loops, home));
    let first = command
        .words
        .iter()
        .position(|word| known(word).is_some())?;
    let (before, behind) = command.words.split_at_checked(first)?;
    let mut words = before.to_vec();
    for word in behind {
        match known(word) {
            Some(several) => words.extend(several),
            None => words.push(word.clone()),
        }
    }
    (!words.is_empty()).then(|| words.into())
}

/// The words of a list that is used as it is: `"${files[@]}"`, `"$@"`.
pub(crate) fn listed(word: &Word, here: Place, loops: &Loops) -> Option<SmallVec<[Word; 1]>> {
    let [
        Part::Parameter {
            name,
            operation: ParameterOperation::Value,
            quoted,
        },
    ] = word.parts.as_slice()
    else {
        return None;
    };
    let values = loops.list(name, here)?.iter();
    let words = values.map(|value| {
        let value = value.literal()?;
        (*quoted || stays_whole(value)).then(|| Word::synthetic(value, word.span))
    });
    words.collect()
}

/// The words that this one becomes; nothing where it has no variable, or one that is not known. A word that only begins with the
/// home directory stays as it is: it is followed by itself.
pub(crate) fn replaced(
    word: &Word,
    here: Place,
    loops: &Loops,
    home: Option<&str>,
) -> Option<SmallVec<[Word; 1]>> {
    if word.literal().is_some() || word.expansion.braces || word.expansion.tilde {
        return None;
    }
    if home.is_some_and(|home| below_home(word, home).is_some()) {
        return None;
    }
    let mut parts = SmallVec::with_capacity(word.parts.len());
    for part in &word.parts {
        match part {
            Part::Text { .. } => parts.push(part.clone()),
            Part::Parameter {
                name,
                operation: ParameterOperation::Value,
                quoted,
            } => {
                let given = loops.text_value(name, here);
                let below = given.and_then(|given| below_home(given, home?));
                let value = match (below.as_ref().or(given), home) {
                    (Some(value), _) => value.literal()?,
                    // In the middle of a word: `file=@$HOME/x`.
                    (None, Some(home)) if name == HOME && word.parts.len() > 1 => home,
                    (None, _) => return None,
                };
                if !quoted && !stays_whole(value) {
                    return (word.parts.len() == 1)
                        .then(|| split(value, word))
                        .flatten();
                }
                parts.push(Part::text(value, true));
            }
            _ => return None,
        }
    }
    let expansion = Expansion {
        splits: false,
        ..word.expansion
    };
    Some(SmallVec::from_iter([Word::of_parts(
        parts, expansion, word.span,
    )]))
}

/// Whether a value is one word without quotes, too.
fn stays_whole(value: &str) -> bool {
    !value.is_empty() && !value.contains([' ', '\t', '\n', '*', '?', '[', '\\'])
}

/// The words of a value without quotes, where it has no pattern.
fn split(value: &str, word: &Word) -> Option<SmallVec<[Word; 1]>> {
    let pieces = value.split([' ', '\t', '\n']);
    let mut pieces = pieces.filter(|piece| !piece.is_empty()).peekable();
    pieces.peek()?;
    pieces
        .map(|piece| stays_whole(piece).then(|| Word::synthetic(piece, word.span)))
        .collect()
}
