//! Time limits of commands in a unit that the tool does not have: `timeout_ms` of Codex where `timeout` is in seconds. Models
//! that learned another vocabulary name the unit, so there is nothing to guess.

use serde_json::{Map, Value};
use tenon_contract::normalise;

use crate::issue::Repair;

/// Names of a limit in milliseconds, in the form of [`normalise`].
const IN_MILLISECONDS: &[&str] = &["timeoutms", "timeoutmillis", "timeoutmilliseconds"];
/// The same in seconds.
const IN_SECONDS: &[&str] = &["timeoutseconds", "timeoutsecs", "timeoutsec"];

/// Turns the only limit of a call into that of the tool, which is called `name`, in seconds or milliseconds.
pub(crate) fn in_own_unit((name, is_seconds): (&str, bool), wire: &mut Value) -> Option<Repair> {
    let call = wire.as_object_mut()?;
    let key = only_limit(
        call,
        if is_seconds {
            IN_MILLISECONDS
        } else {
            IN_SECONDS
        },
    )?;
    let given = call.get(&key)?.as_f64().filter(|given| *given > 0.0)?;
    let (value, unit) = if is_seconds {
        (given / 1000.0, "s")
    } else {
        ((given * 1000.0).ceil(), "ms")
    };
    call.shift_remove(&key);
    let message = format!("took `{key}` for `{name}`: {value} {unit}");
    // A whole number is one in JSON, too; saturating by the language's rules.
    let value = if value.fract() == 0.0 {
        Value::from(value as u64)
    } else {
        Value::from(value)
    };
    call.insert(name.to_owned(), value);
    Some(Repair {
        param: name.to_owned(),
        message,
    })
}

/// The name of the limit in these spellings, where the call has no other one.
fn only_limit(call: &Map<String, Value>, spellings: &[&str]) -> Option<String> {
    let mut limits = call.keys().filter(|key| {
        let key = normalise(key);
        key == "timeout"
            || IN_MILLISECONDS.contains(&key.as_str())
            || IN_SECONDS.contains(&key.as_str())
    });
    let only = limits.next().filter(|_| limits.next().is_none())?;
    spellings
        .contains(&normalise(only).as_str())
        .then(|| only.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::DialectId;

    /// The time limit that the operation gets, in milliseconds, and what was reported.
    fn limit_of(dialect: DialectId, tool: &str, call: Value) -> Option<(Value, Vec<String>)> {
        let decoded = dialect.dialect().tool(tool).unwrap().decode(call).ok()?;
        let repairs = decoded.repairs.into_iter().map(|repair| repair.message);
        Some((
            decoded.params.into_json()["timeout"].clone(),
            repairs.collect(),
        ))
    }

    #[test]
    fn a_time_limit_whose_name_has_another_unit_is_converted() {
        let (limit, repairs) = limit_of(
            DialectId::Agent,
            "exec",
            json!({"command": "ls", "timeout_ms": 1500}),
        )
        .unwrap();
        assert_eq!(limit, 1500);
        assert_eq!(repairs, ["took `timeout_ms` for `timeout`: 1.5 s"]);
        let call = json!({"command": "ls", "timeoutSeconds": 2});
        let (limit, repairs) = limit_of(DialectId::Canonical, "Bash", call).unwrap();
        assert_eq!(limit, 2000);
        assert_eq!(repairs, ["took `timeoutSeconds` for `timeout`: 2000 ms"]);
    }

    #[test]
    fn a_second_time_limit_and_one_of_no_time_are_refused() {
        for call in [
            json!({"command": "ls", "timeout": 5, "timeout_ms": 1500}),
            json!({"command": "ls", "timeout_ms": 0}),
            json!({"command": "ls", "timeout_ms": "soon"}),
        ] {
            assert_eq!(limit_of(DialectId::Agent, "exec", call), None);
        }
    }
}
