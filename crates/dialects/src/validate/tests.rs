//! What is refused, and in which words.

use super::*;
use serde_json::json;

#[test]
fn every_fault_is_reported_at_once_with_its_place() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1},
            "limit": {"type": "integer", "minimum": 1},
            "mode": {"type": "string", "enum": ["content", "count"]},
            "edits": {"type": "array", "minItems": 1, "items": {
                "type": "object",
                "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                "required": ["oldText", "newText"],
                "additionalProperties": false,
            }},
            "query": {"type": "string"},
        },
        "required": ["path", "query"],
        "additionalProperties": false,
    });
    let value = json!({
        "path": "", "limit": 0, "mode": "lines",
        "edits": [{"oldText": "a", "newText": "b"}, {"oldText": 5}],
        "pth": "x",
    });
    let found: Vec<_> = validate(&schema, &value)
        .into_iter()
        .map(|issue| {
            format!(
                "{} {} {}",
                issue.param,
                serde_json::to_value(issue.code).unwrap().as_str().unwrap(),
                issue.message
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "path INVALID_LENGTH Expected at least 1 character.",
            "limit OUT_OF_RANGE Expected a number of at least 1, got 0.",
            "mode INVALID_ENUM Expected one of `content`, `count`, got `lines`.",
            "edits[1].oldText TYPE_MISMATCH Expected a string, got 5.",
            "edits[1].newText MISSING_REQUIRED `edits[1].newText` is required (string).",
            "query MISSING_REQUIRED `query` is required (string).",
            "pth UNKNOWN_PARAM Unknown parameter `pth`. Did you mean `path`?",
        ]
    );
}

#[test]
fn a_choice_is_explained_by_the_alternative_that_comes_nearest() {
    let schema = json!({"anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false},
    ]});
    let issues = validate(&schema, &json!({"a": "x"}));
    assert_eq!(
        issues,
        [Issue::new(
            "a",
            IssueCode::TypeMismatch,
            "Expected an integer, got \"x\"."
        )]
    );
}

fn reported(schema: &Value, value: &Value) -> Vec<String> {
    let patterns = patterns_of(schema);
    let issues = validate_with(schema, &patterns, value);
    let line = |issue: Issue| {
        format!(
            "{} {} {}",
            issue.param,
            serde_json::to_value(issue.code).unwrap().as_str().unwrap(),
            issue.message
        )
    };
    issues.into_iter().map(line).collect()
}

fn patterns_of(schema: &Value) -> HashMap<String, Pattern> {
    let sources = ["^a", "^x-"];
    assert!(schema.is_object());
    sources
        .iter()
        .map(|source| ((*source).to_owned(), Pattern::new(source).unwrap()))
        .collect()
}

#[test]
fn every_keyword_that_says_something_about_a_value_is_received() {
    let cases = [
        (
            json!({"type": ["string", "null"]}),
            json!(5),
            " TYPE_MISMATCH Expected a string or null, got 5.",
        ),
        (
            json!({"const": "a"}),
            json!("b"),
            " INVALID_ENUM Expected `a`, got `b`.",
        ),
        (
            json!({"enum": [1, null]}),
            json!(2),
            " INVALID_ENUM Expected one of `1`, `null`, got `2`.",
        ),
        (
            json!({"exclusiveMinimum": 0}),
            json!(0),
            " OUT_OF_RANGE Expected a number above 0, got 0.",
        ),
        (
            json!({"minimum": 0, "exclusiveMinimum": true}),
            json!(0),
            " OUT_OF_RANGE Expected a number above 0, got 0.",
        ),
        (
            json!({"minimum": 0, "exclusiveMaximum": 9}),
            json!(9),
            " OUT_OF_RANGE Expected a number of at least 0 and below 9, got 9.",
        ),
        (
            json!({"multipleOf": 0.1}),
            json!(0.25),
            " OUT_OF_RANGE Expected a multiple of 0.1, got 0.25.",
        ),
        (
            json!({"pattern": "^a"}),
            json!("b"),
            " PATTERN_MISMATCH Expected a string that matches `^a`, got \"b\".",
        ),
        (
            json!({"maxLength": 1}),
            json!("äö"),
            " INVALID_LENGTH Expected at most 1 character, got 2.",
        ),
        (
            json!({"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}),
            json!(["a", "b"]),
            "[1] TYPE_MISMATCH Expected an integer, got \"b\".",
        ),
        (
            json!({"items": [{"type": "string"}], "additionalItems": false}),
            json!(["a", 1]),
            "[1] UNKNOWN_PARAM No value is allowed here, got 1.",
        ),
        (
            json!({"uniqueItems": true}),
            json!([1, 2, 1.0]),
            " TYPE_MISMATCH Expected unique entries, but entry 2 repeats an earlier one.",
        ),
        (
            json!({"contains": {"type": "string"}}),
            json!([1]),
            " TYPE_MISMATCH Expected at least 1 entries that match `contains`, got 0.",
        ),
        (
            json!({"not": {"type": "string"}}),
            json!("a"),
            " TYPE_MISMATCH Any value except \"a\" is allowed.",
        ),
        (
            json!({"oneOf": [{"type": "integer"}, {"minimum": 0}]}),
            json!(5),
            " TYPE_MISMATCH Expected a match with exactly one alternative, but 2 match.",
        ),
        (
            json!({"allOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"a": 1}),
            "b MISSING_REQUIRED `b` is required.",
        ),
        (
            json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
            json!({"a": 1}),
            "b MISSING_REQUIRED `b` is required.",
        ),
        (
            json!({"if": {"required": ["a"]}, "else": {"required": ["b"]}}),
            json!({}),
            "b MISSING_REQUIRED `b` is required.",
        ),
        (
            json!({"minProperties": 1}),
            json!({}),
            " INVALID_LENGTH Expected at least 1 property.",
        ),
        (
            json!({"propertyNames": {"pattern": "^a"}}),
            json!({"b": 1}),
            "b UNKNOWN_PARAM This name is not allowed. Expected a string that matches `^a`, got \"b\".",
        ),
        (
            json!({"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}),
            json!({"x-a": 1}),
            "x-a TYPE_MISMATCH Expected a string, got 1.",
        ),
        (
            json!({"patternProperties": {"^x-": true}, "additionalProperties": false}),
            json!({"y": 1}),
            "y UNKNOWN_PARAM Unknown parameter `y`. There are no parameters here.",
        ),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "b MISSING_REQUIRED `b` is required together with `a`.",
        ),
        (
            json!({"dependencies": {"a": {"required": ["b"]}}}),
            json!({"a": 1}),
            "b MISSING_REQUIRED `b` is required.",
        ),
        (
            json!({"properties": {"a": {"$ref": "#/$defs/t"}}, "$defs": {"t": {"type": "string"}}}),
            json!({"a": 1}),
            "a TYPE_MISMATCH Expected a string, got 1.",
        ),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(reported(&schema, &value), [expected], "{schema} {value}");
    }
}

#[test]
fn what_fits_has_no_fault() {
    let cases = [
        (json!({"type": ["string", "null"]}), json!(null)),
        (json!({"type": "string", "nullable": true}), json!(null)),
        (json!({"enum": [1.0]}), json!(1)),
        (json!({"type": "integer"}), json!(1.0)),
        (json!({"type": "integer"}), json!(1e2)),
        (json!({"type": ["integer", "null"]}), json!(-3.0)),
        (json!({"multipleOf": 0.1}), json!(0.3)),
        (json!({"exclusiveMaximum": 9}), json!(8.99)),
        (
            json!({"oneOf": [{"type": "integer"}, {"type": "string"}]}),
            json!(5),
        ),
        (json!({"items": [{"type": "string"}]}), json!(["a", 1])),
        (json!({"properties": {"a": true}}), json!({"a": 1, "b": 2})),
        (
            json!({"contains": {"type": "string"}, "minContains": 0}),
            json!([1]),
        ),
        (json!({"format": "email"}), json!("no address")),
        (json!({}), json!({"anything": [null]})),
    ];
    for (schema, value) in cases {
        assert_eq!(
            reported(&schema, &value),
            Vec::<String>::new(),
            "{schema} {value}"
        );
    }
}

#[test]
fn a_recursive_schema_is_followed_as_deep_as_the_value_is() {
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
        "additionalProperties": false,
    });
    let value = json!({"name": "a", "children": [{"name": "b", "children": [{"name": 5}]}]});
    assert_eq!(
        reported(&schema, &value),
        ["children[0].children[0].name TYPE_MISMATCH Expected a string, got 5."]
    );
}

#[test]
fn a_schema_that_only_refers_to_itself_and_one_that_multiplies_come_to_an_end() {
    let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    assert_eq!(
        reported(&circle, &json!(1)),
        [" TYPE_MISMATCH The schema of this value refers to itself endlessly."]
    );
    let child = json!({"$ref": "#/$defs/node"});
    let node = json!({"anyOf": [
        {"type": "object", "properties": {"next": child, "a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"next": child, "b": {"type": "string"}}, "required": ["b"]},
    ]});
    let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": node}});
    let mut value = json!({});
    for _ in 0..40 {
        value = json!({"next": value});
    }
    assert!(!reported(&schema, &value).is_empty());
}

#[test]
fn thousands_of_faults_are_reported_by_the_first_hundred() {
    let members: serde_json::Map<String, Value> = (0..20_000)
        .map(|number| (format!("k{number}"), json!(1)))
        .collect();
    let found = validate(
        &json!({"additionalProperties": false}),
        &Value::Object(members),
    );
    assert_eq!(found.len(), 101);
    assert_eq!(
        found.last().unwrap().message,
        "There are more errors; only the first are listed."
    );
    let entries: Vec<Value> = (0..20_000).map(|_| json!({})).collect();
    let schema = json!({"items": {"required": ["a", "b"]}});
    assert_eq!(validate(&schema, &json!(entries)).len(), 101);
}

#[test]
fn an_unknown_name_is_reported_by_its_start() {
    let schema = json!({"additionalProperties": false, "properties": {"path": {}}});
    let found = validate(&schema, &json!({ "x".repeat(100_000): 1 }));
    assert_eq!(found[0].param, format!("{}…", "x".repeat(60)));
}

#[test]
fn entries_that_must_differ_are_compared_by_value_whatever_their_number() {
    let schema = json!({"uniqueItems": true});
    let many: Vec<Value> = (0..50_000).map(Value::from).collect();
    assert_eq!(validate(&schema, &json!(many)), []);
    for pair in [
        json!([1, 1.0]),
        json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
        json!(["x", "x"]),
    ] {
        assert_eq!(validate(&schema, &pair).len(), 1, "{pair}");
    }
    for pair in [
        json!([1, "1"]),
        json!([[1], [[1]]]),
        json!([0.1, 0.2]),
        json!([null, "null"]),
    ] {
        assert_eq!(validate(&schema, &pair), [], "{pair}");
    }
}

#[test]
fn a_number_without_a_fraction_is_an_integer_of_a_foreign_schema_however_large() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    for number in [
        "1e2",
        "1180591620717411303424",
        "1e300",
        "-9007199254740994.0",
    ] {
        let value = serde_json::from_str(&format!("{{\"n\":{number}}}")).unwrap();
        assert_eq!(reported(&schema, &value), Vec::<String>::new());
    }
    let half = json!({"n": 4_503_599_627_370_495.5});
    assert_eq!(
        reported(&schema, &half),
        ["n TYPE_MISMATCH Expected an integer, got 4503599627370495.5."]
    );
    // One of ours could not be given such a number.
    assert_eq!(validate(&schema, &json!({"n": 1e300})).len(), 1);
}
