//! The parameter by which a model may ask for a shorter result, where the host lets it: one for all tools that look at
//! something, taken out before the operation sees its parameters.

use std::borrow::Cow;

use serde_json::{Value, json};
use tenon_contract::{Operation, has_normal_form, limits, normalise};

use crate::DialectId;
use crate::issue::{Issue, IssueCode};

const TEXT: &str = "Most tokens of the result. What does not fit can be opened.";

/// What other agents call it.
const ALIASES: &[&str] = &["max_tokens", "max_output_tokens", "token_budget"];

impl DialectId {
    /// What the parameter is called, in the style of the vocabulary.
    #[must_use]
    pub const fn budget_parameter(self) -> &'static str {
        match self {
            Self::Agent | Self::Manager | Self::Acp => "maxTokens",
            Self::Canonical | Self::Coder => "max_tokens",
        }
    }
}

/// Whether results of the operation can be long: it shows what is there, or what a program or a server says.
pub(crate) const fn takes_budget(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Read
            | Operation::List
            | Operation::Find
            | Operation::Grep
            | Operation::Execute
            | Operation::Process
            | Operation::RunTests
            | Operation::Lsp
            | Operation::Diagnostics
            | Operation::GitStatus
            | Operation::WebFetch
            | Operation::WebSearch
            | Operation::WebRequest
            | Operation::Browser
            | Operation::SessionsHistory
    )
}

/// The schema with the parameter.
pub(crate) fn with_budget(name: &str, schema: Cow<'static, Value>) -> Cow<'static, Value> {
    let mut schema = schema.into_owned();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(
            name.to_owned(),
            json!({ "type": "integer", "minimum": limits::BUDGET_MIN_TOKENS, "description": TEXT }),
        );
    }
    Cow::Owned(schema)
}

/// Takes the parameter out, under whatever name a model knows it. Less than the least budget is the least.
///
/// # Errors
/// What is no number.
pub(crate) fn take(name: &str, wire: &mut Value) -> Result<Option<usize>, Issue> {
    let Some(members) = wire.as_object_mut() else {
        return Ok(None);
    };
    let is_it = |key: &str| {
        let key = normalise(key);
        ALIASES.iter().any(|alias| has_normal_form(alias, &key))
    };
    let Some(key) = members.keys().find(|key| is_it(key)).cloned() else {
        return Ok(None);
    };
    let value = members.shift_remove(&key).unwrap_or_default();
    let number = match &value {
        Value::Null => return Ok(None),
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    };
    let number = number.filter(|number: &f64| number.is_finite() && *number >= 1.0);
    match number {
        // What exceeds the type is its greatest number.
        Some(number) => Ok(Some((number as usize).max(limits::BUDGET_MIN_TOKENS))),
        None => Err(Issue::new(
            name,
            IssueCode::TypeMismatch,
            format!(
                "Expected an integer of at least {}.",
                limits::BUDGET_MIN_TOKENS
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exposed, shown_together};

    #[test]
    fn the_parameter_is_there_only_where_the_host_lets_the_model_choose() {
        for id in DialectId::ALL {
            let name = id.budget_parameter();
            let has = |exposed: Exposed| -> Vec<&'static str> {
                let tools = shown_together(exposed).into_iter();
                let having =
                    tools.filter(|tool| tool.params_schema()["properties"].get(name).is_some());
                having.map(|tool| tool.binding().name).collect()
            };
            assert_eq!(has(Exposed::all(id.dialect())), Vec::<&str>::new());
            let with = has(Exposed::all(id.dialect()).with_budget(name));
            let expected = id.dialect().tools.iter();
            let expected = expected.filter(|row| takes_budget(row.operation));
            assert_eq!(with, expected.map(|row| row.name).collect::<Vec<_>>());
            assert!(with.len() > 2, "{with:?}");
        }
    }

    #[test]
    fn what_models_send_is_a_budget_or_a_fault_with_its_place() {
        let taken = |value: Value| {
            let mut wire = json!({ "path": "a", "max_output_tokens": value });
            let taken = take("maxTokens", &mut wire).map_err(|issue| issue.sentence());
            assert_eq!(wire, json!({ "path": "a" }));
            taken
        };
        assert_eq!(taken(json!(3000)), Ok(Some(3000)));
        assert_eq!(taken(json!("3000")), Ok(Some(3000)));
        assert_eq!(taken(json!(7)), Ok(Some(limits::BUDGET_MIN_TOKENS)));
        assert_eq!(taken(json!(1e300)), Ok(Some(usize::MAX)));
        assert_eq!(taken(Value::Null), Ok(None));
        for wrong in [json!(-1), json!("many"), json!([]), json!(0)] {
            let message = "`maxTokens`: Expected an integer of at least 200.".to_owned();
            assert_eq!(taken(wrong), Err(message));
        }
    }

    #[test]
    fn the_operation_does_not_see_it_and_all_faults_are_reported_at_once() {
        let dialect = DialectId::Agent.dialect();
        let tools = shown_together(Exposed::all(dialect).with_budget("maxTokens"));
        let read = tools
            .iter()
            .find(|tool| tool.binding().name == "read")
            .unwrap();
        let decoded = read
            .decode(json!({ "file_path": "a", "maxTokens": 500 }))
            .unwrap();
        assert_eq!(decoded.max_tokens, Some(500));
        assert_eq!(
            decoded.params.into_json(),
            json!({ "path": "a", "notebook": true })
        );
        assert_eq!(decoded.wire, json!({ "file_path": "a", "maxTokens": 500 }));
        let issues = read
            .decode(json!({ "limit": "x", "max_tokens": "y" }))
            .unwrap_err();
        let places: Vec<&str> = issues.iter().map(|issue| issue.param.as_str()).collect();
        assert!(
            places.contains(&"maxTokens") && places.len() > 1,
            "{places:?}"
        );
    }
}
