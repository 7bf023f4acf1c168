//! Which rows of a vocabulary a toolkit has, and which of them its agent sees.

use std::collections::HashSet;

use tenon_contract::{ErrorCode, Group, Operation, ToolError};
use tenon_dialects::{AgentKind, Dialect, Exposed, ToolBinding, companion_of};
use tenon_policy::{Exposure, Refusal};

use crate::host_callbacks::HostCallbacks;
use crate::options::{Options, ShowName, ToolOptions};
use crate::web::Web;

/// One row of a toolkit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) binding: &'static ToolBinding,
    /// Whether the host has named it in `tools.add`: then only the deny list keeps it out.
    pub(crate) is_added: bool,
}

/// The rows of a toolkit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    rows: Vec<Row>,
    /// Operations that cannot work here, and are not shown.
    hidden: HashSet<Operation>,
    /// What the parameter is called by which the model chooses the budget of a result, where it may.
    budget: Option<&'static str>,
}

impl Selection {
    /// The tools of `dialect` up to `level` with their companions, and those that are added.
    ///
    /// # Errors
    /// A name in `tools.add` that means no operation.
    pub(crate) fn new(
        dialect: &'static Dialect,
        level: Option<u8>,
        options: &ToolOptions,
    ) -> Result<Self, ToolError> {
        let within = |row: &&'static ToolBinding| is_within(dialect, row, level);
        let own = dialect.tools.iter().filter(within);
        let own = own.filter(|row| row.operation != Operation::ExitPlan);
        let mut rows: Vec<Row> = own
            .map(|binding| Row {
                binding,
                is_added: false,
            })
            .collect();
        for name in &options.add {
            let wanted = dialect.operation_named(name);
            let added = wanted.map(|operation| dialect.rows_for(operation));
            let Some(added) = added.filter(|rows| !rows.is_empty()) else {
                return Err(unknown(dialect, name));
            };
            // What leads to companions brings them.
            let companions = companions(dialect, wanted);
            for binding in added.into_iter().chain(companions) {
                match rows
                    .iter_mut()
                    .find(|row| std::ptr::eq(row.binding, binding))
                {
                    Some(row) => row.is_added = true,
                    None => rows.push(Row {
                        binding,
                        is_added: true,
                    }),
                }
            }
        }
        // Shown in the mode `plan` only, unless the host adds it by name.
        let adds_exit = rows
            .iter()
            .any(|row| row.binding.operation == Operation::ExitPlan);
        let hidden = (!adds_exit).then_some(Operation::ExitPlan);
        if !adds_exit {
            let exit = dialect.rows_for(Operation::ExitPlan).into_iter();
            rows.extend(exit.map(|binding| Row {
                binding,
                is_added: true,
            }));
        }
        Ok(Self {
            rows,
            hidden: hidden.into_iter().collect(),
            budget: None,
        })
    }

    /// The same with the rows that show and take the anchors of lines.
    pub(crate) fn with_anchors(mut self) -> Self {
        for row in &mut self.rows {
            row.binding = row.binding.with_anchors();
        }
        self
    }

    /// The same with a parameter of this name by which the model chooses the budget of a result.
    pub(crate) fn with_budget(mut self, name: &'static str) -> Self {
        self.budget = Some(name);
        self
    }

    /// The same without the tools that cannot work, unless the host wants to see all.
    pub(crate) fn hiding(
        mut self,
        options: &Options,
        web: &Web,
        callbacks: &HostCallbacks,
        shows_pages: bool,
    ) -> Self {
        if options.tools.show != Some(ShowName::All) {
            let agents = callbacks.run_agent.is_some();
            let parts = [
                (Operation::WebSearch, web.searcher.is_some()),
                (Operation::AskUser, callbacks.ask_user.is_some()),
                (Operation::Task, agents),
                (Operation::SessionsSpawn, agents),
                (Operation::SessionsSend, agents),
                (Operation::Subagents, agents),
                (Operation::SessionsList, agents),
                (Operation::SessionsHistory, agents),
                (Operation::SessionStatus, agents),
                (Operation::Browser, options.has_browser()),
                (Operation::Cron, crate::cron::is_wanted(options, callbacks)),
                (Operation::Message, callbacks.send_message.is_some()),
                (Operation::Canvas, shows_pages),
                (Operation::Memory, options.memory.is_some()),
            ];
            let missing = parts.into_iter().filter(|(_, is_there)| !is_there);
            self.hidden.extend(missing.map(|(operation, _)| operation));
        }
        self
    }

    /// The same for an agent that can start no further ones.
    pub(crate) fn deepest(mut self) -> Self {
        self.rows.retain(|row| {
            let operation = row.binding.operation;
            operation != Operation::Task && operation.group() != Group::Sessions
        });
        self
    }

    /// The same for an agent: it leaves the mode to the one who has started it.
    pub(crate) fn below(mut self) -> Self {
        let presents = |row: &Row| row.binding.operation == Operation::ExitPlan;
        self.rows.retain(|row| !presents(row));
        self
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn hides(&self, operation: Operation) -> bool {
        self.hidden.contains(&operation)
    }

    /// Whether the agent gets a tool for this operation.
    pub(crate) fn exposes(&self, operation: Operation, exposure: &Exposure) -> bool {
        self.rows
            .iter()
            .any(|row| row.binding.operation == operation && refusal(*row, exposure).is_none())
    }

    /// What texts may name: the rows that the agent sees, of those that `is_there`.
    pub(crate) fn exposed(
        &self,
        exposure: &Exposure,
        agents: Vec<AgentKind>,
        is_there: impl Fn(&Row) -> bool,
    ) -> Exposed {
        let shown = self.rows.iter().filter(|row| {
            is_there(row)
                && !self.hides(row.binding.operation)
                && refusal(**row, exposure).is_none()
        });
        let exposed = Exposed::new(shown.map(|row| row.binding).collect()).with_agents(agents);
        match self.budget {
            Some(name) => exposed.with_budget(name),
            None => exposed,
        }
    }
}

/// Why the agent does not get the tool; nothing when it does.
pub(crate) fn refusal(row: Row, exposure: &Exposure) -> Option<Refusal> {
    let Row { binding, is_added } = row;
    if is_added {
        exposure.denial(binding.name, binding.operation)
    } else {
        exposure.refusal(binding.name, binding.operation)
    }
}

/// Whether the tool belongs to the levels up to this one. Companions do where the tool that leads to them does.
fn is_within(dialect: &Dialect, row: &ToolBinding, level: Option<u8>) -> bool {
    let Some(level) = level else { return true };
    let is_in = |row: &ToolBinding| (1..=level).contains(&row.level);
    let leads_here = |leader: Operation| {
        let mut rows = dialect.tools.iter();
        rows.any(|row| row.operation == leader && is_in(row))
    };
    is_in(row) || (row.level == 0 && companion_of(row.operation).is_some_and(leads_here))
}

/// The rows of the vocabulary to which the tools of an operation lead.
fn companions(
    dialect: &'static Dialect,
    leader: Option<Operation>,
) -> impl Iterator<Item = &'static ToolBinding> {
    dialect
        .tools
        .iter()
        .filter(move |row| leader.is_some() && companion_of(row.operation) == leader)
}

fn unknown(dialect: &Dialect, name: &str) -> ToolError {
    let meant = match dialect.nearest_name(name) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => "Name an operation as any vocabulary does, such as `run_tests`.".to_owned(),
    };
    let shown: String = name.chars().take(80).collect();
    let message = format!("`{shown}` in `tools.add` is not the name of a built-in tool. {meant}");
    ToolError::new(ErrorCode::InvalidParams, message).with("option", "options.tools.add")
}
