//! Programs whose arguments need more than a table: `env`, `su`, `xargs`, `find`, `parallel`, `flock`, `watch`,
//! `script`, `busybox`.

use super::grammar::{Given, Grammar, Split, Unclear, surely_operand};
use super::shells::{embed, join, read_from_input};
use super::wrappers::arguments;
use super::{Context, Inner, Invocation, ShellKind, split_string};
use crate::word::Value;
use crate::{Assignment, AssignmentKind, Expansion, Part, Span, Word};

/// Looks into these programs. Tells whether `base` is one.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    match base {
        "env" => env(invocation, context),
        "su" => su(invocation, context),
        "runuser" => runuser(invocation, context),
        "xargs" => xargs(invocation, context),
        "parallel" => parallel(invocation),
        "find" | "gfind" => find(invocation, context),
        "fd" | "fdfind" => fd(invocation, context),
        "flock" => flock(invocation, context),
        "watch" => watch(invocation, context),
        "script" => script(invocation, context),
        "busybox" | "toybox" => busybox(invocation, context),
        _ => return false,
    }
    true
}

/// A word that stands for arguments which are only known when the command runs.
fn unknown_arguments(span: Span) -> Word {
    Word {
        span,
        parts: vec![Part::Unknown],
        expansion: Expansion {
            splits: true,
            ..Expansion::default()
        },
        quoted: false,
        value: Value::Opaque,
    }
}

fn split(grammar: Grammar, invocation: &mut Invocation) -> Option<Split> {
    match grammar.split(&arguments(invocation)) {
        Ok(split) if split.has(&["help", "version"]) => None,
        Ok(split) => Some(split),
        Err(Unclear(span)) => {
            invocation.not_understood("an option of a wrapper that is not known", span);
            None
        }
    }
}

/// Takes `NAME=value` words from the front.
pub(super) fn take_assignments<'w>(words: &'w [Word], invocation: &mut Invocation) -> &'w [Word] {
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first() {
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
        rest = behind;
    }
    rest
}

const ENV: Grammar = Grammar {
    flags: "i0v",
    values: "uCS",
    optional: "",
    long_flags: &[
        "ignore-environment",
        "null",
        "debug",
        "list-signal-handling",
        "help",
        "version",
    ],
    long_values: &["unset", "chdir", "split-string"],
    long_optional: &["block-signal", "default-signal", "ignore-signal"],
    permutes: false,
};

fn env(invocation: &mut Invocation, context: Context<'_>) {
    let mut words = arguments(invocation);
    // Each round opens one `-S`; its words come in the place of the option.
    for _ in 0..8 {
        let split = match ENV.split(&words) {
            Ok(split) => split,
            Err(Unclear(span)) => {
                return invocation.not_understood("an option of `env` that is not known", span);
            }
        };
        if split.has(&["help", "version"]) {
            return;
        }
        invocation
            .folders
            .extend(split.value(&["C", "chdir"]).cloned());
        let strings: Vec<&Given> = split
            .options
            .iter()
            .filter(|option| matches!(option.name.as_str(), "S" | "split-string"))
            .collect();
        match strings.as_slice() {
            [] => {
                let operands = match split.operands.split_first() {
                    // A lone dash is `-i`.
                    Some((first, rest)) if first.literal() == Some("-") => rest,
                    _ => split.operands.as_slice(),
                };
                let command = take_assignments(operands, invocation);
                let inner = context.command(command);
                invocation.inner.extend(inner);
                return;
            }
            [string] => {
                let text = string.value.as_ref().and_then(Word::literal);
                let Some(pieces) = text.and_then(|text| split_string::split(text, string.span))
                else {
                    return invocation
                        .not_understood("a string of `env -S` that is not literal", string.span);
                };
                words = pieces;
                words.extend(split.operands);
            }
            [first, ..] => return invocation.not_understood("several `env -S`", first.span),
        }
    }
    let span = invocation.span();
    invocation.not_understood("`env -S` inside of `env -S`", span);
}

const SU: Grammar = Grammar {
    flags: "lmpPfhV",
    values: "cCgGsw",
    optional: "",
    long_flags: &[
        "login",
        "preserve-environment",
        "fast",
        "pty",
        "help",
        "version",
    ],
    long_values: &[
        "command",
        "session-command",
        "group",
        "supp-group",
        "shell",
        "whitelist-environment",
    ],
    long_optional: &[],
    permutes: true,
};

fn su(invocation: &mut Invocation, context: Context<'_>) {
    let Some(split) = split(SU, invocation) else {
        return;
    };
    as_user(invocation, &split, context);
}

fn as_user(invocation: &mut Invocation, split: &Split, context: Context<'_>) {
    if let Some(shell) = split.value(&["s", "shell"]) {
        let span = shell.span;
        invocation.not_understood("a shell chosen by an option", span);
    }
    // Behind the name of the user stand arguments for the shell.
    let extra = split
        .operands
        .iter()
        .filter(|word| word.literal() != Some("-"))
        .nth(1);
    if let Some(extra) = extra {
        let span = extra.span;
        invocation.not_understood("arguments for the shell that `su` starts", span);
    }
    match split
        .value(&["c", "command", "C", "session-command"])
        .cloned()
    {
        Some(text) => embed(invocation, &text, Some(ShellKind::Posix), false),
        None => read_from_input(invocation, None, context),
    }
}

const RUNUSER: Grammar = Grammar {
    flags: "lmpPfhV",
    values: "cCgGsuw",
    permutes: false,
    ..SU
};

fn runuser(invocation: &mut Invocation, context: Context<'_>) {
    let direct = RUNUSER
        .split(&arguments(invocation))
        .ok()
        .filter(|split| split.has(&["u"]));
    match direct {
        Some(split) => {
            let inner = context.command(&split.operands);
            invocation.inner.extend(inner);
        }
        None => su(invocation, context),
    }
}

const XARGS: Grammar = Grammar {
    flags: "0oprtx",
    values: "adEILnPs",
    optional: "eil",
    long_flags: &[
        "null",
        "open-tty",
        "interactive",
        "no-run-if-empty",
        "verbose",
        "exit",
        "show-limits",
        "help",
        "version",
    ],
    long_values: &[
        "arg-file",
        "delimiter",
        "max-args",
        "max-procs",
        "max-chars",
        "process-slot-var",
    ],
    long_optional: &["replace", "max-lines", "eof"],
    permutes: false,
};

fn xargs(invocation: &mut Invocation, context: Context<'_>) {
    let Some(split) = split(XARGS, invocation) else {
        return;
    };
    invocation.transparent = split.options.is_empty();
    let replaced = split
        .options
        .iter()
        .rev()
        .find_map(|option| match option.name.as_str() {
            "I" => Some(
                option
                    .value
                    .as_ref()
                    .and_then(Word::literal)
                    .map(str::to_owned),
            ),
            "i" | "replace" => Some(match &option.value {
                None => Some("{}".to_owned()),
                Some(value) => value.literal().map(str::to_owned),
            }),
            _ => None,
        });
    let span = invocation.span();
    let mut command = split.operands;
    match replaced {
        None => command.push(unknown_arguments(span)),
        Some(Some(mark)) if !mark.is_empty() => fill(&mut command, &[&mark]),
        Some(_) => {
            return invocation.not_understood("a replacement mark that is not literal", span);
        }
    }
    if command.len() > 1 || command.first().is_some_and(|word| word.literal().is_some()) {
        let inner = context.command(&command);
        invocation.inner.extend(inner);
    }
}

/// Makes every word opaque that holds one of these marks.
fn fill(words: &mut [Word], marks: &[&str]) {
    for word in words {
        let holds = word
            .pattern()
            .is_none_or(|text| marks.iter().any(|mark| text.contains(mark)));
        if holds {
            word.value = Value::Opaque;
            word.parts.push(Part::Unknown);
        }
    }
}

const PARALLEL: Grammar = Grammar {
    flags: "0kmqtuvX",
    values: "jnNPaSdCIL",
    optional: "",
    long_flags: &[
        "bar",
        "citation",
        "dry-run",
        "dryrun",
        "eta",
        "group",
        "halt-on-error",
        "keep-order",
        "line-buffer",
        "lb",
        "link",
        "no-notice",
        "no-run-if-empty",
        "null",
        "pipe",
        "progress",
        "tag",
        "ungroup",
        "verbose",
        "will-cite",
        "xargs",
    ],
    long_values: &[
        "arg-file",
        "colsep",
        "delay",
        "halt",
        "jobs",
        "joblog",
        "load",
        "max-args",
        "max-procs",
        "memfree",
        "nice",
        "retries",
        "results",
        "tagstring",
        "timeout",
    ],
    long_optional: &[],
    permutes: false,
};

/// GNU parallel gives the command, joined with blanks and with quoted values filled in, to a shell.
fn parallel(invocation: &mut Invocation) {
    let Some(split) = split(PARALLEL, invocation) else {
        return;
    };
    let elsewhere = ["S", "C", "colsep", "I", "pipe", "tagstring"];
    let span = invocation.span();
    if split.has(&elsewhere) {
        return invocation.not_understood("an option of `parallel` that is not followed", span);
    }
    let end = split
        .operands
        .iter()
        .position(|word| word.literal().is_some_and(|text| text.starts_with(":::")))
        .unwrap_or(split.operands.len());
    let command = split.operands.get(..end).unwrap_or_default();
    let literals: Option<Vec<&str>> = command.iter().map(Word::literal).collect();
    match literals {
        Some(words) if !words.is_empty() => {
            let text = words.join(" ");
            let text = if text.contains('{') {
                MARKS
                    .iter()
                    .fold(text, |text, mark| text.replace(mark, "\"$@\""))
            } else {
                format!("{text} \"$@\"")
            };
            embed(
                invocation,
                &Word::synthetic(&text, span),
                Some(ShellKind::Posix),
                false,
            );
        }
        _ => invocation.not_understood(
            "commands that `parallel` takes from its arguments or input",
            span,
        ),
    }
}

/// Replacement marks of GNU parallel.
const MARKS: &[&str] = &[
    "{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}", "{1}", "{2}", "{3}", "{4}", "{5}",
];

/// `find … -exec command … {} \;`
fn find(invocation: &mut Invocation, context: Context<'_>) {
    let words = arguments(invocation);
    let mut rest = words.as_slice();
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        match word.literal() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let Some(end) = end_of_exec(behind) else {
                    return invocation.not_understood("`-exec` without an end", word.span);
                };
                let mut command = behind.get(..end).unwrap_or_default().to_vec();
                fill(&mut command, &["{}"]);
                let inner = context.command(&command);
                invocation.inner.extend(inner);
                rest = behind.get(end + 1..).unwrap_or_default();
            }
            Some(_) => {}
            None if surely_operand(word) || word.prefix().starts_with(['*', '?', '[', '~']) => {}
            None => {
                invocation.not_understood("an argument of `find` that could be `-exec`", word.span)
            }
        }
    }
}

/// Where `;` or the `+` behind `{}` stands.
fn end_of_exec(words: &[Word]) -> Option<usize> {
    let mut before = None;
    for (index, word) in words.iter().enumerate() {
        let text = word.literal();
        if text == Some(";") || (text == Some("+") && before == Some("{}")) {
            return Some(index);
        }
        before = text;
    }
    None
}

/// `fd … -x command`, up to `;` or the end.
fn fd(invocation: &mut Invocation, context: Context<'_>) {
    let words = arguments(invocation);
    for (index, word) in words.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        let long = text.starts_with("--exec");
        let short = text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']);
        if !(long || short) {
            continue;
        }
        if !matches!(text, "-x" | "-X" | "--exec" | "--exec-batch") {
            return invocation.not_understood("an option of `fd` that runs a program", word.span);
        }
        let behind = words.get(index + 1..).unwrap_or_default();
        let end = behind
            .iter()
            .position(|word| word.literal() == Some(";"))
            .unwrap_or(behind.len());
        let mut command = behind.get(..end).unwrap_or_default().to_vec();
        fill(&mut command, &["{"]);
        command.push(unknown_arguments(word.span));
        let inner = context.command(&command);
        invocation.inner.extend(inner);
        return;
    }
}

const FLOCK: Grammar = Grammar {
    flags: "sxeuonFhV",
    values: "wEc",
    optional: "",
    long_flags: &[
        "shared",
        "exclusive",
        "unlock",
        "nonblock",
        "nb",
        "close",
        "no-fork",
        "verbose",
        "help",
        "version",
    ],
    long_values: &["timeout", "wait", "conflict-exit-code", "command"],
    long_optional: &[],
    permutes: false,
};

fn flock(invocation: &mut Invocation, context: Context<'_>) {
    let Some(split) = split(FLOCK, invocation) else {
        return;
    };
    let command = split.operands.get(1..).unwrap_or_default();
    match command.split_first() {
        Some((option, text)) if matches!(option.literal(), Some("-c" | "--command")) => {
            match text {
                [text] => embed(invocation, text, Some(ShellKind::Posix), false),
                _ => invocation
                    .not_understood("a command text of `flock` in an unusual form", option.span),
            }
        }
        _ => {
            if let Some(text) = split.value(&["c", "command"]) {
                embed(invocation, text, Some(ShellKind::Posix), false);
            }
            let inner = context.command(command);
            invocation.inner.extend(inner);
        }
    }
}

const WATCH: Grammar = Grammar {
    flags: "bcCeghprtwxv",
    values: "nq",
    optional: "d",
    long_flags: &[
        "beep", "color", "no-color", "errexit", "chgexit", "precise", "no-rerun", "no-title",
        "no-wrap", "exec", "help", "version",
    ],
    long_values: &["interval", "equexit"],
    long_optional: &["differences"],
    permutes: false,
};

fn watch(invocation: &mut Invocation, context: Context<'_>) {
    let Some(split) = split(WATCH, invocation) else {
        return;
    };
    let (Some(first), Some(last)) = (split.operands.first(), split.operands.last()) else {
        return;
    };
    if split.has(&["x", "exec"]) {
        let inner = context.command(&split.operands);
        invocation.inner.extend(inner);
    } else {
        let span = Span::new(first.span.start, last.span.end);
        join(
            invocation,
            &split.operands,
            Some(ShellKind::Posix),
            false,
            span,
        );
    }
}

const SCRIPT: Grammar = Grammar {
    flags: "aefqhV",
    values: "cEIOBom",
    optional: "tT",
    long_flags: &[
        "append", "return", "flush", "force", "quiet", "help", "version",
    ],
    long_values: &[
        "command",
        "echo",
        "log-in",
        "log-out",
        "log-io",
        "logging-format",
        "output-limit",
    ],
    long_optional: &["timing", "log-timing"],
    permutes: true,
};

fn script(invocation: &mut Invocation, context: Context<'_>) {
    let Some(split) = split(SCRIPT, invocation) else {
        return;
    };
    match split.value(&["c", "command"]).cloned() {
        Some(text) => embed(invocation, &text, Some(ShellKind::Posix), false),
        None => read_from_input(invocation, None, context),
    }
}

fn busybox(invocation: &mut Invocation, context: Context<'_>) {
    let words = arguments(invocation);
    match words.first().map(|first| (first, first.literal())) {
        None | Some((_, Some("--list" | "--list-full" | "--help"))) => {}
        Some((first, Some(text))) if text.starts_with('-') => {
            let span = first.span;
            invocation.not_understood("an option of busybox", span);
        }
        Some(_) => {
            let inner = context.command(&words);
            // `busybox sh` is the shell of busybox, which reads as dash does.
            invocation
                .inner
                .extend(inner.into_iter().map(|inner| match inner {
                    Inner::Command(mut command) => {
                        as_busybox(&mut command);
                        Inner::Command(command)
                    }
                    other => other,
                }));
        }
    }
}

fn as_busybox(command: &mut Invocation) {
    for inner in &mut command.inner {
        if let Inner::Text(text) = inner
            && text.dialect == Some(ShellKind::Posix)
        {
            text.dialect = Some(ShellKind::Dash);
        }
    }
}
