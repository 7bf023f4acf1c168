//! Generates what is generated and checks the house rules.
//!
//! - `cargo xtask codegen [--mode write|check|print]`: `index.d.ts`, `docs/tools.md` and
//!   `docs/dialects/*.md` from the Rust types of the tools.
//! - `cargo xtask decide <command> [--allow|--ask|--deny <rule>]…`: what a command does, and whether it may run.
//! - `cargo xtask decide --program <name>`: what the catalogue knows of a program.
//! - `cargo xtask check`: the rules of the house that a program can check, each violation with its
//!   place.
//!
//! Exit codes: 0 when all is well, 1 when something differs or violates a rule, 2 when the command
//! could not be understood or could not do its work.

mod check;
mod codegen;
mod decide;

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use codegen::Mode;

const USAGE: &str = "\
Usage: cargo xtask <command>

  codegen [--mode write|check|print]   generate index.d.ts and the tool reference (default: write)
  check                                check the house rules
  decide <command> [--allow <rule>] [--ask <rule>] [--deny <rule>]
                                       print what a command does, and whether it may run under these rules
  decide --program <name>              print what the catalogue knows of a program
";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Codegen(Mode),
    Check,
    Decide { text: String, rules: Vec<String> },
    Describe { program: String },
    Usage,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = parse(&arguments).and_then(|command| run(&command));
    match answer {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Without a standard error there is nobody left to inform.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: &[&str]) -> Result<Command, Box<dyn Error>> {
    match arguments {
        ["codegen"] => Ok(Command::Codegen(Mode::Write)),
        ["codegen", mode] => {
            let name = mode.strip_prefix("--mode=").unwrap_or(mode);
            Mode::named(name)
                .map(Command::Codegen)
                .ok_or_else(|| unknown(arguments))
        }
        ["codegen", "--mode", name] => Mode::named(name)
            .map(Command::Codegen)
            .ok_or_else(|| unknown(arguments)),
        ["check"] => Ok(Command::Check),
        ["decide", "--program", program] => Ok(Command::Describe {
            program: (*program).to_owned(),
        }),
        ["decide", text, rules @ ..] if decide::permissions(rules).is_some() => {
            Ok(Command::Decide {
                text: (*text).to_owned(),
                rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            })
        }
        ["help" | "--help" | "-h"] => Ok(Command::Usage),
        _ => Err(unknown(arguments)),
    }
}

fn unknown(arguments: &[&str]) -> Box<dyn Error> {
    format!(
        "`{}` is not a command of xtask.\n\n{USAGE}",
        arguments.join(" ")
    )
    .into()
}

/// Whether all is well.
fn run(command: &Command) -> Result<bool, Box<dyn Error>> {
    // Cargo names the directory of the crate that it runs; the project is the directory around it.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("xtask is run by `cargo xtask`")?;
    let root = Path::new(&own)
        .parent()
        .ok_or("the directory of xtask has no parent")?;
    let mut out = io::stdout().lock();
    match command {
        Command::Codegen(mode) => codegen::run(root, *mode, &mut out),
        Command::Check => check::run(root, &mut out),
        Command::Decide { text, rules } => {
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            let permissions = decide::permissions(&rules).ok_or_else(|| unknown(&rules))?;
            decide::run(text, &permissions, &mut out)
        }
        Command::Describe { program } => decide::describe(program, &mut out),
        Command::Usage => {
            out.write_all(USAGE.as_bytes())?;
            Ok(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_understood_or_refused_with_the_usage() {
        assert_eq!(parse(&["codegen"]).unwrap(), Command::Codegen(Mode::Write));
        for arguments in [
            ["codegen", "--mode", "check"].as_slice(),
            &["codegen", "--mode=check"],
        ] {
            assert_eq!(parse(arguments).unwrap(), Command::Codegen(Mode::Check));
        }
        assert_eq!(parse(&["check"]).unwrap(), Command::Check);
        let program = "tar".to_owned();
        assert_eq!(
            parse(&["decide", "--program", "tar"]).unwrap(),
            Command::Describe { program }
        );
        assert_eq!(
            parse(&["codegen", "--mode", "maybe"])
                .unwrap_err()
                .to_string(),
            format!("`codegen --mode maybe` is not a command of xtask.\n\n{USAGE}")
        );
    }
}
