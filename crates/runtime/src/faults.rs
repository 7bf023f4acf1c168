//! Says in sentences what is wrong with options, settings and other values of the host.
//!
//! Reading a value is serde's work, and its texts are for programmers of this crate. Only when it refuses a value is
//! the value compared with the schema of its type, which knows every name and kind.

mod words;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError, normalise, schema_for_input};
use tenon_dialects::nearest;

use words::{alternatives, listing, shown, wrong};

/// Most faults of one value that are reported.
const MAX_FAULTS: usize = 10;

/// Options that the host's side of the binding takes out before the rest is read here. They are offered like all others.
const OF_THE_FACADE: [&str; 7] = [
    "onApproval",
    "onTelemetry",
    "telemetry",
    "host",
    "hooks",
    "onProcess",
    "mcpServers",
];
/// What is taken and is in no schema: a second spelling, and what the facade adds of its own.
const NOT_OFFERED: [&str; 6] = [
    "output_limit_bytes",
    "agents",
    "channels",
    "hooks",
    "narrowedBy",
    "timeZone",
];
/// What other libraries call an option, and what it is called here.
const ELSEWHERE: [(&str, &str); 5] = [
    ("cwd", "workspace"),
    ("root", "workspace"),
    ("rootDir", "workspace"),
    ("workspaceRoot", "workspace"),
    ("canUseTool", "onApproval"),
];

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Name(String),
    Index(usize),
}

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where it is; the member itself where it is not known, and the one around it where it is missing.
    pub(crate) path: Vec<PathStep>,
    what: FaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FaultKind {
    Unknown {
        advice: String,
    },
    Missing {
        name: String,
        kind: String,
    },
    Wrong {
        /// Goes on behind the name of the member.
        rest: String,
        /// A sentence of its own.
        hint: String,
    },
}

impl Fault {
    /// The sentence. `root` is how the whole value is called, `noun` what its members are: an option, a setting.
    pub(crate) fn sentence(&self, root: &str, noun: &str) -> String {
        let mut place = String::new();
        // A list has no names of its own.
        if matches!(self.path.first(), Some(PathStep::Index(_))) {
            place.push_str(root);
        }
        for step in &self.path {
            push(&mut place, step);
        }
        match &self.what {
            FaultKind::Unknown { advice } => format!("Unknown {noun} `{place}`. {advice}"),
            FaultKind::Missing { name, kind } => {
                let place = if place.is_empty() {
                    name.clone()
                } else {
                    format!("{place}.{name}")
                };
                format!("`{place}` is required ({kind}).")
            }
            FaultKind::Wrong { rest, hint } => {
                let place = if place.is_empty() { root } else { &place };
                format!("`{place}` {rest}.{hint}")
            }
        }
    }

    /// The same place for programs, beginning with `root`.
    fn place(&self, root: &str) -> String {
        let mut place = root.to_owned();
        for step in &self.path {
            push(&mut place, step);
        }
        if let FaultKind::Missing { name, .. } = &self.what
            && !self.path.is_empty()
        {
            let _ = write!(place, ".{name}");
        }
        place
    }
}

/// Adds a step as a host writes it: `permissions.deny[0]`.
fn push(place: &mut String, step: &PathStep) {
    let dot = if place.is_empty() { "" } else { "." };
    // Writing to a text cannot fail.
    let _ = match step {
        PathStep::Name(name) => write!(place, "{dot}{}", shown(name)),
        PathStep::Index(index) => write!(place, "[{index}]"),
    };
}

/// Reads JSON of the host, which it knows as `root`, or says in sentences what is wrong with it.
///
/// # Errors
/// Every fault of the value, a sentence each.
pub fn read<T: DeserializeOwned + JsonSchema>(json: &str, root: &str) -> Result<T, ToolError> {
    serde_json::from_str(json).map_err(|_| match serde_json::from_str(json) {
        Ok(value) => error(&faults::<T>(&value), root),
        Err(_) => ToolError::new(ErrorCode::InvalidParams, format!("`{root}` is not JSON."))
            .with("option", root),
    })
}

fn error(faults: &[Fault], root: &str) -> ToolError {
    let sentences: Vec<String> = faults
        .iter()
        .map(|fault| fault.sentence(root, "option"))
        .collect();
    let message = if sentences.is_empty() {
        format!("`{root}` cannot be used: a value in it is out of range.")
    } else {
        sentences.join(" ")
    };
    let place = faults
        .first()
        .map_or_else(|| root.to_owned(), |fault| fault.place(root));
    let error = ToolError::new(ErrorCode::InvalidParams, message).with("option", place);
    if sentences.len() > 1 {
        error.with("errors", sentences)
    } else {
        error
    }
}

/// Everything that is wrong with a value that is no `T`, in the order of the schema, unknown members first.
pub(crate) fn faults<T: JsonSchema>(value: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut path = Vec::new();
    compare(&schema_for_input::<T>(), value, &mut path, &mut faults);
    faults.truncate(MAX_FAULTS);
    faults
}

fn compare(schema: &Value, value: &Value, path: &mut Vec<PathStep>, faults: &mut Vec<Fault>) {
    let choices = choices(schema);
    let fitting: Vec<&Value> = choices
        .iter()
        .copied()
        .filter(|choice| takes(choice, value))
        .collect();
    let mut best: Option<Vec<Fault>> = None;
    for choice in &fitting {
        let mut found = Vec::new();
        inside(choice, value, path, &mut found);
        if found.is_empty() {
            return;
        }
        if best.as_ref().is_none_or(|best| found.len() < best.len()) {
            best = Some(found);
        }
    }
    match best {
        Some(found) => faults.extend(found),
        None => faults.push(Fault {
            path: path.clone(),
            what: wrong(&choices, value),
        }),
    }
}

/// The alternatives of a schema, those within alternatives included.
fn choices(schema: &Value) -> Vec<&Value> {
    let inner = ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|word| schema.get(*word)?.as_array());
    match inner {
        Some(inner) => inner.iter().flat_map(choices).collect(),
        None => vec![schema],
    }
}

/// The values that a schema lists; nothing where it lists none.
fn listed(schema: &Value) -> Option<Vec<&Value>> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => Some(values.iter().collect()),
        (_, Some(only)) => Some(vec![only]),
        _ => None,
    }
}

fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of the kind that a schema wants, or one of those that it lists.
fn takes(schema: &Value, value: &Value) -> bool {
    if let Some(listed) = listed(schema) {
        return listed.contains(&value);
    }
    let kinds = kinds(schema);
    kinds.is_empty()
        || kinds.iter().any(|kind| match *kind {
            "string" => value.is_string(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => value.is_null(),
        })
}

fn inside(schema: &Value, value: &Value, path: &mut Vec<PathStep>, faults: &mut Vec<Fault>) {
    match value {
        Value::Number(_) => {
            if let Some(rest) = out_of_range(schema, value) {
                faults.push(Fault {
                    path: path.clone(),
                    what: FaultKind::Wrong {
                        rest,
                        hint: String::new(),
                    },
                });
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if let Some(schema) = schema.get("items") {
                    path.push(PathStep::Index(index));
                    compare(schema, item, path, faults);
                    path.pop();
                }
            }
        }
        Value::Object(members) => object(schema, members, path, faults),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn out_of_range(schema: &Value, value: &Value) -> Option<String> {
    let number = value.as_f64()?;
    let bound = |word: &str| schema.get(word).filter(|bound| bound.is_number());
    let (least, most) = (bound("minimum"), bound("maximum"));
    let is_below = least
        .and_then(Value::as_f64)
        .is_some_and(|least| number < least);
    let is_above = most
        .and_then(Value::as_f64)
        .is_some_and(|most| number > most);
    match (least, most) {
        (Some(least), Some(most)) if is_below || is_above => {
            Some(format!("must be between {least} and {most}, not {value}"))
        }
        (Some(least), _) if is_below => Some(format!("must be at least {least}, not {value}")),
        (_, Some(most)) if is_above => Some(format!("must be at most {most}, not {value}")),
        _ => None,
    }
}

fn object(
    schema: &Value,
    members: &Map<String, Value>,
    path: &mut Vec<PathStep>,
    faults: &mut Vec<Fault>,
) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&none);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let mut meant = Vec::new();
    for (name, value) in members {
        path.push(PathStep::Name(name.clone()));
        match (properties.get(name), schema.get("additionalProperties")) {
            (Some(child), _) => compare(child, value, path, faults),
            (None, Some(rest @ Value::Object(_))) => compare(rest, value, path, faults),
            (None, _) if closed && !NOT_OFFERED.contains(&name.as_str()) => {
                let (near, advice) = advice(name, properties, path.len() == 1);
                meant.extend(near);
                let what = FaultKind::Unknown { advice };
                faults.push(Fault {
                    path: path.clone(),
                    what,
                });
            }
            _ => {}
        }
        path.pop();
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        // Who mistyped the name did not forget it.
        if !members.contains_key(name) && !meant.iter().any(|near| near == name) {
            let child = properties.get(name).map(choices).unwrap_or_default();
            let what = FaultKind::Missing {
                name: name.to_owned(),
                kind: alternatives(&child, false),
            };
            faults.push(Fault {
                path: path.clone(),
                what,
            });
        }
    }
}

/// The name that was probably meant, and what to do.
fn advice(
    name: &str,
    properties: &Map<String, Value>,
    is_outermost: bool,
) -> (Option<String>, String) {
    let mut known: Vec<&str> = properties.keys().map(String::as_str).collect();
    // Only the options of a toolkit have one.
    let is_toolkit = is_outermost && properties.contains_key("workspace");
    if is_toolkit {
        known.extend(OF_THE_FACADE);
    }
    let elsewhere = ELSEWHERE.iter().filter(|_| is_toolkit);
    let elsewhere = elsewhere
        .filter(|(theirs, _)| normalise(theirs) == normalise(name))
        .map(|(_, ours)| *ours);
    if let Some(near) = elsewhere.chain(nearest(name, &known)).next() {
        return (Some(near.to_owned()), format!("Did you mean `{near}`?"));
    }
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let advice = match names.as_slice() {
        [] => "No options are supported here.".to_owned(),
        names => format!("Available: {}.", listing(names, "and")),
    };
    (None, advice)
}

#[cfg(test)]
mod tests;
