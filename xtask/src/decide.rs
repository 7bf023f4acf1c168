//! What a command does and whether it may run, part by part: for work on the catalogue and on the policy.

use std::error::Error;
use std::io::Write;

use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim};
use tenon_policy::{
    CommandEffects, DefaultMode, Engine, LexicalPaths, ParsedCommands, Permissions, Question,
    ResolvedCommands, RuleSet,
};
use tenon_shell::{ShellGrammar, examine};

/// Where the command would run.
const ROOT: &str = "/workspace";
/// The home directory, as in the tables of decisions.
const HOME: &str = "/home/me";

/// Prints the commands of a text with what they do, and the decision under these rules.
pub(crate) fn run(
    text: &str,
    permissions: &Permissions,
    out: &mut impl Write,
) -> Result<bool, Box<dyn Error>> {
    let resolve = |name: &str| operation(name);
    let rules = RuleSet::new(permissions, &resolve).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        all.join("\n")
    })?;
    let engine = Engine::new(rules, DefaultMode::Ask, ROOT).with_home(Some(HOME.into()));
    let directory = PathClaim {
        name: ".".to_owned(),
        target: ROOT.into(),
    };
    let access = Access {
        commands: vec![CommandClaim {
            text: text.to_owned(),
            directory,
            environment: Vec::new(),
        }],
        ..Access::default()
    };
    let question = Question {
        operation: Operation::Execute,
        effect: Effect::Execute,
        tool: "Bash",
        access: &access,
    };
    let paths = LexicalPaths::new(ROOT);
    let commands = ResolvedCommands::new(&paths, &ParsedCommands::default());
    for error in examine(text, ShellGrammar::Bash)
        .texts
        .iter()
        .filter_map(|text| text.error.as_ref())
    {
        writeln!(out, "not read: {error}")?;
    }
    print_commands(&engine.effects(&access, &commands), out)?;
    let decision = engine.decide_resolved(&question, &commands);
    writeln!(out, "{}: {}", decision.verdict.name(), decision.reason)?;
    for part in &decision.parts {
        let kind = serde_json::to_value(part.kind)?;
        let kind = kind.as_str().unwrap_or_default();
        writeln!(
            out,
            "  {:<5}  {kind:<8}  {}",
            part.verdict.name(),
            part.subject()
        )?;
    }
    Ok(true)
}

fn print_commands(commands: &[CommandEffects], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for command in commands {
        let program = command.program.as_deref();
        let program = program.unwrap_or("(not in the catalogue)");
        writeln!(out, "{}\n  program: {program}", command.command)?;
        match &command.directories {
            None => writeln!(out, "  in ?")?,
            Some(directories) => {
                let elsewhere = directories.iter().filter(|name| *name != ".");
                for directory in elsewhere {
                    writeln!(out, "  in {directory}")?;
                }
            }
        }
        for file in &command.files {
            let kind = serde_json::to_value(file.kind)?;
            let below = if file.below { " and below" } else { "" };
            let kind = kind.as_str().unwrap_or_default();
            writeln!(out, "  {kind} {}{below}", file.name)?;
        }
        let rest = [
            ("reach", &command.hosts),
            ("run", &command.runs),
            ("set", &command.sets),
        ];
        for (verb, names) in rest {
            for name in names {
                writeln!(out, "  {verb} {name}")?;
            }
        }
        if let Some(option) = &command.unknown_option {
            writeln!(out, "  unknown {option}")?;
        }
    }
    Ok(())
}

/// Prints what the catalogue knows of a program.
pub(crate) fn describe(name: &str, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
    let description = tenon_programs::describe(name);
    let description = description.ok_or_else(|| {
        format!("`{name}` is not in the catalogue. CONTRIBUTING.md says how to add a program.")
    })?;
    write!(out, "{description}")?;
    Ok(true)
}

fn operation(name: &str) -> Option<Operation> {
    match name {
        "Bash" => Some(Operation::Execute),
        "Read" => Some(Operation::Read),
        "Edit" => Some(Operation::Edit),
        "WebFetch" => Some(Operation::WebFetch),
        _ => None,
    }
}

/// The rules among the arguments behind the command: `--allow RULE`, `--ask RULE`, `--deny RULE`.
pub(crate) fn permissions(arguments: &[&str]) -> Option<Permissions> {
    let mut permissions = Permissions::default();
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let list = match *option {
            "--allow" => &mut permissions.allow,
            "--ask" => &mut permissions.ask,
            "--deny" => &mut permissions.deny,
            _ => return None,
        };
        list.push((*rest.next()?).into());
    }
    Some(permissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_effects_and_verdict_are_printed() {
        let rules = ["--deny", "Edit(secrets/**)", "--allow", "Bash(tar:*)"];
        let permissions = permissions(&rules).unwrap();
        let mut out = Vec::new();
        assert!(run("tar xf a.tar -C secrets | nope", &permissions, &mut out).unwrap());
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with(
                "tar xf a.tar -C secrets\n  program: tar\n  read a.tar and below\n  write secrets and below\n\
                 nope\n  program: (not in the catalogue)\ndeny: "
            ),
            "{text}"
        );
    }
}
