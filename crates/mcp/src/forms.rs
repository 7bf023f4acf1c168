//! Forms of servers that are not as the protocol has them: its library knows no request of a form in which one field
//! has no `type`.

use rmcp::model::{
    ConstString, ElicitRequestParams, ElicitationCreateRequestMethod, ErrorData,
    InputRequiredResult, PrimitiveSchemaDefinition, ServerResult,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The method of a request with a form.
pub(crate) const METHOD: &str = ElicitationCreateRequestMethod::VALUE;

/// The parameters of a form, where a field with choices has the type that these are of.
///
/// # Errors
/// Where they cannot be read; a field that cannot be is named.
pub(crate) fn form(params: &Value) -> Result<ElicitRequestParams, ErrorData> {
    let mut params = params.clone();
    let fields = params.pointer_mut("/requestedSchema/properties");
    if let Some(Value::Object(fields)) = fields {
        fields.values_mut().for_each(with_type);
    }
    ElicitRequestParams::deserialize(&params)
        .map_err(|error| ErrorData::invalid_params(problem(&params, &error), None))
}

/// The result of a call. One that asks for forms and was not known as that is one.
///
/// # Errors
/// As [`form`].
pub(crate) fn with_forms(result: ServerResult) -> Result<ServerResult, ErrorData> {
    let ServerResult::CustomResult(mut custom) = result else {
        return Ok(result);
    };
    let kind = custom.0.get("resultType");
    if kind.is_none_or(|kind| kind != "input_required") {
        return Ok(ServerResult::CustomResult(custom));
    }
    let wrong = |error: serde_json::Error| {
        let reason = format!("what it asks cannot be read: {error}");
        ErrorData::invalid_params(reason, None)
    };
    if let Some(Value::Object(requests)) = custom.0.get_mut("inputRequests") {
        let forms = requests.values_mut().filter(|one| one["method"] == METHOD);
        for params in forms.filter_map(|request| request.get_mut("params")) {
            *params = serde_json::to_value(form(params)?).map_err(wrong)?;
        }
    }
    let required = InputRequiredResult::deserialize(&custom.0).map_err(wrong)?;
    Ok(ServerResult::InputRequiredResult(required))
}

/// Gives a field with choices the type that these are of.
fn with_type(field: &mut Value) {
    let Some(members) = field.as_object_mut() else {
        return;
    };
    if members.contains_key("type") {
        return;
    }
    if has_choices(members) {
        members.insert("type".to_owned(), json!("string"));
        titled(members);
    } else if let Some(items) = members.get_mut("items")
        && items.as_object().is_some_and(has_choices)
    {
        with_type(items);
        members.insert("type".to_owned(), json!("array"));
    }
}

/// Choices with titles as the protocol has them: in `oneOf`, each with a title, which is its value where it has none.
fn titled(members: &mut Map<String, Value>) {
    if let Some(choices) = members.remove("anyOf") {
        members.entry("oneOf").or_insert(choices);
    }
    let choices = members.get_mut("oneOf").and_then(Value::as_array_mut);
    for choice in choices.into_iter().flatten() {
        if let Some(choice) = choice.as_object_mut()
            && let Some(value) = choice.get("const").cloned()
        {
            choice.entry("title").or_insert(value);
        }
    }
}

/// Whether there are choices, which are all texts.
fn has_choices(members: &Map<String, Value>) -> bool {
    let all = |name: &str, is: fn(&Value) -> bool| {
        let choices = members.get(name).and_then(Value::as_array);
        choices.is_some_and(|choices| !choices.is_empty() && choices.iter().all(is))
    };
    let is_titled = |choice: &Value| choice["const"].is_string();
    all("enum", Value::is_string) || all("oneOf", is_titled) || all("anyOf", is_titled)
}

/// Why a form cannot be read.
fn problem(params: &Value, error: &serde_json::Error) -> String {
    let fields = params.pointer("/requestedSchema/properties");
    let fields = fields.and_then(Value::as_object).into_iter().flatten();
    let mut wrong =
        fields.filter(|(_, field)| PrimitiveSchemaDefinition::deserialize(*field).is_err());
    let kinds = "`string`, `number`, `integer`, `boolean`, or `array` with choices";
    match wrong.next() {
        Some((name, field)) if field.get("type").is_none() => {
            format!("The field `{name}` of the form has no `type`. Set it to {kinds}.")
        }
        Some((name, _)) => format!(
            "The field `{name}` of the form is not one that a form may have. Its `type` must be {kinds}, and its other members those of that type."
        ),
        None => format!("The parameters of `{METHOD}` cannot be read: {error}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(field: &Value) -> Result<Value, String> {
        let schema = json!({ "type": "object", "properties": { "f": field } });
        let params = json!({ "message": "Fill in.", "requestedSchema": schema });
        let read = form(&params).map_err(|error| {
            assert_eq!(error.code, rmcp::model::ErrorCode::INVALID_PARAMS);
            error.message.into_owned()
        })?;
        let read = serde_json::to_value(read).unwrap();
        Ok(read["requestedSchema"]["properties"]["f"].clone())
    }

    #[test]
    fn choices_without_a_type_are_of_the_type_that_they_have() {
        let titled = json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]);
        for (given, expected) in [
            (
                json!({ "enum": ["a", "b"] }),
                json!({ "type": "string", "enum": ["a", "b"] }),
            ),
            (
                json!({ "oneOf": titled, "title": "F" }),
                json!({ "type": "string", "oneOf": titled, "title": "F" }),
            ),
            (
                json!({ "anyOf": [{ "const": "a" }] }),
                json!({ "type": "string", "oneOf": [{ "const": "a", "title": "a" }] }),
            ),
            (
                json!({ "items": { "enum": ["a"] } }),
                json!({ "type": "array", "items": { "type": "string", "enum": ["a"] } }),
            ),
            (
                json!({ "items": { "anyOf": titled } }),
                json!({ "type": "array", "items": { "anyOf": titled } }),
            ),
        ] {
            assert_eq!(asked(&given), Ok(expected), "{given}");
        }
    }

    #[test]
    fn a_field_that_no_form_may_have_is_named() {
        let kinds = "`string`, `number`, `integer`, `boolean`, or `array` with choices";
        let untyped = format!("The field `f` of the form has no `type`. Set it to {kinds}.");
        let wrong = format!(
            "The field `f` of the form is not one that a form may have. Its `type` must be {kinds}, and its other members those of that type."
        );
        for (given, expected) in [
            (json!({}), &untyped),
            (json!({ "title": "F" }), &untyped),
            (json!({ "enum": [] }), &untyped),
            (json!({ "enum": [1, 2] }), &untyped),
            (json!({ "type": "object", "properties": {} }), &wrong),
            (json!({ "type": ["string", "null"] }), &wrong),
            (json!({ "type": "string", "format": "colour" }), &wrong),
            (json!("string"), &untyped),
        ] {
            assert_eq!(asked(&given), Err(expected.clone()), "{given}");
        }
        let error = form(&json!({ "requestedSchema": {} })).unwrap_err();
        let begins = "The parameters of `elicitation/create` cannot be read: ";
        assert!(error.message.starts_with(begins), "{}", error.message);
    }

    #[test]
    fn a_result_that_asks_for_such_a_form_asks_for_it() {
        let result = |field: Value| {
            let schema = json!({ "type": "object", "properties": { "f": field } });
            let params =
                json!({ "mode": "form", "message": "Fill in.", "requestedSchema": schema });
            let request = json!({ "method": METHOD, "params": params });
            json!({ "resultType": "input_required", "inputRequests": { "k": request }, "requestState": "s" })
        };
        let read = |given: Value| with_forms(serde_json::from_value(given).unwrap());
        let choices = read(result(json!({ "enum": ["a"] }))).unwrap();
        assert_eq!(
            serde_json::to_value(choices).unwrap(),
            result(json!({ "type": "string", "enum": ["a"] }))
        );
        let named = read(result(json!({ "title": "F" }))).unwrap_err();
        assert!(named.message.contains("`f`"), "{}", named.message);
        let other = json!({ "anything": 1 });
        let other_read = read(other.clone()).unwrap();
        assert_eq!(serde_json::to_value(other_read).unwrap(), other);
    }
}
