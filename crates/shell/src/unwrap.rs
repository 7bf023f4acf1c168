//! What a command really runs: programs behind `env`, `sudo`, `timeout`, texts behind `sh -c` and `eval`, commands
//! behind `xargs` and `find -exec`.
//!
//! [`invocation()`] opens one simple command as far as its words show. The knowledge is data: a table of wrappers with
//! the exact grammar of their options, taken from their manuals. An option that is not in the table means
//! [`Inner::NotUnderstood`]: nothing is guessed, because a wrongly skipped word would hide the program behind it.
//! [`examine`](crate::examine()) continues into the embedded texts.

mod aliases;
mod awk;
mod awk_program;
pub(crate) mod build_tools;
pub(crate) mod clients;
mod dashes;
mod debugger;
mod finders;
mod git;
mod global_options;
mod grammar;
pub(crate) mod invocation;
mod loading_options;
pub(crate) mod options;
mod packages;
mod possible_options;
pub(crate) mod program_name;
mod project_code;
mod remote;
mod run_options;
mod runners;
mod sed;
mod services;
pub(crate) mod shells;
mod split_string;
mod supposed_script;
mod tar;
mod wrappers;

pub use aliases::{Spelling, aliases};
pub use clients::{acts_as_input, reads_commands};
pub use global_options::manual_command;
pub use invocation::{Chain, EmbeddedText, Inner, Invocation, ShellKind};
pub(crate) use packages::{module_of_arguments, module_of_catalogue};
pub use project_code::project_code;
pub use sed::sed_only_edits;
pub use shells::{has_other_language, is_shell, shell_kind};
pub use wrappers::is_wrapper;

use compact_str::CompactString;
use tenon_programs::Catalogue;

use self::invocation::Context;
use self::program_name::base_name;
use crate::builtins;
use crate::command::Command;
use crate::home::named_below_home;
use crate::operands::{Kept, KeptFiles};
use crate::word::Word;
use crate::words::Words;

/// Opens a simple command with what tenon knows of programs; `None` if it has no words.
#[must_use]
pub fn invocation(command: &Command) -> Option<Invocation> {
    invocation_by(&Catalogue::BUILT_IN, None, command)
}

/// Opens a simple command with what this catalogue knows of programs, and with this home directory, where it is known; `None` if it has no words.
#[must_use]
pub fn invocation_by(
    catalogue: &Catalogue,
    home: Option<&str>,
    command: &Command,
) -> Option<Invocation> {
    if command.words.is_empty() {
        return None;
    }
    let context = Context {
        catalogue,
        home,
        open,
        redirections: &command.redirections,
        depth: 0,
    };
    Some(open(command.words.clone(), context))
}

fn open(words: Words, context: Context<'_>) -> Invocation {
    let mut invocation = Invocation {
        words: named_below_home(words, context.home),
        plain: None,
        assignments: Vec::new(),
        directories: Vec::new(),
        transparent: false,
        forwards: false,
        in_each: false,
        inner: Vec::new(),
        base: None,
        program: None,
        changes_shell: false,
        files: KeptFiles::default(),
        command: Kept::default(),
    };
    let Some(name) = invocation.words.first().and_then(Word::literal) else {
        return invocation;
    };
    invocation.changes_shell = builtins::changes_shell(name);
    let base = CompactString::from(context.catalogue.facts_name(base_name(name)));
    invocation.program = context.catalogue.find(&base);
    invocation.base = Some(base.clone());
    global_options::strip(&base, &mut invocation);
    wrappers::look_inside(&base, &mut invocation, context);
    dashes::write_out(&mut invocation);
    run_options::look_inside(&base, &mut invocation, context);
    // What was asked before its words were as they are now.
    invocation.command = Kept::default();
    invocation
}
