//! Time zones by their names.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};
use tenon_store::Millis;

use crate::CronError;
use crate::error::quoted;

/// A time zone with its IANA name.
#[derive(Debug, Clone)]
pub struct Zone {
    name: String,
    zone: TimeZone,
}

impl Zone {
    /// The zone of this IANA name, in any case.
    ///
    /// # Errors
    /// There is no such zone; the message names the nearest ones.
    pub fn named(name: &str) -> Result<Self, CronError> {
        let known = (name.len() <= 64)
            .then(|| TimeZone::get(name).ok())
            .flatten();
        match known.as_ref().and_then(TimeZone::iana_name) {
            Some(name) => Ok(Self {
                name: name.to_owned(),
                zone: known.clone().unwrap_or(TimeZone::UTC),
            }),
            None => Err(CronError::invalid("tz", unknown(name))),
        }
    }

    /// The zone of the system; UTC where it has no name.
    #[must_use]
    pub fn of_system() -> Self {
        let zone = TimeZone::system();
        let name = zone.iana_name().map(str::to_owned);
        match name {
            Some(name) if name != "Etc/Unknown" => Self { name, zone },
            _ => Self::utc(),
        }
    }

    /// UTC.
    #[must_use]
    pub fn utc() -> Self {
        Self {
            name: "UTC".to_owned(),
            zone: TimeZone::UTC,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn rules(&self) -> &TimeZone {
        &self.zone
    }

    /// The time in this zone.
    pub(crate) fn at(&self, time: Millis) -> Option<Zoned> {
        let time = Timestamp::from_millisecond(time).ok()?;
        Some(time.to_zoned(self.zone.clone()))
    }

    /// A time as it is shown: RFC 3339 with the offset of the zone, whole seconds.
    #[must_use]
    pub fn shown(&self, time: Millis) -> String {
        match self.at(time) {
            Some(zoned) => {
                let shape = match time.rem_euclid(1000) {
                    0 => "%Y-%m-%dT%H:%M:%S%:z",
                    _ => "%Y-%m-%dT%H:%M:%S%.3f%:z",
                };
                zoned.strftime(shape).to_string()
            }
            None => format!("{time} ms"),
        }
    }

    /// When the clocks show a time first. One that they skip is where the gap ends.
    pub(crate) fn first(&self, civil: DateTime) -> Option<Millis> {
        let there = self.zone.to_ambiguous_zoned(civil);
        let is_skipped = matches!(there.offset(), AmbiguousOffset::Gap { .. });
        let time = there.compatible().ok()?.timestamp();
        if !is_skipped {
            return Some(time.as_millisecond());
        }
        let just_after = time.checked_add(SignedDuration::from_nanos(1)).ok()?;
        let change = self.zone.preceding(just_after).next()?;
        Some(change.timestamp().as_millisecond())
    }

    /// The time that a text names: `2026-12-01T09:00` in this zone, or with an offset of its own.
    ///
    /// # Errors
    /// The text is no time.
    pub fn time_of(&self, text: &str) -> Result<Millis, CronError> {
        let text = text.trim();
        if let Ok(time) = text.parse::<Zoned>() {
            return Ok(time.timestamp().as_millisecond());
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            return Ok(time.as_millisecond());
        }
        let civil = text.parse::<DateTime>().ok();
        { civil.and_then(|civil| self.first(civil)) }.ok_or_else(|| {
            CronError::invalid(
                "schedule",
                format!("{} is not a time. Write it as `2026-12-01T09:00`, or with an offset: `2026-12-01T09:00+01:00`.", quoted(text)),
            )
        })
    }
}

/// The sentence about a name that is no zone.
fn unknown(name: &str) -> String {
    let wanted = normal(name);
    let known: Vec<String> = jiff::tz::db()
        .available()
        .map(|zone| zone.to_string())
        .collect();
    let near = |zone: &&String| {
        let whole = normal(zone);
        let city = whole.rsplit('/').next().unwrap_or_default();
        !wanted.is_empty() && (city == wanted.rsplit('/').next().unwrap_or_default())
    };
    let found: Vec<String> = known
        .iter()
        .filter(near)
        .take(3)
        .map(|zone| format!("`{zone}`"))
        .collect();
    let next = if found.is_empty() {
        "Use an IANA name such as `Europe/Berlin` or `UTC`.".to_owned()
    } else {
        format!("Did you mean {}?", found.join(" or "))
    };
    format!("{} is not a time zone. {next}", quoted(name))
}

fn normal(name: &str) -> String {
    let name = name.trim().to_lowercase();
    name.replace([' ', '-'], "_")
}
