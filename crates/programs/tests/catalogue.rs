//! The catalogue: its files are right, and what is generated from them is up to date.

#![allow(
    clippy::unwrap_used,
    reason = "a file of the catalogue that cannot be read fails the test"
)]

use std::path::Path;

use tenon_programs::source::{File, generate};

fn own() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files() -> Vec<File> {
    let entries = std::fs::read_dir(own().join("catalogue")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| File {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            text: std::fs::read_to_string(&path).unwrap(),
        })
        .collect()
}

fn problems(text: &str) -> Vec<String> {
    let file = File {
        name: "x.toml".into(),
        text: text.into(),
    };
    generate(&[file])
        .map(|_| Vec::new())
        .unwrap_or_else(|problems| problems)
}

#[test]
fn what_is_generated_is_up_to_date() {
    let generated = generate(&files()).unwrap_or_else(|problems| panic!("{}", problems.join("\n")));
    let command = "run `cargo run -p tenon-programs --example codegen`";
    let text = std::fs::read_to_string(own().join("src/catalogue.txt")).unwrap();
    assert!(
        text == generated.text,
        "src/catalogue.txt is old: {command}"
    );
    let words = std::fs::read_to_string(own().join("src/words.rs")).unwrap();
    assert!(words == generated.words, "src/words.rs is old: {command}");
    let page = std::fs::read_to_string(own().join("../../docs/programs.md")).unwrap();
    assert!(page == generated.page, "docs/programs.md is old: {command}");
}

#[test]
fn a_word_that_is_twice_in_a_list_is_named() {
    let file = File {
        name: "words.toml".into(),
        text: "[a]\nB = \"x y x\"".into(),
    };
    let problems = generate(&[file]).map(|_| ()).unwrap_err();
    assert_eq!(problems, ["words.toml: `x` is twice in `B`."]);
}

#[test]
fn each_mistake_in_a_row_is_named_with_its_file() {
    for (text, problem) in [
        ("source = \"x\"", "x.toml: ?: `names` is missing."),
        (
            "names = \"a\"\n[options]\nrun = \"-x\"",
            "x.toml: a: `run` is not an effect of options. Use `read`,",
        ),
        (
            "names = \"a\"\n[options]\nread = \"x=\"",
            "x.toml: a: `x=` is not an option. Write `-v`,",
        ),
        (
            "names = \"a\"\n[options]\nread = \"-x=\"\nwrite = \"-x\"",
            "x.toml: a: `x` is written in two ways. Write it in one.",
        ),
        (
            "names = \"a\"\n[options]\nread = \"-x= -x=\"",
            "x.toml: a: `x` in `read` says nothing new. Remove it.",
        ),
        (
            "names = \"a\"\noperands = \"reads\"",
            "x.toml: a: `reads` is not what operands can be. Use `read*`,",
        ),
        (
            "names = \"a\"\ntraits = \"nice\"",
            "x.toml: a: `nice` is not a trait. Use `searches`,",
        ),
        (
            "names = \"a\"\nbelow = \"read; by option\"",
            "x.toml: a: `below = \"…; by option\"` needs options `below`, and they need it.",
        ),
        (
            "names = \"a\"\nprefixed = \"b\"",
            "x.toml: a: `b` is not among the `names` of the row.",
        ),
        (
            "names = \"a\"\nlike = \"b\"",
            "x.toml: a: `like = \"b\"` is not a program of a row without `like`.",
        ),
        (
            "names = \"a\"\nsubcommands = \"b\"\n[command.b]\naliases = \"c\"",
            "x.toml: a: the subcommand `b` is there twice. One table has it.",
        ),
        (
            "names = \"a\"\n[command.b]\naliases = \"c\"\n[command.d]\naliases = \"c\"",
            "x.toml: a: the subcommand `c` is there twice. One table has it.",
        ),
        (
            "names = \"a\"\n[command.b]\nalike = \"c\"",
            "x.toml: a: `alike` names `c`, which is not a subcommand of the row.",
        ),
        (
            "names = \"a\"\n[command.b]\nlike = \"b\"",
            "x.toml: a: `like = \"b\"` does not lead to another subcommand of the row.",
        ),
        (
            "names = \"a\"\n[command.b]\nlike = \"z: b\"",
            "x.toml: a: `z` in `like` is not a program of the catalogue.",
        ),
        (
            "names = \"a\"\n[command.\"b, c\"]\naliases = \"d\"",
            "x.toml: a: `[command.\"b, c\"]` has `aliases` and several names.",
        ),
        (
            "names = \"a\"\n[command.b]\ntraits = \"nice\"",
            "x.toml: a: `nice` is not a trait of subcommands. Use `addresses`,",
        ),
        (
            "names = \"a\"\n[looks.b]\noperands = \"some\"",
            "x.toml: a: `[looks.\"b\"]`: `some` is not what operands can be. Use `none`,",
        ),
        (
            "names = \"a\"\n[looks.b]\nexcept = \"-x\"",
            "x.toml: a: `[looks.\"b\"]`: `except` needs `options = \"*\"`.",
        ),
        (
            "names = \"a\"\n[looks.b]\nneeds = \"-x\"",
            "x.toml: a: `[looks.\"b\"]`: `x` is not among its `options`. Add it there.",
        ),
        (
            "names = \"a a\"",
            "`a` is in x.toml and in x.toml. One row has it.",
        ),
    ] {
        let found = problems(text);
        assert!(
            found.len() == 1 && found.iter().all(|found| found.starts_with(problem)),
            "{text}: {found:?}"
        );
    }
    let unknown = problems("names = \"a\"\noperand = \"read*\"");
    assert!(
        unknown
            .iter()
            .any(|problem| problem.contains("unknown field `operand`")),
        "{unknown:?}"
    );
}
