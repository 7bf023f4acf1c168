//! A report in JSON among whatever else was written.

use serde::de::DeserializeOwned;

/// Most beginnings that are tried: a test can write as many as it likes.
const ATTEMPTS: usize = 64;

/// The last object of the text whose first key begins with `key` and that is a `T`. Tests write to the same stream, so
/// the report is what fits, and the last that does.
pub(super) fn last_object<T: DeserializeOwned>(text: &str, key: &str) -> Option<T> {
    let begins = text.rmatch_indices(key).filter_map(|(at, _)| {
        let before = text.get(..at)?.trim_end_matches('"').trim_end();
        before.strip_suffix('{').map(str::len)
    });
    begins.take(ATTEMPTS).find_map(|at| {
        let object = text.get(at..)?;
        serde_json::Deserializer::from_str(object)
            .into_iter()
            .next()?
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn the_last_report_counts_whatever_stands_around_it() {
        let text =
            "log {\"numA\": 1}\n{\"numA\": }\n{\n  \"numB\": 2, \"of\": {\"numC\": 3}} bye {\"num";
        let found: Option<std::collections::HashMap<String, Value>> = last_object(text, "numB");
        assert_eq!(found.unwrap()["of"], json!({"numC": 3}));
        assert_eq!(last_object::<Value>(text, "numA"), Some(json!({"numA": 1})));
        assert_eq!(last_object::<Value>("nothing", "numA"), None);
    }
}
