//! Arguments that make a program run another one. They are not followed, only noticed.

use tenon_programs::words::loading::INFORMATIONAL;
use tenon_programs::{CommandTraits, Effects, Opt, Program, Traits};

use super::invocation::{Context, Invocation};
use super::options::{at_dashes, options_that};
use super::{
    awk, build_tools, clients, git, loading_options, packages, project_code, remote, runners, sed,
    services, tar,
};
use crate::span::Span;
use crate::word::Word;

/// Notices what runs a program.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) {
    let arguments = invocation.words.get(1..).unwrap_or_default();
    let is_informational = |word: &Word| matches!(word.literal(), Some("--version" | "--help"));
    if matches!(arguments, [only] if is_informational(only)) {
        return;
    }
    if runners::runs_arguments(base, invocation.program, arguments) {
        let span = invocation.span();
        invocation.not_understood("a program that runs what its arguments say", span);
        return;
    }
    let found = match base {
        "go" | "make" | "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "cargo" => {
            of_build_tool(base, invocation)
        }
        _ => of_program(base, invocation, context),
    };
    if let Some(span) = found {
        invocation.not_understood("an argument that makes the program run another one", span);
    }
}

/// The same for tools of which more is noted.
fn of_build_tool(base: &str, invocation: &mut Invocation) -> Option<Span> {
    let words = &invocation.plain().behind(1);
    let found = match base {
        "go" => build_tools::go(words, invocation),
        "make" => build_tools::make(words, invocation),
        "cargo" => {
            build_tools::cargo(words, invocation).or_else(|| by_table(invocation.program, words))
        }
        _ => packages::find(base, words, invocation),
    };
    found.or_else(|| project_code::find(invocation.program, words))
}

/// What makes another program run a program.
fn of_program(base: &str, invocation: &Invocation, context: Context<'_>) -> Option<Span> {
    let compiler = build_tools::plain_compiler(base);
    let program = match compiler {
        Some(plain) => tenon_programs::find(plain),
        None => invocation.program,
    };
    let base = compiler.unwrap_or(base);
    let words = invocation.plain().get(1..).unwrap_or_default();
    let found = match base {
        "git" => git::find(words).or_else(|| git::other_repository(&invocation.words)),
        "cmake" => build_tools::cmake(program?, words),
        "java" => build_tools::java(words),
        "ssh" | "scp" | "sftp" | "ssh-copy-id" | "rsync" => {
            program.and_then(|program| remote::find(program, words))
        }
        "gh" | "glab" => gh(program?, words),
        "sed" => sed::find(words),
        "awk" => awk::find(&invocation.plain().behind(1)),
        "gcloud" => by_table(program, words).or_else(|| handed_to_ssh(words)),
        "kubectl" | "oc" => by_table(program, &invocation.words.behind(1)),
        "tar" | "bsdtar" => by_table(program, words).or_else(|| tar::find(words)),
        _ => by_table(program, words).or_else(|| services::find(base, words)),
    };
    found
        .or_else(|| {
            let program = program.filter(|program| program.is(Traits::PLUGINS))?;
            plugin(program, words)
        })
        .or_else(|| remote::find(program?, words))
        .or_else(|| project_code::find(program, words))
        .or_else(|| clients::find(base, words, context))
        .or_else(|| loading_options::response(program, words))
        .or_else(|| loading_options::extended(words))
        .or_else(|| {
            let runs_nothing = invocation.inner.is_empty();
            runs_nothing
                .then(|| informational_option(program, words))
                .flatten()
        })
}

/// What the row says that runs something: an option, a word, a subcommand.
fn by_table(program: Option<&Program>, words: &[Word]) -> Option<Span> {
    let program = program?;
    let options = options_that(program, words, Effects::EXEC);
    let own: &[Word] = match options.is_empty() && program.exec_words.is_empty() {
        true => &[],
        false => words,
    };
    let mut own = own.iter().take_while(|word| word.literal() != Some("--"));
    let found = own.find(|word| runs(&word.prefix(), &options, program.exec_words));
    let by_pattern = || {
        let patterns = program.exec_patterns;
        let is_one = |word: &&Word| {
            let text = word.prefix();
            let is_excepted = |pattern: &&str| {
                pattern
                    .strip_prefix("not:")
                    .is_some_and(|pattern| is_like(&text, pattern))
            };
            patterns.iter().any(|pattern| is_like(&text, pattern))
                && !patterns.iter().any(is_excepted)
        };
        let mut words = words.iter().filter(|_| !patterns.is_empty());
        words.find(is_one)
    };
    let by_command = || {
        let running = program.commands_are.has(CommandTraits::RUNS);
        let (command, _) = running.then(|| program.command_of(words)).flatten()?;
        words.first().filter(|_| command.is(CommandTraits::RUNS))
    };
    let found = plus_command(program, words).or(found);
    let found = found.or_else(by_pattern).or_else(by_command);
    found.map(|word| word.span)
}

/// Whether a word is one of these options that run something: a letter in any cluster, a name that may be abbreviated.
fn runs(text: &str, options: &[&Opt], words: &[&str]) -> bool {
    if words.iter().any(|word| is_like(text, word)) {
        return true;
    }
    if let Some(long) = text.strip_prefix("--") {
        let name = long.split('=').next().unwrap_or_default();
        let long = options.iter().filter(|option| option.name.len() > 1);
        return !name.is_empty() && { long }.any(|option| option.name.starts_with(name));
    }
    let Some(letters) = text.strip_prefix(['-', '+']) else {
        return false;
    };
    let name = letters.split('=').next().unwrap_or_default();
    options.iter().any(|option| match option.name.len() {
        1 => letters.contains(option.name),
        _ => option.any_dashes && option.name == name,
    })
}

/// Whether a text is like a word of the catalogue: in `-K*` a star is any text, `-latex=` counts with a value only.
fn is_like(text: &str, word: &str) -> bool {
    if let Some((start, rest)) = word.split_once('*') {
        let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
        let behind = text.strip_prefix(start).and_then(|behind| {
            let mut pieces = middle.split('*');
            pieces.try_fold(behind, |behind, piece| Some(behind.split_once(piece)?.1))
        });
        return behind.is_some_and(|behind| behind.ends_with(end));
    }
    match text.split_once('=') {
        Some((name, _)) => name == word.trim_end_matches('='),
        None => text == word,
    }
}

/// `+command` of editors and pagers; a line number, a search, the ends of the file are none.
fn plus_command<'w>(program: &Program, words: &'w [Word]) -> Option<&'w Word> {
    let mut words = words.iter().filter(|_| program.is(Traits::PLUS_COMMANDS));
    let runs = |word: &&Word| {
        word.prefix().strip_prefix('+').is_some_and(|command| {
            !command.starts_with('/')
                && !command
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'g' | b'G' | b'F'))
        })
    };
    words.find(runs)
}

/// A subcommand that is in no row, of a program for which that is a program of another name: `kubectl-…`.
fn plugin(program: &Program, words: &[Word]) -> Option<Span> {
    let command = words.first()?;
    let name = command.literal()?;
    let is_known = name.starts_with('-') || program.has_commands(name);
    (!is_known).then_some(command.span)
}

/// Options that `gh codespace ssh` hands to ssh.
fn of_codespace(command: &str, words: &[Word]) -> Option<Span> {
    let is_option = |word: &&Word| word.prefix().starts_with('-') || word.is_opaque();
    let hands_on = matches!(command, "codespace" | "cs");
    let behind = at_dashes(words).1.filter(|_| hands_on)?;
    behind.iter().find(is_option).map(|word| word.span)
}

/// What `gcloud compute ssh x -- …` hands to ssh behind the host, where that runs something on this machine.
fn handed_to_ssh(words: &[Word]) -> Option<Span> {
    let (own, behind) = at_dashes(words);
    let connects = own.iter().any(|word| word.literal() == Some("ssh"));
    let behind = behind.filter(|_| connects)?;
    let first = behind.first()?;
    let may_be_option = first.is_opaque() && first.prefix().is_empty();
    let host = Word::synthetic("host", first.span);
    let given: Vec<Word> = std::iter::once(host)
        .chain(behind.iter().cloned())
        .collect();
    let found = remote::find(tenon_programs::find("ssh")?, &given);
    found.or_else(|| may_be_option.then_some(first.span))
}

/// Subcommands that are not those of gh are aliases, which may be shell texts, and extensions. Of glab not all are known.
fn gh(program: &Program, words: &[Word]) -> Option<Span> {
    let command = words.first()?;
    if let Some(span) = of_codespace(command.literal().unwrap_or_default(), words) {
        return Some(span);
    }
    let verb = words.get(1).and_then(Word::literal);
    let known = match command.literal() {
        Some("-R" | "--repo") => return gh(program, words.get(2..)?),
        Some(name) if name.starts_with("--repo=") => return gh(program, words.get(1..)?),
        Some("alias" | "config" | "extension" | "ext" | "extensions") => {
            matches!(verb, Some("list" | "ls" | "get"))
        }
        Some(name) => {
            matches!(name, "-h" | "--help" | "--version")
                || !program.is(Traits::PLUGINS)
                || program.has_commands(name)
        }
        None => false,
    };
    if !known {
        return Some(command.span);
    }
    // `gh repo clone x -- …` gives git what stands behind.
    let clones = matches!(verb, Some("clone" | "fork"));
    let given = at_dashes(words).1.filter(|_| clones)?;
    let clone = Word::synthetic("clone", command.span);
    let of_git: Vec<Word> = std::iter::once(clone)
        .chain(given.iter().cloned())
        .collect();
    git::find(&of_git)
}

/// Whether the name of an option says that its value is a file of commands or settings: `--rcfile`, `--cqlshrc`.
fn is_run_control(name: &str) -> bool {
    let other = ["src", "crc", "arc"].iter().any(|end| name.ends_with(end));
    matches!(name, "rcfile" | "rc-file") || (name.len() > 4 && name.ends_with("rc") && !other)
}

/// An option of a program of which nothing else is known that says by its name that it runs something.
fn informational_option(program: Option<&Program>, words: &[Word]) -> Option<Span> {
    if program.is_some_and(|program| program.is(Traits::PASSES_ON)) {
        return None;
    }
    let mut own = words.iter().take_while(|word| word.literal() != Some("--"));
    let is_informational = |word: &&Word| {
        let text = word.prefix();
        let name = text
            .strip_prefix("--")
            .map(|long| match long.split_once('=') {
                Some((name, _)) => name,
                None => long,
            });
        name.is_some_and(|name| {
            INFORMATIONAL.contains(&name)
                || (is_run_control(name) && !program.is_some_and(project_code::has_options))
                || ["-command", "_command", "-program"]
                    .iter()
                    .any(|end| name.ends_with(end))
        })
    };
    own.find(is_informational)
        .map(|word| word.span)
        .or_else(|| loading_options::find(program, words))
}
