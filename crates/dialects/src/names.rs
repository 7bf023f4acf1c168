//! Names of tools: those of every vocabulary, those that other agents use, and what was probably meant.

use std::collections::BTreeSet;

use tenon_contract::{Operation, has_normal_form, normalise};

use crate::normal_form::nearest;
use crate::{Dialect, DialectId};

/// Names that other agents use for an operation, beyond those of the dialects. In the form of [`normalise`].
const KNOWN_ELSEWHERE: &[(&str, Operation)] = &[
    ("multiedit", Operation::Edit),
    ("strreplace", Operation::Edit),
    ("strreplaceeditor", Operation::Edit),
    ("replacestringinfile", Operation::Edit),
    ("replace", Operation::Edit),
    ("createfile", Operation::Write),
    ("editnotebook", Operation::NotebookEdit),
    ("patch", Operation::Patch),
    ("readmanyfiles", Operation::Read),
    ("ls", Operation::List),
    ("listfiles", Operation::List),
    ("glob", Operation::Find),
    ("findfiles", Operation::Find),
    ("ripgrep", Operation::Grep),
    ("grepsearch", Operation::Grep),
    ("searchfilecontent", Operation::Grep),
    ("exec", Operation::Execute),
    ("bash", Operation::Execute),
    ("shell", Operation::Execute),
    ("runcommand", Operation::Execute),
    ("runterminalcmd", Operation::Execute),
    ("runinterminal", Operation::Execute),
    ("runshellcommand", Operation::Execute),
    ("shellcommand", Operation::Execute),
    ("localshell", Operation::Execute),
    ("execcommand", Operation::Execute),
    ("writestdin", Operation::Process),
    ("bashoutput", Operation::Process),
    ("killbash", Operation::Process),
    ("killshell", Operation::Process),
    ("taskoutput", Operation::Process),
    ("taskstop", Operation::Process),
    ("deletefile", Operation::Delete),
    ("fetch", Operation::WebFetch),
    ("urlfetch", Operation::WebFetch),
    ("fetchwebpage", Operation::WebFetch),
    ("googlewebsearch", Operation::WebSearch),
    ("askuserquestion", Operation::AskUser),
    ("exitplanmode", Operation::ExitPlan),
    ("exitplan", Operation::ExitPlan),
    ("question", Operation::AskUser),
    ("requestuserinput", Operation::AskUser),
    ("askfollowupquestion", Operation::AskUser),
    ("askquestions", Operation::AskUser),
    ("updateplan", Operation::TodoWrite),
    ("writetodos", Operation::TodoWrite),
    ("managetodolist", Operation::TodoWrite),
    ("activateskill", Operation::Skill),
    ("runsubagent", Operation::Task),
    ("subagent", Operation::Task),
    ("session", Operation::SessionsSend),
    ("sendmessage", Operation::SessionsSend),
    ("spawnagent", Operation::SessionsSpawn),
    ("waitagent", Operation::Subagents),
    ("agentswait", Operation::Subagents),
    ("automations", Operation::Cron),
];

/// The operation that a name means, in any dialect and any usual spelling: `Bash`, `exec`,
/// `run_command` and `execute` are one. Nothing for names that only a host can know.
#[must_use]
pub fn operation_named(name: &str) -> Option<Operation> {
    let wanted = normalise(name);
    let by_operation = Operation::ALL
        .iter()
        .copied()
        .filter(|operation| *operation != Operation::Foreign);
    by_operation
        .clone()
        .find(|operation| has_normal_form(operation.name(), &wanted))
        .or_else(|| {
            let bindings = DialectId::ALL
                .iter()
                .flat_map(|dialect| dialect.dialect().tools);
            bindings
                .into_iter()
                .find(|binding| has_normal_form(binding.name, &wanted))
                .map(|binding| binding.operation)
        })
        .or_else(|| {
            KNOWN_ELSEWHERE
                .iter()
                .find(|(known, _)| *known == wanted)
                .map(|(_, operation)| *operation)
        })
}

/// Every name that means an operation, in the form of [`normalise`], each once: for those who cannot ask
/// [`operation_named`]. Sorted.
#[must_use]
pub fn known_names() -> Vec<(String, Operation)> {
    let operations = Operation::ALL.iter().map(|operation| operation.name());
    let tools = DialectId::ALL
        .iter()
        .flat_map(|dialect| dialect.dialect().tools.iter().map(|binding| binding.name));
    let elsewhere = KNOWN_ELSEWHERE.iter().map(|(name, _)| *name);
    let names: BTreeSet<String> = operations
        .chain(tools)
        .chain(elsewhere)
        .map(normalise)
        .collect();
    let meaning = |name: String| operation_named(&name).map(|operation| (name, operation));
    names.into_iter().filter_map(meaning).collect()
}

/// The operation of a tool that is also called by another name, as users of another agent know it; in the form of
/// [`normalise`]. Unlike other spellings, a call by it runs.
#[must_use]
pub fn also_called(name: &str) -> Option<Operation> {
    const NAMES: &[(&str, Operation)] = &[("automations", Operation::Cron)];
    let wanted = normalise(name);
    let known = NAMES.iter().find(|(known, _)| *known == wanted);
    known.map(|(_, operation)| *operation)
}

/// How a tool that is known by this name elsewhere is called here, where its parameters are other than those of the operation in every
/// vocabulary. Such a call is not carried out as it is: the texts of a `MultiEdit` are matched one after the other.
#[must_use]
pub fn called_otherwise(name: &str) -> Option<&'static str> {
    const NAMES: &[(&str, &str)] = &[(
        "multiedit",
        "Call it once for each entry of `edits`, one after the other.",
    )];
    let wanted = normalise(name);
    let known = NAMES.iter().find(|(known, _)| *known == wanted);
    known.map(|(_, advice)| *advice)
}

impl Dialect {
    /// The names that mean something else in this dialect than anywhere, as [`known_names`] returns them.
    #[must_use]
    pub fn own_meanings(&self) -> Vec<(String, Operation)> {
        let names: BTreeSet<String> = self
            .tools
            .iter()
            .map(|binding| normalise(binding.name))
            .collect();
        let own = |name: String| {
            let operation = self.operation_named(&name)?;
            (operation_named(&name) != Some(operation)).then_some((name, operation))
        };
        names.into_iter().filter_map(own).collect()
    }

    /// What a name means to those who speak this dialect: its own tool of that name, else what the
    /// name means anywhere ([`operation_named`]). Two vocabularies may call different things the
    /// same: `search_files` looks for names in one and for content in another.
    #[must_use]
    pub fn operation_named(&self, name: &str) -> Option<Operation> {
        let wanted = normalise(name);
        self.tools
            .iter()
            .find(|binding| has_normal_form(binding.name, &wanted))
            .map(|binding| binding.operation)
            .or_else(|| operation_named(name))
    }

    /// The tool of this dialect that was probably meant by a name that no tool has.
    #[must_use]
    pub fn nearest_name(&self, name: &str) -> Option<&'static str> {
        let known: Vec<&'static str> = self.tools.iter().map(|binding| binding.name).collect();
        nearest(name, &known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_tool_means_its_operation() {
        let names = [
            "exec",
            "Bash",
            "bash",
            "run_command",
            "EXECUTE",
            "Shell",
            "run_shell_command",
            "run_in_terminal",
            "local_shell",
        ];
        assert!(
            names
                .iter()
                .all(|name| operation_named(name) == Some(Operation::Execute))
        );
        assert_eq!(operation_named("Glob"), Some(Operation::Find));
        assert_eq!(operation_named("mcp__x__y"), None);
    }

    #[test]
    fn a_name_means_the_tool_of_the_dialect_that_is_spoken() {
        let meanings = [
            DialectId::Manager,
            DialectId::Acp,
            DialectId::Agent,
            DialectId::Coder,
        ]
        .map(|id| id.dialect().operation_named("search_files"));
        assert_eq!(
            meanings,
            [
                Some(Operation::Find),
                Some(Operation::Grep),
                Some(Operation::Find),
                Some(Operation::Find)
            ]
        );
        let acp = DialectId::Acp.dialect();
        assert_eq!(acp.operation_named("Bash"), Some(Operation::Execute));
    }
}
