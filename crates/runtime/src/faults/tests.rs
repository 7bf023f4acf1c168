use serde_json::json;

use super::*;
use crate::Options;

fn sentence_of(options: Value) -> String {
    let mut all = json!({"workspace": "/"});
    if let (Some(all), Value::Object(options)) = (all.as_object_mut(), options) {
        all.extend(options);
    }
    let read = Options::from_json(&all.to_string());
    read.map_or_else(|error| error.message, |_| "taken".to_owned())
}

#[test]
fn an_unknown_option_is_an_error_with_the_nearest_name_at_every_depth() {
    let rows = [
        (json!({"onApprove": null}), "onApprove", "onApproval"),
        (json!({"customTool": []}), "customTool", "customTools"),
        (json!({"hosst": {}}), "hosst", "host"),
        (json!({"cwd": "/"}), "cwd", "workspace"),
        (
            json!({"permissions": {"alow": []}}),
            "permissions.alow",
            "allow",
        ),
        (
            json!({"permissions": {"deny": [{"rul": "Bash", "rule": "Bash"}]}}),
            "permissions.deny[0].rul",
            "rule",
        ),
        (
            json!({"web": {"fetch": {"alowPrivate": []}}}),
            "web.fetch.alowPrivate",
            "allowPrivate",
        ),
        (
            json!({"lsp": {"servers": {"x": {"comand": "y"}}}}),
            "lsp.servers.x.comand",
            "command",
        ),
        (
            json!({"settings": {"permissions": {"denyy": []}}}),
            "settings.permissions.denyy",
            "deny",
        ),
    ];
    for (options, place, near) in rows {
        assert_eq!(
            sentence_of(options),
            format!("Unknown option `{place}`. Did you mean `{near}`?")
        );
    }
    assert_eq!(
        sentence_of(json!({"exec": {"shiny": 1}})),
        "Unknown option `exec.shiny`. Available: `changes` and `output`."
    );
    assert_eq!(
        sentence_of(json!({"mcp_servers": {}})),
        "Unknown option `mcp_servers`. Did you mean `mcpServers`?"
    );
}

#[test]
fn what_is_wrong_with_a_value_is_a_sentence() {
    let rows = [
        (
            json!({"dialect": "agents"}),
            "`dialect` must be `agent`, `canonical`, `coder`, `manager` or `acp`, not `agents`. Did you mean `agent`?",
        ),
        (
            json!({"level": "2"}),
            "`level` must be an integer, not a string.",
        ),
        (
            json!({"level": 900}),
            "`level` must be between 1 and 3, not 900.",
        ),
        (
            json!({"limits": {"timeoutMs": -1}}),
            "`limits.timeoutMs` must be at least 1, not -1.",
        ),
        (
            json!({"limits": {"timeoutMs": 1.5}}),
            "`limits.timeoutMs` must be an integer, not 1.5.",
        ),
        (
            json!({"permissions": {"deny": "Bash"}}),
            "`permissions.deny` must be a list, not a string.",
        ),
        (
            json!({"permissions": {"deny": [5]}}),
            "`permissions.deny[0]` must be a string or an object `{rule, because, match, noMatch}`, not a number.",
        ),
        (
            json!({"permissions": {"deny": [{}]}}),
            "`permissions.deny[0].rule` is required (string).",
        ),
        (
            json!({"lsp": {"diagnosticsAfterEdit": "yes"}}),
            "`lsp.diagnosticsAfterEdit` must be `true` or `false` or an object `{budgetMs}`, not a string.",
        ),
        (
            json!({"settings": 5}),
            "`settings` must be a string, a list of strings, an object `{files, trust}` or an object `{permissions, tools, mcpServers, lsp, programs}`, not a number.",
        ),
        (
            json!({"env": {"add": {"A": 1}}}),
            "`env.add.A` must be a string, not a number.",
        ),
        // What may be a secret is not repeated.
        (
            json!({"web": {"proxy": {"url": "http://p:1", "password": 12345}}}),
            "`web.proxy.password` must be a string, not a number.",
        ),
    ];
    for (options, sentence) in rows {
        assert_eq!(sentence_of(options), sentence);
    }
}

#[test]
fn all_faults_are_reported_and_the_first_is_named_for_programs() {
    let error = Options::from_json(r#"{"worksapce": "/", "limits": {"timeout": 5}, "level": 9}"#)
        .unwrap_err();
    assert_eq!(
        error.message,
        "Unknown option `worksapce`. Did you mean `workspace`? Unknown option `limits.timeout`. Did you mean `timeoutMs`? `level` must be between 1 and 3, not 9."
    );
    assert_eq!(
        error.details.get("option"),
        Some(&json!("options.worksapce"))
    );
    assert_eq!(
        error
            .details
            .get("errors")
            .and_then(Value::as_array)
            .map(Vec::len),
        Some(3)
    );
}

/// Every member of every option, with each kind of value that it may not have.
#[test]
fn no_words_of_serde_reach_a_user_whatever_the_value() {
    let schema = schema_for_input::<Options>();
    let mut places = Vec::new();
    members(&schema, &mut Vec::new(), &mut places);
    assert!(places.len() > 60, "{}", places.len());
    let wrong = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!("zzz"),
        json!([]),
        json!([[]]),
        json!([{"zzz": 1}]),
        json!({"zzz": 1}),
        json!({}),
    ];
    for place in &places {
        for value in &wrong {
            let options = place
                .iter()
                .rev()
                .fold(value.clone(), |inner, name| json!({name: inner}));
            let sentence = sentence_of(options.clone());
            let bad = [
                "invalid",
                "untagged",
                "expected",
                "variant",
                "missing field",
                "unknown field",
                "did not match",
                "at line",
                "out of range",
            ];
            assert!(
                !bad.iter().any(|word| sentence.contains(word)),
                "{options}: {sentence}"
            );
        }
    }
}

fn members(schema: &Value, path: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    for choice in choices(schema) {
        let properties = choice.get("properties").and_then(Value::as_object);
        for (name, child) in properties.into_iter().flatten() {
            path.push(name.clone());
            places.push(path.clone());
            members(child, path, places);
            path.pop();
        }
    }
}

/// Puts each value that lies beyond a bound of the schema into options that hold nothing else, and collects them.
fn beyond_bounds(
    schema: &Value,
    root: &Value,
    wrap: &dyn Fn(Value) -> Value,
    found: &mut Vec<(Value, String)>,
) {
    if let Some(name) = schema["$ref"].as_str() {
        let definition = name.rsplit('/').next().unwrap_or_default();
        // The only type that holds itself is a list of rows, whose numbers have no bounds.
        if definition != "ProgramRow" {
            beyond_bounds(&root["$defs"][definition], root, wrap, found);
        }
    }
    for choice in ["anyOf", "oneOf"] {
        for schema in schema[choice].as_array().into_iter().flatten() {
            beyond_bounds(schema, root, wrap, found);
        }
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let required: Map<String, Value> = { schema["required"].as_array() }
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|required| *required != name)
            .map(|required| (required.to_owned(), json!("/x")))
            .collect();
        let wrap = |value: Value| {
            let mut members = required.clone();
            members.insert(name.clone(), value);
            wrap(members.into())
        };
        beyond_bounds(member, root, &wrap, found);
    }
    if let Some(least) = schema["minimum"].as_u64().filter(|least| *least > 0) {
        found.push((wrap(json!(least - 1)), least.to_string()));
    }
    if schema["type"] == json!("number") || schema["type"] == json!(["number", "null"]) {
        found.push((wrap(json!(-0.5)), "0".to_owned()));
    }
    if let Some(most) = schema["maximum"].as_u64().filter(|most| *most > 255) {
        found.push((wrap(json!(most + 1)), most.to_string()));
    }
}

#[test]
fn each_bound_that_the_schema_of_the_options_names_is_kept() {
    let schema = schema_for_input::<Options>();
    let mut found = Vec::new();
    beyond_bounds(&schema, &schema, &|value| value, &mut found);
    assert!(found.len() >= 28, "{}", found.len());
    for (options, bound) in found {
        let sentence = sentence_of(options.clone());
        assert!(
            sentence.contains("must be ") && sentence.contains(&bound),
            "{options}: {sentence}"
        );
    }
}
