//! Bounds of numbers and lengths.

use serde_json::Value;

use crate::issue::{Issue, IssueCode};

pub(super) fn check(schema: &Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
    let Some(number) = value.as_f64() else { return };
    let lower = Bound::new(schema, "minimum", "exclusiveMinimum", f64::max);
    let upper = Bound::new(schema, "maximum", "exclusiveMaximum", f64::min);
    let fits = lower
        .is_none_or(|bound| number > bound.at || (number == bound.at && !bound.excluded))
        && upper.is_none_or(|bound| number < bound.at || (number == bound.at && !bound.excluded));
    if !fits {
        let message = format!("Expected a number {}, got {value}.", range(lower, upper));
        issues.push(Issue::new(place, IssueCode::OutOfRange, message));
    }
    if let Some(step) = bound(schema, "multipleOf").filter(|step| *step > 0.0) {
        let times = number / step;
        // Decimal fractions such as 0.1 are not exact.
        if (times - times.round()).abs() > 1e-9 * times.abs().max(1.0) {
            let message = format!("Expected a multiple of {step}, got {value}.");
            issues.push(Issue::new(place, IssueCode::OutOfRange, message));
        }
    }
}

/// One end of a range.
#[derive(Clone, Copy)]
struct Bound {
    at: f64,
    /// The bound itself is out of range.
    excluded: bool,
}

impl Bound {
    /// The narrower of the two words. `exclusive` is a number, or (OpenAPI, draft 4) a switch on the other.
    fn new(
        schema: &Value,
        inclusive: &str,
        exclusive: &str,
        narrower: fn(f64, f64) -> f64,
    ) -> Option<Self> {
        let is_switch = schema.get(exclusive) == Some(&Value::Bool(true));
        let included = bound(schema, inclusive).map(|at| Self {
            at,
            excluded: is_switch,
        });
        let excluded = bound(schema, exclusive).map(|at| Self { at, excluded: true });
        match (included, excluded) {
            (Some(one), Some(other)) if one.at == other.at => Some(other),
            (Some(one), Some(other)) if narrower(one.at, other.at) == one.at => Some(one),
            (one, other) => other.or(one),
        }
    }
}

fn range(lower: Option<Bound>, upper: Option<Bound>) -> String {
    match (lower, upper) {
        (Some(lower), Some(upper)) if !lower.excluded && !upper.excluded => {
            format!("between {} and {}", lower.at, upper.at)
        }
        (Some(lower), Some(upper)) => format!("{} and {}", from(lower), to(upper)),
        (Some(lower), None) => from(lower),
        (None, Some(upper)) => to(upper),
        (None, None) => String::new(),
    }
}

fn from(bound: Bound) -> String {
    let word = if bound.excluded {
        "above"
    } else {
        "of at least"
    };
    format!("{word} {}", bound.at)
}

fn to(bound: Bound) -> String {
    let word = if bound.excluded {
        "below"
    } else {
        "of at most"
    };
    format!("{word} {}", bound.at)
}

/// Bounds of the length of a text, a list or an object: `minLength`, `maxItems` and their like.
pub(super) fn length(
    schema: &Value,
    word: &str,
    length: usize,
    (one, many): (&str, &str),
    place: &str,
    issues: &mut Vec<Issue>,
) {
    let minimum = bound(schema, &format!("min{word}"));
    let maximum = bound(schema, &format!("max{word}"));
    let length = length as f64;
    let (word, limit) = match (minimum, maximum) {
        (Some(minimum), _) if length < minimum => ("least", minimum),
        (_, Some(maximum)) if length > maximum => ("most", maximum),
        _ => return,
    };
    let unit = if limit == 1.0 { one } else { many };
    // That there is nothing goes without saying.
    let got = if length == 0.0 {
        String::new()
    } else {
        format!(", got {length}")
    };
    let message = format!("Expected at {word} {limit} {unit}{got}.");
    issues.push(Issue::new(place, IssueCode::InvalidLength, message));
}

fn bound(schema: &Value, word: &str) -> Option<f64> {
    schema.get(word).and_then(Value::as_f64)
}
