//! Asks the user.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tenon_contract::{
    Access, ErrorCode, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};

use crate::host::{HostCallback, kind_of, missing, odd, request};

/// What to ask.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskUserParams {
    /// Different questions.
    #[schemars(length(min = 1, max = 4))]
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The complete question.
    #[schemars(length(min = 1))]
    pub question: String,
    /// Short label, at most 12 characters.
    #[schemars(length(max = 12))]
    pub header: String,
    /// Choices.
    #[schemars(length(min = 2, max = 4))]
    pub options: Vec<Choice>,
    /// Allow several choices.
    #[serde(rename = "multiSelect", default)]
    pub multi_select: bool,
}

/// One answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The choice, in a few words.
    #[schemars(length(min = 1))]
    pub label: String,
    /// What it means or leads to.
    pub description: String,
    /// What to compare: code, a sketch in plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskUserOutput {
    /// Question and answer, in the order of the questions. Several choices are one text, with a comma and a space
    /// between them.
    pub answers: Vec<(String, String)>,
}

impl Output for AskUserOutput {}

/// The name of the part of the host.
const MEMBER: &str = "askUser";

/// The operation.
pub struct AskUser {
    host: Option<Arc<dyn HostCallback>>,
}

impl AskUser {
    /// Asks by way of the host; without one every call says what is missing.
    #[must_use]
    pub fn new(host: Option<Arc<dyn HostCallback>>) -> Self {
        Self { host }
    }
}

impl Tool for AskUser {
    const OPERATION: Operation = Operation::AskUser;
    // A user takes as long as it takes.
    const TIME_LIMIT: TimeLimit = TimeLimit::OfHost;
    type Params = AskUserParams;
    type Plan = Vec<Question>;
    type Output = AskUserOutput;

    fn plan(&self, params: AskUserParams) -> Result<(Access, Vec<Question>), ToolError> {
        check(&params.questions)?;
        Ok((Access::default(), params.questions))
    }

    async fn run(
        &self,
        questions: Vec<Question>,
        context: ToolContext,
    ) -> Result<AskUserOutput, ToolError> {
        let Some(host) = &self.host else {
            return Err(missing(MEMBER, "ask the user questions"));
        };
        let asked = request(&context, json!({ "questions": questions }));
        let said = host.ask(asked, None).await?;
        Ok(AskUserOutput {
            answers: answers(&questions, said)?,
        })
    }
}

/// What a schema cannot state: answers are kept by the text of their question, choices are identified by their label. The
/// place of each that repeats an earlier one.
#[must_use]
pub fn repeated(questions: &[Question]) -> Vec<String> {
    let mut places = Vec::new();
    for (index, question) in questions.iter().enumerate() {
        let mut earlier = questions.iter().take(index);
        if earlier.any(|other| other.question == question.question) {
            places.push(format!("questions[{index}].question"));
        }
        for (at, option) in question.options.iter().enumerate() {
            let mut before = question.options.iter().take(at);
            if before.any(|other| other.label == option.label) {
                places.push(format!("questions[{index}].options[{at}].label"));
            }
        }
    }
    places
}

/// The fault of a question or an option that repeats an earlier one.
pub const REPEATS: &str = "Expected a text that differs from all earlier ones.";

fn check(questions: &[Question]) -> Result<(), ToolError> {
    let places = repeated(questions);
    if places.is_empty() {
        return Ok(());
    }
    let errors: Vec<Value> = places
        .iter()
        .map(|place| json!({ "param": place, "message": REPEATS, "code": "TYPE_MISMATCH" }))
        .collect();
    let message = format!("`{}`: {REPEATS}", places.join("`, `"));
    Err(ToolError::new(ErrorCode::InvalidParams, message).with("errors", errors))
}

/// The answer to each question: from `{answers: {…}}`, from the map alone, or, to a single question, from the bare answer.
fn answers(questions: &[Question], said: Value) -> Result<Vec<(String, String)>, ToolError> {
    let mut map = match said {
        Value::Null => {
            let message = "The user did not answer the questions. Continue with your own judgement, or stop and say what you need to know.";
            return Err(ToolError::new(ErrorCode::HandlerFailed, message).with("host", MEMBER));
        }
        Value::Object(mut map) => match map.remove("answers") {
            Some(Value::Object(inner)) => inner,
            Some(other) => {
                map.insert("answers".to_owned(), other);
                map
            }
            None => map,
        },
        bare @ (Value::String(_) | Value::Array(_)) if questions.len() == 1 => questions
            .iter()
            .map(|question| (question.question.clone(), bare.clone()))
            .collect::<Map<_, _>>(),
        other => {
            let problem = format!(
                "it returned {} instead of `{{answers: {{question: answer}}}}`",
                kind_of(&other)
            );
            return Err(odd(MEMBER, &problem));
        }
    };
    let answer = |question: &Question| {
        let said = map.remove(&question.question).unwrap_or_default();
        let answer = text_of(question, said)?;
        Ok((question.question.clone(), answer))
    };
    questions.iter().map(answer).collect()
}

fn text_of(question: &Question, said: Value) -> Result<String, ToolError> {
    let shown = &question.question;
    let text = match said {
        Value::String(text) => text,
        Value::Array(chosen) if question.multi_select || chosen.len() <= 1 => {
            let texts: Option<Vec<&str>> = chosen.iter().map(Value::as_str).collect();
            let problem = || format!("the answers to `{shown}` are not all texts");
            texts.ok_or_else(|| odd(MEMBER, &problem()))?.join(", ")
        }
        Value::Null => return Err(odd(MEMBER, &format!("there is no answer to `{shown}`"))),
        other => {
            let problem = format!(
                "the answer to `{shown}` is {} and must be a string",
                kind_of(&other)
            );
            return Err(odd(MEMBER, &problem));
        }
    };
    if text.chars().count() > limits::ANSWER_MAX_CHARACTERS {
        let problem = format!(
            "the answer to `{shown}` is longer than {} characters",
            limits::ANSWER_MAX_CHARACTERS
        );
        return Err(odd(MEMBER, &problem));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, multi_select: bool) -> Question {
        let choice = |label: &str| Choice {
            label: label.to_owned(),
            description: String::new(),
            preview: None,
        };
        Question {
            question: text.to_owned(),
            header: "h".to_owned(),
            options: vec![choice("a"), choice("b")],
            multi_select,
        }
    }

    fn said(questions: &[Question], said: Value) -> Result<Vec<(String, String)>, String> {
        answers(questions, said).map_err(|error| error.message)
    }

    #[test]
    fn an_answer_may_come_in_several_forms() {
        let [one, many] = [question("One?", false), question("Many?", true)];
        let both = [one.clone(), many];
        let expected = Ok(vec![
            ("One?".to_owned(), "a".to_owned()),
            ("Many?".to_owned(), "a, b".to_owned()),
        ]);
        for answer in [
            json!({"answers": {"One?": "a", "Many?": ["a", "b"]}}),
            json!({"One?": ["a"], "Many?": "a, b", "more": 1}),
        ] {
            assert_eq!(said(&both, answer), expected);
        }
        let alone = Ok(vec![("One?".to_owned(), "something else".to_owned())]);
        assert_eq!(said(&[one], json!("something else")), alone);
        // A question may be called like the member around the answers.
        let odd_name = [question("answers", false)];
        let expected = Ok(vec![("answers".to_owned(), "a".to_owned())]);
        assert_eq!(said(&odd_name, json!({"answers": "a"})), expected);
    }

    #[test]
    fn nonsense_is_reported_as_the_fault_of_the_application() {
        let questions = [question("One?", false), question("Many?", true)];
        let faults = [
            json!(true),
            json!("a"),
            json!({}),
            json!({"One?": 5, "Many?": "a"}),
            json!({"One?": ["a", "b"], "Many?": "a"}),
            json!({"One?": "a", "Many?": [1]}),
            json!({"One?": "a".repeat(20_001), "Many?": "a"}),
        ]
        .map(|answer| said(&questions, answer).unwrap_err());
        let reported: Vec<&str> = faults
            .iter()
            .filter_map(|fault| {
                fault
                    .split("invalid result: ")
                    .nth(1)?
                    .split(". You")
                    .next()
            })
            .collect();
        assert_eq!(
            reported,
            [
                "it returned true or false instead of `{answers: {question: answer}}`",
                "it returned a text instead of `{answers: {question: answer}}`",
                "there is no answer to `One?`",
                "the answer to `One?` is a number and must be a string",
                "the answer to `One?` is a list and must be a string",
                "the answers to `Many?` are not all texts",
                "the answer to `One?` is longer than 20000 characters",
            ]
        );
        let silent = said(&questions, Value::Null).unwrap_err();
        assert!(silent.starts_with("The user did not answer"), "{silent}");
    }

    #[test]
    fn questions_and_options_that_repeat_are_found_all_at_once() {
        let mut twice = question("Same?", false);
        twice.options[1].label = "a".to_owned();
        let places = repeated(&[question("Same?", false), twice]);
        assert_eq!(
            places,
            ["questions[1].question", "questions[1].options[1].label"]
        );
    }
}
