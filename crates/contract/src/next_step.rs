//! What a model can do next, before a dialect puts it into words.
//!
//! Code below the dialects knows operations and their parameters, never what a vocabulary calls them or which tools a
//! toolkit exposes. So an error or a notice states its next step as data, and the dialect renders it with the names that
//! this model knows. A step that leads to a tool that is not exposed is left out.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

use crate::Operation;

/// What the model of one call knows: the tools that are exposed to it, and the parameters of the tool that it called.
pub trait Names {
    /// What the operation is called, if the toolkit exposes it.
    fn tool(&self, operation: Operation) -> Option<&str>;
    /// What the called tool calls a parameter of its operation, if it has it.
    fn parameter<'n>(&'n self, field: &'n str) -> Option<&'n str>;
}

/// A vocabulary in which every parameter is called as the operation calls it, and no tool is exposed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unnamed;

impl Names for Unnamed {
    fn tool(&self, _: Operation) -> Option<&str> {
        None
    }

    fn parameter<'n>(&'n self, _: &'n str) -> Option<&'n str> {
        None
    }
}

/// One thing that helps.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    /// `Use {tool} to {aim}.`, with the first of these operations that is exposed; nothing where none is.
    Use {
        /// The operations, best first.
        any_of: &'static [Operation],
        /// What is gained, after "to": `find it`.
        aim: Cow<'static, str>,
    },
    /// A parameter of the called tool.
    Set(Advice),
    /// A sentence that holds whatever is exposed. It names no tool; parameters by [`parameter`].
    Say(Cow<'static, str>),
    /// A sentence that can be followed where the called tool has all of these parameters.
    With {
        /// The parameters of the operation.
        fields: &'static [&'static str],
        /// The sentence, as for [`Say`](Self::Say).
        sentence: Cow<'static, str>,
    },
    /// The first of these that can be said.
    FirstOf(Vec<Self>),
}

/// A parameter by which the model gets what it wanted. Its name and whether there is one are the
/// dialect's business, so this becomes a sentence only where the dialect is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// What is gained, after "To": `match across lines`.
    pub aim: String,
    /// The parameter of the operation.
    pub field: &'static str,
    /// What it is to be set to.
    pub value: Value,
    /// What helps without the parameter, as an order in small letters.
    pub otherwise: Option<String>,
}

impl NextStep {
    /// Use one of these operations to reach this aim.
    #[must_use]
    pub fn with_tool(any_of: &'static [Operation], aim: impl Into<Cow<'static, str>>) -> Self {
        Self::Use {
            any_of,
            aim: aim.into(),
        }
    }

    /// A sentence that names no tool.
    #[must_use]
    pub fn say(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self::Say(sentence.into())
    }

    /// A sentence for tools that have these parameters.
    #[must_use]
    pub fn with_fields(
        fields: &'static [&'static str],
        sentence: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::With {
            fields,
            sentence: sentence.into(),
        }
    }

    /// Find the file that was meant.
    #[must_use]
    pub fn find_file() -> Self {
        Self::FirstOf(vec![
            Self::with_tool(&[Operation::Find], "find it"),
            Self::with_tool(&[Operation::List], "see what is there"),
        ])
    }

    /// List the directory that was named.
    #[must_use]
    pub fn list_directory() -> Self {
        Self::FirstOf(vec![
            Self::with_tool(&[Operation::List], "list it"),
            Self::with_tool(&[Operation::Find], "find the files in it"),
        ])
    }

    /// Search the content of files for this aim, such as `find the symbol`.
    #[must_use]
    pub fn search(aim: impl Into<Cow<'static, str>>) -> Self {
        Self::with_tool(&[Operation::Grep], aim)
    }

    /// Read a file for this aim, such as `see it`.
    #[must_use]
    pub fn read_file(aim: impl Into<Cow<'static, str>>) -> Self {
        Self::with_tool(&[Operation::Read], aim)
    }

    /// Change a part of a file for this aim.
    #[must_use]
    pub fn edit_file(aim: impl Into<Cow<'static, str>>) -> Self {
        Self::with_tool(&[Operation::Edit, Operation::Patch], aim)
    }

    /// Run a command for this aim, such as `convert it`.
    #[must_use]
    pub fn run_command(aim: impl Into<Cow<'static, str>>) -> Self {
        Self::with_tool(&[Operation::Execute], aim)
    }

    /// Look after a background command.
    #[must_use]
    pub fn follow_background() -> Self {
        Self::with_tool(&[Operation::Process], "read its output or kill it")
    }

    /// The sentence in the words of the model, if the step can be taken.
    #[must_use]
    pub fn sentence(&self, names: &dyn Names) -> Option<String> {
        match self {
            Self::Use { any_of, aim } => {
                let tool = any_of.iter().find_map(|operation| names.tool(*operation))?;
                let aim = with_parameters(aim, names);
                Some(format!("Use `{tool}` to {aim}."))
            }
            Self::Set(advice) => {
                let sentence = advice.sentence(names.parameter(advice.field));
                (!sentence.is_empty()).then_some(sentence)
            }
            Self::Say(sentence) => Some(with_parameters(sentence, names)),
            Self::With { fields, sentence } => {
                let has = |field: &&'static str| names.parameter(field).is_some();
                let can_follow = fields.iter().all(has);
                can_follow.then(|| with_parameters(sentence, names))
            }
            Self::FirstOf(steps) => steps.iter().find_map(|step| step.sentence(names)),
        }
    }
}

impl Advice {
    /// The sentence, with the parameter by the `name` that the model knows, if it has it. Empty when
    /// nothing can be done.
    #[must_use]
    pub fn sentence(&self, name: Option<&str>) -> String {
        let set = name.map(|name| format!("set `{name}: {}`", self.value));
        let ways: Vec<String> = set.into_iter().chain(self.otherwise.clone()).collect();
        if ways.is_empty() {
            String::new()
        } else {
            format!("To {}, {}.", self.aim, ways.join(" or "))
        }
    }
}

/// Opens the name of a parameter in a text. A control character, so that no text has it by chance.
const OPEN: char = '\u{2}';
/// Closes it.
const CLOSE: char = '\u{3}';

/// A parameter of the operation in a text for the model: the dialect writes its own name for it, in backticks, by
/// [`with_parameters`].
///
/// ```
/// use tenon_contract::{Unnamed, parameter, with_parameters};
/// let text = format!("{} was not found.", parameter("old_text"));
/// assert_eq!(with_parameters(&text, &Unnamed), "`old_text` was not found.");
/// ```
#[must_use]
pub const fn parameter(field: &'static str) -> ParameterName {
    ParameterName(field)
}

/// See [`parameter`].
#[derive(Debug, Clone, Copy)]
pub struct ParameterName(&'static str);

impl fmt::Display for ParameterName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{OPEN}{}{CLOSE}", self.0)
    }
}

/// The text with its [parameters](parameter) as the model knows them. One that the tool does not have keeps its name.
#[must_use]
pub fn with_parameters(text: &str, names: &dyn Names) -> String {
    let mut reported = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once(OPEN) {
        reported.push_str(before);
        let Some((field, after)) = marked.split_once(CLOSE) else {
            rest = marked;
            continue;
        };
        reported.push('`');
        reported.push_str(names.parameter(field).unwrap_or(field));
        reported.push('`');
        rest = after;
    }
    reported.push_str(rest);
    reported
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Canonical;

    impl Names for Canonical {
        fn tool(&self, operation: Operation) -> Option<&str> {
            (operation == Operation::Find).then_some("Glob")
        }

        fn parameter<'n>(&'n self, field: &'n str) -> Option<&'n str> {
            (field == "old_text").then_some("old_string")
        }
    }

    #[test]
    fn a_step_names_the_tool_as_the_model_knows_it_and_vanishes_where_it_is_not_exposed() {
        let said = |step: NextStep| step.sentence(&Canonical);
        assert_eq!(
            said(NextStep::find_file()).as_deref(),
            Some("Use `Glob` to find it.")
        );
        assert_eq!(
            said(NextStep::list_directory()).as_deref(),
            Some("Use `Glob` to find the files in it.")
        );
        assert_eq!(said(NextStep::search("find the symbol")), None);
        assert_eq!(NextStep::find_file().sentence(&Unnamed), None);
    }

    #[test]
    fn parameters_in_a_text_are_called_as_the_model_calls_them() {
        let text = format!(
            "`a` was not changed: {} was not found; {} is not known here.",
            parameter("old_text"),
            parameter("replace_all")
        );
        assert_eq!(
            with_parameters(&text, &Canonical),
            "`a` was not changed: `old_string` was not found; `replace_all` is not known here."
        );
        assert_eq!(with_parameters("a \u{2} b", &Canonical), "a  b");
    }
}
