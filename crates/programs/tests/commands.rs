//! Subcommands, and the options before them.

#![allow(clippy::unwrap_used, reason = "a row that is not there fails the test")]

use tenon_programs::{
    Argument, CommandTraits, Effects, Traits, describe, find, is_command, parse_before,
    parse_letters_first, programs,
};

#[derive(Debug)]
struct Word(&'static str);

impl Argument for Word {
    fn literal(&self) -> Option<&str> {
        (!self.0.ends_with('$')).then_some(self.0)
    }

    fn known_start(&self) -> &str {
        self.0.trim_end_matches('$')
    }

    fn is_opaque(&self) -> bool {
        self.0.ends_with('$')
    }
}

fn words(texts: &[&'static str]) -> Vec<Word> {
    texts.iter().map(|text| Word(text)).collect()
}

/// The subcommand of these arguments and the number of words that name it.
fn command(program: &str, arguments: &[&'static str]) -> Option<(String, usize)> {
    let found = find(program).unwrap().command_of(&words(arguments));
    found.map(|(command, count)| (command.name.join(" "), count))
}

#[test]
fn a_subcommand_is_found_by_all_its_names_the_longest_first() {
    for (program, arguments, expected) in [
        ("docker", &["run", "x"][..], Some(("run", 1))),
        ("docker", &["container", "run", "x"], Some(("run", 2))),
        ("docker", &["compose", "up"], Some(("compose", 1))),
        ("docker", &["compose", "cp", "a"], Some(("compose cp", 2))),
        ("docker", &["container"], Some(("container", 1))),
        (
            "docker",
            &["container", "frobnicate"],
            Some(("container", 1)),
        ),
        ("docker", &["frobnicate"], None),
        ("docker", &["buildx$"], None),
        ("aws", &["--profile", "p", "s3", "cp"], Some(("s3 cp", 2))),
        ("git", &["init-db"], Some(("init", 1))),
        ("git", &["frobnicate"], None),
        ("rm", &["run"], None),
    ] {
        let expected = expected.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(
            command(program, arguments),
            expected,
            "{program} {arguments:?}"
        );
    }
    assert!(is_command("bun", "i") && !is_command("bun", "build.ts"));
}

#[test]
fn a_subcommand_has_the_options_of_its_row_unless_all_of_its_own_are_known() {
    let git = find("git").unwrap();
    let one = |name: &'static str| git.command([Some(name)].into_iter()).unwrap().0;
    assert!(one("log").does("output", Effects::WRITE));
    assert!(one("stash").does("output", Effects::WRITE));
    assert!(one("clone").is(CommandTraits::COMPLETE));
    assert_eq!(one("clone").option("output"), None);
    // `like` takes the options, not the traits that are stated again.
    assert!(one("commit").does("F", Effects::READ));
    assert!(
        one("commit").is(CommandTraits::NO_OBJECTS) && !one("tag").is(CommandTraits::NO_OBJECTS)
    );
}

#[test]
fn one_does_what_the_other_does_in_both_directions() {
    let names = |name: &'static str| {
        let helm = find("helm").unwrap();
        let (command, _) = helm.command([Some(name)].into_iter()).unwrap();
        command.alike.to_vec()
    };
    assert_eq!(names("install"), [&["upgrade"][..]]);
    assert_eq!(names("upgrade"), [&["install"][..]]);
}

#[test]
fn programs_of_one_row_have_options_of_their_own_before_a_subcommand() {
    let docker = find("docker").unwrap();
    let has = |own: &str, name: &str| {
        let options = docker.options_before(own).unwrap();
        options.iter().any(|option| option.name == name)
    };
    assert!(has("docker", "tls") && !has("podman", "tls"));
    assert!(has("podman", "root") && !has("docker", "root"));
    assert!(has("nerdctl", "namespace") && !has("docker", "namespace"));
    assert!(find("rm").unwrap().options_before("rm").is_none());
}

#[test]
fn options_before_a_subcommand_are_read_up_to_it_and_must_be_written_out() {
    let git = find("git").unwrap().options_before("git").unwrap();
    for (arguments, exact, behind) in [
        (&["-C", "d", "log", "-p"][..], true, 2),
        (&["-Cd", "--no-pager", "log"], true, 1),
        (&["--work-tree=d", "log"], true, 1),
        (&["--exec-path", "log"], true, 1),
        (&["--", "log", "-p"], true, 2),
        (&["-C"], false, 0),
        (&["--work", "d", "log"], false, 1),
        (&["--no-pager=x", "log"], false, 1),
        (&["--frobnicate", "log"], false, 1),
        (&["-pz", "log"], false, 1),
    ] {
        let words = words(arguments);
        let parsed = parse_before(git, &words);
        let all = parsed.options.iter().all(|given| given.exact);
        assert_eq!((all, parsed.behind), (exact, behind), "{arguments:?}");
        assert_eq!(parsed.ended, arguments[0] == "--", "{arguments:?}");
    }
}

#[test]
fn a_letter_stands_behind_two_dashes_where_it_is_written_so() {
    let kubectl = find("kubectl").unwrap().options_before("kubectl").unwrap();
    let git = find("git").unwrap().options_before("git").unwrap();
    let exact = |options, word| {
        let words = words(&[word, "x"]);
        parse_before(options, &words)
            .options
            .iter()
            .all(|given| given.exact)
    };
    assert!(exact(kubectl, "--v=6") && exact(kubectl, "-v6"));
    assert!(!exact(git, "--C=d"));
}

#[test]
fn wrappers_are_read_by_the_options_before_their_command() {
    let wrappers = programs().filter(|program| program.wrapper.is_some());
    for program in wrappers {
        assert!(program.commands.is_empty(), "{:?}", program.names);
    }
    assert_eq!(find("timeout").unwrap().wrapper.unwrap().operands, 1);
    assert!(find("sudo").unwrap().wrapper.unwrap().assignments);
}

#[test]
fn what_only_some_programs_of_a_row_are_is_known_of_them_alone() {
    let is = |name: &str| find(name).is_some_and(|program| program.is(Traits::PROJECT_TOOL));
    assert!(is("bash") && is("zsh") && !is("ksh"));
    let traits = |name: &str| find(name).map(|program| program.is(Traits::SHELL));
    assert_eq!((traits("bash"), traits("ksh")), (Some(true), Some(true)));
}

#[test]
fn a_program_is_described_by_any_of_its_names() {
    let timeout = describe("gtimeout").unwrap();
    assert_eq!(timeout.program, "timeout");
    let text = timeout.to_string();
    for line in [
        "  runs: the command behind its options\n",
        "    no command: --help --version\n",
        "    timeout -k 1 5 rm x: run rm\n",
        "    timeout --help: nothing\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert_eq!(describe("frobnicate"), None);
}

#[test]
fn an_option_selects_a_mode_in_every_spelling() {
    let tar = find("tar").unwrap();
    for (words, expected) in [
        (&["-x", "-f", "a"][..], "extract"),
        (&["xzf", "a"], "extract"),
        (&["--extr", "--file=a"], "extract"),
        (&["cf", "a", "b"], "create"),
        (&["-x", "-c"], "create extract"),
        (&["tf", "a"], ""),
        (&["-f", "x"], ""),
    ] {
        let words = self::words(words);
        let parsed = parse_letters_first(tar.options, &words);
        let modes: Vec<&str> = tar.modes_of(&parsed).map(|mode| mode.name).collect();
        assert_eq!(modes.join(" "), expected, "{words:?}");
    }
}
