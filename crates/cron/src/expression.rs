//! Cron expressions: five fields or six, with seconds first.

use std::iter::successors;

use croner::Cron;
use croner::errors::CronError as Failure;
use jiff::civil::DateTime;
use tenon_store::Millis;

use crate::schedule::wrong;
use crate::{CronError, Zone};

/// A cron expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression {
    text: String,
    cron: Cron,
}

/// A field of an expression whose values begin again.
struct Field {
    name: &'static str,
    /// What its values are within.
    whole: &'static str,
    /// Counted from the last field of five on.
    from_end: usize,
    first: u16,
    count: u16,
}

const FIELDS: [Field; 3] = [
    Field {
        name: "minutes",
        whole: "hour",
        from_end: 5,
        first: 0,
        count: 60,
    },
    Field {
        name: "hours",
        whole: "day",
        from_end: 4,
        first: 0,
        count: 24,
    },
    Field {
        name: "months",
        whole: "year",
        from_end: 2,
        first: 1,
        count: 12,
    },
];
/// Names that expressions may have in full.
const NAMES: [&str; 19] = [
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

impl Expression {
    /// Reads an expression, with fields between any whitespace, as crontab files have them.
    ///
    /// # Errors
    /// The text is not an expression, or its words promise what it does not do.
    pub(crate) fn read(text: &str) -> Result<Self, CronError> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let known = match text.as_str() {
            // crontab(5) has both.
            "@midnight" => "@daily".to_owned(),
            text => with_short_names(text),
        };
        let cron = match known.parse::<Cron>() {
            Ok(cron) => cron,
            Err(error) => {
                let reason = error.to_string();
                return wrong(
                    &text,
                    &format!("is not valid ({})", reason.trim_end_matches('.')),
                );
            }
        };
        let fields: Vec<&str> = known.split(' ').collect();
        for field in &FIELDS {
            let step = field.of(&fields).and_then(step);
            if let Some(step) = step.filter(|step| *step >= field.count) {
                let Field { name, whole, .. } = field;
                let problem = format!(
                    "has `*/{step}` for its {name}, which begins again with each {whole}: it would run once in each {whole}"
                );
                return wrong(&text, &problem);
            }
        }
        if fields
            .last()
            .is_some_and(|days| days.split(',').any(|day| day == "L"))
        {
            return wrong(
                &text,
                "has `L` as a day of the week. Name the day: `5L` is the last Friday of a month",
            );
        }
        Ok(Self { text: known, cron })
    }

    /// The text, its fields one space apart.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether its hours are given, so that a change of the clocks skips or doubles its times: cron(8) runs such jobs once.
    /// One that runs in any hour goes by the time that passes.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.cron.pattern.hours.from_wildcard
    }

    /// The first occurrence after a time, if there is one.
    pub(crate) fn after(&self, time: Millis, zone: &Zone) -> Result<Option<Millis>, CronError> {
        let Some(start) = zone.at(time) else {
            return Ok(None);
        };
        if !self.is_fixed() {
            let next = self.found(self.cron.find_next_occurrence(&start, false))?;
            return Ok(next.map(|next| next.timestamp().as_millisecond()));
        }
        let mut clock = start.datetime();
        while let Some(next) = self.found(self.cron.find_next_occurrence(&clock, false))? {
            // What the clocks show for the second time has occurred, and what they skipped occurs with the end of the gap.
            match zone.first(next).filter(|first| *first > time) {
                Some(first) => return Ok(Some(first)),
                None => clock = next,
            }
        }
        Ok(None)
    }

    fn found<T>(&self, result: Result<T, Failure>) -> Result<Option<T>, CronError> {
        match result {
            Ok(next) => Ok(Some(next)),
            Err(Failure::TimeSearchLimitExceeded) => Ok(None),
            Err(error) => wrong(&self.text, &format!("cannot be followed: {error}")),
        }
    }

    /// Its times by the clock, in a range whose end is not included.
    pub(crate) fn within(&self, from: DateTime, to: DateTime) -> impl Iterator<Item = DateTime> {
        let next = move |last: &DateTime, inclusive| {
            let next = self.cron.find_next_occurrence(last, inclusive).ok()?;
            (next < to && (inclusive || next > *last)).then_some(next)
        };
        successors(next(&from, true), move |last| next(last, false))
    }

    /// The expression in words.
    pub(crate) fn describe(&self) -> String {
        // A step that does not divide its field is no interval: its values are named one by one.
        let mut fields: Vec<String> = self.text.split(' ').map(str::to_owned).collect();
        for field in &FIELDS {
            let at = fields.len().checked_sub(field.from_end);
            let Some(written) = at.and_then(|at| fields.get_mut(at)) else {
                continue;
            };
            if let Some(step) = step(written).filter(|step| field.count % step != 0) {
                let values = (field.first..field.first + field.count).step_by(usize::from(step));
                *written = values
                    .map(|value| value.to_string())
                    .collect::<Vec<_>>()
                    .join(",");
            }
        }
        let cron = fields.join(" ").parse::<Cron>();
        let described = cron.as_ref().unwrap_or(&self.cron).describe();
        let is_last_weekday = fields.iter().rev().nth(2).is_some_and(|days| days == "LW");
        if is_last_weekday {
            return described.replace("the last day of the month", "the last weekday of the month");
        }
        described
    }
}

impl Field {
    fn of<'f>(&self, fields: &[&'f str]) -> Option<&'f str> {
        fields
            .len()
            .checked_sub(self.from_end)
            .and_then(|at| fields.get(at).copied())
    }
}

/// The step of a field that is `*/n` and nothing else.
fn step(field: &str) -> Option<u16> {
    let digits = field.strip_prefix("*/")?;
    digits.parse().ok().filter(|step| *step > 0)
}

/// Names in full by their first three letters, which is what expressions have.
fn with_short_names(text: &str) -> String {
    let mut short = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_name = NAMES.iter().any(|name| name.eq_ignore_ascii_case(word));
        short.push_str(word.get(..3).filter(|_| is_name).unwrap_or(word));
        let next = after
            .find(|letter: char| letter.is_ascii_alphabetic())
            .unwrap_or(after.len());
        short.push_str(&after[..next]);
        rest = &after[next..];
    }
    short
}
