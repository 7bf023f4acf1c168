//! What the texts of one call can name.

#[cfg(test)]
use std::sync::LazyLock;

use tenon_contract::{Names, Operation};

use crate::binding::ToolBinding;
use crate::budget::takes_budget;
use crate::dialect::Dialect;

/// A kind of agent to which work can be handed, or a channel over which messages go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentKind {
    /// The operation that takes its name.
    pub operation: Operation,
    /// What the model calls it by.
    pub name: String,
    /// What it is for.
    pub description: String,
}

/// What a toolkit exposes of its vocabulary.
#[derive(Debug, Clone, Default)]
pub struct Exposed {
    pub(crate) rows: Vec<&'static ToolBinding>,
    pub(crate) agents: Vec<AgentKind>,
    /// What the parameter is called by which the model chooses the budget of a result, where it may.
    budget: Option<&'static str>,
}

impl Exposed {
    /// These tools.
    #[must_use]
    pub fn new(rows: Vec<&'static ToolBinding>) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// The same with the agents to which work can be handed; none of them is known where the list is empty.
    #[must_use]
    pub fn with_agents(self, agents: Vec<AgentKind>) -> Self {
        Self { agents, ..self }
    }

    /// The same with a parameter of this name by which the model chooses the budget of a result.
    #[must_use]
    pub fn with_budget(self, name: &'static str) -> Self {
        Self {
            budget: Some(name),
            ..self
        }
    }

    /// What that parameter is called in the parameters of a tool that has it.
    pub(crate) fn budget_of(&self, row: &ToolBinding) -> Option<&'static str> {
        self.budget.filter(|_| takes_budget(row.operation))
    }

    /// All tools of a vocabulary.
    #[must_use]
    pub fn all(dialect: &'static Dialect) -> Self {
        Self::new(dialect.tools.iter().collect())
    }

    /// What the operation is called, if it is exposed.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> Option<&'static str> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.operation == operation)
            .map(|row| row.name)
    }

    /// The name that a template asks for: that of a tool, or that of an operation.
    pub(crate) fn named(&self, name: &str) -> Option<&'static str> {
        let mut rows = self.rows.iter();
        let exact = rows.find(|row| row.name == name).map(|row| row.name);
        exact.or_else(|| self.tool(Operation::from_name(name)?))
    }
}

/// What the texts of one call can name: the tools that are exposed, and the parameters of the tool.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    pub(crate) exposed: &'a Exposed,
    pub(crate) row: &'static ToolBinding,
}

impl Words<'_> {
    /// What the operation is called, if it is exposed.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> Option<&'static str> {
        self.exposed.tool(operation)
    }

    /// The tool of exactly this name, if it is exposed.
    pub(crate) fn named(&self, name: &str) -> Option<&'static str> {
        self.exposed.named(name)
    }

    /// What the tool calls a parameter of its operation, if it has it.
    #[must_use]
    pub fn parameter(&self, field: &str) -> Option<&'static str> {
        let (name, needed) = self.row.row_of(field)?;
        needed
            .is_none_or(|needed| self.exposed.tool(needed).is_some())
            .then_some(name)
    }
}

impl Names for Words<'_> {
    fn tool(&self, operation: Operation) -> Option<&str> {
        Self::tool(self, operation)
    }

    fn parameter<'n>(&'n self, field: &'n str) -> Option<&'n str> {
        Self::parameter(self, field)
    }
}

/// The words of a tool of the `manager` vocabulary that is exposed alone.
#[cfg(test)]
pub(crate) fn no_words() -> Words<'static> {
    static NOTHING: LazyLock<Exposed> = LazyLock::new(Exposed::default);
    let row = crate::DialectId::Manager.dialect().tool("run_tests");
    Words {
        exposed: &NOTHING,
        row: row.unwrap(),
    }
}
