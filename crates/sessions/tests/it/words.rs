//! What hosts may answer.

use serde_json::{Value, json};
use tenon_sessions::Report;

fn summary(said: Value) -> Result<(bool, String), String> {
    Report::read(said).map(|report| (report.ok, report.summary))
}

#[test]
fn a_text_and_an_object_are_answers_and_nothing_else_is() {
    assert_eq!(summary(json!("done")), Ok((true, "done".to_owned())));
    let failed = json!({"ok": false, "summary": "no", "usage": {"tokens": 1}});
    assert_eq!(summary(failed), Ok((false, "no".to_owned())));
    assert_eq!(
        summary(json!({"output": [1]})),
        Ok((true, "[1]".to_owned()))
    );
    for (said, problem) in [
        (
            json!(null),
            "it returned nothing instead of a string or `{summary}`",
        ),
        (json!({}), "`summary` is nothing and must be a string"),
        (
            json!({"summary": 1}),
            "`summary` is a number and must be a string",
        ),
        (
            json!({"summary": "", "ok": "yes"}),
            "`ok` is a text and must be true or false",
        ),
        (
            json!({"summary": "", "usage": 1}),
            "`usage` is a number and must be an object",
        ),
        (
            json!({"summary": "", "usage": {"tokens": -1}}),
            "`usage.tokens` is -1 and must not be negative",
        ),
    ] {
        assert_eq!(summary(said).unwrap_err(), problem);
    }
}
