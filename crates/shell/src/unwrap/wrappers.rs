//! Programs that run the command behind their own arguments.

use tenon_programs::{Catalogue, Effects, Opt, Wrapper};

use super::commands;
use super::grammar::{Split, Unclear, split_before};
use super::invocation::{Context, Invocation};
use super::{packages, shells};

/// Wrappers of which the options need more than a row of the table.
const READ_BY_CODE: &[&str] = &[
    "env",
    "su",
    "runuser",
    "xargs",
    "parallel",
    "perf",
    "flock",
    "watch",
    "script",
    "busybox",
    "toybox",
    "coreutils",
    "eval",
];

/// Whether a program is there to run the command behind its own arguments, given its name without a directory.
#[must_use]
pub fn is_wrapper(catalogue: &Catalogue, name: &str) -> bool {
    let name = catalogue.facts_name(name);
    READ_BY_CODE.contains(&name)
        || catalogue
            .find(name)
            .is_some_and(|program| program.wrapper.is_some())
}

/// Finds what the command named `base` runs.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) {
    if shells::look_inside(base, invocation, context)
        || commands::look_inside(base, invocation, context)
        || packages::look_inside(base, invocation, context)
    {
        return;
    }
    let Some(program) = invocation.program else {
        return;
    };
    let Some(wrapper) = program.wrapper else {
        return;
    };
    let options = program.options_before(base).unwrap_or_default();
    match split_before(options, &invocation.arguments()) {
        Err(Unclear(span)) => {
            invocation.not_understood("an option of a wrapper that is not known", span);
        }
        Ok(split) => Call { wrapper, options }.run(invocation, &split, context),
    }
}

/// A wrapper with its options.
struct Call {
    wrapper: Wrapper,
    options: &'static [Opt],
}

impl Call {
    fn does(&self, option: &str, effects: Effects) -> bool {
        let option = self.options.iter().find(|own| own.name == option);
        option.is_some_and(|option| option.effects.has(effects))
    }

    fn gives(&self, split: &Split, effects: Effects) -> bool {
        let mut given = split.options.iter();
        given.any(|option| self.does(&option.name, effects))
    }

    fn run(&self, invocation: &mut Invocation, split: &Split, context: Context<'_>) {
        if self.gives(split, Effects::NO_COMMAND) {
            return;
        }
        invocation.transparent = self.wrapper.transparent;
        let mut given = split.options.iter().rev();
        let directory = given.find(|option| self.does(&option.name, Effects::CWD));
        let directory = directory.and_then(|option| option.value.clone());
        invocation.directories.extend(directory);
        let mut command = split.operands.clone();
        for _ in 0..self.wrapper.operands {
            let Some(operand) = command.first() else {
                return;
            };
            if operand.expansion.splits || operand.expansion.globs || operand.expansion.braces {
                let span = operand.span;
                invocation.not_understood("an expansion before the command of a wrapper", span);
                return;
            }
            command = command.behind(1);
        }
        if self.wrapper.operands > 0
            && let Some(first) = command.first()
            && first.literal() == Some("--")
        {
            command = command.behind(1);
        }
        if self.wrapper.assignments {
            command = commands::take_assignments(&command, invocation);
        }
        if command.is_empty()
            && (self.wrapper.starts_shell || self.gives(split, Effects::STARTS_SHELL))
        {
            shells::read_from_input(invocation, None, context);
        }
        let inner = context.command(command);
        invocation.inner.extend(inner);
    }
}
