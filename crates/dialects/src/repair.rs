//! Puts right what models get wrong, where only one thing can have been meant.
//!
//! Nothing is guessed: a key is renamed only when it is no parameter and its meaning is absent, a
//! value is converted only when its own type cannot fit and the conversion loses nothing. Whatever
//! remains is left for [`crate::validate`] to refuse.

mod convert;
mod schema;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;

use serde_json::{Map, Value};

use self::schema::{is_required, property, takes_null};
use crate::issue::Repair;
use tenon_contract::{has_normal_form, normalise};

/// Pairs of spelling and parameter.
type Aliases = Vec<(&'static str, &'static str)>;

/// The parameters after repair, and what was done. `aliases` are pairs of spelling and parameter, made only where a name is given that
/// the schema does not have; those of a member of a list or object stand with their way there, such as `edits[].old_string`.
///
/// A number has lost what its spelling may have been (`05`, `1.50`), so it is no text. Only in the parameters of
/// `numbers`, where a thing is looked for or picked out, a whole one can have meant its digits alone.
pub(crate) fn repair(
    wire: Value,
    schema: &Value,
    aliases: impl FnOnce() -> Aliases,
    numbers: &[&str],
) -> (Value, Vec<Repair>) {
    let mut repairer = Repairer {
        aliases: LazyCell::new(aliases),
        numbers,
        repairs: Vec::new(),
    };
    let wire = match wire {
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    let wire = repairer.node(wire, schema, "", "");
    (wire, repairer.repairs)
}

/// The work on one set of parameters. A place names its entry (`edits[2]`), a way does not (`edits[]`).
struct Repairer<'a, A> {
    aliases: LazyCell<Aliases, A>,
    numbers: &'a [&'a str],
    repairs: Vec<Repair>,
}

impl<A: FnOnce() -> Aliases> Repairer<'_, A> {
    fn node(&mut self, value: Value, schema: &Value, place: &str, way: &str) -> Value {
        match self.convert(value, schema, place) {
            Value::Object(object) => Value::Object(self.object(object, schema, place, way)),
            Value::Array(items) => {
                let Some(item_schema) = schema.get("items") else {
                    return Value::Array(items);
                };
                let way = format!("{way}[]");
                let repaired = items.into_iter().enumerate().map(|(index, item)| {
                    self.node(item, item_schema, &format!("{place}[{index}]"), &way)
                });
                Value::Array(repaired.collect())
            }
            other => other,
        }
    }

    fn object(
        &mut self,
        mut object: Map<String, Value>,
        schema: &Value,
        place: &str,
        way: &str,
    ) -> Map<String, Value> {
        self.rename_aliases(&mut object, schema, place, way);
        let given: Vec<String> = object.keys().cloned().collect();
        let mut repaired = Map::new();
        for (key, value) in object {
            let name = if property(schema, &key).is_some() {
                key
            } else {
                self.respelled(key, &given, schema, place)
            };
            let at = join(place, &name);
            let child = property(schema, &name);
            // Strict modes send null for whatever is left out.
            if value.is_null()
                && !is_required(schema, &name)
                && child.is_some_and(|child| !takes_null(child))
            {
                self.note(&at, "took null for absent".to_owned());
                continue;
            }
            let value = match child {
                Some(child) => self.node(value, child, &at, &join(way, &name)),
                None => value,
            };
            repaired.insert(name, value);
        }
        repaired
    }

    /// Takes other spellings for the parameter that they mean, when all that are given say the same.
    fn rename_aliases(
        &mut self,
        object: &mut Map<String, Value>,
        schema: &Value,
        place: &str,
        way: &str,
    ) {
        let is_known = |key: &String| properties(schema).any(|known| known == key);
        if object.keys().all(is_known) {
            return;
        }
        let mut params: Vec<&str> = Vec::new();
        for param in self.aliases.iter().map(|(_, param)| *param) {
            if !params.contains(&param) {
                params.push(param);
            }
        }
        for param in params {
            let (parent, name) = split(param);
            if parent == way {
                self.rename_aliases_of(param, name, object, schema, place);
            }
        }
    }

    fn rename_aliases_of(
        &mut self,
        param: &str,
        name: &str,
        object: &mut Map<String, Value>,
        schema: &Value,
        place: &str,
    ) {
        let spellings: Vec<String> = self
            .aliases
            .iter()
            .filter(|(_, meant)| *meant == param)
            .map(|(alias, _)| normalise(split(alias).1))
            .collect();
        let is_spelling = |key: &str| {
            let spelling = normalise(key);
            spellings.contains(&spelling)
                && !properties(schema).any(|known| has_normal_form(known, &spelling))
        };
        let found: Vec<String> = object
            .keys()
            .filter(|key| is_spelling(key))
            .cloned()
            .collect();
        let given = |key: &str| object.get(key).filter(|value| !value.is_null());
        // What is given under its own name, in whatever spelling.
        let own = object
            .keys()
            .find(|key| has_normal_form(key, &normalise(name)) && given(key).is_some());
        let values: Vec<&Value> = own
            .iter()
            .copied()
            .chain(&found)
            .filter_map(|key| given(key))
            .collect();
        let Some(value) = values.first().copied().cloned() else {
            return found.iter().for_each(|key| drop(object.shift_remove(key)));
        };
        if values.iter().any(|other| **other != value) {
            return;
        }
        let is_new = own.is_none();
        let at = join(place, name);
        for (count, key) in found.iter().filter(|key| given(key).is_some()).enumerate() {
            let what = if is_new && count == 0 {
                format!("took `{key}` for `{name}`")
            } else {
                format!("ignored `{key}`, which repeats `{name}`")
            };
            self.repairs.push(Repair {
                param: at.clone(),
                message: what,
            });
        }
        found.iter().for_each(|key| drop(object.shift_remove(key)));
        if is_new && !found.is_empty() {
            object.insert(name.to_owned(), value);
        }
    }

    /// `filePath` and `file-path` mean `file_path`, when that is not given as well.
    fn respelled(&mut self, key: String, given: &[String], schema: &Value, place: &str) -> String {
        let spelling = normalise(&key);
        let meant: Vec<&String> = properties(schema)
            .filter(|name| has_normal_form(name, &spelling))
            .collect();
        let [name] = meant.as_slice() else { return key };
        // Where anything may stand another spelling may be another thing, unless the call would be refused otherwise.
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        if !is_closed && !is_required(schema, name) {
            return key;
        }
        let spellings = given
            .iter()
            .filter(|other| has_normal_form(other, &spelling));
        if spellings.count() != 1 {
            return key;
        }
        self.note(&join(place, name), format!("took `{key}` for `{name}`"));
        (*name).clone()
    }

    fn note(&mut self, place: &str, message: String) {
        self.repairs.push(Repair {
            param: place.to_owned(),
            message,
        });
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = &String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys)
}

/// `edits[].oldText` is `oldText` below `edits[]`.
fn split(way: &str) -> (&str, &str) {
    way.rsplit_once('.').unwrap_or(("", way))
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}
