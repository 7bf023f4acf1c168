//! Programs whose arguments need more than a table: `env`, `su`, `flock`, `watch`, `script`, `busybox`.

use super::grammar::{Given, Grammar, Split, Unclear};
use super::invocation::{Context, Inner, Invocation, ShellKind};
use super::shells::{embed, join, read_from_input};
use super::{finders, split_string};
use crate::command::{Assignment, AssignmentKind};
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// Looks into these programs. Returns whether `base` is one.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) -> bool {
    match base {
        "env" => env(invocation, context),
        "su" => su(invocation, context),
        "runuser" => runuser(invocation, context),
        "xargs" => finders::xargs(invocation, context),
        "parallel" => finders::parallel(invocation),
        "find" => finders::find(invocation, context),
        "fd" => finders::fd(invocation, context),
        "flock" => flock(invocation, context),
        "watch" => watch(invocation, context),
        "script" => script(invocation, context),
        "perf" => perf(invocation, context),
        "busybox" | "toybox" | "coreutils" => busybox(invocation, context),
        _ => return false,
    }
    true
}

pub(super) fn split(grammar: Grammar, invocation: &mut Invocation) -> Option<Split> {
    match grammar.split(&invocation.arguments()) {
        Ok(split) if split.has(&["help", "version"]) => None,
        Ok(split) => Some(split),
        Err(Unclear(span)) => {
            invocation.not_understood("an option of a wrapper that is not known", span);
            None
        }
    }
}

/// Takes `NAME=value` words from the front.
pub(super) fn take_assignments(words: &Words, invocation: &mut Invocation) -> Words {
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
    let mut words = invocation.arguments();
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
            .directories
            .extend(split.value(&["C", "chdir"]).cloned());
        let strings: Vec<&Given> = split
            .options
            .iter()
            .filter(|option| matches!(option.name.as_str(), "S" | "split-string"))
            .collect();
        match strings.as_slice() {
            [] => {
                let operands = match split.operands.first() {
                    // A lone dash is `-i`.
                    Some(first) if first.literal() == Some("-") => split.operands.behind(1),
                    _ => split.operands,
                };
                let command = take_assignments(&operands, invocation);
                let inner = context.command(command);
                invocation.inner.extend(inner);
                return;
            }
            [string] => {
                let text = string.value.as_ref().and_then(Word::literal);
                let Some(mut pieces) = text.and_then(|text| split_string::split(text, string.span))
                else {
                    return invocation
                        .not_understood("a string of `env -S` that is not literal", string.span);
                };
                pieces.extend(split.operands.iter().cloned());
                words = pieces.into();
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
        .split(&invocation.arguments())
        .ok()
        .filter(|split| split.has(&["u"]));
    match direct {
        Some(split) => {
            let inner = context.command(split.operands);
            invocation.inner.extend(inner);
        }
        None => su(invocation, context),
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
    let command = split.operands.behind(1);
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
        let inner = context.command(split.operands.clone());
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

/// What `perf stat` counts runs as it is; other commands of `perf` are not followed.
const PERF_STAT: Grammar = Grammar {
    flags: "adinvB",
    values: "erDIt",
    optional: "",
    long_flags: &["all-cpus", "big-num", "detailed", "null", "verbose"],
    long_values: &["event", "repeat", "delay", "timeout"],
    long_optional: &[],
    permutes: false,
};

fn perf(invocation: &mut Invocation, context: Context<'_>) {
    let words = invocation.arguments();
    let span = invocation.span();
    match words.first().and_then(Word::literal) {
        Some("list" | "--version" | "--help" | "help") if words.len() == 1 => {}
        Some("stat") => match PERF_STAT.split(&words.behind(1)) {
            Ok(split) => {
                let inner = context.command(split.operands);
                invocation.inner.extend(inner);
            }
            Err(Unclear(span)) => {
                invocation.not_understood("an option of a wrapper that is not known", span);
            }
        },
        _ => invocation.not_understood("a program that runs what its arguments say", span),
    }
}

fn busybox(invocation: &mut Invocation, context: Context<'_>) {
    let words = invocation.arguments();
    match words.first().map(|first| (first, first.literal())) {
        None | Some((_, Some("--list" | "--list-full" | "--help"))) => {}
        Some((first, Some(text))) if text.starts_with('-') => {
            let span = first.span;
            invocation.not_understood("an option of busybox", span);
        }
        Some(_) => {
            let inner = context.command(words);
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
