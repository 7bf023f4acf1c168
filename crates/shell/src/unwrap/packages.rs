//! Programs that run what packages bring: `npm exec`, `npx`, `pnpm dlx`, `yarn exec`, `bunx`, `corepack`, and others
//! that run the command in their arguments (`cmake -E`, `rustup run`).
//!
//! A rule that allows such a program covers what it runs; a rule that denies something binds there too.

mod cmake;
mod each;
mod names;
mod python_modules;

use tenon_programs::words::packages::{FLAGS, OPENED, RUNNING, WITH_VALUE};
use tenon_programs::{Effects, parse};

use self::cmake::cmake;
use self::each::{as_yarn, behind_options, runs_in_each};

pub(super) use self::names::{manual_name, npm_names};
pub(crate) use self::python_modules::{module_of_arguments, module_of_catalogue};
use super::dashes::written_out;
use super::invocation::{Context, Invocation};
use super::options::{at_dashes, is_long, value_of};
use super::shells::{embed, joined};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// What runs a program in the arguments of a package manager. The directory of `--prefix` goes into
/// `invocation.directories`.
pub(super) fn find(base: &str, words: &[Word], invocation: &mut Invocation) -> Option<Span> {
    let command = words.first().and_then(Word::literal).unwrap_or_default();
    let second = words.get(1..).unwrap_or_default();
    let action = second.iter().find(|word| !word.prefix().starts_with('-'));
    let action = action.and_then(Word::literal).unwrap_or_default();
    let settles = match command {
        "config" | "c" => !matches!(action, "" | "get" | "list" | "ls"),
        "set" => base == "npm" || action == "version",
        "pkg" => !matches!(action, "" | "get"),
        "plugin" | "policies" => base == "yarn",
        _ => false,
    };
    if settles {
        let span = words.first().map_or(invocation.span(), |word| word.span);
        invocation.not_understood(
            "a subcommand that changes settings, which can name what is run",
            span,
        );
        return None;
    }
    let (own, _) = at_dashes(&invocation.words);
    let runs = |word: &&Word| {
        let text = written_out(invocation.program, word.prefix());
        text.strip_prefix("--").is_some_and(|long| {
            let name = without_no(long.split('=').next().unwrap_or_default());
            name.len() >= 2 && !matches!(name, "global" | "init" | "no") && is_long(name, RUNNING)
                || long.starts_with("config.")
        })
    };
    let found = own.iter().skip(1).find(runs).map(|word| word.span);
    if base == "npm" {
        enter_prefix(at_dashes(words).0, invocation);
    }
    found
}

/// The name of an option that is switched off: npm takes a value for it all the same.
fn without_no(mut name: &str) -> &str {
    while let Some((start, rest)) = name.split_at_checked(3) {
        if !start.eq_ignore_ascii_case("no-") || name == "no-" {
            break;
        }
        // The name of an option that begins so.
        if name == "node-gyp" || name == "node-options" {
            break;
        }
        name = rest;
    }
    name
}

/// The directory in which npm works by an option behind the command.
fn enter_prefix(words: &[Word], invocation: &mut Invocation) {
    let npm = invocation.program;
    let Some(options) = npm.and_then(|npm| npm.options_before("npm")) else {
        return;
    };
    let parsed = parse(options, words);
    let given = parsed
        .options
        .iter()
        .filter(|given| given.does(Effects::CWD));
    for directory in given.filter_map(value_of) {
        // `-C=directory`
        let behind = directory.literal().and_then(|text| text.strip_prefix('='));
        let behind = behind.map(|text| Word::synthetic(text, directory.span));
        invocation.directories.push(behind.unwrap_or(directory));
    }
}

/// Finds the command that a package runner was given. Returns whether `base` is one.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    if let Some(command) = base.strip_prefix("git-")
        && tenon_programs::is_command("git", command)
    {
        return as_git(command, invocation, context);
    }
    if !(OPENED.contains(&base) || is_python(base)) {
        return false;
    }
    let mut plain = invocation.plain().clone();
    let mut command = plain
        .get(1)
        .and_then(Word::literal)
        .unwrap_or_default()
        .to_owned();
    // `pnpm recursive exec x` is `pnpm -r exec x`.
    if base == "pnpm" && matches!(command.as_str(), "recursive" | "multi" | "m") {
        plain = plain.behind(1);
        command = plain
            .get(1)
            .and_then(Word::literal)
            .unwrap_or_default()
            .to_owned();
    }
    invocation.in_each = runs_in_each(base, &invocation.words);
    let name = (base, command.as_str());
    let found = of_workspaces(name, &plain, invocation, context)
        .unwrap_or_else(|| of_packages(name, &plain, invocation, context));
    invocation.forwards |= found;
    found
}

/// `git-push` is `git push`, as it lies beside the programs of git.
fn as_git(command: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    let span = invocation.span();
    let mut words: Vec<Word> = ["git", command]
        .map(|word| Word::synthetic(word, span))
        .into();
    words.extend(invocation.plain().behind(1).iter().cloned());
    context.run(words, invocation);
    invocation.forwards = true;
    true
}

/// The command that a tool runs in the packages of a workspace, where it is such a tool; whether there is one.
fn of_workspaces(
    name: (&str, &str),
    plain: &Words,
    invocation: &mut Invocation,
    context: Context<'_>,
) -> Option<bool> {
    match name {
        ("lerna" | "nx", "exec") => {
            run(&plain.behind(2), true, invocation, context);
            one_word_as_text(name, plain, invocation);
        }
        ("lerna" | "nx" | "wsrun", _) => return Some(false),
        ("ultra", _) => run(&plain.behind(1), false, invocation, context),
        ("yarn", "workspace") => run(
            &as_yarn(&plain.behind(3), invocation),
            false,
            invocation,
            context,
        ),
        ("yarn", "workspaces") | ("bolt", "workspaces" | "ws") => {
            let words = behind_options(&plain.behind(2));
            run(&as_yarn(&words, invocation), false, invocation, context);
        }
        ("bolt", _) => return Some(false),
        _ => return None,
    }
    Some(true)
}

/// `lerna exec 'rm x'`: one word is a text for a shell.
fn one_word_as_text(name: (&str, &str), words: &Words, invocation: &mut Invocation) {
    let last = words
        .last()
        .filter(|_| matches!(name, ("lerna" | "nx" | "yarn", "exec")))
        .filter(|word| word.literal().is_some_and(|text| text.contains(' ')));
    if let Some(text) = last.cloned() {
        embed(invocation, &text);
    }
}

/// The command that a package runner or another forwarding tool runs; whether there is one.
fn of_packages(
    (base, command): (&str, &str),
    plain: &Words,
    invocation: &mut Invocation,
    context: Context<'_>,
) -> bool {
    match (base, command) {
        ("uvx", _) => run(&plain.behind(1), false, invocation, context),
        ("npx" | "pnpx" | "pnx" | "bunx", _) => {
            run(&invocation.arguments(), base == "npx", invocation, context);
        }
        ("npm", "exec" | "x") => {
            let words = plain.behind(2);
            call_texts(&words, invocation);
            run(&words, true, invocation, context);
        }
        ("npm", "explore") => run(&plain.behind(3), false, invocation, context),
        ("pnpm" | "yarn", "exec" | "dlx") | ("yarn", "run") | ("bun", "x" | "run") => {
            run(&plain.behind(2), base == "pnpm", invocation, context);
            one_word_as_text((base, command), plain, invocation);
        }
        ("bun", "exec") => {
            if let Some(text) = plain.get(2).cloned() {
                embed(invocation, &text);
            }
        }
        ("pnpm" | "yarn" | "bun", name) if is_of_package(base, name) => {
            run(&plain.behind(1), false, invocation, context);
        }
        ("corepack", "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "yarnpkg") => {
            run(&plain.behind(1), false, invocation, context);
        }
        ("docker-compose" | "podman-compose", _) => {
            let name = base.strip_suffix("-compose").unwrap_or("docker");
            let span = invocation.span();
            let mut words: Vec<Word> = ["compose"].map(|word| Word::synthetic(word, span)).into();
            words.insert(0, Word::synthetic(name, span));
            words.extend(plain.behind(1).iter().cloned());
            context.run(words, invocation);
        }
        _ if is_python(base) => {
            let Some(words) = python_modules::command(context.catalogue, plain) else {
                return false;
            };
            context.run(words, invocation);
        }
        ("cmake", "-E") => cmake(&plain.behind(2), invocation, context),
        _ => return false,
    }
    true
}

/// Whether this is the name of a script or of a program of a package, and none of the commands of the package manager.
fn is_of_package(manager: &str, name: &str) -> bool {
    !name.is_empty() && !name.starts_with('-') && !tenon_programs::is_command(manager, name)
}

/// Whether this is some Python: `python3.12`.
fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| {
        version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    })
}

/// Takes the options of a runner from the front, and runs what is behind them. `with_text` says whether `-c` gives a
/// text for a shell.
pub(super) fn run(
    words: &Words,
    with_text: bool,
    invocation: &mut Invocation,
    context: Context<'_>,
) {
    let mut place = 0;
    let mut unsure = false;
    while let Some(word) = words.get(place) {
        let text = written_out(
            invocation.program,
            word.literal().unwrap_or_default().into(),
        );
        let text = text.as_ref();
        if text == "--" {
            place += 1;
            break;
        }
        if !text.starts_with('-') {
            break;
        }
        if with_text && (text == "--shell-mode" || calls(text)) {
            return shell_text(&words.behind(place + 1), text == "--shell-mode", invocation);
        }
        if let Some((name, call)) = text.split_once('=').filter(|_| with_text)
            && calls(name)
        {
            return embed(invocation, &Word::synthetic(call, word.span));
        }
        if WITH_VALUE.contains(&text) {
            place += 1;
        }
        unsure = !WITH_VALUE.contains(&text) && !FLAGS.contains(&text) && !text.contains('=');
        place += 1;
    }
    context.run(words.behind(place), invocation);
    // `npx rimraf@5` runs `rimraf`, of that version.
    let hatch = invocation.base_name() == Some("hatch");
    if let Some(word) = words.get(place)
        && let Some(name) = word.literal().and_then(|text| match hatch {
            // `hatch run test:rm x` runs `rm` in the environment `test`.
            true => text.split_once(':').map(|(_, name)| name),
            false => package_name(text),
        })
    {
        let mut plain = vec![Word::synthetic(name, word.span)];
        plain.extend(words.behind(place + 1).iter().cloned());
        context.run(plain, invocation);
    }
    // The word behind an option that is not known may be its value.
    if unsure {
        context.run(words.behind(place + 1), invocation);
    }
}

/// The name of a package without its version and its scope, where it has one of them: what it runs has this name most
/// often.
fn package_name(text: &str) -> Option<&str> {
    let start = usize::from(text.starts_with('@'));
    let place = text
        .get(start..)?
        .find('@')
        .map_or(text.len(), |at| at + start);
    let plain = text.get(..place)?;
    let name = plain.rsplit('/').next().filter(|name| !name.is_empty())?;
    let is_path = plain.starts_with(['.', '/', '~']) || plain.contains(':');
    (name != text && !is_path).then_some(name)
}

/// The text behind `-c`: one word for npm, all words for pnpm.
fn shell_text(words: &Words, all: bool, invocation: &mut Invocation) {
    let Some(first) = words.first() else {
        return;
    };
    let is_text = |text: &str| text.contains([' ', ';', '&', '|', '\n']);
    let is_one = words.len() == 1 || !all && first.literal().is_some_and(is_text);
    match joined(words) {
        Some(text) if !is_one => embed(invocation, &text),
        _ => embed(invocation, first),
    }
}

/// Whether this option gives a text for a shell: `-c`, also behind other letters, and `--call`.
fn calls(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(name) => name.len() > 2 && "call".starts_with(name),
        None => option.starts_with('-') && option.ends_with('c'),
    }
}

/// npm takes `-c` for itself wherever it stands before `--`.
fn call_texts(words: &Words, invocation: &mut Invocation) {
    let mut rest = words
        .iter()
        .skip(1)
        .take_while(|word| word.literal() != Some("--"));
    while let Some(word) = rest.next() {
        let text = written_out(invocation.program, word.prefix());
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(Word::synthetic(value, word.span))),
            None => (&*text, None),
        };
        if calls(name)
            && let Some(value) = value.or_else(|| rest.next().cloned())
        {
            embed(invocation, &value);
        }
    }
}
