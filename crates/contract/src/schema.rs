//! JSON Schema from Rust types, in the subset that every framework and model provider takes.
//!
//! What schemars writes is refused by several of them (TypeBox 0.34, Ajv in strict mode, the strict
//! modes of OpenAI, Gemini). So, once and here: everything is inlined, without `$schema`, `title`
//! and number formats; unit enums become `{type: "string", enum}`; optional means "not in
//! `required`", never nullable; objects are closed. [`check_for_models`] states the subset as a
//! check that the tests run over every tool.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value, json};

/// Schema of what is written for a `T`, as programs read it: inlined, without titles and formats,
/// null where it is written, `required` what is always written.
#[must_use]
pub fn schema_for<T: JsonSchema>() -> Value {
    generate::<T>(Contract::Serialize)
}

/// Schema of what is read for a `T`, as models and frameworks take it for parameters: like
/// [`schema_for`], without null.
#[must_use]
pub fn schema_for_models<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(Contract::Deserialize);
    simplify(&mut schema, Nulls::Strip);
    schema
}

/// Schema of what is read for a `T`, as it is: null where it is taken, closed where it is closed. For reporting what
/// is wrong with a value that could not be read.
#[must_use]
pub fn schema_for_input<T: JsonSchema>() -> Value {
    raw::<T>(Contract::Deserialize)
}

fn generate<T: JsonSchema>(contract: Contract) -> Value {
    let mut schema = raw::<T>(contract);
    simplify(&mut schema, Nulls::Keep);
    schema
}

fn raw<T: JsonSchema>(contract: Contract) -> Value {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.contract = contract;
    });
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Keep,
    Strip,
}

fn simplify(schema: &mut Value, nulls: Nulls) {
    let Value::Object(node) = schema else {
        // `true` means anything; frameworks want an object.
        if *schema == Value::Bool(true) {
            *schema = json!({});
        }
        return;
    };
    for word in ["$schema", "title", "format", "$defs", "definitions"] {
        node.remove(word);
    }
    if node.get("default").is_some_and(Value::is_null) {
        node.remove("default");
    }
    if let Some(value) = node.remove("const") {
        node.insert("enum".into(), Value::Array(vec![value]));
    }
    for word in ["properties", "patternProperties"] {
        if let Some(Value::Object(children)) = node.get_mut(word) {
            children
                .values_mut()
                .for_each(|child| simplify(child, nulls));
        }
    }
    for word in ["items", "additionalProperties"] {
        // An object that takes anything says so by `true`: there is no type to name.
        if let Some(child) = node
            .get_mut(word)
            .filter(|child| word == "items" || !child.is_boolean())
        {
            simplify(child, nulls);
        }
    }
    let is_described = node.contains_key("description");
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(children)) = node.get_mut(word) {
            for child in children {
                // The field says what it is for; what the type is in general adds nothing.
                if let (true, Value::Object(choice)) = (is_described, &mut *child)
                    && choice.contains_key("oneOf")
                {
                    choice.remove("description");
                }
                simplify(child, nulls);
            }
        }
    }
    if nulls == Nulls::Strip {
        strip_null(node);
    }
    collapse_choices(node);
    close_object(node);
    order_words(node);
}

/// Takes `null` out of `type` lists, enums and alternatives.
fn strip_null(node: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = node.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            node.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = node.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(children)) = node.get_mut(word) {
            children.retain(|child| child.get("type").is_none_or(|kind| kind != "null"));
        }
    }
}

/// Turns a choice of string constants into one enum, and a choice of one into its only member.
fn collapse_choices(node: &mut Map<String, Value>) {
    for word in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(children)) = node.get(word) else {
            continue;
        };
        let values: Option<Vec<Value>> = children
            .iter()
            .map(string_constants)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
        if let Some(values) = values.filter(|_| word != "allOf" && children.len() > 1) {
            let meanings = meanings(children);
            node.remove(word);
            node.insert("type".into(), "string".into());
            node.insert("enum".into(), Value::Array(values));
            if !meanings.is_empty() {
                let lead = node
                    .get("description")
                    .and_then(Value::as_str)
                    .map(|text| format!("{text} "))
                    .unwrap_or_default();
                node.insert("description".into(), format!("{lead}{meanings}").into());
            }
        } else if let [Value::Object(only)] = children.as_slice() {
            let only = only.clone();
            node.remove(word);
            let outer = node
                .get("description")
                .and_then(Value::as_str)
                .map(str::to_owned);
            let is_choice = only.contains_key("enum");
            for (key, value) in only {
                match (key.as_str(), value.as_str(), &outer) {
                    // The field says what it is for, the enum what its values mean: keep both.
                    ("description", Some(inner), Some(outer)) if is_choice => {
                        node.insert(key, format!("{outer} {inner}").into());
                    }
                    _ => {
                        node.entry(key).or_insert(value);
                    }
                }
            }
        }
    }
}

/// The values of a node that is a string enum, else nothing.
fn string_constants(node: &Value) -> Option<Vec<Value>> {
    let Some(Value::Array(values)) = node.get("enum") else {
        return None;
    };
    values.iter().all(Value::is_string).then(|| values.clone())
}

/// `a: what it means; b: …` for documented variants.
fn meanings(children: &[Value]) -> String {
    let parts: Vec<String> = children
        .iter()
        .filter_map(|child| {
            let description = child.get("description")?.as_str()?;
            let [value] = child.get("enum")?.as_array()?.as_slice() else {
                return None;
            };
            Some(format!(
                "`{}`: {}",
                value.as_str()?,
                description.trim_end_matches('.')
            ))
        })
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("{}.", parts.join("; "))
    }
}

/// An object with named properties takes no others.
fn close_object(node: &mut Map<String, Value>) {
    let is_object = match node.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    if is_object && (node.contains_key("properties") || !node.contains_key("additionalProperties"))
    {
        node.entry("properties").or_insert_with(|| json!({}));
        node.insert("additionalProperties".into(), Value::Bool(false));
    }
}

/// One order of words in every node, so that schemas read alike and snapshots stay still.
fn order_words(node: &mut Map<String, Value>) {
    const ORDER: [&str; 8] = [
        "type",
        "description",
        "enum",
        "default",
        "properties",
        "required",
        "items",
        "additionalProperties",
    ];
    let mut sorted = Map::new();
    for word in ORDER {
        if let Some(value) = node.shift_remove(word) {
            sorted.insert(word.into(), value);
        }
    }
    sorted.append(node);
    *node = sorted;
}

/// One place where a schema leaves the subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// Such as `properties.edits.items`; empty for the root.
    pub place: String,
    /// What is wrong there.
    pub fault: String,
}

/// Checks that a parameter schema is one that all frameworks and providers take.
#[must_use]
pub fn check_for_models(schema: &Value) -> Vec<SchemaFault> {
    let mut faults = Vec::new();
    if schema.get("type").is_none_or(|kind| kind != "object") {
        faults.push(SchemaFault {
            place: String::new(),
            fault: "the root is not of type `object`".into(),
        });
    }
    check_node(schema, String::new(), &mut faults);
    faults
}

fn check_node(schema: &Value, place: String, faults: &mut Vec<SchemaFault>) {
    let Value::Object(node) = schema else {
        return faults.push(SchemaFault {
            place,
            fault: "is not an object".into(),
        });
    };
    let own = node_faults(node, &place).into_iter();
    faults.extend(own.map(|fault| SchemaFault {
        place: place.clone(),
        fault,
    }));
    let join = |step: &str| {
        if place.is_empty() {
            step.to_owned()
        } else {
            format!("{place}.{step}")
        }
    };
    if let Some(Value::Object(children)) = node.get("properties") {
        for (name, child) in children {
            check_node(child, join(name), faults);
        }
    }
    if let Some(items) = node.get("items") {
        check_node(items, format!("{place}[]"), faults);
    }
    if let Some(values @ Value::Object(_)) = node.get("additionalProperties") {
        check_node(values, join("additionalProperties"), faults);
    }
}

/// What is wrong with one node by itself.
fn node_faults(node: &Map<String, Value>, place: &str) -> Vec<String> {
    const KNOWN: [&str; 17] = [
        "type",
        "description",
        "enum",
        "default",
        "properties",
        "required",
        "items",
        "additionalProperties",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "pattern",
        "anyOf",
        "examples",
    ];
    let mut faults: Vec<String> = node
        .keys()
        .filter(|word| !KNOWN.contains(&word.as_str()))
        .map(|word| format!("uses `{word}`"))
        .collect();
    if !node.contains_key("anyOf") && !node.get("type").is_some_and(Value::is_string) {
        faults.push("has not exactly one `type`".into());
    }
    let is_property =
        !place.is_empty() && !place.ends_with(']') && !place.contains("additionalProperties");
    if is_property && !node.contains_key("description") {
        faults.push("has no description".into());
    }
    if node.get("type").is_some_and(|kind| kind == "array") && !node.contains_key("items") {
        faults.push("is an array without `items`".into());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;

    /// What to do.
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    #[schemars(rename_all = "snake_case")]
    enum Mode {
        /// Lines with their text.
        Content,
        /// Names only.
        Files,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Inner {
        /// Old text.
        old: String,
    }

    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Params {
        /// The path.
        path: String,
        /// First line.
        #[schemars(range(min = 1))]
        offset: Option<u64>,
        /// How.
        mode: Option<Mode>,
        /// The pairs.
        edits: Vec<Inner>,
    }

    #[test]
    fn a_parameter_schema_is_inlined_closed_and_without_null() {
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The path."},
                "offset": {"type": "integer", "description": "First line.", "minimum": 1},
                "mode": {
                    "type": "string",
                    "description": "How. `content`: Lines with their text; `files`: Names only.",
                    "enum": ["content", "files"],
                },
                "edits": {
                    "type": "array",
                    "description": "The pairs.",
                    "items": {
                        "type": "object",
                        "properties": {"old": {"type": "string", "description": "Old text."}},
                        "required": ["old"],
                        "additionalProperties": false,
                    },
                },
            },
            "required": ["path", "edits"],
            "additionalProperties": false,
        });
        let schema = schema_for_models::<Params>();
        assert_eq!(
            serde_json::to_string_pretty(&schema).unwrap(),
            serde_json::to_string_pretty(&expected).unwrap()
        );
        assert_eq!(check_for_models(&schema), []);
    }

    #[test]
    fn an_output_schema_keeps_null() {
        assert_eq!(
            schema_for::<Params>().pointer("/properties/offset/type"),
            Some(&json!(["integer", "null"]))
        );
    }

    #[test]
    fn what_frameworks_refuse_is_named_with_its_place() {
        let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "oneOf": []}}});
        let faults: Vec<_> = check_for_models(&schema)
            .into_iter()
            .map(|fault| format!("{}: {}", fault.place, fault.fault))
            .collect();
        assert_eq!(
            faults,
            [
                "a: uses `oneOf`",
                "a: has not exactly one `type`",
                "a: has no description"
            ]
        );
    }
}
