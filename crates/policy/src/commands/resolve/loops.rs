//! What the variable of a `for` loop can be.

use smallvec::SmallVec;
use tenon_contract::GivenVariable;
use tenon_programs::words::variables::OF_SHELLS;
use tenon_shell::{
    AssignmentKind, Command, Examination, ExaminedText, Finding, FindingKind, HOME, Invocation,
    ParameterOperation, Part, Removed, ScopeId, ScopeKind, Script, Span, Word, is_one_word,
};

use crate::commands::resolve::assignments::may_set_others;
use crate::commands::resolve::functions::Function;
use crate::commands::resolve::known_outputs::{KnownOutput, commands_alone};
use crate::commands::resolve::known_words::{listed, replaced};
use crate::commands::resolve::{Functions, LazyVariables, Place};
use crate::commands::words::in_braces;
use crate::commands::words::options::runs_elsewhere;

/// How many loops are distinguished: the variables of the others are not known.
const MOST: usize = 64;

/// The last place of a variable that the call gives.
const GIVEN: usize = usize::MAX - 1;

/// A variable that has the values of its loop wherever the loop's commands use it.
pub(crate) struct Variable {
    text: usize,
    name: String,
    values: Vec<Word>,
    /// The findings of the loop.
    first: usize,
    last: usize,
    /// How its values are used.
    kind: Kind,
    /// Whether its patterns are expanded before anything of the text can have made a file, in the directory of the call.
    is_first: bool,
}

/// How the values of a variable are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It has one of them at a time.
    OneOf,
    /// It is an array of all of them.
    Array,
    /// It is one of the positional parameters that `set --` gave, or all of them (`@`).
    Positional,
    /// The same of a function, each of what its calls give.
    Argument,
}

/// All such variables of a text.
#[derive(Default)]
pub(crate) struct Loops {
    variables: Vec<Variable>,
    /// Substitutions of the text itself whose output is known.
    outputs: Vec<(ScopeId, Variable)>,
}

impl Loops {
    pub(crate) fn find(
        variables: &LazyVariables,
        given: &[GivenVariable],
        outputs: Vec<KnownOutput>,
    ) -> Self {
        let examination = &*variables.examination;
        let mut loops = Self {
            variables: Vec::new(),
            outputs: outputs.into_iter().map(of_output).collect(),
        };
        loops.given(given, examination);
        for (text, examined) in examination.texts.iter().enumerate() {
            let script = &examined.script;
            for (place, finding) in script.findings.iter().enumerate() {
                let Some(command) = finding.kind.command() else {
                    continue;
                };
                let last = || last_of(script, finding.scope, place);
                if command.words.is_empty() {
                    loops.assigned((text, place), command, examined, last);
                } else if text == 0 {
                    loops.positional(place, &command.words, last);
                }
            }
            loops.working_directory(text, &examined.text, examination);
        }
        loops.keep_certain(variables);
        let before = loops.variables.len();
        loops.of_words(examination);
        if loops.variables.len() > before {
            loops.keep_certain(variables);
        }
        loops.arguments(examination);
        loops
    }

    /// The same with what `basename` prints of the names that a variable stands for: `$(basename "$f" .txt)`.
    pub(crate) fn with_base_names(
        mut self,
        examination: &Examination,
        is_redefined: &dyn Fn(&str) -> bool,
    ) -> Self {
        let Some(text) = examination.texts.first() else {
            return self;
        };
        if !text.text.contains("basename") || is_redefined("basename") {
            return self;
        }
        for (place, scope, command) in commands_alone(&text.script) {
            let values = self.base_names(&command.words, (0, place));
            self.outputs
                .extend(values.map(|values| of_output(KnownOutput { scope, values })));
        }
        self
    }

    /// What `basename "$f"` and `basename "$f" ENDING` print.
    fn base_names(&self, words: &[Word], here: Place) -> Option<Vec<Word>> {
        let (word, ending) = match words {
            [name, word] if name.literal() == Some("basename") => (word, None),
            [name, word, ending] if name.literal() == Some("basename") => {
                // An option would stand for something else.
                let ending = ending.literal().filter(|text| !text.starts_with('-'))?;
                (word, Some(ending))
            }
            _ => return None,
        };
        let values = self.variable(word, here)?.values_of(word)?;
        let names = values.iter().map(|value| {
            let parts = without(value, Removed::Directories)?;
            let name = Word::of_parts(parts, value.expansion, word.span);
            // A name that begins with a dash is an option, and one that ends in a slash another one.
            let is_name = !name.prefix().is_empty() && !value.prefix().starts_with('-');
            let parts = match ending.filter(|_| is_name) {
                None => return is_name.then_some(name),
                Some(ending) => without_ending(&name, ending)?,
            };
            let short = Word::of_parts(parts, value.expansion, word.span);
            (!short.prefix().is_empty()).then_some(short)
        });
        names.collect()
    }

    /// The variables of `for`, whose words may be lists that are known.
    fn of_words(&mut self, examination: &Examination) {
        let mut found = Vec::new();
        for (text, examined) in examination.texts.iter().enumerate() {
            let script = &examined.script;
            for (place, finding) in script.findings.iter().enumerate() {
                if let FindingKind::Assignment(assignment) = &finding.kind
                    && assignment.kind == AssignmentKind::For
                    && !assignment.values.is_empty()
                    && self.variables.len() + found.len() < MOST
                {
                    let words = assignment.values.iter();
                    let values: Option<Vec<_>> = words
                        .map(|word| self.words_of(word, (text, place)))
                        .collect();
                    let is_pattern = |word: &Word| word.expansion.globs;
                    let is_first = text == 0
                        && assignment.values.iter().any(is_pattern)
                        && is_expanded_first(examination, script, place);
                    let last = last_of(script, finding.scope, place);
                    found.extend(values.map(|values| Variable {
                        is_first,
                        ..Variable::new(
                            assignment.name.clone(),
                            values.into_iter().flatten().collect(),
                            (text, place, last),
                        )
                    }));
                }
            }
        }
        self.variables.extend(found);
    }

    /// What the calls of a function give to it.
    fn arguments(&mut self, examination: &Examination) {
        let may_call = |command: &Invocation| {
            command.words.first().is_none_or(Word::is_opaque) || may_set_others(&command.words)
        };
        let moves = |command: &Invocation| {
            let name = command.words.first().and_then(Word::literal);
            name == Some("shift") || set_words(&command.words).is_some()
        };
        let functions = Functions::find(examination);
        if functions.iter().next().is_none()
            || examination
                .commands()
                .any(|command| may_call(command) || moves(command))
        {
            return;
        }
        for function in functions.iter() {
            if let Some(calls) = self.calls(function, examination) {
                self.given_by(&calls, (function.first, function.last));
            }
        }
    }

    /// What each call of a function gives to it: of each argument what it can be. Nothing where that is not known.
    fn calls(&self, function: &Function, examination: &Examination) -> Option<Vec<Vec<Vec<Word>>>> {
        let (text, others) = examination.texts.split_first()?;
        let calls = |command: &&Invocation| {
            command.words.first().and_then(Word::literal) == Some(function.name.as_str())
        };
        let of = |text: &ExaminedText| -> usize {
            let chains = text
                .invocations
                .iter()
                .map(|(_, invocation)| invocation.chain());
            chains
                .map(|chain| chain.iter().copied().filter(calls).count())
                .sum()
        };
        let body = text.script.findings.get(function.first..=function.last)?;
        let nests = body
            .iter()
            .any(|finding| matches!(finding.kind, FindingKind::Function(_)));
        let own = text
            .invocations
            .iter()
            .filter(|(_, invocation)| calls(&invocation));
        let own: Vec<_> = own.collect();
        if nests
            || own.len() > MOST
            || own.len() != of(text)
            || others.iter().any(|text| of(text) > 0)
        {
            return None;
        }
        let given = own.iter().map(|(place, invocation)| {
            let words = invocation.words.iter().skip(1);
            let each = words.map(|word| match word.literal() {
                Some(_) => Some(vec![word.clone()]),
                None => self.variable(word, (0, *place))?.values(word),
            });
            each.collect::<Option<Vec<_>>>()
        });
        given.collect()
    }

    /// The positional parameters in the findings of a body.
    fn given_by(&mut self, calls: &[Vec<Vec<Word>>], (first, last): (usize, usize)) {
        let mut found: Vec<(String, Vec<Word>)> = Vec::new();
        let most = calls.iter().map(Vec::len).max().unwrap_or_default();
        for place in 0..most.min(MOST) {
            let nothing = Word::synthetic("", Span::new(0, 0));
            let values = calls.iter().map(|call| match call.get(place) {
                Some(values) => values.clone(),
                None => vec![nothing.clone()],
            });
            found.push(((place + 1).to_string(), values.flatten().collect()));
        }
        if let [call] = calls
            && call.iter().all(|values| values.len() == 1)
        {
            found.push(("@".to_owned(), call.iter().flatten().cloned().collect()));
        }
        for (name, values) in found {
            let variable = || Variable::new(name, values, (0, first, last));
            self.add(|| variable().of_kind(Kind::Argument));
        }
    }

    /// What a word of `for` gives to its variable, one after the other.
    fn words_of(&self, word: &Word, here: Place) -> Option<Vec<Word>> {
        if word.pattern().is_some() || substitution(word).is_some() {
            return Some(in_braces(word).unwrap_or_else(|| vec![word.clone()]));
        }
        let known = listed(word, here, self).or_else(|| replaced(word, here, self, None));
        known.map(smallvec::SmallVec::into_vec)
    }

    /// What `set -- a b` gives to `$1`, `$2` and `$@`.
    fn positional(&mut self, place: usize, words: &[Word], last: impl Fn() -> usize) {
        let Some(values) = set_words(words).flatten() else {
            return;
        };
        let numbers = (1..).map(|number: usize| number.to_string());
        let single = values.iter().map(|value| vec![value.clone()]);
        let mut each: Vec<(String, Vec<Word>)> = numbers.zip(single).collect();
        each.push(("@".to_owned(), values));
        for (name, values) in each {
            let variable = || Variable::new(name, values, (0, place + 1, last()));
            self.add(|| variable().of_kind(Kind::Positional));
        }
    }

    /// What the call itself gives holds in all of its text.
    fn given(&mut self, given: &[GivenVariable], examination: &Examination) {
        let texts = 0..examination.texts.len();
        for (text, given) in texts.flat_map(|text| given.iter().map(move |given| (text, given))) {
            let values = vec![Word::synthetic(&given.value, Span::new(0, 0))];
            self.add(|| Variable::new(given.name.clone(), values, (text, 0, GIVEN)));
        }
    }

    /// `"$PWD/x"` is `./x`, as long as no program goes into another directory by itself before it uses the name.
    fn working_directory(&mut self, text: usize, written: &str, examination: &Examination) {
        if !written.contains("$PWD") && !written.contains("${PWD}") {
            return;
        }
        let goes_elsewhere = |command: &Invocation| {
            let mut chain = command.chain().into_iter();
            chain.any(|command| !command.directories.is_empty() || runs_elsewhere(command))
        };
        if !examination.commands().any(goes_elsewhere) {
            let values = vec![Word::synthetic(".", Span::new(0, 0))];
            let place = (text, 0, usize::MAX);
            self.add(|| Variable::new(WORKING_DIRECTORY.to_owned(), values, place));
        }
    }

    /// `file=src/a.ts` and `files=(a b)` hold for what comes behind them.
    fn assigned(
        &mut self,
        (text, place): Place,
        command: &Command,
        examined: &ExaminedText,
        last: impl Fn() -> usize,
    ) {
        for assignment in &command.assignments {
            let plain = assignment.kind == AssignmentKind::Alone
                && !assignment.append
                && assignment.subscript.is_none();
            let written = examined
                .text
                .get(assignment.span.start..assignment.span.end);
            let list = written.and_then(|written| written.split_once("=("));
            // An element with a subscript stands elsewhere.
            let is_list =
                list.is_some_and(|(name, words)| *name == assignment.name && !words.contains('['));
            let values = match assignment.values.as_slice() {
                values if is_list && values.iter().all(|word| word.literal().is_some()) => {
                    values.to_vec()
                }
                [value] => match self.of_outputs(value, text) {
                    Some(values) => values,
                    None if is_known(value) => vec![value.clone()],
                    None => continue,
                },
                _ => continue,
            };
            if plain && !values.is_empty() {
                let kind = if is_list { Kind::Array } else { Kind::OneOf };
                let place = || (text, place + 1, last());
                let variable = || Variable::new(assignment.name.clone(), values, place());
                self.add(|| variable().of_kind(kind));
            }
        }
    }

    /// The values of a word with the output of a substitution that is known.
    fn of_outputs(&self, word: &Word, text: usize) -> Option<Vec<Word>> {
        let mut found = word.parts.iter().filter_map(scope_of);
        let scope = found.next().filter(|_| found.next().is_none())?;
        self.output(scope, text)?.values(word)
    }

    /// What is known of this substitution.
    fn output(&self, scope: ScopeId, text: usize) -> Option<&Variable> {
        let mut outputs = self.outputs.iter().filter(|_| text == 0);
        let output = outputs.find(|(own, _)| *own == scope);
        output.map(|(_, variable)| variable)
    }

    /// Adds a variable, as far as there are not too many.
    fn add(&mut self, make: impl FnOnce() -> Variable) {
        if self.variables.len() < MOST {
            self.variables.push(make());
        }
    }

    /// Keeps the variables that nothing else can set.
    fn keep_certain(&mut self, variables: &LazyVariables) {
        if self.variables.is_empty() {
            return;
        }
        let is_positional = |variable: &Variable| variable.kind == Kind::Positional;
        let positional = self.variables.iter().any(is_positional)
            && sets_positional_once(&variables.examination);
        self.variables.retain(|variable| {
            let name = variable.name.as_str();
            let Some((assignments, commands)) = variables.get().count(name) else {
                return false;
            };
            if name == WORKING_DIRECTORY {
                return assignments == 0 && commands == 0;
            }
            if is_positional(variable) {
                return positional;
            }
            // The call sets it before the text does.
            let own = usize::from(variable.last != GIVEN);
            assignments == own && commands == 0 && !is_set_by_shells(name)
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.outputs.is_empty()
    }

    /// The words of a list that the text gives once: of `files[@` and `@`.
    pub(crate) fn list(&self, name: &str, here: Place) -> Option<&[Word]> {
        let variable = self.at(name.trim_end_matches("[@"), here)?;
        let is_whole = match variable.kind {
            Kind::Array => name.ends_with('@') || variable.values.len() == 1,
            Kind::Positional | Kind::Argument => name == "@",
            Kind::OneOf => false,
        };
        is_whole.then_some(&variable.values)
    }

    /// The commands of which this variable has the words here.
    pub(crate) fn substitution(&self, name: &str, here: Place) -> Option<ScopeId> {
        let variable = self.at(name, here)?;
        match variable.values.as_slice() {
            [value] => substitution(value),
            _ => None,
        }
    }

    /// The one value of a variable, as the text gives it.
    pub(crate) fn text_value(&self, name: &str, here: Place) -> Option<&Word> {
        // The working directory is known as a place only.
        let variable = self.at(name, here).filter(|_| name != WORKING_DIRECTORY)?;
        match variable.values.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The variable of this name at this place of the text.
    fn at(&self, name: &str, here: Place) -> Option<&Variable> {
        self.variables.iter().find(|variable| {
            variable.name == name
                && variable.text == here.0
                && (variable.first..=variable.last).contains(&here.1)
        })
    }

    /// The variable whose values this word can have at this place of the text.
    pub(crate) fn variable(&self, word: &Word, here: Place) -> Option<&Variable> {
        let expansion = word.expansion;
        if self.is_empty() || expansion.globs || expansion.braces || expansion.tilde {
            return None;
        }
        let is_open = |part: &&Part| !matches!(part, Part::Text { .. });
        let mut found = word.parts.iter().filter(is_open);
        let name = match found.next().filter(|_| found.next().is_none())? {
            Part::Parameter { name, .. } => name,
            part => return self.output(scope_of(part)?, here.0),
        };
        if name == WORKING_DIRECTORY && !begins_with_directory(word) {
            return None;
        }
        // Of a list it is one of several words.
        self.at(name, here).filter(|variable| match variable.kind {
            Kind::OneOf => true,
            Kind::Argument => name != "@",
            Kind::Array | Kind::Positional => variable.values.len() == 1,
        })
    }
}

impl Variable {
    /// One that has one of these values at a time, in the findings of a text from the first to the last of these.
    const fn new(
        name: String,
        values: Vec<Word>,
        (text, first, last): (usize, usize, usize),
    ) -> Self {
        Self {
            text,
            name,
            values,
            first,
            last,
            kind: Kind::OneOf,
            is_first: false,
        }
    }

    /// The same whose values are used so.
    fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// How many values it has.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// The same where the word is nothing but the variable, whose values can be patterns then: `$package` of `packages/*`.
    pub(crate) fn values_of(&self, word: &Word) -> Option<Vec<Word>> {
        match word.parts.as_slice() {
            [
                Part::Parameter {
                    operation: ParameterOperation::Value,
                    ..
                },
            ] if self.values.iter().any(|value| value.expansion.globs) => Some(self.values.clone()),
            _ => self.values(word),
        }
    }

    /// The values whose names can be read now, since nothing of the text changes which they are.
    pub(crate) fn first_values(&self) -> Option<&[Word]> {
        self.is_first.then_some(&self.values)
    }

    /// The words that this one can stand for; `None` when that cannot be determined.
    pub(crate) fn values(&self, word: &Word) -> Option<Vec<Word>> {
        words_with(word, &self.values)
    }
}

/// The words that this one is with each of the values in the place of its variable; `None` when that cannot be determined.
pub(crate) fn words_with(word: &Word, values: &[Word]) -> Option<Vec<Word>> {
    // Without quotes a value can become several words, and a pattern its files.
    let is_whole = |value: &Word| value.literal().is_some_and(is_one_word);
    if word.expansion.splits && !values.iter().all(is_whole) {
        return None;
    }
    let values = values.iter().map(|value| {
        let mut parts = SmallVec::with_capacity(word.parts.len());
        for part in &word.parts {
            match part {
                Part::Text { .. } => parts.push(part.clone()),
                Part::Parameter {
                    operation: ParameterOperation::Value,
                    ..
                }
                | Part::CommandSubstitution { .. } => {
                    parts.extend(value.parts.iter().cloned());
                }
                Part::Parameter {
                    operation: ParameterOperation::Removal(Some(removed)),
                    ..
                } => parts.extend(without(value, *removed)?),
                _ => return None,
            }
        }
        Some(Word::of_parts(parts, value.expansion, word.span))
    });
    values.collect()
}

/// A value without what an expansion takes away of it.
fn without(value: &Word, removed: Removed) -> Option<SmallVec<[Part; 1]>> {
    match removed {
        Removed::Ending(ending) => without_ending(value, ending.as_str()),
        Removed::Extension => match value.parts.as_slice() {
            [Part::Text { value: text, .. }] => {
                let (start, ending) = match value.literal() {
                    // Without a dot nothing is taken away.
                    Some(literal) => literal.rsplit_once('.').unwrap_or((literal, "")),
                    None => text.rsplit_once('.')?,
                };
                is_plain(ending).then(|| text_of(value, start))
            }
            _ => None,
        },
        Removed::Directories => match value.parts.as_slice() {
            [Part::Text { value: text, .. }] => {
                let name = text.rsplit('/').next().unwrap_or_default();
                let is_whole = value.literal().is_some() || !name.is_empty();
                is_whole.then(|| text_of(value, name))
            }
            _ => None,
        },
    }
}

/// Whether no letter of a text means something in a pattern. A slash would be one of a directory.
fn is_plain(text: &str) -> bool {
    !text.contains(['*', '?', '[', ']', '\\', '/'])
}

/// The same word with another text.
fn text_of(value: &Word, text: &str) -> SmallVec<[Part; 1]> {
    let is_quoted = |part: &Part| matches!(part, Part::Text { quoted: true, .. });
    let part = Part::text(text, value.parts.iter().any(is_quoted));
    smallvec::smallvec![part]
}

/// The variable with the working directory.
const WORKING_DIRECTORY: &str = "PWD";

/// Whether the word is the value of a variable in quotes, alone or with a slash behind it.
pub(crate) fn begins_with_directory(word: &Word) -> bool {
    let mut parts = word.parts.iter();
    let is_value = |part: &Part| {
        matches!(
            part,
            Part::Parameter {
                quoted: true,
                operation: ParameterOperation::Value,
                ..
            }
        )
    };
    let first = parts.next().is_some_and(is_value);
    let goes_on = match parts.next() {
        None => true,
        Some(Part::Text { value, .. }) => value.starts_with('/'),
        Some(_) => false,
    };
    first && goes_on && !word.expansion.splits
}

/// A value without its ending, which must be there: `src/*` of `src/*.ts`.
fn without_ending(value: &Word, ending: &str) -> Option<SmallVec<[Part; 1]>> {
    let mut parts = value.parts.clone();
    let Some(Part::Text { value: last, .. }) = parts.last_mut() else {
        return None;
    };
    *last = last.strip_suffix(ending)?.into();
    Some(parts)
}

/// Whether a value is one of those that are followed.
fn is_known(value: &Word) -> bool {
    value.literal().is_some() || substitution(value).is_some() || begins_at_home(value)
}

/// What a variable holds that is given the output of a substitution.
fn of_output(output: KnownOutput) -> (ScopeId, Variable) {
    let place = (0, 0, usize::MAX);
    (
        output.scope,
        Variable::new(String::new(), output.values, place),
    )
}

/// The scope of `$(…)`.
fn scope_of(part: &Part) -> Option<ScopeId> {
    match part {
        Part::CommandSubstitution { scope, .. } => Some(*scope),
        _ => None,
    }
}

/// The positional parameters that `set` gives; inside nothing where they are not known, and nothing where it gives none.
fn set_words(words: &[Word]) -> Option<Option<Vec<Word>>> {
    let (_, words) = words
        .split_first()
        .filter(|(name, _)| name.literal() == Some("set"))?;
    if words.iter().any(Word::is_opaque) {
        return Some(None);
    }
    let is_option = |word: &Word| word.prefix().starts_with(['-', '+']);
    match words.split_first() {
        Some((dashes, rest)) if dashes.literal() == Some("--") => Some(Some(rest.to_vec())),
        _ if words.iter().all(|word| !is_option(word)) && !words.is_empty() => {
            Some(Some(words.to_vec()))
        }
        // The last one may be the value of `-o`.
        _ if words.len() < 3 && words.iter().all(|word| word.literal() != Some("-")) => {
            let options = words.iter().filter(|word| is_option(word)).count();
            let names = matches!(words.first().map(Word::prefix).as_deref(), Some(text) if text.ends_with('o'));
            (options < words.len() && !names).then_some(None)
        }
        _ => Some(None),
    }
}

/// Whether one command of the text gives the positional parameters, which nothing else changes.
fn sets_positional_once(examination: &Examination) -> bool {
    let scopes = examination
        .texts
        .iter()
        .flat_map(|text| &text.script.scopes);
    let mut bodies = scopes.filter(|scope| matches!(scope.kind, ScopeKind::FunctionBody(_)));
    let mut commands = examination.commands();
    let shifts = |command: &Invocation| {
        matches!(
            command.words.first().map(Word::literal),
            None | Some(None | Some("shift"))
        )
    };
    let setting = examination
        .commands()
        .filter_map(|command| set_words(&command.words));
    bodies.next().is_none() && !commands.any(shifts) && setting.count() == 1
}

/// Whether the word may be a name below the home directory: `~/x`, `"$HOME/x"`.
fn begins_at_home(word: &Word) -> bool {
    let mut parts = word.parts.iter();
    let first = match parts.next() {
        Some(Part::Text { .. }) => word.expansion.tilde,
        Some(Part::Parameter { name, .. }) => name == HOME,
        _ => false,
    };
    first && parts.all(|part| matches!(part, Part::Text { .. }))
}

/// The scope of a word that is nothing but `$(…)`.
fn substitution(word: &Word) -> Option<ScopeId> {
    match word.parts.as_slice() {
        [Part::CommandSubstitution { scope, .. }] => Some(*scope),
        _ => None,
    }
}

/// Whether a shell gives this variable values by itself.
fn is_set_by_shells(name: &str) -> bool {
    OF_SHELLS.contains(&name)
        || ["BASH", "EPOCH", "COMP_", "READLINE"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Whether the words of the loop at this place of the text itself are expanded in the directory of the call before anything can
/// have made a file.
fn is_expanded_first(examination: &Examination, script: &Script, place: usize) -> bool {
    let looping = script.findings.get(place).map(|finding| finding.scope);
    let around = looping.and_then(|scope| script.scope(scope)?.parent);
    let makes_nothing = |finding: &Finding| finding.kind.command().is_some_and(makes_no_file);
    let before = script.findings.get(..place).unwrap_or_default();
    let moves = |command: &Invocation| {
        let mut chain = command.chain().into_iter();
        chain.any(|command| {
            !command.directories.is_empty()
                || command.directory_change().is_some()
                || runs_elsewhere(command)
        })
    };
    around == Some(ScopeId::ROOT)
        && before.iter().all(makes_nothing)
        && !examination.commands().any(moves)
}

/// Whether a command is one of those with which texts begin that make no file: `set -e`.
fn makes_no_file(command: &Command) -> bool {
    let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
    let plain = command.redirections.is_empty() && command.assignments.is_empty();
    match words.filter(|_| plain).as_deref() {
        // Without patterns (`-f`) names are others.
        Some(["set", options @ ..]) => options
            .iter()
            .all(|text| *text == "pipefail" || !text.contains('f')),
        Some(["echo" | ":" | "true", ..]) => true,
        _ => false,
    }
}

/// The last finding in this scope or in one inside of it.
pub(crate) fn last_of(script: &Script, scope: ScopeId, first: usize) -> usize {
    // Of the scopes from this one on whether they lie inside of it: a parent comes before its children.
    let mut known: Vec<bool> = Vec::new();
    let mut inside = |id: ScopeId| {
        let place = id.index().checked_sub(scope.index())?;
        while known.len() <= place {
            let parent = script
                .scopes
                .get(scope.index() + known.len())
                .and_then(|scope| scope.parent)
                .and_then(|parent| {
                    known
                        .get(parent.index().checked_sub(scope.index())?)
                        .copied()
                });
            known.push(known.is_empty() || parent.unwrap_or_default());
        }
        known.get(place).copied()
    };
    let behind = script.findings.iter().enumerate().skip(first);
    behind
        .take_while(|(_, finding)| inside(finding.scope) == Some(true))
        .last()
        .map_or(first, |(place, _)| place)
}
