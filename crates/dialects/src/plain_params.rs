//! Parameters with which nothing is wrong at first sight: members that the schema names, each of its type, and all that are
//! required. Nearly all calls are so. They need no repair and no word of the schema is looked up again for them.

use serde_json::{Map, Value};

/// Words of a schema that say nothing about which values fit.
const ANNOTATIONS: &[&str] = &["description", "title", "default", "examples", "$schema"];

/// What a schema says of the members that are plain, made once for a tool. Whatever it does not know of is left to
/// [`repair`](crate::repair) and [`validate`](crate::validate), which decide alone what is wrong and what is put right.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlainParams {
    members: Vec<Member>,
    /// How many of them have to be given.
    required: usize,
}

#[derive(Debug, Clone)]
struct Member {
    name: String,
    is_required: bool,
    kind: Kind,
}

/// The values of a member that are plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Texts that are not empty, of at most so many letters.
    Text {
        most: u64,
    },
    /// Whole numbers that are not 0, within these bounds.
    Whole {
        least: i64,
        most: i64,
    },
    Boolean,
    /// None: more is said of them than is looked at here.
    Other,
}

impl PlainParams {
    /// Those of a schema; none where it says more than which members there are.
    pub(crate) fn of(schema: &Value) -> Self {
        Self::found(schema).unwrap_or_default()
    }

    fn found(schema: &Value) -> Option<Self> {
        let schema = schema.as_object()?;
        let is_object = schema.get("type").is_some_and(|kind| kind == "object");
        if !is_object
            || !has_only(
                schema,
                &["type", "properties", "required", "additionalProperties"],
            )
        {
            return None;
        }
        let required = schema.get("required").map(Value::as_array);
        let required: Vec<&str> = match required {
            Some(names) => names?.iter().map(Value::as_str).collect::<Option<_>>()?,
            None => Vec::new(),
        };
        let properties = schema.get("properties")?.as_object()?;
        let members = properties.iter().map(|(name, own)| Member {
            name: name.clone(),
            is_required: required.contains(&name.as_str()),
            kind: Kind::of(own).unwrap_or(Kind::Other),
        });
        let members: Vec<Member> = members.collect();
        let known = members.iter().filter(|member| member.is_required).count();
        // A name that is required and not among the members is never given.
        (known == required.len()).then_some(Self {
            members,
            required: known,
        })
    }

    /// Whether these parameters fit as they are, and nothing of them is put right. `false` says nothing.
    pub(crate) fn hold(&self, wire: &Value) -> bool {
        let Value::Object(given) = wire else {
            return false;
        };
        let mut required = 0;
        let is_plain = |(name, value): (&String, &Value)| {
            let member = self.members.iter().find(|member| member.name == *name);
            member.is_some_and(|member| {
                required += usize::from(member.is_required);
                member.kind.holds(value)
            })
        };
        !self.members.is_empty() && given.iter().all(is_plain) && required == self.required
    }
}

impl Kind {
    fn of(schema: &Value) -> Option<Self> {
        let schema = schema.as_object()?;
        let bound = |word: &str, absent: i64| match schema.get(word) {
            Some(bound) => bound.as_i64(),
            None => Some(absent),
        };
        match schema.get("type")?.as_str()? {
            "string" if has_only(schema, &["type", "minLength", "maxLength"]) => {
                // An empty text can stand for one that is absent.
                let least = bound("minLength", 0)?;
                let most = bound("maxLength", i64::MAX)?;
                (least <= 1).then_some(Self::Text {
                    most: u64::try_from(most).ok()?,
                })
            }
            "integer" if has_only(schema, &["type", "minimum", "maximum"]) => Some(Self::Whole {
                least: bound("minimum", i64::MIN)?,
                most: bound("maximum", i64::MAX)?,
            }),
            "boolean" if has_only(schema, &["type"]) => Some(Self::Boolean),
            _ => None,
        }
    }

    fn holds(self, value: &Value) -> bool {
        match (self, value) {
            // A letter has a byte at least.
            (Self::Text { most }, Value::String(text)) => {
                !text.is_empty() && text.len() as u64 <= most
            }
            (Self::Whole { least, most }, Value::Number(number)) => number
                .as_i64()
                .is_some_and(|number| number != 0 && (least..=most).contains(&number)),
            (Self::Boolean, Value::Bool(_)) => true,
            _ => false,
        }
    }
}

/// Whether a schema has no other words that say something about a value.
fn has_only(schema: &Map<String, Value>, words: &[&str]) -> bool {
    let mut given = schema.keys().map(String::as_str);
    given.all(|word| words.contains(&word) || ANNOTATIONS.contains(&word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::DialectId;
    use crate::binding::ToolBinding;

    /// Values of which each is plain somewhere, odd elsewhere, or nowhere plain.
    fn values() -> Vec<Value> {
        vec![
            json!("text"),
            json!(""),
            json!(" "),
            json!("5"),
            json!("true"),
            json!("x".repeat(5000)),
            json!(0),
            json!(1),
            json!(5),
            json!(-1),
            json!(1.0),
            json!(1.5),
            json!(3_000_000_000_u64),
            json!(u64::MAX),
            json!(true),
            json!(false),
            json!(null),
            json!([]),
            json!(["a"]),
            json!([1]),
            json!({}),
        ]
    }

    /// What a call is read as, whole, or its faults.
    fn read(binding: &'static ToolBinding, plain: &PlainParams, call: Value) -> String {
        let decoded = binding.decode_by((binding.params_schema(), plain), call);
        format!("{decoded:?}")
    }

    #[test]
    fn what_is_plain_is_read_as_the_whole_way_reads_it() {
        let mut plain_calls = 0;
        let rows = DialectId::ALL.iter().flat_map(|id| id.dialect().tools);
        for binding in rows {
            let schema = binding.params_schema();
            let plain = PlainParams::of(schema);
            let properties = schema.get("properties").and_then(Value::as_object);
            let names: Vec<&String> = properties.into_iter().flat_map(Map::keys).collect();
            let required = schema.get("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().filter_map(Value::as_str);
            let given: Map<String, Value> =
                required.map(|name| (name.to_owned(), json!("a"))).collect();
            let mut calls = vec![
                json!(null),
                json!([]),
                json!({}),
                Value::Object(given.clone()),
            ];
            for name in names
                .iter()
                .map(|name| name.as_str())
                .chain(["other", "description"])
            {
                for value in values() {
                    let mut call = given.clone();
                    call.insert(name.to_owned(), value);
                    calls.push(Value::Object(call));
                }
            }
            for call in calls {
                plain_calls += usize::from(plain.hold(&call));
                let whole = read(binding, &PlainParams::default(), call.clone());
                assert_eq!(
                    read(binding, &plain, call.clone()),
                    whole,
                    "{} {call}",
                    binding.name
                );
            }
        }
        assert!(plain_calls > 500, "only {plain_calls} calls are plain");
    }

    #[test]
    fn a_schema_that_says_more_holds_nothing() {
        let fits = |schema: Value| PlainParams::of(&schema).hold(&json!({"a": "text"}));
        let own = |own: Value| json!({"type": "object", "properties": {"a": own}});
        assert!(fits(own(
            json!({"type": "string", "description": "A text."})
        )));
        let others = [
            own(json!({"type": "string", "enum": ["text"]})),
            own(json!({"type": "string", "pattern": "x"})),
            own(json!({"type": "string", "minLength": 5})),
            own(json!({"type": "string", "maxLength": 3})),
            own(json!({"type": ["string", "null"]})),
            own(json!({"anyOf": [{"type": "string"}]})),
            own(json!({"type": "integer"})),
            json!({"type": "object", "properties": {}}),
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "not": {}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "maxProperties": 0}),
        ];
        assert_eq!(others.into_iter().find(|schema| fits(schema.clone())), None);
    }
}
