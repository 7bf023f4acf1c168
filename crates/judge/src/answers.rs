//! Requests and answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::access::Effects;
use crate::opened::{Opened, Options};

/// What may be asked.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// Compiles rules.
    Open { options: Box<Options> },
    /// What holds for a call.
    Decide {
        policy: u32,
        tool: String,
        effects: Box<Effects>,
    },
    /// The same with what each command of the call does.
    Explain {
        policy: u32,
        tool: String,
        effects: Box<Effects>,
    },
    /// Forgets compiled rules.
    Close { policy: u32 },
}

/// Compiled rules by number, and what may be asked of them.
#[derive(Default)]
pub struct Policies {
    opened: BTreeMap<u32, Opened>,
    last: u32,
}

impl Policies {
    /// The answer to a request, both as JSON. What is wrong with a request is `{"error": …}`.
    #[must_use]
    pub fn answer(&mut self, request: &str) -> String {
        let answer = serde_json::from_str(request)
            .map_err(|error| error.to_string())
            .and_then(|request| self.answered(request));
        let answer = answer.unwrap_or_else(|error| json!({"error": error}));
        answer.to_string()
    }

    fn answered(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Open { options } => {
                let opened = Opened::new(*options)?;
                let remarks = json!(opened.remarks());
                self.last = self.last.wrapping_add(1);
                self.opened.insert(self.last, opened);
                Ok(json!({"policy": self.last, "remarks": remarks}))
            }
            Request::Decide {
                policy,
                tool,
                effects,
            } => Ok(json!(self.of(policy)?.decide(&tool, &effects, false))),
            Request::Explain {
                policy,
                tool,
                effects,
            } => Ok(json!(self.of(policy)?.decide(&tool, &effects, true))),
            Request::Close { policy } => {
                self.opened.remove(&policy);
                Ok(json!({}))
            }
        }
    }

    fn of(&self, policy: u32) -> Result<&Opened, String> {
        let opened = self.opened.get(&policy);
        opened.ok_or_else(|| "The policy was closed.".to_owned())
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
