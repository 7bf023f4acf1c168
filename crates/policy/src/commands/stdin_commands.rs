//! What is typed into a command that runs.
//!
//! Permission to run a program includes answering its questions: a write is judged like running the command
//! again. But a shell takes what is typed for commands, and so do interpreters, debuggers, pagers and
//! connections to other machines. For those the text is judged too: what a deny rule finds in it is
//! denied, and nothing else can be allowed by a rule, since a text can be typed in pieces and the
//! program may stand anywhere.

use tenon_contract::{CommandClaim, InputClaim};
use tenon_programs::{Catalogue, Traits};
use tenon_shell::Invocation;

use crate::commands::decide_command;
use crate::commands::resolve::ResolvedCommands;
use crate::commands::words::RUNNING_CODE;
use crate::decision::{Judgement, PartDecision, PartKind, Why};
use crate::engine::{Engine, Question};
use crate::parsed::{ParsedCommands, Readings};
use crate::verdict::{DefaultMode, Verdict};

/// Adds the parts of one input.
pub(crate) fn decide_input<'e>(
    engine: &'e Engine,
    question: &Question<'_>,
    input: &InputClaim,
    (commands, catalogue): (&ResolvedCommands<'_>, &Catalogue),
    judgement: &mut Judgement<'e>,
) {
    let resolved = commands.of(&input.command, &engine.directories, catalogue);
    decide_command(engine, question, &resolved, judgement);
    let Some(program) = taking_commands(&resolved.readings) else {
        return;
    };
    let typed = CommandClaim {
        // Enter sends a carriage return.
        text: input.text.replace('\r', "\n"),
        ..input.command.clone()
    };
    let mut found = Judgement::default();
    if !typed.text.trim_matches([' ', '\t', '\n']).is_empty() {
        let commands = ResolvedCommands::new(commands.paths(), &ParsedCommands::default());
        let resolved = commands.of(&typed, &engine.directories, catalogue);
        decide_command(engine, question, &resolved, &mut found);
    }
    judgement.add_refusals(found);
    if !engine.is_unrestricted() {
        judgement.add(opaque(engine, &input.text, &program));
    }
}

/// At least a question: no rule can know what the text does.
fn opaque(engine: &Engine, text: &str, program: &str) -> PartDecision {
    let denies = engine.mode == DefaultMode::Deny;
    let verdict = if denies { Verdict::Deny } else { Verdict::Ask };
    let reason = format!("Input to `{program}` can run anything, which no rule can allow.");
    PartDecision::new(
        PartKind::Unclear,
        crate::display::shown(text),
        verdict,
        Why::sentence(reason),
    )
}

/// The program of this text that takes what is typed for commands, if one may.
fn taking_commands(readings: &Readings) -> Option<String> {
    for examination in readings.iter() {
        if examination.texts.iter().any(|text| text.error.is_some()) {
            return Some("the command".to_owned());
        }
        if let Some(name) = examination.commands().find_map(takes_commands) {
            return Some(name);
        }
    }
    None
}

fn takes_commands(invocation: &Invocation) -> Option<String> {
    let Some(base) = invocation.base_name() else {
        return Some("a program whose name is not known".to_owned());
    };
    const TAKING: Traits = RUNNING_CODE.with(Traits::TAKES_COMMANDS);
    let written = invocation.written_name().unwrap_or(base);
    invocation.is(TAKING).then(|| written.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed::parse;

    #[test]
    fn shells_interpreters_and_their_like_take_commands_wherever_they_stand() {
        for text in [
            "bash",
            "/bin/sh -i",
            "python3.12 -q",
            "cd x && node",
            "env A=1 nohup ssh host",
            "docker exec -it box top",
            "less README.md",
            "$SHELL",
            "echo $(bash)",
            "if",
            "sudo apt install x",
        ] {
            assert!(
                taking_commands(&parse(text, &Catalogue::BUILT_IN, None)).is_some(),
                "{text}"
            );
        }
        for text in [
            "npm init",
            "cat > notes.txt",
            "npm run dev",
            "read -s word",
            "cargo login",
        ] {
            assert_eq!(
                taking_commands(&parse(text, &Catalogue::BUILT_IN, None)),
                None,
                "{text}"
            );
        }
    }
}
