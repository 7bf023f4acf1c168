//! What variables can hold, whichever of their assignments comes last.

use hashbrown::HashSet;
use tenon_programs::words::variables::PLAIN;
use tenon_shell::{AssignmentKind, Command, ExaminedText, ParameterOperation, Part, ScopeId, Word};

use crate::commands::judge::TextJudge;
use crate::commands::judge::expansions::{Expansion, FINDINGS_OF_A_VALUE, in_braces};
use crate::commands::resolve::Place;
use crate::commands::resolve::assignments::{Given, Values};
use crate::commands::resolve::possible_values::echoed;
use crate::commands::words::outputs::{passes_lines, writes_no_options};

/// How many values are distinguished.
const MOST: usize = 1024;

impl TextJudge<'_, '_, '_> {
    /// The values of a parameter; nothing where one of them cannot be determined.
    pub(crate) fn values(
        &self,
        name: &str,
        operation: ParameterOperation,
        place: Place,
    ) -> Option<Values> {
        let plain = || {
            Some(Values {
                texts: vec![String::new()],
                plain: true,
            })
        };
        match operation {
            ParameterOperation::Value => {}
            ParameterOperation::Element => {
                let mut values = self.values(name, ParameterOperation::Value, place)?;
                values.texts.push(String::new());
                return Some(values);
            }
            ParameterOperation::Length => return plain(),
            // What is left of a text without a dash has none.
            ParameterOperation::Removal(_) => {
                let values = self.values(name, ParameterOperation::Value, place)?;
                return values
                    .texts
                    .iter()
                    .all(|text| !text.contains('-'))
                    .then(plain)?;
            }
            _ => return None,
        }
        if name.starts_with(['@', '*'])
            || (name != "0" && name.bytes().all(|byte| byte.is_ascii_digit()))
        {
            return self.positional(name);
        }
        let name = name.trim_end_matches(['@', '*', '[', ']']);
        let variables = self.reading.facts.variables.get();
        self.judge
            .budget
            .take_values(variables.findings / FINDINGS_OF_A_VALUE)?;
        let find = || self.given_by_assignments(name);
        let assigned = self.assigned_values.get_or(name, find)?;
        if variables.are_set_otherwise(name) {
            if self.reading.facts.data_flow.variable(name, place).is_some() {
                return plain();
            }
            return None;
        }
        let Some(mut values) = assigned else {
            // What the host gave it is of nobody who writes texts.
            return (!variables.may_be_read).then(plain)?;
        };
        if values.texts.is_empty() {
            values.texts.push(String::new());
        }
        (values.texts.len() <= MOST).then_some(values)
    }

    /// What assignments give to a variable, each text once: a script does the same again and again.
    fn given_by_assignments(&self, name: &str) -> Given {
        let mut values = Values::default();
        let given = &self.judge.claim.environment;
        let given = given.iter().filter(|given| given.name == name);
        values.texts.extend(given.map(|given| given.value.clone()));
        let mut is_set = !values.texts.is_empty();
        for (text, assignment) in self.reading.facts.variables.given_to(name) {
            is_set = true;
            match assignment.kind {
                AssignmentKind::Arithmetic | AssignmentKind::Descriptor => continue,
                AssignmentKind::Coprocess | AssignmentKind::Select => return None,
                _ if assignment.append || assignment.values.is_empty() => return None,
                _ => {}
            }
            for value in &assignment.values {
                // The scopes of another text are others.
                if text != self.index && value.pattern().is_none() {
                    return None;
                }
                self.value(value, &mut values)?;
            }
        }
        let mut known = HashSet::new();
        values.texts.retain(|text| known.insert(text.clone()));
        Some(is_set.then_some(values))
    }

    fn value(&self, word: &Word, values: &mut Values) -> Option<()> {
        if let Some(text) = word.literal() {
            values.texts.push(text.to_owned());
            return Some(());
        }
        if word.expansion.braces {
            match in_braces(word) {
                Expansion::Lists(lists) | Expansion::All(lists) => {
                    values.texts.extend(lists.into_iter().flatten())
                }
                Expansion::Plain => values.plain = true,
                Expansion::Unknown => return None,
            }
            return Some(());
        }
        // Names of files.
        if let Some(text) = word.pattern() {
            values.texts.push(text.into_owned());
            return Some(());
        }
        let known = |part: &Part| match part {
            Part::Text { .. } | Part::Arithmetic { .. } => true,
            Part::CommandSubstitution { scope, .. } => self.writes_no_options(*scope),
            Part::Parameter { name, .. } => PLAIN.contains(&name.as_str()),
            _ => false,
        };
        // What stands in front can be an option.
        let dash = word.prefix().starts_with('-');
        (!dash && word.parts.iter().all(known)).then(|| values.plain = true)
    }

    /// What `set -- …` gave to the text itself.
    fn positional(&self, name: &str) -> Option<Values> {
        let variables = self.reading.facts.variables.get();
        if variables.of_functions {
            return None;
        }
        // What a shell is given by another command is judged there.
        if self.index > 0 {
            return Some(Values {
                texts: vec![String::new()],
                plain: true,
            });
        }
        let mut values = Values::default();
        let mut is_set = false;
        let all = &self.reading.examination;
        let commands = variables.are_reset.then(|| all.commands());
        for command in commands.into_iter().flatten() {
            if command.words.first().and_then(Word::literal) != Some("set") {
                continue;
            }
            let mut words = command
                .words
                .iter()
                .skip(1)
                .skip_while(|word| word.literal() != Some("--"));
            if words.next().is_none() {
                // Options, or arguments without `--`.
                for word in command.words.iter().skip(1) {
                    let text = word.literal()?;
                    if !text.starts_with(['-', '+']) {
                        is_set = true;
                        values.texts.push(text.to_owned());
                    }
                }
                continue;
            }
            is_set = true;
            for word in words {
                self.value(word, &mut values)?;
            }
        }
        if values.texts.is_empty() {
            values.texts.push(String::new());
        }
        // All of them, as they stand, too.
        if name.starts_with(['@', '*']) && values.texts.len() > 1 {
            values.texts.push(values.texts.join(" "));
        }
        is_set.then_some(values)
    }
}

impl TextJudge<'_, '_, '_> {
    /// What a substitution prints that is one `echo` or `printf` of words that stand there.
    pub(crate) fn printed(&self, scope: ScopeId) -> Option<String> {
        echoed(self.only_command(scope)?)
    }

    /// The command of a substitution, where it is the only one.
    fn only_command(&self, scope: ScopeId) -> Option<&Command> {
        let mut commands = self.commands().of_substitution(scope);
        commands.next().filter(|_| commands.next().is_none())
    }

    /// The word with each of [`OUTPUTS`] in place of substitutions that print a date, a number or a revision; the word itself
    /// where it has none, and nothing where another one is in it.
    pub(crate) fn with_plain_output(&self, word: &Word) -> Option<Vec<Word>> {
        let is_output = |part: &Part| matches!(part, Part::CommandSubstitution { .. });
        if !word.parts.iter().any(is_output) {
            return Some(vec![word.clone()]);
        }
        let with = |output: &&str| {
            let parts = word.parts.iter().map(|part| match part {
                Part::Text { .. } => Some(part.clone()),
                Part::CommandSubstitution { scope, .. } if self.prints_plainly(*scope) => {
                    let (value, quoted) = ((*output).into(), true);
                    Some(Part::Text { value, quoted })
                }
                _ => None,
            });
            let parts = parts.collect::<Option<_>>()?;
            let word = Word::of_parts(parts, word.expansion, word.span);
            (!word.expansion.any()).then_some(word)
        };
        OUTPUTS.iter().map(with).collect()
    }

    /// Whether a substitution prints a date, a number or a revision and nothing else.
    fn prints_plainly(&self, scope: ScopeId) -> bool {
        let Some(command) = self.only_command(scope) else {
            return false;
        };
        let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
        let words =
            words.filter(|_| command.redirections.is_empty() && command.assignments.is_empty());
        let Some((name, arguments)) = words.as_deref().and_then(<[&str]>::split_first) else {
            return false;
        };
        !self.reading.redefined.may_have(name) && is_plain_output(name, arguments)
    }

    /// Whether the commands of a substitution in this text write no options.
    pub(crate) fn writes_no_options(&self, scope: ScopeId) -> bool {
        let text = self.text;
        let count = text.script.findings.len() / FINDINGS_OF_A_VALUE;
        if self.judge.budget.take_values(count).is_none() {
            return false;
        }
        let commands: Vec<&Command> = self.commands().of_substitution(scope).collect();
        let mut is_needed = vec![true; commands.len()];
        for place in (1..commands.len()).rev() {
            let (Some(before), Some(command)) = (commands.get(place - 1), commands.get(place))
            else {
                return false;
            };
            if is_piped(text, before, command) {
                let passes = passes_lines(&command.words);
                if let Some(needed) = is_needed.get_mut(place - 1) {
                    *needed = passes;
                }
                if passes && let Some(needed) = is_needed.get_mut(place) {
                    *needed = false;
                }
            }
        }
        let mut needed = commands
            .iter()
            .zip(is_needed)
            .filter(|(_, needed)| *needed)
            .peekable();
        needed.peek().is_some()
            && needed.all(|(command, _)| writes_no_options(self.judge.catalogue, &command.words))
    }
}

/// Whether the output of one command is the input of the other.
pub(crate) fn is_piped(text: &ExaminedText, one: &Command, other: &Command) -> bool {
    let between = text.text.get(one.span.end..other.span.start);
    between.is_some_and(|between| between.trim_matches([' ', '\t', '\n', '\\']) == "|")
}

/// What a date can be to a script: a number, a letter that is a command or a flag, and each sign in it that may end a part of
/// the script, with such a letter behind it.
const OUTPUTS: &[&str] = &[
    "1", "e", "w", "1 w", "1:w", "1-w", "1.w", "1,w", "1_w", "1+w", "1%w",
];

/// Whether this prints a date, a number or a revision.
fn is_plain_output(name: &str, arguments: &[&str]) -> bool {
    let is_format = |text: &&str| {
        let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || b"%_:., -".contains(&letter);
        let format = text.strip_prefix('+');
        // A new line ends a command of a script, and a slash often a part of one: `%n`, `%D`, `%x` and `%c`.
        let mut bytes = format.into_iter().flat_map(str::bytes);
        format.is_some() && bytes.all(|letter| is_plain(letter) && !b"nDxc".contains(&letter))
    };
    match (name, arguments) {
        ("date", arguments) => {
            let mut other = arguments.iter().filter(|text| !is_format(text));
            other.all(|text| matches!(*text, "-u" | "-I" | "-Iseconds"))
        }
        ("git", ["rev-parse", "HEAD" | "--short", rest @ ..]) => {
            matches!(rest, [] | ["HEAD"])
        }
        ("nproc", []) | ("id", ["-u" | "-g"]) => true,
        _ => false,
    }
}
