//! Values that say that an optional parameter is absent: models that fill in every parameter send `glob: ""` and
//! `offset: 0`. Only what could mean nothing else is here: `limit: 0` is one of no results for some and of all for others.
//! An empty text is absent where the schema takes none, and in the parameters of the first table.

use serde_json::Value;
use tenon_contract::{Operation, normalise};

use crate::ignored_params::properties;
use crate::issue::Repair;

/// Parameters in which an empty text means nothing, in the form of [`normalise`].
const TEXTS: &[(Operation, &[&str])] = &[
    (Operation::Execute, &["cwd", "workdir"]),
    (Operation::Find, &["path"]),
    (Operation::Grep, &["glob", "includepattern", "path", "type"]),
    (Operation::List, &["path"]),
    (Operation::Read, &["pages"]),
];

/// Parameters that count from 1, in which 0 means nothing.
const NUMBERS: &[(Operation, &[&str])] = &[(Operation::Read, &["offset"])];

/// Takes such values for absent, and shows which.
pub(crate) fn leave_out_empty(
    operation: Operation,
    schema: &Value,
    wire: &mut Value,
) -> Vec<Repair> {
    let Value::Object(call) = wire else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|required| required.iter().any(|name| name == key));
    let is_in = |table: &[(Operation, &[&str])], name: &str| {
        let mut rows = table.iter().filter(|(of, _)| *of == operation);
        rows.any(|(_, names)| names.contains(&name))
    };
    let takes_none = |key: &str| {
        let own = schema.get("properties").and_then(|all| all.get(key));
        let least = own.and_then(|own| own.get("minLength"));
        least.and_then(Value::as_u64).is_some_and(|least| least > 0)
    };
    let mut repairs = Vec::new();
    for own in properties(schema).filter(|own| !is_required(own)) {
        let is_empty = |value: &&Value| {
            **value == "" && (takes_none(own) || is_in(TEXTS, &normalise(own)))
                || **value == 0 && is_in(NUMBERS, &normalise(own))
        };
        let Some(value) = call.get(own).filter(is_empty) else {
            continue;
        };
        repairs.push(Repair {
            param: own.to_owned(),
            message: format!("took {value} for absent"),
        });
        call.shift_remove(own);
    }
    repairs
}
