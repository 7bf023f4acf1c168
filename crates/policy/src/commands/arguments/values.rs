//! What variables can hold, whichever of their assignments comes last.

use tenon_shell::{AssignmentKind, ParameterOperation, Part, Word};

use crate::commands::walk::Walk;

/// What a variable can hold.
#[derive(Default)]
pub(super) struct Values {
    /// Texts.
    pub(super) texts: Vec<String>,
    /// Whether it can hold something else that is no option.
    pub(super) plain: bool,
}

/// Variables of the environment that hold a path, a name or a number.
const PLAIN: &[&str] = &[
    "?",
    "#",
    "$",
    "!",
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "HOSTNAME",
    "UID",
    "EUID",
    "PPID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "TMPDIR",
    "SHLVL",
    "BASHPID",
    "EPOCHSECONDS",
    "SHELL",
    "LANG",
    "BASH_VERSION",
];

/// How many values are told apart.
const MOST: usize = 1024;

impl Walk<'_, '_, '_> {
    /// The values of a parameter; nothing where one of them cannot be told.
    pub(super) fn values(&self, name: &str, operation: ParameterOperation) -> Option<Values> {
        let plain = || {
            Some(Values {
                texts: vec![String::new()],
                plain: true,
            })
        };
        match operation {
            ParameterOperation::Value => {}
            ParameterOperation::Length => return plain(),
            // What is left of a text without a dash has none.
            ParameterOperation::Removal => {
                let values = self.values(name, ParameterOperation::Value)?;
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
        let variables = self.reading.variables();
        self.context
            .budget
            .take_values(variables.findings / super::FINDINGS_OF_A_VALUE)?;
        let assigned = self.assigned(name)?;
        if variables.are_set_otherwise(name) {
            if self.context.is_found(name) {
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

    /// What assignments give to a variable, if there are some; nothing where that cannot be told.
    fn assigned(&self, name: &str) -> Option<Option<Values>> {
        let mut values = Values::default();
        let given = &self.context.claim.environment;
        let given = given.iter().filter(|given| given.name == name);
        values.texts.extend(given.map(|given| given.value.clone()));
        let mut is_set = !values.texts.is_empty();
        let variables = self.reading.variables();
        for (text, assignment) in variables.given_to(name, &self.reading.examination) {
            is_set = true;
            match assignment.kind {
                AssignmentKind::Arithmetic | AssignmentKind::Descriptor => continue,
                AssignmentKind::Coprocess | AssignmentKind::Select => return None,
                _ if assignment.append || assignment.values.is_empty() => return None,
                _ => {}
            }
            for value in &assignment.values {
                // The scopes of another text are others.
                if !std::ptr::eq(text, self.text) && value.pattern().is_none() {
                    return None;
                }
                self.value(value, &mut values)?;
            }
        }
        Some(is_set.then_some(values))
    }

    fn value(&self, word: &Word, values: &mut Values) -> Option<()> {
        if let Some(text) = word.literal() {
            values.texts.push(text.to_owned());
            return Some(());
        }
        if word.expansion.braces {
            match super::in_braces(word) {
                super::Become::Lists(lists) | super::Become::All(lists) => {
                    values.texts.extend(lists.into_iter().flatten())
                }
                super::Become::Plain => values.plain = true,
                super::Become::Unknown => return None,
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
        let variables = self.reading.variables();
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
