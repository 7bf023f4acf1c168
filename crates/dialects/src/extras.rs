//! Operations under names that fit the other vocabularies: what `tools.add` brings in.
//!
//! A vocabulary has rows for what its users know. Every other operation is taken from the vocabulary whose spelling is
//! nearest (`snake_case` or `camelCase` parameters), under a name in the style of the one that it is added to.

use std::sync::LazyLock;

use tenon_contract::Operation;

use crate::{Dialect, DialectId, ToolBinding};

/// One operation that a vocabulary has not by itself: what it is called there, and whose row it is.
struct Extra {
    to: DialectId,
    name: &'static str,
    from: DialectId,
    tool: &'static str,
}

const fn extra(to: DialectId, name: &'static str, from: DialectId, tool: &'static str) -> Extra {
    Extra {
        to,
        name,
        from,
        tool,
    }
}

use DialectId::{Acp, Agent, Canonical, Coder, Manager};

const EXTRAS: &[Extra] = &[
    extra(Agent, "notebook_edit", Canonical, "NotebookEdit"),
    extra(Agent, "delete", Acp, "delete_file"),
    extra(Agent, "run_tests", Manager, "run_tests"),
    extra(Agent, "get_diagnostics", Manager, "get_diagnostics"),
    extra(Agent, "git_status", Manager, "git_status"),
    extra(Agent, "web_request", Acp, "web_request"),
    extra(Canonical, "ApplyPatch", Coder, "patch"),
    extra(Canonical, "Delete", Acp, "delete_file"),
    extra(Canonical, "LS", Coder, "list"),
    extra(Canonical, "RunTests", Manager, "run_tests"),
    extra(Canonical, "GetDiagnostics", Manager, "get_diagnostics"),
    extra(Canonical, "GitStatus", Manager, "git_status"),
    extra(Canonical, "Skill", Coder, "skill"),
    extra(Canonical, "Task", Coder, "task"),
    extra(Canonical, "Canvas", Agent, "canvas"),
    extra(Canonical, "WebRequest", Acp, "web_request"),
    extra(Canonical, "Browser", Agent, "browser"),
    extra(Canonical, "Cron", Agent, "cron"),
    extra(Canonical, "Message", Agent, "message"),
    extra(Canonical, "ExitPlanMode", Agent, "exit_plan"),
    extra(Canonical, "Memory", Agent, "memory"),
    extra(Coder, "memory", Agent, "memory"),
    extra(Manager, "memory", Agent, "memory"),
    extra(Acp, "memory", Agent, "memory"),
    extra(Coder, "exit_plan", Agent, "exit_plan"),
    extra(Manager, "exit_plan", Agent, "exit_plan"),
    extra(Acp, "exit_plan", Agent, "exit_plan"),
    extra(Coder, "edit", Canonical, "Edit"),
    extra(Coder, "notebook_edit", Canonical, "NotebookEdit"),
    extra(Coder, "delete", Acp, "delete_file"),
    extra(Coder, "process", Agent, "process"),
    extra(Coder, "run_tests", Manager, "run_tests"),
    extra(Coder, "get_diagnostics", Manager, "get_diagnostics"),
    extra(Coder, "git_status", Manager, "git_status"),
    extra(Coder, "ask_user", Agent, "ask_user"),
    extra(Coder, "canvas", Agent, "canvas"),
    extra(Coder, "web_fetch", Canonical, "WebFetch"),
    extra(Coder, "web_search", Canonical, "WebSearch"),
    extra(Coder, "web_request", Acp, "web_request"),
    extra(Coder, "browser", Agent, "browser"),
    extra(Coder, "cron", Agent, "cron"),
    extra(Coder, "message", Agent, "message"),
    extra(Manager, "edit_file", Acp, "edit_file"),
    extra(Manager, "apply_patch", Agent, "apply_patch"),
    extra(Manager, "edit_notebook", Canonical, "NotebookEdit"),
    extra(Manager, "delete_file", Acp, "delete_file"),
    extra(Manager, "list_directory", Agent, "ls"),
    extra(Manager, "run_command", Agent, "exec"),
    extra(Manager, "process", Agent, "process"),
    extra(Manager, "lsp", Agent, "lsp"),
    extra(Manager, "todo_read", Agent, "todo_read"),
    extra(Manager, "todo_write", Agent, "todo_write"),
    extra(Manager, "skill", Agent, "skill"),
    extra(Manager, "task", Agent, "task"),
    extra(Manager, "ask_user", Agent, "ask_user"),
    extra(Manager, "canvas", Agent, "canvas"),
    extra(Manager, "web_fetch", Agent, "web_fetch"),
    extra(Manager, "web_search", Agent, "web_search"),
    extra(Manager, "web_request", Acp, "web_request"),
    extra(Manager, "browser", Agent, "browser"),
    extra(Manager, "cron", Agent, "cron"),
    extra(Manager, "message", Agent, "message"),
    extra(Acp, "apply_patch", Agent, "apply_patch"),
    extra(Acp, "edit_notebook", Canonical, "NotebookEdit"),
    extra(Acp, "find_files", Manager, "search_files"),
    extra(Acp, "process", Agent, "process"),
    extra(Acp, "lsp", Agent, "lsp"),
    extra(Acp, "get_diagnostics", Manager, "get_diagnostics"),
    extra(Acp, "run_tests", Manager, "run_tests"),
    extra(Acp, "git_status", Manager, "git_status"),
    extra(Acp, "todo_read", Agent, "todo_read"),
    extra(Acp, "todo_write", Agent, "todo_write"),
    extra(Acp, "skill", Agent, "skill"),
    extra(Acp, "task", Agent, "task"),
    extra(Acp, "ask_user", Agent, "ask_user"),
    extra(Acp, "canvas", Agent, "canvas"),
    extra(Acp, "web_fetch", Agent, "web_fetch"),
    extra(Canonical, "SessionsSpawn", Agent, "sessions_spawn"),
    extra(Canonical, "SessionsSend", Agent, "sessions_send"),
    extra(Canonical, "Subagents", Agent, "subagents"),
    extra(Canonical, "SessionsList", Agent, "sessions_list"),
    extra(Canonical, "SessionStatus", Agent, "session_status"),
    extra(Canonical, "SessionsHistory", Agent, "sessions_history"),
    extra(Coder, "sessions_spawn", Agent, "sessions_spawn"),
    extra(Coder, "sessions_send", Agent, "sessions_send"),
    extra(Coder, "subagents", Agent, "subagents"),
    extra(Coder, "sessions_list", Agent, "sessions_list"),
    extra(Coder, "session_status", Agent, "session_status"),
    extra(Coder, "sessions_history", Agent, "sessions_history"),
    extra(Manager, "sessions_spawn", Agent, "sessions_spawn"),
    extra(Manager, "sessions_send", Agent, "sessions_send"),
    extra(Manager, "subagents", Agent, "subagents"),
    extra(Manager, "sessions_list", Agent, "sessions_list"),
    extra(Manager, "session_status", Agent, "session_status"),
    extra(Manager, "sessions_history", Agent, "sessions_history"),
    extra(Acp, "sessions_spawn", Agent, "sessions_spawn"),
    extra(Acp, "sessions_send", Agent, "sessions_send"),
    extra(Acp, "subagents", Agent, "subagents"),
    extra(Acp, "sessions_list", Agent, "sessions_list"),
    extra(Acp, "session_status", Agent, "session_status"),
    extra(Acp, "sessions_history", Agent, "sessions_history"),
    extra(Acp, "browser", Agent, "browser"),
    extra(Acp, "cron", Agent, "cron"),
    extra(Acp, "message", Agent, "message"),
];

/// The rows by the vocabulary that they can be added to, made once.
static ROWS: LazyLock<Vec<(DialectId, ToolBinding)>> = LazyLock::new(|| {
    let row = |extra: &Extra| {
        let own = extra.from.dialect().tool(extra.tool)?;
        let renderer = match extra.to {
            Coder => own.renderer.with_ok(),
            _ => own.renderer,
        };
        let row = ToolBinding {
            name: extra.name,
            level: 0,
            renderer,
            ..*own
        };
        Some((extra.to, row))
    };
    EXTRAS.iter().filter_map(row).collect()
});

impl Dialect {
    /// The rows for an operation: those of the vocabulary itself, else that which can be added to it. Empty where no
    /// vocabulary has the operation.
    #[must_use]
    pub fn rows_for(&self, operation: Operation) -> Vec<&'static ToolBinding> {
        let own = self.tools.iter();
        let own: Vec<_> = own.filter(|row| row.operation == operation).collect();
        if !own.is_empty() {
            return own;
        }
        let added = ROWS
            .iter()
            .filter(|(to, row)| *to == self.id && row.operation == operation);
        added.map(|(_, row)| row).collect()
    }

    /// The rows that can be added to the vocabulary, beside its own.
    pub fn extras(&self) -> impl Iterator<Item = &'static ToolBinding> + use<> {
        let id = self.id;
        ROWS.iter()
            .filter(move |(to, _)| *to == id)
            .map(|(_, row)| row)
    }
}

/// The operation whose tool leads to the tools of this one, which are its companions: they are there wherever it is.
#[must_use]
pub const fn companion_of(operation: Operation) -> Option<Operation> {
    match operation {
        Operation::Process => Some(Operation::Execute),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_of_any_vocabulary_fits_into_every_other() {
        let of = |id: &DialectId| id.dialect().tools.iter().map(|row| row.operation);
        let all: BTreeSet<Operation> = DialectId::ALL.iter().flat_map(of).collect();
        for id in DialectId::ALL {
            let dialect = id.dialect();
            let without: Vec<_> = all
                .iter()
                .filter(|operation| dialect.rows_for(**operation).is_empty())
                .collect();
            assert_eq!(without, Vec::<&Operation>::new(), "{}", id.name());
        }
        assert_eq!(ROWS.len(), EXTRAS.len());
    }

    #[test]
    fn an_added_name_is_that_of_no_other_tool_and_means_its_operation() {
        for id in DialectId::ALL {
            let dialect = id.dialect();
            for row in dialect.extras() {
                let place = format!("{}.{}", id.name(), row.name);
                assert!(dialect.tool(row.name).is_none(), "{place}");
                assert_eq!(
                    dialect.operation_named(row.name),
                    Some(row.operation),
                    "{place}"
                );
            }
        }
    }
}
