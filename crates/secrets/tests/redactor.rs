//! Marks in the place of secrets, and secrets in the place of marks.

#![allow(clippy::indexing_slicing, reason = "a test that is wrong may panic")]

use std::sync::Arc;

use proptest::prelude::*;
use regex::Regex;
use tenon_secrets::{Pattern, Redactor, Stream};

fn github(letter: &str) -> String {
    format!("ghp_{letter}{}", "a1B2c3D4e".repeat(4).split_off(1))
}

fn key() -> String {
    let line = |seed: u32| -> String {
        (0..64_u32)
            .map(|at| {
                char::from(
                    b"ABCdefGHIjkl0123456789mnoPQR+/st"
                        [((at * 7 + seed * 13 + at * at) % 32) as usize],
                )
            })
            .collect()
    };
    let body: Vec<String> = (0..5).map(line).collect();
    format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
        body.join("\n")
    )
}

#[test]
fn the_same_secret_gets_the_same_mark_and_another_one_its_own() {
    let redactor = Redactor::default();
    let (one, other) = (github("X"), github("Y"));
    assert_eq!(
        redactor.redact(&format!("a {one} b {other} c {one}")),
        "a [redacted: GitHub token, 40 characters] b [redacted: GitHub token, 40 characters, #2] c [redacted: GitHub token, 40 characters]"
    );
    assert_eq!(
        redactor.redact(&format!("{other}!")),
        "[redacted: GitHub token, 40 characters, #2]!"
    );
}

#[test]
fn a_mark_becomes_what_it_stands_for() {
    let redactor = Redactor::default();
    let text = format!("const a = '{}'\nconst b = '{}'\n", github("X"), github("Y"));
    let shown = redactor.redact(&text).into_owned();
    assert_ne!(shown, text);
    assert_eq!(redactor.restore(&shown).unwrap(), text);
    let unknown = redactor
        .restore("x [redacted: GitHub token, 40 characters, #3]")
        .unwrap_err();
    assert_eq!(unknown.mark, "[redacted: GitHub token, 40 characters, #3]");
    assert_eq!(
        redactor.restore("[redacted: all of it]").unwrap(),
        "[redacted: all of it]"
    );
}

#[test]
fn a_private_key_keeps_its_lines_also_in_listings_and_diffs() {
    let redactor = Redactor::default();
    let key = key();
    let shown = redactor.redact(&key).into_owned();
    assert_eq!(shown.lines().count(), key.lines().count());
    assert!(
        shown.starts_with(
            "-----BEGIN RSA PRIVATE KEY-----\n[redacted: line of a private key, 64 characters]\n"
        ),
        "{shown}"
    );
    assert_eq!(redactor.restore(&shown).unwrap(), key);
    let listed: String = key
        .lines()
        .zip(1..)
        .map(|(line, number)| format!("{number:6}→{line}\n"))
        .collect();
    let changed: String = key.lines().map(|line| format!("+{line}\n")).collect();
    let end_of = |text: &str| {
        text.lines()
            .skip(3)
            .map(|line| format!("{line}\n"))
            .collect()
    };
    let ends: [String; 2] = [end_of(&listed), end_of(&changed)];
    for text in [listed, changed].into_iter().chain(ends) {
        let shown = redactor.redact(&text).into_owned();
        assert!(
            key.lines()
                .filter(|line| !line.contains("-----"))
                .all(|line| !shown.contains(line)),
            "{shown}"
        );
        assert_eq!(redactor.restore(&shown).unwrap(), text);
    }
}

#[test]
fn a_private_key_whose_lines_are_strings_of_a_program_is_found() {
    let key = key();
    let lines: Vec<&str> = key.lines().collect();
    let written = |quote: &str, joint: &str| {
        let lines = lines.iter().map(|line| format!("  {quote}{line}{joint}\n"));
        lines.collect::<String>()
    };
    for source in [
        written("\"", "\\n\" +"),
        written("\"", "\\r\\n\""),
        written("'", "\\n',"),
        written("", "\\n\\"),
        written("`", "` +"),
    ] {
        let lines: Vec<&str> = source.lines().collect();
        // Whole, without its last lines, and without its first.
        for part in [&lines[..], &lines[..lines.len() - 3], &lines[1..]] {
            let text = part.join("\n");
            let redactor = Redactor::default();
            let shown = redactor.redact(&text).into_owned();
            let leaked = key.lines().filter(|line| !line.contains("-----"));
            let leaked: Vec<&str> = leaked.filter(|line| shown.contains(*line)).collect();
            assert_eq!(leaked, Vec::<&str>::new(), "{text}\n{shown}");
            assert_eq!(redactor.restore(&shown).unwrap(), text);
        }
    }
}

#[test]
fn the_end_of_a_private_key_is_found_where_its_line_ends_are_written_out() {
    let written = key().replace('\n', "\\n");
    for skipped in [60, 130, 200] {
        let part = written.get(skipped..).unwrap_or_default();
        let text = format!("{{\"private_key\": \"{part}\", \"id\": 1}}");
        let shown = Redactor::default().redact(&text).into_owned();
        let lines: Vec<&str> = part.split("\\n").filter(|line| line.len() > 8).collect();
        for line in lines.iter().filter(|line| !line.starts_with('-')) {
            assert!(!shown.contains(*line), "{skipped}: {shown}");
        }
        assert!(shown.ends_with("\", \"id\": 1}"), "{shown}");
    }
    let path = r"C:\temp\new\n-----END RSA PRIVATE KEY-----";
    assert_eq!(Redactor::default().redact(path), path);
}

#[test]
fn a_secret_that_is_known_is_found_where_nothing_announces_it() {
    let redactor = Redactor::default();
    let value = "q8Zr2LmX0vTn5KcY1wBd";
    assert_eq!(redactor.redact(value), value);
    assert_eq!(
        redactor.redact(&format!("API_KEY={value}")),
        "API_KEY=[redacted: value of a secret name, 20 characters]"
    );
    assert_eq!(
        redactor.redact(&format!("got {value}.")),
        "got [redacted: value of a secret name, 20 characters]."
    );
}

#[test]
fn a_secret_with_colours_in_it_or_before_it_is_the_secret() {
    let redactor = Redactor::default();
    let token = github("X");
    let mark = redactor.redact(&token).into_owned();
    let (start, rest) = token.split_at(4);
    let table = [
        (
            format!("a: \x1b[01;31m\x1b[K{start}\x1b[m\x1b[K{rest}\n"),
            format!("a: \x1b[01;31m\x1b[K{mark}\x1b[m\x1b[K\n"),
        ),
        (
            format!("\x1b[32m{token}\x1b[0m"),
            format!("\x1b[32m{mark}\x1b[0m"),
        ),
        // What a title or a link says of it goes as well.
        (
            format!("{start}\x1b]0;{token}\x07{rest} {token}"),
            format!("[redacted: GitHub token, 85 characters] {mark}"),
        ),
        (
            format!("\x1b]8;;https://a.example?t={token}\x07x\x1b]8;;\x07"),
            format!("\x1b]8;;https://a.example?t={mark}\x07x\x1b]8;;\x07"),
        ),
    ];
    for (text, expected) in table {
        assert_eq!(redactor.redact(&text), expected, "{text:?}");
    }
    let value = "kD83hfKq02LmXz7PvB91sTgWnR45cYeUj6AoIhQd";
    let shown = redactor
        .redact(&format!("AWS_SECRET_ACCESS_KEY=\x1b[32m{value}\x1b[0m\n"))
        .into_owned();
    assert_eq!(
        shown,
        "AWS_SECRET_ACCESS_KEY=\x1b[32m[redacted: value of a secret name, 40 characters]\x1b[0m\n"
    );
}

#[test]
fn a_secret_that_goes_on_in_the_next_line_of_a_screen_is_the_secret() {
    let redactor = Redactor::default();
    let token = github("X");
    let mark = redactor.redact(&token).into_owned();
    for (text, columns, expected) in [
        (
            format!("y = {}\n{} z\nend", &token[..26], &token[26..]),
            30,
            format!("y = {mark}\n z\nend"),
        ),
        // Numbers of lines indent what goes on.
        (
            format!(
                "  1 {}\n    {}\n    {}",
                &token[..16],
                &token[16..32],
                &token[32..]
            ),
            20,
            format!("  1 {mark}\n    \n    "),
        ),
        (
            format!("{}\n{token}", "-".repeat(30)),
            30,
            format!("{}\n{mark}", "-".repeat(30)),
        ),
        (
            format!("{}\n{token}", "a".repeat(30)),
            30,
            format!("{}\n{mark}", "a".repeat(30)),
        ),
    ] {
        assert_eq!(redactor.redact_screen(&text, columns), expected, "{text}");
    }
}

#[test]
fn what_only_the_caller_takes_for_a_secret_is_looked_for_elsewhere_if_it_looks_like_one() {
    for (file, is_known) in [
        ("NODE_ENV=production-value", false),
        ("DATA_DIR=/srv/a/config1234", false),
        ("ZONE=Europe/Berlin", false),
        ("API_URL=http://localhost:3000/api", false),
        ("AUTH_URL=https://auth0.example.com/v2", false),
        ("DB_PASS=correcthorsebattery", false),
        ("DB_PASS=hunter2hunter2", true),
        ("APP_PIN: \"1234567890a\"", true),
        ("DB_URL=postgres://me:hunter2x9@db/x", true),
        ("OTHER=q8Zr2LmX0vTn5KcY1wBd", true),
    ] {
        let redactor = Redactor::default();
        let value = file.split_once(['=', ':']).unwrap().1.trim();
        let value = value.trim_matches('"');
        let start = file.find(value).unwrap();
        let own = start..start + value.len();
        let shown = redactor.redact_also(file, vec![own], "value");
        assert!(!shown.contains(value), "{shown}");
        let elsewhere = format!("a {value} b");
        let is_hidden = redactor.redact(&elsewhere) != elsewhere;
        assert_eq!(is_hidden, is_known, "{file}");
        assert_eq!(redactor.restore(&shown).unwrap(), file);
    }
}

#[test]
fn the_name_of_a_file_that_is_there_stays_unless_anybody_would_see_a_secret_in_it() {
    let names = |name: &str| name == "config/hunter2hunter2/a.js" || name.contains("ghp_");
    let redactor = Redactor::default().leaving_names(names);
    let _ = redactor.redact_also(
        "DB_PASS=hunter2hunter2",
        std::iter::once(8..22).collect(),
        "value",
    );
    let mark = "[redacted: value, 14 characters]";
    assert_eq!(
        redactor.redact("\"config/hunter2hunter2/a.js:3: hunter2hunter2\""),
        format!("\"config/hunter2hunter2/a.js:3: {mark}\"")
    );
    assert_eq!(redactor.redact("b/hunter2hunter2"), format!("b/{mark}"));
    let token = github("X");
    let shown = redactor.redact(&token);
    assert_eq!(shown, "[redacted: GitHub token, 40 characters]");
}

#[test]
fn a_secret_that_is_copied_through_its_mark_is_looked_for_where_it_went() {
    let redactor = Redactor::default().leaving_names(|name| name.starts_with("dir/"));
    let file = "DB_PASS=correcthorsebattery\nAPI_KEY=hunter2hunter2\nMODE=production-mode\n";
    let places = vec![8..27, 36..50, 56..71];
    let shown = redactor.redact_also(file, places, "value").into_owned();
    let text = "correcthorsebattery dir/hunter2hunter2 production-mode";
    assert_eq!(redactor.redact(text), text);
    redactor.copied(&shown);
    let copied = "[redacted: value, 19 characters] dir/hunter2hunter2 production-mode";
    assert_eq!(redactor.redact(text), copied);
    redactor.named("no mark");
    assert_eq!(redactor.redact(text), copied);
    redactor.named(&shown);
    assert_eq!(
        redactor.redact(text),
        "[redacted: value, 19 characters] dir/[redacted: value, 14 characters] production-mode"
    );
}

#[test]
fn a_mark_of_a_session_depends_on_its_secret_and_stands_for_no_other_one() {
    let redactor = Redactor::default().tagged("s1");
    let mark = redactor.redact(&github("X")).into_owned();
    let form = Regex::new(r"^\[redacted: GitHub token, 40 characters, [a-z][0-9][a-z]\]$").unwrap();
    assert!(form.is_match(&mark), "{mark}");
    assert_eq!(redactor.restore(&mark).unwrap(), github("X"));
    // Another toolkit of the process gives the same secret the same mark, whatever was read before.
    let again = Redactor::default().tagged("s1");
    let tags: std::collections::HashSet<String> = ('A'..='Z')
        .map(|letter| again.redact(&github(&letter.to_string())).into_owned())
        .collect();
    assert!(tags.contains(&mark) && tags.len() == 26, "{tags:?}");
    let tags: std::collections::HashSet<&str> = tags
        .iter()
        .map(|mark| mark.split(", ").nth(2).unwrap())
        .collect();
    assert!(tags.len() > 20, "{tags:?}");
    let other = Redactor::default().tagged("s1");
    let _ = other.redact(&github("Y"));
    assert_eq!(other.restore(&mark).unwrap_err().mark, mark);
    let plain = "[redacted: GitHub token, 40 characters]";
    assert_eq!(other.restore(plain).unwrap_err().mark, plain);
}

#[test]
fn the_host_adds_patterns() {
    let pattern = |name: &str, expression: &str| Pattern {
        name: name.to_owned(),
        expression: Regex::new(expression).unwrap(),
    };
    let redactor = Redactor::new(vec![
        pattern("ticket", "ACME-[0-9]{8}"),
        pattern("badge", "badge=([a-z]+)"),
    ]);
    assert_eq!(
        redactor.redact("ACME-12345678 badge=kqxv"),
        "[redacted: ticket, 13 characters] badge=[redacted: badge, 4 characters]"
    );
}

#[test]
fn a_text_that_goes_on_shows_no_part_of_a_word_but_the_end_of_a_question() {
    let redactor = Redactor::default();
    assert_eq!(redactor.redact_start("token is ghp_a1B2"), "token is ");
    assert_eq!(redactor.redact_start("Continue? [y/N]"), "Continue? [y/N]");
    assert_eq!(redactor.redact_start("Password: "), "Password: ");
}

/// Texts with secrets in them, and the secrets.
fn with_secrets() -> impl Strategy<Value = (String, Vec<String>)> {
    let piece = prop_oneof![
        "[a-zé \n]{0,20}".prop_map(|text| (text, None)),
        "[A-Z]".prop_map(|letter| {
            let key = github(&letter);
            (format!(" {key}\n"), Some(key))
        }),
        Just(()).prop_map(|()| (format!("\n{}", key()), Some(key()))),
        "[a-z]{3}[0-9]{2}[A-Z]{3}"
            .prop_map(|word| (format!(" postgres://me:{word}@db/x "), Some(word))),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| {
        let secrets = pieces
            .iter()
            .filter_map(|(_, secret)| secret.clone())
            .collect();
        (pieces.into_iter().map(|(text, _)| text).collect(), secrets)
    })
}

/// Whether a part of a secret that says something of it is in a text: eight letters in a row.
fn leaks(shown: &str, secrets: &[String]) -> Option<String> {
    let parts = secrets
        .iter()
        .flat_map(|secret| secret.lines().filter(|line| !line.contains("-----")));
    let letters = parts.flat_map(|part| part.as_bytes().windows(8.min(part.len())));
    letters
        .map(|window| String::from_utf8_lossy(window).into_owned())
        .find(|part| shown.contains(part.as_str()))
}

proptest! {
    #[test]
    fn no_part_of_a_secret_is_in_any_start_of_a_stream((text, secrets) in with_secrets(), at in any::<proptest::sample::Index>()) {
        let redactor = Redactor::default();
        let at = text.floor_char_boundary(at.index(text.len() + 1));
        let shown = redactor.redact_start(&text[..at]);
        prop_assert_eq!(leaks(&shown, &secrets), None, "{}", shown);
    }

    #[test]
    fn a_stream_in_pieces_is_redacted_as_the_whole_is((text, secrets) in with_secrets(), size in 1_usize..40) {
        let mut stream = Stream::new(Arc::new(Redactor::default()));
        let mut out: Vec<u8> = text.as_bytes().chunks(size).flat_map(|chunk| stream.push(chunk).into_owned()).collect();
        out.extend(stream.finish());
        let shown = String::from_utf8(out).unwrap();
        prop_assert_eq!(leaks(&shown, &secrets), None, "{}", shown);
        prop_assert_eq!(shown, Redactor::default().redact(&text));
    }

    #[test]
    fn what_is_redacted_and_restored_is_the_same((text, _) in with_secrets()) {
        let redactor = Redactor::default();
        let shown = redactor.redact(&text).into_owned();
        let again = redactor.redact(&shown).into_owned();
        prop_assert_eq!(&again, &shown);
        prop_assert_eq!(redactor.restore(&shown).unwrap(), text);
    }
}
