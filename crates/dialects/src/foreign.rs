//! Parameters of tools that are in no table: those of the host and of MCP servers.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::binding::Decoded;
use crate::issue::Issue;
use crate::repair::repair;
use crate::validate::{Pattern, referred, validate_with};

/// Keywords whose values are data, not schemas.
const DATA: &[&str] = &["const", "default", "enum", "example", "examples"];
/// Deepest nesting of a schema.
const MAX_DEPTH: usize = 128;

/// The parameter schema of a foreign tool: any JSON Schema (draft 7, 2020-12) of an object.
#[derive(Debug, Clone)]
pub struct ForeignParams {
    schema: Value,
    patterns: HashMap<String, Pattern>,
    notices: Vec<String>,
}

impl ForeignParams {
    /// Takes a schema as it was given. What is missing at its root (`type`, `properties`) is filled in.
    ///
    /// # Errors
    /// Every reason why the schema cannot be worked with, a sentence each.
    pub fn new(mut schema: Value) -> Result<Self, Vec<String>> {
        let Value::Object(root) = &mut schema else {
            return Err(vec![
                "The schema of the parameters is no object.".to_owned(),
            ]);
        };
        if root.get("type").is_none_or(Value::is_null) {
            root.shift_remove("type");
            root.shift_insert(0, "type".to_owned(), json!("object"));
        }
        if root.get("type").is_some_and(|kind| kind != "object") {
            return Err(vec![
                "The schema of the parameters is not of type `object`.".to_owned(),
            ]);
        }
        root.entry("properties").or_insert_with(|| json!({}));
        let mut survey = SchemaWalk::new(&schema);
        survey.node(&schema, "", 0);
        let SchemaWalk {
            patterns,
            faults,
            notices,
            ..
        } = survey;
        if faults.is_empty() {
            Ok(Self {
                schema,
                patterns,
                notices,
            })
        } else {
            Err(faults)
        }
    }

    /// The schema that the model sees.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// What the schema asks for and cannot be checked, a sentence each.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Puts right what models get wrong, where only one thing can have been meant.
    #[must_use]
    pub fn repair(&self, wire: Value) -> Decoded {
        let (wire, repairs) = repair(wire, &self.schema, Vec::new, &[]);
        Decoded {
            max_tokens: None,
            params: wire.clone().into(),
            wire,
            repairs,
        }
    }

    /// Repairs, and checks what came of it.
    ///
    /// # Errors
    /// Every fault at once, each with its place.
    pub fn decode(&self, wire: Value) -> Result<Decoded, Vec<Issue>> {
        let decoded = self.repair(wire);
        let issues = validate_with(&self.schema, &self.patterns, &decoded.wire);
        if issues.is_empty() {
            Ok(decoded)
        } else {
            Err(issues)
        }
    }
}

/// What is wrong with a value by a JSON Schema of any type, in a sentence; nothing where it fits. Nothing is repaired.
#[must_use]
pub fn mismatch(schema: &Value, value: &Value) -> Option<String> {
    const SHOWN: usize = 5;
    let params = match of_any_type(schema) {
        Ok(params) => params,
        Err(faults) => return Some(faults.join(" ")),
    };
    let issues = validate_with(
        &params.schema,
        &params.patterns,
        &json!({ "output": value }),
    );
    let reported: Vec<String> = issues
        .iter()
        .take(SHOWN)
        .map(|issue| format!("`{}`: {}", issue.param, issue.message))
        .collect();
    (!reported.is_empty()).then(|| reported.join(" "))
}

/// What is wrong with a JSON Schema of any type itself, in a sentence; nothing where values can be checked with it.
#[must_use]
pub fn schema_fault(schema: &Value) -> Option<String> {
    const WITHIN: &str = "`properties.output.";
    if let Err(faults) = of_any_type(schema) {
        return Some(faults.join(" ").replace(WITHIN, "`"));
    }
    let mut survey = SchemaWalk {
        is_strict: true,
        ..SchemaWalk::new(schema)
    };
    survey.node(schema, "", 0);
    // References are to another root here, and were followed before.
    let faults = survey.faults.into_iter();
    let faults: Vec<String> = faults.filter(|fault| !fault.contains("$ref`")).collect();
    (!faults.is_empty()).then(|| faults.join(" "))
}

/// A schema of any type, as that of a member of an object.
fn of_any_type(schema: &Value) -> Result<ForeignParams, Vec<String>> {
    let mut root =
        json!({ "type": "object", "properties": { "output": schema }, "required": ["output"] });
    // References are to the root of the schema, where its definitions are.
    for name in ["$defs", "definitions"] {
        if let (Some(definitions), Some(members)) = (schema.get(name), root.as_object_mut()) {
            members.insert(name.to_owned(), definitions.clone());
        }
    }
    ForeignParams::new(root)
}

/// One walk over a schema, before it is used.
struct SchemaWalk<'s> {
    root: &'s Value,
    patterns: HashMap<String, Pattern>,
    faults: Vec<String>,
    notices: Vec<String>,
    /// Whether keywords of another form are faults, too. Hosts get theirs wrong here and there, and mean it well.
    is_strict: bool,
}

impl<'s> SchemaWalk<'s> {
    fn new(root: &'s Value) -> Self {
        Self {
            root,
            patterns: HashMap::new(),
            faults: Vec::new(),
            notices: Vec::new(),
            is_strict: false,
        }
    }

    /// What a keyword has to be, where it is something else.
    fn expected(&self, word: &str, value: &Value) -> Option<&'static str> {
        let is_schema = |value: &Value| value.is_object() || value.is_boolean();
        let (is_right, expected) = match word {
            "properties" | "patternProperties" | "$defs" | "definitions" => {
                let schemas = value.as_object();
                let is_right = schemas.is_some_and(|schemas| schemas.values().all(is_schema));
                (is_right, "an object of schemas")
            }
            "required" => (value.is_array(), "a list of names"),
            "enum" => (value.is_array(), "a list of values"),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                let schemas = value.as_array();
                let is_right = schemas.is_some_and(|schemas| schemas.iter().all(is_schema));
                (is_right, "a list of schemas")
            }
            "items" => (is_schema(value) || value.is_array(), "a schema"),
            "not" | "additionalProperties" => (is_schema(value), "a schema"),
            "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems" => {
                (value.is_number(), "a number")
            }
            "pattern" => (value.is_string(), "a regular expression"),
            _ => (true, ""),
        };
        (self.is_strict && !is_right).then_some(expected)
    }

    fn node(&mut self, node: &'s Value, place: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return self
                .faults
                .push(format!("The schema is nested more than {MAX_DEPTH} deep."));
        }
        let Value::Object(members) = node else {
            return;
        };
        for (word, value) in members {
            let at = if place.is_empty() {
                word.clone()
            } else {
                format!("{place}.{word}")
            };
            if let Some(expected) = self.expected(word, value) {
                self.faults.push(format!("`{at}` has to be {expected}."));
                continue;
            }
            match (word.as_str(), value) {
                ("$ref", Value::String(reference)) if referred(self.root, reference).is_none() => {
                    self.faults.push(format!(
                        "`{at}` refers to `{reference}`, which is not in the schema."
                    ));
                }
                ("pattern", Value::String(source)) => self.pattern(source, &at),
                ("type", kind) if !is_type(kind) => {
                    self.faults.push(format!(
                        "`{at}` is {kind}, which is no type of JSON Schema."
                    ));
                }
                ("required", Value::Array(names)) if !names.iter().all(Value::is_string) => {
                    self.faults
                        .push(format!("`{at}` has to be a list of names."));
                }
                ("patternProperties", Value::Object(children)) => {
                    for (source, child) in children {
                        self.pattern(source, &at);
                        self.node(child, &at, depth + 1);
                    }
                }
                (
                    "properties" | "$defs" | "definitions" | "dependentSchemas",
                    Value::Object(children),
                ) => {
                    for (name, child) in children {
                        self.node(child, &format!("{at}.{name}"), depth + 1);
                    }
                }
                (word, _) if DATA.contains(&word) => {}
                (_, Value::Array(children)) => {
                    for (index, child) in children.iter().enumerate() {
                        self.node(child, &format!("{at}[{index}]"), depth + 1);
                    }
                }
                (_, child) => self.node(child, &at, depth + 1),
            }
        }
    }

    fn pattern(&mut self, source: &str, place: &str) {
        match Pattern::new(source) {
            Some(pattern) => drop(self.patterns.insert(source.to_owned(), pattern)),
            None => self.notices.push(format!(
                "`{place}` is no regular expression that can be checked: `{source}`."
            )),
        }
    }
}

fn is_type(kind: &Value) -> bool {
    const TYPES: [&str; 7] = [
        "string", "integer", "number", "boolean", "array", "object", "null",
    ];
    match kind {
        Value::String(kind) => TYPES.contains(&kind.as_str()),
        Value::Array(kinds) => kinds.iter().all(|kind| kind.is_string() && is_type(kind)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_root_becomes_an_object() {
        let params = ForeignParams::new(json!({"description": "x"})).unwrap();
        assert_eq!(
            params.schema(),
            &json!({"type": "object", "description": "x", "properties": {}})
        );
        assert!(params.decode(json!({"anything": [1]})).is_ok());
    }

    #[test]
    fn what_cannot_be_worked_with_is_named_with_its_place() {
        let faults = |schema: Value| ForeignParams::new(schema).unwrap_err();
        assert_eq!(
            faults(json!([])),
            ["The schema of the parameters is no object."]
        );
        assert_eq!(
            faults(json!({"type": "string"})),
            ["The schema of the parameters is not of type `object`."]
        );
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "text"}, "b": {"$ref": "#/$defs/none"}, "c": {"type": "array", "items": {"$ref": "http://x/y"}},
            "type": {"type": "string", "default": {"$ref": 5, "type": "free"}},
        }});
        assert_eq!(
            faults(schema),
            [
                "`properties.a.type` is \"text\", which is no type of JSON Schema.",
                "`properties.b.$ref` refers to `#/$defs/none`, which is not in the schema.",
                "`properties.c.items.$ref` refers to `http://x/y`, which is not in the schema.",
            ]
        );
    }

    #[test]
    fn a_schema_of_a_result_is_checked_itself_with_the_places_of_its_faults() {
        let fine = json!({"type": "array", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"type": ["string", "null"], "enum": ["x", null]}}});
        assert_eq!(schema_fault(&fine), None);
        assert_eq!(schema_fault(&json!({})), None);
        for (schema, fault) in [
            (
                json!({"type": "objekt"}),
                "`type` is \"objekt\", which is no type of JSON Schema.",
            ),
            (
                json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
                "`properties.a.$ref` refers to `#/$defs/none`, which is not in the schema.",
            ),
            (
                json!({"type": "object", "properties": {"a": "string"}}),
                "`properties` has to be an object of schemas.",
            ),
            (
                json!({"properties": {"a": {"required": "b", "minimum": "3"}}}),
                "`properties.a.required` has to be a list of names. `properties.a.minimum` has to be a number.",
            ),
        ] {
            assert_eq!(schema_fault(&schema).as_deref(), Some(fault));
        }
        // A property may be called like a keyword.
        let named = json!({"properties": {"required": {"type": "boolean"}, "enum": {}}});
        assert_eq!(schema_fault(&named), None);
    }

    #[test]
    fn parameters_are_repaired_and_then_checked() {
        let params = ForeignParams::new(json!({
            "type": "object",
            "properties": {"id": {"type": "string", "pattern": "^t-\\d+$"}, "count": {"type": ["integer", "null"]}},
            "required": ["id"],
        }))
        .unwrap();
        let decoded = params.decode(json!({"id": "t-5", "count": "3"})).unwrap();
        assert_eq!(decoded.wire, json!({"id": "t-5", "count": 3}));
        assert_eq!(decoded.repairs.len(), 1);
        let issues = params.decode(json!({"id": "5"})).unwrap_err();
        assert_eq!(
            issues.first().map(|issue| issue.code),
            Some(crate::IssueCode::PatternMismatch)
        );
    }

    #[test]
    fn a_pattern_that_cannot_be_checked_is_reported_and_lets_everything_through() {
        let schema = json!({"properties": {"a": {"type": "string", "pattern": "("}}});
        let params = ForeignParams::new(schema).unwrap();
        assert_eq!(
            params.notices(),
            ["`properties.a.pattern` is no regular expression that can be checked: `(`."]
        );
        assert!(params.decode(json!({"a": "x"})).is_ok());
    }
}
