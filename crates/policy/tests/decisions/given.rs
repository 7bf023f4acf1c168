//! A variable that the call gives its command is judged like one that stands before the command.

use tenon_shell::{AssignmentKind, FindingKind, ShellGrammar, Word, examine};

use crate::table::{Case, Settings, cases, decide, decide_with, engine};

/// A row without the variables before its one command, which the call gives instead; nothing where it is not of that kind.
fn moved(case: &Case) -> Option<(Settings, String)> {
    let examination = examine(&case.call, ShellGrammar::Bash);
    let [text] = examination.texts.as_slice() else {
        return None;
    };
    let [finding] = text.script.findings.as_slice() else {
        return None;
    };
    let FindingKind::Command(command) = &finding.kind else {
        return None;
    };
    let mut settings = case.settings.clone();
    let name = command.words.first()?;
    for assignment in &command.assignments {
        let [value] = assignment.values.as_slice() else {
            return None;
        };
        let is_plain = assignment.kind == AssignmentKind::Prefix
            && !assignment.append
            && assignment.subscript.is_none();
        let value = value.literal().filter(|_| is_plain)?;
        settings
            .environment
            .insert(assignment.name.clone(), value.to_owned());
    }
    let uses_them = command.words.iter().any(Word::is_opaque);
    let is_moved = !command.assignments.is_empty() && !uses_them;
    is_moved.then(|| (settings, case.call[name.span.start..].to_owned()))
}

#[test]
fn a_variable_of_the_call_is_judged_like_one_before_the_command() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in cases() {
        let tool = case.settings.tool.as_deref().unwrap_or("Bash");
        let Some((settings, call)) = (tool == "Bash").then(|| moved(&case)).flatten() else {
            continue;
        };
        compared += 1;
        let (written, given) = (
            decide(&case),
            decide_with(&engine(&settings), &settings, &call),
        );
        // `IFS= read x` holds for this one `read`; the call gives it to everything.
        let is_split = settings.environment.contains_key("IFS");
        if written.verdict != given.verdict && !is_split {
            wrong.push(format!(
                "{}:{}: {:?}: {} ({}), by the call {} ({})",
                case.file,
                case.line,
                case.call,
                written.verdict.name(),
                written.reason,
                given.verdict.name(),
                given.reason
            ));
        }
    }
    assert!(compared > 200, "{compared} rows");
    assert!(wrong.is_empty(), "of {compared}:\n{}", wrong.join("\n"));
}
