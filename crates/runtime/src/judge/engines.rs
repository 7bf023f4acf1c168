//! The engines of a toolkit, as its options make them.

use std::path::PathBuf;

use tenon_contract::{ErrorCode, Operation, ToolError};
use tenon_policy::{
    Engine, Exposure, Lint, LintKind, Permissions, RuleSet, RuleText, rules_after_sources,
};
use tenon_workspace::Workspace;

use crate::options::{Options, TaintOption};

/// Compiles the rules.
pub(crate) fn engine(
    options: &Options,
    exposure: &Exposure,
    has_approver: bool,
    workspace: &Workspace,
    notices: &mut Vec<String>,
) -> Result<Engine, ToolError> {
    let mut permissions = options.permissions.to_permissions();
    let meaning = options.meaning();
    let compiled = |permissions: &Permissions| {
        RuleSet::new(permissions, &meaning).map_err(|errors| {
            let faults: Vec<String> = errors.iter().map(ToString::to_string).collect();
            ToolError::new(ErrorCode::InvalidParams, faults.join(" "))
                .with("option", "options.permissions")
                .with("errors", faults)
        })
    };
    if TaintOption::asks(options.taint) {
        permissions.ask.extend(rules_after_sources());
    }
    let mut rules = compiled(&permissions)?;
    // That a program which runs any code is allowed is said when the lint is asked for: it is often just what is wanted.
    let known = options.known_programs.clone();
    let lints = rules.lints(&known.catalogue).into_iter();
    let quiet = [LintKind::Runner, LintKind::CoversExamples];
    let odd = lints.filter(|lint| !quiet.contains(&lint.kind));
    notices.extend(odd.map(|lint| lint.message));
    // Who may not write by a tool may not write by a command.
    if let Some(entry) = exposure.denied(Operation::Write) {
        permissions.deny.push(RuleText {
            rule: Operation::Write.name().to_owned(),
            because: Some(format!("`tools.deny` includes `{entry}`")),
            ..RuleText::default()
        });
        rules = compiled(&permissions)?;
    }
    let home = home_of_commands(options);
    Ok(
        Engine::new(rules, permissions.mode(has_approver), workspace.root())
            .with_shell_program(&options.shell().path)
            .with_system_directories(options.permissions.trust_system_directories)
            .with_home(home)
            .with_temporary_directories(tenon_workspace::temporary_directories())
            .with_catalogue(known.catalogue, known.untrusted),
    )
}

/// The home directory of commands; `None` where they do not get the variable, and a shell looks for another one.
fn home_of_commands(options: &Options) -> Option<PathBuf> {
    const NAME: &str = "HOME";
    match options.env.add.get(NAME) {
        Some(own) => Some(PathBuf::from(own)),
        None if options.environment().drops(NAME) => None,
        None => tenon_workspace::home_directory(),
    }
}

/// The rules of those on whose behalf calls are made. What does not compile any more permits nothing.
pub(crate) fn narrowing_engines(
    options: &Options,
    exposure: &Exposure,
    workspace: &Workspace,
) -> Result<Vec<Engine>, ToolError> {
    let rules = options.narrowed_by.iter().map(|rights| {
        let theirs = Options {
            permissions: rights.permissions.clone(),
            ..options.clone()
        };
        engine(
            &theirs,
            exposure,
            rights.has_approver,
            workspace,
            &mut Vec::new(),
        )
    });
    rules.collect()
}

/// What is odd about the rules of these options, each with its place.
pub(crate) fn lints(options: &Options) -> Vec<Lint> {
    let rules = RuleSet::new(&options.permissions.to_permissions(), &options.meaning());
    // They were compiled when the toolkit was made.
    let catalogue = &options.known_programs.catalogue;
    rules
        .map(|rules| rules.lints(catalogue))
        .unwrap_or_default()
}
