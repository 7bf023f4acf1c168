//! Objects: their members, known and unknown.

use serde_json::{Map, Value};

use super::words::type_of;
use super::{Check, MAX_ISSUES, join, numbers, shorten};
use crate::issue::{Issue, IssueCode};
use crate::normal_form::nearest;

impl<'s> Check<'s> {
    pub(super) fn object(
        self,
        schema: &'s Value,
        members: &Map<String, Value>,
        place: &str,
        issues: &mut Vec<Issue>,
    ) {
        let no_properties = Map::new();
        let properties = match schema.get("properties") {
            Some(Value::Object(properties)) => Some(properties),
            _ => None,
        };
        for (name, child) in properties.into_iter().flatten() {
            if let Some(value) = members.get(name) {
                self.child(child, value, &join(place, name), issues);
            } else if required(schema).any(|required| required == name) {
                issues.push(missing(name, Some(child), place));
            }
        }
        for name in required(schema) {
            let is_known = properties.is_some_and(|properties| properties.contains_key(name));
            if !is_known && !members.contains_key(name) {
                issues.push(missing(name, None, place));
            }
        }
        for (name, value) in members {
            if issues.len() > MAX_ISSUES {
                break;
            }
            let is_known = properties.is_some_and(|properties| properties.contains_key(name));
            if self.by_pattern(schema, name, value, place, issues) || is_known {
                continue;
            }
            match schema.get("additionalProperties") {
                Some(Value::Bool(false)) => {
                    issues.push(unknown(name, properties.unwrap_or(&no_properties), place));
                }
                Some(values) => self.child(values, value, &join(place, name), issues),
                None => {}
            }
        }
        numbers::length(
            schema,
            "Properties",
            members.len(),
            ("property", "properties"),
            place,
            issues,
        );
        self.names(schema, members, place, issues);
        self.dependencies(schema, members, place, issues);
    }

    /// Checks a member by the patterns of its name; whether there is one.
    fn by_pattern(
        self,
        schema: &'s Value,
        name: &str,
        value: &Value,
        place: &str,
        issues: &mut Vec<Issue>,
    ) -> bool {
        let Some(Value::Object(patterns)) = schema.get("patternProperties") else {
            return false;
        };
        let mut is_known = false;
        for (source, child) in patterns {
            // A pattern that cannot be read might have covered the name.
            let Some(pattern) = self.patterns.get(source) else {
                is_known = true;
                continue;
            };
            if pattern.is_match(name) {
                is_known = true;
                self.child(child, value, &join(place, name), issues);
            }
        }
        is_known
    }

    fn names(
        self,
        schema: &'s Value,
        members: &Map<String, Value>,
        place: &str,
        issues: &mut Vec<Issue>,
    ) {
        let Some(names) = schema.get("propertyNames") else {
            return;
        };
        for name in members.keys() {
            let mut found = Vec::new();
            self.child(names, &Value::from(name.as_str()), "", &mut found);
            issues.extend(found.into_iter().map(|fault| {
                let message = format!("This name is not allowed. {}", fault.message);
                Issue::new(join(place, name), IssueCode::UnknownParam, message)
            }));
        }
    }

    /// `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both.
    fn dependencies(
        self,
        schema: &'s Value,
        members: &Map<String, Value>,
        place: &str,
        issues: &mut Vec<Issue>,
    ) {
        let words = ["dependentRequired", "dependentSchemas", "dependencies"];
        let rules = words
            .iter()
            .filter_map(|word| schema.get(*word)?.as_object())
            .flatten();
        for (name, rule) in rules.filter(|(name, _)| members.contains_key(*name)) {
            let Some(needed) = rule.as_array() else {
                self.again(rule, &Value::Object(members.clone()), place, issues);
                continue;
            };
            for other in needed.iter().filter_map(Value::as_str) {
                if !members.contains_key(other) {
                    let message = format!(
                        "`{}` is required together with `{name}`.",
                        join(place, other)
                    );
                    issues.push(Issue::new(
                        join(place, other),
                        IssueCode::MissingRequired,
                        message,
                    ));
                }
            }
        }
    }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn missing(name: &str, schema: Option<&Value>, place: &str) -> Issue {
    let (param, kind) = (join(place, name), schema.map_or_else(String::new, type_of));
    let message = format!("`{param}` is required{kind}.");
    Issue::new(param, IssueCode::MissingRequired, message)
}

fn unknown(name: &str, properties: &Map<String, Value>, place: &str) -> Issue {
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let advice = match nearest(name, &known) {
        Some(near) => format!("Did you mean `{near}`?"),
        None if known.is_empty() => "There are no parameters here.".to_owned(),
        None => {
            let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("Available: {}.", names.join(", "))
        }
    };
    let param = join(place, &shorten(name));
    let message = format!("Unknown parameter `{param}`. {advice}");
    Issue::new(param, IssueCode::UnknownParam, message)
}
