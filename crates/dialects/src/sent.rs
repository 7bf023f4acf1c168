//! Parameters as a host sends them, with what it has found wrong by itself.

use serde::Deserialize;
use serde_json::Value;

use crate::issue::Issue;

/// The parameters of a call as its host sends them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SentParams {
    /// As the model wrote them. Where JSON would have changed a value there is null, and a fault in `faults`.
    pub value: Value,
    /// What the host has found wrong with them.
    pub faults: HostFaults,
}

/// What a host has found wrong with parameters before it sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostFaults {
    /// Places whose value JSON cannot represent.
    pub json: Vec<Issue>,
    /// What the check of a tool of the host says, which takes the place of its schema. Absent where it was not made.
    pub check: Option<Vec<Issue>>,
}

impl From<Value> for SentParams {
    fn from(value: Value) -> Self {
        Self {
            value,
            faults: HostFaults::default(),
        }
    }
}

impl HostFaults {
    /// Whether the host has found nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.json.is_empty() && self.check.as_ref().is_none_or(Vec::is_empty)
    }
}

/// All faults of parameters: those that the host has found in writing them as JSON, then those that were found in the rest. What is said
/// of a place that did not cross, or of one around or within it, is left out: it is about the null that is there instead.
///
/// # Errors
/// Wherever there is a fault.
pub fn with_json_faults<T>(
    faults: Vec<Issue>,
    decoded: Result<T, Vec<Issue>>,
) -> Result<T, Vec<Issue>> {
    if faults.is_empty() {
        return decoded;
    }
    let found = decoded.err().unwrap_or_default();
    let others: Vec<Issue> = found
        .into_iter()
        .filter(|issue| {
            !faults
                .iter()
                .any(|fault| overlap(&fault.param, &issue.param))
        })
        .collect();
    Err(faults.into_iter().chain(others).collect())
}

/// Whether one place is the other, or within it.
fn overlap(one: &str, other: &str) -> bool {
    is_within(one, other) || is_within(other, one)
}

fn is_within(place: &str, outer: &str) -> bool {
    let rest = place.strip_prefix(outer);
    outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issue::IssueCode;

    fn issues(places: &[&str]) -> Vec<Issue> {
        let issue = |place: &&str| Issue::new(*place, IssueCode::TypeMismatch, "Wrong.");
        places.iter().map(issue).collect()
    }

    #[test]
    fn faults_of_json_come_first_and_take_the_place_of_others_around_them() {
        let found = issues(&[
            "file_path",
            "edits",
            "edits[1]",
            "edits[1].oldText",
            "edits[1].newText",
            "edits[10]",
            "editsToo",
            "",
        ]);
        let faults = issues(&["edits[1].oldText", "edits[2]"]);
        assert_eq!(
            with_json_faults(faults, Err::<(), _>(found)),
            Err(issues(&[
                "edits[1].oldText",
                "edits[2]",
                "file_path",
                "edits[1].newText",
                "edits[10]",
                "editsToo",
            ]))
        );
    }

    #[test]
    fn parameters_that_did_not_cross_have_one_fault() {
        let merged = with_json_faults(issues(&[""]), Err::<(), _>(issues(&["file_path", ""])));
        assert_eq!(merged, Err(issues(&[""])));
    }

    #[test]
    fn parameters_with_a_fault_of_json_are_not_taken_though_null_fits() {
        let merged = with_json_faults(issues(&["limit"]), Ok(1));
        assert_eq!(merged, Err(issues(&["limit"])));
        assert_eq!(with_json_faults(Vec::new(), Ok(1)), Ok(1));
    }
}
