//! The closed subset of JSON Schema that the types of tools are written in.
//!
//! Whatever is not in it is an error that names the place: a type is never printed as `unknown`
//! because a word of its schema was passed over.

use std::fmt;

use serde_json::{Map, Value};

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Schema {
    /// What it means.
    pub(crate) description: Option<String>,
    /// What stands for an absent value.
    pub(crate) default: Option<Value>,
    /// Whether null is a value of it.
    pub(crate) nullable: bool,
    /// What its values must keep to.
    pub(crate) bounds: Bounds,
    /// Its type.
    pub(crate) kind: Kind,
}

/// What values must keep to beside their type. Lengths are of texts in characters, of lists in items.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) minimum: Option<Value>,
    pub(crate) maximum: Option<Value>,
    pub(crate) shortest: Option<Value>,
    pub(crate) longest: Option<Value>,
    pub(crate) pattern: Option<String>,
}

/// The type of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Any JSON at all; only where the schema says so by saying nothing.
    Any,
    Text,
    Number,
    Integer,
    Boolean,
    Null,
    /// One of these values.
    Literals(Vec<Value>),
    List(Box<Schema>),
    /// Named members, and no others.
    Object(Vec<Property>),
    /// Any names, all values of one type.
    Record(Box<Schema>),
    /// One of several types.
    Union(Vec<Schema>),
    /// A type that is declared under this name; the generator puts it in, no schema says it.
    Named(&'static str),
}

impl Schema {
    /// The type as a caller may write it: what may be absent may be `undefined`, too. For TypeScript these differ
    /// under `exactOptionalPropertyTypes`, which `tsc --init` writes.
    pub(crate) fn as_given(&self) -> Self {
        let kind = match &self.kind {
            Kind::List(items) => Kind::List(Box::new(items.as_given())),
            Kind::Record(values) => Kind::Record(Box::new(values.as_given())),
            Kind::Union(members) => Kind::Union(members.iter().map(Self::as_given).collect()),
            Kind::Object(properties) => {
                Kind::Object(properties.iter().map(Property::as_given).collect())
            }
            kind => kind.clone(),
        };
        Self {
            kind,
            ..self.clone()
        }
    }

    /// A type without words of its own.
    fn bare(kind: Kind) -> Self {
        Self {
            description: None,
            default: None,
            nullable: false,
            bounds: Bounds::default(),
            kind,
        }
    }
}

impl Property {
    fn as_given(&self) -> Self {
        let mut schema = self.schema.as_given();
        if !self.required && schema.kind != Kind::Any {
            let given = Schema {
                nullable: schema.nullable,
                bounds: schema.bounds.clone(),
                ..Schema::bare(schema.kind)
            };
            schema.nullable = false;
            schema.kind = Kind::Union(vec![given, Schema::bare(Kind::Named("undefined"))]);
        }
        Self {
            schema,
            ..self.clone()
        }
    }
}

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) required: bool,
    pub(crate) schema: Schema,
}

/// Where a schema leaves the subset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaFault {
    /// Such as `edits[].oldText`; empty for the root.
    pub(crate) place: String,
    pub(crate) fault: String,
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => write!(formatter, "the root {}", self.fault),
            place => write!(formatter, "`{place}` {}", self.fault),
        }
    }
}

impl std::error::Error for SchemaFault {}

impl Schema {
    /// A type without words.
    pub(crate) fn of(kind: Kind) -> Self {
        Self {
            description: None,
            default: None,
            nullable: false,
            bounds: Bounds::default(),
            kind,
        }
    }

    /// Reads a schema that is written in the subset.
    pub(crate) fn parse(schema: &Value) -> Result<Self, SchemaFault> {
        parse_at(schema, "")
    }
}

fn parse_at(schema: &Value, place: &str) -> Result<Schema, SchemaFault> {
    let Value::Object(node) = schema else {
        return Err(fault(place, "is not a schema object"));
    };
    let mut words = Words {
        left: node.clone(),
        place,
    };
    let description = words.text("description")?;
    let default = words.left.shift_remove("default");
    words.left.shift_remove("examples");
    let mut parsed = words.typed()?;
    parsed.description = description.or(parsed.description);
    parsed.default = default.or(parsed.default);
    match words.left.keys().next() {
        Some(word) => Err(fault(
            place,
            &format!("uses `{word}` in a way that the generator does not know"),
        )),
        None => Ok(parsed),
    }
}

fn fault(place: &str, fault: &str) -> SchemaFault {
    SchemaFault {
        place: place.to_owned(),
        fault: fault.to_owned(),
    }
}

/// The words of one node; each is taken out as it is understood, and what is left is unknown.
struct Words<'a> {
    left: Map<String, Value>,
    place: &'a str,
}

impl Words<'_> {
    /// The type of the node with what belongs to the type.
    fn typed(&mut self) -> Result<Schema, SchemaFault> {
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(alternatives)) = self.left.shift_remove(word) {
                return self.union(&alternatives);
            }
        }
        if let Some(Value::Array(values)) = self.left.shift_remove("enum") {
            self.left.shift_remove("type");
            return self.literals(values);
        }
        let names = match self.left.shift_remove("type") {
            // Nothing at all is said: any value. A node that says something must say its type.
            None if self.left.is_empty() => return Ok(Schema::of(Kind::Any)),
            None => return Err(self.fault("has no `type`")),
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            Some(_) => return Err(self.fault("has a `type` that is neither name nor list")),
        };
        let nullable = names.len() > 1 && names.iter().any(|name| name == "null");
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !nullable || *name != "null")
            .collect();
        let mut schema = match names.as_slice() {
            [name] => self.one(name)?,
            [] => return Err(self.fault("has an empty `type`")),
            several => {
                let kinds = several.iter().map(|name| self.one(name));
                Schema::of(Kind::Union(kinds.collect::<Result<_, _>>()?))
            }
        };
        schema.nullable = nullable;
        Ok(schema)
    }

    fn one(&mut self, name: &str) -> Result<Schema, SchemaFault> {
        let kind = match name {
            "string" => Kind::Text,
            "number" => Kind::Number,
            "integer" => Kind::Integer,
            "boolean" => Kind::Boolean,
            "null" => Kind::Null,
            "array" => self.list()?,
            "object" => self.object()?,
            other => return Err(self.fault(&format!("has the unknown type `{other}`"))),
        };
        let lengths = match name {
            "string" => ["minLength", "maxLength"],
            "array" => ["minItems", "maxItems"],
            _ => return Ok(self.bounded(kind, name)),
        };
        let [shortest, longest] = lengths.map(|word| self.left.shift_remove(word));
        let pattern = match name {
            "string" => self.text("pattern")?,
            _ => None,
        };
        let mut schema = Schema::of(kind);
        schema.bounds = Bounds {
            shortest,
            longest,
            pattern,
            ..Bounds::default()
        };
        Ok(schema)
    }

    fn bounded(&mut self, kind: Kind, name: &str) -> Schema {
        let mut schema = Schema::of(kind);
        if matches!(name, "number" | "integer") {
            schema.bounds.minimum = self.left.shift_remove("minimum");
            schema.bounds.maximum = self.left.shift_remove("maximum");
        }
        schema
    }

    fn list(&mut self) -> Result<Kind, SchemaFault> {
        let items = self.left.shift_remove("items");
        let items = items.ok_or_else(|| self.fault("is an array without `items`"))?;
        Ok(Kind::List(Box::new(parse_at(
            &items,
            &format!("{}[]", self.place),
        )?)))
    }

    fn object(&mut self) -> Result<Kind, SchemaFault> {
        let members = match self.left.shift_remove("properties") {
            Some(Value::Object(members)) => members,
            None => Map::new(),
            Some(_) => return Err(self.fault("has `properties` that are no object")),
        };
        match self.left.shift_remove("additionalProperties") {
            Some(Value::Bool(false)) => self.properties(&members).map(Kind::Object),
            // What answers hold is identified by their named members, closed or not.
            None if !members.is_empty() => self.properties(&members).map(Kind::Object),
            // Anything.
            Some(Value::Bool(true)) if members.is_empty() => {
                let values = parse_at(&Value::Object(Map::new()), &join(self.place, "*"))?;
                Ok(Kind::Record(Box::new(values)))
            }
            Some(values @ Value::Object(_)) if members.is_empty() => {
                let values = parse_at(&values, &join(self.place, "*"))?;
                Ok(Kind::Record(Box::new(values)))
            }
            _ => Err(self.fault("is an object that is neither closed nor a record")),
        }
    }

    fn properties(&mut self, members: &Map<String, Value>) -> Result<Vec<Property>, SchemaFault> {
        let required = match self.left.shift_remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let parsed = members.iter().map(|(name, member)| {
            Ok(Property {
                name: name.clone(),
                required: required.iter().any(|known| known == name),
                schema: parse_at(member, &join(self.place, name))?,
            })
        });
        parsed.collect()
    }

    fn literals(&mut self, mut values: Vec<Value>) -> Result<Schema, SchemaFault> {
        let all = values.len();
        values.retain(|value| !value.is_null());
        if values.is_empty()
            || values
                .iter()
                .any(|value| value.is_array() || value.is_object())
        {
            return Err(
                self.fault("has an `enum` of other things than texts, numbers and booleans")
            );
        }
        let nullable = values.len() < all;
        let mut schema = Schema::of(Kind::Literals(values));
        schema.nullable = nullable;
        Ok(schema)
    }

    fn union(&mut self, alternatives: &[Value]) -> Result<Schema, SchemaFault> {
        let parsed = alternatives
            .iter()
            .map(|alternative| parse_at(alternative, self.place));
        let mut parsed: Vec<Schema> = parsed.collect::<Result<_, _>>()?;
        let all = parsed.len();
        parsed.retain(|alternative| alternative.kind != Kind::Null);
        let nullable = parsed.len() < all;
        let mut schema = match parsed.len() {
            0 => return Err(self.fault("is a choice of nothing")),
            1 => parsed.remove(0),
            _ => Schema::of(Kind::Union(parsed)),
        };
        schema.nullable |= nullable;
        Ok(schema)
    }

    fn text(&mut self, word: &str) -> Result<Option<String>, SchemaFault> {
        match self.left.shift_remove(word) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(&format!("has a `{word}` that is no text"))),
        }
    }

    fn fault(&self, text: &str) -> SchemaFault {
        fault(self.place, text)
    }
}

/// `edits[]` and `oldText` make `edits[].oldText`.
pub(crate) fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(schema: &Value) -> String {
        Schema::parse(schema).unwrap_err().to_string()
    }

    #[test]
    fn what_the_generator_does_not_know_is_an_error_with_its_place() {
        let root = |member: Value| json!({"type": "object", "properties": {"a": {"type": "array", "items": member}}, "additionalProperties": false});
        let unknown = "in a way that the generator does not know";
        let cases = [
            (
                json!({"$ref": "#/definitions/A"}),
                "`a[]` has no `type`".to_owned(),
            ),
            (
                json!({"type": "string", "format": "uri"}),
                format!("`a[]` uses `format` {unknown}"),
            ),
            (
                json!({"type": "integer", "minLength": 1}),
                format!("`a[]` uses `minLength` {unknown}"),
            ),
            (
                json!({"type": "string", "items": {}}),
                format!("`a[]` uses `items` {unknown}"),
            ),
            (json!({"minimum": 1}), "`a[]` has no `type`".to_owned()),
            (
                json!({"type": "text"}),
                "`a[]` has the unknown type `text`".to_owned(),
            ),
            (
                json!({"type": "array"}),
                "`a[]` is an array without `items`".to_owned(),
            ),
            (
                json!({"type": "object"}),
                "`a[]` is an object that is neither closed nor a record".to_owned(),
            ),
            (
                json!({"anyOf": []}),
                "`a[]` is a choice of nothing".to_owned(),
            ),
            (
                json!({"anyOf": [{"type": "string"}], "properties": {}}),
                format!("`a[]` uses `properties` {unknown}"),
            ),
            (
                json!({"allOf": [{"type": "string"}]}),
                "`a[]` has no `type`".to_owned(),
            ),
            (
                json!({"enum": [[1]]}),
                "`a[]` has an `enum` of other things than texts, numbers and booleans".to_owned(),
            ),
            (json!(true), "`a[]` is not a schema object".to_owned()),
        ];
        for (member, expected) in cases {
            assert_eq!(refused(&root(member)), expected);
        }
        assert_eq!(
            refused(&json!({"type": 5})),
            "the root has a `type` that is neither name nor list"
        );
    }

    #[test]
    fn null_is_a_property_of_a_type_however_it_is_written() {
        let text = Schema {
            nullable: true,
            ..Schema::of(Kind::Text)
        };
        for schema in [
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"oneOf": [{"type": "null"}, {"type": "string"}]}),
        ] {
            assert_eq!(Schema::parse(&schema), Ok(text.clone()));
        }
        let literals = Schema::parse(&json!({"type": ["string", "null"], "enum": ["a", null]}));
        assert_eq!(
            literals,
            Ok(Schema {
                nullable: true,
                ..Schema::of(Kind::Literals(vec!["a".into()]))
            })
        );
    }

    #[test]
    fn a_choice_of_one_keeps_the_words_of_both() {
        let schema = json!({"description": "Outer.", "anyOf": [{"type": "integer", "description": "Inner.", "minimum": 1, "default": 5}, {"type": "null"}]});
        let parsed = Schema::parse(&schema).unwrap();
        assert_eq!(parsed.description.as_deref(), Some("Outer."));
        assert_eq!(parsed.default, Some(json!(5)));
        assert_eq!(parsed.bounds.minimum, Some(json!(1)));
    }

    #[test]
    fn a_node_that_says_nothing_is_any_value() {
        assert_eq!(Schema::parse(&json!({})), Ok(Schema::of(Kind::Any)));
    }
}
