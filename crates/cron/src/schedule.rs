//! When a job runs, as one text.

use std::time::Duration;

use tenon_contract::{counted, limits};
use tenon_store::Millis;

use crate::error::quoted;
use crate::expression::Expression;
use crate::{CronError, Zone};

/// When a job runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// At the times of a cron expression.
    Cron(Box<Expression>),
    /// Again and again, from an anchor on.
    Every {
        /// Milliseconds between two occurrences.
        period: Millis,
        /// An occurrence.
        anchor: Millis,
    },
    /// Once.
    At(Millis),
}

/// Times that are looked at to find the shortest distance of a schedule.
const SAMPLE: usize = 64;

impl Schedule {
    /// Reads a text. `now` is what `in` and `every` count from.
    ///
    /// # Errors
    /// The text is no schedule, or names a time that has passed.
    pub fn read(text: &str, zone: &Zone, now: Millis) -> Result<Self, CronError> {
        let text = text.trim();
        if text.len() > limits::CRON_SCHEDULE_MAX_BYTES {
            return wrong(text, "is too long");
        }
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word.to_ascii_lowercase().as_str() {
            "" => wrong(text, "is empty"),
            "every" => {
                let period = period(text, rest)?;
                Ok(Self::Every {
                    period,
                    anchor: now,
                })
            }
            "in" => future(text, now.saturating_add(period(text, rest)?), now),
            "at" | "once" => future(text, zone.time_of(rest)?, now),
            _ if text.starts_with("20") && text.contains('-') && text.contains(':') => {
                future(text, zone.time_of(text)?, now)
            }
            _ => Ok(Self::Cron(Box::new(Expression::read(text)?))),
        }
    }

    /// The schedule of a job whose text was read at `anchor`. A time that has passed is no fault here.
    pub(crate) fn stored(text: &str, zone: &Zone, anchor: Millis) -> Result<Self, CronError> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "at" => Ok(Self::At(zone.time_of(rest)?)),
            _ => Self::read(text, zone, anchor),
        }
    }

    /// The text that is stored: a relative one is a time by then.
    #[must_use]
    pub fn text(&self, zone: &Zone) -> String {
        match self {
            Self::Cron(expression) => expression.text().to_owned(),
            Self::Every { period, .. } => format!("every {}", shortly(*period)),
            Self::At(time) => format!("at {}", zone.shown(*time)),
        }
    }

    /// Whether it runs once.
    #[must_use]
    pub const fn is_once(&self) -> bool {
        matches!(self, Self::At(_))
    }

    /// Its expression, where a change of the clocks moves or doubles its times.
    pub(crate) fn fixed(&self) -> Option<&Expression> {
        match self {
            Self::Cron(expression) => {
                Some(&**expression).filter(|expression| expression.is_fixed())
            }
            _ => None,
        }
    }

    /// The first occurrence after a time; nothing where there is none.
    ///
    /// # Errors
    /// Never for what [`read`](Self::read) has returned and times that exist.
    pub fn after(&self, time: Millis, zone: &Zone) -> Result<Option<Millis>, CronError> {
        match self {
            Self::At(at) => Ok((*at > time).then_some(*at)),
            Self::Every { period, anchor } => {
                let passed = time.saturating_sub(*anchor).div_euclid(*period);
                let next = passed.saturating_add(1).saturating_mul(*period);
                Ok(Some(anchor.saturating_add(next)))
            }
            Self::Cron(expression) => expression.after(time, zone),
        }
    }

    /// The first occurrences after a time.
    ///
    /// # Errors
    /// As [`after`](Self::after).
    pub fn next(&self, time: Millis, zone: &Zone, count: usize) -> Result<Vec<Millis>, CronError> {
        let mut times = Vec::new();
        let mut last = time;
        while times.len() < count {
            let Some(next) = self.after(last, zone)?.filter(|next| *next > last) else {
                break;
            };
            times.push(next);
            last = next;
        }
        Ok(times)
    }

    /// Refuses a schedule that never runs, or runs more often than allowed.
    ///
    /// # Errors
    /// With what to do instead.
    pub fn check(&self, zone: &Zone, now: Millis, least: Duration) -> Result<(), CronError> {
        let text = self.text(zone);
        let least_millis = Millis::try_from(least.as_millis()).unwrap_or(Millis::MAX);
        let times = match self {
            Self::At(_) => return Ok(()),
            Self::Every { period, .. } => vec![0, *period],
            Self::Cron(_) => self.next(now, zone, SAMPLE)?,
        };
        if times.is_empty() {
            return wrong(&text, "never occurs");
        }
        let mut pairs = times.iter().zip(times.iter().skip(1));
        if pairs.any(|(early, late)| late - early < least_millis) {
            let message = format!(
                "The schedule {} runs more often than every {}. Choose a longer interval.",
                quoted(&text),
                shortly(least_millis)
            );
            return Err(CronError::invalid("schedule", message));
        }
        Ok(())
    }

    /// The schedule in words.
    #[must_use]
    pub fn describe(&self, zone: &Zone) -> String {
        match self {
            Self::Cron(expression) => expression.describe(),
            Self::Every { period, .. } => format!("Every {}.", in_words(*period)),
            Self::At(time) => match zone.at(*time) {
                Some(zoned) => format!("Once, on {}.", zoned.strftime("%A, %Y-%m-%d at %H:%M:%S")),
                None => "Once.".to_owned(),
            },
        }
    }
}

fn future(text: &str, time: Millis, now: Millis) -> Result<Schedule, CronError> {
    if time <= now {
        return wrong(text, "is in the past");
    }
    Ok(Schedule::At(time))
}

pub(crate) fn wrong<T>(text: &str, problem: &str) -> Result<T, CronError> {
    let message = format!(
        "The schedule {} {problem}. Write a cron expression (`0 9 * * 1-5`), `@daily`, `every 15m`, `in 20m` or `at 2026-12-01T09:00`.",
        quoted(text)
    );
    Err(CronError::invalid("schedule", message))
}

/// `15m`, `1h 30m`, `90 minutes`, `day`, in milliseconds.
fn period(whole: &str, text: &str) -> Result<Millis, CronError> {
    let text = text.trim().to_ascii_lowercase();
    let mut total: Millis = 0;
    let mut rest = text.as_str();
    if rest.is_empty() {
        return wrong(whole, "names no time");
    }
    while !rest.is_empty() {
        let digits = rest.len()
            - rest
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len();
        let (number, more) = rest.split_at(digits);
        let number: Millis = match number {
            "" if total == 0 && rest.len() == text.len() => 1,
            number => match number.parse() {
                Ok(number) => number,
                Err(_) => return wrong(whole, "has a time that cannot be read"),
            },
        };
        let more = more.trim_start();
        let letters = more.len()
            - more
                .trim_start_matches(|letter: char| letter.is_ascii_alphabetic())
                .len();
        let (unit, more) = more.split_at(letters);
        let Some(unit) = unit_of(unit) else {
            return wrong(
                whole,
                "has no unit such as `s`, `m`, `h` or `d` behind a number",
            );
        };
        total = total.saturating_add(number.saturating_mul(unit));
        rest = more.trim_start_matches([' ', ',']).trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest).trim_start();
    }
    /// Ten years.
    const MOST: Millis = 10 * 366 * 86_400_000;
    if total <= 0 || total > MOST {
        return wrong(whole, "needs a time between 1 s and 10 years");
    }
    Ok(total)
}

fn unit_of(word: &str) -> Option<Millis> {
    Some(match word {
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => 86_400_000,
        "w" | "week" | "weeks" => 7 * 86_400_000,
        "ms" => 1,
        _ => return None,
    })
}

/// The parts of a length of time, largest first.
fn parts(mut period: Millis) -> Vec<(Millis, &'static str, &'static str)> {
    let mut parts = Vec::new();
    for (length, short, long) in [
        (86_400_000, "d", "day"),
        (3_600_000, "h", "hour"),
        (60_000, "m", "minute"),
        (1_000, "s", "second"),
        (1, "ms", "millisecond"),
    ] {
        let count = period.div_euclid(length);
        if count > 0 {
            parts.push((count, short, long));
        }
        period = period.rem_euclid(length);
    }
    parts
}

fn shortly(period: Millis) -> String {
    parts(period)
        .iter()
        .map(|(count, short, _)| format!("{count}{short}"))
        .collect()
}

fn in_words(period: Millis) -> String {
    let words = parts(period);
    if let [(1, _, unit)] = words.as_slice() {
        return (*unit).to_owned();
    }
    let words: Vec<String> = words
        .iter()
        .map(|(count, _, unit)| counted(count.unsigned_abs(), unit, &format!("{unit}s")))
        .collect();
    words.join(" and ")
}
