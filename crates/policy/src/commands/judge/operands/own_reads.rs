//! What programs find by themselves, beside what their arguments name: the home directory, which they put in for `~` where the shell
//! leaves it, and `.env` of their directory.

use tenon_programs::{CommandTraits, Effects, Opt, Traits, parse, parse_before};
use tenon_shell::{Invocation, Word};

use crate::commands::judge::CommandJudge;
use crate::commands::resolve::Site;

impl<'e> CommandJudge<'e, '_> {
    /// What a text names in the home directory, for a program that puts that in itself.
    pub(super) fn mentions_with_home(&mut self, name: &str, text: &str, at: Site<'_>) {
        let home = self.engine.directories.home();
        for path in home_paths(text, home) {
            self.mention(name, &path, |_| false, at);
        }
    }

    /// `.env` of its directory, which a program reads by itself, where it is there.
    pub(crate) fn loaded_env(&mut self, program: &Invocation, at: Site<'_>) {
        if self.open || !self.bounds().files || !loads_env(program) {
            return;
        }
        let Some(span) = program.words.first().map(|word| word.span) else {
            return;
        };
        if self.is_there(&Word::synthetic(ENV_FILE, span), at) {
            let name = program.base_name().unwrap_or_default();
            self.mention(name, ENV_FILE, |_| true, at);
        }
    }
}

/// What such programs read by themselves.
const ENV_FILE: &str = ".env";

/// Whether a program reads `.env` by itself: one that is known for it, where no option names another file.
fn loads_env(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else {
        return false;
    };
    let names_other = |options: &[Opt], arguments: &[Word], permutes: bool| {
        let given = match permutes {
            true => parse(options, arguments),
            false => parse_before(options, arguments),
        };
        given.options.iter().any(|given| {
            let mut options = options.iter();
            let reads =
                |option: &Opt| option.name == given.name && option.effects.has(Effects::READ);
            options.any(reads) || matches!(given.name, "help" | "version")
        })
    };
    let arguments = invocation.words.get(1..).unwrap_or_default();
    if program.is(Traits::LOADS_ENV) {
        let name = invocation.written_name().unwrap_or_default();
        let options = program.options_before(name).unwrap_or(program.options);
        return !names_other(options, arguments, program.wrapper.is_none());
    }
    if !program.commands_are.has(CommandTraits::LOADS_ENV) {
        return false;
    }
    let command = invocation.subcommand();
    command.is_some_and(|(command, behind)| {
        let wraps = command.is(CommandTraits::WRAPPER);
        let arguments = if wraps { behind } else { arguments };
        command.is(CommandTraits::LOADS_ENV) && !names_other(command.options, arguments, !wraps)
    })
}

/// The paths in a text that begin with the home directory as a program writes it, which it puts in itself, and with the working
/// directory. What stands in the home directory is not known where that is not.
fn home_paths(text: &str, home: Option<&str>) -> Vec<String> {
    let user = home.and_then(|home| home.rsplit('/').next());
    let user = format!("~{}/", user.unwrap_or_default());
    let marks = ["~/", "$HOME/", "${HOME}/", user.as_str()];
    let marks = marks.iter().filter_map(|mark| Some((*mark, home?)));
    let marks = marks.chain([("$PWD/", "."), ("${PWD}/", ".")]);
    let ends = |sign: char| sign.is_whitespace() || "\"'`,;:?#()[]{}<>|".contains(sign);
    let mut found = Vec::new();
    for (mark, directory) in marks {
        for (start, _) in text.match_indices(mark) {
            let behind = text.get(start + mark.len()..).unwrap_or_default();
            let path = behind.split(ends).next().unwrap_or_default();
            found.push(format!("{directory}/{path}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_where_a_program_puts_the_home_directory_in() {
        let paths = |text| home_paths(text, Some("/home/me"));
        assert_eq!(paths("file://~/.ssh/id_rsa"), ["/home/me/.ssh/id_rsa"]);
        assert_eq!(paths("~me/.ssh:/x"), ["/home/me/.ssh"]);
        assert_eq!(paths("file(\"${HOME}/a\")"), ["/home/me/a"]);
        assert_eq!(paths("a,$PWD/.env"), ["./.env"]);
        assert_eq!(paths("~other/x a~b"), Vec::<String>::new());
        assert_eq!(home_paths("~/x", None), Vec::<String>::new());
    }
}
