//! Schedules: what they mean, above all where clocks change.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it fails"
)]

use std::time::Duration;

use proptest::prelude::*;
use tenon_cron::{CronError, Schedule, Zone, clock_changes};

fn times(text: &str, zone: &str, from: &str, count: usize) -> Vec<String> {
    let zone = Zone::named(zone).unwrap();
    let now = zone.time_of(from).unwrap();
    let schedule = Schedule::read(text, &zone, now).unwrap();
    let times = schedule.next(now, &zone, count).unwrap();
    times.into_iter().map(|time| zone.shown(time)).collect()
}

fn message(text: &str) -> String {
    let zone = Zone::utc();
    let now = zone.time_of("2026-11-23T12:00").unwrap();
    Schedule::read(text, &zone, now).unwrap_err().to_string()
}

#[test]
fn clocks_that_change_move_and_double_nothing_that_has_a_fixed_time() {
    // Zone, expression, from, occurrences. Forward: the time that does not exist runs at the end of the gap.
    let table: &[(&str, &str, &str, &[&str])] = &[
        (
            "America/New_York",
            "30 2 * * *",
            "2026-03-07T12:00",
            &["2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
        ),
        (
            "America/New_York",
            "30 1 * * *",
            "2026-10-31T12:00",
            &["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"],
        ),
        (
            "America/New_York",
            "*/30 * * * *",
            "2026-11-01T00:45:00-04:00",
            &[
                "2026-11-01T01:00:00-04:00",
                "2026-11-01T01:30:00-04:00",
                "2026-11-01T01:00:00-05:00",
                "2026-11-01T01:30:00-05:00",
                "2026-11-01T02:00:00-05:00",
            ],
        ),
        (
            "America/New_York",
            "*/30 * * * *",
            "2026-03-08T01:15:00-05:00",
            &["2026-03-08T01:30:00-05:00", "2026-03-08T03:00:00-04:00"],
        ),
        (
            "Australia/Lord_Howe",
            "15 2 * * *",
            "2026-10-03T12:00",
            &["2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"],
        ),
        (
            "Australia/Lord_Howe",
            "45 1 * * *",
            "2026-04-04T12:00",
            &["2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"],
        ),
        (
            "Europe/Berlin",
            "30 2 * * *",
            "2026-03-28T12:00",
            &["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"],
        ),
        (
            "Europe/Berlin",
            "30 2 * * *",
            "2026-10-24T12:00",
            &["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
        ),
        (
            "America/Santiago",
            "30 0 * * *",
            "2026-09-05T12:00",
            &["2026-09-06T01:00:00-03:00", "2026-09-07T00:30:00-03:00"],
        ),
        (
            "America/Santiago",
            "30 23 * * *",
            "2026-04-04T12:00",
            &["2026-04-04T23:30:00-03:00", "2026-04-05T23:30:00-04:00"],
        ),
    ];
    for (zone, text, from, expected) in table {
        assert_eq!(
            times(text, zone, from, expected.len()),
            *expected,
            "{zone} {text}"
        );
    }
}

#[test]
fn what_a_change_of_the_clocks_does_is_said_before() {
    let notes = |zone: &str, text: &str, from: &str| {
        let zone = Zone::named(zone).unwrap();
        let now = zone.time_of(from).unwrap();
        clock_changes(&Schedule::read(text, &zone, now).unwrap(), &zone, now)
    };
    assert_eq!(
        notes("America/New_York", "30 2 * * *", "2026-01-01T00:00"),
        ["On 2026-03-08 the clocks in America/New_York skip 02:30. It runs at 03:00 instead."]
    );
    assert_eq!(
        notes("Europe/Berlin", "30 2 * * *", "2026-09-01T00:00"),
        [
            "On 2026-10-25 the clocks in Europe/Berlin show 02:30 twice. It runs once, at the first.",
            "On 2027-03-28 the clocks in Europe/Berlin skip 02:30. It runs at 03:00 instead.",
        ]
    );
    assert_eq!(
        notes("Australia/Lord_Howe", "15 2 * * *", "2026-09-01T00:00"),
        ["On 2026-10-04 the clocks in Australia/Lord_Howe skip 02:15. It runs at 02:30 instead."]
    );
    assert!(notes("Europe/Berlin", "0 9 * * *", "2026-01-01T00:00").is_empty());
    assert!(notes("Europe/Berlin", "*/15 * * * *", "2026-01-01T00:00").is_empty());
    assert!(notes("UTC", "30 2 * * *", "2026-01-01T00:00").is_empty());
}

#[test]
fn schedules_are_read_in_every_form() {
    let utc = |text: &str, count| times(text, "UTC", "2026-11-23T12:00", count);
    assert_eq!(
        utc("0 9 * * 1-5", 2),
        ["2026-11-24T09:00:00+00:00", "2026-11-25T09:00:00+00:00"]
    );
    assert_eq!(utc("@daily", 1), ["2026-11-24T00:00:00+00:00"]);
    assert_eq!(
        utc("every 15m", 2),
        ["2026-11-23T12:15:00+00:00", "2026-11-23T12:30:00+00:00"]
    );
    assert_eq!(utc("every 1h 30 minutes", 1), ["2026-11-23T13:30:00+00:00"]);
    assert_eq!(utc("every day", 1), ["2026-11-24T12:00:00+00:00"]);
    assert_eq!(utc("in 20m", 2), ["2026-11-23T12:20:00+00:00"]);
    assert_eq!(utc("at 2026-12-01T09:00", 2), ["2026-12-01T09:00:00+00:00"]);
    assert_eq!(
        utc("2026-12-01T09:00:00+02:00", 1),
        ["2026-12-01T07:00:00+00:00"]
    );
    assert_eq!(
        utc("*/7 * * * *", 10).get(..2).unwrap(),
        ["2026-11-23T12:07:00+00:00", "2026-11-23T12:14:00+00:00"]
    );
    // `*/7` begins again with every hour.
    assert_eq!(
        utc("*/7 * * * *", 10).get(7..9).unwrap(),
        ["2026-11-23T12:56:00+00:00", "2026-11-23T13:00:00+00:00"]
    );
    assert_eq!(
        utc("0 0 29 2 *", 2),
        ["2028-02-29T00:00:00+00:00", "2032-02-29T00:00:00+00:00"]
    );
    assert_eq!(utc("0 0 L * *", 1), ["2026-11-30T00:00:00+00:00"]);
    // Day of month or day of week, as crontab has it; 0 and 7 are Sunday.
    assert_eq!(
        utc("0 0 13 * 5", 2),
        ["2026-11-27T00:00:00+00:00", "2026-12-04T00:00:00+00:00"]
    );
    assert_eq!(utc("0 0 * * 7", 1), utc("0 0 * * 0", 1));
}

#[test]
fn what_is_no_schedule_is_refused_with_the_forms_that_are() {
    for text in [
        "",
        "bananas",
        "every",
        "every 5",
        "every -5m",
        "every 0m",
        "every 5 parsecs",
        "in",
        "99 * * * *",
        "@reboot",
        "H 1 * * *",
        "22-2 * * * *",
        "at tomorrow",
        "every 99999999999999999999m",
    ] {
        let said = message(text);
        assert!(
            said.contains("every 15m") || said.contains("2026-12-01T09:00"),
            "{text}: {said}"
        );
    }
    assert!(message("at 2020-01-01T00:00").contains("is in the past"));
    let zone = Zone::utc();
    let never = Schedule::read("0 0 30 2 *", &zone, 0).unwrap();
    assert!(
        never
            .check(&zone, 0, Duration::from_secs(60))
            .unwrap_err()
            .to_string()
            .contains("never occurs")
    );
}

#[test]
fn a_schedule_that_runs_too_often_is_refused() {
    let zone = Zone::utc();
    let check = |text: &str| {
        Schedule::read(text, &zone, 0)
            .unwrap()
            .check(&zone, 0, Duration::from_secs(60))
    };
    for text in ["every 59s", "*/30 * * * * *", "0,30 0 12 25 12 *"] {
        assert!(
            check(text)
                .unwrap_err()
                .to_string()
                .contains("more often than every 1m"),
            "{text}"
        );
    }
    for text in [
        "every 60s",
        "* * * * *",
        "at 2027-01-01T00:00",
        "30 0 9 * * *",
    ] {
        assert_eq!(check(text), Ok(()), "{text}");
    }
}

#[test]
fn a_zone_is_found_by_its_name_and_another_leads_to_the_nearest() {
    assert_eq!(
        Zone::named("europe/berlin").unwrap().name(),
        "Europe/Berlin"
    );
    let unknown = |name: &str| match Zone::named(name).unwrap_err() {
        CronError::Invalid {
            parameter: "tz",
            message,
        } => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        unknown("Berlin"),
        "`Berlin` is not a time zone. Did you mean `Europe/Berlin`?"
    );
    assert_eq!(
        unknown("Mars/Olympus"),
        "`Mars/Olympus` is not a time zone. Use an IANA name such as `Europe/Berlin` or `UTC`."
    );
    assert!(unknown("").contains("is not a time zone") && unknown(&"x".repeat(10_000)).len() < 300);
}

#[test]
fn a_schedule_describes_itself() {
    let zone = Zone::utc();
    let now = zone.time_of("2026-11-23T12:00").unwrap();
    let described = |text: &str| Schedule::read(text, &zone, now).unwrap().describe(&zone);
    assert_eq!(described("every 90m"), "Every 1 hour and 30 minutes.");
    assert_eq!(described("every 1h"), "Every hour.");
    assert_eq!(
        described("in 20m"),
        "Once, on Monday, 2026-11-23 at 12:20:00."
    );
    assert!(
        described("0 9 * * 1-5").contains("09:00"),
        "{}",
        described("0 9 * * 1-5")
    );
    assert_eq!(
        described("*/35 * * * *"),
        "At minute 0 and 35 past every hour."
    );
    assert_eq!(
        described("0 9 * */11 *"),
        "At 09:00, in January and December."
    );
    assert_eq!(
        described("0 9 LW * *"),
        "At 09:00, on the last weekday of the month."
    );
    assert_eq!(described("*/15 * * * *"), "At every 15 minutes.");
}

#[test]
fn names_are_taken_in_full_and_midnight_is_a_name() {
    let zone = Zone::utc();
    let now = zone.time_of("2026-11-23T12:00").unwrap();
    let same = [
        ("0 9 * * MONDAY", "0 9 * * MON"),
        ("0 9 * January-March Sunday", "0 9 * Jan-Mar Sun"),
        ("@midnight", "0 0 * * *"),
    ];
    for (long, short) in same {
        let next = |text| {
            Schedule::read(text, &zone, now)
                .unwrap()
                .next(now, &zone, 3)
        };
        assert_eq!(next(long).unwrap(), next(short).unwrap(), "{long}");
    }
}

#[test]
fn a_step_as_long_as_its_field_and_a_last_day_without_a_day_are_refused() {
    let now = 1_795_000_000_000;
    for (text, problem) in [
        (
            "*/90 * * * *",
            "`*/90` for its minutes, which begins again with each hour: it would run once in each hour",
        ),
        ("0 */24 * * *", "`*/24` for its hours"),
        ("0 9 1 */12 *", "`*/12` for its months"),
        ("0 9 15W * L", "`L` as a day of the week"),
    ] {
        let error = Schedule::read(text, &Zone::utc(), now).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn times_in_lists_and_ranges_run_once_when_the_clocks_change() {
    let zone = Zone::named("Europe/Berlin").unwrap();
    let next = |text: &str, from: &str, count| -> Vec<String> {
        let now = zone.time_of(from).unwrap();
        let schedule = Schedule::read(text, &zone, now).unwrap();
        let times = schedule.next(now, &zone, count).unwrap();
        times.into_iter().map(|time| zone.shown(time)).collect()
    };
    let spring = "2027-03-28T00:00";
    let gap_end = "2027-03-28T03:00:00+02:00";
    assert_eq!(
        next("30 2,14 * * *", spring, 2),
        [gap_end, "2027-03-28T14:30:00+02:00"]
    );
    for once in ["0,30 2 28 3 *", "*/15 2 28 3 *"] {
        assert_eq!(next(once, spring, 2)[0], gap_end, "{once}");
        assert_ne!(next(once, spring, 2)[1][..4], *"2027", "{once}");
    }
    assert_eq!(
        next("0 1-3 * * *", spring, 3),
        [
            "2027-03-28T01:00:00+01:00",
            gap_end,
            "2027-03-29T01:00:00+02:00"
        ]
    );
    assert_eq!(
        next("30 2,14 31 10 *", "2027-10-31T00:00", 3),
        [
            "2027-10-31T02:30:00+02:00",
            "2027-10-31T14:30:00+01:00",
            "2028-10-31T02:30:00+01:00"
        ]
    );
    assert_eq!(
        next("*/30 * * * *", "2027-10-31T01:45", 5)[4],
        "2027-10-31T03:00:00+01:00"
    );
    assert_eq!(next("at 2027-03-28T02:30", spring, 1), [gap_end]);
}

#[test]
fn notes_name_each_time_of_a_list_that_the_clocks_skip_or_show_twice() {
    let zone = Zone::named("Europe/Berlin").unwrap();
    let now = zone.time_of("2026-12-01T00:00").unwrap();
    let schedule = Schedule::read("30 2,14 * * *", &zone, now).unwrap();
    assert_eq!(
        clock_changes(&schedule, &zone, now),
        [
            "On 2027-03-28 the clocks in Europe/Berlin skip 02:30. It runs at 03:00 instead.",
            "On 2027-10-31 the clocks in Europe/Berlin show 02:30 twice. It runs once, at the first.",
        ]
    );
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic_or_go_back_in_time(text in "\\PC{0,40}", form in 0..4) {
        let text = match form { 0 => text, 1 => format!("every {text}"), 2 => format!("at {text}"), _ => format!("in {text}") };
        let zone = Zone::named("Australia/Lord_Howe").unwrap();
        let now = 1_790_000_000_000;
        if let Ok(schedule) = Schedule::read(&text, &zone, now) {
            let mut last = now;
            for time in schedule.next(now, &zone, 20).unwrap() {
                prop_assert!(time > last);
                last = time;
            }
        }
    }
}
