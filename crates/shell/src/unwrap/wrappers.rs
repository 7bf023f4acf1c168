//! Programs that run the command or the text behind their own arguments, as their rows say.

use tenon_programs::{
    Behind, Catalogue, CommandTraits, Effects, Opt, Program, Runs, Wrapper, parse,
};

use super::grammar::{Split, Unclear, split, split_before};
use super::invocation::{Context, Inner, Invocation, ShellKind};
use super::options::value_of;
use super::shells::{embed, joined, read_from_input};
use super::{debugger, finders, packages, shells, split_string, supposed_script};
use crate::command::{Assignment, AssignmentKind};
use crate::word::Word;
use crate::words::Words;

/// Whether a program is there to run the command behind its own arguments, given its name without a directory.
#[must_use]
pub fn is_wrapper(catalogue: &Catalogue, name: &str) -> bool {
    let program = catalogue.find(catalogue.facts_name(name));
    program.is_some_and(|program| program.wrapper.is_some() || has_wrapper(program))
}

/// Whether one of its subcommands runs the command behind its options.
const fn has_wrapper(program: &Program) -> bool {
    program.commands_are.has(CommandTraits::WRAPPER)
}

/// Finds what the command named `base` runs.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) {
    if shells::look_inside(base, invocation, context)
        || finders::look_inside(base, invocation, context)
        || packages::look_inside(base, invocation, context)
    {
        return;
    }
    let Some(program) = invocation.program else {
        return supposed_script::look_inside(invocation, context);
    };
    if base == "gdb" {
        let arguments = invocation.arguments();
        let command = debugger::command(program, &arguments).unwrap_or_default();
        let command: Vec<Word> = command.into_iter().cloned().collect();
        context.run(command, invocation);
        return;
    }
    let own = invocation.plain().behind(1);
    if has_wrapper(program)
        && let Some((command, words)) = program.command_of(&own)
        && let Some(wrapper) = command.wrapper
    {
        let options = command.options;
        let call = Call { wrapper, options };
        match place_behind(program, words, &own) {
            Some(place) => call.run(invocation, own.behind(place), context),
            None => {
                let span = invocation.span();
                invocation.not_understood("an option before a subcommand that is not known", span);
            }
        }
    } else if let Some(wrapper) = program.wrapper {
        let options = program.options_before(base).unwrap_or_default();
        let words = invocation.arguments();
        Call { wrapper, options }.run(invocation, words, context);
    }
}

/// How many words the name of a subcommand ends behind, with the options before it; nothing where it is not known whether those
/// have values.
fn place_behind(program: &Program, words: usize, arguments: &Words) -> Option<usize> {
    let parsed = parse(program.options, arguments);
    let last = parsed.operands.get(words.checked_sub(1)?)?;
    let place = arguments
        .iter()
        .position(|word| std::ptr::eq(word, *last))?;
    let before = parse(program.options, arguments.get(..place)?);
    let is_known = before.unknown().next().is_none();
    is_known.then_some(place + 1)
}

/// The command that stands for a script of the project: `npm:lint --fix`.
fn as_script(text: &str) -> Option<String> {
    let (manager, script) = text.split_once(':')?;
    let runs = matches!(manager, "npm" | "pnpm" | "yarn" | "bun" | "node");
    runs.then(|| format!("{manager} run {script}"))
}

/// How often words may come in the place of an option: `env -S '-S …'`.
const MOST_SPLITS: usize = 8;

/// A wrapper with its options.
struct Call {
    wrapper: Wrapper,
    options: &'static [Opt],
}

impl Call {
    fn split<'w>(&self, words: &'w Words) -> Result<Split<'w>, Unclear> {
        let before = split_before(self.options, words);
        match before {
            Ok(before) if self.wrapper.runs != Runs::Shell || before.gives(Effects::AS_COMMAND) => {
                Ok(before)
            }
            before if self.wrapper.runs != Runs::Shell => before,
            // What starts a shell takes options behind the name of the user, too.
            _ => split(self.options, words),
        }
    }

    fn run(&self, invocation: &mut Invocation, words: Words, context: Context<'_>) {
        let marks = self.wrapper.behind.marks();
        let is_mark = |word: &Word| word.literal().is_some_and(|text| marks.contains(&text));
        match words.iter().position(is_mark) {
            _ if self.wrapper.runs == Runs::Package => {
                packages::run(&words, false, invocation, context);
            }
            Some(place) => self.run_behind(place, invocation, &words, context),
            None => self.run_behind_options(invocation, words, context),
        }
        invocation.forwards |= self.wrapper.forwards;
    }

    /// The command behind the mark at this place, whatever operands stand before it.
    fn run_behind(
        &self,
        place: usize,
        invocation: &mut Invocation,
        words: &Words,
        context: Context<'_>,
    ) {
        match split(self.options, words.get(..place).unwrap_or_default()) {
            Ok(own) => {
                self.note(invocation, &own);
                for option in own.those(Effects::SHELL_TEXT) {
                    invocation
                        .not_understood("a text beside the command of a wrapper", option.word.span);
                }
                context.run(words.behind(place + 1), invocation);
            }
            Err(Unclear(span)) => {
                invocation.not_understood("an option of a wrapper that is not known", span);
            }
        }
    }

    /// What its options say, whatever it runs.
    fn note(&self, invocation: &mut Invocation, split: &Split<'_>) {
        invocation.transparent =
            self.wrapper.transparent && !split.gives(Effects::OWN_RULE) && is_of_system(invocation);
        let directory = split.those(Effects::CWD).next_back();
        let directory = directory.and_then(value_of);
        invocation.directories.extend(directory);
        for option in split.those(Effects::EXEC) {
            invocation.not_understood(
                "an option of a wrapper that is not followed",
                option.word.span,
            );
        }
    }

    fn run_behind_options(&self, invocation: &mut Invocation, words: Words, context: Context<'_>) {
        let mut words = words;
        for _ in 0..MOST_SPLITS {
            let split = match self.split(&words) {
                Ok(split) => split,
                Err(Unclear(span)) => {
                    return invocation
                        .not_understood("an option of a wrapper that is not known", span);
                }
            };
            if split.gives(Effects::NO_COMMAND) {
                return;
            }
            self.note(invocation, &split);
            let mut strings = split.those(Effects::SPLITS);
            let Some(string) = strings.next() else {
                return self.opened(invocation, &split, context);
            };
            if strings.next().is_some() {
                return invocation.not_understood("several `env -S`", string.word.span);
            }
            let text = string.value_literal();
            let Some(mut pieces) =
                text.and_then(|text| split_string::split(text, string.word.span))
            else {
                return invocation
                    .not_understood("a string of `env -S` that is not literal", string.word.span);
            };
            pieces.extend(split.operands.iter().cloned());
            drop(strings);
            words = pieces.into();
        }
        let span = invocation.span();
        invocation.not_understood("`env -S` inside of `env -S`", span);
    }

    /// What stands behind the options.
    fn opened(&self, invocation: &mut Invocation, split: &Split<'_>, context: Context<'_>) {
        let texts = split.those(Effects::SHELL_TEXT);
        let texts: Vec<Word> = texts.filter_map(value_of).collect();
        for text in &texts {
            embed(invocation, text);
        }
        let as_command = split.gives(Effects::AS_COMMAND);
        match self.wrapper.runs {
            Runs::Shell if !as_command => self.shell(invocation, split, !texts.is_empty(), context),
            Runs::Text if !as_command => {
                let words = split.operands.behind(self.wrapper.operands);
                if let Some(text) = joined(&words) {
                    embed(invocation, &text);
                }
            }
            Runs::Texts => {
                for text in split.operands.iter() {
                    let script = text.literal().and_then(as_script);
                    let script = script.map(|script| Word::synthetic(&script, text.span));
                    embed(invocation, script.as_ref().unwrap_or(text));
                }
            }
            Runs::Names => {
                let mark = split.those(Effects::MARK).next_back();
                finders::names(invocation, &split.operands, mark, context);
            }
            Runs::Marked => finders::marked(invocation, &split.operands),
            Runs::Command | Runs::Package | Runs::Applet | Runs::Text | Runs::Shell => {
                self.command(invocation, split, as_command, context);
            }
        }
    }

    /// A shell for another user, or of which all is written down.
    fn shell(
        &self,
        invocation: &mut Invocation,
        split: &Split<'_>,
        has_text: bool,
        context: Context<'_>,
    ) {
        let is_dash = |word: &&Word| self.wrapper.lone_dash && word.literal() == Some("-");
        let mut operands = split.operands.iter().filter(|word| !is_dash(word));
        if let Some(extra) = operands.nth(self.wrapper.operands) {
            invocation.not_understood("arguments for the shell that a wrapper starts", extra.span);
        }
        if !has_text {
            read_from_input(invocation, None, context);
        }
    }

    fn command(
        &self,
        invocation: &mut Invocation,
        split: &Split<'_>,
        as_command: bool,
        context: Context<'_>,
    ) {
        let mut command = match self.wrapper.behind {
            // What stands there is what the wrapper itself needs.
            Behind::Option => Words::default(),
            Behind::Operands | Behind::Dashes => split.operands.clone(),
        };
        if self.wrapper.lone_dash && command.first().and_then(Word::literal) == Some("-") {
            command = command.behind(1);
        }
        if self.wrapper.operands > 0 && !as_command {
            match self.behind_operands(invocation, command) {
                Some(behind) => command = behind,
                None => return,
            }
        }
        if self.wrapper.assignments {
            command = take_assignments(&command, invocation);
        }
        let starts = self.wrapper.starts_shell || split.gives(Effects::STARTS_SHELL);
        if command.is_empty() && starts && !split.gives(Effects::SHELL_TEXT) {
            read_from_input(invocation, None, context);
        }
        let mut inner = context.command(command);
        if self.wrapper.runs == Runs::Applet
            && let Some(Inner::Command(command)) = &mut inner
        {
            as_applet(command);
        }
        invocation.inner.extend(inner);
    }

    /// The command behind the operands of the wrapper; `None` where a text stands there.
    fn behind_operands(&self, invocation: &mut Invocation, words: Words) -> Option<Words> {
        let mut command = words;
        for _ in 0..self.wrapper.operands {
            let Some(operand) = command.first() else {
                break;
            };
            if operand.expansion.splits || operand.expansion.globs || operand.expansion.braces {
                let span = operand.span;
                invocation.not_understood("an expansion before the command of a wrapper", span);
            }
            command = command.behind(1);
        }
        let Some(first) = command.first() else {
            return Some(command);
        };
        if first.literal() == Some("--") {
            return Some(command.behind(1));
        }
        // `flock FILE -c TEXT`
        if first.prefix().starts_with('-')
            && let Ok(behind) = split_before(self.options, &command)
            && let Some(text) = behind.those(Effects::SHELL_TEXT).next()
        {
            match value_of(text) {
                Some(value) if behind.operands.is_empty() && behind.options.len() == 1 => {
                    embed(invocation, &value);
                }
                _ => invocation.not_understood(
                    "a command text of a wrapper in an unusual form",
                    text.word.span,
                ),
            }
            return None;
        }
        Some(command)
    }
}

/// Takes `NAME=value` words from the front.
fn take_assignments(words: &Words, invocation: &mut Invocation) -> Words {
    let mut taken = 0;
    for word in words {
        let prefix = word.prefix();
        let Some((name, _)) = prefix.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            break;
        };
        invocation.assignments.push(Assignment {
            span: word.span,
            kind: AssignmentKind::Prefix,
            name: name.to_owned(),
            subscript: None,
            append: false,
            values: word
                .literal()
                .and_then(|text| text.split_once('='))
                .map(|(_, value)| Word::synthetic(value, word.span))
                .into_iter()
                .collect(),
        });
        taken += 1;
    }
    words.behind(taken)
}

/// `busybox sh` is the shell of busybox, which reads as dash does.
fn as_applet(command: &mut Invocation) {
    for inner in &mut command.inner {
        if let Inner::Text(text) = inner
            && text.dialect == Some(ShellKind::Posix)
        {
            text.dialect = Some(ShellKind::Dash);
        }
    }
}

/// Whether it is the program of the system by its name: a file of the workspace can have the same (`./timeout`), and so can another program where case
/// and an ending count (`TIMEOUT`, `timeout.exe`).
fn is_of_system(invocation: &Invocation) -> bool {
    let name = invocation.words.first().and_then(Word::literal);
    let name = name.and_then(|name| match name.contains('/') {
        true => tenon_programs::system_name(name),
        false => Some(name),
    });
    name.is_some_and(|name| {
        !name
            .bytes()
            .any(|byte| byte == b'.' || byte.is_ascii_uppercase())
    })
}
