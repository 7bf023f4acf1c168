//! With what a word can begin that the text itself determines: the values of variables, whichever of their assignments counts,
//! positional parameters, what `read` is given, and what `pwd`, `which` and `echo` print. For questions where one possible value is enough.

use std::cell::OnceCell;

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use tenon_shell::{
    Command, Examination, ExaminedText, FindingKind, ParameterOperation, Part, RedirectionOperator,
    Removed, ScopeId, Word, formatted, is_one_word, unescaped,
};

use crate::commands::resolve::LazyVariables;

/// How many words one word is followed to, and how many parts of a word are replaced in them.
const MOST: usize = 256;

/// Under this name stand the arguments of `set --` and of functions.
const ARGUMENTS: &str = "@";

/// What gives values to the words of a text.
#[derive(Default)]
pub(crate) struct PossibleValues {
    /// Whether the text has expansions at all.
    any: bool,
    given: OnceCell<Given>,
}

impl PossibleValues {
    /// Those of a text that has expansions at all.
    pub(crate) const fn of(any: bool) -> Self {
        Self {
            any,
            given: OnceCell::new(),
        }
    }

    /// The words that this one of a text can stand for, where it begins with something that the text determines. The rest of
    /// them may be unknown.
    pub(crate) fn beginnings(
        &self,
        variables: &LazyVariables,
        text: usize,
        word: &Word,
    ) -> Vec<Word> {
        let mut found = Vec::new();
        if !self.any {
            return found;
        }
        let examination = &variables.examination;
        let given = || self.given.get_or_init(|| Given::of(examination));
        let mut open = vec![(text, word.clone())];
        let mut steps = 0;
        while let Some((text, word)) = open.pop() {
            steps += 1;
            if steps > MOST {
                break;
            }
            let behind = word.parts.get(1..).unwrap_or_default();
            match word.parts.first() {
                Some(Part::Text { .. }) if steps > 1 => found.push(word),
                Some(Part::Parameter {
                    name, operation, ..
                }) if has_values(name, *operation) => {
                    let name = listed(name);
                    for (of, value) in given().by(variables, name, *operation, text).take(MOST) {
                        let values = put_in(value, behind, &word);
                        open.extend(values.into_iter().map(|value| (of, value)));
                    }
                    // What the shell itself gives it.
                    if steps > 1 && matches!(name, "PWD" | "HOME") {
                        found.push(word);
                    }
                }
                Some(Part::CommandSubstitution { scope, .. }) => {
                    let printed = given().printed(examination, (text, *scope));
                    let printed = printed.map(|printed| Word::synthetic(&printed, word.span));
                    let values = printed.map(|printed| put_in(&printed, behind, &word));
                    found.extend(values.into_iter().flatten());
                }
                _ => {}
            }
        }
        found
    }
}

/// What names and substitutions of a text can stand for, gone through once.
#[derive(Default)]
struct Given {
    /// The words that a name is given but for those of assignments, each with the text in which it stands.
    words: HashMap<String, Vec<(usize, Word)>>,
    /// The variables that `read` and its like set, and what they can get.
    read: HashSet<String>,
    fed: Vec<(usize, Word)>,
    /// What shells give to the texts that they read: `bash -c 'rm "$1"' x ../y`.
    arguments: HashMap<usize, Vec<(usize, Word)>>,
    /// The command of a scope, by its text, where it is the only one.
    alone: HashMap<(usize, usize), Option<usize>>,
}

impl Given {
    fn of(examination: &Examination) -> Self {
        let mut given = Self::default();
        let mut functions: HashSet<&str> = HashSet::new();
        for (text, examined) in examination.texts.iter().enumerate() {
            for (place, finding) in examined.script.findings.iter().enumerate() {
                match &finding.kind {
                    FindingKind::Function(function) => drop(functions.insert(&function.name)),
                    FindingKind::Command(_) => {
                        let scope = given.alone.entry((text, finding.scope.index()));
                        scope.and_modify(|only| *only = None).or_insert(Some(place));
                    }
                    _ => {}
                }
            }
        }
        for (text, examined) in examination.texts.iter().enumerate() {
            if let Some(arguments) = given_to(examination, examined) {
                given.arguments.insert(text, arguments);
            }
            for command in examined.script.commands() {
                given.command(text, command, &functions);
            }
        }
        if !given.read.is_empty() {
            let texts = examination.texts.iter().enumerate();
            let lines = texts.flat_map(|(text, examined)| {
                let lines = fed(examined).into_iter();
                lines.map(move |line| (text, line))
            });
            given.fed = lines.collect();
        }
        given
    }

    fn command(&mut self, place: usize, command: &Command, functions: &HashSet<&str>) {
        let name = command.words.first().and_then(Word::literal);
        let Some(name) = name else { return };
        if matches!(name, "read" | "mapfile" | "readarray") {
            let names = command.words.iter().skip(1).filter_map(Word::literal);
            let names = names.filter(|name| !name.starts_with('-'));
            self.read.extend(names.map(str::to_owned));
        }
        let words = command.words.get(1..).unwrap_or_default();
        if name == "printf"
            && let [option, variable, text @ ..] = words
            && option.literal() == Some("-v")
            && let Some(variable) = variable.literal()
        {
            let text: Option<Vec<&str>> = text.iter().map(Word::literal).collect();
            let value = text.map(|text| Word::synthetic(&formatted(&text), command.span));
            let list = self.words.entry_ref(variable).or_default();
            list.extend(value.map(|value| (place, value)));
        }
        if name == "set" || functions.contains(name) {
            let list = self.words.entry_ref(ARGUMENTS).or_default();
            let arguments = command.words.iter().skip(1);
            list.extend(arguments.map(|argument| (place, argument.clone())));
        }
    }

    /// The words that a parameter can stand for: of `${!i}` each argument, and the values of the variables that `i` names.
    fn by<'g>(
        &'g self,
        variables: &'g LazyVariables,
        name: &'g str,
        operation: ParameterOperation,
        text: usize,
    ) -> impl Iterator<Item = (usize, &'g Word)> {
        let is_indirect = operation == ParameterOperation::Indirect;
        let named = self.to(variables, name).filter(move |_| is_indirect);
        let named = named.filter_map(|(_, value)| value.literal());
        let named = named.flat_map(|named| self.to(variables, listed(named)));
        let arguments = is_indirect || matches!(name, ARGUMENTS | "0");
        let of_text = self.arguments.get(&text).filter(|_| arguments);
        let of_text = of_text.into_iter().flatten();
        let set = self.to(variables, ARGUMENTS).filter(move |_| is_indirect);
        let plain = self.to(variables, name).filter(move |_| !is_indirect);
        let behind = of_text.map(|(text, value)| (*text, value));
        plain.chain(named).chain(set).chain(behind)
    }

    /// The words that a name can stand for.
    fn to<'g>(
        &'g self,
        variables: &'g LazyVariables,
        name: &str,
    ) -> impl Iterator<Item = (usize, &'g Word)> + use<'g> {
        let assigned = variables.given_to(name);
        let assigned = assigned.flat_map(|(text, own)| own.values.iter().map(move |it| (text, it)));
        let fed = self.read.contains(name).then_some(&self.fed);
        let others = self.words.get(name).into_iter().chain(fed).flatten();
        assigned.chain(others.map(|(text, value)| (*text, value)))
    }

    /// What a substitution prints that is one `pwd`, `which`, `echo` or `printf`: the working directory as `.`, and the top of a
    /// repository as well, which is no deeper; a program as one of the system.
    fn printed(
        &self,
        examination: &Examination,
        (text, scope): (usize, ScopeId),
    ) -> Option<String> {
        let place = (*self.alone.get(&(text, scope.index()))?)?;
        let command = examination.texts.get(text)?.script.command_at(place)?;
        let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
        match words?.split_first()? {
            (&"pwd", _) | (&"git", [.., "--show-toplevel"]) => Some(".".to_owned()),
            (&"which", [.., name]) | (&"command" | &"type", [_, name]) => {
                Some(format!("/usr/bin/{name}"))
            }
            _ => echoed(command),
        }
    }
}

/// What stands behind the text of a shell in its command, and may be its positional parameters.
fn given_to(examination: &Examination, text: &ExaminedText) -> Option<Vec<(usize, Word)>> {
    let origin = text.origin.as_ref().filter(|origin| !origin.same_shell)?;
    let outer = examination.texts.get(origin.text)?;
    let command = outer.script.command_at(origin.finding)?;
    let behind = command.words.iter();
    let behind = behind.skip_while(|word| word.span.start <= origin.span.start);
    // `xargs` adds what it reads.
    let name = command.words.first().and_then(Word::literal);
    let added = (name == Some("xargs")).then(|| fed(outer));
    let all = behind.cloned().chain(added.into_iter().flatten());
    Some(all.map(|word| (origin.text, word)).collect())
}

/// The words that a text gives as input: here-strings and documents, and what `echo` and `printf` print into a pipe.
fn fed(text: &ExaminedText) -> Vec<Word> {
    let mut found = Vec::new();
    let mut add = |text: &str, span| {
        let lines = text.lines().flat_map(str::split_whitespace);
        found.extend(lines.map(|piece| Word::synthetic(piece, span)));
    };
    for redirection in text.script.redirections() {
        if redirection.operator == RedirectionOperator::HereString {
            add(
                redirection.target.literal().unwrap_or_default(),
                redirection.span,
            );
        }
        let document = redirection.here_document.as_ref();
        let lines = document.and_then(|document| document.text.as_deref());
        add(lines.unwrap_or_default(), redirection.span);
    }
    for command in text.script.commands() {
        let behind = text.text.get(command.span.end..).unwrap_or_default();
        let behind = behind.trim_start();
        if behind.starts_with('|') && !behind.starts_with("||") {
            add(&echoed(command).unwrap_or_default(), command.span);
        }
    }
    found
}

/// Whether what a parameter gives so can be its value, an element of it,
/// or what remains of it in front of an ending. A part of a list is some of its values.
fn has_values(name: &str, operation: ParameterOperation) -> bool {
    match operation {
        ParameterOperation::Value
        | ParameterOperation::Element
        | ParameterOperation::Indirect
        | ParameterOperation::Default
        | ParameterOperation::Assign
        | ParameterOperation::Removal(Some(Removed::Ending(_) | Removed::Extension)) => true,
        ParameterOperation::Substring => name.contains(['@', '*']),
        _ => false,
    }
}

/// Under which name the values of a parameter stand: those of an array under its own, all arguments under one.
fn listed(name: &str) -> &str {
    let is_argument = name != "0" && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_argument || name.starts_with(['@', '*']) {
        return ARGUMENTS;
    }
    name.trim_end_matches(['@', '*', '[', ']'])
}

/// The words of a value in the place of the first part of a word; several where the shell takes it apart.
fn put_in(value: &Word, behind: &[Part], word: &Word) -> Vec<Word> {
    let with = |value: &Word| {
        let mut parts: SmallVec<[Part; 1]> = value.parts.iter().cloned().collect();
        parts.extend(behind.iter().cloned());
        let mut expansion = value.expansion;
        let is_known = |part: &Part| matches!(part, Part::Text { .. });
        expansion.splits |= word.expansion.splits && !parts.iter().all(is_known);
        Word::of_parts(parts, expansion, word.span)
    };
    match value.literal() {
        Some(text) if word.expansion.splits && !is_one_word(text) => {
            let pieces = text.split_whitespace();
            let pieces = pieces.map(|piece| Word::synthetic(piece, word.span));
            pieces.map(|piece| with(&piece)).collect()
        }
        _ => vec![with(value)],
    }
}

/// What one `echo` or `printf` of words that stand there prints, without the ends of lines.
pub(crate) fn echoed(command: &Command) -> Option<String> {
    let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
    let words = words.filter(|_| command.redirections.is_empty())?;
    let text = match words.split_first()? {
        (&"echo", words) if !words.first()?.starts_with('-') => unescaped(&words.join(" ")),
        (&"printf", words) => formatted(words),
        _ => return None,
    };
    Some(text.trim_end_matches('\n').to_owned())
}
