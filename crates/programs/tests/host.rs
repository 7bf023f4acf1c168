//! Rows of a host.

#![allow(clippy::unwrap_used, reason = "a row that is not there fails the test")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use tenon_programs::{Catalogue, CommandRow, Effects, MAX_ROWS, PlacedRow, Row, find};

fn row(text: &str) -> Row {
    toml::from_str(text).unwrap()
}

fn placed(rows: &[Row]) -> Vec<PlacedRow> {
    let rows = rows.iter().cloned().enumerate();
    rows.map(|(place, row)| (format!("programs[{place}]"), row))
        .collect()
}

fn catalogue(rows: &[Row]) -> Catalogue {
    Catalogue::of_host(placed(rows)).unwrap()
}

#[test]
fn a_row_says_all_that_a_row_of_tenon_can_say() {
    let own = catalogue(&[
        row("names = \"shipit\"
             subcommands = \"status\"
             [before]
             cwd = \"-C=\"
             [command.deploy]
             aliases = \"up\"
             operands = \"read*\"
             [command.deploy.options]
             write = \"-o= --output=\""),
        row("names = \"shipit-next\"\nlike = \"shipit\""),
        row("names = \"within\"\n[wrapper]\noperands = 1"),
    ]);
    for name in ["shipit", "shipit-next"] {
        let program = own.find(name).unwrap();
        let (deploy, _) = program.command([Some("up")].into_iter()).unwrap();
        assert!(deploy.does("output", Effects::WRITE), "{name}");
        assert!(program.options_before(name).is_some(), "{name}");
    }
    assert_eq!(own.find("within").unwrap().wrapper.unwrap().operands, 1);
    assert_eq!(own.find("rm"), find("rm"));
    assert_eq!(Catalogue::BUILT_IN.find("shipit"), None);
}

#[test]
fn a_row_can_say_that_a_program_takes_the_arguments_of_one_of_tenon() {
    let own = catalogue(&[row("names = \"k8s kube\"\nlike = \"kubectl\"")]);
    assert_eq!(own.facts_name("kube"), "kubectl");
    assert_eq!(own.find("k8s"), find("kubectl"));
}

#[test]
fn the_row_of_a_host_takes_the_place_of_the_one_of_tenon() {
    let own = catalogue(&[row("names = \"just\"\noperands = \"delete*\"")]);
    assert_ne!(own.find("just"), find("just"));
    let behind = catalogue(&[row("names = \"just other\"")]);
    let both = own.clone().in_front_of(&behind);
    assert_eq!(both.find("just"), own.find("just"));
    assert_eq!(both.find("other"), behind.find("other"));
}

#[test]
fn the_same_row_is_kept_once_however_often_it_is_brought() {
    let rows = [row("names = \"kept\"\n[examples]\n\"kept\" = \"\"")];
    assert_eq!(catalogue(&rows).find("kept"), catalogue(&rows).find("kept"));
    assert!(!catalogue(&rows).is_same(&catalogue(&rows)));
    assert!(catalogue(&[]).is_built_in() && catalogue(&[]).is_same(&Catalogue::BUILT_IN));
}

#[test]
fn each_mistake_is_named_with_its_place() {
    for (text, problem) in [
        ("", "programs[0]: ?: `names` is missing."),
        (
            "names = \"a\"\n[options]\nrun = \"-x\"",
            "programs[0]: a: `run` is not an effect of options. Use `read`,",
        ),
        (
            "names = \"./a\"",
            "programs[0]: ./a: `./a` is not the name of a program. Write the last part of its path.",
        ),
        (
            "names = \"nodejs\"",
            "programs[0]: nodejs: `nodejs` is another name of `node`, which tenon knows. Write the row for `node`.",
        ),
        (
            "names = \"a\"\n[aliases]\na = \"b\"",
            "programs[0]: a: `aliases` is only for rows of tenon. Write all names into `names`, or a row with `like`.",
        ),
        (
            "names = \"a\"\nlike = \"kubectl\"\noperands = \"read*\"",
            "programs[0]: a: `kubectl` is a program of tenon, and a row that is like one says nothing else. Remove the rest, or `like`.",
        ),
        (
            "names = \"a\"\nlike = \"nothing\"",
            "programs[0]: a: `like = \"nothing\"` is not a program of a row without `like`.",
        ),
        (
            "names = \"a\"\noperands = \"copy, name\"",
            "programs[0]: a: `operands = \"copy, name\"` needs `traits = \"transfers\"`.",
        ),
        (
            "names = \"a\"\n[options]\nmount = \"-v=\"",
            "programs[0]: a: what the option `v` does needs `traits = \"transfers\"`.",
        ),
        (
            "names = \"a\"\n[options]\ncwd = \"-C=\"",
            "programs[0]: a: `cwd` says nothing in `options`. Write it into `before`.",
        ),
        (
            "names = \"a\"\n[before]\nproject = \"-p=\"",
            "programs[0]: a: `project` says nothing in `before`. Write it into `options`.",
        ),
        (
            "names = \"a\"\n[command.b.options]\nfollows = \"-L\"",
            "programs[0]: a: `follows` says nothing in the options of a subcommand. Write `below`, `follows`",
        ),
        (
            "names = \"a a\"",
            "`a` is in programs[0] and in programs[0]. One row has it.",
        ),
    ] {
        let problems = Catalogue::of_host(placed(&[row(text)])).unwrap_err();
        assert!(
            problems.len() == 1 && problems.iter().all(|own| own.starts_with(problem)),
            "{text}: {problems:?}"
        );
    }
    let many = vec![row("names = \"a\""); MAX_ROWS + 1];
    assert_eq!(
        Catalogue::of_host(placed(&many)).unwrap_err(),
        ["There are 1001 rows of programs. Bring at most 1000."]
    );
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just("b"),
        Just("rm"),
        Just("git"),
        Just("read*"),
        Just("text, "),
        Just("none"),
        Just("copy"),
        Just("-x="),
        Just("--long[=]"),
        Just("-Dx=+"),
        Just("-?"),
        Just("="),
        Just("transfers"),
        Just(","),
        Just(" "),
        Just(": "),
        Just("é\0\n"),
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn lists() -> impl Strategy<Value = BTreeMap<String, String>> {
    let key = prop_oneof![
        Just("read".to_owned()),
        Just("exec".to_owned()),
        Just("value".to_owned()),
        pieces()
    ];
    proptest::collection::btree_map(key, pieces(), 0..3)
}

proptest! {
    #[test]
    fn no_row_is_too_odd_to_be_read_or_refused(
        names in pieces(),
        like in pieces(),
        (operands, traits, below, links) in (pieces(), pieces(), pieces(), pieces()),
        (options, before, own) in (lists(), lists(), lists()),
        (command, aliases, own_like) in (pieces(), pieces(), pieces()),
    ) {
        let of_command = CommandRow { aliases, like: own_like, options: own, ..CommandRow::default() };
        let row = Row {
            names, like, operands, traits, below, links, options, before,
            command: [(command, of_command)].into(),
            ..Row::default()
        };
        if let Err(problems) = Catalogue::of_host(placed(&[row])) {
            prop_assert!(problems.iter().all(|problem| !problem.is_empty()));
        }
    }
}
