//! Arguments of `make`, `cargo`, `go` and compilers that run programs or choose what is built.

use tenon_programs::words::cargo::OF_PROFILE;
use tenon_programs::words::java;
use tenon_programs::words::make::{LOADING_FLAGS, PROGRAMS, STEERING};
use tenon_programs::words::projects::CMAKE_PROGRAMS;
use tenon_programs::{Effects, Given, Program, parse};

use super::invocation::Invocation;
use super::options::{at_dashes, each_as_option, value_of, value_start};
use super::shells::embed;
use crate::span::Span;
use crate::word::Word;

/// What runs a program in the arguments of make. Directories go into `invocation.directories`.
pub(super) fn make(words: &[Word], invocation: &mut Invocation) -> Option<Span> {
    let parsed = parse(invocation.program?.options, words);
    for given in &parsed.options {
        let is_usual = || given.value_literal().is_some_and(is_usual_makefile);
        match given.name {
            "E" | "eval" | "I" | "include-dir" => return Some(given.word.span),
            "f" | "file" | "makefile" if !is_usual() => return Some(given.word.span),
            "C" | "directory" => invocation.directories.extend(value_of(given)),
            _ => {}
        }
    }
    let mut operands = parsed.operands.iter();
    operands
        .find(|word| sets_program(word))
        .map(|word| word.span)
}

fn is_usual_makefile(name: &str) -> bool {
    matches!(
        name.trim_start_matches("./"),
        "Makefile" | "makefile" | "GNUmakefile"
    )
}

/// A variable whose value make or a shell would run.
fn sets_program(word: &Word) -> bool {
    let text = word.prefix();
    let Some((name, value)) = text.split_once('=') else {
        return false;
    };
    // `a:=…` is expanded at once, whatever the makefile does with it.
    if name.ends_with('!') || name.ends_with(':') && word.is_opaque() {
        return true;
    }
    let name = name.trim_end_matches([':', '?', '+', ' ', '\t']);
    let runs = value.contains(['$', '`', ';', '&', '|', '<', '>', '(', ')', '\n']);
    let loads =
        name.ends_with("FLAGS") && LOADING_FLAGS.iter().any(|option| value.contains(option));
    let named = name == "SHELL"
        && !matches!(
            value,
            "sh" | "bash" | "/bin/sh" | "/bin/bash" | "/usr/bin/bash"
        )
        || PROGRAMS.contains(&name) && (value.contains(['/', ' ', '\t']) || word.is_opaque());
    runs || loads || named || STEERING.contains(&name)
}

/// What runs a program in the arguments of cargo: settings, another toolchain, a linker.
pub(super) fn cargo(words: &[Word], invocation: &mut Invocation) -> Option<Span> {
    let toolchain = invocation
        .words
        .get(1)
        .filter(|word| word.prefix().starts_with('+'));
    if let Some(word) = toolchain
        && !word
            .literal()
            .is_some_and(|name| is_toolchain(name.trim_start_matches('+')))
    {
        return Some(word.span);
    }
    let (own, passed) = at_dashes(words);
    let passed = passed.unwrap_or_default();
    let configures = |given: &Given<'_, Word>| {
        given.name == "config" && !given.value_literal().is_some_and(is_harmless_setting)
    };
    let options = invocation.program?.options;
    if let Some(given) = each_as_option(options, own).find(configures) {
        return Some(given.word.span);
    }
    if own.first().and_then(Word::literal) == Some("watch") {
        return cargo_watch(own, passed, invocation);
    }
    let compiles = own
        .first()
        .and_then(Word::literal)
        .is_some_and(|name| matches!(name, "rustc" | "rustdoc" | "clippy" | "clippy-driver"));
    let chooses = |word: &&Word| {
        let text = word.prefix();
        ["linker", "codegen-backend", "link-arg", "link-self"]
            .iter()
            .any(|option| text.contains(option))
            || text.starts_with('@')
    };
    passed
        .iter()
        .find(chooses)
        .filter(|_| compiles)
        .map(|word| word.span)
}

/// `cargo watch` gives a text to a shell, runs the command behind `--`, and subcommands of cargo by `-x`, which rules on cargo are
/// about.
fn cargo_watch(own: &[Word], passed: &[Word], invocation: &mut Invocation) -> Option<Span> {
    if let Some(word) = passed.first() {
        return Some(word.span);
    }
    let (watch, _) = invocation.program?.command_of(own)?;
    let given = parse(watch.options, own).options.into_iter();
    for value in { given.filter(|given| matches!(given.name, "x" | "exec")) }
        .filter_map(|given| value_of(&given))
    {
        let Some(command) = value.literal() else {
            return Some(value.span);
        };
        let command = Word::synthetic(&format!("cargo {command}"), value.span);
        embed(invocation, &command);
        invocation.forwards = true;
    }
    None
}

/// Whether `--config key=value` runs nothing: how to optimize, how to show, how to download. Of a profile only these keys, as
/// `profile.dev.rustflags` and `codegen-backend` choose code.
fn is_harmless_setting(setting: &str) -> bool {
    let Some((key, value)) = setting.split_once('=') else {
        return false;
    };
    let key = key.trim();
    let last = key.rsplit('.').next().unwrap_or_default();
    let plain = |letter: char| letter.is_alphanumeric() || "-_\"' ".contains(letter);
    let known = (key.starts_with("profile.") && OF_PROFILE.contains(&last))
        || ["term.", "net.retry", "net.offline", "http.timeout"]
            .iter()
            .any(|start| key.starts_with(start));
    known && value.chars().all(plain)
}

/// A channel or a version, with a date and a target perhaps; other names can be linked to any directory.
fn is_toolchain(name: &str) -> bool {
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    let channel = ["stable", "beta", "nightly"].iter().any(|channel| {
        name.strip_prefix(channel)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    });
    plain && (channel || name.starts_with(|first: char| first.is_ascii_digit()))
}

/// What runs a program in the arguments of go: flags, with one dash or two, and settings that stay. The directory of `-C`
/// goes into `invocation.directories`.
pub(super) fn go(words: &[Word], invocation: &mut Invocation) -> Option<Span> {
    let settles = words.first().and_then(Word::literal) == Some("env")
        && words
            .iter()
            .any(|word| matches!(word.literal(), Some("-w" | "--w" | "-u" | "--u")));
    if settles {
        return words.first().map(|word| word.span);
    }
    for given in parse(invocation.program?.options, words).options {
        let links = |flags: Word| flags.prefix().contains("-extld");
        if given.does(Effects::EXEC)
            || given.name == "ldflags" && value_of(&given).is_some_and(links)
        {
            return Some(given.word.span);
        }
        if given.name == "C" {
            invocation.directories.extend(value_of(&given));
        }
    }
    None
}

/// The plain name of a compiler: `gcc` of `gcc-12`, `x86_64-linux-gnu-gcc-12`.
pub(crate) fn plain_compiler(name: &str) -> Option<&'static str> {
    if !name.as_bytes().contains(&b'-') {
        return None;
    }
    let is_version = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let name = match name.rsplit_once('-') {
        Some((name, version)) if is_version(version) => name,
        _ => name,
    };
    let last = name.rsplit('-').next().unwrap_or(name);
    ["gcc", "g++", "clang", "clang++", "cpp", "gfortran"]
        .into_iter()
        .find(|plain| *plain == last)
}

/// Settings of cmake that choose a program or code by its path, and what is passed on to make.
pub(super) fn cmake(program: &Program, words: &[Word]) -> Option<Span> {
    let (own, passed) = at_dashes(words);
    let passed = passed.unwrap_or_default();
    let chooses = |given: &Given<'_, Word>| {
        let setting = value_start(given).filter(|_| given.name == "D");
        let setting = setting
            .as_deref()
            .and_then(|setting| setting.split_once('='));
        setting.is_some_and(|(name, value)| chooses_program(name, value))
    };
    if let Some(given) = each_as_option(program.options, own).find(chooses) {
        return Some(given.word.span);
    }
    let names_makefile = |word: &&Word| {
        let text = word.prefix();
        text.starts_with("-f") || text.starts_with("--eval") || sets_program(word)
    };
    let mut passed = passed.iter();
    passed.find(names_makefile).map(|word| word.span)
}

/// Whether a setting of cmake names a program by another path than that of the system.
fn chooses_program(name: &str, value: &str) -> bool {
    let name = name.split(':').next().unwrap_or_default();
    let is_program = CMAKE_PROGRAMS.iter().any(|end| name.ends_with(end));
    let includes = name.starts_with("CMAKE_PROJECT_") && name.ends_with("INCLUDE")
        || name.ends_with("TOP_LEVEL_INCLUDES");
    includes
        || is_program
            && value.contains('/')
            && !["/usr/", "/bin/", "/opt/"]
                .iter()
                .any(|directory| value.starts_with(directory))
}

/// The java options that run something, and files of further ones; what stands behind the class is for its code.
pub(super) fn java(words: &[Word]) -> Option<Span> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.prefix();
        if java::RUNNING.iter().any(|option| text.starts_with(option)) {
            return Some(word.span);
        }
        match &*text {
            option if java::WITH_VALUE.contains(&option) => drop(rest.next()),
            text if text.starts_with('-') && !matches!(text, "-jar" | "-m" | "--module") => {}
            _ => return None,
        }
    }
    None
}
