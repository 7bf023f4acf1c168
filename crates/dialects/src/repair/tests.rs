//! Which slips are put right, and in which words they are reported.

use super::*;
use serde_json::json;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "limit": {"type": "integer"},
            "literal": {"type": "boolean"},
            "edits": {"type": "array", "items": {"type": "object", "properties": {"oldText": {"type": "string"}}, "required": ["oldText"]}},
        },
        "required": ["file_path"],
    })
}

fn reported(repairs: &[Repair]) -> Vec<String> {
    repairs
        .iter()
        .map(|repair| format!("{}: {}", repair.param, repair.message))
        .collect()
}

#[test]
fn slips_of_models_are_put_right_and_named() {
    let sent =
        json!({"path": "a", "limit": "5", "literal": "True", "edits": "{\"old_text\": \"x\"}"});
    let (wire, repairs) = repair(sent, &schema(), || vec![("path", "file_path")], &[]);
    assert_eq!(
        wire,
        json!({"limit": 5, "literal": true, "edits": [{"oldText": "x"}], "file_path": "a"})
    );
    assert_eq!(
        reported(&repairs),
        [
            "file_path: took `path` for `file_path`",
            "limit: read the text \"5\" as a number",
            "literal: read the text \"True\" as a boolean",
            "edits: read the text as JSON",
            "edits: took the single value for a list of one",
            "edits[0].oldText: took `old_text` for `oldText`",
        ]
    );
}

#[test]
fn null_for_an_optional_parameter_is_absence() {
    let (wire, repairs) = repair(
        json!({"file_path": "a", "limit": null}),
        &schema(),
        Vec::new,
        &[],
    );
    assert_eq!(wire, json!({"file_path": "a"}));
    assert_eq!(reported(&repairs), ["limit: took null for absent"]);
}

#[test]
fn where_null_is_a_value_it_stays() {
    let open = json!({"type": "object", "properties": {
        "a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "c": {"enum": ["x", null]}, "d": {}, "e": {"type": "string", "nullable": true},
        "f": {"anyOf": [{"type": "string"}, {"type": "number"}]}, "g": {"enum": ["x"]},
    }});
    let sent = json!({"a": null, "b": null, "c": null, "d": null, "e": null, "f": null, "g": null});
    let kept = json!({"a": null, "b": null, "c": null, "d": null, "e": null});
    let (wire, repairs) = repair(sent, &open, Vec::new, &[]);
    assert_eq!(wire, kept);
    assert_eq!(
        reported(&repairs),
        ["f: took null for absent", "g: took null for absent"]
    );
}

#[test]
fn in_an_open_object_another_spelling_may_be_another_thing() {
    let open = json!({"type": "object", "properties": {"file_path": {"type": "string"}}});
    let sent = json!({"filePath": "a"});
    assert_eq!(
        repair(sent.clone(), &open, Vec::new, &[]),
        (sent.clone(), vec![])
    );
    let needed = json!({"properties": {"file_path": {}}, "required": ["file_path"]});
    assert_eq!(
        repair(sent, &needed, Vec::new, &[]).0,
        json!({"file_path": "a"})
    );
}

#[test]
fn what_is_ambiguous_stays_for_the_validation() {
    let sent = json!({"filePath": "a", "file-path": "b", "limit": "five", "literal": 1});
    let (wire, repairs) = repair(sent.clone(), &schema(), || vec![("path", "file_path")], &[]);
    assert_eq!((wire, repairs), (sent, vec![]));
}

#[test]
fn an_alias_never_overwrites_what_was_given() {
    let sent = json!({"file_path": "a", "path": "b"});
    let (wire, repairs) = repair(sent.clone(), &schema(), || vec![("path", "file_path")], &[]);
    assert_eq!((wire, repairs), (sent, vec![]));
}

#[test]
fn a_value_and_a_list_of_one_are_taken_for_each_other_and_numbers_for_texts() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"}, "limit": {"type": "integer"}, "all": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "integer"}},
        },
        "additionalProperties": false,
    });
    let repaired = |sent: Value| repair(sent, &schema, Vec::new, &["path", "names"]);
    let (wire, repairs) =
        repaired(json!({"path": ["a"], "limit": ["5"], "all": ["true"], "names": 7, "lines": "3"}));
    assert_eq!(
        wire,
        json!({"path": "a", "limit": 5, "all": true, "names": ["7"], "lines": [3]})
    );
    assert_eq!(
        reported(&repairs),
        [
            "path: took the only entry of the list",
            "limit: took the only entry of the list",
            "limit: read the text \"5\" as a number",
            "all: took the only entry of the list",
            "all: read the text \"true\" as a boolean",
            "names: took the single value for a list of one",
            "names[0]: took the number 7 as a text",
            "lines: took the single value for a list of one",
            "lines[0]: read the text \"3\" as a number",
        ]
    );
    assert_eq!(repaired(json!({"path": -42})).0, json!({"path": "-42"}));
    for unclear in [
        json!(["a", "b"]),
        json!([]),
        json!([null]),
        json!([["a"]]),
        json!(1.5),
        json!(9_007_199_254_740_993_u64),
        json!(true),
        json!({"a": 1}),
    ] {
        let sent = json!({"path": unclear});
        assert_eq!(repaired(sent.clone()), (sent, vec![]));
    }
}

#[test]
fn any_spelling_of_an_alias_is_taken_at_any_depth() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {"type": "array", "items": {"type": "object", "properties": {"oldText": {"type": "string"}}, "additionalProperties": false}},
        },
        "additionalProperties": false,
    });
    let aliases = vec![
        ("file_path", "path"),
        ("file", "path"),
        ("edits[].old_string", "edits[].oldText"),
    ];
    let sent = json!({"filePath": "a", "edits": [{"old_string": "x"}, {"oldString": "y"}, {"OLD_TEXT": "z"}]});
    let (wire, repairs) = repair(sent, &schema, || aliases, &[]);
    assert_eq!(
        wire,
        json!({"path": "a", "edits": [{"oldText": "x"}, {"oldText": "y"}, {"oldText": "z"}]})
    );
    assert_eq!(
        reported(&repairs),
        [
            "path: took `filePath` for `path`",
            "edits[0].oldText: took `old_string` for `oldText`",
            "edits[1].oldText: took `oldString` for `oldText`",
            "edits[2].oldText: took `OLD_TEXT` for `oldText`",
        ]
    );
}

#[test]
fn spellings_that_say_the_same_are_one_and_others_stay_for_the_validation() {
    let aliases = || vec![("path", "file_path"), ("file", "file_path")];
    let (wire, repairs) = repair(
        json!({"file_path": "a", "path": "a"}),
        &schema(),
        aliases,
        &[],
    );
    assert_eq!(wire, json!({"file_path": "a"}));
    assert_eq!(
        reported(&repairs),
        ["file_path: ignored `path`, which repeats `file_path`"]
    );
    let unclear = json!({"path": "a", "file": "b"});
    assert_eq!(
        repair(unclear.clone(), &schema(), aliases, &[]),
        (unclear, vec![])
    );
}
