//! Calls in the shape that another agent's tool has, brought into that of ours before they are repaired word by word.

use serde_json::{Map, Value};
use tenon_contract::{Operation, counted};

use crate::issue::Repair;

/// A status of tasks that not every vocabulary has.
const CANCELLED: &str = "cancelled";

/// Brings a call into shape, and shows what was done.
pub(crate) fn reshape(operation: Operation, schema: &Value, wire: &mut Value) -> Vec<Repair> {
    match (operation, wire) {
        (Operation::Browser, Value::Object(call)) => browser(call),
        (Operation::TodoWrite, Value::Object(call)) => cancelled_tasks(schema, call),
        _ => Vec::new(),
    }
}

/// `todowrite` of opencode: a task may be `cancelled`. In a vocabulary without that status it is no longer in the list.
fn cancelled_tasks(schema: &Value, call: &mut Map<String, Value>) -> Vec<Repair> {
    let statuses = schema.pointer("/properties/todos/items/properties/status/enum");
    let is_known = statuses
        .and_then(Value::as_array)
        .is_none_or(|statuses| statuses.iter().any(|status| status == CANCELLED));
    let Some(tasks) = call.get_mut("todos").and_then(Value::as_array_mut) else {
        return Vec::new();
    };
    let before = tasks.len();
    if !is_known {
        tasks.retain(|task| task.get("status").is_none_or(|status| status != CANCELLED));
    }
    let removed = before - tasks.len();
    let repair = Repair {
        param: "todos".to_owned(),
        message: format!(
            "removed {}",
            counted(removed as u64, "cancelled task", "cancelled tasks")
        ),
    };
    Some(repair).filter(|_| removed > 0).into_iter().collect()
}

/// `browser` of OpenClaw: `{action: "act", request: {kind: "click", ref: "e1"}}`, with times in milliseconds.
fn browser(call: &mut Map<String, Value>) -> Vec<Repair> {
    let mut repairs = Vec::new();
    let mut note = |param: &str, message: &str| {
        repairs.push(Repair {
            param: param.to_owned(),
            message: message.to_owned(),
        });
    };
    let request = match call.get("request") {
        Some(Value::Object(members)) => Some(members.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        _ => None,
    };
    if let Some(members) = request.filter(|members| may_join(members, call)) {
        call.shift_remove("request");
        call.extend(members);
        note("request", "took its members for parameters of the call");
    }
    let acts = matches!(call.get("action"), None | Some(Value::Null))
        || call.get("action").is_some_and(|action| action == "act");
    if acts && call.get("kind").is_some_and(Value::is_string) {
        if let Some(kind) = call.shift_remove("kind") {
            call.insert("action".to_owned(), kind);
        }
        note("action", "took `kind` for `action`");
    }
    for (other, own) in [("timeoutMs", "timeout"), ("timeMs", "time")] {
        let millis = call.get(other).and_then(Value::as_f64);
        if let Some(millis) = millis.filter(|_| !call.contains_key(own)) {
            call.shift_remove(other);
            call.insert(own.to_owned(), (millis / 1000.0).into());
            note(own, &format!("took `{other}` for `{own}`, in seconds"));
        }
    }
    fields(call, &mut note);
    repairs
}

/// The fields of a form, each with its value as a text.
fn fields(call: &mut Map<String, Value>, note: &mut dyn FnMut(&str, &str)) {
    let fields = call.get_mut("fields").and_then(Value::as_array_mut);
    for field in fields
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        if !field.contains_key("value")
            && let Some(text) = field.shift_remove("text")
        {
            field.insert("value".to_owned(), text);
            note("fields[].value", "took `text` for `value`");
        }
        if field.get("type").is_some_and(Value::is_string) {
            field.shift_remove("type");
            note("fields[].type", "ignored, since the field is known");
        }
        let plain = match field.get("value") {
            Some(Value::Bool(yes)) => Some(yes.to_string()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        if let Some(plain) = plain {
            field.insert("value".to_owned(), plain.into());
            note("fields[].value", "took its text");
        }
    }
}

/// Whether nothing is said twice in two ways.
fn may_join(members: &Map<String, Value>, call: &Map<String, Value>) -> bool {
    members
        .iter()
        .all(|(key, value)| call.get(key).is_none_or(|known| known == value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reshaped(mut call: Value) -> (Value, usize) {
        let repairs = reshape(Operation::Browser, &Value::Null, &mut call);
        (call, repairs.len())
    }

    #[test]
    fn calls_of_openclaw_become_flat() {
        let nested = json!({ "action": "act", "targetId": "t1", "request": { "kind": "click", "ref": "e3", "timeoutMs": 5000 } });
        assert_eq!(
            reshaped(nested),
            (
                json!({ "action": "click", "targetId": "t1", "ref": "e3", "timeout": 5.0 }),
                3
            )
        );
        let flat = json!({ "action": "act", "kind": "wait", "timeMs": 250 });
        assert_eq!(
            reshaped(flat),
            (json!({ "action": "wait", "time": 0.25 }), 2)
        );
        let text = json!({ "action": "act", "request": "{\"kind\":\"press\",\"key\":\"Enter\"}" });
        assert_eq!(
            reshaped(text),
            (json!({ "action": "press", "key": "Enter" }), 2)
        );
        let fields = json!({ "action": "fill", "fields": [{ "ref": "e1", "type": "text", "text": "x" }, { "ref": "e2", "value": true }] });
        assert_eq!(
            reshaped(fields).0,
            json!({ "action": "fill", "fields": [{ "ref": "e1", "value": "x" }, { "ref": "e2", "value": "true" }] })
        );
    }

    #[test]
    fn what_is_said_twice_in_two_ways_stays_as_it_is() {
        let call =
            json!({ "action": "act", "ref": "e1", "request": { "kind": "click", "ref": "e2" } });
        assert_eq!(reshaped(call.clone()), (call, 0));
        let own = json!({ "action": "click", "ref": "e1" });
        assert_eq!(reshaped(own.clone()), (own, 0));
        let mut other = json!({ "request": { "a": 1 } });
        assert_eq!(reshape(Operation::Process, &Value::Null, &mut other), []);
    }

    #[test]
    fn a_cancelled_task_is_removed_where_the_vocabulary_has_no_such_status() {
        let schema = |statuses: Value| json!({ "properties": { "todos": { "items": { "properties": { "status": { "enum": statuses } } } } } });
        let list = json!({ "todos": [{ "content": "a", "status": "cancelled" }, { "content": "b", "status": "pending" }] });
        let mut call = list.clone();
        let repairs = reshape(Operation::TodoWrite, &schema(json!(["pending"])), &mut call);
        assert_eq!(
            call,
            json!({ "todos": [{ "content": "b", "status": "pending" }] })
        );
        assert_eq!(repairs[0].message, "removed 1 cancelled task");
        let mut known = list.clone();
        assert_eq!(
            reshape(
                Operation::TodoWrite,
                &schema(json!(["cancelled"])),
                &mut known
            ),
            []
        );
        assert_eq!(known, list);
    }
}
