//! Schemas from the types.

use serde_json::{Map, Value, json};
use tenon_contract::{Condensation, schema_for};

use super::RowSchemas;
use crate::issue::Repair;
use crate::{Convert, Field, ParamsCodec, Renderer, ToolBinding};

/// The schemas of a row.
pub(super) fn schemas(row: &ToolBinding) -> RowSchemas {
    RowSchemas {
        params: params(row),
        output: output(row),
    }
}

fn params(row: &ToolBinding) -> Value {
    let fields = match row.params {
        ParamsCodec::Typed(typed) => return typed.schema.make(),
        ParamsCodec::Fields(fields) => fields,
    };
    let operation = row.operation_params.make();
    let required_below = |name: &str| {
        operation
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|known| known == name))
    };
    let shown = fields.iter().filter(|field| !field.wire.is_empty());
    let properties: Map<String, Value> = shown
        .clone()
        .map(|field| {
            let below = operation
                .get("properties")
                .and_then(|all| all.get(field.operation))
                .unwrap_or(&Value::Null);
            (field.wire.to_owned(), field.project(below))
        })
        .collect();
    let required: Vec<&str> = shown
        .filter(|field| {
            field
                .required
                .unwrap_or_else(|| required_below(field.operation) && field.absent().is_none())
        })
        .map(|field| field.wire)
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (false, Some(node)) = (required.is_empty(), schema.as_object_mut()) {
        node.insert("required".into(), json!(required));
    }
    if let Some(node) = schema.as_object_mut() {
        node.insert("additionalProperties".into(), false.into());
    }
    schema
}

fn output(row: &ToolBinding) -> Value {
    let mut schema = row.renderer.schema();
    add_member(&mut schema, "repairs", &schema_for::<Vec<Repair>>());
    add_member(&mut schema, "condensed", &schema_for::<Condensation>());
    strip_descriptions(&mut schema);
    schema
}

impl Field {
    /// The wire schema of this parameter, from the operation's schema of it.
    fn project(&self, operation: &Value) -> Value {
        let mut schema = operation.as_object().cloned().unwrap_or_default();
        match self.convert {
            Convert::Same | Convert::Fixed(_) => {}
            Convert::Negated { absent } => {
                schema.insert("default".into(), (!absent).into());
            }
            Convert::Clamped { absent, .. } | Convert::ClampedIfGiven { absent, .. } => {
                schema.shift_remove("minimum");
                schema.shift_remove("maximum");
                schema.insert("default".into(), absent.into());
            }
            Convert::Seconds => {
                scale_bound(&mut schema, "minimum", |millis| millis / 1000.0);
                scale_bound(&mut schema, "maximum", |millis| (millis / 1000.0).floor());
                schema.insert("type".into(), "number".into());
            }
            Convert::ZeroBased => scale_bound(&mut schema, "minimum", |from_one| from_one - 1.0),
            Convert::Default(value) | Convert::Stated(value) => {
                schema.insert("default".into(), value());
            }
        }
        if self.number {
            schema.insert("type".into(), "number".into());
        }
        if let Some(minimum) = self.minimum {
            schema.insert("minimum".into(), minimum.into());
        }
        if let Some(description) = self.description {
            schema.insert("description".into(), description.into());
        }
        Value::Object(schema)
    }
}

fn scale_bound(schema: &mut Map<String, Value>, word: &str, scale: impl Fn(f64) -> f64) {
    if let Some(bound) = schema.get(word).and_then(Value::as_f64) {
        let scaled = scale(bound);
        let value = if scaled.fract() == 0.0 {
            Value::from(scaled as i64)
        } else {
            Value::from(scaled)
        };
        schema.insert(word.into(), value);
    }
}

impl Renderer {
    /// The schema of the details, with descriptions.
    pub(crate) fn schema(self) -> Value {
        let mut schema = self.schema.make();
        if self.with_ok {
            let ok = json!({ "type": "boolean", "description": "Always true: a failed call is an error." });
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert("ok".into(), ok);
            }
        }
        schema
    }
}

/// Adds a member to every form that an object has.
fn add_member(schema: &mut Value, name: &str, member: &Value) {
    for forms in ["anyOf", "oneOf"] {
        let forms = schema.get_mut(forms).and_then(Value::as_array_mut);
        forms
            .into_iter()
            .flatten()
            .for_each(|form| add_member(form, name, member));
    }
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), member.clone());
    }
}

fn strip_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            // A property may be called so, and is no text.
            if node.get("description").is_some_and(Value::is_string) {
                node.shift_remove("description");
            }
            node.values_mut().for_each(strip_descriptions);
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(strip_descriptions),
        _ => {}
    }
}
