//! What JavaScript may ask about rules and lists without a toolkit.

use napi_derive::napi;
use serde_json::{Value, json};
use tenon_border::envelope;
use tenon_runtime::{
    ToolOptions, import_hooks, import_permissions, mismatch, parse_configuration as parsed, read,
    tool_name,
};

/// Rules of another agent: the JSON of `{permissions, report}`. `format` is JSON too.
#[napi(catch_unwind)]
pub fn import_rules(format: String, text: String) -> String {
    let result = read(&format, "format").and_then(|format| import_permissions(format, &text));
    envelope("importRules", result)
}

/// Hooks of another agent: the JSON of `{hooks, notices}`. `format` is JSON too.
#[napi(catch_unwind)]
pub fn import_hook_settings(format: String, text: String) -> String {
    let result = read(&format, "format").and_then(|format| import_hooks(format, &text));
    envelope("importHooks", result)
}

/// Whether a profile with its lists, as JSON, exposes the tool of this name.
#[napi(catch_unwind)]
pub fn is_tool_allowed(name: String, policy: String) -> String {
    let result = ToolOptions::from_json(&policy)
        .and_then(|policy| policy.allows(&name))
        .map(Value::from);
    envelope("isToolAllowedByPolicy", result)
}

/// A name of a tool as the `agent` vocabulary spells it.
#[napi(catch_unwind)]
pub fn normalize_tool_name(name: String) -> String {
    tool_name(&name)
}

/// What the catalogue knows of a program: the JSON of `{program, text}`, for programs and for people; `null` for an unknown one.
#[napi(catch_unwind)]
pub fn describe_program(name: String) -> String {
    let description = tenon_runtime::describe_program(&name);
    let value = description.map_or(
        Value::Null,
        |program| json!({ "text": program.to_string(), "program": program }),
    );
    envelope("describeProgram", Ok(value))
}

/// A configuration file of another program, `json` or `toml`: the JSON of its content.
#[napi(catch_unwind)]
pub fn parse_configuration(format: String, text: String) -> String {
    envelope("importMcpServers", parsed(&format, &text))
}

/// What is wrong with a value by a JSON Schema, in a sentence; `null` where it fits. Both are given as JSON.
#[napi(catch_unwind)]
pub fn schema_mismatch(schema: String, value: String) -> String {
    let result = read::<Value>(&schema, "schema")
        .and_then(|schema| Ok(mismatch(&schema, &read::<Value>(&value, "value")?)));
    envelope("schemaMismatch", result)
}
