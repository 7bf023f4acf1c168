//! Reads the facts of every tool from the crates that define it.

use std::error::Error;
use std::path::Path;

use serde_json::{Value, json};
use tenon_contract::{Condensation, FileChange, schema_for, schema_for_models};
use tenon_dialects::{DialectId, Issue, Repair, ToolBinding};
use tenon_runtime::{
    ApprovalRequest, Explanation, HistoryEntry, HostCallbacks, Options, TelemetryEvent, Toolkit,
    Validation,
};

use super::declarations::SharedType;
use super::facts::{DialectFacts, Hints, ToolFacts};
use super::schema::Schema;

/// The types that are no tool's own.
pub(crate) fn shared_types() -> Result<Vec<SharedType>, Box<dyn Error>> {
    Ok(vec![
        shared("ToolkitDataOptions", &schema_for_models::<Options>())?,
        shared("Repair", &schema_for::<Repair>())?,
        shared("Condensation", &schema_for::<Condensation>())?,
        shared("ValidationIssue", &schema_for::<Issue>())?,
        shared("Validation", &schema_for::<Validation>())?,
        shared("PolicyExplanation", &schema_for::<Explanation>())?,
        shared("ApprovalRequest", &schema_for::<ApprovalRequest>())?,
        shared("FileChange", &schema_for::<FileChange>())?,
        shared("HistoryEntry", &schema_for::<HistoryEntry>())?,
        shared("TelemetryEvent", &schema_for::<TelemetryEvent>())?,
    ])
}

fn shared(name: &'static str, schema: &Value) -> Result<SharedType, Box<dyn Error>> {
    let schema =
        Schema::parse(schema).map_err(|fault| format!("the schema of `{name}`: {fault}"))?;
    Ok(SharedType { name, schema })
}

/// Every vocabulary with its tools. `workspace` is any directory: nothing is read from it.
pub(crate) fn dialects(workspace: &Path) -> Result<Vec<DialectFacts>, Box<dyn Error>> {
    let words = schema_for::<DialectId>();
    let words = words
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let facts = DialectId::ALL.iter().map(|id| {
        let catalog = catalog(workspace, *id)?;
        let tools = id
            .dialect()
            .tools
            .iter()
            .map(|binding| tool(binding, &catalog));
        Ok(DialectFacts {
            name: id.name().to_owned(),
            about: meaning(words, id.name()),
            tools: tools.collect::<Result<_, Box<dyn Error>>>()?,
        })
    });
    facts.collect()
}

/// The catalog of a toolkit that hides nothing.
fn catalog(workspace: &Path, id: DialectId) -> Result<Vec<Value>, Box<dyn Error>> {
    let tools = json!({"show": "all"});
    // The mode `plan` has a tool of its own.
    let options =
        json!({"workspace": workspace, "dialect": id.name(), "tools": tools, "mode": "plan"});
    let toolkit = Toolkit::new(
        Options::from_json(&options.to_string())?,
        HostCallbacks::default(),
    )?;
    let entries = toolkit.catalog();
    Ok(entries
        .iter()
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()?)
}

fn tool(binding: &'static ToolBinding, catalog: &[Value]) -> Result<ToolFacts, Box<dyn Error>> {
    let name = binding.name;
    let entry = catalog
        .iter()
        .find(|entry| entry.get("name").is_some_and(|known| known == name))
        .ok_or_else(|| format!("the tool `{name}` is in its dialect, but in no catalog"))?;
    let text = |word: &str| {
        entry
            .get(word)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let parsed = |what: &str, schema: &Value| {
        Schema::parse(schema).map_err(|fault| format!("the {what} of `{name}`: {fault}"))
    };
    Ok(ToolFacts {
        name: name.to_owned(),
        description: text("description"),
        operation: binding.operation.name().to_owned(),
        category: text("category"),
        group: text("group"),
        level: binding.level,
        hints: hints(entry),
        aliases: aliases(binding),
        params: parsed(
            "parameters",
            entry.get("parameters").unwrap_or(&Value::Null),
        )?,
        details: parsed("details", &binding.details_schema())?,
    })
}

fn hints(entry: &Value) -> Hints {
    let hint =
        |word: &str| entry.pointer(&format!("/annotations/{word}")) == Some(&Value::Bool(true));
    Hints {
        read_only: hint("readOnlyHint"),
        destructive: hint("destructiveHint"),
        idempotent: hint("idempotentHint"),
        open_world: hint("openWorldHint"),
        replay: entry.get("replay").is_some_and(|replay| replay == "safe"),
    }
}

fn aliases(binding: &ToolBinding) -> Vec<(String, String)> {
    let pairs = binding.aliases().into_iter();
    pairs
        .map(|(alias, param)| (alias.to_owned(), param.to_owned()))
        .collect()
}

/// What the words of an enum say of one of its values: from `a: this; b: that.` the `that` of `b`.
fn meaning(words: &str, value: &str) -> String {
    let lead = format!("`{value}`: ");
    let said = words.split_once(&lead).map_or("", |(_, rest)| rest);
    let said = said.split("; `").next().unwrap_or_default();
    format!("{}.", said.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_enum_are_reported_apart() {
        assert_eq!(
            meaning("Which. `a`: The one, as known; `b`: The other.", "a"),
            "The one, as known."
        );
        assert_eq!(
            meaning("Which. `a`: The one; `b`: The other.", "b"),
            "The other."
        );
        assert_eq!(meaning("Which. `a`: The one.", "b"), ".");
    }

    #[test]
    fn every_dialect_is_there_with_its_words_and_tools() {
        let facts = dialects(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let names: Vec<&str> = facts.iter().map(|dialect| dialect.name.as_str()).collect();
        let expected: Vec<&str> = DialectId::ALL.iter().map(|id| id.name()).collect();
        assert_eq!(names, expected);
        for dialect in &facts {
            assert_ne!(
                dialect.about, ".",
                "{} says nothing of itself",
                dialect.name
            );
            assert!(!dialect.tools.is_empty(), "{} has no tools", dialect.name);
        }
    }
}
